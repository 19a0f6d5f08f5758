"""The app as a server: accepted hosts, limits of uploads, and the end of sessions that visitors have left.

These guards stand between network and pages however the app was started: `app.py` passes `options` to Streamlit.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import re
import signal
import socket
import sys
import time
import webbrowser
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from prviz.readers.errors import one_line
from prviz.readers.source import human_size
from prviz.server.hosts import (
    FRAMES_VARIABLE,
    HOSTS_VARIABLE,
    App,
    HostGuard,
    Message,
    Receive,
    Send,
    answer,
    named_host,
    named_origin,
)
from prviz.server.private_folders import remove_abandoned, remove_own
from prviz.server.reruns import guard_reruns
from prviz.server.static_files import StaticFiles

# Bytes of uploads of one session: two sets of samples and a zip of pictures, each of the largest size of a field.
SESSION_BYTES = 3 * 512 * 1024**2
# Uploads of all sessions as a share of the machine's memory; default of `prviz app --upload-budget`.
MEMORY_SHARE = 0.5
# Bytes of memory assumed where its size is unknown.
USUAL_MEMORY = 8 * 1024**3

# Seconds between two checks for sessions without a connection.
LOOK_SECONDS = 10.0

_UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+")
_FILE_NAME = re.compile(rb'filename="([^"\r\n]{0,300})"')
# Most names that a refusal repeats, and first bytes of an upload that are searched for its name.
_MOST_NAMES, _HEAD_BYTES = 5, 2000
_FORBIDDEN, _NOT_FOUND, _LENGTH_REQUIRED, _NO_STORAGE = 403, 404, 411, 507
# Cookie by which Streamlit knows that a request is of a page of its own.
_TOKEN = "_streamlit_xsrf"


@dataclass
class Refused:
    """Refused uploads of one session: sizes in bytes by name, and the reason of the last refusal."""

    sizes: dict[str, int] = field(default_factory=dict)
    reason: str = ""

    @property
    def names(self) -> str:
        """First names with their sizes, and the number of the others."""
        shown = [f"{name} ({human_size(size)})" for name, size in list(self.sizes.items())[:_MOST_NAMES]]
        more = len(self.sizes) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")


class Uploads:
    """Budget of uploads, which Streamlit keeps in the memory of the server."""

    def __init__(self) -> None:
        sizes = []  # bytes of memory that this process may use, by system and container
        with suppress(AttributeError, ValueError, OSError):
            sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        with suppress(ValueError, OSError):  # of a container
            sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
        self.most = int(min(sizes, default=USUAL_MEMORY) * MEMORY_SHARE)  # bytes of all sessions together
        self._coming: Counter[str] = Counter()  # bytes of running uploads, by session
        self._refused: dict[str, Refused] = {}

    # ---- for a page, about its own session ----

    def refused(self) -> Refused | None:
        """Refused uploads of this session."""
        return self._refused.get(session_id())

    def arrived(self, name: str) -> None:
        """Forget an earlier refusal of a file by this name, which has now arrived."""
        refused = self._refused.get(session_id())
        if refused is not None and refused.sizes.pop(name, None) is not None and not refused.sizes:
            self.forget_refused(session_id())

    def release(self, file: str) -> None:
        """Drop a file of an upload field that the page keeps elsewhere."""
        if _runtime() is not None:
            _runtime().uploaded_file_mgr.remove_file(session_id(), file)

    # ---- for the server ----

    def forget_refused(self, session: str) -> None:
        """Forget the refusals of a session, because the visitor has read them or left."""
        self._refused.pop(session, None)

    def begin(self, session: str, size: int) -> str | None:
        """Reserve memory for an upload until `end`; the reason if there is not enough."""
        held = _held() + self._coming
        own, limit = held[session], min(SESSION_BYTES, self.most)
        if own + size > limit:
            return (
                f"The upload fields of this session may hold {human_size(limit)} in memory at a time, and "
                f"{human_size(own)} were in use. Remove files that you do not need, then choose these once more."
            )
        if held.total() + size > self.most:
            return (
                f"The upload fields of all visitors may hold {human_size(self.most)} in memory at a time, and "
                f"{human_size(held.total())} were in use, {human_size(own)} of that by this session. Remove files that "
                "you do not need, or choose these again when others have left; `prviz app --upload-budget` allows more."
            )
        self._coming += Counter({session: size})
        return None

    def end(self, session: str, size: int) -> None:
        """Release the memory of an upload that has arrived or failed."""
        self._coming -= Counter({session: size})

    def refuse(self, session: str, name: str, size: int, reason: str) -> None:
        """Record a refused upload for the session's page, and run the page again."""
        refused = self._refused.setdefault(session, Refused())
        refused.sizes[name], refused.reason = size, reason
        # Run the page of the session once more, unchanged; its state is internal to Streamlit.
        from streamlit.proto.ClientState_pb2 import ClientState

        app_session = _runtime().get_app_session(session)
        if app_session is not None:
            again = ClientState()
            again.CopyFrom(app_session._client_state)
            again.fragment_id = ""
            app_session.request_rerun(again)


