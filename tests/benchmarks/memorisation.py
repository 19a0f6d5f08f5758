# ruff: noqa: T201 - a script that prints its figures
"""How often samples are called memorised: independent and narrow ones (never right), exact and near
copies.

    python -m tests.benchmarks.memorisation [--draws 10] [--n 1000]

Gaussians and five modes. "narrow s": independent samples of s times the spread. Copies of a share
of the reference, near ones moved by 1 % of the median nearest distance. With a holdout, and without
one.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from prviz.neighbors import nearest_radii
from prviz.samples import Samples
from prviz.triage.memorisation import held_out_distances, memorisation
from tests.benchmarks.results import record

Floats = NDArray[np.float64]

NARROW = {"independent": 1.0, "narrow 0.9": 0.9, "narrow 0.7": 0.7, "narrow 0.3": 0.3}
"""Cases without copies, by the factor of the spread."""
COPIES = {
    f"{kind} {share:.0%}": (kind, share)
    for kind in ("exact", "near")
    for share in (0.01, 0.03, 0.1)
}
"""Cases with copies, by the kind and the share."""


def base(name: str, rng: np.random.Generator, n: int, d: int, spread: float = 1.0) -> Floats:
    """Samples of a Gaussian, or of five of them."""
    centres = 3 * np.random.default_rng(99).normal(size=(5, d)) * (name == "modes")
    return np.asarray(centres[rng.integers(0, 5, n)] + spread * rng.normal(size=(n, d)))


def case(
    name: str, of: str, rng: np.random.Generator, n: int, d: int
) -> tuple[Floats, Floats, Floats]:
    """Reference, holdout and generated samples of a case."""
    real = base(of, rng, n, d)
    holdout = base(of, rng, n, d)
    generated = base(of, rng, n, d, NARROW.get(name, 1.0))
    if name in COPIES:
        kind, share = COPIES[name]
        chosen = rng.permutation(n)[: int(share * n)]
        noise = rng.normal(size=(len(chosen), d)) * (kind == "near")
        step = 0.01 * np.median(nearest_radii(real, np.arange(n), 1)) / np.sqrt(d)
        generated[: len(chosen)] = real[chosen] + step * noise
    return real, holdout, generated


def called(name: str, of: str, n: int, d: int, draws: int) -> tuple[int, int]:
    """In how many draws a case is called memorised, with a holdout and without."""
    counts = [0, 0]
    for seed in range(draws):
        real, holdout, generated = map(
            Samples, case(name, of, np.random.default_rng([seed, d, n]), n, d)
        )
        for place, held_out in enumerate(
            (held_out_distances(real, holdout), held_out_distances(real))
        ):
            counts[place] += memorisation(real, generated, held_out).memorised
    return counts[0], counts[1]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--n", type=int, default=1000)
    arguments = parser.parse_args()
    for of in ("gaussian", "modes"):
        for d in (4, 16, 64):
            for name in (*NARROW, *COPIES):
                holdout, alone = called(name, of, arguments.n, d, arguments.draws)
                print(
                    f"{of:9} d = {d:2}  {name:12}  holdout {holdout:3}, without {alone:3} of"
                    f" {arguments.draws}"
                )
                figures = {
                    "called, with holdout": holdout,
                    "called, without": alone,
                    "draws": arguments.draws,
                }
                record(
                    "memorisation", f"{name}, {of}, d = {d}, n = {arguments.n:,}", figures=figures
                )


if __name__ == "__main__":
    main()
