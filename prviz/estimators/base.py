"""Base class of the families of classifiers. A family is given by two supports per evaluation
sample.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np

from prviz.arguments import checked_list, checked_number, checked_whole
from prviz.arrays import Array, Flags, Ints
from prviz.curves import ErrorRates
from prviz.curves.frozen import ReadOnlyArrays
from prviz.neighbors import BallCounts, Balls
from prviz.neighbors.threads import Progress
from prviz.samples import SamplePair, Split, independent_number
from prviz.toys.base import Parameter


@dataclass(frozen=True, eq=False)
class Supports(ReadOnlyArrays):
    """Two non-negative supports per evaluation sample; the larger c_real / c_generated, the more a
    sample looks real.

    c_real, c_generated : (m,) supports from the real and the generated fit samples, real evaluation
    samples first.
    n_real : number of real evaluation samples.
    bandwidth : radius of the balls in which real samples are counted and radius of those for
    generated samples; None if the family has no single radius.
    rows : indices of the measured evaluation samples, among those of both sets, real ones first;
    None: all of them were measured.
    groups : index of the group that each sample belongs to; groups of one set are independent of
    each other. None: all samples are independent.
    """

    c_real: Array
    c_generated: Array
    n_real: int
    bandwidth: tuple[float, float] | None = None
    rows: Ints | None = None
    groups: Ints | None = None

    @property
    def n_independent(self) -> tuple[int, int]:
        """Number of independent real samples and number of independent generated ones, see
        `prviz.samples.independent_number`.
        """
        if self.groups is None:
            return self.n_real, len(self.c_real) - self.n_real
        real, generated = np.split(self.groups, [self.n_real])
        return independent_number(real), independent_number(generated)

    @property
    def both_zero(self) -> Flags:
        """(m,) True for evaluation samples whose supports are both 0, such as held-out samples in
        no ball.
        """
        return np.asarray((self.c_real == 0) & (self.c_generated == 0))

    @property
    def real_rows(self) -> Ints:
        """Indices, among the real evaluation samples, of those that were measured."""
        if self.rows is None:
            return np.arange(self.n_real)
        return self.rows[: self.n_real]

    def rates(self) -> ErrorRates:
        """Error rates (fpr, fnr) of every classifier of the family."""
        return ErrorRates.from_supports(self.c_real, self.c_generated, self.n_real)


Runs: TypeAlias = tuple[Supports, ...]  # One entry per fit of the family to the same data.


@dataclass(frozen=True)
class About:
    """Facts about a family that help to judge its curve.

    paper : heading under which lists show the family.
    formula : supports in LaTeX; where c_Y is not given, it mirrors c_X.
    cost : computations needed.
    biases : known errors and their direction.
    published : settings that reproduce the publication, and which of its numbers they give.
    """

    paper: str
    formula: str
    cost: str
    biases: str
    published: str


class Estimator:
    """A family of classifiers, with its texts for lists, pages and the command line.

    A subclass defines either `balls` or `runs`. With `balls` it also defines `combined`, unless its
    supports are just the counts in one kind of balls.

    name : key in ESTIMATORS.
    title : name in legends.
    idea : one plain sentence.
    source : paper and section.
    about : formula, cost, biases and published settings.
    tunes : the parameter that a sweep varies; None: the family uses neither k nor the bandwidth.
    needs_split : True if the family can only be measured on samples that it was not fitted on.
    parameters : adjustable parameters besides k and bandwidth; their defaults are the published
    values. See `value` and `named`.
    chosen_by_evaluation : True if the evaluation samples influence which classifiers are measured.
    fits : number of classifiers that the family fits, to estimate the time of a family that uses
    neither k nor bandwidth.
    judges_all : True if all samples are evaluation samples, by cross-fitting: classifiers fitted on
    the other folds judge the samples of a fold.
    """

    name: str
    title: str
    idea: str
    source: str
    about: About
    tunes: Literal["k", "bandwidth"] | None = None
    needs_split: bool = False
    chosen_by_evaluation: bool = False
    judges_all: bool = False
    fits: int = 1
    parameters: tuple[Parameter, ...] = ()
    _values: Mapping[str, Any] = {}  # Values of the parameters that differ from their defaults.

    def value(self, name: str) -> Any:
        """The value of the parameter with this name."""
        if name in self._values:
            return self._values[name]
        return self._parameter(name).default

    def named(self, values: Mapping[str, Any]) -> str:
        """The family's name with these parameter values, such as "prc:c=4"; parameters with their
        published value are left out.
        """
        checked = {
            each.name: each.checked(values.get(each.name, each.default)) for each in self.parameters
        }
        other = [
            f"{each.name}={str(checked[each.name]).removesuffix('.0')}"
            for each in self.parameters
            if checked[each.name] != each.default
        ]
        return ":".join([self.name, *other])

    def having(self, settings: Sequence[str]) -> Self:
        """A copy of the family with other parameter values, each given as text such as "c=4". The
        ValueError for a wrong one says what is accepted.
        """
        values = {}
        for setting in settings:
            name, _, text = setting.partition("=")
            parameter = self._parameter(name)
            if name in values:
                raise ValueError(f"{self.name}: {name} is given twice; once is needed")
            try:
                number = int(text) if parameter.kind == "int" else float(text)
            except ValueError:
                raise ValueError(f"{self.name}: {setting!r}; {name}=NUMBER is needed") from None
            values[name] = parameter.checked(number)
        other = copy.copy(self)
        other._values, other.name = values, self.named(values)
        shown = ", ".join(other.name.split(":")[1:]).replace("=", " = ")
        other.title = f"{self.title} ({shown})" if shown else self.title
        return other

    def _parameter(self, name: str) -> Parameter:
        for each in self.parameters:
            if each.name == name:
                return each
        known = "it has none"
        if self.parameters:
            known = f"it has {', '.join(each.name for each in self.parameters)}"
        raise ValueError(f"{self.name} has no parameter {name!r}; {known}")

    def balls(
        self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]
    ) -> tuple[Balls, ...]:
        """The balls in which the family counts fit samples, empty for a family with `runs`. All
        families that count in balls share one pass over the distances.

        sizes : number of real and of generated fit samples.
        """
        return ()

    def combined(self, counts: Sequence[BallCounts], *, k: int, n_real: int) -> Supports:
        """Supports from the counts in the family's balls; the first ``n_real`` evaluation samples
        are real.

        The supports of a sample must depend on the counts of that sample alone. One exception: a
        decision for all samples (such as a choice between families) may use the generated
        evaluation samples, and no real ones, for c_X, and the reverse for c_Y.
        """
        return Supports(counts[0].real, counts[0].generated, n_real, counts[0].radii)

    def runs(
        self,
        split: Split,
        *,
        k: int,
        seed: int,
        progress: Progress,
    ) -> Runs:
        """Supports of the evaluation samples of ``split``, one per run; the family's curve is the
        mean over the runs.

        k : 1 for a family that does not use k.
        progress : called with the fraction done; may raise to stop.
        """
        raise TypeError(f"{self.name} has neither balls nor runs; an estimator has one of them")

    def runs_over_k(
        self,
        split: Split,
        *,
        ks: Sequence[int],
        seed: int,
        progress: Progress,
    ) -> list[Runs]:
        """The results of `runs` at each of several k. A family that can share work between the
        values of k overrides this method, with equal results.
        """
        found = []
        for index, k in enumerate(ks):

            def tick(share: float, index: int = index) -> None:
                progress((index + share) / len(ks))

            tick(0.0)
            found.append(self.runs(split, k=k, seed=seed, progress=tick))
        return found

    @property
    def shares_pass(self) -> bool:
        """True if the family counts in balls, so that it is measured in the pass over the distances
        that such families share.
        """
        return bool(self.balls(k=1, bandwidth=None, sizes=(2, 2)))

    @property
    def supports_are_counts(self) -> bool:
        """True if the supports of the family are just the numbers of fit samples in one kind of
        balls.
        """
        return self.shares_pass and type(self).combined is Estimator.combined


class Families(dict[str, Estimator]):
    """Families by name. A name such as "prc:c=4" also works: it gives a copy of the family with
    another parameter value. Copies are not listed.

    Such a name is accepted wherever a method is named. Keys, links and files contain it, so that
    they differ from those of the family with published values.
    """

    def __missing__(self, name: str) -> Estimator:
        family, *settings = name.split(":") if isinstance(name, str) else [""]
        if not settings or family not in self:
            raise KeyError(name)
        return self[family].having(settings)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if super().__contains__(name):
            return True
        try:
            return bool(self.__missing__(name))
        except (KeyError, ValueError):
            return False

    def registered(self, name: object) -> str:
        """The name in lower case, as families are registered, unless it is a family's exact name.
        An empty text if there is no such family.
        """
        if not isinstance(name, str):
            return ""
        if name not in self:
            name = name.lower()
        return name if name.partition(":")[0] in self else ""


def checked_k(k: object) -> int | Literal["sqrt"]:
    """``k`` if it is an integer from 1 or "sqrt"; raises as `checked_whole`."""
    if isinstance(k, str) and k == "sqrt":
        return "sqrt"
    return checked_whole("k", k, 1, why=' or "sqrt"')


def resolve_k(k: int | Literal["sqrt"], pair: SamplePair) -> int:
    """``k`` as an integer; "sqrt" means floor(sqrt(n)), with n the size of the smaller set before
    any split.
    """
    found = checked_k(k)
    if found == "sqrt":
        return math.isqrt(pair.smaller)
    return found


def resolve_ks(ks: Iterable[int | Literal["sqrt"]], pair: SamplePair) -> list[int]:
    """Several ``k`` as integers, see `resolve_k`."""
    return [resolve_k(k, pair) for k in checked_list("ks", ks, 'integers from 1 or "sqrt"')]


def check_k(k: int, split: Split) -> int:
    """Return ``k`` if every fit sample has at least k others in its own set; ValueError
    otherwise.
    """
    n_real, n_generated = map(len, split.fit_rows)
    sizes = f"{n_real} real and {n_generated} generated samples to fit"
    largest = min(n_real, n_generated) - 1
    if largest < 1:
        raise ValueError(f"{sizes}; at least 2 of each are needed")
    if not 1 <= k <= largest:
        given = ""
        if k == math.isqrt(split.pair.smaller):
            given = f' ("sqrt" of {split.pair.smaller} samples)'
        raise ValueError(
            f"k = {k}{given} with {sizes}; k must be 1 to {largest}, one less than the smaller set"
        )
    return k


def check_bandwidth(bandwidth: float | None) -> float | None:
    """``bandwidth`` as a float, after a check. None, which means a bandwidth derived from the data,
    is returned as None.
    """
    if bandwidth is None:
        return None
    return checked_bandwidth(bandwidth)


def checked_bandwidth(bandwidth: float) -> float:
    """``bandwidth`` as a float; raises as `prviz.arguments.checked_number`."""
    needed = "a positive finite number, or None for the mean k-NN radius,"
    return checked_number("bandwidth", bandwidth, needed, lambda found: 0 < found < math.inf)
