"""The sanity battery: its rules, its truths, its samplers, its scores, and what the truth itself
gets.
"""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from scipy import stats

from prviz.curves import PRCurve
from prviz.curves.ground_truth import sampled_truth
from prviz.measure.scalars import scalars
from prviz.samples import SamplePair
from prviz.studies.battery import (
    CHECKS,
    COLUMNS,
    PASSED,
    READINGS,
    REPORTED,
    SCORES,
    VERDICTS,
    BatteryProblem,
    battery_seconds,
    battery_tasks,
    family_readings,
    judge,
    oracle_rows,
    passed,
    rules,
)
from prviz.studies.battery.checks import CENTRES
from prviz.studies.battery.judge import PAIRS, PASSES
from prviz.studies.battery.readings import c_pair_k, coverage_k, curve_numbers, measure_scores
from prviz.studies.battery.tasks import scaled
from prviz.studies.sweeps import Known
from prviz.studies.tasks import run_tasks

Floats = NDArray[np.float64]
LogDensity = Callable[[Floats], Floats]

# ---- rules ----

X5 = np.arange(5.0)


@pytest.mark.parametrize(
    ("rule", "y", "verdict", "margin"),
    [
        (rules.one(0), [0.95, 0, 0, 0, 0], "T", 0.0),
        (rules.one(0), [1.05, 0, 0, 0, 0], "T", 0.0),
        (rules.one(-1), [1, 1, 1, 1, 1.06], "F", -0.01),
        (rules.zero(-1), [1, 1, 1, 1, 0.05], "T", 0.0),
        (rules.zero(-1), [1, 1, 1, 1, -0.07], "F", -0.02),
        (rules.near(0.2, -1), [0, 0, 0, 0, 0.23], "T", 0.02),
        (rules.near(0.2, -1), [0, 0, 0, 0, 0.1], "F", -0.05),
        (rules.wide(2), [0, 0, 0.97, 0, 0], "H", 0.02),
        (rules.wide(2), [0, 0, 0.02, 0, 0], "L", 0.03),
        (rules.wide(2), [0, 0, 0.5, 0, 0], "F", -0.45),
        (rules.bell(2), [0, 0.5, 1, 0.5, 0], "T", 0.1),
        # One bad side is forgiven in the condition on the minimum, not in the fall of .2.
        (rules.bell(2), [0.5, 0.1, 1, 0.5, 0.05], "T", 0.1),
        (rules.bell(2), [0.5, 0.0, 1, 0.5, 0.5], "F", -0.4),
        (rules.bell(2), [0, 0.5, 1, 0.5, 0.9], "F", -0.1),
        (rules.bell(2), [0, 1.2, 1, 0.5, 0.0], "F", -0.1),
        (rules.down(), [1, 0.5, 1.05, 0.5, 0], "T", 0.05),
        (rules.down(), [1, 0.5, 1.2, 0.5, 0], "F", -0.1),
        (rules.down(), [0, 0.5, 1, 1, 1], "F", -1.2),
        (rules.up(), [0, 0.5, 1, 1, 1], "T", 0.1),
        (rules.down_mid(0.5), [1, 1, 0.7, 0.5, 0], "T", 0.1),
        (rules.down_mid(0.5), [1, 1, 0.95, 0.5, 0], "F", -0.05),
        (rules.flat(), [0.5, 0.52, 0.48, 0.5, 0.5], "T", 0.01),
        (rules.flat(), [0.5, 0.52, 0.4, 0.5, 0.5], "F", -0.07),
        (rules.settle(), [0, 0.2, 0.5, 0.52, 0.5], "T", 0.03),
        (rules.settle(), [0, 0.2, 0.4, 0.5, 0.5], "F", -0.05),
        (rules.low_high(rules.down(), rules.flat()), [1, 1, 0.5, 0, 0], "L", 0.1),
        (rules.low_high(rules.down(), rules.flat()), [1, 1, 1, 1, 1], "H", 0.05),
        (rules.low_high(rules.down(), rules.flat()), [1, 1, 1, 1, 0.9], "F", -0.05),
    ],
)
def test_rules_on_sweeps_made_by_hand(
    rule: rules.Rule, y: list[float], verdict: str, margin: float
) -> None:
    found = rule.judge(X5, np.array(y, dtype=float))
    assert found.verdict == verdict
    assert found.margin == pytest.approx(margin, abs=1e-12)
    signed = found.margin if found.condition.sense == ">=" else -found.margin
    assert found.condition.threshold + signed == pytest.approx(found.value)


