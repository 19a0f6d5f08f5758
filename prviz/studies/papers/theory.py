"""Experiments on the theory of the 2026 paper.

They compare the plug-in estimate with the classifier, and separate bias from deviation.
"""

from __future__ import annotations

import itertools
from collections.abc import Container
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from prviz.curves import PRCurve
from prviz.curves.summaries import numbers
from prviz.measure.workload import fit_size
from prviz.studies.convergence import fitted_slope, rate_exponent
from prviz.studies.papers.base import (
    ALPHA_COLUMNS,
    CurveChart,
    Experiment,
    HeatMap,
    Size,
    alphas_of,
    cells,
    curve_chart,
    listed,
    signed,
    title_of,
    with_titles,
)
from prviz.studies.plug_in import KERNELS, plug_in_curve
from prviz.studies.sweeps import COLUMNS, Cell, measured
from prviz.studies.tasks import Columns, Row
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

_OFF = "α(1) − truth"
_DISTANCE = "|α(1) − truth|"


# Column -> lam > 1 at which it holds the error of precision.
_FARTHER = {"alpha_4_error": 4.0, "alpha_16_error": 16.0}


def errors(curve: PRCurve, truth: PRCurve) -> Row:
    """Estimate minus truth: of alpha at three lam, and of the area; and |error| at lam = 1."""
    above = curve.alpha(1.0) - truth.alpha(1.0)
    found = {"alpha_error": above, "alpha_off": abs(above), "auc_error": curve.auc - truth.auc}
    for name, lam in _FARTHER.items():
        found[name] = curve.alpha(lam) - truth.alpha(lam)
    return found


_ERRORS: Columns = dict.fromkeys(("alpha_error", "alpha_off", "auc_error", *_FARTHER), "float64")


def error_rows(cell: Cell) -> list[Row]:
    """Rows of a cell with the columns of `errors`; the problem must be a toy, whose truth is
    known.
    """
    truth = _toy(cell).truth()
    return [row | errors(estimate.curve, truth) for row, estimate in measured(cell)]


def _toy(cell: Cell) -> ToyProblem:
    if not isinstance(cell.problem, ToyProblem):
        raise TypeError(f"{cell.problem.name}: a toy is needed, whose truth is known")
    return cell.problem


def _by_name(values: Any) -> str:
    return listed([f"{signed(value)} ({name})" for name, value in values.items()])


def _side(above: float) -> str:
    return f"{abs(above):.2f} too {'high' if above > 0 else 'low'}"


# ---- experiment: the plug-in estimate ----

_CLASSIFIER = "classifier, box"
_PLUG_INS = {f"plug-in {name}": f"plug-in, {kernel.title}" for name, kernel in KERNELS.items()}


@dataclass(frozen=True)
class PlugInCell(Cell):
    """A cell that measures the plug-in curve of every kernel on the fit samples, and also the
    classifier by the box kernel's densities.
    """

    @property
    def keys(self) -> list[str]:
        """The key of the classifier's row, and one for each kernel's row."""
        (key,) = super().keys
        return [key, *(f"{key}-{kernel}" for kernel in KERNELS)]

    def left(self, known: Container[str]) -> Self | None:
        """The cell, unless all its rows are known: it measures all rows at once."""
        if all(key in known for key in self.keys):
            return None
        return self

    def run(self) -> list[Row]:
        """The rows of the classifier and of each kernel."""
        truth = _toy(self).truth()
        ((row, estimate),) = measured(self)
        fit = self.draw().split(self.split, self.drawn_by).fit
        rows = [row | alphas_of(estimate.curve) | errors(estimate.curve, truth)]
        for key, (name, kernel) in zip(self.keys[1:], KERNELS.items(), strict=True):
            width = kernel.bandwidth(fit.real.n, fit.d)
            curve = plug_in_curve(fit.real, fit.generated, width, name)
            own = {"key": key, "method": f"plug-in {name}", "bandwidth": width}
            rows.append(row | own | numbers(curve, truth) | alphas_of(curve) | errors(curve, truth))
        return rows


def _sizes(size: Size, ns: tuple[int, ...]) -> list[int]:
    """The numbers of samples in ``ns``, cut to that of the mode."""
    return sorted({min(n, size.n or n) for n in ns})


def _listed_sizes(size: Size, ns: tuple[int, ...]) -> dict[str, str]:
    return {"ns": listed([f"{n:,}" for n in _sizes(size, ns)])}


# Numbers of samples of each set in the paper mode.
_PLUG_IN_NS = (100, 1_000, 10_000)
_WIDTHS = listed([f"{kernel.width:g} ({kernel.title})" for kernel in KERNELS.values()])


