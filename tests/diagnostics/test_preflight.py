"""Preflight: each finding on a pair built to have it, and none on a clean pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from prviz.checks import facts
from prviz.checks.finding import Finding
from prviz.diagnostics.preflight import Preflight, centred_rows, preflight
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples

TITLES = (
    "Sizes",
    "Dimension",
    "Duplicates inside the real set",
    "Duplicates inside the generated set",
    "Rows in both sets",
    "Constant features",
    "Norms",
    "Spread",
    "Feature scales",
    "Effective dimension",
    "Neighbours",
    "Evaluation samples",
)


def cloud(n: int = 400, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def pair(real: np.ndarray, generated: np.ndarray, names: tuple[str, str] = ("", "")) -> SamplePair:
    return SamplePair(Samples(real, names[0]), Samples(generated, names[1]))


def get(result: Preflight, title: str) -> Finding:
    return next(finding for finding in result.findings if finding.title == title)


def finding_of(title: str, *sets: np.ndarray, **options: Any) -> Finding:
    return get(preflight(pair(*sets), **options), title)


def troubled(result: Preflight) -> set[str]:
    return {finding.title for finding in result.troubles}


@pytest.fixture
def clean() -> tuple[np.ndarray, np.ndarray]:
    return cloud(seed=1), cloud(seed=2)


def test_a_clean_pair_has_every_fact_and_no_trouble(clean: tuple[np.ndarray, np.ndarray]) -> None:
    result = preflight(pair(*clean))
    assert tuple(finding.title for finding in result.findings) == TITLES
    assert result.level == "ok"
    assert result.troubles == ()
    assert result.duplicates == (0, 0, 1, 1, 0, 0)
    assert get(result, "Sizes").value_text == "400 real, 400 generated"
    assert get(result, "Dimension").value_text == "8 features, float64"
    named = SamplePair(*(Samples(values, features=[*"abcdefg", "seed"]) for values in clean))
    said = get(preflight(named), "Dimension").value_text
    assert said == "8 features (a, b, c, d, e, f, g, seed), float64"
    assert get(result, "Neighbours").value_text == "k = 20 of 200 fit samples in the smaller set"


@pytest.mark.parametrize("split", [0.5, None])
@pytest.mark.parametrize(
    "name", ["mixture-em-1", "truncation-0.0", "rbm-epoch-300", "digits-held-out"]
)
def test_every_effect_is_one_plain_sentence(name: str, split: float | None) -> None:
    for finding in preflight(bundled_pair(name), split=split).findings:
        assert finding.effect[0].isupper()
        assert finding.effect.endswith(".")
        assert ". " not in finding.effect
        assert finding.value_text


@pytest.mark.parametrize(
    ("n", "level"), [(400, "ok"), (398, "ok"), (350, "note"), (200, "note"), (199, "warning")]
)
def test_unequal_sizes(n: int, level: str) -> None:
    for sets in [(cloud(), cloud(n, seed=1)), (cloud(n, seed=1), cloud())]:
        result = preflight(pair(*sets))
        assert get(result, "Sizes").level == level
        assert troubled(result) <= {"Sizes"}


def test_mixed_precision(clean: tuple[np.ndarray, np.ndarray]) -> None:
    result = preflight(pair(clean[0].astype(np.float32), clean[1]))
    assert troubled(result) == {"Dimension"}
    assert get(result, "Dimension").value_text == "8 features, real float32, generated float64"


@pytest.mark.parametrize("role", ["real", "generated"])
def test_duplicates_inside_a_set(clean: tuple[np.ndarray, np.ndarray], role: str) -> None:
    sets = dict(zip(("real", "generated"), clean, strict=True))
    sets[role][10:13] = sets[role][3]
    result = preflight(pair(**sets))
    title = f"Duplicates inside the {role} set"
    assert troubled(result) == {title}
    repeats = f"3 of 400 {role} rows repeat an earlier one; the commonest row occurs 4 times"
    assert get(result, title).value_text == repeats
    assert get(result, title).level == "note"
    # 4 copies: the 3rd neighbour is at 0
    assert finding_of(title, *sets.values(), k=3).level == "warning"
    sets[role][20:30] = sets[role][31:41]
    assert finding_of(title, *sets.values()).level == "warning"
    assert "split" in get(result, title).effect
    assert "split" not in finding_of(title, *sets.values(), split=None).effect


def test_rows_in_both_sets(clean: tuple[np.ndarray, np.ndarray]) -> None:
    real, generated = clean
    generated[:2] = real[5:7]
    result = preflight(pair(real, generated))
    assert troubled(result) == {"Rows in both sets"}
    some = get(result, "Rows in both sets")
    assert some.level == "note"
    assert some.value_text == "2 of 400 generated rows are exact copies of real ones"
    same = finding_of("Rows in both sets", real, real[::-1])
    assert same.level == "warning"
    assert "same 400 rows" in same.value_text


def test_constant_features() -> None:
    real = cloud(d=40, seed=1)
    generated = cloud(d=40, seed=2)
    real[:, 3] = generated[:, 3] = 0.1
    both = finding_of("Constant features", real, generated)
    assert (both.value_text, both.level) == ("1 in both sets, 0 in one set only, of 40", "note")
    generated[:, 7] = 0
    one = finding_of("Constant features", real, generated)
    assert one.value_text.startswith("1 in both sets, 1 in one set only, of 40;")
    assert one.level == "note"
    assert one.effect != both.effect
    share = real[:, 7].var() / real.var(axis=0).sum()
    assert one.value_text.endswith(f"hold {100 * share:.1f} % of the other set's variance")
    real[:, 8:11] = 5
    many = finding_of("Constant features", real, generated)
    assert many.value_text.startswith("1 in both sets, 4 in one set only, of 40;")
    assert many.level == "warning"


@pytest.mark.parametrize(
    ("factor", "level"), [(1.0, "ok"), (1.4, "note"), (1 / 1.4, "note"), (9.0, "warning")]
)
def test_norm_mismatch(clean: tuple[np.ndarray, np.ndarray], factor: float, level: str) -> None:
    real, generated = clean
    offset = np.full(8, 100.0)
    result = preflight(pair(real + offset, generated + factor * offset))
    assert troubled(result) == ({"Norms"} if level != "ok" else set())
    assert get(result, "Norms").level == level


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_normalisation_of_one_set_only(clean: tuple[np.ndarray, np.ndarray], dtype: type) -> None:
    unit = [
        (values / np.linalg.norm(values, axis=1, keepdims=True)).astype(dtype) for values in clean
    ]
    both = finding_of("Norms", *unit)
    assert "l2" in both.value_text
    assert both.level == "ok"
    for role, sets in (("real", (unit[0], clean[1])), ("generated", (clean[0], unit[1]))):
        one = finding_of("Norms", *sets)
        assert one.level == "warning"
        assert f"Only the {role} set" in one.effect


@pytest.mark.parametrize(
    ("factor", "level"), [(1.0, "ok"), (0.6, "note"), (1.6, "note"), (0.1, "warning")]
)
def test_spread_mismatch(clean: tuple[np.ndarray, np.ndarray], factor: float, level: str) -> None:
    real, generated = clean
    result = preflight(pair(real + 50, factor * generated + 50))
    spread = get(result, "Spread")
    assert spread.level == level
    assert troubled(result) == ({"Spread"} if level != "ok" else set())
    assert ("recall" in spread.effect) == (factor < 1)
    assert ("precision" in spread.effect) == (factor > 1)


def test_feature_scales(clean: tuple[np.ndarray, np.ndarray]) -> None:
    scales = np.array([1, 1, 1, 1, 1, 1, 1, 500.0])
    result = preflight(pair(clean[0] * scales, clean[1] * scales))
    assert troubled(result) == {"Feature scales"}
    found = get(result, "Feature scales")
    assert found.level == "warning"
    said = "feature 8 holds over 99.9 % of the distance between two real samples"
    assert found.value_text == said
    some = finding_of("Feature scales", *(values * scales**0.4 for values in clean))
    assert some.level == "note"
    assert some.value_text == "about 1.1 of 8 features hold the variance of real samples"
    assert finding_of("Feature scales", *clean).level == "ok"


def test_effective_dimension_findings() -> None:
    narrow = cloud(seed=3) * np.array([3, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    flat = finding_of("Effective dimension", cloud(), narrow)
    assert flat.level == "note"
    assert flat.effect.startswith("The generated set")
    high = finding_of("Effective dimension", cloud(d=60), cloud(d=60, seed=1))
    assert high.level == "note"
    assert "distances" in high.effect


def test_an_effective_dimension_from_a_draw_says_so() -> None:
    found = finding_of("Effective dimension", cloud(6000, 4), cloud(6000, 4, 1))
    assert "5,000 seeded rows" in found.value_text


def test_nearly_constant_pixels_of_the_bundled_digits_are_no_trouble() -> None:
    result = preflight(bundled_pair("mixture-converged"))
    assert result.level == "note"
    assert troubled(result) == {"Constant features", "Spread"}
    assert get(result, "Spread").effect == "Most features spread alike, but feature 8 does not."


def test_a_collapsed_set() -> None:
    result = preflight(pair(cloud(), np.zeros((400, 8))))
    assert result.duplicates == (0, 399, 1, 400, 0, 0)
    assert {"Spread", "Effective dimension", "Constant features", "Norms"} <= troubled(result)
    assert result.effective_generated.value == 0
    assert result.troubles[0].level == "warning"


def test_huge_and_tiny_values_overflow_nothing() -> None:
    for scale in (1e300, 1e-300):
        result = preflight(pair(cloud() * scale, cloud(seed=1) * scale))
        assert troubled(result) == ({"Tiny values"} if scale < 1 else set())


@pytest.mark.parametrize(
    ("k", "level"), [(1, "note"), (3, "ok"), (51, "note"), (200, "warning"), ("sqrt", "ok")]
)
def test_k_against_the_fit_samples(
    clean: tuple[np.ndarray, np.ndarray], k: int, level: str
) -> None:
    assert finding_of("Neighbours", *clean, k=k).level == level


def test_few_evaluation_samples() -> None:
    for n, split, level in ((80, 0.5, "note"), (80, None, "ok"), (1, 0.5, "warning")):
        found = finding_of("Evaluation samples", cloud(n), cloud(n, seed=1), split=split)
        assert found.level == level


@pytest.mark.parametrize(
    "names",
    [
        ("fake.npy", "real.npy"),
        ("epoch_10.npz", "embeddings.npz"),
        ("a.npy", "cifar10-train.npy"),
        ("StyleGanSamples.npy", "ref.npy"),
    ],
)
def test_swapped_names_are_noticed(
    clean: tuple[np.ndarray, np.ndarray], names: tuple[str, str]
) -> None:
    result = preflight(pair(*clean, names))
    assert troubled(result) == {"These look swapped"}
    assert result.level == (
        "warning" if names[0] in {"fake.npy", "StyleGanSamples.npy"} else "note"
    )
    assert troubled(preflight(pair(*clean, names[::-1]))) == set()


@pytest.mark.parametrize(
    "names",
    [
        ("genes.npy", "surreal.npy"),
        ("train.npy", "test.npy"),
        ("fake_1.npy", "fake_2.npy"),
        ("real_samples.npy", "b.npy"),
        ("", ""),
    ],
)
def test_other_names_are_not(clean: tuple[np.ndarray, np.ndarray], names: tuple[str, str]) -> None:
    assert troubled(preflight(pair(*clean, names))) == set()


def test_hostile_names_stay_plain_text(clean: tuple[np.ndarray, np.ndarray]) -> None:
    names = ("fake<b>\n\u202e\x00=1+1", "real" + "x" * 500)
    value = get(preflight(pair(*clean, names)), "These look swapped")
    assert value.value_text.startswith("real: fake<b>\ufffd\ufffd\ufffd=1+1; generated: real")
    assert len(value.value_text) < 150


def test_illegal_arguments(clean: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(ValueError, match="k = 0; an integer from 1"):
        preflight(pair(*clean), k=0)
    with pytest.raises(ValueError, match=r"split = 1.0; a share between 0 and 1"):
        preflight(pair(*clean), split=1.0)


def test_rows_of_an_effective_dimension_are_the_same_in_blocks_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(500, 6)) * np.geomspace(1e-3, 1e5, 6) + 7
    values[:, 2] = 0.1
    samples = Samples(values)
    whole = centred_rows(samples)
    unit = np.abs(values).max()
    twin = values / unit - (values / unit).mean(axis=0)
    twin[:, 2] = 0
    np.testing.assert_array_equal(whole[0], (twin / np.abs(twin).max()).astype(np.float32))
    monkeypatch.setattr(facts, "BLOCK", 6 * 7)
    blocks = centred_rows(samples)
    np.testing.assert_array_equal(whole[0], blocks[0])
    assert whole[1] == blocks[1] == np.abs(twin).max() * unit


def test_columns_that_were_left_out_are_said_once_for_both_sets() -> None:
    left_out = "left out: 'seed' (a count of the rows)"
    sides = [
        Samples(cloud(seed=each), f"{each}.csv", notes=("cut to 400 of 500", left_out))
        for each in (0, 1)
    ]
    found = preflight(SamplePair(*sides))
    assert get(found, "As read").value_text == f"0.csv and 1.csv: {left_out}"
