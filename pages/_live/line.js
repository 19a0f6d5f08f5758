// The visitor's line: the main figure's direct connection to Python (pages/_live/route.py). A question says which
// controls the user has moved. Its answer is a stream of messages, one per line of text: they bring curves and
// frames, and tell when other parts of the page have changed. The page itself is drawn again ("follows") once no
// control has moved for a while.

import { setText } from "./dom.js";
import { inTheme } from "./pane.js";
import { keepFrames, keepSnapshot, store, withVertices } from "./store.js";
import { GONE, LostError, RETRY_MS, progressText } from "./stream.js";
import { drawnHere } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Payload } from "./view.js" */

/**
 * @typedef {{ note: string, share: number, left: number, quiet: boolean }} Work note: what Python measures; share: share done, 0 to 1; left: seconds left; quiet: true if the figure on screen is already final
 *
 * @typedef {{ q: number, kind: string } & Work & Payload & import("./store.js").Frames} Message kind: says which of these fields the message has
 *
 * @typedef {object} Line
 * @property {number} q number of the last question
 * @property {{ landed: boolean, abort: AbortController } | null} flight the last question, until its answer ends; landed: its first curves are drawn
 * @property {boolean} waiting true if a newer question is to be sent once the last one has landed
 * @property {boolean} more true if the browser must ask again when the answer ends
 * @property {boolean} wants true if the user has started a film and Python has not been asked for it yet
 * @property {number} moved number of the last question whose answer changed something on the page
 * @property {number} followed number of the last question whose changes the page shows
 * @property {boolean} told true if Python has announced a change since the page was last drawn
 * @property {number} rest milliseconds to wait after an answer before the page is drawn
 * @property {{ hidden: string[], folded: string[] } | null} hidden ids of the curves that the user has hidden, and of those left out because too many are drawn; null once Python knows them
 * @property {[string, unknown][]} later values to send to the page once the answer has landed
 * @property {string} token by which Python recognises the visitor
 * @property {number | null} since time at which the measurement began, in milliseconds
 */

// if a measurement takes longer than this many seconds, a newer question need not wait for its curves
const LONG_SECONDS = 2;
// milliseconds without a change before the page is drawn again: drawing it between two key presses would keep Python
// busy
const REST_MS = 600;
// milliseconds after the release of a control before its value is sent to Python, if the browser could draw the
// curves without Python
const RELEASE_MS = 200;
const DIM_MS = 350; // an outdated figure is dimmed after this many milliseconds without an answer
// while the figure on screen is final, the progress of further measurements is shown after this many milliseconds
const QUIET_MS = 1000;

/** @returns {Line} */
export const noLine = () => ({
  q: 0,
  flight: null,
  waiting: false,
  more: false,
  wants: false,
  moved: 0,
  followed: 0,
  told: false,
  rest: REST_MS,
  hidden: null,
  later: [],
  token: "",
  since: null,
});

/** The controls that the user has moved since the last question.
 * @param {LiveFigure} live */
const news = ({ controls: { list } }) => list.filter((control) => control.value !== control.sent);

/** Ask Python for the curves at the controls' values. While an answer is awaited, only the newest values are kept,
 * for the next question.
 * @param {LiveFigure} live @param {boolean} [stop] stop the measurement that is running */
export function ask(live, stop = false) {
  const { line } = live;
  if (!line.token) return;
  line.rest = REST_MS;
  if (!stop && line.flight && !line.hidden && !line.wants && !news(live).length)
    line.more = true; // no control has moved: the answer in flight may already bring what is missing
  else if (stop || !line.flight || line.flight.landed) void send(live, stop);
  // a new question ends the last answer: sent at once, it would keep a drag from ever getting curves
  else line.waiting = true;
}

/** Ask Python once no control has moved for some time, unless the user still holds one.
 * @param {LiveFigure} live */
export function askLater(live, milliseconds = RELEASE_MS) {
  live.timers.start("release", milliseconds, () => {
    if (live.controls.held) return;
    if (news(live).length) ask(live);
    live.line.rest = 0; // the wait above counts: draw the page without a further one
    followLater(live);
  });
}

/** Send a value to the page, once Python knows the values of the controls on screen.
 * @param {LiveFigure} live @param {string} name @param {unknown} value */
