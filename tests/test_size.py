"""What the code weighs and how dense it is: each number may only fall, or its rise be seen.

A rise needs a commit that writes the new number, by `python -m tests.test_size`, and says what went
for it.
"""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections import Counter
from pathlib import Path

import pytest

from tests.browser import ROOT

KEPT = Path(__file__).with_name("size.json")
STEP = 500  # tokens to which a folder's weight is rounded up
COUNTED = (tokenize.NAME, tokenize.NUMBER, tokenize.OP, tokenize.STRING)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def weights() -> dict[str, int]:
    """Tokens of Python by folder, rounded up; tests as one."""
    found: Counter[str] = Counter()
    for top in ("prviz", "pages", "tests"):
        for path in (ROOT / top).rglob("*.py"):
            place = path.relative_to(ROOT).parent
            folder = top if top == "tests" else "/".join(place.parts[:2])
            text = path.read_text("utf-8")
            tokens = tokenize.generate_tokens(io.StringIO(text).readline)
            found[folder] += sum(token.type in COUNTED for token in tokens)
    return {folder: STEP * -(-found[folder] // STEP) for folder in sorted(found)}


def dense(tree: ast.Module) -> Counter[str]:
    """How often what packs several thoughts into one statement stands in a file."""
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple()], value=ast.Tuple()):
                found["tuples assigned to tuples"] += 1
            case ast.IfExp(test=test, body=body, orelse=other):
                found["conditional expressions"] += 1
                nested = any(isinstance(each, ast.IfExp) for each in (test, body, other))
                found["conditionals inside conditionals"] += nested
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                found["comprehensions"] += 1
                clauses = len(node.generators) + sum(len(each.ifs) for each in node.generators)
                found["comprehensions of two loops or two tests"] += clauses > 2 or (
                    len(node.generators) > 1
                )
            case ast.FunctionDef(args=given):
                count = len(given.posonlyargs + given.args + given.kwonlyargs)
                found["functions of more than seven parameters"] += count > 7
                inner = sum(isinstance(each, COMPREHENSIONS) for each in ast.walk(node))
                found["functions of more than five comprehensions"] += inner > 5
    return found


def density() -> dict[str, int]:
    found: Counter[str] = Counter()
    for top in ("prviz", "pages"):
        for path in (ROOT / top).rglob("*.py"):
            text = path.read_text("utf-8")
            found += dense(ast.parse(text))
            found["lines above 100 columns"] += sum(len(line) > 100 for line in text.split("\n"))
    return dict(sorted(found.items()))


@pytest.mark.thorough
def test_no_folder_grows_and_no_code_gets_denser_unseen() -> None:
    kept = json.loads(KEPT.read_text("utf-8"))
    now = {"tokens": weights(), "dense": density()}
    more = {
        f"{name}: {count:,}, at most {kept[kind].get(name, 0):,}"
        for kind, counts in now.items()
        for name, count in counts.items()
        if count > kept[kind].get(name, 0)
    }
    assert not more, "where this is meant: python -m tests.test_size, and say what went for it"


def test_what_is_dense_is_counted() -> None:
    text = (
        "a, b = 1, 2\n"
        "c = 1 if a else 2 if b else 3\n"
        "d = [x for x in a for y in b]\n"
        "e = [x for x in a if x if b]\n"
        "def f(a, b, c, d, e, f, g, h): ...\n"
    )
    assert dense(ast.parse(text)) == {
        "tuples assigned to tuples": 1,
        "conditional expressions": 2,
        "conditionals inside conditionals": 1,
        "comprehensions": 2,
        "comprehensions of two loops or two tests": 2,
        "functions of more than seven parameters": 1,
        "functions of more than five comprehensions": 0,
    }


if __name__ == "__main__":
    KEPT.write_text(json.dumps({"tokens": weights(), "dense": density()}, indent=1) + "\n", "utf-8")
