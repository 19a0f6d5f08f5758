"""A swapped toy: the same samples, the mirrored truth, the reversed ratio."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.toys import TOYS, Swapped, toy
from tests.marks import exhaustive_but


@pytest.mark.parametrize("name", exhaustive_but(TOYS, "modes", "dirac"))
def test_everything_of_a_toy_is_in_the_other_role(name: str) -> None:
    known = toy(name)
    swapped = Swapped(of=known)
    real, generated = known.sample(50, 3)
    pair = swapped.sample(50, 3)
    assert np.array_equal(pair.real.values, generated.values)
    assert np.array_equal(pair.generated.values, real.values)
    assert (pair.real.name, pair.generated.name) == ("real", "generated")
    assert np.array_equal(swapped.log_ratio(real), -known.log_ratio(real))
    assert np.array_equal(swapped.in_supports(real).real, known.in_supports(real).generated)
    assert swapped.truth().auc == pytest.approx(known.truth().auc, abs=1e-12)
    for lam in (0.1, 1.0, 4.0):
        assert swapped.truth().alpha(lam) == pytest.approx(known.truth().beta(1 / lam), abs=1e-12)
    assert swapped.support_masses == (*known.support_masses[2:], *known.support_masses[:2])
    assert swapped.parameters == known.parameters
    assert swapped.d == known.d
    assert swapped != known
