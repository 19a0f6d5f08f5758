// One Plotly pane: its elements, its look, and what Plotly has drawn in it.

import { element, setAttributes, setText, shape } from "./dom.js";

/** @import { LiveFigure } from "./main.js" */

/**
 * One pane as Python describes it (Pane in pages/_live/figure.py).
 * @typedef {object} PaneSpec
 * @property {string} id
 * @property {string} title
 * @property {string} caption
 * @property {string} help
 * @property {string} alt
 * @property {string} follow name of what draws it at another stop (panes.js), "" where only Python does
 * @property {string} note
 * @property {string} picks id of the slider that a click on a point moves
 * @property {boolean} select
 * @property {string} link
 * @property {string} item
 * @property {boolean} brush a drag across picks items
 * @property {boolean} square
 * @property {boolean} fit as large as the window lets it be, without a legend
 * @property {boolean} wide
 * @property {boolean} compact no room for the row of buttons, which then stands on the plot
 * @property {boolean} small
 * @property {boolean} half
 * @property {number} height
 * @property {Figure} figure
 * @property {string[]} pictures
 *
 * @typedef {{ data: Trace[], layout: Record<string, any> }} Figure
 *
 * One trace of Plotly's; only what is read here has a type.
 * @typedef {Record<string, any> & { x: any[], y: any[], legendgroup?: string, fill?: string, meta?: any, customdata?: any[] }} Trace
 *
 * An axis as Plotly has drawn it: pixels of a value (of its logarithm, by l2p), and where it begins.
 * @typedef {{ c2p: (value: any, exact?: boolean) => number, l2p: (value: number) => number, range: number[], _length: number, _offset: number }} Axis
 * @typedef {{ xaxis: Axis, yaxis: Axis }} Axes
 *
 * The element that Plotly draws in, with what Plotly hangs on it.
 * @typedef {HTMLElement & { _fullLayout?: any, _fullData: Trace[], on: (event: string, call: (event: any) => void) => void }} Plot
 *
 * @typedef {object} Plotly
 * @property {(plot: Plot, data: Trace[], layout: object, config: object) => Promise<unknown>} react
 * @property {(plot: Plot, layout: object) => Promise<unknown>} relayout
 * @property {(plot: Plot, options: object) => Promise<unknown>} downloadImage
 * @property {(plot: Plot) => void} purge
 * @property {Record<string, object>} Icons
 *
 * The elements of one trace, as Plotly's last drawing left them.
 * @typedef {object} TraceNodes
 * @property {Element} group
 * @property {Trace} trace
 * @property {HTMLElement | null} [points]
 * @property {Element | null} [dots] our own path of all points
 * @property {Element | null} [line]
 * @property {Element[]} [rest] the other paths of a line with gaps
 * @property {Element | null} [fill]
 * @property {boolean} [strokes]
 * @property {Element[]} [bars]
 *
 * @typedef {object} Nodes
 * @property {Record<number, TraceNodes>} traces by trace; a hidden one has none
 * @property {Record<number, Element | null>} legend
 * @property {Element[]} bands
 * @property {Element[]} annotations
 */

export class Pane {
  must = true; // Plotly must draw it: its paths cannot be rewritten
  dirty = false; // Plotly is behind what is on screen
  drawing = false; // Plotly is at work
  wired = false; // Plotly has drawn it once, and tells of the pointer
  gone = false; // it has left the page
  name = ""; // what Plotly's drawing is of
  painted = ""; // what its paths show
  frames = ""; // the payload's frames when Plotly drew it
  /** @type {string[]} of the layout and the traces that Plotly drew, all but their curves */
  looks = [];
  /** @type {Record<string, number>} the upper ends of the axes as Plotly has drawn them */
  ranges = {};
  /** @type {object | undefined} a new one would make Plotly start afresh and forget zoom and handlers */
  config;
  /** @type {Nodes | null} */
  #nodes = null;
  /** @type {Map<string, SVGElement>} */
  #overlays = new Map();

