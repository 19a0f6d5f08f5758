// The visitor's line to Python: questions out, messages in, as lines of one answer (pages/_live/route.py). A question says
// which controls the user has moved; the answer's messages draw the curves, bring the frames, and say when the page has
// news. The page itself follows when no control has moved for a while.

import { setText } from "./dom.js";
import { inTheme } from "./pane.js";
import { keepFrames, keepSnapshot, store, withVertices } from "./store.js";
import { GONE, LostError, RETRY_MS, progressText } from "./stream.js";
import { drawnHere } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Payload } from "./view.js" */

/**
 * @typedef {{ note: string, share: number, left: number, quiet: boolean }} Work what Python measures, the share done and the seconds left; quiet: the drawing itself is final
 *
 * @typedef {{ q: number, kind: string } & Work & Payload & import("./store.js").Frames} Message of one of the kinds, with its content
 *
 * @typedef {object} Line
 * @property {number} q number of the last question
 * @property {{ landed: boolean, abort: AbortController } | null} flight the last question, until its answer ends; landed: it has drawn once
 * @property {boolean} waiting a newer question waits for the first drawing of that one
 * @property {boolean} more ask once more when the answer ends
 * @property {boolean} wants the user has asked for a film, of which Python does not know yet
 * @property {number} moved the last question that has changed something for the page
 * @property {number} followed the last one that the page has followed
 * @property {boolean} told Python has told of something for the page since the page began to follow last, maybe twice in one answer
 * @property {number} rest milliseconds after an answer for which the page waits before it follows
 * @property {{ hidden: string[], folded: string[] } | null} hidden ids of the curves that the user has hidden, and of those that are too many to be drawn with the others, until Python knows
 * @property {[string, unknown][]} later what the page is to be told once the answer has landed
 * @property {string} token by which Python knows the visitor
 * @property {number | null} since time at which the work began, in milliseconds
 */

const LONG_SECONDS = 2; // of measuring, after which a newer question no longer waits for the first drawing of the one before
const REST_MS = 600; // without a change, after which the page follows: between two key presses it would keep Python busy
const RELEASE_MS = 200; // after a control is let go, before Python hears of what the browser draws by itself
const DIM_MS = 350; // without an answer, after which an outdated drawing is dimmed
const QUIET_MS = 1000; // of work beside a final drawing, after which it is shown

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

/** The controls that the user has moved since Python heard of them.
 * @param {LiveFigure} live */
const news = ({ controls: { list } }) => list.filter((control) => control.value !== control.sent);

/** Ask for what is on screen to be; the newest values win.
 * @param {LiveFigure} live @param {boolean} [stop] give up what is measured now */
export function ask(live, stop = false) {
  const { line } = live;
  if (!line.token) return;
  line.rest = REST_MS;
  if (!stop && line.flight && !line.hidden && !line.wants && !news(live).length)
    line.more = true; // the answer may have it already
  else if (stop || !line.flight || line.flight.landed) void send(live, stop);
  else line.waiting = true; // or a drag would end each question before its curves
}

/** Python hears of the newest values when they have not changed for some time, and no control is held.
 * @param {LiveFigure} live */
export function askLater(live, milliseconds = RELEASE_MS) {
  live.timers.start("release", milliseconds, () => {
    if (live.controls.held) return;
    if (news(live).length) ask(live);
    live.line.rest = 0; // it has been waited for already
    followLater(live);
  });
}

/** Tell the page, once Python knows the values that are on screen.
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
      if (line.flight === flight || message.kind === "page") take(live, message); // the page is told once
    }
    if (line.flight === flight) ended(live);
  } catch (error) {
    if (line.flight !== flight) return;
    line.flight = null;
    for (const control of moved) control.sent = undefined; // Python may not have them
    line.hidden ??= hidden;
    lost(live, error instanceof LostError ? error.status : 0);
  }
}

/** The figure leaves the page: Python is to measure nothing more for it. An answer that another question replaces is
 * ended by Python, which keeps the connection.
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
    letGo(live); // Python measures what waits while this is drawn
    const { pending, coarse, stale } = live.payload,
      measured = (coarse || stale) && !message.coarse && !message.stale;
    line.told ||= Boolean(measured || (pending && message.pending === false)); // the page speaks of them too
    live.take({ ...live.payload, ...message }, message.q < line.q);
    if (message.q === line.q) notDim(live);
    if (!message.coarse) followLater(live);
  }
  if (message.kind === "frames") {
    keepFrames(message);
    live.redraw(); // the sliders say what they would bring
    line.moved = line.q; // the page draws them too
    line.told = true;
    followLater(live);
  }
  if (message.kind === "snapshot") {
    const snapshot = /** @type {any} */ (message);
    keepSnapshot(snapshot);
    if (live.payload.pins?.includes(snapshot.id)) live.redraw(); // a link's pinned state has come
  }
  if (["frames", "snapshot", "film", "gif"].includes(message.kind))
    live.film.hear(/** @type {any} */ (message));
  if (message.kind === "progress") {
    showProgress(live, message);
    if (!message.quiet && message.left > LONG_SECONDS) letGo(live);
  }
  if (message.kind === "superseded") line.more = true; // by the page: another question of ours would be the newest one
  if (message.kind === "page") {
    line.moved = line.q;
    line.told = true;
    line.rest = 0;
    followLater(live);
  }
}

/** What is on screen is what was asked for last.
 * @param {LiveFigure} live */
function notDim(live) {
  live.timers.stop("dim");
  live.root.dataset.busy = String(Boolean(live.payload.stale));
}

/** The answer has come, if only a coarse one: the question that waits may follow.
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
  live.root.dataset.more = String(isBehind(line)); // the page is to follow
  showProgress(live, null);
  if (line.more || news(live).length) ask(live);
  else followLater(live);
}

/** Python knows the visitor no more, or cannot be reached.
 * @param {LiveFigure} live @param {number} status of HTTP, 0 where there was no answer */
function lost(live, status) {
  setText(live.parts.status, "Reconnecting …");
  if (status === GONE) store.renew?.(); // the page comes with another token
  live.timers.start("retry", RETRY_MS, () => {
    void send(live);
  });
}

/** The page has not followed what was moved, or what Python has told of.
 * @param {Line} line */
const isBehind = ({ moved, followed, told }) => told || moved > followed;

/** The page follows the figure, once no control has moved for a while, be it held or not.
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

/** The page has been drawn; true if what it says of the figure is older than the last question, whose answer counts.
 * @param {LiveFigure} live @param {Payload} payload */
export function isLate({ line }, { asked = 0 }) {
  return asked < line.q;
}

/** @param {LiveFigure} live @param {Payload} payload of the page */
export function pageDrawn(live, payload) {
  const { line } = live,
    { token, asked = 0, more, frames, other, rows, stale } = payload;
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
  if (renewed || more || (frames && !store.frames.has(frames))) ask(live);
}

/** Hide what is drawn of other data than those that are wanted, as long as these are measured; its room stays.
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
