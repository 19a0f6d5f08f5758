// A control of several amounts at once: bars that the user pulls up and down, or the cells of a grid to paint.

import { button, element, setText } from "./dom.js";

/** @import { ControlEvents } from "./controls.js" */

/**
 * The bars as Python describes them (Bars in pages/_live/figure.py).
 * @typedef {object} BarsSpec
 * @property {string} id
 * @property {string} label
 * @property {string[]} names
 * @property {number[]} value amounts in [0, 1]
 * @property {boolean} total the amounts always sum to one, so that pulling one bar changes the others
 * @property {number} columns of the grid; 0 for bars
 * @property {string} color
 * @property {string} help
 * @property {"estimator" | "data"} group
 * @property {number[]} like amounts that a button takes over; [] for no button
 *
 * Where the pointer is, and the amount that its height in a bar stands for.
 * @typedef {{ column: number, row: number, index: number, amount: number }} Cell
 */

/** @type {Record<string, number>} */
const STEPS = { ArrowUp: 0.05, PageUp: 0.2, "+": 0.05, ArrowDown: -0.05, PageDown: -0.2, "-": -0.05 };
const BRUSHES = [
  { name: "Erase", amount: 0 },
  { name: "Light", amount: 0.3 },
  { name: "Full", amount: 1 },
];
// How to paint: with any pointer, and what a mouse and a keyboard can do besides.
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
const FULL_HEIGHT = 0.94; // of the box, by a bar of amount 1 (live.css)

/** Amounts of which one is new; where they sum to one, the others keep their proportions.
 * @param {number[]} amounts @param {number} index @param {number} amount @param {boolean} total */
export function withAmount(amounts, index, amount, total) {
  const value = Math.min(1, Math.max(0, amount)),
    rest = amounts.reduce((sum, each, i) => sum + (i === index ? 0 : each), 0);
  const other = (/** @type {number} */ each) =>
    !total ? each : rest > 0 ? (each * (1 - value)) / rest : (1 - value) / (amounts.length - 1);
  const found = amounts.map((each, i) => +(i === index ? value : other(each)).toFixed(4));
  return found.some((each) => each > 0) ? found : amounts; // nothing at all is no distribution
}

export class Bars {
  edited = false; // nothing is typed here
  /** @type {HTMLElement[]} */
  cells = [];
  /** @type {HTMLInputElement[]} exact percentages of amounts that sum to one */
  fields = [];
  #shape = "";
  #brush = 1;
  /** @type {number[]} amounts on screen */
  #drawn = [];
  #described = -1; // the cell whose amount stands beside the label
  /** @type {{ pointer: number, erases: boolean, last: Cell | null } | null} */
  #stroke = null;

  /** @param {BarsSpec} spec @param {ControlEvents} events */
  constructor(spec, events) {
    this.spec = spec;
    this.events = events;
    this.value = spec.value;
    /** @type {number[] | undefined} the value that Python has, as far as is known */
    this.sent = spec.value;
    this.name = element("span.name");
    this.amount = element("output", { "aria-hidden": "true" });
    this.tools = element("div.marks.tools");
    this.area = element("div.area", { role: "group" });
    this.numbers = element("div.numbers");
    this.how = element("p.how");
    this.box = element(
      "div.control.bars",
      this.name,
      this.amount,
      this.tools,
      this.area,
      this.numbers,
      this.how,
    );
    this.#wire();
  }

  get held() {
    return this.#stroke !== null;
  }

