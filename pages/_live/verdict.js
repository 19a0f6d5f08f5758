// What the numbers of several curves come to, in one or two sentences: while k moves. tests/verdict_twin.py says the same in Python.

/** @import { CurveAtStop } from "./frames.js" */
/** @import { Table } from "./readout.js" */

/**
 * A family's title, the area under its curve, and the difference from the truth, if that is known.
 * believed: of the best classifier, beside others.
 * @typedef {{ title: string, auc: number, iou: number, excess: number, deficit: number, believed?: boolean }} FamilyNumbers
 *
 * approximate: the curves come from approximate neighbour lists; stale: they are of settings before the current ones;
 * coarse: of so few samples per set, until all are measured.
 * @typedef {{ approximate?: boolean, stale?: boolean, coarse?: number | null }} DrawingState
 */

/** The family to believe where no truth is known. */
export const BELIEVED = "tightest";
const CLOSE = 0.95, AGREEMENT = 0.05, NO_AREA = 1e-3; // as there

/** Halves up, as there.
 * @param {number} value */
const printed = (value, digits = 2) => (Math.floor(value * 10 ** digits + 0.5) / 10 ** digits).toFixed(digits);

/** @param {number} share */
function percent(share) {
  const rounded = Math.floor(100 * share + 0.5);
  return rounded === 100 && share < 1 ? "over 99 %" : `${rounded} %`;
}

/** @param {FamilyNumbers[]} rows */
const names = (rows) => (rows.length <= 2 ? rows.map(({ title }) => title).join(" and ") : `${rows.length} families`);

/** @param {FamilyNumbers[]} rows @param {string} one @param {string} many */
const verb = (rows, one, many) => (rows.length > 1 || rows[0].title.split(" (")[0].endsWith("s") ? many : one);

/** @param {FamilyNumbers[]} closest @param {FamilyNumbers[]} rows */
const best = (closest, rows) => `${names(closest)} ${verb(closest, "comes", "come")} ${rows.length === 2 ? "closer" : "closest"}.`;

/** @param {FamilyNumbers} row @param {number} trueArea */
function error(row, trueArea) {
  const { title, auc, iou, excess, deficit } = row;
  const truth = iou + deficit, missed = deficit / truth, invented = excess / truth, ratio = auc / trueArea;
  const sees = `${title} ${verb([row], "sees", "see")}`, misses = `${title} ${verb([row], "misses", "miss")}`;
  if (iou === 0) return `${misses} the whole true area`;
  if (Math.min(missed, invented) > Math.max(missed, invented) / 2) return `${misses} ${percent(missed)} of the true area, invents ${percent(invented)}`;
  if (missed > invented) return `${misses} ${percent(missed)} of the true area`;
  if (ratio < 1.5) return `${sees} ${percent(ratio - 1)} more than the true area`;
  return `${sees} ${printed(ratio, ratio >= 10 ? 0 : 1)} times the true area`;
}

/** @param {FamilyNumbers[]} rows @param {number} trueArea */
function compared(rows, trueArea) {
  const ious = rows.map(({ iou }) => iou), low = Math.min(...ious), high = printed(Math.max(...ious)), least = printed(low);
  const farthest = rows.filter(({ iou }) => printed(iou) === least), closest = rows.filter(({ iou }) => printed(iou) === high);
  if (low > CLOSE && rows.length === 1) return `${names(rows)} ${verb(rows, "is", "are")} close to the truth: IoU ${least}.`;
  if (low > CLOSE) return `None is far from the truth: every IoU is above ${CLOSE}.`;
  if (rows.length === 1) return `${error(rows[0], trueArea)}.`;
  if (farthest.length === rows.length) return `${names(rows)} are equally far from the truth: IoU ${least}.`;
  if (farthest.length > 1) return `${names(farthest)} are farthest: IoU ${least}. ${best(closest, rows)}`;
  return `${error(farthest[0], trueArea)}. ${best(closest, rows)}`;
}

/** The families of the least and those of the greatest printed area.
 * @param {FamilyNumbers[]} rows */
