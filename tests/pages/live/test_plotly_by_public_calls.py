"""The pages draw with Plotly by what its documentation names, so that another version of it draws
the same.
"""

from __future__ import annotations

import re

from tests.browser import ROOT

# Attributes that Plotly hangs on its element and classes that it gives its own; in quotes or after
# a dot, as code and selectors name them.
PRIVATE = re.compile(
    r"_fullLayout|_fullData|_context|calcdata|__data__|\b(?:xaxis|yaxis|axis)\._\w+|\._(?:offset"
    r"|length)\b|\b[clp]2[clp]\b|\bp2d\b|\bd2p\b"
    r"|[.'\"](?:js-(?:plotly-plot|line|fill)|main-svg|svg-container|plot-container|(?:scatter|bar"
    r"|info|hover|drag|bg|cartesian)layer"
    r"|nsewdrag|legend(?:text|toggle)|modebar\S*|annotation-text|errorbar|textpoint)\b"
)


def test_no_private_name_of_plotly_stands_in_the_pages() -> None:
    files = [
        file for kind in ("js", "css", "py", "html") for file in (ROOT / "pages").rglob(f"*.{kind}")
    ]
    assert len(files) > 100
    found = [
        f"{file.relative_to(ROOT)}:{number}: {match[0]}"
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        for match in PRIVATE.finditer(line)
    ]
    assert found == []
