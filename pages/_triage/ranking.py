"""Part of the Triage page: which checkpoint is best for a goal, and how sure the samples are of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared import answers, cache
from pages._shared.text import plain
from pages._triage.checkpoints import NONE_YET, CheckpointResults, select, selected
from pages._triage.possible import ceiling_of, copies_of
from pages._triage.session import GOAL, PRESET, RANKING_TABLE, session
from pages._work.jobs import Progress
from prviz.estimators import ESTIMATORS
from prviz.figures.triage_ranking import RankedLine, ranking_figure, sides_figure
from prviz.triage.measured import REPLICATES, PairDigests
from prviz.triage.memorisation import memorised_text
from prviz.triage.ranking import (
    AT_MOST,
    AreaSides,
    SharedReference,
    in_order,
    largest_scores,
    listed,
    ranking,
    score,
    share_text,
    sides,
    together,
    verdict,
)
from prviz.triage.robustness import kendall_between_families
from prviz.triage.stability import least
from prviz.triage.yardstick import CeilingShare, shares_of_ceiling
from prviz.uncertainty.bootstrap import LEVEL

BALANCED = 0.5
PRESETS = {"Precision first": 0.0, "Balanced: AuC": BALANCED, "Recall first": 1.0}
BOOTSTRAP, CONFIDENCE = REPLICATES, LEVEL
# Least number of replicates while results come in: each new one needs another bootstrap, computed at once.
LEAST_BOOTSTRAP = 20
# Cost of one curve of a replicate, on one core: seconds = BASE + SAMPLE * samples of a role.
BASE_SECONDS, SAMPLE_SECONDS = 3e-4, 4e-8
# Visible rows of the table, and their height in pixels.
MOST_ROWS = 12
_ROW_PIXELS = 33
_BEATEN = "By another checkpoint that is better in precision and in recall at once."
_BEST = "Share of the resamplings in which this checkpoint has the highest score; ties are divided equally."
_OF_REAL = "The score as a share of the ceiling: the score that real samples get against real ones."
_LOSES = "Share of the resamplings in which this checkpoint scores less than the first."


def draw(found: CheckpointResults) -> None:
    if not found.measured:
        st.info(NONE_YET)
        return
    st.session_state.setdefault(GOAL, BALANCED)
    now = {value: name for name, value in PRESETS.items()}.get(st.session_state[GOAL])
    if st.session_state.get(PRESET) != now:
        st.session_state[PRESET] = now
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control("What the best is to be best at", list(PRESETS), key=PRESET, on_change=_take_preset)
        st.slider(
            "Goal g, from precision first (0) to recall first (1)",
            0.0,
            1.0,
            step=0.05,
            key=GOAL,
            persist_state="session",
            help="The score is (1 - g) times the precision side of a curve plus g times its recall side.",
        )
    replicates = _replicates(found)
    if replicates is None:
        return
    table = _ranked(found, replicates)
    shares = _shares(found, replicates)
    _say_verdict(found, table, shares)
    # What the ranking lacks so far.
    left, new = found.total - len(found.outcomes), len(found.measured) - len(table)
    words = [f"**So far:** a ranking of the {len(table)} measured first"] if left or new else []
    words += [f"{left} more are still to come"] if left else []
    words += [f"{new} are being worked in"] if new else []
    if replicates.bootstrap < BOOTSTRAP:
        words.append(f"from {replicates.bootstrap} resamplings for now, {BOOTSTRAP} in the end")
    if words:
        st.markdown(f"{'; '.join(words)}.")
    if agreement := _families(found):
        st.markdown(agreement)
    _table(found, table, shares)
    _figures(found, table)
    _explained(found, len(table), replicates.bootstrap)


def _say_verdict(found: CheckpointResults, table: pd.DataFrame, shares: Mapping[str, CeilingShare]) -> None:
    """Draw the warning on copies, which outranks the ranking, and the verdict: green where the ceiling is reached."""
    text = verdict(table, plain, least(found.measured))
    memorised = memorised_text({plain(name): each for name, each in (copies_of(found) or {}).items()})
    if memorised:
        st.error(memorised.replace("\n  ", "\n- "), icon=":material/content_copy:")
    share = shares.get(table["checkpoint"].iloc[0])
    text += "" if share is None else f" It {share.sentence}."
    if len(table) < 2:
        st.info(text, icon=":material/hourglass_empty:")
    elif memorised or table["tied_with_best"].iloc[0]:
        st.warning(text, icon=":material/balance:")
    elif share is None or not share.reaches_ceiling:
        st.warning(text, icon=":material/trophy:")
    else:
        st.success(text, icon=":material/trophy:")


def _shares(found: CheckpointResults, replicates: Replicates) -> Mapping[str, CeilingShare]:
    """Shares of the ceiling by the checkpoint's name; empty until the ceiling is measured."""
    known = ceiling_of(found)
    if known is None:
        return {}
    measured, own = [found.one(name) for name in replicates.digests], replicates.together
    ceiling, seed = known.yardstick.ceiling[found.method], found.settings.seed
    return shares_of_ceiling(measured, ceiling, goal(), seed, own=own, top=known.replicates[found.method])


