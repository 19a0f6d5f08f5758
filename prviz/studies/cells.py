"""One cell of a sweep: a pair of samples, drawn or read where the cell runs, and all rows measured on the pair."""

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
from prviz.estimators.base import resolve_k
from prviz.estimators.registered import Registered
from prviz.measure.estimates import Estimate, measure
from prviz.measure.workload import subsample
from prviz.readers import read
from prviz.samples import SamplePair, Samples
from prviz.studies.tasks import COMPUTATION, Columns

__all__ = ["COLUMNS", "Cell", "DrawnAlike", "Files", "Known", "OfData", "Wanted", "measured", "wanted_rows"]

# Columns of a row: the settings (ASKED) and what was used (USED).
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
    """A pair that can be drawn, such as a toy problem. Its name and parameters identify it in keys and seeds."""

    @property
    def name(self) -> str:
        """Name of the problem."""
        ...

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of the problem, which can be written as JSON."""
        ...

    @property
    def default_n(self) -> int:
        """Samples per set if a sweep gives no number."""
        ...

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """Draw n samples of each set."""
        ...

    def truth(self) -> PRCurve | None:
        """The true curve; None: not known, so that nothing is compared with it."""
        ...


@runtime_checkable
class DrawnAlike(Protocol):
    """A pair drawn and split by the seeds of another pair, from which it differs only in a known way."""

    @property
    def drawn_as(self) -> Known:
        """The pair whose name and parameters the seeds follow from."""
        ...


@runtime_checkable
class OfData(Protocol):
    """A pair drawn from data that its name and parameters do not identify."""

    @property
    def digest(self) -> str:
        """Digest of the data, which is part of the keys."""
        ...


@dataclass(frozen=True)
class Files:
    """A pair that is read where it is measured, from paths that every worker can open. Its truth is not known.

    digests : digests of the real and generated samples to be measured. A cell that reads others has no rows.
    """

    real: Path
    generated: Path
    digests: tuple[str, str]

    @property
    def name(self) -> str:
        """Both paths."""
        return f"{self.real} against {self.generated}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Digests of both files, which tell rows of different contents apart."""
        return dict(zip(("real", "generated"), (digest[:32] for digest in self.digests), strict=True))

    def read(self) -> tuple[Samples, Samples]:
        """The samples that the files hold now."""
        return read(self.real), read(self.generated)

    def check(self, sets: tuple[Samples, Samples]) -> None:
        """Raise ValueError unless these are the samples to be measured."""
        for path, samples, digest in zip((self.real, self.generated), sets, self.digests, strict=True):
            if samples.digest != digest:
                raise ValueError(f"{str(path)!r} holds other samples than when the sweep began; start it again")


@dataclass(frozen=True)
class Cell:
    """All rows on one pair and one split.

    n : samples per set; None: all samples of the files.
    wanted : (method, k, bandwidth) of each row, None for what the method does not have.
    """

    problem: Known | Files
    n: int | None
    split: float | None
    repeat: int
    seed: int
    wanted: tuple[Wanted, ...]

    @property
    def drawn_by(self) -> int:
        """Seed of the samples and of the split, which follows from the cell's own settings alone."""
        problem = self.problem.drawn_as if isinstance(self.problem, DrawnAlike) else self.problem
        parameters = "" if isinstance(problem, Files) else _parameters(problem)
        text = json.dumps([problem.name, parameters, self.n, self.repeat, self.seed])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")

    @property
    def keys(self) -> list[str]:
        """The key of every row."""
        return [_row_key(self, wanted) for wanted in self.wanted]

    def left(self, known: Container[str]) -> Cell | None:
        """The cell without the rows of known keys; None: no row is left."""
        left = tuple(each for each in self.wanted if _changeable(each[0]) or _row_key(self, each) not in known)
        return replace(self, wanted=left) if left else None

    def run(self) -> list[dict[str, Any]]:
        """Measure the rows."""
        return [row for row, _ in measured(self)]


def _parameters(problem: Known | Files) -> str:
    return json.dumps(problem.parameters, sort_keys=True)


def _changeable(method: str) -> bool:
    """True for a family that the user registered: its name does not identify its code."""
    return isinstance(ESTIMATORS[method], Registered)


def _row_key(cell: Cell, wanted: Wanted) -> str:
    """The key of a row: a hash of everything that it depends on."""
    problem = cell.problem
    parts = [COMPUTATION, problem.name, _parameters(problem), problem.digest if isinstance(problem, OfData) else None]
    parts += [cell.n, cell.split, cell.repeat, cell.seed, *wanted]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def wanted_rows(
    methods: Sequence[str],
    ks: Sequence[int | Literal["sqrt"]],
    bandwidths: Sequence[float | None],
    split: float | None,
) -> tuple[Wanted, ...]:
    """The rows of one split: every k and every bandwidth for the methods that tune them.

    A bandwidth of None is the automatic one, at every k. Methods that need a split have no row without one.
    """
    rows: list[Wanted] = []
    for method in methods:
        tunes = ESTIMATORS[method].tunes
        if split is None and ESTIMATORS[method].needs_split:
            continue
        if tunes is None:
            rows.append((method, None, None))
        widths = [width for width in bandwidths if width is not None] if tunes == "bandwidth" else []
        rows += [(method, None, width) for width in widths]
        if tunes is not None and (tunes == "k" or None in bandwidths):
            rows += [(method, k, None) for k in ks]
    return tuple(rows)


def measured(cell: Cell) -> list[tuple[dict[str, Any], Estimate]]:
    """Every row of the cell, with its estimate."""
    if not isinstance(cell.problem, Files):
        drawn = cell.problem.sample(cell.n or cell.problem.default_n, cell.drawn_by)
        return _measured(cell, drawn, cell.problem.truth())
    sets = cell.problem.read()
    try:
        pair = SamplePair(*sets)
        return _measured(cell, pair if cell.n is None else subsample(pair, cell.n, cell.drawn_by), None)
    finally:  # not before: large files are mapped, and may change until they are measured
        cell.problem.check(sets)


def _measured(cell: Cell, pair: SamplePair, truth: PRCurve | None) -> list[tuple[dict[str, Any], Estimate]]:
    split = pair.split(cell.split, cell.drawn_by)
    began = time.perf_counter()
    requests = [(method, resolve_k(1 if k is None else k, pair), width) for method, k, width in cell.wanted]
    estimates = measure(split, requests, cell.drawn_by)
    curves = [estimate.curve for estimate in estimates]
    seconds = time.perf_counter() - began
    rows = zip(cell.wanted, estimates, curves, strict=True)
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
