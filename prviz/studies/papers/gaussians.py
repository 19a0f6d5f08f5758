"""Experiments on Gaussians.

They are Table 1, mixtures, a perfect generator, an outlier, the dimension, and the number of
samples.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from prviz.studies.papers.base import (
    CurveChart,
    Experiment,
    HeatMap,
    LineChart,
    Size,
    cells,
    curve_chart,
    line_panels,
    listed,
    mean_of,
    title_of,
    with_titles,
)
from prviz.studies.papers.forensics import (
    CONVENTION_COLUMNS,
    CONVENTIONS,
    TableReading,
    convention_rows,
    readings,
    tolerances,
)
from prviz.studies.papers.printed import published
from prviz.studies.sweeps import BOUND_COLUMNS, COLUMNS, Cell
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

_FAMILIES = ("ipr", "knn", "kde", "coverage")
_KS = ("4", "√n")
_SPLITS = ("50 %", "none")
# Shift as rounded in the table -> its value: 1, 5/3, 7/3 and 3 times 1/8.
_SHIFTS = {"0.12": 1 / 8, "0.21": 5 / 24, "0.29": 7 / 24, "0.38": 3 / 8}

PUBLISHED = published("table1")
"""The paper's mean IoU by (split, k, shift, family, "IoU"): n = 10,000, d = 64; k = √n is 100."""

# Number of runs over which Table 1 probably reports means.
_RUNS = 10
SPREAD_BELOW = 0.01
"""The paper's upper limit on the standard deviations of the IoU, in every cell of Table 1."""


