// Picture of two generators, A and B, whose curves can be made to agree in one number.

import { NUMBERS, bellsCurve } from "./arithmetic.js";
import { massCurve } from "./masses.js";
import { mark, path } from "../_shared/stage.js";
import { within, rounded, percent, evenly, normal, label } from "./figure_parts.js";

/** @import { Figure } from "./figure_parts.js" */

const DROPS = { min: 0, max: 0.8 },
  SHIFTED = { min: 0, max: 3.5 };
/** @param {number} drop */
const dropCurve = (drop) => massCurve([1 - drop, drop], [1, 0]);

/** @type {Figure} */
export const rivals = {
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
