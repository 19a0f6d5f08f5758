"""The lowest held-out risk: against a loop over all classifiers, and against known truths."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import prviz
from prviz.measure.risk import choices, lowest_risk, risk
from prviz.toys import toy

METHODS = ("knn", "coverage")
KS = (2, 4, 9, 20)


def curves(seed: int = 0, n: int = 200) -> tuple[dict, prviz.Profile]:
    found = prviz.profile(*toy("mixtures", d=3).sample(n, seed), METHODS, KS, seed=seed)
    return {(method, k): found.curve(method, k) for method in METHODS for k in KS}, found


@pytest.mark.parametrize("lam", [0.1, 1.0, 7.0])
def test_the_lowest_risk_is_that_of_the_best_classifier_of_all(lam: float) -> None:
    every, profile = curves()
    slow = {}
    for setting in every:
        rates = profile.estimate(*setting).rates
        ends = [(1.0, 0.0), (0.0, 1.0)]
        errors = [*zip(rates.fpr.tolist(), rates.fnr.tolist(), strict=True), *ends]
        slow[setting] = min((lam * fpr + fnr) / (lam + 1) for fpr, fnr in errors)
        assert risk(every[setting], lam) == pytest.approx(slow[setting])
    best = lowest_risk(every, lam, 100, 100)
    assert best.risk == pytest.approx(min(slow.values()))
    assert slow[best.method, best.k] == pytest.approx(best.risk)
    fpr, fnr = min(
        every[best.method, best.k].vertices.tolist(), key=lambda rates: lam * rates[0] + rates[1]
    )
    draws = np.random.default_rng(0)
    drawn = (
        (lam * draws.binomial(100, fpr, 20_000) + draws.binomial(100, fnr, 20_000))
        / 100
        / (lam + 1)
    )
    assert best.error == pytest.approx(drawn.std(), rel=0.05)
    for method in METHODS:
        own = {k: slow[method, k] for k in KS}
        near = [(value <= best.risk + best.error, k) for k, value in own.items()]
        runs = [
            [k for _, k in run]
            for within, run in itertools.groupby(near, lambda each: each[0])
            if within
        ]
        around = [run for run in runs if min(own, key=own.__getitem__) in run]
        assert best.alike.get(method) == ((around[0][0], around[0][-1]) if around else None)


def test_choices_change_where_another_setting_is_better() -> None:
    every, _ = curves()
    found = choices(every)
    assert (found[0].low, found[-1].high) == (0.0, math.inf)
    for one, following in itertools.pairwise(found):
        assert one.high == following.low
        assert one[:2] != following[:2]
    for choice in found:
        low, high = np.arctan([choice.low, choice.high])
        lam = math.tan((low + high) / 2)
        lowest = min(curve.alpha(lam) for curve in every.values())
        assert every[choice.method, choice.k].alpha(lam) <= lowest * 1.03 + 1e-9


@pytest.mark.exhaustive
def test_the_chosen_setting_has_a_low_risk_on_other_samples_too() -> None:
    problem = toy("mixtures", d=8)
    ks = (1, 2, 4, 9, 20, 60, 150)
    chosen = []
    every = []
    for seed in range(6):
        pairs = problem.sample(400, seed), problem.sample(400, seed + 100)
        here, fresh = (
            prviz.profile(*pair, ("knn", "ipr", "coverage"), ks, seed=seed) for pair in pairs
        )
        settings = [(method, k) for method in here.methods for k in ks]
        best = lowest_risk({setting: here.curve(*setting) for setting in settings}, 1.0, 200, 200)
        every.append([risk(fresh.curve(*setting), 1.0) for setting in settings])
        chosen.append(risk(fresh.curve(best.method, best.k), 1.0))
    assert np.mean(chosen) < np.mean(every) - 0.02
    # from the one that is best on average
    assert np.mean(chosen) - np.min(np.mean(every, axis=0)) < 0.02


def test_what_has_no_risk_is_refused() -> None:
    with pytest.raises(ValueError, match="curves is empty"):
        lowest_risk({}, 1.0, 10, 10)
    for lam in (0.0, math.inf, -1.0):
        with pytest.raises(ValueError, match="positive finite"):
            risk(prviz.PRCurve.from_error_rates([], []), lam)
