"""Recognition of a file's format by its name and its first bytes."""

from __future__ import annotations

from prviz.readers.errors import ReadError, quoted
from prviz.readers.limits import Limits
from prviz.readers.npz import holds_pickle
from prviz.readers.pickles import PICKLE_EXTENSIONS, looks_pickled, refuse_pickle
from prviz.readers.source import FileSource

__all__ = ["ACCEPTED", "recognise"]

ACCEPTED = (".npy", ".npz", ".csv", ".tsv", ".parquet", ".feather", ".safetensors")

# First bytes of a file -> (name of the format, extension of a format that is read, else None).
_MAGIC = {
    b"\x93NUMPY": ("a numpy array", ".npy"),
    b"PK\x03\x04": ("a zip archive", ".npz"),
    b"PK\x05\x06": ("an empty zip archive", ".npz"),
    b"PAR1": ("a Parquet file", ".parquet"),
    b"ARROW1": ("a Feather (Arrow) file", ".feather"),
    b"FEA1": ("a Feather file", ".feather"),
    b"\x89HDF": ("an HDF5 file", None),
    b"\x1f\x8b": ("a gzip archive", None),
    b"\x89PNG": ("a PNG image", None),
    b"\xff\xd8\xff": ("a JPEG image", None),
    b"%PDF": ("a PDF document", None),
}
_IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".tif", ".tiff"})
_TEXT = (".csv", ".tsv")


def recognise(source: FileSource, limits: Limits) -> str:
    """The file's extension, once its first bytes agree with it.

    Raises
    ------
    ReadError : empty, a pickle (whatever it is called), an extension that is not accepted, or contents of
        another kind than the extension says.
    """
    head = source.head(16)
    extension = source.extension
    archive = head.startswith(b"PK\x03\x04")
    if extension in PICKLE_EXTENSIONS or looks_pickled(head, text=extension in _TEXT):
        raise refuse_pickle(source)
    if archive and extension != ".npz" and holds_pickle(source, limits):
        raise refuse_pickle(source, torch_archive=True)
    if extension not in ACCEPTED:
        raise _unknown(source)
    if not head:
        raise ReadError(f"{source.where}: empty (0 bytes). Was it still being written? Save or copy it again.")
    _check_contents(source, head)
    return extension


def _unknown(source: FileSource) -> ReadError:
    accepted = ", ".join(ACCEPTED)
    if source.extension in _IMAGES:
        return ReadError(
            f"{source.where}: an image. Embed the images first and save the embeddings as one of {accepted}."
        )
    found = f"the extension {quoted(source.extension)} is not accepted" if source.extension else "has no extension"
    return ReadError(f"{source.where}: {found}. Save the embeddings as one of {accepted}.")


def _check_contents(source: FileSource, head: bytes) -> None:
    for magic, (what, extension) in _MAGIC.items():
        if head.startswith(magic) and extension != source.extension:
            # A table of text may begin with the same bytes, if text follows.
            if source.extension in _TEXT and head.isascii() and head.decode("ascii").isprintable():
                continue
            advice = f"Rename it to end in {extension}." if extension else f"Save it as one of {', '.join(ACCEPTED)}."
            raise ReadError(f"{source.where}: named {source.extension}, but holds {what}. {advice}")
    expected = [magic for magic, (_, extension) in _MAGIC.items() if extension == source.extension]
    if expected and not any(head.startswith(magic) for magic in expected):
        raise ReadError(
            f"{source.where}: corrupt, or not a {source.extension} file (it does not begin like one). Save it again."
        )
