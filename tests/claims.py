"""Sentences of pages, cards, experiments and documents that state a direction, an end or a
published figure.

`tests/claims.toml` gives the source of every one of them: a place in a paper, the test that
computes it, or the definition that it repeats. A sentence that only uses such a word in another
sense is "no claim".

python -m tests.claims          sentences without a row, and rows without a sentence
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "tests" / "claims.toml"
DOCUMENTS = (
    "README.md",
    "data/README.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md")),
)

# What makes a sentence one that needs a source.
CLAIM = re.compile(
    r"""\b(?:
    too\s(?:high|low|much|optimistic|pessimistic) | optimis\w+ | pessimis\w+ | flatter\w* | slander\w* | favours?
    | (?:over|under)estimat\w* | bias(?:es|ed)? | mislead\w* | saturat\w*
    | (?:pull|push)\w*\s(?:\w+\s){0,3}(?:up|down) | rises? | falls? | falling | shrinks? | lowers? | raises? | grows?
    | lower | higher | closer | closest | farther | further\sfrom | furthest | nearer | worse
    | (?:near|above|below|beyond|close\sto|far\sfrom|at|miss(?:es)?)\s(?:it|the\struth) | (?:never|at\sor)\sbelow
    | drifts?
    | (?:curve's|curves'|the)\sends?\s(?:of\sthe\scurve\s)?(?:is|are|lies?)
    | extreme\s(?:precision|recall)\s(?:and\s\w+\s)?(?:is|are|lies?)
    | as\spublished | published\s(?:figures?|values?|numbers?|scores?|IoU)
    | (?:papers?|table)\s(?:prints?|shows?|says?|has|have)
    | papers?'s?\s(?:standard|text)
    | Theorem\s\d+ | Proposition\s\d+
    | [01]\.\d\d
    )\b
    | \([^()]*\b20\d\d,\s[^()]+\)""",
    re.VERBOSE | re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-ZÀ-ÖΑ-Ω*_`\"“(\[{λαβ]|kNN|iPR)")
_WORDS = 3
_ROW_OF_NUMBERS = re.compile(r"\|[^|]*(\| *[\d.,]+ *)+\|")


def sentences() -> dict[str, str]:
    """Sentences that need a source -> the file where each stands."""
    found: dict[str, str] = {}
    for file, text in texts():
        for sentence in claims(text):
            found.setdefault(sentence, file)
    return found


def claims(text: str) -> list[str]:
    """Sentences of a text that need a source."""
    parts = _SENTENCE.split(" ".join(text.split()))
    return [part for part in parts if len(part.split()) >= _WORDS and CLAIM.search(part)]


def table() -> dict[str, str]:
    """Sentence -> its source."""
    return tomllib.loads(TABLE.read_text("utf-8"))


def texts() -> Iterator[tuple[str, str]]:
    """(file, text) of every string that is no docstring, and of every paragraph."""
    for path in sorted(
        [*ROOT.glob("app.py"), *ROOT.glob("p*/**/*.py"), *ROOT.glob("pages/**/*.js")]
    ):
        text = path.read_text("utf-8")
        quoted = (
            strings(text) if path.suffix == ".py" else re.findall(r"[\"'`]([^\"'`\n]+)[\"'`]", text)
        )
        yield from ((str(path.relative_to(ROOT)), each) for each in quoted)
    for name in DOCUMENTS:
        text = re.sub(
            r"<!-- tables.*<!-- end of the tables -->",
            "",
            (ROOT / name).read_text("utf-8"),
            flags=re.DOTALL,
        )
        text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        # the notes alone: other columns are names, and figures that a test computes
        if name == "docs/papers.md":
            text = re.sub(r"^\| .*\|(.*)\|$", r"\1\n", text, flags=re.MULTILINE)
        parts = re.split(r"\n\s*\n|\n(?=[|]|[-*] |\d\. )", text)
        yield from ((name, part) for part in parts if not _ROW_OF_NUMBERS.fullmatch(part.strip()))
    # The words above the tables of docs/measured.md.
    name = "tests/benchmarks/table.py"
    yield from ((name, text) for text in strings((ROOT / name).read_text("utf-8")))


def strings(source: str) -> Iterator[str]:
    """Every string of a module but its docstrings; a field of an f-string is "{}"."""
    tree = ast.parse(source)
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skipped.add(node.value)  # a docstring
        elif isinstance(node, ast.JoinedStr):
            skipped.update(node.values)
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node.value


def main() -> int:
    """Print the differences of texts and table."""
    known = table()
    standing = sentences()
    for sentence, file in standing.items():
        if sentence not in known:
            print(f"no row: {file}: {sentence}")  # noqa: T201
    for sentence in known:
        if sentence not in standing:
            print(f"no sentence: {sentence}")  # noqa: T201
    return known.keys() != standing.keys()


if __name__ == "__main__":
    raise SystemExit(main())