class Table1Experiment(Experiment):
    """Table 1 of the paper, in the setting of its Figure 2."""

    name = "table1"
    title = "Table 1: four families on shifted Gaussians"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.1 and Table 1"
    question = (
        "How close do four families come to the truth, with few and many neighbours, with and"
        " without split?"
    )
    words = (
        "P = N(0, I) and Q = N(μ·1, I) in d = 64 dimensions, each shifted by μ = 1/8, 5/24, 7/24 or"
        " 3/8; n = {n} samples of each, {repeats}; k = 4 and k = √n neighbours; half of the samples"
        " define the classifiers and half measure them (split 50 %), or all do both (split none)."
        " The figure is the mean IoU of a curve with the true one; the paper's are for n = 10,000,"
        " where √n is 100."
    )
    columns = CONVENTION_COLUMNS
    measure = staticmethod(convention_rows)
    sizes = {
        "quick": Size(1_000, 2, 1.5),
        "paper": Size(10_000, 10, 350.0, beside=True),
    }
    labels = ("split", "k", "shift", "family")
    numbers = {"IoU": "iou"}
    published = PUBLISHED
    explore = {"problem": "shifted-gaussians", "parameters": {"mu": 0.375}, "n": 10_000}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        problems = [toy("shifted-gaussians", mu=mu) for mu in _SHIFTS.values()]
        return cells(problems, _FAMILIES, (4, "sqrt"), (0.5, None), size, seed)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the shift in the form in which the table prints it."""
        found = with_titles(rows, shift="mu")
        titles = {mu: title for title, mu in _SHIFTS.items()}
        return found.assign(shift=found["shift"].map(titles))

    def chart(self, rows: pd.DataFrame) -> HeatMap:
        """Our table and the paper's table side by side."""
        figures = self.figures(rows)
        titles = tuple(map(title_of, _FAMILIES))
        places = list(itertools.product(_SPLITS, _KS, _SHIFTS))
        cells = [(*place, family) for place in places for family in titles]
        shape = (len(places), len(titles))
        known: Any = figures.set_index(list(self.labels))["ours"] if len(figures) else {}
        ours = np.reshape([known.get(cell, np.nan) for cell in cells], shape)
        printed = np.reshape([PUBLISHED[(*cell, "IoU")] for cell in cells], shape)
        panels = {"ours": ours, "published": printed, "ours − published": ours - printed}
        y = tuple(f"split {split}, k = {k}, μ = {shift}" for split, k, shift in places)
        chart = HeatMap(titles, y, panels, "IoU with the truth", signed=("ours − published",))
        found = self.readings(rows)
        if found is None:
            return chart
        marks = np.reshape([_mark(found, cell) for cell in cells], shape).tolist()
        note = "○: as published by the conventions named under All numbers, ×: not by these either."
        return replace(chart, marks={"ours": marks}, note=note)

    def readings(self, rows: pd.DataFrame) -> dict[str, TableReading] | None:
        """Table 1 under the conventions that come closest to the paper; see `forensics.readings`.

        None if the rows have other settings, or lack some conventions.
        """
        keys = [each.key for each in CONVENTIONS]
        if (
            not set(keys) <= set(rows)
            or rows[keys].isna().any(axis=None)
            or (rows["n"] != 10_000).any()
        ):
            return None
        means = self._groups(rows)[keys].mean()
        if len(means) < len(PUBLISHED):
            return None
        published = means["iou"].copy()
        published[:] = [PUBLISHED[(*cell, "IoU")] for cell in means.index]
        return readings(means, published, self.tolerances(rows))

    def _groups(self, rows: pd.DataFrame) -> Any:
        return self.labelled(rows).groupby(list(self.labels), sort=False)

    def tolerances(self, rows: pd.DataFrame) -> pd.Series[float]:
        """By cell, the distance from the published IoU that chance and rounding explain.

        See `forensics.tolerances`.
        """
        groups = self._groups(rows)["iou"]
        return tolerances(groups.std(), groups.count())

    def message(self, rows: pd.DataFrame) -> str:
        """The main conclusion, with the distance from the published table under the paper's likely
        conventions.
        """
        said = super().message(rows)
        found = self.readings(rows)
        if found is None:
            return said
        both = found["both"]
        return f"{said.removesuffix('.')}, by its likely choices {both.off.mean():.3f}."

    def says(self, rows: pd.DataFrame) -> str:
        """The conclusions, and how many cells which conventions explain."""
        said = super().says(rows)
        found = self.readings(rows)
        if found is None:
            return said
        return f"{said} {_explained(found)}"

    def _says(self, figures: pd.DataFrame) -> str:
        off = figures["difference"].abs()
        worst = figures.iloc[int(off.to_numpy().argmax())]
        means = figures.groupby("family", sort=False)["ours"].mean()
        few, many = (mean_of(figures, "IoU", k=k) for k in _KS)
        compared = "The IoU is "
        if few == few and many == many:
            compared = f"With k = 4 the mean IoU is {few:.2f}, with √n {many:.2f}; "
        return (
            f"{compared}on average {off.mean():.3f} from the published one. {len(figures)} of"
            f" {len(PUBLISHED)} cells, {off.max():.3f} from the published IoU at most"
            f" ({worst['family']}, split {worst['split']}, k = {worst['k']}, μ = {worst['shift']})."
            f" Closest to the truth here is {means.idxmax()} with a mean IoU of {means.max():.2f},"
            f" furthest {means.idxmin()} with {means.min():.2f}.{_spreads(figures)}"
        )


def _mark(found: Mapping[str, TableReading], cell: tuple[str, ...]) -> str:
    """The sign of a cell: "" if prviz's conventions reproduce it, "○" if the closest conventions
    do, else "×".
    """
    if found["own"].explained[cell]:
        return ""
    if found["both"].explained[cell]:
        return "○"
    return "×"


def _spreads(figures: pd.DataFrame) -> str:
    """A sentence that compares our standard deviations over repeats with the paper's "< 10^-2"."""
    spreads = figures["spread"].dropna()
    wide = int((spreads >= SPREAD_BELOW).sum())
    if not wide:
        return ""
    of_means = spreads / math.sqrt(_RUNS)
    return (
        f" The paper's standard deviations are all below {SPREAD_BELOW}; ours are not in {wide} of"
        f" {len(spreads)} cells, {spreads.max():.3f} at most. Those of a mean of {_RUNS} runs are"
        f" below it in {(of_means < SPREAD_BELOW).sum()}, which is very likely what it prints."
    )


