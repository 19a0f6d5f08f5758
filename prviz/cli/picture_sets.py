"""Pictures in the shell: features of every folder of models, and of what ``prviz triage --encoder``
names.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prviz.cli.terminal import print_above, watched
from prviz.readers.errors import one_line

if TYPE_CHECKING:
    from prviz.embed.base import EmbeddingEncoder
    from prviz.embed.sets import PictureSet, SetFile
    from prviz.embed.sources import EmbeddingSource


def add_pictures(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options of pictures that are embedded on the way."""
    group = parser.add_argument_group(
        "of pictures, to be embedded first: REFERENCE, CHECKPOINTS and --holdout"
    )
    add = group.add_argument
    add_encoder(add)
    add(
        "--keep",
        type=Path,
        metavar="DIR",
        help=(
            "folder that keeps the features, used again while the pictures are the same (default:"
            " beside CHECKPOINTS, named after them and the encoder)"
        ),
    )


def add_encoder(add: Callable[..., object]) -> None:
    """Add the options ``--encoder``, ``--weights`` and ``--skip-bad`` by this ``add_argument``."""
    add(
        "--encoder",
        metavar="ENCODER",
        help="such as pixels:32 or network.onnx; see prviz embed --list",
    )
    add(
        "--weights",
        type=Path,
        metavar="FILE",
        help="of timm: their file; of pca: the embedded reference, whose components are used",
    )
    add("--skip-bad", action="store_true", help="leave out what can't be read")


def bits_number(text: str) -> int:
    """Bits of a value, from 1 to 16. Raises argparse.ArgumentTypeError for any other text."""
    if text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= 16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of bits from 1 to 16")


def embed_each(
    folder: Path, out: Path, encoder: EmbeddingEncoder, *, skip_bad: bool, bits: int | None
) -> None:
    """One file for each set in a folder of models, as `prviz embed --each` prints them."""
    from prviz.embed.sets import common_notes, embed_sets, sets_in

    sets, notes = sets_in(folder, out)
    if encoder.fits:
        raise ValueError(
            f"--encoder {encoder.name} is fitted on the reference: embed that alone first, and name"
            " its file here, --weights REFERENCE.safetensors"
        )
    with watched(None) as line:
        files = embed_sets(
            sets,
            encoder,
            skip_bad=skip_bad,
            bits=bits,
            progress=line,
            done=lambda each: print_above(line, file_text(each, encoder.name), sys.stdout),
        )
    for note in (*notes, *common_notes(files)):
        sys.stdout.write(f"Note: {one_line(note)}\n")


def file_text(each: SetFile, encoder: str) -> str:
    """The line on a written file."""
    found = each.found
    bad = f", {len(found.bad)} bad left out" if found.bad else ""
    verb = "kept" if each.kept else "wrote"
    return f"{verb} {one_line(each.out)}: {found.n} x {found.d} by {one_line(encoder)}{bad}"


def embed_arguments(arguments: argparse.Namespace) -> None:
    """Replace the pictures among REFERENCE, CHECKPOINTS and --holdout by files of their features.

    Raises
    ------
    ValueError : none of them are pictures, or as `prviz.embed.sets.embed_sets`.
    """
    from prviz.embed.base import EncoderOptions
    from prviz.embed.registered import load_encoder
    from prviz.embed.sets import common_notes, embed_sets, named_sets, sizes_note

    encoder = load_encoder(arguments.encoder, EncoderOptions(weights=arguments.weights))
    keep = arguments.keep or _beside(arguments.checkpoints[0], encoder.name)
    reference = _pictures(arguments.reference)
    holdout = None if arguments.holdout is None else _pictures(arguments.holdout)
    sets: list[PictureSet] = []
    if reference is not None:
        sets += named_sets([reference], keep / "reference")
    if holdout is not None:
        sets += named_sets([holdout], keep / "holdout")
    models, others, notes = _models(arguments.checkpoints, reference, keep)
    if not sets and not models:
        raise ValueError(
            f"--encoder {arguments.encoder}: neither REFERENCE nor CHECKPOINTS are pictures; leave"
            " --encoder out for files of features"
        )
    with watched(None) as line:
        files = embed_sets(
            [*sets, *models],
            encoder,
            skip_bad=arguments.skip_bad,
            progress=line,
            done=lambda each: print_above(line, file_text(each, encoder.name)),
        )
    known = {each.out: each for each in files}
    if reference is not None:
        arguments.reference = sets[0].out
        notes.append(sizes_note(known[sets[0].out], [known[each.out] for each in models]))
    if holdout is not None:
        arguments.holdout = sets[-1].out
    arguments.checkpoints = [*others, *(each.out for each in models)]
    for note in (*notes, *common_notes(files)):
        if note:
            print_above(None, f"Note: {one_line(note)}")


def _models(
    paths: Sequence[Path], reference: EmbeddingSource | None, keep: Path
) -> tuple[list[PictureSet], list[Path], list[str]]:
    """Sets of pictures, files of features among ``paths``, and notes on how folders were read."""
    from prviz.embed.sets import named_sets, sets_in

    sources: list[EmbeddingSource] = []
    others: list[Path] = []
    notes: list[str] = []
    for path in paths:
        whole = _pictures(path)
        if path.is_dir() and not _are_labels(whole, reference):
            try:
                sets, said = sets_in(path, keep)
            except ValueError:  # no sub-folders of pictures
                sets = []
                said = []
            if sets:
                sources += [each.source for each in sets]
                notes += said
                continue
        elif path.is_dir():
            notes.append(
                f"{path.name} is one set: its sub-folders are called as those of the reference,"
                " labels"
            )
        if whole is None:
            others.append(path)
        else:
            sources.append(whole)
    return named_sets(sources, keep), others, notes


def _are_labels(source: EmbeddingSource | None, reference: EmbeddingSource | None) -> bool:
    """True if most sub-folders of a folder are called as sub-folders of the reference."""
    from prviz.embed.sources import sub_folders

    if source is None or reference is None:
        return False
    names, own = (set(sub_folders(each.items)) - {""} for each in (source, reference))
    return bool(names) and len(names & own) >= len(names) / 2


def _pictures(path: Path) -> EmbeddingSource | None:
    """The pictures at a path as one set; None for anything else, which is read as features."""
    from prviz.embed.sets import ARCHIVES, without_sets_note
    from prviz.embed.sources import open_source

    if not path.is_dir() and path.suffix.lower() not in (*ARCHIVES, ".npy"):
        return None
    try:
        return without_sets_note(open_source(path))
    except ValueError:
        if path.suffix.lower() == ".zip":
            raise
        return None


def _beside(path: Path, encoder: str) -> Path:
    """The folder of features beside checkpoints."""
    path = path if path.name not in ("", "..") else path.resolve()
    name = "".join(each if each.isalnum() or each in "._-" else "-" for each in encoder)
    return path.with_name(f"{path.name}-{name}")
