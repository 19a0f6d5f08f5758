"""The report as one self-contained HTML file: interactive figures and all numbers, without network.

Names of files and folders are escaped; `prviz.figures.inlined` restricts what the page may do.
"""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, TypeAlias

from prviz.curves.summaries import SUMMARIES
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.estimators import ESTIMATORS
from prviz.readers.errors import one_line
from prviz.reports.document import Document, ceiling_of, curve_of, curves_of
from prviz.triage.inputs import common_prefix
from prviz.triage.ranking import AT_MOST, draws_text, headline, marks, share_text

_LARGE = ("curves", "trade")
_SMALL = 250
# Name of the row's checkpoint, or None, and the row's cells.
Row: TypeAlias = tuple[str | None, list[str]]

_CURVES = (
    "Precision α (how much of what a model makes could be real) against recall β (how much of what"
    " is real it can make), traded by λ = α / β. Further up and to the right is better. The colour"
    " goes with the step."
)
_CEILING = "Dashed: what real samples get against real ones."
# F8 on both sides and the diagonal: Sajjadi et al. 2018, figure 7.
_TRADE = (
    "F8 is the best balance along the curve where one side counts 8 times as much: upwards leaning"
    " to precision, to the right leaning to recall. Above the diagonal precision is the better of"
    " the two."
)
_STEPS = (
    "Each summary with the spread of 95 % of the draws: what other evaluation samples could have"
    " given. It says nothing of the bias of the estimator, and so nothing of the true value."
)
_INTRODUCTION = (
    "Every checkpoint is a set of generated samples, compared with the same real ones by"
    " precision-recall curves. The score is the area under a curve (AuC) where the goal is"
    " balanced; towards precision or towards recall, its half on that side counts more."
)
_RERUN = (
    "<p>Save the numbers as JSON beside the samples, and <code>prviz triage --rerun"
    " prviz-triage.json</code> measures everything again and compares it number by number. <button"
    ' type="button" id="save">Save the numbers (JSON)</button></p>'
)


def to_html(report: Document) -> str:
    """The whole page."""
    from prviz.figures.inlined import standalone_page

    title = (
        f"Triage of {len(report['checkpoints'])} checkpoints against"
        f" {one_line(report['reference']['name'])}"
    )
    drawn = [name for name in report["settings"]["methods"] if report["rankings"][name]["lines"]]
    drawn.sort(key=lambda name: name != _basis(report))  # the family of the verdict is shown first
    prefix = common_prefix([each["name"] for each in report["checkpoints"]])
    shown = _without(report, prefix)
    body = [f"<h1>{html.escape(title)}</h1>", _opening(report), _faults(shown), _classes(shown)]
    if prefix:
        body.append(
            f"<p class='soft'>All names begin with {_name(prefix)}, which is left out below the"
            " verdict.</p>"
        )
    body.append(_buttons(drawn))
    body += [_section(shown, name) for name in drawn]
    body += [_failed(report), _about(report)]
    figures = {name: _figures(shown, name) for name in drawn}
    data = {"report": json.dumps(report, indent=1, allow_nan=False), "figures": json.dumps(figures)}
    script, style = (
        files("prviz.reports").joinpath(f"page.{kind}").read_text("utf-8") for kind in ("js", "css")
    )
    return standalone_page(title, body, data=data, script=script, style=style, schemes="light dark")


def _buttons(drawn: Sequence[str]) -> str:
    """Buttons that choose the family shown, if there are several."""
    if len(drawn) < 2:
        return ""
    buttons = ""
    for name in drawn:
        buttons += (
            f'<button type="button" data-show="{html.escape(name)}"'
            f' aria-pressed="false">{_family(name)}</button>'
        )
    said = '<span class="soft">Measured by</span>'
    return f'<nav aria-label="Family of estimators">{said}{buttons}</nav>'


