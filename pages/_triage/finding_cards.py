"""The findings as cards, each with its number and a way to its evidence."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from pages._shared.text import plain
from pages._triage import evidence
from pages._triage.diagnosis_data import Diagnosis
from prviz.diagnostics.findings import DIMENSION_RATIO, MANY_ROWS
from prviz.diagnostics.preflight import FEW_EVALUATED
from prviz.triage.evidence import END
from prviz.triage.findings import APART, EVIDENCE, LOST, OUTLIERS, SEVERE, WIDE, TriageFinding
from prviz.triage.mode_reweighting import KINK

OPEN = "triage-fault-open"
NUMBER = (
    '<div style="font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums">{value}</div>'
    '<div style="font-size:.8rem;opacity:.85">{said}</div>'
)
MARKS = {
    "warning": ":orange[:material/warning:] :orange-badge[warning]",
    "note": ":blue[:material/info:] :blue-badge[note]",
}
# What the number of a finding is.
NUMBERS = {
    "dropping": f"recall lost where precision is {END:g}",
    "invention": f"precision lost where recall is {END:g}",
    "reweighting": "between the factors of both parts",
    "collapse": "of the generated rows repeat another",
    "flat": "as many directions as the real samples",
    "outliers": "of the other set would lose all support",
    "few": "width of AuC's 95 % interval",
    "apart": "of the mass in common",
}
LOOKED_FOR = {
    "Dropped modes": f"recall where precision is {END:g} lies below {1 - LOST:.0%}, its interval too",
    "Invented samples": f"precision where recall is {END:g} lies below {1 - LOST:.0%}, its interval too",
    "Re-weighted modes": f"the curve has a kink: one point is the best over a range of λ {KINK:g} times wide",
    "Repeated samples": f"{MANY_ROWS:.0%} more of the generated rows than of the real ones repeat another",
    "Fewer directions": f"the generated effective dimension is below 1 / {DIMENSION_RATIO:g} of the real one",
    "Outliers": f"5 samples alone carry more than {OUTLIERS:.0%} of the other set, and far more than their share",
    "Too few samples": f"AuC's interval is wider than {WIDE:g}, or fewer than {FEW_EVALUATED} of a set measure it",
    "Sets far apart": f"less than {APART:.0%} of the mass is shared, or only one set is scaled or normalised",
}


def show(case: Diagnosis, found: Sequence[TriageFinding]) -> None:
    """A card for each finding, the open one with its evidence; or what it means that there is none."""
    if not found:
        st.success("**Nothing found.** " + NOTHING, icon=":material/check_circle:")
    chosen = st.session_state.get(OPEN)
    for fault in found:
        _card(case, fault, opened=_id(fault) == chosen)
    _looked_for(case)


NOTHING = (
    "None of the faults that are looked for shows at this number of samples. That is no proof that there is none: "
    "smaller ones than the thresholds below, and what the features do not see, can't be found this way."
)


def _id(fault: TriageFinding) -> str:
    return f"{fault.key}/{fault.title}"


def _card(case: Diagnosis, fault: TriageFinding, *, opened: bool) -> None:
    with st.container(border=True, key=f"triage-card-{fault.key}-{fault.title.split()[-1].lower()}"):
        text, figure = st.columns([3, 1], vertical_alignment="center")
        with text:
            st.markdown(f"{MARKS[fault.level]} **{plain(fault.title)}**  \n{plain(fault.sentence)}")
        with figure:
            value, said = number_of(fault)
            st.html(NUMBER.format(value=html.escape(value), said=html.escape(said)))
        label = "Hide the evidence" if opened else "Show the evidence"
        st.button(
            label,
            key=f"triage-evidence-{_id(fault)}",
            icon=":material/expand_less:" if opened else ":material/expand_more:",
            help=f"{EVIDENCE[fault.evidence].capitalize()}.",
            on_click=_open,
            args=(None if opened else _id(fault),),
        )
        if opened:
            st.divider()
            evidence.show(case, fault)


def _open(name: str | None) -> None:
    st.session_state[OPEN] = name


def number_of(fault: TriageFinding) -> tuple[str, str]:
    """The number of a finding, and what it is, with its interval where it has one."""
    said = NUMBERS[fault.key]
    if fault.key == "few":
        return f"{fault.number:.2f}", f"{said}, {fault.low:.2f} to {fault.high:.2f}"
    if fault.unit == "ratio":
        said = "the real norms, at the median" if fault.key == "apart" else said
        value, ends = f"{fault.number:.3g} ×", "{:.3g} to {:.3g}"
        scale = 1.0
    else:
        value, ends, scale = f"{100 * fault.number:.3g} %", "{:.3g} to {:.3g} %", 100.0
    if fault.low is None or fault.high is None:
        return value, said
    return value, f"{said}; 95 % interval {ends.format(scale * fault.low, scale * fault.high)}"


def _looked_for(case: Diagnosis) -> None:
    with st.expander("What is looked for, and from where on it counts", icon=":material/rule:"):
        st.markdown("\n".join(f"- **{title}**: {where}." for title, where in LOOKED_FOR.items()))
        st.caption(
            f"A loss of more than {SEVERE:.0%} is a warning, less is a note. The thresholds suit families whose curve "
            "of two equal sets comes near (1, 1) at this n and dimension, as kNN's does; another may lose its ends by "
            "its own bias. Outliers are looked for in families that count samples in balls, which others do not. "
            "Intervals come from drawing the evaluation samples again. Nothing here proves a cause: a curve loses its "
            "recall end where real samples are not made, whether a mode was dropped or every mode made too narrow. Of "
            "sets far apart that alone is told, with what the rows themselves show: all else follows from it."
        )
        if case.measured.method != "knn":
            st.caption(f"This is {plain(case.title)}: look at the same checkpoint by kNN before you act on a note.")
