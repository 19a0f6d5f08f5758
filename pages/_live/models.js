// What a figure's curves are at any stop of its own controls, where no frames are needed: a lesson's two densities, a
// painting, or one of a few drawings that Python has made beforehand.

import { vertexPairs } from "./curve.js";
import { votesModel } from "./votes.js";

/** @import { Controls } from "./controls.js" */
/** @import { Vertex } from "./curve.js" */

/**
 * What changes in a pane: in its traces by their number, in the axes of its layout, and the texts of its annotations.
 * @typedef {{ traces?: Record<number, any>, layout?: Record<string, any>, annotations?: string[] }} Change
 *
 * @typedef {object} Modelled
 * @property {Record<string, Vertex[]>} curves vertices by curve id
 * @property {Record<string, Change>} [panes] by pane id
 * @property {Record<string, number[]>} [rows] numbers of the table, by curve id
 * @property {string} [words]
 * @property {string[]} [without] ids of the curves that are not known there
 *
 * @typedef {Pick<Controls, "lam" | "number" | "stop" | "amounts"> & { find: (id: string) => { value: unknown } | undefined }} Values
 */

/** @param {number[]} masses */
const sum = (masses) => masses.reduce((total, mass) => total + mass, 0);

/** The curve of two lists of masses on the same cells, each scaled to sum 1: alpha(lam) = sum of min(lam p, q).
 * Cells sorted by q / p give the best classifiers, which lie on a hull as they are (prviz.curves.ground_truth.finite_masses).
 * @param {number[]} p @param {number[]} q */
export function massCurve(p, q) {
  const allP = sum(p), allQ = sum(q);
  const cells = [...p.keys()].filter((i) => p[i] > 0 || q[i] > 0).sort((i, j) => q[i] * p[j] - q[j] * p[i]);
  // From "all is generated" to "all is real"; cells of the same ratio make one edge.
  /** @type {Vertex[]} */
  const points = [];
  /** @type {number | null} */
  let last = null;
  let fpr = 1, fnr = 0;
  for (const i of cells) {
    const [a, b] = last === null ? [1, 0] : [q[i] * p[last], q[last] * p[i]];
    const same = Math.abs(a - b) <= 1e-9 * (a + b);
    if (same) points.pop();
    else if (last === null) points.push([1, 0]);
    fpr -= p[i] / allP;
    fnr += q[i] / allQ;
    points.push([Math.max(fpr, 0), Math.min(fnr, 1)]);
    last = i;
  }
  const first = points.findLastIndex(([, n]) => n <= 1e-12), end = points.findIndex(([f]) => f <= 1e-12);
  const kept = points.slice(first, end + 1);
  kept[0][1] = 0;
  kept[kept.length - 1][0] = 0;
  return kept.reverse();
}

/** @type {(x: number, mean: number, sigma: number) => number} */
const normal = (x, mean, sigma) => Math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * Math.sqrt(2 * Math.PI));

/** Densities p and q on evenly spaced xs as the panes of a lesson show them at lam, and the curve that they have.
 * @param {number} lam @param {number[]} xs @param {number[]} p @param {number[]} q */
function densities(lam, xs, p, q) {
  const called = xs.map((_, i) => q[i] <= lam * p[i]); // real, by the best classifier
  const line = (/** @type {number[]} */ y) => ({ x: xs, y });
  const high = (/** @type {number[]} */ y) => y.map((value) => (Number.isFinite(value) ? Math.min(value, 9) : 9)); // lam may be infinite
  const scaledP = high(p.map((value) => (value ? lam * value : 0))), scaledQ = high(q.map((value) => (value ? value / lam : 0)));
  return {
    curves: { truth: massCurve(p, q) },
    panes: {
      precision: { traces: { 0: line(p.map((_, i) => Math.min(scaledP[i], q[i]))), 1: line(scaledP), 2: line(q) } },
      recall: { traces: { 0: line(p.map((_, i) => Math.min(p[i], scaledQ[i]))), 1: line(p), 2: line(scaledQ) } },
      errors: { traces: { 0: line(p.map((y, i) => (called[i] ? 0 : y))), 1: line(q.map((y, i) => (called[i] ? y : 0))), 2: line(p), 3: line(q) } },
      pair: { traces: { 0: line(p), 1: line(q) } },
    },
  };
}