function extremes(rows) {
  const ordered = [...rows].sort((a, b) => a.auc - b.auc), [least, most] = [ordered[0], ordered[ordered.length - 1]];
  const like = (/** @type {FamilyNumbers} */ one) => (/** @type {FamilyNumbers} */ { auc }) => printed(auc) === printed(one.auc);
  return { low: ordered.filter(like(least)), high: ordered.reverse().filter(like(most)) };
}

/** @param {FamilyNumbers[]} rows @param {number} trueArea */
function withoutArea(rows, trueArea) {
  const truth = `The true area is ${trueArea === 0 ? "0" : "almost 0"}`, { low, high } = extremes(rows), area = printed(high[0].auc);
  const sees = rows.length === 1 ? `${names(rows)} ${verb(rows, "sees", "see")}` : "every family sees";
  if (area === "0.00") return `${truth}: ${sees} less than 0.01.`;
  if (high.length === rows.length) return `${truth}: ${sees} ${area}.`;
  return `${truth}: ${names(high)} ${verb(high, "sees", "see")} ${area}. ${best(low, rows)}`;
}

/** @param {FamilyNumbers} believed @param {FamilyNumbers[]} others */
function toBelieve(believed, others) {
  const area = printed(believed.auc);
  if (others.every(({ auc }) => auc <= believed.auc)) return `The area is ${area} by the best classifier.`;
  return `Believe ${area}: held-out curves lie above the truth, up to chance.`;
}

/** @param {FamilyNumbers[]} rows */
function withoutTruth(rows) {
  const believed = rows.find((row) => row.believed);
  if (believed && rows.length > 1) return toBelieve(believed, rows.filter((row) => row !== believed));
  const { low, high } = extremes(rows), least = printed(low[0].auc), most = printed(high[0].auc);
  if (rows.length === 1) return `The area of ${names(rows)} is ${most}.`;
  if (least === most) return `Every area is ${most}.`;
  if (high[0].auc - low[0].auc <= AGREEMENT) return `The areas agree: ${least} to ${most}.`;
  return `Areas from ${least} (${names(low)}) to ${most} (${names(high)}).`;
}

/** Which family is farthest from the truth and by how much, and which comes closest.
 * @param {FamilyNumbers[]} rows one per curve on screen
 * @param {number | null} trueArea null where the truth is not known
 * @param {DrawingState} state */
export function verdict(rows, trueArea, { approximate = false, stale = false, coarse = null } = {}) {
  if (!rows.length) return "No curve to compare yet.";
  const text = trueArea === null ? withoutTruth(rows) : trueArea < NO_AREA ? withoutArea(rows, trueArea) : compared(rows, trueArea);
  const states = [stale && "earlier settings", coarse && `first look at ${coarse.toLocaleString("en")} samples`, approximate && "approximate"].filter(Boolean).join(", ");
  return states ? `${states[0].toUpperCase()}${states.slice(1)}: ${text}` : text;
}

/** The families with more than the area that the truth does not exceed, where that is all that is known of it.
 * @param {CurveAtStop[]} curves @param {Table} table @param {number | null} bound */
export function beyond(curves, { columns }, bound) {
  const area = columns.findIndex(({ key }) => key === "auc");
  const found = curves.filter(({ row = [] }) => bound !== null && row[area] > bound).map(({ name }) => ({ title: name, auc: 0, iou: 0, excess: 0, deficit: 0 }));
  return found.length && curves.every(({ id }) => id !== "truth") ? ` ${names(found)} ${verb(found, "sees", "see")} more than the true area, with 95 % confidence.` : "";
}

/** The verdict on curves at a stop, from their rows of the table.
 * @param {CurveAtStop[]} curves @param {Table} table @param {DrawingState} state */
export function verdictAt(curves, { columns }, state = {}) {
  const at = Object.fromEntries(columns.map(({ key }, i) => [key, i]));
  const numbers = (/** @type {CurveAtStop} */ { id, name, row = [] }) =>
    ({ title: name, believed: id === BELIEVED, auc: row[at.auc], iou: row[at.iou], excess: row[at.excess], deficit: row[at.deficit] });
  const truth = curves.find(({ id }) => id === "truth");
  return verdict(curves.filter((curve) => curve !== truth).map(numbers), truth ? numbers(truth).auc : null, state);
}
