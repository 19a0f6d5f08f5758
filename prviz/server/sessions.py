"""The app as a server: its middleware, and how sessions end whose visitors have left.

Both are active however the app is started, because `app.py` passes `options` to Streamlit.
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

# The versions of Streamlit that the app supports; `.ci/run` opens the pages with the oldest and the
# newest.
STREAMLIT = "streamlit>=1.61,<2"
# Seconds between two checks for sessions without a connection.
LOOK_SECONDS = 10.0


@dataclass
class _Session:
    """A visitor's session. clear : function that empties the session's stores. left : time at which
    its connection ended; None while it is connected.
    """

    clear: Callable[[], None]
    left: float | None = None


class Sessions:
    """The sessions of this process. A session whose visitor has left is emptied and ended, to free
    memory.

    A lost connection may come back, so a session is kept for a while after its connection is lost.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Session] = {}

    def opened(self, name: str, token: str | None, clear: Callable[[], None]) -> None:
        """Note that a session has a connection. token : the cookie of its browser. clear : function
        that empties the session's stores.
        """
        self._open[name], uploads.owners[name] = _Session(clear), token

    def any_open(self) -> bool:
        """True if there are sessions that are not ended."""
        return bool(self._open)

    def left(self, name: str) -> None:
        """Note that the connection of a session has ended."""
        if name in self._open:
            self._open[name].left = time.monotonic()

    def close_left(self, now: float, after: float) -> None:
        """End the sessions that have had no connection for `after` seconds; call it in the event
        loop's thread.
        """
        gone = []
        for name, each in list(self._open.items()):
            # The browser has connected again, but the page has not run yet.
            if each.left is not None and internals.is_connected(name):
                each.left = now
            elif each.left is not None and now - each.left >= after:
                gone.append(name)
        for name in gone:
            self._close(name)
        if gone:
            gc.collect()  # Sessions contain reference cycles.
            if sys.platform == "linux":
                # Return freed memory to the system; only glibc has this function.
                with suppress(AttributeError):
                    ctypes.CDLL(None).malloc_trim(0)

    def close_all(self) -> None:
        """End every session before the server ends, because sessions that Streamlit has dropped by
        then would fail at exit.
        """
        for name in list(self._open):
            self._close(name)
        gc.collect()

    def _close(self, name: str) -> None:
        internals.end_session(name)
        self._open.pop(name).clear()
        uploads.forget(name)

    async def watch(self) -> None:
        """End sessions whose visitors have left, as long as the server runs."""
        import streamlit

        after = streamlit.get_option("server.disconnectedSessionTTL")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.close_left(time.monotonic(), after)


sessions = Sessions()


def wrong_streamlit() -> str | None:
    """Text that says why the installed Streamlit can't serve the app, with the command that
    installs another version; None if it can serve it.
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
    """URL of a server that is bound to this host (None: to every address) and has the app at
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
    """Keyword arguments of `streamlit.App` for the app that this process is about to start.

    warm_up : called in a thread once the server answers. ending : called when the process receives
    a signal to end, before the server waits for open answers.
    """
    import streamlit
    from starlette.middleware import Middleware

    internals.use_own_pages()
    # Each of these names may be that of a proxy, whose requests may have another host than the
    # browser's.
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
    """The values of an environment variable, each converted by `read`; a wrong value ends the
    process with a message.
    """
    try:
        return [read(text) for text in os.environ.get(variable, "").split()]
    except ValueError as error:
        raise SystemExit(f"prviz: error: {variable}: {error}") from error


def _take_limits(address: str | None) -> None:
    """Set the limits of a server at this address; a wrong setting ends the process."""
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

    with suppress(ValueError):  # Only the main thread can handle signals.
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
    """Call `warm_up`; then exempt all objects that exist, mostly modules, from garbage collection.

    A full collection stops every thread, for a tenth of a second if it has to visit the modules.
    But objects of a visitor's session must stay collectable, so nothing is exempted if a session is
    open.
    """
    warm_up()
    gc.collect()
    if not sessions.any_open():
        gc.freeze()


def send_at_once() -> None:
    """Make the server of this process send each part of an answer at once (TCP_NODELAY).

    asyncio sets this option for sockets that name their protocol, and Streamlit's listening socket
    does not. Without it the body of each answer waits until the browser has acknowledged its head,
    for 40 ms.
    """
    with suppress(OSError):  # Some systems lack the folder /dev/fd.
        for path in Path("/dev/fd").iterdir():
            number = int(path.name)
            with suppress(OSError):
                if stat.S_ISSOCK(os.fstat(number).st_mode):
                    with socket.socket(fileno=os.dup(number)) as each:
                        if each.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                            # Connections inherit the option from the listening socket.
                            each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _before(number: int, ending: Callable[[], None]) -> None:
    """Install a handler that, when this signal arrives, calls `ending` and then the handler that
    the signal has had so far.
    """
    then = signal.getsignal(number)

    def handle(number: int, frame: Any) -> None:
        ending()
        if callable(then):
            then(number, frame)

    if callable(then):
        signal.signal(number, handle)
