"""The app as a server: its layers, and the end of sessions that visitors have left.

These stand between network and pages however the app was started: `app.py` passes `options` to
Streamlit.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import re
import signal
import socket
import stat
import sys
import time
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from prviz.readers.paths import PICTURES_VARIABLE
from prviz.server import internals
from prviz.server.hosts import FRAMES_VARIABLE, HOSTS_VARIABLE, HostGuard, named_host, named_origin
from prviz.server.limits import NO_FOLDER, PUBLIC_VARIABLE, TIME_VARIABLE, limits
from prviz.server.private_folders import remove_abandoned, remove_own
from prviz.server.static_files import StaticFiles
from prviz.server.uploads import PUBLIC_MB, UploadGuard, uploads

# The versions of Streamlit on which the four pages run: `.ci/run` opens them on the oldest and the
# newest.
STREAMLIT = "streamlit>=1.61,<2"
# Seconds between two checks for sessions without a connection.
LOOK_SECONDS = 10.0


@dataclass
class _Session:
    """A visitor's session. clear : empties what it holds. left : since when it has no
    connection.
    """

    clear: Callable[[], None]
    left: float | None = None


class Sessions:
    """Sessions of this process; a session whose visitor has left is emptied and ended, to free its
    memory.

    A connection may break: for a while a browser can come back to its session, which `opened` tells
    then.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Session] = {}

    def opened(self, name: str, token: str | None, clear: Callable[[], None]) -> None:
        """Note a session with a connection. token : cookie of its browser. clear : empties what it
        holds.
        """
        self._open[name], uploads.owners[name] = _Session(clear), token

    def any_open(self) -> bool:
        """True while a session has not been ended."""
        return bool(self._open)

    def left(self, name: str) -> None:
        """Note that the connection of a session is gone."""
        if name in self._open:
            self._open[name].left = time.monotonic()

    def close_left(self, now: float, after: float) -> None:
        """End sessions without a connection for `after` seconds; called on the thread of the event
        loop.
        """
        gone = []
        for name, each in list(self._open.items()):
            # again, and has asked for nothing yet
            if each.left is not None and internals.is_connected(name):
                each.left = now
            elif each.left is not None and now - each.left >= after:
                gone.append(name)
        for name in gone:
            self._close(name)
        if gone:
            gc.collect()  # sessions contain reference cycles
            if sys.platform == "linux":
                # only glibc has the function; its threads keep freed memory otherwise
                with suppress(AttributeError):
                    ctypes.CDLL(None).malloc_trim(0)

    def close_all(self) -> None:
        """End every session, before the server ends; one that Streamlit has forgotten would fail
        with the process.
        """
        for name in list(self._open):
            self._close(name)
        gc.collect()

    def _close(self, name: str) -> None:
        internals.end_session(name)
        self._open.pop(name).clear()
        uploads.forget(name)

    async def watch(self) -> None:
        """End abandoned sessions while the server runs."""
        import streamlit

        after = streamlit.get_option("server.disconnectedSessionTTL")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.close_left(time.monotonic(), after)


sessions = Sessions()


def wrong_streamlit() -> str | None:
    """Why the Streamlit that is installed can't serve the app, and the command that mends it; None
    if it can.
    """
    oldest, newest = (tuple(map(int, each.split("."))) for each in re.findall(r"[\d.]+", STREAMLIT))
    try:
        installed = version("streamlit")
    except PackageNotFoundError:
        installed = "none"
    found = tuple(map(int, re.findall(r"\d+", installed)[:2]))
    if oldest <= found < newest:
        return None
    return (
        f"the app needs {STREAMLIT}, and {installed} is installed; run: {sys.executable} -m pip"
        f" install '{STREAMLIT}'"
    )


def address(host: str | None, port: int, base_path: str) -> str:
    """URL of a server that is bound to this host, None: to every address, and answers below
    `base_path`.
    """
    shown = "localhost"
    if host not in (None, "0.0.0.0", "::"):
        shown = host
    url = f"http://{f'[{shown}]' if ':' in str(shown) else shown}:{port}"
    if base_path:
        return f"{url}/{base_path.strip('/')}"
    return url


