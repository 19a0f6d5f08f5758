"""The findings as cards, each with its number and a way to its evidence."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from pages._shared.text import plain
from pages._triage import evidence
from pages._triage.diagnosis_data import Diagnosis
from prviz.diagnostics.preflight import DIMENSION_RATIO, FEW_EVALUATED, MANY_ROWS
from prviz.triage.evidence import END
from prviz.triage.findings import APART, EVIDENCE, KINK, LOST, OUTLIERS, SEVERE, WIDE, TriageFinding

OPEN = "triage-fault-open"
NUMBER = (
    '<div style="font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums">{value}</div>'
    '<div style="font-size:.8rem;opacity:.85">{said}</div>'
)
MARKS = {
    "warning": ":orange[:material/warning:] :orange-badge[warning]",
    "note": ":blue[:material/info:] :blue-badge[note]",
}
# Description of a finding's number, by the finding's key.
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
    """Draw a card for each finding, the open one with its evidence, or say that there is none."""
    if not found:
        st.success("**Nothing found.** " + NOTHING, icon=":material/check_circle:")
    chosen = st.session_state.get(OPEN)
    for finding in found:
        _card(case, finding, opened=_id(finding) == chosen)
    _all_findings(case)


NOTHING = (
    "None of the problems listed below shows at this number of samples. That is no proof that there is none: problems "
    "smaller than the thresholds below, or not visible in the features, can't be found this way."
)


def _id(finding: TriageFinding) -> str:
    return f"{finding.key}/{finding.title}"


def _card(case: Diagnosis, finding: TriageFinding, *, opened: bool) -> None:
    with st.container(border=True, key=f"triage-card-{finding.key}-{finding.title.split()[-1].lower()}"):
        text, figure = st.columns([3, 1], vertical_alignment="center")
        with text:
            st.markdown(f"{MARKS[finding.level]} **{plain(finding.title)}**  \n{plain(finding.sentence)}")
        with figure:
            value, said = number_of(finding)
            st.html(NUMBER.format(value=html.escape(value), said=html.escape(said)))
        label = "Hide the evidence" if opened else "Show the evidence"
        st.button(
            label,
            key=f"triage-evidence-{_id(finding)}",
            icon=":material/expand_less:" if opened else ":material/expand_more:",
            help=f"{EVIDENCE[finding.evidence].capitalize()}.",
            on_click=_open,
            args=(None if opened else _id(finding),),
        )
        if opened:
            st.divider()
            evidence.show(case, finding)


def _open(name: str | None) -> None:
    st.session_state[OPEN] = name


def number_of(finding: TriageFinding) -> tuple[str, str]:
    """A finding's number, and its description with the interval, if it has one."""
    said = NUMBERS[finding.key]
    if finding.key == "few":
        return f"{finding.number:.2f}", f"{said}, {finding.low:.2f} to {finding.high:.2f}"
    if finding.unit == "ratio":
        said = "the real norms, at the median" if finding.key == "apart" else said
        value, ends = f"{finding.number:.3g} ×", "{:.3g} to {:.3g}"
        scale = 1.0
    else:
        value, ends, scale = f"{100 * finding.number:.3g} %", "{:.3g} to {:.3g} %", 100.0
    if finding.low is None or finding.high is None:
        return value, said
    return value, f"{said}; 95 % interval {ends.format(scale * finding.low, scale * finding.high)}"


def _all_findings(case: Diagnosis) -> None:
    with st.expander("All findings and their thresholds", icon=":material/rule:"):
        st.markdown("\n".join(f"- **{title}**: {where}." for title, where in LOOKED_FOR.items()))
        st.caption(
            f"A loss of more than {SEVERE:.0%} is a warning, less is a note. The thresholds suit families whose curve "
            "of two equal sets comes near (1, 1) at this n and dimension, as kNN's does; another may lose its ends by "
            "its own bias. Outliers are looked for in families that count samples in balls, which others do not. "
            "Intervals come from drawing the evaluation samples again. Nothing here proves a cause: a curve loses its "
            "recall end where real samples are not made, whether a mode was dropped or every mode made too narrow. For "
            "sets far apart only that is reported, with findings from the rows themselves: the others follow from it."
        )
        if case.measured.method != "knn":
            st.caption(f"This is {plain(case.title)}: check the same checkpoint with kNN before you act on a note.")
