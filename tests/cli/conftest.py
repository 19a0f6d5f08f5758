"""Commands run as a person runs them: arguments in; output, files and exit status out."""

from __future__ import annotations

import pytest

from prviz.cli.main import main
from tests.cli.commands import Output, Refused, Run


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command that must end with this status; its stdout and stderr."""

    def run_command(*arguments: object, status: int = 0) -> Output:
        capsys.readouterr()
        try:
            ended = main([str(argument) for argument in arguments])
        except SystemExit as stop:  # argparse's way out
            ended = stop.code if isinstance(stop.code, int) else -1
        found = Output(*capsys.readouterr())
        assert ended == status, found.err
        return found

    return run_command


@pytest.fixture
def refused(run: Run) -> Refused:
    """Run a command that must end with one line of error alone; this line."""

    def run_refused(*arguments: object) -> str:
        out, err = run(*arguments, status=2)
        assert out == ""
        assert err.startswith("prviz: error: ")
        assert err.count("\n") == 1
        return err

    return run_refused
