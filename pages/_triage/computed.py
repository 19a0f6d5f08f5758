"""Part of the Triage page: what the numbers of its first screen are."""

from __future__ import annotations

import streamlit as st

from pages._triage.checkpoints import NONE_YET, CheckpointResults
from pages._triage.possible import ceiling_of
from pages._triage.ranking import BOOTSTRAP, CONFIDENCE
from prviz.triage.ranking import AT_MOST


def draw(found: CheckpointResults) -> None:
    if not found.measured:
        st.info(NONE_YET)
        return
    first = [each.estimate.supports for each in found.measured]
    generated = sorted({len(run.c_real) - run.n_real for run in first})
    between = f"{generated[0]:,}" + (f" to {generated[-1]:,}" if len(generated) > 1 else "")
    known = ceiling_of(found)
    ceiling = "" if known is None else f"- **Ceiling**: {known.yardstick.source}.\n"
    percent = f"{100 * CONFIDENCE:g} %"
    st.markdown(
        "- **Score** = (1 - g) P + g R, with the goal g. P is the precision side: the mean of α² over the rays of the "
        "curve with λ = α / β ≥ 1, even in 1 / λ; R, the recall side, is the mean of β² over those with λ ≤ 1, even "
        "in λ. At g = 0.5 it is AuC, the area under the curve. A curve that lies above another everywhere scores at "
        "least as much at every goal.\n"
        f"- **Interval**: holds {percent} of the scores when the evaluation samples ({first[0].n_real:,} real and "
        f"{between} generated) are drawn again, with replacement, {BOOTSTRAP} times, the real ones together for all "
        "checkpoints. It covers the choice of these samples alone: not the samples that the family was fitted on, and "
        "not its bias, which cancels between two checkpoints as far as both have the same.\n"
        "- **Also possible**: a checkpoint that no other one beats by a margin that chance alone would not show, in "
        f"{percent} of the cases; those far behind change nothing. Intervals may overlap all the same.\n"
        f"- **At most**: {AT_MOST}\n"
        f"{ceiling}"
        "- **The verdict rests on** the family whose classifiers err least on samples that do not define them, over "
        "all λ, in the mean over the checkpoints: no classifier errs less than the best possible one."
    )
