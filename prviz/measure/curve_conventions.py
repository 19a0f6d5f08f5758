"""Choices about a curve that papers leave open: whether a fit sample is counted in its own ball or
is its own neighbour, and on how few rays the curve is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, TypeAlias

import numpy as np

from prviz.arguments import checked_choice
from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve
from prviz.curves.rays import check_rays, iou_on_rays, rates_on_rays
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.estimators.base import resolve_k
from prviz.measure.estimates import Estimate, K, Wanted, measure
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.balls import ROLES
from prviz.samples import SamplesLike

SelfCounting: TypeAlias = Literal["count", "none", "radius", "both"]
SELF_COUNTING: dict[SelfCounting, str] = {
    "count": "a sample counts itself, but is not its own neighbour (prviz)",
    "none": "a sample neither counts itself nor is its own neighbour",
    "radius": (
        "a sample is its own first neighbour, so that radii reach to the (k-1)-th other one, but is"
        " not counted"
    ),
    "both": "a sample is its own first neighbour, and is counted",
}


@dataclass(frozen=True)
class CurveConvention:
    """A way to compute a curve from counts in balls and to compare it with the truth; the default
    is prviz's own.

    Parameters
    ----------
    self_counting : {"count", "none", "radius", "both"}
        Whether a fit sample is counted in its own ball and is its own neighbour; see SELF_COUNTING.
    rays : int, optional
        Number of rays on which curves are drawn as polylines, see `iou_on_rays`; None: exact
        curves.
    gammas : bool
        True if the classifiers' thresholds gamma lie on the same rays; see `rates_on_rays`.

    Raises
    ------
    ValueError
        If ``self_counting`` is none of the four, ``rays`` is not from 9 to 1,001, or ``gammas`` is
        True without a number of rays.
    """

    self_counting: SelfCounting = "count"
    rays: int | None = None
    gammas: bool = False

    def __post_init__(self) -> None:
        checked_choice("self_counting", self.self_counting, SELF_COUNTING)
        if self.gammas and self.rays is None:
            raise ValueError("gammas = True without rays; thresholds on rays need their number")
        if self.rays is not None:
            check_rays(self.rays)

    @property
    def key(self) -> str:
        """Name of the table column that holds the IoU by this convention."""
        drawn = ""
        if self.rays is not None:
            drawn = f"_{self.rays}" + "_gamma" * self.gammas
        if self == CurveConvention():
            return "iou"
        return f"iou_{self.self_counting}{drawn}"

    def curve(self, at_k: Estimate, at_fewer: Estimate, *, held_out: bool) -> PRCurve:
        """The curve, computed by this convention, of a family whose supports are counts; arguments
        as in `self_counted`.
        """
        counted = self_counted(at_k, at_fewer, self.self_counting, held_out=held_out)
        if not self.gammas or self.rays is None:
            return counted.curve
        run = counted.supports
        return rates_on_rays(run.c_real, run.c_generated, run.n_real, self.rays).curve()

    def iou(self, curve: PRCurve, truth: PRCurve) -> float:
        """IoU of two curves: of the exact curves, or of polylines on the rays if the convention has
        rays.
        """
        if self.rays is None:
            return curve.iou(truth)
        return iou_on_rays(curve, truth, self.rays)


def self_counted(
    at_k: Estimate, at_fewer: Estimate, convention: SelfCounting, *, held_out: bool
) -> Estimate:
    """The estimate of a family whose supports are counts, changed to another convention of
    self-counting.

    Parameters
    ----------
    at_k, at_fewer : Estimate
        The family's estimates of one split at k and at k - 1 neighbours.
    convention : {"count", "none", "radius", "both"}
        See SELF_COUNTING; "count" gives ``at_k`` unchanged.
    held_out : bool
        True with a split. No evaluation sample is then a fit sample, so only radii inside a fit set
        depend on self-counting.

    Returns
    -------
    Estimate
        The estimate, with the k of ``at_k``.

    Raises
    ------
    ValueError
        If the family does not count in balls, or the estimates are not at k and k - 1.
    """
    family = ESTIMATORS[at_k.method]
    k = at_k.k
    if not family.supports_are_counts or k is None or at_fewer.k != k - 1:
        raise ValueError(
            f"{at_k.method} at k = {k} and {at_fewer.k}; counts in balls at k and at k - 1 are"
            " needed"
        )
    if convention == "count":
        return at_k
    run = at_k.supports
    fewer = at_fewer.supports
    (balls,) = family.balls(k=k, bandwidth=None, sizes=(k + 1, k + 1))
    real = np.arange(len(run.c_real)) < run.n_real
    of_role = dict(zip(ROLES, (real, ~real), strict=True))
    sides = []
    for role, count, less in zip(
        ROLES, (run.c_real, run.c_generated), (fewer.c_real, fewer.c_generated), strict=True
    ):
        if convention != "none":
            rule = balls.rule(role)
            # True for evaluation samples whose counts the self-counting changes: the centre of the
            # ball is among the samples from which the radius is found.
            centred = np.full(len(real), balls.around == "fit" or rule.one_radius)
            for other in rule.roles:
                centred |= of_role[other] & (not held_out)
            count = np.where(centred, less, count)
        sides.append(count if held_out or convention == "both" else count - of_role[role])
    return replace(at_k, runs=(replace(run, c_real=sides[0], c_generated=sides[1]),))


# ---- conventions of papers and packages ----

_HALF: tuple[K, float | None] = ("sqrt", 0.5)
_EXACT = CurveConvention()
_RAYS = CurveConvention(rays=9, gammas=True)
_OWN_NEIGHBOUR = CurveConvention("both", rays=9, gammas=True)
# For each family, the choices whose curves come closest to the 64 numbers of Table 1 in
# hal-05344404 (tests/studies/test_forensics.py).
_TABLE_1 = {"ipr": _RAYS, "knn": _OWN_NEIGHBOUR, "kde": _RAYS, "coverage": _OWN_NEIGHBOUR}


@dataclass(frozen=True)
class PaperConvention:
    """The choices that a paper or a package makes for each family.

    source : the paper or package.
    settings : by family, k and the share of samples in the split; None without split.
    drawn : by family, rays and self-counting.
    runs : number of runs whose mean has the printed standard deviation; 1: a single run.
    """

    source: str
    settings: Mapping[str, tuple[K, float | None]]
    drawn: Mapping[str, CurveConvention]
    runs: int


PAPERS: Mapping[str, PaperConvention] = MappingProxyType(
    {
        "2024": PaperConvention(
            "Sykes, Simon, Rabin 2024: k = √n and split 50 % as recommended; rays and self-counting"
            " as in Table 1",
            dict.fromkeys(DEFAULT_METHODS, _HALF),
            _TABLE_1,
            10,
        ),
        "2026": PaperConvention(
            "Sykes, Simon, Rabin, Fadili 2026, 5.2 and 5.4: iPR with k = 3 and Coverage with k = 5"
            " without split, kNN and KDE with k = √n and split 50 %; rays and self-counting as in"
            " Table 1",
            {"ipr": (3, None), "coverage": (5, None), "knn": _HALF, "kde": _HALF},
            _TABLE_1,
            10,
        ),
        "prdc": PaperConvention(
            "the package prdc: k = 5 without split; its open balls differ at ties alone, see"
            " `prviz.compute_prdc`",
            dict.fromkeys(DEFAULT_METHODS, (5, None)),
            dict.fromkeys(DEFAULT_METHODS, _EXACT),
            1,
        ),
    }
)
"""The conventions by name."""


def paper_convention(name: str) -> PaperConvention:
    """The `PaperConvention` with this name; ValueError if there is none."""
    return PAPERS[checked_choice("convention", name, PAPERS)]


def paper_curve(
    real: SamplesLike,
    generated: SamplesLike,
    method: str = "knn",
    *,
    convention: str,
    seed: int = 0,
    memory_limit: int = MEMORY_LIMIT,
) -> PRCurve:
    """The curve of one of the four neighbour families as a paper, or a package, computed it.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    method : {"knn", "kde", "ipr", "coverage"}
        The family.
    convention : {"2024", "2026", "prdc"}
        Name of a convention in PAPERS, which sets k, split, rays and self-counting.
    seed : int
        Seed of the split.
    memory_limit : int
        As in `prviz.pr_curve`.

    Returns
    -------
    PRCurve
        The curve, with few classifiers if the convention has rays.

    Raises
    ------
    ValueError, TypeError
        If samples are malformed, the family or the convention is not one of these, or the sets are
        so small that k is below 2.

    Notes
    -----
    The papers do not state rays and self-counting of "2024" and "2026". The ones used here were
    inferred: they come closest to Table 1 of Sykes, Simon, Rabin, Fadili 2026 (hal-05344404).
    """
    pair = checked_pair(real, generated)
    paper = paper_convention(convention)
    if method not in paper.settings:
        raise ValueError(
            f"method = {method!r}; convention {convention!r} is of {', '.join(paper.settings)}"
        )
    k, split = paper.settings[method]
    number = resolve_k(k, pair)
    drawn = paper.drawn[method]
    if drawn == _EXACT:
        (found,) = measure(pair.split(split, seed), [(method, number, None)], seed, memory_limit)
        return found.curve
    if number < 2:
        needed = "4 samples of each set are needed"
        raise ValueError(f"k = {number}; convention {convention!r} counts at k - 1 too: {needed}")
    wanted: list[Wanted] = [(method, number, None), (method, number - 1, None)]
    at_k, at_fewer = measure(pair.split(split, seed), wanted, seed, memory_limit)
    return drawn.curve(at_k, at_fewer, held_out=split is not None)
