"""Scripts and styles: plotly.js, Streamlit's and the pages' own scripts, compressed; the style, in
the page itself.

A style that came with a page's first run would move what the browser has drawn by then.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from prviz.server.hosts import App, Message, Receive, Send

# The part of plotly.js that has all kinds of traces of the live figures:
# plotly.js-cartesian-dist-min of npm. The version is in the name, by which pages/_live/pane.js asks
# for it.
PLOTLY = Path(__file__).parent / "plotly_js" / "plotly-cartesian-4.1.1.min.js"
# A name stands for the same content for ever: Streamlit's names have a digest in them, too.
_CACHE = {"cache-control": "public, max-age=31536000, immutable", "vary": "accept-encoding"}
_TYPES = {"js": "text/javascript", "css": "text/css"}
# Streamlit's fonts and icon: with newer versions of Starlette some of its own versions fail to send
# them.
_PLAIN_TYPES = {
    "woff2": "font/woff2",
    "woff": "font/woff",
    "ttf": "font/ttf",
    "png": "image/png",
}
_ICON = "favicon.png"
# Headers of Streamlit's page that do not hold for ours, and of requests: whether that one has
# changed, a part of it, or it compressed, into which no style can be put.
_VALIDATORS = {b"etag", b"last-modified", b"content-length", b"accept-ranges"}
_CONDITIONS = {b"if-none-match", b"if-modified-since", b"range", b"accept-encoding"}
# Names of Streamlit's scripts that it asks for when a page's first elements have come, which all
# our pages have.
_LATE = (
    "BidiComponent",
    "Html",
    "PageLink",
    "_arrayReduce",
    "purify.es",
    "recordbatch",
    "serialization",
)
# Those of its widgets, and of the scripts that these ask for in turn: of pages without a script of
# their own.
_WIDGETS = (
    "Button",
    "ButtonGroup",
    "WidgetLabel",
    "WidgetLabelHelpIconInline",
    "styled-components",
    "useBasicWidgetState",
)
_PAGE = re.compile(r"\W", re.ASCII)  # what no page has in its address
_published: dict[str, bytes] = {}
_styles: list[str] = []


def publish(script: str, *, announced: bool | str = True) -> str:
    """Serve a script of the pages, and return its name: it is beside Streamlit's own scripts, as
    plotly.js is.

    announced : True if browsers fetch it with any page, before a figure asks for it; the address of
    a page, if with
        that one alone, which then has no other script and no plotly.js to wait for.
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
    """ASGI middleware that answers requests for scripts and styles, each compressed once and then
    kept in memory.

    folder : of Streamlit's own files. Pages bring their style, and `class` of their element html,
    "page-learn" for the address learn; their headers announce the app's scripts, so that browsers
    fetch them while Streamlit starts; it would ask for them with the first figure. base_path : path
    below which the app answers.
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
        self._bodies: dict[tuple[str, bool], bytes] = {}  # by name, and whether compressed

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request for a script or a style, or pass it on."""
        from starlette.datastructures import Headers
        from starlette.responses import Response

        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = scope["path"].rpartition("/static/")[2]  # whatever path the app is served below
        if name.rpartition("/")[2] == _ICON:
            name = _ICON
        content = _published.get(name) or self._files.get(name)
        if content is None or scope["method"] not in ("GET", "HEAD"):
            # a page: "not modified" would be one with an earlier style
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
    """Streamlit's scripts of these names, which have a digest behind them."""
    return [f"js/{path.name}" for name in names for path in folder.glob(f"js/{name}.*.js")]


def _plain(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    return content.read_bytes()


def _packed(content: Path | bytes) -> bytes:
    return gzip.compress(_plain(content))


def _address(path: str, base: str) -> bytes:
    """A script that tells Streamlit where the app is, which would otherwise look below the page's
    own address first.
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
    """The header that announces a page's scripts, at addresses that are relative like those in
    Streamlit's page.
    """
    own = [name for name in _published if page and name.startswith(f"js/{page}-")]
    links = []
    if not own:
        links = [f"<./static/js/{PLOTLY.name}>; rel=preload; as=script"]
        own = [*widgets, *(name for name in _published if name.startswith("js/prviz-"))]
    links += [f"<./static/{name}>; rel=modulepreload" for name in (*late, *own)]
    return ", ".join(links)


def _with_style(send: Send, path: str, page: str, links: str, base: str) -> Send:
    """Put the style into pages, and add the header with these links."""
    held: list[Message] = []  # the beginning of a page
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
            # In the body: among equals Streamlit's rules, which its script adds to the head, come
            # before these.
            content = bytes(body).replace(b"<html", b'<html class="page-%b"' % page.encode(), 1)
            style = b"<style>%b</style>" % "\n".join(_styles).encode()
            content = content.replace(b"<body>", b"<body>" + _address(path, base) + style, 1)
            start = held.pop()
            if content:  # not the answer to HEAD
                start["headers"].append((b"content-length", str(len(content)).encode()))
            await send(start)
            message = {**message, "body": content}
        await send(message)

    return send_styled
