// Computations of the course in the browser: k-nearest-neighbour classifiers of samples in the plane, and numbers
// that summarise a curve. pages/_live/curve.js computes curves and hulls. The formulas are derived in prviz/curves
// and prviz/estimators/knn.py.

import { breakpoints, lowerHull, pointsAlong } from "../_live/curve.js";

/** @import { Vertex } from "../_live/curve.js" */

/** @typedef {[x: number, y: number]} Sample */

const RAYS = 361;
const STEP = Math.PI / 2 / (RAYS - 1);
/** Values of lam, the slopes of rays at equally spaced angles: from the recall end (0) to the precision end
 * (infinity). */
export const LAMS = Array.from({ length: RAYS }, (_, i) => (i === RAYS - 1 ? Infinity : Math.tan(i * STEP)));

/** @type {WeakMap<Vertex[], Float64Array>} */
const RADII = new WeakMap();

/** Distance from the origin to the curve along each ray of LAMS.
 * @param {Vertex[]} vertices */
function radii(vertices) {
  const found =
    RADII.get(vertices) ??
    Float64Array.from(pointsAlong(vertices, LAMS), ({ alpha, beta }) => Math.hypot(alpha, beta));
  RADII.set(vertices, found);
  return found;
}

/** Area under a curve by the trapezoidal rule. squared: the curve's squared distance to the origin along ray i.
 * @param {(i: number) => number} squared */
function area(squared) {
  let sum = (squared(0) + squared(RAYS - 1)) / 2;
  for (let i = 1; i < RAYS - 1; i++) sum += squared(i);
  return (sum * STEP) / 2;
}

/** @param {Vertex[]} vertices */
export const auc = (vertices) => {
  const r = radii(vertices);
  return area((i) => r[i] ** 2);
};

/** Shares of the area under at least one of the two curves: of the area under both (iou), of the area only under
 * `curve` (excess), and of the area only under `truth` (deficit).
 * @param {Vertex[]} curve @param {Vertex[]} truth */
export function compared(curve, truth) {
  const [a, b] = [radii(curve), radii(truth)];
  const all = area((i) => Math.max(a[i], b[i]) ** 2),
    both = area((i) => Math.min(a[i], b[i]) ** 2);
  if (all === 0) return { iou: 1, excess: 0, deficit: 0 };
  return {
    iou: both / all,
    excess: (area((i) => a[i] ** 2) - both) / all,
    deficit: (area((i) => b[i] ** 2) - both) / all,
  };
}

/** Largest F8-score on the curve, which is at a corner. The score favours precision if weight is 8² = 64, recall if
 * it is 1/64.
 * @param {Vertex[]} vertices @param {number} weight */
function score(vertices, weight) {
  const hull = lowerHull(vertices),
    lams = breakpoints(hull);
  const alphas = pointsAlong(hull, lams.toReversed()).reverse();
  return lams.reduce((best, lam, i) => Math.max(best, ((weight + 1) * alphas[i].alpha) / (weight + lam)), 0);
}

/** @param {Vertex[]} vertices @param {number} recall */
function precisionAt(vertices, recall) {
  const hull = lowerHull(vertices);
  // Recall falls as lam grows (for one classifier it is fpr + fnr / lam), and precision rises: find the largest lam
  // that still has this recall, by bisection of its angle.
  let low = 0,
    high = Math.PI / 2;
  const at = (/** @type {number} */ angle) => pointsAlong(hull, [Math.tan(angle)])[0];
  if (at(1e-9).beta < recall) return 0;
  for (let i = 0; i < 40; i++)
    [low, high] = at((low + high) / 2).beta >= recall ? [(low + high) / 2, high] : [low, (low + high) / 2];
  return at(low).alpha;
}

/** The curve's precision where its recall is 0.5, and its recall where its precision is 0.5. The latter is the
 * precision at recall 0.5 of the mirrored curve.
 * @param {Vertex[]} vertices */
export const atHalf = (vertices) => ({
  precision: precisionAt(vertices, 0.5),
  recall: precisionAt(vertices.map(([fpr, fnr]) => /** @type {Vertex} */ ([fnr, fpr])).reverse(), 0.5),
});

/** Functions that summarise a curve in one number, by the number's name on screen.
 * @type {Record<string, (vertices: Vertex[]) => number>} */
export const NUMBERS = {
  "where both are equal": (vertices) => pointsAlong(vertices, [1])[0].alpha,
  area: auc,
  "F8 for precision": (vertices) => score(vertices, 64),
  "F8 for recall": (vertices) => score(vertices, 1 / 64),
};

/** The argument between low and high at which the function `of` is closest to the target.
 * @param {(value: number) => number} of @param {number} target @param {number} low @param {number} high */
