"""Comparison of generators on the same real samples: intervals of their differences, and a ranking
with ties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

import numpy as np

from prviz.arguments import checked_choice
from prviz.arrays import Array
from prviz.checks.flags import checked_pair
from prviz.curves import shown
from prviz.curves.frozen import ReadOnlyArrays
from prviz.estimators import resolve_k
from prviz.estimators.colors import colors
from prviz.measure.estimates import Estimate, EstimateOptions, K, estimate, one_method
from prviz.missing import needed_for
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import Progress, part_of
from prviz.samples import SamplePair, Samples, SamplesLike, SplitRatio, as_samples
from prviz.uncertainty.bootstrap import (
    LEVEL,
    REPLICATES,
    BySummary,
    Spread,
    check_resampling,
    interval,
    replicated,
)

if TYPE_CHECKING:
    from pandas import DataFrame


class CompareOptions(EstimateOptions, total=False):
    """Keyword arguments of `compare`."""

    replicates: int
    level: float


class Difference(NamedTuple):
    """One summary compared between two generators.

    a, b, difference : the summary of each generator, and a - b.
    low, high : interval of the difference. If it contains 0, the samples do not show which is
    larger.
    share_above : share of the replicates in which a is above b; a replicate with equal values
    counts half.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    share_above: float


@dataclass(frozen=True, eq=False)
class GeneratorComparison(ReadOnlyArrays):
    """Two generators measured against the same real samples, by one family.

    Parameters
    ----------
    a, b : Spread
        Curve and replicates of each generator, from the same draws of real samples and independent
        draws of generated ones.
    """

    a: Spread
    b: Spread

    def __repr__(self) -> str:
        return f"GeneratorComparison({self._headline()})"

    def _repr_html_(self) -> str:
        curves = {"a": self.a.curve, "b": self.b.curve}
        return shown.as_html(curves, colors(curves), self._headline())

    def _headline(self) -> str:
        """Text: which generator has the larger area, or that the samples do not show it."""
        found = self.difference("auc")
        apart = f"a - b: area {found.difference:+.2f} ({found.low:+.2f} to {found.high:+.2f})"
        if found.low <= 0 <= found.high:
            return f"No winner, {apart}"
        return f"{'a' if found.difference > 0 else 'b'} is above, {apart}"

    @cached_property
    def differences(self) -> Mapping[str, Difference]:
        """For each key of `prviz.curves.summaries`, the values of both generators and their
        difference, a - b.
        """
        return BySummary((key, self.difference(key)) for key in self.a.values)

    def difference(self, key: str, most_a: float = np.inf, most_b: float = np.inf) -> Difference:
        """One summary of both generators, and the difference a - b with its interval.

        Parameters
        ----------
        key : str
            A key of `prviz.curves.summaries`.
        most_a, most_b : float
            Upper limits: larger values of the generator, or of its replicates, are replaced by
            these.

        Returns
        -------
        Difference
            Both values and their difference.
        """
        a = min(self.a.values[key], most_a)
        b = min(self.b.values[key], most_b)
        apart = np.minimum(self.a.replicates[key], most_a) - np.minimum(
            self.b.replicates[key], most_b
        )
        above = float(np.mean((np.sign(apart) + 1) / 2))
        return Difference(a, b, a - b, *interval(apart, self.a.level), above)


