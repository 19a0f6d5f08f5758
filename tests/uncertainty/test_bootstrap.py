"""Intervals: replicates equal the curves of repeated samples, and intervals hold known values at
their level.
"""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, strategies as st

import prviz
from prviz.cli.main import main
from prviz.curves import ErrorRates, PRCurve
from prviz.curves.summaries import SUMMARIES, numbers, table_columns
from prviz.estimators import ESTIMATORS, Estimator, Supports
from prviz.measure.estimates import Estimate, estimate, estimate_repeated
from prviz.samples import SamplePair, Samples
from prviz.toys import TOYS, toy
from prviz.uncertainty.bootstrap import (
    Interval,
    bootstrap,
    draws,
    evaluated,
    evaluated_together,
    interval,
    intervals_at_most,
    ranked,
    replicate,
    spread,
)


def gaussians(
    seed: int = 0, n_real: int = 80, n_generated: int = 60, shift: float = 0.5
) -> SamplePair:
    rng = np.random.default_rng(seed)
    return SamplePair(rng.normal(size=(n_real, 4)), rng.normal(size=(n_generated, 4)) + shift)


# Every family with and without split, where it can be measured.
MEASURED = pytest.mark.parametrize(
    ("method", "split"),
    [
        (name, split)
        for name, each in ESTIMATORS.items()
        for split in (0.5, None)
        if split or not each.needs_split
    ],
)


def repeated_runs(runs: Sequence[Supports], real: np.ndarray, generated: np.ndarray) -> PRCurve:
    """The mean over several runs on the same samples."""
    return PRCurve.mean([repeated(run, real, generated) for run in runs])


def repeated(supports: Supports, real: np.ndarray, generated: np.ndarray) -> PRCurve:
    """The curve of samples that literally occur as often as they were drawn: slow and obvious."""
    drawn = [*real.tolist(), *(supports.n_real + generated).tolist()]
    c_real = [float(supports.c_real[i]) for i in drawn]
    c_generated = [float(supports.c_generated[i]) for i in drawn]
    return ErrorRates.from_supports(c_real, c_generated, supports.n_real).curve()


@pytest.mark.one_in(3)
@MEASURED
def test_a_replicate_is_the_curve_of_samples_that_occur_as_often_as_drawn(method, split):
    found = estimate(gaussians(), method, k=3, split=split)[method]
    sizes = evaluated(found.runs)
    curves = bootstrap(found, 5, seed=3).curves
    for curve, (real, generated) in zip(curves, draws(sizes, 5, 3), strict=True):
        assert np.array_equal(curve.vertices, repeated_runs(found.runs, real, generated).vertices)


counts = st.integers(0, 3)


@given(st.lists(st.tuples(counts, counts), min_size=2, max_size=30), st.data())
def test_replicates_of_any_counts_with_ties_and_zeros(pairs, data):
    n_real = data.draw(st.integers(1, len(pairs) - 1))
    supports = Supports(*np.array(pairs).T, n_real)
    sides = (n_real, len(pairs) - n_real)
    real, generated = (
        np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))) for n in sides
    )
    curve = replicate([ranked(supports)], real, generated)
    assert np.array_equal(curve.vertices, repeated(supports, real, generated).vertices)


def test_several_runs_are_drawn_together_and_averaged_along_rays():
    split = gaussians().split(0.5, 0)
    runs = [ESTIMATORS["hub"].runs(split, k=k, seed=0, progress=print)[0] for k in (3, 3)]
    rng = np.random.default_rng(0)
    runs[1] = Supports(
        rng.integers(0, 5, len(runs[0].c_real)),
        runs[0].c_generated,
        runs[0].n_real,
        rows=runs[0].rows,
    )
    (drawn,) = draws(evaluated(runs), 1, 0)
    mean = repeated_runs(runs, *drawn)
    assert np.array_equal(replicate([ranked(run) for run in runs], *drawn).vertices, mean.vertices)


