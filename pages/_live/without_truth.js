// What the rows show if no truth is known: the upper bound on the true area, how far each area may be off, and how
// alike the curves are. Similar curves are deliberately not called right: all families use the same distances, and
// may all be wrong.

import { pointsAlong } from "./curve.js";
import { element, setText } from "./dom.js";
import { ceiled } from "./verdict.js";

/** @import { Vertex } from "./curve.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

// Number of sectors of equal angle into which rays from the origin cut the quadrant. The IoU computed with the ray in
// the middle of each sector is right to four digits.
const RAYS = 1000;
// the text names precision or recall as missing only if, on its side of the diagonal, at least this much of the unit
// square is above the curve
const LACKS = 0.02;
const LAMS = Array.from({ length: RAYS }, (_, i) => Math.tan(((i + 0.5) / RAYS) * (Math.PI / 2)));

/** Squared distance from the origin to the curve along each ray.
 * @param {Vertex[]} vertices */
const sectors = (vertices) =>
  Float64Array.from(pointsAlong(vertices, LAMS), ({ alpha, beta }) => alpha * alpha + beta * beta);

/** The lowest IoU of any two of these curves; null for fewer than two.
 * @param {Vertex[][]} curves */
export function agreement(curves) {
  const areas = curves.map(sectors);
  let least = curves.length < 2 ? null : 1;
  areas.forEach((one, i) =>
    areas.slice(0, i).forEach((other) => {
      let shared = 0,
        joint = 0;
      for (let ray = 0; ray < RAYS; ray++)
        [shared, joint] = [shared + Math.min(one[ray], other[ray]), joint + Math.max(one[ray], other[ray])];
      least = Math.min(least ?? 1, joint > 0 ? shared / joint : 1);
    }),
  );
  return least;
}

/** A sentence on whether mostly precision or mostly recall is missing from the unit square; "" if the curves disagree
 * on which.
 * @param {Vertex[][]} curves */
export function missingSide(curves) {
  const half = RAYS / 2,
    sum = (/** @type {Float64Array} */ areas) =>
      areas.reduce((one, other) => one + other, 0) * (Math.PI / 4 / RAYS);
  const sides = curves.map((vertices) => {
    const areas = sectors(vertices),
      recall = 0.5 - sum(areas.subarray(0, half)),
      precision = 0.5 - sum(areas.subarray(half));
    if (Math.max(recall, precision) < LACKS) return "";
    return recall > 2 * precision ? "recall" : precision > 2 * recall ? "precision" : "";
  });
  const [side = ""] = sides;
  return side && sides.every((each) => each === side) ? ` Mostly ${side} is missing.` : "";
}

/** @param {LiveFigure} live @param {View} view */
export function fillWithoutTruth(
  { payload: { rows, bound: known, errors }, parts, rows: { list }, film },
  { curves, local },
) {
  if (!rows || curves.some(({ id }) => id === "truth")) return;
  const bound = film.others ? null : known;
  const head = parts.rows.querySelector(".ends > :first-child");
  const most = bound === null ? "" : `truth at most ${ceiled(bound)} (95 %)`;
  if (head) setText(head, most || "no truth is known");
  for (const [id, { box }] of list) {
    const name = box.querySelector(".name"),
      error = name?.querySelector(".error") ?? element("small.error");
    setText(error, errors && !local && id in errors ? ` ± ${Math.abs(errors[id]).toFixed(2)}` : "");
    if (!error.isConnected) name?.append(error);
    const bar = box.querySelector(".bar"),
      mark = /** @type {HTMLElement} */ (bar?.querySelector(".bound") ?? element("u.bound"));
    mark.hidden = bound === null;
    mark.style.left = `${100 * Math.min(bound ?? 0, 1)}%`;
    if (!mark.isConnected) bar?.append(mark);
  }
}
