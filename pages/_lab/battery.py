"""Section of the bias lab: 15 sanity checks, with the verdicts of any reading and of the truth itself."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd
import streamlit as st

from pages._lab import battery_detail, battery_table
from pages._lab.battery_choice import Choice, choose
from pages._lab.experiments import facts
from pages._shared.text import plain
from pages._shared.work_box import WorkRequest, box
from pages._work.store import LeastRecentlyUsed
from prviz.neighbors.threads import available_threads
from prviz.studies.battery import (
    CHECKS,
    COLUMNS,
    JUDGED,
    SCORES,
    TAGS,
    battery_seconds,
    battery_tasks,
    judge,
    oracle_rows,
    setting,
)
from prviz.studies.battery.tasks import kept
from prviz.studies.kept_rows import KeptRows

# The number of failed checks is counted in a test, from the verdicts in `prviz.studies.battery.judge`.
IDEA = (
    "A paper of 2025 requires of every score of generative models what common sense does: 1 where both distributions "
    "are equal, less where they differ, the same in any unit of a feature. Of its 15 such checks **every published "
    "score failed 11 or more**. Here you run them on any number, also on curves, and see beside each verdict **what "
    "the truth scores**: a perfect estimator, under the same reading. Where the truth passes, a failure says that *the "
    "estimator is wrong*. Where the truth fails too, *the check asks for something else*."
)


SIGNS = """
- **✓ T** passes; **✕ F** fails.
- **▼ L** and **▲ H** also pass, and say which of two sensible wishes the number follows: where the specification allows
  either, *low* means that it falls where generated samples are spread too thin, *high* that it stays up because every
  real sample can still be produced.
- **truth**: what a perfect estimator, which knows the true curve, scores under the same reading and the same rule.
- **paper**: the published verdict, for the numbers that the paper has judged.
- A failure with a **thick border** says *the estimator is wrong*: the truth passes there. One with a **dashed border**
  says *the check asks for something else* than this reading: the truth itself fails. A **dotted border**: it passes
  although the truth does not.
- **…** is not measured yet. A dash: this is not asked of this number.
"""


def show() -> None:
    choice = choose()
    if choice is None:
        return
    with st.expander("How to read the table", icon=":material/help:"):
        st.markdown("\n".join([*(f"- {words}" for words in battery_table.SIDE_WORDS.values()), SIGNS]))
        st.markdown("What a check asks for:")
        st.markdown("\n".join(f"- **{tag}**: {words}" for tag, words in TAGS.items()))
    tasks = battery_tasks(choice.checks, choice.readings, choice.mode)
    seconds = battery_seconds(tasks) / available_threads()
    oracle = _oracle(choice)
    work = WorkRequest(choice.key, f"Sanity battery {choice.mode}", tasks, COLUMNS, seconds)

    def before() -> None:
        """Draw the kept rows of the published pairs at full size, if one is chosen."""
        found = _kept(choice)
        if found is not None:
            told = plain(facts(found.facts))
            st.caption(f"Kept, of the published pairs in the paper's setting ({setting('paper')}): {told}")
        _draw(choice, oracle, None if found is None else found.rows)

    box(work, lambda rows, _: _draw(choice, oracle, rows), before)


def _kept(choice: Choice) -> KeptRows | None:
    scores = [name for name in choice.readings if name in SCORES]
    if not scores:
        return None
    try:
        found: KeptRows | None = _shared().remembered(("kept", choice.checks), lambda: kept(choice.checks))
    except ValueError as error:
        st.warning(plain(f"The kept rows can't be shown: {error}."), icon=":material/broken_image:")
        return None
    return None if found is None else KeptRows(found.rows[found.rows["method"].isin(scores)], found.facts)


def _draw(choice: Choice, oracle: pd.DataFrame, rows: pd.DataFrame | None) -> None:
    judged = pd.DataFrame(columns=list(JUDGED)) if rows is None else _judged(choice, rows)
    known = battery_table.cells(choice, oracle, judged)
    battery_table.show(choice, known, 0 if rows is None else len(rows))
    battery_detail.show(known[battery_table.chosen(known)], judged, oracle, rows)


# ---- judged once for all sessions ----


@st.cache_resource
def _shared() -> LeastRecentlyUsed:
    return LeastRecentlyUsed(512)


def _oracle(choice: Choice) -> pd.DataFrame:
    """Verdicts of the truth; progress is drawn the first time."""
    place, found = st.empty(), []
    for done, check in enumerate(choice.checks):
        key = ("oracle", check, choice.readings)
        if key not in _shared():
            place.progress(done / len(choice.checks), f"Working out the truth of “{CHECKS[check].title}”")
        found.append(_shared().remembered(key, partial(_truth_judged, check, choice.readings)))
    place.empty()
    return _concatenated(found)


def _truth_judged(check: str, readings: tuple[str, ...]) -> pd.DataFrame:
    return judge(oracle_rows([check], readings), readings)


def _judged(choice: Choice, rows: pd.DataFrame) -> pd.DataFrame:
    """Verdicts of the rows; a check is judged again only when it has more rows."""
    parts = {str(name): part for name, part in rows.groupby("check", sort=False)}
    own = bool(rows["key"].notna().any())  # False for kept rows
    return _concatenated(
        _shared().remembered(
            (own, choice.key, choice.readings, each, len(parts[each])), partial(judge, parts[each], choice.readings)
        )
        for each in CHECKS
        if each in parts
    )


def _concatenated(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    found = [part for part in parts if len(part)]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=list(JUDGED))
