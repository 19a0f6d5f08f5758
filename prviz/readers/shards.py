"""Folders that hold one set of samples in numbered files, such as ``img_emb_0.npy``, ``img_emb_1.npy``."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from prviz.array_input import EMBED_PICTURES
from prviz.readers.arrays import check_counts
from prviz.readers.errors import ReadError, listed, quoted
from prviz.readers.source import ACCEPTED, ACCEPTED_TEXT, Limits, check_claim, table_beside, unreadable
from prviz.samples import Samples

_DIGITS = re.compile(r"(\d+)")
# Sub-folders of clip-retrieval with embeddings, and words of files that are sets of their own.
_CLIP = re.compile(r"(img|text)_emb(_\d+)?")
_CHECKPOINTS = re.compile(
    r"(?<![a-z])(steps?|epochs?|iter(ation)?s?|ckpt|checkpoint|snapshot|kimg)[-_= ]*\d", re.IGNORECASE
)


def read_shards(folder: Path, read: Callable[..., Samples], name: str | None, limits: Limits) -> Samples:
    """The samples of all files in a folder, in the order of their numbers, with the labels that they share.

    read : reads one file within the limits that it is called with. limits : for every file, and for all together.

    Raises
    ------
    ReadError : no files of one name with one running number; files that don't fit together; more than the limit.
    """
    where = quoted(folder.name)
    parts: list[Samples] = []
    claimed = 0
    for path in _ordered(folder, where):
        parts.append(read(path, limits=replace(limits, min_rows=1)))
        claimed += parts[-1].values.nbytes
        check_claim(where, claimed, replace(limits, file_bytes=0))
        if parts[-1].d != parts[0].d or parts[-1].encoder != parts[0].encoder:
            what = f"{parts[-1].d} features by {parts[-1].encoder.get('encoder', 'an encoder without a name')}"
            raise ReadError(
                f"{where}: {quoted(parts[-1].name)} has {what}, {quoted(parts[0].name)} has {parts[0].d}. All files of "
                "one set must come from the same encoder."
            )
    values = np.concatenate([part.values for part in parts])
    check_counts(where, len(values), values.shape[1], limits)
    values.flags.writeable = False
    shared = [label for label in parts[0].labels if all(label in part.labels for part in parts)]
    labels = {label: np.concatenate([part.labels[label] for part in parts]) for label in shared}
    groups = [part.groups for part in parts if part.groups is not None]
    return Samples(
        values,
        folder.name if name is None else name,
        labels,
        encoder=parts[0].encoder,
        features=parts[0].features,
        groups=np.concatenate(groups) if len(groups) == len(parts) else None,
    )


def _ordered(folder: Path, where: str) -> list[Path]:
    """The files of the one set in a folder, by their running number."""
    try:
        inside = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError as error:
        raise unreadable(where, error) from error
    files = [each for each in inside if each.name.lower().endswith(ACCEPTED) and each.is_file()]
    tables = {table_beside(each.name) for each in files}
    files = [each for each in files if each.name not in tables]
    if not files:
        raise _nothing(inside, where)
    if len(files) == 1:
        return files
    split = {each: _DIGITS.split(each.name) for each in files}
    numbers = {path: [int(part) for part in parts[1::2]] for path, parts in split.items()}
    alike = len({tuple(parts[::2]) for parts in split.values()}) == 1
    if not alike or sum(len(set(column)) > 1 for column in zip(*numbers.values(), strict=True)) != 1:
        raise ReadError(
            f"{where}: a folder of {listed((each.name for each in files), most=4)}. Name one file; a folder is read as "
            "one set where its files differ by one running number alone, such as img_emb_0.npy and img_emb_1.npy."
        )
    if len({tuple(each) for each in numbers.values()}) < len(files):
        raise ReadError(f"{where}: {listed(each.name for each in files)} have a number twice. Remove the copies.")
    if _CHECKPOINTS.search(files[0].name):
        raise ReadError(
            f"{where}: a folder of checkpoints ({quoted(files[0].name)} ...), not of one set. Compare them with prviz "
            "triage REAL FOLDER, or name one file."
        )
    return sorted(files, key=numbers.__getitem__)


def _nothing(inside: Sequence[Path], where: str) -> ReadError:
    """Error for a folder without files of embeddings."""
    sets = [each.name for each in inside if _CLIP.fullmatch(each.name) and each.is_dir()]
    if sets:
        return ReadError(
            f"{where}: a folder of clip-retrieval, with the sets {listed(sets)}. Name one of these folders inside it."
        )
    if any(each.suffix.lower() == ".tar" for each in inside):
        return ReadError(
            f"{where}: a folder of tar archives, such as WebDataset's. Extract them; embed their pictures "
            f"({EMBED_PICTURES}), or stack their arrays into one .npy array."
        )
    return ReadError(
        f"{where}: a folder without files of embeddings ({ACCEPTED_TEXT}). A folder of pictures is embedded "
        f"first: {EMBED_PICTURES}."
    )
