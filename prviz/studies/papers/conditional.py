"""Experiments on conditional generators: guidance against a reference scale, fewer classes, variety inside a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prviz.curves.summaries import numbers
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.base import (
    Experiment,
    Size,
    counted,
    lines,
    listed,
    title_of,
    with_titles,
)
from prviz.studies.papers.charts import ChartLine, LineChart, curve_cells
from prviz.studies.papers.digits import SETTINGS, SPLIT, UNSPLIT, at_most
from prviz.studies.papers.printed import published
from prviz.studies.sweeps import Cell, Known
from prviz.studies.tasks import Task
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

Lines = dict[str, ChartLine]

REFERENCE = 5.0
_SCALES = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
_CLASSES = (1, 2, 3, 5, 7, 9, 10)
_NUMBERS = {
    "AuC": "auc",
    "F8, leaning to precision": "f8_precision",
    "F8, leaning to recall": "f8_recall",
    "α∞": "alpha_inf",
    "β0": "beta_0",
}
_SETTING = (
    "iPR with k = 3 and Coverage with k = 5 without split, kNN with split 50% and k = √n, {}."
)
_SOURCE = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section {}"


class _Generated:
    """A pair of bundled samples; no truth is known."""

    @property
    def default_n(self) -> int:
        """Number of samples of the larger side."""
        return max(side.n for side in self._whole())

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n samples of each side, drawn without replacement."""
        return at_most(self._whole(), n, seed)

    @property
    def digest(self) -> str:
        """Digest of the pair."""
        return self._whole().digest

    def truth(self) -> None:
        """None: the truth is not known."""

    def _whole(self) -> SamplePair:
        raise NotImplementedError


@lru_cache(maxsize=4)
def _half(checkpoint: str, first: int) -> Samples:
    """Every second sample, from row ``first`` on: all checkpoints have the same noise in the same row."""
    return bundled_pair(checkpoint).generated.take(np.arange(first, 1797, 2))


@dataclass(frozen=True)
class GuidedDigits(_Generated):
    """Half of the diffusion model's digits at scale 5 against the other half at another scale."""

    scale: float
    name: ClassVar[str] = "guided-digits"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The scale of the generated side."""
        return {"scale": self.scale}

    def _whole(self) -> SamplePair:
        return SamplePair(_half(f"guidance-{REFERENCE:g}", 1), _half(f"guidance-{self.scale:g}", 0))


@dataclass(frozen=True)
class PromptedDigits(_Generated):
    """Half of the diffusion model's digits of all classes against the other half, asked for the first classes alone."""

    classes: int
    name: ClassVar[str] = "prompted-digits"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The number of classes that are asked for."""
        return {"classes": self.classes}

    def _whole(self) -> SamplePair:
        asked = "guidance-1" if self.classes == 10 else f"classes-{self.classes}"
        return SamplePair(_half("guidance-1", 1), _half(asked, 0))


@dataclass(frozen=True)
class OneDigit(_Generated):
    """All real digits against what the autoregressive model draws at a temperature when asked for one of them."""

    digit: int
    temperature: float
    name: ClassVar[str] = "one-digit"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The digit and the temperature."""
        return {"digit": self.digit, "temperature": self.temperature}

    def _whole(self) -> SamplePair:
        real, generated = bundled_pair(f"temperature-{self.temperature:g}")
        return SamplePair(
            real, generated.take(np.flatnonzero(generated.labels["digit"] == self.digit))
        )


def guided_toy(scale: float) -> ToyProblem:
    """The mixture of three classes at scale 5 against another scale."""
    return toy("guidance", reference=REFERENCE, scale=scale)


@cache
def _true_lines() -> Mapping[str, ChartLine]:
    found = [numbers(guided_toy(scale).truth()) for scale in _SCALES]
    unknown = np.full(len(_SCALES), np.nan)
    return {
        figure: ChartLine(np.array(_SCALES), np.array([each[column] for each in found]), unknown)
        for figure, column in _NUMBERS.items()
    }


def _measured(problems: Sequence[Known], size: Size, seed: int) -> list[Task]:
    """The published settings; without split there is one value, of all samples."""
    found: list[Cell] = []
    for repeat in range(size.repeats):
        for problem in problems:
            if repeat == 0:
                found.append(Cell(problem, size.n, None, repeat, seed, UNSPLIT))
            found.append(Cell(problem, size.n, 0.5, repeat, seed, SPLIT))
    return curve_cells(found)


def _panels(figures: pd.DataFrame, x: str) -> tuple[dict[str, Lines], dict[str, Lines]]:
    """Every number over a label, a panel for each family, and the published ones by the same titles."""
    panels: dict[str, Lines] = {}
    published: dict[str, Lines] = {}
    for method, setting in SETTINGS.items():
        wanted = figures[figures["family"] == title_of(method)]
        title = f"{title_of(method)} ({setting})"
        if len(wanted):
            panels[title] = lines(wanted, x, "figure")
            printed = wanted[wanted["published"].notna()]
            if len(printed):
                published[title] = lines(printed, x, "figure", "published")
    return panels, published


