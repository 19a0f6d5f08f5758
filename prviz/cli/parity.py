"""``prviz parity``: the numbers of two files by every published convention."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from prviz.cli.tables import add_columns, check_choice, column_choice
from prviz.readers.errors import one_line

if TYPE_CHECKING:
    from prviz.measure.curve_conventions import CurveConvention
    from prviz.samples import SamplePair

_ROLES = ("real", "generated")


def add_parity(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz parity``, and the function that runs it."""
    parser.description = (
        "Why two tools disagree: precision, recall, density, coverage and median realism of two files by every "
        "published convention; Frechet distance, KID, clipped density and coverage, Vendi and RKE."
    )
    for role in _ROLES:
        parser.add_argument(role, type=Path, metavar=role.upper(), help=f"file with the {role} samples")
        parser.add_argument(f"--{role}-key", metavar="KEY", help=f"which array of its file the {role} samples are")
    add_columns(parser)
    parser.add_argument("--k", type=int, default=5, help="neighbours (default: 5)")
    add_conventions(parser, "also the areas under four curves without split, and their IoU with prviz's own")
    parser.set_defaults(run=_parity)


def add_conventions(parser: argparse.ArgumentParser, effect: str) -> None:
    """Give ``parser`` the options of a `CurveConvention`. effect : what they add, for the help."""
    group = parser.add_argument_group("conventions that papers leave open", f"With any of them: {effect}.")
    group.add_argument(
        "--self",
        choices=("count", "none", "radius", "both"),
        help="without split, what a sample counts for in its own ball: in the count alone, as in prviz (default); "
        "nothing; as its own first neighbour, in the radius; or both",
    )
    group.add_argument("--rays", type=int, metavar="N", help="IoU of curves drawn by 9 to 1001 rays (default: exact)")
    group.add_argument("--gammas", action="store_true", help="the classifiers' thresholds too lie on these rays")


def chosen_convention(arguments: argparse.Namespace) -> CurveConvention | None:
    """The convention of the options; None where none is given. Raises ValueError for options that don't go together."""
    from prviz.measure.curve_conventions import CurveConvention

    if arguments.self is None and arguments.rays is None and not arguments.gammas:
        return None
    return CurveConvention(arguments.self or "count", arguments.rays, arguments.gammas)


def _parity(arguments: argparse.Namespace) -> int:
    """Lines on the samples, the numbers (marked where they differ from the first row) and each row's meaning."""
    from prviz.measure.scalars import conventions
    from prviz.readers import read_chosen
    from prviz.samples import SamplePair

    convention = chosen_convention(arguments)
    choice = column_choice(arguments)
    pair = SamplePair(
        read_chosen(arguments.real, choice, key=arguments.real_key),
        read_chosen(arguments.generated, choice, key=arguments.generated_key),
    )
    check_choice(choice, pair)
    rows = conventions(pair.real, pair.generated, arguments.k)
    numbers = ("precision", "recall", "density", "coverage", "realism")
    lines = [f"{role:9}  {one_line(each.name)}  {each.n} x {each.d}" for role, each in zip(_ROLES, pair, strict=True)]
    width = max(len(row.name) for row in rows)
    lines += [f"k = {arguments.k}", "", "  ".join([" " * width, *(f"{name:>10}" for name in numbers)])]
    for row in rows:
        cells = []
        for name in numbers:
            value, first = getattr(row, name), getattr(rows[0], name)
            differs = value != first and not math.isnan(value)
            cells.append(f"{'-' if math.isnan(value) else f'{value:.4f}':>9}{'*' if differs else ' '}")
        lines.append("  ".join([row.name.ljust(width), *cells]).rstrip())
    lines += ["", "* differs from the first row; - does not exist", ""]
    lines += [f"{row.name}: {row.meaning}" + (f" ({row.tools})" if row.tools else "") for row in rows]
    lines += _other_numbers(pair, arguments.k)
    lines += [] if convention is None else _curves(pair, arguments.k, convention)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


def _other_numbers(pair: SamplePair, k: int) -> list[str]:
    """Lines on Frechet distance, KID, the clipped numbers, Vendi and RKE, with what each can't see."""
    from prviz.measure.blind_spots import BLIND_SPOTS
    from prviz.measure.frechet import frechet_distance
    from prviz.measure.kernel_scores import kid
    from prviz.measure.scalars import scalars

    found, frechet, subsets = scalars(*pair, k=k), frechet_distance(*pair), kid(*pair, subsets=100)
    notes = {
        "frechet_distance": frechet.caveat
        or ("" if math.isnan(frechet.bias) else f"about {frechet.bias:.4g} of it is the bias of so few samples"),
        "kid": f"+- {found['kid_std']:.4g} from all samples; by torch-fidelity, mean and deviation of 100 subsets of "
        f"up to 1,000: {subsets.value:.6g} +- {subsets.std:.4g}",
    }
    lines = [""]
    for name, spot in BLIND_SPOTS.items():
        if name in found and name not in ("precision", "recall", "density", "coverage"):
            value = "-" if math.isnan(found[name]) else f"{found[name]:.6g}"
            lines.append(f"{name:17}{value:>12}" + (f"  {notes[name]}" if notes.get(name) else ""))
            lines.append(f"{'':17}{'':12}  can't see: {spot}")
    return lines


def _curves(pair: SamplePair, k: int, convention: CurveConvention) -> list[str]:
    """Lines on the curves without split: area and IoU with prviz's own, by the convention."""
    from prviz.estimators import DEFAULT_METHODS
    from prviz.measure.curve_conventions import SELF_COUNTING
    from prviz.measure.estimates import measure

    if k < 2:
        raise ValueError(f"k = {k}; curves at k - 1 are needed for --self, --rays and --gammas: k from 2")
    pairs = [(method, each, None) for method in DEFAULT_METHODS for each in (k, k - 1)]
    estimates = measure(pair.split(None), pairs, 0)
    drawn = "exact" if convention.rays is None else f"{convention.rays} rays"
    drawn += ", thresholds on them" if convention.gammas else ""
    lines = ["", f"curves without split, {drawn}; {SELF_COUNTING[convention.self_counting]}", ""]
    lines.append(f"{'':10}{'AuC':>8}{'prviz':>8}{'IoU':>8}")
    for at_k, at_fewer in zip(estimates[::2], estimates[1::2], strict=True):
        curve = convention.curve(at_k, at_fewer, held_out=False)
        numbers = (curve.auc, at_k.curve.auc, convention.iou(curve, at_k.curve))
        lines.append(f"{at_k.method:10}" + "".join(f"{number:8.4f}" for number in numbers))
    return lines
