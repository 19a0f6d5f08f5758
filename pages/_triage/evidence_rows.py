"""Evidence in the rows themselves: those that repeat, influential ones, directions, norms and spreads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from pages._explore import duplicates as _copies
from pages._explore import influence as _influence
from pages._live.figure import Pane, live_figure
from pages._triage import gallery
from pages._triage.diagnosis_data import OTHER, Diagnosis
from pages._work.jobs import Progress
from prviz import figures
from prviz.diagnostics.influence import distinct, influence, removals
from prviz.diagnostics.influence import duplicates as count_duplicates
from prviz.diagnostics.preflight import PairFacts, preflight
from prviz.neighbors.balls import ROLES
from prviz.triage import evidence
from prviz.triage.evidence import Repeated, Scales, Spectrum
from prviz.triage.findings import TriageFinding, outlier_faults

MOST = 12
# Seconds of a spectrum (Gram matrix and eigenvalues) per unit of d^2 (rows + 20 d).
SPECTRUM_SECONDS = 2e-10


def _value_seconds(case: Diagnosis, passes: float) -> float:
    return passes * 2e-8 * (case.pair.real.n + case.pair.generated.n) * case.pair.d


def duplicates(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw the rows that repeat most, and both ends of the curve without repeats."""
    pair = case.pair
    work: Callable[[Progress], Any] = lambda _: (evidence.most_repeated(pair, MOST), count_duplicates(pair))  # noqa: E731
    found = case.known("repeats", _value_seconds(case, 2), work)
    if found is None:
        return
    rows, counts = found
    st.markdown(_copies.counted(counts, pair.real.n, pair.generated.n))
    st.markdown("**The rows that occur most often**, each where it occurs first")
    _repeated(case, rows)
    options = {"k": case.k, **case.options}
    again: Callable[[Progress], Any] = lambda tick: distinct(pair, [case.measured.method], progress=tick, **options)  # noqa: E731
    measured = case.known("distinct", case.seconds(3), again)
    if measured is not None:
        st.markdown(
            "**Both ends of the curve without them**: α∞ is the left end (precision), β0 the right one (recall)"
        )
        _copies.table(measured, [case.measured.method])


def _repeated(case: Diagnosis, rows: tuple[Repeated, ...]) -> None:
    n = case.pair.generated.n
    columns: gallery.Columns = {
        "occurs": [f"{each.times:,} times" for each in rows],
        "share": [f"{each.times / n:.1%}" for each in rows],
        "in the real set": [each.real for each in rows],
    }
    gallery.show(case, "generated", [each.row for each in rows], "repeats", columns, "occurs")


class _Directions(NamedTuple):
    real: Spectrum
    generated: Spectrum


