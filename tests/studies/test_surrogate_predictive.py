"""The predictive check: areas of settings on the data against those on the surrogate."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from prviz.measure.estimates import pr_curve
from prviz.samples import SamplePair
from prviz.studies.surrogate.predictive import areas_of, own_areas, prediction


def rows(*areas: float) -> pd.DataFrame:
    return pd.DataFrame({"method": "knn", "k": "sqrt", "split": 0.5, "auc": areas})


def test_areas_of_the_data_are_those_of_curves() -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair.of(rng.normal(size=(40, 2)), rng.normal(size=(30, 2)))
    settings = [("knn", "sqrt", 0.5), ("ipr", 3, None), ("kde", "sqrt", 0.5)]
    found = own_areas(pair, settings, 1)
    for method, k, split in settings:
        assert found[method, k, split] == pr_curve(*pair, method, k=k, split=split, seed=1).auc


def test_a_surrogate_that_sees_another_area_does_not_predict() -> None:
    measured = rows(0.4, 0.5, 0.6)
    (setting,) = areas_of(measured)
    near = prediction(measured, {setting: 0.54})
    assert near.off == pytest.approx(0.04)
    assert near.passes
    assert near.inside == 1
    # 0.5 away, 4.3 * 0.1 * sqrt(4 / 3) allowed
    assert not prediction(measured, {setting: 1.0}).passes
    assert prediction(rows(0.4), {setting: 0.4}).inside == 1
    with pytest.raises(ValueError, match="rows has none of"):
        prediction(measured, {("ipr", 3, None): 0.5})
