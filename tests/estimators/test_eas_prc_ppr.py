"""eas, prc and ppr: supports by their definitions, and the published numbers at their ends."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from prviz.estimators import ppr
from prviz.estimators.prc import COVER
from prviz.measure.estimates import Estimate, estimate, measure, passes, pr_curve
from prviz.measure.profiles import profile
from prviz.measure.scalars import scalars
from prviz.neighbors import Distances
from prviz.samples import SamplePair
from tests import slow_twins
from tests.estimators.pairs import PAIRS, SPLITS, gaussians, lists, supports, swapped, ties
from tests.hard_pairs import KINDS, SOME_KINDS, make_pair
from tests.marks import exhaustive_but
from tests.neighbors.test_native import both_ways

METHODS = ("eas", "prc", "ppr")
THREE_SPLITS = pytest.mark.parametrize("split", [0.5, 0.3, None])


def slow_eas(drawn, k):
    n_real = drawn.evaluate.real.n
    ipr, coverage = (slow_twins.supports(drawn, method, k, None) for method in ("ipr", "coverage"))
    return (
        min(ipr[0], coverage[0], key=lambda c: np.count_nonzero(c[n_real:])),
        min(ipr[1], coverage[1], key=lambda c: np.count_nonzero(c[:n_real])),
    )


def slow_prc(drawn, k, least=None, c=3):
    fit = fitted(drawn)
    counts = {"real": [], "generated": []}
    for role, i, z in evaluation(drawn):
        for counted, other in (("real", "generated"), ("generated", "real")):
            others = [
                x for j, x in enumerate(fit[other]) if drawn.held_out or role != other or j != i
            ]
            order = min(c * k, len(fit[other]) - 1)
            radius = slow_twins.kth_smallest(
                [slow_twins.squared_distance(z, x) for x in others], order
            )
            count = sum(slow_twins.squared_distance(z, x) <= radius for x in fit[counted])
            counts[counted].append(count if count >= (least or k) else 0)
    return counts["real"], counts["generated"]


def slow_ppr(drawn, k, a=1.2):
    chances = {"real": [], "generated": []}
    fit = fitted(drawn)
    radii = {role: a * slow_twins.mean_own_radius(samples, k) for role, samples in fit.items()}
    for role, i, z in evaluation(drawn):
        for carrier, samples in fit.items():
            radius = radii[carrier]
            missed = 1.0
            for j, x in enumerate(samples):
                if drawn.held_out or role != carrier or i != j:
                    missed *= 1.0 - slow_tent(math.sqrt(slow_twins.squared_distance(z, x)), radius)
            chances[carrier].append(1.0 - missed)
    return chances["real"], chances["generated"]


def fitted(drawn):
    return {"real": list(drawn.fit.real.values), "generated": list(drawn.fit.generated.values)}


def slow_tent(d: float, radius: float) -> float:
    return max(0.0, 1.0 - d / radius) if radius > 0 else float(d == 0)


def evaluation(drawn):
    return [
        (r, i, z)
        for r, s in zip(("real", "generated"), drawn.evaluate, strict=True)
        for i, z in enumerate(s.values)
    ]


SLOW = {"eas": slow_eas, "prc": slow_prc, "ppr": slow_ppr}


def check(pair: SamplePair, method: str, k: int, split: float | None) -> Estimate:
    found = estimate(pair, method, k=k, split=split, seed=2)[method]
    assert lists(found.supports) == SLOW[method](pair.split(split, 2), k)
    return found


@pytest.mark.one_in(5)
@PAIRS
@THREE_SPLITS
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", exhaustive_but((1, 3, 8), 1, 3))
def test_supports_equal_the_definitions(pair, method, k, split):
    found = check(pair, method, k, split)
    assert found.supports.n_real == pair.split(split, 2).evaluate.real.n


@pytest.mark.one_in(5)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", SOME_KINDS)
@pytest.mark.parametrize("d", exhaustive_but((2, 10), 10))
def test_supports_on_pairs_that_break_fast_distances(method, kind, d):
    for split in (0.5, None):
        check(make_pair(kind, d), method, 3, split)


RANDOM = KINDS | {
    "constant columns": lambda rng, n, d: np.where(
        rng.random(d) < 0.6, 2.0, rng.normal(size=(n, d))
    ),
    "far away": lambda rng, n, d: rng.normal(size=(n, d)) + 2.0**40,
    "largest legal": lambda rng, n, d: rng.normal(size=(n, d)) * 1e150,
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", exhaustive_but(range(len(RANDOM)), *range(0, len(RANDOM), 3)))
def test_supports_of_random_problems_equal_the_definitions(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 17, size=2)
    d = rng.choice([1, 2, 7, 8, 9, 40, 300])
    pair = SamplePair(*(list(RANDOM.values())[seed](rng, n, d) for n in sizes))
    drawn = pair.split([0.5, None][seed % 2], seed)
    largest = min(map(len, drawn.fit_rows)) - 1
    ks = {1, largest, int(rng.integers(1, largest + 1))}
    wanted = [(method, k, None) for method, k in itertools.product(METHODS, ks)]
    expected = [SLOW[method](drawn, k) for method, k, _ in wanted]
    for found in both_ways(lambda: measure(drawn, wanted, seed)):
        assert [lists(each.supports) for each in found] == expected


def last_classifier(found: Estimate) -> tuple[float, float]:
    """(fpr, fnr) of the one that calls most samples real; nobody, where no sample is called real by
    any.
    """
    rates = found.rates
    return (float(rates.fpr[-1]), float(rates.fnr[-1])) if len(rates.fpr) else (1.0, 0.0)


def shares(found: Estimate) -> tuple[float, float]:
    n_real = found.supports.n_real
    c_real = found.supports.c_real
    c_generated = found.supports.c_generated
    return float(np.mean(c_real[n_real:] > 0)), float(np.mean(c_generated[:n_real] > 0))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("pair", [gaussians(), gaussians(shift=2), gaussians(50, 80, 2), ties()])
@pytest.mark.parametrize("k", [1, 3, 7])
def test_without_split_the_extreme_classifiers_of_eas_and_prc_are_the_published_numbers(pair, k):
    published = scalars(pair.real, pair.generated, k=k, prc_k=k)
    for method in ("eas", "prc"):
        found = estimate(pair, method, k=k, split=None)[method]
        ends = published[f"{method}_precision"], published[f"{method}_recall"]
        assert shares(found) == ends
        mirrored = estimate(swapped(pair), method, k=k, split=None)[method]
        assert last_classifier(found)[1] == ends[0]
        assert last_classifier(mirrored)[1] == ends[1]
        # every real sample is in its own ball: these bound the curve's own ends
        if method == "eas":
            assert last_classifier(found)[0] == 0
            assert found.curve.extreme_precision <= ends[0]
            assert found.curve.extreme_recall <= ends[1]


def test_the_curve_ends_at_the_published_eas_where_sets_overlap():
    pair = gaussians(300, 300, 2, shift=0.2)
    published = scalars(pair.real, pair.generated, k=3)
    curve = pr_curve(pair.real, pair.generated, "eas", k=3, split=None)
    assert curve.extreme_precision == published["eas_precision"] < 1
    assert curve.extreme_recall == published["eas_recall"]


def test_the_extreme_classifier_of_prc_may_miss_real_samples_even_without_split():
    # One real sample sits among generated ones: its ball out to the sixth nearest of them holds no
    # second real one.
    real = np.array([[0.0], [1.0], [2.0], [3.0], [103.0]])
    generated = np.arange(100.0, 107.0)[:, None] + 0.1
    found = estimate(SamplePair(real, generated), "prc", k=2, split=None)["prc"]
    assert found.supports.c_real[:5].tolist() == [5, 5, 5, 5, 0]
    assert last_classifier(found) == (0.2, 0.0)


@PAIRS
@THREE_SPLITS
def test_no_sample_lacks_both_supports_of_prc(pair, split):
    found = supports(pair, "prc", k=4, split=split)
    assert np.all((found.c_real > 0) | (found.c_generated > 0))


@pytest.mark.parametrize("k", [1, 4])
def test_with_one_sample_in_no_wider_ball_prc_is_coverage(k):
    assert COVER == 3
    for pair in (gaussians(), ties()):
        covered, prc = estimate(pair, ("coverage", "prc:k_prime=1:c=1"), k=k, split=0.5).values()
        assert lists(covered.supports) == lists(prc.supports)


@PAIRS
@pytest.mark.parametrize("k", [1, 4, 9])
def test_without_split_the_means_of_ppr_are_the_published_numbers(pair, k):
    published = scalars(pair.real, pair.generated, ppr_k=k)
    found = estimate(pair, "ppr", k=k, split=None)["ppr"]
    n_real = found.supports.n_real
    of_generated = found.supports.c_real[n_real:]
    of_real = found.supports.c_generated[:n_real]
    assert math.fsum(of_generated) / len(of_generated) == published["ppr_precision"]
    assert math.fsum(of_real) / n_real == published["ppr_recall"]
    assert found.bandwidth == tuple(
        1.2 * slow_twins.mean_own_radius(list(each.values), k) for each in pair
    )


def test_ppr_leaves_a_sample_out_by_index_and_not_its_duplicate():
    pair = SamplePair(np.array([[0.0], [0.0], [5.0], [6.0]]), np.array([[5.5], [6.5], [20.0]]))
    found = estimate(pair, "ppr", k=1, split=None)["ppr"]
    assert found.bandwidth[0] == 1.2 * 0.5
    assert found.supports.c_real[:4].tolist() == [1.0, 1.0, 0.0, 0.0]
    twin = supports(SamplePair(pair.real, pair.real), "ppr", k=1, split=None)
    # Of another set nobody is left out, even where it is the very same array.
    assert twin.c_generated[:4].tolist() == [1.0] * 4
    assert twin.c_real[:4].tolist() == [1.0, 1.0, 0.0, 0.0]


@SPLITS
def test_ppr_from_a_table_in_blocks_is_ppr_of_each_k_alone(
    split: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = SamplePair(*np.random.default_rng(0).normal(size=(2, 23, 2)))
    monkeypatch.setattr(ppr, "_BLOCK", 100)
    ks = range(1, ppr.WORTH_A_TABLE + 1)
    table = profile(*pair, ("ppr",), ks=ks, split=split)
    for k in ks:
        alone = supports(pair, "ppr", k=k, split=split)
        assert lists(table.estimate("ppr", k).supports) == lists(alone)


def test_tents_of_radius_zero_stand_at_their_own_place_alone():
    pair = SamplePair(
        np.zeros((5, 2)), np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1e-300], [3.0, 3.0]])
    )
    found = estimate(pair, "ppr", k=2, split=None)["ppr"]
    assert found.bandwidth[0] == 0
    # the square of 1e-300 is 0
    assert found.supports.c_real.tolist() == [*[1] * 5, 1, 0, 1, 0]


def test_eas_and_prc_share_the_pass_of_the_others(monkeypatch):
    asked = []
    count = Distances.count

    def counted(self, balls, **more):
        asked.append(balls)
        return count(self, balls, **more)

    monkeypatch.setattr(Distances, "count", counted)
    profile(*gaussians(), ("knn", "coverage", "eas", "prc"), ks=(2, 3, 4))
    assert len(asked) == 1
    found = passes(("knn", "eas", "prc", "ppr", "cluster"))
    assert found == {"methods": 3, "direct": 1, "fixed": 1}
