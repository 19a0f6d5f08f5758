"""The form of "Data like yours": choice of the pair, of the surrogate's dimension, and of what to
measure on the surrogate.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._shared import uploads
from pages._shared.cache import session
from pages._shared.widgets import begin, choose_one, plain, say_refusal
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import K
from prviz.readers import bundled
from prviz.reports.settings import N_LIMITS, ExploreSettings, Source
from prviz.samples import SamplePair

PAPER = "paper"
SOURCES = {"bundled": "A bundled set", "upload": "Your files", PAPER: "The paper's figures 8 to 10"}
SOURCE = "stand-in.source"
FAMILY = "stand-in.family"
# The bundled pair of the first visit, unless Explore shows one. A test checks that the surrogate of
# this pair passes its predictive check.
FIRST_PAIR = "rbm-epoch-300"
# Session key of the source and problem of Explore's pair to which this form has switched last.
_BEGUN = "_surrogate_of"


class Data(NamedTuple):
    """The chosen pair of sets, and the settings with which Explore would show it."""

    pair: SamplePair
    settings: ExploreSettings

    @property
    def private(self) -> bool:
        return self.settings.source == "upload"

    @property
    def sizes(self) -> str:
        return f"{self.pair.real.n:,} real and {self.pair.generated.n:,} generated samples"


def choose(head: DeltaGenerator) -> Data | str | None:
    """Draw the choice of a pair; at first it is the pair that Explore shows.

    Returns None if there is no pair yet, PAPER if the user has chosen the paper's figures.
    """
    explored = session().shown
    shown = ExploreSettings() if explored is None else explored.problem.settings
    _begin(shown)
    with head:
        source = choose_one(
            "Data", SOURCES, key=SOURCE, persist_state="session", label_visibility="collapsed"
        )
        if source == "bundled":
            return _bundled(shown)
    if source == PAPER:
        return PAPER
    return _upload(shown)


def _begin(shown: ExploreSettings) -> None:
    """Switch the form to the pair that Explore shows, but only once for each such pair."""
    pair = (shown.source, shown.problem)
    if st.session_state.get(_BEGUN) == pair:
        return
    st.session_state[_BEGUN] = pair
    upload = shown.source == "upload" or (shown.source == "toy" and session().uploaded is not None)
    st.session_state[SOURCE] = "upload" if upload else "bundled"
    if shown.source == "bundled" or FAMILY not in st.session_state:
        checkpoint = shown.problem if shown.source == "bundled" else FIRST_PAIR
        family = bundled.family_of(checkpoint)
        st.session_state.update({FAMILY: family, f"stand-in.checkpoint.{family}": checkpoint})


def _bundled(shown: ExploreSettings) -> Data:
    families = bundled.BUNDLED
    look: dict[str, Any] = {"label_visibility": "collapsed", "persist_state": "session"}
    family: str = st.selectbox(
        "Generator",
        list(families),
        format_func=lambda name: families[name].title,
        key=FAMILY,
        width=250,
        **look,
    )
    points = {point.name: point for point in families[family].checkpoints}
    checkpoint = list(points)[-1]
    key = f"stand-in.checkpoint.{family}"
    if len(points) > 1:
        checkpoint = st.selectbox(
            "Checkpoint",
            list(points),
            format_func=lambda name: points[name].title,
            key=begin(key, checkpoint),
            width=170,
            **look,
        )
    pair = bundled.bundled_pair(checkpoint)
    return Data(pair, _settings(shown, "bundled", checkpoint, pair))


def _upload(shown: ExploreSettings) -> Data | None:
    uploaded = uploads.box("sqrt")
    if uploaded is None:
        return None
    return Data(uploaded.pair, _settings(shown, "upload", "", uploaded.pair))


def _settings(
    shown: ExploreSettings, source: Source, problem: str, pair: SamplePair
) -> ExploreSettings:
    n = min(max(pair.real.n, pair.generated.n, N_LIMITS[0]), N_LIMITS[1])
    return replace(shown, source=source, problem=problem, parameters={}, n=n, approximate=False)


DIMENSION = "stand-in.d"
FIRST_D = 32
SPLITS = (None, 0.5)
NAMED_KS = ("√n", "3", "5", "10", "20", "50", "100")
OWN_SIZE = 0
SIZES = (200, 500, 1000, 2000, 5000)
# Error messages repeat at most this many characters of a typed entry.
LONGEST_REPEATED = 40


@dataclass(frozen=True, kw_only=True)
class MeasurementRequest:
    """What to measure on surrogates.

    dims : the dimensions of all surrogates, including the one on screen. n : samples of each set;
    None for as many as the data have.
    """

    dims: tuple[int, ...]
    methods: tuple[str, ...]
    ks: tuple[K, ...]
    splits: tuple[float | None, ...]
    repeats: int
    n: int | None


def dimension(most: int) -> int:
    """Draw the choice of the surrogate's dimension, at most `most`; return it."""
    if most == 1:
        return 1
    held = st.session_state.get(DIMENSION)
    st.session_state[DIMENSION] = min(most, FIRST_D if held is None else held)
    return st.slider(
        "Dimensions d",
        1,
        most,
        key=DIMENSION,
        help=(
            "The d directions in which the real samples vary most (their principal components);"
            " both sets are projected on them."
        ),
        persist_state="session",
    )


