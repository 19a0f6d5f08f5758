// Play: the curves over n, over k or over seeds, by themselves or by hand, in place of those of the settings, which stay as
// they are. Every k is in the frames; other films come on the line, each frame a snapshot (prviz/live/snapshots.py).

import { button, element, setText } from "./dom.js";
import { curvesAt } from "./frames.js";
import { ask } from "./line.js";
import { schedule } from "./paint.js";
import { store } from "./store.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/**
 * What other modules know of a film.
 * @typedef {object} Playing
 * @property {string} [over] "n", "k" or "seed", "" while there is none; undefined in figures without a film
 * @property {boolean} open
 * @property {() => View | null} look the frame on screen; null where the settings are
 * @property {() => { id: string, color: string, vertices: import("./curve.js").Vertex[] }[]} cloud the curves of the draws before
 * @property {() => void} take the payload is another one
 * @property {() => object} wish what a question asks for
 * @property {(message: any) => void} hear
 * @property {() => void} close
 * @property {() => void} leave
 *
 * One frame: its number, null for endless samples, its k, and the snapshot's id, "" for a k of the frames.
 * @typedef {[value: number | null, k: number, id: string]} FilmStop
 */

const NAMES = { n: "samples n", k: "neighbours k", seed: "seeds" };
const FILM_MS = 8000,
  LEAST_MS = 120,
  MOST_MS = 700; // as prviz/figures/film.py

/** @returns {Playing} */
export const noFilm = () => ({
  open: false,
  look: () => null,
  cloud: () => [],
  take: () => {},
  wish: () => ({}),
  hear: () => {},
  close: () => {},
  leave: () => {},
});

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @implements {Playing} */
export class Film {
  over = "";
  #at = 0;
  #playing = false;
  #gif = false;
  /** @type {FilmStop[]} */
  #stops = [];
  /** @type {View | null} */
  #last = null;
  #of = "";

  /** @param {LiveFigure} live */
  constructor(live) {
    this.live = live;
    this.start = button(() => this.begin(), "▶ Play", { class: "play" });
    live.parts.stage.prepend(this.start);
    this.go = button(() => this.#toggle(), { class: "go" });
    this.range = element("input", { type: "range", min: 0, step: 1, "aria-label": "Frame of the film" });
    this.range.oninput = () => {
      const at = +this.range.value; // before a pause says where the film is
      this.pause();
      this.#show(at);
    };
    this.text = element("output");
    this.kinds = element("span.kinds", { role: "group", "aria-label": "Play over" });
    this.save = button(() => this.#save(), "Save film", {
      title: "An animated GIF of this film, for a slide.",
    });
    const shut = button(() => this.close(), "×", { class: "shut", "aria-label": "Close the film" });
    live.parts.film.replaceChildren(this.kinds, this.save, shut, this.go, this.range, this.text);
    // Any other gesture stops it.
    this.away = (/** @type {Event} */ event) => {
      if (!this.open) return;
      if ("key" in event && event.key === "Escape") this.close();
      else if (!(event.target instanceof Element && live.parts.film.contains(event.target))) this.pause();
    };
    for (const kind of ["pointerdown", "keydown", "wheel"]) window.addEventListener(kind, this.away, true);
  }

  get open() {
    return this.over !== "";
  }

  leave() {
    for (const kind of ["pointerdown", "keydown", "wheel"]) window.removeEventListener(kind, this.away, true);
  }

