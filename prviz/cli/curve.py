"""``prviz curve``: measures the curves of two files; writes a table, JSON, CSV or a figure."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from prviz.approximation.approximate import Approximation, approximate
from prviz.checks.flags import flags_of
from prviz.cli.several import check_several, measure_several, write_figure
from prviz.cli.terminal import (
    add_columns,
    add_device,
    add_json,
    aligned,
    check_choice,
    check_output,
    column_choice,
    memory_size,
    neighbours,
    number,
    put_text,
    say_flags,
    say_notes,
    seed_number,
    size_lines,
    split_share,
    watched,
)
from prviz.curves import NamedCurves, PRCurve
from prviz.curves.refuted import refuted_runs
from prviz.curves.summaries import rounded_up, summaries, summary_list, with_area_at_most
from prviz.diagnostics.witness import AREA_SAMPLES, GIVES_AWAY, Witness, with_areas, witness
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, can_learn, verdict_methods
from prviz.estimators.tightest import FEWEST, TIGHTEST
from prviz.measure.estimates import Estimate, estimate, method_names, passes
from prviz.measure.workload import estimate_seconds
from prviz.readers import AmbiguousKeyError, read_chosen, read_chosen_pair
from prviz.readers.columns import ColumnChoice
from prviz.readers.errors import one_line
from prviz.readers.row_roles import split_key
from prviz.reports import export
from prviz.reports.export import limit_of, too_few
from prviz.samples import SamplePair, Samples
from prviz.uncertainty.bootstrap import Spread, bootstrap, intervals_at_most
from prviz.uncertainty.upper_bound import CONFIDENCE, judge_half, known_bound

WITHOUT_LEARNERS = "the curve to believe and its bound need scikit-learn, which is not installed"
_TEXT = """Measure the precision-recall curves of generated samples against real ones. The files may
be .npy, .npz, .csv, .tsv, .jsonl, .parquet, .feather, .arrow or .safetensors, or folders of them; a
file with both roles may stand alone: two arrays, or a table with a column such as role, split,
source or is_generated."""

# The areas that remain without the features that tell the sets apart are measured if that is
# estimated to take at most AREA_SECONDS; with the family tightest they always are.
AREA_SECONDS = 10.0
NO_AREAS = "what remains without it takes long to measure: --method tightest does measure it"

_EPILOG = """Columns: AuC, area under the curve; extr, extreme precision P and recall R; F8 to P or
R, the F-score that leans to precision or to recall; med, the PR median; P@.05, precision at recall
0.05; R@.05, recall at precision 0.05 (see --b and --eps); 1-TV, one minus the total variation
distance."""


def add_curve(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz curve``, and the function that runs it."""
    parser.description = _TEXT
    parser.epilog = _EPILOG
    add = parser.add_argument
    add("real", type=Path, metavar="REAL", help="file with the real samples, or with both roles")
    add(
        "generated",
        type=Path,
        nargs="*",
        metavar="GENERATED",
        help="file with the generated samples; of several, one for each model, one family is "
        "measured",
    )
    for role in ("real", "generated"):
        add(
            f"--{role}-key",
            metavar="KEY",
            help=f"{role} samples: array of its file, or rows COLUMN=VALUE of a table",
        )
    add_columns(parser)
    add(
        "--method",
        action="append",
        metavar="NAME",
        help="family; repeat it or separate by commas (default: tightest, the curve to believe, "
        "and knn, kde, ipr, coverage); a paper's parameters stand "
        "behind colons: cluster:clusters=40, prc:k_prime=1:c=1, ppr:a=1.5, hub:t=10",
    )
    add(
        "--k",
        type=neighbours,
        default="sqrt",
        help="neighbours: an integer, or sqrt for floor(sqrt(n)) (default)",
    )
    add(
        "--bandwidth",
        type=_bandwidth,
        help="bandwidth of kde, a distance (default: mean k-NN radius of each set)",
    )
    add("--b", type=_weight, default=8.0, help="weight of the F-scores' favoured side (default: 8)")
    add(
        "--eps",
        type=_share,
        default=0.05,
        help="recall, and precision, of the columns P@ and R@ (default: 0.05)",
    )
    add(
        "--split",
        type=split_share,
        default=0.5,
        help="share of each set that defines the classifiers, or none (default: 0.5)",
    )
    add("--seed", type=seed_number, default=0, help="seed of the split (default: 0)")
    add_json(parser)
    add("--csv", metavar="PATH", help="write the curves as CSV; - is stdout")
    add(
        "--html",
        type=Path,
        metavar="PATH",
        help="write the figure and all numbers as one HTML file without scripts",
    )
    add(
        "--svg",
        "--figure",
        type=Path,
        metavar="PATH",
        help="draw the curves for a paper, as .svg, .pdf or .png, with Matplotlib: "
        "'prviz[matplotlib]'",
    )
    add(
        "--width",
        type=_width,
        default=3.25,
        help="width of the figure for a paper: 'one column' (3.25 in, default), 'two columns'"
        " (6.75 in), or inches",
    )
    add(
        "--memory-limit",
        type=memory_size,
        default="1GB",
        metavar="SIZE",
        help="most memory to use besides the samples: bytes, or a number of kB, MB, GB, KiB, "
        "MiB, GiB (default: 1GB)",
    )
    add_device(parser)
    add(
        "--approximate",
        action="store_true",
        help="for millions of samples: approximate neighbours, labelled, with their measured error",
    )
    add(
        "--bootstrap",
        type=_replicates,
        metavar="N",
        help="add 95 %% intervals of every number from N resamplings of the evaluation samples, "
        "for instance 1000",
    )
    parser.set_defaults(run=_curve)


