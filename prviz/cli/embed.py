"""``prviz embed``: pictures, texts or a saved tensor to a file of features that all commands
take.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from prviz.cli.picture_sets import add_encoder, bits_number, embed_each, file_text
from prviz.cli.terminal import number, say_flags, watched
from prviz.readers.errors import one_line

if TYPE_CHECKING:
    from prviz.embed.base import EmbeddingEncoder

_TEXT = """Embed a folder, a .zip or an array (.npz, .npy) of pictures, the lines of a .txt, or a
column of a table: FILE holds the features and says how they were made, FILE.samples.parquet also
paths, texts and labels. The same command continues a stopped run. With --each a folder of models
becomes a file for each. A tensor saved by PyTorch (.pt) is converted, without an encoder."""

# Options of commands that read features, which this one makes.
_OF_FEATURES = ("--features", "--drop", "--group")


class _List(argparse.Action):
    """Option that prints the encoders and ends the command."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print one line per encoder."""
        from prviz.embed.registered import ENCODERS, written

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
    add("source", type=Path, metavar="SOURCE", help="what to embed")
    add(
        "-o",
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="file to write, .safetensors; of --each a folder",
    )
    add_encoder(add)
    add("--list", action=_List, nargs=0, help="list the encoders, and what papers use for what")
    add(
        "--each",
        action="store_true",
        help=(
            "one file for each sub-folder, .zip and .npz in SOURCE, kept while its pictures are the"
            " same"
        ),
    )
    add("--column", metavar="NAME", help="column of a table with the texts (default: text)")
    add("--key", metavar="NAME", help="array of an .npz, or tensor of a .pt file, with several")
    add(
        "--bits",
        type=bits_number,
        metavar="N",
        help=(
            "of a value of 16-bit pictures, such as 12 of CT; the same for all that is compared"
            " (default: as many as the largest value takes)"
        ),
    )
    add("--device", default="cpu", help="where the network runs: cpu or cuda (default: cpu)")
    network = parser.add_argument_group(
        "of an ONNX network (or in a TOML file of its name)"
    ).add_argument
    network("--size", type=int, help="side of its pictures")
    network(
        "--resize", type=int, help="shorter side before the central square is cut (default: size)"
    )
    network(
        "--interpolation", choices=("bilinear", "bicubic", "lanczos"), help="(default: bilinear)"
    )
    network(
        "--mean",
        type=_numbers,
        help="subtracted from value / scale: one number, or three with commas",
    )
    network("--std", type=_numbers, help="divides what is left: one number, or three")
    network("--scale", type=float, help="divides the values from 0 to 255 (default: 255)")
    network("--layout", choices=("nchw", "nhwc"), help="order of its axes (default: nchw)")
    network(
        "--output",
        metavar="NAME",
        help="which of several outputs, or a tensor inside, such as the input of its classifier",
    )
    network("--average", type=_axes, help="axes of the output to average over, such as 2,3")
    for option in _OF_FEATURES:
        add(option, help=argparse.SUPPRESS)
    parser.set_defaults(run=_embed)


def _embed(arguments: argparse.Namespace) -> int:
    from prviz.embed import tensors
    from prviz.embed.run import embed
    from prviz.embed.sets import SetFile
    from prviz.embed.sources import open_source

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
    """Say what the written features show by themselves."""
    from prviz.checks.flags import flags_of_set
    from prviz.readers import Limits, read

    sys.stdout.flush()
    say_flags(flags_of_set(read(out, limits=Limits(min_rows=1))))


def _encoder(arguments: argparse.Namespace) -> EmbeddingEncoder:
    from prviz.embed.base import EncoderOptions
    from prviz.embed.registered import load_encoder

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