def _failed(report: Document) -> str:
    """What could not be measured, and why."""
    failed = [each for each in report["checkpoints"] if each["reason"] is not None]
    if not failed:
        return ""
    entries = ""
    for each in failed:
        entries += f"<li><code>{_name(each['path'])}</code>: {_name(each['reason'])}</li>"
    count = f"{len(failed)} of {len(report['checkpoints'])}"
    return f"<h2>Not measured: {count}</h2><ul>{entries}</ul>"


def _basis(report: Document) -> str:
    """The family that the verdict rests on."""
    first: str = report["settings"]["methods"][0]
    family: str = (report.get("verdict") or {}).get("family", first)
    if family in report["rankings"]:
        return family
    return first


def _without(report: Document, prefix: str) -> Document:
    """The report with shorter names of its checkpoints."""
    end = len(prefix)
    rankings = {
        family: {
            **found,
            "lines": [{**line, "checkpoint": line["checkpoint"][end:]} for line in found["lines"]],
        }
        for family, found in report["rankings"].items()
    }
    checkpoints = [{**each, "name": each["name"][end:]} for each in report["checkpoints"]]
    return {**report, "checkpoints": checkpoints, "rankings": rankings}


def _figures(report: Document, family: str) -> dict[str, Any]:
    from prviz.figures.triage import (
        CheckpointView,
        checkpoint_trade_figure,
        checkpoints_figure,
        steps_figure,
    )

    curves = curves_of(report, family)
    views = []
    for each in report["checkpoints"]:
        if (found := each["families"].get(family)) is None:
            continue
        summaries = found["summaries"]
        views.append(
            CheckpointView(
                name=one_line(each["name"]),
                step=each["step"],
                curve=curves[each["name"]],
                summaries={key: one["value"] for key, one in summaries.items()},
                intervals={
                    key: (one["low"], one["high"])
                    for key, one in summaries.items()
                    if one["low"] is not None
                },
            )
        )
    top = ceiling_of(report, family)
    values = {} if top is None else top["summaries"]
    corner = None if top is None else (values["f8_recall"], values["f8_precision"])
    drawn = {
        "curves": checkpoints_figure(
            views, ceiling=None if top is None else curve_of(top), height=520
        ),
        "trade": checkpoint_trade_figure(views, ceiling=corner, height=520),
    }
    drawn |= {
        each.key: steps_figure(views, each.key, ceiling=values.get(each.key), height=_SMALL)
        for each in SUMMARIES
    }
    return {name: json.loads(each.to_json()) for name, each in drawn.items()}


def _section(report: Document, family: str) -> str:
    hint = (
        "Point at a curve, a point or a row and its checkpoint stands out everywhere; click, and it"
        " stays."
    )
    small = "".join(
        _figure(
            family,
            each.key,
            html.escape(each.label),
            f"{each.label} of every checkpoint over the steps",
        )
        for each in SUMMARIES
    )
    # above all; older reports say nothing there
    said = report.get("verdict") and family == _basis(report)
    dashed = "" if ceiling_of(report, family) is None else f" {_CEILING}"
    return "\n".join(
        [
            f'<section data-family="{html.escape(family)}"><h2>Ranking by {_family(family)}</h2>',
            "" if said else f"<p>{html.escape(verdict(report, family))}</p>",
            f"<p class='told' role='status' data-hint='{hint}'>{hint}</p><div class='figures'>",
            _figure(
                family, "curves", _CURVES + dashed, "Precision against recall of every checkpoint"
            ),
            _figure(
                family,
                "trade",
                _TRADE + dashed,
                "F8 leaning to precision against F8 leaning to recall",
            ),
            f"</div>{_ranking(report, family)}",
            f"<h2>Over the steps</h2><p>{_STEPS}{dashed}</p><div class='small'>{small}</div>",
            "<h2>All summaries</h2>",
            _numbers(report, family),
            "</section>",
        ]
    )


