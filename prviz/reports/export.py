"""Exports results: JSON with all of them, CSV for spreadsheets, self-contained HTML, and a Python
program that computes them again.

Results contain names from users and files, so every format keeps names as text: JSON by its own
rules, CSV without formulas, HTML escaped, Python as quoted literals.
"""

from __future__ import annotations

import csv
import html
import io
import json
import math
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import prviz
from prviz.checks.finding import Finding
from prviz.checks.flags import flags_of
from prviz.curves import NamedCurves, PRCurve
from prviz.curves.refuted import refuted_runs
from prviz.curves.summaries import (
    DIVERGENCES,
    EPS,
    SUMMARIES,
    TRUTH,
    B,
    numbers,
    rounded_up,
    summaries,
    summary_list,
    table_columns,
    with_area_at_most,
)
from prviz.diagnostics.witness import GIVES_AWAY, Witness
from prviz.estimators.tightest import FEWEST, TIGHTEST
from prviz.measure.estimates import Estimate
from prviz.reports.settings import ExploreSettings

# Re-exported, as one more format of results.
from prviz.reports.snippet import (
    python_snippet as python_snippet,
)
from prviz.samples import SamplePair, Samples
from prviz.uncertainty.bootstrap import Spread, intervals_at_most
from prviz.uncertainty.upper_bound import CONFIDENCE, NO_LOWER_BOUND

if TYPE_CHECKING:
    import pandas as pd

    from prviz.approximation.approximate import Approximation

SCHEMA = "prviz-curves"
SCHEMA_VERSION = 1

CONVENTIONS = {
    "roles": "P is the distribution of the real samples, Q that of the generated ones.",
    "fpr": "share of the real evaluation samples that a classifier calls generated",
    "fnr": "share of the generated evaluation samples that a classifier calls real",
    "curve": "lower-left convex hull of (fpr, fnr), with the trivial classifiers (0, 1) and (1, 0)",
    "precision": "alpha(lam) = min over classifiers of lam * fpr + fnr, lam from 0 to infinity",
    "recall": "beta(lam) = alpha(lam) / lam",
    "balls": (
        "closed; a point is no neighbour of itself, by its index, when its radius is computed, but"
        " without split it is counted in its own ball"
    ),
    "k": "neighbours; 'sqrt' is floor(sqrt(n)), n the size of the smaller set before the split",
    "bandwidth": (
        "of the family kde: a multiple of the mean k-NN radius if bandwidth_unit says so, else a"
        " distance"
    ),
    "repeats": "if there are several, each curve is the mean over them at every lam",
    "split": (
        "share of each set that defines the classifiers; the rest measures them; null: no split"
    ),
    "f8_precision": "largest (b^2 + 1) / (b^2 / alpha + 1 / beta), b = 8",
    "f8_recall": "the same with alpha and beta exchanged",
    "upper_bound": (
        "with this confidence the true curve lies below this one, and the true area below auc, if"
        f" samples are independent. {NO_LOWER_BOUND}"
    ),
    "intervals": (
        "percentiles of bootstrap replicates: evaluation samples are drawn again with replacement,"
        " supports stay as they are"
    ),
    "flags": "properties of the samples that change what a number means; a warning needs action",
    "witness": (
        "features and samples that tell the sets apart; columns and rows are counted from 0. area:"
        " area under the curve to believe, with all features, without the named ones, and after"
        " each remedy"
    ),
    "iou": "shared area over joint area with the truth; iou + excess + deficit = 1",
}


# Style of the page that `curves_html` writes.
_STYLE = """body { margin: 1rem auto; max-width: 960px; padding: 0 1rem; color: #1f2430;
  background: #ffffff;
  font: 16px/1.5 "prviz Sans", Helvetica, Arial, "Liberation Sans", Arimo, sans-serif;
  overflow-wrap: anywhere; }
svg { width: 100%; height: auto; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #d5d9e0; text-align: right;
  white-space: nowrap; }
thead th { white-space: normal; vertical-align: bottom; }
th:first-child { text-align: left; }"""


