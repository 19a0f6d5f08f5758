"""An experiment on a poster about hubs, samples among the nearest neighbours of many others.

It shows whether samples of equal hubness behave alike, and what hubs alone give at which cost.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from prviz.arrays import Counts, Flags, Floats
from prviz.estimators import ESTIMATORS, Supports
from prviz.estimators.base import resolve_k
from prviz.estimators.hub import HUB, hubs_over_k
from prviz.measure.estimates import Estimate
from prviz.neighbors import count_in_balls, nearest_radii
from prviz.samples import SamplePair
from prviz.studies.papers.base import (
    Experiment,
    LineChart,
    Size,
    line_panels,
    listed,
    mean_of,
    with_titles,
)
from prviz.studies.papers.digits import BundledDigits
from prviz.studies.papers.printed import printed_in
from prviz.studies.sweeps import COLUMNS, Cell, Known, measured_on
from prviz.studies.tasks import Columns, Row
from prviz.toys import toy

if TYPE_CHECKING:
    import pandas as pd

# Thresholds t of the hubness, which are also the upper limits of the groups by hubness.
_TS = (1, 2, 3, 5, 10, 20, 40, 80)
_KS: tuple[int | Literal["sqrt"], ...] = (3, 5, 10, "sqrt")
# Number of runs per timing; the fastest one counts.
_TIMES = 3
_ROLES = ("real", "generated")
_SCALARS = ("precision", "recall")
# Names of the numbers, as the table shows them; `_FIGURES` maps each to its column.
_ERRORS = {name: f"error of {name}" for name in _SCALARS}
_COST = "processor time"
_SEARCH = "finding the hubs"
_SHARE = "hubs"
_OF_SCALARS = {
    figure: column
    for name in _SCALARS
    for figure, column in (
        (f"{name} of all", name),
        (f"{name} of hubs", f"hub_{name}"),
        (_ERRORS[name], f"error_{name}"),
    )
}
_GROUPS = {"group": "in this group", "inside": "inside", "held": "held by hubs"}
_OF_ROLES = {
    f"{role}, {words}": f"{what}_{role}"
    for (what, words), role in itertools.product(_GROUPS.items(), _ROLES)
}
_FIGURES = {_SHARE: "hubs", **_OF_SCALARS, _COST: "cost", _SEARCH: "search", **_OF_ROLES}
_NUMBERS = (
    "hubs",
    *_SCALARS,
    *(f"hub_{name}" for name in _SCALARS),
    *(f"error_{name}" for name in _SCALARS),
    "cost",
    "search",
    *_OF_ROLES.values(),
)
HUB_COLUMNS: Columns = {**COLUMNS, **dict.fromkeys(_NUMBERS, "float64")}
# Errors on FFHQ, LSUN-Car and LSUN-Church, as printed on the poster.
_TABLE_1 = printed_in("hubs: Table 1, errors")
POSTER_ERRORS = {name: _TABLE_1[f"error of {name}"] for name in _SCALARS}
# Seconds on FFHQ without parallelism, as printed on the poster: for hubs, and for all samples.
POSTER_SECONDS = tuple(value for (value,) in printed_in("hubs: Table 2, time and memory").values())


def precision_and_recall(supports: Supports) -> tuple[float, float]:
    """Share of generated samples with c_X > 0, and share of real samples with c_Y > 0."""
    n = supports.n_real
    return float(np.mean(supports.c_real[n:] > 0)), float(np.mean(supports.c_generated[:n] > 0))


def hub_rows(cell: Cell) -> list[Row]:
    """Rows of a cell that measures the family `hub` at several t and k, without split, with the
    poster's numbers.

    hubs : share of the samples that the estimator treats as hubs.
    precision, recall : by all samples; hub_* : by hubs alone; error_* : relative difference of
        hub_* from all.
    cost : processor time of the estimate, as a multiple of that of `ipr` on all samples; search :
        the same for finding the hubs.

    The hubness m of a sample is the exact number of other samples of its set in whose k-NN ball it
    lies. For each role, group_* : share of samples with m up to t and above the next smaller t.
    inside_* : share of this group in a ball of the other set. held_* : of all samples in a ball of
        the other set, the share in the ball of a hub, m > t.
    """
    pair = cell.draw()
    # Imports and compilation happen once per process, and must not count in the timings below.
    for method in ("ipr", HUB.name):
        _timed(replace(cell, wanted=((method, cell.wanted[0][1], None),)), pair)
    # FAISS brings its own BLAS; it is loaded now, so the limit applies to it, too
    with threadpool_limits(1, "blas"):
        return _rows(cell, pair)


def _rows(cell: Cell, pair: SamplePair) -> list[Row]:
    rows = []
    of_k = dict[int, tuple[Supports, float, float, _Hubness]]()
    for wanted in cell.wanted:
        row, estimate, spent = _fastest(replace(cell, wanted=(wanted,)), pair)
        k = resolve_k(wanted[1] or 1, pair)
        t = ESTIMATORS[wanted[0]].value("t")
        if k not in of_k:
            _, exact, seconds = _fastest(replace(cell, wanted=(("ipr", k, None),)), pair)
            search = min(_search_seconds(pair, k, cell.drawn_by) for _ in range(_TIMES))
            of_k[k] = exact.supports, seconds, search, _Hubness.of(pair, k)
        supports, seconds, search, hubness = of_k[k]
        row["hubs"] = len(estimate.supports.c_real) / len(supports.c_real)
        both = map(precision_and_recall, (supports, estimate.supports))
        for name, every, found in zip(_SCALARS, *both, strict=True):
            error = abs(found - every) / every if every > 0 else np.nan
            row |= {name: every, f"hub_{name}": found, f"error_{name}": error}
        rows.append(row | {"cost": spent / seconds, "search": search / seconds} | hubness.at(t))
    return rows


def _fastest(cell: Cell, pair: SamplePair) -> tuple[Row, Estimate, float]:
    return min((_timed(cell, pair) for _ in range(_TIMES)), key=lambda each: each[2])


def _timed(cell: Cell, pair: SamplePair) -> tuple[Row, Estimate, float]:
    """The only row of a cell and its estimate, and the processor time of measuring it."""
    began = time.process_time()
    ((row, estimate),) = measured_on(cell, pair, None)
    return row, estimate, time.process_time() - began


def _search_seconds(pair: SamplePair, k: int, seed: int) -> float:
    """Processor time in seconds of finding the hubs of both sets."""
    began = time.process_time()
    for side in pair:
        hubs_over_k(side.values, [k], seed)
    return time.process_time() - began


@dataclass(frozen=True, eq=False)
class _Hubness:
    """Exact hubness of every sample at one k, radii of the k-NN balls, and whether each sample lies
    in a ball of the other set.
    """

    pair: SamplePair
    radii: Sequence[Floats]
    hubness: Sequence[Counts]
    inside: Sequence[Flags]

    @classmethod
    def of(cls, pair: SamplePair, k: int) -> _Hubness:
        values = [side.values for side in pair]
        radii = [nearest_radii(side, np.arange(len(side)), k) for side in values]
        # minus 1, since every sample lies in its own ball
        hubness = [
            count_in_balls(side, side, own) - 1 for side, own in zip(values, radii, strict=True)
        ]
        inside = [
            count_in_balls(values[role], values[1 - role], radii[1 - role]) > 0 for role in (0, 1)
        ]
        return cls(pair, radii, hubness, inside)

    def at(self, t: int) -> Row:
        """The columns group_*, inside_* and held_* for the threshold t."""
        below = max((each for each in _TS if each < t), default=-1)
        found = Row()
        values = [side.values for side in self.pair]
        for role, name in enumerate(_ROLES):
            group = (self.hubness[role] <= t) & (self.hubness[role] > below)
            hubs = np.flatnonzero(self.hubness[1 - role] > t)
            held = np.zeros(len(values[role]), dtype=bool)
            if len(hubs):
                balls = self.radii[1 - role][hubs]
                held = count_in_balls(values[role], values[1 - role], balls, centre_rows=hubs) > 0
            inside = self.inside[role]
            found[f"group_{name}"] = float(group.mean())
            found[f"inside_{name}"] = float(inside[group].mean()) if group.any() else np.nan
            found[f"held_{name}"] = float(held[inside].mean()) if inside.any() else np.nan
        return found


_DATA = {
    "shifted-gaussians": "d = 64",
    "high-dimension": "d = 2,048",
    BundledDigits.name: "VAE digits",
}
# Title of a panel -> (title of the y axis, name of a series -> name of its number).
_PANELS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "Samples, by hubness": (
        "share of the set",
        {"real": "real, in this group", "generated": "generated, in this group"},
    ),
    "Inside a ball, by hubness": (
        "share of the group",
        {"real": "real, inside", "generated": "generated, inside"},
    ),
    "Of these, in a hub's ball": (
        "share of the samples inside",
        {"real": "real, held by hubs", "generated": "generated, held by hubs"},
    ),
    "Error of hubs": (
        "relative to all samples",
        {"precision": _ERRORS["precision"], "recall": _ERRORS["recall"]},
    ),
    "Time of hubs": (
        "processor time, all samples: 1",
        {"hubs": _COST, "finding the hubs": _SEARCH},
    ),
}


def _published() -> dict[tuple[Any, ...], float]:
    found: dict[tuple[Any, ...], float] = {}
    for data in _DATA.values():
        for name, figure in _ERRORS.items():
            found[data, "3", HUB.value("t"), figure] = float(np.mean(POSTER_ERRORS[name]))
        found[data, "3", HUB.value("t"), _COST] = POSTER_SECONDS[0] / POSTER_SECONDS[1]
    return found


class HubsExperiment(Experiment):
    """The numbers of the poster's Figures 1 and 2 and Tables 1 and 2, for several t and k, on three
    pairs.
    """

    name = "hubs"
    title = "Hubs in place of all samples"
    source = (
        "Liang, Wu, Lai, Qin 2024, precision and recall by hubness-aware sampling: Figures 1 and 2,"
        " Tables 1 and 2"
    )
    question = (
        "Do the samples that are often neighbours of others give the same precision and recall, and"
        " for less?"
    )
    words = (
        "The hubness m of a sample is the number of others that have it among their k nearest; "
        "hubs have m > t. Improved precision and recall of the hubs alone against those of all "
        "samples, no split, k = 3, 5, 10 and √n. Pairs: shifted Gaussians in d = 64 and 2,048, and "
        "the digits against samples of the zoo's VAE; n = {n} at most, {repeats}. A group of "
        "hubness has m up to its number, above the one before it. Open symbols: the poster's means "
        "over its three sets of 70,000 or more pictures, t = 3, which are other data; its time is "
        "that of the serial code."
    )
    columns = HUB_COLUMNS
    measure = staticmethod(hub_rows)
    sizes = {
        "quick": Size(200, 1, 4.0),
        "paper": Size(2_000, 3, 1000.0),
    }
    labels = ("data", "k", "t")
    choices = {
        "data": _DATA["shifted-gaussians"],
        "k": "3",
        "t": HUB.value("t"),
    }
    along = "t"
    numbers = _FIGURES
    published = _published()
    explore = {
        "problem": "shifted-gaussians",
        "n": 2_000,
        "k": 3,
        "split": None,
        "methods": ("ipr", "hub"),
    }

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        problems: tuple[Known, ...] = (toy("shifted-gaussians"), BundledDigits("vae-b0.2-e300"))
        ks = _KS
        ts = tuple[int, ...](_TS)
        if size == self.sizes["paper"]:
            problems += (toy("high-dimension", d=2048, shift=1.0),)
        else:
            ks = (_KS[0], _KS[-1])
            ts = _TS[::2]
        families = [HUB.named({"t": t}) for t in ts]
        return [
            Cell(problem, size.n, None, repeat, seed, tuple((each, k, None) for each in families))
            for repeat, problem, k in itertools.product(range(size.repeats), problems, ks)
        ]

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the name of their pair and the threshold t."""
        ts = [ESTIMATORS[method].value("t") for method in rows["method"]]
        return with_titles(rows).assign(data=rows["problem"].map(_DATA), t=ts)

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """Every number against t, averaged over the pairs and k of the rows."""
        import pandas as pd

        known = self.figures(rows).groupby(["figure", "t"], sort=False)
        means = known[["ours", "spread", "published"]].mean().reset_index()
        shown = dict[str, pd.DataFrame]()
        for title, (_, series) in _PANELS.items():
            names = {figure: name for name, figure in series.items()}
            own = means[means["figure"].isin(list(names)) & means["ours"].notna()]
            shown[title] = own.assign(title=title, line=own["figure"].map(names))
        every = pd.concat(shown.values())
        return LineChart(
            line_panels(every, "t", "{title}", "{line}"),
            "hubness m, threshold t",
            "share",
            log_x=True,
            published=line_panels(every, "t", "{title}", "{line}", "published"),
            y_titles={title: words for title, (words, _) in _PANELS.items()},
        )

    def _says(self, figures: pd.DataFrame) -> str:
        usual = figures[figures["t"] == HUB.value("t")]
        shown = usual if len(usual) else figures
        ts = listed([f"{t:g}" for t in sorted(set(shown["t"]))])
        said = list[str]()
        for k in dict.fromkeys(shown["k"]):
            share, cost, search = (
                mean_of(shown, figure, k=k) for figure in (_SHARE, _COST, _SEARCH)
            )
            off = {name: mean_of(shown, figure, k=k) for name, figure in _ERRORS.items()}
            errors = [
                f"{name} {100 * value:.1f} %" for name, value in off.items() if value == value
            ]
            reason = ""
            if not said:
                reason = (
                    f": finding them takes every sample's neighbours (alone {search:.1f} times), "
                    "and their radii take distances to all samples"
                )
            said.append(
                f"With k = {k} and t = {ts}, hubs are {100 * share:.0f} % of the samples,"
                f" {listed(errors or ['nothing'])} off, in {cost:.1f} times the processor time of"
                f" all samples{reason}"
            )
        low, high = (100 * end(map(end, POSTER_ERRORS.values())) for end in (min, max))
        said.append(
            f"The poster prints errors of {low:.1f} to {high:.1f}% and "
            f"{POSTER_SECONDS[0] / POSTER_SECONDS[1]:.2f} of the time, at t = {HUB.value('t')}"
        )
        k = figures["k"].iloc[0]
        first = figures[figures["k"] == k]
        for role in _ROLES:
            inside = (
                first[first["figure"] == f"{role}, inside"].groupby("t")["ours"].mean().dropna()
            )
            held = mean_of(shown, f"{role}, held by hubs", k=k)
            if len(inside) > 1:
                said.append(
                    f"By hubness (k = {k}), {100 * inside.min():.0f} % to"
                    f" {100 * inside.max():.0f} % of the {role} samples are inside a ball of the"
                    " other set, where the poster finds similar ratios"
                )
            if held == held:
                said.append(
                    f"Of all {role} samples inside a ball, {100 * held:.0f} % are inside one of a"
                    " hub"
                )
        return ". ".join(said) + "."

    def _quick(self, size: Size) -> str:
        return f"{super()._quick(size)}, without d = 2,048, k = 3 and √n, four of the thresholds"