def held(n: int = 4, n_real: int = 2, **of: list[int]) -> Supports:
    """A run on samples of these rows and groups."""
    arrays = {name: np.array(each) for name, each in of.items()}
    return Supports(np.arange(n), np.ones(n), n_real, **arrays)


ROWS = {"rows": [0, 2, 5, 7]}
GROUPED = {"groups": [0, 0, 1, 2]}


@pytest.mark.parametrize("of", [{}, ROWS, GROUPED, ROWS | GROUPED])
def test_runs_on_equal_samples_are_drawn_together_whatever_arrays_hold_them(of):
    assert evaluated([held(**of), held(**of)]) == (2, 2)
    assert evaluated_together([[held(**of)], [held(**of), held(**of)]]) == (2, 2, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (held(), held(n_real=3)),
        (held(), held(5)),
        (held(), held(**ROWS)),
        (held(), held(**GROUPED)),
        (held(**ROWS), held(rows=[0, 2, 5, 8])),
        (held(**GROUPED), held(groups=[0, 1, 1, 2])),
        (held(**ROWS, **GROUPED), held(**ROWS)),
        (held(**ROWS, **GROUPED), held(**GROUPED)),
        (held(**ROWS, **GROUPED), held(**ROWS, groups=[0, 1, 1, 2])),
    ],
)
def test_runs_on_other_samples_cannot_be_drawn_together(one, other):
    for runs in ([one, other], [other, one]):
        with pytest.raises(ValueError, match="runs evaluate different samples"):
            evaluated(runs)


def test_runs_of_several_generators_are_of_the_same_real_samples():
    runs = [[held(3, rows=[0, 3, 50])], [held(rows=[0, 3, 51, 52])]]
    assert evaluated_together(runs) == (2, 1, 2)
    for other, n in ((held(3, rows=[0, 2, 50]), 2), (held(3, 1, rows=[0, 50, 51]), 1)):
        message = f"2 real samples for one generator, and {n} or other ones for another"
        with pytest.raises(ValueError, match=message):
            evaluated_together([runs[0], [other]])
    with pytest.raises(ValueError, match="nothing was measured"):
        evaluated_together([])
    with pytest.raises(ValueError, match=r"runs is empty; .* at least one run are needed"):
        evaluated([])


def test_what_is_drawn_for_a_set_depends_on_its_size_and_place_alone():
    pairs = list(draws((7, 5), 4, 9))
    threes = list(draws((7, 5, 6), 4, 9))
    for (real, generated), (again, first, other) in zip(pairs, threes, strict=True):
        assert np.array_equal(real, again)
        assert np.array_equal(generated, first)
        assert (real.max() < 7, generated.max() < 5, other.max() < 6) == (True, True, True)
    equal = next(iter(draws((50, 50), 1, 0)))
    assert not np.array_equal(*equal)
    counted = np.bincount(np.concatenate([real for real, _ in draws((7, 5), 3000, 0)]), minlength=7)
    assert counted / 3000 == pytest.approx(np.ones(7), abs=0.06)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", ESTIMATORS)
def test_every_summary_of_every_family_has_an_interval(method):
    truth = toy("mixtures").truth()
    found = estimate(gaussians(), method, k=3)[method]
    resampled = bootstrap(found, 40, truth=truth)
    assert list(resampled.intervals) == [column.key for column in table_columns(True)]
    assert resampled.values == numbers(found.curve, truth)
    found_each = [numbers(curve, truth) for curve in resampled.curves]
    for key, (low, high) in resampled.intervals.items():
        values = sorted(each[key] for each in found_each)
        assert 0 <= values[0] <= low <= high <= values[-1] <= 1
        # 40 values: the percentile 2.5 is at place 0.975 between the first and the second.
        assert low == pytest.approx(values[0] + 0.975 * (values[1] - values[0]), abs=1e-12)
        assert high == pytest.approx(values[-1] - 0.975 * (values[-1] - values[-2]), abs=1e-12)
    assert list(bootstrap(found, 2).intervals) == [each.key for each in SUMMARIES]


