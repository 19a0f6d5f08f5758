// The verdict: the numbers of several curves in one or two sentences, computed in the browser, so that it changes
// with the slider of k at once. tests/verdict_twin.py gives the same sentences in Python.

import { pointAt } from "./curve.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { Table } from "./readout.js" */

/**
 * A family's title, the area under its curve, and, if the truth is known, how its curve differs from it. believed:
 * true for the best classifier, whose curve is the one to believe; balanced: its precision at lam = 1, where
 * precision equals recall.
 * @typedef {{ title: string, auc: number, iou: number, excess: number, deficit: number, believed?: boolean, balanced?: number }} FamilyNumbers
 *
 * What the verdict depends on besides the numbers.
 * @typedef {object} DrawingState
 * @property {boolean} [approximate] true if the curves come from approximate neighbour lists
 * @property {boolean} [stale] true if the curves are of earlier settings
 * @property {number | null} [coarse] number of samples per set of first, coarse curves; null if all samples are measured
 * @property {number} [folded] number of families that are not drawn
 * @property {number} [noise] difference of two numbers that chance alone explains
 * @property {number | null} [agreement] the lowest IoU of any two curves
 * @property {boolean} [pending] true if the curve to believe is not measured yet
 * @property {Few | null} [few] set if the samples are too few for a verdict: what they show all the same
 *
 * What few samples show. bound: upper bound on the true area, null if it excludes no area; apart: true if the two
 * sets differ by more than chance, null until that is measured.
 * @typedef {{ bound: number | null, apart: boolean | null }} Few
 */

/** Name of the family whose curve is to be believed if no truth is known: the best classifier. */
export const BELIEVED = "tightest";
const CLOSE = 0.95, // a curve with an IoU above this is close to the truth
  AGREEMENT = 0.05, // areas that differ by at most this agree
  NO_AREA = 1e-3; // if the true area is below this, the truth counts as having no area

/** The number as text with this many decimals; halves are rounded up, as in tests/verdict_twin.py.
 * @param {number} value */
const printed = (value, digits = 2) =>
  (Math.floor(value * 10 ** digits + 0.5) / 10 ** digits).toFixed(digits);

/** The number as text, with two digits and rounded up: a bound must not look tighter than it is.
 * @param {number} share */
export const ceiled = (share) => (Math.ceil(100 * share - 1e-9) / 100).toFixed(2);

/** True if two numbers are printed alike, or differ by no more than chance.
 * @param {number} one @param {number} other @param {number} noise */
const alike = (one, other, noise) => printed(one) === printed(other) || Math.abs(one - other) <= noise;

/** @param {number[]} values */
function range(values) {
  const least = printed(Math.min(...values)),
    most = printed(Math.max(...values));
  return least === most ? least : `${least} to ${most}`;
}

/** @param {FamilyNumbers[]} rows */
function names(rows) {
  const titles = rows.map(({ title }) => title);
  if (rows.length > 4) return `${rows.length} families`;
  return titles.length < 2
    ? titles.join()
    : `${titles.slice(0, -1).join(", ")} and ${titles[titles.length - 1]}`;
}

/** @param {FamilyNumbers[]} rows @param {string} one @param {string} many */
const verb = (rows, one, many) =>
  rows.length > 1 || rows[0].title.split(" (")[0].endsWith("s") ? many : one;

// Texts for the side of the truth on which a curve lies: above (too high) or below it (too low); both, if the smaller
// of excess and deficit is more than half of the larger; close to it, if the IoU is above CLOSE.
const CLOSE_BY = "close to the truth",
  BOTH = "too high here, too low there",
  SIDES = ["too high", "too low", BOTH, CLOSE_BY];

/** @param {FamilyNumbers} row */
function sideOf({ iou, excess, deficit }) {
  if (iou > CLOSE) return CLOSE_BY;
  if (Math.min(excess, deficit) > Math.max(excess, deficit) / 2) return BOTH;
  return excess > deficit ? "too high" : "too low";
}

const COUNTS = ["", "", "Both", "All three", "All four", "All five", "All six"];

