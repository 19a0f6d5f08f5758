"""docs/papers.md: its rows, and the column "here", our figures beside those that the papers print.

python -m tests.papers_table [NAME...]     writes the column anew, from kept rows, bundled data and
exact truths python -m tests.papers_table --numbers     writes ours into printed.json, from kept
rows
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import prviz
from prviz.estimators.hub import hub_rows
from prviz.measure.curve_conventions import CurveConvention
from prviz.measure.estimates import measure
from prviz.neighbors import count_in_balls, nearest_radii, nearest_rows
from prviz.readers.bundled import zoo_checkpoints
from prviz.studies.papers import EXPERIMENTS
from prviz.studies.papers.base import mean_of, stored
from prviz.studies.papers.gaussians import Table1Experiment
from prviz.studies.papers.printed import PLACE, printed_numbers
from prviz.studies.papers.theory import PlugInExperiment
from prviz.studies.plug_in import KERNELS
from prviz.triage.reported import opposite_pairs
from tests.claims import ROOT
from tests.slow_twins import exact_hub_rows

DOCUMENT = ROOT / "docs" / "papers.md"
PAPERS = ("2018", "2019", "hubs", "2024", "2026", "app")
NOTHING = "–"


class Line(NamedTuple):
    """A row of the document; published and here are `NOTHING` where the paper prints no figure of a
    measurement.
    """

    paper: str
    item: str
    where: str
    published: str
    here: str
    note: str

    @property
    def key(self) -> str:
        """Paper and item, as in `HERE`."""
        return f"{self.paper}: {self.item}"


def lines() -> Iterator[Line]:
    """Rows of the document, in their order."""
    for paper, section in zip(PAPERS, DOCUMENT.read_text("utf-8").split("\n## ")[1:], strict=True):
        for text in section.splitlines():
            if text.startswith("| ") and not text.startswith("| item "):
                yield Line(paper, *(cell.strip() for cell in text.strip("|").split("|")))


# ---- what the rows say ----


@cache
def _figures(name: str) -> pd.DataFrame:
    kept = stored(EXPERIMENTS[name])
    assert kept is not None, name
    return EXPERIMENTS[name].figures(kept.rows)


def _off(name: str, *families: str) -> str:
    """How far the printed figures are from ours, by family."""
    found = _figures(name)
    off = (
        found[found["published"].notna()]
        .groupby("family")["difference"]
        .apply(lambda each: each.abs().mean())
    )
    return (
        "off by "
        + ", ".join(f"{off[family]:.2f} ({family})" for family in families)
        + " on average"
    )


def _ends(name: str, **parameters: object) -> tuple[float, float]:
    truth = prviz.toy(name, **parameters).truth()
    return truth.extreme_precision, truth.extreme_recall


def _modes(real: tuple[float, ...], generated: tuple[float, ...]) -> str:
    return "{:.1f}, {:.1f}".format(*_ends("finite", real_weights=real, generated_weights=generated))


def _both_modes() -> str:
    one = (1.0, 0.0, 0.0, 0.0)
    two = (0.5, 0.5, 0.0, 0.0)
    return f"(a) {_modes(two, one)}; (b) {_modes(one, two)}"


@cache
def _distance(checkpoint: str, *, trained: bool = False) -> float:
    return prviz.frechet_distance(*prviz.bundled_pair(checkpoint, trained=trained)).value


def _distances(*checkpoints: str) -> str:
    """In pixels, and in the features of the recogniser of characters."""
    pixels = [f"{_distance(name):.0f}" for name in checkpoints]
    trained = [f"{_distance(name, trained=True):.2f}" for name in checkpoints]
    mark = " and " if len(checkpoints) == 2 else ", "
    return f"FD {mark.join(pixels)}; by a trained network {mark.join(trained)}"


def _gans() -> str:
    highest = prviz.pr_curve(*prviz.bundled_pair("gan-e350"), method="classifier").extreme_precision
    distances = _distances("gan-e350", "gan-narrow-e350", "gan-collapsed-e350")
    return f"highest precision of the first {highest:.1f}; {distances}"


def _confidence(checkpoint: str) -> float:
    """Mean share of the most frequent class among the 10 nearest real digits, in per cent."""
    real, generated = prviz.bundled_pair(checkpoint)
    # exact, ties by row: scikit-learn's neighbours of equal distance depend on the number of cores
    rows, _ = nearest_rows(generated.values, np.arange(generated.n), 10, real.values)
    votes = (real.labels["digit"][rows][:, :, None] == np.arange(10)).mean(axis=1)
    return float(100 * votes.max(axis=1).mean())


def _equal_distances() -> str:
    """The zoo's pair of equal distance that is farthest from the diagonal, and where its curves
    cross.
    """
    names = [each.name for each in zoo_checkpoints()]
    near = [name for name in names if _distance(name) < 500]
    curves = {name: prviz.pr_curve(*prviz.bundled_pair(name)) for name in near}
    sides = [
        curve.f_score(8, leaning="precision") - curve.f_score(8, leaning="recall")
        for curve in curves.values()
    ]
    best = opposite_pairs(near, [_distance(name) for name in near], sides)[0]
    lams = np.geomspace(1e-3, 1e3, 20_001)
    apart = curves[best.precise].alpha(lams) - curves[best.diverse].alpha(lams)
    (crossings,) = np.nonzero(apart[1:] * apart[:-1] < 0)
    recall = max(curves[best.precise].beta(lams[at]) for at in crossings)
    pair = best.precise, best.diverse
    sure = " and ".join(f"{_confidence(name):.1f}" for name in pair)
    models = ", ".join(f"`bundled:{name}`" for name in pair)
    return f"{_distances(*pair)} ({models}); the curves cross at recall {recall:.1f}; {sure} % sure"


def _entropies() -> str:
    """Rank correlations over the zoo: entropy of one sample's class with precision, of all classes
    with recall.
    """
    signed = []
    for trained in (False, True):
        found = []
        for each in zoo_checkpoints():
            pair = prviz.bundled_pair(each.name, trained=trained)
            classes = prviz.class_entropy(*pair, pair.real.labels["digit"])
            curve = prviz.pr_curve(*pair, method="cluster")
            scores = (curve.f_score(8, leaning=side) for side in ("precision", "recall"))
            found.append((classes.within, classes.overall, *scores))
        ranks = pd.DataFrame(found).corr("spearman")
        signed.append(f"{ranks.loc[0, 2]:.2f} and {ranks.loc[1, 3]:.2f}".replace("-", "−"))
    pixels, network = signed
    return f"{pixels} over {len(found)} models of the zoo; by a trained network {network}"


def _hubs(*names: str) -> pd.Series:
    """Numbers of hubs at the poster's k and t, on every pair."""
    experiment = EXPERIMENTS["hubs"]
    kept = stored(experiment)
    assert kept is not None
    figures = experiment.figures(experiment.chosen(kept.rows, {"k": "3", "t": 3}))
    return figures.loc[figures["figure"].isin(names), "ours"]


