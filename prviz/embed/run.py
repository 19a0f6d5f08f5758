"""One embedding run: items are prepared on all cores, encoded in batches, and stored in parts; a
stopped run continues from the stored parts.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prviz.embed.base import EmbeddingEncoder, Features, SourceItem
from prviz.embed.output import put_features, put_table, whole_pair
from prviz.embed.sources import EmbeddingSource, is_utf8
from prviz.embed.workers import ItemWorkers, PreparedGroup
from prviz.readers import table_beside
from prviz.readers.atomic_files import locked, named
from prviz.readers.errors import one_line
from prviz.readers.npy import ZIP_ERRORS

# Number of items in a part, the unit in which a stopped run is resumed.
PART = 256
# Largest number of bad items that an error names.
_MOST_NAMED = 10
# Pictures differ much in size if their shorter sides have at least this ratio; a note then says so.
UNLIKE = 2.0


@dataclass(frozen=True)
class Embedded:
    """Result of an embedding.

    n, d : shape of the features.
    bad : path of every item that could not be embedded, and the reason.
    notes : sentences for the user on how pictures were treated.
    side : median of the pictures' shorter sides in pixels; 0 for texts.
    """

    n: int
    d: int
    bad: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    side: int = 0


def embed(
    source: EmbeddingSource,
    encoder: EmbeddingEncoder,
    out: Path,
    *,
    skip_bad: bool = False,
    bits: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[float], object] | None = None,
) -> Embedded:
    """Write the features of a source to ``out``, and beside it a table with features, paths or
    texts, and labels.

    Parameters
    ----------
    source : EmbeddingSource
        The items to embed.
    encoder : EmbeddingEncoder
        The encoder; if it must be fitted, it is fitted to the source.
    out : Path
        A .safetensors file. A stopped run leaves its parts in a folder beside it; the same call
        continues from there and writes the same bytes as an uninterrupted run.
    skip_bad : bool
        True if items that can't be read are left out.
    bits : int, optional
        Bits used by values of 16-bit pictures, such as 12 in computed tomography; by default as
        many as the largest value of the source needs. Only pictures read with the same bits can be
        compared.
    executor : Executor, optional
        Runs the reading and decoding; by default a process per core if there are many items.
    progress : callable, optional
        Called with the fraction done, after every few items; what it raises stops the run.

    Returns
    -------
    Embedded
        Shape, bad items and notes.

    Raises
    ------
    ValueError
        The encoder does not take what the source holds; there are bad items and ``skip_bad`` is
        False; all items are bad; or another run writes the same file.
    """
    if encoder.takes != source.kind:
        raise ValueError(
            f"{encoder.name} takes {encoder.takes}, and {source.name} holds {source.kind}"
        )
    if not skip_bad:  # checked before the first file is read
        reason = "its name is not in UTF-8; rename it."
        _check_bad(
            {item.path: reason for item in source.items if not is_utf8(item.path)}, source, skip_bad
        )
    with _only_run(out), ItemWorkers(source, encoder.prepare, executor) as workers:
        if bits is None:
            bits = used_bits(workers, progress)
        return _embed(_Job(source, encoder, out, bits), workers, skip_bad, progress)


class _Job(NamedTuple):
    """The items to embed, the encoder, and the file to write.

    bits : number of bits that 16-bit values use; None if no picture has 16 bits.
    """

    source: EmbeddingSource
    encoder: EmbeddingEncoder
    out: Path
    bits: int | None

    @property
    def transform(self) -> str:
        """The transform in words, with the scaling of 16-bit values; only sets with equal
        transforms can be compared.
        """
        if self.bits is None:
            return self.encoder.transform
        return (
            f"{self.encoder.transform}, 16-bit values from 0 to {2**self.bits - 1} (--bits"
            f" {self.bits})"
        )

    @property
    def parts(self) -> list[tuple[SourceItem, ...]]:
        """The items in groups of PART; the features of a group are stored together."""
        items = self.source.items
        return [items[start : start + PART] for start in range(0, len(items), PART)]


def used_bits(workers: ItemWorkers, progress: Callable[[float], object] | None) -> int | None:
    """Number of bits that the largest value of all 16-bit pictures needs; None if all pictures have
    8 bits.
    """
    largest = workers.largest_value(lambda: None if progress is None else progress(0.0))
    if largest is None:
        return None
    return max(1, largest.bit_length())


@contextmanager
def _only_run(out: Path) -> Iterator[None]:
    """Hold the lock of the output file; raises ValueError if another run holds it."""
    if not out.parent.is_dir():
        raise ValueError(f"{one_line(out.parent)}: no such folder")
    lock = locked(out, 0)
    try:
        lock.__enter__()
    except OSError as error:
        if error.errno is not None:
            raise
        raise ValueError(
            f"{one_line(out)}: another run is writing this file; wait for its end, or name another"
            " file"
        ) from None
    try:
        yield
    finally:
        lock.__exit__(None, None, None)


def _embed(
    job: _Job, workers: ItemWorkers, skip_bad: bool, progress: Callable[[float], object] | None
) -> Embedded:
    source, encoder, out, bits = job
    folder = out.with_name(f".{out.name}.parts")
    if folder.is_symlink():
        raise ValueError(
            f"{one_line(folder)}: a link, and the parts of a run are kept there; remove it"
        )
    with named(folder):
        folder.mkdir(exist_ok=True)
    files = _encoded(job, workers, folder, progress)
    bad, widths, facts = _said_of_parts(job, files)
    _check_bad(bad, source, skip_bad)
    if len(widths) != 1:
        raise ValueError(
            f"{encoder.name}: samples have {sorted(widths)} features; all need the same number"
        )
    shape = len(source.items) - len(bad), widths.pop()
    metadata = {
        "encoder": encoder.name,
        "source": source.name,
        "transform": job.transform,
        "versions": json.dumps(dict(encoder.versions), sort_keys=True),
        "weights_sha256": encoder.weights_sha256,
    }
    if sides := _sides_text(facts[:, 0]):
        metadata["sides"] = sides
    rows_and_items = (
        (kept.rows, [item for row, item in enumerate(part) if row not in kept.bad])
        for part, kept in zip(job.parts, map(_part, files), strict=True)
        if len(kept.rows)
    )
    features = (kept.rows for kept in map(_part, files) if len(kept.rows))
    table = out.with_name(table_beside(out.name))
    with whole_pair(out, table) as (new_features, new_table):
        with named(table):
            put_table(
                new_table, rows_and_items, source.column, metadata, source.seen_from(out.parent)
            )
        with named(out):
            put_features(new_features, features, shape, encoder.tensors, metadata)
    shutil.rmtree(folder, ignore_errors=True)
    side = 0
    if len(facts):
        side = int(np.median(facts[:, 0]))
    return Embedded(*shape, bad, (*source.notes, *_notes(facts, bits)), side)


def _said_of_parts(
    job: _Job, files: Sequence[Path]
) -> tuple[dict[str, str], set[int], NDArray[np.int32]]:
    """Facts collected from all stored parts: bad items with reasons by path, numbers of features
    that occur, and facts on pictures.
    """
    bad: dict[str, str] = {}
    widths = set[int]()
    facts = []
    for part, kept in zip(job.parts, map(_part, files), strict=True):
        bad |= {part[row].path: why for row, why in kept.bad.items()}
        facts.append(kept.facts)
        if len(kept.rows):
            widths.add(kept.rows.shape[1])
    return bad, widths, np.concatenate(facts)


def _encoded(
    job: _Job, workers: ItemWorkers, folder: Path, progress: Callable[[float], object] | None
) -> list[Path]:
    """The files of all parts.

    Missing parts are encoded and written first; before that an encoder that must be fitted is
    fitted.
    """
    encoder = job.encoder
    every = job.source.items
    parts = job.parts
    total = len(every)
    if encoder.fits:
        total *= 2
        groups = _reported(workers.groups(every, job.bits), 0, total, progress)
        encoder.fit(group.good for group in groups if len(group.good))
    files = [folder / f"{_part_key(part, job)}.npz" for part in parts]
    missing = [place for place, file in enumerate(files) if not _is_whole(file)]
    items = list(chain.from_iterable(parts[place] for place in missing))
    groups = workers.groups(items, job.bits)
    prepared = _reported(groups, total - len(items), total, progress)
    for place in missing:
        _write_part(files[place], len(parts[place]), prepared, encoder)
    return files


def _sides_text(sides: NDArray[np.int32]) -> str:
    """Range and median of the pictures' shorter sides in pixels; "" for texts."""
    if not len(sides):
        return ""
    least = int(sides.min())
    most = int(sides.max())
    if least == most:
        return f"{least}"
    return f"{least} to {most}, median {int(np.median(sides))}"


