"""Compiles the loops in C when prviz is installed, if there is a compiler; prviz does without them, more slowly."""

from __future__ import annotations

import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeHook(BuildHookInterface[Any]):
    """The library, in its place in the source tree and in the wheel, which is then for this kind of machine alone."""

    PLUGIN_NAME = "custom"

    def initialize(self, _version: str, build_data: dict[str, Any]) -> None:
        """Called before a wheel or another archive is built."""
        if self.target_name != "wheel":
            return
        build = runpy.run_path(str(Path(self.root, "prviz", "neighbors", "_c", "build.py")))
        if build["compile_library"]():
            # for any Python 3: the library is loaded by ctypes, and knows nothing of Python
            system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data |= {"pure_python": False, "tag": f"py3-none-{system}"}
            build_data["artifacts"].append(build["LIBRARY"].relative_to(self.root).as_posix())
        else:
            self.app.display_warning(
                "nothing was compiled (by cc): prviz will be slower with large sets"
            )
