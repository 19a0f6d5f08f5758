"""Every checkpoint at several k and on fewer samples: the measurements of the robustness of a
verdict.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from prviz.arguments import checked_whole
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.estimators.base import resolve_k
from prviz.measure.estimates import K, measure, method_names, passes
from prviz.measure.workload import cut, estimate_seconds, fit_size
from prviz.neighbors.threads import available_threads, threads_at_most
from prviz.readers.errors import error_text
from prviz.samples import SamplePair, Samples
from prviz.studies.tasks import Columns, Row
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import LEAST_ROWS
from prviz.triage.measured import MeasuredCheckpoint, PairDigests, TriageSettings, by_name
from prviz.triage.ranking import sides

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Columns = {
    **dict.fromkeys(("key", "checkpoint", "method"), "string"),
    **{"k": "Int64", "in_use": "boolean", "share": "float64"},
    **dict.fromkeys(("n", "n_generated", "repeat"), "Int64"),
    **dict.fromkeys(("precision", "recall"), "float64"),
}
REPEATS = 5
# Number of k that are measured by default.
_KS = 7
# Shares of the samples that are measured by default.
_SHARES = (1 / 8, 1 / 4, 1 / 2)

Load = Callable[[Checkpoint], Samples]


class RobustnessRow(NamedTuple):
    """What one row of the table is measured with: a family, its k, and a share of the samples.

    repeat : number of the draw of this share, from 0.
    """

    method: str
    k: int | None
    share: float = 1.0
    repeat: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class StabilityTask:
    """Some rows of one checkpoint as a task. Rows on the same samples are measured in one pass
    where the families allow it.

    reference, load, settings : common to all tasks. The loader reads the samples where the task
        runs; for other processes it must be picklable.
    twin : number of earlier checkpoints with the same contents; it makes their keys different.

    `run` raises ValueError if the samples can't be read, or are not those that were measured
    before.
    """

    reference: Samples
    load: Load
    settings: TriageSettings
    checkpoint: Checkpoint
    digests: PairDigests
    sizes: tuple[int, int]
    asked: tuple[RobustnessRow, ...]
    twin: int = 0

    @cached_property
    def keys(self) -> list[str]:
        """The key of every row: a hash of everything that it depends on, without the checkpoint's
        name.
        """
        return [self._key(each) for each in self.asked]

    def left(self, known: Container[str]) -> StabilityTask | None:
        """The task without the rows of known keys; None: no row is left."""
        left = tuple(
            each for each, key in zip(self.asked, self.keys, strict=True) if key not in known
        )
        if left:
            return replace(self, asked=left)
        return None

    def run(self) -> list[Row]:
        """Read the checkpoint and measure it."""
        whole = self._pair()
        rows = dict[RobustnessRow, Row]()
        for (share, repeat), together in self._draws.items():
            rows |= self._measured(_drawn(whole, share, repeat, self.settings.seed), together)
        return [rows[each] for each in self.asked]

    @property
    def seconds(self) -> float:
        """Rough number of seconds that the task takes on one core."""
        total = 0.0
        for (share, _), rows in self._draws.items():
            ks = len({each.k for each in rows} - {None}) or 1
            work = passes({each.method for each in rows}, ks=ks, split=self.settings.split)
            total += estimate_seconds(*part(self.sizes, share), self.reference.d, **work)
        return total

    @property
    def _draws(self) -> dict[tuple[float, int], list[RobustnessRow]]:
        """The rows by draw (share, repeat)."""
        draws: dict[tuple[float, int], list[RobustnessRow]] = {}
        for each in self.asked:
            draws.setdefault((each.share, each.repeat), []).append(each)
        return draws

    def _key(self, asked: RobustnessRow) -> str:
        settings = self.settings
        how = [settings.k, settings.bandwidth, settings.split, settings.seed]
        name = "stability of groups"
        if self.reference.groups is None:
            name = "stability"
        text = json.dumps([name, *self.digests, self.twin, *how, *asked])
        return hashlib.sha256(text.encode()).hexdigest()[:32]

    def _pair(self) -> SamplePair:
        """The samples that were measured before. Raises ValueError if the checkpoint holds others
        now.
        """
        try:
            pair = SamplePair(self.reference, self.load(self.checkpoint))
        except (OSError, ValueError) as error:
            reason = error_text(error)
            raise ValueError(f"{self.checkpoint.name} can't be read any more: {reason}") from error
        if pair.generated.digest != self.digests.generated:
            raise ValueError(
                f"{self.checkpoint.name} has changed since it was measured; measure it again"
            )
        return pair

    def _measured(
        self, pair: SamplePair, asked: Sequence[RobustnessRow]
    ) -> dict[RobustnessRow, Row]:
        settings = self.settings
        used = resolve_k(self.settings.k, pair)
        requests = [(each.method, each.k or 1, settings.bandwidth) for each in asked]
        estimates = measure(pair.split(settings.split, settings.seed), requests, settings.seed)
        sizes = pair.real.n, pair.generated.n
        return {
            each: self._row(each, estimate.curve, sizes, in_use=each.k in (None, used))
            for each, estimate in zip(asked, estimates, strict=True)
        }

    def _row(
        self, asked: RobustnessRow, curve: PRCurve, sizes: tuple[int, int], *, in_use: bool
    ) -> Row:
        row: Row = {
            "key": self._key(asked),
            "checkpoint": self.checkpoint.name,
            **asked._asdict(),
            "in_use": in_use,
        }
        return row | {"n": sizes[0], "n_generated": sizes[1]} | sides(curve)._asdict()

    def known(self, measured: MeasuredCheckpoint) -> dict[str, Row]:
        """The row of a measurement that has already been made of this checkpoint by these settings,
        by the row's key; {} if the task does not need it.
        """
        asked = RobustnessRow(measured.method, measured.k)
        if asked not in self.asked:
            return {}
        return {self._key(asked): self._row(asked, measured.curve, self.sizes, in_use=True)}


class RobustnessGrid(NamedTuple):
    """The families, k and shares to measure.

    methods : names in ESTIMATORS.
    ks : for families that tune k, on whole sets; the k in use is always measured besides. A family
        without k, or with a given bandwidth, has one row, without k.
    shares : shares of the samples, in (0, 1), may be empty.
    repeats : draws of each share.
    """

    methods: Sequence[str]
    ks: Sequence[int]
    shares: Sequence[float]
    repeats: int = REPEATS


def stability_tasks(
    reference: Samples,
    measured: Sequence[MeasuredCheckpoint],
    load: Load,
    settings: TriageSettings,
    grid: RobustnessGrid,
) -> list[StabilityTask]:
    """Every checkpoint by every family at every k, and at the k in use on fewer samples, as tasks
    of `run_tasks`.

    Rows of the whole sets equal `prviz.pr_curve` with the same settings. For rows on fewer samples,
    the same share of the real and of the generated samples is drawn without replacement before the
    split, group after group where samples have groups. All checkpoints of one repeat have the same
    real samples, by a seed that follows from the settings' seed, the share and the repeat alone.
    There k = "sqrt" is the root of the number drawn; a numeric k is the same for all shares.

    reference, load : the real samples, and a function that reads those of a checkpoint, as they
        were measured.
    measured : one measurement of each checkpoint, by any family.
    settings : the settings of these measurements, with the k in use.

    Returns tasks: first all k of every checkpoint, then draw after draw. Columns: `COLUMNS`; in_use
    is True for the k in use, n and n_generated are the numbers of samples measured, precision and
    recall are `prviz.triage.ranking.AreaSides`, from which `scored` computes the score for any
    goal.

    Raises ValueError, TypeError: an illegal k for the smallest checkpoint, an unknown family.
    """
    settings = replace(settings, methods=tuple(method_names(grid.methods)))
    numbers = ks_of(measured, settings, grid.ks)
    shares = sorted(set(grid.shares))
    draws = [[(share, repeat) for share in shares] for repeat in range(grid.repeats * bool(shares))]
    seen = Counter[str]()
    twins = list[int]()
    tasks = list[StabilityTask]()
    for each in measured:
        twins.append(seen[each.digests.generated])
        seen[each.digests.generated] += 1
    for stage in (None, *draws):
        for group in groups(settings.methods):
            for each, twin in zip(measured, twins, strict=True):
                sizes = each.n_real, each.n_generated
                task = StabilityTask(
                    reference=reference,
                    load=load,
                    settings=settings,
                    checkpoint=each.checkpoint,
                    digests=each.digests,
                    sizes=sizes,
                    asked=tuple(
                        rows_of(group, settings, sizes, numbers if stage is None else stage)
                    ),
                    twin=twin,
                )
                tasks.append(task)
    return tasks


def known_rows(
    tasks: Sequence[StabilityTask], measured: Sequence[MeasuredCheckpoint]
) -> dict[str, Row]:
    """Rows of the tasks that earlier measurements with the same settings give already, by key."""
    known = by_name(measured)
    rows: dict[str, Row] = {}
    for task in tasks:
        for each in known.get(task.checkpoint.name, []):
            if each.digests == task.digests:
                rows |= task.known(each)
    return rows


def stability_seconds(tasks: Sequence[StabilityTask]) -> float:
    """Rough number of seconds that the tasks take on all cores of this machine."""
    known: dict[object, float] = {}
    with threads_at_most(1):
        for each in tasks:
            if (each.sizes, each.asked) not in known:
                known[each.sizes, each.asked] = each.seconds
    total = sum(known[each.sizes, each.asked] for each in tasks)
    return total / max(min(available_threads(), len(tasks)), 1)


# ---- scores and selections of rows ----


def scored(rows: pd.DataFrame, goal: float = 0.5) -> pd.DataFrame:
    """The rows with a score for a goal, (1 - goal) precision + goal recall; see
    `prviz.triage.ranking.score`.
    """
    return rows.assign(score=(1.0 - goal) * rows["precision"] + goal * rows["recall"])


def full_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the whole sets, for `winner_map`."""
    return rows[rows["share"] == 1.0]


