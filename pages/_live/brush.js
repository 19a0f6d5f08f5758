// A brush on the scatter plot of the toy "painting". A stroke changes the same controls as the bars and cells
// beside the main figure (bars.js), so the truth and the curves follow.

import { withAmount } from "./bars.js";
import { button, element, setText, shape } from "./dom.js";
import { store } from "./store.js";

/** @import { makeBars } from "./bars.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

/**
 * The amount in each cell, for each of the two sets.
 * @typedef {[real: number[], generated: number[]]} Amounts
 *
 * What can be painted (pages/_explore/painting.py): a square grid of `columns` by `columns` cells, and pictures to start from.
 * @typedef {{ columns: number, pictures: { name: string, amounts: Amounts }[] }} Canvas
 *
 * @typedef {{ column: number, row: number }} Cell
 * @typedef {ReturnType<typeof makeBars>} Bars
 *
 * The brush. set: the set that it paints, or null while the pointer selects samples; cell: the cell that a key press
 * paints.
 * @typedef {object} Brush
 * @property {0 | 1 | null} set
 * @property {boolean} erases
 * @property {Amounts[]} before the amounts before each change, for Undo; the newest last
 * @property {Cell} cell
 * @property {{ pointer: number, erases: boolean, last: Cell, crossed: Set<number> } | null} stroke
 * @property {HTMLButtonElement[]} sets
 * @property {HTMLButtonElement} erase
 * @property {HTMLButtonElement} undo
 * @property {HTMLSelectElement} start
 * @property {SVGElement} sheet transparent rectangle over the grid that receives pointer and keyboard events
 */

const IDS = ["p.real_weights", "p.generated_weights"],
  NAMES = ["Real", "Generated"];
const STEP = 0.5; // a stroke adds this amount to each cell that it crosses
const MOST_UNDONE = 50;
/** @type {Record<string, [columns: number, rows: number]>} */
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @type {WeakMap<Pane, Brush>} */
const BRUSHES = new WeakMap();

/** The main figure's two controls for painting; null if the main figure has other controls.
 * @returns {[Bars, Bars] | null} */
function controls() {
  const found = IDS.map((id) => store.figure?.controls.find(id));
  return found.every((each) => each && "names" in each.spec) ? /** @type {[Bars, Bars]} */ (found) : null;
}

/** @returns {Amounts | null} */
const amounts = () => /** @type {Amounts | null} */ (controls()?.map(({ value }) => value) ?? null);

/** @param {LiveFigure} live @param {Pane} pane @param {Amounts} next */
function put(live, pane, next) {
  const both = controls();
  if (!both) return;
  const moved = both.filter(({ value }, i) => next[i].some((each, cell) => each !== value[cell]));
  both.forEach((control, i) => {
    control.value = next[i];
  });
  for (const control of moved) store.figure?.controls.events.changed(control);
  drawBrush(live, pane);
}

/** Store the current amounts, so that Undo can restore them.
 * @param {Brush} brush */
function remember(brush) {
  const now = amounts();
  if (now) brush.before = [...brush.before, now].slice(-MOST_UNDONE);
}

/** @param {Canvas} canvas @param {Cell} cell */
const numberOf = ({ columns }, { column, row }) => row * columns + column;

/** @param {LiveFigure} live @param {Pane} pane @param {Brush} brush @param {Cell[]} cells @param {boolean} erases */
function paint(live, pane, brush, cells, erases) {
  const { set } = brush,
    now = amounts(),
    canvas = pane.spec.canvas;
  if (set === null || !now || !canvas) return;
  const next = /** @type {Amounts} */ ([...now]);
  for (const cell of cells) {
    const index = numberOf(canvas, cell),
      amount = erases ? 0 : Math.min(1, next[set][index] + STEP);
    next[set] = withAmount(next[set], index, amount, false);
  }
  put(live, pane, next);
}