def _figure(family: str, name: str, caption: str, alternative: str) -> str:
    alt = html.escape(
        f"{alternative}, measured by {_title(family)}; the numbers are in the tables."
    )
    plot = (
        f'<div class="drawn" role="img" aria-label="{alt}" data-family="{html.escape(family)}"'
        f' data-figure="{name}">'
    )
    under = f"<figcaption>{caption}</figcaption>"
    if name in _LARGE:
        return f"<figure>{plot}</div>{under}</figure>"
    return f"<figure>{under}{plot}</div></figure>"


# ---- texts and tables, as HTML in which foreign text is escaped ----


def _opening(report: Document) -> str:
    replicates = report["bootstrap"]["replicates"]
    how = (
        f"The goal here is {_goal(report)}; spreads hold 95 % of {replicates} draws of the same"
        " samples."
    )
    parts = [
        f"<p class='warning'><b>Memorised: {_name(each['name'])}</b>:"
        f" {html.escape(found['sentence'])}.</p>"
        for each in report["checkpoints"]
        if (found := each.get("memorisation")) is not None and found["memorised"]
    ]
    if found := report.get("verdict"):  # older reports have none
        best: Document = next(
            (each for each in report["checkpoints"] if each["name"] == found["best"]), {}
        )
        share = best.get("share_of_ceiling", {}).get(_basis(report))
        against = "" if share is None else f" {found['best']} {share['sentence']}."
        parts.append(f"<p class='verdict'><b>{_name(found['sentence'] + against)}</b></p>")
    parts += [
        f"<p class='warning'><b>{_name(each['title'])}</b>: {_name(each['text'])}</p>"
        for each in report.get("flags", ())  # older reports have none
    ]
    parts.append(f"<p class='soft'>{html.escape(how)}</p>")
    if not report["complete"]:
        there = len(report["checkpoints"])
        total = report["total"]
        parts.append(
            f"<p class='warning'>Made while {there} of {total} checkpoints were measured.</p>"
        )
    if report["note"]:
        parts.append(f"<p class='warning'>Note: {html.escape(report['note'])}.</p>")
    return "\n".join(parts)


def _faults(report: Document) -> str:
    """What is wrong with each checkpoint, in the order of the first family's ranking."""
    entries = ""
    by_title = Counter[str]()
    known = {each["name"]: each for each in report["checkpoints"]}
    for line in report["rankings"][_basis(report)]["lines"]:
        each = known[line["checkpoint"]]
        found = each.get("findings")  # older reports have none
        if found is None:
            continue
        said = ""
        for one in found:
            said += f"<li><b>{_name(one['title'])}</b>: {_name(one['sentence'])}</li>"
        said += _witness(each.get("witness"))
        listed = f"<ul>{said}</ul>" if said else "nothing found"
        entries += f"<dt>{_name(each['name'])}</dt><dd>{listed}</dd>"
        by_title.update(list(dict.fromkeys(one["title"].lower() for one in found)))
    if all(each.get("findings") is None for each in report["checkpoints"]):
        return ""
    grouped = _name(", ".join(f"{title} ({number})" for title, number in by_title.most_common()))
    if grouped:
        summary = f"What is wrong, and with how many: {grouped}"
    else:
        summary = "What is wrong: nothing found"
    return f"<details><summary>{summary}</summary><dl>{entries}</dl></details>"


def _witness(found: Document | None) -> str:
    """What gives a checkpoint away, as an item of a list; "" where nothing does."""
    if found is None or not found["told_apart"]:
        return ""
    return f"<li><b>{GIVES_AWAY}</b>: {_name('; '.join(found['statements']))}</li>"


def _classes(report: Document) -> str:
    """A table of classes for every checkpoint, the worst first; classes of few samples are grey."""
    found = {each["name"]: each["classes"] for each in report["checkpoints"] if each.get("classes")}
    parts = []
    for name, shares in found.items():
        rows = list[Row]()
        for each in shares:
            interval = f"{each['low']:.0%} to {each['high']:.0%}"
            cells = [
                _name(each["label"]),
                _name(each["role"]),
                str(each["n"]),
                f"{each['missed']:.0%}",
                interval,
            ]
            cells += [f"{each['expected']:.0%}", "worse" if each["worse"] else ""]
            rows.append(
                (
                    None,
                    (
                        [f"<span class='soft'>{cell}</span>" for cell in cells]
                        if each["few"]
                        else cells
                    ),
                )
            )
        head = ["class", "of the", "samples", "missed", "interval", "expected", ""]
        table = _table(head, rows, f"Classes of {name}", texts=(0, 1, 6))
        parts.append(f"<details><summary>{_name(name)} by class</summary>{table}</details>")
    return "\n".join(parts)


