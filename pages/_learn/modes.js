// Picture of four modes: the share of the real and of the generated data in each.

import { withAmount } from "../_live/bars.js";
import { massCurve } from "./masses.js";
import { mark } from "../_shared/stage.js";
import { within, rounded, percent, label } from "./figure_parts.js";

/** @import { Handle } from "../_shared/stage.js" */
/** @import { Figure } from "./figure_parts.js" */

const MODES = ["A", "B", "C", "D"];
/** @type {Record<string, string>} */
export const WHOSE = { p: "real", q: "generated" };

/** @type {Figure} */
export const modes = {
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
        full = y < lift + em, // true if a name above its number would be outside the picture
        half = (side === "p" ? 1.2 : 2.9) * em; // half the width of the set's name, in pixels
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
