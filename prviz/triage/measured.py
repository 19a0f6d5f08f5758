"""How checkpoints are measured, and what is known of one then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.estimators import ESTIMATORS, Supports
from prviz.estimators.base import check_bandwidth, needs_split
from prviz.measure.estimates import Estimate, K, method_names
from prviz.triage.inputs import Checkpoint

__all__ = ["REPLICATES", "CheckpointOutcome", "MeasuredCheckpoint", "PairDigests", "TriageSettings"]

# Of every bootstrap of a page and a report, so that their intervals are the same.
REPLICATES = 200


class PairDigests(NamedTuple):
    """SHA-256 of the real and of the generated samples that were measured."""

    real: str
    generated: str


@dataclass(frozen=True)
class TriageSettings:
    """How every checkpoint is measured; as in `prviz.pr_curve`.

    methods : names in ESTIMATORS, measured in one pass where they can be.
    equal_sizes : all sets are cut, by the seed, to the smallest of those that can be measured: sizes bias every family.
    key : which array, of the reference and of every checkpoint, where the format can hold several; None: the one that
        is without doubt the samples, see `prviz.read`.
    """

    methods: tuple[str, ...] = ("knn",)
    k: K = "sqrt"
    bandwidth: float | None = None
    split: float | None = 0.5
    seed: int = 0
    equal_sizes: bool = False
    key: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", tuple(method_names(self.methods)))
        object.__setattr__(self, "bandwidth", check_bandwidth(self.bandwidth))
        for name in self.methods if self.split is None else ():
            if needs_split(ESTIMATORS[name]):
                raise ValueError(f"split = None, but {name} needs samples that it was not fitted on; give a share")


@dataclass(frozen=True, eq=False)
class MeasuredCheckpoint:
    """One checkpoint measured by one family.

    k : the number of neighbours, "sqrt" resolved; None: the family has no such number.
    rates : the supports of the evaluation samples, of each run; what is drawn again in a bootstrap. The real ones are
        the same for all checkpoints.
    n_real, n_generated : samples that were measured, before the split.
    seconds : that the measurement took when it was made, together with all families measured then.
    """

    checkpoint: Checkpoint
    method: str
    k: int | None
    rates: tuple[Supports, ...]
    n_real: int
    n_generated: int
    seconds: float
    digests: PairDigests

    def named(self, checkpoint: Checkpoint) -> MeasuredCheckpoint:
        """The same measurement of a checkpoint that has another name or step by now; what is worked out stays so."""
        found = replace(self, checkpoint=checkpoint)
        for known in {"curve", "summaries"} & self.__dict__.keys():
            found.__dict__[known] = self.__dict__[known]
        return found

    @cached_property
    def curve(self) -> PRCurve:
        """The precision-recall curve: the mean over the runs at every lam."""
        return Estimate(self.method, self.k, self.rates[0].bandwidth, self.rates).curve

    @cached_property
    def summaries(self) -> Mapping[str, float]:
        """Every summary of the curve, by the keys of `prviz.curves.summaries`."""
        return summaries(self.curve)


class CheckpointOutcome(NamedTuple):
    """What became of one checkpoint.

    measured : by each family, in their order; empty where it failed. fresh : which were measured now, not found kept.
    reason : why it failed, in one line; None: it did not. choices : the arrays of its file, if there are several that
        could be the samples and that is why.
    """

    checkpoint: Checkpoint
    measured: tuple[MeasuredCheckpoint, ...]
    fresh: tuple[str, ...] = ()
    reason: str | None = None
    choices: tuple[str, ...] = ()

    def of(self, methods: Sequence[str]) -> CheckpointOutcome:
        """What became of it by some of the families only."""
        found = {each.method: each for each in self.measured}
        return self._replace(
            measured=tuple(found[name] for name in methods), fresh=tuple(name for name in methods if name in self.fresh)
        )
