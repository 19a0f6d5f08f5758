"""An experiment on raw data and features (Simon, Webster, Rabin 2019, section 7): the same pairs of
pictures as pixels and as features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prviz.arrays import Floats
from prviz.measure.frechet import frechet
from prviz.measure.scalars import scalars
from prviz.readers.bundled import TRAINED, bundled_pair, trained_features
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.base import (
    CURVE_COLUMNS,
    CurveChart,
    Experiment,
    Size,
    curve_chart,
    curve_rows,
    listed,
    mean_of,
    title_of,
)
from prviz.studies.papers.bundled_problems import BundledProblem, at_most
from prviz.studies.sweeps import Cell, Wanted
from prviz.studies.tasks import Columns, Row

if TYPE_CHECKING:
    import pandas as pd


_LEVELS = 16.0
_HALF = "the other half"
_PATTERN = "the other half, with a pattern"
# Title of a pair -> the bundled checkpoint with its generated samples. In the first two pairs both
# sets are real digits.
_PAIRS = {
    _HALF: "digits-held-out",
    _PATTERN: "digits-held-out",
    "VAE": "vae-b0.2-e300",
    "GAN": "gan-e350",
    "diffusion": "diffusion-e300",
    "pixel by pixel": "autoregressive-e60",
}
_RAW = "raw pixels"
_COMPONENTS = "16 components"
_RANDOM = "random network"
_TRAINED = "trained network"
_RECOGNISER = TRAINED["digits"].title
_FEATURES = (_RAW, _COMPONENTS, _RANDOM, _TRAINED, _RECOGNISER)
# Kind of features -> its name in the conclusions.
_WHERE = {
    _COMPONENTS: _COMPONENTS,
    _TRAINED: "a trained network's features",
    _RECOGNISER: "a character recogniser's",
}
# Numbers of units in the two hidden layers of the random and of the trained network.
_UNITS = (64, 32)
_METHODS = ("classifier", "knn")
_K = 3
FEATURE_COLUMNS: Columns = {
    **CURVE_COLUMNS,
    **dict.fromkeys(("precision", "recall", "frechet"), "float64"),
}


@cache
def _encoder(features: str) -> Callable[[Floats], Floats]:
    """A function from pixels in [0, 1] to features.

    Components and the trained network are fitted on the half of the digits on which the generators
    were trained.
    """
    train = bundled_pair("digits-held-out").real
    pixels = np.asarray(train.values, dtype=float) / _LEVELS
    d = train.d
    if features == _COMPONENTS:
        mean = pixels.mean(axis=0)
        axes = np.linalg.svd(pixels - mean, full_matrices=False)[2][:16]
        return lambda values: (values - mean) @ axes.T
    if features == _RANDOM:
        rng = np.random.default_rng(0)
        sizes = (d, *_UNITS)
        weights = [rng.standard_normal(shape) * np.sqrt(2 / shape[0]) for shape in pairwise(sizes)]
        return _network(weights, [np.zeros(units) for units in _UNITS])
    if features == _TRAINED:
        from sklearn.neural_network import MLPClassifier

        model: Any = MLPClassifier(_UNITS, random_state=0, max_iter=300, alpha=0.01)
        model.fit(pixels, train.labels["digit"])
        return _network(model.coefs_[:-1], model.intercepts_[:-1])
    return lambda values: values


def _network(weights: list[Floats], offsets: list[Floats]) -> Callable[[Floats], Floats]:
    """A function that returns the last hidden layer of a ReLU network with these weights and
    offsets.
    """

    def encode(values: Floats) -> Floats:
        for matrix, offset in zip(weights, offsets, strict=True):
            values = np.maximum(values @ matrix + offset, 0.0)
        return values

    return encode


def with_pattern(samples: Samples) -> Samples:
    """The digits with one grey level added at every other pixel, up to full black."""
    images = samples.images
    if images is None:
        raise ValueError(f"{samples.name} has no pictures")
    values = samples.values + np.indices(images.shape[1:]).sum(axis=0).ravel() % 2
    grey = np.rint(np.minimum(values, _LEVELS) * (255 / _LEVELS))
    return replace(samples, values=values, images=grey.astype(np.uint8).reshape(images.shape))


@dataclass(frozen=True)
class DigitFeatures(BundledProblem):
    """Held-out digits against the generated set of one pair, as features.

    The pattern adds one grey level of 16 to every other pixel, as on a chessboard. The two
    distributions of pixels then have nothing in common, because some of these pixels are empty in
    every digit.
    """

    generated: str
    features: str
    name: ClassVar[str] = "digit-features"

    @property
    def drawn_as(self) -> DigitFeatures:
        """The first pair as pixels: its seeds are those of all pairs and features, so all use the
        same pictures.
        """
        return DigitFeatures(_HALF, _RAW)

    @property
    def default_n(self) -> int:
        """Number of digits in the smaller half."""
        return min(side.n for side in bundled_pair("digits-held-out"))

    def whole(self) -> SamplePair:
        """All digits of the held-out half and all generated ones, as features of the recogniser or
        else as pixels.
        """
        trained = self.features == _RECOGNISER
        halves = bundled_pair("digits-held-out", trained=trained)
        if self.generated == _HALF:
            other = halves.real
        elif self.generated != _PATTERN:
            other = bundled_pair(_PAIRS[self.generated], trained=trained).generated
        elif trained:
            other = Samples(trained_features("pattern"))
        else:
            other = with_pattern(halves.real)
        return SamplePair(halves.generated, other)

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n pictures of each set, drawn without replacement, as features."""
        pair = at_most(self.whole(), min(n, self.default_n), seed)
        if self.features == _RECOGNISER:
            return pair
        real, generated = (np.asarray(side.values, dtype=float) / _LEVELS for side in pair)
        encode = _encoder(self.features)
        return SamplePair(Samples(encode(real)), Samples(encode(generated)))

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return bundled_pair("digits-held-out").digest + bundled_pair(_PAIRS[self.generated]).digest


