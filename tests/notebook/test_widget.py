"""The widget without a browser: its traits, and the messages of its line."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import traitlets

import prviz
from prviz.notebook.widget import CurveWidget

REAL, GENERATED = prviz.toy("mixtures", d=3).sample(120, seed=0)
TRUTH = prviz.toy("mixtures", d=3).truth()


@pytest.fixture
def widget() -> Iterator[CurveWidget]:
    made = prviz.widget(REAL, GENERATED, TRUTH)
    yield made
    made.close()


def assert_same(widget: CurveWidget, **settings: Any) -> None:
    found = prviz.estimate(REAL, GENERATED, list(widget.families), **settings)
    assert list(widget.curves) == list(widget.families)
    for name, each in found.items():
        np.testing.assert_array_equal(widget.curves[name].vertices, each.curve.vertices)


class Browser:
    """The other end of the line: what it is sent, and what it says."""

    def __init__(self, widget: CurveWidget, monkeypatch: pytest.MonkeyPatch) -> None:
        self.widget = widget
        self.sent: list[tuple[Mapping[str, Any], list[bytes]]] = []
        self.ended = threading.Event()

        def send(content: Mapping[str, Any], buffers: list[bytes] | None = None) -> None:
            self.sent.append((content, buffers or []))
            if content["kind"] == "line" and not buffers:
                self.ended.set()

        monkeypatch.setattr(widget, "send", send)

    def say(self, kind: str, **content: Any) -> None:
        data = {"method": "custom", "content": {"kind": kind, "view": "one", **content}}
        message = {"content": {"data": data}, "buffers": []}
        # in a thread of its own: Playwright leaves a loop in the tests' thread that runs no calls
        thread = threading.Thread(target=self.widget.comm.handle_msg, args=(message,))
        thread.start()
        thread.join()

    def ask(self, number: int, **values: Any) -> list[dict[str, Any]]:
        """The messages of the answer, to its end."""
        self.sent.clear()
        self.ended.clear()
        question = {"q": number, "of": ["upload", ""], "values": values, "have": []}
        self.say("ask", question=question)
        assert self.ended.wait(60)
        return [json.loads(buffers[0]) for content, buffers in self.sent if buffers]


@pytest.fixture
def browser(widget: CurveWidget, monkeypatch: pytest.MonkeyPatch) -> Browser:
    return Browser(widget, monkeypatch)


@pytest.mark.parametrize(
    "settings",
    [{"k": 9}, {"split": None}, {"seed": 3}, {"k": 5, "split": 0.3}],
)
def test_set_from_python_it_holds_the_curves_of_estimate(
    widget: CurveWidget, settings: dict[str, Any]
) -> None:
    heard = []
    widget.observe(lambda change: heard.append(change["new"]), "curves")
    for name, value in settings.items():
        setattr(widget, name, value)
    assert_same(widget, **settings)
    assert len(heard) == len(settings)


def test_families_are_those_that_are_set(widget: CurveWidget) -> None:
    assert_same(widget)
    widget.families = ("KNN", "ipr")
    assert widget.families == ("knn", "ipr")
    assert_same(widget)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"k": 10**9}, "k = 1000000000 with "),
        ({"k": 5.0}, "k = 5.0; an"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_first_values_are_checked_as_those_of_a_curve(given: dict[str, Any], message: str) -> None:
    real, generated = np.random.default_rng(0).normal(size=(2, 60, 3))
    with pytest.raises((ValueError, TypeError), match=message):
        prviz.widget(real, generated, **given)


def test_what_can_not_be_measured_is_refused_and_changes_nothing(widget: CurveWidget) -> None:
    for name, value in {"k": 60, "split": 2.0, "families": ("nobody",), "lam": -1.0}.items():
        before = getattr(widget, name)
        with pytest.raises(traitlets.TraitError):
            setattr(widget, name, value)
        assert getattr(widget, name) == before
    assert_same(widget)


def test_a_smaller_split_lowers_k_to_what_it_allows(widget: CurveWidget) -> None:
    widget.k = 59
    widget.split = 0.1
    assert widget.k == 11
    assert_same(widget, k=11, split=0.1)


def test_what_the_browser_moves_python_reads(browser: Browser) -> None:
    answer = browser.ask(1, k=7, split=40, angle=60)
    widget = browser.widget
    assert widget.k == 7
    assert widget.split == 0.4
    assert widget.lam == pytest.approx(3**0.5, rel=1e-5)
    assert_same(widget, k=7, split=0.4)
    kinds = [message["kind"] for message in answer]
    assert kinds[0] == "curves"
    assert "frames" in kinds
    assert kinds[-1] == "done"
    row = answer[0]["table"]["rows"]["knn"]
    assert row[0] == pytest.approx(widget.curves["knn"].iou(TRUTH))


def test_what_python_sets_every_view_draws(browser: Browser) -> None:
    browser.say("open")
    browser.widget.k = 9
    drawn = [json.loads(buffers[0]) for content, buffers in browser.sent if buffers]
    assert [message["shown"]["k"] for message in drawn] == [10, 9]
    controls = {each["id"]: each for each in drawn[-1]["controls"]}
    assert controls["k"]["value"] == 9
    assert "show" in controls
    assert [name for name, *_ in controls["show"]["options"]] == ["bound"]


def test_no_page_of_the_app_is_spoken_of(browser: Browser) -> None:
    browser.say("open")
    (content, buffers), *_ = browser.sent
    assert content == {"kind": "draw"}
    assert "Space" not in json.loads(buffers[0])["panes"][0]["help"]


def test_plotly_travels_on_request_and_in_no_state(browser: Browser) -> None:
    assert sum(len(str(value)) for value in browser.widget.get_state().values()) < 40_000
    for name, holds in {"figure": "function mount", "plotly": "plotly.js (cartesian"}.items():
        browser.sent.clear()
        browser.say("part", name=name)
        ((content, buffers),) = browser.sent
        assert content == {"kind": "part", "name": name}
        assert holds in gzip.decompress(buffers[0]).decode()


def test_a_document_without_a_kernel_keeps_the_last_figure(widget: CurveWidget) -> None:
    first, _ = widget._repr_mimebundle_()
    assert "<svg" in first["text/html"]
    assert "script" not in first["text/html"]
    widget.k = 1
    again, _ = widget._repr_mimebundle_()
    assert again["text/html"] != first["text/html"]
    assert f"{widget.curves['knn'].auc:.2f}" in again["text/html"]
    assert repr(widget).startswith("CurveWidget(k = 1, area: knn ")


def test_a_view_that_leaves_ends_its_work(browser: Browser) -> None:
    question = {"q": 1, "of": ["upload", ""], "values": {"repeats": 20}, "have": []}
    browser.say("ask", question=question)
    browser.say("leave")
    assert browser.ended.wait(60)
    last = [json.loads(buffers[0])["kind"] for content, buffers in browser.sent if buffers][-1]
    assert last == "gone"


def panels(browser: Browser) -> dict[str, dict[str, Any]]:
    """What the panels were sent last, by their names."""
    return {
        content["name"]: json.loads(buffers[0])
        for content, buffers in browser.sent
        if content["kind"] == "panel"
    }


def test_panels_are_folded_until_a_browser_or_python_unfolds_them(browser: Browser) -> None:
    browser.say("open")
    assert panels(browser) == {}
    browser.widget.panels = ["numbers", "space", "extremes"]
    assert browser.widget.panels == ("space", "extremes", "numbers")
    with pytest.raises(traitlets.TraitError, match="space, extremes, numbers"):
        browser.widget.panels = ("depth",)
    found = panels(browser)
    assert set(found) == {"space", "extremes", "numbers"}
    assert [pane["follow"] for pane in found["extremes"]["panes"]] == ["tail", "tail-recall"]

    browser.sent.clear()
    browser.widget.k = 9
    found = panels(browser)
    row = found["numbers"]["table"]["rows"]["knn"]
    assert row[0] == pytest.approx(browser.widget.curves["knn"].iou(TRUTH))
    assert found["extremes"]["shown"]["k"] == 9

    browser.sent.clear()
    browser.widget.panels = ()
    browser.widget.k = 8
    assert panels(browser) == {}


@pytest.mark.exhaustive
def test_space_counts_the_groups_of_the_curve_and_keeps_what_is_selected(browser: Browser) -> None:
    browser.say("open")
    browser.widget.panels = ("space",)
    roles = panels(browser)["space"]["explorer"]
    assert roles["sizes"] == [60, 60]
    assert roles["levels"] is None
    browser.say("panel", values={"colour": "Decision"})
    browser.say("panel", values={"family": "ipr"})
    chosen = [content for content, _ in browser.sent if content["kind"] == "panel"][-1]["choices"]
    assert chosen["colour"][1] == "Decision"
    assert chosen["family"][1] == "ipr"
    found = panels(browser)["space"]["explorer"]
    rates = np.stack([np.divide(found["missed"], 60), np.divide(found["accepted"], 60)], axis=1)
    np.testing.assert_allclose(rates, browser.widget.curves["ipr"].vertices)

    browser.say("panel", values={"of": found["of"], "picked": [3, 70, 10_000]})
    assert panels(browser)["space"]["explorer"]["selected"] == [3, 70]
    browser.widget.seed = 1
    assert panels(browser)["space"]["explorer"]["selected"] == []
