"""Rows whose nearest neighbours stand beside them, and files where these only stand near by."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.mixture import GaussianMixture

from prviz import PrvizWarning, estimate
from prviz.checks import twins
from prviz.checks.flags import flags_of, flags_of_set
from prviz.checks.row_order import (
    CONSEQUENCE,
    TOGETHER,
    _at_least,
    dependence_text,
    dependent_rows,
    dependent_sets,
)
from prviz.samples import SamplePair, Samples


def _videos(rng: np.random.Generator, count: int, frames: int) -> np.ndarray:
    return np.repeat(rng.normal(size=(count, 16)), frames, 0) + 0.15 * rng.normal(
        size=(count * frames, 16)
    )


@pytest.mark.parametrize("frames", [2, 5, 25])
def test_frames_of_videos_are_seen_and_shuffled_ones_are_not(frames: int) -> None:
    rng = np.random.default_rng(frames)
    values = _videos(rng, 1500 // frames, frames)
    found = dependent_rows(Samples(values))
    assert found is not None
    assert found.share > 0.2
    assert (found.chance, found.rows) == (pytest.approx(6 / 99), 100)
    assert dependent_rows(Samples(rng.permutation(values))) is None
    assert dependent_rows(Samples(values, groups=np.arange(len(values)) // frames)) is None


def test_a_series_in_time_is_seen() -> None:
    rng = np.random.default_rng(0)
    assert dependent_rows(Samples(np.cumsum(rng.normal(size=(600, 8)), axis=0))) is not None


def test_shuffled_rows_give_no_false_alarm() -> None:
    rng = np.random.default_rng(1)
    laws = [
        rng.normal(size=(300, 4)),
        rng.integers(0, 3, (300, 3)).astype(float),
        np.repeat(rng.normal(size=(15, 4)), 20, 0),
    ]
    for values in laws:
        assert not any(
            dependent_rows(Samples(rng.permutation(values))) is not None for _ in range(50)
        )


@pytest.mark.parametrize("of_class", [50, 150, 500])
def test_rows_sorted_by_class_are_no_dependent_ones(of_class: int) -> None:
    rng = np.random.default_rng(of_class)
    for _ in range(10):
        centres = 3 * rng.normal(size=(1500 // of_class, 8))
        values = np.repeat(centres, of_class, 0) + rng.normal(size=(1500 // of_class * of_class, 8))
        assert dependent_rows(Samples(values)) is None


def test_independent_rows_mode_by_mode_look_dependent_until_they_are_shuffled() -> None:
    """`GaussianMixture.sample` of scikit-learn writes one component after the other."""
    digits = load_digits().data
    law = GaussianMixture(80, covariance_type="diag", reg_covar=1e-2, random_state=0).fit(digits)
    drawn = law.sample(900)[0]
    assert dependent_rows(Samples(drawn)) is not None
    assert "shuffle them" in CONSEQUENCE
    assert dependent_rows(Samples(np.random.default_rng(0).permutation(drawn))) is None


def test_classes_that_are_known_may_be_small_and_videos_of_them_are_still_seen() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        values = np.repeat(3 * rng.normal(size=(16, 8)), 20, 0) + rng.normal(size=(320, 8))
        assert dependent_rows(Samples(values)) is not None
        assert dependent_rows(Samples(values, labels={"class": np.arange(320) // 20})) is None
    values = _videos(rng, 60, 5)
    assert dependent_rows(Samples(values, labels={"class": np.arange(300) // 100})) is not None
    assert dependent_rows(Samples(values, labels={"video": np.arange(300) // 5})) is not None


@pytest.mark.parametrize("d", [2, 5])
@pytest.mark.parametrize("way", [1, -1])
def test_a_table_sorted_by_a_feature_or_by_its_means_holds_no_dependent_rows(
    d: int, way: int
) -> None:
    rng = np.random.default_rng(0)
    for key in (0, d - 1, slice(None)):
        values = rng.normal(size=(200, d))
        order = np.argsort(way * values[:, key].reshape(200, -1).mean(axis=1))
        assert dependent_rows(Samples(values[order])) is None


def test_a_feature_that_hardly_moves_sorts_no_rows() -> None:
    values = _videos(np.random.default_rng(0), 20, 10)
    values[:, 3] = np.arange(200) > 150
    assert dependent_rows(Samples(values)) is not None


def test_the_sentence_names_the_set_and_the_remedy() -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair(Samples(rng.normal(size=(200, 16))), Samples(_videos(rng, 20, 10)))
    found = dependent_sets(pair)
    assert list(found) == ["generated"]
    text = (
        "of 100 generated samples the nearest one of them stands at most 3 rows away, of 6.1 % by"
    )
    assert text in dependence_text(found)
    assert dependence_text({}) == ""


def test_samples_of_any_size_and_place_are_compared() -> None:
    rng = np.random.default_rng(0)
    values = _videos(rng, 60, 10)
    found = dependent_rows(Samples(values))
    assert found is not None
    assert dependent_rows(Samples(values * 1e200)) == found
    assert dependent_rows(Samples(values * 1e-200)) == found
    values[50] = 1e9
    assert dependent_rows(Samples(values)) is not None
    assert dependent_rows(Samples(np.ones((100, 3)))) is None


def test_the_flag_stands_where_numbers_are_and_goes_with_the_groups() -> None:
    rng = np.random.default_rng(0)
    real = Samples(rng.normal(size=(200, 16)), "real")
    values = _videos(rng, 20, 10)
    found = [each.title for each in flags_of(SamplePair(real, Samples(values)))]
    assert found == [TOGETHER]
    flag = flags_of(SamplePair(real, Samples(values)))[0]
    assert flag.level == "warning"
    assert "of 6.1 % by chance. Rows such as the frames of a video are not independent" in flag.line
    assert "--group COLUMN, Samples(..., groups=...)" in flag.line
    assert flags_of(SamplePair(real, Samples(values, groups=np.arange(200) // 10))) == ()
    assert [each.title for each in flags_of_set(Samples(values))] == [TOGETHER]
    assert "of 100 samples the nearest" in flags_of_set(Samples(values))[0].line
    copied = Samples(np.repeat(rng.normal(size=(20, 16)), 10, 0))
    titles = {each.title for each in flags_of(SamplePair(real, copied))}
    assert titles == {"Duplicates inside the generated set"}


def test_a_folder_of_frames_is_warned_of_once_by_whatever_measures_it() -> None:
    rng = np.random.default_rng(0)
    real = rng.normal(size=(200, 16))
    frames = _videos(rng, 20, 10)
    with pytest.warns(PrvizWarning, match="of 100 generated samples the nearest one") as said:
        estimate(real, frames, "knn", k=3)
    assert len(said) == 1


def test_the_tail_of_the_binomial_law_is_exact() -> None:
    from scipy.stats import binom

    for count, n, p in [(13, 70, 0.06), (1, 1, 0.5), (250, 500, 0.06), (0, 10, 0.3)]:
        assert _at_least(count, n, p) == pytest.approx(binom.sf(count - 1, n, p), rel=1e-9)


def test_frames_of_wide_samples_are_seen_in_a_part_of_their_features() -> None:
    rng = np.random.default_rng(0)
    assert dependent_rows(Samples(np.tile(_videos(rng, 100, 5), 128))) is not None
    assert dependent_rows(Samples(np.tile(rng.permutation(_videos(rng, 100, 5)), 128))) is None
    few = 0.01 * rng.normal(size=(500, 2048))
    few[:, 1700] += 9 * np.repeat(rng.normal(size=100), 5)  # a feature that is left out
    few[:, 1024:1536] += np.repeat(rng.normal(size=(100, 512)), 5, axis=0)
    assert dependent_rows(Samples(few)) is not None


def test_distances_inside_a_reference_are_found_once_for_all_its_checkpoints() -> None:
    samples = Samples(np.random.default_rng(0).normal(size=(80, 3)))
    with mock.patch.object(twins, "nearest_rows", wraps=twins.nearest_rows) as searched:
        found = {twins.even_dimension(samples) for _ in range(3)}
    assert searched.call_count == 1
    assert found == {twins.even_dimension(Samples(samples.values.copy()))}
