"""Results show themselves: one line of text, and in a notebook a small drawing without a script."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import prviz
from prviz.curves import PRCurve, shown
from prviz.estimators import DEFAULT_METHODS
from prviz.estimators.colors import FAMILY_COLORS


@pytest.fixture(scope="module")
def samples() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [rng.normal(shift, size=(80, 3)) for shift in (0.0, 0.3, 1.0)]


def test_the_five_numbers_are_those_of_the_curve() -> None:
    curve = PRCurve.from_error_rates([0.0, 0.2, 0.6], [0.9, 0.3, 0.0])
    area, precision, recall, balanced, apart = shown.five(curve)
    assert (area, precision) == (f"{curve.auc:.2f}", f"{curve.precision_at(0.05):.2f}")
    assert (recall, balanced) == (f"{curve.recall_at(0.05):.2f}", f"{curve.alpha(1):.2f}")
    assert apart == "75 %"  # the classifier (0.2, 0.3), which errs on a quarter of all samples


def test_each_result_is_one_line_and_a_small_drawing(samples: list[np.ndarray]) -> None:
    real, one, other = samples
    estimates = prviz.estimate(real, one, methods=DEFAULT_METHODS[:2], k=5)
    results = [
        prviz.pr_curve(real, one),
        estimates,
        estimates["knn"],
        prviz.compare(real, one, other, replicates=20),
        prviz.compare(real, {"a <b>": one, "c": other}, replicates=20),
        prviz.profile(real, one, methods=("knn", "ipr")),
        prviz.Samples(real, "a <b>"),
        prviz.SamplePair(prviz.Samples(real, "a <b>"), one),
    ]
    for result in results:
        assert "\n" not in repr(result)
        assert len(repr(result)) < 200
        text = result._repr_html_()
        assert len(text) < 30_000
        assert not re.search(r"<script|http|<b>\s*</b>|a <b>", text)
        ElementTree.fromstring(text)
    assert "\n" not in repr(prviz.bootstrap(estimates["knn"], replicates=20))


def test_families_have_their_colours_and_stand_lowest_first(samples: list[np.ndarray]) -> None:
    estimates = prviz.estimate(samples[0], samples[1], methods=("knn", "ipr"), k=5)
    text = estimates._repr_html_()
    lowest, highest = sorted(estimates.values(), key=lambda each: each.auc)
    assert text.index(FAMILY_COLORS[lowest.method]) < text.index(FAMILY_COLORS[highest.method])
    assert estimates["knn"].auc == estimates["knn"].curve.auc


def test_tables_have_a_row_for_each_curve(samples: list[np.ndarray]) -> None:
    real, one, other = samples
    estimates = prviz.estimate(real, one, methods=("knn", "ipr"), k=5)
    table = estimates.to_frame()
    assert list(table.index) == ["knn", "ipr"]
    assert table.loc["ipr", "auc"] == estimates["ipr"].auc
    several = prviz.compare(real, {"near": one, "far": other}, replicates=20)
    assert list(several.to_frame()["name"]) == [each.name for each in several.ranking()]


def test_the_headline_names_a_winner_only_where_there_is_one(samples: list[np.ndarray]) -> None:
    real, one, other = samples
    far = prviz.compare(real, {"near": one, "far": other + 3}, replicates=50)
    assert "Best: near." in far._repr_html_()
    same = prviz.compare(real, one, one[::-1], replicates=50)
    assert "No winner" in repr(same)


def test_no_two_curves_of_a_result_have_one_colour(samples: list[np.ndarray]) -> None:
    real, one, _ = samples
    names = [f"m{place}" for place in range(15)]
    text = prviz.compare(
        real, {name: one + place for place, name in enumerate(names)}, replicates=5
    )._repr_html_()
    given = re.findall(r'color:(#\w+)">■', text)
    assert len(set(given)) == len(names)
    # far apart, as kNN's blue and the spare one are not
    assert given[:3] == list(FAMILY_COLORS.values())[:3]


def test_the_progress_of_a_comparison_is_that_of_its_measurements_and_may_stop_it(
    samples: list[np.ndarray],
) -> None:
    real, one, other = samples
    told: list[float] = []
    prviz.compare(real, one, other, replicates=5, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(2 / 3)
    told.clear()
    prviz.pr_curve(real, one, progress=told.append)
    assert told[-1] == 1.0

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    for call in (
        lambda: prviz.pr_curve(real, one, progress=stop),
        lambda: prviz.compare(real, one, other, progress=stop),
    ):
        with pytest.raises(KeyboardInterrupt):
            call()
