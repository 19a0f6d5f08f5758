"""The part Equal distance of the page Triage: what the buttons find, and what is drawn."""

from __future__ import annotations

from functools import cache

from streamlit.testing.v1 import AppTest

from pages._triage.checkpoints import CheckpointResults
from prviz import bundled_pair, compare_frechet, frechet_distance
from tests.explore_app import html, panes, said
from tests.triage_app import part, settled
from tests.triage_found import MIXTURE, bundled_found

OPPOSITE = ("classes-3", "vae-b0.2-e40")


@cache
def zoo() -> CheckpointResults:
    return bundled_found((*OPPOSITE, "diffusion-e300"))


def find(found: CheckpointResults) -> AppTest:
    app = part("reported", found)
    assert not panes(app)
    next(each for each in app.button if "Find two checkpoints" in each.label).click()
    return settled(app)


def test_the_button_finds_the_pair_and_shows_its_pictures() -> None:
    app = find(zoo())
    distances = [frechet_distance(*bundled_pair(name)).value for name in OPPOSITE]
    assert (
        f"**A**, classes-3, at Fréchet distance **{distances[0]:.3g}** is better in precision;"
        f" **B**, vae-b0.2-e40, at **{distances[1]:.3g}** in recall." in said(app)
    )
    apart = compare_frechet(
        bundled_pair(OPPOSITE[0]).real, *(bundled_pair(name).generated for name in OPPOSITE)
    )
    assert (
        f"minus B's is {apart.difference:.3g}, 95 % interval {apart.low:.3g} to {apart.high:.3g}"
        in said(app)
    )
    walls = html(app)
    assert [body.count("<img") for body in walls] == [30, 30, 30]
    assert all("data:image" in body for body in walls)
    trade, curves = (pane["figure"] for pane in panes(app).values())
    assert trade["data"][-1]["text"] == [
        f"<b>{x}</b> FD {d:.3g}" for x, d in zip("AB", distances, strict=True)
    ]
    assert [trace["name"] for trace in curves["data"]] == ["A: classes-3", "B: vae-b0.2-e40"]


def test_where_no_two_are_opposite_the_page_says_so() -> None:
    app = find(bundled_found(MIXTURE[:2], n=400))
    assert [each.value for each in app.info] == [
        "No two checkpoints within 5 % of Fréchet distance lie on opposite sides of the diagonal."
    ]
    assert len(panes(app)) == 1


def test_one_checkpoint_is_not_enough() -> None:
    assert (
        part("reported", bundled_found(MIXTURE[:1], n=200)).info[0].value
        == "At least two measured checkpoints are needed."
    )