/** @param {LiveFigure} live @param {Pane} pane @param {Canvas} canvas @returns {Brush} */
function made(live, pane, canvas) {
  const change = (/** @type {Amounts} */ next) => {
    remember(brush);
    put(live, pane, next);
  };
  const sets = (controls() ?? []).map(({ spec: { color } }, i) => {
    const name = NAMES[i];
    return button(
      () => {
        brush.set = brush.set === i ? null : /** @type {0 | 1} */ (i);
        drawBrush(live, pane);
      },
      name,
      {
        title: `Paint ${name.toLowerCase()} data; press again to select samples instead`,
        style: `--swatch: ${color}`,
        "data-set": i,
      },
    );
  });
  const erase = button(
    () => {
      brush.erases = !brush.erases;
      drawBrush(live, pane);
    },
    "Erase",
    { title: "So does a stroke with Shift or the right button" },
  );
  const undo = button(
    () => {
      const before = brush.before.pop();
      if (before) put(live, pane, before);
    },
    "Undo",
    { title: "Takes the last stroke back" },
  );
  const { columns, pictures } = canvas,
    middle = (columns * columns + columns) >> 1;
  const alone = Array.from({ length: columns * columns }, (_, i) => +(i === middle));
  const clear = button(() => change([alone, alone]), "Clear", {
    title: "Nothing but one cell in the middle: a distribution must be somewhere",
  });
  const start = element(
    "select",
    { "aria-label": "Start from" },
    ...["Start from …", ...pictures.map(({ name }) => name)].map((name) => element("option", name)),
  );
  start.onchange = () => {
    change(pictures[start.selectedIndex - 1].amounts);
    start.selectedIndex = 0;
  };
  const sheet = shape("rect.sheet", { tabindex: 0, role: "application", fill: "transparent" });
  /** @type {Brush} */
  const brush = {
    set: 1,
    erases: false,
    before: [],
    cell: { column: columns >> 1, row: columns >> 1 },
    stroke: null,
    sets,
    erase,
    undo,
    start,
    sheet,
  };
  pane.plot.before(
    element("div.brush-tools", { role: "group", "aria-label": "Brush" }, ...sets, erase, undo, clear, start),
  );
  wire(live, pane, brush);
  return brush;
}

/** @param {LiveFigure} live @param {Pane} pane @param {Brush} brush */
function wire(live, pane, brush) {
  const { sheet } = brush,
    columns = /** @type {Canvas} */ (pane.spec.canvas).columns;
  const under = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const { left, top } = sheet.getBoundingClientRect(),
      { xaxis, yaxis } = pane.axes();
    const part = (/** @type {number} */ share) =>
      Math.min(columns - 1, Math.max(0, Math.floor(columns * share)));
    return { column: part(xaxis.value(clientX - left)), row: part(1 - yaxis.value(clientY - top)) };
  };
  const cross = (/** @type {PointerEvent} */ event) => {
    const { stroke } = brush,
      to = under(event);
    if (!stroke) return;
    const { last, crossed } = stroke,
      steps = Math.max(Math.abs(to.column - last.column), Math.abs(to.row - last.row));
    const way = (/** @type {keyof Cell} */ part, /** @type {number} */ step) =>
      Math.round(last[part] + ((to[part] - last[part]) * step) / (steps || 1));
    // A fast pointer sends no event in some cells of its path: paint these cells too.
    const cells = Array.from({ length: steps + 1 }, (_, step) => ({
      column: way("column", step),
      row: way("row", step),
    })).filter((cell) => !crossed.has(numberOf(/** @type {Canvas} */ (pane.spec.canvas), cell)));
    for (const cell of cells) crossed.add(numberOf(/** @type {Canvas} */ (pane.spec.canvas), cell));
    stroke.last = brush.cell = to;
    if (cells.length) paint(live, pane, brush, cells, stroke.erases);
  };
  sheet.onpointerdown = (event) => {
    if (brush.stroke || event.button === 1) return;
    event.preventDefault();
    sheet.setPointerCapture(event.pointerId);
    remember(brush);
    const erases = brush.erases || event.shiftKey || event.button === 2;
    brush.stroke = { pointer: event.pointerId, erases, last: under(event), crossed: new Set() };
    cross(event);
  };
  sheet.onpointermove = (event) => {
    if (event.pointerId === brush.stroke?.pointer) cross(event);
  };
  sheet.onpointerup = sheet.onpointercancel = (event) => {
    if (event.pointerId !== brush.stroke?.pointer) return;
    brush.stroke = null;
    store.figure?.controls.events.released();
  };
  sheet.oncontextmenu = (event) => event.preventDefault();
  sheet.onfocus = sheet.onblur = () => drawBrush(live, pane);
  sheet.onkeydown = (event) => {
    const { key, ctrlKey, metaKey, altKey } = event,
      { cell } = brush;
    if (key === "z" && (ctrlKey || metaKey)) brush.undo.click();
    else if (ctrlKey || metaKey || altKey) return;
    else if (key in MOVES) {
      const within = (/** @type {number} */ place) => Math.min(columns - 1, Math.max(0, place));
      brush.cell = { column: within(cell.column + MOVES[key][0]), row: within(cell.row + MOVES[key][1]) };
      drawBrush(live, pane);
    } else if ([" ", "Enter", "Delete", "Backspace"].includes(key)) {
      remember(brush);
      paint(live, pane, brush, [cell], brush.erases || key === "Delete" || key === "Backspace");
    } else return;
    event.preventDefault();
    say(live, pane, brush);
  };
}