/** The density of masses on cells of [0, 1], as the stairs that a line goes up and down.
 * @param {number[]} masses */
function stairs(masses) {
  const count = masses.length, all = sum(masses);
  return { x: masses.flatMap((_, i) => [i / count, (i + 1) / count]), y: masses.flatMap((mass) => [(count * mass) / all, (count * mass) / all]) };
}

/** @type {Record<string, (controls: Values, constants: any) => Modelled>} */
export const MODELS = {
  // P = N(0, 1) and Q = N(shift, scale^2) on a line.
  gaussians(controls, /** @type {{ xs: number[] }} */ { xs }) {
    const shift = controls.number("shift"), scale = controls.number("scale");
    return densities(controls.lam, xs, xs.map((x) => normal(x, 0, 1)), xs.map((x) => normal(x, shift, scale)));
  },
  // Two mixtures of the same modes, `spread` wide: their curve, and that of the modes' weights alone.
  modes(controls, /** @type {{ xs: number[], centres: number[], coarse: string }} */ { xs, centres, coarse }) {
    const spread = controls.number("spread"), p = controls.amounts("p"), q = controls.amounts("q");
    const density = (/** @type {number[]} */ weights) => xs.map((x) => sum(centres.map((c, i) => weights[i] * normal(x, c, spread))));
    const made = densities(controls.lam, xs, density(p), density(q));
    return { ...made, curves: { ...made.curves, [coarse]: massCurve(p, q) } };
  },
  // Painted masses on cells whose two densities are even. What Python has measured holds for the values in `measured`
  // alone: at any others the curves `estimates` are gone, and every pane is as `away` says. `lines`, on a line of cells:
  // the pane and its two traces that show the densities, which follow.
  cells(controls, { measured, estimates, away, lines, words }) {
    const p = controls.amounts("p"), q = controls.amounts("q"), curves = { truth: massCurve(p, q) };
    const same = (/** @type {string} */ id) => JSON.stringify(controls.find(id)?.value) === JSON.stringify(measured[id]);
    if (Object.keys(measured).every(same)) return { curves };
    const panes = { ...away };
    if (lines) {
      const drawn = [p, q].map(stairs), own = away[lines.pane];
      const traces = { ...own?.traces, [lines.traces[0]]: drawn[0], [lines.traces[1]]: drawn[1] };
      panes[lines.pane] = { ...own, traces, layout: { yaxis: { range: [0, 1.08 * Math.max(...drawn.flatMap(({ y }) => y))] } } };
    }
    return { curves, panes, words, without: estimates };
  },
  // Drawings that Python has made, by the stops of some controls.
  stops(controls, { parts }) {
    /** @type {Required<Omit<Modelled, "without">>} */
    const found = { curves: {}, panes: {}, rows: {}, words: "" };
    for (const part of parts) {
      const { curves, panes, rows, words } = part.frames[part.controls.map((/** @type {string} */ id) => controls.stop(id)).join()];
      for (const [id, flat] of Object.entries(curves || {})) found.curves[id] = vertexPairs(flat);
      for (const [id, change] of Object.entries(panes || {})) {
        const known = found.panes[id] || {};
        found.panes[id] = { ...known, ...change, traces: { ...known.traces, ...change.traces } };
      }
      Object.assign(found.rows, rows);
      found.words = [found.words, words].filter(Boolean).join(" ");
    }
    return found;
  },
  votes: (controls, constants) => votesModel(constants, Math.max(controls.stop("k"), 0), Math.max(controls.stop("point"), 0), controls.lam),
};
