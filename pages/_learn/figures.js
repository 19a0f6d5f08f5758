// The kinds of figures in the course. For each kind, `model` computes the true curve and the estimates from the
// values that the reader sets, and `draw` draws the picture with its handles.

import { withAmount } from "../_live/bars.js";
import { angleToLam, pointAt, vertexPairs } from "../_live/curve.js";
import {
  NUMBERS,
  balls,
  bellsCurve,
  classifiers,
  compared,
  cutAt,
  gaussian,
  random,
  saysReal,
  split,
} from "./arithmetic.js";
import { massCurve } from "./masses.js";
import { mark, path } from "../_shared/stage.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Classifiers, Sample, Split } from "./arithmetic.js" */
/** @import { Drawing, Handle, Values } from "../_shared/stage.js" */

/**
 * A curve to draw, with the name to write beside it.
 * @typedef {{ name: string, color: string, vertices: Vertex[] }} Named
 *
 * What `model` computes from a figure's values: the true curve, where there is one, the estimates, and what else `draw` needs.
 * @typedef {{ truth: Vertex[] | null, curves: Named[], more?: any }} Made
 *
 * What `draw` needs beside the values: the size in pixels, what the reader can move (hands), and stored measurements.
 * @typedef {object} Setting
 * @property {number} width
 * @property {number} height
 * @property {number} em
 * @property {string[]} hands
 * @property {Measured} measured
 *
 * One stored measurement: d dimensions, n samples per set; curves and IoU with the truth by family.
 * @typedef {{ d: number, n: number, curves: Record<string, number[]>, iou: Record<string, number> }} Cell
 *
 * Stored measurements (pages/_learn/measured.py). limits: curves of kNN for infinitely many samples, by k; other parts: cells.
 * @typedef {{ limits?: Record<string, number[]>, names: Record<string, string>, colors: Record<string, string> } & Partial<Record<"d" | "n" | "believed" | "bound", Cell[]>>} Measured
 *
 * @typedef {object} Figure
 * @property {string} title
 * @property {(values: Values, made: Made) => string} [heading] shown in place of the title
 * @property {(values: Values, setting: Pick<Setting, "hands" | "measured">) => Made} model
 * @property {(values: Values, made: Made, setting: Setting) => Drawing} draw
 */

/** @type {(value: number, low: number, high: number) => number} */
const within = (value, low, high) => Math.min(high, Math.max(low, value));
/** @type {(value: number, step: number) => number} */
const rounded = (value, step) => +(Math.round(value / step) * step).toFixed(4);
/** @param {number} share */
export const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
/** @param {number[]} list @param {number} target */
const closest = (list, target) =>
  list.reduce((best, each) => (Math.abs(each - target) < Math.abs(best - target) ? each : best));
/** @param {number} from @param {number} to @param {number} count */
const evenly = (from, to, count) =>
  Array.from({ length: count }, (_, i) => from + ((to - from) * i) / (count - 1));
/** @type {(x: number, mean: number, sigma: number) => number} */
const normal = (x, mean, sigma) =>
  Math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * Math.sqrt(2 * Math.PI));
/** @param {string} text @param {number} x @param {number} y @param {Record<string, string | number>} [more] */
const label = (text, x, y, more = {}) =>
  mark("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle", ...more }, text);

// ---- two Gaussians on a line ----

const VIEW = 7; // half the visible range of the line: wide enough for the handle of the widest and farthest Gaussian
const TOP = 0.86, // highest density that the picture shows
  WEIGHED = 1.75; // the same where the real density is multiplied by lam, which may be up to 4
const SHIFTS = { min: -4, max: 4 },
  WIDTHS = { min: 0.5, max: 2.5 };

/** @param {Values} values @param {(x: number) => number} toX @param {(y: number) => number} toY @param {{ x: number, y: number }} flank
 * @param {{ x: number, y: number }} top @param {(x: number) => number} fromX @returns {Handle[]} */
function shiftAndWidth(values, toX, toY, flank, top, fromX) {
  const { shift, scale } = values,
    color = "var(--generated)";
  return [
    {
      id: "shift",
      label: "Place of the generated data",
      text: `${shift}`,
      now: shift,
      ...SHIFTS,
      x: toX(top.x),
      y: toY(top.y),
      color,
      carried: true,
      drag: (x) => ({ shift: rounded(within(fromX(x), SHIFTS.min, SHIFTS.max), 0.05) }),
      press: (steps) => ({ shift: rounded(within(shift + 0.1 * steps, SHIFTS.min, SHIFTS.max), 0.05) }),
    },
    {
      id: "scale",
      label: "Width of the generated data",
      text: `${scale}`,
      now: scale,
      ...WIDTHS,
      x: toX(flank.x),
      y: toY(flank.y),
      color,
      drag: (x) => ({ scale: rounded(within(Math.abs(fromX(x) - shift), WIDTHS.min, WIDTHS.max), 0.05) }),
      press: (steps) => ({ scale: rounded(within(scale + 0.05 * steps, WIDTHS.min, WIDTHS.max), 0.05) }),
    },
  ];
}

/** Coordinates of a picture of densities.
 * @param {Setting} setting @param {number} top highest density @param {number} lines of text that fit above it */
function lineScales({ width, height, em }, top, lines = 1.6) {
  const floor = height - 2.2 * em;
  return {
    floor,
    toX: (/** @type {number} */ x) => ((x + VIEW) / (2 * VIEW)) * width,
    fromX: (/** @type {number} */ x) => (x / width) * 2 * VIEW - VIEW,
    toY: (/** @type {number} */ y) => floor - (Math.min(y, 1.2 * top) / top) * (floor - lines * em),
  };
}

