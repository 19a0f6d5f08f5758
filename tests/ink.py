# ruff: noqa: T201 - a script that prints what it counts
"""The ink of a screen of Explore: its words by region, its controls, and the lines of its figure.

Run from the checkout: python -m tests.ink [ADDRESS]
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser import launch_chromium, open_tab, running_app, visit, wait_idle

SIZES = ((1366, 768), (820, 1180), (390, 844))
# Of a text, each part with a letter or a digit counts: names, numbers of ticks and of fields alike.
_INK = r"""() => {
    const REGIONS = {
        settings: "[data-testid=stSidebar]", rows: ".rows", panel: ".st-key-part-panel", plot: ".plot",
        figure: ".st-key-part-pr-figure", bar: ".st-key-prviz-bar, .st-key-part-export",
    };
    const CONTROLS = "button, input, select, summary, a[href], [role=tab], [role=combobox]";
    const LINES = ".gridlayer path, .zerolinelayer path, .shapelayer path, .js-line, .lam-marks :is(path, circle)";
    const seen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    // What is left of a box in the window and in all that clips it.
    const inSight = (owner, { left, top, right, bottom }) => {
        const box = { left, top, right, bottom };
        const cut = (by) => {
            box.left = Math.max(box.left, by.left);
            box.top = Math.max(box.top, by.top);
            box.right = Math.min(box.right, by.right);
            box.bottom = Math.min(box.bottom, by.bottom);
        };
        cut({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });
        for (let node = owner; node && node !== document.body; node = node.parentElement) {
            const style = getComputedStyle(node);
            if (style.clipPath !== "none" && style.clipPath.startsWith("inset(50%")) return null;
            if (style.overflowX !== "visible") cut(node.getBoundingClientRect());
            if (style.position === "fixed") break;
        }
        return box.right - box.left > 2 && box.bottom - box.top > 2 ? box : null;
    };
    const texts = [];
    const put = (owner, text, rectangle) => {
        const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'.,-]*/gu);
        if (!words || !seen(owner) || !inSight(owner, rectangle)) return;
        const region = Object.keys(REGIONS).find((name) => owner.closest(REGIONS[name])) ?? "rest";
        texts.push([region, text.trim().replaceAll("\u00a0", " "), words.length]);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode, owner = text.parentElement, range = document.createRange();
        if (owner.closest("style, script, option, [data-testid=stIconMaterial]")) continue;
        range.selectNodeContents(text);
        put(owner, text.data, range.getBoundingClientRect());
    }
    for (const field of document.querySelectorAll("input:is([type=number], [type=text])"))
        put(field, field.value || field.placeholder, field.getBoundingClientRect());
    const control = (node) => seen(node) && inSight(node, node.getBoundingClientRect());
    const line = (node) => {
        const { width, height } = node.getBoundingClientRect();
        return seen(node) && Math.max(width, height) > 2;
    };
    return {
        texts,
        controls: [...document.querySelectorAll(CONTROLS)].filter(control).length,
        lines: [...document.querySelectorAll(`.live.screen :is(${LINES})`)].filter(line).length,
    };
}"""


@dataclass(frozen=True)
class Ink:
    """texts : region, text and number of its words, in reading order of the document."""

    texts: list[tuple[str, str, int]]
    controls: int
    lines: int

    @property
    def words(self) -> int:
        return sum(count for _, _, count in self.texts)

    def said(self) -> str:
        """All texts, one a line."""
        return "\n".join(f"{region:9} {count:2} {text}" for region, text, count in self.texts)


def ink(page: Page) -> Ink:
    """What is in sight of a page."""
    found: dict[str, Any] = page.evaluate(_INK)
    return Ink(**found)


def at_rest(page: Page, address: str = "/") -> Ink:
    """Open Explore, and count once all is measured and the pointer rests nowhere."""
    visit(page, address)
    page.locator(".live.screen:not([data-more=true])[data-revision]").wait_for(timeout=120_000)
    wait_idle(page)
    return ink(page)


def main() -> None:
    """Print the ink at each size."""
    address = sys.argv[1] if len(sys.argv) > 1 else "/"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch_chromium(playwright)
        with running_app(Path(folder) / "log") as server:
            for width, height in SIZES:
                touch = {"has_touch": width < 1000, "is_mobile": width < 500}
                size = {"width": width, "height": height}
                found = at_rest(open_tab(browser, server.url, viewport=size, **touch).page, address)
                print(found.said())
                print(
                    f"{size}: {found.words} words, {found.controls} controls, {found.lines} lines"
                )


if __name__ == "__main__":
    main()
