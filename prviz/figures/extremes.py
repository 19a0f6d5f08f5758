"""Extreme precision and recall of every family, with and without split, against the support masses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from prviz.figures import theme

if TYPE_CHECKING:
    from prviz.toys import SupportMasses

__all__ = ["ExtremeRow", "extremes_figure"]


class ExtremeRow(NamedTuple):
    """One family's values at both ends of its curve."""

    method: str
    held_out: bool
    alpha_inf: float
    beta_0: float


_GAP = 95  # pixels between the panels: tick labels above, three lines of title below
_SIDES = ("precision", "recall")
# Filled against open, so that the two stay apart where the points overlap.
_SPLITS = ((True, "with split", "circle"), (False, "without split", "diamond-open"))


def extremes_figure(rows: Sequence[ExtremeRow], *, truth: SupportMasses | None = None) -> go.Figure:
    """A dot plot with two panels: alpha_inf on the precision side, beta_0 on the recall side.

    Parameters
    ----------
    rows : one per method and kind of split; methods are drawn from the top in order of first appearance.
    truth : masses to compare with, or None. Dashed: the mass of the co-support, Q(cosupp) or P(cosupp), which
        is the truth of both extremes (hal-05344404, Proposition 20); dotted: the mass of the other
        distribution's support, Q(supp P) or P(supp Q), which improved precision and recall speak of.

    customdata of each point is [method, "with split" or "without split"].
    """
    methods = list(dict.fromkeys(row.method for row in rows))
    color = theme.colors(methods)
    panel_height = 34 * max(len(methods), 1)
    spacing = _GAP / (2 * panel_height + _GAP)
    heads = ["precision end: α<sub>∞</sub>", "recall end: β<sub>0</sub>"]
    titles = heads
    if truth is not None:
        masses = [(*_masses(truth, panel), head) for panel, head in enumerate(heads, start=1)]
        titles = [
            f"{head}<br>dashed: true {core} = {core_mass:.3f}<br>dotted: true {support} = {support_mass:.3f}"
            for (core, core_mass), (support, support_mass), head in masses
        ]
    figure = make_subplots(rows=2, cols=1, vertical_spacing=spacing, subplot_titles=titles)
    for panel in (1, 2):
        for (name, mass), dash in zip(_masses(truth, panel) if truth else (), ("dash", "dot"), strict=False):
            figure.add_scatter(
                x=[mass, mass],
                y=[-0.6, max(len(methods), 1) - 0.4],
                name=f"true {name}",
                showlegend=False,
                mode="lines",
                line={**theme.truth_line(), "dash": dash},
                hovertemplate=f"true {name} = {mass:.3f}<extra></extra>",
                row=panel,
                col=1,
            )
        for held_out, label, symbol in _SPLITS:
            chosen = [row for row in rows if row.held_out == held_out]
            fills = [color[row.method] for row in chosen]
            figure.add_scatter(
                x=[row.alpha_inf if panel == 1 else row.beta_0 for row in chosen],
                y=[methods.index(row.method) + (-0.14 if held_out else 0.14) for row in chosen],
                name=f"{_SIDES[panel - 1]}, {label}",
                showlegend=False,
                mode="markers",
                marker={"line": {"width": 2, "color": fills}, "color": fills, "size": 11, "symbol": symbol},
                customdata=[[theme.label(row.method), label] for row in chosen],
                hovertemplate="<b>%{customdata[0]}</b>, %{customdata[1]}: %{x:.3f}<extra></extra>",
                row=panel,
                col=1,
            )
    for _, label, symbol in _SPLITS:
        marker = {"color": theme.TRUTH_COLOR, "symbol": symbol, "size": 11}
        figure.add_scatter(x=[None], y=[None], name=label, mode="markers", marker=marker)
    figure.update_xaxes(theme.axis("", range=[-0.03, 1.03], dtick=0.2))
    figure.update_yaxes(theme.axis("", **theme.tick_names(methods)))
    figure.update_annotations(x=0, xanchor="left", align="left", font={"size": 13})
    return theme.finish(
        figure,
        height=2 * panel_height + _GAP + 150,
        margin={"l": 20, "r": 20, "t": 70, "b": 80},
    )


def _masses(truth: SupportMasses, panel: int) -> tuple[tuple[str, float], tuple[str, float]]:
    """(co-support, support) of a panel, each with its name."""
    if panel == 1:
        return ("Q(cosupp)", truth.q_of_cosupp), ("Q(supp P)", truth.q_of_supp_p)
    return ("P(cosupp)", truth.p_of_cosupp), ("P(supp Q)", truth.p_of_supp_q)