export function nearest(of, target, low, high) {
  const steps = 60,
    stops = Array.from({ length: steps + 1 }, (_, i) => low + ((high - low) * i) / steps),
    gaps = stops.map((stop) => of(stop) - target);
  const crossed = gaps.findIndex((gap, i) => i < steps && gap * gaps[i + 1] < 0);
  if (crossed < 0)
    return stops[gaps.reduce((best, gap, i) => (Math.abs(gap) < Math.abs(gaps[best]) - 1e-9 ? i : best), 0)];
  let [a, b] = [stops[crossed], stops[crossed + 1]];
  for (let i = 0; i < 24; i++)
    [a, b] = of((a + b) / 2) - target > 0 === gaps[crossed] > 0 ? [(a + b) / 2, b] : [a, (a + b) / 2];
  return a;
}

// ---- two one-dimensional Gaussians ----

const COEFFICIENTS = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
  -0.82215223, 0.17087277,
];

/** Standard normal distribution function at x, with a relative error of at most 1.2e-7 (erfcc of Numerical Recipes,
 * 6.2).
 * @param {number} x */
function massBelow(x) {
  const z = Math.abs(x) / Math.SQRT2,
    t = 1 / (1 + z / 2),
    tail = 0.5 * t * Math.exp(-z * z + COEFFICIENTS.reduceRight((sum, each) => sum * t + each, 0));
  return x < 0 ? tail : 1 - tail;
}

/** The intervals in which the optimal classifier at lam says real: lam times the density of N(0, 1), the real one, is
 * at least the density of N(shift, scale²). They lie between or beyond the two roots of a quadratic.
 * @param {number} shift @param {number} scale @param {number} lam @returns {[from: number, to: number][]} */
export function saysReal(shift, scale, lam) {
  const a = (scale ** -2 - 1) / 2,
    b = -shift / scale ** 2,
    c = shift ** 2 / (2 * scale ** 2) + Math.log(lam * scale); // these x satisfy a x² + b x + c >= 0
  if (!Number.isFinite(c)) return lam ? [[-Infinity, Infinity]] : [];
  if (Math.abs(a) < 1e-9)
    return b ? [b < 0 ? [-Infinity, -c / b] : [-c / b, Infinity]] : c >= 0 ? [[-Infinity, Infinity]] : [];
  const inside = b ** 2 - 4 * a * c;
  if (inside <= 0) return a > 0 ? [[-Infinity, Infinity]] : [];
  const [low, high] = [-1, 1].map((sign) => (-b + sign * Math.sqrt(inside)) / (2 * a)).sort((u, v) => u - v);
  return a > 0
    ? [
        [-Infinity, low],
        [high, Infinity],
      ]
    : [[low, high]];
}

// LAMS, with additional values near 0 and near infinity, where two neighbouring LAMS differ by a large factor.
const FAR = Array.from({ length: 40 }, (_, i) => 10 ** (2 + i / 10));
const MANY = [
  0,
  ...FAR.map((lam) => 1 / lam).reverse(),
  ...LAMS.filter((lam) => lam > 0.01 && lam < 100),
  ...FAR,
  Infinity,
];

/** The true curve of N(0, 1) against N(shift, scale²), from the error rates of the optimal classifier at many
 * values of lam.
 * @param {number} shift @param {number} scale @returns {Vertex[]} */
export function bellsCurve(shift, scale) {
  return MANY.map((lam) => {
    const parts = saysReal(shift, scale, lam),
      mass = (/** @type {number} */ mean, /** @type {number} */ sigma) =>
        parts.reduce(
          (sum, [from, to]) => sum + massBelow((to - mean) / sigma) - massBelow((from - mean) / sigma),
          0,
        );
    return /** @type {Vertex} */ ([Math.max(0, 1 - mass(0, 1)), Math.max(0, mass(shift, scale))]);
  }).reverse();
}

// ---- samples ----

/** A random number generator, mulberry32: returns a function that draws numbers in (0, 1). Equal seeds give equal
 * numbers.
 * @param {number} seed */
export function random(seed) {
  let state = Math.trunc(seed) + 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 4294967296;
  };
}

/** Draw one sample of a standard Gaussian in the plane. uniform: draws numbers in (0, 1).
 * @param {() => number} uniform @returns {Sample} */
export function gaussian(uniform) {
  const r = Math.sqrt(-2 * Math.log(uniform())),
    turn = 2 * Math.PI * uniform();
  return [r * Math.cos(turn), r * Math.sin(turn)];
}

/** Fit samples and evaluation samples ("judged"). With a split, the first half of each set are fit samples and the
 * second half evaluation samples; without a split, every sample is both.
 * @typedef {{ fit: [Sample[], Sample[]], judged: [Sample[], Sample[]], split: boolean }} Split */

