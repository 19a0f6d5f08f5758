"""Places the name of each curve in a plot, in exports and on pages.

A name must be nearer to its own curve than to any other line. pages/_live/labels.js applies the
same rule in the browser, where curves move; a test compares the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Flags, Points

# Average width of a bold letter, as a multiple of the font size. Measured on Helvetica, which is
# wider than the font of the exports.
LETTER = 0.58
# Height of a line of text, as a multiple of the font size.
HEIGHT = 1.25
# Gap in pixels between a curve and its name.
GAP = 3.0
# Step in pixels between the positions along a curve that are tried.
STRIDE = 8.0
# Step in pixels between the points that represent a line.
STEP = 8.0
# Distance in pixels beyond which other lines are ignored.
FAR = 40.0
# Penalty in pixels for a name that lies across its own curve or a line that belongs to this curve.
ACROSS = 30.0
# Lowest score at which a name is placed. Below 0, because where two curves run together a name may
# be a pixel nearer to the other curve.
LEAST = -1.0
# Distances in pixels from the curve that are tried for a name with a leader line.
LEADERS = tuple(range(20, 150, 10))
# Distance in pixels that a name with a leader line should keep from all lines.
OFF = 12.0
# Share of a leader line, from its curve, that may cross lines: those that run beside the curve.
BESIDE = 0.2
# Penalty in pixels for each line that a leader line crosses: more than what LEADERS and OFF differ.
CROSSED = 30.0


class Line(NamedTuple):
    """A polyline in pixels from the top left corner of the plot.

    text : the name to place; "" for a line without a name.
    of : the name of the curve that this line belongs to, as a limit belongs to its estimate.
    """

    points: Points
    text: str = ""
    of: str = ""


class Place(NamedTuple):
    """The box of a name (left, top, right, bottom), and its anchor: the point of the curve that it
    names.

    For several positions, box and anchor have one row each.
    """

    box: Points
    anchor: Points


def place_labels(
    lines: Mapping[str, Line],
    room: tuple[float, float],
    size: float,
    *,
    taken: Sequence[Points] = (),
    leaders: bool = False,
) -> dict[str, Place]:
    """Where to write the name of each curve: above and to the right of it, or below and to the
    left.

    Parameters
    ----------
    lines : all lines of the plot by name; names are placed in this order.
    room : width and height of the plot in pixels.
    size : font size in pixels.
    taken : boxes that no name may cover.
    leaders : True if a name without room beside its curve may be placed further away, with a leader
        line to the curve.

    Of the places in the plot that cover no other name, the one farthest from other lines is chosen,
    where distances beyond FAR pixels count as FAR; of equally good places the first. A name that
    would be nearer to another line than to its own curve is left out.
    """
    dense = {name: along(line.points, STEP) for name, line in lines.items()}
    boxes = list(taken)
    placed = dict[str, Place]()
    for name, line in lines.items():
        if not line.text:
            continue
        others = [dense[key] for key, other in lines.items() if key != name and other.of != name]
        parts = [dense[key] for key, other in lines.items() if other.of == name]
        anchors = along(line.points, STRIDE)
        box = np.array([LETTER * size * len(line.text), HEIGHT * size])
        tried = _tried(anchors, box, (GAP,))
        score = _score_beside(tried, dense[name], parts, others)
        best = _best(tried, score, room, boxes, LEAST)
        if best is None and leaders:
            tried = _tried(anchors, box, LEADERS)
            score = _score_with_leader(tried, others, [*others, *parts, dense[name]])
            best = _best(tried, score, room, boxes)
        if best is not None:
            boxes.append(best.box)
            placed[name] = best
    return placed


def _tried(points: Points, size: Points, gaps: Sequence[float]) -> Place:
    """Boxes of the given size on both sides of every point of a curve, at each of the ``gaps``: one
    row per box.
    """
    width, height = size
    sides = list[tuple[float, float]]()
    for gap in gaps:
        sides += [(gap, -gap - height), (-gap - width, gap)]
    anchors = np.repeat(points, len(sides), axis=0)
    low = anchors + np.tile(sides, (len(points), 1))
    return Place(np.hstack([low, low + size]), anchors)


def _score_beside(
    tried: Place, own: Points, parts: Sequence[Points], others: Sequence[Points]
) -> Points:
    """How much nearer each box is to its own curve than to other lines, in pixels.

    parts : lines that belong to the same curve, such as its limit.
    """
    apart = _distance(tried.box, own)
    crossed = np.minimum(apart, _nearest(tried.box, parts))
    return _nearest(tried.box, others) - apart - ACROSS * (crossed < GAP / 2)


def _score_with_leader(tried: Place, others: Sequence[Points], lines: Sequence[Points]) -> Points:
    """Score of boxes with a leader: high if near the curve but not on a line, lower for each line
    that the leader crosses.
    """
    boxes, anchors = tried
    corner = np.where(boxes[:, :1] >= anchors[:, :1], boxes[:, [0, 3]], boxes[:, [2, 1]])
    way = BESIDE * (corner - anchors)
    crossed = sum(_crosses(anchors + way, corner, points) for points in others)
    nearest = _nearest(boxes, lines)
    off = np.minimum(nearest, OFF) - 10 * ACROSS * (nearest < GAP)
    off -= CROSSED * crossed
    score: Points = off - np.resize(np.repeat(LEADERS, 2), len(boxes)) / 10
    return score


def _crosses(start: Points, end: Points, line: Points) -> Flags:
    """For each segment from `start` to `end`, True if it crosses the polyline."""
    side = _turn((end - start)[:, None], line - start[:, None])
    steps = np.diff(line, axis=0)
    ends = [_turn(steps, each[:, None] - line[:-1]) for each in (start, end)]
    crossed = (side[:, 1:] * side[:, :-1] < 0) & (ends[0] * ends[1] < 0)
    return np.asarray(crossed.any(axis=1))


def _turn(a: Points, b: Points) -> Points:
    """Cross product of vectors in the plane."""
    turn: Points = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return turn


def _best(
    tried: Place,
    score: Points,
    room: tuple[float, float],
    taken: Sequence[Points],
    least: float = -np.inf,
) -> Place | None:
    """The tried place with the highest score, or None.

    It lies in the plot, covers no box in `taken`, and scores at least `least`.
    """
    low = tried.box[:, :2]
    high = tried.box[:, 2:]
    fits: Any = (low >= 0).all(axis=1) & (high <= room).all(axis=1)
    for other in taken:
        fits &= ~((low < other[2:] + 2) & (high > other[:2] - 2)).all(axis=1)
    # Rounded, so that Python and JavaScript choose the same one of equally good places.
    score = np.where(fits, np.round(score, 3), -np.inf)
    best = int(np.argmax(score))
    if fits[best] and score[best] >= least:
        return Place(tried.box[best], tried.anchor[best])
    return None


def _nearest(boxes: Points, lines: Sequence[Points]) -> Points:
    """Distance in pixels from each box to the nearest of the lines, at most FAR."""
    found: Points = np.full(len(boxes), FAR)
    for points in lines:
        found = np.minimum(found, _distance(boxes, points))
    return found


def along(points: Points, step: float) -> Points:
    """Points along a polyline, about `step` pixels apart, from one end to the other."""
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.linspace(0, length[-1], max(2, int(length[-1] / step) + 1))
    return np.column_stack([np.interp(at, length, side) for side in points.T])


def _distance(boxes: Points, points: Points) -> Points:
    """Distance in pixels from each box to the nearest of the points."""
    away = np.maximum(np.maximum(boxes[:, None, :2] - points, points - boxes[:, None, 2:]), 0)
    found: Points = np.hypot(away[..., 0], away[..., 1]).min(axis=1)
    return found
