"""Raw data against features (Simon et al. 2019, section 7): the same pairs of pictures as pixels and as features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from prviz.arrays import Floats
from prviz.curves import PRCurve
from prviz.measure.frechet import frechet
from prviz.measure.scalars import scalars
from prviz.readers.bundled import TRAINED, bundled_pair, trained_features
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.base import Experiment, Size, counted, listed, mean_of, title_of
from prviz.studies.papers.charts import CURVE_COLUMNS, CurveCell, CurveChart, curve_panels
from prviz.studies.papers.digits import at_most
from prviz.studies.sweeps import Cell, Known, Wanted
from prviz.studies.tasks import Columns, Row, Task

if TYPE_CHECKING:
    import pandas as pd


_LEVELS = 16.0
_HALF = "the other half"
_PATTERN = "the other half, with a pattern"
# Title of a pair -> the bundled checkpoint of its generated samples; the halves are digits
# themselves.
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
# Units of the layers of both networks.
_UNITS = (64, 32)
_METHODS = ("classifier", "knn")
_K = 3
FEATURE_COLUMNS: Columns = {
    **CURVE_COLUMNS,
    **dict.fromkeys(("precision", "recall", "frechet"), "float64"),
}


@cache
def _encoder(features: str) -> Callable[[Floats], Floats]:
    """Pixels from 0 to 1 to features, fitted on the half of the digits that the generators were trained on."""
    train = bundled_pair("digits-held-out").real
    pixels = np.asarray(train.values, dtype=np.float64) / _LEVELS
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
    """The last hidden layer of a network of rectified linear units."""

    def encode(values: Floats) -> Floats:
        for matrix, offset in zip(weights, offsets, strict=True):
            values = np.maximum(values @ matrix + offset, 0.0)
        return values

    return encode


def with_pattern(samples: Samples) -> Samples:
    """Digits with one grey level more at every other pixel; pictures have at most full ink."""
    images = samples.images
    if images is None:
        raise ValueError(f"{samples.name} has no pictures")
    values = samples.values + np.indices(images.shape[1:]).sum(axis=0).ravel() % 2
    grey = np.rint(np.minimum(values, _LEVELS) * (255 / _LEVELS))
    return replace(samples, values=values, images=grey.astype(np.uint8).reshape(images.shape))


@dataclass(frozen=True)
class DigitFeatures:
    """Held-out digits against one of the pairs' generated sets, as features.

    The pattern adds one grey level of 16 to every other pixel, as on a chessboard. In pixels the
    two distributions then have nothing in common: some of these pixels are empty in every digit.
    """

    generated: str
    features: str
    name: ClassVar[str] = "digit-features"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Both titles."""
        return {"generated": self.generated, "features": self.features}

    @property
    def drawn_as(self) -> DigitFeatures:
        """The same pictures as pixels, of the first pair: every pair and all features have the same seeds."""
        return DigitFeatures(_HALF, _RAW)

    @property
    def default_n(self) -> int:
        """Number of digits of the smaller half."""
        return min(side.n for side in bundled_pair("digits-held-out"))

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n pictures of each side, drawn without replacement."""
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
        pair = at_most(SamplePair(halves.generated, other), min(n, self.default_n), seed)
        if trained:
            return pair
        real, generated = (np.asarray(side.values, dtype=np.float64) / _LEVELS for side in pair)
        encode = _encoder(self.features)
        return SamplePair(Samples(encode(real)), Samples(encode(generated)))

    @property
    def digest(self) -> str:
        """Digest of the bundled pictures."""
        return bundled_pair("digits-held-out").digest + bundled_pair(_PAIRS[self.generated]).digest

    def truth(self) -> PRCurve | None:
        """None: the truth is not known."""
        return None


@dataclass(frozen=True)
class FeatureCell(CurveCell):
    """A cell of curves whose rows also hold improved precision and recall, without split, and the Frechet distance."""

    def run(self) -> list[Row]:
        """The cell's rows."""
        cell = self.cell
        if not isinstance(cell.problem, Known):
            raise TypeError(f"{cell.problem.name}: a pair that can be drawn is needed")
        pair = cell.problem.sample(cell.n or cell.problem.default_n, cell.drawn_by)
        found = scalars(*pair, k=_K)
        more = {
            "precision": found["precision"],
            "recall": found["recall"],
            "frechet": frechet(*pair),
        }
        return [row | more for row in super().run()]


