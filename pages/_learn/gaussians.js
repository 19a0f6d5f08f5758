// Pictures of two Gaussians, or of two boxes, on a line.

import { angleToLam, pointAt } from "../_live/curve.js";
import { bellsCurve, saysReal } from "./arithmetic.js";
import { massCurve } from "./masses.js";
import { mark, path } from "../_shared/stage.js";
import { within, rounded, evenly, normal, label } from "./figure_parts.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Handle, Values } from "../_shared/stage.js" */
/** @import { Setting, Figure } from "./figure_parts.js" */

// the picture shows the line from -VIEW to VIEW: enough for the handle of the widest Gaussian at the farthest place
const VIEW = 7;
const TOP = 0.86, // top of the picture, as a density
  WEIGHED = 1.75; // top of the picture if it shows lam times the real density, for lam up to 4
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

/** Scales of a picture of densities, between data and pixels.
 * @param {Setting} setting @param {number} top highest density @param {number} lines number of lines of text above it */
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
export const bells = {
  title: "Where both have their data",
  model: ({ shift, scale }) => ({ truth: bellsCurve(shift, scale), curves: [] }),
  draw(values, made, setting) {
    const { shift, scale, angle } = values,
      { hands, em, width } = setting,
      lam = hands.includes("angle") ? angleToLam(angle) : 1;
    const errors = hands.includes("errors"),
      weighed = hands.includes("angle"),
      highest = weighed ? WEIGHED : TOP;
    // leave room for the label "says generated" above the name of the generated density
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
        // over a narrow interval the label is one line lower, so that it does not overlap its neighbours
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
export const boxes = {
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
