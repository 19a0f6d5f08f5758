// The guide to Explore in five steps: (1) a line between two sets is a classifier and gives one point, (2) all lines
// together give the true curve, (3) samples give an estimate, (4) the estimate depends on k, (5) lam chooses the best
// line. Each step has one sentence, one gesture of the user and one effect; a control is at the same place as in
// Explore.

import { angleToLam, pathOf, pointAt, pointOf, sampled, shortNumber, vertexPairs } from "../_live/curve.js";
import { button, element, setAttributes, setText } from "../_live/dom.js";
import { placeLabels } from "../_live/label_places.js";
import { whileHere } from "../_live/leaving.js";
import { makeStage, mark, path } from "../_shared/stage.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Line } from "../_live/label_places.js" */
/** @import { Drawing } from "../_shared/stage.js" */

/**
 * @typedef {[x: number, y: number]} Place
 * @typedef {[offset: number, fpr: number, fnr: number, lam: number]} Cut a line across the row of modes at this offset: samples on the side of smaller offsets are called real
 * @typedef {{ vertices: number[], overlap: number }} Estimate
 * @typedef {{ real: Place[], generated: Place[], curves: Record<string, Estimate>, watched: Place, distances: number[], are_real: boolean[], seed: number }} Draw
 * @typedef {{ lines: Cut[], truth: number[], draws: Draw[], ks: number[], usual: number, color: string, cookie: string }} Content
 * @typedef {{ lam: number | null, seed?: number }} Left lam and seed when the guide ended; lam is null if the guide was skipped
 * @typedef {{ side: number, x: (recall: number) => number, y: (precision: number) => number, axes: { xaxis: { at: (x: number) => number }, yaxis: { at: (y: number) => number } } }} Square
 */

const SENTENCES = [
  "Drag the line. It is a classifier, and makes one point.",
  "Sweep the line: its points draw the dashed curve, the truth.",
  "k nearest neighbours (kNN) know only these samples: the solid curve. Take new samples.",
  "Pull k down: with one neighbour, kNN overshoots the truth.",
  "Pull λ left to recall, right to precision. The best line follows.",
];
const SWEEP_MS = 2200,
  STEP_OF_KEYS = 0.1,
  TRAIL = 14,
  TRAIL_APART = 0.12;
const FIRST = 0.9; // offset of the line at the start
const HALF = 6.6; // half the width of the scatter, in the coordinates of the samples
const TURNED_TO = 1000; // windows up to this width (pixels) show the row of modes horizontally
const LETTERS = 14;
const REDUCED = "(prefers-reduced-motion: reduce)";
const LAST = SENTENCES.length - 1;
const SIDE = { real: "real on the green side", generated: "generated on the purple side" };

/** @param {"real" | "generated"} side @param {number} rate */
const rateRow = (side, rate) =>
  element(
    `div.rate.${side}`,
    element("span", SIDE[side]),
    element("i.bar", element("i", { style: `width: ${100 * rate}%` })),
    element("b", `${Math.round(100 * rate)} %`),
  );

/** The two formulas that give recall and precision from the error rates. weight: text for lam.
 * @param {string} weight */
const sums = (weight) => {
  const part = (/** @type {"real" | "generated"} */ role) => element(`b.${role}`, role);
  return element(
    "div.point",
    element("i"),
    element(
      "div",
      element("p", "recall = ", part("real"), " + ", part("generated"), ` ÷ ${weight}`),
      element("p", `precision = ${weight} × `, part("real"), " + ", part("generated")),
    ),
  );
};

/** The widest horizontal gap between a curve and the other curves to its left, over a height of 2 `tall`: room for a
 * text.
 * @param {number[][]} others @param {number[]} curve @param {number} tall */
function widestGap(others, curve, tall) {
  const reach = (/** @type {number[]} */ flat, /** @type {number} */ height) =>
    Math.max(
      ...sampled(vertexPairs(flat))
        .filter(({ alpha }) => alpha >= height)
        .map(({ beta }) => beta),
      0,
    );
  let best = { height: 0, middle: 0, width: 0 };
  for (let height = 2 * tall; height < 1 - tall; height += 0.01) {
    const left = Math.max(...others.map((flat) => reach(flat, height - tall))),
      right = reach(curve, height + tall);
    if (right - left > best.width) best = { height, middle: (left + right) / 2, width: right - left };
  }
  return best;
}

