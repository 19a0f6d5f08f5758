"""The views of error space beside the precision-recall curve."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.figures import error_space_figure

CURVES = {"knn": PRCurve.from_error_rates([0.05, 0.3], [0.5, 0.1])}


@pytest.mark.parametrize(("view", "x", "y"), [("roc", 0, 1), ("collapse", 1, 0)])
def test_two_more_views_turn_one_axis_over(view: str, x: int, y: int) -> None:
    trace = error_space_figure(CURVES, view=view).data[0]
    np.testing.assert_array_equal(trace.x, CURVES["knn"].vertices[:, x])
    np.testing.assert_array_equal(trace.y, 1 - CURVES["knn"].vertices[:, y])
    assert (trace.x[np.argmax(trace.y)], max(trace.y)) == (max(trace.x), 1)
