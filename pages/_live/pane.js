// One Plotly pane: its elements, its look, and the positions of points in it, in pixels. Only public functions of
// Plotly are used.

import { element, setAttributes, setText, shape, unbroken } from "./dom.js";
import { helpPicture } from "./help_picture.js";

/** @import { LiveFigure } from "./main.js" */

/**
 * One pane as Python describes it (Pane in prviz/live/figure.py).
 * @typedef {object} PaneSpec
 * @property {string} id
 * @property {string} title
 * @property {string} caption
 * @property {string} help
 * @property {string} alt
 * @property {string} follow name of the function in panes.js that draws the pane at another stop; "" if only Python draws it
 * @property {string} note
 * @property {boolean} select
 * @property {string} link
 * @property {string} item
 * @property {boolean} brush true if a drag across the pane picks items
 * @property {boolean} square
 * @property {boolean} fit true if the pane is as large as the window allows, without a legend
 * @property {boolean} wide
 * @property {boolean} compact true if the pane has no room above the plot for its buttons, which then lie on the plot
 * @property {boolean} small
 * @property {boolean} half
 * @property {Figure} figure
 * @property {string[]} pictures
 * @property {import("./brush.js").Canvas | null} [canvas] what the user can paint in the pane
 *
 * @typedef {{ data: Trace[], layout: Record<string, any> }} Figure
 *
 * One trace of Plotly's; only the properties that are read here have a type.
 * @typedef {Record<string, any> & { x: any[], y: any[], legendgroup?: string, fill?: string, meta?: any, customdata?: any[] }} Trace
 *
 * One axis of a plot. `at`: the position of a value, in pixels from the plot's left or top edge; `value`: the value at a position.
 * @typedef {{ at: (value: number) => number, value: (pixels: number) => number, range: number[], start: number, length: number }} Axis
 * @typedef {{ xaxis: Axis, yaxis: Axis }} Axes
 *
 * The element that Plotly draws in, with what it has drawn.
 * @typedef {HTMLElement & { data?: Trace[], layout: Record<string, any>, on: (event: string, call: (event: any) => void) => void }} Plot
 *
 * @typedef {object} Plotly
 * @property {(plot: Plot, data: Trace[], layout: object, config: object) => Promise<unknown>} react
 * @property {(plot: Plot, frame: object, options: object) => Promise<unknown>} animate
 * @property {(plot: Plot, layout: object) => Promise<unknown>} relayout
 * @property {(plot: Plot, changes: object, traces: number[]) => Promise<unknown>} restyle
 * @property {(plot: Plot, options: object) => Promise<unknown>} downloadImage
 * @property {(plot: Plot) => void} purge
 * @property {Record<string, { width: number, height: number, path: string, transform?: string }>} Icons
 */

export class Pane {
  must = true; // true if Plotly must draw the pane again, even at the same stop
  dirty = false; // true if the user may have chosen another stop than the one that Plotly has drawn
  drawing = false; // true while Plotly draws the pane
  wired = false; // true once Plotly has drawn the pane and its pointer events are connected
  gone = false; // true once the pane has left the page
  name = ""; // identifies what Plotly has drawn (drawingName in panes.js)
  rest = ""; // all that Plotly has drawn except the data of the traces (restOf in paint.js)
  drawn = {}; // a new object after each drawing; caches use it as their key
  resets = 0; // number of times that the user has reset the axes
  emphasis = ""; // identifies the traces that are highlighted in the pane
  /** @type {string | false | undefined} what a drag does; undefined until the user has chosen */
  dragmode;
  /** True if the last press on a curve became a drag along the curve, which moved lam: then it is no click. */
  pulled = false;
  /** @type {Map<string, SVGElement>} */
  #overlays = new Map();

  /** @param {PaneSpec} spec */
  constructor(spec) {
    this.spec = spec;
    this.title = element("h3");
    this.caption = element("p");
    this.plot = /** @type {Plot} */ (/** @type {HTMLElement} */ (element("div.plot", { role: "figure" })));
    this.help = element("details.help", element("summary", "?", { "aria-label": "Help" }), element("p"));
    this.box = element("section.pane", this.title, this.help, this.caption, this.plot);
  }

  /** @param {PaneSpec} spec */
  take(spec) {
    const { id, title, caption, help, alt, item } = (this.spec = spec);
    if (item) this.box.dataset.item = item;
    else delete this.box.dataset.item;
    this.title.textContent = title;
    setText(this.caption, caption);
    this.help.hidden = !help;
    const words = /** @type {Element} */ (this.help.lastChild);
    if (words.lastChild?.textContent !== unbroken(help)) {
      const known = spec.figure.data.some(({ legendgroup }) => legendgroup === "truth");
      words.replaceChildren(...(id === "pr" ? [helpPicture(known)] : []), element("span", help));
    }
    this.plot.setAttribute("aria-label", [title || id, caption || alt].filter(Boolean).join(". "));
  }

