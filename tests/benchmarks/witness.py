# ruff: noqa: T201 - a script that prints its figures
"""The witness measured: columns that were planted, and columns that are named on real against real.

    python -m tests.benchmarks.witness planted [--draws 20] [--sizes 200 600 2000] [--sets ...]
    python -m tests.benchmarks.witness alarms [--pairs 40] [--sets ...]
    python -m tests.benchmarks.witness cost

Planted: one fault in a column (dead pixels: in three) of one set; the share of draws in which every
planted column is among those named, and of those that name another one besides. Alarms: halves of
one pile of real samples; the share of pairs of which any column is named. Sets with "held" were
written before the witness and run once, at its end.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import prviz
from prviz.diagnostics.witness import Witness
from tests.benchmarks.results import record

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]


class Kind(NamedTuple):
    """A kind of samples; ``held``: nothing was tuned on it."""

    draw: Draw
    held: bool


# ---- real samples whose halves are alike


def sparse_counts(rng: np.random.Generator, n: int) -> Floats:
    """Counts of 200 genes, mostly 0."""
    means = np.random.default_rng(1).gamma(0.3, 1.0, 200)
    return rng.poisson(rng.gamma(2.0, means / 2.0, (n, 200))).astype(float)


def small_table(rng: np.random.Generator, n: int) -> Floats:
    """Twelve columns of few whole numbers, of a common cause."""
    cause = rng.normal(size=(n, 1))
    return np.round(cause + rng.normal(size=(n, 12)) * np.linspace(0.3, 3.0, 12))


def student(rng: np.random.Generator, n: int) -> Floats:
    return np.asarray(rng.standard_t(1.5, (n, 24)))


def normalised(rng: np.random.Generator, n: int) -> Floats:
    """Rows of length 1."""
    values = rng.normal(size=(n, 32)) + 0.5
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True))


def relu(rng: np.random.Generator, n: int) -> Floats:
    weights = np.random.default_rng(2).normal(size=(10, 64))
    return np.maximum(rng.normal(size=(n, 10)) @ weights - 2.0, 0.0)


def repeated(rng: np.random.Generator, n: int) -> Floats:
    """Each row about twice, in either half."""
    pile = rng.normal(size=(n, 16))
    return pile[rng.integers(0, len(pile), n)]


def cells(rng: np.random.Generator, n: int) -> Floats:
    """Counts of 400 genes in five types of cells, of very unlike depth, as logarithms."""
    fixed = np.random.default_rng(3)
    profiles = fixed.gamma(0.2, 1.0, (5, 400))
    depth = rng.lognormal(0.0, 0.8, (n, 1))
    return np.log1p(rng.poisson(depth * profiles[rng.integers(0, 5, n)]))


def survey(rng: np.random.Generator, n: int) -> Floats:
    """One-hot answers, grades, rounded amounts that are often 0, and an age."""
    answer = rng.choice(6, n, p=[0.5, 0.2, 0.15, 0.1, 0.04, 0.01])
    amounts = np.round(rng.lognormal(3.0, 1.5, (n, 4)), -1) * (rng.random((n, 4)) < 0.4)
    grades = rng.integers(1, 6, (n, 3))
    age = np.round(40 + 15 * rng.normal(size=(n, 1)))
    return np.concatenate([np.eye(6)[answer], grades, amounts, age], axis=1)


def cauchy(rng: np.random.Generator, n: int) -> Floats:
    """Columns with a common factor of heavy tails, and logarithms of none."""
    factor = rng.pareto(0.9, (n, 1))
    return np.asarray(factor * rng.normal(size=(n, 20)) + rng.standard_cauchy((n, 20)))


def embedding(rng: np.random.Generator, n: int) -> Floats:
    """Clusters of length 1 in half precision."""
    centres = np.random.default_rng(4).normal(size=(8, 96))
    values = centres[rng.integers(0, 8, n)] + rng.normal(size=(n, 96))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    return np.asarray(values.astype(np.float16), dtype=np.float64)


def deep_relu(rng: np.random.Generator, n: int) -> Floats:
    """Three layers of a random network, some units of which hardly fire."""
    fixed = np.random.default_rng(5)
    values = rng.normal(size=(n, 12))
    for width in (64, 128, 256):
        weights = fixed.normal(size=(values.shape[1], width)) / np.sqrt(values.shape[1])
        values = np.maximum(values @ weights + fixed.normal(-0.5, 0.7, width), 0.0)
    return values


def repeated_table(rng: np.random.Generator, n: int) -> Floats:
    """Few whole numbers in five columns: half of the rows repeat by chance, and some stand there
    five times.
    """
    pile = np.concatenate([rng.integers(0, 4, (n, 4)), rng.poisson(0.3, (n, 1))], axis=1)
    often = rng.random(n) < 0.02
    return np.repeat(pile, np.where(often, 5, 1), axis=0)[rng.permutation(n)].astype(float)


def tags(rng: np.random.Generator, n: int) -> Floats:
    """Three hundred bits, most of them rarely set, in two kinds of rows."""
    shares = np.random.default_rng(7).beta(0.3, 5.0, (2, 300))
    return (rng.random((n, 300)) < shares[rng.integers(0, 2, n)]).astype(float)


def dropout(rng: np.random.Generator, n: int) -> Floats:
    """Amounts of 150 columns, each missing, as 0, in 60 to 99 % of the rows."""
    missing = np.random.default_rng(8).uniform(0.6, 0.99, 150)
    return np.where(rng.random((n, 150)) < missing, 0.0, rng.lognormal(size=(n, 150)))


ALIKE = {
    "sparse_counts": Kind(sparse_counts, held=False),
    "small_table": Kind(small_table, held=False),
    "student": Kind(student, held=False),
    "normalised": Kind(normalised, held=False),
    "relu": Kind(relu, held=False),
    "repeated": Kind(repeated, held=False),
    "cells": Kind(cells, held=True),
    "survey": Kind(survey, held=True),
    "cauchy": Kind(cauchy, held=True),
    "embedding": Kind(embedding, held=True),
    "deep_relu": Kind(deep_relu, held=True),
    "repeated_table": Kind(repeated_table, held=True),
    "tags": Kind(tags, held=True),
    "dropout": Kind(dropout, held=True),
}
SIZES = (60, 200, 600, 2_000, 5_000)

# ---- faults in columns


def gaussian(rng: np.random.Generator, n: int) -> Floats:
    """Sixteen correlated columns."""
    mix = np.random.default_rng(6).normal(size=(16, 16)) / 4 + 0.7 * np.eye(16)
    return rng.normal(size=(n, 16)) @ mix + 3.0


def pictures(rng: np.random.Generator, n: int) -> Floats:
    """Blobs on 8 x 8 pixels in 17 greys, mostly 0 at the borders."""
    x, y = np.meshgrid(np.arange(8), np.arange(8))
    centre = rng.normal(3.5, 1.2, (2, n, 1, 1))
    ink = np.exp(-((x - centre[0]) ** 2 + (y - centre[1]) ** 2) / 3.0)
    return np.floor(16.99 * np.clip(ink + 0.03 * rng.normal(size=ink.shape), 0, 1)).reshape(n, 64)


def factors(rng: np.random.Generator, n: int) -> Floats:
    """Forty columns of five common causes in three modes."""
    loadings = np.random.default_rng(7).normal(size=(5, 40))
    causes = rng.normal(size=(n, 5)) + 3.0 * rng.integers(0, 3, (n, 1))
    return causes @ loadings + rng.normal(size=(n, 40))


def strokes(rng: np.random.Generator, n: int) -> Floats:
    """Bars on 10 x 10 pixels, without noise: most pixels are 0."""
    picture = np.zeros((n, 10, 10))
    rows = rng.integers(1, 9, n)
    columns = rng.integers(1, 6, n)
    for place in range(n):
        picture[place, rows[place], columns[place] : columns[place] + 4] = rng.integers(5, 255, 4)
    return picture.reshape(n, 100)


def digits(rng: np.random.Generator, n: int) -> Floats:
    """Real digits of 8 x 8 pixels, of any class, drawn with a little noise of their grey."""
    from sklearn.datasets import load_digits

    pile = load_digits().data
    drawn = pile[rng.integers(0, len(pile), n)]
    return np.asarray(
        np.where(drawn > 0, np.clip(drawn + rng.integers(-1, 2, drawn.shape), 1, 16), 0.0)
    )


def grid(rng: np.random.Generator, n: int) -> Floats:
    """A row and a column of ink in 12 x 12 pixels, each twelfth of them missing."""
    values = np.zeros((n, 12, 12))
    values[np.arange(n), rng.integers(0, 12, n)] = 1.0
    values[np.arange(n), :, rng.integers(0, 12, n)] = 1.0
    values *= rng.random(values.shape) > 1 / 12
    return values.reshape(n, 144)


BASES = {
    "gaussian": Kind(gaussian, held=False),
    "pictures": Kind(pictures, held=False),
    "factors": Kind(factors, held=True),
    "strokes": Kind(strokes, held=False),
    "digits": Kind(digits, held=True),
    "grid": Kind(grid, held=True),
}
PICTURES = ("pictures", "strokes", "digits", "grid")


def dead(values: Floats, rng: np.random.Generator) -> tuple[Floats, list[int]]:
    """Three pixels that have ink in every fourth sample or more are 0."""
    inked = np.flatnonzero((values != np.median(values, axis=0)).mean(axis=0) > 0.25)
    if len(inked) < 3:
        inked = np.argsort(-(values != 0).mean(axis=0))[:6]
    columns = rng.choice(inked, 3, replace=False)
    values[:, columns] = 0.0
    return values, columns.tolist()


def shifted(values: Floats, rng: np.random.Generator) -> tuple[Floats, list[int]]:
    """One column, half a deviation higher."""
    column = int(rng.integers(values.shape[1]))
    values[:, column] += 0.5 * values[:, column].std()
    return values, [column]


def units(values: Floats, rng: np.random.Generator) -> tuple[Floats, list[int]]:
    """One column in another unit, about its mean."""
    column = int(rng.integers(values.shape[1]))
    middle = values[:, column].mean()
    values[:, column] = middle + 1.5 * (values[:, column] - middle)
    return values, [column]


def clipped(values: Floats, rng: np.random.Generator) -> tuple[Floats, list[int]]:
    """The outer twentieth of a column at either end, clipped."""
    column = int(rng.integers(values.shape[1]))
    ends = np.quantile(values[:, column], (0.05, 0.95))
    values[:, column] = np.clip(values[:, column], *ends)
    return values, [column]


def loose(values: Floats, rng: np.random.Generator) -> tuple[Floats, list[int]]:
    """One column of other rows: alike by itself, with no correlation left."""
    column = int(rng.integers(values.shape[1]))
    values[:, column] = rng.permutation(values[:, column])
    return values, [column]


FAULTS = {"dead": dead, "shifted": shifted, "units": units, "clipped": clipped, "loose": loose}


def alarms(name: str, pairs: int) -> None:
    """Pairs of halves, and those of which a column is named."""
    named = list[tuple[int, int]]()
    tried = 0
    for n in SIZES:
        for draw in range(max(1, pairs // len(SIZES))):
            rng = np.random.default_rng([n, draw, sum(map(ord, name))])
            pile = ALIKE[name].draw(rng, 2 * n)
            found = prviz.witness(pile[:n], pile[n:], seed=draw, without=False)
            tried += 1
            if found.named:
                named.append((n, draw))
    held = ALIKE[name].held
    figures = {"pairs": tried, "named": len(named), "held": int(held), "at": str(named[:5])}
    print(record("witness", f"alarms {name}", figures=figures)["figures"], flush=True)


def planted(name: str, sizes: list[int], draws: int) -> None:
    """How often every planted column is named, and any other."""
    for fault, plant in FAULTS.items():
        if (fault == "dead") != (name in PICTURES):
            continue
        for n in sizes:
            hits = others = first = 0
            for draw in range(draws):
                rng = np.random.default_rng([n, draw, sum(map(ord, name + fault))])
                real = BASES[name].draw(rng, n)
                generated, columns = plant(BASES[name].draw(rng, n), rng)
                found = prviz.witness(real, generated, seed=draw, without=False)
                told = _columns(found)
                hits += set(columns) <= told
                others += bool(told - set(columns))
                first += bool(found.named) and found.named[0].columns[0] in columns
            figures = {"n": n, "draws": draws, "named": hits, "first": first, "others": others}
            figures["held"] = int(BASES[name].held)
            print(
                fault,
                name,
                record("witness", f"planted {fault} {name}, n = {n:,}", figures=figures)["figures"],
                flush=True,
            )


def _columns(found: Witness) -> set[int]:
    return {column for each in found.named for column in each.columns}


def cost() -> None:
    """Seconds without the areas."""
    for n, d in ((2_000, 64), (10_000, 64), (2_000, 2_048)):
        rng = np.random.default_rng(0)
        real, generated = rng.normal(size=(2, n, d))
        generated[:, 3] += 0.5
        begun = time.process_time()
        prviz.witness(real, generated, without=False)
        print(
            record("witness", f"cost {n:,} x {d:,}", seconds=time.process_time() - begun),
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("planted", "alarms", "cost"))
    parser.add_argument("--sets", nargs="*", default=None)
    parser.add_argument("--sizes", nargs="*", type=int, default=[200, 600, 2_000])
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=35)
    choice = parser.parse_args()
    if choice.what == "cost":
        cost()
    for name in choice.sets or (ALIKE if choice.what == "alarms" else BASES):
        if choice.what == "alarms":
            alarms(name, choice.pairs)
        elif choice.what == "planted":
            planted(name, choice.sizes, choice.draws)


if __name__ == "__main__":
    main()
