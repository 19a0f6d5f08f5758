"""The problem that the settings select: two sets of samples, the settings, and the true curve if it
is known.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from prviz.arrays import Ints
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.live.store import Stores
from prviz.measure.workload import fit_size, subsample, subsample_rows
from prviz.readers import bundled
from prviz.readers.columns import EVERY, ColumnChoice
from prviz.readers.media import Pictures
from prviz.reports.settings import ExploreSettings
from prviz.samples import SamplePair, Split
from prviz.toys import Swapped, ToyProblem, toy

# Stops of the bandwidth slider, in units of the mean k-NN radius at k = sqrt(n).
UNITS = tuple(round(0.5 + 0.02 * step, 2) for step in range(76))


@dataclass(frozen=True, eq=False)
class HeldPictures:
    """The sources in which pictures of samples are searched, in this order. Equal keys mean equal
    pictures.
    """

    key: Hashable = ()
    sources: tuple[Pictures, ...] = ()


@dataclass(frozen=True, eq=False)
class Uploaded:
    """An uploaded pair, with its files, keys and columns, from which code is written that repeats
    the analysis.

    origin: id of the files, needed as the digests of the samples do not cover the labels. choice:
    which columns of the files are used. before: if this pair was made by removing features from
    another pair, the settings and the upload of that pair (None if it was not uploaded). truth: the
    true curve, if it is known.
    """

    pair: SamplePair
    files: tuple[str, ...]
    keys: tuple[str | None, str | None]
    origin: tuple[Hashable, ...] = ()
    pictures: HeldPictures | None = None
    choice: ColumnChoice = EVERY
    before: tuple[ExploreSettings, Uploaded | None] | None = None
    truth: PRCurve | None = None

    @property
    def choices(self) -> tuple[ColumnChoice, ...]:
        """For each file, the choice of columns, without columns that the file does not have."""
        named = [{*side.features, *side.labels} for side in self.pair]
        for names, side in zip(named, self.pair, strict=True):
            if side.groups is not None and self.choice.group is not None:
                names.add(self.choice.group)
        if len(self.files) == 1:
            named = [named[0] | named[1]]
        return tuple(self.choice.known(names) for names in named)

    def swapped(self) -> Uploaded:
        """The same upload, but with real and generated samples swapped."""
        pair = self.pair.having(self.pair.generated, self.pair.real)
        turned = replace(
            self, files=self.files[::-1], keys=self.keys[::-1], origin=self.origin[::-1]
        )
        return replace(turned, pair=pair, before=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem(ABC):
    """Two sets of samples and the settings with which they are measured. The methods may be called
    from any thread.

    stores : the visitor's stores of what has been drawn and measured.
    """

    settings: ExploreSettings
    stores: Stores = field(default_factory=Stores)
    toy: ToyProblem | None = None
    uploaded: Uploaded | None = None

    @property
    @abstractmethod
    def key(self) -> tuple[Any, ...]:
        """A key that identifies all samples of the problem: equal keys mean equal samples."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The name of the problem, for figures and files."""

    @property
    @abstractmethod
    def sizes(self) -> tuple[int, int, int]:
        """(number of real samples, number of generated samples, dimension); known before the
        samples are drawn.
        """

    @property
    def independent(self) -> tuple[int, int]:
        """The numbers of independent real and of independent generated samples; lower than the
        numbers of samples if these belong to groups.
        """
        return self.sizes[:2]

    @property
    @abstractmethod
    def redrawn(self) -> bool:
        """True if each repeat draws other samples, so that repeats differ even without a split."""

    @abstractmethod
    def rows(self) -> tuple[Ints, Ints]:
        """For both sets, the row numbers of the samples on screen in the file or draw that they
        come from, counted from 0.
        """

    @abstractmethod
    def _drawn(self, seed: int) -> SamplePair: ...

    def draw(self, repeat: int) -> tuple[SamplePair, int]:
        """The pair of samples of this repeat, and the seed of its split; the samples of repeat 0
        are on screen.
        """
        seed = self.settings.seed + repeat
        return self.stores.samples.remembered((*self.key, seed), lambda: self._drawn(seed)), seed

    @property
    def pair(self) -> SamplePair:
        """The pair of samples on screen (repeat 0)."""
        return self.draw(0)[0]

    def having(self, **settings: Any) -> Problem:
        """A problem with the same data, but with these settings changed."""
        return replace(self, settings=replace(self.settings, **settings))

    def split(self) -> Split:
        """The split of the pair on screen (repeat 0)."""
        pair, seed = self.draw(0)
        return pair.split(self.settings.split, seed)

    @property
    def repeats(self) -> int:
        """Number of repeats; 1 for approximate curves, and if repeats would not differ."""
        drawn = self.redrawn or self.settings.split is not None
        if drawn and not self.settings.approximate:
            return self.settings.repeats
        return 1

    @property
    def tuned(self) -> list[str]:
        """The chosen families that depend on k or on the bandwidth."""
        return [name for name in self.settings.methods if ESTIMATORS[name].tunes]

    @property
    def root_k(self) -> int:
        """The value of k = "sqrt": floor(sqrt(n)) of the smaller set before the split."""
        return math.isqrt(min(self.sizes[:2]))

    @property
    def k(self) -> int:
        """The k of the settings as a number ("sqrt" resolved)."""
        if self.settings.k == "sqrt":
            return self.root_k
        return self.settings.k

    @property
    def largest_k(self) -> int:
        """The largest k that can be used: the size of the smaller set of fit samples, minus 1."""
        return min(fit_size(n, self.settings.split) for n in self.sizes[:2]) - 1

    @property
    def judged(self) -> tuple[int, int]:
        """The numbers of real and of generated evaluation samples."""
        split = self.settings.split
        real, generated = (n if split is None else n - fit_size(n, split) for n in self.sizes[:2])
        return real, generated

    @property
    def stops(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """The stops of the sliders of k and of the bandwidth, at which a profile is measured:
        (every k, every bandwidth). There are no bandwidths if no family uses one.
        """
        top = self.largest_k
        root = min(self.root_k, top)
        # Every k up to 20, then steps of about 4 %, so that there are few stops in total.
        ks = {root}
        value = 1.0
        while value <= min(top, max(4 * root, 60)):
            ks.add(round(value))
            value = value + 1 if value < 20 else value * 1.04
        tuned = any(ESTIMATORS[name].tunes == "bandwidth" for name in self.settings.methods)
        return tuple(sorted(ks)), UNITS if tuned else ()

    @cached_property
    def truth(self) -> PRCurve | None:
        """The true curve; None if it is not known."""
        return None

    @property
    def headline(self) -> str:
        """One line of plain text that describes the problem on screen."""
        n_real, n_generated, d = self.sizes
        dimensions = "1 dimension"
        if d != 1:
            dimensions = f"{d:,} dimensions"
        sizes = f"{n_real:,} real and {n_generated:,} generated samples in {dimensions}"
        known = "no truth is known for these data"
        if self.toy is not None:
            known = "the dashed curve is the truth"
            if self.toy.truth_error > 0:
                known += f", exact to {self.toy.truth_error:.6f} in area"
        return f"{self.title}: {sizes}; {known}."


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawnProblem(Problem):
    """The problem of a toy: every repeat draws new samples."""

    toy: ToyProblem

    @property
    def key(self) -> tuple[Any, ...]:
        return (
            "toy",
            self.toy.name,
            tuple(sorted(self.toy.parameters.items())),
            self.settings.n,
            self.settings.seed,
        )

    @property
    def title(self) -> str:
        return self.toy.title

    @property
    def sizes(self) -> tuple[int, int, int]:
        return self.settings.n, self.settings.n, self.toy.d

    @property
    def redrawn(self) -> bool:
        return True

    def rows(self) -> tuple[Ints, Ints]:
        return np.arange(self.settings.n), np.arange(self.settings.n)

    def _drawn(self, seed: int) -> SamplePair:
        return self.toy.sample(self.settings.n, seed)

    @cached_property
    def truth(self) -> PRCurve | None:
        return self.stores.results.remembered(("truth", *self.key[1:3]), self.toy.truth)


@dataclass(frozen=True, eq=False, kw_only=True)
class FixedProblem(Problem):
    """The problem of a fixed pair. Repeats have other splits and, if the pair is subsampled, other
    subsamples.
    """

    whole: SamplePair

    @property
    def key(self) -> tuple[Any, ...]:
        origin = () if self.uploaded is None else self.uploaded.origin
        pair = self.whole
        settings = self.settings
        return (
            "bundled" if self.uploaded is None else "upload",
            pair.digest,
            pair.real.name,
            pair.generated.name,
            origin,
            settings.n,
            settings.seed,
        )

    @property
    def title(self) -> str:
        return f"{self.whole.real.name} against {self.whole.generated.name}"

    @property
    def sizes(self) -> tuple[int, int, int]:
        n = self.settings.n
        return min(self.whole.real.n, n), min(self.whole.generated.n, n), self.whole.d

    @property
    def independent(self) -> tuple[int, int]:
        if all(side.groups is None for side in self.whole):
            return self.sizes[:2]

        def count() -> tuple[int, int]:
            return self.pair.real.n_independent, self.pair.generated.n_independent

        return self.stores.results.remembered(("independent", *self.key), count)

    @property
    def redrawn(self) -> bool:
        return self.settings.n < max(self.whole.real.n, self.whole.generated.n)

    def rows(self) -> tuple[Ints, Ints]:
        real, generated = (
            subsample_rows(side.n, self.settings.n, self.settings.seed) for side in self.whole
        )
        return real, generated

    @cached_property
    def truth(self) -> PRCurve | None:
        if self.uploaded is None:
            return None
        return self.uploaded.truth

    def _drawn(self, seed: int) -> SamplePair:
        return subsample(self.whole, self.settings.n, seed)


def allowed(problem: Problem) -> Problem:
    """The problem with settings that its samples allow: a split with enough fit samples, a possible
    k, and families that work with this split (or without one) and with the mode, exact or
    approximate.
    """
    if problem.largest_k < 1:
        problem = problem.having(split=0.5)
    settings = problem.settings
    able = problem.settings.methods
    if settings.split is None:
        able = tuple(name for name in able if not ESTIMATORS[name].needs_split)
    if settings.approximate:
        able = tuple(
            name for name in able or DEFAULT_METHODS if ESTIMATORS[name].supports_are_counts
        )
    k = problem.k
    top = problem.largest_k
    fits = settings.k == "sqrt" and k <= top
    return problem.having(
        methods=able or DEFAULT_METHODS, k="sqrt" if fits else min(max(k, 1), top)
    )


def problem_of(
    settings: ExploreSettings, uploaded: Uploaded | None = None, stores: Stores | None = None
) -> Problem:
    """The problem that the settings select. If an upload is selected but missing, a bundled pair
    takes its place.

    Raises ValueError for parameters that the toy does not accept.
    """
    stores = stores or Stores()
    if settings.source == "toy":
        described = toy(settings.problem, **settings.parameters)
        if settings.swapped:
            described = Swapped(of=described)
        return DrawnProblem(settings=settings, stores=stores, toy=described)
    if settings.source != "upload":
        uploaded = None
    whole = bundled.bundled_pair(settings.problem) if uploaded is None else uploaded.pair
    if uploaded is None and settings.swapped:  # an uploaded pair is swapped before it is stored
        whole = SamplePair(whole.generated, whole.real)
    return FixedProblem(settings=settings, stores=stores, whole=whole, uploaded=uploaded)
