"""The precision-recall figure, and a figure of the bias of the estimated precision along the
curve.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
import plotly.graph_objects as go

from prviz.curves import NamedCurves, PRCurve
from prviz.curves.refuted import is_refuted
from prviz.estimators import ESTIMATORS
from prviz.figures import theme

if TYPE_CHECKING:
    from prviz.figures.theme import Bands

# Legend group of the bound, by which the browser finds it; the bound is the same for all k.
BOUND = "bound"
# `meta` of a family's limit, by which the browser finds it; a limit depends on k.
LIMIT = "limit"
# `meta` of the thin part of a curve beyond the bound, by which the browser finds it.
REFUTED = "refuted"
BOUND_LABEL = "the truth lies below, 95 %"
_BOUND_HOVER = (
    "the truth has a precision of at most α = %{y:.3f}<br>and a recall of at most β = %{x:.3f}, at"
    " λ = α / β = %{text}<br>and at every other λ, with 95 % confidence<extra></extra>"
)

_HOVER = (
    "<b>%{fullData.name}</b><br>precision α = %{y:.3f}, recall β = %{x:.3f}<br>at λ = α / β ="
    " %{text}<br>best classifier here:<br>  calls %{customdata[1]:.1%} of the real samples"
    " generated (fpr)<br>  calls %{customdata[2]:.1%} of the generated samples real"
    " (fnr)<extra></extra>"
)


class Beside(TypedDict, total=False):
    """What is drawn beside curves.

    truth : the curve to compare with, dashed.
    bound : an upper bound of the true curve: a thin line, beyond which the plot is shaded and
        curves are thin.
    limits : family -> its curve for infinitely many samples, dotted in the family's colour.
    bands : curve name -> spread of repeated or resampled curves, drawn behind the curve and cut to
        [0, 1].
    notes : curve name -> a few words that are added to the name in legend and hover.
    """

    truth: PRCurve | None
    bound: PRCurve | None
    limits: NamedCurves | None
    bands: Bands | None
    notes: Mapping[str, str] | None


def pr_figure(curves: NamedCurves, *, height: int = 560, **beside: Unpack[Beside]) -> go.Figure:
    """Precision against recall of every curve, the truth dashed, on the square [0, 1.02] x [0,
    1.02].

    Parameters
    ----------
    curves : estimates by name, in drawing order; families keep their colour and their marker.
    height : pixels.
    **beside : see `Beside`.

    The customdata of each point is [lam, fpr, fnr]: the trade-off, from 0 to inf, and the error
    rates of the classifier that is optimal at lam. A front end uses the rates to find the same
    classifier in `error_space_figure`.
    """
    # Plotly's validation of traces is off: it takes longer than drawing them, and tests check the
    # traces.
    return theme.finish(
        go.Figure(pr_traces(curves, **beside), _validate=False),
        height=height,
        **theme.pr_axes(),
        legend=theme.legend(centred=True),
    )


def pr_traces(curves: NamedCurves, *, placed: bool = True, **beside: Unpack[Beside]) -> list[Any]:
    """The traces of `pr_figure` without a layout, for a front end that already has it; most are
    plain dictionaries.

    placed : False for a front end that has the curves and writes their names itself: traces other
        than bands then have no points, and curves no markers.
    """
    color = theme.colors(curves)
    symbol = theme.symbols(curves)
    truth = beside.get("truth")
    bound = beside.get("bound")
    notes = beside.get("notes") or {}
    traces: list[Any] = []
    for name, band in (beside.get("bands") or {}).items():
        fill = theme.faded(color.get(name, theme.TRUTH_COLOR), 0.25)
        about = theme.named(name, band.meaning)
        traces.append(theme.polygon(*theme.outline(band), fill, **about, showlegend=False))
    if truth is not None:
        traces.append(curve_trace(theme.TRUTH_LABEL, truth, theme.truth_line(), placed=placed))
    lines = []
    for name, curve in curves.items():
        line = curve_trace(
            name, curve, theme.curve_line(name, color[name]), notes.get(name, ""), placed=placed
        )
        if placed:
            marker = {"size": theme.SYMBOL_SIZE, "maxdisplayed": theme.MOST_SYMBOLS}
            line["mode"] = "lines+markers"
            line["marker"] = marker | {"symbol": symbol[name], "color": color[name]}
        lines.append(line)
    traces += lines
    # The bound is the last trace and its parts have ids, because it appears and disappears: with
    # ids a front end keeps hidden the traces that the user has hidden.
    if bound is not None:
        for line in lines:
            traces += _beyond_bound(line, bound)
        edge = {"color": theme.TRUTH_COLOR, "width": 1}
        look = {"legendgroup": BOUND, "uid": BOUND, "hovertemplate": _BOUND_HOVER}
        traces.append(beyond(bound, placed=placed))
        traces.append(curve_trace(BOUND_LABEL, bound, edge, placed=placed, **look))
    for name, curve in (beside.get("limits") or {}).items():
        line = {"color": color[name], "width": 1.5, "dash": "dot"}
        about = {"meta": LIMIT, "uid": f"{LIMIT}-{name}"}
        traces.append(curve_trace(limit_label(name), curve, line, placed=placed, **about))
    return traces


def limit_label(name: str) -> str:
    """Legend name of a family's limit, its curve for infinitely many samples; also its legend
    group.
    """
    return f"{ESTIMATORS[name].title} at n = ∞"


def beyond(bound: PRCurve, points: int = 200, placed: bool = True) -> go.Scatter:
    """The shaded area beyond an upper bound of the truth, towards the corner (1, 1); its legend
    group is BOUND.
    """
    _, alpha, beta = bound.sample(points if placed else 2)
    return theme.polygon(
        [*beta, 0, 2, 2] if placed else None,
        [*alpha, 2, 2, 0] if placed else None,
        theme.faded(theme.TRUTH_COLOR, 0.1),
        legendgroup=BOUND,
        showlegend=False,
        uid=f"{BOUND}-shade",
        name=BOUND_LABEL,
    )


def _beyond_bound(line: dict[str, Any], bound: PRCurve) -> list[dict[str, Any]]:
    """Move the part of a curve beyond the bound out of its line, into a thin line of its own.

    Returns a list with the thin line, or an empty list if no part lies beyond the bound. If
    ``line`` has no points, because the front end has the curves, the list always has the thin line.
    """
    thin = {name: value for name, value in line.items() if name != "marker"}
    thin |= {
        "mode": "lines",
        "showlegend": False,
        "meta": REFUTED,
        "uid": f"{REFUTED}-{line['legendgroup']}",
    }
    thin["line"] = line["line"] | {"width": 1}
    if "y" not in line:
        return [thin]
    beyond = is_refuted(line["customdata"][:, 0], line["y"], line["x"], bound)
    if not beyond.any():
        return []
    # The thick and the thin line both keep the point where the curve crosses the bound, so that
    # they meet.
    inner = beyond & np.roll(beyond, 1) & np.roll(beyond, -1)
    inner[[0, -1]] = beyond[[0, -1]] & beyond[[1, -2]]
    thin["y"] = np.where(beyond, line["y"], np.nan)
    line["y"] = np.where(inner, np.nan, line["y"])
    line["mode"] = "lines"  # the rest of the line may be too short for markers
    return [thin]


def curve_trace(
    name: str,
    curve: PRCurve,
    line: dict[str, Any],
    note: str = "",
    *,
    placed: bool = True,
    **drawn: Any,
) -> dict[str, Any]:
    """A trace of one curve as a dictionary, which Plotly accepts.

    It is faster than a Scatter object, which would be validated and copied.
    """
    look = {
        "type": "scatter",
        **theme.named(name, note),
        "mode": "lines",
        "line": line,
        "hovertemplate": _HOVER,
        **drawn,
    }
    if not placed:
        return look
    lam, alpha, beta = curve.sample(200)
    return look | {
        "x": beta,
        "y": alpha,
        # an array of objects, because Plotly would validate every entry of a list
        "text": np.array(theme.numbers(lam), object),
        "customdata": np.column_stack([lam, curve.vertices[curve.vertex_at(lam)]]),
    }


_BIAS_HOVER = (
    "<b>%{fullData.name}</b><br>at λ = %{text}: estimated precision %{customdata[1]:.3f},"
    "<br>true precision %{customdata[2]:.3f}, difference %{y:+.3f}<extra></extra>"
)


def bias_figure(curves: NamedCurves, truth: PRCurve, *, points: int = 361) -> go.Figure:
    """Estimated minus true precision alpha(lam) against the angle theta = arctan(lam) in [0, 90]
    degrees.

    Parameters
    ----------
    curves : estimates by name, in drawing order.
    truth : the true curve, which is the dashed zero line.
    points : number of rays at equally spaced angles, both ends included.

    The vertical axis is symmetric and ends at a round number, so that it stays the same when a
    parameter changes a little. Above zero the estimate is too optimistic. Each point carries
    customdata [lam, estimate, truth]. The ticks show lam; at lam = 1 the two kinds of error weigh
    the same.
    """
    theta = np.linspace(0.0, 90.0, points)
    lam = np.tan(np.radians(theta))
    lam[-1] = np.inf
    figure = go.Figure()
    color = theme.colors(curves)
    true = truth.alpha(lam)
    figure.add_scatter(
        x=[0, 90],
        y=[0, 0],
        name=theme.TRUTH_LABEL,
        mode="lines",
        line=theme.truth_line(),
        hoverinfo="skip",
    )
    longest = 0.0
    for name, curve in curves.items():
        estimate = curve.alpha(lam)
        longest = max(longest, float(np.abs(estimate - true).max()))
        figure.add_scatter(
            x=theta,
            y=estimate - true,
            **theme.named(name),
            mode="lines",
            line=theme.line_of(color[name]),
            text=theme.numbers(lam),
            customdata=np.column_stack([lam, estimate, true]),
            hovertemplate=_BIAS_HOVER,
        )
    reach = theme.reach(longest)
    ends = {"range": [-1.05 * reach, 1.05 * reach], **theme.SIGNED_TICKS}
    return theme.finish(
        figure,
        height=380,
        xaxis=theme.angle_axis(),
        yaxis=theme.axis("estimated minus true α(λ)<br>above 0: too optimistic", **ends),
        legend=theme.legend(-0.32),
    )