  #wire() {
    const { area } = this;
    area.onpointerdown = (event) => {
      if (this.held || event.button === 1) return; // a second finger
      this.#stroke = { pointer: event.pointerId, erases: event.shiftKey || event.button === 2, last: null };
      area.setPointerCapture(event.pointerId);
      this.#paint(event, this.#stroke);
    };
    area.onpointermove = (event) => {
      if (!this.#stroke) this.#describe(this.#under(event).index);
      else if (event.pointerId === this.#stroke.pointer) this.#paint(event, this.#stroke);
    };
    area.onpointerup = area.onpointercancel = (event) => {
      if (event.pointerId !== this.#stroke?.pointer) return;
      this.#stroke = null;
      this.events.released();
    };
    area.onpointerleave = () => {
      if (!this.held) this.#describe(this.#focused());
    };
    area.oncontextmenu = (event) => event.preventDefault();
    area.onkeydown = (event) => this.#keyed(event);
    area.addEventListener("focusin", (event) => {
      this.cells.forEach((cell) => {
        cell.tabIndex = cell === event.target ? 0 : -1;
      }); // one stop of the Tab key
      this.#describe(this.#focused());
    });
    area.addEventListener("focusout", () => this.#describe(-1));
  }

  #focused() {
    return this.cells.findIndex((cell) => cell === document.activeElement);
  }

  /** @param {BarsSpec} spec */
  refresh(spec) {
    this.spec = spec;
    this.name.textContent = spec.label;
    this.box.title = spec.help || "";
    this.area.setAttribute("aria-label", spec.label);
    this.area.classList.toggle("grid", spec.columns > 0);
    this.area.style.setProperty("--columns", String(spec.columns || spec.names.length));
    this.area.style.setProperty("--bar", spec.color);
    const [short, more] = HOW[spec.total ? "total" : spec.columns ? "grid" : "bars"];
    this.how.replaceChildren(`${short} `, element("span", more));
    const shape = JSON.stringify([spec.names, spec.columns, spec.total, spec.like]);
    if (this.#shape === shape) return;
    this.#shape = shape;
    this.#drawn = [];
    this.cells = spec.names.map((name, i) =>
      element("div", {
        role: "slider",
        tabindex: i ? -1 : 0,
        "aria-label": `${spec.label}, ${name}`,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "data-index": i,
        "aria-orientation": "vertical",
      }),
    );
    this.area.replaceChildren(...this.cells);
    this.tools.replaceChildren(
      ...(spec.total ? [] : this.#tools()),
      ...(spec.like.length ? [this.#same()] : []),
    );
    this.fields = spec.total ? spec.names.map((name, i) => this.#field(name, i)) : [];
    this.numbers.replaceChildren(...this.fields);
  }

  #same() {
    return button(
      () => {
        this.value = [...this.spec.like];
        this.events.changed(this);
      },
      "Same as real",
      { title: "The amounts of the real modes" },
    );
  }

  /** @param {string} name @param {number} i */
  #field(name, i) {
    const field = element("input", {
      type: "number",
      min: 0,
      max: 100,
      step: "any",
      "aria-label": `${this.spec.label}, ${name}, exact %`,
    });
    field.onchange = () => {
      if (field.value !== "" && field.checkValidity()) this.#set(i, field.valueAsNumber / 100);
      this.#drawn = [];
      this.events.changed(this);
    };
    return field;
  }

  // The brushes of a grid, and two ways to begin anew; where amounts sum to one there is nothing to choose.
  #tools() {
    const { names, columns } = this.spec;
    const brushes = (columns ? BRUSHES : []).map(({ name, amount }) =>
      button(
        () => {
          this.#brush = amount;
          press();
        },
        name,
        { title: `Brush: ${Math.round(100 * amount)} % in every cell that it crosses` },
      ),
    );
    const press = () =>
      brushes.forEach((each, i) =>
        each.setAttribute("aria-pressed", String(BRUSHES[i].amount === this.#brush)),
      );
    press();
    const all = (/** @type {(index: number) => number} */ amountOf) => () => {
      this.value = names.map((_, i) => amountOf(i));
      this.events.changed(this);
    };
    const middle = Math.floor(names.length / 2) + (columns ? Math.floor(columns / 2) : 0);
    const gap = brushes.length ? [element("span.gap")] : [];
    return [
      ...brushes,
      ...gap,
      button(
        all(() => 0.5),
        "Even",
        { title: "The same amount everywhere" },
      ),
      button(
        all((i) => (i === middle ? 1 : 0)),
        "Clear",
        { title: "Nothing but one cell in the middle: a distribution must be somewhere" },
      ),
    ];
  }

  show() {
    this.cells.forEach((cell, i) => {
      if (this.#drawn[i] === this.value[i]) return;
      this.#drawn[i] = this.value[i];
      const percent = String(Math.round(100 * this.value[i]));
      cell.style.setProperty("--share", String(this.value[i]));
      cell.setAttribute("aria-valuenow", percent);
      cell.setAttribute("aria-valuetext", `${percent} %`);
      if (this.spec.total) cell.dataset.text = `${percent} %`;
      if (this.fields[i]) this.fields[i].value = String(+(100 * this.value[i]).toFixed(2));
    });
    if (this.#described >= 0) this.#describe(this.#described);
  }

  /** Beside the label: the cell under the pointer or with the focus, and its amount.
   * @param {number} index */
  #describe(index) {
    this.#described = index;
    setText(
      this.amount,
      index < 0 || !this.cells[index] || this.spec.total
        ? ""
        : `${this.spec.names[index]}: ${Math.round(100 * this.value[index])} %`,
    );
  }

  /** Free amounts in steps of 1/20: fine enough to paint, and short in a link.
   * @param {number} index @param {number} amount */
  #set(index, amount) {
    this.value = withAmount(
      this.value,
      index,
      this.spec.total ? amount : Math.round(20 * amount) / 20,
      this.spec.total,
    );
  }

  /** @param {PointerEvent} event @returns {Cell} */
  #under(event) {
    const { left, top, width, height } = this.area.getBoundingClientRect(),
      count = this.cells.length,
      columns = this.spec.columns || count;
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

  /** From where the pointer was to where it is: a quick one skips cells, and those between are filled in.
   * @param {PointerEvent} event @param {{ erases: boolean, last: Cell | null }} stroke */
  #paint(event, stroke) {
    const now = this.#under(event),
      { columns, total } = this.spec,
      from = (!total && stroke.last) || now;
    const steps = Math.max(Math.abs(now.column - from.column), Math.abs(now.row - from.row));
    if (columns && stroke.last && !steps) return;
    for (let step = steps ? 1 : 0; step <= steps; step++) {
      const way = (/** @type {keyof Cell} */ part) =>
        from[part] + ((now[part] - from[part]) * step) / (steps || 1);
      const index = Math.round(way("row")) * columns + Math.round(way("column"));
      if (index < this.cells.length)
        this.#set(index, stroke.erases ? 0 : columns ? this.#brush : steps ? way("amount") : now.amount);
    }
    stroke.last = now;
    this.#described = now.index;
    this.events.changed(this);
  }

  /** @param {KeyboardEvent} event */
  #keyed(event) {
    const index = this.#focused(),
      { columns } = this.spec,
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
      ...(columns ? { " ": this.#brush, Enter: this.#brush } : {}),
    };
    if (!(key in moves || key in amounts || key in STEPS)) return;
    event.preventDefault();
    if (key in moves) return void this.cells[index + moves[key]]?.focus();
    const finer = this.spec.total && !key.startsWith("Page") ? 0.2 : 1; // shares by one in a hundred
    this.#set(index, key in amounts ? amounts[key] : this.value[index] + STEPS[key] * finer);
    this.events.changed(this);
  }
}
