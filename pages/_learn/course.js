// The course: one screen per step. On the left the instruction and the guess, in the middle a picture whose parts the
// reader can drag, on the right the precision-recall curve of that picture. The curve before the last change stays as
// a "ghost".

import { element, setText } from "../_live/dom.js";
import { curveDrawing, footOf, ghostOf } from "./curve_card.js";
import { FIGURES } from "./figures.js";
import { JUDGES, target } from "./guesses.js";
import { SAVED, lessonPlan, save, standalonePage } from "./handouts.js";
import { exploreQuery, stepQuery, valuesFrom } from "./links.js";
import { makeStage } from "../_shared/stage.js";

/** @import { Ghost } from "./curve_card.js" */
/** @import { Made, Measured } from "./figure_parts.js" */
/** @import { Change } from "./guesses.js" */
/** @import { Values } from "../_shared/stage.js" */

/**
 * One screen (Step in pages/_learn/steps.py).
 * @typedef {object} Step
 * @property {string} id
 * @property {string} lesson
 * @property {string} lead
 * @property {string} clause
 * @property {string} figure
 * @property {string[]} hands names of what the reader can move, and of what is shown
 * @property {Values} start
 * @property {{ ask: string, to: Record<string, Change | string>, judge: string, options: { id: string, label: string, because: string }[] }} guess
 * @property {string} takeaway
 * @property {string} help
 * @property {Record<string, string>} explore
 *
 * What Python sends (pages/_learn/course.py).
 * @typedef {object} Content
 * @property {Record<string, string>} lessons titles by id
 * @property {Step[]} steps
 * @property {Measured} measured
 * @property {string} style
 * @property {string} script address of the course's script; "" in a saved course, which contains the script
 */

const MOVE_MS = 600;
const LINK_MS = 250;

/** By step, how the reader left it. values: the current values of the picture; setting: the values at which the
 * step's guess begins.
 * @type {Map<string, { values: Values, setting: Values }>} */
const left = new Map();
let lastStep = "";

/** @param {string} text @param {string} name @param {() => void} onclick @param {Record<string, string>} more */
const button = (text, name, onclick, more = {}) =>
  Object.assign(element("button", text, { type: "button", class: name, ...more }), { onclick });

export class Course {
  index = 0;
  /** @type {Values} */
  values = {};
  /** @type {Values} */
  // the values at which the step's guess begins; they differ from `values` if the reader has moved something before
  // answering
  setting = {};
  /** @type {Made} */
  made = { truth: null, curves: [] };
  /** @type {Ghost | null} */
  ghost = null; // the curves and lam before the last movement
  /** @type {{ chosen: string, answer: string } | null} */
  answered = null;
  #byHand = false; // true if the reader has moved something since opening the step or answering its guess
  #frame = 0;
  #movement = 0;
  #linkTimer = 0;