/** @type {Figure} */
const bells = {
  title: "Where both have their data",
  model: ({ shift, scale }) => ({ truth: bellsCurve(shift, scale), curves: [] }),
  draw(values, made, setting) {
    const { shift, scale, angle } = values,
      { hands, em, width } = setting,
      lam = hands.includes("angle") ? angleToLam(angle) : 1;
    const errors = hands.includes("errors"),
      weighed = hands.includes("angle"),
      highest = weighed ? WEIGHED : TOP;
    // "says generated" may need a line above the name of the generated density
    const { floor, toX, fromX, toY } = lineScales(setting, highest, errors && !weighed ? 5 : 1.6),
      xs = evenly(-VIEW, VIEW, 221);
    const p = (/** @type {number} */ x) => lam * normal(x, 0, 1),
      q = (/** @type {number} */ x) => normal(x, shift, scale);
    const area = (/** @type {(x: number) => number} */ y) =>
      `${path([[0, floor], ...xs.map((x) => /** @type {[number, number]} */ ([toX(x), toY(y(x))])), [width, floor]])}Z`;
    const line = (/** @type {(x: number) => number} */ y, /** @type {string} */ color) =>
      mark("path", {
        d: path(xs.map((x) => [toX(x), toY(y(x))])),
        fill: "none",
        stroke: color,
        "stroke-width": 3,
      });
    const marks = [];
    if (errors) {
      const parts = saysReal(shift, scale, lam),
        borders = parts
          .flat()
          .filter((x) => Math.abs(x) < VIEW)
          .sort((u, v) => u - v);
      const real = (/** @type {number} */ x) => parts.some(([from, to]) => from <= x && x <= to);
      marks.push(mark("path", { d: area((x) => (real(x) ? 0 : p(x))), fill: "var(--real)", opacity: 0.55 }));
      marks.push(
        mark("path", { d: area((x) => (real(x) ? q(x) : 0)), fill: "var(--generated)", opacity: 0.55 }),
      );
      for (const x of borders)
        marks.push(
          mark("line", {
            x1: toX(x),
            x2: toX(x),
            y1: 1.6 * em,
            y2: floor,
            stroke: "var(--ink)",
            "stroke-dasharray": "4 4",
          }),
        );
      [-VIEW, ...borders].forEach((from, i) => {
        const to = borders[i] ?? VIEW,
          middle = (from + to) / 2,
          is = real(middle),
          said = is ? "says real" : "says generated";
        // over a narrow interval the words stand one line lower
        const low = toX(to) - toX(from) < (is ? 4.5 : 7.5) * em;
        if (toX(to) - toX(from) > em)
          marks.push(
            label(said, within(toX(middle), 4 * em, width - 4 * em), (low ? 2.5 : 1.1) * em, {
              class: "halo",
              fill: is ? "var(--real-text)" : "var(--generated-text)",
            }),
          );
      });
    } else {
      marks.push(mark("path", { d: area((x) => Math.min(p(x), q(x))), fill: "var(--ink)", opacity: 0.2 }));
      const { alpha, beta } = pointAt(/** @type {Vertex[]} */ (made.truth), lam);
      if (weighed)
        marks.push(
          label(
            `grey ${alpha.toFixed(2)} = precision; grey / λ = ${beta.toFixed(2)} = recall`,
            width / 2,
            floor + 1.5 * em,
          ),
        );
    }
    marks.push(
      line(p, "var(--real)"),
      line(q, "var(--generated)"),
      mark("line", { x1: 0, x2: width, y1: floor, y2: floor, stroke: "var(--edge)" }),
    );
    const left = shift >= 0,
      level = Math.min(p(1), 0.8 * highest),
      flank = (left ? xs.find((x) => p(x) >= level) : xs.findLast((x) => p(x) >= level)) ?? 0;
    const name = weighed ? "λ × real" : "real",
      wide = (weighed ? 4.5 : 2.5) * em,
      beyond = toX(flank) + (left ? -0.4 : 0.4) * em;
    marks.push(
      label(name, left ? Math.max(beyond, wide) : Math.min(beyond, width - wide), toY(level), {
        "text-anchor": left ? "end" : "start",
        fill: "var(--real-text)",
        class: "name",
      }),
    );
    const beside = toX(shift) + (left ? 1 : -1) * 1.2 * em,
      fits = left ? beside < width - 10 * em : beside > 10 * em,
      baseline = toY(q(shift)) + (fits ? 0.3 * em : -1.1 * em);
    marks.push(
      label("generated", fits ? beside : toX(shift), baseline, {
        "text-anchor": fits ? (left ? "start" : "end") : "middle",
        fill: "var(--generated-text)",
        class: "name halo",
      }),
    );
    const edge = toX(shift + scale),
      after = edge < width - 4 * em;
    if (hands.includes("shift"))
      marks.push(
        label(
          "width",
          edge + (after ? em : -em),
          Math.max(toY(q(shift + scale)) + 0.35 * em, baseline + 1.1 * em),
          {
            "text-anchor": after ? "start" : "end",
            class: "small halo",
            fill: "var(--soft)",
          },
        ),
      );
    return {
      marks: marks.join(""),
      handles: hands.includes("shift")
        ? shiftAndWidth(
            values,
            toX,
            toY,
            { x: shift + scale, y: q(shift + scale) },
            { x: shift, y: q(shift) },
            fromX,
          )
        : [],
      grab: (x, y) => (hands.includes("shift") && y > toY(q(fromX(x))) - 20 ? { id: "shift" } : null),
    };
  },
};

/** Length of the part of the line that lies in both boxes.
 * @param {Values} values */
export const inBoth = ({ shift, scale }) =>
  Math.max(0, Math.min(1, shift + scale) - Math.max(-1, shift - scale));

/** @type {Figure} */
const boxes = {
  title: "Where both have their data",
  model(values) {
    const { scale } = values,
      both = inBoth(values);
    return {
      truth: massCurve([1 - both / 2, both / 2, 0], [0, both / (2 * scale), 1 - both / (2 * scale)]),
      curves: [],
    };
  },
  draw(values, made, setting) {
    const { shift, scale } = values,
      { em, width } = setting,
      { floor, toX, fromX, toY } = lineScales(setting, 1.1);
    const box = (
      /** @type {number} */ from,
      /** @type {number} */ to,
      /** @type {number} */ high,
      /** @type {Record<string, string | number>} */ look,
    ) =>
      to > from
        ? mark("path", {
            d: path([
              [toX(from), floor],
              [toX(from), toY(high)],
              [toX(to), toY(high)],
              [toX(to), floor],
            ]),
            ...look,
          })
        : "";
    const q = 1 / (2 * scale),
      left = shift >= 0;
    const marks = [
      box(Math.max(-1, shift - scale), Math.min(1, shift + scale), Math.min(0.5, q), {
        fill: "var(--ink)",
        opacity: 0.2,
      }),
      box(-1, 1, 0.5, { fill: "none", stroke: "var(--real)", "stroke-width": 3 }),
      box(shift - scale, shift + scale, q, { fill: "none", stroke: "var(--generated)", "stroke-width": 3 }),
      mark("line", { x1: 0, x2: width, y1: floor, y2: floor, stroke: "var(--edge)" }),
      label("real", toX(left ? -1 : 1) + (left ? -0.6 : 0.6) * em, toY(0.45), {
        "text-anchor": left ? "end" : "start",
        fill: "var(--real-text)",
        class: "name",
      }),
      label("generated", toX(shift), toY(q) - 1.2 * em, { fill: "var(--generated-text)", class: "name" }),
    ];
    return {
      marks: marks.join(""),
      handles: shiftAndWidth(values, toX, toY, { x: shift + scale, y: q / 2 }, { x: shift, y: q }, fromX),
      grab: (x) => (Math.abs(fromX(x) - shift) < scale ? { id: "shift" } : null),
    };
  },
};

