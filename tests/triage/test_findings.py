"""Findings: every fault that was put in is found and named, and nothing is found where nothing is
wrong.
"""

from __future__ import annotations

import re
import tracemalloc
from collections import Counter
from dataclasses import fields
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.curves.ground_truth import finite_masses, scaled_gaussians, shifted_gaussians
from prviz.diagnostics.influence import influence
from prviz.measure.estimates import estimate
from prviz.readers import read
from prviz.readers.paths import data_folder
from prviz.samples import SamplePair, Samples
from prviz.toys import toy
from prviz.triage import findings as findings_module
from prviz.triage.curve_findings import (
    KINK,
    KINK_INSIDE,
    KINK_MOVE,
    mode_reweighting,
)
from prviz.triage.finding import EVIDENCE
from prviz.triage.findings import (
    EXCLUDES,
    LOOKED_FOR,
    NAMED,
    NUMBERS,
    RULES_KEY,
    Found,
    findings,
    sample_faults,
    usual_faults,
)
from prviz.triage.memorisation import held_out_distances, memorisation
from prviz.triage.pair_statistics import PairStatistics
from prviz.triage.shape_faults import (
    BEYOND,
    LIKELY,
    SHORTER,
    SURE,
    SURE_MASS,
    VOID_SHARE,
    _coarse,
    other_shares,
)
from tests.benchmarks.faults import FAULTS, planted
from tests.marks import exhaustive_but
from tests.triage_files import faults_of, keys_of

CLEAR = {
    "dropped": 0.3,
    "class missing": 0.2,
    "re-weighted": 0.6,
    "too narrow": 0.3,
    "too wide": 0.2,
    "blurred": 0.6,
    "invented": 0.2,
    "off the manifold": 0.25,
    "noise": 0.35,
    "repeats": 0.3,
    "copies": 0.3,
    "near copies": 0.4,
    "collapse": 0.3,
    "wrong scale": 0.2,
    "shifted": 0.15,
    "permuted": 0.3,
    "under-trained": 0.5,
}
MODES = "6 modes, d = 16"


def mixture(p, q, *, n=800, d=16, seed=0):
    means = (0.0, -5.0, 3.0, 6.0)[: len(p)]
    return toy("mixtures", d=d, means=means, real_weights=p, generated_weights=q).sample(n, seed)


def gaussian(*, n=800, d=16, seed=0):
    return toy("shifted-gaussians", d=d, mu=0).sample(n, seed)


def found_in(pair, method="knn", **options):
    found = findings(pair, estimate(pair, method)[method], replicates=60, **options)
    for fault in found:
        assert fault.evidence in EVIDENCE
        assert fault.key in NUMBERS
        assert fault.low is None or fault.low <= fault.high
        assert re.search(r"\d", fault.sentence)
    return {fault.key: fault for fault in found}


@pytest.mark.parametrize("method", exhaustive_but(("knn", "coverage"), "knn"))
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in (1, 2))]
)
def test_nothing_is_found_in_faultless_pairs(method, seed):
    pairs = (
        mixture((0.3, 0.3, 0.4), (0.3, 0.3, 0.4), seed=seed),
        gaussian(seed=seed),
        gaussian(d=64, seed=seed),
    )
    # that a feature just differs is said by a test that errs in up to 1.5 % of such pairs
    assert [set(found_in(pair, method)) - {"unclear"} for pair in pairs] == [set()] * 3


def test_families_that_count_in_balls_of_their_own_find_nothing_either():
    assert found_in(gaussian(d=4), "ipr") == {}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("fault", CLEAR)
def test_every_fault_is_named_at_a_clear_strength_and_never_its_opposite(fault, seed):
    pair = planted(MODES, fault, CLEAR[fault], 800, seed)
    keys = keys_of(*pair)
    assert keys[0] in FAULTS[fault].named
    assert not set(keys) & set(FAULTS[fault].opposite)


@pytest.mark.parametrize("rule", [each for each in NAMED if each.plant], ids=lambda each: each.key)
def test_a_rule_names_what_it_plants(rule):
    plain = planted(MODES, None, 0.0, 400, 0)
    values = rule.plant(plain.generated.values, plain.real.values, np.random.default_rng(0))
    assert keys_of(plain.real, values)[:1] == [rule.key]


