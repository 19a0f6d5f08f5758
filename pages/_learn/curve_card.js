// The precision-recall curve that a step's picture draws, with the ghost of where it was.

import { angleToLam, lowerHull, pointAt, pointsAlong, sample } from "../_live/curve.js";
import { LAMS, atHalf, compared } from "./arithmetic.js";
import { percent } from "./figures.js";
import { mark, path } from "../_shared/stage.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Made } from "./figures.js" */
/** @import { Drawing, Handle, Values } from "../_shared/stage.js" */

/** @typedef {[recall: number, precision: number]} Point */

/** What was drawn before: the points at even angles, by the name of the curve. @typedef {Record<string, Point[]>} Lines */
/** @typedef {{ lines: Lines, angle: number }} Ghost */

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
export const ghostOf = (made, angle) => ({ lines: linesOf(made), angle });

/** @param {Lines} a @param {Lines} b */
const differ = (a, b) =>
  Object.entries(a).some(
    ([name, points]) =>
      b[name] && points.some(([x, y], i) => Math.hypot(x - b[name][i][0], y - b[name][i][1]) > 0.01),
  );

/** @param {number} lam */
const lamText = (lam) => (lam === Infinity ? "∞" : Number(lam.toPrecision(2)));

/** The words under the curve.
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

/** Where the curve is drawn: places of recall and precision in pixels, a side of the square and a line of text.
 * @typedef {object} Square
 * @property {number} side
 * @property {number} em
 * @property {(recall: number) => number} toX
 * @property {(precision: number) => number} toY
 * @property {(point: Point) => [number, number]} at
 */

/** @param {number} width @param {number} height @param {number} em @returns {Square} */
function squareIn(width, height, em) {
  const pad = { left: 3.4 * em, bottom: 3.2 * em, top: 0.9 * em, right: 0.9 * em };
  const side = Math.max(40, Math.min(width - pad.left - pad.right, height - pad.top - pad.bottom)),
    left = pad.left + (width - pad.left - pad.right - side) / 2;
  const toX = (/** @type {number} */ x) => left + x * side,
    toY = (/** @type {number} */ y) => pad.top + (1 - y) * side;
  return { side, em, toX, toY, at: ([x, y]) => [toX(x), toY(y)] };
}

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

/** The curves as they were, and that word where one of them has moved most.
 * @param {Square} square @param {Made} made @param {Lines} old @param {Lines} now @param {[number, number][]} named */
function ghosts({ em, toX, toY, at }, made, old, now, named) {
  if (!differ(old, now)) return [];
  const curves = all(made),
    estimated = made.curves.length > 0;
  const marks = curves
    .filter(({ name, truth }) => old[name] && !(truth && made.curves.length > 1))
    .map(({ name, truth }) =>
      mark("path.ghost", {
        d: path(old[name].map(at)),
        fill: "none",
        stroke: "var(--ghost)",
        "stroke-width": 2,
        "stroke-dasharray": truth && estimated ? "6 5" : "none",
      }),
    );
  const moved = curves
    .map(({ name }) => name)
    .find((name) => old[name] && differ({ [name]: old[name] }, now));
  if (!moved) return marks;
  const gaps = old[moved]
    .map(([x, y], i) => ({ gap: Math.hypot(x - now[moved][i][0], y - now[moved][i][1]), place: at([x, y]) }))
    .sort((a, b) => b.gap - a.gap);
  // above the curve, below it, or beside where it is steep
  const shifts = [
    [0, -0.5],
    [0, 1.2],
    [2.5, 0],
    [-2.5, 0.8],
  ];
  const places = gaps.flatMap(({ place: [x, y] }) =>
    shifts.map(([across, down]) => [
      Math.min(Math.max(x + across * em, toX(0) + 2 * em), toX(1) - 2 * em),
      Math.min(Math.max(y + down * em, toY(1) + em), toY(0) - 0.5 * em),
    ]),
  );
  const drawn = Object.values(now).flatMap((line) => line.map(at));
  const place =
    places.find(
      ([x, y]) =>
        !named.some(([u, v]) => x + 2 * em > u && x - 2 * em < u + 5 * em && Math.abs(v - y) < 1.1 * em) &&
        !drawn.some(([u, v]) => Math.abs(u - x) < 2 * em && v > y - em && v < y + 0.3 * em),
    ) ?? places[0];
  return [...marks, text("before", place[0], place[1], { class: "small halo", fill: "var(--soft)" })];
}

