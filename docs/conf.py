"""The site of the documentation: ``sphinx-build -W docs site``, without a network."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import pictures  # noqa: E402

import prviz  # noqa: E402

project = "prviz"
release = prviz.__version__
extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
exclude_patterns = ["releasing.md"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # a test executes them and compares what they keep
autosummary_generate = True
numpydoc_show_class_members = False
html_theme = "pydata_sphinx_theme"
html_title = "prviz"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"secondary_sidebar_items": ["page-toc"], "header_links_before_dropdown": 7}
# The list of a section's pages stands beside the reference alone, which has some.
html_sidebars = {"*": [], "made/estimators": []}
autodoc_typehints = "none"  # the parameters' types stand in their descriptions
html_static_path = ["site.css"]
html_css_files = ["site.css"]


def make(app: Sphinx) -> None:
    """Draw the pictures and write the page of estimators, both from the package itself."""
    pictures.write(HERE / "made")


def bars(app: Sphinx, what: str, name: str, of: object, options: object, lines: list[str]) -> None:
    """Keep |x - y| a norm: reStructuredText takes it for a name that is replaced."""
    lines[:] = [line.replace("|", r"\|") for line in lines]


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", make, priority=100)
    app.connect("autodoc-process-docstring", bars)
