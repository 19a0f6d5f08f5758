"""Faults that are put into real samples, and the sets they are put into: what
`tests.benchmarks.findings` measures.

A fault takes samples that are as good as real and returns as many that are not. Its strength is a
number from 0 to 1 without a unit: `graded` finds the strengths at which a fault costs given shares
of the area under the curve.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.measure.estimates import estimate
from prviz.samples import SamplePair

Floats = NDArray[np.float64]
Rng = np.random.Generator


class Drawn(NamedTuple):
    """Independent real samples and the mode or class of each."""

    values: Floats
    modes: NDArray[np.intp]


@dataclass(frozen=True)
class Base:
    """A set that faults are put into.

    draw : function of a number of samples and a seed. most : number of samples that there are.
    tuned : True if the findings' thresholds were chosen while looking at this set.
    """

    draw: Callable[[int, int], Drawn]
    most: int = 10**9
    tuned: bool = False
    modes: bool = True


# ---- bases ----


def _mixture(count: int, d: int, *, tails: float = math.inf) -> Callable[[int, int], Drawn]:
    """Modes of unlike weights and shapes, whose variance decays along rotated directions;
    t-distributed with tails.
    """

    def draw(n: int, seed: int) -> Drawn:
        made = np.random.default_rng(12)
        rng = np.random.default_rng((seed, 1))
        weights = np.geomspace(1, 6, count)
        means = made.normal(size=(count, d)) * 3 + np.where(np.arange(d) < d / 4, 5.0, 0.0)
        turns = [np.linalg.qr(made.normal(size=(d, d)))[0] for _ in range(count)]
        spread = 2.0 / np.sqrt(1 + np.arange(d))
        modes = rng.choice(count, n, p=weights / weights.sum())
        values = rng.normal(size=(n, d)) * spread
        if math.isfinite(tails):
            values *= np.sqrt(tails / rng.chisquare(tails, size=(n, 1)))
        for mode in range(count):
            values[modes == mode] = values[modes == mode] @ turns[mode].T + means[mode]
        return Drawn(values, modes)

    return draw


def _gaussian(n: int, seed: int) -> Drawn:
    values = np.random.default_rng((seed, 2)).normal(size=(n, 8)) / np.sqrt(1 + np.arange(8)) + 1.5
    return Drawn(values, np.zeros(n, np.intp))


def _manifold(n: int, seed: int) -> Drawn:
    """A surface of two angles in 32 dimensions, with a little noise; its modes are the quadrants of
    the first angle.
    """
    rng = np.random.default_rng((seed, 3))
    fixed = np.random.default_rng(3)
    angles = rng.random((n, 2)) * [2 * np.pi, np.pi]
    waves = np.concatenate([f(j * angles) for j in (1, 2) for f in (np.sin, np.cos)], axis=1)
    values = waves @ fixed.normal(size=(8, 32)) + 2 + 0.1 * rng.normal(size=(n, 32))
    return Drawn(values, (angles[:, 0] // (np.pi / 2)).astype(np.intp))


def _moons(n: int, seed: int) -> Drawn:
    rng = np.random.default_rng((seed, 4))
    modes = rng.integers(0, 2, n)
    angle = np.pi * rng.random(n)
    x = np.where(modes == 0, np.cos(angle), 1 - np.cos(angle))
    y = np.where(modes == 0, np.sin(angle), 0.5 - np.sin(angle))
    return Drawn(np.stack([x, y, 0.3 * x * y], axis=1) + 2 + 0.08 * rng.normal(size=(n, 3)), modes)


def _skewed(n: int, seed: int) -> Drawn:
    """Modes whose features are products of many influences: log-normal, correlated, of very
    different spreads.
    """
    rng = np.random.default_rng((seed, 7))
    fixed = np.random.default_rng(7)
    modes = rng.choice(4, n, p=[0.1, 0.2, 0.3, 0.4])
    logs = (
        rng.normal(size=(n, 12)) @ fixed.normal(size=(12, 12)) * 0.15
        + fixed.normal(size=(4, 12))[modes]
    )
    return Drawn(np.exp(logs), modes)


def _rings(n: int, seed: int) -> Drawn:
    """Three rings in planes of their own, in 10 dimensions, with a little noise."""
    rng = np.random.default_rng((seed, 8))
    fixed = np.random.default_rng(8)
    modes = rng.integers(0, 3, n)
    angle = 2 * np.pi * rng.random(n)
    planes = np.linalg.qr(fixed.normal(size=(10, 6)))[0].T.reshape(3, 2, 10)
    circles = np.cos(angle)[:, None] * planes[modes, 0] + np.sin(angle)[:, None] * planes[modes, 1]
    return Drawn(
        3 * circles + fixed.normal(size=(3, 10))[modes] + 1 + 0.15 * rng.normal(size=(n, 10)), modes
    )


def _waves(n: int, seed: int) -> Drawn:
    """Series of 40 steps: three kinds of waves, each of its own phase and height, with noise that
    hangs together.
    """
    rng = np.random.default_rng((seed, 10))
    modes = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    steps = np.arange(40) / 40
    phase = 0.6 * rng.normal(size=(n, 1))
    height = np.exp(0.3 * rng.normal(size=(n, 1)))
    waves = height * np.sin(2 * np.pi * np.array([1, 2, 3])[modes][:, None] * steps + phase) + 0.5
    rough = rng.normal(size=(n, 44))
    return Drawn(waves + 0.1 * sum(rough[:, i : i + 40] for i in range(5)), modes)


@lru_cache
def _digits() -> Drawn:
    from sklearn.datasets import load_digits

    found = load_digits()
    return Drawn(found.data.astype(float), found.target.astype(np.intp))


@lru_cache
def _digits_pca() -> Drawn:
    from sklearn.decomposition import PCA

    raw = _digits()
    return Drawn(PCA(20, random_state=0).fit_transform(raw.values), raw.modes)


@lru_cache
def _digits_random() -> Drawn:
    """What a random layer makes of the digits."""
    raw = _digits()
    fixed = np.random.default_rng(9)
    values = raw.values - raw.values.mean(axis=0)
    return Drawn(
        np.maximum(values @ fixed.normal(size=(64, 100)) / 8 + 2 * fixed.normal(size=100), 0),
        raw.modes,
    )


TEXT_PACKAGES = ("sklearn", "scipy", "pandas", "numpy", "dask", "streamlit")
OTHER_TEXT_PACKAGES = (
    "altair",
    "tornado",
    "PIL",
    "hypothesis",
    "playwright",
    "distributed",
    "mypy",
    "onnxruntime",
)


def _paragraphs(folder: Path) -> Iterator[str]:
    """Paragraphs of at least 25 words in the docstrings of a package's modules."""
    for path in sorted(folder.rglob("*.py")):
        if "test" in str(path.relative_to(folder)):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and (
                text := ast.get_docstring(node)
            ):
                yield from (
                    part
                    for part in text.split("\n\n")
                    if len(part.split()) >= 25 and ">>>" not in part
                )


