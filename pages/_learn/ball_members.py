"""One family on one small sample in the plane, at every k: curves, votes and calls on a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.pr_curve import score_keys
from prviz.diagnostics.ball_members import BallMembers, votes
from prviz.diagnostics.confusion_groups import NO_SUPPORT, OptimalClassifiers
from prviz.diagnostics.cosupport import supports_at
from prviz.measure.estimates import Estimate, measure
from prviz.samples import Split
from prviz.toys import ToyProblem, toy

Floats = NDArray[np.float64]

PARAMETERS = {"d": 2, "mu": 1.0}
N = 80
KS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
CELLS = 36


class MembersRequest(NamedTuple):
    """Family, split and seed of the sample."""

    method: str
    split: float | None
    seed: int

    @property
    def problem(self) -> ToyProblem:
        return toy("shifted-gaussians", **PARAMETERS)

    def drawn(self) -> Split:
        return self.problem.sample(N, self.seed).split(self.split, self.seed)


class AtK(NamedTuple):
    """The family at one k: its curve and classifiers, the voters, and c_X and c_Y on the grid of the plane."""

    k: int
    estimate: Estimate
    votes: BallMembers
    plane: tuple[Floats, Floats]
    classifiers: OptimalClassifiers

    @property
    def curve(self) -> PRCurve:
        return self.estimate.curve


@dataclass(frozen=True, eq=False)
class FamilyAtEveryK:
    """The family at every k of KS.

    points : (m, 2) evaluation samples in the order of the stepper, from the real side to the generated one.
    order : (m,) their places among the evaluation samples, real ones first.
    axis : coordinates of the grid along either axis.
    """

    asked: MembersRequest
    split: Split
    points: Floats
    order: NDArray[np.intp]
    axis: Floats
    stops: tuple[AtK, ...]

    @property
    def truth(self) -> PRCurve:
        return self.asked.problem.truth()

    @property
    def grid(self) -> Floats:
        return np.stack(np.meshgrid(self.axis, self.axis), axis=-1).reshape(-1, 2)

    @property
    def is_real(self) -> NDArray[np.bool_]:
        return self.order < len(self.split.evaluate_rows[0])

    @property
    def numbers(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Places in the stepper, from 1, of the real and of the generated evaluation samples."""
        places = np.argsort(self.order) + 1
        n_real = len(self.split.evaluate_rows[0])
        return places[:n_real], places[n_real:]

    @property
    def own(self) -> NDArray[np.intp]:
        """(m,) place of each point among the fit samples of its role; -1 if members out."""
        places = self.order - np.where(self.is_real, 0, len(self.split.evaluate_rows[0]))
        return np.where(self.split.held_out, -1, places)

    @property
    def bounds(self) -> tuple[float, float]:
        half = (self.axis[1] - self.axis[0]) / 2
        return float(self.axis[0] - half), float(self.axis[-1] + half)


def measured(asked: MembersRequest) -> FamilyAtEveryK:
    split = asked.drawn()
    points = np.concatenate([side.values for side in split.evaluate])
    order = np.argsort(points.sum(axis=1), kind="stable")
    ends = [float(end(side.values)) for side in split.pair for end in (np.min, np.max)]
    axis = np.linspace(min(ends) - 0.3, max(ends) + 0.3, CELLS)
    found = FamilyAtEveryK(asked, split, points[order], order, axis, ())
    estimates = measure(split, [(asked.method, k, None) for k in KS], asked.seed)
    stops = tuple(_at(found, estimate, k) for k, estimate in zip(KS, estimates, strict=True))
    return FamilyAtEveryK(asked, split, points[order], order, axis, stops)


def _at(found: FamilyAtEveryK, estimate: Estimate, k: int) -> AtK:
    method, split = found.asked.method, found.split
    real, generated = supports_at(split, found.grid, method, k=k)[method]
    plane = (np.asarray(real, dtype=np.float64), np.asarray(generated, dtype=np.float64))
    classifiers = OptimalClassifiers.from_supports(estimate.supports)
    return AtK(k, estimate, votes(split, method, k=k), plane, classifiers)


def constants(found: FamilyAtEveryK, say: str) -> dict[str, Any]:
    """Constants with which the browser draws any k, point and lam; see `_live/votes.js`."""
    fit = [[side.values[:, axis].round(3).tolist() for axis in (0, 1)] for side in found.split.fit]
    x, y = found.points.round(3).T.tolist()
    points = {"x": x, "y": y, "real": found.is_real.astype(int).tolist(), "own": found.own.tolist()}
    low, high = found.bounds
    fixed = {"id": found.asked.method, "points": points, "fit": fit, "axis": found.axis.round(3).tolist(), "say": say}
    look = {"around": found.stops[0].votes.around, "cross": round((high - low) / 90, 4)}
    return {**fixed, **look, "crosses": crosses(found), "at": [_stop(found, each) for each in found.stops]}


def crosses(found: FamilyAtEveryK) -> int:
    """Index of the trace with the crosses."""
    return 10 if not found.split.held_out else 12


def _stop(found: FamilyAtEveryK, at: AtK) -> dict[str, Any]:
    order, members, comparison = found.order, at.votes, at.curve.compare(found.truth)
    around = members.around == "evaluation"
    radii = [
        (each[order] if around else each).round(4).tolist() for each in (members.real_radii, members.generated_radii)
    ]
    return {
        "k": at.k,
        "vertices": at.curve.vertices.round(9).ravel().tolist(),
        "row": [round(each, 4) for each in comparison],
        "cuts": [
            None if np.isposinf(cut) else -1 if np.isneginf(cut) else round(float(cut), 6)
            for cut in at.classifiers.cuts
        ],
        "levels": at.classifiers.levels[order].tolist(),
        "needed": at.classifiers.needed.tolist(),
        "unsupported": at.classifiers.unsupported.tolist(),
        "plane": _plane(at).tolist(),
        "votes": [[members.real[point].tolist(), members.generated[point].tolist()] for point in order],
        "radii": radii,
    }


def _plane(at: AtK) -> NDArray[np.intp]:
    """Level of each point of the grid; NO_SUPPORT where no fit sample votes."""
    real, generated = at.plane
    keys = score_keys(real, generated)
    return at.classifiers.levels_of(np.where((real == 0) & (generated == 0), np.nan, keys))


def view(found: FamilyAtEveryK, at: AtK, point: int, lam: float) -> figures.BallMembersView:
    """The figure's view at one k, one point and one lam."""
    place, plane = int(at.curve.vertex_at(lam)), _plane(at)
    calls = np.where(plane == NO_SUPPORT, -1, (plane >= at.classifiers.needed[place]).astype(int))
    wrong = found.points[at.classifiers.calls_real(place)[found.order] != found.is_real]
    members = (at.votes.real[found.order[point]], at.votes.generated[found.order[point]])
    real, generated = (side.values[rows] for side, rows in zip(found.split.fit, members, strict=True))
    if at.votes.around == "fit":
        balls = ((real, at.votes.real_radii[members[0]]), (generated, at.votes.generated_radii[members[1]]))
    else:
        centre, row = found.points[point : point + 1], found.order[point : point + 1]
        balls = ((centre, at.votes.real_radii[row]), (centre, at.votes.generated_radii[row]))
    return figures.BallMembersView(found.grid, calls, wrong, found.points[point], (real, generated), balls)
