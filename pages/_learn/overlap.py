"""Lesson 1: precision and recall are areas that two densities have in common."""

from __future__ import annotations

import streamlit as st

from pages._learn import gaussians
from pages._learn.lesson import Verdict, curve_pane, explore_link, lam_at, lam_slider, question
from pages._live.figure import Pane
from prviz import figures
from prviz.curves.ground_truth import scaled_gaussians

TITLE = "What are precision and recall of a distribution?"
IDEA = (
    "Real data have a density **p**, generated data a density **q**. Scale p by a number **λ** (lambda): the area "
    "that λp and q have in common is the **precision** α(λ), the share of generated data that the real data can "
    "account for. Divided by λ it is the **recall** β(λ), the share of real data that the generator covers. Every λ "
    "gives one point of the precision-recall curve: drag λ and watch it move; drag the generator and watch the curve."
)
KEY = "lesson-overlap"
SAFE, WILD, BOTH = "Precision loses more", "Recall loses more", "Neither loses"


@st.fragment
def draw() -> None:
    now = gaussians.state(KEY, 1.0, 0.8)
    p, q = now.densities
    truth = now.problem.truth()
    panes = [
        Pane(
            "precision",
            figures.overlap_figure(gaussians.XS, p, q, lam=1.0, side="precision"),
            "Precision α: what λp and q share",
            caption="The grey area is the part of the generated data that λ times the real density reaches.",
        ),
        Pane(
            "recall",
            figures.overlap_figure(gaussians.XS, p, q, lam=1.0, side="recall"),
            "Recall β: what p and q/λ share",
            caption="The grey area is the part of the real data that the generated density, divided by λ, reaches.",
        ),
        curve_pane(
            {}, truth, "The dot is the pair (recall β, precision α) of the two grey areas; the ray has slope λ = α/β."
        ),
    ]
    gaussians.draw(KEY, now, panes, [*gaussians.sliders(now), lam_slider()])
    text = (
        f"The generator now has width {now.scale:g}. Suppose it played safe and halved that width around the same "
        "centre. Compare precision at λ = 10 (the precision end) and recall at λ = 1/10 (the recall end) before and "
        "after: which one loses more?"
    )

    def answer() -> Verdict:
        before, after = now.problem.truth(), scaled_gaussians(now.scale / 2, 1, distance=abs(now.shift))
        precision, recall = after.alpha(10.0) - before.alpha(10.0), after.beta(0.1) - before.beta(0.1)
        found = BOTH if min(precision, recall) >= 0 else SAFE if precision < recall else WILD
        return Verdict(
            found,
            f"Precision at λ = 10 goes from {before.alpha(10.0):.3f} to {after.alpha(10.0):.3f}, recall at λ = 1/10 "
            f"from {before.beta(0.1):.3f} to {after.beta(0.1):.3f}.",
        )

    question(KEY, text, (SAFE, WILD, BOTH), answer, about=now)
    explore_link(now.settings(lam_at(KEY)))
