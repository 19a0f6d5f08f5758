"""Samples, pairs and splits: validation at construction, digests of every byte, read-only
arrays.
"""

from __future__ import annotations

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import prviz
from prviz.samples import SamplePair, Samples, as_samples

VALUES = np.arange(12, dtype=np.float64).reshape(4, 3)


def test_dtypes_widen_exactly() -> None:
    half = np.array([[0.1, 2.0]], dtype=np.float16)
    assert Samples(half).values.dtype == np.float32
    assert np.array_equal(Samples(half).values, half.astype(np.float64))
    for dtype in (np.int8, np.uint16, np.int64, np.bool_):
        assert Samples(np.ones((2, 2), dtype)).values.dtype == np.float64
    assert Samples(VALUES.astype(np.float32)).values.dtype == np.float32
    assert Samples(VALUES[:, :, None, None]).values.shape == (4, 3)


def test_the_owner_of_the_array_cannot_change_the_samples() -> None:
    mine = VALUES.copy()
    for values in (mine, mine[:], mine.T.copy().T):
        samples = Samples(values)
        digest = samples.digest
        mine[0, 0] = 99
        assert samples.values[0, 0] == 0
        assert Samples(samples.values).digest == digest
        mine[0, 0] = 0
        with pytest.raises(ValueError, match="read-only"):
            samples.values[0, 0] = 1


def test_digest_sees_every_byte_shape_and_dtype() -> None:
    big = np.zeros((2000, 300))
    digests = {
        Samples(big).digest,
        Samples(big.reshape(3000, 200)).digest,
        Samples(big.astype(np.float32)).digest,
    }
    changed = big.copy()
    changed[1999, 299] = np.nextafter(0, 1)
    digests.add(Samples(changed).digest)
    assert len(digests) == 4
    assert Samples(big, "other name").digest in digests


def test_pickle_keeps_read_only_labels_and_images() -> None:
    samples = Samples(VALUES, "a", {"class": np.arange(4)}, np.zeros((4, 2, 2), np.uint8))
    again = pickle.loads(pickle.dumps(samples))
    assert not again.values.flags.writeable
    assert again.digest == samples.digest
    assert again.labels["class"].tolist() == [0, 1, 2, 3]
    assert again.images.shape == (4, 2, 2)
    assert again.take(np.array([2, 0])).labels["class"].tolist() == [2, 0]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (np.zeros(3), ValueError, r"shape \(3,\); a 2-D array"),
        (np.zeros((0, 3)), ValueError, "at least one row"),
        (np.zeros((3, 0)), ValueError, "one column"),
        (np.array([["a"]]), TypeError, "dtype <U1"),
        (np.array([[1j]]), TypeError, "complex"),
        (np.array([[0, np.nan], [np.inf, 0]]), ValueError, r"row 1, column 2 is nan; .*2 of 4"),
        (np.array([[0, 1], [-np.inf, 0]]), ValueError, "row 2, column 1 is -inf"),
    ],
)
def test_bad_values_are_named(values: np.ndarray, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Samples(values, "mine")


def test_the_extremes_are_those_of_all_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("prviz.samples._CHUNK_BYTES", 64)  # several chunks
    values = np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32)
    samples = Samples(values)
    assert samples.extremes == (float(values.min()), float(values.max()))
    values[[30, 38], 1] = np.nan
    with pytest.raises(ValueError, match=r"row 31, column 2 is nan; .*\(2 of 160 are not"):
        Samples(values)


def test_labels_and_images_must_fit() -> None:
    with pytest.raises(ValueError, match="'class' has 3 entries for 4"):
        Samples(VALUES, labels={"class": np.arange(3)})
    with pytest.raises(ValueError, match=r"\(4, height, width\)"):
        Samples(VALUES, images=np.zeros((4, 2), np.uint8))


def test_a_pair_names_both_dimensions() -> None:
    with pytest.raises(ValueError, match="real samples have 3 features, generated ones have 2"):
        SamplePair(as_samples(VALUES), as_samples(VALUES[:, :2]))
    real, generated = SamplePair(as_samples(VALUES), as_samples(VALUES + 1))
    assert (real.values[0, 0], generated.values[0, 0]) == (0, 1)


def test_split_covers_each_row_once_and_follows_its_seed() -> None:
    pair = SamplePair(
        as_samples(np.arange(21.0)[:, None]), as_samples(100 + np.arange(10.0)[:, None])
    )
    split = pair.split(0.7, seed=3)
    assert (split.fit.real.n, split.fit.generated.n, split.held_out) == (15, 7, True)
    rows = np.concatenate((split.fit.real.values, split.evaluate.real.values))[:, 0]
    assert sorted(rows) == list(range(21))
    assert np.array_equal(split.evaluate.real.values[:, 0], split.evaluate_rows[0])
    assert np.array_equal(split.evaluate.generated.values[:, 0], 100 + split.evaluate_rows[1])
    assert np.array_equal(pair.split(0.7, 3).evaluate_rows[0], split.evaluate_rows[0])
    assert not np.array_equal(pair.split(0.7, 4).evaluate_rows[0], split.evaluate_rows[0])
    mirrored = SamplePair(pair.generated, pair.real).split(0.7, seed=3)
    assert np.array_equal(mirrored.evaluate_rows[1], split.evaluate_rows[0])


