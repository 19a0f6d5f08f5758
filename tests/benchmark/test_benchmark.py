"""The frozen benchmark: its samples, the comparison of points with a curve, and estimators of other
packages.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import prviz
from prviz.benchmark import (
    DRAWS,
    PAIRS,
    VERSION,
    benchmark,
    of_family,
    plugin,
    score as frozen,
    summary,
)
from prviz.benchmark.shapes import compare, points_of
from prviz.cli.main import main
from prviz.curves import PRCurve
from prviz.samples import SamplePair

SMALL = ["painted, d = 1", "Gaussians, d = 2"]
PLUGIN = """
import numpy as np
from prviz import PRCurve

def half(real, generated):
    return 0.5, 0.5

def oracle(real, generated):
    real[:] = 0  # what it does to its samples is its own
    return PRCurve.from_error_rates([0.0], [1.0]), (0.9, 1.0)

def fails(real, generated):
    raise RuntimeError("not today")

def wrong(real, generated):
    return np.full((3, 2), 1.5)
"""


@pytest.fixture
def theirs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "another_package.py").write_text(PLUGIN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return "another_package"


def test_the_samples_are_those_of_this_version() -> None:
    assert len(PAIRS) == 12
    assert list(frozen.digests()) == list(PAIRS)
    for pair in PAIRS.values():
        for draw in range(DRAWS):
            assert frozen.digest(pair.sample(draw)) == frozen.digests()[pair.name][draw]


def test_samples_that_differ_in_a_last_bit_are_those_of_this_version(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = PAIRS[SMALL[0]]
    drawn = pair.drawn(0)
    real = drawn.real.values.copy()
    place = np.unravel_index(np.argmax(real), real.shape)
    real[place] = np.nextafter(real[place], np.inf)
    other = SamplePair.of(real, drawn.generated)
    monkeypatch.setattr(type(pair), "drawn", lambda *_: other)
    assert pair.sample(0) is other
    real[place] += 0.01
    other = SamplePair.of(real, drawn.generated)
    with pytest.raises(frozen.ForeignSamplesError):
        pair.sample(0)


def test_other_samples_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen, "digests", lambda: {SMALL[0]: ["0"] * DRAWS})
    with pytest.raises(frozen.ForeignSamplesError, match=f"version {VERSION}"):
        PAIRS[SMALL[0]].sample(0)


def test_a_single_point_claims_a_rectangle() -> None:
    truth = PRCurve.from_error_rates([0.0], [0.0])  # nothing shared
    square = PRCurve.from_error_rates([], [])  # all of it
    found, area = compare(points_of((0.6, 0.8)), square)
    assert area == pytest.approx(0.48, abs=1e-5)
    assert (found.iou, found.excess, found.deficit) == pytest.approx((0.48, 0, 0.52), abs=1e-5)
    found, _ = compare(points_of((0.6, 0.8)), truth)
    assert (found.iou, found.excess, found.deficit) == pytest.approx((0, 1, 0), abs=1e-5)


@pytest.mark.parametrize("name", ["mixtures", "shifted-gaussians", "classes"])
def test_many_points_of_a_curve_are_that_curve(name: str) -> None:
    truth = prviz.toy(name).truth()
    other = prviz.toy("shifted-gaussians", mu=0.2).truth()
    lam = np.tan(np.linspace(0, np.pi / 2, 4000))
    points = np.column_stack([truth.alpha(lam), truth.beta(lam)])
    shuffled = np.random.default_rng(0).permutation(points)
    dominated = np.vstack([shuffled, 0.9 * shuffled])
    found, area = compare(points_of(dominated), other)
    exact = truth.compare(other)
    assert area == pytest.approx(truth.auc, abs=2e-3)
    assert (found.iou, found.excess, found.deficit) == pytest.approx(
        (exact.iou, exact.excess, exact.deficit), abs=2e-3
    )


@pytest.mark.exhaustive
def test_families_and_functions_of_others_get_the_same_scores(theirs: str) -> None:
    contestants = [
        *of_family("knn"),
        *(plugin(f"{theirs}:{name}") for name in ("half", "oracle", "fails", "wrong")),
    ]
    rows = benchmark(contestants, SMALL, draws=2)
    assert len(rows) == 6 * 2 * 2
    table = summary(rows).set_index(["estimator", "setting"])
    for pair in SMALL:
        truth = PAIRS[pair].truth
        for draw in range(2):
            own = prviz.pr_curve(*PAIRS[pair].sample(draw), "knn", seed=0).compare(truth).iou
            row = rows[(rows.pair == pair) & (rows.draw == draw)].set_index(
                ["estimator", "setting"]
            )
            assert row.loc[("kNN", "k = √n, split 50 %"), "iou"] == own
            assert row.loc[(f"{theirs}:oracle", "its own"), "iou"] == pytest.approx(truth.auc)
            assert row.loc[(f"{theirs}:oracle", "its own"), "holds"] == float(truth.auc >= 0.9)
    assert table.loc[(f"{theirs}:fails", "its own"), "failed"] == 4
    assert set(rows[rows.estimator == f"{theirs}:fails"].error) == {"not today"}
    assert "0 to 1" in rows[rows.estimator == f"{theirs}:wrong"].error.iloc[0]
    assert (rows[rows.error == ""].products > 0).all()


@pytest.mark.exhaustive
def test_the_command_prints_the_table(
    theirs: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = [
        "benchmark",
        "ipr",
        f"{theirs}:half",
        f"{theirs}:fails",
        "--pairs",
        SMALL[0],
        "--draws",
        "1",
    ]
    assert main([*asked, "--out", str(tmp_path / "rows.csv")]) == 0
    said = capsys.readouterr().out
    assert f"prviz benchmark {VERSION}: 1 pairs, 1 draws" in said
    assert "iPR" in said
    assert f"{theirs}:fails, {SMALL[0]}, draw 0: not today" in said
    assert len((tmp_path / "rows.csv").read_text().splitlines()) == 1 + 4


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (["nothing"], "the families are knn"),
        (["no_such_module:f"], "MODULE:FUNCTION is needed"),
        (["knn", "--pairs", "x"], "the pairs are same distribution"),
        (["knn", "--draws", "9"], "1 to 3 are frozen"),
    ],
)
def test_what_is_not_there_is_refused(
    asked: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["benchmark", *asked]) == 2
    assert reason in capsys.readouterr().err
