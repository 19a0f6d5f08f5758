"""Compiles the loops in C when prviz is installed, if there is a compiler; prviz does without them,
more slowly.

Also gives the package the address of the repository.
"""

from __future__ import annotations

import re
import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class NativeHook(BuildHookInterface[Any]):
    """The library, in its place in the source tree and in the wheel, which is then for this kind of
    machine alone.
    """

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


def absolute(text: str, address: str) -> str:
    """Text in Markdown whose links to files of the repository name its address."""

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        return f"{found[1]}[{found[2]}]({address}/{kind}/HEAD/{found[3]})"

    return re.sub(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]*)\)", link, text)


class RepositoryHook(MetadataHookInterface):
    """The repository's address and a README that stands alone, by one line of CITATION.cff."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Called with the metadata of a package that is about to be built."""
        readme = Path(self.root, "README.md").read_text("utf-8")
        citation = Path(self.root, "CITATION.cff").read_text("utf-8")
        metadata["urls"] = {}
        written = re.search(r'^repository-code: "?([^"\s]+)', citation, re.MULTILINE)
        if written:
            address = written[1].rstrip("/")
            readme = absolute(readme, address)
            metadata["urls"] = {
                "Source": address,
                "Documentation": f"{address}/blob/HEAD/docs/index.md",
                "Changelog": f"{address}/blob/HEAD/CHANGELOG.md",
            }
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
