// Drawing in two speeds. Plotly takes about 50 ms for the three panes, so while a slider moves the paths that Plotly has
// drawn are rewritten in place, once per animation frame. Plotly itself catches up before it is needed, when the pointer
// or the focus comes to a pane, and else when no slider has moved for long, one pane at a time: the next key press does
// not wait for it.

import { groupsName, isGrouped, paintSamples } from "./confusion_groups.js";
import { setText, shape } from "./dom.js";
import { showExplorer } from "./explorer.js";
import { removeFirst } from "./first.js";
import { drawLabels } from "./labels.js";
import { drawMarks } from "./lam_marks.js";
import { coordinates, inked, onPlot, plotConfig, themed } from "./pane.js";
import { changesOf, drawingName, figureAt, showsAllStops } from "./panes.js";
import { fillTable, showWords } from "./readout.js";
import { fillRows, hideTwins, showRaised } from "./rows.js";
import { fillWithoutTruth } from "./without_truth.js";
import { drawRings } from "./rings.js";
import { fadePane } from "./standout.js";
import { look } from "./view.js";

/** @import { PaneChange } from "./panes.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane, TraceNodes } from "./pane.js" */
/** @import { View } from "./view.js" */

const REST_MS = 1500; // without a change, after which Plotly catches up
const NOTHING = "M0,0"; // a path

/** @param {Pane} pane @param {TraceNodes} nodes @param {{ x: (number | null)[], y?: any[] }} line */
function paintLine(pane, nodes, { x, y = nodes.trace.y }) {
  const { xaxis, yaxis } = pane.axes(nodes.trace), { points, trace, fill } = nodes;
  const few = trace.marker?.maxdisplayed > 0;
  let path = "", dots = "", gap = true;
  for (let i = 0; i < x.length; i++) {
    if (x[i] === null) { gap = true; continue; }
    const place = `${xaxis.c2p(x[i]).toFixed(2)},${yaxis.c2p(y[i]).toFixed(2)}`;
    path += (gap ? "M" : "L") + place;
    gap = false;
    if (points && !few) dots += `M${place}h0`;
  }
  if (!nodes.line && nodes.strokes) {
    const { color, width } = trace.line;
    nodes.group.append(nodes.line = shape("path", { class: "live-line", stroke: color, "stroke-width": width, fill: "none" }));
  }
  nodes.line?.setAttribute("d", path || NOTHING);
  for (const other of nodes.rest ?? []) other.setAttribute("d", NOTHING);
  fill?.setAttribute("d", path ? `${path}V${yaxis.c2p(0).toFixed(2)}H${xaxis.c2p(x[0]).toFixed(2)}Z` : `${NOTHING}Z`);
  if (!points) return;
  if (few) return paintFew(pane, nodes, (i) => `translate(${xaxis.c2p(x[i]).toFixed(2)},${yaxis.c2p(y[i]).toFixed(2)})`, x.length);
  // Points with a colour each are moved as they are: there are as many as there were.
  if (typeof trace.marker.color !== "string") {
    points.querySelectorAll(".point").forEach((point, i) => point.setAttribute("transform", `translate(${xaxis.c2p(x[i])},${yaxis.c2p(y[i])})`));
    return;
  }
  // As many dots as there are vertices, in one path: round caps of lines without length.
  points.style.display = "none";
  if (!nodes.dots?.isConnected) {
    const { color, size } = trace.marker;
    nodes.group.append(nodes.dots = shape("path", { class: "live-dots", stroke: color, "stroke-width": size, "stroke-linecap": "round", fill: "none" }));
  }
  if (nodes.dots.getAttribute("d") !== dots) nodes.dots.setAttribute("d", dots);
}

/** The markers along a curve, at those of its points where Plotly puts them: another curve's stand elsewhere.
 * @param {Pane} pane @param {TraceNodes} nodes @param {(index: number) => string} placeOf @param {number} count of the points */
