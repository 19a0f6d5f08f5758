"""Two Gaussian mixtures that drop, invent and re-weigh modes: hal-05344404, section 5.1.2 and Figure 16."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, told
from prviz.studies.papers.charts import CurveChart
from prviz.studies.papers.curves import curve_cells, curve_panels, true_band
from prviz.studies.tasks import Task
from prviz.toys import ToyProblem, toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MixturesExperiment"]

_FAMILIES = ("ipr", "knn", "kde", "coverage")
_FIRST_N = 1_000


def _problems() -> dict[str, ToyProblem]:
    presets = type(toy("mixtures")).presets
    return {year: toy("mixtures", **presets[label]) for year in ("2026", "2024") for label in presets if year in label}


class MixturesExperiment(Experiment):
    """The weights of the paper's text (Figure 3c) and those of its Figure 16, which are those of its first version."""

    name = "mixtures"
    title = "Mixtures: dropped, invented and re-weighted modes"
    source = (
        "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.1.2, Figures 3c and 16; "
        "its first version (2024), section 4.2 and Figure 6"
    )
    question = "Which family finds the steps that dropped, invented and re-weighted modes make in the true curve?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(2_000, 2, 0.5), "paper": Size(10_000, 10, 15.0)}
    labels = ("weights", "split", "k", "family")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", "excess": "excess", "deficit": "deficit"}

    def _words(self, size: Size) -> str:
        return (
            "P and Q are mixtures of four unit Gaussians in d = 64 dimensions, with means 0, -5, 3 and 5 on every "
            "coordinate. Weights of 2026: P 0.2, 0.2, 0.6, 0 and Q 0, 0.5, 0.1, 0.4, "
            f"n = {size.n:,} samples, half of them to measure, k = √n (Figure 3c). Weights of 2024: P 0.3, 0.2, 0.5, 0 "
            f"and Q 0, 0.5, 0.2, 0.3, n = {_FIRST_N:,}, with and without that split, k = 4 and √n (Figure 16). "
            f"{counted(size.repeats, 'repeat')}. The paper shows curves and prints no numbers."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        now, first = _problems().values()
        smaller = size._replace(n=min(_FIRST_N, size.n or _FIRST_N))
        found = cells([now], _FAMILIES, ("sqrt",), (0.5,), size, seed)
        found += cells([first], _FAMILIES, (4, "sqrt"), (0.5, None), smaller, seed)
        return curve_cells(sorted(found, key=lambda cell: cell.repeat))

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the year of their weights."""
        years = {problem.parameters["real_weights"]: year for year, problem in _problems().items()}
        found = told(rows, weights="real_weights")
        return found.assign(weights=[years[tuple(weights)] for weights in found["weights"]])

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curves, a panel for every setting."""
        found = self.ordered(rows)
        titles = "weights of " + found["weights"] + ", split " + found["split"] + ", k = " + found["k"]
        panels = curve_panels(found, titles, found["family"])
        truths = {year: true_band(problem.truth()) for year, problem in _problems().items()}
        return CurveChart(panels, {title: {"truth": truths[title.split()[2][:4]]} for title in panels})

    def _says(self, figures: pd.DataFrame) -> str:
        told_of = []
        for year in ("2026", "2024"):
            lines = figures[(figures["weights"] == year) & (figures["split"] == "50%") & (figures["k"] == "√n")]
            if len(lines):
                ious, excess = (
                    lines[lines["figure"] == name].set_index("family")["ours"] for name in ("IoU", "excess")
                )
                told_of.append(
                    f"with the weights of {year}, split and k = √n, {ious.idxmax()} comes closest (IoU "
                    f"{ious.max():.2f}) and {ious.idxmin()} least ({ious.min():.2f}); {excess.idxmax()} is the most "
                    f"optimistic (excess {excess.max():.2f})"
                )
        if not told_of:
            best = figures[figures["figure"] == "IoU"].sort_values("ours").iloc[-1]
            told_of = [f"so far {best['family']} comes closest (IoU {best['ours']:.2f})"]
        text = "; ".join(told_of)
        return f"{text[0].upper()}{text[1:]}."
