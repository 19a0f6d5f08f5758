"""Values on the very edge of what a triage decides, each on the side where it belongs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.estimators import Supports
from prviz.measure.estimates import Estimate
from prviz.samples import SamplePair, Samples
from prviz.triage.classes import _MOST_CLASSES, LEAST_OF_CLASS, _share, _texts
from prviz.triage.curve_findings import (
    KINK_INSIDE,
    mode_reweighting,
)
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import BY_SHARES, MOSTLY, _lost
from prviz.triage.flagged import warnings_of
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import CheckpointOutcome, ResultCache, TriageSettings
from prviz.triage.robustness import winner_map
from tests import file_builders
from tests.triage.test_flagged import outcome, warning
from tests.triage.test_robustness import table

RNG = np.random.default_rng(0)


def fault(key: str, number: float, unit: str = "share") -> TriageFinding:
    return TriageFinding(key, key, key, number, "note", "preflight", unit)  # type: ignore[arg-type]


def test_classes_have_fifty_samples_and_are_two_hundred_at_most() -> None:
    for n, few in ((LEAST_OF_CLASS - 1, True), (LEAST_OF_CLASS, False)):
        assert _share("a", "real", np.zeros(n, bool), 9, 0.1).few == few
    samples = Samples(RNG.normal(size=(_MOST_CLASSES + 1, 1)))
    names = [f"c{place}" for place in range(samples.n)]
    assert len(set(_texts([*names[:-1], names[0]], samples, "real"))) == _MOST_CLASSES
    with pytest.raises(ValueError, match="201 different"):
        _texts(names, samples, "real")


@pytest.mark.parametrize(
    ("fpr", "fnr", "inside"),
    [
        ([KINK_INSIDE], [0.3], True),
        ([KINK_INSIDE - 0.001], [0.3], False),
        ([0.5 - KINK_INSIDE, 0.5], [1.5 * KINK_INSIDE, 0.0], True),
        ([0.501 - KINK_INSIDE, 0.5], [1.5 * KINK_INSIDE, 0.0], False),
    ],
)
def test_a_mode_is_re_weighted_inside_of_the_curve(
    fpr: list[float], fnr: list[float], inside: bool
) -> None:
    for curve in (PRCurve.from_error_rates(fpr, fnr), PRCurve.from_error_rates(fnr, fpr)):
        assert (mode_reweighting(curve).ratio > 1) == inside


@pytest.mark.parametrize(
    ("number", "apart", "lost"),
    [
        (0.3, BY_SHARES * 0.3, False),
        (0.3, BY_SHARES * 0.29, True),
        (MOSTLY, 0.1, False),
        (MOSTLY - 0.01, 0.1, True),
    ],
)
def test_missing_samples_explain_features_that_move_less(
    number: float, apart: float, lost: bool
) -> None:
    assert _lost((fault("dropping", number),), apart) == lost


def test_a_lead_of_just_the_noise_names_no_winner() -> None:
    scores = {"a": (0.5, 1.0), "b": (0.25, 0.5), "c": (0.25, 0.25)}
    rows = table(
        {
            ("knn", k): {name: each[place] for name, each in scores.items()}
            for place, k in enumerate((2, 3))
        }
    )
    assert [cell.column for cell in winner_map(rows, noise=0.25).won] == [1]
    assert len(winner_map(rows, noise=0.24).won) == 2


def test_warnings_are_one_of_each_kind_with_the_checkpoints_that_they_concern() -> None:
    x, y, other = warning("x", "3"), warning("y", "3"), warning("y", "4")
    a, b, c = outcome("a", x, y), outcome("b", x), outcome("c", x, other)
    for outcomes, said in (
        ([a, b, c, CheckpointOutcome(Checkpoint(Path("d"), "d"), ())], "a and 1 more: 3"),
        ([b], None),
        ([a, b], "a: 3"),
    ):
        found = {each.title: each.value_text for each in warnings_of(outcomes, {})}
        assert found == {"x": "3"} | ({} if said is None else {"y": said})


def test_results_are_found_again_by_the_digest_alone(tmp_path: Any) -> None:
    real = Samples(RNG.normal(size=(40, 3)))
    generated = Samples(RNG.normal(size=(33, 3)), groups=np.arange(33) // 3)
    settings = TriageSettings(("knn", "kde"))
    store = ResultCache(tmp_path / "kept")
    evaluator = CheckpointEvaluator(real, settings, store, 10**9)
    checkpoint = Checkpoint(tmp_path / "a.npy", "a")
    assert evaluator.kept(checkpoint, generated.digest, generated.n) == ()
    fresh = evaluator.measured(checkpoint, SamplePair(real, generated))
    again = evaluator.kept(checkpoint, generated.digest, generated.n)
    assert [each.method for each in again] == ["knn", "kde"]
    for one, other in zip(fresh, again, strict=True):
        np.testing.assert_array_equal(one.curve.vertices, other.curve.vertices)
        np.testing.assert_array_equal(one.estimate.supports.groups, other.estimate.supports.groups)
        assert (other.n_real, other.n_generated, other.k) == (40, 33, one.k)


@pytest.mark.parametrize("limit", ["_MOST_ABOUT", "_MOST_BYTES"])
def test_a_result_that_unpacks_to_more_than_any_is_none(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    store = ResultCache(tmp_path / "kept")
    key = {"method": "knn"}
    store.put(key, Estimate("knn", 1, None, (Supports(np.ones(9), np.ones(9), 4),)), 1.0)
    assert store.get(key) is not None
    monkeypatch.setattr(f"prviz.triage.measured.{limit}", 10)
    assert store.get(key) is None


def test_arrays_of_another_format_or_that_claim_more_than_there_is_are_no_result(
    tmp_path: Path,
) -> None:
    store = ResultCache(tmp_path)
    store.put_facts({"a": 1}, [1])
    (path,) = tmp_path.iterdir()
    claims = file_builders.raw_npy(file_builders.npy_header("|u1", (10**6,)), bytes(80))
    for about in (b"\x93NUMPY\x02\x00", claims):
        path.write_bytes(file_builders.archive({"about.npy": about}))
        assert store.facts({"a": 1}) is None
