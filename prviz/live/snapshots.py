"""Curves at other settings than those on screen: frames for every stop of the sliders, the frames
of a film, and states that the user has pinned.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from prviz.curves import NamedCurves, PRCurve
from prviz.curves.limits import LIMITS, limit_seconds
from prviz.curves.summaries import NO_AREA, Column, numbers, table_columns, with_area_at_most
from prviz.estimators import ESTIMATORS
from prviz.figures import film
from prviz.figures.theme import colors
from prviz.live import bounds, results
from prviz.live.modules import as_text
from prviz.live.need import Need
from prviz.live.problems import Problem, allowed, problem_of
from prviz.live.state import percent, specs
from prviz.measure.estimates import Progress
from prviz.neighbors.threads import part_of
from prviz.reports.settings import N_LIMITS, PARAMETER_PREFIX, SEED_LIMITS, ExploreSettings

# Decimals of the numbers that are sent to the browser: far finer than a pixel, and than the three
# decimals of the table.
DIGITS = 9
# Share of the time for making a profile that its curves take; the rest is for the numbers in the
# frames.
PROFILE_SHARE = 0.6


@dataclass(frozen=True, eq=False)
class Frames:
    """The curves and their numbers at every stop of the sliders, as an object and as text for the
    browser.
    """

    content: Mapping[str, Any]

    @cached_property
    def text(self) -> bytes:
        """The content as strict JSON."""
        return as_text(self.content)

    @property
    def nbytes(self) -> int:
        """Approximate bytes: in the object, numbers take several times as many bytes as in the
        text.
        """
        return 5 * len(self.text)


def profile_id(problem: Problem) -> str:
    """Id of the frames, from all settings that they depend on: all but k, the bandwidth and lam."""
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
    """Measure a profile, as `results.make_profile` does, and make its frames; may run in any
    thread.
    """
    profile = results.make_profile(problem, part_of(progress, 0, 1, PROFILE_SHARE))
    found = Frames(frames(profile, problem, lambda: progress(PROFILE_SHARE)))
    found.text  # noqa: B018 - computed now, not later while a page is drawn
    profile.frames[profile_id(problem)] = found
    return profile


def frames(
    profile: results.Profiles, problem: Problem, tick: Callable[[], None] = lambda: None
) -> dict[str, Any]:
    """For each of the sliders k and bandwidth, the vertices (fpr, fnr, fpr, fnr, ...) and the
    table's numbers of every curve at every stop.

    A method that depends on neither slider is left out. `tick` is called before each curve and may
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
    """The vertices (fpr, fnr, fpr, fnr, ...) of a curve in one list, rounded to DIGITS."""
    return curve.vertices.round(DIGITS).ravel().tolist()


def comparable(problem: Problem) -> PRCurve | None:
    """The truth, if IoU with it is meaningful; None if it is not known or has nearly no area."""
    truth = problem.truth
    if truth is None or truth.auc < NO_AREA:
        return None
    return truth


def columns(problem: Problem) -> list[Column]:
    """The columns of the table of numbers."""
    return table_columns(comparable(problem) is not None, problem.settings.b, problem.settings.eps)


def row(curve: PRCurve, problem: Problem, most: float | None = None) -> list[float]:
    """The numbers of one curve for the table, rounded to DIGITS. most : upper bound on the area of
    the curve, if there is one.
    """
    found = numbers(curve, comparable(problem), problem.settings.b, problem.settings.eps)
    found = with_area_at_most(found, most)
    return [round(value, DIGITS) for value in found.values()]


def column(frames: Mapping[str, Any], control: str, name: str, key: str = "") -> list[float]:
    """One number of a method at every stop of a slider. By default it is the first number of the
    table: IoU if the truth is known, otherwise area.
    """
    index = frames["columns"].index(key) if key else 0
    return [row[index] for row in frames[control]["rows"][name]]


def known_frames(problem: Problem) -> Frames | None:
    """The frames of this problem; None as long as its profile is not measured."""
    profile = results.profile(problem)
    if profile is None:
        return None
    held: Frames | None = profile.frames.get(profile_id(problem))
    if held is None:  # the curves are known, but not their numbers: b or eps has changed
        key = ("frames", profile_id(problem))
        held = problem.stores.results.remembered(key, lambda: Frames(frames(profile, problem)))
    return held


