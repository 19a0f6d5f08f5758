"""Statistics of pairs with planted faults, and what the rules say of them and of their neighbours,
kept in a file.

The rules are thresholds, each found by measuring; a slip in one moves a few findings and breaks
nothing. So what they decide is kept. Where a change is meant: `python -m
tests.triage.kept_decisions` writes the file anew, its difference shows what has changed, and
`RULES` in `prviz/triage/findings.py` goes up.
"""

from __future__ import annotations

import ast
import inspect
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import combinations, islice, pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from prviz.samples import SamplePair, Samples
from prviz.triage import placement_faults, shape_faults
from prviz.triage.finding import TriageFinding
from prviz.triage.findings import agreed_faults, named_faults
from prviz.triage.memorisation import Excess, Memorisation
from prviz.triage.pair_statistics import PairStatistics, halvings
from prviz.triage.placement_faults import misplaced
from prviz.triage.shape_faults import SURE, off_support, other_shares, reshaped
from tests.benchmarks.faults import planted

FILE = Path(__file__).with_suffix(".json")
# Base, fault and strength of each pair of 240 samples; one halving of it is enough.
PLANTED = (
    *(
        ("6 modes, d = 16", fault, 0.5)
        for fault in ("dropped", "re-weighted", "too narrow", "blurred", "invented")
    ),
    *(
        ("6 modes, d = 16", fault, 0.4)
        for fault in ("off the manifold", "noise", "wrong scale", "too wide")
    ),
    *(
        ("6 modes, d = 16", fault, 0.2)
        for fault in ("repeats", "collapse", "near copies", "class missing")
    ),
    *(
        ("gaussian, d = 8", fault, 0.4)
        for fault in (None, "too wide", "noise", "shifted", "permuted")
    ),
)
FACTORS = (0.0, 0.5, 0.8, 1.25, 2.0, 5.0, -1.0)
# Statistics drawn near those of the pairs.
DRAWS = 8_000
STEPS = (0.02, 0.1, 0.5, 2.0, 6.0)


def pairs() -> Iterator[tuple[str, SamplePair]]:
    for base, fault, strength in PLANTED:
        yield f"{base}: {fault}", planted(base, fault, strength, 240, 0)
    rng = np.random.default_rng(3)
    loadings = rng.normal(size=(5, 300))
    real, generated = (
        rng.normal(size=(n, 5)) @ loadings + 0.3 * rng.normal(size=(n, 300)) for n in (70, 60)
    )
    yield "more features than rows", SamplePair(real, 0.7 * generated)


