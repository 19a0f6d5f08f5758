"""How the clusters family depends on the number of clusters (Simon, Webster, Rabin 2019, Figure 4).

Real samples are 60 % of one kind and 40 % of another; generated ones are all of the first kind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from prviz.estimators import ESTIMATORS
from prviz.estimators.cluster import CLUSTER, CLUSTERS
from prviz.studies.papers.base import (
    ChartLine,
    Experiment,
    LineChart,
    Size,
    cells,
    listed,
    title_of,
    with_titles,
)
from prviz.studies.papers.digits import EVEN_SHARE, DigitShares
from prviz.studies.sweeps import COLUMNS, Cell, Known
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = (2, 5, 10, CLUSTERS, 50, 100, 200)
_OTHERS = ("classifier", "knn")
_DATA = {DigitShares.name: "digits", "finite": "two boxes"}
_TRUTHS = {"AuC": EVEN_SHARE, "highest precision": 1.0, "highest recall": EVEN_SHARE}


class ClusterNumberExperiment(Experiment):
    """Area and ends of the curve against the number of clusters, with two families without clusters
    for comparison.
    """

    name = "cluster-number"
    title = "How many clusters?"
    source = "Simon, Webster, Rabin 2019, section 6 and Figure 4"
    question = (
        "Real samples are 60 % of one kind, generated ones all of it: which number of clusters"
        " finds that?"
    )
    words = (
        "Digits: 60 % even and 40 % odd ones of one half against even ones of the other half. Two"
        " boxes: uniform in two disjoint cubes in d = 64, with the same shares. n = {n} at most,"
        " {repeats}. {counts} clusters without split, as published; linear classifiers and kNN with"
        " split 50 % and k = √n. The truth is precision 1 up to recall 0.6, of the digits as if"
        " parity were seen at sight. The paper has faces, 60 % of them of women, against women"
        " alone, and prints no numbers."
    )
    columns = COLUMNS
    measure = None
    sizes = {
        "quick": Size(300, 1, 2.0),
        "paper": Size(2_000, 5, 60.0),
    }
    labels = ("data", "family", "clusters")
    choices = {"data": _DATA[DigitShares.name]}
    numbers = {
        "AuC": "auc",
        "IoU": "iou",
        "highest precision": "alpha_inf",
        "highest recall": "beta_0",
    }
    explore = {
        "problem": "finite",
        "parameters": {"d": 64, "real_weights": (0.6, 0.4), "generated_weights": (1.0, 0.0)},
        "n": 2_000,
        "methods": ("cluster", "classifier", "knn"),
    }
    explore_title = "Open the two boxes in Explore"

    def _fields(self, size: Size) -> dict[str, str]:
        return super()._fields(size) | {"counts": listed(list(map(str, self._counts(size))))}

    def _counts(self, size: Size) -> tuple[int, ...]:
        """Numbers of clusters to measure; the quick mode has fewer."""
        if size == self.sizes["paper"]:
            return _NUMBERS
        return _NUMBERS[::3]

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        shares = {"real_weights": (EVEN_SHARE, 1 - EVEN_SHARE), "generated_weights": (1.0, 0.0)}
        problems: list[Known] = [DigitShares(), toy("finite", d=64, **shares)]
        clusters = [CLUSTER.named({"clusters": number}) for number in self._counts(size)]
        found = cells(problems, clusters, ("sqrt",), (None,), size, seed)
        return found + cells(problems, _OTHERS, ("sqrt",), (0.5,), size, seed)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the name of their data, the family without its parameters, and the number
        of clusters.

        The number is nan for families without clusters.
        """
        bases = [method.partition(":")[0] for method in rows["method"]]
        numbers = [
            ESTIMATORS[method].value("clusters") if base == CLUSTER.name else np.nan
            for method, base in zip(rows["method"], bases, strict=True)
        ]
        found = with_titles(rows)
        return found.assign(
            data=found["problem"].map(_DATA), family=list(map(title_of, bases)), clusters=numbers
        )

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Area and ends of the curve against the number of clusters.

        The truth and families without clusters are horizontal lines.
        """
        means = self.figures(rows).groupby(
            ["figure", "family", "clusters"], dropna=False, sort=False
        )
        values = means[["ours", "spread"]].mean().reset_index()
        panels: dict[str, dict[str, ChartLine]] = {}
        for figure, truth in _TRUTHS.items():
            panels[figure] = {"truth": _level(truth)}
            own = values[values["figure"] == figure]
            for family, group in own.groupby("family", sort=False):
                if group["clusters"].isna().all():
                    line = _level(float(group["ours"].iloc[0]))
                else:
                    columns = group.sort_values("clusters")[["clusters", "ours", "spread"]]
                    line = ChartLine(*columns.to_numpy(dtype=float).T)
                panels[figure][str(family)] = line
        return LineChart(panels, "number of clusters", "value", log_x=True)

    def _says(self, figures: pd.DataFrame) -> str:
        said = []
        for data, group in figures.groupby("data", sort=False):
            own = group.pivot_table("ours", "clusters", "figure")
            others = group[group["clusters"].isna()]
            if len(own):
                few = own.index[0]
                many = own.index[-1]
                best = own["IoU"].idxmax()
                said.append(
                    f"With {few:g} clusters the area is {own['AuC'].iloc[0]:.2f}, with {many:g} "
                    f"{own['AuC'].iloc[-1]:.2f}, in truth {EVEN_SHARE:.2f} ({data})"
                )
                said.append(
                    f"The closest of these numbers is {best:g}, with an IoU of"
                    f" {own['IoU'].max():.2f}"
                )
            if len(others):
                ious = others[others["figure"] == "IoU"]
                each = [f"{line.family} {line.ours:.2f}" for line in ious.itertuples()]
                said.append(f"IoU without clusters ({data}): {listed(each)}")
        return ". ".join(said) + "."

    def _quick(self, size: Size) -> str:
        return (
            f"{super()._quick(size)}, {len(self._counts(size))} of {len(_NUMBERS)} numbers of"
            " clusters"
        )


def _level(value: float) -> ChartLine:
    ends = np.array([_NUMBERS[0], _NUMBERS[-1]], dtype=float)
    return ChartLine(ends, np.full(2, value), np.full(2, np.nan))
