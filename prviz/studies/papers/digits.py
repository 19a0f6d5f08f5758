"""Experiments on digits and on many classes.

They add and drop classes, vary the share of common classes, and apply the truncation trick.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from prviz.curves import PRCurve
from prviz.curves.summaries import numbers
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair
from prviz.studies.papers.base import (
    SPARED,
    ChartLine,
    CurveChart,
    Experiment,
    LineChart,
    Size,
    cells,
    curve_chart,
    line_panels,
    listed,
    title_of,
    true_band,
    with_titles,
)
from prviz.studies.papers.bundled_problems import BundledProblem, at_most
from prviz.studies.papers.printed import published
from prviz.studies.sweeps import Cell, Known, Wanted
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

REAL_CLASSES = 5
EVEN_SHARE = 0.6


class _Halves(BundledProblem):
    """Digits of one half of the real digits against digits of the other half; the halves have no
    picture in common.
    """

    def source(self) -> SamplePair:
        """All pictures of both halves, which identify the data."""
        return bundled_pair("digits-held-out")


@dataclass(frozen=True)
class DigitClasses(_Halves):
    """Digits 0 to 4 of one half of the real digits against digits 0 to q - 1 of the other half.

    The truth is what the papers expect: recall up to min(1, q / 5) at precision up to min(1, 5 /
    q), as if all digits were equally likely and never confused (Simon, Webster, Rabin 2019, section
    6).
    """

    q: int
    name: ClassVar[str] = "digit-classes"

    def whole(self) -> SamplePair:
        """All pictures of the two sets: digits 0 to 4 of one half, and 0 to q - 1 of the other."""
        real, generated = (
            side.take(np.flatnonzero(side.labels["digit"] < most))
            for side, most in zip(self.source(), (REAL_CLASSES, self.q), strict=True)
        )
        return SamplePair(real, generated)

    def truth(self) -> PRCurve:
        """The rectangle of the expected precision and recall."""
        recall = min(1.0, self.q / REAL_CLASSES)
        precision = min(1.0, REAL_CLASSES / self.q)
        return PRCurve.from_error_rates([0.0, recall], [precision, 0.0])


@dataclass(frozen=True)
class DigitShares(_Halves):
    """Digits of one half, 60 % of them even, against even digits of the other half.

    The truth, expected as for `DigitClasses`, is recall up to 0.6 at precision up to 1.
    """

    name: ClassVar[str] = "digit-shares"

    def whole(self) -> SamplePair:
        """All real pictures, and the even digits of the other half as generated ones."""
        real, other = self.source()
        return SamplePair(real, other.take(np.flatnonzero(other.labels["digit"] % 2 == 0)))

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n pictures of each set, drawn without replacement; 60 % of the real ones are even
        digits.
        """
        real, generated = self.whole()
        even, odd = (np.flatnonzero(real.labels["digit"] % 2 == rest) for rest in (0, 1))
        rng = np.random.default_rng(seed)
        of_even = min(len(even), round(n * EVEN_SHARE))
        of_odd = round(of_even * (1 - EVEN_SHARE) / EVEN_SHARE)
        rows = [rng.permutation(each)[:most] for each, most in ((even, of_even), (odd, of_odd))]
        shared = real.take(np.sort(np.concatenate(rows)))
        return SamplePair(shared, at_most(SamplePair(shared, generated), n, seed).generated)

    def truth(self) -> PRCurve:
        """The rectangle of the expected precision and recall."""
        return PRCurve.from_error_rates([0.0, EVEN_SHARE], [1.0, 0.0])


@dataclass(frozen=True)
class BundledDigits(BundledProblem):
    """A bundled pair of sets, by name."""

    pair: str
    name: ClassVar[str] = "bundled-digits"

    def whole(self) -> SamplePair:
        """All samples of the pair."""
        return bundled_pair(self.pair)


@dataclass(frozen=True)
class TruncatedDigits(BundledProblem):
    """All digits against samples of the trained mixture model with truncated latents.

    psi, one of 0, 0.1, ..., 1, scales the distance of each latent vector from the mean. Row i comes
    from the same latent vector at every psi, and one seed draws the same rows for every psi.
    """

    psi: float
    name: ClassVar[str] = "truncated-digits"

    @property
    def drawn_as(self) -> TruncatedDigits:
        """The pair at psi = 1, whose seeds the pairs of all psi share."""
        return TruncatedDigits(1.0)

    def whole(self) -> SamplePair:
        """All real digits, and all samples at this psi."""
        return bundled_pair(f"truncation-{self.psi:.1f}")


_FAMILIES = ("cluster", "classifier", "knn", "coverage")


