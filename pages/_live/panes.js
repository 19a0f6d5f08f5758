// What each kind of figure is at another stop: the same as prviz/figures draws there (a test compares them).

import {
  LAMS,
  breakpoints,
  firstDifference,
  general,
  mirrored,
  once,
  pointAt,
  pointsAlong,
  refuted,
  sampled,
} from "./curve.js";
import { groupTraces, groupsName, isGrouped } from "./confusion_groups.js";
import { isOfOneStop } from "./pane.js";
import { boundOf, linesOf } from "./rows.js";

/** @import { Point, Vertex } from "./curve.js" */
/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Figure, Pane } from "./pane.js" */
/** @import { View } from "./view.js" */

/**
 * One pane at a stop.
 * @typedef {{ live: LiveFigure, pane: Pane, curves: CurveAtStop[], local: boolean }} PaneAtStop
 *
 * What changes in a pane: in its traces by their number, and in the axes of its layout.
 * @typedef {{ traces: Record<number, any>, layout?: Record<string, any> }} PaneChange
 */

const REFUTED = "refuted"; // what the trace of a curve beyond the bound is marked with (prviz/figures/pr.py)

/** The number of a curve's line among the traces.
 * @param {Pane} pane @param {string} id */
const indexOf = (pane, id) =>
  pane.spec.figure.data.findIndex((trace) => trace.legendgroup === id && !trace.fill);

/** Points of a curve, with what is said of them under the pointer.
 * @param {Vertex[]} vertices */
function pointsOf(vertices) {
  const points = sampled(vertices);
  return {
    x: points.map((at) => at.beta),
    y: points.map((at) => at.alpha),
    text: points.map((at) => general(at.lam)),
    customdata: points.map((at) => [at.lam, at.fpr, at.fnr]),
  };
}

/** @type {Record<string, (pane: PaneAtStop) => PaneChange>} */
const FIGURES = {
  pr({ live, pane, curves, local }) {
    const { payload, task, film } = live;
    const traces = local ? withoutBands(pane, curves) : {};
    if (film.others)
      pane.spec.figure.data.forEach(({ legendgroup }, i) => {
        if (!curves.some(({ id }) => id === legendgroup)) traces[i] = { visible: false };
      });
    const compared = payload.table?.columns[0].key === "iou";
    for (const { id, vertices } of linesOf(live)) {
      // a limit may be known and not drawn
      const points = pointsOf(vertices),
        { data } = pane.spec.figure,
        line = indexOf(pane, id),
        shade = data.findIndex(({ legendgroup, fill }) => legendgroup === id && fill);
      if (line >= 0) traces[line] ??= points;
      if (shade >= 0) traces[shade] = { x: [...points.x, 0, 2, 2], y: [...points.y, 2, 2, 0] }; // to the far corner
    }
    const bound = boundOf(live);
    for (const { id, name, vertices, row, dotted } of curves) {
      const iou = compared && row && id !== "truth" && !task.secret && `IoU ${row[0].toFixed(2)}`,
        points = pointsOf(vertices);
      const named = { name: [name, iou, id !== "truth" && pane.spec.note].filter(Boolean).join(", ") },
        thin = pane.spec.figure.data.findIndex(
          ({ meta, legendgroup }) => meta === REFUTED && legendgroup === id,
        );
      const beyond = bound && thin >= 0 ? refuted(sampled(vertices), bound) : points.x.map(() => false);
      traces[indexOf(pane, id)] = {
        ...points,
        y: points.y.map((y, i) =>
          beyond[i] && (beyond[i - 1] ?? true) && (beyond[i + 1] ?? true) ? null : y,
        ),
        ...named,
        ...(dotted && { line: { ...pane.spec.figure.data[indexOf(pane, id)]?.line, dash: "dot" } }),
      };
      if (thin >= 0)
        traces[thin] = { ...points, y: points.y.map((y, i) => (beyond[i] ? y : null)), ...named };
    }
    return { traces };
  },
  error({ pane, curves }) {
    /** @type {PaneChange["traces"]} */
    const traces = {};
    for (const { id, vertices } of curves) {
      const ends = [Infinity, ...breakpoints(vertices), 0];
      let points = vertices.map((v, j) => [ends[j + 1], ends[j], ...v]);
      if (id === "truth") {
        // of a smooth curve a line through some of its vertices looks the same as through all
        const seen = new Set(sampled(vertices).map(({ fpr, fnr }) => `${fpr} ${fnr}`));
        points = points.filter(([, , fpr, fnr]) => seen.has(`${fpr} ${fnr}`));
      }
      traces[indexOf(pane, id)] = {
        x: points.map(([, , fpr]) => fpr),
        y: points.map(([, , , fnr]) => fnr),
        customdata: points,
        text: points.map(([low, high]) => `${general(low)} to ${general(high)}`),
      };
    }
    return { traces };
  },
  bias({ pane, curves }) {
    /** @type {PaneChange["traces"]} */
    const traces = {},
      truth = curves.find(({ id }) => id === "truth"),
      errors = [];
    const exact = truth ? precisions(truth.vertices) : [];
    for (const { id, vertices } of curves) {
      if (id === "truth") continue;
      const alphas = precisions(vertices),
        y = alphas.map((alpha, i) => alpha - exact[i]);
      errors.push(...y);
      traces[indexOf(pane, id)] = {
        x: ANGLES,
        y,
        text: LAM_TEXTS,
        customdata: LAMS.map((lam, i) => [lam, alphas[i], exact[i]]),
      };
    }
    const reach = reachOf(errors);
    return { traces, layout: { yaxis: { range: [-1.05 * reach, 1.05 * reach] } } };
  },
  groups: ({ live, pane }) => groupTraces(live, pane),
  tail: (drawn) => tail(drawn, (at) => at.alpha, firstDifference),
  "tail-recall": (drawn) =>
    tail(
      drawn,
      (at) => at.beta,
      (vertices, truth) => {
        const found = firstDifference(mirrored(vertices), mirrored(truth));
        return found === null ? null : 1 / found;
      },
    ),
};

