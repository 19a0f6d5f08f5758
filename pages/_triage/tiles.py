"""Samples side by side: picture or text, row and labels."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from pages._shared import media
from pages._shared.media import Shown
from prviz.neighbors.balls import Role
from prviz.samples import Samples

_STYLE = """<style>
.prviz-tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(112px, 1fr)); gap: .5rem; }
.prviz-tiles > div {
  padding: .35rem; border: 1px solid #8884; border-radius: .4rem; overflow: hidden;
  font-size: .75rem; line-height: 1.3; overflow-wrap: anywhere; font-variant-numeric: tabular-nums;
}
.prviz-tiles .both { display: flex; align-items: flex-end; gap: 4px; margin-bottom: .25rem; }
.prviz-tiles img { image-rendering: pixelated; object-fit: contain; border-radius: 3px; }
.prviz-tiles .own { width: 64px; height: 64px; }
.prviz-tiles .near { width: 30px; height: 30px; outline: 1px dashed #8a8a8a; outline-offset: 1px; }
.prviz-tiles p { margin: 0; font-size: inherit; line-height: inherit; opacity: .85; }
.prviz-tiles .text {
  display: -webkit-box; -webkit-line-clamp: 5; -webkit-box-orient: vertical; overflow: hidden; opacity: 1;
}
</style>"""


class NeighbourTile(NamedTuple):
    """Another sample that a tile shows smaller, and the alternative text of its picture."""

    look: Shown
    told: str


def show(
    samples: Samples,
    rows: Sequence[int],
    looks: Sequence[Shown],
    role: Role,
    *,
    beside: Mapping[int, NeighbourTile] | None = None,
    words: Sequence[str] = (),
) -> None:
    """Draw samples at these rows, counted from 0.

    looks : picture and text of each. beside : a second, smaller picture, by row. words : one more line of each.
    """
    others, lines = beside or {}, words or [""] * len(rows)
    tiles = [
        _tile(samples, int(row), look, role, others.get(int(row)), line)
        for row, look, line in zip(rows, looks, lines, strict=True)
    ]
    st.html(f'{_STYLE}<div class="prviz-tiles" role="list">{"".join(tiles)}</div>')


def _tile(samples: Samples, row: int, look: Shown, role: Role, other: NeighbourTile | None, word: str) -> str:
    place, note = f"row {row + 1}", media.note(samples, row, text=False)
    pictures = _image(look, ", ".join(filter(None, [f"{role} sample, {place}", note])), "own")
    if other is not None:
        pictures += _image(other.look, other.told, "near")
    parts = [f'<div class="both">{pictures}</div>'] if pictures else []
    parts += [f'<p class="text">{html.escape(look.text)}</p>'] if look.text else []
    parts += [f"<p>{html.escape(line)}</p>" for line in (place, note, word, look.problem) if line]
    return f'<div role="listitem">{"".join(parts)}</div>'


def _image(look: Shown, told: str, which: str) -> str:
    if not look.picture:
        return ""
    alt = html.escape(told)
    return f'<img class="{which}" src="{html.escape(look.picture)}" alt="{alt}" title="{alt}">'
