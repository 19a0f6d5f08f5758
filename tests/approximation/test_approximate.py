"""Approximate curves: exact where the lists are whole, close where they are not, and honest about
it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import prviz
from prviz.approximation import list_job
from prviz.approximation.approximate import Approximation, approximate
from prviz.approximation.list_job import ApproximateLists, ball_counts
from prviz.curves import Comparison
from prviz.estimators import DEFAULT_METHODS, ESTIMATORS, Estimator, Supports
from prviz.measure.estimates import estimate
from prviz.neighbors import Balls, MeanNearest, Nearest, Within
from prviz.neighbors.faiss_lists import ListIndex, Units, index_bytes, recall
from prviz.samples import SamplePair, Split
from tests import slow_twins

SPLITS = pytest.mark.parametrize("split", [0.5, None])


def gaussians(
    n_real: int = 60, n_generated: int = 50, d: int = 5, shift: float = 0.3, seed: int = 0
) -> SamplePair:
    rng = np.random.default_rng(seed)
    return SamplePair(rng.normal(size=(n_real, d)), rng.normal(size=(n_generated, d)) + shift)


def same_on_rows(found: Supports, exact: Supports) -> bool:
    assert found.rows is not None
    assert found.n_real == np.count_nonzero(found.rows < exact.n_real)
    return np.array_equal(found.c_real, exact.c_real[found.rows]) and np.array_equal(
        found.c_generated, exact.c_generated[found.rows]
    )


@pytest.mark.one_in(3)
@SPLITS
@pytest.mark.parametrize("bandwidth", [None, 1.7])
@pytest.mark.parametrize("k", [1, 4, "sqrt"])
def test_lists_of_everything_give_the_exact_supports(
    split: float | None, k: Any, bandwidth: float | None
) -> None:
    pair = gaussians()
    found = approximate(*pair, k=k, bandwidth=bandwidth, split=split, seed=2, recall=1.0)
    exact = estimate(pair, k=k, bandwidth=bandwidth, split=split, seed=2)
    assert list(found.estimates) == list(DEFAULT_METHODS)
    for name, each in found.estimates.items():
        assert same_on_rows(each.supports, exact[name].supports), name
        assert each.k == exact[name].k
        assert each.bandwidth == pytest.approx(exact[name].bandwidth)
        np.testing.assert_allclose(each.curve.vertices, exact[name].curve.vertices)
        assert found.errors[name].iou == pytest.approx(1.0)
    assert found.list_recall == 1.0


@pytest.mark.exhaustive
def test_large_sets_come_close_and_say_how_close() -> None:
    pair = gaussians(6000, 5000, d=8)
    found = approximate(*pair, k=20, evaluate=1000, sample=300)
    exact = estimate(pair, k=20)
    assert 0.95 <= found.list_recall <= 1.0
    assert found.sample == 300
    for name, each in found.estimates.items():
        assert len(each.supports.c_real) == 2000
        assert found.errors[name].iou > 0.95, name
        assert each.curve.iou(exact[name].curve) > 0.93, name


@SPLITS
def test_errors_are_of_the_sample_against_the_definition(
    split: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_job, "_SHORTEST", 1)
    monkeypatch.setattr(list_job, "_REACH", 1.0)
    pair = gaussians(400, 400, d=12)
    found = approximate(
        *pair, ("knn", "coverage", "ipr"), k=7, split=split, evaluate=60, sample=25, recall=0.5
    )
    exact = estimate(pair, k=7, split=split)
    for name, each in found.estimates.items():
        supports = each.supports
        rows = np.concatenate(
            [supports.rows[:25], supports.rows[supports.n_real : supports.n_real + 25]]
        )
        whole = exact[name].supports
        curve = prviz.ErrorRates.from_supports(
            whole.c_real[rows], whole.c_generated[rows], 25
        ).curve()
        places = np.r_[:25, supports.n_real : supports.n_real + 25]
        mine = prviz.ErrorRates.from_supports(
            supports.c_real[places], supports.c_generated[places], 25
        ).curve()
        np.testing.assert_allclose(found.errors[name], mine.compare(curve), atol=1e-12)


def lists_of(pair: SamplePair, points: np.ndarray, length: int) -> ApproximateLists:
    squared = {
        role: np.sort(
            [[slow_twins.squared_distance(z, x) for x in side.values] for z in points], axis=1
        )[:, :length]
        for role, side in zip(("real", "generated"), pair, strict=True)
    }
    return ApproximateLists(
        squared, {role: length >= side.n for role, side in zip(squared, pair, strict=True)}
    )


def test_beyond_its_list_a_ball_to_a_neighbour_counts_what_is_there() -> None:
    pair = gaussians()
    points = np.random.default_rng(1).normal(size=(20, 5)) * 2
    balls = Balls(real=Nearest(6, "generated"), generated=Nearest(6, "real"))
    whole = ball_counts(lists_of(pair, points, 60), balls, {}, None)
    short = ball_counts(lists_of(pair, points, 8), balls, {}, None)
    for some, everything in zip(short, whole, strict=True):
        assert np.array_equal(some, np.minimum(everything, 8))
        assert np.any(some < everything)


def test_beyond_their_lists_two_fixed_balls_shrink_together() -> None:
    pair = gaussians()
    points = np.random.default_rng(1).normal(size=(20, 5))
    wide = Within(9.0)
    rules = Balls(real=Within(2.0), generated=Within(9.0))
    lists = lists_of(pair, points, 10)
    real, generated = ball_counts(lists, rules, {Within(2.0): 4.0, wide: 81.0}, None)
    for i in range(len(points)):
        ends = lists.squared["real"][i, -1], lists.squared["generated"][i, -1]
        shrink = min(1.0, ends[0] / 4.0, ends[1] / 81.0)
        assert real[i] == np.sum(lists.squared["real"][i] <= 4.0 * shrink)
        assert generated[i] == np.sum(lists.squared["generated"][i] <= 81.0 * shrink)
        assert max(real[i], generated[i]) <= 10
    assert np.any(generated == 10)


class _Double(Estimator):
    """A family nobody has thought of: real samples within the k-th real one, generated within the
    mean radius at 2k.
    """

    name = "double"
    title = "Double"
    idea = "Why?"
    source = "this test"
    tunes = "k"
    about = ESTIMATORS["knn"].about

    def balls(
        self, *, k: int, bandwidth: float | None, sizes: tuple[int, int]
    ) -> tuple[Balls, ...]:
        return (Balls(real=Nearest(k, "real"), generated=MeanNearest(k, "generated")),)


def test_a_new_family_of_balls_works_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ESTIMATORS, "double", _Double())
    pair = gaussians()
    found = approximate(*pair, "double", k=5, recall=1.0)
    assert same_on_rows(
        found.estimates["double"].supports, estimate(pair, "double", k=5)["double"].supports
    )


def test_a_family_that_counts_in_no_balls_is_refused() -> None:
    with pytest.raises(
        ValueError, match="hub can't be approximated; only families that count in balls: knn, kde"
    ):
        approximate(*gaussians(), ("knn", "hub"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"methods": "nearest"}, "one or more of"),
        ({"k": 31}, "k must be 1 to"),
        ({"bandwidth": -1.0}, "bandwidth = -1.0"),
        ({"evaluate": 1}, "evaluate = 1; an integer from 2"),
        ({"sample": 0}, "sample = 0; an integer from 2"),
        ({"recall": 0.0}, "recall = 0.0; a share"),
        ({"split": 2.0}, "split = 2.0"),
    ],
)
def test_illegal_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        approximate(*gaussians(), **arguments)


@SPLITS
def test_swapping_the_roles_mirrors_every_curve(split: float | None) -> None:
    pair = gaussians(300, 200)
    one = approximate(*pair, k=5, split=split, evaluate=40, sample=20)
    other = approximate(pair.generated, pair.real, k=5, split=split, evaluate=40, sample=20)
    for name, each in one.estimates.items():
        mirrored = other.estimates[name].curve.mirrored().vertices
        np.testing.assert_allclose(each.curve.vertices, mirrored, atol=1e-9, err_msg=name)


def test_progress_grows_and_can_stop() -> None:
    fractions: list[float] = []
    approximate(*gaussians(), k=3, progress=fractions.append)
    assert fractions[0] == 0
    assert fractions == sorted(fractions)
    assert fractions[-1] <= 1

    def stop(fraction: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        approximate(*gaussians(), k=3, progress=stop)


@SPLITS
def test_it_copies_no_half_of_the_samples(
    split: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Split, "_taken", lambda *given: pytest.fail("a copy of a half"))
    assert set(approximate(*gaussians(), k=3, split=split).errors) == set(DEFAULT_METHODS)


def test_the_label_rounds_down() -> None:
    errors = {"knn": Comparison(0.9999, 0.0001, 0.0), "ipr": Comparison(0.9871, 0.01, 0.0029)}
    label = Approximation({}, 0.9799, errors, 2000).label
    assert (
        label == "approximate: lists hold 97 % of the true neighbours; "
        "curves within IoU 0.98 of the exact ones on 2,000 samples per set"
    )


def make_index(values: np.ndarray, rows: np.ndarray, room: float = math.inf) -> ListIndex:
    return ListIndex(values, rows, Units.of(values), room=room, seed=0)


def test_widening_reaches_its_goal_and_recall_is_what_it_says() -> None:
    values = np.random.default_rng(0).normal(size=(3000, 16))
    rows = np.arange(0, 3000, 2)
    index = make_index(values, rows)
    index.search_cells(1)
    points = index.units.apply(values[1:400:20])
    true = [np.sort(np.sum((values[rows] - z) ** 2, axis=1))[:6] for z in values[1:400:20]]
    radii = np.array([each[-1] for each in true]) / index.units.scale**2
    lists, _ = index.search(points, 12)
    held = np.mean(
        [np.sum(each <= radius * 1.0001) / 6 for each, radius in zip(lists, radii, strict=True)]
    )
    assert recall(index, points, radii.astype(np.float32), 6, 12) == pytest.approx(held)
    assert held < 0.9
    assert index.widen(points, order=6, length=12, goal=0.95) >= 0.95
    assert index.widen(points, order=6, length=12, goal=1.0) == 1.0


def test_where_memory_is_short_samples_are_rounded_and_then_refused() -> None:
    values = np.random.default_rng(0).normal(size=(4000, 32))
    rows = np.arange(4000)
    wide = index_bytes(4000, 32, "Flat")
    least = index_bytes(4000, 32, "SQ8")
    assert least < wide
    points = Units.of(values).apply(values[:100])
    for room, goal in ((wide, 1.0), (wide * 0.7, 0.99), (least, 0.9)):
        assert make_index(values, rows, room).widen(points, order=5, length=20, goal=goal) >= goal
    with pytest.raises(
        ValueError, match=r"4,000 samples of 32 features need 0 MB, 0 MB of memory_limit"
    ):
        make_index(values, rows, least * 0.9)
    pair = gaussians(3000, 3000, d=32)
    with pytest.raises(ValueError, match="raise it"):
        approximate(*pair, memory_limit=100_000)


def test_units_survive_extreme_values() -> None:
    values = np.array([[1e200, 0.0], [-1e200, 1.0], [0.0, 2.0]])
    for each in (values, values * 1e-300, np.zeros((3, 2)), values * 0 + 1e9):
        assert np.isfinite(Units.of(each).apply(each)).all()


def test_collapsed_and_duplicated_samples() -> None:
    rng = np.random.default_rng(0)
    doubled = np.repeat(rng.normal(size=(100, 4)), 3, axis=0)
    for real, generated in ((np.zeros((200, 4)), doubled), (doubled, doubled[::-1])):
        for split in (0.5, None):
            found = approximate(real, generated, k=4, split=split)
            assert all(0 <= each.iou <= 1 for each in found.errors.values())
            assert 0 <= found.list_recall <= 1