def _hub_errors() -> str:
    errors = 100 * _hubs("error of precision", "error of recall")
    return f"{errors.min():.0f} to {errors.max():.0f} %"


def _hub_costs() -> str:
    times = _hubs("processor time")
    return f"{times.min():.1f} to {times.max():.1f} of the processor time of all samples"


def _table1() -> str:
    experiment = EXPERIMENTS["table1"]
    assert isinstance(experiment, Table1Experiment)
    kept = stored(experiment)
    assert kept is not None
    found = experiment.readings(kept.rows)
    assert found is not None
    own = found["own"]
    both = found["both"]
    return (
        f"{own.off.mean():.3f} apart on average, {own.off.max():.3f} at most, {own.explained.sum()}"
        f" of 64 within chance; with the paper's likely choices {both.off.mean():.3f},"
        f" {both.explained.sum()} of 64"
    )


def _deviations() -> str:
    spreads = _figures("table1")["spread"]
    means = spreads / 10**0.5
    return (
        f"{(spreads < 0.01).sum()} of {len(spreads)} below 0.01, {spreads.max():.3f} at most; of a"
        f" mean of ten runs {(means < 0.01).sum()} of {len(means)}, {means.max():.3f} at most"
    )


def _one_more_neighbour() -> str:
    """IoU of iPR with balls to the (k + 1)-th other sample, nine rays, by the shift; k = 4, n =
    10,000, one draw.
    """
    convention = CurveConvention(rays=9, gammas=True)
    found = []
    for mu in (1 / 8, 5 / 24, 7 / 24, 3 / 8):
        problem = prviz.toy("shifted-gaussians", mu=mu)
        wanted = [("ipr", 5, None), ("ipr", 4, None)]
        at_k, at_fewer = measure(problem.sample(10_000, 0).split(None), wanted, 0)
        curve = convention.curve(at_k, at_fewer, held_out=False)
        found.append(f"{convention.iou(curve, problem.truth()):.2f}")
    return ", ".join(found)


