# ruff: noqa: T201 - a script that prints its figures
"""Whether *Data like yours* orders settings as the truth does, on twelve pairs of laws of known
truth.

    python -m tests.benchmarks.surrogate_laws [--seeds 21 22 23] [--kept FILE]

The true order of 16 settings (four families, k = sqrt(n) and 5, with a split and without) is that
of their mean IoU with the true curve over ten draws of 1,000 samples per set; the surrogate's that
of five of its fresh samples. A law is refused by a draw where its surrogate does not pass.
``--kept`` keeps every draw's figures, and goes on from there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import ive, logsumexp

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.curves.ground_truth import sampled_truth
from prviz.estimators import DEFAULT_METHODS
from prviz.measure.estimates import estimate
from prviz.samples import SamplePair
from prviz.studies.surrogate import Surrogate, fit_pair
from tests.benchmarks.results import record

N = 1_000
SETTINGS = [
    (method, k, split) for split in (None, 0.5) for k in ("sqrt", 5) for method in DEFAULT_METHODS
]


class Law(NamedTuple):
    """Samples (n, d), and log density at points (n, d)."""

    sample: Callable[[int, np.random.Generator], Floats]
    log_density: Callable[[Floats], Floats]


class Pair(NamedTuple):
    """P and Q."""

    real: Law
    generated: Law

    def draw(self, n: int, seed: int) -> SamplePair:
        streams = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(2)]
        return SamplePair.of(*(law.sample(n, rng) for law, rng in zip(self, streams, strict=True)))

    def truth(self) -> PRCurve:
        def log_ratios(size: int, seed: int) -> tuple[Floats, Floats]:
            first, second = (
                self.generated.log_density(side.values) - self.real.log_density(side.values)
                for side in self.draw(size, seed)
            )
            return first, second

        return sampled_truth(log_ratios, seed=99).curve


def independent(d: int, law: stats.rv_continuous | stats.rv_discrete) -> Law:
    """Every feature of the same frozen law of scipy, or of laws with arrays of parameters."""
    log = law.logpdf if isinstance(law.dist, stats.rv_continuous) else law.logpmf
    return Law(
        lambda n, rng: np.asarray(law.rvs((n, d), random_state=rng), dtype=np.float64),
        lambda x: log(x).sum(axis=1),
    )


def clusters(shares: Floats, means: Floats, width: float) -> Law:
    shares = shares / shares.sum()
    kept = shares > 0

    def log_density(x: Floats) -> Floats:
        squares = (
            (x**2).sum(axis=1)[:, None] - 2 * x @ means[kept].T + (means[kept] ** 2).sum(axis=1)
        )
        constant = -means.shape[1] * np.log(width * np.sqrt(2 * np.pi))
        result: Floats = constant + logsumexp(
            np.log(shares[kept]) - squares / (2 * width**2), axis=1
        )
        return result

    return Law(
        lambda n, rng: (
            means[rng.choice(len(shares), n, p=shares)]
            + width * rng.standard_normal((n, means.shape[1]))
        ),
        log_density,
    )


def bent(curvature: float, d: int = 8) -> Law:
    """A Gaussian whose second and fourth features are moved by the squares of the first and
    third.
    """

    def moved(z: Floats, sign: float) -> Floats:
        x = z.copy()
        x[:, [1, 3]] += sign * curvature * z[:, [0, 2]] ** 2
        return x

    return Law(
        lambda n, rng: moved(rng.standard_normal((n, d)), 1.0),
        lambda x: stats.norm.logpdf(moved(x, -1.0)).sum(axis=1),
    )


def rings(shares: Floats, centres: Floats, planes: Floats, noise: float = 0.1) -> Law:
    """Circles of radius 1 in planes (m, d, 2) around centres (m, d), with noise in all
    directions.
    """
    shares = shares / shares.sum()
    d = centres.shape[1]

    def sample(n: int, rng: np.random.Generator) -> Floats:
        ring = rng.choice(len(shares), n, p=shares)
        angle = rng.uniform(0, 2 * np.pi, n)
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        around = np.einsum("ndk,nk->nd", planes[ring], circle)
        return centres[ring] + around + noise * rng.standard_normal((n, d))

    def log_density(x: Floats) -> Floats:
        terms = []
        for share, centre, plane in zip(shares, centres, planes, strict=True):
            if share > 0:
                gap = x - centre
                radius = np.linalg.norm(gap @ plane, axis=1)
                off = (gap**2).sum(axis=1) - radius**2 + (radius - 1) ** 2
                terms.append(
                    np.log(share) + np.log(ive(0, radius / noise**2)) - off / (2 * noise**2)
                )
        result: Floats = logsumexp(np.stack(terms), axis=0)
        return result

    return Law(sample, log_density)


def shell(radius: float, width: float = 0.15, d: int = 6) -> Law:
    """Directions alike, and a radius that is normal."""

    def sample(n: int, rng: np.random.Generator) -> Floats:
        z = rng.standard_normal((n, d))
        radii = radius + width * rng.standard_normal(n)
        return z / np.linalg.norm(z, axis=1, keepdims=True) * radii[:, None]

    def log_density(x: Floats) -> Floats:
        lengths = np.linalg.norm(x, axis=1)
        result: Floats = stats.norm.logpdf(lengths, radius, width) - (d - 1) * np.log(lengths)
        return result

    return Law(sample, log_density)


def heavy(shift: float, d: int = 6) -> Law:
    law = stats.multivariate_t(np.eye(d)[0] * shift, np.eye(d), 3)
    return Law(lambda n, rng: law.rvs(n, random_state=rng), law.logpdf)


def laws() -> dict[str, Pair]:
    """The twelve pairs by name."""
    rng = np.random.default_rng(7)
    modes = 2.5 * rng.standard_normal((6, 8))
    centres = 2.0 * rng.standard_normal((30, 12))
    planes = np.stack([np.linalg.qr(rng.standard_normal((12, 2)))[0] for _ in range(30)])
    rates = rng.gamma(1.0, 0.6, 20) + 0.05
    other_rates = rates * np.exp(0.35 * rng.standard_normal(20))
    classes = 1.2 * rng.standard_normal((20, 16))
    of_classes = [rng.dirichlet(np.full(20, 2.0)) for _ in range(2)]
    widths = 1 / np.sqrt(np.arange(1, 17))
    wider = widths * np.where(np.arange(16) < 8, 1.25, 0.9)
    normal = stats.norm
    return {
        "shifted Gaussians, d = 8": Pair(
            independent(8, normal()), independent(8, normal(np.eye(8)[0]))
        ),
        "Gaussians of other widths, d = 16": Pair(
            independent(16, normal(0, widths)), independent(16, normal(0, wider))
        ),
        "mode dropped and invented, d = 8": Pair(
            clusters(np.array([1, 1, 1, 1, 1, 0.0]), modes, 1.0),
            clusters(np.array([0, 1, 1, 1, 2, 1.0]), modes, 1.0),
        ),
        "Student t margins, d = 8": Pair(
            independent(8, stats.t(5)), independent(8, stats.t(5, scale=1.2))
        ),
        "multivariate Student t, d = 6": Pair(heavy(0.0), heavy(1.0)),
        "gamma margins, d = 8": Pair(
            independent(8, stats.gamma(2)), independent(8, stats.gamma(2, scale=1.25))
        ),
        "bent Gaussians, d = 8": Pair(bent(1.0), bent(0.6)),
        "rings, d = 12": Pair(
            rings(np.ones(30), centres, planes),
            rings((np.arange(30) >= 6).astype(np.float64), centres, planes),
        ),
        "sparse counts, d = 20": Pair(
            independent(20, stats.poisson(rates)), independent(20, stats.poisson(other_rates))
        ),
        "log-normal margins, d = 6": Pair(
            independent(6, stats.lognorm(0.7)), independent(6, stats.lognorm(0.7, scale=1.3))
        ),
        "shells, d = 6": Pair(shell(1.0), shell(1.15)),
        "20 classes, d = 16": Pair(*(clusters(shares, classes, 0.8) for shares in of_classes)),
    }


def ious(pair: SamplePair, truth: PRCurve, seed: int) -> Floats:
    """(16,) IoU with the truth by setting."""
    found = [
        estimate(pair, DEFAULT_METHODS, k=k, split=split, seed=seed)
        for split in (None, 0.5)
        for k in ("sqrt", 5)
    ]
    return np.array([each.curve.iou(truth) for some in found for each in some.values()])


def true_ious(law: Pair, draws: int) -> Floats:
    truth = law.truth()
    return np.mean([ious(law.draw(N, 5_000 + i), truth, i) for i in range(draws)], axis=0)


def measured(law: Pair, true: Floats, seed: int, repeats: int) -> dict[str, float]:
    """The check of one draw's surrogate; where it passes, its rank correlation with the truth, and
    how far the IoU of the setting that it puts first lies behind the best one.
    """
    pair = law.draw(N, seed)
    surrogate: Surrogate = fit_pair(*pair, d=pair.d, fit="kernels", seed=seed)
    check = surrogate.prediction
    assert check is not None
    found = {
        "passes": float(check.passes),
        "sharpness": check.sharpness,
        "inside": check.inside,
        "off": check.off,
    }
    if not check.passes:
        return found
    problem = surrogate.problem()
    truth = problem.truth()
    order = np.mean([ious(problem.sample(N, 900 + i), truth, i) for i in range(repeats)], axis=0)
    best = int(order.argmax())
    return found | {
        "correlation": float(stats.spearmanr(order, true)[0]),
        "behind": float(true.max() - true[best]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, nargs="+", default=[21, 22, 23])
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--kept", type=Path)
    choice = parser.parse_args()
    kept: dict[str, dict[str, float]] = {}
    if choice.kept is not None and choice.kept.exists():
        kept = json.loads(choice.kept.read_text())
    pairs = laws()
    true: dict[str, Floats] = {}
    for seed in choice.seeds:
        for name, law in pairs.items():
            key = f"{name} {seed}"
            if key not in kept:
                if name not in true:
                    true[name] = true_ious(law, choice.draws)
                kept[key] = measured(law, true[name], seed, choice.repeats)
                if choice.kept is not None:
                    choice.kept.write_text(json.dumps(kept))
            print(key, {title: round(value, 3) for title, value in kept[key].items()}, flush=True)
    for name in pairs:
        record("surrogate_laws", name, figures=summary([kept[f"{name} {s}"] for s in choice.seeds]))


def summary(draws: list[dict[str, float]]) -> dict[str, float | str]:
    """Figures of one law."""
    some = [each for each in draws if each["passes"]]
    return {
        "recommends": f"{len(some)} of {len(draws)}",
        "least rank correlation": min((each["correlation"] for each in some), default=np.nan),
        "IoU behind the best setting": max((each["behind"] for each in some), default=np.nan),
        "sharpness": f"{min(each['sharpness'] for each in draws):.2f} to"
        f" {max(each['sharpness'] for each in draws):.2f}",
    }


if __name__ == "__main__":
    main()
