// A picture that one moves by hand: marks that are drawn anew at every step, and handles that stay, for the pointer
// (anywhere on what they move) and for the keyboard.

import { element, setAttributes, shape } from "../_live/dom.js";

/**
 * What a handle moves: values of the step, by name.
 * @typedef {Record<string, any>} Values
 *
 * @typedef {object} Handle
 * @property {string} id
 * @property {string} label its name to a screen reader
 * @property {string} text its value in words
 * @property {number} now
 * @property {number} min
 * @property {number} max
 * @property {number} x place in the picture, in pixels
 * @property {number} y
 * @property {string} color
 * @property {boolean} [carried] a press on what it moves keeps its distance from the handle
 * @property {boolean} [open] a ring around what is drawn below it
 * @property {(x: number, y: number) => Values} drag values where the handle is at this place
 * @property {(steps: number, across: boolean) => Values} press values after arrow keys; across: left and right
 *
 * @typedef {object} Drawing
 * @property {string} marks SVG
 * @property {Handle[]} handles
 * @property {(x: number, y: number) => { id: string, values?: Values } | null} [grab] the handle that a press far from any
 *   takes, and what it changes first
 *
 * @typedef {object} Events
 * @property {() => void} begun a movement begins: what is on screen becomes the ghost
 * @property {(values: Values) => void} moved
 */

/** @type {Record<string, [steps: number, across: boolean]>} */
const KEYS = {
  ArrowLeft: [-1, true],
  ArrowRight: [1, true],
  ArrowDown: [-1, false],
  ArrowUp: [1, false],
  Home: [-1000, false],
  End: [1000, false],
};
const REACH = 24; // pixels from a handle at which a press takes it
const SERIES_MS = 900; // key presses that follow one another sooner are one movement

/** @param {string} kind with its classes, as in "text.name.halo" @param {Record<string, string | number>} attributes */
export function mark(kind, attributes, text = "") {
  const [name, ...classes] = kind.split(".");
  if (classes.length) attributes = { class: classes.join(" "), ...attributes };
  const listed = Object.entries(attributes)
    .map(([key, value]) => `${key}="${value}"`)
    .join(" ");
  return `<${name} ${listed}>${text}</${name}>`;
}

/** @param {[number, number][]} points */
export const path = (points) =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

export class Stage {
  /** @type {Map<string, SVGGElement>} */
  #nodes = new Map();
  /** @type {Drawing} */
  #drawing = { marks: "", handles: [] };
  /** @type {{ id: string, pointer: number, dx: number, dy: number } | null} */
  #held = null;
  #pressed = -Infinity;

  /** @param {string} name @param {Events} events */
  constructor(name, events) {
    this.events = events;
    this.title = element("h2");
    this.marks = shape("g", { "aria-hidden": "true" });
    this.handles = shape("g", {});
    this.svg = shape("svg", { role: "group" });
    this.svg.append(this.marks, this.handles);
    this.frame = element("div.frame", this.svg);
    this.foot = element("p.foot");
    this.box = element(
      "section",
      { class: `card ${name}`, "data-prviz": name },
      this.title,
      this.frame,
      this.foot,
    );
    this.svg.addEventListener("pointerdown", (event) => this.#down(event));
    this.svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"])
      this.svg.addEventListener(end, (event) => {
        if (/** @type {PointerEvent} */ (event).pointerId === this.#held?.pointer) this.#held = null;
      });
  }

  get held() {
    return this.#held !== null;
  }

  /** Width, height and the height of a line of text, in pixels. */
  get size() {
    return {
      width: this.frame.clientWidth,
      height: this.frame.clientHeight,
      em: parseFloat(getComputedStyle(this.box).fontSize),
    };
  }

  /** @param {PointerEvent} event @returns {[number, number]} */
  #place(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (this.#held || event.button) return;
    const [x, y] = this.#place(event),
      { handles, grab } = this.#drawing;
    const far = (/** @type {Handle} */ handle) => Math.hypot(handle.x - x, handle.y - y);
    const close = handles.filter((handle) => far(handle) < REACH).sort((a, b) => far(a) - far(b))[0];
    const found = close ?? grab?.(x, y);
    if (!found) return;
    event.preventDefault(); // the focus stays, so that the arrow keys go on to lead from step to step
    this.svg.setPointerCapture(event.pointerId);
    this.events.begun();
    if ("values" in found && found.values) this.events.moved(found.values); // this press only chooses what the next moves
    const taken = this.#drawing.handles.find(({ id }) => id === found.id),
      carried = close || taken?.carried;
    this.#held = {
      id: found.id,
      pointer: event.pointerId,
      dx: taken && carried ? taken.x - x : 0,
      dy: taken && carried ? taken.y - y : 0,
    };
    if (taken && !carried && !("values" in found)) this.events.moved(taken.drag(x, y));
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const held = this.#held;
    if (!held || event.pointerId !== held.pointer) return;
    const [x, y] = this.#place(event),
      handle = this.#drawing.handles.find(({ id }) => id === held.id);
    if (handle) this.events.moved(handle.drag(x + held.dx, y + held.dy));
  }

  /** @param {Handle} handle @param {KeyboardEvent} event */
  #key(handle, event) {
    const found = KEYS[event.key];
    if (!found || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const now = performance.now();
    if (now - this.#pressed > SERIES_MS) this.events.begun();
    this.#pressed = now;
    this.events.moved(handle.press(found[0] * (event.shiftKey ? 5 : 1), found[1]));
  }

  /** @param {Drawing} drawing */
  draw(drawing) {
    const { width, height } = this.size;
    this.#drawing = drawing;
    setAttributes(this.svg, { width, height });
    this.marks.innerHTML = drawing.marks;
    const kept = new Set(drawing.handles.map(({ id }) => id));
    for (const [id, node] of this.#nodes)
      if (!kept.has(id)) {
        node.remove();
        this.#nodes.delete(id);
      }
    for (const handle of drawing.handles) {
      const node = this.#nodes.get(handle.id) ?? this.#handle(handle.id);
      setAttributes(node, {
        transform: `translate(${handle.x.toFixed(1)},${handle.y.toFixed(1)})`,
        "aria-label": handle.label,
        "aria-valuetext": handle.text,
        class: handle.open ? "hand open" : "hand",
        "aria-valuenow": +handle.now.toFixed(4),
        "aria-valuemin": handle.min,
        "aria-valuemax": handle.max,
        style: `--grip: ${handle.color}`,
      });
    }
  }

  /** @param {string} id */
  #handle(id) {
    const node = shape("g", { role: "slider", tabindex: 0, "data-hand": id });
    node.append(shape("circle.target", { r: 14 }), shape("circle.grip", { r: 8 }));
    node.addEventListener("keydown", (event) => {
      const handle = this.#drawing.handles.find((each) => each.id === id);
      if (handle) this.#key(handle, /** @type {KeyboardEvent} */ (event));
    });
    this.#nodes.set(id, node);
    this.handles.append(node);
    return node;
  }
}