def _point_mass() -> str:
    figures = _figures("truncation")
    digits: dict[str, Any] = {"psi": 0.0, "data": "digits"}
    ends = [mean_of(figures, "α∞", family=family, **digits) for family in ("Coverage", "kNN")]
    inside = [
        mean_of(figures, "in the real support", family="iPR", psi=0.0, data=data)
        for data in ("Gaussian", "digits")
    ]
    return (
        "digits: Coverage {:.2f}, kNN {:.2f}; iPR's share in the support {:.0f} (Gaussian), {:.0f}"
        " (digits)".format(*ends, *inside)
    )


def _rates(*places: tuple[int, str]) -> str:
    """Exponents of N of the plug-in estimate's error at lam = 1, by d and kernel."""
    experiment = EXPERIMENTS["plug-in"]
    assert isinstance(experiment, PlugInExperiment)
    slopes = experiment.slopes(_figures("plug-in"))
    return ", ".join(f"N^−{-slopes[d][f'plug-in, {kernel}']:.2f}" for d, kernel in places)


def _bias_bound() -> str:
    """Bias of the box's classifier on the mixtures, and twice the mean distances of its densities;
    d = 1, N = 50.
    """
    problem = prviz.toy("mixtures", d=1)
    width = KERNELS["box"].bandwidth(50, 1)
    means = np.array(problem.parameters["means"])
    line = np.linspace(-12, 12, 4_801)
    bells = np.exp(-((line[:, None] - means) ** 2) / 2) / np.sqrt(2 * np.pi)
    apart = []
    for seed in range(40):
        for side, role in zip(problem.sample(50, seed), ("real", "generated"), strict=True):
            known = bells @ np.array(problem.parameters[f"{role}_weights"])
            found = np.mean(np.abs(line[:, None] - side.values.T) <= width, axis=1) / (2 * width)
            apart.append(np.trapezoid(np.abs(found - known), line) / 2)
    bias = mean_of(_figures("plug-in"), "α(1) − truth", d=1, n=100, estimate="classifier, box")
    return f"{abs(bias):.2f}, at most {4 * np.mean(apart):.2f} (d = 1, N = 50)"


def _masses(name: str) -> str:
    problem = prviz.toy(name)
    return (
        f"α∞ = {problem.truth().extreme_precision:.0f}, Q(supp P) = "
        f"{problem.support_masses.q_of_supp_p:.0f}"
    )


def _surrogates() -> pd.DataFrame:
    """IoU of the surrogates of figures 8 to 10, one draw."""
    from pages._lab.surrogate_paper import tasks, with_scenario
    from prviz.studies.sweeps import COLUMNS
    from prviz.studies.tasks import table

    return with_scenario(table(chain.from_iterable(task.run() for task in tasks((2, 50))), COLUMNS))


