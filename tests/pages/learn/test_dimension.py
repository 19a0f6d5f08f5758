"""Lesson 7: what is measured live at every dimension, and over the number of samples."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import prviz
from pages._learn import dimension
from prviz.reports.settings import ExploreSettings
from prviz.studies.convergence import convergence, measured, rate_exponent
from tests.explore_app import APP, healthy, last_word, payload, until

KEY = "lesson-dimension"


@pytest.fixture(autouse=True)
def _nothing_measured_yet() -> Iterator[None]:
    dimension.shared.clear()
    yield
    dimension.shared.clear()


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer draws than a visitor sees: what is measured is measured as ever."""
    monkeypatch.setattr(dimension, "REPEATS", 2)
    monkeypatch.setattr(dimension, "SIZES", (120, 500))
    monkeypatch.setattr(dimension, "RATE_SIZES", (20, 40, 80))
    monkeypatch.setattr(dimension, "RATE_REPEATS", 2)


def lesson(**state: object) -> AppTest:
    app = AppTest.from_file(APP, default_timeout=120)
    app.run()
    app.switch_page("pages/learn.py")
    for name, value in {"lesson": "7 Dimension", "dimension.n": dimension.SIZES[0], **state}.items():
        app.session_state[name] = value
    app.run()
    healthy(app)
    assert app.header[0].value == "The curse of dimension"
    return app


def frames(app: AppTest) -> dict[str, dict]:
    return payload(app)["model"]["constants"]["parts"][0]["frames"]


def test_the_first_drawing_waits_for_no_job() -> None:
    sent = payload(lesson())
    assert sent["coarse"] == 100
    assert sent["more"]["share"] is None
    assert [curve["id"] for curve in sent["curves"]] == ["truth", "knn", "kde", "ipr", "coverage"]
    assert sent["controls"][0]["values"] == [2**power for power in range(12)]
    assert "100 samples per set" in sent["panes"][0]["caption"]
    assert "one draw" in sent["panes"][0]["caption"]


@pytest.mark.usefixtures("_few")
def test_jobs_bring_what_prviz_measures_at_every_dimension_and_size() -> None:
    app = lesson()
    sent = last_word(app)
    assert sent["coarse"] == 0
    assert "120 samples per set" in sent["panes"][0]["caption"]
    assert [len(frames(app)), sent["more"]] == [12, None]
    for place in (1, 9):
        d = 2**place
        found = measured(prviz.toy("high-dimension", d=d, shift=2.0), n=120, repeats=2)
        frame = frames(app)[str(place)]
        for name, curve in found.curves.items():
            assert np.allclose(frame["curves"][name], curve.vertices.ravel(), atol=1e-5)
            assert frame["rows"][name] == pytest.approx([*found.comparisons[name], curve.auc], abs=1e-4)
        best = max(found.comparisons, key=lambda name: found.comparisons[name].iou)
        assert f"d = {d}: {prviz.ESTIMATORS[best].title} errs least" in frame["words"]
        assert frame["panes"]["errors"]["traces"]["4"]["x"] == [d, d]
        line = sent["panes"][1]["figure"]["data"][list(found.curves).index(best)]
        assert line["y"][place] == pytest.approx(1 - found.comparisons[best].iou)
    truth = prviz.toy("high-dimension", d=2048, shift=2.0).truth()
    assert np.allclose(sent["curves"][0]["vertices"], truth.vertices, atol=1e-8)
    over_n = convergence(prviz.toy("high-dimension", d=8, shift=2.0), (20, 40, 80), repeats=2)
    said = next(text.value for text in app.markdown if "| d |" in text.value)
    slope = over_n.slope("knn")
    assert f"| 8 | {slope.value:.2f} ± {slope.error:.2f} |".replace("-", "−") in said
    assert "| −1/10 | 1,024 × |" in said
    assert "| −1/66 | 7·10^19 × |" in said  # 2^66
    assert len(app.get("bidi_component")) == 2


@pytest.mark.usefixtures("_few")
def test_stop_ends_the_work_and_it_can_begin_again() -> None:
    app = lesson()
    turn = payload(app)["turn"] + 1
    app.session_state[KEY] = {"values": {"d": 64, "turn": turn, "stop": True}}
    app.run()
    healthy(app)
    assert "the figure shows 100 samples per set" in app.info[0].value
    assert "100 samples per set" in payload(app)["panes"][0]["caption"]
    app.button(key=next(each.key for each in app.button if (each.key or "").startswith("after-all"))).click().run()
    healthy(app)
    sent = until(app, lambda answer: not answer["coarse"])
    assert "120 samples per set" in sent["panes"][0]["caption"]


@pytest.mark.usefixtures("_few")
def test_the_verdict_is_measured_and_follows_the_dimension() -> None:
    answers = []
    for d in (1, 2048):
        app = lesson()
        app.session_state[KEY] = {"values": {"d": d, "turn": 1}}
        app.run()
        app.radio(key=f"guess.{KEY}").set_value(dimension.HARDLY).run()
        app.button(key=f"reveal.{KEY}").click().run()
        healthy(app)
        problem = prviz.toy("high-dimension", d=d, shift=2.0)
        few, many = (1 - measured(problem, n=n, repeats=6).comparisons["knn"].iou for n in (100, 400))
        expected = dimension.HALF if many <= 0.5 * few else dimension.SOME if many <= 0.8 * few else dimension.HARDLY
        (told,) = (box.value for box in (*app.success, *app.info) if "Measured just now" in box.value)
        assert f"**{expected}**" in told
        assert f"{few:.3f} with 100 samples, {many:.3f} with 400, that is {many / few:.2f} times" in told
        assert f"falls to {4 ** rate_exponent(d):.3f} of itself; to halve that bound in d = {d} takes 2^{d + 2}" in told
        answers.append(expected)
    assert answers[1] == dimension.HARDLY != answers[0]


def test_the_link_leads_to_the_same_pair() -> None:
    app = lesson(**{"dimension.distance": 3.0})
    (link,) = app.get("link_button")
    query = {name: found[0] for name, found in parse_qs(urlsplit(link.proto.url).query).items()}
    settings, messages = ExploreSettings.from_query(query)
    assert messages == []
    assert (settings.problem, settings.n) == ("high-dimension", 200)
    assert settings.parameters == {"d": 64, "shift": 3.0}
