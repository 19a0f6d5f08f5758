// An interactive picture. Its handles can be dragged or moved by keys. Its other marks are SVG text that is replaced
// at every change; the handles' elements stay, so that they keep the focus.

import { element, setAttributes, shape } from "../_live/dom.js";

/**
 * Values that a picture is drawn from, by name; its handles change them.
 * @typedef {Record<string, any>} Values
 *
 * @typedef {object} Handle
 * @property {string} id
 * @property {string} label the handle's name for screen readers
 * @property {string} text the handle's value as text, for screen readers
 * @property {number} now
 * @property {number} min
 * @property {number} max
 * @property {number} x position in the picture, in pixels
 * @property {number} y
 * @property {string} color
 * @property {boolean} [carried] true if pressing the shape that the handle moves drags the handle, even from a distance
 * @property {boolean} [open] true if it is drawn as a ring, through which the picture is visible
 * @property {(x: number, y: number) => Values} drag returns the values after the handle was dragged to this position
 * @property {(steps: number, across: boolean) => Values} press returns the values after arrow keys; across: true for the keys left and right
 *
 * @typedef {object} Drawing
 * @property {string} marks SVG
 * @property {Handle[]} handles
 * @property {(x: number, y: number) => { id: string, values?: Values } | null} [grab] the handle that a press away from all
 * handles drags, and values to change before
 *
 * @typedef {object} Events
 * @property {() => void} begun called when a movement begins, before its first change
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
const REACH = 24; // a press within this many pixels of a handle drags the handle
const SERIES_MS = 900; // key presses with pauses shorter than this many milliseconds are one movement

/** @param {string} kind name of the element with its classes, as in "text.name.halo" @param {Record<string, string | number>} attributes */
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

/** @param {string} name @param {Events} events */
export function makeStage(name, events) {
  /** @type {Map<string, SVGGElement>} */
  const nodes = new Map();
  /** @type {Drawing} */
  let drawing = { marks: "", handles: [] };
  /** @type {{ id: string, pointer: number, dx: number, dy: number } | null} */
  let held = null;
  let pressed = -Infinity;
  const title = element("h2"),
    marks = shape("g", { "aria-hidden": "true" }),
    handles = shape("g"),
    svg = shape("svg", { role: "group" }, marks, handles),
    frame = element("div.frame", svg),
    foot = element("p.foot"),
    box = element(`section.card.${name}`, { "data-prviz": name }, title, frame, foot);

  /** @param {MouseEvent} event @returns {[number, number]} */
  function placeOf(event) {
    const { left, top } = svg.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  }

  /** @param {string} id */
  const find = (id) => drawing.handles.find((handle) => handle.id === id);

  svg.addEventListener("pointerdown", (event) => {
    if (held || event.button) return;
    const [x, y] = placeOf(event);
    const far = (/** @type {Handle} */ handle) => Math.hypot(handle.x - x, handle.y - y);
    const close = drawing.handles.filter((handle) => far(handle) < REACH).sort((a, b) => far(a) - far(b))[0];
    const found = close ?? drawing.grab?.(x, y);
    if (!found) return;
    event.preventDefault(); // keep the focus where it is: the arrow keys then still change the step, not the handle
    svg.setPointerCapture(event.pointerId);
    events.begun();
    // change these values first: the press has selected what the movement will drag
    if ("values" in found && found.values) events.moved(found.values);
    const taken = find(found.id),
      carried = close || taken?.carried;
    held = {
      id: found.id,
      pointer: event.pointerId,
      dx: taken && carried ? taken.x - x : 0,
      dy: taken && carried ? taken.y - y : 0,
    };
    if (taken && !carried && !("values" in found)) events.moved(taken.drag(x, y));
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.pointer) return;
    const [x, y] = placeOf(event),
      handle = find(held.id);
    if (handle) events.moved(handle.drag(x + held.dx, y + held.dy));
  });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"]))
    svg.addEventListener(end, ({ pointerId }) => {
      if (pointerId === held?.pointer) held = null;
    });

  /** @param {Handle} handle @param {KeyboardEvent} event */
  function key(handle, event) {
    const found = KEYS[event.key];
    if (!found || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const now = performance.now();
    if (now - pressed > SERIES_MS) events.begun();
    pressed = now;
    events.moved(handle.press(found[0] * (event.shiftKey ? 5 : 1), found[1]));
  }

  /** @param {string} id */
  function makeNode(id) {
    const node = shape(
      "g",
      { role: "slider", tabindex: 0, "data-hand": id },
      shape("circle.target", { r: 14 }),
      shape("circle.grip", { r: 8 }),
    );
    node.addEventListener("keydown", (event) => {
      const handle = find(id);
      if (handle) key(handle, event);
    });
    nodes.set(id, node);
    handles.append(node);
    return node;
  }

  return {
    title,
    svg,
    frame,
    foot,
    box,
    get held() {
      return held !== null;
    },
    /** Width and height of the picture, and the height of a line of text, in pixels. */
    get size() {
      return {
        width: frame.clientWidth,
        height: frame.clientHeight,
        em: parseFloat(getComputedStyle(box).fontSize),
      };
    },
    /** @param {Drawing} now */
    draw(now) {
      drawing = now;
      setAttributes(svg, { width: frame.clientWidth, height: frame.clientHeight });
      marks.innerHTML = now.marks;
      for (const [id, node] of nodes) {
        if (find(id)) continue;
        node.remove();
        nodes.delete(id);
      }
      for (const handle of now.handles) {
        setAttributes(nodes.get(handle.id) ?? makeNode(handle.id), {
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
    },
  };
}