// ---- modes ----

const MODES = ["A", "B", "C", "D"];
/** @type {Record<string, string>} */
const WHOSE = { p: "real", q: "generated" };

/** @type {Figure} */
const modes = {
  title: "Shares of each mode",
  model: ({ p, q }) => ({ truth: massCurve(p, q), curves: [] }),
  draw(values, made, { width, height, em, hands }) {
    const floor = height - 2 * em,
      top = 2 * em,
      cell = width / MODES.length,
      bar = Math.min(0.3 * cell, 5 * em);
    const toY = (/** @type {number} */ share) => floor - share * (floor - top),
      fromY = (/** @type {number} */ y) => within((floor - y) / (floor - top), 0, 1);
    const place = (/** @type {string} */ side, /** @type {number} */ i) =>
      (i + 0.5) * cell + (side === "p" ? -0.55 : 0.55) * bar;
    const marks = [mark("line", { x1: 0, x2: width, y1: floor, y2: floor, stroke: "var(--edge)" })];
    /** @type {Handle[]} */
    const handles = [];
    MODES.forEach((mode, i) => {
      marks.push(label(mode, (i + 0.5) * cell, height - 0.4 * em, { fill: "var(--soft)" }));
      for (const side of ["p", "q"]) {
        const share = values[side][i],
          x = place(side, i),
          whose = WHOSE[side],
          free = hands.includes(side);
        marks.push(
          mark("rect", {
            x: x - bar / 2,
            y: toY(share),
            width: bar,
            height: Math.max(floor - toY(share), 0),
            fill: `var(--${whose})`,
            rx: 2,
            opacity: free ? 0.9 : 0.6,
          }),
        );
        marks.push(
          label(percent(share), x, toY(share) - (free ? 1 : 0.5) * em, {
            class: "small",
            fill: `var(--${whose}-text)`,
          }),
        );
        const set = (/** @type {number} */ amount) => ({ [side]: withAmount(values[side], i, amount, true) });
        if (free)
          handles.push({
            id: `${side}${i}`,
            label: `${whose}, mode ${mode}`,
            text: percent(share),
            now: share,
            min: 0,
            max: 1,
            x,
            y: toY(share),
            color: `var(--${whose})`,
            drag: (_, y) => set(rounded(fromY(y), 0.01)),
            press: (steps) => set(rounded(share + 0.05 * steps, 0.01)),
          });
      }
    });
    const heaviest = (/** @type {string} */ side) => values[side].indexOf(Math.max(...values[side]));
    for (const side of ["p", "q"]) {
      const i = heaviest(side),
        x = place(side, i),
        y = toY(values[side][i]),
        lift = (hands.includes(side) ? 2.2 : 1.7) * em,
        full = y < lift + em, // a name above its number would leave the picture
        half = (side === "p" ? 1.2 : 2.9) * em; // half the width of the name
      let centre = full ? x - half - 1.6 * em : x;
      if (side === "q" && heaviest("p") === i) centre = x + bar * 0.6 + half;
      marks.push(
        label(WHOSE[side], within(centre, half, width - half), y - (full ? em : lift), {
          fill: `var(--${WHOSE[side]}-text)`,
          class: "name",
        }),
      );
    }
    return {
      marks: marks.join(""),
      handles,
      grab(x, y) {
        const i = within(Math.floor(x / cell), 0, MODES.length - 1),
          side = Math.abs(x - place("p", i)) < Math.abs(x - place("q", i)) ? "p" : "q";
        return y > top / 2 && hands.includes(side) ? { id: `${side}${i}` } : null;
      },
    };
  },
};

// ---- a marker that the reader drags along an axis, over the error at each of its stops ----

/**
 * @typedef {object} TrackLine errors: at each stop; band: around them; here: the error of the curve on screen
 * @property {string} name
 * @property {string} color
 * @property {number[]} errors
 * @property {[low: number, high: number][]} [band]
 * @property {number} [here]
 *
 * @typedef {object} Track
 * @property {string} id of the value that it moves
 * @property {string} name
 * @property {string[]} above lines of text above the plot
 * @property {number[]} stops
 * @property {number} now
 * @property {TrackLine[]} lines
 * @property {{ left: number, right: number, top: number, bottom: number }} box
 * @property {number} em
 */

