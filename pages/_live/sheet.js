// On a phone the settings are a sheet at the foot of the page: k alone, and the names of the rest. Its handle is dragged, or
// pressed for more or less room; a name opens it there.

import { button, element } from "./dom.js";

const LEAST = 72,
  MOST = 0.8,
  OPEN = 0.45; // pixels of handle and names alone; shares of the window
const MOVED = 6; // pixels from which a press is a drag

/** What the sheet holds, by the names at its foot. @type {[name: string, selector: string][]} */
const PARTS = [
  ["k", ""],
  ["Data", ".st-key-part-data"],
  ["Curves", ".st-key-part-families"],
  ["Split", '[data-prviz-place="sampling"]'],
  ["Show", '[data-prviz="show"]'],
  ["More", ".st-key-part-more"],
];

/** Give the sheet its handle and its names, once; a name is there as long as what it names. */
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
