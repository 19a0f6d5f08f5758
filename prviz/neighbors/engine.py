"""Exact counts of fit samples in balls for every evaluation point, block by block, for many balls
in one pass over the distances.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias

import numpy as np

from prviz.arguments import checked_number
from prviz.arrays import Array, Floats, Ints
from prviz.neighbors.balls import ROLES, Balls, CountRequest, Role, Rule, squared_threshold
from prviz.neighbors.blocks import Runner
from prviz.neighbors.by_rows import (
    BallMembership,
    OwnRadii,
    count_by_rows,
    find_ball_members,
    own_radii,
)
from prviz.neighbors.lists import TooManyTiesError
from prviz.neighbors.prepared import prepare
from prviz.neighbors.sweep import bytes_needed, count_by_sweep, own_orders
from prviz.neighbors.symmetric import SymmetricPlan
from prviz.neighbors.threads import Progress, available_threads
from prviz.neighbors.tiles import Ball
from prviz.samples import Samples, Split

# Default memory limit in bytes; the samples themselves are not included.
MEMORY_LIMIT = 1_000_000_000
_LEAST_MEMORY = 50_000_000


def check_memory_limit(memory_limit: object) -> None:
    """Raise TypeError if ``memory_limit`` is not a number, ValueError if it is too small."""
    if checked_bytes(memory_limit) < _LEAST_MEMORY:
        raise ValueError(
            f"memory_limit = {memory_limit}; at least {_LEAST_MEMORY} bytes are needed"
        )


def checked_bytes(memory_limit: object) -> int:
    """``memory_limit`` as a positive integer; TypeError if it is not a number."""
    return int(
        checked_number(
            "memory_limit", memory_limit, "a number of bytes", lambda found: 0 < found < math.inf
        )
    )


# Up to this many requests are compared with each distance one by one. More requests share one sort
# or histogram per block (the sweep plan), which then costs less.
_FEW_REQUESTS = 16
# If the requested values of k are at least this far apart on average, radii are found separately
# for each k; otherwise it costs less to find the radii of all k up to the largest.
_FAR_APART = 8
# Number of blocks per thread in a pass of the sweep plan: many short blocks, so that other
# measurements of the process soon get their turn.
_SWEEP_PARTS = 8

# Found: the counts, by request and by role of the evaluation points. Radii: by rule, the radius of
# a rule that has one for all balls.
Found: TypeAlias = Mapping[CountRequest, Mapping[Role, Array]]
Radii: TypeAlias = Mapping[Rule, float]


@dataclass(frozen=True, eq=False)
class BallCounts:
    """The counts c_X and c_Y of one family's `Balls`.

    real, generated : (n_evaluate,) number of real and of generated fit samples; real evaluation
    samples first.
    radii : radius of all real balls and radius of all generated balls, if the rules have one radius
    each; else None.
    """

    real: Array
    generated: Array
    radii: tuple[float, float] | None


class RealRadii:
    """Exact radii inside one real fit set: computed with the first generated set, reused for all
    others.

    Sharing them changes no result: radii are exact squared distances in float64 whatever the
    arithmetic, and duplicates are merged in the same way each time. Only the plan by rows (up to 16
    requests with a split) reads them. Without split the pass over the distances inside the real set
    also counts, so it can't be skipped. Not thread-safe.
    """

    def __init__(self) -> None:
        self._of: tuple[Samples, Ints, bool] | None = None
        self._found: OwnRadii = {}

    def check(self, split: Split) -> None:
        """Remember the first split's real fit samples; ValueError if a later split has others."""
        real = split.pair.real
        rows = split.fit_rows[0]
        if self._of is None:
            self._of = real, rows, split.held_out
            return
        known, known_rows, held_out = self._of
        same = known is real or known.digest == real.digest
        if not same or held_out != split.held_out or not np.array_equal(known_rows, rows):
            raise ValueError(
                "real_radii belong to other real fit samples; each real set and split needs its own"
            )

    def missing(self, own: Mapping[Role, Sequence[int]]) -> dict[Role, list[int]]:
        """For each role, the values of k whose radii are not known yet; roles without such k are
        left out.
        """
        left = {role: [k for k in ks if (role, k) not in self._found] for role, ks in own.items()}
        return {role: ks for role, ks in left.items() if ks}

    def joined(self, found: OwnRadii) -> OwnRadii:
        """Join newly computed radii with the stored ones; those of the real set are stored for
        later measurements.
        """
        self._found |= {key: radii for key, radii in found.items() if key[0] == "real"}
        return found | self._found


