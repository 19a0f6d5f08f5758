// The controls of a figure: sliders with an exact field and named marks, and the bars of bars.js.

import { makeBars } from "./bars.js";
import { angleToLam, shortNumber } from "./curve.js";
import { button, dock, element } from "./dom.js";

/** @import { BarsSpec } from "./bars.js" */
/** @import { Stop } from "./store.js" */

/**
 * One slider as Python describes it (Slider in prviz/live/figure.py).
 * @typedef {object} SliderSpec
 * @property {string} id
 * @property {string} label
 * @property {number[]} values its stops
 * @property {number | string | null} value a word stands for `resolved`, as does null, the automatic value
 * @property {number} resolved
 * @property {[value: number | string | null, label: string][]} marks
 * @property {[min: number, max: number, step: number] | null} number what can be typed
 * @property {boolean} angle lam is the tangent of the value, in degrees
 * @property {string} empty what stands for null
 * @property {string} help
 * @property {"estimator" | "data" | "details" | "sampling" | "figure"} group
 * @property {boolean} line label, slider and number in one line
 * @property {string} short what stands for the label where a pointer can ask for the whole of it
 *
 * Several names, each of which is on or off (Chips in prviz/live/figure.py).
 * @typedef {{ id: string, label: string, options: [name: string, label: string, help: string][], value: string[], group: SliderSpec["group"], angle?: undefined }} ChipsSpec
 *
 * @typedef {ReturnType<typeof makeSlider>} Slider
 * @typedef {Slider | ReturnType<typeof makeBars> | ReturnType<typeof makeChips>} Control
 *
 * @typedef {object} ControlEvents
 * @property {(control: Control, rest?: number) => void} changed by the user; rest: milliseconds to wait for the next change
 * @property {() => void} released the pointer lets a control go
 */

// Milliseconds: no event says that a series of key presses has ended, and Python's answer, which keeps the page busy for
// a while, must not fall between two of them.
const KEYS_MS = 600;
const ENDS = ["pointerup", "pointercancel"];

/** True where a pointer can rest on something. */
const hovers = () => matchMedia("(hover: hover)").matches;

