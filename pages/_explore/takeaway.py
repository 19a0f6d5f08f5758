"""Explanations of the numbers, and the page's export: downloads, code and link."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages._explore.gives_away import known_witness
from pages._explore.session import state
from pages._shared.cache import note_address
from pages._shared.widgets import plain
from prviz.checks.flags import flags_of
from prviz.curves.summaries import DIVERGENCES
from prviz.estimators import ESTIMATORS
from prviz.figures import paper
from prviz.figures.svg import pr_svg
from prviz.figures.theme import number
from prviz.live import bounds, results, snapshots
from prviz.live.modules import as_text, bundle
from prviz.live.problems import Problem
from prviz.live.view import NOTE
from prviz.reports import export

_pictures = st.components.v2.component(
    "prviz_pictures",
    html='<div class="pictures" role="group" aria-label="Figure as a picture"></div>',
    css=(Path(__file__).parent / "_pictures.css").read_text(encoding="utf-8"),
    js=bundle(Path(__file__).parent / "_pictures.js"),
)


def summary(problem: Problem, found: results.Results) -> None:
    """Draw explanations of the figure's columns, and a table of f-divergences."""
    with st.expander("What the numbers say", icon=":material/help:"):
        columns = snapshots.columns(problem)
        st.markdown(
            "\n".join(f"- **{plain(column.label)}**: {column.explanation}" for column in columns)
        )
    with st.expander("Divergences that follow from the same curve", icon=":material/straighten:"):
        st.markdown(_distances(problem, found))


def _distances(problem: Problem, found: results.Results) -> str:
    """Markdown with a table of f-divergences computed from the curves, and what each divergence
    means.
    """
    bound = bounds.shade(problem)
    curves = {"truth": problem.truth, "at least, 95 %": bound}
    curves |= {ESTIMATORS[name].title: curve for name, curve in found.curves.items()}
    rows = [["", *(each.label for each in DIVERGENCES)], ["---", *["---:"] * len(DIVERGENCES)]]
    for name, curve in curves.items():
        if curve is not None:
            rows.append([plain(name), *(number(each.of(curve), 4) for each in DIVERGENCES)])
    lines = [f"- **{each.label}**: {each.explanation}" for each in DIVERGENCES]
    return "\n".join([*(f"| {' | '.join(row)} |" for row in rows), "", *lines])


def draw(problem: Problem, found: results.Results) -> None:
    """Write the page's link to the address bar; draw the button that offers files, and code that
    reproduces what is on screen.
    """
    query = replace(state(), settings=replace(problem.settings, repeats=problem.repeats)).to_query()
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)
    note_address("")
    with st.container(key="part-export"):
        popover = st.popover("Export", icon=":material/download:", on_change="rerun", key="export")
    if popover.open:
        with popover:
            _export(problem, found, f"{st.context.url}?{urlencode(query)}".removesuffix("?"))


def _export(problem: Problem, found: results.Results, link: str) -> None:
    settings = problem.settings
    hidden = (*state().hidden, *state().folded)
    name = "prviz-" + (settings.problem or "upload")
    approximation = found.approximation
    line = "; ".join(
        [settings.line(problem.root_k), *([] if approximation is None else [approximation.label])]
    )
    shown = [method for method in found.curves if method not in hidden] or list(found.curves)
    found = replace(found, curves={method: found.curves[method] for method in shown})
    beside: dict[str, Any] = {
        "truth": problem.truth,
        "bound": bounds.shade(problem),
        "limits": {
            method: limit for method, limit in bounds.limits(problem).items() if method in shown
        },
        "bands": {method: band for method, band in found.bands.items() if method in shown},
    }
    drawing = partial(
        pr_svg,
        found.curves,
        title=problem.title,
        subtitle=line,
        notes=None if approximation is None else dict.fromkeys(shown, NOTE),
        **beside,
    )
    st.caption("Figure: a column of a paper, square, or 16:9 for a slide")
    if approximation is None:
        _columns(found, name, beside)
    drawings = {"square": drawing(), "16:9": drawing(wide=True)}
    _pictures(key="pictures", data=as_text({"name": name, "drawings": drawings}))
    st.caption("Page and numbers")
    with st.container(horizontal=True):
        for label, (suffix, mime, make) in _files(problem, found, drawing, line, link).items():
            st.download_button(label, make, f"{name}.{suffix}", mime, on_click="ignore")
    with st.expander(
        "Python: the same curves to the last bit", on_change="rerun", key="export-python"
    ) as python:
        if python.open:
            more: dict[str, Any] = {}
            if (uploaded := problem.uploaded) is not None:
                more = {"files": uploaded.files, "keys": uploaded.keys, "choices": uploaded.choices}
            snippet = export.python_snippet(settings, **more)
            st.code(snippet, language="python", wrap_lines=True)
    if settings.source == "upload":
        st.caption(
            "Uploaded files can't travel in a link; the code above reads them from your own disk."
        )


def _columns(found: results.Results, name: str, beside: dict[str, Any]) -> None:
    """Draw buttons for PDF files as wide as a paper's columns."""
    if not paper.is_installed():
        st.caption(f"No PDF: {paper.MISSING}.")
        return
    with st.container(horizontal=True):
        for width in paper.WIDTHS:
            st.download_button(
                f"PDF {width}",
                partial(paper.pdf, found.curves, width, **beside),
                f"{name}-{width.replace(' ', '-')}.pdf",
                "application/pdf",
                on_click="ignore",
            )


def _files(
    problem: Problem, found: results.Results, drawing: Callable[[], str], line: str, link: str
) -> dict[str, tuple[str, str, Callable[[], str]]]:
    """By button label: suffix, type and maker of each file.

    A file is made when its button is clicked, so that it costs nothing while a slider moves; makers
    must not use the session.
    """
    settings = problem.settings
    curves = found.curves
    approximate = found.approximation is not None
    bound = bounds.shade(problem)
    titled = {
        ESTIMATORS[method].title + " (approximate)" * approximate: curve
        for method, curve in curves.items()
    }
    if settings.source == "upload":
        link = ""
    seen = known_witness(problem)
    conclusion = ""
    if (few := bounds.too_few(problem)) is not None:
        conclusion = export.too_few(bool(few["apart"]) or (seen is not None and seen.told_apart))
    known = export.KnownOfPair(problem.truth, bound, seen, conclusion)

    def page() -> str:
        return export.curves_html(
            drawing(),
            titled,
            title=problem.title,
            settings=line,
            link=link,
            known=known._replace(flags=flags_of(problem.pair)),
            weights=(settings.b, settings.eps),
        )

    def as_json() -> str:
        return export.to_json(
            {method: found.estimates[method] for method in curves},
            pair=problem.pair,
            settings=settings,
            known=known,
            curves=curves,
            approximation=found.approximation,
        )

    def table() -> str:
        return export.summaries_csv(
            curves,
            truth=problem.truth,
            bound=bound,
            approximate=approximate,
            b=settings.b,
            eps=settings.eps,
        )

    return {
        "HTML": ("html", "text/html", page),
        "Table as CSV": ("table.csv", "text/csv", table),
        "Curves as CSV": (
            "curves.csv",
            "text/csv",
            lambda: export.curves_csv(curves, truth=problem.truth, approximate=approximate),
        ),
        "Everything as JSON": ("json", "application/json", as_json),
    }