uploads = Uploads()


class UploadGuard:
    """ASGI middleware that refuses uploads over the budget before any of their bytes are kept.

    Only the browser of a session may upload to it or remove its files, whoever else knows its id.
    """

    def __init__(self, app: App, uploads: Uploads) -> None:
        self.app, self._uploads = app, uploads

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, or refuse an upload."""
        upload = _UPLOAD.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if upload is None or scope["method"] not in ("PUT", "DELETE"):
            await self.app(scope, receive, send)
            return
        if (status := _foreign(scope, upload[1])) is not None:
            await _drained(receive)
            await answer(send, status, "This is not the address of a file of yours.")
            return
        if scope["method"] == "DELETE":
            await self.app(scope, receive, send)
            return
        lengths = [value for name, value in scope["headers"] if name.lower() == b"content-length"]
        if len(lengths) != 1 or not lengths[0].isdigit():
            await answer(send, _LENGTH_REQUIRED, "An upload has to say its length.")
            return
        session, size = upload[1], int(lengths[0])
        reason = self._uploads.begin(session, size)
        if reason is None:
            try:
                await self.app(scope, receive, send)
            finally:
                self._uploads.end(session, size)
            return
        name = await _drained(receive)
        if _runtime() is not None and _runtime().is_active_session(session):
            self._uploads.refuse(session, name, size, reason)
        await answer(send, _NO_STORAGE, reason)


def _foreign(scope: Message, session: str) -> int | None:
    """The HTTP status that refuses a request for a session's files; None if it is of the session's own browser.

    All tabs of a browser have one token, in a cookie, which also came with the handshake of the session's WebSocket.
    """
    import streamlit
    from starlette.requests import cookie_parser
    from streamlit.web.server.starlette.starlette_app_utils import validate_xsrf_token

    if _runtime() is None or not streamlit.get_option("server.enableXsrfProtection"):
        return None
    client = _runtime().get_client(session)
    if client is None:
        return _NOT_FOUND
    cookies = [value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"cookie"]
    own = cookie_parser("; ".join(cookies)).get(_TOKEN)
    return None if validate_xsrf_token(own, client.client_context.cookies.get(_TOKEN)) else _FORBIDDEN


async def _drained(receive: Receive) -> str:
    """Read an upload to its end without keeping it, as browsers read no answer before; return the file's name."""
    head, more = b"", True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        head += message.get("body", b"")[: max(_HEAD_BYTES - len(head), 0)]
    match = _FILE_NAME.search(head)
    return one_line(match[1].decode(errors="replace")) if match else "a file"


@dataclass
class _Session:
    """A visitor's session: its objects in Streamlit, and when it was first seen without a connection."""

    app: Any
    fragments: Any
    left: float | None = None

    def close(self) -> None:
        """End and empty the session, because libraries may keep references to it, or to its threads, for long."""
        _runtime().close_session(self.app.id)  # does nothing if Streamlit has dropped the session unclosed
        self.app.shutdown()
        self.app.session_state.__init__()  # `clear` keeps what the callbacks of widgets refer to
        self.fragments.clear()


class Sessions:
    """Sessions of this process; a session whose visitor has left is closed, to free its memory."""

    def __init__(self) -> None:
        self._open: dict[str, _Session] = {}

    def opened(self) -> None:
        """Register the session whose first page runs in this thread."""
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        context = get_script_run_ctx()
        if context is not None and _runtime() is not None:
            app = _runtime().get_app_session(context.session_id)
            if app is not None:
                self._open[app.id] = _Session(app, context.fragment_storage)

    def close_left(self, now: float, after: float) -> None:
        """Close sessions without a connection for `after` seconds; called on the thread of the event loop."""
        closed = False
        for name, session in list(self._open.items()):
            if _runtime().is_active_session(name):
                session.left = None
            elif session.left is None:
                session.left = now
            elif now - session.left >= after:
                session.close()
                uploads.forget_refused(name)
                del self._open[name]
                closed = True
        if closed:
            gc.collect()  # sessions contain reference cycles
            if sys.platform == "linux":
                with suppress(AttributeError):  # only glibc has the function; its threads keep freed memory otherwise
                    ctypes.CDLL(None).malloc_trim(0)

    def close_all(self) -> None:
        """Close every session, before the server ends; one that Streamlit has forgotten would fail with the process."""
        for session in self._open.values():
            session.close()
        self._open.clear()

    async def watch(self) -> None:
        """Close abandoned sessions while the server runs; until then a browser can reconnect to its session."""
        import streamlit

        after = streamlit.get_option("server.disconnectedSessionTTL")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.close_left(time.monotonic(), after)


