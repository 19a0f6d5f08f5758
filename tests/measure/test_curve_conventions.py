"""Self-counting of every kind, against a double loop that counts and finds radii by its own
words.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

import prviz
from prviz.cli.main import main
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.curve_conventions import PAPERS, SELF_COUNTING, CurveConvention, self_counted
from prviz.measure.estimates import Estimate, measure
from prviz.samples import SamplePair, Split
from tests.estimators.pairs import lists

K = 4


RNG = np.random.default_rng(3)
# many ties and copies
PAIR = SamplePair(RNG.integers(0, 6, (24, 2)), RNG.integers(1, 7, (20, 2)))


def at_both(split: Split, method: str) -> tuple[Estimate, Estimate]:
    at_k, at_fewer = measure(split, [(method, K, None), (method, K - 1, None)], 0)
    return at_k, at_fewer


def slow_supports(split: Split, method: str, convention: str) -> tuple[list[int], list[int]]:
    """c_X and c_Y of every evaluation sample; a sample is a pair (role, number), so that copies are
    others.
    """
    itself_near = convention in ("radius", "both")
    itself_counts = convention in ("count", "both")
    fit = [[(role, i) for i in split.fit_rows[role].tolist()] for role in (0, 1)]
    points = [(role, i) for role in (0, 1) for i in split.evaluate_rows[role].tolist()]

    sides = list(split.pair)

    def distance(a: tuple[int, int], b: tuple[int, int]) -> float:
        return math.dist(sides[a[0]].values[a[1]], sides[b[0]].values[b[1]])

    def radius(centre: tuple[int, int], among: list[tuple[int, int]]) -> float:
        return sorted(distance(centre, x) for x in among if itself_near or x != centre)[K - 1]

    found: tuple[list[int], list[int]] = [], []
    for z, role in product(points, (0, 1)):
        own = fit[role]
        other = fit[1 - role]
        if method == "ipr":
            inside = [x for x in own if distance(x, z) <= radius(x, own)]
        else:
            if method == "kde":
                reach = math.fsum(radius(x, own) for x in own) / len(own)
            else:
                reach = radius(z, other if method == "coverage" else own + other)
            inside = [x for x in own if distance(x, z) <= reach]
        found[role].append(sum(itself_counts or x != z for x in inside))
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", DEFAULT_METHODS)
@pytest.mark.parametrize("split", [None, 0.5])
def test_self_counting_is_what_its_words_say(method: str, split: float | None) -> None:
    drawn = PAIR.split(split, 1)
    estimates = at_both(drawn, method)
    for convention in SELF_COUNTING:
        run = self_counted(*estimates, convention, held_out=split is not None).supports
        assert lists(run) == slow_supports(drawn, method, convention), convention


def test_a_convention_is_a_curve_and_an_iou() -> None:
    at_k, at_fewer = at_both(PAIR.split(None), "knn")
    own = CurveConvention()
    assert own.curve(at_k, at_fewer, held_out=False) is at_k.curve
    truth = prviz.PRCurve.from_error_rates([0.1], [0.2])
    assert own.iou(at_k.curve, truth) == at_k.curve.iou(truth)
    few = CurveConvention("both", 9, gammas=True)
    curve = few.curve(at_k, at_fewer, held_out=False)
    exact = CurveConvention("both").curve(at_k, at_fewer, held_out=False)
    assert curve.auc >= exact.auc  # fewer classifiers
    keys = [each.key for each in (own, few, CurveConvention("both"), CurveConvention("count", 31))]
    assert keys == ["iou", "iou_both_9_gamma", "iou_both", "iou_count_31"]


def test_a_curve_as_a_paper_computed_it() -> None:
    assert {name: paper.runs for name, paper in PAPERS.items()} == {
        "2024": 10,
        "2026": 10,
        "prdc": 1,
    }
    for name, paper in PAPERS.items():
        for method, (k, split) in paper.settings.items():
            curve = prviz.paper_curve(*PAIR, method, seed=2, convention=name)
            number = math.isqrt(20) if k == "sqrt" else k
            wanted = [(method, number, None), (method, number - 1, None)]
            at_k, at_fewer = measure(PAIR.split(split, 2), wanted, 2)
            expected = paper.drawn[method].curve(at_k, at_fewer, held_out=split is not None)
            assert curve.auc == expected.auc, (name, method)
    for choice, message in (
        ({"convention": "2018"}, "convention = '2018'; one of 2024, 2026, prdc"),
        (
            {"convention": "2026", "method": "prc"},
            "method = 'prc'; convention '2026' is of ipr, coverage, knn, kde",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            prviz.paper_curve(*PAIR, **choice)
    few = np.arange(3.0)[:, None]
    with pytest.raises(ValueError, match="k = 1; convention '2024'"):
        prviz.paper_curve(few, few, convention="2024")


def test_what_is_refused() -> None:
    for arguments, message in (
        ({"self_counting": "twice"}, "self_counting = 'twice'; one of count, none, radius, both"),
        ({"rays": 8}, "rays = 8; an integer from 9 to 1,001"),
        ({"gammas": True}, "gammas = True without rays"),
    ):
        with pytest.raises(ValueError, match=message):
            CurveConvention(**arguments)  # type: ignore[arg-type]
    drawn = PAIR.split(None)
    with pytest.raises(ValueError, match="prc at k = 4 and 3; counts in balls"):
        self_counted(*at_both(drawn, "prc"), "both", held_out=False)
    at_k, at_fewer = at_both(drawn, "knn")
    with pytest.raises(ValueError, match="knn at k = 3 and 4; counts in balls"):
        self_counted(at_fewer, at_k, "both", held_out=False)


def test_the_shell_says_what_a_convention_changes(
    tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(tmp_path / f"{role}.npy") for role in ("real", "generated")]
    for path, side in zip(files, PAIR, strict=True):
        np.save(path, side.values)
    assert main(["parity", *files, "--k", str(K)]) == 0
    assert "curves" not in capsys.readouterr().out
    assert main(["parity", *files, "--k", str(K), "--self", "both", "--rays", "9"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        "curves without split, 9 rays; a sample is its own first neighbour, and is counted" in lines
    )
    row = next(line.split() for line in lines if line.startswith("knn "))
    at_k, at_fewer = at_both(PAIR.split(None), "knn")
    convention = CurveConvention("both", 9)
    curve = convention.curve(at_k, at_fewer, held_out=False)
    numbers = (curve.auc, at_k.curve.auc, convention.iou(curve, at_k.curve))
    assert row[1:] == [f"{number:.4f}" for number in numbers]
    assert main(["parity", *files, "--convention", "2026"]) == 0
    assert PAPERS["2026"].source in capsys.readouterr().out
    for options, message in (
        (["--convention", "2026", "--rays", "9"], "give it alone"),
        (["--rays", "3"], "rays = 3"),
        (["--k", "1", "--self", "both"], "k = 1; curves at k - 1"),
    ):
        assert main(["parity", *files, *options]) == 2
        assert message in capsys.readouterr().err
