"""``prviz curve REAL A B C``: several models against one reference, in one figure."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from prviz.checks.flags import flags_of
from prviz.cli.terminal import aligned, say_flags, watched
from prviz.curves import PRCurve
from prviz.curves.summaries import with_area_at_most
from prviz.estimators import resolve_k
from prviz.estimators.tightest import TIGHTEST
from prviz.measure.estimates import estimate
from prviz.readers.atomic_files import named
from prviz.samples import SamplePair, Samples
from prviz.uncertainty.upper_bound import judge_half

# Options that work with one model only.
_OF_ONE = ("json", "csv", "html", "bootstrap", "approximate")


def check_several(arguments: argparse.Namespace, methods: Sequence[str]) -> None:
    """Raise ValueError for options that work with one model only, if several models are named."""
    for name in _OF_ONE:
        if getattr(arguments, name):
            raise ValueError(
                f"--{name} is of one model, and {len(arguments.generated)} are named; run it for"
                " each alone, or rank them with prviz triage"
            )
    if len(methods) > 1:
        raise ValueError(
            f"--method names {', '.join(methods)}; several models are drawn by one family"
        )


def names_of(paths: Sequence[Path]) -> list[str]:
    """The shortest ends of the paths, without file extensions, that are all different."""
    parts = [[*path.parts[:-1], path.stem] for path in paths]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(each[-length:]) for each in parts]
        if len(set(names)) == len(names):
            return names
    raise ValueError(f"{paths[0]} is named twice; several models are several files")


def measure_several(
    arguments: argparse.Namespace, method: str, real: Samples, generated: Sequence[Samples]
) -> None:
    """Measure each model, print a table with a row for each, and write the figure if --svg is
    given.
    """
    names = names_of(arguments.generated)
    pairs = {name: SamplePair(real, each) for name, each in zip(names, generated, strict=True)}
    k = min(resolve_k(arguments.k, pair) for pair in pairs.values())
    curves: dict[str, PRCurve] = {}
    bounds: dict[str, PRCurve] = {}
    rows = []
    for name, pair in pairs.items():
        curves[name], bound = _measured(arguments, method, pair, k)
        most = None if bound is None else bound.auc
        area = with_area_at_most({"auc": curves[name].auc}, most)["auc"]
        rows.append([name, str(pair.generated.n), f"{area:.4f}"])
        if bound is not None:
            bounds[name] = bound
            rows[-1].append(f"{bound.auc:.4f}")
    head = ["model", "n", "AuC", *(["at most"] if bounds else [])]
    split = "none"
    if arguments.split is not None:
        split = f"{arguments.split:g}"
    lines = [line.rstrip() for line in aligned([head, *rows])]
    lines.append(f"{method}, k {k}, split {split}, seed {arguments.seed}; {real.n} real samples")
    sys.stdout.write("\n".join(lines) + "\n")
    write_figure(arguments, curves, bounds)


def _measured(
    arguments: argparse.Namespace, method: str, pair: SamplePair, k: int
) -> tuple[PRCurve, PRCurve | None]:
    """The curve of one model, and, if the family is tightest, an upper bound of the true curve."""
    seed = arguments.seed
    split = arguments.split
    say_flags(flags_of(pair))
    with watched(None) as progress:
        limited: dict[str, Any] = {"memory_limit": arguments.memory_limit, "progress": progress}
        choice = {"k": k, "bandwidth": arguments.bandwidth, "split": split, "seed": seed}
        curve = estimate(pair, method, **choice, **limited)[method].curve
        if method != TIGHTEST.name:
            return curve, None
        return curve, judge_half(pair.split(split, seed), seed, **limited).bound


def write_figure(
    arguments: argparse.Namespace,
    curves: dict[str, PRCurve],
    bound: PRCurve | dict[str, PRCurve] | None,
) -> None:
    """Write the figure for a paper, if --svg is given."""
    from prviz.figures.paper import save

    if arguments.svg is not None:
        with named(arguments.svg):
            save(curves, arguments.svg, bound=bound or None, width=arguments.width)
