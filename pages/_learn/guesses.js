// The guesses of the course: to which values answering a guess moves the figure, and the judges, which find the right
// answer by comparing the figure before and after that.

import { pointAt } from "../_live/curve.js";
import { NUMBERS, atHalf, bellsCurve, compared, nearest } from "./arithmetic.js";
import { FIGURES } from "./figures.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Made, Measured } from "./figure_parts.js" */
/** @import { Values } from "../_shared/stage.js" */

/** A figure's values, with the curves that they give.
 * @typedef {{ values: Values, made: Made, measured: Measured }} At */

/** How a guess changes one value of the figure: to a constant, or to a multiple of the current value, cut to limits.
 * @typedef {number | boolean | { times: number, low: number, high: number }} Change */

const EVEN = 0.005; // differences of precision, recall or error rates below this count as none
const EVEN_AREA = 0.05; // differences of areas below this, as shares of the union, count as none

/** @param {number[]} list */
const largest = (list) => list.indexOf(Math.max(...list));
/** @param {number[]} list */
const scaled = (list) => {
  const all = list.reduce((sum, each) => sum + each, 0);
  return list.map((each) => +(each / all).toFixed(4));
};

/** Changes that depend on the current values, by the name that steps give them (p, q: masses of the modes, real and
 * generated).
 * @type {Record<string, (values: Values) => Values>} */
const RULES = {
  // The generator loses a mode: of those that it has, the one with the largest real mass.
  drop({ p, q }) {
    const lost = largest(
      p.map((/** @type {number} */ share, /** @type {number} */ i) => (q[i] > 0 ? share : -1)),
    );
    const left = q.map((/** @type {number} */ share, /** @type {number} */ i) => (i === lost ? 0 : share));
    return { q: left.some((/** @type {number} */ share) => share > 0) ? scaled(left) : q };
  },
  // The mode with the least real mass gets half of the generated mass.
  invent({ p, q }) {
    const made = p.indexOf(Math.min(...p));
    return {
      q: scaled(
        q
          .map((/** @type {number} */ share, /** @type {number} */ i) => (i === made ? 0 : share / 2))
          .with(made, 0.5),
      ),
    };
  },
  // The mode with the largest real mass gets 0.7 of the generated mass, the other modes share the rest.
  skew({ p }) {
    const most = largest(p),
      others = p.map((/** @type {number} */ share, /** @type {number} */ i) => (i === most ? 0 : share));
    const all = others.reduce((/** @type {number} */ sum, /** @type {number} */ share) => sum + share, 0);
    return {
      q: scaled(others.map((/** @type {number} */ share) => (all ? (0.3 * share) / all : 0)).with(most, 0.7)),
    };
  },
  // Real and generated data alternate from cell to cell.
  stripes: ({ p }) => {
    const full = Math.max(...p) || 1;
    return {
      p: p.map((/** @type {number} */ _, /** @type {number} */ i) => (i % 2 ? 0 : full)),
      q: p.map((/** @type {number} */ _, /** @type {number} */ i) => (i % 2 ? full : 0)),
    };
  },
  redraw: ({ seed }) => ({ seed: seed + 1, moved: {} }),
  match: ({ drop }) => matched(drop, "where both are equal"),
  area: ({ drop }) => matched(drop, "area"),
};

/** The shift of generator B at which this summary of its curve equals that of generator A.
 * @param {number} drop @param {string} number */
function matched(drop, number) {
  const of = NUMBERS[number],
    wanted = of(
      FIGURES.rivals.model({ drop, shift: 0 }, { hands: [], measured: { names: {}, colors: {} } }).curves[0]
        .vertices,
    );
  return { shift: +nearest((shift) => of(bellsCurve(shift, 1)), wanted, 0, 3.5).toFixed(4) };
}

/** The figure's values after a guess was answered.
 * @param {Record<string, Change | string>} to @param {Values} values @returns {Values} */
export function target(to, values) {
  const found = Object.entries(to).map(([name, change]) => {
    if (typeof change === "string") return RULES[change](values);
    if (typeof change !== "object") return { [name]: change };
    return { [name]: +Math.min(change.high, Math.max(change.low, values[name] * change.times)).toFixed(3) };
  });
  return Object.assign({}, values, ...found);
}

/** @param {At} at */
const shown = ({ made }) => made.curves[0]?.vertices ?? /** @type {Vertex[]} */ (made.truth);
/** @param {At} at @param {number} lam */
const alpha = (at, lam) => pointAt(shown(at), lam).alpha;
/** @param {At} at @param {number} lam */
const beta = (at, lam) => pointAt(shown(at), lam).beta;
/** @param {number} change @param {number} even @param {[string, string, string]} names ids of three outcomes: less, the same, more */
const sign = (change, even, [less, same, more]) =>
  Math.abs(change) < even ? same : change < 0 ? less : more;
/** @param {At} at */
const errorOf = ({ made }) => {
  const { excess, deficit, iou } = compared(made.curves[0].vertices, /** @type {Vertex[]} */ (made.truth));
  return { excess, deficit, wrong: 1 - iou };
};

/** The judges. A judge returns the id of the right answer, from the figure before and after answering moved it.
 * @type {Record<string, (before: At, after: At) => string>} */
