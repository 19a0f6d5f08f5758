"""Embeds folders of pictures in the background, for one visitor at a time. A stopped run can be
continued.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pages._work.background import FIRST_SHARE, Background
from prviz.embed.base import EmbeddingEncoder
from prviz.embed.local_encoders import LocalEncoder
from prviz.embed.run import embed
from prviz.embed.sources import EmbeddingSource, open_source
from prviz.measure.workload import duration
from prviz.neighbors.threads import available_threads
from prviz.readers.safe_folder import Below

# While another visitor's embedding runs: seconds between checks whether it has ended.
_LOOK = 0.2
# Lock that lets only one embedding run at a time. An embedding uses all cores, and two embeddings
# of the same folder would write to the same files.
_one_at_a_time = threading.Lock()


class EmbeddingRequest(NamedTuple):
    """What to embed: folders of pictures below the app's folder, and the encoder. If the encoder
    has to be fitted, it is fitted on the first folder.
    """

    folders: tuple[str, ...]
    encoder: LocalEncoder

    @property
    def out(self) -> str:
        """Name of the folder for the output files: that of the encoder, with "-" for characters
        that a file name can't have. It never equals the name of a network's file.
        """
        name = self.encoder.encoder.replace(".onnx", "-onnx")
        return "".join(each if each.isalnum() or each in "._-" else "-" for each in name).lstrip(
            "."
        )


class EmbeddingRun(Background):
    """The embedding of one request; its pieces are pictures.

    left_out : one line for each folder that has unreadable pictures. state : text on what the run
    does now.
    """

    def __init__(self, below: Below, request: EmbeddingRequest) -> None:
        super().__init__(1, 0.0)
        self.request, self.left_out, self.state = request, list[str](), ""
        self._below = below
        self._done = 0
        self._encoder: EmbeddingEncoder | None = None
        self._finished: set[str] = set()

    @property
    def done(self) -> int:
        return self._done

    @property
    def text(self) -> str:
        """Text beside the progress bar: what the run does, and how long it will still take."""
        left = ""
        if self.share >= FIRST_SHARE:
            left = f", {duration(self.seconds_left)} left"
        if self.stopping:
            return "Stopping"
        return f"{self.state}{left}"

    def _measure(self) -> None:
        with self._alone(), ThreadPoolExecutor(available_threads()) as executor:
            self.state = "Looking at the pictures"
            root = self._below.root
            sources = {each: open_source(root / each, below=root) for each in self.request.folders}
            self.total = sum(len(each.items) for each in sources.values())
            before = 0
            self.state = f"Loading {self.request.encoder.title}"
            self._encoder = self._encoder or self.request.encoder.load(self._below)
            for folder, source in sources.items():
                if folder not in self._finished:
                    self._embed(folder, source, self._encoder, before, executor)
                before += len(source.items)
            self._done = self.total

    def _embed(
        self,
        folder: str,
        source: EmbeddingSource,
        encoder: EmbeddingEncoder,
        before: int,
        executor: Executor,
    ) -> None:
        """Embed one folder. before : number of pictures in the folders before it."""
        count = len(source.items)

        # until the folder's file is written, its last picture does not count as done
        def report(share: float) -> None:
            self._done = before + min(int(share * count), count - 1)
            self.state = f"{folder}: {self._done:,} of {self.total:,} pictures"
            self._report(0.0)

        report(0.0)
        file = self._folder() / f"{folder.replace('/', '-')}.safetensors"
        found = embed(source, encoder, file, skip_bad=True, executor=executor, progress=report)
        for name, why in list(found.bad.items())[:1]:
            self.left_out.append(f"{folder}: {len(found.bad)} left out, the first {name}: {why}")
        self._finished.add(folder)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        while not _one_at_a_time.acquire(timeout=_LOOK):
            self.state = "Waiting for another visitor's embedding"
            self._report(0.0)
        try:
            yield
        finally:
            _one_at_a_time.release()

    def _folder(self) -> Path:
        out = self._below.root / self.request.out
        out.mkdir(exist_ok=True)
        if out.resolve() != out:
            raise ValueError(f"{out.name} leads out of the app's folder; remove that link")
        return out
