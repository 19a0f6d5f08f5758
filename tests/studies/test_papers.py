"""The papers' experiments: every one in its quick mode, through the code that page and shell
run.
"""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import prviz
from prviz.cli.main import main
from prviz.studies.convergence import rate_exponent
from prviz.studies.papers import EXPERIMENTS, ChartBand, CurveChart, Experiment, HeatMap, LineChart
from prviz.studies.papers.base import (
    CURVE_COLUMNS,
    FIGURE_COLUMNS,
    LAMS,
    curve_rows,
    mean_band,
    stored,
)
from prviz.studies.papers.conditional import (
    REFERENCE,
    GuidedDigits,
    OneDigit,
    PromptedDigits,
    guided_toy,
)
from prviz.studies.papers.digits import (
    DigitClasses,
    DigitShares,
    TruncatedDigits,
    truncated_gaussian,
    turns,
)
from prviz.studies.papers.embeddings import EmbeddedDigits
from prviz.studies.papers.features import DigitFeatures
from prviz.studies.papers.gaussians import PUBLISHED
from prviz.studies.papers.hubs import hub_rows
from prviz.studies.plug_in import plug_in_curve
from prviz.studies.sweeps import Cell
from prviz.studies.tasks import as_parquet, run_tasks

# Figures of a whole run: lines of all labels, times the numbers of each; of the papers' own.
LINES = {
    "table1": 64,
    "mixtures": 5 * 4 * 3,
    "same": 4 * 6 * 3,
    "outlier": 4 * 4 * 4,
    "dimension": 6 * 2 * 4 * 3,
    "sample-size": 3 * 4 * 3,
    "truncation": 2 * 11 * 3 * 8,
    "guidance": 9 * 3 * 5,
    "prompting": 7 * 3 * 5,
    "digits": 10 * 4 * 3,
    "inside-classes": 4 * 2,
    "common-classes": 5 * 3 * 4,
    "plug-in": 2 * 2 * 4 * 3,
    "bias": (4 + 5) * 2 * 4,
    "embeddings": (8 + 6 + 5) * 5 * 3,
    "cluster-number": 2 * (3 + 2) * 4,
    "features": 5 * 6 * 2 * 4,
    "hubs": 2 * 2 * 4 * 15,
}
# Figures that are no shares.
UNBOUNDED = (
    "Fréchet distance",
    "processor time",
    "finding the hubs",
    "error of precision",
    "error of recall",
)


@lru_cache(maxsize=len(EXPERIMENTS))
def quick(name: str) -> pd.DataFrame:
    """The rows of the quick mode."""
    experiment = EXPERIMENTS[name]
    with ThreadPoolExecutor(1) as pool:
        return run_tasks(experiment.tasks("quick"), experiment.columns, pool)


@lru_cache(maxsize=len(EXPERIMENTS))
def kept(name: str) -> pd.DataFrame:
    """The rows that the package carries."""
    found = stored(EXPERIMENTS[name])
    assert found is not None
    return found.rows


def figures_of(name: str) -> pd.DataFrame:
    return EXPERIMENTS[name].figures(quick(name))


def figure(name: str, wanted: str, **labels: object) -> float:
    found = figures_of(name)
    for label, value in {"figure": wanted, **labels}.items():
        found = found[found[label] == value]
    return float(found["ours"].mean())