/** @param {Track} track @returns {Drawing} */
function trackDrawing({ id, name, above, stops, now, lines, box, em }) {
  const { left, right, top, bottom } = box,
    at = stops.indexOf(closest(stops, now));
  const highest =
    Math.max(
      0.05,
      ...lines.flatMap(({ errors, band, here }) => [...errors, ...(band ?? []).flat(), here ?? 0]),
    ) * 1.05;
  const toX = (/** @type {number} */ i) => left + ((right - left) * i) / Math.max(stops.length - 1, 1),
    toY = (/** @type {number} */ error) => bottom - (error / highest) * (bottom - top);
  const marks = [],
    tick =
      [0.02, 0.05, 0.1, 0.2, 0.5].find(
        (step) => highest / step < Math.max(2, Math.min(6, (bottom - top) / (1.3 * em))),
      ) ?? 1;
  for (let share = 0; share <= highest; share += tick) {
    marks.push(
      mark("line", {
        x1: left,
        x2: right,
        y1: toY(share),
        y2: toY(share),
        stroke: `var(--${share ? "grid" : "edge"})`,
      }),
    );
    marks.push(
      label(percent(share), left - 0.7 * em, toY(share) + 0.3 * em, {
        "text-anchor": "end",
        class: "small",
        fill: "var(--soft)",
      }),
    );
  }
  const room = (right - left) / stops.length,
    every = Math.max(1, Math.ceil((2.4 * em) / room));
  stops.forEach((stop, i) => {
    if (i === at || (i % every === 0 && Math.abs(i - at) * room > 2 * em))
      marks.push(
        label(String(stop), toX(i), bottom + 1.2 * em, {
          class: "small",
          fill: i === at ? "var(--ink)" : "var(--soft)",
        }),
      );
  });
  marks.push(
    label(name, right, bottom + 2.4 * em, { "text-anchor": "end", class: "small", fill: "var(--soft)" }),
  );
  above.forEach((line, i) =>
    marks.push(
      label(line, left, top - (0.6 + 1.2 * (above.length - 1 - i)) * em, {
        "text-anchor": "start",
        class: "small",
        fill: "var(--soft)",
      }),
    ),
  );
  const ends = lines
    .map(({ errors }, i) => ({ i, end: toY(errors[errors.length - 1]), y: 0 }))
    .sort((a, b) => a.end - b.end);
  // Stack the names in the order of their lines' ends, apart from each other and above the numbers of the axis.
  ends.forEach((each, place) => {
    const least = place ? ends[place - 1].y + 1.1 * em : 0,
      most = bottom - (0.3 + 1.1 * (ends.length - 1 - place)) * em;
    each.y = Math.min(Math.max(each.end, least), most);
  });
  lines.forEach(({ color, errors, band, here, name: line }, i) => {
    const edge = (/** @type {0 | 1} */ side) =>
      (band ?? []).map((each, j) => /** @type {[number, number]} */ ([toX(j), toY(each[side])]));
    if (band)
      marks.push(
        mark("path.band", {
          d: `${path([...edge(0), ...edge(1).reverse()])}Z`,
          fill: color,
          opacity: 0.16,
        }),
      );
    marks.push(
      mark("path", {
        d: path(errors.map((error, j) => [toX(j), toY(error)])),
        fill: "none",
        stroke: color,
        "stroke-width": 2.5,
      }),
    );
    if (here === undefined)
      errors.forEach((error, j) =>
        marks.push(
          mark("circle", {
            cx: toX(j).toFixed(1),
            cy: toY(error).toFixed(1),
            r: j === at ? 5 : 2.5,
            fill: color,
          }),
        ),
      );
    const end = ends.find((each) => each.i === i);
    if (end && lines.length > 1)
      marks.push(
        mark("path.leader", {
          d: path([
            [right, end.end],
            [right + 0.55 * em, end.y],
          ]),
          stroke: color,
        }),
        label(line, right + 0.6 * em, end.y + 0.35 * em, {
          "text-anchor": "start",
          class: "small",
          fill: color,
        }),
      );
  });
  marks.push(
    mark("line", { x1: toX(at), x2: toX(at), y1: top, y2: bottom, stroke: "var(--hand)", "stroke-width": 2 }),
  );
  for (const { color, here } of lines) {
    if (here === undefined) continue;
    marks.push(
      mark("circle.here", {
        cx: toX(at),
        cy: toY(here).toFixed(1),
        r: 7,
        fill: color,
        stroke: "var(--ink)",
        "stroke-width": 2,
      }),
    );
    const [dx, anchor] = at < stops.length / 2 ? [1, "start"] : [-1, "end"];
    marks.push(
      label(percent(here), toX(at) + dx * em, toY(here) + 0.3 * em, {
        "text-anchor": anchor,
        class: "name halo",
      }),
    );
  }
  const set = (/** @type {number} */ i) => ({ [id]: stops[within(Math.round(i), 0, stops.length - 1)] });
  return {
    marks: marks.join(""),
    handles: [
      {
        id,
        label: name,
        text: String(now),
        now,
        min: stops[0],
        max: stops[stops.length - 1],
        x: toX(at),
        y: bottom,
        color: "var(--hand)",
        drag: (x) => set(((x - left) / (right - left)) * (stops.length - 1)),
        press: (steps) => set(at + steps),
      },
    ],
    grab: (x, y) =>
      y > top - em && y < bottom + 2.4 * em && x > left - 2 * em && x < right + 2 * em ? { id } : null,
  };
}

// ---- samples in the plane: kNN ----

export const KS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30];
export const SIZES = [20, 40, 80, 120, 160, 200];
const CELLS = 34;
const BESIDE = 14; // pixels from the ring to its handle, so that the handle does not cover the sample

/** The samples: drawn with the seed, except those that the reader has dragged elsewhere.
 * @param {Values} values @returns {[Sample[], Sample[]]} */
export function drawn({ seed, n, mu, moved }) {
  const uniform = random(seed);
  /** @type {[Sample[], Sample[]]} */
  const sides = [[], []];
  for (let i = 0; i < n; i++) {
    for (const side of [0, 1]) {
      const [x, y] = gaussian(uniform);
      sides[side].push(moved[`${side}.${i}`] ?? [x + side * mu, y + side * mu]);
    }
  }
  return sides;
}

/** @param {Split} split @param {number[]} ks @returns {Classifiers[]} */
function knn({ judged, fit, split: apart }, ks) {
  const found = balls([...judged[0], ...judged[1]], fit, ks, !apart);
  return ks.map((_, i) =>
    classifiers(
      found.map((each) => each[i].votes),
      judged[0].length,
    ),
  );
}

/** The error of a curve: 1 - IoU with the truth.
 * @param {Vertex[]} vertices @param {Vertex[]} truth */
const wrong = (vertices, truth) => 1 - compared(vertices, truth).iou;

export const DRAWS = 40;
/** @type {Map<string, { errors: number[], band: [number, number][] }>} */
const USUAL = new Map();

/** The mean error at each k over DRAWS draws of samples, and the band that contains 8 of 10 draws.
 * @param {Values} values @param {number[]} ks */
export function usual({ n, mu, split: apart }, ks) {
  const key = JSON.stringify([n, mu, apart, ks]),
    known = USUAL.get(key);
  if (known) return known;
  const truth = bellsCurve(Math.SQRT2 * mu, 1),
    draws = Array.from({ length: DRAWS }, (_, seed) => {
      const [real, generated] = drawn({ seed: 1000 + seed, n, mu, moved: {} });
      return knn(split(real, generated, apart), ks).map(({ vertices }) => wrong(vertices, truth));
    });
  const sorted = ks.map((_, i) => draws.map((each) => each[i]).sort((a, b) => a - b)),
    cut = Math.floor(DRAWS / 10);
  const found = {
    errors: sorted.map((each) => each.reduce((sum, error) => sum + error, 0) / DRAWS),
    band: sorted.map((each) => /** @type {[number, number]} */ ([each[cut], each[DRAWS - 1 - cut]])),
  };
  USUAL.set(key, found);
  return found;
}

/** The lines of errors over k or over n, whichever the step lets the reader move: on other draws with the error on
 * screen, and for endless samples where known.
 * @param {Values} values @param {string[]} hands @param {number} here @param {number[] | null} endless */
function strip(values, hands, here, endless) {
  const byN = hands.includes("n") ? SIZES.map((n) => usual({ ...values, n }, [values.k])) : [];
  const found = hands.includes("k")
    ? usual(values, KS)
    : { errors: byN.flatMap(({ errors }) => errors), band: byN.flatMap(({ band }) => band) };
  const line = { name: endless ? `${values.n} of each` : "", color: "var(--knn)", ...found, here };
  return endless ? [line, { name: "endless", color: "var(--limit)", errors: endless }] : [line];
}

