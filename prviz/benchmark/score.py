"""Runs estimators on the pairs of the benchmark, and measures how close they come to the truth and
what they cost.
"""

from __future__ import annotations

import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from prviz.arrays import Array, Floats
from prviz.benchmark.shapes import compare, points_of
from prviz.curves import PRCurve
from prviz.estimators import ESTIMATORS
from prviz.measure.estimates import estimate
from prviz.neighbors.threads import Progress
from prviz.readers.errors import error_text
from prviz.samples import SamplePair
from prviz.toys import toy
from prviz.uncertainty.bootstrap import bootstrap

if TYPE_CHECKING:
    import pandas as pd

VERSION = 1
"""Raised whenever a pair, its samples or a score changes.

Figures of two versions can't be compared.
"""
N = 1000
DRAWS = 3
# _DECIMALS: decimals to which samples are rounded. _DIGEST_DECIMALS: decimals that the digest of
# samples covers; it is fewer, as machines may differ in the last bit of a logarithm.
_DECIMALS = 6
_DIGEST_DECIMALS = 3
_DIGESTS = Path(__file__).with_name("digests.json")


class ForeignSamplesError(ValueError):
    """Raised if this machine draws other samples than those of the benchmark."""


@dataclass(frozen=True)
class BenchmarkPair:
    """One pair of distributions: a toy with parameters. `N` samples of each distribution are drawn,
    with the seeds 0, 1, ..., `DRAWS` - 1.
    """

    name: str
    toy: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def drawn(self, draw: int) -> SamplePair:
        """The rounded samples of one draw on this machine; their digest is not checked."""
        pair = toy(self.toy, **self.parameters).sample(N, seed=draw)
        real, generated = (np.round(side.values, _DECIMALS) for side in pair)
        return SamplePair.of(real, generated)

    def sample(self, draw: int) -> SamplePair:
        """The rounded samples of one draw, with their digest checked.

        Raises
        ------
        ForeignSamplesError : if they differ from the samples with which the benchmark was made.
        """
        pair = self.drawn(draw)
        if digests().get(self.name, [])[draw : draw + 1] != [digest(pair)]:
            raise ForeignSamplesError(
                f"draw {draw} of {self.name!r} has other samples on this machine than version"
                f" {VERSION} of the benchmark; NumPy {np.__version__} may draw differently"
            )
        return pair

    @cached_property
    def truth(self) -> PRCurve:
        """The true curve of the pair."""
        return toy(self.toy, **self.parameters).truth()


PAIRS = MappingProxyType(
    {
        pair.name: pair
        for pair in (
            BenchmarkPair("same distribution, d = 64", "identical", {"d": 64}),
            BenchmarkPair("near Gaussians, d = 64", "shifted-gaussians", {"d": 64, "mu": 0.125}),
            BenchmarkPair("far Gaussians, d = 64", "shifted-gaussians", {"d": 64, "mu": 0.25}),
            BenchmarkPair("Gaussians, d = 2", "shifted-gaussians", {"d": 2, "mu": 1.0}),
            BenchmarkPair("narrower, d = 16", "scaled-gaussian", {"d": 16, "scale": 0.8}),
            BenchmarkPair("high dimension, d = 512", "high-dimension", {"d": 512, "shift": 1.0}),
            BenchmarkPair("mode dropped and invented, d = 8", "mixtures", {"d": 8}),
            BenchmarkPair("mode dropped and invented, d = 64", "modes", {"d": 64}),
            BenchmarkPair(
                "classes dropped, d = 16", "classes", {"d": 16, "classes": 20, "share": 0.5}
            ),
            BenchmarkPair("guidance, d = 2", "guidance", {"d": 2}),
            BenchmarkPair("painted, d = 1", "painted"),
            BenchmarkPair("atoms, d = 2", "finite", {"d": 2}),
        )
    }
)


def digest(pair: SamplePair) -> str:
    """A digest of samples that ignores the last decimals, in which machines may differ."""
    real, generated = (np.round(side.values, _DIGEST_DECIMALS) for side in pair)
    return SamplePair.of(real, generated).digest


