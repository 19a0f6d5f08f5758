"""How many small faults in the sources the tests let pass: mutants drawn at random, each in a copy
of the checkout.

`python -m tests.benchmarks.mutants --count 400 --seed 39 --out FILE.jsonl` draws mutants from
FOLDERS, makes one at a time and runs the tests near the changed line until one fails. A stopped run
goes on from its file of results.

`pip install cosmic-ray && python -m tests.benchmarks.mutants --count 12 --seed 5 --steady --folders
curves uncertainty --most 1` is the small run among the checks: the same twelve as long as their
lines stay as they are.

Cosmic Ray makes the mutants: its operators reach constants of modules, defaults and decorators as
well as functions. Instead of a Python of its own for each, a process that has loaded all libraries
forks: about 2 s a mutant.

The tests of a mutant are KEPT, those of the files of its module's name,
``tests/FOLDER/test_MODULE*.py``, of the files beside them that import it, of OF_FOLDERS and OF_ALL;
with ``--coverage`` those that run the changed line, the nearest and shortest first (this needs
pytest-cov):

    pytest -n 2 -m "not browser and not exhaustive" --cov=prviz --cov-context=test --durations=0 -vv
    | tee LOG python -m tests.benchmarks.mutants --coverage .coverage --durations LOG ...

On a busy machine the durations grow, and ``--budget`` with them; else it leaves out tests that see
the mutant.

Mutants of annotations and inside of f-strings are not drawn: the first are never run, the second
are text. Neither are those of `strict=`, a check of what is always true, and of caches, which
change the time alone. Of the others, those that change no result whatever the input are listed
with their reasons in equivalent_mutants.json, and counted for themselves: by the text of their
line, before and after.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.provider import OperatorProvider

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("curves", "estimators", "measure", "triage", "uncertainty", "readers")
# Of Cosmic Ray's operators those that a slip of the pen could make: `a + b` for `a - b`, not `a <<
# b`, which is a TypeError in any test and would only raise the share that is found.
BINARY = (
    "Add_Sub",
    "Sub_Add",
    "Mul_Div",
    "Div_Mul",
    "FloorDiv_Div",
    "Mod_FloorDiv",
    "Pow_Mul",
    "BitAnd_BitOr",
    "BitOr_BitAnd",
)
COMPARISONS = (
    *("Lt_LtE", "Lt_Gt", "LtE_Lt", "LtE_GtE", "Gt_GtE", "Gt_Lt", "GtE_Gt", "GtE_LtE"),
    *("Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"),
)
OPERATORS = (
    *(f"ReplaceBinaryOperator_{each}" for each in BINARY),
    *(f"ReplaceComparisonOperator_{each}" for each in COMPARISONS),
    *(
        "ReplaceUnaryOperator_Delete_USub",
        "ReplaceUnaryOperator_Delete_Not",
        "ReplaceUnaryOperator_Delete_Invert",
    ),
    *(
        "AddNot",
        "ReplaceTrueWithFalse",
        "ReplaceFalseWithTrue",
        "ReplaceAndWithOr",
        "ReplaceOrWithAnd",
    ),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ZeroIterationForLoop"),
    *("ExceptionReplacer", "NumberReplacer", "RemoveDecorator"),
)
# Tests that see most slips, which come first; those that any module may meet, and those of whole
# folders, beside those of a module's own name.
KEPT_NUMBERS = "tests/test_kept_numbers.py"
GROUPS = {each: each for each in ("curves", "estimators", "uncertainty", "triage")}
KEPT = {
    folder: (f"{KEPT_NUMBERS}::test_numbers_of_drawn_pairs_are_those_kept[{group}]",)
    for folder, group in (GROUPS | {"measure": "measures"}).items()
} | {"readers": ("tests/readers/test_kept_outcomes.py",)}
OF_ALL = (
    *("tests/test_constants.py", "tests/test_signatures.py"),
    *("tests/test_edges.py", "tests/test_edges_of_numbers.py"),
)
WHOLE_WAY = ("tests/measure/test_whole_way.py", KEPT_NUMBERS)
OF_FOLDERS = {
    "readers": ("tests/readers/test_refusals.py",),
    "triage": ("tests/triage/test_kept_decisions.py", KEPT_NUMBERS),
    "uncertainty": (KEPT_NUMBERS,),
    **dict.fromkeys(("curves", "estimators", "measure"), WHOLE_WAY),
}
# The tests of each run of .ci/run: the thorough ones hold what the rules of Triage decide.
MARKS = "not browser and not exhaustive"
CACHES = (".hypothesis", ".ruff_cache", ".mypy_cache", ".pytest_cache")
# Seconds of tests for one mutant, as measured with coverage.
BUDGET_S = 20.0
# Seconds of processor time and of wall time from which on a run counts as hanging; the first hold
# on a busy machine.
HANGS_CPU_S = 240
HANGS_S = 600.0
SURVIVES = ("passed", "none")
# Each by the texts of its PLACE, with a reason.
PLACE = ("file", "before", "after")
EQUIVALENT = json.loads(Path(__file__).with_name("equivalent_mutants.json").read_text("utf-8"))


@dataclass(frozen=True)
class Mutant:
    """One change of one place.

    before, after : the lines that differ. marker : True of the `*` of a signature, taken for a
    product.
    """

    file: str
    operator: str
    occurrence: int
    line: int
    column: int
    before: str = field(compare=False)
    after: str = field(compare=False)
    marker: bool = field(compare=False, default=False)

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line}:{self.column}:{self.operator}:{self.occurrence}"


def changes_no_result(node: Any) -> bool:
    """True inside of an f-string, an annotation, the value of a type alias, `strict=` or the
    decorator of a cache.
    """
    while (parent := node.parent) is not None:
        if parent.type.startswith("fstring"):
            return True
        if parent.type == "annassign":  # : annotation, and perhaps = value
            annotation = parent.children[1]
            if node is annotation or "TypeAlias" in annotation.get_code():
                return True
        if parent.type == "tfpdef" and node is parent.children[-1]:
            return True
        if parent.type == "funcdef" and node is parent.annotation:
            return True
        if parent.type == "argument" and parent.children[0].get_code().strip() == "strict":
            return True
        if parent.type == "decorator" and "cache" in parent.get_code():
            return True
        node = parent
    return False


def mutants_of(root: Path, files: Iterable[Path]) -> Iterator[Mutant]:
    """Every mutant of some files."""
    provider = OperatorProvider()
    for path in files:
        text = path.read_text("utf-8")
        lines = text.splitlines()
        tree = get_ast(text)
        for name in OPERATORS:
            operator = provider[name]()
            places = (
                (node, place)
                for node in ast_nodes(tree)
                for place in operator.mutation_positions(node)
            )
            for occurrence, (node, (start, _)) in enumerate(places):
                inside = tree.get_leaf_for_position(start) or node
                if changes_no_result(node) or changes_no_result(inside):
                    continue
                file = path.relative_to(root).as_posix()
                marker = name.startswith("ReplaceBinary") and inside.parent.type in (
                    "parameters",
                    "argument",
                )
                before = lines[start[0] - 1].strip()
                yield Mutant(file, name, occurrence, start[0], start[1], before, "", marker)


def draw(
    root: Path, count: int, seed: int, files: Sequence[Path], *, steady: bool = False
) -> list[Mutant]:
    """Mutants at ``count`` places in random order: first the place is drawn, then one of its
    mutants.

    steady : True to draw by the texts of the lines, so that a change elsewhere leaves the others as
    they are.
    """
    places = defaultdict[tuple[str, int, int], list[Mutant]](list)
    for each in mutants_of(root, files):
        places[each.file, each.line, each.column].append(each)

    def chance(mutants: list[Mutant]) -> bytes:
        one = mutants[0]
        return hashlib.sha256(f"{seed} {one.file} {one.column} {one.before}".encode()).digest()

    stream = random.Random(seed)
    if steady:
        chosen = sorted(places, key=lambda place: chance(places[place]))[:count]
        mutants = [places[place][chance(places[place])[0] % len(places[place])] for place in chosen]
    else:
        chosen = stream.sample(sorted(places), min(count, len(places)))
        mutants = [
            stream.choice(sorted(places[place], key=lambda each: each.key)) for place in chosen
        ]
    return [each for each in mutants if not each.marker]


def found_again(
    root: Path, rows: Sequence[dict[str, Any]], files: Sequence[Path]
) -> dict[str, Mutant]:
    """The mutants of earlier results in the sources as they are now, by their earlier key.

    Those of changed lines are left out; of equal lines the one that has moved least is taken.
    """
    by_text = defaultdict[tuple[str, str, int, str], list[Mutant]](list)
    for each in mutants_of(root, files):
        by_text[each.file, each.operator, each.column, each.before].append(each)
    found = {}
    for row in rows:
        same = by_text[row["file"], row["operator"], row["column"], row["before"]]
        # a number has two mutants: one more and one less
        alike = [
            each for each in same if each.occurrence % 2 == row["occurrence"] % 2 or len(same) == 1
        ]
        if "NumberReplacer" not in row["operator"]:
            alike = same
        if alike:
            found[row["key"]] = min(alike, key=lambda each: abs(each.line - row["line"]))
    return found


class Tests:
    """Which tests a mutant meets."""

    def __init__(
        self,
        root: Path,
        coverage: Path | None,
        durations: Path | None,
        budget: float,
        first: Sequence[str],
    ) -> None:
        self.root, self._budget, self._first = root, budget, tuple(first)
        self._seconds: dict[str, float] = {}
        self._failed = set[str]()
        if durations is not None:
            for line in durations.read_text().splitlines():
                if found := re.match(r"([\d.]+)s (?:call|setup|teardown) +(tests/.*\S)", line):
                    self._seconds[found[2]] = self._seconds.get(found[2], 0.0) + float(found[1])
                elif found := re.match(r"(?:FAILED|ERROR) (tests/\S+)", line):
                    self._failed.add(found[1])
        self._data = None
        if coverage is not None:
            from coverage import CoverageData

            self._data = CoverageData(str(coverage))
            self._data.read()
            self._measured = {
                Path(name).as_posix().partition("/prviz/")[2]: name
                for name in self._data.measured_files()
            }
            self._lines: dict[str, dict[int, list[str]]] = {}

    def _of_lines(self, file: str) -> dict[int, list[str]]:
        """Tests by line."""
        if file not in self._lines:
            name = self._measured.get(file.removeprefix("prviz/"))
            found = (
                {} if name is None or self._data is None else self._data.contexts_by_lineno(name)
            )
            self._lines[file] = {
                line: sorted({each.rpartition("|")[0] or each for each in contexts if each})
                for line, contexts in found.items()
            }
        return self._lines[file]

    def of(self, mutant: Mutant, line: int | None = None) -> tuple[list[str], bool]:
        """Files or names of tests, the nearest first, and whether the budget left some out.

        line : where the mutant stood when coverage was measured; None: where it stands.
        """
        folder = Path(mutant.file).parts[1]
        first = [*self._first, *KEPT.get(folder, (KEPT_NUMBERS,))]
        near = [*first, *self.near(mutant.file)]
        if self._data is None:
            return near, False
        lines = self._of_lines(mutant.file)
        found = set(lines.get(line or mutant.line, ()))
        # a line of a module or class, or one that only other processes run: all tests of the file
        if not found:
            found = {each for tests in lines.values() for each in tests}
            found |= self._of_readers(mutant)

        def order(test: str) -> tuple[bool, bool, float]:
            file = test.partition("::")[0]
            return (
                file not in near,
                not file.startswith(f"tests/{folder}/"),
                self._seconds.get(test, 0.01),
            )

        chosen = [*first, OF_ALL[0]]
        seconds = 0.0
        for test in sorted(found - self._failed, key=lambda each: (order(each), each)):
            if test.partition("::")[0] in chosen:
                continue
            seconds += self._seconds.get(test, 0.01)
            if seconds > self._budget and seconds > self._seconds.get(test, 0.01):
                return chosen, True
            chosen.append(test)
        return chosen, False

    def _of_readers(self, mutant: Mutant) -> set[str]:
        """Tests of the lines, anywhere, that name the constant which a line of a module sets."""
        found = re.match(r"([A-Z_][A-Z0-9_]+)\b.*=", mutant.before)
        if found is None:
            return set()
        tests = set[str]()
        word = re.compile(rf"\b{found[1]}\b")
        for file in self._measured:
            for number, line in enumerate(
                (self.root / "prviz" / file).read_text("utf-8").splitlines(), start=1
            ):
                if word.search(line):
                    tests |= set(self._of_lines(f"prviz/{file}").get(number, ()))
        return tests

    def near(self, file: str) -> list[str]:
        """The test files of the same name, or whose name begins with it, then those beside them
        that import it.
        """
        path = Path(file).relative_to("prviz")
        package = path.stem == "__init__"
        stem = path.parent.name if package else path.stem.strip("_")
        folder = self.root / "tests" / path.parent
        module = ".".join(path.parent.parts if package else path.with_suffix("").parts)
        parent, _, name = f"prviz.{module}".rpartition(".")
        ways = (
            rf"\bprviz\.{re.escape(module)} import ",
            rf"\bfrom {re.escape(parent)} import (\([^)]*|[^(\n]*)\b{name}\b",
        )
        imported = re.compile("|".join(ways))
        found = sorted(folder.glob(f"test_{stem}*.py"))
        others = [
            each
            for each in sorted(folder.glob("test_*.py"))
            if imported.search(each.read_text("utf-8"))
        ]
        names = list(
            dict.fromkeys(each.relative_to(self.root).as_posix() for each in (*found, *others))
        )
        return [*names, *OF_FOLDERS.get(path.parts[0], ()), *OF_ALL] if names else []


class _Chosen:
    """A plugin of pytest: the chosen tests alone, in their order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(tests)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        def place(item: pytest.Item) -> int:
            return self._place.get(item.nodeid, self._place.get(item.nodeid.partition("::")[0], -1))

        items[:] = sorted((each for each in items if place(each) >= 0), key=place)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.failed:
            self.failed = report.nodeid

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.failed:
            self.failed = f"collection of {report.nodeid}"


