"""The samples behind the ends of a curve: real ones that are missed, generated ones that are like nothing real."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from pages._shared.text import plain
from pages._triage import gallery
from pages._triage.diagnosis_data import GROUP, RATIO, Diagnosis
from prviz.figures import key_text
from prviz.figures.theme import number
from prviz.neighbors.balls import ROLES, Role
from prviz.reports import export
from prviz.triage.evidence import END, kinds

MOST = 24
HOW, OWN = "triage-fault-how", "triage-fault-lam"
READ = {"ends": "At the ends of the curve", "even": "At λ = 1", "own": "At another λ"}
LAMS = (0.01, 0.02, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
TITLES: dict[Role, str] = {
    "real": "Real samples it misses",
    "generated": "Generated samples that look like nothing real",
}
DONE: dict[Role, str] = {"real": "missed", "generated": "like nothing real"}
# Names of the groups in downloaded files.
GROUPS: dict[Role, str] = {"real": "real, missed by the generator", "generated": "generated, like nothing real"}


def show(case: Diagnosis) -> None:
    st.markdown("##### What it misses, and what it invents")
    lams = _choose(case)
    real, generated = (case.lam_at_end(role) for role in ROLES)
    read = (
        f"recall where precision is {END:g}, at λ = {number(real)}, and precision where recall is {END:g}, at "
        f"λ = {number(generated)}."
    )
    if real == generated:
        read = "these sets share so little that both are read at λ = 1."
    runs = " They are those of its first run." if len(case.measured.estimate.runs) > 1 else ""
    cut = " Rows are counted among the samples that were drawn from each file."
    st.caption(
        f"c_X and c_Y say how much real and how much generated data {plain(case.title)} finds around a sample. A real "
        "sample is **missed** at λ (lambda) where c_Y / c_X is below about λ: such samples are generated less "
        "than λ times as often as they should be. A generated one looks **like nothing real** at λ where c_Y / c_X is "
        "above about λ: it is made more than λ times too often. The exact cut is that of the best classifier at λ, "
        "and the samples are those that measure the curve. The ends of the curve are read a little inside it: "
        f"{read}{runs}{cut * case.found.settings.equal_sizes}"
    )
    for place, role in zip(st.columns(2, gap="medium"), ROLES, strict=True):
        with place:
            _group(case, role, lams[role])


def _choose(case: Diagnosis) -> dict[Role, float]:
    """Draw the choice of λ; returns λ for the real and for the generated samples."""
    how = st.segmented_control(
        "Read",
        list(READ),
        format_func=READ.__getitem__,
        required=True,
        default="ends",
        key=HOW,
        persist_state="session",
    )
    if how == "own":
        lam = st.select_slider(
            "λ",
            LAMS,
            value=1.0,
            format_func=lambda lam: f"1/{round(1 / lam)}" if lam < 1 else f"{lam:g}",
            key=OWN,
            persist_state="session",
            width=520,
        )
        return {"real": lam, "generated": lam}
    if how == "even":
        return {"real": 1.0, "generated": 1.0}
    return {role: case.lam_at_end(role) for role in ROLES}


def counted(case: Diagnosis, role: Role, lam: float) -> str:
    """Text with the number and share of a role's samples in its group at lam."""
    count, n = len(getattr(case.classifiers.groups(lam), GROUP[role])), len(case.evaluated(role))
    return f"**{count:,} of {n:,}** {role} samples ({count / n:.1%}) are {DONE[role]} at λ = {number(lam)}"


def _group(case: Diagnosis, role: Role, lam: float) -> None:
    st.markdown(f"**{TITLES[role]}**")
    rows = case.rows(GROUP[role], lam)
    shown = f"; here the {MOST} clearest." if len(rows) > MOST else "."
    st.markdown(counted(case, role, lam) + shown)
    listed = {RATIO: list(map(key_text, case.keys_of(GROUP[role], lam)[:MOST]))}
    gallery.show(case, role, rows[:MOST], f"{role}-group", listed)
    by_label(case, role, rows, f"{role}-group")
    st.download_button(
        "All of them as CSV",
        lambda: group_file(case, role, lam),
        f"prviz-{'missed' if role == 'real' else 'unlike'}.csv",
        "text/csv",
        on_click="ignore",
        disabled=not len(rows),
        key=f"triage-fault-csv-{role}",
        icon=":material/download:",
    )


def group_file(case: Diagnosis, role: Role, lam: float) -> str:
    """CSV of every row of the group, the clearest first: id, labels, key, group, lam and family."""
    rows, keys = case.rows(GROUP[role], lam), case.keys_of(GROUP[role], lam)
    numbers, method = case.shown.numbers[ROLES.index(role)], case.measured.method
    return export.group_csv(case.side(role), rows, keys, numbers=numbers, group=GROUPS[role], lam=lam, method=method)


def by_label(
    case: Diagnosis, role: Role, rows: Sequence[int], where: str, done: str = "", *, opened: bool = False
) -> None:
    """Draw the classes of these rows, for every label that names classes. done : adjective for the rows."""
    done = done or DONE[role]
    if not len(rows):
        return
    for name, column in list(case.side(role).labels.items())[:3]:
        found = kinds(column, case.evaluated(role), rows)
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
                st.dataframe(table, hide_index=True, column_config=config, key=f"triage-kinds-{where}-{name}")
