"""Part of the Triage page: how robust the verdict is to other families, other k and fewer samples."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared import answers, best_setting, cache, work_box
from pages._shared.families import titles
from pages._shared.text import plain
from pages._shared.widgets import choose_one
from pages._triage.checkpoints import CheckpointResults, selected
from pages._triage.ranking import by_score, goal, noise
from pages._triage.session import K, session
from pages._work.jobs import Progress
from prviz import figures
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.estimators.base import resolve_k
from prviz.figures import Contender
from prviz.measure.estimates import passes
from prviz.measure.profiles import profile_pair
from prviz.measure.workload import estimate_seconds, fit_size
from prviz.studies.tasks import Row
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.robustness import WinnerMap, draw_map, kendall_between_families, rank_stability, winner_map
from prviz.triage.stability import (
    COLUMNS,
    REPEATS,
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
    "A ranking rests on choices: the **family** of classifiers that the curves come from, the number of neighbours "
    "**k** that most of them have, and which samples were drawn. Here every checkpoint is measured again with other "
    "families, other k and fewer samples, each time the best one is noted, and you see where the verdict "
    "would differ. Moving the goal updates all of it without measuring again."
)
# Most rows of former requests that are reused.
_MOST_ROWS = 50_000
# Most rows, characters and draws that one page may request of the server.
MOST_ROWS, MOST_CHARACTERS, MOST_REPEATS = 20_000, 200, 50
# Numbers of k, evenly on a log scale, among which the best is looked for.
MOST_KS = 24
OFFERED = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4)


class RobustnessGrid(NamedTuple):
    """The request: families, k besides the one in use, shares of the samples, and draws of each share."""

    methods: tuple[str, ...]
    ks: tuple[int, ...]
    shares: tuple[float, ...]
    repeats: int


def draw(found: CheckpointResults) -> None:
    st.markdown(IDEA)
    if found.measured and found.settings.split is not None:
        with st.expander("Which k?", icon=":material/tune:", key="triage-best-k", on_change="rerun") as opened:
            if opened.open:
                _best_k(found)
    measured = _measured(found)
    if len(measured) < 2:
        if found.complete:
            st.info("Two measured checkpoints are needed: with one there is nothing to win.", icon=":material/info:")
        return
    try:
        grid = _grid(found, measured)
        identity = tuple((each.checkpoint.name, each.digests.generated, each.n_real) for each in measured)
        key = ("triage-firmness", found.reference.digest, found.settings, identity, grid)
        tasks = cache.remembered(
            (key, found.key),
            lambda: stability_tasks(found.reference, measured, found.load, found.settings, **grid._asdict()),
        )
    except (ValueError, TypeError) as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    known = _known(key, found, tasks)
    left = [each for task in tasks if (each := task.left(known)) is not None]
    seconds = stability_seconds(left) * len(tasks) / max(len(left), 1)  # of all, each at the mean cost of those left
    request = work_box.WorkRequest(key, "Firmness", tasks, COLUMNS, seconds, private=True, known=known)
    names = [each.checkpoint.name for each in measured]

    def draw(rows: pd.DataFrame, complete: bool) -> None:
        of = _Drawing(found=found, grid=grid, names=names, complete=complete)
        st.caption(
            f"{goal_text(goal())}. A checkpoint's score is (1 − g) P + g R with the goal g, from 0 to 1, and the "
            "largest wins. P and R are the halves of the area under its precision-recall curve, each doubled: P where "
            "precision is the larger of the two, R where recall is."
        )
        table = scored(rows, goal())
        _winners(of.whole(full_rows(table)), of)
        if of.grid.shares:
            _fewer(of.whole(table), of)
        if len(of.grid.methods) > 1:
            _agreement(full_rows(rows_in_use(table)), of)

    work_box.box(request, draw)


def _best_k(found: CheckpointResults) -> None:
    """The k of the lowest held-out risk for the selected checkpoint, else for the one of the highest score."""
    one, settings = found.one(selected(found) or by_score(found)[0]), found.settings
    st.caption(f"For {plain(one.checkpoint.name)}; select another in the ranking.")
    try:
        pair = found.pair(one)
    except (ValueError, OSError) as error:
        st.error(plain(str(error)), icon=":material/block:")
        return
    n, d = min(one.n_real, one.n_generated), pair.d
    methods = tuple(
        dict.fromkeys([*DEFAULT_METHODS, *(name for name in settings.methods if ESTIMATORS[name].shares_pass)])
    )
    top = min(fit_size(n, settings.split) - 1, max(4 * math.isqrt(n), 60))
    ks = tuple(sorted({round(top ** (step / MOST_KS)) for step in range(MOST_KS + 1)} | {resolve_k(settings.k, pair)}))
    seconds = estimate_seconds(n, n, d, **passes(methods), split=settings.split, ks=len(ks))  # type: ignore[misc]

    def measure(tick: Progress) -> Mapping[tuple[str, int], PRCurve]:
        options = {"split": settings.split, "seed": settings.seed}
        profile = profile_pair(pair, methods, ks=ks, bandwidths=(), progress=tick, **options)  # type: ignore[arg-type]
        return {(name, k): profile.curve(name, k) for name in methods for k in profile.ks}

    key = ("triage-best-k", one.digests, methods, ks, settings.split, settings.seed)
    curves = answers.tab_result(key, seconds, measure)
    supports = one.estimate.supports
    judged = supports.n_real, len(supports.c_real) - supports.n_real

    def take(k: int) -> None:
        st.session_state[K] = k

    if curves is not None and best_setting.draw(
        curves, 1.0, judged, resolve_k(settings.k, pair), take, key="triage-risk"
    ):
        st.rerun()  # the setting is above this fragment


def _measured(found: CheckpointResults) -> Sequence[MeasuredCheckpoint]:
    """All checkpoints; while others are still being measured, those that the user began with."""
    if found.complete:
        return found.measured
    begun = [each for each in found.measured if each.checkpoint.path in session().begun_with]
    count = len(found.measured)
    if len(begun) >= 2:
        st.caption(f"Of the {len(begun)} checkpoints that were measured when you took them; {found.total} are to come.")
        return begun
    st.info(
        f"{len(found.outcomes)} of {found.total} checkpoints are measured. This part begins when all are.",
        icon=":material/hourglass:",
    )
    if count >= 2:
        paths = tuple(each.checkpoint.path for each in found.measured)
        st.button(f"Begin with these {count}", on_click=lambda: setattr(session(), "begun_with", paths))
    return []


def _known(key: Hashable, found: CheckpointResults, tasks: Sequence[StabilityTask]) -> dict[str, Row]:
    """Rows known already, from the measurements and from the form's former request, whose run is stopped."""
    earlier: dict[str, Row] = cache.session().results.get("triage-firmness-rows") or {}
    latest = session().robustness_request
    if latest is not None and latest != key and (run := cache.session().runs.get(latest)) is not None:
        run.stop()
        earlier = {**earlier, **{row["key"]: row for row in cast(list[Row], run.rows().to_dict("records"))}}
        cache.session().results.put("triage-firmness-rows", dict(list(earlier.items())[-_MOST_ROWS:]))
    session().robustness_request = key
    own = cache.remembered(
        ("triage-firmness-known", found.key, key),
        lambda: known_rows(tasks, [each for method in found.settings.methods for each in found.by(method)]),
    )
    names = {key: task.checkpoint.name for task in tasks for key in task.keys}  # the user may have renamed a checkpoint
    return {**{key: {**earlier[key], "checkpoint": name} for key, name in names.items() if key in earlier}, **own}