@dataclass(frozen=True, kw_only=True)
class _Measured:
    """Everything that is printed or written about one pair of sets.

    options : options of the estimates, by name. approximation : None if the neighbours are exact.
        spreads : bootstrap intervals, by family. found : what tells the sets apart. bound : upper
        bound of the true curve. conclusion : sentence on what limits that bound.
    """

    arguments: argparse.Namespace
    pair: SamplePair
    options: Mapping[str, Any]
    estimates: Mapping[str, Estimate]
    approximation: Approximation | None
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    found: Witness
    bound: PRCurve | None = None
    conclusion: str = ""

    @property
    def known(self) -> export.KnownOfPair:
        return export.KnownOfPair(None, self.bound, self.found, self.conclusion)

    def summary_values(self, name: str) -> dict[str, float]:
        """The summaries of a family's curve, with an area of at most that of the upper bound."""
        values = summaries(self.estimates[name].curve, self.arguments.b, self.arguments.eps)
        return with_area_at_most(values, limit_of(name, self.bound))


def _curve(arguments: argparse.Namespace) -> int:
    methods = _methods(arguments)
    if len(arguments.generated) > 1:
        return _several(arguments, methods)
    _check_outputs(arguments)
    arguments.generated = next(iter(arguments.generated), None)
    measured = _measured(arguments, methods)
    pair = measured.pair
    exact = measured.approximation is None
    if exact and arguments.split is not None:
        bound, conclusion = _bound(arguments, pair, measured.estimates, measured.found)
        measured = replace(measured, bound=bound, conclusion=conclusion)
    if exact and can_learn():
        measured = replace(measured, found=_with_areas(measured))
    _write(measured)
    conclusion = measured.conclusion
    if "-" not in (arguments.json, arguments.csv):
        lines = _table(measured)
        if (bound := measured.bound) is not None:
            share = f"{100 * CONFIDENCE:.0f} %"
            lines.append(
                f"the true AuC is at most {rounded_up(bound.auc, 4)}, with {share} confidence"
            )
        lines += [conclusion] if conclusion else []
        lines += _witness_lines(measured.found)
        sys.stdout.write("\n".join(lines) + "\n")
        return 0
    if measured.approximation is not None:
        sys.stderr.write(f"prviz: {measured.approximation.label}\n")
    # Only the lack of scikit-learn is said here. That the samples are few follows from the numbers
    # in the output.
    if conclusion.startswith(WITHOUT_LEARNERS):
        sys.stderr.write(f"prviz: {conclusion}\n")
    return 0


