"""The panel Extremes: ends of the curves over lam, k and split, influential samples, duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from pages._explore.live_view import over, visible
from pages._explore.session import explore_session
from pages._live.figure import live_figure
from pages._shared import answers
from pages._shared.widgets import choose_one, plain
from prviz import figures
from prviz.arrays import Ints
from prviz.checks.facts import Duplicates, compare_rows
from prviz.diagnostics import influence as _influence
from prviz.diagnostics.influence import Distinct, Extremes, Influence, Removal
from prviz.estimators import ESTIMATORS
from prviz.figures.tail import HIGHEST, LOWEST
from prviz.figures.theme import number
from prviz.live import results, snapshots
from prviz.live.extremes import MARGIN, left_truth, tails
from prviz.live.figure import Pane
from prviz.live.needs import PROFILE_SECONDS
from prviz.live.problems import Problem, allowed
from prviz.live.view import following
from prviz.measure.estimates import Progress
from prviz.measure.workload import estimate_seconds
from prviz.neighbors.balls import OTHER, ROLES, Role
from prviz.neighbors.threads import part_of
from prviz.reports.settings import ExploreSettings
from prviz.samples import Samples

# Range of lam in the figures.
LEAST = 10.0**LOWEST
MOST = 10.0**HIGHEST
NOT_WITHIN = "not within 1/1000 to 1000"
LINES = {
    (True,): "With split.",
    (False,): "Without split.",
    (True, False): "Bold: with split. Thin, marked: without.",
}
Sweep = Mapping[str, tuple[Sequence[float], Sequence[Extremes]]]
# Most influential samples in the list.
LISTED = 10
# Measurements in one influence analysis: each sample's influence (1), the curve's end with all
# samples (1), and the end without the 1, 2 and 5 most influential samples (3).
PASSES = 5
ROLE_TITLES: dict[Role, str] = {"real": "Precision end, α∞", "generated": "Recall end, β0"}
ENDS: dict[Role, str] = {"real": "α∞", "generated": "β0"}
# By family and role: the published metric that, without a split, equals the share of the other
# role's samples that are in a ball around a sample of this role.
PUBLISHED = {
    ("ipr", "real"): "improved precision",
    ("ipr", "generated"): "improved recall",
    ("coverage", "generated"): "coverage",
}
EXAMPLE = ExploreSettings(
    problem="outlier",
    parameters={"d": 64, "mu": 3 / 8, "value": 4.0},
    n=1000,
    k=4,
    split=None,
)
EXAMPLE_HELP = (
    "Two shifted Gaussians, one real sample far away at (4, ..., 4), k = 4 and no split (Sykes et"
    " al. 2024, 4.3). It opens in a new tab; open Extremes there."
)
# Seconds to hash one float64 value of the samples.
VALUE_SECONDS = 1.5e-8
COPIES_TITLES = ("all rows", "one of each", "no copies across")


def draw(problem: Problem, found: results.Results) -> None:
    """Draw precision and recall over lam; when enlarged, also the error in precision, the ends of
    the curves with and without split and over k, influential samples and duplicates.
    """
    _tails(problem, found)
    held = explore_session()
    wanted = held.enlarged and held.influential
    if not wanted:
        st.button(
            "Find influential samples",
            icon=":material/person_search:",
            on_click=_find_influential,
            key="influential",
        )
    if not held.enlarged:
        return
    if problem.truth is not None:
        figure = figures.bias_figure(found.curves, problem.truth).update_layout(showlegend=False)
        pane = Pane(
            "bias-curve", figure, "Estimated minus true precision", follow="bias", wide=True
        )
        live_figure("bias", [pane], follow=following(problem, found))
    _all(problem, found, single=wanted)


def _find_influential() -> None:
    """Callback: show influential samples and duplicates, and enlarge the panel, which has no room
    for them otherwise.
    """
    held = explore_session()
    held.enlarged = held.influential = True


# ---- precision and recall over lam ----


def _tails(problem: Problem, found: results.Results) -> None:
    """Draw precision and recall over lam; when enlarged, also from which lam on each estimate
    differs from the truth.
    """
    enlarged = explore_session().enlarged
    panes = tails(problem, found, beside=not enlarged)
    live_figure("tail", panes, follow=following(problem, found))
    differences = left_truth(problem, found)
    if not differences or not enlarged:
        return
    lines = [
        f"**Where each estimate first differs from the truth by more than {MARGIN:g}**:"
        " precision on the way up from λ = 0, where every precision is 0; recall on the way"
        " down from λ = ∞, where every recall is 0.",
        "",
        "| | precision is off from λ = | recall is off from λ = |",
        "|---|---:|---:|",
    ]
    for name, first in differences.items():
        title = plain(ESTIMATORS[name].title)
        lines.append(f"| {title} | {_place(first.precision)} | {_place(first.recall)} |")
    st.markdown("\n".join(lines))


def _place(lam: float | None) -> str:
    if lam is None or not LEAST <= lam <= MOST:
        return NOT_WITHIN
    return number(lam, 4)


# ---- ends of the curve over split and k ----


def _all(problem: Problem, found: results.Results, *, single: bool) -> None:
    """Draw both ends of the curves; with `single`, also influential samples and duplicates.

    The parts that are quick to measure are drawn first; their containers keep the order on screen.
    """
    st.caption(
        "Extreme precision α∞ (the curve's left end) and extreme recall β0 (its right end) are all"
        " that most published metrics report. Their true values are masses of the **co-support**,"
        " the part of space that both distributions reach: Q(cosupp) and P(cosupp). Q(supp P), the"
        " mass inside the support of the real data, is what improved precision reports; it can be 1"
        " where the co-support is empty."
    )
    both, sweeps, samples, copies = (st.container() for _ in range(4))
    with both:
        _ends(problem, found)
    if problem.settings.approximate:
        st.info(
            "While curves are approximate there is nothing over k, on single samples or on"
            " duplicates: these need exact curves."
        )
        return
    if single:
        with samples:
            _single(problem)
        with copies:
            _copies(problem)
    with sweeps:
        _over_k(problem, found)


def _ends(problem: Problem, found: results.Results) -> None:
    """Draw both ends of every family's curve, with and without split, beside the true values."""
    settings = problem.settings
    unlike = results.with_other_split(problem)
    other = answers.tab_result(
        results.key(unlike), results.seconds(unlike), partial(results.measure, unlike)
    )
    if other is None:
        return
    if other.approximation is not None:
        st.caption(f"The other split: {plain(other.approximation.label)}.")
    held_out = settings.split is not None
    rows = []
    for split, curves in ((held_out, found.curves), (not held_out, other.curves)):
        for name, curve in curves.items():
            if name in visible(settings.methods):
                rows.append(figures.ExtremeRow(name, split, *Extremes.of(curve)))
    masses = None
    if problem.toy is not None:
        masses = problem.toy.support_masses
    live_figure(
        "extremes", [Pane("extremes", figures.extremes_figure(rows, truth=masses), wide=True)]
    )


