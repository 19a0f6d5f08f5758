// Changes each kind of figure to another stop of the sliders: the result equals what prviz/figures draws at that stop
// (a test compares both).

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
 * A pane, and the curves at a stop. local: true if the curves come from the frames, not from Python's payload.
 * @typedef {{ live: LiveFigure, pane: Pane, curves: CurveAtStop[], local: boolean }} PaneAtStop
 *
 * What differs from Python's figure: properties of traces, by the trace's index, and of the layout's axes.
 * @typedef {{ traces: Record<number, any>, layout?: Record<string, any> }} PaneChange
 */

// `meta` of the trace that draws the part of a curve beyond the bound (prviz/figures/pr.py)
const REFUTED = "refuted";

/** Index of the trace that draws a curve's line.
 * @param {Pane} pane @param {string} id */
const indexOf = (pane, id) =>
  pane.spec.figure.data.findIndex((trace) => trace.legendgroup === id && !trace.fill);

/** Points of a curve, with the text and data of their hover labels.
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
      // skip curves that this figure does not draw: a limit may be known without being drawn
      const points = pointsOf(vertices),
        { data } = pane.spec.figure,
        line = indexOf(pane, id),
        shade = data.findIndex(({ legendgroup, fill }) => legendgroup === id && fill);
      if (line >= 0) traces[line] ??= points;
      // close the area through the corner (2, 2), outside the plot
      if (shade >= 0) traces[shade] = { x: [...points.x, 0, 2, 2], y: [...points.y, 2, 2, 0] };
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
        // draw only the sampled vertices: on a smooth curve a line through them looks the same as one through all
        // vertices
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

/** True if the pane shows curves that change with the stop.
 * @param {Pane} pane */
export const showsCurves = ({ spec: { follow } }) => follow in FIGURES;

/** Hide the bands and limits of curves that have changed with the stop: only Python computes these, and those in its
 * figure are for another stop.
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

/** Half the range of an axis from -reach to +reach that shows these values: a round number.
 * @param {number[]} values */
const reachOf = (values) =>
  [0.05, 0.1, 0.2, 0.5].find((reach) => values.every((value) => Math.abs(value) <= reach)) ?? 1;

const ANGLES = Array.from({ length: 361 }, (_, i) => i / 4); // the angles of LAMS, in degrees
const LAM_TEXTS = LAMS.map((lam) => general(lam));
/** Precision of a curve at each of the 361 angles, cached.
 * @type {(vertices: Vertex[]) => number[]} */
const precisions = once((vertices) => pointsAlong(vertices, LAMS).map(({ alpha }) => alpha));

// values of lam, equally spaced on a logarithmic axis, as in prviz/figures/tail.py
const TAIL_LAMS = Array.from({ length: 241 }, (_, i) => 10 ** (-3 + i / 40));

/** Precision or recall over lam, with a dot where an estimate first differs from the truth.
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

/** Changes to make to Python's figure of a pane; null if there are none.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view @returns {PaneChange | null} */
function changesOf(live, pane, view) {
  const { curves, at, local } = view;
  if (!pane.spec.fit && !(at && (local || drawingName(live, pane, view)))) return null;
  return FIGURES[pane.spec.follow]?.({ live, pane, curves, local }) ?? null;
}

/** Name that identifies a drawing: drawings with the same name are equal, except for the name "", which equals none.
 * Figures with bands or limits have the name "", as the frames do not contain these.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view */
export function drawingName(live, pane, view) {
  if (isGrouped(pane)) return groupsName(live);
  const { frames, shown } = live.payload,
    { follow, figure } = pane.spec;
  if (!frames || !shown || !(follow in FIGURES) || figure.data.some(isOfOneStop)) return "";
  return `${frames} ${view.stop}`;
}

/** The figure for Plotly to draw: Python's figure, changed for the stop that the user has chosen.
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