def _in_child(root: Path, tests: Sequence[str], log: Path, answer: Path) -> None:
    """Run pytest in this process, which ends with it."""
    os.setsid()
    used = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (used + HANGS_CPU_S, used + HANGS_CPU_S + 1))
    stream = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(stream, 1)
    os.dup2(stream, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(root)
    sys.path[:] = [str(root), *(each for each in sys.path if each not in ("", str(ROOT)))]
    os.environ["PYTHONPATH"] = str(root)
    plugin = _Chosen(tests)
    files = list(dict.fromkeys(each.partition("::")[0] for each in tests))
    line = ["-x", "-q", "--tb=line", "-p", "no:cacheprovider", "-m", MARKS]
    line += [
        "-W",
        "ignore:Module already imported",
        "-o",
        "addopts=--import-mode=importlib --strict-markers",
        "--rootdir",
        str(root),
    ]
    try:
        code = int(pytest.main([*line, *files], plugins=[plugin]))
    except BaseException as error:  # noqa: BLE001
        code = 3
        plugin.failed = plugin.failed or repr(error)
    answer.write_text(json.dumps([code, plugin.failed]))
    sys.stdout.flush()
    os._exit(0)


def run_tests(root: Path, tests: Sequence[str], log: Path, seconds: float) -> tuple[str, str]:
    """What became of the tests, "passed", "failed", "hangs", "died" or "none", and which failed
    first.
    """
    if not tests:
        return "none", ""
    answer = log.with_suffix(".json")
    answer.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _in_child(root, tests, log, answer)
    ends = time.monotonic() + seconds
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() > ends:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hangs", ""
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what the tests left running
    if os.WIFSIGNALED(ended[1]) and os.WTERMSIG(ended[1]) == signal.SIGXCPU:
        return "hangs", ""
    if not answer.exists():
        return "died", ""
    code, failed = json.loads(answer.read_text())
    return {0: "passed", 5: "none"}.get(code, "failed"), failed


class NoMutantError(ValueError):
    """A place that its operator does not change."""


@contextlib.contextmanager
def mutated(root: Path, mutant: Mutant) -> Iterator[str]:
    """The mutant in its file, which is put back afterwards with its time, so that compiled modules
    stay valid.
    """
    path = root / mutant.file
    text = path.read_bytes()
    times = path.stat()
    try:
        changed = mutate_code(
            text.decode(), OperatorProvider()[mutant.operator](), mutant.occurrence
        )
    except AttributeError:  # Cosmic Ray replaces no exception that is an attribute of a module
        changed = None
    if changed is None:
        raise NoMutantError(f"{mutant.key}: no such mutant")
    pairs = zip(text.decode().splitlines(), changed.splitlines(), strict=False)
    path.write_text(changed, "utf-8")
    try:
        yield next((new.strip() for old, new in pairs if new != old), "")
    finally:
        path.write_bytes(text)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def load_libraries(root: Path, folders: Iterable[str]) -> None:
    """Import what the tests of these folders import, without prviz itself: a fork then has it."""
    code = (
        "import sys, pytest; pytest.main(['--collect-only', '-qq', '-p', 'no:cacheprovider', '-o', "
        "'addopts=--import-mode=importlib', *sys.argv[1:]]); sys.stderr.write('MODULES ' + ' "
        "'.join(sys.modules))"
    )
    line = [
        sys.executable,
        "-c",
        code,
        *(f"tests/{each}" for each in folders),
        "tests/test_edges.py",
    ]
    found = subprocess.run(
        line,
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    names = found.stderr.rpartition("MODULES ")[2].split()
    for name in names:
        if name.partition(".")[0] not in (
            "prviz",
            "pages",
            "tests",
            "app",
            "conftest",
            "__main__",
            "sitecustomize",
        ):
            with contextlib.suppress(Exception):
                importlib.import_module(name)


def wilson(part: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.959963984540054
    share = part / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z * ((share * (1 - share) / of + z * z / (4 * of * of)) ** 0.5) / (1 + z * z / of)
    return middle - half, middle + half


def run(
    root: Path,
    chosen: Mapping[str, Mutant],
    tests: Tests,
    out: Path,
    *,
    folders: Iterable[str] = FOLDERS,
    hangs: float = HANGS_S,
) -> list[dict[str, Any]]:
    """Each mutant in turn, in a copy of the checkout; results that ``out`` has already are not made
    again.
    """
    known: dict[str, dict[str, Any]] = {}
    if out.exists():
        known = {each["key"]: each for each in map(json.loads, out.read_text().splitlines())}
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "checkout"
        shutil.copytree(
            root,
            copy,
            ignore=shutil.ignore_patterns(".git", "node_modules", *CACHES),
            symlinks=True,
        )
        load_libraries(copy, folders)
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
        gc.freeze()
        results = []
        tests.root = copy  # its tests: those of the checkout may have changed since
        for mutant in {each.file.split("/")[1]: each for each in chosen.values()}.values():
            names, _ = tests.of(mutant)
            if (found := run_tests(copy, names, Path(folder) / "log", hangs))[0] != "passed":
                raise RuntimeError(
                    f"without a mutant: {found}, {(Path(folder) / 'log').read_text()[-2000:]}"
                )
        for key, mutant in chosen.items():
            result = known.get(key)
            if result is None:
                began = time.monotonic()
                names, cut = tests.of(mutant, int(key.split(":")[1]))
                try:
                    with mutated(copy, mutant) as after:
                        outcome, failed = run_tests(copy, names, Path(folder) / "log", hangs)
                except NoMutantError:
                    continue
                result = {
                    "key": key,
                    **asdict(mutant),
                    "after": after,
                    "outcome": outcome,
                    "failed": failed,
                }
                result |= {
                    "tests": len(names),
                    "cut": cut,
                    "seconds": round(time.monotonic() - began, 1),
                }
                with out.open("a") as stream:
                    stream.write(json.dumps(result) + "\n")
            results.append(result)
    return results


def is_equivalent(result: Mapping[str, Any]) -> bool:
    """True for a mutant that is known to change no result."""
    return any(all(result[name] == each[name] for name in PLACE) for each in EQUIVALENT)


def share_text(part: int, of: int) -> str:
    low, high = wilson(part, of)
    return (
        f"{part} of {of} mutants survive: {100 * part / of:.1f} % ({100 * low:.1f} to"
        f" {100 * high:.1f} %, Wilson, 95 %)"
    )


def summary(results: Sequence[dict[str, Any]]) -> str:
    """The mutants that survive, and their share: of all, and of those that can change a result."""
    real = [each for each in results if not is_equivalent(each)]
    if not real:
        return "no mutant"
    alive = [each for each in real if each["outcome"] in SURVIVES]
    lines = [
        f"{each['file']}:{each['line']}: {each['before']}\n    -> {each['after']}" for each in alive
    ]
    same = len(results) - len(real)
    return "\n".join(
        [
            *lines,
            share_text(len(alive), len(real)),
            f"with {same} that change no result: {share_text(len(alive) + same, len(results))}",
        ]
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Mutants of the sources, and how many the tests let pass."
    )
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=39)
    parser.add_argument(
        "--out", type=Path, help="results, one JSON a line; a stopped run goes on from them"
    )
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--coverage", type=Path)
    parser.add_argument("--durations", type=Path)
    parser.add_argument("--budget", type=float, default=BUDGET_S)
    parser.add_argument(
        "--like", type=Path, help="instead of drawing: the mutants of these results, found again"
    )
    parser.add_argument("--alive", action="store_true", help="of --like those that survived")
    parser.add_argument(
        "--first", nargs="*", default=(), help="test files that every mutant meets first"
    )
    parser.add_argument("--folders", nargs="*", default=FOLDERS)
    parser.add_argument(
        "--steady", action="store_true", help="draw by the texts of the lines, not by their places"
    )
    parser.add_argument(
        "--part",
        type=int,
        nargs=2,
        default=(0, 1),
        metavar=("PLACE", "OF"),
        help=(
            "of the mutants every OF-th from PLACE on, from 0, so that several processes share them"
        ),
    )
    parser.add_argument("--most", type=int, help="most survivors; exit with 1 if there are more")
    given = parser.parse_args(arguments)
    root = given.root.resolve()
    tests = Tests(root, given.coverage, given.durations, given.budget, given.first)
    files = [
        path for folder in given.folders for path in sorted((root / "prviz" / folder).rglob("*.py"))
    ]
    if given.coverage is None:
        files = [path for path in files if tests.near(path.relative_to(root).as_posix())]
    if given.like is None:
        chosen = {
            each.key: each
            for each in draw(root, given.count, given.seed, files, steady=given.steady)
        }
    else:
        rows = [json.loads(line) for line in given.like.read_text().splitlines()]
        rows = [each for each in rows if not given.alive or each["outcome"] in SURVIVES]
        chosen = found_again(root, rows, files)
        sys.stdout.write(
            f"{len(rows) - len(chosen)} of {len(rows)} stood in lines that have changed\n"
        )
    place, parts = given.part
    chosen = dict(list(chosen.items())[place::parts])
    with tempfile.TemporaryDirectory() as folder:
        results = run(
            root, chosen, tests, given.out or Path(folder) / "results.jsonl", folders=given.folders
        )
    sys.stdout.write(summary(results) + "\n")
    alive_now = sum(each["outcome"] in SURVIVES and not is_equivalent(each) for each in results)
    return int(given.most is not None and alive_now > given.most)


if __name__ == "__main__":
    sys.exit(main())