def _texts_of(packages: tuple[str, ...]) -> tuple[list[str], NDArray[np.intp]]:
    """Paragraphs of the docstrings that ship with the test dependencies, and the place of each
    one's package.
    """
    texts: dict[str, int] = {}
    for place, name in enumerate(packages):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        for text in _paragraphs(Path(spec.origin).parent):
            texts.setdefault(" ".join(text.split()), place)
    return list(texts), np.array([*texts.values()], np.intp)


@lru_cache
def _texts() -> Drawn:
    """TF-IDF of words, on 50 singular directions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts, places = _texts_of(TEXT_PACKAGES)
    weights = TfidfVectorizer(min_df=5, sublinear_tf=True, stop_words="english").fit_transform(
        texts
    )
    return Drawn(TruncatedSVD(50, random_state=0).fit_transform(weights), places)


@lru_cache
def _other_texts() -> Drawn:
    """Hashed parts of words of other packages' paragraphs, on 32 principal directions."""
    from sklearn.decomposition import PCA
    from sklearn.feature_extraction.text import HashingVectorizer

    texts, places = _texts_of(OTHER_TEXT_PACKAGES)
    weights = HashingVectorizer(
        analyzer="char_wb", ngram_range=(3, 4), n_features=2048
    ).fit_transform(texts)
    return Drawn(10 * PCA(32, random_state=0).fit_transform(weights.toarray()) + 1, places)


