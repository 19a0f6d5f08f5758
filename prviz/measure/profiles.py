"""Profiles: the curves of several families at every k and every bandwidth of a grid, from one pass
over the distances.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from prviz.arguments import checked_list
from prviz.cells import table_html
from prviz.checks.flags import checked_pair
from prviz.curves import PRCurve, shown
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_k, checked_bandwidth, resolve_k, resolve_ks
from prviz.estimators.colors import colors
from prviz.measure.estimates import (
    Estimate,
    K,
    Measurement,
    Methods,
    PassOptions,
    Progress,
    Wanted,
    mean_radius,
    measure,
    method_names,
)
from prviz.neighbors import MEMORY_LIMIT, Distances, nearest_radii
from prviz.samples import SamplePair, SamplesLike, Split, SplitRatio

# Default number of bandwidths of a profile; they go from half to twice the mean k-NN radius.
BANDWIDTHS = 65
# Number of fit samples of each set from which the mean k-NN radius is estimated where a rough value
# will do.
UNIT_SAMPLE = 1000

Key = tuple[str, float | int]


@dataclass(frozen=True, eq=False)
class Profile:
    """Estimates of several families at every k and every bandwidth of a grid, each as
    `prviz.estimate` gives it.

    Parameters
    ----------
    methods : tuple of str
        Names in ESTIMATORS.
    ks : tuple of int
        Numbers of neighbours, increasing. A family that uses a bandwidth takes the automatic one at
        every k; a family that uses neither k nor bandwidth has the same estimate at every k.
    bandwidths : tuple of float
        Bandwidths, each common to both sets, in the units of the data, increasing.
    by_k, by_bandwidth : mapping to Estimate
        Estimates by (method, k) and by (method, bandwidth).
    """

    methods: tuple[str, ...]
    ks: tuple[int, ...]
    bandwidths: tuple[float, ...]
    by_k: Mapping[Key, Estimate]
    by_bandwidth: Mapping[Key, Estimate]

    def __repr__(self) -> str:
        sizes = "no k"
        if self.ks:
            sizes = f"k = {self.ks[0]} to {self.ks[-1]}"
        return f"Profile({', '.join(self.methods)}: {sizes}, {len(self.bandwidths)} bandwidths)"

    def _repr_html_(self) -> str:
        if not self.ks:
            return table_html((), [(repr(self),)])
        middle = self.ks[len(self.ks) // 2]
        color = colors(self.methods)
        titles = {method: f"{ESTIMATORS[method].title}, k = {middle}" for method in self.methods}
        return shown.as_html(
            {titles[method]: self.curve(method, middle) for method in self.methods},
            {titles[method]: color[method] for method in self.methods},
            f"k from {self.ks[0]} to {self.ks[-1]}, and {len(self.bandwidths)} bandwidths",
        )

    def estimate(
        self, method: str, k: int | None = None, *, bandwidth: float | None = None
    ) -> Estimate:
        """The estimate of a method at one k or one bandwidth, as `prviz.estimate` gives it.

        Parameters
        ----------
        method : str
            One of the profile's methods.
        k : int, optional
            One of the profile's ``ks``.
        bandwidth : float, optional
            One of the profile's ``bandwidths``. Exactly one of ``k`` and ``bandwidth`` is needed.

        Returns
        -------
        Estimate
            The estimate, equal to that of a separate measurement.

        Raises
        ------
        ValueError
            If not exactly one of k and bandwidth is given.
        KeyError
            If the profile does not hold this method, k or bandwidth.
        """
        if (k is None) == (bandwidth is None):
            raise ValueError(f"k = {k} and bandwidth = {bandwidth}; exactly one of them is needed")
        estimates, value, held = (
            (self.by_k, k, self.ks)
            if bandwidth is None
            else (self.by_bandwidth, bandwidth, self.bandwidths)
        )
        key = (method, value)
        known = isinstance(method, str) and isinstance(value, int | float | np.number)
        if not known or key not in estimates:
            span = "no values"
            if held:
                span = f"{len(held)} values from {held[0]:g} to {held[-1]:g}"
            raise KeyError(
                f"{method} at {value}; the profile holds {span} for {', '.join(self.methods)}"
            )
        return estimates[key]  # type: ignore[index]

    def curve(
        self, method: str, k: int | None = None, *, bandwidth: float | None = None
    ) -> PRCurve:
        """The precision-recall curve of a method at one k or one bandwidth.

        Parameters
        ----------
        method, k, bandwidth : optional
            As in `estimate`.

        Returns
        -------
        PRCurve
            The curve.
        """
        return self.estimate(method, k, bandwidth=bandwidth).curve

    def best_k(self, method: str, truth: PRCurve) -> int:
        """The k whose curve has the largest IoU with the truth.

        Parameters
        ----------
        method : str
            One of the profile's methods.
        truth : PRCurve
            The true curve.

        Returns
        -------
        int
            The smallest such k.
        """
        return max(self.ks, key=lambda k: self.curve(method, k).iou(truth))


def profile(
    real: SamplesLike,
    generated: SamplesLike,
    methods: Methods = None,
    ks: Sequence[K] | None = None,
    bandwidths: Sequence[float] | None = None,
    split: SplitRatio = 0.5,
    seed: int = 0,
    *,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> Profile:
    """The curves of several families at every k and bandwidth, in one pass over the distances.

    Parameters
    ----------
    real, generated : array_like or Samples
        (n, d) and (m, d) samples; n and m may differ.
    methods : sequence of str or str, optional
        Names in ESTIMATORS; None: DEFAULT_METHODS.
    ks : sequence of int or "sqrt", optional
        Numbers of neighbours; None: all from 1 to 2 sqrt(n), with n the size of the smaller set
        before the split, or to the largest k that the split allows.
    bandwidths : sequence of float, optional
        Bandwidths for families that use one, in the units of the data; None: 65 from half to twice
        the mean k-NN radius at k = sqrt(n), evenly spaced on a log scale.
    split, seed, memory_limit : optional
        As in `pr_curve`.
    progress : callable, optional
        Called with the fraction done, between blocks; may raise to stop.

    Returns
    -------
    Profile
        Every curve of the grid.

    Raises
    ------
    ValueError, TypeError
        As `pr_curve`.
    """
    pair = checked_pair(real, generated)
    return profile_pair(
        pair,
        methods,
        ks=ks,
        bandwidths=bandwidths,
        split=split,
        seed=seed,
        memory_limit=memory_limit,
        progress=progress,
    )


def profile_pair(
    pair: SamplePair,
    methods: Methods = None,
    *,
    ks: Sequence[K] | None = None,
    bandwidths: Sequence[float] | None = None,
    **options: Unpack[PassOptions],
) -> Profile:
    """`profile` of a `SamplePair`."""
    how = Measurement(**options)
    names = method_names(methods)
    drawn = pair.split(how.split, how.seed)
    tuned = [name for name in names if ESTIMATORS[name].tunes == "bandwidth"]
    if ks is None:
        check_k(1, drawn)
        top = min(2 * resolve_k("sqrt", pair), min(map(len, drawn.fit_rows)) - 1)
        ks = range(1, top + 1)
    numbers = sorted(set(resolve_ks(ks, pair)))
    for number in numbers:
        check_k(number, drawn)
    distances = Distances(drawn, memory_limit=how.memory_limit)
    if bandwidths is None:
        bandwidths = []
        if tuned:
            radii = distances.mean_radii(_unit_k(pair, drawn), up_to=max(numbers, default=None))
            unit = sum(radii) / 2
            if unit and math.isfinite(unit):
                bandwidths = (unit * np.geomspace(0.5, 2.0, BANDWIDTHS)).tolist()
    given = checked_list("bandwidths", bandwidths, "positive numbers")
    widths = sorted(set(map(checked_bandwidth, given)))
    wanted: list[Wanted] = [(name, k, None) for name in names for k in numbers]
    # With a given bandwidth, k has no effect; 1 is a value that is always accepted.
    wanted += [(name, 1, width) for name in tuned for width in widths]
    if not wanted:
        raise ValueError(
            f"ks = [] and no bandwidths leave no curve of {', '.join(names)}; one value is needed"
        )
    estimates = measure(drawn, wanted, how.seed, progress=how.progress, distances=distances)
    at_k = dict[Key, Estimate]()
    at_width = dict[Key, Estimate]()
    for (name, k, width), one in zip(wanted, estimates, strict=True):
        if width is None:
            at_k[name, k] = one
        else:
            at_width[name, width] = one
    return Profile(tuple(names), tuple(numbers), tuple(widths), at_k, at_width)


def _unit_k(pair: SamplePair, drawn: Split) -> int:
    """The k at which the mean k-NN radius is taken as the unit of bandwidths: sqrt(n), or the
    largest k that the split allows.
    """
    return check_k(min(resolve_k("sqrt", pair), *(len(rows) - 1 for rows in drawn.fit_rows)), drawn)


def bandwidth_unit(
    pair: SamplePair, *, split: float | None = 0.5, seed: int = 0, sample: int | None = None
) -> float:
    """The unit in which bandwidths are given: the mean k-NN radius at k = sqrt(n), or at the
    largest k that the split allows.

    sample : number of fit samples of each set, drawn by the seed, over which the mean is taken;
    None: all.
    """
    drawn = pair.split(split, seed)
    k = _unit_k(pair, drawn)
    if sample is None:
        return mean_radius(pair, k=k, split=split, seed=seed)
    means = []
    for side, rows in zip(pair, drawn.fit_rows, strict=True):
        sampled = np.sort(np.random.default_rng(seed).permutation(rows)[:sample])
        radii = nearest_radii(side.values, sampled, k, rows)
        means.append(math.fsum(radii.tolist()) / len(radii))
    return (means[0] + means[1]) / 2
