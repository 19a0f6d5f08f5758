// What each kind of figure is at another stop: the same as prviz/figures draws there (a test compares them).

import { PLACES, angleToLam, breakpoints, firstDifference, general, mirrored, pointAt, pointsAlong, sample } from "./curve.js";
import { groupTraces, groupsName, isGrouped } from "./confusion_groups.js";
import { isOfOneStop } from "./pane.js";

/** @import { Point, Vertex } from "./curve.js" */
/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Figure, Pane } from "./pane.js" */
/** @import { Stop } from "./store.js" */
/** @import { View } from "./view.js" */

/**
 * One pane at a stop; `full` adds what only Plotly needs: hover texts and customdata.
 * @typedef {{ live: LiveFigure, pane: Pane, curves: CurveAtStop[], at: Stop | null, full: boolean }} PaneAtStop
 *
 * What changes in a pane: in its traces by their number, in the axes of its layout, and the texts of its annotations.
 * @typedef {{ traces: Record<number, any>, layout?: Record<string, any>, annotations?: string[] }} PaneChange
 */

/** The number of a curve's line among the traces.
 * @param {Pane} pane @param {string} id */
const indexOf = (pane, id) => pane.spec.figure.data.findIndex((trace) => trace.legendgroup === id && !trace.fill);

/** @type {Record<string, (pane: PaneAtStop) => PaneChange>} */
const FIGURES = {
  pr({ live: { payload }, pane, curves, full }) {
    const traces = withoutBands(pane, curves);
    const compared = payload.table?.columns[0].key === "iou";
    for (const { id, name, vertices, row, still } of curves) {
      if (still) continue;
      const points = sample(vertices, 200), iou = compared && row && `IoU ${row[0].toFixed(2)}`;
      traces[indexOf(pane, id)] = {
        x: points.map((at) => at.beta), y: points.map((at) => at.alpha), name: [name, iou, pane.spec.note].filter(Boolean).join(", "),
        ...(full && { text: points.map((at) => general(at.lam)), customdata: points.map((at) => [at.lam, at.fpr, at.fnr]) }) };
    }
    return { traces };
  },
  error({ pane, curves, full }) {
    /** @type {PaneChange["traces"]} */
    const traces = {};
    for (const { id, vertices, still } of curves) {
      if (still) continue;
      const change = traces[indexOf(pane, id)] = { x: vertices.map(([fpr]) => fpr), y: vertices.map(([, fnr]) => fnr) };
      if (!full) continue;
      const ends = [Infinity, ...breakpoints(vertices), 0], customdata = vertices.map((v, j) => [ends[j + 1], ends[j], ...v]);
      Object.assign(change, { customdata, text: customdata.map(([low, high]) => `${general(low)} to ${general(high)}`) });
    }
    return { traces };
  },
  bias({ pane, curves, full }) {
    /** @type {PaneChange["traces"]} */
    const traces = {}, truth = curves.find(({ id }) => id === "truth"), errors = [];
    const exact = truth ? precisions(truth.vertices) : [];
    for (const { id, vertices } of curves) {
      if (id === "truth") continue;
      const alphas = precisions(vertices), y = alphas.map((alpha, i) => alpha - exact[i]);
      errors.push(...y);
      traces[indexOf(pane, id)] = {
        x: ANGLES, y, ...(full && { text: LAMS.map((lam) => general(lam)), customdata: LAMS.map((lam, i) => [lam, alphas[i], exact[i]]) }) };
    }
    const reach = reachOf(errors);
    return { traces, layout: { yaxis: { range: [-1.05 * reach, 1.05 * reach] } } };
  },
  roc: (drawn) => otherAxes(drawn, PLACES.roc),
  collapse: (drawn) => otherAxes(drawn, PLACES.collapse),
  groups: ({ live, pane }) => groupTraces(live, pane),
  tail: (drawn) => tail(drawn, (at) => at.alpha, firstDifference),
  "tail-recall": (drawn) => tail(drawn, (at) => at.beta, (vertices, truth) => {
    const found = firstDifference(mirrored(vertices), mirrored(truth));
    return found === null ? null : 1 / found;
  }),
  k: ({ pane, at }) => lineAt(pane, at?.k ?? null),
  bandwidth: ({ pane, at }) => lineAt(pane, at?.bandwidth ?? null),
};

/** Python alone draws bands and limits: those of curves that have moved are of another stop.
 * @param {Pane} pane @param {CurveAtStop[]} curves */
function withoutBands(pane, curves) {
  const stay = new Set(curves.filter(({ still }) => still).map(({ id }) => id));
  /** @type {PaneChange["traces"]} */
  const traces = {};
  pane.spec.figure.data.forEach((trace, i) => { if (isOfOneStop(trace) && !stay.has(trace.legendgroup ?? "")) traces[i] = { x: [], y: [] }; });
  return traces;
}

/** Where an axis ends that shows these values: a round number.
 * @param {number[]} values */
