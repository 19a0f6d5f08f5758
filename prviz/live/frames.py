"""The frames: every curve and number at every stop of a slider, so that the browser follows it
without asking.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from prviz.curves import PRCurve
from prviz.curves.summaries import NO_AREA, Column, numbers, table_columns, with_area_at_most
from prviz.estimators import ESTIMATORS
from prviz.live import results
from prviz.live.message import as_text
from prviz.live.problems import Problem
from prviz.measure.estimates import Progress

# Decimals of the numbers sent to the browser: far finer than a pixel and than the table's three
# decimals.
DIGITS = 9
# Share of the time for a profile that its curves take; the numbers of the frames take the rest.
PROFILE_SHARE = 0.6


@dataclass(frozen=True, eq=False)
class Frames:
    """The frames as Python reads them, and as text for the browser."""

    content: Mapping[str, Any]

    @cached_property
    def text(self) -> bytes:
        """Strict JSON."""
        return as_text(self.content)

    @property
    def nbytes(self) -> int:
        """A rough size: each number is an object and several bytes of text."""
        return 5 * len(self.text)


def profile_id(problem: Problem) -> str:
    """An id of all settings that decide the frames: everything but k, the bandwidth and lam."""
    settings = problem.settings
    decisive = (
        problem.key,
        settings.methods,
        settings.split,
        problem.repeats,
        problem.stops,
        settings.approximate,
    )
    return hashlib.sha256(repr((decisive, settings.b, settings.eps)).encode()).hexdigest()[:16]


def make_profile(problem: Problem, progress: Progress) -> results.Profiles:
    """`results.make_profile`, with its frames; for any thread."""
    profile = results.make_profile(problem, results.part_of(progress, 0, PROFILE_SHARE, 1))
    found = Frames(frames(profile, problem, lambda: progress(PROFILE_SHARE)))
    found.text  # noqa: B018 - made here, not while a page is drawn
    profile.frames[profile_id(problem)] = found
    return profile


def frames(
    profile: results.Profiles, problem: Problem, tick: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """Vertices (fpr, fnr, fpr, fnr, ...) and the table's numbers of every curve, by control, method
    and stop.

    A method that no slider moves is in neither table. `tick` is called before each curve; it may
    raise to stop.
    """
    ks, units = problem.stops
    tuned = [name for name in problem.tuned if ESTIMATORS[name].tunes == "bandwidth"]

    def table(
        stops: Sequence[float], names: Iterable[str], curve: Callable[[str, float], PRCurve]
    ) -> dict[str, Any]:
        curves: dict[str, list[list[float]]] = {}
        rows: dict[str, list[list[float]]] = {}
        for name in names:
            curves[name] = []
            rows[name] = []
            for stop in stops:
                tick()
                found = curve(name, stop)
                curves[name].append(flat(found))
                rows[name].append(row(found, problem))
        return {"stops": list(stops), "curves": curves, "rows": rows}

    return {
        "id": profile_id(problem),
        "columns": [column.key for column in columns(problem)],
        "k": table(ks, problem.tuned, lambda name, k: profile.curve(name, int(k))),
        "bandwidth": table(
            units, tuned, lambda name, u: profile.curve(name, bandwidth=u * profile.unit)
        ),
    }


def flat(curve: PRCurve) -> list[float]:
    """The vertices one after another, rounded to DIGITS."""
    vertices: list[float] = curve.vertices.round(DIGITS).ravel().tolist()
    return vertices


def comparable(problem: Problem) -> PRCurve | None:
    """The truth, where overlaps with it say something: not one without area."""
    truth = problem.truth
    return None if truth is None or truth.auc < NO_AREA else truth


def columns(problem: Problem) -> list[Column]:
    """The table's columns."""
    return table_columns(comparable(problem) is not None, problem.settings.b, problem.settings.eps)


def row(curve: PRCurve, problem: Problem, most: float | None = None) -> list[float]:
    """The table's numbers of one curve, rounded to DIGITS. most : what its area does not exceed, if
    that is known.
    """
    found = numbers(curve, comparable(problem), problem.settings.b, problem.settings.eps)
    found = with_area_at_most(found, most)
    return [round(value, DIGITS) for value in found.values()]


def column(frames: Mapping[str, Any], control: str, name: str, key: str = "") -> list[float]:
    """One number of one method at every stop; by default the first that sums a curve up: the IoU,
    else the area.
    """
    index = frames["columns"].index(key) if key else 0
    return [row[index] for row in frames[control]["rows"][name]]


def known_frames(problem: Problem) -> Frames | None:
    """The frames of this problem, or None while its profile is not there yet."""
    profile = results.profile(problem)
    if profile is None:
        return None
    held: Frames | None = profile.frames.get(profile_id(problem))
    if held is None:  # the same curves with other numbers
        key = ("frames", profile_id(problem))
        held = problem.stores.results.remembered(key, lambda: Frames(frames(profile, problem)))
    return held
