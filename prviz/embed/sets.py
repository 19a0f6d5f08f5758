"""Embeds several sets of pictures, such as one folder per model, each into its own file of
features.

A file of features is written again only if its set of pictures or the encoder has changed.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from prviz.embed.base import EmbeddingEncoder
from prviz.embed.run import UNLIKE, Embedded, embed, used_bits
from prviz.embed.sources import EmbeddingSource, PictureFolder, open_source, sub_folders
from prviz.embed.workers import ItemWorkers
from prviz.readers import table_beside
from prviz.readers.atomic_files import write_whole
from prviz.readers.errors import listed, one_line, quoted

# In a folder of models, archives with these extensions count as sets of pictures.
ARCHIVES = (".zip", ".npz")


@dataclass(frozen=True)
class PictureSet:
    """A set of pictures, and the path for the file of its features."""

    source: EmbeddingSource
    out: Path


@dataclass(frozen=True)
class SetFile:
    """A written file of features.

    kept : True if an earlier call wrote the file and nothing has changed since.
    """

    out: Path
    found: Embedded
    kept: bool


def sets_in(folder: Path, out: Path) -> tuple[list[PictureSet], list[str]]:
    """One set for each sub-folder with pictures, each .zip and each .npz in a folder; and notes on
    what was left out.

    Raises
    ------
    ValueError : no set, or two sets with the same name.
    """
    if not folder.is_dir():
        raise ValueError(
            f"{one_line(folder)}: a folder with a sub-folder of pictures for each model is needed"
        )
    sources: list[EmbeddingSource] = []
    empty: list[str] = []
    for path in sorted(folder.iterdir()):
        inside = path.is_dir() or path.suffix.lower() in ARCHIVES
        if path.name.startswith(".") or not inside:
            continue
        try:
            sources.append(open_source(path))
        except ValueError:
            empty.append(path.name)
    if not sources:
        raise ValueError(
            f"{one_line(folder)}: no sub-folder, .zip or .npz of pictures there; leave --each out"
            " for pictures that are directly in it"
        )
    notes: list[str] = []
    if empty:
        notes.append(f"no pictures in {listed(empty)}")
    if loose := _loose(folder):
        pictures = "1 picture"
        if loose != 1:
            pictures = f"{loose:,} pictures"
        notes.append(
            f"{pictures} directly in {one_line(folder.name)}, left out: --each takes sub-folders"
        )
    return named_sets(sources, out), notes


def _loose(folder: Path) -> int:
    try:
        return sub_folders(open_source(folder).items)[""]
    except ValueError:
        return 0


def named_sets(sources: Sequence[EmbeddingSource], out: Path) -> list[PictureSet]:
    """The sets, each with its own file of features in the folder ``out``.

    Raises ValueError if two sets would share a file.
    """
    names = [_stem(each) for each in sources]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(
            f"several sets are called {quoted(twice[0])}; rename one, as each needs its own file"
        )
    return [
        PictureSet(source, out / f"{name}.safetensors")
        for source, name in zip(sources, names, strict=True)
    ]


def _stem(source: EmbeddingSource) -> str:
    """Stem of a set's file: the name of its folder, or of its archive without the extension."""
    if isinstance(source, PictureFolder):
        return source.name
    return Path(source.name).stem


def embed_sets(
    sets: Sequence[PictureSet],
    encoder: EmbeddingEncoder,
    *,
    skip_bad: bool = False,
    bits: int | None = None,
    progress: Callable[[float], object] | None = None,
    done: Callable[[SetFile], object] = lambda _: None,
) -> list[SetFile]:
    """Embed every set with one encoder, which is fitted to the first set if it must be fitted.

    A file is kept if an earlier call with the same arguments wrote it from unchanged pictures. By
    default ``bits`` is the number of bits that the largest value in all sets needs. ``done`` is
    called with each file as it is finished. Raises the errors of `prviz.embed.run.embed`, with the
    name of the set.
    """
    if bits is None:
        found = [_bits(each.source, encoder) for each in sets]
        bits = max((each for each in found if each is not None), default=None)
    files: list[SetFile] = []
    total = sum(len(each.source.items) for each in sets)
    before = 0
    for each in sets:
        count = len(each.source.items)

        def report(share: float, before: int = before, count: int = count) -> None:
            if progress is not None:
                progress((before + share * count) / total)

        kept = None
        if not encoder.fits:
            kept = _kept(each, encoder, bits, skip_bad)
        if kept is None:
            each.out.parent.mkdir(parents=True, exist_ok=True)
            try:
                made = embed(
                    each.source, encoder, each.out, skip_bad=skip_bad, bits=bits, progress=report
                )
            except ValueError as error:
                raise ValueError(f"{each.source.name}: {error}") from None
            _keep(each, encoder, bits, skip_bad, made)
            files.append(SetFile(each.out, made, kept=False))
        else:
            files.append(SetFile(each.out, kept, kept=True))
        done(files[-1])
        before += count
    return files


