"""The files in `deploy/`, run as far as this machine can; nginx by the block of the docs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import (
    ROOT,
    AppServer,
    free_port,
    open_tab,
    running_app,
    unfold,
    visit,
    wait_healthy,
)
from tests.raw_client import Visitor, asked, handshake

DEPLOY = ROOT / "deploy"
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")
FRONT_MATTER = (DEPLOY / "huggingface" / "README.md").read_text("utf-8").split("---\n")[1]
PORT = "8501"
BELOW = "/tools/prviz"


def instruction(name: str) -> str:
    """The last line of the Dockerfile that begins with this word, without it."""
    return [line for line in DOCKERFILE.splitlines() if line.startswith(f"{name} ")][-1].partition(
        " "
    )[2]


@contextmanager
def started(
    line: Sequence[str], log: Path, port: int, *, below: str = "", **options: object
) -> Iterator[AppServer]:
    """A server that answers its health check."""
    with (
        log.open("wb") as out,
        subprocess.Popen(
            line, stdin=subprocess.DEVNULL, stdout=out, stderr=out, **options
        ) as process,  # type: ignore[call-overload]
    ):
        try:
            server = AppServer(f"http://127.0.0.1:{port}{below}", process, log)
            wait_healthy(server)
            yield server
        finally:
            process.terminate()
            process.wait(timeout=20)


def test_one_port_is_named_everywhere() -> None:
    assert instruction("EXPOSE") == PORT
    assert f"app_port: {PORT}\n" in FRONT_MATTER
    assert "\nsdk: docker\n" in FRONT_MATTER
    assert f"--port {PORT} " in instruction("CMD")
    assert f"127.0.0.1:{PORT}/" in instruction("HEALTHCHECK")


def test_the_container_runs_as_a_user_without_rights() -> None:
    uid = instruction("USER")
    assert f"useradd --uid {uid} " in DOCKERFILE
    assert DOCKERFILE.index("\nUSER ") > DOCKERFILE.rindex("\nRUN ")


def test_the_requirements_are_the_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    written = (DEPLOY / "streamlit" / "requirements.txt").read_text("utf-8").splitlines()
    assert written == project["dependencies"]


@pytest.mark.thorough
def test_a_space_holds_all_that_the_container_is_built_of(tmp_path: Path) -> None:
    made = tmp_path / "space"
    subprocess.run([DEPLOY / "huggingface" / "make_space.sh", made], check=True)
    assert (made / "Dockerfile").read_text("utf-8") == DOCKERFILE
    assert FRONT_MATTER in (made / "README.md").read_text("utf-8")
    assert (made / "prviz" / "neighbors" / "_c" / "kernels.c").is_file()


# Read-only but for one folder, by a user who may read everything and write that folder alone.
CONFINED = """
mount -o remount,bind,ro / && mount -t tmpfs -o mode=1777 none "$0" && cd "$0" &&
exec setpriv --reuid=1000 --regid=1000 --clear-groups --inh-caps=-all,+dac_read_search \
    --ambient-caps=-all,+dac_read_search --bounding-set=-all,+dac_read_search "$@"
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs root, to take rights away")
def test_the_containers_commands_run_without_rights_in_a_read_only_file_system(
    tmp_path: Path,
) -> None:
    port = free_port()
    commands = {
        name: json.loads("[" + instruction(name).partition("[")[2].replace(PORT, str(port)))
        for name in ("CMD", "HEALTHCHECK")
    }
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    folder = Path(sys.executable).parent
    own = {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "SPACE_ID": "name/prviz",
    }
    confined = ["unshare", "-m", "sh", "-c", CONFINED, str(scratch)]
    writes = subprocess.run([*confined, "touch", f"{tmp_path}/x"], check=False, env=own)
    assert writes.returncode != 0
    with started([*confined, *commands["CMD"]], tmp_path / "log", port, env=own) as server:
        subprocess.run([sys.executable, *commands["HEALTHCHECK"][1:]], check=True)
        status, headers, _ = asked(server.url, "/", ("Host", "name-prviz.hf.space"))
        assert status == 200
        assert headers["content-security-policy"] == "frame-ancestors https://huggingface.co"
        with Visitor(server.url, "triage") as visitor:
            visitor.run()
            visitor.put("triage.data", string_array_value=["Uploads"])
            assert visitor.upload("triage-real-0", {"real.csv": b"1,2\n" * 9}) == [204]
            assert any("reference **real" in text for text in visitor.texts("Markdown"))
            assert not visitor.texts("Exception")
    assert "Traceback" not in (tmp_path / "log").read_text("utf-8")


