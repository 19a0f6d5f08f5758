"""What the plan without a split is asked to count, by when it can: see `prviz.neighbors.symmetric`."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from prviz.neighbors.balls import ROLES, MeanNearest, Nearest, Role, Within
from prviz.neighbors.passes import CountTask
from prviz.neighbors.tile_schedule import ScheduledTile
from prviz.neighbors.tiles import Ball, TileRequest

__all__ = ["CountRequest", "Counted", "FixedRadiusRequest", "NearestBallRequest", "NearestRequest", "RequestPlan"]

# A task, and the role of the points around which, or in which, it counts.
Counted: TypeAlias = tuple[CountTask, Role]


class NearestRequest(NamedTuple):
    """Around points of a role, the samples out to a neighbour that is one of them."""

    role: Role
    rule: Nearest


class NearestBallRequest(NamedTuple):
    """Balls around all points of ``centre`` to their k-th nearest ``among`` a role; points of ``member`` are met."""

    centre: Role
    among: Role
    k: int
    member: Role


class FixedRadiusRequest(NamedTuple):
    """Balls of one radius around points of ``centre``; points of ``member`` are met."""

    centre: Role
    member: Role
    rule: MeanNearest | Within


@dataclass(eq=False)
class CountRequest:
    """Balls around all points of ``centre``, in which points of ``member`` are met, and who counts them.

    per_centre : those who want to know how many each ball holds; per_member : how many balls hold each point.
    """

    centre: Role
    member: Role
    ball: Ball
    per_centre: list[Counted] = field(default_factory=list)
    per_member: list[Counted] = field(default_factory=list)

    @classmethod
    def by(cls, centre: Role, member: Role, ball: Ball, who: Iterable[Counted]) -> CountRequest:
        """The balls that some tasks count in."""
        asked = cls(centre, member, ball)
        for each in who:
            (asked.per_centre if each[0].around == "evaluation" else asked.per_member).append(each)
        return asked

    def wanted(self, place: ScheduledTile) -> list[TileRequest]:
        """What is to be counted in a tile; inside a role, around its rows and around its new columns."""
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

    ranked : counted from the lists that make the radii.
    known : in balls that reach to the other role, while the tiles inside the role of the centres are there.
    late : in balls whose radii inside the role of their centres are known last.
    fixed : in balls of one radius.
    """

    ranked: dict[NearestRequest, list[Counted]] = field(default_factory=dict)
    known: dict[NearestBallRequest, list[Counted]] = field(default_factory=dict)
    late: dict[NearestBallRequest, list[Counted]] = field(default_factory=dict)
    fixed: dict[FixedRadiusRequest, list[Counted]] = field(default_factory=dict)

    @classmethod
    def of(cls, tasks: Collection[CountTask]) -> RequestPlan:
        """Those of some tasks."""
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
        """How many neighbours the points of the first role need among the second: an order with themselves in it."""
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