def noise(found: CheckpointResults) -> float:
    """The margin that tells a checkpoint from the best with the settings in use, at the median; 0 while unknown."""
    replicates = _replicates(found)
    margins = np.zeros(0) if replicates is None else _ranked(found, replicates)["margin"].to_numpy()[1:]
    return float(np.median(margins)) if len(margins) else 0.0


def _ranked(found: CheckpointResults, replicates: Replicates) -> pd.DataFrame:
    names = list(replicates.digests)
    steps = [found.one(name).checkpoint.step for name in names]
    return ranking(replicates.together, names, goal(), CONFIDENCE, steps=steps)


class Replicates(NamedTuple):
    """Replicates, with the family, settings and reference that they are of, and the checkpoints' digests by name."""

    of: tuple[Any, ...]
    digests: Mapping[str, PairDigests]
    bootstrap: int
    together: SharedReference


def goal() -> float:
    """The page's goal, from precision first (0) to recall first (1)."""
    return float(st.session_state.get(GOAL, BALANCED))


def sides_of(found: CheckpointResults) -> Mapping[str, Mapping[str, AreaSides]]:

    def compute() -> Mapping[str, Mapping[str, AreaSides]]:
        methods = found.settings.methods
        return {name: {each.checkpoint.name: sides(each.curve) for each in found.by(name)} for name in methods}

    return cache.remembered(("triage-sides", found.key), compute)


def by_score(found: CheckpointResults) -> list[str]:
    """Names by score, best first, without a bootstrap."""
    wanted, known = goal(), sides_of(found)[found.method]
    return sorted(known, key=lambda name: (-known[name].score(wanted), name))


def _replicates(found: CheckpointResults) -> Replicates | None:
    """All replicates, or the former ones while a job computes these; None, with a message, if there are none yet."""
    ordered = in_order(found.measured)
    digests = {each.checkpoint.name: each.digests for each in ordered}
    cost = sum(
        len(each.estimate.runs) * (BASE_SECONDS + SAMPLE_SECONDS * len(each.estimate.supports.c_real) / 2)
        for each in found.measured
    )
    most = int(answers.INLINE_SECONDS / cost)
    bootstrap = BOOTSTRAP if found.complete else min(max(most, LEAST_BOOTSTRAP), BOOTSTRAP)
    of = (found.method, found.settings, ordered[0].digests.real)
    key = ("triage-ranking", of, tuple(digests.values()), bootstrap)  # a checkpoint may have another name by now

    def compute(progress: Progress) -> Replicates:
        return Replicates(of, digests, bootstrap, together(ordered, bootstrap, found.settings.seed, progress))

    kept = session()
    if answers.ready(key, bootstrap * cost, compute):
        kept.replicates = cache.remembered(key, lambda: compute(lambda _: None))._replace(digests=digests)
        return kept.replicates
    last = kept.replicates
    holds = last is not None and last.of == of and last.digests.items() <= digests.items()
    return last if holds else None


