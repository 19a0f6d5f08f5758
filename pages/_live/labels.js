// The name of each curve of the main figure: nearer to its own curve than to any other line, by the rule of
// prviz/figures/labels.py (a test compares both). Its number is in the rows, under a word that says what it is.

import { sampled } from "./curve.js";
import { shape } from "./dom.js";
import { unseen } from "./rows.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane } from "./pane.js" */
/** @import { View } from "./view.js" */

/**
 * @typedef {[x: number, y: number]} Point
 * @typedef {[left: number, top: number, right: number, bottom: number]} Box
 *
 * A polyline in pixels; its name, "" for one that has none, and the id of the line that it belongs to.
 * @typedef {{ id: string, points: Point[], text: string, of?: string }} Line
 *
 * Where a name stands: its box, and the place along its curve, counted with both sides.
 * @typedef {{ box: Box, index: number }} Place
 */

// As there.
const LETTER = 0.58, HEIGHT = 1.25, GAP = 3, STRIDE = 8, STEP = 8, FAR = 40, ACROSS = 30, LEAST = -1;
const SIZE = 13, SMALL = 12; // pixels of the letters of a name, and of what is said of dotted lines and of the shade
const STAYS = 8; // pixels by which a name's own curve is nearer, from which it stays where it is: it must not jump in a drag

/** @type {WeakMap<Pane, Map<string, number>>} the place of each name along its curve */
const PLACES = new WeakMap();

/** @param {LiveFigure} live @param {Pane} pane @param {View} view @param {Axes} [first] the axes, before Plotly has drawn them */
export function drawLabels(live, pane, { curves, local }, first) {
  if (!pane.spec.fit || pane.spec.follow !== "pr") return;
  const { xaxis, yaxis } = first ?? pane.axes(), svg = pane.overlay("curve-labels", { xaxis, yaxis });
  const hidden = unseen(live, pane, curves), known = PLACES.get(pane) ?? new Map();
  PLACES.set(pane, known);
  const pixels = (/** @type {CurveAtStop["vertices"]} */ vertices) => sampled(vertices).map(({ alpha, beta }) => /** @type {Point} */ ([xaxis.at(beta), yaxis.at(alpha)]));
  const shown = curves.filter(({ id }) => !hidden.has(id));
  /** @type {Line[]} */
  const lines = shown.map(({ id, name, vertices }) => ({ id, points: pixels(vertices), text: name }));
  let limits = false;
  for (const { id, vertices } of live.payload.lines) {
    const of = shown.find(({ name }) => id === `${name} at n = ∞`)?.id;
    limits ||= Boolean(of && !local);
    if (id === "bound" || (of && !local)) lines.push({ id, points: pixels(vertices), text: "", of });
  }
  /** @type {[number, number]} */
  const room = [xaxis.length, yaxis.length], said = [lines.some(({ id }) => id === "bound") && "the truth lies below the grey (95 %)", limits && "dotted: a family with ever more samples, at this k"];
  const asides = placeAsides(said.filter((text) => text !== false), lines, room);
  const places = placeLabels(lines, room, SIZE, asides.map(({ box }) => box), known);
  const colorOf = new Map(shown.map(({ id, color }) => [id, id === "truth" ? "currentColor" : `color-mix(in srgb, ${color} 70%, currentColor)`])); // 4.5:1 as text
  svg.replaceChildren(...asides.map(({ box, text }) => written(text, box, "aside")), ...lines.flatMap(({ id, text }) => {
    const place = places.get(id);
    if (!place) return [];
    known.set(id, place.index);
    const label = written(text, place.box, "", place.index % 2 === 1);
    label.style.fill = colorOf.get(id) ?? "";
    return [label];
  }));
}

/** Text in a box, at its left end or its right one.
 * @param {string} text @param {Box} box @param {string} kind @param {boolean} [right] */
function written(text, [left, top, end, bottom], kind, right = false) {
  return shape("text", text, { x: right ? end : left, y: (top + bottom) / 2, "text-anchor": right ? "end" : "start", "dominant-baseline": "central", class: kind });
}

/** What is said of the lines that have no name, in the corner that is farthest from all lines, or in the middle.
 * @param {string[]} texts @param {Line[]} lines @param {[number, number]} room */
