// The curve's own arithmetic: prviz/curves/pr_curve.py and prviz/curves/hull.py have the derivations, prviz/figures the sampling.
// A curve is its vertices, from fpr = 0 to fnr = 0.

/**
 * @typedef {[fpr: number, fnr: number]} Vertex
 *
 * A classifier that is optimal at lam, and the curve's precision and recall there.
 * @typedef {{ lam: number, alpha: number, beta: number, fpr: number, fnr: number }} Point
 */

/** @param {number} theta degrees */
export const angleToLam = (theta) => (theta <= 0 ? 0 : theta >= 90 ? Infinity : Math.tan((theta * Math.PI) / 180));
/** @param {number} lam */
export const lamToAngle = (lam) => (lam === Infinity ? 90 : (Math.atan(lam) * 180) / Math.PI);
/** @param {number} x */
export const shortNumber = (x) => (x === Infinity ? "∞" : x === 0 ? "0" : Number(x.toPrecision(3)).toString());

/** @type {WeakMap<number[], Vertex[]>} */
const PAIRS = new WeakMap();

/** Flat vertices as they travel, in pairs. Made once: what else is known of a curve is kept by the identity of its vertices.
 * @param {number[]} flat */
export function vertexPairs(flat) {
  const known = PAIRS.get(flat);
  if (known) return known;
  /** @type {Vertex[]} */
  const pairs = new Array(flat.length / 2);
  for (let i = 0; i < pairs.length; i++) pairs[i] = [flat[2 * i], flat[2 * i + 1]];
  PAIRS.set(flat, pairs);
  return pairs;
}

/** lam at which vertex j hands over to vertex j + 1; decreasing.
 * @param {Vertex[]} vertices */
export function breakpoints(vertices) {
  /** @type {number[]} */
  const found = new Array(vertices.length - 1);
  for (let j = 0; j < found.length; j++) {
    const [f, n] = vertices[j], [g, m] = vertices[j + 1];
    found[j] = (n - m) / (g - f);
  }
  return found;
}

/** The optimal vertex by the definition: a search along the breakpoints would go astray where rounded vertices lie close.
 * @param {Vertex[]} vertices @param {number} lam @returns {Point} */
export function pointAt(vertices, lam) {
  let [fpr, fnr] = vertices[0];
  for (const [f, n] of lam === Infinity ? [] : vertices) {
    if (lam * f + n <= lam * fpr + fnr) [fpr, fnr] = [f, n];
  }
  const alpha = Math.min((fpr > 0 ? lam * fpr : 0) + fnr, 1);
  const beta = Math.min(fpr + (fnr > 0 ? fnr / lam : 0), 1);
  return { lam, alpha, beta, fpr, fnr };
}

/** Where a classifier stands in each kind of figure.
 * @type {Record<string, (at: Point) => [x: number, y: number]>} */
export const PLACES = {
  pr: (at) => [at.beta, at.alpha],
  error: (at) => [at.fpr, at.fnr],
  roc: (at) => [at.fpr, 1 - at.fnr],
  collapse: (at) => [at.fnr, 1 - at.fpr],
};

/** Points for drawing, by increasing lam: n rays of equal angle and every visible corner (PRCurve.sample).
 * @param {Vertex[]} vertices */
export function sample(vertices, n = 200) {
  const breaks = breakpoints(vertices), ends = [Infinity, ...breaks, 0], step = Math.PI / 2 / (n - 1);
  const lams = [0, Infinity];
  for (let i = 1; i < n - 1; i++) lams.push(Math.tan(i * step));
  for (let j = 0; j < vertices.length; j++) {
    if (Math.atan(ends[j]) - Math.atan(ends[j + 1]) > step) lams.push(ends[j], ends[j + 1]);
  }
  lams.sort((a, b) => a - b);
  return lams.filter((lam, i) => i === 0 || lam !== lams[i - 1]).map((lam) => pointAt(vertices, lam));
}

/** @type {WeakMap<Vertex[], Vertex[]>} */
const HULLS = new WeakMap();

