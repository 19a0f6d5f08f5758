// Figure of stored measurements: errors over the dimension d or over the number of samples n.

import { vertexPairs } from "../_live/curve.js";
import { bellsCurve } from "./arithmetic.js";
import { closest } from "./figure_parts.js";
import { trackDrawing } from "./track.js";

/** @import { Cell, Figure } from "./figure_parts.js" */

/** The cells grouped into lines over an axis: over d, one line for each n; over n, one line for each d.
 * @param {Cell[]} cells @param {"d" | "n"} axis */
const along = (cells, axis) =>
  [...new Set(cells.map((cell) => cell[axis === "d" ? "n" : "d"]))].map((held) =>
    cells.filter((cell) => cell[axis === "d" ? "n" : "d"] === held).sort((a, b) => a[axis] - b[axis]),
  );

/** A figure of stored measurements. hands[0] is its axis; hands[1] names the part of the measurements, if that is not
 * named like the axis.
 * @type {Figure} */
export const sweep = {
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
