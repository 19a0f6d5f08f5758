// A picture that the reader paints: real data above a line, generated data below it.

import { withAmount } from "../_live/bars.js";
import { balls, random, split } from "./arithmetic.js";
import { massCurve } from "./masses.js";
import { WHOSE } from "./modes.js";
import { knn } from "./plane.js";
import { mark } from "../_shared/stage.js";
import { within, rounded, percent, label } from "./figure_parts.js";

/** @import { Sample } from "./arithmetic.js" */
/** @import { Handle, Values } from "../_shared/stage.js" */
/** @import { Figure } from "./figure_parts.js" */

const PAINTED = 200; // number of samples of each set
const PAINTED_K = 14,
  NARROW_PAINT = 34;

/** Draw samples in [0, 1] from a density that is constant on each of equal cells with these masses. With the same
 * seed, samples move smoothly as the masses change.
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
export const paint = {
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
    /** @type {Record<string, (x: number, y: number) => Values>} by set, the new values after a press at a point */
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
      /** The cell at this point of the picture, and the amount that the point's height means.
       * @param {number} x @param {number} y */
      const under = (x, y) => {
        const amount = within((sign * (y - base)) / room, 0, 1);
        return { index: within(Math.floor(x / cell), 0, cells - 1), amount: amount < 0.04 ? 0 : amount };
      };
      presses[side] = (x, y) => {
        const { index, amount } = under(x, y);
        return set(index, amount);
      };
      /** Paint all cells from the cursor's cell to the cell at this point: a fast pointer sends no event in the cells
       * between.
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
        // one line higher if there is no room beside the set's name
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
