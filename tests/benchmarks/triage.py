# ruff: noqa: T201
"""Many checkpoints against one reference: the time of all beside that of single runs, a second run,
and peak memory.

    python -m tests.benchmarks.triage                      20 checkpoints of 10,000 x 384

Triage and single runs take turns, checkpoint by checkpoint, so that a busy machine slows both. The
single runs know the radii inside the reference already; what these take is added once. Fails if
triage takes more than 1.1 times as long, or if the second run measures anything.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from prviz.measure.estimates import measure
from prviz.neighbors import Distances, RealRadii
from prviz.readers import read
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint, checkpoints_of
from prviz.triage.measured import ResultCache, TriageSettings
from tests.benchmarks.memory import peak_megabytes
from tests.benchmarks.results import record
from tests.triage_files import measure_all

LIMIT = 1.1


def written(folder: Path, count: int, n: int, d: int) -> Path:
    """The checkpoints as files, and the path of the reference."""
    rng = np.random.default_rng(0)
    (folder / "run").mkdir()
    np.save(folder / "real.npy", rng.standard_normal((n, d), dtype=np.float32))
    for step in range(count):
        shift = np.float32((count - step) / (4 * count))
        np.save(
            folder / "run" / f"step-{step}.npy",
            rng.standard_normal((n, d), dtype=np.float32) + shift,
        )
    return folder / "real.npy"


def single(reference: Samples, path: Path, settings: TriageSettings, radii: RealRadii) -> None:
    """One checkpoint read, measured and its curves made, with what is known of the reference."""
    pair = SamplePair(reference, read(path))
    split = pair.split(settings.split, settings.seed)
    wanted = [(name, int(pair.real.n**0.5), None) for name in settings.methods]
    for each in measure(split, wanted, settings.seed, distances=Distances(split, real_radii=radii)):
        _ = each.curve


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compared(
    path: Path, checkpoints: list[Checkpoint], settings: TriageSettings, store: ResultCache
) -> tuple[float, float, float]:
    """Seconds of the reference once, of all single runs without it, and of triage."""
    reference = read(path)
    radii = RealRadii()
    first = checkpoints[0].path
    cold = seconds(lambda: single(reference, first, settings, radii))
    warm = min(seconds(lambda: single(reference, first, settings, radii)) for _ in range(2))
    once = seconds(lambda: read(path)) + max(cold - warm, 0.0)
    began = time.perf_counter()
    running = measure_all(read(path), checkpoints, settings, store=store)
    ours = time.perf_counter() - began
    theirs = 0.0
    for each in checkpoints:
        ours += seconds(lambda: [each.curve for each in next(running).measured])
        theirs += seconds(lambda path=each.path: single(reference, path, settings, radii))
    return once, theirs, ours


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkpoints", type=int, default=20)
    parser.add_argument("--n", type=int, default=10_000)
    parser.add_argument("--d", type=int, default=384)
    parser.add_argument("--methods", nargs="+", default=["knn", "kde", "ipr", "coverage"])
    options = parser.parse_args()
    settings = TriageSettings(tuple(options.methods))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = written(folder, options.checkpoints, options.n, options.d)
        checkpoints = checkpoints_of(folder / "run")
        store = ResultCache(folder / "kept")
        once, theirs, ours = compared(path, checkpoints, settings, store)
        reference = read(path)
        again: list[tuple[str, ...]] = []
        second = seconds(
            lambda: again.extend(
                each.fresh for each in measure_all(reference, checkpoints, settings, store=store)
            )
        )
        few = checkpoints[:2]
        peaks = [
            peak_megabytes(
                lambda some=some: [each.reason for each in measure_all(reference, some, settings)]
            )
            for some in (few, few + checkpoints[2:6])
        ]
    ratio = ours / (once + theirs)
    record(
        "triage",
        f"{options.checkpoints} checkpoints of {options.n:,} x {options.d:,},"
        f" {', '.join(settings.methods)}",
        seconds=ours,
        other_seconds=once + theirs,
        peak_mb=max(peaks),
        figures={"second run (s)": second, "measured again": sum(map(len, again))},
    )
    print(
        f"{options.checkpoints} checkpoints of {options.n} x {options.d},"
        f" {', '.join(settings.methods)}"
    )
    print(
        f"reference once {once:.2f} s, single runs without it {theirs:.1f} s, triage {ours:.1f} s:"
        f" {ratio:.3f} x"
    )
    print(f"second run {second:.2f} s, families measured: {sum(map(len, again))}")
    print(
        f"peak memory above the reference: {peaks[0]:.0f} MB for {len(few)} checkpoints,"
        f" {peaks[1]:.0f} MB for six"
    )
    return 0 if ratio <= LIMIT and not any(again) else 1


if __name__ == "__main__":
    sys.exit(main())
