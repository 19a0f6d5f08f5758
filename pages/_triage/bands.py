"""Intervals of every checkpoint's summaries: each is computed once and kept."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from pages._shared import answers, cache
from pages._triage.checkpoints import CheckpointResults, measurement
from pages._work.jobs import Progress
from prviz.triage.measured import REPLICATES, MeasuredCheckpoint
from prviz.uncertainty.bootstrap import LEVEL, Interval, bootstrap

# Seconds per evaluation sample, on a slow machine.
_SECONDS = 2e-4
# Checkpoints whose intervals are kept, ten pairs of numbers each.
_HELD = 2000

Intervals = Mapping[str, Interval]


def intervals(found: CheckpointResults) -> dict[str, Intervals]:
    """Intervals known so far, by the checkpoint's name; starts the computation of the missing ones."""
    held: cache.LeastRecentlyUsed = cache.remembered(("triage-intervals",), lambda: cache.LeastRecentlyUsed(_HELD))
    keys = {each.checkpoint.name: measurement(found.settings, each) for each in found.measured}
    missing: dict[Hashable, MeasuredCheckpoint] = {
        key: found.one(name) for name, key in keys.items() if key not in held
    }
    if missing:
        _compute(missing, held, found.settings.seed)
    return {name: held.get(key) for name, key in keys.items() if key in held}


def _evaluation_samples(measured: MeasuredCheckpoint) -> int:
    return sum(len(run.c_real) for run in measured.estimate.runs)


def _compute(missing: Mapping[Hashable, MeasuredCheckpoint], held: cache.LeastRecentlyUsed, seed: int) -> None:
    """Compute missing intervals, at once if that is quick, else in a job that keeps each one as it finishes."""

    def compute(progress: Progress) -> Mapping[Hashable, Intervals]:
        for place, (key, measured) in enumerate(missing.items()):
            progress(place / len(missing))
            if key not in held:
                held.put(key, bootstrap(measured.estimate, REPLICATES, seed=seed, level=LEVEL).intervals)
        return {key: held.get(key) for key in missing}

    key_of_all = ("triage-intervals", *missing)
    if answers.ready(key_of_all, _SECONDS * sum(map(_evaluation_samples, missing.values())), compute):
        for key, value in cache.remembered(key_of_all, lambda: compute(lambda _: None)).items():
            held.put(key, value)
