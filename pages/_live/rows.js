// One row per curve, which also serves as the legend: colour, name, a bar of its error, and its number. Pointing at a
// row highlights its curve and shades its error; a click hides or shows the curve.

import { refutedLams, shortNumber } from "./curve.js";
import { button, dock, element, setText } from "./dom.js";
import { ask, tellPage } from "./line.js";
import { BELIEVED } from "./verdict.js";

/** @import { Curve, CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */
/** @import { View } from "./view.js" */

/**
 * The elements of one row.
 * @typedef {{ box: HTMLElement, missed: HTMLElement, invented: HTMLElement, number: Element, same: Element, refuted: Element }} Row
 *
 * The rows. shape: text that identifies the curves that they were made for; list: the rows by curve id; drawn: ids
 * of the drawn curves, in the order in which they were switched on; hidden: ids of all other curves; off: those of
 * the hidden that the user has switched off; touched: true if the user has switched any curve; under: id of the
 * curve whose row is under the pointer.
 * @typedef {{ shape: string, list: Map<string, Row>, drawn: string[], hidden: Set<string>, off: Set<string>, touched: boolean, under: string | null }} Rows
 */

const MOST = 6; // at most this many curves are drawn at a time: more can't be told apart
const ONE_COLUMN = 7; // if there are more rows than this, they are in two columns
const CLICK = "A click hides the curve, or shows it.";
const EQUAL = 1e-9; // error rates are sent with nine digits: those that differ by less than this are equal

/** @returns {Rows} */
export const noRows = () => ({
  shape: "null",
  list: new Map(),
  drawn: [],
  hidden: new Set(),
  off: new Set(),
  touched: false,
  under: null,
});

/** By curve id, the id of an earlier equal curve in the list; curves without one are left out.
 * @param {CurveAtStop[]} curves @returns {Map<string, string>} */
export function equalTo(curves) {
  /** @type {Map<string, string>} */
  const found = new Map();
  curves.forEach(({ id, vertices }, i) => {
    const twin =
      id !== "truth" &&
      curves
        .slice(0, i)
        .find(
          (other) =>
            other.id !== "truth" &&
            other.vertices.length === vertices.length &&
            vertices.every(
              ([f, n], j) =>
                Math.abs(f - other.vertices[j][0]) <= EQUAL && Math.abs(n - other.vertices[j][1]) <= EQUAL,
            ),
        );
    if (twin) found.set(id, found.get(twin.id) ?? twin.id);
  });
  return found;
}

/** @param {LiveFigure} live */
export function makeRows(live) {
  const {
    payload,
    payload: { rows, curves, table },
    parts,
    rows: made,
  } = live;
  parts.rows.hidden = !rows;
  if (!rows || !table) return;
  dock(parts.rows, "rows", live.root);
  // try again later: the page's element for the rows may appear after the figure
  live.timers.start("dock", 500, () => dock(parts.rows, "rows", live.root));
  const compared = table.columns[0].key === "iou",
    awaited = !compared && payload.pending && !curves.some(({ id }) => id === BELIEVED),
    named = JSON.stringify([compared, awaited, curves.map(({ id, name, color }) => [id, name, color])]);
  if (named === made.shape) return;
  const ids = curves.map(({ id }) => id).filter((id) => id !== "truth"),
    first = made.shape === "null",
    off = first ? (payload.hidden ?? []) : [],
    put = first ? [...off, ...(payload.folded ?? [])] : [],
    added = ids.filter((id) => !made.list.has(id)),
    before = made.list.size;
  made.shape = named;
  made.list.clear();
  made.drawn = made.drawn.filter((id) => ids.includes(id));
  // Until the user has switched a curve, draw the first MOST curves, or those that the link names. A single new curve
  // is one that the user has just chosen: draw it too.
  const keep = (made.touched || added.length < 2) && !(ids.length <= MOST && before > MOST);
  for (const id of off) made.off.add(id);
  showCurves(
    live,
    keep ? [...made.drawn, ...added].slice(-MOST) : ids.filter((id) => !put.includes(id)).slice(0, MOST),
    ids,
  );
  made.touched ||= put.length > 0;
  const ends = compared
    ? [element("span", "← low · high →"), element("span", "overlap (IoU)")]
    : [
        element(
          "span",
          curves.some(({ id }) => id === "truth") ? "the true area is almost 0" : "no truth is known",
        ),
        element("span", "area"),
      ];
  const title = compared
    ? table.columns
        .slice(0, 3)
        .map(({ label, explanation }) => `${label}: ${explanation}`)
        .join("\n")
    : "";
  const boxes = curves.filter(({ id }) => id !== "truth").map((curve) => makeRow(live, curve, compared));
  // Reserve the first row for the curve to believe, which is still being measured.
  if (awaited) boxes.unshift(element("div.entry", element("span.row.awaited", element("i.ink"), "…")));
  parts.rows.classList.toggle("many", boxes.length > ONE_COLUMN);
  parts.rows.replaceChildren(element("p.ends", { title }, ...ends), ...boxes);
}