/** @type {Figure} */
const plane = {
  title: "Neighbours vote",
  heading({ k, n }, { more }) {
    const { now, cut, parts } = more,
      [real, generated] = /** @type {Split} */ (parts).judged,
      { rates, cuts } = /** @type {Classifiers} */ (now),
      [fpr, fnr] = rates[cuts.indexOf(cut)];
    return `n = ${n} of each, ${parts.split ? "half" : "all"} vote, k = ${k}: ${Math.round(fpr * real.length + fnr * generated.length)} of ${real.length} + ${generated.length} misjudged`;
  },
  model(values, { hands, measured }) {
    const { k, mu } = values,
      samples = drawn(values),
      parts = split(samples[0], samples[1], values.split);
    const [now] = knn(parts, [k]);
    const truth = bellsCurve(Math.SQRT2 * mu, 1);
    const curves = [{ name: "estimate", color: "var(--knn)", vertices: now.vertices }];
    const limits = values.limit && measured.limits;
    if (limits)
      curves.push({ name: "endless samples", color: "var(--limit)", vertices: vertexPairs(limits[k]) });
    return {
      truth,
      curves,
      more: {
        parts,
        now,
        cut: cutAt(now, angleToLam(values.angle)),
        lines: strip(
          values,
          hands,
          wrong(now.vertices, truth),
          limits ? KS.map((each) => wrong(vertexPairs(limits[each]), truth)) : null,
        ),
      },
    };
  },
  draw(values, made, setting) {
    const { width, height, em, hands } = setting,
      { k, mu } = values,
      { parts, cut, lines } = made.more;
    const tracked = hands.includes("k") ? "k" : hands.includes("n") ? "n" : "";
    // In a low frame the plot of errors fits only beside the plane, not below it.
    const beside = tracked !== "" && height < 20 * em,
      names = (lines.length > 1 ? 6 : 1) * em;
    const below = tracked && !beside ? Math.min(14 * em, 0.42 * height) : 0,
      side = beside
        ? Math.min(height - (lines.length > 1 ? 3.4 : 2) * em, width - 11.5 * em - names)
        : Math.min(width, height - below),
      left = beside ? 0 : (width - side) / 2;
    const low = -3.2 + Math.min(mu, 0),
      span = 6.4 + Math.abs(mu),
      scale = side / span;
    const toX = (/** @type {number} */ x) => left + (x - low) * scale,
      toY = (/** @type {number} */ y) => side - (y - low) * scale;
    const from = (/** @type {number} */ x, /** @type {number} */ y) =>
      /** @type {Sample} */ ([
        rounded(within((x - left) / scale + low, low, low + span), 0.01),
        rounded(within((side - y) / scale + low, low, low + span), 0.01),
      ]);
    const { fit, judged } = /** @type {Split} */ (parts),
      marks = [];
    const axis = evenly(low + span / CELLS / 2, low + span - span / CELLS / 2, CELLS),
      grid = axis.flatMap((y) => axis.map((x) => /** @type {Sample} */ ([x, y])));
    const key = (/** @type {[number, number]} */ [x, y]) => (x > 0 ? y / x : Infinity);
    const size = side / CELLS + 0.6,
      square = ([x, y] = /** @type {Sample} */ ([0, 0])) =>
        `M${(toX(x) - size / 2).toFixed(1)} ${(toY(y) - size / 2).toFixed(1)}h${size.toFixed(1)}v${size.toFixed(1)}h-${size.toFixed(1)}z`;
    const says = balls(grid, fit, [k], false).map(([{ votes }]) => key(votes) <= cut);
    for (const is of [true, false])
      marks.push(
        mark("path", {
          d: grid
            .filter((_, i) => says[i] === is)
            .map(square)
            .join(""),
          fill: `var(--${is ? "real" : "generated"})`,
          opacity: 0.16,
        }),
      );
    const own = !parts.split,
      points = [...judged[0], ...judged[1]],
      nReal = judged[0].length;
    // distance from the middle between the two sets, where votes are mixed
    const central = ([x, y] = /** @type {Sample} */ ([0, 0])) => Math.hypot(x - mu / 2, y - mu / 2);
    const picked =
        values.picked < 0
          ? points.reduce((best, point, i) => (central(point) < central(points[best]) ? i : best), 0)
          : within(values.picked, 0, points.length - 1),
      ball = balls([points[picked]], fit, [k], own)[0][0];
    const dots = (
      /** @type {Sample[]} */ of,
      /** @type {number} */ role,
      /** @type {Record<string, string | number>} */ look,
    ) => {
      const r = 0.32 * em,
        wide = (2 * r).toFixed(1),
        arc = `a${r.toFixed(1)} ${r.toFixed(1)} 0 1 0`; // one path for all dots, as hundreds of elements are slow
      const outline = role ? `h${wide}L` : `${arc} ${wide} 0${arc} -${wide} 0z`;
      return mark("path", {
        d: of
          .map(([x, y]) =>
            role
              ? `M${(toX(x) - r).toFixed(1)} ${(toY(y) + r).toFixed(1)}${outline}${toX(x).toFixed(1)} ${(toY(y) - r).toFixed(1)}z`
              : `M${(toX(x) - r).toFixed(1)} ${toY(y).toFixed(1)}${outline}`,
          )
          .join(""),
        ...look,
      });
    };
    const keys = balls(points, fit, [k], own).map(([{ votes }]) => key(votes));
    for (const role of [0, 1]) {
      const color = `var(--${role ? "generated" : "real"})`;
      if (parts.split) marks.push(dots(fit[role], role, { fill: color, opacity: 0.85 }));
      marks.push(
        dots(
          judged[role],
          role,
          parts.split ? { fill: "var(--ground)", stroke: color, "stroke-width": 2 } : { fill: color },
        ),
      );
    }
    const crosses = points
      .filter((_, i) => keys[i] <= cut !== i < nReal)
      .map(([x, y]) => `M${(toX(x) - 4).toFixed(1)} ${(toY(y) - 4).toFixed(1)}l8 8m0-8l-8 8`);
    marks.push(
      mark("path", { d: crosses.join(""), stroke: "var(--wrong)", "stroke-width": 2, fill: "none" }),
    );
    const [px, py] = points[picked],
      reach = ball.radius * scale,
      role = picked < nReal ? 0 : 1;
    marks.push(
      mark("circle", {
        cx: toX(px),
        cy: toY(py),
        r: Math.max(reach, 2).toFixed(1),
        fill: "none",
        stroke: "var(--ink)",
        "stroke-width": 2,
        "stroke-dasharray": "5 3",
      }),
    );
    const up = toY(py) - reach - 0.5 * em,
      [forReal, against] = ball.votes,
      all = forReal + against,
      // real votes needed: the condition c_Y <= cut c_X, for `all` votes
      needed = cut < 0 ? all + 1 : Math.ceil(all / (1 + cut) - 1e-9);
    const text = `${forReal} of ${all} real${own ? ", itself one" : ""}, ${needed} needed: ${forReal >= needed ? "real" : "generated"}`;
    const over = up > em && !hands.includes("mu") ? up : toY(py) + reach + 1.3 * em;
    // beside a small plane the text stands below it, in two lines
    const cutInTwo = lines.length > 1 ? text.lastIndexOf(", ") + 1 : text.length;
    const said = beside
      ? [text.slice(0, cutInTwo), text.slice(cutInTwo).trim()]
          .map((line, i) =>
            label(line, 0, side + 1.4 * (i + 1) * em, { "text-anchor": "start", class: "name" }),
          )
          .join("")
      : label(text, within(toX(px), 9 * em, width - 9 * em), over, { class: "name halo" });
    const offset = (/** @type {number} */ index) => {
      const first = index < nReal ? 0 : nReal;
      return index - first + (parts.split ? fit[index < nReal ? 0 : 1].length : 0);
    };
    const put = (/** @type {number} */ index, /** @type {Sample} */ place) => ({
      picked: index,
      moved: { ...values.moved, [`${index < nReal ? 0 : 1}.${offset(index)}`]: place },
    });
    /** @type {Handle[]} */
    const handles = [
      {
        id: "sample",
        label: `Sample ${picked + 1} of ${points.length}, ${role ? "generated" : "real"}; Home and End choose another`,
        text,
        now: px,
        min: low,
        max: low + span,
        x: toX(px),
        y: toY(py),
        color: `var(--${role ? "generated" : "real"})`,
        open: true,
        drag: (x, y) => put(picked, from(x, y)),
        press: (steps, across) =>
          Math.abs(steps) >= 1000
            ? { picked: (picked + points.length + Math.sign(steps)) % points.length }
            : put(picked, [
                rounded(px + (across ? 0.1 * steps : 0), 0.01),
                rounded(py + (across ? 0 : 0.1 * steps), 0.01),
              ]),
      },
    ];
    if (hands.includes("k")) {
      const step = (/** @type {number} */ i) => ({ k: KS[within(i, 0, KS.length - 1)] });
      handles.push({
        id: "ring",
        label: "Neighbours k, by the ring",
        text: `k = ${k}`,
        now: k,
        min: 1,
        max: 30,
        x: Math.min(toX(px) + reach + BESIDE, left + side - 10),
        y: toY(py),
        color: "var(--hand)",
        drag(x, y) {
          const far = (Math.hypot(x - toX(px), y - toY(py)) - BESIDE) / scale,
            radii = balls([[px, py]], fit, KS, own)[0].map(({ radius }) => radius);
          return { k: KS[radii.indexOf(closest(radii, far))] };
        },
        press: (steps) => step(KS.indexOf(k) + steps),
      });
    }
    if (hands.includes("mu")) {
      const set = (/** @type {number} */ to) => ({ mu: rounded(within(to, 0, 3), 0.05) });
      marks.push(
        label("cloud", toX(mu) + em, toY(mu) + 0.35 * em, {
          "text-anchor": "start",
          class: "small halo",
          fill: "var(--generated-text)",
        }),
      );
      handles.push({
        id: "mu",
        label: "Distance of the generated cloud",
        text: `${mu} on each axis`,
        now: mu,
        min: 0,
        max: 3,
        x: toX(mu),
        y: toY(mu),
        color: "var(--generated)",
        drag: (x, y) => {
          const [u, v] = from(x, y);
          return set((u + v) / 2);
        },
        press: (steps) => set(mu + 0.1 * steps),
      });
    }
    const above = ["wrong, in %: ● here,", `line: mean of ${DRAWS} sets`];
    /** @type {Drawing | null} */
    const track = tracked
      ? trackDrawing({
          id: tracked,
          name: tracked === "k" ? "neighbours k" : "samples n of each",
          stops: tracked === "k" ? KS : SIZES,
          now: values[tracked],
          above: beside ? above : [above.join(" ")],
          lines,
          box: {
            left: beside ? side + 3.5 * em : 4 * em,
            right: width - (beside ? names : (tracked === "k" ? 6.5 : 2) * em),
            top: beside ? 3.4 * em : side + 2.2 * em,
            bottom: height - 2.8 * em,
          },
          em,
        })
      : null;
    return {
      marks:
        mark("clipPath", { id: "course-plane" }, mark("rect", { x: left, y: 0, width: side, height: side })) +
        mark("g", { "clip-path": "url(#course-plane)" }, marks.join("")) +
        said +
        (track?.marks ?? ""),
      handles: [...handles, ...(track?.handles ?? [])],
      grab(x, y) {
        if (y > side || x > left + side) return track?.grab?.(x, y) ?? null;
        const far = points.map(([u, v]) => Math.hypot(toX(u) - x, toY(v) - y)),
          best = far.indexOf(Math.min(...far));
        return far[best] < 24 ? { id: "sample", values: { picked: best } } : null;
      },
    };
  },
};

