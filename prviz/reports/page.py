"""Writes the report as one HTML file with interactive figures and all numbers, which needs no
network.

The template page.html.j2 escapes all text, since names of files and folders come from outside.
`prviz.figures.inlined` restricts what the page may do.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from prviz.curves.summaries import SUMMARIES, rounded_up
from prviz.diagnostics.witness import GIVES_AWAY
from prviz.estimators import ESTIMATORS
from prviz.readers.errors import one_line
from prviz.reports.document import Document, ceiling_of, copied_in, curve_of, curves_of
from prviz.triage.finding import nothing_text
from prviz.triage.inputs import common_prefix
from prviz.triage.ranking import AT_MOST, draws_text, headline, marks, share_text

if TYPE_CHECKING:
    from jinja2 import Template

_SMALL = 250
_CURVES = (
    "Precision α (how much of what a model makes could be real) against recall β (how much of what"
    " is real it can make), traded by λ = α / β. Further up and to the right is better. The colour"
    " goes with the step."
)
_CEILING = " Dashed: what real samples get against real ones."
# The figure of both F8 scores, with the diagonal, follows Sajjadi et al. 2018, figure 7.
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
_HINT = (
    "Point at a curve, a point or a row and its checkpoint stands out everywhere; click, and it"
    " stays."
)
# Name of a large figure -> its caption, and its description for screen readers.
_LARGE = {
    "curves": (_CURVES, "Precision against recall of every checkpoint"),
    "trade": (_TRADE, "F8 leaning to precision against F8 leaning to recall"),
}
_WORDS = {
    "at_most": AT_MOST,
    "ceiling": _CEILING,
    "gives_away": GIVES_AWAY,
    "hint": _HINT,
    "introduction": _INTRODUCTION,
    "large": _LARGE,
    "nothing": nothing_text,
    "steps": _STEPS,
    "summaries": SUMMARIES,
}


class Row(NamedTuple):
    """The cells of one row of a table.

    checkpoint : name of the row's checkpoint, by which the page highlights the row; None: no
    highlight.
    """

    cells: Sequence[Any]
    checkpoint: str | None = None


# A table: its head, and its rows.
Table: TypeAlias = tuple[Sequence[str], Sequence[Row]]


def to_html(report: Document) -> str:
    """The report as a whole HTML page."""
    from prviz.figures.inlined import standalone_page

    title = (
        f"Triage of {len(report['checkpoints'])} checkpoints against "
        f"{one_line(report['reference']['name'])}"
    )
    basis = _basis(report)
    drawn = [name for name in report["settings"]["methods"] if report["rankings"][name]["lines"]]
    # the family of the verdict comes first, and is shown first
    drawn.sort(key=lambda name: name != basis)
    prefix = common_prefix([each["name"] for each in report["checkpoints"]])
    shown = _without(report, prefix)
    faults = _faults(shown, basis)
    body = _template().render(
        _WORDS,
        title=title,
        report=report,
        shown=shown,
        prefix=prefix,
        families={name: ceiling_of(report, name) for name in drawn},
        decision=_decision(report, basis),
        faults=faults,
        kinds=_kinds(faults or ()),
        goal=_goal(report),
        settings=_settings(report),
    )
    figures = {name: _figures(shown, name) for name in drawn}
    data = {"report": json.dumps(report, indent=1, allow_nan=False), "figures": json.dumps(figures)}
    script = _packed("page.js")
    style = _packed("page.css")
    return standalone_page(
        title, [body], data=data, script=script, style=style, schemes="light dark"
    )


def _packed(name: str) -> str:
    return files("prviz.reports").joinpath(name).read_text("utf-8")


@cache
def _template() -> Template:
    from jinja2 import Environment

    environment = Environment(
        autoescape=True, finalize=lambda value: one_line(value) if type(value) is str else value
    )
    environment.filters["title"] = _title
    environment.globals |= {
        "classes": _classes,
        "inputs": _inputs,
        "numbers": _numbers,
        "ranking": _ranking,
        "verdict": verdict,
    }
    return environment.from_string(_packed("page.html.j2"))


def _basis(report: Document) -> str:
    """The family by which the verdict was reached; in older reports the first one."""
    first: str = report["settings"]["methods"][0]
    family: str = (report.get("verdict") or {}).get("family", first)
    if family in report["rankings"]:
        return family
    return first


def _without(report: Document, prefix: str) -> Document:
    """The report, with ``prefix`` removed from the names of all checkpoints."""
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
    corner = None
    if top is not None:
        corner = (values["f8_recall"], values["f8_precision"])
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


def _decision(report: Document, basis: str) -> str:
    """The verdict in words, with the best checkpoint's share of the ceiling; "" for older reports
    without a verdict.
    """
    found = report.get("verdict")
    if not found:
        return ""
    for each in report["checkpoints"]:
        share = each.get("share_of_ceiling", {}).get(basis)
        if each["name"] == found["best"] and share is not None:
            return f"{found['sentence']} {found['best']} {share['sentence']}."
    return str(found["sentence"])


def _faults(report: Document, basis: str) -> list[Document] | None:
    """The checkpoints whose findings were searched, in the order of the ranking; None if there are
    none.
    """
    known = {
        each["name"]: each
        for each in report["checkpoints"]
        if each.get("findings") is not None  # older reports have no findings
    }
    if not known:
        return None
    ranked = (line["checkpoint"] for line in report["rankings"][basis]["lines"])
    return [known[name] for name in ranked if name in known]


def _kinds(faults: Sequence[Document]) -> str:
    """Every kind of fault and its number of checkpoints, in one line, the commonest kind first."""
    titles = Counter[str]()
    for each in faults:
        titles.update(dict.fromkeys(one["title"].lower() for one in each["findings"]).keys())
    return ", ".join(f"{title} ({number})" for title, number in titles.most_common())


def _classes(shares: Sequence[Document]) -> Table:
    """The table of one checkpoint's classes, the worst first; classes of few samples are grey."""
    from markupsafe import Markup

    rows = []
    for each in shares:
        cells: list[str] = [one_line(each["label"]), one_line(each["role"]), str(each["n"])]
        cells += [
            f"{100 * each['missed']:.0f} %",
            f"{100 * each['low']:.0f} % to {100 * each['high']:.0f} %",
        ]
        cells += [f"{100 * each['expected']:.0f} %", "worse" if each["worse"] else ""]
        if each["few"]:
            cells = [Markup("<span class='soft'>{}</span>").format(cell) for cell in cells]
        rows.append(Row(cells))
    return ("class", "of the", "samples", "missed", "interval", "expected", ""), rows