def few_samples() -> Iterator[tuple[str, SamplePair]]:
    """Pairs of so few samples that some clusters have hardly any, or none; of groups, repeats and
    one value.
    """
    rng = np.random.default_rng(11)
    for n, m, d in ((4, 5, 1), (9, 30, 2), (24, 40, 3), (70, 75, 3), (20, 16, 50)):
        real = rng.normal(size=(n, d))
        generated = rng.normal(size=(m, d))
        modes = rng.choice([0.0, 9.0], (n, 1), p=[0.8, 0.2])
        yield f"{n} and {m} of {d}", SamplePair(real, 1.3 * generated + 0.2)
        yield f"{n} and {m} of {d}, a mode lost", SamplePair(real + modes, generated)
        yield (
            f"{n} and {m} of {d}, a mode more",
            SamplePair(real, np.where(rng.random((m, 1)) < 0.4, generated + 9, generated)),
        )
        yield f"{n} and {m} of {d}, far", SamplePair(real, 0.01 * generated + 40)
        yield f"{n} and {m} of {d}, repeated", SamplePair(real, real[np.arange(m) % max(2, n // 3)])
        groups = np.arange(n) // 2
        yield (
            f"{n} and {m} of {d}, in twos",
            SamplePair(Samples(real, groups=groups), Samples(generated[:, ::-1] * 2)),
        )
    yield "one value", SamplePair(rng.normal(size=(20, 2)), np.ones((20, 2)))


def statistics() -> dict[str, dict[str, float]]:
    """All statistics by name; an inner list of numbers for each pair."""
    return {name: asdict(halvings(pair, times=1)[0]) for name, pair in pairs()}


def sums_of_few_samples() -> dict[str, float]:
    """One number of each pair of few samples, in which every statistic counts alike and
    otherwise.
    """
    return {
        name: folded(asdict(halvings(pair, rows=65, times=1)[0])) for name, pair in few_samples()
    }


def folded(values: dict[str, float]) -> float:
    # one cluster, whose centre is the mean: a ratio of two roundings
    if abs(values["stretch_z"]) < 1e-9:
        values = {**values, "stretch": 0.0}
    known = (2.0 if np.isnan(value) else value / (1 + abs(value)) for value in values.values())
    return float(sum(place * each for place, each in enumerate(known, start=1)))


def neighbours(value: float) -> list[float]:
    """Values around one statistic, near and far."""
    return [
        *(value * each for each in FACTORS),
        *(value + each for each in STEPS),
        *(value - each for each in STEPS),
    ]


def faults(of: PairStatistics) -> list[tuple[float, TriageFinding] | None] | None:
    """The fault of the place, and those of each part with its size, as each function names it; None
    where no pair has such statistics, a negative spread for one.
    """
    try:
        whole = misplaced(of)
        parts = [each(of) for each in (off_support, reshaped, other_shares)]
    except (TypeError, ArithmeticError):
        return None
    return [None if whole is None else (0.0, whole), *parts]


def said(of: PairStatistics) -> tuple[str, float]:
    """The faults that the rules name, and the sum of their sizes."""
    found = faults(of)
    if found is None:
        return "impossible", 0.0
    names = ["-" if each is None else each[1].key for each in found]
    return " ".join(names), sum(each[0] + each[1].number for each in found if each is not None)


def drawn(kept: dict[str, dict[str, float]]) -> Iterator[PairStatistics]:
    """Statistics between those of two pairs, with a few of them moved: on both sides of every
    threshold.
    """
    rng = np.random.default_rng(7)
    rows = [list(each.values()) for each in kept.values()]
    names = list(next(iter(kept.values())))
    for _ in range(DRAWS):
        one, other = (rows[place] for place in rng.integers(len(rows), size=2))
        share = float(rng.uniform())
        values = [a + share * (b - a) for a, b in zip(one, other, strict=True)]
        for place in rng.integers(len(names), size=rng.integers(9)):
            around = neighbours(values[place])
            values[place] = around[rng.integers(len(around))]
        yield PairStatistics(**dict(zip(names, values, strict=True)))


def sentences(kept: dict[str, dict[str, float]]) -> list[str]:
    """What is said of each pair and of some draws, at most five times of each fault, the ends in
    six digits.
    """
    found: dict[str, str] = {}
    times = Counter[str]()
    for of in (
        *(PairStatistics(**values) for values in kept.values()),
        *islice(drawn(kept), 1_000),
    ):
        for _, each in filter(None, faults(of) or ()):
            if times[each.key] < 5 and each.sentence not in found:
                times[each.key] += 1
                ends = ""
                if each.low is not None and each.high is not None:
                    ends = f" {each.low:.6g} to {each.high:.6g}"
                found[each.sentence] = f"{each.level}, {each.title}: {each.sentence}{ends}"
    return list(found.values())


def compared() -> Iterator[tuple[ast.expr, ast.expr, dict[str, Any]]]:
    """Both sides of each comparison of the rules, and what its module knows."""
    for module in (shape_faults, placement_faults):
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.Compare):
                for sides in pairwise([node.left, *node.comparators]):
                    yield *sides, vars(module)
                    yield *sides[::-1], vars(module)


def value_of(side: ast.expr, known: Mapping[str, Any], of: PairStatistics) -> float | None:
    """The number that a side of a comparison is, where these statistics say it."""
    code = compile(ast.Expression(side), "rule", "eval")
    try:
        found = eval(code, {"sign": 1} | dict(known), {"of": of})  # noqa: S307 - of the sources
    except (NameError, TypeError, ArithmeticError):  # a name that the function gives
        return None
    return float(found) if isinstance(found, int | float) else None


def at_thresholds(kept: dict[str, dict[str, float]]) -> Iterator[PairStatistics]:
    """The statistics of the pairs, and some of the draws, each with one of them such that a rule
    compares two equal numbers.
    """
    held = [*(PairStatistics(**values) for values in kept.values()), *islice(drawn(kept), 12)]
    for side, other, known in compared():
        for name in _statistics_of(side):
            for of in held:
                for value in _equal_at(of, name, side, other, known):
                    yield replace(of, **{name: value})


STRICT = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
INVERSE = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt}


@contextmanager
def otherwise(
    module: ModuleType, tree: ast.Module, node: ast.Compare, place: int, to: Mapping[Any, Any]
) -> Iterator[None]:
    """The rules with another sign in one comparison."""
    own = node.ops[place]
    names = ("misplaced", "off_support", "reshaped", "other_shares", "own_modes")
    node.ops[place] = to[type(own)]()
    changed = dict(vars(module))
    exec(compile(tree, module.__file__ or "", "exec"), changed)
    node.ops[place] = own
    holders = [globals(), vars(placement_faults)]
    saved = [{name: holder[name] for name in names if name in holder} for holder in holders]
    for holder, known in zip(holders, saved, strict=True):
        holder.update({name: changed[name] for name in known if name in changed})
    try:
        yield
    finally:
        for holder, known in zip(holders, saved, strict=True):
            holder.update(known)


def comparisons(tree: ast.Module) -> Iterator[tuple[ast.Compare, int]]:
    """Each comparison of sizes, and the place of its sign."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for place, sign in enumerate(node.ops):
                if type(sign) in STRICT:
                    yield node, place


def decisive(kept: dict[str, dict[str, float]]) -> list[tuple[int, str, float]]:
    """For each comparison of the rules that some draw hangs on, one where both sides are equal and
    `<` says something else than `<=`: the draw's place, a statistic, and its value then.
    """
    draws = list(drawn(kept))
    as_they_are = [str(said(of)) for of in draws]
    found = []
    for module in (shape_faults, placement_faults):
        tree = ast.parse(inspect.getsource(module))
        for node, place in comparisons(tree):
            with otherwise(module, tree, node, place, INVERSE):
                hang = [
                    at
                    for at, (of, now) in enumerate(zip(draws, as_they_are, strict=True))
                    if str(said(of)) != now
                ]
            sides = [node.left, *node.comparators][place : place + 2]
            ties = list(islice(_tied(draws, hang, sides, vars(module)), 400))
            now = [str(said(replace(draws[at], **{name: value}))) for at, name, value in ties]
            with otherwise(module, tree, node, place, STRICT):
                for tie, text in zip(ties, now, strict=True):
                    at, name, value = tie
                    if str(said(replace(draws[at], **{name: value}))) != text:
                        found.append(tie)
                        break
    return found


def _tied(
    draws: list[PairStatistics],
    places: Iterable[int],
    sides: list[ast.expr],
    known: Mapping[str, Any],
) -> Iterator[tuple[int, str, float]]:
    """Draws, and the value of one of their statistics with which both sides are equal."""
    for at in places:
        for side, other in (sides, sides[::-1]):
            for name in _statistics_of(side):
                for value in _equal_at(draws[at], name, side, other, known):
                    yield at, name, value


def _statistics_of(side: ast.expr) -> list[str]:
    names = {each.attr for each in ast.walk(side) if isinstance(each, ast.Attribute)}
    return sorted(names & PairStatistics.__dataclass_fields__.keys())


def _equal_at(
    of: PairStatistics, name: str, side: ast.expr, other: ast.expr, known: Mapping[str, Any]
) -> Iterator[float]:
    """Values of one statistic with which a side equals the other one."""
    for sign in (1, -1) if "sign" in ast.unparse(side) + ast.unparse(other) else (1,):
        known = {**known, "sign": sign}
        end = value_of(other, known, of)
        unit = value_of(side, known, replace(of, **{name: 1.0}))
        for each in () if end is None else (end, -end, end / (unit or 1.0)):
            tied = replace(of, **{name: each})
            if value_of(side, known, tied) == value_of(other, known, tied):
                yield each


def rows_of(repeated: int, real: int, exact: float, near: float) -> tuple[Any, Any]:
    """Facts and copies of 100 samples a set: rows that repeat of the generated and the real ones,
    and their copies.
    """
    alike = SimpleNamespace(norm=1.0, normalised=False, least_norm=0.5, greatest_norm=2.0)
    copies = SimpleNamespace(
        generated=repeated, most_generated=3, real=real, most_real=4, shared_generated=0
    )
    values = np.arange(100.0)[:, None]
    pair = SamplePair(values, values[::-1])
    drawn_rows = [SimpleNamespace(rows=np.random.default_rng(0).normal(size=(9, 2)))]
    drawn_rows *= 2
    rows = SimpleNamespace(counts=copies)
    facts = SimpleNamespace(rows=rows, pair=pair, drawn=drawn_rows, real=alike, generated=alike)
    excess = (Excess(9, share, 0.0, share - 0.05, share + 0.05) for share in (exact, near))
    return facts, Memorisation(*excess, 0.1, (), "")


ROWS = (
    (0, 0, 0, 0),
    (0, 0, 0, 0.2),
    (0, 0, 0.1, 0.2),
    (15, 0, 0, 0),
    (30, 0, 0, 0.3),
    (60, 0, 0.5, 0),
    (0, 40, 0, 0),
    (20, 0, 0, 0.05),
    (50, 0, 0.05, 0),
)


def named(kept: dict[str, dict[str, float]]) -> list[str]:
    """The keys of all faults of some draws, in their order, with each of the ROWS in turn."""
    beside = [rows_of(*each) for each in ROWS]
    found = []
    of_draws = list(islice(drawn(kept), 1_400))
    sure = [replace(of, tight_z=SURE) for of in of_draws[:50]]
    tight = [replace(of, tight_z=SURE + 1, tight=of.off) for of in of_draws[:100]]
    for place, of in enumerate((*of_draws, *sure, *tight)):
        try:
            faults = named_faults(of, *beside[place % len(beside)])
        except (TypeError, ArithmeticError):
            faults = ()
        found.append(" ".join(each.key for each in faults))
    return found


def agreed(kept: dict[str, dict[str, float]]) -> list[str]:
    """What two halvings agree on, and three: pairs of which the first ones come twice."""
    held = [PairStatistics(**values) for values in kept.values()]
    facts = rows_of(0, 0, 0, 0)
    found = []
    for one, other in combinations(held, 2):
        for drawn_of in ((one, other), (one, one, other)):
            try:
                faults = agreed_faults(drawn_of, *facts)
            except (TypeError, ArithmeticError):
                continue
            said = [
                f"{each.key} {each.level} {each.borderline} {each.number:.4g}" for each in faults
            ]
            found.append(", ".join(said))
    return found


def said_of(
    statistics: Iterable[PairStatistics], letters: dict[str, str]
) -> tuple[list[str], float]:
    """What is said of each, a letter each, in lines of a hundred, and the sum of the sizes."""
    total = 0.0
    text = ""
    for of in statistics:
        names, sizes = said(of)
        total += sizes if np.isfinite(sizes) else 0.0
        text += letters.setdefault(names, chr(ord("0") + len(letters)))
    return [text[start : start + 100] for start in range(0, len(text), 100)], total


def decisions(
    kept: dict[str, dict[str, float]], ties: Iterable[tuple[int, str, float]]
) -> dict[str, Any]:
    """What is said of each pair, of each draw, at each threshold and at the decisive ``ties``, and
    the sum of the sizes over all draws.
    """
    letters: dict[str, str] = {}
    of_draws = list(drawn(kept))
    draws, total = said_of(of_draws, letters)
    thresholds, _ = said_of(at_thresholds(kept), letters)
    equal = (replace(of_draws[at], **{name: value}) for at, name, value in ties)
    decided, _ = said_of(equal, letters)
    keys = named(kept)
    lists = list(dict.fromkeys(keys))
    return {
        "sentences": sentences(kept),
        "lists": lists,
        "named": " ".join(str(lists.index(each)) for each in keys),
        "agreed": agreed(kept),
        "pairs": {name: said(PairStatistics(**values))[0] for name, values in kept.items()},
        "letters": {letter: names for names, letter in letters.items()},
        "draws": draws,
        "at thresholds": thresholds,
        "at decisive ties": decided,
        "sum of sizes": total,
    }


def as_before(found: Any, before: Any) -> Any:
    """What was found, each number in it as it was if it is nearly that."""
    if isinstance(found, dict) and isinstance(before, dict):
        return {name: as_before(each, before.get(name)) for name, each in found.items()}
    both = isinstance(found, float) and isinstance(before, float)
    if both and np.isclose(found, before, rtol=1e-6, atol=1e-9, equal_nan=True):
        return before
    return found


def main() -> None:
    """Write the file anew; numbers that differ in their last digits, as they do from machine to
    machine, stay.
    """
    before = json.loads(FILE.read_text("utf-8"))
    kept = as_before(statistics(), before["statistics"])
    ties = decisive(kept)
    found = {
        "statistics": kept,
        "few samples": as_before(sums_of_few_samples(), before["few samples"]),
        "decisive ties": ties,
        "decisions": as_before(decisions(kept, ties), before["decisions"]),
    }
    FILE.write_text(json.dumps(found, indent=0) + "\n")


if __name__ == "__main__":
    main()
