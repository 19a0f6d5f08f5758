"""A triage of checkpoints that are measured: copies, ceiling, decision and findings in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from prviz.cells import table_html
from prviz.curves import shown
from prviz.diagnostics.preflight import preflight
from prviz.diagnostics.witness import VALUE_BYTES
from prviz.estimators import learners
from prviz.measure.estimates import Progress
from prviz.measure.workload import cut
from prviz.neighbors import MEMORY_LIMIT
from prviz.neighbors.threads import OneThreadMore, available_threads, one_blas_thread, part_of
from prviz.samples import SamplePair, Samples
from prviz.triage.access import SampleAccess
from prviz.triage.classes import ClassShare
from prviz.triage.decision import Aside, Judgement, Ready, judge, looked_into
from prviz.triage.finding import TriageFinding
from prviz.triage.inputs import Checkpoint
from prviz.triage.inspection import findings_of, kept_faults
from prviz.triage.measured import CheckpointOutcome, MeasuredCheckpoint, TriageSettings
from prviz.triage.memorisation import (
    HeldOutDistances,
    Memorisation,
    held_out_distances,
    kept_memorisation,
    memorisation_of,
)
from prviz.triage.ranking import draws_text, share_text
from prviz.triage.result_cache import ResultCache
from prviz.triage.witnesses import (
    WitnessEntry,
    believed_areas,
    known_witness,
    told_apart,
    witnesses_of,
)
from prviz.triage.yardstick import Yardstick, yardstick

# Checkpoints in the table of a notebook.
SHOWN = 5


@dataclass(frozen=True, eq=False, kw_only=True)
class TriageResults:
    """Outcomes of checkpoints and all that follows from them.

    reference : the real samples as they were measured. settings, goal : of the measurements, and of
    the decision.
    memorisation, findings, witnesses, classes : by the checkpoint's name, of those where it is
    known. yardstick : None where it can't be measured, for the reason in no_ceiling. judgement : None if
    nothing was measured.
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
        return [each for outcome in self.outcomes for each in outcome.measured]

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


class TriageRun:
    """One reference and the settings of a triage; what concerns the reference alone is computed once.

    Parameters
    ----------
    reference : the real samples, whole.
    settings : as for `prviz.triage.measure.measure_all`.
    holdout : other real samples; None: two halves of the reference, and the reference itself.
    goal : as in `prviz.triage.ranking.ranking`.
    store : keeps what is computed. memory_limit : bytes beyond the samples. areas : True to measure
    those that remedies leave.

    Raises
    ------
    ValueError : a holdout that is in the reference, or of another dimension.
    """

    def __init__(
        self,
        reference: Samples,
        settings: TriageSettings,
        *,
        holdout: Samples | None = None,
        goal: float = 0.5,
        store: ResultCache | None = None,
        memory_limit: int = MEMORY_LIMIT,
        areas: bool = True,
    ) -> None:
        self.reference = reference
        self.settings = settings
        self.holdout = holdout
        self.goal = goal
        self._store = store
        self._memory = memory_limit
        self._areas = areas
        self._thread = OneThreadMore()
        self._held_out = {
            reference.digest: held_out_distances(reference, holdout, memory_limit=memory_limit)
        }

    def results(
        self,
        outcomes: Sequence[CheckpointOutcome],
        *,
        load: Callable[[Checkpoint], Samples] | None = None,
        progress: Progress | None = None,
        meanwhile: Callable[[Progress], object] | None = None,
    ) -> TriageResults:
        """All that follows from the outcomes of one or more checkpoints, measured with the settings of this run.

        load : reads the samples of a checkpoint; None: its file. meanwhile : done beside the
        yardstick.
        """
        settings = self.settings
        store = self._store
        access = self._access(load)
        nothing = TriageResults(
            reference=self.reference, outcomes=tuple(outcomes), settings=settings, goal=self.goal
        )
        measured = nothing.measured
        if not measured:
            return nothing
        real = cut(self.reference, measured[0].n_real, settings.seed)
        copies = memorisation_of(
            self.reference,
            outcomes,
            self._distances(self.reference),
            access,
            part_of(progress, 0, 2),
        )
        if meanwhile is not None:
            self._thread.start(meanwhile)
        possible = None
        no_ceiling = ""
        try:
            size = max(each.n_generated for each in measured)
            memory = self._memory // 2 if self._thread.busy else self._memory
            possible = yardstick(
                real, settings, self.holdout, size=size, store=store, memory_limit=memory
            )
        except ValueError as error:
            no_ceiling = str(error)
        self._thread.wait()
        by_basis = looked_into(measured)
        areas = believed_areas(measured) if self._areas else {}
        witnesses = witnesses_of(real, by_basis, access, areas)
        judgement = judge(
            measured,
            self.goal,
            settings.seed,
            aside=Aside(
                [name for name, each in copies.items() if each.memorised],
                told_apart(witnesses),
                possible,
            ),
            ready=Ready(store=store),
        )
        faults = findings_of(
            real,
            by_basis,
            self._distances(real),
            access,
            holdout=self.holdout,
            witnesses=witnesses,
            progress=part_of(progress, 1, 2),
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

    def beside(self, pair: SamplePair) -> bool:
        """Begin to find what follows from the samples alone, while curves are fitted to the same pair.

        False where half of the memory would not be enough, no result can be kept, or there is one
        core. `results` waits for the end.
        """
        values = (pair.real.n + pair.generated.n) * pair.d
        room = self._memory // 2
        if self._memory < MEMORY_LIMIT or values * VALUE_BYTES > room:
            return False
        if self._store is None or available_threads() < 2:
            return False
        self._thread.wait()
        self._thread.start(partial(self._look_at, pair))
        return True

    def close(self) -> None:
        """End soon what goes on beside."""
        self._thread.stop()

    def _look_at(self, pair: SamplePair, progress: Progress) -> None:
        """Copies, witness and faults of a pair, where `results` finds them."""
        learners.load()
        access = self._access()
        held_out = self._distances(self.reference)
        kept_memorisation(self.reference, pair.generated.digest, held_out, access, lambda: pair)
        with one_blas_thread():
            known_witness(pair, access, part_of(progress, 0, 2))
            facts = preflight(pair, split=self.settings.split).facts
            kept_faults(pair, self._distances(pair.real), access, facts, part_of(progress, 1, 2))

    def _access(self, load: Callable[[Checkpoint], Samples] | None = None) -> SampleAccess:
        return SampleAccess(
            settings=self.settings, load=load, store=self._store, memory_limit=self._memory
        )

    def _distances(self, real: Samples) -> HeldOutDistances:
        if real.digest not in self._held_out:
            self._held_out[real.digest] = held_out_distances(
                real, self.holdout, memory_limit=self._memory
            )
        return self._held_out[real.digest]
