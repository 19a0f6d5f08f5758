// A control of several amounts at once: bars that the user drags up and down, or a grid of cells to paint.

import { button, element, setText } from "./dom.js";

/** @import { ControlEvents } from "./controls.js" */

/**
 * One control (bars or a grid) as Python describes it (class Bars in prviz/live/figure.py).
 * @typedef {object} BarsSpec
 * @property {string} id
 * @property {string} label
 * @property {string[]} names
 * @property {number[]} value amounts in [0, 1]
 * @property {boolean} total the amounts always sum to one, so that pulling one bar changes the others
 * @property {number} columns number of columns of the grid; 0 for bars
 * @property {string} color
 * @property {string} help
 * @property {"estimator" | "data"} group
 * @property {number[]} like amounts that the button "Same as real" copies; [] for no button
 *
 * The cell under the pointer; amount: for a bar, the amount at the pointer's height.
 * @typedef {{ column: number, row: number, index: number, amount: number }} Cell
 */

/** What each key adds to an amount from 0 to 1.
 * @type {Record<string, number>} */
const STEPS = { ArrowUp: 0.05, PageUp: 0.2, "+": 0.05, ArrowDown: -0.05, PageDown: -0.2, "-": -0.05 };
const BRUSHES = [
  { name: "Erase", amount: 0 },
  { name: "Light", amount: 0.3 },
  { name: "Full", amount: 1 },
];
// Help texts below the control. The first text holds for any pointer, the second for a mouse or a keyboard.
const HOW = {
  total: ["Drag a bar up or down, the others share the rest.", "Keys: ← → choose a bar, ↑ ↓ change it."],
  bars: [
    "Drag across the bars to paint; along the bottom a stroke erases.",
    "So does one with Shift or the right button. Keys: ← → choose a bar, ↑ ↓ change it, Delete empties it.",
  ],
  grid: [
    "Choose a brush and drag across the cells.",
    "With Shift or the right button a stroke erases. Keys: arrows choose a cell, Space paints it, + and − change it, Delete empties it.",
  ],
};
const FULL_HEIGHT = 0.94; // height of a bar of amount 1, as a share of its box (live.css has the same 94 %)

/** Replace one amount. If all amounts must sum to one (total), the others change and keep their proportions.
 * @param {number[]} amounts @param {number} index @param {number} amount @param {boolean} total */
export function withAmount(amounts, index, amount, total) {
  const value = Math.min(1, Math.max(0, amount)),
    rest = amounts.reduce((sum, each, i) => sum + (i === index ? 0 : each), 0);
  const other = (/** @type {number} */ each) =>
    !total ? each : rest > 0 ? (each * (1 - value)) / rest : (1 - value) / (amounts.length - 1);
  const found = amounts.map((each, i) => +(i === index ? value : other(each)).toFixed(4));
  // if all amounts became 0, there would be no distribution: keep the old amounts
  return found.some((each) => each > 0) ? found : amounts;
}