def _surrogate(scenario: str, method: str, k: str, *, split: bool) -> str:
    rows = _all_surrogates()
    at = (rows["scenario"] == scenario) & (rows["method"] == method) & (rows["k"] == k)
    means = rows[at & (rows["split"].notna() == split)].groupby("d")["iou"].mean()
    return ", ".join(f"{mean:.2f} at d = {d}" for d, mean in means.items())


_all_surrogates = cache(_surrogates)


def _common_half() -> str:
    """Where precision equals recall on the true curve of the mixtures with a common half."""
    from pages._lab.surrogate_paper import tasks

    at = {
        cell.problem.d: cell.problem.truth().alpha(1.0)
        for cell in tasks((2, 50))
        if _scenario(cell) == "common"
    }
    return "truth at λ = 1: " + ", ".join(
        f"({each:.2f}, {each:.2f}) at d = {d}" for d, each in at.items()
    )


def _scenario(cell: Any) -> str:
    return str(cell.problem.parameters["scenario"])


def _shown(name: str, *families: str, **at: Any) -> str:
    """Both ends of families in an experiment's figures."""
    figures = _figures(name)
    found = []
    for family in families:
        ends = [mean_of(figures, end, family=family, **at) for end in ("α∞", "β0")]
        found.append("{} {:.2f}, {:.2f}".format(family, *ends))
    return "; ".join(found)


def _prompted() -> str:
    names = {"F8": "F8, leaning to precision", "F1/8": "F8, leaning to recall"}
    figures = _figures("prompting")
    scores = [
        f"{short} {mean_of(figures, name, family='kNN', classes=1):.2f}"
        for short, name in names.items()
    ]
    return f"{', '.join(scores)}; {_shown('prompting', 'iPR', 'Coverage', classes=1)}"


def _exact_hubs() -> str:
    """Share of exact hubs, t = 3, on shifted Gaussians in d = 64."""
    pair = prviz.toy("shifted-gaussians").sample(2_000, 0)
    shares = []
    for k in (3, 5):
        hubs = [exact_hub_rows(side.values, k) for side in pair]
        shares.append(f"{sum(map(len, hubs)) / 4_000:.2f} at k = {k}")
    return ", ".join(shares)


@cache
def hub_errors() -> dict[str, tuple[float, float]]:
    """Errors of precision and recall by exact and by approximate hubs; shifted Gaussians, d = 64, n
    = 2,000, k = 3.
    """
    pair = prviz.toy("shifted-gaussians").sample(2_000, 0)
    values = [side.values for side in pair]
    radii = [nearest_radii(side, np.arange(len(side)), 3) for side in values]
    hubs = {
        "exact": [exact_hub_rows(side, 3) for side in values],
        "approximate": [hub_rows(side, 3, 0) for side in values],
        "all": [np.arange(len(side)) for side in values],
    }
    found = {}
    for kind, chosen in hubs.items():
        shares = []
        for role in (0, 1):
            balls = radii[role][chosen[role]]
            judged = chosen[1 - role]
            held = count_in_balls(
                values[1 - role], values[role], balls, rows=judged, centre_rows=chosen[role]
            )
            shares.append(float(np.mean(held > 0)))
        found[kind] = shares[0], shares[1]
    every = found.pop("all")
    errors = {}
    for kind, ends in found.items():
        errors[kind] = abs(ends[0] / every[0] - 1), abs(ends[1] / every[1] - 1)
    return errors


def _exact_hub_errors() -> str:
    exact = "{:.0%} and {:.0%}".format(*hub_errors()["exact"])
    approximate = "{:.0%} and {:.0%}".format(*hub_errors()["approximate"])
    return f"{exact}; approximate: {approximate}".replace("%", " %")