def options(
    warm_up: Callable[[], None] = lambda: None, ending: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Keyword arguments of `streamlit.App` for the app of this process, which is about to start.

    warm_up : called in a thread once the server answers. ending : called when the process is told
    to end, before the server waits for its last answers.
    """
    import streamlit
    from starlette.middleware import Middleware

    internals.use_own_pages()
    # Those that may be a proxy's, which may ask for another host than the browser does.
    proxies = _setting(HOSTS_VARIABLE, named_host)
    proxies += [
        name for name in streamlit.get_option("server.allowedHosts") if name and "*" not in name
    ]
    address = streamlit.get_option("server.address")
    _take_limits(address)
    static = Path(streamlit.__file__).parent / "static" / "static"
    layers = [
        Middleware(
            HostGuard,
            hosts=[address] if address else [],
            proxies=proxies,
            frames=_setting(FRAMES_VARIABLE, named_origin),
            any_host=limits.public,
        ),
        Middleware(
            UploadGuard,
            uploads=uploads,
            protected=streamlit.get_option("server.enableXsrfProtection"),
        ),
        Middleware(
            StaticFiles, folder=static, base_path=streamlit.get_option("server.baseUrlPath")
        ),
    ]
    return {"middleware": layers, "lifespan": partial(_lifespan, warm_up=warm_up, ending=ending)}


def _setting(variable: str, read: Callable[[str], str]) -> list[str]:
    """The values of an environment variable; a wrong one ends the server that is about to start."""
    try:
        return [read(text) for text in os.environ.get(variable, "").split()]
    except ValueError as error:
        raise SystemExit(f"prviz: error: {variable}: {error}") from error


def _take_limits(address: str | None) -> None:
    """Take the limits at this address; a wrong setting ends the server before it starts."""
    try:
        limits.begin(address)
    except ValueError as error:
        raise SystemExit(f"prviz: error: {TIME_VARIABLE}: {error}") from error
    if limits.public:
        uploads.file_mb = PUBLIC_MB
        if os.environ.get(PICTURES_VARIABLE):
            raise SystemExit(f"prviz: error: {PUBLIC_VARIABLE}: {NO_FOLDER}")


@asynccontextmanager
async def _lifespan(
    _: Any, warm_up: Callable[[], None], ending: Callable[[], None]
) -> AsyncIterator[None]:
    import streamlit

    with suppress(ValueError):  # not in the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            _before(number, ending)
    remove_abandoned()
    send_at_once()
    if not streamlit.get_option("server.headless"):
        names = ("server.address", "server.port", "server.baseUrlPath")
        webbrowser.open(address(*map(streamlit.get_option, names)))
    watching = asyncio.create_task(sessions.watch())
    warming = asyncio.create_task(asyncio.to_thread(_warm, warm_up))
    yield
    warming.cancel()
    watching.cancel()
    sessions.close_all()
    remove_own()


def _warm(warm_up: Callable[[], None]) -> None:
    """Warm up, and leave what is there by then, mostly modules, out of all later collections.

    A full one stops every thread, for a tenth of a second where it has the modules to look at. Not
    where somebody has come meanwhile: his session would stay, once it is closed.
    """
    warm_up()
    gc.collect()
    if not sessions.any_open():
        gc.freeze()


def send_at_once() -> None:
    """Let the server of this process send every part of an answer at once (TCP_NODELAY).

    asyncio asks for that on sockets that name their protocol; the one that Streamlit listens on
    does not, and the body of each answer would wait for the browser to acknowledge its head, 40 ms
    later.
    """
    with suppress(OSError):  # a system without this folder
        for path in Path("/dev/fd").iterdir():
            number = int(path.name)
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    with socket.socket(fileno=os.dup(number)) as each:
                        if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                            # its connections have it too
                            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _before(number: int, ending: Callable[[], None]) -> None:
    """Call `ending` before what the server does at this signal."""
    then = signal.getsignal(number)

    def handle(number: int, frame: Any) -> None:
        ending()
        if callable(then):
            then(number, frame)

    if callable(then):
        signal.signal(number, handle)
