"""Writes an HTML page as one file that needs no network: it holds the figures, their data, and
plotly.js if it draws them.

A content security policy lets such a page run only its own scripts, identified by their digests,
and fetch nothing. Scripts and data are compressed; the browser unpacks them.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from prviz.server.static_files import PLOTLY

PACKED = "application/gzip"
"""Type of the script elements that hold compressed text, as base64."""

# Unpacks the text of every compressed script element, then runs the code in the element with id
# "code".
_LOADER = f"""
(async () => {{
  for (const packed of document.querySelectorAll('script[type="{PACKED}"]')) {{
    const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    packed.textContent = await new Response(stream).text();
  }}
  const script = document.createElement("script");
  script.textContent = document.getElementById("code").textContent;
  document.body.append(script);
}})();
"""


def standalone_page(
    title: str,
    body: Sequence[str],
    *,
    data: Mapping[str, str] = MappingProxyType({}),
    script: str = "",
    style: str = "",
    schemes: str = "light",
) -> str:
    """A whole HTML page that needs no other files.

    title : plain text.
    body : escaped elements of HTML.
    data : id of an element -> the text in it, which the script reads.
    script : code that draws the figures, run after plotly.js; if empty, the page has neither
        scripts nor plotly.js.
    style : CSS.
    schemes : value of the CSS property color-scheme.
    """
    packed = dict(data)
    scripts = []
    if script:
        packed["code"] = f"{PLOTLY.read_text('utf-8')}\n{script}"
        scripts = [_LOADER, packed["code"]]
    # This policy lets the page fetch nothing and run only these scripts; plotly.js needs inline
    # styles.
    digests = [
        base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode() for text in scripts
    ]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: "
        "blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    head = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta name="color-scheme" content="{schemes}">',
        f"<title>{html.escape(title)}</title>",
        f"<style>{style}</style></head>\n<body>",
    ]
    elements = [
        f'<script type="{PACKED}" '
        f'id="{name}">{base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()}</script>'
        for name, text in packed.items()
    ]
    loader = []
    if script:
        loader = [f"<script>{_LOADER}</script>"]
    return "\n".join([*head, *body, *elements, *loader, "</body></html>\n"])
