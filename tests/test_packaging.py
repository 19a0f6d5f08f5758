"""The wheel: what is in it, and the app that runs from it, in an environment and a folder of its
own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit import config as streamlit_config

import prviz
from hatch_build import RepositoryHook
from pages._shared.widgets import CSS
from prviz.figures import FAMILY_COLORS, SPARE_COLORS, TRUTH_COLOR
from prviz.figures.theme import luminance
from tests.browser import (
    ROOT,
    AppServer,
    app_pages,
    free_port,
    open_tab,
    running_app,
    visit,
    wait_healthy,
)
from tests.raw_client import asked, handshake

APP_PARTS = ("app.py", "pages", "data", ".streamlit")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of commands of a new environment: the wheel is in it, the dependencies are those of
    this one.
    """
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True, symlinks=os.name != "nt")
    paths = {"base": str(home), "platbase": str(home)}
    commands = Path(sysconfig.get_path("scripts", "venv", paths))
    python = commands / Path(sys.executable).name
    packages = Path(sysconfig.get_path("purelib", "venv", paths))
    # after the environment's own folder on the path, so the wheel wins over a prviz installed here
    shared = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    (packages / "shared.pth").write_text("".join(f"{path}\n" for path in shared))
    install = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--force-reinstall",
        wheel,
    ]
    subprocess.run(install, check=True)
    return commands


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder, and nothing of the checkout on the path of what is started there."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    yield folder
    assert not list(folder.iterdir()), "the app left files in the folder it was started from"


def files_of(part: str) -> set[str]:
    path = ROOT / part
    found = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return {each.relative_to(ROOT).as_posix() for each in found if "__pycache__" not in each.parts}


@pytest.mark.thorough
def test_the_wheel_carries_the_package_and_the_app(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for part in APP_PARTS:
        assert files_of(part), f"nothing at {part}"
        assert {f"prviz/_app/{name}" for name in files_of(part)} <= names
    assert "prviz/_app/.streamlit/config.toml" in names
    assert files_of("prviz") <= names
    for part in ("server/plotly_js", "figures/font"):
        assert f"prviz-{prviz.__version__}.dist-info/licenses/prviz/{part}/LICENSE" in names
    assert not [
        name for name in names if "__pycache__" in name or name.startswith(("tests/", "app.py"))
    ]


@pytest.mark.thorough
def test_the_wheel_carries_what_was_compiled(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert "prviz/neighbors/_c/kernels.so" in archive.namelist()
    # for every Python 3 on this kind of machine: the library is loaded by ctypes
    assert re.fullmatch(r"prviz-[^-]+-py3-none-(?!any)\w+\.whl", wheel.name)


LIGHT = """
import contextlib, io
import numpy as np, prviz
from prviz.cli.main import main
real, generated = prviz.toy("mixtures").sample(300, seed=0)
assert 0 < prviz.pr_curve(real, generated).auc < 1
assert list(prviz.estimate(real, generated)) == ["knn", "kde", "ipr", "coverage"]
assert len(prviz.scalars(real, generated)) == 20
np.save("real.npy", real.values)
np.save("generated.npy", generated.values)
printed = io.StringIO()
with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
    assert main(["curve", "real.npy", "generated.npy"]) == 0
    assert main(["parity", "real.npy", "generated.npy"]) == 0
    assert main(["triage", "real.npy", "."]) == 2
assert "the curve to believe and its bound need scikit-learn" in printed.getvalue()
needed = "pandas and scikit-learn, which are not installed: pip install pandas scikit-learn"
assert f"prviz triage needs {needed}" in printed.getvalue()
assert "1 of" not in printed.getvalue()
for call in (lambda: prviz.pr_curve(real, generated, "tightest"), lambda: prviz.plot(prviz.pr_curve(real, generated))):
    try:
        call()
    except ModuleNotFoundError as error:
        assert "which is not installed: pip install" in str(error), error
    else:
        raise AssertionError("something is installed")
"""


@pytest.mark.exhaustive
def test_the_light_library_needs_three_packages(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "light"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "numpy", "scipy", "threadpoolctl"], check=True)
    subprocess.run([*pip, "--no-deps", wheel], check=True)
    subprocess.run([python, "-c", LIGHT], cwd=tmp_path, check=True)


@pytest.mark.exhaustive
def test_what_is_uploaded_passes_the_indexs_checks(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "tools", with_pip=True)
    python = tmp_path / "tools" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "twine", "auditwheel"], check=True)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path / "dist"]
    subprocess.run(command, cwd=ROOT, check=True)
    (sources,) = (tmp_path / "dist").iterdir()
    subprocess.run([python, "-m", "twine", "check", "--strict", wheel, sources], check=True)
    shown = subprocess.run(
        [python, "-m", "auditwheel", "show", wheel], check=True, capture_output=True, text=True
    )
    assert "manylinux_2_5" in shown.stdout
    assert "requires no external shared libraries" in shown.stdout


@pytest.mark.parametrize("address", ["", "https://example.org/o/prviz"])
def test_one_line_of_the_citation_gives_a_package_page_its_links(
    address: str, tmp_path: Path
) -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    (tmp_path / "README.md").write_text(readme, "utf-8")
    line = f'repository-code: "{address}/"\n' if address else ""
    (tmp_path / "CITATION.cff").write_text(f"version: 1\n{line}", "utf-8")
    metadata: dict[str, Any] = {}
    RepositoryHook(str(tmp_path), {}).update(metadata)
    text = metadata["readme"]["text"]
    if not address:
        assert (text, metadata["urls"]) == (readme, {})
        return
    links = re.findall(r"\]\(([^)]*)\)", text)
    assert len(links) > 8
    assert all(link.startswith("https://") for link in links)
    named = [link.partition("/HEAD/")[2] for link in [*links, *metadata["urls"].values()]]
    assert all((ROOT / name).exists() for name in named)
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
    assert pictures
    assert all(f"{address}/raw/" in link for link in pictures)


