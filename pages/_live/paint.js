// Drawing: Plotly draws curves by its public calls, at most once per animation frame; what stands over them is ours.
// The curves come first, other panes and figures after them. Of samples, which Plotly draws slowly, we draw the groups
// while a slider moves; Plotly catches up when it rests, or before it answers to the pointer.

import { drawBrush } from "./brush.js";
import { groupsName, isGrouped, paintSamples } from "./confusion_groups.js";
import { showExplorer } from "./explorer.js";
import { removeFirst } from "./first.js";
import { drawGhosts } from "./pins.js";
import { drawGrips } from "./grips.js";
import { drawLabels } from "./labels.js";
import { drawMarks } from "./lam_marks.js";
import { showNext } from "./next_step.js";
import { drawOverStops } from "./over_stops.js";
import { CONFIG, inked, onPlot, themed } from "./pane.js";
import { drawingName, figureAt, showsCurves } from "./panes.js";
import { fillTable, showWords } from "./readout.js";
import { fillRows, unseen } from "./rows.js";
import { fillWithoutTruth } from "./without_truth.js";
import { drawRings } from "./rings.js";
import { emphasize } from "./standout.js";
import { showTask } from "./task.js";
import { look } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Figure, Pane, Plotly, Trace } from "./pane.js" */
/** @import { View } from "./view.js" */

const REST_MS = 1500; // without a change, after which Plotly draws the groups of samples
const PACE_MS = 100; // between two drawings of all but the main pane, while a slider moves

/** @param {LiveFigure} live @param {Pane} pane @param {View["curves"]} curves */
function visible(live, pane, curves) {
  const hidden = unseen(live, pane, curves);
  return curves.filter(({ id }) => !hidden.has(id));
}

/** What stands over a pane: labels, the marks at lam, samples, and what stands out.
 * @param {LiveFigure} live @param {Pane} pane */
export function drawOver(live, pane, view = look(live)) {
  if (!pane.wired || pane.gone) return;
  if (pane.spec.select) paintSamples(live, pane);
  drawBrush(live, pane);
  if (isGrouped(pane)) return;
  drawGhosts(live, pane, view);
  drawMarks(live, pane, view);
  if (pane.spec.fit) drawGrips(live, pane, visible(live, pane, view.curves));
  drawLabels(live, pane, view);
  drawRings(live, pane);
  emphasize(live, pane);
}

// What a step of a slider changes in a trace. The name, which has a number in it, is in the legend, where there is one.
const MOVING = ["x", "y", "text", "customdata"];

/** All else that Plotly has drawn: where it stays, the traces alone are drawn anew, without axes, which takes half as long.
 * @param {Pane} pane @param {Trace[]} traces @param {object} layout */
function restOf({ spec }, traces, layout) {
  const moving = spec.fit ? [...MOVING, "name"] : MOVING;
  const looks = traces.map((trace) => ({ ...trace, ...Object.fromEntries(moving.map((key) => [key, 0])) }));
  return JSON.stringify([looks, layout]);
}

/** Let Plotly draw a pane as it is at the stop on screen.
 * @param {LiveFigure} live @param {Pane} pane */
export function drawPane(live, pane, view = look(live)) {
  const { plotly } = live;
  if (!plotly || pane.gone) return;
  const { data, layout } = figureAt(live, pane, view),
    traces = inked(live, pane, data, unseen(live, pane, view.curves)),
    rest = restOf(pane, traces, layout);
  if (!pane.wired || isGrouped(pane) || pane.must || rest !== pane.rest) {
    pane.rest = rest;
    drawWhole(live, pane, plotly, { data: traces, layout });
  } else drawTraces(pane, plotly, traces);
  Object.assign(pane, { name: drawingName(live, pane, view), dirty: false, must: false });
  if (!pane.wired) {
    pane.wired = true;
    removeFirst(pane);
    live.wire(pane, plotly); // from now on each whole drawing tells of its end
    drawOver(live, pane, view);
  } else if (!pane.drawing) drawOver(live, pane, view);
}

