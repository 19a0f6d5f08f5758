// What is on screen, or is to be: Python's own curves, or those of the stop that the user has moved to.

import { curvesAt, sameStop } from "./frames.js";
import { store } from "./store.js";

/** @import { ExplorerSpec } from "./confusion_groups.js" */
/** @import { BarsSpec } from "./bars.js" */
/** @import { ChipsSpec, SliderSpec } from "./controls.js" */
/** @import { Curve, CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { PaneSpec } from "./pane.js" */
/** @import { Table } from "./readout.js" */
/** @import { Stop } from "./store.js" */

/**
 * What Python sends (live_figure in pages/_live/figure.py).
 * @typedef {object} Payload
 * @property {string} revision names the content: all but what follows "standout"
 * @property {(SliderSpec | BarsSpec | ChipsSpec)[]} controls
 * @property {Curve[]} curves
 * @property {(import("./store.js").KeyedCurve & { id: string })[]} lines further curves that are drawn: the bound on the truth, and limits
 * @property {Record<string, number[]>} vertices flat, by key: those that the browser has not got yet
 * @property {PaneSpec[]} panes
 * @property {Table | null} table
 * @property {string} frames id of the frames that hold the curves at other stops
 * @property {Stop | null} shown the stop that Python has drawn
 * @property {boolean} legend
 * @property {boolean} rows one row a curve, and the figure as large as the window lets it be
 * @property {string[]} [hidden] ids of the curves that a link hides
 * @property {string[]} [folded] and of those that it does not draw beside so many others
 * @property {number | null} bound area that the truth does not exceed, where no truth is known and the bound is drawn
 * @property {number} [noise] difference of two families' IoU or areas that chance alone makes
 * @property {boolean} [pending] the curve to believe is still to be measured
 * @property {import("./verdict.js").Few | null} [few] what too few samples say, where there is no truth
 * @property {Record<string, number> | null} errors of the area of each curve that Python has drawn, on a surrogate
 * @property {ExplorerSpec | null} explorer
 * @property {string} standout the group of linked views (group.js), "" where there is none
 * @property {string[]} [films] what can be played: "n", "k", "seed"
 * @property {import("./task.js").TaskSpec | null} [task]
 * @property {string[]} [pins] ids of the pinned states' snapshots, the newest last
 * @property {string} [now] id that the snapshot of what is drawn would have
 * @property {import("./difference.js").Words} [words] the settings, for what differs from a pinned state
 * @property {string} [token] of the main figure, by which Python knows the visitor
 * @property {[string, string]} [of] source and name of the data that the controls are of
 * @property {number} [asked] number of the question that Python has heard last
 * @property {boolean} [more] something is still to be measured
 * @property {boolean} [stale] the drawing is of other settings
 * @property {boolean} [other] the drawing is of other data, while those that are wanted are measured
 * @property {string} [above] key of what stands over the figure, "" where there is nothing
 * @property {number | null} [coarse] the drawing is of so many samples per set only
 *
 * @typedef {object} View
 * @property {Stop | null} at null where there is nothing to follow
 * @property {string} stop names the stop; "" where there is none
 * @property {boolean} local the browser has drawn it, not Python
 * @property {CurveAtStop[]} curves
 * @property {number} [noise] of a film's frame, in place of the payload's
 * @property {import("./verdict.js").Few | null} [few] likewise
 */

/** Where the sliders of this figure stand that frames know; null where it has none of them.
 * @param {LiveFigure} live */
export const ownStop = ({ controls }) => controls.position;

/** lam here: a figure without the slider is at that of the one that has it.
 * @param {LiveFigure} live */
export const lamOf = ({ controls, host }) =>
  controls.list.length ? controls.lam : (store.sliders.get(host)?.lam ?? controls.lam);

/** @param {LiveFigure} live @returns {View} */
export function look(live) {
  const played = live.film?.look();
  if (played) return played;
  const { payload, controls } = live,
    { shown, table } = payload;
  const sliders = store.sliders.get(live.host),
    others = sliders?.id === payload.frames ? sliders.at : null,
    at = controls.list.length ? controls.position : others;
  const curves = at && shown && !sameStop(at, shown) ? curvesAt(payload, at) : null;
  if (at && curves) return { at, stop: nameOf(at), local: true, curves };
  return {
    at: shown,
    stop: shown ? nameOf(shown) : "",
    local: false,
    curves: payload.curves.map((c) => ({ ...c, row: table?.rows[c.id], still: c.id === "truth" })),
  };
}

/** @param {Stop} at */
const nameOf = ({ k, bandwidth }) => `${k}|${bandwidth ?? "auto"}`;

/** True if the browser can draw the stop where the sliders stand.
 * @param {LiveFigure} live */
export function drawnHere(live) {
  const at = ownStop(live),
    { shown } = live.payload;
  return at !== null && shown !== null && (sameStop(at, shown) || look(live).local);
}