def measured(data: Data, d: int, most: int) -> MeasurementRequest | None:
    """Draw the choice of what to measure, and return it; None, with a message, if it can't be
    used.

    most : largest dimension of a surrogate of these data.
    """
    methods = _methods(data)
    splits = _splits()
    ks = _ks(min(data.pair.real.n, data.pair.generated.n))
    with st.expander("More: several d, fewer samples, repeats", key="stand-in.more"):
        dims = _dims(most, d)
        own = max(data.pair.real.n, data.pair.generated.n)
        n = st.selectbox(
            "Samples per set",
            [OWN_SIZE, *(size for size in SIZES if size < own)],
            format_func=lambda size: (
                f"{size:,}: a quick look" if size else "As many as your data have"
            ),
            key="stand-in.n",
            help=(
                "The bias depends on how many samples there are: a quick look with fewer of them"
                " tells less about yours."
            ),
            persist_state="session",
        )
        repeats = st.slider(
            "Repeats",
            1,
            10,
            5,
            key="stand-in.repeats",
            help="Fresh samples and a fresh split each time; the interval is of the next one.",
            persist_state="session",
        )
    if not (methods and splits and ks):
        return None
    if splits == (None,) and all(ESTIMATORS[name].needs_split for name in methods):
        st.warning("These estimators need a split: choose one.")
        return None
    return MeasurementRequest(
        dims=dims,
        methods=methods,
        ks=ks,
        splits=splits,
        repeats=repeats,
        n=n or None,
    )


def _methods(data: Data) -> tuple[str, ...]:
    methods = tuple(
        st.multiselect(
            "Families",
            list(ESTIMATORS),
            format_func=lambda name: ESTIMATORS[name].title,
            key=begin("stand-in.methods", list(data.settings.methods)),
            persist_state="session",
        )
    )
    if not methods:
        st.warning("Choose at least one family.")
    return methods


def _splits() -> tuple[float | None, ...]:
    chosen = st.pills(
        "Split",
        list(SPLITS),
        default=list(SPLITS),
        format_func=lambda share: "none" if share is None else f"{100 * share:.0f} %",
        selection_mode="multi",
        key="stand-in.splits",
        help=(
            "Share of each set that defines the classifiers while the rest measures their errors;"
            " none: the same samples do both."
        ),
        persist_state="session",
    )
    if not chosen:
        st.warning("Choose with a split, without one, or both.")
    return tuple(share for share in SPLITS if share in chosen)


def _ks(n: int) -> tuple[K, ...]:
    chosen = st.multiselect(
        "Neighbours k",
        NAMED_KS,
        default=["√n", "5"],
        accept_new_options=True,
        key="stand-in.ks",
        placeholder="Choose, or type a number",
        help=(
            f"How many nearest neighbours a ball holds. √n is {math.isqrt(n)} here; type any other"
            " whole number."
        ),
        persist_state="session",
    )
    found = [as_k(text) for text in chosen]
    wrong = [text for text, k in zip(chosen, found, strict=True) if k is None]
    if wrong:
        say_refusal(
            f"k = {plain(wrong[0][:LONGEST_REPEATED])}: a whole number from 1, or √n, is needed."
        )
        return ()
    if not chosen:
        st.warning("Choose at least one k.")
    return tuple(dict.fromkeys(k for k in found if k is not None))


def as_k(text: str) -> K | None:
    """The k that a typed or chosen text means; None if it means no k."""
    text = text.strip()
    if text in ("√n", "sqrt"):
        return "sqrt"
    if text.isascii() and text.isdigit() and len(text) < 8 and int(text) >= 1:
        return int(text)
    return None


def _dims(most: int, d: int) -> tuple[int, ...]:
    others = [power for power in (2**i for i in range(12)) if power <= most]
    if len(others) < 2:
        return (d,)
    chosen = st.pills(
        f"Measure also at d =, beside {d}",
        others,
        selection_mode="multi",
        key="stand-in.dims",
        help="Each d has a surrogate of its own. The ranking is that of the d chosen above.",
        persist_state="session",
    )
    return tuple(sorted({d, *chosen}))