class SavedCurves(NamedTuple):
    """Result of `from_json`: the saved curves by name, and the saved truth or None."""

    curves: dict[str, PRCurve]
    truth: PRCurve | None


class KnownOfPair(NamedTuple):
    """What an export says about a pair of sets besides its estimated curves.

    truth : the true curve, or None.
    bound : an upper bound of the true curve, as by `prviz.upper_bound`, or None.
    witness : what tells the two sets apart, or None.
    conclusion : a sentence in plain text that replaces the usual advice, such as that of `too_few`;
    "" for none.
    flags : findings on the samples, whose warnings a page shows above the figure.
    """

    truth: PRCurve | None = None
    bound: PRCurve | None = None
    witness: Witness | None = None
    conclusion: str = ""
    flags: Sequence[Finding] = ()


NOTHING_KNOWN = KnownOfPair()


def to_json(
    estimates: Mapping[str, Estimate],
    *,
    pair: SamplePair,
    settings: ExploreSettings | Mapping[str, Any],
    known: KnownOfPair = NOTHING_KNOWN,
    curves: NamedCurves | None = None,
    approximation: Approximation | None = None,
    spreads: Mapping[str, Spread] | None = None,
) -> str:
    """A measurement with all its results as strict JSON: without NaN and Infinity, and with
    vertices to the last bit.

    Parameters
    ----------
    estimates : estimates by method.
    pair : the samples that were measured; their names, shapes and digests are written, no values.
    settings : the settings, including b and eps of the summaries. The bandwidth in
        `ExploreSettings` is a multiple of the mean k-NN radius; in a mapping it is a distance, as
        for `prviz.estimate`. The entry ``bandwidth_unit`` of the JSON says which.
    known : what else is known of the pair; what is None or "" is written as null.
    curves : mean curves over repeats by method, which replace the curves of the estimates.
    approximation : the result that approximate estimates come from; its measured errors are written
        too.
    spreads : intervals of the summaries, by method.

    Numbers that JSON lacks are the strings "inf" and "-inf", or null for nan.
    """
    if isinstance(settings, ExploreSettings):
        chosen = asdict(settings)
        unit = "mean k-NN radius at k = sqrt(n)"
    else:
        chosen = dict(settings)
        unit = "distance"
    weights = float(chosen.get("b", B)), float(chosen.get("eps", EPS))
    truth, bound, witness, conclusion, _ = known
    methods = {}
    for name, each in estimates.items():
        curve = (curves or {}).get(name, each.curve)
        most = limit_of(name, bound)
        methods[name] = _method(each) | _curve(curve, truth, *weights, most)
        if bound is not None:
            methods[name]["above_upper_bound"] = bool(refuted_runs(each.curve, bound))
        if spreads and name in spreads:
            methods[name]["intervals"] = _intervals(spreads[name], most)
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "versions": {
            "prviz": prviz.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "conventions": _conventions(*weights),
        "settings": {**chosen, "bandwidth_unit": unit},
        "approximate": approximation and _approximate(approximation),
        "inputs": {
            "real": _input(pair.real),
            "generated": _input(pair.generated),
            "pair_digest": pair.digest,
        },
        "flags": [each.entry() for each in flags_of(pair)],
        "truth": None if truth is None else _curve(truth, None, *weights),
        "upper_bound": None if bound is None else bound_entry(bound),
        "witness": None if witness is None else witness.entry(),
        "conclusion": conclusion or None,
        "methods": methods,
    }
    return json.dumps(_strict(document), indent=1, allow_nan=False)


def bound_entry(bound: PRCurve) -> dict[str, Any]:
    """An upper bound of the true curve as JSON types."""
    fpr, fnr = bound.vertices.T
    return {
        "confidence": CONFIDENCE,
        "auc": bound.auc,
        "vertices": {"fpr": fpr.tolist(), "fnr": fnr.tolist()},
    }


