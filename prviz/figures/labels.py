"""Where the name of each curve stands.

Nearer to its own curve than to any other line, on screen and in exports.

pages/_live/labels.js has the same rule for the browser, where curves move; a test compares both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Points

# Width of an average bold letter and height of a line, in sizes of the letters: those of Helvetica,
# which is wider than our own font.
LETTER = 0.58
HEIGHT = 1.25
# Pixels: between a curve and its name, between two places that are tried along a curve, between the
# points that stand for a line, and a distance beyond which other lines do not matter.
GAP = 3.0
STRIDE = 8.0
STEP = 8.0
FAR = 40.0
# A name across its own curve, or a line that belongs to that, counts as so many pixels further away
# from it.
ACROSS = 30.0
# Where two curves run together, a name may be so many pixels nearer to the other one.
LEAST = -1.0
# Pixels between a curve and a name at the end of a leader, and what these keep off all lines. The
# points of a leader that must not lie on another line, as shares of its way.
LEADERS = tuple(range(20, 150, 10))
OFF = 12.0
ON_LEADER = (0.2, 0.4, 0.6, 0.8, 1.0)


class Line(NamedTuple):
    """A polyline in pixels from the top left corner.

    text : its name; "" for one that has none. of : the name of the line that it belongs to, as a
    limit does.
    """

    points: Points
    text: str = ""
    of: str = ""


class Place(NamedTuple):
    """The box of a name (left, top, right, bottom) and the point of the curve that it stands at.

    Of places that are tried both have a row each.
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
    """The place of each name, above and to the right of its curve or below and to the left.

    Parameters
    ----------
    lines : all lines of the plot by name; names are placed in this order.
    room : width and height of the plot in pixels.
    size : of the letters, in pixels.
    taken : boxes that no name may cover.
    leaders : True: a name that finds no such place stands further away, with a line to its curve,
    if there is room.

    Of all places in the plot that cover no other name the one with the most room between it and
    other lines is taken, up to FAR pixels, the first of equals. A name that would be nearer to
    another line than to its own is left out.
    """
    dense = {name: _along(line.points, STEP) for name, line in lines.items()}
    boxes = list(taken)
    placed = dict[str, Place]()
    for name, line in lines.items():
        if not line.text:
            continue
        others = [dense[key] for key, other in lines.items() if key != name and other.of != name]
        parts = [dense[key] for key, other in lines.items() if other.of == name]
        along = _along(line.points, STRIDE)
        box = np.array([LETTER * size * len(line.text), HEIGHT * size])
        tried = _tried(along, box, (GAP,))
        score = _score_beside(tried, dense[name], parts, others)
        best = _best(tried, score, room, boxes, LEAST)
        if best is None and leaders:
            tried = _tried(along, box, LEADERS)
            score = _score_with_leader(tried, others, [*others, *parts, dense[name]])
            best = _best(tried, score, room, boxes)
        if best is not None:
            boxes.append(best.box)
            placed[name] = best
    return placed


def _tried(along: Points, size: Points, gaps: Sequence[float]) -> Place:
    """Boxes of this width and height on both sides of every point along a curve, one a row."""
    width, height = size
    sides = list[tuple[float, float]]()
    for gap in gaps:
        sides += [(gap, -gap - height), (-gap - width, gap)]
    anchors = np.repeat(along, len(sides), axis=0)
    low = anchors + np.tile(sides, (len(along), 1))
    return Place(np.hstack([low, low + size]), anchors)


def _score_beside(
    tried: Place, own: Points, parts: Sequence[Points], others: Sequence[Points]
) -> Points:
    """How much nearer a name is to its own curve than to other lines; parts : lines of that
    curve.
    """
    apart = _distance(tried.box, own)
    crossed = np.minimum(apart, _nearest(tried.box, parts))
    return _nearest(tried.box, others) - apart - ACROSS * (crossed < GAP / 2)


def _score_with_leader(tried: Place, others: Sequence[Points], lines: Sequence[Points]) -> Points:
    """How far a name is off all lines; its leader should cross no other line."""
    boxes, anchors = tried
    corner = np.where(boxes[:, :1] >= anchors[:, :1], boxes[:, [0, 3]], boxes[:, [2, 1]])
    ways = [anchors + share * (corner - anchors) for share in ON_LEADER]
    crossed = np.minimum.reduce([_nearest(np.hstack([way, way]), others) for way in ways])
    nearest = _nearest(boxes, lines)
    # a leader on another line is less of a fault than a name there
    off = np.minimum(nearest, OFF) - 2 * ACROSS * (nearest < GAP)
    off -= ACROSS / 3 * (crossed < STEP / 2)
    score: Points = off - np.resize(np.repeat(LEADERS, 2), len(boxes)) / 10
    return score


def _best(
    tried: Place,
    score: Points,
    room: tuple[float, float],
    taken: Sequence[Points],
    least: float = -np.inf,
) -> Place | None:
    """The place of the highest score, at least `least`, in the plot that covers no box that is
    taken.
    """
    low = tried.box[:, :2]
    high = tried.box[:, 2:]
    fits: Any = (low >= 0).all(axis=1) & (high <= room).all(axis=1)
    for other in taken:
        fits &= ~((low < other[2:] + 2) & (high > other[:2] - 2)).all(axis=1)
    # rounded, so that both programs take the same of two equal places
    score = np.where(fits, np.round(score, 3), -np.inf)
    best = int(np.argmax(score))
    if fits[best] and score[best] >= least:
        return Place(tried.box[best], tried.anchor[best])
    return None


def _nearest(boxes: Points, lines: Sequence[Points]) -> Points:
    """From each box to the nearest line, FAR at the most."""
    found: Points = np.full(len(boxes), FAR)
    for points in lines:
        found = np.minimum(found, _distance(boxes, points))
    return found


def _along(points: Points, step: float) -> Points:
    """Points of a polyline about `step` pixels apart, both ends included."""
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    at = np.linspace(0, length[-1], max(2, int(length[-1] / step) + 1))
    return np.column_stack([np.interp(at, length, side) for side in points.T])


def _distance(boxes: Points, points: Points) -> Points:
    """From each box to the nearest of these points."""
    away = np.maximum(np.maximum(boxes[:, None, :2] - points, points - boxes[:, None, 2:]), 0)
    found: Points = np.hypot(away[..., 0], away[..., 1]).min(axis=1)
    return found
