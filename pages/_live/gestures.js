// What the user does to the controls and in the panes: sliders, the pointer on a curve or on a sample, clicks.

import { angleToLam, lamToAngle } from "./curve.js";
import { element } from "./dom.js";
import { wireSelection } from "./explorer.js";
import { movesLam } from "./lam_marks.js";
import { paintPane, react, schedule } from "./paint.js";
import { ask, askLater } from "./requests.js";
import { wireRings } from "./rings.js";
import { wireStandout } from "./standout.js";
import { store } from "./store.js";
import { drawnHere, ownStop } from "./view.js";

/** @import { Control } from "./controls.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane, Plotly } from "./pane.js" */

/** @param {LiveFigure} live @param {Control} control
 * @param {number} [rest] milliseconds without a change after which Python hears of what the browser draws by itself */
export function controlChanged(live, control, rest) {
  const { controls, payload } = live, angle = control === controls.lamSlider;
  control.show();
  if (angle) controls.lam = angleToLam(controls.lamSlider.number);
  if (!payload.model && !angle && !(control.spec.group === "estimator" && drawnHere(live))) {
    tellOthers(live, false);
    return ask(live);
  }
  schedule(live, !angle || Boolean(payload.model));
  tellOthers(live, !angle);
  askLater(live, rest);
}

/** Where the sliders stand, for figures without sliders of their own.
 * @param {LiveFigure} live @param {boolean} curves more than lam has changed */
export function tellOthers(live, curves) {
  const at = ownStop(live);
  if (!at) return;
  store.sliders = { id: live.payload.frames, at, lam: live.controls.lam };
  store.listeners.forEach((listener) => listener(curves));
}

/** What a pane does on the pointer, once Plotly has drawn it.
 * @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly */
export function wire(live, pane, plotly) {
  const { plot } = pane;
  // Before Plotly answers to the pointer, it must hold what is on screen.
  const catchUp = () => { if (pane.dirty && !live.controls.held) react(live, pane); };
  for (const kind of ["pointermove", "pointerdown", "focusin"]) plot.addEventListener(kind, catchUp, true);
  plot.on("plotly_hover", ({ points: [{ customdata }], event }) => { // a number, a list or a typed row, as Plotly decoded it
    if (movesLam(pane) && customdata?.length) moveLam(live, pane, customdata);
    if (pane.spec.pictures && customdata !== undefined) showPicture(live, pane, customdata, event);
  });
  // A click takes the curve for the tabs below, and lam with it. So does a legend entry, unless that hides the curve.
  plot.on("plotly_click", ({ points: [{ customdata, data }] }) => {
    if (pane.spec.picks) return pickSample(live, pane, Number(customdata));
    if (!movesLam(pane)) return;
    if (customdata?.length) moveLam(live, pane, customdata);
    choose(live, data.legendgroup);
  });
  for (const [kind, hides] of /** @type {const} */ ([["plotly_legendclick", true], ["plotly_legenddoubleclick", false]])) {
    plot.on(kind, ({ fullData, curveNumber }) => {
      const { legendgroup, visible } = fullData[curveNumber];
      if (movesLam(pane) && (!hides || visible === "legendonly")) choose(live, legendgroup);
    });
  }
  if (pane.spec.select) wireSelection(live, pane, plotly);
  plot.on("plotly_unhover", () => { live.parts.picture.hidden = true; });
  wireRings(live, pane);
  wireStandout(live, pane);
  // Zoom, pan, a hidden legend entry: Plotly has drawn what it was given last, and sliders may have moved since.
  plot.on("plotly_afterplot", () => {
    pane.forgetNodes();
    if (pane.drawing) return;
    pane.painted = pane.name;
    paintPane(live, pane);
  });
}

/** A click on a sample moves the slider that stands for it.
 * @param {LiveFigure} live @param {Pane} pane @param {number} value */
function pickSample(live, pane, value) {
  const slider = live.controls.slider(pane.spec.picks);
  if (!slider?.spec.values.includes(value)) return;
  slider.value = value;
  controlChanged(live, slider);
}

/** lam of the point of a curve under the pointer.
 * @param {LiveFigure} live @param {Pane} pane @param {(number | null)[]} customdata lam, or the two ends of a vertex's own interval */
function moveLam(live, pane, customdata) {
  const { controls } = live, [low, high] = customdata.map((value) => (value === null ? Infinity : Number(value))); // JSON has no infinity
  controls.lam = pane.spec.follow === "pr" ? low : angleToLam((lamToAngle(low) + lamToAngle(high)) / 2);
  const slider = controls.lamSlider;
  if (slider) { slider.value = lamToAngle(controls.lam); slider.show(); }
  schedule(live, false);
  tellOthers(live, false);
}

/** The curve that the tabs below are about.
 * @param {LiveFigure} live @param {string} id */
function choose(live, id) {
  if (!ownStop(live)) return;
  live.requests.chosen = id;
  live.timers.stop("release");
  ask(live);
}

/** @param {LiveFigure} live @param {Pane} pane @param {any} customdata number of the sample, or a list that begins with it
 * @param {PointerEvent} event */
function showPicture({ parts: { picture } }, pane, customdata, event) {
  const source = pane.spec.pictures[customdata?.length ? customdata[0] : customdata];
  picture.hidden = !source;
  if (!source) return;
  const image = picture.querySelector("img") ?? picture.appendChild(element("img"));
  // A few pixels are shown as such, a photo smoothly.
  image.onload = () => { image.style.imageRendering = image.naturalWidth > 32 ? "auto" : ""; };
  image.src = source;
  image.alt = "picture of the sample under the pointer";
  // Plotly's label stands to the right of the point where there is room: the picture goes to the other side.
  picture.style.left = `${event.clientX > 130 ? event.clientX - 122 : event.clientX + 16}px`;
  picture.style.top = `${Math.max(event.clientY - 116, 4)}px`;
}
