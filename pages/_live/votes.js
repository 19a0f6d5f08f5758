// The lesson on samples: whose balls hold one point, and what the best classifier at lam calls real.

import { NO_SUPPORT, callsReal, general, pointAt, vertexPairs } from "./curve.js";

/** @import { Change } from "./models.js" */

/**
 * What Python sends for the lesson (pages/_learn/samples.py).
 * @typedef {object} Constants
 * @property {string} id of the curve
 * @property {{ x: number[], y: number[], real: number[], own: number[] }} points real: 1 or 0; own: its number among the fit samples, or -1
 * @property {[number[], number[]][]} fit [xs, ys] of the real and of the generated fit samples
 * @property {number[]} axis coordinates of the grid
 * @property {number} cross half the size of a cross
 * @property {number} crosses number of the trace with the crosses
 * @property {"evaluation" | "fit"} around whose balls they are
 * @property {string} say a sentence with {k}, {x}, {y}
 * @property {AtK[]} at one per stop of k
 *
 * Levels: see OptimalClassifiers.levels_of in prviz/diagnostics/confusion_groups.py.
 * @typedef {object} AtK
 * @property {number} k
 * @property {number[]} vertices flat
 * @property {number[]} row numbers of the table
 * @property {(number | null)[]} cuts one per classifier; null: everything is real, negative: everything is generated
 * @property {number[]} levels one per point
 * @property {number[]} needed level from which on each classifier calls a point real
 * @property {boolean[]} unsupported for each classifier, whether it calls points in no ball real
 * @property {number[]} plane levels of the grid
 * @property {[number[], number[]][]} votes real and generated fit samples, one pair per point
 * @property {[number[], number[]]} radii
 *
 * @typedef {[x: number, y: number]} Place
 */

const STEPS = 60;
const ROLES = ["real", "generated"];

/** Several lines in one trace, with gaps between them.
 * @param {Place[][]} parts */
function strokes(parts) {
  /** @type {(number | null)[]} */
  const x = [];
  /** @type {(number | null)[]} */
  const y = [];
  for (const part of parts) {
    if (x.length) { x.push(null); y.push(null); }
    for (const [a, b] of part) { x.push(a); y.push(b); }
  }
  return x.length ? { x, y } : { x: [null], y: [null] };
}

/** @type {(cx: number, cy: number, r: number) => Place[]} */
const circle = (cx, cy, r) => Array.from({ length: STEPS + 1 }, (_, i) => [cx + r * Math.cos((2 * Math.PI * i) / STEPS), cy + r * Math.sin((2 * Math.PI * i) / STEPS)]);

/** The points of the grid that are called real, those called generated, and those in no ball.
 * @param {Constants} constants @param {AtK} at @param {number} vertex */
function planeDots({ axis }, at, vertex) {
  /** @type {number[][]} */
  const dots = [[], [], []];
  at.plane.forEach((level, i) => dots[level === NO_SUPPORT ? 2 : callsReal(at, level, vertex) ? 0 : 1].push(i));
  return dots.map((cells) => (cells.length ? { x: cells.map((i) => axis[i % axis.length]), y: cells.map((i) => axis[Math.floor(i / axis.length)]) } : strokes([])));
}

/** Balls around the point itself, or around the fit samples whose balls hold it.
 * @param {Constants} constants @param {AtK} at @param {number} point */
function ballsOf({ around, points, fit }, at, point) {
  return fit.map(([xs, ys], role) => strokes(around === "fit"
    ? at.votes[point][role].map((i) => circle(xs[i], ys[i], at.radii[role][i]))
    : [circle(points.x[point], points.y[point], at.radii[role][point])]));
}

/** @param {Constants} constants @param {AtK} at @param {number} point @param {number} vertex */
function sentence({ points, say }, at, point, vertex) {
  const votes = at.votes[point], real = points.real[point] === 1, called = callsReal(at, at.levels[point], vertex);
  const own = points.own[point], itself = own >= 0 && votes[real ? 0 : 1].includes(own);
  const [x, y] = votes.map((each) => each.length), cut = at.cuts[vertex];
  const filled = say.replaceAll("{k}", String(at.k)).replace("{x}", String(x)).replace("{y}", String(y));
  const ratio = x ? general(y / x) : y ? "∞" : "0/0: nobody votes";
  const rule = !(x || y) ? `calls what nobody votes on ${ROLES[at.unsupported[vertex] ? 0 : 1]}` : cut === null ? "calls everything real" : cut < 0 ? "calls everything generated" : `says real up to ${general(cut)}`;
  return `Point ${point + 1} is ${ROLES[real ? 0 : 1]}. ${filled}${itself ? " One vote is its own." : ""} So c_Y / c_X = ${ratio}. ` +
    `The best classifier at this λ ${rule}: it calls the point ${ROLES[called ? 0 : 1]}, ${called === real ? "rightly" : "wrongly"}.`;
}

/** The lesson at a stop of k, for one point, at lam.
 * @param {Constants} constants @param {number} stop @param {number} point @param {number} lam */
export function votesModel(constants, stop, point, lam) {
  const { id, points, fit, cross } = constants, at = constants.at[stop], vertices = vertexPairs(at.vertices);
  const best = pointAt(vertices, lam), vertex = vertices.findIndex(([f, n]) => f === best.fpr && n === best.fnr);
  const [x, y] = [points.x[point], points.y[point]];
  const spokes = fit.map(([xs, ys], role) => strokes(at.votes[point][role].map((i) => [[x, y], [xs[i], ys[i]]])));
  const wrong = [...points.x.keys()].filter((i) => callsReal(at, at.levels[i], vertex) !== (points.real[i] === 1));
  const crosses = strokes(wrong.flatMap((i) => [1, -1].map((s) => /** @type {Place[]} */ (
    [[points.x[i] - cross, points.y[i] - s * cross], [points.x[i] + cross, points.y[i] + s * cross]]))));
  const drawn = [...planeDots(constants, at, vertex), ...ballsOf(constants, at, point), ...spokes, { x: [x], y: [y] }];
  /** @type {Change["traces"]} */
  const traces = { ...drawn, [constants.crosses]: crosses };
  return { curves: { [id]: vertices }, rows: { [id]: at.row }, panes: { plane: { traces } }, words: sentence(constants, at, point, vertex) };
}
