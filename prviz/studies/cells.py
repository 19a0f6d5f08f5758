"""One cell of a sweep: a pair of samples, drawn or read where the cell runs, and every row that is measured on it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from prviz.curves import PRCurve
from prviz.curves.summaries import COMPARISONS, SUMMARIES, numbers
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import needs_split, resolve_k
from prviz.estimators.registered import Registered
from prviz.measure.estimates import Estimate, measure
from prviz.measure.workload import subsample
from prviz.readers import read
from prviz.samples import SamplePair, Samples
from prviz.studies.tasks import COMPUTATION, Columns

__all__ = ["COLUMNS", "Cell", "DrawnAlike", "Files", "Known", "OfData", "Wanted", "measured", "wanted_rows"]

# Of a row: what was asked for, what was measured.
ASKED = ("key", "problem", "parameters", "d", "n", "method", "k", "bandwidth", "split", "repeat", "seed")
USED = ("n_real", "n_generated", "k_used", "radius_real", "radius_generated", "seconds")
_TEXTS = ("key", "problem", "parameters", "method", "k")
_WHOLE = ("d", "n", "repeat", "seed", "n_real", "n_generated", "k_used")
COLUMNS: Columns = {
    name: "string" if name in _TEXTS else "Int64" if name in _WHOLE else "float64"
    for name in (*ASKED, *USED, *COMPARISONS, *(summary.key for summary in SUMMARIES))
}

Wanted = tuple[str, int | Literal["sqrt"] | None, float | None]  # method, k, bandwidth


@runtime_checkable
class Known(Protocol):
    """A pair that can be drawn, such as a toy problem. Name and parameters stand for it in keys and draws.

    Its truth is None where nobody knows it: then nothing is compared with it.
    """

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...

    @property
    def default_n(self) -> int: ...

    def sample(self, n: int, seed: int = 0) -> SamplePair: ...

    def truth(self) -> PRCurve | None: ...


@runtime_checkable
class DrawnAlike(Protocol):
    """A pair drawn and split by the seeds of another one, from which it differs in a known way alone."""

    @property
    def drawn_as(self) -> Known: ...


@runtime_checkable
class OfData(Protocol):
    """A pair drawn from data that its name and parameters do not tell: their digest goes into the keys."""

    @property
    def digest(self) -> str: ...


@dataclass(frozen=True)
class Files:
    """A pair that is read where it is measured: paths that every worker can open. No truth is known of it.

    digests : of the real and the generated samples that are to be measured. A cell that reads others has no rows.
    """

    real: Path
    generated: Path
    digests: tuple[str, str]

    @property
    def name(self) -> str:
        return f"{self.real} against {self.generated}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What tells rows of one content of the files from those of another."""
        return dict(zip(("real", "generated"), (digest[:32] for digest in self.digests), strict=True))

    def read(self) -> tuple[Samples, Samples]:
        """The samples that the files hold now."""
        return read(self.real), read(self.generated)

    def check(self, found: tuple[Samples, Samples]) -> None:
        """Raise ValueError unless these are the samples that are to be measured."""
        for path, samples, digest in zip((self.real, self.generated), found, self.digests, strict=True):
            if samples.digest != digest:
                raise ValueError(f"{str(path)!r} holds other samples than when the sweep began; start it again")


@dataclass(frozen=True)
class Cell:
    """All rows on one pair and one split.

    n : samples per set; None: all that the files hold.
    wanted : (method, k, bandwidth) of each row, None where it means nothing to the method.
    """

    problem: Known | Files
    n: int | None
    split: float | None
    repeat: int
    seed: int
    wanted: tuple[Wanted, ...]

    @property
    def drawn_by(self) -> int:
        """Seed of the samples and of the split: it follows from the cell's own settings, whatever runs beside it."""
        problem = self.problem.drawn_as if isinstance(self.problem, DrawnAlike) else self.problem
        parameters = "" if isinstance(problem, Files) else _parameters(problem)
        told = json.dumps([problem.name, parameters, self.n, self.repeat, self.seed])
        return int.from_bytes(hashlib.sha256(told.encode()).digest()[:4], "big")

    @property
    def keys(self) -> list[str]:
        return [_row_key(self, wanted) for wanted in self.wanted]

    def left(self, known: Container[str]) -> Cell | None:
        left = tuple(each for each in self.wanted if _changeable(each[0]) or _row_key(self, each) not in known)
        return replace(self, wanted=left) if left else None

    def run(self) -> list[dict[str, Any]]:
        return [row for row, _ in measured(self)]


