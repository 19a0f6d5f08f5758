"""Count requests of the plan without a split, by when they can be answered (see `prviz.neighbors.symmetric`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from prviz.neighbors.balls import ROLES, MeanNearest, Nearest, Role, Within
from prviz.neighbors.passes import CountTask
from prviz.neighbors.tile_schedule import ScheduledTile
from prviz.neighbors.tiles import Ball, TileRequest

__all__ = ["CountRequest", "Counted", "FixedRadiusRequest", "NearestBallRequest", "NearestRequest", "RequestPlan"]

# A task, and the role of its evaluation points.
Counted: TypeAlias = tuple[CountTask, Role]


class NearestRequest(NamedTuple):
    """Count samples around points of a role, out to a neighbour that is one of the counted samples."""

    role: Role
    rule: Nearest


class NearestBallRequest(NamedTuple):
    """Count points of ``member`` in balls around points of ``centre`` out to their k-th nearest ``among`` a role."""

    centre: Role
    among: Role
    k: int
    member: Role


class FixedRadiusRequest(NamedTuple):
    """Count points of ``member`` in balls of one radius around points of ``centre``."""

    centre: Role
    member: Role
    rule: MeanNearest | Within


@dataclass(eq=False)
class CountRequest:
    """Balls around all points of ``centre``, in which points of ``member`` are counted, and the tasks that need them.

    per_centre : tasks that need the number of points in each ball. per_member : the number of balls around each point.
    """

    centre: Role
    member: Role
    ball: Ball
    per_centre: list[Counted] = field(default_factory=list)
    per_member: list[Counted] = field(default_factory=list)

    @classmethod
    def by(cls, centre: Role, member: Role, ball: Ball, who: Iterable[Counted]) -> CountRequest:
        """Request of the tasks ``who`` for these balls."""
        asked = cls(centre, member, ball)
        for each in who:
            (asked.per_centre if each[0].around == "evaluation" else asked.per_member).append(each)
        return asked

    def wanted(self, place: ScheduledTile) -> list[TileRequest]:
        """Requests that a tile can answer; inside a role, around its rows and around its new columns."""
        found = []
        if (self.centre, self.member) == (place.left, place.right):
            found.append(TileRequest(self.ball.part(place.rows), bool(self.per_centre), bool(self.per_member)))
        if (self.centre, self.member) == (place.right, place.left) and place.new_columns < place.columns.stop:
            turned = self.ball.part(place.columns).turned()
            found.append(TileRequest(turned, bool(self.per_member), bool(self.per_centre)))
        return found


@dataclass(eq=False)
class RequestPlan:
    """All tasks around the points of both roles, grouped.

    ranked : counts from the lists that give the radii.
    known : counts in balls that reach to the other role, made during the pass inside the role of the centres.
    late : counts in balls whose radii inside the role of their centres are known only after that pass.
    fixed : counts in balls of one radius.
    """

    ranked: dict[NearestRequest, list[Counted]] = field(default_factory=dict)
    known: dict[NearestBallRequest, list[Counted]] = field(default_factory=dict)
    late: dict[NearestBallRequest, list[Counted]] = field(default_factory=dict)
    fixed: dict[FixedRadiusRequest, list[Counted]] = field(default_factory=dict)

    @classmethod
    def of(cls, tasks: Collection[CountTask]) -> RequestPlan:
        """Plan of some tasks."""
        questions = cls()
        for task in tasks:
            for role in ROLES:
                questions._add(task, role)
        return questions

    def _add(self, task: CountTask, role: Role) -> None:
        who, rule = (task, role), task.rule
        centre, member = (role, task.role) if task.around == "evaluation" else (task.role, role)
        if not isinstance(rule, Nearest):
            self.fixed.setdefault(FixedRadiusRequest(centre, member, rule), []).append(who)
        elif task.around == "fit" or rule.among not in (task.role, "both"):
            among: Role = "generated" if rule.among == "generated" else "real"
            group = self.late if among == centre else self.known
            group.setdefault(NearestBallRequest(centre, among, rule.k, member), []).append(who)
        else:
            self.ranked.setdefault(NearestRequest(role, rule), []).append(who)

    def list_orders(self) -> dict[tuple[Role, Role], int]:
        """Neighbours that points of the first role need among the second: an order that includes the point itself."""
        orders: dict[tuple[Role, Role], int] = {}

        def need(centre: Role, among: Role, k: int) -> None:
            orders[centre, among] = max(k + 1, orders.get((centre, among), 0))

        for role, rule in self.ranked:
            for among in ROLES if rule.among == "both" else (rule.among,):
                need(role, among, rule.k)
        for reaching in [*self.known, *self.late]:
            need(reaching.centre, reaching.among, reaching.k)
        for reaching in self.late:
            need(reaching.centre, reaching.member, 1)
        for fixed in self.fixed:
            if isinstance(fixed.rule, MeanNearest):
                need(fixed.rule.among, fixed.rule.among, fixed.rule.k)
        return orders