/** Draw the curves `drawn`, and hide all other curves of `ids`.
 * @param {LiveFigure} live @param {string[]} drawn @param {string[]} ids */
function showCurves(live, drawn, ids) {
  const hidden = new Set(ids.filter((id) => !drawn.includes(id)));
  if ([...hidden].join() !== [...live.rows.hidden].join()) for (const pane of live.panes) pane.must = true;
  Object.assign(live.rows, { drawn, hidden });
  for (const id of drawn) live.rows.off.delete(id);
  for (const [id, { box }] of live.rows.list) box.setAttribute("aria-pressed", String(!hidden.has(id)));
}

/** @param {LiveFigure} live @param {Curve} curve @param {boolean} compared */
function makeRow(live, curve, compared) {
  const { id, name, color } = curve,
    line = element("i.ink");
  const missed = element("i.missed"),
    invented = element("i.invented"),
    number = element("b"),
    same = element("small"),
    refuted = element("small");
  const bar = element("span", { class: compared ? "bar signed" : "bar" }, missed, invented);
  // On touch screens, a first tap highlights the row's curve, as pointing at it does; a second tap hides the curve.
  const tapped = (/** @type {MouseEvent} */ event) =>
    /** @type {PointerEvent} */ (event).pointerType === "touch" && live.rows.under !== id;
  const box = button(
    (event) => (tapped(event) ? raise(live, id) : toggle(live, id)),
    {
      class: "row",
      "data-prviz": "iou-row",
      "data-curve": id,
      "aria-pressed": String(!live.rows.hidden.has(id)),
      style: `--swatch: ${color}`,
    },
    line,
    element("span.name", name, refuted),
    bar,
    same,
    number,
  );
  const about = button(() => tellPage(live, "about", id), "i", {
    class: "about",
    "aria-label": `About ${name}`,
    title: `About ${name}`,
  });
  // not pointerenter: it would fire for a resting pointer under which the row appears
  box.addEventListener("pointermove", ({ pointerType }) => {
    if (pointerType !== "touch" && live.rows.under !== id) raise(live, id);
  });
  box.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") raise(live, null);
  });
  box.addEventListener("focus", () => {
    if (box.matches(":focus-visible")) raise(live, id);
  });
  box.addEventListener("blur", () => raise(live, null));
  live.rows.list.set(id, { box, missed, invented, number, same, refuted });
  return element("div.entry", box, about);
}

