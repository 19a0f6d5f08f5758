"""The plane with votes: what is called real where, who votes, in which balls, and what goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.figures import BallMembersView, votes_figure

FIT = (np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[2.0, 2.0]]))
JUDGED = (np.array([[0.5, 0.5]]), np.array([[1.5, 1.5], [0.0, 2.0]]))
VIEW = BallMembersView(
    grid=[[0, 0], [1, 1], [2, 2], [0, 2]],
    calls=[1, 0, 0, -1],
    wrong=[[0.0, 2.0]],
    chosen=[0.5, 0.5],
    voters=(FIT[0], FIT[1]),
    balls=(([[0.5, 0.5]], [1.0]), ([[0.5, 0.5], [2, 2]], [2.0, 0.5])),
)


def traces(judged=JUDGED, view=VIEW, **options):
    numbers = options.pop("numbers", ([1], [2, 3]))
    figure = votes_figure(view, FIT, judged, numbers=numbers, low=-1, high=3)
    assert figure.layout.yaxis.scaleanchor == "x"  # balls are round
    assert list(figure.layout.xaxis.range) == [-1, 3]
    return {trace.name: trace for trace in figure.data}


def strokes(trace) -> list[np.ndarray]:
    """The parts of a line between its gaps."""
    points = np.array([[np.nan if v is None else v for v in each] for each in (trace.x, trace.y)], dtype=float).T
    parts = np.split(points, np.flatnonzero(np.isnan(points[:, 0])))
    return [part[~np.isnan(part[:, 0])] for part in parts]


def test_every_point_of_the_plane_is_in_the_group_of_its_call() -> None:
    found = traces()
    said = {name: list(zip(found[name].x, found[name].y, strict=True)) for name in found if name.startswith("here")}
    assert said == {
        "here it says real": [(0, 0)],
        "here it says generated": [(1, 1), (2, 2)],
        "here nobody votes": [(0, 2)],
    }


def test_balls_reach_as_far_as_they_should_and_lines_lead_to_the_voters() -> None:
    found = traces()
    for name, centres, radii in (
        ("balls of real votes", [[0.5, 0.5]], [1.0]),
        ("balls of generated votes", [[0.5, 0.5], [2, 2]], [2.0, 0.5]),
    ):
        circles = strokes(found[name])
        assert len(circles) == len(radii)
        for circle, centre, radius in zip(circles, centres, radii, strict=True):
            np.testing.assert_allclose(np.linalg.norm(circle - centre, axis=1), radius)
            np.testing.assert_allclose(circle[0], circle[-1], atol=1e-12)
    ends = [stroke.tolist() for stroke in strokes(found["real votes"])]
    assert ends == [[[0.5, 0.5], [0, 0]], [[0.5, 0.5], [1, 0]]]
    crosses = strokes(found["called wrongly"])
    assert len(crosses) == 2
    for arm in crosses:
        np.testing.assert_allclose(arm.mean(axis=0), [0, 2])


def test_judged_samples_have_numbers_and_are_open_only_where_others_vote() -> None:
    split, free = traces(), traces(judged=None, numbers=([4, 5], [6]))
    assert split["generated (judged)"].customdata.tolist() == [2, 3]
    assert split["generated (judged)"].marker.symbol == "triangle-up-open"
    assert split["real (vote)"].customdata is None
    assert free["real"].customdata.tolist() == [4, 5]
    assert not any("judged" in name for name in free)


def test_nothing_to_draw_keeps_its_place_and_wrong_shapes_are_refused() -> None:
    empty = np.empty((0, 2))
    view = VIEW._replace(wrong=empty, voters=(empty, empty), balls=((empty, []), (empty, [])), calls=[1, 1, 1, 1])
    found = traces(view=view)
    for name in ("called wrongly", "real votes", "balls of real votes", "here nobody votes"):
        assert (list(found[name].x), list(found[name].y)) == ([None], [None])
    with pytest.raises(ValueError, match=r"\(n, 2\) is needed"):
        traces(view=VIEW._replace(grid=np.zeros((4, 3))))
    with pytest.raises(ValueError, match="one of each is needed"):
        traces(view=VIEW._replace(calls=[1]))
    with pytest.raises(ValueError, match="numbers has 1 entries for 2"):
        traces(numbers=([1], [2]))
