"""Everything that is computed about each checkpoint of a triage, and cached; and the results on all
checkpoints together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from prviz.arrays import Floats
from prviz.cells import table_html
from prviz.curves import shown
from prviz.diagnostics.preflight import PairFacts, preflight
from prviz.diagnostics.witness import VALUE_BYTES, Witness, with_areas, witness
from prviz.estimators import learners
from prviz.measure.estimates import Progress
from prviz.measure.workload import cut
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import ThreadsBeside, available_threads, one_blas_thread, part_of
from prviz.samples import SamplePair, Samples
from prviz.triage.classes import ClassShare
from prviz.triage.decision import (
    VERSION,
    Aside,
    Judgement,
    WitnessEntry,
    believed_areas,
    entry_of_facts,
    judge,
    looked_into,
    told_apart,
)
from prviz.triage.finding import Found, TriageFinding
from prviz.triage.findings import RULES_KEY, findings, sample_faults, usual_faults
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import FAILURES, CheckpointEvaluator, samples_at
from prviz.triage.measured import (
    REPLICATES,
    CheckpointOutcome,
    MeasuredCheckpoint,
    ResultCache,
    TriageSettings,
    all_measured,
    kept,
)
from prviz.triage.memorisation import (
    HeldOutDistances,
    Memorisation,
    held_out_distances,
    memorisation,
    memorisation_of_facts,
)
from prviz.triage.pair_statistics import rows_in_time, rows_within
from prviz.triage.ranking import (
    draws_text,
    intervals_key,
    replicates_key,
    share_text,
    side_replicates,
    summary_intervals,
)
from prviz.triage.yardstick import Yardstick, yardstick
from prviz.uncertainty.bootstrap import Interval

T = TypeVar("T")

# Most checkpoints in the table of a notebook.
SHOWN = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class TriageResults:
    """Outcomes of checkpoints and all that follows from them.

    reference : the real samples as they were measured.
    settings : settings of the measurements. goal : the decision's goal between precision (0) and
        recall (1).
    memorisation, findings, witnesses, classes : results by the checkpoint's name; checkpoints
        without a result are missing.
    yardstick : None if it can't be measured; no_ceiling says why.
    judgement : None if nothing was measured.
    """

    reference: Samples
    outcomes: Sequence[CheckpointOutcome]
    settings: TriageSettings
    goal: float = 0.5
    memorisation: Mapping[str, Memorisation] = field(default_factory=dict)
    findings: Mapping[str, Sequence[TriageFinding]] = field(default_factory=dict)
    witnesses: Mapping[str, WitnessEntry] = field(default_factory=dict)
    classes: Mapping[str, Sequence[ClassShare]] = field(default_factory=dict)
    yardstick: Yardstick | None = None
    no_ceiling: str = ""
    judgement: Judgement | None = None

    @property
    def measured(self) -> list[MeasuredCheckpoint]:
        """Every checkpoint by every family."""
        return all_measured(self.outcomes)

    @property
    def memorised(self) -> list[str]:
        """Names of the checkpoints that copy the reference."""
        return [name for name, each in self.memorisation.items() if each.memorised]

    def __repr__(self) -> str:
        return f"TriageResults({len(self.outcomes)} checkpoints: {self._said})"

    def _repr_html_(self) -> str:
        if self.judgement is None:
            return table_html(
                (), [(each.checkpoint.name,) for each in self.outcomes[:SHOWN]], headline=self._said
            )
        method = self.judgement.decision.basis.method
        lines = self.judgement.candidates.head(SHOWN).to_dict("records")
        rows = [
            (
                line["checkpoint"],
                f"{line['score']:.3f}",
                draws_text(line),
                share_text(line["best"]),
            )
            for line in lines
        ]
        best = self.judgement.decision.best
        measured = next(
            each for each in self.measured if (each.checkpoint.name, each.method) == (best, method)
        )
        decided = self.judgement.decision.headline
        aside = table_html(
            ("score", "spread of draws", "best in"), rows, decided.rest, f"{decided.head}."
        )
        return shown.beside(shown.drawing({best: measured.curve}, {best: shown.COLOR}), aside)

    @property
    def _said(self) -> str:
        if self.judgement is None:
            return "none is measured"
        return self.judgement.decision.headline.head


@dataclass(frozen=True, eq=False, kw_only=True)
class Triage:
    """One reference and the settings of a triage. Command line, page and `prviz.Monitor` all use
    this class.

    Methods on one checkpoint return its cached result, or compute it. ``search`` is called with the
    progress; where it is None nothing is computed or read, and only a result in memory is returned.
    They also return None for a checkpoint whose file can't be read, or has changed since it was
    measured.

    reference : all real samples. settings : settings of all measurements.
    holdout : other real samples. None: two halves of the reference give the ceiling, and distances
        inside the reference show how close real samples lie.
    store : caches results. memory_limit : bytes to use besides the samples.
    load : reads the samples of a checkpoint; None: its file. bootstrap : number of replicates.
    """

    reference: Samples
    settings: TriageSettings
    holdout: Samples | None = None
    store: ResultCache = field(default_factory=lambda: ResultCache(None))
    memory_limit: int = MEMORY_LIMIT
    load: Callable[[Checkpoint], Samples] | None = None
    bootstrap: int = REPLICATES
    _threads: ThreadsBeside = field(
        default_factory=lambda: ThreadsBeside(available_threads()), init=False
    )
    _cut: dict[int, Samples] = field(default_factory=dict, init=False)

    # ---- reading and cutting samples ----

    def real(self, n: int) -> Samples:
        """The reference cut to n samples, against which checkpoints are measured."""
        if n not in self._cut:
            self._cut.clear()
            self._cut[n] = cut(self.reference, n, self.settings.seed)
        return self._cut[n]

    def pair(self, measured: MeasuredCheckpoint) -> SamplePair | None:
        """The pair as it was measured; None if the checkpoint's file has changed or can't be
        read.
        """
        checkpoint = measured.checkpoint
        real = self.real(measured.n_real)
        try:
            if self.load is None:
                generated = samples_at(checkpoint.path, self.settings, checkpoint.below)
            else:
                generated = self.load(checkpoint)
            # Puts the features in the order of the reference.
            generated = SamplePair(real, generated).generated
        except FAILURES:
            return None
        generated = cut(generated, measured.n_generated, self.settings.seed)
        if generated.digest == measured.digests.generated:
            return SamplePair(real, generated)
        return None

    def held_out(self, real: Samples) -> HeldOutDistances:
        """Distances of other real samples to the reference ``real``, with which those of generated
        samples are compared to find copies.

        Raises ValueError: a holdout that is in the reference, or of another dimension.
        """
        key = {"held out": self._other, "real": real.digest}
        found: HeldOutDistances | None = self.store.known(key)
        if found is None:
            found = held_out_distances(real, self.holdout, memory_limit=self.memory_limit)
            self.store.remember(key, found)
        return found

    # ---- results on one checkpoint ----

    def evaluator(self, n: int, *, beside: bool = False) -> CheckpointEvaluator:
        """An evaluator of checkpoints against n real samples.

        beside : True to compute what follows from the samples alone at the same time as the curves.
        """
        return CheckpointEvaluator(
            self.real(n),
            self.settings,
            self.store,
            self.memory_limit,
            beside=self.beside if beside else None,
        )

    def copies(self, measured: MeasuredCheckpoint, search: Progress | None) -> Memorisation | None:
        """Copies of samples of the uncut reference among the measured generated samples."""
        generated = measured.digests.generated
        return self._copies(self.reference, generated, partial(self.pair, measured), search)

    def witness(
        self, measured: MeasuredCheckpoint, search: Progress | None, area: float | None = None
    ) -> WitnessEntry | None:
        """The difference by which trees tell the checkpoint's samples from real ones, see
        `prviz.witness`.

        area : the area under its curve by the best classifier. If given, the area that remains
            without this difference is measured as well.
        """
        plain = {
            "rules": RULES_KEY,
            "witness": VERSION,
            "seed": self.settings.seed,
            **measured.digests._asdict(),
        }
        whole = {**plain, "areas": True}
        key = plain if area is None else whole
        if search is None and self.store.known(whole) is not None:
            key = whole

        def look() -> WitnessEntry | None:
            pair = self.pair(measured)
            if pair is None:
                return None
            told = self._witness(pair, search)
            if area is None:
                return told.entry()
            kept(self.store, plain, entry_of_facts, told.entry)
            return with_areas(
                told, pair, area=area, seed=self.settings.seed, memory_limit=self.memory_limit
            ).entry()

        return self._kept(key, entry_of_facts, search, look)

    def faults(self, measured: MeasuredCheckpoint, search: Progress | None) -> Found | None:
        """`prviz.triage.findings.findings` of a checkpoint."""
        settings = self.settings
        how: dict[str, Any] = {
            "bandwidth": settings.bandwidth,
            "split": settings.split,
            "seed": settings.seed,
        }
        n = max(measured.n_real, measured.n_generated)
        few = _fewer(self.reference.d, n, self.memory_limit)
        of = {"findings": self._other, "method": measured.method, "k": measured.k}
        key = {"rules": RULES_KEY, **of, **how, **measured.digests._asdict(), **few}

        def look() -> Found | None:
            pair = self.pair(measured)
            if pair is None:
                return None
            return findings(
                pair,
                measured.estimate,
                **how,
                memory_limit=self.memory_limit,
                usual=self._usual(pair.real, few),
                of_samples=partial(self._sample_faults, pair),
                witness=lambda: self.witness(measured, lambda _: None),
                progress=search,
            )

        return self._kept(key, _from_facts, search, look, _facts)

    def replicates(self, measured: MeasuredCheckpoint, search: Progress | None) -> Floats | None:
        """`side_replicates` of a checkpoint by one family."""
        how = (measured, self.bootstrap, self.settings.seed)
        if search is None:
            known: Floats | None = self.store.known(replicates_key(*how))
            return known
        return side_replicates(*how, self.store)

    def intervals(
        self, measured: MeasuredCheckpoint, search: Progress | None
    ) -> Mapping[str, Interval] | None:
        """`summary_intervals` of a checkpoint by one family."""
        how = (measured, self.bootstrap, self.settings.seed)
        if search is None:
            known: Mapping[str, Interval] | None = self.store.known(intervals_key(*how))
            return known
        return summary_intervals(*how, self.store)

    def keep_draws(self, outcome: CheckpointOutcome, progress: Progress) -> None:
        """Cache all replicates of a checkpoint that a report needs, so that the report itself is
        written soon.
        """
        for each in outcome.measured:
            self.intervals(each, progress)
            # Runs on different samples can't be ranked.
            with suppress(ValueError):
                self.replicates(each, progress)

    def of_each(
        self,
        find: Callable[[MeasuredCheckpoint, Progress], T | None],
        measured: Sequence[MeasuredCheckpoint],
        progress: Progress | None = None,
    ) -> dict[str, T]:
        """Checkpoint name -> result of ``find``, without checkpoints for which it is None."""
        found = {}
        for place, each in enumerate(measured):
            step = part_of(progress, place, len(measured))
            step(0.0)
            one = find(each, step)
            if one is not None:
                found[each.checkpoint.name] = one
        return found

    # ---- results on all checkpoints ----

    def results(
        self,
        outcomes: Iterable[CheckpointOutcome],
        goal: float = 0.5,
        *,
        areas: bool = True,
        progress: Progress | None = None,
        meanwhile: Callable[[Progress], object] | None = None,
    ) -> TriageResults:
        """All that follows from the outcomes of checkpoints, measured with these settings.

        goal : as in `prviz.triage.ranking.ranking`.
        areas : True to measure also the areas that remain without what gives the best checkpoints
            away.
        meanwhile : work to do while the yardstick is measured.
        """
        settings = self.settings
        nothing = TriageResults(
            reference=self.reference, outcomes=tuple(outcomes), settings=settings, goal=goal
        )
        measured = nothing.measured
        if not measured:
            return nothing
        firsts = [each.measured[0] for each in nothing.outcomes if each.measured]
        real = self.real(firsts[0].n_real)
        if meanwhile is not None:
            self._threads.start(meanwhile)
        possible = None
        no_ceiling = ""
        try:
            possible = yardstick(
                real,
                settings,
                self.holdout,
                size=max(each.n_generated for each in measured),
                store=self.store,
                memory_limit=self.memory_limit // 2 if self._threads.busy else self.memory_limit,
            )
        except ValueError as error:
            no_ceiling = str(error)
        self._threads.wait()
        copies = self.of_each(self.copies, firsts, part_of(progress, 0, 2))
        by_basis = looked_into(measured)
        of_best = {}
        if areas:
            of_best = believed_areas(measured)
        witnesses = self.of_each(
            lambda each, step: self.witness(each, step, of_best.get(each.checkpoint.name)), by_basis
        )
        copied = [name for name, each in copies.items() if each.memorised]
        faults = self.of_each(self.faults, by_basis, part_of(progress, 1, 2))
        judgement = judge(
            measured,
            goal,
            settings.seed,
            aside=Aside(copied, told_apart(witnesses, faults), possible),
            replicates=self.bootstrap,
            store=self.store,
        )
        return replace(
            nothing,
            reference=real,
            memorisation=copies,
            findings=faults,
            witnesses=witnesses,
            yardstick=possible,
            no_ceiling=no_ceiling,
            judgement=judgement,
        )

    # ---- work at the same time as the curves ----

    def beside(self, pair: SamplePair) -> bool:
        """Start to search a pair for copies and faults while curves are computed, since these
        searches need its samples alone.

        As many pairs are searched at once as there are cores, and as half of the memory holds.
        Returns False if memory holds none, or there is one core. `results` waits for the end.
        """
        needed = (pair.real.n + pair.generated.n) * pair.d * VALUE_BYTES
        at_once = min(self.memory_limit // 2 // max(needed, 1), available_threads())
        if self.memory_limit < MEMORY_LIMIT or at_once < 1 or available_threads() < 2:
            return False
        self._threads.wait(at_once - 1)
        self._threads.start(partial(self._look_at, pair))
        return True

    def close(self) -> None:
        """Stop the work that runs beside the curves; it ends soon."""
        self._threads.stop()

    def _look_at(self, pair: SamplePair, progress: Progress) -> None:
        """Cache copies, witness and faults of a pair, which `results` needs."""
        learners.load()
        self._copies(self.reference, pair.generated.digest, lambda: pair, progress)
        with one_blas_thread():
            self._witness(pair, part_of(progress, 0, 2))
            facts = preflight(pair, split=self.settings.split).facts
            self._sample_faults(pair, facts, part_of(progress, 1, 2))

    # ---- cached values of a pair ----

    @property
    def _other(self) -> str:
        """Digest of the holdout; "" without one."""
        if self.holdout is None:
            return ""
        return self.holdout.digest

    def _copies(
        self,
        real: Samples,
        digest: str,
        read: Callable[[], SamplePair | None],
        search: Progress | None,
    ) -> Memorisation | None:
        """The copies of real samples among the generated ones with this digest; None if they can't
        be read.
        """
        key = {"copies": self._other, "rules": 4, "real": real.digest, "generated": digest}

        def count() -> Memorisation | None:
            pair = read()
            if pair is None:
                return None
            held_out = self.held_out(real)
            limit = self.memory_limit
            return memorisation(real, pair.generated, held_out, memory_limit=limit)

        return self._kept(key, memorisation_of_facts, search, count)

    def _kept(
        self,
        key: Mapping[str, Any],
        taken: Callable[[Any], T | None],
        search: Progress | None,
        compute: Callable[[], T | None],
        facts: Callable[[Any], Any] = lambda found: found,
    ) -> T | None:
        """As `prviz.triage.measured.kept`; where ``search`` is None, only what is in memory."""
        if search is None:
            known: T | None = self.store.known(key)
            return known
        return kept(self.store, key, taken, compute, facts)

    def _witness(self, pair: SamplePair, progress: Progress | None) -> Witness:
        """`prviz.witness` of a pair, without areas, from the cache or computed."""
        options: dict[str, Any] = {"seed": self.settings.seed, "memory_limit": self.memory_limit}
        return self.store.memory.remembered(
            ("witness", pair.digest, pair.real.features, *options.values()),
            lambda: witness(pair, without=False, **options, progress=progress),
        )

    def _sample_faults(
        self, pair: SamplePair, facts: PairFacts, progress: Progress | None = None
    ) -> Found:
        """`sample_faults` of a pair, cached apart from the other findings: they depend on no
        family, while the family that decides may change.
        """
        limit = self.memory_limit
        key = {
            "rules": RULES_KEY,
            "of_samples": self._other,
            "real": pair.real.digest,
            "generated": pair.generated.digest,
            **_fewer(pair.d, max(each.n for each in pair), limit),
        }

        def search() -> Found:
            digest = pair.generated.digest
            copies = self._copies(pair.real, digest, lambda: pair, lambda _: None)
            return sample_faults(pair, facts, copies, memory_limit=limit, progress=progress)

        return kept(self.store, key, _from_facts, search, _facts)

    def _usual(self, real: Samples, few: Mapping[str, int]) -> Found:
        """The faults that held-out real samples show too."""
        other = self.holdout
        if other is None:
            return ()
        key = {"rules": RULES_KEY, "usual": other.digest, "real": real.digest, **few}
        search = partial(usual_faults, real, other, memory_limit=self.memory_limit)
        return kept(self.store, key, _from_facts, search, _facts)


def fewer_rows(measured: Sequence[MeasuredCheckpoint], d: int, memory_limit: int) -> str:
    """A sentence on findings that compare fewer rows to save memory; "" if they compare all."""
    n = max((max(each.n_real, each.n_generated) for each in measured), default=0)
    rows = _fewer(d, n, memory_limit).get("rows")
    if rows is None:
        return ""
    return f"findings compare {rows} samples of each set: --memory-limit leaves no room for more"


def _fewer(d: int, n: int, memory_limit: int) -> dict[str, int]:
    """Part of cache keys: the number of rows that findings compare, if a small memory limit reduces
    it; else {}.

    n : number of samples of the larger set.
    """
    rows = rows_within(d, memory_limit)
    if rows < min(rows_in_time(d), n):
        return {"rows": rows}
    return {}


def _facts(found: Found) -> list[dict[str, Any]]:
    return [asdict(each) for each in found]


def _from_facts(facts: Any) -> Found | None:
    """Converts cached facts to findings; None if the facts are something else."""
    try:
        return tuple(TriageFinding(**each) for each in facts)
    except TypeError:
        return None
