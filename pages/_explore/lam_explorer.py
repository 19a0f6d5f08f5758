"""The lambda explorer: how the classifier that is optimal at lam decides on every sample."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from pages._explore import frames
from pages._explore.live_view import position
from pages._explore.session import LAM_METHOD, explore_session
from pages._live.figure import FIGURE, Pane, live_figure, moved
from pages._shared import answers, cache, media, results, sample_display
from pages._shared.sample_display import Evaluated
from pages._shared.sources import Problem
from prviz import figures
from prviz.curves.summaries import TRUTH
from prviz.diagnostics.confusion_groups import GROUPS, OptimalClassifiers
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.neighbors import nearest_rows
from prviz.reports import export
from prviz.reports.settings import ExploreSettings

KEY = "samples"
EXTREMES, NEAREST, MOST_PICKED = 20, 3, 100
# Seconds for one feature of one distance, and to read one value for it.
DISTANCE_SECONDS, VALUE_SECONDS = 2e-10, 1e-8
COLOURINGS = {"groups": "the four groups at λ", "votes": "how each sample votes"}
TRUTH_TITLE = "Truth (likelihood ratio)"

WORDS = """
Every point of a curve is a classifier: the best one where calling a real sample generated costs **λ** times as much as
calling a generated one real. It calls real what has a small **{key}**, up to a cut that falls with λ:

- **Real missed** are the real samples that it calls generated, a share fpr of all: the generator makes their like, so
  they count for recall, β = fpr + fnr / λ. What recall lacks are the real samples **kept**, which it hardly makes.
- **Generated rejected** are the generated samples that it calls generated, a share 1 − fnr: hardly anything real is
  like them, so they cost precision. Those **accepted** could be real and count for it, α = λ fpr + fnr.
"""
CLICK = (
    "Move λ in the figure above, or click a point of a curve there to take its λ and its estimator. Draw a box or a "
    "lasso in the figure below (its buttons appear at the top right; Shift adds), or tick rows of the table."
)


def draw(problem: Problem, settings: ExploreSettings, found: results.Results) -> None:
    """Draw the tab."""
    name = _method(problem, settings)
    shown = sample_display.evaluated(problem, settings, found)
    places, classifiers = _classifiers(problem, settings, found, shown, name)
    st.markdown(WORDS.format(key="q / p" if name == TRUTH else "c_Y / c_X"))
    st.caption(f"{_about(name, settings, problem, found)} {CLICK}")
    votes = name != TRUTH and _coloured() == "votes"
    explorer = _explorer(problem, settings, found, shown, name)
    pane = _votes(settings, found, shown, name, places) if votes else _groups(problem, settings, found, shown, name)
    picked = _picked(explorer["of"], places)
    lists = {group: places[each].tolist() for group, each in _lists(classifiers).items()}
    wanted = sorted({*(place for each in lists.values() for place in each), *picked[:MOST_PICKED]})
    near = _near(problem, settings, shown, wanted)
    rows = _rows(shown, places, classifiers, wanted)
    entries = {place: {**row, "near": near.get(place)} for place, row in rows.items()}
    explorer["lists"] = {group: [entries[place] for place in each] for group, each in lists.items()}
    explorer["picked"] = [entries[place] for place in picked[:MOST_PICKED]]
    explorer["selected"] = picked
    live_figure(
        KEY,
        [pane],
        frames=frames.profile_id(problem, settings),
        shown=position(problem, settings),
        explorer=explorer,
    )
    _downloads(settings, shown, places, classifiers, name)


def _rows(
    shown: Evaluated, places: Any, classifiers: OptimalClassifiers, wanted: Sequence[int]
) -> dict[int, dict[str, Any]]:
    """The table's entries for some samples, by place, without their neighbours."""
    at = {int(place): index for index, place in enumerate(places)}
    found = {}
    for place in wanted:
        index = at[place]
        key, level = figures.key_text(float(classifiers.keys[index])), int(classifiers.levels[index])
        decided = {"key": key, "level": level, "real": index < classifiers.n_real}
        found[place] = {**sample_display.details(shown, place), **decided}
    return found


def _about(name: str, settings: ExploreSettings, problem: Problem, found: results.Results) -> str:
    """Describe the classifiers of this family at these settings."""
    if name == TRUTH:
        return (
            "The truth's classifier calls real where the density ratio q / p of generated to real is below λ. It is "
            "the best for the two distributions; the rates here are those it has on these samples."
        )
    repeated = results.repeats(problem, settings) > 1
    runs = len(found.estimates[name].runs) > 1
    which = " and ".join(["first repeat"] * repeated + ["first run"] * runs)
    first = f" The curve above is a mean; the groups are those of its {which}." if which else ""
    return f"c_X and c_Y are the supports of a sample: how much real and generated data speaks for it.{first}"


