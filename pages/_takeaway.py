"""The numbers under the figure, and everything that can be taken away from the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from pages import _results
from pages._sources import Problem
from pages._text import plain
from prviz import export, figures
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.settings import Settings
from prviz.summaries import explanations, summary_table


def _titled(found: _results.Results) -> Mapping[str, PRCurve]:
    return {ESTIMATORS[name].title: curve for name, curve in found.curves.items()}


def _table(problem: Problem, found: _results.Results) -> pd.DataFrame:
    return summary_table(_titled(found), problem.truth)


def summary(problem: Problem, found: _results.Results) -> None:
    """One tidy table with the truth on top; every column explains itself."""
    table = _table(problem, found)
    columns = {
        label: st.column_config.NumberColumn(label, help=text, format="%.3f")
        for label, text in explanations().items()
        if label in table
    }
    st.dataframe(
        table,
        column_config=columns,
        key="readout",
        alt="Summaries of every curve, the truth first where it is known",
    )
    with st.expander("What the columns say", icon=":material/help:"):
        st.markdown(
            "\n".join(f"- **{plain(label)}**: {text}" for label, text in explanations().items() if label in table)
        )


def show(problem: Problem, settings: Settings, found: _results.Results) -> None:
    """Files, code and link that reproduce the screen."""
    settings = replace(settings, repeats=_results.repeats(problem, settings))
    query = settings.to_query()
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    with st.expander("Take it away: data, figure, code, link", icon=":material/download:"):
        _downloads(problem, settings, found)
        st.markdown("**Copy as Python**: the same curves to the last bit")
        st.code(_snippet(problem, settings), language="python")
        _link(settings)


def _downloads(problem: Problem, settings: Settings, found: _results.Results) -> None:
    """Made when they are asked for, so that they cost a moving slider nothing."""
    name = "prviz-" + (settings.problem or "upload")
    truth, curves, pair = problem.truth, found.curves, problem.pair  # made without the session at hand
    made = {
        "Everything as JSON": (
            "json",
            "application/json",
            lambda: export.to_json(found.estimates, pair=pair, settings=settings, truth=truth, curves=curves),
        ),
        "Curves as CSV": ("curves.csv", "text/csv", lambda: export.curves_csv(curves, truth=truth)),
        "Table as CSV": ("table.csv", "text/csv", lambda: export.table_csv(_table(problem, found))),
        "Figure as HTML": (
            "html",
            "text/html",
            lambda: export.standalone_html(figures.pr_figure(curves, truth=truth, bands=found.bands), problem.title),
        ),
    }
    with st.container(horizontal=True):
        for label, (suffix, mime, make) in made.items():
            st.download_button(label, make, f"{name}.{suffix}", mime, on_click="ignore")
    st.caption("PNG and SVG: the camera and disk buttons at the top right of each figure.")


def _snippet(problem: Problem, settings: Settings) -> str:
    if problem.uploaded is None:
        return export.python_snippet(settings)
    return export.python_snippet(settings, files=problem.uploaded.files, keys=problem.uploaded.keys)


def _link(settings: Settings) -> None:
    if settings.source == "upload":
        st.caption("Uploaded files can't travel in a link; the code above reads them from your own disk.")
        return
    st.markdown("**Link** that restores this screen")
    st.code(f"{st.context.url}?{urlencode(settings.to_query())}", language=None)
