"""The explanation of the table's columns, and the page's downloads, code and link."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from pages._explore import frames
from pages._explore.approximate import NOTE
from pages._shared import bounds, results
from pages._shared.sources import Problem
from pages._shared.text import plain
from prviz import figures
from prviz.curves.summaries import DIVERGENCES, summary_table
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.reports import export
from prviz.reports.settings import ExploreSettings


def summary(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Explain the columns of the table in the figure, and show further numbers."""
    with st.expander("What the columns say", icon=":material/help:"):
        columns = frames.columns(problem.truth, settings)
        st.markdown("\n".join(f"- **{plain(column.label)}**: {column.explanation}" for column in columns))
    with st.expander("Other distances from the same curve", icon=":material/straighten:"):
        bound = bounds.bound(problem, settings)
        curves = {"truth": problem.truth, "at least, 95 %": bound}
        curves |= {ESTIMATORS[name].title: curve for name, curve in found.curves.items()}
        rows = [["", *(each.label for each in DIVERGENCES)], ["---", *("---:" for _ in DIVERGENCES)]]
        rows += [
            [plain(name), *(number(each.of(curve), 4) for each in DIVERGENCES)]
            for name, curve in curves.items()
            if curve is not None
        ]
        lines = [f"- **{each.label}**: {each.explanation}" for each in DIVERGENCES]
        st.markdown("\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", *lines]))


def draw(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Files, code and link that reproduce the screen."""
    settings = replace(settings, repeats=results.repeats(problem, settings))
    query = settings.to_query()
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    with st.expander("Take it away: data, figure, code, link", icon=":material/download:"):
        _downloads(problem, settings, found)
        st.markdown("**Copy as Python**: the same curves to the last bit")
        snippet = export.python_snippet(settings)
        if (uploaded := problem.uploaded) is not None:
            snippet = export.python_snippet(settings, files=uploaded.files, keys=uploaded.keys)
        st.code(snippet, language="python")
        if settings.source == "upload":
            st.caption("Uploaded files can't travel in a link; the code above reads them from your own disk.")
            return
        st.markdown("**Link** that restores this screen")
        st.code(f"{st.context.url}?{urlencode(settings.to_query())}", language=None)


def _downloads(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Download buttons; their files are made on a click, so that they cost a moving slider nothing."""
    name = "prviz-" + (settings.problem or "upload")
    truth, curves, approximation = problem.truth, found.curves, found.approximation
    bound = bounds.bound(problem, settings)
    label_text = "" if approximation is None else approximation.label
    notes = None if approximation is None else dict.fromkeys(curves, NOTE)
    titled = {ESTIMATORS[name].title + " (approximate)" * bool(notes): curve for name, curve in curves.items()}
    files = {
        "Everything as JSON": (
            "json",
            "application/json",
            lambda: export.to_json(
                found.estimates,
                pair=problem.pair,
                settings=settings,
                truth=truth,
                curves=curves,
                approximation=approximation,
                bound=bound,
            ),
        ),
        "Curves as CSV": (
            "curves.csv",
            "text/csv",
            lambda: export.curves_csv(curves, truth=truth, approximate=approximation is not None),
        ),
        "Table as CSV": (
            "table.csv",
            "text/csv",
            lambda: export.table_csv(summary_table(titled, truth, settings.b, settings.eps)),
        ),
        "Figure as HTML": (
            "html",
            "text/html",
            lambda: export.standalone_html(
                figures.pr_figure(curves, truth=truth, bound=bound, bands=found.bands, notes=notes),
                problem.title,
                label_text,
            ),
        ),
    }
    with st.container(horizontal=True):
        for label, (suffix, mime, make) in files.items():
            st.download_button(label, make, f"{name}.{suffix}", mime, on_click="ignore")
    st.caption("PNG and SVG: the camera and disk buttons at the top right of each figure.")