class FeaturesExperiment(Experiment):
    """Curves, Frechet distance, improved precision and recall of the same pairs in five spaces."""

    name = "features"
    title = "Raw data or features?"
    source = "Simon, Webster, Rabin 2019, section 7"
    question = (
        "As raw data two sets may have nothing in common: what do features leave of the difference?"
    )
    columns = FEATURE_COLUMNS
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

    def _words(self, size: Size) -> str:
        n = DigitFeatures(_HALF, _RAW).default_n if size.n is None else size.n
        return (
            "Digits of the held-out half against the other half, against it with one grey level of"
            " 16 added to every other pixel, and against samples of the zoo's VAE, GAN, diffusion"
            " model and of the model that draws pixel by pixel. Features: the pixels; their first"
            " 16 principal components; the last hidden layer of a network of 64 and 32 units, with"
            " random weights or trained to tell digits apart, all fitted on the other half; and 32"
            " components of a network trained to recognise characters in other pictures."
            f" n = {n:,}, {counted(size.repeats, 'random split')} of 50%, k = √n; precision and recall"
            f" are the improved ones, k = {_K}. Fréchet distances have another unit in every kind"
            " of features. The paper shows no figure."
        )

    def _tasks(self, size: Size, seed: int) -> list[Task]:
        wanted: tuple[Wanted, ...] = (("classifier", None, None), ("knn", "sqrt", None))
        return [
            FeatureCell(Cell(DigitFeatures(pair, features), size.n, 0.5, repeat, seed, wanted))
            for repeat in range(size.repeats)
            for features in _FEATURES
            for pair in _PAIRS
        ]

    def table(self, rows: pd.DataFrame) -> pd.DataFrame:
        """One line for each pair and kind of features: the area by each family, and the other numbers."""
        figures = self.figures(rows)
        areas = figures["figure"] == "AuC"
        named = figures.assign(figure=figures["figure"].mask(areas, "AuC, " + figures["family"]))
        return named.pivot_table("ours", ["pair", "features"], "figure", sort=False).reset_index()

    def chart(self, rows: pd.DataFrame) -> CurveChart:
        """The mean curve of every pair, a panel for each kind of features."""
        found = self.ordered(rows)
        return CurveChart(curve_panels(found, found["features"], found["pair"]))

    def _says(self, figures: pd.DataFrame) -> str:
        said = []
        for family in dict.fromkeys(figures["family"]):
            areas = {
                (pair, features): mean_of(
                    figures, "AuC", pair=pair, features=features, family=family
                )
                for pair in (_HALF, _PATTERN)
                for features in _FEATURES
            }
            before = areas[_HALF, _RAW]
            after = areas[_PATTERN, _RAW]
            if before == before and after == after:
                kept = [
                    f"on {where} {areas[_PATTERN, features]:.2f}"
                    for features, where in (
                        (_COMPONENTS, _COMPONENTS),
                        (_TRAINED, "a trained network's features"),
                        (_RECOGNISER, "a character recogniser's"),
                    )
                    if areas[_PATTERN, features] == areas[_PATTERN, features]
                ]
                said.append(
                    f"A pattern of one grey level takes the area of {family} on raw pixels from"
                    f" {before:.2f} to"
                    f" {after:.2f}{'; with it, ' * bool(kept)}{listed(kept or [''])}"
                )
        for name in ("precision", "recall"):
            wide = figures[figures["figure"] == name].pivot_table(
                "ours", "pair", "features", sort=False
            )
            if {_RAW, _TRAINED} <= set(wide) and len(
                moved := (wide[_TRAINED] - wide[_RAW]).abs().dropna()
            ):
                most = str(moved.idxmax())
                said.append(
                    f"Improved {name} differs most for {most}: {wide[_RAW][most]:.2f} on raw"
                    f" pixels, {wide[_TRAINED][most]:.2f} on the trained network's features"
                )
        return (
            ". ".join(said or [f"Measured so far: a mean area of {mean_of(figures, 'AuC'):.2f}"])
            + "."
        )