class PlugInExperiment(Experiment):
    """The plug-in estimate of Theorem 6, in one and two dimensions, in which it can be computed."""

    name = "plug-in"
    title = "Densities or a classifier? The plug-in estimate"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), Definition 4, Theorem 6 and Remarks 10,"
        " 12 and 13"
    )
    question = (
        "The theory bounds the curve of two estimated densities: how far is it from that of their"
        " classifier?"
    )
    words = (
        "The mixtures with the weights of 2026 in d = 1 and 2 dimensions, n = {ns} of each,"
        " {repeats}. Plug-in: kernel density estimates p̂ and q̂ of N = n/2 samples of each give"
        " α(λ) = (λ + 1)/2 − ‖λP̂ − Q̂‖, which is ∫ min(λp̂, q̂); no sample is classified."
        " Classifier: the other half is called real where λp̂ ≥ q̂, with the densities of the box."
        " Box: uniform on a ball, as in the paper; Gaussian: smooth; order 4: Gaussian times"
        " (3 − u²)/2 on every axis, whose moments up to the third vanish, cut off below 0."
        f" Bandwidth: N^(−1/(2s + d)) times {_WIDTHS}, s = 1, 2 and 4. The paper shows no figure."
    )
    columns = {
        **COLUMNS,
        **ALPHA_COLUMNS,
        "alpha_error": "float64",
        "alpha_off": "float64",
    }
    measure = None
    sizes = {
        "quick": Size(1_000, 3, 1.5),
        "paper": Size(10_000, 40, 60.0),
    }
    labels = ("d", "n", "estimate")
    numbers = {
        "IoU": "iou",
        _OFF: "alpha_error",
        _DISTANCE: "alpha_off",
    }
    explore = {"problem": "mixtures", "parameters": {"d": 2}, "n": 100, "methods": ("kde",)}

    def _fields(self, size: Size) -> dict[str, str]:
        return super()._fields(size) | _listed_sizes(size, _PLUG_IN_NS)

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        found: list[Cell] = []
        for repeat, n, d in itertools.product(
            range(size.repeats), _sizes(size, _PLUG_IN_NS), (1, 2)
        ):
            width = KERNELS["box"].bandwidth(fit_size(n, 0.5), d)
            wanted = (("kde", None, width),)
            found.append(PlugInCell(toy("mixtures", d=d), n, 0.5, repeat, seed, wanted))
        return found

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the title of their estimate."""
        return rows.assign(estimate=[_PLUG_INS.get(each, _CLASSIFIER) for each in rows["method"]])

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves with the truth for the smallest and the largest n, in a panel for each d
        and n.
        """
        ends = rows[rows["n"].isin([rows["n"].min(), rows["n"].max()])]
        return curve_chart(self.ordered(ends), "d = {d}, n = {n:,}", "{estimate}")

    def _says(self, figures: pd.DataFrame) -> str:
        d = int(figures["d"].max())
        at = figures[(figures["d"] == d) & (figures["figure"] == _OFF)]
        few = int(at["n"].min())
        many = int(figures["n"].max())
        off = at[at["n"] == few].set_index("estimate")["ours"]
        place = f"n d = {d} with n = {few:,}"
        boxes = {
            _PLUG_INS["plug-in box"]: "the densities of a box",
            _CLASSIFIER: "their classifier",
        }
        parts = [f"{_side(off[name])} from {words}" for name, words in boxes.items() if name in off]
        said = []
        if parts:
            said = [f"I{place}, precision at λ = 1 comes out {listed(parts)}."]
        said.append(f"α(1) − truth i{place}: {_by_name(off)}.")
        for d, found in self.slopes(figures).items():
            said.append(
                f"In d = {d}, |α(1) − truth| goes like N to the power {_by_name(found)} up to n ="
                f" {many:,}; the theorem's bound, for the box, like {signed(rate_exponent(d))}."
            )
        return " ".join(said)

    @staticmethod
    def slopes(figures: pd.DataFrame) -> dict[int, dict[str, float]]:
        """Slope b in mean |error of α(1)| ~ N^b, by d and estimate; only for estimates with two or
        more n.
        """
        found: dict[int, dict[str, float]] = {}
        distances = figures[figures["figure"] == _DISTANCE]
        settings: Any
        for settings, group in distances.groupby(["d", "estimate"], sort=False):
            if len(group) > 1:
                d, name = settings
                slope = fitted_slope(group["n"].tolist(), group["ours"].tolist())
                found.setdefault(int(d), {})[name] = slope.value
        return found


# ---- experiment: bias and deviation ----

_KS = (1, 3, 10, 30, 100)
_NS = (100, 300, 1_000, 3_000)
_PARTS = {"bias": "ours", "deviation": "spread"}
_SPLITS = {"50 %": "split 50 %", "none": "no split"}


