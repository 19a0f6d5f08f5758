// The exact curve of two discrete distributions on the same cells.

/** @import { Vertex } from "../_live/curve.js" */

/** @param {number[]} masses */
const sum = (masses) => masses.reduce((total, mass) => total + mass, 0);

/** The exact curve of two discrete distributions, given by their masses p (real) and q (generated) on the same cells;
 * each list is scaled to sum 1. alpha(lam) is the sum of min(lam p, q). The cells, sorted by q / p, give the optimal
 * classifiers, whose error rates need no convex hull (prviz.curves.ground_truth.finite_masses).
 * @param {number[]} p @param {number[]} q */
export function massCurve(p, q) {
  const allP = sum(p),
    allQ = sum(q);
  const cells = [...p.keys()].filter((i) => p[i] > 0 || q[i] > 0).sort((i, j) => q[i] * p[j] - q[j] * p[i]);
  // Error rates of the optimal classifiers, from calling all cells generated to calling all real. Cells with the same
  // ratio q / p make one edge of the curve.
  /** @type {Vertex[]} */
  const points = [];
  /** @type {number | null} */
  let last = null;
  let fpr = 1,
    fnr = 0;
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
  const first = points.findLastIndex(([, n]) => n <= 1e-12),
    end = points.findIndex(([f]) => f <= 1e-12);
  const kept = points.slice(first, end + 1);
  kept[0][1] = 0;
  kept[kept.length - 1][0] = 0;
  return kept.reverse();
}