@pytest.mark.parametrize(
    "seeds", [range(2), pytest.param(range(2, 6), marks=pytest.mark.exhaustive)]
)
def test_real_against_real_is_quiet_at_every_size(seeds):
    pairs = [planted(MODES, None, 0.0, n, seed) for n in (150, 400) for seed in seeds]
    assert [keys_of(*pair) for pair in pairs] == [[]] * len(pairs)


@pytest.mark.exhaustive
def test_what_only_trees_see_is_said_and_they_are_asked_where_nothing_else_is_found():
    def keys(pair, witness):
        found = findings(pair, estimate(pair, "knn")["knn"], replicates=60, witness=witness)
        return [each.key for each in found if each.key != "few"]

    pair = gaussian(n=300, d=4)
    for chance, expected in ((1e-6, ["unclear"]), (0.005, []), (None, [])):
        seen = {"differing": [], "named": [], "p_apart": chance}
        assert keys(pair, lambda seen=seen: seen) == expected
    shifted = SamplePair(pair.real, pair.generated.values + 3)
    assert keys(shifted, lambda: pytest.fail("asked"))[0] == "shifted"


@pytest.mark.parametrize(("groups", "said"), [(None, 60), (np.arange(120) // 10, 6)])
def test_few_samples_are_those_that_are_independent(groups: np.ndarray | None, said: int) -> None:
    values = np.random.default_rng(0).normal(size=(2, 120, 2))
    pair = SamplePair(*(Samples(each, groups=groups) for each in values))
    found = estimate(pair, "ipr", k=3)["ipr"]
    shown = findings_module.findings(pair, found, replicates=20, of_samples=lambda _: ())
    (few,) = (each for each in shown if each.key == "few")
    assert few.sentence.startswith(f"With {said} samples to evaluate in the smaller set")
    # no area beside that of the ranking, which a bound may have lowered
    assert f"lie within {few.number:.2f} of each other" in few.sentence


# The last of 20 samples lies much nearer to its cluster, which nothing else explains.
LIGHT = {"tail": -0.2, "tail_z": -5.0}


def statistics_with(**changed: float) -> Any:
    """Statistics of a pair, 0 but for these."""
    of = dict.fromkeys((each.name for each in fields(PairStatistics)), 0.0)
    return SimpleNamespace(**of | {"left": 1.0, "often": 1.0, "seldom": 1.0} | changed)


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({}, ""),
        ({"mass_z": SURE_MASS}, "reweighting"),
        ({"worst": -SURE}, "reweighting"),
        ({"unreached_z": 4.1}, "dropping"),
        ({"unreached_z": SURE}, ""),
        ({"mass_z": 9.0, "left": 0.5}, "reweighting"),
        ({"mass_z": 9.0, "left": 0.49}, ""),
        ({"mass_z": 9.0, "empty": 0.1}, "reweighting"),
        ({"mass_z": 9.0, "empty": 0.11}, "dropping"),
        ({"mass_z": 9.0, "void": VOID_SHARE}, "reweighting"),
        ({"mass_z": 9.0, "void": 0.016}, "dropping"),
        ({"mass_z": 9.0, "unreached_z": BEYOND}, "reweighting"),
        ({"mass_z": 9.0, "unreached_z": 2.1}, "dropping"),
        (LIGHT, "tails"),
        (LIGHT | {"empty": 0.1}, "tails"),
        (LIGHT | {"empty": 0.11}, ""),
        (LIGHT | {"tail_z": -SURE}, ""),
        (LIGHT | {"tail_z": -SURE, "unreached_z": 4.1}, "tails"),
        (LIGHT | {"tail_z": -LIKELY, "unreached_z": 4.1}, "dropping"),
        (LIGHT | {"tail": -SHORTER}, ""),
        (LIGHT | {"mass_z": SURE_MASS}, "reweighting"),
    ],
)
def test_modes_in_other_shares_at_the_edge(changed: dict[str, float], key: str) -> None:
    found = other_shares(statistics_with(**changed))
    assert (found[1].key if found else "") == key


@pytest.mark.parametrize(
    ("often", "seldom", "said"),
    [
        (1.0, 0.5, "Parts are made 2.0 times too seldom."),
        (1.0, 0.0, "Parts are made hardly ever."),
        (3.0, 0.5, "Parts are made 3.0 times too often, others 2.0 times too seldom."),
    ],
)
def test_other_shares_say_which_way(often: float, seldom: float, said: str) -> None:
    found = other_shares(statistics_with(mass_z=9.0, moved=0.25, often=often, seldom=seldom))
    assert found is not None
    assert (found[0], found[1].sentence.endswith(said)) == (0.25, True)


@pytest.mark.parametrize("n", exhaustive_but((400, 800), 400))
def test_tails_that_are_too_light_are_no_missing_class(n):
    rng = np.random.default_rng(0)
    means = 3 * np.random.default_rng(1).normal(size=(4, 12))
    modes = rng.integers(4, size=(2, n))
    noise = rng.normal(size=(2, n, 12))
    heavy = np.sqrt(2.5 / rng.chisquare(2.5, size=(n, 1)))
    real = means[modes[0]] + heavy * noise[0]
    (found,) = faults_of(real, means[modes[1]] + 1.15 * noise[1])
    assert found.key == "tails"
    assert found.number < 0.9
    assert "tails" not in keys_of(real, real[modes[0] > 0])


@pytest.mark.parametrize(
    ("fault", "strength", "below"), [("too narrow", 0.1, True), ("too wide", 0.05, False)]
)
def test_a_direction_is_said_only_where_its_interval_excludes_the_other(fault, strength, below):
    pairs = [planted(MODES, fault, strength, 500, seed) for seed in range(2)]
    named = [each for pair in pairs for each in faults_of(*pair)]
    assert {each.key for each in named} == {"narrow" if below else "wide"}
    for each in named:
        assert each.low < each.number < each.high
        assert each.high < 1 if below else each.low > 1


def test_every_finding_has_one_rule_and_the_list_one_line_for_it():
    assert len(NUMBERS) == len(NAMED)
    assert all(rule.key in RULES_KEY for rule in NAMED)
    assert len(LOOKED_FOR) == sum(bool(rule.listed) for rule in NAMED)
    assert all(bool(rule.listed) == bool(rule.seen) for rule in NAMED)


def test_no_list_names_a_fault_and_its_reverse():
    for fault, others in EXCLUDES.items():
        assert fault not in others
        assert others <= set(NUMBERS)


def test_equal_norms_are_never_called_normalisation():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(2, 300, 8))
    real, generated = directions / np.linalg.norm(directions, axis=2, keepdims=True)
    wobbling = generated * rng.uniform(0.8, 1.25, size=(300, 1))
    assert not any("normalised" in each.sentence for each in faults_of(real, wobbling))


