"""Serve scripts and styles, compressed: plotly.js, Streamlit's own scripts and those of the pages.
Put the style sheet into each page.

If the style sheet came only with the first run of a page, it would move elements that the browser
has drawn already.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from prviz.server.hosts import App, Message, Receive, Send

# The build of plotly.js with all trace types that the live figures use
# (plotly.js-cartesian-dist-min of npm). pages/_live/pane.js loads it by this name, which contains
# its version.
PLOTLY = Path(__file__).parent / "plotly_js" / "plotly-cartesian-4.1.1.min.js"
# Header that lets browsers keep a file for ever: the names of these files contain a digest or a
# version.
_CACHE = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
_TYPES = {"js": "text/javascript", "css": "text/css"}
# Streamlit's fonts and icon are served here, because some versions of Streamlit fail to send them
# with newer versions of Starlette.
_PLAIN_TYPES = {
    "woff2": "font/woff2",
    "woff": "font/woff",
    "ttf": "font/ttf",
    "png": "image/png",
}
_ICON = "favicon.png"
# Headers that are removed. _VALIDATORS: from pages, as they are wrong once a style is added.
# _CONDITIONS: from requests, where they ask whether a page has changed, for a part of it, or for a
# compressed page, to which no style could be added.
_VALIDATORS = {b"etag", b"last-modified", b"content-length", b"accept-ranges"}
_CONDITIONS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
# Scripts that all our pages need, but that Streamlit loads only with the first elements of a page.
_LATE = (
    "BidiComponent",
    "Html",
    "PageLink",
    "_arrayReduce",
    "purify.es",
    "recordbatch",
    "serialization",
)
# Scripts of Streamlit's widgets, with the scripts that these load; needed by pages without a script
# of their own.
_WIDGETS = (
    "Button",
    "ButtonGroup",
    "WidgetLabel",
    "WidgetLabelHelpIconInline",
    "styled-components",
    "useBasicWidgetState",
)
_PAGE = re.compile(r"\W", re.ASCII)  # Characters that the address of a page never contains.
_published: dict[str, bytes] = {}
_styles: list[str] = []


def publish(script: str, *, announced: bool | str = True) -> str:
    """Serve a script next to Streamlit's own scripts, and return the file name under which it is
    found there.

    announced : True if every page announces the script, so that browsers fetch it before a figure
    needs it. Or the address of the only page that announces it; this page then announces neither
    the general scripts nor plotly.js.
    """
    content = script.encode()
    prefix = announced
    if not isinstance(prefix, str):
        prefix = "prviz" if announced else "part"
    name = f"{prefix}-{hashlib.sha256(content).hexdigest()[:12]}.js"
    _published[f"js/{name}"] = content
    return name


def publish_style(style: str) -> None:
    """Have a style sheet put into every page, before the page's content."""
    if style not in _styles:
        _styles.append(style)


