"""Kinds of real samples that tuned nothing: written after the rules of findings and the witness,
and run once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tests.benchmarks.faults import Drawn


def reads(n: int, seed: int) -> Drawn:
    """Zero-inflated counts of 90 genes in five types of cells of unlike depth, raw."""
    fixed = np.random.default_rng(91)
    rng = np.random.default_rng((91, seed))
    base = fixed.gamma(0.35, 2.0, 90)
    fold = np.exp(1.2 * fixed.normal(size=(5, 90)) * (fixed.random((5, 90)) < 0.25))
    modes = rng.choice(5, n, p=[0.35, 0.25, 0.2, 0.12, 0.08])
    mean = base * fold[modes] * rng.lognormal(0, 0.4, (n, 1))
    x = rng.poisson(rng.gamma(2.0, mean / 2.0)).astype(float)
    return Drawn(x * (rng.random(x.shape) > 0.3), modes)


def orders(n: int, seed: int) -> Drawn:
    """Shop orders: amounts, whole counts, hours, codes and flags of five kinds of customers."""
    fixed = np.random.default_rng(92)
    rng = np.random.default_rng((92, seed))
    modes = rng.choice(5, n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    amounts = np.round(
        np.exp(fixed.normal(1.0, 0.8, (5, 3))[modes] + 0.5 * rng.normal(size=(n, 3))), 2
    )
    counts = rng.poisson(fixed.uniform(0.5, 6, (5, 3))[modes])
    hours = (
        np.round(np.clip(fixed.uniform(8, 20, 5)[modes] + 2.5 * rng.normal(size=n), 0, 23))[:, None]
        / 4
    )
    codes = np.array([rng.choice(4, p=p) for p in fixed.dirichlet(np.ones(4), 5)[modes]])[:, None]
    flags = rng.random((n, 4)) < fixed.uniform(0.1, 0.9, (5, 4))[modes]
    return Drawn(np.hstack([amounts, counts, hours, codes, flags]).astype(float), modes)


def returns(n: int, seed: int) -> Drawn:
    """Returns of 20 shares with two factors of heavy tails in four regimes."""
    fixed = np.random.default_rng(93)
    rng = np.random.default_rng((93, seed))
    modes = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    load = fixed.normal(size=(2, 20))
    scale = np.sqrt(3.0 / rng.chisquare(3.0, (n, 1)))
    x = fixed.normal(size=(4, 20))[modes] * 1.5 + scale * (
        rng.normal(size=(n, 2)) @ load + 0.6 * rng.normal(size=(n, 20))
    )
    return Drawn(x, modes)


def faces(n: int, seed: int) -> Drawn:
    """Unit embeddings of 9 groups in 128 dimensions whose variance decays."""
    fixed = np.random.default_rng(94)
    rng = np.random.default_rng((94, seed))
    modes = rng.choice(9, n, p=fixed.dirichlet(np.full(9, 3.0)))
    decay = (1 + np.arange(128)) ** -0.6
    turn = np.linalg.qr(fixed.normal(size=(128, 128)))[0]
    x = (
        2.0 * fixed.normal(size=(9, 128))[modes] * decay + rng.normal(size=(n, 128)) * decay
    ) @ turn + fixed.normal(size=128) * 0.2
    return Drawn(x / np.linalg.norm(x, axis=1, keepdims=True), modes)


def layer(n: int, seed: int) -> Drawn:
    """A sparse ReLU layer of 160 units over six classes in 14 latent dimensions."""
    fixed = np.random.default_rng(95)
    rng = np.random.default_rng((95, seed))
    modes = rng.choice(6, n, p=[0.3, 0.2, 0.2, 0.15, 0.1, 0.05])
    z = 1.3 * fixed.normal(size=(6, 14))[modes] + rng.normal(size=(n, 14))
    return Drawn(
        np.maximum(z @ fixed.normal(size=(14, 160)) / 4 - fixed.uniform(0.2, 1.2, 160), 0), modes
    )


def sensors(n: int, seed: int) -> Drawn:
    """Twenty-four hours of a sensor in three seasons, smooth, with bursts."""
    rng = np.random.default_rng((96, seed))
    modes = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    t = np.arange(24) / 24
    day = np.array([3.0, 1.5, 0.7])[modes][:, None] * np.sin(
        2 * np.pi * (t + 0.1 * rng.normal(size=(n, 1)))
    )
    walk = np.cumsum(0.25 * rng.normal(size=(n, 24)), axis=1)
    return Drawn(
        6 + day + np.array([0.0, 2.0, 4.0])[modes][:, None] + walk + rng.exponential(0.3, (n, 24)),
        modes,
    )


def photos(n: int, seed: int) -> Drawn:
    """Principal components of textures: decaying variance, slightly skewed, seven themes, d =
    50.
    """
    fixed = np.random.default_rng(97)
    rng = np.random.default_rng((97, seed))
    modes = rng.choice(7, n, p=[0.22, 0.2, 0.16, 0.14, 0.12, 0.1, 0.06])
    decay = 6 * (1 + np.arange(50)) ** -0.8
    shape = np.exp(0.4 * fixed.normal(size=(7, 50)))[modes]
    x = (
        1.4 * fixed.normal(size=(7, 50))[modes] + shape * (rng.gamma(4.0, 0.5, (n, 50)) - 2.0)
    ) * decay
    return Drawn(x, modes)


def terms(n: int, seed: int) -> Drawn:
    """Weights of 140 words in documents of five topics and unlike length, most of them 0."""
    fixed = np.random.default_rng(101)
    rng = np.random.default_rng((101, seed))
    modes = rng.choice(5, n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    topics = fixed.dirichlet(np.full(140, 0.15), 5)
    lengths = rng.lognormal(3.5, 0.5, (n, 1))
    counts = rng.poisson(lengths * topics[modes])
    return Drawn(np.log1p(counts) * fixed.uniform(0.5, 3.0, 140), modes)


def households(n: int, seed: int) -> Drawn:
    """Answers of a census: ages, rounded incomes, years, rooms, regions and flags."""
    fixed = np.random.default_rng(102)
    rng = np.random.default_rng((102, seed))
    modes = rng.choice(4, n, p=[0.35, 0.3, 0.2, 0.15])
    age = np.clip(np.round(fixed.uniform(25, 70, 4)[modes] + 9 * rng.normal(size=n)), 18, 95)
    income = np.round(np.exp(fixed.normal(10, 0.5, 4)[modes] + 0.6 * rng.normal(size=n)), -2)
    years = rng.binomial(20, fixed.uniform(0.4, 0.8, 4)[modes])
    rooms = 1 + rng.poisson(fixed.uniform(1, 4, 4)[modes])
    regions = np.eye(5)[[rng.choice(5, p=p) for p in fixed.dirichlet(np.ones(5), 4)[modes]]]
    flags = rng.random((n, 3)) < fixed.uniform(0.1, 0.9, (4, 3))[modes]
    columns = np.stack([age, income, years, rooms], axis=1)
    return Drawn(np.hstack([columns, regions, flags]).astype(float), modes)


def bands(n: int, seed: int) -> Drawn:
    """Levels of 40 bands of sound in six kinds of noise, smooth over bands, cut at a floor."""
    fixed = np.random.default_rng(103)
    rng = np.random.default_rng((103, seed))
    modes = rng.choice(6, n, p=[0.25, 0.2, 0.2, 0.15, 0.12, 0.08])
    shapes = np.cumsum(fixed.normal(size=(6, 40)), axis=1) * 3 - 40
    wiggle = np.cumsum(rng.normal(size=(n, 40)), axis=1)
    loud = 6 * rng.normal(size=(n, 1))
    return Drawn(np.maximum(shapes[modes] + wiggle + loud, -60.0), modes)


def molecules(n: int, seed: int) -> Drawn:
    """Sixty bits of a fingerprint and six descriptors of five scaffolds."""
    fixed = np.random.default_rng(104)
    rng = np.random.default_rng((104, seed))
    modes = rng.choice(5, n, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    bits = rng.random((n, 60)) < fixed.beta(0.4, 0.9, (5, 60))[modes]
    means = fixed.normal(size=(5, 6))[modes] * np.array([2.0, 1.0, 1.0, 0.5, 3.0, 1.0])
    return Drawn(np.hstack([bits, means + rng.gamma(3.0, 0.4, (n, 6))]).astype(float), modes)


def blood(n: int, seed: int) -> Drawn:
    """Fourteen rounded values of a laboratory, skewed and correlated, of three groups."""
    fixed = np.random.default_rng(105)
    rng = np.random.default_rng((105, seed))
    modes = rng.choice(3, n, p=[0.6, 0.25, 0.15])
    turn = fixed.normal(size=(14, 14)) / 4
    z = 0.8 * fixed.normal(size=(3, 14))[modes] + rng.normal(size=(n, 14)) @ turn
    return Drawn(np.round(np.exp(0.4 * z + fixed.uniform(0, 4, 14)), 1), modes)


def visits(n: int, seed: int) -> Drawn:
    """Visits of a page: pages, seconds, clicks and sums, most of them 0, of four kinds of
    visitors.
    """
    fixed = np.random.default_rng(106)
    rng = np.random.default_rng((106, seed))
    modes = rng.choice(4, n, p=[0.45, 0.25, 0.2, 0.1])
    pages = rng.geometric(fixed.uniform(0.1, 0.6, 4)[modes])
    seconds = rng.exponential(fixed.uniform(10, 200, 4)[modes]) * pages
    clicks = rng.poisson(fixed.uniform(0.1, 3.0, (4, 8))[modes])
    bought = (rng.random(n) < fixed.uniform(0.02, 0.4, 4)[modes]) * rng.lognormal(3, 0.7, n)
    return Drawn(np.column_stack([pages, np.round(seconds, 1), clicks, np.round(bought, 2)]), modes)


def spots(n: int, seed: int) -> Drawn:
    """Pictures of 8 x 8 whole grey values: one or two spots at seven places."""
    fixed = np.random.default_rng(107)
    rng = np.random.default_rng((107, seed))
    modes = rng.choice(7, n, p=[0.2, 0.2, 0.15, 0.15, 0.1, 0.1, 0.1])
    places = fixed.uniform(1, 6, (7, 2, 2))[modes] + 0.4 * rng.normal(size=(n, 2, 2))
    grid = np.stack(np.meshgrid(np.arange(8), np.arange(8), indexing="ij"), axis=-1)
    far = ((grid[None, None] - places[:, :, None, None]) ** 2).sum(axis=-1)
    light = np.exp(-far / rng.uniform(1.0, 2.5, (n, 2, 1, 1))).sum(axis=1)
    return Drawn(np.round(np.clip(14 * light, 0, 16)).reshape(n, 64), modes)


def voices(n: int, seed: int) -> Drawn:
    """Embeddings of eight speakers in 96 dimensions, most of the variance in a few of them."""
    fixed = np.random.default_rng(108)
    rng = np.random.default_rng((108, seed))
    modes = rng.choice(8, n, p=fixed.dirichlet(np.full(8, 4.0)))
    scale = 3 * (1 + np.arange(96)) ** -0.7
    turn = np.linalg.qr(fixed.normal(size=(96, 96)))[0]
    inner = rng.standard_t(6, (n, 96)) * scale
    return Drawn((1.2 * fixed.normal(size=(8, 96))[modes] * scale + inner) @ turn + 0.3, modes)


FRESH: Mapping[str, Callable[[int, int], Drawn]] = {
    "reads": reads,
    "orders": orders,
    "returns": returns,
    "faces": faces,
    "layer": layer,
    "sensors": sensors,
    "photos": photos,
    "terms": terms,
    "households": households,
    "bands": bands,
    "molecules": molecules,
    "blood": blood,
    "visits": visits,
    "spots": spots,
    "voices": voices,
}
