"""The results of all checkpoints measured so far, and the data for the diagnosis of one
checkpoint.

Every part of the Triage page is drawn from these.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
import streamlit as st

from pages._shared import answers, cache, sample_display
from pages._triage.session import GOAL, session
from prviz.diagnostics.confusion_groups import OptimalClassifiers
from prviz.estimators import ESTIMATORS
from prviz.figures import key_text
from prviz.live.problems import Uploaded
from prviz.measure.estimates import Progress, of_evaluation, passes
from prviz.measure.workload import estimate_seconds
from prviz.neighbors.balls import OTHER, Role
from prviz.neighbors.threads import part_of
from prviz.readers.errors import error_text
from prviz.readers.paths import data_folder
from prviz.recent import LeastRecentlyUsed
from prviz.samples import SamplePair, Samples
from prviz.triage.classes import NEIGHBOURS, MissedSamples, missed_samples
from prviz.triage.decision import (
    Aside,
    Basis,
    Judgement,
    KnownSides,
    WitnessEntry,
    capped_summaries,
    judge,
    known_sides,
    looked_into,
)
from prviz.triage.evidence import lam_at_end
from prviz.triage.finding import Found
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import (
    REPLICATES,
    CheckpointOutcome,
    MeasuredCheckpoint,
    ResultCache,
    TriageSettings,
    all_measured,
)
from prviz.triage.memorisation import Memorisation
from prviz.triage.ranking import TOLD_APART, in_order, together
from prviz.triage.triage import Triage
from prviz.triage.yardstick import Yardstick, yardstick
from prviz.uncertainty.bootstrap import LEVEL, Interval, Spread, bootstrap, intervals_at_most

T = TypeVar("T")

NONE_YET = "No checkpoint is measured by this family yet."


@dataclass(frozen=True, eq=False, kw_only=True)
class CheckpointResults:
    """Results of the checkpoints measured so far, in the order of the page's list.

    key : equal keys mean equal contents; a part of the cache key of every result computed from
    these.
    reference : the real samples as measured. load : reads a checkpoint's samples as measured, with
    labels and pictures.
    settings : how all checkpoints are measured. basis : the families on whose scores the verdict
    rests.
    store : cache of results, None for no cache.
    outcomes : of each checkpoint so far, its measurements or why it failed. total : number of
    checkpoints in the list.
    holdout : other real samples, if the user gave some.
    uploaded : where pictures of the samples come from, for `pages._shared.media`.
    """

    key: Hashable
    reference: Samples
    load: Callable[[Checkpoint], Samples]
    settings: TriageSettings
    basis: Basis
    outcomes: tuple[CheckpointOutcome, ...]
    total: int
    holdout: Samples | None = None
    uploaded: Uploaded | None = None
    store: ResultCache | None = None

    @property
    def triage(self) -> Triage:
        """A `Triage` with these settings, which computes all further results on checkpoints.

        It caches results in the session and in `store`.
        """
        store = self.store or ResultCache(None)
        store.memory = cache.remembered(("triage-memory",), lambda: LeastRecentlyUsed(_HELD))
        return Triage(
            reference=self.reference,
            settings=self.settings,
            holdout=self.holdout,
            store=store,
            load=self.load,
            bootstrap=REPLICATES,
        )

    @property
    def complete(self) -> bool:
        return len(self.outcomes) == self.total

    @property
    def bundled(self) -> bool:
        return all(data_folder() in each.checkpoint.path.parents for each in self.outcomes)

    @property
    def method(self) -> str:
        """The family that scores the checkpoints, one of `settings.methods`."""
        return self.basis.method

    @property
    def measured(self) -> tuple[MeasuredCheckpoint, ...]:
        """The measurement of each checkpoint by the family that scores them."""
        return self.by(self.method)

    @cached_property
    def everything(self) -> list[MeasuredCheckpoint]:
        """The measurements of each checkpoint, one by each family."""
        return all_measured(self.outcomes)

    @cached_property
    def looked_into(self) -> Mapping[str, MeasuredCheckpoint]:
        """By the checkpoint's name, its measurement by the family in whose curve faults are looked
        for.
        """
        return {each.checkpoint.name: each for each in looked_into(self.everything)}

    def by(self, method: str) -> tuple[MeasuredCheckpoint, ...]:
        return tuple(each for each in self.everything if each.method == method)

    @property
    def names(self) -> list[str]:
        return [each.checkpoint.name for each in self.measured]

    def one(self, name: str, method: str | None = None) -> MeasuredCheckpoint:
        """The measurement of the checkpoint with this name, by `method` or by the family that
        scores. Raises KeyError if there is none.
        """
        return self._by_name[method or self.method, name]

    @cached_property
    def _by_name(self) -> dict[tuple[str, str], MeasuredCheckpoint]:
        return {(each.method, each.checkpoint.name): each for each in self.everything}

    def summaries(self, measured: MeasuredCheckpoint) -> Mapping[str, float]:
        """Summaries of a measured curve, such as its area or its precision at recall 0.05. An area
        above the upper bound of the true area is set to that bound.
        """
        own, _ = self.sides[measured.method][measured.checkpoint.name]
        return capped_summaries(measured, own)

    def intervals(
        self, measured: MeasuredCheckpoint, known: Mapping[str, Interval]
    ) -> Mapping[str, Interval]:
        """Intervals of the summaries. The interval of the area is cut at the upper bound of the
        true area.
        """
        return intervals_at_most(known, self.most(measured))

    def most(self, measured: MeasuredCheckpoint) -> float | None:
        """Upper bound, at 95 % confidence, of the area under the true curve; None if there is
        none.
        """
        _, most = self.sides[measured.method][measured.checkpoint.name]
        if most is None:
            return None
        return most.score(0.5)

    @cached_property
    def sides(self) -> KnownSides:
        """By family and checkpoint: the areas of the precision half and of the recall half, of the
        curve and of the upper bound.
        """
        return known_sides(self.everything)

    def pair(self, measured: MeasuredCheckpoint) -> SamplePair:
        """The samples of a measurement.

        Raises ReadError or OSError if the checkpoint's file can't be read, ValueError if it has
        changed since.
        """
        key = (
            "triage-samples",
            measured.digests.real,
            measured.digests.generated,
            measured.checkpoint.path,
        )
        generated = cache.held_samples(key, lambda: self.load(measured.checkpoint))
        pair = SamplePair(self.reference, generated)
        if (pair.real.digest, pair.generated.digest) != tuple(measured.digests):
            raise ValueError(
                f"{measured.checkpoint.name} has changed since it was measured; measure it again"
            )
        return pair


def measurement(settings: TriageSettings, measured: MeasuredCheckpoint) -> tuple[Hashable, ...]:
    """Cache key of results that are computed from one measurement. It contains all that the
    measurement depends on.
    """
    how = (settings.bandwidth, settings.split, settings.seed)
    return (*measured.digests, measured.method, measured.k, *how)


# Most results that the session's cache in memory holds; a result has some hundred numbers.
_HELD = 40_000


# A method of `Triage` for one checkpoint. Called with a progress function, it computes its result;
# called with None, it returns the cached result, or None if there is none.
Find: TypeAlias = Callable[[MeasuredCheckpoint, Progress | None], T | None]


def known_of(measured: Iterable[MeasuredCheckpoint], find: Find[T]) -> dict[str, T]:
    """By the checkpoint's name, the results of `find` that are cached. Computes nothing."""
    found = {each.checkpoint.name: find(each, None) for each in measured}
    return {name: one for name, one in found.items() if one is not None}


