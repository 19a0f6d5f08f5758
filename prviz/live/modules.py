"""A bundler that needs no Node.js: it joins ES modules to the single text that a Streamlit
component needs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def as_text(content: Mapping[str, Any], default: Callable[[Any], Any] | None = None) -> bytes:
    """JSON text for the browser, without NaN or infinity. default : converts objects that JSON
    cannot represent.
    """
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=default).encode()


_IMPORT = re.compile(r'^import \{([^}]+)\} from "((?:\.|\.\./\w+)/)(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(
    r"^export (default )?(?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE
)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
# Whole-line comments, mostly types, are removed: they are a third of the text, which is sent with
# every drawing.
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:(?!\*/)[\s\S])*\*/)\n", re.MULTILINE)


def bundle(entry: Path) -> str:
    """Join a module and all modules that it imports into one text, imported modules first.

    Every module becomes a function, with a scope of its own, that returns what the module exports.
    The text exports these results by the modules' names, and the default export of `entry` as its
    own. Supported are imports such as `import { a, b } from "./name.js";`, also from a folder
    beside it ("../_live/name.js"), and exports at a declaration, as in `export function a`.

    Raises
    ------
    ImportError
        If a module or a name is missing, modules import one another in a circle, or an import or
        export has another form.
    """
    texts: dict[str, str] = {}
    exports: dict[str, dict[str, str]] = {}

    def add(folder: Path, name: str, importers: tuple[str, ...]) -> None:
        if name in importers:
            raise ImportError(
                f"modules import one another in a circle: {' > '.join((*importers, name))}"
            )
        if name in texts:
            return
        file = folder / f"{name}.js"
        if not file.exists():
            raise ImportError(
                f"there is no module {file.name}, which {' > '.join(importers)} imports"
            )
        text = _COMMENT.sub("", file.read_text(encoding="utf-8"))
        for names, beside, other in _IMPORT.findall(text):
            add((folder / beside).resolve(), other, (*importers, name))
            if missing := {each.strip() for each in names.split(",")} - {"", *exports[other]}:
                raise ImportError(
                    f"{other}.js does not export {', '.join(sorted(missing))}, which {name}.js"
                    " imports"
                )
        exports[name] = {default.strip() or each: each for default, each in _EXPORT.findall(text)}
        body = _EXPORT.sub("", _IMPORT.sub(r"const {\1} = $\3;", text))
        if wrong := _OTHER.search(body):
            raise ImportError(
                f"{name}.js: this form of import or export is not supported: {wrong[0]}"
            )
        returned = ", ".join(f"{public}: {each}" for public, each in exports[name].items())
        texts[name] = f"const ${name} = (() => {{\n{body}\nreturn {{ {returned} }};\n}})();"

    add(entry.parent, entry.stem, ())
    named = ", ".join(f"${name} as {name}" for name in texts)
    default = ""
    if "default" in exports[entry.stem]:
        default = f"export default ${entry.stem}.default;"
    return "\n".join([*texts.values(), f"export {{ {named} }};", default])