/** @param {Sample[]} real @param {Sample[]} generated @param {boolean} apart @returns {Split} */
export function split(real, generated, apart) {
  const half = (/** @type {Sample[]} */ samples, /** @type {boolean} */ first) =>
    first ? samples.slice(0, Math.floor(samples.length / 2)) : samples.slice(Math.floor(samples.length / 2));
  if (!apart) return { fit: [real, generated], judged: [real, generated], split: false };
  return {
    fit: [half(real, true), half(generated, true)],
    judged: [half(real, false), half(generated, false)],
    split: true,
  };
}

/** A closed ball around a point whose radius is the distance to the point's k-th nearest neighbour among the fit
 * samples. votes: number of real and of generated fit samples in the ball.
 * @typedef {{ votes: [number, number], radius: number }} Ball */

let squares = new Float64Array(512);
let coordinates = new Float64Array(1024); // coordinates of the fit samples, those of the real samples first
const smallest = new Float64Array(64);

/** Balls around the point (x, y). Each rank in `places` gives a ball that reaches to the fit sample of this rank by
 * distance, 0 for the nearest. Only the smallest distances are sorted, for speed: each step of a drag needs the
 * balls of a grid of points.
 * @param {number} x @param {number} y @param {number} nReal @param {number} count @param {number[]} places increasing ranks
 * @returns {Ball[]} */
function ballsAround(x, y, nReal, count, places) {
  const kept = Math.min(places[places.length - 1] + 1, count);
  for (let i = 0; i < count; i++) {
    const across = coordinates[2 * i] - x,
      up = coordinates[2 * i + 1] - y,
      square = across * across + up * up;
    squares[i] = square;
    if (i >= kept && square >= smallest[kept - 1]) continue;
    let j = Math.min(i, kept - 1);
    for (; j > 0 && smallest[j - 1] > square; j--) smallest[j] = smallest[j - 1];
    smallest[j] = square;
  }
  return places.map((place) => {
    const limit = smallest[Math.min(place, kept - 1)];
    let real = 0,
      generated = 0;
    for (let i = 0; i < nReal; i++) if (squares[i] <= limit) real++;
    for (let i = nReal; i < count; i++) if (squares[i] <= limit) generated++;
    return { votes: [real, generated], radius: Math.sqrt(limit) };
  });
}

/** Balls around points, by point and by k; the k must increase. own: true if the points are fit samples themselves,
 * none of which counts as its own neighbour.
 * @param {Sample[]} points @param {[Sample[], Sample[]]} fit @param {number[]} ks @param {boolean} own @returns {Ball[][]} */
export function balls(points, fit, ks, own) {
  const places = ks.map((k) => k - (own ? 0 : 1)),
    nReal = fit[0].length,
    count = nReal + fit[1].length;
  if (squares.length < count)
    [squares, coordinates] = [new Float64Array(2 * count), new Float64Array(4 * count)];
  fit.forEach((side, role) => side.forEach((point, i) => coordinates.set(point, 2 * (role * nReal + i))));
  return points.map(([x, y]) => ballsAround(x, y, nReal, count, places));
}

/** Classifiers that call a sample real if its number of generated votes divided by that of real votes is at most a
 * threshold, the cut. rates, cuts: error rates and cut of each classifier; vertices: their precision-recall curve.
 * @typedef {{ vertices: Vertex[], rates: Vertex[], cuts: number[] }} Classifiers */

/** All classifiers that these votes give, including the two that call every sample the same (as
 * ErrorRates.from_supports).
 * @param {[number, number][]} votes votes of each evaluation sample, real samples first @param {number} nReal @returns {Classifiers} */
export function classifiers(votes, nReal) {
  const keys = votes.map(([x, y]) => (x > 0 ? y / x : Infinity)),
    order = [...keys.keys()].sort((i, j) => keys[i] - keys[j] || i - j);
  const nGenerated = votes.length - nReal;
  /** @type {Vertex[]} */
  const rates = [[1, 0]];
  const cuts = [-1];
  let real = 0,
    generated = 0;
  order.forEach((i, place) => {
    if (i < nReal) real++;
    else generated++;
    if (place + 1 < order.length && keys[order[place + 1]] === keys[i]) return;
    rates.push([1 - real / nReal, generated / nGenerated]);
    cuts.push(keys[i]);
  });
  rates.reverse();
  return { vertices: lowerHull(rates), rates, cuts: cuts.reverse() };
}

/** The threshold (cut) of that classifier which is optimal at lam.
 * @param {Classifiers} classifiers @param {number} lam */
export function cutAt({ rates, cuts }, lam) {
  const cost = (/** @type {Vertex} */ [f, n]) => (lam === Infinity ? f : lam * f + n);
  return cuts[rates.reduce((best, each, i) => (cost(each) <= cost(rates[best]) ? i : best), 0)];
}
