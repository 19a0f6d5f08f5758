"""The app as a server: who may ask it, how much visitors may upload, and when what they leave behind goes.

All of it stands between the network and the pages, however the app was started: `app.py` hands `options` to Streamlit.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import re
import sys
import time
import webbrowser
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prviz._hosts import App, HostGuard, Message, Receive, Send, answer
from prviz._private_folders import remove_abandoned, remove_own
from prviz._terminal import one_line
from prviz.readers.limits import human_size

__all__ = ["Refused", "Uploads", "address", "hosts", "options", "session_id", "sessions", "uploads"]

# Names and addresses by which browsers may reach the app, besides localhost; `prviz app` sets them.
hosts: tuple[str, ...] = ()

# Of one session, in bytes: two sets of samples and a zip of pictures, each of the largest size that a field takes.
SESSION_BYTES = 3 * 512 * 1024**2
# Of all sessions together, as a share of the machine's memory, unless `prviz app --upload-budget` says otherwise.
MEMORY_SHARE = 0.5
# Where the size of the memory is not known, in bytes.
USUAL_MEMORY = 8 * 1024**3

# Seconds between two looks at which sessions are still connected.
LOOK_SECONDS = 10.0

_UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/[^/]+")
_FILE_NAME = re.compile(rb'filename="([^"\r\n]{0,300})"')
# Names that a refusal repeats, at most; and the first bytes of an upload that are searched for its name.
_MOST_NAMES, _HEAD_BYTES = 5, 2000
_LENGTH_REQUIRED, _NO_STORAGE = 411, 507


@dataclass
class Refused:
    """Uploads of one session that did not fit: their sizes in bytes by name, and why the last of them did not."""

    sizes: dict[str, int] = field(default_factory=dict)
    reason: str = ""

    @property
    def names(self) -> str:
        """Some of the names with sizes, and how many others there are."""
        shown = [f"{name} ({human_size(size)})" for name, size in list(self.sizes.items())[:_MOST_NAMES]]
        more = len(self.sizes) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")


def _memory() -> int:
    """Bytes of memory that this process may use, as far as the system says."""
    sizes = []
    with suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ValueError, OSError):  # of a container
        sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(sizes, default=USUAL_MEMORY)


class Uploads:
    """What visitors have uploaded and the server holds in its memory: Streamlit keeps the files of upload fields there.

    most : bytes of all sessions together.
    """

    def __init__(self, most: int | None = None) -> None:
        self.most = int(_memory() * MEMORY_SHARE) if most is None else most
        self._coming: Counter[str] = Counter()  # bytes of uploads that are on their way, by session
        self._refused: dict[str, Refused] = {}

    # ---- for a page, of the session that it is run for ----

    def refused(self) -> Refused | None:
        """What the visitor has tried to upload in vain."""
        return self._refused.get(session_id())

    def arrived(self, name: str) -> None:
        """A file by this name is there, whatever became of it before."""
        refused = self._refused.get(session_id())
        if refused is not None and refused.sizes.pop(name, None) is not None and not refused.sizes:
            self.forget_refused(session_id())

    def release(self, file: str) -> None:
        """Drop a file of an upload field, which the page has put away elsewhere."""
        if _runtime() is not None:
            _runtime().uploaded_file_mgr.remove_file(session_id(), file)

    # ---- for the server ----

    def forget_refused(self, session: str) -> None:
        """The visitor has read what was refused, or is gone."""
        self._refused.pop(session, None)

    def begin(self, session: str, size: int) -> str | None:
        """Make room for an upload, which `end` ends; else why there is none."""
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
        """An upload that was begun has arrived or failed."""
        self._coming -= Counter({session: size})

    def refuse(self, session: str, name: str, size: int, reason: str) -> None:
        """Note an upload that was refused, for the session's page, and draw the page again."""
        refused = self._refused.setdefault(session, Refused())
        refused.sizes[name], refused.reason = size, reason
        _draw_again(session)


uploads = Uploads()


class UploadGuard:
    """ASGI middleware: uploads for which there is no room are refused before any of them is kept."""

    def __init__(self, app: App, uploads: Uploads) -> None:
        self.app, self._uploads = app, uploads

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        upload = _UPLOAD.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "PUT" else None
        if upload is None:
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


