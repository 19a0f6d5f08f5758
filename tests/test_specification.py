"""The specification, and the engine, against the test vectors that any other implementation can
run.

python -m tests.test_specification     writes the vectors, from the specification
"""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.measure.estimates import Estimate, measure
from prviz.samples import SamplePair, Split
from prviz.uncertainty.upper_bound import bound_of
from tests.browser import ROOT

PLACE = ROOT / "docs" / "test_vectors.json"
LAMS = (0.1, 0.5, 1.0, 2.0, 10.0)
K = 3
_FOUND = importlib.util.spec_from_file_location("specification", ROOT / "docs" / "specification.py")
assert _FOUND is not None
assert _FOUND.loader is not None
specification: Any = importlib.util.module_from_spec(_FOUND)
_FOUND.loader.exec_module(specification)


def inputs() -> list[dict[str, Any]]:
    """Pairs with ties and copies and without, with a split and without, of unequal sizes."""
    found = []
    real: Any
    generated: Any
    for name in ("ties", "plain"):
        rng = np.random.default_rng(1)
        if name == "ties":
            real = rng.integers(0, 5, (24, 2))
            generated = rng.integers(1, 6, (20, 2))
        else:
            real = rng.normal(size=(24, 3)).round(3)
            generated = (rng.normal(size=(20, 3)) + 0.7).round(3)
        for split in (None, 0.5):
            drawn = SamplePair.of(real, generated).split(split, 1)
            found.append(
                {
                    "name": f"{name}, {'no split' if split is None else 'split'}",
                    "real": real.tolist(),
                    "generated": generated.tolist(),
                    "fit_rows": [rows.tolist() for rows in drawn.fit_rows],
                    "evaluate_rows": [rows.tolist() for rows in drawn.evaluate_rows],
                    "k": K,
                }
            )
    return found


def results(case: dict[str, Any], family: str) -> dict[str, Any]:
    """What the specification makes of a case."""
    values = [np.asarray(case[role], dtype=np.float64) for role in ("real", "generated")]
    parts = []
    for rows in (case["fit_rows"], case["evaluate_rows"]):
        real, generated = (np.asarray(each) for each in rows)
        parts.append((values[0][real], values[1][generated], real, generated + len(values[0])))
    c_x, c_y = specification.supports(family, *parts, case["k"])
    n = len(case["evaluate_rows"][0])
    rates = specification.error_rates(c_x, c_y, n)
    found = {
        "c_real": c_x.tolist(),
        "c_generated": c_y.tolist(),
        "alpha": [specification.alpha(rates, lam) for lam in LAMS],
        "summaries": specification.summaries(rates),
    }
    # eas is chosen on evaluation samples
    if case["fit_rows"] != case["evaluate_rows"] and family != "eas":
        sizes = n, len(case["evaluate_rows"][1])
        bounded = specification.bound(rates, sizes, bool(np.any((c_x == 0) & (c_y == 0))))
        found["bound"] = [specification.alpha(bounded, lam) for lam in LAMS]
    return found


def vectors() -> dict[str, Any]:
    """The document of the test vectors."""
    cases = []
    for case in inputs():
        cases.append(
            case
            | {"expected": {family: results(case, family) for family in specification.FAMILIES}}
        )
    return {"lams": list(LAMS), "confidence": 0.95, "cases": cases}


KEPT = json.loads(PLACE.read_text("utf-8")) if PLACE.exists() else {"cases": []}


def measured(case: dict[str, Any], family: str) -> Estimate:
    """The engine's estimate of a case."""
    fit = np.asarray(case["fit_rows"][0]), np.asarray(case["fit_rows"][1])
    evaluate = np.asarray(case["evaluate_rows"][0]), np.asarray(case["evaluate_rows"][1])
    split = Split(
        SamplePair.of(case["real"], case["generated"]),
        fit,
        evaluate,
        case["fit_rows"] != case["evaluate_rows"],
    )
    (found,) = measure(split, [(family, case["k"], None)], 0)
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", KEPT["cases"], ids=lambda case: case["name"])
def test_engine_and_specification_give_the_vectors(case: dict[str, Any]) -> None:
    for family, expected in case["expected"].items():
        assert results(case, family) == expected, family
        estimate = measured(case, family)
        assert estimate.supports.c_real.tolist() == expected["c_real"], family
        assert estimate.supports.c_generated.tolist() == expected["c_generated"], family
        assert alphas(estimate.curve) == pytest.approx(expected["alpha"], abs=1e-12)
        numbers = summaries(estimate.curve)
        assert {name: numbers[name] for name in expected["summaries"]} == pytest.approx(
            expected["summaries"], abs=1e-9
        )
        if "bound" in expected:
            assert alphas(bound_of([estimate])) == pytest.approx(expected["bound"], abs=1e-9)


def alphas(curve: PRCurve) -> list[float]:
    """Precision at LAMS."""
    return [float(curve.alpha(lam)) for lam in LAMS]


def test_the_specification_is_short_and_the_vectors_are_its_own() -> None:
    lines = (ROOT / "docs" / "specification.py").read_text("utf-8").splitlines()
    assert sum(bool(line.strip()) for line in lines) <= 200
    assert len(KEPT["cases"]) == 4
    assert inputs() == [
        {name: case[name] for name in case if name != "expected"} for case in KEPT["cases"]
    ]


if __name__ == "__main__":
    PLACE.write_text(json.dumps(vectors(), separators=(",", ":")) + "\n", "utf-8")