/** @param {BarsSpec} first @param {ControlEvents} events */
export function makeBars(first, events) {
  /** @type {HTMLElement[]} */
  let cells = [];
  /** @type {HTMLInputElement[]} fields for exact percentages; none unless the amounts sum to one */
  let fields = [];
  let shape = "",
    brush = 1,
    described = -1; // index of the cell whose amount is shown beside the label; -1 for none
  /** @type {number[]} the amounts on screen */
  let drawn = [];
  /** @type {{ pointer: number, erases: boolean, last: Cell | null } | null} */
  let stroke = null;
  const name = element("span.name"),
    amount = element("output", { "aria-hidden": "true" }),
    tools = element("div.marks.tools"),
    area = element("div.area", { role: "group" }),
    numbers = element("div.numbers"),
    how = element("p.how");
  const bars = {
    spec: first,
    value: first.value,
    /** @type {number[] | undefined} the value last exchanged with Python; undefined if it may not have arrived */
    sent: first.value,
    // true would keep Controls from redrawing the control, as while the user types; bars may be redrawn at any time
    edited: false,
    box: element("div.control.bars", name, amount, tools, area, numbers, how),
    get held() {
      return stroke !== null;
    },
    refresh,
    show,
  };
  const changed = () => events.changed(bars);

  area.onpointerdown = (event) => {
    if (stroke || event.button === 1) return; // ignore a second finger and the middle button
    stroke = { pointer: event.pointerId, erases: event.shiftKey || event.button === 2, last: null };
    area.setPointerCapture(event.pointerId);
    paint(event, stroke);
  };
  area.onpointermove = (event) => {
    if (!stroke) describe(under(event).index);
    else if (event.pointerId === stroke.pointer) paint(event, stroke);
  };
  area.onpointerup = area.onpointercancel = (event) => {
    if (event.pointerId !== stroke?.pointer) return;
    stroke = null;
    events.released();
  };
  area.onpointerleave = () => {
    if (!stroke) describe(focused());
  };
  area.oncontextmenu = (event) => event.preventDefault();
  area.onkeydown = keyed;
  area.addEventListener("focusin", (event) => {
    cells.forEach((cell) => {
      cell.tabIndex = cell === event.target ? 0 : -1;
    }); // the Tab key stops at the focused cell only
    describe(focused());
  });
  area.addEventListener("focusout", () => describe(-1));

  const focused = () => cells.findIndex((cell) => cell === document.activeElement);

  /** @param {BarsSpec} spec */
  function refresh(spec) {
    const { label, names, columns, total, like } = (bars.spec = spec);
    name.textContent = label;
    bars.box.title = spec.help || "";
    area.setAttribute("aria-label", label);
    area.classList.toggle("grid", columns > 0);
    area.style.setProperty("--columns", String(columns || names.length));
    area.style.setProperty("--bar", spec.color);
    const [short, more] = HOW[total ? "total" : columns ? "grid" : "bars"];
    how.replaceChildren(`${short} `, element("span", more));
    const before = shape;
    shape = JSON.stringify([names, columns, total, like]);
    if (shape === before) return;
    drawn = [];
    cells = names.map((mode, i) =>
      element("div", {
        role: "slider",
        tabindex: i ? -1 : 0,
        "aria-label": `${label}, ${mode}`,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "data-index": i,
        "aria-orientation": "vertical",
      }),
    );
    area.replaceChildren(...cells);
    const same = button(() => take([...bars.spec.like]), "Same as real", {
      title: "The amounts of the real modes",
    });
    tools.replaceChildren(...(total ? [] : toolsOf(spec)), ...(like.length ? [same] : []));
    fields = total ? names.map(field) : [];
    numbers.replaceChildren(...fields);
  }

  /** @param {number[]} value */
  function take(value) {
    bars.value = value;
    changed();
  }

  /** @param {string} mode @param {number} i */
  function field(mode, i) {
    const input = element("input", {
      type: "number",
      min: 0,
      max: 100,
      step: "any",
      "aria-label": `${bars.spec.label}, ${mode}, exact %`,
    });
    input.onchange = () => {
      if (input.value !== "" && input.checkValidity()) set(i, input.valueAsNumber / 100);
      drawn = [];
      changed();
    };
    return input;
  }

  /** Buttons above a control whose amounts have no fixed sum: the brushes of a grid, Even and Clear.
   * @param {BarsSpec} spec */
  function toolsOf({ names, columns }) {
    const brushes = (columns ? BRUSHES : []).map((each) =>
      button(
        () => {
          brush = each.amount;
          press();
        },
        each.name,
        { title: `Brush: ${Math.round(100 * each.amount)} % in every cell that it crosses` },
      ),
    );
    const press = () =>
      brushes.forEach((each, i) => each.setAttribute("aria-pressed", String(BRUSHES[i].amount === brush)));
    press();
    const middle = Math.floor(names.length / 2) + (columns ? Math.floor(columns / 2) : 0);
    return [
      ...brushes,
      ...(columns ? [element("span.gap")] : []),
      button(() => take(names.map(() => 0.5)), "Even", { title: "The same amount everywhere" }),
      button(() => take(names.map((_, i) => Number(i === middle))), "Clear", {
        title: "Nothing but one cell in the middle: a distribution must be somewhere",
      }),
    ];
  }

  function show() {
    cells.forEach((cell, i) => {
      const value = bars.value[i],
        percent = String(Math.round(100 * value));
      if (drawn[i] === value) return;
      drawn[i] = value;
      cell.style.setProperty("--share", String(value));
      cell.setAttribute("aria-valuenow", percent);
      cell.setAttribute("aria-valuetext", `${percent} %`);
      if (bars.spec.total) cell.dataset.text = `${percent} %`;
      if (fields[i]) fields[i].value = String(+(100 * value).toFixed(2));
    });
    if (described >= 0) describe(described);
  }

  /** Show beside the label the name and amount of one cell: the cell under the pointer, or the focused cell.
   * @param {number} index */
  function describe(index) {
    described = index;
    const { total, names } = bars.spec;
    setText(
      amount,
      !cells[index] || total ? "" : `${names[index]}: ${Math.round(100 * bars.value[index])} %`,
    );
  }

  /** Set one amount. Amounts without a fixed sum are rounded to multiples of 1/20: fine enough for painting, and
   * short in a link.
   * @param {number} index @param {number} share */
  function set(index, share) {
    const { total } = bars.spec;
    bars.value = withAmount(bars.value, index, total ? share : Math.round(20 * share) / 20, total);
  }

  /** @param {PointerEvent} event @returns {Cell} */
  function under(event) {
    const { left, top, width, height } = area.getBoundingClientRect(),
      count = cells.length,
      columns = bars.spec.columns || count;
    const part = (/** @type {number} */ x, /** @type {number} */ all) =>
        Math.min(0.9999, Math.max(0, x / all)),
      y = part(event.clientY - top, height);
    const column = Math.floor(part(event.clientX - left, width) * columns),
      row = Math.floor(y * Math.ceil(count / columns));
    return {
      column,
      row,
      index: row * columns + column,
      amount: Math.round((100 * (1 - y)) / FULL_HEIGHT) / 100,
    };
  }

  /** Paint all cells from the pointer's previous cell to its current cell: a fast pointer sends no event in the cells
   * between them.
   * @param {PointerEvent} event @param {{ erases: boolean, last: Cell | null }} by */
  function paint(event, by) {
    const now = under(event),
      { columns, total } = bars.spec,
      from = (!total && by.last) || now;
    const steps = Math.max(Math.abs(now.column - from.column), Math.abs(now.row - from.row));
    if (columns && by.last && !steps) return;
    for (let step = steps ? 1 : 0; step <= steps; step++) {
      const way = (/** @type {keyof Cell} */ part) =>
        from[part] + ((now[part] - from[part]) * step) / (steps || 1);
      const index = Math.round(way("row")) * columns + Math.round(way("column"));
      if (index < cells.length)
        set(index, by.erases ? 0 : columns ? brush : steps ? way("amount") : now.amount);
    }
    by.last = now;
    described = now.index;
    changed();
  }

  /** @param {KeyboardEvent} event */
  function keyed(event) {
    const index = focused(),
      { columns, total } = bars.spec,
      { key } = event;
    if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, number>} */
    const moves = {
      ArrowLeft: -1,
      ArrowRight: 1,
      ...(columns ? { ArrowUp: -columns, ArrowDown: columns } : {}),
    };
    /** @type {Record<string, number>} */
    const amounts = {
      Home: 0,
      Delete: 0,
      Backspace: 0,
      End: 1,
      ...(columns ? { " ": brush, Enter: brush } : {}),
    };
    if (!(key in moves || key in amounts || key in STEPS)) return;
    event.preventDefault();
    if (key in moves) return void cells[index + moves[key]]?.focus();
    // Amounts that sum to one change in finer steps: ↑ ↓ + − by 0.01 instead of 0.05, Page keys by 0.2 as always.
    const finer = total && !key.startsWith("Page") ? 0.2 : 1;
    set(index, amounts[key] ?? bars.value[index] + STEPS[key] * finer);
    changed();
  }

  return bars;
}
