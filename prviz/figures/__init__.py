"""Every function takes values and returns one plotly Figure.

No function here uses Streamlit, reads or writes files, or computes statistics. Figures set no font
colours and have a transparent background, so that they take both from the page's theme.
"""

from __future__ import annotations

from prviz.figures.choices import choices_figure
from prviz.figures.confusion_groups import GROUP_LOOKS, groups_figure, key_text
from prviz.figures.cosupport import support_bands_figure, support_map_figure, support_samples_figure
from prviz.figures.diagnosis import (
    Highlight,
    highlight_figure,
    marked_curve_figure,
    quantiles_figure,
    spectrum_figure,
)
from prviz.figures.error_space import error_space_figure
from prviz.figures.influence import (
    ExtremeRow,
    carriers_figure,
    extreme_sweep_figure,
    extremes_figure,
    fall_figure,
)
from prviz.figures.iou import iou_sweep_figure, stability_figure
from prviz.figures.papers import experiment_figures
from prviz.figures.pictures import picture_data_uri
from prviz.figures.pr import bias_figure, pr_figure, pr_traces
from prviz.figures.robustness import (
    Contender,
    WonCell,
    agreement_figure,
    fewer_samples_figure,
    winners_figure,
)
from prviz.figures.samples import SamplePoints, roles_figure, samples_figure
from prviz.figures.surrogate import SettingError, SettingLine, error_intervals, setting_lines_figure
from prviz.figures.sweeps import MeanCell, sweep_figure
from prviz.figures.tail import tail_figure
from prviz.figures.theme import (
    FAMILY_COLORS,
    GENERATED_COLOR,
    REAL_COLOR,
    SPARE_COLORS,
    SYMBOLS,
    TRUTH_COLOR,
    colors,
    plain,
)

__all__ = [
    "FAMILY_COLORS",
    "GENERATED_COLOR",
    "GROUP_LOOKS",
    "REAL_COLOR",
    "SPARE_COLORS",
    "SYMBOLS",
    "TRUTH_COLOR",
    "Contender",
    "ExtremeRow",
    "Highlight",
    "MeanCell",
    "SamplePoints",
    "SettingError",
    "SettingLine",
    "WonCell",
    "agreement_figure",
    "bias_figure",
    "carriers_figure",
    "choices_figure",
    "colors",
    "error_intervals",
    "error_space_figure",
    "experiment_figures",
    "extreme_sweep_figure",
    "extremes_figure",
    "fall_figure",
    "fewer_samples_figure",
    "groups_figure",
    "highlight_figure",
    "iou_sweep_figure",
    "key_text",
    "marked_curve_figure",
    "picture_data_uri",
    "plain",
    "pr_figure",
    "pr_traces",
    "quantiles_figure",
    "roles_figure",
    "samples_figure",
    "setting_lines_figure",
    "spectrum_figure",
    "stability_figure",
    "support_bands_figure",
    "support_map_figure",
    "support_samples_figure",
    "sweep_figure",
    "tail_figure",
    "winners_figure",
]