def test_quantiles_fall_on_the_points_that_the_checks_mean() -> None:
    assert rules.quantile_place(np.arange(10.0), 0.5) == 4
    shares = np.linspace(0, 1, 50)
    assert shares[rules.quantile_place(shares, 0.95)] == pytest.approx(0.9592, abs=1e-4)


# ---- the checks ----


def problem(
    name: str, place: int, dim: int | None = None, scenario: str | None = None
) -> BatteryProblem:
    check = CHECKS[name]
    return check.problem(
        check.dims[0] if dim is None else dim, scenario or check.scenarios[0], place
    )


def test_checks_have_the_sweeps_and_the_size_of_the_paper() -> None:
    assert len(CHECKS) == 15
    assert sum(len(list(check.problems())) for check in CHECKS.values()) == 1304
    middles = {
        "gaussian-mean-difference": 0.0,
        "gaussian-std-difference": 1.0,
        "uniform-hypersphere-surface": 1.0,
    }
    for name, identity in middles.items():
        for dim in CHECKS[name].dims:
            assert CHECKS[name].points(dim)[25] == pytest.approx(identity, abs=1e-12)
    assert CHECKS["uniform-hypercube-varying-size"].points(1)[10] == 1128
    assert len(CHECKS["gaussian-high-dim-one-disjoint-dim"].points(1)) == 18
    cells = {(name, each.tag) for name, check in CHECKS.items() for each in check.criteria}
    assert cells == {(check, tag) for check, tag, _ in VERDICTS}
    assert len(cells) == 30


def test_published_table_adds_up_to_the_published_totals() -> None:
    for side, totals in PASSED.items():
        columns = [verdicts for (_, _, of), verdicts in VERDICTS.items() if of == side]
        cells = np.isin([list(each) for each in columns], list(PASSES))
        assert tuple(cells.sum(axis=0)) == totals
        assert len(totals) == len(PAIRS)


@pytest.mark.parametrize("name", CHECKS)
def test_real_samples_stay_along_a_sweep_or_are_drawn_anew(name: str) -> None:
    check = CHECKS[name]
    first, second = (problem(name, place, scenario=check.scenarios[-1]) for place in (0, 2))
    assert isinstance(first, Known)
    a = first.sample(100, 3)
    b = second.sample(100, 3)
    again = pickle.loads(pickle.dumps(first)).sample(100, 3)
    assert a.digest == again.digest
    assert (a.real.digest == b.real.digest) == (not check.fresh_real)
    assert a.generated.digest != b.generated.digest
    assert first.sample(100, 4).real.digest != a.real.digest


def test_fresh_real_samples_are_drawn_where_the_paper_draws_them() -> None:
    assert {name for name, check in CHECKS.items() if check.fresh_real} == {
        "uniform-hypercube-varying-size",
        "one-vs-two-modes",
        "gaussian-scaling-one-dimension",
        "gaussian-high-dim-one-disjoint-dim",
        "discrete-numerical-vs-continuous-numerical",
    }