export function tellPage(live, name, value) {
  live.line.later.push([name, value]);
  if (news(live).length || (live.line.flight && !live.line.flight.landed)) return ask(live);
  tellNow(live);
}

/** @param {LiveFigure} live */
function tellNow(live) {
  for (const [name, value] of live.line.later.splice(0)) live.tell(name, value);
}

/** @param {LiveFigure} live @param {boolean} [stop] */
async function send(live, stop = false) {
  const { line, timers, payload } = live,
    moved = news(live),
    { hidden, token } = line;
  timers.stop("retry");
  const values = { ...Object.fromEntries(moved.map(({ spec, value }) => [spec.id, value])), ...hidden };
  for (const control of moved) control.sent = control.value;
  const q = (line.q = Math.max(line.q, payload.asked ?? 0) + 1),
    flight = (line.flight = { landed: false, abort: new AbortController() });
  Object.assign(line, {
    hidden: null,
    more: false,
    waiting: false,
    wants: false,
    ...((moved.length || hidden || stop) && { moved: q }),
  });
  const outdated =
    moved.some(({ spec }) => ["data", "details", "sampling"].includes(spec.group)) || !drawnHere(live);
  if (outdated && moved.length)
    timers.start("dim", DIM_MS, () => {
      live.root.dataset.busy = "true";
    });
  live.root.dataset.more = "true";
  try {
    const question = {
      q,
      of: payload.of,
      values,
      stop,
      have: [...store.frames.keys(), ...store.curves.keys()],
      ...live.film.wish(),
    };
    for await (const text of live.host.answerTo(question, token, flight.abort.signal)) {
      const message = JSON.parse(inTheme(live, text));
      // a "page" message counts even in an answer that has been replaced: it is sent only once
      if (line.flight === flight || message.kind === "page") take(live, message);
    }
    if (line.flight === flight) ended(live);
  } catch (error) {
    if (line.flight !== flight) return;
    line.flight = null;
    // send these values again: Python may not have received them
    for (const control of moved) control.sent = undefined;
    line.hidden ??= hidden;
    lost(live, error instanceof LostError ? error.status : 0);
  }
}

/** Called when the figure leaves the page: close the connection, so that Python stops measuring for it. (When a newer
 * question replaces an older one, Python itself ends the older answer.)
 * @param {LiveFigure} live */
export function hangUp({ line }) {
  const { flight } = line;
  Object.assign(line, { flight: null, token: "" });
  flight?.abort.abort();
}

/** @param {LiveFigure} live @param {Message} message */
function take(live, message) {
  const { line } = live;
  if (message.kind === "curves" && !withVertices(message)) line.more = true;
  else if (message.kind === "curves") {
    letGo(live); // send the next question first: Python then measures while the browser draws these curves
    const { pending, coarse, stale } = live.payload,
      measured = (coarse || stale) && !message.coarse && !message.stale;
    // the page's texts must be drawn again: they describe the curves that were measured now
    line.told ||= Boolean(measured || (pending && message.pending === false));
    live.take({ ...live.payload, ...message }, message.q < line.q);
    if (message.q === line.q) notDim(live);
    if (!message.coarse) followLater(live);
  }
  if (message.kind === "frames") {
    keepFrames(message);
    live.redraw(); // the small plots over the sliders are drawn from the frames
    line.moved = line.q; // other parts of the page are drawn from the frames too, and must follow
    line.told = true;
    followLater(live);
  }
  if (message.kind === "snapshot") {
    const snapshot = /** @type {any} */ (message);
    keepSnapshot(snapshot);
    // the curves of a pinned state that a link names have come
    if (live.payload.pins?.includes(snapshot.id)) live.redraw();
  }
  if (["frames", "snapshot", "film", "gif"].includes(message.kind))
    live.film.hear(/** @type {any} */ (message));
  if (message.kind === "progress") {
    showProgress(live, message);
    if (!message.quiet && message.left > LONG_SECONDS) letGo(live);
  }
  // a newer question from the page has replaced this one: ask again
  if (message.kind === "superseded") line.more = true;
  if (message.kind === "page") {
    line.moved = line.q;
    line.told = true;
    line.rest = 0;
    followLater(live);
  }
}

