"""``prviz parity``: metrics of two files by every published convention, to compare tools."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from prviz.checks.flags import flags_of
from prviz.cli.terminal import (
    add_columns,
    add_json,
    check_choice,
    check_output,
    column_choice,
    put_text,
    say_flags,
    say_notes,
    size_lines,
    watched,
)
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.blind_spots import BLIND_SPOTS
from prviz.measure.curve_conventions import (
    PAPERS,
    SELF_COUNTING,
    CurveConvention,
    PaperConvention,
    paper_convention,
    paper_curve,
)
from prviz.measure.estimates import measure, pr_curve
from prviz.measure.frechet import (
    FrechetDifference,
    FrechetDistance,
    MeasuredFrechet,
    frechet_difference,
    measured_frechet,
)
from prviz.measure.kernel_scores import kid
from prviz.measure.scalars import conventions, numbers_of_sets
from prviz.neighbors.threads import Progress, part_of
from prviz.readers import read_chosen
from prviz.readers.errors import one_line
from prviz.samples import SamplePair, Samples

# Number of subsets for KID by torch-fidelity's convention.
SUBSETS = 100


def add_parity(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz parity``, and the function that runs it."""
    parser.description = (
        "Why two tools disagree: precision, recall, density, coverage and median realism of two"
        " files by every published convention; Frechet distance, KID, clipped density and coverage,"
        " Vendi and RKE."
    )
    parser.add_argument("real", type=Path, metavar="REAL", help="file with the real samples")
    parser.add_argument(
        "generated",
        type=Path,
        nargs="+",
        metavar="GENERATED",
        help=(
            "file with the generated samples; of several, Frechet distances are compared on the"
            " same real samples"
        ),
    )
    for role in ("real", "generated"):
        parser.add_argument(
            f"--{role}-key",
            metavar="KEY",
            help=f"name of the array with the {role} samples, if a file has several",
        )
    add_json(parser)
    add_columns(parser)
    parser.add_argument("--k", type=int, default=5, help="neighbours (default: 5)")
    add_conventions(
        parser, "also the areas under four curves without split, and their IoU with prviz's own"
    )
    parser.set_defaults(run=_parity)


def add_conventions(parser: argparse.ArgumentParser, effect: str) -> None:
    """Give ``parser`` the options of a `CurveConvention`. effect : what the options add to the
    output, for the help text.
    """
    group = parser.add_argument_group(
        "conventions that papers leave open", f"With any of them: {effect}."
    )
    group.add_argument(
        "--self",
        choices=("count", "none", "radius", "both"),
        help=(
            "without split, what a sample counts for in its own ball: in the count alone, as in"
            " prviz (default); nothing; as its own first neighbour, in the radius; or both"
        ),
    )
    group.add_argument(
        "--rays",
        type=int,
        metavar="N",
        help="IoU of curves drawn by 9 to 1001 rays (default: exact)",
    )
    group.add_argument(
        "--convention",
        choices=("2024", "2026", "prdc"),
        help="set all of these options, k and split as this paper or package does",
    )
    group.add_argument(
        "--gammas",
        action="store_true",
        help="put the classifiers' thresholds on the rays of --rays too",
    )


def chosen_convention(arguments: argparse.Namespace) -> CurveConvention | PaperConvention | None:
    """The convention that the options choose; None if none is given.

    Raises ValueError for options that exclude each other.
    """
    alone = arguments.self is None and arguments.rays is None and not arguments.gammas
    if arguments.convention is not None:
        if not alone:
            raise ValueError("--convention sets --self, --rays and --gammas: give it alone")
        return paper_convention(arguments.convention)
    if alone:
        return None
    return CurveConvention(arguments.self or "count", arguments.rays, arguments.gammas)


def _parity(arguments: argparse.Namespace) -> int:
    """Print the numbers of each generated set and the differences between the sets, or write
    JSON.
    """
    convention = chosen_convention(arguments)
    k = arguments.k
    if arguments.json not in (None, "-"):
        check_output("json", arguments.json, [arguments.real, *arguments.generated])
    pairs = _pairs(arguments)
    found = []
    distances = []
    with watched(None) as line:
        for place, pair in enumerate(pairs):
            progress = part_of(line, place, len(pairs))
            distances.append(measured_frechet(pair))
            found.append(_numbers(pair, k, distances[-1].distance(), progress))
    differences = _differences(pairs, distances)
    if arguments.json:
        document = {
            "k": k,
            "real": _size(pairs[0].real),
            "generated": _sets(pairs, found, k, convention),
            "differences": [
                {"a": one, "b": other, "frechet_distance": each._asdict()}
                for one, other, each in differences
            ],
        }
        put_text(arguments.json, json.dumps(_strict(document), ensure_ascii=False, allow_nan=False))
        if arguments.json == "-":
            return 0
    parts = []
    for pair, numbers in zip(pairs, found, strict=True):
        lines = [*_table(pair, k, numbers)]
        if convention is not None:
            lines += _curves(pair, k, convention)
        parts.append("\n".join(lines))
    said = [_difference_text(*each) for each in differences]
    if said:
        said = ["", *said]
    sys.stdout.write("\n".join(["\n\n\n".join(parts), *said, ""]))
    return 0