function placeAsides(texts, lines, [width, height]) {
  const line = HEIGHT * SMALL, wide = 0.5 * SMALL * Math.max(...texts.map(({ length }) => length), 0), high = line * texts.length;
  const corners = [[8, height - high - 4], [width - wide - 8, 8], [8, 8], [width - wide - 8, height - high - 4], [(width - wide) / 2, 0.6 * height]];
  const points = lines.flatMap((each) => along(each.points, STEP));
  const roomAt = (/** @type {number[]} */ [left, top]) => Math.min(FAR / 2, distance([left, top, left + wide, top + high], points));
  const [left, top] = texts.length ? corners.reduce((best, corner) => (roomAt(corner) > roomAt(best) ? corner : best)) : corners[0];
  return texts.map((text, i) => ({ text, box: /** @type {Box} */ ([left, top + i * line, left + wide, top + (i + 1) * line]) }));
}

/** place_labels there, without leaders. before: the places of a drawing before this one.
 * @param {Line[]} lines @param {[number, number]} room @param {number} size @param {Box[]} [taken] @param {Map<string, number>} [before] @returns {Map<string, Place>} */
export function placeLabels(lines, [width, height], size, taken = [], before = new Map()) {
  const dense = new Map(lines.map(({ id, points }) => [id, along(points, STEP)])), boxes = [...taken], placed = new Map();
  for (const { id, points, text } of lines) {
    if (!text) continue;
    const w = LETTER * size * text.length, h = HEIGHT * size;
    const pointsOf = (/** @type {(line: Line) => boolean} */ chosen) => lines.filter(chosen).flatMap((line) => dense.get(line.id) ?? []);
    const own = dense.get(id) ?? [], parts = pointsOf(({ of }) => of === id), others = pointsOf((line) => line.id !== id && line.of !== id);
    const sides = along(points, STRIDE).flatMap(([x, y]) => [[x + GAP, y - GAP - h], [x - GAP - w, y + GAP]]);
    /** @returns {{ box: Box, score: number }} */
    const at = (/** @type {number[]} */ [left, top]) => {
      /** @type {Box} */
      const box = [left, top, left + w, top + h];
      if (left < 0 || top < 0 || box[2] > width || box[3] > height || boxes.some((other) => overlap(box, other))) return { box, score: -Infinity };
      const apart = distance(box, own);
      return { box, score: Math.round(1000 * (Math.min(FAR, distance(box, others)) - apart - (Math.min(apart, distance(box, parts)) < GAP / 2 ? ACROSS : 0))) / 1000 };
    };
    let index = before.get(id) ?? -1, best = index in sides ? at(sides[index]) : null;
    if (!best || best.score < STAYS) [best, index] = sides.map(at).reduce((found, tried, i) => (tried.score > found[0].score ? [tried, i] : found), /** @type {[{ box: Box, score: number }, number]} */ ([{ box: [0, 0, 0, 0], score: -Infinity }, -1]));
    if (best.score < LEAST) continue;
    boxes.push(best.box);
    placed.set(id, { box: best.box, index });
  }
  return placed;
}

/** @param {Box} box @param {Box} other */
const overlap = ([left, top, right, bottom], other) => left < other[2] + 2 && top < other[3] + 2 && right > other[0] - 2 && bottom > other[1] - 2;

/** Points of a polyline about `step` pixels apart, both ends included.
 * @param {Point[]} points @param {number} step @returns {Point[]} */
function along(points, step) {
  const length = [0];
  for (let i = 1; i < points.length; i++) length.push(length[i - 1] + Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]));
  const whole = length[length.length - 1], count = Math.max(2, Math.floor(whole / step) + 1);
  let at = 0;
  return Array.from({ length: count }, (_, i) => {
    const to = (whole * i) / (count - 1);
    while (at < points.length - 2 && length[at + 1] < to) at++;
    const share = length[at + 1] > length[at] ? Math.min((to - length[at]) / (length[at + 1] - length[at]), 1) : 0;
    return [points[at][0] + share * (points[at + 1][0] - points[at][0]), points[at][1] + share * (points[at + 1][1] - points[at][1])];
  });
}

/** From a box to the nearest of these points.
 * @param {Box} box @param {Point[]} points */
function distance([left, top, right, bottom], points) {
  let least = Infinity;
  for (const [x, y] of points) {
    const across = Math.max(left - x, x - right, 0), up = Math.max(top - y, y - bottom, 0), square = across * across + up * up;
    if (square < least) least = square;
  }
  return Math.sqrt(least);
}
