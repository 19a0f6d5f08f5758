"""Bundled embeddings: scikit-learn's digits and English sentences against generators trained on
them.

A digit's embedding is the 8x8 picture itself, 64 pixels of 0 to 16, so every point can show its
image; a sentence's is 64 principal components of a language model's embedding, and its text is a
label. The same pictures and texts also come as a trained network saw them, see `TRAINED`.
``data/README.md`` gives the sources, the licences, and how each file was made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from prviz.arrays import Floats32
from prviz.readers.paths import data_folder
from prviz.samples import SamplePair, Samples

_HELD_OUT = "digits-held-out"
_SIDE = 8
_LEVELS = 16


@dataclass(frozen=True)
class BundledCheckpoint:
    """One generated set: the name `bundled_pair` takes, a title for menus, and one sentence on what
    it is.
    """

    name: str
    title: str
    summary: str


@dataclass(frozen=True)
class Family:
    """Checkpoints shown together: one generator along its training or a sweep, or several
    generators.

    folder : folder of the files, below the folder of the bundled embeddings. real : name of the
        real set.
    """

    name: str
    title: str
    summary: str
    checkpoints: tuple[BundledCheckpoint, ...]
    folder: str = ""
    real: str = "digits"


@dataclass(frozen=True)
class RealSet:
    """A bundled real set: its title, its file below the folder of the bundled embeddings, and what
    it is in words.
    """

    title: str
    file: str
    summary: str


#: Real sets by name.
REAL_SETS: Mapping[str, RealSet] = MappingProxyType(
    {
        "digits": RealSet(
            "Digits",
            "digits.npz",
            "1,797 digits of 8 x 8 pixels; half of them trained the generators",
        ),
        "sentences": RealSet(
            "Sentences",
            "text/sentences.npz",
            "1,560 sentences of six topics, embedded by a small language model; half of them"
            " trained the chains",
        ),
    }
)


class TrainedNetwork(NamedTuple):
    """A trained network: its description as `prviz embed` writes it, and its title."""

    encoder: str
    title: str


#: Name of a real set -> the network whose features of that set and of its checkpoints are bundled.
TRAINED: Mapping[str, TrainedNetwork] = MappingProxyType(
    {
        "digits": TrainedNetwork("rapidocr:32", "character recogniser"),
        "sentences": TrainedNetwork("wordllama:256", "token vectors"),
    }
)


def _truncation_summary(psi: float) -> str:
    if psi == 0:
        return "Every sample is the one mean picture: full collapse."
    if psi == 1:
        return (
            "The converged mixture as it is, drawn independently of the mixture's own last"
            " checkpoint."
        )
    return f"Latent vectors pulled to their mean: {psi:.1f} of each one's distance is left."


_VAE_EPOCHS = (10, 40, 120, 300)
_GAN_EPOCHS = (50, 100, 200, 350)
# Models of the zoo, generators of many kinds trained on the digits: stem of the file names, title,
# summary, and the epochs whose samples are bundled.
_ZOO = (
    (
        "vae-b0.03",
        "VAE β 0.03",
        "a variational autoencoder that is hardly held to its prior",
        _VAE_EPOCHS,
    ),
    ("vae-b0.2", "VAE β 0.2", "a variational autoencoder", _VAE_EPOCHS),
    (
        "vae-b1",
        "VAE β 1",
        "a variational autoencoder that is fully held to its prior",
        _VAE_EPOCHS,
    ),
    (
        "vae-b0.2-narrow",
        "VAE narrow",
        "a variational autoencoder of 24 hidden units",
        _VAE_EPOCHS,
    ),
    ("gan", "GAN", "a generative adversarial network", _GAN_EPOCHS),
    (
        "gan-narrow",
        "GAN narrow",
        "an adversarial network whose generator has 64 hidden units",
        _GAN_EPOCHS,
    ),
    (
        "gan-collapsed",
        "GAN collapsed",
        "an adversarial network whose generator learns too fast",
        _GAN_EPOCHS,
    ),
    ("flow", "Flow", "a normalising flow", (3, 10, 40, 100)),
    ("flow-narrow", "Flow narrow", "a normalising flow of 24 hidden units", (3, 10, 40, 100)),
    ("autoregressive", "Autoregressive", "a model that draws pixel after pixel", (3, 10, 30, 60)),
    ("diffusion", "Diffusion", "a diffusion model that is told the class", (30, 80, 160, 300)),
)


#: Checkpoint of a sweep -> checkpoint of the zoo with the same samples, whose file it shares.
SAME_FILE: Mapping[str, str] = MappingProxyType(
    {
        "guidance-1": "diffusion-e300",
        "temperature-1": "autoregressive-e30",
        "latent-1": "vae-b0.2-e300",
    }
)


def _sweep(
    name: str, title: str, summary: str, what: str, each: str, values: tuple[float, ...]
) -> Family:
    """A family of checkpoints: one model of the zoo, sampled at several values of one parameter."""
    points = (
        BundledCheckpoint(f"{name}-{v:g}", f"{what} {v:g}", each.format(f"{v:g}")) for v in values
    )
    return Family(name, title, summary, tuple(points), "zoo")


_FAMILIES = (
    Family(
        "mixture",
        "Gaussian mixture along EM",
        "15 Gaussians on 32 principal components, along EM: precision comes with training.",
        (
            BundledCheckpoint(
                "mixture-em-1",
                "EM iteration 1",
                "Nearly one wide Gaussian over all digits: blurred pictures.",
            ),
            *(
                BundledCheckpoint(
                    f"mixture-em-{n}",
                    f"EM iteration {n}",
                    f"The 15 Gaussians after {n} EM iterations.",
                )
                for n in (2, 5, 10, 20)
            ),
            BundledCheckpoint(
                "mixture-converged",
                "EM converged",
                "The 15 Gaussians when EM has converged, at iteration 23.",
            ),
        ),
    ),
    Family(
        "rbm",
        "Boltzmann machine along its epochs",
        "A restricted Boltzmann machine, sampled by Gibbs chains: precise long before it is"
        " diverse.",
        tuple(
            BundledCheckpoint(
                f"rbm-epoch-{n}",
                f"Epoch {n}",
                f"Gibbs samples of the machine after {n} training"
                f" {'epoch' if n == 1 else 'epochs'}.",
            )
            for n in (1, 3, 10, 30, 100, 300)
        ),
    ),
    Family(
        "forest",
        "Pixel forests along their growth",
        "Forests that draw pixel after pixel, told the class: the best classifier sees them climb"
        " as trees grow.",
        tuple(
            BundledCheckpoint(
                f"forest-{n}",
                f"Leaves {n}",
                f"Each pixel drawn by a forest whose trees have at most {n} leaves.",
            )
            for n in (2, 8, 32, 128, 512)
        ),
    ),
    Family(
        "truncation",
        "Truncation sweep",
        "The converged mixture's latents, z -> mean + psi (z - mean): the smaller psi, the less"
        " diverse.",
        tuple(
            BundledCheckpoint(f"truncation-{psi:.1f}", f"psi = {psi:.1f}", _truncation_summary(psi))
            for psi in (step / 10 for step in range(11))
        ),
    ),
    Family(
        "zoo",
        "Zoo of trained models",
        "Eleven networks at four epochs each: VAEs, GANs, flows, an autoregressive and a diffusion"
        " model.",
        tuple(
            BundledCheckpoint(
                f"{stem}-e{n}", f"{title}, epoch {n}", f"Samples of {what}, after {n} epochs."
            )
            for stem, title, what, epochs in _ZOO
            for n in epochs
        ),
        "zoo",
    ),
    _sweep(
        "guidance",
        "Guidance of the diffusion model",
        "The zoo's diffusion model, the class that is asked for pushed ever harder.",
        "Diffusion guided",
        "Guidance scale {}: 0 ignores the class, 1 is the model as it was trained.",
        (0, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10),
    ),
    _sweep(
        "temperature",
        "Temperature of the autoregressive model",
        "The zoo's autoregressive model at epoch 30, each pixel drawn from softmax(logits /"
        " temperature).",
        "Autoregressive temperature",
        "Temperature {}: 1 is the model as it was trained.",
        (0.25, 0.5, 0.7, 0.85, 1, 1.15, 1.3),
    ),
    _sweep(
        "latent",
        "Truncation of an autoencoder",
        "The zoo's VAE with β 0.2 at epoch 300, its latents scaled: truncation below 1.",
        "VAE truncated",
        "Latents times {}.",
        (0.25, 0.5, 0.75, 1, 1.25),
    ),
    _sweep(
        "classes",
        "Fewer classes asked for",
        "The zoo's diffusion model, asked for the first classes alone: 1 is all digits against"
        " one.",
        "Diffusion of digits below",
        "Asked for the digits below {} alone.",
        (1, 2, 3, 5, 7, 9),
    ),
    Family(
        "text",
        "Sentences by Markov chains",
        "Markov chains of words and of characters: the longer their memory, the more they copy.",
        (
            *(
                BundledCheckpoint(
                    f"words-{n}",
                    f"Words, order {n}",
                    (
                        f"Each word drawn after the {'one' if n == 1 else n} before it."
                        if n
                        else "Words without order."
                    ),
                )
                for n in (0, 1, 2, 3)
            ),
            *(
                BundledCheckpoint(
                    f"characters-{n}",
                    f"Chars, order {n}",
                    f"Each character drawn after the {n} before it.",
                )
                for n in (2, 4, 8)
            ),
            BundledCheckpoint(
                "shuffled",
                "Words shuffled",
                "New real sentences, the words of each in a random order.",
            ),
        ),
        "text",
        "sentences",
    ),
    Family(
        "topics",
        "Sentences of fewer topics",
        "New real sentences of the first topics alone: each dropped topic costs recall.",
        (
            *(
                BundledCheckpoint(
                    f"topics-{n}",
                    f"{n} of 6 topics",
                    (
                        f"New sentences of the first {n} topics."
                        if n > 1
                        else "New sentences of one topic."
                    ),
                )
                for n in (1, 2, 3, 5)
            ),
            BundledCheckpoint(
                "topics-6",
                "6 of 6 topics",
                "New sentences of all topics: what a perfect generator would score.",
            ),
        ),
        "text",
        "sentences",
    ),
    Family(
        "digits",
        "Real against real",
        "Two halves of the same real set: what a perfect generator would score.",
        (
            BundledCheckpoint(
                _HELD_OUT,
                "Held-out digits",
                "One half of the digits against the other: P = Q up to chance.",
            ),
        ),
    ),
)

#: Family name -> family, in the order of menus. No file is read before `bundled_pair`
#: is called.
BUNDLED: Mapping[str, Family] = MappingProxyType({family.name: family for family in _FAMILIES})
_FAMILY_OF = {each.name: family for family in _FAMILIES for each in family.checkpoints}


def zoo_checkpoints() -> tuple[BundledCheckpoint, ...]:
    """Every checkpoint of the zoo: along training, then other ways to sample the last ones."""
    every = (
        each for family in BUNDLED.values() if family.folder == "zoo" for each in family.checkpoints
    )
    return tuple(each for each in every if each.name not in SAME_FILE)


def bundled_names() -> tuple[str, ...]:
    """Every name that `bundled_pair` takes, family by family."""
    return tuple(_FAMILY_OF)


def family_of(name: str) -> str:
    """Name of the family that checkpoint ``name`` belongs to. Raises ValueError for an unknown
    checkpoint.
    """
    if name in _FAMILY_OF:
        return _FAMILY_OF[name].name
    raise ValueError(f"checkpoint = {name!r}; one of {', '.join(bundled_names())} is needed")


def bundled_path(checkpoint: str) -> Path:
    """The file of a checkpoint. Raises ValueError for an unknown one."""
    return (
        data_folder()
        / BUNDLED[family_of(checkpoint)].folder
        / f"{SAME_FILE.get(checkpoint, checkpoint)}.npz"
    )


def trained_features(stem: str) -> Floats32:
    """Features (n, d) of the samples in a bundled file by the network of `TRAINED`."""
    with np.load(data_folder() / "trained" / f"{stem}.npz", allow_pickle=False) as archive:
        return np.asarray(archive["features"] * archive["step"], np.float32)


def _load(path: Path, name: str, real: str, *, trained: bool) -> Samples:
    with np.load(path, allow_pickle=False) as archive:
        values = archive["features"]
        labels = {key: archive[key] for key in archive.files if key != "features"}
    more: dict[str, Any] = {}
    if real == "digits":
        grey = np.rint(values.astype(float) * (255 / _LEVELS))  # 0 is black, 255 white
        more["images"] = grey.astype(np.uint8).reshape(-1, _SIDE, _SIDE)
    if trained:
        values = trained_features(path.stem)
        more["encoder"] = {"encoder": TRAINED[real].encoder}
    return Samples(values, name, labels, **more)


@lru_cache(maxsize=4)
def _real(name: str, *, trained: bool) -> Samples:
    known = REAL_SETS[name]
    return _load(data_folder() / known.file, known.title, name, trained=trained)


@lru_cache(maxsize=8)
def bundled_pair(checkpoint: str, *, trained: bool = False) -> SamplePair:
    """A bundled real set and the generated set called ``checkpoint``, with pictures or texts, and
    labels.

    Parameters
    ----------
    checkpoint : str
        One of `bundled_names`, such as ``"mixture-converged"``, ``"truncation-0.7"`` or
        ``"words-2"``.
    trained : bool
        True for the features of a trained network in place of pixels, 32 principal components of a
        recogniser of characters, and of the language model's, 64 of the means of token vectors.

    Returns
    -------
    SamplePair
        Real: all 1,797 digits (labels ``digit`` and ``part``, the half that trained the generators
        or the held-out one). Generated: 1,797 samples. Both have (1797, 64) pixels of 0 to 16 and
        (1797, 8, 8) images. For ``"digits-held-out"`` the training half (898) is real and the
        held-out half (899) generated. Of the families ``text`` and ``topics``, real: 1,560
        sentences (labels ``text``, ``topic`` and ``part``); generated: 780. Both have 64 features.

    Raises
    ------
    ValueError
        No checkpoint has that name.
    """
    family = BUNDLED[family_of(checkpoint)]
    if checkpoint != _HELD_OUT:
        title = next(each.title for each in family.checkpoints if each.name == checkpoint)
        generated = _load(
            bundled_path(checkpoint), f"{family.title}, {title}", family.real, trained=trained
        )
        return SamplePair(_real(family.real, trained=trained), generated)
    digits = _real("digits", trained=trained)
    held_out = digits.labels["part"] == "held-out"
    real, generated = (digits.take(np.flatnonzero(rows)) for rows in (~held_out, held_out))
    return SamplePair(
        replace(real, name="Digits, training half"),
        replace(generated, name="Digits, held-out half"),
    )