  /** @param {HTMLElement} root @param {Content} content */
  constructor(root, content) {
    this.root = root;
    this.content = content;
    this.address = location.pathname;
    this.style = element("style", content.style);
    this.lessonButton = button("", "lesson", () => this.menu.togglePopover(), { "aria-haspopup": "true" });
    this.menu = element("div.menu", { popover: "auto" });
    this.bars = element("div.bars", { "aria-hidden": "true" });
    this.lead = element("h2.lead");
    this.clause = element("p.clause");
    this.ask = element("p.ask", { id: "course-ask" });
    this.options = element("div.options", { role: "group", "aria-labelledby": "course-ask" });
    this.because = element("p.because", { role: "status", "aria-live": "polite" });
    this.helpButton = button("?", "round", () => this.help.togglePopover(), {
      "aria-label": "Formula and sources",
      title: "Formula and sources",
    });
    this.help = element("div.menu.help", { popover: "auto" });
    this.reset = button("↺", "round", () => this.restart(), {
      "aria-label": "As it was",
      title: "As it was",
    });
    this.back = button("← Back", "back", () => this.go(this.index - 1));
    this.next = button("Next →", "next", () => this.go(this.index + 1));
    const guess = element("div.guess", this.ask, this.options, this.because);
    const words = element(
      "section.card.words",
      { "data-prviz": "step" },
      this.lessonButton,
      this.bars,
      this.lead,
      this.clause,
      guess,
      element("div.feet", this.helpButton, this.reset, this.back, this.next),
    );
    const events = {
      begun: () => this.#begun(),
      moved: (/** @type {Values} */ values) => this.#moved(values),
    };
    this.figure = makeStage("figure", events);
    this.again = button("Draw again", "again", () => {
      this.#begun();
      this.#moved({ seed: this.values.seed + 1, moved: {} });
    });
    this.figure.box.append(this.again);
    this.curve = makeStage("curve", events);
    this.curve.title.textContent = "The curve it draws";
    this.explore = element("a.explore", "Open in Explore ↗", { target: "_blank" });
    this.curve.box.append(this.explore);
    this.tools = element(
      "div.course-tools",
      ...(content.script
        ? [
            button("Present", "", () => this.present(!this.presenting), {
              title: "Large and without the page around it; key P",
            }),
            button("Lesson plan", "", () =>
              save("prviz-lesson-plan.md", lessonPlan(this.content, location), "text/markdown"),
            ),
            button("Save as a page", "", () => this.#savePage(), {
              title: "One file that opens anywhere, also inside another page",
            }),
          ]
        : []),
    );
    this.stay = element("button.leave", "Leave", { type: "button" });
    this.stay.onclick = () => this.present(false);
    root.replaceChildren(this.style, words, this.figure.box, this.curve.box, this.menu, this.help, this.stay);
    root.classList.add("course");
    this.menu.append(
      ...Object.entries(content.lessons).map(([id, title], i) =>
        button(`${i + 1}  ${title}`, "", () =>
          this.go(content.steps.findIndex(({ lesson }) => lesson === id)),
        ),
      ),
    );
    this.menu.onclick = () => this.menu.hidePopover();
    // On a phone the bar at the top of the page has no room for these buttons: put them into the menu.
    if (content.script && matchMedia("(max-width: 640px)").matches) this.menu.append(this.tools);
    else document.querySelector(".bar-tools .link")?.before(this.tools);
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.#key(event);
    window.addEventListener("keydown", this.onKey);
    this.onHash = () => this.go(this.#named(location.hash.slice(1)));
    window.addEventListener("hashchange", this.onHash);
    this.onScreen = () => {
      if (!document.fullscreenElement) this.present(false);
    }; // Escape ends full screen too, without a click on the button Leave
    document.addEventListener("fullscreenchange", this.onScreen);
    this.observer = new ResizeObserver(() => this.schedule());
    this.observer.observe(this.figure.frame);
    this.observer.observe(this.curve.frame);
    const query = new URLSearchParams(location.search),
      // a saved course has the step's id in its address, after #
      here = this.#named(content.script ? "" : location.hash.slice(1)),
      asked = content.steps[here]?.id ?? query.get("step");
    root.toggleAttribute("data-only", query.has("only"));
    if (query.get("present") === "1") this.present(true);
    this.index = Math.max(this.#named(asked ?? lastStep), 0);
    if (asked) this.#open(valuesFrom(query, this.step.start));
    else this.#reopen();
  }

  /** Index of the step with this id, or of the first step of the lesson with this id; -1 without one.
   * @param {string} name */
  #named(name) {
    return this.content.steps.findIndex(({ id, lesson }) => id === name || lesson === name);
  }

  get step() {
    return this.content.steps[this.index];
  }

  /** The values to put into links and to show when the reader comes back to the step: the values that the reader has
   * set, not those to which answering the guess has moved the picture. */
  get kept() {
    return this.answered && !this.#byHand ? this.setting : this.values;
  }

  get presenting() {
    return document.documentElement.hasAttribute("data-present");
  }

  /** @param {number} index */
  go(index) {
    if (
      this.root.hasAttribute("data-only") ||
      index < 0 ||
      index >= this.content.steps.length ||
      index === this.index
    )
      return;
    this.index = index;
    this.#reopen();
    this.lead.focus({ preventScroll: true });
  }

