"""Compilation of kernels.c, when prviz is installed or by ``python prviz/neighbors/_c/build.py``.

Only the standard library is used, because nothing else is there during the installation.
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
    """Digest of the sources, which the library also contains."""
    return hashlib.sha256(b"".join(each.read_bytes() for each in _SOURCES)).hexdigest()[:16]


def compile_library(library: Path = LIBRARY) -> bool:
    """Compile the library. Returns False without a working compiler or a writable folder."""
    compiler = shutil.which(os.environ.get("CC") or "cc")
    if compiler is None:
        return False
    try:
        # Replaced atomically, because another process may be using the old library.
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
