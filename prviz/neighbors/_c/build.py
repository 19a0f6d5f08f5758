"""Compiles kernels.c: at the installation of prviz, or by ``python prviz/neighbors/_c/build.py``.

The script imports the standard library alone, because nothing else is available during the
installation.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_FOLDER = Path(__file__).parent
_SOURCES = _FOLDER / "kernels.c", _FOLDER / "tiles.h"
LIBRARY = _FOLDER / "kernels.so"
# No fused multiply-add (-ffp-contract=off), so that results equal NumPy's bit for bit.
_FLAGS = (
    "-O3",
    "-std=c11",
    "-shared",
    "-fPIC",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-funroll-loops",
)


def digest() -> str:
    """Digest of the C sources. The compiled library contains the digest of the sources that it was
    compiled from, so that an outdated library is recognised.
    """
    return hashlib.sha256(b"".join(each.read_bytes() for each in _SOURCES)).hexdigest()[:16]


def compile_library(library: Path = LIBRARY) -> bool:
    """Compile the library; return False without a working compiler or a writable folder."""
    compiler = shutil.which(os.environ.get("CC") or "cc")
    if compiler is None:
        return False
    try:
        # The new library replaces the old one atomically: another process may be using the old one.
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = Path(folder) / library.name
            command = [
                compiler,
                *_FLAGS,
                f'-DSOURCE="{digest()}"',
                "-o",
                str(made),
                str(_SOURCES[0]),
                "-lm",
            ]
            if subprocess.run(command, check=False).returncode:
                return False
            made.replace(library)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(not compile_library())
