"""Scripts and styles, compressed: plotly.js, the pages' own, and Streamlit's, which it would send as they are."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from functools import lru_cache
from pathlib import Path

from prviz.server.hosts import App, Message, Receive, Send

# The part of plotly.js that has all kinds of traces of the live figures: plotly.js-cartesian-dist-min of npm. The
# version is in the name, by which pages/_live/pane.js asks for it.
PLOTLY = Path(__file__).parent / "plotly_js" / "plotly-cartesian-4.1.1.min.js"
# A name stands for the same content for ever: Streamlit's names have a digest in them, too.
_CACHE = (b"cache-control", b"public, max-age=31536000, immutable")
_TYPES = {"js": b"text/javascript; charset=utf-8", "css": b"text/css; charset=utf-8"}
_published: dict[str, bytes] = {}


def publish(script: str) -> str:
    """Serve a script of the pages, and return its name: it is beside Streamlit's own scripts, as plotly.js is."""
    content = script.encode()
    name = f"prviz-{hashlib.sha256(content).hexdigest()[:12]}.js"
    _published[f"js/{name}"] = content
    return name


class StaticFiles:
    """ASGI middleware that answers requests for scripts and styles, each compressed once and then kept in memory.

    folder : of Streamlit's own files. Headers of pages announce the app's scripts, so that browsers fetch them while
    Streamlit starts; it would ask for them with the first figure.
    """

    def __init__(self, app: App, folder: Path) -> None:
        self.app = app
        own = [path for kind in _TYPES for path in folder.glob(f"{kind}/*.{kind}")]
        self._files = {f"{path.suffix[1:]}/{path.name}": path for path in (*own, PLOTLY)}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request for a script or a style, or pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = scope["path"].rpartition("/static/")[2]  # whatever path the app is served below
        content = _published.get(name) or self._files.get(name)
        if content is None or scope["method"] not in ("GET", "HEAD"):
            await self.app(scope, receive, _announcing(send))
            return
        accepted = b",".join(value for key, value in scope["headers"] if key.lower() == b"accept-encoding")
        packed = b"gzip" in accepted
        body = await asyncio.to_thread(_packed if packed else _plain, content)
        headers = [(b"content-type", _TYPES[name[: name.index("/")]]), (b"content-length", str(len(body)).encode())]
        headers += [_CACHE, (b"vary", b"accept-encoding"), *([(b"content-encoding", b"gzip")] if packed else [])]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


def _plain(content: Path | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.read_bytes()


@lru_cache(None)
def _packed(content: Path | bytes) -> bytes:
    return gzip.compress(_plain(content))


def _announcing(send: Send) -> Send:
    """Add the header to pages; its addresses are relative, as those of Streamlit's scripts in a page are."""
    links = [f"<./static/js/{PLOTLY.name}>; rel=preload; as=script"]
    links += [f"<./static/{name}>; rel=modulepreload" for name in _published]

    async def send_with_links(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers):
                message = {**message, "headers": [*headers, (b"link", ", ".join(links).encode())]}
        await send(message)

    return send_with_links
