"""Scripts and styles of the app: compressed, cached, from this server alone, and with them a
plotly.js of its own.
"""

from __future__ import annotations

import gzip
import http.client
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import streamlit
from playwright.sync_api import Browser, Response, expect

from pages._shared.widgets import CSS
from prviz.server.static_files import PLOTLY
from tests.browser import ROOT, AppServer, open_tab, running_app, visit, wait_idle
from tests.marks import exhaustive_but
from tests.raw_client import handshake

BELOW = "/tools/prviz"
STREAMLITS = Path(streamlit.__file__).parent / "static" / "static"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app below a path."""
    folder = tmp_path_factory.mktemp("static")
    with running_app(folder / "log", options=["--base-path", BELOW], base_path=BELOW) as running:
        yield running


def answered(
    server: AppServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Status, headers and bytes of the answer to a request below the app's path."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=60)
    connection.request(
        method,
        BELOW + path,
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )
    answer = connection.getresponse()
    result = answer.status, answer.headers, answer.read()
    connection.close()
    return result


def assets() -> list[tuple[str, Path]]:
    """Addresses and files: plotly.js, and the main scripts and style of Streamlit's page."""
    page = (STREAMLITS.parent / "index.html").read_text("utf-8")
    paths = re.findall(r'(?:src|href)="\./static(/(?:js/index|css)[^"]*)"', page)
    assert {Path(path).suffix for path in paths} == {".js", ".css"}
    return [
        (f"/static/js/{PLOTLY.name}", PLOTLY),
        *((f"/static{path}", STREAMLITS / path[1:]) for path in paths),
    ]


ASSETS = assets()


@pytest.mark.parametrize("asset", exhaustive_but(ASSETS, ASSETS[0], ASSETS[-1]))
def test_scripts_and_styles_come_compressed_and_stay_in_caches(
    server: AppServer, asset: tuple[str, Path]
) -> None:
    path, file = asset
    content = file.read_bytes()
    status, headers, body = answered(server, path, Accept_Encoding="gzip, deflate, br")
    assert (status, headers["content-encoding"], headers["vary"]) == (
        200,
        "gzip",
        "accept-encoding",
    )
    assert gzip.decompress(body) == content
    assert int(headers["content-length"]) == len(body) < len(content) / 2
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["content-type"].split(";")[0] == (
        "text/css" if file.suffix == ".css" else "text/javascript"
    )
    assert headers["x-content-type-options"] == "nosniff"  # the guard of hosts stands before it
    for more in ({}, {"Accept_Encoding": "br"}):
        status, headers, body = answered(server, path, **more)
        assert (status, headers["content-encoding"], body) == (200, None, content)
    status, headers, body = answered(server, path, "HEAD", Accept_Encoding="gzip")
    assert (status, headers["content-encoding"], body) == (200, "gzip", b"")


def test_everything_else_is_streamlits(server: AppServer) -> None:
    assert answered(server, f"/static/js/{PLOTLY.name}", Host="evil.example")[0] == 421
    assert answered(server, f"/static/js/{PLOTLY.name}", "POST")[0] == 405
    for path in (
        f"/{PLOTLY.name}",
        "/static/js/plotly_js/LICENSE",
        f"/static/css/{PLOTLY.name}",
        "/static/js/none.js",
    ):
        assert answered(server, path)[2] != PLOTLY.read_bytes()
    # the WebSocket is below the path, too
    assert handshake(server.url.removesuffix(BELOW), "localhost") != 101


def test_a_page_has_its_style_in_it_and_is_never_taken_from_an_earlier_version(
    server: AppServer,
) -> None:
    status, headers, body = answered(server, "/learn")
    assert (status, headers["etag"], headers["last-modified"]) == (200, None, None)
    assert int(headers["content-length"]) == len(body)
    assert body.count(b"<style>") == 1 == body.count(CSS.encode())
    assert b'<html class="page-learn"' in body
    assert b'<html class="page-script"' in answered(server, "/%22%3E%3Cscript%3E")[2]
    date = "Fri, 01 Jan 2100 00:00:00 GMT"
    assert answered(server, "/learn", If_Modified_Since=date, If_None_Match="*")[::2] == (200, body)
    assert answered(server, "/learn", Accept_Encoding="gzip, deflate, br")[::2] == (200, body)
    assert answered(server, "/learn", "HEAD")[::2] == (200, b"")


