"""What Triage holds checkpoints against: the ceiling that real samples reach, copies expected of
real ones, faults.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import NamedTuple

from pages._shared import answers
from pages._triage.checkpoints import CheckpointResults, held, known, measurement
from prviz.measure.estimates import Progress, passes
from prviz.measure.workload import estimate_seconds
from prviz.neighbors.threads import part_of
from prviz.readers.errors import error_text
from prviz.triage.access import SampleAccess
from prviz.triage.finding import TriageFinding
from prviz.triage.inspection import findings_of
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.memorisation import (
    HeldOutDistances,
    Memorisation,
    held_out_distances,
    memorisation_of,
)
from prviz.triage.ranking import SharedReference, together
from prviz.triage.witnesses import WitnessEntry, witnesses_of
from prviz.triage.yardstick import Yardstick, yardstick

# Seconds between drawings of the faults that are named so far: at least, and for each checkpoint.
_PIECES = 3.0
_PIECES_OF_EACH = 0.05


class Ceiling(NamedTuple):
    """A yardstick, and by family the replicates of its ceiling."""

    yardstick: Yardstick
    replicates: Mapping[str, SharedReference]


def ceiling_of(found: CheckpointResults) -> Ceiling | None:
    """Ceiling and floor of these settings; None until a job has measured them, and where there can
    be none.
    """
    known = ceiling_or_reason(found)
    if isinstance(known, str):
        return None
    return known


def ceiling_or_reason(found: CheckpointResults) -> Ceiling | str | None:
    """The ceiling, or why there can be none; None until a job has measured it."""
    real = found.reference
    holdout = found.holdout
    settings = found.settings
    store = found.store
    size = max(each.n_generated for each in found.measured)
    key = ("triage-ceiling", real.digest, holdout and holdout.digest, settings, size)

    def compute(_: Progress) -> Ceiling | str:
        try:
            possible = yardstick(real, settings, holdout, size=size, store=store)
        except ValueError as error:  # too few samples
            return error_text(error)
        top = {
            name: together([each], REPLICATES, settings.seed + 1)
            for name, each in possible.ceiling.items()
        }
        return Ceiling(possible, top)

    families = passes(settings.methods)
    seconds = 2 * estimate_seconds(real.n, size, real.d, **families, split=settings.split)  # type: ignore[misc]
    return answers.tab_result(key, seconds, compute, "Ceiling")


def copies_of(found: CheckpointResults) -> Mapping[str, Memorisation] | None:
    """Copies of the reference by the checkpoint's name; None until a job has counted those of all."""
    results = held("triage-copies")
    other = found.holdout and found.holdout.digest
    distances = _distances(found)
    keys = {each.checkpoint.name: (*each.digests, other) for each in found.measured}
    missing = {name: key for name, key in keys.items() if key not in results}
    real = found.reference

    def compute(progress: Progress) -> bool:
        outcomes = [each for each in found.outcomes if each.checkpoint.name in missing]
        copies = memorisation_of(real, outcomes, distances(), _access(found), progress)
        for name, each in copies.items():  # names may change before they are read
            results.put(missing[name], each)
        return True

    one = estimate_seconds(real.n, real.n, real.d, methods=1, split=None)
    key = ("triage-copies", *missing.values())
    seconds = one * (len(missing) + 1)
    if missing and not answers.tab_result(key, seconds, compute, "Copies"):
        return None
    return known("triage-copies", keys)


def faults_of(found: CheckpointResults) -> Mapping[str, tuple[TriageFinding, ...]]:
    """Faults by the checkpoint's name, of those that `name_faults` has looked at so far."""
    keys = {name: faults_key(found, each) for name, each in found.looked_into.items()}
    return known("triage-faults", keys)


def witnesses_known(found: CheckpointResults) -> Mapping[str, WitnessEntry]:
    """What gives checkpoints away by their names, of those that were looked at so far."""
    seed = found.settings.seed
    keys = {each.checkpoint.name: (*each.digests, seed) for each in found.measured}
    return known("triage-witnesses", keys)


def find_witness(
    found: CheckpointResults, measured: MeasuredCheckpoint, area: float | None = None
) -> WitnessEntry | None:
    """What gives a checkpoint away, kept for the page; for a job. None where its file is gone or
    another.

    area : under its curve to believe, where it is to be measured what remains.
    """
    name = measured.checkpoint.name
    areas = {} if area is None else {name: area}
    entry = witnesses_of(found.reference, [measured], _access(found), areas).get(name)
    if entry is not None:
        held("triage-witnesses").put((*measured.digests, found.settings.seed), entry)
    return entry


def name_faults(found: CheckpointResults) -> None:
    """Let a job name the faults of all checkpoints, the best first, once all are measured."""
    results = held("triage-faults")
    name_one = fault_finder(found)
    order = sorted(found.looked_into.values(), key=lambda each: -each.curve.auc)
    best_first = {faults_key(found, each): each for each in order}
    missing = {key: each for key, each in best_first.items() if key not in results}

    def compute(progress: Progress) -> bool:
        for place, (key, each) in enumerate(missing.items()):
            find_witness(found, each)  # what findings may ask for
            if (faults := name_one(each, part_of(progress, place, len(missing)))) is not None:
                results.put(key, faults)
        return True

    if missing and found.complete:
        seconds = sum(2 * max(each.seconds, 0.5) for each in missing.values())
        # Hundreds of checkpoints take long to draw.
        pieces = max(_PIECES, _PIECES_OF_EACH * len(best_first))
        answers.tab_result(("triage-faults", *best_first), seconds, compute, "Faults", pieces)


def fault_finder(
    found: CheckpointResults,
) -> Callable[[MeasuredCheckpoint, Progress], tuple[TriageFinding, ...] | None]:
    """A function for a job that names the faults of one checkpoint; None where its file is gone or
    another.
    """
    distances = _distances(found)

    def name_one(
        measured: MeasuredCheckpoint, progress: Progress
    ) -> tuple[TriageFinding, ...] | None:
        one = findings_of(
            found.reference,
            [measured],
            distances(),
            _access(found),
            holdout=found.holdout,
            witnesses=witnesses_known(found),
            progress=progress,
        )
        return one.get(measured.checkpoint.name)

    return name_one


def faults_key(found: CheckpointResults, measured: MeasuredCheckpoint) -> tuple[Hashable, ...]:
    """Key of everything that decides the faults of a checkpoint."""
    return (*measurement(found.settings, measured), found.holdout and found.holdout.digest)


def _access(found: CheckpointResults) -> SampleAccess:
    return SampleAccess(settings=found.settings, load=found.load, store=found.store)


def _distances(found: CheckpointResults) -> Callable[[], HeldOutDistances]:
    """A function for a job that gives what copies are compared with, computed once for a reference
    and a holdout.
    """
    results = held("triage-held-out")
    real = found.reference
    holdout = found.holdout
    key = real.digest, holdout and holdout.digest
    return lambda: results.remembered(key, lambda: held_out_distances(real, holdout))
