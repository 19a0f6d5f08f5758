// The controls of a figure: sliders with a field for the exact value and with labelled marks, chips, and the
// bars of bars.js.

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
 * @property {number | string | null} value a number, a word such as "sqrt", or null for automatic
 * @property {number} resolved the value as a number, where it is a word or automatic
 * @property {[value: number | string | null, label: string][]} marks
 * @property {[min: number, max: number, step: number] | null} number the limits of a typed value
 * @property {boolean} angle true for the slider of lam: its value is an angle in degrees, whose tangent is lam
 * @property {string} empty text shown for null
 * @property {string} help
 * @property {"estimator" | "data" | "details" | "sampling" | "figure"} group
 * @property {boolean} line true if label, slider and number are in one line
 * @property {string} short a shorter label, used where hovering shows the whole one
 *
 * Several names, each of which is on or off (Chips in prviz/live/figure.py).
 * @typedef {{ id: string, label: string, options: [name: string, label: string, help: string][], value: string[], group: SliderSpec["group"], angle?: undefined }} ChipsSpec
 *
 * @typedef {ReturnType<typeof makeSlider>} Slider
 * @typedef {Slider | ReturnType<typeof makeBars> | ReturnType<typeof makeChips>} Control
 *
 * @typedef {object} ControlEvents
 * @property {(control: Control, rest?: number) => void} changed the user has changed the control; rest: milliseconds without a further change before the browser asks Python
 * @property {() => void} released the pointer has let go of a control
 */

// Milliseconds to wait after a key press before asking Python. Python's answer keeps the page busy for a while, and
// must not arrive between two presses of a series; no event tells when a series ends.
const KEYS_MS = 600;
const ENDS = ["pointerup", "pointercancel"];

/** True where the pointer can hover (a mouse, not a finger). */
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
    /** @type {typeof first.value | undefined} the value that Python has, as far as the browser knows */
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
    /** The value as a number; `resolved`, if the value is a word or automatic. */
    get number() {
      return typeof slider.value === "number" ? slider.value : slider.spec.resolved;
    },
    take,
    refresh,
    show,
  };
  range.oninput = () => take(slider.spec.values[+range.value], slider.held ? undefined : KEYS_MS);
  const release = () => {
    // these listeners are on the window, since the pointer may be released anywhere on the page
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
      value = empty ? null : value; // an empty field means automatic, if the slider offers that
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
    // The field shows the value with all its digits (needed for a seed), not the shortened text.
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
    /** @type {string[] | undefined} the value that Python has, as far as the browser knows */
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

// Titles of the groups of controls. The group "figure" stands below the figure and needs none.
const TITLES = {
  estimator: "Estimator",
  data: "Data",
  details: "Details",
  sampling: "Split and repeats",
  figure: "",
};

/** A new control of the kind that its spec describes.
 * @param {SliderSpec | BarsSpec | ChipsSpec} spec @param {ControlEvents} events @returns {Control} */
function made(spec, events) {
  if ("options" in spec) return makeChips(spec, events);
  return "names" in spec ? makeBars(spec, events) : makeSlider(spec, events);
}

export class Controls {
  /** @type {Control[]} */
  list = [];
  lam = 1; // without a slider for lam: lam of the point that was last clicked on a curve
  /** @type {number | null} the user's lam while the pointer on a curve previews another lam; null without a preview */
  #before = null;
  /** @type {Map<string, boolean>} by group, true if the user has opened it, false if closed */
  #opened = new Map();
  /** @type {Map<string, HTMLElement>} the element of each group, by the group's name */
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

  /** The current values of the sliders of k and of the bandwidth (a "stop"); null without a slider of k.
   * @returns {Stop | null} */
  get position() {
    const k = this.slider("k"),
      bandwidth = /** @type {number | null | undefined} */ (this.slider("bandwidth")?.value);
    return k ? { k: k.number, bandwidth: bandwidth ?? null } : null;
  }

  /** Take the specs that Python sends. A control that the user has moved since the last question to Python keeps its
   * value; all others get the value that Python sends.
   * @param {(SliderSpec | BarsSpec | ChipsSpec)[]} specs */
  take(specs) {
    const before = this.list;
    if (specs.map(({ id }) => id).join() !== before.map(({ spec }) => spec.id).join()) {
      this.list = specs.map((spec) => this.find(spec.id) ?? made(spec, this.events));
      this.#layOut();
    }
    for (const [group, box] of this.#boxes) dock(box, group, this.box);
    this.list.forEach((control, i) => {
      // cast to any: specs[i] has the same kind as the control with this id
      const spec = /** @type {any} */ (specs[i]);
      control.refresh(spec);
      // Python rounds the angle of lam to whole degrees: a difference below one degree is not a change by Python.
      const same = spec.angle && Math.abs(spec.value - Number(control.value)) < 1;
      if (control.value === control.sent && !same) control.value = control.sent = spec.value;
      if (!control.edited) control.show();
    });
    const lam = this.lamSlider ? angleToLam(this.lamSlider.number) : 1;
    if (this.#before === null) this.lam = lam;
    else this.#before = lam;
  }

  /** Show another lam while the pointer is on a point of a curve.
   * @param {number} lam */
  preview(lam) {
    this.#before ??= this.lam;
    this.lam = lam;
  }

  /** End the preview: return to the lam that the user has set. Returns true if the pointer had changed lam. */
  endPreview() {
    const before = this.#before;
    this.#before = null;
    this.lam = before ?? this.lam;
    return before !== null;
  }

  // The group "details" can always be folded. The group "data" can be folded if the page has no element of its own
  // for it: above the figure, it would push the figure out of view on a narrow screen.
  #layOut() {
    this.leave();
    const narrow = matchMedia("(max-width: 767px)").matches;
    for (const [group, title] of Object.entries(TITLES)) {
      const members = this.list.filter(
        // On a phone the chips go into the sheet of settings (sheet.js), because the rows are below the figure.
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

  /** Remove all groups of controls from the page. */
  leave() {
    for (const box of this.#boxes.values()) box.remove();
    this.#boxes.clear();
  }
}
