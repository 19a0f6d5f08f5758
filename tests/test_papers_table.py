"""docs/papers.md: every numbered item of the papers has its line, every name in it exists, every
figure is computed.
"""

from __future__ import annotations

import json
import re
from importlib import import_module
from importlib.util import find_spec

import pytest

from prviz.estimators.hub import HUB
from prviz.readers.bundled import bundled_names
from prviz.studies.papers import EXPERIMENTS
from prviz.studies.papers.gaussians import PUBLISHED
from prviz.studies.papers.printed import PLACE, printed_in, printed_numbers
from prviz.toys import TOYS
from tests.browser import ROOT
from tests.papers_table import DOCUMENT, HERE, NOTHING, SLOW, hub_errors, lines, measured_numbers

TEXT = DOCUMENT.read_text("utf-8")
LINES = {line.key: line for line in lines()}
# As numbered in the papers; "4-6" for 4, 5 and 6.
NUMBERED = {
    "2018": {"Definition": "1-2", "Theorem": "1-2", "Lemma": "1", "Figure": "1-12"},
    "2019": {
        "Definition": "1-3",
        "Theorem": "1-5",
        "Lemma": "1",
        "Algorithm": "1",
        "Figure": "1-6",
    },
    "hubs": {"Figure": "1-3", "Table": "1-2", "Observation": "1-2"},
    "2024": {
        "Definition": "2.1",
        "Proposition": "2.2",
        "Theorem": "3.1",
        "Figure": "1-8",
        "Table": "1",
    },
    "2026": {
        "Definition": "1-4 19",
        "Theorem": "5-6",
        "Lemma": "7-9 11 22",
        "Remark": "10 12-13 15-18",
        "Proposition": "14 20-21",
        "Example": "1",
        "Figure": "1-16",
        "Table": "1",
    },
}


def numbers(text: str) -> set[str]:
    """Numbers in a list such as "7-9 and 11"."""
    found: set[str] = set()
    for first, last in re.findall(r"(\d+(?:\.\d+)?)(?:-(\d+))?", text):
        found |= {str(each) for each in range(int(first), int(last) + 1)} if last else {first}
    return found


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_item_has_its_line(paper: str) -> None:
    items = [line.item for line in LINES.values() if line.paper == paper]
    for kind, expected in NUMBERED[paper].items():
        lists = (
            each
            for item in items
            for each in re.findall(rf"{kind}s? ((?:\d[\d.\-]*|,? |and )+)", item)
        )
        assert numbers(expected) <= set().union(*map(numbers, lists)), kind


def test_every_line_has_a_place_or_says_that_there_is_none() -> None:
    assert len(LINES) >= 120
    for line in LINES.values():
        assert ("`" in line.where) != line.note.startswith("not here"), line.item


def test_every_published_figure_has_ours_beside_it() -> None:
    assert {line.key for line in LINES.values() if line.published != NOTHING} == set(HERE)
    assert {line.key for line in LINES.values() if line.here != NOTHING} == set(HERE)
    printed = PUBLISHED.values()
    span = f"{len(printed)} mean IoUs, {min(printed):.2f} to {max(printed):.2f}"
    assert LINES["2024: Table 1"].published == LINES["2026: Table 1"].published == span


@pytest.mark.exhaustive
def test_every_printed_number_stands_in_its_row_with_ours_as_measured() -> None:
    assert measured_numbers() == json.loads(PLACE.read_text("utf-8"))
    for item in {each.item for each in printed_numbers()}:
        shown = LINES[item].published.replace("−", "-")
        for values in printed_in(item).values():
            fits = {f"{value:.{digits}f}" for value in values for digits in (0, 1, 2)}
            percents = {f"{100 * value:.1f}" for value in values}
            assert item.endswith("Table 1") or any(each in shown for each in fits | percents), (
                item,
                values,
            )


def test_the_text_of_the_family_says_both_errors_of_hubs() -> None:
    said = HUB.about.biases
    for precision, recall in hub_errors().values():
        assert f"{precision:.0%}".replace("%", " %") in said
        assert f"{recall:.0%}".replace("%", " %") in said


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "key",
    [
        pytest.param(key, marks=pytest.mark.exhaustive if key.startswith(SLOW) else ())
        for key in HERE
    ],
)
def test_our_figures_are_those_computed(key: str) -> None:
    assert LINES[key].here == HERE[key]()


def test_every_experiment_of_a_numbered_item_has_its_row() -> None:
    item = re.compile(r"(Figure|Table|Definition|Theorem|Proposition|Remark)s? \d")
    numbered = {name for name, each in EXPERIMENTS.items() if item.search(each.source)}
    assert numbered - set(re.findall(r"`experiment:([^`]+)`", TEXT)) == set()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`([^`]+)`", TEXT))))
def test_every_name_exists(name: str) -> None:
    kind, _, rest = name.partition(":")
    known = {"experiment": EXPERIMENTS, "toy": TOYS, "bundled": bundled_names()}
    if kind in known:
        assert rest in (*known[kind], "NAME")
    elif name == "cluster:clusters=40":
        assert (
            import_module("prviz")
            .pr_curve([[0.0], [1.0]] * 50, [[0.0], [1.0]] * 50, method=name)
            .auc
            > 0
        )
    elif "/" in name or name in ("app.py", "pyproject.toml"):
        assert (ROOT / name).is_file()
    elif not name.startswith("prviz experiment"):
        parts = name.split(".")
        depth = max(n for n in range(1, len(parts) + 1) if _is_module(".".join(parts[:n])))
        found = import_module(".".join(parts[:depth]))
        for part in parts[depth:]:
            found = getattr(found, part)


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
