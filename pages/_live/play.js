// Play: a film of the curves over n, over k or over seeds, which runs by itself or is moved by the user. The film
// replaces the curves at the current settings on screen, and does not change the settings. A film over k uses the
// frames; the frames of other films are snapshots (prviz/live/snapshots.py) that Python sends on the visitor's line.

import { button, element, setText } from "./dom.js";
import { curvesAt } from "./frames.js";
import { ask } from "./line.js";
import { schedule } from "./paint.js";
import { store } from "./store.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/**
 * The interface of a film for other modules.
 * @typedef {object} Playing
 * @property {boolean} open
 * @property {boolean} others true if its frames are of other samples than the settings: no bound is known for these
 * @property {() => View | null} look the frame on screen; null without a film
 * @property {() => { id: string, color: string, vertices: import("./curve.js").Vertex[] }[]} cloud the curves of earlier draws, in a film over seeds
 * @property {() => void} take called with each new payload
 * @property {() => object} wish returns the part of a question that asks Python for the film
 * @property {(message: any) => void} hear takes a message of an answer from Python
 * @property {() => void} close
 * @property {() => void} leave
 *
 * One frame of a film: the value of n, k or seed (null for infinitely many samples), its k, and the id of its
 * snapshot ("" in a film over k).
 * @typedef {[value: number | null, k: number, id: string]} FilmStop
 */

/** @type {Record<string, string>} */
const NAMES = { n: "samples n", k: "neighbours k", seed: "seeds" };
const SAVE = "Save film";
// Durations in milliseconds: of a whole film, and at least and at most of one frame, as in prviz/figures/film.py.
const FILM_MS = 8000,
  LEAST_MS = 120,
  MOST_MS = 700;

/** The film of a figure that has no film.
 * @type {Playing} */