  #reopen() {
    const was = left.get(this.step.id);
    this.#open(was?.setting ?? {}, was?.values);
  }

  /** @param {Values} asked values from a link, which replace the step's own @param {Values} [values] values that the reader has changed since */
  #open(asked, values) {
    cancelAnimationFrame(this.#movement);
    const setting = { angle: 45, ...this.step.start, ...asked };
    Object.assign(this, { ghost: null, answered: null, setting, values: { ...setting, ...values } });
    if (this.help.matches(":popover-open")) this.help.hidePopover();
    this.#model();
    this.words();
    this.draw();
    this.#link();
  }

  restart() {
    this.ghost = ghostOf(this.made, this.values.angle);
    left.delete(this.step.id);
    const { ghost } = this;
    this.#open({});
    this.ghost = ghost;
    this.schedule();
  }

  #model() {
    const { step, values } = this,
      { measured } = this.content;
    this.made = FIGURES[step.figure].model(values, { hands: step.hands, measured });
  }

  #begun() {
    cancelAnimationFrame(this.#movement);
    this.ghost = ghostOf(this.made, this.values.angle);
  }

  /** @param {Values} values */
  #moved(values) {
    Object.assign(this.values, values);
    this.#byHand = true;
    this.schedule();
  }

  schedule() {
    if (!this.#frame)
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#model();
        this.draw();
        this.#link();
      });
  }

  // ---- the guess ----

  /** @param {string} chosen */
  guess(chosen) {
    const { step, setting } = this,
      { measured } = this.content,
      figure = FIGURES[step.figure],
      values = target(step.guess.to, setting);
    const [before, made] = [setting, values].map((each) =>
      figure.model(each, { hands: step.hands, measured }),
    );
    this.ghost = ghostOf(before, setting.angle);
    this.#byHand = false;
    this.answered = {
      chosen,
      answer: JUDGES[step.guess.judge](
        { values: setting, made: before, measured },
        { values, made, measured },
      ),
    };
    // true if the focus is on an answer button, which words() replaces
    const held = this.options.contains(document.activeElement);
    this.words();
    if (held) this.next.focus({ preventScroll: true });
    this.#animate(setting, values);
  }

  /** @param {Values} from @param {Values} to */
  #animate(from, to) {
    cancelAnimationFrame(this.#movement);
    const began = performance.now(),
      still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const changed = Object.keys(to).filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
    const smooth = changed.every((name) =>
      ["shift", "scale", "angle", "mu", "p", "q", "drop"].includes(name),
    );
    const between = (/** @type {any} */ a, /** @type {any} */ b, /** @type {number} */ share) =>
      Array.isArray(b) ? b.map((each, i) => a[i] + share * (each - a[i])) : a + share * (b - a);
    const step = () => {
      const share = still ? 1 : Math.min(1, (performance.now() - began) / MOVE_MS),
        eased = share * share * (3 - 2 * share);
      this.values = {
        ...to,
        ...(smooth && share < 1
          ? Object.fromEntries(changed.map((name) => [name, between(from[name], to[name], eased)]))
          : {}),
      };
      if (smooth || share === 0 || share === 1 || performance.now() - began < 50) this.#model();
      this.draw(smooth ? 1 : eased);
      this.root.dataset.moving = String(share < 1);
      if (share < 1) this.#movement = requestAnimationFrame(step);
      else this.#link();
    };
    step();
  }

  // ---- drawing the step ----

  words() {
    const { step, answered } = this,
      { steps, lessons } = this.content,
      names = Object.keys(lessons),
      place = names.indexOf(step.lesson);
    this.root.dataset.step = step.id;
    setText(this.lessonButton, `${place + 1} of ${names.length} · ${lessons[step.lesson]} ▾`);
    this.bars.replaceChildren(
      ...steps.map(({ id, lesson }, i) =>
        element("i", {
          class: `${i <= this.index ? "done" : ""} ${i && lesson !== steps[i - 1].lesson ? "first" : ""}`,
          "data-id": id,
        }),
      ),
    );
    setText(this.lead, step.lead);
    this.lead.tabIndex = -1;
    setText(this.clause, answered ? step.takeaway : step.clause);
    this.clause.classList.toggle("seen", answered !== null);
    setText(this.ask, step.guess.ask);
    this.options.replaceChildren(
      ...step.guess.options
        .filter(({ id, label }) => label || id === answered?.answer)
        .map(({ id, label }, i) => {
          const state = !answered
            ? ""
            : id === answered.answer
              ? "right"
              : id === answered.chosen
                ? "wrong"
                : "";
          const chip = button(label || id, `chip ${state}`, () => this.guess(id), {
            "aria-pressed": String(id === answered?.chosen),
            "data-key": String(i + 1),
          });
          chip.prepend(element("span.sign", state === "right" ? "✓ " : state ? "✗ " : ""));
          return chip;
        }),
    );
    setText(
      this.because,
      answered ? (step.guess.options.find(({ id }) => id === answered.answer)?.because ?? "") : "",
    );
    this.help.innerHTML = "";
    this.help.append(...step.help.split("\n").map((line) => element("p", line)));
    this.back.disabled = this.index === 0;
    this.next.disabled = this.index === steps.length - 1;
    setText(this.next, this.next.disabled ? "The end" : "Next →");
    this.again.hidden = !("seed" in step.start);
    this.figure.svg.setAttribute("aria-label", `${FIGURES[step.figure].title}: ${step.lead}`);
  }

  draw(morph = 1) {
    const { step, values, made, ghost } = this,
      { measured } = this.content,
      setting = { hands: step.hands, measured };
    const size = this.figure.size,
      beside = this.curve.size;
    if (size.width < 40 || beside.width < 40) return;
    setText(this.figure.title, FIGURES[step.figure].heading?.(values, made) ?? FIGURES[step.figure].title);
    this.figure.draw(FIGURES[step.figure].draw(values, made, { ...size, ...setting }));
    this.curve.draw(curveDrawing(made, values, { ...beside, hands: step.hands, ghost, morph }));
    const foot = footOf(made, values.angle, step.hands);
    setText(this.curve.foot, foot);
    this.curve.svg.setAttribute("aria-label", `Precision-recall curve. ${foot}`);
    this.root.dataset.drawn = step.id;
  }

  // ---- links, keys, handouts ----

  // Update the address after LINK_MS without a change: browsers limit how often it may change.
  #link() {
    const { step, values, kept, content } = this;
    left.set(step.id, { values: kept, setting: this.setting });
    lastStep = step.id;
    clearTimeout(this.#linkTimer);
    this.#linkTimer = setTimeout(() => {
      if (!content.script) {
        // an embedded page without an address (about:) has nothing to update
        if (location.protocol !== "about:") location.replace(`#${step.id}`);
        return;
      }
      if (location.pathname !== this.address) return; // do nothing if the reader has left for another page
      history.replaceState(
        history.state,
        "",
        `${location.pathname}?${stepQuery(step, kept)}${this.presenting ? "&present=1" : ""}`,
      );
      this.explore.href = `./?${exploreQuery(step, values)}`;
    }, LINK_MS);
    this.explore.hidden = !this.content.script || !Object.keys(this.step.explore).length;
  }

  /** @param {boolean} on */
  present(on) {
    document.documentElement.toggleAttribute("data-present", on);
    if (!on && document.fullscreenElement) document.exitFullscreen();
    // browsers allow full screen only after a click or a key press: ignore a refusal
    else if (on) document.documentElement.requestFullscreen?.().catch(() => {});
    this.schedule();
  }

  async #savePage() {
    save(SAVED, await standalonePage(this.content), "text/html");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const on = event.target instanceof Element ? event.target : document.body;
    if (
      !this.root.isConnected ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      on.closest("input, textarea, select, [contenteditable=true], [role=menu], [popover]")
    )
      return;
    const go = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
    if (go) this.go(this.index + go);
    else if (event.key === "p") this.present(!this.presenting);
    else if (event.key === "Escape" && this.presenting) this.present(false);
    else if ("1" <= event.key && event.key <= "9")
      /** @type {HTMLElement | null} */ (this.options.querySelector(`[data-key="${event.key}"]`))?.click();
    else return;
    event.preventDefault();
  }

  leave() {
    window.removeEventListener("keydown", this.onKey);
    window.removeEventListener("hashchange", this.onHash);
    document.removeEventListener("fullscreenchange", this.onScreen);
    this.observer.disconnect();
    this.tools.remove();
    cancelAnimationFrame(this.#movement);
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#linkTimer);
    document.documentElement.removeAttribute("data-present");
  }
}

/** Starts a saved course: a page of its own, without prviz.
 * @param {HTMLElement} root @param {Content} content */
export const alone = (root, content) => new Course(root, content);

/** @type {Map<HTMLElement, Course>} */
const COURSES = new Map();

/** @param {{ data: Uint8Array, parentElement: HTMLElement }} component */
export default function mount({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".course-root"));
  if (!COURSES.has(parentElement))
    COURSES.set(parentElement, new Course(root, JSON.parse(new TextDecoder().decode(data))));
  return () => {
    COURSES.get(parentElement)?.leave();
    COURSES.delete(parentElement);
  };
}