@cache
def digests() -> dict[str, list[str]]:
    """The digests of the samples, by pair and draw, from when this version was frozen."""
    found = json.loads(_DIGESTS.read_text("utf-8"))
    return {} if found["version"] != VERSION else found["pairs"]


def freeze() -> None:
    """Write the file of digests from the samples that this machine draws; once per version."""
    pairs = {
        name: [digest(pair.drawn(draw)) for draw in range(DRAWS)] for name, pair in PAIRS.items()
    }
    _DIGESTS.write_text(
        json.dumps({"version": VERSION, "pairs": pairs}, indent=1) + "\n", encoding="utf-8"
    )


SETTINGS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"k = 5, no split": {"k": 5, "split": None}, "k = √n, split 50 %": {"k": "sqrt", "split": 0.5}}
)
# Number of bootstrap replicates for the interval of a family's area; the measured time does not
# include them.
_REPLICATES = 200
# Times are also given in units of one matrix product of the two sets: the fastest of this number of
# trials.
_PRODUCTS = 3


class Estimated(NamedTuple):
    """An estimate: a curve or points (precision, recall), with a 95 % interval of its area or
    None.
    """

    curve: PRCurve | Floats
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Contestant:
    """One estimator in one setting.

    estimate : function of real and generated samples that returns any result; its call is timed.
    finish : function that converts the result to an `Estimated`.
    """

    name: str
    setting: str
    estimate: Callable[[Array, Array], Any]
    finish: Callable[[Any], Estimated]


def of_family(method: str) -> list[Contestant]:
    """A family of prviz as one contestant for each of `SETTINGS`; a family that needs a split, only
    for those with a split.

    Raises
    ------
    ValueError : if there is no such family.
    """
    if method not in ESTIMATORS:
        raise ValueError(f"there is no family {method!r}; the families are {', '.join(ESTIMATORS)}")
    family = ESTIMATORS[method]

    def entry(setting: str, options: Mapping[str, Any]) -> Contestant:
        def run(real: Array, generated: Array) -> Any:
            pair = SamplePair.of(real, generated)
            found = estimate(pair, method, seed=0, **options)[method]
            return found, found.curve

        def finish(found: Any) -> Estimated:
            spread = bootstrap(found[0], _REPLICATES).intervals["auc"]
            return Estimated(found[1], (spread.low, spread.high))

        return Contestant(family.title, setting, run, finish)

    return [
        entry(*each)
        for each in SETTINGS.items()
        if each[1]["split"] is not None or not family.needs_split
    ]


def plugin(name: str) -> Contestant:
    """A contestant from an estimator given as ``MODULE:FUNCTION``. The function is called with two
    (n, d) arrays, real and generated samples.

    The function returns a `PRCurve` or points (precision, recall), as an (m, 2) array or one pair
    of numbers. It may also return a tuple of one of these and a 95 % interval (low, high) of the
    area under the curve. Modules in the current folder are found, too.

    Raises
    ------
    ValueError : if the module or the function is not found.
    """
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        call = resolve_name(name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{name!r} can't be loaded: {error_text(error)}; MODULE:FUNCTION is needed"
        ) from None
    return Contestant(name, "its own", call, _estimated)


def _estimated(found: Any) -> Estimated:
    """Check the result of another package's function, and convert it."""
    if isinstance(found, tuple) and len(found) == 2 and not np.isscalar(found[0]):
        low, high = map(float, found[1])
        return Estimated(_estimated(found[0]).curve, (low, high))
    return Estimated(found if isinstance(found, PRCurve) else points_of(found))