function paintFew(pane, { points, trace }, placeOf, count) {
  const step = Math.ceil(count / trace.marker.maxdisplayed);
  const before = Object.values(pane.nodes.traces).filter((other) => other.trace.marker?.maxdisplayed > 0 && other.trace.index < trace.index).length;
  const shift = Math.round((before * step) / 3 + (Math.floor(before / 3) * step) / 7.1) % step;
  points?.querySelectorAll(".point").forEach((point, i) => {
    const index = (step - shift) % step + i * step;
    point.setAttribute("transform", index < count ? placeOf(index) : "translate(-99,-99)");
  });
}

/** @param {Pane} pane @param {Element[]} bars @param {TraceNodes} nodes @param {{ x: number[] }} change */
function paintBars(pane, bars, { trace }, { x }) {
  const { xaxis, yaxis } = pane.axes(trace), zero = xaxis.c2p(0);
  bars.forEach((bar, i) => {
    const { p0, p1 } = /** @type {any} */ (bar.parentNode).__data__, [y0, y1] = [yaxis.c2p(p0, true), yaxis.c2p(p1, true)];
    bar.setAttribute("d", `M${zero},${y0}V${y1}H${xaxis.c2p(x[i])}V${y0}Z`);
  });
}

/** What differs in a pane from what its paths show, null where nothing does.
 * @param {LiveFigure} live @param {Pane} pane @param {View} view */
function repainting(live, pane, view) {
  const name = drawingName(live, pane, view);
  return isGrouped(pane) || (name && name === pane.painted && !showsAllStops(pane)) ? null : changesOf(live, pane, view, false);
}

/** One pane at the stop on screen, without Plotly: paths, legend and labels, and the marks at lam.
 * @param {LiveFigure} live @param {Pane} pane */
export function paintPane(live, pane, view = look(live), change = repainting(live, pane, view)) {
  if (!pane.plot._fullLayout) return;
  if (pane.spec.select) paintSamples(live, pane);
  if (isGrouped(pane)) return;
  if (change) {
    pane.painted = drawingName(live, pane, view);
    const { traces, legend, bands, annotations } = pane.nodes;
    for (const [index, each] of Object.entries(change.traces)) {
      const nodes = traces[+index];
      if (nodes?.bars) paintBars(pane, nodes.bars, nodes, each);
      else if (nodes?.line || nodes?.strokes || nodes?.points) paintLine(pane, nodes, each);
      if (each.name) setText(legend[+index], each.name);
    }
    for (const band of bands) band.setAttribute("d", `${NOTHING}Z`);
    (change.annotations || []).forEach((text, i) => setText(annotations[i], text));
  }
  drawMarks(live, pane, view.curves);
  hideTwins(live, pane, view.curves);
  drawLabels(live, pane, view.curves);
  drawRings(live, pane);
  fadePane(live, pane);
  if (live.rows.under !== null) showRaised(live, pane);
}

const OF_CURVES = ["x", "y", "text", "customdata", "name"];

/** How a pane's layout and each of its traces look, whatever their curves.
 * @param {LiveFigure} live @param {Pane} pane */
const looksOf = (live, pane) => [pane.spec.figure.layout, ...inked(live, pane, pane.spec.figure.data)]
  .map((part) => JSON.stringify(part, (key, value) => (OF_CURVES.includes(key) ? undefined : value)));

/** Python's new curves in the paths of those before, where all that they need is there; areas are Plotly's alone. The
 * bound on the truth, which takes longer than the curves, goes until it comes.
 * @param {LiveFigure} live @param {Pane} pane */
export function paintNew(live, pane) {
  const { data } = pane.spec.figure, looks = looksOf(live, pane);
  let found = 0;
  const [layout, ...places] = pane.looks.map((before) => (before === looks[found] ? found++ : before.includes('"legendgroup":"bound"') ? null : -1));
  if (!pane.wired || pane.drawing || layout !== 0 || found < looks.length || places.includes(-1) || data.some(({ fill }) => fill)) return;
  Object.assign(pane, { frames: live.payload.frames, must: false, dirty: true });
  delete live.root.dataset.settled;
  places.forEach((place, i) => pane.nodes.traces[i]?.group.toggleAttribute("hidden", place === null));
  paintPane(live, pane, look(live), { traces: Object.fromEntries(places.flatMap((place, i) => (place === null ? [] : [[i, { x: coordinates(data[place - 1].x), y: coordinates(data[place - 1].y) }]]))) });
}