/** @param {SliderSpec} first @param {ControlEvents} events */
function makeSlider(first, events) {
  let drawnMarks = "";
  const name = element("span.name"),
    readout = element(first.number ? "input" : "output"),
    range = element("input", { type: "range", step: 1 }),
    marks = element("span.marks");
  const slider = {
    spec: first,
    value: first.value,
    /** @type {typeof first.value | undefined} the value that Python has, as far as is known */
    sent: first.value,
    held: false,
    range,
    box: element(
      "div.control",
      { "data-prviz": first.id },
      name,
      element("span.value", readout),
      range,
      marks,
    ),
    /** True if the user is typing a value. */
    get edited() {
      return document.activeElement === readout;
    },
    /** The value as a number: what Python has resolved where it is a word or automatic. */
    get number() {
      return typeof slider.value === "number" ? slider.value : slider.spec.resolved;
    },
    take,
    refresh,
    show,
  };
  range.oninput = () => take(slider.spec.values[+range.value], slider.held ? undefined : KEYS_MS);
  const release = () => {
    // anywhere on the page
    for (const kind of ENDS) window.removeEventListener(kind, release, true);
    slider.held = false;
    events.released();
  };
  range.onpointerdown = () => {
    slider.held = true;
    for (const kind of ENDS) window.addEventListener(kind, release, true);
  };
  readout.onchange = () => {
    const { number, empty } = slider.spec,
      text = readout.value;
    if (!number) return;
    const [min, max, step] = number,
      typed = Math.round(+text / step) * step;
    let value = slider.value;
    if (text === "")
      value = empty ? null : value; // cleared: back to automatic, where there is one
    else if (Number.isFinite(typed)) value = +Math.min(max, Math.max(min, typed)).toFixed(6);
    take(value);
  };

  /** @param {SliderSpec["value"]} value @param {number} [rest] */
  function take(value, rest) {
    slider.value = value;
    events.changed(slider, rest);
  }

  /** @param {SliderSpec} spec */
  function refresh(spec) {
    const { label, short, help, number, empty: placeholder } = (slider.spec = spec);
    name.textContent = (hovers() && short) || label;
    range.min = "0";
    range.max = String(spec.values.length - 1);
    range.setAttribute("aria-label", label);
    readout.setAttribute("aria-label", `${label}, exact value`);
    slider.box.title = [label, help].filter(Boolean).join(". ");
    slider.box.classList.toggle("line", spec.line);
    if (number) {
      const [min, max, step] = number;
      Object.assign(readout, { type: "number", min, max, step, placeholder });
    }
    const before = drawnMarks;
    drawnMarks = JSON.stringify(spec.marks);
    if (drawnMarks === before) return;
    marks.replaceChildren(
      ...spec.marks.map(([value, text]) => button(() => take(value), text, { "data-value": String(value) })),
    );
  }

  function show() {
    const { values, angle, empty } = slider.spec,
      { value, number } = slider;
    let nearest = 0;
    values.forEach((v, i) => {
      if (Math.abs(v - number) < Math.abs(values[nearest] - number)) nearest = i;
    });
    range.value = String(nearest);
    let text = value === null ? empty : shortNumber(number);
    if (angle) text = `λ = ${shortNumber(angleToLam(number))}`;
    // A seed has more digits than a shift should show.
    if (slider.spec.number)
      readout.value =
        value === null ? "" : String(Number.isInteger(number) ? number : +number.toPrecision(6));
    else readout.textContent = text;
    range.setAttribute("aria-valuetext", text);
    for (const mark of marks.querySelectorAll("button"))
      mark.setAttribute("aria-pressed", String(mark.dataset.value === String(value)));
  }

  return slider;
}

/** @param {ChipsSpec} first @param {ControlEvents} events */
function makeChips(first, events) {
  let drawn = "";
  const chips = {
    spec: first,
    value: first.value,
    /** @type {string[] | undefined} the value that Python has, as far as is known */
    sent: first.value,
    held: false,
    edited: false,
    box: element("div.control.chips.marks", {
      role: "group",
      "aria-label": first.label,
      "data-prviz": first.id,
    }),
    refresh,
    show,
  };

  /** @param {string} name */
  function toggle(name) {
    const { value } = chips;
    chips.value = value.includes(name) ? value.filter((each) => each !== name) : [...value, name];
    show();
    events.changed(chips);
  }

  /** @param {ChipsSpec} spec */
  function refresh(spec) {
    const before = drawn;
    chips.spec = spec;
    drawn = JSON.stringify(spec.options);
    if (drawn === before) return;
    const buttons = spec.options.map(([name, label, help]) =>
      button(() => toggle(name), label, { "data-value": name, title: help }),
    );
    chips.box.replaceChildren(element("span.name", spec.label), ...buttons);
  }

  function show() {
    for (const chip of chips.box.querySelectorAll("button"))
      chip.setAttribute("aria-pressed", String(chips.value.includes(chip.dataset.value ?? "")));
  }

  return chips;
}

// "figure": below it, without a title.
const TITLES = {
  estimator: "Estimator",
  data: "Data",
  details: "Details",
  sampling: "Split and repeats",
  figure: "",
};

/** A new control, by what its spec describes.
 * @param {SliderSpec | BarsSpec | ChipsSpec} spec @param {ControlEvents} events @returns {Control} */
function made(spec, events) {
  if ("options" in spec) return makeChips(spec, events);
  return "names" in spec ? makeBars(spec, events) : makeSlider(spec, events);
}

export class Controls {
  /** @type {Control[]} */
  list = [];
  lam = 1; // where no slider moves it, the point of a curve that was clicked last
  /** @type {number | null} lam where the pointer has come from, while it is on a curve */
  #before = null;
  /** @type {Map<string, boolean>} groups that fold: by the user */
  #opened = new Map();
  /** @type {Map<string, HTMLElement>} the groups, by the place of the page that they stand in where it has one */
  #boxes = new Map();

