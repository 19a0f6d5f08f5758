"""Make every bundled embedding from scikit-learn's digits: ``python data/make_data.py [folder]``.

Everything is seeded and runs on one thread. The same library versions (they are written into
manifest.json) give the same arrays; other versions may round a pixel differently. Without an
argument the files beside this script are replaced; with one they go there, so that two runs can be
compared.
"""

from __future__ import annotations

import copy
import hashlib
import json
import platform
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, Any]
Floats = NDArray[np.float64]

# samples per generator checkpoint: as many as there are digits, because estimators compare counts
N = 1797
SPLIT_SEED = 0
MIXTURE_SEED = 1
LATENT_SEED = 2
RBM_SEED = 3
GIBBS_SEED = 4
EM_ITERATIONS = (1, 2, 5, 10, 20)
RBM_EPOCHS = (1, 3, 10, 30, 100, 300)
GIBBS_STEPS = 500
FOREST_SEED = 5
FOREST_LEAVES = (2, 8, 32, 128, 512)
FOREST_TREES = 30
TRUNCATIONS = tuple(step / 10 for step in range(11))


def pixels(values: Floats) -> NDArray[np.uint8]:
    """The nearest picture the digits' own format can store: integers 0 to 16."""
    return np.clip(np.rint(values), 0, 16).astype(np.uint8)


def make_digits() -> Arrays:
    """The real set: all 1,797 digits, their class, and which half the generators were trained
    on.
    """
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    digits = load_digits()
    train, _ = train_test_split(
        np.arange(N), train_size=0.5, stratify=digits.target, random_state=SPLIT_SEED
    )
    part = np.full(N, "held-out")
    part[train] = "train"
    return {"features": pixels(digits.data), "digit": digits.target.astype(np.uint8), "part": part}


