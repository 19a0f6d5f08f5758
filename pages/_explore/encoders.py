"""Panel "Encoders": the pair's curves and areas in the features of several encoders, with all of an
encoder's features and with fewer.
"""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from pages._explore.session import explore_session
from pages._live.figure import live_figure
from pages._shared import answers, media
from pages._shared.networks import choose_networks
from pages._shared.widgets import plain
from prviz import figures
from prviz.embed.encoders.stored import StoredEncoder
from prviz.embed.lens import Lens, LensReading, lens
from prviz.estimators import ESTIMATORS
from prviz.live.figure import Pane, compact
from prviz.live.problems import Problem
from prviz.measure.estimates import Progress
from prviz.measure.workload import cut, estimate_seconds, fit_size
from prviz.samples import SamplePair

# Most samples of each set that are encoded; of a larger set, so many are drawn.
_MOST = 2_000
# Seconds, on a slow machine, to read one picture and encode it with the built-in encoders.
_PICTURE_SECONDS = 2e-3
# Seconds, on a slow machine, to encode one picture with one network that the user has added.
_NETWORK_SECONDS = 2e-2
# Most numbers of features at which an encoder's area is measured.
_READINGS = 9
# Most encoders besides the user's networks.
_ENCODERS = 4
# Number of features of an encoder's second curve; the first has all features.
_FEW = 8
# Colours of encoders. They are the families' colours: Plotly's default colours have two blues that
# are hard to tell apart.
_HUES = tuple(figures.FAMILY_COLORS.values())
_HELP = (
    "The same two sets in other features: principal components of the values; for pictures also a"
    " network with random weights, or one of yours; for bundled sets also a trained network. An AuC"
    " belongs to its encoder and number of features: compare models by the same ones only."
)


def draw(problem: Problem) -> None:
    """Draw the area of the first family's curve over the number of features, one line per encoder;
    when enlarged, the curves too.

    Draws nothing for toys.
    """
    if problem.settings.source == "toy":
        return
    with st.expander(
        "Encoders", icon=":material/lens_blur:", on_change="rerun", key="encoders", expanded=False
    ) as part:
        if not part.open:
            return
        found = _lens(problem)
        if found is None:
            return
        lines = {
            name: ([each.d for each in found.of(name)], [each.areas[0] for each in found.of(name)])
            for name in found.encoders
        }
        enlarged = explore_session().enlarged
        over = compact(figures.iou_sweep_figure(lines, xlabel="features kept", ylabel="AuC"), 270)
        over.update_layout(showlegend=True, margin_t=44, legend={"y": 1.02, "yanchor": "bottom"})
        for hue, trace in zip(_HUES, over.data, strict=False):
            trace.update(mode="lines+markers", line_color=hue)
        family = ESTIMATORS[problem.settings.methods[0]].title
        title = f"AuC of {family} by features kept"
        panes = [Pane("encoders-areas", over, title, half=enlarged, wide=not enlarged, help=_HELP)]
        if enlarged:
            panes.append(Pane("encoders-curves", _curves(found), "Curves", square=True, half=True))
        live_figure(f"encoders-figure-{enlarged}", panes)
        if found.left_out:
            st.caption(plain(found.left_out))


def _curves(found: Lens) -> go.Figure:
    """Figure of two curves for each encoder: with all features, and with _FEW features."""
    shown: dict[str, LensReading] = {}
    for name in found.encoders:
        readings = found.of(name)
        for each in (readings[-1], *(few for few in readings[:-1] if few.d == _FEW)):
            shown[f"{name}, {each.d} features"] = each
    figure = figures.pr_figure({name: each.estimates[0].curve for name, each in shown.items()})
    for hue, trace in zip(_HUES, figure.data, strict=False):
        trace.update(line_color=hue, marker_color=hue)
    return figure


def _lens(problem: Problem) -> Lens | None:
    """The pair measured by every encoder at several numbers of features; None until a job has
    measured it.
    """
    settings = problem.settings
    pair = SamplePair(*(cut(side, _MOST, settings.seed) for side in problem.pair))
    n = min(side.n for side in pair)
    method = settings.methods[0]
    k = settings.k if settings.k == "sqrt" or settings.k < fit_size(n, settings.split) else "sqrt"
    held = None
    if problem.uploaded is not None:
        held = problem.uploaded.pictures
    sources = () if held is None else held.sources
    networks = choose_networks(pair.real, sources, "encoders-networks")
    stored = settings.source == "bundled"

    def compute(progress: Progress) -> Lens:
        return lens(
            pair.real,
            pair.generated,
            sources=sources,
            encoders=[StoredEncoder([settings.problem])] * stored + networks.load(),
            method=method,
            k=k,
            split=settings.split,
            seed=settings.seed,
            progress=progress,
        )

    one = estimate_seconds(pair.real.n, pair.generated.n, 256, methods=1, split=settings.split)
    picture = _PICTURE_SECONDS + networks.count * _NETWORK_SECONDS
    seconds = (
        _READINGS * (_ENCODERS + networks.count) * one + sum(side.n for side in pair) * picture
    )
    how = (method, k, settings.split, settings.seed, media.view_key(problem.uploaded), networks.key)
    key = ("encoders", *problem.key, *how)
    return answers.tab_result(key, seconds, compute)