def test_sizes_and_shapes_of_the_samples() -> None:
    real, generated = problem("gaussian-mean-difference-with-outlier", 0, 8).sample(1000)
    assert (real.n, generated.n) == (1001, 1000)
    assert np.all(real.values[-1] == 3.0)
    real, generated = problem(
        "gaussian-mean-difference-with-outlier", 50, 64, "syn_outlier"
    ).sample(1000)
    assert (real.n, generated.n) == (1000, 1001)
    assert np.all(generated.values[-1] == 1.0)
    assert problem("uniform-hypercube-varying-size", 19).sizes(1000) == (10_000, 10_000)
    assert problem("uniform-hypercube-varying-syn-size", 0).sizes(300) == (300, 30)
    ball, torus = problem("sphere-torus", 19).sample(500)
    assert (ball.n, torus.n) == (500, 5000)
    out = np.hypot(np.hypot(*torus.values[:, :2].T) - 1.0, torus.values[:, 2])
    assert out.max() <= 0.1
    assert np.linalg.norm(ball.values, axis=1).max() <= 0.8
    # Uniform in the disc and in the ball: the median radius halves area and volume.
    assert np.median(out) == pytest.approx(0.1 / np.sqrt(2), abs=0.003)
    assert np.median(np.linalg.norm(ball.values, axis=1)) == pytest.approx(
        0.8 / np.cbrt(2), abs=0.03
    )
    assert problem("gaussian-high-dim-one-disjoint-dim", 17).sample(20).d == 1001
    real, _ = problem("discrete-numerical-vs-continuous-numerical", 5).sample(50)
    assert np.array_equal(real.values, np.rint(real.values))
    gaps = np.linalg.norm(CENTRES[:, None] - CENTRES, axis=-1)[np.triu_indices(10, 1)]
    assert gaps.min() >= 20 * 0.25


def test_a_pair_that_a_check_has_not_is_refused() -> None:
    for given, message in (
        ((4, "real_sphere", 0), "dim = 4; sphere-torus has 3"),
        ((3, "", 0), "scenario = ''; sphere-torus has 'real_sphere', 'real_torus'"),
        ((3, "real_sphere", 20), "place = 20; sphere-torus has 0 to 19"),
    ):
        with pytest.raises(ValueError, match=message):
            CHECKS["sphere-torus"].problem(*given)


# ---- truths ----


def gaussian(mean: float | Floats, sd: float, d: int) -> LogDensity:
    return lambda z: stats.norm.logpdf(z, mean, sd).reshape(len(z), d).sum(axis=1)


def mixture(parts: list[LogDensity], weights: Floats) -> LogDensity:
    return lambda z: np.logaddexp.reduce(
        [part(z) + np.log(w) for part, w in zip(parts, weights, strict=True)]
    )


def ten_modes(weights: Floats) -> LogDensity:
    return mixture([gaussian(centre, 1 / 3, 8) for centre in np.linspace(0, 10, 10)], weights)


def one_against_two(d: int) -> tuple[BatteryProblem, LogDensity, LogDensity]:
    apart = 5 / 19 * 5
    two = [gaussian(mean, 1, d) for mean in (-apart / 2, apart / 2)]
    one = gaussian(0, np.sqrt(1 + apart**2), d)
    return problem("one-vs-two-modes", 5, d), mixture(two, np.full(2, 0.5)), one


def first_feature(mean: float) -> LogDensity:
    """All other features are the same in both sets, or do not count."""
    return lambda z: stats.norm.logpdf(z[:, 0], mean)


def cube(low: float) -> LogDensity:
    return lambda z: np.where(np.all((z >= low) & (z <= low + 1), axis=1), 0.0, -np.inf)


FADED = np.r_[1.0, np.full(9, 1 - 30 / 49)]
DENSITIES: dict[str, tuple[BatteryProblem, LogDensity, LogDensity]] = {
    "shift": (problem("gaussian-mean-difference", 35, 8), gaussian(0, 1, 8), gaussian(1.2, 1, 8)),
    "heavy tail": (
        problem("gaussian-mean-difference-with-pareto", 20),
        first_feature(0),
        first_feature(-1.2),
    ),
    "spread": (
        problem("gaussian-std-difference", 29, 8),
        gaussian(0, 1, 8),
        gaussian(0, 10 ** (4 / 25), 8),
    ),
    "fading": (
        problem("gaussian-mixture-simultaneous-mode-dropping", 30, 8),
        ten_modes(np.full(10, 0.1)),
        ten_modes(FADED / FADED.sum()),
    ),
    "one against two, line": one_against_two(1),
    "one against two": one_against_two(8),
    "cubes": (
        problem("uniform-hypercube-varying-syn-size", 9, 8),
        cube(0.0),
        cube(1 - 0.2 ** (1 / 8)),
    ),
    "scaled feature": (
        problem("gaussian-scaling-one-dimension", 3),
        first_feature(0),
        first_feature(6),
    ),
    "useless features": (
        problem("gaussian-high-dim-one-disjoint-dim", 4),
        first_feature(0),
        first_feature(6),
    ),
}


