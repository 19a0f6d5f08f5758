// On a phone the settings are in a sheet at the foot of the page. While it is closed, it shows k and the names of the
// other settings. Dragging or pressing its handle resizes the sheet; pressing a name opens it at that setting.

import { button, element } from "./dom.js";

// height of the closed sheet in pixels; then its largest height and its height when opened, as shares of the window's
const LEAST = 72,
  MOST = 0.8,
  OPEN = 0.45;
const MOVED = 6; // a press counts as a drag after this many pixels of movement

/** The parts of the sheet: the name at its foot that opens each, and its selector.
 * @type {[name: string, selector: string][]} */
const PARTS = [
  ["k", ""],
  ["Data", ".st-key-part-data"],
  ["Curves", ".st-key-part-families"],
  ["Split", '[data-prviz-place="sampling"]'],
  ["Show", '[data-prviz="show"]'],
  ["More", ".st-key-part-more"],
];

/** Add the handle and the names to the sheet, once. A name is hidden while the sheet lacks the part that it opens. */
export function markSheet() {
  const sheet = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stSidebar"]'));
  if (!sheet) return;
  if (!sheet.querySelector(".sheet-handle")) fill(sheet);
  for (const name of /** @type {NodeListOf<HTMLElement>} */ (sheet.querySelectorAll("[data-opens]")))
    name.hidden = !sheet.querySelector(name.dataset.opens ?? "");
}

/** @param {HTMLElement} sheet */
function fill(sheet) {
  const handle = element("button.sheet-handle", {
    type: "button",
    "aria-label": "Room for the settings",
    "aria-expanded": "false",
  });
  let from = 0,
    dragged = false;
  const resize = (/** @type {number | null} */ height) => {
    if (height === null) sheet.style.removeProperty("--sheet");
    else
      sheet.style.setProperty(
        "--sheet",
        `${Math.round(Math.min(Math.max(height, LEAST), MOST * window.innerHeight))}px`,
      );
    handle.setAttribute("aria-expanded", String((height ?? 0) > window.innerHeight / 3));
  };
  const low = () => {
    resize(null);
    sheet.querySelector('[data-testid="stSidebarUserContent"]')?.parentElement?.scrollTo(0, 0);
  };
  handle.onpointerdown = ({ pointerId, clientY }) => {
    handle.setPointerCapture(pointerId);
    [from, dragged] = [clientY, false];
  };
  handle.onpointermove = ({ pointerId, clientY }) => {
    if (!handle.hasPointerCapture(pointerId)) return;
    dragged ||= Math.abs(clientY - from) > MOVED;
    if (dragged) resize(window.innerHeight - clientY);
  };
  handle.onclick = () => {
    if (!dragged && handle.getAttribute("aria-expanded") === "true") low();
    else if (!dragged) resize(OPEN * window.innerHeight);
    dragged = false;
  };
  const open = (/** @type {string} */ selector) => {
    if (!selector) return low();
    resize(OPEN * window.innerHeight);
    sheet.querySelector(selector)?.scrollIntoView({ block: "start" });
  };
  const names = PARTS.map(([name, selector]) =>
    button(() => open(selector), name, selector ? { "data-opens": selector } : {}),
  );
  sheet.append(handle, element("nav.sheet-names", { "aria-label": "Settings" }, ...names));
}
