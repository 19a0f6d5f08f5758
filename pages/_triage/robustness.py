"""Part "How firm is it?": whether other families, other k or fewer samples change which checkpoint
wins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pandas as pd
import streamlit as st

from pages._live.figure import live_figure
from pages._shared import answers, best_setting, cache, work_box
from pages._shared.families import titles
from pages._shared.widgets import choose_one, plain, say_refusal
from pages._triage.checkpoints import CheckpointResults, by_score, copies_of, goal, noise, selected
from pages._triage.robustness_text import agreement, fewer_samples, goal_text, in_use, sign, verdict
from pages._triage.session import K, session
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.estimators.base import resolve_k
from prviz.figures import Contender, WonCell
from prviz.live.figure import Pane
from prviz.measure.estimates import Progress, passes
from prviz.measure.profiles import profile_pair
from prviz.measure.workload import estimate_seconds, fit_size
from prviz.studies.tasks import Row
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.ranking import listed
from prviz.triage.robustness import (
    WinnerMap,
    draw_map,
    kendall_between_families,
    rank_stability,
    winner_map,
)
from prviz.triage.stability import (
    COLUMNS,
    REPEATS,
    RobustnessGrid,
    StabilityTask,
    full_rows,
    known_rows,
    least,
    rows_in_use,
    scored,
    stability_seconds,
    stability_tasks,
    usual_ks,
    usual_shares,
)

IDEA = (
    "A ranking rests on choices: the **family** of classifiers, their **k**, and which samples were"
    " drawn. Here every checkpoint is measured again with others, and you see where the verdict"
    " would differ."
)
# Most measured rows of earlier requests that are stored for reuse.
_MOST_ROWS = 50_000
# Limits of one request: MOST_ROWS rows, MOST_CHARACTERS characters in the field for k, MOST_REPEATS
# draws of subsamples.
MOST_ROWS = 20_000
MOST_CHARACTERS = 200
MOST_REPEATS = 50
# The best k is the best of about this many values, equally spaced on a logarithmic scale.
MOST_KS = 24
OFFERED = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4)


def draw(found: CheckpointResults) -> None:
    st.markdown(IDEA)
    if found.measured and found.settings.split is not None:
        with st.expander(
            "Which k?", icon=":material/tune:", key="triage-best-k", on_change="rerun"
        ) as opened:
            if opened.open:
                _best_k(found)
    measured = _candidates(found, _measured(found))
    if len(measured) < 2:
        if found.complete:
            st.info(
                "Two measured checkpoints are needed: with one there is nothing to win.",
                icon=":material/info:",
            )
        return
    try:
        grid = _grid(found, measured)
        identity = tuple(
            (each.checkpoint.name, each.digests.generated, each.n_real) for each in measured
        )
        key = ("triage-firmness", found.reference.digest, found.settings, identity, grid)
        tasks = cache.remembered(
            (key, found.key),
            lambda: stability_tasks(found.reference, measured, found.load, found.settings, grid),
        )
    except (ValueError, TypeError) as error:
        say_refusal(plain(str(error)))
        return
    known = _known(key, found, tasks)
    left = [each for task in tasks if (each := task.left(known)) is not None]
    # estimated seconds for all tasks, as if each cost as much as the mean of those not measured yet
    seconds = stability_seconds(left) * len(tasks) / max(len(left), 1)
    request = work_box.WorkRequest(
        key, "Firmness", tasks, COLUMNS, seconds, private=True, known=known
    )
    names = [each.checkpoint.name for each in measured]

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        of = _Drawing(found=found, grid=grid, names=names, complete=complete)
        st.caption(
            f"{goal_text(goal())}. A checkpoint's score is (1 − g) P + g R with the goal g, from 0"
            " to 1, and the largest wins. P and R are the halves of the area under its"
            " precision-recall curve, each doubled: P where precision is the larger of the two, R"
            " where recall is."
        )
        table = scored(rows, goal())
        _winners(of.whole(full_rows(table)), of)
        if of.grid.shares:
            _fewer(of.whole(table), of)
        if len(of.grid.methods) > 1:
            _agreement(full_rows(rows_in_use(table)), of)

    work_box.box(request, draw)


def _best_k(found: CheckpointResults) -> None:
    """Draw the k with the lowest held-out risk for the selected checkpoint; without a selection,
    for the best one.
    """
    one = found.one(selected(found) or by_score(found)[0])
    settings = found.settings
    st.caption(f"For {plain(one.checkpoint.name)}; select another in the ranking.")
    try:
        pair = found.pair(one)
    except (ValueError, OSError) as error:
        say_refusal(plain(str(error)))
        return
    n = min(one.n_real, one.n_generated)
    measured = [name for name in settings.methods if ESTIMATORS[name].shares_pass]
    methods = tuple(dict.fromkeys([*DEFAULT_METHODS, *measured]))
    top = min(fit_size(n, settings.split) - 1, max(4 * math.isqrt(n), 60))
    now = resolve_k(settings.k, pair)
    even = {round(top ** (step / MOST_KS)) for step in range(MOST_KS + 1)}
    ks = tuple(sorted(even | {now}))
    work = passes(methods, split=settings.split, ks=len(ks))
    seconds = estimate_seconds(n, n, pair.d, **work)

    def measure(tick: Progress) -> Mapping[tuple[str, int], PRCurve]:
        profile = profile_pair(
            pair,
            methods,
            ks=ks,
            bandwidths=(),
            split=settings.split,
            seed=settings.seed,
            progress=tick,
        )
        return {(name, k): profile.curve(name, k) for name in methods for k in profile.ks}

    key = ("triage-best-k", one.digests, methods, ks, settings.split, settings.seed)
    curves = answers.tab_result(key, seconds, measure)
    supports = one.estimate.supports
    judged = supports.n_real, len(supports.c_real) - supports.n_real

    def take(k: int) -> None:
        st.session_state[K] = k

    if curves is not None and best_setting.draw(curves, 1.0, judged, now, take, key="triage-risk"):
        st.rerun()  # run the whole page again: the field for k is outside this fragment


def _measured(found: CheckpointResults) -> Sequence[MeasuredCheckpoint]:
    """The checkpoints to compare: all, once all are measured.

    Before that, the checkpoints with which the user has chosen to begin.
    """
    if found.complete:
        return found.measured
    begun = [each for each in found.measured if each.checkpoint.path in session().begun_with]
    count = len(found.measured)
    if len(begun) >= 2:
        st.caption(
            f"Of the {len(begun)} checkpoints that were measured when you took them;"
            f" {found.total} in all."
        )
        return begun
    st.info(
        f"{len(found.outcomes)} of {found.total} checkpoints are measured. This part begins when"
        " all are.",
        icon=":material/hourglass:",
    )
    if count >= 2:
        paths = tuple(each.checkpoint.path for each in found.measured)
        st.button(
            f"Begin with these {count}", on_click=lambda: setattr(session(), "begun_with", paths)
        )
    return []


def _candidates(
    found: CheckpointResults, measured: Sequence[MeasuredCheckpoint]
) -> Sequence[MeasuredCheckpoint]:
    """The checkpoints that do not copy the reference, as in the verdict; if all do, all
    checkpoints.
    """
    copies = copies_of(found) if measured else {}
    copied = {name for name, each in copies.items() if each.memorised}
    left = [each for each in measured if each.checkpoint.name not in copied]
    names = [each.checkpoint.name for each in measured if each not in left]
    if not left or not names:
        return measured
    st.caption(f"Left out, as copies of the reference: {plain(listed(names))}.")
    return left


def _known(
    key: Hashable, found: CheckpointResults, tasks: Sequence[StabilityTask]
) -> dict[str, Row]:
    """Rows of these tasks that are known: from the page's own measurements, and from earlier
    requests of this part.

    Stops an earlier request that still runs.
    """
    earlier: dict[str, Row] = cache.session().results.get("triage-firmness-rows") or {}
    latest = session().robustness_request
    if (
        latest is not None
        and latest != key
        and (run := cache.session().runs.get(latest)) is not None
    ):
        run.stop()
        earlier = {
            **earlier,
            **{row["key"]: row for row in cast(list[Row], run.rows().to_dict("records"))},
        }
        cache.session().results.put(
            "triage-firmness-rows", dict(list(earlier.items())[-_MOST_ROWS:])
        )
    session().robustness_request = key
    own = cache.remembered(
        ("triage-firmness-known", found.key, key),
        lambda: known_rows(
            tasks, [each for method in found.settings.methods for each in found.by(method)]
        ),
    )
    # earlier rows get the current names, as the user may have renamed a checkpoint since
    names = {key: task.checkpoint.name for task in tasks for key in task.keys}
    return {
        **{
            key: {**earlier[key], "checkpoint": name}
            for key, name in names.items()
            if key in earlier
        },
        **own,
    }


def _grid(found: CheckpointResults, measured: Sequence[MeasuredCheckpoint]) -> RobustnessGrid:
    """Draw the form for the families, values of k and subsamples that are to be measured.

    Raises ValueError if an entry is no number, or if the request has too many rows.
    """
    n = least(measured)
    settings = found.settings
    with st.expander("Families, k and subsamples", icon=":material/tune:"):
        # Offer only families that this split allows. By default those that are measured and the
        # standard ones are chosen.
        able = [
            name
            for name, each in ESTIMATORS.items()
            if settings.split is not None or not each.needs_split
        ]
        chosen = st.pills(
            "Families of classifiers",
            able,
            selection_mode="multi",
            default=[name for name in able if name in settings.methods or name in DEFAULT_METHODS],
            format_func=lambda name: ESTIMATORS[name].title,
            key=f"firmness.methods.{settings.split}.{'.'.join(settings.methods)}",
            help=(
                "Those that have neighbours k are measured at every k in one go; trained"
                " classifiers take the longest."
            ),
            persist_state="session",
        )
        if not chosen:
            raise ValueError("Families of classifiers: none is chosen; at least one is needed")
        methods = tuple(name for name in able if name in chosen)
        text = st.text_input(
            "Neighbours k",
            ", ".join(map(str, usual_ks(n, settings))),
            key=f"firmness.ks.{n}.{settings.k}.{settings.split}",
            max_chars=MOST_CHARACTERS,
            help=(
                "How many nearest neighbours a ball holds: from very local to smooth. The k of the"
                " settings is measured besides, if it is not listed. KDE's radius is the mean"
                " distance to the k-th neighbour."
            ),
            persist_state="session",
        )
        try:
            ks = tuple(sorted({int(part) for part in re.split(r"[,;\s]+", text or "") if part}))
        except ValueError:
            raise ValueError(
                f"Neighbours k: {text!r} was given; whole numbers are needed, such as 1, 4, 16"
            ) from None
        own = replace(settings, methods=methods)
        shares = st.pills(
            "Shares of the samples",
            usual_shares(n, own, OFFERED),
            selection_mode="multi",
            default=usual_shares(n, own),
            format_func=lambda share: (
                f"{'/'.join(map(str, share.as_integer_ratio()))} (n = "
                f"{round(share * found.reference.n):,})"
            ),
            key=f"firmness.shares.{n}.{found.reference.n}.{settings.k}.{settings.split}",
            help="The ranking is repeated on this share of the samples, drawn anew each time.",
            persist_state="session",
        )
        repeats = st.number_input(
            "Draws at each share",
            1,
            MOST_REPEATS,
            REPEATS,
            key="firmness.repeats",
            help="In one draw all checkpoints are measured against the same real samples.",
            persist_state="session",
        )
    grid = RobustnessGrid(
        methods=methods, ks=ks, shares=tuple(sorted(shares)), repeats=int(repeats)
    )
    rows = len(measured) * len(methods) * (len(ks) + len(shares) * grid.repeats)
    if rows > MOST_ROWS:
        raise ValueError(
            f"{rows:,} curves are asked for; at most {MOST_ROWS:,}: take fewer k, families or draws"
        )
    return grid


# ---- figures of the rows measured so far ----


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    """What the figures of this part are drawn from, besides the rows: the request and its
    checkpoints' names.

    complete : True once all rows are measured.
    """

    found: CheckpointResults
    grid: RobustnessGrid
    names: Sequence[str]
    complete: bool

    @property
    def contenders(self) -> dict[str, Contender]:
        """By the checkpoint's name, the letter and colour for it, which depend on its place in the
        list.
        """
        color = figures.colors(self.names)
        return {name: Contender(sign(place), color[name]) for place, name in enumerate(self.names)}

    @property
    def signs(self) -> dict[str, str]:
        return {name: each.sign for name, each in self.contenders.items()}

    def whole(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows if all checkpoints have rows, else none of them.

        The winner among some checkpoints need not be the winner among all.
        """
        if rows["checkpoint"].nunique() == len(self.names):
            return rows
        return rows[:0]


