// On a phone the settings are a sheet at the foot of the page; its handle is dragged, or pressed for more or less room.

import { element } from "./dom.js";

const LEAST = 28,
  MOST = 0.8,
  OPEN = 0.45; // pixels of the handle alone; shares of the window
const MOVED = 6; // pixels from which a press is a drag

/** Give the sheet its handle, once. */
export function markSheet() {
  const sheet = /** @type {HTMLElement | null} */ (document.querySelector('[data-testid="stSidebar"]'));
  if (!sheet || sheet.querySelector(".sheet-handle")) return;
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
    if (!dragged) resize(handle.getAttribute("aria-expanded") === "true" ? null : OPEN * window.innerHeight);
    dragged = false;
  };
  sheet.append(handle);
}