/** Called when the figure shows what was asked for last: it need not be dimmed.
 * @param {LiveFigure} live */
function notDim(live) {
  live.timers.stop("dim");
  live.root.dataset.busy = String(Boolean(live.payload.stale));
}

/** Called when the first curves have come, even if these are coarse: send the question that waits for them.
 * @param {LiveFigure} live */
function letGo(live) {
  const { flight, waiting } = live.line;
  if (!flight || flight.landed) return;
  flight.landed = true;
  if (waiting) void send(live);
  else tellNow(live);
}

/** @param {LiveFigure} live */
function ended(live) {
  const { line } = live;
  letGo(live);
  if (line.flight?.landed === false) return;
  notDim(live);
  line.flight = null;
  live.root.dataset.more = String(isBehind(line)); // true while the page must still be drawn again
  showProgress(live, null);
  if (line.more || news(live).length) ask(live);
  else followLater(live);
}

/** Called when Python cannot be reached, or no longer knows the visitor: try again later.
 * @param {LiveFigure} live @param {number} status HTTP status, 0 where there was no answer */
function lost(live, status) {
  setText(live.parts.status, "Reconnecting …");
  if (status === GONE) store.renew?.(); // drawing the page again brings a new token
  live.timers.start("retry", RETRY_MS, () => {
    void send(live);
  });
}

/** True if the page has not been drawn since the last change by the user or the last announcement by Python.
 * @param {Line} line */
const isBehind = ({ moved, followed, told }) => told || moved > followed;

/** Draw the page again once no control has moved for a while, even if one is still held.
 * @param {LiveFigure} live */
function followLater(live) {
  const { line, timers } = live;
  if (!isBehind(line)) return;
  timers.start("follow", line.rest, () => {
    if ((line.flight && !line.flight.landed) || !isBehind(line)) return;
    line.followed = line.moved;
    line.told = false;
    live.tell("follow", line.followed);
  });
}

/** True if the payload that the page has just sent is older than the last question: the answer to that question
 * counts, not the payload.
 * @param {LiveFigure} live @param {Payload} payload */
export function isLate({ line }, { asked = 0 }) {
  return asked < line.q;
}

/** @param {LiveFigure} live @param {Payload} payload what the page has just sent */
export function pageDrawn(live, payload) {
  const { line } = live,
    { token, asked = 0, more, frames, other, rows, stale, pins = [] } = payload;
  if (!rows || !token) return;
  const renewed = token !== line.token;
  line.token = token;
  line.followed = Math.max(line.followed, asked);
  if (!isLate(live, payload)) {
    hideOther(live, Boolean(other));
    if (!line.flight) live.root.dataset.busy = String(Boolean(stale));
  }
  live.root.dataset.asked = String(asked);
  if (!line.flight) live.root.dataset.more = "false";
  // what Python has measured already, say for another visit, has still to be sent
  const lacks = (frames && !store.frames.has(frames)) || pins.some((id) => !store.snapshots.has(id));
  if (renewed || more || lacks) ask(live);
}

/** Hide what shows the previous data while the newly selected data are measured. It keeps its room, so that nothing
 * moves.
 * @param {LiveFigure} live @param {boolean} hidden */
export function hideOther({ root, parts }, hidden) {
  for (const part of [root, parts.rows, document.querySelector(".st-key-part-diagnostics")])
    part?.toggleAttribute("data-other", hidden);
}

/** @param {LiveFigure} live @param {Work | null} work */
function showProgress({ line, parts: { progress } }, work) {
  const bar = /** @type {HTMLProgressElement} */ (progress.querySelector("progress")),
    text = progress.querySelector("span"),
    now = performance.now();
  line.since = work ? (line.since ?? now) : null;
  const shown =
    work && (work.quiet ? now - (line.since ?? now) > QUIET_MS : work.left > 1 || !progress.hidden);
  progress.hidden = !shown;
  if (!shown) return setText(text, "");
  bar.value = work.share;
  setText(text, (progress.title = progressText(work)));
}

/** @param {LiveFigure} live */
export function wireStop(live) {
  const button = /** @type {HTMLButtonElement} */ (live.parts.progress.querySelector("button"));
  button.onclick = () => ask(live, true);
}