const reachOf = (values) => [0.05, 0.1, 0.2, 0.5].find((reach) => values.every((value) => Math.abs(value) <= reach)) ?? 1;

const ANGLES = Array.from({ length: 361 }, (_, i) => i / 4); // degrees
const LAMS = ANGLES.map(angleToLam);
/** @type {WeakMap<Vertex[], number[]>} */
const PRECISIONS = new WeakMap();

/** A curve's precision at every angle.
 * @param {Vertex[]} vertices */
function precisions(vertices) {
  const found = PRECISIONS.get(vertices) ?? pointsAlong(vertices, LAMS).map(({ alpha }) => alpha);
  PRECISIONS.set(vertices, found);
  return found;
}

/** The same hulls with other axes.
 * @param {PaneAtStop} drawn @param {(at: Point) => [number, number]} place */
function otherAxes({ pane, curves }, place) {
  const moved = curves.filter(({ still }) => !still).map(({ id, vertices }) => {
    const points = vertices.map(([fpr, fnr]) => place({ fpr, fnr, lam: 0, alpha: 0, beta: 0 }));
    return [indexOf(pane, id), { x: points.map(([x]) => x), y: points.map(([, y]) => y) }];
  });
  return { traces: Object.fromEntries(moved) };
}

const TAIL_LAMS = Array.from({ length: 241 }, (_, i) => 10 ** (-3 + i / 40)); // on a log axis (prviz/figures/tail.py)

/** Precision or recall over lam, and a dot where an estimate leaves the truth.
 * @param {PaneAtStop} drawn @param {(at: Point) => number} value @param {(vertices: Vertex[], truth: Vertex[]) => number | null} difference */
function tail({ pane, curves, full }, value, difference) {
  const traces = withoutBands(pane, curves), truth = curves.find(({ id }) => id === "truth")?.vertices;
  for (const { id, vertices } of curves) {
    if (id === "truth") continue;
    traces[indexOf(pane, id)] = { x: TAIL_LAMS, y: pointsAlong(vertices, TAIL_LAMS).map(value) };
    const mark = pane.spec.figure.data.findIndex((trace) => trace.meta === "first" && trace.legendgroup === id);
    if (mark < 0 || !truth) continue;
    const lam = difference(vertices, truth);
    traces[mark] = { x: [lam], y: [lam === null ? null : value(pointAt(vertices, lam))], ...(full && { text: [lam === null ? "" : general(lam)] }) };
  }
  return { traces };
}

/** The vertical line at the current value; none where the bandwidth is the automatic one.
 * @param {Pane} pane @param {number | null} value @returns {PaneChange} */
function lineAt(pane, value) {
  const index = pane.spec.figure.data.findIndex((trace) => trace.legendgroup === "now");
  const change = { x: [value, value], name: value === null ? "" : `now: ${general(value, 4)}` };
  const traces = index < 0 ? {} : { [index]: change }, { figure: { layout }, follow } = pane.spec;
  return layout.annotations?.length ? { traces, annotations: [value === null ? "" : `now ${follow} = ${general(value, 4)}`] } : { traces };
}

/** True if the pane shows every stop at once, so that only the line at the current one moves.
 * @param {Pane} pane */
export const showsAllStops = ({ spec: { follow } }) => follow === "k" || follow === "bandwidth";

/** What differs in a pane from Python's figure; null where nothing does.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view @param {boolean} full @returns {PaneChange | null} */
export function changesOf(live, pane, view, full) {
  const { curves, at, local } = view;
  if (!(at && (local || drawingName(live, pane, view)))) return null;
  return FIGURES[pane.spec.follow]?.({ live, pane, curves, at, full }) ?? null;
}

/** Names a drawing: two with the same name are equal. Python's bands and limits are in no frame, "" is equal to nothing.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view */
export function drawingName(live, pane, view) {
  if (isGrouped(pane)) return groupsName(live);
  const { frames, shown } = live.payload, { follow, figure } = pane.spec;
  if (!frames || !shown || !(follow in FIGURES) || figure.data.some(isOfOneStop)) return "";
  return `${frames} ${showsAllStops(pane) ? figure.data.length : view.stop}`; // lines at all stops may come later
}

/** The figure that Plotly is to draw: Python's, with what differs at the stop on screen.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view @returns {Figure} */
export function figureAt(live, pane, view) {
  const change = changesOf(live, pane, view, true), { data, layout } = pane.spec.figure;
  if (!change) return pane.spec.figure;
  const merged = structuredClone(layout);
  for (const [axis, values] of Object.entries(change.layout || {})) merged[axis] = Array.isArray(values) ? values : { ...merged[axis], ...values };
  (change.annotations || []).forEach((text, i) => { merged.annotations[i].text = text; });
  return { data: data.map((trace, i) => (change.traces[i] ? { ...trace, ...change.traces[i] } : trace)), layout: merged };
}
