"""What the browser draws of a lesson by itself, in a browser without an app, against prviz's own arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from pages._learn import gaussians, modes
from prviz.curves import PRCurve
from prviz.curves.ground_truth import finite_masses, line_mixtures, scaled_gaussians

LAMS = [1e-3, 0.02, 0.3, 0.9, 1.0, 1.1, 2.5, 40.0, 1e3]
RNG = np.random.default_rng(0)
MASSES = {
    "equal": ([1, 2, 3], [1, 2, 3]),
    "nothing in common": ([1, 0, 0.5], [0, 0.3, 0]),
    "one cell": ([0.7], [0.1]),
    "empty cells": ([0, 0.5, 0, 0.5, 0], [0, 0.25, 0, 0.75, 0.5]),
    "ratios that repeat": ([0.1, 0.2, 0.3, 0.4, 1], [0.2, 0.4, 0.6, 0.8, 0.05]),
    "a line": tuple(RNG.choice(np.arange(21) / 20, (2, 25)).tolist()),
    "a grid": tuple((RNG.choice(np.arange(21) / 20, (2, 256)) * (RNG.random((2, 256)) > 0.4)).tolist()),
    "any numbers": tuple(RNG.random((2, 64)).tolist()),
}


def alphas(page: Page, vertices: list[list[float]]) -> list[float]:
    found: list[float] = page.evaluate("([v, l]) => l.map(lam => live.curve.pointAt(v, lam).alpha)", [vertices, LAMS])
    return found


def made(page: Page, model: str, controls: dict[str, Any], constants: dict[str, Any], lam: float = 1.0) -> Any:
    """What a model makes of these controls."""
    return page.evaluate(
        """([model, values, constants, lam]) => {
            const read = (id) => values[id], find = (id) => ({ value: values[id] });
            return live.models.MODELS[model]({ lam, number: read, amounts: read, find }, constants);
        }""",
        [model, controls, constants, lam],
    )


def assert_same(page: Page, vertices: list[list[float]], curve: PRCurve, tolerance: float) -> None:
    np.testing.assert_allclose(alphas(page, vertices), curve.alpha(LAMS), atol=tolerance)
    np.testing.assert_array_less(np.diff(np.array(vertices)[:, 1]), 1e-15)
    assert (vertices[0][0], vertices[-1][1]) == (0, 0)


@pytest.mark.parametrize("name", MASSES)
def test_the_curve_of_a_painting_is_that_of_python(blank: Page, name: str) -> None:
    p, q = MASSES[name]
    vertices, truth = blank.evaluate("([p, q]) => live.models.massCurve(p, q)", [p, q]), finite_masses(p, q)
    assert_same(blank, vertices, truth, 1e-12)
    ends = [vertices[0][1], vertices[-1][0]]
    np.testing.assert_allclose(ends, [truth.extreme_precision, truth.extreme_recall], atol=1e-12)


def with_amount(amounts: list[float], index: int, amount: float, total: bool) -> list[float]:
    """The slow twin."""
    value = min(max(amount, 0.0), 1.0)
    found = [value if i == index else each for i, each in enumerate(amounts)]
    if total:
        rest = sum(amounts) - amounts[index]
        others = len(amounts) - 1
        found = [
            value if i == index else (each * (1 - value) / rest if rest > 0 else (1 - value) / others)
            for i, each in enumerate(amounts)
        ]
    rounded = [round(each, 4) for each in found]
    return rounded if any(rounded) else amounts


@pytest.mark.parametrize("total", [True, False])
@pytest.mark.parametrize("amounts", [[0.2, 0.2, 0.6, 0.0], [1.0, 0.0, 0.0], [0.0, 0.3], [0.25] * 4])
def test_one_new_amount_leaves_a_distribution(blank: Page, amounts: list[float], total: bool) -> None:
    for index in range(len(amounts)):
        for amount in (0.0, 0.35, 1.0, 7.0, -1.0):
            found = blank.evaluate(
                "([amounts, i, amount, total]) => live.bars.withAmount(amounts, i, amount, total)",
                [amounts, index, amount, total],
            )
            np.testing.assert_allclose(found, with_amount(amounts, index, amount, total), atol=1.01e-4)
            assert any(found)
            if total and any(each > 0 for i, each in enumerate(amounts) if i != index):
                assert sum(found) == pytest.approx(1, abs=2e-4)


@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1.0, 0.8), (-2.5, 0.3), (0.0, 2.5)])
def test_two_gaussians_have_the_curve_of_python(blank: Page, shift: float, scale: float) -> None:
    found = made(blank, "gaussians", {"shift": shift, "scale": scale}, {"xs": gaussians.XS.tolist()})
    assert_same(blank, found["curves"]["truth"], scaled_gaussians(scale, 1, distance=abs(shift)), 2e-3)


def test_the_areas_of_two_gaussians_are_those_of_the_best_classifier(blank: Page) -> None:
    xs, lam = gaussians.XS, 2.0
    found = made(blank, "gaussians", {"shift": 1.0, "scale": 0.8}, {"xs": xs.tolist()}, lam)
    p, q = gaussians.GaussiansState(1.0, 0.8).densities
    precision, errors = (found["panes"][name]["traces"] for name in ("precision", "errors"))
    np.testing.assert_allclose(precision["0"]["y"], np.minimum(lam * p, q), atol=1e-12)
    np.testing.assert_allclose(errors["0"]["y"], np.where(q <= lam * p, 0, p), atol=1e-12)
    np.testing.assert_allclose(errors["1"]["y"], np.where(q <= lam * p, q, 0), atol=1e-12)
    area = np.trapezoid(precision["0"]["y"], xs)
    assert area == pytest.approx(scaled_gaussians(0.8, 1, distance=1.0).alpha(lam), abs=1e-3)


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_modes_have_both_curves_of_python(blank: Page, spread: float) -> None:
    p, q = modes.START["p"], modes.START["q"]
    constants = {"xs": modes.XS.tolist(), "centres": modes.CENTRES, "coarse": "coarse"}
    found = made(blank, "modes", {"spread": spread, "p": p, "q": q}, constants)["curves"]
    assert_same(blank, found["coarse"], finite_masses(p, q), 1e-12)
    assert_same(blank, found["truth"], line_mixtures(np.divide(modes.CENTRES, spread), p, q), 5e-3)


def test_what_was_measured_is_gone_as_soon_as_the_painting_is_another(blank: Page) -> None:
    measured = {"p": [0.5, 0.5], "q": [1.0, 0.0], "n": 500}
    constants = {
        "measured": measured,
        "estimates": ["knn"],
        "away": {"pr": {"traces": {"1": {"x": []}}}, "samples": {"traces": {"0": {"x": []}}}},
        "lines": {"pane": "samples", "traces": [2, 3]},
        "words": "soon",
    }
    same = made(blank, "cells", measured, constants)
    assert set(same) == {"curves"}
    assert set(made(blank, "cells", {**measured, "n": 200}, constants)) == {"curves", "panes", "words", "without"}
    other = made(blank, "cells", {**measured, "q": [0.5, 0.25]}, constants)
    assert other["without"] == ["knn"]
    assert other["words"] == "soon"
    assert_same(blank, other["curves"]["truth"], finite_masses([1, 1], [2, 1]), 1e-12)
    assert other["panes"]["pr"] == constants["away"]["pr"]
    traces = other["panes"]["samples"]["traces"]
    assert traces["0"] == {"x": []}
    assert traces["2"] == {"x": [0, 0.5, 0.5, 1], "y": [1, 1, 1, 1]}
    np.testing.assert_allclose(traces["3"]["y"], [4 / 3, 4 / 3, 2 / 3, 2 / 3])
