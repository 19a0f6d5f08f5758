// The buttons in the bar at the top of every page, and keys such as K that move the focus to a slider.

/** By key: `data-prviz` of the control that it focuses, and the control's name in the list of keys.
 * @type {[string, string, string][]} */
const KEYS = [
  ["k", "k", "neighbours k"],
  ["b", "bandwidth", "bandwidth"],
  ["s", "split", "split"],
  ["l", "angle", "trade-off λ"],
];

/** The slider with this `data-prviz`; null if the page has none.
 * @param {string} name @returns {HTMLInputElement | null} */
const slider = (name) => document.querySelector(`[data-prviz="${name}"] input[type=range]`);

/** @param {KeyboardEvent} event */
function onKey(event) {
  const typing =
    event.target instanceof Element &&
    event.target.closest("input:not([type=range]), textarea, select, [contenteditable=true]");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = KEYS.find(([key]) => key === event.key),
    list = document.getElementById("prviz-keys");
  if (event.key === "Tab")
    placeSkip(); // Streamlit may have drawn its own skip link since the last call
  else if (found) slider(found[1])?.focus();
  else if (event.key === "?") list?.togglePopover();
}

/** Fill the list of keys: those of a course, or those of the other pages. */
function listKeys() {
  const rows = document.querySelector(".course")
    ? [
        ["Tab", "to what can be moved; there ← → move it"],
        ["← →", "elsewhere, to another step"],
        ["1 to 5", "the answers"],
        ["P", "large screen"],
      ]
    : [
        ...KEYS.map(([key, , name]) => [key, `to ${name}`]),
        ["← →", "move it"],
        ["Home End", "to its ends"],
        ["Esc", "close what is enlarged, let go of what stands out"],
      ];
  dl?.replaceChildren(
    ...[...rows, ["?", "this list"]].flatMap((texts) =>
      texts.map((text, i) => Object.assign(document.createElement(i ? "dd" : "dt"), { textContent: text })),
    ),
  );
}

/** Make the skip button the first stop of the Tab key; with a Streamlit version newer than 1.61, the stop right after
 * Streamlit's own skip link. */
function placeSkip() {
  const main = document.querySelector("#root section"),
    own = document.querySelector("#root a:has(~ section)");
  if (own && own.nextElementSibling !== skip) own.after(skip);
  if (!own && main && main.parentElement?.firstElementChild !== skip) main.parentElement?.prepend(skip);
}

/** Copy a text to the clipboard. Browsers give access to the clipboard only on https and localhost; elsewhere the
 * text is selected in a field and copied from there.
 * @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
}

/** Call `change` with each media rule among these style rules, nested ones included.
 * @param {CSSRuleList} rules @param {(rule: CSSMediaRule) => void} change */
function eachMediaRule(rules, change) {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) change(rule);
    if (rule instanceof CSSGroupingRule || rule instanceof CSSStyleRule) eachMediaRule(rule.cssRules, change);
  }
}

/** @type {[CSSMediaRule, string][]} rules that apply as on the screen while the page is printed, with their conditions */
const replaced = [];

/** Print the window as it is, for which the figures are drawn: the paper gets its size, and media rules apply as they do
 * on the screen. Browsers would apply those for another paper. */
function keepLayout() {
  paper.textContent = `@page { size: ${window.innerWidth}px ${window.innerHeight}px; margin: 0; }`;
  for (const sheet of document.styleSheets)
    eachMediaRule(sheet.cssRules, (rule) => {
      const text = rule.media.mediaText;
      if (!/width|height/.test(text)) return;
      replaced.push([rule, text]);
      rule.media.mediaText = matchMedia(text).matches ? "all" : "not all";
    });
}

const bar = /** @type {HTMLElement} */ (document.querySelector(".bar-tools"));
const skip = /** @type {HTMLButtonElement} */ (bar.querySelector(".bar-skip")),
  link = /** @type {HTMLButtonElement} */ (bar.querySelector(".link"));
skip.onclick = () => slider("k")?.focus();
placeSkip();
const copied = Object.assign(document.createElement("span"), { className: "copied" });
/** @param {string} text "" to remove the message */
function sayCopied(text) {
  copied.textContent = text;
  link.ariaLabel = text || "Copy link";
}
link.append(copied);
link.onclick = async () => {
  await copy(location.href);
  const uploaded = new URLSearchParams(location.search).get("source") === "upload";
  sayCopied(uploaded ? "Copied, without files" : "Copied");
  setTimeout(sayCopied, 2000, "");
};
const dl = bar.querySelector("dl");
dl?.closest("[popover]")?.addEventListener("beforetoggle", listKeys);
listKeys();
window.addEventListener("keydown", onKey);
const paper = document.createElement("style");
bar.append(paper);
window.addEventListener("beforeprint", keepLayout);
window.addEventListener("afterprint", () => {
  for (const [rule, text] of replaced.splice(0)) rule.media.mediaText = text;
});
