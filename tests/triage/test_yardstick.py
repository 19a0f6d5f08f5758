"""Ceiling and floor: real against real, in halves or held out, and every checkpoint's share of the
ceiling.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import prviz
from prviz.samples import Samples, as_samples
from prviz.triage.decision import Aside, judge
from prviz.triage.inputs import Checkpoint
from prviz.triage.measured import MeasuredCheckpoint, TriageSettings
from prviz.triage.ranking import score
from prviz.triage.yardstick import shares_of_ceiling, yardstick
from tests.triage_files import measure_all


def drawn(seed: int, n: int = 600) -> Samples:
    values = np.random.default_rng(seed).normal(size=(n, 4))
    values[:, 1:] = 2 * values[:, :1] + 0.3 * values[:, 1:]  # features that shuffling takes apart
    return as_samples(values, name="some")


def measured(folder: Path, reference: Samples, generated: Samples) -> MeasuredCheckpoint:
    np.save(folder / "one.npy", generated.values)
    (outcome,) = measure_all(reference, [Checkpoint(folder / "one.npy", "one")], TriageSettings())
    return outcome.measured[0]


def test_the_ceiling_of_a_holdout_is_its_own_score_and_the_floor_lies_far_below() -> None:
    real = drawn(0)
    holdout = drawn(1)
    found = yardstick(real, TriageSettings(("knn", "ipr")), holdout)
    for name in ("knn", "ipr"):
        alone = prviz.pr_curve(real, holdout, method=name).auc
        assert score(found.ceiling[name].curve) == pytest.approx(alone, abs=1e-12)
        assert score(found.floor[name].curve) < 0.7 * score(found.ceiling[name].curve)
    assert found.source == "600 held-out real samples against 600"


def test_without_a_holdout_two_halves_that_share_nothing_are_the_ceiling_and_it_is_said() -> None:
    real = drawn(0)
    found = yardstick(real, TriageSettings())
    ceiling = found.ceiling["knn"]
    assert (ceiling.n_real, ceiling.n_generated) == (300, 300)
    assert ceiling.digests.real != ceiling.digests.generated
    assert "two halves of the reference, 300 samples each; scores depend" in found.source


def test_real_samples_reach_the_ceiling(tmp_path: Path) -> None:
    real = drawn(0)
    known = yardstick(real, TriageSettings(), drawn(1))
    share = shares_of_ceiling([measured(tmp_path, real, drawn(2))], known, apart={"one": False})[
        "one"
    ]
    assert share.reaches_ceiling
    assert share.sentence.endswith("can't be told apart from real data at this n")
    assert share.sentence.startswith("is as good as real data") == (share.share >= 1)


@pytest.mark.exhaustive
def test_a_floor_near_the_ceiling_forbids_that_nothing_can_be_told_apart(tmp_path: Path) -> None:
    """One column in other units holds all the variance: seven displaced features are not seen."""
    rng = np.random.default_rng(0)
    scale = np.array([3e4] + [1.0] * 7)
    names = ("income", *(f"rate{place}" for place in range(7)))
    real = Samples(rng.normal(size=(600, 8)) * scale, features=names)
    other = Samples((rng.normal(size=(600, 8)) + 1.5 * (scale == 1)) * scale, features=names)
    found = yardstick(real, TriageSettings())
    one = measured(tmp_path, real, other)
    apart = {"one": False}
    low = found._replace(floor={"knn": measured(tmp_path, real, Samples(other.values + scale))})
    assert shares_of_ceiling([one], low, apart=apart)["one"].reaches_ceiling
    share = shares_of_ceiling([one], found, apart=apart)["one"]
    assert not share.reaches_ceiling
    assert "so do real samples with their features shuffled" in share.sentence
    assert share.sentence.endswith(
        "feature income alone holds nearly all of the variance: scale the features, or leave it out"
    )
    told = judge([one], aside=Aside(apart={"one": False}, yardstick=found))
    assert told.shares["one"] == share
    remedy = yardstick(Samples(real.values / scale, features=names), TriageSettings())
    assert remedy.dominant == ""


def test_where_held_out_real_samples_are_told_apart_no_share_of_the_ceiling_is_said(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(0)

    def frames_of_videos() -> Samples:
        videos = np.repeat(rng.normal(size=(24, 16)), 25, axis=0)
        return as_samples(videos + 0.01 * rng.normal(size=videos.shape), name="frames")

    real = frames_of_videos()
    settings = TriageSettings(k=3)
    generated = measured(tmp_path, real, frames_of_videos())
    known = yardstick(real, settings, frames_of_videos())
    share = shares_of_ceiling([generated], known)["one"]
    assert score(known.ceiling["knn"].curve) < 0.1
    assert not share.reaches_ceiling
    assert share.sentence.startswith("can't be judged: real samples are told from other real")