/** True if an axis must grow for this, or lines would leave the plot. It shrinks when Plotly catches up: an axis that
 * changes all the time hides what moves.
 * @param {Pane} pane @param {PaneChange | null} change */
function outgrows(pane, change) {
  return Object.entries(change?.layout || {}).some(([axis, { range }]) => range?.[1] > pane.ranges[axis] + 1e-9);
}

/** @param {LiveFigure} live @param {Pane | undefined} pane @param {View} view */
function paintOrLeave(live, pane, view) {
  if (!pane?.wired || pane.must) return;
  const change = repainting(live, pane, view);
  if (outgrows(pane, change)) pane.must = true;
  else paintPane(live, pane, view, change);
}

/** The eye is on the pane with the curve and on the numbers: a frame that draws everything comes late. The other panes,
 * and other figures, are in the frame after it.
 * @param {LiveFigure} live */
function paint(live) {
  const leads = live.controls.list.length > 0, main = leads ? live.panes.find(({ spec }) => spec.follow === "pr") ?? live.panes[0] : undefined;
  if (leads) {
    const view = look(live);
    paintOrLeave(live, main, view);
    showNumbers(live, view);
  }
  if (live.timers.waits("others")) return;
  live.timers.start("others", 0, () => {
    const view = look(live);
    for (const pane of live.panes) if (pane !== main) paintOrLeave(live, pane, view);
    if (!leads) showNumbers(live, view);
    if (live.panes.some((pane) => pane.must) && !live.timers.waits("turn")) draw(live);
  });
}

/** @param {LiveFigure} live @param {View} view */
export function showNumbers(live, view) {
  const { root, controls, panes } = live;
  showExplorer(live);
  fillTable(live, view.curves);
  fillRows(live, view.curves);
  fillWithoutTruth(live, view);
  showWords(live, view);
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
    else if (curves) pane.dirty ||= !showsAllStops(pane);
  }
  if (curves || panes.some((pane) => isGrouped(pane) && pane.dirty)) timers.start("rest", REST_MS, () => { draw(live, true); });
  live.frame ||= requestAnimationFrame(() => { live.frame = 0; if (live.plotly) paint(live); });
}

/** Let Plotly draw a pane.
 * @param {LiveFigure} live @param {Pane} pane */
export async function react(live, pane) {
  const { plotly } = live;
  if (!plotly) return;
  const config = (pane.config ??= plotConfig(plotly, pane.spec)), view = look(live), figure = figureAt(live, pane, view);
  pane.name = drawingName(live, pane, view);
  pane.frames = live.payload.frames;
  pane.looks = looksOf(live, pane);
  pane.dirty = pane.must = false;
  pane.drawing = true;
  pane.plot.querySelectorAll(".live-dots, .live-line").forEach((own) => own.remove());
  pane.plot.querySelectorAll(".trace[hidden]").forEach((trace) => trace.removeAttribute("hidden"));
  /** @type {NodeListOf<HTMLElement>} */ (pane.plot.querySelectorAll(".points")).forEach((points) => { points.style.display = ""; });
  await onPlot(pane, () => plotly.react(pane.plot, inked(live, pane, figure.data), themed(live, pane, figure), config));
  if (pane.gone) return;
  pane.drawing = false;
  pane.forgetNodes();
  pane.painted = pane.name;
  pane.ranges = Object.fromEntries(["xaxis", "yaxis"].map((axis) => [axis, figure.layout[axis]?.range?.[1]]));
  if (!pane.wired) {
    pane.wired = true;
    removeFirst(pane);
    live.wire(pane, plotly);
  }
  paintPane(live, pane);
}

const nextTask = () => new Promise((done) => setTimeout(done));

/** Let Plotly draw the panes that must be drawn, or `all` that it is behind with; a slider that moves again comes first.
 * @param {LiveFigure} live */
export async function draw(live, all = false) {
  if (!live.plotly) return;
  for (const pane of live.panes) {
    if (!pane.must && !(all && pane.dirty)) continue;
    if (all && live.timers.waits("rest")) return;
    await react(live, pane);
    await nextTask();
  }
  showNumbers(live, look(live));
  live.root.dataset.revision = live.payload.revision;
}