def dimension(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw how the variance of both sets is shared among their principal directions."""
    pair = case.pair
    work: Callable[[Progress], _Directions] = lambda _: _Directions(*map(evidence.spectrum, pair))  # noqa: E731
    seconds = _value_seconds(case, 4) + SPECTRUM_SECONDS * pair.d**2 * (pair.real.n + pair.generated.n + 20 * pair.d)
    found = case.known("spectrum", seconds, work)
    if found is None:
        return
    st.caption(
        "Principal directions are those in which a set varies most, one after the other, at right angles. The "
        "effective dimension counts them by their shares s of the variance, 1 / Σ s²: 1 on a line, all features where "
        "the directions are alike. A generator that lost its variety fills fewer of them than the real data."
    )
    figure = figures.spectrum_figure({role: each.shares for role, each in zip(ROLES, found, strict=True)})
    real, generated = found
    caption = (
        f"90 % of the variance (dotted) is held by {real.directions(0.9)} directions of the real set and by "
        f"{generated.directions(0.9)} of the generated one."
    )
    live_figure(
        "triage-spectrum", [Pane("triage-spectrum", figure, "Share of the variance", caption=caption, wide=True)]
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


def outliers(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw the samples that carry most others, and that end of the curve without them."""
    options, pair, method = {"k": case.k, **case.options}, case.pair, case.measured.method

    def work(tick: Progress) -> _influence.InfluenceResult | None:
        for place, role in enumerate(ROLES):
            found = influence(pair, method, role=role, **options)
            tick((1 + place) / 6)
            if any(each.title == finding.title for each in outlier_faults(found)):
                split = {name: options[name] for name in ("split", "seed")}
                rest: Progress = lambda done: tick(2 / 6 + done * 4 / 6)  # noqa: E731
                return _influence.InfluenceResult(found, removals(pair, found, progress=rest, **split))
        return None

    made = case.known("outliers", case.seconds(6), work, finding.title)
    if made is None:
        return
    role, end = made.found.role, _influence.ENDS[made.found.role]
    top = made.found.top(MOST)
    st.caption(
        f"A {role} sample *carries* a {OTHER[role]} one if it is among the {role} samples that {case.title} counts for "
        f"it, and carries it *alone* if nobody else is. *Carried* is the share of {OTHER[role]} samples that at least "
        f"one carries. {end}, the end of the curve, is the lowest share of {OTHER[role]} samples called {role} by a "
        f"classifier that is right about every {role} one; it is 1 where no classifier is right about all of them."
    )
    _influence.drawn(made.found, made.falls)
    columns = {
        "carries alone": made.found.alone[top].tolist(),
        "carries": made.found.carried[top].tolist(),
    }
    rows = made.found.rows[top].tolist()
    gallery.show(case, role, rows, "outliers", columns, "carries")


class _PairScales(NamedTuple):
    facts: PairFacts
    real: Scales
    generated: Scales


def scales(case: Diagnosis, finding: TriageFinding) -> None:
    """Draw norms and spreads of both sets, side by side."""
    pair, k, split = case.pair, case.k, case.found.settings.split

    def work(_: Progress) -> _PairScales:
        facts = preflight(pair, k=k, split=split).facts
        return _PairScales(
            facts, evidence.scales(pair.real, facts.real.sd), evidence.scales(pair.generated, facts.generated.sd)
        )

    found: _PairScales | None = case.known("scales", _value_seconds(case, 6), work)
    if found is None:
        return
    st.caption(
        "The norm of a row is its length as a vector; the spread of a feature is its standard deviation over the rows. "
        "Sets from one encoder and one preprocessing have like norms and spreads, unless the generator has failed "
        "altogether."
    )
    panes = []
    for name, of, title in (("norms", "rows", "Norms of the rows"), ("spreads", "features", "Spreads of the features")):
        values = {"real": getattr(found.real, name), "generated": getattr(found.generated, name)}
        far = max(each[50] for each in values.values()) > 10 * max(min(each[50] for each in values.values()), 1e-300)
        figure = figures.quantiles_figure(values, ylabel=name[:-1], of=of, log=far)
        caption = ", ".join(f"{role}: median {each[50]:.4g}" for role, each in values.items())
        panes.append(Pane(f"triage-{name}", figure, title, caption=caption + "."))
    live_figure("triage-scales", panes)
    st.dataframe(_sides(found.facts), hide_index=True, key="triage-scales-table")


def _sides(facts: PairFacts) -> pd.DataFrame:
    """Table of facts of both sets."""
    rows: dict[str, list[str]] = {}
    sides = (facts.real, facts.generated)
    rows["samples"] = [f"{facts.pair.real.n:,}", f"{facts.pair.generated.n:,}"]
    rows["norm, median"] = [f"{side.norm:.4g}" for side in sides]
    rows["norm, least"] = [f"{side.least_norm:.4g}" for side in sides]
    rows["norm, greatest"] = [f"{side.greatest_norm:.4g}" for side in sides]
    rows["l2-normalised"] = ["yes" if side.normalised else "no" for side in sides]
    rows["features that never vary"] = [f"{int(side.constant.sum()):,} of {len(side.sd):,}" for side in sides]
    rows["effective dimension"] = [f"{side.value:.1f}" for side in facts.effective]
    rows["rows that repeat another"] = [f"{facts.copies.real:,}", f"{facts.copies.generated:,}"]
    values = {role: [row[place] for row in rows.values()] for place, role in enumerate(ROLES)}
    return pd.DataFrame({"": list(rows)} | values)