class BiasExperiment(Experiment):
    """Bias and deviation of the KDE classifier: Proposition 14 bounds the bias, and Remark 15
    leaves the deviation open.
    """

    name = "bias"
    title = "Bias and deviation apart"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 3.3, Proposition 14 and Remark 15"
    )
    question = "Is an estimate off because of chance, or would it be off on average too?"
    words = (
        "P = N(0, I) and Q = N(m, I) with |m| = 1 in d = 16 dimensions, n = {ns} of each,"
        f" {{repeats}}. {title_of('kde')} with the mean distance to the k-th neighbour as its"
        " bandwidth, half of the samples to measure (split 50 %) or all for both (no split). Bias:"
        " the mean of α(1) over the draws less the true one. Deviation: their standard deviation."
        " The paper bounds the bias with a split and shows no figure."
    )
    repeated = "draw"
    columns = {**COLUMNS, **_ERRORS}
    measure = staticmethod(error_rows)
    sizes = {
        "quick": Size(300, 5, 0.6),
        "paper": Size(3_000, 50, 60.0),
    }
    labels = ("split", "n", "k")
    numbers = {
        _OFF: "alpha_error",
        **{f"α({lam:g}) − truth": column for column, lam in _FARTHER.items()},
        "AuC − truth": "auc_error",
    }
    explore = {
        "problem": "high-dimension",
        "parameters": {"d": 16, "shift": 1.0},
        "n": 1_000,
        "methods": ("kde",),
        "k": 1,
    }

    def _fields(self, size: Size) -> dict[str, str]:
        return super()._fields(size) | _listed_sizes(size, _NS)

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        problem = toy("high-dimension", d=16, shift=1.0)
        found = list[Cell]()
        for n in _sizes(size, _NS):
            ks = [k for k in _KS if k < fit_size(n, 0.5)]
            found += cells([problem], ("kde",), ks, (0.5, None), size._replace(n=n), seed)
        return found

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with split as text and k as a number."""
        return with_titles(rows).assign(k=rows["k"].astype("int64"))

    def chart(self, rows: pd.DataFrame) -> HeatMap:
        """Bias and deviation of α(1) against n, for each k, with and without split."""
        figures = self.figures(rows)
        at = figures[figures["figure"] == _OFF]
        ns = sorted(set(at["n"]))
        ks = sorted(set(at["k"]))
        panels = {}
        for (name, column), (split, words) in itertools.product(_PARTS.items(), _SPLITS.items()):
            wide = at[at["split"] == split].pivot(index="n", columns="k", values=column)
            panels[f"{name}, {words}"] = wide.reindex(index=ns, columns=ks).to_numpy(np.float64)
        signed = tuple(title for title in panels if title.startswith("bias"))
        top = float(np.nanmax([0.01, *at["spread"].dropna()]))
        x = (f"k = {ks[0]}", *map(str, ks[1:]))
        y = tuple(f"n = {n:,}" for n in ns)
        return HeatMap(x, y, panels, "error of α(1)", high=top, signed=signed)

    def _says(self, figures: pd.DataFrame) -> str:
        at = figures[figures["figure"] == _OFF]
        most = int(at["n"].max())
        parts = []
        for split, words in _SPLITS.items():
            own = at[(at["split"] == split) & (at["n"] == most)].sort_values("k")
            ends = [f"{signed(each['ours'])} at k = {each['k']}" for each in own.to_dict("records")]
            if ends:
                parts.append(f"{ends[0]}, {ends[-1]} ({words})")
        said = f"With n = {most:,}, the bias of precision at λ = 1 is {'; '.join(parts)}."
        spread = at.groupby("n")["spread"].mean().dropna()
        if len(spread) < 2:
            return said
        few = int(spread.index[0])
        many = int(spread.index[-1])
        larger = int((at["ours"].abs() > at["spread"]).sum())
        hardest = int(self._squares(figures).idxmax(axis="columns").eq(_OFF).sum())
        return (
            f"{said} The deviation goes from {spread[few]:.3f} to {spread[many]:.3f} on average"
            f" from n = {few:,} to n = {many:,}. The bias is the larger one in {larger} of"
            f" {len(at)} settings. Of λ = 1, 4 and 16, precision is hardest at λ = 1, as Remark 13"
            f" expects, in {hardest} of them."
        )

    @staticmethod
    def _squares(figures: pd.DataFrame) -> pd.DataFrame:
        """Mean squared error of precision, with a row for each setting and a column for each
        lam.
        """
        own = figures[figures["figure"].str.startswith("α")]
        squared = own.assign(square=own["ours"] ** 2 + own["spread"] ** 2)
        return squared.pivot_table("square", ["split", "n", "k"], "figure", dropna=True)
