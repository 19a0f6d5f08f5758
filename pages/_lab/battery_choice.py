"""The choices above the battery's table: checks, numbers and size."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple, cast

import streamlit as st

from prviz.estimators import ESTIMATORS
from prviz.studies.battery import CHECKS, LAMS, READINGS, SCORES, setting
from prviz.studies.battery.tasks import Mode

FEW, ALL, OWN = "A few", f"All {len(CHECKS)}", "My choice"
FIRST_CHECKS = (
    "gaussian-mean-difference",
    "gaussian-mixture-mode-dropping-invention",
    "uniform-hypersphere-surface",
    "gaussian-high-dim-one-disjoint-dim",
    "discrete-numerical-vs-continuous-numerical",
)
FIRST_FAMILIES, FIRST_POINTS, FIRST_SCORES = ("knn",), ("10",), ("i-prec/i-rec", "density/coverage")
POINTS = {**{f"{lam}": f"λ = {lam}" for lam in LAMS}, "ends": "extremes", "f8": "F8", "auc": "AuC"}
MODES = {"quick": "Quick", "paper": "As in the paper"}

POINTS_HELP = (
    "A curve has no single fidelity: it is read at a point. λ = 10: precision α(10), where ten precision points are "
    "worth a recall point, and recall β(1/10), its mirror. Extremes: both ends, α∞ and β0. F8: the best balance along "
    "the curve, leaning 8 to 1 to precision for fidelity, to recall for diversity. AuC: the area under the curve, the "
    "same for both. Another point costs no new measurement."
)


class Choice(NamedTuple):
    """Names in CHECKS and READINGS, in the order of rows and columns."""

    checks: tuple[str, ...]
    readings: tuple[str, ...]
    mode: Mode

    @property
    def key(self) -> tuple[Hashable, ...]:
        """Cache key of the measurement, which is the same for any point read from the same curves."""
        return (
            "battery",
            self.mode,
            self.checks,
            tuple(dict.fromkeys(READINGS[name].method for name in self.readings)),
        )


def choose() -> Choice | None:
    """Draw the choices; returns None, with a message, if nothing is left to judge."""
    checks = _checks()
    families, points, scores = st.columns(3)
    methods = families.multiselect(
        "Families of curves",
        list(ESTIMATORS),
        FIRST_FAMILIES,
        format_func=lambda name: ESTIMATORS[name].title,
        key="battery.families",
        help="Estimators of a whole precision-recall curve, at k = √n and with half of the samples to measure.",
        persist_state="session",
    )
    read = points.multiselect(
        "read at",
        list(POINTS),
        FIRST_POINTS,
        format_func=POINTS.__getitem__,
        key="battery.points",
        help=POINTS_HELP,
        persist_state="session",
    )
    pairs = scores.multiselect(
        "Published pairs of numbers",
        list(SCORES),
        FIRST_SCORES,
        format_func=lambda name: ", ".join(SCORES[name].pair),
        key="battery.scores",
        help="One number for fidelity and one for diversity, as published and with the settings that the battery's "
        "paper gives them. A perfect score of this kind is the share of one set that lies within the other's support.",
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        thoroughness = st.segmented_control(
            "How thoroughly",
            list(MODES),
            format_func=MODES.__getitem__,
            default="quick",
            required=True,
            key="battery.mode",
            persist_state="session",
        )
        mode = cast(Mode, thoroughness if thoroughness in MODES else "quick")
        st.caption(setting(mode) + ".")
    readings = (*(f"{method}@{point}" for method in methods for point in read), *pairs)
    if not checks or not readings:
        missing = "a check" if not checks else "a family with a point to read it at, or a published pair"
        st.info(f"Choose at least {missing}.", icon=":material/checklist:")
        return None
    return Choice(checks, readings, mode)


def _checks() -> tuple[str, ...]:
    which = st.segmented_control(
        "Checks", (FEW, ALL, OWN), default=FEW, required=True, key="battery.which", persist_state="session"
    )
    if which != OWN:
        return tuple(CHECKS) if which == ALL else FIRST_CHECKS
    chosen = st.multiselect(
        "Which checks",
        list(CHECKS),
        FIRST_CHECKS[:1],
        format_func=lambda name: CHECKS[name].title,
        key="battery.checks",
        label_visibility="collapsed",
        persist_state="session",
    )
    return tuple(name for name in CHECKS if name in chosen)
