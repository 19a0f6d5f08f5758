"""What Triage holds checkpoints against: the ceiling that real samples reach, copies expected of
real ones, faults.
"""

from __future__ import annotations

from collections.abc import Mapping

from pages._shared import answers
from pages._triage.checkpoints import CheckpointResults, known_of, of_each
from prviz.measure.estimates import Progress, passes
from prviz.measure.workload import estimate_seconds
from prviz.neighbors.threads import part_of
from prviz.readers.errors import error_text
from prviz.triage.findings import Found
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.memorisation import Memorisation
from prviz.triage.ranking import together
from prviz.triage.witnesses import WitnessEntry
from prviz.triage.yardstick import Yardstick, yardstick

# Seconds between drawings of the faults that are named so far: at least, and for each checkpoint.
_PIECES = 3.0
_PIECES_OF_EACH = 0.05


def ceiling_of(found: CheckpointResults) -> Yardstick | None:
    """Ceiling and floor of these settings; None until a job has measured them, and where there can
    be none.
    """
    known = ceiling_or_reason(found)
    if isinstance(known, str):
        return None
    return known


def ceiling_or_reason(found: CheckpointResults) -> Yardstick | str | None:
    """The ceiling, or why there can be none; None until a job has measured it."""
    real = found.reference
    holdout = found.holdout
    settings = found.settings
    triage = found.triage
    size = max(each.n_generated for each in found.measured)
    key = ("triage-ceiling", real.digest, holdout and holdout.digest, settings, size)

    def compute(_: Progress) -> Yardstick | str:
        try:
            possible = yardstick(real, settings, holdout, size=size, store=triage.store)
        except ValueError as error:  # too few samples
            return error_text(error)
        for each in possible.ceiling.values():  # kept for the decision
            together([each], triage.bootstrap, settings.seed + 1, triage.store)
        return possible

    families = passes(settings.methods)
    work = {**families, "split": settings.split}
    seconds = 2 * estimate_seconds(real.n, size, real.d, **work)  # type: ignore[arg-type]
    return answers.tab_result(key, seconds, compute, "Ceiling")


def copies_of(found: CheckpointResults) -> Mapping[str, Memorisation]:
    """Copies of the reference by the checkpoint's name, of those that a job has counted."""
    real = found.reference
    one = estimate_seconds(real.n, real.n, real.d, methods=1, split=None)
    find = found.triage.copies
    return of_each(found, "triage-copies", found.measured, find, lambda _: one, "Copies", 0.0)


def faults_of(found: CheckpointResults) -> Mapping[str, Found]:
    """Faults by the checkpoint's name, of those that `name_faults` has looked at so far."""
    return known_of(found.looked_into.values(), found.triage.faults)


def witnesses_known(found: CheckpointResults) -> Mapping[str, WitnessEntry]:
    """What gives checkpoints away by their names, of those that were looked at so far."""
    return known_of(found.measured, found.triage.witness)


def name_faults(found: CheckpointResults) -> None:
    """Let a job name the faults of all checkpoints, the best first, once all are measured."""
    if not found.complete:
        return
    triage = found.triage

    def name_one(measured: MeasuredCheckpoint, search: Progress | None) -> Found | None:
        if search is not None:
            triage.witness(measured, part_of(search, 0, 2))  # what findings may ask for
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
        # Hundreds of checkpoints take long to draw.
        max(_PIECES, _PIECES_OF_EACH * len(best_first)),
    )