def _take_preset() -> None:
    name = st.session_state.get(PRESET)
    if name in PRESETS:
        st.session_state[GOAL] = PRESETS[name]


def _families(found: CheckpointResults) -> str:
    methods, known, wanted = found.settings.methods, sides_of(found), goal()
    shared = sorted(set.intersection(*(set(known[method]) for method in methods)))
    if len(methods) < 2 or len(shared) < 2:
        return ""
    rows = pd.DataFrame(
        [(name, method, known[method][name].score(wanted)) for method in methods for name in shared],
        columns=["checkpoint", "method", "score"],
    )
    first: dict[str, list[str]] = {}
    for method, own in rows.groupby("method", sort=False):
        best = own.sort_values(["score", "checkpoint"], ascending=[False, True])["checkpoint"].iloc[0]
        first.setdefault(best, []).append(plain(ESTIMATORS[str(method)].title))
    if len(first) == 1:
        words = f"All {len(methods)} families put **{plain(next(iter(first)))}** first."
    else:
        each = [f"**{plain(name)}** is first by {listed(titles)}" for name, titles in first.items()]
        words = f"The families don't agree on the best: {'; '.join(each)}."
    taus = kendall_between_families(rows).to_numpy()
    taus = taus[np.triu_indices(len(taus), 1)]
    taus = taus[np.isfinite(taus)]
    if len(taus):
        low, high = f"{taus.min():.2f}", f"{taus.max():.2f}"
        between = f"is {low}" if low == high else f"lies between {low} and {high}"
        words += f" Between their orders of all checkpoints Kendall's τ {between} (1: the same order, -1: the reverse)."
    return f"{words} *How firm is it?* looks closer."


def _table(found: CheckpointResults, table: pd.DataFrame, shares: Mapping[str, CeilingShare]) -> None:
    """Draw the table, best first; the selected row is the selected checkpoint."""
    names = table["checkpoint"].tolist()
    session().ranking_names = names
    name = selected(found)
    rows = [names.index(name)] if name in names else []
    if _rows() != rows:
        st.session_state[RANKING_TABLE] = {"selection": {"rows": rows, "columns": [], "cells": []}}
    against = ["may be best too" if tied else "worse" for tied in table["tied_with_best"]]
    against[0] = "take this one"
    shown = pd.DataFrame(
        {
            "place": range(1, len(table) + 1),
            "checkpoint": table["checkpoint"],
            "step": table["step"],
            "score": table["score"],
            "low": table["low"],
            "high": table["high"],
            "real": [100 * shares[name].share if name in shares else None for name in names],
            "most": table["checkpoint"].map(largest_scores(found.measured, goal())).astype(float),
            "best": 100 * table["best"],
            "against": against,
            "loses": ["", *map(share_text, table["loses"][1:])],
            "front": np.where(table["front"], "by none", "by another"),
        }
    )
    percent = f"{100 * CONFIDENCE:g} %"
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    st.dataframe(
        shown.dropna(axis="columns", how="all"),
        hide_index=True,
        column_config={
            "place": number("Place", width=60),
            "checkpoint": text("Checkpoint"),
            "step": number("Step", width=70),
            "score": number("Score", format="%.3f", width=70),
            "low": number(f"{percent} from", format="%.3f", width=85, help="Lower end of the score's interval."),
            "high": number("to", format="%.3f", width=70, help="Upper end of the score's interval."),
            "real": number("Of real data's", format="%.0f %%", width=105, help=_OF_REAL),
            "most": number("At most, 95 %", format="%.3f", width=110, help=AT_MOST),
            "best": number("Probability of being best", format="%.1f %%", width=165, help=_BEST),
            "against": text("Against the first"),
            "loses": text("Loses to the first in", help=_LOSES),
            "front": text("Beaten on both sides?", help=_BEATEN),
        },
        height=_ROW_PIXELS * (min(len(shown), MOST_ROWS) + 1) + 3,
        key=RANKING_TABLE,
        on_select=_take_row,
        selection_mode="single-row",
        alt="Ranking of the checkpoints, best first",
    )