@pytest.mark.parametrize("name", TOYS)
def test_every_summary_of_every_truth_is_a_share(name):
    truth = toy(name).truth()
    values = numbers(truth, truth)
    assert list(values) == [column.key for column in table_columns(True)]
    assert all(0 <= value <= 1 for value in values.values())
    assert (values["iou"], values["excess"], values["deficit"]) == (1, 0, 0)


def test_the_seed_decides_the_draws():
    found = estimate(gaussians(), "knn")["knn"]
    one, again, other = (bootstrap(found, 20, seed=seed) for seed in (1, 1, 2))
    assert one.intervals == again.intervals
    assert one.intervals != other.intervals
    assert pickle.loads(pickle.dumps(one)).intervals == one.intervals


def test_a_higher_level_holds_more():
    found = estimate(gaussians(), "knn")["knn"]
    narrow, wide = (bootstrap(found, 100, level=level).intervals["auc"] for level in (0.5, 0.9))
    assert wide.low < narrow.low < narrow.high < wide.high
    assert interval(np.arange(101.0), 0.9) == pytest.approx((5, 95))


def test_the_band_holds_its_share_of_the_replicates_on_every_ray():
    resampled = bootstrap(estimate(gaussians(), "kde")["kde"], 200, level=0.8)
    band = resampled.band(41)
    assert (band.lam[0], band.lam[-1], band.meaning) == (0, np.inf, "80 % interval")
    inner = slice(1, -1)
    for alpha, beta in ((band.alpha_low, band.beta_low), (band.alpha_high, band.beta_high)):
        np.testing.assert_allclose(band.lam[inner] * beta[inner], alpha[inner], atol=1e-12)
    alphas = np.array([curve.alpha(band.lam) for curve in resampled.curves])
    held = np.mean((alphas >= band.alpha_low - 1e-12) & (alphas <= band.alpha_high + 1e-12), axis=0)
    assert np.all(held >= 0.8)
    assert np.median(held) == pytest.approx(0.8, abs=0.02)
    with pytest.raises(ValueError, match="points = 1"):
        resampled.band(1)


def test_repeats_have_intervals_too():
    runs = [each.curve for each in estimate_repeated(gaussians, "knn", repeats=6)["knn"]]
    found = spread(runs, level=0.9, truth=toy("mixtures").truth())
    assert np.array_equal(found.curve.vertices, PRCurve.mean(runs).vertices)
    areas = [curve.auc for curve in runs]
    assert found.intervals["auc"] == pytest.approx(tuple(np.quantile(areas, (0.05, 0.95))))
    assert "iou" in found.intervals
    with pytest.raises(ValueError, match="number of curves = 1; an integer from 2 is needed"):
        spread(runs[:1])


@pytest.mark.exhaustive
def test_intervals_of_a_family_without_fit_samples_hold_the_truth_as_often_as_they_say():
    # One classifier whose true rates are .2 and .3, so that 1 - TV is .5: there is nothing to be
    # biased.
    rng = np.random.default_rng(0)
    held = 0
    repeats = 200
    for seed in range(repeats):
        wrong = np.concatenate([rng.random(120) < 0.2, rng.random(150) >= 0.3])
        supports = Supports(np.where(wrong, 1, 2), np.where(wrong, 2, 1), 120)
        curves = bootstrap(Estimate("knn", 1, None, (supports,)), 80, seed=seed).curves
        low, high = interval(np.array([curve.alpha(1.0) for curve in curves]), 0.95)
        held += low <= 0.5 <= high
    assert 0.87 < held / repeats < 0.99


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 1}, "replicates = 1; an integer from 2"),
        ({"replicates": 2.5}, "replicates = 2.5"),
        ({"replicates": True}, "replicates = True"),
        ({"seed": -1}, "seed = -1"),
        ({"level": 1.0}, "level = 1.0; a share"),
        ({"level": float("nan")}, "level = nan"),
    ],
)
def test_what_cannot_be_resampled_is_said(options, message):
    pair = gaussians()
    found = estimate(pair, "knn")["knn"]
    with pytest.raises((TypeError, ValueError), match=message):
        bootstrap(found, **options)
    with pytest.raises((TypeError, ValueError), match=message):
        prviz.compare(pair.real, pair.generated, pair.generated, **options)


