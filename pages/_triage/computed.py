"""Part "How it is computed": explains the numbers of Triage's first screen."""

from __future__ import annotations

import streamlit as st

from pages._triage.checkpoints import BOOTSTRAP, CONFIDENCE, NONE_YET, CheckpointResults, ceiling_of
from prviz.estimators import ESTIMATORS
from prviz.triage.classes import NEIGHBOURS
from prviz.triage.ranking import AT_MOST, TOLD_APART


def draw(found: CheckpointResults) -> None:
    if not found.measured:
        st.info(NONE_YET)
        return
    first = [each.estimate.supports for each in found.measured]
    generated = sorted({len(run.c_real) - run.n_real for run in first})
    between = f"{generated[0]:,}" + (f" to {generated[-1]:,}" if len(generated) > 1 else "")
    known = ceiling_of(found)
    ceiling = ""
    if known is not None:
        ceiling = f"- **Real against real**: {known.source}.\n"
    percent = f"{100 * CONFIDENCE:g} %"
    second = ""
    if found.basis.second is not None:
        second = (
            f"- **Below {TOLD_APART:g}** the best classifier tells a checkpoint from real data, "
            "and little is left to compare: these come behind all others, in the order of "
            f"{ESTIMATORS[found.basis.second].title}, which sees what differs at the scale of a "
            "sample's neighbours. So the order of two follows from these two alone.\n"
        )
    st.markdown(
        "- **Score** = (1 - g) P + g R, with the goal g. P is the precision side: the mean of α² "
        "over the rays of the curve with λ = α / β ≥ 1, even in 1 / λ; R, the recall side, is the "
        "mean of β² over those with λ ≤ 1, even in λ. At g = 0.5 it is AuC, the area under the "
        "curve. A curve that lies above another everywhere scores at least as much at every goal. "
        f"Here the curve is that of {ESTIMATORS[found.method].title}; a score above its bound is "
        "set to it.\n"
        f"- **Draws**: {percent} of the scores when the evaluation samples ({first[0].n_real:,} "
        f"real and {between} generated) are drawn again, with replacement, {BOOTSTRAP} times, the "
        "real ones together for all checkpoints. Their spread covers the choice of these samples "
        "alone: not the samples that the family was fitted on, and not its bias, so that the true "
        "score need not lie in it.\n"
        "- **May be best**: a checkpoint that no other one beats by a margin that chance alone "
        f"would not show, in {percent} of the cases; those far behind change nothing. Spreads may "
        "overlap all the same.\n"
        f"- **Truth at most**: {AT_MOST}\n"
        f"{second}{ceiling}- **Near**: a sample has one of the other set near if one is as near as "
        f"the {NEIGHBOURS}th of its own. The pictures, *What is wrong with it?* and *Class by "
        "class* count by this.\n"
    )
