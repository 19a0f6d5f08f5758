// The main figure until Plotly has loaded: an SVG of the same curves at the same place, drawn from their vertices.

import { pathOf } from "./curve.js";
import { shape } from "./dom.js";
import { drawLabels } from "./labels.js";
import { axesOf, inked, themed } from "./pane.js";
import { unseen } from "./rows.js";
import { look } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

// Plotly's defaults: step between ticks, then font sizes in pixels of tick labels and of axis titles
const TICK = 0.2,
  FONT = 12,
  TITLE = 14;

/** The ticks that the axis specifies, else those that Plotly would choose.
 * @param {{ tickvals?: number[], range: number[] }} axis */
const ticksOf = ({ tickvals, range }) =>
  tickvals ?? Array.from({ length: Math.floor(range[1] / TICK) + 1 }, (_, i) => +(i * TICK).toFixed(1));

/** Draw the curves of the main figure, unless Plotly has drawn it already.
 * @param {LiveFigure} live */
export function drawFirst(live) {
  const pane = live.panes.find(({ spec, wired }) => spec.fit && !wired),
    view = look(live),
    { curves } = view;
  if (!pane) return;
  const { data } = pane.spec.figure,
    layout = themed(live, pane, pane.spec.figure.layout),
    { width, height, margin, font, xaxis, yaxis } = layout;
  const axes = axesOf(layout),
    x = axes.xaxis.at,
    y = axes.yaxis.at,
    side = { x: axes.xaxis.length, y: axes.yaxis.length };
  /** @type {Element[]} */
  const parts = [];
  const words = (/** @type {string} */ text, /** @type {Record<string, string | number>} */ at) => {
    parts.push(shape("text", text, { "font-size": FONT, "text-anchor": "middle", fill: font.color, ...at }));
  };
  const rule = (/** @type {string} */ d) => parts.push(shape("path", { d, stroke: xaxis.gridcolor }));
  const across = (/** @type {number} */ tick) => rule(`M${x(tick)},0V${side.y}`);
  const along = (/** @type {number} */ tick) => rule(`M0,${y(tick)}H${side.x}`);
  across(0);
  along(0);
  for (const tick of ticksOf(xaxis)) {
    if (tick && xaxis.showgrid !== false) across(tick);
    words(String(tick), { x: x(tick), y: side.y + 3 + FONT });
  }
  for (const tick of ticksOf(yaxis)) {
    if (tick && yaxis.showgrid !== false) along(tick);
    words(String(tick), { x: -3, y: y(tick) + 4.2, "text-anchor": "end" });
  }
  words(xaxis.title.text, { x: side.x / 2, y: side.y + 38, "font-size": TITLE });
  words(yaxis.title.text, { transform: `translate(-34 ${side.y / 2}) rotate(-90)`, "font-size": TITLE });
  for (const { line, legendgroup, fill, meta, visible } of inked(
    live,
    pane,
    data,
    unseen(live, pane, curves),
  )) {
    const curve = curves.find(({ id }) => id === legendgroup);
    if (
      !curve ||
      fill ||
      meta === "refuted" ||
      visible === "legendonly" ||
      data.find((trace) => trace.legendgroup === legendgroup && !trace.fill)?.meta
    )
      continue;
    parts.push(
      shape("path.first-line", {
        d: pathOf(curve.vertices, axes),
        fill: "none",
        stroke: line.color,
        "stroke-width": line.width ?? 2,
        "stroke-dasharray": line.dash?.replaceAll("px", "") ?? "",
      }),
    );
  }
  const box = shape("g", { transform: `translate(${margin.l} ${margin.t})` }, ...parts);
  removeFirst(pane);
  pane.plot.append(
    shape("svg.first", { width, height, "font-family": font.family, "aria-hidden": "true" }, box),
  );
  drawLabels(live, pane, view, axes);
}

/** @param {Pane} pane */
export function removeFirst({ plot }) {
  plot.querySelector(".first")?.remove();
}
