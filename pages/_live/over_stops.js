// A small plot over a slider: the overlap with the truth (or the area) of each drawn curve at every value of the
// slider, in the curve's colour. It shows in which direction to move the slider.

import { element, setText, shape } from "./dom.js";
import { moves } from "./frames.js";
import { unseen } from "./rows.js";
import { store } from "./store.js";

/** @import { Slider } from "./controls.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/** @type {WeakMap<HTMLElement, string>} by plot, a text that identifies what it shows */
const SHOWN = new WeakMap();
const SLIDERS = /** @type {const} */ (["k", "bandwidth"]);

/** @param {LiveFigure} live @param {View} view */
export function drawOverStops(live, { at, curves }) {
  const { payload, controls, panes } = live,
    frames = store.frames.get(payload.frames);
  if (!payload.rows || !panes.length || live.film.open) return;
  const hidden = unseen(live, panes[0], curves),
    shown = curves.filter(({ id }) => !hidden.has(id));
  for (const id of SLIDERS) {
    const slider = controls.slider(id);
    if (!slider) continue;
    let box = /** @type {HTMLElement | null} */ (slider.box.querySelector(".over-stops"));
    if (!box)
      slider.range.before(
        (box = element("div.over-stops", { "aria-hidden": "true" }, shape("svg"), element("small"))),
      );
    box.onclick = (event) => takeStop(slider, event);
    const lines = frames && at ? shown.filter((curve) => moves(frames, id, curve.id, at)) : [];
    const name = [payload.frames, at?.[id], ...lines.map((curve) => curve.id + curve.color)].join();
    if (SHOWN.get(box) === name) continue;
    SHOWN.set(box, name);
    setText(
      box.lastChild,
      lines.length ? (payload.table?.columns[0].key === "iou" ? "overlap" : "area") : "",
    );
    if (!frames) continue;
    const { rows } = frames[id];
    box.dataset.word = freeCorner(
      lines.map((curve) => rows[curve.id].map((/** @type {number[]} */ [value]) => value)),
    );
    box.firstElementChild?.replaceWith(picture(frames[id], lines, at?.[id] ?? null));
  }
}

// size of the word "overlap" or "area", as shares of the plot's width and height
const WORD = [0.3, 0.45];

/** The corner of the plot for the word "overlap" or "area": the first corner with enough room, else the one with the
 * most. It does not depend on the slider's value, so that the word stays in place during a drag.
 * @param {number[][]} curves a value from 0 to 1 at each stop */
export function freeCorner(curves) {
  const ends = {
    right: curves.flatMap((values) => values.slice(-Math.ceil(WORD[0] * values.length))),
    left: curves.flatMap((values) => values.slice(0, Math.ceil(WORD[0] * values.length))),
  };
  const corners = Object.entries(ends).flatMap(([side, values]) => [
    { name: `${side} low`, room: Math.min(1, ...values) },
    { name: `${side} high`, room: 1 - Math.max(0, ...values) },
  ]);
  const most = Math.max(...corners.map(({ room }) => room));
  return (corners.find(({ room }) => room >= Math.min(most, WORD[1])) ?? corners[0]).name;
}

/** A click on the plot moves the slider to the stop under the pointer.
 * @param {Slider} slider @param {MouseEvent} event */
function takeStop(slider, { clientX, currentTarget }) {
  const { left, width } = /** @type {Element} */ (
    /** @type {Element} */ (currentTarget).firstElementChild
  ).getBoundingClientRect();
  const { values } = slider.spec,
    place = Math.round(((clientX - left) / width) * (values.length - 1));
  slider.take(values[Math.min(Math.max(place, 0), values.length - 1)]);
}

/** SVG of the plot. It is stretched to the slider's width, but strokes keep their shape (vector-effect): so a stroke
 * of length 0 draws a dot.
 * @param {import("./store.js").FrameTable} table @param {View["curves"]} curves @param {number | null} now */
function picture({ stops, rows }, curves, now) {
  const index = stops.indexOf(now),
    last = Math.max(stops.length - 1, 1);
  const stroke = (/** @type {string} */ d, /** @type {string} */ color, width = 1.5) =>
    shape("path", { d, stroke: color, "stroke-width": width });
  const height = (/** @type {string} */ id, /** @type {number} */ i) => 1 - Math.min(rows[id][i][0], 1);
  const lines = curves.map(({ id, color }) =>
    stroke(`M${stops.map((_, i) => `${i},${height(id, i)}`).join("L")}`, color),
  );
  const marks =
    index < 0
      ? []
      : [
          stroke(`M${index},-.1V1.2`, "currentColor", 1),
          ...curves.map(({ id, color }) => stroke(`M${index},${height(id, index)}h0`, color, 7)),
        ];
  return shape("svg", { viewBox: `0 0 ${last} 1`, preserveAspectRatio: "none" }, ...lines, ...marks);
}
