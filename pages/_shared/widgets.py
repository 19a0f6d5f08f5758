"""The style sheet, and widgets that pages share."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st

from pages._shared.cache import session
from prviz.reports.settings import ExploreSettings


def unbroken(text: str) -> str:
    """The text with a non-breaking space between a number and its % sign, and in "row 3" and
    "column 3", so that no line ends between them.
    """
    return re.sub(r"(\d(?= %)|\b(?:row|column)s?(?= \d)) ", "\\1\u00a0", text)


# Texts from users, such as names of files and columns, must pass `plain` before they are drawn:
# they must never act as markup.
def plain(text: object) -> str:
    """The text in one line, escaped so that Markdown shows it literally."""
    line = unbroken(" ".join(str(text).split()))
    return "".join(f"\\{c}" if c in r"\`*_{}[]()<>#+-.!|~$:@&^=" else c for c in line)


T = TypeVar("T")
# Style rules of all pages, in addition to Streamlit's theme. app.py puts them into the server's
# first response. There are three font sizes: heading, text (1rem) and label.
CSS = """
:root {
  --prviz-ground: light-dark(#FFFFFF, #0E1117); --prviz-accent: light-dark(#0065A0, #3A9AD6);
  --prviz-bar: 44px; --prviz-heading: 1.25rem; --prviz-label: .875rem;
  --prviz-space-1: 4px; --prviz-space-2: 8px; --prviz-space-3: 16px; --prviz-space-4: 24px;
}
@keyframes prviz-appear { to { visibility: visible; } }
body { font-variant-numeric: tabular-nums; }
.block-container { padding: calc(var(--prviz-bar) + var(--prviz-space-3)) var(--prviz-space-4)
  var(--prviz-space-4); }
[data-testid="stCaptionContainer"] { color: inherit; opacity: .8; }
/* Elements that a run has not reached yet look as before. Streamlit would fade them for a second,
   and the browser would paint them again and again, on the cores that measure. */
[data-stale="true"], [role="tablist"] { opacity: 1 !important; transition: none !important; }
/* A page's heading is for screen readers only, as the bar marks the page's name. */
[data-testid="stElementContainer"]:has(> * > * > * > h1) {
  position: absolute; width: 1px; min-width: 0; overflow: hidden; clip-path: inset(50%);
}
.block-container :is(h2, h3):not(.live *, .course *, [data-prviz] *) {
  padding: var(--prviz-space-2) 0; }
p:not(:is(.live, .live-place, .course, [data-prviz], button, label, summary, [role="group"]) *) {
  max-width: 60rem; text-wrap: pretty;
}
/* Streamlit's own white is too faint on the dark theme's accent. */
button[kind="primary"], [data-tag] span { color: var(--prviz-ground); }
/* So is Streamlit's darker accent, on a plain button that is hovered over or pressed. */
button[kind="tertiary"]:is(:hover, :active, :focus, [aria-expanded="true"]) {
  color: var(--prviz-accent); }
/* If the server does not answer, Streamlit asks to check the internet connection, which the app
   does not need: another text replaces that. */
:root:has(
  > body > * > * > [data-test-connection-state]:not([data-test-connection-state="CONNECTED"]),
  > body > * > * > * > [data-test-connection-state]:not([data-test-connection-state="CONNECTED"])
) {
  --prviz-away: "prviz does not answer. As soon as it runs again, this page comes back.";
  --prviz-theirs: hidden; --prviz-their-size: 0;
}
[role="dialog"] h2 + div > div:not([data-testid]) {
  visibility: var(--prviz-theirs, inherit); font-size: var(--prviz-their-size, inherit);
  &::after { content: var(--prviz-away, none); visibility: visible; font-size: 1rem; }
}
/* The bar: the wordmark and the pages, under Streamlit's header with the menu that holds the
   theme. */
[data-testid="stHeader"] { height: var(--prviz-bar); min-height: 0; background: none; }
[data-testid="stHeader"], [data-testid="stHeader"] div { pointer-events: none; }
[data-testid="stHeader"] button { pointer-events: auto; }
[data-testid="stSidebar"] { top: var(--prviz-bar); height: calc(100dvh - var(--prviz-bar)); }
[data-testid="stSidebarHeader"] {
  position: absolute; z-index: 1; right: 0; height: auto; min-height: 0; margin: 0;
  padding: var(--prviz-space-1);
}
[data-testid="stSidebarUserContent"] { padding-top: var(--prviz-space-3); }
.st-key-prviz-bar {
  position: fixed; z-index: 999989; inset: 0 0 auto 0; width: 100%; height: var(--prviz-bar);
  flex-wrap: nowrap; align-items: stretch; gap: var(--prviz-space-3);
  padding-left: var(--prviz-space-3);
  background: var(--prviz-ground);
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent);
}
.st-key-prviz-bar * { margin: 0; }
.st-key-prviz-bar > * { display: flex; align-items: center; }
.st-key-prviz-bar div:has(a) { height: var(--prviz-bar); margin: 0 !important; }
.st-key-prviz-bar .wordmark { font-size: var(--prviz-heading); font-weight: 700;
  letter-spacing: -.02em; }