@pytest.mark.exhaustive
def test_the_entry_file_of_community_cloud_is_the_app_for_everybody(tmp_path: Path) -> None:
    port = free_port()
    entry = "deploy/streamlit/streamlit_app.py"
    line = [sys.executable, "-m", "streamlit", "run", entry, f"--server.port={port}"]
    with started(line, tmp_path / "log", port, cwd=ROOT) as server:
        host = "prviz.streamlit.app"
        assert handshake(server.url, host, ("Origin", f"https://{host}")) == 101
        policy = asked(server.url, "/", ("Host", host))[1]["content-security-policy"]
        assert "https://*.streamlit.app" in policy
        with Visitor(server.url, "triage") as visitor:
            visitor.run()
            options = [each.content for each in visitor.widget("triage.data").options]
            assert options == ["Bundled", "Uploads"]


# ---- nginx ----

NGINX = """
{user}
daemon off; pid {folder}/pid; error_log {folder}/errors;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/a; proxy_temp_path {folder}/b; fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d; scgi_temp_path {folder}/e;
    server {{ listen 127.0.0.1:{port}; {block} }}
}}
"""
CURVES = """() => [...document.querySelectorAll('.live .scatterlayer .js-line')]
    .map((line) => line.getAttribute('d')).join()"""


def change(page: Page, label: str, value: int) -> None:
    """Type a value, and wait for other curves."""
    before = page.evaluate(CURVES)
    field = page.get_by_label(f"{label}, exact value", exact=True)
    field.fill(str(value))
    field.press("Enter")
    page.wait_for_function(f"(before) => ({CURVES})() !== before", arg=before)


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx")
def test_explore_works_behind_nginx_below_a_path(tmp_path: Path, chromium: Browser) -> None:
    text = (ROOT / "docs" / "hosting.md").read_text("utf-8")
    (block,) = re.findall(r"```nginx\n(.*?)```", text, re.DOTALL)
    options = ["--base-path", BELOW, "--allow-host", "course.example"]
    with running_app(tmp_path / "log", options=options, base_path=BELOW) as app:
        port = free_port()
        behind = block.replace(f"127.0.0.1:{PORT}", app.url.removesuffix(BELOW)[7:])
        assert behind != block
        user = "user root;" * (os.geteuid() == 0)
        conf = tmp_path / "nginx.conf"
        conf.write_text(NGINX.format(user=user, folder=tmp_path, port=port, block=behind))
        line = ["nginx", "-e", "stderr", "-c", str(conf)]
        with started(line, tmp_path / "nginx-log", port, below=BELOW) as proxy:
            assert asked(proxy.url, f"{BELOW}/", ("Host", "course.example"))[0] == 200
            assert asked(proxy.url, f"{BELOW}/", ("Host", "evil.example"))[0] == 421
            tab = open_tab(chromium, f"http://127.0.0.1:{port}")
            visit(tab.page, f"{BELOW}/")
            expect(tab.page.locator(".live.screen .plot")).to_be_visible()
            change(tab.page, "Neighbours k", 7)
            unfold(tab.page)
            change(tab.page, "Seed", 1)  # which Python alone can draw
            tab.context.close()
            tab.check()
    assert not (tmp_path / "errors").read_text()
