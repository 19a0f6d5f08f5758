"""Painting both sets, and tasks that a link carries, by Streamlit's own test driver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages._explore import painting
from prviz.live.problems import problem_of
from prviz.live.state import ExploreState
from prviz.live.tasks import TASKS
from prviz.live.view import task_content
from prviz.measure.estimates import estimate
from prviz.reports.settings import FIRST_VIEW, ExploreSettings
from prviz.toys import toy
from prviz.toys.painted import PAINTINGS
from tests.explore_app import button, choose, figures, opened, payload, press

SMALL = {"n": "100", "methods": "ipr"}


def scatter(app: AppTest) -> dict[str, Any]:
    return next(each["panes"][0] for each in figures(app) if each.get("explorer"))


@pytest.mark.parametrize(("d", "painted"), [("1", False), ("2", True), ("3", False)])
def test_the_brush_is_there_where_the_cells_are_drawn(d: str, painted: bool) -> None:
    amounts = ",".join(["1.0"] * 144)
    app = opened(
        problem="painted",
        **{"p.d": d, "p.real_weights": amounts, "p.generated_weights": amounts},
        **SMALL,
    )
    canvas = scatter(app)["canvas"]
    assert (canvas is not None) == painted
    assert (button(app, "paint") is None) == painted
    if canvas:
        assert canvas["columns"] == 12
        assert len(canvas["pictures"]) == sum(each[0] == 2 for each in PAINTINGS.values())
        layout = scatter(app)["figure"]["layout"]
        assert [layout[axis]["range"] for axis in ("xaxis", "yaxis")] == [[0, 1], [0, 1]]


def test_a_button_leaves_another_toy_for_a_painting() -> None:
    app = opened(problem="shifted-gaussians", **{"p.d": "2"}, **SMALL)
    press(app, "paint")
    app.run()
    settings = app.session_state["_ExploreSession"].state.settings
    assert (settings.problem, settings.parameters["d"]) == ("painted", 2)
    assert settings.methods == ("ipr",)
    assert scatter(app)["canvas"] is not None


def test_a_link_carries_a_task_and_opens_nothing_that_gives_it_away() -> None:
    state, messages = ExploreState.from_query(
        {"n": "100", "task": "closest", "panel": "Numbers", "colour": "Decision"}
    )
    assert messages == []
    assert (state.task, state.panel, state.colour) == ("closest", "Space", "Role")
    assert state.to_query() == {"n": "100", "task": "closest"}
    assert ExploreState.from_query(state.to_query())[0] == state
    assert ExploreState.from_query({"task": "<b>"})[0].to_query() == {}


def test_a_question_is_asked_only_of_data_that_answer_it() -> None:
    first = problem_of(FIRST_VIEW)
    assert task_content(first, "") is None
    shown = task_content(first, "closest")
    assert shown is not None
    assert shown["column"] == "iou"
    bundled = problem_of(ExploreSettings(source="bundled", problem="mixture-converged"))
    assert task_content(bundled, "closest") is None
    apart = problem_of(
        ExploreSettings(
            problem="finite", parameters=dict(toy("finite").presets["(d) nothing in common"])
        )
    )
    assert task_content(apart, "closest") is None
    assert task_content(apart, "ipr-one") is not None


def test_a_task_is_chosen_in_the_sidebar() -> None:
    app = opened(problem="shifted-gaussians", **{"p.d": "2"}, **SMALL)
    choose(app, "task", "highest")
    assert payload(app)["task"]["name"] == "highest"
    choose(app, "task", "ipr-one")
    settings = app.session_state["_ExploreSession"].state.settings
    assert (settings.problem, payload(app)["task"]["name"]) == ("painted", "ipr-one")


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.family])
def test_a_goal_can_be_reached_by_painting_and_is_not_reached_before(name: str) -> None:
    task = TASKS[name]
    cells = np.add.outer(np.arange(12), np.arange(12)) % 2 == 0
    start = PAINTINGS[painting.FIRST]
    board = (2, tuple(cells.ravel() * 1.0), tuple(~cells.ravel() * 1.0))
    for (d, real, generated), reached in ((start, False), (board, True)):
        problem = toy("painted", d=d, real_weights=real, generated_weights=generated)
        found = estimate(problem.sample(2000, 0), (task.family,), k="sqrt", split=0.5, seed=0)
        said = found[task.family].curve.auc >= task.least
        assert (said and problem.truth().auc <= task.most) == reached


def test_painting_starts_with_what_its_goal_needs() -> None:
    settings = replace(FIRST_VIEW, methods=("knn",))
    assert "ipr" in painting.settings_of(settings, TASKS["ipr-one"].family).methods