def _pairs(arguments: argparse.Namespace) -> list[SamplePair]:
    """Read the real set and every generated set; print notes and flags; return the pairs."""
    choice = column_choice(arguments)
    real = read_chosen(arguments.real, choice, key=arguments.real_key)
    generated = [
        read_chosen(path, choice, key=arguments.generated_key) for path in arguments.generated
    ]
    check_choice(choice, [real, *generated])
    say_notes([real, *generated])
    pairs = [SamplePair(real, each) for each in generated]
    for pair in pairs:
        say_flags(flags_of(pair))
    return pairs


def _sets(
    pairs: Sequence[SamplePair],
    found: Sequence[Mapping[str, Any]],
    k: int,
    convention: CurveConvention | PaperConvention | None,
) -> list[dict[str, Any]]:
    """For JSON: the numbers and flags of each generated set, and the areas under its curves if a
    convention is chosen.
    """
    sets = []
    for pair, numbers in zip(pairs, found, strict=True):
        areas = None
        if convention is not None:
            areas = _areas(pair, k, convention)
        flags = [flag.entry() for flag in flags_of(pair)]
        sets.append({**_size(pair.generated), **numbers, "curves": areas, "flags": flags})
    return sets


def _differences(
    pairs: Sequence[SamplePair], distances: Sequence[MeasuredFrechet]
) -> list[tuple[str, str, FrechetDifference]]:
    """For every two generated sets: their names, and how much their Fréchet distances differ."""
    found = []
    for one, other in combinations(range(len(pairs)), 2):
        apart = frechet_difference(pairs[one].real, distances[one], distances[other])
        found.append((pairs[one].generated.name, pairs[other].generated.name, apart))
    return found


def _difference_text(first: str, second: str, apart: FrechetDifference) -> str:
    if math.isnan(apart.low):
        return f"frechet_distances are not compared: {one_line(apart.caveat)}"
    return (
        f"frechet_distance of {one_line(first)} less that of {one_line(second)}:"
        f" {apart.difference:.6g}, 95 % interval {apart.low:.6g} to {apart.high:.6g}, of"
        " ever more samples"
    )


def _size(samples: Samples) -> dict[str, Any]:
    return {"name": samples.name, "n": samples.n, "d": samples.d, "digest": samples.digest}