class GuidanceExperiment(Experiment):
    """Scalars of the curve over the guidance scale, against samples at scale 5."""

    name = "guidance"
    title = "Guidance against a reference scale"
    source = _SOURCE.format("5.4.2 and Figure 15")
    question = "Is every number highest where both sets have the same guidance scale?"
    sizes = {
        "quick": Size(None, 1, 2.0),
        "paper": Size(None, 10, 20.0),
    }
    labels = ("family", "scale")
    numbers = _NUMBERS
    published = published("guidance")

    def _words(self, size: Size) -> str:
        return (
            "P is half of what the zoo's diffusion model draws at guidance scale 5, Q the other"
            " half at scale 0 to 10: 898 and 899 digits. Beside it stands the truth of a toy, a"
            f" mixture of three guided classes. {_SETTING.format(counted(size.repeats, 'repeat'))}"
            " The paper has 40,000 landscapes of Stable Diffusion in DINOv2's features and prints"
            " the ends at scale 5 alone; pictures and number of samples differ, so only what equal"
            " sets give can be compared."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        return _measured([GuidedDigits(scale) for scale in _SCALES], size, seed)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with their scale."""
        found = with_titles(rows, scale="scale")
        return found.assign(scale=found["scale"].astype("float64"))

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number over the scale, a panel for each family, before the truth of the toy."""
        panels, published = _panels(self.figures(rows), "scale")
        panels["toy: the truth"] = dict(_true_lines())
        return LineChart(panels, "guidance scale", "value", published=published)

    def _says(self, figures: pd.DataFrame) -> str:
        areas = figures[figures["figure"] == "AuC"]
        best = areas.loc[areas.groupby("family", sort=False)["ours"].idxmax()]
        parts = [
            f"at {line.scale:g} by {line.family} ({line.ours:.2f})" for line in best.itertuples()
        ]
        said = [f"With a reference at scale {REFERENCE:g}, the area is largest {listed(parts)}."]
        printed = figures[figures["published"].notna()]
        if len(printed):
            parts = [
                f"{line.family} {line.figure} {line.ours:.2f} (published {line.published:.2f})"
                for line in printed.itertuples()
            ]
            said.append(f"Ends at scale 5: {', '.join(parts)}.")
        return " ".join(said)


class PromptingExperiment(Experiment):
    """Scalars of the curve over the number of classes asked for, against all of them."""

    name = "prompting"
    title = "A generic prompt against a specific one"
    source = _SOURCE.format("5.4.1, Figures 11 to 13")
    question = "Does asking for fewer classes cost recall alone?"
    sizes = {
        "quick": Size(None, 1, 1.5),
        "paper": Size(None, 10, 8.0),
    }
    labels = ("family", "classes")
    parameters = {"classes": "classes"}
    numbers = _NUMBERS
    published = published("prompting")

    def _words(self, size: Size) -> str:
        return (
            "P is what the zoo's diffusion model draws when asked for all ten digits, Q when asked"
            " for the first 1 to 10 of them; other halves of its noise."
            f" {_SETTING.format(counted(size.repeats, 'repeat'))} The paper asks Stable Diffusion"
            " for butterflies and for blue ones, 40,000 each at guidance 7.5: its numbers stand"
            " beside one class of ten, and how blue a butterfly is has no share like one in ten,"
            " so only their order can be compared."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        return _measured([PromptedDigits(classes) for classes in _CLASSES], size, seed)

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number over the classes, a panel for each family."""
        panels, published = _panels(self.figures(rows), "classes")
        return LineChart(panels, "classes asked for, of 10", "value", published=published)

    def _says(self, figures: pd.DataFrame) -> str:
        fewest = figures[figures["classes"] == figures["classes"].min()]
        parts = []
        for family, group in fewest.groupby("family", sort=False):
            each = group.set_index("figure")["ours"]
            parts.append(
                f"{family} {each['F8, leaning to precision']:.2f} and"
                f" {each['F8, leaning to recall']:.2f}"
            )
        least = int(fewest["classes"].iloc[0])
        return (
            f"Asked for {least} of 10 classes, F8 leaning to precision and to recall:"
            f" {', '.join(parts)}."
        )


class InsideClassesExperiment(Experiment):
    """Recall of one class against all, ever more varied."""

    name = "inside-classes"
    title = "Variety inside a class"
    source = "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, Figure 8"
    question = "Does a curve see that samples of one class differ more among themselves?"
    sizes = {
        "quick": Size(None, 3, 1.6),
        "paper": Size(None, 10, 5.2),
    }
    labels = ("family", "temperature")
    numbers = {k: _NUMBERS[k] for k in ("F8, leaning to precision", "F8, leaning to recall")}

    def _words(self, size: Size) -> str:
        return (
            "P is all real digits, Q what the zoo's autoregressive model draws when asked for one"
            f" digit at temperatures of 0.25 to 1, mean over {counted(size.repeats, 'digit')}; a"
            " lower temperature makes them more alike. Clusters without split, like the paper,"
            " which compares two GANs on MNIST that draw ones alone and shows curves."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        found: list[Cell] = []
        for digit in range(size.repeats):
            for temperature in (0.25, 0.5, 0.7, 1.0):
                problem = OneDigit(digit % 10, temperature)
                found.append(Cell(problem, size.n, None, digit, seed, (("cluster", None, None),)))
        return curve_cells(found)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with their temperature."""
        found = with_titles(rows, temperature="temperature")
        return found.assign(temperature=found["temperature"].astype("float64"))

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Both numbers over the temperature, a panel for each family."""
        figures = self.figures(rows)
        return LineChart(
            {
                str(family): lines(group, "temperature", "figure")
                for family, group in figures.groupby("family", sort=False)
            },
            "temperature",
            "value",
        )

    def _says(self, figures: pd.DataFrame) -> str:
        recall = figures[figures["figure"] == "F8, leaning to recall"]
        along = recall.groupby("temperature")["ours"].mean()
        return (
            f"From temperature {along.index[0]:g} to {along.index[-1]:g}, F8 leaning to recall goes"
            f" from {along.iloc[0]:.3f} to {along.iloc[-1]:.3f}."
        )
