"""Lesson 4: the same classifier from samples alone, by the votes of neighbours."""

from __future__ import annotations

import streamlit as st

from pages._learn import ball_members
from pages._learn.ball_members import KS, FamilyAtEveryK, MembersRequest
from pages._learn.lesson import Verdict, explore_link, lam_at, lam_slider, learn_session, question, value
from pages._live.figure import Model, Pane, Slider, Table, live_figure
from pages._shared import cache
from prviz import figures
from prviz.curves.limits import LIMITS
from prviz.curves.summaries import COMPARISONS, Column
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.reports.settings import ExploreSettings

TITLE = "From samples"
IDEA = (
    "Nobody knows the densities of real and generated data, we only have samples; so let neighbours vote. Around a "
    "point z, $c_X$ counts the real samples near it and $c_Y$ the generated ones, and the classifier says *real* as "
    "long as $c_Y / c_X$ is small: how small is small enough, λ decides. Four families differ in what *near* means, "
    "that is in the **balls** they count in, and **k**, the number of neighbours, sets how large these are."
)
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
    return cache.remembered((KEY, request), lambda: ball_members.measured(request))


@st.fragment
def show() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        method = st.segmented_control(
            "Family", DEFAULT_METHODS, format_func=lambda name: ESTIMATORS[name].title, default="knn", required=True
        )
        split = st.toggle("Split", value=True, help="On: one half of each set votes, the other half is judged.")
        if st.button("Resample", icon=":material/casino:", help="Draw 80 new real and 80 new generated samples."):
            learn_session().seeds[KEY] += 1
    request = MembersRequest(method or "knn", 0.5 if split else None, learn_session().seeds[KEY])
    found, k = _measured(request), int(value(KEY, "k", 5))
    k = k if k in KS else 5
    point, count = int(value(KEY, "point", 0)) - 1, len(found.points)
    point = point if 0 <= point < count else count // 2  # the middle one, where votes are mixed
    st.caption(f"**{ESTIMATORS[request.method].title}**: {ESTIMATORS[request.method].idea} {SPLIT[request.split]}.")
    _figure(found, k, point)
    with st.expander("Why does no split flatter?", icon=":material/help:"):
        st.markdown(WHY)
    _ask(found, k)
    if request.split is not None and request.method in LIMITS:
        _ask_more(found, k)
    explore_link(
        ExploreSettings(
            problem="shifted-gaussians",
            parameters=found.asked.problem.parameters,
            n=ball_members.N,
            methods=(request.method,),
            k=k,
            split=request.split,
            seed=request.seed,
            lam=lam_at(KEY),
        )
    )


def _figure(found: FamilyAtEveryK, k: int, point: int) -> None:
    request, at, truth = found.asked, found.stops[KS.index(k)], found.truth
    low, high = found.bounds
    fit = [side.values for side in found.split.fit]
    judged = [side.values for side in found.split.evaluate] if found.split.held_out else None
    iou = f"IoU {at.curve.iou(truth):.2f}"
    seen = ball_members.view(found, at, point, lam_at(KEY))
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
        Pane(
            "pr",
            figures.pr_figure({request.method: at.curve}, truth=truth, notes={request.method: iou}),
            "The precision-recall curve",
            caption="Dashed: the truth. Solid: the estimate, precision λ·fpr + fnr of the best classifier at each λ: "
            "fpr is the share of judged real samples called generated, fnr that of generated ones called real.",
            follow="pr",
            square=True,
        ),
    ]
    curves = {
        "truth": ("truth", figures.TRUTH_COLOR, truth),
        request.method: (ESTIMATORS[request.method].title, figures.colors([request.method])[request.method], at.curve),
    }
    table = Table(
        "How far the estimate agrees with the truth, lies above it (excess) and below it (deficit).",
        [Column(key, *texts) for key, texts in COMPARISONS.items()],
        {request.method: [float(each) for each in at.curve.compare(truth)]},
    )
    live_figure(
        KEY,
        panes,
        controls=_controls(found, k, point),
        curves=curves,
        table=table,
        model=Model("votes", ball_members.constants(found, SAY[request.method])),
    )


def _controls(found: FamilyAtEveryK, k: int, point: int) -> list[Slider]:
    count = len(found.points)
    told = "The samples that are judged, from the real side of the plane to the generated one."
    return [
        Slider(
            "point",
            "Point that is judged",
            [float(each + 1) for each in range(count)],
            float(point + 1),
            float(point + 1),
            marks=[(1.0, "first"), (float(count // 2 + 1), "middle"), (float(count), "last")],
            help=told,
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


def _ask(found: FamilyAtEveryK, k: int) -> None:
    request = found.asked
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