  /** @param {PaneSpec} spec */
  constructor(spec) {
    this.spec = spec;
    this.title = element("h3");
    this.caption = element("p");
    this.plot = /** @type {Plot} */ (/** @type {HTMLElement} */ (element("div", "", { class: "plot", role: "figure" })));
    this.help = element("details", "", { class: "help" }, element("summary", "?", { "aria-label": "Help" }), element("p"));
    this.box = element("section", "", { class: "pane" }, this.title, this.help, this.caption, this.plot);
  }

  /** @param {PaneSpec} spec */
  take(spec) {
    const { id, title, caption, help, alt, item } = this.spec = spec;
    if (item) this.box.dataset.item = item;
    else delete this.box.dataset.item;
    this.title.textContent = title;
    this.caption.textContent = caption;
    this.help.hidden = !help;
    setText(this.help.lastChild, help);
    this.plot.setAttribute("aria-label", [title || id, caption || alt].filter(Boolean).join(". "));
    this.forgetNodes();
  }

  /** Plotly has drawn anew. */
  forgetNodes() {
    this.#nodes = null;
  }

  get nodes() {
    return (this.#nodes ??= nodesOf(this.plot));
  }

  /** The axes of a trace.
   * @param {Trace} trace @returns {Axes} */
  axes(trace) {
    const full = this.plot._fullLayout;
    const name = (/** @type {string | undefined} */ ref, /** @type {string} */ letter) => `${letter}axis${(ref || letter).slice(1)}`;
    return { xaxis: full[name(trace.xaxis, "x")], yaxis: full[name(trace.yaxis, "y")] };
  }

  /** An SVG of our own over these axes, of this class; made where missing: Plotly may have taken it away.
   * @param {string} name @param {Axes} axes @param {(svg: SVGElement) => void} [place] where it is made */
  overlay(name, { xaxis, yaxis }, place = (svg) => this.plot.append(svg)) {
    let svg = this.#overlays.get(name);
    if (!svg || !this.plot.contains(svg)) {
      svg = shape("svg", { class: name });
      this.#overlays.set(name, svg);
      place(svg);
    }
    setAttributes(svg, { width: xaxis._length, height: yaxis._length });
    Object.assign(svg.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px` });
    return svg;
  }
}

/** True for what Python draws at one stop only: a band, or a limit. An upper bound of the truth is the same at every stop.
 * @param {Trace} trace */
export const isOfOneStop = ({ fill, legendgroup, meta }) => meta === "limit" || (Boolean(fill) && legendgroup !== "bound");

const TYPES = { f8: Float64Array, f4: Float32Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array, u4: Uint32Array };

/** Coordinates, of which Python writes some as the bytes of an array.
 * @param {any[] | { dtype: keyof typeof TYPES, bdata: string }} values @returns {any[]} */
export const coordinates = (values) => (Array.isArray(values) ? values : [...new TYPES[values.dtype](Uint8Array.from(atob(values.bdata), (byte) => byte.charCodeAt(0)).buffer)]);

/** The trace that Plotly has drawn in an element.
 * @param {Element} node @returns {Trace} */
const traceOf = (node) => /** @type {any} */ (node).__data__[0].trace;

/** @param {Plot} plot @returns {Nodes} */
function nodesOf(plot) {
  /** @type {Nodes["traces"]} */
  const traces = {};
  for (const group of plot.querySelectorAll(".scatterlayer .trace")) {
    const trace = traceOf(group);
    const points = trace.marker ? /** @type {HTMLElement | null} */ (group.querySelector(".points")) : null;
    const fill = trace.fill === "tozeroy" ? group.querySelector(".js-fill") : null;
    // A line with gaps is several paths; where there are none yet, one is made when they come.
    const [line, ...rest] = group.querySelectorAll(".js-line");
    const made = group.querySelector(".live-line");
    if (line) made?.remove();
    traces[trace.index] = { group, trace, points, dots: group.querySelector(".live-dots"), fill, line: line || made, rest, strokes: /lines/.test(trace.mode) };
  }
  for (const group of plot.querySelectorAll(".barlayer .trace")) {
    const trace = traceOf(group);
    traces[trace.index] = { group, trace, bars: [...group.querySelectorAll(".point path")] };
  }
  const legend = Object.fromEntries([...plot.querySelectorAll(".legend .traces")].map((item) => [traceOf(item).index, item.querySelector(".legendtext")]));
  const fills = Object.values(traces).map(({ fill }) => fill);
  const bands = Object.values(traces).filter(({ trace }) => isOfOneStop(trace)).flatMap(({ group }) => [...group.querySelectorAll(".js-fill")]).filter((fill) => !fills.includes(fill));
  return { traces, legend, bands, annotations: [...plot.querySelectorAll(".infolayer .annotation-text")] };
}

// The server has it beside this script (prviz/server/static_files.py).
const PLOTLY = "plotly-cartesian-4.1.1.min.js";
/** @type {Promise<Plotly> | undefined} */
let loading;

/** Plotly, loaded at the first call.
 * @returns {Promise<Plotly>} */
export function findPlotly() {
  loading ??= new Promise((done, failed) => {
    const page = /** @type {Window & { Plotly?: Plotly }} */ (window), script = document.createElement("script");
    script.src = new URL(PLOTLY, import.meta.url).href;
    script.onload = script.onerror = () => page.Plotly ? done(page.Plotly)
      : failed(new Error("The drawing library did not load. Reload the page to try again."));
    document.head.append(script);
  });
  return loading;
}

/** Plotly at work on a pane. One that leaves the page meanwhile is purged, of which Plotly knows nothing: it fails.
 * @param {Pane} pane @param {() => Promise<unknown>} work */
export async function onPlot(pane, work) {
  if (pane.gone) return;
  try { await work(); } catch (error) { if (!pane.gone) throw error; }
}

// Room around a square plot, in pixels: axis titles and, below, the legend. All that Plotly needs: where it must push a
// margin itself, the plot has another size in a later drawing.
const SQUARE = { l: 62, r: 14, t: 30, b: 100 }, FITTED = { l: 58, r: 12, t: 14, b: 56 };
const LARGEST_SQUARE = 620;

/** @param {PaneSpec} spec */
const roomOf = ({ fit }) => (fit ? FITTED : SQUARE);
/** @param {number} width @param {PaneSpec} spec */
const squareHeight = (width, spec) => { const { l, r, t, b } = roomOf(spec); return width - l - r + t + b; };
/** Where the pane fits the window, the style has said how wide it is.
 * @param {Pane} pane */
const squareWidth = ({ box, plot, spec }) => (spec.fit ? plot.clientWidth || 320 : Math.min(box.clientWidth || 320, LARGEST_SQUARE));

/** True for the strip over k, as high as the style says.
 * @param {PaneSpec} spec */
export const isStrip = ({ id }) => id === "sweep";

/** Its place among the panes, with the room that it will take: no jump at the first drawing.
 * @param {Pane} pane */
export function placePane(pane) {
  const { wide, small, half, square, fit, compact, height } = pane.spec;
  pane.box.style.flexBasis = wide ? "100%" : "";
  pane.box.classList.toggle("small", small);
  pane.box.classList.toggle("half", half);
  pane.box.classList.toggle("fit", fit);
  pane.box.classList.toggle("compact", compact);
  pane.plot.style.setProperty("--height", `${height}px`);
  if (!fit) pane.plot.style.minHeight = `${square ? squareHeight(squareWidth(pane), pane.spec) : height}px`;
}

/** What reads the theme's variables, by their names without "--".
 * @param {LiveFigure} live */
export function themeOf({ parent }) {
  const style = getComputedStyle(/** @type {any} */ (parent).host || parent);
  return (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
}

/** A payload's text with colours for the page: on a dark one a third of white in each.
 * @param {LiveFigure} live @param {string} text */
export function inTheme(live, text) {
  const ground = document.createElement("canvas").getContext("2d");
  if (!ground) return text;
  ground.fillStyle = themeOf(live)("st-background-color"); // as #rrggbb, however it is written
  if (parseInt(ground.fillStyle.slice(3, 5), 16) > 127) return text;
  const lighter = (/** @type {string} */ level) => Math.round((2 * parseInt(level, 16) + 255) / 3).toString(16).padStart(2, "0");
  return text.replace(/("color": ?"#)([0-9a-f]{6})(?=")/gi, (_, head, color) => head + color.replace(/../g, lighter));
}

/** The traces, without those that the user has hidden; in the page's main figure with the truth in the colour of text.
 * @param {LiveFigure} live @param {Pane} pane @param {Trace[]} data @returns {Trace[]} */
export function inked(live, { spec }, data) {
  const { hidden } = live.rows;
  if (hidden.size) {
    // A limit's name begins with its family's.
    const limits = live.payload.curves.filter(({ id }) => hidden.has(id)).map(({ name }) => `${name} at n = ∞`);
    data = data.map((trace) => (hidden.has(trace.legendgroup ?? "") || (trace.meta === "limit" && limits.includes(trace.name)) ? { ...trace, visible: "legendonly" } : trace));
  }
  if (!spec.fit) return data;
  const color = themeOf(live)("st-text-color");
  return data.map((trace) => (trace.legendgroup === "truth" ? { ...trace, line: { ...trace.line, color, width: 3, dash: "5px,4px" } } : trace));
}

/** The layout in the page's theme.
 * @param {LiveFigure} live @param {Pane} pane @param {Figure} figure */
export function themed(live, pane, figure) {
  const { spec, box } = pane;
  const css = themeOf(live);
  const layout = structuredClone(figure.layout);
  const grid = css("st-border-color-light") || "#8884";
  const width = spec.square ? squareWidth(pane) : box.clientWidth || 320;
  const font = { color: css("st-text-color"), family: css("st-font") };
  const margin = { ...layout.margin, ...(spec.square ? roomOf(spec) : {}) };
  if (!spec.small && !spec.fit && !spec.compact) margin.t = Math.max(margin.t ?? 0, 34); // the row of buttons
  Object.assign(layout, {
    // A drag zooms only after a press of the button for it; nor must a finger that scrolls the page select what it crosses.
    dragmode: matchMedia("(pointer: coarse)").matches ? false : spec.brush ? "select" : spec.link && !spec.small ? "lasso" : false,
    width, margin, uirevision: "keep", paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    height: spec.square ? squareHeight(width, spec) : ((isStrip(spec) || spec.compact) && pane.plot.clientHeight) || spec.height, font: { ...layout.font, ...font },
    hoverlabel: { ...layout.hoverlabel, bgcolor: css("st-secondary-background-color"), bordercolor: grid, font },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: "#8a8a8a", activecolor: css("st-primary-color") },
  });
  if (spec.fit) layout.showlegend = false;
  else if (spec.square) layout.legend = { ...layout.legend, yref: "container", y: 0, yanchor: "bottom" };
  for (const key of Object.keys(layout)) {
    if (/^[xy]axis\d*$/.test(key)) layout[key] = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, ...layout[key] };
  }
  return layout;
}

/** @param {Plotly} plotly @param {PaneSpec} spec */
export function plotConfig(plotly, spec) {
  const save = (/** @type {"png" | "svg"} */ format) => ({
    name: `download ${format}`, title: `Save this figure as ${format.toUpperCase()}`,
    icon: format === "png" ? plotly.Icons.camera : plotly.Icons.disk,
    click: (/** @type {Plot} */ plot) => plotly.downloadImage(plot, {
      format, filename: `prviz-${spec.id}`, width: plot.clientWidth, height: plot.clientHeight, scale: format === "png" ? 3 : 1 }),
  });
  return { displaylogo: false, responsive: false, displayModeBar: spec.small ? false : "hover", showAxisDragHandles: false,
           doubleClick: "reset",  // by default it also fits the axes to all that is drawn, as some taps do: the bound reaches far out
           modeBarButtons: [[...(spec.select || spec.link ? ["select2d", "lasso2d"] : []), "zoom2d", "pan2d", "resetScale2d", save("png"), save("svg")]] };
}
