// What all components of one page share: the frames, where the sliders stand, and what stands out in a group of figures.
// The frames are every curve and every number of the table at every stop of k and of the bandwidth
// (prviz/live/snapshots.py). They come on the visitor's line.

import { vertexPairs } from "./curve.js";

/** @import { Vertex } from "./curve.js" */
/** @import { StandoutGroup } from "./group.js" */

/**
 * Where the sliders of k and of the bandwidth stand; null is the automatic bandwidth.
 * @typedef {{ k: number, bandwidth: number | null }} Stop
 *
 * The curves that one slider moves: flat vertices and numbers of the table, by curve id, one per stop.
 * @typedef {{ stops: (number | null)[], curves: Record<string, number[][]>, rows: Record<string, number[][]> }} FrameTable
 *
 * @typedef {{ id: string, k: FrameTable, bandwidth: FrameTable }} Frames
 *
 * A curve as it is sent, and then its vertices.
 * @typedef {{ key: string, vertices: Vertex[] }} KeyedCurve
 *
 * Curves at other settings, as they are sent and with their vertices (prviz/live/snapshots.py).
 * @typedef {{ id: string, curves: { id: string, name: string, color: string, flat: number[], vertices: Vertex[] }[], rows: Record<string, number[]>, truth: number[] | null, compared: boolean, noise: number, few: import("./verdict.js").Few | null, limit: boolean, words: import("./difference.js").Words }} Snapshot
 *
 * @typedef {object} Store
 * @property {Map<string, Snapshot>} snapshots by their id
 * @property {Map<string, Frames>} frames
 * @property {Map<string, Vertex[]>} curves vertices by their key, so that they are sent once
 * @property {Set<(curves?: boolean) => void>} listeners called when sliders have moved (`curves` is false where only lam has) or frames have come
 * @property {WeakMap<import("./main.js").Host, { id: string, at: Stop, lam: number }>} sliders where they stand, by what the figures stand in, and the id of the frames they are of
 * @property {Map<string, StandoutGroup>} standouts
 * @property {(() => boolean) | null} isHeld a slider of the main figure is held
 * @property {import("./main.js").LiveFigure | null} figure the page's main one
 * @property {(() => void) | null} renew has Python draw the whole page
 * @property {(() => void) | null} ask lets the page's main figure ask what is still missing
 */

const KEPT = 4; // profiles whose frames stay; the oldest goes first
const KEPT_CURVES = 60; // more than one answer brings

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

const KEPT_SNAPSHOTS = 80; // two films and the pinned states

/** @param {Snapshot} snapshot */
export function keepSnapshot(snapshot) {
  for (const curve of snapshot.curves) curve.vertices = vertexPairs(curve.flat);
  store.snapshots.delete(snapshot.id);
  store.snapshots.set(snapshot.id, snapshot);
  for (const id of [...store.snapshots.keys()].slice(0, -KEPT_SNAPSHOTS)) store.snapshots.delete(id);
}

/** The curves of a message with their vertices, those that came before included; false where one is unknown.
 * @param {{ vertices: Record<string, number[]>, curves: KeyedCurve[], lines: KeyedCurve[] }} message */
export function withVertices({ vertices, curves, lines }) {
  for (const [key, flat] of Object.entries(vertices))
    if (!store.curves.has(key)) store.curves.set(key, vertexPairs(flat));
  for (const curve of [...curves, ...lines]) {
    const known = store.curves.get(curve.key);
    if (!known) return false;
    store.curves.delete(curve.key); // and to the end, as the newest
    store.curves.set(curve.key, (curve.vertices = known));
  }
  for (const key of [...store.curves.keys()].slice(0, -KEPT_CURVES)) store.curves.delete(key);
  return true;
}
