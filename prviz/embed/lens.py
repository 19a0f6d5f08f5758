"""The embedding lens: curves of the same samples in the features of several encoders, each with all
and with fewer of its features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from prviz.arguments import checked_list, checked_whole
from prviz.arrays import Array
from prviz.embed.base import EmbeddingEncoder, Kind
from prviz.embed.encoders.pixels import PixelEncoder
from prviz.embed.encoders.random_network import RandomNetworkEncoder
from prviz.embed.pictures import Picture as DecodedPicture, decoded, from_values
from prviz.estimators import resolve_k
from prviz.measure.estimates import Estimate, K, estimate, one_method
from prviz.neighbors.threads import Progress, part_of
from prviz.readers.media import MediaError, Pictures, find_picture, picture_column
from prviz.samples import SamplePair, Samples, SamplesLike, SplitRatio, as_samples

DIMENSIONS = (2, 4, 8, 16, 32, 64, 128, 256)
# Side in pixels of pictures in the pixel features.
_PIXELS = 32
# Largest side in pixels of the random network's input.
_SIDE = 64
# Step between sides of the random network's input. Small pictures keep a small side, since
# enlarging them would take most of the time.
_SIDES = 16
# Number of pictures that are prepared and encoded at a time.
_BATCH = 128
_RANDOM = "random network"
_TEXT = "text"

# The contents of a picture file, or an array of grey values.
Picture: TypeAlias = bytes | Array


@dataclass(frozen=True, eq=False)
class LensReading:
    """Estimates of every generated set against the real one, in d features of one encoder.

    encoder, d : name of the encoder, and number of features kept.
    estimates : one per generated set, in their order, all by the same family.
    """

    encoder: str
    d: int
    estimates: tuple[Estimate, ...]

    @property
    def areas(self) -> tuple[float, ...]:
        """AuC of every generated set, in their order."""
        return tuple(each.curve.auc for each in self.estimates)


@dataclass(frozen=True, eq=False)
class Lens:
    """All readings, ordered by encoder, then by number of features.

    names : names of the generated sets.
    left_out : a sentence that says why encoders of pictures are missing; "" if none is.
    """

    names: tuple[str, ...]
    readings: tuple[LensReading, ...]
    left_out: str = ""

    @property
    def encoders(self) -> tuple[str, ...]:
        """Names of the encoders."""
        return tuple(dict.fromkeys(each.encoder for each in self.readings))

    @property
    def nbytes(self) -> int:
        """Memory in bytes of the supports of all readings."""
        return sum(
            2 * run.c_real.nbytes
            for each in self.readings
            for own in each.estimates
            for run in own.runs
        )

    def of(self, encoder: str) -> tuple[LensReading, ...]:
        """The readings of one encoder."""
        return tuple(each for each in self.readings if each.encoder == encoder)


def lens(
    real: SamplesLike,
    generated: SamplesLike | Mapping[str, Samples],
    *,
    sources: Sequence[Pictures] = (),
    encoders: Sequence[EmbeddingEncoder] = (),
    dimensions: Sequence[int] = DIMENSIONS,
    method: str = "knn",
    k: K = "sqrt",
    split: SplitRatio = 0.5,
    seed: int = 0,
    progress: Progress | None = None,
) -> Lens:
    """Measure one family in the features of several encoders, with all and with fewer of their
    features.

    Parameters
    ----------
    real, generated : Samples or array_like
        Samples as for `prviz.pr_curve`; generated may be several sets by name.
    sources : sequence of Pictures
        Where to find the pictures of samples without `Samples.images`, by their column ``image`` or
        ``path``.
    encoders : sequence of EmbeddingEncoder
        Further encoders of pictures or of the texts in the labels ``text``, as
        `prviz.embed.registered.load_encoder` gives them.
    dimensions : sequence of int
        Numbers of features to keep, where an encoder has more.
    method, k, split, seed : optional
        As in `prviz.pr_curve`. All readings have one k; "sqrt" takes it from the smallest set.
    progress : callable, optional
        Called with the fraction done.

    Returns
    -------
    Lens
        One reading of the values as given, and one for each of ``encoders``. Sets with pictures
        also have readings of their pixels (unless the values are pixels) and of a network with
        random weights. A smaller number of features is the number of principal components of the
        real samples; of the random network the first features are kept, as in a narrower network.

    Raises
    ------
    ValueError, TypeError
        As `prviz.pr_curve`.

    Notes
    -----
    Sykes et al. 2026, 5.2, compare embeddings and ask how many features of a network with random
    weights are needed.
    """
    dimensions = checked_list("dimensions", dimensions, "numbers of features")
    for each in dimensions:
        checked_whole("dimension", each, 1)
    method = one_method(method)
    sources = checked_list(
        "sources", sources, "readers of pictures (prviz.readers.media)", _is_no_name
    )
    encoders = checked_list(
        "encoders",
        encoders,
        "encoders as prviz.embed.registered.load_encoder gives them",
        _is_no_name,
    )
    report = part_of(progress, 0, 1)
    reference = as_samples(real, name="real")
    named = (
        dict(generated) if isinstance(generated, Mapping) else {"generated": as_samples(generated)}
    )
    number = min(resolve_k(k, SamplePair(reference, side)) for side in named.values())
    sets = [reference, *named.values()]
    pictured, left_out = _pictures(sets, sources)
    used = _used(sets, encoders, pictured)
    readings: list[LensReading] = []
    for place, (name, encoder, inputs) in enumerate(used):
        # encoding counts as half of an encoder's work, measuring as the other half
        def encoded(share: float, place: int = place) -> None:
            report((place + share / 2) / len(used))

        if encoder is None:
            features = [side.values for side in sets]
        else:
            try:
                features = _encoded(encoder, inputs, encoded)
            except MediaError as error:
                left_out = f"Encoders of {encoder.takes} are left out: {error}"
                break
        kept = list(_narrowed(features, dimensions, by_components=not name.startswith("random")))
        for step, parts in enumerate(kept, start=1):
            base, *others = (Samples(part) for part in parts)
            pairs = [SamplePair(base, other) for other in others]
            found = tuple(
                estimate(pair, method, k=number, split=split, seed=seed)[method] for pair in pairs
            )
            readings.append(LensReading(name, base.d, found))
            report((place + (1 + step / len(kept)) / 2) / len(used))
    return Lens(tuple(named), tuple(readings), left_out)


def _used(
    sets: Sequence[Samples],
    encoders: Sequence[EmbeddingEncoder],
    pictured: list[list[Picture]] | None,
) -> list[tuple[str, EmbeddingEncoder | None, list[list[Any]]]]:
    """Name, encoder and inputs of each reading. The first reading, of the values as given, has no
    encoder.

    Raises ValueError for two encoders with the same name.
    """
    names = ["pixels", _RANDOM, *(each.name for each in encoders)]
    if repeated := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ValueError(f"several encoders are called {repeated[0]!r}; rename their files")
    images = sets[0].images
    pixels = images is not None and images[0].size == sets[0].d
    given = sets[0].encoder.get("encoder", "pixels" if pixels else "as given")
    used: list[tuple[str, EmbeddingEncoder | None, list[list[Any]]]] = [(given, None, [])]
    inputs: dict[Kind, list[list[Any]]] = {}
    if pictured is not None:
        inputs["pictures"] = pictured
        if not given.startswith("pixels"):
            used.append(("pixels", PixelEncoder(_PIXELS), pictured))
        if not given.startswith("random:"):
            used.append((_RANDOM, RandomNetworkEncoder(0, _side(pictured[0][0])), pictured))
    if all(map(has_texts, sets)):
        inputs["texts"] = [list(map(str, side.labels[_TEXT])) for side in sets]
    for each in encoders:
        if each.name != given and each.takes in inputs:
            used.append((each.name, each, inputs[each.takes]))
    return used


def has_pictures(samples: Samples, sources: Sequence[Pictures] = ()) -> bool:
    """True if samples have pictures, or a column of picture names to look up in ``sources``."""
    return samples.images is not None or (picture_column(samples) is not None and len(sources) > 0)


def has_texts(samples: Samples) -> bool:
    """True if samples have a label with their texts."""
    return _TEXT in samples.labels


def _pictures(
    sets: Sequence[Samples], sources: Sequence[Pictures]
) -> tuple[list[list[Picture]] | None, str]:
    """The pictures of every set, and "".

    If a picture is missing: None, and a sentence that says why; if a set has no pictures: None, and
    "".
    """
    if not all(has_pictures(side, sources) for side in sets):
        return None, ""
    found: list[list[Picture]] = []
    for side in sets:
        if side.images is not None:
            found.append(list(side.images))
            continue
        try:
            names = side.labels[str(picture_column(side))]
            found.append([find_picture(str(name), sources) for name in names])
        except MediaError as error:
            return None, f"Encoders of pictures are left out: {side.name}: {error}"
    return found, ""


def _side(first: Picture) -> int:
    """Side in pixels of the random network's input: the first picture's shorter side, rounded up to
    a multiple of _SIDES, at most _SIDE.
    """
    try:
        shortest = decoded(first).side if isinstance(first, bytes) else min(first.shape)
    except MediaError:  # encoding this picture reports the error
        return _SIDE
    return int(min(_SIDE, -(-shortest // _SIDES) * _SIDES))


def _encoded(
    encoder: EmbeddingEncoder,
    sets: Sequence[Sequence[Any]],
    progress: Callable[[float], object],
) -> list[Array]:
    """Features of every set. Raises MediaError for a picture that can't be decoded."""
    prepare = encoder.prepare
    found = list[Array]()
    done = 0
    total = sum(map(len, sets))
    for samples in sets:
        parts = []
        for at in range(0, len(samples), _BATCH):
            group: Any = samples[at : at + _BATCH]
            done += len(group)
            if prepare is not None:
                group = np.stack([prepare(_decoded(each)) for each in group])
            parts.append(encoder.encode(group))
            progress(done / total)
        found.append(np.concatenate(parts))
    return found