/** @param {HTMLElement} root @param {Content} content @param {(left: Left) => void} over */
function makeGuide(root, content, over) {
  let step = 0;
  let here = FIRST;
  /** @type {number[]} offsets at which the line has been since the step began */
  let trail = [];
  let draw = 0;
  /** @type {Set<number>} indices of the draws that this step has shown before */
  let seen = new Set();
  let angle = 45;
  let frame = 0;

  let k = content.usual;
  const say = element("p.say", { tabindex: -1, "aria-live": "polite" });
  const dots = SENTENCES.map((_, at) =>
    button(() => go(at), { class: "dot", "aria-label": `Step ${at + 1} of ${SENTENCES.length}` }),
  );
  const skip = button(() => leave(null), "Skip", { class: "skip" });
  const act = button(
    () => {
      if (step === 1) return sweep();
      seen.add(draw);
      draw = (draw + 1) % content.draws.length;
      did();
    },
    { class: "act" },
  );
  const backward = button(() => go(step - 1), "Back");
  const next = button(
    () => {
      if (step === LAST) leave(angleToLam(angle));
      else go(step + 1);
      (hand() ?? say).focus({ preventScroll: true });
    },
    { class: "next" },
  );
  const figure = makeStage("figure", { begun: () => {}, moved: () => {} });
  const space = makeStage("space", {
    begun: () => hand()?.focus({ preventScroll: true }),
    moved: ({ offset }) => moveLine(offset),
  });
  const kSlider = element("input", {
    type: "range",
    min: 0,
    max: content.ks.length - 1,
    "aria-label": "Neighbours k",
  });
  kSlider.oninput = () => {
    k = content.ks[+kSlider.value];
    did();
  };
  const kText = element("b");
  const lamSlider = element("input", {
    type: "range",
    min: 4,
    max: 86,
    "aria-label": "Trade-off lambda, from recall to precision",
  });
  lamSlider.oninput = () => {
    takeAngle(+lamSlider.value);
    did();
  };
  const lamText = element("b");
  const below = element("div.below");
  const ends = (/** @type {string} */ low, /** @type {string} */ high) =>
    element("div.ends", element("span", low), element("span", high));
  const kBox = element(
    "label.k",
    element("span", "Neighbours k", kText),
    kSlider,
    ends(`${content.ks[0]}`, `${content.ks.at(-1)}`),
  );
  const rail = element("aside.rail", element("span.chip", "kNN"), kBox);
  const key = element(
    "div.key",
    element("span.real", "● real"),
    element("span.generated", "▲ generated"),
    act,
  );
  const lamBox = element(
    "label.lam",
    element("span", "Trade-off λ", lamText),
    lamSlider,
    ends("recall", "precision"),
  );
  const header = element("header", say, element("nav", { "aria-label": "Steps" }, ...dots), skip);
  const beside = element("div.beside", key, space.box, below);
  const box = element(
    "section.guide",
    { "aria-label": "The first minute" },
    rail,
    header,
    figure.box,
    lamBox,
    beside,
    element("footer", backward, next),
  );
  /** Largest distance of the line from the middle, to either side. */
  const farthest = content.lines[content.lines.length - 1][0];

  /** @returns {SVGElement | null} */
  const hand = () => space.svg.querySelector("[data-hand=line]");
  const turned = () => window.innerWidth <= TURNED_TO;
  const withLine = () => step < 2 || step === 4;

  /** @param {(entries: URLSearchParams) => void} change */
  function changeAddress(change) {
    const address = new URL(location.href);
    change(address.searchParams);
    history.replaceState(history.state, "", address);
  }

  /** @param {number} to */
  function go(to) {
    cancelAnimationFrame(frame);
    step = Math.min(Math.max(to, 0), LAST);
    trail = [];
    seen = new Set();
    if (step < LAST) k = content.usual;
    takeAngle(45);
    if (step === 0) here = FIRST;
    box.dataset.step = String(step + 1);
    box.removeAttribute("data-done");
    setText(say, SENTENCES[step]);
    dots.forEach((dot, each) => setAttributes(dot, { "aria-current": each === step ? "step" : "false" }));
    setText(act, step === 1 ? "Sweep" : "New samples");
    setText(next, step < LAST ? "Next" : "Open Explore");
    changeAddress((entries) => entries.set("step", String(step + 1)));
    paint();
  }

  /** @param {number | null} lam chosen in the last step; null: the guide was skipped */
  function leave(lam) {
    cancelAnimationFrame(frame);
    document.cookie = `${content.cookie}=seen; path=/; max-age=${60 * 60 * 24 * 365}; samesite=lax`;
    changeAddress((entries) => entries.delete("step"));
    guide.over({ lam, seed: content.draws[draw].seed });
  }

  /** Called when the user has done what the step asks for: highlights the button for the next step. */
  function did() {
    box.setAttribute("data-done", "");
    paint();
  }

  function sweep() {
    cancelAnimationFrame(frame);
    trail = [];
    const began = performance.now(),
      whole = matchMedia(REDUCED).matches ? 0 : SWEEP_MS;
    const tick = (/** @type {number} */ now) => {
      const share = whole ? Math.min((now - began) / whole, 1) : 1,
        from = trail.at(-1) ?? -farthest;
      const to = farthest * (2 * share - 1);
      for (let at = from; at < to; at += TRAIL_APART) trail.push(at);
      moveLine(to);
      if (share < 1) frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  }

  /** @param {number} to */
  function moveLine(to) {
    [here] = cutAt(to);
    const last = trail.at(-1);
    if (last === undefined || Math.abs(last - here) > TRAIL_APART) trail.push(here);
    if (trail.length > 3) did();
    else paint();
  }

  /** @param {number} to */
  function takeAngle(to) {
    angle = to;
    const lam = angleToLam(angle),
      far = (/** @type {Cut} */ cut) => Math.abs(Math.log(cut[3] / lam));
    if (step === 4) here = content.lines.reduce((best, cut) => (far(cut) < far(best) ? cut : best))[0];
  }

  /** The line of `content.lines` whose offset is nearest to this one.
   * @param {number} offset @returns {Cut} */
  function cutAt(offset) {
    const { lines } = content,
      apart = lines[1][0] - lines[0][0];
    return lines[Math.min(Math.max(Math.round((offset - lines[0][0]) / apart), 0), lines.length - 1)];
  }

  /** @param {number} offset */
  function pointOfLine(offset) {
    const [, fpr, fnr, lam] = cutAt(offset);
    return pointOf(fpr, fnr, lam);
  }

  function paint() {
    const shown = content.draws[draw],
      estimate = shown.curves[k],
      lam = angleToLam(angle);
    kSlider.value = String(content.ks.indexOf(k));
    lamSlider.value = String(angle);
    setText(kText, String(k));
    setText(lamText, `λ = ${shortNumber(lam)}`);
    figure.draw(figureDrawing(estimate));
    space.draw(spaceDrawing(shown));
    below.replaceChildren(...words(shown, estimate));
  }

  /** Elements below the scatter: error rates, formulas or counts of neighbours, depending on the step.
   * @param {Draw} shown @param {Estimate} estimate */
  function words(shown, estimate) {
    const rows = [];
    if (withLine()) {
      const [, fpr, fnr] = cutAt(here);
      rows.push(rateRow("real", fpr), rateRow("generated", fnr));
      rows.push(sums(step < 2 ? shortNumber(cutAt(here)[3]) : "λ"));
    }
    if (step === 2 || step === 3) {
      const real = shown.are_real.slice(0, k).filter(Boolean).length;
      const counted =
        k === 1
          ? `its nearest one is ${real ? "real" : "generated"}`
          : `of its ${k} nearest ${real} ${real === 1 ? "is" : "are"} real`;
      rows.push(element("p", `×, a real sample: ${counted}.`));
    }
    if (step > 1)
      rows.push(
        element(
          "div.overlap",
          element("b", "kNN"),
          element("span", "overlap with the truth ", element("b", estimate.overlap.toFixed(2))),
        ),
      );
    return rows;
  }

  /** @returns {Square} */
  function square() {
    const { width, height, em } = figure.size,
      least = 3.4 * em,
      top = 0.7 * em;
    const side = Math.max(Math.min(width - least - 0.8 * em, height - top - 3.6 * em), 40);
    const left = turned() ? Math.max((width - side) / 2, least) : least;
    const x = (/** @type {number} */ recall) => left + recall * side,
      y = (/** @type {number} */ precision) => top + (1 - precision) * side;
    return { side, x, y, axes: { xaxis: { at: x }, yaxis: { at: y } } };
  }

  /** @param {Estimate} estimate @returns {Drawing} */
  function figureDrawing(estimate) {
    const room = square(),
      { side, x, y, axes } = room,
      { em } = figure.size,
      marks = [];
    for (let i = 0; i <= 5; i++) {
      const at = i / 5,
        text = String(at);
      marks.push(
        mark("path.grid", { d: `M${x(at)} ${y(1)}V${y(0)}M${x(0)} ${y(at)}H${x(1)}` }),
        mark("text.tick", { x: x(at), y: y(0) + 1.3 * em, "text-anchor": "middle" }, text),
        mark("text.tick", { x: x(0) - 0.4 * em, y: y(at) + 0.35 * em, "text-anchor": "end" }, text),
      );
    }
    marks.push(
      mark(
        "text",
        { x: x(0.5), y: y(0) + 2.9 * em, "text-anchor": "middle" },
        "recall: what is real that it can make",
      ),
      mark(
        "text",
        { transform: `translate(${x(0) - 2.5 * em} ${y(0.5)}) rotate(-90)`, "text-anchor": "middle" },
        "precision: what it makes that could be real",
      ),
    );
    /** @type {Line[]} */
    const named = [];
    /** @type {import("../_live/label_places.js").Box[]} boxes of texts that the names of curves must not overlap */
    const taken = [];
    // Draws a curve. name: its CSS class; text: the name to write beside it, "" for none.
    const curve = (/** @type {number[]} */ flat, /** @type {string} */ id, name = id, text = "") => {
      const points = sampled(vertexPairs(flat)).map(
        ({ alpha, beta }) => /** @type {Place} */ ([x(beta) - x(0), y(alpha) - y(1)]),
      );
      marks.push(mark(`path.${name}`, { d: pathOf(vertexPairs(flat), axes) }));
      named.push({ id, points, text });
    };
    if (step < 2) marks.push(...lineMarks(room, named));
    else {
      const { truth, draws, usual } = content,
        name = step === 3 ? `kNN, k = ${k}` : "kNN";
      const before = step === 3 && k !== usual ? [draw] : [];
      const ghosts = step === 2 ? [...seen].filter((each) => each !== draw) : before;
      if (step === 3) {
        const there = sampled(vertexPairs(estimate.vertices)),
          back = [...sampled(vertexPairs(truth))].reverse();
        const gap = widestGap(
          ghosts.map((each) => draws[each].curves[usual].vertices).concat([truth]),
          estimate.vertices,
          LETTERS / side,
        );
        if (gap.width * side > 6 * LETTERS) {
          const [left, top] = [x(gap.middle) - x(0), y(gap.height) - y(1)];
          taken.push([left - 3 * LETTERS, top - LETTERS, left + 3 * LETTERS, top + LETTERS]);
          marks.push(
            mark(
              "text.name.knn",
              { x: x(gap.middle), y: y(gap.height), "text-anchor": "middle", "dominant-baseline": "central" },
              "too high",
            ),
          );
        }
        marks.push(
          mark("path.gap", {
            d: `${path([...there, ...back].map(({ alpha, beta }) => [x(beta), y(alpha)]))}Z`,
          }),
        );
      }
      for (const each of ghosts) curve(draws[each].curves[usual].vertices, `ghost ${each}`, "ghost");
      curve(truth, "truth", "truth", "truth");
      curve(estimate.vertices, "knn", "knn", name);
      if (step === 4) marks.push(...lamMarks(room, estimate));
    }
    for (const [id, place] of placeLabels(named, [side, side], LETTERS, taken)) {
      const end = place.index % 2 === 1,
        [left, top, right, bottom] = place.box;
      marks.push(
        mark(
          `text.name.${id}`,
          {
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

  /** Marks for the line's point in the figure, with its earlier points (step 1) or the curve swept so far (step 2).
   * @param {Square} square @param {Line[]} named */
  function lineMarks({ x, y, axes }, named) {
    const places = (/** @type {number[]} */ offsets) =>
      offsets.map(pointOfLine).map(({ alpha, beta }) => /** @type {Place} */ ([x(beta), y(alpha)]));
    const { em } = figure.size,
      marks = [],
      last = trail.slice(-TRAIL);
    if (step === 0)
      places(last).forEach(([cx, cy], i) =>
        marks.push(mark("circle.was", { cx, cy, r: 0.25 * em, opacity: (0.6 * (i + 1)) / last.length })),
      );
    const swept = places([...trail].sort((a, b) => a - b));
    if (step === 1 && swept.length > 1) {
      const ended = [Math.min(...trail), Math.max(...trail)].every((end) => Math.abs(end) > 0.97 * farthest);
      marks.push(
        mark("path.truth", {
          d: ended ? pathOf(vertexPairs(content.truth), axes) : path(swept),
        }),
      );
      if (swept.length > 30)
        named.push({ id: "truth", points: swept.map(([px, py]) => [px - x(0), py - y(1)]), text: "truth" });
    }
    const [[cx, cy]] = places([here]),
      right = cx < x(0.6),
      { alpha, beta } = pointOfLine(here);
    marks.push(mark("circle.now", { cx, cy, r: 0.5 * em }));
    if (step === 0 || !named.length)
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
    const aside = mark(
      "text.tick",
      { x: x(0.98), y: y(0.94), "text-anchor": "end" },
      "up here: hard to tell apart",
    );
    return [...marks, aside];
  }

  /** Marks for the ray of slope lam, and for the precision or recall at which it meets the true curve.
   * @param {Square} square @param {Estimate} estimate */
  function lamMarks({ x, y }, estimate) {
    const { em } = figure.size,
      lam = angleToLam(angle),
      far = Math.min(1, 1 / lam);
    const truth = pointAt(vertexPairs(content.truth), lam),
      found = pointAt(vertexPairs(estimate.vertices), lam);
    const recall = lam < 1,
      at = { cx: x(truth.beta), cy: y(truth.alpha) };
    const left = at.cx < x(0.35),
      said = recall ? `recall ${truth.beta.toFixed(2)}` : `precision ${truth.alpha.toFixed(2)}`;
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
        said,
      ),
    ];
  }

  /** Scales between coordinates of samples and pixels of the scatter. On narrow screens the row of modes, a diagonal,
   * is turned to be horizontal.
   * @returns {{ at: (place: Place) => Place, back: (x: number, y: number) => number, scale: number }} */
  function scatterScales() {
    const { width, height } = space.size,
      half = Math.SQRT1_2;
    const scale = (turned() ? width : Math.min(width, height)) / (2 * HALF);
    const [middleX, middleY] = [width / 2, height / 2];
    if (turned()) {
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

  /** Position in pixels of a point that is given by its coordinates along the row of modes and across it.
   * @param {number} along @param {number} across */
  function placeOf(along, across) {
    return scatterScales().at([(along - across) * Math.SQRT1_2, (along + across) * Math.SQRT1_2]);
  }

  /** Position of the line's handle in pixels.
   * @returns {Place} */
  function handlePlace() {
    const { height, em } = space.size,
      [x, y] = placeOf(here, -3.6);
    return [x, turned() ? height - 2 * em : y];
  }

  /** A double arrow on the line's handle: it shows that the line can be dragged to both sides. */
  function arrow() {
    const [x, y] = handlePlace(),
      turn = turned() ? 0 : -45,
      length = 2.6 * space.size.em,
      head = 6;
    const end = (/** @type {number} */ sign) =>
      `M${sign * (length - head)} ${-head}l${sign * head} ${head}l${-sign * head} ${head}`;
    return mark("path.arrow", {
      transform: `translate(${x} ${y}) rotate(${turn})`,
      d: `M${-length} 0H${length}${end(1)}${end(-1)}`,
    });
  }

  /** @param {Draw} shown @returns {Drawing} */
  function spaceDrawing(shown) {
    const { at, back, scale } = scatterScales(),
      { width, height, em } = space.size,
      marks = [];
    const far = 40,
      line = path([placeOf(here, -far), placeOf(here, far)]),
      size = 0.2 * em,
      triangle = `m0 ${-1.2 * size}l${size} ${1.8 * size}h${-2 * size}Z`;
    const half = (/** @type {number} */ end) =>
      `${line}${path([placeOf(end, far), placeOf(end, -far)]).replace("M", "L")}Z`;
    if (withLine()) marks.push(mark("path.violet", { d: half(-far) }), mark("path.green", { d: half(far) }));
    for (const name of /** @type {const} */ (["real", "generated"])) {
      for (const sample of shown[name]) {
        const [cx, cy] = at(sample),
          along = (sample[0] + sample[1]) * Math.SQRT1_2,
          wrong = withLine() && (name === "real") === along > here;
        const kind = `sample.${name}${wrong ? ".wrong" : ""}`;
        marks.push(
          name === "real"
            ? mark(`circle.${kind}`, { cx, cy, r: size })
            : mark(`path.${kind}`, { d: `${path([[cx, cy]])}${triangle}` }),
        );
      }
    }
    if (withLine()) {
      marks.push(mark("path.line", { d: line }));
      if (step < 2) marks.push(arrow());
    } else {
      const [cx, cy] = at(shown.watched),
        arm = 0.4 * em;
      marks.push(
        mark("circle.ball", { cx, cy, r: shown.distances[k - 1] * scale }),
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
    if (step > 1) return drawing;
    const [hx, hy] = handlePlace(),
      [, fpr, fnr] = cutAt(here);
    /** @type {import("../_shared/stage.js").Handle} */
    const handle = {
      id: "line",
      label: "The line",
      text: `${Math.round(100 * fpr)} % of real on the green side, ${Math.round(100 * fnr)} % of generated on the purple side`,
      now: here,
      min: -farthest,
      max: farthest,
      x: hx,
      y: hy,
      color: "var(--hand)",
      carried: true,
      drag: (px, py) => ({ offset: back(px, py) }),
      press: (steps) => ({ offset: here + STEP_OF_KEYS * Math.max(-88, Math.min(88, steps)) }),
    };
    return { ...drawing, handles: [handle], grab: () => ({ id: "line" }) };
  }

  root.replaceChildren(box);
  box.addEventListener("keydown", (event) => {
    // arrow keys move the line even before the user has focused it
    if (step < 2 && event.key.startsWith("Arrow") && event.target !== hand()) {
      hand()?.focus({ preventScroll: true });
      hand()?.dispatchEvent(new window.KeyboardEvent("keydown", { key: event.key, cancelable: true }));
      event.preventDefault();
    }
  });
  const observer = new ResizeObserver(paint),
    guide = { observer, over };
  observer.observe(box);
  const asked = Number(new URLSearchParams(location.search).get("step"));
  go(Number.isInteger(asked) && asked > 0 ? asked - 1 : 0);
  return guide;
}

/** @type {WeakMap<Element, { observer: ResizeObserver, over: (left: Left) => void }>} */
const GUIDES = new WeakMap();

/** @param {{ data: Uint8Array, parentElement: HTMLElement, setTriggerValue: (name: string, value: unknown) => void }} component */
export default function mount({ data, parentElement, setTriggerValue }) {
  const tell = whileHere(parentElement),
    root = /** @type {HTMLElement} */ (parentElement.querySelector(".guide-root"));
  const known = GUIDES.get(parentElement),
    over = (/** @type {Left} */ left) => tell(() => setTriggerValue("over", left));
  const framed = window.self !== window.top && !new URLSearchParams(location.search).has("step");
  if (framed)
    // skip the guide in another site's frame: cookies are not kept there, so it would appear every time
    over({ lam: null });
  else if (known) known.over = over;
  else GUIDES.set(parentElement, makeGuide(root, JSON.parse(new TextDecoder().decode(data)), over));
  return () => {
    GUIDES.get(parentElement)?.observer.disconnect();
    GUIDES.delete(parentElement);
  };
}
