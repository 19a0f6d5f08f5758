"""Draws samples as tiles and as a table, each with its nearest sample of the other set."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages._shared import media
from pages._shared.media import Shown
from pages._shared.widgets import plain, unbroken
from pages._triage.checkpoints import GROUP, MISSED, Diagnosis, missed_text
from prviz.figures.theme import number
from prviz.measure.estimates import Progress
from prviz.neighbors import nearest_rows
from prviz.neighbors.balls import OTHER, ROLES, Role
from prviz.reports import export
from prviz.samples import Samples
from prviz.triage.classes import NEIGHBOURS, MissedSamples
from prviz.triage.evidence import kinds

# Estimated seconds: for one feature in one distance (DISTANCE_SECONDS), and for reading one value
# (ROW_SECONDS).
DISTANCE_SECONDS = 2e-10
ROW_SECONDS = 2e-8
Near = dict[int, tuple[int, float]]
Columns = Mapping[str, Sequence[Any]]

_STYLE = """<style>
.prviz-tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(112px, 1fr));
  gap: .5rem; }
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
  display: -webkit-box; -webkit-line-clamp: 5; -webkit-box-orient: vertical; overflow: hidden;
  opacity: 1;
}
</style>"""


def tiles(
    samples: Samples,
    rows: Sequence[int],
    looks: Sequence[Shown],
    role: Role,
    *,
    beside: Mapping[int, tuple[Shown, str]] | None = None,
    words: Sequence[str] = (),
) -> None:
    """Draw the samples at these rows (counted from 0) as tiles.

    looks : picture and text of each sample. beside : by row, a second, smaller picture and its
    alternative text. words : a further line of text for each sample.
    """
    drawn = ""
    for row, look, line in zip(map(int, rows), looks, words or [""] * len(rows), strict=True):
        place = f"row {row + 1}"
        note = media.note(samples, row, text=False)
        pictures = _image(look, ", ".join(filter(None, [f"{role} sample, {place}", note])), "own")
        if beside and row in beside:
            pictures += _image(*beside[row], "near")
        drawn += '<div role="listitem">' + (
            f'<div class="both">{pictures}</div>' if pictures else ""
        )
        if look.text:
            drawn += f'<p class="text">{html.escape(look.text)}</p>'
        drawn += "".join(
            f"<p>{html.escape(part)}</p>" for part in (place, note, line, look.problem) if part
        )
        drawn += "</div>"
    st.html(f'{_STYLE}<div class="prviz-tiles" role="list">{drawn}</div>')


def _image(look: Shown, text: str, which: str) -> str:
    if not look.picture:
        return ""
    alt = html.escape(text)
    return f'<img class="{which}" src="{html.escape(look.picture)}" alt="{alt}" title="{alt}">'


def pictures(role: Role, rows: Iterable[int], looks: Sequence[Shown]) -> list[str]:
    """HTML images of the samples that have a picture."""
    return [
        f'<img src="{html.escape(look.picture)}" alt="{role} sample, row {row + 1}" title="row'
        f' {row + 1}">'
        for row, look in zip(rows, looks, strict=True)
        if look.picture
    ]


def draw(
    case: Diagnosis,
    role: Role,
    rows: Sequence[int],
    where: str,
    columns: Columns | None = None,
    said: str = "",
) -> None:
    """Draw samples as tiles, if they have pictures, and as a table.

    columns : further columns of the table, by title. said : title of the further column that tiles
    show too.
    """
    columns = columns or {}
    if not len(rows):
        st.info("There are none.")
        return
    looks = media.shown(case.side(role), rows, case.found.uploaded)
    near = _nearest(case, role, rows)
    pictured = any(look.picture for look in looks)
    place: Any = st
    if pictured:
        words = [f"{said} {each}" for each in columns[said]] if said else ()
        _draw_tiles(case, role, rows, looks, near, words)
        place = st.expander("The same as a table", icon=":material/table_rows:")
    place.dataframe(
        pd.DataFrame(_entries(case, role, rows, looks, near, columns)),
        hide_index=True,
        column_config={
            "distance": st.column_config.NumberColumn(format="%.4g"),
            "picture": st.column_config.ImageColumn(width="small"),
        },
        key=f"triage-samples-{where}",
    )


def _entries(
    case: Diagnosis,
    role: Role,
    rows: Sequence[int],
    looks: Sequence[Shown],
    near: Near,
    columns: Columns,
) -> dict[str, Any]:
    """By title, the columns of the table of samples."""
    shown: dict[str, Any] = {
        "picture": [look.picture or None for look in looks],
        "row": [int(row) + 1 for row in rows],
        "text": [look.text for look in looks],
        **_labels(case.side(role), rows),
        **columns,
    }
    if near:
        nearest, distances = np.transpose([near[int(row)] for row in rows])
        shown[f"nearest {OTHER[role]} row"] = nearest.astype(int) + 1
        shown["distance"] = distances
    shown["picture is missing"] = [look.problem for look in looks]
    for name in ("picture", "text", "picture is missing"):
        if not any(shown[name]):
            del shown[name]
    return shown


def _draw_tiles(
    case: Diagnosis,
    role: Role,
    rows: Sequence[int],
    looks: Sequence[Shown],
    near: Near,
    words: Sequence[str],
) -> None:
    """Draw samples as tiles, each with the picture of its nearest sample of the other set, if that
    has one.
    """
    other = OTHER[role]
    others = media.shown(case.side(other), [row for row, _ in near.values()], case.found.uploaded)
    beside = {}
    for row, look in zip(near, others, strict=True):
        text = f"its nearest {other} sample, row {near[row][0] + 1}"
        beside[row] = (look, text)
    tiles(case.side(role), rows, looks, role, beside=beside, words=words)
    if any(look.picture for look in others):
        st.caption(f"Small and framed: its nearest {other} sample.")
    else:
        st.caption(f"Rows of the {role} samples.")


def _labels(side: Samples, rows: Sequence[int]) -> dict[str, list[str]]:
    """Columns with the first three labels of these rows, by the label's name.

    A space is added to the name, so that it can't equal the name of another column.
    """
    names = [name for name in side.labels if name.strip().lower() != "text"][:3]
    places = np.asarray(rows)
    return {f"{name} ": [str(label) for label in side.labels[name][places]] for name in names}


def _nearest(case: Diagnosis, role: Role, rows: Sequence[int]) -> Near:
    """By row, the row and the distance of its nearest sample of the other set; empty until a job
    has found them.
    """
    own = case.side(role)
    other = case.side(OTHER[role])
    wanted_rows = np.asarray(rows, dtype=np.intp)
    seconds = (own.n + other.n) * own.d * ROW_SECONDS + len(
        wanted_rows
    ) * other.n * own.d * DISTANCE_SECONDS

    def measure(tick: Progress) -> Near:
        tick(0.0)
        nearest, distances = nearest_rows(own.values, wanted_rows, 1, other.values)
        return dict(
            zip(
                wanted_rows.tolist(),
                zip(nearest[:, 0].tolist(), distances[:, 0].tolist(), strict=True),
                strict=True,
            )
        )

    which = (role, tuple(wanted_rows.tolist()))
    return case.known("near", seconds, measure, *which) or {}


MOST = 24
# Words for the samples of the confusion group that `GROUP` names at an end of the curve.
DONE = "lost at this end"


def show_groups(case: Diagnosis) -> None:
    """Draw, for each role, the samples that have no sample of the other set near. The part "Class
    by class" counts the same samples.
    """
    st.markdown("##### What it misses, and what it invents")
    for place, role in zip(st.columns(2, gap="medium"), ROLES, strict=True):
        with place:
            st.markdown(f"**{MISSED[role]}**")
            missed = case.missed(role)
            if missed is None:
                continue
            rows = missed.rows.tolist()
            st.markdown(
                unbroken(missed_text(role, missed))
                + (f". Here the {MOST} clearest." if len(rows) > MOST else ".")
            )
            draw(case, role, rows[:MOST], f"{role}-group")
            by_label(
                case,
                role,
                rows,
                f"{role}-group",
                MISSED[role].partition(", ")[2],
                among=range(case.side(role).n),
            )
            st.download_button(
                "All of them as CSV",
                partial(group_file, case, role, missed),
                f"prviz-{'missed' if role == 'real' else 'unlike'}.csv",
                "text/csv",
                on_click="ignore",
                disabled=not rows,
                key=f"triage-fault-csv-{role}",
                icon=":material/download:",
            )


def counted(case: Diagnosis, role: Role, lam: float) -> str:
    """Text that counts a role's samples in its confusion group at lam (see `GROUP`)."""
    count = len(getattr(case.classifiers.groups(lam), GROUP[role]))
    n = len(case.evaluated(role))
    cut = case.cut(role, lam)
    said = f": {cut}" if cut else ""
    return (
        f"**{count:,} of {n:,}** {role} samples ({100 * count / n:.1f} %) are {DONE}, at λ ="
        f" {number(lam)}{said}"
    )