class StaticFiles:
    """ASGI middleware that answers requests for scripts and styles; each is compressed once and
    kept in memory.

    It puts the style sheet into pages, and a class into their html element ("page-learn" for the
    address learn). It also adds headers that announce the app's scripts, so that browsers fetch
    them while Streamlit starts, not only with the first figure. folder : Streamlit's own files.
    base_path : path at which the app is served.
    """

    def __init__(self, app: App, folder: Path, base_path: str = "") -> None:
        self.app, self._base = app, base_path.strip("/")
        own = [path for kind in _TYPES for path in folder.glob(f"{kind}/*.{kind}")]
        self._files = {f"{path.suffix[1:]}/{path.name}": path for path in (*own, PLOTLY)}
        media = [path for kind in _PLAIN_TYPES for path in folder.glob(f"media/*.{kind}")]
        self._files |= {f"media/{path.name}": path for path in media} | {
            _ICON: folder.with_name(_ICON)
        }
        self._late = _named(folder, _LATE)
        self._widgets = _named(folder, _WIDGETS)
        self._bodies: dict[tuple[str, bool], bytes] = {}  # By file name, and True if compressed.

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request for a script or a style, or pass it on."""
        from starlette.datastructures import Headers
        from starlette.responses import Response

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = scope["path"].rpartition("/static/")[2]  # The app may be served below any path.
        if name.rpartition("/")[2] == _ICON:
            name = _ICON
        content = _published.get(name) or self._files.get(name)
        if content is None or scope["method"] not in ("GET", "HEAD"):
            # A page must not be answered by "not modified": the browser's copy might have an
            # earlier style.
            if "." not in scope["path"].rpartition("/")[2]:
                scope["headers"] = [
                    each for each in scope["headers"] if each[0].lower() not in _CONDITIONS
                ]
            page = _PAGE.sub("", scope["path"].rpartition("/")[2])
            links = _links(page, self._late, self._widgets)
            await self.app(
                scope, receive, _with_style(send, scope["path"], page, links, self._base)
            )
            return
        accepted = Headers(scope=scope).getlist("accept-encoding")
        kind = name.rpartition(".")[2]
        packed = kind in _TYPES and "gzip" in ",".join(accepted)
        body = self._bodies.get((name, packed))
        if body is None:
            body = self._bodies[name, packed] = await asyncio.to_thread(
                _packed if packed else _plain, content
            )
        headers = {**_CACHE, "content-encoding": "gzip"} if packed else _CACHE
        kinds = {**_TYPES, **_PLAIN_TYPES}
        await Response(body, headers=headers, media_type=kinds[kind])(scope, receive, send)


def _named(folder: Path, names: Sequence[str]) -> list[str]:
    """The files of the scripts with these names; Streamlit adds a digest to each file name."""
    return [f"js/{path.name}" for name in names for path in folder.glob(f"js/{name}.*.js")]


def _plain(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    return content.read_bytes()


def _packed(content: Path | bytes) -> bytes:
    return gzip.compress(_plain(content))


def _address(path: str, base: str) -> bytes:
    """An HTML script that gives Streamlit the address of the app; without it Streamlit would first
    look below the page's own address.
    """
    page = path.strip("/").removeprefix(base).strip("/")
    if "/" in page:
        return b""
    below = b""
    if page:
        below = rb".replace(/\/[^\/]*$/, '')"
    place = rb"location.origin + location.pathname.replace(/\/+$/, '')" + below
    return b"<script>window.__streamlit = {BACKEND_BASE_URL: %b + '/'}</script>" % place


def _links(page: str, late: Sequence[str], widgets: Sequence[str]) -> str:
    """The value of the header (Link) that announces a page's scripts. Addresses are relative, as in
    Streamlit's own page.
    """
    own = [name for name in _published if page and name.startswith(f"js/{page}-")]
    links = []
    if not own:
        links = [f"<./static/js/{PLOTLY.name}>; rel=preload; as=script"]
        own = [*widgets, *(name for name in _published if name.startswith("js/prviz-"))]
    links += [f"<./static/{name}>; rel=modulepreload" for name in (*late, *own)]
    return ", ".join(links)


def _with_style(send: Send, path: str, page: str, links: str, base: str) -> Send:
    """Wrap `send` so that pages get the style sheet, and the header Link with these links."""
    held: list[Message] = []  # Start message of a page, kept until the whole body has come.
    body = bytearray()

    async def send_styled(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if any(
                name.lower() == b"content-type" and value.startswith(b"text/html")
                for name, value in headers
            ):
                kept = [each for each in headers if each[0].lower() not in _VALIDATORS]
                held.append({**message, "headers": [*kept, (b"link", links.encode())]})
                return
        if held and message["type"] == "http.response.body":
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            # The style goes into the body, because the later of two equally specific rules wins,
            # and Streamlit's script adds its rules to the head.
            content = bytes(body).replace(b"<html", b'<html class="page-%b"' % page.encode(), 1)
            style = b"<style>%b</style>" % "\n".join(_styles).encode()
            content = content.replace(b"<body>", b"<body>" + _address(path, base) + style, 1)
            start = held.pop()
            if content:  # Empty in the answer to a HEAD request.
                start["headers"].append((b"content-length", str(len(content)).encode()))
            await send(start)
            message = {**message, "body": content}
        await send(message)

    return send_styled