def rows_in_use(rows: pd.DataFrame, method: str | None = None) -> pd.DataFrame:
    """The rows at the k in use.

    method : the family whose rows are returned, without the column k, for `rank_stability` and
        `draw_map`; None: all families.
    """
    in_use = rows[rows["in_use"].astype(bool)]
    if method is None:
        return in_use
    return in_use[in_use["method"] == method].drop(columns="k")


# ---- the grid of rows ----


def usual_ks(n: int, settings: TriageSettings) -> tuple[int, ...]:
    """Seven k, even on a log scale, from 1 to 2 sqrt(n), or to the largest that the split allows;
    one of them is the k in use.

    n : size of the smallest set.
    """
    most = fit_size(n, settings.split) - 1
    top = max(min(2 * math.isqrt(n), most), 1)
    found = sorted({round(k) for k in np.geomspace(1, top, _KS).tolist()})
    used = math.isqrt(n) if settings.k == "sqrt" else int(settings.k)
    if not 1 <= used <= most:
        return tuple(found)
    # Both ends are kept; the k in use replaces the nearest k between them.
    inner = [k for k in found if k not in (1, top)]
    if 1 < used < top and inner:
        found.remove(min(inner, key=lambda k: abs(math.log(k / used))))
    return tuple(sorted({*found, used}))