// ---- a painting: the reader paints real data above the line and generated data below ----

const PAINTED = 200; // samples of each set
const PAINTED_K = 14,
  NARROW_PAINT = 34;

/** Samples in [0, 1] drawn by the masses of its cells. With the same seed they move smoothly when the masses
 * change.
 * @param {number[]} masses @param {number} seed @returns {Sample[]} */
function fromCells(masses, seed) {
  const uniform = random(seed),
    all = masses.reduce((sum, mass) => sum + mass, 0);
  return Array.from({ length: PAINTED }, () => {
    let left = uniform() * all,
      cell = 0;
    while (cell < masses.length - 1 && left >= masses[cell]) left -= masses[cell++];
    return /** @type {Sample} */ ([(cell + within(left / (masses[cell] || 1), 0, 1)) / masses.length, 0]);
  });
}

/** @type {Figure} */
const paint = {
  title: "Your real and generated data",
  model(values) {
    const { p, q, seed } = values,
      parts = split(fromCells(p, seed), fromCells(q, seed + 1000), values.split);
    return {
      truth: massCurve(p, q),
      curves: [{ name: "estimate", color: "var(--knn)", vertices: knn(parts, [PAINTED_K])[0].vertices }],
      more: { parts },
    };
  },
  draw(values, made, { width, height, em }) {
    const middle = height / 2,
      room = middle - 3 * em,
      cells = values.p.length,
      cell = width / cells,
      { fit, judged } = made.more.parts;
    const marks = [];
    /** @type {Handle[]} */
    const handles = [];
    /** @type {Record<string, (x: number, y: number) => Values>} the values after a press at a place, by set */
    const presses = {};
    for (const [place, side] of ["p", "q"].entries()) {
      const sign = place ? 1 : -1,
        color = `var(--${WHOSE[side]})`,
        base = middle + sign * 1.2 * em,
        cursor = values[`${side}At`];
      values[side].forEach((/** @type {number} */ amount, /** @type {number} */ i) => {
        const high = amount * room;
        marks.push(
          mark("rect", {
            x: (i * cell + 1).toFixed(1),
            y: (sign < 0 ? base - high : base).toFixed(1),
            width: (cell - 2).toFixed(1),
            height: high.toFixed(1),
            fill: color,
            rx: 2,
          }),
        );
      });
      for (const [who, opacity] of /** @type {[Sample[], number][]} */ ([
        [fit[place], 1],
        [made.more.parts.split ? judged[place] : [], 0.3],
      ])) {
        marks.push(
          mark("path", {
            d: who.map(([x]) => `M${(x * width).toFixed(1)} ${middle + sign * 3}v${sign * 9}`).join(""),
            stroke: color,
            opacity,
            fill: "none",
          }),
        );
      }
      marks.push(
        label(`${WHOSE[side]}: paint here`, 0.4 * em, place ? height - 0.6 * em : 1.2 * em, {
          "text-anchor": "start",
          class: "name",
          fill: `var(--${WHOSE[side]}-text)`,
        }),
      );
      const set = (/** @type {number} */ index, /** @type {number} */ amount) => ({
        [side]: withAmount(values[side], index, rounded(amount, 0.02), false),
        [`${side}At`]: index,
      });
      /** The cell at this place, and the amount that its height stands for.
       * @param {number} x @param {number} y */
      const under = (x, y) => {
        const amount = within((sign * (y - base)) / room, 0, 1);
        return { index: within(Math.floor(x / cell), 0, cells - 1), amount: amount < 0.04 ? 0 : amount };
      };
      presses[side] = (x, y) => {
        const { index, amount } = under(x, y);
        return set(index, amount);
      };
      /** Paint from the cursor's cell to the cell at this place: a fast stroke skips the cells between.
       * @param {number} x @param {number} y */
      const stroke = (x, y) => {
        const { index, amount } = under(x, y),
          from = values[`${side}At`],
          first = values[side][from],
          steps = Math.max(Math.abs(index - from), 1);
        let amounts = values[side];
        for (let step = 1; step <= steps; step++) {
          const share = step / steps;
          amounts = withAmount(
            amounts,
            Math.round(from + share * (index - from)),
            rounded(first + share * (amount - first), 0.02),
            false,
          );
        }
        return { [side]: amounts, [`${side}At`]: index };
      };
      handles.push({
        id: side,
        label: `${WHOSE[side]}, cell ${cursor + 1} of ${cells}`,
        text: percent(values[side][cursor]),
        now: values[side][cursor],
        min: 0,
        max: 1,
        x: (cursor + 0.5) * cell,
        y: base + sign * values[side][cursor] * room,
        color,
        drag: stroke,
        press: (steps, across) =>
          across
            ? { [`${side}At`]: within(cursor + Math.sign(steps), 0, cells - 1) }
            : set(cursor, values[side][cursor] + 0.05 * steps),
      });
    }
    marks.push(mark("line", { x1: 0, x2: width, y1: middle, y2: middle, stroke: "var(--edge)" }));
    const at = (values.pAt + 1) / cells,
      [{ votes, radius }] = balls([[at, 0]], fit, [PAINTED_K], false)[0],
      [from, to] = [-1, 1].map((side) => ((at + side * radius) * width).toFixed(1));
    marks.push(
      mark("path.reach", {
        d: `M${from} ${middle - 6}v12M${from} ${middle}H${to}M${to} ${middle - 6}v12`,
        stroke: "var(--ink)",
        "stroke-width": 2.5,
        fill: "none",
      }),
      mark("circle", { cx: at * width, cy: middle, r: 4.5, fill: "var(--ink)" }),
    );
    marks.push(
      label(
        `nearest ${PAINTED_K} of ●: ${votes[0]} real, ${votes[1]} generated`,
        width - 0.4 * em,
        // one line higher where it does not fit beside the set's name
        height - (width < NARROW_PAINT * em ? 2 : 0.6) * em,
        { "text-anchor": "end", class: "small halo" },
      ),
    );
    return {
      marks: marks.join(""),
      handles,
      grab(x, y) {
        const id = y < middle ? "p" : "q";
        return { id, values: presses[id](x, y) };
      },
    };
  },
};

