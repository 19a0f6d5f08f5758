"""Numbers that the papers fix, given: each against its slow twin, its key, its errors; the
published ones as before.
"""

from __future__ import annotations

import copy
import pickle
from functools import partial

import numpy as np
import pytest

import prviz
from prviz import figures
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import estimate, measure
from prviz.measure.profiles import profile
from prviz.studies.sweeps import SweepGrid, sweep_cells
from tests.estimators.pairs import PAIRS, SPLITS, gaussians, lists, supports
from tests.estimators.test_cluster import shares_of_places
from tests.estimators.test_eas_prc_ppr import slow_ppr, slow_prc
from tests.estimators.test_hub import hub_lists, slow_supports

# Every parameter at its published value.
PUBLISHED = ("cluster:clusters=20", "prc:k_prime=0:c=3", "ppr:a=1.2", "hub:t=3")


@pytest.mark.one_in(3)
@PAIRS
@SPLITS
@pytest.mark.parametrize(
    ("method", "slow"),
    [
        ("prc:k_prime=2", partial(slow_prc, least=2)),
        ("prc:k_prime=1:c=5", partial(slow_prc, least=1, c=5)),
        ("ppr:a=0.5", partial(slow_ppr, a=0.5)),
        ("ppr:a=3.0", partial(slow_ppr, a=3.0)),
    ],
)
def test_prc_and_ppr(pair, split, method, slow):
    found = supports(pair, method, k=3, split=split, seed=2)
    assert lists(found) == slow(pair.split(split, 2), 3)


@pytest.mark.one_in(3)
@PAIRS
@SPLITS
@pytest.mark.parametrize("t", [0, 8])
def test_hub(pair, split, t):
    found = supports(pair, f"hub:t={t}", k=4, split=split, seed=2)
    assert hub_lists(found) == slow_supports(pair.split(split, 2), 4, 2, t)


@pytest.mark.parametrize("clusters", [1, 2, 50])
def test_clusters(clusters):
    """At separate places k-means has one solution; the nearest centre itself:
    tests/estimators/test_cluster.py.
    """
    places = 100.0 * np.arange(min(clusters, 6))[:, None] * np.ones(2)
    rng = np.random.default_rng(0)
    pair = prviz.SamplePair(
        places[rng.integers(len(places), size=40)], places[rng.integers(len(places), size=30)]
    )
    (found,) = estimate(pair, f"cluster:clusters={clusters}", split=None).values()
    for run in found.runs:
        assert lists(run) == shares_of_places(pair.split(None))
    assert clusters > 1 or found.curve.auc == 1.0


@pytest.mark.one_in(4)
@PAIRS
@pytest.mark.parametrize("method", PUBLISHED)
def test_the_published_value_is_the_default(pair, method):
    for split in (0.5, None):
        family = method.partition(":")[0]
        given, default = estimate(pair, (method, family), k=4, split=split).values()
        assert [lists(run) for run in given.runs] == [lists(run) for run in default.runs]
        assert ESTIMATORS[method].name == family
        assert ESTIMATORS[method].title == ESTIMATORS[family].title


def test_the_numbers_of_before():
    """Areas measured before there were parameters."""
    pair = prviz.toy("mixtures", d=3).sample(200, seed=0)
    before = {
        "cluster": 0.2818771470074867,
        "prc": 0.27635634851384755,
        "ppr": 0.2988131505029965,
        "hub": 0.45694004270550964,
    }
    for method, auc in before.items():
        assert prviz.pr_curve(*pair, method, k=5).auc == pytest.approx(auc, rel=1e-12), method


# ---- the mechanism ----


