"""Section "Sweep": measures a grid of problems, estimators and settings; each combination gives one
row.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared import cache
from pages._shared.widgets import choose_one, plain, say_refusal
from pages._shared.work_box import WorkRequest, box
from prviz import figures
from prviz.cli.sweep import config_arguments, config_text
from prviz.curves import PRCurve
from prviz.curves.limits import LIMITS, limit_seconds
from prviz.curves.summaries import COMPARISONS, SUMMARIES
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.figures import theme
from prviz.live.figure import Pane
from prviz.measure.workload import duration
from prviz.studies.sweeps import (
    COLUMNS,
    SETTINGS,
    Cell,
    Files,
    SweepGrid,
    sweep_cells,
    sweep_means,
    sweep_seconds,
)
from prviz.toys import TOYS, ToyProblem, toy

IDEA = (
    "Measure every combination of the problems, estimators and settings that you choose. The exact"
    " precision-recall curve of every problem here is known, so each row says how far its estimate"
    " is off: **IoU** is the area under both curves, the estimate and the truth, divided by the"
    " area under either (1 is perfect); **excess** is the share that only the estimate covers (too"
    " optimistic), **deficit** the share that only the truth covers (too pessimistic)."
)
# Limits of one sweep on the page, which the shell does not have. MOST_MEASURED: rows; MOST_VALUES:
# values in one set of samples; MOST_SECONDS: seconds of one measurement.
MOST_MEASURED = 5_000
MOST_VALUES = 10_000 * 2_048
MOST_SECONDS = 60.0
_ALLOWED = (
    f"at most {MOST_MEASURED:,} are measured for a page: take fewer values or repeats, or the"
    " shell, which has no limit"
)


class Field(NamedTuple):
    """One field of the form: a list of values of the grid.

    key : the field's name in the configuration file. label, help : its texts on the page.
    offered : the values to choose from. first : the values that are chosen at first.
    whole : True if only whole numbers are allowed.
    word : a word that is allowed besides numbers; it means `value`.
    """

    key: str
    label: str
    offered: tuple[str, ...]
    first: tuple[str, ...]
    whole: bool
    word: str
    value: Any
    help: str


FIELDS = (
    Field(
        "ns",
        "Samples n per set",
        ("own", "200", "500", "1000", "2000", "5000"),
        ("500", "2000"),
        True,
        "own",
        None,
        "As many real and as many generated samples; own: as many as the publication has.",
    ),
    Field(
        "ks",
        "Neighbours k",
        ("sqrt", "2", "4", "8", "16", "32", "64"),
        ("4", "sqrt"),
        True,
        "sqrt",
        "sqrt",
        "How many nearest neighbours a ball holds; sqrt: the root of n. Families without neighbours"
        " have one row.",
    ),
    Field(
        "splits",
        "Splits",
        ("none", "0.25", "0.5", "0.75"),
        ("0.5", "none"),
        False,
        "none",
        None,
        "Share of each set that defines the classifiers, the rest measures their errors; none: the"
        " same samples do both. Trained classifiers have no rows without a split.",
    ),
    Field(
        "dims",
        "Dimensions d",
        ("own", "2", "8", "32", "128"),
        ("own",),
        True,
        "own",
        None,
        "Number of features of every sample; own: that of the problem as it is published.",
    ),
    Field(
        "bandwidths",
        "Bandwidths of KDE",
        ("auto", "0.5", "1", "2"),
        ("auto",),
        False,
        "auto",
        None,
        "Radius of KDE's balls in units of the data; auto: in each set its mean distance to the"
        " k-th neighbour.",
    ),
)


def entries(field: Field, texts: Sequence[str]) -> list[Any]:
    """The values of a field that the user has chosen or typed, without duplicates.

    Raises ValueError for a text that is neither a number nor the field's word.
    """
    kind = "whole numbers" if field.whole else "numbers"
    legal = f'{kind} or "{field.word}" are needed, such as {", ".join(field.first)}'
    found = []
    parts = [
        part for text in texts for part in re.split(r"[,;\s]+", text[:MOST_CHARACTERS]) if part
    ]
    if not parts:
        raise ValueError(f"{field.label} ({field.key}): nothing was given; {legal}")
    for part in parts:
        try:
            found.append(
                field.value if part.lower() == field.word else (int if field.whole else float)(part)
            )
        except ValueError:
            raise ValueError(f"{field.label} ({field.key}): {part!r} was given; {legal}") from None
    return list(dict.fromkeys(found))


def named_problems() -> dict[str, ToyProblem]:
    """By a short title, every toy with its default settings and with each of its published
    settings.
    """
    found: dict[str, ToyProblem] = {}
    for name in TOYS:
        usual = toy(name)
        title = usual.title.split(":")[0]
        found[title] = usual
        others = {
            f"{title}, {label}": toy(name, **parameters)
            for label, parameters in usual.presets.items()
        }
        found |= {label: other for label, other in others.items() if other != usual}
    return found


def checked_cells(arguments: Mapping[str, Any]) -> list[Cell]:
    """The cells of `prviz.sweep` for these arguments.

    Raises ValueError or TypeError, also if they exceed the page's limits.
    """
    pairs = (
        math.prod(len(arguments[key]) for key in ("problems", "dims", "ns", "splits"))
        * arguments["repeats"]
    )
    if pairs > MOST_MEASURED:
        raise ValueError(f"{pairs:,} pairs of samples are asked for; {_ALLOWED}")
    cells = sweep_cells(SweepGrid(**arguments))
    if (rows := sum(len(cell.wanted) for cell in cells)) > MOST_MEASURED:
        raise ValueError(f"{rows:,} rows are asked for; {_ALLOWED}")
    for cell in cells[:: arguments["repeats"]]:
        n = cell.n or (2 if isinstance(cell.problem, Files) else cell.problem.default_n)
        d = 1
        if not isinstance(cell.problem, Files):
            d = cell.problem.parameters["d"]
        if n * d > MOST_VALUES:
            raise ValueError(
                f"n = {n:,} and d = {d:,} are {n * d:,} numbers per set; at most {MOST_VALUES:,}"
                " are drawn for a page, the shell takes more"
            )
        seconds = sweep_seconds([cell]) or 0.0
        if seconds > MOST_SECONDS:
            raise ValueError(
                f"n = {n:,} and d = {d:,} take {duration(seconds)} at a time, which nobody can"
                f" stop; at most {duration(MOST_SECONDS)} are measured for a page: take smaller n"
                " or d, or the shell"
            )
    return cells


FIRST_PROBLEMS = ("Gaussian mixtures", "Shifted generator")
MOST_REPEATS = 100
MOST_CHARACTERS = 200
CONFIG = "grid.toml"
ROWS = "rows.parquet"
KEY = "lab-sweep"
# A sweep that is estimated to take fewer seconds than this starts without a click.
AT_ONCE = 4.0
# Numbers that the heat map can show. AuC is the area under the estimate, not under the truth.
NUMBERS = {
    "iou": ("IoU", COMPARISONS["iou"][1]),
    "excess": (
        "Excess",
        "Share of the area under either curve that only the estimate covers: too optimistic.",
    ),
    "deficit": (
        "Deficit",
        "Share of the area under either curve that only the truth covers: too pessimistic.",
    ),
    "auc": ("AuC", next(each.explanation for each in SUMMARIES if each.key == "auc")),
}
# The heat map shows at most this many settings; the table has all.
MOST_SETTINGS = 40
# The table shows at most this many rows; the files have all.
MOST_LISTED = 500
# Figures over k. LEAST_KS: fewest k for a figure; MOST_PANES: most figures; LIMIT_SECONDS: most
# seconds to compute one limit for infinitely many samples.
LEAST_KS = 3
MOST_PANES = 6
LIMIT_SECONDS = 1.0
Line = tuple[list[int], list[float]]  # values of k, and the IoU at each of them
_ROOTS = {"sqrt": "√n"}


def draw() -> None:
    try:
        text = config_text(_chosen())
        cells = checked_cells(config_arguments(text, CONFIG))
    except (ValueError, TypeError) as error:
        say_refusal(plain(str(error)))
        return
    # measure the first repeat of every cell first, so that every cell of the heat map soon has a
    # value
    early = sorted(cells, key=lambda cell: cell.repeat)
    seconds = sweep_seconds(cells) or 0.0
    box(
        WorkRequest(("sweep", text), "Sweep", early, COLUMNS, seconds, at_once=seconds <= AT_ONCE),
        _draw,
    )
    with st.expander("The same in a shell", icon=":material/terminal:"):
        st.markdown(
            f"Save this as `{CONFIG}`. The rows are the same to the last digit, except for their"
            " seconds; a stopped sweep continues when the command is run again."
        )
        st.code(text, language="toml", wrap_lines=True)
        st.code(f"prviz sweep {CONFIG} --out {ROWS}", language="bash", wrap_lines=True)


def _chosen() -> dict[str, Any]:
    """Draw the form; return the arguments for `prviz.sweep`.

    Raises ValueError for an entry that can't be used.
    """
    offered = named_problems()
    left, middle, right = st.columns([5, 5, 2], vertical_alignment="bottom")
    problems = left.multiselect(
        "Problems", list(offered), FIRST_PROBLEMS, key="sweep.problems", persist_state="session"
    )
    methods = middle.multiselect(
        "Estimators",
        list(ESTIMATORS),
        DEFAULT_METHODS,
        format_func=lambda name: ESTIMATORS[name].title,
        key="sweep.methods",
        persist_state="session",
    )
    with right.popover("Settings", icon=":material/tune:", width="stretch"):
        typed = {
            field: st.multiselect(
                field.label,
                field.offered,
                field.first,
                accept_new_options=True,
                key=f"sweep.{field.key}",
                help=f"{field.help} Type any other value.",
                persist_state="session",
            )
            for field in FIELDS
        }
        repeats = st.number_input(
            "Repeats",
            1,
            MOST_REPEATS,
            3,
            key="sweep.repeats",
            help=(
                "Fresh samples and a fresh split for each; mean and spread are those over the"
                " repeats."
            ),
            persist_state="session",
        )
        seed = st.number_input(
            "Seed",
            0,
            2**31,
            0,
            key="sweep.seed",
            help="Another seed draws other samples.",
            persist_state="session",
        )
    for key, chosen in {"Problems (problems)": problems, "Estimators (methods)": methods}.items():
        if not chosen:
            raise ValueError(f"{key}: nothing was given; at least one is needed")
    return {
        "problems": [offered[label] for label in problems],
        "methods": methods,
        **{field.key: entries(field, texts) for field, texts in typed.items()},
        "repeats": int(repeats),
        "seed": int(seed),
    }


def _draw(rows: pd.DataFrame, complete: bool) -> None:
    shown = {key: title for key, (title, _) in NUMBERS.items()}
    number = choose_one("Shown", shown, "iou", key="sweep.number", label_visibility="collapsed")
    means = sweep_means(rows, number)
    texts = [_setting_texts(row) for row in means[list(SETTINGS)].to_dict("records")]
    of = pd.Series([each["problem"] for each in texts], index=means.index)
    top = theme.reach(float(means["mean"].max()))
    panes = list[Pane]()
    for problem, part in means.groupby(of, sort=False):
        own = [each for each in texts if each["problem"] == problem]
        pane = _heat_map(f"sweep-{len(panes)}", part, own, number, top)
        panes.append(replace(pane, wide=of.nunique() == 1, half=of.nunique() > 1))
    live_figure(KEY, panes)
    if number == "iou":
        _over_k(rows)
    with st.expander("Means and spreads as a table"):
        st.dataframe(means.drop(columns="parameters").round(4), hide_index=True)
    with st.expander("Every row"):
        st.dataframe(
            rows.drop(columns=["key", "parameters"]).head(MOST_LISTED).round(4), hide_index=True
        )
        if len(rows) > MOST_LISTED:
            st.caption(f"The first {MOST_LISTED} of {len(rows)} rows; the files below have all.")


def _heat_map(
    key: str, means: pd.DataFrame, texts: Sequence[Mapping[str, str]], number: str, top: float
) -> Pane:
    """Pane with a heat map of the means of one number for one problem.

    texts : the settings of each row of `means`, as texts by name. top : value at the upper end of
    the colour scale.
    """
    name, explained = NUMBERS[number]
    labels, common = _labels(texts)
    methods = list(dict.fromkeys(means["method"]))
    settings = list(dict.fromkeys(labels))
    left = len(settings) - MOST_SETTINGS
    settings = settings[:MOST_SETTINGS]
    cells = []
    columns = means[["mean", "spread", "repeats"]].to_numpy(dtype=float)
    for label, method, numbers in zip(labels, means["method"], columns.tolist(), strict=True):
        if label in settings and math.isfinite(numbers[0]):
            place = settings.index(label), methods.index(method)
            cells.append(figures.MeanCell(*place, *numbers))
    worse = number in ("excess", "deficit")
    figure = figures.sweep_figure(
        methods, settings, cells, label=name, less_is_better=worse, top=top
    )
    words = [explained, "± is the standard deviation over the repeats, the number their mean."]
    if left > 0:
        words.append(f"{left} more settings are in the table.")
    alt = f"Heat map of {name}; the table below has the numbers."
    return Pane(key, figure, f"{name}: {common}", help=" ".join(words), alt=alt)


def _over_k(rows: pd.DataFrame) -> None:
    """Draw a figure of the IoU over k for every pair that was measured at several k, with the IoU's
    limits for infinitely many samples.
    """
    panes: list[Pane] = []
    same = ["problem", "parameters", "d", "n_real", "split"]
    setting: Any
    for setting, pair in rows.dropna(subset="k_used").groupby(same, dropna=False, sort=False):
        name, parameters, _, n, split = setting
        if pair["k_used"].nunique() < LEAST_KS or len(panes) == MOST_PANES:
            continue
        problem = toy(name, **json.loads(parameters))
        unsplit = bool(pd.isna(split))
        truth = problem.truth()
        lines = dict[str, Line]()
        limits = dict[str, Line]()
        for method, own in pair.groupby("method", sort=False):
            means = own.groupby("k_used")["iou"].mean()
            ks = [int(k) for k in means.index]
            lines[str(method)] = ks, means.tolist()
            if method in LIMITS and not unsplit:
                limits[str(method)] = ks, [_limit_iou(problem, truth, str(method), k) for k in ks]
        figure = figures.iou_sweep_figure(
            lines, xlabel="neighbours k (log scale)", limits=limits, best="highest"
        )
        title = (
            f"{problem.title}, d = {problem.d}, n = {n:,}, "
            f"{'no split' if unsplit else f'split {split:g}'}"
        )
        panes.append(Pane(f"sweep-k-{len(panes)}", figure, title, half=True))
    if panes:
        st.markdown("##### Over k")
        st.caption(
            "Stars: the k that comes closest to the truth for this pair and n. Dotted, for kNN,"
            " Coverage and iPR: the limit for ever more samples at this k; its distance from 1 is"
            " the price of that k."
        )
        live_figure(f"{KEY}-k-{len(panes)}", panes)


def _limit_iou(problem: ToyProblem, truth: PRCurve, method: str, k: int) -> float:
    """IoU of the truth with the estimate's limit for infinitely many samples; nan if computing it
    would take long.
    """
    if limit_seconds(truth, method, k) > LIMIT_SECONDS:
        return math.nan
    key = ("limit", problem.name, tuple(sorted(problem.parameters.items())), method, k)
    found: PRCurve = cache.remembered(key, lambda: problem.limit(method, k))
    return found.iou(truth)


def _setting_texts(row: Mapping[Hashable, Any]) -> dict[str, str]:
    """The settings of a row as texts by name, without the estimator and without settings that the
    estimator does not have.
    """
    # Find the problem's title in the form: the problem that has the same parameters, except d.
    wanted = json.loads(str(row["parameters"])) | {"d": None}
    title = str(row["problem"])
    for label, problem in named_problems().items():
        if (
            problem.name == row["problem"]
            and json.loads(json.dumps(problem.parameters)) | {"d": None} == wanted
        ):
            title = label
            break
    found = {"problem": title}
    values = {name: row[name] for name in ("d", "n", "split", "k", "bandwidth")}
    words = {"split": "no split", "n": "n as published"}
    for name, value in values.items():
        if not pd.isna(value):
            found[name] = f"{name} = {_ROOTS.get(value, value)}"
        elif name in words:
            found[name] = words[name]
    return found


def _labels(texts: Sequence[Mapping[str, str]]) -> tuple[list[str], str]:
    """A label for each row, made of the settings in which rows differ; and a text with the settings
    that all rows share.
    """
    names = list(dict.fromkeys(name for each in texts for name in each))
    same = [name for name in names if len({each.get(name) for each in texts}) == 1]
    labels = []
    for each in texts:
        lines = []
        if "problem" not in same:
            lines = each["problem"].split(", ", 1)
        rest = ", ".join(
            each[name] for name in names if name in each and name not in (*same, "problem")
        )
        labels.append("\n".join([*lines, rest]).strip() or each["problem"])
    return labels, ", ".join(texts[0][name] for name in same)
