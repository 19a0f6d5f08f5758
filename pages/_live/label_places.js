// Finds a place for the name of each line, nearer to its own line than to any other. The rules are those of
// prviz/figures/labels.py; a test compares both.

import { shape } from "./dom.js";

/**
 * @typedef {[x: number, y: number]} Point
 * @typedef {[left: number, top: number, right: number, bottom: number]} Box
 *
 * A polyline in pixels. text: its name, "" for a line that gets no label; of: id of the line that it accompanies.
 * @typedef {{ id: string, points: Point[], text: string, of?: string, color?: string }} Line
 *
 * Where a name is written. index: 2 i or 2 i + 1 for a name on the one or the other side of its line at the line's
 * point i; -1 for a name at the end of a leader line. leader: both ends of that line.
 * @typedef {{ box: Box, index: number, leader?: [Point, Point] }} Place
 */

// The same constants as in prviz/figures/labels.py, where they are explained.
const GAP = 3,
  STRIDE = 8,
  ACROSS = 30,
  LEAST = -1,
  LEADERS = Array.from({ length: 13 }, (_, i) => 20 + 10 * i),
  OFF = 12,
  BESIDE = 0.2,
  CROSSED = 30;
export const LETTER = 0.58;
export const HEIGHT = 1.25;
export const STEP = 8;
export const FAR = 40;
// a name keeps its place while its own line is nearer than any other by this many pixels: names must not jump while a
// slider moves
const STAYS = 8;

/** Place the names of all lines (`place_labels` in prviz/figures/labels.py). before: `index` of each name in the
 * previous drawing; taken: boxes in which no name may stand.
 * @param {Line[]} lines @param {[number, number]} room @param {number} size @param {Box[]} [taken] @param {Map<string, number>} [before]
 * @param {boolean} [leaders] @returns {Map<string, Place>} */
export function placeLabels(lines, [width, height], size, taken = [], before = new Map(), leaders = false) {
  const dense = new Map(lines.map(({ id, points }) => [id, along(points, STEP)])),
    boxes = [...taken],
    placed = new Map();
  for (const { id, points, text } of lines) {
    if (!text) continue;
    const w = LETTER * size * text.length,
      h = HEIGHT * size;
    const pointsOf = (/** @type {(line: Line) => boolean} */ chosen) =>
      lines.filter(chosen).flatMap((line) => dense.get(line.id) ?? []);
    const own = dense.get(id) ?? [],
      parts = pointsOf(({ of }) => of === id),
      others = pointsOf((line) => line.id !== id && line.of !== id),
      anchors = along(points, STRIDE);
    const sidesAt = (/** @type {number[]} */ gaps) =>
      anchors.flatMap(([x, y]) =>
        gaps.flatMap((gap) => [
          [x + gap, y - gap - h],
          [x - gap - w, y + gap],
        ]),
      );
    /** The name's box at this position and the box's score: higher is better, -Infinity if the box does not fit. A
     * score up to `least` need not be exact.
     * @param {number[]} side @param {(box: Box, least: number) => number} scoreOf */
    const at = ([left, top], scoreOf, least = -Infinity) => {
      /** @type {Box} */
      const box = [left, top, left + w, top + h];
      const fits =
        left >= 0 &&
        top >= 0 &&
        box[2] <= width &&
        box[3] <= height &&
        !boxes.some((other) => overlap(box, other));
      return { box, score: fits ? Math.round(1000 * scoreOf(box, least)) / 1000 : -Infinity };
    };
    const beside = (/** @type {Box} */ box, /** @type {number} */ least) => {
      const apart = distance(box, own);
      return (
        Math.min(FAR, distance(box, others, least + apart)) -
        apart -
        (Math.min(apart, distance(box, parts)) < GAP / 2 ? ACROSS : 0)
      );
    };
    const sides = sidesAt([GAP]);
    let index = before.get(id) ?? -1,
      best = index in sides ? at(sides[index], beside) : null;
    if (!best || best.score < STAYS)
      [best, index] = sides.reduce(
        (found, side, i) => {
          const tried = at(side, beside, found[0].score);
          return tried.score > found[0].score ? [tried, i] : found;
        },
        /** @type {[{ box: Box, score: number }, number]} */ ([{ box: [0, 0, 0, 0], score: -Infinity }, -1]),
      );
    /** @type {[Point, Point] | undefined} */
    let leader;
    if (best.score < LEAST && leaders) {
      /** @type {{ box: Box, score: number }} */
      let led = { box: [0, 0, 0, 0], score: -Infinity };
      const every = [...others, ...parts, ...own],
        apart = lines.filter((line) => line.id !== id && line.of !== id);
      sidesAt(LEADERS).forEach((side, i) => {
        const gap = LEADERS[Math.floor(i / 2) % LEADERS.length],
          from = anchors[Math.floor(i / (2 * LEADERS.length))];
        /** @type {Point} */
        const corner = i % 2 ? [side[0] + w, side[1]] : [side[0], side[1] + h];
        const tried = at(side, (box) => {
          const nearest = distance(box, every),
            start = /** @type {Point} */ (from.map((value, axis) => value + BESIDE * (corner[axis] - value))),
            crossed = apart.filter((line) => crosses(start, corner, dense.get(line.id) ?? [])).length;
          return Math.min(nearest, OFF) - (nearest < GAP ? 10 * ACROSS : 0) - CROSSED * crossed - gap / 10;
        });
        if (tried.score > led.score) {
          led = tried;
          leader = [from, corner];
        }
      });
      [best, index] = [led, -1];
    }
    if (!leader && best.score < LEAST) continue;
    boxes.push(best.box);
    placed.set(id, { box: best.box, index, ...(leader && { leader }) });
  }
  return placed;
}

