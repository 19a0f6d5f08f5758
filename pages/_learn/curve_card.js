// The card with the precision-recall curve of a step's picture. A "ghost" is the curve before the last movement.

import { angleToLam, lowerHull, pointAt, pointsAlong, sample } from "../_live/curve.js";
import { LETTER, along, placeLabels } from "../_live/label_places.js";
import { LAMS, atHalf, compared } from "./arithmetic.js";
import { percent } from "./figure_parts.js";
import { mark, path } from "../_shared/stage.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Box, Line } from "../_live/label_places.js" */
/** @import { Made } from "./figure_parts.js" */
/** @import { Drawing, Handle, Values } from "../_shared/stage.js" */

/** @typedef {[recall: number, precision: number]} Point */

/** By curve name, the curve's points at equally spaced angles.
 * @typedef {Record<string, Point[]>} Lines */
/** The curves before the last movement. angle: lam at that time, as an angle in degrees; places: positions of the
 * curves' names, so that a name does not jump during a movement.
 * @typedef {{ lines: Lines, angle: number, places: Map<string, number> }} Ghost */

/** A marked point (spot) on the main curve. at: its position in pixels; text: its name; half: half the width of its
 * mark; from: start of a dashed line that leads to it.
 * @typedef {{ text: string, at: Point, half: number, color: string, from?: Point }} Spot */

/** @param {Vertex[]} vertices @returns {Point[]} */
const evenPoints = (vertices) =>
  pointsAlong(lowerHull(vertices), LAMS).map(({ alpha, beta }) => [beta, alpha]);

/** @param {Made} made @returns {{ name: string, vertices: Vertex[], color: string, truth: boolean }[]} */
const all = ({ truth, curves }) => [
  ...(truth ? [{ name: "truth", vertices: truth, color: "var(--ink)", truth: true }] : []),
  ...curves.map((curve) => ({ ...curve, truth: false })),
];

/** @param {Made} made @returns {Lines} */
const linesOf = (made) =>
  Object.fromEntries(all(made).map(({ name, vertices }) => [name, evenPoints(vertices)]));

/** @param {Made} made @param {number} angle @returns {Ghost} */
export const ghostOf = (made, angle) => ({
  lines: linesOf(made),
  angle,
  places: new Map(),
});

/** @param {Lines} a @param {Lines} b */
const differ = (a, b) =>
  Object.entries(a).some(
    ([name, points]) =>
      b[name] && points.some(([x, y], i) => Math.hypot(x - b[name][i][0], y - b[name][i][1]) > 0.01),
  );

/** @param {number} lam */
const lamText = (lam) => (lam === Infinity ? "∞" : Number(lam.toPrecision(2)));

/** The sentence below the curve: its error, or its precision and recall.
 * @param {Made} made @param {number} angle @param {string[]} hands */
export function footOf(made, angle, hands) {
  const { truth, curves } = made;
  if (truth && curves.length && curves.length < 3) {
    return curves
      .map(({ name, vertices }, i) => {
        const { iou, excess, deficit } = compared(vertices, truth);
        return i
          ? `${name[0].toUpperCase()}${name.slice(1)}: ${percent(1 - iou)}.`
          : `Wrong (shaded): ${percent(1 - iou)} of the area under either curve, ${percent(excess)} too much, ${percent(deficit)} too little.`;
      })
      .join(" ");
  }
  if (!truth || curves.length) return "";
  if (hands.includes("halves")) {
    const { precision, recall } = atHalf(truth);
    return `At recall 50 %: precision ${percent(precision)}. At precision 50 %: recall ${percent(recall)}.`;
  }
  const lam = angleToLam(angle),
    { alpha, beta, fpr, fnr } = pointAt(truth, lam);
  if (hands.includes("ends")) {
    return `Precision reaches ${percent(pointAt(truth, Infinity).alpha)}, recall ${percent(pointAt(truth, 0).beta)}; where they are equal, ${percent(pointAt(truth, 1).alpha)}.`;
  }
  if (hands.includes("errors")) {
    const [real, generated, sum] = [fpr, fnr, alpha].map((share) => Number((100 * share).toPrecision(3)));
    return `Errors: ${hands.includes("angle") ? "λ × " : ""}${real}\u00a0% of real + ${generated}\u00a0% of generated = precision ${sum}\u00a0%.`;
  }
  return `λ = ${lamText(lam)}: precision ${percent(alpha)} = λ × recall ${percent(beta)}.`;
}

