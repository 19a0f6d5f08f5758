"""One scatter of the samples, coloured by role, by a family's belief or by its decision at lam."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from prviz import figures
from prviz.curves.summaries import TRUTH
from prviz.diagnostics.confusion_groups import GROUPS, OptimalClassifiers
from prviz.estimators import ESTIMATORS
from prviz.figures.theme import number
from prviz.live import frames, results
from prviz.live.evaluated import Evaluated, hover_words
from prviz.live.figure import Following, Pane
from prviz.live.need import Need
from prviz.live.problems import Problem
from prviz.live.view import position
from prviz.measure.estimates import of_evaluation
from prviz.neighbors import nearest_rows
from prviz.toys.painted import Painted

if TYPE_CHECKING:
    import plotly.graph_objects as go

# What the colours may mean.
COLOURS = ("Role", "Belief", "Decision")
EXTREMES = 20
NEAREST = 3
MOST_PICKED = 100
# Seconds for one feature of one distance, and to read one value for it.
DISTANCE_SECONDS = 2e-10
VALUE_SECONDS = 1e-8
# Pixels: a figure beside the curve, the heights of a decision's four buttons, of the lines on the
# best setting and on the errors that stand there where no truth is known, and of the scatter over
# the page.
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
        "The supports c_X and c_Y of a sample are how much real and generated data speaks for it,"
        " as {title} counts. Colour: c_Y / c_X."
    ),
    "Decision": (
        "A point of a curve is the best classifier where calling a real sample generated costs λ"
        " times as much as calling a generated one real. It calls real what has a small {key}. Real"
        " missed (a share fpr) and generated accepted (a share fnr) make the curve: precision α = λ"
        " fpr + fnr, recall β = α / λ."
    ),
}
CLICK = (
    "A click on a curve takes its λ and its family. A box or a lasso (buttons at the top right;"
    " Shift adds) selects."
)


@dataclass(frozen=True, eq=False)
class SampleSpace:
    """The scatter and all that its samples are regrouped from; classifiers : None for the roles.

    places : of the samples that the family has measured. explorer : for the browser, but what is
    said of single samples. lists : places of the most extreme samples of each group.
    """

    pane: Pane
    follow: Following | None
    explorer: dict[str, Any]
    places: Any
    classifiers: OptimalClassifiers | None
    lists: Mapping[str, list[int]]

    def picked(self, sent: Mapping[str, Any]) -> list[int]:
        """Places that a browser has sent, as far as they are of these samples."""
        chosen = sent.get("picked", []) if sent.get("of") == self.explorer["of"] else []
        known = set(self.places.tolist())
        return sorted({int(place) for place in chosen if place in known})

    def wanted(self, picked: Sequence[int]) -> list[int]:
        """Places of the samples that the table may list."""
        return sorted({*picked[:MOST_PICKED]}.union(*self.lists.values()))

    def filled(
        self, shown: Evaluated, picked: Sequence[int], near: Mapping[int, list[str]]
    ) -> dict[str, Any]:
        """The explorer with what is said of single samples. near : the nearest of the other set, by place."""
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
    """What is drawn of the samples. name : a family, the truth, or "" for the roles; canvas : as of `Pane`."""
    places, classifiers = _classifiers(problem, found, shown, name)
    lists: dict[str, list[int]] = {}
    if classifiers is not None and colour == "Decision":
        lists = {group: places[rows].tolist() for group, rows in _lists(classifiers).items()}
    pane = Pane(
        f"samples-{colour.lower()}",
        _figure(problem, found, shown, name, colour, places, classifiers, enlarged),
        follow="groups" if colour == "Decision" else "",
        wide=True,
        compact=not enlarged,
        select=True,
        pictures=shown.pictures,
        help=_help(problem, found, shown, name, colour),
        canvas=canvas,
    )
    follow = None  # the roles are the same at every k
    if colour != "Role":
        follow = Following({}, frames.profile_id(problem), position(problem))
    explorer = _explorer(problem, shown, name, places, classifiers)
    explorer["listed"] = "rejected" if enlarged else ""
    return SampleSpace(pane, follow, explorer, places, classifiers, lists)


def is_painted(problem: Problem) -> bool:
    """True if the samples are drawn in the plane whose cells are painted."""
    return isinstance(problem.toy, Painted) and problem.toy.d == 2


def _titles(name: str) -> tuple[str, str]:
    """Whose the classifiers are, and what they decide by; "" for the roles alone."""
    if name == TRUTH:
        return "Truth (likelihood ratio)", "q / p"
    return (ESTIMATORS[name].title, "c_Y / c_X") if name else ("", "")


def _help(
    problem: Problem, found: results.Results, shown: Evaluated, name: str, colour: str
) -> str:
    """What the colours mean, and what else there is to know of the figure."""
    title, key = _titles(name)
    helps = [HELPS[colour].format(title=title, key=key)]
    if len(shown.axes) == 2 and problem.sizes[2] > 2:
        helps.append(f"Drawn along {' and '.join(shown.axes)}.")
    helps += [*_notes(problem, found, name), CLICK, hover_words(shown.pictures)]
    return " ".join(filter(None, helps))


def _notes(problem: Problem, found: results.Results, name: str) -> list[str]:
    """What else there is to know of these classifiers."""
    if name == TRUTH:
        return [
            "The truth's is the best for the two distributions; its rates here are those on these"
            " samples."
        ]
    if not name:
        return []
    repeated = problem.repeats > 1
    runs = len(found.estimates[name].runs) > 1
    which = " and ".join(["first repeat"] * repeated + ["first run"] * runs)
    return [f"The curve is a mean; these samples are those of its {which}."] if which else []


# ---- classifiers and figures ----


def _key(problem: Problem, name: str) -> tuple[Any, ...]:
    """All settings that decide a family's classifiers; the truth's, and the roles, depend on no estimate."""
    if name in ("", TRUTH):
        return ("groups", problem.key, problem.settings.split, problem.settings.approximate, name)
    return ("groups", results.key(problem), name)


def _classifiers(
    problem: Problem, found: results.Results, shown: Evaluated, name: str
) -> tuple[Any, OptimalClassifiers | None]:
    """The samples that the family has measured, and its classifiers on them; all samples and None for the roles."""
    toy = problem.toy
    places = np.arange(sum(shown.sizes))
    if not name:
        return places, None

    def make() -> OptimalClassifiers:
        if name != TRUTH or toy is None:
            return OptimalClassifiers.from_supports(
                of_evaluation(found.estimates[name], shown.split)
            )
        ratios = np.concatenate([toy.log_ratio(side) for side in shown.split.evaluate])
        return OptimalClassifiers.from_log_ratio(ratios, shown.sizes[0])

    # Approximate curves measure all that are shown.
    measured = None if name == TRUTH or found.approximation else found.estimates[name].supports.rows
    return places if measured is None else measured, problem.stores.results.remembered(
        _key(problem, name), make
    )


def _lists(classifiers: OptimalClassifiers) -> dict[str, Any]:
    """The most extreme samples of each group at the lam where it is largest; their order is the same at every lam."""
    ends = {"kept": np.inf, "missed": 0.0, "accepted": np.inf, "rejected": 0.0}
    return {group: classifiers.most_extreme(group, lam, EXTREMES) for group, lam in ends.items()}


def _explorer(
    problem: Problem,
    shown: Evaluated,
    name: str,
    places: Any,
    classifiers: OptimalClassifiers | None,
) -> dict[str, Any]:
    """Data from which the browser regroups the samples; `of` names the samples, `id` the classifiers on them.

    ids: None where all samples are there in their order. For the roles there is one classifier,
    which calls all real.
    """
    title, key = _titles(name)
    explorer = {
        "of": samples_id(problem),
        "id": _name(_key(problem, name)),
        "sizes": list(shown.sizes),
        "ids": None if len(places) == sum(shown.sizes) else places.tolist(),
        "tunes": ESTIMATORS[name].tunes if name in ESTIMATORS else None,
        "looks": {group: look._asdict() for group, look in figures.GROUP_LOOKS.items()},
        "title": title,
        "key": key,
    }
    if classifiers is None:
        one = {"missed": [0], "accepted": [shown.sizes[1]], "needed": [0], "unsupported": [True]}
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
    """What names the samples that the panel shows; what is selected is kept by it."""
    return _name((problem.key, problem.settings.split, problem.settings.approximate))


def _name(key: Any) -> str:
    return hashlib.sha256(repr(key).encode()).hexdigest()[:12]


def _figure(
    problem: Problem,
    found: results.Results,
    shown: Evaluated,
    name: str,
    colour: str,
    places: Any,
    classifiers: OptimalClassifiers | None,
    enlarged: bool,
) -> go.Figure:
    """The samples. The browser regroups those of a decision at its own lam, so that one drawing serves every lam."""
    points = shown.points[places]

    def make() -> go.Figure:
        if classifiers is None:
            n = len(points)
            labels = shown.notes if any("," in note for note in shown.notes) else None
            numbers = np.concatenate(
                [shown.numbers[role][rows] for role, rows in enumerate(shown.split.evaluate_rows)]
            )
            is_real = np.arange(n) < shown.sizes[0]
            return figures.roles_figure(
                points, is_real, numbers=numbers, axis_titles=shown.axes, notes=labels
            )
        shared = {
            "ids": places,
            "axis_titles": shown.axes,
            "notes": [shown.notes[place] for place in places],
        }
        if colour == "Belief":
            c = of_evaluation(found.estimates[name], shown.split)
            is_real = np.arange(len(places)) < c.n_real
            return figures.samples_figure(
                points,
                is_real,
                c_real=c.c_real,
                c_generated=c.c_generated,
                density=enlarged or points.shape[1] == 1,
                **shared,
            )
        group = np.empty(len(places), dtype=np.intp)
        for index, rows in enumerate(classifiers.groups(problem.settings.lam)):
            group[rows] = index
        title = _titles(name)[1].replace("_X", "<sub>X</sub>").replace("_Y", "<sub>Y</sub>")
        always = np.concatenate(list(_lists(classifiers).values()))
        return figures.groups_figure(
            points, group, keys=classifiers.keys, key_title=title, always=always, **shared
        )

    key = ("figure", _key(problem, name), colour, enlarged, shown.looks)
    lower = LINES_HEIGHT * (problem.truth is None)

    def laid_out() -> go.Figure:
        figure = _laid_out(make(), colour, lower, enlarged=enlarged)
        if colour == "Role" and is_painted(problem):
            figure.update_xaxes(range=(0, 1)).update_yaxes(range=(0, 1))
        elif points.shape[1] > 1:  # a distance looks the same in every direction
            figure.update_yaxes(scaleanchor="x", constrain="range")
        return figure

    return problem.stores.results.remembered(key, laid_out)


def _laid_out(figure: go.Figure, colour: str, lower: int, *, enlarged: bool) -> go.Figure:
    """The figure at its size, `lower` by so many pixels beside the curve. The groups' legend is their buttons."""
    flat = "yaxis2" in figure.layout.to_plotly_json()
    figure.update_layout(showlegend=colour != "Decision" and (enlarged or not flat))
    if enlarged:
        return figure.update_layout(height=ENLARGED_HEIGHT)
    beside_curve(
        figure, below={"Role": 4, "Belief": 36, "Decision": 4}[colour] + 18 * flat, ticks=flat
    )
    if colour == "Role":  # above the samples, in sight whatever stands below
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
    return figure


def beside_curve(figure: go.Figure, *, below: int, ticks: bool = False) -> None:
    """Lay a figure of samples out for the narrow column: a frame, no words on its axes, `below` pixels of legend.

    ticks : numbers on the horizontal axis.
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
    """The table's entries for the samples at the wanted places, of those that the family has measured."""
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
    """The nearest samples of the other set, as text, by place."""
    pair = shown.split.pair
    key = ("near", problem.key, problem.settings.split, problem.settings.approximate, tuple(wanted))
    n = max(pair.real.n, pair.generated.n)
    seconds = n * pair.d * (len(wanted) * DISTANCE_SECONDS + 2 * VALUE_SECONDS)

    def measure(tick: Callable[[float], None]) -> Mapping[int, list[str]]:
        tick(0.0)
        return {place: words for role in (0, 1) for place, words in _nearest(shown, wanted, role)}

    return Need(key, measure, seconds, "The open part", problem.stores.results)


def _nearest(shown: Evaluated, wanted: Sequence[int], role: int) -> list[tuple[int, list[str]]]:
    """(place, its nearest samples of the other set as text) of the samples of one role."""
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
