"""The evidence for a finding, a view for every key of `prviz.triage.findings.EVIDENCE`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared import cache, media
from pages._shared.text import plain
from pages._triage import diagnosis_samples, evidence_rows, gallery
from pages._triage.diagnosis_data import GROUP, RATIO, Diagnosis
from pages._work.jobs import Progress
from prviz import figures
from prviz.diagnostics.projection import shown_coordinates
from prviz.figures import GROUP_LOOKS, Highlight
from prviz.figures.theme import number, numbers
from prviz.neighbors.balls import Role
from prviz.triage.evidence import END
from prviz.triage.findings import TriageFinding, kink
from prviz.triage.measured import REPLICATES

# Cost of projecting samples on two coordinates: seconds = BASE + VALUE * values.
PLANE_BASE, PLANE_VALUE = 0.05, 1e-7
CLEAREST = 12
BAND = (
    f"The band holds 95 % of {REPLICATES} curves of as many samples, drawn again with replacement from those there are."
)
FAINT = "#8a8a8a"


def show(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw the view that belongs to this finding."""
    VIEWS[finding.evidence](case, finding)


def recall_end(case: Diagnosis, finding: TriageFinding) -> None:
    _end(case, "real")


def precision_end(case: Diagnosis, finding: TriageFinding) -> None:
    _end(case, "generated")


def _end(case: Diagnosis, role: Role) -> None:
    """Draw one end of the curve with its band, the samples lost there in the plane, and the clearest of them."""
    lam, curve = case.lam_at_end(role), case.measured.curve
    side: Literal["recall", "precision"] = "recall" if role == "real" else "precision"
    other: Literal["recall", "precision"] = "precision" if role == "real" else "recall"
    value = curve.recall_at(END) if role == "real" else curve.precision_at(END)
    st.markdown(_arithmetic(case, role, lam))
    mark, rest = f"{side} {value:.2f}", f" where {other} is {END:g}"
    where = "right" if role == "real" else "left"
    title = f"The {where} end of the curve"
    panes = [_curve(case, lam, mark, title, rest, other), *_plane(case, lam, _ends_of(case, role, lam))]
    live_figure(f"triage-{side}-end", panes)
    rows = case.rows(GROUP[role], lam)
    st.markdown(f"**The {min(CLEAREST, len(rows))} clearest of them**" if len(rows) else "")
    listed = {RATIO: numbers(case.keys_of(GROUP[role], lam)[:CLEAREST])}
    gallery.show(case, role, rows[:CLEAREST], f"{role}-end", listed)
    diagnosis_samples.by_label(case, role, rows, f"{role}-end", opened=True)


def _arithmetic(case: Diagnosis, role: Role, lam: float) -> str:
    """Text that computes the lost share from the counts."""
    curve = case.measured.curve
    fpr, fnr = curve.vertices[curve.vertex_at(lam)]
    mean = " (means over the runs)" if len(case.measured.estimate.runs) > 1 else ""
    if role == "real":
        lost, share, cost, what = 1 - curve.beta(lam), 1 - fpr, fnr / lam, "recall"
        said = f"by the {fnr:.1%} of generated samples that the same classifier calls real, divided by λ"
    else:
        lost, share, cost, what = 1 - curve.alpha(lam), 1 - fnr, lam * fpr, "precision"
        said = f"by the {fpr:.1%} of real samples that the same classifier calls generated, times λ"
    return (
        f"{diagnosis_samples.counted(case, role, lam)}. The loss of {what} there is less {said}: "
        f"{share:.3f} - {cost:.3f} = **{lost:.3f}**{mean}. λ (lambda) is precision / recall at this point of the curve."
    )


def _curve(
    case: Diagnosis,
    lam: float | None,
    mark: str,
    title: str,
    rest: str = "",
    guide: Literal["precision", "recall"] | None = None,
) -> Pane:
    """Pane of the curve, one marked point, and the band once computed; rest : continues the mark in the caption."""
    spread = case.spread()

    def make() -> Any:
        band = None if spread is None else spread.band()
        return figures.marked_curve_figure(
            case.measured.method, case.measured.curve, band=band, lam=lam, mark=mark, guide=guide
        )

    figure = cache.remembered(("triage-curve", *case.key, lam, mark, guide, spread is None), make)
    said = f"Marked: {mark}{rest}. " if mark else ""
    return Pane("triage-curve", figure, title, caption=said + (BAND if spread is not None else ""), square=True)


