// A picture of what the lines of the main figure mean, with three labels, above the help text.

import { shape } from "./dom.js";

const CURVE = "M12 12H130C145 70 180 100 290 108V146",
  TRUTH = "M12 60H50C64 105 100 122 190 126V146";

/** @param {boolean} known true if the figure shows the truth; else the picture shows the curve to believe and the bound on the truth */
export function helpPicture(known) {
  const line = (/** @type {string} */ d, more = {}) =>
    shape("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 2, ...more });
  const text = (/** @type {string} */ said, /** @type {number} */ x, /** @type {number} */ y) =>
    shape("text", said, { x, y });
  const estimate = line(CURVE, { stroke: "var(--st-primary-color)" });
  const frame = line("M12 4V146H310", { "stroke-width": 1, opacity: 0.5 });
  const shade = { stroke: "none", fill: "currentColor", opacity: 0.12 };
  const parts = known
    ? [
        line(`${CURVE}H190V126C100 122 64 105 50 60H12Z`, { ...shade, fill: "var(--st-primary-color)" }),
        line(TRUTH, { "stroke-dasharray": "6 4" }),
        text("solid: an estimate", 168, 58),
        text("shade: too high", 20, 40),
        text("dashed: the truth", 18, 141),
      ]
    : [
        line("M150 4C165 50 200 84 310 92V4Z", shade),
        line(TRUTH, { "stroke-width": 4 }),
        text("grey: ruled out, 95 %", 174, 34),
        text("colour: an estimate", 18, 32),
        text("bold: believe it", 18, 141),
      ];
  return shape(
    "svg",
    { viewBox: "0 0 316 150", role: "img", "aria-label": "What the lines mean" },
    frame,
    ...parts,
    estimate,
  );
}
