"""Simon, Webster, Rabin 2019, section 6 and Figure 3: 80 classes on each side, a share rho of them
in common.

`python -m tests.estimators.test_common_classes [FIGURE.html]` prints the table of these tests and
draws the curves.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache

import pytest

import prviz
from prviz.curves import PRCurve
from prviz.measure.estimates import estimate
from tests.claims import ROOT
from tests.marks import exhaustive_but

METHODS = ("cluster", "classifier", "knn")
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
N = 8000


def truth(rho: float) -> PRCurve:
    return prviz.toy("classes", share=rho).truth()


@lru_cache(maxsize=len(SHARES))
def curves(rho: float) -> dict[str, PRCurve]:
    pair = prviz.toy("classes", share=rho).sample(N, seed=0)
    return {name: each.curve for name, each in estimate(pair, METHODS).items()}


@pytest.mark.parametrize("rho", SHARES)
def test_the_truth_is_a_square_of_side_rho(rho):
    assert prviz.toy("classes").parameters["classes"] == 80
    assert truth(rho).auc == pytest.approx(rho**2)
    assert truth(rho).extreme_precision == pytest.approx(rho)
    assert truth(rho).extreme_recall == pytest.approx(rho)


@pytest.mark.exhaustive
@pytest.mark.parametrize("rho", SHARES[:-1])
def test_twenty_clusters_see_more_in_common_than_there_is(rho):
    cluster = curves(rho)["cluster"]
    assert cluster.auc > truth(rho).auc + 0.2
    assert 1 - cluster.total_variation > rho + 0.05
    assert cluster.compare(truth(rho)).excess > 0.3


@pytest.mark.exhaustive
@pytest.mark.parametrize("rho", exhaustive_but(SHARES, 0.25))
def test_a_classifier_does_not(rho):
    classifier = curves(rho)["classifier"]
    assert classifier.auc == pytest.approx(truth(rho).auc, abs=0.1)
    assert 1 - classifier.total_variation == pytest.approx(rho, abs=0.05)
    assert classifier.compare(truth(rho)).deficit < 0.05


@pytest.mark.parametrize("rho", exhaustive_but(SHARES[:-1], 0.25))
def test_it_is_the_closer_one(rho):
    found = {name: abs(curve.auc - rho**2) for name, curve in curves(rho).items()}
    assert found["classifier"] < found["cluster"] / 2
    assert found["knn"] < found["cluster"] / 2


@pytest.mark.exhaustive
def test_both_see_that_nothing_differs():
    assert all(curve.auc > 0.95 for curve in curves(1.0).values())


@pytest.mark.exhaustive
def test_the_areas_of_the_document_are_those_measured():
    document = (ROOT / "docs" / "measured.md").read_text("utf-8")
    (text,) = re.findall(r"20 clusters\s+find far.*?\.\n", document, re.DOTALL)
    areas = [curves(rho)[name].auc for name in ("cluster", "classifier") for rho in (0.0, 0.5)]
    given = re.findall(r"0\.\d\d", text)
    assert [given[0], given[1], given[3], given[4]] == [f"{area:.2f}" for area in areas]


if __name__ == "__main__":
    heads = [f"{name}: AuC, 1 - TV, IoU" for name in METHODS]
    sys.stdout.write(
        "| rho | true AuC | " + " | ".join(heads) + " |\n|---|---|" + "---|" * len(heads) + "\n"
    )
    for share in SHARES:
        exact = truth(share)
        cells = [
            f"{c.auc:.3f}, {1 - c.total_variation:.3f}, {c.iou(exact):.2f}"
            for c in curves(share).values()
        ]
        sys.stdout.write(f"| {share:.2f} | {exact.auc:.3f} | " + " | ".join(cells) + " |\n")
