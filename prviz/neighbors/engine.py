"""Counts of fit samples in balls, for every evaluation point: exact, in blocks, many balls in one pass."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors.ball_members import BallMembership, find_ball_members, pairs_met
from prviz.neighbors.balls import ROLES, Balls, MeanNearest, Nearest, Role, Rule, Within, squared_threshold
from prviz.neighbors.inside import RealRadii
from prviz.neighbors.lists import TooManyTiesError
from prviz.neighbors.passes import CountTask, OwnRadii, Runner, count_tasks, own_radii
from prviz.neighbors.prepare import Prepared, prepare
from prviz.neighbors.sweep_plan import bytes_needed, count_many, own_orders
from prviz.neighbors.symmetric import SymmetricPlan
from prviz.neighbors.threads import Progress, available_threads
from prviz.neighbors.tiles import Ball, Floats
from prviz.samples import Split

__all__ = ["MEMORY_LIMIT", "BallCounts", "Distances"]

# Default memory limit in bytes, above the samples.
MEMORY_LIMIT = 1_000_000_000
_LEAST_MEMORY = 50_000_000

# Most tasks that are compared one by one; beyond, all tasks share a sort or a histogram, which costs less.
_FEW_TASKS = 16

Found: TypeAlias = Mapping[CountTask, Mapping[Role, NDArray[Any]]]
Radii: TypeAlias = Mapping[Rule, float]


@dataclass(frozen=True, eq=False)
class BallCounts:
    """Counts in the balls of one `Balls`.

    real, generated : (n_evaluate,) number of real and of generated fit samples; real evaluation samples first.
    radii : radius of all real balls and radius of all generated balls, if the rules have one radius each; else None.
    """

    real: NDArray[Any]
    generated: NDArray[Any]
    radii: tuple[float, float] | None


class Distances:
    """Distances between the fit and the evaluation samples of a split, available as counts in balls.

    Results equal the double loop over ``np.sum((x - z) ** 2)`` in float64, ties and duplicates included,
    whatever the block size, the number of threads, the memory and the order of the rows.

    Parameters
    ----------
    split : the samples; without split fit and evaluation samples are the same, and a radius leaves its own centre out
        by index.
    memory_limit : bytes above the samples; decides how much is kept and how much is computed twice.
    block_bytes : bytes of one thread's block of distances; None: a size for the processor's caches.
    threads : number of threads; None: one per available core.
    real_radii : radii inside the real fit samples, known from other generated sets; new ones are added.

    Attributes
    ----------
    rechecked : number of comparisons decided by the reference distance so far, because the products could not.

    Raises
    ------
    ValueError : values so large that squared distances overflow, or a memory limit below 50 MB.
    """

    def __init__(
        self,
        split: Split,
        *,
        memory_limit: int = MEMORY_LIMIT,
        block_bytes: int | None = None,
        threads: int | None = None,
        real_radii: RealRadii | None = None,
    ) -> None:
        if memory_limit < _LEAST_MEMORY:
            raise ValueError(f"memory_limit = {memory_limit}; at least {_LEAST_MEMORY} bytes are needed")
        self.rechecked = 0
        self._memory = memory_limit
        self._prepared = prepare(split, memory_limit // 2)
        self._real_radii = RealRadii() if real_radii is None else real_radii
        self._real_radii.check(split)
        self._known: dict[Role, Floats] = {}
        self._block_bytes = block_bytes
        self._threads = available_threads() if threads is None else threads

    def count(self, balls: Sequence[Balls], *, progress: Progress | None = None) -> list[BallCounts]:
        """Counts in all these balls, in as few passes over the distances as they need.

        ``progress`` is called in this thread with the fraction done, between blocks; it may raise to stop.
        """
        tasks = list(dict.fromkeys(CountTask(role, each.around, each.rule(role)) for each in balls for role in ROLES))
        own = _own_orders(tasks)
        found, radii = self._counted(tasks, own, progress)
        expand = {role: point_set.merged.expand for role, point_set in self._prepared.evaluate.items()}
        counts = {task: np.concatenate([expand[role](parts[role]) for role in ROLES]) for task, parts in found.items()}
        return [
            BallCounts(
                counts[CountTask("real", each.around, each.real)],
                counts[CountTask("generated", each.around, each.generated)],
                (radii[each.real], radii[each.generated]) if each.real in radii and each.generated in radii else None,
            )
            for each in balls
        ]

    def ball_members(self, balls: Balls, role: Role, *, progress: Progress | None = None) -> BallMembership:
        """Fit samples of ``role`` that are counted in these balls for the evaluation samples of the other role."""
        task = CountTask(role, balls.around, balls.rule(role))
        own = _own_orders([task])
        inside = sum(len(self._prepared.fit[each]) ** 2 for each in own)
        runner = self._runner(progress, inside + pairs_met(self._prepared, task))
        squared = own_radii(self._prepared, own, runner)
        _, fixed = self._fixed([task], squared)
        known = self._fit_balls(task, squared) if task.around == "fit" else fixed.get(task)
        found = find_ball_members(self._prepared, task, known, runner)
        self.rechecked += runner.rechecked
        return found

    def _counted(
        self, tasks: Sequence[CountTask], own: Mapping[Role, Sequence[int]], progress: Progress | None
    ) -> tuple[Found, Radii]:
        """Count by the plan that suits the tasks; by rows where merged duplicates, ties or memory leave no other."""
        if len(tasks) > _FEW_TASKS and not self._prepared.weighted:
            return self._count_many(tasks, own, progress)
        if not self._prepared.held_out:
            memory = self._memory - self._prepared.factors_bytes
            plan = SymmetricPlan(self._prepared, tasks, memory, self._threads, self._block_bytes)
            if plan.fits:
                with suppress(TooManyTiesError):
                    return self._count_symmetric(plan, tasks, own, progress)
        return self._count_rows(tasks, own, progress)

    def _count_symmetric(
        self,
        plan: SymmetricPlan,
        tasks: Sequence[CountTask],
        own: Mapping[Role, Sequence[int]],
        progress: Progress | None,
    ) -> tuple[Found, Radii]:
        """Count by tiles that cover every pair once."""
        runner = self._runner(progress, plan.entries)
        squared = plan.own_radii(own, runner)
        radii, fixed = self._fixed(tasks, squared)
        found = plan.counts(squared, fixed, runner)
        self.rechecked += runner.rechecked
        return found, radii

    def _count_many(
        self, tasks: Sequence[CountTask], own: Mapping[Role, Sequence[int]], progress: Progress | None
    ) -> tuple[Found, Radii]:
        """Count by one sort or histogram for all tasks."""
        largest = {role: max(ks) for role, ks in own.items()}
        needed = bytes_needed(self._prepared, tasks, largest)
        if needed > self._memory:
            size = f"{len(tasks) // 2} curves of {self._points:,} evaluation samples need {needed / 1e9:.1f} GB"
            raise ValueError(
                f"{size}; memory_limit is {self._memory / 1e9:.1f} GB: raise it or ask for fewer at a time"
            )
        runner = self._runner(progress, _entries(self._prepared, own))
        orders = self._own_orders(largest, runner)
        squared = {(role, k): orders[role][:, k] for role, ks in own.items() for k in ks}
        radii, fixed = self._fixed(tasks, squared)
        found = count_many(self._prepared, tasks, fixed, orders, runner)
        self.rechecked += runner.rechecked
        return found, radii

    def _own_orders(self, largest: Mapping[Role, int], runner: Runner) -> Mapping[Role, Floats]:
        """Exact radii inside the roles up to some k; radii of an earlier call are reused if they reach that k."""
        missing = {role: k for role, k in largest.items() if role not in self._known or self._known[role].shape[1] <= k}
        self._known |= own_orders(self._prepared, missing, runner)
        return {role: self._known[role] for role in largest}

    @property
    def _points(self) -> int:
        return sum(len(point_set) for point_set in self._prepared.evaluate.values())

    def _count_rows(
        self, tasks: Sequence[CountTask], own: Mapping[Role, Sequence[int]], progress: Progress | None
    ) -> tuple[Found, Radii]:
        """Count by blocks of points against whole fit sets."""
        missing = self._real_radii.missing(own)
        runner = self._runner(progress, _entries(self._prepared, missing))
        squared = self._real_radii.joined(own_radii(self._prepared, missing, runner))
        radii, fixed = self._fixed(tasks, squared)
        balls_of = {task: self._fit_balls(task, squared) for task in tasks if task.around == "fit"}
        found = count_tasks(self._prepared, tasks, {**fixed, **balls_of}, runner)
        self.rechecked += runner.rechecked
        return found, radii

    def _runner(self, progress: Progress | None, entries: int) -> Runner:
        return Runner(self._threads, self._block_bytes, progress, max(entries, 1))

    def _fixed(self, tasks: Sequence[CountTask], squared: OwnRadii) -> tuple[Radii, dict[CountTask, float]]:
        """Radius of every rule that has a single one, and the threshold for squared distances."""
        radii: dict[Rule, float] = {
            task.rule: self._radius(task.rule, squared) for task in tasks if not isinstance(task.rule, Nearest)
        }
        return radii, {task: squared_threshold(radii[task.rule]) for task in tasks if task.rule in radii}

    def mean_radii(self, k: int, *, up_to: int | None = None) -> tuple[float, float]:
        """Mean distance to the k-th nearest inside the real and inside the generated fit samples.

        ``up_to``: the largest k of later calls of `count`; its radii are then found in the same pass.
        """
        runner = self._runner(None, 1)
        if up_to is None or self._prepared.weighted:
            squared = own_radii(self._prepared, {role: [k] for role in ROLES}, runner)
        else:
            orders = self._own_orders(dict.fromkeys(ROLES, max(k, up_to)), runner)
            squared = {(role, k): orders[role][:, k] for role in ROLES}
        self.rechecked += runner.rechecked
        real, generated = (self._radius(MeanNearest(k, role), squared) for role in ROLES)
        return real, generated

    def _radius(self, rule: MeanNearest | Within, squared: OwnRadii) -> float:
        """Radius of a rule with a single one. A mean is computed from the exact sum, whatever the order of rows."""
        if isinstance(rule, Within):
            return rule.radius
        radii = self._prepared.fit[rule.among].merged.expand(np.sqrt(squared[rule.among, rule.k]))
        return math.fsum(radii.tolist()) / len(radii)

    def _fit_balls(self, task: CountTask, squared: OwnRadii) -> Ball:
        """Balls around the fit samples of the task's role."""
        radii = squared[task.role, task.rule.k] if isinstance(task.rule, Nearest) else np.empty(0)
        return Ball.of(self._prepared.arithmetic, radii, self._prepared.fit[task.role].norms, around_rows=False)


def _own_orders(tasks: Iterable[CountTask]) -> dict[Role, list[int]]:
    """Values of k for which radii inside each role are needed."""
    own: dict[Role, set[int]] = {}
    for task in tasks:
        if isinstance(task.rule, MeanNearest):
            own.setdefault(task.rule.among, set()).add(task.rule.k)
        elif isinstance(task.rule, Nearest) and task.around == "fit":
            own.setdefault(task.role, set()).add(task.rule.k)
    return {role: sorted(ks) for role, ks in own.items()}


def _entries(prepared: Prepared, own: Iterable[Role]) -> int:
    """Number of distances of all passes."""
    inside = sum(len(prepared.fit[role]) ** 2 for role in own)
    return inside + sum(map(len, prepared.evaluate.values())) * sum(map(len, prepared.fit.values()))
