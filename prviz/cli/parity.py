"""``prviz parity``: the numbers of two files by every published convention."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from prviz.readers.errors import one_line

_ROLES = ("real", "generated")


def add_parity(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz parity``, and the function that runs it."""
    parser.description = (
        "Why two tools disagree: precision, recall, density, coverage and median realism of two files by every "
        "published convention."
    )
    for role in _ROLES:
        parser.add_argument(role, type=Path, metavar=role.upper(), help=f"file with the {role} samples")
        parser.add_argument(f"--{role}-key", metavar="KEY", help=f"which array of its file the {role} samples are")
    parser.add_argument("--k", type=int, default=5, help="neighbours (default: 5)")
    parser.set_defaults(run=_parity)


def _parity(arguments: argparse.Namespace) -> int:
    """Lines on the samples, the numbers (marked where they differ from the first row) and each row's meaning."""
    from prviz.measure.scalars import conventions
    from prviz.readers import read
    from prviz.samples import SamplePair

    real = read(arguments.real, key=arguments.real_key)
    generated = read(arguments.generated, key=arguments.generated_key)
    rows = conventions(real, generated, arguments.k)
    numbers = ("precision", "recall", "density", "coverage", "realism")
    pair = SamplePair(real, generated)
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
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