.st-key-prviz-bar .wordmark b { color: var(--prviz-accent); }
.st-key-prviz-bar a, .st-key-prviz-bar a:hover {
  height: var(--prviz-bar); padding: 2px 0 0; background: none; border-radius: 0;
  border-bottom: 2px solid transparent;
}
.st-key-prviz-bar a:hover { border-color: color-mix(in srgb, currentColor 35%, transparent); }
/* The buttons are the first child; the other children get their room before they are drawn. */
.st-key-prviz-bar > :first-child { position: absolute !important; right: 0; width: auto !important;
  }
.st-key-prviz-bar > :is(:nth-child(2), :nth-child(3), :nth-child(6)) { min-width: 44px; }
.st-key-prviz-bar > :is(:nth-child(4), :nth-child(5)) { min-width: 35px; }
.bar-tools { display: flex; align-items: center; gap: var(--prviz-space-2);
  height: var(--prviz-bar); }
:is(.bar-tools button, .bar-skip) {
  font: inherit; font-size: var(--prviz-label); height: 28px; min-width: 28px; padding: 0 10px;
  color: inherit;
  background: var(--prviz-ground);
  border: 1px solid color-mix(in srgb, currentColor 35%, transparent);
  border-radius: 4px; cursor: pointer;
}
.bar-tools .link { position: relative; margin-left: auto; padding: 0 6px; }
.bar-tools .link::before {
  content: ""; display: block; width: 16px; height: 16px; background: currentColor;
  mask: url('data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" \
fill="none" stroke="black" stroke-width="1.6" stroke-linecap="round"> \
<path d="M6.2 9.8l3.6-3.6M7.2 4.4L8.6 3a3.1 3.1 0 0 1 \
4.4 4.4l-1.4 1.4M8.8 11.6L7.4 13A3.1 3.1 0 0 1 3 8.6l1.4-1.4"/></svg>');
}
.bar-tools .copied {
  position: absolute; top: calc(100% + 6px); right: 0; padding: 2px 8px; white-space: nowrap;
  border-radius: 4px;
  color: var(--prviz-ground); background: var(--prviz-accent);
  &:empty { display: none; }
}
.bar-tools .keys { margin-right: 52px; border-radius: 50%; padding: 0; }
.st-key-part-export { position: fixed; z-index: 999990; top: 8px; right: 124px; width: auto; }
.st-key-part-export button { height: 28px; min-height: 28px; padding: 0 4px; }
.bar-skip { display: none; position: fixed; z-index: 999999; top: 8px; left: 8px; }
.bar-skip:not(:focus-visible) { clip-path: inset(50%); }
#prviz-keys { inset: calc(var(--prviz-bar) + 4px) 8px auto auto; padding: var(--prviz-space-3);
  color: inherit; }
#prviz-keys { background: var(--prviz-ground);
  border: 1px solid color-mix(in srgb, currentColor 35%, transparent); }
#prviz-keys dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 16px; margin: 8px 0 0; }
#prviz-keys :is(dt, dd) { margin: 0; font-size: var(--prviz-label); }
#prviz-keys dt { font-weight: 600; }
.st-key-prviz-current a { border-color: var(--prviz-accent); }
.st-key-prviz-bar a:focus-visible { outline: 2px solid var(--prviz-accent); outline-offset: -2px; }
/* The menu's button: a disc, half light and half dark. */
#MainMenu button svg { display: none; }
#MainMenu button::before {
  content: ""; width: 16px; height: 16px; border: 1.5px solid; border-radius: 50%;
  background: linear-gradient(90deg, transparent 50%, currentColor 50%);
}
/* The page shows its progress, and has a Stop of its own, which leaves the figures as they were. */
[data-testid="stStatusWidget"] { display: none; }
@media (max-width: 640px) {
  .block-container { padding-inline: var(--prviz-space-3); }
  .bar-tools { display: none; }
}
/* For fingers, the bar's buttons react over its whole height. */
@media (pointer: coarse) {
  .st-key-prviz-bar > * { min-width: 44px !important; justify-content: center; }
  .st-key-prviz-bar a { min-width: 44px; justify-content: center; }
  :is(.bar-tools, .st-key-part-export, #MainMenu) button { position: relative; }
  .bar-tools { gap: var(--prviz-space-3); }
  .st-key-part-export { right: 138px; }
  :is(.bar-tools, .st-key-part-export) button::after { content: ""; position: absolute;
  inset: -9px -4px; }
  .bar-tools :is(.link, .keys)::after { inset: -9px -8px; }
  [data-testid="stHeader"] button { min-width: 44px; min-height: 44px; }
  #MainMenu { margin-right: -18px; }
  @media (max-width: 640px) { .st-key-prviz-bar { gap: var(--prviz-space-2); } }
  /* What a finger taps has 44 pixels. Knobs of sliders and question marks are drawn smaller. */
  .block-container :is(
    button, summary, a[href^="./?"], [role="group"]:has(> [role="combobox"])
  ):not(
    .live *, .live-place *, .course *, .battery *, .ranking *, .st-key-prviz-bar *,
    .st-key-part-export *, [role="group"]:not(:has([data-tag])) > *, [aria-label^="Help for"]
  ), [data-tag] { min-width: 44px; min-height: 44px; }
  /* A field of several choices is as high as they need: a row that scrolls would hide some. */
  [role="group"]:has(> * > [role="combobox"]) {
    &, > :has([role="combobox"]) { height: auto; max-height: none; flex-wrap: wrap; }
    > :has([role="combobox"]) { flex: 1 1 0; }
    & { flex-wrap: nowrap; }
  }
  [data-rac]:has(> * > input[type="range"]) {
    & { width: 28px; height: 28px; }
    &::after { content: ""; position: absolute; inset: -8px; }
  }
  /* The value of a slider stands above its knob. */
  label + [data-rac]:has(input[type="range"]) { margin-top: 14px; }
  /* On Explore, question marks have rules of their own. */
  :is(.page-triage, .page-bias_lab) :is([aria-label^="Help for"], .pane > .help summary) {
    & { position: relative; z-index: 1; }
    &::after { content: ""; position: absolute; inset: -14px; }
  }
}
/* On paper the bar would cover the top of each page. */
@media print { .st-key-prviz-bar, [data-testid="stHeader"] { display: none !important; } }
/* Panels of one experiment side by side, as many in a row as are legible. */
[class*="st-key-side-by-side-"] .live .panes {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr));
}
[class*="st-key-side-by-side-"] .live .panes:has(> :nth-child(5):last-child) {
  grid-template-columns: repeat(auto-fit, minmax(min(250px, 100%), 1fr));
}
/* If all panels of a heat map stand in one row, only the first shows the names of the rows. */
@media (min-width: 1000px) {
  [class*="st-key-side-by-side-rows-"] .live .pane:not(:first-child) .ytick { visibility: hidden; }
}
[class*="st-key-side-by-side-"] .live .pane > h3 {
  line-height: 1.75rem; } /* the same height with and without a "?" beside it */
