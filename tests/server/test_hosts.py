"""Requests that the app answers: none of a page of another site, whatever its host name, and none
in a frame.
"""

from __future__ import annotations

import contextlib
import http.client
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from prviz.server import sessions
from prviz.server.hosts import HostGuard, headers, host_name, named_origin
from tests.browser import AppServer, open_tab, running_app
from tests.marks import exhaustive_but
from tests.raw_client import Visitor, asked, handshake

PROXY = "app.example.com"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    """The app at every address of this machine, behind a proxy of this name."""
    folder = tmp_path_factory.mktemp("hosts")
    with running_app(
        folder / "log", options=["--host", "0.0.0.0", "--allow-host", "App.Example.com."]
    ) as running:
        yield running


GOOD = (
    "localhost",
    "LOCALHOST:1",
    "localhost.",
    "127.0.0.1:8501",
    "[::1]:8501",
    PROXY,
    "APP.example.com.:443",
)
BAD = (
    *(
        "evil.example",
        "evil.example:8501",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil-localhost",
    ),
    *(
        "localhost@evil.example",
        "evil.example@localhost",
        "localhost:port",
        "localhost:99999",
        "localhost/x",
        "[::1",
    ),
    *(
        "[::2]",
        "127.0.0.2",
        "sub.app.example.com",
        "",
        "localhost, evil.example",
        "*",
        "localhost..",
        "2130706433",
    ),
)


@pytest.mark.parametrize(
    "path",
    exhaustive_but(
        ("/", "/_stcore/health", "/_stcore/host-config", "/media/x", "/nothing"), "/", "/media/x"
    ),
)
def test_pages_and_files_go_to_no_other_host(server: AppServer, path: str) -> None:
    for host in GOOD:
        assert asked(server.url, path, ("Host", host))[0] != 421, host
    for host in BAD:
        assert asked(server.url, path, ("Host", host))[0] == 421, host


ROUTES = (
    "/",
    "/static/",
    "/static/js/",
    "/media/",
    "/component/x/",
    "/_stcore/",
    "/app/static/",
    "/triage/",
    "/~/+/",
)
UP = (
    "../",
    "%2e%2e/",
    "..%2f",
    "%2e%2e%2f",
    "%252e%252e%252f",
    "..\\\\",
    "..%5c",
    "....//",
    "..;/",
    "%c0%ae%c0%ae/",
)


@pytest.mark.parametrize("route", exhaustive_but(ROUTES, "/", "/static/", "/component/x/"))
def test_no_path_leads_out_of_what_is_served(server: AppServer, route: str) -> None:
    for up in UP:
        for to in (
            8 * up + "etc/passwd",
            2 * up + "pyproject.toml",
            f"/etc/passwd{up}",
            up + "app.py",
        ):
            text = asked(server.url, route + to, ("Host", "localhost"))[2]
            assert not re.search(r"root:.*:0:0|\[project\]|import streamlit", text), route + to


def test_a_websocket_goes_to_no_other_host_and_to_no_other_sites_page(server: AppServer) -> None:
    for host in GOOD:
        assert handshake(server.url, host) == 101, host
        assert handshake(server.url, host, ("Origin", f"http://{host}")) == 101, host
    for host in BAD:
        assert handshake(server.url, host) == 403, host
        assert handshake(server.url, host, ("Origin", f"http://{host}")) == 403, host
    for origin in (
        "http://evil.example",
        "https://localhost.evil.example",
        "null",
        "",
        "file://",
        "http://[",
        "x",
    ):
        assert handshake(server.url, "localhost:8501", ("Origin", origin)) == 403, origin


def posted(server: AppServer, origin: str) -> int:
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)
    try:
        connection.request("POST", "/live/ask", "{}", {"Origin": origin} if origin else {})
        return connection.getresponse().status
    finally:
        connection.close()


def test_a_question_of_another_sites_page_is_refused(server: AppServer) -> None:
    for origin in ("http://evil.example", f"{server.url}0", "null"):
        assert posted(server, origin) == 421
    assert posted(server, server.url) == posted(server, "") == 410  # no visitor's token


