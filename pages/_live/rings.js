// Rings around samples: a sample that is under the pointer or selected in one pane gets a ring in all panes. A sample
// is identified by its row, which is the customdata of its points; a pane's `link` identifies the set of samples that
// the rows refer to.

import { shape } from "./dom.js";
import { coordinates, rowsOf } from "./pane.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

/**
 * @typedef {string | number} Row
 * @typedef {{ link: string, under: Row | undefined, marked: Set<Row> }} Rings link: the set of samples; under: the row under the pointer; marked: the selected rows
 */

/** @returns {Rings} */
export const noRings = (link = "") => ({ link, under: undefined, marked: new Set() });

/** @param {LiveFigure} live @param {Pane} pane */
export function wireRings(live, { spec, plot }) {
  if (!spec.link) return;
  /** @returns {Row[]} */
  const rows = (/** @type {any} */ event) =>
    (event?.points ?? [])
      .map((/** @type {any} */ point) => point.customdata)
      .filter((/** @type {unknown} */ row) => row !== undefined);
  const under = (/** @type {Row | undefined} */ row) => {
    live.rings.under = row;
    drawAllRings(live);
  };
  const mark = (/** @type {Row[]} */ marked) => {
    live.rings.marked = new Set(marked);
    drawAllRings(live);
    live.parts.status.textContent = live.parts.spoken.textContent = markedText(live);
  };
  plot.on("plotly_hover", (event) => under(rows(event)[0]));
  plot.on("plotly_unhover", () => under(undefined));
  plot.on("plotly_selected", (event) => mark(rows(event)));
  plot.on("plotly_deselect", () => mark([]));
}

/** Forget the rings if the panes now show other samples than before.
 * @param {LiveFigure} live */
export function takeRings(live) {
  const link = live.payload.panes.find((spec) => spec.link)?.link ?? "";
  if (link === live.rings.link) return;
  live.rings = noRings(link);
  if (!live.controls.list.length) live.parts.status.textContent = live.parts.spoken.textContent = "";
}

/** Text with the number of selected samples, for each trace by its name.
 * @param {LiveFigure} live */
function markedText({ panes, rings: { marked } }) {
  const pane = panes.find(({ spec, wired }) => spec.link && wired),
    counts = new Map();
  for (const { name, row } of pane ? samplesOf(pane) : [])
    if (marked.has(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => `${count} ${name}`);
  return marked.size ? `Marked: ${marked.size} samples (${parts.join(", ")})` : "";
}

/** @param {Pane} pane */
function* samplesOf({ plot }) {
  for (const trace of plot.data ?? []) {
    const { name, visible = true } = trace,
      rows = rowsOf(trace);
    if (visible !== true || !rows.length) continue;
    const [x, y] = [trace.x, trace.y].map(coordinates);
    for (let i = 0; i < x.length; i++) yield { name, row: rows[i], x: x[i], y: y[i] };
  }
}

/** @param {LiveFigure} live */
function drawAllRings(live) {
  for (const pane of live.panes) drawRings(live, pane);
}

/** @param {LiveFigure} live @param {Pane} pane */
export function drawRings({ rings: { under, marked } }, pane) {
  if (!pane.spec.link || !pane.wired) return;
  const axes = pane.axes(),
    found = [];
  for (const { row, x, y } of under !== undefined || marked.size ? samplesOf(pane) : []) {
    if (row !== under && !marked.has(row)) continue;
    found.push(
      shape("circle", {
        cx: axes.xaxis.at(x),
        cy: axes.yaxis.at(y),
        r: row === under ? 9 : 5.5,
        fill: "none",
        stroke: "currentColor",
        "stroke-width": row === under ? 3 : 1.5,
        "data-row": row,
      }),
    );
  }
  pane.overlay("lam-marks rings", axes).replaceChildren(...found);
}