def _measured(arguments: argparse.Namespace, methods: Sequence[str]) -> _Measured:
    """The pair, its estimates, bootstrap intervals if --bootstrap is given, and what tells the sets
    apart.
    """
    pair = _read(arguments)
    say_flags(flags_of(pair))
    options = {name: getattr(arguments, name) for name in ("k", "bandwidth", "split", "seed")}
    limit = arguments.memory_limit
    approximation = None
    seconds = None
    if not arguments.approximate:
        work = passes(methods, split=arguments.split)
        seconds = estimate_seconds(pair.real.n, pair.generated.n, pair.d, **work)
    with watched(seconds) as progress:
        limited: dict[str, Any] = {**options, "memory_limit": limit, "progress": progress}
        if arguments.approximate:
            approximation = approximate(pair.real, pair.generated, methods, **limited)
            estimates = approximation.estimates
        else:
            estimates = estimate(pair, methods, **limited)
    spreads: dict[str, Spread] = {}
    if arguments.bootstrap is not None:
        for name, each in estimates.items():
            spread = bootstrap(each, arguments.bootstrap, seed=arguments.seed)
            spreads[name] = replace(spread, b=arguments.b, eps=arguments.eps)
    return _Measured(
        arguments=arguments,
        pair=pair,
        options=options,
        estimates=estimates,
        approximation=approximation,
        spreads=spreads,
        found=witness(pair, without=False, seed=arguments.seed, memory_limit=limit),
    )


def _several(arguments: argparse.Namespace, methods: Sequence[str]) -> int:
    """Measure several models by one family: the one named, else tightest, else kNN."""
    chosen = methods if arguments.method is not None else methods[:1]
    check_several(arguments, chosen)
    _check_outputs(arguments)
    if arguments.real_key is not None:
        raise ValueError("--real-key chooses from one file; name a file of its own for each set")
    choice = column_choice(arguments)
    real = _read_one(arguments.real, None, "--real-key", choice)
    generated = [
        _read_one(path, arguments.generated_key, "--generated-key", choice)
        for path in arguments.generated
    ]
    check_choice(choice, [real, *generated])
    say_notes([real, *generated])
    measure_several(arguments, chosen[0], real, generated)
    return 0


def _with_areas(measured: _Measured) -> Witness:
    """What tells the two sets apart, with the area of the curve that remains after each remedy.

    The areas are left out if the samples are too few, or if tightest is not among the families and
    the areas would take long.
    """
    arguments = measured.arguments
    pair = measured.pair
    found = measured.found
    if min(side.n_independent for side in pair) < FEWEST:
        return found
    work = passes([TIGHTEST.name], split=0.5)
    real, generated = (min(side.n, AREA_SAMPLES) for side in pair)
    area = None
    # The area of the whole curve is the one that the table shows.
    if TIGHTEST.name in measured.estimates:
        area = measured.summary_values(TIGHTEST.name)["auc"]
    elif estimate_seconds(real, generated, pair.d, **work) > AREA_SECONDS:
        if found.named:
            return replace(found, notes=(*found.notes, NO_AREAS))
        return found
    with watched(None) as progress:
        limited: dict[str, Any] = {"memory_limit": arguments.memory_limit, "progress": progress}
        return with_areas(found, pair, area=area, seed=arguments.seed, **limited)


def _bound(
    arguments: argparse.Namespace,
    pair: SamplePair,
    estimates: Mapping[str, Estimate],
    found: Witness,
) -> tuple[PRCurve | None, str]:
    """The upper bound of the true curve, and a sentence on what limits it ("" if nothing does).

    If the user names families without tightest, these families give the bound. The sentence says
    that scikit-learn is missing, or that the samples are too few.
    """
    few = min(side.n_independent for side in pair) < FEWEST
    if arguments.method is not None and TIGHTEST.name not in estimates:
        return known_bound(estimates.values(), held_out=True), ""
    if not can_learn():
        return known_bound(
            estimates.values(), held_out=True
        ), f"{WITHOUT_LEARNERS}: pip install scikit-learn"
    with watched(None) as progress:
        drawn = pair.split(arguments.split, arguments.seed)
        half = judge_half(
            drawn, arguments.seed, memory_limit=arguments.memory_limit, progress=progress
        )
    return half.bound, too_few(half.told_apart or found.told_apart) if few else ""