@pytest.mark.exhaustive
def test_no_fault_depends_on_the_seed_of_the_bootstrap_or_on_the_order_of_the_rows():
    pair = planted(MODES, "class missing", 0.1, 500, 0)
    measured = estimate(pair, "knn")["knn"]
    named = [
        [
            (each.key, each.number)
            for each in findings(pair, measured, seed=seed, replicates=20)
            if each.key != "few"
        ]
        for seed in range(4)
    ]
    assert named == [named[0]] * 4
    assert named[0][0][0] == "dropping"


@pytest.mark.parametrize("method", exhaustive_but(("knn", "coverage"), "knn"))
def test_dropped_and_invented_modes_are_found_with_their_share(method):
    dropped = found_in(mixture((0.3, 0.3, 0.4), (0.5, 0.5, 0.0)), method)
    assert set(dropped) - {"few"} == {"dropping"}
    assert dropped["dropping"].number == pytest.approx(0.4, abs=0.06)
    assert dropped["dropping"].level == "warning"
    invented = found_in(mixture((0.5, 0.5, 0.0), (0.4, 0.4, 0.2)), method)
    assert set(invented) - {"few"} == {"invention"}
    assert invented["invention"].number == pytest.approx(0.2, abs=0.05)
    assert "no real samples near by" in invented["invention"].sentence