def _winners(rows: pd.DataFrame, of: _Drawing) -> None:
    st.subheader("Who wins, by family and k", anchor=False)
    chance = noise(of.found)
    try:
        won = winner_map(rows, chance)
    except ValueError:
        st.caption("The map begins when every checkpoint is measured by one family.")
        return
    st.markdown(("" if of.complete else "So far: ") + verdict(won, of.signs, chance))
    # With k = √n and sets of different sizes, the page's settings give several k.
    ks_in_use = sorted({each.k for each in of.found.measured if each.k is not None})
    if settings := in_use(won, of.found.method, ks_in_use, of.signs):
        st.markdown(settings)
    every = sorted({*of.grid.ks, *(k for k in won.ks if k is not None)})
    ks: list[int | None] = [*every] if any(k is not None for k in won.ks) else [None]

    def words(method: str, k: int | None) -> str:
        title = figures.plain(ESTIMATORS[method].title)
        if k is None:
            return title
        return f"{title}, k = {k}"

    figure = figures.winners_figure(
        _cells(won, of.grid.methods, ks, words),
        of.contenders,
        rows=[ESTIMATORS[name].title for name in of.grid.methods],
        columns=["any" if k is None else str(k) for k in ks],
        column_title="neighbours k",
    )
    caption = (
        "Each cell: the checkpoint with the largest score by that family at that k, all samples"
        " used; hover it to see by how much it is ahead; empty: by no more than chance. The verdict"
        " is who wins most cells; a family without k counts at every k. A dashed border: another"
        " checkpoint than the verdict wins there."
    )
    live_figure("firmness-winners", [Pane("winners", figure, caption=caption, wide=True)])
    with st.expander("Every cell as a table"):
        _table(won)