def _cells(problems: Sequence[Known], methods: Sequence[str], size: Size, seed: int) -> list[Cell]:
    """Cells with k = √n: the family "cluster" without split, as published (PRD), other families
    with split 50 %.
    """
    others = [name for name in methods if name != "cluster"]
    found = cells(problems, ("cluster",), ("sqrt",), (None,), size, seed)
    return found + cells(problems, others, ("sqrt",), (0.5,), size, seed)


_COUNTS = tuple(range(1, 11))
_ENDS = {"highest precision": "alpha_inf", "highest recall": "beta_0"}


def _expected() -> dict[tuple[str, int, str], float]:
    found = {}
    for q in _COUNTS:
        truth = numbers(DigitClasses(q).truth())
        for method in _FAMILIES:
            for end, column in _ENDS.items():
                found[title_of(method), q, end] = truth[column]
    return found


class DigitsExperiment(Experiment):
    """Digits 0 to 4 of the real set against the first q classes of digits, for q from 1 to 10."""

    name = "digits"
    title = "Classes added and dropped"
    source = (
        "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, section 4.1 and Figure 5; Simon, Webster,"
        " Rabin 2019, section 6 and Figure 2"
    )
    question = "Does a dropped class cost recall alone, and an invented one precision alone?"
    words = (
        "P is digits 0 to 4 of one half of the bundled digits, Q the first q = 1, ..., 10 digits of"
        " the other; {drawn}, clusters without split as published, the others with half to measure"
        " and k = √n; {repeats}. The papers have CIFAR-10 and MNIST and show curves; the second one"
        " expects a rectangle, precision up to min(1, 5/q) and recall up to min(1, q/5). These two"
        " stand as published; the IoU is with that rectangle."
    )
    sizes = {
        "quick": Size(None, 1, 2.5),
        "paper": Size(None, 10, 20.0),
    }
    labels = ("family", "q")
    parameters = {"q": "q"}
    numbers = {"IoU": "iou", **_ENDS}
    published = _expected()
    explore = {
        "source": "bundled",
        "problem": "digits-held-out",
        "n": 899,
        "methods": ("cluster", "classifier", "knn", "coverage"),
    }
    explore_title = "Open both halves with all their classes in Explore"

    def _fields(self, size: Size) -> dict[str, str]:
        drawn = "all pictures"
        if size.n:
            drawn = f"at most n = {size.n:,} pictures of each side"
        return super()._fields(size) | {"drawn": drawn}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        return _cells([DigitClasses(q) for q in _COUNTS], _FAMILIES, size, seed)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every q with its expected rectangle, in a panel for each family."""
        panels = curve_chart(self.ordered(rows), "{family}", "q = {q}").panels
        truths = {f"q = {q}": true_band(DigitClasses(q).truth()) for q in _COUNTS}
        own = {title: {name: truths[name] for name in panel} for title, panel in panels.items()}
        return CurveChart(panels, own)

    def _says(self, figures: pd.DataFrame) -> str:
        ious = figures[figures["figure"] == "IoU"].groupby("family", sort=False)["ours"].mean()
        ends = figures[figures["figure"].isin(list(_ENDS))]
        parts = []
        for what, wanted in (("dropped", ends["q"] <= 5), ("added", ends["q"] >= 5)):
            off = ends["difference"].abs()[wanted].groupby(ends["family"], sort=False).mean()
            if len(off):
                parts.append(
                    f"with classes {what}, the ends are {off.min():.2f} ({off.idxmin()}) to"
                    f" {off.max():.2f} ({off.idxmax()}) from the expected ones"
                )
        return (
            f"Closest to the expected rectangles is {ious.idxmax()} with a mean IoU of"
            f" {ious.max():.2f}, furthest {ious.idxmin()} with {ious.min():.2f}. Of the ends:"
            f" {'; '.join(parts)}."
        )


_COMMON_FAMILIES = ("cluster", "classifier", "knn")
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


class CommonClassesExperiment(Experiment):
    """Many classes of which a share is common: few clusters mix several classes, and so
    overestimate the share.
    """

    name = "common-classes"
    title = "80 classes, a share of them in common"
    source = "Simon, Webster, Rabin 2019, section 6 and Figure 3"
    question = "Who sees that only a share of many classes is common to both sides?"
    words = (
        "P and Q each have 80 equally likely classes in d = 64 dimensions, of which the share rho ="
        " 0, 0.25, 0.5, 0.75 or 1 is common to both; n = {n} samples of each; 20 clusters without"
        " split as published, the others with half to measure and k = √n; {repeats}. The paper has"
        " classes of ImageNet, shows curves, and expects a square: precision and recall up to rho."
        " These stand as published."
    )
    sizes = {
        "quick": Size(2_000, 2, 2.5),
        "paper": Size(8_000, 5, 70.0, beside=True),
    }
    labels = ("family", "rho")
    parameters = {"rho": "share"}
    numbers = {"IoU": "iou", "excess": "excess", **_ENDS}
    published = {
        (title_of(method), rho, end): rho
        for method, rho, end in itertools.product(_COMMON_FAMILIES, _SHARES, _ENDS)
    }
    explore = {
        "problem": "classes",
        "parameters": {"share": 0.5},
        "n": 8_000,
        "methods": ("cluster", "classifier", "knn"),
    }

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        return _cells([toy("classes", share=rho) for rho in _SHARES], _COMMON_FAMILIES, size, seed)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every share rho with its expected square, in a panel for each
        family.
        """
        return curve_chart(self.ordered(rows), "{family}", "rho = {rho:.0%}", each_true=True)

    def _says(self, figures: pd.DataFrame) -> str:
        ious, excess = (
            figures[figures["figure"] == name].groupby("family", sort=False)["ours"].mean()
            for name in ("IoU", "excess")
        )
        return (
            f"Closest to the expected squares is {ious.idxmax()} with a mean IoU of"
            f" {ious.max():.2f}, furthest {ious.idxmin()} with {ious.min():.2f}. {excess.idxmax()}"
            f" sees most in common that is not there: a mean excess of {excess.max():.2f}, where"
            f" {excess.idxmin()} has {excess.min():.2f}."
        )