@pytest.mark.parametrize("name", DENSITIES)
def test_truth_is_that_of_the_sampler_by_monte_carlo(name: str) -> None:
    pair, p, q = DENSITIES[name]

    def log_ratios(n: int, seed: int) -> tuple[Floats, Floats]:
        with np.errstate(invalid="ignore"):
            real, generated = (q(each.values) - p(each.values) for each in pair.sample(n, seed))
        return real, generated

    found = sampled_truth(log_ratios, n=20_000).curve
    for lam in (0.1, 0.5, 1.0, 2.0, 10.0):
        assert found.alpha(lam) == pytest.approx(
            pair.truth().alpha(lam), abs=0.01 * max(lam, 1.0) ** 0.5
        )


def test_truths_in_closed_form() -> None:
    lams = np.array([0.01, 0.3, 1.0, 7.0, 300.0])
    e = 1 / 1001
    clean = problem("gaussian-mean-difference", 40, 8).truth()
    real = problem("gaussian-mean-difference-with-outlier", 40, 8).truth()
    generated = problem("gaussian-mean-difference-with-outlier", 40, 8, "syn_outlier").truth()
    np.testing.assert_allclose(real.alpha(lams), clean.alpha(lams * (1 - e)), atol=1e-6)
    np.testing.assert_allclose(
        generated.alpha(lams), (1 - e) * clean.alpha(lams / (1 - e)), atol=1e-6
    )
    assert (real.extreme_precision, real.extreme_recall) == pytest.approx((1, 1 - e))
    assert (generated.extreme_precision, generated.extreme_recall) == pytest.approx((1 - e, 1))
    s = CHECKS["gaussian-std-difference"].points(8)[0]
    d = 8
    narrow = problem("gaussian-std-difference", 0, 8).truth()
    t = 2 * (np.log(lams) + d * np.log(s)) / (1 - s**-2)
    expected = 1 - stats.chi2.cdf(t / s**2, d) + lams * stats.chi2.cdf(t, d)
    np.testing.assert_allclose(narrow.alpha(lams), expected, atol=1e-5)
    assert narrow.alpha(1000.0) == pytest.approx(0.010, abs=5e-4)
    expected = {1: [1, 0.851, 0.744, 0.543], 8: [1, 0.332, 0.046, 0.002], 64: [1, 0.001, 0, 0]}
    for dim, alphas in expected.items():
        found = [
            problem("one-vs-two-modes", place, dim).truth().alpha(1.0) for place in (0, 5, 10, 19)
        ]
        assert found == pytest.approx(alphas, abs=5e-4)


def test_truths_by_modes() -> None:
    lams = np.array([0.05, 0.5, 1.0, 2.0, 20.0])
    for m in (0, 3, 9):
        pair = problem("gaussian-mixture-sequential-mode-dropping", m, 64)
        left = (10 - m) / 10
        np.testing.assert_allclose(pair.truth().alpha(lams), np.minimum(1, lams * left), atol=1e-3)
        assert pair.ends() == pytest.approx((1.0, left))
    for m in (1, 5, 8):
        pair = problem("gaussian-mixture-mode-dropping-invention", m - 1)
        np.testing.assert_allclose(
            pair.truth().alpha(lams), min(m, 5) * np.minimum(lams / 5, 1 / m), atol=1e-12
        )
        assert pair.ends() == pytest.approx((min(1, 5 / m), min(1, m / 5)))
        assert pair.truth().extreme_precision == pair.truth().extreme_recall == 1
    found = problem("gaussian-mixture-simultaneous-mode-dropping", 47, 1).truth().alpha(1.0)
    assert found == pytest.approx(0.369, abs=1e-3)
    shells = [problem("uniform-hypersphere-surface", place, 16).truth() for place in (24, 25, 26)]
    assert [curve.auc for curve in shells] == [0, 1, 0]