class Distances:
    """Distances between the fit and the evaluation samples of a split, available as counts in
    balls.

    The counts equal those of a double loop over ``np.sum((x - z) ** 2)`` in float64, ties and
    duplicates included, whatever the block size, the number of threads, the memory, the order of
    the rows and the device of `on_device`.

    split : the samples; without split fit and evaluation samples are the same, and a radius leaves
    its own centre out by index.
    memory_limit : bytes that may be used, the samples themselves not included; it decides which
    distances are kept and which are computed twice.
    block_bytes : bytes of one thread's block of distances; None: a size for the processor's caches,
    or for the device.
    threads : number of threads; None: one per available core.
    real_radii : radii inside the real fit set that measurements of other generated sets have found;
    new ones are added to it.

    rechecked : number of comparisons so far that matrix products could not decide and the reference
    distance did.
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
        check_memory_limit(memory_limit)
        self.rechecked = 0
        self._memory = memory_limit
        self._prepared = prepare(split, memory_limit // 2)
        self._real_radii = RealRadii() if real_radii is None else real_radii
        self._real_radii.check(split)
        self._known: dict[Role, Floats] = {}
        self._block_bytes = block_bytes
        if block_bytes is None and self._prepared.placed is not None:
            self._block_bytes = self._prepared.placed.block_bytes
        self._threads = available_threads() if threads is None else threads

    def count(
        self, balls: Sequence[Balls], *, progress: Progress | None = None
    ) -> list[BallCounts]:
        """The counts in all ``balls``, with as few passes over the distances as possible.

        ``progress`` is called between blocks, in the caller's thread, with the fraction done; it
        may raise an exception to stop.
        """
        wanted = [each.requests() for each in balls]
        requests = list(dict.fromkeys(chain.from_iterable(wanted)))
        found, radii = self._counted(requests, progress)
        real = self._prepared.evaluate["real"].merged
        generated = self._prepared.evaluate["generated"].merged
        counts = {
            request: np.concatenate(
                [real.expand(parts["real"]), generated.expand(parts["generated"])]
            )
            for request, parts in found.items()
        }
        return [
            BallCounts(
                counts[first],
                counts[second],
                (
                    (radii[first.rule], radii[second.rule])
                    if first.rule in radii and second.rule in radii
                    else None
                ),
            )
            for first, second in wanted
        ]

    def ball_members(
        self, balls: Balls, role: Role, *, progress: Progress | None = None
    ) -> BallMembership:
        """For each evaluation sample of the opposite role, the fit samples of ``role`` that
        ``balls`` count.
        """
        request = balls.request(role)
        own = _own_orders([request])
        fit = self._prepared.fit
        entries = len(self._prepared.evaluate[request.evaluated]) * sum(
            len(fit[each]) for each in request.reached
        )
        runner = self._runner(progress, sum(len(fit[each]) ** 2 for each in own) + entries)
        squared = own_radii(self._prepared, own, runner)
        _, fixed = self._fixed([request], squared)
        known = self._fit_balls(request, squared) if request.around == "fit" else fixed.get(request)
        found = find_ball_members(self._prepared, request, known, runner)
        self.rechecked += runner.rechecked
        return found

    def mean_radii(self, k: int, *, up_to: int | None = None) -> tuple[float, float]:
        """Mean distance of the real fit samples to their k-th nearest real neighbours, and likewise
        of the generated ones.

        ``up_to``: the largest k that later calls of `count` will need; the radii up to it are then
        found in the same pass.
        """
        runner = self._runner(None, 1)
        if up_to is None or self._prepared.weighted:
            squared = own_radii(self._prepared, {role: [k] for role in ROLES}, runner)
        else:
            orders = self._own_up_to(dict.fromkeys(ROLES, max(k, up_to)), runner)
            squared = {(role, k): orders[role][:, k] for role in ROLES}
        self.rechecked += runner.rechecked
        real, generated = (self._mean_radius(role, squared[role, k]) for role in ROLES)
        return real, generated

    def _counted(
        self, requests: Sequence[CountRequest], progress: Progress | None
    ) -> tuple[Found, Radii]:
        """Count by the plan that suits the requests; by rows if merged duplicates, ties or memory
        rule out the other plans.
        """
        prepared = self._prepared
        own = _own_orders(requests)
        if len(requests) > _FEW_REQUESTS and not prepared.weighted:
            return self._count_by_sweep(requests, own, progress)
        if not prepared.held_out and prepared.placed is None:
            memory = self._memory - prepared.factors_bytes
            plan = SymmetricPlan(prepared, requests, memory, self._threads, self._block_bytes)
            if plan.fits:
                with suppress(TooManyTiesError):
                    runner = self._runner(progress, plan.entries)
                    squared = plan.own_radii(own, runner)
                    radii, fixed = self._fixed(requests, squared)
                    found: Found = plan.counts(squared, fixed, runner)
                    self.rechecked += runner.rechecked
                    return found, radii
        missing = self._real_radii.missing(own)
        runner = self._runner(progress, self._entries(missing))
        squared = {}
        if missing:
            squared = own_radii(prepared, missing, runner)
        squared = self._real_radii.joined(squared)
        radii, fixed = self._fixed(requests, squared)
        fit_balls = {
            each: self._fit_balls(each, squared) for each in requests if each.around == "fit"
        }
        found = count_by_rows(prepared, requests, {**fixed, **fit_balls}, runner)
        self.rechecked += runner.rechecked
        return found, radii

    def _count_by_sweep(
        self,
        requests: Sequence[CountRequest],
        own: Mapping[Role, Sequence[int]],
        progress: Progress | None,
    ) -> tuple[Found, Radii]:
        """Count by the sweep plan, where one sort or histogram per block serves all requests."""
        # Without split the balls around fit samples are found while rows are compared, as every fit
        # sample is also an evaluation sample. Only rules with one radius then need radii in
        # advance.
        if not self._prepared.held_out:
            own = _own_orders(request for request in requests if request.rule.one_radius)
        largest = {role: max(ks) for role, ks in own.items()}
        needed = bytes_needed(self._prepared, requests, largest)
        if needed > self._memory:
            points = sum(map(len, self._prepared.evaluate.values()))
            size = (
                f"{len(requests) // 2} curves of {points:,} evaluation samples need"
                f" {needed / 1e9:.1f} GB"
            )
            raise ValueError(
                f"{size}; memory_limit is {self._memory / 1e9:.1f} GB: raise it or ask for fewer at"
                " a time"
            )
        runner = self._runner(progress, self._entries(own), _SWEEP_PARTS)
        if any(len(ks) * _FAR_APART <= largest[role] for role, ks in own.items()):
            squared = own_radii(self._prepared, own, runner)
        else:
            orders = self._own_up_to(largest, runner)
            squared = {(role, k): orders[role][:, k] for role, ks in own.items() for k in ks}
        radii, fixed = self._fixed(requests, squared)
        found = count_by_sweep(self._prepared, requests, fixed, squared, runner)
        self.rechecked += runner.rechecked
        return found, radii

    def _runner(self, progress: Progress | None, entries: int, parts: int = 2) -> Runner:
        return Runner(
            self._threads,
            block_bytes=self._block_bytes,
            progress=progress,
            entries=max(entries, 1),
            parts=parts,
        )

    def _entries(self, own: Iterable[Role]) -> int:
        """Number of distances to compute: inside each of the roles ``own``, and from all evaluation
        samples to all fit samples.
        """
        fit = self._prepared.fit
        evaluate = self._prepared.evaluate
        inside = sum(len(fit[role]) ** 2 for role in own)
        return inside + sum(map(len, evaluate.values())) * sum(map(len, fit.values()))

    def _own_up_to(self, largest: Mapping[Role, int], runner: Runner) -> Mapping[Role, Floats]:
        """For each role, exact squared distances from each fit sample to its nearest, second
        nearest, ... neighbour of the same role, up to the given k. Distances of an earlier call are
        reused if they reach that k.
        """
        missing = {
            role: k
            for role, k in largest.items()
            if role not in self._known or self._known[role].shape[1] <= k
        }
        self._known |= own_orders(self._prepared, missing, runner)
        return {role: self._known[role] for role in largest}

    def _fixed(
        self, requests: Sequence[CountRequest], squared: OwnRadii
    ) -> tuple[Radii, dict[CountRequest, float]]:
        """The radius of every rule that has one radius for all balls; and for each request with
        such a rule, the threshold to which squared distances are compared.
        """
        radii: dict[Rule, float] = {}
        for rule in dict.fromkeys(each.rule for each in requests):
            radius = rule.single_radius(lambda role, k: self._mean_radius(role, squared[role, k]))
            if radius is not None:
                radii[rule] = radius
        return radii, {
            each: squared_threshold(radii[each.rule]) for each in requests if each.rule in radii
        }

    def _mean_radius(self, role: Role, squared: Floats) -> float:
        """Mean of the radii of a role. The radii are added exactly, so that the order of the rows
        does not matter.
        """
        radii = self._prepared.fit[role].merged.expand(np.sqrt(squared))
        return math.fsum(radii.tolist()) / len(radii)

    def _fit_balls(self, request: CountRequest, squared: OwnRadii) -> Ball:
        """Balls around the fit samples of the request's role, from their squared radii."""
        radii = squared[request.role, request.rule.k]
        norms = self._prepared.fit[request.role].norms
        return Ball.of(self._prepared.arithmetic, radii, norms, around_rows=False)


def _own_orders(requests: Iterable[CountRequest]) -> dict[Role, list[int]]:
    """For each role, the values of k for which radii inside that role are needed."""
    own: dict[Role, set[int]] = {}
    for role, k in filter(None, [each.own for each in requests]):
        own.setdefault(role, set()).add(k)
    return {role: sorted(ks) for role, ks in own.items()}
