"""Two densities on a line with their common part, or with the errors of the optimal classifier."""

from __future__ import annotations

from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import ArrayLike, NDArray

from prviz.figures import theme

Floats = NDArray[np.float64]


def overlap_figure(
    x: ArrayLike, p: ArrayLike, q: ArrayLike, *, lam: float, side: Literal["precision", "recall"]
) -> go.Figure:
    """The common part whose area is precision, min(lam p, q), or recall, min(p, q / lam).

    x : (m,) increasing positions. p, q : (m,) densities of real and generated data there. lam : in (0, inf).
    The traces are the common part, then the real and the generated density as scaled. Raises ValueError for another
    lam or other shapes.
    """
    xs, real, generated = _checked(x, p, q, lam)
    first, second = (lam * real, generated) if side == "precision" else (real, generated / lam)
    names = ("λ p (real)", "q (generated)") if side == "precision" else ("p (real)", "q / λ (generated)")
    traces = [
        _area(xs, np.minimum(first, second), f"area: {side} {'α' if side == 'precision' else 'β'}", theme.EVEN_COLOR),
        _line(xs, first, names[0], theme.REAL_COLOR),
        _line(xs, second, names[1], theme.GENERATED_COLOR),
    ]
    return _finished(traces, max(real.max(), generated.max()))


def errors_figure(x: ArrayLike, p: ArrayLike, q: ArrayLike, *, lam: float) -> go.Figure:
    """The errors of the likelihood-ratio classifier at lam, which calls z real where q(z) <= lam p(z).

    The area under p where it says "generated" is fpr, the area under q where it says "real" is fnr; arguments and
    errors are those of `overlap_figure`. The traces are the two areas, then the two densities.
    """
    xs, real, generated = _checked(x, p, q, lam)
    called_real = generated <= lam * real
    traces = [
        _area(xs, np.where(called_real, 0.0, real), "fpr: real, called generated", theme.REAL_COLOR),
        _area(xs, np.where(called_real, generated, 0.0), "fnr: generated, called real", theme.GENERATED_COLOR),
        _line(xs, real, "p (real)", theme.REAL_COLOR),
        _line(xs, generated, "q (generated)", theme.GENERATED_COLOR),
    ]
    return _finished(traces, max(real.max(), generated.max()))


def densities_figure(x: ArrayLike, p: ArrayLike, q: ArrayLike) -> go.Figure:
    """The two densities alone; arguments and errors are those of `overlap_figure`."""
    xs, real, generated = _checked(x, p, q)
    traces = [
        _line(xs, real, "p (real)", theme.REAL_COLOR),
        _line(xs, generated, "q (generated)", theme.GENERATED_COLOR),
    ]
    return _finished(traces, max(real.max(), generated.max()))


def _checked(x: ArrayLike, p: ArrayLike, q: ArrayLike, lam: float = 1.0) -> tuple[Floats, Floats, Floats]:
    arrays = tuple(np.asarray(each, dtype=np.float64) for each in (x, p, q))
    shapes = [array.shape for array in arrays]
    if len(set(shapes)) > 1 or len(shapes[0]) != 1 or shapes[0][0] < 2:
        raise ValueError(f"x, p and q have shapes {shapes}; three lists of the same length, at least 2, are needed")
    if not 0 < lam < np.inf:
        raise ValueError(f"lam = {lam}; a positive finite number is needed")
    return arrays[0], arrays[1], arrays[2]


def _line(x: Floats, y: Floats, name: str, color: str) -> go.Scatter:
    hover = f"<b>{name}</b> = %{{y:.3f}} at x = %{{x:.2f}}<extra></extra>"
    return go.Scatter(x=x, y=y, name=name, mode="lines", line={"color": color, "width": 2}, hovertemplate=hover)


def _area(x: Floats, y: Floats, name: str, color: str) -> go.Scatter:
    fill = {"fill": "tozeroy", "fillcolor": theme.faded(color, 0.35)}
    line = {"color": color, "width": 0.5}
    return go.Scatter(x=x, y=y, name=name, mode="lines", line=line, hoverinfo="skip", **fill)


def _finished(traces: list[go.Scatter], highest: float) -> go.Figure:
    yaxis = theme.axis("density", range=[0, 1.08 * highest], zeroline=False)
    xaxis = theme.axis("x", zeroline=False)
    return theme.finish(go.Figure(traces), height=300, xaxis=xaxis, yaxis=yaxis, legend=theme.legend(-0.28))