def of_each(
    found: CheckpointResults,
    what: str,
    measured: Sequence[MeasuredCheckpoint],
    find: Find[T],
    seconds: Callable[[MeasuredCheckpoint], float],
    note: str = "The open part",
    pieces: float = 1.0,
) -> dict[str, T]:
    """By the checkpoint's name, the results known so far. A background job computes the others.

    what : kind of result, a part of the job's key. find : computes or looks up the result of one
    checkpoint. seconds : estimated seconds for one checkpoint. note : the job's name on the page.
    pieces : seconds between drawings of the results so far.
    """
    missing = [each for each in measured if find(each, None) is None]
    triage = found.triage

    def run(progress: Progress) -> bool:
        triage.of_each(find, missing, progress)
        return True

    if missing:
        keys = (measurement(found.settings, each) for each in measured)
        key = (what, found.holdout and found.holdout.digest, *keys)
        answers.tab_result(key, sum(map(seconds, missing)), run, note, pieces)
    return known_of(measured, find)


def selected(found: CheckpointResults) -> str | None:
    """Name of the checkpoint that the user has selected; None if there is none, or it is not
    measured yet.
    """
    name = session().choice.selected
    if name in found.names:
        return name
    return None


def select(name: str | None) -> None:
    session().choice.selected = name