def test_no_split_and_impossible_splits() -> None:
    pair = SamplePair(as_samples(VALUES), as_samples(VALUES))
    whole = pair.split(None)
    assert whole.fit is whole.evaluate is pair
    assert not whole.held_out
    for ratio in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match="split ="):
            pair.split(ratio)
    with pytest.raises(ValueError, match="can't be split"):
        SamplePair(as_samples(VALUES[:1]), as_samples(VALUES)).split(0.5)


def test_samples_are_an_array_of_their_values() -> None:
    samples = Samples([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "three")
    assert np.array_equal(np.asarray(samples), samples.values)
    assert np.asarray(samples) is samples.values
    assert np.asarray(samples, dtype=np.float32).dtype == np.float32
    assert (len(samples), samples.shape) == (3, (3, 2))
    assert repr(samples) == "Samples('three', 3 x 2, float64)"
    with pytest.raises(ValueError, match="copy"):
        np.array(samples, dtype=np.float32, copy=False)


def people(n: int) -> pd.DataFrame:
    values = np.random.default_rng(n).normal(size=(n, 3))
    return pd.DataFrame(values, columns=["age", "income", "hours"])


def test_features_are_matched_by_name_and_another_order_is_said_once() -> None:
    real = people(40)
    generated = people(41)
    expected = prviz.pr_curve(real, generated, "knn", k=3)
    shuffled = generated[["hours", "age", "income"]]
    with pytest.warns(prviz.PrvizWarning, match="matched by name") as caught:
        pair = SamplePair(real, shuffled)
    assert caught[0].filename == __file__
    assert pair.reordered
    assert pair.generated.features == ("age", "income", "hours")
    assert np.array_equal(pair.generated.values, generated.to_numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert prviz.pr_curve(real, shuffled, "knn", k=3).auc == expected.auc


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["age", "income", "job"], "only real has 'hours'; only generated has 'job'"),
        (["age", "income"], "only real has 'hours'"),
        (["age", "income", "hours", "hours"], "two features are called 'hours'"),
    ],
)
def test_features_of_one_set_alone_are_named(columns: list[str], message: str) -> None:
    generated = Samples(np.ones((40, len(columns))), features=columns)
    with pytest.raises(ValueError, match=message):
        SamplePair(people(40), generated)


def test_sets_without_names_are_compared_by_place() -> None:
    real = people(40)
    assert not SamplePair(real, np.ones((40, 3))).reordered
    assert Samples(real.to_numpy()).features == ()
    assert Samples(pd.DataFrame({"embedding": list(real.to_numpy())})).features == ()
    assert Samples(pd.DataFrame(real.to_numpy())).features == ()  # columns that are only numbered


def test_names_and_groups_stay_with_their_samples() -> None:
    groups = np.repeat(["a", "b", "c", "d"], 10)
    samples = Samples(people(40), "people", groups=groups)
    for each in (pickle.loads(pickle.dumps(samples)), samples.take(np.arange(40))):
        assert each.features == ("age", "income", "hours")
        assert each.groups is not None
        assert np.array_equal(each.groups, groups)
    with pytest.raises(ValueError, match="2 names for 3 features"):
        Samples(people(4).to_numpy(), features=["age", "income"])
    with pytest.raises(ValueError, match="groups have shape"):
        Samples(people(4), groups=[1, 2])


@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=12), st.floats(0.05, 0.95), st.integers(0, 99)
)
def test_a_split_keeps_groups_together(sizes: list[int], ratio: float, seed: int) -> None:
    groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    samples = Samples(np.arange(2.0 * len(groups)).reshape(-1, 2), groups=groups)
    split = SamplePair(samples, samples).split(ratio, seed)
    fit = split.fit_rows[0]
    evaluate = split.evaluate_rows[0]
    assert np.array_equal(np.sort(np.concatenate([fit, evaluate])), np.arange(len(groups)))
    assert not set(groups[fit]) & set(groups[evaluate])
    assert len(fit)
    assert len(evaluate)
    assert abs(len(fit) - ratio * len(groups)) <= max(sizes)


def test_one_group_can_not_be_split() -> None:
    samples = Samples(people(40), groups=np.zeros(40))
    with pytest.raises(ValueError, match="40 samples are of one group"):
        SamplePair(samples, people(40)).split(0.5)


def test_hostile_names_of_features_are_quoted_and_cut() -> None:
    real = Samples(np.zeros((3, 2)), features=("a", "\x1b[2J" + "b" * 500))
    with pytest.raises(
        ValueError, match=r"only real has '\\x1b\[2Jb+…'; only generated has 'c'"
    ) as said:
        SamplePair(real, Samples(np.zeros((3, 2)), features=("a", "c")))
    assert len(str(said.value)) < 400


def test_rows_that_are_taken_are_copied_once() -> None:
    samples = Samples(np.zeros((1000, 500)))
    tracemalloc.start()
    taken = samples.take(np.arange(1000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * samples.values.nbytes
    assert not taken.values.flags.writeable
