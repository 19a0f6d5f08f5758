"""Limits of uploads: how much memory they may take, and who may upload."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from prviz.quoting import first_names
from prviz.readers.errors import one_line
from prviz.readers.source import human_size
from prviz.server import internals
from prviz.server.hosts import App, Message, Receive, Send

# Most megabytes (1024² bytes) of one uploaded file. PUBLIC_MB: if the app is for everybody.
# LARGEST_MB: otherwise.
LARGEST_MB = 500
PUBLIC_MB = 20
# Most bytes of one session's uploads: room for two sets of samples and a zip of pictures, each of
# the largest size that an upload field accepts.
SESSION_BYTES = 3 * 512 * 1024**2
# Largest share of the machine's memory for the uploads of all sessions together; `prviz app
# --upload-budget` changes it.
MEMORY_SHARE = 0.5
# Bytes of memory that are assumed if the system does not say how much it has.
USUAL_MEMORY = 8 * 1024**3

_UPLOAD = re.compile(r".*/_stcore/upload_file/([^/]+)/([^/]+)")
_FILE_NAME = re.compile(rb'filename="([^"\r\n]{0,300})"')
# _MOST_NAMES: most file names that a refusal lists. _HEAD_BYTES: first bytes of an upload, in which
# its file name is searched.
_MOST_NAMES = 5
_HEAD_BYTES = 2000
# Most bytes that an upload may have besides its file.
_HEADERS_BYTES = 1_000_000
_FORBIDDEN = 403
_NOT_FOUND = 404
_LENGTH_REQUIRED = 411
_NO_STORAGE = 507
# Cookie by which Streamlit recognises requests of its own pages.
TOKEN = "_streamlit_xsrf"


@dataclass
class Refused:
    """The refused uploads of one session: by file name their size in bytes, and the reason of the
    last refusal.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    reason: str = ""

    @property
    def names(self) -> str:
        """Text with the first file names and their sizes, and the number of further files."""
        shown = [
            f"{name} ({human_size(size)})" for name, size in list(self.sizes.items())[:_MOST_NAMES]
        ]
        return first_names(shown, _MOST_NAMES, len(self.sizes))


class Uploads:
    """The memory budget for uploads, which Streamlit keeps in the server's memory.

    file_mb : most megabytes of one file. owners : by session, the cookie of its browser; only this
    browser may change the session's uploads.
    """

    def __init__(self) -> None:
        # Bytes of memory that this process may use, as the system and its container say.
        sizes = []
        with suppress(AttributeError, ValueError, OSError):
            sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        with suppress(ValueError, OSError):  # A limit of the container, if there is one.
            sizes.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
        self.file_mb = LARGEST_MB
        # Most bytes for the uploads of all sessions together.
        self.most = int(min(sizes, default=USUAL_MEMORY) * MEMORY_SHARE)
        self.owners: dict[str, str | None] = {}
        # Bytes by session and file, uploads in progress included.
        self._held: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._refused: dict[str, Refused] = {}

    # ---- called by a page, for its own session ----

    def refused(self) -> Refused | None:
        """The refused uploads of this session; None without any."""
        return self._refused.get(internals.session_id())

    def arrived(self, name: str) -> None:
        """Called when a file with this name has arrived: an earlier refusal of it is forgotten."""
        refused = self.refused()
        if refused is not None and refused.sizes.pop(name, None) is not None and not refused.sizes:
            self.forget_refused()

    def release(self, file: str) -> None:
        """Remove a file from an upload field and free its memory, after the page has stored it
        elsewhere.
        """
        session = internals.session_id()
        internals.drop_upload(session, file)
        self.end(session, file)

    def forget_refused(self) -> None:
        """Forget the refused uploads of this session: the visitor has read about them."""
        self._refused.pop(internals.session_id(), None)

    # ---- called by the server ----

    def forget(self, session: str) -> None:
        """Forget a session that has ended, with its uploads."""
        for held in (self.owners, self._held, self._refused):
            held.pop(session, None)

    def begin(self, session: str, file: str, size: int) -> str | None:
        """Reserve memory for an upload, until `end` is called for it. Returns the reason for a
        refusal if there is too little memory, otherwise None.
        """
        held = {name: sum(files.values()) for name, files in list(self._held.items())}
        own = held.get(session, 0)
        total = sum(held.values())
        largest = self.file_mb * 1024**2
        if size > largest + _HEADERS_BYTES:
            return (
                f"A file may have {self.file_mb} MB here; prviz on your own machine takes larger"
                " ones."
            )
        limit = min(SESSION_BYTES, self.most, 3 * (largest + _HEADERS_BYTES))
        if own + size > limit:
            return (
                f"The upload fields of this session may hold {human_size(limit)} in memory at a"
                f" time, and {human_size(own)} were in use. Remove files that you do not need, then"
                " choose these once more."
            )
        if total + size > self.most:
            return (
                f"The upload fields of all visitors may hold {human_size(self.most)} in memory at a"
                f" time, and {human_size(total)} were in use, {human_size(own)} of that by this"
                " session. Remove files that you do not need, or choose these again when others"
                " have left; `prviz app --upload-budget` allows more."
            )
        self._held[session][file] = size
        return None

    def end(self, session: str, file: str) -> None:
        """Release the memory of a file that was removed or that did not arrive."""
        if session in self._held:
            self._held[session].pop(file, None)

    def refuse(self, session: str, name: str, size: int, reason: str) -> None:
        """Record a refused upload of the session, and run its page again so that it shows the
        refusal.
        """
        refused = self._refused.setdefault(session, Refused())
        refused.sizes[name], refused.reason = size, reason
        internals.run_again(session)