def _method(problem: Problem, settings: ExploreSettings) -> str:
    """The family chosen here, or by a click on its curve in the main figure: the later one counts."""
    titles, values, key = {name: ESTIMATORS[name].title for name in settings.methods}, moved(FIGURE), LAM_METHOD
    if problem.toy is not None:
        titles[TRUTH] = TRUTH_TITLE
    clicked, held = values.get("chosen"), explore_session()
    if clicked in titles and values.get("turn") != held.chosen_turn:
        held.chosen_turn = values.get("turn")
        held.method = st.session_state[key] = clicked
    if st.session_state.get(key) not in titles:  # the family may have another parameter now
        family = str(held.method).partition(":")[0]
        alike = [name for name in titles if name.partition(":")[0] == family]
        st.session_state[key] = [*alike, settings.methods[0]][0]
    st.segmented_control("Classifier of", list(titles), format_func=titles.__getitem__, required=True, key=key)
    name = st.session_state[key]
    held.method = name if name in titles else settings.methods[0]
    return held.method


def _coloured() -> str:
    chosen = st.segmented_control(
        "Coloured by",
        list(COLOURINGS),
        format_func=COLOURINGS.__getitem__,
        required=True,
        default="groups",
        key="coloured-by",
    )
    return chosen or "groups"


def _key(problem: Problem, settings: ExploreSettings, name: str) -> tuple[Any, ...]:
    """All settings that decide a family's classifiers; the truth's depend on no estimate."""
    if name == TRUTH:
        return ("groups", problem.key, settings.split, settings.approximate, name)
    return ("groups", results.key(problem, settings), name)


def _classifiers(
    problem: Problem, settings: ExploreSettings, found: results.Results, shown: Evaluated, name: str
) -> tuple[Any, OptimalClassifiers]:
    """The samples that the family has measured, and its classifiers on them."""
    key = _key(problem, settings, name)
    if name == TRUTH and problem.toy is not None:
        toy, n_real = problem.toy, shown.sizes[0]
        made: Callable[[], OptimalClassifiers] = lambda: OptimalClassifiers.from_log_ratio(  # noqa: E731
            np.concatenate([toy.log_ratio(side) for side in shown.split.evaluate]), n_real
        )
        return np.arange(sum(shown.sizes)), cache.remembered(key, made)
    supports = found.estimates[name].supports
    classifiers = cache.remembered(key, lambda: OptimalClassifiers.from_supports(supports))
    return sample_display.places_of(supports, found, shown), classifiers


def _lists(classifiers: OptimalClassifiers) -> dict[str, Any]:
    """The most extreme samples of each group at the lam where it is largest; their order is the same at every lam."""
    ends = {"kept": np.inf, "missed": 0.0, "accepted": np.inf, "rejected": 0.0}
    return {group: classifiers.most_extreme(group, lam, EXTREMES) for group, lam in ends.items()}


def _explorer(
    problem: Problem, settings: ExploreSettings, found: results.Results, shown: Evaluated, name: str
) -> dict[str, Any]:
    """Data from which the browser regroups the samples; `of` names the samples, `id` the classifiers on them."""
    places, classifiers = _classifiers(problem, settings, found, shown, name)
    missed, accepted = classifiers.counts
    whose = (problem.key, settings.split, settings.approximate)
    return {
        "of": _name(whose),
        "id": _name(_key(problem, settings, name)),
        "sizes": [classifiers.n_real, classifiers.n_generated],
        "breaks": classifiers.breakpoints.tolist(),
        "missed": missed.tolist(),
        "accepted": accepted.tolist(),
        "ids": places.tolist(),
        "levels": classifiers.levels.tolist(),
        "needed": classifiers.needed.tolist(),
        "unsupported": classifiers.unsupported.tolist(),
        "tunes": None if name == TRUTH else ESTIMATORS[name].tunes,
        "labels": GROUPS,
        "looks": {group: look._asdict() for group, look in figures.GROUP_LOOKS.items()},
        "title": TRUTH_TITLE if name == TRUTH else ESTIMATORS[name].title,
        "key": "q / p" if name == TRUTH else "c_Y / c_X",
    }


def _name(key: Any) -> str:
    return hashlib.sha256(repr(key).encode()).hexdigest()[:12]