def test_the_site_is_built_with_all_that_its_reference_imports() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = extras["optional-dependencies"]
    # prviz.widget, and the figures of Matplotlib
    assert {*optional["notebook"], *optional["matplotlib"]} <= set(optional["docs"])


def test_the_citation_has_the_version() -> None:
    assert f"\nversion: {prviz.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


@pytest.mark.thorough
def test_without_a_compiler_the_wheel_is_for_every_machine(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    made = subprocess.run(
        command,
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"CC": "no-such-compiler"},
    )
    assert "nothing was compiled" in made.stdout + made.stderr
    (built,) = tmp_path.glob("*-py3-none-any.whl")
    with zipfile.ZipFile(built) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]


@pytest.mark.thorough
def test_the_wheel_has_the_command_and_the_version(wheel: Path) -> None:
    info = f"prviz-{prviz.__version__}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        assert "prviz = prviz.cli.main:main" in archive.read(f"{info}/entry_points.txt").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
    assert f"\nVersion: {prviz.__version__}\n" in metadata
    assert "\nAuthor: the prviz authors\n" in metadata
    assert "\nDescription-Content-Type: text/markdown\n" in metadata


@pytest.mark.thorough
def test_the_installed_package_is_the_wheels(environment: Path, elsewhere: Path) -> None:
    code = (
        "import prviz, prviz.readers.bundled; print(prviz.__file__); print(prviz.TOYS and"
        " prviz.PRCurve)"
    )
    shown = subprocess.run(
        [environment / "python", "-c", code],
        cwd=elsewhere,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert Path(shown.splitlines()[0]).is_relative_to(environment.parent)


@pytest.mark.thorough
def test_the_app_runs_from_the_wheel(
    environment: Path, elsewhere: Path, tmp_path: Path, chromium: Browser
) -> None:
    with running_app(
        tmp_path / "log", command=[str(environment / "prviz")], cwd=elsewhere
    ) as server:
        title, links = first_page(chromium, server)
        assert title == "Explore"
        assert len(links) == len(app_pages()) - 1
        for link in links:
            tab = open_tab(chromium, server.url)
            visit(tab.page, link)
            assert heading(tab.page) != "Explore"
            assert not tab.page.get_by_text("Page not found").count()
            tab.context.close()
            tab.check()


def first_page(chromium: Browser, server: AppServer) -> tuple[str, list[str]]:
    """Heading of the first page, and the addresses of the other pages in its navigation."""
    tab = open_tab(chromium, server.url)
    visit(tab.page, "/")
    links = [
        link.get_attribute("href") or ""
        for link in tab.page.get_by_test_id("stPageLink-NavLink").all()
    ]
    title = heading(tab.page)
    tab.context.close()
    tab.check()
    paths = ["/" + link.removeprefix(server.url).lstrip("/") for link in links]
    return title, [path for path in paths if path != "/"]


def heading(page: Page) -> str:
    return page.locator("h1").first.inner_text().strip()


def test_every_option_of_the_config_file_exists() -> None:
    # Streamlit itself only logs a line about an option it does not know.
    written = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    for section, options in written.items():
        for name, value in options.items():
            inner = value if isinstance(value, dict) else {"": None}
            for last in inner:
                option = ".".join(filter(None, (section, name, last)))
                streamlit_config.get_option(option)  # raises on an unknown one


def test_streamlits_own_charts_take_the_figures_colours() -> None:
    written = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert written["theme"]["chartCategoricalColors"] == [*FAMILY_COLORS.values(), *SPARE_COLORS]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_and_lines_stand_out_in_both_themes(name: str) -> None:
    written = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))[
        "theme"
    ][name]
    ground = written["backgroundColor"]
    aside = written["secondaryBackgroundColor"]
    for text in (written["textColor"], written["primaryColor"]):
        assert min(contrast(text, ground), contrast(text, aside)) >= 4.5
    assert (
        min(
            contrast(color, ground)
            for color in (*FAMILY_COLORS.values(), *SPARE_COLORS, TRUTH_COLOR)
        )
        >= 3
    )
    place = ("light", "dark").index(name)
    declared = dict(re.findall(r"--prviz-(ground|accent): light-dark\(([^)]*)\)", CSS))
    own = {variable: pair.split(", ")[place] for variable, pair in declared.items()}
    assert own == {"ground": ground, "accent": written["primaryColor"]}


def contrast(one: str, other: str) -> float:
    """Contrast of two hex colours (WCAG 2.2)."""
    dark, light = sorted(
        luminance([int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)]) for c in (one, other)
    )
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.exhaustive
def test_plain_streamlit_runs_the_checkout(tmp_path: Path, new_page: Callable[..., Page]) -> None:
    port = free_port()
    line = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(ROOT / "app.py"),
        "--server.headless=true",
    ]
    with (
        (tmp_path / "log").open("wb") as out,
        subprocess.Popen(
            [*line, f"--server.port={port}"],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        ) as process,
    ):
        try:
            server = AppServer(f"http://127.0.0.1:{port}", process, tmp_path / "log")
            wait_healthy(server)
            assert [handshake(server.url, host) for host in ("localhost:1", "evil.example")] == [
                101,
                403,
            ]
            assert [
                asked(server.url, "/", ("Host", host))[0]
                for host in ("localhost:1", "evil.example")
            ] == [200, 421]
            page = new_page(url=server.url)
            visit(page)
            expect(page.locator(".live[data-revision]").first).to_be_visible()
        finally:
            process.terminate()
            process.wait(timeout=20)
