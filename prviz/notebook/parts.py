"""What a notebook page loads once for all widgets: plotly.js, and the modules, style and markup of
the live figure.
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
    """An ES module as gzip-compressed text; name : "figure" or "plotly"."""
    return gzip.compress(_text(name).encode())


@cache
def digests() -> dict[str, str]:
    """The digest of each module, by which a page recognises those it has loaded."""
    return {
        name: hashlib.sha256(_text(name).encode()).hexdigest()[:12] for name in ("figure", "plotly")
    }


@cache
def _text(name: str) -> str:
    if name == "plotly":
        # Wrapped as a module, it does not replace a Plotly that the page may have.
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
