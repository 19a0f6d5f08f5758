"""Lesson 2: the same curve as the errors of the best classifier."""

from __future__ import annotations

import streamlit as st

from pages._learn import gaussians
from pages._learn.lesson import Verdict, curve_pane, explore_link, lam_at, lam_slider, question
from pages._live.figure import Pane
from pages._shared.widgets import choose_one
from prviz import figures
from prviz.figures.error_space import View

TITLE = "The same thing as a classifier"
IDEA = (
    "Try to tell real from generated: say *real* wherever q ≤ λp, *generated* elsewhere. No classifier does better at "
    "this λ. It errs in two ways: **fpr**, the share of real data that it calls generated, and **fnr**, the share of "
    "generated data that it calls real (the papers' names). Then precision is λ·fpr + fnr: the closer the two "
    "densities, the more it must err. All points and lines below belong to the same classifier."
)
KEY = "lesson-classifier"
VIEWS: dict[View, str] = {"error": "Error space", "roc": "ROC curve", "collapse": "Mode-collapse region"}
SAY = {
    "error": "Both errors of every best classifier. The line of slope −λ touches the curve at the classifier's point "
    "and meets the vertical axis at the precision α(λ), the horizontal one at the recall β(λ).",
    "roc": "The same points with the vertical axis turned over: 1 − fnr, the share of generated data found out, "
    "against fpr. This is the ROC curve of the likelihood ratio; the line is the same tangent.",
    "collapse": "The same points once more: for the part of space called real, the share of generated data in it (fnr) "
    "against the share of real data (1 − fpr). The region between diagonal and curve holds all such pairs; large "
    "real and small generated shares mean that modes have collapsed.",
}
REAL, GENERATED, EVEN = "More real data called generated", "More generated data called real", "Both errors are equal"


@st.fragment
def draw() -> None:
    now = gaussians.state(KEY, 1.2, 1.0)
    p, q = now.densities
    truth = now.problem.truth()
    view = choose_one("Show the errors as", VIEWS, "error", key="lesson-view")
    panes = [
        Pane(
            "errors",
            figures.errors_figure(gaussians.XS, p, q, lam=1.0),
            "Where the best classifier errs",
            caption="Coloured under p: real data called generated, fpr. Coloured under q: generated data called "
            "real, fnr.",
            wide=True,
        ),
        Pane(
            view,
            figures.error_space_figure({}, truth=truth, view=view),
            VIEWS[view],
            caption=SAY[view],
            follow=view,
            square=True,
        ),
        curve_pane({}, truth, "Precision α = λ·fpr + fnr against recall β = fpr + fnr/λ of the same classifier."),
    ]
    gaussians.draw(KEY, now, panes, [lam_slider(), *gaussians.sliders(now)])
    text = (
        f"Take λ = 1 with the generator as it is now (shift {now.shift:g}, width {now.scale:g}). Which error does the "
        "best classifier make more often?"
    )

    def answer() -> Verdict:
        fpr, fnr = truth.vertices[truth.vertex_at(1.0)]
        even = abs(fpr - fnr) < 0.005
        found = EVEN if even else REAL if fpr > fnr else GENERATED
        return Verdict(
            found,
            f"fpr = {fpr:.3f} and fnr = {fnr:.3f}. Their sum {fpr + fnr:.3f} is α(1), the smallest that any classifier "
            "can reach; 1 minus it is the total variation distance.",
        )

    question(KEY, text, (REAL, GENERATED, EVEN), answer, about=now)
    explore_link(now.settings(lam_at(KEY)))