  /** The axes of a trace as they are drawn now, zoomed or not.
   * @param {Trace} [trace] */
  axes(trace) {
    return axesOf(this.plot.layout, trace);
  }

  /** prviz's own SVG with this class, over Plotly's drawing in the area of these axes, or under it. It is created at
   * the first call.
   * @param {string} name @param {Axes} axes @param {boolean} [under] */
  overlay(name, { xaxis, yaxis }, under = false) {
    const svg = this.#overlays.get(name) ?? shape("svg", { class: name });
    this.#overlays.set(name, svg);
    if (under && this.plot.firstChild !== svg) this.plot.prepend(svg);
    if (!under && !svg.isConnected) this.plot.append(svg);
    setAttributes(svg, { width: xaxis.length, height: yaxis.length });
    Object.assign(svg.style, { left: `${xaxis.start}px`, top: `${yaxis.start}px` });
    return svg;
  }
}

/** True for a trace that is valid at one stop only: an uncertainty band, or the limit for infinitely many samples.
 * The bound on the truth is valid at every stop.
 * @param {Trace} trace */
export const isOfOneStop = ({ fill, legendgroup, meta }) =>
  meta === "limit" || (Boolean(fill) && legendgroup !== "bound");

const TYPES = {
  f8: Float64Array,
  f4: Float32Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
};

/** The coordinates as an array, also those that Python sends as the bytes of an array.
 * @param {any[] | { dtype: keyof typeof TYPES, bdata: string }} values @returns {any[]} */
export const coordinates = (values) =>
  Array.isArray(values)
    ? values
    : [...new TYPES[values.dtype](Uint8Array.from(atob(values.bdata), (byte) => byte.charCodeAt(0)).buffer)];

/** The sample's row number of each point of a trace: the point's customdata, or the first entry of its customdata.
 * @param {Trace} trace @returns {(string | number)[]} */
export function rowsOf({ customdata = [] }) {
  if (Array.isArray(customdata)) return customdata.map((each) => (Array.isArray(each) ? each[0] : each));
  const { shape: sides = "" } = /** @type {{ shape?: string }} */ (customdata),
    columns = +(sides.split(",")[1] ?? 1);
  return coordinates(customdata).filter((_, i) => i % columns === 0);
}

/** The axes of a trace, with their positions in the plot, computed from a layout with fixed margins as Plotly's
 * documentation describes.
 * @param {Record<string, any>} layout @param {Record<string, any>} [trace] @returns {Axes} */
export function axesOf(layout, { xaxis = "x", yaxis = "y" } = {}) {
  const {
    width,
    height,
    margin: { l, r, t, b },
  } = layout;
  const axis = (/** @type {string} */ ref) => layout[`${ref[0]}axis${ref.slice(1)}`];
  const made = (
    /** @type {any} */ { domain: [low, high] = [0, 1], range: [from, to], type },
    /** @type {number} */ edge,
    /** @type {number} */ whole,
    /** @type {boolean} */ down,
  ) => {
    const start = edge + whole * (down ? 1 - high : low),
      length = whole * (high - low),
      log = type === "log";
    return {
      start,
      length,
      range: [from, to],
      at: (/** @type {number} */ value) => {
        const along = length * (((log ? Math.log10(value) : value) - from) / (to - from));
        return down ? length - along : along;
      },
      value: (/** @type {number} */ pixels) => {
        const value = from + ((down ? length - pixels : pixels) / length) * (to - from);
        return log ? 10 ** value : value;
      },
    };
  };
  return {
    xaxis: made(axis(xaxis), l, width - l - r, false),
    yaxis: made(axis(yaxis), t, height - t - b, true),
  };
}

// Name of Plotly's file; the server has it beside this script (prviz/server/static_files.py).
const PLOTLY = "plotly-cartesian-4.1.1.min.js";
/** @type {Promise<Plotly> | undefined} */
let loading;

/** Load Plotly at the first call.
 * @returns {Promise<Plotly>} */
export function findPlotly() {
  loading ??= new Promise((done, failed) => {
    const page = /** @type {Window & { Plotly?: Plotly }} */ (window),
      script = document.createElement("script");
    script.src = new URL(PLOTLY, import.meta.url).href;
    script.onload = script.onerror = () =>
      page.Plotly
        ? done(page.Plotly)
        : failed(new Error("The drawing library did not load. Reload the page to try again."));
    document.head.append(script);
  });
  return loading;
}

/** Run a Plotly function on a pane. If the pane leaves the page meanwhile, it is purged and the function fails:
 * that failure is ignored.
 * @param {Pane} pane @param {() => Promise<unknown>} work */
