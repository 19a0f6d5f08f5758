// The first minute: a line between two sets makes one point, its points draw the truth; then samples, k, and lam, which
// moves the line. One gesture, one sentence, one consequence a step; every control where Explore has it afterwards.

import { angleToLam, pathOf, pointAt, pointOf, sampled, shortNumber, vertexPairs } from "../_live/curve.js";
import { button, element, setAttributes, setText } from "../_live/dom.js";
import { placeLabels } from "../_live/label_places.js";
import { whileHere } from "../_live/leaving.js";
import { Stage, mark, path } from "../_shared/stage.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Line } from "../_live/label_places.js" */
/** @import { Drawing } from "../_shared/stage.js" */

/**
 * @typedef {[x: number, y: number]} Place
 * @typedef {[offset: number, fpr: number, fnr: number, lam: number]} Cut a line across the row of modes, real before it
 * @typedef {{ vertices: number[], overlap: number }} Estimate
 * @typedef {{ real: Place[], generated: Place[], curves: Record<string, Estimate>, watched: Place, distances: number[], are_real: boolean[] }} Draw
 * @typedef {{ lines: Cut[], truth: number[], draws: Draw[], ks: number[], usual: number, color: string, cookie: string }} Content
 * @typedef {{ side: number, x: (recall: number) => number, y: (precision: number) => number, axes: { xaxis: { at: (x: number) => number }, yaxis: { at: (y: number) => number } } }} Square
 */

const SENTENCES = [
  "Drag the line. It is a classifier, and makes one point.",
  "Sweep the line: its points draw the dashed curve, the truth.",
  "kNN knows only these samples: the solid curve. Draw new samples.",
  "Pull k down: with one neighbour, kNN overshoots the truth.",
  "Pull λ down to recall, up to precision. The best line follows.",
];
const SWEEP_MS = 2200,
  STEP_OF_KEYS = 0.1,
  TRAIL = 14,
  TRAIL_APART = 0.12;
const FIRST = 0.9; // the line's first place
const HALF = 6.6; // the scatter is as wide as this, on both sides of its middle
const TURNED_TO = 1000; // pixels of the window, up to which the row of modes lies flat
const LETTERS = 14;
const REDUCED = "(prefers-reduced-motion: reduce)";
const SIDE = { real: "real on the green side", generated: "generated on the violet side" };

class Guide {
  step = 0;
  offset = FIRST;
  /** @type {number[]} places of the line since the step began */
  trail = [];
  draw = 0;
  /** @type {Set<number>} draws that were seen before */
  seen = new Set();
  angle = 45;
  frame = 0;

