// Sorts the samples into the four confusion groups at lam, and draws them. prviz/diagnostics/confusion_groups.py
// derives the groups; prviz/figures/confusion_groups.py draws them in the same style.

import { callsReal, pointOf } from "./curve.js";
import { setAttributes, shape } from "./dom.js";
import { coordinates, rowsOf } from "./pane.js";
import { store } from "./store.js";
import { lamOf } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane, PaneSpec } from "./pane.js" */

/**
 * What Python sends about the samples (prviz/live/space.py).
 * @typedef {object} ExplorerSpec
 * @property {string} of identifies the samples
 * @property {string} id identifies the classifiers of these samples
 * @property {[real: number, generated: number]} sizes
 * @property {number[]} breaks the values of lam at which the optimal classifier changes, decreasing
 * @property {number[]} missed number of real samples that each classifier misses
 * @property {number[]} accepted number of generated samples that each classifier accepts
 * @property {number[] | null} ids ids of the samples; null if they are 0, 1, 2, ...
 * @property {number[] | null} levels the level of each sample (OptimalClassifiers.levels_of), NO_SUPPORT for a sample without supports; null where all levels are 0
 * @property {number[]} needed by classifier, the lowest level of a sample that the classifier calls real
 * @property {boolean[]} unsupported by classifier, true if it calls samples without supports real
 * @property {"k" | "bandwidth" | null} tunes the slider whose value changes the classifiers
 * @property {Record<string, string>} labels label of each group
 * @property {Record<string, { color: string, symbol: string, size: number }>} looks marker of each group
 * @property {string} title of the classifiers' family
 * @property {string} key
 * @property {number[]} selected ids of the selected samples
 * @property {Record<string, Row[]>} lists the most extreme samples of each group
 * @property {string} listed the group whose samples the table shows first, or ""
 * @property {Row[]} picked
 *
 * @typedef {{ id: number, real: boolean, level: number }} Sample
 *
 * A sample as the table shows it. near: its nearest rows in the other set; null until Python sends these.
 * @typedef {Sample & { row: string | number, labels: string, key: string, near?: string[] | null, picture?: string, text?: string, problem?: string }} Row
 *
 * A sample as the figure shows it.
 * @typedef {Sample & { x: number, y: number, text: string, hovertext: string }} DrawnSample
 *
 * Positions of the samples in the plot, in pixels. lines: in a rug plot, the height of each group's line.
 * @typedef {{ sample: Sample, x: string, y: string }} SamplePlace
 * @typedef {{ axes: Axes, lines: string[] | null, all: SamplePlace[], byId: Map<number, SamplePlace> }} Places
 *
 * The samples of one figure, and which of them are selected.
 * @typedef {object} Samples
 * @property {ExplorerSpec} spec
 * @property {Map<number, number>} placeOf index into `spec.levels`, by a sample's id
 * @property {Set<number>} picks ids of the selected samples
 */

export const GROUP_NAMES = ["kept", "missed", "accepted", "rejected"];

/** @param {Pane} pane */
export const isGrouped = (pane) => pane.spec.follow === "groups";

/** @param {LiveFigure} live */
const samplesOf = (live) => /** @type {Samples} */ (live.explorer);

/** lam rounded to six digits, as in Python: at a breakpoint, browser and Python must choose the same classifier.
 * @param {LiveFigure} live */
export const roundedLam = (live) => Number(lamOf(live).toPrecision(6));

/** Index of the classifier that is optimal at lam: the number of breakpoints at or above lam (as
 * OptimalClassifiers.index_at).
 * @param {number[]} breaks @param {number} lam */