export async function onPlot(pane, work) {
  if (pane.gone) return;
  try {
    await work();
  } catch (error) {
    if (!pane.gone) throw error;
  }
}

// Margins of a square plot in pixels, with room for axis titles and, below, the legend. They must be as large as
// Plotly needs: where Plotly enlarges a margin itself, the plot has another size in a later drawing.
const SQUARE = { l: 62, r: 14, t: 30, b: 100 },
  FITTED = { l: 58, r: 12, t: 14, b: 56 };
const LARGEST_SQUARE = 620;
// Margins of large figures that are not square and have prviz's marks over the plot and a legend below it.
const OVERLAID = { l: 62, b: 104 };

/** True if prviz draws marks over the plot: Plotly then must not enlarge the plot's margins, or the marks would be
 * misplaced.
 * @param {PaneSpec} spec */
const isOverlaid = ({ follow, select, link }) => select || Boolean(link || follow);

// Sizes in Plotly's legend, in pixels. ROW: height of a row; ENTRY: width of an entry without its name.
const ROW = 29,
  ENTRY = 45;
const TITLE = 14; // font size of Plotly's axis titles, in pixels
const UNDER_AXIS = 56; // pixels from a square plot to its legend, for ticks and title

const pen = document.createElement("canvas").getContext("2d");

/** Width of a text in the pane's font, in pixels.
 * @param {Pane} pane @param {string} text @param {number} size */
function textWidth({ box }, text, size) {
  if (!pen) return 0;
  pen.font = `${size}px ${getComputedStyle(box).fontFamily}`;
  return pen.measureText(text).width;
}

/** Number of rows of the pane's legend at this width of the plot.
 * @param {Pane} pane @param {number} width */
function legendRows(pane, width) {
  const { data, layout } = pane.spec.figure;
  if (layout.showlegend === false) return 0;
  const names = data.filter(({ name, showlegend }) => name && showlegend !== false).map(({ name }) => name);
  let rows = 1,
    used = 0;
  for (const name of new Set(names)) {
    const entry = ENTRY + textWidth(pane, name, 12);
    if (used && used + entry > width) {
      rows += 1;
      used = 0;
    }
    used += entry;
  }
  return rows;
}

/** Margins of a square plot as wide as this, whose legend is whole below it.
 * @param {number} width @param {Pane} pane */
function roomOf(width, pane) {
  if (pane.spec.fit) return FITTED;
  const { l, r, b } = SQUARE;
  return { ...SQUARE, b: Math.max(b, UNDER_AXIS + ROW * legendRows(pane, width - l - r)) };
}
/** @param {number} width @param {Pane} pane */
const squareHeight = (width, pane) => {
  const { l, r, t, b } = roomOf(width, pane);
  return width - l - r + t + b;
};
/** Leave only the words before the colons of all axis titles if one of them is longer than its axis.
 * @param {Pane} pane @param {{ title?: { text?: string } }[]} axes @param {number} side */
function shortenTitles(pane, axes, side) {
  const titles = axes.flatMap(({ title }) => (title?.text ? [title] : []));
  if (!titles.some(({ text = "" }) => textWidth(pane, text, TITLE) > side)) return;
  for (const title of titles) title.text = title.text?.split(": ")[0];
}

/** Height of the rows of the legend for which Python's height of the figure has no room.
 * @param {Pane} pane */
function moreRows(pane) {
  const { square, compact, small } = pane.spec;
  if (!isOverlaid(pane.spec) || square || compact || small) return 0;
  return ROW * Math.max(0, legendRows(pane, (pane.box.clientWidth || 320) - OVERLAID.l) - 1);
}
/** Width of a square plot in pixels; if the pane fits the window, the style sheet sets this width.
 * @param {Pane} pane */
const squareWidth = ({ box, plot, spec }) =>
  spec.fit ? plot.clientWidth || 320 : Math.min(box.clientWidth || 320, LARGEST_SQUARE);

/** Set the pane's place among the other panes, and its final height, so that nothing moves when Plotly draws.
 * @param {Pane} pane */
export function placePane(pane) {
  const {
    wide,
    small,
    half,
    square,
    fit,
    compact,
    figure: {
      layout: { height },
    },
  } = pane.spec;
  pane.box.style.flexBasis = wide ? "100%" : "";
  for (const [name, is] of Object.entries({ small, half, fit, compact })) pane.box.classList.toggle(name, is);
  pane.plot.style.setProperty("--height", `${height}px`);
  if (!fit)
    pane.plot.style.minHeight = `${square ? squareHeight(squareWidth(pane), pane) : height + moreRows(pane)}px`;
}

/** A function that reads the theme's CSS variables, by their names without "--".
 * @param {LiveFigure} live */
