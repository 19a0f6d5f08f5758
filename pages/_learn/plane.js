// Picture of samples in the plane, classified by kNN.

import { angleToLam, vertexPairs } from "../_live/curve.js";
import { balls, bellsCurve, classifiers, compared, cutAt, gaussian, random, split } from "./arithmetic.js";
import { mark } from "../_shared/stage.js";
import { within, rounded, closest, evenly, label } from "./figure_parts.js";
import { trackDrawing } from "./track.js";

/** @import { Vertex } from "../_live/curve.js" */
/** @import { Classifiers, Sample, Split } from "./arithmetic.js" */
/** @import { Drawing, Handle, Values } from "../_shared/stage.js" */
/** @import { Figure } from "./figure_parts.js" */

export const KS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30];
export const SIZES = [20, 40, 80, 120, 160, 200];
const CELLS = 34;
const BESIDE = 14; // distance of the handle from the ring that it drags, in pixels: it must not cover the sample

/** Real and generated samples: drawn with the seed, or at the place to which the reader has dragged them.
 * @param {Values} values @returns {[Sample[], Sample[]]} */
export function drawn({ seed, n, mu, moved }) {
  const uniform = random(seed);
  /** @type {[Sample[], Sample[]]} */
  const sides = [[], []];
  for (let i = 0; i < n; i++) {
    for (const side of [0, 1]) {
      const [x, y] = gaussian(uniform);
      sides[side].push(moved[`${side}.${i}`] ?? [x + side * mu, y + side * mu]);
    }
  }
  return sides;
}

/** @param {Split} split @param {number[]} ks @returns {Classifiers[]} */
export function knn({ judged, fit, split: apart }, ks) {
  const found = balls([...judged[0], ...judged[1]], fit, ks, !apart);
  return ks.map((_, i) =>
    classifiers(
      found.map((each) => each[i].votes),
      judged[0].length,
    ),
  );
}

/** The error of a curve: 1 - IoU with the truth.
 * @param {Vertex[]} vertices @param {Vertex[]} truth */
const wrong = (vertices, truth) => 1 - compared(vertices, truth).iou;

export const DRAWS = 40;
/** @type {Map<string, { errors: number[], band: [number, number][] }>} */
const USUAL = new Map();

/** For each k, the mean error over DRAWS draws of the samples, and the band that contains the errors of 8 in 10
 * draws.
 * @param {Values} values @param {number[]} ks */
export function usual({ n, mu, split: apart }, ks) {
  const key = JSON.stringify([n, mu, apart, ks]),
    known = USUAL.get(key);
  if (known) return known;
  const truth = bellsCurve(Math.SQRT2 * mu, 1),
    draws = Array.from({ length: DRAWS }, (_, seed) => {
      const [real, generated] = drawn({ seed: 1000 + seed, n, mu, moved: {} });
      return knn(split(real, generated, apart), ks).map(({ vertices }) => wrong(vertices, truth));
    });
  const sorted = ks.map((_, i) => draws.map((each) => each[i]).sort((a, b) => a - b)),
    cut = Math.floor(DRAWS / 10);
  const found = {
    errors: sorted.map((each) => each.reduce((sum, error) => sum + error, 0) / DRAWS),
    band: sorted.map((each) => /** @type {[number, number]} */ ([each[cut], each[DRAWS - 1 - cut]])),
  };
  USUAL.set(key, found);
  return found;
}

/** Lines for the plot of errors over k or n, depending on which the step lets the reader move: the mean error of
 * other draws, with the error of the samples on screen (`here`); and the error for infinitely many samples, if
 * known.
 * @param {Values} values @param {string[]} hands @param {number} here @param {number[] | null} endless */
function strip(values, hands, here, endless) {
  const byN = hands.includes("n") ? SIZES.map((n) => usual({ ...values, n }, [values.k])) : [];
  const found = hands.includes("k")
    ? usual(values, KS)
    : { errors: byN.flatMap(({ errors }) => errors), band: byN.flatMap(({ band }) => band) };
  const line = { name: endless ? `${values.n} of each` : "", color: "var(--knn)", ...found, here };
  return endless ? [line, { name: "endless", color: "var(--limit)", errors: endless }] : [line];
}

