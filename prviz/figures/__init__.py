"""Values in, one plotly Figure out: no Streamlit, no reading or writing, no statistics.

Every figure is drawn without font colours on a transparent ground, so that the page's theme decides;
`standalone` gives the copy that is legible on its own.
"""

from __future__ import annotations

from prviz.figures.bias import bias_figure
from prviz.figures.error_space import error_space_figure
from prviz.figures.extremes import ExtremeRow, extremes_figure
from prviz.figures.iou import iou_bars, iou_sweep_figure
from prviz.figures.panels import panels_figure
from prviz.figures.pictures import picture_data_uri
from prviz.figures.pr import pr_figure
from prviz.figures.samples import samples_figure
from prviz.figures.stability import stability_figure
from prviz.figures.theme import FAMILY_COLORS, SPARE_COLORS, TRUTH_COLOR, colors, plain, standalone

__all__ = [
    "FAMILY_COLORS",
    "SPARE_COLORS",
    "TRUTH_COLOR",
    "ExtremeRow",
    "bias_figure",
    "colors",
    "error_space_figure",
    "extremes_figure",
    "iou_bars",
    "iou_sweep_figure",
    "panels_figure",
    "picture_data_uri",
    "plain",
    "pr_figure",
    "samples_figure",
    "stability_figure",
    "standalone",
]
