// The marks at lam: on precision-recall curves the ray of slope lam, in error space (fpr, fnr) the tangent of slope
// -lam. prviz draws them in an SVG of its own above the plot: Plotly would hide its hover label at every change of a
// trace.

import { PLACES, general, pathOf, pointAt } from "./curve.js";
import { shape } from "./dom.js";
import { isBehind, limitUnder } from "./rows.js";
import { lamOf, look } from "./view.js";

/** @import { Point } from "./curve.js" */
/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane } from "./pane.js" */
/** @import { View } from "./view.js" */

const GREY = "#7f7f7f";

/** True if pointing at a curve of this pane moves lam.
 * @param {Pane} pane */
export const movesLam = (pane) => pane.spec.follow in PLACES;
/** @param {Pane} pane */
export const isTail = (pane) => pane.spec.follow === "tail" || pane.spec.follow === "tail-recall";

/** True if the horizontal axis is k or the bandwidth, which have sliders.
 * @param {Pane} pane */
const isOverStops = ({ spec: { follow } }) => follow === "k" || follow === "bandwidth";

/** Draw a vertical line at the slider's current value, with this value as text; nothing if the bandwidth is
 * automatic.
 * @param {LiveFigure} live @param {Pane} pane */
function drawNow(live, pane) {
  const {
      spec: { follow, small },
    } = pane,
    axes = pane.axes(),
    svg = pane.overlay("lam-marks now", axes),
    value = look(live).at?.[follow === "k" ? "k" : "bandwidth"] ?? null;
  if (value === null) return svg.replaceChildren();
  const x = axes.xaxis.at(value),
    said = !small ? `now ${follow} = ${general(value, 4)}` : "";
  const text = shape("text", said, {
    x: axes.xaxis.length,
    y: -4,
    "text-anchor": "end",
    "font-size": 12,
    fill: "currentColor",
  });
  svg.replaceChildren(
    shape("line", { x1: x, x2: x, y1: 0, y2: axes.yaxis.length, stroke: GREY, "stroke-width": 1.5 }),
    text,
  );
}

/** @param {LiveFigure} live @param {Pane} pane @param {View} view */
export function drawMarks(live, pane, view) {
  const { curves } = view;
  if (isOverStops(pane)) return drawNow(live, pane);
  if (!(movesLam(pane) || isTail(pane))) return;
  const { follow } = pane.spec,
    axes = pane.axes(),
    { xaxis, yaxis } = axes,
    lam = lamOf(live),
    svg = pane.overlay("lam-marks", axes);
  const line = (
    /** @type {number[]} */ [x0, y0],
    /** @type {number[]} */ [x1, y1],
    /** @type {string} */ color,
  ) =>
    shape("line", {
      x1: xaxis.at(x0),
      y1: yaxis.at(y0),
      x2: xaxis.at(x1),
      y2: yaxis.at(y1),
      stroke: color,
      "stroke-opacity": 0.6,
    }); // the line is solid, because dashes mark a truth or a limit
  const dot = (/** @type {CurveAtStop} */ { id, color }, /** @type {number} */ x, /** @type {number} */ y) =>
    shape("circle", {
      cx: xaxis.at(x),
      cy: yaxis.at(y),
      r: 5.5,
      fill: color,
      stroke: "#fff",
      "stroke-width": 2,
      opacity: follow === "pr" && isBehind(live, id) ? 0.25 : 1,
      "data-curve": id,
      "data-x": x,
      "data-y": y,
    });
  const hidden = new Set(
    pane.plot.data?.filter((trace) => trace.visible === "legendonly").map((trace) => trace.legendgroup),
  );
  const shown = curves
    .filter((curve) => !hidden.has(curve.id))
    .map((curve) => ({ curve, at: pointAt(curve.vertices, lam) }));
  if (isTail(pane)) {
    // If lam is outside the range of the logarithmic axis, mark the end of the axis.
    const [low, high] = xaxis.range,
      [bottom, top] = yaxis.range,
      x = 10 ** Math.min(Math.max(Math.log10(lam), low), high);
    svg.dataset.lam = String(lam);
    svg.replaceChildren(
      line([x, bottom], [x, top], GREY),
      ...shown.map(({ curve, at }) => dot(curve, x, follow === "tail" ? at.alpha : at.beta)),
    );
    return;
  }
  const place = PLACES[follow];
  const area =
    follow === "pr"
      ? errorArea(
          axes,
          shown.map(({ curve }) => curve),
          live.rows.under,
        )
      : [];
  const lines =
    follow === "pr"
      ? [line([0, 0], lam > 1 ? [1 / lam, 1] : [1, lam], GREY)]
      : shown.map(({ curve, at }) => line(...tangent(at, lam, place), curve.color));
  const limit = follow === "pr" ? limitUnder(live, view) : null;
  const dotted = limit
    ? [shape("path.live-limit", { stroke: limit.curve.color, d: pathOf(limit.vertices, axes) })]
    : [];
  svg.replaceChildren(
    ...area,
    ...lines,
    ...dotted,
    ...shown.map(({ curve, at }) => dot(curve, ...place(at))),
  );
}

/** Fill the area between the true curve and the curve whose row is under the pointer.
 * @param {Axes} axes @param {CurveAtStop[]} curves @param {string | null} under */
function errorArea(axes, curves, under) {
  const raised = curves.find(({ id }) => id === under),
    truth = curves.find(({ id }) => id === "truth");
  if (!raised || !truth || raised === truth) return [];
  const edge = (/** @type {CurveAtStop} */ { vertices }) =>
    `${pathOf(vertices, axes)}L${axes.xaxis.at(0)},${axes.yaxis.at(0)}Z`;
  // One path with the areas under both curves: the even-odd rule fills what lies under only one curve, which is the
  // error.
  return [
    shape("path.live-error", {
      "fill-rule": "evenodd",
      fill: raised.color,
      d: edge(raised) + edge(truth),
    }),
  ];
}

/** The two ends of the tangent lam fpr + fnr = alpha: on the vertical axis at fnr = alpha, on the horizontal one
 * at fpr = beta.
 * @param {Point} at @param {number} lam @param {(at: Point) => [number, number]} place @returns {[number[], number[]]} */
function tangent(at, lam, place) {
  const [low, high] =
    lam === Infinity
      ? [
          [0, 0],
          [0, 1],
        ]
      : lam === 0
        ? [
            [0, 0],
            [1, 0],
          ]
        : [
            [0, at.alpha],
            [at.beta, 0],
          ];
  return [place({ ...at, fpr: low[0], fnr: low[1] }), place({ ...at, fpr: high[0], fnr: high[1] })];
}
