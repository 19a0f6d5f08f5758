"""Single features that differ: named with what can be checked in the file, and with what explains
them.
"""

from __future__ import annotations

import numpy as np
import pytest

from prviz.arrays import Rng
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair, Samples
from prviz.triage.column_faults import ALIKE, column_fault, differing
from prviz.triage.findings import findings, usual_faults
from tests.triage_files import faults_of, keys_of


def drawn(n: int = 400, d: int = 8, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    real, generated = rng.normal(size=(2, n, d)) * np.linspace(1, 2, d) + 3
    return real, generated


def changed(how: str) -> tuple[np.ndarray, np.ndarray]:
    real, generated = drawn()
    generated[:, 2] = {
        "factor": 100 * generated[:, 2],
        "shift": generated[:, 2] + 2,
        "no spread": 0 * generated[:, 2],
        "cut": np.minimum(generated[:, 2], 3.2),
    }[how]
    return real, generated


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("factor", "As if multiplied by a number: check units. Here: × "),
        ("shift", "As if a number were added: check where 0 is. Here: + "),
        ("no spread", "In the generated set that is one value throughout."),
        ("cut", "feature 3 above 3.5: 0 % generated"),
    ],
)
def test_one_feature_is_named_with_what_explains_it_and_nothing_else_is(
    how: str, said: str
) -> None:
    (found,) = faults_of(*changed(how))
    assert (found.key, found.level, found.number) == ("columns", "warning", 1 / 8)
    begin = "1 of 8 features differs, no difference is seen in the others: feature 3 "
    assert found.sentence.startswith(begin)
    assert said in found.sentence


@pytest.mark.parametrize("factor", [1.6, 1.852])
def test_counts_in_other_units_are_multiplied_though_the_units_are_rounded(factor: float) -> None:
    real, generated = np.random.default_rng(0).poisson(7, (2, 400, 8)).astype(float)
    generated[:, 2] *= factor  # whole numbers of units, but for float64
    (found,) = faults_of(real, generated)
    assert found.sentence.endswith(f"check units. Here: × {factor:.3g}.")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("of", [slice(None), slice(None, None, 2)])
def test_changed_signs_are_no_shift(of: slice) -> None:
    real, generated = drawn()
    generated[:, of] *= -1
    (found,) = faults_of(real, generated)
    assert found.key == "columns"
    assert found.sentence.endswith(" As if their signs were changed.")


def test_features_of_one_value_are_named_though_many_differ() -> None:
    real, generated = drawn()
    generated[:, :4] = 0
    sentence = faults_of(real, generated)[0].sentence
    assert sentence.startswith("4 of 8 features differ: 4 features (all exactly 0: 100 %")


@pytest.mark.exhaustive
def test_a_few_repeats_hide_no_feature() -> None:
    real, generated = changed("shift")
    generated[:8] = generated[8:16]
    assert keys_of(real, generated) == ["columns", "collapse"]