def _approximate(approximation: Approximation) -> dict[str, Any]:
    supports = next(iter(approximation.estimates.values())).supports
    return {
        "label": approximation.label,
        "list_recall": approximation.list_recall,
        "errors": {name: each._asdict() for name, each in approximation.errors.items()},
        "sample": approximation.sample,
        "evaluated": {"real": supports.n_real, "generated": len(supports.c_real) - supports.n_real},
    }


def _conventions(b: float, eps: float) -> dict[str, str]:
    """CONVENTIONS with the F-scores for this b, under the keys that the summaries have for b and
    eps.
    """
    named = {old.key: new.key for old, new in zip(SUMMARIES, summary_list(b, eps), strict=True)}
    return {
        named.get(key, key): text.replace("b = 8", f"b = {b:g}")
        for key, text in CONVENTIONS.items()
    }


def _input(side: Samples) -> dict[str, Any]:
    return {
        "name": side.name,
        "n": side.n,
        "d": side.d,
        "dtype": str(side.values.dtype),
        "digest": side.digest,
        "encoder": dict(side.encoder) or None,
    }


def _method(estimate: Estimate) -> dict[str, Any]:
    bandwidth = estimate.bandwidth
    distances = None
    if bandwidth is not None:
        distances = {"real": bandwidth[0], "generated": bandwidth[1]}
    return {"method": estimate.method, "k": estimate.k, "bandwidth_distance": distances}


def _curve(
    curve: PRCurve, truth: PRCurve | None, b: float, eps: float, most: float | None = None
) -> dict[str, Any]:
    fpr, fnr = curve.vertices.T
    return {
        "vertices": {"fpr": fpr.tolist(), "fnr": fnr.tolist()},
        "summaries": with_area_at_most(summaries(curve, b, eps), most),
        "divergences": {each.key: each.of(curve) for each in DIVERGENCES},
        "comparison": None if truth is None else curve.compare(truth)._asdict(),
    }


def _intervals(spread: Spread, most: float | None) -> dict[str, Any]:
    ends = {key: each._asdict() for key, each in intervals_at_most(spread.intervals, most).items()}
    return {"level": spread.level, "replicates": len(spread.curves), "summaries": ends}