def verdict(report: Document, family: str) -> str:
    """The verdict by one family, as plain text."""
    import pandas as pd

    found = report["rankings"][family]
    if not found["lines"]:
        return f"no ranking: {one_line(found['reason'])}."
    # Names become one line of valid UTF-8, because pandas raises errors for other text, such as
    # file names in another encoding.
    candidates = _candidates(report, family)
    lines = [{**line, "checkpoint": one_line(line["checkpoint"])} for line in candidates]
    table = pd.DataFrame(lines, dtype=object)
    # Older reports have no second scores.
    table["second"] = [
        float("nan") if line.get("second") is None else line["second"] for line in lines
    ]
    left_out = len(found["lines"]) - len(candidates)
    return headline(table, _second(report), left_out=left_out).text


def _candidates(report: Document, family: str) -> list[Document]:
    """The lines of a ranking, without checkpoints that copy the reference unless all do."""
    lines: list[Document] = report["rankings"][family]["lines"]
    copied = copied_in(report)
    return [line for line in lines if line["checkpoint"] not in copied] or lines


def _second(report: Document) -> str:
    """Title of the second family, by which scores below 0.1 are ordered; "" if there is none."""
    name = (report.get("verdict") or {}).get("second_family")
    if name is None:
        return ""
    return _title(name)