# ---- two generators ----


def test_the_same_real_samples_are_drawn_whatever_the_size_of_the_other_set():
    real = gaussians().real
    one, other = (
        SamplePair(real, gaussians(n_generated=n).generated).split(0.4, 5) for n in (60, 33)
    )
    assert np.array_equal(one.fit_rows[0], other.fit_rows[0])
    assert np.array_equal(one.evaluate_rows[0], other.evaluate_rows[0])


@pytest.mark.one_in(3)
@MEASURED
def test_a_comparison_is_two_bootstraps_that_share_their_real_samples(method, split):
    one = gaussians()
    other = gaussians(1, n_generated=44, shift=1.0)
    found = prviz.compare(*one, other.generated, method, k=3, split=split, seed=4, replicates=20)
    alone = [
        estimate(SamplePair(one.real, each.generated), method, k=3, split=split, seed=4)[method]
        for each in (one, other)
    ]
    assert found.a.intervals == bootstrap(alone[0], 20, seed=4).intervals
    sizes = (*evaluated(alone[0].runs), evaluated(alone[1].runs)[1])
    for a, b, (real, of_a, of_b) in zip(
        found.a.curves, found.b.curves, draws(sizes, 20, 4), strict=True
    ):
        assert np.array_equal(a.vertices, repeated_runs(alone[0].runs, real, of_a).vertices)
        assert np.array_equal(b.vertices, repeated_runs(alone[1].runs, real, of_b).vertices)
    for key, each in found.differences.items():
        values = [numbers(estimated.curve)[key] for estimated in alone]
        of_a, of_b = ([numbers(c)[key] for c in side.curves] for side in (found.a, found.b))
        apart = np.subtract(of_a, of_b)
        assert each[:3] == (*values, values[0] - values[1])
        assert (each.low, each.high) == pytest.approx(tuple(np.quantile(apart, (0.025, 0.975))))
        assert each.share_above == np.mean((np.sign(apart) + 1) / 2)
    assert found.difference("auc", 0.0, 0.0) == (0.0, 0.0, 0.0, 0.0, 0.0, 0.5)


@pytest.mark.exhaustive
def test_the_better_generator_is_found_and_the_same_one_is_not_told_apart():
    rng = np.random.default_rng(0)
    real, good, twin = rng.normal(size=(3, 600, 4))
    bad = rng.normal(size=(600, 4)) + 1.0
    better = prviz.compare(real, good, bad, replicates=100).differences["auc"]
    assert better.a > better.b
    assert better.low > 0
    assert better.share_above == 1
    worse = prviz.compare(real, bad, good, replicates=100).differences["auc"]
    assert (worse.a, worse.b, worse.difference) == (better.b, better.a, -better.difference)
    assert worse.high < 0
    assert worse.share_above == 0
    same = prviz.compare(real, good, twin, replicates=100).differences["auc"]
    assert same.low < 0 < same.high


def several(n=500):
    rng = np.random.default_rng(0)
    real, good, twin = rng.normal(size=(3, n, 4))
    return real, {
        "good": good,
        "bad": rng.normal(size=(n, 4)) + 1.0,
        "twin": twin,
        "worst": good + 3.0,
    }


@pytest.mark.exhaustive
def test_several_generators_are_ranked_and_those_not_told_apart_are_tied():
    real, sets = several()
    found = prviz.compare(real, sets, replicates=100)
    ranked = found.ranking()
    assert {line.name: line.rank for line in ranked} == {"good": 1, "twin": 1, "bad": 3, "worst": 4}
    assert [line.value for line in ranked] == sorted((line.value for line in ranked), reverse=True)
    assert all(line.low <= line.value <= line.high for line in ranked if line.name != "worst")
    two = prviz.compare(real, sets["good"], sets["bad"], replicates=100)
    assert found.pairs["good", "bad"].differences["auc"] == two.differences["auc"]
    assert list(found.pairs) == list(itertools.combinations(sets, 2))
    assert pickle.loads(pickle.dumps(found)).ranking() == ranked
    with pytest.raises(ValueError, match="key = 'area'; one of auc, "):
        found.ranking("area")