def _groups(problem: Problem, settings: ExploreSettings, found: results.Results, shown: Evaluated, name: str) -> Pane:
    """The samples in their groups. The browser regroups them at its own lam, so that one drawing serves every lam."""
    places, classifiers = _classifiers(problem, settings, found, shown, name)
    key = "q / p" if name == TRUTH else "c<sub>Y</sub> / c<sub>X</sub>"

    def make() -> Any:
        group = np.empty(len(places), dtype=np.intp)
        for index, each in enumerate(classifiers.groups(settings.lam)):
            group[each] = index
        return figures.groups_figure(
            shown.points[places],
            group,
            keys=classifiers.keys,
            key_title=key,
            ids=places,
            axis_titles=shown.axes,
            notes=[shown.notes[place] for place in places],
            always=np.concatenate(list(_lists(classifiers).values())),
        )

    figure = cache.remembered(("figure", _key(problem, settings, name)), make)
    return _pane("samples", figure, shown, follow="groups")


def _votes(settings: ExploreSettings, found: results.Results, shown: Evaluated, name: str, places: Any) -> Pane:
    """The samples by the ratio of their supports."""
    supports = found.estimates[name].supports
    figure = figures.samples_figure(
        shown.points[places],
        np.arange(len(places)) < supports.n_real,
        c_real=supports.c_real,
        c_generated=supports.c_generated,
        axis_titles=shown.axes,
        notes=[shown.notes[place] for place in places],
        ids=places,
    )
    return _pane("samples-votes", figure, shown)


def _pane(name: str, figure: Any, shown: Evaluated, follow: str = "") -> Pane:
    caption = media.hover_words(shown.pictures)
    return Pane(name, figure, caption=caption, follow=follow, wide=True, select=True, pictures=shown.pictures)


def _picked(of: str, places: Any) -> list[int]:
    """The samples the user has selected, as far as they are of this problem and split and measured by the family."""
    values = moved(KEY)
    if values:
        explore_session().picked = values
    kept = explore_session().picked
    chosen = kept.get("picked", []) if kept.get("of") == of else []
    known = set(places.tolist())
    return sorted({int(place) for place in chosen if place in known})


def _near(problem: Problem, settings: ExploreSettings, shown: Evaluated, wanted: Sequence[int]) -> dict[int, list[str]]:
    """The nearest samples of the other set, as text, by place; empty while they are being measured."""
    pair = shown.split.pair
    key = ("near", problem.key, settings.split, settings.approximate, tuple(wanted))
    n, d = max(pair.real.n, pair.generated.n), pair.d
    seconds = n * d * (len(wanted) * DISTANCE_SECONDS + 2 * VALUE_SECONDS)

    def measure(tick: Callable[[float], None]) -> dict[int, list[str]]:
        tick(0.0)
        return {place: words for role in (0, 1) for place, words in _nearest(shown, wanted, role)}

    return answers.tab_result(key, seconds, measure) or {}


def _nearest(shown: Evaluated, wanted: Sequence[int], role: int) -> list[tuple[int, list[str]]]:
    """(place, its nearest samples of the other set as text) of the samples of one role."""
    mine = [place for place in wanted if shown.side(place)[0] == role]
    if not mine:
        return []
    sides = (shown.split.pair.real.values, shown.split.pair.generated.values)
    rows = np.array([shown.pair_row(place)[1] for place in mine])
    found, distances = nearest_rows(sides[role], rows, NEAREST, sides[1 - role])
    return [
        (place, [f"{shown.number(1 - role, row)} ({number(far)})" for row, far in zip(near, reach, strict=True)])
        for place, near, reach in zip(mine, found.tolist(), distances.tolist(), strict=True)
    ]


def _downloads(
    settings: ExploreSettings, shown: Evaluated, places: Any, classifiers: OptimalClassifiers, name: str
) -> None:
    """A download button per group; its file is written when the user clicks."""
    with st.container(horizontal=True):
        for group, label in GROUPS.items():
            st.download_button(
                f"{label.capitalize()} as CSV",
                partial(group_file, settings, shown, places, classifiers, name, group),
                f"prviz-{label.replace(' ', '-')}.csv",
                "text/csv",
                on_click="ignore",
                key=f"csv-{group}",
            )
    st.caption(f"All rows of a group at λ = {number(settings.lam)}, with their labels and keys.")


def group_file(
    settings: ExploreSettings, shown: Evaluated, places: Any, classifiers: OptimalClassifiers, name: str, group: str
) -> str:
    """One group at the λ of the settings as CSV."""
    chosen = getattr(classifiers.groups(settings.lam), group)
    role = list(GROUPS).index(group) // 2
    rows = [shown.pair_row(int(place))[1] for place in places[chosen]]
    samples = (shown.split.pair.real, shown.split.pair.generated)[role]
    keys, numbers = classifiers.keys[chosen], shown.numbers[role]
    return export.group_csv(samples, rows, keys, numbers=numbers, group=GROUPS[group], lam=settings.lam, method=name)