def feature_rows(cell: Cell) -> list[Row]:
    """Rows of `curve_rows` with improved precision and recall, without split, and with the Fréchet
    distance.
    """
    pair = cell.draw()
    found = scalars(*pair, k=_K)
    more = {
        "precision": found["precision"],
        "recall": found["recall"],
        "frechet": frechet(*pair),
    }
    return [row | more for row in curve_rows(cell)]


class FeaturesExperiment(Experiment):
    """Curves, Fréchet distance, and improved precision and recall of the same pairs of sets, in
    five feature spaces.
    """

    name = "features"
    title = "Raw data or features?"
    source = "Simon, Webster, Rabin 2019, section 7"
    question = (
        "As raw data two sets may have nothing in common: what do features leave of the difference?"
    )
    words = (
        "Digits of the held-out half against the other half, against it with one grey level of 16"
        " added to every other pixel, and against samples of the zoo's VAE, GAN, diffusion model "
        "and"
        " of the model that draws pixel by pixel. Features: the pixels; their first 16 principal"
        " components; the last hidden layer of a network of 64 and 32 units, with random weights or"
        " trained to tell digits apart, all fitted on the other half; and 32 components of a "
        "network"
        " trained to recognise characters in other pictures. n = {n}, {repeats} of 50 %, k = √n;"
        f" precision and recall are the improved ones, k = {_K}. Fréchet distances have another "
        f"unit"
        " in every kind of features. The paper shows no figure."
    )
    repeated = "random split"
    columns = FEATURE_COLUMNS
    measure = staticmethod(feature_rows)
    sizes = {
        "quick": Size(150, 1, 4.0),
        "paper": Size(None, 5, 60.0),
    }
    labels = ("features", "pair", "family")
    parameters = {"pair": "generated", "features": "features"}
    choices = {"family": title_of(_METHODS[0])}
    numbers = {
        "AuC": "auc",
        "precision": "precision",
        "recall": "recall",
        "Fréchet distance": "frechet",
    }
    explore = {
        "source": "bundled",
        "problem": "diffusion-e300",
        "n": 1_797,
        "methods": ("classifier", "knn", "ipr"),
    }
    explore_title = "Open the diffusion model in Explore"

    def _fields(self, size: Size) -> dict[str, str]:
        n = size.n or DigitFeatures(_HALF, _RAW).default_n
        return super()._fields(size) | {"n": f"{n:,}"}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        wanted: tuple[Wanted, ...] = (("classifier", None, None), ("knn", "sqrt", None))
        return [
            Cell(DigitFeatures(pair, features), size.n, 0.5, repeat, seed, wanted)
            for repeat, features, pair in product(range(size.repeats), _FEATURES, _PAIRS)
        ]

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """One line for each pair and kind of features, with the areas by all families and the other
        numbers.
        """
        figures = self.figures(rows)
        areas = figures["figure"] == "AuC"
        named = figures.assign(figure=figures["figure"].mask(areas, "AuC, " + figures["family"]))
        return named.pivot_table("ours", ["pair", "features"], "figure", sort=False).reset_index()

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every pair, in a panel for each kind of features."""
        return curve_chart(self.ordered(rows), "{features}", "{pair}")

    def _says(self, figures: pd.DataFrame) -> str:
        said = []
        for family in dict.fromkeys(figures["family"]):
            area = partial(mean_of, figures, "AuC", family=family)
            before = area(pair=_HALF, features=_RAW)
            after = area(pair=_PATTERN, features=_RAW)
            if before == before and after == after:
                kept = []
                for features, where in _WHERE.items():
                    left = area(pair=_PATTERN, features=features)
                    if left == left:
                        kept.append(f"on {where} {left:.2f}")
                said.append(
                    f"A pattern of one grey level takes the area of {family} on raw pixels from"
                    f" {before:.2f} to {after:.2f}" + (f"; with it, {listed(kept)}" if kept else "")
                )
        for name in ("precision", "recall"):
            of = figures[figures["figure"] == name]
            wide = of.pivot_table("ours", "pair", "features", sort=False)
            wide = wide.reindex(columns=[_RAW, _TRAINED]).dropna()
            if len(wide):
                most = str((wide[_TRAINED] - wide[_RAW]).abs().idxmax())
                raw, trained = wide.loc[most]
                said.append(
                    f"Improved {name} differs most for {most}: {raw:.2f} on raw pixels,"
                    f" {trained:.2f} on the trained network's features"
                )
        if not said:
            said = [f"Measured so far: a mean area of {mean_of(figures, 'AuC'):.2f}"]
        return ". ".join(said) + "."