def _ends_of(case: Diagnosis, role: Role, lam: float) -> list[Highlight]:
    """The samples of a role's group in bold, all others faint."""
    group = GROUP[role]
    chosen = np.sort(getattr(case.classifiers.groups(lam), group))
    look = GROUP_LOOKS["missed" if role == "real" else "rejected"]
    text = f"{role}, {diagnosis_samples.DONE[role]}"
    return [*_others(case, chosen), Highlight(text, chosen.tolist(), look.color, look.symbol, bold=True)]


def _others(case: Diagnosis, chosen: Any) -> list[Highlight]:
    n_real, rest = case.classifiers.n_real, np.setdiff1d(np.arange(len(case.places)), chosen)
    return [
        Highlight("other real", rest[rest < n_real].tolist(), figures.REAL_COLOR, "circle"),
        Highlight("other generated", rest[rest >= n_real].tolist(), figures.GENERATED_COLOR, "diamond-open"),
    ]


def _plane(case: Diagnosis, lam: float, parts: list[Highlight]) -> list[Pane]:
    """Pane of the samples in the plane; none while a job computes their coordinates."""
    split = case.shown.split
    work: Callable[[Progress], Any] = lambda _: shown_coordinates(split.evaluate)  # noqa: E731
    seconds = PLANE_BASE + PLANE_VALUE * sum(case.shown.sizes) * case.pair.d
    found = case.known("plane", seconds, work)
    if found is None:
        return []
    points, axes = found
    shown, key = case.shown, (*case.key, case.measured.checkpoint.path)

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
    hover = media.hover_words(tuple(pictures))
    return [Pane("triage-plane", figure, "Where these samples lie", caption=f"{text} {hover}", pictures=pictures)]


def kinked(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw the kink of the curve, and the real samples on both sides of its classifier."""
    found = kink(case.measured.curve)
    groups = case.classifiers.groups(found.lam)
    low, high = found.lam / found.ratio**0.5, found.lam * found.ratio**0.5
    st.markdown(
        f"Nearly the same classifier stays the best from λ = {number(low)} to {number(high)}, where λ (lambda) is "
        "precision / recall: hardly any sample has c_Y / c_X, the generated data around it over the real data, in "
        "between. So the samples fall into two parts whose shares differ between the sets: of the real samples "
        f"**{len(groups.missed):,}** lie where the generator makes too many, **{len(groups.kept):,}** where it makes "
        "too few."
    )
    parts = [
        Highlight("generated", (*groups.accepted.tolist(), *groups.rejected.tolist()), FAINT, "diamond-open"),
        Highlight("real, made too seldom", groups.kept.tolist(), GROUP_LOOKS["kept"].color, "circle", bold=True),
        Highlight("real, made too often", groups.missed.tolist(), GROUP_LOOKS["missed"].color, "x", bold=True),
    ]
    mark = f"kink at λ = {number(found.lam)}"
    live_figure(
        "triage-kink", [_curve(case, found.lam, mark, "The kink of the curve"), *_plane(case, found.lam, parts)]
    )
    for place, (group, title) in zip(
        st.columns(2, gap="medium"), (("kept", "Made too seldom"), ("missed", "Made too often")), strict=True
    ):
        with place:
            st.markdown(f"**{title}**: the clearest of the real samples")
            rows = case.rows(group, found.lam)
            listed = {RATIO: numbers(case.keys_of(group, found.lam)[:CLEAREST])}
            gallery.show(case, "real", rows[:CLEAREST], f"kink-{group}", listed)
    diagnosis_samples.by_label(case, "real", case.rows("kept", found.lam), "kink", "made too seldom", opened=True)


def interval(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw the curve with its band, and explain the band's width."""
    live_figure("triage-interval", [_curve(case, None, "", "The curve and its band")])
    spread = case.spread()
    if spread is None:
        return
    low, high = spread.intervals["auc"]
    smaller = min(case.classifiers.n_real, case.classifiers.n_generated)
    st.markdown(
        f"**AuC**, the area under the curve, is {spread.values['auc']:.3f}, and {low:.3f} to {high:.3f} in 95 % of the "
        f"curves drawn again. {smaller:,} samples of the smaller set measure it; the width falls with the root of that "
        "number, so that half of it takes 4 times as many. Another split or other fit samples can move the curve "
        f"besides, and {plain(case.title)} may be biased at this size: no band knows of that."
    )


VIEWS: Mapping[str, Callable[[Diagnosis, TriageFinding], None]] = {
    "recall end": recall_end,
    "precision end": precision_end,
    "kink": kinked,
    "duplicates": evidence_rows.duplicates,
    "dimension": evidence_rows.dimension,
    "outliers": evidence_rows.outliers,
    "interval": interval,
    "preflight": evidence_rows.scales,
}
