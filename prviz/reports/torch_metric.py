"""A metric for torchmetrics, whose value is the precision-recall curve of the samples of all
processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from prviz.checks.flags import say
from prviz.curves import PRCurve
from prviz.curves.summaries import summaries
from prviz.measure.estimates import K, pr_curve
from prviz.missing import require
from prviz.samples import SamplePair, SplitRatio

if TYPE_CHECKING:
    from torch import Tensor

try:
    from torchmetrics import Metric
except ImportError:
    Metric = object


class PRCurveMetric(Metric):  # type: ignore[misc]
    """Summaries of the precision-recall curve of generated samples against real ones, for
    torchmetrics.

    The result depends neither on the order of the samples nor on their distribution over processes,
    because rows are sorted before they are split.

    Parameters
    ----------
    method : str
        Name in ESTIMATORS. The default is quick enough for every step. ``tightest`` gives the curve
        to believe, by which `prviz.Monitor` judges.
    k : int or "sqrt"
        As in `prviz.pr_curve`.
    split : float or None
        As in `prviz.pr_curve`.
    seed : int
        Seed of the split.
    **options : object
        Options of ``torchmetrics.Metric``.

    Raises
    ------
    ModuleNotFoundError
        torchmetrics is not installed.
    """

    full_state_update = False

    def __init__(
        self,
        method: str = "knn",
        *,
        k: K = "sqrt",
        split: SplitRatio = 0.5,
        seed: int = 0,
        **options: Any,
    ) -> None:
        if Metric is object:
            require(["torchmetrics"], "prviz.PRCurveMetric()")
        super().__init__(**options)
        self._settings: dict[str, Any] = {"method": method, "k": k, "split": split, "seed": seed}
        for role in ("real", "generated"):
            self.add_state(role, default=[], dist_reduce_fx="cat")

    def update(self, values: Tensor, real: bool) -> None:
        """Add samples.

        Parameters
        ----------
        values : torch.Tensor
            (n, d) features of an encoder.
        real : bool
            True for real samples, False for generated ones.
        """
        getattr(self, "real" if real else "generated").append(values.detach())

    def curve(self) -> PRCurve:
        """The curve of all samples added so far.

        It uses only the samples of this process, unless torchmetrics has gathered those of all
        processes.

        Returns
        -------
        PRCurve
            The curve that `prviz.pr_curve` gives.

        Raises
        ------
        ValueError
            No real or no generated samples, or as `prviz.pr_curve`.
        """
        import torch

        roles = []
        for role in ("real", "generated"):
            state = getattr(self, role)
            if not len(state):
                raise ValueError(
                    f"there are no {role} samples yet; update(values, real=...) adds them"
                )
            rows = (torch.cat(list(state)) if isinstance(state, list) else state).cpu().numpy()
            roles.append(rows[np.lexsort(rows.T)])
        pair = SamplePair.of(*roles)
        say(pair)
        return pr_curve(*pair, **self._settings)

    def compute(self) -> dict[str, Tensor]:
        """All summaries of the curve.

        Returns
        -------
        dict of str to torch.Tensor
            The summaries, by the keys of `prviz.curves.summaries`.

        Raises
        ------
        ValueError
            As `curve`.
        """
        import torch

        return {
            name: torch.tensor(value, dtype=torch.float64)
            for name, value in summaries(self.curve()).items()
        }