def test_all_are_there() -> None:
    assert list(EXPERIMENTS)[: len(LINES)] == list(LINES)
    assert len(EXPERIMENTS) == len(Experiment.__subclasses__()), "two experiments have one name"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_quick_mode_gives_every_figure(name: str) -> None:
    experiment = EXPERIMENTS[name]
    figures = figures_of(name)
    assert len(figures) == LINES.get(name, len(figures)) > 0
    assert list(figures) == [*experiment.labels, *FIGURE_COLUMNS]
    assert not figures.duplicated([*experiment.labels, "figure"]).any()
    signed = figures["figure"].str.contains("− truth")
    unbounded = figures["figure"].isin(UNBOUNDED)
    assert figures.loc[~signed & ~unbounded, "ours"].dropna().between(0, 1).all()
    assert figures.loc[signed, "ours"].between(-1, 1).all()
    assert (figures.loc[unbounded, "ours"].dropna() >= 0).all()
    assert (figures["repeats"] == experiment.sizes["quick"].repeats).all()
    assert (figures["spread"].notna() == (figures["repeats"] > 1)).all()
    printed = figures[figures["published"].notna()]
    assert len(printed) == {
        "table1": 64,
        "same": 2,
        "truncation": 8,
        "digits": 80,
        "guidance": 6,
        "prompting": 6,
        "common-classes": 30,
        "hubs": 6,
    }.get(name, len(experiment.published))
    np.testing.assert_allclose(printed["difference"], printed["ours"] - printed["published"])
    assert "Quick mode: " in experiment.setting("quick")
    assert "Quick mode" not in experiment.setting("paper")
    assert experiment.seconds("quick") < 5
    assert experiment.seconds("quick", repeats=100) > experiment.seconds("quick")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_parts_of_a_run_have_figures_a_sentence_and_a_chart(name: str) -> None:
    experiment = EXPERIMENTS[name]
    rows = quick(name)
    empty = rows.iloc[:0]
    assert len(experiment.figures(empty)) == 0
    assert "Nothing" in experiment.says(empty)
    for part in (
        rows.iloc[:1],
        rows.iloc[: len(rows) // 3],
        rows.iloc[-5:],
        rows.sample(len(rows), random_state=0),
    ):
        figures = experiment.figures(part)
        assert figures["repeats"].sum() == len(part) * len(experiment.numbers)
        assert experiment.says(part).endswith(".")
        assert "nan" not in experiment.says(part)
        assert experiment.chart(part).panels
    whole = experiment.figures(rows).set_index([*experiment.labels, "figure"])["ours"].sort_index()
    # of the rows in another order
    other = figures.set_index([*experiment.labels, "figure"])["ours"].sort_index()
    pd.testing.assert_series_equal(whole, other)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_other_rows_say_something_else(name: str) -> None:
    experiment = EXPERIMENTS[name]
    rows = quick(name)
    halved = rows.assign(**{column: rows[column] / 2 for column in experiment.numbers.values()})
    assert experiment.says(halved) != experiment.says(rows)


def test_guidance_is_best_where_both_sets_have_the_same_scale() -> None:
    truths = {scale: guided_toy(scale).truth().auc for scale in (0.0, 1.0, 3.0, 5.0, 7.0, 10.0)}
    assert max(truths, key=truths.__getitem__) == REFERENCE
    figures = figures_of("guidance")
    areas = figures[figures["figure"] == "AuC"]
    best = areas.loc[areas.groupby("family")["ours"].idxmax()]
    assert set(best["scale"]) == {REFERENCE}
    pair = GuidedDigits(REFERENCE).sample(2_000)
    assert (pair.real.n, pair.generated.n) == (898, 899)


def test_fewer_classes_cost_recall_and_hardly_any_precision() -> None:
    wanted = {"family": "kNN", "classes": 1}
    assert figure("prompting", "β0", **wanted) == pytest.approx(0.1, abs=0.03)  # one class of ten
    assert figure("prompting", "F8, leaning to precision", **wanted) > 0.8
    pair = PromptedDigits(2).sample(2_000)
    assert set(pair.generated.labels["digit"]) == {0, 1}


def test_samples_of_one_class_that_differ_more_have_more_recall() -> None:
    temperatures = (0.25, 0.5, 0.7, 1.0)
    recall = []
    spread = []
    for each in temperatures:
        recall.append(figure("inside-classes", "F8, leaning to recall", temperature=each))
        classes = [OneDigit(digit, each).sample(2_000).generated for digit in range(10)]
        spread.append(np.mean([samples.values.var(axis=0).sum() for samples in classes]))
    assert np.all(np.diff(recall) > 0)
    assert np.all(np.diff(spread) > 0)


def test_a_sentence_follows_its_rows_to_the_opposite() -> None:
    table1 = EXPERIMENTS["table1"]
    rows = quick("table1")
    ipr = rows["method"] == "ipr"
    for iou, said in (
        (1.0, "Closest to the truth here is iPR with a mean IoU of 1.00"),
        (0.0, "furthest iPR with 0.00"),
    ):
        assert said in table1.says(rows.assign(iou=rows["iou"].mask(ipr, iou)))
    same = EXPERIMENTS["same"]
    rows = quick("same")
    assert "the split is closer to the truth" in same.says(rows)
    swapped = rows.assign(split=rows["split"].isna().map({True: 0.5, False: np.nan}))
    assert "the split is no closer to the truth" in same.says(swapped)
    dimension = EXPERIMENTS["dimension"]
    rows = quick("dimension")
    assert " grows: " in dimension.says(rows)
    turned = rows.assign(d=64 * 2048 // rows["d"])
    assert " does not grow: " in dimension.says(turned)


# ---- what the papers say, in the quick mode too ----


def test_table1_holds_the_papers_cells() -> None:
    """Sykes, Simon, Rabin, Fadili 2026, Table 1, cells from every block of it."""
    assert len(PUBLISHED) == 64
    printed = {
        ("50 %", "4", "0.12", "iPR"): 0.69,
        ("50 %", "4", "0.38", "KDE"): 0.24,
        ("50 %", "√n", "0.29", "kNN"): 0.84,
        ("50 %", "√n", "0.38", "Coverage"): 0.93,
        ("none", "4", "0.12", "kNN"): 0.7,
        ("none", "4", "0.21", "Coverage"): 0.84,
        ("none", "√n", "0.21", "Coverage"): 0.97,
        ("none", "√n", "0.38", "iPR"): 0.83,
    }
    assert {cell: PUBLISHED[(*cell, "IoU")] for cell in printed} == printed
    ours = figures_of("table1")
    assert ours["difference"].abs().mean() < 0.12
    assert np.corrcoef(ours["ours"], ours["published"])[0, 1] > 0.85


def test_what_the_papers_report_shows() -> None:
    assert figure("mixtures", "excess", family="iPR") > 2 * figure(
        "mixtures", "excess", family="Coverage"
    )
    assert (
        figure("same", "IoU", split="50 %")
        > 0.97
        > 0.5
        > figure("same", "IoU", split="none", k="4", family="iPR")
    )
    moved = {}
    for family in ("iPR", "kNN", "KDE", "Coverage"):
        spoilt, clean = (
            figure("outlier", "α@0.05", k="4", outlier=outlier, family=family)
            for outlier in ("with", "without")
        )
        moved[family] = spoilt - clean
    assert moved.pop("iPR") > 0.1 > 5 * max(map(abs, moved.values()))
    assert figure("dimension", "excess", d=2048) > 1.5 * figure("dimension", "excess", d=64)
    assert figure("common-classes", "excess", family="Clusters") > 1.5 * figure(
        "common-classes", "excess", family="kNN"
    )
    spreads = figures_of("sample-size").groupby("n")["spread"].mean()
    assert list(spreads) == sorted(spreads, reverse=True)


def test_the_deviations_of_table_1_are_compared() -> None:
    table1 = EXPERIMENTS["table1"]
    rows = kept("table1")
    spreads = table1.figures(rows)["spread"]
    told = f"not in {(spreads >= 0.01).sum()} of 64 cells, {spreads.max():.3f} at most."
    assert told in table1.says(rows)
    assert "standard deviations" not in table1.says(rows.assign(iou=0.5))


@pytest.mark.parametrize("name", ["digits", "common-classes", "cluster-number"])
def test_clusters_run_without_split_as_published(name: str) -> None:
    for rows in (quick(name), kept(name)):
        cluster = rows["method"].str.startswith("cluster")
        assert rows.loc[cluster, "split"].isna().all()
        assert (rows.loc[~cluster, "split"] == 0.5).all()


def test_truncation_has_improved_precision_beside_the_ends_of_the_curve() -> None:
    pair = prviz.bundled_pair("truncation-0.5")
    scalars = {k: prviz.scalars(pair.real, pair.generated, k=k) for k in (3, 5)}
    shares = {
        family: figure("truncation", "in the real support", data="digits", family=family, psi=0.5)
        for family in ("iPR", "Coverage")
    }
    assert shares == pytest.approx(
        {"iPR": scalars[3]["precision"], "Coverage": scalars[5]["coverage_precision"]}
    )
    assert figure("truncation", "α∞", family="Coverage", psi=0.0) == 0.0


def test_towards_psi_0_improved_precision_stays_high_where_the_centre_lies_inside_the_support() -> (
    None
):
    """hal-05344404, 5.2; the true alpha_inf is 1 until psi = 0, where it is 0."""
    for psi in (0.0, 0.1, 0.2):
        inside = {
            family: figure(
                "truncation", "in the real support", data="Gaussian", family=family, psi=psi
            )
            for family in ("iPR", "Coverage", "kNN")
        }
        assert inside["iPR"] == 1 > 10 * max(inside["Coverage"], inside["kNN"])
        assert truncated_gaussian(psi).truth().extreme_precision == pytest.approx(
            float(psi > 0), abs=1e-6
        )
    assert figure("truncation", "in the real support", data="digits", family="iPR", psi=0.0) == 0


def test_the_zigzag_of_truncation_is_single_real_pictures() -> None:
    experiment = EXPERIMENTS["truncation"]
    rows = experiment.labelled(kept("truncation"))
    rows = rows[(rows["data"] == "digits") & (rows["method"] == "knn")]
    assert (rows.loc[rows["lone_real"] == 1, "alpha_inf"] == 1).all()
    assert rows.loc[rows["lone_real"] == 0, "alpha_inf"].lt(1).all()
    means = rows.groupby("psi")[["alpha_inf", "spared_alpha_inf"]].mean()
    assert turns(means["alpha_inf"]) != "never" == turns(means["spared_alpha_inf"])
    assert "it turns 2 times; with 1 % of the real pictures spared, never" in experiment.says(
        kept("truncation")
    )


def test_rows_know_the_real_samples_that_decide_the_end() -> None:
    problem = TruncatedDigits(0.5)
    cell = Cell(problem, 400, 0.5, 0, 0, (("knn", 20, None),))
    (row,) = curve_rows(cell)
    pair = problem.sample(400, cell.drawn_by)
    supports = prviz.estimate(pair, ("knn",), k=20, split=0.5, seed=cell.drawn_by)["knn"].supports
    with np.errstate(divide="ignore"):
        keys = supports.c_generated / supports.c_real
    real = keys[: supports.n_real]
    generated = keys[supports.n_real :]
    assert row["lone_real"] == np.isinf(real).any()
    cuts = [cut for cut in keys if np.mean(real > cut) <= 0.01]
    assert row["spared_alpha_inf"] == min(np.mean(generated <= cut) for cut in cuts)


def test_the_plug_in_of_the_box_is_too_low_and_its_classifier_too_high_in_the_plane() -> None:
    """Smoothing raises the overlap, and the deviation of the densities lowers it, the more so the
    rougher they are.
    """
    experiment = EXPERIMENTS["plug-in"]
    rows = quick("plug-in")
    off = {
        name: figure("plug-in", "α(1) − truth", d=2, n=100, estimate=name)
        for name in ("plug-in, box", "classifier, box", "plug-in, Gaussian", "plug-in, order 4")
    }
    assert off["plug-in, box"] < -0.05 < 0.05 < off["classifier, box"]
    assert max(abs(off["plug-in, Gaussian"]), abs(off["plug-in, order 4"])) < abs(
        off["plug-in, box"]
    )
    said = experiment.says(rows)
    assert (
        f"{-off['plug-in, box']:.2f} too low from the densities of a box and"
        f" {off['classifier, box']:.2f} too high" in said
    )
    for d, slopes in experiment.slopes(experiment.figures(rows)).items():
        assert slopes["plug-in, box"] < rate_exponent(d)
    assert "low from their classifier" in experiment.says(
        rows.assign(alpha_error=-rows["alpha_error"])
    )


def test_the_plug_in_rows_are_of_the_classifiers_fit_samples() -> None:
    task = EXPERIMENTS["plug-in"].tasks("quick", most=60)[1]
    classifier, box, *_ = task.run()
    problem = prviz.toy("mixtures", d=2)
    seed = task.drawn_by
    fit = problem.sample(60, seed).split(0.5, seed).fit
    assert classifier["bandwidth"] == box["bandwidth"] == 1.5 * 30**-0.25
    curve = plug_in_curve(fit.real, fit.generated, box["bandwidth"])
    assert box["alpha_error"] == curve.alpha(1.0) - problem.truth().alpha(1.0)
    assert box["iou"] == curve.iou(problem.truth())
    assert task.left(task.keys) is None
    assert task.left(task.keys[1:]) == task


def test_bias_is_the_mean_less_the_truth_and_deviation_the_spread() -> None:
    """Proposition 14; the bias is that of k and split, the deviation that of n."""
    experiment = EXPERIMENTS["bias"]
    whole = kept("bias")
    chart = experiment.chart(whole)
    split, none = (chart.panels[f"bias, {words}"] for words in ("split 50 %", "no split"))
    assert (split[:, 0] > 0.15).all()
    assert (none[:, 0] < -0.15).all()
    assert (np.abs(split[1:, -1]) < 0.05).all()
    for words in ("split 50 %", "no split"):
        deviation = np.nanmean(chart.panels[f"deviation, {words}"], axis=1)
        assert list(deviation) == sorted(deviation, reverse=True)
    rows = whole[(whole["n"] == 300) & (whole["k"] == "10") & whole["split"].isna()]
    at = chart.y.index("n = 300"), chart.x.index("10")
    assert none[at] == pytest.approx(rows["alpha_error"].mean())
    assert chart.panels["deviation, no split"][at] == pytest.approx(rows["alpha_error"].std())
    panels = np.array([*chart.panels.values()])
    bias, deviation = panels[:2], panels[2:]
    known = np.isfinite(bias)
    larger = int((np.abs(bias) > deviation)[known].sum())
    said = experiment.says(whole)
    assert f"The bias is the larger one in {larger} of {known.sum()} settings." in said
    rows = whole.assign(split=whole["split"].fillna(0)).groupby(["split", "n", "k"])
    squares = {
        name: rows[name].mean() ** 2 + rows[name].var()
        for name in ("alpha_error", "alpha_4_error", "alpha_16_error")
    }
    hardest = int((pd.DataFrame(squares).idxmax(axis=1) == "alpha_error").sum())
    assert f"hardest at λ = 1, as Remark 13 expects, in {hardest} of them" in said
    assert (
        f"With n = 3,000, the bias of precision at λ = 1 is {split[-1, 0]:+.2f} at k = 1, " in said
    )


def test_a_network_of_every_repeat_is_the_same_at_every_psi_and_d() -> None:
    few, many = (EmbeddedDigits(psi, d, "random") for psi, d in ((0.5, 4), (1.0, 256)))
    seeds = {Cell(problem, 40, 0.5, 0, 0, ()).drawn_by for problem in (few, many)}
    assert len(seeds) == 1
    one, other = (problem.sample(40, *seeds).real.values for problem in (few, many))
    np.testing.assert_array_equal(one, other[:, :4])
    assert not np.array_equal(other, many.sample(40, 1).real.values)
    whole, first = (EmbeddedDigits(0.5, d, "pixels").sample(40, 0).real.values for d in (64, 2))
    np.testing.assert_array_equal(first, whole[:, :2])
    assert list(first.var(axis=0)) == sorted(whole[:, :].var(axis=0), reverse=True)[:2]
    trained = EmbeddedDigits(0.5, 32, "trained").sample(1797, 0)
    known = prviz.bundled_pair("truncation-0.5", trained=True)
    for side, own in zip(trained, known, strict=True):  # turned, as the components of all digits
        apart = np.linalg.norm(own.values - own.values[0], axis=1)
        np.testing.assert_allclose(
            np.linalg.norm(side.values - side.values[0], axis=1), apart, rtol=1e-4
        )


def test_fewer_features_raise_the_area_and_keep_the_order() -> None:
    experiment = EXPERIMENTS["embeddings"]
    rows = kept("embeddings")
    figures = experiment.figures(rows)
    for name, enough in (("random network", 2), ("character recogniser", 4)):
        areas = figures[(figures["figure"] == "AuC") & (figures["embedding"] == name)]
        table = areas.pivot_table("ours", "psi", "d")
        many = table.columns[-1]
        assert (np.diff(table.loc[0.7]) < 0.02).all()
        assert table.loc[0.7, 2] > 2 * table.loc[0.7, many]
        assert all(table[d].is_monotonic_increasing for d in table.columns if d >= enough)
        assert f"{enough} of {many} features of a {name} rank 5 truncations as all do" in (
            experiment.says(rows)
        )


def test_clusters_pass_the_truth_as_their_number_grows() -> None:
    """Simon, Webster, Rabin 2019, Figure 4: recall is overestimated with few clusters, precision
    missed with many.
    """
    figures = EXPERIMENTS["cluster-number"].figures(kept("cluster-number"))
    digits = figures[(figures["data"] == "digits") & (figures["family"] == "Clusters")]
    wide = digits.pivot_table("ours", "clusters", "figure")
    assert wide["AuC"].is_monotonic_decreasing
    assert wide["AuC"].iloc[0] > 0.9 > 0.6 > wide["AuC"].iloc[-1]
    assert wide["highest recall"].iloc[0] > 0.95
    assert wide["highest precision"].iloc[-1] < 1
    sample = DigitShares().sample(100, 1)
    assert np.mean(sample.real.labels["digit"] % 2 == 0) == 0.6
    assert (sample.generated.labels["digit"] % 2 == 0).all()


def test_raw_pixels_of_a_pattern_are_singular_and_features_of_digits_hide_it() -> None:
    """Simon, Webster, Rabin 2019, section 7."""
    names = ("the other half", "the other half, with a pattern")
    plain, pair = (DigitFeatures(name, "raw pixels").sample(200, 3) for name in names)
    added = np.indices((8, 8)).sum(axis=0) % 2 / 16
    np.testing.assert_allclose(
        pair.generated.values - plain.generated.values, np.tile(added.ravel(), (200, 1))
    )
    pixel = 39  # at the right edge, where no digit has ink
    assert (
        added.ravel()[pixel]
        == pair.generated.values[:, pixel].min()
        > pair.real.values[:, pixel].max()
        == 0
    )
    table = EXPERIMENTS["features"].table(kept("features")).set_index(["pair", "features"])
    assert table.loc[(names[0], "raw pixels"), "AuC, Linear classifiers"] > 0.9
    with_pattern = table.loc[names[1]]
    areas = with_pattern["AuC, Linear classifiers"]
    assert areas["raw pixels"] < 0.05
    assert areas[["16 components", "trained network"]].min() > 0.8
    # what other pictures taught a network shows the pattern, to kNN more than pixels do
    assert areas["character recogniser"] < 0.6
    of_knn = with_pattern["AuC, kNN"]
    assert of_knn["character recogniser"] < of_knn["raw pixels"] < of_knn["trained network"]
    plain, pattern = (DigitFeatures(name, "character recogniser").sample(899, 3) for name in names)
    half = prviz.bundled_pair("digits-held-out", trained=True)
    np.testing.assert_array_equal(plain.generated.values, half.real.values)
    np.testing.assert_array_equal(plain.real.values[:-1], pattern.real.values[:-1])
    moved = np.linalg.norm(pattern.generated.values - plain.generated.values, axis=1)
    apart = np.linalg.norm(plain.generated.values[1:] - plain.generated.values[:-1], axis=1)
    assert 0 < np.median(moved) < 0.5 * np.median(apart)  # row by row the same digits


def test_hubness_and_balls_are_those_of_a_double_loop() -> None:
    problem = prviz.toy("shifted-gaussians", d=3)
    cell = Cell(problem, 40, None, 0, 0, (("hub:t=2", 3, None),))
    (row,) = hub_rows(cell)
    real, generated = (side.values.astype(float) for side in problem.sample(40, cell.drawn_by))
    own = []
    radii = []
    for values in (real, generated):
        apart = np.linalg.norm(values[:, None] - values[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        radii.append(np.sort(apart, axis=1)[:, 2])
        own.append((apart <= radii[-1][:, None]).sum(axis=0))
    between = np.linalg.norm(real[:, None] - generated[None], axis=2)
    for name, holds, hubness, others in (
        ("real", between <= radii[1][None], own[0], own[1]),
        ("generated", (between <= radii[0][:, None]).T, own[1], own[0]),
    ):
        inside = holds.any(axis=1)
        group = hubness == 2
        assert row[f"group_{name}"] == group.mean()
        assert row[f"inside_{name}"] == pytest.approx(inside[group].mean())
        assert row[f"held_{name}"] == pytest.approx(holds[:, others > 2].any(axis=1)[inside].mean())
    scalars = prviz.scalars(real, generated, k=3)
    assert (row["precision"], row["recall"]) == (scalars["precision"], scalars["recall"])
    assert row["error_recall"] == pytest.approx(abs(row["hub_recall"] / row["recall"] - 1))


def test_hubs_are_what_the_page_says() -> None:
    experiment = EXPERIMENTS["hubs"]
    rows = kept("hubs")
    at = experiment.chosen(rows, experiment.choices)
    assert set(experiment.labelled(at)["t"]) == {3}
    figures = experiment.figures(at).set_index("figure")["ours"]
    assert f"precision {100 * figures['error of precision']:.1f} % and" in experiment.message(at)
    assert f"in {figures['processor time']:.1f} times the processor time" in experiment.message(at)
    assert len(experiment.chosen(rows, {})) == len(rows)


# ---- what stands beside the families ----


@pytest.mark.parametrize("name", ["table1", "same", "dimension"])
def test_the_upper_bounds_stand_beside_the_families_where_samples_are_held_out(name: str) -> None:
    experiment = EXPERIMENTS[name]
    task = next(
        task for task in experiment.tasks("paper", repeats=1, most=60) if task.split is not None
    )
    row, *others = task.run()
    problem = task.problem
    pair = problem.sample(60, task.drawn_by)
    seed = task.drawn_by
    assert len(others) == len(task.wanted) - 1
    method, k, _ = task.wanted[0]
    bound = prviz.upper_bound(*pair, method, ks=(k,), seed=seed).compare(problem.truth())
    assert (row["bound_iou"], row["bound_excess"]) == (bound.iou, bound.excess)
    assert row["iou"] == prviz.pr_curve(*pair, method, k=k, seed=seed).iou(problem.truth())
    rows = pd.DataFrame([row, *others]).reindex(columns=list(experiment.columns))
    first = experiment.figures(rows).query("figure == 'IoU'").iloc[0]
    assert first["bound"] == bound.iou
    for deficit, count in ((0.0, 4), (0.1, 0)):
        said = experiment.says(rows.assign(bound_deficit=deficit).iloc[:4])
        assert f"{count} of 4 lie nowhere below the truth." in said
    assert "lie nowhere" not in experiment.says(quick(name))
    assert "The upper bounds are left out." in experiment.setting("quick")


def test_the_kept_bounds_hold_as_often_as_they_promise() -> None:
    """With a probability of 95% at least, each; where samples are held out, and over the dimension
    in one repeat.
    """
    for name, experiment in EXPERIMENTS.items():
        size = experiment.sizes["paper"]
        if not size.beside:
            continue
        split = kept(name)["split"].notna()
        rows = kept(name)[split]
        known = rows.dropna(subset=["bound_iou"])
        repeats = size.repeats if name == "dimension" else 1
        assert len(known) == len(rows) // repeats, name
        assert (known["bound_deficit"] == 0).mean() >= 0.95, name
        assert kept(name).loc[~split, "bound_iou"].isna().all()


# ---- rows and their curves ----


def test_rows_hold_the_curve() -> None:
    task = next(task for task in EXPERIMENTS["same"].tasks("quick", most=60) if task.split is None)
    rows = pd.DataFrame(task.run())
    row = rows[(rows["method"] == "knn") & (rows["k"] == "4")].iloc[0]
    pair = prviz.toy("identical").sample(60, task.drawn_by)
    curve = prviz.pr_curve(*pair, "knn", k=4, split=None)
    assert [row[f"alpha_{ray:02d}"] for ray in range(1, 32)] == [curve.alpha(lam) for lam in LAMS]
    assert LAMS[15] == pytest.approx(1.0)
    assert row["iou"] == curve.iou(prviz.toy("identical").truth())


def test_the_mean_curve_is_that_of_the_paper() -> None:
    """Mean and deviation of precision and of recall, each at the same lam."""
    rows = quick("sample-size")
    rows = rows[(rows["method"] == "knn") & (rows["n"] == 100)]
    band = mean_band(rows)
    assert len(rows) == 10
    for place, lam in enumerate(LAMS, start=1):
        alphas = rows[f"alpha_{place:02d}"].to_numpy()
        assert band.precision[place] == pytest.approx(np.mean(alphas))
        assert band.recall[place] == pytest.approx(np.mean(alphas / lam))
        assert band.recall_sd[place] == pytest.approx(np.std(alphas / lam, ddof=1))
    assert (band.recall[0], band.precision[0]) == (pytest.approx(rows["beta_0"].mean()), 0.0)
    assert (band.recall[-1], band.precision[-1]) == (0.0, pytest.approx(rows["alpha_inf"].mean()))
    assert np.isnan(mean_band(rows.iloc[:1]).precision_sd).all()


def test_an_outlier_is_the_only_difference() -> None:
    clean = prviz.toy("shifted-gaussians", mu=3 / 8)
    spoilt = prviz.toy("outlier", mu=3 / 8)
    seeds = {Cell(problem, 50, None, 3, 0, ()).drawn_by for problem in (clean, spoilt)}
    assert len(seeds) == 1
    one, other = (problem.sample(50, *seeds) for problem in (clean, spoilt))
    np.testing.assert_array_equal(one.generated.values, other.generated.values)
    np.testing.assert_array_equal(one.real.values[:-1], other.real.values[:-1])
    assert (other.real.values[-1] == 4).all()
    assert Cell(prviz.toy("shifted-gaussians"), 50, None, 3, 0, ()).drawn_by not in seeds


@pytest.mark.parametrize("q", [1, 5, 8])
def test_digit_classes_share_no_picture(q: int) -> None:
    problem = DigitClasses(q)
    whole = problem.sample(problem.default_n)
    part = problem.sample(40, seed=1)
    assert set(whole.real.labels["digit"]) == set(range(5))
    assert set(whole.generated.labels["digit"]) == set(range(q))
    assert set(whole.real.labels["part"]) == {"train"}
    assert set(whole.generated.labels["part"]) == {"held-out"}
    assert (part.real.n, part.generated.n) == (40, 40)
    assert not np.array_equal(part.real.values, problem.sample(40, seed=2).real.values)
    p, generated = (np.r_[np.full(m, 1 / m), np.zeros(10 - m)] for m in (5, q))
    np.testing.assert_allclose(
        problem.truth().vertices, prviz.discrete_curve(p, generated).vertices, atol=1e-12
    )


def test_truncated_samples_are_the_same_rows_at_every_psi() -> None:
    seeds = {Cell(TruncatedDigits(psi), 30, 0.5, 0, 0, ()).drawn_by for psi in (0.0, 0.4, 1.0)}
    assert len(seeds) == 1
    components = [
        TruncatedDigits(psi).sample(30, *seeds).generated.labels["component"] for psi in (0.2, 1.0)
    ]
    np.testing.assert_array_equal(*components)
    assert TruncatedDigits(0.3).truth() is None


# ---- tasks ----


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_paper_mode_is_the_same_code_on_more_samples(name: str) -> None:
    experiment = EXPERIMENTS[name]
    tasks = experiment.tasks("paper", repeats=1, most=40)
    with ThreadPoolExecutor(1) as pool:
        rows = run_tasks(tasks[:1], experiment.columns, pool)
    assert (rows["n_real"] <= 40).all()
    assert set(experiment.figures(rows)["repeats"]) == {1}
    keys = {key for task in experiment.tasks("paper") for key in task.keys}
    assert len(keys) >= len(quick(name))
    assert not keys & {key for task in experiment.tasks("paper", seed=1) for key in task.keys}
    assert pickle.loads(pickle.dumps(tasks)) == tasks


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "fast"}, "mode = 'fast'; one of quick, paper"),
        ({"mode": "quick", "repeats": 0}, "repeats = 0"),
        ({"mode": "quick", "seed": -1}, "seed = -1"),
        ({"mode": "quick", "most": 1}, "most = 1"),
    ],
)
def test_what_can_not_be_run_is_said(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        EXPERIMENTS["same"].tasks(**arguments)


def test_charts() -> None:
    charts = {name: EXPERIMENTS[name].chart(quick(name)) for name in LINES}
    assert [name for name, chart in charts.items() if isinstance(chart, HeatMap)] == [
        "table1",
        "bias",
    ]
    assert [name for name, chart in charts.items() if isinstance(chart, LineChart)] == [
        "dimension",
        "truncation",
        "guidance",
        "prompting",
        "inside-classes",
        "embeddings",
        "cluster-number",
        "hubs",
    ]
    heat = charts["table1"]
    published = heat.panels["published"]
    assert published.shape == heat.panels["ours"].shape == (16, 4)
    line = heat.y.index("split none, k = √n, μ = 0.21")
    assert published[line, heat.x.index("Coverage")] == 0.97
    assert not pickle.loads(pickle.dumps(heat)).panels["ours"].flags.writeable
    with pytest.raises(ValueError, match="panels has 'a' of shape"):
        HeatMap(("x",), ("y",), {"a": np.zeros((2, 1))}, "")
    lines = charts["dimension"]
    assert lines.log_x
    np.testing.assert_array_equal(
        lines.panels["|m| = 2: excess"]["kNN"].x, [64, 128, 256, 512, 1024, 2048]
    )
    published = charts["truncation"].published
    assert {title: list(panel) for title, panel in published.items()} == {
        f"{data}: {panel}": ["α∞", "in the real support"]
        for data in ("Gaussian", "digits")
        for panel in ("Coverage (no split, k = 5)", "kNN (split 50 %, k = √n)")
    }
    for name, chart in charts.items():
        if isinstance(chart, CurveChart):
            assert set(chart.truths) == (set() if name == "features" else set(chart.panels))
            for panel in chart.panels.values():
                assert all(isinstance(band, ChartBand) for band in panel.values())
    digits = charts["digits"]
    classes = [f"q = {q}" for q in range(1, 11)]
    assert list(digits.truths["kNN"]) == list(digits.panels["kNN"]) == classes
    assert digits.truths["kNN"]["q = 2"].recall.max() == pytest.approx(0.4)


# ---- the shell ----


def test_the_command_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["experiment"]) == 0
    out = capsys.readouterr().out
    assert all(
        f"{name}  " in out and experiment.title in out for name, experiment in EXPERIMENTS.items()
    )


