// The marks at lam: the ray of slope lam on the curves, the tangent of slope -lam in error space.
// They are an SVG of their own above the plot: Plotly would take its hover label away at every change of a trace.

import { PLACES, pointAt } from "./curve.js";
import { shape } from "./dom.js";
import { lamOf } from "./view.js";

/** @import { Point } from "./curve.js" */
/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

const GREY = "#7f7f7f";

/** True if a point under the pointer moves lam.
 * @param {Pane} pane */
export const movesLam = (pane) => pane.spec.follow in PLACES;
/** @param {Pane} pane */
export const isTail = (pane) => pane.spec.follow === "tail" || pane.spec.follow === "tail-recall";

/** @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop[]} curves */
export function drawMarks(live, pane, curves) {
  const { follow } = pane.spec, axes = pane.plot._fullLayout;
  if (!(movesLam(pane) || isTail(pane)) || !axes?.xaxis) return;
  const { xaxis, yaxis } = axes, lam = lamOf(live), svg = pane.overlay("lam-marks", axes);
  const line = (/** @type {number[]} */ [x0, y0], /** @type {number[]} */ [x1, y1], /** @type {string} */ color) => shape("line", {
    x1: xaxis.l2p(x0), y1: yaxis.l2p(y0), x2: xaxis.l2p(x1), y2: yaxis.l2p(y1), stroke: color, "stroke-dasharray": "2 3" });
  const dot = (/** @type {CurveAtStop} */ { id, color }, /** @type {number} */ x, /** @type {number} */ y) => shape("circle", {
    cx: xaxis.l2p(x), cy: yaxis.l2p(y), r: 5.5, fill: color, stroke: "#fff", "stroke-width": 2, "data-curve": id, "data-x": x, "data-y": y });
  const hidden = new Set(pane.plot._fullData.filter((trace) => trace.visible === "legendonly").map((trace) => trace.legendgroup));
  const shown = curves.filter((curve) => !hidden.has(curve.id)).map((curve) => ({ curve, at: pointAt(curve.vertices, lam) }));
  if (isTail(pane)) {
    // A lam beyond the log axis is marked at its end.
    const [low, high] = xaxis.range, [bottom, top] = yaxis.range, x = Math.min(Math.max(Math.log10(lam), low), high);
    svg.dataset.lam = String(lam);
    svg.replaceChildren(line([x, bottom], [x, top], GREY), ...shown.map(({ curve, at }) => dot(curve, x, follow === "tail" ? at.alpha : at.beta)));
    return;
  }
  const place = PLACES[follow];
  const lines = follow === "pr" ? [line([0, 0], lam > 1 ? [1 / lam, 1] : [1, lam], GREY)]
    : shown.map(({ curve, at }) => line(...tangent(at, lam, place), curve.color));
  svg.replaceChildren(...lines, ...shown.map(({ curve, at }) => dot(curve, ...place(at))));
}

/** The two ends of lam fpr + fnr = alpha: the vertical axis, which it meets at alpha, and the horizontal one, at beta.
 * @param {Point} at @param {number} lam @param {(at: Point) => [number, number]} place @returns {[number[], number[]]} */
function tangent(at, lam, place) {
  const [low, high] = lam === Infinity ? [[0, 0], [0, 1]] : lam === 0 ? [[0, 0], [1, 0]] : [[0, at.alpha], [at.beta, 0]];
  return [place({ ...at, fpr: low[0], fnr: low[1] }), place({ ...at, fpr: high[0], fnr: high[1] })];
}
