"""The only code that computes distances: exact counts of fit samples in balls, in bounded memory,
for many balls at once.

Fit samples define a family's classifiers; evaluation samples are those on which the classifiers are
judged. Without a split the two are the same samples.

Start with `balls` (a family describes what to count by `Balls`, and the engine gets one
`CountRequest` per role), then `engine`: one `Distances` object per split gives counts, radii and
ball members. `Distances._counted` chooses the plan:

- `by_rows` serves every case: blocks of evaluation points against whole fit sets. It is chosen for
  up to 16 requests with a split, and wherever merged duplicates, ties or memory rule out the
  others.
- `symmetric` serves up to 16 requests without split: the distance of each pair of samples is
  computed once and used for both samples.
- `sweep` serves profiles over many k and bandwidths: one sort or histogram per block for all
  requests.

`WholeDistances` serves many splits of one small pair: it computes all distances once and counts
from these for every split.

Inside `devices.on_device` the tiles come from `torch_tiles`: products and comparisons are done on a
device. Only the plans `by_rows` and `sweep` use these tiles; `symmetric` keeps its lists on the
processor.

The plans stand on these modules, from the top: `blocks` (blocks of points, run on threads with
reused buffers), `tiles` (one tile of distances, with every decision on it exact), `lists` (what the
symmetric plan collects from tiles), `kernels` (inner loops over a tile), `prepared` (the sets of
one split, and the arithmetic that is chosen for them), `point_sets` (rows, their reference
distance, and their approximate distances), `products` (that arithmetic, and the proof of how far
approximate distances are from the reference ones), `native` (calls of the loops in C) and `threads`
(work on all cores). `queries` counts, multiplies and finds neighbours for a selection of points.
`faiss_lists` is the only part that is not exact; nothing exact depends on it.

What the plans and the C library save: processor time with one of them switched off, divided by the
time with all on, for 4,000 samples per set, measured by ``python -m tests.benchmarks.plans`` on two
cores (profile: every k to 50, 65 bandwidths):

    work                               d    without symmetric    without sweep    without C
    four families, no split, k = 5    64                  1.3                             1.2
    four families, no split, k = 63   64                  1.2                             1.5
    four families, split, k = 63      64                                                  1.1
    profile, split                    64                                  7.9             2.2
    four families, no split, k = 63  1024                 2.1                             1.1
    four families, split, k = 63     1024                                                 1.1
"""

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
from prviz.neighbors.whole import WholeDistances

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
    "WholeDistances",
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
