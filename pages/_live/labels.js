// The name of each curve of the main figure and its number, written where the curve is far from the others.

import { pointsAlong, angleToLam } from "./curve.js";
import { shape } from "./dom.js";
import { equalTo } from "./rows.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane } from "./pane.js" */

const LAMS = Array.from({ length: 31 }, (_, i) => angleToLam(3 * i)); // where a label may stand
const SIZE = [84, 16]; // pixels of a label, for what it must not cover
const KEEPS = 0.6; // share of the best place's room from which a label stays where it is: it must not jump in a drag

/** @type {WeakMap<Pane, Map<string, number>>} the place of each label among LAMS */
const PLACES = new WeakMap();

/** @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop[]} curves @param {Axes} [drawn] the axes, before Plotly has drawn them */
export function drawLabels({ rows: { hidden } }, pane, curves, drawn) {
  if (!pane.spec.fit || pane.spec.follow !== "pr") return;
  const axes = drawn ?? pane.axes(/** @type {any} */ ({})), svg = pane.overlay("curve-labels", axes), places = PLACES.get(pane) ?? new Map();
  PLACES.set(pane, places);
  const visible = curves.filter(({ id }) => !hidden.has(id)), twins = equalTo(visible);
  const shown = visible.filter(({ id }) => !twins.has(id)).map((curve) => ({ curve, points: pointsAlong(curve.vertices, LAMS).map((at) => pixels(axes, at)) }));
  /** @type {[number, number][]} */
  const taken = [];
  const { data } = pane.spec.figure, bound = data.some(({ legendgroup, fill }) => legendgroup === "bound" && fill);
  const said = [bound && "the truth lies below the grey (95 %)", data.some(({ meta }) => meta === "limit") && "dotted: with ever more samples"].filter(Boolean);
  const asides = said.map((words, i) => {
    const aside = shape("text", { x: 8, y: axes.yaxis._length - 10 - 16 * i, class: "aside" });
    aside.textContent = String(words);
    return aside;
  });
  svg.replaceChildren(...asides, ...shown.flatMap(({ curve, points }) => {
    const others = shown.filter((other) => other.curve !== curve).flatMap((other) => other.points);
    const rooms = points.map((point) => roomAt(axes, centreOf(axes, point), others, taken)), best = rooms.indexOf(Math.max(...rooms));
    const before = places.get(curve.id), place = before !== undefined && rooms[before] >= KEEPS * rooms[best] ? before : best;
    if (rooms[place] <= 0) return [];
    places.set(curve.id, place);
    taken.push(centreOf(axes, points[place]));
    const [x, y] = centreOf(axes, points[place]);
    const known = curve.id === "truth";
    const label = shape("text", { x, y, "text-anchor": "middle", "dominant-baseline": "middle" });
    label.style.fill = known ? "currentColor" : `color-mix(in srgb, ${curve.color} 70%, currentColor)`; // 4.5:1 as text
    label.textContent = [curve.name, !known && curve.row?.[0].toFixed(2)].filter(Boolean).join(" ");
    return [label];
  }));
}

/** @param {Axes} axes @param {{ alpha: number, beta: number }} at @returns {[number, number]} */
const pixels = ({ xaxis, yaxis }, { alpha, beta }) => [xaxis.c2p(beta), yaxis.c2p(alpha)];

/** The middle of a label beside a point: above and to the right of it, or to its left near the right edge.
 * @param {Axes} axes @param {[number, number]} point @returns {[number, number]} */
const centreOf = ({ xaxis }, [x, y]) => [x + (x > xaxis._length - SIZE[0] - 12 ? -1 : 1) * (SIZE[0] / 2 + 6), Math.max(y - SIZE[1] / 2 - 4, SIZE[1])];

/** Pixels between a label and the nearest point of other curves; 0 where it would leave the plot or cover another label.
 * @param {Axes} axes @param {[number, number]} centre @param {[number, number][]} points @param {[number, number][]} taken */
function roomAt({ xaxis, yaxis }, [x, y], points, taken) {
  if (x < SIZE[0] / 2 || y > yaxis._length - SIZE[1] || x > xaxis._length - SIZE[0] / 2) return 0;
  if (taken.some(([left, top]) => Math.abs(left - x) < SIZE[0] && Math.abs(top - y) < SIZE[1] + 2)) return 0;
  return Math.min(200, ...points.map(([left, top]) => Math.hypot(Math.max(Math.abs(left - x) - SIZE[0] / 2, 0), Math.max(Math.abs(top - y) - SIZE[1] / 2, 0)))) + 1e-6;
}
