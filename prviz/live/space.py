"""The Space panel: a scatter plot of the samples, coloured by role, by the ratio of a family's
supports ("Belief"), or by the family's decision at lam.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prviz import figures
from prviz.curves.summaries import TRUTH
from prviz.diagnostics.confusion_groups import GROUPS, OptimalClassifiers
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.live import results, snapshots
from prviz.live.evaluated import Evaluated, hover_words
from prviz.live.figure import Following, Pane
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.live.view import position
from prviz.measure.estimates import of_evaluation
from prviz.neighbors import nearest_rows
from prviz.neighbors.threads import Progress
from prviz.toys.painted import Painted

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The possible meanings of the samples' colours.
COLOURS = ("Role", "Belief", "Decision")
EXTREMES = 20
NEAREST = 3
MOST_PICKED = 100
# For estimates of time: seconds to compute one distance, per feature, and seconds to read one value
# of the samples.
DISTANCE_SECONDS = 2e-10
VALUE_SECONDS = 1e-8
# Heights in pixels: of a figure beside the curve; of the four buttons for the groups of a decision;
# of the lines of text that are added if no truth is known; of the scatter plot enlarged over the
# page.
HEIGHT = 300
BUTTONS_HEIGHT = 68
LINES_HEIGHT = 62
ENLARGED_HEIGHT = 560
HELPS = {
    "Role": (
        "Real samples (circles) and generated ones (triangles): those on which the classifiers are"
        " judged."
    ),
    "Belief": (
        "The supports c_X and c_Y of a sample say how much real and generated data speak for it,"
        " as counted by {title}. Colour: c_Y / c_X."
    ),
    "Decision": (
        "A point of a curve is the best classifier where calling a real sample generated costs λ"
        " times as much as calling a generated one real. It calls real what has a small {key}. Real"
        " missed (a share fpr) and generated accepted (a share fnr) make the curve: precision α = λ"
        " fpr + fnr, recall β = α / λ."
    ),
}
CLICK = (
    "A click on a curve sets λ and the family. A box or a lasso (buttons at the top right;"
    " Shift adds) selects."
)


@dataclass(frozen=True, eq=False)
class SampleSpace:
    """The scatter plot, and the data from which its samples are regrouped. classifiers : None if
    the colours are roles.

    places : indices of the samples that the family has evaluated, among all evaluation samples.
    explorer : content for the browser, without the details of single samples. lists : for each
    group, the places of its most extreme samples.
    """

    pane: Pane
    follow: Following | None
    explorer: dict[str, Any]
    places: Any
    classifiers: OptimalClassifiers | None
    lists: Mapping[str, list[int]]

    def picked(self, sent: Mapping[str, Any]) -> list[int]:
        """The places of the samples that the user has selected in the browser; ignored if the
        selection belongs to other samples.
        """
        chosen = []
        if sent.get("of") == self.explorer["of"]:
            chosen = sent.get("picked", [])
        known = set(self.places.tolist())
        return sorted({int(place) for place in chosen if place in known})

    def wanted(self, picked: Sequence[int]) -> list[int]:
        """The places of all samples that the table can list."""
        return sorted({*picked[:MOST_PICKED]}.union(*self.lists.values()))

    def filled(
        self, shown: Evaluated, picked: Sequence[int], near: Mapping[int, list[str]]
    ) -> dict[str, Any]:
        """The content for the browser, with the details of single samples. near : by place, the
        nearest samples of the other set, as text.
        """
        rows = _rows(shown, self.wanted(picked), self.places, self.classifiers, near)
        return self.explorer | {
            "lists": {group: [rows[place] for place in each] for group, each in self.lists.items()},
            "picked": [rows[place] for place in picked[:MOST_PICKED]],
            "selected": list(picked),
        }


def space(
    problem: Problem,
    found: results.Results,
    shown: Evaluated,
    name: str,
    colour: str,
    *,
    enlarged: bool = False,
    canvas: Mapping[str, Any] | None = None,
) -> SampleSpace:
    """Draw the samples of a problem. name : a family, the truth, or "" for the roles. canvas : as
    in `Pane`.
    """
    view = _View(problem, found, shown, name, colour, enlarged)
    places, classifiers = _classifiers(view)
    lists: dict[str, list[int]] = {}
    if classifiers is not None and colour == "Decision":
        lists = {group: places[rows].tolist() for group, rows in _lists(classifiers).items()}
    pane = Pane(
        f"samples-{colour.lower()}",
        _figure(view, places, classifiers),
        follow="groups" if colour == "Decision" else "",
        wide=True,
        compact=not enlarged,
        select=True,
        pictures=shown.pictures,
        help=_help(view),
        canvas=canvas,
    )
    follow = None  # Roles do not depend on the sliders.
    if colour != "Role":
        follow = Following({}, snapshots.profile_id(problem), position(problem))
    explorer = _explorer(view, places, classifiers)
    explorer["listed"] = "rejected" if enlarged else ""
    return SampleSpace(pane, follow, explorer, places, classifiers, lists)


@dataclass(frozen=True, eq=False)
class _View:
    """The samples that are shown, and the meaning of their colours; the fields are arguments of
    `space`.
    """

    problem: Problem
    found: results.Results
    shown: Evaluated
    name: str
    colour: str
    enlarged: bool

    @property
    def key(self) -> tuple[Any, ...]:
        """Key of the classifiers in the store of results, from all settings that they depend on.
        Roles and the classifiers of the truth don't depend on estimates.
        """
        settings = self.problem.settings
        if self.name in ("", TRUTH):
            return ("groups", self.problem.key, settings.split, settings.approximate, self.name)
        return ("groups", results.key(self.problem), self.name)


def is_painted(problem: Problem) -> bool:
    """True if the samples are drawn in the unit square whose cells the user paints (a painted toy
    with d = 2).
    """
    return isinstance(problem.toy, Painted) and problem.toy.d == 2


def _titles(name: str) -> tuple[str, str]:
    """Title of the family of classifiers, and the ratio by which they decide; "" for roles."""
    if name == TRUTH:
        return "Truth (likelihood ratio)", "q / p"
    if name:
        return (ESTIMATORS[name].title, "c_Y / c_X")
    return ("", "")


def _help(view: _View) -> str:
    """The help text of the scatter plot: what the colours mean, and what the axes are."""
    title, key = _titles(view.name)
    axes = view.shown.axes
    helps = [HELPS[view.colour].format(title=title, key=key)]
    if len(axes) == 2 and view.problem.sizes[2] > 2:
        helps.append(f"Drawn along {' and '.join(axes)}.")
    helps += [*_notes(view), CLICK, hover_words(view.shown.pictures)]
    return " ".join(filter(None, helps))


def _notes(view: _View) -> list[str]:
    """Sentences for the help text, if the classifiers are the truth's or the curve is a mean."""
    if view.name == TRUTH:
        return [
            "The truth's classifier is the best for the two distributions; the rates here are its"
            " rates on these samples."
        ]
    if not view.name:
        return []
    repeated = view.problem.repeats > 1
    runs = len(view.found.estimates[view.name].runs) > 1
    which = " and ".join(["first repeat"] * repeated + ["first run"] * runs)
    if which:
        return [f"The curve is a mean; these samples are those of its {which}."]
    return []