def own(host: str, origin: str) -> bool:
    """Whether a guard with this proxy lets a page of this origin open the socket at this host."""
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append("app")

    async def send(message: Any) -> None:
        seen.append(message["type"])

    headers = [(b"host", host.encode()), (b"origin", origin.encode())]
    scope = {"type": "websocket", "server": ("127.0.0.1", 8501), "headers": headers}
    with contextlib.suppress(StopIteration):
        guard = HostGuard(app, ["10.0.0.7"], [PROXY])
        guard(scope, None, send).__await__().send(None)  # type: ignore[arg-type]
    return seen == ["app"]


@pytest.mark.parametrize(
    ("host", "origin", "opens"),
    [
        ("localhost:8501", "http://localhost:8501", True),
        ("LOCALHOST.:8501", "HTTP://localhost:8501", True),
        ("[::1]:8501", "http://[::1]:8501", True),
        ("localhost", "http://localhost:80", True),
        ("localhost:443", "https://localhost", True),
        ("10.0.0.7:8501", "http://10.0.0.7:8501", True),
        (
            "localhost:8501",
            "http://localhost:8502",
            False,
        ),  # a page of another program of this machine
        ("localhost:8501", "http://localhost", False),
        ("localhost:8501", "http://127.0.0.1:8501", False),
        ("127.0.0.1:8501", "http://localhost:3000", False),
        ("10.0.0.7:8501", "http://10.0.0.7:9000", False),
        ("[::1]:8501", "http://[::1]:9000", False),
        ("localhost:8501", "ftp://localhost:8501", False),
        (PROXY, f"https://{PROXY}", True),
        (PROXY, f"https://{PROXY}:8443", True),  # a proxy that leaves out the port
        ("127.0.0.1:8501", f"https://{PROXY}", True),  # one that asks at the address of the app
        (f"{PROXY}:8443", f"https://{PROXY}:8443", True),
        (f"{PROXY}:8443", f"https://{PROXY}:9000", False),
        (PROXY, "http://localhost:3000", False),
    ],
)
def test_a_page_opens_the_socket_of_its_own_host_and_port_alone(
    host: str, origin: str, opens: bool
) -> None:
    assert own(host, origin) is opens


def test_what_a_proxy_or_a_stranger_says_of_the_host_counts_for_nothing(server: AppServer) -> None:
    told = [
        ("X-Forwarded-Host", "localhost"),
        ("X-Host", "localhost"),
        ("Forwarded", "host=localhost"),
    ]
    assert asked(server.url, "/", ("Host", "evil.example"), *told)[0] == 421
    assert handshake(server.url, "evil.example", *told) == 403
    assert (
        asked(server.url, "/", ("Host", "localhost"), ("X-Forwarded-Host", "evil.example"))[0]
        == 200
    )
    assert asked(server.url, "/")[0] == 400  # HTTP needs a host
    assert asked(server.url, "/", ("Host", "localhost"), ("Host", "evil.example"))[0] == 400


def test_an_address_of_this_machine_is_a_host_where_the_connection_came_in_at_it(
    server: AppServer,
) -> None:
    assert asked(server.url, "/", ("Host", "127.0.0.2:8501"), at="127.0.0.2")[0] == 200
    assert asked(server.url, "/", ("Host", "127.0.0.2:8501"), at="127.0.0.3")[0] == 421


def test_every_answer_forbids_frames_and_guesses(server: AppServer) -> None:
    for path, host in (
        ("/", "localhost"),
        ("/_stcore/health", "localhost"),
        ("/no", "localhost"),
        ("/", "evil"),
    ):
        _, sent, _ = asked(server.url, path, ("Host", host))
        for name, value in headers():
            assert sent[name.decode()] == value.decode(), path


