"""Draws the evidence for findings, one function for each key of `prviz.triage.finding.EVIDENCE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import streamlit as st

from pages._explore import extremes
from pages._live.figure import live_figure
from pages._shared import cache, media
from pages._shared.widgets import plain
from pages._triage import gallery
from pages._triage.checkpoints import GROUP, RATIO, Diagnosis
from prviz import figures
from prviz.checks.facts import compare_rows
from prviz.diagnostics.influence import distinct, influence, removals
from prviz.diagnostics.preflight import PairFacts, preflight
from prviz.diagnostics.projection import shown_coordinates
from prviz.figures import GROUP_LOOKS, Highlight, key_text
from prviz.figures.theme import number
from prviz.live.evaluated import hover_words
from prviz.live.figure import Pane
from prviz.measure.estimates import Progress
from prviz.neighbors.balls import OTHER, ROLES, Role
from prviz.neighbors.threads import part_of
from prviz.triage.curve_findings import mode_reweighting, outlier_faults
from prviz.triage.evidence import (
    END,
    Scales,
    Spectrum,
    most_repeated,
    scales as scales_of,
    spectrum,
)
from prviz.triage.finding import TriageFinding
from prviz.triage.measured import REPLICATES

# Cost of projecting samples to the plane: seconds = PLANE_BASE + PLANE_VALUE * number of values.
PLANE_BASE = 0.05
PLANE_VALUE = 1e-7
CLEAREST = 12
# Cost of a spectrum in d dimensions, which needs a Gram matrix and its eigenvalues: seconds =
# SPECTRUM_SECONDS * d^2 * (rows + 20 d).
SPECTRUM_SECONDS = 2e-10
BAND = (
    f"The band holds 95 % of {REPLICATES} curves of as many samples, drawn again with replacement"
    " from those there are."
)
FAINT = "#8a8a8a"


# ---- evidence in the curve ----


def _end(case: Diagnosis, role: Role) -> None:
    """Draw one end of the curve, and the samples that the classifier at this end finds to be
    lost.

    All lost samples are marked in a projection to the plane; the clearest are also drawn as tiles.
    """
    lam = case.lam_at_end(role)
    curve = case.measured.curve
    fpr, fnr = curve.vertices[curve.vertex_at(lam)]
    side: Literal["recall", "precision"]
    other: Literal["recall", "precision"]
    if role == "real":
        side = "recall"
        other = "precision"
        where = "right"
        group = "missed"
        value = curve.recall_at(END)
        lost = 1 - curve.beta(lam)
        share = 1 - fpr
        cost = fnr / lam
        less = (
            f"by the {100 * fnr:.1f} % of generated samples that the same classifier calls real,"
            " divided by λ"
        )
    else:
        side = "precision"
        other = "recall"
        where = "left"
        group = "rejected"
        value = curve.precision_at(END)
        lost = 1 - curve.alpha(lam)
        share = 1 - fnr
        cost = lam * fpr
        less = (
            f"by the {100 * fpr:.1f} % of real samples that the same classifier calls generated,"
            " times λ"
        )
    mean = ""
    if len(case.measured.estimate.runs) > 1:
        mean = " (means over the runs)"
    st.markdown(
        f"{gallery.counted(case, role, lam)}. The loss of {side} there is less {less}: {share:.3f}"
        f" - {cost:.3f} = **{lost:.3f}**{mean}. λ (lambda) is precision / recall at this point of"
        " the curve."
    )
    mark = f"{side} {value:.2f}"
    rest = f" where {other} is {END:g}"
    title = f"The {where} end of the curve"
    # Draw the samples of the role's confusion group bold, all others faint.
    chosen = np.sort(getattr(case.classifiers.groups(lam), GROUP[role]))
    look = GROUP_LOOKS[group]
    n_real = case.classifiers.n_real
    others = np.setdiff1d(np.arange(len(case.places)), chosen)
    real = others[others < n_real].tolist()
    made = others[others >= n_real].tolist()
    name = f"{role}, {gallery.DONE}"
    parts = [
        Highlight("other real", real, figures.REAL_COLOR, "circle"),
        Highlight("other generated", made, figures.GENERATED_COLOR, "triangle-up-open"),
        Highlight(name, chosen.tolist(), look.color, look.symbol, bold=True),
    ]
    panes = [_curve(case, lam, mark, title, rest, other), *_plane(case, lam, parts)]
    live_figure(f"triage-{side}-end", panes)
    rows = case.rows(GROUP[role], lam)
    st.markdown(f"**The {min(CLEAREST, len(rows))} clearest of them**" if len(rows) else "")
    _clearest(case, role, GROUP[role], lam, f"{role}-end")
    gallery.by_label(case, role, rows, f"{role}-end", opened=True)


def _clearest(case: Diagnosis, role: Role, group: str, lam: float, where: str) -> None:
    """Draw the most clearly classified samples of a confusion group, with their ratios c_Y /
    c_X.
    """
    listed = {RATIO: list(map(key_text, case.keys_of(group, lam)[:CLEAREST]))}
    gallery.draw(case, role, case.rows(group, lam)[:CLEAREST], where, listed)


def _curve(
    case: Diagnosis,
    lam: float | None,
    mark: str,
    title: str,
    rest: str = "",
    guide: Literal["precision", "recall"] | None = None,
) -> Pane:
    """Pane with the curve, one marked point, and the bootstrap band once it is computed.

    rest : text that follows the name of the mark in the caption.
    """
    spread = case.spread()

    def make() -> Any:
        band = None if spread is None else spread.band()
        return figures.marked_curve_figure(
            case.measured.method, case.measured.curve, band=band, lam=lam, mark=mark, guide=guide
        )

    figure = cache.remembered(("triage-curve", *case.key, lam, mark, guide, spread is None), make)
    said = f"Marked: {mark}{rest}. " if mark else ""
    return Pane(
        "triage-curve",
        figure,
        title,
        caption=said + (BAND if spread is not None else ""),
        square=True,
    )


def _plane(case: Diagnosis, lam: float, parts: list[Highlight]) -> list[Pane]:
    """Pane with a projection of the evaluation samples to the plane, in a list; [] while a job
    computes the projection.
    """
    split = case.shown.split
    seconds = PLANE_BASE + PLANE_VALUE * sum(case.shown.sizes) * case.pair.d
    found = case.known("plane", seconds, lambda _: shown_coordinates(split.evaluate))
    if found is None:
        return []
    points, axes = found
    shown = case.shown
    key = (*case.key, case.measured.checkpoint.path)

    def make() -> Any:
        notes = [shown.notes[place] for place in case.places]
        return figures.highlight_figure(points[case.places], parts, axis_titles=axes, notes=notes)

    bold = [part for part in parts if part.bold]
    figure = cache.remembered(("triage-plane", *key, lam, tuple(part.name for part in bold)), make)
    pictures = cache.remembered(
        ("triage-pictures", *key, media.view_key(case.found.uploaded)),
        lambda: [shown.pictures[place] for place in case.places] if shown.pictures else [],
    )
    counted = ", ".join(f"{len(part.rows):,} {part.name}" for part in bold)
    text = f"The samples that measure the curve; bold at λ = {number(lam)}: {counted}."
    hover = hover_words(tuple(pictures))
    return [
        Pane(
            "triage-plane",
            figure,
            "Where these samples lie",
            caption=f"{text} {hover}",
            pictures=pictures,
        )
    ]


def _kink(case: Diagnosis, finding: TriageFinding) -> None:
    found = mode_reweighting(case.measured.curve)
    groups = case.classifiers.groups(found.lam)
    low = found.lam / found.ratio**0.5
    high = found.lam * found.ratio**0.5
    st.markdown(
        f"Nearly the same classifier stays the best from λ = {number(low)} to {number(high)}, where"
        " λ (lambda) is precision / recall: hardly any sample has c_Y / c_X, the generated data"
        " around it over the real data, in between. So the samples fall into two parts whose"
        f" shares differ between the sets: of the real samples **{len(groups.missed):,}** lie where"
        f" the generator makes too many, **{len(groups.kept):,}** where it makes too few."
    )
    made = (*groups.accepted.tolist(), *groups.rejected.tolist())
    parts = [Highlight("generated", made, FAINT, "triangle-up-open")]
    kinds = {"kept": "made too seldom", "missed": "made too often"}
    for group, kind in kinds.items():
        look = GROUP_LOOKS[group]
        rows = getattr(groups, group).tolist()
        parts.append(Highlight(f"real, {kind}", rows, look.color, look.symbol, bold=True))
    mark = f"kink at λ = {number(found.lam)}"
    curve = _curve(case, found.lam, mark, "The kink of the curve")
    live_figure("triage-kink", [curve, *_plane(case, found.lam, parts)])
    for place, (group, kind) in zip(st.columns(2, gap="medium"), kinds.items(), strict=True):
        with place:
            st.markdown(f"**{kind.capitalize()}**: the clearest of the real samples")
            _clearest(case, "real", group, found.lam, f"kink-{group}")
    gallery.by_label(
        case, "real", case.rows("kept", found.lam), "kink", "made too seldom", opened=True
    )


def _interval(case: Diagnosis, finding: TriageFinding) -> None:
    live_figure("triage-interval", [_curve(case, None, "", "The curve and its band")])
    spread = case.spread()
    if spread is None:
        return
    area = case.found.summaries(case.measured)["auc"]
    low, high = case.found.intervals(case.measured, spread.intervals)["auc"]
    smaller = min(case.classifiers.n_real, case.classifiers.n_generated)
    st.markdown(
        f"**AuC**, the area under the curve, is {area:.3f}, and {low:.3f} to {high:.3f} in 95 % of"
        f" the curves drawn again. {smaller:,} samples of the smaller set measure it; the width"
        " falls about with the root of that number, so that half of it takes 4 times as many."
        f" Another split or other fit samples can move the curve besides, and {plain(case.title)}"
        " may be biased at this size: no band covers that."
    )


# ---- evidence in the rows themselves ----


def _value_seconds(case: Diagnosis, passes: float) -> float:
    return passes * 2e-8 * (case.pair.real.n + case.pair.generated.n) * case.pair.d


def _duplicates(case: Diagnosis, finding: TriageFinding) -> None:
    pair = case.pair
    known = case.known(
        "repeats",
        _value_seconds(case, 2),
        lambda _: (most_repeated(pair, CLEAREST), compare_rows(pair).counts),
    )
    if known is None:
        return
    repeated, counts = known
    st.markdown(extremes.counted(counts, pair.real.n, pair.generated.n))
    st.markdown("**The rows that occur most often**, each where it occurs first")
    columns: gallery.Columns = {
        "occurs": [f"{each.times:,} times" for each in repeated],
        "share": [f"{100 * each.times / pair.generated.n:.1f} %" for each in repeated],
        "in the real set": [each.real for each in repeated],
    }
    gallery.draw(case, "generated", [each.row for each in repeated], "repeats", columns, "occurs")
    measured = case.known(
        "distinct",
        case.seconds(3),
        lambda tick: distinct(pair, [case.measured.method], progress=tick, **case.options),
    )
    if measured is not None:
        st.markdown(
            "**Both ends of the curve without them**: α∞ is the left end (precision), β0 the right"
            " one (recall)"
        )
        extremes.copies_table(measured, [case.measured.method])


def _dimension(case: Diagnosis, finding: TriageFinding) -> None:
    pair = case.pair
    seconds = _value_seconds(case, 4) + SPECTRUM_SECONDS * pair.d**2 * (
        pair.real.n + pair.generated.n + 20 * pair.d
    )
    found: tuple[Spectrum, ...] | None = case.known(
        "spectrum", seconds, lambda _: tuple(map(spectrum, pair))
    )
    if found is None:
        return
    st.caption(
        "Principal directions are those in which a set varies most, one after the other, at right"
        " angles. The effective dimension counts them by their shares s of the variance, 1 / Σ s²:"
        " 1 on a line, all features where the directions are alike. A generator that lost its"
        " variety fills fewer of them than the real data."
    )
    figure = figures.spectrum_figure(
        {role: each.shares for role, each in zip(ROLES, found, strict=True)}
    )
    real, generated = found
    caption = (
        f"90 % of the variance (dotted) is held by {real.directions(0.9)} directions of the real"
        f" set and by {generated.directions(0.9)} of the generated one."
    )
    live_figure(
        "triage-spectrum",
        [Pane("triage-spectrum", figure, "Share of the variance", caption=caption, wide=True)],
    )
    table = pd.DataFrame(
        {
            "set": list(ROLES),
            "effective dimension": [each.dimension for each in found],
            "directions for 90 %": [each.directions(0.9) for each in found],
            "variance, all features": [f"{each.variance:.4g}" for each in found],
            "rows looked at": [each.rows for each in found],
        }
    )
    digits = {"effective dimension": st.column_config.NumberColumn(format="%.1f")}
    st.dataframe(table, hide_index=True, column_config=digits, key="triage-spectrum-table")


def _outliers(case: Diagnosis, finding: TriageFinding) -> None:
    pair = case.pair
    method = case.measured.method
    settings = case.found.settings

    def work(tick: Progress) -> extremes.InfluenceResult | None:
        for place, role in enumerate(ROLES):
            found = influence(pair, method, role=role, **case.options)
            tick((1 + place) / 6)
            if any(each.title == finding.title for each in outlier_faults(found)):
                falls = removals(
                    pair,
                    found,
                    split=settings.split,
                    seed=settings.seed,
                    progress=part_of(tick, 2, 6, 4),
                )
                return extremes.InfluenceResult(found, falls)
        return None

    made = case.known("outliers", case.seconds(6), work, finding.title)
    if made is None:
        return
    role = made.found.role
    end = extremes.ENDS[made.found.role]
    top = made.found.top(CLEAREST)
    st.caption(
        f"A {role} sample *carries* a {OTHER[role]} one if it is among the {role} samples that"
        f" {case.title} counts for it, and carries it *alone* if nobody else is. *Carried* is the"
        f" share of {OTHER[role]} samples that at least one carries. {end}, the end of the curve,"
        f" is the lowest share of {OTHER[role]} samples called {role} by a classifier that is right"
        f" about every {role} one; it is 1 where no classifier is right about all of them."
    )
    extremes.drawn(made.found, made.falls)
    columns = {
        "carries alone": made.found.alone[top].tolist(),
        "carries": made.found.carried[top].tolist(),
    }
    rows = made.found.rows[top].tolist()
    gallery.draw(case, role, rows, "outliers", columns, "carries")


def _scales(case: Diagnosis, finding: TriageFinding) -> None:
    pair = case.pair

    def work(_: Progress) -> tuple[PairFacts, dict[str, Scales]]:
        facts = preflight(pair, k=case.k, split=case.found.settings.split).facts
        spreads = (facts.real.sd, facts.generated.sd)
        return facts, {
            role: scales_of(side, sd) for role, side, sd in zip(ROLES, pair, spreads, strict=True)
        }

    found: tuple[PairFacts, dict[str, Scales]] | None = case.known(
        "scales", _value_seconds(case, 6), work
    )
    if found is None:
        return
    facts, scales = found
    st.caption(
        "The norm of a row is its length as a vector; the spread of a feature is its standard"
        " deviation over the rows. Sets from one encoder and one preprocessing are expected to have"
        " like norms and spreads."
    )
    panes = []
    for name, of, title in (
        ("norms", "rows", "Norms of the rows"),
        ("spreads", "features", "Spreads of the features"),
    ):
        values = {role: getattr(each, name) for role, each in scales.items()}
        medians = {role: each[50] for role, each in values.items()}
        far = max(medians.values()) > 10 * max(min(medians.values()), 1e-300)
        figure = figures.quantiles_figure(values, ylabel=name[:-1], of=of, log=far)
        caption = ", ".join(f"{role}: median {each:.4g}" for role, each in medians.items())
        panes.append(Pane(f"triage-{name}", figure, title, caption=caption + "."))
    live_figure("triage-scales", panes)
    columns = {}
    for role, samples, side, effective in zip(
        ROLES, facts.pair, (facts.real, facts.generated), facts.effective, strict=True
    ):
        columns[role] = {
            "samples": f"{samples.n:,}",
            "norm, median": f"{side.norm:.4g}",
            "norm, least": f"{side.least_norm:.4g}",
            "norm, greatest": f"{side.greatest_norm:.4g}",
            "l2-normalised": "yes" if side.normalised else "no",
            "features that never vary": f"{int(side.constant.sum()):,} of {len(side.sd):,}",
            "effective dimension": f"{effective.value:.1f}",
            "rows that repeat another": f"{getattr(facts.rows.counts, role):,}",
        }
    table = pd.DataFrame(columns).rename_axis("").reset_index()
    st.dataframe(table, hide_index=True, key="triage-scales-table")


VIEWS: Mapping[str, Callable[[Diagnosis, TriageFinding], None]] = {
    "recall end": lambda case, _: _end(case, "real"),
    "precision end": lambda case, _: _end(case, "generated"),
    "kink": _kink,
    "duplicates": _duplicates,
    "dimension": _dimension,
    "outliers": _outliers,
    "interval": _interval,
    "preflight": _scales,
}