# ---- what the truth gets ----

# Cells passed of 30 by the true curve, by lam: fidelity is alpha(lam), diversity beta(1 / lam).
FAMILY = "kde"
ORACLE = {
    f"{FAMILY}@1": (21, 28),
    f"{FAMILY}@3": (21, 28),
    f"{FAMILY}@10": (27, 28),
    f"{FAMILY}@100": (27, 27),
    f"{FAMILY}@1000": (26, 26),
    f"{FAMILY}@ends": (17, 17),
    "density/coverage": (19, 19),
}


@pytest.mark.thorough
def test_the_truth_passes_as_many_cells_as_it_should() -> None:
    judged = judge(oracle_rows(None, ORACLE))
    totals = passed(judged).set_index(["reading", "side"])
    for reading, expected in ORACLE.items():
        assert tuple(totals.loc[reading].loc[["fidelity", "diversity"], "passed"]) == expected
    assert set(totals["cells"]) == {30}
    assert (judged["verdict"] == judged["oracle"]).all()
    assert (judged["value"] == judged["oracle_value"]).all()
    verdicts = judged.set_index(["check", "tag", "reading", "side"])["verdict"]
    at = [f"{FAMILY}@{each}" for each in ("1", "3", "10", "100", "1000")]
    for check, tag, side, expected in (
        ("gaussian-std-difference", "purpose", "fidelity", "FFFFF"),
        ("gaussian-std-difference", "bounds", "fidelity", "FFFFF"),
        ("gaussian-mixture-simultaneous-mode-dropping", "purpose", "diversity", "TFFFF"),
        ("gaussian-mixture-sequential-mode-dropping", "purpose", "diversity", "TTTTT"),
        ("one-vs-two-modes", "purpose", "diversity", "LFFFF"),
        ("discrete-numerical-vs-continuous-numerical", "bounds", "fidelity", "FFFFF"),
    ):
        assert "".join(verdicts[check, tag, reading, side] for reading in at) == expected
    assert verdicts["one-vs-two-modes", "purpose", f"{FAMILY}@ends", "diversity"] == "H"


# ---- scores ----


def by_double_loop(pair: SamplePair) -> dict[str, tuple[float, float]]:
    """Every score from the full table of distances, by the formulas alone."""
    x, y = (each.values for each in pair)

    def distances(a: Floats, b: Floats) -> Floats:
        return np.array([[np.sqrt(np.sum((u - v) ** 2)) for v in b] for u in a])

    def nearest(own: Floats, k: int) -> Floats:
        return np.array([np.sort(np.delete(row, i))[k - 1] for i, row in enumerate(own)])

    xx = distances(x, x)
    yy = distances(y, y)
    xy = distances(x, y)
    found = {
        "i-prec/i-rec": (
            np.mean(np.any(xy <= nearest(xx, 3)[:, None], 0)),
            np.mean(np.any(xy <= nearest(yy, 3), 1)),
        )
    }
    k = coverage_k(len(x))
    inside = xy <= nearest(xx, k)[:, None]
    found["density/coverage"] = inside.sum() / (k * len(y)), np.mean(np.any(inside, 1))
    k = c_pair_k(len(x))
    real_balls = (xy <= nearest(xx, 3 * k)[:, None]).sum(1)
    found["c-prec/c-rec"] = (
        np.mean(real_balls >= k),
        np.mean((xy <= nearest(yy, 3 * k)).sum(0) >= k),
    )
    in_real = xy < nearest(xx, 5)[:, None]
    in_generated = xy < nearest(yy, 5)
    found["symprec/symrec"] = (
        min(np.mean(np.any(in_real, 0)), np.mean(np.any(in_generated, 0))),
        min(np.mean(np.any(in_generated, 1)), np.mean(np.any(in_real, 1))),
    )
    radii = [1.2 * np.mean(nearest(own, 4)) for own in (xx, yy)]
    with np.errstate(invalid="ignore", divide="ignore"):
        missed = [np.nan_to_num(np.minimum(1.0, xy / radius), nan=0.0) for radius in radii]
    found["p-prec/p-rec"] = 1 - np.mean(np.prod(missed[0], 0)), 1 - np.mean(np.prod(missed[1], 1))
    return found


