"""Limits of a server that others can reach: for everybody, in time and memory, in turn."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from prviz.cli.main import main
from prviz.live.store import SAMPLES_BYTES, Stores
from prviz.server import sessions, work_queue
from prviz.server.limits import TOO_LONG, ServerLimits, is_loopback, limits
from prviz.server.uploads import PUBLIC_MB, Uploads, uploads
from prviz.server.work_queue import Foreground, WorkQueue
from tests.browser import AppServer, open_tab, running_app, visit
from tests.raw_client import Visitor, asked, handshake
from tests.waiting import until


@pytest.fixture
def own_limits(monkeypatch: pytest.MonkeyPatch) -> ServerLimits:
    """The limits of this process, as they were again after the test."""
    for name, value in vars(limits).items():
        monkeypatch.setattr(limits, name, value)
    monkeypatch.setattr(uploads, "file_mb", uploads.file_mb)
    return limits


ALONE = (1, math.inf, 4)
OTHERS = (0, 300.0, 2)


@pytest.mark.parametrize(
    ("address", "only_here", "seconds", "held"),
    [
        ("127.0.0.1", *ALONE),
        ("::1", *ALONE),
        ("localhost", *ALONE),
        ("0.0.0.0", *OTHERS),
        ("a.b", *OTHERS),
        (None, *OTHERS),
    ],
)
def test_limits_are_on_where_others_reach_the_server(
    own_limits: ServerLimits, address: str | None, only_here: int, seconds: float, held: int
) -> None:
    assert is_loopback(address) == bool(only_here)
    own_limits.begin(address)
    assert (own_limits.public, own_limits.shared) == (False, not only_here)
    assert own_limits.seconds == seconds
    samples = Stores().samples
    for key in range(4):
        samples.put(key, np.empty(SAMPLES_BYTES // 10, np.uint8))
    assert len(samples) == held


def test_a_time_limit_ends_work_in_a_sentence(
    own_limits: ServerLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRVIZ_TIME_LIMIT", "2.5")
    own_limits.begin("127.0.0.1")
    own_limits.check(2.4)
    with pytest.raises(TimeoutError, match=TOO_LONG):
        own_limits.check(2.6)
    monkeypatch.setenv("PRVIZ_TIME_LIMIT", "0")
    own_limits.begin("0.0.0.0")
    own_limits.check(1e9)


@pytest.mark.parametrize(
    ("variable", "value", "text"),
    [
        ("PRVIZ_TIME_LIMIT", "soon", "PRVIZ_TIME_LIMIT: 'soon' is no number of seconds; 300"),
        ("PRVIZ_DATA", "/", "PRVIZ_PUBLIC: an app for everybody serves no folder"),
    ],
)
def test_a_wrong_setting_ends_the_start(
    own_limits: ServerLimits, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, text: str
) -> None:
    monkeypatch.setenv("PRVIZ_PUBLIC", "1")
    monkeypatch.setenv(variable, value)
    with pytest.raises(SystemExit, match=text):
        sessions.options()


@pytest.mark.parametrize(
    ("options", "text"),
    [(["--public", "--data", "."], "serves no folder"), (["--time-limit", "-1"], "'-1' is no")],
)
def test_the_command_refuses_wrong_settings(
    options: list[str], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["app", *options])
    except SystemExit as end:
        status = int(str(end.code))
    assert status == 2
    assert text in capsys.readouterr().err


def test_a_large_file_is_refused_in_a_sentence_and_a_small_one_is_not() -> None:
    budget = Uploads()
    budget.file_mb = PUBLIC_MB
    told = "A file may have 20 MB here; prviz on your own machine takes larger ones."
    assert budget.begin("s", "large", 22 * 1024**2) == told
    sizes = [budget.begin("s", name, 20 * 1024**2) for name in "abcd"]
    assert sizes[:3] == [None, None, None]
    assert "may hold 62" in str(sizes[3])


def test_first_come_first_served_with_the_place_in_the_queue() -> None:
    queue = WorkQueue(1)
    order: list[str] = []
    places: dict[str, list[int]] = {"b": [], "c": []}

    def work(name: str) -> None:
        with queue.turn(places[name].append):
            order.append(name)

    with queue.turn(lambda _: None):
        threads = []
        for name in places:
            threads.append(threading.Thread(target=work, args=(name,)))
            threads[-1].start()
            until(lambda name=name: places[name])
        assert (places["b"][0], places["c"][0]) == (1, 2)
        assert order == []
    for thread in threads:
        thread.join(20)
    assert order == ["b", "c"]


def test_who_gives_up_leaves_the_queue() -> None:
    queue = WorkQueue(1)
    with queue.turn(lambda _: None), pytest.raises(KeyError), queue.turn(lambda place: {}[place]):
        pass
    with queue.turn(lambda place: pytest.fail("the queue is not empty")):
        pass


def test_work_gives_way_to_what_browsers_wait_for_though_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    foreground = Foreground()
    order: list[str] = []

    def work() -> None:
        foreground.give_way()
        order.append("work")

    monkeypatch.setattr(work_queue, "GIVE_WAY_SECONDS", 30)
    thread = threading.Thread(target=work)
    with foreground.drawing():
        with foreground.drawing():
            thread.start()
        order.append("drawn")
    thread.join()
    assert order == ["drawn", "work"]
    monkeypatch.setattr(work_queue, "GIVE_WAY_SECONDS", 0)
    with foreground.drawing():
        foreground.give_way()


# ---- the app ----


@pytest.fixture(scope="module")
def public(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    folder = tmp_path_factory.mktemp("public")
    with running_app(folder / "log", options=["--public"]) as running:
        yield running


def test_everybody_may_come_by_any_name_and_no_other_sites_page(public: AppServer) -> None:
    assert asked(public.url, "/", ("Host", "course.example"))[0] == 200
    assert handshake(public.url, "course.example", ("Origin", "https://course.example")) == 101
    assert handshake(public.url, "course.example", ("Origin", "https://evil.example")) == 403


@pytest.mark.thorough
def test_no_folder_of_the_server_and_a_large_upload_is_refused_on_the_page(
    public: AppServer,
) -> None:
    with Visitor(public.url, "triage", "data=folder") as visitor:
        visitor.run()
        options = [each.content for each in visitor.widget("triage.data").options]
        assert options == ["Bundled", "Uploads"]
        visitor.run()
        path = f"/_stcore/upload_file/{visitor.session}/1"
        assert visitor.send("PUT", path, "a.npy", bytes(22 * 1024**2)) == 507
        visitor.query = "data=upload"
        visitor.put("triage.data", string_array_value=["Uploads"])
        visitor.run()
        assert any("20 MB here; prviz on your own" in text for text in visitor.texts("Alert"))


@pytest.mark.exhaustive
@pytest.mark.browser
def test_a_visitor_of_a_public_page_hears_how_large_a_file_may_be(
    public: AppServer, chromium: Browser, tmp_path: Path
) -> None:
    tab = open_tab(chromium, public.url)
    page = tab.page
    visit(page)
    page.get_by_role("radio", name="Your files").click()
    expect(page.get_by_text("up to 20 MB")).to_be_visible()
    large = tmp_path / "a.npy"
    np.save(large, np.zeros((21, 1024, 256), np.float32))
    page.locator("input[type=file]").first.set_input_files(large)
    expect(page.get_by_text("20.0MB or smaller")).to_be_visible()
    tab.context.close()
    tab.check()