# ---- classifiers and figures ----


def _classifiers(view: _View) -> tuple[Any, OptimalClassifiers | None]:
    """The places of the samples that the family has evaluated, and the family's classifiers on
    them; for roles, all places and None.
    """
    split = view.shown.split
    n_real, n_generated = view.shown.sizes
    places = np.arange(n_real + n_generated)
    if not view.name:
        return places, None
    toy = view.problem.toy

    def make() -> OptimalClassifiers:
        if view.name != TRUTH or toy is None:
            supports = of_evaluation(view.found.estimates[view.name], split)
            return OptimalClassifiers.from_supports(supports)
        ratios = np.concatenate([toy.log_ratio(side) for side in split.evaluate])
        return OptimalClassifiers.from_log_ratio(ratios, n_real)

    # The evaluation samples of an approximate measurement are all shown, so all places stay.
    if view.name != TRUTH and not view.found.approximation:
        measured = view.found.estimates[view.name].supports.rows
        if measured is not None:
            places = measured
    return places, view.problem.stores.results.remembered(view.key, make)


def _lists(classifiers: OptimalClassifiers) -> dict[str, Any]:
    """The most extreme samples of each confusion group, at the lam at which the group is largest;
    their order is the same at every lam.
    """
    ends = {"kept": np.inf, "missed": 0.0, "accepted": np.inf, "rejected": 0.0}
    return {group: classifiers.most_extreme(group, lam, EXTREMES) for group, lam in ends.items()}


