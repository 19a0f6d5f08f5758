"""Numbers that papers report, such as the Fréchet distance, for each checkpoint: measured on
demand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from pages._live.figure import live_figure
from pages._shared import answers, media
from pages._shared.widgets import plain, say_refusal
from pages._triage import gallery
from pages._triage.checkpoints import CheckpointResults, of_each
from prviz.figures.reported import TradePoint, equal_distance_figure
from prviz.figures.triage_pairs import pair_curves_figure
from prviz.live.figure import Pane
from prviz.measure.blind_spots import BLIND_SPOTS, number_title
from prviz.measure.estimates import Progress
from prviz.measure.frechet import FrechetDifference, frechet, frechet_difference, measured_frechet
from prviz.neighbors.balls import Role
from prviz.samples import SamplePair, Samples
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint
from prviz.triage.reported import EQUAL, OppositePair, all_numbers, opposite_pairs

Numbers = Mapping[str, Mapping[str, float]]

# Costs in seconds. _VALUE: to read one value; _PRODUCT: one multiplication in a matrix product;
# _CUBE: eigenvalues, per d^3; _DISTANCE: one feature of a distance; _KERNEL: one pair of samples.
_VALUE = 4e-9
_PRODUCT = 2e-10
_CUBE = 8e-9
_DISTANCE = 2e-9
_KERNEL = 2e-7
# The k of the numbers that count k nearest neighbours.
_K = 5
FRECHET = "frechet_distance"
_LOW = "frechet_low"
_HIGH = "frechet_high"
# A Fréchet distance with its interval costs about as much as this many Fréchet distances: of all
# samples, of each half, and one for the influences of single samples.
_INTERVAL = 4


def asked(key: str, label: str, explained: str) -> bool:
    """Draw a button until the user presses it; True from then on."""
    if not st.session_state.get(key):
        st.button(
            label,
            key=f"{key}-button",
            help=explained,
            icon=":material/search:",
            on_click=lambda: st.session_state.update({key: True}),
        )
    return bool(st.session_state.get(key))


def blind_spots() -> str:
    """Markdown list of the reported numbers, with the differences that each can't see."""
    return "What each can't see:\n" + "\n".join(
        f"- **{number_title(name)}**: {spot}" for name, spot in BLIND_SPOTS.items()
    )


def frechet_of(found: CheckpointResults) -> Numbers | None:
    """By the checkpoint's name, its Fréchet distance; None until a job has measured all of them."""
    return _measured(found, "frechet", _only_frechet, _frechet_seconds(found))


def all_of(found: CheckpointResults) -> Numbers | None:
    """By the checkpoint's name, its numbers in `BLIND_SPOTS`, as far as they exist; None until a
    job has measured all checkpoints.
    """
    d = found.reference.d
    n = found.reference.n
    seconds = _INTERVAL * _frechet_seconds(found) + n * n * (d * _DISTANCE + _KERNEL)
    return _measured(found, "all", partial(all_numbers, k=_K), seconds)


def cells(numbers: Mapping[str, float]) -> dict[str, str]:
    """Numbers as texts, by their title. The Fréchet distance has its interval too, if that is
    known.
    """
    shown = {name: f"{value:.4g}" for name, value in numbers.items() if name in BLIND_SPOTS}
    if FRECHET in shown and _LOW in numbers:
        shown[FRECHET] += f" ({numbers[_LOW]:.4g} to {numbers[_HIGH]:.4g})"
    return {number_title(name): text for name, text in shown.items()}


def difference_of(
    found: CheckpointResults, one: MeasuredCheckpoint, other: MeasuredCheckpoint
) -> FrechetDifference | None:
    """Difference of two checkpoints' Fréchet distances, with its interval; None until measured, or
    if it can't be measured.
    """

    def measured(_: Progress) -> FrechetDifference | None:
        try:
            a, b = (measured_frechet(found.pair(each)) for each in (one, other))
        except (ValueError, OSError):
            return None
        return frechet_difference(found.reference, a, b)

    seconds = 2 * _INTERVAL * _frechet_seconds(found)
    return answers.tab_result(("triage-apart", one.digests, other.digests), seconds, measured)


def _only_frechet(pair: SamplePair) -> dict[str, float]:
    enough = pair.smaller > pair.d
    return {FRECHET: frechet(*pair) if enough else math.nan}


def _frechet_seconds(found: CheckpointResults) -> float:
    """Estimated seconds for the Fréchet distance of one checkpoint."""
    n = found.reference.n
    d = found.reference.d
    return n * d * _VALUE * 10 + n * d * d * _PRODUCT + d**3 * _CUBE


def _measured(
    found: CheckpointResults,
    what: str,
    measure: Callable[[SamplePair], Mapping[str, float]],
    seconds: float,
) -> Numbers | None:
    """By the checkpoint's name, its numbers; None until a job has measured all checkpoints.

    what : kind of numbers, a part of the cache key. seconds : estimated seconds for one checkpoint.
    """

    store = found.triage.store

    def numbers(checkpoint: Checkpoint) -> Mapping[str, float]:
        try:
            return measure(SamplePair(found.reference, found.load(checkpoint)))
        except (ValueError, OSError):  # the file is gone or has changed: leave the numbers out
            return {}

    def find(measured: MeasuredCheckpoint, search: Progress | None) -> Mapping[str, float] | None:
        key = {"numbers": what, **measured.digests._asdict()}
        known: Mapping[str, float] | None = store.known(key)
        if known is None and search is not None:
            known = store.remember(key, numbers(measured.checkpoint))
        return known

    known = of_each(found, f"triage-{what}", found.measured, find, lambda _: seconds)
    if len(known) == len(found.measured):
        return known
    return None


# ---- two checkpoints at equal distance ----

FIND = "triage-find-equal"
# _PICTURES: most pictures shown of each set. _PAIRS: most pairs of checkpoints to choose from.
_PICTURES = 30
_PAIRS = 12
_STYLE = """<style>
.prviz-wall { display: flex; flex-wrap: wrap; gap: 3px; }
.prviz-wall img { width: 36px; height: 36px; image-rendering: pixelated; object-fit: contain; }
</style>"""


def draw(found: CheckpointResults) -> None:
    """Draw a button that looks for two checkpoints with equal Fréchet distances; once pressed, draw
    the pairs found.
    """
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
            f"With ever more samples, A's distance minus B's is {apart.difference:.3g}, 95 %"
            f" interval {apart.low:.3g} to {apart.high:.3g}, on the same real samples."
        )
    sets = {f"A: {names[0]}": one, "Real": None, f"B: {names[1]}": other}
    for place, (title, each) in zip(st.columns(3), sets.items(), strict=True):
        with place:
            st.markdown(f"**{plain(title)}**")
            try:
                samples = found.reference if each is None else found.pair(each).generated
            except (ValueError, OSError) as error:
                say_refusal(plain(str(error).partition("\n")[0]))
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
    """Draw the first samples of a set as small pictures; if they have no pictures, a few of them as
    tiles.
    """
    rows = range(min(_PICTURES, samples.n))
    looks = media.shown(samples, rows, found.uploaded)
    if not any(look.picture for look in looks):
        gallery.tiles(samples, rows[:6], looks[:6], role)
        return
    images = "".join(gallery.pictures(role, rows, looks))
    st.html(f'{_STYLE}<div class="prviz-wall">{images}</div>')