// ---- two generators that agree in one number ----

const DROPS = { min: 0, max: 0.8 },
  SHIFTED = { min: 0, max: 3.5 };
/** @param {number} drop */
const dropCurve = (drop) => massCurve([1 - drop, drop], [1, 0]);

/** @type {Figure} */
const rivals = {
  title: "Two generators, each with its flaw",
  model({ drop, shift }) {
    return {
      truth: null,
      curves: [
        { name: "A", color: "var(--a)", vertices: dropCurve(drop) },
        { name: "B", color: "var(--b)", vertices: bellsCurve(shift, 1) },
      ],
    };
  },
  draw(values, made, { width, height, em }) {
    const { drop, shift } = values,
      floor = 0.4 * height,
      half = width / 2,
      top = 3.5 * em;
    const marks = [];
    const toY = (/** @type {number} */ y) => floor - (y / 0.42) * (floor - top);
    const bell = (
      /** @type {number} */ centre,
      /** @type {number} */ weight,
      /** @type {string} */ color,
      /** @type {number} */ from,
      /** @type {number} */ unit,
    ) =>
      mark("path", {
        d: path(
          evenly(-3.2, 3.2, 60).map((x) => [from + (centre + x) * unit, toY(weight * normal(x, 0, 1))]),
        ),
        fill: "none",
        stroke: color,
        "stroke-width": 2.5,
      });
    const unit = half / 14.5,
      [first, second] = [0.25, 0.72].map((share) => half * share);
    for (const [name, text, x] of /** @type {[string, string, number][]} */ ([
      ["a", "A loses modes", 0],
      ["b", "B shifts every mode", half],
    ])) {
      marks.push(
        label(text, x + 0.2 * em, 1.5 * em, {
          "text-anchor": "start",
          class: "name",
          fill: `var(--${name})`,
        }),
      );
      marks.push(mark("line", { x1: x, x2: x + half - em, y1: floor, y2: floor, stroke: "var(--edge)" }));
    }
    const both = /** @type {[number, number][]} */ ([
      [1 - drop, first],
      [drop, second],
    ]);
    marks.push(bell(0, 1, "var(--generated)", first, unit));
    for (const [share, at] of both)
      marks.push(
        bell(0, share, "var(--real)", at, unit),
        bell(0, share, "var(--real)", half + at, unit),
        bell(shift, share, "var(--generated)", half + at, unit),
      );
    const names = /** @type {[string, number, number][]} */ ([
      ["generated", first, 1],
      ["real", second, drop],
      ["generated", half + first + shift * unit, 1 - drop],
    ]);
    for (const [side, x, share] of names)
      marks.push(
        label(side, x, toY(0.4 * share) - 0.9 * em, { class: "small halo", fill: `var(--${side}-text)` }),
      );
    marks.push(label(`${percent(drop)} lost`, second, floor + 1.3 * em, { class: "small" }));
    const rows = Object.entries(NUMBERS),
      from = floor + 3.4 * em,
      gap = (height - from - 0.6 * em) / rows.length,
      axis = Math.min(12 * em, 0.45 * width),
      span = width - axis - 4 * em;
    for (const end of [0, 1])
      marks.push(
        label(String(end), axis + end * span, from - 0.2 * em, { class: "small", fill: "var(--soft)" }),
      );
    marks.push(
      label("B − A", width - 3 * em, from - 0.2 * em, {
        "text-anchor": "start",
        class: "small",
        fill: "var(--soft)",
      }),
    );
    rows.forEach(([name, of], i) => {
      const y = from + (i + 0.5) * gap,
        [a, b] = made.curves.map(({ vertices }) => of(vertices)),
        [xa, xb] = [a, b].map((value) => axis + value * span),
        same = Math.abs(a - b) < 0.005;
      marks.push(label(name, axis - 0.8 * em, y + 0.35 * em, { "text-anchor": "end", class: "small" }));
      marks.push(
        mark("line", { x1: axis, x2: axis + span, y1: y, y2: y, stroke: "var(--grid)" }),
        mark("line", { x1: xa, x2: xb, y1: y, y2: y, stroke: "var(--ink)", "stroke-width": 3 }),
      );
      marks.push(
        mark("circle", { cx: xa, cy: y, r: 7, fill: "var(--a)" }),
        mark("circle", { cx: xb, cy: y, r: same ? 3.5 : 7, fill: "var(--b)" }),
      );
      marks.push(
        label(
          same ? "equal" : `${a < b ? "+" : "−"}${Math.abs(a - b).toFixed(2)}`,
          width - 3 * em,
          y + 0.35 * em,
          { "text-anchor": "start", class: "small", "font-weight": same ? 700 : 400 },
        ),
      );
    });
    return {
      marks: marks.join(""),
      handles: [
        {
          id: "drop",
          label: "Share of the modes that A loses",
          text: percent(drop),
          now: drop,
          ...DROPS,
          x: second,
          y: toY(drop * 0.399),
          color: "var(--a)",
          drag: (_, y) => ({
            drop: rounded(within(((floor - y) / (floor - top)) * (0.42 / 0.399), DROPS.min, DROPS.max), 0.01),
          }),
          press: (steps) => ({ drop: rounded(within(drop + 0.02 * steps, DROPS.min, DROPS.max), 0.01) }),
        },
        {
          id: "shift",
          label: "Shift of B",
          text: shift.toFixed(2),
          now: shift,
          ...SHIFTED,
          x: half + first + shift * unit,
          y: toY(0.399 * (1 - drop)),
          color: "var(--b)",
          carried: true,
          drag: (x) => ({
            shift: rounded(within((x - half - first) / unit, SHIFTED.min, SHIFTED.max), 0.01),
          }),
          press: (steps) => ({
            shift: rounded(within(shift + 0.05 * steps, SHIFTED.min, SHIFTED.max), 0.01),
          }),
        },
      ],
      grab: (x, y) => (y > floor + em ? null : { id: x < half ? "drop" : "shift" }),
    };
  },
};