def _bits(source: EmbeddingSource, encoder: EmbeddingEncoder) -> int | None:
    if source.kind != "pictures":
        return None
    with ItemWorkers(source, encoder.prepare, None) as workers:
        return used_bits(workers, None)


def common_notes(files: Sequence[SetFile]) -> list[str]:
    """All files' notes without repetition; a note that some files lack begins with the names of its
    sets.
    """
    by_note: dict[str, list[str]] = {}
    for each in files:
        for note in each.found.notes:
            by_note.setdefault(note, []).append(each.out.stem)
    lines: list[str] = []
    for note, names in by_note.items():
        lines.append(note if len(names) == len(files) else f"{listed(names, most=3)}: {note}")
    return lines


def sizes_note(reference: SetFile, others: Sequence[SetFile]) -> str:
    """A warning if some sets have pictures of a very different size than the reference; else ""."""
    own = reference.found.side
    unlike = [
        each for each in others if max(own, each.found.side) >= UNLIKE * min(own, each.found.side)
    ]
    if not own or not unlike:
        return ""
    first = unlike[0].found.side
    names = listed((each.out.stem for each in unlike), most=1)
    return (
        f"pictures of very different sizes: shorter sides of {own:,} pixels in the reference, of"
        f" {first:,} in {names}; what resizing does to each is then a part of the difference"
    )


# ---- files that an earlier call wrote ----


def _record(each: PictureSet) -> Path:
    return each.out.with_name(f".{each.out.name}.made")


def _made_by(each: PictureSet, encoder: EmbeddingEncoder, bits: int | None, skip_bad: bool) -> str:
    """Hash of the items, the encoder and the options from which a file of features is computed."""
    rows = [(item.path, item.label, item.text, item.version) for item in each.source.items]
    by = (
        encoder.name,
        encoder.weights_sha256,
        encoder.transform,
        sorted(encoder.versions.items()),
        bits,
        skip_bad,
    )
    return hashlib.sha256(repr((each.source.name, by, rows)).encode()).hexdigest()


def _states(each: PictureSet) -> list[list[int]]:
    """Size and modification time of the file of features, and of the table beside it."""
    states = [path.stat() for path in (each.out, each.out.with_name(table_beside(each.out.name)))]
    return [[state.st_size, state.st_mtime_ns] for state in states]


def _keep(
    each: PictureSet, encoder: EmbeddingEncoder, bits: int | None, skip_bad: bool, found: Embedded
) -> None:
    held: dict[str, Any] = {
        "made_by": _made_by(each, encoder, bits, skip_bad),
        "states": _states(each),
    }
    held |= {"n": found.n, "d": found.d, "bad": found.bad, "notes": found.notes, "side": found.side}
    write_whole(_record(each), json.dumps(held).encode())


def _kept(
    each: PictureSet, encoder: EmbeddingEncoder, bits: int | None, skip_bad: bool
) -> Embedded | None:
    """The result of an earlier call for this set; None if there is none, or if its inputs or its
    files have changed since.
    """
    try:
        held = json.loads(_record(each).read_bytes())
        if held["made_by"] != _made_by(each, encoder, bits, skip_bad) or held["states"] != _states(
            each
        ):
            return None
        kept = Embedded(
            int(held["n"]),
            int(held["d"]),
            dict(held["bad"]),
            tuple(held["notes"]),
            int(held["side"]),
        )
    except (OSError, ValueError, TypeError, LookupError, RecursionError):
        return None
    return kept


def without_sets_note(source: EmbeddingSource) -> EmbeddingSource:
    """The picture folder without its note on sub-folders; for a caller that takes sub-folders as
    labels.
    """
    if isinstance(source, PictureFolder):
        return replace(source, notes=())
    return source
