"""Converts what users may draw (a curve, estimates or comparisons) to curves by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from prviz.curves import NamedCurves, PRCurve
from prviz.curves.band import Band
from prviz.figures import theme
from prviz.figures.pr import Beside, curve_trace, pr_figure
from prviz.measure.estimates import Estimate
from prviz.uncertainty.bootstrap import IntervalBand, Spread
from prviz.uncertainty.paired import GeneratorComparison, SeveralGenerators

Drawable: TypeAlias = PRCurve | Estimate | Spread
Curves: TypeAlias = Drawable | GeneratorComparison | SeveralGenerators | Mapping[str, Any]
Others: TypeAlias = PRCurve | NamedCurves | None

_NEEDED = "a PRCurve, an Estimate or a comparison is needed, or a mapping of names to curves"


def _curve_of(found: object, name: str) -> PRCurve:
    if isinstance(found, PRCurve):
        return found
    if isinstance(found, Estimate | Spread):
        return found.curve
    raise TypeError(f"{name} is {type(found).__name__}; {_NEEDED}")


def named_curves(curves: Curves) -> dict[str, PRCurve]:
    """Curves by name, in the order in which they are drawn."""
    if isinstance(curves, GeneratorComparison):
        return {"a": curves.a.curve, "b": curves.b.curve}
    if isinstance(curves, SeveralGenerators):
        return {name: spread.curve for name, spread in curves.spreads.items()}
    if isinstance(curves, Estimate):
        return {curves.method: curves.curve}
    if not isinstance(curves, Mapping):
        return {"": _curve_of(curves, "curves")}
    if not curves:
        raise ValueError("curves is empty; at least one curve is needed")
    return {str(name): _curve_of(each, f"curves[{name!r}]") for name, each in curves.items()}


def named_others(others: Others, curves: NamedCurves, role: str) -> dict[str, PRCurve]:
    """Truths or bounds by name: that of the curve that each belongs to.

    A single truth for all curves is called "the truth", a single bound "the bound", or by the name
    of the curve if there is only one.
    """
    if others is None:
        return {}
    if isinstance(others, PRCurve):
        return {
            next(iter(curves)) if len(curves) == 1 and role == "bound" else f"the {role}": others
        }
    _check_names(others, curves, role, "a PRCurve or a mapping of names to curves")
    return {str(name): _curve_of(each, f"{role}[{name!r}]") for name, each in others.items()}


def check_bands(bands: Any, curves: NamedCurves) -> None:
    """Raise TypeError or ValueError unless ``bands`` maps names of curves to bands."""
    _check_names(bands, curves, "bands", "a mapping of names to bands")
    for name, band in bands.items():
        if not isinstance(band, Band | IntervalBand):
            raise TypeError(
                f"bands[{name!r}] is {type(band).__name__}; a band is needed, such as"
                " prviz.spread(curves).band()"
            )


def _check_names(others: Any, curves: NamedCurves, role: str, needed: str) -> None:
    if not isinstance(others, Mapping):
        raise TypeError(f"{role} is {type(others).__name__}; {needed} is needed")
    for name in others:
        if name not in curves:
            raise ValueError(
                f"{role}[{name!r}] belongs to no curve; the curves are "
                f"{', '.join(map(repr, curves))}"
            )


def plot(curves: Curves, *, truth: Others = None, bound: Others = None) -> Any:
    """Draw curves in a Plotly figure, which shows the numbers of the point under the pointer.

    Parameters
    ----------
    curves : PRCurve, Estimate, GeneratorComparison, SeveralGenerators, or mapping of str to these
        What to draw, in this order, as solid lines; families have their own colours.
    truth : PRCurve, or mapping of str to PRCurve, optional
        True curves, drawn dashed; in a mapping, each in the colour of the curve with the same name.
    bound : PRCurve, or mapping of str to PRCurve, optional
        Upper bounds of the truth, such as `prviz.upper_bound`, drawn as thin lines. Beyond a single
        bound the plot is shaded.

    Returns
    -------
    plotly.graph_objects.Figure
        The figure.

    Raises
    ------
    ValueError, TypeError
        Nothing to draw, or a truth or a bound of a curve that is not drawn.
    """
    shown = named_curves(curves)
    named = {name or "curve": curve for name, curve in shown.items()}
    color = theme.colors(named)
    common: Beside = {}
    own = list[tuple[str, Others, dict[str, Any]]]()
    if isinstance(truth, PRCurve):
        common["truth"] = truth
    else:
        own.append(("truth", truth, {"width": 1.8, "dash": "dash"}))
    if isinstance(bound, PRCurve):
        common["bound"] = bound
    else:
        own.append(("bound", bound, {"width": 1.0}))
    figure = pr_figure(named, **common)
    for role, others, width in own:
        for name, curve in named_others(others, shown, role).items():
            look = {"color": color[name or "curve"], **width}
            figure.add_trace(curve_trace(f"{theme.title(name)}, {role}", curve, look))
    return figure