def _over_k(problem: Problem, found: results.Results) -> None:
    st.markdown("##### Over k")
    names = over(problem).get("k", [])
    if not names:
        st.info("None of the chosen estimators depends on k.")
        return
    lines = _lines(problem, names)
    if not lines:
        return
    words = (
        "Both ends at every number of neighbours k: a published extreme is a statement about k and"
        " the split as much as about the generator. With a split an end is 1 wherever every"
        " classifier of the family is wrong about some sample of the other side."
    )
    if problem.settings.repeats > 1:
        words += " Where curves are means over repeats, the other split is of the first draw."
    if problem.truth is not None:
        words += " Dashed: the truth."
    st.caption(words)
    truth = None
    if problem.truth is not None:
        truth = Extremes.of(problem.truth)
    panes = []
    shown = visible(names)
    for side, title in enumerate(ROLE_TITLES.values()):
        values = {}
        for held_out, sweep in lines.items():
            values[held_out] = {
                name: (sweep[name][0], [pair[side] for pair in sweep[name][1]])
                for name in shown
                if name in sweep
            }
        true = None if truth is None else truth[side]
        figure = figures.extreme_sweep_figure(values, ylabel=list(ENDS.values())[side], truth=true)
        name = f"extremes-over-k-{side}"
        panes.append(
            Pane(name, figure, f"{title}, over k", follow="k", caption=LINES[tuple(lines)])
        )
    # The figure's key contains its lines: with the same key the browser would keep the old lines.
    drawn = [*("split" if held_out else "none" for held_out in lines), *shown]
    live_figure(
        f"extremes-over-k-{'-'.join(drawn)}", panes, legend=True, follow=following(problem, found)
    )


