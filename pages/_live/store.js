// What all components of one page share: the frames, the positions of the sliders, and the highlighted items of
// linked views. The frames hold every curve and every number of the table at every stop of k and of the bandwidth
// (prviz/live/snapshots.py); the answers to the main figure's questions bring them.

import { vertexPairs } from "./curve.js";

/** @import { Vertex } from "./curve.js" */
/** @import { StandoutGroup } from "./group.js" */

/**
 * One position of the sliders of k and of the bandwidth; null is the automatic bandwidth.
 * @typedef {{ k: number, bandwidth: number | null }} Stop
 *
 * The curves that one slider moves. curves: by curve id, for each stop the vertices in one flat list; rows: by curve id,
 * for each stop the numbers of the table.
 * @typedef {{ stops: (number | null)[], curves: Record<string, number[][]>, rows: Record<string, number[][]> }} FrameTable
 *
 * @typedef {{ id: string, k: FrameTable, bandwidth: FrameTable }} Frames
 *
 * A curve: sent with a key, by which its vertices are looked up (withVertices).
 * @typedef {{ key: string, vertices: Vertex[] }} KeyedCurve
 *
 * Curves at other settings (prviz/live/snapshots.py). flat: the vertices as they are sent.
 * @typedef {{ id: string, curves: { id: string, name: string, color: string, flat: number[], vertices: Vertex[] }[], rows: Record<string, number[]>, truth: number[] | null, compared: boolean, noise: number, few: import("./verdict.js").Few | null, limit: boolean, words: import("./difference.js").Words }} Snapshot
 *
 * @typedef {object} Store
 * @property {Map<string, Snapshot>} snapshots by their id
 * @property {Map<string, Frames>} frames
 * @property {Map<string, Vertex[]>} curves vertices by key; Python sends the vertices of each key once
 * @property {Set<(curves?: boolean) => void>} listeners called when sliders have moved (`curves` is false where only lam has) or frames have come
 * @property {WeakMap<import("./main.js").Host, { id: string, at: Stop, lam: number }>} sliders for each host, where its sliders stand, and the id of the frames that these belong to
 * @property {Map<string, StandoutGroup>} standouts
 * @property {(() => boolean) | null} isHeld true while the user holds a control of the main figure
 * @property {import("./main.js").LiveFigure | null} figure the page's main figure
 * @property {(() => void) | null} renew has Python draw the whole page
 * @property {(() => void) | null} ask makes the main figure ask Python for all that is still missing
 */

const KEPT = 4; // number of frames to keep; the oldest are dropped first
const KEPT_CURVES = 60; // number of curves to keep; no answer has more

const page = /** @type {Window & { __prviz?: Store }} */ (window);
export const store = (page.__prviz ??= {
  frames: new Map(),
  curves: new Map(),
  snapshots: new Map(),
  listeners: new Set(),
  sliders: new WeakMap(),
  standouts: new Map(),
  isHeld: null,
  figure: null,
  renew: null,
  ask: null,
});

/** @param {Frames} frames */
export function keepFrames(frames) {
  store.frames.delete(frames.id);
  store.frames.set(frames.id, frames);
  for (const id of [...store.frames.keys()].slice(0, -KEPT)) store.frames.delete(id);
  store.listeners.forEach((listener) => listener());
}

const KEPT_SNAPSHOTS = 80; // number of snapshots to keep: enough for two films and the pinned states

/** @param {Snapshot} snapshot */
export function keepSnapshot(snapshot) {
  for (const curve of snapshot.curves) curve.vertices = vertexPairs(curve.flat);
  store.snapshots.delete(snapshot.id);
  store.snapshots.set(snapshot.id, snapshot);
  for (const id of [...store.snapshots.keys()].slice(0, -KEPT_SNAPSHOTS)) store.snapshots.delete(id);
}

/** Set the vertices of a message's curves, from this message or an earlier one; false if the vertices of a curve are
 * unknown.
 * @param {{ vertices: Record<string, number[]>, curves: KeyedCurve[], lines: KeyedCurve[] }} message */
export function withVertices({ vertices, curves, lines }) {
  for (const [key, flat] of Object.entries(vertices))
    if (!store.curves.has(key)) store.curves.set(key, vertexPairs(flat));
  for (const curve of [...curves, ...lines]) {
    const known = store.curves.get(curve.key);
    if (!known) return false;
    store.curves.delete(curve.key); // insert the curve again at the end, where the newest are
    store.curves.set(curve.key, (curve.vertices = known));
  }
  for (const key of [...store.curves.keys()].slice(0, -KEPT_CURVES)) store.curves.delete(key);
  return true;
}
