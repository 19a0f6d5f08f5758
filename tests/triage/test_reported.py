"""Pairs of equal Frechet distance on opposite sides, and rank correlations of reported numbers."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import spearmanr

from prviz import bundled_pair, class_entropy, frechet_distance, pr_curve, scalars
from prviz.figures.reported import (
    TradePoint,
    agreement_of_numbers_figure,
    equal_distance_figure,
    groups_of,
)
from prviz.measure import frechet
from prviz.readers.bundled import zoo_checkpoints
from prviz.samples import SamplePair
from prviz.triage.reported import EQUAL, all_numbers, opposite_pairs, rank_agreement


def test_pairs_are_those_of_the_double_loop():
    rng = np.random.default_rng(0)
    names = [f"c{place}" for place in range(30)]
    distances = rng.uniform(50, 60, 30)
    sides = rng.normal(size=30)
    distances[3] = math.nan
    sides[4] = 0.0
    expected = {
        (names[i], names[j]): min(sides[i], -sides[j])
        for i, j in permutations(range(30), 2)
        if sides[i] > 0 > sides[j]
        and max(distances[i], distances[j]) <= 1.05 * min(distances[i], distances[j])
    }
    found = opposite_pairs(names, distances, sides)
    assert {(pair.precise, pair.diverse): pair.apart for pair in found} == expected
    assert [pair.apart for pair in found] == sorted(expected.values(), reverse=True)
    assert found[0].distances[0] == distances[names.index(found[0].precise)]
    assert opposite_pairs(names, distances, np.abs(sides)) == []
    for other, count in ((1.05, 1), (1.051, 0)):
        assert len(opposite_pairs(["a", "b"], [1.0, other], [0.2, -0.3])) == count


def test_rank_agreement_is_spearmans():
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 6, 20).astype(float) for name in "abc"} | {"same": np.ones(20)}
    columns["a"][5] = math.nan
    found = rank_agreement(columns)
    for i, one in enumerate("abc"):
        for j, other in enumerate("abc"):
            known = np.isfinite(columns[one]) & np.isfinite(columns[other])
            expected = spearmanr(columns[one][known], columns[other][known]).statistic
            assert found.values[i, j] == pytest.approx(expected)
    assert np.isnan(found.values[3]).all()
    figure = agreement_of_numbers_figure(found.names, found.values)
    assert list(figure.data[0].z[3]) == [None] * 4
    assert figure.data[0].text[0][0] == "1.00"


def test_all_numbers_are_the_scalars_and_the_class_score():
    pair = bundled_pair("mixture-converged")
    real = pair.real.take(np.arange(300))
    generated = pair.generated.take(np.arange(200))
    found = all_numbers(SamplePair(real, generated))
    assert found.pop("class_score") == class_entropy(real, generated, real.labels["digit"]).score
    interval = found.pop("frechet_low"), found.pop("frechet_high")
    distance = frechet_distance(real, generated)
    assert interval == (distance.low, distance.high)
    assert found == scalars(real, generated)
    assert "class_score" not in all_numbers(SamplePair(generated, real))


@pytest.mark.parametrize("n", [9, 10])
def test_a_frechet_distance_and_its_interval_need_more_samples_than_features(n):
    rng = np.random.default_rng(0)
    found = all_numbers(SamplePair(rng.normal(size=(n, 9)), rng.normal(size=(n + 1, 9))), k=2)
    assert math.isfinite(found["frechet_distance"]) == (n > 9)
    assert "frechet_low" not in found


def test_the_frechet_distance_of_all_samples_is_computed_once(monkeypatch):
    sizes = []
    checked = frechet._checked
    monkeypatch.setattr(
        frechet, "_checked", lambda *sets: sizes.append(sets[0].n) or checked(*sets)
    )
    all_numbers(SamplePair(*np.random.default_rng(0).normal(size=(2, 40, 2))))
    assert sorted(sizes) == [20, 20, 40]


@pytest.mark.exhaustive
def test_the_zoo_holds_models_of_equal_distance_on_opposite_sides_of_the_diagonal():
    titles = {each.title: each.name for each in zoo_checkpoints()}
    assert len(titles) == len(zoo_checkpoints()) >= 60
    pairs = {title: bundled_pair(name) for title, name in titles.items()}
    distances = {title: frechet_distance(*pair).value for title, pair in pairs.items()}
    near = [title for title, distance in distances.items() if distance < 500]
    curves = [pr_curve(*pairs[title]) for title in near]
    sides = [
        curve.f_score(8, leaning="precision") - curve.f_score(8, leaning="recall")
        for curve in curves
    ]
    best = opposite_pairs(near, [distances[title] for title in near], sides)[0]
    assert best.apart > 0.2
    assert max(best.distances) <= (1 + EQUAL) * min(best.distances)


def test_the_figure_rings_the_pair_and_groups_by_model():
    points = [
        TradePoint(name, 0.2 * i, 0.5, 10.0 + i)
        for i, name in enumerate(("VAE 1", "VAE 2", "GAN 1", "GAN 2"))
    ]
    figure = equal_distance_figure(points, ("GAN 1", "VAE 2"))
    assert [trace.name for trace in figure.data[1:3]] == ["VAE", "GAN"]
    assert list(figure.data[3].x) == pytest.approx([0.4, 0.2])
    assert list(figure.data[3].text) == ["<b>A</b> FD 12", "<b>B</b> FD 11"]
    assert groups_of(["epoch-1", "epoch-2"]) == ["", ""]