async def _drained(receive: Receive) -> str:
    """The name of a file whose upload is read to its end and not kept: a browser hears no answer before that."""
    head, more = b"", True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        head += message.get("body", b"")[: max(_HEAD_BYTES - len(head), 0)]
    found = _FILE_NAME.search(head)
    return one_line(found[1].decode(errors="replace")) if found else "a file"


@dataclass
class _Session:
    """A visitor's session: what Streamlit keeps of it, and when it was first seen without a connection."""

    app: Any
    fragments: Any
    left: float | None = None

    def close(self) -> None:
        """End it, and empty it: Streamlit and other libraries may hold on to it, or to a thread of it, for long."""
        _runtime().close_session(self.app.id)  # which does nothing where Streamlit has forgotten it, unclosed
        self.app.shutdown()
        self.app.session_state.__init__()  # `clear` leaves what the callbacks of its widgets hold
        self.fragments.clear()


class Sessions:
    """The sessions of this process. One whose visitor has left is closed, so that all it held goes."""

    def __init__(self) -> None:
        self._open: dict[str, _Session] = {}

    def opened(self) -> None:
        """A visitor has come, for whom this thread runs a page first."""
        from streamlit.runtime.scriptrunner import get_script_run_ctx

        context = get_script_run_ctx()
        if context is not None and _runtime() is not None:
            app = _runtime().get_app_session(context.session_id)
            if app is not None:
                self._open[app.id] = _Session(app, context.fragment_storage)

    def close_left(self, now: float, after: float) -> None:
        """Close what has had no connection for `after` seconds; on the thread of the server's event loop."""
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
            gc.collect()  # what a session holds is in circles
            if sys.platform == "linux":
                with suppress(AttributeError):  # another C library than glibc, which keeps what its threads have freed
                    ctypes.CDLL(None).malloc_trim(0)

    async def watch(self) -> None:
        """Close sessions that visitors have left, for as long as the server runs.

        Until then a browser whose connection broke finds its session again.
        """
        import streamlit

        after = streamlit.get_option("server.disconnectedSessionTTL")
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.close_left(time.monotonic(), after)


sessions = Sessions()


def session_id() -> str:
    """The session whose page runs in this thread; "" outside a page."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return "" if context is None else context.session_id


def address(host: str | None, port: int) -> str:
    """The URL of a server that is bound to this host; None: to every address."""
    shown = "localhost" if host in (None, "0.0.0.0", "::") else host
    return f"http://{f'[{shown}]' if ':' in str(shown) else shown}:{port}"


def options() -> dict[str, Any]:
    """The keywords of `streamlit.App` for the app of this process, which is about to start."""
    import streamlit
    from starlette.middleware import Middleware
    from streamlit.runtime.pages_manager import PagesManager

    # Until its script has run once, Streamlit takes a folder named `pages` beside it for the pages of its older
    # multi-page apps: a link to a page, as the first request to a fresh server, would reach the wrong router. The
    # attribute that decides it is internal to Streamlit.
    PagesManager.uses_pages_directory = False
    named = [*hosts, streamlit.get_option("server.address"), *streamlit.get_option("server.allowedHosts")]
    exact = [name for name in named if name and "*" not in name]
    guards = [Middleware(HostGuard, hosts=exact), Middleware(UploadGuard, uploads=uploads)]
    return {"middleware": guards, "lifespan": _lifespan}


@asynccontextmanager
async def _lifespan(_: Any) -> AsyncIterator[None]:
    import streamlit

    remove_abandoned()
    if not streamlit.get_option("server.headless"):
        webbrowser.open(address(streamlit.get_option("server.address"), streamlit.get_option("server.port")))
    watching = asyncio.create_task(sessions.watch())
    yield
    watching.cancel()
    remove_own()


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


def _draw_again(session: str) -> None:
    """Run the page of a session once more as it is; its state is internal to Streamlit."""
    from streamlit.proto.ClientState_pb2 import ClientState

    app_session = _runtime().get_app_session(session)
    if app_session is not None:
        again = ClientState()
        again.CopyFrom(app_session._client_state)
        again.fragment_id = ""
        app_session.request_rerun(again)