def _parameters(problem: Known | Files) -> str:
    return json.dumps(problem.parameters, sort_keys=True)


def _changeable(method: str) -> bool:
    """Whether it is a family that the user registered: its name alone does not tell what it does."""
    return isinstance(ESTIMATORS[method], Registered)


def _row_key(cell: Cell, wanted: Wanted) -> str:
    """Names a row by all that decides it."""
    problem = cell.problem
    told = [COMPUTATION, problem.name, _parameters(problem), problem.digest if isinstance(problem, OfData) else None]
    told += [cell.n, cell.split, cell.repeat, cell.seed, *wanted]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]


def wanted_rows(
    methods: Sequence[str],
    ks: Sequence[int | Literal["sqrt"]],
    bandwidths: Sequence[float | None],
    split: float | None,
) -> tuple[Wanted, ...]:
    """The rows of one split: every k, and every bandwidth, for the methods that they mean something to.

    A bandwidth of None is the automatic one, at every k. Methods that need a split have no row without one.
    """
    found: list[Wanted] = []
    for method in methods:
        tunes = ESTIMATORS[method].tunes
        if split is None and needs_split(ESTIMATORS[method]):
            continue
        if tunes is None:
            found.append((method, None, None))
        widths = [width for width in bandwidths if width is not None] if tunes == "bandwidth" else []
        found += [(method, None, width) for width in widths]
        if tunes is not None and (tunes == "k" or None in bandwidths):
            found += [(method, k, None) for k in ks]
    return tuple(found)


def measured(cell: Cell) -> list[tuple[dict[str, Any], Estimate]]:
    """Every row of the cell and the estimate that it sums up."""
    if not isinstance(cell.problem, Files):
        drawn = cell.problem.sample(cell.n or cell.problem.default_n, cell.drawn_by)
        return _measured(cell, drawn, cell.problem.truth())
    found = cell.problem.read()
    try:
        pair = SamplePair(*found)
        return _measured(cell, pair if cell.n is None else subsample(pair, cell.n, cell.drawn_by), None)
    finally:  # not before: large files are mapped, and may change until they are measured
        cell.problem.check(found)


def _measured(cell: Cell, pair: SamplePair, truth: PRCurve | None) -> list[tuple[dict[str, Any], Estimate]]:
    split = pair.split(cell.split, cell.drawn_by)
    began = time.perf_counter()
    asked = [(method, resolve_k(1 if k is None else k, pair), width) for method, k, width in cell.wanted]
    found = measure(split, asked, cell.drawn_by)
    curves = [each.curve for each in found]
    seconds = time.perf_counter() - began
    rows = zip(cell.wanted, found, curves, strict=True)
    return [(_row(cell, wanted, each, curve, truth, pair, seconds), each) for wanted, each, curve in rows]


def _row(
    cell: Cell,
    wanted: Wanted,
    found: Estimate,
    curve: PRCurve,
    truth: PRCurve | None,
    pair: SamplePair,
    seconds: float,
) -> dict[str, Any]:
    name, parameters = cell.problem.name, _parameters(cell.problem)
    method, k, bandwidth = wanted
    radii = found.bandwidth or (np.nan, np.nan)
    row: dict[str, Any] = dict.fromkeys(COLUMNS, np.nan)
    row |= {"key": _row_key(cell, wanted), "problem": name, "parameters": parameters, "d": pair.d, "n": cell.n}
    row |= {"method": method, "k": None if k is None else str(k), "bandwidth": bandwidth, "split": cell.split}
    row |= {"repeat": cell.repeat, "seed": cell.seed, "n_real": pair.real.n, "n_generated": pair.generated.n}
    row |= {"k_used": found.k if k is not None else None, "radius_real": radii[0], "radius_generated": radii[1]}
    return row | {"seconds": seconds} | numbers(curve, truth)