# Self-counting other than prviz's -> how a family then treats a sample's own ball, in words.
_ITSELF = {
    "none": "{} don't count a sample itself",
    "radius": "{} take a sample for its own neighbour in the radius alone",
    "both": "{} take a sample for its own neighbour",
}


def _drawing(reading: TableReading) -> str:
    drawn = "curves"
    if reading.gammas:
        drawn = "curves and thresholds"
    if reading.rays is None:
        return drawn
    return f"{drawn} on {reading.rays} rays"


def _explained(found: Mapping[str, TableReading]) -> str:
    """A sentence: how many cells are reproduced under which conventions, and which cells under
    none.
    """
    own, rays, both = (found[name] for name in ("own", "rays", "both"))
    drawn = _drawing(rays)
    how = []
    if _drawing(both) != drawn:
        how = [_drawing(both)]
    for kind, words in _ITSELF.items():
        names = [name for name, each in both.self_counting.items() if each == kind]
        if names:
            how.append(words.format(listed(names)))
    left = both.explained[~both.explained & ~own.explained]
    apart = [f"{name} ({len(cells)})" for name, cells in left.groupby(level="family", sort=False)]
    by = f" ({'; '.join(how)})" if how else ""
    of = f": {listed(apart)}" if apart else ""
    return (
        f"Within chance of the published IoU: {own.explained.sum()} cells as prviz measures,"
        f" {found['self'].explained.sum()} by another self-counting, {rays.explained.sum()} by"
        f" {drawn}, {both.explained.sum()} by both{by}; {len(left)} stay apart{of}."
    )


_FIRST_N = 1_000


def mixture_problems() -> dict[str, ToyProblem]:
    """The toy of mixtures with the weights of each version of the paper, by the version's year."""
    presets = type(toy("mixtures")).presets
    return {
        year: toy("mixtures", **presets[label])
        for year in ("2026", "2024")
        for label in presets
        if year in label
    }


class MixturesExperiment(Experiment):
    """Mixtures with the weights in the paper's text (Figure 3c), and with those of Figure 16 and of
    the first version.
    """

    name = "mixtures"
    title = "Mixtures: dropped, invented and re-weighted modes"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.2, Figures 3c and 16; "
        "its first version (2024), section 4.2 and Figure 6"
    )
    question = (
        "Which family finds the steps that dropped, invented and re-weighted modes make in the true"
        " curve?"
    )
    words = (
        "P and Q are mixtures of four unit Gaussians in d = 64 dimensions, with means 0, -5, 3 and"
        " 5 on every coordinate. Weights of 2026: P 0.2, 0.2, 0.6, 0 and Q 0, 0.5, 0.1, 0.4, n ="
        " {n} samples, half of them to measure, k = √n (Figure 3c). Weights of 2024: P 0.3, 0.2,"
        " 0.5, 0 and Q 0, 0.5, 0.2, 0.3, n = 1,000, with and without that split, k = 4 and √n"
        " (Figure 16). {repeats}. The paper shows curves and prints no numbers."
    )
    sizes = {
        "quick": Size(2_000, 2, 0.5),
        "paper": Size(10_000, 10, 45.0, beside=True),
    }
    labels = ("weights", "split", "k", "family")
    numbers = {"IoU": "iou", "excess": "excess", "deficit": "deficit"}
    explore = {"problem": "mixtures", "n": 10_000}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        now, first = mixture_problems().values()
        smaller = size._replace(n=min(_FIRST_N, size.n or _FIRST_N))
        found = cells([now], _FAMILIES, ("sqrt",), (0.5,), size, seed)
        return found + cells([first], _FAMILIES, (4, "sqrt"), (0.5, None), smaller, seed)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the year of the paper whose mixture weights they use."""
        years = {
            problem.parameters["real_weights"]: year for year, problem in mixture_problems().items()
        }
        found = with_titles(rows, weights="real_weights")
        return found.assign(weights=[years[tuple(weights)] for weights in found["weights"]])

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves, in a panel for each setting."""
        panel = "weights of {weights}, split {split}, k = {k}"
        return curve_chart(self.ordered(rows), panel, "{family}")

    def _says(self, figures: pd.DataFrame) -> str:
        said = []
        usual = figures[(figures["split"] == "50 %") & (figures["k"] == "√n")]
        for year in ("2026", "2024"):
            own = usual[usual["weights"] == year].pivot_table(
                "ours", "family", "figure", sort=False
            )
            if len(own):
                ious = own["IoU"]
                excess = own["excess"]
                said.append(
                    f"With the weights of {year}, split and k = √n, {ious.idxmax()} comes closest"
                    f" (IoU {ious.max():.2f}) and {ious.idxmin()} least ({ious.min():.2f});"
                    f" {excess.idxmax()} is the most optimistic (excess {excess.max():.2f})."
                )
        if not said:
            best = figures[figures["figure"] == "IoU"].sort_values("ours").iloc[-1]
            said = [f"So far {best['family']} comes closest (IoU {best['ours']:.2f})."]
        return " ".join(said)


