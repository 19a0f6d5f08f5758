"""Mistakes in the papers, each with the computation that shows it.

A year names the paper: Sykes, Simon, Rabin 2024 (the first version), or Sykes, Simon, Rabin, Fadili
2026 (hal-05344404).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.estimators import DEFAULT_METHODS
from prviz.estimators.ppr import tent_radius
from prviz.measure.estimates import estimate, pr_curve
from prviz.measure.profiles import profile
from prviz.measure.scalars import scalars
from prviz.neighbors.point_sets import RowView
from prviz.studies.papers.base import (
    Chart,
    ChartBand,
    ChartLine,
    CurveChart,
    LineChart,
    stored,
    true_band,
)
from prviz.studies.papers.gaussians import Table1Experiment, mixture_problems
from prviz.toys import toy


@dataclass(frozen=True)
class Erratum:
    """One mistake in a paper.

    place : the paper, and the place in it.
    says : what the paper says.
    true : what is true, with a field in braces for every number.
    setting : samples and parameters of the numbers and the chart.
    numbers : function that computes the numbers.
    chart : function that draws the mistake.
    """

    place: str
    says: str
    true: str
    setting: str
    numbers: Callable[[], tuple[float, ...]]
    chart: Callable[[], Chart]

    @property
    def finding(self) -> str:
        """The true statement, with the computed numbers filled in."""
        return self.true.format(*self.numbers())


def _line(x: Sequence[float], mean: Sequence[float] | Floats) -> ChartLine:
    return ChartLine(np.array(x, dtype=float), np.array(mean, dtype=float), np.full(len(x), np.nan))


# ---- erratum in 2024, equation 8: the product in probabilistic precision and recall ----

_SHIFTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@cache
def _ppr(shift: float) -> tuple[float, float]:
    """Probabilistic precision of two Gaussians: the mean over generated samples of 1 - prod tau, as
    printed, and of 1 - prod (1 - tau), which is correct.
    """
    real, generated = (
        side.values for side in toy("shifted-gaussians", d=16, mu=shift).sample(200, 0)
    )
    radius = tent_radius(RowView(real, np.arange(len(real))), 4, 1.2)
    tau = np.maximum(0, 1 - np.linalg.norm(generated[:, None] - real, axis=2) / radius)
    return float(np.mean(1 - tau.prod(axis=1))), float(np.mean(1 - (1 - tau).prod(axis=1)))


def _ppr_chart() -> LineChart:
    printed, right = zip(*map(_ppr, _SHIFTS), strict=True)
    panel = {"as printed": _line(_SHIFTS, printed), "with 1 − τ": _line(_SHIFTS, right)}
    return LineChart({"PPR of two Gaussians": panel}, "shift on every coordinate", "PPR")


# ---- erratum in 2024, appendix B: the rays of lam ----


def _rays() -> CurveChart:
    truth = toy("shifted-gaussians", mu=1 / 8).truth()
    lams = np.arctan(np.linspace(0.01, np.pi / 2, 60))
    alphas = truth.alpha(lams)
    unknown = np.full(len(lams), np.nan)
    return CurveChart(
        {
            "A true curve by its rays": {
                "λ = atan θ": ChartBand(alphas / lams, alphas, unknown, unknown)
            }
        },
        {"A true curve by its rays": {"true curve": true_band(truth)}},
    )


# ---- erratum in 2026, section 5.1.1: whether estimates with or without split are pessimistic ----

_MUS = (1 / 8, 5 / 24, 7 / 24, 3 / 8)


@cache
def _areas(mu: float) -> tuple[float, float, float]:
    """True area, and the mean area by four families at k = 4, first with split, then without."""
    problem = toy("shifted-gaussians", mu=mu)
    pair = problem.sample(1000, 0)
    areas = [
        np.mean(
            [each.curve.auc for each in estimate(pair, DEFAULT_METHODS, k=4, split=split).values()]
        )
        for split in (0.5, None)
    ]
    return problem.truth().auc, float(areas[0]), float(areas[1])


def _area_chart() -> LineChart:
    names = ("truth", "split 50 %", "without split")
    panel = {
        name: _line(_MUS, area)
        for name, area in zip(names, zip(*map(_areas, _MUS), strict=True), strict=True)
    }
    return LineChart({"Mean area of four families, k = 4": panel}, "shift μ", "AuC")


# ---- erratum in 2026, section 6: ends of the curve beside published scalars ----

_REAL = np.arange(6.0)[:, None]
_GENERATED = np.array([2.4, 2.45, 2.5, 2.52, 2.55, 2.6])[:, None]
_KS = (1, 2, 3)


@cache
def _ends(k: int) -> tuple[float, float]:
    """Improved precision of _REAL against _GENERATED, and alpha_inf of the curve of iPR."""
    curve = pr_curve(_REAL, _GENERATED, "ipr", k=k, split=None)
    return scalars(_REAL, _GENERATED, k=k)["precision"], curve.extreme_precision


def _end_chart() -> LineChart:
    scalar, end = zip(*map(_ends, _KS), strict=True)
    panel = {"improved precision": _line(_KS, scalar), "α∞ of iPR's curve": _line(_KS, end)}
    return LineChart({"Six real and six generated numbers": panel}, "k", "precision")


# ---- erratum in 2024, appendix B, and 2026, section D.2: k = 100 at n = 1,000 ----

_N = 1000
_NUMBERS = (4, 8, 16, math.isqrt(_N), 50, 100, 200)


@cache
def _ious() -> dict[int, float]:
    problem = mixture_problems()["2024"]
    real, generated = problem.sample(_N, 0)
    found = profile(real, generated, "knn", ks=_NUMBERS, bandwidths=())
    return {k: found.curve("knn", k=k).iou(problem.truth()) for k in _NUMBERS}


def _iou_chart() -> LineChart:
    panel = {"kNN": _line(_NUMBERS, list(_ious().values()))}
    return LineChart({"IoU with the truth, n = 1,000, split 50 %": panel}, "k", "IoU", log_x=True)


# ---- erratum in 2024, section 4.1: 100 or 10 repeats ----

_REPEATS = (1, 3, 10, 30, 100)


@cache
def _spread() -> float:
    """Largest standard deviation of the IoU over repeats among the cells of our Table 1; nan if its
    rows are not bundled.
    """
    experiment = Table1Experiment()
    kept = stored(experiment)
    if kept is None:
        return float("nan")
    return float(experiment.figures(kept.rows)["spread"].max())


def _repeat_chart() -> LineChart:
    panel = {"widest cell of Table 1": _line(_REPEATS, 100 * _spread() / np.sqrt(_REPEATS))}
    title = "Standard error of a mean IoU, in units of its last printed digit"
    return LineChart({title: panel}, "repeats", "standard error, in 0.01", log_x=True)


# ---- erratum in 2026, Figure 16: weights of the mixtures ----


def _truths() -> dict[str, PRCurve]:
    return {f"weights of {year}": problem.truth() for year, problem in mixture_problems().items()}


def _truth_chart() -> CurveChart:
    return CurveChart(
        {"Two true curves": {name: true_band(curve) for name, curve in _truths().items()}}
    )


# ---- erratum in 2026, section B.4: the sign of the bias with a split ----

_SIZES = (50, 100, 200, 500)


@cache
def _middle(n: int) -> float:
    """Mean of alpha(1) by KDE with split, over 20 draws of P = Q."""
    alphas = []
    for seed in range(20):
        real, generated = toy("identical", d=2).sample(n, seed)
        alphas.append(pr_curve(real, generated, "kde", split=0.5, seed=seed).alpha(1.0))
    return float(np.mean(alphas))


def _middle_chart() -> LineChart:
    panel = {
        "truth": _line(_SIZES, [1.0] * len(_SIZES)),
        "KDE": _line(_SIZES, list(map(_middle, _SIZES))),
    }
    return LineChart({"Mean α(1) for P = Q, split 50 %": panel}, "n", "α(1)", log_x=True)


# ---- erratum in 2024, section 5.1, and 2026, section 4.4: F-scores for an invented mode ----

_WEIGHTS = (0.01, 1 / 8, 1.0, 8.0, 100.0)


@cache
def _invented() -> PRCurve:
    """The true curve of an invented mode: P is one mode, which has weight 0.3 in Q. So alpha_inf =
    0.3 and beta_0 = 1.
    """
    return toy("finite", real_weights=(1.0, 0.0), generated_weights=(0.3, 0.7)).truth()


def _invented_scores() -> list[float]:
    return [_invented().f_score(b, leaning="precision") for b in _WEIGHTS]


def _score_chart() -> LineChart:
    ends = [_invented().extreme_precision] * len(_WEIGHTS)
    panel = {"F_b": _line(_WEIGHTS, _invented_scores()), "α∞": _line(_WEIGHTS, ends)}
    return LineChart({"F_b where a mode is invented": panel}, "b", "F_b", log_x=True)


# ---- erratum in 2026, section 4.4: whether an area of 0 means disjoint supports ----


@cache
def _point_mass() -> tuple[float, float]:
    """The true area for a point mass in the support of a Gaussian, and Q(supp P)."""
    problem = toy("dirac")
    masses = problem.support_masses
    return problem.truth().auc, float("nan") if masses is None else masses.q_of_supp_p


def _point_chart() -> CurveChart:
    return CurveChart(
        {"A point mass inside the real support": {"true curve": true_band(toy("dirac").truth())}}
    )


# ---- erratum in 2024, Theorem 3.1: the minimum over gamma ----


def _risk(lam: float, gamma: float, *, printed: bool) -> float:
    """The risk lam fpr + fnr on two Gaussians.

    printed : True for the classifier with threshold lam, as printed in the paper; False for
    threshold gamma.
    """
    shift = 1.0
    threshold = lam if printed else gamma
    cut = shift / 2 + math.log(threshold) / shift
    real = 0.5 * math.erfc(cut / math.sqrt(2))
    generated = 0.5 * math.erfc((shift - cut) / math.sqrt(2))
    return lam * real + generated


_GAMMAS = (0.25, 0.5, 1.0, 2.0, 4.0)


def _spans() -> tuple[float, float]:
    """Largest minus smallest risk over gamma at lam = 1: with the printed threshold lam, and with
    threshold gamma.
    """
    risks = [[_risk(1.0, gamma, printed=printed) for gamma in _GAMMAS] for printed in (True, False)]
    return max(risks[0]) - min(risks[0]), max(risks[1]) - min(risks[1])


def _gamma_chart() -> LineChart:
    panel = {
        "f_λ, as printed": _line(_GAMMAS, [_risk(1.0, gamma, printed=True) for gamma in _GAMMAS]),
        "f_γ": _line(_GAMMAS, [_risk(1.0, gamma, printed=False) for gamma in _GAMMAS]),
    }
    return LineChart({"Risk at λ = 1": panel}, "γ", "λ fpr + fnr", log_x=True)


# ---- erratum in 2024, appendix B, and 2026, section 5.1.3: the mean of N curves ----

_CURVES = (10, 30, 100, 300)


def _printed_means() -> list[float]:
    """The mean of N curves of height 1 by the printed factor 1 / n, n = 10^4, for each N."""
    return [number / 1e4 for number in _CURVES]


def _mean_chart() -> LineChart:
    panel = {
        "1/n, as printed": _line(_CURVES, _printed_means()),
        "1/N": _line(_CURVES, [1.0] * len(_CURVES)),
    }
    return LineChart({"Mean of N curves of height 1, n = 10,000": panel}, "N", "mean", log_x=True)


ERRATA = (
    Erratum(
        "2024, equation 8",
        "PPR from 1 − ∏ τ",
        "1 − ∏ (1 − τ), for sets far apart {1:.2f}; as printed {0:.2f}",
        "Two Gaussians, d = 16, n = 200, k = 4, a = 1.2; in the line above, shifted by 2 on every"
        " coordinate.",
        lambda: _ppr(_SHIFTS[-1]),
        _ppr_chart,
    ),
    Erratum(
        "2024, appendix B",
        "λ = atan θ",
        "λ = tan θ; atan ends at λ = {0:.3f}, the ray at {1:.0f}° of 90°",
        "The true curve of two Gaussians, μ = 1/8.",
        lambda: (math.atan(math.pi / 2), math.degrees(math.atan(math.atan(math.pi / 2)))),
        _rays,
    ),
    Erratum(
        "2026, 5.1.1",
        "k = 4: “more pessimistic in the split setting”",
        "without: area {2:.2f}; with it {1:.2f}; truth {0:.2f}",
        "Shifted Gaussians, d = 64, n = 1,000; in the line above, μ = 1/8.",
        lambda: _areas(_MUS[0]),
        _area_chart,
    ),
    Erratum(
        "2026, 6",
        "the curves' ends “match rigorously the scalar metrics”",
        "they are at most these: improved precision {0:.2f}, end {1:.2f}",
        "Real 0, 1, 2, 3, 4, 5; generated 2.4, 2.45, 2.5, 2.52, 2.55, 2.6; without split; in the"
        " line above, k = 3.",
        lambda: _ends(3),
        _end_chart,
    ),
    Erratum(
        "2024, appendix B; 2026, D.2",
        "k = 100 at n = 1K, k = √n",
        "√n is {0}: IoU {1:.2f} there, {2:.2f} at k = 100",
        "kNN on the mixtures with the weights of 2024.",
        lambda: (math.isqrt(_N), _ious()[math.isqrt(_N)], _ious()[100]),
        _iou_chart,
    ),
    Erratum(
        "2024, 4.1",
        "100 runs; Figure 2 and 2026, same table: 10",
        "not both: standard errors to {0:.3f} at 10, {1:.3f} at 100",
        "The kept repeats of Table 1 at paper size, the cell with the largest standard deviation.",
        lambda: (_spread() / math.sqrt(10), _spread() / math.sqrt(100)),
        _repeat_chart,
    ),
    Erratum(
        "2026, Figure 16",
        "“complements Figure 3c”",
        "weights of 2024, another truth: area {0:.2f}, not {1:.2f}",
        "The exact curves of both mixtures, d = 64.",
        lambda: (_truths()["weights of 2024"].auc, _truths()["weights of 2026"].auc),
        _truth_chart,
    ),
    Erratum(
        "2026, B.4",
        "with a split the bias is positive",
        "not for P = Q: mean α(1) {0:.2f}, truth 1; γ is chosen on evaluation samples",
        "KDE, k = √n, two equal Gaussians in the plane, 20 draws; in the line above, n = 100.",
        lambda: (_middle(100),),
        _middle_chart,
    ),
    Erratum(
        "2024, 5.1; 2026, 4.4, F_b",
        "b → ∞: F_b “increases” to α∞",
        "not where a mode is invented: F8 {1:.3f}, above α∞ = {0:.1f}",
        "Two modes: P has the first alone, Q has it with weight 0.3; F_b leaning to precision.",
        lambda: (_invented().extreme_precision, _invented().f_score(8, leaning="precision")),
        _score_chart,
    ),
    Erratum(
        "2026, 4.4, AuC",
        "AuC 0 is “synonymous of disjoint supports”",
        "its own Example 1: AuC {0:.0f} with all of Q in P's support, Q(supp P) = {1:.0f}",
        "A point mass inside the support of a Gaussian.",
        _point_mass,
        _point_chart,
    ),
    Erratum(
        "2024, Theorem 3.1",
        "the minimum over γ of the risk of f_λ",
        "of f_γ; as printed nothing depends on γ: spread of the risk {0:.2f}, of f_γ {1:.2f}",
        "N(0, 1) and N(1, 1), λ = 1, γ from 1/4 to 4.",
        _spans,
        _gamma_chart,
    ),
    Erratum(
        "2024, appendix B; 2026, 5.1.3",
        "the mean of N = 100 curves is 1/n times their sum, n = 10⁴",
        "1/N; 1/n makes {0:.2f} of curves of height 1",
        "N curves that are 1 everywhere.",
        lambda: (_printed_means()[_CURVES.index(100)],),
        _mean_chart,
    ),
)
"""All mistakes, ordered by paper and place."""