def _lines(problem: Problem, names: Sequence[str]) -> dict[bool, Sweep]:
    """Both ends of the curves at every k, by split: with (True) and without (False).

    Draws a message while both are missing.
    """
    found: dict[bool, Sweep] = {}
    profile = snapshots.known_frames(problem)
    if profile is not None:
        content = profile.content
        mine = {}
        for name in names:
            ends = (snapshots.column(content, "k", name, key) for key in ("alpha_inf", "beta_0"))
            mine[name] = (content["k"]["stops"], list(map(Extremes, *ends)))
        found[problem.settings.split is not None] = mine
    other = _other_over_k(problem, names)
    if other is not None:
        found[problem.settings.split is None] = other
    if not found:
        st.caption("Over k: measuring every value …")
    return dict(sorted(found.items(), reverse=True))


def _other_over_k(problem: Problem, names: Sequence[str]) -> Sweep | None:
    """Both ends of the curves at every k for the other choice of split: with a split if the
    settings have none, without one if they have one. None until measured.
    """
    other = allowed(results.with_other_split(problem).having(methods=tuple(names)))
    split = other.settings.split
    ks = other.stops[0]
    names = [name for name in names if name in other.settings.methods]
    seconds = results.seconds(other, ks=len(ks))
    if seconds > PROFILE_SECONDS:
        st.info("The other split at every k would take more than a minute here. Use fewer samples.")
        return None
    key = ("extremes-over-k", problem.key, tuple(names), ks, split)

    def measure(tick: Progress) -> Mapping[str, Sequence[Extremes]]:
        pair, seed = problem.draw(0)
        return _influence.extremes_over_k(pair, names, ks, split=split, seed=seed, progress=tick)

    made = answers.tab_result(key, seconds, measure)
    if made is None:
        return None
    return {name: (ks, made[name]) for name in names}


# ---- influence of single samples ----


@dataclass(frozen=True, eq=False)
class InfluenceResult:
    """Influence of single samples on one family's curve, and the curve's end when the most
    influential samples are left out.
    """

    found: Influence
    falls: tuple[Removal, ...]

    @property
    def nbytes(self) -> int:
        return self.found.ball_members.nbytes + self.found.rows.nbytes


def _single(problem: Problem) -> None:
    settings = problem.settings
    st.markdown("##### Which samples the ends hang on")
    _example(settings)
    able = [name for name in visible(settings.methods) if _influence.carries(name)]
    left = [ESTIMATORS[name].title for name in visible(settings.methods) if name not in able]
    if left:
        st.caption(
            "Left out, because they do not count single samples in one ball each:"
            f" {plain(', '.join(left))}."
        )
    if not able:
        st.info(
            "Choose kNN, KDE, iPR or Coverage to see which samples the ends of a curve depend on."
        )
        return
    name, role = _choose(able)
    key = ("autopsy", problem.key, name, settings.k, settings.bandwidth, settings.split, role)
    drawn = problem.toy is not None
    seconds = PASSES * estimate_seconds(
        *problem.sizes, methods=1, split=settings.split, drawn=drawn
    )
    made = answers.tab_result(key, seconds, partial(_measured, problem, name, role))
    if made is not None:
        _result(problem, made)


def _example(settings: ExploreSettings) -> None:
    """Draw a link to the paper's example of an influential sample, or, if Explore shows that
    example, an explanation of it.
    """
    if replace(settings, lam=1.0, seed=0, methods=EXAMPLE.methods) == EXAMPLE:
        st.caption(
            "This is the worked example: the last real row lies far from all else, at (4, ..., 4)."
            " Its ball out to its 4th nearest real sample reaches back over the whole set, so that"
            " iPR calls everything real that is generated there, rightly or not."
        )
        return
    link = f"{st.context.url}?{urlencode(EXAMPLE.to_query())}"
    st.link_button(
        "Worked example: one outlier", link, icon=":material/open_in_new:", help=EXAMPLE_HELP
    )