class RankedGenerator(NamedTuple):
    """One generator in a ranking.

    rank : 1 plus the number of generators that are surely better; generators with equal rank are
    tied.
    name : the generator's name.
    value, low, high : the summary and its interval.
    """

    rank: int
    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class SeveralGenerators(ReadOnlyArrays):
    """Several generators measured against the same real samples, by one family.

    Parameters
    ----------
    spreads : mapping of str to Spread
        Curve and replicates of each generator by name, in the order given, from the same draws of
        real samples.
    """

    spreads: Mapping[str, Spread]

    def __repr__(self) -> str:
        areas = ", ".join(f"{name} {spread.curve.auc:.2f}" for name, spread in self.spreads.items())
        return f"SeveralGenerators(area: {areas})"

    def _repr_html_(self) -> str:
        ranking = self.ranking()
        curves = {each.name: self.spreads[each.name].curve for each in ranking}
        best = [each.name for each in ranking if each.rank == 1]
        headline = f"Best: {best[0]}."
        if len(best) > 1:
            headline = f"May be best: {len(best)} of {len(ranking)}."
        return shown.as_html(curves, colors(curves), headline)

    def to_frame(self, key: str = "auc") -> DataFrame:
        """`ranking` as a table.

        Parameters
        ----------
        key : str
            A key of `prviz.curves.summaries`.

        Returns
        -------
        pandas.DataFrame
            One row per generator, the largest first.
        """
        with needed_for("a table"):
            import pandas as pd

        return pd.DataFrame(self.ranking(key))

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], GeneratorComparison]:
        """(name of a, name of b) -> comparison, for every two generators; a was given before b."""
        return {
            (a, b): GeneratorComparison(self.spreads[a], self.spreads[b])
            for a, b in combinations(self.spreads, 2)
        }

    def ranking(self, key: str = "auc") -> list[RankedGenerator]:
        """The generators ordered by one summary, the largest first, with ties.

        Parameters
        ----------
        key : str
            A key of `prviz.curves.summaries`.

        Returns
        -------
        list of RankedGenerator
            One line per generator.

        Raises
        ------
        ValueError
            If the key is not that of a summary.

        Notes
        -----
        One generator is surely better than another if their difference exceeds c times its standard
        error over the replicates. c is chosen so that in the share ``level`` of the replicates no
        two generators' difference exceeds c standard errors by chance. Source: Hsu 1996, Multiple
        Comparisons, chapter 5 (all pairs).
        """
        spreads = list(self.spreads.values())
        checked_choice("key", key, spreads[0].values)
        values = np.array([spread.values[key] for spread in spreads])
        replicates = np.stack([spread.replicates[key] for spread in spreads])
        apart = replicates[:, None] - replicates[None]
        errors = apart.std(axis=2)
        moved = np.abs(apart - apart.mean(axis=2, keepdims=True))
        by_chance = np.divide(
            moved, errors[..., None], out=np.zeros_like(moved), where=errors[..., None] > 0
        )
        most = np.quantile(by_chance.max(axis=(0, 1)), spreads[0].level)
        ranks = 1 + np.count_nonzero(values[:, None] - values[None] > most * errors, axis=0)
        lines = [
            RankedGenerator(int(rank), name, spread.values[key], *spread.intervals[key])
            for rank, (name, spread) in zip(ranks, self.spreads.items(), strict=True)
        ]
        return sorted(lines, key=lambda line: (line.rank, -line.value))


@overload
def compare(
    real: SamplesLike,
    generated_a: SamplesLike,
    generated_b: SamplesLike,
    method: str = "knn",
    **options: Unpack[CompareOptions],
) -> GeneratorComparison: ...


@overload
def compare(
    real: SamplesLike,
    generated_a: SamplesLike,
    generated_b: SamplesLike,
    generated_c: Samples | Array,
    /,
    *others: SamplesLike,
    method: str = "knn",
    **options: Unpack[CompareOptions],
) -> SeveralGenerators: ...


@overload
def compare(
    real: SamplesLike,
    generated_a: Mapping[str, SamplesLike],
    *,
    method: str = "knn",
    **options: Unpack[CompareOptions],
) -> SeveralGenerators: ...


