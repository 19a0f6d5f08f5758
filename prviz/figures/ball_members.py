"""The ball members of one point in the plane: samples, the judged point, its balls, and the classifier's regions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from prviz.figures import theme

Floats = NDArray[np.float64]

WRONG_COLOR = "#D62839"
CHOSEN_COLOR = theme.faded("#E69F00", 0.75)
_CIRCLE = np.linspace(0, 2 * np.pi, 61)


class BallMembersView(NamedTuple):
    """One classifier and one judged point.

    grid : (g, 2) points of the plane. calls : (g,) 1 where the classifier says real, 0 generated, -1 where no fit
    sample votes. wrong : (w, 2) evaluation samples that the classifier calls wrongly.
    chosen : (2,) the judged point. voters : (v, 2) real and (w, 2) generated fit samples that vote on the point.
    balls : ((b, 2), (b,)) centres and radii of the balls that real ones, and that generated ones, are counted in.
    """

    grid: ArrayLike
    calls: ArrayLike
    wrong: ArrayLike
    chosen: ArrayLike
    voters: tuple[ArrayLike, ArrayLike]
    balls: tuple[tuple[ArrayLike, ArrayLike], tuple[ArrayLike, ArrayLike]]


def votes_figure(
    view: BallMembersView,
    fit: Sequence[ArrayLike],
    judged: Sequence[ArrayLike] | None,
    *,
    numbers: Sequence[ArrayLike],
    low: float,
    high: float,
) -> go.Figure:
    """The plane as dots coloured by the classifier's answer, the samples, and the votes on one point.

    view : the part that changes with the chosen point. fit : (n, 2) real and (m, 2) generated samples that vote.
    judged : the real and generated evaluation samples, drawn open; None: the fit samples. numbers : customdata of the
    judged real and generated samples. low, high : the range of both axes. Raises ValueError for points that are not in
    the plane, or other lengths.

    The traces, in order: dots called real, called generated, without votes; crosses on wrong calls; real and
    generated balls; lines to real and to generated voters; the chosen point; then the samples.
    """
    grid, calls = _points(view.grid), np.asarray(view.calls)
    if calls.shape != (len(grid),):
        raise ValueError(f"calls has shape {calls.shape} for {len(grid)} points of the grid; one of each is needed")
    looks = ((1, "here it says real", theme.REAL_COLOR), (0, "here it says generated", theme.GENERATED_COLOR))
    size, arms = (high - low) / 90, [np.array([[-1.0, -1.0], [1.0, 1.0]]), np.array([[-1.0, 1.0], [1.0, -1.0]])]
    crosses = [point + size * arm for point in _points(view.wrong) for arm in arms]
    traces = [
        *(_dots(name, grid[calls == call], theme.faded(color, 0.38), 5) for call, name, color in looks),
        _dots("here nobody votes", grid[calls < 0], theme.faded(theme.EVEN_COLOR, 0.4), 3),
        _line("balls of real votes", _circles(*view.balls[0]), theme.REAL_COLOR, width=1.6),
        _line("balls of generated votes", _circles(*view.balls[1]), theme.GENERATED_COLOR, width=1.6, dash="dot"),
        _line("real votes", _spokes(view.chosen, view.voters[0]), theme.REAL_COLOR, width=1.2),
        _line("generated votes", _spokes(view.chosen, view.voters[1]), theme.GENERATED_COLOR, width=1.2),
        _dots("the point", _points(view.chosen), CHOSEN_COLOR, 19),
        *_samples(fit, judged, numbers),
        _line("called wrongly", _strokes(crosses), WRONG_COLOR, width=1.6, showlegend=True),
    ]
    return theme.finish(
        go.Figure(traces),
        height=520,
        **theme.square("first feature", "second feature", range=[low, high], zeroline=False),
        legend=theme.legend(-0.2, centred=True),
    )


def _points(values: ArrayLike) -> Floats:
    found = np.asarray(values, dtype=np.float64).reshape(-1, np.shape(values)[-1] if np.size(values) else 2)
    if found.shape[1] != 2:
        raise ValueError(f"points have shape {np.shape(values)}; (n, 2) is needed")
    return found


def _samples(
    fit: Sequence[ArrayLike], judged: Sequence[ArrayLike] | None, numbers: Sequence[ArrayLike]
) -> list[go.Scatter]:
    groups: list[tuple[str, str, Sequence[ArrayLike], Sequence[ArrayLike | None]]] = [("", "", fit, numbers)]
    if judged is not None:
        groups = [(" (vote)", "", fit, (None, None)), (" (judged)", "-open", judged, numbers)]
    traces = []
    for suffix, look, sides, called in groups:
        for values, (role, symbol, color), some in zip(sides, theme.ROLES, called, strict=True):
            name, points = f"{role}{suffix}", _points(values)
            if some is not None and np.size(some) != len(points):
                raise ValueError(
                    f"numbers has {np.size(some)} entries for {len(points)} {name} samples; one of each is needed"
                )
            said = "" if some is None else ", point %{customdata}"
            trace = go.Scatter(
                x=points[:, 0],
                y=points[:, 1],
                name=name,
                mode="markers",
                marker={"color": color, "symbol": symbol + look, "size": 7, "line": {"width": 1.8 if look else 0}},
                customdata=None if some is None else np.asarray(some),
                hovertemplate=f"<b>{name}</b>{said}: %{{x:.2f}}, %{{y:.2f}}<extra></extra>",
            )
            traces.append(trace)
    return traces


def _dots(name: str, points: Floats, color: str, size: float) -> go.Scatter:
    """Dots of one colour, at least one: Plotly leaves out an empty trace, which a front end could not update."""
    x, y = points.T if len(points) else ([None], [None])
    marker = {"color": color, "size": size, "line": {"width": 0}}
    return go.Scatter(x=x, y=y, name=name, mode="markers", marker=marker, hoverinfo="skip", showlegend=False)


def _line(name: str, points: Floats, color: str, *, showlegend: bool = False, **line: Any) -> go.Scatter:
    """Strokes with gaps between them, where a coordinate is nan."""
    x, y = (np.where(np.isnan(each), None, each) for each in points.T) if len(points) else ([None], [None])
    look = {"color": color, **line}
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=look, hoverinfo="skip", showlegend=showlegend)


def _strokes(parts: Sequence[Floats]) -> Floats:
    """The parts one after the other, nan between them."""
    if not parts:
        return np.empty((0, 2))
    return np.concatenate([row for part in parts for row in (part, np.full((1, 2), np.nan))])[:-1]


def _circles(centres: ArrayLike, radii: ArrayLike) -> Floats:
    turn = np.column_stack([np.cos(_CIRCLE), np.sin(_CIRCLE)])
    pairs = zip(_points(centres), np.asarray(radii, dtype=np.float64), strict=True)
    return _strokes([centre + radius * turn for centre, radius in pairs])


def _spokes(chosen: ArrayLike, voters: ArrayLike) -> Floats:
    begin = _points(chosen)[0]
    return _strokes([np.stack([begin, end]) for end in _points(voters)])
