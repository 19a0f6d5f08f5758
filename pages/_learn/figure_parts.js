// Types and small helpers that all figures of the course use.

import { mark } from "../_shared/stage.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Drawing, Values } from "../_shared/stage.js" */

/**
 * A curve to draw. name: text to write beside it.
 * @typedef {{ name: string, color: string, vertices: Vertex[] }} Named
 *
 * Result of a figure's `model`, computed from the figure's values: the true curve (null if there is none), the
 * estimates, and more data for `draw`.
 * @typedef {{ truth: Vertex[] | null, curves: Named[], more?: any }} Made
 *
 * Arguments of a figure's `draw` besides the values: width, height and font size (em) in pixels; hands: names of
 * what the reader can move; stored measurements.
 * @typedef {object} Setting
 * @property {number} width
 * @property {number} height
 * @property {number} em
 * @property {string[]} hands
 * @property {Measured} measured
 *
 * One stored measurement, in d dimensions with n samples per set: by family, the mean curve and its IoU with the
 * truth.
 * @typedef {{ d: number, n: number, curves: Record<string, number[]>, iou: Record<string, number> }} Cell
 *
 * Stored measurements (pages/_learn/measured.py). limits: by k, kNN's curve for infinitely many samples; the other
 * parts are lists of cells.
 * @typedef {{ limits?: Record<string, number[]>, names: Record<string, string>, colors: Record<string, string> } & Partial<Record<"d" | "n" | "believed" | "bound", Cell[]>>} Measured
 *
 * @typedef {object} Figure
 * @property {string} title
 * @property {(values: Values, made: Made) => string} [heading] heading text that replaces the title
 * @property {(values: Values, setting: Pick<Setting, "hands" | "measured">) => Made} model
 * @property {(values: Values, made: Made, setting: Setting) => Drawing} draw
 */

/** @type {(value: number, low: number, high: number) => number} */
export const within = (value, low, high) => Math.min(high, Math.max(low, value));
/** @type {(value: number, step: number) => number} */
export const rounded = (value, step) => +(Math.round(value / step) * step).toFixed(4);
/** @param {number} share */
export const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
/** @param {number[]} list @param {number} target */
export const closest = (list, target) =>
  list.reduce((best, each) => (Math.abs(each - target) < Math.abs(best - target) ? each : best));
/** @param {number} from @param {number} to @param {number} count */
export const evenly = (from, to, count) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
/** @type {(x: number, mean: number, sigma: number) => number} */
export const normal = (x, mean, sigma) =>
  Math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * Math.sqrt(2 * Math.PI));
/** @param {string} text @param {number} x @param {number} y @param {Record<string, string | number>} [more] */
export const label = (text, x, y, more = {}) =>
  mark("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle", ...more }, text);
