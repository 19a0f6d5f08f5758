"""What single rules of the readers say of drawn columns, heads, names and texts close to what each
rule asks for: of a whole file most of them hear nothing so near their thresholds.

See kept_outcomes.py, which keeps a code for each.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from prviz.readers import ReadError
from prviz.readers.columns import ColumnChoice
from prviz.readers.delimited import summary_rows
from prviz.readers.long_form import long_form
from prviz.readers.notations import notation_of, unit_of, without_units
from prviz.readers.number_names import (
    in_two_levels,
    is_unlike,
    may_be_names,
    points,
    rows_to_compare,
)
from prviz.readers.pieces import Stored, coordinates, pairs_of_places, quantised, sparse
from prviz.readers.row_roles import find_row_roles, row_choices
from prviz.readers.suspects import (
    are_weights,
    beside_lists,
    check_upright,
    checked_columns,
    float_bits,
    is_key,
    look_packed,
    suspects,
)
from prviz.readers.text_dialect import (
    Numbers,
    decorated,
    delimiter_of,
    encoding_of,
    is_index_line,
    listed_numbers,
    looks_like_bare_list,
    looks_like_list,
    may_be_grouped,
    quotes_names_alone,
    sets_thousands_apart,
    stands_alone,
    thousands_in,
)

Rng = np.random.Generator
ALL = ColumnChoice.of(None, (), None)
BESIDE = (
    "x",
    "y",
    "t",
    "count",
    "n",
    "weight",
    "patient",
    "umap_1",
    "umap_2",
    "time",
    "seed",
    "scale",
    "min",
    "zero",
    "f0_err",
    "elapsed_ms",
    "value",
    "row",
    "col",
    "gene",
    "id",
    "1",
    "odd",
    "a_b",
    "a_c",
)
PIECES = (
    ("q", "scale", "zero", "min", "max", "q_min", "q.scale"),
    ("indices", "values", "size", "data", "q_indices", "a.values"),
    ("rows", "cols", "values", "size", "data"),
)
WORDS = (
    ("real", "fake", "generated", "train", "test", "model", "a"),
    ("1", "0", "true", "no", "1.0", "-1"),
)
TOKENS = (
    "1",
    "0",
    "12",
    "345",
    "000",
    ".",
    ".",
    ",",
    ",",
    " ",
    " ",
    ";",
    "-",
    "\u2212",
    "+",
    "e",
    "'",
    '"',
    "(",
    ")",
    "_",
    "$",
    "%",
    "kg",
    "x",
    "\u00b1",
    "<",
    "=",
    ":",
    "...",
    "nan",
    "NA",
    "|",
    "i",
)
OPEN = (
    "[",
    "[[",
    "array([",
    "np.float64(",
    "tensor([",
    "(",
    "c(",
    "$",
    "'",
    "0x",
    "<",
    "-",
    "b=",
    "",
)
CLOSE = (
    "]",
    "]]",
    "])",
    ")",
    ")]",
    " kg",
    " m/s",
    "%",
    "-",
    "i",
    "x10^3",
    "\u00b15",
    ")",
    "e5",
    "",
)


def pick(rng: Rng, of: Sequence[Any]) -> Any:
    return of[int(rng.integers(len(of)))]


def some(rng: Rng, of: Sequence[str], least: int = 99, most: int = 100) -> list[str]:
    """Some of these words, in any order; all by default."""
    return [of[place] for place in rng.permutation(len(of))[: int(rng.integers(least, most))]]


def said(rule: Callable[..., Any], *given: Any) -> str:
    try:
        found = rule(*given)
    except ReadError as error:
        found = error
    return str(found)


def column(rng: Rng, n: int) -> np.ndarray:
    """Numbers of which some rule may say that they are no feature."""
    count = np.arange(n, dtype=float)
    more = pick(rng, (0, 5e-7, 2e-6)) * (count == n // 2)
    kind = int(rng.integers(10))
    if kind == 0:
        return count + pick(rng, (-1, 0, 1, 7.5))
    if kind == 1:
        return pick(rng, (0.25, -2, 30)) * (count + more)
    if kind == 2:  # keys, of which a share is left out
        return rng.permutation(int(n * pick(rng, (1, 1.1, 2))))[:n].astype(float)
    if kind == 3:
        return np.sort(rng.permutation(n) + pick(rng, (0, n // 4, n)) * (count > n - 3))
    if kind == 4:
        return rng.integers(0, max(2, int(n * pick(rng, (0.3, 0.6, 0.75)))), n).astype(float)
    if kind == 5:
        return rng.random(n) + pick(rng, (-0.01, 0.25, 0.31, 0.69, 0.71, 9))
    if kind == 6:
        return np.full(n, pick(rng, (1.0, 3.0, 0.5)))
    if kind == 7:
        return np.sort(rng.integers(1, 4, n))[::-1].astype(float)
    if kind == 8:
        return rng.integers(0, pick(rng, (2, 256, 257)), n).astype(float)
    return rng.normal(size=n)


def columns(rng: Rng) -> Iterator[str]:
    """The rules of columns, by their names and numbers."""
    n = pick(rng, (7, 8, 9, 12, 24, 63, 64, 65, 499, 500))
    names = [f"f{place}" for place in range(pick(rng, (0, 1, 2, 3, 7, 8)))]
    names = some(rng, [*names, *some(rng, BESIDE, 1, 4)])
    drawn = rng.normal(size=(len(names), n))
    if (levels := pick(rng, (0, 0, 3, 255))) > 0:
        drawn = rng.integers(0, levels, drawn.shape)
    rows = [
        each if name[0] == "f" else column(rng, n) for each, name in zip(drawn, names, strict=True)
    ]
    values = np.array(rows, float).T
    yield said(checked_columns, values, names, ALL, "t", pick(rng, ("t.csv", "t.npy")))
    yield f"{(*suspects(values, names),)} {[is_key(each) for each in values.T]}"
    yield str(are_weights(list(values.T[:2])))
    words = some(rng, ("1.5", "-1.0", "1.0", "2", ".x"), 1, 3)
    yield str(beside_lists({name: np.array(words) for name in names}))
    texts = [f"{pick(rng, ('f', 'cell'))}{place}" for place in range(int(rng.integers(2, 4)))]
    yield said(check_upright, {"": np.array(texts)}, len(texts), texts[:1] * 3, "t.csv")
    names = ["q0", "q1", "q2", "scale", *some(rng, ("zero", "min"), 0, 3)][pick(rng, (0, 0, 1)) :]
    whole = rng.integers(0, pick(rng, (255, 256, 257)), (3, len(names))) * 1.0
    whole[:2] = [[0], [pick(rng, (255, 256))]]
    whole[:, names.index("scale")] = pick(rng, (0.5, 1, -0.5, 0))
    yield said(checked_columns, whole, names, ALL, "t", "t.csv")


def forms(rng: Rng) -> Iterator[str]:
    """Tables with one value a row, of a grid that is full or not, or of few places of a matrix."""
    shape = pick(rng, ((4, 6), (4, 12), (6, 8), (20, 30), (48, 2)))
    places = rng.permutation(shape[0] * shape[1])[: pick(rng, (23, 24, 25, 48))]
    places = pick(rng, (places, places, np.sort(places), np.append(places, places[:1])))
    side, other = np.divmod(places, shape[1])
    n = len(places)
    values = pick(
        rng, (*2 * [rng.normal(size=n)], rng.integers(0, 3, n), np.arange(n) // 2, np.arange(n))
    )
    held = [
        pick(rng, (1, 1, 2, 3)) * side + pick(rng, (0, 1, 2)),
        other + pick(rng, (0, 1)),
        values,
    ]
    held += pick(rng, ((), (), (), (side % 3,), (np.full(n, 1.5),)))
    held = [held[place] for place in rng.permutation(len(held))]
    names = some(rng, ("row", "col", "t", "value", "item", "1", "2", "3", "id"), 4, 5)
    yield str(long_form(dict(enumerate(held)), dict(enumerate(names))))


def summaries(rng: Rng) -> Iterator[str]:
    """Rows that sum up the others, but for rounding."""
    values = rng.normal(size=(pick(rng, (12, 15, 30)), pick(rng, (1, 2, 3))))
    values = values.round(1) + pick(rng, (0, 5))
    known = [values.sum(0), values.mean(0), values.std(0), values.min(0), values.max(0)]
    known += [np.full(values.shape[1], len(values)), np.percentile(values, 25, axis=0)]
    rows = [pick(rng, known) for _ in range(int(rng.integers(1, 4)))]
    more = np.array(rows) * (1 + pick(rng, (0, 9e-4, 1.1e-3, 0.02)))
    parts = (more, values) if rng.random() < 0.5 else (values, more)
    whole = np.concatenate(parts)
    yield str(summary_rows(whole))


def bits(rng: Rng) -> Iterator[str]:
    """Bytes as packed bits and as other numbers, and the bits of numbers."""
    n = pick(rng, (63, 64, 200))
    d = pick(rng, (8, 16, 40))
    rates = rng.uniform(*pick(rng, ((0.3, 0.5), (0.25, 0.5), (0.02, 0.1))), 8 * d)
    common = rng.random((n, d)) < pick(rng, (0, 0.1, 0.2, 0.3))
    drawn = (rng.random((n, 8 * d)) < rates) | np.repeat(common, 8, axis=1)
    smooth = rng.normal(128, pick(rng, (15, 60)), (n, d)).clip(0, 255).round()
    packed = np.packbits(drawn, axis=1)
    mixed = np.where(np.arange(d) < pick(rng, (0, d // 2, d)), packed, smooth)
    yield f"{look_packed(packed.astype(float))} {look_packed(mixed.astype(float))}"
    out = pick(rng, (0, 2, 3))  # of 200 numbers
    negative = pick(rng, (19, 20, 100, 180, 181))
    edge = pick(rng, (1, 25, 113, 137))
    place = pick(rng, (7, 10))
    words = np.full(200, edge << place) + rng.integers(0, 64, 200)
    words[:out] = (edge + pick(rng, (-1, 1))) << place
    words = (words | np.where(rng.permutation(200) < negative, 0x8000, 0)).reshape(20, 10)
    yield f"{float_bits(words.astype(float))} {float_bits(words.astype('i2').astype(float))}"
    words[0, 0] = pick(rng, (65_535, 65_536, -32_768, -32_769))
    yield str(float_bits(words.astype(float)))


def head(rng: Rng, d: int) -> np.ndarray:
    """Numbers as they stand above a table."""
    step = pick(rng, (1, 10, 0.1))
    place = np.arange(d)
    kind = int(rng.integers(5))
    jitter = step * pick(rng, (0, 0.04, 0.06)) * rng.uniform(-0.5, 0.5, d)
    if kind == 0:
        return pick(rng, (0, 5, 2000)) + step * place + jitter
    if kind == 1:
        return 2.0**place * (1 + pick(rng, (0, 0.03, 0.06)) * (place == 1))
    if kind == 2:
        return np.sort(rng.normal(size=d) * 20)[:: pick(rng, (1, -1))]
    if kind == 3:
        return step * (place**2 + 3)
    return rng.normal(size=d) * 30


def heads(rng: Rng) -> Iterator[str]:
    """Lines of numbers above rows of numbers."""
    d = pick(rng, (2, 3, 4, 5, 6, 8))
    digits = pick(rng, (0, 1, 3, 5))
    rows = rng.normal(size=(pick(rng, (1, 2, 8, 10, 20)), d)) * pick(rng, (1, 30, 400))
    ordered = len(rows) // 10 * pick(rng, (0, 1, 2))
    rows[:ordered] = pick(rng, (np.sort(rows[:ordered], axis=1), 5.0 * np.arange(d)))
    below = [[f"{each:.{pick(rng, (1, 3, 3, 3))}f}" for each in row] for row in rows]
    first = [f"{each:.{digits}{pick(rng, 'ffffe')}}" for each in head(rng, d)]
    name = pick(rng, (None, "", "id"))
    if name is not None:
        first = [name, *first]
        label = pick(rng, ("s{}", "{}", "{}.5"))
        below = [[label.format(place), *row] for place, row in enumerate(below)]
    numbers = Numbers(",")
    yield f"{may_be_names(first, numbers)} {points(first, below, numbers)}"
    yield (
        f"{is_unlike(first, below, numbers)} "
        f"{rows_to_compare(range(pick(rng, (9, 20_000, 200_000))))}"
    )
    size = pick(rng, (2, 3))
    step = pick(rng, (1, 10))
    outer = [str(2019 + place // size) for place in range(d)]
    inner = [str(step * (place % size) + int(rng.random() < 0.1)) for place in range(d)]
    edge = [] if name is None else [""]
    yield str(in_two_levels([*edge, *outer], [*edge, *inner], below, numbers))


def pieces(rng: Rng) -> Iterator[str]:
    """Names of arrays that are kept in pieces, and columns of roles."""
    names = some(rng, pick(rng, PIECES), 2, 6)
    file = Stored("t", "load", "a.npz")
    yield said(quantised, file, names[0], names[1:])
    yield said(sparse, file, names, names[:2])
    yield said(coordinates, file, names)
    yield said(pairs_of_places, file, names[0], names[1:3], names)
    roles = {}
    for name in some(rng, ("role", "is_fake", "is_real", "other", "split"), 1, 3):
        words = some(rng, pick(rng, WORDS), 2, 4)
        roles[name] = np.array([pick(rng, words) for _ in range(6)])
    yield f"{find_row_roles(roles)} {row_choices(roles)}"


def texts(rng: Rng) -> Iterator[str]:
    """Cells of a few tokens."""
    cells = ["".join(rng.choice(TOKENS, int(rng.integers(1, 7)))) for _ in range(3)]
    for _ in range(6):
        mark = pick(rng, (",", ", ", " ", "; ", ".", "'", ":"))
        words = ("1", "0", "12", "345", "1.5", "0.25", "100", "-3")
        inside = mark.join(pick(rng, words) for _ in range(int(rng.integers(1, 5))))
        bare = f"{pick(rng, (1, 12))}{mark}345{pick(rng, ('', '.5', ',5', f'{mark}678'))}"
        cells.append(pick(rng, (bare, pick(rng, OPEN) + inside + pick(rng, CLOSE))))
    for cell in cells:
        numbers = Numbers(pick(rng, ",;"))
        found = [numbers.number(each) for each in (cell, "1.5")]
        found += [listed_numbers(cell), looks_like_list(cell), looks_like_bare_list(cell)]
        found += [thousands_in(cell), decorated(cell), unit_of(cell)]
        found += [getattr(notation_of(cell), "what", ""), is_index_line(cell.split(","))]
        yield str(found)
    line = pick(rng, (b'" 1 2', b'" 1 inf', b'a " 1', b'1 " "', b"1 2", b'"1" 2', b'1 2 "'))
    yield str(stands_alone(line, b" "))
    yield str(without_units([cells, cells[:2]]))
    code = pick(rng, ("utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "utf-32"))
    yield encoding_of(cells[0].encode(code)[: int(rng.integers(1, 8))])
    mark = pick(rng, ".,")
    ends = pick(rng, (("125", "004"), ("250", "125")))
    rows = [f"{pick(rng, (1, 12, 345))}{mark}{pick(rng, ends)}" for _ in range(pick(rng, (49, 50)))]
    rows += pick(rng, ([], ["7"], ["0"], ["+7", "0.5"]))
    yield str(sets_thousands_apart([[row] for row in rows], mark))
    grouped = rng.integers(1000, 999_999, (40, 2)) / pick(rng, (1, 1000, 1000, 1000, 10_000))
    grouped[3, 0] = pick(rng, (0, 1, 1000, 0.999, -5, 2.5))
    yield str(may_be_grouped(grouped))
    mark = pick(rng, ";,\t| ")
    row = mark.join(pick(rng, (cells[:2], ["1.5", "2"], ["1,5", "2,5"])))
    names = mark.join(pick(rng, (["a", "b"], ['"a"', '"b"'], ["a"], ['"a;b"', "c"], ['"', '"'])))
    lines = [*pick(rng, ((), ("A title",), ("", "# x"), ("A, title", ""))), names, row, row]
    head = io.BytesIO("\n".join(lines[: int(rng.integers(1, 6))]).encode())
    yield f"{delimiter_of(head, pick(rng, ('.csv', '.csv', '.tsv')))!r}"
    yield f"{quotes_names_alone(head, mark)}"


RULES = {each.__name__: each for each in (columns, forms, summaries, bits, heads, pieces, texts)}


def rules(rng: Rng) -> str:
    """What the rules of one kind say."""
    with np.errstate(all="ignore"):
        return "\n".join(pick(rng, list(RULES.values()))(rng))