@pytest.mark.parametrize(
    ("name", "place", "scenario"),
    [
        ("gaussian-mean-difference", 20, None),
        ("uniform-hypercube-varying-syn-size", 3, None),
        ("discrete-numerical-vs-continuous-numerical", 0, "real_discrete"),
        ("discrete-numerical-vs-continuous-numerical", 0, "real_continuous"),
        ("sphere-torus", 6, "real_torus"),
    ],
)
def test_scores_equal_the_double_loop(name: str, place: int, scenario: str | None) -> None:
    drawn = problem(name, place, scenario=scenario).sample(90, 1)
    # Whole numbers keep their ties as they are; the rest is scaled as in the battery.
    pair = drawn if name.startswith("discrete") else scaled(drawn)
    found = measure_scores(pair, SCORES)
    expected = by_double_loop(pair)
    for score in SCORES:
        assert found[score] == pytest.approx(expected[score], abs=1e-12), score


def test_reported_numbers_are_the_scalars_brought_to_one() -> None:
    pair = scaled(problem("gaussian-mean-difference", 30, 8).sample(90, 1))
    found = measure_scores(pair, REPORTED)
    expected = scalars(*pair, k=5)
    assert found["clipped"] == (expected["clipped_density"], expected["clipped_coverage"])
    assert found["fd"] == pytest.approx(
        [2 * stats.norm.cdf(-math.sqrt(expected["frechet_distance"]) / 2)] * 2
    )
    kernels = ((each.values @ each.values.T / 8 + 1) ** 3 for each in pair)
    own = sum(float(kernel[~np.eye(90, dtype=bool)].mean()) for kernel in kernels)
    assert found["kid"] == pytest.approx([1 - expected["kid"] / own] * 2)
    for name in ("vendi", "rke"):
        assert math.isnan(found[name][0])
        assert found[name][1] == expected[f"{name}_generated"] / expected[f"{name}_real"]


def test_a_number_without_fidelity_has_no_such_cells() -> None:
    judged = judge(oracle_rows(["gaussian-mixture-sequential-mode-dropping"], ["vendi", "fd"]))
    assert set(judged.groupby("reading")["side"].agg(tuple).loc["vendi"]) == {"diversity"}
    assert set(judged.loc[judged["reading"] == "fd", "side"]) == {"fidelity", "diversity"}


def test_scores_have_the_published_neighbours() -> None:
    assert coverage_k(1000) == 5
    assert [c_pair_k(n) for n in (100, 1000, 10_000)] == [4, 5, 6]


def test_scaling_is_that_of_the_real_set() -> None:
    real, generated = scaled(SamplePair([[0.0, 7.0], [2.0, 7.0]], [[3.0, 8.0], [4.0, 7.0]]))
    assert real.values.tolist() == [[-1, 0], [1, 0]]
    assert generated.values.tolist() == [[2, 1], [3, 0]]


# ---- tasks and verdicts ----

SMALL = ["gaussian-mixture-sequential-mode-dropping", "gaussian-scaling-one-dimension"]


def test_a_small_battery_runs_resumes_and_is_judged() -> None:
    readings = ["i-prec/i-rec", "density/coverage", "knn@10", "ipr@ends"]
    tasks = battery_tasks(SMALL, readings, n=100, repeats=2, seed=1)
    assert 0 < battery_seconds(tasks) < 5
    seen: list[float] = []
    with ThreadPoolExecutor(1) as pool:
        rows = run_tasks(tasks, COLUMNS, pool, progress=seen.append)
        known = {row["key"]: row for row in rows[rows["place"] != 3].to_dict("records")}
        again = run_tasks(tasks[::-1], COLUMNS, pool, known=known)
    assert len(rows) == (3 * 10 + 20) * 2 * 4
    assert rows["key"].is_unique
    numbers = [name for name in COLUMNS if name != "seconds"]
    one, other = (each.sort_values("key", ignore_index=True)[numbers] for each in (rows, again))
    assert one.equals(other)
    judged = judge(rows)
    assert len(judged) == 2 * 2 * 2 * (2 + 8 + 8)
    assert set(judged["reading"]) == {*readings[:2], *family_readings(["knn", "ipr"])}
    assert judged[["value", "margin", "spread", "oracle", "says"]].notna().all(axis=None)
    assert (judged["margin"].lt(0) == judged["verdict"].eq("F")).all()
    assert judged["published"].notna().sum() == 2 * 2 * 2 * 2
    one = judge(rows, ["knn@10"])
    assert set(one["reading"]) == {"knn@10"}
    # The value told is that of the means over repeats.
    line = judged.query(
        "check == @SMALL[1] and tag == 'invariance' and reading == 'knn@10' and side == 'fidelity'"
    )
    measured = rows.query("check == @SMALL[1] and method == 'knn'")
    means = measured.groupby("place")["10_fidelity"].mean()
    assert line["value"].item() == pytest.approx(means.max() - means.min())