def verdict(report: Document, family: str) -> str:
    """The verdict of one family as plain text."""
    import pandas as pd

    found = report["rankings"][family]
    if not found["lines"]:
        return f"no ranking: {one_line(found['reason'])}."
    # pandas takes no text that UTF-8 can't hold, as file names in another encoding are
    lines = [{**line, "checkpoint": one_line(line["checkpoint"])} for line in found["lines"]]
    table = pd.DataFrame(lines, dtype=object)
    # older reports have no second scores
    table["second"] = [
        float("nan") if line.get("second") is None else line["second"] for line in lines
    ]
    return headline(table, _second(report)).text


def _second(report: Document) -> str:
    """Title of the family that orders low scores by the best classifier; "" without one."""
    name = (report.get("verdict") or {}).get("second_family")
    if name is None:
        return ""
    return _title(name)


def _ranking(report: Document, family: str) -> str:
    """A row per checkpoint, best first; the name is a button that highlights the checkpoint."""
    extras = list(dict.fromkeys(name for each in report["checkpoints"] for name in each["extra"]))
    known = {each["name"]: each for each in report["checkpoints"]}
    lines = report["rankings"][family]["lines"]
    second = [_second(report)] if any(line.get("second") is not None for line in lines) else []
    head = [
        "",
        "checkpoint",
        "step",
        *extras,
        "score",
        "95 % of the draws",
        "of real against real",
        "true score, 95 %",
        *second,
        "best in",
        "precision side",
        "recall side",
        "",
    ]
    rows = list[Row]()
    for place, line in enumerate(lines, start=1):
        each = known[line["checkpoint"]]
        name = _name(line["checkpoint"])
        titles = [found["title"].lower() for found in each.get("findings") or ()]
        cells = [
            str(place),
            f'<button type="button" data-checkpoint="{name}" aria-pressed="false">{name}</button>',
            _short(each["step"]),
            *(_short(each["extra"].get(name)) for name in extras),
            f"{line['score']:.4f}",
            draws_text(line),
            _percent(each.get("share_of_ceiling", {}).get(family)),
            "-" if line.get("at_most") is None else f"at most {line['at_most']:.4f}",
            *(f"{line['second']:.4f}" for _ in second),
            html.escape(share_text(line["best"])),
            f"{line['precision']:.4f}",
            f"{line['recall']:.4f}",
            html.escape(", ".join(filter(None, (*titles, marks(place, line))))),
        ]
        rows.append((line["checkpoint"], cells))
    table = _table(head, rows, f"Ranking by {_title(family)}, best first", texts=(1, len(head) - 1))
    return f"{table}<details><summary>What “at most” says</summary><p>{AT_MOST}</p></details>"


def _percent(share: Document | None) -> str:
    """A share of what real samples reach, if it is known; above it no more is meant."""
    if share is None:
        return "-"
    return f"{100 * min(share['share'], 1.0):.0f} %"


def _numbers(report: Document, family: str) -> str:
    head = ["checkpoint", "step", "samples", "k", *(each.label for each in SUMMARIES)]
    rows = list[Row]()
    if (top := ceiling_of(report, family)) is not None:
        values = (f"{top['summaries'][summary.key]:.4f}" for summary in SUMMARIES)
        rows.append((None, ["real against real", "-", "-", _short(top["k"]), *values]))
    for each in report["checkpoints"]:
        if (found := each["families"].get(family)) is not None:
            cells = [_name(each["name"]), _short(each["step"]), str(each["n"]), _short(found["k"])]
            for one in (found["summaries"][summary.key] for summary in SUMMARIES):
                if one["low"] is None:
                    ends = ""
                else:
                    ends = f"<br><small>{one['low']:.4f} to {one['high']:.4f}</small>"
                cells.append(f"{one['value']:.4f}{ends}")
            rows.append((each["name"], cells))
    words = "".join(
        f"<dt>{html.escape(each.label)}</dt><dd>{html.escape(each.explanation)}</dd>"
        for each in SUMMARIES
    )
    table = _table(head, rows, "All summaries, with 95 % of the draws", texts=(0,))
    return f"{table}<details><summary>What the columns say</summary><dl>{words}</dl></details>"


