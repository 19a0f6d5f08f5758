from __future__ import annotations

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.curves.summaries import (
    COMPARISONS,
    SUMMARIES,
    rounded_up,
    summaries,
    summary_list,
    table_columns,
)

EQUAL = PRCurve.from_error_rates([], [])
DISJOINT = PRCurve.from_error_rates([0.0], [0.0])
BENT = PRCurve.from_error_rates([0.0, 0.3, 0.5], [0.6, 0.2, 0.0])


def test_equal_distributions_score_one_everywhere_and_disjoint_ones_zero() -> None:
    ones = summaries(EQUAL)
    # on alpha = min(lam, 1) the ray that halves the unit square is lam = 1, at its corner
    assert ones == pytest.approx(dict.fromkeys(ones, 1.0))
    assert summaries(DISJOINT) == dict.fromkeys(ones, 0.0)


def test_keys_and_labels_are_unique_and_each_has_one_sentence() -> None:
    assert [summary.key for summary in SUMMARIES] == [
        "auc",
        "alpha_inf",
        "beta_0",
        "f8_precision",
        "f8_recall",
        "median_precision",
        "median_recall",
        "alpha_at_005",
        "beta_at_005",
        "one_minus_tv",
    ]
    known = table_columns(True)
    assert len(known) == len(SUMMARIES) + len(COMPARISONS)
    for text in (column.explanation for column in known):
        assert text.endswith(".")
        assert ". " not in text
        assert len(text) < 120


def test_no_bare_f8() -> None:
    labels = [summary.label for summary in SUMMARIES if "F8" in summary.label]
    assert labels == ["F8, leaning to precision", "F8, leaning to recall"]


def test_summaries_lean_to_their_own_side() -> None:
    lopsided = summaries(PRCurve.from_error_rates([0.0, 0.1], [0.9, 0.0]))
    assert lopsided["f8_precision"] > 0.8 > 0.2 > lopsided["f8_recall"]
    assert lopsided["alpha_inf"] == 0.9
    assert lopsided["beta_0"] == 0.1


def test_swapping_the_roles_swaps_every_pair() -> None:
    here = summaries(BENT)
    there = summaries(BENT.mirrored())
    for one, other in (
        ("alpha_inf", "beta_0"),
        ("f8_precision", "f8_recall"),
        ("median_precision", "median_recall"),
        ("alpha_at_005", "beta_at_005"),
        ("auc", "auc"),
        ("one_minus_tv", "one_minus_tv"),
    ):
        assert here[one] == pytest.approx(there[other])
        assert here[other] == pytest.approx(there[one])


@pytest.mark.parametrize(("b", "eps"), [(0.5, 0.3), (2.0, 0.01), (20.0, 0.5), (8.0, 0.05)])
def test_any_weight_and_any_recall_equal_a_search_along_the_curve(b: float, eps: float) -> None:
    lams = np.tan(np.linspace(1e-6, np.pi / 2 - 1e-6, 400_001))
    for curve in (BENT, PRCurve.from_error_rates([0.1, 0.4], [0.7, 0.1])):
        alpha = curve.alpha(lams)
        beta = curve.beta(lams)
        found = list(summaries(curve, b, eps).values())
        weight = b * b
        slow = [
            np.max((weight + 1) / (weight / alpha + 1 / beta)),
            np.max((weight + 1) / (weight / beta + 1 / alpha)),
            np.max(alpha[beta >= eps], initial=0),
            np.max(beta[alpha >= eps], initial=0),
        ]
        assert [*found[3:5], *found[7:9]] == pytest.approx(slow, abs=1e-4)


def test_weight_and_recall_are_in_keys_and_labels() -> None:
    assert [each[:3] for each in summary_list(8.0, 0.05)] == [each[:3] for each in SUMMARIES]
    other = {each.key: each for each in summary_list(1.5, 0.2)}
    assert list(other) == [
        key.replace("f8", "f1_5").replace("_at_005", "_at_02")
        for key in (each.key for each in SUMMARIES)
    ]
    assert other["f1_5_recall"].label == "F1.5, leaning to recall"
    assert "counts 1.5 times as much" in other["f1_5_recall"].explanation
    assert (other["alpha_at_02"].label, other["alpha_at_02"].short) == ("α@0.2", "P@.2")
    assert "F1.5, leaning to precision" in [
        column.label for column in table_columns(False, 1.5, 0.2)
    ]
    for b, eps, message in (
        (0.0, 0.05, "b = 0.0"),
        (8.0, 1.5, "recall = 1.5"),
        (float("nan"), 0.05, "b = nan"),
    ):
        with pytest.raises(ValueError, match=message):
            summaries(BENT, b, eps)


def test_what_the_truth_is_at_most_is_never_written_below_it() -> None:
    written = {0.012222: "0.0123", 0.8572: "0.8572", 0.99996: "1.0000", 0.0: "0.0000"}
    assert {value: rounded_up(value, 4) for value in written} == written
    assert rounded_up(0.941, 2) == "0.95"
