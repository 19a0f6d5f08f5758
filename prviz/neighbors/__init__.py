"""The only distance code: fit samples in balls, counted exactly, in blocks, for many balls in one pass."""

from __future__ import annotations

from prviz.neighbors.balls import Balls, MeanNearest, Nearest, Within
from prviz.neighbors.engine import BallCounts, Distances

__all__ = ["BallCounts", "Balls", "Distances", "MeanNearest", "Nearest", "Within"]
