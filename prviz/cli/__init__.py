"""The ``prviz`` command: one file per subcommand, `prviz.cli.main` puts them together."""
