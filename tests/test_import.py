"""What ``import prviz`` loads, and which module may import which: one direction, no circles."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import prviz

PACKAGE = Path(__file__).resolve().parent.parent / "prviz"
HEAVY = ("streamlit", "plotly", "pandas", "sklearn", "faiss", "scipy", "pyarrow")

# A module imports only from earlier lines; those of one line don't know each other.
LAYERS = (
    ("prviz.paths", "prviz.below", "prviz._hull", "prviz._faiss", "prviz._terminal", "prviz._whole"),
    ("prviz.samples", "prviz.curves", "prviz._hosts", "prviz._private_folders"),
    ("prviz.neighbors", "prviz.summaries", "prviz._band", "prviz.projection", "prviz._facts"),
    ("prviz.tail", "prviz.landmarks", "prviz._tasks"),
    ("prviz._kept",),
    ("prviz._list_counts",),
    ("prviz.readers", "prviz.ground_truth", "prviz.bundled", "prviz.workload"),
    ("prviz.toys", "prviz.discrete", "prviz.media", "prviz._server"),
    ("prviz.failures",),
    ("prviz.estimators",),
    ("prviz.evaluate", "prviz._sampled_exact", "prviz.scalars", "prviz.groups"),
    ("prviz._list_job", "prviz._resampling", "prviz.votes", "prviz.cosupport", "prviz.support_balls"),
    ("prviz.uncertainty", "prviz.convergence"),
    ("prviz.paired",),
    ("prviz.approximation", "prviz.parity", "prviz._cells"),
    ("prviz.profiles", "prviz._findings", "prviz.sweeps", "prviz._dask"),
    ("prviz.preflight", "prviz.settings", "prviz.extremes", "prviz.experiments", "prviz.hybrid", "prviz.battery"),
    ("prviz.autopsy",),
    ("prviz.triage",),
    ("prviz.snippet", "prviz.figures"),
    ("prviz.export",),
    ("prviz.reports", "prviz.trackers"),
    ("prviz._triage_outputs", "prviz._rerun_command"),
    (
        "prviz._curve_command",
        "prviz._sweep_command",
        "prviz._experiment_command",
        "prviz._battery_command",
        "prviz._triage_command",
    ),
    ("prviz.cli",),
    ("prviz.__main__",),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if "_app" not in path.parts)


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in FILES}


def unit(module: str) -> str:
    """The module itself or the package below ``prviz`` that it is a part of."""
    return ".".join(module.split(".")[:2])


def imported(path: Path, *, for_types: bool = True) -> set[str]:
    """Every module that a file imports, wherever in it; ``for_types``: also what only type checkers see."""
    names: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not for_types:
        tree.body = [node for node in tree.body if ast.unparse(node).split(":")[0] != "if TYPE_CHECKING"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            names |= {full if (full := f"{module}.{alias.name}") in MODULES else module for alias in node.names}
    return names


def fresh(code: str) -> str:
    """What a new interpreter prints, with the checkout first on its path."""
    script = f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); {code}"
    return subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout


def test_import_loads_nothing_heavy() -> None:
    loaded = json.loads(fresh("import prviz, json; print(json.dumps(sorted(sys.modules)))"))
    assert "prviz" in loaded
    assert not {name.split(".")[0] for name in loaded} & set(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    code = "from prviz.cli import _parser; _parser(); import json; print(json.dumps(sorted(sys.modules)))"
    assert not {name.split(".")[0] for name in json.loads(fresh(code))} & set(HEAVY)


@pytest.mark.parametrize("name", [name for name in prviz.__all__ if name != "__version__"])
def test_every_public_name_loads_and_is_listed(name: str) -> None:
    assert getattr(prviz, name) is not None
    assert name in dir(prviz)


def test_preflight_is_the_function_even_after_its_module_was_imported() -> None:
    code = "import prviz.preflight; from prviz import preflight; print(preflight.__name__)"
    assert fresh(code).strip() == "preflight"


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'pr_curves'"):
        prviz.pr_curves  # noqa: B018


@pytest.mark.parametrize("name", sorted(MODULES))
def test_layers(name: str) -> None:
    if name == "prviz":
        return
    assert unit(name) in RANK, f"{name} has no place among the layers"
    for other in imported(MODULES[name]):
        if other.startswith("prviz.") and unit(other) != unit(name):
            assert RANK[unit(other)] < RANK[unit(name)], f"{name} imports {other}, which is not below it"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_streamlit_and_plotly_stay_in_their_layers(name: str) -> None:
    tops = {other.split(".")[0] for other in imported(MODULES[name], for_types=False)}
    assert "streamlit" not in tops or name in {"prviz._server", "prviz.cli"}
    assert "plotly" not in tops or unit(name) in {"prviz.figures", "prviz.cli"}


def test_modules_of_one_package_import_each_other_in_one_direction() -> None:
    graph = {
        name: {other for other in imported(path) if other in MODULES and other != name}
        for name, path in MODULES.items()
    }
    del graph["prviz"]  # its imports are lazy, or of modules that don't import it for more than its version
    done: set[str] = set()
    while ready := {name for name, others in graph.items() if name not in done and not (others & graph.keys()) - done}:
        done |= ready
    assert done == graph.keys(), f"circle among {sorted(graph.keys() - done)}"