/* The main figure's progress stays above the rest and is not dimmed with it. */
.st-key-explore { position: relative; z-index: 2; opacity: 1 !important; }
div:has(> .st-key-prviz-bar) { position: absolute; }
"""
# HTML of the bar's buttons and of the script for their keys. It is the same on all pages, so that
# the element is not replaced when the page changes.
_FOLDER = Path(__file__).parent
TOOLS = "{}<script type=module>{}</script>".format(
    *((_FOLDER / f"bar_tools.{kind}").read_text(encoding="utf-8") for kind in ("html", "js"))
)


def draw_bar(pages: Sequence[st.Page], current: st.Page) -> None:
    """Draw the bar at the top of the page: wordmark, a link to each page (that to the current one
    is marked), and buttons.
    """
    with st.container(key="prviz-bar", horizontal=True):
        st.html(TOOLS, unsafe_allow_javascript=True)
        marked = f"document.documentElement.className = 'page-{current.url_path}'"
        wordmark = f'<span class="wordmark">pr<b>viz</b></span><script>{marked}</script>'
        st.html(wordmark, width="content", unsafe_allow_javascript=True)
        for page in pages:
            (
                st.container(key="prviz-current", width="content") if page is current else st
            ).page_link(page, query_params=session().addresses.get(page.url_path))


def say_refusal(text: str) -> None:
    """Show an error message."""
    st.error(text, icon=":material/block:")


def begin(key: str, value: Any) -> str:
    """Set the start value of the widget with this key, unless the session already has a value for
    it; returns the key.
    """
    st.session_state.setdefault(key, value)
    return key


def pressed(label: str, key: str, **more: Any) -> bool:
    """Draw a button; True in the first run that reaches this call after a click, even if a run
    between the click and this one was aborted.
    """
    note = f"{key}.pressed"
    st.button(label, key=key, on_click=st.session_state.update, args=({note: True},), **more)
    return bool(st.session_state.pop(note, False))


def described(text: str) -> dict[str, Any]:
    """Keyword arguments that give `st.dataframe` this alternative text; {} if the installed
    Streamlit does not accept one.
    """
    if "alt" in inspect.signature(st.dataframe).parameters:
        return {"alt": text}
    return {}


def choose_one(
    label: str, options: Mapping[T, str] | Sequence[T], first: T | None = None, **more: Any
) -> T:
    """Draw a segmented control in which exactly one option is chosen, at first `first`; return that
    option.

    options : the options, or a mapping from options to titles. more : further arguments of
    `st.segmented_control`. If the session holds a value that is no option (from a link, or from
    earlier options), `first` is returned.
    """
    known = list(options)
    if isinstance(options, Mapping):
        more["format_func"] = lambda option: options.get(option, str(option))
    chosen = st.segmented_control(label, known, default=first, required=True, **more)
    if chosen in known:
        return chosen
    if first is None:
        return known[0]
    return first


def explore_link(settings: ExploreSettings, label: str = "Open this in Explore") -> None:
    """Draw a link that opens a problem in Explore, in a new tab."""
    st.link_button(label, f"./?{urlencode(settings.to_query())}", icon=":material/open_in_new:")
