"""Samples as tiles and a table: picture or text, labels, and the nearest sample of the other set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from pages._shared import media
from pages._triage import tiles
from pages._triage.diagnosis_data import OTHER, Diagnosis
from pages._work.jobs import Progress
from prviz.neighbors import nearest_rows
from prviz.neighbors.balls import Role

# Seconds per feature of one distance, and per value read for it.
DISTANCE_SECONDS, ROW_SECONDS = 2e-10, 2e-8
Near = dict[int, tuple[int, float]]
Columns = Mapping[str, Sequence[Any]]


def show(
    case: Diagnosis, role: Role, rows: Sequence[int], where: str, columns: Columns | None = None, said: str = ""
) -> None:
    """Some samples of one set, in this order: tiles where there are pictures, and a table.

    where : suffix of the table's widget key. columns : more columns of the table, by title. said : the column that
    tiles show too.
    """
    columns = columns or {}
    if not len(rows):
        st.info("There are none.")
        return
    looks = media.shown(case.side(role), rows, case.found.uploaded)
    near = _nearest(case, role, rows)
    table = _table(case, role, rows, looks, near, columns)
    if not any(look.picture for look in looks):
        _draw(table, where)
        return
    words = [f"{said} {each}" for each in columns[said]] if said else ()
    beside = _beside(case, role, near)
    tiles.show(case.side(role), rows, looks, role, beside=beside, words=words)
    framed = any(each.look.picture for each in beside.values())
    st.caption(f"Small and framed: its nearest {OTHER[role]} sample." if framed else f"Rows of the {role} samples.")
    with st.expander("The same as a table", icon=":material/table_rows:"):
        _draw(table, where)


def _nearest(case: Diagnosis, role: Role, rows: Sequence[int]) -> Near:
    """Row and distance of the nearest sample of the other set, by row; empty while a job measures them."""
    own, other = case.side(role), case.side(OTHER[role])
    wanted_rows = np.asarray(rows, dtype=np.intp)
    seconds = (own.n + other.n) * own.d * ROW_SECONDS + len(wanted_rows) * other.n * own.d * DISTANCE_SECONDS

    def measure(tick: Progress) -> Near:
        tick(0.0)
        nearest, distances = nearest_rows(own.values, wanted_rows, 1, other.values)
        return dict(
            zip(wanted_rows.tolist(), zip(nearest[:, 0].tolist(), distances[:, 0].tolist(), strict=True), strict=True)
        )

    which = (role, tuple(wanted_rows.tolist()))
    found: Near | None = case.known("near", seconds, measure, *which)
    return found or {}


def _beside(case: Diagnosis, role: Role, near: Near) -> dict[int, tiles.NeighbourTile]:
    """Tiles of the nearest samples of the other set, by row."""
    other = OTHER[role]
    looks = media.shown(case.side(other), [row for row, _ in near.values()], case.found.uploaded)
    return {
        row: tiles.NeighbourTile(look, f"its nearest {other} sample, row {place + 1}")
        for (row, (place, _)), look in zip(near.items(), looks, strict=True)
    }


def _table(
    case: Diagnosis, role: Role, rows: Sequence[int], looks: Sequence[media.Shown], near: Near, columns: Columns
) -> pd.DataFrame:
    own, other = case.side(role), OTHER[role]
    found: dict[str, Any] = {}
    if any(look.picture for look in looks):
        found["picture"] = [look.picture or None for look in looks]
    found["row"] = [int(row) + 1 for row in rows]
    if any(look.text for look in looks):
        found["text"] = [look.text for look in looks]
    # The space keeps a label from replacing a column of the same name.
    names = [name for name in own.labels if name.strip().lower() != "text"][:3]
    said = {f"{name} ": [str(label) for label in own.labels[name][np.asarray(rows)]] for name in names}
    found |= said | dict(columns)
    if near:
        found[f"nearest {other} row"] = [near[int(row)][0] + 1 for row in rows]
        found["distance"] = [near[int(row)][1] for row in rows]
    if any(look.problem for look in looks):
        found["picture is missing"] = [look.problem for look in looks]
    return pd.DataFrame(found)


def _draw(table: pd.DataFrame, where: str) -> None:
    config: dict[str, Any] = {"distance": st.column_config.NumberColumn(format="%.4g")}
    config["picture"] = st.column_config.ImageColumn(width="small")
    st.dataframe(table, hide_index=True, column_config=config, key=f"triage-samples-{where}")