def _table(won: WinnerMap) -> None:
    listed = []
    for cell in won.cells:
        title = ESTIMATORS[won.methods[cell.row]].title
        winner = cell.winner or "chance"
        listed.append((title, won.ks[cell.column], winner, cell.margin, cell.flips))
    table = pd.DataFrame(listed, columns=["family", "k", "winner", "ahead by", "flips"])
    st.dataframe(table.round({"ahead by": 4}), hide_index=True)


def _cells(
    won: WinnerMap,
    rows: Sequence[str],
    columns: Sequence[int | None],
    words: Callable[[str, Any], str],
) -> list[WonCell]:
    """The cells of the map that have a winner, each with its row and column in the figure."""
    found = []
    for cell in won.won:
        row = won.methods[cell.row]
        column = won.ks[cell.column]
        if row in rows and column in columns:
            text = f"{words(row, column)}<br>{_ahead(cell.margin)}"
            place = (rows.index(row), columns.index(column))
            found.append(WonCell(*place, str(cell.winner), text, cell.flips))
    return found


def _ahead(margin: float) -> str:
    if math.isnan(margin):
        return "nobody else"
    if margin >= 0.0005:
        return f"ahead of the next by {margin:.3f}"
    return f"ahead of the next by only {margin:.1g}"


def _fewer(rows: pd.DataFrame, of: _Drawing) -> None:
    st.subheader("Who wins on fewer samples", anchor=False)
    method = _family(of)
    own = rows_in_use(rows, method)
    try:
        stability = rank_stability(own)
        drawn = draw_map(own)
    except ValueError:
        st.caption("This begins when every checkpoint is measured on one subsample.")
        return
    if float(own["share"].max()) < 1.0:
        return
    text = fewer_samples(stability, method, drawn.verdict, of.signs)
    st.markdown(("" if of.complete else "So far: ") + text)
    winners = figures.winners_figure(
        _cells(drawn, drawn.methods, drawn.ks, lambda draw, n: f"{draw}, n = {n:,}"),
        of.contenders,
        rows=drawn.methods,
        columns=[f"{n:,}" for n in drawn.ks],
        column_title="real samples n",
        flipped="dashed border: not the winner of all samples",
    )
    lines = figures.fewer_samples_figure(
        *(stability[name].tolist() for name in ("n", "same_winner", "tau"))
    )
    panes = [
        Pane(
            "draws",
            winners,
            "The winner of every draw",
            "Each draw takes another part of the real and of the generated samples, the same real"
            " ones for all checkpoints; k follows n as the settings say. A dashed border: not the"
            " winner of all samples.",
            half=True,
        ),
        Pane(
            "fewer",
            lines,
            "How far the ranking holds",
            "Solid line: share of the draws won by the winner of all samples. Dotted line:"
            " Kendall's τ, how alike the order of a draw is to that of all samples, mean over the"
            " draws: 1 the same order, 0 unrelated, −1 reversed. Two draws of half the samples have"
            " half of them in common, on average.",
            half=True,
        ),
    ]
    live_figure("firmness-fewer", panes)
    with st.expander("These numbers as a table"):
        shown = stability.rename(
            columns={"tau": "Kendall's τ", "same_winner": "same winner", "winner": "most wins"}
        )
        st.dataframe(shown.round(3), hide_index=True)


