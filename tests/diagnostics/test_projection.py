"""Projections: the separation they show, reproducibility, and equality of blocks with one pass."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.diagnostics import projection
from prviz.diagnostics.projection import discriminant_projection, principal_projection
from prviz.samples import SamplePair
from prviz.toys import toy


def shifted(n: int = 400, d: int = 6, seed: int = 0) -> SamplePair:
    """Samples with a large common variance along one axis, and a small shift along another."""
    rng = np.random.default_rng(seed)
    real = rng.normal(size=(n, d))
    generated = rng.normal(size=(n, d))
    for side in (real, generated):
        side[:, 0] *= 10
        side[:, 1] *= 5
    generated[:, 2] += 3
    return SamplePair(real, generated)


def test_the_discriminant_finds_what_the_components_miss() -> None:
    pair = shifted()
    found = discriminant_projection(pair, pair)
    leading = principal_projection(pair)
    is_real = np.arange(800) < 400
    assert found.points[is_real, 0].max() < found.points[~is_real, 0].mean() + 2
    assert (np.mean((found.points[:, 0] < np.median(found.points[:, 0])) == is_real)) > 0.9
    assert abs(np.corrcoef(leading.points[:, 0], is_real)[0, 1]) < 0.2
    # beside it lies the large variance, orthogonal to it
    values = np.concatenate([side.values for side in pair])
    assert abs(np.corrcoef(found.points[:, 1], values[:, 0])[0, 1]) > 0.99
    assert [title.split(" (")[0] for title in leading.titles] == [
        f"component {i}" for i in (1, 2, 3, 4)
    ]


def test_samples_that_are_not_fitted_are_projected_as_those_that_are() -> None:
    pair = shifted()
    both = discriminant_projection(pair, pair).points
    some = SamplePair(pair.real.values[:7], pair.generated.values[5:9])
    np.testing.assert_allclose(
        discriminant_projection(pair, some).points, both[[*range(7), *range(405, 409)]]
    )


def test_the_projections_are_orthogonal_and_their_signs_fixed() -> None:
    pair = shifted()
    mirrored = SamplePair(-pair.real.values, -pair.generated.values)
    for make in (principal_projection, lambda each: discriminant_projection(each, each)):
        points = make(pair).points
        other = make(mirrored).points
        np.testing.assert_array_equal(make(pair).points, points)
        # the mirrored samples are shown as mirrored, but for the discriminant, whose right is the
        # generated side
        assert other[:, 1] == pytest.approx(-points[:, 1], abs=1e-6)
    lengths = np.ptp(principal_projection(pair).points, axis=0)
    assert (np.diff(lengths) < 0).all()


@pytest.mark.parametrize("d", [3, 300])
def test_few_features_many_features_and_blocks(d: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pair = toy("shifted-gaussians", d=d, mu=0.5).sample(300, 1)
    whole = [principal_projection(pair), discriminant_projection(pair, pair)]
    assert whole[0].points.shape == (600, min(d, 4))
    assert whole[1].points.shape == (600, 2)
    monkeypatch.setattr(projection, "_BLOCK_VALUES", 7 * d)
    parts = [principal_projection(pair), discriminant_projection(pair, pair)]
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one.points, other.points, atol=1e-9)
    sides = whole[1].points[:300, 0], whole[1].points[300:, 0]
    assert sides[0].mean() < sides[1].mean()


@pytest.mark.parametrize(
    "values", [np.zeros((4, 3)), np.full((4, 3), 1e200), np.eye(4, 3) * 1e-200]
)
def test_sets_without_a_difference_or_of_huge_values_are_drawn(values: np.ndarray) -> None:
    pair = SamplePair(values, values)
    for found in (principal_projection(pair), discriminant_projection(pair, pair)):
        assert np.isfinite(found.points).all()
        assert len(found.points) == 8
