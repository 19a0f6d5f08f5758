// A plot of errors over an axis with stops, such as the values of k, and a marker that the reader drags along the
// axis.

import { mark, path } from "../_shared/stage.js";
import { within, percent, closest, label } from "./figure_parts.js";

/** @import { Drawing } from "../_shared/stage.js" */

/**
 * @typedef {object} TrackLine errors: error at each stop; band: range of errors at each stop; here: error of the curve on screen
 * @property {string} name
 * @property {string} color
 * @property {number[]} errors
 * @property {[low: number, high: number][]} [band]
 * @property {number} [here]
 *
 * @typedef {object} Track
 * @property {string} id name of the value that the marker changes
 * @property {string} name
 * @property {string[]} above lines of text above the plot
 * @property {number[]} stops
 * @property {number} now
 * @property {TrackLine[]} lines
 * @property {{ left: number, right: number, top: number, bottom: number }} box
 * @property {number} em
 */

/** @param {Track} track @returns {Drawing} */
export function trackDrawing({ id, name, above, stops, now, lines, box, em }) {
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
  // Stack the lines' names in the order of the lines' right ends, so that names do not overlap each other or the
  // numbers of the axis.
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
