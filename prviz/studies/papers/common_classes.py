"""Many classes, a share rho of them in common: Simon, Webster, Rabin 2019, section 6 and Figure 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from prviz.studies.papers.base import Experiment, Mode, Size, cells, counted, title_of, told
from prviz.studies.papers.charts import CurveChart
from prviz.studies.papers.curves import curve_cells, curve_panels, true_band
from prviz.studies.tasks import Task
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["CommonClassesExperiment"]

_FAMILIES = ("cluster", "classifier", "knn")
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
_ENDS = {"highest precision": "alpha_inf", "highest recall": "beta_0"}


class CommonClassesExperiment(Experiment):
    """Clusters that hold several classes see more in common than there is."""

    name = "common-classes"
    title = "80 classes, a share of them in common"
    source = "Simon, Webster, Rabin 2019, section 6 and Figure 3"
    question = "Who sees that only a share of many classes is common to both sides?"
    sizes: ClassVar[Mapping[Mode, Size]] = {"quick": Size(2_000, 2, 2.5), "paper": Size(8_000, 5, 20.0)}
    labels = ("family", "rho")
    numbers: ClassVar[Mapping[str, str]] = {"IoU": "iou", "excess": "excess", **_ENDS}
    published: ClassVar[Mapping[tuple[Any, ...], float]] = {
        (title_of(method), rho, end): rho for method in _FAMILIES for rho in _SHARES for end in _ENDS
    }

    def _words(self, size: Size) -> str:
        return (
            "P and Q each have 80 equally likely classes in d = 64 dimensions, of which the share rho = 0, 0.25, "
            f"0.5, 0.75 or 1 is common to both; n = {size.n:,} samples of each, half of them to measure, 20 "
            f"clusters, k = √n, {counted(size.repeats, 'repeat')}. The paper has classes of ImageNet, shows curves, "
            "and expects a square: precision and recall up to rho. These stand as published."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        problems = [toy("classes", share=rho) for rho in _SHARES]
        found = cells(problems, _FAMILIES, ("sqrt",), (0.5,), size, seed)
        return curve_cells(found)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the common share."""
        return told(rows, rho="share")

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every rho beside its square, a panel for each family."""
        found = self.ordered(rows)
        panels = curve_panels(found, found["family"], found["rho"].map(lambda rho: f"rho = {rho:.0%}"))
        truths = {f"rho = {rho:.0%}": true_band(toy("classes", share=rho).truth()) for rho in _SHARES}
        return CurveChart(panels, {title: {name: truths[name] for name in panel} for title, panel in panels.items()})

    def _says(self, figures: pd.DataFrame) -> str:
        ious, excess = (
            figures[figures["figure"] == name].groupby("family", sort=False)["ours"].mean()
            for name in ("IoU", "excess")
        )
        return (
            f"Closest to the expected squares is {ious.idxmax()} with a mean IoU of {ious.max():.2f}, furthest "
            f"{ious.idxmin()} with {ious.min():.2f}. {excess.idxmax()} sees most in common that is not there: a mean "
            f"excess of {excess.max():.2f}, where {excess.idxmin()} has {excess.min():.2f}."
        )