def group_file(case: Diagnosis, role: Role, missed: MissedSamples) -> str:
    """CSV of a role's samples that have no sample of the other set near, the clearest first: row,
    labels, and the distance to the other set as a multiple of that to the k-th neighbour in the own
    set.
    """
    numbers = case.shown.numbers[ROLES.index(role)]
    how = f"{OTHER[role]} distance / {NEIGHBOURS}th {role} distance"
    return export.group_csv(
        case.side(role),
        missed.rows,
        missed.ratios,
        numbers=numbers,
        group=MISSED[role],
        lam=math.nan,
        method=how,
    )


def by_label(
    case: Diagnosis,
    role: Role,
    rows: Sequence[int],
    where: str,
    done: str = DONE,
    *,
    among: Sequence[int] | None = None,
    opened: bool = False,
) -> None:
    """For every label that names classes, draw the share of each class that is in these rows.

    done : words for the rows, such as "lost at this end". among : all rows that are counted in the
    classes; None for those that the family has measured.
    """
    if not len(rows):
        return
    for name, column in list(case.side(role).labels.items())[:3]:
        found = kinds(column, case.evaluated(role) if among is None else among, rows)
        if found:
            with st.expander(f"By {plain(name)}", icon=":material/category:", expanded=opened):
                table = pd.DataFrame(
                    {
                        f"{name} ": [each.value for each in found],
                        f"share {done}": [each.share for each in found],
                        done: [each.chosen for each in found],
                        "of": [each.n for each in found],
                    }
                )
                share = st.column_config.ProgressColumn(format="percent", min_value=0, max_value=1)
                config = {f"share {done}": share}
                st.dataframe(
                    table, hide_index=True, column_config=config, key=f"triage-kinds-{where}-{name}"
                )
