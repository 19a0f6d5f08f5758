"""Lesson 4: the same classifier from samples alone, by the votes of neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages._learn.lesson import (
    Verdict,
    curve_pane,
    explore_link,
    lam_at,
    lam_slider,
    learn_session,
    linked,
    question,
    value,
)
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from pages._shared import cache
from pages._shared.families import titles
from pages._shared.widgets import choose_one
from prviz import figures
from prviz.curves import PRCurve
from prviz.curves.limits import LIMITS
from prviz.curves.pr_curve import score_keys
from prviz.curves.summaries import COMPARISONS, Column
from prviz.diagnostics.ball_members import BallMembers, votes
from prviz.diagnostics.confusion_groups import NO_SUPPORT, OptimalClassifiers
from prviz.diagnostics.cosupport import supports_at
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.measure.estimates import Estimate, measure
from prviz.reports.settings import ExploreSettings
from prviz.samples import Split
from prviz.toys import ToyProblem, toy

TITLE = "From samples"
IDEA = (
    "Nobody knows the densities of real and generated data, we only have samples; so let neighbours vote. Around a "
    "point z, $c_X$ counts the real samples near it and $c_Y$ the generated ones, and the classifier says *real* as "
    "long as $c_Y / c_X$ is small: how small is small enough, λ decides. Four families differ in what *near* means, "
    "that is in the **balls** they count in, and **k**, the number of neighbours, sets how large these are."
)

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


KEY = "lesson-samples"
SAY = {
    "knn": "Its ball reaches over its {k} nearest fit samples and holds {x} real, {y} generated.",
    "kde": "{x} real fit samples lie within the real radius of it, {y} generated ones within the generated radius; a "
    "radius is the mean distance to neighbour number {k} inside its set.",
    "ipr": "It lies in the own balls of {x} real and of {y} generated fit samples, each over its {k} nearest of its "
    "kind.",
    "coverage": "{x} real fit samples are in its ball over the {k} nearest generated ones, {y} generated ones in that "
    "over the {k} nearest real ones.",
}
SPLIT = {0.5: "Split: one half votes, the other is judged", None: "No split: all vote and all are judged"}
ABOVE, BELOW, EVEN = "Mostly above", "Mostly below", "Neither: about as much above as below"
ON_TRUTH, NO_CLOSER, BETWEEN = "On the truth", "No closer to it than now", "Closer, but not on it"
# Share of the union of both areas: a smaller difference counts as even.
EVEN_WITHIN = 0.05
WHY = (
    "Without a split a sample **votes for itself**: it lies in its own ball, so every real point has one real vote and "
    "every generated point one generated vote that a new point would not have. The classifier looks better than it is: "
    "too few errors. That flatters the classifier, and since precision and recall *are* its errors it slanders the "
    "generator: the curve is pulled down, most of all at small k, where one vote decides. A split measures errors on "
    "samples that did not vote. It has a price: half the samples vote, half are judged, and no imperfect classifier "
    "errs less than the best one, so the curve tends to lie too high."
)


def _measured(request: MembersRequest) -> FamilyAtEveryK:
    return cache.remembered((KEY, request), lambda: measured(request))


@st.fragment
def draw() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = choose_one("Family", titles(DEFAULT_METHODS), "knn")
        split = st.toggle("Split", value=True, help="On: one half of each set votes, the other half is judged.")
        if st.button("Resample", icon=":material/casino:", help="Draw 80 new real and 80 new generated samples."):
            learn_session().seeds[KEY] += 1
    request = MembersRequest(method, 0.5 if split else None, learn_session().seeds[KEY])
    found, k = _measured(request), int(value(KEY, "k", 5))
    k = k if k in KS else 5
    point, count = int(value(KEY, "point", 0)) - 1, len(found.points)
    point = point if 0 <= point < count else count // 2  # the middle one, where votes are mixed
    st.caption(f"**{ESTIMATORS[request.method].title}**: {ESTIMATORS[request.method].idea} {SPLIT[request.split]}.")
    at, truth = found.stops[KS.index(k)], found.truth
    low, high = found.bounds
    fit = [side.values for side in found.split.fit]
    judged = [side.values for side in found.split.evaluate] if found.split.held_out else None
    seen = view(found, at, point, lam_at(KEY))
    panes = [
        Pane(
            "plane",
            figures.votes_figure(seen, fit, judged, numbers=found.numbers, low=low, high=high),
            "The votes, and what the classifier says everywhere",
            caption="Large spot: the point that is judged, with its balls and a line to every voter; click another "
            "sample to judge that. Small dots: what the classifier says there, purple for real, green for generated, "
            "grey where nobody votes. Red crosses: samples that it gets wrong.",
            square=True,
            picks="point",
        ),
        curve_pane(
            {request.method: at.curve},
            truth,
            "Dashed: the truth. Solid: the estimate, precision λ·fpr + fnr of the best classifier at each λ: "
            "fpr is the share of judged real samples called generated, fnr that of generated ones called real.",
            notes={request.method: f"IoU {at.curve.iou(truth):.2f}"},
        ),
    ]
    table = Table(
        "How far the estimate agrees with the truth, lies above it (excess) and below it (deficit).",
        [Column(key, *texts) for key, texts in COMPARISONS.items()],
        {request.method: [float(each) for each in at.curve.compare(truth)]},
    )
    controls = [
        Slider(
            "point",
            "Point that is judged",
            [float(each + 1) for each in range(count)],
            float(point + 1),
            float(point + 1),
            marks=[(1.0, "first"), (float(count // 2 + 1), "middle"), (float(count), "last")],
            help="The samples that are judged, from the real side of the plane to the generated one.",
            epoch=f"{found.asked.split}",
        ),
        Slider(
            "k",
            "Neighbours k",
            KS,
            k,
            k,
            marks=[(1, "1"), (5, "5"), (8, "√n = 8")],
            help="Number of neighbours in a ball.",
        ),
        lam_slider(),
    ]
    live_figure(
        KEY,
        panes,
        controls=controls,
        curves=linked(truth, {request.method: at.curve}),
        table=table,
        model=Model("votes", constants(found, SAY[request.method])),
    )
    with st.expander("Why does no split flatter?", icon=":material/help:"):
        st.markdown(WHY)
    other = request._replace(split=None if request.split else 0.5)
    change = "took the split away, so that every sample votes and is judged," if request.split else "split the samples,"
    text = (
        f"On screen is {ESTIMATORS[request.method].title} at k = {k} {'with' if request.split else 'without'} a split. "
        f"If you {change} where would the new curve lie, compared with the one on screen?"
    )

    def answer() -> Verdict:
        index = KS.index(k)
        here, there, truth = found.stops[index].curve, _measured(other).stops[index].curve, found.truth
        _, more, less = there.compare(here)
        answer = EVEN if abs(more - less) <= EVEN_WITHIN else ABOVE if more > less else BELOW
        states = sorted(((request.split, here), (other.split, there)), key=lambda each: each[0] is None)
        said = [
            f"{'with' if ratio else 'without'} split {compared.excess:.0%} too high and {compared.deficit:.0%} too low"
            for ratio, compared in ((ratio, curve.compare(truth)) for ratio, curve in states)
        ]
        return Verdict(
            answer,
            f"Of the area under either, {more:.0%} is under the new curve only and {less:.0%} under the one on screen "
            f"only. Against the truth, on this sample: {', '.join(said)}.",
        )

    question(KEY, text, (ABOVE, BELOW, EVEN), answer, about=(request, k))
    if request.split is not None and request.method in LIMITS:
        _ask_more(found, k)
    explore_link(
        ExploreSettings(
            problem="shifted-gaussians",
            parameters=found.asked.problem.parameters,
            n=N,
            methods=(request.method,),
            k=k,
            split=request.split,
            seed=request.seed,
            lam=lam_at(KEY),
        )
    )


def _ask_more(found: FamilyAtEveryK, k: int) -> None:
    title = ESTIMATORS[found.asked.method].title
    text = f"Ever more samples, and k stays at {k}: where does the curve of {title} come to lie?"

    def answer() -> Verdict:
        now = found.stops[KS.index(k)].curve.iou(found.truth)
        end = found.asked.problem.limit(found.asked.method, k).iou(found.truth)
        answer = ON_TRUTH if end > 1 - EVEN_WITHIN else NO_CLOSER if end <= now else BETWEEN
        return Verdict(
            answer,
            f"The IoU with the truth is {now:.2f} now and {end:.2f} with infinitely many samples. All voters are then "
            f"as near as can be, but a few votes are still decided by chance: {k} voters stay {k} voters.",
        )

    question(f"{KEY}-more", text, (ON_TRUTH, BETWEEN, NO_CLOSER), answer, about=(found.asked, k))