def test_a_name_with_parameters_stands_wherever_a_method_does():
    real, generated = prviz.toy("mixtures", d=3).sample(80, seed=0)
    method = "prc:k_prime=1:c=1"
    curve = prviz.pr_curve(real, generated, method, k=3)
    np.testing.assert_array_equal(
        curve.vertices, prviz.pr_curve(real, generated, "coverage", k=3).vertices
    )
    assert profile(real, generated, ("prc", method), (2, 3)).curve(method, 3).auc == curve.auc
    compared = prviz.compare(real, generated, generated, method, k=3, replicates=5)
    assert compared.a.curve.auc == curve.auc
    split = prviz.SamplePair(real, generated).split(0.5)
    both = measure(split, [("prc", 3, None), (method, 3, None)], 0)
    assert [each.method for each in both] == ["prc", method]
    assert both[0].curve.auc != both[1].curve.auc
    assert prviz.bootstrap(both[1], 5).curve.auc == curve.auc
    assert pickle.loads(pickle.dumps(both[1])).method == method


def test_what_is_kept_has_a_key_of_its_own():
    cells = [
        sweep_cells(SweepGrid("mixtures", methods, ns=[60]))[0]
        for methods in ("cluster", "cluster:clusters=5")
    ]
    assert cells[0].keys != cells[1].keys
    assert cells[0].drawn_by == cells[1].drawn_by
    rows = [row for cell in cells for row in cell.run()]
    assert [row["method"] for row in rows] == ["cluster", "cluster:clusters=5"]
    assert rows[0]["auc"] != rows[1]["auc"]


def test_names_and_titles():
    prc = ESTIMATORS["prc"]
    assert prc.named({"c": 4, "k_prime": 0}) == "prc:c=4"
    assert prc.named({"c": 3}) == prc.named({}) == "prc"
    assert ESTIMATORS["ppr"].named({"a": 2.0}) == "ppr:a=2"
    given = ESTIMATORS["prc:c=4:k_prime=2"]
    assert (given.name, given.title) == ("prc:k_prime=2:c=4", "PRC (k_prime = 2, c = 4)")
    assert (prc.value("c"), given.value("c"), prc.name) == (3, 4, "prc")
    assert list(copy.copy(ESTIMATORS)) == list(ESTIMATORS)
    assert ":" not in "".join(ESTIMATORS)
    assert "prc:c=4" in ESTIMATORS
    assert "knn" in ESTIMATORS
    for name in ("prc:c=0", "knn:k=3", "nope:c=1", "prc:", "", None, 3):
        assert name not in ESTIMATORS
    with pytest.raises(KeyError):
        ESTIMATORS["nope:c=1"]


def test_a_family_keeps_its_colour():
    own = figures.FAMILY_COLORS
    given = figures.colors(["knn", "cluster:clusters=5", "hub:t=1", "hub"])
    assert given["cluster:clusters=5"] == own["cluster"]
    assert given["hub"] == own["hub"] != given["hub:t=1"]
    assert figures.colors(["cluster: of words", "knn"])["cluster: of words"] not in (
        own["knn"],
        own["cluster"],
    )
    assert len({*given.values()}) == 4


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("cluster:clusters=0", "clusters = 0; an integer from 1 to 500 is needed"),
        ("cluster:clusters=2.5", "cluster: 'clusters=2.5'; clusters=NUMBER is needed"),
        ("cluster:k=3", "cluster has no parameter 'k'; it has clusters"),
        ("knn:c=3", "knn has no parameter 'c'; it has none"),
        ("prc:c=101", "c = 101; an integer from 1 to 100"),
        ("prc:k_prime=-1", "k_prime = -1; an integer from 0"),
        ("ppr:a=0", r"a = 0.0; a number from 0.1 to 10"),
        ("ppr:a=nan", "a = nan; a number from"),
        ("ppr:a", "ppr: 'a'; a=NUMBER is needed"),
        ("hub:t=-1", "t = -1; an integer from 0"),
        ("hubs:t=1", "methods = 'hubs:t=1'; one or more of knn"),
        ("hub:", "hub has no parameter ''; it has t"),
    ],
)
def test_what_is_refused(method, message):
    with pytest.raises(ValueError, match=message):
        prviz.pr_curve(*gaussians(), method)
