"""For exploration at millions of samples: curves from approximate neighbour lists, and how far they may be off."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from numpy.typing import ArrayLike

from prviz.approximation.list_job import ListJob
from prviz.curves import Comparison
from prviz.estimators import ESTIMATORS, BallEstimator
from prviz.estimators.base import check_bandwidth, check_k, resolve_k
from prviz.measure.estimates import Estimate, K, Progress, method_names
from prviz.samples import SamplePair, Samples, as_samples

__all__ = ["Approximation", "approximate"]


@dataclass(frozen=True, eq=False)
class Approximation:
    """Approximate curves and their measured error.

    Parameters
    ----------
    estimates : mapping of str to Estimate
        By method, as `prviz.estimate` gives them, for the evaluation samples that ``supports.rows`` names.
    list_recall : float
        Share of the true k nearest fit samples that the lists hold, measured on a sample.
    errors : mapping of str to Comparison
        By method, the approximate curve against the exact one, both on the same evaluation samples with all fit
        samples around them; families with balls around fit samples: with the same such balls.
    sample : int
        Number of those evaluation samples of each set; the smaller one if they differ.
    """

    estimates: Mapping[str, Estimate]
    list_recall: float
    errors: Mapping[str, Comparison]
    sample: int

    @property
    def label(self) -> str:
        """What has to stand wherever these curves are shown; shares and IoU are rounded down."""
        worst = math.floor(min(each.iou for each in self.errors.values()) * 100) / 100
        return (
            f"approximate: lists hold {math.floor(self.list_recall * 100)} % of the true neighbours; curves within "
            f"IoU {worst:.2f} of the exact ones on {self.sample:,} samples per set"
        )


def approximate(
    real: Samples | ArrayLike,
    generated: Samples | ArrayLike,
    methods: Sequence[str] | str | None = None,
    *,
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: float | None = 0.5,
    seed: int = 0,
    evaluate: int = 10_000,
    sample: int = 1000,
    recall: float = 0.95,
    memory_limit: int = 10**9,
    progress: Progress | None = None,
) -> Approximation:
    """Curves of the families that count in balls, from approximate lists of near fit samples.

    Balls around evaluation points count what is on the lists; of balls around fit samples there are as many as the
    ratio of two counts needs, at random, with radii from the lists.

    Parameters
    ----------
    real, generated, k, bandwidth, split, seed, progress : optional
        As in `prviz.estimate`.
    methods : sequence of str or str, optional
        Names of families that count in balls; None: the default ones, all of which do.
    evaluate : int
        At most so many evaluation samples of each set are measured, drawn by the seed.
    sample : int
        On so many of them the exact curves are measured too.
    recall : float
        Share of the true neighbours that the lists should hold; the search widens until a sample of them does.
    memory_limit : int
        Bytes for the lists and for distances. Where the samples themselves don't fit in once more, the lists come
        from rounded ones. For exact radii inside the fit samples of one role, the check holds those besides.

    Returns
    -------
    Approximation
        Curves, and how far they are from the exact ones on a sample.

    Raises
    ------
    ValueError, TypeError
        As `prviz.estimate`; a family that does not count in balls; more memory needed than allowed.
    """
    pair = SamplePair(as_samples(real, name="real"), as_samples(generated, name="generated"))
    drawn = pair.split(split, seed)
    number, width = check_k(resolve_k(k, pair), drawn), check_bandwidth(bandwidth)
    balls = {name: each.balls(k=number, bandwidth=width) for name, each in _families(methods).items()}
    for name, value in (("evaluate", evaluate), ("sample", sample)):
        if value < 2:
            raise ValueError(f"{name} = {value}; at least 2 samples of each set are needed")
    if not 0 < recall <= 1:
        raise ValueError(f"recall = {recall}; a share above 0 and up to 1 is needed")
    job = ListJob(drawn, balls, k=number, seed=seed, memory_limit=memory_limit, progress=progress)
    rows = job.draw(evaluate)
    few = (rows[0][:sample], rows[1][:sample])
    job.plan(sum(map(len, rows + few)))
    list_recall = job.tune(recall)
    found = job.supports(rows)
    errors = {name: one.compare(other) for name, (one, other) in job.checked(few).items()}
    estimates = {name: Estimate(name, number, each.bandwidth, (each,)) for name, each in found.items()}
    return Approximation(estimates, list_recall, errors, min(map(len, few)))


def _families(methods: Sequence[str] | str | None) -> dict[str, BallEstimator]:
    known = {name: each for name, each in ESTIMATORS.items() if isinstance(each, BallEstimator)}
    names = method_names(methods)
    if refused := [name for name in names if name not in known]:
        raise ValueError(
            f"{', '.join(refused)} can't be approximated; only families that count in balls: {', '.join(known)}"
        )
    return {name: known[name] for name in names}