/** What an estimate has too much, and too little. @param {Square} square @param {Made} made @param {Lines} now */
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

/** A point in the colour of the hand.
 * @param {number} x @param {number} y */
const pointOfHand = (x, y) =>
  mark("circle.at", { cx: x, cy: y, r: 7, fill: "var(--hand)", stroke: "var(--ground)", "stroke-width": 2 });

/** The points that are read at half the recall and at half the precision.
 * @param {Square} square @param {Vertex[]} vertices */
function halves({ em, at, toX, toY }, vertices) {
  const { precision, recall } = atHalf(vertices);
  return /** @type {[number, number, "x" | "y"][]} */ ([
    [0.5, precision, "x"],
    [recall, 0.5, "y"],
  ]).flatMap(([across, up, from]) => {
    const [x, y] = at([across, up]),
      down = from === "x",
      share = percent(down ? up : across);
    const place = down
      ? { x, y: y + (up < 0.2 ? -0.9 : 1.6) * em }
      : { x: x + (across < 0.2 ? 1 : -1) * em, y: y + 0.3 * em }; // clear of the axes
    return [
      mark("line", {
        x1: down ? x : toX(0),
        y1: down ? toY(0) : y,
        x2: x,
        y2: y,
        stroke: "var(--ghost)",
        "stroke-dasharray": "2 4",
      }),
      pointOfHand(x, y),
      text(share, Math.min(place.x, toX(1) - em), place.y, {
        "text-anchor": down ? "middle" : across < 0.2 ? "start" : "end",
        class: "small halo",
        "font-weight": 700,
      }),
    ];
  });
}

/** The curves, on their way from the old ones where `morph` is below 1, and the names of up to three beside the truth.
 * @param {Square} square @param {Made} made @param {Lines | undefined} old @param {Lines} now @param {number} morph
 * @returns {{ marks: string[], names: string[], named: [number, number][] }} named: where names stand */
function lines({ em, toX, toY, at }, made, old, now, morph) {
  const curves = all(made),
    estimated = made.curves.length > 0 && made.truth !== null;
  /** @type {[number, number][]} */
  const named = [];
  /** @type {string[]} */
  const names = [];
  const marks = curves.map(({ name, vertices, color, truth }, i) => {
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
    const line = mark("path.curve", {
      d: path(points.map(at)),
      fill: "none",
      stroke: color,
      "stroke-width": 3,
      "data-curve": name,
      "stroke-dasharray": truth && estimated ? "8 6" : "none",
      "stroke-linejoin": "round",
    });
    const places =
      curves.length < 2 || (curves.length > 4 && !truth)
        ? []
        : [0.28, 0.72, 0.5, 0.16, 0.84, 0.4, 0.6].map((share) => {
            const [x, y] = at(even[Math.round(((share + 0.02 * i) % 1) * (even.length - 1))]);
            return /** @type {[number, number]} */ ([
              Math.min(x + 0.4 * em, toX(1) - 3 * em),
              Math.max(y - 0.5 * em, toY(1) + em),
            ]);
          });
    const place = places.find(
      ([x, y]) => !named.some(([u, v]) => Math.abs(u - x) < 4.5 * em && Math.abs(v - y) < 1.2 * em),
    );
    if (place) {
      named.push(place);
      names.push(
        text(name, ...place, {
          "text-anchor": "start",
          class: "small halo",
          fill: color,
          "font-weight": 700,
        }),
      );
    }
    return line;
  });
  return { marks, names, named };
}

/** Both ends of a curve, with what they come to.
 * @param {Square} square @param {Vertex[]} vertices @param {string} color */
function ends({ em, at, toX }, vertices, color) {
  const sides = /** @type {[number, number, number, string][]} */ ([
    [Infinity, 0.8, 1.6, "start"],
    [0, -0.6, -0.6, "end"],
  ]);
  return sides.flatMap(([lam, beside, dy, side]) => {
    let [dx, anchor] = [beside, side];
    const end = pointAt(vertices, lam),
      [u, v] = at([end.beta, end.alpha]);
    if (!lam && u < toX(0.4)) [dx, anchor] = [0.8, "start"]; // else it would leave the picture
    return [
      mark("rect", { x: u - 6, y: v - 6, width: 12, height: 12, fill: color }),
      text(
        `ends at ${(lam ? end.alpha : end.beta).toFixed(2)}`,
        u + dx * em,
        v + (lam && end.alpha < 0.1 ? -0.8 : dy) * em,
        { "text-anchor": anchor, class: "small halo", "font-weight": 700, fill: color },
      ),
    ];
  });
}

