"""What Triage holds checkpoints against: the ceiling that real samples reach, and copies expected of real ones."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple

from pages._shared import answers, cache
from pages._triage.checkpoints import CheckpointResults
from pages._work.jobs import Progress
from pages._work.store import LeastRecentlyUsed
from prviz.measure.estimates import passes
from prviz.measure.workload import estimate_seconds
from prviz.triage.measured import REPLICATES
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
    """Ceiling and floor of these settings; None until a job has measured them."""
    real, holdout, settings = found.reference, found.holdout, found.settings
    size = max(each.n_generated for each in found.measured)
    key = ("triage-ceiling", real.digest, holdout and holdout.digest, settings, size)

    def compute(_: Progress) -> Ceiling:
        possible = yardstick(real, settings, holdout, size=size)
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
