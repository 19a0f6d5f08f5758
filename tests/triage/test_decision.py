"""The decision: families that disagree, and copies left out; test_alone.py has what no other file
may change.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from prviz.curves import PRCurve
from prviz.reports.document import _family
from prviz.reports.trackers import metrics_of
from prviz.samples import SamplePair, Samples
from prviz.triage.decision import (
    Aside,
    Basis,
    believed_areas,
    judge,
    sides_of_one,
    summaries_of_one,
)
from prviz.triage.inputs import Checkpoint
from prviz.triage.measure import CheckpointEvaluator
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings
from prviz.triage.ranking import marks
from prviz.uncertainty.bootstrap import Interval

REAL = Samples(np.random.default_rng(0).normal(size=(150, 8)))


def measured(settings: TriageSettings, **spreads: float) -> list[MeasuredCheckpoint]:
    evaluator = CheckpointEvaluator(REAL, settings, None, 10**9)
    draw = np.random.default_rng(1)
    found = []
    for name, spread in spreads.items():
        pair = SamplePair(REAL, spread * draw.normal(size=(150, 8)))
        found += evaluator.measured(Checkpoint(Path(name), name), pair)
    return found


def test_other_families_are_heard_where_the_best_classifier_is_not_measured() -> None:
    found = measured(TriageSettings(("ipr", "knn", "eas")), good=1.0, wide=1.5)
    judgement = judge(found, replicates=5)
    decision = judgement.decision
    assert decision.basis == Basis("knn", "by kNN")
    assert "Scored by kNN." in decision.sentence
    levels = {name: of_family["good"] for name, of_family in judgement.scores.items()}
    assert ("disagree in level" in decision.sentence) == (
        max(levels.values()) - min(levels.values()) > 0.1
    )


@pytest.mark.exhaustive
def test_copies_are_no_candidates_unless_all_are() -> None:
    found = measured(TriageSettings(), copy=1.0, narrow=0.5)
    assert judge(found).decision.best == "copy"
    decision = judge(found, aside=Aside(["copy"])).decision
    assert (decision.best, decision.memorised) == ("narrow", ("copy",))
    assert "Left out, as copies of the reference: copy." in decision.sentence
    assert judge(found, aside=Aside(["copy", "narrow"])).decision.best == "copy"


def test_a_copy_that_is_left_out_takes_no_draw_from_the_candidates() -> None:
    found = measured(TriageSettings(methods=("knn",)), copy=1.0, a=1.3, b=1.3, c=4.0)
    judged = judge(found, aside=Aside(["copy"]))
    among = ["checkpoint", "best", "behind", "loses", "tied_with_best", "margin"]
    lines = judged.table[among].set_index("checkpoint")
    own = judged.candidates[among].set_index("checkpoint")
    assert lines.loc[own.index].equals(own)
    assert own["best"].sum() == pytest.approx(1.0)
    assert own.loc[judged.decision.best, "tied_with_best"]
    assert not lines.loc["copy", "tied_with_best"]
    assert lines.loc["copy", ["best", "behind", "loses", "margin"]].isna().all()
    assert marks(judged.decision.best, judged.table.to_dict("records")[1]) == ""
    texts = [marks(judged.decision.best, line) for line in judged.table.to_dict("records")]
    assert texts.count("may be best too") == len(judged.decision.also) == 1


def test_no_area_in_a_report_or_a_log_exceeds_the_bound_that_caps_the_score() -> None:
    (alone,) = measured(TriageSettings(methods=("knn",)), a=1.0)
    loose = metrics_of([alone])
    assert loose["prviz/knn/auc"] == alone.curve.auc
    bound = PRCurve.from_error_rates([0.0, 0.1], [0.1, 0.0])
    assert bound.auc < alone.curve.auc
    tight = replace(alone, own_bound=bound)
    (judged,) = judge([tight]).scores["knn"].values()
    assert (
        summaries_of_one([tight])["knn"]["auc"]
        == metrics_of([tight])["prviz/knn/auc"]
        == judged
        <= bound.auc
    )
    interval = {key: Interval(0.0, 1.0) for key in alone.summaries}
    entry = _family(tight, sides_of_one([tight])["knn"], interval)["summaries"]
    assert entry["auc"] == {"value": judged, "low": 0.0, "high": pytest.approx(bound.auc)}
    assert entry["f8_recall"]["value"] == alone.summaries["f8_recall"]
    believed = replace(tight, estimate=replace(alone.estimate, method="tightest"))
    assert believed_areas([believed]) == {"a": bound.auc}
