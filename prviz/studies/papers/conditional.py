"""Experiments on conditional generators.

They vary the guidance scale, the number of classes in the prompt, and the variety inside a class.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from prviz.curves.summaries import numbers
from prviz.readers.bundled import bundled_pair
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.base import Experiment, LineChart, Size, line_panels, listed
from prviz.studies.papers.bundled_problems import BundledProblem
from prviz.studies.papers.digits import SPLIT, UNSPLIT, published_panels, true_lines
from prviz.studies.papers.printed import published
from prviz.studies.sweeps import Cell, Known
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

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
    " iPR with k = 3 and Coverage with k = 5 without split, kNN with split 50 % and k = √n,"
    " {repeats}."
)
_SOURCE = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section {}"


@lru_cache(maxsize=4)
def _half(checkpoint: str, first: int) -> Samples:
    """Every second sample of a bundled checkpoint, from row ``first`` on.

    Row i was generated from the same noise in every checkpoint, so halves with different ``first``
    share no noise.
    """
    return bundled_pair(checkpoint).generated.take(np.arange(first, 1797, 2))


@dataclass(frozen=True)
class GuidedDigits(BundledProblem):
    """Half of the diffusion model's digits, at guidance scale 5, against the other half, at another
    scale.
    """

    scale: float
    name: ClassVar[str] = "guided-digits"

    def whole(self) -> SamplePair:
        """All samples of the two halves."""
        return SamplePair(_half(f"guidance-{REFERENCE:g}", 1), _half(f"guidance-{self.scale:g}", 0))


@dataclass(frozen=True)
class PromptedDigits(BundledProblem):
    """Half of the diffusion model's digits, of all classes, against the other half, of the first
    ``classes`` classes only.
    """

    classes: int
    name: ClassVar[str] = "prompted-digits"

    def whole(self) -> SamplePair:
        """All samples of the two halves."""
        asked = "guidance-1"
        if self.classes != 10:
            asked = f"classes-{self.classes}"
        return SamplePair(_half("guidance-1", 1), _half(asked, 0))


@dataclass(frozen=True)
class OneDigit(BundledProblem):
    """All real digits against those that the autoregressive model generates for one digit, at a
    given temperature.
    """

    digit: int
    temperature: float
    name: ClassVar[str] = "one-digit"

    def whole(self) -> SamplePair:
        """All real digits, and the samples generated for ``digit``."""
        real, generated = bundled_pair(f"temperature-{self.temperature:g}")
        return SamplePair(
            real, generated.take(np.flatnonzero(generated.labels["digit"] == self.digit))
        )


def guided_toy(scale: float) -> ToyProblem:
    """The toy of guidance: a mixture of three classes at guidance scale 5 against the same mixture
    at another scale.
    """
    return toy("guidance", reference=REFERENCE, scale=scale)


def _published_settings(problems: Sequence[Known], size: Size, seed: int) -> list[Cell]:
    """Cells with the published settings of each family.

    Without split there is a single repeat: it uses all samples, so further repeats would give the
    same numbers.
    """
    found: list[Cell] = []
    for repeat, problem in itertools.product(range(size.repeats), problems):
        if repeat == 0:
            found.append(Cell(problem, size.n, None, repeat, seed, UNSPLIT))
        found.append(Cell(problem, size.n, 0.5, repeat, seed, SPLIT))
    return found


class GuidanceExperiment(Experiment):
    """Numbers of the curve against the guidance scale of the generated samples; the real ones are
    samples at scale 5.
    """

    name = "guidance"
    title = "Guidance against a reference scale"
    source = _SOURCE.format("5.4.2 and Figure 15")
    question = "Is every number highest where both sets have the same guidance scale?"
    words = (
        "P is half of what the zoo's diffusion model draws at guidance scale 5, Q the other half "
        "at scale 0 to 10: 898 and 899 digits. Beside it stands the truth of a toy, a mixture of "
        f"three guided classes.{_SETTING} The paper has 40,000 landscapes of Stable Diffusion in "
        "DINOv2's features and prints the ends at scale 5 alone; pictures and number of samples "
        "differ, so only what equal sets give can be compared."
    )
    sizes = {
        "quick": Size(None, 1, 2.0),
        "paper": Size(None, 10, 20.0),
    }
    labels = ("family", "scale")
    parameters = {"scale": "scale"}
    numbers = _NUMBERS
    published = published("guidance")
    explore = {"problem": "guidance", "parameters": {"reference": 5.0, "scale": 1.0}, "n": 899}
    explore_title = "Open the toy at scale 1 in Explore"

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        return _published_settings([GuidedDigits(scale) for scale in _SCALES], size, seed)

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number against the guidance scale, in a panel for each family, and the truth of the
        toy.
        """
        panels, published = published_panels(self.figures(rows), "scale")
        truths = [numbers(guided_toy(scale).truth()) for scale in _SCALES]
        panels["toy: the truth"] = true_lines(_SCALES, truths, _NUMBERS)
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
    """Numbers of the curve against the number of classes in the prompt; the real ones are samples
    of all classes.
    """

    name = "prompting"
    title = "A generic prompt against a specific one"
    source = _SOURCE.format("5.4.1, Figures 11 to 13")
    question = "Does asking for fewer classes cost recall alone?"
    words = (
        "P is what the zoo's diffusion model draws when asked for all ten digits, Q when asked for"
        f" the first 1 to 10 of them; other halves of its noise.{_SETTING} The paper asks Stable"
        " Diffusion for butterflies and for blue ones, 40,000 each at guidance 7.5: its numbers"
        " stand beside one class of ten, and how blue a butterfly is has no share like one in ten,"
        " so only their order can be compared."
    )
    sizes = {
        "quick": Size(None, 1, 1.5),
        "paper": Size(None, 10, 8.0),
    }
    labels = ("family", "classes")
    parameters = {"classes": "classes"}
    numbers = _NUMBERS
    published = published("prompting")
    explore = {
        "source": "bundled",
        "problem": "classes-1",
        "n": 1_797,
        "methods": ("knn", "ipr", "coverage"),
    }
    explore_title = "Open one class against real digits in Explore"

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        return _published_settings([PromptedDigits(classes) for classes in _CLASSES], size, seed)

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number against the number of classes, in a panel for each family."""
        panels, published = published_panels(self.figures(rows), "classes")
        return LineChart(panels, "classes asked for, of 10", "value", published=published)

    def _says(self, figures: pd.DataFrame) -> str:
        fewest = figures[figures["classes"] == figures["classes"].min()]
        wide = fewest.pivot_table("ours", "family", "figure", sort=False)
        ends = (wide["F8, leaning to precision"], wide["F8, leaning to recall"])
        parts = [
            f"{family} {low:.2f} and {high:.2f}"
            for family, low, high in zip(wide.index, *ends, strict=True)
        ]
        least = int(fewest["classes"].iloc[0])
        return (
            f"Asked for {least} of 10 classes, F8 leaning to precision and to recall:"
            f" {', '.join(parts)}."
        )


class InsideClassesExperiment(Experiment):
    """Recall of generated samples of one class against real samples of all classes, at rising
    temperature.
    """

    name = "inside-classes"
    title = "Variety inside a class"
    source = "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, Figure 8"
    question = "Does a curve see that samples of one class differ more among themselves?"
    words = (
        "P is all real digits, Q what the zoo's autoregressive model draws when asked for one digit"
        " at temperatures of 0.25 to 1, mean over {repeats}; a lower temperature makes them more"
        " alike. Clusters without split, like the paper, which compares two GANs on MNIST that draw"
        " ones alone and shows curves."
    )
    repeated = "digit"
    sizes = {
        "quick": Size(None, 3, 1.6),
        "paper": Size(None, 10, 5.2),
    }
    labels = ("family", "temperature")
    parameters = {"temperature": "temperature"}
    numbers = {k: _NUMBERS[k] for k in ("F8, leaning to precision", "F8, leaning to recall")}
    explore = {
        "source": "bundled",
        "problem": "temperature-0.5",
        "n": 1_797,
        "methods": ("cluster",),
    }
    explore_title = "Open all classes at temperature 0.5 in Explore"

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        wanted = (("cluster", None, None),)
        return [
            Cell(OneDigit(digit % 10, temperature), size.n, None, digit, seed, wanted)
            for digit, temperature in itertools.product(range(size.repeats), (0.25, 0.5, 0.7, 1.0))
        ]

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Both numbers against the temperature, in a panel for each family."""
        panels = line_panels(self.figures(rows), "temperature", "{family}")
        return LineChart(panels, "temperature", "value")

    def _says(self, figures: pd.DataFrame) -> str:
        recall = figures[figures["figure"] == "F8, leaning to recall"]
        along = recall.groupby("temperature")["ours"].mean()
        return (
            f"From temperature {along.index[0]:g} to {along.index[-1]:g}, F8 leaning to recall goes"
            f" from {along.iloc[0]:.3f} to {along.iloc[-1]:.3f}."
        )
