"""Experiments on digits and on many classes: classes added and dropped, classes in common, the truncation trick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prviz.curves import PRCurve
from prviz.curves.summaries import numbers
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.base import (
    Experiment,
    Size,
    cells,
    counted,
    lines,
    listed,
    title_of,
    with_titles,
)
from prviz.studies.papers.charts import (
    SPARED,
    ChartLine,
    CurveChart,
    LineChart,
    curve_cells,
    curve_panels,
    true_band,
)
from prviz.studies.papers.printed import published
from prviz.studies.sweeps import Cell, Known, Wanted
from prviz.studies.tasks import Task
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

REAL_CLASSES = 5
EVEN_SHARE = 0.6


@dataclass(frozen=True)
class DigitClasses:
    """Digits 0 to 4 of one half of the real digits against digits 0 to q - 1 of the other; no picture is in both.

    The truth is what the papers expect: recall up to min(1, q / 5) at precision min(1, 5 / q), as
    if digits were equally likely and told apart at sight (Simon, Webster, Rabin 2019, section 6).
    """

    q: int
    name: ClassVar[str] = "digit-classes"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Number of generated classes."""
        return {"q": self.q}

    @property
    def default_n(self) -> int:
        """Number of pictures of the larger side."""
        pair = self._whole()
        return max(pair.real.n, pair.generated.n)

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n pictures of each side, drawn without replacement."""
        return at_most(self._whole(), n, seed)

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return _digest("digits-held-out")

    def truth(self) -> PRCurve:
        """The rectangle."""
        recall = min(1.0, self.q / REAL_CLASSES)
        precision = min(1.0, REAL_CLASSES / self.q)
        return PRCurve.from_error_rates([0.0, recall], [precision, 0.0])

    def _whole(self) -> SamplePair:
        halves = bundled_pair("digits-held-out")
        return SamplePair(_below(halves.real, REAL_CLASSES), _below(halves.generated, self.q))


@dataclass(frozen=True)
class DigitShares:
    """Digits of one half, of which 60 % are even, against even digits of the other half; no picture is in both.

    The truth is as for `DigitClasses`: recall up to 0.6 at precision 1.
    """

    name: ClassVar[str] = "digit-shares"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """None."""
        return {}

    @property
    def default_n(self) -> int:
        """Number of real pictures."""
        return bundled_pair("digits-held-out").real.n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n pictures of each side, drawn without replacement; the real ones in their shares."""
        sides = bundled_pair("digits-held-out")
        even, odd = (np.flatnonzero(sides.real.labels["digit"] % 2 == rest) for rest in (0, 1))
        rng = np.random.default_rng(seed)
        of_even = min(len(even), round(n * EVEN_SHARE))
        of_odd = round(of_even * (1 - EVEN_SHARE) / EVEN_SHARE)
        rows = [rng.permutation(each)[:most] for each, most in ((even, of_even), (odd, of_odd))]
        real = sides.real.take(np.sort(np.concatenate(rows)))
        generated = sides.generated.take(np.flatnonzero(sides.generated.labels["digit"] % 2 == 0))
        return SamplePair(real, at_most(SamplePair(real, generated), n, seed).generated)

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return _digest("digits-held-out")

    def truth(self) -> PRCurve:
        """The rectangle."""
        return PRCurve.from_error_rates([0.0, EVEN_SHARE], [1.0, 0.0])


@dataclass(frozen=True)
class BundledDigits:
    """A bundled pair; its truth is not known."""

    pair: str
    name: ClassVar[str] = "bundled-digits"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The name of the pair."""
        return {"pair": self.pair}

    @property
    def default_n(self) -> int:
        """All samples."""
        return bundled_pair(self.pair).real.n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n samples of each side, drawn without replacement."""
        return at_most(bundled_pair(self.pair), n, seed)

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return _digest(self.pair)

    def truth(self) -> PRCurve | None:
        """None: the truth is not known."""
        return None


