"""Counts of fit samples in balls, for every evaluation point: exact, in blocks, many balls in one pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.balls import ROLES, Balls, MeanNearest, Nearest, Role, Within, squared_threshold
from prviz.neighbors.passes import OwnRadii, Runner, Task, count_tasks, own_radii
from prviz.neighbors.prepare import Prepared, prepare
from prviz.neighbors.threads import Progress, available_threads
from prviz.neighbors.tiles import Ball
from prviz.samples import Split

__all__ = ["BallCounts", "Distances"]


@dataclass(frozen=True, eq=False)
class BallCounts:
    """What one `Balls` counts.

    real, generated : (n_evaluate,) number of real and of generated fit samples, real evaluation samples
    first.
    radii : the one radius of all real and that of all generated balls, where the rule has one; else None.
    """

    real: NDArray[np.int64]
    generated: NDArray[np.int64]
    radii: tuple[float, float] | None


class Distances:
    """Distances between the fit and the evaluation samples of a split, asked about by counting in balls.

    Results equal the double loop over ``np.sum((x - z) ** 2)`` in float64, ties and duplicates included,
    whatever the block size, the number of threads and the order of the rows. Memory: the sets once more in
    the precision of the products, and one block of distances per thread, never n x n.

    Parameters
    ----------
    split : the samples; without split the same ones do both, and a radius leaves its own centre out by index.
    block_bytes : bytes of one thread's block of distances; None: what suits the processor's caches.
    threads : number of threads; None: one per available core.

    Attributes
    ----------
    redone : number of comparisons decided by the canonical distance so far, because the products could not.

    Raises
    ------
    ValueError : values so large that squared distances overflow.
    """

    def __init__(self, split: Split, *, block_bytes: int | None = None, threads: int | None = None) -> None:
        self.redone = 0
        self._prepared = prepare(split)
        self._block_bytes = block_bytes
        self._threads = available_threads() if threads is None else threads

    def count(self, balls: Sequence[Balls], *, progress: Progress | None = None) -> list[BallCounts]:
        """Counts in all these balls, in one pass over the distances.

        Radii inside the fit sets, where a rule needs them, take a pass over those sets before.

        ``progress`` is called in this thread with the fraction done, between blocks; it may raise to stop.
        """
        tasks = list(dict.fromkeys(Task(role, each.around, each.rule(role)) for each in balls for role in ROLES))
        own = _own_orders(tasks)
        runner = Runner(self._threads, self._block_bytes, progress, _entries(self._prepared, own))
        squared = own_radii(self._prepared, own, runner)
        radii = {task.rule: self._radius(task.rule, squared) for task in tasks if not isinstance(task.rule, Nearest)}
        fixed = {task: squared_threshold(radii[task.rule]) for task in tasks if task.rule in radii}
        balls_of = {task: self._fit_balls(task, squared) for task in tasks if task.around == "fit"}
        counts = count_tasks(self._prepared, tasks, {**fixed, **balls_of}, runner)
        self.redone += runner.redone
        return [
            BallCounts(
                counts[Task("real", each.around, each.real)],
                counts[Task("generated", each.around, each.generated)],
                (radii[each.real], radii[each.generated]) if each.real in radii and each.generated in radii else None,
            )
            for each in balls
        ]

    def mean_radii(self, k: int) -> tuple[float, float]:
        """Mean distance to the k-th nearest inside the real and inside the generated fit samples."""
        own: dict[Role, list[int]] = {role: [k] for role in ROLES}
        runner = Runner(self._threads, self._block_bytes, None, 1)
        squared = own_radii(self._prepared, own, runner)
        self.redone += runner.redone
        real, generated = (self._radius(MeanNearest(k, role), squared) for role in ROLES)
        return real, generated

    def _radius(self, rule: MeanNearest | Within, squared: OwnRadii) -> float:
        """The one radius of a rule. A mean is of the exact sum, so that no order of rows changes it."""
        if isinstance(rule, Within):
            return rule.radius
        radii = self._prepared.fit[rule.among].merged.expand(np.sqrt(squared[rule.among, rule.k]))
        return math.fsum(radii.tolist()) / len(radii)

    def _fit_balls(self, task: Task, squared: OwnRadii) -> Ball:
        """Balls around the fit samples of the task's role."""
        radii = squared[task.role, task.rule.k][None, :] if isinstance(task.rule, Nearest) else np.empty((1, 0))
        return Ball.of(self._prepared.arithmetic, radii, self._prepared.fit[task.role].norms[None, :])


def _own_orders(tasks: Iterable[Task]) -> dict[Role, list[int]]:
    """Which k each role needs the radii inside itself for."""
    own: dict[Role, set[int]] = {}
    for task in tasks:
        if isinstance(task.rule, MeanNearest):
            own.setdefault(task.rule.among, set()).add(task.rule.k)
        elif isinstance(task.rule, Nearest) and task.around == "fit":
            own.setdefault(task.role, set()).add(task.rule.k)
    return {role: sorted(ks) for role, ks in own.items()}


def _entries(prepared: Prepared, own: Iterable[Role]) -> int:
    """Number of distances in all passes together."""
    inside = sum(len(prepared.fit[role]) ** 2 for role in own)
    return inside + sum(map(len, prepared.evaluate.values())) * sum(map(len, prepared.fit.values()))