HERE: dict[str, Callable[[], str]] = {
    "2018: Figures 2 and 3": _both_modes,
    "2018: Figure 1": lambda: _distances("vae-b1-e300", "gan-e350"),
    "2018: Figure 6, equal FID": _equal_distances,
    "2018: Figure 10, correlations": _entropies,
    "2019: Figure 2": lambda: _off("digits", "Linear classifiers", "Clusters", "kNN"),
    "2019: Figure 3": lambda: _off("common-classes", "Linear classifiers", "Clusters", "kNN"),
    "2019: Figure 4": lambda: _modes((0.6, 0.4, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
    "2019: Figure 5, three GANs with FIDs": _gans,
    "hubs: Table 1, errors": _hub_errors,
    "hubs: Table 1, errors with exact hubs": _exact_hub_errors,
    "hubs: Table 2, share of hubs": _exact_hubs,
    "hubs: Table 2, time and memory": _hub_costs,
    "2024: Table 1": _table1,
    "2026: Theorem 6, rate": lambda: _rates((1, "box"), (2, "box")),
    "2026: Remarks 10, 12, 13, higher-order kernels": lambda: _rates(
        (1, "Gaussian"), (1, "order 4")
    ),
    "2026: Proposition 14, Remark 15, bias of the classifier": _bias_bound,
    "2026: Table 1": _table1,
    "2026: Table 1, iPR, k = 4, no split": _one_more_neighbour,
    "2026: Table 1, deviations below 0.01": _deviations,
    "2026: Definition 19, Proposition 20, Example 1": lambda: _masses("dirac"),
    "2026: 4.3, white noise and noisy picture": lambda: _masses("narrow-gaussian"),
    "2026: Figures 5-7, truncation": _point_mass,
    "2026: Figure 8": lambda: _surrogate("pair", "knn", "sqrt", split=True),
    "2026: Figure 9": lambda: _surrogate("generated-generated", "ipr", "4", split=False),
    "2026: Figure 10": _common_half,
    "2026: 5.4.1, prompting": _prompted,
    "2026: Figure 15, ends at guidance 5": lambda: _shown(
        "guidance", "iPR", "Coverage", "kNN", scale=5.0
    ),
    "2026: 5.4.2, P = Q": lambda: _shown("same", "iPR", "Coverage", k="5", split="none"),
}
"""Cells of the column "here", by paper and item."""

# Those that take more than a few seconds.
SLOW = (
    "2018: Figure 6",
    "2018: Figure 10",
    "2026: Figure 8",
    "2026: Figure 9",
    "2026: Figure 10",
    "2026: Table 1, iPR",
)


def measured_numbers() -> list[dict[str, Any]]:
    """Entries of printed.json, with ours as experiments' kept rows have it."""
    found = []
    for each in printed_numbers():
        entry = each._asdict()
        if each.experiment:
            labels = zip(EXPERIMENTS[each.experiment].labels, each.at, strict=True)
            ours = mean_of(_figures(each.experiment), each.number, **dict(labels))
            entry["ours"] = round(ours, 3)
        found.append(entry | {"at": list(each.at)})
    return found


def _write_numbers() -> None:
    lines = (json.dumps(entry, ensure_ascii=False) for entry in measured_numbers())
    PLACE.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")


def main() -> None:
    """Write the column anew, or where names are given only the cells of items that contain one of
    them.
    """
    if sys.argv[1:] == ["--numbers"]:
        _write_numbers()
        return
    text = DOCUMENT.read_text("utf-8")
    for line in lines():
        old = f"| {line.item} | {line.where} | {line.published} | {line.here} |"
        if line.key in HERE and (
            not sys.argv[1:] or any(name in line.key for name in sys.argv[1:])
        ):
            text = text.replace(
                old, f"| {line.item} | {line.where} | {line.published} | {HERE[line.key]()} |"
            )
    DOCUMENT.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
