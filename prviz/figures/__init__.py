"""Values in, one plotly Figure out: no Streamlit, no reading or writing, no statistics.

Every figure is drawn without font colours on a transparent ground, so that the page's theme decides;
`standalone` gives the copy that is legible on its own.
"""

from __future__ import annotations

from prviz.figures.autopsy import carriers_figure, extreme_sweep_figure, fall_figure
from prviz.figures.bias import bias_figure
from prviz.figures.densities import densities_figure, errors_figure, overlap_figure
from prviz.figures.error_space import error_space_figure
from prviz.figures.extremes import ExtremeRow, extremes_figure
from prviz.figures.groups import GROUP_LOOKS, groups_figure
from prviz.figures.iou import iou_bars, iou_sweep_figure
from prviz.figures.painting import painted_line_figure, painted_plane_figure
from prviz.figures.panels import panels_figure
from prviz.figures.pictures import picture_data_uri
from prviz.figures.pr import pr_figure
from prviz.figures.samples import samples_figure
from prviz.figures.stability import stability_figure
from prviz.figures.theme import (
    FAMILY_COLORS,
    GENERATED_COLOR,
    REAL_COLOR,
    SPARE_COLORS,
    TRUTH_COLOR,
    colors,
    plain,
    standalone,
)

__all__ = [
    "FAMILY_COLORS",
    "GENERATED_COLOR",
    "GROUP_LOOKS",
    "REAL_COLOR",
    "SPARE_COLORS",
    "TRUTH_COLOR",
    "ExtremeRow",
    "bias_figure",
    "carriers_figure",
    "colors",
    "densities_figure",
    "error_space_figure",
    "errors_figure",
    "extreme_sweep_figure",
    "extremes_figure",
    "fall_figure",
    "groups_figure",
    "iou_bars",
    "iou_sweep_figure",
    "overlap_figure",
    "painted_line_figure",
    "painted_plane_figure",
    "panels_figure",
    "picture_data_uri",
    "plain",
    "pr_figure",
    "samples_figure",
    "stability_figure",
    "standalone",
]
