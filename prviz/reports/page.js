"use strict";
// Draws the figures of one family at a time, and highlights the same checkpoint in all figures and tables.

/**
 * @typedef {{ data: Record<string, any>[], layout: Record<string, any> }} Figure
 * @typedef {HTMLElement & { on: (event: string, call: (event: any) => void) => void }} Plot
 *
 * @typedef {object} Plotly
 * @property {(plot: Plot, data: object[], layout: object, config: object) => Promise<unknown>} newPlot
 * @property {(plot: Plot, change: object, traces: number[]) => void} restyle
 * @property {(plot: Plot, layout: object) => void} relayout
 * @property {{ resize: (plot: Plot) => void }} Plots
 */

const plotly = /** @type {Window & typeof globalThis & { Plotly: Plotly }} */ (window).Plotly;
const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @type {(selector: string) => HTMLElement[]} */
const all = (selector) =>
  [...document.querySelectorAll(selector)].map((node) => /** @type {HTMLElement} */ (node));
/** @type {(selector: string) => Plot[]} */
const plots = (selector) => all(selector).map((node) => /** @type {Plot} */ (node));
const css = (/** @type {string} */ name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** @type {Record<string, Record<string, Figure>>} */
const figures = JSON.parse(byId("figures").textContent ?? "");
/** @type {string | null} the checkpoint that was selected by a click */
let pinned = null;
/** @type {string | null} the highlighted checkpoint: under the pointer, or else the selected one */
let shown = null;

/** @param {Plot} plot */
const figureOf = ({ dataset: { family = "", figure = "" } }) => figures[family][figure];

function theme() {
  const hover = { bgcolor: css("--panel"), bordercolor: css("--line"), font: { color: css("--ink") } };
  return { "font.color": css("--ink"), hoverlabel: hover };
}

/** @param {Plot} plot */
async function draw(plot) {
  const { data, layout } = figureOf(plot),
    { "font.color": color, hoverlabel } = theme();
  /** @type {Figure["layout"]} */
  const themed = { ...layout, autosize: true, font: { ...layout.font, color }, hoverlabel, dragmode: false };
  // a square plot in a higher figure would have empty bands above and below it
  if (layout.yaxis.scaleanchor) themed.height = Math.min(layout.height, plot.clientWidth + 60);
  await plotly.newPlot(plot, structuredClone(data), themed, {
    responsive: true,
    displaylogo: false,
    displayModeBar: false,
  });
  plot.on("plotly_hover", ({ points }) => mark(checkpointOf(points[0]) ?? pinned));
  plot.on("plotly_unhover", () => mark(pinned));
  plot.on("plotly_click", ({ points }) => pin(checkpointOf(points[0])));
  plot.dataset.drawn = "yes";
}

/** The checkpoint of a point: the one named by the point itself, or else by its trace.
 * @param {{ customdata?: string, data: { meta?: string } }} point */
const checkpointOf = (point) => point.customdata ?? point.data.meta ?? null;

/** @param {string | null} name */
function pin(name) {
  pinned = name === pinned ? null : name;
  for (const button of all("button[data-checkpoint]"))
    button.setAttribute("aria-pressed", String(button.dataset.checkpoint === pinned));
  mark(pinned);
}

/** @param {string | null} name */
function mark(name) {
  if (name === shown) return;
  shown = name;
  for (const row of all("tr[data-checkpoint]"))
    row.classList.toggle("marked", row.dataset.checkpoint === name);
  for (const text of all(".told"))
    text.textContent = name === null ? (text.dataset.hint ?? "") : `Standing out: ${name}`;
  for (const plot of plots(".drawn[data-drawn]")) restyle(plot, name);
}

/** @param {Plot} plot @param {string | null} name */
function restyle(plot, name) {
  figureOf(plot).data.forEach(({ meta, line, marker, customdata }, index) => {
    if (meta !== undefined) {
      const width = line.width + (meta === name ? 2.5 : 0);
      plotly.restyle(plot, { opacity: name === null || meta === name ? 1 : 0.2, "line.width": width }, [
        index,
      ]);
    } else if (Array.isArray(customdata)) {
      const size = customdata.map(
        (each, i) => (Array.isArray(marker.size) ? marker.size[i] : marker.size) * (each === name ? 1.6 : 1),
      );
      const opacity = customdata.map((each) => (name === null || each === name ? 1 : 0.3));
      plotly.restyle(plot, { "marker.size": [size], "marker.opacity": [opacity] }, [index]);
    }
  });
}

/** @param {string | undefined} family */
async function show(family) {
  for (const section of all("section[data-family]")) section.hidden = section.dataset.family !== family;
  for (const button of all("button[data-show]"))
    button.setAttribute("aria-pressed", String(button.dataset.show === family));
  const waiting = plots(`.drawn[data-family="${family}"]:not([data-drawn])`);
  await Promise.all(waiting.map(draw));
  for (const plot of waiting) restyle(plot, shown);
  for (const plot of plots(`.drawn[data-family="${family}"]`)) plotly.Plots.resize(plot);
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([byId("report").textContent ?? ""], { type: "application/json" }));
  link.download = "prviz-triage.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

for (const button of all("button[data-show]"))
  button.addEventListener("click", () => show(button.dataset.show));
for (const button of all("button[data-checkpoint]"))
  button.addEventListener("click", () => pin(button.dataset.checkpoint ?? null));
for (const row of all("tr[data-checkpoint]")) {
  row.addEventListener("mouseenter", () => mark(row.dataset.checkpoint ?? null));
  row.addEventListener("mouseleave", () => mark(pinned));
}
byId("save").addEventListener("click", save);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const plot of plots(".drawn[data-drawn]")) plotly.relayout(plot, theme());
});
const [first] = Object.keys(figures);
if (first !== undefined) show(first);