@pytest.mark.parametrize("method", ["knn", "ipr"])
def test_the_progress_is_told_by_quarters(method):
    pair = gaussian(n=120, d=4)
    shares = []
    findings(pair, estimate(pair, method)[method], replicates=20, progress=shares.append)
    assert shares == sorted(shares)
    assert {0.25, 0.5} <= set(shares)
    assert shares[-1] == 1.0


def test_reweighted_modes_are_named_and_shown_at_the_kink_of_the_curve():
    found = found_in(mixture((0.5, 0.5), (0.85, 0.15)))
    assert set(found) - {"few"} == {"reweighting"}
    assert found["reweighting"].number == pytest.approx(0.35, abs=0.1)
    assert found["reweighting"].evidence == "kink"
    assert re.search(r"3\.\d times too seldom", found["reweighting"].sentence)
    for mu in (0.1, 0.2, 0.3):
        assert "reweighting" not in found_in(toy("shifted-gaussians", d=16, mu=mu).sample(800, 1))


def test_a_generator_of_narrow_modes_is_never_said_to_invent():
    real, generated = planted(MODES, "too narrow", 0.5, 800, 1)
    found = {each.key: each.number for each in faults_of(real, generated)}
    assert not {"invention", "wide", "off", "noise"} & set(found)
    assert found["narrow"] < 0.8


def test_a_few_rows_with_noise_are_a_collapse_and_no_normalisation():
    rng = np.random.default_rng(0)
    modes = 2 * rng.normal(size=(8, 24))[rng.integers(8, size=1200)]
    directions = rng.normal(size=(1200, 24)) + modes
    unit = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    few = unit[600:750][rng.integers(150, size=600)] + 1e-3 * rng.normal(size=(600, 24))
    found = keys_of(unit[:600], few)
    assert "collapse" in found
    assert "scale" not in found


def slow_kink(curve: PRCurve) -> float:
    """All pairs of vertices."""
    vertices = curve.vertices
    best = 1.0
    ends = [np.inf, *curve.breakpoints, 0.0]
    for i, (f, n) in enumerate(vertices):
        for j in range(i, len(vertices)):
            middle = (vertices[i] + vertices[j]) / 2
            near = vertices[j, 0] <= f + KINK_MOVE and n <= vertices[j, 1] + KINK_MOVE
            inside = min(middle) >= KINK_INSIDE and middle[0] <= curve.extreme_recall - KINK_INSIDE
            if near and inside and middle[1] <= curve.extreme_precision - KINK_INSIDE:
                best = max(best, ends[i] / ends[j + 1])
    return best


def test_the_widest_kink_is_that_of_the_double_loop_and_of_known_truths():
    rng = np.random.default_rng(0)
    for size in (1, 3, 10, 40):
        for _ in range(20):
            f = rng.random(size)
            curve = PRCurve.from_error_rates(f, (1 - np.sqrt(f)) ** 2 * rng.uniform(0.8, 1, size))
            assert mode_reweighting(curve).ratio == pytest.approx(slow_kink(curve))
    found = mode_reweighting(finite_masses((0.5, 0.5), (0.8, 0.2)))
    # q / p is 1.6 and 0.4.
    assert (found.ratio, found.lam) == pytest.approx((4, 0.8))
    assert (found.fpr, found.fnr) == pytest.approx((0.5, 0.2))
    smooth = [
        *(finite_masses((1 - share, share), (1.0, 0.0)) for share in (0.2, 0.6)),
        finite_masses((1.0, 0.0), (0.7, 0.3)),
        *(shifted_gaussians(mu) for mu in (1.0, 2.0, 3.0)),
        *(scaled_gaussians(scale, 1) for scale in (1.5, 3.0)),
    ]
    assert all(mode_reweighting(curve).ratio < KINK for curve in smooth)


