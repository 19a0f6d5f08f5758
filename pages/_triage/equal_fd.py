"""Part of the Triage page: two checkpoints of equal Fréchet distance and opposite curves."""

from __future__ import annotations

import math

import streamlit as st

from pages._live.figure import live_figure
from pages._shared import media
from pages._shared.widgets import plain
from pages._triage import gallery
from pages._triage.checkpoints import CheckpointResults
from pages._triage.reported import asked, difference_of, frechet_of
from prviz.figures.reported import TradePoint, equal_distance_figure
from prviz.figures.triage_pairs import pair_curves_figure
from prviz.live.figure import Pane
from prviz.neighbors.balls import Role
from prviz.samples import Samples
from prviz.triage.reported import EQUAL, OppositePair, opposite_pairs

FIND = "triage-find-equal"
# Pictures of each set, and pairs that are offered.
_PICTURES = 30
_PAIRS = 12
_STYLE = """<style>
.prviz-wall { display: flex; flex-wrap: wrap; gap: 3px; }
.prviz-wall img { width: 36px; height: 36px; image-rendering: pixelated; object-fit: contain; }
</style>"""


def draw(found: CheckpointResults) -> None:
    """Draw the button and what it finds."""
    if len(found.measured) < 2:
        st.info("At least two measured checkpoints are needed.")
        return
    if asked(
        FIND,
        "Find two checkpoints that Fréchet distance can't tell apart",
        f"Fréchet distances within {100 * EQUAL:.0f} % of each other, one checkpoint better in"
        " precision, the other in recall. Measured on the samples as they are: FID where these are"
        " Inception features.",
    ):
        _draw_pair(found)


def _draw_pair(found: CheckpointResults) -> None:
    numbers = frechet_of(found)
    if numbers is None:
        return
    points = [
        TradePoint(
            each.checkpoint.name,
            each.summaries["f8_recall"],
            each.summaries["f8_precision"],
            numbers[each.checkpoint.name].get("frechet_distance", math.nan),
        )
        for each in found.measured
    ]
    points = [point for point in points if math.isfinite(point.distance)]
    if len(points) < 2:
        st.info("Fréchet distance means nothing here: it needs more samples than features.")
        return
    names, distances, sides = zip(
        *((each.name, each.distance, each.precision - each.recall) for each in points), strict=True
    )
    pairs = opposite_pairs(names, distances, sides)
    if not pairs:
        words = (
            f"No two checkpoints within {100 * EQUAL:.0f} % of Fréchet distance lie on opposite"
            " sides of the diagonal."
        )
        st.info(words)
        trade = equal_distance_figure(points, None)
        pane = Pane("triage-equal-trade", trade, "All checkpoints", square=True, alt=words)
        live_figure("triage-equal", [pane])
        return
    shown = pairs[:_PAIRS]
    titles = [f"{pair.precise} and {pair.diverse}" for pair in shown]
    pair = shown[0]
    if len(shown) > 1:
        at = st.selectbox(
            "Pair, the one farthest from the diagonal first",
            titles,
            key="triage-equal-pair",
            width=560,
        )
        pair = shown[titles.index(at) if at in titles else 0]
    _show(found, points, pair)


def _show(found: CheckpointResults, points: list[TradePoint], pair: OppositePair) -> None:
    names = (pair.precise, pair.diverse)
    one, other = (found.one(name) for name in names)
    st.markdown(
        f"**A**, {plain(names[0])}, at Fréchet distance **{pair.distances[0]:.3g}** is better in"
        f" precision; **B**, {plain(names[1])}, at **{pair.distances[1]:.3g}** in recall."
    )
    apart = difference_of(found, one, other)
    if apart is not None and math.isfinite(apart.low):
        st.caption(
            f"Of ever more samples A's distance less B's is {apart.difference:.3g}, 95 % interval "
            f"{apart.low:.3g} to {apart.high:.3g}, on the same real samples."
        )
    sets = {f"A: {names[0]}": one, "Real": None, f"B: {names[1]}": other}
    for place, (title, each) in zip(st.columns(3), sets.items(), strict=True):
        with place:
            st.markdown(f"**{plain(title)}**")
            try:
                samples = found.reference if each is None else found.pair(each).generated
            except (ValueError, OSError) as error:
                st.error(plain(str(error).partition("\n")[0]), icon=":material/block:")
            else:
                _wall(found, samples, "real" if each is None else "generated")
    alt = f"{names[0]} lies above the diagonal, {names[1]} below it."
    areas = " and ".join(f"{found.summaries(each)['auc']:.3f}" for each in (one, other))
    trade = equal_distance_figure(points, names)
    curves = pair_curves_figure((one.curve, other.curve), names)
    panes = [
        Pane("triage-equal-trade", trade, "Both sides of the diagonal", square=True, alt=alt),
        Pane("triage-equal-curves", curves, "Their curves", square=True, alt=f"AuC {areas}."),
    ]
    live_figure("triage-equal", panes)


def _wall(found: CheckpointResults, samples: Samples, role: Role) -> None:
    """The first samples of a set as small pictures, else as they are shown elsewhere."""
    rows = range(min(_PICTURES, samples.n))
    looks = media.shown(samples, rows, found.uploaded)
    if not any(look.picture for look in looks):
        gallery.tiles(samples, rows[:6], looks[:6], role)
        return
    images = "".join(gallery.pictures(role, rows, looks))
    st.html(f'{_STYLE}<div class="prviz-wall">{images}</div>')