def train_mixture(latents: Floats) -> Iterator[tuple[int, Any]]:
    """A Gaussian mixture after each EM iteration, up to and including the one at which EM has
    converged.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(
        n_components=15,
        reg_covar=3.0,
        tol=1e-3,
        # every component starts as nearly the same Gaussian, so that EM has work to do
        init_params="random",
        warm_start=True,
        max_iter=1,
        random_state=MIXTURE_SEED,
    )
    iteration = 0
    while iteration == 0 or not mixture.converged_:
        iteration += 1
        with warnings.catch_warnings():
            # one iteration at a time never converges at once
            warnings.simplefilter("ignore", ConvergenceWarning)
            mixture.fit(latents)
        yield iteration, copy.deepcopy(mixture)


def draw(mixture: Any, seed: int) -> tuple[Floats, NDArray[np.uint8]]:
    """N latent vectors and the component each came from, shuffled (scikit-learn sorts by
    component).
    """
    mixture.random_state = seed
    latents, component = mixture.sample(N)
    order = np.random.default_rng(seed).permutation(N)
    return latents[order], component[order].astype(np.uint8)


def make_mixtures(train: Floats) -> Iterator[tuple[str, Arrays]]:
    """A mixture of 15 Gaussians on 32 principal components, along EM; then the converged one,
    truncated.
    """
    from sklearn.decomposition import PCA

    pca = PCA(n_components=32, svd_solver="full").fit(train)
    for iteration, mixture in train_mixture(pca.transform(train)):
        if iteration in EM_ITERATIONS or mixture.converged_:
            latents, component = draw(mixture, MIXTURE_SEED)
            stem = "mixture-converged" if mixture.converged_ else f"mixture-em-{iteration}"
            yield stem, {"features": pixels(pca.inverse_transform(latents)), "component": component}
    # The same latent vectors at every psi: row i moves on a straight line to the mean latent.
    latents, component = draw(mixture, LATENT_SEED)
    mean = mixture.weights_ @ mixture.means_
    for psi in TRUNCATIONS:
        truncated = pca.inverse_transform(mean + psi * (latents - mean))
        yield f"truncation-{psi:.1f}", {"features": pixels(truncated), "component": component}


def gibbs(rbm: Any, start: Floats) -> NDArray[np.uint8]:
    """N chains of GIBBS_STEPS steps; the last one keeps the pixels' probabilities, not a coin
    flip.
    """
    from sklearn.utils import check_random_state

    # the chains' own stream: training stays as it was
    rbm.random_state_ = check_random_state(GIBBS_SEED)
    rng = np.random.default_rng(GIBBS_SEED)
    visible: NDArray[np.bool_] = rng.random((N, start.size)) < start
    for _ in range(GIBBS_STEPS):
        visible = rbm.gibbs(visible)
    on = rbm.transform(visible)
    hidden = rng.random(on.shape) < on
    return pixels(16 / (1 + np.exp(-(hidden @ rbm.components_ + rbm.intercept_visible_))))


def make_machines(train: Floats) -> Iterator[tuple[str, Arrays]]:
    """A restricted Boltzmann machine of 128 hidden units along its epochs, trained on pixels /
    16.
    """
    from sklearn.neural_network import BernoulliRBM

    rng = np.random.default_rng(RBM_SEED)
    rbm = BernoulliRBM(n_components=128, learning_rate=0.05, batch_size=10, random_state=RBM_SEED)
    data = train / 16
    for epoch in range(1, max(RBM_EPOCHS) + 1):
        order = rng.permutation(len(data))
        for first in range(0, len(data), rbm.batch_size):
            rbm.partial_fit(data[order[first : first + rbm.batch_size]])
        if epoch in RBM_EPOCHS:
            yield f"rbm-epoch-{epoch}", {"features": gibbs(copy.deepcopy(rbm), data.mean(axis=0))}


def make_forests(train: Floats, digit: NDArray[np.uint8]) -> Iterator[tuple[str, Arrays]]:
    """Forests that draw pixel after pixel, each given the class and the pixels before it, along
    their trees' growth.
    """
    from sklearn.ensemble import RandomForestClassifier

    classes = np.eye(10)
    shades = train.astype(int)
    for leaves in FOREST_LEAVES:
        rng = np.random.default_rng(FOREST_SEED)
        asked = rng.choice(digit, N)
        known = classes[digit]
        drawn = classes[asked]
        for pixel in shades.T:
            forest = RandomForestClassifier(
                FOREST_TREES,
                max_leaf_nodes=leaves,
                max_features=1.0,
                random_state=int(rng.integers(2**31)),
            )
            votes = forest.fit(known, pixel).predict_proba(drawn).cumsum(axis=1)
            place = (votes < rng.random((N, 1))).sum(axis=1)
            found = forest.classes_[np.minimum(place, len(forest.classes_) - 1)]
            known = np.column_stack([known, pixel])
            drawn = np.column_stack([drawn, found])
        yield f"forest-{leaves}", {"features": drawn[:, 10:].astype(np.uint8), "digit": asked}


def make_all() -> Iterator[tuple[str, Arrays]]:
    """Every file's stem and arrays, the real set first."""
    digits = make_digits()
    yield "digits", digits
    own = digits["part"] == "train"
    train = digits["features"][own].astype(np.float64)
    yield from make_mixtures(train)
    yield from make_machines(train)
    yield from make_forests(train, digits["digit"][own])


def array_digest(array: NDArray[Any]) -> str:
    """SHA-256 of the bytes in C order, little-endian: no compressor changes it, unlike a file's."""
    return hashlib.sha256(array.astype(array.dtype.newbyteorder("<")).tobytes()).hexdigest()


def describe(path: Path, arrays: Arrays) -> dict[str, Any]:
    """One file's entry in the manifest."""
    facts = {
        key: {"shape": list(array.shape), "dtype": array.dtype.str, "sha256": array_digest(array)}
        for key, array in arrays.items()
    }
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "arrays": facts}


def main(folder: Path) -> None:
    """Write every .npz and manifest.json into ``folder``."""
    import sklearn
    from threadpoolctl import threadpool_limits

    versions = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    files = {}
    with threadpool_limits(1):
        for stem, arrays in make_all():
            path = folder / f"{stem}.npz"
            np.savez_compressed(path, **arrays)
            files[path.name] = describe(path, arrays)
            print(
                f"| `{path.name}` | {files[path.name]['bytes']:,} |"
                f" `{files[path.name]['sha256']}` |"
            )
    manifest = {"made_by": "make_data.py", "versions": versions, "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent)
