"""The guided mixture against densities written out in full; `test_toys.py` holds its sampler and
truth together.
"""

from __future__ import annotations

import numpy as np
import pytest

from prviz.toys import guidance, toy


def guided_density(y, scale, means, shares):
    """Sum over classes of share * p(y | c)^w p(y)^(1 - w) / Z, on the line, Z as a sum over steps
    of 0.001.
    """

    def normal(at, mean):
        return np.exp(-0.5 * (at - mean) ** 2) / np.sqrt(2 * np.pi)

    def tilted(at, mean):
        mixture = sum(share * normal(at, other) for other, share in zip(means, shares, strict=True))
        return normal(at, mean) ** scale * mixture ** (1 - scale)

    grid = np.arange(-11.0, 13.0, 0.001)
    return sum(
        share * tilted(y, mean) / (tilted(grid, mean).sum() * 0.001)
        for mean, share in zip(means, shares, strict=True)
    )


@pytest.mark.parametrize(("reference", "scale"), [(1.0, 4.0), (2.0, 0.5), (5.0, 7.0)])
def test_the_log_ratio_is_that_of_the_full_densities(reference, scale):
    means = (-1.0, 0.5, 2.0)
    shares = (0.5, 0.2, 0.3)
    d = 3
    problem = toy("guidance", d=d, means=means, weights=shares, reference=reference, scale=scale)
    z = np.random.default_rng(0).normal(0.3, 1.0, (12, d))
    y = z.sum(axis=1) / np.sqrt(d)
    along = np.array(means) * np.sqrt(d)
    expected = np.log(
        guided_density(y, scale, along, shares) / guided_density(y, reference, along, shares)
    )
    np.testing.assert_allclose(problem.log_ratio(z), expected, atol=1e-6)


def test_scales_of_0_and_1_are_the_mixture_itself():
    assert toy("guidance", reference=1.0, scale=0.0).truth().auc == pytest.approx(1, abs=1e-9)
    assert toy("guidance", reference=3.0, scale=3.0).truth().auc == 1


def test_the_truth_is_the_same_on_finer_cells(monkeypatch):
    found = toy("guidance", scale=9.0).truth()
    monkeypatch.setattr(guidance, "_CELLS", 24_000)
    assert (
        toy("guidance", d=2, scale=9.0, reference=1.0).truth().compare(found).iou
        > 1 - toy("guidance").truth_error
    )


def test_more_guidance_loses_what_lies_between_the_classes():
    recalls = [
        toy("guidance", scale=scale).truth().f_score(8, leaning="recall")
        for scale in (1.0, 2.0, 5.0, 10.0)
    ]
    assert recalls == sorted(recalls, reverse=True)
    pair = toy("guidance", d=1, means=(-2.0, 2.0), weights=(0.5, 0.5), scale=10.0).sample(
        4000, seed=0
    )
    between = [np.mean(np.abs(np.asarray(side)) < 0.5) for side in pair]
    assert between[1] < 0.5 * between[0]


def test_classes_that_do_not_fit_are_named():
    with pytest.raises(
        ValueError, match="means and weights have 3 and 2 entries; one each per class"
    ):
        toy("guidance", weights=(0.5, 0.5))
    with pytest.raises(ValueError, match="at least one weight must be above 0"):
        toy("guidance", weights=(0.0, 0.0, 0.0))


def test_classes_that_are_alike_and_classes_far_apart_are_drawn_at_once():
    alike = toy("guidance", means=(0.0,) * 8, weights=(0.125,) * 8, scale=10.0)
    assert alike.truth().auc == pytest.approx(1, abs=1e-9)
    assert alike.sample(200, seed=0).generated.n == 200
    apart = toy("guidance", d=4096, means=(-20.0, 0.0, 20.0), weights=(0.2, 0.3, 0.5), scale=10.0)
    assert apart.truth().auc == pytest.approx(1, abs=1e-6)
    near = np.abs(
        np.asarray(apart.sample(300, seed=0).generated).mean(axis=1)[:, None] - [-20, 0, 20]
    ).min(axis=1)
    assert near.max() < 0.1