def benchmark(
    contestants: Sequence[Contestant],
    pairs: Sequence[str] = tuple(PAIRS),
    *,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Run every estimator on every pair and draw, one row of the table for each.

    Parameters
    ----------
    contestants : made by `of_family` and `plugin`.
    pairs : names in `PAIRS`.
    draws : number of draws of each pair, 1 to `DRAWS`.
    progress : called with the fraction done.

    Returns
    -------
    DataFrame
        Columns estimator, setting, pair, draw; iou, excess, deficit (shares of the joint area),
        auc, true_auc; low, high and holds: the interval of the area and whether it contains the
        true area (missing without interval); seconds, and products: the time in units of one
        float32 matrix product of the two sets in the same run; peak_mb: peak memory of Python and
        NumPy in the first draw; error: why there is no estimate.

    Raises
    ------
    ValueError : if a pair is unknown, ``draws`` is not from 1 to `DRAWS`, or samples differ from
    the benchmark's.
    """
    import pandas as pd

    unknown = [name for name in pairs if name not in PAIRS]
    if unknown:
        raise ValueError(f"there is no pair {unknown[0]!r}; the pairs are {', '.join(PAIRS)}")
    if not 1 <= draws <= DRAWS:
        raise ValueError(f"draws = {draws}; 1 to {DRAWS} are frozen")
    rows: list[dict[str, Any]] = []
    todo = len(pairs) * draws * len(contestants)
    for name in pairs:
        for draw in range(draws):
            pair = PAIRS[name].sample(draw)
            product = _product_seconds(pair)
            for each in contestants:
                row = {"estimator": each.name, "setting": each.setting, "pair": name, "draw": draw}
                rows.append(row | _scored(each, pair, PAIRS[name].truth, product, memory=draw == 0))
                if progress is not None:
                    progress(len(rows) / todo)
    return pd.DataFrame(rows)


def _product_seconds(pair: SamplePair) -> float:
    real, generated = (side.values.astype(np.float32) for side in pair)
    times = []
    for _ in range(_PRODUCTS):
        begun = time.perf_counter()
        real @ generated.T
        times.append(time.perf_counter() - begun)
    return min(times)


def _scored(
    each: Contestant, pair: SamplePair, truth: PRCurve, product: float, *, memory: bool
) -> dict[str, Any]:
    # Copied, because an estimator may write into its samples.
    real, generated = (np.array(side.values) for side in pair)
    begun = time.perf_counter()
    try:
        found = each.estimate(real, generated)
        seconds = time.perf_counter() - begun
        curve, interval = each.finish(found)
    except Exception as error:  # noqa: BLE001 - whatever a plug-in raises is its result
        return {"error": error_text(error)}
    compared, auc = compare(curve, truth)
    low, high = interval or (np.nan, np.nan)
    row = {"iou": compared.iou, "excess": compared.excess, "deficit": compared.deficit, "auc": auc}
    row |= {
        "true_auc": truth.auc,
        "low": low,
        "high": high,
        "seconds": seconds,
        "products": seconds / product,
    }
    row["holds"] = np.nan if interval is None else float(low <= truth.auc <= high)
    row["peak_mb"] = _peak_mb(each, pair) if memory else np.nan
    return row | {"error": ""}


def _peak_mb(each: Contestant, pair: SamplePair) -> float:
    tracemalloc.start()
    try:
        each.estimate(*(np.array(side.values) for side in pair))
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per estimator and setting, the best mean IoU first.

    Columns: iou, the mean IoU; worst, the lowest of the pairs' mean IoUs; excess and deficit,
    means; holds, the share of intervals that contain the true area; products and peak_mb, medians;
    failed, the number of draws without an estimate.
    """
    import pandas as pd

    by = ["estimator", "setting"]
    for column in ("iou", "excess", "deficit", "holds", "products", "peak_mb"):
        if column not in rows:  # Missing if every estimator has failed.
            rows = rows.assign(**{column: np.nan})
    grouped = rows.groupby(by, sort=False)
    found = grouped[["iou", "excess", "deficit", "holds"]].mean()
    worst = rows.groupby([*by, "pair"], sort=False)["iou"].mean().groupby(by, sort=False).min()
    found.insert(1, "worst", worst)
    found = found.join(grouped[["products", "peak_mb"]].median())
    found["failed"] = grouped["error"].agg(lambda errors: int((errors != "").sum()))
    return pd.DataFrame(found.reset_index().sort_values("iou", ascending=False, ignore_index=True))