  /** @returns {("n" | "k" | "seed")[]} */
  get #kinds() {
    return /** @type {any} */ (this.live.payload.films ?? []);
  }

  take() {
    const { payload, parts } = this.live,
      { films = [], shown, curves, now = "" } = payload;
    parts.stage.hidden = !payload.rows;
    this.start.hidden = !films.length;
    const of = JSON.stringify([payload.of, now, shown, curves.map(({ id }) => id)]);
    if (this.open && of !== this.#of) this.close();
    this.#of = of;
  }

  begin(over = this.#kinds[0]) {
    if (!over) return;
    const { live } = this;
    live.timers.stop("film"); // of the film before
    Object.assign(this, { over });
    this.#at = 0;
    this.#last = null;
    this.#gif = false;
    setText(this.save, "Save film");
    this.#stops = over === "k" ? this.#everyK() : [];
    this.#playing = !isStill();
    live.root.dataset.film = over;
    live.parts.film.hidden = false;
    this.kinds.replaceChildren(
      ...this.#kinds.map((kind) =>
        button(() => this.begin(kind), NAMES[kind], { "aria-pressed": String(kind === over) }),
      ),
    );
    if (over !== "k") this.#ask();
    this.go.focus({ preventScroll: true });
    this.#show(0);
    this.#next();
  }

  close() {
    if (!this.open) return;
    const inside = this.live.parts.film.contains(document.activeElement);
    this.pause();
    this.over = "";
    this.live.parts.film.hidden = true;
    delete this.live.root.dataset.film;
    if (inside) this.start.focus({ preventScroll: true });
    schedule(this.live);
  }

  pause() {
    this.#playing = false;
    this.live.timers.stop("film");
    this.#say();
  }

  #ask() {
    this.live.line.wants = true;
    ask(this.live);
  }

  #save() {
    this.#gif = true;
    setText(this.save, "Drawing …");
    this.#ask();
  }

  wish() {
    return this.open ? { film: this.over, gif: this.#gif } : {};
  }

  /** @returns {FilmStop[]} */
  #everyK() {
    const { frames } = this.live.payload;
    /** @type {(number | null)[]} */
    const ks = store.frames.get(frames)?.k.stops ?? [];
    return ks.map((k) => [Number(k), Number(k), ""]);
  }

  /** @param {any} message */
  hear(message) {
    if (!this.open) return;
    if (message.kind === "film" && message.over === this.over && this.over !== "k")
      this.#stops = message.stops;
    if (message.kind === "frames" && this.over === "k") this.#stops = this.#everyK();
    if (message.kind === "gif" && this.#gif) {
      this.#gif = false;
      setText(this.save, "Save film");
      const link = element("a", { href: `data:image/gif;base64,${message.data}`, download: message.file });
      link.click();
    }
    this.#show(this.#at);
    if (this.#playing && !this.live.timers.waits("film")) this.#next();
  }

  #toggle() {
    const end = this.#at >= this.#stops.length - 1;
    if (this.#playing) return this.pause();
    if (isStill()) return this.#show(end ? 0 : this.#at + 1); // a step in place of motion
    if (end) this.#show(0);
    this.#playing = true;
    this.#say();
    this.#next();
  }

  /** The next frame, after a while; it waits for one that is not measured. */
  #next() {
    const { length } = this.#stops,
      ms = Math.min(Math.max(FILM_MS / Math.max(length, 1), LEAST_MS), MOST_MS);
    if (!this.#playing || !length) return;
    this.live.timers.start("film", ms, () => {
      if (!this.#playing) return;
      if (this.#at >= this.#stops.length - 1) return this.pause();
      if (!this.#frame(this.#at + 1)) return; // hear() goes on
      this.#show(this.#at + 1);
      this.#next();
    });
  }

  /** @param {number} at */
  #show(at) {
    this.#at = at;
    this.#say();
    schedule(this.live);
  }

  #say() {
    const { length } = this.#stops,
      stop = this.#stops[this.#at];
    this.range.max = String(Math.max(length - 1, 0));
    this.range.value = String(this.#at);
    const last = length > 0 && this.#at >= length - 1;
    let text = "measuring …";
    if (stop && this.#frame(this.#at)) {
      text = `${this.over} = ${stop[0] === null ? `∞ at k = ${stop[1]}` : stop[0].toLocaleString("en")}`;
    }
    setText(this.text, text);
    this.range.setAttribute("aria-valuetext", text);
    const still = isStill();
    let label = last ? "Again" : still ? "Next" : "Play";
    if (this.#playing) label = "Pause";
    setText(this.go, { Pause: "❚❚", Play: "▶", Again: "↺", Next: "›" }[label] ?? "");
    this.go.setAttribute("aria-label", label);
  }

  /** @param {number} at @returns {View | null} */
  #frame(at) {
    const { payload } = this.live,
      stop = this.#stops[at];
    if (!stop) return null;
    const [value, k, id] = stop,
      name = `film ${this.over} ${value} ${id}`;
    if (!id) {
      const place = { k, bandwidth: payload.shown?.bandwidth ?? null },
        curves = curvesAt(payload, place);
      return curves && { at: place, stop: name, local: true, curves };
    }
    /** @type {import("./store.js").Snapshot | undefined} */
    const held = store.snapshots.get(id);
    if (!held) return null;
    const curves = payload.curves.flatMap((curve) => {
      if (curve.id === "truth") return [{ ...curve, row: payload.table?.rows.truth, still: true }];
      const found = held.curves.find((each) => each.id === curve.id);
      return found
        ? [{ ...curve, vertices: found.vertices, row: held.rows[curve.id], still: false, dotted: held.limit }]
        : [];
    });
    return { at: null, stop: name, local: true, curves, noise: held.noise, few: held.few };
  }

  look() {
    if (!this.open) return null;
    this.#last = this.#frame(this.#at) ?? this.#last;
    return this.#last;
  }

  cloud() {
    if (this.over !== "seed") return [];
    const { hidden } = this.live.rows;
    return this.#stops
      .slice(0, this.#at)
      .flatMap(([, , id]) => store.snapshots.get(id)?.curves ?? [])
      .filter(({ id }) => !hidden.has(id));
  }
}
