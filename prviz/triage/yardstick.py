"""Ceiling and floor of a triage: scores of real samples against other real samples, and against
real samples with shuffled features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from prviz.arrays import Floats
from prviz.checks.facts import moments, variances
from prviz.measure.workload import cut
from prviz.neighbors import MEMORY_LIMIT
from prviz.samples import SamplePair, Samples, as_samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint, ResultCache, TriageSettings
from prviz.triage.ranking import TOLD_APART, SharedReference, in_order, sides, together
from prviz.uncertainty.bootstrap import interval

CONFIDENCE = 0.95
# Ratio of the score of shuffled real samples to that of real samples from which on scores hardly
# depend on how features go together.
BLIND = 0.95
# Share of the variance in one feature above which that feature decides all distances.
DOMINANT = 0.9


class Yardstick(NamedTuple):
    """The highest and the lowest score to expect of a generator.

    ceiling : by family, real samples measured against other real ones. floor : by family, real
        samples with their features shuffled, measured against the same samples.
    source : the real samples of both, in words.
    dominant : in words, the one feature that holds nearly all their variance; "" without one.
    """

    ceiling: Mapping[str, MeasuredCheckpoint]
    floor: Mapping[str, MeasuredCheckpoint]
    source: str
    dominant: str = ""


class CeilingShare(NamedTuple):
    """The score of a checkpoint as a share of the ceiling's, with the spread of its draws.

    reaches_ceiling : True if it can't be told apart from real data: the spread reaches 1, the floor
    is well below it, and a test finds no difference. sentence : the verdict in words.
    """

    share: float
    low: float
    high: float
    reaches_ceiling: bool
    sentence: str


def yardstick(
    reference: Samples,
    settings: TriageSettings,
    holdout: Samples | None = None,
    *,
    size: int | None = None,
    store: ResultCache | None = None,
    memory_limit: int = MEMORY_LIMIT,
) -> Yardstick:
    """Ceiling and floor at the settings of a triage.

    reference : the real samples as they are measured.
    holdout : other real samples to measure against the reference; None: two seeded halves of the
        reference are measured against each other.
    size : most samples of the holdout to measure, such as the size of a checkpoint.

    For the floor, every feature of the second set is permuted by itself, which keeps the feature's
    distribution and removes the dependence between features.

    Raises ValueError if the sets are too small for the settings.
    """
    if holdout is None:
        first, second = _halves(reference, settings.seed)
        if first.n == second.n:
            each = f"{first.n} samples each"
        else:
            each = f"{first.n} and {second.n} samples"
        source = (
            f"two halves of the reference, {each}; scores depend on the size, and a holdout of real"
            " samples gives a ceiling at full size"
        )
    else:
        first = reference
        second = cut(holdout, size or holdout.n, settings.seed)
        source = f"{second.n} held-out real samples against {first.n}"
    evaluator = CheckpointEvaluator(first, settings, store, memory_limit, bounded=False)

    def measured(name: str, generated: Samples) -> dict[str, MeasuredCheckpoint]:
        found = evaluator.measured(
            Checkpoint(Path(name), name, None, {}), SamplePair(first, generated)
        )
        return {each.method: each for each in found}

    ceiling = measured("real", second)
    # The shuffled samples replace the second set, as both would not fit into memory.
    second = _shuffled(second, settings.seed)
    return Yardstick(ceiling, measured("shuffled", second), source, _dominant(first))


def _shuffled(samples: Samples, seed: int) -> Samples:
    """The samples with every feature permuted on its own."""
    values = np.random.default_rng(seed).permuted(samples.values, axis=0)
    values.flags.writeable = False  # else `Samples` would copy it
    return as_samples(values, name="shuffled")


def _dominant(samples: Samples) -> str:
    """The feature that holds nearly all the variance, in words; "" without one."""
    squares = variances(moments(samples))
    if not squares.any() or samples.d < 2:
        return ""
    share = 1 / float(squares.sum())
    if share < DOMINANT:
        return ""
    place = int(np.argmax(squares))
    name = samples.features[place] if samples.features else str(place + 1)
    held = "nearly all" if share > 0.995 else f"{100 * share:.0f} %"
    return f"feature {name} alone holds {held} of the variance: scale the features, or leave it out"


def blind(ceiling: MeasuredCheckpoint, floor: MeasuredCheckpoint, goal: float = 0.5) -> bool:
    """True if real samples with shuffled features score nearly as high as unchanged ones, so that a
    high score says little.
    """
    return sides(floor.curve).score(goal) >= BLIND * sides(ceiling.curve).score(goal)


def _halves(reference: Samples, seed: int) -> tuple[Samples, Samples]:
    """Two seeded halves of the samples, with no group in both."""
    if reference.groups is not None:
        halves = SamplePair(reference, reference).split(0.5, seed)
        return halves.fit.real, halves.evaluate.real
    order = np.random.default_rng(seed).permutation(reference.n)
    half = reference.n // 2
    return reference.take(np.sort(order[:half])), reference.take(np.sort(order[half : 2 * half]))


def shares_of_ceiling(
    measured: Sequence[MeasuredCheckpoint],
    known: Yardstick,
    goal: float = 0.5,
    seed: int = 0,
    *,
    own: SharedReference | None = None,
    apart: Mapping[str, bool] = MappingProxyType({}),
    store: ResultCache | None = None,
) -> dict[str, CeilingShare]:
    """Every checkpoint's share of the ceiling (the score of held-out real samples), by the
    checkpoint's name.

    measured : the checkpoints, all by one family. known : the ceiling and the floor. goal : weight
        of recall in the score.
    own : the replicates of the checkpoints, if `together` has drawn them with this seed already.
    apart : by the checkpoint's name, True if it differs from real samples by more than chance, see
        `prviz.witness`. A checkpoint that is missing here is never called equal to real data.
    store : as in `together`.

    The spread of a share is the percentiles of the ratio over resampled evaluation samples, drawn
    independently for the checkpoint and the ceiling. If the floor is near the ceiling, no
    checkpoint is called equal to real data.
    """
    ceiling = known.ceiling[measured[0].method]
    unseen = blind(ceiling, known.floor[measured[0].method], goal)
    ordered = in_order(measured)
    own = own or together(ordered, REPLICATES, seed, store)
    best = together([ceiling], len(own.replicates), seed + 1, store)
    weights = np.array([1.0 - goal, goal])
    tiny = np.finfo(np.float64).tiny
    top = np.maximum(best.values[0], tiny)
    top_drawn = np.maximum(best.replicates[: len(own.replicates), 0], tiny)
    unlike = float(top @ weights) < TOLD_APART
    shares = {}
    for place, each in enumerate(ordered):
        values = own.values[place]
        drawn = own.replicates[:, place]
        low, high = interval(drawn @ weights / (top_drawn @ weights), CONFIDENCE)
        missing = 1 - float(values.mean()) / max(ceiling.curve.auc, tiny)
        share = float(values @ weights / (top @ weights))
        reaches = bool(high >= 1)
        told = apart.get(each.checkpoint.name)
        equal = reaches and not (unseen or unlike) and told is False
        if unlike:
            sentence = "can't be judged: real samples are told from other real ones as well"
        elif reaches and unseen:
            sentence = _blind_text(known.dominant)
        elif equal:
            sentence = "can't be told apart from real data at this n"
            if share >= 1:
                sentence = f"is as good as real data: it {sentence}"
        elif reaches and told:
            sentence = "scores about as real data do, and is told apart from them all the same"
        elif reaches:
            sentence = "scores about as real data do"
        else:
            lost_at = f"{_part(missing)} of the area is missing, {_side(1 - drawn / top_drawn)}"
            differs = "differs from the real data"
            if told is False:
                differs = "has too few samples to tell it from the real data for sure"
            sentence = f"{differs}: {lost_at}"
        shares[each.checkpoint.name] = CeilingShare(share, float(low), float(high), equal, sentence)
    return shares


def _blind_text(dominant: str) -> str:
    why = f": {dominant}" if dominant else ""
    return (
        "scores like the real data, but so do real samples with their features shuffled, so that"
        f" equality can't be said{why}"
    )


def _side(lost: Floats) -> str:
    """Text on the side, precision or recall, that has lost more in nearly all draws.

    lost : (draws, 2) losses of precision and of recall.
    """
    low, high = interval(np.subtract(*lost.T), CONFIDENCE)
    if low > 0:
        return "more on the precision side"
    if high < 0:
        return "more on the recall side"
    return "on both sides alike"


def _part(missing: float) -> str:
    """A missing share in percent, at least "less than 1 %", as the checkpoint differs."""
    if missing < 0.01:
        return "less than 1 %"
    return f"{100 * missing:.0f} %"
