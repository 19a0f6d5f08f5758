# ruff: noqa: T201
"""How often the 95 % intervals of Frechet distances hold the distance of ever more samples.

Pairs of laws, drawn anew 300 times each; the distance of ever more samples is that of a million
samples of each law. ``held`` is the share of the draws in which the interval of
`prviz.frechet_distance` holds it, ``paired`` the share in which that of `prviz.compare_frechet`
holds the difference to a third set, of the second law moved by 0.1.

    python -m tests.benchmarks.frechet_intervals [--draws 300] [--d 16 64] [--n 500 2000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from prviz.measure.frechet import compare_frechet, frechet, frechet_distance
from prviz.samples import as_samples

Floats = NDArray[np.float64]
Law = Callable[[np.random.Generator, int], Floats]

MILLION = 1_000_000
MOVED = 0.1


def laws(d: int) -> Mapping[str, tuple[Law, Law]]:
    """Pairs of laws in d dimensions by name."""
    rng = np.random.default_rng(99)
    axes = np.linalg.qr(rng.normal(size=(d, d)))[0]
    decaying = (axes * np.sqrt(np.geomspace(1, 0.01, d))).T
    centres = rng.normal(size=(5, d))

    def normal(scale: float = 1.0, shift: float = 0.0) -> Law:
        return lambda rng, n: rng.normal(size=(n, d)) * scale + shift

    def decay(scale: float, shift: float = 0.0) -> Law:
        return lambda rng, n: rng.normal(size=(n, d)) @ decaying * scale + shift

    def skewed(scale: float) -> Law:
        return lambda rng, n: rng.exponential(size=(n, d)) @ decaying * scale

    def heavy(freedom: float, scale: float = 1.0, shift: float = 0.0) -> Law:
        return lambda rng, n: rng.standard_t(freedom, size=(n, d)) * scale + shift

    def modes(k: int, scale: float) -> Law:
        return lambda rng, n: centres[rng.integers(k, size=n)] + rng.normal(size=(n, d)) * scale

    def lognormal(scale: float) -> Law:
        return lambda rng, n: np.exp(rng.normal(size=(n, d)) * scale)

    def one_flat(rng: np.random.Generator, n: int) -> Floats:
        values = rng.normal(size=(n, d))
        values[:, 0] *= 0.1
        return values

    def two_scales(rng: np.random.Generator, n: int) -> Floats:
        return rng.normal(size=(n, d)) * np.where(rng.random((n, 1)) < 0.1, 2.5, 0.8)

    return {
        "equal": (normal(), normal()),
        "shifted": (normal(), normal(0.8, 0.3)),
        "decaying": (decay(1.0), decay(1.0, 0.05)),
        "wider": (decay(1.0), decay(1.3)),
        "heavy tails": (heavy(6), heavy(6, 1.2)),
        "heavier": (heavy(5), heavy(5, 1.0, 0.3)),
        "a mode less": (modes(5, 0.3), modes(4, 0.35)),
        "one axis flat": (normal(), one_flat),
        "skewed": (skewed(1.0), skewed(1.1)),
        "lognormal": (lognormal(0.5), lognormal(0.55)),
        "two scales": (two_scales, normal()),
    }


def main() -> None:
    """Print a line for each pair of laws and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--d", type=int, nargs="+", default=[16, 64])
    parser.add_argument("--n", type=int, nargs="+", default=[500, 2000])
    chosen = parser.parse_args()
    print(f"{'laws':14}{'d':>4}{'n':>6}{'distance':>10}{'held':>7}{'paired':>8}")
    for d in chosen.d:
        for name, (real, generated) in laws(d).items():
            rng = np.random.default_rng(1)
            many = [as_samples(law(rng, MILLION)) for law in (real, generated)]
            limit = frechet(*many)
            apart = limit - frechet(many[0], as_samples(many[1].values + MOVED))
            del many
            for n in chosen.n:
                held = 0
                paired = 0
                for draw in range(chosen.draws):
                    rng = np.random.default_rng((draw, d, n))
                    sets = [as_samples(law(rng, n)) for law in (real, generated, generated)]
                    sets[2] = as_samples(sets[2].values + MOVED)
                    one = frechet_distance(*sets[:2])
                    held += one.low <= limit <= one.high
                    both = compare_frechet(*sets)
                    paired += both.low <= apart <= both.high
                shares = f"{held / chosen.draws:7.3f}{paired / chosen.draws:8.3f}"
                print(f"{name:14}{d:4}{n:6}{limit:10.4f}{shares}", flush=True)


if __name__ == "__main__":
    main()
