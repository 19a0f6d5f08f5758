"""Ball members: as many as the families count, inside the drawn balls."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest

from prviz.diagnostics.ball_members import votes
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import measure
from prviz.samples import SamplePair
from prviz.toys import toy
from tests.slow_twins import squared_distance

PAIRS = {
    "plane": toy("shifted-gaussians", d=2, mu=1.0).sample(24, 3),
    "ties": SamplePair(
        np.array([*itertools.product(range(4), range(3)), (0, 0), (0, 0)], dtype=float),
        np.array([*itertools.product(range(1, 4), range(3)), (3, 2)], dtype=float),
    ),
}


@pytest.mark.parametrize("ratio", [None, 0.5])
@pytest.mark.parametrize("method", DEFAULT_METHODS)
@pytest.mark.parametrize("name", PAIRS)
def test_there_are_as_many_voters_as_the_family_counts_and_they_lie_in_its_balls(name, method, ratio) -> None:
    split = PAIRS[name].split(ratio, 1)
    points = np.concatenate([side.values for side in split.evaluate])
    for k in (1, 3, min(map(len, split.fit_rows)) - 1):
        found, counted = votes(split, method, k=k), measure(split, [(method, k, None)], 0)[0].supports
        np.testing.assert_array_equal([len(each) for each in found.real], counted.c_real)
        np.testing.assert_array_equal([len(each) for each in found.generated], counted.c_generated)
        for side, voters, radii in zip(
            split.fit, (found.real, found.generated), (found.real_radii, found.generated_radii), strict=True
        ):
            for z, (point, chosen) in enumerate(zip(points, voters, strict=True)):
                distance = np.sqrt([squared_distance(point, x) for x in side.values])
                reach = radii if found.around == "fit" else radii[z]
                np.testing.assert_array_equal(chosen, np.flatnonzero(distance <= reach))


def test_only_families_with_one_kind_of_balls_have_voters_and_radii_are_kept() -> None:
    split = PAIRS["plane"].split(None)
    wide = votes(split, "kde", k=3, bandwidth=0.7)
    np.testing.assert_allclose(wide.real_radii, 0.7)
    again = pickle.loads(pickle.dumps(wide))
    assert all(np.array_equal(a, b) for a, b in zip(again.real, wide.real, strict=True))
    with pytest.raises(ValueError, match="read-only"):
        wide.real_radii[0] = 1
    for method in ("classifier", "nobody"):
        with pytest.raises(ValueError, match="one kind of balls is needed"):
            votes(split, method, k=3)
    with pytest.raises(ValueError, match="k must be 1 to 23"):
        votes(split, "knn", k=24)
