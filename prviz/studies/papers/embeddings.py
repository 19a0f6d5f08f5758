"""An experiment on embeddings: the same pictures in features of random and of trained networks,
with fewer and fewer features.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from prviz.arrays import Array, Floats32
from prviz.random_network import random_features, random_weights
from prviz.readers.bundled import TRAINED, bundled_pair
from prviz.samples import SamplePair, Samples
from prviz.studies.papers.base import Experiment, LineChart, Size, cells, counted, line_panels
from prviz.studies.papers.bundled_problems import BundledProblem, at_most
from prviz.studies.sweeps import COLUMNS, Cell

if TYPE_CHECKING:
    import pandas as pd

Embedding = Literal["random", "pixels", "trained"]
_TITLES: Mapping[Embedding, str] = {
    "random": "random network",
    "pixels": "pixels",
    "trained": TRAINED["digits"].title,
}
_WORDS = {
    "random network": "a random network",
    "pixels": "the pixels",
    TRAINED["digits"].title: "a character recogniser",
}
_DIMENSIONS: Mapping[Embedding, tuple[int, ...]] = {
    "random": (2, 4, 8, 16, 32, 64, 128, 256),
    "pixels": (2, 4, 8, 16, 32, 64),
    "trained": (2, 4, 8, 16, 32),
}
_PSIS = (0.3, 0.5, 0.7, 0.9, 1.0)
# Factor by which the 8 x 8 pictures are enlarged for the random network.
_ENLARGED = 2
# Number of pictures that are encoded at a time.
_BATCH = 256


@dataclass(frozen=True)
class EmbeddedDigits(BundledProblem):
    """`TruncatedDigits` in d features of a random network, or d principal components of the pixels
    or of a trained network's features.

    The seed of the samples is also the seed of the random network, so every repeat has another
    network. In one repeat all psi and d have the same samples and the same network.
    """

    psi: float
    d: int
    embedding: Embedding
    name: ClassVar[str] = "embedded-digits"

    @property
    def drawn_as(self) -> EmbeddedDigits:
        """The pair whose seeds all psi, d and embeddings share: no truncation, all features of a
        random network.
        """
        return EmbeddedDigits(1.0, 256, "random")

    def whole(self) -> SamplePair:
        """All samples at this psi, as pixels."""
        return bundled_pair(f"truncation-{self.psi:.1f}")

    def sample(self, n: int, seed: int = 0) -> SamplePair:
        """At most n samples of each set, as their first d features."""
        real, generated = _features(self.psi, n, seed, self.embedding)
        return SamplePair(Samples(real[:, : self.d]), Samples(generated[:, : self.d]))


@lru_cache(maxsize=4)
def _features(psi: float, n: int, seed: int, embedding: Embedding) -> tuple[Array, Array]:
    """All features of at most n real and n generated samples."""
    pair = at_most(bundled_pair(f"truncation-{psi:.1f}", trained=embedding == "trained"), n, seed)
    if embedding == "random":
        return _encoded(pair.real, seed), _encoded(pair.generated, seed)
    mean = pair.real.values.mean(axis=0)
    _, _, axes = np.linalg.svd(pair.real.values - mean, full_matrices=False)
    return (pair.real.values - mean) @ axes.T, (pair.generated.values - mean) @ axes.T


def _encoded(samples: Samples, seed: int) -> Floats32:
    if samples.images is None:
        raise ValueError(f"{samples.name} has no pictures")
    large = np.repeat(np.repeat(samples.images, _ENLARGED, axis=1), _ENLARGED, axis=2)
    weights = random_weights(seed)
    parts = [
        np.repeat(large[at : at + _BATCH, ..., None], 3, axis=3)
        for at in range(0, len(large), _BATCH)
    ]
    return np.concatenate([random_features(part, weights) for part in parts])


class EmbeddingsExperiment(Experiment):
    """How many features of random and of trained networks are needed to see a truncation (section
    5.2).
    """

    name = "embeddings"
    title = "Random networks, and fewer of their features"
    source = "Sykes, Simon, Rabin, Fadili 2026 (hal-05344404), section 5.2, impact of the embedding"
    question = "How many features of a random network does it take to see what a truncation loses?"
    words = (
        "The bundled digits against a mixture with truncated latents (see the truncation trick), "
        "{drawn} of each, by kNN with k = √n and half of the samples to measure. Random network: "
        "the first d of the 256 features of four convolutions with random weights, a network with "
        "fewer outputs; every repeat has other weights. Pixels, and a network trained to recognise "
        "characters in other pictures: their first d principal components. {repeats}. The paper "
        "has faces and a VGG16 with random weights, and asks how many of its outputs are needed; "
        "it shows no figure."
    )
    columns = COLUMNS
    measure = None
    sizes = {
        "quick": Size(300, 2, 3.0),
        "paper": Size(None, 10, 150.0),
    }
    labels = ("embedding", "psi", "d")
    parameters = {"psi": "psi", "embedding": "embedding"}
    numbers = {
        "AuC": "auc",
        "F8, leaning to precision": "f8_precision",
        "F8, leaning to recall": "f8_recall",
    }
    explore = {"source": "bundled", "problem": "truncation-0.7", "n": 1_797, "methods": ("knn",)}
    explore_title = "Open psi = 0.7 in Explore"

    def _fields(self, size: Size) -> dict[str, str]:
        fields = super()._fields(size)
        return fields | {"drawn": fields["n"] or "all 1,797"}

    def _cells(self, size: Size, seed: int) -> list[Cell]:
        problems = list[EmbeddedDigits]()
        for embedding, ds in _DIMENSIONS.items():
            problems += [
                EmbeddedDigits(psi, d, embedding) for psi, d in itertools.product(_PSIS, ds)
            ]
        return cells(problems, ("knn",), ("sqrt",), (0.5,), size, seed)

    def labelled(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with the title of their embedding."""
        found = super().labelled(rows)
        return found.assign(embedding=found["embedding"].map(dict(_TITLES)))

    def chart(self, rows: pd.DataFrame) -> LineChart:
        """AuC against the number of features, a line for each psi, in a panel for each
        embedding.
        """
        figures = self.figures(rows)
        areas = figures[figures["figure"] == "AuC"]
        panels = line_panels(areas, "d", "{embedding}", "ψ = {psi:g}")
        return LineChart(panels, "features d", "AuC", log_x=True)

    def _says(self, figures: pd.DataFrame) -> str:
        areas = figures[figures["figure"] == "AuC"]
        said = []
        for name, group in areas.groupby("embedding", sort=False):
            table = group.pivot_table("ours", "psi", "d").dropna()
            if table.empty:  # no d has been measured for every psi yet
                continue
            ranks = table.rank()
            alike = [int(d) for d in table.columns if (ranks[d] == ranks[table.columns[-1]]).all()]
            few = int(table.columns[0])
            many = int(table.columns[-1])
            middle = table.iloc[len(table) // 2]
            said.append(
                f"{min(alike)} of {many} features of {_WORDS[str(name)]} rank"
                f" {counted(len(table), 'truncation')} as all do, on average, but AuC at ψ ="
                f" {middle.name:g} is {middle[few]:.2f} with {few} and {middle[many]:.2f} with all."
            )
        return " ".join(said)
