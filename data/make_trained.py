"""Make the bundled features of trained networks: ``python data/make_trained.py folder``.

Needs the extra ``networks`` and takes 12 minutes of a free core. Pictures by rapidocr:32, texts by
wordllama:256, both as `prviz embed` has them; the folder gets a ``.npz`` per set, by its file's
name, and ``manifest.json``. The bundled files are in ``data/trained``.

Kept are the coordinates on the leading principal components of the half of the real set that
trained the generators, as whole numbers of one step: the largest of that half is 63 steps. The
real sets' files also hold the mean and the components.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from make_data import describe
from numpy.typing import NDArray

from prviz.embed.base import EmbeddingEncoder
from prviz.embed.pictures import from_values
from prviz.embed.registered import load_encoder
from prviz.readers.bundled import BUNDLED, SAME_FILE, TRAINED, bundled_pair
from prviz.samples import Samples
from prviz.studies.papers.features import with_pattern

FEATURES = {"digits": 32, "sentences": 64}
_BATCH = 100


def encoded(encoder: EmbeddingEncoder, samples: Samples) -> NDArray[np.float32]:
    """Features of pictures or texts; equal ones are encoded once."""
    inputs: NDArray[Any] = samples.labels["text"] if samples.images is None else samples.images
    own, places = np.unique(inputs, axis=0, return_inverse=True)
    parts = []
    for at in range(0, len(own), _BATCH):
        batch: Any = list(own[at : at + _BATCH])
        if encoder.prepare is not None:
            batch = np.stack([encoder.prepare(from_values(each, None)) for each in batch])
        parts.append(encoder.encode(batch))
    return np.concatenate(parts)[places.ravel()]


def main(folder: Path) -> None:
    """Write every set and the manifest into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    began = time.perf_counter()
    files = {}
    facts: dict[str, Any] = {"made_by": "make_trained.py", "encoders": {}}
    for real, (name, _) in TRAINED.items():
        encoder = load_encoder(name)
        families = [each for each in BUNDLED.values() if each.real == real and each.name != real]
        stems = [point.name for each in families for point in each.checkpoints]
        sets = {real: bundled_pair(stems[0]).real}
        if real == "digits":
            sets["pattern"] = with_pattern(bundled_pair("digits-held-out").real)
        kept = encoded(encoder, sets[real])[sets[real].labels["part"] == "train"]
        mean = kept.mean(axis=0, dtype=np.float64)
        _, spread, rows = np.linalg.svd(kept - mean, full_matrices=False)
        d = FEATURES[real]
        axes = rows[:d] * np.sign(rows[:d].sum(axis=1, keepdims=True))
        step = np.abs((kept - mean) @ axes.T).max() / 63
        facts["encoders"][name] = {
            "weights_sha256": encoder.weights_sha256,
            "transform": encoder.transform,
            "versions": dict(encoder.versions),
            "variance": float((spread[:d] ** 2).sum() / (spread**2).sum()),
        }
        for stem in [*sets, *(each for each in stems if each not in SAME_FILE)]:
            samples = sets.get(stem) or bundled_pair(stem).generated
            coordinates = (encoded(encoder, samples) - mean) @ axes.T
            arrays = {
                "features": np.rint(coordinates / step).astype(np.int16),
                "step": np.float32(step),
            }
            if stem == real:
                arrays |= {"mean": mean.astype(np.float32), "axes": axes.astype(np.float32)}
            np.savez_compressed(folder / f"{stem}.npz", **arrays)
            files[f"{stem}.npz"] = describe(folder / f"{stem}.npz", arrays)
            print(
                stem, files[f"{stem}.npz"]["bytes"], round(time.perf_counter() - began), flush=True
            )
    facts["files"] = files
    (folder / "manifest.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
