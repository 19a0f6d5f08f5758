"""First screen of Triage: side by side, what each of the compared checkpoints misses and
invents.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from pages._shared import media
from pages._shared.widgets import unbroken
from pages._triage.checkpoints import MISSED, CheckpointResults, Diagnosis, missed_text
from pages._triage.gallery import pictures
from prviz.checks.finding import Finding
from prviz.neighbors.balls import ROLES, Role
from prviz.readers.columns import with_buttons
from prviz.samples import Samples
from prviz.triage.measure import FAILURES
from prviz.triage.memorisation import Memorisation, copies_text

# Most samples shown of each group, the clearest first: PICTURES as pictures, or LINES as lines of
# text.
PICTURES = 12
LINES = 4
# If the notes of all samples have fewer characters than this, they are joined to one line.
SHORT = 16


def draw(
    found: CheckpointResults,
    colors: Mapping[str, str],
    chips: Mapping[str, str],
    copies: Mapping[str, Memorisation],
    warnings: Mapping[str, str],
) -> None:
    """Draw a column for each checkpoint that `colors` names.

    chips, warnings : by checkpoint, HTML beside its name and HTML below it. copies : its copies of
    reference rows, where known.
    """
    columns = "".join(
        _column(found, name, color, chips.get(name, ""), warnings.get(name, ""), copies.get(name))
        for name, color in colors.items()
    )
    columns = unbroken(columns)
    st.html(
        '<div class="evidence" data-prviz="evidence" '
        f'style="--columns:{len(colors)}">{columns}</div>'
    )


def _column(
    found: CheckpointResults,
    name: str,
    color: str,
    chip: str,
    warnings: str,
    copies: Memorisation | None,
) -> str:
    head = f'<h4><i style="--swatch:{color}"></i>{html.escape(name)} {chip}</h4>{warnings}'
    measured = found.looked_into[name]
    try:
        case = Diagnosis(found=found, measured=measured, pair=found.pair(measured))
    except FAILURES as error:
        return f"<section>{head}<p>{html.escape(str(error).partition(chr(10))[0])}</p></section>"
    groups = [
        _pairs(case, copies) if copies and copies.memorised else "",
        *(_group(case, role) for role in ROLES),
    ]
    return f"<section>{head}{''.join(groups)}</section>"


def _pairs(case: Diagnosis, copies: Memorisation) -> str:
    """HTML of the generated samples that are nearest to a real sample, each beside that real
    sample.
    """
    title = _title(
        "Copies, each with the real sample nearest",
        copies_text(copies),
        f"<b>{100 * copies.near.share:.0f} %</b>",
    )
    rows = {
        "generated": [pair.generated for pair in copies.pairs],
        "real": [pair.real for pair in copies.pairs],
    }
    looks = {role: media.shown(case.side(role), rows[role], case.found.uploaded) for role in ROLES}
    images = {role: pictures(role, rows[role], looks[role]) for role in ROLES}
    if all(len(each) == len(copies.pairs) for each in images.values()):
        pairs = map("<span>{}{}</span>".format, images["generated"], images["real"])
        return f'{title}<div class="strip pairs">{"".join(pairs)}</div>'
    notes = _notes(case.pair.real, rows["real"], looks["real"])
    lines = []
    for place, pair in enumerate(copies.pairs[:LINES]):
        made = looks["generated"][place].text or f"row {pair.generated + 1}"
        real = notes[place]
        if not looks["real"][place].text:
            real = f"real row {pair.real + 1} {real}"
        lines.append(f"<li>{html.escape(f'{made} = {real}')}</li>")
    return f"{title}<ol>{''.join(lines)}</ol>"


def _group(case: Diagnosis, role: Role) -> str:
    """HTML of the role's samples without a sample of the other set nearby, and their share."""
    missed = case.missed(role)
    if missed is None:
        return _title(MISSED[role], "", "looking for them")
    rows = missed.rows.tolist()
    usual = f"<b>{100 * missed.share:.0f} %</b>, {100 * missed.expected:.0f} % expected"
    title = _title(MISSED[role], missed_text(role, missed), usual)
    looks = media.shown(case.side(role), rows[:PICTURES], case.found.uploaded)
    if any(look.picture for look in looks):
        return f'{title}<div class="strip">{"".join(pictures(role, rows[:PICTURES], looks))}</div>'
    notes = _notes(case.side(role), rows[:PICTURES], looks)
    if not any(notes):
        listed = ", ".join(f"{row + 1}" for row in rows[:LINES])
        return f"{title}<ol>{f'<li>rows {listed}</li>' if listed else ''}</ol>"
    if max(map(len, notes)) < SHORT:
        first = {note.partition(" ")[0] for note in notes}
        rest = []
        if len(first) == 1:
            rest = [note.partition(" ")[2] for note in notes]
        notes = [f"{first.pop()} {', '.join(rest)}" if all(rest) and rest else ", ".join(notes)]
    return f"{title}<ol>{''.join(f'<li>{html.escape(note)}</li>' for note in notes[:LINES])}</ol>"


def _title(text: str, told: str, value: str) -> str:
    """HTML of the heading above a group of samples. told : text of its tooltip. value : HTML at its
    end.
    """
    return f'<p title="{html.escape(told)}"><span>{text}</span> <span>{value}</span></p>'


def _notes(samples: Samples, rows: Iterable[int], looks: Sequence[media.Shown]) -> list[str]:
    """For each sample its text or, if it has none, its labels; "" if it has neither."""
    return [
        look.text or media.note(samples, int(row)) for row, look in zip(rows, looks, strict=True)
    ]


def warnings_html(flags: Sequence[Finding]) -> str:
    """HTML of warnings: the first in full, the others folded behind a text with their number."""
    if not flags:
        return ""
    first, *others = (
        '<p><i class="warns" role="img" aria-label="Warning">!</i>'
        f" <b>{html.escape(flag.title)}</b>: {html.escape(with_buttons(flag.text))}</p>"
        for flag in flags
    )
    if others:
        more = f"<details><summary>{len(others)} more</summary>{''.join(others)}</details>"
    else:
        more = ""
    return f'<div class="flags" data-prviz="flags">{first}{more}</div>'


def chip(text: str, kind: str = "", title: str = "") -> str:
    """HTML of a chip, a small rounded label. kind : its CSS class. title : its tooltip."""
    return f'<span class="chip {kind}" title="{html.escape(title)}">{html.escape(text)}</span>'
