// What the user does to the controls and in the panes: sliders, the pointer on a curve or on a sample, clicks.

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
 * @param {number} [rest] milliseconds without a change after which Python hears of what the browser draws by itself */
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

/** Where the sliders stand, for figures without sliders of their own.
 * @param {LiveFigure} live @param {boolean} curves more than lam has changed */
export function tellOthers(live, curves) {
  const at = ownStop(live);
  if (!at) return;
  store.sliders.set(live.host, { id: live.payload.frames, at, lam: live.controls.lam });
  store.listeners.forEach((listener) => listener(curves));
}

/** What a pane does on the pointer, once Plotly has drawn it.
 * @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly */
export function wire(live, pane, plotly) {
  const { plot } = pane;
  // Before Plotly answers to the pointer, it must hold what is on screen.
  const catchUp = () => {
    if (pane.dirty && !live.controls.held) drawPane(live, pane);
  };
  for (const kind of ["pointermove", "pointerdown", "focusin"]) plot.addEventListener(kind, catchUp, true);
  plot.on("plotly_hover", ({ points: [{ customdata }], event }) => {
    // a number, a list or a typed row, as Plotly decoded it
    if (movesLam(pane) && customdata?.length) {
      live.controls.preview(lamUnder(pane, customdata));
      lamMoved(live);
    }
    if (pane.spec.pictures && customdata !== undefined) showPicture(live, pane, customdata, event);
  });
  // A click takes the curve for the panels, and lam with it.
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
    // a drawing of ours, zoom, pan, a hidden legend entry
    pane.drawn = {};
    drawOver(live, pane);
  });
}

/** lam of a point of a curve.
 * @param {Pane} pane @param {(number | null)[]} customdata lam, or the two ends of a vertex's own interval */
function lamUnder(pane, customdata) {
  const [low, high] = customdata.map((value) => (value === null ? Infinity : Number(value))); // JSON has no infinity
  return pane.spec.follow === "pr" ? low : angleToLam((lamToAngle(low) + lamToAngle(high)) / 2);
}

/** @param {LiveFigure} live */
function lamMoved(live) {
  schedule(live, false);
  tellOthers(live, false);
}

/** lam for good, on the slider too where there is one.
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

/** lam under a finger, or null where it is let go.
 * @param {LiveFigure} live @param {number | null} lam @param {boolean} held */
export function slideLam(live, lam, held) {
  const slider = live.controls.lamSlider;
  if (slider) slider.held = held;
  if (lam !== null) setLam(live, lam);
  if (!held) askLater(live);
}

/** The curve that the panels are about.
 * @param {LiveFigure} live @param {string} id */
export function choose(live, id) {
  if (!ownStop(live)) return;
  live.timers.stop("release");
  tellPage(live, "chosen", id);
}

/** @param {LiveFigure} live @param {Pane} pane @param {any} customdata number of the sample, or a list that begins with it
 * @param {PointerEvent} event */
function showPicture({ parts: { picture } }, pane, customdata, event) {
  const source = pane.spec.pictures[customdata?.length ? customdata[0] : customdata];
  picture.hidden = !source;
  if (!source) return;
  const image = picture.querySelector("img") ?? picture.appendChild(element("img"));
  // A few pixels are shown as such, a photo smoothly.
  image.onload = () => {
    image.style.imageRendering = image.naturalWidth > 32 ? "auto" : "";
  };
  image.src = source;
  image.alt = "picture of the sample under the pointer";
  // Plotly's label stands to the right of the point where there is room: the picture goes to the other side.
  picture.style.left = `${event.clientX > 130 ? event.clientX - 122 : event.clientX + 16}px`;
  picture.style.top = `${Math.max(event.clientY - 116, 4)}px`;
}