function classifierIndex(breaks, lam) {
  let low = 0,
    high = breaks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (breaks[middle] >= lam) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** @param {LiveFigure} live */
export const classifierAt = (live) => classifierIndex(samplesOf(live).spec.breaks, roundedLam(live));

/** Name that identifies a drawing of the groups: drawings with the same name are equal.
 * @param {LiveFigure} live */
export const groupsName = (live) => `${samplesOf(live).spec.id} ${classifierAt(live)}`;

/** The number of samples in each group, in the order of GROUP_NAMES.
 * @param {ExplorerSpec} spec @param {number} index */
export function groupCounts({ sizes: [real, generated], missed, accepted }, index) {
  return [real - missed[index], missed[index], accepted[index], generated - accepted[index]];
}

/** Contribution of some samples to the group counts, to precision and to recall (as OptimalClassifiers.part).
 * @param {ExplorerSpec} spec @param {Sample[]} samples @param {number} index @param {number} lam */
export function partOf(spec, samples, index, lam) {
  const [real, generated] = spec.sizes;
  const count = (/** @type {(sample: Sample) => boolean} */ kind) => samples.filter(kind).length;
  const nReal = count((s) => s.real),
    nGenerated = samples.length - nReal,
    missed = count((s) => s.real && !callsReal(spec, s.level, index));
  const accepted = count((s) => !s.real && callsReal(spec, s.level, index)),
    { alpha, beta } = pointOf(missed / real, accepted / generated, lam);
  return {
    nReal,
    nGenerated,
    missed,
    accepted,
    alpha,
    beta,
    shareReal: nReal / real,
    shareGenerated: nGenerated / generated,
  };
}

/** @param {ExplorerSpec} spec @param {Sample} sample @param {number} index */
export const groupOf = (spec, { real, level }, index) =>
  (real ? 0 : 2) + (callsReal(spec, level, index) ? 0 : 1);

/** @param {LiveFigure} live @param {number} id @returns {Sample} */
export function sampleOf(live, id) {
  const {
      placeOf,
      spec: { levels, sizes },
    } = samplesOf(live),
    place = /** @type {number} */ (placeOf.get(id));
  return { id, level: levels?.[place] ?? 0, real: place < sizes[0] };
}

/** @type {WeakMap<PaneSpec, DrawnSample[]>} */
const POOLS = new WeakMap();

/** All samples that the figure draws: those of the four groups' traces, in one list.
 * @param {LiveFigure} live @param {Pane} pane */
export function poolOf(live, { spec }) {
  const pool =
    POOLS.get(spec) ??
    spec.figure.data.slice(0, 4).flatMap(({ x, y, text, hovertext, customdata = [] }) =>
      customdata.map(([id], i) => ({
        x: x[i],
        y: y[i],
        text: text[i],
        hovertext: hovertext[i],
        ...sampleOf(live, id),
      })),
    );
  POOLS.set(spec, pool);
  return pool;
}

/** True if the samples are one-dimensional, drawn as a rug plot with one line per group.
 * @param {Pane} pane */
const isFlat = (pane) => pane.spec.figure.data[0].yaxis === "y2";

/** @param {ExplorerSpec} spec @param {number} group @param {number} count */
const legendText = ({ labels }, group, count) =>
  `${labels[GROUP_NAMES[group]]}: ${count.toLocaleString("en")}`;

/** The four traces for Plotly, each with the samples of its group.
 * @param {LiveFigure} live @param {Pane} pane */
export function groupTraces(live, pane) {
  const { spec } = samplesOf(live),
    index = classifierAt(live),
    flat = isFlat(pane);
  /** @type {Record<string, any>[]} */
  const traces = groupCounts(spec, index).map((count, group) => ({
    x: [],
    y: [],
    text: [],
    hovertext: [],
    customdata: [],
    name: legendText(spec, group, count),
  }));
  for (const sample of poolOf(live, pane)) {
    const group = groupOf(spec, sample, index),
      to = traces[group];
    to.x.push(sample.x);
    to.y.push(flat ? group : sample.y);
    to.text.push(sample.text);
    to.hovertext.push(sample.hovertext);
    to.customdata.push([sample.id]);
  }
  // Plotly drops a trace without points together with its legend entry: give it one point at null.
  for (const trace of traces) if (!trace.x.length) trace.x = trace.y = [null];
  return { traces: { ...traces } };
}

/** The SVG paths of Plotly's marker symbols, relative to the point; r: half of the marker's size.
 * @type {Record<string, (r: number) => string>} */
const SYMBOLS = {
  circle: (r) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`,
  "triangle-up": (r) =>
    `m${(-2 * r) / Math.sqrt(3)},${r / 2}h${(4 * r) / Math.sqrt(3)}l${(-2 * r) / Math.sqrt(3)},${-1.5 * r}z`,
  "triangle-down": (r) =>
    `m${(-2 * r) / Math.sqrt(3)},${-r / 2}h${(4 * r) / Math.sqrt(3)}l${(-2 * r) / Math.sqrt(3)},${1.5 * r}z`,
  "line-ns-open": (r) => `m0,${-1.4 * r}v${2.8 * r}`,
  x: (r) => {
    const a = (r * 0.8) / Math.SQRT2,
      [ne, se, sw, nw] = [`l${a},${a}`, `l${a},${-a}`, `l${-a},${-a}`, `l${-a},${a}`];
    return `m0,${a}${ne}${se}${sw}${se}${sw}${nw}${sw}${nw}${ne}${nw}${ne}z`;
  },
};

/** The SVG path of a marker, relative to the point.
 * @param {{ symbol: string, size: number }} look */
export const symbolPath = ({ symbol, size }) =>
  SYMBOLS[symbol](size / 2).replace(/\d+\.\d+/g, (digits) => (+digits).toFixed(2));
const RING = symbolPath({ symbol: "circle", size: 15 }),
  SMALL_RING = symbolPath({ symbol: "circle", size: 10 });
const MANY = 40; // if more samples than this are ringed, rings are small: many large rings would hide the samples

/** @type {WeakMap<object, Places>} positions of a pane's samples. The key is Pane.drawn, a new object after each drawing by Plotly */
const PLACES = new WeakMap();

/** Positions of the samples in the plot: all samples of the confusion groups, or, in other panes, the points of
 * Plotly's traces.
 * @param {LiveFigure} live @param {Pane} pane */
function placesOf(live, pane) {
  const known = PLACES.get(pane.drawn);
  if (known) return known;
  const axes = pane.axes(pane.spec.figure.data[0]),
    { xaxis, yaxis } = axes;
  const found = isGrouped(pane)
    ? poolOf(live, pane)
    : (pane.plot.data ?? [])
        .filter(({ customdata }) => customdata)
        .flatMap((trace) => {
          const [x, y] = [trace.x, trace.y].map(coordinates);
          return rowsOf(trace).map((id, i) => ({ ...sampleOf(live, Number(id)), x: x[i], y: y[i] }));
        });
  const lines =
    isGrouped(pane) && isFlat(pane) ? [0, 1, 2, 3].map((group) => yaxis.at(group).toFixed(1)) : null;
  const all = found.map((sample) => ({
    sample,
    x: xaxis.at(sample.x).toFixed(1),
    y: lines ? "" : yaxis.at(sample.y).toFixed(1),
  }));
  const places = { axes, lines, all, byId: new Map(all.map((each) => [each.sample.id, each])) };
  PLACES.set(pane.drawn, places);
  return places;
}

/** True if the pane draws only a part of the samples.
 * @param {LiveFigure} live @param {Pane} pane */
export const drawsFewer = (live, pane) =>
  (PLACES.get(pane.drawn)?.all.length ?? Infinity) < samplesOf(live).placeOf.size;

/** Draw rings around the selected samples; while Plotly's drawing of the groups is outdated, draw the groups too.
 * Both are drawn in an SVG below Plotly's.
 * @param {LiveFigure} live @param {Pane} pane */
export function paintSamples(live, pane) {
  const places = placesOf(live, pane),
    index = classifierAt(live);
  const svg = pane.overlay("sample-marks", places.axes, true);
  if (!svg.firstChild)
    svg.append(
      ...GROUP_NAMES.map((name) => shape("path", { class: `group-${name}` })),
      shape("path.rings", { d: "" }),
    );
  const paths = [...svg.children],
    rings = paths[GROUP_NAMES.length];
  if (isGrouped(pane)) paintGroups(live, pane, places, index, paths);
  const yOf = (/** @type {SamplePlace} */ each) =>
    places.lines ? places.lines[groupOf(samplesOf(live).spec, each.sample, index)] : each.y;
  const { picks, spec } = samplesOf(live),
    group = isGrouped(pane) ? GROUP_NAMES.indexOf(live.explorer?.group ?? "") : -1;
  const ringed =
    group < 0
      ? [...picks].flatMap((id) => places.byId.get(id) ?? [])
      : places.all.filter(({ sample }) => picks.has(sample.id) || groupOf(spec, sample, index) === group);
  const ring = ringed.length > MANY ? SMALL_RING : RING;
  rings.classList.toggle("many", ring === SMALL_RING);
  rings.setAttribute("d", ringed.map((each) => `M${each.x},${yOf(each)}${ring}`).join(""));
}

/** Draw each group as one SVG path, not one node per sample: a step of a drag then rewrites four attributes only.
 * Plotly's own points are transparent while they are outdated.
 * @param {LiveFigure} live @param {Pane} pane @param {Places} places @param {number} index @param {Element[]} paths */
function paintGroups(live, pane, { all, lines }, index, paths) {
  const { spec } = samplesOf(live),
    behind = pane.name !== groupsName(live),
    emphasis = behind ? "behind" : "";
  const traces = (pane.plot.data ?? []).slice(0, 4),
    drawn = ["", "", "", ""];
  if (pane.emphasis !== emphasis) {
    pane.emphasis = emphasis;
    void live.plotly?.restyle(pane.plot, { opacity: behind ? 0 : 1 }, [0, 1, 2, 3]);
  }
  const symbols = traces.map(({ marker }) => symbolPath(marker));
  for (const { sample, x, y } of behind ? all : []) {
    const group = groupOf(spec, sample, index);
    drawn[group] += `M${x},${lines ? lines[group] : y}${symbols[group]}`;
  }
  traces.forEach(({ marker, visible = true }, group) => {
    setAttributes(paths[group], lines ? { fill: "none", stroke: marker.color } : { fill: marker.color });
    setAttributes(paths[group], { opacity: marker.opacity, d: visible === true ? drawn[group] : "" });
  });
}

/** True if the classifiers belong to another k or bandwidth than the sliders show, until Python sends the groups for
 * the new value.
 * @param {LiveFigure} live */
export function isOutdated(live) {
  const { shown, frames } = live.payload,
    { tunes } = samplesOf(live).spec,
    sliders = store.sliders.get(live.host);
  if (!tunes || !sliders?.at || !shown || sliders.id !== frames) return false;
  const byBandwidth = tunes === "bandwidth";
  if (byBandwidth && sliders.at.bandwidth !== shown.bandwidth) return true;
  return !(byBandwidth && shown.bandwidth !== null) && sliders.at.k !== shown.k;
}