def _rows() -> list[int]:
    state = st.session_state.get(RANKING_TABLE) or {}
    return list(state.get("selection", {}).get("rows", []))


def _take_row() -> None:
    names, rows = session().ranking_names, _rows()
    select(names[rows[0]] if rows and rows[0] < len(names) else None)


def _figures(found: CheckpointResults, table: pd.DataFrame) -> None:
    fields = ["checkpoint", "score", "low", "high", "tied_with_best", "front", "precision", "recall"]
    lines = [RankedLine(*row) for row in table[fields].itertuples(index=False, name=None)]
    name, front = selected(found), int(table["front"].sum())
    known = ceiling_of(found)
    top = None if known is None else score(known.yardstick.ceiling[found.method].curve, goal())
    source = "" if known is None else f" The dotted one is the score of real data: {known.yardstick.source}."
    beaten = f"{front} of {len(lines)} (filled, on the dotted stairs) are beaten by no other in both directions. "
    if len(lines) == 1:
        beaten = " "
    elif front == 1:
        beaten = "One (filled) beats all others in both directions: it is best at every goal. "
    panes = [
        Pane(
            "triage-ranking-intervals",
            ranking_figure(lines, selected=name, level=CONFIDENCE, ceiling=top),
            f"Scores and their {100 * CONFIDENCE:g} % intervals, best first",
            f"The numbers of the table. The dashed line is the score of the best.{source}",
            half=True,
        ),
        Pane(
            "triage-ranking-sides",
            sides_figure(lines, goal(), selected=name),
            "Precision side against recall side",
            f"Up and to the right is better. {beaten}Everything on the dashed line would "
            "score as much as the best at this goal; the slider turns it.",
            half=True,
        ),
    ]
    live_figure("triage-ranking", panes)


def _explained(found: CheckpointResults, count: int, bootstrap: int) -> None:
    first = [each.estimate.supports for each in found.measured]
    generated = sorted({len(run.c_real) - run.n_real for run in first})
    between = f"{generated[0]:,}" + (f" to {generated[-1]:,}" if len(generated) > 1 else "")
    possible = (
        f"A checkpoint **may be best too** unless one that may be best scores more by a margin that chance alone would "
        f"not show, in {100 * CONFIDENCE:g} % of the cases; those far behind change nothing. Intervals may overlap all "
        "the same, since all checkpoints are compared on the same real samples. The number of samples that would "
        "settle it holds if the scores stay as they are."
    )
    st.caption(
        f"**The interval** holds {100 * CONFIDENCE:g} % of the scores that came out when the evaluation samples were "
        f"drawn again, with replacement, {bootstrap} times, the real ones together for all checkpoints. It "
        "covers the choice of these samples alone: not the samples that the family was fitted on, and not its bias, "
        "which cancels between two checkpoints as far as both have the same. Overview resamples each checkpoint by "
        f"itself, so its intervals differ a little.\n\n{possible * (count > 1)} **n** is the number of "
        f"evaluation samples: {first[0].n_real:,} real and {between} generated."
    )
    with st.expander("What is the score?", icon=":material/help:"):
        st.markdown(
            "Each ray from the origin of the precision-recall plane meets a curve in one point; there precision is α, "
            "recall β, and λ = α / β says which of the two is the larger.\n"
            "- **P**, the precision side, sums up the half of the curve with λ ≥ 1: the mean of α² over its rays, even "
            "in 1 / λ.\n"
            "- **R**, the recall side, sums up the half with λ ≤ 1: the mean of β² over its rays, even in λ.\n"
            "- **Score** = (1 - g) P + g R, with the goal g. At g = 0.5 it is AuC, the area under the curve.\n\n"
            "All are between 0 and 1; 1 is a perfect generator. A curve that lies above another everywhere scores at "
            "least as much at every goal, and the best at any goal is beaten by none on both sides at once."
        )
