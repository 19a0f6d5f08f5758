"""The part Equal distance of the page Triage: what the buttons find, and what is drawn."""

from __future__ import annotations

import json
from functools import cache

from streamlit.testing.v1 import AppTest

from pages._triage.checkpoints import CheckpointResults
from prviz import bundled_pair, compare_frechet, frechet_distance
from tests.explore_app import healthy
from tests.line import measure
from tests.triage_found import MIXTURE, bundled_found

OPPOSITE = ("classes-3", "vae-b0.2-e40")


@cache
def zoo() -> CheckpointResults:
    return bundled_found((*OPPOSITE, "diffusion-e300"))


def script() -> None:
    import streamlit as st

    from pages._shared import answers
    from pages._triage import reported

    with answers.waiting():
        reported.draw(st.session_state["found"])


def opened(found: CheckpointResults) -> AppTest:
    app = AppTest.from_function(script, default_timeout=60)
    app.session_state["found"] = found
    return finished(app)


def finished(app: AppTest) -> AppTest:
    """Ask again until no job is at work, as the page does."""
    for _ in range(200):
        measure(app)
        app.run()
        healthy(app)
        if not [each for each in app.caption if "Being measured" in each.value]:
            return app
    raise AssertionError("the numbers never came")


def figures(app: AppTest) -> list[dict]:
    contents = [json.loads(each.proto.bytes) for each in app.get("bidi_component")]
    return [pane["figure"] for content in contents for pane in content.get("panes", ())]


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if label in button.label).click()
    return finished(app)


def test_the_button_finds_the_pair_and_shows_its_pictures() -> None:
    app = opened(zoo())
    assert not figures(app)
    app = press(app, "Find two checkpoints")
    distances = [frechet_distance(*bundled_pair(name)).value for name in OPPOSITE]
    said = next(each.value for each in app.markdown if each.value.startswith("**A**"))
    assert (
        said.replace("\\", "")
        == f"**A**, classes-3, at Fréchet distance **{distances[0]:.3g}** is better in precision;"
        f" **B**, vae-b0.2-e40, at **{distances[1]:.3g}** in recall."
    )
    apart = compare_frechet(
        bundled_pair(OPPOSITE[0]).real, *(bundled_pair(name).generated for name in OPPOSITE)
    )
    assert any(
        f"minus B's is {apart.difference:.3g}, 95 % interval {apart.low:.3g} to {apart.high:.3g}"
        in each.value
        for each in app.caption
    )
    walls = [each.proto.body for each in app.get("html")]
    assert [body.count("<img") for body in walls] == [30, 30, 30]
    assert all("data:image" in body for body in walls)
    trade, curves = figures(app)
    assert trade["data"][-1]["text"] == [
        f"<b>{x}</b> FD {d:.3g}" for x, d in zip("AB", distances, strict=True)
    ]
    assert [trace["name"] for trace in curves["data"]] == ["A: classes-3", "B: vae-b0.2-e40"]


def test_where_no_two_are_opposite_the_page_says_so() -> None:
    app = press(opened(bundled_found(MIXTURE[:2], n=400)), "Find two checkpoints")
    assert [each.value for each in app.info] == [
        "No two checkpoints within 5 % of Fréchet distance lie on opposite sides of the diagonal."
    ]
    assert len(figures(app)) == 1


def test_one_checkpoint_is_not_enough() -> None:
    assert (
        opened(bundled_found(MIXTURE[:1], n=200)).info[0].value
        == "At least two measured checkpoints are needed."
    )
