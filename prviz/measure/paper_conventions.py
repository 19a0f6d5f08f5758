"""Curves as a paper computed them: every choice that it makes or leaves open, by one name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS
from prviz.estimators.base import resolve_k
from prviz.measure.curve_conventions import CurveConvention
from prviz.measure.estimates import K, Wanted, measure
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplesLike

_HALF: tuple[K, float | None] = ("sqrt", 0.5)
_EXACT = CurveConvention()
_RAYS = CurveConvention(rays=9, gammas=True)
_OWN_NEIGHBOUR = CurveConvention("both", rays=9, gammas=True)
# Of Table 1, by family: what comes closest to its 64 cells (tests/studies/test_forensics.py).
_TABLE_1 = {"ipr": _RAYS, "knn": _OWN_NEIGHBOUR, "kde": _RAYS, "coverage": _OWN_NEIGHBOUR}


@dataclass(frozen=True)
class PaperConvention:
    """The choices of a paper, or of a package, by family.

    source : what it is. settings : k, and the split's share or None, by family. drawn : rays and
    self-counting, by family. runs : a printed deviation is that of a mean of so many runs; 1: of a
    single run.
    """

    source: str
    settings: Mapping[str, tuple[K, float | None]]
    drawn: Mapping[str, CurveConvention]
    runs: int


PAPERS: Mapping[str, PaperConvention] = MappingProxyType(
    {
        "2024": PaperConvention(
            "Sykes, Simon, Rabin 2024: k = √n and split 50% as recommended; rays and self-counting"
            " as in Table 1",
            dict.fromkeys(DEFAULT_METHODS, _HALF),
            _TABLE_1,
            10,
        ),
        "2026": PaperConvention(
            "Sykes, Simon, Rabin, Fadili 2026, 5.2 and 5.4: iPR with k = 3 and Coverage with k = 5"
            " without split, kNN and KDE with k = √n and split 50%; rays and self-counting as in"
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
    """The convention of this name; ValueError for another one."""
    if name not in PAPERS:
        raise ValueError(f"convention = {name!r}; one of {', '.join(PAPERS)} is needed")
    return PAPERS[name]


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
        Sets k, split, rays and self-counting, as PAPERS has them.
    seed : int
        Seed of the split.
    memory_limit : int
        As in `prviz.pr_curve`.

    Returns
    -------
    PRCurve
        The curve; of few classifiers where the convention has rays.

    Raises
    ------
    ValueError, TypeError
        Malformed samples, another family or convention, or sets so small that k is below 2.

    Notes
    -----
    Rays and self-counting of "2024" and "2026" are not printed: they are those that come closest to
    Table 1 of Sykes, Simon, Rabin, Fadili 2026 (hal-05344404).
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
