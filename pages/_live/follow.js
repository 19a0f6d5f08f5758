// Parts of a page that follow work: one question for all of them, whose answer says which are to be drawn anew, and how
// far the work is that one of them waits for (pages/_live/follow.py).

import { setText } from "./dom.js";
import { whileHere } from "./leaving.js";
import { store } from "./store.js";
import { GONE, LostError, RETRY_MS, answerTo, progressText } from "./stream.js";

/**
 * @typedef {{ part: string, token: string, waits: boolean }} Content part: its name, "" for what waits for a measurement
 * @typedef {Content & { root: HTMLElement, draw: () => void }} Part draw: let Python draw it anew
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

/** Streamlit runs one part alone of those that are told in the same moment.
 * @param {() => void} call */
function inTurn(call) {
  const now = performance.now();
  free = Math.max(now, free + APART_MS);
  setTimeout(call, free - now);
}

/** Ask once for all parts that are drawn in this moment. */
function askSoon(milliseconds = 0, stop = false) {
  clearTimeout(timer);
  timer = setTimeout(() => {
    void ask(stop);
  }, milliseconds);
}

/** @param {boolean} stop give up what is measured now */
async function ask(stop) {
  if (store.ask) return store.ask(); // one visitor has one question
  const waiting = [...parts.values()].filter(({ waits }) => waits),
    q = (flight = ++asked);
  if (!waiting.length) return;
  try {
    for await (const text of answerTo({ q, follow: true, stop }, waiting[waiting.length - 1].token)) {
      const message = /** @type {Message} */ (JSON.parse(text));
      if (flight === q || message.kind === "news") take(message); // in whichever answer they come
    }
  } catch (error) {
    if (flight !== q) return;
    if (error instanceof LostError && error.status === GONE) store.renew?.(); // with another token
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