class SameExperiment(Experiment):
    """A perfect generator: the true curve fills the square."""

    name = "same"
    title = "P = Q, with and without split"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), appendix, Figure 5"
    question = "What does an estimate see of a perfect generator, and does a split make it better?"
    words = (
        "P = Q = N(0, I) in d = 64 dimensions, n = {n} samples of each, {repeats}; k = 4, k = 5 "
        "and k = √n neighbours; half of the samples define the classifiers and half measure them "
        "(split 50 %), or all do both (split none). Precision and recall are truly 1 everywhere. "
        "The figure has no numbers; for iPR's ends between two equal Gaussians hal-05344404, 5.4.2 "
        "prints 0.66 and 0.67 and no k: k = 5 gives them."
    )
    sizes = {
        "quick": Size(1_000, 3, 0.6),
        "paper": Size(10_000, 3, 25.0, beside=True),
    }
    labels = ("split", "k", "family")
    numbers = {"IoU": "iou", "α∞": "alpha_inf", "β0": "beta_0"}
    published = published("same")
    explore = {"problem": "identical", "n": 10_000, "split": None}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        return cells([toy("identical")], _FAMILIES, (4, 5, "sqrt"), (None, 0.5), size, seed)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves, in a panel for each k and split."""
        return curve_chart(self.ordered(rows), "split {split}, k = {k}", "{family}")

    def _says(self, figures: pd.DataFrame) -> str:
        parts = []
        means = {}
        for split, words in (("none", "without split"), ("50 %", "with split")):
            found = figures[figures["split"] == split]
            area = found["figure"] == "IoU"
            areas = found.loc[area, "ours"]
            ends = found.loc[~area, "ours"]
            if len(found):
                means[split] = float(areas.mean())
                parts.append(
                    f"{words} the curves fill {areas.min():.2f} to {areas.max():.2f} of the"
                    f" square, and their lowest end stands at {ends.min():.2f} in place of 1"
                )
        text = "; ".join(parts)
        said = f"{text[0].upper()}{text[1:]}."
        if len(means) < 2:
            return said
        better = "is no closer to"
        if means["50 %"] > means["none"]:
            better = "is closer to"
        return f"{said} On average over families and k the split {better} the truth."


_OUTLIER_SHIFT = 3 / 8


class OutlierExperiment(Experiment):
    """The same samples, with and without one real sample moved far away."""

    name = "outlier"
    title = "One outlier among the real samples"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.3 and Figure 7"
    question = "How far does a single outlier among the real samples move a curve?"
    words = (
        "P = N(0, I) and Q = N(μ·1, I) in d = 64 dimensions, μ = 3/8, n = {n} samples of each,"
        " without split, k = 4 and k = √n neighbours, {repeats} (the paper has one). With outlier,"
        " the last real sample lies at (4, ..., 4) and all others are the same. The truth stays"
        " that of the clean pair. The paper shows curves and prints no numbers."
    )
    sizes = {
        "quick": Size(1_000, 3, 0.7),
        "paper": Size(10_000, 10, 85.0),
    }
    labels = ("k", "outlier", "family")
    numbers = {
        "IoU": "iou",
        "α∞": "alpha_inf",
        "α@0.05": "alpha_at_005",
        "β0": "beta_0",
    }
    explore = {
        "problem": "outlier",
        "parameters": {"mu": 0.375},
        "n": 10_000,
        "k": 4,
        "split": None,
    }

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        pair = [toy("shifted-gaussians", mu=_OUTLIER_SHIFT), toy("outlier", mu=_OUTLIER_SHIFT)]
        return cells(pair, _FAMILIES, (4, "sqrt"), (None,), size, seed)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with a column "outlier" that says "with" or "without"."""
        words = {"outlier": "with", "shifted-gaussians": "without"}
        return with_titles(rows).assign(outlier=rows["problem"].map(words))

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves, in a panel for each k, with and without the outlier."""
        return curve_chart(self.ordered(rows), "k = {k}, {outlier} outlier", "{family}")

    def _says(self, figures: pd.DataFrame) -> str:
        wide = figures.pivot_table("ours", ["k", "family", "figure"], "outlier", sort=False)
        if not {"with", "without"} <= set(wide):
            return "Only one side is measured yet, the outlier's effect is not known."
        change = (wide["with"] - wide["without"]).dropna()
        parts = []
        for k, moved in change.groupby(level="k", sort=False):
            most = [_most(moved, figure) for figure in ("α∞", "α@0.05", "IoU")]
            parts.append(f"with k = {k} it moves {listed(most)}")
        worst = max(abs(change[change.index.get_level_values("figure") == "α∞"]))
        return (
            f"One outlier moves α∞ by up to {worst:.3f}. One sample of n moves a rate of errors by"
            f" 1/n; {'; '.join(parts)}."
        )


def _most(moved: pd.Series[float], figure: str) -> str:
    """The largest change of one number by the outlier, with the family, in words."""
    changes = moved[moved.index.get_level_values("figure") == figure]
    place = int(changes.abs().to_numpy().argmax())
    return f"{figure} by {abs(changes.iloc[place]):.3f} at most ({changes.index[place][1]})"


_DIMENSIONS = (64, 128, 256, 512, 1024, 2048)
_DISTANCES = (1.0, 2.0)


class DimensionExperiment(Experiment):
    """Shifted Gaussians in d = 2048 dimensions, as in Figure 4, in d = 64, as in Figure 2, and in
    between.
    """

    name = "dimension"
    title = "Ambient dimension, 64 to 2048"
    source = "Sykes, Simon, Rabin 2024 (first version of hal-05344404), section 4.4 and Figure 4"
    question = "The truth stays the same while the dimension grows: do the estimates?"
    words = (
        "P = N(0, I) and Q = N(m, I) with |m| = 1 or 2, spread evenly over d = 64, 128, 256, 512,"
        " 1024 or 2048 coordinates; n = {n} samples of each, half of them to measure, k = √n,"
        " {repeats}. The true curve depends on |m| alone. The paper shows the curves of d = 2048"
        " and prints no numbers.{bounds}"
    )
    columns = {**COLUMNS, **BOUND_COLUMNS}
    measure = None
    sizes = {
        "quick": Size(500, 3, 1.8),
        "paper": Size(10_000, 5, 500.0, beside=True),
    }
    labels = ("distance", "d", "family")
    parameters = {"distance": "shift"}
    numbers = {"IoU": "iou", "excess": "excess", "deficit": "deficit"}
    explore = {"problem": "high-dimension", "parameters": {"d": 2048, "shift": 1.0}, "n": 10_000}

    def _fields(self, size: Size) -> dict[str, str]:
        bounds = ""
        if size.beside:
            bounds = " The upper bounds are measured in the first repeat."
        return super()._fields(size) | {"bounds": bounds}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        pairs = itertools.product(_DIMENSIONS, _DISTANCES)
        problems = [toy("high-dimension", d=d, shift=shift) for d, shift in pairs]
        return cells(problems, _FAMILIES, ("sqrt",), (0.5,), size, seed)

    def _has_bound(self, cell: Cell, size: Size) -> bool:
        return size.beside and cell.repeat == 0

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """IoU and excess against d, in two panels for each distance of the means."""
        figures = self.figures(rows)
        wanted = figures[figures["figure"].isin(["IoU", "excess"])]
        panels = line_panels(wanted, "d", "|m| = {distance:g}: {figure}", "{family}")
        return LineChart(panels, "dimension d", "share of the area", log_x=True)

    def _says(self, figures: pd.DataFrame) -> str:
        few = int(figures["d"].min())
        many = int(figures["d"].max())
        if few == many:
            return f"Only d = {few} is measured yet: mean excess {mean_of(figures, 'excess'):.2f}."
        (low, first), (high, last) = (
            (mean_of(figures, "excess", d=d), mean_of(figures, "IoU", d=d)) for d in (few, many)
        )
        grows = "does not grow"
        if high > low:
            grows = "grows"
        return (
            f"From d = {few} to d = {many} the mean excess, what estimates see in common that is"
            f" not there, {grows}: {low:.2f} to {high:.2f}, while the mean IoU goes from"
            f" {first:.2f} to {last:.2f}."
        )


_NS = (10, 100, 1_000, 10_000)
_SIZES_SHIFT = 5 / 24


class SampleSizeExperiment(Experiment):
    """The mean curve and its standard deviation at four numbers of samples."""

    name = "sample-size"
    title = "Sample size, 10 to 10,000"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.3 and Figure 4"
    question = "How many samples does it take until chance no longer moves the curve?"
    words = (
        "P = N(0, I) and Q = N(μ·1, I) in d = 64 dimensions, μ = 5/24 (0.21), half of the samples"
        " to measure, k = √n; n = {ns} samples of each, {repeats}. Curves are means over the"
        " repeats at every lam = α / β, plus and minus one standard deviation. The paper shows"
        " curves and prints no numbers."
    )
    sizes = {
        "quick": Size(1_000, 10, 0.6),
        "paper": Size(10_000, 100, 375.0, beside=True),
    }
    labels = ("n", "family")
    numbers = {"IoU": "iou", "AuC": "auc", "1 - TV": "one_minus_tv"}
    explore = {
        "problem": "shifted-gaussians",
        "parameters": {"mu": 5 / 24},
        "n": 1_000,
        "repeats": 10,
    }

    def _fields(self, size: Size) -> dict[str, str]:
        return super()._fields(size) | {"ns": ", ".join(f"{n:,}" for n in self._ns(size))}

    @staticmethod
    def _ns(size: Size) -> list[int]:
        return [n for n in _NS if size.n is None or n <= max(size.n, _NS[0])]

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        problem = [toy("shifted-gaussians", mu=_SIZES_SHIFT)]
        found = list[Cell]()
        for n in self._ns(size):
            found += cells(problem, _FAMILIES, ("sqrt",), (0.5,), size._replace(n=n), seed)
        return found

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves with their standard deviations, in a panel for each n."""
        return curve_chart(self.ordered(rows), "n = {n:,}", "{family}")

    def _says(self, figures: pd.DataFrame) -> str:
        few = int(figures["n"].min())
        many = int(figures["n"].max())
        low, high = (mean_of(figures, "IoU", n=n) for n in (few, many))
        first, last = (mean_of(figures, "1 - TV", "spread", n=n) for n in (few, many))
        closer = "closer" if high > low else "no closer"
        varied = "there is one repeat, so that nothing is known of chance"
        if first == first:
            varied = (
                "the standard deviation of 1 - TV, the middle of the curve, goes from"
                f" {first:.3f} to {last:.3f}"
            )
        return (
            f"From n = {few:,} to n = {many:,} the estimates come {closer} to the truth (mean IoU"
            f" {low:.2f} to {high:.2f}), and {varied}."
        )

    def _quick(self, size: Size) -> str:
        return (
            f"n up to {size.n:,} in place of 10,000, {size.repeats} in place of"
            f" {self.sizes['paper'].repeats} repeats"
        )
