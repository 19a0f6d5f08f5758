"""Curves from approximate neighbour lists, with their measured error: for exploration at millions
of samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from prviz.approximation.list_job import ListJob
from prviz.arguments import checked_number, checked_whole
from prviz.checks.flags import checked_pair
from prviz.curves import Comparison
from prviz.estimators import ESTIMATORS, Estimator
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.measure.estimates import (
    Estimate,
    K,
    Methods,
    Progress,
    evaluated_groups,
    in_groups,
    method_names,
)
from prviz.neighbors.engine import checked_bytes
from prviz.samples import SamplesLike, SplitRatio


@dataclass(frozen=True, eq=False)
class Approximation:
    """Approximate curves and their measured error.

    Parameters
    ----------
    estimates : mapping of str to Estimate
        Estimate of each method, as by `prviz.estimate`, but only on the evaluation samples with the
        indices ``supports.rows``.
    list_recall : float
        Share of the true k nearest fit samples that are in the lists, measured on a sample.
    errors : mapping of str to Comparison
        Comparison of each method's approximate curve with the exact one, on the same evaluation
        samples. The exact curve uses all fit samples; but of balls around fit samples, it uses the
        same random part as the approximate curve.
    sample : int
        Number of evaluation samples of each set in the comparisons of ``errors``; the smaller
        number if the sets differ.
    """

    estimates: Mapping[str, Estimate]
    list_recall: float
    errors: Mapping[str, Comparison]
    sample: int

    @property
    def label(self) -> str:
        """Caption to be shown with the approximate curves; shares and IoU are rounded down."""
        worst = math.floor(min(error.iou for error in self.errors.values()) * 100) / 100
        return (
            f"approximate: lists hold {math.floor(self.list_recall * 100)} % of the true"
            f" neighbours; curves within IoU {worst:.2f} of the exact ones on {self.sample:,}"
            " samples per set"
        )


def approximate(
    real: SamplesLike,
    generated: SamplesLike,
    methods: Methods = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: SplitRatio = 0.5,
    seed: int = 0,
    evaluate: int = 10_000,
    sample: int = 1000,
    recall: float = 0.95,
    memory_limit: int = 10**9,
    progress: Progress | None = None,
) -> Approximation:
    """Approximate curves of families that count in balls, from approximate lists of the nearest fit
    samples.

    Balls around evaluation samples count the entries of the lists. Of the balls around fit samples
    a random part is used, with radii from the lists.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    methods : sequence of str or str, optional
        Names of families that count in balls; None: DEFAULT_METHODS.
    k, bandwidth, split, seed : optional
        As in `prviz.estimate`.
    evaluate : int
        Most evaluation samples of each set that are measured, drawn by the seed.
    sample : int
        Number of evaluation samples of each set on which the exact curves are measured as well.
    recall : float
        Share of the true neighbours that the lists should contain; the search is widened until a
        sample of lists reaches it.
    memory_limit : int
        Bytes for the lists and for distances. If a second copy of the samples does not fit, the
        lists are made from rounded samples. For exact radii inside the fit samples of one role, the
        comparison with exact curves makes one more copy of these samples.
    progress : callable, optional
        As in `prviz.estimate`.

    Returns
    -------
    Approximation
        The curves, and how far they are from the exact curves on a sample.

    Raises
    ------
    ValueError, TypeError
        As `prviz.estimate`, and if a family does not count in balls or more memory is needed than
        allowed.
    """
    pair = checked_pair(real, generated)
    drawn = pair.split(split, seed)
    number = check_k(resolve_k(k, pair), drawn)
    width = check_bandwidth(bandwidth)
    sizes = len(drawn.fit_rows[0]), len(drawn.fit_rows[1])
    balls = {
        name: family.balls(k=number, bandwidth=width, sizes=sizes)[0]
        for name, family in _families(methods).items()
    }
    evaluate = checked_whole("evaluate", evaluate, 2)
    sample = checked_whole("sample", sample, 2)
    needed = "a share above 0 and up to 1"
    recall = checked_number("recall", recall, needed, lambda found: 0 < found <= 1)
    limit = checked_bytes(memory_limit)
    job = ListJob(drawn, balls, k=number, seed=seed, memory_limit=limit, progress=progress)
    rows = job.draw(evaluate)
    few = (rows[0][:sample], rows[1][:sample])
    job.plan(sum(map(len, rows + few)))
    list_recall = job.tune(recall)
    supports = job.supports(rows)
    errors = {
        name: approximate.compare(exact) for name, (approximate, exact) in job.checked(few).items()
    }
    groups = evaluated_groups(drawn)
    if groups is not None:
        supports = {name: in_groups(run, groups) for name, run in supports.items()}
    estimates = {
        name: Estimate(name, number, run.bandwidth, (run,)) for name, run in supports.items()
    }
    return Approximation(estimates, list_recall, errors, min(map(len, few)))


def _families(methods: Methods) -> dict[str, Estimator]:
    known = {name: family for name, family in ESTIMATORS.items() if family.supports_are_counts}
    names = method_names(methods)
    if refused := [name for name in names if name not in known]:
        raise ValueError(
            f"{', '.join(refused)} can't be approximated; only families that count in balls:"
            f" {', '.join(known)}"
        )
    return {name: known[name] for name in names}
