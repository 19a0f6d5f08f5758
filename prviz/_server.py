"""The app as a server: what stands between the network and its pages, however it was started."""

from __future__ import annotations

import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from prviz._hosts import HostGuard

__all__ = ["address", "hosts", "options"]

# Names and addresses by which browsers may reach the app, besides localhost; `prviz app` sets them.
hosts: tuple[str, ...] = ()


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
    return {"middleware": [Middleware(HostGuard, hosts=exact)], "lifespan": _lifespan}


@asynccontextmanager
async def _lifespan(_: Any) -> AsyncIterator[None]:
    import streamlit

    if not streamlit.get_option("server.headless"):
        webbrowser.open(address(streamlit.get_option("server.address"), streamlit.get_option("server.port")))
    yield
