"""What each of the compared checkpoints misses and invents, side by side on the first screen."""

from __future__ import annotations

import html
from collections.abc import Mapping

import streamlit as st

from pages._shared import media
from pages._triage.checkpoints import GROUP, CheckpointResults, Diagnosis
from prviz.curves import PRCurve
from prviz.figures.theme import number
from prviz.neighbors.balls import ROLES, Role
from prviz.triage.measure import FAILURES

# Samples of each group, the clearest first: pictures, or texts and rows.
PICTURES, LINES = 12, 4
# At what lam the groups are read, and what is in them.
LAMS: dict[Role, float] = {"real": 1 / 3, "generated": 3.0}
TITLES: dict[Role, str] = {
    "real": "Real, made under ⅓ as often",
    "generated": "Generated, made over 3× too often",
}


def draw(
    found: CheckpointResults, colors: Mapping[str, str], chips: Mapping[str, str], ceiling: PRCurve | None
) -> None:
    """Draw a column for each of these checkpoints, by its name. chips : HTML beside the names."""
    columns = "".join(_column(found, name, color, chips.get(name, ""), ceiling) for name, color in colors.items())
    st.html(f'<div class="evidence" data-prviz="evidence" style="--columns:{len(colors)}">{columns}</div>')


def _column(found: CheckpointResults, name: str, color: str, chip: str, ceiling: PRCurve | None) -> str:
    head = f'<h4><i style="background:{color}"></i>{html.escape(name)} {chip}</h4>'
    measured = found.one(name)
    try:
        case = Diagnosis(found=found, measured=measured, pair=found.pair(measured))
    except FAILURES as error:
        return f"<section>{head}<p>{html.escape(str(error).partition(chr(10))[0])}</p></section>"
    return f"<section>{head}{''.join(_group(case, role, ceiling) for role in ROLES)}</section>"


def _group(case: Diagnosis, role: Role, ceiling: PRCurve | None) -> str:
    lam = LAMS[role]
    rows = case.rows(GROUP[role], lam)
    share = len(rows) / max(len(case.evaluated(role)), 1)
    usual = "" if ceiling is None else f", {_expected(ceiling, role, lam):.0%} expected"
    told = f"At λ = {number(lam)}: {case.cut(role, lam) or 'none'}. Expected: what real samples against real ones give."
    title = f'<p title="{html.escape(told)}">{TITLES[role]} <span><b>{share:.0%}</b>{usual}</span></p>'
    samples = case.side(role)
    looks = media.shown(samples, rows[:PICTURES], case.found.uploaded)
    if any(look.picture for look in looks):
        shown = [
            f'<img src="{html.escape(look.picture)}" alt="{role} sample, row {row + 1}" title="row {row + 1}">'
            for row, look in zip(rows, looks, strict=False)
            if look.picture
        ]
        return f'{title}<div class="strip">{"".join(shown)}</div>'
    notes = [look.text or media.note(samples, int(row)) for row, look in zip(rows, looks, strict=False)]
    if not any(notes):
        listed = ", ".join(f"{row + 1}" for row in rows[:PICTURES])
        return f"{title}<ol>{f'<li>rows {listed}</li>' if listed else ''}</ol>"
    lines = [f"<li>{html.escape(note)}</li>" for note in notes[:LINES]]
    return f"{title}<ol>{''.join(lines)}</ol>"


def _expected(ceiling: PRCurve, role: Role, lam: float) -> float:
    """Share of a role's samples in the same group where real samples stand in for generated ones."""
    fpr, fnr = ceiling.vertices[ceiling.vertex_at(lam)]
    return float(1 - fpr if role == "real" else 1 - fnr)


def chip(text: str, kind: str = "", title: str = "") -> str:
    """A rounded label as HTML."""
    return f'<span class="chip {kind}" title="{html.escape(title)}">{html.escape(text)}</span>'
