"""One embedding: items are prepared by all cores, encoded in batches, and kept in parts until all are there."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from prviz.embed.base import EmbeddingEncoder, Features
from prviz.embed.output import write_features, write_table
from prviz.embed.sources import EmbeddingSource, SourceItem
from prviz.embed.workers import ItemWorkers, PreparedGroup
from prviz.readers import table_beside
from prviz.readers.errors import one_line
from prviz.readers.npy import ZIP_ERRORS

# Items of a part, which a stopped run keeps, and bad items named in a message.
PART, _MOST_NAMED = 256, 10


@dataclass(frozen=True)
class Embedded:
    """Shape of the features, and every bad item with its reason."""

    n: int
    d: int
    bad: dict[str, str] = field(default_factory=dict)


def embed(
    source: EmbeddingSource,
    encoder: EmbeddingEncoder,
    out: Path,
    *,
    skip_bad: bool = False,
    executor: Executor | None = None,
    progress: Callable[[float], object] | None = None,
) -> Embedded:
    """Write the features of a source to ``out``, and a table with them, paths, texts and labels beside it.

    Parameters
    ----------
    source : EmbeddingSource
        What is embedded.
    encoder : EmbeddingEncoder
        Fitted to the source, if it is fitted at all.
    out : Path
        A .safetensors file. A stopped run leaves its parts in a folder beside it, and the same call goes on from there
        to the same bytes.
    skip_bad : bool
        True if items that can't be read are left out.
    executor : Executor, optional
        Reads and decodes; by default, where there are many items, a process per core.
    progress : callable, optional
        Called with the fraction done, after every few items; what it raises stops the run.

    Returns
    -------
    Embedded
        Shape and bad items.

    Raises
    ------
    ValueError
        Source and encoder don't fit; bad items without ``skip_bad``; nothing left.
    """
    if encoder.takes != source.kind:
        raise ValueError(f"{encoder.name} takes {encoder.takes}, and {source.name} holds {source.kind}")
    parts = [source.items[start : start + PART] for start in range(0, len(source.items), PART)]
    folder = out.with_name(f".{out.name}.parts")
    folder.mkdir(exist_ok=True)
    with ItemWorkers(source, encoder.prepare, executor) as workers:
        fitted = len(source.items) if encoder.fits else 0
        total = fitted + len(source.items)
        if encoder.fits:
            groups = _reported(workers.groups(source.items), 0, total, progress)
            encoder.fit(group.good for group in groups if len(group.good))
        files = [folder / f"{_part_key(part, source, encoder)}.npz" for part in parts]
        missing = [place for place, file in enumerate(files) if not _is_whole(file)]
        items = [item for place in missing for item in parts[place]]
        prepared = _reported(workers.groups(items), total - len(items), total, progress)
        for place in missing:
            _write_part(files[place], len(parts[place]), prepared, encoder)
    bad = {parts[place][row].path: why for place, file in enumerate(files) for row, why in _part(file)[1].items()}
    _check_bad(bad, source, skip_bad)
    widths = {rows.shape[1] for rows, _ in map(_part, files) if len(rows)}
    if len(widths) != 1:
        raise ValueError(f"{encoder.name}: features of {sorted(widths)} numbers; all samples need as many")
    shape = len(source.items) - len(bad), widths.pop()
    metadata = {
        "encoder": encoder.name,
        "source": source.name,
        "transform": encoder.transform,
        "versions": json.dumps(dict(encoder.versions), sort_keys=True),
        "weights_sha256": encoder.weights_sha256,
    }
    rows_and_items = (
        (rows, [item for row, item in enumerate(part) if row not in bad_rows])
        for part, (rows, bad_rows) in zip(parts, map(_part, files), strict=True)
        if len(rows)
    )
    table = out.with_name(table_beside(out.name))
    write_table(table, rows_and_items, source.kind, metadata, source.seen_from(out.parent))
    features = (rows for rows, _ in map(_part, files) if len(rows))
    write_features(out, features, shape, encoder.tensors, metadata)
    shutil.rmtree(folder, ignore_errors=True)
    return Embedded(*shape, bad)


def _reported(
    groups: Iterator[PreparedGroup], done: int, total: int, progress: Callable[[float], object] | None
) -> Iterator[PreparedGroup]:
    """The groups; when one has been used, ``progress`` is called with the fraction done so far."""
    for group in groups:
        yield group
        done += group.count
        if progress is not None:
            progress(done / total)


def _check_bad(bad: dict[str, str], source: EmbeddingSource, skip_bad: bool) -> None:
    if len(bad) == len(source.items) or (bad and not skip_bad):
        names = [f"{one_line(name)}: {one_line(why)}" for name, why in list(bad.items())[:_MOST_NAMED]]
        more = [f"and {len(bad) - _MOST_NAMED} more"] if len(bad) > _MOST_NAMED else []
        remedy = "none is left" if len(bad) == len(source.items) else "--skip-bad leaves them out, without a new start"
        raise ValueError("\n".join([f"{len(bad)} of {len(source.items)} can't be embedded; {remedy}", *names, *more]))


def _part_key(items: Sequence[SourceItem], source: EmbeddingSource, encoder: EmbeddingEncoder) -> str:
    """Hash of all that a part depends on: what an interrupted run has kept is taken where nothing has changed."""
    made_by = (encoder.name, encoder.weights_sha256, encoder.transform, sorted(encoder.versions.items()))
    rows = [(item.path, item.text, item.version) for item in items]
    return hashlib.sha256(repr((source.name, made_by, rows)).encode()).hexdigest()[:32]


def _write_part(file: Path, count: int, prepared: Iterator[PreparedGroup], encoder: EmbeddingEncoder) -> None:
    """Take the prepared groups of one part, encode them and keep the result."""
    features: list[Features] = []
    reasons: dict[int, str] = {}
    seen = 0
    while seen < count:
        group = next(prepared)
        reasons |= {seen + row: why for row, why in group.bad.items()}
        seen += group.count
        if len(group.good):
            features.append(encoder.encode(group.good))
            if not np.isfinite(features[-1]).all():
                raise ValueError(f"{encoder.name}: a feature is not finite; check its preprocessing")
    rows = np.concatenate(features) if features else np.empty((0, 0), np.float32)
    # Not flushed to the disk, which would take most of the time: a part that a crash of the machine damages is encoded
    # again.
    beside = file.with_suffix(".tmp")
    with beside.open("wb") as stream:
        np.savez(stream, rows=rows, bad=np.frombuffer(json.dumps(reasons).encode(), np.uint8))
    beside.replace(file)


def _is_whole(file: Path) -> bool:
    """True if a kept part is there and undamaged: the archive has checksums."""
    try:
        _part(file)
    except (*ZIP_ERRORS, FileNotFoundError):
        return False
    return True


def _part(file: Path) -> tuple[Features, dict[int, str]]:
    """Features of a kept part, and the reasons of its bad items by row."""
    with file.open("rb") as stream, np.load(stream) as kept:
        return kept["rows"], {int(row): why for row, why in json.loads(kept["bad"].tobytes()).items()}