def _family(of: _Drawing) -> str:
    """Draw the choice of a family; return the chosen one. The default is the family of the scores,
    if the request contains it.
    """
    methods = of.grid.methods
    first = of.found.method if of.found.method in methods else methods[0]
    if len(methods) == 1:
        return first
    key = f"firmness.family.{first}"
    if st.session_state.get(key) not in methods:
        st.session_state.pop(key, None)
    return choose_one(
        "Family in this part", titles(methods), first, key=key, persist_state="session"
    )


def _agreement(rows: pd.DataFrame, of: _Drawing) -> None:
    st.subheader("Do the families agree?", anchor=False)
    whole = rows.groupby("method")["checkpoint"].nunique()
    known = [name for name in of.grid.methods if whole.get(name, 0) == len(of.names)]
    if len(known) < 2:
        st.caption("This begins when two families have measured every checkpoint.")
        return
    table = kendall_between_families(rows[rows["method"].isin(known)]).reindex(
        index=known, columns=known
    )
    st.markdown(agreement(table))
    figure = figures.agreement_figure(known, table.to_numpy().tolist())
    caption = (
        "Kendall's τ between the orders in which two families put the checkpoints, all samples and"
        " the k in use: of all pairs of checkpoints, the share ordered alike less the share ordered"
        " the other way round. 1: the same order, 0: unrelated, −1: reversed."
        + (" Of two checkpoints it can only be 1 or −1." if len(of.names) == 2 else "")
    )
    live_figure(
        "firmness-agreement", [Pane("agreement", figure, caption=caption, wide=len(known) > 6)]
    )
