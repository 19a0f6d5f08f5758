"""Sentences that state a direction, an end or a published figure: each has a row in `claims.toml`,
and what they say.

`tests/claims.py` finds them. Below the table's own tests are those that compute what no other test
does.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import prviz
from prviz.curves.pr_curve import Comparison
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import Estimate, estimate
from prviz.measure.risk import risk
from prviz.measure.scalars import scalars
from prviz.neighbors import nearest_radii
from prviz.readers import paths
from prviz.readers.bundled import bundled_names, bundled_pair, bundled_path
from prviz.studies.papers import EXPERIMENTS
from prviz.studies.papers.base import LAMS, stored
from prviz.studies.papers.gaussians import PUBLISHED
from tests import claims
from tests.marks import exhaustive_but

K = int | Literal["sqrt"]
Split = float | None
CLASSIFIERS = ("classifier", "classifier-boosting", "classifier-mlp")

PROBLEMS = {
    "same": prviz.toy("identical"),
    "small shift": prviz.toy("shifted-gaussians", mu=1 / 8),
    "shift": prviz.toy("shifted-gaussians", mu=3 / 8),
    "mixtures": prviz.toy("mixtures"),
    "classes": prviz.toy("classes", share=0.5),
    "scaled": prviz.toy("scaled-gaussian", scale=0.9),
    "high dimension": prviz.toy("high-dimension"),
}


@cache
def measured(method: str, problem: str, split: Split = 0.5, k: K = "sqrt") -> Estimate:
    """One estimate from 2,000 samples of each, in 64 dimensions but for "high dimension"."""
    return estimate(PROBLEMS[problem].sample(2000, seed=1), (method,), k=k, split=split, seed=1)[
        method
    ]


def compared(method: str, problem: str, split: Split = 0.5, k: K = "sqrt") -> Comparison:
    return measured(method, problem, split, k).curve.compare(PROBLEMS[problem].truth())


def assert_too_high(found: Comparison, least: float) -> None:
    assert found.excess > least
    assert found.deficit < 0.02


# ---- the table ----

PAPERS = ("2018", "2019", "2024", "2026")
"""Sajjadi et al.; Simon, Webster, Rabin; both versions of hal-05344404, Sykes et al."""


def test_checks_and_pages_name_families_by_their_titles() -> None:
    """Keys such as knn are of the shell and the API."""
    key = re.compile(r"(?<![\w`=])(knn|kde|ipr)[ .]")
    spoken = ("prviz/checks/", "prviz/diagnostics/", "prviz/triage/", "pages/")
    assert [
        text for where, text in claims.texts() if where.startswith(spoken) and key.search(text)
    ] == []


@pytest.mark.thorough
def test_every_sentence_has_a_row_and_every_row_its_sentence() -> None:
    standing = claims.sentences()
    rows = claims.table()
    assert (
        "\n".join(
            f"{file}: {sentence}" for sentence, file in standing.items() if sentence not in rows
        )
        == ""
    )
    assert "\n".join(sentence for sentence in rows if sentence not in standing) == ""


MADE_UP = (
    "kNN is always too high with a split.",
    "No split flatters every estimator.",
    "A split pulls the curve down.",
    "Its precision falls and its recall rises.",
    "Every estimate is biased at this size.",
    "The curve's end is coverage (Naeem et al. 2020, 3.2).",
    "Coverage is the closest of all.",
    "The paper prints an IoU of 0.66.",
)


def test_a_sentence_without_a_row_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [claims.claims(f"Drag k. {sentence} See below.") for sentence in MADE_UP] == [
        [each] for each in MADE_UP
    ]
    monkeypatch.setattr(claims, "texts", lambda: [("pages/made_up.py", " ".join(MADE_UP))])
    with pytest.raises(AssertionError, match=re.escape(MADE_UP[0])):
        test_every_sentence_has_a_row_and_every_row_its_sentence()


def test_a_row_without_its_sentence_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "texts", lambda: [])
    monkeypatch.setattr(claims, "table", lambda: {"It was too low.": "no claim"})
    with pytest.raises(AssertionError, match="It was too low"):
        test_every_sentence_has_a_row_and_every_row_its_sentence()


def test_every_row_names_a_paper_a_test_that_is_there_or_a_definition() -> None:
    for sentence, source in claims.table().items():
        for part in source.split("; "):
            kind, _, rest = part.partition(": ")
            if kind == "paper":
                assert rest.partition(", ")[0] in PAPERS, sentence
                assert rest.partition(", ")[2], sentence
            elif kind == "test":
                file, _, name = rest.partition("::")
                assert f"def {name}(" in (claims.ROOT / file).read_text("utf-8"), sentence
            else:
                assert kind == "no claim" or (kind == "definition" and rest), sentence


# ---- splits ----

LAST_OF_ZOO = (
    "vae-b0.2-e300",
    "gan-e350",
    "flow-e100",
    "autoregressive-e60",
    "diffusion-e300",
    "guidance-10",
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("k", [3, "sqrt"])
def test_without_a_split_the_curves_lie_lower(k: K) -> None:
    """The tooltips of Split, on every bundled checkpoint but, of each model of the zoo, the last
    alone.
    """
    for name in [
        each
        for each in bundled_names()
        if bundled_path(each).parent.name != "zoo" or each in LAST_OF_ZOO
    ]:
        held_out, same = (
            estimate(bundled_pair(name), DEFAULT_METHODS, k=k, split=split) for split in (0.5, None)
        )
        for method in DEFAULT_METHODS:
            auc = same[method].curve.auc, held_out[method].curve.auc
            assert auc[0] < auc[1] or auc == (0, 0), (name, method)


@pytest.mark.exhaustive
def test_small_k_without_a_split_is_pulled_down_most() -> None:
    for method in DEFAULT_METHODS:
        assert (
            compared(method, "same", None, 4).deficit > compared(method, "same", None).deficit + 0.1
        )


def test_ends_of_shifted_gaussians_fall_without_a_split() -> None:
    means = []
    for mu in (0.25, 1.0, 2.0):
        problem = prviz.toy("shifted-gaussians", d=4, mu=mu)
        assert problem.truth().extreme_precision == pytest.approx(1)
        found = estimate(problem.sample(400, seed=0), DEFAULT_METHODS, k=5, split=None)
        means.append(np.mean([each.curve.extreme_precision for each in found.values()]))
    assert means[0] > means[1] + 0.1 > means[2] + 0.2


def test_equal_sets_come_near_1_1_with_knn() -> None:
    assert compared("knn", "same").iou > 0.99


@pytest.mark.exhaustive
def test_intervals_miss_the_truth_and_halve_with_four_times_the_samples() -> None:
    problem = PROBLEMS["small shift"]
    widths = []
    for n in (500, 2000):
        found = prviz.bootstrap(estimate(problem.sample(n, seed=0), ("knn",), seed=0)["knn"], 200)
        interval = found.intervals["auc"]
        assert problem.truth().auc < interval.low < interval.high
        widths.append(interval.high - interval.low)
    assert widths[0] / widths[1] == pytest.approx(2, rel=0.3)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["digits-held-out", "rbm-epoch-100", "truncation-0.2"])
def test_the_ends_of_a_curve_are_at_most_the_published_scores(name: str) -> None:
    """The cards of ipr and coverage: below them on some checkpoint, above them on none."""
    pair = bundled_pair(name)
    published = scalars(*pair, k=3)
    curves = {
        method: found.curve
        for method, found in estimate(pair, ("ipr", "coverage"), k=3, split=None).items()
    }
    assert curves["ipr"].extreme_precision <= published["precision"] + 1e-12
    assert curves["ipr"].extreme_recall <= published["recall"] + 1e-12
    assert curves["coverage"].extreme_recall <= published["coverage"] + 1e-12


# ---- cards ----


def test_table_1_has_coverage_first_and_knn_farther_at_k_4() -> None:
    for split in ("50 %", "none"):
        for shift in ("0.12", "0.21", "0.29", "0.38"):
            ious = {
                name: PUBLISHED[split, "√n", shift, name, "IoU"]
                for name in ("iPR", "kNN", "KDE", "Coverage")
            }
            assert ious["Coverage"] == max(ious.values())
            assert ious["kNN"] > PUBLISHED[split, "4", shift, "kNN", "IoU"]


@pytest.mark.exhaustive
def test_ipr_is_too_low_without_a_split_and_too_high_with_one() -> None:
    assert compared("ipr", "same", None, 4).deficit > 0.5
    for problem in ("small shift", "shift", "mixtures"):
        assert_too_high(compared("ipr", problem), 0.15)
        assert_too_high(compared("ipr", problem, k=4), 0.25)
    excess = {method: compared(method, "mixtures").excess for method in DEFAULT_METHODS}
    assert max(excess, key=lambda method: excess[method]) == "ipr"


def test_coverage_is_too_high_with_a_split_at_k_4() -> None:
    for problem in ("small shift", "shift", "mixtures"):
        assert_too_high(compared("coverage", problem, k=4), 0.2)


def test_an_outlier_moves_coverage_at_its_end() -> None:
    kept = stored(EXPERIMENTS["outlier"])
    assert kept is not None
    figures = EXPERIMENTS["outlier"].figures(kept.rows)
    wide = figures[figures["family"] == "Coverage"].pivot_table("ours", ["figure", "k"], "outlier")
    moved = (wide["with"] - wide["without"]).abs()
    assert moved["IoU"].max() < 0.01
    assert moved["α∞"].max() == pytest.approx(0.2, abs=0.005)


@pytest.mark.exhaustive
def test_eas_has_the_faults_of_ipr() -> None:
    for split, k in ((None, 4), (0.5, "sqrt")):
        eas, ipr, coverage = (
            measured(method, "same", split, k) for method in ("eas", "ipr", "coverage")
        )
        for role in ("c_real", "c_generated"):
            positive = [
                np.mean(getattr(found.supports, role) > 0) for found in (eas, ipr, coverage)
            ]
            assert positive[0] == min(positive)
    assert (
        compared("eas", "same", None, 4).deficit == compared("ipr", "same", None, 4).deficit > 0.5
    )
    assert_too_high(compared("eas", "mixtures"), 0.4)


def test_prc_beside_coverage() -> None:
    for problem in ("small shift", "shift"):
        assert compared("prc", problem, k=4).iou > compared("coverage", problem, k=4).iou
    assert compared("prc", "mixtures", k=4).excess > 0.2
    assert compared("prc", "mixtures").excess > compared("coverage", "mixtures").excess + 0.05


@pytest.mark.exhaustive
def test_ppr_is_too_high_where_both_supports_are_near_1() -> None:
    assert (
        min(
            compared("ppr", problem, k=k).iou
            for problem in ("mixtures", "classes")
            for k in (4, "sqrt")
        )
        > 0.9
    )
    for problem in ("small shift", "shift"):
        few, many = (compared("ppr", problem, k=k) for k in (4, "sqrt"))
        assert_too_high(many, few.excess + 0.1)
        assert_too_high(few, 0.1)
        supports = measured("ppr", problem).supports
        assert np.median(np.minimum(supports.c_real, supports.c_generated)) > 0.9


@pytest.mark.exhaustive
def test_hubs_are_near_ipr_on_gaussians_alone() -> None:
    def iou(problem: str) -> float:
        hub, ipr = (measured(method, problem, None, 3).curve for method in ("hub", "ipr"))
        return hub.iou(ipr)

    assert iou("small shift") > 0.8
    assert iou("high dimension") < 0.6
    for name in ("mixture-converged", "rbm-epoch-300"):
        found = estimate(bundled_pair(name), ("hub", "ipr"), k=3, split=None)
        assert found["hub"].curve.iou(found["ipr"].curve) < 0.4


@pytest.mark.exhaustive
def test_clusters_are_near_the_truth_on_modes_alone() -> None:
    assert compared("cluster", "mixtures").iou > 0.9
    for problem in ("small shift", "shift", "classes"):
        assert_too_high(compared("cluster", problem), 0.2)


@pytest.mark.exhaustive
def test_trained_classifiers_are_near_the_truth_where_their_form_fits() -> None:
    near = {"classifier": ("small shift", "shift"), "classifier-boosting": ("mixtures", "classes")}
    near["classifier-mlp"] = ("mixtures", "small shift")
    for method, problems in near.items():
        assert min(compared(method, problem).iou for problem in problems) > 0.9
    assert_too_high(compared("classifier", "mixtures"), 0.6)
    assert_too_high(compared("classifier-boosting", "shift"), 0.5)
    assert_too_high(compared("classifier-mlp", "scaled"), 0.3)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "method", exhaustive_but(("classifier", "classifier-boosting", "classifier-mlp"), "classifier")
)
def test_held_out_classifiers_are_above_the_truth_or_a_little_below(method: str) -> None:
    """Mean error rates alpha / (1 + lam) over six draws: the choice on the evaluation samples gains
    little.
    """
    for problem in (prviz.toy("identical", d=16), prviz.toy("mixtures", d=16)):
        curves = [
            estimate(problem.sample(1000, seed), (method,), k="sqrt", split=0.5, seed=seed)[
                method
            ].curve
            for seed in range(6)
        ]
        above = [(curve.alpha(LAMS) - problem.truth().alpha(LAMS)) / (1 + LAMS) for curve in curves]
        below = np.mean(above, axis=0).min()
        assert below > -0.03
        assert below < 0 or problem.name != "identical"


def test_unequal_sizes_lower_knn_and_coverage_without_a_split() -> None:
    """Preflight and triage, on P = Q; the balls of the smaller set are wider."""
    real, generated = PROBLEMS["same"].sample(1600, seed=0)
    fewer = generated.take(np.arange(400))
    for method in ("knn", "coverage"):
        equal, unequal = (
            estimate(prviz.SamplePair(real, other), (method,), k=5, split=None)[method].curve.auc
            for other in (generated, fewer)
        )
        assert unequal < equal - 0.1
    wide, narrow = (nearest_radii(side.values, np.arange(side.n), 5) for side in (fewer, generated))
    assert wide.mean() > narrow.mean()


def test_what_preflight_says_of_copies_features_and_scales() -> None:
    real, generated = (side.values for side in prviz.toy("identical", d=8).sample(1000, seed=0))
    fewer = np.c_[generated[:, :7], np.zeros(1000)]
    wide = np.c_[real[:, :7], 3 * real[:, 7]]
    for split in (0.5, None):
        areas = [
            {
                method: found.curve.auc
                for method, found in estimate(
                    pair_of(*pair), DEFAULT_METHODS, k=5, split=split
                ).items()
            }
            for pair in ((real, generated), (real, fewer), (wide, fewer), (real, 2 * generated))
        ]
        for method in DEFAULT_METHODS:
            same, constant, more, scaled = (each[method] for each in areas)
            assert same > constant + 0.1 > more + 0.1
            assert scaled < same / 2
    for method in [name for name, family in prviz.ESTIMATORS.items() if not family.needs_split]:
        found = estimate(pair_of(real, real.copy()), (method,), k=5, split=None)[method]
        assert found.curve.auc == pytest.approx(1)
    for scale in (0.5, 0.7, 1.4, 2.0):
        truth = prviz.toy("scaled-gaussian", d=8, scale=scale).truth()
        costs_recall = truth.f_score(8, leaning="recall") < truth.f_score(8, leaning="precision")
        assert costs_recall == (scale < 1)


def pair_of(real: NDArray[Any], generated: NDArray[Any]) -> prviz.SamplePair:
    return prviz.SamplePair.of(real, generated)


@pytest.mark.exhaustive
def test_in_many_dimensions_curves_are_too_high_of_ipr_most() -> None:
    """The kept rows of the experiment dimension, from 64 to 2,048, at both distances."""
    kept = stored(EXPERIMENTS["dimension"])
    assert kept is not None
    figures = EXPERIMENTS["dimension"].figures(kept.rows)
    for _, found in figures.groupby(["distance", "d"]):
        wide = found.pivot_table("ours", "family", "figure")
        assert (wide["deficit"] < 0.01).all()
        assert (wide["excess"].idxmax(), wide["excess"].idxmin()) == ("iPR", "Coverage")


def test_copies_shrink_the_supports_of_ipr_and_kde() -> None:
    real, generated = (side.values for side in prviz.toy("identical", d=8).sample(400, seed=0))
    for method in ("ipr", "kde"):
        shares = [
            np.mean(
                estimate(pair_of(rows, generated), (method,), k=3, split=None)[
                    method
                ].supports.c_real[len(rows) :]
                > 0
            )
            for rows in (real, np.repeat(real, 2, axis=0))
        ]
        assert shares[1] < shares[0]


@pytest.mark.exhaustive
def test_the_table_of_the_bundled_data_has_what_is_measured() -> None:
    text = (claims.ROOT / "data" / "README.md").read_text("utf-8")
    rows = dict(
        re.findall(r"\| `([\w.-]+)` \| [\d.]+ \| [\d.]+ \| (\d\.\d\d \| \d\.\d\d) \|", text)
    )
    assert rows.keys() == {path.stem for path in paths.data_folder().glob("*.npz")} - {"digits"}
    for name, given in rows.items():
        found = scalars(*bundled_pair(name), k=5)
        assert given == f"{found['precision']:.2f} | {found['recall']:.2f}", name


@pytest.mark.exhaustive
def test_the_lowest_of_many_held_out_risks_is_too_low_most_with_few_samples() -> None:
    """Two samples of one distribution: at lam = 1 the risk of every classifier is 0.5."""
    lowest = {n: np.mean([_lowest_risk(n, seed) for seed in range(10)]) for n in (100, 1000)}
    assert lowest[100] + 0.03 < lowest[1000] < 0.5


def _lowest_risk(n: int, seed: int) -> float:
    pair = prviz.toy("shifted-gaussians", d=4, mu=0.0).sample(n, seed)
    curves = prviz.profile(*pair, ks=(1, 2, 4, 8, 16, 32), bandwidths=(), split=0.5, seed=seed)
    return min(
        risk(curves.curve(name, k), 1.0) for name in DEFAULT_METHODS for k in (1, 2, 4, 8, 16, 32)
    )
