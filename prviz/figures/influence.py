"""Figures of both ends of curves, alpha_inf and beta_0: how they depend on k, on the split and on
single influential samples, beside the masses of the true supports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from prviz.figures import theme
from prviz.figures.iou import AT_K, Values
from prviz.toys import SupportMasses

_TICKS = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 3000, 10_000]
# One symbol is filled and one open, so that overlapping points stay distinguishable.
_SPLITS = {True: ("with split", "circle"), False: ("without split", "diamond-open")}


def extreme_sweep_figure(
    lines: Mapping[bool, Values], *, ylabel: str, truth: float | None = None
) -> go.Figure:
    """One end of the families' curves against k on a logarithmic axis; bold with split, thin with
    open marks without.

    Colours tell the families apart; the legend explains bold and thin.

    Parameters
    ----------
    lines : for estimates with split (True) and without (False), or only one of them: method -> (ks,
        values).
    ylabel : name of the end drawn.
    truth : its true value, drawn dashed, or None.

    Raises ValueError when a method's two sequences differ in length, or for a k <= 0.
    """
    figure = go.Figure()
    color = theme.colors(name for sweep in lines.values() for name in sweep)
    for held_out, sweep in lines.items():
        for name, (ks, values) in sweep.items():
            theme.check_sweep(name, ks, values, log_x=True)
            said = {
                "name": f"{theme.label(name)}, {_SPLITS[held_out][0]}",
                "showlegend": False,
                "hovertemplate": AT_K,
            }
            figure.add_scatter(x=list(ks), y=list(values), **said, **_look(color[name], held_out))
    for held_out in lines:
        theme.add_entry(figure, name=_SPLITS[held_out][0], **_look(theme.EVEN_COLOR, held_out))
    theme.add_truth(
        figure, truth, sorted(k for sweep in lines.values() for ks, _ in sweep.values() for k in ks)
    )
    theme.add_now(figure)
    return theme.finish(
        figure,
        height=380,
        xaxis=theme.axis("neighbours k (log scale)", type="log", tickvals=_TICKS),
        yaxis=theme.axis(theme.plain(ylabel), range=[-0.02, 1.04], dtick=0.2),
    )


def _look(color: str, held_out: bool) -> dict[str, Any]:
    """Line style of estimates with split or without. They differ in width and marks; dashes are
    kept for the truth.
    """
    if held_out:
        return {"mode": "lines", "line": theme.line_of(color)}
    marker = {"symbol": "diamond-open", "size": 7, "color": color, "maxdisplayed": 12}
    return {"mode": "lines+markers", "line": {"color": color, "width": 1.2}, "marker": marker}


def carriers_figure(
    names: Sequence[str], alone: Sequence[int], carried: Sequence[int], *, color: str
) -> go.Figure:
    """A bar for each influential sample, the first on top.

    The bar is the number of samples that this sample carries alone (see
    `prviz.diagnostics.influence`), and the faint bar behind it the number of all samples that it
    carries.

    Parameters
    ----------
    names : names of the samples.
    alone, carried : number of samples that each one carries alone, and in all.
    color : colour of the bars.
    """
    figure = go.Figure()
    said = []
    texts = []
    for name, one, every in zip(names, alone, carried, strict=True):
        said.append([theme.plain(name), one, every])
        texts.append(f"{one:,} of {every:,}")
    shared: dict[str, Any] = {
        "y": list(range(len(names))),
        "orientation": "h",
        "customdata": said,
        "hovertemplate": (
            "<b>%{customdata[0]}</b><br>alone: %{customdata[1]:,}<br>in all:"
            " %{customdata[2]:,}<extra></extra>"
        ),
    }
    figure.add_bar(
        x=list(carried),
        name="carried",
        marker={"color": theme.faded(color, 0.35)},
        text=texts,
        textposition="outside",
        cliponaxis=False,
        **shared,
    )
    figure.add_bar(x=list(alone), name="carried alone", marker={"color": color}, **shared)
    longest = max([*carried, 4])
    return theme.finish(
        figure,
        height=130 + 26 * max(len(names), 1),
        bargap=0.3,
        barmode="overlay",
        margin={"l": 20, "r": 20, "t": 10, "b": 90},
        # room for the text beside the longest bar
        xaxis=theme.axis("samples carried", range=[0, 1.3 * longest], nticks=5),
        yaxis=theme.axis("", **theme.tick_names(names), showgrid=False),
    )


def fall_figure(
    removed: Sequence[int],
    *,
    extreme: Sequence[float],
    share: Sequence[float],
    subtracted: Sequence[float],
    labels: tuple[str, str],
    color: str,
    truth: float | None = None,
) -> go.Figure:
    """One end of a curve, and the share of samples that are carried, against the number of removed
    samples.

    Parameters
    ----------
    removed : numbers of samples, increasing, 0 first.
    extreme, share : the end and the share, measured again without the removed samples.
    subtracted : the share if the balls of all other samples had kept their radii.
    labels : names of the end and of the share.
    color : colour of the lines.
    truth : the true end, drawn dashed, or None.
    """
    figure = go.Figure()
    places = [f"{count}" for count in removed]
    hover = "%{fullData.name}<br>without the top %{x}: %{y:.3f}<extra></extra>"
    thin = {"color": color, "width": 1.2}
    for name, values, line, symbol, size in (
        (labels[0], extreme, theme.line_of(color), "circle", 9),
        (labels[1], share, thin, "square-open", 8),
        ("the same by subtraction", subtracted, None, "x-thin-open", 11),
    ):
        ink = color if line else theme.EVEN_COLOR
        figure.add_scatter(
            x=places,
            y=list(values),
            name=theme.plain(name),
            mode="lines+markers" if line else "markers",
            line=line,
            marker={"size": size, "color": ink, "symbol": symbol},
            hovertemplate=hover,
        )
    theme.add_truth(figure, truth, places)
    return theme.finish(
        figure,
        height=360,
        xaxis=theme.axis("samples removed, those that carry most first", type="category"),
        yaxis=theme.axis("share of samples", range=[-0.02, 1.04], dtick=0.2),
    )


class ExtremeRow(NamedTuple):
    """Both ends of one family's curve, alpha_inf and beta_0."""

    method: str
    held_out: bool
    alpha_inf: float
    beta_0: float


