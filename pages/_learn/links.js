// Links: the web address of a step with its values, and the link to Explore with the matching settings.

import { inBoth } from "./gaussians.js";

/** @import { Step } from "./course.js" */
/** @import { Values } from "../_shared/stage.js" */

/** @param {Step} step @param {Values} values */
export function stepQuery(step, values) {
  const own = Object.entries({ angle: 45, ...step.start }).filter(
    ([name, value]) => JSON.stringify(values[name]) !== JSON.stringify(value),
  );
  return new URLSearchParams([
    ["step", step.id],
    ...own.map(([name]) => [name, JSON.stringify(values[name])]),
  ]).toString();
}

/** True if a value from a link can replace the step's own value: it must be finite and have the same type and length.
 * @param {unknown} value @param {unknown} own @returns {boolean} */
function fits(value, own) {
  if (typeof own === "number")
    return typeof value === "number" && Number.isFinite(value) && Math.abs(value) <= 5000;
  if (Array.isArray(own)) {
    return (
      Array.isArray(value) &&
      value.length === own.length &&
      value.every((each) => typeof each === "number" && each >= 0 && each <= 1) &&
      value.some((each) => each > 0)
    );
  }
  if (typeof own !== "object" || own === null) return typeof value === typeof own;
  const place = (/** @type {unknown} */ each) =>
    Array.isArray(each) && each.length === 2 && each.every((x) => Number.isFinite(x) && Math.abs(x) < 20);
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(place)
  );
}

/** By name of a value with limits, whether it may be this number.
 * @type {Record<string, (value: number) => boolean>} */
const LEGAL = {
  angle: (value) => value >= 0 && value <= 90,
  shift: (value) => Math.abs(value) <= 4,
  scale: (value) => value >= 0.5 && value <= 2.5,
  mu: (value) => value >= 0 && value <= 3,
  drop: (value) => value >= 0 && value <= 0.8,
  k: (value) => [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30].includes(value),
  n: (value) => [20, 40, 50, 80, 100, 120, 160, 200, 400, 800, 1600].includes(value),
  seed: Number.isInteger,
  picked: Number.isInteger,
  pAt: Number.isInteger,
  qAt: Number.isInteger,
};

/** The usable values in an address. Values that it lacks or that can't be used are left out: the step keeps its own.
 * @param {URLSearchParams} query @param {Values} start */
export function valuesFrom(query, start) {
  /** @type {Values} */
  const found = {};
  for (const [name, own] of Object.entries({ angle: 45, ...start })) {
    const text = query.get(name);
    if (text === null || text.length > 20000) continue;
    try {
      const value = JSON.parse(text);
      if (fits(value, own) && (LEGAL[name]?.(value) ?? true)) found[name] = value;
    } catch {
      // ignore a value that is no JSON
    }
  }
  return found;
}

/** The query of the link to Explore. Each entry of `step.explore` is a text with {name} for a value of the step,
 * {lam} for the trade-off, and {inBoth} for the share of the smaller box that lies inside the larger one.
 * @param {Step} step @param {Values} values */
export function exploreQuery(step, values) {
  const lam = values.angle >= 90 ? "inf" : String(+Math.tan((values.angle * Math.PI) / 180).toPrecision(6));
  const shown = (/** @type {string} */ name) =>
    name === "lam"
      ? lam
      : name === "split"
        ? values.split
          ? "0.5"
          : "none"
        : name === "inBoth"
          ? String(inBoth(values) / (2 * Math.min(1, values.scale)))
          : Array.isArray(values[name])
            ? values[name].join(",")
            : String(values[name]);
  return new URLSearchParams(
    Object.entries(step.explore).map(([name, text]) => [
      name,
      text.replace(/\{(\w+)\}/g, (_, each) => shown(each)),
    ]),
  ).toString();
}