def _ranking(report: Document, family: str) -> Table:
    """The table of a ranking: a row per checkpoint, the best first. The name is a button that
    highlights the checkpoint.
    """
    from markupsafe import Markup

    button = Markup('<button type="button" data-checkpoint="{0}" aria-pressed="false">{0}</button>')
    extras = list(dict.fromkeys(name for each in report["checkpoints"] for name in each["extra"]))
    known = {each["name"]: each for each in report["checkpoints"]}
    lines = report["rankings"][family]["lines"]
    ordered = any(line.get("second") is not None for line in lines)
    second = [_second(report)] if ordered else []
    head = ["", "checkpoint", "step", *extras, "score", "95 % of the draws"]
    head += ["of real against real", "true score, 95\u00a0%", *second, "best in"]
    head += ["precision side", "recall side", ""]
    best = _candidates(report, family)[0]["checkpoint"]
    rows = []
    for place, line in enumerate(lines, start=1):
        each = known[line["checkpoint"]]
        share = each.get("share_of_ceiling", {}).get(family)
        most = line.get("at_most")
        cells = [place, button.format(one_line(line["checkpoint"])), _short(each["step"])]
        cells += [_short(each["extra"].get(name)) for name in extras]
        cells += [f"{line['score']:.4f}", draws_text(line)]
        # A share above 100 % means only that the ceiling is reached, so 100 % is shown.
        cells.append("-" if share is None else f"{100 * min(share['share'], 1.0):.0f} %")
        cells.append("-" if most is None else f"at most {rounded_up(most, 4)}")
        if ordered:
            cells.append(f"{line['second']:.4f}")
        cells += [share_text(line["best"]), f"{line['precision']:.4f}", f"{line['recall']:.4f}"]
        remarks = [found["title"].lower() for found in each.get("findings") or ()]
        cells.append(", ".join(filter(None, (*remarks, marks(best, line)))))
        rows.append(Row(cells, line["checkpoint"]))
    return head, rows


def _numbers(report: Document, family: str, top: Document | None) -> Table:
    """The table of all summaries of every checkpoint by one family.

    top : the ceiling's entry, shown first; None if the report lacks it.
    """
    from markupsafe import Markup

    rows = []
    if top is not None:
        values = (f"{top['summaries'][summary.key]:.4f}" for summary in SUMMARIES)
        rows.append(Row(["real against real", "-", "-", _short(top["k"]), *values]))
    for each in report["checkpoints"]:
        if (found := each["families"].get(family)) is None:
            continue
        cells = [each["name"], _short(each["step"]), each["n"], _short(found["k"])]
        for summary in SUMMARIES:
            one = found["summaries"][summary.key]
            text = f"{one['value']:.4f}"
            if one["low"] is not None:
                ends = Markup("<br><small>{:.4f} to {:.4f}</small>").format(one["low"], one["high"])
                text += ends
            cells.append(text)
        rows.append(Row(cells, each["name"]))
    return ("checkpoint", "step", "samples", "k", *(each.label for each in SUMMARIES)), rows


def _settings(report: Document) -> Mapping[str, str]:
    reference = report["reference"]
    bootstrap = report["bootstrap"]
    settings = {key: _setting(value) for key, value in report["settings"].items()}
    settings["goal"] = _goal(report)
    settings["bootstrap"] = (
        f"{bootstrap['replicates']} resamplings, seed {bootstrap['seed']}, level"
        f" {bootstrap['level']:g}"
    )
    settings["reference"] = f"{reference['path']}, {reference['n']} x {reference['d']}"
    settings["made by"] = ", ".join(f"{name} {own}" for name, own in report["versions"].items())
    for key, text in (reference.get("encoder") or {}).items():  # older reports have no encoder
        settings[f"encoder of the reference: {key}"] = text
    return settings


def _setting(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is None:
        return "none"
    return str(value)


def _inputs(report: Document) -> Table:
    """A table of all files of samples with their digests."""
    from markupsafe import Markup

    inputs = [{**report["reference"], "name": "reference"}, *report["checkpoints"]]
    rows = []
    for each in inputs:
        encoder = (each.get("encoder") or {}).get("encoder", "-")  # older reports have no encoder
        digest = Markup("<code>{}</code>").format(one_line(each["digest"] or "-"))
        rows.append(Row([each["name"], each["path"], _short(each["n"]), encoder, digest]))
    return ("", "file", "samples", "encoder", "SHA-256 of the samples"), rows


def _goal(report: Document) -> str:
    return f"{report['goal']:g}, from 0 (precision first) to 1 (recall first)"


def _title(family: str) -> str:
    """Title of a family; its name if this version of prviz has no such family."""
    if family in ESTIMATORS:
        return ESTIMATORS[family].title
    return one_line(family)


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.10g}"