def _notes(facts: NDArray[np.int32], bits: int | None) -> Iterator[str]:
    """Notes for the user on how pictures were treated, where a user may not expect it."""
    if not len(facts):
        return
    sides, transparent, left_out = facts.T
    if sides.max() >= UNLIKE * sides.min():
        yield (
            f"pictures of very different sizes: shorter sides from {sides.min():,} to"
            f" {sides.max():,} pixels"
        )
    if bits is not None:
        yield (
            f"16-bit values are taken as {bits} bits, from 0 to {2**bits - 1:,}; only pictures of"
            " the same --bits can be compared"
        )
    done: list[str] = []
    if count := int(transparent.sum()):
        done.append(f"{count:,} with transparency (an alpha band), put over white")
    if count := int((left_out > 0).sum()):
        bands = int(left_out.max())
        more = "a band"
        if bands != 1:
            more = f"{bands} bands"
        done.append(f"{count:,} with {more} beyond grey, or red, green and blue, left out")
    if done:
        yield f"of {len(facts):,} pictures {'; '.join(done)}"


def _reported(
    groups: Iterator[PreparedGroup],
    done: int,
    total: int,
    progress: Callable[[float], object] | None,
) -> Iterator[PreparedGroup]:
    """Yield the groups; after the caller has processed a group, report the fraction done to
    ``progress``.
    """
    for group in groups:
        yield group
        done += group.count
        if progress is not None:
            progress(done / total)