export const NO_FILM = {
  open: false,
  others: false,
  look: () => null,
  cloud: () => [],
  take: () => {},
  wish: () => ({}),
  hear: () => {},
  close: () => {},
  leave: () => {},
};

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {LiveFigure} live @returns {Playing} */
export function makeFilm(live) {
  const { parts, root, timers } = live;
  let over = "", // what the film runs over: "n", "k" or "seed"; "" without a film
    at = 0,
    playing = false,
    saving = false,
    of = "";
  /** @type {FilmStop[]} */
  let stops = [];
  /** @type {View | null} */
  let last = null;

  const start = button(() => begin(live.payload.films?.[0]), "▶ Play", { class: "play" });
  const go = button(toggle, { class: "go" });
  const range = element("input", { type: "range", min: 0, step: 1, "aria-label": "Frame of the film" });
  range.oninput = () => {
    const to = +range.value; // read before pause(), which moves the slider to the current frame
    pause();
    show(to);
  };
  const text = element("output");
  const kinds = element("span.kinds", { role: "group", "aria-label": "Play over" });
  const save = button(saveFilm, SAVE, { title: "An animated GIF of this film, for a slide." });
  const shut = button(close, "×", { class: "shut", "aria-label": "Close the film" });
  parts.stage.prepend(start);
  parts.film.replaceChildren(kinds, save, shut, go, range, text);
  // Any gesture outside the film's controls pauses the film; Escape closes it.
  const here = new AbortController();
  const away = (/** @type {Event} */ event) => {
    if (!over) return;
    if ("key" in event && event.key === "Escape") close();
    else if (!(event.target instanceof Element && parts.film.contains(event.target))) pause();
  };
  for (const kind of ["pointerdown", "keydown", "wheel"])
    window.addEventListener(kind, away, { capture: true, signal: here.signal });

  function take() {
    const { films = [], shown, curves, now = "", rows, of: data } = live.payload;
    parts.stage.hidden = !rows;
    start.hidden = !films.length;
    const before = of;
    of = JSON.stringify([data, now, shown, curves.map(({ id }) => id)]);
    if (of !== before) close();
  }

  /** @param {string} [kind] */
  function begin(kind) {
    if (!kind) return;
    timers.stop("film"); // stops the previous film
    over = kind;
    last = null;
    saving = false;
    setText(save, SAVE);
    stops = over === "k" ? everyK() : [];
    playing = !isStill();
    root.dataset.film = document.documentElement.dataset.prvizFilm = over;
    parts.film.hidden = false;
    kinds.replaceChildren(
      ...(live.payload.films ?? []).map((each) =>
        button(() => begin(each), NAMES[each], { "aria-pressed": String(each === over) }),
      ),
    );
    if (over !== "k") askFor();
    go.focus({ preventScroll: true });
    show(0);
    next();
  }

  function close() {
    if (!over) return;
    const inside = parts.film.contains(document.activeElement);
    pause();
    over = "";
    parts.film.hidden = true;
    delete root.dataset.film;
    delete document.documentElement.dataset.prvizFilm;
    if (inside) start.focus({ preventScroll: true });
    schedule(live);
  }

  function pause() {
    playing = false;
    timers.stop("film");
    say();
  }

  function askFor() {
    live.line.wants = true;
    ask(live);
  }

  function saveFilm() {
    saving = true;
    setText(save, "Drawing …");
    askFor();
  }

  /** @returns {FilmStop[]} */
  function everyK() {
    /** @type {(number | null)[]} */
    const ks = store.frames.get(live.payload.frames)?.k.stops ?? [];
    return ks.map((k) => [k, Number(k), ""]);
  }

  /** @param {any} message */
  function hear({ kind, over: film, stops: sent, data, file }) {
    if (!over) return;
    if (kind === "film" && film === over && over !== "k") stops = sent;
    if (kind === "frames" && over === "k") stops = everyK();
    if (kind === "gif" && saving) {
      saving = false;
      setText(save, SAVE);
      element("a", { href: `data:image/gif;base64,${data}`, download: file }).click();
    }
    show(at);
    if (playing && !timers.waits("film")) next();
  }

  const isLast = () => at >= stops.length - 1;

  function toggle() {
    if (playing) return pause();
    if (isStill()) return show(isLast() ? 0 : at + 1); // users who prefer reduced motion get one step per press
    if (isLast()) show(0);
    playing = true;
    say();
    next();
  }

  /** Show the next frame after a while. If that frame is not measured yet, the film waits for it. */
  function next() {
    const { length } = stops;
    if (!playing || !length) return;
    timers.start("film", Math.min(Math.max(FILM_MS / length, LEAST_MS), MOST_MS), () => {
      if (!playing) return;
      if (isLast()) return pause();
      if (!frameAt(at + 1)) return; // when the frame arrives, hear() continues the film
      show(at + 1);
      next();
    });
  }

  /** @param {number} to */
  function show(to) {
    at = to;
    say();
    schedule(live);
  }

  function say() {
    const [value, k] = stops[at] ?? [];
    range.max = String(Math.max(stops.length - 1, 0));
    range.value = String(at);
    let said = "measuring …";
    if (value !== undefined && frameAt(at))
      said = `${over} = ${value === null ? `∞ at k = ${k}` : value.toLocaleString("en")}`;
    setText(text, said);
    range.setAttribute("aria-valuetext", said);
    let [sign, label] = isStill() ? ["›", "Next"] : ["▶", "Play"];
    if (stops.length && isLast()) [sign, label] = ["↺", "Again"];
    if (playing) [sign, label] = ["❚❚", "Pause"];
    setText(go, sign);
    go.setAttribute("aria-label", label);
  }

  /** @param {number} place @returns {View | null} */
  function frameAt(place) {
    const { payload } = live;
    if (!stops[place]) return null;
    const [value, k, id] = stops[place],
      stop = `film ${over} ${value} ${id}`;
    if (!id) {
      const where = { k, bandwidth: payload.shown?.bandwidth ?? null },
        curves = curvesAt(payload, where);
      return curves && { at: where, stop, local: true, curves };
    }
    /** @type {import("./store.js").Snapshot | undefined} */
    const held = store.snapshots.get(id);
    if (!held) return null;
    const { noise, few, rows, limit } = held;
    const curves = payload.curves.flatMap((curve) => {
      if (curve.id === "truth") return [{ ...curve, row: payload.table?.rows.truth, still: true }];
      const found = held.curves.find((each) => each.id === curve.id);
      return found
        ? [{ ...curve, vertices: found.vertices, row: rows[curve.id], still: false, dotted: limit }]
        : [];
    });
    return { at: null, stop, local: true, curves, noise, few };
  }

  return {
    get open() {
      return over !== "";
    },
    get others() {
      return over === "n" || over === "seed";
    },
    take,
    hear,
    close,
    leave: () => {
      here.abort();
      delete document.documentElement.dataset.prvizFilm;
    },
    wish: () => (over ? { film: over, gif: saving } : {}),
    look() {
      if (over) last = frameAt(at) ?? last;
      return over ? last : null;
    },
    cloud: () =>
      over === "seed"
        ? stops
            .slice(0, at)
            .flatMap(([, , id]) => store.snapshots.get(id)?.curves ?? [])
            .filter(({ id }) => !live.rows.hidden.has(id))
        : [],
  };
}