def _choose(able: Sequence[str]) -> tuple[str, Role]:
    with st.container(horizontal=True):
        titles = {name: ESTIMATORS[name].title for name in able}
        first = "ipr" if "ipr" in able else able[0]
        name = choose_one("Family", titles, first, key="autopsy-method")
        return name, choose_one("End", ROLE_TITLES, "real", key="autopsy-side")


def _measured(problem: Problem, name: str, role: Role, tick: Progress) -> InfluenceResult:
    """Measure the influence of one role's samples on a family's curve; callable from any thread."""
    pair, seed = problem.draw(0)
    first = part_of(tick, 0, PASSES)
    found = _influence.influence(pair, name, role=role, progress=first, **results.how(problem))
    rest = part_of(tick, 1, PASSES, PASSES - 1)
    split = problem.settings.split
    falls = _influence.removals(pair, found, split=split, seed=seed, progress=rest)
    return InfluenceResult(found, falls)


def _result(problem: Problem, made: InfluenceResult) -> None:
    found = made.found
    falls = made.falls
    role = made.found.role
    other = OTHER[role]
    counts = found.ball_members.counts
    published = None
    if problem.settings.split is None:
        published = PUBLISHED.get((found.method, role))
    means = ""
    if published:
        means = f", which is what {published} reports"
    st.caption(
        f"A {role} sample *carries* a {other} one if it is among the {role} samples that"
        f" {ESTIMATORS[found.method].title} counts for it, and carries it *alone* if nobody else"
        f" is. **Carried** is the share of {other} samples that at least one carries{means}."
        f" **{ENDS[role]}**, the end of the curve, is the lowest share of {other} samples called"
        f" {role} by a classifier that is right about every {role} one: it may ask for more than"
        " one carrier and lie lower, and it is 1 where no classifier is right about all of them."
    )
    if not falls:
        st.info(f"k = {found.k} needs every sample; none can be taken away.")
        return
    top = found.top(LISTED)
    before = (
        f"{ENDS[role]} = {falls[0].extreme:.3f}, carried: {100 * falls[0].share:.1f} % of"
        f" {len(counts):,} {other} samples"
    )
    if len(falls) > 1:
        (row,) = falls[1].rows
        after = (
            f" **Row {row + 1}** of the {role} samples carries {found.carried[top[0]]:,} of them,"
            f" {found.alone[top[0]] or 'none'} alone. Measured again without it: {ENDS[role]} ="
            f" {falls[1].extreme:.3f}, carried: {100 * falls[1].share:.1f} %."
        )
    else:
        after = f" No {role} sample that carries any can be taken away."
    st.markdown(f"{before}.{after}")
    truth = None
    if problem.truth is not None:
        truth = Extremes.of(problem.truth)[ROLES.index(role)]
    drawn(found, falls, truth)
    side = problem.pair.real if role == "real" else problem.pair.generated
    _carriers_table(found, top, side)


def drawn(found: Influence, falls: Sequence[Removal], truth: float | None = None) -> None:
    """Draw the most influential samples, and the end of the curve without them.

    An influential real (or generated) sample is the only reason why many samples of the other set
    are called real (or generated). truth : the true end of the curve.
    """
    role = found.role
    top = found.top(LISTED)
    color = figures.REAL_COLOR if role == "real" else figures.GENERATED_COLOR
    bars = figures.carriers_figure(
        [f"row {row + 1}" for row in found.rows[top]],
        found.alone[top].tolist(),
        found.carried[top].tolist(),
        color=color,
    )
    fall = figures.fall_figure(
        [len(each.rows) for each in falls],
        extreme=[each.extreme for each in falls],
        share=[each.share for each in falls],
        subtracted=[each.subtracted for each in falls],
        labels=(f"{ENDS[role]}, measured again", "carried, measured again"),
        color=figures.colors([found.method])[found.method],
        truth=truth,
    )
    why = (
        "Where a sample is left out, the balls of others may change: the number measured again can"
        " differ from a subtraction of what the sample carries."
    )
    who = f"How many {OTHER[role]} samples each {role} one carries, alone and in all."
    live_figure(
        "autopsy",
        [
            Pane("carriers", bars, f"The {role} samples that carry most", caption=who),
            Pane("fall", fall, "Without the top 1, 2 and 5", caption=why),
        ],
    )


