"""How often a class is called worse where both sets are of one distribution: `python -m
tests.benchmarks.classes`.

By the number of samples that count as one, AS_ONE of `prviz.triage.classes`: halves of the bundled
digits by digit, and 20 clusters in 16 dimensions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from prviz.readers.bundled import bundled_pair
from prviz.samples import Samples
from prviz.triage import classes
from tests.benchmarks.results import record

Draw = tuple[Samples, Samples, np.ndarray]


def digits(draws: int) -> Iterator[Draw]:
    real = bundled_pair("mixture-em-1").real
    rng = np.random.default_rng(1)
    for _ in range(draws):
        order = rng.permutation(real.n)
        half = real.n // 2
        yield (
            real.take(order[:half]),
            real.take(order[half : 2 * half]),
            real.labels["digit"][order[:half]],
        )


def clusters(draws: int) -> Iterator[Draw]:
    rng = np.random.default_rng(5)
    for _ in range(draws):
        centres = 3 * rng.normal(size=(20, 16))
        labels = rng.integers(0, 20, (2, 1500))
        real, generated = (Samples(centres[each] + rng.normal(size=(1500, 16))) for each in labels)
        yield real, generated, labels[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=60)
    draws = parser.parse_args().draws
    for make in (digits, clusters):
        made = list(make(draws))
        for classes.AS_ONE in (1.0, 2.0, 3.0, 4.0):
            false = sum(any(each.worse for each in classes.by_class(*sets)) for sets in made)
            figures = {"draws in which a class is called worse": false, "draws": draws}
            record("classes", f"{make.__name__}, {classes.AS_ONE:g} as one", figures=figures)


if __name__ == "__main__":
    main()
