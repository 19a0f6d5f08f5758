// What a figure says in words and numbers: a legend for panes that have none of their own, a table of one row per curve
// and one column per number, and a sentence.

import { pointAt, shortNumber } from "./curve.js";
import { element, setText } from "./dom.js";
import { verdictAt } from "./verdict.js";
import { ownStop } from "./view.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/**
 * The table as Python describes it (Table in pages/_live/figure.py); rows: numbers by curve id.
 * @typedef {{ caption: string, columns: { key: string, label: string, explanation: string }[], rows: Record<string, number[]> }} Table
 *
 * What the table on screen is made for, and its cells by curve id.
 * @typedef {{ shape: string, cells: Map<string, HTMLElement[]> }} Cells
 */

const SPOKEN_MS = 700; // without a change, after which a screen reader hears of it: not at every step of a drag

/** @returns {Cells} */
export const noCells = () => ({ shape: "null", cells: new Map() });

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
  const shape = JSON.stringify(table && [table.caption, table.columns, curves.map(({ id, name, color }) => [id, name, color])]);
  if (shape === live.table.shape) return;
  live.table = { shape, cells: new Map() };
  readout.hidden = !table;
  if (!table) return;
  const titles = table.columns.map(({ label, explanation }) => element("th", label, { scope: "col", title: explanation }));
  const rows = curves.map((curve) => {
    const cells = table.columns.map(() => element("td"));
    live.table.cells.set(curve.id, cells);
    return element("tr", "", {}, element("th", curve.name, { scope: "row", ...swatch(curve) }), ...cells);
  });
  const head = element("thead", "", {}, element("tr", "", {}, element("td"), ...titles));
  readout.replaceChildren(element("table", "", {}, element("caption", table.caption), head, element("tbody", "", {}, ...rows)));
}

/** @param {LiveFigure} live @param {CurveAtStop[]} curves */
export function fillTable({ table: { cells } }, curves) {
  for (const { id, row } of curves) {
    cells.get(id)?.forEach((cell, i) => setText(cell, Number.isFinite(row?.[i]) ? /** @type {number[]} */ (row)[i].toFixed(3) : "–"));
  }
}

/** The verdict, beside the rows.
 * @param {LiveFigure} live @param {CurveAtStop[]} curves */
function showVerdict({ payload: { rows, table, panes, stale }, parts: { verdict } }, curves) {
  if (rows && table) setText(verdict, verdictAt(curves, table, { approximate: panes.some(({ note }) => note), stale }));
}

/** @param {LiveFigure} live @param {View} view */
export function showWords(live, { curves, words = "" }) {
  showVerdict(live, curves);
  const { controls: { list, lam, lamSlider }, parts: { status, spoken }, timers } = live;
  if (!list.length || !(curves.length || words)) return;
  const values = curves.map((curve) => {
    const at = pointAt(curve.vertices, lam);
    return `${curve.name} ${at.alpha.toFixed(2)} / ${at.beta.toFixed(2)}`;
  });
  const points = curves.length && lamSlider ? `At λ = ${shortNumber(lam)}, precision / recall: ${values.join(" · ")}` : "";
  setText(status, [words, points].filter(Boolean).join(" "));
  timers.start("spoken", SPOKEN_MS, () => {
    const at = ownStop(live);
    setText(spoken, (at ? `k = ${at.k}. ` : "") + status.textContent);
  });
}
