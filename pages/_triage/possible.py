"""What Triage holds checkpoints against: the ceiling that real samples reach, copies expected of real ones, faults."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from pages._shared import answers, cache
from pages._triage.checkpoints import CheckpointResults, measurement
from pages._work.jobs import Progress
from pages._work.store import LeastRecentlyUsed
from prviz.measure.estimates import passes
from prviz.measure.workload import estimate_seconds
from prviz.readers.errors import error_text
from prviz.samples import SamplePair
from prviz.triage.findings import TriageFinding, findings
from prviz.triage.measure import FAILURES
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.triage.memorisation import Memorisation, held_out_distances, memorisation_of
from prviz.triage.ranking import SharedReference, together
from prviz.triage.yardstick import Yardstick, yardstick

# Checkpoints whose copies are kept, a few numbers each.
_HELD = 2000


class Ceiling(NamedTuple):
    """A yardstick, and by family the replicates of its ceiling."""

    yardstick: Yardstick
    replicates: Mapping[str, SharedReference]


def ceiling_of(found: CheckpointResults) -> Ceiling | None:
    """Ceiling and floor of these settings; None until a job has measured them, and where there can be none."""
    known = _ceiling(found)
    return None if isinstance(known, str) else known


def no_ceiling(found: CheckpointResults) -> str:
    """Why there can be no ceiling; "" where there can."""
    known = _ceiling(found)
    return known if isinstance(known, str) else ""


def _ceiling(found: CheckpointResults) -> Ceiling | str | None:
    real, holdout, settings = found.reference, found.holdout, found.settings
    size = max(each.n_generated for each in found.measured)
    key = ("triage-ceiling", real.digest, holdout and holdout.digest, settings, size)

    def compute(_: Progress) -> Ceiling | str:
        try:
            possible = yardstick(real, settings, holdout, size=size)
        except ValueError as error:  # too few samples
            return error_text(error)
        top = {name: together([each], REPLICATES, settings.seed + 1) for name, each in possible.ceiling.items()}
        return Ceiling(possible, top)

    families = passes(settings.methods)
    seconds = 2 * estimate_seconds(real.n, size, real.d, **families, split=settings.split)  # type: ignore[misc]
    return answers.tab_result(key, seconds, compute)


def copies_of(found: CheckpointResults) -> Mapping[str, Memorisation] | None:
    """Copies of the reference by the checkpoint's name; None until a job has counted those of all."""
    held: LeastRecentlyUsed = cache.remembered(("triage-copies",), lambda: LeastRecentlyUsed(_HELD))
    other = found.holdout and found.holdout.digest
    keys = {each.checkpoint.name: (*each.digests, other) for each in found.measured}
    missing = tuple(name for name, key in keys.items() if key not in held)
    real, holdout = found.reference, found.holdout

    def compute(progress: Progress) -> Mapping[Hashable, Memorisation]:
        outcomes = [each for each in found.outcomes if each.checkpoint.name in missing]
        held_out = held_out_distances(real, holdout)
        copies = memorisation_of(real, outcomes, found.settings, held_out, load=found.load, progress=progress)
        return {keys[name]: each for name, each in copies.items()}  # names may change before they are read

    if missing:
        one = estimate_seconds(real.n, real.n, real.d, methods=1, split=None)
        counted = answers.tab_result(
            ("triage-copies", *(keys[name] for name in missing)), one * (len(missing) + 1), compute
        )
        if counted is None:
            return None
        for key, each in counted.items():
            held.put(key, each)
    return {name: held.get(key) for name, key in keys.items() if key in held}


def faults_of(found: CheckpointResults) -> Mapping[str, tuple[TriageFinding, ...]]:
    """Faults by the checkpoint's name, of those that are known; see `name_faults`."""
    held, keys = _held_faults(), {each.checkpoint.name: faults_key(found, each) for each in found.measured}
    return {name: held.get(key) for name, key in keys.items() if key in held}


def name_faults(found: CheckpointResults) -> None:
    """Let a job name the faults of all checkpoints, the best first, once all are measured."""
    held, settings, real, holdout = _held_faults(), found.settings, found.reference, found.holdout
    best_first = sorted(found.measured, key=lambda each: -each.curve.auc)
    missing = {key: each for each in best_first if (key := faults_key(found, each)) not in held}

    def compute(progress: Progress) -> bool:
        held_out = None if holdout is None else held_out_distances(real, holdout)
        for place, (key, each) in enumerate(missing.items()):
            progress(place / len(missing))
            try:
                pair = SamplePair(real, found.load(each.checkpoint))
            except FAILURES:  # gone: the part on it says so
                continue
            if pair.generated.digest == each.digests.generated:
                faults = findings(
                    pair,
                    each.estimate,
                    bandwidth=settings.bandwidth,
                    split=settings.split,
                    seed=settings.seed,
                    held_out=held_out,
                    progress=lambda share, place=place: progress((place + share) / len(missing)),  # type: ignore[misc]
                )
                held.put(key, faults)
        return True

    if missing and found.complete:
        seconds = sum(2 * max(each.seconds, 0.5) for each in missing.values())
        answers.tab_result(("triage-faults", *missing), seconds, compute)


def _held_faults() -> LeastRecentlyUsed:
    held: LeastRecentlyUsed = cache.remembered(("triage-faults",), lambda: LeastRecentlyUsed(_HELD))
    return held


def faults_key(found: CheckpointResults, measured: MeasuredCheckpoint) -> tuple[Hashable, ...]:
    return (*measurement(found.settings, measured), found.holdout and found.holdout.digest)
