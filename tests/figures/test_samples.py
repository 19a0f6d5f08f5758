from __future__ import annotations

import base64
import itertools
import re
import struct
import zlib
from typing import Any

import numpy as np
import pytest

from prviz.figures import SamplePoints, picture_data_uri, roles_figure, samples_figure


def sample_traces(dimension: int, n: int = 6, **options: Any) -> dict[str, Any]:
    points = np.arange(n * dimension, dtype=float).reshape(n, dimension)
    figure = samples_figure(SamplePoints(points), np.arange(n) < n // 2, **options)
    return {trace.name: trace for trace in figure.data if trace.customdata is not None}


def test_samples_are_coloured_by_the_clipped_log_ratio() -> None:
    traces = sample_traces(2, c_real=[1, 1, 0, 8, 0, 1], c_generated=[1, 2, 0, 1, 7, 999])
    assert list(traces["real"].marker.color) == [0, 1, 0]
    assert list(traces["generated"].marker.color) == [-3, 4, 4]
    assert list(traces["real"].text) == ["1", "2", "0/0 (nothing near)"]
    assert list(traces["generated"].text) == ["0.125", "∞", "999"]
    np.testing.assert_array_equal(
        traces["generated"].customdata, [[3, 8, 1], [4, 0, 7], [5, 1, 999]]
    )


def test_roles_differ_by_symbol_and_the_bar_says_what_colours_mean() -> None:
    counts: dict[str, Any] = {"c_real": np.ones(6), "c_generated": np.ones(6)}
    traces = sample_traces(2, **counts)
    symbols = {name: trace.marker.symbol for name, trace in traces.items()}
    assert symbols == {"real": "circle", "generated": "triangle-up"}
    points = SamplePoints(np.zeros((6, 2)))
    for times, end in ((1, 1), (64, 4)):
        counts["c_generated"] = np.full(6, float(times))
        axis = samples_figure(points, [True] * 6, **counts).layout.coloraxis
        said = [text.split(" (")[0] for text in axis.colorbar.ticktext]
        assert said == ["looks real", "even", "looks generated"]
        assert (axis.cmin, axis.cmax) == (-end, end)


def test_roles_are_known_by_row_and_sent_in_few_bytes() -> None:
    points = SamplePoints(np.random.default_rng(0).normal(size=(2000, 2)))
    is_real = np.arange(2000) < 1200
    figure = roles_figure(points, is_real, numbers=np.arange(2000) + 7)
    symbols = {trace.name: trace.marker.symbol for trace in figure.data}
    assert symbols == {"real": "circle", "generated": "triangle-up"}
    np.testing.assert_array_equal(
        figure.data[1].customdata, np.add.outer(np.arange(1200, 2000), [0, 7])
    )
    np.testing.assert_allclose(figure.data[0].x, points.points[:1200, 0], atol=1e-5)
    assert len(figure.to_json()) < 45_000  # 16 bytes a sample, as text, and the layout
    assert "row %{customdata[1]}" in figure.data[0].hovertemplate
    assert "100 of 2,000 samples" in roles_figure(points, is_real, most=100).layout.xaxis.title.text
    with pytest.raises(ValueError, match=r"have \(2000, 5, 5\) entries; one per sample"):
        roles_figure(points, is_real[:5])


@pytest.mark.parametrize("values", [1e9 + np.arange(9.0), np.full(9, 1e200), np.arange(9) * 1e-200])
def test_coordinates_are_shortened_only_where_nothing_is_lost(values: np.ndarray) -> None:
    samples = SamplePoints(np.column_stack([values, values]), notes=["<b>"] * 9)
    figure = roles_figure(samples, np.arange(9) < 4)
    np.testing.assert_allclose(np.concatenate([trace.x for trace in figure.data]), values)
    assert "<b>" not in figure.data[0].hovertext[0]


def test_one_dimension_has_histograms_above_a_rug() -> None:
    figure = samples_figure(
        SamplePoints(np.arange(6.0)[:, None], axis_titles=("v",)),
        np.arange(6) < 3,
        c_real=np.ones(6),
        c_generated=np.ones(6),
    )
    kinds = [trace.type for trace in figure.data]
    assert kinds.count("histogram") == 2
    assert figure.layout.xaxis.title.text == "v"
    rug = [trace for trace in figure.data if trace.type == "scatter"]
    assert {trace.yaxis for trace in rug} == {"y2"}
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]


def test_two_dimensions_have_density_contours_only_if_wanted_and_of_many_points() -> None:
    for n, density in itertools.product((6, 1000), (True, False)):
        counts: dict[str, Any] = {"c_real": np.ones(n), "c_generated": np.ones(n)}
        samples = SamplePoints(np.ones((n, 2)))
        figure = samples_figure(samples, np.arange(n) < n // 2, density=density, **counts)
        drawn = "histogram2dcontour" in {trace.type for trace in figure.data}
        assert drawn == (density and n == 1000)


def test_many_samples_are_thinned_to_the_same_ones_each_time_and_it_is_said() -> None:
    n = 500
    samples = SamplePoints(np.random.default_rng(0).normal(size=(n, 2)))
    counts = np.ones(n)

    def rows() -> set[float]:
        figure = samples_figure(
            samples, np.arange(n) < 250, c_real=counts, c_generated=counts, most=100
        )
        assert "100 of 500 samples" in figure.layout.xaxis.title.text
        drawn = [trace.customdata[:, 0] for trace in figure.data if trace.customdata is not None]
        return set(np.concatenate(drawn))

    assert len(rows()) == 100
    assert rows() == rows()
    assert max(rows()) > 250  # from all of them


def test_samples_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        SamplePoints(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="2 entries for 3 points"):
        SamplePoints(np.zeros((3, 2)), notes=["", ""])
    with pytest.raises(ValueError, match="one per sample"):
        samples_figure(
            SamplePoints(np.zeros((3, 2))), [True] * 2, c_real=[1] * 3, c_generated=[1] * 3
        )


def chunks(png: bytes) -> dict[bytes, bytes]:
    found = {}
    at = 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        data = png[at + 8 : at + 8 + length]
        at += 12 + length
        assert struct.unpack(">I", png[at - 4 : at])[0] == zlib.crc32(kind + data)
        found[kind] = data
    return found


def test_picture_is_a_grey_png_of_the_same_pixels() -> None:
    image = np.arange(12, dtype=np.uint8).reshape(3, 4) * 20
    head, encoded = picture_data_uri(image).split(",")
    assert head == "data:image/png;base64"
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", encoded)
    parts = chunks(base64.b64decode(encoded))
    assert struct.unpack(">IIBB", parts[b"IHDR"][:10]) == (4, 3, 8, 0)
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(3, 5)
    np.testing.assert_array_equal(rows[:, 0], 0)
    np.testing.assert_array_equal(rows[:, 1:], image)
    assert b"IEND" in parts


def test_pictures_of_another_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="uint8"):
        picture_data_uri(np.zeros((2, 2)))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="shape"):
        picture_data_uri(np.zeros((2, 2, 3), np.uint8))


def test_a_long_note_is_shown_in_short_lines() -> None:
    note = "row 4, text In the <b>beginning</b> was the word and the word was, topic gospels"
    samples = SamplePoints(np.zeros((2, 2)), notes=[note] * 2)
    figure = roles_figure(samples, np.array([True, False]))
    lines = figure.data[0].hovertext[0].split("<br>")
    assert len(lines) > 2
    assert all("<" not in line for line in lines)
    assert " ".join(lines).replace("&lt;", "<").replace("&gt;", ">") == note
