"""Modules that a notebook page loads once for all its widgets: plotly.js, and the live figure with
its style and markup.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from functools import cache
from pathlib import Path

from prviz.live.modules import bundle
from prviz.readers.paths import app_root
from prviz.server.static_files import PLOTLY

_FIGURE = app_root() / "pages" / "_live"
_STYLE = Path(__file__).with_name("widget.css")


@cache
def part(name: str) -> bytes:
    """One of the two ES modules, "figure" or "plotly", as gzip-compressed text."""
    return gzip.compress(_text(name).encode())


@cache
def digests() -> dict[str, str]:
    """Digest of each module: a page that has loaded a module with the same digest does not load it
    again.
    """
    return {
        name: hashlib.sha256(_text(name).encode()).hexdigest()[:12] for name in ("figure", "plotly")
    }


@cache
def _text(name: str) -> str:
    if name == "plotly":
        # Plotly is wrapped as a module, so that it does not replace another Plotly on the page.
        plotly = PLOTLY.read_text(encoding="utf-8")
        return f"const module = {{ exports: {{}} }};\n{plotly}\nexport default module.exports;\n"
    style = (_FIGURE / "live.css").read_text(encoding="utf-8")
    own = _STYLE.read_text(encoding="utf-8")
    markup = (_FIGURE / "live.html").read_text(encoding="utf-8")
    return "\n".join(
        [
            bundle(_FIGURE / "main.js"),
            f"export const markup = {json.dumps(markup)};",
            f"export const style = {json.dumps(f'.prviz-widget {{ {style} }} {own}')};",
        ]
    )