/** @param {LiveFigure} live @param {CurveAtStop[]} curves */
export function fillRows(live, curves) {
  const {
    rows: { list },
    task,
  } = live;
  for (const [id, { number, missed, invented }] of list) {
    if (curves.some((curve) => curve.id === id)) continue;
    setText(number, "–"); // the film's frame on screen has no curve of this family
    missed.style.width = invented.style.width = "0";
  }
  const bound = boundOf(live),
    twins = equalTo(curves),
    nameOf = new Map(curves.map(({ id, name }) => [id, name]));
  for (const { id, name, row, vertices } of curves) {
    const cells = list.get(id);
    if (!cells || !row) continue;
    const [first, invented, missed] = row,
      signed = cells.box.querySelector(".signed") !== null;
    setText(cells.number, first.toFixed(2));
    const twin = twins.get(id);
    const lams = bound ? refutedLams(vertices, bound) : null;
    cells.box.classList.toggle("twin", twin !== undefined);
    // the bound comes from the curve to believe: that curve is not called refuted, its area is cut to the bound
    // instead
    const believed = id === BELIEVED;
    cells.box.classList.toggle("refuted", lams !== null && !believed);
    setText(cells.same, twin ? `same as ${nameOf.get(twin)}` : "");
    setText(cells.refuted, lams && !believed ? " refuted" : "");
    const shown = signed ? [missed, invented] : [0, first];
    cells.missed.style.width = `${50 * Math.min(shown[0], 1)}%`;
    cells.invented.style.width = `${(signed ? 50 : 100) * Math.min(shown[1], 1)}%`;
    const said = signed
      ? `IoU ${first.toFixed(3)}; ${percent(invented)} of the joint area only below this curve, ${percent(missed)} only below the true one`
      : `area ${first.toFixed(3)}`;
    const range = lams ? `for λ from ${shortNumber(lams[0])} to ${shortNumber(lams[1])}` : "";
    const beyond = believed
      ? ` Beyond its own bound on the truth (95 %) ${range}: its area is cut to it.`
      : ` Refuted ${range}: there it leaves the bound on the truth (95 %).`;
    cells.box.title = task.secret ? CLICK : `${name}: ${said}.${lams ? beyond : ""} ${CLICK}`;
  }
}

/** Further lines in the figure: limits for infinitely many samples, and the bound on the truth. None in a film over
 * other samples, for which they do not hold.
 * @param {LiveFigure} live */
export const linesOf = ({ payload: { lines }, film }) => (film.others ? [] : (lines ?? []));

/** The vertices of the upper bound on the true curve; null if the figure draws none.
 * @param {LiveFigure} live */
export const boundOf = (live) => linesOf(live).find(({ id }) => id === "bound")?.vertices ?? null;

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(0)} %`;

/** @param {LiveFigure} live @param {string} id */
function toggle(live, id) {
  const { drawn, list, off } = live.rows,
    others = drawn.filter((other) => other !== id);
  live.rows.touched = true;
  if (others.length < drawn.length) off.add(id);
  const drawnNow = others.length < drawn.length ? others : [...others.slice(-MOST + 1), id];
  // At most MOST curves can be told apart: if there are more, hide the one that was switched on first.
  showCurves(live, drawnNow, [...list.keys()]);
  live.redraw();
  // For panels, files and the link, Python distinguishes curves that the user has switched off from those hidden
  // because there are too many.
  live.line.hidden = { hidden: [...off], folded: [...live.rows.hidden].filter((other) => !off.has(other)) };
  ask(live);
}

/** Highlight a curve: the others fade, and the area between it and the truth is shaded.
 * @param {LiveFigure} live @param {string | null} id */
function raise(live, id) {
  live.rows.under = id;
  live.follow();
}

/** True if a curve fades because the row of another drawn curve is under the pointer; the truth never fades.
 * @param {LiveFigure} live @param {string} id */
export const isBehind = ({ rows: { under, hidden } }, id) =>
  under !== null && !hidden.has(under) && id !== under && id !== "truth";

/** The limit for infinitely many samples of the curve whose row is under the pointer; null if that limit is not known
 * at this stop.
 * @param {LiveFigure} live @param {View} view */
export function limitUnder({ payload: { lines }, rows: { under }, film }, { curves, local }) {
  const curve = local || film.open ? undefined : curves.find(({ id }) => id === under),
    limit = lines?.find(({ id }) => id === `${curve?.name} at n = ∞`);
  return curve && limit ? { curve, vertices: limit.vertices } : null;
}

/** Ids of curves that are not drawn: those that the user has hidden; in the main figure those equal to an earlier
 * one; and the truth while the user is to predict it.
 * @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop[]} curves */
export function unseen({ rows: { hidden }, task }, { spec }, curves) {
  const twins = spec.fit ? equalTo(curves.filter(({ id }) => !hidden.has(id))).keys() : [];
  return new Set([...hidden, ...twins, ...(task.secret ? ["truth"] : [])]);
}