/** Tell a screen reader the position and the amounts of the cell that a key press would paint.
 * @param {LiveFigure} live @param {Pane} pane @param {Brush} brush */
function say(live, pane, { cell }) {
  const now = amounts();
  if (!now || !pane.spec.canvas) return;
  const index = numberOf(pane.spec.canvas, cell),
    parts = now.map((each, i) => `${NAMES[i].toLowerCase()} ${Math.round(100 * each[index])} %`);
  setText(live.parts.spoken, `row ${cell.row + 1}, column ${cell.column + 1}: ${parts.join(", ")}`);
}

/** Draw the painted cells below the samples, and the brush above them.
 * @param {LiveFigure} live @param {Pane} pane */
export function drawBrush(live, pane) {
  const { canvas } = pane.spec,
    both = controls();
  if (!pane.wired || !canvas || !both || both[0].value.length !== canvas.columns ** 2) return;
  const known = BRUSHES.get(pane);
  const brush = known ?? made(live, pane, canvas);
  BRUSHES.set(pane, brush);
  const axes = pane.axes(),
    { xaxis, yaxis } = axes,
    { columns } = canvas;
  const place = (/** @type {Cell} */ { column, row }) => ({
    x: xaxis.at(column / columns),
    y: yaxis.at(1 - row / columns),
    width: xaxis.at(1 / columns) - xaxis.at(0),
    height: yaxis.at(0) - yaxis.at(1 / columns),
  });
  const cells = both.flatMap(({ value, spec: { color } }, set) =>
    value.flatMap((amount, i) =>
      amount
        ? [
            shape("rect", {
              ...place({ column: i % columns, row: Math.floor(i / columns) }),
              fill: color,
              opacity: 0.4 * amount,
              "data-set": set,
              "data-cell": i,
            }),
          ]
        : [],
    ),
  );
  pane.overlay("cells", axes, true).replaceChildren(...cells);
  const svg = pane.overlay("brush", axes),
    { sheet, set, erases, before } = brush;
  for (const [name, value] of Object.entries({ width: xaxis.length, height: yaxis.length }))
    sheet.setAttribute(name, String(value));
  sheet.setAttribute(
    "aria-label",
    `Paint ${set === null ? "nothing" : NAMES[set].toLowerCase()}: arrows choose a cell, Space paints it, Delete erases it`,
  );
  if (!sheet.isConnected) svg.append(sheet);
  svg.querySelector(".at")?.remove();
  if (sheet.matches(":focus-visible")) svg.append(shape("rect.at", place(brush.cell)));
  svg.classList.toggle("off", set === null);
  brush.sets.forEach((each, i) => each.setAttribute("aria-pressed", String(set === i)));
  brush.erase.setAttribute("aria-pressed", String(erases));
  brush.undo.disabled = !before.length;
}
