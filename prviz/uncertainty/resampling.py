"""Replicates of a curve: its evaluation samples drawn again with replacement, with their supports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.curves.pr_curve import score_keys
from prviz.estimators import Supports

__all__ = ["SortedSupports", "draws", "evaluated", "evaluated_together", "ranked", "replicate"]

Positions = NDArray[np.intp]


class SortedSupports(NamedTuple):
    """Evaluation samples ranked by their keys c_Y / c_X, once for all replicates.

    real, generated : rank of each sample's key among the distinct finite keys, of equal keys the same; ``finite`` where
    the key is infinite, ``finite + 1`` where both supports are 0.
    finite : number of distinct finite keys, which is the number of prefixes.
    one : rank of the first key from 1 on: the first prefix that contains the samples without supports.
    any_zero : True if the first key is 0.
    """

    real: Positions
    generated: Positions
    finite: int
    one: int
    any_zero: bool


def ranked(supports: Supports) -> SortedSupports:
    """Ranks of all evaluation samples of one run."""
    sides = [np.asarray(side, dtype=np.float64) for side in (supports.c_real, supports.c_generated)]
    distinct, ranks = np.unique(score_keys(*sides), return_inverse=True)
    finite = int(np.count_nonzero(np.isfinite(distinct)))
    ranks[(sides[0] == 0) & (sides[1] == 0)] = finite + 1
    real, generated = ranks[: supports.n_real], ranks[supports.n_real :]
    return SortedSupports(real, generated, finite, int(np.searchsorted(distinct, 1.0)), bool(distinct[0] == 0))


def evaluated(runs: Sequence[Supports]) -> tuple[int, int]:
    """Numbers of real and of generated samples that every run evaluates.

    Raises
    ------
    ValueError : no runs, or runs that evaluate different samples, which can't be drawn again together.
    """
    if not runs:
        raise ValueError("runs is empty; the supports of at least one run are needed")
    first = runs[0]
    for run in runs[1:]:
        rows = run.rows is first.rows or np.array_equal(run.rows, first.rows)  # type: ignore[arg-type]
        if not rows or (run.n_real, len(run.c_real)) != (first.n_real, len(first.c_real)):
            raise ValueError("runs evaluate different samples; they must share them to be drawn again together")
    return first.n_real, len(first.c_real) - first.n_real


def evaluated_together(generators: Sequence[Sequence[Supports]]) -> tuple[int, ...]:
    """Number of real samples that all generators were evaluated on, then numbers of generated samples of each.

    generators : runs of each generator.

    Raises
    ------
    ValueError : no generators, real samples that are not the same for all, or as `evaluated`.
    """
    if not generators:
        raise ValueError("nothing was measured; at least one generator is needed")
    first, *others = (evaluated(runs) for runs in generators)
    for (real, _), runs in zip(others, generators[1:], strict=True):
        if real != first[0] or not np.array_equal(_real_rows(runs[0]), _real_rows(generators[0][0])):
            raise ValueError(
                f"the family evaluates {first[0]} real samples for one generator and {real} for another, or not the "
                "same ones; a paired comparison needs the same"
            )
    return first[0], first[1], *(generated for _, generated in others)


def _real_rows(supports: Supports) -> Positions:
    return np.arange(supports.n_real) if supports.rows is None else supports.rows[: supports.n_real]


def draws(sizes: Sequence[int], replicates: int, seed: int) -> Iterator[tuple[Positions, ...]]:
    """Positions of n samples drawn with replacement from n, independently for every size.

    The draws of a set depend only on the seed, the position of its size in ``sizes`` and the size.
    """
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(len(sizes))]
    for _ in range(replicates):
        yield tuple(stream.integers(n, size=n) for stream, n in zip(streams, sizes, strict=True))


def replicate(runs: Sequence[SortedSupports], real: Positions, generated: Positions) -> PRCurve:
    """The curve of the drawn samples: the mean over the runs.

    With w the number of times each sample was drawn, the prefix of rank j has fpr = sum of w over the real samples
    ranked above j, divided by n_real, and fnr = sum of w over the generated ones up to rank j, divided by n_generated;
    the two ends of the family likewise, see `ErrorRates.from_supports`.
    """
    curves = [_curve(run, real, generated) for run in runs]
    return curves[0] if len(curves) == 1 else PRCurve.mean(curves)


def _curve(run: SortedSupports, real: Positions, generated: Positions) -> PRCurve:
    called_real, called_real_wrongly = (
        _called_real(run, ranks[drawn]) for ranks, drawn in ((run.real, real), (run.generated, generated))
    )
    return PRCurve.from_error_rates((len(real) - called_real) / len(real), called_real_wrongly / len(generated))


def _called_real(run: SortedSupports, ranks: Positions) -> Positions:
    """Number of these samples that each prefix calls real, then those of f_inf = [c_X > 0] and of f_0 = [c_Y = 0]."""
    counts = np.bincount(ranks, minlength=run.finite + 2)
    prefixes, without = counts[: run.finite].cumsum(), counts[-1]
    ends = (prefixes[-1] if run.finite else 0), (counts[0] if run.any_zero else 0) + without
    prefixes[run.one :] += without
    return np.append(prefixes, ends)