/** Rounded vertices may lie a little above the line between their neighbours; what walks along a hull needs a true one.
 * @param {Vertex[]} vertices */
export function lowerHull(vertices) {
  const known = HULLS.get(vertices);
  if (known) return known;
  /** @type {Vertex[]} */
  const hull = [];
  /** @type {(a: Vertex, b: Vertex, c: Vertex) => boolean} */
  const bends = ([f, n], [g, m], [h, o]) => (m - n) * (h - f) < (o - n) * (g - f);
  for (const vertex of vertices) {
    if (hull.length && vertex[0] <= hull[hull.length - 1][0]) hull.pop(); // of equal fpr the lowest fnr, which comes last
    while (hull.length > 1 && !bends(hull[hull.length - 2], hull[hull.length - 1], vertex)) hull.pop();
    hull.push(vertex);
  }
  HULLS.set(vertices, hull);
  return hull;
}

/** pointAt at each of increasing lams, in one walk along the hull instead of a search at every lam. Where two vertices are
 * equally good it may name the other one: of a curve at many lams only alpha and beta are drawn.
 * @param {Vertex[]} vertices @param {number[]} lams */
export function pointsAlong(vertices, lams) {
  const hull = lowerHull(vertices);
  let j = hull.length - 1;
  return lams.map((lam) => {
    if (lam === Infinity) j = 0;
    while (j > 0 && lam * hull[j - 1][0] + hull[j - 1][1] <= lam * hull[j][0] + hull[j][1]) j--;
    return pointAt([hull[j]], lam);
  });
}

/** @type {WeakMap<Vertex[], Vertex[]>} */
const MIRRORED = new WeakMap();

/** The curve with the roles exchanged (PRCurve.mirrored).
 * @param {Vertex[]} vertices */
export function mirrored(vertices) {
  /** @type {Vertex[]} */
  const found = MIRRORED.get(vertices) ?? vertices.map(([f, n]) => /** @type {Vertex} */ ([n, f])).reverse();
  MIRRORED.set(vertices, found);
  return found;
}

/** The lam up to which two precisions differ by `by` at most; null where they always do (prviz/curves/summaries.py).
 * @param {Vertex[]} vertices @param {Vertex[]} truth */
export function firstDifference(vertices, truth, by = 0.05) {
  const curves = [vertices, truth].map(lowerHull), breaks = curves.map(breakpoints);
  const lams = Float64Array.from(breaks.flat()).sort(), at = curves.map((curve) => curve.length - 1);
  let low = 0;
  for (const lam of lams) {
    for (const i of [0, 1]) while (at[i] > 0 && breaks[i][at[i] - 1] < lam) at[i]--;
    const [f, n] = curves[0][at[0]], [g, m] = curves[1][at[1]], gap = lam * (f - g) + n - m;
    if (Math.abs(gap) > by) return f === g ? low : Math.min(Math.max((Math.sign(gap) * by - (n - m)) / (f - g), low), lam);
    low = lam;
  }
  return null;
}

/** Python's format(x, ".3g"), with the sign of infinity (prviz/figures/theme.py, number).
 * @param {number} x */
export function general(x, digits = 3) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "none" : x > 0 ? "∞" : "-∞";
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  const bare = (/** @type {string} */ text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (+exponent >= -4 && +exponent < digits) return bare(x.toFixed(Math.max(digits - 1 - +exponent, 0)));
  return `${bare(mantissa)}e${exponent[0]}${exponent.slice(1).padStart(2, "0")}`;
}

// ---- classifiers of the curve's vertices ----

/** Level of a sample without supports, as in prviz/diagnostics/confusion_groups.py. */
export const NO_SUPPORT = -2;

/** OptimalClassifiers.calls_real, of a sample at a level.
 * @param {{ needed: number[], unsupported: boolean[] }} classifiers @param {number} level @param {number} index */
export const callsReal = ({ needed, unsupported }, level, index) => (level === NO_SUPPORT ? unsupported[index] : level >= needed[index]);
