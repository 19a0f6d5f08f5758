"""The live figure's ES modules as one text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from pages._shared.widgets import plain, unbroken
from prviz.live.modules import bundle
from tests.browser import ROOT

FOLDER = ROOT / "pages" / "_live"


def write(folder: Path, **texts: str) -> Path:
    """The first of these modules, beside the others."""
    for name, text in texts.items():
        (folder / f"{name}.js").write_text(f"{text}\n", encoding="utf-8")
    return folder / f"{next(iter(texts))}.js"


def test_every_file_is_part_of_the_live_figure_or_follows_work() -> None:
    bundles = [bundle(FOLDER / f"{name}.js") for name in ("main", "follow")]
    named = re.findall(r"\$(\w+) as ", "".join(bundles))
    assert set(named) == {file.stem for file in FOLDER.glob("*.js")}


def test_modules_share_no_names_and_run_once_in_the_order_of_their_imports(
    tmp_path: Path, blank: Page
) -> None:
    entry = write(
        tmp_path,
        main="""import { twice } from "./b.js";
import { log } from "./a.js";
/** The default.
 * @param {number} x */
export default function own(x) { return [twice(x), ...log]; }""",
        a="export const log = ['a'];\nconst own = 2;\nexport const factor = () => own;",
        b="""import {
  factor, log,
} from "./a.js";
log.push("b");
const own = 3;
export const twice = (x) => factor() * x + own;""",
    )
    text = bundle(entry)
    assert "The default" not in text
    run = (
        "async (text) => (await "
        "import(`data:text/javascript,${encodeURIComponent(text)}`)).default(5)"
    )
    assert blank.evaluate(run, text) == [13, "a", "b"]


def test_a_number_stays_on_a_line_with_its_sign_or_its_word(blank: Page) -> None:
    whole = "40\u00a0% generated, 76\u00a0% real in columns\u00a02 to 3 of row\u00a09, arrow 4"
    said = "40 % generated, 76 % real in columns 2 to 3 of row 9, arrow 4"
    assert unbroken(said) == plain(said) == whole
    told = blank.evaluate(
        """(said) => {
            const node = live.dom.element("p", said), first = node.textContent;
            live.dom.setText(node, `${said}.`);
            return [first, node.textContent];
        }""",
        said,
    )
    assert told == [whole, f"{whole}."]


@pytest.mark.parametrize(
    ("curves", "corner"),
    [
        ([[0.5, 0.9, 0.9, 0.9]], "right low"),
        ([[0.1, 0.1, 0.2, 0.2]], "right high"),
        ([[0.9, 0.9, 0.3, 0.3], [0.9, 0.9, 0.9, 0.9]], "left low"),
        ([[0.1, 0.1, 0.3, 0.3], [0.4, 0.5, 0.9, 0.9]], "left high"),
        ([[0.2, 0.2, 0.3, 0.3], [0.9, 0.9, 0.9, 0.9]], "right low"),
        ([], "right low"),
    ],
)
def test_the_word_over_a_slider_stands_where_its_curves_leave_room(
    blank: Page, curves: list[list[float]], corner: str
) -> None:
    assert blank.evaluate("(curves) => live.over_stops.freeCorner(curves)", curves) == corner


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (
            {
                "a": 'import { b } from "./b.js";\nexport const a = 1;',
                "b": 'import { a } from "./a.js";\nexport const b = 1;',
            },
            "modules import one another in a circle: a > b > a",
        ),
        ({"a": 'import { b } from "./b.js";'}, "there is no module b.js, which a imports"),
        (
            {"a": 'import { b, c } from "./b.js";', "b": "export const b = 1, c = 2;"},
            "b.js does not export c, which a.js imports",
        ),
        (
            {"a": 'import * as b from "./b.js";', "b": ""},
            'a.js: this form of import or export is not supported: import * as b from "./b.js";',
        ),
        (
            {"a": "export { b };\nconst b = 1;"},
            "a.js: this form of import or export is not supported: export { b };",
        ),
    ],
)
def test_what_cannot_be_put_together_is_refused(
    tmp_path: Path, texts: dict[str, str], message: str
) -> None:
    with pytest.raises(ImportError, match=f"^{re.escape(message)}$"):
        bundle(write(tmp_path, **texts))