def _strict(value: Any) -> Any:
    """A value converted to types of strict JSON."""
    if isinstance(value, Mapping):
        return {str(key): _strict(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        if value > 0:
            return "inf"
        return "-inf"
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value)


def from_json(text: str) -> SavedCurves:
    """The curves in a document that `to_json` wrote, equal to the original curves to the last bit.

    Raises ValueError for any other text, and for another schema version.
    """
    try:
        document = json.loads(text, parse_constant=no_constant)
        if document["schema"] != SCHEMA or document["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"this is not a {SCHEMA} document of version {SCHEMA_VERSION}")
        curves = {name: _vertices(entry) for name, entry in document["methods"].items()}
        truth = document["truth"]
        return SavedCurves(curves, None if truth is None else _vertices(truth))
    except (KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"text is no {SCHEMA} document: {type(error).__name__} {error}") from error


def no_constant(word: str) -> float:
    """Raise ValueError for a NaN or Infinity in JSON, which Python's parser accepts although JSON
    has neither.
    """
    raise ValueError(f"{word} is not JSON")


def _vertices(entry: Mapping[str, Any]) -> PRCurve:
    vertices = entry["vertices"]
    return PRCurve(np.column_stack([vertices["fpr"], vertices["fnr"]]).astype(float))


def curves_csv(
    curves: NamedCurves,
    *,
    truth: PRCurve | None = None,
    points: int = 200,
    approximate: bool = False,
) -> str:
    """Points of curves as CSV, with the columns curve, lam, precision, recall, and fpr and fnr of
    the classifier that is optimal at lam.

    curves : curves by name.
    truth : the true curve, written first with the name "truth", or None.
    points : number of rays at equally spaced angles per curve, besides its vertices; lam runs from
    0 to inf.
    approximate : True to mark the names as approximate. Numbers have all their digits.
    """
    named = [
        (f"{name} (approximate)" if approximate else name, curve) for name, curve in curves.items()
    ]
    shown = named if truth is None else [(TRUTH, truth), *named]
    rows: list[list[Any]] = [["curve", "lam", "precision", "recall", "fpr", "fnr"]]
    for name, curve in shown:
        lam, alpha, beta = curve.sample(points)
        rates = curve.vertices[curve.vertex_at(lam)]
        rows += [[name, *row] for row in np.column_stack([lam, alpha, beta, rates]).tolist()]
    return csv_text(rows)


def summaries_csv(
    curves: NamedCurves,
    *,
    truth: PRCurve | None = None,
    bound: PRCurve | None = None,
    b: float = B,
    eps: float = EPS,
    approximate: bool = False,
) -> str:
    """One row per curve as CSV: name, then iou, excess and deficit if the truth is known, then
    every summary by its key.

    curves, truth, approximate : as in `curves_csv`.
    b, eps : as in `prviz.curves.summaries.summaries`.
    bound : an upper bound of the truth, at which the area of the tightest family is cut off.
    """
    named = {
        f"{name} (approximate)" if approximate else name: curve for name, curve in curves.items()
    }
    shown = named if truth is None else {TRUTH: truth, **named}
    rows = {
        name: with_area_at_most(numbers(curve, truth, b, eps), limit_of(name, bound))
        for name, curve in shown.items()
    }
    head = ["curve", *(column.key for column in table_columns(truth is not None, b, eps))]
    return csv_text([head, *([name, *row.values()] for name, row in rows.items())])


def table_csv(table: pd.DataFrame) -> str:
    """A table as CSV, with its index as the first column and missing numbers empty."""
    head = [table.index.name or "", *table.columns]
    body = zip(table.index.tolist(), *(table[column].tolist() for column in table), strict=True)
    return csv_text([head, *body])


def group_csv(
    samples: Samples,
    rows: ArrayLike,
    keys: ArrayLike,
    *,
    numbers: ArrayLike,
    group: str,
    lam: float,
    method: str,
) -> str:
    """All samples of one confusion group as CSV: id, every label, key, group, lam and method.

    rows : (m,) rows of the group's samples in ``samples``.
    keys : (m,) keys c_Y / c_X of these samples, by which the classifier decides; nan (0/0) becomes
    empty.
    numbers : (n,) id of every row of ``samples``, such as its row in the file, counted from 1.
    """
    ids = np.asarray(numbers)
    columns = list(samples.labels.items())
    head = ["id", *(name for name, _ in columns), "key", "group", "lam", "method"]
    body = (
        [ids[row], *(column[row] for _, column in columns), key, group, lam, method]
        for row, key in zip(np.asarray(rows).tolist(), np.asarray(keys).tolist(), strict=True)
    )
    return csv_text([head, *body])


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Rows as CSV, in which no cell is a formula for a spreadsheet.

    Numbers have all their digits; None and nan are empty.
    """
    out = io.StringIO()
    # All text is quoted: by default Python leaves a lone carriage return unquoted, which readers
    # take for the end of a line.
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows([[_cell(value) for value in row] for row in rows])
    return out.getvalue()


def _cell(value: Any) -> str | float:
    """A cell's value; text that a spreadsheet would take for a formula gets an apostrophe in
    front.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float):
        if math.isnan(value):
            return ""
        return value
    text = "" if value is None else str(value)
    if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")):
        return f"'{text}"
    return text


def too_few(told_apart: bool) -> str:
    """The only conclusion on a pair with fewer than FEWEST independent samples in a set; it names
    no area.
    """
    differ = "the sets are not told apart"
    if told_apart:
        differ = "the sets differ"
    return f"{differ}; with under {FEWEST} samples of a set that is all: too few to say more"


def limit_of(name: str, bound: PRCurve | None) -> float | None:
    """The upper limit that texts state for the area of the curve with this name or title; None: no
    limit.

    Only the area of the tightest family is cut off, at that of the bound. The curve of another
    family beyond the bound is reported as refuted instead.
    """
    if bound is not None and name in (TIGHTEST.name, TIGHTEST.title):
        return bound.auc
    return None


def _to_believe(curves: NamedCurves, bound: PRCurve | None, *, enough: bool) -> list[str]:
    """Sentences if the truth is not known: which of ``curves`` (by title) to believe, and which the
    bound refutes.

    enough : False if the samples are too few to believe any curve.
    """
    said = []
    if TIGHTEST.title in curves and enough:
        area = curves[TIGHTEST.title].auc
        if bound is not None:
            area = min(area, bound.auc)
        said.append(
            f"Believe {area:.2f}, of the {TIGHTEST.title.lower()}: held-out curves lie above the"
            " truth, up to chance."
        )
    if bound is not None:
        said.append(f"The true area is at most {rounded_up(bound.auc, 2)} (95 %).")
        others = {name: curve for name, curve in curves.items() if name != TIGHTEST.title}
        refuted = [name for name, curve in others.items() if refuted_runs(curve, bound)]
        if refuted:
            said += [f"Refuted where thin, beyond the bound: {', '.join(refuted)}."]
    return said


def curves_html(
    svg: str,
    curves: NamedCurves,
    *,
    title: str,
    settings: str,
    link: str = "",
    known: KnownOfPair = NOTHING_KNOWN,
    weights: tuple[float, float] = (B, EPS),
) -> str:
    """One HTML file without scripts: the figure, a table of its numbers, the settings and a link.

    svg : the figure, made by `prviz.figures.svg.pr_svg`.
    curves : curves by the names that the table shows.
    title, settings : plain text.
    link : address that opens the same settings in Explore, or "".
    known : what else is known of the pair. Its truth is the table's first row; its bound cuts off
        the area of the family "tightest"; its witness and its conclusion are shown below the
        figure. A conclusion replaces the advice on which curve to believe.
    weights : b and eps of the summaries, as in `prviz.curves.summaries.summaries`.
    """
    from prviz.figures.inlined import standalone_page

    truth, bound, witness, conclusion, flags = known
    columns = table_columns(truth is not None, *weights)
    shown = curves if truth is None else {TRUTH: truth, **curves}
    head = "".join(
        f'<th scope="col" title="{html.escape(each.explanation)}">{html.escape(each.label)}</th>'
        for each in columns
    )
    body = ""
    for name, curve in shown.items():
        row = with_area_at_most(numbers(curve, truth, *weights), limit_of(name, bound))
        cells = "".join(f"<td>{value:.3f}</td>" for value in row.values())
        body += f'<tr><th scope="row">{html.escape(name)}</th>{cells}</tr>'
    table = f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody>"
    address = html.escape(link)
    said = ""
    if truth is None:
        said = " ".join(_to_believe(curves, bound, enough=not conclusion))
    if conclusion:
        said += f" {conclusion[0].upper()}{conclusion[1:]}."
    return standalone_page(
        title,
        [
            *(
                f"<p><b>Warning</b>: {html.escape(each.line)}</p>"
                for each in flags
                if each.level == "warning"
            ),
            svg,
            f"<p>{html.escape(said.strip())}</p>" if said else "",
            "" if witness is None else f"<p><b>{GIVES_AWAY}</b>: {html.escape(witness.text)}.</p>",
            (
                '<div class="scroll" role="region" tabindex="0" aria-label="All'
                f' numbers"><table>{table}</table></div>'
            ),
            f"<p>{html.escape(settings)}; prviz {prviz.__version__}</p>",
            (
                f'<p><a href="{address}">{address}</a></p>'
                if link.startswith(("http://", "https://"))
                else ""
            ),
        ],
        style=_STYLE,
    )
