"""Predictive check of a surrogate: the areas that settings measure on it against those on the data themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pandas as pd
from scipy.special import stdtrit

from prviz.measure.estimates import K, Wanted, measure
from prviz.samples import SamplePair

if TYPE_CHECKING:
    from prviz.measure.estimates import Progress

# Method, k and share of the split, as rows have them: "" and nan are None.
Setting = tuple[str, K | None, float | None]
# Share of the settings that have to lie in their interval: far below 95 %, as all settings see the
# one draw of the data that there is, and err together.
LEAST_INSIDE = 0.5


class Prediction(NamedTuple):
    """How well a surrogate predicts what is seen on the data.

    off : mean over the settings of the difference between their area on the data and their mean
    area on the surrogate.
    inside : share of the settings whose area on the data is in the interval of one more sample, of
    95 % were areas normal. passes : True if ``inside`` is at least a half.
    """

    off: float
    inside: float
    passes: bool


def own_areas(
    pair: SamplePair, settings: Sequence[Setting], seed: int = 0, progress: Progress | None = None
) -> dict[Setting, float]:
    """The area of every setting on the data, in the coordinates of the surrogate."""
    from prviz.estimators.base import resolve_k
    from prviz.neighbors import MEMORY_LIMIT

    found = dict[Setting, float]()
    splits = list(dict.fromkeys(split for _, _, split in settings))
    for place, split in enumerate(splits):
        some = [each for each in settings if each[2] == split]
        wanted: list[Wanted] = []
        for method, k, _ in some:
            wanted.append((method, resolve_k("sqrt" if k is None else k, pair), None))
        estimates = measure(pair.split(split, seed), wanted, seed, MEMORY_LIMIT)
        for setting, each in zip(some, estimates, strict=True):
            found[setting] = each.curve.auc
        if progress is not None:
            progress((place + 1) / len(splits))
    return found


def prediction(rows: pd.DataFrame, own: Mapping[Setting, float]) -> Prediction:
    """Compare the rows of `surrogate_tasks` with the areas of `own_areas`.

    Raises ValueError for a setting that has no rows.
    """
    off: list[float] = []
    inside: list[bool] = []
    areas = areas_of(rows)
    for setting, area in own.items():
        if setting not in areas:
            raise ValueError(f"rows has none of {setting}")
        values = areas[setting]
        count = len(values)
        apart = abs(area - values.mean())
        spread = 0.0 if count < 2 else float(values.std())
        off.append(apart)
        inside.append(
            bool(apart <= stdtrit(max(count - 1, 1), 0.975) * spread * (1 + 1 / count) ** 0.5)
        )
    share = sum(inside) / len(inside)
    return Prediction(sum(off) / len(off), share, share >= LEAST_INSIDE)


def areas_of(rows: pd.DataFrame) -> dict[Setting, pd.Series[float]]:
    """The areas of every repeat, by setting."""
    found = dict[Setting, "pd.Series[float]"]()
    for key, group in rows.groupby(["method", "k", "split"], dropna=False, sort=False):
        method, k, split = cast("tuple[Any, Any, Any]", key)
        number: K | None = None if pd.isna(k) else "sqrt" if k == "sqrt" else int(k)
        found[str(method), number, None if pd.isna(split) else float(split)] = group["auc"]
    return found