def compare(
    real: SamplesLike,
    generated_a: SamplesLike | Mapping[str, SamplesLike],
    generated_b: SamplesLike | None = None,
    *others: SamplesLike | str,
    method: str = "knn",
    k: K = "sqrt",
    bandwidth: float | None = None,
    split: SplitRatio = 0.5,
    seed: int = 0,
    replicates: int = REPLICATES,
    level: float = LEVEL,
    memory_limit: int = MEMORY_LIMIT,
    progress: Progress | None = None,
) -> GeneratorComparison | SeveralGenerators:
    """Paired bootstrap of generators on the same real samples: the difference of every summary.

    All generators are measured at the same k, with the same real fit and evaluation samples, which
    the seed and their number determine. Each replicate draws the real evaluation samples once for
    all generators, so that common variation cancels in the difference; generated samples are drawn
    separately. As in `prviz.bootstrap`, the supports stay fixed. A bias that both have cancels,
    too; it depends on the number of samples, so use equally many samples of all generators.

    Parameters
    ----------
    real, generated_a, generated_b : array_like or Samples
        (n, d), (m_a, d) and (m_b, d) samples. A mapping from names to sets may take the place of
        ``generated_a``.
    *others : array_like or Samples
        More generated sets; if the last of these arguments is a string, it is the method.
    method : str
        A name in ESTIMATORS.
    k : int or "sqrt"
        Number of neighbours, or "sqrt": floor(sqrt(n)), n the size of the smallest of all sets.
    bandwidth, split, seed : optional
        As in `prviz.pr_curve`; the seed is also that of the replicates.
    replicates, level : optional
        As in `prviz.bootstrap`.
    memory_limit, progress : optional
        As in `prviz.pr_curve`; the replicates are the last step of the progress.

    Returns
    -------
    GeneratorComparison or SeveralGenerators
        For two sets: both curves with their replicates, and the interval of the difference of every
        summary. For more sets, or a mapping: such a comparison of each two in ``pairs``, and a
        ``ranking`` with ties.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve` and `prviz.bootstrap`, and if there are fewer than two generated sets or
        two have the same name.

    Examples
    --------
    >>> import prviz
    >>> real, near = prviz.toy("mixtures").sample(200, seed=0)
    >>> models = {"near": near, "far": near.values + 3, "farther": near.values + 9}
    >>> found = prviz.compare(real, models, replicates=50)
    >>> [(each.rank, each.name) for each in found.ranking("auc")][0]
    (1, 'near')
    """
    check_resampling(replicates, seed, level)
    if others and isinstance(others[-1], str):
        method = others[-1]
        others = others[:-1]
    reference = as_samples(real, name="real")
    named = _by_name(generated_a, generated_b, others)
    pairs = dict[str, SamplePair]()
    # A loop instead of a comprehension: a warning would name the comprehension's frame as the
    # caller.
    for name, samples in named.items():
        pairs[name] = checked_pair(reference, samples)
    number = min(resolve_k(k, pair) for pair in pairs.values())
    found = {}
    one = one_method(method)
    steps = len(pairs) + 1
    for place, (name, pair) in enumerate(pairs.items()):
        measured = estimate(
            pair,
            one,
            k=number,
            bandwidth=bandwidth,
            split=split,
            seed=seed,
            memory_limit=memory_limit,
            progress=part_of(progress, place, steps),
        )
        found[name] = measured[one]
    if len(found) == 2 and not isinstance(generated_a, Mapping):
        a, b = found.values()
        return compare_estimates(a, b, replicates, seed, level)
    drawn = zip(*replicated([each.runs for each in found.values()], replicates, seed), strict=True)
    spreads = {}
    for (name, each), curves in zip(found.items(), drawn, strict=True):
        spreads[name] = Spread(each.curve, curves, level)
    return SeveralGenerators(spreads)


def _is_set(value: Any) -> bool:
    """True if the argument is a single set of samples."""
    return isinstance(value, Samples) or np.ndim(value) == 2


def _by_name(first: Any, second: Any, others: Sequence[Any]) -> dict[str, Samples]:
    """The generated sets by name: names that were given, or "generated_a", "generated_b" and so
    on.
    """
    if isinstance(first, Mapping):
        given = [
            (str(name), as_samples(samples, name=str(name))) for name, samples in first.items()
        ]
        if second is not None or others:
            raise TypeError(
                "generated_a is a mapping, and further sets were given; give all by name, or none"
            )
    else:
        if isinstance(first, list | tuple) and first and _is_set(first[0]):
            raise TypeError(
                f"generated_a is a {type(first).__name__} of {len(first)} sets; give each as an "
                f"argument of its own,"
                " prviz.compare(real, first, second), or all by name, {'first': first, 'second': "
                "second}"
            )
        listed = [each for each in (first, second, *others) if each is not None]
        letters = "abcdefghijklmnopqrstuvwxyz"
        given = []
        for place, each in enumerate(listed):
            mark = letters[place] if place < len(letters) else str(place + 1)
            samples = as_samples(each, name=f"generated_{mark}")
            given.append((samples.name or f"generated_{mark}", samples))
    if len(given) < 2:
        raise ValueError(
            f"{len(given) or 'no'} generated set; at least 2 are needed to compare them"
        )
    named = dict(given)
    if len(named) < len(given) and len(given) == 2:
        return {
            f"{name} ({mark})": samples for mark, (name, samples) in zip("ab", given, strict=True)
        }
    if len(named) < len(given):
        twice = next(
            name for name, count in Counter(name for name, _ in given).items() if count > 1
        )
        raise ValueError(
            f"two generated sets are called {twice!r}; give them by name: {{'first': ..., 'second':"
            " ...}"
        )
    return named


def compare_estimates(
    a: Estimate,
    b: Estimate,
    replicates: int,
    seed: int,
    level: float,
    progress: Progress = lambda _: None,
) -> GeneratorComparison:
    """`compare` for two generators that have already been measured by one family. ``progress`` is
    called with the fraction done. ValueError if the two do not have the same real samples.

    ``progress`` is called with the fraction done. ValueError if the real samples are not the same
    for both.
    """
    curves_a, curves_b = zip(*replicated((a.runs, b.runs), replicates, seed, progress), strict=True)
    return GeneratorComparison(Spread(a.curve, curves_a, level), Spread(b.curve, curves_b, level))
