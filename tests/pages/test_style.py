"""Styles and scripts hold on to few names that Streamlit gives its elements: containers have keys
of their own.
"""

from __future__ import annotations

import ast
import re
from itertools import accumulate, pairwise

from tests.browser import ROOT

MOST = 10
SOURCES = [
    ROOT / "app.py",
    *(
        path
        for folder in ("pages", "prviz")
        for path in (ROOT / folder).rglob("*")
        if "_app" not in path.parts
    ),
]


def test_at_most_ten_of_streamlits_test_ids_are_used() -> None:
    found = {
        name
        for path in SOURCES
        if path.suffix in {".css", ".js", ".html", ".py"} and not path.name.startswith("plotly-")
        for name in re.findall(r"(?<![\w-])st[A-Z][A-Za-z]+", path.read_text(encoding="utf-8"))
    }
    assert len(found) <= MOST, found
    by_id = [
        path
        for path in SOURCES
        if path.suffix == ".css" and "data-testid" in path.read_text(encoding="utf-8")
    ]
    assert len(by_id) <= 2, by_id


def test_every_variable_of_a_style_is_set_somewhere() -> None:
    """Where it is not, a browser takes its own colour, which is not the theme's."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in SOURCES
        if path.suffix in {".css", ".js", ".html", ".py"} and not path.name.startswith("plotly-")
    )
    used = set(re.findall(r"var\((--prviz-[a-z0-9-]+)", text))
    assert used
    assert used <= set(re.findall(r"(--prviz-[a-z0-9-]+): ", text))


def test_code_is_whole_on_a_phone() -> None:
    """Long lines are wrapped: what stands beyond the edge would not be seen to be there."""
    calls = [
        (path.name, node)
        for path in (ROOT / "pages").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.code"
    ]
    assert len(calls) > 5
    for name, call in calls:
        assert "wrap_lines" in {each.arg for each in call.keywords}, (name, call.lineno)


def test_no_has_stands_in_another() -> None:
    """A browser drops the whole rule without a word."""
    for path in SOURCES:
        if path.suffix not in {".css", ".py"}:
            continue
        parts = path.read_text(encoding="utf-8").split(":has(")[1:]
        for part, following in pairwise(parts):
            depths = accumulate(({"(": 1, ")": -1}.get(letter, 0) for letter in part), initial=1)
            assert 0 in depths, f"{path.name}: :has({part}:has({following[:40]}"