/** @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly @param {Figure} figure */
function drawWhole(live, pane, plotly, { data, layout }) {
  Object.assign(pane, { drawing: true, emphasis: "" });
  // Plotly writes into what it is given.
  const own = data.map((trace) => ({ ...trace }));
  void onPlot(pane, () => plotly.react(pane.plot, own, themed(live, pane, layout), CONFIG)).finally(() => {
    pane.drawing = false;
  });
}

/** @param {Pane} pane @param {Plotly} plotly @param {Trace[]} traces */
function drawTraces({ plot, spec }, plotly, traces) {
  const moving = spec.fit ? [...MOVING, "name"] : MOVING;
  const data = traces.map((trace) =>
    Object.fromEntries(moving.filter((key) => key in trace).map((key) => [key, trace[key]])),
  );
  const now = { mode: "immediate", frame: { duration: 0, redraw: false }, transition: { duration: 0 } };
  plotly.animate(plot, { data, traces: traces.map((_, i) => i) }, now).catch(() => {}); // the next one interrupts it
}

/** Draw a pane if its curves have changed, else what stands over it.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view */
function follow(live, pane, view) {
  const name = drawingName(live, pane, view),
    same = pane.dirty && name !== "" && name === pane.name;
  if (isGrouped(pane) && !pane.must) pane.dirty = !same;
  else if (same) pane.dirty = false;
  if (pane.must || (pane.dirty && !isGrouped(pane))) drawPane(live, pane, view);
  else drawOver(live, pane, view);
}

/** Draw what has changed. The eye is on the pane with the curve and on the numbers: these are drawn now, the other panes
 * one by one in tasks of their own.
 * @param {LiveFigure} live @param {number} [pace] milliseconds since the others were drawn last, before which they wait */
export function draw(live, pace = 0) {
  const { timers, panes, controls } = live,
    main = controls.list.length ? (panes.find(({ spec }) => spec.fit) ?? panes[0]) : undefined;
  if (!live.plotly) return;
  if (main) follow(live, main, look(live));
  if (main || !panes.length) showNumbers(live, look(live));
  live.behind = timers.waits("others") && pace > 0;
  if (live.behind) return;
  const rest = panes.filter((pane) => pane !== main);
  const next = (/** @type {number} */ i, wait = 0) =>
    timers.start("others", wait, () => {
      if (i < rest.length) {
        follow(live, rest[i], look(live));
        return next(i + 1);
      }
      live.drawn = performance.now();
      if (live.behind) return draw(live, pace); // it has moved on
      if (!main || rest.length) showNumbers(live, look(live));
      live.root.dataset.revision = live.payload.revision;
    });
  next(0, pace && Math.max(live.drawn + pace - performance.now(), 0));
}

/** @param {LiveFigure} live @param {View} view */
export function showNumbers(live, view) {
  const { root, controls, panes } = live;
  showExplorer(live);
  fillTable(live, view.curves);
  fillRows(live, view.curves);
  drawOverStops(live, view);
  fillWithoutTruth(live, view);
  showWords(live, view);
  showNext(live, view);
  showTask(live, view);
  // For tests: lam, the stop on screen, and the one that Plotly has drawn.
  root.dataset.lam = String(controls.lam);
  if (!view.stop) return;
  root.dataset.stop = view.stop;
  if (!panes.some((pane) => pane.dirty || pane.must)) root.dataset.settled = view.stop;
}

/** At most one drawing per animation frame, of the newest values.
 * @param {LiveFigure} live @param {boolean} curves more than the marks at lam has changed */
export function schedule(live, curves = true) {
  const { panes, timers } = live;
  for (const pane of panes) {
    if (isGrouped(pane)) pane.dirty = groupsName(live) !== pane.name;
    else if (curves && showsCurves(pane)) pane.dirty = true;
  }
  if (panes.some((pane) => isGrouped(pane) && pane.dirty))
    timers.start("rest", REST_MS, () => {
      for (const pane of panes) pane.must ||= pane.dirty;
      draw(live);
    });
  live.frame ||= requestAnimationFrame(() => {
    live.frame = 0;
    draw(live, PACE_MS);
  });
}
