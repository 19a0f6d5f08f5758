// Draws the panes. Plotly draws the curves, at most once per animation frame and by its public functions only; prviz
// draws marks and labels over them in SVGs of its own. The pane with the curves comes first, then other panes and
// figures. Plotly is slow to draw samples: while a slider moves, prviz draws their confusion groups, and Plotly draws
// them when the slider rests, or before it reacts to the pointer.

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

const REST_MS = 1500; // milliseconds without a change, after which Plotly draws the samples of the confusion groups
// while a slider moves, all panes except the main one are drawn at most once in this many milliseconds
const PACE_MS = 100;

/** @param {LiveFigure} live @param {Pane} pane @param {View["curves"]} curves */
function visible(live, pane, curves) {
  const hidden = unseen(live, pane, curves);
  return curves.filter(({ id }) => !hidden.has(id));
}

/** Draw what lies over or under a pane's plot: cells of the brush, pinned curves, marks at lam, labels, samples,
 * rings.
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

// Properties of a trace that a step of a slider changes. The name changes too, as it contains a number; it counts
// only where a legend shows it.
const MOVING = ["x", "y", "text", "customdata"];

/** Text of all that a slider's step should not change: the layout, and the traces without the properties in MOVING.
 * While it is unchanged, Plotly draws only the traces again, not the axes, in half the time.
 * @param {Pane} pane @param {Trace[]} traces @param {object} layout */
function restOf({ spec }, traces, layout) {
  const moving = spec.fit ? [...MOVING, "name"] : MOVING;
  const looks = traces.map((trace) => ({ ...trace, ...Object.fromEntries(moving.map((key) => [key, 0])) }));
  return JSON.stringify([looks, layout]);
}

/** Let Plotly draw a pane with the curves at the stop (slider values) that the user has chosen.
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
    // Connect the pane to the pointer, and drawOver to Plotly's event after each later drawing.
    live.wire(pane, plotly);
    drawOver(live, pane, view);
  } else if (!pane.drawing) drawOver(live, pane, view);
}

/** @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly @param {Figure} figure */
function drawWhole(live, pane, plotly, { data, layout }) {
  Object.assign(pane, { drawing: true, emphasis: "" });
  // Copy the traces, since Plotly modifies the objects that it is given.
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
  // ignore a rejected promise: it means that the next drawing has interrupted this one
  plotly.animate(plot, { data, traces: traces.map((_, i) => i) }, now).catch(() => {});
}

/** Draw a pane again if its curves have changed, else only the marks over the curves.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view */
function follow(live, pane, view) {
  const name = drawingName(live, pane, view),
    same = pane.dirty && name !== "" && name === pane.name;
  if (isGrouped(pane) && !pane.must) pane.dirty = !same;
  else if (same) pane.dirty = false;
  if (pane.must || (pane.dirty && !isGrouped(pane))) drawPane(live, pane, view);
  else drawOver(live, pane, view);
}

/** Draw what has changed. The main pane and the numbers, at which the user looks, are drawn at once; the other panes
 * follow one by one, each in its own task of the browser.
 * @param {LiveFigure} live @param {number} [pace] least milliseconds between two drawings of the other panes */
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
      if (live.behind) return draw(live, pace); // something has changed since this drawing began: draw again
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
  // Attributes that tests read: lam, the slider values on screen, and those that Plotly has drawn.
  root.dataset.lam = String(controls.lam);
  if (!view.stop) return;
  root.dataset.stop = view.stop;
  if (!panes.some((pane) => pane.dirty || pane.must)) root.dataset.settled = view.stop;
}

/** Draw the newest values at the next animation frame.
 * @param {LiveFigure} live @param {boolean} curves the curves have changed, not only the marks at lam */
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
