// One row for each curve, which is the legend too: its line, its name, how far it is from the truth and its number. The
// pointer on a row raises its curve and shades its error; a click hides it.

import { dock, element, setText, shape } from "./dom.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

/**
 * One row on screen.
 * @typedef {{ box: HTMLElement, missed: HTMLElement, invented: HTMLElement, number: Element }} Row
 *
 * The rows, by curve id, what they are made for, the curves that the user has hidden, and the one under the pointer.
 * @typedef {{ shape: string, list: Map<string, Row>, hidden: Set<string>, under: string | null }} Rows
 */

/** @returns {Rows} */
export const noRows = () => ({ shape: "null", list: new Map(), hidden: new Set(), under: null });

/** @param {LiveFigure} live */
export function makeRows(live) {
  const { payload: { rows, curves, table }, parts, rows: made } = live;
  parts.rows.hidden = !rows;
  if (!rows || !table) return;
  dock(parts.rows, "rows", live.root);
  const compared = table.columns[0].key === "iou", named = JSON.stringify([compared, curves.map(({ id, name, color }) => [id, name, color])]);
  if (named === made.shape) return;
  made.shape = named;
  made.list.clear();
  const ends = compared ? [element("span", "← misses · invents →"), element("span", "IoU with the truth")] : [element("span", "no truth is known"), element("span", "area")];
  const boxes = curves.filter(({ id }) => id !== "truth").map((curve) => makeRow(live, curve.id, curve.name, curve.color, compared));
  parts.rows.replaceChildren(element("p", "", { class: "ends" }, ...ends), ...boxes);
}

/** @param {LiveFigure} live @param {string} id @param {string} name @param {string} color @param {boolean} compared */
function makeRow(live, id, name, color, compared) {
  const line = shape("svg", { width: 22, height: 10, "aria-hidden": "true" });
  const dash = live.panes[0]?.spec.figure.data.find((trace) => trace.legendgroup === id && !trace.fill)?.line?.dash;
  line.append(shape("path", { d: "M0,5H22", stroke: color, "stroke-width": 3, "stroke-dasharray": DASHES[dash] ?? "" }));
  const missed = element("i", "", { class: "missed" }), invented = element("i", "", { class: "invented" }), number = element("b");
  const bar = element("span", "", { class: compared ? "bar signed" : "bar" }, missed, invented);
  const box = element("button", "", { type: "button", class: "row", "data-prviz": "iou-row", "data-curve": id, "aria-pressed": String(!live.rows.hidden.has(id)), style: `--swatch: ${color}` }, line, element("span", name, { class: "name" }), bar, number);
  box.onclick = () => toggle(live, id);
  for (const kind of ["pointerenter", "focus"]) box.addEventListener(kind, () => raise(live, id));
  for (const kind of ["pointerleave", "blur"]) box.addEventListener(kind, () => raise(live, null));
  live.rows.list.set(id, { box, missed, invented, number });
  return box;
}

/** Plotly's names of dashes as strokes. @type {Record<string, string>} */
const DASHES = { dash: "6 3", dot: "2 2", dashdot: "6 2 2 2", longdash: "9 3", longdashdot: "9 2 2 2" };

/** @param {LiveFigure} live @param {CurveAtStop[]} curves */
export function fillRows({ rows: { list } }, curves) {
  for (const { id, name, row } of curves) {
    const cells = list.get(id);
    if (!cells || !row) continue;
    const [first, invented, missed] = row, signed = cells.box.querySelector(".signed") !== null;
    setText(cells.number, first.toFixed(2));
    const shown = signed ? [missed, invented] : [0, first];
    cells.missed.style.width = `${50 * Math.min(shown[0], 1)}%`;
    cells.invented.style.width = `${(signed ? 50 : 100) * Math.min(shown[1], 1)}%`;
    cells.box.title = signed ? `${name}: IoU ${first.toFixed(3)}, ${percent(invented)} of the joint area invented, ${percent(missed)} missed` : `${name}: area ${first.toFixed(3)}`;
  }
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(0)} %`;

/** @param {LiveFigure} live @param {string} id */
function toggle(live, id) {
  const { hidden, list } = live.rows;
  if (!hidden.delete(id)) hidden.add(id);
  list.get(id)?.box.setAttribute("aria-pressed", String(!hidden.has(id)));
  for (const pane of live.panes) pane.must = true;
  live.redraw();
}

/** The curve under the pointer stands out: the others fade, and what lies between it and the truth is shaded.
 * @param {LiveFigure} live @param {string | null} id */
function raise(live, id) {
  live.rows.under = id;
  for (const pane of live.panes) showRaised(live, pane);
}

/** @param {LiveFigure} live @param {Pane} pane */
export function showRaised(live, pane) {
  const { under } = live.rows;
  for (const { group, trace } of Object.values(pane.nodes.traces)) {
    const fades = under !== null && trace.legendgroup !== under && trace.legendgroup !== "truth";
    group.classList.toggle("faded", fades);
  }
  pane.plot.querySelector(".live-error")?.remove();
  const nodes = Object.values(pane.nodes.traces), lineOf = (/** @type {string | null} */ id) => nodes.find(({ trace, line }) => trace.legendgroup === id && trace.fill === "none" && line);
  const raised = lineOf(under), truth = lineOf("truth");
  if (pane.spec.follow !== "pr" || !raised?.line || !truth?.line) return;
  const { xaxis, yaxis } = pane.axes(raised.trace), corner = `L${xaxis.c2p(0)},${yaxis.c2p(0)}Z`;
  const area = (/** @type {Element} */ line) => `${line.getAttribute("d")}${corner}`;
  // Both areas in one path: what lies in one of them alone is the error.
  raised.group.prepend(shape("path", { class: "live-error", "fill-rule": "evenodd", fill: raised.trace.line.color, d: area(raised.line) + area(truth.line) }));
}
