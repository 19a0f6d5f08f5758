"""Texts and tables of the HTML report, as HTML in which foreign text is escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any, TypeAlias

from prviz.curves.summaries import SUMMARIES
from prviz.estimators import ESTIMATORS
from prviz.readers.errors import one_line
from prviz.reports.document import Document
from prviz.triage.ranking import listed, marks
from prviz.triage.ranking import verdict as verdict_of

__all__ = ["CURVES", "STEPS", "TRADE", "about", "failures", "numbers", "opening", "ranking", "verdict"]

# Name of the row's checkpoint, or None, and the row's cells.
Row: TypeAlias = tuple[str | None, list[str]]

CURVES = (
    "Precision α (how much of what a model makes could be real) against recall β (how much of what is real it can "
    "make), traded by λ = α / β. Further up and to the right is better. The colour goes with the step."
)
TRADE = (
    "F8 is the best balance along the curve where one side counts 8 times as much: upwards leaning to precision, to "
    "the right leaning to recall. Above the dashed diagonal precision is the better of the two."
)
STEPS = (
    "Each summary with its 95 % interval: what other evaluation samples could have given. It says nothing of the bias "
    "of the estimator, which grows as the sets get smaller; sets of equal size share most of it."
)
_INTRODUCTION = (
    "Every checkpoint is a set of generated samples, compared with the same real ones by precision-recall curves. The "
    "score is the area under a curve (AuC) where the goal is balanced; towards precision or towards recall, its half "
    "on that side counts more."
)
_RERUN = (
    "<p>Save the numbers as JSON beside the samples, and <code>prviz triage --rerun prviz-triage.json</code> measures "
    'everything again and compares it number by number. <button type="button" id="save">Save the numbers (JSON)'
    "</button></p>"
)


def opening(report: Document) -> str:
    """The verdict of each family, and warnings."""
    how = f"The goal here is {_goal(report)}; intervals are of 95 %, from {_replicates(report)}."
    parts = [f"<p>{_INTRODUCTION} {html.escape(how)}</p>"]
    methods = report["settings"]["methods"]
    if len(methods) > 1:
        parts.append(f"<p class='verdict'>{html.escape(_together(report))}</p>")
    for name in methods:
        parts.append(f"<p class='verdict'><b>{_family(name)}</b>: {html.escape(verdict(report, name))}</p>")
    if not report["complete"]:
        there, total = len(report["checkpoints"]), report["total"]
        parts.append(f"<p class='warning'>Made while {there} of {total} checkpoints were measured.</p>")
    if report["note"]:
        parts.append(f"<p class='warning'>Note: {html.escape(report['note'])}.</p>")
    return "\n".join(parts)


def verdict(report: Document, family: str) -> str:
    """The verdict of one family as plain text."""
    import pandas as pd

    found = report["rankings"][family]
    if not found["lines"]:
        return f"no ranking: {one_line(found['reason'])}."
    # pandas takes no text that UTF-8 can't hold, as file names in another encoding are
    lines = [{**line, "checkpoint": one_line(line["checkpoint"]), "ties": ""} for line in found["lines"]]
    return verdict_of(pd.DataFrame(lines))


def _together(report: Document) -> str:
    """A sentence on whether all families have the same best checkpoint."""
    firsts = [found["lines"][0]["checkpoint"] for found in report["rankings"].values() if found["lines"]]
    if not firsts:
        return "Nothing could be measured."
    if len(set(firsts)) == 1:
        return f"All {len(firsts)} families have {one_line(firsts[0])} as the best."
    return f"The families differ on the best: {listed([one_line(each) for each in dict.fromkeys(firsts)], 'or')}."


def ranking(report: Document, family: str) -> str:
    """A row per checkpoint, best first; the name is a button that highlights the checkpoint."""
    extras = list(dict.fromkeys(name for each in report["checkpoints"] for name in each["extra"]))
    known = {each["name"]: each for each in report["checkpoints"]}
    head = ["", "checkpoint", "step", *extras, "score", "95 % interval", "best in", "precision side", "recall side", ""]
    rows = list[Row]()
    for place, line in enumerate(report["rankings"][family]["lines"], start=1):
        each = known[line["checkpoint"]]
        cells = [
            str(place),
            _button(line["checkpoint"]),
            _short(each["step"]),
            *(_short(each["extra"].get(name)) for name in extras),
            f"{line['score']:.4f}",
            f"{line['low']:.4f} to {line['high']:.4f}",
            f"{line['best']:.0%}",
            f"{line['precision']:.4f}",
            f"{line['recall']:.4f}",
            html.escape(marks(place, line)),
        ]
        rows.append((line["checkpoint"], cells))
    return _table(head, rows, f"Ranking by {ESTIMATORS[family].title}, best first", texts=(1, len(head) - 1))


def numbers(report: Document, family: str) -> str:
    """Every summary of every checkpoint with its interval."""
    head = ["checkpoint", "step", "samples", "k", *(each.label for each in SUMMARIES)]
    rows = list[Row]()
    for each in report["checkpoints"]:
        if (found := each["families"].get(family)) is not None:
            cells = [_name(each["name"]), _short(each["step"]), str(each["n"]), _short(found["k"])]
            cells += [_interval(found["summaries"][summary.key]) for summary in SUMMARIES]
            rows.append((each["name"], cells))
    words = "".join(f"<dt>{html.escape(each.label)}</dt><dd>{html.escape(each.explanation)}</dd>" for each in SUMMARIES)
    table = _table(head, rows, "All summaries, with 95 % intervals", texts=(0,))
    return f"{table}<details><summary>What the columns say</summary><dl>{words}</dl></details>"


def failures(report: Document) -> str:
    """The files that could not be measured, and why."""
    failed = [each for each in report["checkpoints"] if each["reason"] is not None]
    if not failed:
        return ""
    entries = "".join(f"<li><code>{_name(each['path'])}</code>: {_name(each['reason'])}</li>" for each in failed)
    return f"<h2>Not measured: {len(failed)} of {len(report['checkpoints'])}</h2><ul>{entries}</ul>"


def about(report: Document) -> str:
    """The settings, and the digests of all files."""
    reference, bootstrap = report["reference"], report["bootstrap"]
    settings = {key: _word(value) for key, value in report["settings"].items()}
    settings |= {
        "goal": _goal(report),
        "bootstrap": f"{_replicates(report)}, seed {bootstrap['seed']}, level {bootstrap['level']:g}",
        "reference": f"{reference['path']}, {reference['n']} x {reference['d']}",
        "made by": ", ".join(f"{name} {value}" for name, value in report["versions"].items()),
    }
    inputs = [("reference", reference), *((each["name"], each) for each in report["checkpoints"])]
    rows: list[Row] = [
        (None, [_name(name), _name(each["path"]), _short(each["n"]), f"<code>{_name(each['digest'] or '-')}</code>"])
        for name, each in inputs
    ]
    return "\n".join(
        [
            "<h2>How it was measured</h2>",
            _list(settings),
            _RERUN,
            "<details><summary>Conventions</summary>",
            _list(report["conventions"]),
            "</details><details><summary>Files and digests</summary>",
            _table(["", "file", "samples", "SHA-256 of the samples"], rows, "Files and digests", texts=(0, 1, 3)),
            "</details>",
        ]
    )


def _goal(report: Document) -> str:
    return f"{report['goal']:g}, from 0 (precision first) to 1 (recall first)"


def _replicates(report: Document) -> str:
    return f"{report['bootstrap']['replicates']} resamplings"


def _table(head: Sequence[str], rows: Sequence[Row], title: str, *, texts: Sequence[int]) -> str:
    """Rows of cells that are HTML already; those of the columns in ``texts`` begin at the left."""
    cells = "".join(
        f"<th scope='col'{' class=text' if at in texts else ''}>{_name(each)}</th>" for at, each in enumerate(head)
    )
    body = ""
    for name, row in rows:
        of = "" if name is None else f' data-checkpoint="{_name(name)}"'
        inside = "".join(f"<td{' class=text' if at in texts else ''}>{cell}</td>" for at, cell in enumerate(row))
        body += f"<tr{of}>{inside}</tr>"
    return (
        f"<div class='scroll' role='region' tabindex='0' aria-label='{html.escape(title)}'>"
        f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _button(name: str) -> str:
    return f'<button type="button" data-checkpoint="{_name(name)}" aria-pressed="false">{_name(name)}</button>'


def _interval(found: dict[str, Any]) -> str:
    if found["low"] is None:
        return f"{found['value']:.4f}"
    return f"{found['value']:.4f}<br><small>{found['low']:.4f} to {found['high']:.4f}</small>"


def _list(told: dict[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{_name(key)}</dt><dd>{_name(value)}</dd>' for key, value in told.items())}</dl>"


def _name(text: object) -> str:
    """Foreign text as HTML, on one line."""
    return html.escape(one_line(text))


def _family(name: str) -> str:
    return html.escape(ESTIMATORS[name].title)


def _short(value: float | None) -> str:
    return "-" if value is None else f"{value:.10g}"


def _word(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)
