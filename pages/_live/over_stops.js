// A small plot over a slider: for each drawn curve its overlap with the truth, or its area, at every stop, in the
// family's colour. It shows in which direction to move the slider.

import { element, setText, shape } from "./dom.js";
import { moves } from "./frames.js";
import { unseen } from "./rows.js";
import { store } from "./store.js";

/** @import { Slider } from "./controls.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/** @type {WeakMap<HTMLElement, string>} text that identifies what each plot shows */
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
    if (frames) box.firstElementChild?.replaceWith(picture(frames[id], lines, at?.[id] ?? null));
  }
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

/** The plot, stretched to the slider's width. Strokes keep their width (vector-effect), so a dot is drawn as a
 * stroke of length 0.
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