export const JUDGES = {
  // Which falls: precision near the precision end (lam = 10) or recall near the recall end (lam = 0.1)?
  loses(before, after) {
    const precision = alpha(after, 10) - alpha(before, 10),
      recall = beta(after, 0.1) - beta(before, 0.1);
    return Math.min(precision, recall) > -EVEN ? "neither" : precision < recall ? "precision" : "recall";
  },
  // Which falls: precision at recall one half, or recall at precision one half?
  halves(before, after) {
    const [then, now] = [before, after].map((at) => atHalf(shown(at))),
      precision = then.precision - now.precision,
      recall = then.recall - now.recall;
    const [less, more] = precision < recall ? [precision, recall] : [recall, precision];
    return more < EVEN ? "neither" : less > more / 2 ? "both" : precision > recall ? "precision" : "recall";
  },
  middle(before, after) {
    const ends =
      Math.abs(alpha(after, Infinity) - alpha(before, Infinity)) + Math.abs(beta(after, 0) - beta(before, 0));
    return ends > EVEN ? "ends" : Math.abs(alpha(after, 1) - alpha(before, 1)) > EVEN ? "middle" : "nothing";
  },
  jumps(before, after) {
    const by = (/** @type {(at: At) => number} */ of) => Math.abs(of(after) - of(before));
    const ends = Math.max(
        by((at) => alpha(at, Infinity)),
        by((at) => beta(at, 0)),
      ),
      middle = by((at) => alpha(at, 1));
    return Math.max(ends, middle) < EVEN ? "nothing" : ends > middle ? "ends" : "middle";
  },
  end: (before, after) =>
    sign(alpha(after, Infinity) - alpha(before, Infinity), EVEN, ["falls", "stays", "rises"]),
  gains(before, after) {
    const [now, then] = [before, after].map((at) =>
      pointAt(shown(at), Math.tan((at.values.angle * Math.PI) / 180)),
    );
    return then.alpha > now.alpha + EVEN ? "precision" : then.beta > now.beta + EVEN ? "recall" : "neither";
  },
  errors(_, after) {
    const { fpr, fnr } = pointAt(shown(after), 1);
    return sign(fpr - fnr, EVEN, ["generated", "equal", "real"]);
  },
  rarer(before, after) {
    const [now, then] = [before, after].map((at) =>
      pointAt(shown(at), Math.tan((at.values.angle * Math.PI) / 180)),
    );
    return sign(then.fpr - now.fpr, EVEN, ["real", "equal", "generated"]);
  },
  side: (_, after) => {
    const { excess, deficit } = errorOf(after);
    return sign(excess - deficit, EVEN_AREA, ["low", "near", "high"]);
  },
  closer: (before, after) =>
    sign(errorOf(after).wrong - errorOf(before).wrong, 0.02, ["closer", "same", "farther"]),
  lower(before, after) {
    const { excess, deficit } = compared(shown(after), shown(before));
    return sign(excess - deficit, EVEN_AREA, ["lower", "same", "higher"]);
  },
  limit: (_, { made }) =>
    1 - compared(made.curves[1].vertices, /** @type {Vertex[]} */ (made.truth)).iou < EVEN_AREA
      ? "yes"
      : "no",
  // In which number of NUMBERS do generators A and B differ most?
  apart(_, { made }) {
    const gaps = Object.entries(NUMBERS).map(([name, of]) => ({
      name,
      gap: Math.abs(of(made.curves[0].vertices) - of(made.curves[1].vertices)),
    }));
    const most = gaps.reduce((best, each) => (each.gap > best.gap ? each : best));
    return most.gap < EVEN ? "none" : most.name;
  },
  forRecall(_, { made }) {
    const [a, b] = made.curves.map(({ vertices }) => NUMBERS["F8 for recall"](vertices));
    return sign(b - a, EVEN, ["A", "either", "B"]);
  },
  // On average over all families, are their curves too low or too high?
  families(_, { made }) {
    const off = made.curves.map(({ vertices }) => compared(vertices, /** @type {Vertex[]} */ (made.truth))),
      all = off.reduce((sum, { excess, deficit }) => sum + excess - deficit, 0) / off.length;
    return sign(all, EVEN_AREA, ["low", "near", "high"]);
  },
  // Which curve has the highest IoU with the truth?
  nearest(_, { made }) {
    const shares = made.curves.map(
      ({ vertices }) => compared(vertices, /** @type {Vertex[]} */ (made.truth)).iou,
    );
    return Math.max(...shares) - Math.min(...shares) < 0.02 ? "equal" : made.curves[largest(shares)].name;
  },
  // The last curve is an upper bound: does it fall below the truth, come nearer to it, or stay?
  bound(before, after) {
    const [then, now] = [before, after].map(({ made }) =>
      compared(made.curves[made.curves.length - 1].vertices, /** @type {Vertex[]} */ (made.truth)),
    );
    return now.deficit > EVEN ? "below" : now.iou > then.iou + 0.02 ? "nearer" : "stays";
  },
  // Does the estimated area fall by more than half as much as the true area?
  tells(before, after) {
    const fall = (/** @type {(at: At) => Vertex[]} */ of) =>
      NUMBERS.area(of(before)) - NUMBERS.area(of(after));
    return fall(shown) > fall(({ made }) => /** @type {Vertex[]} */ (made.truth)) / 2 ? "yes" : "no";
  },
  // In which number of dimensions do more samples reduce the error of kNN by the smallest share?
  helps({ values: { n: few } }, { values: { n: many }, made }) {
    const { stops, lines } = made.more,
      shares = lines.map(
        (/** @type {{ errors: number[] }} */ { errors }) =>
          errors[stops.indexOf(many)] / errors[stops.indexOf(few)],
      );
    return lines[largest(shares)].name;
  },
};