def _of(whole: Callable[[], Drawn]) -> Callable[[int, int], Drawn]:
    def draw(n: int, seed: int) -> Drawn:
        values, modes = whole()
        rows = np.random.default_rng((seed, 5)).permutation(len(values))[:n]
        return Drawn(values[rows], modes[rows])

    return draw


BASES: Mapping[str, Base] = {
    "6 modes, d = 16": Base(_mixture(6, 16), tuned=True),
    "gaussian, d = 8": Base(_gaussian, tuned=True, modes=False),
    "surface, d = 32": Base(_manifold, tuned=True),
    "digits, d = 64": Base(_of(_digits), 1797, tuned=True),
    "12 modes, d = 64": Base(_mixture(12, 64), tuned=True),
    "heavy tails, d = 24": Base(_mixture(5, 24, tails=4.0), tuned=True),
    "moons, d = 3": Base(_moons, tuned=True),
    "digits, 20 components": Base(_of(_digits_pca), 1797, tuned=True),
    "texts, d = 50": Base(_of(_texts), 8000, tuned=True),
    "skewed, d = 12": Base(_skewed),
    "rings, d = 10": Base(_rings),
    "waves, d = 40": Base(_waves),
    "digits, 100 random features": Base(_of(_digits_random), 1797),
    "other texts, d = 32": Base(_of(_other_texts), 3600),
}


# ---- faults ----


@dataclass(frozen=True, eq=False)
class Case:
    """What a fault is put into: fresh samples (at least n), the reference, and how many samples are
    wanted.

    start : the state of the generator before the fault.
    """

    fresh: Drawn
    real: Floats
    n: int
    rng: Rng
    variant: int
    start: Mapping[str, Any]

    @property
    def values(self) -> Floats:
        """As many fresh samples as are wanted."""
        return self.fresh.values[: self.n]

    @property
    def modes(self) -> NDArray[np.intp]:
        """Their modes."""
        return self.fresh.modes[: self.n]


def _near(points: Floats, k: int) -> tuple[NDArray[np.intp], Floats]:
    """The k nearest others of every point, and their distances."""
    squares = (points**2).sum(1)
    parts = []
    for begin in range(0, len(points), 1000):  # 10,000 at once would fill a gigabyte
        rows = np.arange(begin, min(begin + 1000, len(points)))
        distances = np.sqrt(
            np.clip(squares[rows, None] + squares - 2 * points[rows] @ points.T, 0, None)
        )
        distances[np.arange(len(rows)), rows] = np.inf
        nearest = np.argsort(distances, axis=1)[:, :k]
        parts.append((nearest, np.take_along_axis(distances, nearest, 1)))
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([near for _, near in parts])


def _mode_means(case: Case) -> Floats:
    """The mean of its mode for every sample (variant 1), or the mean of all (variant 0)."""
    values = case.values
    modes = case.modes
    if case.variant == 0 or len(np.unique(modes)) < 2:
        return np.broadcast_to(values.mean(axis=0), values.shape)
    return np.array([values[modes == mode].mean(axis=0) for mode in range(modes.max() + 1)])[modes]


def _kept(case: Case, keep: NDArray[np.bool_]) -> Floats:
    rows = np.flatnonzero(keep)
    rows = rows[: case.n]
    return case.fresh.values[rows]