def _methods(arguments: argparse.Namespace) -> list[str]:
    plain = arguments.approximate or arguments.split is None
    chosen = arguments.method or (DEFAULT_METHODS if plain else verdict_methods())
    names = list(dict.fromkeys(name for entry in chosen for name in entry.split(",")))
    for name in names:
        if name.partition(":")[0] not in ESTIMATORS:
            raise ValueError(f"--method {name!r} is unknown; choose from {', '.join(ESTIMATORS)}")
        if name == TIGHTEST.name and not can_learn():
            raise ValueError(
                f"--method {name}: {WITHOUT_LEARNERS}; choose from {', '.join(DEFAULT_METHODS)}"
            )
    return method_names(names)


def _check_outputs(arguments: argparse.Namespace) -> None:
    """Raise ValueError for outputs that can't be written, before any measurement."""
    if arguments.svg is not None:
        from prviz.figures.paper import check_target

        check_target(arguments.svg, "--svg")
    if arguments.json == arguments.csv == "-":
        raise ValueError("--json and --csv can't both go to stdout; give one of them a path")
    taken = [arguments.real, *arguments.generated]
    for option in ("json", "csv", "html", "svg"):
        target = getattr(arguments, option)
        if target is None or (target == "-" and option in ("json", "csv")):
            continue
        check_output(option, target, taken)
        taken.append(target)


def _read(arguments: argparse.Namespace) -> SamplePair:

    keys = (arguments.real_key, arguments.generated_key)
    choice = column_choice(arguments)
    if arguments.generated is not None:
        sets = (
            _read_one(arguments.real, keys[0], "--real-key", choice),
            _read_one(arguments.generated, keys[1], "--generated-key", choice),
        )
        check_choice(choice, sets)
        say_notes(sets)
        return SamplePair(*sets)
    if (keys[0] is None) != (keys[1] is None):
        raise ValueError(
            "one file with both roles needs both --real-key and --generated-key, or neither"
        )
    try:
        pair = read_chosen_pair(arguments.real, choice, keys=None if keys[0] is None else keys)
    except AmbiguousKeyError as error:
        raise ValueError(_here(error, _both(error.choices))) from None
    check_choice(choice, pair)
    say_notes(pair)
    return pair


def _read_one(path: Path, key: str | None, option: str, choice: ColumnChoice) -> Samples:

    try:
        return read_chosen(path, choice, key=key)
    except AmbiguousKeyError as error:
        raise ValueError(
            _here(error, f"{option} {shlex.quote(error.choices[0])}, for instance")
        ) from None


def _both(choices: Sequence[str]) -> str:
    """Text on the options that choose the two sets of one file, such as --real-key and
    --generated-key. It gives their values only if the file says which set is real.
    """
    column, rows = split_key(choices[0])
    if column is not None and rows is not None:
        real, generated = map(shlex.quote, choices[:2])
        return f"--real-key {real} --generated-key {generated}, for instance"
    columns = {choice.partition("=")[0] for choice in choices if "=" in choice}
    name = "COLUMN"
    if len(columns) == 1:
        name = shlex.quote(columns.pop())
    own = "KEY"
    chosen = own
    if rows is not None:
        own = "VALUE"
        chosen = f"{name}={own}"
    return f"--real-key {chosen} --generated-key {chosen}, each with its own {own}"


def _here(error: Exception, options: str) -> str:
    """The error's text with the ``options`` inserted in front of the code that joins parts of a
    set, if there is such code.
    """
    sentence, mark, recipe = str(error).partition(" If they are parts of one set")
    return f"{sentence} Here: {options}.{mark}{recipe}"