# The quantity that may change during a film: samples per set, k at every stop of its slider, or the
# seed.
FILMS = ("n", "k", "seed")
# SIZES: samples per set in the frames of a film over n, each about 1.5 times the one before. DRAWS:
# most frames of a film over seeds.
SIZES = (50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600, 2400, 3200, 4800, 6400)
DRAWS = 20
# Most estimated seconds of one frame, and of a whole film; a film that would take longer has fewer
# frames.
FRAME_SECONDS = 3.0
FILM_SECONDS = 30.0
KIND = "snapshot"  # Kind of the messages that send snapshots.


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Curves and their numbers at one choice of settings. text : both, as they are sent to the
    browser.
    """

    curves: NamedCurves
    text: bytes

    @property
    def nbytes(self) -> int:
        """Bytes of the text and of the curves' vertices."""
        return len(self.text) + sum(curve.vertices.nbytes for curve in self.curves.values())


@dataclass(frozen=True)
class Stop:
    """One frame of a film: the value of n or of the seed, and the problem to measure. An infinite n
    stands for the families' limits for ever more samples.
    """

    value: float
    problem: Problem

    @property
    def key(self) -> tuple[Any, ...]:
        """The key of this frame's snapshot in its store."""
        return key(self.problem, limit=math.isinf(self.value))


def key(problem: Problem, *, limit: bool = False, believed: bool = False) -> tuple[Any, ...]:
    """The key of a snapshot in its store.

    limit : True for limits for ever more samples instead of measured curves. believed : True if the
    curve of the family `tightest` is included.
    """
    settings = problem.settings
    known = results.key(problem), problem.truth is None
    return (KIND, *known, settings.b, settings.eps, limit, believed)


def snapshot_id(problem: Problem, **parts: bool) -> str:
    """The id of a snapshot for the browser. parts : `limit` and `believed`, as in `key`."""
    return hashlib.sha256(repr(key(problem, **parts)).encode()).hexdigest()[:12]


def pin_id(problem: Problem) -> str:
    """The id of a pinned state for the browser. The snapshot of the state includes the curve of
    `tightest` once that is measured.
    """
    return snapshot_id(problem, believed=_is_believed(problem))


def _is_believed(problem: Problem) -> bool:
    return results.believed_estimate(problem) is not None


def need(
    problem: Problem, note: str, *, limit: bool = False, believed: bool = False
) -> Need[Snapshot]:
    """`Need` that measures a snapshot at the settings of the problem. limit, believed : as in
    `key`.
    """

    def compute(progress: Progress) -> Snapshot:
        if limit:
            return _of_limits(problem)
        found = results.known(problem) or results.measure(problem, progress)
        if believed:
            found = results.Answer(problem, found).drawn
        noise = results.noise(problem)
        few = bounds.too_few(problem)
        return _snapshot(problem, found.curves, noise, few, believed=believed)

    seconds = 0.0 if limit else results.seconds(problem)
    store = problem.stores.snapshots
    name = key(problem, limit=limit, believed=believed)
    return Need(name, compute, seconds, note, store, kind=KIND)


def _snapshot(
    problem: Problem,
    curves: NamedCurves,
    noise: float,
    few: Mapping[str, Any] | None,
    **parts: bool,
) -> Snapshot:
    color = colors(curves)
    content = {
        "id": snapshot_id(problem, **parts),
        "curves": [
            {
                "id": name,
                "name": ESTIMATORS[name].title,
                "color": color[name],
                "flat": flat(curve),
            }
            for name, curve in curves.items()
        ],
        "rows": {name: row(curve, problem) for name, curve in curves.items()},
        "truth": None if problem.truth is None else flat(problem.truth),
        "compared": comparable(problem) is not None,
        "noise": noise,
        "few": few,
        "limit": parts.get("limit", False),
        "words": words(problem),
    }
    return Snapshot(curves, as_text(content))


# ---- films ----