def _explorer(view: _View, places: Any, classifiers: OptimalClassifiers | None) -> dict[str, Any]:
    """The data with which the browser regroups the samples when lam changes. `of` identifies the
    samples, `id` the classifiers on them.

    ids: the places of the samples, None if they are 0, 1, 2, ... Roles are sent as a single
    classifier that calls every sample real.
    """
    name = view.name
    sizes = view.shown.sizes
    title, key = _titles(name)
    explorer = {
        "of": samples_id(view.problem),
        "id": _name(view.key),
        "sizes": list(sizes),
        "ids": None if len(places) == sum(sizes) else places.tolist(),
        "tunes": ESTIMATORS[name].tunes if name in ESTIMATORS else None,
        "looks": {group: look._asdict() for group, look in figures.GROUP_LOOKS.items()},
        "title": title,
        "key": key,
    }
    if classifiers is None:
        one = {"missed": [0], "accepted": [sizes[1]], "needed": [0], "unsupported": [True]}
        return {
            **explorer,
            **one,
            "breaks": [],
            "levels": None,
            "labels": {"kept": "real", "accepted": "generated"},
        }
    missed, accepted = classifiers.counts
    return explorer | {
        "sizes": [classifiers.n_real, classifiers.n_generated],
        "breaks": classifiers.breakpoints.tolist(),
        "missed": missed.tolist(),
        "accepted": accepted.tolist(),
        "levels": classifiers.levels.tolist(),
        "needed": classifiers.needed.tolist(),
        "unsupported": classifiers.unsupported.tolist(),
        "labels": GROUPS,
    }


def samples_id(problem: Problem) -> str:
    """Id of the samples that the panel shows; when it changes, the user's selection ends."""
    return _name((problem.key, problem.settings.split, problem.settings.approximate))


def _name(key: Any) -> str:
    return hashlib.sha256(repr(key).encode()).hexdigest()[:12]


def _figure(view: _View, places: Any, classifiers: OptimalClassifiers | None) -> go.Figure:
    """The scatter plot of the samples. The browser regroups the samples of a decision, so one
    figure serves every lam.
    """
    problem = view.problem
    lower = LINES_HEIGHT * (problem.truth is None)

    def make() -> go.Figure:
        if classifiers is None:
            figure = _roles_figure(view.shown)
        else:
            notes = [view.shown.notes[place] for place in places]
            points = view.shown.points[places]
            samples = figures.SamplePoints(points, view.shown.axes, notes, places)
            if view.colour == "Belief":
                figure = _belief_figure(view, samples)
            else:
                figure = _decision_figure(view, samples, classifiers)
        _lay_out(figure, view, lower)
        if view.colour == "Role" and is_painted(problem):
            figure.update_xaxes(range=(0, 1)).update_yaxes(range=(0, 1))
        # Equal scales, because distances count the same in every direction.
        elif len(view.shown.axes) > 1:
            figure.update_yaxes(scaleanchor="x", constrain="range")
        return figure

    key = ("figure", view.key, view.colour, view.enlarged, view.shown.looks)
    return problem.stores.results.remembered(key, make)


def _roles_figure(shown: Evaluated) -> go.Figure:
    """The scatter plot coloured by role. The row number of a sample identifies it across
    figures.
    """
    labelled = any("," in note for note in shown.notes)
    rows = zip(shown.numbers, shown.split.evaluate_rows, strict=True)
    return figures.roles_figure(
        figures.SamplePoints(shown.points, shown.axes, shown.notes if labelled else None),
        np.arange(sum(shown.sizes)) < shown.sizes[0],
        numbers=np.concatenate([numbers[own] for numbers, own in rows]),
    )


def _belief_figure(view: _View, samples: figures.SamplePoints) -> go.Figure:
    """The scatter plot coloured by c_Y / c_X, the ratio of the samples' supports."""
    c = of_evaluation(view.found.estimates[view.name], view.shown.split)
    return figures.samples_figure(
        samples,
        np.arange(len(samples.points)) < c.n_real,
        c_real=c.c_real,
        c_generated=c.c_generated,
        density=view.enlarged or samples.flat,
    )


def _decision_figure(
    view: _View, samples: figures.SamplePoints, classifiers: OptimalClassifiers
) -> go.Figure:
    """The scatter plot with the samples in their confusion groups at the chosen lam."""
    group = np.empty(len(samples.points), dtype=np.intp)
    for index, rows in enumerate(classifiers.groups(view.problem.settings.lam)):
        group[rows] = index
    title = _titles(view.name)[1].replace("_X", "<sub>X</sub>").replace("_Y", "<sub>Y</sub>")
    always = np.concatenate(list(_lists(classifiers).values()))
    return figures.groups_figure(
        samples, group, keys=classifiers.keys, key_title=title, always=always
    )


