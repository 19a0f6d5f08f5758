# ruff: noqa: T201 - a script that prints its table
"""Pictures read, decoded, transformed and handed to the encoder, against Pillow alone in as many
processes.

Run from the checkout on a quiet machine: python -m tests.benchmarks.embed

10,000 JPEG pictures of 224 x 224, quality 90, turn by turn in the same run, the best of each; both
sides with their processes' start. prviz goes through `prviz.embed.run.embed`, files written, with
an encoder that only takes every 56th pixel; Pillow's processes open, convert to RGB and keep
nothing. Exit status 1 below 70 % of Pillow's pictures a second.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image

from prviz.embed.base import EmbeddingEncoder, EncoderOptions, Features
from prviz.embed.pictures import SquareTransform
from prviz.embed.run import embed
from prviz.embed.sources import open_source
from prviz.neighbors.threads import available_threads
from tests.benchmarks.results import record

SIDE = 224
LEAST_SHARE = 0.7


class EveryPixel(EmbeddingEncoder):
    """Every 56th pixel: an encoder that takes no time."""

    prefix = "every"
    argument = "56"
    takes = "pictures"
    name = "every:56"
    transform = "none"
    versions: ClassVar[dict[str, str]] = {}
    prepare = SquareTransform(SIDE, SIDE)

    @classmethod
    def load(cls, argument: str, options: EncoderOptions) -> EveryPixel:
        return cls()

    def encode(self, batch: Any) -> Features:
        return np.asarray(batch[:, ::56, ::56].reshape(len(batch), -1), np.float32)


def make_pictures(folder: Path, count: int) -> None:
    """Smooth noise with fine noise on it, which JPEG compresses about as well as photographs."""
    rng = np.random.default_rng(0)
    for place in range(count):
        coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8))
        smooth = np.asarray(coarse.resize((SIDE, SIDE), Image.Resampling.BICUBIC), np.int16)
        fine = smooth + rng.integers(-12, 13, smooth.shape, dtype=np.int16)
        Image.fromarray(fine.clip(0, 255).astype(np.uint8)).save(
            folder / f"{place:05}.jpg", quality=90
        )


def opened(paths: list[Path]) -> int:
    """Pictures of these files by Pillow alone; returns how many bytes they have."""
    return sum(np.asarray(Image.open(path).convert("RGB")).nbytes for path in paths)


def seconds(run: Callable[[Path], None], folder: Path) -> float:
    start = time.perf_counter()
    run(folder)
    return time.perf_counter() - start


def by_pillow(folder: Path) -> None:
    paths = sorted(folder.iterdir())
    with ProcessPoolExecutor(available_threads(), multiprocessing.get_context("spawn")) as pool:
        sizes = pool.map(opened, [paths[at : at + 16] for at in range(0, len(paths), 16)])
        assert sum(sizes) == len(paths) * SIDE * SIDE * 3


def by_prviz(folder: Path) -> None:
    embed(open_source(folder), EveryPixel(), folder.with_name("out.safetensors"))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as where:
        folder = Path(where) / "pictures"
        folder.mkdir()
        make_pictures(folder, arguments.count)
        by_pillow(folder)  # so that the files are in the system's memory
        turns = [
            (seconds(by_prviz, folder), seconds(by_pillow, folder)) for _ in range(arguments.turns)
        ]
    own, pillow = map(min, zip(*turns, strict=True))
    case = (
        f"{arguments.count:,} JPEG pictures of {SIDE} x {SIDE}, read, decoded, transformed, against"
        " Pillow alone"
    )
    figures = {"share of Pillow's pace": pillow / own}
    record("embed", case, seconds=own, other_seconds=pillow, figures=figures)
    print(f"{case}: {own:.1f} s against {pillow:.1f} s, {figures}")
    return int(pillow / own < LEAST_SHARE)


if __name__ == "__main__":
    raise SystemExit(main())
