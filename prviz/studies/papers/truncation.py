"""The truncation trick on the bundled generator: hal-05344404, section 5.2 and Figures 5 to 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from prviz.studies.cells import Cell, Wanted
from prviz.studies.papers.base import Experiment, Mode, Size, counted, lines, title_of, told
from prviz.studies.papers.charts import LineChart
from prviz.studies.papers.curves import curve_cells
from prviz.studies.papers.digit_pairs import TruncatedDigits
from prviz.studies.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TruncationExperiment"]

_PSIS = tuple(step / 10 for step in range(11))
# As in the figures: the published settings of iPR and coverage, and those that the theory asks of kNN.
_UNSPLIT: tuple[Wanted, ...] = (("ipr", 3, None), ("coverage", 5, None))
_SPLIT: tuple[Wanted, ...] = (("knn", "sqrt", None),)
_SETTINGS = {"ipr": "no split, k = 3", "coverage": "no split, k = 5", "knn": "split 50%, k = √n"}


class TruncationExperiment(Experiment):
    """Scalars of the curve over psi, as the paper plots them for a generator of faces."""

    name = "truncation"
    title = "The truncation trick"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.2, Figures 5 to 7"
    question = "What do the numbers say when diversity is traded for fidelity, down to a single picture?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(None, 1, 1.0), "paper": Size(None, 10, 10.0)}
    labels = ("family", "psi")
    numbers: ClassVar[Mapping[str, str]] = {
        "AuC": "auc",
        "F8, leaning to precision": "f8_precision",
        "F8, leaning to recall": "f8_recall",
        "α@0.05": "alpha_at_005",
        "α∞": "alpha_inf",
        "in the real support": "in_real_support",
    }
    # The one value in the paper's text: the co-support of a point and a density is empty.
    published: ClassVar[Mapping[tuple[Any, ...], float]] = {
        (title_of(method), 0.0, end): 0.0 for method in ("coverage", "knn") for end in ("α∞", "in the real support")
    }

    def _words(self, size: Size) -> str:
        drawn = "All 1,797" if size.n is None else f"n = {size.n:,}"
        chance = "random split" if size.n is None else "repeat"
        return (
            f"{drawn} handwritten digits against as many samples of the bundled mixture, whose latent vectors are "
            "pulled to their mean: psi = 1 leaves them, psi = 0 makes every sample the same picture. iPR with k = 3 "
            "and Coverage with k = 5 without split, as published; kNN with split 50% and k = √n, "
            f"{counted(size.repeats, chance)}. In the real support is the share of samples with any real support: of "
            "iPR, improved precision. The paper has a generator of faces and 50,000 samples, so that shapes can be "
            "compared, not heights; it prints no numbers but α∞ = 0 at psi = 0 from every family except iPR."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        found: list[Cell] = []
        for repeat in range(size.repeats):
            for psi in _PSIS:
                problem = TruncatedDigits(psi)
                if size.n is not None or repeat == 0:  # of all samples and without split, there is one value
                    found.append(Cell(problem, size.n, None, repeat, seed, _UNSPLIT))
                found.append(Cell(problem, size.n, 0.5, repeat, seed, _SPLIT))
        return curve_cells(found)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with psi."""
        return told(rows, psi="psi")

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number over psi, a panel for each family."""
        figures = self.figures(rows)
        panels, published = {}, {}
        for method, setting in _SETTINGS.items():
            wanted = figures[figures["family"] == title_of(method)]
            if len(wanted):
                title = f"{title_of(method)} ({setting})"
                panels[title] = lines(wanted, "psi", "figure")
                printed = wanted[wanted["published"].notna()]
                if len(printed):
                    published[title] = lines(printed, "psi", "figure", "published")
        return LineChart(panels, "truncation psi", "value", published=published)

    def _says(self, figures: pd.DataFrame) -> str:
        shares = figures[figures["figure"] == "in the real support"]
        parts = []
        for family, found in shares.groupby("family", sort=False):
            ordered = found.sort_values("psi")
            psis, ours = ordered["psi"].to_numpy(), ordered["ours"].to_numpy()
            best = int(ours.argmax())
            parts.append(
                f"{family} {ours[0]:.2f} to {ours[-1]:.2f}, highest at psi = {psis[best]:.1f} ({ours[best]:.2f})"
            )
        areas = figures[figures["figure"] == "AuC"].groupby("psi")["ours"].mean()
        return (
            f"Share of samples in the real support from psi = {figures['psi'].min():.1f} to "
            f"{figures['psi'].max():.1f}: {'; '.join(parts)}. The area under the curve is largest at psi = "
            f"{areas.idxmax():.1f}: {areas.max():.2f} on average over families."
        )
