"""The papers' slips: the numbers that show them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from prviz.studies.papers import LineChart
from prviz.studies.papers.errata import ERRATA, Erratum


def numbers(place: str) -> tuple[float, ...]:
    (found,) = (each for each in ERRATA if each.place == place)
    return found.numbers()


@pytest.mark.parametrize("erratum", ERRATA, ids=lambda each: each.place)
def test_every_slip_has_its_numbers_and_a_figure_of_them(erratum: Erratum) -> None:
    assert np.isfinite(erratum.numbers()).all()
    assert "{" not in erratum.finding
    chart = erratum.chart()
    (panel,) = chart.panels.values()
    drawn = [
        line.mean if isinstance(chart, LineChart) else line.precision for line in panel.values()
    ]
    assert all(np.isfinite(values).all() for values in drawn)


def test_ppr_as_printed_is_1_for_sets_that_share_nothing() -> None:
    assert numbers("2024, equation 8") == pytest.approx((1, 0), abs=1e-6)


def test_atan_ends_at_the_diagonal() -> None:
    largest, degrees = numbers("2024, appendix B")
    assert (
        math.tan(math.radians(degrees)) == pytest.approx(largest) == pytest.approx(1.0039, abs=1e-4)
    )


def test_without_a_split_the_area_is_lower_and_the_split_is_too_high() -> None:
    """hal-05344404 means the setting without split by "the split setting"."""
    truth, split, none = numbers("2026, 5.1.1")
    assert none < truth < split


def test_an_end_below_the_published_scalar() -> None:
    assert numbers("2026, 6") == (1, 0)


def test_k_of_the_figure() -> None:
    root, *ious = numbers("2024, appendix B; 2026, D.2")
    assert root == 31
    assert all(0 < iou < 1 for iou in ious)


def test_the_standard_error_of_ten_repeats_reaches_the_second_decimal() -> None:
    ten, hundred = numbers("2024, 4.1")
    assert ten > 0.01 > hundred == pytest.approx(ten / math.sqrt(10))


def test_both_versions_have_other_truths() -> None:
    first, second = numbers("2026, Figure 16")
    # Common mass of the modes, min(p, q) summed: 0.4 and 0.3.
    assert first > second + 0.05


def test_a_mode_that_is_invented_puts_f8_above_the_end() -> None:
    end, score = numbers("2024, 5.1; 2026, 4.4, F_b")
    assert end == pytest.approx(0.3)
    assert score == pytest.approx(0.303, abs=5e-4)


def test_no_area_says_nothing_of_supports() -> None:
    assert numbers("2026, 4.4, AuC") == (0, 1)


def test_a_risk_without_gamma_has_no_minimum_over_it() -> None:
    printed, meant = numbers("2024, Theorem 3.1")
    assert printed == 0
    assert meant > 0.1


def test_a_mean_over_n_samples_of_n_curves() -> None:
    assert numbers("2024, appendix B; 2026, 5.1.3") == (0.01,)


def test_with_a_split_the_bias_of_a_perfect_generator_is_negative() -> None:
    (middle,) = numbers("2026, B.4")
    assert middle < 0.95