sessions = Sessions()


def session_id() -> str:
    """Id of the session whose page runs in this thread; "" outside a page."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def send_at_once() -> None:
    """Let the server of this process, which is about to start, send every part of an answer at once (TCP_NODELAY).

    asyncio asks for that on sockets that name their protocol; Streamlit's does not, so that the body of each answer
    waited for the browser to acknowledge its head, 40 ms later. The name replaced here is internal to Streamlit.
    """
    from streamlit.web.server.starlette import starlette_server

    bind = starlette_server._bind_socket

    def bound(address: str, port: int, backlog: int) -> socket.socket:
        listening = bind(address, port, backlog)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # its connections have it too
        return listening

    starlette_server._bind_socket = bound


def address(host: str | None, port: int, base_path: str) -> str:
    """URL of a server that is bound to this host, None: to every address, and answers below `base_path`."""
    shown = "localhost" if host in (None, "0.0.0.0", "::") else host
    url = f"http://{f'[{shown}]' if ':' in str(shown) else shown}:{port}"
    return f"{url}/{base_path.strip('/')}" if base_path else url


def options(warm_up: Callable[[], None] = lambda: None, ending: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """Keyword arguments of `streamlit.App` for the app of this process, which is about to start.

    warm_up : called in a thread once the server answers. ending : called when the process is told to end, before the
    server waits for its last answers.
    """
    import streamlit
    from starlette.middleware import Middleware
    from streamlit.runtime.pages_manager import PagesManager

    # Until the script has run once, Streamlit serves a folder named `pages` by the router of older multi-page apps,
    # which would be wrong for a first request to a page. This attribute, internal to Streamlit, prevents that.
    PagesManager.uses_pages_directory = False
    guard_reruns()
    # Those that may be a proxy's, which may ask for another host than the browser does.
    proxies = _setting(HOSTS_VARIABLE, named_host)
    proxies += [name for name in streamlit.get_option("server.allowedHosts") if name and "*" not in name]
    address = streamlit.get_option("server.address")
    static = Path(streamlit.__file__).parent / "static" / "static"
    layers = [
        Middleware(
            HostGuard,
            hosts=[address] if address else [],
            proxies=proxies,
            frames=_setting(FRAMES_VARIABLE, named_origin),
        ),
        Middleware(UploadGuard, uploads=uploads),
        Middleware(StaticFiles, folder=static, base_path=streamlit.get_option("server.baseUrlPath")),
    ]
    return {"middleware": layers, "lifespan": partial(_lifespan, warm_up=warm_up, ending=ending)}


def _setting(variable: str, read: Callable[[str], str]) -> list[str]:
    """The values of an environment variable; a wrong one ends the server that is about to start."""
    try:
        return [read(text) for text in os.environ.get(variable, "").split()]
    except ValueError as error:
        raise SystemExit(f"prviz: error: {variable}: {error}") from error


@asynccontextmanager
async def _lifespan(_: Any, warm_up: Callable[[], None], ending: Callable[[], None]) -> AsyncIterator[None]:
    import streamlit

    with suppress(ValueError):  # not in the main thread
        for number in (signal.SIGINT, signal.SIGTERM):
            _before(number, ending)
    remove_abandoned()
    if not streamlit.get_option("server.headless"):
        names = ("server.address", "server.port", "server.baseUrlPath")
        webbrowser.open(address(*map(streamlit.get_option, names)))
    watching, warming = asyncio.create_task(sessions.watch()), asyncio.create_task(asyncio.to_thread(warm_up))
    yield
    warming.cancel()
    watching.cancel()
    sessions.close_all()
    remove_own()


def _before(number: int, ending: Callable[[], None]) -> None:
    """Call `ending` before what the server does at this signal."""
    then = signal.getsignal(number)

    def handle(number: int, frame: Any) -> None:
        ending()
        if callable(then):
            then(number, frame)

    if callable(then):
        signal.signal(number, handle)


def _runtime() -> Any:
    """Streamlit's runtime; None in a process without a server."""
    from streamlit import runtime

    return runtime.get_instance() if runtime.exists() else None


def _held() -> Counter[str]:
    """Bytes of uploaded files in memory, by session; the attribute is internal to Streamlit."""
    if _runtime() is None:
        return Counter()
    files = _runtime().uploaded_file_mgr.file_storage
    return Counter({session: sum(len(each.data) for each in list(of.values())) for session, of in list(files.items())})
