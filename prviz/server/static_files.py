"""Scripts and styles of every page, compressed: Streamlit's own, which it sends as they are, and plotly.js."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from prviz.server.hosts import App, Message, Receive, Send

# The part of plotly.js with the live figures' kinds of traces, as npm's plotly.js-cartesian-dist-min has it. The version
# is in the name, which pages/_live/pane.js asks for beside Streamlit's own scripts, whatever path the app is served below.
PLOTLY = Path(__file__).parent / "plotly_js" / "plotly-cartesian-4.1.1.min.js"
# Folder of the address, and type, by the end of a file's name.
_KINDS = {".js": ("/static/js/", b"text/javascript; charset=utf-8"), ".css": ("/static/css/", b"text/css; charset=utf-8")}
# A name stands for one content for ever: Streamlit's have a digest in them.
_CACHE = (b"cache-control", b"public, max-age=31536000, immutable")


class StaticFiles:
    """ASGI middleware that answers requests for scripts and styles, each compressed once and then kept in memory.

    folders : the folders of Streamlit's own. Pages announce plotly.js in their header, so that browsers fetch it while
    Streamlit starts; it would otherwise be asked for by the first figure.
    """

    def __init__(self, app: App, folders: Iterable[Path]) -> None:
        self.app = app
        own = [path for folder in folders for path in folder.glob("*.*") if path.suffix in _KINDS]
        self._files = {path.name: path for path in (*own, PLOTLY)}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request for a script or a style, or pass it on."""
        folder, slash, name = scope["path"].rpartition("/") if scope["type"] == "http" else ("", "", "")
        file = self._files.get(name)
        if file is None or scope["method"] not in ("GET", "HEAD") or not (folder + slash).endswith(_KINDS[file.suffix][0]):
            await self.app(scope, receive, _announcing(send) if scope["type"] == "http" else send)
            return
        accepted = b",".join(value for key, value in scope["headers"] if key.lower() == b"accept-encoding")
        packed = b"gzip" in accepted.lower()
        body = await asyncio.to_thread(_packed if packed else Path.read_bytes, file)
        headers = [(b"content-type", _KINDS[file.suffix][1]), (b"content-length", str(len(body)).encode()), _CACHE]
        headers += [(b"vary", b"accept-encoding"), *([(b"content-encoding", b"gzip")] if packed else [])]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


@lru_cache(None)
def _packed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)


def _announcing(send: Send) -> Send:
    """The address is relative, as those of Streamlit's scripts in its page are."""
    link = (b"link", f"<./static/js/{PLOTLY.name}>; rel=preload; as=script".encode())

    async def send_with_link(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers):
                message = {**message, "headers": [*headers, link]}
        await send(message)

    return send_with_link