def drop(case: Case, t: float) -> Floats:
    """The share t is never made: one mode from a side on, whole if t is its share, then the modes
    next to it.
    """
    values = case.fresh.values
    modes = case.fresh.modes
    towards = case.rng.normal(size=values.shape[1]) * values.std(axis=0)
    mode = case.rng.integers(modes.max() + 1)
    means = np.array([values[modes == each].mean(axis=0) for each in range(modes.max() + 1)])
    distance = np.linalg.norm(means - means[mode], axis=1)
    along = (values - means[modes]) @ towards
    order = np.lexsort((-along, distance[modes]))
    keep = np.ones(len(values), bool)
    keep[order[: round(0.9 * t * len(values))]] = False
    return _kept(case, keep)


def miss_class(case: Case, t: float) -> Floats:
    """Whole classes of about the share t are never made; one at least."""
    order = case.rng.permutation(case.fresh.modes.max() + 1)
    shares = np.array([np.mean(case.fresh.modes == mode) for mode in order])
    if case.variant == 0:
        order = order[np.argsort(shares)]
        shares = np.sort(shares)
    sums = np.cumsum(shares)
    last = int(np.argmin(np.abs(sums[:-1] - t))) if len(sums) > 1 else 0
    return _kept(case, ~np.isin(case.fresh.modes, order[: last + 1]))


