"""Pages that stand alone: their figures, plotly.js where it draws them, and all else in one file without network.

A content security policy lets such a page run its own scripts, known by their digests, and fetch nothing at all.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType


def standalone_page(
    title: str,
    body: Sequence[str],
    *,
    data: Mapping[str, str] = MappingProxyType({}),
    script: str = "",
    style: str = "",
    schemes: str = "light",
) -> str:
    """The whole page.

    title : plain text. body : escaped elements of HTML. data : JSON texts by the id of the element that holds each for
    the script. script : code that draws the figures, run after plotly.js; empty: the page runs no script, and holds no
    plotly.js. style : CSS. schemes : CSS colour schemes.
    """
    scripts = []
    if script:
        from plotly.offline import get_plotlyjs

        scripts = [get_plotlyjs(), script]  # plotly.js holds nothing that would end its script element
    # A policy that fetches nothing and runs only these scripts; plotly.js needs inline styles.
    digests = [base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode() for text in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src "
        "'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    head = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="color-scheme" content="{schemes}">',
        f"<title>{html.escape(title)}</title>",
        f"<style>{style}</style></head>\n<body>",
    ]
    elements = []
    for name, text in data.items():
        for sign in "<>&":  # every character that could open or end an element
            text = text.replace(sign, f"\\u{ord(sign):04x}")
        elements.append(f'<script type="application/json" id="{name}">{text}</script>')
    return "\n".join([*head, *body, *elements, *(f"<script>{text}</script>" for text in scripts), "</body></html>\n"])
