"""Section of the bias lab: a grid of problems, estimators and settings, one row per combination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._lab import sweep_grid, sweep_results
from pages._shared.text import plain
from pages._shared.work_box import WorkRequest, box
from prviz.cli.sweep import config_arguments, config_text
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.studies.sweeps import COLUMNS, Cell, sweep_seconds

IDEA = (
    "Measure every combination of the problems, estimators and settings that you choose. The exact precision-recall "
    "curve of every problem here is known, so each row says how far its estimate is off: **IoU** is the area under "
    "both curves, the estimate and the truth, divided by the area under either (1 is perfect); **excess** is the "
    "share that only the estimate covers (too optimistic), **deficit** the share that only the truth covers (too "
    "pessimistic)."
)
FIRST_PROBLEMS = ("Two mixtures", "Two shifted Gaussians")
MOST_REPEATS, MOST_CHARACTERS = 100, 200
CONFIG, ROWS = "grid.toml", "rows.parquet"
# Widgets keep their value while another section or page is open.
KEEP: dict[str, Any] = {"persist_state": "session"}


def show() -> None:
    try:
        with st.container(border=True, key="grid"):
            text = config_text(_chosen())
        cells = sweep_grid.checked_cells(config_arguments(text, CONFIG))
    except (ValueError, TypeError) as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    _announce(cells)
    early = sorted(cells, key=lambda cell: cell.repeat)  # every cell of the map has a first value soon
    box(WorkRequest(("sweep", text), "Sweep", early, COLUMNS, sweep_seconds(cells) or 0.0), sweep_results.draw)
    _shell(text)


def _chosen() -> dict[str, Any]:
    """Draw the form; returns the arguments of `prviz.sweep`. Raises ValueError for an entry that can't be used."""
    offered = sweep_grid.problems()
    titles = {name: each.title for name, each in ESTIMATORS.items()}
    problems = st.multiselect("Problems", list(offered), FIRST_PROBLEMS, key="sweep.problems", **KEEP)
    methods = st.multiselect(
        "Estimators", list(titles), DEFAULT_METHODS, format_func=titles.__getitem__, key="sweep.methods", **KEEP
    )
    places = (*st.columns(3), *st.columns(4))
    typed = {field: _typed(field, place) for field, place in zip(sweep_grid.FIELDS, places, strict=False)}
    repeats = places[5].number_input(
        "Repeats",
        1,
        MOST_REPEATS,
        3,
        key="sweep.repeats",
        help="Fresh samples and a fresh split for each; mean and spread are those over the repeats.",
        **KEEP,
    )
    seed = places[6].number_input(
        "Seed", 0, 2**31, 0, key="sweep.seed", help="Another seed draws other samples.", **KEEP
    )
    for key, chosen in {"Problems (problems)": problems, "Estimators (methods)": methods}.items():
        if not chosen:
            raise ValueError(f"{key}: nothing was given; at least one is needed")
    return {
        "problems": [offered[label] for label in problems],
        "methods": methods,
        **{field.key: sweep_grid.entries(field, text) for field, text in typed.items()},
        "repeats": int(repeats),
        "seed": int(seed),
    }


def _typed(field: sweep_grid.Field, place: DeltaGenerator) -> str:
    text = place.text_input(
        field.label, field.first, key=f"sweep.{field.key}", help=field.help, max_chars=MOST_CHARACTERS, **KEEP
    )
    return text or ""


def _announce(cells: Sequence[Cell]) -> None:
    """Draw the number of rows that Start would measure."""
    rows = sum(len(cell.wanted) for cell in cells)
    st.markdown(
        f"**{rows:,} rows** from {len(cells):,} pairs of samples: each pair is drawn afresh and measured with all "
        "estimators, k and bandwidths in one go."
    )


def _shell(text: str) -> None:
    """Draw the shell command of the same sweep."""
    with st.expander("The same in a shell", icon=":material/terminal:"):
        st.markdown(
            f"Save this as `{CONFIG}`. The rows are the same to the last digit, except for their seconds; a stopped "
            "sweep continues when the command is run again."
        )
        st.code(text, language="toml")
        st.code(f"prviz sweep {CONFIG} --out {ROWS}", language="bash")
