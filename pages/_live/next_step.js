// "Try next": proposes the value of k or of the bandwidth, among those in the frames, that brings the drawn curves
// closest to the truth. Its text has the overlap that a curve will then have.

import { setText } from "./dom.js";
import { moves } from "./frames.js";
import { unseen } from "./rows.js";
import { store } from "./store.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Frames, Stop } from "./store.js" */
/** @import { View } from "./view.js" */

/** @typedef {{ slider: "k" | "bandwidth", value: number, text: string }} Step */

const SLIDERS = /** @type {const} */ (["k", "bandwidth"]);
const LEAST = 0.05; // smallest rise of an overlap (IoU) that is worth a click
// two values whose mean rises differ by at most this count as equal: the first slider's smallest such value is
// proposed
const EQUAL = 0.01;

/** The slider value at which the mean overlap (IoU) of the drawn curves rises most while no overlap falls by more
 * than chance; null if no overlap rises by at least LEAST and by more than chance.
 * @param {Frames} frames @param {CurveAtStop[]} curves @param {Stop} at @param {number} noise */
export function nextStep(frames, curves, at, noise) {
  /** @type {(Step & { rise: number }) | null} */
  let best = null;
  for (const slider of SLIDERS) {
    const { stops, rows } = frames[slider],
      moved = curves.filter(({ id, row }) => row && moves(frames, slider, id, at));
    if (!moved.length) continue;
    stops.forEach((value, i) => {
      const rises = moved.map(({ id, row }) => rows[id][i][0] - /** @type {number[]} */ (row)[0]),
        most = Math.max(...rises),
        rise = rises.reduce((sum, each) => sum + each, 0) / curves.length;
      if (value === null || Math.min(...rises) < -noise || most < Math.max(LEAST, noise)) return;
      if (best && rise <= best.rise + EQUAL) return;
      const first = moved[rises.findIndex((each) => each >= Math.max(LEAST, noise))],
        then = rows[first.id][i][0].toFixed(2);
      best = {
        slider,
        value,
        rise,
        text: `Try ${slider === "k" ? "k =" : "bandwidth"} ${value}: ${first.name} ${then}`,
      };
    });
  }
  return /** @type {Step | null} */ (best);
}

/** Show the proposed value as a button beside the verdict; only if the truth is known.
 * @param {LiveFigure} live @param {View} view */
export function showNext(live, { at, curves }) {
  const { payload, controls, parts, panes, film } = live,
    box = /** @type {HTMLButtonElement} */ (parts.next),
    frames = store.frames.get(payload.frames);
  const compared = payload.rows && payload.table?.columns[0].key === "iou";
  const open = film.open || payload.pins?.length || live.task.secret;
  const ready = compared && frames && at && panes.length && !open;
  const hidden = ready ? unseen(live, panes[0], curves) : new Set();
  const drawn = curves.filter(({ id }) => id !== "truth" && !hidden.has(id));
  const step = ready ? nextStep(frames, drawn, at, payload.noise ?? 0) : null;
  box.hidden = !step;
  if (!step) return;
  setText(box, step.text);
  box.onclick = () => {
    const slider = controls.slider(step.slider);
    if (!slider) return;
    slider.take(step.value);
    slider.range.focus({ preventScroll: true });
  };
}
