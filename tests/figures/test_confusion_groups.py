from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from prviz.diagnostics.confusion_groups import GROUPS
from prviz.figures import GROUP_LOOKS, SamplePoints, groups_figure


def grouped(dimension: int, n: int = 10, ids: Any = None, **options: Any) -> Any:
    points = np.arange(n * dimension, dtype=float).reshape(n, dimension)
    keys = np.r_[np.arange(n - 1.0), np.inf]
    samples = SamplePoints(points, ids=ids)
    return groups_figure(samples, np.arange(n) * 4 // n, keys=keys, **options)


def test_each_group_has_its_colour_symbol_and_count() -> None:
    figure = grouped(2)
    assert [trace.name for trace in figure.data] == [
        f"{each}: {n}" for each, n in zip(GROUPS.values(), (3, 2, 3, 2), strict=True)
    ]
    looks = [(trace.marker.color, trace.marker.symbol) for trace in figure.data]
    assert looks == [(look.color, look.symbol) for look in GROUP_LOOKS.values()]
    assert len({color for color, _ in looks}) == len({symbol for _, symbol in looks}) == 4
    assert list(figure.data[3].text) == ["8", "∞"]
    assert list(figure.data[3].hovertext) == ["row 9", "row 10"]
    assert [each[0] for each in figure.data[1].customdata] == [3, 4]
    travelled = json.loads(figure.to_json())["data"]
    assert all(
        isinstance(trace[part], list) for trace in travelled for part in ("x", "y", "customdata")
    )


def test_an_empty_group_keeps_its_place_in_the_legend() -> None:
    figure = groups_figure(SamplePoints(np.zeros((2, 2))), [0, 2], keys=[0, 1])
    assert [trace.name for trace in figure.data][1] == "real called generated: 0"
    assert [(list(trace.x), len(trace.customdata)) for trace in figure.data][1] == ([None], 0)


def test_one_dimension_has_a_line_of_the_rug_per_group() -> None:
    figure = grouped(1)
    assert [set(trace.y) for trace in figure.data[:4]] == [{0}, {1}, {2}, {3}]
    assert {trace.yaxis for trace in figure.data[:4]} == {"y2"}
    assert [trace.type for trace in figure.data[4:]] == ["histogram", "histogram"]
    assert [len(trace.x) for trace in figure.data[4:]] == [5, 5]
    assert list(figure.layout.yaxis2.ticktext) == list(GROUPS.values())


def test_many_are_thinned_but_for_those_always_drawn_and_counts_are_of_all() -> None:
    figure = grouped(2, 400, most=50, always=[0, 399], ids=np.arange(400) + 1000)
    drawn = np.concatenate([np.ravel(trace.customdata) for trace in figure.data])
    assert 50 <= len(drawn) <= 52
    assert {1000, 1399} <= set(drawn.tolist())
    assert [trace.name.split(": ")[1] for trace in figure.data] == ["100"] * 4
    assert f"{len(drawn)} of 400 samples drawn" in figure.layout.xaxis.title.text


@pytest.mark.parametrize(
    ("points", "group", "keys", "message"),
    [
        (np.zeros((3, 3)), [0, 1, 2], [1, 1, 1], "shape"),
        (np.zeros((3, 2)), [0, 1], [1, 1, 1], "one per sample"),
        (np.zeros((3, 2)), [0, 1, 4], [1, 1, 1], "0 to 3"),
    ],
)
def test_what_does_not_fit_is_refused(points: Any, group: Any, keys: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        groups_figure(SamplePoints(points), group, keys=keys)
