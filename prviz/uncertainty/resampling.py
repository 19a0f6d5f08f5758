"""Replicates of a curve: its evaluation samples drawn again with replacement while the supports stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.curves import PRCurve
from prviz.curves.pr_curve import score_keys
from prviz.estimators import Supports

__all__ = ["SortedSupports", "draws", "evaluated", "evaluated_together", "ranked", "replicate"]

Places = NDArray[np.intp]


class SortedSupports(NamedTuple):
    """The evaluation samples in the order of their keys c_Y / c_X, sorted once for all replicates.

    real, generated : the rank of each sample's key among the distinct ones; samples of one key have one rank.
    finite : how many distinct keys are finite, that is, how many classifiers there are.
    """

    real: Places
    generated: Places
    finite: int


def ranked(supports: Supports) -> SortedSupports:
    """The ranks of all evaluation samples of one run."""
    sides = [np.asarray(side, dtype=np.float64) for side in (supports.c_real, supports.c_generated)]
    distinct, ranks = np.unique(score_keys(*sides), return_inverse=True)
    finite = int(np.count_nonzero(np.isfinite(distinct)))
    return SortedSupports(ranks[: supports.n_real], ranks[supports.n_real :], finite)


def evaluated(runs: Sequence[Supports]) -> tuple[int, int]:
    """How many real and generated samples every run evaluates.

    Raises
    ------
    ValueError : no runs, or runs that evaluate different samples, which can't be drawn again together.
    """
    if not runs:
        raise ValueError("runs is empty; the supports of at least one run are needed")
    first = runs[0]
    for each in runs[1:]:
        rows = each.rows is first.rows or np.array_equal(each.rows, first.rows)  # type: ignore[arg-type]
        if not rows or (each.n_real, len(each.c_real)) != (first.n_real, len(first.c_real)):
            raise ValueError("runs evaluate different samples; they must share them to be drawn again together")
    return first.n_real, len(first.c_real) - first.n_real


def evaluated_together(found: Sequence[Sequence[Supports]]) -> tuple[int, ...]:
    """How many real samples all generators were evaluated on, and how many generated ones of each.

    found : the runs of each generator.

    Raises
    ------
    ValueError : no generators, real samples that are not the same for all, or as `evaluated`.
    """
    if not found:
        raise ValueError("nothing was measured; at least one generator is needed")
    first, *others = (evaluated(runs) for runs in found)
    for (real, _), runs in zip(others, found[1:], strict=True):
        if real != first[0] or not np.array_equal(_real_rows(runs[0]), _real_rows(found[0][0])):
            raise ValueError(
                f"the family evaluates {first[0]} real samples for one generator and {real} for another, or not the "
                "same ones; a paired comparison needs the same"
            )
    return first[0], first[1], *(generated for _, generated in others)


def _real_rows(supports: Supports) -> Places:
    return np.arange(supports.n_real) if supports.rows is None else supports.rows[: supports.n_real]


def draws(sizes: Sequence[int], replicates: int, seed: int) -> Iterator[tuple[Places, ...]]:
    """Places of n samples drawn with replacement from n, for every size; the sets are independent of each other.

    What is drawn for a set depends on the seed, its place among the sizes and its size alone.
    """
    streams = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(len(sizes))]
    for _ in range(replicates):
        yield tuple(stream.integers(n, size=n) for stream, n in zip(streams, sizes, strict=True))


def replicate(runs: Sequence[SortedSupports], real: Places, generated: Places) -> PRCurve:
    """The curve of the samples drawn: that of each run, and their mean where there are several.

    With w the number of times each sample was drawn, the classifier of rank j has fpr = sum of w over the real samples
    ranked above j, divided by n_real, and fnr = sum of w over the generated ones up to rank j, divided by n_generated.
    """
    curves = [_curve(each, real, generated) for each in runs]
    return curves[0] if len(curves) == 1 else PRCurve.mean(curves)


def _curve(run: SortedSupports, real: Places, generated: Places) -> PRCurve:
    called_real, called_real_wrongly = (
        np.bincount(ranks[drawn], minlength=run.finite)[: run.finite].cumsum()
        for ranks, drawn in ((run.real, real), (run.generated, generated))
    )
    return PRCurve.from_error_rates((len(real) - called_real) / len(real), called_real_wrongly / len(generated))
