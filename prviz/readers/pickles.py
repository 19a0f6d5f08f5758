"""Pickles are recognised and refused, never opened: unpickling runs whatever code the file carries."""

from __future__ import annotations

import re

from prviz.readers.errors import ReadError, quoted
from prviz.readers.source import FileSource

__all__ = ["PICKLE_EXTENSIONS", "looks_pickled", "refuse_object_array", "refuse_pickle"]

_LOADERS = {
    ".pkl": ("numpy", "np.load({name}, allow_pickle=True)"),
    ".pickle": ("numpy", "np.load({name}, allow_pickle=True)"),
    ".joblib": ("joblib", "joblib.load({name})"),
    **dict.fromkeys((".pt", ".pth", ".ckpt"), ("torch", 'torch.load({name}, weights_only=True, map_location="cpu")')),
}
PICKLE_EXTENSIONS = frozenset(_LOADERS)

# Protocols 0 and 1 begin with a printable opcode: a list, a dict, or a global "cmodule\nname".
_OLD_PROTOCOL = re.compile(rb"\(lp|\(dp|\]q|\}q|c[A-Za-z_][\w.]*\n[A-Za-z_]")


def looks_pickled(head: bytes, *, text: bool) -> bool:
    """True if a file that begins with ``head`` (16 bytes) is a pickle; ``text``: the file should be a table."""
    if head[:1] == b"\x80" and head[1:2] <= b"\x05" and head[2:3] not in (b"", b"\x00"):
        # A .safetensors file begins with the length of its header, whose bytes may be the same by chance.
        return not (head[8:9] == b"{" and head[4:8] == bytes(4))
    return not text and _OLD_PROTOCOL.match(head) is not None


def _recipe(name: str, module: str, load: str) -> str:
    stem = name.rpartition(".")[0] or name
    modules = "import numpy as np" if module == "numpy" else f"import {module}, numpy as np"
    array = "np.array(list(values), dtype='float32')"  # `list`: the rows of an array of objects stack
    if module == "torch":
        array = "(values if torch.is_tensor(values) else torch.stack(list(values))).detach().float().numpy()"
    return f"{modules}\nvalues = {load}\nnp.save({quoted(stem + '.npy')}, {array})"


def _refusal(where: str, what: str, recipe: str) -> ReadError:
    return ReadError(
        f"{where}: {what}. Pickles are never opened here, because opening one runs the code in it. "
        f"If you trust its origin, convert it yourself and use the new file:\n{recipe}"
    )


def refuse_pickle(source: FileSource, *, torch_archive: bool = False) -> ReadError:
    """The error for a pickle file, with a three-line recipe that turns it into .npy."""
    extension = ".pt" if torch_archive else source.extension
    module, load = _LOADERS.get(extension, _LOADERS[".pkl"])
    recipe = _recipe(source.name, module, load.format(name=quoted(source.name)))
    return _refusal(source.where, "a pickle" + (" (PyTorch archive)" if module == "torch" else ""), recipe)


def refuse_object_array(where: str, name: str, key: str | None) -> ReadError:
    """The error for a numpy array of Python objects, which numpy stores as a pickle."""
    load = f"np.load({quoted(name)}, allow_pickle=True)" + ("" if key is None else f"[{quoted(key)}]")
    return _refusal(where, "an array of Python objects (a pickle)", _recipe(name, "numpy", load))
