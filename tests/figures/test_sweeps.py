"""The heat map of a sweep: what stands in a field, what is empty, what it refuses."""

from __future__ import annotations

import math

from plotly.colors import sample_colorscale

from prviz.figures import MeanCell, sweep_figure
from prviz.figures.theme import HEAT, luminance
from tests.figures.traces import written

NAN = math.nan
CELLS = [MeanCell(0, 0, 0.5, 0.125, 3), MeanCell(1, 0, 0.25, NAN, 1), MeanCell(1, 1, 0.75, 0.0, 2)]
ROWS = ("<b>Two</b>\nk = 4", "k = √n")


def test_every_field_says_mean_and_spread_and_what_is_not_measured_is_empty() -> None:
    figure = sweep_figure(["knn", "mine"], ROWS, CELLS, label="IoU")
    heat, *numbers = figure.data
    assert list(map(list, heat.z)) == [[0.5, None], [0.25, 0.75]]
    texts = {(0, 0): "0.50<br>±0.12", (0, 1): "0.25", (1, 1): "0.75<br>±0.00"}
    assert written(numbers) == texts
    told = "<b>kNN</b><br>&lt;b&gt;Two&lt;/b&gt;<br>k = 4<br>IoU: 0.500 ± 0.125, 3 repeats"
    assert list(heat.hovertext[0]) == [told, ""]
    assert heat.hovertext[1][0].endswith("IoU: 0.250, 1 repeat")
    assert (heat.zmin, heat.zmax) == (0, 1)
    assert figure.layout.xaxis.ticktext == ("kNN", "mine")
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;Two&lt;/b&gt;<br>k = 4", "k = √n")
    assert figure.layout.yaxis.range == (1.5, -0.5)  # the first row on top


def test_small_errors_are_bright_and_the_text_is_legible_on_every_colour() -> None:
    cells = [MeanCell(place, 0, place / 40, NAN, 1) for place in range(41)]
    rows = [f"k = {place}" for place in range(41)]
    figure = sweep_figure(["knn"], rows, cells, label="excess", less_is_better=True, top=1.0)
    heat, *numbers = figure.data
    assert heat.reversescale
    assert heat.zmax == 1
    seen = 0
    for trace in numbers:
        text = luminance([float(trace.textfont.color == "white")] * 3)
        for row in trace.y:
            (ground,) = sample_colorscale(HEAT, [1 - row / 40], colortype="tuple")
            pair = sorted((luminance(ground), text))
            assert (pair[1] + 0.05) / (pair[0] + 0.05) > 4.5
            seen += 1
    assert seen == 41