NO_ORIGINS = (
    *(
        "example.com",
        "https://",
        "https://a/b",
        "https://a b",
        "https://a;b",
        "https://a,b",
        "https://a\n",
    ),
    *("https://*", "ftp://a", "https://user@a", "*", "'self'", "null", ""),
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("https://Course.example.com/", "https://course.example.com"),
        ("http://localhost:8888", "http://localhost:8888"),
        ("https://*.example.com", "https://*.example.com"),
        ("https://[::1]:8443", "https://[::1]:8443"),
        *((text, None) for text in NO_ORIGINS),
    ],
)
def test_an_origin_is_a_scheme_and_a_host(text: str, named: str | None) -> None:
    if named is not None:
        assert named_origin(text) == named
    else:
        with pytest.raises(ValueError, match="is not an origin; one such as https://example"):
            named_origin(text)


class Framing(http.server.BaseHTTPRequestHandler):
    """A page of a course with the app in a frame."""

    app = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<iframe src='{self.app}' width=1200 height=800></iframe>".encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.exhaustive
@pytest.mark.parametrize("by", exhaustive_but(("option", "setting"), "option"))
def test_pages_of_named_origins_show_the_app_in_a_frame(
    by: str, tmp_path: Path, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And others don't: 127.0.0.1 is another site than localhost."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Framing) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        named = f"http://localhost:{site.server_port}"
        if by == "setting":
            monkeypatch.setenv("PRVIZ_ALLOW_FRAME", f"https://course.example.com {named}")
        options = ["--allow-frame", named] if by == "option" else []
        with running_app(tmp_path / "log", options=options) as running:
            monkeypatch.setattr(Framing, "app", running.url)
            tab = open_tab(chromium, named)
            tab.page.goto("/")
            framed = tab.page.frame_locator("iframe")
            expect(framed.locator(".live.screen .plot")).to_be_visible()
            tab.page.goto(f"http://127.0.0.1:{site.server_port}/")
            assert tab.page.frames[1].url.startswith("chrome-error:")
            tab.context.close()
        site.shutdown()


def test_a_wrong_setting_ends_the_start_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRVIZ_ALLOW_HOST", "a/b")
    with pytest.raises(
        SystemExit, match=r"PRVIZ_ALLOW_HOST: 'a/b' is not a host; a name such as example.com"
    ):
        sessions.options()


def test_the_refusal_says_what_would_be_accepted_and_repeats_nothing_that_a_browser_would_run(
    server: AppServer,
) -> None:
    status, headers, text = asked(
        server.url, "/", ("Host", "<script>alert(1)</script>" + "x" * 5000)
    )
    assert (status, headers["content-type"]) == (421, "text/plain; charset=utf-8")
    assert "--allow-host" in text
    assert len(text) < 400


def test_a_visitor_is_served(server: AppServer) -> None:
    with Visitor(server.url, "learn") as visitor:
        visitor.run()
        assert visitor.texts("Heading")[0] == "Learn"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Example.COM.", "example.com"),
        ("::1", "::1"),
        ("[0:0::1]:80", "::1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("10.0.0.1:80", "10.0.0.1"),
        ("a:b", None),
        ("a\tb", None),
        ("a b/c", None),
        ("", None),
    ],
)
def test_hosts_have_one_form(text: str, name: str | None) -> None:
    assert host_name(text) == name


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("arrived", "host", "served"),
    [
        ("::ffff:192.168.1.5", b"192.168.1.5:8501", True),  # IPv4 at a socket for both
        ("fd00::5", b"[FD00:0::5]:8501", True),
        ("fd00::5", b"[fd00::6]", False),
        (None, b"localhost", True),  # a Unix socket has no address
        (None, b"evil.example", False),
    ],
)
def test_addresses_are_compared_as_addresses(
    arrived: str | None, host: bytes, served: bool
) -> None:
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope["type"])

    async def send(message: Any) -> None:
        seen.append(str(message.get("status", "")))

    scope = {
        "type": "http",
        "server": None if arrived is None else (arrived, 8501),
        "headers": [(b"host", host)],
    }
    with contextlib.suppress(StopIteration):
        HostGuard(app, [])(scope, None, send).__await__().send(None)  # type: ignore[arg-type]
    assert seen[0] == ("http" if served else "421")