def films(problem: Problem) -> list[str]:
    """The quantities over which this problem can have a film; a film has at least two frames."""
    if problem.settings.approximate:
        return []
    return [
        over
        for over in FILMS
        if (over == "k" and _has_frames(problem)) or len(stops(problem, over)) > 1
    ]


def _has_frames(problem: Problem) -> bool:
    """True if a film over k is possible: its frames are those for the slider of k, which are
    measured anyway.
    """
    return bool(problem.tuned) and len(problem.stops[0]) > 1


def stops(problem: Problem, over: str) -> list[Stop]:
    """The frames of a film over n or over seeds, as many as can be measured within FILM_SECONDS;
    none for a film over k.
    """
    if over == "n":
        return _sizes(problem)
    if over == "seed":
        return _draws(problem)
    return []


def _sizes(problem: Problem) -> list[Stop]:
    whole = max(problem.having(n=N_LIMITS[1]).sizes[:2])
    largest = whole if problem.toy is None else SIZES[-1]
    sizes = sorted({*(n for n in SIZES if n < largest), largest})
    found = list[Stop]()
    seconds = 0.0
    for n in sizes:
        other = problem.having(n=n)
        if other.largest_k < max(1, other.k):
            continue  # So few samples do not allow this k.
        one = results.seconds(other)
        seconds += one
        if one > FRAME_SECONDS or seconds > FILM_SECONDS:
            break
        found.append(Stop(float(n), other))
    if found and _limited(problem):
        found.append(Stop(math.inf, problem.having(n=N_LIMITS[1], repeats=1, seed=SEED_LIMITS[0])))
    return found


def _limited(problem: Problem) -> list[str]:
    """The families whose limit for ever more samples is known at this k; none if k grows with n."""
    settings = problem.settings
    truth = problem.truth
    if problem.toy is None or truth is None or settings.split is None or settings.k == "sqrt":
        return []
    return [
        name
        for name in settings.methods
        if name in LIMITS and limit_seconds(truth, name, problem.k) <= FRAME_SECONDS
    ]


def _of_limits(problem: Problem) -> Snapshot:
    toy = problem.toy
    curves = {}
    if toy is not None:
        curves = {name: toy.limit(name, problem.k) for name in _limited(problem)}
    return _snapshot(problem, curves, 0.0, None, limit=True)


def _draws(problem: Problem) -> list[Stop]:
    first = problem.settings.seed
    if not (problem.redrawn or problem.settings.split is not None):
        return []
    count = min(DRAWS, int(FILM_SECONDS / max(results.seconds(problem.having(repeats=1)), 1e-3)))
    seeds = range(first, min(first + count, SEED_LIMITS[1] + 1))
    return [Stop(float(seed), problem.having(seed=seed, repeats=1)) for seed in seeds]


def film_needs(problem: Problem, over: str) -> list[Need[Snapshot]]:
    """One `Need` for each frame of a film, in the order of the frames."""
    return [
        need(stop.problem, "Measuring the film", limit=math.isinf(stop.value))
        for stop in stops(problem, over)
    ]


def film_content(problem: Problem, over: str) -> dict[str, Any]:
    """Description of a film, for the browser, before it is measured: for each frame its value (null
    for infinite n), its k, and the id of its snapshot.
    """
    listed = []
    for stop in stops(problem, over):
        limit = math.isinf(stop.value)
        value = None if limit else stop.value
        listed.append([value, stop.problem.k, snapshot_id(stop.problem, limit=limit)])
    return {"over": over, "stops": listed}


# ---- the film as a file ----


def gif_need(problem: Problem, over: str, hidden: Collection[str]) -> Need[Snapshot]:
    """`Need` that draws a film as an animated GIF. hidden : families that are left out."""
    listed = stops(problem, over)
    decisive = (
        results.profile_key(problem),
        problem.settings.k,
        problem.settings.bandwidth,
        over,
        tuple(sorted(hidden)),
    )

    def compute(progress: Progress) -> Snapshot:
        shown = [
            film.Frame(
                {name: curve for name, curve in curves.items() if name not in hidden}, label, limit
            )
            for curves, label, limit in _filmed(problem, over, listed)
        ]
        made = film.gif(
            shown,
            title=problem.title,
            subtitle=_still(problem, over),
            truth=problem.truth,
            accumulate=over == "seed",
            progress=progress,
        )
        name = f"prviz-{problem.settings.problem or 'upload'}-{over}.gif"
        return Snapshot({}, as_text({"file": name, "data": base64.b64encode(made).decode("ascii")}))

    return Need(
        ("gif", *decisive), compute, 3.0, "Drawing the film", problem.stores.snapshots, kind="gif"
    )