def test_the_bundle_is_the_version_that_its_name_says_and_has_its_licence() -> None:
    version = re.search(r"-(\d+\.\d+\.\d+)\.min\.js$", PLOTLY.name)
    assert version is not None
    head = PLOTLY.read_text("utf-8")[:300]
    assert f"plotly.js (cartesian - minified) v{version[1]}\n" in head
    assert "Licensed under the MIT license" in head
    assert "MIT License" in PLOTLY.with_name("LICENSE").read_text("utf-8")
    assert f'"{PLOTLY.name}"' in (ROOT / "pages" / "_live" / "pane.js").read_text("utf-8")


@pytest.mark.exhaustive
def test_figures_draw_with_it_below_a_path_and_after_another_page(
    server: AppServer, chromium: Browser
) -> None:
    tab = open_tab(chromium, server.url)
    answers: list[Response] = []
    tab.page.on("response", lambda answer: answers.append(answer))
    visit(tab.page, f"{BELOW}/triage?data=folder")  # which has no figure yet
    skip = tab.page.locator(".bar-skip")
    expect(skip).to_have_css("display", "none")
    tab.page.get_by_role("link", name="Explore").click()
    expect(skip).to_have_css("display", "block")  # whatever page was opened first
    expect(tab.page.locator(".live[data-revision] .scatterlayer .js-line").first).to_be_attached()
    assert f"-{tab.page.evaluate('Plotly.version')}.min.js" in PLOTLY.name
    scripts = [answer.url.removeprefix(server.url) for answer in answers if ".js" in answer.url]
    assert [path for path in scripts if "plotly" in path.lower()] == [f"/static/js/{PLOTLY.name}"]
    compressed = [answer for answer in answers if answer.url.endswith((".js", ".css"))]
    assert {answer.all_headers().get("content-encoding") for answer in compressed} == {"gzip"}
    plotly = f"<./static/js/{PLOTLY.name}>; rel=preload; as=script"
    (figure,) = (
        path for path in scripts if re.fullmatch(r"/static/js/prviz-[0-9a-f]{12}\.js", path)
    )
    # the rest when Explore's modules are there
    assert answers[0].all_headers()["link"].startswith(plotly)
    tab.page.goto(f"{BELOW}/triage")
    wait_idle(tab.page)
    again = answers[-1 - [answer.url for answer in reversed(answers)].index(f"{server.url}/triage")]
    assert again.all_headers()["link"].startswith(plotly)
    assert again.all_headers()["link"].endswith(f"<.{figure}>; rel=modulepreload")
    # nothing is looked for where it is not
    assert [answer.url for answer in answers if answer.status >= 400] == []
    tab.context.close()
    tab.check()  # no byte from another host, no error


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("address", "script", "curve"),
    [("learn", "learn-", ".course[data-drawn] path.curve"), ("", "prviz-", ".live .js-line")],
    ids=["Learn", "Explore"],
)
def test_a_page_has_its_script_announced_and_no_script_comes_as_a_surprise(
    server: AppServer, chromium: Browser, address: str, script: str, curve: str
) -> None:
    tab = open_tab(chromium, server.url)
    for _ in range(2):  # the first visitor's page is sent before its modules are there
        answers: list[Response] = []
        tab.page.on("response", lambda answer, answers=answers: answers.append(answer))
        visit(tab.page, f"{BELOW}/{address}")
        expect(tab.page.locator(curve).first).to_be_attached()
    page = next(answer for answer in answers if answer.url == f"{server.url}/{address}")
    link = page.all_headers()["link"]
    announced = page.text()
    assert ("plotly" in link) == (address == "")
    asked = {answer.url.rpartition("/")[2] for answer in answers if answer.url.endswith(".js")}
    assert any(name.startswith(script) for name in asked)
    # which come after what is drawn first
    parts = {name for name in asked if name.startswith("part-")}
    assert {name for name in asked - parts if name not in link + announced} == set()
    tab.context.close()
    tab.check()
