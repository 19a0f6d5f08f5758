"""The papers' experiments: the kept result at paper size, and the same measured here."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages._lab import experiment_text as words
from pages._learn.lesson import explore_link
from pages._live.figure import Pane, live_figure
from pages._shared import work_box
from pages._shared.text import plain
from prviz import figures
from prviz.neighbors.threads import available_threads
from prviz.studies.kept_rows import KeptRows
from prviz.studies.papers import EXPERIMENTS, Chart, CurveChart, Experiment, Mode
from prviz.studies.papers.base import stored

IDEA = (
    "How good is an estimate of a precision-recall curve? That can be measured where the true curve is known. Here "
    "are the experiments of the papers that the estimators come from: the published figures beside those measured here."
)
MENU = "experiment-menu"
KEPT, RUN = "Result at paper size", "Run it yourself"
MODES: dict[Mode, str] = {"quick": "Quick", "paper": "Paper size"}


def show() -> None:
    experiment = _chosen()
    st.header(plain(experiment.title), anchor=False)
    st.markdown(f"**{plain(experiment.question)}**")
    st.caption(f"Source: {plain(experiment.source)}")
    kept = _stored(experiment)
    if kept is None:
        _run(experiment)
    else:
        result, run = st.tabs([KEPT, RUN], key="result", on_change="rerun", bind="query-params")
        if result.open:
            with result:
                _kept(experiment, kept)
        if run.open:
            with run:
                _run(experiment)
    explore_link(*words.EXPLORE[experiment.name])


def _stored(experiment: Experiment) -> KeptRows | None:
    """Kept rows of the experiment; None if there are none, with a message if the file is damaged."""
    try:
        return stored(experiment)
    except ValueError as error:
        st.warning(plain(f"The result at paper size can't be shown: {error}."), icon=":material/broken_image:")
        return None


def _chosen() -> Experiment:
    """Draw the menu, which starts with the link's experiment and updates the link."""
    if st.session_state.get(MENU) not in EXPERIMENTS:
        named = st.query_params.get("experiment", "")
        st.session_state[MENU] = named if named in EXPERIMENTS else next(iter(EXPERIMENTS))
    name: str = st.selectbox("Experiment", list(EXPERIMENTS), format_func=_title, key=MENU)
    st.query_params["experiment"] = name
    return EXPERIMENTS[name]


def _title(name: str) -> str:
    return EXPERIMENTS[name].title


def _kept(experiment: Experiment, kept: KeptRows) -> None:
    st.markdown(plain(experiment.setting("paper")))
    st.caption(plain(words.facts(kept.facts)))
    _draw(experiment, kept.rows, complete=True, key="kept")
    _shell(kept.facts.command)


def _run(experiment: Experiment) -> None:
    mode = st.segmented_control(
        "Size", list(MODES), format_func=MODES.__getitem__, default="quick", required=True, key="mode"
    )
    st.markdown(plain(experiment.setting(mode)))
    work = work_box.WorkRequest(
        ("experiment", experiment.name, mode),
        f"{experiment.name} {mode}",
        experiment.tasks(mode),
        experiment.columns,
        experiment.seconds(mode) / available_threads(),
    )
    work_box.box(work, lambda rows, complete: _draw(experiment, rows, complete=complete, key="run"))
    _shell(f"prviz experiment {experiment.name}" + (" --paper" if mode == "paper" else ""))


def _shell(line: str) -> None:
    st.caption("The same in the shell:")
    st.code(line, language="bash")


# ---- what rows show ----


def _draw(experiment: Experiment, rows: pd.DataFrame, *, complete: bool, key: str) -> None:
    """Draw text, chart and table of the rows so far."""
    said = plain(experiment.says(rows))
    st.markdown(said if complete else f"So far: {said}")
    chart = experiment.chart(rows)
    st.caption(plain(words.legend(chart)))
    live_figure(f"experiment-{key}", _panes(chart))
    _table(experiment.figures(rows))


def _panes(chart: Chart) -> list[Pane]:
    found = figures.experiment_figures(chart)
    square, half = isinstance(chart, CurveChart), len(found) != 3
    return [
        Pane(f"panel{place}", figure, title, alt=words.alternative(chart, title), square=square, half=half)
        for place, (title, figure) in enumerate(found.items())
    ]


def _table(found: pd.DataFrame) -> None:
    """Draw our mean, its spread, the published number and the difference, without empty columns."""
    shown, config = words.table(found)
    if "published" not in shown:
        st.caption("The paper prints no number that these could be compared with.")
    st.dataframe(shown, hide_index=True, column_config=config, placeholder="–", alt="Figures of the experiment")