@dataclass(frozen=True)
class TruncatedDigits:
    """All digits against samples of the converged mixture with its latents pulled to their mean: psi of 0, 0.1, ... 1.

    No truth is known. All psi are drawn alike, as row i is the same latent vector at every psi.
    """

    psi: float
    name: ClassVar[str] = "truncated-digits"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The share of the latents' distance to their mean that is left."""
        return {"psi": self.psi}

    @property
    def drawn_as(self) -> TruncatedDigits:
        """The pair without truncation."""
        return TruncatedDigits(1.0)

    @property
    def default_n(self) -> int:
        """All samples."""
        return bundled_pair(f"truncation-{self.psi:.1f}").real.n

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n samples of each side, drawn without replacement."""
        return at_most(bundled_pair(f"truncation-{self.psi:.1f}"), n, seed)

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return _digest(f"truncation-{self.psi:.1f}")

    def truth(self) -> PRCurve | None:
        """None: the truth is not known."""
        return None


@lru_cache(maxsize=32)
def _digest(name: str) -> str:
    return bundled_pair(name).digest


def _below(samples: Samples, digit: int) -> Samples:
    return samples.take(np.flatnonzero(samples.labels["digit"] < digit))


def at_most(pair: SamplePair, n: int, seed: int) -> SamplePair:
    """At most n samples of each side in their order, from two independent streams of one seed."""
    if n < 1:
        raise ValueError(f"n = {n}; at least 1 is needed")
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(2)]
    real, generated = (
        side if n >= side.n else side.take(np.sort(stream.permutation(side.n)[:n]))
        for side, stream in zip(pair, streams, strict=True)
    )
    return SamplePair(real, generated)


_FAMILIES = ("cluster", "classifier", "knn", "coverage")


def _cells(problems: Sequence[Known], methods: Sequence[str], size: Size, seed: int) -> list[Task]:
    """Tasks with k = √n: "cluster" without split, as published (PRD), the other families with half to measure."""
    found = cells(problems, ("cluster",), ("sqrt",), (None,), size, seed)
    found += cells(
        problems, [name for name in methods if name != "cluster"], ("sqrt",), (0.5,), size, seed
    )
    return curve_cells(sorted(found, key=lambda cell: cell.repeat), beside=size.beside)


_COUNTS = tuple(range(1, 11))
_ENDS = {"highest precision": "alpha_inf", "highest recall": "beta_0"}


def _expected() -> dict[tuple[Any, ...], float]:
    found = {}
    for q in _COUNTS:
        truth = DigitClasses(q).truth()
        for method in _FAMILIES:
            found[title_of(method), q, "highest precision"] = truth.extreme_precision
            found[title_of(method), q, "highest recall"] = truth.extreme_recall
    return found


class DigitsExperiment(Experiment):
    """Digits 0 to 4 against the first q classes."""

    name = "digits"
    title = "Classes added and dropped"
    source = (
        "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, section 4.1 and Figure 5; Simon, Webster,"
        " Rabin 2019, section 6 and Figure 2"
    )
    question = "Does a dropped class cost recall alone, and an invented one precision alone?"
    sizes = {
        "quick": Size(None, 1, 2.5),
        "paper": Size(None, 10, 20.0),
    }
    labels = ("family", "q")
    parameters = {"q": "q"}
    numbers = {"IoU": "iou", **_ENDS}
    published = _expected()

    def _words(self, size: Size) -> str:
        if size.n is None:
            drawn = "all pictures"
        else:
            drawn = f"at most n = {size.n:,} pictures of each side"
        return (
            "P is digits 0 to 4 of one half of the bundled digits, Q the first q = 1, ..., 10"
            f" digits of the other; {drawn}, clusters without split as published, the others with"
            f" half to measure and k = √n; {counted(size.repeats, 'repeat')}. The papers have"
            " CIFAR-10 and MNIST and show curves; the second one expects a rectangle, precision up"
            " to min(1, 5/q) and recall up to min(1, q/5). These two stand as published; the IoU"
            " is with that rectangle."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problems = [DigitClasses(q) for q in _COUNTS]
        return _cells(problems, _FAMILIES, size, seed)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every q beside its rectangle, a panel for each family."""
        found = self.ordered(rows)
        panels = curve_panels(found, found["family"], found["q"].map(lambda q: f"q = {q}"))
        truths = {f"q = {q}": true_band(DigitClasses(q).truth()) for q in _COUNTS}
        return CurveChart(
            panels,
            {title: {name: truths[name] for name in panel} for title, panel in panels.items()},
        )

    def _says(self, figures: pd.DataFrame) -> str:
        ious = figures[figures["figure"] == "IoU"].groupby("family", sort=False)["ours"].mean()
        off = {}
        for what, wanted in (("dropped", figures["q"] <= 5), ("added", figures["q"] >= 5)):
            ends = figures[wanted & figures["figure"].isin(list(_ENDS))]
            if len(ends):
                off[what] = ends.groupby("family", sort=False)["difference"].apply(
                    lambda each: each.abs().mean()
                )
        parts = [
            f"with classes {what}, the ends are {each.min():.2f} ({each.idxmin()}) to"
            f" {each.max():.2f} ({each.idxmax()}) from the expected ones"
            for what, each in off.items()
        ]
        return (
            f"Closest to the expected rectangles is {ious.idxmax()} with a mean IoU of"
            f" {ious.max():.2f}, furthest {ious.idxmin()} with {ious.min():.2f}. Of the ends:"
            f" {'; '.join(parts)}."
        )


