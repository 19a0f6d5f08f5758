// Parts of a page that wait for background work. One request to Python serves all of them; its answer tells which
// parts to draw again, and the progress of the measurement that one of them waits for (pages/_live/follow.py).

import { setText } from "./dom.js";
import { whileHere } from "./leaving.js";
import { store } from "./store.js";
import { GONE, LostError, RETRY_MS, answerTo, progressText } from "./stream.js";

/**
 * @typedef {{ part: string, token: string, waits: boolean }} Content part: the part's name, "" for the part of the page that waits for a measurement; waits: true while it waits
 * @typedef {Content & { root: HTMLElement, draw: () => void }} Part draw: lets Python draw this part again
 * @typedef {{ kind: string, part: string, note: string, share: number, left: number }} Message
 */

/** @type {Map<HTMLElement, Part>} */
const parts = new Map();
let asked = 0,
  flight = 0,
  timer = 0,
  free = 0;

const APART_MS = 50,
  PAGE = "page";

/** Delay a call so that calls are at least APART_MS apart: if several triggers arrive at the same moment, Streamlit
 * reruns only one of the page's parts.
 * @param {() => void} call */
function inTurn(call) {
  const now = performance.now();
  free = Math.max(now, free + APART_MS);
  setTimeout(call, free - now);
}

/** Send one request soon, for all parts that are on the page when it is sent. */
function askSoon(milliseconds = 0, stop = false) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    void ask(stop);
  }, milliseconds);
}

/** @param {boolean} stop end the measurement that is running */
async function ask(stop) {
  if (store.ask) return store.ask(); // the main figure's own requests already serve this page
  const waiting = [...parts.values()].filter(({ waits }) => waits),
    q = (flight = ++asked);
  if (!waiting.length) return;
  try {
    for await (const text of answerTo({ q, follow: true, stop }, waiting[waiting.length - 1].token)) {
      const message = /** @type {Message} */ (JSON.parse(text));
      // a "news" message counts even in an answer to an older request: it is sent only once
      if (flight === q || message.kind === "news") take(message);
    }
  } catch (error) {
    if (flight !== q) return;
    // the token is no longer valid: drawing the page again brings a new one
    if (error instanceof LostError && error.status === GONE) store.renew?.();
    askSoon(RETRY_MS);
  }
}

/** @param {Message} message */
function take(message) {
  for (const part of parts.values()) {
    if (message.kind === "gone") askSoon(RETRY_MS);
    else if (message.kind === "progress" && !part.part) showProgress(part, message);
    else if (
      (message.kind === "page" && !part.part) ||
      (message.kind === "news" && message.part === part.part)
    )
      part.draw();
  }
}

/** @param {Part} part @param {Message | null} work */
function showProgress({ root }, work) {
  root.hidden = !work;
  if (!work) return;
  /** @type {HTMLProgressElement} */ (root.querySelector("progress")).value = work.share;
  setText(root.querySelector("span"), progressText(work));
}

/** @param {{ data: Uint8Array, parentElement: HTMLElement, setTriggerValue: (name: string, value: unknown) => void }} component */
export default function mount({ data, parentElement, setTriggerValue }) {
  const content = /** @type {Content} */ (JSON.parse(new TextDecoder().decode(data)));
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".follow"));
  const tell = whileHere(parentElement),
    draw = () => inTurn(() => tell(() => setTriggerValue("news", Date.now())));
  const part = { ...content, root, draw };
  if (content.part === PAGE) store.renew = draw;
  parts.set(parentElement, part);
  /** @type {HTMLButtonElement} */ (root.querySelector("button")).onclick = () => askSoon(0, true);
  if (content.waits) askSoon();
  else showProgress(part, null);
  return () => {
    parts.delete(parentElement);
  };
}