_DASHES = {"dashed": "dash", "dotted": "dot"}
_GAP = 95  # pixels between the panels, for tick labels above and three lines of title below
_PANELS = {
    "precision": "precision end: α<sub>∞</sub>",
    "recall": "recall end: β<sub>0</sub>",
}


def extremes_figure(rows: Sequence[ExtremeRow], *, truth: SupportMasses | None = None) -> go.Figure:
    """A dot plot with two panels: alpha_inf on the precision side, beta_0 on the recall side.

    Parameters
    ----------
    rows : one for each method with and without split; methods are drawn from the top in the order
    of their first row.
    truth : masses to compare with, or None. Dashed: the mass of the co-support, Q(cosupp) or
        P(cosupp), which is the true value of both ends (hal-05344404, Proposition 20). Dotted: the
        mass of the other distribution's support, Q(supp P) or P(supp Q), which improved precision
        and recall estimate.

    customdata of each point is [method, "with split" or "without split"].
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    panel_height = 34 * max(len(methods), 1)
    spacing = _GAP / (2 * panel_height + _GAP)
    titles = []
    for side, head in _PANELS.items():
        said = [f"{each.look}: true {each.name} = {each.mass:.3f}" for each in _masses(truth, side)]
        titles.append("<br>".join([head, *said]))
    figure = make_subplots(rows=2, cols=1, vertical_spacing=spacing, subplot_titles=titles)
    for panel, side in enumerate(_PANELS, start=1):
        at = {"row": panel, "col": 1}
        for each in _masses(truth, side):
            figure.add_scatter(
                x=[each.mass, each.mass],
                y=[-0.6, max(len(methods), 1) - 0.4],
                name=f"true {each.name}",
                showlegend=False,
                mode="lines",
                line={**theme.truth_line(), "dash": _DASHES[each.look]},
                hovertemplate=f"true {each.name} = {each.mass:.3f}<extra></extra>",
                **at,
            )
        for held_out in _SPLITS:
            figure.add_trace(_ends(rows, methods, side, held_out), **at)
    for label, symbol in _SPLITS.values():
        marker = {"color": theme.TRUTH_COLOR, "symbol": symbol, "size": 11}
        theme.add_entry(figure, name=label, mode="markers", marker=marker)
    figure.update_xaxes(theme.axis("", range=[-0.03, 1.03], dtick=0.2))
    figure.update_yaxes(theme.axis("", **theme.tick_names(methods)))
    figure.update_annotations(x=0, xanchor="left", align="left", font={"size": 13})
    return theme.finish(
        figure,
        height=2 * panel_height + _GAP + 150,
        margin={"l": 20, "r": 20, "t": 70, "b": 80},
    )


def _ends(
    rows: Sequence[ExtremeRow], methods: Sequence[str], side: str, held_out: bool
) -> go.Scatter:
    """Points at one end of every family's curve, with or without split, each in the row of its
    family.
    """
    label, symbol = _SPLITS[held_out]
    color = theme.colors(methods)
    ends = []
    places = []
    fills = []
    said = []
    for row in rows:
        if row.held_out == held_out:
            ends.append(row.alpha_inf if side == "precision" else row.beta_0)
            places.append(methods.index(row.method) + (-0.14 if held_out else 0.14))
            fills.append(color[row.method])
            said.append([theme.label(row.method), label])
    line = {"width": 2, "color": fills}
    return go.Scatter(
        x=ends,
        y=places,
        name=f"{side}, {label}",
        showlegend=False,
        mode="markers",
        marker={"line": line, "color": fills, "size": 11, "symbol": symbol},
        customdata=said,
        hovertemplate="<b>%{customdata[0]}</b>, %{customdata[1]}: %{x:.3f}<extra></extra>",
    )


class _Mass(NamedTuple):
    """A true mass, its name in the panel's title, and the style of its line."""

    look: Literal["dashed", "dotted"]
    name: str
    mass: float


def _masses(truth: SupportMasses | None, side: str) -> Sequence[_Mass]:
    """The true masses to draw in the panel of one end of the curve: of the co-support, and of the
    other distribution's support.

    Empty if the truth is not known.
    """
    if truth is None:
        return ()
    core = _Mass("dashed", "Q(cosupp)", truth.q_of_cosupp)
    other = _Mass("dotted", "Q(supp P)", truth.q_of_supp_p)
    if side == "recall":
        core = _Mass("dashed", "P(cosupp)", truth.p_of_cosupp)
        other = _Mass("dotted", "P(supp Q)", truth.p_of_supp_q)
    return core, other