_COMMON_FAMILIES = ("cluster", "classifier", "knn")
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


class CommonClassesExperiment(Experiment):
    """Clusters that hold several classes see more in common than there is."""

    name = "common-classes"
    title = "80 classes, a share of them in common"
    source = "Simon, Webster, Rabin 2019, section 6 and Figure 3"
    question = "Who sees that only a share of many classes is common to both sides?"
    sizes = {
        "quick": Size(2_000, 2, 2.5),
        "paper": Size(8_000, 5, 70.0, beside=True),
    }
    labels = ("family", "rho")
    parameters = {"rho": "share"}
    numbers = {"IoU": "iou", "excess": "excess", **_ENDS}
    published = {
        (title_of(method), rho, end): rho
        for method in _COMMON_FAMILIES
        for rho in _SHARES
        for end in _ENDS
    }

    def _words(self, size: Size) -> str:
        return (
            "P and Q each have 80 equally likely classes in d = 64 dimensions, of which the share"
            f" rho = 0, 0.25, 0.5, 0.75 or 1 is common to both; n = {size.n:,} samples of each; 20"
            " clusters without split as published, the others with half to measure and k = √n;"
            f" {counted(size.repeats, 'repeat')}. The paper has classes of ImageNet, shows curves,"
            " and expects a square: precision and recall up to rho. These stand as published."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problems = [toy("classes", share=rho) for rho in _SHARES]
        return _cells(problems, _COMMON_FAMILIES, size, seed)

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every rho beside its square, a panel for each family."""
        found = self.ordered(rows)
        panels = curve_panels(
            found, found["family"], found["rho"].map(lambda rho: f"rho = {rho:.0%}")
        )
        truths = {
            f"rho = {rho:.0%}": true_band(toy("classes", share=rho).truth()) for rho in _SHARES
        }
        return CurveChart(
            panels,
            {title: {name: truths[name] for name in panel} for title, panel in panels.items()},
        )

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
# As in the figures: the published settings of iPR and coverage, and those that the theory asks of
# kNN.
UNSPLIT: tuple[Wanted, ...] = (("ipr", 3, None), ("coverage", 5, None))
SPLIT: tuple[Wanted, ...] = (("knn", "sqrt", None),)
SETTINGS = {"ipr": "no split, k = 3", "coverage": "no split, k = 5", "knn": "split 50%, k = √n"}
_IN_SUPPORT = "in the real support"
_SPARED = f"α∞, {SPARED:.0%} of real spared"
_LONE = "a real sample alone"
# Dimension of the truncated Gaussian and its number of samples, that of the digits. The true area
# is near 0 below psi = 0.3 in 8 dimensions, and below psi = 0.7 in 64.
_D = 8
_N = 1_797
_DATA = {"scaled-gaussian": "Gaussian", "dirac": "Gaussian", TruncatedDigits.name: "digits"}


def truncated_gaussian(psi: float) -> ToyProblem:
    """N(0, I) against N(0, psi^2 I): a latent space whose centre lies inside the support of P."""
    if psi:
        return toy("scaled-gaussian", d=_D, scale=psi)
    return toy("dirac", d=_D, position=0.0)


@cache
def _true_numbers(psi: float) -> Mapping[str, float]:
    problem = truncated_gaussian(psi)
    return numbers(problem.truth()) | {"in_real_support": problem.support_masses.q_of_supp_p}


def _true_lines(columns: Mapping[str, str]) -> dict[str, ChartLine]:
    """The same numbers of the true curves; the share in the real support is Q(supp P)."""
    psis = np.array(_PSIS)
    return {
        figure: ChartLine(
            psis,
            np.array([_true_numbers(psi)[column] for psi in _PSIS]),
            np.full(len(psis), np.nan),
        )
        for figure, column in columns.items()
        if column in _true_numbers(1.0)
    }


def turns(values: pd.Series[float]) -> str:
    """How often a series changes between rising and falling: never, once, 2 times."""
    steps = np.sign(np.diff(values.to_numpy()))
    steps = steps[steps != 0]
    number = int((steps[1:] != steps[:-1]).sum())
    if number < 2:
        return ("never", "once")[number]
    return f"{number} times"


class TruncationExperiment(Experiment):
    """Scalars of the curve over psi, as the paper plots them for a generator of faces."""

    name = "truncation"
    title = "The truncation trick"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.2, Figures 5 to 7"
    question = (
        "What do the numbers say when diversity is traded for fidelity, down to a single picture?"
    )
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
    # The one value in the paper's text: the co-support of a point and a density is empty.
    published = published("truncation")

    def _words(self, size: Size) -> str:
        chance = "random split" if size.n is None else "repeat"
        return (
            "psi pulls what a generator draws to its centre: psi = 1 leaves it, psi = 0 makes"
            f" every sample the same. Gaussian: P = N(0, I), Q = N(0, psi² I) in d = {_D}; the"
            " centre is inside the real support and the truth known. Digits: the bundled ones"
            f" against a mixture with truncated latents. n = {size.n or _N:,} of each. iPR with k ="
            " 3 and Coverage with k = 5 without split, as published; kNN with split 50% and k ="
            f" √n, {counted(size.repeats, chance)}. The paper has a generator of faces and 50,000"
            " samples; it prints no numbers but α∞ = 0 at psi = 0 from every family except iPR."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        found: list[Cell] = []
        for repeat in range(size.repeats):
            for psi in _PSIS:
                for problem, n in (
                    (truncated_gaussian(psi), size.n or _N),
                    (TruncatedDigits(psi), size.n),
                ):
                    # of all samples and without split, there is one value
                    if n is not None or repeat == 0:
                        found.append(Cell(problem, n, None, repeat, seed, UNSPLIT))
                    found.append(Cell(problem, n, 0.5, repeat, seed, SPLIT))
        return curve_cells(found)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with their data and psi, the scale of a Gaussian; a point has none."""
        found = with_titles(rows, psi="psi", scale="scale")
        psi = found["psi"].astype("float64").fillna(found["scale"].astype("float64")).fillna(0.0)
        return found.assign(psi=psi, data=found["problem"].map(_DATA))

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number over psi, a panel for each family, after the truth where it is known."""
        figures = self.figures(rows)
        panels = {}
        published = {}
        for data in dict.fromkeys(figures["data"]):
            if data == _DATA["scaled-gaussian"]:
                panels[f"{data}: the truth"] = _true_lines(self.numbers)
            for method, setting in SETTINGS.items():
                wanted = figures[
                    (figures["data"] == data) & (figures["family"] == title_of(method))
                ]
                if method != "knn":  # their α∞ has no jumps to explain
                    wanted = wanted[~wanted["figure"].isin([_SPARED, _LONE])]
                if len(wanted):
                    title = f"{data}: {title_of(method)} ({setting})"
                    panels[title] = lines(wanted, "psi", "figure")
                    printed = wanted[wanted["published"].notna()]
                    if len(printed):
                        published[title] = lines(printed, "psi", "figure", "published")
        return LineChart(panels, "truncation psi", "value", published=published)

    def _says(self, figures: pd.DataFrame) -> str:
        shares = figures[figures["figure"] == _IN_SUPPORT]
        parts = []
        for data, psi in (("Gaussian", 0.0), ("Gaussian", 0.1), ("digits", 0.0)):
            wanted = shares[(shares["data"] == data) & (shares["psi"] == psi)]
            if len(wanted):
                if data == "Gaussian":
                    truth = f" (true α∞ {_true_numbers(psi)['alpha_inf']:.0f})"
                else:
                    truth = ""
                each = [
                    f"{family} {share:.2f}"
                    for family, share in zip(wanted["family"], wanted["ours"], strict=True)
                ]
                parts.append(f"{data} at psi = {psi:.1f}{truth}: {listed(each)}")
        said = [f"Share of samples in the real support, {part}." for part in parts]
        knn = figures[
            (figures["family"] == title_of("knn"))
            & (figures["data"] == _DATA[TruncatedDigits.name])
        ]
        wide = knn.pivot_table("ours", "psi", "figure")
        if len(wide) > 1:
            jumps = wide["α∞"]
            spared = wide[_SPARED]
            said.append(
                "The zigzag of kNN's α∞ on digits is single pictures: α∞ is 1 in every split where"
                f" a real picture has only generated neighbours, in {wide[_LONE].max():.0%} of them"
                f" at psi = {wide[_LONE].idxmax():.1f}. Along psi it turns {turns(jumps)}; with"
                f" {SPARED:.0%} of the real pictures spared, {turns(spared)}."
            )
        return " ".join(said) or f"Measured from psi = {figures['psi'].min():.1f} on."