/** The dot at lam where one can drag it, and where it was.
 * @param {Square} square @param {Vertex[]} vertices @param {number} angle @param {number | undefined} was
 * @returns {{ marks: string[], handle: Handle }} */
function dot({ em, toX, toY, at }, vertices, angle, was) {
  const point = (/** @type {number} */ degrees) => {
    const { alpha, beta } = pointAt(vertices, angleToLam(degrees));
    return at([beta, alpha]);
  };
  const [x, y] = point(angle),
    lam = angleToLam(angle),
    said = `λ = ${lamText(lam)}`;
  const set = (/** @type {number} */ to) => ({ angle: Math.min(90, Math.max(0, Math.round(to))) });
  const marks = [
    text(said, Math.min(x + 1.1 * em, toX(1) - 4 * em), Math.max(y - 0.9 * em, toY(1) + em), {
      "text-anchor": "start",
      class: "small halo",
      "font-weight": 700,
    }),
  ];
  if (was !== undefined && Math.abs(was - angle) > 8) {
    const [u, v] = point(was);
    marks.push(
      mark("circle.ghost", {
        cx: u,
        cy: v,
        r: 7,
        fill: "none",
        stroke: "var(--ghost)",
        "stroke-width": 2,
      }),
    );
    marks.push(
      text("before", u + 1.1 * em, v + 0.3 * em, {
        "text-anchor": "start",
        class: "small halo",
        fill: "var(--soft)",
      }),
    );
  }
  return {
    marks,
    handle: {
      id: "angle",
      label: "Trade-off λ",
      text: said,
      now: angle,
      min: 0,
      max: 90,
      x,
      y,
      color: "var(--hand)",
      drag: (u, v) => set((Math.atan2(Math.max(toY(0) - v, 0), Math.max(u - toX(0), 0)) * 180) / Math.PI),
      press: (steps) => set(angle + 2 * steps),
    },
  };
}

/**
 * @param {Made} made
 * @param {Values} values
 * @param {{ width: number, height: number, em: number, hands: string[], ghost: Ghost | null, morph: number }} setting morph: how far
 *   the curves have come from the ghost, 0 to 1
 * @returns {Drawing}
 */
export function curveDrawing(made, values, { width, height, em, hands, ghost, morph }) {
  const square = squareIn(width, height, em),
    now = linesOf(made),
    old = ghost?.lines;
  const drawn = lines(square, made, old, now, morph);
  const marks = [
    ...axes(square),
    ...(morph < 1 ? [] : shaded(square, made, now)),
    ...(old ? ghosts(square, made, old, now, drawn.named) : []),
    ...drawn.marks,
    ...drawn.names,
  ];
  if (!made.truth)
    marks.push(
      ...made.curves.map(({ vertices, color }) => {
        const { alpha } = pointAt(vertices, 1),
          [cx, cy] = square.at([alpha, alpha]);
        return mark("circle.at", { cx, cy, r: 6, fill: color });
      }),
    );
  const main =
    made.curves.length === 1
      ? made.curves[0].vertices
      : made.truth && !made.curves.length
        ? made.truth
        : null;
  if (!main) return { marks: marks.join(""), handles: [] };
  if (hands.includes("halves")) return { marks: [...marks, ...halves(square, main)].join(""), handles: [] };
  const { alpha, beta } = pointAt(main, angleToLam(values.angle)),
    [x, y] = square.at([beta, alpha]);
  if (hands.includes("ends"))
    return {
      marks: [...marks, ...ends(square, main, made.curves[0]?.color ?? "var(--ink)")].join(""),
      handles: [],
    };
  marks.push(
    mark("line", {
      x1: square.toX(0),
      y1: square.toY(0),
      x2: x,
      y2: y,
      stroke: "var(--ghost)",
      "stroke-dasharray": "2 4",
    }),
  );
  if (hands.includes("angle")) {
    const free = dot(square, main, values.angle, ghost?.angle);
    return {
      marks: [...marks, ...free.marks].join(""),
      handles: [free.handle],
      grab: () => ({ id: "angle" }),
    };
  }
  marks.push(pointOfHand(x, y));
  return { marks: marks.join(""), handles: [] };
}
