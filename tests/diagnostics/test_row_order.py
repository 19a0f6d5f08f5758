"""Rows whose nearest neighbours stand beside them, and files where these only stand near by."""

from __future__ import annotations

import numpy as np
import pytest

from prviz.diagnostics.row_order import dependence_text, dependent_rows, dependent_sets
from prviz.samples import SamplePair, Samples


def _videos(rng: np.random.Generator, count: int, frames: int) -> np.ndarray:
    return np.repeat(rng.normal(size=(count, 16)), frames, 0) + 0.15 * rng.normal(size=(count * frames, 16))


@pytest.mark.parametrize("frames", [2, 5, 25])
def test_frames_of_videos_are_seen_and_shuffled_ones_are_not(frames: int) -> None:
    rng = np.random.default_rng(frames)
    values = _videos(rng, 1500 // frames, frames)
    found = dependent_rows(Samples(values))
    assert found is not None
    assert found.share > 0.2
    assert found.chance == pytest.approx(6 / 499)
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
        assert not any(dependent_rows(Samples(rng.permutation(values))) is not None for _ in range(50))


@pytest.mark.parametrize("of_class", [50, 150, 500])
def test_rows_sorted_by_class_are_no_dependent_ones(of_class: int) -> None:
    rng = np.random.default_rng(of_class)
    for _ in range(10):
        centres = 3 * rng.normal(size=(1500 // of_class, 8))
        values = np.repeat(centres, of_class, 0) + rng.normal(size=(1500 // of_class * of_class, 8))
        assert dependent_rows(Samples(values)) is None


def test_the_sentence_names_the_set_and_the_remedy() -> None:
    rng = np.random.default_rng(0)
    pair = SamplePair(Samples(rng.normal(size=(200, 16))), Samples(_videos(rng, 20, 10)))
    found = dependent_sets(pair)
    assert list(found) == ["generated"]
    assert "generated samples the nearest one stands at most 3 rows away" in dependence_text(found)
    assert "--group COLUMN" in dependence_text(found)
    assert dependence_text({}) == ""