def test_the_command_goes_on_where_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "rows.parquet"
    line = ["experiment", "mixtures", "--repeats", "1", "--seed", "3", "--out", str(out)]
    assert main(line) == 0
    first = pd.read_parquet(out)
    printed = capsys.readouterr().out
    unwrapped = " ".join(printed.split())
    assert len(first) == 5 * 4
    assert list(first) == list(CURVE_COLUMNS)
    assert set(first["seed"]) == {3}
    assert "Quick mode: n = 2,000 in place of 10,000, 1 of 10 repeats" in unwrapped
    assert " ".join(EXPERIMENTS["mixtures"].says(first).split()) in unwrapped
    # What is there is not measured again: the times it took stay as they were.
    out.write_bytes(as_parquet(first[5:], CURVE_COLUMNS))
    assert main(line) == 0
    again = pd.read_parquet(out).set_index("key").loc[first["key"]].reset_index()
    assert capsys.readouterr().out == printed
    assert again["seconds"][5:].equals(first["seconds"][5:])
    assert len(again) == len(first)
    assert {json.loads(parameters)["d"] for parameters in again["parameters"]} == {64}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tabel1"], "there is no experiment 'tabel1'; the names are table1, mixtures, "),
        (["same", "--repeats", "0"], "repeats = 0; an integer from 1"),
        (["same", "--out", "/nowhere/at/all.parquet"], "its folder does not exist"),
        (["same", "--repeats", "two"], "invalid int value: 'two'"),
    ],
)
def test_the_command_refuses(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["experiment", *arguments])
    except SystemExit as stop:
        status = stop.code
    assert status == 2
    assert message in capsys.readouterr().err


def test_rows_of_another_kind_are_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    quick("same").to_parquet(out, index=False)
    before = out.read_bytes()
    other = EXPERIMENTS["dimension"]
    with pytest.raises(ValueError, match="holds other rows: it has a column in_real_support"):
        run_tasks(other.tasks("quick"), other.columns, out=out)
    assert out.read_bytes() == before
    keys = set(quick("same")["key"])
    assert all(task.left(keys) is None for task in EXPERIMENTS["same"].tasks("quick"))
