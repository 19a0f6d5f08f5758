"""The ``prviz`` command: one file per subcommand, combined by `prviz.cli.main`."""