def count_of(count: int, noun: str) -> str:
    """Text of a number with its noun, such as "1 file" or "2 files"."""
    return f"{count} {noun}{'s' * (count != 1)}"


# Estimated seconds: for one bootstrap replicate of one evaluation sample (REPLICATE_SECONDS), and
# for reading one value of one sample (VALUE_SECONDS).
REPLICATE_SECONDS = 5e-7
VALUE_SECONDS = 1e-7
# By role, the confusion group that shows a fault at an end of the curve. There, real samples that
# are still called real ("kept") are those that the generator misses; generated samples that are
# called generated ("rejected") resemble nothing real.
GROUP: dict[Role, Literal["kept", "rejected"]] = {"real": "kept", "generated": "rejected"}
# Work that is estimated to take fewer seconds than this is done while the page is drawn.
AT_ONCE = 0.5
# Column title of the ratio of supports by which samples are classified.
RATIO = "c_Y / c_X"
# By role, the name of its samples that have no sample of the other set near.
MISSED: dict[Role, str] = {
    "real": "Real, none generated near",
    "generated": "Generated, none real near",
}


def missed_text(role: Role, missed: MissedSamples) -> str:
    """Text with the number and share of the samples of a role that have no sample of the other set
    near.
    """
    return (
        f"{len(missed.rows):,} of {missed.n:,} {role} samples ({100 * missed.share:.1f} %) have no"
        f" {OTHER[role]} one as near as their {NEIGHBOURS}th nearest {role} one;"
        f" {100 * missed.expected:.1f} % expected of equal sets"
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnosis:
    """A measured checkpoint with its samples: the data for showing what is wrong with it.

    waiting : keys of the results that this drawing of the page waits for.
    """

    found: CheckpointResults
    measured: MeasuredCheckpoint
    pair: SamplePair
    waiting: list[Any] = field(default_factory=list)

    @property
    def key(self) -> tuple[Any, ...]:
        return measurement(self.found.settings, self.measured)

    @property
    def k(self) -> Any:
        return self.measured.k or "sqrt"

    @property
    def options(self) -> dict[str, Any]:
        """How the checkpoint was measured, as keyword arguments for measuring its samples again."""
        settings = self.found.settings
        how = {"bandwidth": settings.bandwidth, "split": settings.split, "seed": settings.seed}
        return {"k": self.k, **how}

    @property
    def title(self) -> str:
        return ESTIMATORS[self.measured.method].title

    def side(self, role: Role) -> Samples:
        if role == "real":
            return self.pair.real
        return self.pair.generated

    def seconds(self, passes: float = 1.0) -> float:
        """Estimated seconds for `passes` measurements of this checkpoint, and for reading all
        values once.
        """
        real, generated = self.pair
        d = real.d
        one = estimate_seconds(real.n, generated.n, d, methods=1, split=self.found.settings.split)
        return passes * max(one, self.measured.seconds) + (real.n + generated.n) * d * VALUE_SECONDS

    @property
    def bootstrap_seconds(self) -> float:
        return (
            REPLICATES
            * REPLICATE_SECONDS
            * sum(len(each.c_real) for each in self.measured.estimate.runs)
        )

    @cached_property
    def shown(self) -> sample_display.DisplayedSamples:
        """The evaluation samples with their pictures and labels."""
        split = self.pair.split(self.found.settings.split, self.found.settings.seed)
        numbers = tuple(np.arange(side.n) + 1 for side in self.pair)
        return sample_display.DisplayedSamples(
            split, np.empty((0, 2)), (), (numbers[0], numbers[1]), self.found.uploaded
        )

    @cached_property
    def classifiers(self) -> OptimalClassifiers:
        """The optimal classifiers at every lam, from the family's first run."""
        supports = of_evaluation(self.measured.estimate, self.shown.split)
        return cache.remembered(
            ("triage-groups", *self.key), lambda: OptimalClassifiers.from_supports(supports)
        )

    @cached_property
    def places(self) -> Any:
        """Indices, among the evaluation samples, of the samples that the family has measured."""
        rows = self.measured.estimate.supports.rows
        if rows is None:
            return np.arange(sum(self.shown.sizes))
        return rows

    def lam_at_end(self, role: Role) -> float:
        """The λ near one end of the curve at which samples are classified: to find missed samples
        for "real", invented ones for "generated".
        """
        return lam_at_end(self.measured.curve, "recall" if role == "real" else "precision")

    def rows(self, group: str, lam: float) -> Any:
        """Row numbers of the samples of a confusion group at lam, in their set, the most clearly
        classified first.
        """
        places = self.places[self.classifiers.most_extreme(group, lam, len(self.places))]
        return self._rows_at(places, group in ("kept", "missed"))

    def evaluated(self, role: Role) -> Any:
        """Row numbers of all samples of a role that the family has measured, in their set."""
        real, generated = np.split(self.places, [self.classifiers.n_real])
        if role == "real":
            return self._rows_at(real, True)
        return self._rows_at(generated, False)

    def _rows_at(self, places: Any, real: bool) -> Any:
        """Row numbers, in the real or in the generated set, of the evaluation samples with these
        indices.
        """
        of_real, of_generated = self.shown.split.evaluate_rows
        if real:
            return of_real[places]
        return of_generated[places - len(of_real)]

    def keys_of(self, group: str, lam: float) -> Any:
        """Ratios c_Y / c_X of the samples of a confusion group, in the order of `rows`."""
        return self.classifiers.keys[self.classifiers.most_extreme(group, lam, len(self.places))]

    def missed(self, role: Role) -> MissedSamples | None:
        """The samples of a role that have no sample of the other set near; None while a job looks
        for them.
        """
        own = self.side(role)
        other = self.side(OTHER[role])
        seconds = estimate_seconds(own.n, other.n, own.d, methods=1, split=None)
        if seconds < AT_ONCE:
            return cache.remembered(
                ("triage-missed", *self.key, role), lambda: missed_samples(own, other)
            )
        found: MissedSamples | None = self.known(
            "missed", seconds, lambda _: missed_samples(own, other), role
        )
        return found

    def cut(self, role: Role, lam: float) -> str:
        """Text such as "c_Y / c_X at most 0.5" on the ratios of the samples in a role's confusion
        group at lam.

        "" if the group is empty.
        """
        keys = self.keys_of(GROUP[role], lam)
        if len(keys):
            return f"{RATIO} {'at most' if role == 'real' else 'at least'} {key_text(keys[-1])}"
        return ""

    # ---- results that a job may compute ----

    def known(
        self, what: str, seconds: float, compute: Callable[[Progress], Any], *more: Any
    ) -> Any:
        """A result, cached; None while a background job computes it, or if that job has failed.

        The page's jobs run one at a time, in the order in which the page asks for their results.
        """
        key = (f"triage-{what}", *self.key, *more)
        if key not in cache.session().results and self.waiting:
            return None
        found = answers.tab_result(key, seconds, compute)
        if key not in cache.session().results:
            self.waiting.append(key)
        return found

    def spread(self) -> Spread | None:
        estimate = self.measured.estimate
        seed = self.found.settings.seed
        found: Spread | None = self.known(
            "spread", self.bootstrap_seconds, lambda _: bootstrap(estimate, REPLICATES, seed=seed)
        )
        return found


# ---- results on all checkpoints: ceiling, copies, faults ----

# While faults are being named, the page is drawn every _PIECES seconds, or every _PIECES_OF_EACH
# seconds for each checkpoint if that is longer.
_PIECES = 3.0
_PIECES_OF_EACH = 0.05


def ceiling_of(found: CheckpointResults) -> Yardstick | None:
    """Ceiling and floor of the score for these settings (`Yardstick`); None until measured, or if
    they can't be.
    """
    known = ceiling_or_reason(found)
    if isinstance(known, str):
        return None
    return known


def ceiling_or_reason(found: CheckpointResults) -> Yardstick | str | None:
    """Ceiling and floor of the score, or the reason why they can't be measured; None until a job
    has measured them.
    """
    real = found.reference
    holdout = found.holdout
    settings = found.settings
    triage = found.triage
    size = max(each.n_generated for each in found.measured)
    key = ("triage-ceiling", real.digest, holdout and holdout.digest, settings, size)

    def compute(_: Progress) -> Yardstick | str:
        try:
            possible = yardstick(real, settings, holdout, size=size, store=triage.store)
        except ValueError as error:  # raised if there are too few samples
            return error_text(error)
        # compute and cache the ceiling's bootstrap replicates here, since the decision needs them
        for each in possible.ceiling.values():
            together([each], triage.bootstrap, settings.seed + 1, triage.store)
        return possible

    work = passes(settings.methods, split=settings.split)
    seconds = 2 * estimate_seconds(real.n, size, real.d, **work)
    return answers.tab_result(key, seconds, compute, "Ceiling")


def copies_of(found: CheckpointResults) -> Mapping[str, Memorisation]:
    """By the checkpoint's name, its copies of reference rows, as far as a job has counted them."""
    real = found.reference
    one = estimate_seconds(real.n, real.n, real.d, methods=1, split=None)
    find = found.triage.copies
    return of_each(found, "triage-copies", found.measured, find, lambda _: one, "Copies", 0.0)


def faults_of(found: CheckpointResults) -> Mapping[str, Found]:
    """By the checkpoint's name, the faults that `name_faults` has found so far."""
    return known_of(found.looked_into.values(), found.triage.faults)


def witnesses_known(found: CheckpointResults) -> Mapping[str, WitnessEntry]:
    """By the checkpoint's name, what tells it from real samples, as far as that is known."""
    return known_of(found.measured, found.triage.witness)


def name_faults(found: CheckpointResults) -> None:
    """Once all checkpoints are measured, start a job that names the faults of each, beginning with
    the best checkpoint.
    """
    if not found.complete:
        return
    triage = found.triage

    def name_one(measured: MeasuredCheckpoint, search: Progress | None) -> Found | None:
        if search is not None:
            # first find what tells the sets apart (the witness), as some findings use it
            triage.witness(measured, part_of(search, 0, 2))
            search = part_of(search, 1, 2)
        return triage.faults(measured, search)

    best_first = sorted(found.looked_into.values(), key=lambda each: -each.curve.auc)
    of_each(
        found,
        "triage-faults",
        best_first,
        name_one,
        lambda each: 2 * max(each.seconds, 0.5),
        "Faults",
        # With hundreds of checkpoints a drawing of the page takes long: draw it less often.
        max(_PIECES, _PIECES_OF_EACH * len(best_first)),
    )


# ---- ranking for the page's goal ----

BALANCED = 0.5
BOOTSTRAP = REPLICATES
CONFIDENCE = LEVEL
# Cost of the curve of one bootstrap replicate, on one core: seconds = BASE_SECONDS + SAMPLE_SECONDS
# * samples of a role.
BASE_SECONDS = 3e-4
SAMPLE_SECONDS = 4e-8


def goal() -> float:
    """The page's goal, from 0 (precision first) to 1 (recall first)."""
    return float(st.session_state.get(GOAL, BALANCED))


def by_score(found: CheckpointResults) -> list[str]:
    """Names of the checkpoints by their score at the page's goal, the best first. Needs no
    bootstrap.
    """
    wanted = goal()
    known = found.sides
    second = found.basis.second
    scores = {name: own.score(wanted) for name, (own, _) in known[found.method].items()}
    told = {name for name in scores if second is not None and scores[name] < TOLD_APART}
    others = {name: known[str(second)][name][0].score(wanted) for name in told}
    return sorted(scores, key=lambda name: (name in told, -others.get(name, scores[name]), name))


def drawn_family(found: CheckpointResults) -> str:
    """The family whose curves are drawn: normally that of the scores.

    If all scores are close to 0, it is the second family, which ranks such checkpoints.
    """
    second = found.basis.second
    wanted = goal()
    scores = (own.score(wanted) for own, _ in found.sides[found.method].values())
    if second is None or max(scores) >= TOLD_APART:
        return found.method
    return second


def judgement_of(
    found: CheckpointResults,
    names: Sequence[str],
    ceiling: Yardstick | None = None,
    copies: Mapping[str, Memorisation] = MappingProxyType({}),
    apart: Mapping[str, bool] = MappingProxyType({}),
) -> Judgement:
    """The decision for the page's goal, from the results known so far.

    names : checkpoints that have bootstrap replicates. copies : copies of reference rows, by the
    checkpoint's name. apart : as in `prviz.triage.decision.Aside`.
    """
    wanted = goal()
    memorised = tuple(name for name in names if name in copies and copies[name].memorised)
    triage = found.triage

    def compute() -> Judgement:
        return judge(
            [each for each in found.everything if each.checkpoint.name in names],
            wanted,
            found.settings.seed,
            aside=Aside(memorised, apart, ceiling),
            basis=found.basis,
            replicates=triage.bootstrap,
            store=triage.store,
        )

    about = (found.key, wanted, names, memorised, tuple(apart.items()), ceiling is None)
    return cache.remembered(("triage-judgement", *about), compute)


def noise(found: CheckpointResults) -> float:
    """How far below the best a checkpoint must score to be told apart from it: the median of these
    margins over all checkpoints; 0 if unknown.
    """
    names = replicates_of(found)
    if not names:
        return 0.0
    margins = judgement_of(found, names).table["margin"].dropna()[1:]
    if len(margins):
        return float(margins.median())
    return 0.0


def replicates_of(found: CheckpointResults) -> tuple[str, ...]:
    """Names of the checkpoints that have bootstrap replicates.

    A background job computes the replicates of the others, beginning with the best checkpoint.
    """
    methods = [found.method] if found.basis.second is None else [found.method, found.basis.second]
    find = found.triage.replicates

    def seconds(measured: MeasuredCheckpoint) -> float:
        samples = len(measured.estimate.supports.c_real) / 2
        return BOOTSTRAP * len(measured.estimate.runs) * (BASE_SECONDS + SAMPLE_SECONDS * samples)

    order = [found.one(name, method) for name in by_score(found) for method in methods]
    of_each(found, "triage-ranking", order, find, seconds)
    drawn = set(found.names)
    for method in methods:
        drawn &= known_of((found.one(name, method) for name in found.names), find).keys()
    names = (each.checkpoint.name for each in in_order(found.measured))
    return tuple(name for name in names if name in drawn)