def reweight(case: Case, t: float) -> Floats:
    """Half of the modes made more often, the others less: factors up to 1 / (1 - t)."""
    modes = case.fresh.modes
    if len(np.unique(modes)) < 2:
        modes = (case.fresh.values[:, 0] > np.median(case.fresh.values[:, 0])).astype(np.intp)
    order = case.rng.permutation(modes.max() + 1)
    less = np.isin(modes, order[: len(order) // 2])
    return _kept(case, ~less | (case.rng.random(len(modes)) > t * 0.95))


def narrow(case: Case, t: float) -> Floats:
    """Every mode, or the whole set, pulled to its mean."""
    centre = _mode_means(case)
    return centre + (1 - 0.9 * t) * (case.values - centre)


def widen(case: Case, t: float) -> Floats:
    """Every mode, or the whole set, stretched from its mean."""
    centre = _mode_means(case)
    return centre + (1 + 3 * t) * (case.values - centre)


def blur(case: Case, t: float) -> Floats:
    """Samples mixed with the mean of their 4 nearest; pictures of digits with their blurred
    picture.
    """
    values = case.values
    if case.variant == 1 and values.shape[1] == 64 and values.max() == 16:
        pictures = values.reshape(-1, 8, 8)
        padded = np.pad(pictures, ((0, 0), (1, 1), (1, 1)), mode="edge")
        parts = [padded[:, i : i + 8, j : j + 8] for i in range(3) for j in range(3)]
        return ((1 - t) * pictures + t * np.mean(parts, axis=0)).reshape(values.shape)
    nearest, _ = _near(values, 4)
    return (1 - t) * values + t * values[nearest].mean(axis=1)


def invent(case: Case, t: float) -> Floats:
    """The share t forms a mode far from all others, with the shape of one mode."""
    values = np.array(case.values)
    rows = np.flatnonzero(case.rng.random(case.n) < 0.9 * t)
    shape = values[rows] - _mode_means(case)[rows]
    _, distance = _near(values[:500], 1)
    spread = np.sqrt(np.mean(((values - values.mean(axis=0)) ** 2).sum(axis=1)))
    toward = case.rng.normal(size=values.shape[1]) * values.std(axis=0)
    toward *= (spread + 4 * np.median(distance)) / np.linalg.norm(toward)
    values[rows] = 0.5 * shape + values.mean(axis=0) + 1.5 * toward
    return values


def off_manifold(case: Case, t: float) -> Floats:
    """The share t leaves in directions of little variance, each in its own."""
    values = np.array(case.values)
    rows = np.flatnonzero(case.rng.random(case.n) < 0.9 * t)
    axes = np.linalg.eigh(np.cov(values.T))[1]
    axes = axes[:, : max(1, len(axes) // 2)]
    _, distance = _near(values[:500], 1)
    aside = case.rng.normal(size=(len(rows), axes.shape[1]))
    aside *= 4 * np.median(distance) / np.linalg.norm(aside, axis=1, keepdims=True)
    values[rows] += aside @ axes.T
    return values


def noise(case: Case, t: float) -> Floats:
    """The same noise on every feature."""
    values = case.values
    return values + t**2 * 2 * values.std() * case.rng.normal(size=values.shape)


def repeat(case: Case, t: float) -> Floats:
    """The share t repeats other generated samples exactly."""
    values = np.array(case.values)
    repeats = case.rng.random(case.n) < t
    values[repeats] = values[case.rng.choice(np.flatnonzero(~repeats), int(repeats.sum()))]
    return values


def copy(case: Case, t: float) -> Floats:
    """The share t are samples of the reference."""
    values = np.array(case.values)
    rows = np.flatnonzero(case.rng.random(case.n) < t)
    values[rows] = case.real[
        case.rng.choice(len(case.real), len(rows), replace=len(rows) > len(case.real))
    ]
    return values


def near_copy(case: Case, t: float) -> Floats:
    """The share t are samples of the reference, moved by a tenth of the distance to the nearest."""
    values = np.array(case.values)
    rows = np.flatnonzero(case.rng.random(case.n) < t)
    _, distance = _near(case.real[:500], 1)
    aside = case.rng.normal(size=(len(rows), values.shape[1]))
    aside *= 0.1 * np.median(distance) / np.linalg.norm(aside, axis=1, keepdims=True)
    values[rows] = case.real[case.rng.choice(len(case.real), len(rows))] + aside
    return values


def collapse(case: Case, t: float) -> Floats:
    """The share t is one of few samples, moved by a little."""
    values = np.array(case.values)
    rows = np.flatnonzero(case.rng.random(case.n) < t)
    _, distance = _near(values[:500], 1)
    few = values[case.rng.choice(case.n, 5 if case.variant else 25)]
    aside = (
        0.05
        * np.median(distance)
        * case.rng.normal(size=(len(rows), values.shape[1]))
        / values.shape[1] ** 0.5
    )
    values[rows] = few[case.rng.integers(len(few), size=len(rows))] + aside
    return values


def rescale(case: Case, t: float) -> Floats:
    """All values times a factor, above or below 1; or part of the way to features of spread 1."""
    values = case.values
    if case.variant == 0:
        return values * 4**t
    if case.variant == 1:
        return values / 4**t
    spread = values.std(axis=0)
    return values / np.where(spread > 0, spread, 1.0) ** t


def shift(case: Case, t: float) -> Floats:
    """A constant added to a quarter of the features."""
    d = case.values.shape[1]
    varies = np.flatnonzero(case.values.std(axis=0) > 0)
    chosen = case.rng.choice(varies, max(1, d // 4), replace=False)
    offset = np.zeros(d)
    offset[chosen] = (
        4 * t * np.sqrt(np.mean(case.values.var(axis=0))) * case.rng.choice([-1, 1], len(chosen))
    )
    return case.values + offset


def permute(case: Case, t: float) -> Floats:
    """Some of the features in another order."""
    d = case.values.shape[1]
    chosen = case.rng.choice(d, max(2, round(t * d)), replace=False)
    order = np.arange(d)
    order[chosen] = np.roll(chosen, 1)
    return case.values[:, order]


def undertrain(case: Case, t: float) -> Floats:
    """Samples on their way from one Gaussian with the mean and covariance of the data: an early
    checkpoint.
    """
    values = case.values
    mean = values.mean(axis=0)
    coarse = case.rng.multivariate_normal(mean, np.cov(values.T), size=case.n, method="eigh")
    return mean + math.sqrt(1 - t**2) * (values - mean) + t * (coarse - mean)


def early(case: Case, t: float) -> Floats:
    """A Gaussian mixture with fewer and fewer components, fitted to other real samples."""
    from sklearn.mixture import GaussianMixture

    count = max(1, round(40 * (1 - t)))
    return np.asarray(
        GaussianMixture(
            count, covariance_type="diag", max_iter=20, reg_covar=1e-4, random_state=case.variant
        )
        .fit(case.fresh.values)
        .sample(case.n)[0]
    )


# ---- where two names mean the same samples ----

# Defined before the cases were run, so that what counts as right is not chosen by what was found.
HARDLY = 0.2  # a mode made less than this share of the times that it should be is hardly ever made
# squared distance of the mean from the origin over the variance: below, a factor is a spread
CENTRED = 0.08
ALIKE = 0.2  # relative difference of the logarithms of two shrinkages below which they are alike
MOST = 0.5  # share of the samples with noise from which on the set has noise


def _hardly(case: Case, t: float, _: Floats) -> tuple[str, ...]:
    """Modes re-weighted to nearly nothing are dropped."""
    modes = case.fresh.modes
    less = 0.5 if len(np.unique(modes)) < 2 else None
    if less is None:
        rng = np.random.default_rng()
        rng.bit_generator.state = case.start
        less = float(
            np.isin(modes, rng.permutation(modes.max() + 1)[: (modes.max() + 1) // 2]).mean()
        )
    kept = 1 - 0.95 * t
    return ("dropping",) if kept / (kept * less + 1 - less) < HARDLY else ()


def _shrunk(case: Case, _: float, values: Floats) -> tuple[str, ...]:
    """Samples averaged with others as good as independent of them only lose spread, alike in all
    directions.
    """
    means = _mode_means(Case(case.fresh, case.real, case.n, case.rng, 1, case.start))
    before = case.values - means
    after = values - means
    variances, axes = np.linalg.eigh(before.T @ before)
    shares = np.cumsum(variances[::-1]) / variances.sum()
    main = shares <= max(0.5, shares[0])
    minor = shares > 0.8
    logs = [
        math.log(
            np.square(after @ axes[:, ::-1][:, band]).sum()
            / np.square(before @ axes[:, ::-1][:, band]).sum()
        )
        for band in (main, minor)
    ]
    return ("narrow",) if max(logs) < 0 and abs(logs[0] - logs[1]) < ALIKE * abs(min(logs)) else ()


def _noisy(_: Case, t: float, __: Floats) -> tuple[str, ...]:
    """Noise in minor directions on most samples is noise."""
    return ("noise",) if 0.9 * t > MOST else ()


def _about_origin(
    name: Literal["factor", "narrow", "wide"],
) -> Callable[[Case, float, Floats], tuple[str, ...]]:
    """A factor from the origin and one from the mean are the same where the mean is the origin."""

    def also(case: Case, _: float, __: Floats) -> tuple[str, ...]:
        mean = case.values.mean(axis=0)
        variance = case.values.var(axis=0).sum()
        if np.square(mean).sum() > CENTRED * variance or case.variant == (
            2 if name == "factor" else 1
        ):
            return ()
        return (("wide", "narrow")[case.variant],) if name == "factor" else ("scale",)

    return also


@dataclass(frozen=True)
class Fault:
    """A fault, the keys of findings that name it right, and the keys that say the opposite.

    free : True if it costs no area; its strengths are then shares of the samples. also : further
    keys that are right in a case, since the fault gives the same samples there as the one of that
    name.
    """

    put: Callable[[Case, float], Floats]
    named: tuple[str, ...]
    opposite: tuple[str, ...] = ()
    free: bool = False
    needs_modes: bool = False
    also: Callable[[Case, float, Floats], tuple[str, ...]] = lambda *_: ()


FAULTS: Mapping[str, Fault] = {
    "dropped": Fault(drop, ("dropping",), ("invention", "off", "noise", "wide")),
    "class missing": Fault(
        miss_class, ("dropping",), ("invention", "off", "noise", "wide"), needs_modes=True
    ),
    "re-weighted": Fault(reweight, ("reweighting",), ("invention", "off"), also=_hardly),
    "too narrow": Fault(
        narrow, ("narrow",), ("wide", "noise", "invention", "off"), also=_about_origin("narrow")
    ),
    "too wide": Fault(
        widen, ("wide",), ("narrow", "blurred", "collapse", "dropping"), also=_about_origin("wide")
    ),
    "blurred": Fault(blur, ("blurred",), ("noise", "wide", "invention", "off"), also=_shrunk),
    "invented": Fault(invent, ("invention",), ("dropping", "narrow", "blurred", "collapse")),
    "off the manifold": Fault(
        off_manifold, ("off",), ("dropping", "narrow", "blurred", "collapse"), also=_noisy
    ),
    "noise": Fault(noise, ("noise",), ("narrow", "blurred", "collapse", "dropping")),
    "repeats": Fault(repeat, ("collapse",), ("invention", "off", "wide", "noise"), free=True),
    "copies": Fault(copy, ("copies",), ("invention", "off", "wide", "noise"), free=True),
    "near copies": Fault(
        near_copy, ("near_copies",), ("invention", "off", "wide", "noise"), free=True
    ),
    "collapse": Fault(collapse, ("collapse",), ("invention", "off", "wide", "noise"), free=True),
    "wrong scale": Fault(rescale, ("scale",), also=_about_origin("factor")),
    "shifted": Fault(shift, ("shifted", "columns")),
    "permuted": Fault(permute, ("permuted",)),
    "under-trained": Fault(undertrain, ("coarse",), ("narrow", "collapse", "copies")),
    "coarse mixture": Fault(early, ("coarse",), ("narrow", "collapse", "copies")),
}
COSTS = (0.02, 0.05, 0.1, 0.2, 0.5)


class Planted(NamedTuple):
    """A pair with a fault, and the keys of the findings that name it right."""

    pair: SamplePair
    right: frozenset[str]


def planted(base: str, fault: str | None, strength: float, n: int, seed: int) -> SamplePair:
    """A pair with a fault; None: without one, real against real."""
    return planted_and_named(base, fault, strength, n, seed).pair


def planted_and_named(base: str, fault: str | None, strength: float, n: int, seed: int) -> Planted:
    """A pair with a fault and what it may be called; None: without one."""
    source = BASES[base]
    drawn = source.draw(min(4 * n, source.most), seed)
    real = drawn.values[:n]
    fresh = Drawn(drawn.values[n:], drawn.modes[n:])
    if fault is None:
        return Planted(SamplePair(real, fresh.values[:n]), frozenset())
    rng = np.random.default_rng((seed, 6, *fault.encode()))
    case = Case(
        fresh, real, n, rng, seed % (3 if fault == "wrong scale" else 2), rng.bit_generator.state
    )
    values = FAULTS[fault].put(case, strength)
    names = {*FAULTS[fault].named, *FAULTS[fault].also(case, strength, values)}
    return Planted(SamplePair(real, values), frozenset(names))


def area(base: str, fault: str | None, strength: float, n: int, seed: int) -> float:
    """AuC of kNN, k = sqrt(n), split 0.5."""
    return float(estimate(planted(base, fault, strength, n, seed), "knn")["knn"].curve.auc)


def graded(base: str, fault: str, *, n: int = 800, draws: int = 3) -> dict[float, float]:
    """Strengths of a fault by the cost in area that they were chosen for; costs that no strength
    reaches are left out.

    n : samples per set; a set of a few gives no more. The cost at a strength is the mean over the
    draws.
    """
    if FAULTS[fault].free:
        return {cost: cost for cost in COSTS}
    n = min(n, BASES[base].most // 2 - 100)
    grid = np.array([0.0, 0.03, 0.08, 0.15, 0.3, 0.5, 0.75, 0.98])
    plain = [area(base, None, 0.0, n, seed) for seed in range(draws)]
    lost = [
        (
            np.mean([plain[seed] - area(base, fault, t, n, seed) for seed in range(draws)])
            if t
            else 0.0
        )
        for t in grid
    ]
    risen = np.maximum.accumulate(lost)
    found: dict[float, float] = {}
    for cost in COSTS:
        if risen[-1] < 0.8 * cost:
            break
        found[cost] = float(np.interp(min(cost, risen[-1]), risen, grid))
    return found