/** @param {FamilyNumbers[]} rows at least two */
function direction(rows) {
  const [first] = rows,
    side = sideOf(first);
  if (rows.every((row) => sideOf(row) === side))
    return `${COUNTS[rows.length] ?? `All ${rows.length}`} are ${side}`;
  const groups = SIDES.map((each) => ({ each, group: rows.filter((row) => sideOf(row) === each) }));
  return groups
    .filter(({ group }) => group.length)
    .map(({ each, group }) => `${names(group)} ${verb(group, "is", "are")} ${each}`)
    .join(", ");
}

/** @param {FamilyNumbers[]} closest @param {FamilyNumbers[]} rows @param {(row: FamilyNumbers) => number} value */
const best = (closest, rows, value) =>
  `${names(closest)} ${verb(closest, "is", "are")} ${rows.length === 2 ? "closer" : "closest"}: ${range(closest.map(value))}.`;

/** The families that chance cannot tell from the one with the smallest number (low), and those that it cannot tell
 * from the one with the largest (high). A family that belongs to both is in neither list.
 * @param {FamilyNumbers[]} rows @param {(row: FamilyNumbers) => number} value @param {number} noise */
function ends(rows, value, noise) {
  const ordered = [...rows].sort((a, b) => value(a) - value(b)),
    least = value(ordered[0]),
    most = value(ordered[rows.length - 1]);
  const isLow = (/** @type {FamilyNumbers} */ row) => alike(value(row), least, noise),
    isHigh = (/** @type {FamilyNumbers} */ row) => alike(value(row), most, noise);
  return {
    tied: alike(least, most, noise),
    low: ordered.filter((row) => isLow(row) && !isHigh(row)),
    high: [...rows].sort((a, b) => value(b) - value(a)).filter((row) => isHigh(row) && !isLow(row)),
  };
}

/** @param {FamilyNumbers} row */
const overlapOf = ({ iou }) => iou;

/** @param {FamilyNumbers[]} rows @param {number} noise */
function compared(rows, noise) {
  const overlaps = rows.map(overlapOf),
    { tied, high } = ends(rows, overlapOf, noise);
  if (rows.length === 1) {
    const [{ excess, deficit }] = rows,
      side = sideOf(rows[0]),
      crosses = Math.min(excess, deficit) > Math.max(excess, deficit) / 10,
      mostly = crosses && side !== BOTH && side !== CLOSE_BY ? "mostly " : "";
    return `${names(rows)} ${verb(rows, "is", "are")} ${mostly}${side}: overlap ${range(overlaps)}.`;
  }
  if (Math.min(...overlaps) > CLOSE) return `None is far from the truth: every overlap is above ${CLOSE}.`;
  const close = rows.filter((row) => sideOf(row) === CLOSE_BY);
  if (close.length) return `${direction(rows)}: ${range(close.map(overlapOf))}.`;
  return `${direction(rows)}. ${tied ? `Their overlaps are alike: ${range(overlaps)}.` : best(high, rows, overlapOf)}`;
}

/** @param {FamilyNumbers} row */
const areaOf = ({ auc }) => auc;

/** @param {FamilyNumbers[]} rows @param {number} trueArea @param {number} noise */
function withoutArea(rows, trueArea, noise) {
  const truth = `The true area is ${trueArea === 0 ? "0" : "almost 0"}`,
    { tied, low, high } = ends(rows, areaOf, noise),
    areas = rows.map(areaOf);
  const has = rows.length === 1 ? `${names(rows)} ${verb(rows, "has", "have")}` : "every family has";
  if (printed(Math.max(...areas)) === "0.00") return `${truth}: ${has} less than 0.01.`;
  if (tied) return `${truth}: ${has} ${range(areas)}.`;
  return `${truth}: ${names(high)} ${verb(high, "has", "have")} ${range(high.map(areaOf))}. ${best(low, rows, areaOf)}`;
}

/** @param {FamilyNumbers} believed @param {FamilyNumbers[]} others */
function toBelieve(believed, others) {
  const area = printed(believed.auc),
    right = printed(100 * (1 - (believed.balanced ?? 1) / 2), 0);
  const apart = `The best classifier is right ${right} times in 100; a coin is in 50.`;
  if (others.every(({ auc }) => auc <= believed.auc)) return `${apart} Its area is ${area}.`;
  const lowest = others.every(({ auc }) => auc >= believed.auc) ? ", the lowest" : "";
  return `${apart} Believe its curve${lowest}: area ${area}.`;
}

