"""Curves as a notebook shows them: a line of text, or a drawing beside five numbers, in HTML
without scripts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from prviz.cells import table_html

Curve: TypeAlias = Any  # A `PRCurve`, whose module imports this one, so it can't be imported here.

# Precision is read at this recall, and recall at this precision: the ends of the curve themselves
# are unstable.
END = 0.05
COLUMNS = ("area", "precision", "recall", "balanced", "apart")
MEANING = (
    "Precision where recall is 0.05, and the reverse. Balanced: where both are equal. "
    "Apart: how often the best classifier is right; 50 % is chance."
)
COLOR = "#0072B2"
# In pixels. SIDE: side of the square plot. LEFT, TOP: its distances from the left and upper edges
# of the drawing.
SIDE = 160
LEFT = 44
TOP = 8


def five(curve: Curve) -> tuple[str, ...]:
    """The five numbers of COLUMNS, as text. "apart" is the accuracy of the best classifier on
    equally many real and generated samples, 1 - (fpr + fnr) / 2 = 1 - alpha(1) / 2.
    """
    balanced = float(curve.alpha(1.0))
    apart = 100 * (1 - balanced / 2)
    values = (curve.auc, curve.precision_at(END), curve.recall_at(END), balanced)
    return (*(f"{value:.2f}" for value in values), f"{apart:.0f} %")


def line(curve: Curve) -> str:
    """The five numbers of COLUMNS with their names, in one line of text."""
    return ", ".join(f"{name} {value}" for name, value in zip(COLUMNS, five(curve), strict=True))


def drawing(curves: Mapping[str, Curve], colors: Mapping[str, str]) -> str:
    """Draw the curves in the unit square, as SVG; axes and labels take the colour of the
    surrounding text.
    """
    bottom = TOP + SIDE
    parts = []
    for share in (0.0, 0.5, 1.0):
        x = LEFT + share * SIDE
        y = bottom - share * SIDE
        parts.append(
            f'<path d="M{x:g} {TOP}V{bottom}M{LEFT} {y:g}h{SIDE}" stroke="currentColor"'
            ' opacity=".15"/>'
        )
        parts.append(f'<text x="{x:g}" y="{bottom + 14}" text-anchor="middle">{share:g}</text>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:g}" text-anchor="end">{share:g}</text>')
    middle = TOP + SIDE / 2
    parts.append(
        f'<text x="{LEFT + SIDE / 2:g}" y="{bottom + 30}" text-anchor="middle">recall</text>'
    )
    parts.append(
        f'<text transform="translate(12 {middle:g}) rotate(-90)" '
        'text-anchor="middle">precision</text>'
    )
    for name, curve in curves.items():
        _, precision, recall = curve.sample(120)
        places = zip(LEFT + SIDE * recall, bottom - SIDE * precision, strict=True)
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colors[name]}" stroke-width="2"/>')
    size = f'width="{LEFT + SIDE + 12}" height="{bottom + 36}"'
    return f'<svg {size} font-size="11" fill="currentColor" role="img">{"".join(parts)}</svg>'


def as_html(curves: Mapping[str, Curve], colors: Mapping[str, str], headline: str = "") -> str:
    """HTML with a drawing of the curves and a table of their five numbers.

    curves : the curves by displayed name, in the order of the table.
    colors : colours by the same names.
    headline : plain text above the table.
    """
    rows = [(name, *five(curve)) for name, curve in curves.items()]
    aside = table_html(COLUMNS, rows, MEANING, headline, [colors[name] for name in curves])
    return beside(drawing(curves, colors), aside)


def beside(drawn: str, aside: str) -> str:
    """HTML that puts a drawing beside other HTML, or above it if the page is too narrow."""
    style = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"
    return f'<div style="{style}">{drawn}{aside}</div>'