def test_few_replicates_rank_several_generators():
    real, sets = several(80)
    found = prviz.compare(real, sets, replicates=30)
    ranked = found.ranking()
    ranks = {line.name: line.rank for line in ranked}
    assert (ranks["good"], ranks["worst"]) == (1, 4)
    assert [line.rank for line in ranked] == sorted(ranks.values())
    assert ranked[-1].name == "worst"
    for line in ranked:
        spread = found.spreads[line.name]
        assert line.value == spread.values["auc"]
        assert (line.low, line.high) == tuple(spread.intervals["auc"])
    assert list(found.pairs) == list(itertools.combinations(sets, 2))
    two = prviz.compare(real, sets["good"], sets["bad"], replicates=30)
    assert found.pairs["good", "bad"].differences["auc"] == two.differences["auc"]
    best = sum(rank == 1 for rank in ranks.values())
    said = "Best: good." if best == 1 else f"May be best: {best} of 4."
    assert said in found._repr_html_()
    twins = prviz.compare(real, dict.fromkeys(("a", "b", "c"), sets["good"]), replicates=5)
    assert [line.rank for line in twins.ranking()] == [1, 1, 1]
    assert "May be best: 3 of 3." in twins._repr_html_()
    with pytest.raises(ValueError, match="key = 'area'; one of auc, "):
        found.ranking("area")


def test_several_sets_are_given_by_place_or_by_name():
    real, sets = several(60)
    values = list(sets.values())
    placed = prviz.compare(real, *values, "ipr", k=3, replicates=5)
    named = prviz.compare(real, sets, method="IPR", k=3, replicates=5)
    assert list(placed.spreads) == ["generated_a", "generated_b", "generated_c", "generated_d"]
    pairs = zip(placed.spreads.values(), named.spreads.values(), strict=True)
    assert all(one.values == other.values for one, other in pairs)
    same = Samples(values[0], "model"), Samples(values[1], "model")
    assert isinstance(prviz.compare(real, *same, replicates=3), prviz.GeneratorComparison)
    with pytest.raises(
        ValueError, match="two generated sets are called 'model'; give them by name"
    ):
        prviz.compare(real, *same, values[2])
    with pytest.raises(TypeError, match=r"list of 2 sets; .*compare\(real, first, second\), or"):
        prviz.compare(np.zeros((9, 2)), [np.zeros((9, 2)), np.ones((9, 2))])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="1 generated set; at least 2 are needed"):
        prviz.compare(real, values[0])
    with pytest.raises(TypeError, match="give all by name, or none"):
        prviz.compare(real, sets, values[0])


@pytest.mark.exhaustive
def test_what_both_have_in_common_cancels():
    rng = np.random.default_rng(1)
    real = rng.normal(size=(400, 3))
    good, other = rng.normal(size=(2, 400, 3)) + 0.7
    paired = prviz.compare(real, good, other, "kde", replicates=300)
    swapped = prviz.compare(real, other, good, "kde", replicates=2)
    apart = paired.a.replicates["beta_at_005"] - paired.b.replicates["beta_at_005"]
    shuffled = paired.a.replicates["beta_at_005"] - np.roll(paired.b.replicates["beta_at_005"], 1)
    assert apart.std() < shuffled.std()
    assert swapped.differences["auc"].difference == -paired.differences["auc"].difference
    assert pickle.loads(pickle.dumps(paired)).differences == paired.differences