_PSIS = tuple(step / 10 for step in range(11))
# Settings of iPR and coverage in the paper's figures, without split.
UNSPLIT: tuple[Wanted, ...] = (("ipr", 3, None), ("coverage", 5, None))
# Settings of kNN, with a split, as the paper's theory requires.
SPLIT: tuple[Wanted, ...] = (("knn", "sqrt", None),)
SETTINGS = {"ipr": "no split, k = 3", "coverage": "no split, k = 5", "knn": "split 50 %, k = √n"}
_IN_SUPPORT = "in the real support"
_SPARED = f"α∞, {100 * SPARED:.0f} % of real spared"
_LONE = "a real sample alone"
# Dimension of the truncated Gaussian. Its true area is near 0 only for psi below 0.3; in 64
# dimensions it would be for psi below 0.7.
_D = 8
# Number of samples of the truncated Gaussian, the same as of the digits.
_N = 1_797
_DATA = {"scaled-gaussian": "Gaussian", "dirac": "Gaussian", TruncatedDigits.name: "digits"}


def truncated_gaussian(psi: float) -> ToyProblem:
    """The toy N(0, I) against N(0, psi^2 I): a truncated latent space whose centre lies in the
    support of P.
    """
    if psi:
        return toy("scaled-gaussian", d=_D, scale=psi)
    return toy("dirac", d=_D, position=0.0)


@cache
def _true_numbers(psi: float) -> Mapping[str, float]:
    problem = truncated_gaussian(psi)
    return numbers(problem.truth()) | {"in_real_support": problem.support_masses.q_of_supp_p}


def true_lines(
    xs: Sequence[float], truths: Sequence[Mapping[str, float]], columns: Mapping[str, str]
) -> dict[str, ChartLine]:
    """Lines of the true numbers against x, by name, for the columns that the truths have."""
    unknown = np.full(len(xs), np.nan)
    return {
        figure: ChartLine(np.array(xs), np.array([each[column] for each in truths]), unknown)
        for figure, column in columns.items()
        if column in truths[0]
    }


def published_panels(
    figures: pd.DataFrame, x: str, before: str = ""
) -> tuple[dict[str, dict[str, ChartLine]], dict[str, dict[str, ChartLine]]]:
    """Lines of every number against the column x, in a panel for each family: ours, and the
    published ones.

    before : text before the family's name in each title.
    """
    settings = {title_of(method): words for method, words in SETTINGS.items()}
    named = figures.assign(setting=figures["family"].map(settings))
    panel = f"{before}{{family}} ({{setting}})"
    return line_panels(named, x, panel), line_panels(named, x, panel, value="published")


def turns(values: pd.Series[float]) -> str:
    """How often a series changes between rising and falling, in words: "never", "once" or "2
    times".
    """
    steps = np.sign(np.diff(values.to_numpy()))
    steps = steps[steps != 0]
    number = int((steps[1:] != steps[:-1]).sum())
    if number < 2:
        return ("never", "once")[number]
    return f"{number} times"