  /** @param {HTMLElement} box @param {ControlEvents} events */
  constructor(box, events) {
    this.box = box;
    this.events = events;
  }

  /** @param {string} id */
  find(id) {
    return this.list.find((control) => control.spec.id === id);
  }

  /** @param {string} id */
  slider(id) {
    const found = this.find(id);
    return found && "range" in found ? found : undefined;
  }

  get lamSlider() {
    return this.slider("angle");
  }

  get held() {
    return this.list.some((control) => control.held);
  }

  /** Where the sliders that frames know stand.
   * @returns {Stop | null} */
  get position() {
    const k = this.slider("k"),
      bandwidth = /** @type {number | null | undefined} */ (this.slider("bandwidth")?.value);
    return k ? { k: k.number, bandwidth: bandwidth ?? null } : null;
  }

  /** New specs from Python. A value that the user has moved since Python was asked stays; every other one follows what
   * Python sends.
   * @param {(SliderSpec | BarsSpec | ChipsSpec)[]} specs */
  take(specs) {
    const before = this.list;
    if (specs.map(({ id }) => id).join() !== before.map(({ spec }) => spec.id).join()) {
      this.list = specs.map((spec) => this.find(spec.id) ?? made(spec, this.events));
      this.#layOut();
    }
    for (const [group, box] of this.#boxes) dock(box, group, this.box);
    this.list.forEach((control, i) => {
      const spec = /** @type {any} */ (specs[i]); // of the control's kind
      control.refresh(spec);
      // Python has lam in whole degrees only
      const same = spec.angle && Math.abs(spec.value - Number(control.value)) < 1;
      if (control.value === control.sent && !same) control.value = control.sent = spec.value;
      if (!control.edited) control.show();
    });
    const lam = this.lamSlider ? angleToLam(this.lamSlider.number) : 1;
    if (this.#before === null) this.lam = lam;
    else this.#before = lam;
  }

  /** lam of a point under the pointer, until that leaves it.
   * @param {number} lam */
  preview(lam) {
    this.#before ??= this.lam;
    this.lam = lam;
  }

  /** Back to lam as the user has set it; true if it was another one. */
  endPreview() {
    const before = this.#before;
    this.#before = null;
    this.lam = before ?? this.lam;
    return before !== null;
  }

  // The data fold away: on a narrow screen they would push the figure out of sight while the user moves k.
  #layOut() {
    this.leave();
    const narrow = matchMedia("(max-width: 767px)").matches;
    for (const [group, title] of Object.entries(TITLES)) {
      const members = this.list.filter(
        // on a phone chips are in the sheet: below the figure stand its rows
        ({ spec }) => (narrow && "options" in spec ? "sampling" : spec.group) === group,
      );
      if (!members.length) continue;
      const box = element(
        "div.group",
        { role: "group", ...(title && { "aria-label": title }) },
        ...members.map((control) => control.box),
      );
      const loose = group === "data" && !document.querySelector('[data-prviz-place="data"]');
      this.#boxes.set(group, group === "details" || loose ? this.#fold(group, title, box) : box);
    }
  }

  /** @param {string} group @param {string} title @param {HTMLElement} box */
  #fold(group, title, box) {
    const held = this.list.filter(({ spec }) => spec.group === group).map(({ spec }) => spec.label);
    const fold = element("details.fold", element("summary", title, { title: held.join(", ") }), box),
      first = group === "data" && matchMedia("(min-width: 641px)").matches;
    fold.open = this.#opened.get(group) ?? first;
    fold.ontoggle = () => {
      this.#opened.set(group, fold.open);
    };
    return fold;
  }

  /** Take the groups away from wherever they stand. */
  leave() {
    for (const box of this.#boxes.values()) box.remove();
    this.#boxes.clear();
  }
}
