"""Part of the Triage page: two checkpoints of equal Fréchet distance, opposite curves; how reported numbers agree."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Hashable, Mapping

import pandas as pd
import streamlit as st

from pages._live.figure import Pane, live_figure
from pages._shared import answers, cache, media
from pages._shared.text import plain
from pages._triage import gallery
from pages._triage.checkpoints import CheckpointResults
from pages._work.jobs import Progress
from pages._work.store import LeastRecentlyUsed
from prviz.curves.summaries import SUMMARIES
from prviz.figures.reported import TradePoint, agreement_of_numbers_figure, equal_distance_figure
from prviz.figures.triage_pairs import pair_curves_figure
from prviz.measure.blind_spots import BLIND_SPOTS, number_title
from prviz.measure.frechet import frechet
from prviz.samples import SamplePair, Samples
from prviz.triage.reported import EQUAL, OppositePair, all_numbers, opposite_pairs, rank_agreement

FIND, ALL = "triage-find-equal", "triage-all-numbers"
# Pictures of each set, and pairs that are offered.
_PICTURES, _PAIRS = 30, 12
# Seconds per value read, per product of two values, per d^3, and per pair of samples: per feature and besides.
_VALUE, _PRODUCT, _CUBE, _DISTANCE, _KERNEL = 4e-9, 2e-10, 8e-9, 2e-9, 2e-7
# Checkpoints whose numbers are kept.
_HELD = 2000
# Neighbours of the numbers that count them.
_K = 5
# Numbers of the curve that stand beside the reported ones.
_CURVES = {each.key: each.label for each in SUMMARIES if each.key in ("auc", "f8_precision", "f8_recall")}
Numbers = Mapping[str, Mapping[str, float]]

_STYLE = """<style>
.prviz-wall { display: flex; flex-wrap: wrap; gap: 3px; }
.prviz-wall img { width: 36px; height: 36px; image-rendering: pixelated; object-fit: contain; }
</style>"""


def draw(found: CheckpointResults) -> None:
    """Draw the button and what it finds, then all numbers and their correlations."""
    if len(found.measured) < 2:
        st.info("At least two measured checkpoints are needed.")
        return
    st.markdown("##### Equal Fréchet distance, opposite curves")
    if _asked(
        FIND,
        "Find two checkpoints that Fréchet distance can't tell apart",
        f"Fréchet distances within {EQUAL:.0%} of each other, one checkpoint better in precision, the other in recall. "
        "Measured on the samples as they are: FID where these are Inception features.",
    ):
        _draw_pair(found)
    st.markdown("##### All numbers, and which rank alike")
    if _asked(ALL, "Measure every number that papers report", _help()):
        _draw_numbers(found)


def _asked(key: str, label: str, explained: str) -> bool:
    """True once the button was pressed; until then it is drawn here."""
    if not st.session_state.get(key):
        st.button(
            label,
            key=f"{key}-button",
            help=explained,
            icon=":material/search:",
            on_click=lambda: st.session_state.update({key: True}),
        )
    return bool(st.session_state.get(key))


def _help() -> str:
    return "What each can't see:\n" + "\n".join(
        f"- **{number_title(name)}**: {spot}" for name, spot in BLIND_SPOTS.items()
    )


def _draw_pair(found: CheckpointResults) -> None:
    numbers = _measured(found, "frechet", _only_frechet, _frechet_seconds(found))
    if numbers is None:
        return
    distances = {name: each.get("frechet_distance", math.nan) for name, each in numbers.items()}
    points = [
        TradePoint(name, each.summaries["f8_recall"], each.summaries["f8_precision"], distances[name])
        for each in found.measured
        if math.isfinite(distances[name := each.checkpoint.name])
    ]
    if len(points) < 2:
        st.info("Fréchet distance means nothing here: it needs more samples than features.")
        return
    sides = [point.precision - point.recall for point in points]
    pairs = opposite_pairs([point.name for point in points], [point.distance for point in points], sides)
    if not pairs:
        words = f"No two checkpoints within {EQUAL:.0%} of Fréchet distance lie on opposite sides of the diagonal."
        st.info(words)
        panes = [
            Pane("triage-equal-trade", equal_distance_figure(points, None), "All checkpoints", square=True, alt=words)
        ]
        live_figure("triage-equal", panes)
        return
    shown = pairs[:_PAIRS]
    titles = [f"{pair.precise} and {pair.diverse}" for pair in shown]
    pair = shown[0]
    if len(shown) > 1:
        at = st.selectbox("Pair, the one farthest from the diagonal first", titles, key="triage-equal-pair", width=560)
        pair = shown[titles.index(at) if at in titles else 0]
    _show(found, points, pair)


def _show(found: CheckpointResults, points: list[TradePoint], pair: OppositePair) -> None:
    names = (pair.precise, pair.diverse)
    one, other = (found.one(name) for name in names)
    st.markdown(
        f"**A**, {plain(names[0])}, at Fréchet distance **{pair.distances[0]:.3g}** is better in precision; **B**, "
        f"{plain(names[1])}, at **{pair.distances[1]:.3g}** in recall."
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
                _wall(found, samples, real=each is None)
    alt = f"{names[0]} lies above the diagonal, {names[1]} below it."
    areas = f"AuC {one.curve.auc:.3f} and {other.curve.auc:.3f}."
    trade, curves = equal_distance_figure(points, names), pair_curves_figure((one.curve, other.curve), names)
    panes = [
        Pane("triage-equal-trade", trade, "Both sides of the diagonal", square=True, alt=alt),
        Pane("triage-equal-curves", curves, "Their curves", square=True, alt=areas),
    ]
    live_figure("triage-equal", panes)


def _wall(found: CheckpointResults, samples: Samples, *, real: bool) -> None:
    """The first samples of a set as small pictures, else as they are shown elsewhere."""
    rows = range(min(_PICTURES, samples.n))
    looks = media.shown(samples, rows, found.uploaded)
    if not any(look.picture for look in looks):
        gallery.tiles(samples, rows[:6], looks[:6], "real" if real else "generated")
        return
    role = "real" if real else "generated"
    images = "".join(
        f'<img src="{html.escape(look.picture)}" alt="{role} sample, row {row + 1}" title="row {row + 1}">'
        for row, look in zip(rows, looks, strict=True)
        if look.picture
    )
    st.html(f'{_STYLE}<div class="prviz-wall">{images}</div>')


def _draw_numbers(found: CheckpointResults) -> None:
    d, n = found.reference.d, found.reference.n
    seconds = _frechet_seconds(found) + n * n * (d * _DISTANCE + _KERNEL)
    numbers = _measured(found, "all", lambda pair: all_numbers(*pair, k=_K), seconds)
    if numbers is None:
        return
    rows = [
        {
            "checkpoint": each.checkpoint.name,
            **{_CURVES[key]: each.summaries[key] for key in _CURVES},
            **{number_title(name): numbers[each.checkpoint.name].get(name, math.nan) for name in BLIND_SPOTS},
        }
        for each in found.measured
    ]
    table = pd.DataFrame(rows).dropna(axis=1, how="all")
    varying = {name: table[name].to_numpy() for name in table.columns[1:] if table[name].nunique() > 1}
    agreement = rank_agreement(varying)
    st.caption(
        "Rank correlation over the checkpoints: 1 where two numbers put them in the same order, −1 where in the "
        "opposite one. A small distance is good, so that distances stand against shares."
    )
    words = f"Rank correlation of {len(varying)} numbers over {len(rows)} checkpoints."
    figure = agreement_of_numbers_figure(agreement.names, agreement.values)
    live_figure("triage-agreement", [Pane("triage-agreement-map", figure, wide=True, alt=words)])
    spots = {
        number_title(name): st.column_config.NumberColumn(help=f"Can't see: {spot}.", format="%.4g")
        for name, spot in BLIND_SPOTS.items()
    }
    st.dataframe(table, hide_index=True, column_config=spots)


def _only_frechet(pair: SamplePair) -> dict[str, float]:
    enough = min(pair.real.n, pair.generated.n) > pair.d
    return {"frechet_distance": frechet(*pair) if enough else math.nan}


def _frechet_seconds(found: CheckpointResults) -> float:
    """Of one checkpoint."""
    n, d = found.reference.n, found.reference.d
    return n * d * _VALUE * 10 + n * d * d * _PRODUCT + d**3 * _CUBE


def _measured(
    found: CheckpointResults, what: str, measure: Callable[[SamplePair], Mapping[str, float]], seconds: float
) -> Numbers | None:
    """The numbers of each checkpoint by name; None while a job measures them.

    what : of the numbers, for the cache. seconds : that one checkpoint takes.
    """
    held: LeastRecentlyUsed = cache.remembered((f"triage-{what}",), lambda: LeastRecentlyUsed(_HELD))
    missing = {each.digests: each.checkpoint for each in found.measured if each.digests not in held}

    def compute(progress: Progress) -> dict[Hashable, Mapping[str, float]]:
        numbers: dict[Hashable, Mapping[str, float]] = {}
        for place, (digests, checkpoint) in enumerate(missing.items()):
            progress(place / len(missing))
            try:
                numbers[digests] = measure(SamplePair(found.reference, found.load(checkpoint)))
            except (ValueError, OSError):  # a file that is gone or has changed: it has no numbers
                numbers[digests] = {}
        return numbers

    key = (f"triage-{what}", *missing)
    if missing and answers.ready(key, seconds * len(missing), compute):
        for digests, numbers in cache.remembered(key, lambda: compute(lambda _: None)).items():
            held.put(digests, numbers)
    if any(each.digests not in held for each in found.measured):
        return None
    return {each.checkpoint.name: held.get(each.digests) for each in found.measured}