def test_repeats_are_collapse_unless_the_real_data_repeat_too():
    pair = gaussian(n=600)
    real, repeated = (np.repeat(each.values[:200], 3, axis=0) for each in pair)
    found = found_in(SamplePair(pair.real, repeated))
    assert found["collapse"].number == pytest.approx(2 / 3)
    assert "67 %" in found["collapse"].sentence
    assert "collapse" not in keys_of(real, repeated)


@pytest.mark.exhaustive
def test_a_single_point_is_a_collapse_and_a_mode_dropped_far_away_no_other_scale():
    pair = gaussian(n=400)
    one_point = found_in(SamplePair(pair.real, np.ones((400, 16))))
    assert "collapse" in one_point
    assert not {"invention", "wide", "noise"} & set(one_point)
    far = mixture((0.5, 0.5), (0.0, 1.0), n=400)
    assert set(found_in(far)) - {"few"} == {"dropping"}


def with_outliers(outliers: int) -> SamplePair:
    """A fifth of the generated samples lie where only balls around real outliers reach."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(400, 6))
    generated = rng.normal(size=(400, 6))
    generated[:80] += 20.0 * np.eye(6)[0]
    real[:outliers] = 40.0 * np.eye(6)[0]
    real[:outliers] += rng.normal(size=(outliers, 6))
    return SamplePair(real, generated)


@pytest.mark.exhaustive
def test_outliers_that_carry_the_extreme_are_found_where_they_are():
    pair = with_outliers(4)
    found = found_in(pair, "ipr")["outliers"]
    assert "precision" in found.title
    assert "outliers" not in found_in(with_outliers(0), "ipr")
    # A mode far away fills the variance of the generated set by itself, which is no collapse.
    assert set(found_in(with_outliers(0), "knn")) - {"few"} == {"invention"}
    carried = influence(pair, "ipr", role="real")
    members = carried.ball_members
    lost = [
        not set(members.samples[members.points == point]) - set(carried.top(5)) and count <= 5
        for point, count in enumerate(members.counts)
    ]
    assert found.number == pytest.approx(carried.share - 1 + np.mean(lost))
    swapped = found_in(SamplePair(pair.generated, pair.real), "ipr")
    assert "recall" in swapped["outliers"].title


@pytest.mark.exhaustive
def test_models_of_the_zoo_are_called_by_what_was_done_to_them():
    real = read(data_folder() / "digits.npz")
    found = {}
    for name in ("classes-2", "latent-0.5", "gan-collapsed-e350", "vae-b0.03-e120"):
        keys = keys_of(real, read(data_folder() / "zoo" / f"{name}.npz"))
        # single features, such as a pixel that is never inked, are named before what made them
        found[name] = [key for key in keys if key != "columns"]
    assert found["classes-2"][0] == "dropping"  # two of ten classes
    assert found["latent-0.5"][0] == "narrow"  # a VAE's latent at half its spread
    assert "collapse" in found["gan-collapsed-e350"]
    # less contrast, and much else: no factor mends it
    assert "scale" not in found["vae-b0.03-e120"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("different", "key", "said"),
    [(1, "single", "one row 200 times"), (5, "repeated", "5 different real samples")],
)
def test_one_photo_that_is_the_whole_reference_is_called_that_and_gives_no_ratio(
    seed: int, different: int, key: str, said: str
) -> None:
    rng = np.random.default_rng(seed)
    real = rng.normal(size=(different, 32))[np.arange(200) % different]
    first, *others = faults_of(real, real + 0.3 * rng.normal(size=real.shape))
    assert first.key == key
    assert said in first.sentence
    not_beside = {"single", "repeated", "wide", "narrow", "coarse", "noise"}
    assert not {each.key for each in others} & not_beside


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 6))]
)
@pytest.mark.parametrize(
    ("different", "times"),
    [(50, 20), pytest.param(100, 10, marks=pytest.mark.exhaustive), (10, 100)],
)
def test_few_samples_again_and_again_are_repeats_first_and_no_copies(
    seed: int, different: int, times: int
) -> None:
    rng = np.random.default_rng(seed)
    repeated = Samples(np.repeat(rng.normal(size=(different, 16)), times, 0))
    real = Samples(rng.normal(size=(1000, 16)))
    assert keys_of(real, repeated) == ["collapse"]
    assert not memorisation(real, repeated, held_out_distances(real)).memorised


def test_rows_that_repeat_in_both_sets_alike_are_no_fault() -> None:
    """A table of three features of four values has 64 different rows."""
    assert keys_of(*np.random.default_rng(0).integers(0, 4, (2, 800, 3)).astype(float)) == []


def test_what_held_out_real_samples_show_alike_is_no_finding() -> None:
    rng = np.random.default_rng(0)

    def videos() -> Samples:
        return Samples(
            np.repeat(rng.normal(size=(40, 16)), 15, 0) + 0.15 * rng.normal(size=(600, 16))
        )

    real = videos()
    generated = videos()
    holdout = videos()
    held_out = held_out_distances(real, holdout)

    def found(generated: Samples, usual: Found) -> list[str]:
        pair = SamplePair(real, generated)
        shown = partial(sample_faults, pair, copies=memorisation(*pair, held_out))
        estimated = estimate(pair, "knn")["knn"]
        return [each.key for each in findings(pair, estimated, usual=usual, of_samples=shown)]

    usual = usual_faults(real, holdout)
    alone = found(generated, ())
    beside = found(generated, usual)
    assert "coarse" in alone
    assert "coarse" not in beside
    assert beside[0] == alone[0] == "dependent"
    shuffled = Samples(rng.permuted(generated.values, axis=0))  # worse than held-out ones
    assert len(found(shuffled, usual)) > 1


@pytest.mark.parametrize(
    ("changed", "coarse"),
    [
        ({}, False),  # minor directions gain four times as much as main ones: noise
        ({"top": 0.17}, False),
        ({"top": 0.2}, True),
        ({"low": 0.39}, True),
        ({"all_low": 0.07}, True),
        ({"all_top": -0.07}, True),
        ({"low": 0.39, "whole_added": 0.006}, False),  # the whole set gains some, too
        ({"whole_added": 0.03}, False),
        (
            {"added": 0.2, "whole_added": 0.09},
            True,
        ),  # less than half of what was added within the modes
        ({"added": 0.2, "whole_added": 0.11}, False),
    ],
)
def test_samples_between_the_modes_are_told_from_noise_at_the_edge(
    changed: dict[str, float], coarse: bool
) -> None:
    plain = {"added": 0.01, "within": 1.0, "whole": 1.0, "whole_chance": 0.01, "whole_added": 0.0}
    plain |= {"low": 0.54, "top": 0.13, "all_low": 0.1, "all_top": -0.01}
    assert _coarse(SimpleNamespace(**plain | changed)) == coarse  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(6))
def test_sets_are_on_one_grid_if_nearly_all_values_are_in_both(seed, monkeypatch):
    """By `numpy.isin` of all values at once, which takes many times their memory."""
    monkeypatch.setattr(findings_module, "_GRID_BLOCK", 50)
    rng = np.random.default_rng(seed)
    said = Counter()
    for _ in range(60):
        values, others = rng.integers(-2, rng.integers(1, 9), (2, 30, 4)).astype(np.float32)
        values[rng.random(values.shape) < rng.choice([0.0, 0.04, 0.1])] += 0.5
        shared = np.isin(values, others)
        filled = values != 0
        expected = shared.mean() >= 0.95 and (not filled.any() or shared[filled].mean() >= 0.9)
        assert findings_module._on_grid(values, others) == expected
        said[bool(expected)] += 1
    assert min(said[True], said[False]) > 5
    assert findings_module._on_grid(np.zeros((3, 2)), np.zeros((4, 2)))
    assert not findings_module._on_grid(np.full((3, 2), 9.0), np.zeros((4, 2)))


def test_values_of_a_wide_table_are_looked_up_in_little_memory():
    values = np.random.default_rng(0).integers(0, 40, (200, 20_000)).astype(np.float32)
    tracemalloc.start()
    try:
        assert findings_module._on_grid(values, values[::-1])
        assert tracemalloc.get_traced_memory()[1] < values.nbytes
    finally:
        tracemalloc.stop()
