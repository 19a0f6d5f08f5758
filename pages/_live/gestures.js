// Reactions to what the user does: moving a slider, pointing at a curve or a sample, clicking.

import { angleToLam, lamToAngle } from "./curve.js";
import { element } from "./dom.js";
import { wireSelection } from "./explorer.js";
import { wireMouse } from "./grips.js";
import { movesLam } from "./lam_marks.js";
import { drawOver, drawPane, schedule } from "./paint.js";
import { ask, askLater, tellPage } from "./line.js";
import { wireRings } from "./rings.js";
import { wireStandout } from "./standout.js";
import { makeTools } from "./tools.js";
import { store } from "./store.js";
import { drawnHere, ownStop } from "./view.js";

/** @import { Control } from "./controls.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane, Plotly } from "./pane.js" */

/** @param {LiveFigure} live @param {Control} control
 * @param {number} [rest] milliseconds without a further change after which the new value is sent to Python, if the browser can draw its curves without Python */
export function controlChanged(live, control, rest) {
  const { controls } = live,
    angle = control === controls.lamSlider;
  controls.endPreview();
  if (!angle) live.film.close();
  control.show();
  if (angle) controls.lam = angleToLam(controls.lamSlider.number);
  if (!angle && !(control.spec.group === "estimator" && drawnHere(live))) {
    tellOthers(live, false);
    return ask(live);
  }
  schedule(live, !angle);
  tellOthers(live, !angle);
  askLater(live, rest);
}

/** Tell the figures that have no sliders the slider positions of this figure.
 * @param {LiveFigure} live @param {boolean} curves the curves have changed, not lam alone */
export function tellOthers(live, curves) {
  const at = ownStop(live);
  if (!at) return;
  store.sliders.set(live.host, { id: live.payload.frames, at, lam: live.controls.lam });
  store.listeners.forEach((listener) => listener(curves));
}

/** Connect a pane to the pointer, once Plotly has drawn it.
 * @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly */
export function wire(live, pane, plotly) {
  const { plot } = pane;
  // Plotly reacts to the pointer with the curves that it has drawn last: let it draw the current ones first.
  const catchUp = () => {
    if (pane.dirty && !live.controls.held) drawPane(live, pane);
  };
  for (const kind of ["pointermove", "pointerdown", "focusin"]) plot.addEventListener(kind, catchUp, true);
  plot.on("plotly_hover", ({ points: [{ customdata }], event }) => {
    // skip points without a list of customdata: Plotly decodes it as a number, a list or a typed array
    if (movesLam(pane) && customdata?.length) {
      live.controls.preview(lamUnder(pane, customdata));
      lamMoved(live);
    }
    if (pane.spec.pictures && customdata !== undefined) showPicture(live, pane, customdata, event);
  });
  // A click selects the curve for the panels below, and the lam of the clicked point.
  plot.on("plotly_click", ({ points: [{ customdata, data }] }) => {
    if (!movesLam(pane) || pane.pulled) return;
    if (customdata?.length) setLam(live, lamUnder(pane, customdata));
    choose(live, data.legendgroup);
  });
  if (pane.spec.select) wireSelection(live, pane, plotly);
  const left = () => {
    live.parts.picture.hidden = true;
    if (live.controls.endPreview()) lamMoved(live);
  };
  plot.on("plotly_unhover", left);
  plot.addEventListener("pointerleave", left);
  wireMouse(live, pane);
  wireRings(live, pane);
  wireStandout(live, pane);
  if (!pane.spec.small) makeTools(live, pane, plotly);
  plot.on("plotly_afterplot", () => {
    // this event fires after each drawing: by drawPane, by a zoom or pan, or by a click in the legend
    pane.drawn = {};
    drawOver(live, pane);
  });
}

/** The lam at a point of a curve that the pointer is on.
 * @param {Pane} pane @param {(number | null)[]} customdata lam, or the two ends of the interval of lam in which a vertex is optimal */
function lamUnder(pane, customdata) {
  // JSON has no infinity: Python sends null
  const [low, high] = customdata.map((value) => (value === null ? Infinity : Number(value)));
  return pane.spec.follow === "pr" ? low : angleToLam((lamToAngle(low) + lamToAngle(high)) / 2);
}

/** @param {LiveFigure} live */
function lamMoved(live) {
  schedule(live, false);
  tellOthers(live, false);
}

/** Set lam; if lam has a slider, move the slider too.
 * @param {LiveFigure} live @param {number} lam */
function setLam(live, lam) {
  const { controls } = live,
    slider = controls.lamSlider;
  controls.endPreview();
  controls.lam = lam;
  if (!slider) return lamMoved(live);
  slider.value = lamToAngle(lam);
  controlChanged(live, slider);
}

/** Set lam while a finger or a pressed mouse moves along a curve; lam is null at its release.
 * @param {LiveFigure} live @param {number | null} lam @param {boolean} held */
export function slideLam(live, lam, held) {
  const slider = live.controls.lamSlider;
  if (slider) slider.held = held;
  if (lam !== null) setLam(live, lam);
  if (!held) askLater(live);
}

/** Let the panels below the figure show this curve.
 * @param {LiveFigure} live @param {string} id */
export function choose(live, id) {
  if (!ownStop(live)) return;
  live.timers.stop("release");
  tellPage(live, "chosen", id);
}

/** @param {LiveFigure} live @param {Pane} pane @param {any} customdata the sample's row number, or a list that begins with the row number
 * @param {PointerEvent} event */
function showPicture({ parts: { picture } }, pane, customdata, event) {
  const source = pane.spec.pictures[customdata?.length ? customdata[0] : customdata];
  picture.hidden = !source;
  if (!source) return;
  const image = picture.querySelector("img") ?? picture.appendChild(element("img"));
  // Show pictures of a few pixels with sharp pixels, larger ones smoothed.
  image.onload = () => {
    image.style.imageRendering = image.naturalWidth > 32 ? "auto" : "";
  };
  image.src = source;
  image.alt = "picture of the sample under the pointer";
  // Plotly's hover label stands to the right of the point where there is room: the picture goes to the left of it.
  picture.style.left = `${event.clientX > 130 ? event.clientX - 122 : event.clientX + 16}px`;
  picture.style.top = `${Math.max(event.clientY - 116, 4)}px`;
}
