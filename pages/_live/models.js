// What a figure's curves are at any stop of its own controls, where no frames are needed: one of a few drawings that
// Python has made beforehand.

import { vertexPairs } from "./curve.js";

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

/** @type {Record<string, (controls: Values, constants: any) => Modelled>} */
export const MODELS = {
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
};