uploads = Uploads()


class UploadGuard:
    """ASGI middleware that refuses uploads over the budget before any byte of them is stored.

    Only the browser to which a session belongs may upload files to the session or remove them, even
    if other people know the session's id.
    """

    def __init__(self, app: App, uploads: Uploads, protected: bool = True) -> None:
        self.app = app
        self._uploads = uploads
        self._protected = protected

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on to the app, or refuse an upload."""
        from starlette.requests import Request
        from starlette.responses import PlainTextResponse

        upload = None
        if scope["type"] == "http":
            upload = _UPLOAD.fullmatch(scope["path"])
        if upload is None or scope["method"] not in ("PUT", "DELETE"):
            await self.app(scope, receive, send)
            return
        session, file = upload.groups()

        async def refuse(status: int, text: str) -> None:
            await PlainTextResponse(f"{text}\n", status)(scope, receive, send)

        request = Request(scope)
        if (status := self._foreign(request.cookies.get(TOKEN), session)) is not None:
            await _drained(receive)
            await refuse(status, "This is not the address of a file of yours.")
            return
        if scope["method"] == "DELETE":
            await self.app(scope, receive, send)
            self._uploads.end(session, file)
            return
        lengths = request.headers.getlist("content-length")
        if len(lengths) != 1 or not lengths[0].isdigit():
            await refuse(_LENGTH_REQUIRED, "An upload has to say its length.")
            return
        size = int(lengths[0])
        reason = self._uploads.begin(session, file, size)
        if reason is None:
            await self._pass_on(scope, receive, send, session, file)
            return
        name = await _drained(receive)
        if session in self._uploads.owners:
            self._uploads.refuse(session, name, size, reason)
        await refuse(_NO_STORAGE, reason)

    async def _pass_on(
        self, scope: Message, receive: Receive, send: Send, session: str, file: str
    ) -> None:
        arrived = False

        async def send_noted(message: Message) -> None:
            nonlocal arrived
            arrived = arrived or 200 <= message.get("status", 0) < 300
            await send(message)

        try:
            await self.app(scope, receive, send_noted)
        finally:
            if not arrived:
                self._uploads.end(session, file)

    def _foreign(self, own: str | None, session: str) -> int | None:
        """The HTTP status with which a request for a session's files is refused; None if it comes
        from the session's browser.

        All tabs of a browser share one token, in a cookie, which the browser also sent when it
        opened the session's WebSocket.
        """
        if not self._protected:
            return None
        if session not in self._uploads.owners:
            return _NOT_FOUND
        owner = self._uploads.owners[session]
        if own and owner and _token(own) == _token(owner):
            return None
        return _FORBIDDEN


def _token(cookie: str) -> bytes:
    """The token in a cookie, which Streamlit masks differently in every answer."""
    parts = cookie.strip("\"'").split("|")
    try:
        mask = bytes.fromhex(parts[1])
        masked = bytes.fromhex(parts[2])
        return bytes(each ^ mask[place % len(mask)] for place, each in enumerate(masked))
    except (IndexError, ValueError, ZeroDivisionError):
        return cookie.encode()


async def _drained(receive: Receive) -> str:
    """Read an upload to its end without storing it, because browsers read no answer before that;
    return the file's name.
    """
    head = b""
    more = True
    while more:
        message = await receive()
        more = message.get("more_body", False)
        head += message.get("body", b"")[: max(_HEAD_BYTES - len(head), 0)]
    match = _FILE_NAME.search(head)
    if match:
        return one_line(match[1].decode(errors="replace"))
    return "a file"
