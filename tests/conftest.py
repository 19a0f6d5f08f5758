"""Settings of all tests, and fixtures for those in a browser, which fail, not skip, on a machine
without Chromium.
"""

from __future__ import annotations

import base64
import gc
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from playwright.sync_api import Browser, Page, expect, sync_playwright
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from prviz.estimators import DEFAULT_METHODS
from prviz.neighbors.threads import available_threads
from tests.browser import (
    WAIT_MS,
    AppServer,
    Tab,
    beside,
    launch_chromium,
    open_tab,
    running_app,
    warm_tab,
)

# OpenMP's threads spin while they wait: with a worker more than there are cores that is most of the
# work of faiss and scikit-learn. Read when these are loaded, here and in every process that a test
# starts.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# So do BLAS's, a quarter of all processor time; read by the workers, which this process starts.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# What collecting makes stays until the end: a third of the work to read all tests went into
# looking at it again and again.
gc.disable()
# A busy machine is slow, not wrong.
expect.set_options(timeout=WAIT_MS)
settings.register_profile("quick", deadline=None, max_examples=30)
settings.register_profile("whole", deadline=None)  # .ci/run --all asks for it
settings.load_profile("quick")


# A file is one worker's: those that take longest begin first, so that none is left alone at the
# end. In seconds of one core, about: 90 of the first, of the thorough run; 30 of the first of the
# README's; 8 of the last.
LONGEST_FIRST = (
    "test_packaging",
    "server/test_sessions",
    "pages/test_shell_browser",
    "pages/live/test_live_browser",
    "pages/explore/test_explore_browser",
    "pages/explore/test_uploads_browser",
    "triage/test_findings",
    "cli/test_main",
    "pages/triage/test_screen_browser",
    "pages/triage/test_triage_browser",
    "pages/learn/test_learn_browser",
    "pages/explore/test_supports_browser",
    "pages/explore/test_space_browser",
    "cli/test_triage",
    "pages/explore/test_answers",
    "test_kept_numbers",
    "neighbors/test_double_loops",
    "pages/explore/test_explore_page",
    "pages/triage/test_ranking",
    "pages/explore/test_approximate",
    "uncertainty/test_bootstrap",
    "live/test_explorer",
    "readers/test_kept_outcomes",
    "estimators/test_tightest",
    "pages/live/test_live_keys_browser",
    "server/test_hosts",
    "studies/test_papers",
    "studies/test_sweeps",
    "studies/test_sweeps_elsewhere",
    "studies/test_battery",
    "cli/test_kills",
    "triage/test_bundled",
)
# Not for every save: what opens pages or starts processes, and the longest loops. Thorough tests
# are slow as well.
SLOW = (
    *("pages/", "server/", "cli/", "studies/"),
    *(
        "diagnostics/test_influence",
        "neighbors/test_double_loops",
        "neighbors/test_plans",
        "test_without_library",
    ),
)
# For .ci/run alone: visitors and their sessions. Exhaustive tests are thorough as well.
THOROUGH = ("pages/lab/", "server/test_sessions", "studies/")
# For `.ci/run --all`: what repeats a shorter test with more seeds, sizes or families.
EXHAUSTIVE = (
    "cli/test_kills",
    "pages/explore/test_gives_away",
    "pages/explore/test_influence",
    "pages/explore/test_media_browser",
    "pages/explore/test_space_browser",
    "pages/explore/test_supports",
    "pages/explore/test_upload_race",
    "pages/explore/test_warnings_browser",
    "pages/live/test_live_leaving_browser",
    "pages/live/test_restart_browser",
    "pages/triage/test_encoders",
    "pages/triage/test_triage_browser",
    "triage/test_bundled",
)
_PLACE = {name: place for place, name in enumerate(LONGEST_FIRST)}
_TESTS = Path(__file__).parent


@cache
def _named(path: Path) -> str:
    return path.relative_to(_TESTS).with_suffix("").as_posix()


assert not [
    name for name in (*LONGEST_FIRST, *THOROUGH, *EXHAUSTIVE) if not list(_TESTS.glob(f"{name}*"))
]


