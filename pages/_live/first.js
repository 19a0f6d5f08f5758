// The page's main figure while Plotly is on its way: the same curves in the same place, from the vertices alone.

import { sample } from "./curve.js";
import { shape } from "./dom.js";
import { drawLabels } from "./labels.js";
import { inked, themed } from "./pane.js";
import { look } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Axis, Pane } from "./pane.js" */

const TICK = 0.2, FONT = 12, TITLE = 14; // as Plotly's: the step of the ticks, pixels of their labels and of the titles

/** Plotly's names of dashes, of a line up to 3 pixels wide. @type {Record<string, string>} */
const DASHES = { dash: "9 9", dot: "3 3", dashdot: "9 3 3 3", longdash: "15 15", longdashdot: "15 3 3 3" };

/** Draw the main figure's curves, if Plotly has not drawn it yet.
 * @param {LiveFigure} live */
export function drawFirst(live) {
  const pane = live.panes.find(({ spec, wired }) => spec.fit && !wired), { curves } = look(live);
  if (!pane) return;
  const { data, layout: { xaxis, yaxis } } = pane.spec.figure, { width, height, margin, font } = themed(live, pane, pane.spec.figure);
  const side = { x: width - margin.l - margin.r, y: height - margin.t - margin.b };
  const x = (/** @type {number} */ value) => (side.x * value) / xaxis.range[1], y = (/** @type {number} */ value) => side.y * (1 - value / yaxis.range[1]);
  /** @type {Node[]} */
  const parts = [];
  const words = (/** @type {string} */ text, /** @type {Record<string, string | number>} */ at) => {
    const node = shape("text", { "font-size": FONT, "text-anchor": "middle", fill: font.color, ...at });
    node.textContent = text;
    parts.push(node);
  };
  for (let i = 0; i * TICK <= xaxis.range[1]; i++) {
    const tick = i * TICK, text = +tick.toFixed(1) + "";
    parts.push(shape("path", { d: `M${x(tick)},0V${side.y}M0,${y(tick)}H${side.x}`, stroke: xaxis.gridcolor }));
    words(text, { x: x(tick), y: side.y + 3 + FONT });
    words(text, { x: -3, y: y(tick) + 4.2, "text-anchor": "end" });
  }
  words(xaxis.title.text, { x: side.x / 2, y: side.y + 38, "font-size": TITLE });
  words(yaxis.title.text, { transform: `translate(-34 ${side.y / 2}) rotate(-90)`, "font-size": TITLE });
  for (const { line, legendgroup, fill, visible } of inked(live, pane, data)) {
    const curve = curves.find(({ id }) => id === legendgroup);
    if (!curve || fill || visible === "legendonly" || data.find((trace) => trace.legendgroup === legendgroup && !trace.fill)?.meta) continue;
    const points = sample(curve.vertices).map(({ alpha, beta }) => `${x(beta).toFixed(1)},${y(alpha).toFixed(1)}`).join("L");
    parts.push(shape("path", { class: "first-line", d: `M${points}`, fill: "none", stroke: line.color, "stroke-width": line.width ?? 2, "stroke-dasharray": DASHES[line.dash] ?? line.dash?.replaceAll("px", "") ?? "" }));
  }
  const box = shape("g", { transform: `translate(${margin.l} ${margin.t})` }), svg = shape("svg", { class: "first", width, height, "font-family": font.family, "aria-hidden": "true" });
  box.append(...parts);
  svg.append(box);
  removeFirst(pane);
  pane.plot.append(svg);
  const axis = (/** @type {(value: number) => number} */ c2p, /** @type {number} */ length, /** @type {number} */ offset) => /** @type {Axis} */ ({ c2p, l2p: c2p, range: xaxis.range, _length: length, _offset: offset });
  drawLabels(live, pane, curves, { xaxis: axis(x, side.x, margin.l), yaxis: axis(y, side.y, margin.t) });
}

/** @param {Pane} pane */
export function removeFirst({ plot }) {
  plot.querySelector(".first")?.remove();
}
