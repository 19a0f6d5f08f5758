"""Some samples side by side: a small picture or the text of each where there is one, its row and its labels."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from pages import _media
from pages._uploads import Uploaded
from prviz.samples import Samples

_CSS = """<style>
.strip { display: grid; grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: .5rem; }
.strip > div { padding: .35rem; border: 1px solid #8884; border-radius: .4rem; overflow: hidden; }
.strip img {
  display: block; width: 64px; height: 64px; margin: 0 auto .25rem; object-fit: contain; image-rendering: pixelated;
}
.strip p {
  margin: 0; font-size: .75rem; line-height: 1.3; overflow-wrap: anywhere; font-variant-numeric: tabular-nums;
}
.strip .text { display: -webkit-box; -webkit-line-clamp: 5; -webkit-box-orient: vertical; overflow: hidden; }
.strip .row { opacity: .8; }
</style>"""


def strip(samples: Samples, rows: Sequence[int], uploaded: Uploaded | None, role: str) -> None:
    """Samples at these rows, counted from 0; role : "real" or "generated", for those who hear it."""
    looks = _media.shown(samples, rows, uploaded)
    cards = [_card(samples, row, look, role) for row, look in zip(rows, looks, strict=True)]
    st.html(f"{_CSS}<div class='strip' role='list'>{''.join(cards)}</div>")


def _card(samples: Samples, row: int, look: _media.Shown, role: str) -> str:
    parts = []
    if look.picture:
        parts.append(f'<img src="{html.escape(look.picture)}" alt="{role} sample, row {row + 1}">')
    for name, words in (("text", look.text), ("problem", look.problem)):
        parts += [f'<p class="{name}">{html.escape(words)}</p>'] if words else []
    note = ", ".join(filter(None, [f"row {row + 1}", _media.note(samples, row, text=False)]))
    return f'<div role="listitem">{"".join(parts)}<p class="row">{html.escape(note)}</p></div>'
