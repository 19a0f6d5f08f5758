// What a figure says in words and numbers: a legend for panes that have none of their own, a table of one row per curve
// and one column per number, and a sentence.

import { pointAt, shortNumber } from "./curve.js";
import { element, setText, shape } from "./dom.js";
import { store } from "./store.js";
import { beyond, verdictAt } from "./verdict.js";
import { ownStop } from "./view.js";
import { missingSide } from "./without_truth.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/**
 * The table as Python describes it (Table in pages/_live/figure.py); rows: numbers by curve id.
 * @typedef {{ caption: string, columns: { key: string, label: string, explanation: string }[], rows: Record<string, number[]>, turned: boolean }} Table
 *
 * What the table on screen is made for, and its cells by curve id.
 * @typedef {{ shape: string, cells: Map<string, HTMLElement[]>, pictures: HTMLElement[] }} Cells
 */

const SPOKEN_MS = 700; // without a change, after which a screen reader hears of it: not at every step of a drag

/** @returns {Cells} */
export const noCells = () => ({ shape: "null", cells: new Map(), pictures: [] });

/** @param {{ name: string, color: string }} curve */
const swatch = ({ color }) => ({ class: "swatch", style: `--swatch: ${color}` });

/** @param {LiveFigure} live */
export function makeLegend({ payload: { legend, curves }, parts: { key } }) {
  key.hidden = !legend;
  key.replaceChildren(...curves.map((curve) => element("span", curve.name, swatch(curve))));
}

/** @param {LiveFigure} live */
export function makeTable(live) {
  const { payload: { rows: asRows, curves }, parts: { readout } } = live, table = asRows ? null : live.payload.table;
  const named = JSON.stringify(table && [table.caption, table.columns, curves.map(({ id, name, color }) => [id, name, color])]);
  if (named === live.table.shape) return;
  live.table = { shape: named, cells: new Map(), pictures: [] };
  readout.hidden = !table;
  if (!table) return;
  if (table.turned) return turned(live, table);
  const titles = table.columns.map(({ label, explanation }) => element("th", label, { scope: "col", title: explanation }));
  const rows = curves.map((curve) => {
    const cells = table.columns.map(() => element("td"));
    live.table.cells.set(curve.id, cells);
    return element("tr", "", {}, element("th", curve.name, { scope: "row", ...swatch(curve) }), ...cells);
  });
  const head = element("thead", "", {}, element("tr", "", {}, element("td"), ...titles));
  readout.replaceChildren(element("table", "", {}, element("caption", table.caption), head, element("tbody", "", {}, ...rows)));
}

/** The table with a row for each number, and beside it the number over k.
 * @param {LiveFigure} live @param {Table} table */
function turned({ payload: { curves }, parts: { readout }, table: made }, table) {
  curves.forEach(({ id }) => made.cells.set(id, table.columns.map(() => element("td"))));
  made.pictures = table.columns.map(() => element("td", "", { class: "over" }));
  const rows = table.columns.map(({ label, explanation }, i) => {
    const cells = curves.map(({ id }) => /** @type {HTMLElement[]} */ (made.cells.get(id))[i]);
    return element("tr", "", {}, element("th", label, { scope: "row", title: explanation }), ...cells, made.pictures[i]);
  });
  const titles = curves.map((curve) => element("th", curve.name, { scope: "col", ...swatch(curve) }));
  const head = element("thead", "", {}, element("tr", "", {}, element("td"), ...titles, element("th", "over k", { scope: "col" })));
  readout.replaceChildren(element("table", "", { class: "turned" }, element("caption", table.caption), head, element("tbody", "", {}, ...rows)));
}

const PICTURE = [54, 18]; // pixels

/** The numbers over k of the frames, from 0 to 1, on the slider's own scale.
 * @param {LiveFigure} live */
function drawPictures({ payload: { frames, curves }, table: { pictures } }) {
  const table = store.frames.get(frames)?.k, [width, height] = PICTURE;
  if (!table || !pictures.length || pictures[0].dataset.frames === frames) return;
  pictures.forEach((cell, i) => {
    const svg = shape("svg", { width, height, "aria-hidden": "true" });
    for (const { id, color } of curves) {
      const points = table.rows[id]?.map((/** @type {number[]} */ row, /** @type {number} */ at, /** @type {number[][]} */ { length }) => `${(width * at) / Math.max(length - 1, 1)},${1 + (height - 2) * (1 - Math.min(row[i], 1))}`);
      if (points) svg.append(shape("polyline", { points: points.join(" "), fill: "none", stroke: color, "stroke-width": 1.5 }));
    }
    cell.dataset.frames = frames;
    cell.replaceChildren(svg);
  });
}

/** @param {LiveFigure} live @param {CurveAtStop[]} curves */
export function fillTable(live, curves) {
  const { cells } = live.table;
  drawPictures(live);
  for (const { id, row } of curves) {
    cells.get(id)?.forEach((cell, i) => setText(cell, Number.isFinite(row?.[i]) ? /** @type {number[]} */ (row)[i].toFixed(3) : "–"));
  }
}

/** The verdict, beside the rows.
 * @param {LiveFigure} live @param {CurveAtStop[]} curves */
function showVerdict({ payload: { rows, table, panes, stale, coarse, bound = null }, parts: { verdict }, rows: { hidden } }, curves) {
  if (!rows || !table) return;
  const drawn = curves.filter(({ id }) => !hidden.has(id));
  const text = verdictAt(drawn, table, { approximate: panes.some(({ note }) => note), stale, coarse });
  const side = curves.some(({ id }) => id === "truth") ? "" : missingSide(drawn.map(({ vertices }) => vertices));
  setText(verdict, text + side + beyond(drawn, table, bound));
}

/** @param {LiveFigure} live @param {View} view */
export function showWords(live, { curves }) {
  showVerdict(live, curves);
  const { controls: { list, lam, lamSlider }, parts: { status, spoken }, timers } = live;
  if (!list.length || !curves.length) return;
  const values = curves.map((curve) => {
    const at = pointAt(curve.vertices, lam);
    return `${curve.name} ${at.alpha.toFixed(2)} / ${at.beta.toFixed(2)}`;
  });
  setText(status, lamSlider ? `At λ = ${shortNumber(lam)}, precision / recall: ${values.join(" · ")}` : "");
  timers.start("spoken", SPOKEN_MS, () => {
    const at = ownStop(live);
    setText(spoken, (at ? `k = ${at.k}. ` : "") + status.textContent);
  });
}