def pytest_configure(config: pytest.Config) -> None:
    """Each worker reads the tests from another folder on, so that it finds rewritten already what
    the others have read before it.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if worker and config.args == config.getini("testpaths"):
        parts = sorted(
            str(path) for path in _TESTS.iterdir() if path.is_dir() or path.name.startswith("test_")
        )
        first = len(parts) * int(worker[2:]) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        config.args = parts[first:] + parts[:first]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What a file holds that is left out as a whole need not be read."""
    left_out = config.option.markexpr == "not thorough" and collection_path.suffix == ".py"
    return (
        True if left_out and _named(collection_path).startswith((*THOROUGH, *EXHAUSTIVE)) else None
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    def name(item: pytest.Item) -> str:
        return _named(item.path)

    cases = Counter[str]()
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")
            # A machine may stall for as long as a test waits. At most three in all, so that a
            # broken page still fails.
            item.add_marker(pytest.mark.flaky(reruns=1))
        if name(item).startswith(EXHAUSTIVE):
            item.add_marker("exhaustive")
        drawn = item.get_closest_marker("one_in")
        if drawn is not None and item.get_closest_marker("exhaustive") is None:
            function = item.nodeid.partition("[")[0]
            if cases[function] % drawn.args[0]:
                item.add_marker("exhaustive")
            cases[function] += 1
        if name(item).startswith(THOROUGH) or item.get_closest_marker("exhaustive"):
            item.add_marker("thorough")
        if name(item).startswith(SLOW) or item.get_closest_marker("thorough"):
            item.add_marker("slow")
    items.sort(key=lambda item: (_PLACE.get(name(item), len(_PLACE)), name(item)))


def pytest_collection_finish() -> None:
    """Two things that an app does for each of its visitors, and Streamlit's test driver a thousand
    times.
    """
    gc.enable()
    gc.freeze()  # a collection for a new visitor has only what the tests have made to look at
    if "streamlit.testing.v1" in sys.modules:
        from streamlit.components.v2 import manifest_scanner

        # It reads the metadata of every installed package, which stay the same.
        manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def pytest_xdist_auto_num_workers() -> int:
    """What `pytest -n auto` takes: one more than there are cores, since a test in a browser waits
    half of its time.
    """
    return available_threads() + 1


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling | None:
    """In the README's run one worker has the browser: server and Chromium take longer to start than
    a test takes.
    """
    return OneBrowser(config, log) if config.option.markexpr == "not thorough" else None


class OneBrowser(LoadFileScheduling):
    """A file is one worker's, and so are all files whose tests visit the app."""

    def _split_scope(self, nodeid: str) -> str:
        scope: str = super()._split_scope(nodeid)
        return "browser" if scope.endswith(("_browser.py", "test_static_files.py")) else scope


@pytest.fixture(autouse=True)
def quick_families(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands and pages choose the quick families where none are named, but for tests of
    verdicts.
    """
    if not request.node.get_closest_marker("verdict"):
        monkeypatch.setattr("prviz.estimators.VERDICT_METHODS", DEFAULT_METHODS)


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Streamlit makes a page that it runs the main module, which a process started later would run
    again.
    """
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app of this checkout, started once for all tests, with a cache of its own."""
    folder = tmp_path_factory.mktemp("app")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PRVIZ_CACHE", str(folder / "cache"))
        with running_app(folder / "app.log") as server:
            yield server


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One Chromium for all tests."""
    with sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def blank(chromium: Browser) -> Page:
    """A page without an app, whose ``live`` is the live figure's module."""
    from pages._live.figure import javascript  # not for every test: it brings Streamlit along

    page = chromium.new_page()
    page.goto("about:blank")
    text = base64.b64encode(javascript().encode()).decode()
    page.evaluate(
        "async (url) => { window.live = await import(url); }", f"data:text/javascript;base64,{text}"
    )
    return page


@pytest.fixture(scope="session")
def warm(chromium: Browser, app_server: AppServer) -> Iterator[Tab]:
    """A tab of the app's address beside which others open at half of the work."""
    tab = warm_tab(chromium, app_server.url)
    yield tab
    tab.context.close()


@pytest.fixture
def new_page(chromium: Browser, app_server: AppServer, warm: Tab) -> Iterator[Callable[..., Page]]:
    """Open pages of the app, in a window of a size; of another address, or ``fresh`` as a visitor without cookies, each in
    its own context.

    The test fails if a page shows an error of Python's, had an uncaught one in JavaScript or asked
    another machine for anything.
    """
    tabs: list[Tab] = []

    def open_page(
        *,
        size: tuple[int, int] | None = None,
        url: str | None = None,
        fresh: bool = False,
        **options: object,
    ) -> Page:
        if size is not None:
            options["viewport"] = {"width": size[0], "height": size[1]}
        if url is None and not fresh:
            tabs.append(beside(warm, **options))  # type: ignore[arg-type]
        else:
            tabs.append(open_tab(chromium, url or app_server.url, **options))
        return tabs[-1].page

    yield open_page
    for tab in tabs:
        tab.close(context=tab.context is not warm.context)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """One page at the app's address: ``page.goto("/")``, or `tests.browser.visit`."""
    return new_page()
