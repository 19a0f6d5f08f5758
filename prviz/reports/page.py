"""The report as one self-contained HTML file: interactive figures and all numbers, without network.

Names of files and folders are escaped; `prviz.figures.inlined` restricts what the page may do.
"""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from prviz.curves.summaries import SUMMARIES
from prviz.estimators import ESTIMATORS
from prviz.readers.errors import one_line
from prviz.reports import page_parts
from prviz.reports.document import Document, curves_of

__all__ = ["to_html"]

_LARGE, _SMALL = ("curves", "trade"), 250


def to_html(report: Document) -> str:
    """The whole page."""
    from prviz.figures.inlined import standalone_page

    title = f"Triage of {len(report['checkpoints'])} checkpoints against {_plain(report['reference']['name'])}"
    drawn = [name for name in report["settings"]["methods"] if report["rankings"][name]["lines"]]
    body = [f"<h1>{html.escape(title)}</h1>", page_parts.opening(report), _families(drawn)]
    body += [_section(report, name) for name in drawn]
    body += [page_parts.failures(report), page_parts.about(report)]
    figures = {name: _figures(report, name) for name in drawn}
    data = {"report": json.dumps(report, indent=1, allow_nan=False), "figures": json.dumps(figures)}
    script, style = (files("prviz.reports").joinpath(f"page.{kind}").read_text("utf-8") for kind in ("js", "css"))
    return standalone_page(title, body, data=data, script=script, style=style, schemes="light dark")


def _plain(text: str) -> str:
    """Foreign text on one line, without invisible characters."""
    return one_line(text)


def _figures(report: Document, family: str) -> dict[str, Any]:
    """The figures of one family."""
    from prviz.figures.triage import CheckpointView, checkpoint_trade_figure, checkpoints_figure, steps_figure

    curves = curves_of(report, family)
    views = []
    for each in report["checkpoints"]:
        if (found := each["families"].get(family)) is None:
            continue
        told = found["summaries"]
        ends = {key: (one["low"], one["high"]) for key, one in told.items() if one["low"] is not None}
        values = {key: one["value"] for key, one in told.items()}
        views.append(CheckpointView(_plain(each["name"]), each["step"], curves[each["name"]], values, ends))
    made = {
        "curves": checkpoints_figure(views, height=520),
        "trade": checkpoint_trade_figure(views, height=520),
    }
    made |= {each.key: steps_figure(views, each.key, height=_SMALL) for each in SUMMARIES}
    return {name: json.loads(each.to_json()) for name, each in made.items()}


def _families(names: list[str]) -> str:
    """Buttons that choose the family shown, if there are several."""
    if len(names) < 2:
        return ""
    buttons = "".join(
        f'<button type="button" data-show="{html.escape(name)}" aria-pressed="false">'
        f"{html.escape(ESTIMATORS[name].title)}</button>"
        for name in names
    )
    return f'<nav aria-label="Family of estimators"><span class="soft">Measured by</span>{buttons}</nav>'


def _section(report: Document, family: str) -> str:
    """Ranking, figures and numbers of one family."""
    title = html.escape(ESTIMATORS[family].title)
    hint = "Point at a curve, a point or a row and its checkpoint stands out everywhere; click, and it stays."
    small = "".join(
        _figure(family, each.key, html.escape(each.label), f"{each.label} of every checkpoint over the steps")
        for each in SUMMARIES
    )
    return "\n".join(
        [
            f'<section data-family="{html.escape(family)}"><h2>Ranking by {title}</h2>',
            page_parts.ranking(report, family),
            f"<h2>Curves</h2><p class='told' role='status' data-hint='{hint}'>{hint}</p><div class='figures'>",
            _figure(family, "curves", page_parts.CURVES, "Precision against recall of every checkpoint"),
            _figure(family, "trade", page_parts.TRADE, "F8 leaning to precision against F8 leaning to recall"),
            f"</div><h2>Over the steps</h2><p>{page_parts.STEPS}</p><div class='small'>{small}</div>",
            "<h2>All summaries</h2>",
            page_parts.numbers(report, family),
            "</section>",
        ]
    )


def _figure(family: str, name: str, caption: str, alternative: str) -> str:
    told = html.escape(f"{alternative}, measured by {ESTIMATORS[family].title}; the numbers are in the tables.")
    plot = (
        f'<div class="drawn" role="img" aria-label="{told}" data-family="{html.escape(family)}" data-figure="{name}">'
    )
    under = f"<figcaption>{caption}</figcaption>"
    return f"<figure>{plot}</div>{under}</figure>" if name in _LARGE else f"<figure>{under}{plot}</div></figure>"