def _check_bad(bad: dict[str, str], source: EmbeddingSource, skip_bad: bool) -> None:
    if len(bad) == len(source.items) or (bad and not skip_bad):
        names = [
            f"{one_line(name)}: {one_line(why)}" for name, why in list(bad.items())[:_MOST_NAMED]
        ]
        more = []
        if len(bad) > _MOST_NAMED:
            more = [f"and {len(bad) - _MOST_NAMED} more"]
        remedy = "--skip-bad leaves them out, without a new start"
        if len(bad) == len(source.items):
            remedy = "none is left"
        raise ValueError(
            "\n".join(
                [f"{len(bad)} of {len(source.items)} can't be embedded; {remedy}", *names, *more]
            )
        )


def _part_key(items: Sequence[SourceItem], job: _Job) -> str:
    """Hash of everything that a part's features depend on. A stored part is reused only if its hash
    is unchanged.
    """
    encoder = job.encoder
    made_by = (
        encoder.name,
        encoder.weights_sha256,
        job.transform,
        sorted(encoder.versions.items()),
    )
    rows = [(item.path, item.text, item.version) for item in items]
    return hashlib.sha256(repr((job.source.name, made_by, rows)).encode()).hexdigest()[:32]


def _write_part(
    file: Path, count: int, prepared: Iterator[PreparedGroup], encoder: EmbeddingEncoder
) -> None:
    """Encode the next ``count`` prepared items, which form one part, and store their features."""
    features: list[Features] = []
    facts: list[NDArray[np.int32]] = []
    reasons: dict[int, str] = {}
    seen = 0
    while seen < count:
        group = next(prepared)
        reasons |= {seen + row: why for row, why in group.bad.items()}
        seen += group.count
        facts.append(group.facts)
        if len(group.good):
            features.append(encoder.encode(group.good))
            if not np.isfinite(features[-1]).all():
                raise ValueError(
                    f"{encoder.name}: a feature is not finite; check its preprocessing"
                )
    rows = np.concatenate(features) if features else np.empty((0, 0), np.float32)
    # Not flushed to disk, because that would take most of the time. If the machine crashes, a
    # damaged part is encoded again.
    beside = file.with_suffix(".tmp")
    with named(file), beside.open("wb") as stream:
        bad = np.frombuffer(json.dumps(reasons).encode(), np.uint8)
        np.savez(stream, rows=rows, bad=bad, facts=np.concatenate(facts))
    beside.replace(file)


def _is_whole(file: Path) -> bool:
    """True if a part is stored and undamaged; the .npz archive has checksums."""
    try:
        _part(file)
    except (*ZIP_ERRORS, FileNotFoundError):
        return False
    return True


class _Part(NamedTuple):
    """A stored part: features, reasons for bad items by row, and facts on all other pictures."""

    rows: Features
    bad: dict[int, str]
    facts: NDArray[np.int32]


def _part(file: Path) -> _Part:
    with file.open("rb") as stream, np.load(stream) as kept:
        bad = {int(row): why for row, why in json.loads(kept["bad"].tobytes()).items()}
        return _Part(kept["rows"], bad, kept["facts"])
