// The words and numbers of a figure: a legend for panes without one, a table with one row per curve and one column
// per number, and the verdict in a sentence.

import { pointAt, refutedLams, shortNumber } from "./curve.js";
import { element, setText, shape, tableOf } from "./dom.js";
import { pinnedText } from "./pins.js";
import { store } from "./store.js";
import { BELIEVED, refusal, verdictAt } from "./verdict.js";
import { ownStop } from "./view.js";
import { agreement, missingSide } from "./without_truth.js";
import { boundOf, limitUnder } from "./rows.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/**
 * The table as Python describes it (Table in prviz/live/figure.py). rows: numbers by curve id; turned: one row per number.
 * @typedef {{ caption: string, columns: { key: string, label: string, explanation: string }[], rows: Record<string, number[]>, turned: boolean }} Table
 *
 * The table on screen. shape: text that identifies its curves and columns; cells: by curve id; pictures: cells with
 * the small plots over k.
 * @typedef {{ shape: string, cells: Map<string, HTMLElement[]>, pictures: HTMLElement[] }} Cells
 */

// a screen reader announces the numbers after this many milliseconds without a change, not at every step of a drag
const SPOKEN_MS = 700;

/** @returns {Cells} */
export const noCells = () => ({ shape: "null", cells: new Map(), pictures: [] });

/** @param {{ name: string, color: string }} curve */
const swatch = ({ color }) => ({ class: "swatch", style: `--swatch: ${color}` });

/** @param {LiveFigure} live */
export function makeLegend({ payload: { legend, curves }, parts: { key } }) {
  key.hidden = !legend;
  key.replaceChildren(...curves.map((curve) => element("span", curve.name, swatch(curve))));
}

/** Create the table: with one row per curve or, if it is turned, with one row per number and a small plot of that
 * number over k.
 * @param {LiveFigure} live */
export function makeTable(live) {
  const {
      payload: { rows: asRows, curves },
      parts: { readout },
    } = live,
    given = asRows ? null : live.payload.table;
  const named = JSON.stringify(
    given && [given.caption, given.columns, curves.map(({ id, name, color }) => [id, name, color])],
  );
  if (named === live.table.shape) return;
  const made = (live.table = { shape: named, cells: new Map(), pictures: /** @type {HTMLElement[]} */ ([]) });
  readout.hidden = !given;
  if (!given) return;
  const { caption, columns, turned } = given,
    cells = curves.map(() => columns.map(() => element("td")));
  curves.forEach(({ id }, i) => made.cells.set(id, cells[i]));
  const names = curves.map((curve) =>
    element("th", curve.name, { scope: turned ? "col" : "row" }, swatch(curve)),
  );
  const titles = columns.map(({ label, explanation }) =>
    element("th", label, { scope: turned ? "row" : "col", title: explanation }),
  );
  let head = titles,
    lines = names.map((name, i) => element("tr", name, ...cells[i]));
  if (turned) {
    head = [...names, element("th.over", "over k", { scope: "col" })];
    made.pictures = columns.map(() => element("td.over"));
    lines = titles.map((title, i) => element("tr", title, ...cells.map((own) => own[i]), made.pictures[i]));
  }
  readout.classList.toggle("turned", turned);
  readout.replaceChildren(tableOf(caption, [element("td"), ...head], element("tbody", ...lines)));
}

const PICTURE = [54, 18]; // width and height of a small plot, in pixels

/** Draw the small plots: each number of the table, cut to [0, 1], at every k of the frames. The k are equally spaced,
 * as on the slider.
 * @param {LiveFigure} live */