def usual_shares(
    n: int, settings: TriageSettings, offered: Sequence[float] = _SHARES
) -> tuple[float, ...]:
    """Those of the shares ``offered`` that leave enough samples of a set of n to measure."""
    return tuple(share for share in offered if _enough(round(share * n), settings))


def groups(methods: Sequence[str]) -> list[list[str]]:
    """Families in groups that are measured in one pass: those that share a pass, and each other
    family alone.
    """
    together = [each for each in methods if ESTIMATORS[each].shares_pass]
    return [
        *([together] if together else []),
        *([each] for each in methods if each not in together),
    ]


def part(sizes: tuple[int, int], share: float) -> tuple[int, int]:
    """Numbers of real and generated samples in a share of both sets."""
    return round(share * sizes[0]), round(share * sizes[1])


def rows_of(
    group: Sequence[str],
    settings: TriageSettings,
    sizes: tuple[int, int],
    wanted: Sequence[int] | Sequence[tuple[float, int]],
) -> Iterator[RobustnessRow]:
    """The rows of a group of families: every k on whole sets, or the k in use in each draw (share,
    repeat).
    """
    for each in wanted:
        for method in group:
            tuned = _tunes_k(method, settings)
            if isinstance(each, tuple):
                share, repeat = each
                k = math.isqrt(min(part(sizes, share))) if settings.k == "sqrt" else int(settings.k)
                yield RobustnessRow(method, k if tuned else None, share, repeat)
            elif tuned or each == wanted[0]:
                yield RobustnessRow(method, each if tuned else None)


def least(measured: Sequence[MeasuredCheckpoint]) -> int:
    """Number of samples in the smallest set."""
    return min(min(each.n_real, each.n_generated) for each in measured)


def ks_of(
    measured: Sequence[MeasuredCheckpoint], settings: TriageSettings, ks: Sequence[K]
) -> list[int]:
    """Every k as a number, with the k in use for every pair of sizes among the measurements."""
    sizes = {(each.n_real, each.n_generated) for each in measured}
    most = fit_size(least(measured), settings.split) - 1
    found = set()
    for k in (*ks, settings.k):
        numbers = {math.isqrt(min(size)) for size in sizes} if k == "sqrt" else {k}
        for number in numbers:
            checked_whole("k", number, 1, most, ' or "sqrt"')
        found |= numbers
    return sorted(map(int, found))


def _enough(left: int, settings: TriageSettings) -> bool:
    """True if ``left`` samples of a set are enough to measure, also for the k in use."""
    if left < LEAST_ROWS:
        return False
    tuned = any(_tunes_k(each, settings) for each in settings.methods)
    return settings.k == "sqrt" or not tuned or settings.k < fit_size(left, settings.split)


def _tunes_k(method: str, settings: TriageSettings) -> bool:
    tunes = ESTIMATORS[method].tunes
    return tunes == "k" or (tunes == "bandwidth" and settings.bandwidth is None)


# ---- shares of a pair ----


def _drawn(pair: SamplePair, share: float, repeat: int, seed: int) -> SamplePair:
    """A random share of both sets, drawn by the seed, the share and the repeat."""
    if share == 1.0:
        return pair
    text = json.dumps(["stability", seed, share, repeat])
    drawn_by = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    sizes = part((pair.real.n, pair.generated.n), share)
    return SamplePair(
        *(_some_groups(side, size, drawn_by) for side, size in zip(pair, sizes, strict=True))
    )


def _some_groups(samples: Samples, size: int, seed: int) -> Samples:
    """``size`` samples drawn by the seed, group after group; only the last group may be
    drawn in part.

    Rows drawn from all groups would leave nearly as many independent samples as there were.
    """
    groups = samples.group_numbers
    if groups is None:
        return cut(samples, size, seed)
    order = np.random.default_rng(seed).permutation(int(groups.max()) + 1)
    rows = np.argsort(np.argsort(order)[groups], kind="stable")
    return samples.take(np.sort(rows[:size]))