def _is_no_name(value: object) -> bool:
    """True for anything but a name in place of an object."""
    return not isinstance(value, str)


def _decoded(picture: Picture) -> DecodedPicture:
    if isinstance(picture, bytes):
        return decoded(picture)
    return from_values(picture, None)


def _narrowed(
    features: Sequence[Array], dimensions: Sequence[int], *, by_components: bool
) -> Iterator[list[Array]]:
    """The features of all sets, first reduced to each smaller number of ``dimensions``, then
    unreduced.

    by_components : True to reduce to principal components of the first set, the real one; False to
    keep the first columns.
    """
    n, d = features[0].shape
    fewer = sorted(each for each in dimensions if 0 < each < (min(n, d) if by_components else d))
    if fewer and by_components:
        mean, axes = _components(features[0], fewer[-1])
        ordered = [(each - mean) @ axes for each in features]
    else:
        ordered = list(features)
    for each in fewer:
        yield [part[:, :each] for part in ordered]
    yield list(features)


def _components(values: Array, count: int) -> tuple[Array, Array]:
    """The mean, and the first ``count`` principal axes as columns (d, count).

    They are computed from the covariance matrix or the samples' Gram matrix, whichever is smaller.

    scikit-learn's PCA gives the same axes up to their signs, but importing it takes longer than
    this.
    """
    from scipy.linalg import eigh

    n, d = values.shape
    mean = values.mean(axis=0, dtype=float)
    centred = values - mean
    products = centred.T @ centred if d <= n else centred @ centred.T
    _, vectors = eigh(products, subset_by_index=(len(products) - count, len(products) - 1))
    axes = vectors[:, ::-1] if d <= n else centred.T @ vectors[:, ::-1]
    return mean, axes / np.maximum(np.linalg.norm(axes, axis=0), np.finfo(float).tiny)