/** True if Plotly draws the pane anew at another stop.
 * @param {Pane} pane */
export const showsCurves = ({ spec: { follow } }) => follow in FIGURES;

/** Python alone draws bands and limits: those of curves that have moved are of another stop.
 * @param {Pane} pane @param {CurveAtStop[]} curves */
function withoutBands(pane, curves) {
  const stay = new Set(curves.filter(({ still }) => still).map(({ id }) => id));
  /** @type {PaneChange["traces"]} */
  const traces = {};
  pane.spec.figure.data.forEach((trace, i) => {
    if (isOfOneStop(trace) && !stay.has(trace.legendgroup ?? "")) traces[i] = { visible: false };
  });
  return traces;
}

/** Where an axis ends that shows these values: a round number.
 * @param {number[]} values */
const reachOf = (values) =>
  [0.05, 0.1, 0.2, 0.5].find((reach) => values.every((value) => Math.abs(value) <= reach)) ?? 1;

const ANGLES = Array.from({ length: 361 }, (_, i) => i / 4); // degrees
const LAM_TEXTS = LAMS.map((lam) => general(lam));
/** A curve's precision at every angle. @type {(vertices: Vertex[]) => number[]} */
const precisions = once((vertices) => pointsAlong(vertices, LAMS).map(({ alpha }) => alpha));

const TAIL_LAMS = Array.from({ length: 241 }, (_, i) => 10 ** (-3 + i / 40)); // on a log axis (prviz/figures/tail.py)

/** Precision or recall over lam, and a dot where an estimate leaves the truth.
 * @param {PaneAtStop} drawn @param {(at: Point) => number} value @param {(vertices: Vertex[], truth: Vertex[]) => number | null} difference */
function tail({ pane, curves }, value, difference) {
  const traces = withoutBands(pane, curves),
    truth = curves.find(({ id }) => id === "truth")?.vertices;
  for (const { id, vertices } of curves) {
    if (id === "truth") continue;
    traces[indexOf(pane, id)] = { x: TAIL_LAMS, y: pointsAlong(vertices, TAIL_LAMS).map(value) };
    const mark = pane.spec.figure.data.findIndex(
      (trace) => trace.meta === "first" && trace.legendgroup === id,
    );
    if (mark < 0 || !truth) continue;
    const lam = difference(vertices, truth);
    traces[mark] = {
      x: [lam],
      y: [lam === null ? null : value(pointAt(vertices, lam))],
      text: [lam === null ? "" : general(lam)],
    };
  }
  return { traces };
}

/** What differs in a pane from Python's figure; null where nothing does.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view @returns {PaneChange | null} */
function changesOf(live, pane, view) {
  const { curves, at, local } = view;
  if (!pane.spec.fit && !(at && (local || drawingName(live, pane, view)))) return null;
  return FIGURES[pane.spec.follow]?.({ live, pane, curves, local }) ?? null;
}

/** Names a drawing: two with the same name are equal. Python's bands and limits are in no frame, "" is equal to nothing.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view */
export function drawingName(live, pane, view) {
  if (isGrouped(pane)) return groupsName(live);
  const { frames, shown } = live.payload,
    { follow, figure } = pane.spec;
  if (!frames || !shown || !(follow in FIGURES) || figure.data.some(isOfOneStop)) return "";
  return `${frames} ${view.stop}`;
}

/** The figure that Plotly is to draw: Python's, with what differs at the stop on screen.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view @returns {Figure} */
export function figureAt(live, pane, view) {
  const change = changesOf(live, pane, view),
    { data, layout } = pane.spec.figure;
  if (!change) return pane.spec.figure;
  const merged = structuredClone(layout);
  for (const [axis, values] of Object.entries(change.layout || {}))
    merged[axis] = Array.isArray(values) ? values : { ...merged[axis], ...values };
  return {
    data: data.map((trace, i) => (change.traces[i] ? { ...trace, ...change.traces[i] } : trace)),
    layout: merged,
  };
}