def _write(measured: _Measured) -> None:
    arguments = measured.arguments
    approximation = measured.approximation
    curves = {name: each.curve for name, each in measured.estimates.items()}
    if arguments.json:
        text = export.to_json(
            measured.estimates,
            pair=measured.pair,
            settings={**measured.options, "b": arguments.b, "eps": arguments.eps},
            known=measured.known,
            approximation=approximation,
            spreads=measured.spreads,
        )
        put_text(arguments.json, text)
    if arguments.csv:
        put_text(arguments.csv, export.curves_csv(curves, approximate=approximation is not None))
    if arguments.svg:
        write_figure(arguments, curves, measured.bound)
    if arguments.html:
        put_text(str(arguments.html), _page(measured, curves))


def _page(measured: _Measured, curves: NamedCurves) -> str:
    """The HTML page with the figure and all numbers of the pair."""
    from prviz.figures.svg import pr_svg

    pair = measured.pair
    title = f"{pair.generated.name} (generated) against {pair.real.name} (real)"
    automatic = {"bandwidth": "auto", "split": "none"}
    words = []
    for name, value in measured.options.items():
        words.append(f"{name} {automatic[name] if value is None else value}")
    parts = [", ".join(words)]
    bands = {name: each.band() for name, each in measured.spreads.items()}
    parts += [f"shaded: {band.meaning}s" for band in list(bands.values())[:1]]
    notes = None
    suffix = ""
    if measured.approximation is not None:
        parts.append(measured.approximation.label)
        notes = dict.fromkeys(curves, "approximate")
        suffix = " (approximate)"
    line = "; ".join(parts)
    bound = measured.bound
    return export.curves_html(
        pr_svg(curves, title=title, subtitle=line, bound=bound, bands=bands, notes=notes),
        {f"{ESTIMATORS[name].title}{suffix}": each for name, each in curves.items()},
        title=title,
        settings=line,
        known=measured.known._replace(flags=flags_of(pair)),
        weights=(measured.arguments.b, measured.arguments.eps),
    )


def _table(measured: _Measured) -> list[str]:
    """Lines of the printed table: samples, approximation, and for each method its numbers and
    intervals.
    """
    bound = measured.bound
    shorts = (each.short for each in summary_list(measured.arguments.b, measured.arguments.eps))
    rows = [["method", "k", *shorts]]
    remarks = dict[int, str]()
    for name, each in measured.estimates.items():
        k = "-" if each.k is None else str(each.k)
        values = measured.summary_values(name).values()
        most = limit_of(name, bound)
        if bound is not None and most is None and (runs := refuted_runs(each.curve, bound)):
            where = ", ".join(f"{low:.3g} <= lam <= {high:.3g}" for low, high in runs)
            remarks[len(rows)] = f"  refuted, {where}"
        rows.append([each.method, k, *(f"{value:.4f}" for value in values)])
        # Two rows for the bootstrap intervals: the lower ends and the upper ends, named by
        # percentile.
        if name in measured.spreads:
            spread = measured.spreads[name]
            tail = 50 * (1 - spread.level)
            sides = zip(*intervals_at_most(spread.intervals, most).values(), strict=True)
            for share, side in zip((tail, 100 - tail), sides, strict=True):
                rows.append([f"  {share:g} %", "", *(f"{end:.4f}" for end in side)])
    lines = size_lines(measured.pair)
    if measured.approximation is not None:
        lines.append(measured.approximation.label)
    for place, line in enumerate(aligned(rows)):
        lines.append(line + remarks.get(place, ""))
    return lines


def _witness_lines(found: Witness) -> list[str]:
    """Lines on what tells the sets apart."""
    first, *others = map(one_line, (*found.statements, *found.notes))
    return [f"{GIVES_AWAY.lower()}: {first}", *(f"  {each}" for each in others)]


def _width(text: str) -> float:
    from prviz.figures.paper import width_in_inches

    try:
        return width_in_inches(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _bandwidth(text: str) -> float:
    if 0 < (value := number(text)) < float("inf"):
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a positive number")


def _weight(text: str) -> float:
    if 1e-3 <= (value := number(text)) <= 1e3:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.001 to 1000")


def _share(text: str) -> float:
    if 0 <= (value := number(text)) <= 1:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")


def _replicates(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) >= 2:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 2")