def counts(n: int, weights: list[float], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of counts of 140 words of seven topics, and their topics."""
    fixed = np.random.default_rng(90010)
    rng = np.random.default_rng(seed)
    words = fixed.dirichlet(np.full(140, 0.08), 7)
    topics = rng.choice(7, n, p=weights)
    lengths = rng.poisson(rng.gamma(2, 20, n)) + 4
    drawn = [rng.multinomial(*each) for each in zip(lengths, words[topics], strict=True)]
    return np.log1p(np.array(drawn, dtype=float)), topics


TOPICS = [0.28, 0.2, 0.16, 0.14, 0.1, 0.07, 0.05]


@pytest.mark.exhaustive
def test_topics_in_other_shares_are_no_other_order_of_words() -> None:
    real, _ = counts(200, TOPICS, 0)
    found = keys_of(real, counts(200, TOPICS[::-1], 1)[0])
    assert found
    assert "permuted" not in found
    values, _ = counts(200, TOPICS, 1)
    values[:, :60] = np.roll(values[:, :60], 1, axis=1)
    assert keys_of(real, values) == ["permuted"]


@pytest.mark.exhaustive
def test_short_texts_alone_are_no_factor_of_counts() -> None:
    values, _ = counts(2400, TOPICS, 1)
    away = np.linalg.norm(values - values.mean(axis=0), axis=1)
    short = values[away <= np.median(away)][:600]
    assert keys_of(counts(600, TOPICS, 0)[0], short)[0] in {"dropping", "narrow"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(3))
def test_a_feature_of_two_values_is_no_factor_where_its_share_is_near_a_decile(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sides = rng.normal(size=(2, 600, 6)) + 2
    sides[0, :, 0] = np.arange(600) < 235  # the decile at 0.6 is 0 here, and 1 there
    sides[1, :, 0] = np.arange(600) < 245
    assert keys_of(*sides) == []


@pytest.mark.exhaustive
def test_what_follows_from_one_feature_is_no_finding_beside_it() -> None:
    pair = SamplePair(*changed("factor"))
    found = findings(pair, estimate(pair, "knn")["knn"], replicates=60)
    assert [each.key for each in found if each.key != "few"] == ["columns"]


def test_a_feature_that_is_one_value_in_the_real_set_is_told_from_the_reverse() -> None:
    real, generated = changed("no spread")
    sentence = column_fault(differing(SamplePair(generated, real))).sentence
    assert "In the real set that is one value throughout." in sentence


def test_several_features_get_one_explanation_only_where_it_is_that_of_all() -> None:
    real, generated = drawn()
    generated[:, :2] += [1.5, -2]
    sentence = column_fault(differing(SamplePair(real, generated))).sentence
    assert sentence.startswith("2 of 8 features differ, no difference is seen in the others: ")
    assert sentence.endswith("As if a number were added: check where 0 is.")
    generated[:, 1] *= 30
    assert "As if" not in column_fault(differing(SamplePair(real, generated))).sentence


def test_features_that_all_move_a_little_are_no_few_features() -> None:
    real, generated = drawn(800, 40)
    moved = generated + 0.25
    found = differing(SamplePair(real, moved))
    assert found.columns
    assert not found.few
    assert not differing(SamplePair(real, generated)).columns


def with_a_mode(rng: Rng, size: tuple[int, ...], features: int, move: float) -> np.ndarray:
    """Normal sets, a quarter of each moved in the first features."""
    sets = rng.normal(size=size)
    sets[:, : size[1] // 4, :features] += move
    return sets


def test_missing_samples_are_named_rather_than_the_feature_that_tells_them() -> None:
    real, generated = with_a_mode(np.random.default_rng(0), (2, 1000, 8), 1, 8.0)
    assert differing(SamplePair(real, generated[250:])).few
    assert keys_of(real, generated[250:]) == ["dropping"]


@pytest.mark.exhaustive
def test_a_feature_that_is_one_value_throughout_is_named_beside_missing_samples() -> None:
    """It is a fact of the file, even where samples that are missing would move the feature as
    far.
    """
    rng = np.random.default_rng(1)
    real, generated = with_a_mode(rng, (2, 1000, 12), 2, 8.0)
    real[:, 3] = rng.random(1000) < 0.3
    generated[:, 3] = 0.0
    constant, lost = faults_of(real, generated[250:])
    assert [constant.key, lost.key] == ["columns", "dropping"]
    assert constant.sentence.startswith("1 of 12 features differs, as do others: feature 4 ")


def test_a_feature_in_other_units_is_named_beside_missing_samples_that_move_the_others() -> None:
    rng = np.random.default_rng(3)
    real, generated = rng.standard_t(3, size=(2, 800, 10)) + 0.5
    for values in (real, generated):
        values[:200] += 3.0
    generated[:, 6] += 12.0
    lost, moved = faults_of(real, generated[200:])
    assert [lost.key, moved.key] == ["dropping", "columns"]
    assert moved.sentence.startswith("1 of 10 features differs, as do others: feature 7 ")
    assert "alike" not in moved.sentence


@pytest.mark.parametrize("case", ["counts", "centred"])
def test_a_set_in_far_other_units_is_called_that_whatever_its_values(case: str) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(400, 20))
    if case == "counts":
        values = rng.poisson(np.exp(rng.normal(-2.5, 1.5, size=60)), size=(400, 60)).astype(float)
    (found,) = faults_of(values[:200], values[200:] / 255)
    assert (found.key, found.number) == ("scale", pytest.approx(1 / 255, rel=0.2))


def test_most_features_beside_the_real_ones_are_called_that_before_any_shape() -> None:
    rng = np.random.default_rng(6)
    real, generated = rng.normal(size=(2, 300, 12))
    (found,) = faults_of(real, 1 / (1 + np.exp(-generated)))
    assert (found.key, found.sentence[:25]) == ("scale", "Most features of the two ")
    counted = rng.poisson(0.3, size=(300, 12)).astype(float)
    assert keys_of(counted, rng.random(size=(300, 12)))[0] == "columns"


def test_counts_of_length_one_are_called_that_though_some_rows_are_empty() -> None:
    values = np.random.default_rng(5).poisson(0.05, size=(600, 60)).astype(float)
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    assert (lengths == 0).any()
    (found,) = faults_of(values[:300], (values / np.maximum(lengths, 1e-9))[300:])
    assert found.sentence.startswith("Only the generated set is l2-normalised")


def test_rows_that_repeat_are_no_fair_draw_of_features() -> None:
    real, generated = drawn()
    few = generated[np.random.default_rng(0).integers(20, size=400)]
    assert keys_of(real, few) == ["collapse"]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("seed", range(6))
def test_sparse_counts_of_one_law_are_in_no_other_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mean = np.exp(np.random.default_rng(9).normal(size=80) * 1.4 - 1.8)
    rates = rng.gamma(1.5, mean / 1.5, size=(2, 100, 80))
    assert keys_of(*np.log1p(rng.poisson(rates).astype(float))) == []


def tallies(rng: Rng, *size: int) -> np.ndarray:
    """Six small counts, so that rows repeat by nature."""
    share = np.random.default_rng(8).beta(0.4, 0.4, 6)
    return rng.binomial(3, share, size=(*size, 6)).astype(float)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(4))
def test_rows_that_repeat_by_nature_are_no_copies_and_no_repeats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    real, generated = tallies(rng, 2, 300)
    many = np.concatenate([generated, tallies(rng, 600)])
    assert keys_of(real, generated) == keys_of(real, many) == []


def test_answers_that_repeat_are_no_fault_of_the_reference_where_noise_was_added() -> None:
    rng = np.random.default_rng(0)
    real, generated = tallies(rng, 2, 300)
    assert "repeated" not in keys_of(real, generated + 0.3 * rng.normal(size=generated.shape))


def test_a_feature_that_is_otherwise_in_held_out_real_samples_too_is_usual() -> None:
    usual = usual_faults(*map(Samples, changed("factor")))
    assert "columns" in {each.key for each in usual}
    assert not usual_faults(*map(Samples, drawn()))


def test_a_feature_that_barely_differs_is_no_fault_of_its_own_but_too_few_samples() -> None:
    real, generated = drawn(200, 30)
    generated[:, 4] += 0.55 * generated[:, 4].std()
    found = differing(SamplePair(real, generated))
    assert (found.columns, found.certain) == ((4,), False)
    (fault,) = faults_of(real, generated)
    assert (fault.key, fault.level) == ("unclear", "note")
    assert fault.sentence.startswith("1 of 30 features differs: feature 5 ")
    assert "check" not in fault.sentence
    assert fault.sentence.endswith("200 samples of a set are too few to say whether more is wrong.")


def test_one_feature_stands_out_though_the_others_hang_together_and_differ_a_little() -> None:
    rng = np.random.default_rng(0)
    real, generated = (rng.normal(size=(200, 1)) + 0.2 * rng.normal(size=(200, 12)) for _ in "ab")
    generated += 0.25
    generated[:, 3] *= 100
    found = differing(SamplePair(real, generated))
    assert np.median(found.tests.p[found.others]) < ALIKE
    assert found.few
    assert found.columns == (3,)


def people(n: int, seed: int) -> np.ndarray:
    """A table of few answers and an age, which holds nearly all of the distance between two
    rows.
    """
    rng = np.random.default_rng(seed)
    answers = rng.integers(0, 4, (n, 4)) + rng.integers(0, 2, (n, 1))
    age = np.clip((18 + rng.gamma(3, 9, n)).round(), 18, 90)
    return np.column_stack([answers, age]).astype(float)


@pytest.mark.parametrize(
    ("change", "title"),
    [
        (lambda rows: np.add(rows, [0, 0, 0, 0, 10]), "Features that differ"),
        (lambda rows: rows * [1, 1, 1, 1, 1.5], "Features that differ"),
        (lambda rows: rows[rows[:, 4] < 55], "Dropped modes"),
        (lambda rows: rows[rows[:, 4] > 30], "Dropped modes"),
    ],
)
@pytest.mark.parametrize("seed", range(2))
def test_a_column_that_one_number_puts_right_is_no_missing_mode(change, title, seed) -> None:  # type: ignore[no-untyped-def]
    made = change(people(900, 10 + seed))[:400]
    assert faults_of(people(400, seed), made)[0].title == title