def test_both_are_measured_at_the_k_of_the_smallest_set():
    one = gaussians(n_real=90, n_generated=80)
    small = gaussians(1, n_generated=30)
    found = prviz.compare(*one, small.generated, replicates=2)
    assert np.array_equal(found.a.curve.vertices, estimate(one, "knn", k=5)["knn"].curve.vertices)


def test_a_family_that_evaluates_other_real_samples_is_refused(monkeypatch):
    class Picky(Estimator):
        name = "picky"
        title = "Picky"
        idea = "Which samples?"
        source = "this test"
        tunes = "k"
        about = ESTIMATORS["knn"].about

        def runs(self, split, *, k, seed, progress):
            n_real = len(split.evaluate_rows[0]) - len(split.evaluate_rows[1]) % 7
            m = n_real + len(split.evaluate_rows[1])
            return (Supports(np.ones(m), np.ones(m), n_real, rows=np.arange(m)),)

    monkeypatch.setitem(ESTIMATORS, "picky", Picky())
    with pytest.raises(ValueError, match="a paired comparison needs the same"):
        prviz.compare(*gaussians(), gaussians(n_generated=62).generated, "picky", replicates=2)


# ---- from a shell ----


@pytest.fixture
def files(tmp_path):
    for name, samples in zip(("real", "generated"), gaussians(), strict=True):
        np.save(tmp_path / f"{name}.npy", samples.values)
    return tmp_path / "real.npy", tmp_path / "generated.npy"


def test_the_command_shows_intervals_below_each_method(files, tmp_path, capsys):
    line = ["curve", *map(str, files), "--method", "knn,kde", "--seed", "2", "--bootstrap", "30"]
    html = tmp_path / "figure.html"
    assert main([*line, "--html", str(html)]) == 0
    *rows, bound, witness = capsys.readouterr().out.splitlines()[3:]
    assert witness.startswith("what gives it away: ")
    assert bound.startswith("the true AuC is at most ")
    intervals = bootstrap(estimate(gaussians(), "knn", seed=2)["knn"], 30, seed=2).intervals
    ends = intervals.values()
    ends_of = ["  2.5 %", "  97.5 %"]
    assert [row[:8].rstrip() for row in rows] == ["knn", *ends_of, "kde", *ends_of]
    assert rows[1].split()[2:] == [f"{low:.4f}" for low, _ in ends]
    assert rows[2].split()[2:] == [f"{high:.4f}" for _, high in ends]
    assert "shaded: 95 % intervals" in html.read_text(encoding="utf-8")
    assert main([*line, "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["methods"]["knn"]["intervals"]
    assert (written["level"], written["replicates"]) == (0.95, 30)
    assert written["summaries"]["auc"] == intervals["auc"]._asdict()


def test_without_the_option_there_are_no_intervals(files, capsys):
    assert main(["curve", *map(str, files), "--method", "knn", "--json"]) == 0
    assert "intervals" not in json.loads(capsys.readouterr().out)["methods"]["knn"]
    with pytest.raises(SystemExit):
        main(["curve", *map(str, files), "--bootstrap", "1"])
    assert "'1' is not an integer from 2" in capsys.readouterr().err


def test_the_interval_of_one_summary_is_that_of_all():
    rng = np.random.default_rng(0)
    pair = prviz.SamplePair(rng.normal(size=(60, 2)), rng.normal(size=(50, 2)) + 0.4)
    found = bootstrap(prviz.estimate(pair, ["knn"])["knn"], 20)
    assert {key: found.interval_of(key) for key in found.intervals} == found.intervals


def test_no_end_of_the_area_exceeds_that_of_a_bound():
    wide = {"auc": Interval(0.2, 0.8), "tv": Interval(0.1, 0.9)}
    assert intervals_at_most(wide, None) == wide
    assert intervals_at_most(wide, 0.5) == wide | {"auc": Interval(0.2, 0.5)}
    assert intervals_at_most(wide, 0.1) == wide | {"auc": Interval(0.1, 0.1)}
    assert intervals_at_most({"tv": wide["tv"]}, 0.1) == {"tv": wide["tv"]}