def _carriers_table(found: Influence, top: Ints, side: Samples) -> None:
    rows = found.rows[top]
    labels = {f"{name} ": side.labels[name][rows].astype(str) for name in list(side.labels)[:3]}
    table = pd.DataFrame(
        {
            "row": rows + 1,
            **labels,
            "carried alone": found.alone[top],
            "carried": found.carried[top],
            "carried, share": found.carried[top] / len(found.ball_members.counts),
        }
    )
    with st.expander("The same as a table", icon=":material/table_rows:"):
        share = st.column_config.NumberColumn(format="percent")
        st.dataframe(
            table, hide_index=True, column_config={"carried, share": share}, key="autopsy-table"
        )
        st.caption("Rows are counted from 1 in the sample's own file or draw.")


# ---- duplicate rows ----


def _copies(problem: Problem) -> None:
    settings = problem.settings
    st.markdown("##### Duplicates")
    n_real, n_generated, d = problem.sizes
    key = ("copies", problem.key)
    seconds = (n_real + n_generated) * d * VALUE_SECONDS
    found = answers.tab_result(key, seconds, lambda _: compare_rows(problem.pair).counts)
    if found is None:
        return
    if not (found.real or found.generated or found.shared_generated):
        st.caption(
            "No row occurs twice, neither inside a set nor across the two: nothing to reduce."
        )
        return
    st.markdown(counted(found, n_real, n_generated))
    measured = (
        "distinct",
        problem.key,
        settings.methods,
        settings.k,
        settings.bandwidth,
        settings.split,
    )
    seconds = len(COPIES_TITLES) * results.seconds(problem) / problem.repeats

    def measure(tick: Progress) -> tuple[Distinct, ...]:
        """Measure both ends of the curves on all rows and without duplicates; callable from any
        thread.
        """
        how = results.how(problem)
        return _influence.distinct(problem.pair, settings.methods, progress=tick, **how)

    ends = answers.tab_result(measured, seconds, measure)
    if ends is not None:
        copies_table(ends, visible(settings.methods))


def counted(found: Duplicates, n_real: int, n_generated: int) -> str:
    """Text with the numbers of duplicate rows: within each set, and across both."""
    return (
        f"**{found.real:,}** of {n_real:,} real and **{found.generated:,}** of {n_generated:,}"
        f" generated rows repeat an earlier one of their set; **{found.shared_generated:,}**"
        " generated rows are exact copies of real ones. Copies shrink the balls of their own set,"
        " and a generated copy of a real fit sample is always carried by it."
    )


def copies_table(found: tuple[Distinct, ...], methods: Sequence[str]) -> None:
    """Draw a table of both ends of the curves: on all rows and without duplicates."""
    measured = []
    for title, each in zip(COPIES_TITLES, found, strict=True):
        if each.extremes is None:
            st.info(f"{title.capitalize()}: too few rows are left for this k.")
        else:
            measured.append((title, each.extremes))
    columns: dict[str, list[Any]] = {"estimator": [ESTIMATORS[name].title for name in methods]}
    for side, end in enumerate(("α∞", "β0")):
        for title, ends in measured:
            columns[f"{end}, {title}"] = [ends[name][side] for name in methods]
    _, *ends_of = columns
    numbers = dict.fromkeys(ends_of, st.column_config.NumberColumn(format="%.3f"))
    st.dataframe(pd.DataFrame(columns), hide_index=True, column_config=numbers, key="copies-table")
    dropped = found[1].dropped, found[2].dropped
    st.caption(
        f"One of each: of equal rows in a set only the first stays ({dropped[0][0]:,} real and"
        f" {dropped[0][1]:,} generated rows go). No copies across: generated rows that equal a real"
        f" one go besides ({dropped[1][1] - dropped[0][1]:,} more). Each is measured again; rows"
        " keep their part of the split."
    )
