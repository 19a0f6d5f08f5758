"""Section of the bias lab: 15 sanity checks, with the verdicts of any reading and of the truth itself."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd
import streamlit as st

from pages._lab import battery_detail, battery_table
from pages._lab.battery_choice import Choice, choose
from pages._lab.battery_text import SIDES, SIGNS
from pages._lab.experiment_text import facts
from pages._shared import cache
from pages._shared.text import plain
from pages._shared.work_box import WorkRequest, box
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

IDEA = (
    "A paper of 2025 requires of every score of generative models what common sense does: 1 where both distributions "
    "are equal, less where they differ, the same in any unit of a feature. Of its 15 such checks **every published "
    "score failed many**. Here you run them on any number, also on curves, and see beside each verdict **what the "
    "truth scores**: a perfect estimator, under the same reading. Where the truth passes, a failure says that *the "
    "estimator is wrong*. Where the truth fails too, *the check asks for something else*."
)


def show() -> None:
    choice = choose()
    if choice is None:
        return
    _explanation()
    tasks = battery_tasks(choice.checks, choice.readings, choice.mode)
    seconds = battery_seconds(tasks) / available_threads()
    oracle = _oracle(choice)

    def draw(rows: pd.DataFrame | None) -> None:
        _draw(choice, oracle, rows)

    work = WorkRequest(choice.key, f"Sanity battery {choice.mode}", tasks, COLUMNS, seconds)
    box(work, lambda rows, _: draw(rows), before=lambda: _before(choice, oracle))


def _before(choice: Choice, oracle: pd.DataFrame) -> None:
    """Before a measurement: draw the kept rows of the published pairs at full size, if one is chosen."""
    found = _kept(choice)
    if found is not None:
        told = facts(found.facts)
        st.caption(f"Kept, of the published pairs in the paper's setting ({setting('paper')}): {plain(told)}")
    _draw(choice, oracle, None if found is None else found.rows)


def _kept(choice: Choice) -> KeptRows | None:
    """The kept rows of the chosen checks and pairs."""
    scores = [name for name in choice.readings if name in SCORES]
    if not scores:
        return None
    try:
        found: KeptRows | None = _shared().remembered(("kept", choice.checks), lambda: kept(choice.checks))
    except ValueError as error:
        st.warning(plain(f"The kept rows can't be shown: {error}."), icon=":material/broken_image:")
        return None
    return None if found is None else KeptRows(found.rows[found.rows["method"].isin(scores)], found.facts)


def _explanation() -> None:
    with st.expander("How to read the table", icon=":material/help:"):
        st.markdown("\n".join([*(f"- {words}" for words in SIDES.values()), SIGNS]))
        st.markdown("What a check asks for:")
        st.markdown("\n".join(f"- **{tag}**: {words}" for tag, words in TAGS.items()))


def _draw(choice: Choice, oracle: pd.DataFrame, rows: pd.DataFrame | None) -> None:
    """Draw table and detail, for any number of rows measured so far."""
    judged = pd.DataFrame(columns=list(JUDGED)) if rows is None else _judged(choice, rows)
    known = battery_table.cells(choice, oracle, judged)
    battery_table.show(choice, known, 0 if rows is None else len(rows))
    battery_detail.show(known[battery_table.chosen(known)], judged, oracle, rows)


# ---- judged once for all sessions ----


@st.cache_resource
def _shared() -> cache.LeastRecentlyUsed:
    return cache.LeastRecentlyUsed(512)


def _oracle(choice: Choice) -> pd.DataFrame:
    """Verdicts of the truth; progress is drawn the first time."""
    place, found = st.empty(), []
    for done, check in enumerate(choice.checks):
        key = ("oracle", check, choice.readings)
        if key not in _shared():
            place.progress(done / len(choice.checks), f"Working out the truth of “{CHECKS[check].title}”")
        found.append(_shared().remembered(key, partial(_true, check, choice.readings)))
    place.empty()
    return _concatenated(found)


def _true(check: str, readings: tuple[str, ...]) -> pd.DataFrame:
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