@pytest.mark.parametrize(
    ("check", "repeats"),
    [
        ("gaussian-mixture-mode-dropping-invention", 2),
        ("discrete-numerical-vs-continuous-numerical", 1),
    ],
)
def test_scores_get_the_published_verdicts(check: str, repeats: int) -> None:
    with ThreadPoolExecutor(1) as pool:
        rows = run_tasks(battery_tasks([check], SCORES, "paper", repeats), COLUMNS, pool)
    judged = judge(rows)
    assert len(judged) == 2 * 2 * 5
    clear = judged[judged["margin"].abs() >= 0.02]
    assert len(clear) >= 14
    assert list(clear["verdict"]) == list(clear["published"])


def test_cells_wait_for_whole_sweeps() -> None:
    first = oracle_rows(["gaussian-mixture-sequential-mode-dropping"], "i-prec/i-rec")
    rows = pd.concat([first, first.assign(repeat=1)], ignore_index=True)
    assert judge(rows[rows["dim"] != 64]).empty
    assert judge(first[first["place"] != 4]).empty
    assert len(judge(first)) == 4
    assert judge(first)["spread"].isna().all()
    # One repeat more at some points counts where it is there.
    partial = judge(rows[(rows["repeat"] == 0) | (rows["place"] < 3)])
    assert set(partial["repeats"]) == {1}


def test_low_here_and_high_there_is_a_failure() -> None:
    rows = oracle_rows(["one-vs-two-modes"], f"{FAMILY}@1")
    rows.loc[rows["dim"] == 8, "1_diversity"] = 1.0
    line = judge(rows, [f"{FAMILY}@1"]).query("tag == 'purpose' and side == 'diversity'")
    assert line[["verdict", "oracle", "says"]].to_numpy().tolist() == [
        ["F", "L", "estimator wrong"]
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"checks": ["sphere"]}, "checks has 'sphere'"),
        ({"readings": ["knn@7"]}, "readings has 'knn@7'"),
        (
            {"checks": ["sphere-torus"], "readings": ["knn@1"], "n": 100, "k": 15},
            "k = 15; an integer from 1 to 4 or",
        ),
        ({"readings": ["classifier@1"], "split": None}, "split = None; classifier"),
        ({"n": 50}, "n = 50"),
    ],
)
def test_what_can_not_be_measured_is_refused_at_once(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        battery_tasks(**{"checks": SMALL, **given})


def test_rows_of_two_sizes_are_not_judged_together() -> None:
    two = [
        oracle_rows([SMALL[0]], f"{FAMILY}@1"),
        oracle_rows([SMALL[1]], f"{FAMILY}@1").assign(n=300),
    ]
    with pytest.raises(ValueError, match="rows have n = 1000, 300"):
        judge(pd.concat(two))


def test_every_family_has_its_readings() -> None:
    assert all(READINGS[name].name == name for name in READINGS)
    assert "knn@f8" in READINGS
    assert "knn@2" not in READINGS
    found = READINGS["knn@10"]
    assert found.pair == ("α(10)", "β(1/10)")
    numbers = curve_numbers(PRCurve.from_error_rates([0.1], [0.2]))
    assert [numbers[column] for column in found.columns] == [1.0, 1.0]
