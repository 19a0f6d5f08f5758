"""Figures of samples from a painting: traces, places and ranges."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.figures import GENERATED_COLOR, REAL_COLOR, painted_line_figure, painted_plane_figure


def test_a_line_shows_what_was_painted_how_samples_fall_and_each_of_them() -> None:
    masses, shares = ([0.25, 0.75], [1.0, 0.0]), ([0.2, 0.8], [0.9, 0.1])
    samples = np.array([0.1, 0.6, 0.7, 0.8, 0.9]), np.array([0.2, 0.3])
    figure = painted_line_figure(masses, shares, samples)
    stairs, densities, rugs = figure.data[:2], figure.data[2:4], figure.data[4:]
    for traces, expected in ((stairs, shares), (densities, masses)):
        for trace, each, color in zip(traces, expected, (REAL_COLOR, GENERATED_COLOR), strict=True):
            assert list(trace.x) == [0, 0.5, 0.5, 1]
            np.testing.assert_allclose(trace.y, np.repeat(np.multiply(2, each), 2))  # area 1
            assert trace.line.color == color
    for trace, each, place in zip(rugs, samples, (0, 1), strict=True):
        np.testing.assert_array_equal(trace.x, each)
        assert set(trace.y) == {place}
    assert figure.layout.yaxis.range[1] >= 2
    assert figure.layout.xaxis.range == (0, 1)
    with pytest.raises(ValueError, match=r"\[2, 3\] entries"):
        painted_line_figure(([1, 1], [1, 0, 0]), shares, samples)


def test_the_plane_has_a_grid_of_the_cells_and_roles_differ_by_symbol() -> None:
    real, generated = np.random.default_rng(0).random((2, 30, 2))
    figure = painted_plane_figure(real, generated, side=4)
    for trace, each in zip(figure.data, (real, generated), strict=True):
        np.testing.assert_array_equal(np.column_stack([trace.x, trace.y]), each)
    assert [trace.marker.symbol for trace in figure.data] == ["circle", "triangle-up"]
    for axis in (figure.layout.xaxis, figure.layout.yaxis):
        assert list(axis.tickvals) == [0, 0.25, 0.5, 0.75, 1]
        assert axis.range == (0, 1)
    with pytest.raises(ValueError, match=r"generated has shape \(30, 1\)"):
        painted_plane_figure(real, generated[:, :1], side=4)
