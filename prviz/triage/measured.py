"""Settings of a triage, and the results of one checkpoint."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from prviz.checks.flags import Finding
from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import check_bandwidth
from prviz.measure.estimates import Estimate, K, method_names
from prviz.samples import split_share
from prviz.triage.inputs import Checkpoint
from prviz.uncertainty.upper_bound import known_bound

# Replicates of every bootstrap of Triage, so that page and report have the same intervals.
REPLICATES = 200


class PairDigests(NamedTuple):
    """SHA-256 of the real and of the generated samples that were measured."""

    real: str
    generated: str


@dataclass(frozen=True)
class TriageSettings:
    """Settings that every checkpoint is measured with, as in `prviz.pr_curve`.

    methods : names in ESTIMATORS, measured in one pass where possible.
    equal_sizes : True if all sets are cut, by the seed, to the smallest set that can be measured;
    curves depend on
        sizes.
    key : the array of the reference and of every checkpoint in formats that can hold several; None:
    chosen by
        `prviz.read`.
    features, drop, group : the columns of tables, see ``columns``, ``drop`` and ``group`` of
    `prviz.read`; a file may
        lack a column of them.
    """

    methods: tuple[str, ...] = ("knn",)
    k: K = "sqrt"
    bandwidth: float | None = None
    split: float | None = 0.5
    seed: int = 0
    equal_sizes: bool = False
    key: str | None = None
    features: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    group: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "drop", tuple(self.drop))
        object.__setattr__(self, "methods", tuple(method_names(self.methods)))
        object.__setattr__(self, "split", split_share(self.split))
        object.__setattr__(self, "bandwidth", check_bandwidth(self.bandwidth))
        for name in self.methods if self.split is None else ():
            if ESTIMATORS[name].needs_split:
                raise ValueError(
                    f"split = None, but {name} needs samples that it was not fitted on; give a"
                    " share"
                )


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredCheckpoint:
    """One checkpoint measured by one family.

    estimate : curve and supports; the real evaluation samples are the same for all checkpoints.
    n_real, n_generated : numbers of samples measured, before the split.
    encoder : that of the generated samples, see `prviz.Samples`. encoder_difference : its
    difference from that of the
        real ones, as plain text; "" where there is none or one is not known.
    flags : what changes the meaning of numbers on these samples, see `prviz.checks.flags`; () where
    they are not read.
    own_bound : the upper bound of the true curve, see `prviz.upper_bound`, where it is measured
    with the family.
    seconds : duration of the measurement, together with all families measured in the same pass.
    """

    checkpoint: Checkpoint
    estimate: Estimate
    n_real: int
    n_generated: int
    seconds: float
    digests: PairDigests
    encoder: Mapping[str, str] = field(default_factory=dict)
    encoder_difference: str = ""
    flags: tuple[Finding, ...] = ()
    own_bound: PRCurve | None = None

    def named(self, checkpoint: Checkpoint) -> MeasuredCheckpoint:
        """The measurement under another name or step of its checkpoint; what is computed of its
        curve stays.
        """
        renamed = replace(self, checkpoint=checkpoint)
        renamed.__dict__.update({**self.__dict__, "checkpoint": checkpoint})
        return renamed

    @property
    def method(self) -> str:
        """The family, a name in ESTIMATORS."""
        return self.estimate.method

    @property
    def held_out(self) -> bool:
        """True if no sample is judged by classifiers that it defines."""
        return ESTIMATORS[self.method].judges_all or self.estimate.supports.n_real < self.n_real

    @property
    def k(self) -> int | None:
        """The number of neighbours, "sqrt" resolved; None: the family has no such number."""
        return self.estimate.k

    @property
    def curve(self) -> PRCurve:
        """The precision-recall curve: the mean over the runs at every lam."""
        return self.estimate.curve

    @cached_property
    def bound(self) -> PRCurve | None:
        """The upper bound of the true curve by this family alone; None without split (see
        `prviz.upper_bound`).
        """
        return bound_by([self], self.method)

    @cached_property
    def summaries(self) -> Mapping[str, float]:
        """Every summary of the curve, by the keys of `prviz.curves.summaries`."""
        return summaries(self.curve)

    @cached_property
    def supports_digest(self) -> str:
        """SHA-256 of the supports of all runs, and of the samples that they are of."""
        digest = hashlib.sha256()
        for run in self.estimate.runs:
            digest.update(f"{run.n_real} {len(run.c_real)} {run.rows is None};".encode())
            for part in (run.c_real, run.c_generated, run.rows, run.groups):
                if part is not None:
                    digest.update(np.asarray(part, dtype=float).tobytes())
        return digest.hexdigest()


def bound_by(measured: Sequence[MeasuredCheckpoint], method: str) -> PRCurve | None:
    """The upper bound of one checkpoint's true curve that goes with its score by a family; None
    without split.

    It is that measured with the family, else that of all families without one of their own
    together.
    measured : the checkpoint by all its families, this one among them.
    """
    own = next(each.own_bound for each in measured if each.method == method)
    if own is not None:
        return own
    sharing = [each for each in measured if each.own_bound is None]
    first, *others = (each.estimate for each in sharing)
    found = _SHARED.get(first)
    if found is None or found[0] != others:
        found = others, known_bound([first, *others], held_out=sharing[0].held_out)
        _SHARED[first] = found
    return found[1]


# The other estimates that share a bound, and the bound, by the first: every report asks again.
_SHARED: WeakKeyDictionary[Estimate, tuple[list[Estimate], PRCurve | None]] = WeakKeyDictionary()


class CheckpointOutcome(NamedTuple):
    """Results of one checkpoint, or the reason why it failed.

    measured : results by each family, in their order; empty after a failure. fresh : families
    measured now rather than found in the cache. reason : the failure in one line; None: no failure.
    choices : the arrays of the file, if it failed because several of them could be the samples.
    recipe : the lines of Python that convert the file.
    """

    checkpoint: Checkpoint
    measured: tuple[MeasuredCheckpoint, ...]
    fresh: tuple[str, ...] = ()
    reason: str | None = None
    choices: tuple[str, ...] = ()
    recipe: tuple[str, ...] = ()

    def named(self, checkpoint: Checkpoint) -> CheckpointOutcome:
        """The outcome under another name or step of its checkpoint."""
        measured = tuple(each.named(checkpoint) for each in self.measured)
        return self._replace(checkpoint=checkpoint, measured=measured)

    def of(self, methods: Sequence[str]) -> CheckpointOutcome:
        """The outcome by some of the families only."""
        by_method = {each.method: each for each in self.measured}
        return self._replace(
            measured=tuple(by_method[name] for name in methods),
            fresh=tuple(name for name in methods if name in self.fresh),
        )


def all_measured(outcomes: Iterable[CheckpointOutcome]) -> list[MeasuredCheckpoint]:
    """Every checkpoint by every family."""
    return [each for outcome in outcomes for each in outcome.measured]