/** @type {Figure} */
export const plane = {
  title: "Neighbours vote",
  heading({ k, n }, { more }) {
    const { now, cut, parts } = more,
      [real, generated] = /** @type {Split} */ (parts).judged,
      { rates, cuts } = /** @type {Classifiers} */ (now),
      [fpr, fnr] = rates[cuts.indexOf(cut)];
    return `n = ${n} of each, ${parts.split ? "half" : "all"} vote, k = ${k}: ${Math.round(fpr * real.length + fnr * generated.length)} of ${real.length} + ${generated.length} misjudged`;
  },
  model(values, { hands, measured }) {
    const { k, mu } = values,
      samples = drawn(values),
      parts = split(samples[0], samples[1], values.split);
    const [now] = knn(parts, [k]);
    const truth = bellsCurve(Math.SQRT2 * mu, 1);
    const curves = [{ name: "estimate", color: "var(--knn)", vertices: now.vertices }];
    const limits = values.limit && measured.limits;
    if (limits)
      curves.push({ name: "endless samples", color: "var(--limit)", vertices: vertexPairs(limits[k]) });
    return {
      truth,
      curves,
      more: {
        parts,
        now,
        cut: cutAt(now, angleToLam(values.angle)),
        lines: strip(
          values,
          hands,
          wrong(now.vertices, truth),
          limits ? KS.map((each) => wrong(vertexPairs(limits[each]), truth)) : null,
        ),
      },
    };
  },
  draw(values, made, setting) {
    const { width, height, em, hands } = setting,
      { k, mu } = values,
      { parts, cut, lines } = made.more;
    const tracked = hands.includes("k") ? "k" : hands.includes("n") ? "n" : "";
    // In a low frame the plot of errors fits only beside the plane, not below it.
    const beside = tracked !== "" && height < 20 * em,
      names = (lines.length > 1 ? 6 : 1) * em;
    const below = tracked && !beside ? Math.min(14 * em, 0.42 * height) : 0,
      side = beside
        ? Math.min(height - (lines.length > 1 ? 3.4 : 2) * em, width - 11.5 * em - names)
        : Math.min(width, height - below),
      left = beside ? 0 : (width - side) / 2;
    const low = -3.2 + Math.min(mu, 0),
      span = 6.4 + Math.abs(mu),
      scale = side / span;
    const toX = (/** @type {number} */ x) => left + (x - low) * scale,
      toY = (/** @type {number} */ y) => side - (y - low) * scale;
    const from = (/** @type {number} */ x, /** @type {number} */ y) =>
      /** @type {Sample} */ ([
        rounded(within((x - left) / scale + low, low, low + span), 0.01),
        rounded(within((side - y) / scale + low, low, low + span), 0.01),
      ]);
    const { fit, judged } = /** @type {Split} */ (parts),
      marks = [];
    const axis = evenly(low + span / CELLS / 2, low + span - span / CELLS / 2, CELLS),
      grid = axis.flatMap((y) => axis.map((x) => /** @type {Sample} */ ([x, y])));
    const key = (/** @type {[number, number]} */ [x, y]) => (x > 0 ? y / x : Infinity);
    const size = side / CELLS + 0.6,
      square = ([x, y] = /** @type {Sample} */ ([0, 0])) =>
        `M${(toX(x) - size / 2).toFixed(1)} ${(toY(y) - size / 2).toFixed(1)}h${size.toFixed(1)}v${size.toFixed(1)}h-${size.toFixed(1)}z`;
    const says = balls(grid, fit, [k], false).map(([{ votes }]) => key(votes) <= cut);
    for (const is of [true, false])
      marks.push(
        mark("path", {
          d: grid
            .filter((_, i) => says[i] === is)
            .map(square)
            .join(""),
          fill: `var(--${is ? "real" : "generated"})`,
          opacity: 0.16,
        }),
      );
    const own = !parts.split,
      points = [...judged[0], ...judged[1]],
      nReal = judged[0].length;
    // distance of a point from the middle between the two sets, where neighbours are of both sets
    const central = ([x, y] = /** @type {Sample} */ ([0, 0])) => Math.hypot(x - mu / 2, y - mu / 2);
    const picked =
        values.picked < 0
          ? points.reduce((best, point, i) => (central(point) < central(points[best]) ? i : best), 0)
          : within(values.picked, 0, points.length - 1),
      ball = balls([points[picked]], fit, [k], own)[0][0];
    const dots = (
      /** @type {Sample[]} */ of,
      /** @type {number} */ role,
      /** @type {Record<string, string | number>} */ look,
    ) => {
      const r = 0.32 * em,
        wide = (2 * r).toFixed(1),
        // all dots are one path, since hundreds of SVG elements are slow
        arc = `a${r.toFixed(1)} ${r.toFixed(1)} 0 1 0`;
      const outline = role ? `h${wide}L` : `${arc} ${wide} 0${arc} -${wide} 0z`;
      return mark("path", {
        d: of
          .map(([x, y]) =>
            role
              ? `M${(toX(x) - r).toFixed(1)} ${(toY(y) + r).toFixed(1)}${outline}${toX(x).toFixed(1)} ${(toY(y) - r).toFixed(1)}z`
              : `M${(toX(x) - r).toFixed(1)} ${toY(y).toFixed(1)}${outline}`,
          )
          .join(""),
        ...look,
      });
    };
    const keys = balls(points, fit, [k], own).map(([{ votes }]) => key(votes));
    for (const role of [0, 1]) {
      const color = `var(--${role ? "generated" : "real"})`;
      if (parts.split) marks.push(dots(fit[role], role, { fill: color, opacity: 0.85 }));
      marks.push(
        dots(
          judged[role],
          role,
          parts.split ? { fill: "var(--ground)", stroke: color, "stroke-width": 2 } : { fill: color },
        ),
      );
    }
    const crosses = points
      .filter((_, i) => keys[i] <= cut !== i < nReal)
      .map(([x, y]) => `M${(toX(x) - 4).toFixed(1)} ${(toY(y) - 4).toFixed(1)}l8 8m0-8l-8 8`);
    marks.push(
      mark("path", { d: crosses.join(""), stroke: "var(--wrong)", "stroke-width": 2, fill: "none" }),
    );
    const [px, py] = points[picked],
      reach = ball.radius * scale,
      role = picked < nReal ? 0 : 1;
    marks.push(
      mark("circle", {
        cx: toX(px),
        cy: toY(py),
        r: Math.max(reach, 2).toFixed(1),
        fill: "none",
        stroke: "var(--ink)",
        "stroke-width": 2,
        "stroke-dasharray": "5 3",
      }),
    );
    const up = toY(py) - reach - 0.5 * em,
      [forReal, against] = ball.votes,
      all = forReal + against,
      // number of real votes, of `all`, that the sample needs to be called real: c_Y <= cut c_X
      needed = cut < 0 ? all + 1 : Math.ceil(all / (1 + cut) - 1e-9);
    const text = `${forReal} of ${all} real${own ? ", itself one" : ""}, ${needed} needed: ${forReal >= needed ? "real" : "generated"}`;
    const over = up > em && !hands.includes("mu") ? up : toY(py) + reach + 1.3 * em;
    // if the plot of errors is beside the plane, the text is below the plane, in up to two lines
    const cutInTwo = lines.length > 1 ? text.lastIndexOf(", ") + 1 : text.length;
    const said = beside
      ? [text.slice(0, cutInTwo), text.slice(cutInTwo).trim()]
          .map((line, i) =>
            label(line, 0, side + 1.4 * (i + 1) * em, { "text-anchor": "start", class: "name" }),
          )
          .join("")
      : label(text, within(toX(px), 9 * em, width - 9 * em), over, { class: "name halo" });
    const offset = (/** @type {number} */ index) => {
      const first = index < nReal ? 0 : nReal;
      return index - first + (parts.split ? fit[index < nReal ? 0 : 1].length : 0);
    };
    const put = (/** @type {number} */ index, /** @type {Sample} */ place) => ({
      picked: index,
      moved: { ...values.moved, [`${index < nReal ? 0 : 1}.${offset(index)}`]: place },
    });
    /** @type {Handle[]} */
    const handles = [
      {
        id: "sample",
        label: `Sample ${picked + 1} of ${points.length}, ${role ? "generated" : "real"}; Home and End choose another`,
        text,
        now: px,
        min: low,
        max: low + span,
        x: toX(px),
        y: toY(py),
        color: `var(--${role ? "generated" : "real"})`,
        open: true,
        drag: (x, y) => put(picked, from(x, y)),
        press: (steps, across) =>
          Math.abs(steps) >= 1000
            ? { picked: (picked + points.length + Math.sign(steps)) % points.length }
            : put(picked, [
                rounded(px + (across ? 0.1 * steps : 0), 0.01),
                rounded(py + (across ? 0 : 0.1 * steps), 0.01),
              ]),
      },
    ];
    if (hands.includes("k")) {
      const step = (/** @type {number} */ i) => ({ k: KS[within(i, 0, KS.length - 1)] });
      handles.push({
        id: "ring",
        label: "Neighbours k, by the ring",
        text: `k = ${k}`,
        now: k,
        min: 1,
        max: 30,
        x: Math.min(toX(px) + reach + BESIDE, left + side - 10),
        y: toY(py),
        color: "var(--hand)",
        drag(x, y) {
          const far = (Math.hypot(x - toX(px), y - toY(py)) - BESIDE) / scale,
            radii = balls([[px, py]], fit, KS, own)[0].map(({ radius }) => radius);
          return { k: KS[radii.indexOf(closest(radii, far))] };
        },
        press: (steps) => step(KS.indexOf(k) + steps),
      });
    }
    if (hands.includes("mu")) {
      const set = (/** @type {number} */ to) => ({ mu: rounded(within(to, 0, 3), 0.05) });
      marks.push(
        label("cloud", toX(mu) + em, toY(mu) + 0.35 * em, {
          "text-anchor": "start",
          class: "small halo",
          fill: "var(--generated-text)",
        }),
      );
      handles.push({
        id: "mu",
        label: "Distance of the generated cloud",
        text: `${mu} on each axis`,
        now: mu,
        min: 0,
        max: 3,
        x: toX(mu),
        y: toY(mu),
        color: "var(--generated)",
        drag: (x, y) => {
          const [u, v] = from(x, y);
          return set((u + v) / 2);
        },
        press: (steps) => set(mu + 0.1 * steps),
      });
    }
    const above = ["wrong, in %: ● here,", `line: mean of ${DRAWS} sets`];
    /** @type {Drawing | null} */
    const track = tracked
      ? trackDrawing({
          id: tracked,
          name: tracked === "k" ? "neighbours k" : "samples n of each",
          stops: tracked === "k" ? KS : SIZES,
          now: values[tracked],
          above: beside ? above : [above.join(" ")],
          lines,
          box: {
            left: beside ? side + 3.5 * em : 4 * em,
            right: width - (beside ? names : (tracked === "k" ? 6.5 : 2) * em),
            top: beside ? 3.4 * em : side + 2.2 * em,
            bottom: height - 2.8 * em,
          },
          em,
        })
      : null;
    return {
      marks:
        mark("clipPath", { id: "course-plane" }, mark("rect", { x: left, y: 0, width: side, height: side })) +
        mark("g", { "clip-path": "url(#course-plane)" }, marks.join("")) +
        said +
        (track?.marks ?? ""),
      handles: [...handles, ...(track?.handles ?? [])],
      grab(x, y) {
        if (y > side || x > left + side) return track?.grab?.(x, y) ?? null;
        const far = points.map(([u, v]) => Math.hypot(toX(u) - x, toY(v) - y)),
          best = far.indexOf(Math.min(...far));
        return far[best] < 24 ? { id: "sample", values: { picked: best } } : null;
      },
    };
  },
};
