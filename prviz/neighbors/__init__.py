"""The only distance code: fit samples in balls, counted exactly, in bounded memory, for many balls at once."""

from __future__ import annotations

from prviz.neighbors.balls import Balls, MeanNearest, Nearest, Within
from prviz.neighbors.by_rows import FEW, BallMembership
from prviz.neighbors.engine import MEMORY_LIMIT, BallCounts, Distances, RealRadii
from prviz.neighbors.queries import (
    count_held,
    count_in_balls,
    largest_ratios,
    multiply_within,
    nearest_radii,
    nearest_rows,
    radii_to,
    smallest_holding,
)

__all__ = [
    "FEW",
    "MEMORY_LIMIT",
    "BallCounts",
    "BallMembership",
    "Balls",
    "Distances",
    "MeanNearest",
    "Nearest",
    "RealRadii",
    "Within",
    "count_held",
    "count_in_balls",
    "largest_ratios",
    "multiply_within",
    "nearest_radii",
    "nearest_rows",
    "radii_to",
    "smallest_holding",
]
