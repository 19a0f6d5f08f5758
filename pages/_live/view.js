// The state of the figure: the payload that Python sends, and the curves to show. These are the payload's own curves
// or, while the user moves a slider, those of the frames for the slider's stop (one of its values).

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
 * @property {string} revision identifies the content, except what changes with "standout"
 * @property {(SliderSpec | BarsSpec | ChipsSpec)[]} controls
 * @property {Curve[]} curves
 * @property {(import("./store.js").KeyedCurve & { id: string })[]} lines further curves that are drawn: the bound on the truth, and limits
 * @property {Record<string, number[]>} vertices in flat lists, by key, of curves that the browser does not have yet
 * @property {PaneSpec[]} panes
 * @property {Table | null} table
 * @property {string} frames id of the frames that hold the curves at other stops
 * @property {Stop | null} shown the stop of the curves that Python sends
 * @property {boolean} legend
 * @property {boolean} rows true for the page's main figure, which has one row per curve
 * @property {string[]} [hidden] ids of the curves that the user, or a link, has switched off
 * @property {string[]} [folded] ids of the curves that are not drawn because there are too many
 * @property {number | null} bound upper bound on the true area, where no truth is known and the bound is drawn
 * @property {number} [noise] difference of two families' IoU or areas that chance alone explains
 * @property {boolean} [pending] the curve to believe is not measured yet
 * @property {import("./verdict.js").Few | null} [few] set where no truth is known and the samples are too few: what they show
 * @property {Record<string, number> | null} errors error of each curve's area, measured on a surrogate of the pair
 * @property {ExplorerSpec | null} explorer
 * @property {string} standout the group of linked views (group.js), "" where there is none
 * @property {string[]} [films] what a film can run over: "n", "k", "seed"
 * @property {import("./task.js").TaskSpec | null} [task]
 * @property {string[]} [pins] ids of the pinned states' snapshots, the newest last
 * @property {string} [now] id that a snapshot of the figure on screen would have
 * @property {import("./difference.js").Words} [words] the settings, for the sentence on a pinned state
 * @property {string} [token] by which Python recognises the visitor of the main figure
 * @property {[string, string]} [of] source and name of the data that the controls belong to
 * @property {number} [asked] number of the last question that Python has received
 * @property {boolean} [more] true if Python has not measured everything yet
 * @property {boolean} [stale] true if the curves are of other settings than the controls
 * @property {boolean} [other] true if the curves are of other data than the selected data, whose curves are still being measured
 * @property {string} [above] key of the container above the figure, "" where there is none
 * @property {number | null} [coarse] the curves are of this number of samples per set only
 *
 * @typedef {object} View
 * @property {Stop | null} at the stop of the curves; null without sliders
 * @property {string} stop identifies the stop; "" without one
 * @property {boolean} local true if the curves come from the frames, not from the payload
 * @property {CurveAtStop[]} curves
 * @property {number} [noise] replaces the payload's `noise` in a frame of a film
 * @property {import("./verdict.js").Few | null} [few] replaces the payload's `few` in a frame of a film
 */

/** The stop (values of k and bandwidth) of this figure's own sliders; null if it has none.
 * @param {LiveFigure} live */
export const ownStop = ({ controls }) => controls.position;

/** The current lam: from this figure's controls; if it has none, from the controls of another figure on the same
 * host.
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

/** True if the browser can draw the curves at the sliders' stop without Python.
 * @param {LiveFigure} live */
export function drawnHere(live) {
  const at = ownStop(live),
    { shown } = live.payload;
  return at !== null && shown !== null && (sameStop(at, shown) || look(live).local);
}