/** SVG of a text in a box, aligned to the box's left or right end.
 * @param {string} text @param {Box} box @param {string} kind @param {boolean} [right] */
export function written(text, [left, top, end, bottom], kind, right = false) {
  return shape(`text.${kind}`, text, {
    x: right ? end : left,
    y: (top + bottom) / 2,
    "text-anchor": right ? "end" : "start",
    "dominant-baseline": "central",
  });
}

/** SVG of a line's name at its place. The line's colour is mixed with the text colour, for a contrast of 4.5:1.
 * @param {Line} line @param {Place} place */
export function nameAt({ id, text, color }, { box, index }) {
  const name = written(text, box, "name", index % 2 === 1);
  name.style.fill = id === "truth" ? "currentColor" : `color-mix(in srgb, ${color} 70%, currentColor)`;
  return name;
}

/** @param {Box} box @param {Box} other */
const overlap = ([left, top, right, bottom], other) =>
  left < other[2] + 2 && top < other[3] + 2 && right > other[0] - 2 && bottom > other[1] - 2;

/** True if the segment from `start` to `end` crosses the polyline.
 * @param {Point} start @param {Point} end @param {Point[]} line */
function crosses(start, end, line) {
  const way = minus(end, start);
  return line.slice(1).some((to, i) => {
    const from = line[i],
      step = minus(to, from);
    const apart = turn(way, minus(to, start)) * turn(way, minus(from, start)) < 0;
    return apart && turn(step, minus(start, from)) * turn(step, minus(end, from)) < 0;
  });
}

/** @param {Point} a @param {Point} b @returns {Point} */
const minus = (a, b) => [a[0] - b[0], a[1] - b[1]];

/** Cross product of vectors in the plane.
 * @param {Point} a @param {Point} b */
const turn = (a, b) => a[0] * b[1] - a[1] * b[0];

/** Points of a polyline about `step` pixels apart, both ends included.
 * @param {Point[]} points @param {number} step @returns {Point[]} */
export function along(points, step) {
  const length = [0];
  for (let i = 1; i < points.length; i++)
    length.push(length[i - 1] + Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]));
  const whole = length[length.length - 1],
    count = Math.max(2, Math.floor(whole / step) + 1);
  let at = 0;
  return Array.from({ length: count }, (_, i) => {
    const to = (whole * i) / (count - 1);
    while (at < points.length - 2 && length[at + 1] < to) at++;
    const share =
      length[at + 1] > length[at] ? Math.min((to - length[at]) / (length[at + 1] - length[at]), 1) : 0;
    return [
      points[at][0] + share * (points[at + 1][0] - points[at][0]),
      points[at][1] + share * (points[at + 1][1] - points[at][1]),
    ];
  });
}

/** Distance from a box to the nearest of these points. The search stops at the first distance of at most `near`:
 * smaller distances need not be exact.
 * @param {Box} box @param {Point[]} points */
export function distance([left, top, right, bottom], points, near = 0) {
  const enough = near > 0 ? near * near : 0;
  let least = Infinity;
  for (const point of points) {
    const across = Math.max(left - point[0], point[0] - right, 0),
      up = Math.max(top - point[1], point[1] - bottom, 0),
      square = across * across + up * up;
    if (square < least) least = square;
    if (least <= enough) break;
  }
  return Math.sqrt(least);
}
