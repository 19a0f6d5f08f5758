"""For each class: the share of real samples that a generator misses, and the share of generated
samples that it invents.

A sample is missed if no sample of the other set lies in its ball, which reaches to the k-th nearest
neighbour in its own set. If both sets are of one distribution, all orders of a sample's neighbours
are equally likely. So the expected share of missed samples is known without held-out samples: it is
the probability that the k nearest neighbours are all of the own set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prviz.arrays import Array, Flags, Floats, Ints
from prviz.neighbors import MEMORY_LIMIT, nearest_radii, nearest_rows
from prviz.readers import read_label
from prviz.readers.errors import listed, quoted
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import FAILURES, samples_at
from prviz.triage.measured import TriageSettings
from prviz.triage.memorisation import binomial_interval

# k of a sample's ball. With k = 5, about 3 % of the samples are missed between two sets of equal
# size and one distribution.
NEIGHBOURS = 5
# Fewest samples of a class for it to be compared.
LEAST_OF_CLASS = 50
# Probability that all intervals of a table hold at once.
CONFIDENCE = 0.95
# Number of samples that count as one independent sample in the tests, as neighbouring samples are
# missed together. `tests/benchmarks/classes.py` measures how often a class is called worse by
# chance.
AS_ONE = 3.0
# A whole number as text, with or without decimals.
_WHOLE = re.compile(r"-?\d+(\.0+)?")
# Most different values of a label for it to name classes; a label with more names samples.
_MOST_CLASSES = 200


class ClassShare(NamedTuple):
    """The missed samples of one class.

    Parameters
    ----------
    label : str
        The class.
    role : "real" or "generated"
        Real samples that no generated one is near, or generated ones that no real one is near.
    n : int
        Samples of the class in that set.
    others : int
        Samples of the other set that they were compared with: those of the same class where both
        sets have labels. 0: there is none, which is reported for classes of every size.
    missed, expected : float
        Share of the class that is missed, and the share expected of two sets of one distribution.
    low, high : float
        Interval of ``missed``. All intervals of a table hold at once with the probability
        CONFIDENCE (Holm).
    worse : bool
        True if more are missed than chance explains.
    few : bool
        True for fewer than LEAST_OF_CLASS samples: too few to compare.
    """

    label: str
    role: Literal["real", "generated"]
    n: int
    others: int
    missed: float
    expected: float
    low: float
    high: float
    worse: bool
    few: bool


def by_class(
    real: Samples,
    generated: Samples,
    real_labels: ArrayLike,
    generated_labels: ArrayLike | None = None,
    *,
    k: int = NEIGHBOURS,
    memory_limit: int = MEMORY_LIMIT,
) -> tuple[ClassShare, ...]:
    """Share of missed samples of every class, the worst first, classes of few samples last.

    Parameters
    ----------
    real, generated : Samples
        The two sets.
    real_labels : array_like of shape (n,)
        The class of each real sample.
    generated_labels : array_like of shape (m,), optional
        The class of each generated sample; then each class is compared with the same class of the
        other set, both ways. None: real classes are compared with all generated samples.
    k : int
        Neighbour of its own set that a sample's ball reaches to.
    memory_limit : int
        Bytes beyond the samples.

    Returns
    -------
    tuple of ClassShare
        One per class and role.

    Raises
    ------
    ValueError
        Labels of another number than the samples, or too many different ones; two sets without a
        label in common.
    """
    labels = [_texts(real_labels, real, "real")]
    if generated_labels is not None:
        labels.append(_texts(generated_labels, generated, "generated"))
        if reason := apart_text(
            real_labels, generated_labels, real.name or "real", generated.name or "generated"
        ):
            raise ValueError(reason)
    # One sample of each group is compared, as samples of a group are not independent.
    real, labels[0] = _independent(real, labels[0])
    if generated_labels is not None:
        generated, labels[1] = _independent(generated, labels[1])
        return _both_ways((real, generated), labels, k, memory_limit)
    generated = generated.one_of_each_group()
    missed = _missed(real, generated, k, memory_limit)
    expected = _expected(real.n, generated.n, k)
    shares = [
        _share(name, "real", missed[labels[0] == name], generated.n, expected)
        for name in sorted(set(labels[0]))
    ]
    return _holm(shares, {})


def _both_ways(
    sets: tuple[Samples, Samples], labels: Sequence[NDArray[np.str_]], k: int, memory_limit: int
) -> tuple[ClassShare, ...]:
    """Every class of either set compared with the same class of the other."""
    shares: list[ClassShare] = []
    absent: dict[ClassShare, float] = {}
    roles: Sequence[Literal["real", "generated"]] = ("real", "generated")
    for name in sorted(set(labels[0]) | set(labels[1])):
        for place, role in enumerate(roles):
            own, other = (np.flatnonzero(labels[at] == name) for at in (place, 1 - place))
            if not len(own):
                continue
            if len(other):
                missed = _missed(
                    sets[place].take(own), sets[1 - place].take(other), k, memory_limit
                )
                expected = _expected(len(own), len(other), k)
                share = _share(name, role, missed, len(other), expected)
            else:
                alone = np.ones(len(own), dtype=bool)
                share = _share(name, role, alone, 0, 0.0)._replace(few=False)
                # Probability that all samples of a class fall into this set if both sets have one
                # distribution.
                absent[share] = _expected(sets[place].n + 1, sets[1 - place].n, len(own))
            shares.append(share)
    return _holm(shares, absent)


class MissedSamples(NamedTuple):
    """The samples of one set that have no sample of the other set in their ball, as `by_class`
    counts them.

    rows : their rows, the clearest first.
    ratios : distance from each to the nearest sample of the other set, over the radius of its ball.
    n : number of samples that were examined: all, or one of each group.
    expected : share of missed samples in two sets of one distribution.
    """

    rows: Ints
    ratios: Floats
    n: int
    expected: float

    @property
    def share(self) -> float:
        """Share of the examined samples that is missed."""
        return len(self.rows) / self.n


def missed_samples(own: Samples, others: Samples, k: int = NEIGHBOURS) -> MissedSamples:
    """The missed samples of a set: those with none of ``others`` in their ball, which reaches to
    the k-th nearest neighbour in their own set.
    """
    one_each = replace(own, labels={"": np.arange(own.n)}).one_of_each_group()
    others = others.one_of_each_group()
    ratios = _ratios(one_each, others, k, MEMORY_LIMIT)
    chosen = np.flatnonzero(ratios > 1)
    chosen = chosen[np.argsort(-ratios[chosen], kind="stable")]
    rows = np.asarray(one_each.labels[""], dtype=np.intp)[chosen]
    return MissedSamples(rows, ratios[chosen], one_each.n, _expected(one_each.n, others.n, k))


def apart_text(
    real_labels: ArrayLike, generated_labels: ArrayLike, real: str, generated: str
) -> str:
    """Why two sets can't be compared class by class: they have no label in common. "" if they have
    one. real, generated : names of the sets.
    """
    sides = [
        list(dict.fromkeys(_as_texts(labels).tolist()))
        for labels in (real_labels, generated_labels)
    ]
    if not set(sides[0]).isdisjoint(sides[1]):
        return ""
    shown = [", ".join(map(repr, side[:3])) + (" ..." if len(side) > 3 else "") for side in sides]
    return (
        f"no label of {generated} is in {real}: {shown[1]} against {shown[0]}; give both sets"
        " labels of one kind, such as the same names"
    )


def _independent(samples: Samples, labels: NDArray[np.str_]) -> tuple[Samples, NDArray[np.str_]]:
    """One sample of each group, with its label; all samples if there are no groups."""
    if samples.groups is None:
        return samples, labels
    few = replace(samples, labels={"": labels}).one_of_each_group()
    return few, few.labels[""]


def labels_of(reference: Samples, path: Path, label: str) -> Array:
    """The class of each real sample, as the reference's file has them under this label.

    Raises ValueError: the reference has no such label, or one of too many values.
    """
    labels = read_label(path, label, reference)
    if labels is None:
        known = ""
        if reference.labels:
            known = f"; it has {listed(reference.labels)}"
        raise ValueError(
            f"{quoted(path.name)}: there is no label {quoted(label)} with a value for each"
            f" sample{known}"
        )
    _texts(labels, reference, "real")
    return labels


def class_shares(
    reference: Samples,
    path: Path,
    checkpoints: Iterable[Checkpoint],
    label: str,
    settings: TriageSettings,
    *,
    memory_limit: int = MEMORY_LIMIT,
) -> tuple[dict[str, tuple[ClassShare, ...]], dict[str, str]]:
    """`by_class` for each checkpoint, by a label of the reference's file and, where they have it,
    of the checkpoints' files.

    Returns the shares by the checkpoint's name, without checkpoints that can't be read, and the
    reason for each checkpoint that has no label in common with the reference.

    path : file of the reference. label : a column or array, see `prviz.readers.read_label`.

    Raises ValueError: the reference has no such label, or one of too many values.
    """
    real_labels = labels_of(reference, path, label)
    found: dict[str, tuple[ClassShare, ...]] = {}
    apart: dict[str, str] = {}
    for each in checkpoints:
        try:
            generated = SamplePair(reference, samples_at(each.path, settings, each.below)).generated
            labels = read_label(each.path, label, generated, below=each.below)
        except FAILURES:
            continue
        if labels is not None and (
            reason := apart_text(real_labels, labels, path.name, each.path.name)
        ):
            apart[each.name] = reason
            continue
        found[each.name] = by_class(
            reference, generated, real_labels, labels, memory_limit=memory_limit
        )
    return found, apart


def _as_texts(labels: ArrayLike) -> NDArray[np.str_]:
    """The labels as texts; equal whole numbers give the same text, such as 1 and 1.0."""
    found = np.asarray(labels)
    if found.dtype.kind == "f" and np.isfinite(found).all() and np.all(found == np.rint(found)):
        found = found.astype(np.int64)
    texts = found.astype(str)
    # pandas writes 1 as 1.0 in a column with gaps
    if found.dtype.kind in "OU" and all(map(_WHOLE.fullmatch, set(texts.tolist()))):
        return np.array([text.partition(".")[0] for text in texts.tolist()], dtype=str)
    return texts


def _texts(labels: ArrayLike, samples: Samples, role: str) -> NDArray[np.str_]:
    found = _as_texts(labels)
    if found.shape != (samples.n,):
        raise ValueError(
            f"{role} labels have shape {found.shape}; one for each of {samples.n} samples is needed"
        )
    if (count := len(set(found))) > _MOST_CLASSES:
        raise ValueError(
            f"{role} labels have {count} different values; at most {_MOST_CLASSES} classes are"
            " compared"
        )
    return found


def _missed(own: Samples, others: Samples, k: int, memory_limit: int) -> Flags:
    """(n,) True for missed samples: none of ``others`` lies in their ball, which reaches to the
    k-th nearest neighbour in their own set.
    """
    return _ratios(own, others, k, memory_limit) > 1


def _ratios(own: Samples, others: Samples, k: int, memory_limit: int) -> Floats:
    """(n,) distance to the nearest of ``others``, over the distance to the k-th nearest neighbour
    in the own set. It is above 1 exactly if the first distance is larger.
    """
    rows = np.arange(own.n)
    if own.n <= k:
        return np.zeros(own.n)
    nearest = nearest_rows(own.values, rows, 1, others.values, memory_limit=memory_limit)[1][:, 0]
    radii = nearest_radii(own.values, rows, k)
    ratios = np.where(nearest > radii, np.inf, 1.0)
    # Rounding never makes the quotient of two different numbers 1.
    np.divide(nearest, radii, out=ratios, where=radii > 0)
    return ratios


def _expected(n: int, m: int, k: int) -> float:
    """Expected share of missed samples between sets of n and m samples of one distribution: the
    probability that the k nearest of n - 1 own and m other samples are all own, in random order.
    """
    before = np.arange(min(k, n - 1))
    return float(np.prod((n - 1 - before) / (n - 1 + m - before)))


def _share(
    label: str, role: Literal["real", "generated"], missed: Flags, others: int, expected: float
) -> ClassShare:
    n = len(missed)
    return ClassShare(
        label, role, n, others, float(missed.mean()), expected, 0.0, 1.0, False, n < LEAST_OF_CLASS
    )


def _holm(
    shares: Sequence[ClassShare], absent: Mapping[ClassShare, float] = MappingProxyType({})
) -> tuple[ClassShare, ...]:
    """The shares with intervals and verdicts, the worst first, classes of few samples last.

    Method of Holm 1979, on binomial tests with effective numbers of samples.

    absent : classes without a sample in the other set -> the probability of that by chance.
    """
    from scipy.special import betainc

    def chance(each: ClassShare) -> float:
        """Probability of at least this share of missed samples if the expected share is the true
        one.
        """
        if each in absent:
            return absent[each]
        n = each.n / AS_ONE
        if each.missed > 0:
            return float(betainc(each.missed * n, n - each.missed * n + 1, each.expected))
        return 1.0

    tested = sorted((each for each in shares if not each.few), key=chance)
    found = list[ClassShare]()
    holds = True
    for place, each in enumerate(tested):
        level = (1 - CONFIDENCE) / (len(tested) - place)
        holds = holds and chance(each) <= level / 2
        found.append(_interval(each, level)._replace(worse=holds))
    found.sort(key=lambda each: (-(each.low - each.expected), -(each.missed - each.expected)))
    found.sort(key=lambda each: each.others > 0 or not each.worse)
    few = sorted(
        (each for each in shares if each.few), key=lambda each: -(each.missed - each.expected)
    )
    return (*found, *(_interval(each, 1 - CONFIDENCE) for each in few))


def _interval(each: ClassShare, level: float) -> ClassShare:
    """The class with the interval of its share of missed samples."""
    n = each.n / AS_ONE
    low, high = binomial_interval(each.missed * n, n, level)
    return each._replace(low=low, high=high)


def class_sentence(share: ClassShare) -> str:
    """A sentence on the samples of one class that are missed."""
    label = share.label or "without a label"
    if not share.others:
        other = "real"
        if share.role == "real":
            other = "generated"
        return f"{label}: {share.n:,} {share.role}, none {other}"
    if share.role == "real":
        what = "of the real samples no generated one is near"
    else:
        what = "made, no real one is near"
    few = ""
    if share.few:
        few = f"; only {share.n} samples"
    return (
        f"{label}: {100 * share.missed:.0f} % ({100 * share.low:.0f} % to {100 * share.high:.0f} %)"
        f" {what}, {100 * share.expected:.0f} % expected{few}"
    )