/** @param {FamilyNumbers[]} rows @param {number} noise @param {number | null} agreement */
function withoutTruth(rows, noise, agreement) {
  const believed = rows.find((row) => row.believed);
  if (believed && rows.length > 1)
    return toBelieve(
      believed,
      rows.filter((row) => row !== believed),
    );
  const areas = rows.map(areaOf),
    { low, high } = ends(rows, areaOf, noise),
    least = printed(Math.min(...areas)),
    most = printed(Math.max(...areas));
  if (rows.length === 1) return `The area of ${names(rows)} is ${most}.`;
  const apart = Math.max(AGREEMENT, noise);
  if (Math.max(...areas) - Math.min(...areas) > apart)
    return `Areas from ${least} (${names(low)}) to ${most} (${names(high)}).`;
  if (agreement !== null && (1 - agreement) * Math.max(...areas) > apart)
    return `The areas are alike (${range(areas)}), the curves are not: two of them have an overlap of ${printed(agreement)}.`;
  return least === most ? `Every area is ${most}.` : `The areas agree: ${least} to ${most}.`;
}

/** @param {Few} few */
function tooFew({ bound, apart }) {
  if (apart === null) return "Too few samples to believe an area.";
  const differ = apart ? "The sets differ" : "The sets are not told apart";
  const most = bound === null ? "" : `; the true area is at most ${ceiled(bound)} (95 %)`;
  return `${differ}${most}. Too few samples to say more.`;
}

/** The verdict as text: if the truth is known, on which side of it the curves lie and which is closest; else what
 * their areas say.
 * @param {FamilyNumbers[]} rows one per measured family
 * @param {number | null} trueArea null where the truth is not known
 * @param {DrawingState} state */
export function verdict(
  rows,
  trueArea,
  {
    approximate = false,
    stale = false,
    coarse = null,
    folded = 0,
    noise = 0,
    agreement = null,
    pending = false,
    few = null,
  } = {},
) {
  if (!rows.length) return "No curve to compare yet.";
  let text = "";
  if (trueArea === null && few) text = tooFew(few);
  else if (trueArea === null && pending)
    text = `${rows.length > 1 ? "Areas" : "Area"} so far: ${range(rows.map(areaOf))}. The curve to believe is being measured.`;
  else if (trueArea === null) text = withoutTruth(rows, noise, agreement);
  else if (coarse && trueArea >= NO_AREA) text = `overlap ${range(rows.map(({ iou }) => iou))} so far.`;
  else text = trueArea < NO_AREA ? withoutArea(rows, trueArea, noise) : compared(rows, noise);
  const states = [
    stale && "earlier settings",
    coarse && `first look at ${coarse.toLocaleString("en")} samples`,
    approximate && "approximate",
    folded > 0 && `of ${rows.length} curves, ${rows.length - folded} drawn`,
  ]
    .filter(Boolean)
    .join(", ");
  return states ? `${states[0].toUpperCase()}${states.slice(1)}: ${text}` : text;
}

/** The sentence on families whose curves go beyond the bound on the truth; "" if there are none. errors: true if the
 * figure shows error rates, in which such a curve is too low.
 * @param {string[]} titles */
export function refusal(titles, errors = false) {
  const rows = titles.map((title) => ({ title, auc: 0, iou: 0, excess: 0, deficit: 0 }));
  const seen = errors ? "too low" : "too high where thin";
  return rows.length
    ? ` ${rows.length > 2 ? `${rows.length} curves` : names(rows)} ${verb(rows, "is", "are")} ${seen} (95 %).`
    : "";
}

/** The verdict on the curves at one stop, computed from the curves' rows of the table.
 * @param {CurveAtStop[]} curves @param {Table} table @param {DrawingState} state */
export function verdictAt(curves, { columns }, state = {}) {
  const at = Object.fromEntries(columns.map(({ key }, i) => [key, i]));
  const numbers = (/** @type {CurveAtStop} */ { id, name, row = [], vertices }) => ({
    title: name,
    balanced: id === BELIEVED ? pointAt(vertices, 1).alpha : undefined,
    believed: id === BELIEVED,
    auc: row[at.auc],
    iou: row[at.iou],
    excess: row[at.excess],
    deficit: row[at.deficit],
  });
  const truth = curves.find(({ id }) => id === "truth");
  return verdict(
    curves.filter((curve) => curve !== truth).map(numbers),
    truth ? numbers(truth).auc : null,
    state,
  );
}