def _grid(found: CheckpointResults, measured: Sequence[MeasuredCheckpoint]) -> RobustnessGrid:
    """Draw the form. Raises ValueError for an entry that is no number, or for too many rows."""
    n, settings = least(measured), found.settings
    with st.expander("Families, k and subsamples", icon=":material/tune:"):
        # Those that the split allows; first those measured and the default ones.
        able = [name for name, each in ESTIMATORS.items() if settings.split is not None or not each.needs_split]
        chosen = st.pills(
            "Families of classifiers",
            able,
            selection_mode="multi",
            default=[name for name in able if name in settings.methods or name in DEFAULT_METHODS],
            format_func=lambda name: ESTIMATORS[name].title,
            key=f"firmness.methods.{settings.split}.{'.'.join(settings.methods)}",
            help="Those that have neighbours k are measured at every k in one go; trained classifiers take the "
            "longest.",
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
            help="How many nearest neighbours a ball holds: from very local to smooth. The k of the settings is "
            "measured besides, if it is not listed. KDE's radius is the mean distance to the k-th neighbour.",
            persist_state="session",
        )
        try:
            ks = tuple(sorted({int(part) for part in re.split(r"[,;\s]+", text or "") if part}))
        except ValueError:
            raise ValueError(f"Neighbours k: {text!r} was given; whole numbers are needed, such as 1, 4, 16") from None
        own = replace(settings, methods=methods)
        shares = st.pills(
            "Shares of the samples",
            usual_shares(n, own, OFFERED),
            selection_mode="multi",
            default=usual_shares(n, own),
            format_func=lambda share: (
                f"{'/'.join(map(str, share.as_integer_ratio()))} (n = {round(share * found.reference.n):,})"
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
    grid = RobustnessGrid(methods=methods, ks=ks, shares=tuple(sorted(shares)), repeats=int(repeats))
    rows = len(measured) * len(methods) * (len(ks) + len(shares) * grid.repeats)
    if rows > MOST_ROWS:
        raise ValueError(f"{rows:,} curves are asked for; at most {MOST_ROWS:,}: take fewer k, families or draws")
    return grid


# ---- the rows so far ----


@dataclass(frozen=True, kw_only=True)
class _Drawing:
    """What the figures are of: the request, and the names of its checkpoints. complete : True if all is measured."""

    found: CheckpointResults
    grid: RobustnessGrid
    names: Sequence[str]
    complete: bool

    @property
    def contenders(self) -> dict[str, Contender]:
        """Letter and colour of every checkpoint, by its place in the list."""
        color = figures.colors(self.names)
        return {name: Contender(sign(place), color[name]) for place, name in enumerate(self.names)}

    @property
    def signs(self) -> dict[str, str]:
        return {name: each.sign for name, each in self.contenders.items()}

    def whole(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows, or none of them while a checkpoint has none: its winner would not be the winner of all."""
        return rows if rows["checkpoint"].nunique() == len(self.names) else rows[:0]


def _winners(rows: pd.DataFrame, of: _Drawing) -> None:
    st.subheader("Who wins, by family and k", anchor=False)
    chance = noise(of.found)
    try:
        won = winner_map(rows, chance)
    except ValueError:
        st.caption("The map begins when every checkpoint is measured by one family.")
        return
    st.markdown(("" if of.complete else "So far: ") + verdict(won, of.signs, chance))
    # Several k are in use if k follows the sizes of the sets and these differ.
    ks_in_use = sorted({each.k for each in of.found.measured if each.k is not None})
    if settings := in_use(won, of.found.method, ks_in_use, of.signs):
        st.markdown(settings)
    every = sorted({*of.grid.ks, *(k for k in won.ks if k is not None)})
    ks: list[int | None] = [*every] if any(k is not None for k in won.ks) else [None]
    # Winner, flip and tooltip of every cell; a cell not yet measured has no place.
    places = {
        (method, k): (won.methods.index(method), won.ks.index(k))
        for method in won.methods
        for k in won.ks
        if k in ks and won.winners[won.methods.index(method), won.ks.index(k)] is not None
    }
    cells = [[places.get((method, k)) for k in ks] for method in of.grid.methods]
    titles = [figures.plain(ESTIMATORS[method].title) for method in of.grid.methods]
    tooltips = [
        [
            "" if at is None else f"{title}{f', k = {k}' * (k is not None)}<br>{_ahead(won.margins[at])}"
            for k, at in zip(ks, row, strict=True)
        ]
        for title, row in zip(titles, cells, strict=True)
    ]
    figure = figures.winners_figure(
        [[None if at is None else won.winners[at] for at in row] for row in cells],
        [[at is not None and bool(won.flips[at]) for at in row] for row in cells],
        tooltips,
        of.contenders,
        rows=[ESTIMATORS[name].title for name in of.grid.methods],
        columns=["any" if k is None else str(k) for k in ks],
        column_title="neighbours k",
    )
    caption = (
        "Each cell: the checkpoint with the largest score by that family at that k, all samples used; hover it to "
        "see by how much it is ahead; empty: by no more than chance. The verdict is who wins most cells; a family "
        "without k counts at every k. A dashed border: another checkpoint than the verdict wins there."
    )
    live_figure("firmness-winners", [Pane("winners", figure, caption=caption, wide=True)])
    with st.expander("Every cell as a table"):
        listed = [
            (ESTIMATORS[method].title, k, won.winners[r, c] or "chance", won.margins[r, c], bool(won.flips[r, c]))
            for r, method in enumerate(won.methods)
            for c, k in enumerate(won.ks)
            if won.winners[r, c] is not None or won.close[r, c]
        ]
        table = pd.DataFrame(listed, columns=["family", "k", "winner", "ahead by", "flips"])
        st.dataframe(table.round({"ahead by": 4}), hide_index=True)


def _ahead(margin: float) -> str:
    if math.isnan(margin):
        return "nobody else"
    return f"ahead of the next by {margin:.3f}" if margin >= 0.0005 else f"ahead of the next by only {margin:.1g}"


def _fewer(rows: pd.DataFrame, of: _Drawing) -> None:
    st.subheader("Who wins on fewer samples", anchor=False)
    method = _family(of)
    own = rows_in_use(rows, method)
    try:
        stability, drawn = rank_stability(own), draw_map(own)
    except ValueError:
        st.caption("This begins when every checkpoint is measured on one subsample.")
        return
    if float(own["share"].max()) < 1.0:
        return
    text = fewer_samples(stability, method, drawn.verdict, of.signs)
    st.markdown(("" if of.complete else "So far: ") + text)
    contenders = of.contenders
    tooltips = [
        [
            "" if drawn.winners[r, c] is None else f"{each}, n = {n:,}<br>{_ahead(drawn.margins[r, c])}"
            for c, n in enumerate(drawn.ks)
        ]
        for r, each in enumerate(drawn.methods)
    ]
    winners = figures.winners_figure(
        drawn.winners.tolist(),
        drawn.flips.tolist(),
        tooltips,
        contenders,
        rows=list(drawn.methods),
        columns=[f"{n:,}" for n in drawn.ks],
        column_title="real samples n",
        flipped="dashed border: not the winner of all samples",
    )
    lines = figures.fewer_samples_figure(*(stability[name].tolist() for name in ("n", "same_winner", "tau")))
    panes = [
        Pane(
            "draws",
            winners,
            "The winner of every draw",
            "Each draw takes another part of the real and of the generated samples, the same real ones for all "
            "checkpoints; k follows n as the settings say. A dashed border: not the winner of all samples.",
            half=True,
        ),
        Pane(
            "fewer",
            lines,
            "How far the ranking holds",
            "Solid line: share of the draws won by the winner of all samples. Dotted line: Kendall's τ, how alike the "
            "order of a draw is to that of all samples, mean over the draws: 1 the same order, 0 unrelated, −1 "
            "reversed. Two draws of half the samples have half of them in common, on average.",
            half=True,
        ),
    ]
    live_figure("firmness-fewer", panes)
    with st.expander("These numbers as a table"):
        shown = stability.rename(columns={"tau": "Kendall's τ", "same_winner": "same winner", "winner": "most wins"})
        st.dataframe(shown.round(3), hide_index=True)


def _family(of: _Drawing) -> str:
    """The selected family, or another one measured here."""
    methods = of.grid.methods
    first = of.found.method if of.found.method in methods else methods[0]
    if len(methods) == 1:
        return first
    key = f"firmness.family.{first}"
    if st.session_state.get(key) not in methods:
        st.session_state.pop(key, None)
    return choose_one("Family in this part", titles(methods), first, key=key, persist_state="session")


def _agreement(rows: pd.DataFrame, of: _Drawing) -> None:
    st.subheader("Do the families agree?", anchor=False)
    whole = rows.groupby("method")["checkpoint"].nunique()
    known = [name for name in of.grid.methods if whole.get(name, 0) == len(of.names)]
    if len(known) < 2:
        st.caption("This begins when two families have measured every checkpoint.")
        return
    table = kendall_between_families(rows[rows["method"].isin(known)]).reindex(index=known, columns=known)
    st.markdown(agreement(table))
    figure = figures.agreement_figure(known, table.to_numpy().tolist())
    caption = (
        "Kendall's τ between the orders in which two families put the checkpoints, all samples and the k in use: of "
        "all pairs of checkpoints, the share ordered alike less the share ordered the other way round. 1: the same "
        "order, 0: unrelated, −1: reversed."
        + (" Of two checkpoints it can only be 1 or −1." if len(of.names) == 2 else "")
    )
    live_figure("firmness-agreement", [Pane("agreement", figure, caption=caption, wide=len(known) > 6)])


def sign(place: int) -> str:
    """A, B ... Z, AA, AB ... by the place in the list."""
    word = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        word = chr(ord("A") + letter) + word
    return word


def goal_text(value: float) -> str:
    goals = {0.0: "precision first", 0.5: "both alike: the area under the curve (AuC)", 1.0: "recall first"}
    word = goals.get(value) or ("precision more than recall" if value < 0.5 else "recall more than precision")
    return f"Goal {value:.2f}: {word}"


def percent(share: float) -> str:
    """Rounded percentage: 0 % and 100 % only where they are exact."""
    return f"{min(max(round(100 * share), 1), 99) if 0 < share < 1 else round(100 * share)} %"


def listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


# ---- over families and k ----


def verdict(found: WinnerMap, signs: Mapping[str, str], chance: float = 0.0) -> str:
    """A sentence on the winner, its share of the cells and the largest region with another winner."""
    measured = sum(name is not None for row in found.winners for name in row)
    wins = f"**{_named(found.verdict, signs)}**"
    close = int(found.close.sum())
    clear = f" whose lead is more than chance ({chance:.3f})" if close else ""
    cells = f"{measured} cells{clear}"
    if measured == 1:
        return f"{wins} wins in the one cell {clear.strip() or 'that is measured'}."
    if not found.flips.any():
        return f"{wins} wins in all {cells}: whichever family and k, the verdict is the same."
    first, *more = flips(found, signs)
    others = f", and to others in {len(more)} more region{'s' * (len(more) > 1)}" if more else ""
    return f"{wins} wins in **{percent(found.share)}** of the {cells}; it flips to {first}{others}."


def flips(found: WinnerMap, signs: Mapping[str, str]) -> list[str]:
    """Regions with another winner, the largest first; families with the same region together."""
    regions: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    for row in range(len(found.methods)):
        others = np.flatnonzero(found.flips[row]).tolist()
        for name in dict.fromkeys(found.winners[row, column] for column in others):
            columns = tuple(column for column in others if found.winners[row, column] == name)
            regions.setdefault((name, columns), []).append(row)
    ordered = sorted(regions.items(), key=lambda each: -len(each[1]) * len(each[0][1]))
    texts = []
    for (name, columns), rows in ordered:
        families = listed([plain(ESTIMATORS[found.methods[row]].title) for row in rows])
        margins = found.margins[np.ix_(rows, columns)]
        margin = float(margins.max())
        up_to = "up to " if margins.size > 1 else ""
        ahead = f"ahead by {up_to}{margin:.3f}" if margin >= 0.0005 else f"ahead by {up_to}{margin:.1g}"
        texts.append(f"**{_named(name, signs)}** {_where_k(found.ks, columns)}with {families}, {ahead}")
    return texts


def _where_k(ks: Sequence[int | None], columns: Sequence[int]) -> str:
    """The columns as runs of neighbouring k."""
    if len(ks) == 1 and ks[0] is None:
        return ""
    if len(columns) == len(ks):
        return "at every k "
    breaks = [place for place in range(1, len(columns)) if columns[place] != columns[place - 1] + 1]
    starts, ends = [0, *breaks], [*breaks, len(columns)]
    runs = [(columns[start], columns[end - 1]) for start, end in zip(starts, ends, strict=True)]
    return f"for {listed([_run(ks, *run) for run in runs])} "


def _run(ks: Sequence[int | None], first: int, last: int) -> str:
    if first == last:
        return f"k = {ks[first]}"
    if first == 0:
        return f"k ≤ {ks[last]}"
    return f"k ≥ {ks[first]}" if last == len(ks) - 1 else f"k = {ks[first]} to {ks[last]}"


def in_use(found: WinnerMap, method: str, ks: Sequence[int], signs: Mapping[str, str]) -> str:
    """Text on the winner with the page's settings, if not the verdict; ks : k in use, none for a family without k."""
    if len(ks) > 1:
        return (
            f"With the settings of this page k is √n of each checkpoint's own set, from {ks[0]} to {ks[-1]}, so no "
            "one column here is the ranking of this page; with equal sizes one is."
        )
    k = ks[0] if ks else None
    column = found.ks.index(k) if k in found.ks else 0 if k is None else None
    if method not in found.methods or column is None or not found.flips[found.methods.index(method), column]:
        return ""
    winner = found.winners[found.methods.index(method), column]
    how = plain(ESTIMATORS[method].title) + ("" if k is None else f", k = {k}")
    return f"With the settings of this page ({how}) **{_named(winner, signs)}** wins, in one of those cells."


def _named(name: str, signs: Mapping[str, str]) -> str:
    return f"{signs[name]}: {plain(name)}"


def firm_from(stability: pd.DataFrame) -> int | None:
    """The smallest n from which on every draw has the winner of all samples; None: not even the largest subsample."""
    fewer = stability.sort_values("n", ascending=False)[1:]
    kept = None
    for n, same in zip(fewer["n"], fewer["same_winner"], strict=True):
        if same < 1:
            break
        kept = int(n)
    return kept


def fewer_samples(stability: pd.DataFrame, method: str, winner: str, signs: Mapping[str, str]) -> str:
    """Text on the size from which on all draws have the same winner, and on Kendall's τ."""
    ordered = stability.sort_values("n")
    most, fewer = ordered.iloc[-1], ordered.iloc[:-1]
    how = f"With {plain(ESTIMATORS[method].title)}, the k in use and all {int(most['n']):,} real samples"
    wins = f"{how} **{_named(winner, signs)}** wins"
    kept, largest = firm_from(ordered), fewer.iloc[-1]
    if kept is None:
        share = f"{percent(1 - float(largest['same_winner']))} of the draws of n = {int(largest['n']):,}"
        text = f"{wins}, but in {share} another one does: the winner depends on which samples were drawn."
    elif kept == int(fewer.iloc[0]["n"]):
        text = f"{wins}, and in every draw of fewer samples too, from n = {kept:,} on."
    else:
        below = fewer[fewer["n"] < kept].iloc[-1]
        text = (
            f"{wins}; from n = {kept:,} on in all draws, at n = {int(below['n']):,} in "
            f"{percent(float(below['same_winner']))} of them."
        )
    taus = [
        f"{tau:.2f} at n = {int(n):,}" for n, tau in zip(fewer["n"], fewer["tau"], strict=True) if math.isfinite(tau)
    ]
    return f"{text} Kendall's τ of the whole order: {listed(taus)}." if taus else text


def agreement(table: pd.DataFrame) -> str:
    """Text on the two families that agree most, and the two that agree least."""
    names = list(table.columns)
    pairs = [(float(table[other][one]), one, other) for place, one in enumerate(names) for other in names[place + 1 :]]
    known = sorted(pair for pair in pairs if math.isfinite(pair[0]))
    if not known:
        return "No two families can be compared yet."
    if known[0][0] >= 1 - 1e-9:
        return "All families put the checkpoints in the same order."
    (least, *unlike), (most, *alike) = known[0], known[-1]
    low, high = (f"{tau:.2f}".replace("-", "\N{MINUS SIGN}") for tau in (least, most))
    last, first = (" and ".join(plain(ESTIMATORS[name].title) for name in pair) for pair in (unlike, alike))
    if len(known) == 1:
        return f"{last}: τ = {low}."
    return f"{first} (τ = {high}) agree most; {last} (τ = {low}) agree least."
