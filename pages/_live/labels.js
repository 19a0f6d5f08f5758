// The names of the curves in the main figure. The curves' numbers are in the rows beside the figure, below a heading
// that says what these numbers are.

import { PLACES, sampled } from "./curve.js";
import { FAR, HEIGHT, STEP, along, distance, nameAt, placeLabels, written } from "./label_places.js";
import { ghostsOf } from "./pins.js";
import { isBehind, limitUnder, linesOf, unseen } from "./rows.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { Box, Line, Point } from "./label_places.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane } from "./pane.js" */
/** @import { View } from "./view.js" */

const SIZE = 13, // font size of a curve's name, in pixels
  SMALL = 12; // font size of the notes on dotted lines, pale lines and the grey area

/** @type {WeakMap<Pane, Map<string, number>>} by pane and curve id, the position of the name in the last drawing (Place.index) */
const KNOWN = new WeakMap();

/** @param {LiveFigure} live @param {Pane} pane @param {View} view @param {Axes} [first] first the axes to use while Plotly has not drawn the figure yet */
export function drawLabels(live, pane, view, first) {
  const { curves, local } = view;
  const where = PLACES[pane.spec.follow];
  if (!pane.spec.fit || !where) return;
  const { xaxis, yaxis } = first ?? pane.axes(),
    svg = pane.overlay("curve-labels", { xaxis, yaxis });
  const hidden = unseen(live, pane, curves),
    known = KNOWN.get(pane) ?? new Map();
  KNOWN.set(pane, known);
  const pixels = (/** @type {CurveAtStop["vertices"]} */ vertices) =>
    sampled(vertices).map((at) => {
      const [x, y] = where(at);
      return /** @type {Point} */ ([xaxis.at(x), yaxis.at(y)]);
    });
  const shown = curves.filter(({ id }) => !hidden.has(id));
  /** @type {Line[]} */
  const lines = shown.map(({ id, name, color, vertices }) => ({
    id,
    color,
    points: pixels(vertices),
    text: name,
  }));
  const raised = limitUnder(live, view),
    drawn = new Set(pane.spec.figure.data.map(({ name }) => name));
  let limits = false;
  for (const { id, vertices } of pane.spec.follow === "pr" ? linesOf(live) : []) {
    const of = shown.find(
      (curve) => id === `${curve.name} at n = ∞` && (drawn.has(id) || curve === raised?.curve),
    )?.id;
    limits ||= Boolean(of && !local);
    if (id === "bound" || (of && !local)) lines.push({ id, points: pixels(vertices), text: "", of });
  }
  // A name must not come close to the pale curves of other families. In a film over seeds, a pale curve counts as
  // part of the curve of its family.
  const cloud = live.film.open,
    ghosts = ghostsOf(live);
  lines.push(
    ...ghosts.map(({ id, vertices }, i) => ({
      id: `ghost ${i}`,
      points: pixels(vertices),
      text: "",
      ...(cloud && { of: id }),
    })),
  );
  /** @type {[number, number]} */
  const room = [xaxis.length, yaxis.length],
    said = [
      lines.some(({ id }) => id === "bound") && "the true curve stays out of the grey (95 %)",
      limits && `dotted: ${raised?.curve.name ?? "each curve"} with ever more samples, k = ${view.at?.k}`,
      ghosts.length > 0 && (cloud ? "pale: the draws before" : "pale: pinned"),
    ];
  const asides = placeAsides(
    said.filter((text) => text !== false),
    lines,
    room,
  );
  const places = placeLabels(
    lines,
    room,
    SIZE,
    asides.map(({ box }) => box),
    known,
  );
  svg.replaceChildren(
    ...asides.map(({ box, text }) => written(text, box, "aside")),
    ...lines.flatMap((line) => {
      const place = places.get(line.id);
      if (!place) return [];
      known.set(line.id, place.index);
      const label = nameAt(line, place);
      if (isBehind(live, line.id)) label.style.opacity = ".25";
      return [label];
    }),
  );
}

/** Place the notes on lines without a name in one block: in the corner farthest from all lines, or in the middle.
 * @param {string[]} texts @param {Line[]} lines @param {[number, number]} room */
function placeAsides(texts, lines, [width, height]) {
  const line = HEIGHT * SMALL,
    wide = 0.5 * SMALL * Math.max(...texts.map(({ length }) => length), 0),
    high = line * texts.length;
  const corners = [
    [8, height - high - 4],
    [width - wide - 8, 8],
    [8, 8],
    [width - wide - 8, height - high - 4],
    [(width - wide) / 2, 0.6 * height],
  ];
  const points = lines.flatMap((each) => along(each.points, STEP));
  const roomAt = (/** @type {number[]} */ [left, top]) =>
    Math.min(FAR / 2, distance([left, top, left + wide, top + high], points));
  const [left, top] = texts.length
    ? corners.reduce((best, corner) => (roomAt(corner) > roomAt(best) ? corner : best))
    : corners[0];
  return texts.map((text, i) => ({
    text,
    box: /** @type {Box} */ ([left, top + i * line, left + wide, top + (i + 1) * line]),
  }));
}