def _strict(value: Any) -> Any:
    """The value for strict JSON: infinities become "inf" and "-inf", and nan becomes null."""
    if isinstance(value, dict):
        return {key: _strict(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_strict(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return None
        return str(value)
    return value


def _numbers(
    pair: SamplePair, k: int, frechet: FrechetDistance, progress: Progress
) -> dict[str, Any]:
    """All numbers of one generated set with their notes: conventions, Fréchet distance, KID etc."""
    rows = conventions(pair.real, pair.generated, k, progress=part_of(progress, 0, 10, 6))
    sets = numbers_of_sets(pair, k, progress=part_of(progress, 6, 10, 2))
    subsets = kid(pair.real, pair.generated, subsets=SUBSETS, progress=part_of(progress, 8, 10, 2))
    distance = frechet._asdict()
    if pair.smaller <= pair.d:
        distance["value"] = math.nan
    numbers: dict[str, Any] = {
        name: each._asdict() for name, each in sets.items() if name != "kid_std"
    }
    numbers["frechet_distance"] = distance
    numbers["kid"] |= {
        "std": sets["kid_std"].value,
        "subsets": {
            "count": SUBSETS,
            "value": subsets.value,
            "std": subsets.std,
            "caveat": subsets.caveat,
        },
    }
    return {
        "flags": [],
        "conventions": [row._asdict() for row in rows],
        "numbers": {
            name: {**numbers[name], "blind_spot": spot}
            for name, spot in BLIND_SPOTS.items()
            if name in numbers
        },
    }


def _table(pair: SamplePair, k: int, found: Mapping[str, Any]) -> list[str]:
    """Lines on one pair: sizes, a table of the conventions, the meaning of each row, and the other
    numbers.

    A * marks values that differ from the first row.
    """
    rows = found["conventions"]
    names = ("precision", "recall", "density", "coverage", "realism")
    width = max(len(row["name"]) for row in rows)
    lines = [*size_lines(pair), f"k = {k}", ""]
    lines.append("  ".join([" " * width, *(f"{name:>10}" for name in names)]))
    for row in rows:
        cells = [row["name"].ljust(width)]
        for name in names:
            value = row[name]
            exists = not math.isnan(value)
            mark = " "
            if exists and value != rows[0][name]:
                mark = "*"
            cells.append(f"{f'{value:.4f}' if exists else '-':>9}{mark}")
        lines.append("  ".join(cells).rstrip())
    lines += ["", "* differs from the first row; - does not exist", ""]
    for row in rows:
        tools = ""
        if row["tools"]:
            tools = f" ({row['tools']})"
        caveat = ""
        if row["caveat"]:
            caveat = f"; -: {row['caveat']}"
        lines.append(f"{row['name']}: {row['meaning']}{tools}{caveat}")
    lines.append("")
    for name, number in found["numbers"].items():
        value = "-"
        if not math.isnan(number["value"]):
            value = f"{number['value']:.6g}"
        note = _note(name, number)
        lines.append(f"{name:17}{value:>12}" + (f"  {note}" if note else ""))
        lines.append(f"{'':17}{'':12}  can't see: {number['blind_spot']}")
    return lines


def _note(name: str, number: Mapping[str, Any]) -> str:
    """Remark on a number: bias, deviation and interval, or why the number is missing."""
    if name == "frechet_distance" and not math.isnan(number["bias"]):
        held = f"{number['low']:.6g} to {number['high']:.6g}"
        bias = f"about {number['bias']:.4g} of it is the bias of so few samples"
        return "; ".join(
            filter(None, (bias, f"of ever more samples: {held}, a 95 % interval", number["caveat"]))
        )
    if name == "kid" and not math.isnan(number["value"]):
        subsets = number["subsets"]
        inside = f"{subsets['value']:.6g} +- {subsets['std']:.4g}"
        told = subsets["caveat"] if math.isnan(subsets["value"]) else inside
        return (
            f"+- {number['std']:.4g} from all samples; by torch-fidelity, mean and deviation of"
            f" {subsets['count']} subsets of up to 1,000: {told}"
        )
    return str(number["caveat"])


def _areas(
    pair: SamplePair, k: int, convention: CurveConvention | PaperConvention
) -> dict[str, dict[str, float]]:
    """For each method: the area by the convention, prviz's own area at the same k and split, and
    the IoU of these two curves.

    A `CurveConvention` has no split; a `PaperConvention` sets k and split.
    """
    if isinstance(convention, PaperConvention):
        (name,) = (name for name, each in PAPERS.items() if each is convention)
        by_paper = {}
        for method, (number, split) in convention.settings.items():
            curve = paper_curve(pair.real, pair.generated, method, convention=name)
            own = pr_curve(pair.real, pair.generated, method, k=number, split=split)
            iou = convention.drawn[method].iou(curve, own)
            by_paper[method] = {"auc": curve.auc, "prviz": own.auc, "iou": iou}
        return by_paper
    if k < 2:
        raise ValueError(
            f"k = {k}; curves at k - 1 are needed for --self, --rays and --gammas: k from 2"
        )
    wanted = [(method, each, None) for method in DEFAULT_METHODS for each in (k, k - 1)]
    estimates = measure(pair.split(None), wanted, 0)
    found = {}
    for at_k, at_fewer in zip(estimates[::2], estimates[1::2], strict=True):
        curve = convention.curve(at_k, at_fewer, held_out=False)
        iou = convention.iou(curve, at_k.curve)
        found[at_k.method] = {"auc": curve.auc, "prviz": at_k.curve.auc, "iou": iou}
    return found


def _curves(pair: SamplePair, k: int, convention: CurveConvention | PaperConvention) -> list[str]:
    """Lines that list the areas under the curves by the convention and by prviz."""
    if isinstance(convention, CurveConvention):
        drawn = "exact"
        if convention.rays is not None:
            drawn = f"{convention.rays} rays"
        if convention.gammas:
            drawn += ", thresholds on them"
        said = f"curves without split, {drawn}; {SELF_COUNTING[convention.self_counting]}"
    else:
        said = f"curves as by {convention.source}"
    lines = ["", said, ""]
    lines.append(f"{'':10}{'AuC':>8}{'prviz':>8}{'IoU':>8}")
    for method, numbers in _areas(pair, k, convention).items():
        lines.append(f"{method:10}" + "".join(f"{number:8.4f}" for number in numbers.values()))
    return lines
