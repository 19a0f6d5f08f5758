"""What ``import prviz`` loads, and which module may import which: one direction, no circles."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import prviz
from tests.browser import app_pages

PACKAGE = Path(__file__).resolve().parent.parent / "prviz"
HEAVY = ("streamlit", "plotly", "pandas", "sklearn", "faiss", "scipy", "pyarrow")

# A folder imports only from earlier lines; those of one line don't know each other.
LAYERS = (
    ("prviz.arrays",),
    (
        "prviz.arguments",
        "prviz.array_input",
        "prviz.cells",
        "prviz.missing",
        "prviz.quoting",
        "prviz.random_network",
        "prviz.warning",
    ),
    ("prviz.samples", "prviz.curves"),
    ("prviz.readers", "prviz.neighbors", "prviz.toys", "prviz.recent"),
    ("prviz.checks",),
    ("prviz.estimators", "prviz.server"),
    ("prviz.measure",),
    ("prviz.approximation", "prviz.uncertainty", "prviz.diagnostics"),
    ("prviz.studies",),
    ("prviz.triage", "prviz.figures", "prviz.embed", "prviz.benchmark"),
    ("prviz.reports",),
    ("prviz.live",),
    ("prviz.cli", "prviz.notebook"),
    ("prviz.__main__",),
)
KNOW_STREAMLIT = {"prviz.server.internals", "prviz.server.sessions"}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "_app" not in path.parts)


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def unit(module: str) -> str:
    """The folder below ``prviz`` that a module is in, or the module itself."""
    return ".".join(module.split(".")[:2])


@cache
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(text(path))


def statements(block: ast.AST) -> Iterator[ast.AST]:
    """Every statement of a file, wherever in it, without the expressions, which are most of it."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(block, part, ()):
            yield each
            yield from statements(each)