def _about(report: Document) -> str:
    reference = report["reference"]
    bootstrap = report["bootstrap"]
    settings = {
        key: (
            ", ".join(map(str, value))
            if isinstance(value, list)
            else "none"
            if value is None
            else str(value)
        )
        for key, value in report["settings"].items()
    }
    settings |= {
        "goal": _goal(report),
        "bootstrap": (
            f"{bootstrap['replicates']} resamplings, seed {bootstrap['seed']}, level"
            f" {bootstrap['level']:g}"
        ),
        "reference": f"{reference['path']}, {reference['n']} x {reference['d']}",
        "made by": ", ".join(f"{name} {value}" for name, value in report["versions"].items()),
    }
    inputs = [("reference", reference), *((each["name"], each) for each in report["checkpoints"])]
    # older reports have none
    encoders = [(each.get("encoder") or {}).get("encoder", "-") for _, each in inputs]
    rows: list[Row] = []
    for (name, each), encoder in zip(inputs, encoders, strict=True):
        cells = [_name(name), _name(each["path"]), _short(each["n"]), _name(encoder)]
        rows.append((None, [*cells, f"<code>{_name(each['digest'] or '-')}</code>"]))
    if encoders[0] != "-":
        settings |= {
            f"encoder of the reference: {key}": text for key, text in reference["encoder"].items()
        }
    return "\n".join(
        [
            f"<h2>How it was measured</h2><p>{_INTRODUCTION}</p>",
            _list(settings),
            _RERUN,
            "<details><summary>Conventions</summary>",
            _list(report["conventions"]),
            "</details><details><summary>Files and digests</summary>",
            _table(
                ["", "file", "samples", "encoder", "SHA-256 of the samples"],
                rows,
                "Files and digests",
                texts=(0, 1, 3, 4),
            ),
            "</details>",
        ]
    )


def _goal(report: Document) -> str:
    return f"{report['goal']:g}, from 0 (precision first) to 1 (recall first)"


def _table(head: Sequence[str], rows: Sequence[Row], title: str, *, texts: Sequence[int]) -> str:
    """Rows of cells that are HTML already; those of the columns in ``texts`` begin at the left."""
    cells = "".join(
        f"<th scope='col'{' class=text' if at in texts else ''}>{_name(each)}</th>"
        for at, each in enumerate(head)
    )
    body = ""
    for name, row in rows:
        of = "" if name is None else f' data-checkpoint="{_name(name)}"'
        inside = "".join(
            f"<td{' class=text' if at in texts else ''}>{cell}</td>" for at, cell in enumerate(row)
        )
        body += f"<tr{of}>{inside}</tr>"
    return (
        f"<div class='scroll' role='region' tabindex='0' aria-label='{html.escape(title)}'>"
        f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _list(texts: Mapping[str, str]) -> str:
    return f"<dl>{''.join(f'<dt>{_name(key)}</dt><dd>{_name(value)}</dd>' for key, value in texts.items())}</dl>"


def _name(text: object) -> str:
    """Foreign text as HTML, on one line."""
    return html.escape(one_line(text))


def _family(name: str) -> str:
    return html.escape(_title(name))


def _title(family: str) -> str:
    """Title of a family; its name where a report of another prviz has one that this one lacks."""
    if family in ESTIMATORS:
        return ESTIMATORS[family].title
    return one_line(family)


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.10g}"
