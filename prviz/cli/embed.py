"""``prviz embed``: turns pictures, texts or a saved tensor into a file of features.

All other commands read such files.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

from prviz.checks.flags import flags_of_set
from prviz.cli.terminal import number, print_above, say_flags, watched
from prviz.embed import tensors
from prviz.embed.base import EmbeddingEncoder, EncoderOptions
from prviz.embed.registered import ENCODERS, load_encoder, written
from prviz.embed.run import embed
from prviz.embed.sets import (
    ARCHIVES,
    PictureSet,
    SetFile,
    common_notes,
    embed_sets,
    named_sets,
    sets_in,
    sizes_note,
    without_sets_note,
)
from prviz.embed.sources import EmbeddingSource, open_source, sub_folders
from prviz.readers import Limits, read
from prviz.readers.errors import one_line


def add_pictures(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the options of commands that first embed pictures themselves."""
    group = parser.add_argument_group(
        "if REFERENCE, CHECKPOINTS and --holdout are pictures, to embed them first"
    )
    add = group.add_argument
    add_encoder(add)
    add(
        "--keep",
        type=Path,
        metavar="DIR",
        help=(
            "folder for the features, which are used again while the pictures are the same"
            " (default: beside CHECKPOINTS, named after them and the encoder)"
        ),
    )


def add_encoder(add: Callable[..., object]) -> None:
    """Add the options ``--encoder``, ``--weights`` and ``--skip-bad`` by calling ``add``, which is
    ``parser.add_argument``.
    """
    add(
        "--encoder",
        metavar="ENCODER",
        help="encoder, such as pixels:32 or network.onnx; prviz embed --list shows all",
    )
    add(
        "--weights",
        type=Path,
        metavar="FILE",
        help="file of weights for timm; for pca, the embedded reference, whose components are used",
    )
    add("--skip-bad", action="store_true", help="leave out pictures that can't be read")


def bits_number(text: str) -> int:
    """Bits of a value, from 1 to 16. Raises argparse.ArgumentTypeError for any other text."""
    if text.isascii() and text.isdigit() and len(text) < 3 and 1 <= int(text) <= 16:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of bits from 1 to 16")


def embed_each(
    folder: Path, out: Path, encoder: EmbeddingEncoder, *, skip_bad: bool, bits: int | None
) -> None:
    """Embed the pictures of each sub-folder, .zip or .npz file in a folder into one file of
    features for each (``prviz embed --each``).
    """
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
    """The printed line on a file of features: written now, or kept from before."""
    found = each.found
    bad = ""
    if found.bad:
        bad = f", {len(found.bad)} bad left out"
    verb = "kept" if each.kept else "wrote"
    return f"{verb} {one_line(each.out)}: {found.n} x {found.d} by {one_line(encoder)}{bad}"


def embed_arguments(arguments: argparse.Namespace) -> None:
    """Embed the pictures among REFERENCE, CHECKPOINTS and --holdout, and put the files of features
    in their place in ``arguments``.

    Raises
    ------
    ValueError : none of them are pictures, or as `prviz.embed.sets.embed_sets`.
    """
    encoder = load_encoder(arguments.encoder, EncoderOptions(weights=arguments.weights))
    keep = arguments.keep or _beside(arguments.checkpoints[0], encoder.name)
    reference = _pictures(arguments.reference)
    holdout = None
    if arguments.holdout is not None:
        holdout = _pictures(arguments.holdout)
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
    """The sets of pictures among ``paths``, the other paths, which are files of features, and notes
    on the folders.
    """
    sources: list[EmbeddingSource] = []
    others: list[Path] = []
    notes: list[str] = []
    for path in paths:
        whole = _pictures(path)
        if path.is_dir() and not _are_labels(whole, reference):
            try:
                sets, said = sets_in(path, keep)
            except ValueError:  # the folder has no sub-folders of pictures
                sets = []
                said = []
            if sets:
                sources += [each.source for each in sets]
                notes += said
                continue
        elif path.is_dir():
            notes.append(
                f"{path.name} is one set: its sub-folders have the names of the reference's, so"
                " they are labels"
            )
        if whole is None:
            others.append(path)
        else:
            sources.append(whole)
    return named_sets(sources, keep), others, notes


def _are_labels(source: EmbeddingSource | None, reference: EmbeddingSource | None) -> bool:
    """True if sub-folders are labels: at least half of their names are also in the reference."""
    if source is None or reference is None:
        return False
    names, own = (set(sub_folders(each.items)) - {""} for each in (source, reference))
    return bool(names) and len(names & own) >= len(names) / 2


def _pictures(path: Path) -> EmbeddingSource | None:
    """The pictures at a path as one set; None if there are none (the path is read as features)."""
    if not path.is_dir() and path.suffix.lower() not in (*ARCHIVES, ".npy"):
        return None
    try:
        return without_sets_note(open_source(path))
    except ValueError:
        if path.suffix.lower() == ".zip":
            raise
        return None


def _beside(path: Path, encoder: str) -> Path:
    """Default folder for features: beside the checkpoints, named after them and the encoder."""
    if path.name in ("", ".."):
        path = path.resolve()
    name = "".join(each if each.isalnum() or each in "._-" else "-" for each in encoder)
    return path.with_name(f"{path.name}-{name}")


_TEXT = """Embed a folder, a .zip or an array (.npz, .npy) of pictures, the lines of a .txt, or a
column of a table: FILE holds the features and says how they were made, FILE.samples.parquet also
paths, texts and labels. The same command continues a stopped run. With --each a folder of models
becomes a file for each. A tensor saved by PyTorch (.pt) is converted, without an encoder."""