def for_types_alone(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def imported(path: Path, *, for_types: bool = True) -> set[str]:
    """Every module that a file imports, wherever in it; ``for_types``: also what only type checkers
    see.
    """
    names: set[str] = set()
    body = [node for node in tree(path).body if for_types or not for_types_alone(node)]
    for node in statements(ast.Module(body, [])):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names |= {
                full if (full := f"{module}.{alias.name}") in MODULES else module
                for alias in node.names
            }
    return names


def fresh(code: str) -> str:
    """What a new interpreter prints, with the checkout first on its path."""
    script = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); {code}"
    return subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = json.loads(fresh("import prviz, json; print(json.dumps(sorted(sys.modules)))"))
    assert "prviz" in loaded
    assert not {name.split(".")[0] for name in loaded} & set(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    """Nor asyncio, which the server alone needs."""
    code = (
        "from prviz.cli.main import _parser; _parser(); import json; "
        "print(json.dumps(sorted(sys.modules)))"
    )
    assert not {name.split(".")[0] for name in json.loads(fresh(code))} & {*HEAVY, "asyncio"}


@pytest.mark.parametrize("name", [name for name in prviz.__all__ if name != "__version__"])
def test_every_public_name_loads_and_is_listed(name: str) -> None:
    assert getattr(prviz, name) is not None
    assert name in dir(prviz)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'pr_curves'"):
        prviz.pr_curves  # noqa: B018


def test_layers() -> None:
    wrong = []
    for name in sorted(MODULES.keys() - {"prviz"}):
        assert unit(name) in RANK, f"{name} has no place among the layers"
        others = {
            other
            for other in imported(MODULES[name])
            if other.startswith("prviz.") and unit(other) != unit(name)
        }
        wrong += [
            f"{name} imports {other}, which is not below it"
            for other in others
            if RANK[unit(other)] >= RANK[unit(name)]
        ]
    assert not wrong


def test_streamlit_and_plotly_stay_in_their_layers() -> None:
    for name in MODULES:
        tops = {other.split(".")[0] for other in imported(MODULES[name], for_types=False)}
        assert "streamlit" not in tops or name in {
            "prviz.server.internals",
            "prviz.server.sessions",
        }, name
        assert "plotly" not in tops or unit(name) in {"prviz.figures", "prviz.cli"}, name


def test_no_import_is_hidden_from_the_layers() -> None:
    """By name the package imports its own public names (``prviz/__init__.py``), the shell the
    command of its own folder that is called, the papers' experiments the modules of their folder,
    and learners a module of scikit-learn.
    """
    calls = set()
    for name in [
        name for name, path in MODULES.items() if re.search("import_module|__import__", text(path))
    ]:
        for node in ast.walk(tree(MODULES[name])):
            named = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
            if named in {"import_module", "__import__"}:
                calls.add(name)
    assert calls == {
        "prviz",
        "prviz.cli.main",
        "prviz.estimators.learners",
        "prviz.studies.papers",
    }


def test_modules_import_each_other_in_one_direction() -> None:
    """No circle among modules, also where a folder's ``__init__`` imports its own modules."""
    graph = {
        name: {other for other in imported(path) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    # its imports are lazy, or of modules that don't import it for more than its version
    del graph["prviz"]
    done: set[str] = set()
    while ready := {
        name
        for name, others in graph.items()
        if name not in done and not (others & graph.keys()) - done
    }:
        done |= ready
    assert done == graph.keys(), f"circle among {sorted(graph.keys() - done)}"


def test_a_class_name_exists_once() -> None:
    places: dict[str, set[str]] = {}
    for path in [*FILES, *(PACKAGE.parent / "pages").rglob("*.py")]:
        for name in re.findall(r"^ *class (\w+)", text(path), re.MULTILINE):
            places.setdefault(name, set()).add(str(path))
    assert not {name: sorted(found) for name, found in places.items() if len(found) > 1}


def test_the_app_lists_every_page_with_the_folder_of_its_parts() -> None:
    root = PACKAGE.parent
    listed = {name: folder for name, _, folder in app_pages()}
    assert sorted(listed) == sorted(path.stem for path in (root / "pages").glob("*.py")), (
        "each file of pages/ has its line in PAGES of app.py"
    )
    shared = {name.removeprefix("pages.") for name in PAGE_LAYERS}
    for name, folder in listed.items():
        parts = {
            each.split(".")[1]
            for each in imported(root / "pages" / f"{name}.py")
            if each.startswith("pages._")
        }
        assert parts - shared <= {folder}, (
            f"PAGES of app.py names no folder of pages/{name}.py that it imports from"
        )
        assert not folder or (root / "pages" / folder / "__init__.py").is_file(), (
            f"pages/{folder}/__init__.py is missing"
        )


# Of the pages: what each folder may import; the folders of single pages import from all of these.
PAGE_LAYERS = {
    "pages._work": set(),
    "pages._live": set(),
    "pages._shared": {"pages._work", "pages._live"},
}


def test_pages_import_each_other_in_one_direction() -> None:
    """No circle among them, not for types either."""
    files = {
        path.relative_to(PACKAGE.parent): path for path in (PACKAGE.parent / "pages").rglob("*.py")
    }
    modules = {
        ".".join(name.with_suffix("").parts).removesuffix(".__init__"): path
        for name, path in files.items()
    }
    graph = {}
    for name, path in modules.items():
        named = set()
        for node in statements(tree(path)):
            if isinstance(node, ast.ImportFrom):
                named |= {
                    str(node.module),
                    *(f"{node.module}.{alias.name}" for alias in node.names),
                }
        graph[name] = {
            other for other in named & modules.keys() if not name.startswith(f"{other}.")
        } - {name}
    done: set[str] = set()
    while ready := {
        name for name, others in graph.items() if name not in done and not others - done
    }:
        done |= ready
    assert done == graph.keys(), f"circle among {sorted(graph.keys() - done)}"


@pytest.mark.parametrize("folder", PAGE_LAYERS)
def test_what_pages_share_imports_nothing_of_single_pages(folder: str) -> None:
    for path in (PACKAGE.parent / folder.replace(".", "/")).glob("*.py"):
        others = {unit(name) for name in imported(path) if name.startswith("pages")} - {folder}
        assert others <= PAGE_LAYERS[folder], path.name


@pytest.mark.thorough
def test_the_modules_of_all_pages_are_imported_from_several_threads() -> None:
    script = """
import sys, threading
from pages._shared.imports import import_folder
errors = []
threading.excepthook = lambda args: errors.append(args.exc_value)
names = ["pages._explore", "pages._triage", "pages._learn", "pages._lab"]
threads = [threading.Thread(target=import_folder, args=(name,)) for name in names * 2]
for each in threads:
    each.start()
for each in threads:
    each.join()
assert not errors, errors
assert {"pages._explore.space", "pages._triage.work", "pages._learn.course", "pages._lab.sweep"} <= set(sys.modules)
"""
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script],
        cwd=PACKAGE.parent,
        check=True,
        capture_output=True,
    )
