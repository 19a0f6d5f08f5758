// Talking to Python: one request in flight, the newest value wins, and every answer says whose turn it was.

const RELEASE_MS = 200;
// Nobody says when a series of key presses ends. The answer keeps the page busy for a while, which must not fall between
// them.
const KEYS_MS = 600;

// `rest`: how long the hand must rest before Python hears of what the browser draws by itself.
function changed(S, c, rest = RELEASE_MS) {
  show(c);
  S.at = S.payload.model ? null : position(S);
  if (c.spec.angle) S.lam = angleToLam(c.value);
  if (!followed(S, c)) { tellOthers(S, false); return ask(S); }
  schedule(S, !c.spec.angle || Boolean(S.payload.model));
  tellOthers(S, !c.spec.angle);
  later(S, rest);
}

// Where the sliders stand, for figures without sliders of their own.
function tellOthers(S, curves) {
  if (!S.at) return;
  store.hand = { id: S.payload.frames, at: S.at, lam: S.lam };
  store.listeners.forEach((listener) => listener(curves));
}

// Whether the browser can draw this control's value by itself.
const followed = (S, c) => S.payload.model || c.spec.angle || (c.spec.group === "estimator" && isLocal(S));
const isLocal = (S) => S.at && S.payload.shown && (sameStop(S.at, S.payload.shown) || look(S).local);

// What the browser has drawn by itself reaches Python when the hand has rested, or let go.
function later(S, rest = RELEASE_MS) {
  clearTimeout(S.release);
  S.release = setTimeout(() => { if (!S.controls.some((c) => c.held)) ask(S); }, rest);
}

function ask(S) {
  if (S.busy) return;
  const news = S.controls.filter((c) => c.value !== c.asked);
  if (!news.length && !S.again && !S.stop && !S.chosen) return;
  for (const c of news) c.asked = c.value;
  S.turn = Math.max(S.turn, S.payload.turn || 0) + 1;
  const values = Object.fromEntries(S.controls.map((c) => [c.spec.id, c.value]));
  // What was set for data that Python has replaced since must not count for those that followed.
  const epoch = (S.controls.find((c) => c.spec.group === "data") ?? S.controls.find((c) => c.spec.epoch))?.spec.epoch;
  S.set("values", { ...values, epoch, turn: S.turn, ...(S.stop ? { stop: true } : {}), ...(S.chosen ? { chosen: S.chosen } : {}) });
  S.stop = S.again = false;
  S.chosen = null;
  clearTimeout(S.poll);
  setBusy(S, true, !S.payload.model && (news.some((c) => c.spec.group === "data") || !(S.at && isLocal(S))));
}

// `waits`: what is on screen is not what was asked for.
function setBusy(S, busy, waits) {
  S.busy = busy;
  clearTimeout(S.watchdog);
  clearTimeout(S.dimmer);
  if (!busy) return;
  if (waits) S.dimmer = setTimeout(() => { S.root.dataset.busy = "true"; }, 350);
  S.watchdog = setTimeout(() => { setBusy(S, false); ask(S); }, 60000); // a reply was lost
}

// An answer, maybe not the last: `more` asks to come again, `stale` says that the drawing is of other settings,
// `coarse` that it is of so many samples only.
function answered(S) {
  const { more, stale, coarse } = S.payload;
  setBusy(S, false);
  Object.assign(S.root.dataset, { busy: String(Boolean(stale)), more: String(Boolean(more)) });
  S.coarse.textContent = coarse ? `coarse: ${coarse.toLocaleString("en")} samples per set` : "";
  progress(S, more);
  clearTimeout(S.poll);
  // Not at once: what the hand does meanwhile is not kept waiting by an answer that only says "not yet".
  if (more) S.poll = setTimeout(() => { S.again = true; ask(S); }, 1000 * more.pause);
  ask(S);
}

const words = (seconds) => (seconds < 90 ? `${Math.max(Math.round(seconds), 1)} s` : `${Math.round(seconds / 60)} min`);

function progress(S, more) {
  const box = S.root.querySelector(".progress"), bar = box.querySelector("progress"), now = performance.now();
  S.since = more ? S.since ?? now : undefined;
  // Quiet work goes on beside a finished drawing: it shows only where it lasts.
  const seen = more && (more.quiet ? now - S.since > 1000 : more.left === null || more.left > 1 || !box.hidden);
  box.hidden = !seen;
  if (!seen) return setText(box.querySelector("span"), "");
  if (more.share === null || more.share === undefined) bar.removeAttribute("value");
  else bar.value = more.share;
  const left = more.left > 1 ? `about ${words(more.left)} left` : "";
  setText(box.querySelector("span"), [more.note, left].filter(Boolean).join(": "));
}

function wireStop(S) {
  S.root.querySelector(".progress button").onclick = () => { S.stop = true; ask(S); };
}