// ---- stored measurements over the dimension and over the number of samples ----

/** Rows of measurements along an axis: over d one row for each n, over n one row for each d.
 * @param {Cell[]} cells @param {"d" | "n"} axis */
const along = (cells, axis) =>
  [...new Set(cells.map((cell) => cell[axis === "d" ? "n" : "d"]))].map((held) =>
    cells.filter((cell) => cell[axis === "d" ? "n" : "d"] === held).sort((a, b) => a[axis] - b[axis]),
  );

/** Its hands: the axis, and for another part of the measurements that part's name.
 * @type {Figure} */
const sweep = {
  title: "How wrong, measured",
  model(values, { hands, measured }) {
    const [axis, part = axis] = /** @type {("d" | "n")[]} */ (hands),
      rows = along(measured[part] ?? [], axis),
      stops = rows[0].map((cell) => cell[axis]),
      at = stops.indexOf(closest(stops, values[axis]));
    const series =
      rows.length > 1
        ? rows.map((row, i) => ({ row, of: "knn", name: `d = ${row[0].d}`, color: `var(--order${i})` }))
        : Object.keys(rows[0][0].curves).map((of) => ({
            row: rows[0],
            of,
            name: measured.names[of],
            color: measured.colors[of],
          }));
    return {
      truth: bellsCurve(2, 1),
      curves: series.map(({ row, of, name, color }) => ({
        name,
        color,
        vertices: vertexPairs(row[at].curves[of]),
      })),
      more: {
        axis,
        stops,
        lines: series.map(({ row, of, name, color }) => ({
          name,
          color,
          errors: row.map(({ iou }) => 1 - iou[of]),
        })),
      },
    };
  },
  draw(values, made, { width, height, em }) {
    const { axis, stops, lines } = made.more;
    return trackDrawing({
      id: axis,
      name: axis === "d" ? "dimension d" : "samples n of each",
      above: ["wrong, in % of the area under either curve"],
      stops,
      now: values[axis],
      lines,
      em,
      box: { left: 4 * em, right: width - 6.5 * em, top: 2.4 * em, bottom: height - 3.6 * em },
    });
  },
};

/** @type {Record<string, Figure>} */
export const FIGURES = { bells, boxes, modes, plane, paint, rivals, sweep };
