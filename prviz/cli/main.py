"""The ``prviz`` command and its subcommands; ``prviz`` alone prints the list of them.

Exit status: 0 done; 1 the app can't be served at that address; 2 bad arguments or unreadable data;
130 interrupted. An error is one line on stderr, below it at most the lines that convert an
unreadable file.
"""

from __future__ import annotations

import argparse
import gc
import os
import re
import runpy
import shlex
import signal
import socket
import sys
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import prviz
from prviz.cli.terminal import memory_size
from prviz.missing import missing
from prviz.neighbors.devices import on_device
from prviz.readers.errors import error_text, printable
from prviz.readers.paths import PICTURES_VARIABLE, app_root
from prviz.server.hosts import FRAMES_VARIABLE, HOSTS_VARIABLE, named_host, named_origin
from prviz.server.limits import (
    NO_FOLDER,
    PUBLIC_VARIABLE,
    SHARED_SECONDS,
    TIME_VARIABLE,
    time_limit,
)
from prviz.server.uploads import PUBLIC_MB, uploads

# Name of each command -> what it does. A command's module is imported only when the command runs.
_COMMANDS = {
    "app": "start the app in the browser",
    "curve": "measure two files",
    "embed": "turn pictures or texts into a file of features",
    "sweep": "measure a grid of problems and settings",
    "experiment": "run an experiment of the papers",
    "battery": "run the sanity battery: what should any score do?",
    "benchmark": "score estimators against the exact truth",
    "triage": "rank many checkpoints against one reference",
    "parity": "why two tools disagree on two files",
}
# Number of new objects after which the garbage collector runs, during a command.
_OBJECTS = 50_000
DEFAULT_PORT = 8501
PORTS_TRIED = 100


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: ``sys.argv``) and return its exit status."""
    given = sys.argv[1:] if argv is None else argv
    usual = gc.get_threshold()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by `prviz ... >&-`
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    if given[:1] != ["app"]:
        # Imported modules are never freed, and searching them for garbage takes a tenth of the
        # start.
        gc.set_threshold(_OBJECTS)
    try:
        try:
            return _run(given)
        finally:
            # This is in finally, because argparse ends --list and --help by SystemExit.
            sys.stdout.flush()
            gc.set_threshold(*usual)
    except BrokenPipeError:
        # No error: the reader has closed the pipe, as in `prviz curve ... | head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(argv: Sequence[str]) -> int:
    parser, commands = _parser(next(iter(argv), ""))
    if not argv:
        parser.print_help()
        return 0
    if argv[0] not in commands and not argv[0].startswith("-"):
        close = get_close_matches(argv[0], commands, n=1)
        if close:
            guess = f"did you mean {close[0]!r}?"
        else:
            guess = f"the commands are {', '.join(commands)}"
        parser.error(f"there is no command {argv[0]!r}; {guess}")
    arguments = parser.parse_args(argv)
    run: Callable[[argparse.Namespace], int] = arguments.run
    try:
        with on_device(getattr(arguments, "distances_on", None)):
            return run(arguments)
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, OSError) as error:
        # The first line is the error; code that converts the file may follow.
        return _fail(error_text(error), *str(error).splitlines()[1:], status=2)
    except ModuleNotFoundError as error:
        return _fail(missing(error, f"prviz {argv[0]}"), status=2)
    except MemoryError:
        return _fail("not enough memory for this many samples; use fewer", status=2)
    except KeyboardInterrupt:
        return _fail("interrupted", status=130)


def _fail(message: str, *recipe: str, status: int) -> int:
    print(f"prviz: error: {printable(' '.join(message.splitlines()))}", file=sys.stderr)
    for line in recipe:  # lines of code, printed unchanged to be pasted and run
        print(printable(line), file=sys.stderr)
    return status


class _Parser(argparse.ArgumentParser):
    """Argument parser that prints a usage error as one line, like every other error of prviz."""

    _given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Remember the arguments for the message of an error."""
        self._given = list(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        for each in self._given:
            if each.startswith("-") and os.path.lexists(each):
                file = shlex.quote(f"./{each}")
                message += f"; a file whose name begins with - is named as in {file}"
                break
        self.exit(_fail(f"{message} (see {self.prog} --help)", status=2))


def _parser(chosen: str = "") -> tuple[argparse.ArgumentParser, Iterable[str]]:
    """The parser and the names of all commands; only the chosen command gets its options."""
    parser = _Parser(
        prog="prviz", description="Exact precision-recall curves of generative models."
    )
    parser.add_argument("--version", action="version", version=f"prviz {prviz.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", title="commands")
    for name, does in _COMMANDS.items():
        command = commands.add_parser(name, help=does)
        if name == chosen == "app":
            _add_app(command)
        elif name == chosen:
            getattr(import_module(f"prviz.cli.{name}"), f"add_{name}")(command)
    return parser, _COMMANDS


def _add_app(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to serve at (default: this machine only)"
    )
    parser.add_argument(
        "--port",
        type=_port,
        help=f"port to serve at (default: the first free one from {DEFAULT_PORT})",
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=os.environ.get(HOSTS_VARIABLE, "").split(),
        type=_named(named_host),
        metavar="NAME",
        help=(
            "another name or address by which browsers reach the app, such as a proxy's; may be"
            " repeated. Requests to any host but these, --host and localhost are refused"
        ),
    )
    parser.add_argument(
        "--allow-frame",
        action="append",
        default=os.environ.get(FRAMES_VARIABLE, "").split(),
        type=_named(named_origin),
        metavar="ORIGIN",
        help=(
            "a site whose pages may show the app in a frame, such as https://course.example.com or"
            " https://*.example.com; may be repeated. Uploads in a frame need https on both sides"
            " (default: none)"
        ),
    )
    parser.add_argument(
        "--base-path",
        default=os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", ""),
        type=_base_path,
        metavar="PATH",
        help=(
            "path below which the app answers, such as tools/prviz behind a proxy that passes it on"
            " (default: none)"
        ),
    )
    parser.add_argument(
        "--upload-budget",
        type=memory_size,
        metavar="SIZE",
        help=(
            "memory for the uploaded files of all visitors together, such as 4GB (default: half of"
            " this machine's)"
        ),
    )
    parser.add_argument(
        "--public",
        action="store_true",
        default=os.environ.get(PUBLIC_VARIABLE, "0") not in ("", "0"),
        help=(
            "for everybody: toys, lessons and bundled data at any name, uploads of up to"
            f" {PUBLIC_MB} MB a file, no folder of this machine, a bound on each visitor's memory"
            " and time"
        ),
    )
    parser.add_argument(
        "--time-limit",
        default=os.environ.get(TIME_VARIABLE, ""),
        type=_named(_time_limit),
        metavar="SECONDS",
        help=(
            "most seconds of one piece of a visitor's work, 0 for no limit (default:"
            f" {SHARED_SECONDS:.0f} where others than this machine reach the app, else none)"
        ),
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.add_argument(
        "--data",
        type=_folder,
        metavar="DIR",
        help=(
            "folder of embeddings for the page Triage, below which the `image` or `path` column of"
            " a table may also name pictures; everyone who can open the app can see all of it"
            " (default: none, only uploads)"
        ),
    )
    parser.set_defaults(run=_app)


def _app(arguments: argparse.Namespace) -> int:
    """Run the app in this process until it is stopped."""
    from prviz.server import sessions

    script = app_root() / "app.py"
    if not script.is_file():
        return _fail(f"the app is missing from this installation ({script})", status=1)
    if (wrong := sessions.wrong_streamlit()) is not None:
        return _fail(wrong, status=1)
    try:
        port = _usable_port(arguments.host, arguments.port)
    except OSError as error:
        return _fail(str(error), status=1)
    print(
        f"prviz: {sessions.address(arguments.host, port, arguments.base_path)}  (Ctrl-C stops it)",
        flush=True,
    )
    if arguments.public and arguments.data is not None:
        raise ValueError(f"--public: {NO_FOLDER}")
    os.environ.pop(PICTURES_VARIABLE, None)
    if arguments.data is not None:
        os.environ[PICTURES_VARIABLE] = str(arguments.data)
    os.environ[HOSTS_VARIABLE] = " ".join(arguments.allow_host)
    os.environ[FRAMES_VARIABLE] = " ".join(arguments.allow_frame)
    os.environ[PUBLIC_VARIABLE] = str(int(arguments.public))
    os.environ[TIME_VARIABLE] = arguments.time_limit
    uploads.most = arguments.upload_budget or uploads.most
    line = ["run", str(script), "--server.address", arguments.host, "--server.port", str(port)]
    # prviz has printed the address already. Without this option, Streamlit would also look up the
    # public address of this machine.
    line += [
        "--logger.hideWelcomeMessage",
        "true",
    ]
    line += ["--server.allowedHosts", "*"]  # prviz's `HostGuard` checks hosts
    line += ["--server.baseUrlPath", arguments.base_path] if arguments.base_path else []
    if any(origin.startswith("https:") for origin in arguments.allow_frame):
        # In a cross-site frame, browsers drop Streamlit's cookie unless SameSite is "none"; without
        # the cookie, Streamlit refuses uploads.
        line += ["--server.xsrfCookieSameSite", "none"]
    line += ["--server.headless", "true"] if arguments.no_browser else []
    # On these signals Streamlit finishes its work, then raises the signal again for this handler,
    # which exits quietly.
    for number in (
        signal.SIGTERM,
        signal.SIGINT,
    ):
        signal.signal(number, lambda *_: sys.exit(0))
    sys.argv = ["streamlit", *line]
    try:
        runpy.run_module("streamlit", run_name="__main__")
    except SystemExit as stop:
        if isinstance(stop.code, int):
            return stop.code
        return int(stop.code is not None)
    return 0


def _usable_port(host: str, port: int | None) -> int:
    """The given port, or the first free one.

    Raises OSError, with a message for the user, if none can be used.
    """
    for candidate in [port] if port else range(DEFAULT_PORT, DEFAULT_PORT + PORTS_TRIED):
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, candidate, type=socket.SOCK_STREAM
            )[0]
            with socket.socket(family, kind, protocol) as probe:
                # With SO_REUSEADDR, which the server sets too, a port just left counts as free. On
                # Windows the option would also let a port in use count as free.
                if sys.platform != "win32":
                    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except socket.gaierror as error:
            raise OSError(f"--host {host}: no such address ({error.strerror})") from None
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return candidate
    tried = f"port {port}" if port else f"ports {DEFAULT_PORT} to {DEFAULT_PORT + PORTS_TRIED - 1}"
    raise OSError(f"{tried} of {host} can't be used ({reason}); name another one with --port")


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and 1 <= int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a port; an integer from 1 to 65535 is needed"
    )


def _named(read: Callable[[str], str]) -> Callable[[str], str]:
    """Type for argparse made of ``read``: a ValueError becomes a usage error with the same text."""

    def read_option(text: str) -> str:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return read_option


def _time_limit(text: str) -> str:
    if text:
        time_limit(text)
    return text


def _base_path(text: str) -> str:
    if (
        re.fullmatch(r"[\w.~/-]*", text, re.ASCII)
        and not {".", ".."} & set(text.split("/"))
        and "//" not in text
    ):
        return text.strip("/")
    raise argparse.ArgumentTypeError(
        f"{text!r} is not a path of addresses; one such as tools/prviz is needed"
    )


def _folder(text: str) -> Path:
    try:
        folder = Path(text).resolve(strict=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not there; an existing folder is needed"
        ) from error
    if not folder.is_dir():
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a folder; name the folder that the files are below"
        )
    if not os.access(folder, os.R_OK | os.X_OK):
        raise argparse.ArgumentTypeError(f"{text!r} can't be read; check its permissions")
    return folder