# Options of commands that read features. prviz embed accepts them only to say that it can't use
# them.
_OF_FEATURES = ("--features", "--drop", "--group")


class _List(argparse.Action):
    """Option that prints the encoders and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print one line per encoder."""
        for each in ENCODERS:
            if each.installed():
                state = ""
            else:
                state = f" (not installed: pip install 'prviz[{each.extra}]')"
            sys.stdout.write(f"{written(each):18}{each.takes}{state}: {each.used}\n")
        parser.exit()


def add_embed(parser: argparse.ArgumentParser) -> None:
    """Give ``parser`` the arguments of ``prviz embed``, and the function that runs it."""
    parser.description = _TEXT
    add = parser.add_argument
    add("source", type=Path, metavar="SOURCE", help="pictures, texts or a saved tensor")
    add(
        "-o",
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="file to write, .safetensors; with --each, a folder",
    )
    add_encoder(add)
    add("--list", action=_List, nargs=0, help="list the encoders, and what papers use for what")
    add(
        "--each",
        action="store_true",
        help=(
            "write one file for each sub-folder, .zip and .npz in SOURCE; a file stays while its"
            " pictures are the same"
        ),
    )
    add("--column", metavar="NAME", help="column of a table with the texts (default: text)")
    add(
        "--key",
        metavar="NAME",
        help="name of the array or tensor, if an .npz or .pt file has several",
    )
    add(
        "--bits",
        type=bits_number,
        metavar="N",
        help=(
            "bits per value of 16-bit pictures, such as 12 for CT; give all sets that are compared"
            " the same (default: as many as the largest value takes)"
        ),
    )
    add("--device", default="cpu", help="where the network runs: cpu or cuda (default: cpu)")
    network = parser.add_argument_group(
        "for an ONNX network; a TOML file of its name may hold them too"
    ).add_argument
    network("--size", type=int, help="side in pixels of the pictures that it takes")
    network(
        "--resize", type=int, help="shorter side before the central square is cut (default: size)"
    )
    network(
        "--interpolation",
        choices=("bilinear", "bicubic", "lanczos"),
        help="method of resizing (default: bilinear)",
    )
    network(
        "--mean",
        type=_numbers,
        help="number to subtract from value / scale, or three with commas, one for each channel",
    )
    network(
        "--std", type=_numbers, help="divisor after the mean is subtracted, one number or three"
    )
    network("--scale", type=float, help="divisor of the values from 0 to 255 (default: 255)")
    network(
        "--layout", choices=("nchw", "nhwc"), help="order of the axes of its input (default: nchw)"
    )
    network(
        "--output",
        metavar="NAME",
        help="output to use, or a tensor inside it, such as the input of its classifier",
    )
    network("--average", type=_axes, help="axes of the output to average over, such as 2,3")
    for option in _OF_FEATURES:
        add(option, help=argparse.SUPPRESS)
    parser.set_defaults(run=_embed)


def _embed(arguments: argparse.Namespace) -> int:
    for option in _OF_FEATURES:
        if getattr(arguments, option.removeprefix("--")) is not None:
            raise ValueError(
                f"{option}: of a table prviz embed reads the texts alone, in the column that"
                " --column names; a table whose columns are features needs no embedding: prviz"
                " curve takes it, with this option"
            )
    out: Path = arguments.out
    if arguments.each:
        if arguments.encoder is None:
            raise ValueError("--encoder is missing; prviz embed --list shows all")
        if out.suffix == ".safetensors" or out.is_file():
            raise ValueError(
                f"--out {out}: a folder is needed, as --each makes a file for each sub-folder"
            )
        embed_each(
            arguments.source,
            out,
            _encoder(arguments),
            skip_bad=arguments.skip_bad,
            bits=arguments.bits,
        )
        return 0
    if out.suffix != ".safetensors" or not out.parent.is_dir():
        raise ValueError(
            f"--out {out}: a file in an existing folder that ends in .safetensors is needed"
        )
    if arguments.source.suffix.lower() in tensors.EXTENSIONS:
        n, d = tensors.convert(arguments.source, out, arguments.key)
        sys.stdout.write(f"wrote {one_line(out)}: {n} x {d}\n")
        _say_flags(out)
        return 0
    if arguments.encoder is None:
        raise ValueError("--encoder is missing; prviz embed --list shows all")
    encoder = _encoder(arguments)
    source = open_source(arguments.source, arguments.column, key=arguments.key)
    with watched(None) as line:
        found = embed(
            source, encoder, out, skip_bad=arguments.skip_bad, bits=arguments.bits, progress=line
        )
    sys.stdout.write(f"{file_text(SetFile(out, found, kept=False), encoder.name)}\n")
    for note in found.notes:
        sys.stdout.write(f"Note: {one_line(note)}\n")
    _say_flags(out)
    return 0


def _say_flags(out: Path) -> None:
    """Print warnings about the features just written."""
    sys.stdout.flush()
    say_flags(flags_of_set(read(out, limits=Limits(min_rows=1))))


def _encoder(arguments: argparse.Namespace) -> EmbeddingEncoder:
    options = {each.name: getattr(arguments, each.name) for each in fields(EncoderOptions)}
    return load_encoder(arguments.encoder, EncoderOptions(**options))


def _axes(text: str) -> tuple[int, ...]:
    try:
        return tuple(map(int, text.split(",")))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of axes, such as 2,3") from None


def _numbers(text: str) -> tuple[float, ...]:
    values = tuple(map(number, text.split(",")))
    if len(values) in (1, 3) and all(abs(value) < float("inf") for value in values):
        return values
    raise argparse.ArgumentTypeError(f"{text!r} is neither one number nor three")
