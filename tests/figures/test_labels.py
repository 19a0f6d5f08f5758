"""Names stand beside their own curves: the rule of the exports, and the same rule in the
browser.
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from playwright.sync_api import Page

from prviz.arrays import Points
from prviz.curves import PRCurve
from prviz.curves.limits import LIMITS
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS
from prviz.figures.labels import Line, place_labels
from prviz.measure.estimates import estimate
from prviz.toys import TOYS, toy

SIDE = 531.0
SIZE = 13.0  # pixels of the plot and of the letters, as on a laptop
K = 5


def pixels(curve: PRCurve) -> Points:
    _, precision, recall = curve.sample(200)
    return np.column_stack([recall, 1.02 - precision]) * SIDE / 1.02


@cache
def lines_of(name: str) -> dict[str, Line]:
    """The truth, the first families at their first settings and their limits, as Explore draws them
    of a toy.
    """
    problem = toy(name)
    truth = problem.truth()
    found = {"truth": Line(pixels(problem.truth()), "truth")}
    estimates = estimate(problem.sample(400, 0), DEFAULT_METHODS, k=K, split=0.5)
    for method, each in estimates.items():
        text = f"{ESTIMATORS[method].title} {each.curve.iou(truth):.2f}"
        found[method] = Line(pixels(each.curve), text)
    for method in LIMITS:
        found[f"limit {method}"] = Line(pixels(problem.limit(method, K)), of=method)
    return found


def gap(box: Points, points: Points) -> float:
    """Pixels from a box to a polyline, by points half a pixel apart."""
    steps = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.append(np.arange(0, steps[-1], 0.5), steps[-1])
    x, y = (np.interp(at, steps, side) for side in points.T)
    across = np.maximum(np.maximum(box[0] - x, x - box[2]), 0)
    return float(np.hypot(across, np.maximum(np.maximum(box[1] - y, y - box[3]), 0)).min())


@pytest.mark.exhaustive
def test_no_name_is_nearer_to_another_curve_than_to_its_own() -> None:
    names = 0
    left_out = 0
    for name in TOYS:
        lines = lines_of(name)
        placed = place_labels(lines, (SIDE, SIDE), SIZE)
        named = [key for key, line in lines.items() if line.text]
        names += len(named)
        left_out += len(named) - len(placed)
        for key, place in placed.items():
            own = gap(place.box, lines[key].points)
            others = [
                gap(place.box, line.points)
                for other, line in lines.items()
                if other not in (key, f"limit {key}")
            ]
            assert own < 10, (name, key)
            assert own <= min(others) + 3, (name, key)
        for one, other in itertools.combinations(placed.values(), 2):
            assert (one.box[:2] >= other.box[2:]).any() or (other.box[:2] >= one.box[2:]).any()
    # Most of those have curves that run together, as where the generated set is one point.
    assert left_out < names / 5


def equal_lines() -> dict[str, Line]:
    """Twelve curves along one diagonal, of which most names need a leader."""
    points = np.column_stack([np.linspace(0, 690, 50)] * 2)
    return {str(index): Line(points, "A family, IoU 0.50") for index in range(12)}


def test_names_of_twelve_equal_curves_lie_apart_inside_the_plot() -> None:
    lines = equal_lines()
    placed = place_labels(lines, (690, 690), 20, leaders=True)
    assert placed.keys() == lines.keys()
    boxes = np.array([place.box for place in placed.values()])
    assert boxes.min() >= 0
    assert boxes.max() <= 690
    for a, b in itertools.combinations(boxes, 2):
        assert (a[:2] >= b[2:]).any() or (b[:2] >= a[2:]).any()


def crossings(start: Points, end: Points, line: Points) -> int:
    """How often a segment crosses a polyline, by the sides on which points lie."""

    def side(a: Points, b: Points, at: Points) -> Points:
        return np.sign(np.linalg.det(np.stack([b - a + 0 * at, at - a], axis=-1)))

    across = side(start, end, line[:-1]) * side(start, end, line[1:])
    along = side(line[:-1], line[1:], start + 0 * line[1:])
    along = along * side(line[:-1], line[1:], end + 0 * line[1:])
    return int(((across < 0) & (along < 0)).sum())


@pytest.mark.exhaustive
def test_most_leaders_cross_no_other_curve() -> None:
    """The rest name a curve that others enclose."""
    x = np.linspace(0, 1, 120)
    leaders = 0
    crossed = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        ends = rng.uniform(0.8, 1, 8)
        lines = {
            str(i): Line(
                SIDE * np.column_stack([end * x, 1 - end * (1 - x) ** rng.uniform(1, 2)]), "x" * 14
            )
            for i, end in enumerate(ends)
        }
        for name, place in place_labels(lines, (SIDE, SIDE), SIZE, leaders=True).items():
            left, top, right, bottom = place.box
            end = np.array([left, bottom] if left >= place.anchor[0] else [right, top])
            if np.abs(end - place.anchor).max() < 10:
                continue
            start = place.anchor + 0.2 * (end - place.anchor)
            others = [line.points for other, line in lines.items() if other != name]
            leaders += 1
            crossed += any(crossings(start, end, each) for each in others)
    assert leaders > 10
    assert crossed < leaders / 2


def test_a_name_keeps_off_what_is_written_already() -> None:
    lines = {name: line for name, line in lines_of("boxes").items() if name == "truth"}
    (first,) = place_labels(lines, (SIDE, SIDE), SIZE).values()
    (second,) = place_labels(lines, (SIDE, SIDE), SIZE, taken=[first.box]).values()
    assert (first.box != second.box).any()


def test_a_name_without_any_room_is_left_out() -> None:
    lines = {
        "one": Line(np.array([[0.0, 0.0], [30.0, 30.0]]), "a name that is wider than the plot")
    }
    assert place_labels(lines, (30, 30), SIZE, leaders=True) == {}


@pytest.mark.one_in(4)
@pytest.mark.browser
@pytest.mark.parametrize(
    "name", ["modes", "shifted-gaussians", "finite", "boxes", "twelve equal curves"]
)
@pytest.mark.parametrize("leaders", [False, True])
def test_the_browser_places_them_there_too(blank: Page, name: str, leaders: bool) -> None:
    equal = name == "twelve equal curves"
    lines = equal_lines() if equal else lines_of(name)
    side = 690.0 if equal else SIDE
    given = [
        {"id": key, "points": line.points.tolist(), "text": line.text, "of": line.of}
        for key, line in lines.items()
    ]
    found = blank.evaluate(
        "([lines, side, size, leaders]) => [...live.label_places.placeLabels("
        "lines, [side, side], size, [], undefined, leaders)].map(([id, { box }]) => [id, box])",
        [given, side, SIZE, leaders],
    )
    placed = place_labels(lines, (side, side), SIZE, leaders=leaders)
    assert [key for key, _ in found] == list(placed)
    for (_, box), place in zip(found, placed.values(), strict=True):
        np.testing.assert_allclose(box, place.box, atol=1e-6)