def _lay_out(figure: go.Figure, view: _View, lower: int) -> None:
    """Set the size of the scatter plot, and its legend; `lower` pixels are taken off the height
    beside the curve. A decision has no legend, as its buttons name the groups.
    """
    colour = view.colour
    flat = len(view.shown.axes) == 1
    figure.update_layout(showlegend=colour != "Decision" and (view.enlarged or not flat))
    if view.enlarged:
        figure.update_layout(height=ENLARGED_HEIGHT)
        return
    beside_curve(figure, below={"Belief": 44}.get(colour, 4) + 18 * flat, ticks=flat)
    if colour == "Role":  # The legend stands above the plot, where it is never hidden.
        figure.update_layout(margin_t=30, legend={"y": 1, "yanchor": "bottom"})
    figure.layout.height -= lower + BUTTONS_HEIGHT * (colour == "Decision")
    if colour == "Belief":
        bar = {
            "x": 0.92,
            "xanchor": "right",
            "y": -0.1 if flat else -0.01,
            "yanchor": "top",
            "len": 0.45,
            "thickness": 8,
        }
        words = {
            "title": {"text": ""},
            "tickfont": {"size": 11},
            "ticktext": ["looks real", "", "looks generated"],
        }
        figure.update_coloraxes(colorbar=bar | words)


def beside_curve(figure: go.Figure, *, below: int, ticks: bool = False) -> None:
    """Lay out a figure of samples for the narrow column beside the curve: a frame, no axis titles,
    `below` pixels for the legend.

    ticks : True for numbers on the horizontal axis.
    """
    frame = {
        "showgrid": False,
        "title": {"text": ""},
        "showline": True,
        "mirror": True,
        "ticks": "",
        "automargin": ticks,
    }
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 2, "r": 2, "t": 2, "b": below},
        xaxis={**frame, "showticklabels": ticks},
        yaxis={**frame, "showticklabels": False},
        legend={"y": -0.01, "font": {"size": 12}},
    )


# ---- selected samples ----


def _rows(
    shown: Evaluated,
    wanted: Sequence[int],
    places: Any,
    classifiers: OptimalClassifiers | None,
    near: Mapping[int, list[str]],
) -> dict[int, dict[str, Any]]:
    """The entries in the table of selected samples, by place, for the places in ``wanted``."""
    index = {place: number for number, place in enumerate(places.tolist())}
    rows = {}
    for place in wanted:
        key = ""
        level = 0
        if classifiers is not None:
            key = figures.key_text(float(classifiers.keys[index[place]]))
            level = int(classifiers.levels[index[place]])
        own = {"key": key, "level": level, "real": shown.side(place)[0] == 0}
        rows[place] = {
            **shown.details(place),
            **own,
            "near": near.get(place),
        }
    return rows


def near_need(
    problem: Problem, shown: Evaluated, wanted: Sequence[int]
) -> Need[Mapping[int, list[str]]]:
    """`Need` that finds, for each place, the nearest samples of the other set, as text."""
    pair = shown.split.pair
    key = ("near", problem.key, problem.settings.split, problem.settings.approximate, tuple(wanted))
    n = max(pair.real.n, pair.generated.n)
    seconds = n * pair.d * (len(wanted) * DISTANCE_SECONDS + 2 * VALUE_SECONDS)

    def measure(tick: Progress) -> Mapping[int, list[str]]:
        tick(0.0)
        return {place: words for role in (0, 1) for place, words in _nearest(shown, wanted, role)}

    return Need(key, measure, seconds, "The open part", problem.stores.results)


def _nearest(shown: Evaluated, wanted: Sequence[int], role: int) -> list[tuple[int, list[str]]]:
    """For the samples of one role: (place, the nearest samples of the other set as text)."""
    mine = [place for place in wanted if shown.side(place)[0] == role]
    if not mine:
        return []
    sides = (shown.split.pair.real.values, shown.split.pair.generated.values)
    rows = np.array([shown.pair_row(place)[1] for place in mine])
    found, distances = nearest_rows(sides[role], rows, NEAREST, sides[1 - role])
    return [
        (
            place,
            [
                f"{shown.number(1 - role, row)} ({number(far)})"
                for row, far in zip(near, reach, strict=True)
            ],
        )
        for place, near, reach in zip(mine, found.tolist(), distances.tolist(), strict=True)
    ]
