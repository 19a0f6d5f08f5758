"""How the loops of kernels.c are compiled: when prviz is installed, or by ``python prviz/neighbors/_c/build.py``.

Of the standard library alone: what installs prviz has nothing else.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["LIBRARY", "compile_library", "digest"]

_FOLDER = Path(__file__).parent
_SOURCES = _FOLDER / "kernels.c", _FOLDER / "tiles.h"
LIBRARY = _FOLDER / "kernels.so"
# No product and sum may become one operation that rounds once: results are NumPy's, bit for bit.
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
    """Of the sources: the library says which ones it was made from."""
    return hashlib.sha256(b"".join(each.read_bytes() for each in _SOURCES)).hexdigest()[:16]


def compile_library(library: Path = LIBRARY) -> bool:
    """Make the library; whether there is a compiler that did, and a place to write to."""
    compiler = shutil.which(os.environ.get("CC") or "cc")
    if compiler is None:
        return False
    try:
        # Put in its place whole: another process may be running what was there.
        with tempfile.TemporaryDirectory(dir=library.parent) as folder:
            made = Path(folder) / library.name
            command = [compiler, *_FLAGS, f'-DSOURCE="{digest()}"', "-o", str(made), str(_SOURCES[0]), "-lm"]
            if subprocess.run(command, check=False).returncode:
                return False
            made.replace(library)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(not compile_library())
