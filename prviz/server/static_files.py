"""Serve scripts and styles: plotly.js, Streamlit's own scripts and those of the pages, compressed;
and put the style sheet into each page.

A style sheet that only came with the first run of a page would move what the browser has drawn
already.
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
# Browsers may keep these files for ever: their names contain a digest or a version.
_CACHE = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
_TYPES = {"js": "text/javascript", "css": "text/css"}
# Streamlit's fonts and icon. With newer versions of Starlette, some versions of Streamlit fail to
# send them, so they are sent here.
_PLAIN_TYPES = {
    "woff2": "font/woff2",
    "woff": "font/woff",
    "ttf": "font/ttf",
    "png": "image/png",
}
_ICON = "favicon.png"
# Headers that are dropped from Streamlit's pages, as they don't hold once a style is added. From
# requests those are dropped that ask whether a page has changed, for a part of it, or for a
# compressed page, which could not be changed.
_VALIDATORS = {b"etag", b"last-modified", b"content-length", b"accept-ranges"}
_CONDITIONS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
# Names of the scripts that Streamlit loads only with the first elements of a page, and that all our
# pages need.
_LATE = (
    "BidiComponent",
    "Html",
    "PageLink",
    "_arrayReduce",
    "purify.es",
    "recordbatch",
    "serialization",
)
# Names of scripts of Streamlit's widgets, with those that they load in turn; needed by pages
# without a script of their own.
_WIDGETS = (
    "Button",
    "ButtonGroup",
    "WidgetLabel",
    "WidgetLabelHelpIconInline",
    "styled-components",
    "useBasicWidgetState",
)
_PAGE = re.compile(r"\W", re.ASCII)  # matches characters that no page has in its address
_published: dict[str, bytes] = {}
_styles: list[str] = []


def publish(script: str, *, announced: bool | str = True) -> str:
    """Serve a script, and return the name by which it is found beside Streamlit's own scripts.

    announced : True if browsers should fetch it with every page, before a figure needs it; or the
    address of the only page that should announce it, in place of the general scripts and plotly.js.
    """
    content = script.encode()
    prefix = announced
    if not isinstance(prefix, str):
        prefix = "prviz" if announced else "part"
    name = f"{prefix}-{hashlib.sha256(content).hexdigest()[:12]}.js"
    _published[f"js/{name}"] = content
    return name


def publish_style(style: str) -> None:
    """Put a style sheet into every page, before any of its content."""
    if style not in _styles:
        _styles.append(style)


class StaticFiles:
    """ASGI middleware that answers requests for scripts and styles; each is compressed once and
    kept in memory.

    Into pages it puts the style sheet, and a class into the html element ("page-learn" for the
    address learn). It also adds headers that announce the app's scripts: browsers then fetch them
    while Streamlit starts, not only with the first figure. folder : Streamlit's own files.
    base_path : path below which the app is served.
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
        self._bodies: dict[tuple[str, bool], bytes] = {}  # by name, and whether it is compressed

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request for a script or a style, or pass it on."""
        from starlette.datastructures import Headers
        from starlette.responses import Response

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = scope["path"].rpartition("/static/")[2]  # the app may be served below any path
        if name.rpartition("/")[2] == _ICON:
            name = _ICON
        content = _published.get(name) or self._files.get(name)
        if content is None or scope["method"] not in ("GET", "HEAD"):
            # A page is never answered by "not modified": it might have an earlier style.
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
    """The files of Streamlit's scripts with these names; each file name also contains a digest."""
    return [f"js/{path.name}" for name in names for path in folder.glob(f"js/{name}.*.js")]


def _plain(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    return content.read_bytes()


def _packed(content: Path | bytes) -> bytes:
    return gzip.compress(_plain(content))


def _address(path: str, base: str) -> bytes:
    """A script that tells Streamlit the address of the app; else it would look below the page's own
    address first.
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
    """The value of the header that announces a page's scripts. Addresses are relative, as in
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
    """Put the style sheet into pages, and add the header with these links."""
    held: list[Message] = []  # the start message of a page, until its whole body has come
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
            # The style goes into the body. Of equally specific rules the later one wins, and
            # Streamlit's script adds its rules to the head.
            content = bytes(body).replace(b"<html", b'<html class="page-%b"' % page.encode(), 1)
            style = b"<style>%b</style>" % "\n".join(_styles).encode()
            content = content.replace(b"<body>", b"<body>" + _address(path, base) + style, 1)
            start = held.pop()
            if content:  # empty in the answer to a HEAD request
                start["headers"].append((b"content-length", str(len(content)).encode()))
            await send(start)
            message = {**message, "body": content}
        await send(message)

    return send_styled