function drawPictures({ payload: { frames, curves }, table: { pictures } }) {
  const known = store.frames.get(frames)?.k,
    [width, height] = PICTURE;
  if (!known || !pictures.length || pictures[0].dataset.frames === frames) return;
  pictures.forEach((cell, i) => {
    const svg = shape("svg", { width, height, "aria-hidden": "true" });
    for (const { id, color } of curves) {
      const points = known.rows[id]?.map(
        (/** @type {number[]} */ row, /** @type {number} */ at, /** @type {number[][]} */ { length }) =>
          `${(width * at) / Math.max(length - 1, 1)},${1 + (height - 2) * (1 - Math.min(row[i], 1))}`,
      );
      if (points)
        svg.append(
          shape("polyline", { points: points.join(" "), fill: "none", stroke: color, "stroke-width": 1.5 }),
        );
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
    cells
      .get(id)
      ?.forEach((cell, i) =>
        setText(cell, Number.isFinite(row?.[i]) ? /** @type {number[]} */ (row)[i].toFixed(3) : "–"),
      );
  }
}

/** One sentence on the curve whose row is under the pointer: its overlap now, and its overlap with infinitely many
 * samples; "" if the latter is not known.
 * @param {LiveFigure} live @param {View} view */
function limitText(live, view) {
  const found = limitUnder(live, view),
    truth = view.curves.find(({ id }) => id === "truth"),
    { table } = live.payload;
  if (!found || !truth || table?.columns[0].key !== "iou" || !found.curve.row) return "";
  const {
    curve: { name, row },
    vertices,
  } = found;
  return `${name}, k = ${view.at?.k}: overlap ${row[0].toFixed(2)}; with ever more samples ${agreement([vertices, truth.vertices])?.toFixed(2)}.`;
}

/** Show the verdict beside the rows. It is about every measured family, except those that the user has switched off.
 * If a state is pinned, a sentence on how the curves differ from that state replaces the verdict.
 * @param {LiveFigure} live @param {View} view */
function showVerdict(live, view) {
  const {
      payload,
      parts: { verdict },
      rows: { hidden, off },
    } = live,
    { curves } = view;
  const { rows, table, panes, stale, coarse } = payload,
    bound = boundOf(live),
    { noise = payload.noise, few = payload.few ?? null } = view,
    pending = payload.pending && !live.film.open;
  if (!rows || !table) return;
  if (payload.task && live.task.secret) return setText(verdict, payload.task.text);
  const differs = pinnedText(live, view);
  if (differs) return setText(verdict, differs);
  const counted = curves.filter(({ id }) => !off.has(id)),
    families = counted.filter(({ id }) => id !== "truth"),
    known = families.length < counted.length;
  const state = {
    approximate: panes.some(({ note }) => note),
    stale,
    coarse,
    noise,
    few,
    pending,
    folded: families.filter(({ id }) => hidden.has(id)).length,
  };
  if (known) return setText(verdict, limitText(live, view) || verdictAt(counted, table, state));
  const believed = families.find(({ id }) => id === BELIEVED),
    lines = families.map(({ vertices }) => vertices);
  const text = verdictAt(counted, table, { ...state, agreement: believed ? null : agreement(lines) });
  const side = few || pending ? "" : missingSide(believed ? [believed.vertices] : lines);
  // leave out the curve to believe: its area is already cut to the bound, which is its own
  const others = families.filter(({ id }) => id !== BELIEVED);
  setText(
    verdict,
    text +
      side +
      refusal(
        bound ? others.filter(({ vertices }) => refutedLams(vertices, bound)).map(({ name }) => name) : [],
        panes.some(({ follow }) => follow === "error"),
      ),
  );
}

/** @param {LiveFigure} live @param {View} view */
export function showWords(live, view) {
  const { curves } = view;
  showVerdict(live, view);
  const {
    controls: { list, lam, lamSlider },
    parts: { status, spoken },
    timers,
  } = live;
  if (!list.length || !curves.length) return;
  const values = curves
    .filter(({ id }) => !(live.task.secret && id === "truth"))
    .map((curve) => {
      const at = pointAt(curve.vertices, lam);
      return `${curve.name} ${at.alpha.toFixed(2)} / ${at.beta.toFixed(2)}`;
    });
  setText(status, lamSlider ? `At λ = ${shortNumber(lam)}, precision / recall: ${values.join(" · ")}` : "");
  timers.start("spoken", SPOKEN_MS, () => {
    const at = ownStop(live);
    setText(spoken, (at ? `k = ${at.k}. ` : "") + status.textContent);
  });
}
