// Talking to Python: one request in flight, the newest value wins, and every answer says which request it is of. What
// only asks for more is not counted: Python waits with its answer until there is more, or another request.

import { setText } from "./dom.js";
import { drawnHere } from "./view.js";

/** @import { LiveFigure } from "./main.js" */

/**
 * The drawing is not final: seconds before it is worth asking again, what is measured, the share done and the seconds
 * left where they are known; quiet: the drawing itself is final.
 * @typedef {{ pause: number, note: string, share?: number | null, left: number | null, quiet?: boolean }} More
 *
 * @typedef {object} Requests
 * @property {number} turn number of the last request
 * @property {boolean} busy one is in flight that Python answers at once
 * @property {boolean} again the answer was not the last: ask with the same values
 * @property {boolean} stop what Python measures in the background is to stop
 * @property {string[] | null} hidden ids of the curves that the user has hidden, where these are other ones
 * @property {string | null} chosen id of a curve, for the panels
 * @property {string | null} about id of the curve whose family's card is wanted
 * @property {number | null} since time at which the background work began, in milliseconds
 */

const RELEASE_MS = 200; // without a change, after which Python hears of what the browser draws by itself
const DRAWING_MS = 30; // before it is looked again whether Python still draws
const LOST_MS = 60_000; // without an answer, after which it counts as lost
const DIM_MS = 350; // without an answer, after which an outdated drawing is dimmed
const QUIET_MS = 1000; // of work beside a final drawing, after which it is shown

/** @returns {Requests} */
export const noRequests = () => ({ turn: 0, busy: false, again: false, stop: false, chosen: null, about: null, hidden: null, since: null });

/** @param {LiveFigure} live @param {Record<string, unknown>} values */
export function sendTurn({ requests, payload, send }, values) {
  requests.turn = Math.max(requests.turn, payload.turn || 0) + 1;
  send({ ...values, turn: requests.turn });
}

/** @param {LiveFigure} live */
export function ask(live) {
  const { requests, controls: { list } } = live;
  if (requests.busy) return;
  const news = list.filter((control) => control.value !== control.sent), { again, stop, chosen, about, hidden } = requests;
  const wish = news.length > 0 || stop || chosen || about || hidden;
  if (!wish && !again) return;
  for (const control of news) control.sent = control.value;
  const values = Object.fromEntries(list.map(({ spec, value }) => [spec.id, value]));
  // What was set for data that Python has replaced since must not count for those that followed.
  const epoch = (list.find(({ spec }) => spec.group === "data") ?? list.find(({ spec }) => spec.epoch))?.spec.epoch;
  sendTurn(live, { ...values, epoch, ...(!wish && { again }), ...(stop && { stop }), ...(chosen && { chosen }), ...(about && { about }), ...(hidden && { hidden }) });
  Object.assign(requests, { again: false, stop: false, chosen: null, about: null, hidden: null });
  live.timers.stop("poll");
  if (!wish) return startLost(live); // Python may wait with its answer, but gives way to what comes next
  setBusy(live, true, news.some(({ spec }) => ["data", "modes", "sampling"].includes(spec.group)) || !drawnHere(live));
}

/** Python hears of the newest values when they have not changed for some time, and no control is held.
 * @param {LiveFigure} live */
export function askLater(live, milliseconds = RELEASE_MS) {
  live.timers.start("release", milliseconds, () => { if (!live.controls.held) ask(live); });
}

/** @param {LiveFigure} live @param {boolean} busy @param {boolean} outdated what is on screen is not what was asked for */
function setBusy(live, busy, outdated = false) {
  const { timers, requests, root } = live;
  requests.busy = busy;
  timers.stop("lost");
  timers.stop("dim");
  if (!busy) return;
  if (outdated) timers.start("dim", DIM_MS, () => { root.dataset.busy = "true"; });
  startLost(live);
}

/** @param {LiveFigure} live */
function startLost(live) {
  live.timers.start("lost", LOST_MS, () => { setBusy(live, false); live.requests.again = true; ask(live); });
}

/** True if what Python sends was on its way when the last request went out: another widget has had an answer.
 * @param {LiveFigure} live */
export const isLate = ({ requests, payload }) => requests.busy && (payload.turn ?? 0) < requests.turn;

/** An answer, maybe not the last.
 * @param {LiveFigure} live */
export function answered(live) {
  const { more, stale, coarse, other, rows } = live.payload;
  if (rows) hideOther(live, Boolean(other));
  if (isLate(live)) return;
  setBusy(live, false);
  Object.assign(live.root.dataset, { busy: String(Boolean(stale)), more: String(Boolean(more)) });
  live.parts.coarse.textContent = coarse ? `coarse: ${coarse.toLocaleString("en")} samples per set` : "";
  showProgress(live, more);
  live.timers.stop("poll");
  if (more) pollAfter(live, 1000 * more.pause);
  ask(live);
}

/** Ask for more, but not at once: what the user does meanwhile is not kept waiting by an answer that only says "not yet".
 * A request ends what Python still draws of the page, so it comes after that.
 * @param {LiveFigure} live @param {number} milliseconds */
function pollAfter(live, milliseconds) {
  live.timers.start("poll", milliseconds, () => {
    if (document.querySelector('[data-test-script-state="running"]')) return pollAfter(live, DRAWING_MS);
    live.requests.again = true;
    ask(live);
  });
}

/** Hide what is drawn of other data than those that are wanted, as long as these are measured; its room stays.
 * @param {LiveFigure} live @param {boolean} hidden */
export function hideOther({ root, parts }, hidden) {
  for (const part of [root, parts.rows, document.querySelector(".st-key-part-diagnostics")]) part?.toggleAttribute("data-other", hidden);
}

/** @param {number} seconds */
const durationText = (seconds) => (seconds < 90 ? `${Math.max(Math.round(seconds), 1)} s` : `${Math.round(seconds / 60)} min`);

/** @param {LiveFigure} live @param {More | null | undefined} more */
function showProgress({ requests, parts: { progress } }, more) {
  const bar = /** @type {HTMLProgressElement} */ (progress.querySelector("progress")), text = progress.querySelector("span"), now = performance.now();
  requests.since = more ? requests.since ?? now : null;
  const shown = more && (more.quiet ? now - (requests.since ?? now) > QUIET_MS : more.left === null || more.left > 1 || !progress.hidden);
  progress.hidden = !shown;
  if (!shown) return setText(text, "");
  if (typeof more.share === "number") bar.value = more.share;
  else bar.removeAttribute("value");
  setText(text, progress.title = [more.note, more.left !== null && more.left > 1 && `about ${durationText(more.left)} left`].filter(Boolean).join(": "));
}

/** @param {LiveFigure} live */
export function wireStop(live) {
  const button = /** @type {HTMLButtonElement} */ (live.parts.progress.querySelector("button"));
  button.onclick = () => { live.requests.stop = true; ask(live); };
}