  /** @param {HTMLElement} root @param {Content} content @param {(lam: number | null) => void} over */
  constructor(root, content, over) {
    this.content = content;
    this.k = content.usual;
    this.over = over;
    this.say = element("p.say", { tabindex: -1, "aria-live": "polite" });
    this.dots = SENTENCES.map((_, step) =>
      button(() => this.go(step), { class: "dot", "aria-label": `Step ${step + 1} of ${SENTENCES.length}` }),
    );
    const skip = button(() => this.leave(null), "Skip", { class: "skip" });
    this.act = button(() => this.acted(), { class: "act" });
    this.back = button(() => this.go(this.step - 1), "Back");
    this.next = button(() => this.went(), { class: "next" });
    this.figure = new Stage("figure", { begun: () => {}, moved: () => {} });
    this.space = new Stage("space", {
      begun: () => this.hand?.focus({ preventScroll: true }),
      moved: ({ offset }) => this.moveLine(offset),
    });
    this.kSlider = element("input", {
      type: "range",
      min: 0,
      max: content.ks.length - 1,
      "aria-label": "Neighbours k",
    });
    this.kSlider.oninput = () => this.takeK(content.ks[+this.kSlider.value]);
    this.kText = element("b");
    this.lamSlider = element("input", {
      type: "range",
      min: 4,
      max: 86,
      "aria-label": "Trade-off lambda, from recall to precision",
    });
    this.lamSlider.oninput = () => this.takeAngle(+this.lamSlider.value);
    this.lamText = element("b");
    this.below = element("div.below");
    const ends = (/** @type {string} */ low, /** @type {string} */ high) =>
      element("div.ends", element("span", low), element("span", high));
    const [least, most] = [content.ks[0], content.ks[content.ks.length - 1]];
    const kBox = element(
      "label.k",
      element("span", "Neighbours k", this.kText),
      this.kSlider,
      ends(`${least}`, `${most}`),
    );
    this.rail = element("aside.rail", element("span.chip", "kNN"), kBox);
    const key = element(
      "div.key",
      element("span.real", "● real"),
      element("span.generated", "▲ generated"),
      this.act,
    );
    const lam = element(
      "label.lam",
      element("span", "Trade-off λ", this.lamText),
      this.lamSlider,
      ends("recall", "precision"),
    );
    const head = element("header", this.say, element("nav", { "aria-label": "Steps" }, ...this.dots), skip);
    const beside = element("div.beside", key, this.space.box, this.below);
    this.box = element(
      "section.guide",
      { "aria-label": "The first minute" },
      this.rail,
      head,
      this.figure.box,
      lam,
      beside,
      element("footer", this.back, this.next),
    );
    root.replaceChildren(this.box);
    this.box.addEventListener("keydown", (event) => {
      // as if the line had the focus, which a newcomer gives to nothing
      if (this.step < 2 && event.key.startsWith("Arrow") && event.target !== this.hand) {
        this.hand?.focus({ preventScroll: true });
        this.hand?.dispatchEvent(new window.KeyboardEvent("keydown", { key: event.key, cancelable: true }));
        event.preventDefault();
      }
    });
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.box);
    const asked = Number(new URLSearchParams(location.search).get("step"));
    this.go(Number.isInteger(asked) && asked > 0 ? asked - 1 : 0);
  }

  /** The line's last place, on both sides of the middle. */
  get farthest() {
    return this.content.lines[this.content.lines.length - 1][0];
  }

  /** @returns {SVGElement | null} */
  get hand() {
    return this.space.svg.querySelector("[data-hand=line]");
  }

  get turned() {
    return window.innerWidth <= TURNED_TO;
  }

  /** @param {number} step */
  go(step) {
    cancelAnimationFrame(this.frame);
    this.step = Math.min(Math.max(step, 0), SENTENCES.length - 1);
    this.trail = [];
    this.draw = 0;
    this.seen = new Set();
    this.k = this.content.usual;
    this.takeAngle(45, false);
    if (this.step === 0) this.offset = FIRST;
    this.box.dataset.step = String(this.step + 1);
    this.box.removeAttribute("data-done");
    setText(this.say, SENTENCES[this.step]);
    this.dots.forEach((dot, each) =>
      setAttributes(dot, { "aria-current": each === this.step ? "step" : "false" }),
    );
    setText(this.act, this.step === 1 ? "Sweep" : "New samples");
    setText(this.next, this.step < SENTENCES.length - 1 ? "Next" : "Open Explore");
    const address = new URL(location.href);
    address.searchParams.set("step", String(this.step + 1));
    history.replaceState(history.state, "", address);
    this.paint();
  }

  went() {
    if (this.step === SENTENCES.length - 1) this.leave(angleToLam(this.angle));
    else this.go(this.step + 1);
    (this.hand ?? this.say).focus({ preventScroll: true });
  }

  /** @param {number | null} lam of the last step; null: the steps were skipped */
  leave(lam) {
    cancelAnimationFrame(this.frame);
    document.cookie = `${this.content.cookie}=seen; path=/; max-age=${60 * 60 * 24 * 365}; samesite=lax`;
    const address = new URL(location.href);
    address.searchParams.delete("step");
    history.replaceState(history.state, "", address);
    this.over(lam);
  }

  /** The step's gesture was made: what is to be touched next is the button that leads on. */
  did() {
    this.box.setAttribute("data-done", "");
  }

  acted() {
    if (this.step === 1) this.sweep();
    else {
      this.seen.add(this.draw);
      this.draw = (this.draw + 1) % this.content.draws.length;
      this.did();
      this.paint();
    }
  }

  sweep() {
    cancelAnimationFrame(this.frame);
    this.trail = [];
    const began = performance.now(),
      whole = matchMedia(REDUCED).matches ? 0 : SWEEP_MS;
    const tick = (/** @type {number} */ now) => {
      const share = whole ? Math.min((now - began) / whole, 1) : 1,
        from = this.trail.at(-1) ?? -this.farthest;
      const to = this.farthest * (2 * share - 1);
      for (let at = from; at < to; at += TRAIL_APART) this.trail.push(at);
      this.moveLine(to);
      if (share < 1) this.frame = requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  /** @param {number} offset */
  moveLine(offset) {
    [this.offset] = this.cutAt(offset);
    const last = this.trail.at(-1);
    if (last === undefined || Math.abs(last - this.offset) > TRAIL_APART) this.trail.push(this.offset);
    if (this.trail.length > 3) this.did();
    this.paint();
  }

  /** @param {number} k */
  takeK(k) {
    this.k = k;
    this.did();
    this.paint();
  }

  /** @param {number} angle @param {boolean} [byHand] */
  takeAngle(angle, byHand = true) {
    this.angle = angle;
    const lam = angleToLam(angle),
      far = (/** @type {Cut} */ cut) => Math.abs(Math.log(cut[3] / lam));
    if (this.step === 4)
      this.offset = this.content.lines.reduce((best, cut) => (far(cut) < far(best) ? cut : best))[0];
    if (byHand) {
      this.did();
      this.paint();
    }
  }

  /** The line that is nearest to this place.
   * @param {number} offset @returns {Cut} */
  cutAt(offset) {
    const { lines } = this.content,
      apart = lines[1][0] - lines[0][0];
    return lines[Math.min(Math.max(Math.round((offset - lines[0][0]) / apart), 0), lines.length - 1)];
  }

  /** @param {number} offset */
  pointOfLine(offset) {
    const [, fpr, fnr, lam] = this.cutAt(offset);
    return pointOf(fpr, fnr, lam);
  }

  paint() {
    const { content } = this,
      usual = `${content.usual}`,
      shown = content.draws[this.draw];
    this.kSlider.value = String(content.ks.indexOf(this.k));
    this.lamSlider.value = String(this.angle);
    setText(this.kText, String(this.k));
    setText(
      this.lamText,
      `λ = ${this.angle < 45 ? `1/${shortNumber(+(1 / angleToLam(this.angle)).toPrecision(2))}` : shortNumber(+angleToLam(this.angle).toPrecision(2))}`,
    );
    const estimate = shown.curves[this.step === 3 ? this.k : usual];
    this.figure.draw(this.figureDrawing(estimate));
    this.space.draw(this.spaceDrawing(shown));
    this.below.replaceChildren(...this.words(shown, estimate));
  }

  /** What stands under the scatter.
   * @param {Draw} shown @param {Estimate} estimate */
  words(shown, estimate) {
    const rows = [];
    if (this.withLine) {
      const [, fpr, fnr] = this.cutAt(this.offset);
      for (const [side, rate] of /** @type {["real" | "generated", number][]} */ ([
        ["real", fpr],
        ["generated", fnr],
      ])) {
        const bar = element("i.bar", element("i", { style: `width: ${100 * rate}%` }));
        rows.push(
          element(
            "div",
            { class: `rate ${side}` },
            element("span", SIDE[side]),
            bar,
            element("b", `${Math.round(100 * rate)} %`),
          ),
        );
      }
    }
    if (this.step === 2 || this.step === 3) {
      const real = shown.are_real.slice(0, this.k).filter(Boolean).length;
      const counted =
        this.k === 1
          ? `its nearest one is ${real ? "real" : "generated"}`
          : `of its ${this.k} nearest ${real} are real`;
      rows.push(element("p", `×, a real sample: ${counted}.`));
    }
    if (this.step > 1)
      rows.push(
        element(
          "div.overlap",
          element("b", "kNN"),
          element("span", "overlap with the truth ", element("b", estimate.overlap.toFixed(2))),
        ),
      );
    return rows;
  }

  get withLine() {
    return this.step < 2 || this.step === 4;
  }

  /** @returns {Square} */
  square() {
    const { width, height, em } = this.figure.size,
      least = 3.4 * em,
      top = 0.7 * em;
    const side = Math.max(Math.min(width - least - 0.8 * em, height - top - 3.6 * em), 40);
    const left = this.turned ? Math.max((width - side) / 2, least) : least;
    const x = (/** @type {number} */ recall) => left + recall * side,
      y = (/** @type {number} */ precision) => top + (1 - precision) * side;
    return { side, x, y, axes: { xaxis: { at: x }, yaxis: { at: y } } };
  }

  /** @param {Estimate} estimate @returns {Drawing} */
  figureDrawing(estimate) {
    const square = this.square(),
      { side, x, y, axes } = square,
      { em } = this.figure.size,
      marks = [];
    for (let i = 0; i <= 5; i++) {
      const at = i / 5,
        text = String(at);
      marks.push(mark("path.grid", { d: `M${x(at)} ${y(1)}V${y(0)}M${x(0)} ${y(at)}H${x(1)}` }));
      marks.push(mark("text.tick", { x: x(at), y: y(0) + 1.3 * em, "text-anchor": "middle" }, text));
      marks.push(mark("text.tick", { x: x(0) - 0.4 * em, y: y(at) + 0.35 * em, "text-anchor": "end" }, text));
    }
    marks.push(
      mark(
        "text",
        { x: x(0.5), y: y(0) + 2.9 * em, "text-anchor": "middle" },
        "recall: what is real that it can make",
      ),
    );
    marks.push(
      mark(
        "text",
        { transform: `translate(${x(0) - 2.5 * em} ${y(0.5)}) rotate(-90)`, "text-anchor": "middle" },
        "precision: what it makes that could be real",
      ),
    );
    const curve = (/** @type {number[]} */ flat, /** @type {string} */ name) =>
      mark("path", { class: name, d: pathOf(vertexPairs(flat), axes) });
    const pixels = (/** @type {number[]} */ flat) =>
      sampled(vertexPairs(flat)).map(
        ({ alpha, beta }) => /** @type {Place} */ ([x(beta) - x(0), y(alpha) - y(1)]),
      );
    /** @type {Line[]} */
    const named = [];
    if (this.step < 2) marks.push(...this.lineMarks(square, named));
    else {
      const { truth, draws, usual } = this.content,
        name = this.step === 3 ? `kNN, k = ${this.k}` : "kNN";
      const before = this.step === 3 && this.k !== usual ? [0] : [];
      const ghosts = this.step === 2 ? [...this.seen].filter((each) => each !== this.draw) : before;
      if (this.step === 3) {
        const there = sampled(vertexPairs(estimate.vertices)),
          back = [...sampled(vertexPairs(truth))].reverse();
        if (estimate.overlap < 0.7)
          marks.push(mark("text.name.knn", { x: x(0.36), y: y(0.57), "text-anchor": "middle" }, "too high"));
        marks.push(
          mark("path.gap", {
            d: `${path([...there, ...back].map(({ alpha, beta }) => [x(beta), y(alpha)]))}Z`,
          }),
        );
      }
      for (const each of ghosts) {
        const { vertices } = draws[each].curves[usual];
        marks.push(curve(vertices, "ghost"));
        named.push({ id: `ghost ${each}`, points: pixels(vertices), text: "" });
      }
      marks.push(curve(truth, "truth"), curve(estimate.vertices, "knn"));
      named.push(
        { id: "truth", points: pixels(truth), text: "truth" },
        { id: "knn", points: pixels(estimate.vertices), text: name },
      );
      if (this.step === 4) marks.push(...this.lamMarks(square, estimate));
    }
    for (const [
      id,
      {
        box: [left, top, right, bottom],
        index,
      },
    ] of placeLabels(named, [side, side], LETTERS)) {
      const end = index % 2 === 1;
      marks.push(
        mark(
          "text",
          {
            class: `name ${id}`,
            x: x(0) + (end ? right : left),
            y: y(1) + (top + bottom) / 2,
            "text-anchor": end ? "end" : "start",
            "dominant-baseline": "central",
          },
          named.find((line) => line.id === id)?.text,
        ),
      );
    }
    return { marks: marks.join(""), handles: [] };
  }

  /** The line's point, and where it was.
   * @param {Square} square @param {Line[]} named */
  lineMarks({ x, y, axes }, named) {
    const places = (/** @type {number[]} */ offsets) =>
      offsets
        .map((offset) => this.pointOfLine(offset))
        .map(({ alpha, beta }) => /** @type {Place} */ ([x(beta), y(alpha)]));
    const { em } = this.figure.size,
      marks = [],
      last = this.trail.slice(-TRAIL);
    if (this.step === 0)
      places(last).forEach(([cx, cy], i) =>
        marks.push(mark("circle.was", { cx, cy, r: 0.25 * em, opacity: (0.6 * (i + 1)) / last.length })),
      );
    const swept = places([...this.trail].sort((a, b) => a - b));
    if (this.step === 1 && swept.length > 1) {
      const ended = [Math.min(...this.trail), Math.max(...this.trail)].every(
        (end) => Math.abs(end) > 0.97 * this.farthest,
      );
      marks.push(
        mark("path.truth", {
          d: ended ? pathOf(vertexPairs(this.content.truth), axes) : path(swept),
        }),
      );
      if (swept.length > 30)
        named.push({ id: "truth", points: swept.map(([px, py]) => [px - x(0), py - y(1)]), text: "truth" });
    }
    const [[cx, cy]] = places([this.offset]),
      right = cx < x(0.6),
      { alpha, beta } = this.pointOfLine(this.offset);
    marks.push(mark("circle.now", { cx, cy, r: 0.5 * em }));
    if (this.step === 0 || !named.length)
      marks.push(
        mark(
          "text.name.halo",
          {
            x: cx + (right ? em : -0.4 * em),
            y: cy + (right || alpha < 0.1 ? -0.8 : 1.7) * em,
            "text-anchor": right ? "start" : "end",
          },
          `recall ${beta.toFixed(2)}, precision ${alpha.toFixed(2)}`,
        ),
      );
    marks.push(
      mark("text.tick", { x: x(0.98), y: y(0.94), "text-anchor": "end" }, "up here: hard to tell apart"),
    );
    return marks;
  }

  /** The ray of lam, and what is read where it meets the truth.
   * @param {Square} square @param {Estimate} estimate */
  lamMarks({ x, y }, estimate) {
    const { em } = this.figure.size,
      lam = angleToLam(this.angle),
      far = Math.min(1, 1 / lam);
    const truth = pointAt(vertexPairs(this.content.truth), lam),
      found = pointAt(vertexPairs(estimate.vertices), lam);
    const recall = lam < 1,
      at = { cx: x(truth.beta), cy: y(truth.alpha) };
    const left = at.cx < x(0.35),
      words = recall ? `recall ${truth.beta.toFixed(2)}` : `precision ${truth.alpha.toFixed(2)}`;
    return [
      mark("path.ray", { d: `M${x(0)} ${y(0)}L${x(far)} ${y(far * lam)}` }),
      mark("path.drop", { d: `M${at.cx} ${at.cy}${recall ? `V${y(0)}` : `H${x(0)}`}` }),
      mark("circle.found", { cx: x(found.beta), cy: y(found.alpha), r: 0.42 * em }),
      mark("circle.now", { ...at, r: 0.5 * em }),
      mark(
        "text.name.halo",
        {
          x: at.cx + (left ? 0.8 : -0.7) * em,
          y: at.cy + (left ? -0.8 : 1.6) * em,
          "text-anchor": left ? "start" : "end",
        },
        words,
      ),
    ];
  }

  /** Where a sample stands in the scatter, in pixels; on a narrow screen the row of modes lies flat.
   * @returns {{ at: (place: Place) => Place, back: (x: number, y: number) => number, scale: number }} */
  scatterScales() {
    const { width, height } = this.space.size,
      half = Math.SQRT1_2;
    const scale = (this.turned ? width : Math.min(width, height)) / (2 * HALF);
    const [middleX, middleY] = [width / 2, height / 2];
    if (this.turned) {
      return {
        scale,
        at: ([a, b]) => [middleX + (a + b) * half * scale, middleY + (a - b) * half * scale],
        back: (px) => (px - middleX) / scale,
      };
    }
    return {
      scale,
      at: ([a, b]) => [middleX + a * scale, middleY - b * scale],
      back: (px, py) => ((px - middleX - (py - middleY)) * half) / scale,
    };
  }

  /** A place along the row of modes and across it, in pixels.
   * @param {number} along @param {number} across */
  placeOf(along, across) {
    return this.scatterScales().at([(along - across) * Math.SQRT1_2, (along + across) * Math.SQRT1_2]);
  }

  /** Where the line is held, in pixels. @returns {Place} */
  handlePlace() {
    const { height, em } = this.space.size,
      [x, y] = this.placeOf(this.offset, -3.6);
    return [x, this.turned ? height - 2 * em : y];
  }

  /** Both ways in which the line can be pulled. */
  arrow() {
    const [x, y] = this.handlePlace(),
      turn = this.turned ? 0 : -45,
      length = 2.6 * this.space.size.em,
      head = 6;
    const end = (/** @type {number} */ sign) =>
      `M${sign * (length - head)} ${-head}l${sign * head} ${head}l${-sign * head} ${head}`;
    return mark("path.arrow", {
      transform: `translate(${x} ${y}) rotate(${turn})`,
      d: `M${-length} 0H${length}${end(1)}${end(-1)}`,
    });
  }

  /** @param {Draw} shown @returns {Drawing} */
  spaceDrawing(shown) {
    const { at, back, scale } = this.scatterScales(),
      { width, height, em } = this.space.size,
      marks = [];
    const far = 40,
      line = path([this.placeOf(this.offset, -far), this.placeOf(this.offset, far)]),
      size = 0.2 * em;
    if (this.withLine) {
      for (const [name, end] of /** @type {[string, number][]} */ ([
        ["violet", -far],
        ["green", far],
      ])) {
        marks.push(
          mark("path", {
            class: name,
            d: `${line}${path([this.placeOf(end, far), this.placeOf(end, -far)]).replace("M", "L")}Z`,
          }),
        );
      }
    }
    for (const name of /** @type {const} */ (["real", "generated"])) {
      for (const sample of shown[name]) {
        const [px, py] = at(sample),
          along = (sample[0] + sample[1]) * Math.SQRT1_2,
          wrong = this.withLine && (name === "real") === along > this.offset;
        const kind = `sample ${name}${wrong ? " wrong" : ""}`;
        if (name === "real")
          marks.push(
            mark("circle", { class: kind, cx: px.toFixed(1), cy: py.toFixed(1), r: size.toFixed(1) }),
          );
        else
          marks.push(
            mark("path", {
              class: kind,
              d: `M${px.toFixed(1)} ${(py - 1.2 * size).toFixed(1)}l${size.toFixed(1)} ${(1.8 * size).toFixed(1)}h${(-2 * size).toFixed(1)}Z`,
            }),
          );
      }
    }
    if (this.withLine) {
      marks.push(mark("path.line", { d: line }));
      if (this.step < 2) marks.push(this.arrow());
    } else {
      const [cx, cy] = at(shown.watched),
        arm = 0.4 * em;
      marks.push(mark("circle.ball", { cx, cy, r: shown.distances[this.k - 1] * scale }));
      marks.push(
        mark("path.watched", {
          d: `M${cx - arm} ${cy - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`,
        }),
      );
    }
    const clip = mark("clipPath", { id: "guide-clip" }, mark("rect", { width, height }));
    const drawing = {
      marks: `${clip}${mark("g", { "clip-path": "url(#guide-clip)" }, marks.join(""))}`,
      handles: [],
    };
    if (this.step > 1) return drawing;
    const [hx, hy] = this.handlePlace(),
      [, fpr, fnr] = this.cutAt(this.offset);
    /** @type {import("../_shared/stage.js").Handle} */
    const handle = {
      id: "line",
      label: "The line",
      text: `${Math.round(100 * fpr)} % of real on the green side, ${Math.round(100 * fnr)} % of generated on the violet side`,
      now: this.offset,
      min: -this.farthest,
      max: this.farthest,
      x: hx,
      y: hy,
      color: "var(--hand)",
      carried: true,
      drag: (px, py) => ({ offset: back(px, py) }),
      press: (steps) => ({ offset: this.offset + STEP_OF_KEYS * Math.max(-88, Math.min(88, steps)) }),
    };
    return { ...drawing, handles: [handle], grab: () => ({ id: "line" }) };
  }
}

/** @type {WeakMap<Element, Guide>} */
const GUIDES = new WeakMap();

/** @param {{ data: Uint8Array, parentElement: HTMLElement, setTriggerValue: (name: string, value: unknown) => void }} component */
export default function mount({ data, parentElement, setTriggerValue }) {
  const tell = whileHere(parentElement),
    root = /** @type {HTMLElement} */ (parentElement.querySelector(".guide-root"));
  const known = GUIDES.get(parentElement),
    over = (/** @type {number | null} */ lam) => tell(() => setTriggerValue("over", { lam }));
  const framed = window.self !== window.top && !new URLSearchParams(location.search).has("step");
  if (framed)
    over(null); // a page of another site keeps no cookie there: the steps would come every time
  else if (known) known.over = over;
  else GUIDES.set(parentElement, new Guide(root, JSON.parse(new TextDecoder().decode(data)), over));
  return () => {
    GUIDES.get(parentElement)?.observer.disconnect();
    GUIDES.delete(parentElement);
  };
}