/** The plot's unit square. side: its width in pixels; em: height of a line of text in pixels; toX, toY, at: pixels of
 * a recall, of a precision and of a point.
 * @typedef {object} Square
 * @property {number} side
 * @property {number} em
 * @property {(recall: number) => number} toX
 * @property {(precision: number) => number} toY
 * @property {(point: Point) => [number, number]} at */

/** @param {number} width @param {number} height @param {number} em @returns {Square} */
function squareIn(width, height, em) {
  const pad = { left: 3.4 * em, bottom: 3.2 * em, top: 0.9 * em, right: 0.9 * em };
  const side = Math.max(40, Math.min(width - pad.left - pad.right, height - pad.top - pad.bottom)),
    left = pad.left + (width - pad.left - pad.right - side) / 2;
  const toX = (/** @type {number} */ x) => left + x * side,
    toY = (/** @type {number} */ y) => pad.top + (1 - y) * side;
  return { side, em, toX, toY, at: ([x, y]) => [toX(x), toY(y)] };
}

const SMALL = 0.875; // font size of a curve's name, in em (course.css has the same value)
const SEEN = 2; // a curve that has moved by fewer pixels than this counts as unchanged

/** @param {string} words @param {number} x @param {number} y @param {Record<string, string | number>} more */
const text = (words, x, y, more) =>
  mark("text.small", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": "middle", ...more }, words);

/** @param {Square} square */
function axes({ side, em, toX, toY }) {
  const long = side > 17 * em,
    soft = { fill: "var(--soft)" };
  const marks = [0, 0.5, 1].flatMap((tick) => [
    mark("line", { x1: toX(tick), x2: toX(tick), y1: toY(0), y2: toY(1), stroke: "var(--grid)" }),
    mark("line", { x1: toX(0), x2: toX(1), y1: toY(tick), y2: toY(tick), stroke: "var(--grid)" }),
    text(String(tick), toX(tick), toY(0) + 1.3 * em, soft),
    text(String(tick), toX(0) - 0.5 * em, toY(tick) + 0.35 * em, { "text-anchor": "end", ...soft }),
  ]);
  const upright = `translate(${(toX(0) - 2.1 * em).toFixed(1)} ${toY(0.5).toFixed(1)}) rotate(-90)`;
  return [
    ...marks,
    text(long ? "recall: what is real that it can make" : "recall", toX(0.5), toY(0) + 2.6 * em, {}),
    mark(
      "text.small",
      { transform: upright, "text-anchor": "middle" },
      long ? "precision: what it makes that could be real" : "precision",
    ),
  ];
}

/** Length of a polyline from its start to each of its points.
 * @param {Point[]} points */
function lengths(points) {
  let whole = 0;
  return points.map(([x, y], i) => {
    const [u, v] = points[Math.max(i - 1, 0)];
    whole += Math.hypot(x - u, y - v);
    return whole;
  });
}

/** Cut a polyline into runs of consecutive points of the same kind. A run also contains the first point of the next
 * run, so that there are no gaps.
 * @template Kind @param {Point[]} points @param {(i: number) => Kind} kindOf */
function runs(points, kindOf) {
  /** @type {{ kind: Kind, points: Point[] }[]} */
  const found = [];
  points.forEach((point, i) => {
    const kind = kindOf(i),
      last = found.at(-1);
    last?.points.push(point);
    if (!last || last.kind !== kind) found.push({ kind, points: [point] });
  });
  return found.filter((run) => run.points.length > 1); // drop a run of one point, which the previous run contains
}

/** Lines for `placeLabels` from the pieces of one curve: the longest piece gets the curve's name.
 * @param {string} id @param {string} name @param {string} color @param {Point[][]} pieces @returns {Line[]} */
function pieceLines(id, name, color, pieces) {
  const long = pieces.map((points) => lengths(points)[points.length - 1]),
    longest = long.indexOf(Math.max(...long));
  return pieces.map((points, i) =>
    i === longest ? { id, text: name, color, points } : { id: `${id} ${i}`, text: "", color, points, of: id },
  );
}

/** Cut a curve into stretches for names: near each marked point (spot) a stretch for the spot's name; the rest for
 * the curve's own name.
 * @param {Point[]} points @param {Spot[]} spots @param {number} em */
function withoutSpots(points, spots, em) {
  points = along(points, 4); // points at equal distances, which the given points do not have
  const far = lengths(points),
    whole = far[far.length - 1];
  const around = spots.map(({ text: name, at }) => {
    const gaps = points.map(([x, y]) => Math.hypot(x - at[0], y - at[1])),
      place = far[gaps.indexOf(Math.min(...gaps))],
      wide = LETTER * SMALL * em * name.length,
      atEnd = place === 0 || place === whole; // at an end of the curve the name has room on one side only
    return { place, reach: Math.min((atEnd ? wide : wide / 2) + 2 * em, 0.4 * whole) };
  });
  const found = runs(points, (i) => {
    const beyond = around.map(({ place, reach }) => Math.abs(far[i] - place) - reach);
    return beyond.findIndex((each) => each <= 0 && each === Math.min(...beyond));
  });
  return {
    stretches: found
      .filter(({ kind }) => kind >= 0)
      .map((run) => ({
        id: `spot ${run.kind}`,
        text: spots[run.kind].text,
        color: spots[run.kind].color,
        points: run.points,
        at: spots[run.kind].at,
      })),
    rest: found.filter(({ kind }) => kind < 0).map((run) => run.points),
  };
}

/** The ghosts, and lines to place their names. Only the curve that has moved most gets a name, "before"; none if no
 * curve has moved visibly.
 * @param {Square} square @param {Made} made @param {Lines} old @param {Lines} now */
function ghosts({ side, at }, made, old, now) {
  if (!differ(old, now)) return { marks: [], lines: [] };
  const drawn = all(made).filter(({ name, truth }) => old[name] && !(truth && made.curves.length > 1));
  const marks = drawn.map(({ name, truth }) =>
    mark("path.ghost", {
      d: path(old[name].map(at)),
      fill: "none",
      stroke: "var(--ghost)",
      "stroke-width": 2,
      "stroke-dasharray": truth && made.curves.length ? "6 5" : "none",
    }),
  );
  const moves = drawn.map(({ name }) => {
      const gaps = old[name].map(([x, y], i) => Math.hypot(x - now[name][i][0], y - now[name][i][1]));
      return { name, gaps, most: Math.max(...gaps) };
    }),
    most = Math.max(...moves.map((each) => each.most));
  const lines = moves.flatMap(({ name, gaps, most: here }) => {
    const moved = runs(old[name].map(at), (i) => gaps[i] * side > SEEN).filter(({ kind }) => kind);
    return pieceLines(
      `${name} before`,
      here === most ? "before" : "",
      "var(--soft)",
      moved.map(({ points }) => points),
    );
  });
  return { marks, lines };
}

/** SVG of the names of curves, ghosts and spots. A name is nearer to the line that it names than to any other line.
 * @param {Square} square @param {number} width width of the picture @param {(Line & { at?: Point })[]} lines at: the position of a spot, where its leader line begins
 * @param {Spot[]} spots @param {Map<string, number>} places */
function nameMarks({ em, toX, toY }, width, lines, spots, places) {
  const left = toX(0);
  const boxes = spots.map(
    ({ at: [x, y], half }) => /** @type {Box} */ ([x - half - left, y - half, x + half - left, y + half]),
  );
  const shifted = lines.map((line) => ({
    ...line,
    points: line.points.map(([x, y]) => /** @type {Point} */ ([x - left, y])),
  }));
  const placed = placeLabels(shifted, [width - left, toY(0)], SMALL * em, boxes, places, true);
  return lines.flatMap(({ id, text: name, color = "", at }) => {
    const place = placed.get(id);
    if (!place) return [];
    places.set(id, place.index);
    const [x1, y1, x2, y2] = place.box,
      [from, to] = place.leader ?? [];
    // true if the name is to the right of the line that it names
    const after = to ? to[0] === x1 : place.index % 2 === 0;
    const word = text(name, left + (after ? x1 : x2), (y1 + y2) / 2 + 0.3 * em, {
      "text-anchor": after ? "start" : "end",
      class: "small halo",
      fill: color,
      "font-weight": name === "before" ? 400 : 700,
    });
    if (!from || !to) return [word];
    const way = path([at ?? [from[0] + left, from[1]], [to[0] + left, to[1]]]);
    return [mark("path.leader", { d: way, stroke: color, "data-name": name }), word];
  });
}

/** SVG of the area between the first estimate and the truth, which is the estimate's error.
 * @param {Square} square @param {Made} made @param {Lines} now */
function shaded({ at }, { truth, curves }, now) {
  if (!truth || !curves.length || curves.length > 2) return [];
  return [
    mark("path.wrong", {
      d: `${path([...now.truth, ...now[curves[0].name].toReversed()].map(at))}Z`,
      fill: "var(--wrong)",
      opacity: 0.16,
    }),
  ];
}

/** SVG of a dot in the colour of handles.
 * @param {number} x @param {number} y */
const pointOfHand = (x, y) =>
  mark("circle.at", { cx: x, cy: y, r: 7, fill: "var(--hand)", stroke: "var(--ground)", "stroke-width": 2 });

/** Marks at two points of the curve: at recall 0.5 and at precision 0.5.
 * @param {Square} square @param {Vertex[]} vertices @returns {Spot[]} */
function halves({ at }, vertices) {
  const { precision, recall } = atHalf(vertices);
  return [
    { text: percent(precision), at: at([0.5, precision]), from: at([0.5, 0]), half: 8, color: "var(--ink)" },
    { text: percent(recall), at: at([recall, 0.5]), from: at([0, 0.5]), half: 8, color: "var(--ink)" },
  ];
}

/** Marks at both ends of a curve, labelled with its highest precision and its highest recall.
 * @param {Square} square @param {Vertex[]} vertices @param {string} color @returns {Spot[]} */
const ends = ({ at }, vertices, color) =>
  [Infinity, 0].map((lam) => {
    const { alpha, beta } = pointAt(vertices, lam);
    return { text: `ends at ${(lam ? alpha : beta).toFixed(2)}`, at: at([beta, alpha]), half: 6, color };
  });

/** SVG of the curves: of the new ones, or, while `morph` is below 1, of curves between the old ones and the new ones.
 * @param {Square} square @param {Made} made @param {Lines | undefined} old @param {Lines} now @param {number} morph */
function curveMarks({ at }, made, old, now, morph) {
  const estimated = made.curves.length > 0 && made.truth !== null;
  return all(made).map(({ name, vertices, color, truth }) => {
    const before = old?.[name],
      even = now[name];
    const points =
      morph < 1 && before
        ? even.map(
            ([x, y], j) =>
              /** @type {Point} */ ([
                before[j][0] + morph * (x - before[j][0]),
                before[j][1] + morph * (y - before[j][1]),
              ]),
          )
        : estimated && !truth
          ? even
          : sample(lowerHull(vertices)).map(({ alpha, beta }) => /** @type {Point} */ ([beta, alpha]));
    return mark("path.curve", {
      d: path(points.map(at)),
      fill: "none",
      stroke: color,
      "stroke-width": 3,
      "data-curve": name,
      "stroke-dasharray": truth && estimated ? "8 6" : "none",
      "stroke-linejoin": "round",
    });
  });
}

/** The dot at lam, which the reader can drag along the curve, and a mark at its position before the last movement.
 * @param {Square} square @param {Vertex[]} vertices @param {number} angle @param {number | undefined} was
 * @returns {{ spots: Spot[], handle: Handle }} */
function dot({ toX, toY, at }, vertices, angle, was) {
  const point = (/** @type {number} */ degrees) => {
    const { alpha, beta } = pointAt(vertices, angleToLam(degrees));
    return at([beta, alpha]);
  };
  const here = point(angle),
    said = `λ = ${lamText(angleToLam(angle))}`;
  const set = (/** @type {number} */ to) => ({ angle: Math.min(90, Math.max(0, Math.round(to))) });
  /** @type {Spot[]} */
  const spots = [{ text: said, at: here, from: at([0, 0]), half: 10, color: "var(--ink)" }];
  if (was !== undefined && Math.abs(was - angle) > 8)
    spots.push({ text: "before", at: point(was), half: 8, color: "var(--soft)" });
  return {
    spots,
    handle: {
      id: "angle",
      label: "Trade-off λ",
      text: said,
      now: angle,
      min: 0,
      max: 90,
      x: here[0],
      y: here[1],
      color: "var(--hand)",
      drag: (u, v) => set((Math.atan2(Math.max(toY(0) - v, 0), Math.max(u - toX(0), 0)) * 180) / Math.PI),
      press: (steps) => set(angle + 2 * steps),
    },
  };
}

/** All marks on the main curve: spots (points with a name), SVG of further marks, a handle to drag, and the curve's
 * name.
 * @param {Square} square @param {Made} made @param {Values} values @param {string[]} hands @param {Ghost | null} ghost
 * @returns {{ spots: Spot[], marks: string[], handle?: Handle, main?: string }} */
function marked(square, made, values, hands, ghost) {
  const curves = all(made),
    main = made.curves.length === 1 ? curves[curves.length - 1] : curves[0];
  if (!made.truth) {
    const spots = curves.map(({ vertices, color }) => {
      const { alpha } = pointAt(vertices, 1);
      return { text: "", at: square.at([alpha, alpha]), half: 6, color };
    });
    const marks = spots.map(({ at: [cx, cy], color }) => mark("circle.at", { cx, cy, r: 6, fill: color }));
    return { spots, marks };
  }
  if (made.curves.length > 1) return { spots: [], marks: [] };
  const { name, vertices, color } = main;
  if (hands.includes("ends")) {
    const spots = ends(square, vertices, color);
    const marks = spots.map(({ at: [x, y] }) =>
      mark("rect", { x: x - 6, y: y - 6, width: 12, height: 12, fill: color }),
    );
    return { spots, marks, main: name };
  }
  if (hands.includes("halves")) {
    const spots = halves(square, vertices);
    return { spots, marks: spots.map(({ at }) => pointOfHand(...at)), main: name };
  }
  if (hands.includes("angle")) {
    const { spots, handle } = dot(square, vertices, values.angle, ghost?.angle);
    const marks = spots
      .slice(1)
      .map(({ at: [cx, cy] }) =>
        mark("circle.ghost", { cx, cy, r: 7, fill: "none", stroke: "var(--ghost)", "stroke-width": 2 }),
      );
    return { spots, marks, handle, main: name };
  }
  const { alpha, beta } = pointAt(vertices, angleToLam(values.angle)),
    at = square.at([beta, alpha]);
  const spot = { text: "", at, from: square.at([0, 0]), half: 8, color: "var(--ink)" };
  return { spots: [spot], marks: [pointOfHand(...at)], main: name };
}

/**
 * @param {Made} made
 * @param {Values} values
 * @param {{ width: number, height: number, em: number, hands: string[], ghost: Ghost | null, morph: number }} setting morph: progress of the movement from the ghost (0) to the new curves (1)
 * @returns {Drawing}
 */
export function curveDrawing(made, values, { width, height, em, hands, ghost, morph }) {
  const square = squareIn(width, height, em),
    now = linesOf(made),
    old = ghost?.lines,
    curves = all(made);
  const { spots, marks, handle, main } = marked(square, made, values, hands, ghost),
    before = old ? ghosts(square, made, old, now) : { marks: [], lines: [] },
    named = spots.filter((spot) => spot.text);
  const parts = curves.map(({ name, color }) => {
    const cut = withoutSpots(now[name].map(square.at), name === main ? named : [], em);
    return {
      stretches: cut.stretches,
      rest: pieceLines(name, curves.length > 1 ? name : "", color, cut.rest),
    };
  });
  const ways = spots.flatMap(({ from, at }) => (from ? [[from, at]] : []));
  const lines = [
    ...parts.flatMap(({ stretches }) => stretches),
    ...parts.flatMap(({ rest }) => rest),
    ...before.lines,
    ...ways.map((points, i) => ({ id: `way ${i}`, text: "", points })),
  ];
  const drawing = [
    ...axes(square),
    ...(morph < 1 ? [] : shaded(square, made, now)),
    ...before.marks,
    ...curveMarks(square, made, old, now, morph),
    ...ways.map(([[x1, y1], [x2, y2]]) =>
      mark("line", { x1, y1, x2, y2, stroke: "var(--ghost)", "stroke-dasharray": "2 4" }),
    ),
    ...marks,
    ...nameMarks(square, width, lines, spots, ghost?.places ?? new Map()),
  ];
  return {
    marks: drawing.join(""),
    handles: handle ? [handle] : [],
    ...(handle && { grab: () => ({ id: "angle" }) }),
  };
}