class TruncationExperiment(Experiment):
    """Numbers of the curve against psi, the truncation, as the paper plots them for a generator of
    faces.
    """

    name = "truncation"
    title = "The truncation trick"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.2, Figures 5 to 7"
    question = (
        "What do the numbers say when diversity is traded for fidelity, down to a single picture?"
    )
    words = (
        "psi pulls what a generator draws to its centre: psi = 1 leaves it, psi = 0 makes every"
        " sample the same. Gaussian: P = N(0, I), Q = N(0, psi² I) in d = 8; the centre is inside"
        " the real support and the truth known. Digits: the bundled ones against a mixture with"
        " truncated latents. n = {n} of each. iPR with k = 3 and Coverage with k = 5 without split,"
        " as published; kNN with split 50 % and k = √n, {repeats}. The paper has a generator of"
        " faces and 50,000 samples; it prints no numbers but α∞ = 0 at psi = 0 from every family"
        " except iPR."
    )
    repeated = "random split"
    sizes = {
        "quick": Size(None, 1, 3.0),
        "paper": Size(None, 10, 30.0),
    }
    labels = ("data", "family", "psi")
    numbers = {
        "AuC": "auc",
        "F8, leaning to precision": "f8_precision",
        "F8, leaning to recall": "f8_recall",
        "α@0.05": "alpha_at_005",
        "α∞": "alpha_inf",
        _IN_SUPPORT: "in_real_support",
        _SPARED: "spared_alpha_inf",
        _LONE: "lone_real",
    }
    # α∞ at psi = 0, the only value in the paper's text: the co-support of a point and a density is
    # empty.
    published = published("truncation")
    explore = {
        "source": "bundled",
        "problem": "truncation-0.5",
        "n": 1_797,
        "methods": ("knn", "ipr", "coverage"),
    }
    explore_title = "Open psi = 0.5 in Explore"

    def _fields(self, size: Size) -> dict[str, str]:
        return super()._fields(size) | {"n": f"{size.n or _N:,}"}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        found: list[Cell] = []
        for repeat, psi in itertools.product(range(size.repeats), _PSIS):
            gaussian = (truncated_gaussian(psi), size.n or _N)
            for problem, n in (gaussian, (TruncatedDigits(psi), size.n)):
                # without split all samples are used, so further repeats would give the same numbers
                if n is not None or repeat == 0:
                    found.append(Cell(problem, n, None, repeat, seed, UNSPLIT))
                found.append(Cell(problem, n, 0.5, repeat, seed, SPLIT))
        return found

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the name of their data, and with psi: for a Gaussian its scale, for a point
        0.
        """
        found = with_titles(rows, psi="psi", scale="scale")
        psi = found["psi"].astype("float64").fillna(found["scale"].astype("float64")).fillna(0.0)
        return found.assign(psi=psi, data=found["problem"].map(_DATA))

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number against psi, in a panel for each family; the truth, where it is known, is
        the first panel.
        """
        figures = self.figures(rows)
        # these two numbers explain the jumps of kNN's curve, so only kNN shows them
        jumps = figures["figure"].isin([_SPARED, _LONE])
        found, published = published_panels(
            figures[~jumps | (figures["family"] == title_of("knn"))], "psi", "{data}: "
        )
        panels = dict[str, dict[str, ChartLine]]()
        if "Gaussian" in set(figures["data"]):
            truths = [_true_numbers(psi) for psi in _PSIS]
            panels["Gaussian: the truth"] = true_lines(_PSIS, truths, self.numbers)
        return LineChart(panels | found, "truncation psi", "value", published=published)

    def _says(self, figures: pd.DataFrame) -> str:
        shares = figures[figures["figure"] == _IN_SUPPORT]
        said = []
        for data, psi in (("Gaussian", 0.0), ("Gaussian", 0.1), ("digits", 0.0)):
            wanted = shares[(shares["data"] == data) & (shares["psi"] == psi)]
            if len(wanted):
                truth = ""
                if data == "Gaussian":
                    truth = f" (true α∞ {_true_numbers(psi)['alpha_inf']:.0f})"
                each = [f"{line.family} {line.ours:.2f}" for line in wanted.itertuples()]
                said.append(
                    f"Share of samples in the real support, {data} at psi = {psi:.1f}{truth}:"
                    f" {listed(each)}."
                )
        knn = figures[(figures["family"] == title_of("knn")) & (figures["data"] == "digits")]
        wide = knn.pivot_table("ours", "psi", "figure")
        if len(wide) > 1:
            said.append(
                "The zigzag of kNN's α∞ on digits is single pictures: α∞ is 1 in every split "
                "where a real picture has only generated neighbours, in "
                f"{100 * wide[_LONE].max():.0f} % of them at psi = {wide[_LONE].idxmax():.1f}. "
                f"Along psi it turns {turns(wide['α∞'])}; with {100 * SPARED:.0f} % of the real "
                f"pictures spared, {turns(wide[_SPARED])}."
            )
        return " ".join(said) or f"Measured from psi = {figures['psi'].min():.1f} on."
