"""Classes added and dropped, on digits: Sajjadi et al. 2018, section 4.1, and Simon, Webster, Rabin 2019, Figure 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, title_of, told
from prviz.studies.papers.charts import CurveChart
from prviz.studies.papers.curves import curve_cells, curve_panels, true_band
from prviz.studies.papers.digit_pairs import DigitClasses
from prviz.studies.tasks import Task

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DigitsExperiment"]

_FAMILIES = ("cluster", "classifier", "knn", "coverage")
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
        "Sajjadi, Bachem, Lucic, Bousquet, Gelly 2018, section 4.1 and Figure 5; Simon, Webster, Rabin 2019, "
        "section 6 and Figure 2"
    )
    question = "Does a dropped class cost recall alone, and an invented one precision alone?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(None, 1, 2.5), "paper": Size(None, 10, 20.0)}
    labels = ("family", "q")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", **_ENDS}
    published: ClassVar[Mapping[tuple[Any, ...], float]] = _expected()

    def _words(self, size: Size) -> str:
        drawn = "all pictures" if size.n is None else f"at most n = {size.n:,} pictures of each side"
        return (
            "P is digits 0 to 4 of one half of the bundled digits, Q the first q = 1, ..., 10 digits of the other; "
            f"{drawn}, half of them to measure, k = √n, {counted(size.repeats, 'repeat')} of the split. The papers "
            "have CIFAR-10 and MNIST and show curves; the second one expects a rectangle, precision up to min(1, "
            "5/q) and recall up to min(1, q/5). These two stand as published; the IoU is with that rectangle."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problems = [DigitClasses(q) for q in _COUNTS]
        found = cells(problems, _FAMILIES, ("sqrt",), (0.5,), size, seed)
        return curve_cells(found)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the number of generated classes."""
        return told(rows, q="q")

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every q beside its rectangle, a panel for each family."""
        found = self.ordered(rows)
        panels = curve_panels(found, found["family"], found["q"].map(lambda q: f"q = {q}"))
        truths = {f"q = {q}": true_band(DigitClasses(q).truth()) for q in _COUNTS}
        return CurveChart(panels, {title: {name: truths[name] for name in panel} for title, panel in panels.items()})

    def _says(self, figures: pd.DataFrame) -> str:
        ious = figures[figures["figure"] == "IoU"].groupby("family", sort=False)["ours"].mean()
        off = {}
        for what, wanted in (("dropped", figures["q"] <= 5), ("added", figures["q"] >= 5)):
            ends = figures[wanted & figures["figure"].isin(list(_ENDS))]
            if len(ends):
                off[what] = ends.groupby("family", sort=False)["difference"].apply(lambda each: each.abs().mean())
        parts = [
            f"with classes {what}, the ends are {each.min():.2f} ({each.idxmin()}) to {each.max():.2f} "
            f"({each.idxmax()}) from the expected ones"
            for what, each in off.items()
        ]
        return (
            f"Closest to the expected rectangles is {ious.idxmax()} with a mean IoU of {ious.max():.2f}, furthest "
            f"{ious.idxmin()} with {ious.min():.2f}; {'; '.join(parts)}."
        )