export function themeOf({ parent }) {
  const style = getComputedStyle(/** @type {any} */ (parent).host || parent);
  return (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
}

/** Adapt the colours in a payload's text to the page's theme: on a dark page, each colour is mixed with one third of
 * white.
 * @param {LiveFigure} live @param {string} text */
export function inTheme(live, text) {
  const ground = document.createElement("canvas").getContext("2d");
  if (!ground) return text;
  // use a canvas, which turns any notation of a colour into #rrggbb
  ground.fillStyle = themeOf(live)("st-background-color");
  if (parseInt(ground.fillStyle.slice(3, 5), 16) > 127) return text;
  const lighter = (/** @type {string} */ level) =>
    Math.round((2 * parseInt(level, 16) + 255) / 3)
      .toString(16)
      .padStart(2, "0");
  return text.replace(
    /("color": ?"#)([0-9a-f]{6})(?=")/gi,
    (_, head, color) => head + color.replace(/../g, lighter),
  );
}

/** The traces to draw. Curves that the user has hidden, and curves equal to an earlier one, are not visible; in the
 * main figure the true curve has the text colour.
 * @param {LiveFigure} live @param {Pane} pane @param {Trace[]} data @param {Set<string>} hidden ids of curves @returns {Trace[]} */
export function inked(live, { spec }, data, hidden) {
  if (hidden.size) {
    // The name of a limit's trace is "<family> at n = ∞".
    const limits = live.payload.curves
      .filter(({ id }) => hidden.has(id))
      .map(({ name }) => `${name} at n = ∞`);
    data = data.map((trace) =>
      hidden.has(trace.legendgroup ?? "") || (trace.meta === "limit" && limits.includes(trace.name))
        ? { ...trace, visible: "legendonly" }
        : trace,
    );
  }
  if (!spec.fit) return data;
  const color = live.theme["st-text-color"];
  return data.map((trace) =>
    trace.legendgroup === "truth"
      ? { ...trace, line: { ...trace.line, color, width: 3, dash: "5px,4px" } }
      : trace,
  );
}

/** The layout with the colours, font and sizes of the page.
 * @param {LiveFigure} live @param {Pane} pane @param {Figure["layout"]} given */
export function themed(live, pane, given) {
  const { spec, box } = pane;
  const { theme } = live;
  const layout = structuredClone(given);
  const grid = theme["st-border-color-light"] || "#8884";
  const width = spec.square ? squareWidth(pane) : box.clientWidth || 320;
  const font = { color: theme["st-text-color"], family: theme["st-font"] };
  const more = moreRows(pane);
  const margin = { ...layout.margin, ...(spec.square ? roomOf(width, pane) : {}) };
  // leave room for the row of buttons
  if (!spec.small && !spec.fit && !spec.compact) margin.t = Math.max(margin.t ?? 0, 34);
  if (isOverlaid(spec))
    Object.assign(margin, {
      autoexpand: false,
      ...(spec.square || spec.compact || spec.small ? {} : { ...OVERLAID, b: OVERLAID.b + more }),
    });
  Object.assign(layout, {
    // A drag does nothing until the user presses a button for it, except where the pane has a brush or a lasso; a
    // finger that scrolls the page must never select samples.
    dragmode:
      pane.dragmode ??
      (matchMedia("(pointer: coarse)").matches
        ? false
        : spec.brush
          ? "select"
          : spec.link && !spec.small
            ? "lasso"
            : false),
    width,
    margin,
    uirevision: "keep",
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    height: spec.square
      ? squareHeight(width, pane)
      : (spec.compact && pane.plot.clientHeight) || layout.height + more,
    font: { ...layout.font, ...font },
    hoverlabel: {
      ...layout.hoverlabel,
      bgcolor: theme["st-secondary-background-color"],
      bordercolor: grid,
      font,
    },
  });
  if (spec.fit) layout.showlegend = false;
  else if (spec.square) layout.legend = { ...layout.legend, yref: "container", y: 0, yanchor: "bottom" };
  const axes = Object.keys(layout).filter((key) => /^[xy]axis\d*$/.test(key));
  for (const key of axes)
    layout[key] = {
      uirevision: `kept ${pane.resets}`,
      gridcolor: grid,
      zerolinecolor: grid,
      linecolor: grid,
      ...layout[key],
    };
  if (spec.square && !spec.fit)
    shortenTitles(
      pane,
      axes.map((key) => layout[key]),
      width - margin.l - margin.r,
    );
  return layout;
}

// doubleClick "reset": by default a double click also fits the axes to all data, and the bound reaches far beyond the
// unit square; some taps count as double clicks.
export const CONFIG = {
  displaylogo: false,
  responsive: false,
  displayModeBar: false,
  showAxisDragHandles: false,
  doubleClick: "reset",
};
