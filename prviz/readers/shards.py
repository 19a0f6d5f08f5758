"""Folders that hold one set: numbered files, such as ``img_emb_0.npy`` and ``img_emb_1.npy``, or
one file for each sample.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from prviz.array_input import EMBED_PICTURES
from prviz.readers.arrays import check_counts
from prviz.readers.conversion import refuse_container
from prviz.readers.errors import ReadError, listed, literal, quoted
from prviz.readers.paths import leads_nowhere
from prviz.readers.source import (
    ACCEPTED,
    ACCEPTED_TEXT,
    PICKLE_EXTENSIONS,
    Limits,
    check_claim,
    refuse_pickles,
    table_beside,
    unreadable,
)
from prviz.samples import Samples

# Fewest files of one shape (d, 1) that are refused, as each may be one sample; fewer are read as
# parts of one column.
_FEW = 8
_DIGITS = re.compile(r"(\d+)")
# Words before a number in a file name that say it counts the parts of a set.
PARTS = "rank|gpu|proc|process|worker|host|node|device|shard|part|chunk|batch|block"
_BEFORE_PARTS = re.compile(rf"(?<![a-z])({PARTS})[-_= ]*$")
# Recipe that joins HDF5 files, each with one or more samples, to one set.
_HDF5 = (
    "import glob, h5py, prviz.readers  # pip install h5py\n"
    "prviz.readers.save_arrays([dict(h5py.File(name)) for name in sorted(glob.glob({pattern}))], "
    "{saved})"
)
# Extension of files of other programs -> recipe that joins them to one set.
_EACH = {
    ".h5": _HDF5,
    ".hdf5": _HDF5,
    ".mat": (
        "import glob, prviz.readers, scipy.io\nnames = sorted(glob.glob({pattern}))\n"
        "held = [scipy.io.loadmat(name, simplify_cells=True) for name in names]\n"
        "prviz.readers.save_arrays(held, {saved})"
    ),
    ".json": (
        "import glob, json, prviz.readers\n"
        "prviz.readers.save_arrays([json.load(open(name)) for name in "
        "sorted(glob.glob({pattern}))], {saved})"
    ),
    ".txt": (
        "import glob, numpy as np\n"
        "np.save({saved}, np.stack([np.loadtxt(name).ravel() for name in "
        "sorted(glob.glob({pattern}))]))"
    ),
}
# What operating systems add to the name of a file when they copy it.
_COPY = re.compile(r"( \(\d+\)| - copy( \(\d+\))?|[ _]copy( \d+)?)(?=\.[^.]+$)", re.IGNORECASE)
# The number of a part and the number of parts in a file name, such as -00003-of-00010.
_OF = re.compile(r"(\d+)([-_ ]?of[-_ ]?)(\d+)", re.IGNORECASE)
# Largest share of missing numbers for which files count as missing; if more are missing, the files
# are numbered in steps.
_GAPS = 0.1
# Names of columns that tell sets apart. A table split into folders by such a column (Hive) is not
# read as one set.
_SETS = re.compile(
    r"roles?|sources?|origins?|data_?sets?|split|subset|(.*_)?(models?|generators?|methods?)|kind"
    r"|type"
    r"|is_?(real|generated|fake|synthetic)|real|fake|generated|synthetic|steps?|epochs?"
    r"|checkpoints?|ckpt|runs?|seeds?",
    re.IGNORECASE,
)
# Most bytes read of state.json, the list of files of a Hugging Face data set.
_LONGEST_STATE = 1 << 20
# Names of clip-retrieval's folders of embeddings; each folder is a set of its own.
_CLIP = re.compile(r"(img|text)_emb(_\d+)?")
_CHECKPOINTS = re.compile(
    r"(?<![a-z])(steps?|epochs?|iter(ation)?s?|ckpt|checkpoint|snapshot|kimg)[-_= ]*\d",
    re.IGNORECASE,
)


def read_shards(
    folder: Path, read: Callable[..., Samples], name: str | None, limits: Limits
) -> Samples:
    """The samples of all files in a folder, in the order of their numbers, with the labels that all
    files have.

    An array (d,) is one sample. If every file holds one sample, the names of the files are free.

    read : reads one file within the given limits. limits : apply to each file and to all files
        together.

    Raises
    ------
    ReadError : no files of one name with one running number; files that don't fit together; more
    than the limit.
    """
    where = quoted(folder.name)
    parts: list[Samples] = []
    claimed = 0
    files, misnamed = _ordered(folder, where)
    for path in files:
        part = read(path, limits=replace(limits, min_rows=1, one_sample=True))
        if misnamed is not None and part.n > 1:
            raise misnamed
        claimed += part.values.nbytes
        check_claim(where, claimed, replace(limits, file_bytes=0))
        first = parts[0] if parts else part
        if part.d != first.d or part.encoder != first.encoder:
            what = (
                f"{part.d} features by {part.encoder.get('encoder', 'an encoder without a name')}"
            )
            raise ReadError(
                f"{where}: {quoted(part.name)} has {what}, {quoted(first.name)} has {first.d}. All "
                "files of one set must come from the same encoder."
            )
        parts.append(_in_order(part, first, where))
    _refuse_columns(folder, files, parts, where)
    values = np.concatenate([part.values for part in parts])
    if misnamed is not None and len(values) < limits.min_rows:
        raise misnamed
    check_counts(where, len(values), values.shape[1], limits)
    values.flags.writeable = False
    shared = [label for label in first.labels if all(label in part.labels for part in parts)]
    labels = {label: np.concatenate([part.labels[label] for part in parts]) for label in shared}
    groups = [part.groups for part in parts if part.groups is not None]
    notes = chain.from_iterable(part.notes for part in parts)
    return Samples(
        values,
        folder.name if name is None else name,
        labels,
        encoder=first.encoder,
        features=first.features,
        groups=np.concatenate(groups) if len(groups) == len(parts) else None,
        notes=(*dict.fromkeys(notes), *_folder_notes(folder, files, parts)),
    )


def _in_order(part: Samples, first: Samples, where: str) -> Samples:
    """Samples of one file with their features in the order of the first file. Raises ReadError if
    it has other features.
    """
    own = part.features
    if own == first.features or not (own and first.features):
        return part
    alone = [name for name in own if name not in set(first.features)]
    missing = [name for name in first.features if name not in set(own)]
    if alone or missing:
        raise ReadError(
            f"{where}: {quoted(part.name)} has other features than {quoted(first.name)}: "
            f"{listed(alone or missing)} {'there alone' if alone else 'missing'}. All files of one "
            "set need the same columns."
        )
    places = list(map(own.index, first.features))
    return replace(part, values=part.values[:, places], features=first.features)


def _refuse_columns(
    folder: Path, files: Sequence[Path], parts: Sequence[Samples], where: str
) -> None:
    """Raise ReadError for arrays (d, 1) of one length: each may be one sample, or one feature of
    all samples.
    """
    d = parts[0].n
    if {part.values.shape for part in parts} != {(d, 1)} or d < 2 or len(files) < _FEW:
        return
    ending = files[0].suffix
    module = "numpy as np"
    call = "np.load(name)"
    if ending != ".npy":
        module += ", prviz"
        call = "prviz.read(name).values"
    raise ReadError(
        f"{where}: {len(files)} arrays of shape ({d}, 1). If they are {len(files) * d} samples of "
        f"one feature, save them as one array; if each is one sample of {d} features, these lines "
        f"join them:\nimport glob, {module}\n"
        f"np.save({literal(f'{folder}.npy')}, np.stack([{call}.ravel() for name in "
        f"sorted(glob.glob({literal(f'{folder}/*{ending}')}))]))"
    )


def _folder_notes(folder: Path, files: Sequence[Path], parts: Sequence[Samples]) -> tuple[str, ...]:
    """Notes on files of a folder that may be missing from the set, or may not belong to it."""
    totals = {match[3] for each in files if (match := _OF.search(each.name))}
    if len(totals) == 1 and len(files) > 1 and int(total := totals.pop()) > len(files):
        return (f"{len(files)} of {int(total)} files are there, the others are missing",)
    if any(each.parent != folder for each in files):
        inside = sorted({each.parent.name for each in files})
        return (f"read as one set: the rows of {listed(inside, most=4)}",)
    split = zip(*(_DIGITS.split(each.name) for each in files), strict=False)
    running = [column for column in map(set, split) if len(column) > 1]
    if len(running) != 1 or all(part.n == 1 for part in parts):
        return ()
    missing = _gaps(set(map(int, running[0])))
    if not missing:
        return ()
    return (f"no file has the number {', '.join(map(str, missing))}; are samples missing?",)


def _gaps(numbers: set[int]) -> list[int]:
    """The missing numbers of a series if they are few; [] if so many are missing that the files
    must be numbered in steps.
    """
    least = min(numbers)
    if max(numbers) - least > 2 * len(numbers):
        return []
    missing = sorted(set(range(least, max(numbers))) - numbers)
    if len(missing) <= max(1, _GAPS * len(numbers)):
        return missing
    return []


def _numbered(path: Path) -> tuple[list[str], list[int]]:
    """A file name split into its words and the numbers between them."""
    parts = _DIGITS.split(path.stem + path.suffix.lower())
    return parts[::2], list(map(int, parts[1::2]))


def _visible(folder: Path) -> list[Path]:
    """Files and folders in a folder, sorted, without hidden ones."""
    return sorted(each for each in folder.iterdir() if each.name[0] != ".")


def _read_files(inside: Iterable[Path]) -> list[Path]:
    """The files whose extension can be read as samples."""
    return [each for each in inside if each.name.lower().endswith(ACCEPTED) and each.is_file()]


def _refuse_lost(inside: Iterable[Path], where: str) -> None:
    """Raise ReadError if there are dangling links, whose samples would be missing."""
    lost = [each.name for each in inside if leads_nowhere(each)]
    if lost:
        them = "them"
        what = "are links"
        if len(lost) == 1:
            them = "it"
            what = "is a link"
        raise ReadError(
            f"{where}: {listed(lost, most=4)} {what} to what is not there. Fetch {them}, or take "
            f"{them} out of the folder."
        )


def _ordered(folder: Path, where: str) -> tuple[list[Path], ReadError | None]:
    """The files of a folder in the order of their numbers, and the error to raise unless each file
    holds one sample (None if there is none).
    """
    try:
        inside = _visible(folder)
    except OSError as error:
        raise unreadable(where, error) from error
    files = _read_files(inside)
    _refuse_lost(inside, where)
    tables = {table_beside(each.name) for each in files}
    files = [each for each in files if each.name not in tables]
    if not files and (rows := _hive(inside)):
        return rows, None
    if not files:
        raise _nothing(folder, inside, where)
    kept = _hugging_face(folder)
    if kept is not None:
        files = [each for each in files if each.name in kept] or files
    files.sort(key=_numbered)
    if len(files) == 1:
        return files, None
    names = [each.name for each in files]
    # The name without the mark of a copy is that of another file.
    copies = [name for name in names if _COPY.search(name) and _COPY.sub("", name) in names]
    if copies:
        raise ReadError(
            f"{where}: {listed(copies, most=4)} is named like a copy of another file there. "
            f"Remove the copies."
        )
    if not _differ_by_one_number(list(map(_numbered, files))):
        return files, _several(folder, files, where)
    if any(_numbered(one) == _numbered(other) for one, other in pairwise(files)):
        raise ReadError(f"{where}: {listed(names)} have a number twice. Remove the copies.")
    if _CHECKPOINTS.search(names[0]):
        return files, ReadError(
            f"{where}: a folder of checkpoints ({quoted(names[0])} ...), not of one set. Compare "
            "them with prviz triage REAL FOLDER, or name one file."
        )
    return files, None


def _several(folder: Path, files: Sequence[Path], where: str) -> ReadError:
    """Error for a folder of files whose names are not those of parts of one set."""
    if all(each.suffix == ".npy" for each in files):
        families = Counter("*".join(_numbered(each)[0]) for each in files)
        pattern, most = families.most_common(1)[0]
        which = "all files are"
        if most == 1 or len(families) == 1:
            pattern = "*.npy"
        else:  # others may be files of labels, or of other features
            which = f"{literal(pattern)} are"
        end = (
            f". If {which} one set, these lines make one file of it:\nimport glob, numpy as np\n"
            f"np.save({literal(f'{folder}.npy')}, np.concatenate([np.load(name) for name in "
            f"sorted(glob.glob({literal(f'{folder}/{pattern}')}))]))"
        )
    else:
        end = "."
    return ReadError(
        f"{where}: a folder of {listed((each.name for each in files), most=4)}. Name one file; a "
        "folder is read as one set where its files differ by one running number alone, such as "
        f"img_emb_0.npy and img_emb_1.npy, or by the numbers of rank and batch{end}"
    )


def _hive(inside: Sequence[Path]) -> list[Path]:
    """The files of one table that is split into folders by the values of a column (Hive); [] if
    that column tells sets apart.
    """
    folders = [each for each in inside if each.is_dir() and "=" in each.name]
    if not folders or any(_SETS.fullmatch(each.name.partition("=")[0]) for each in folders):
        return []
    found: list[Path] = []
    for folder in folders:
        kept = [each for each in _visible(folder) if each.name[0] != "_"]
        found += _read_files(kept)
        deeper = list(filter(Path.is_dir, kept))
        rows = _hive(deeper)
        if deeper and not rows:
            return []
        found += rows
    return found


def _differ_by_one_number(names: Sequence[tuple[list[str], list[int]]]) -> bool:
    """True if file names differ by one running number, or by two of which one counts parts, such as
    rank and batch.
    """
    words = names[0][0]
    if any(each != words for each, _ in names):
        return False
    columns = enumerate(zip(*(numbers for _, numbers in names), strict=True))
    before = [words[place].lower() for place, column in columns if len(set(column)) > 1]
    if len(before) != 2:
        return len(before) == 1
    return any(map(_BEFORE_PARTS.search, before)) and not any(
        word.endswith("of-") for word in before
    )


def _hugging_face(folder: Path) -> frozenset[str] | None:
    """Names of the files of a Hugging Face data set, from the list in its folder; None for a folder
    without that list.
    """
    try:
        with (folder / "state.json").open("rb") as stream:
            held = json.loads(stream.read(_LONGEST_STATE))
        return frozenset(str(each["filename"]) for each in held["_data_files"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _nothing(folder: Path, inside: Sequence[Path], where: str) -> ReadError:
    """Error for a folder without embeddings."""
    if error := _other_folder(folder, inside, where):
        return error
    folders = list(filter(Path.is_dir, inside))
    sets = [each.name for each in folders if _CLIP.fullmatch(each.name)]
    if sets:
        return ReadError(
            f"{where}: a folder of clip-retrieval, with the sets {listed(sets)}. Name one of "
            f"these folders inside it."
        )
    held = [
        each
        for each in folders
        if any(path.name.lower().endswith(ACCEPTED) for path in _visible(each))
    ]
    if len(held) == 1:
        return ReadError(
            f"{where}: its files are in a folder inside it. Give that: {literal(str(held[0]))}."
        )
    endings = {each.suffix.lower() for each in inside}
    for ending, lines in _EACH.items():
        if ending in endings:
            saved = literal(f"{folder}.{'npy' if ending == '.txt' else 'npz'}")
            return ReadError(
                f"{where}: a folder of {ending} files. If each holds one sample or several, these "
                f"lines make one set of them:\n"
                + lines.format(pattern=literal(f"{folder}/*{ending}"), saved=saved)
            )
    if any(next(each.glob("*.npy"), None) for each in folders):
        return ReadError(
            f"{where}: a folder of folders of arrays. If all of them are one set, a sample (d,) or "
            "several (n, d) each, these lines make one file of it:\nimport glob, numpy as np\n"
            f"names = sorted(glob.glob({literal(f'{folder}/**/*.npy')}, recursive=True))\n"
            f"np.save({literal(f'{folder}.npy')}, np.concatenate([np.atleast_2d(np.load(name)) "
            f"for name in names]))"
        )
    if ".tar" in endings:
        return ReadError(
            f"{where}: a folder of tar archives, such as WebDataset's. Extract them; embed their "
            f"pictures ({EMBED_PICTURES}), or stack their arrays into one .npy array."
        )
    return ReadError(
        f"{where}: a folder without files of embeddings ({ACCEPTED_TEXT}). A folder of pictures is "
        f"embedded first: {EMBED_PICTURES}."
    )


def _other_folder(folder: Path, inside: Sequence[Path], where: str) -> ReadError | None:
    """Error for a folder in another program's format, or with several sets in folders of their
    own.
    """
    names = {each.name for each in inside}
    extension = folder.suffix.lower()
    if "zarr.json" in names or any((folder / name).exists() for name in (".zgroup", ".zarray")):
        extension = ".zarr"
        if "obsm" in names:
            extension = ".h5ad.zarr"
    elif {"_versions", "data"} <= names:
        extension = ".lance"
    if error := refuse_container(where, str(folder), extension, lambda _: b"", 0):
        return error
    folders = list(filter(Path.is_dir, inside))
    partitions = [each.name for each in folders if "=" in each.name]
    kept = [
        each.name for each in folders if (each / "state.json").exists() or each.suffix == ".lance"
    ]
    for what, found in (("folders of rows by a column (Hive)", partitions), ("data sets", kept)):
        if found:
            example = literal(str(folder / found[0]))
            return ReadError(
                f"{where}: holds {what}, {listed(found)}. Name one of these folders, such as "
                f"{example}."
            )
    endings = Counter(each.suffix.lower() for each in inside)
    pickles = [ending for ending, _ in endings.most_common() if ending in PICKLE_EXTENSIONS]
    if pickles:
        return refuse_pickles(where, str(folder), pickles[0])
    return None