def _still(problem: Problem, over: str) -> str:
    """The settings as text, without the setting that changes during the film."""
    parts = problem.settings.line(problem.root_k).split(", ")
    moving = {"n": ("n =", "at most"), "k": ("k =",), "seed": ("seed",)}[over]
    return ", ".join(part for part in parts if not part.startswith(moving))


def _filmed(
    problem: Problem, over: str, listed: Sequence[Stop]
) -> Iterator[tuple[NamedCurves, str, bool]]:
    """The frames of a film that are measured so far: curves, name, and True if the curves are
    limits.
    """
    table = None
    if over == "k":
        table = results.profile(problem)
    if table is not None:
        for k in problem.stops[0]:
            at = results.known(problem.having(k=k))
            if at is not None:
                yield at.curves, f"k = {k}", False
    for stop in listed:
        held: Snapshot | None = problem.stores.snapshots.get(stop.key)
        if held is None:
            continue
        limit = math.isinf(stop.value)
        yield held.curves, f"{over} = {'∞' if limit else f'{stop.value:.0f}'}", limit


# ---- pinned states ----


def to_pin(problem: Problem) -> ExploreSettings:
    """The settings to store for a pinned state. For an upload, the digest of its samples takes the
    place of its name.
    """
    settings = replace(problem.settings, lam=1.0, show=())
    if problem.uploaded is not None:
        settings = replace(settings, problem=problem.uploaded.pair.digest)
    return settings


def pinned(problem: Problem, pins: Sequence[ExploreSettings]) -> list[Problem]:
    """The problems of pinned states, from their settings. A state of an upload is left out unless
    that upload is the current one.
    """
    found = []
    for settings in pins:
        uploaded = None
        if settings.source == "upload":
            uploaded = problem.uploaded
            if uploaded is None or uploaded.pair.digest != settings.problem:
                continue
            settings = replace(settings, problem="")
        found.append(allowed(problem_of(settings, uploaded, problem.stores)))
    return found


def pin_needs(pins: Sequence[Problem]) -> list[Need[Snapshot]]:
    """One `Need` for each pinned state."""
    return [need(each, "Measuring what is pinned", believed=_is_believed(each)) for each in pins]


def words(problem: Problem) -> dict[str, list[Any]]:
    """The settings, by the id of their control: name, number (or None), and value as text. The page
    compares states by these.
    """
    settings = problem.settings
    found: dict[str, list[Any]] = {"data": ["the data", None, problem.title]}
    for spec in specs(settings):
        value: Any = settings.parameters.get(spec.name, spec.default)
        number = None
        if not isinstance(value, tuple | list):
            number = value
        text = " ".join(f"{each:.3g}" for each in value) if number is None else f"{value:g}"
        found[PARAMETER_PREFIX + spec.name] = [spec.label, number, text]
    found["n"] = ["n", min(problem.sizes[:2]), f"{min(problem.sizes[:2]):,}"]
    if problem.tuned:
        found["k"] = ["k", problem.k, f"{problem.k:,}"]
    if problem.stops[1]:
        width = settings.bandwidth
        found["bandwidth"] = ["the bandwidth", width, "auto" if width is None else f"{width:g}"]
    share = settings.split
    found["split"] = [
        "the split",
        share and percent(share),
        "none" if share is None else f"{percent(share):g} %",
    ]
    found["repeats"] = ["the number of repeats", problem.repeats, str(problem.repeats)]
    found["seed"] = ["the seed", None, str(settings.seed)]
    found["swapped"] = ["the roles", None, "swapped" if settings.swapped else "as they were"]
    families = ", ".join(ESTIMATORS[name].title for name in settings.methods)
    found["methods"] = ["the choice of families", None, families]
    if settings.approximate:
        found["approximate"] = ["the neighbour search", None, "approximate"]
    return found
