"""Tables for the cells of a notebook: HTML without a script, in the colours of the page."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

_CELL = "padding:.15em .6em;text-align:right"
_NAME = "padding:.15em .6em;text-align:left"


def table_html(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    below: str = "",
    headline: str = "",
    colors: Sequence[str] = (),
) -> str:
    """A table as HTML, from plain text.

    head : headings of all columns but the first, which holds names.
    rows : name and values of each row.
    below, headline : sentences below and above the table.
    colors : colour of a mark before each name; () for no marks.
    """
    top = "".join(f'<th style="{_CELL}">{html.escape(name)}</th>' for name in head)
    lines = []
    for place, (name, *values) in enumerate(rows):
        mark = ""
        if colors:
            mark = f'<span style="color:{colors[place]}">■</span>\u00a0'
        cells = "".join(f'<td style="{_CELL}">{html.escape(value)}</td>' for value in values)
        lines.append(f'<tr><td style="{_NAME}">{mark}{html.escape(name)}</td>{cells}</tr>')
    table = f"<table><thead><tr><th></th>{top}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    said = ""
    if headline:
        said = f"<p><b>{html.escape(headline)}</b></p>"
    last = ""
    if below:
        last = f'<p style="max-width:34em;opacity:.75">{html.escape(below)}</p>'
    return f'<div style="flex:1;min-width:20em">{said}{table}{last}</div>'
