// The curves at another stop (value) of the sliders of k or of the bandwidth. They are in the frames that Python has
// sent (store.js).

import { vertexPairs } from "./curve.js";
import { store } from "./store.js";

/** @import { Vertex } from "./curve.js" */
/** @import { Frames, Stop } from "./store.js" */
/** @import { Payload } from "./view.js" */

/**
 * A curve of the payload that Python sends (view.js).
 * @typedef {import("./store.js").KeyedCurve & { id: string, name: string, color: string }} Curve
 *
 * A curve at one stop of the sliders. row: its numbers in the table; still: true if it is the same at every stop;
 * dotted: true if it is the limit for infinitely many samples.
 * @typedef {Curve & { row: number[] | undefined, still: boolean, dotted?: boolean }} CurveAtStop
 */

/** The slider that moves this curve. KDE's slider is the bandwidth, unless that is automatic: then its radius depends
 * on k.
 * @param {Frames} frames @param {string} id @param {Stop} at */
const drivenBy = (frames, id, at) =>
  at.bandwidth !== null && frames.bandwidth.curves[id] ? "bandwidth" : "k";

/** True if this slider moves this curve.
 * @param {Frames} frames @param {"k" | "bandwidth"} slider @param {string} id @param {Stop} at */
export const moves = (frames, slider, id, at) =>
  Boolean(frames[slider].curves[id]) && (slider === "bandwidth" || drivenBy(frames, id, at) === "k");

/** True if no slider moves this curve: the truth, and families that have neither k nor a bandwidth.
 * @param {Frames} frames @param {string} id */
const isStill = (frames, id) => id === "truth" || !(frames.k.curves[id] || frames.bandwidth.curves[id]);

/** The payload's curves at another stop of the sliders; null if the frames lack any of them.
 * @param {Payload} payload @param {Stop} at */
export function curvesAt(payload, at) {
  const { shown, curves, table } = payload,
    frames = store.frames.get(payload.frames);
  if (!frames || !shown) return null;
  /** @type {CurveAtStop[]} */
  const found = [];
  for (const curve of curves) {
    const slider = drivenBy(frames, curve.id, at),
      still = isStill(frames, curve.id);
    if (still || (slider === drivenBy(frames, curve.id, shown) && at[slider] === shown[slider])) {
      found.push({ ...curve, row: table?.rows[curve.id], still });
      continue;
    }
    const { stops, curves: vertices, rows } = frames[slider];
    const index = vertices[curve.id] ? stops.indexOf(at[slider]) : -1;
    if (index < 0) return null;
    found.push({
      ...curve,
      vertices: vertexPairs(vertices[curve.id][index]),
      row: rows[curve.id][index],
      still,
    });
  }
  return found;
}

/** @param {Stop} a @param {Stop} b */
export const sameStop = (a, b) => a.k === b.k && a.bandwidth === b.bandwidth;
