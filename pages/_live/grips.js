// Lets the user change lam by dragging along a curve of the main figure, with a finger or the mouse. An invisible
// path as wide as a finger lies over each curve and keeps the page from scrolling; for a mouse, Plotly's hover event
// finds the curve.

import { LAMS, PLACES, pathOf, pointsAlong } from "./curve.js";
import { setAttributes, shape } from "./dom.js";
import { look } from "./view.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane } from "./pane.js" */

const FINGER = 28; // width of the invisible path, in pixels
const MOVED = 4; // pixels of movement from which a touch or a mouse press is a drag, not a tap or click
const ENDS = ["pointerup", "pointercancel"];

/** @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop[]} curves the drawn curves */
export function drawGrips(live, pane, curves) {
  const { follow, fit } = pane.spec,
    place = PLACES[follow];
  if (!fit || !place || !matchMedia("(pointer: coarse)").matches) return;
  const axes = pane.axes(),
    svg = pane.overlay("curve-grips", axes);
  const before = new Map([...svg.children].map((node) => [node.getAttribute("data-curve"), node]));
  // Reuse the elements, since the user's finger may be on one of them.
  svg.replaceChildren(
    ...curves.map((curve) => {
      const grip = before.get(curve.id) ?? shape("path", { "data-curve": curve.id, "stroke-width": FINGER });
      setAttributes(grip, { d: pathOf(curve.vertices, axes, place) });
      hold(live, pane, /** @type {SVGElement} */ (grip), curve);
      return grip;
    }),
  );
}

/** @param {LiveFigure} live @param {Pane} pane @param {SVGElement} grip @param {CurveAtStop} curve */
function hold(live, pane, grip, curve) {
  grip.onpointerdown = (down) => {
    grip.setPointerCapture(down.pointerId);
    pull(live, pane, curve, down, true);
  };
}

/** @param {LiveFigure} live @param {Pane} pane */
export function wireMouse(live, pane) {
  const { plot, spec } = pane;
  if (!spec.fit || !(spec.follow in PLACES)) return;
  /** @type {string | null} */
  let under = null;
  plot.on("plotly_hover", ({ points: [{ data }] }) => {
    under = data.legendgroup;
  });
  plot.on("plotly_unhover", () => {
    under = null;
  });
  plot.addEventListener("pointerdown", (down) => {
    const curve = look(live).curves.find(({ id }) => id === under);
    pane.pulled = false;
    if (!curve || down.pointerType !== "mouse" || down.button || pane.dragmode) return;
    pull(live, pane, curve, down, false); // Plotly's click event handles a mouse press without movement
  });
}

/** Move lam with the pointer until it is released.
 * @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop} curve @param {PointerEvent} down
 * @param {boolean} taps true if a press without movement selects the curve for the panels */
function pull(live, pane, curve, down, taps) {
  let moved = false;
  const move = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return; // ignore the events of another finger
    moved ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > MOVED;
    if (moved) slideTo(live, pane, curve, event);
  };
  const end = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    window.removeEventListener("pointermove", move, true);
    for (const kind of ENDS) window.removeEventListener(kind, /** @type {EventListener} */ (end), true);
    pane.pulled = moved;
    const tapped = taps && !moved && event.type === "pointerup";
    if (tapped) slideTo(live, pane, curve, event);
    if (moved || tapped) live.slide(null, false);
    if (tapped) live.choose(curve.id);
  };
  window.addEventListener("pointermove", move, true);
  for (const kind of ENDS) window.addEventListener(kind, /** @type {EventListener} */ (end), true);
}

/** @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop} curve @param {PointerEvent} event */
function slideTo(live, pane, { vertices }, { clientX, clientY }) {
  const axes = pane.axes(),
    edge = pane.plot.getBoundingClientRect(),
    x = clientX - edge.left - axes.xaxis.start,
    y = clientY - edge.top - axes.yaxis.start;
  live.slide(lamNear(pane, axes, vertices, x, y), true);
}

/** lam of the curve's point nearest to a place in the plot, in pixels.
 * @param {Pane} pane @param {Axes} axes @param {CurveAtStop["vertices"]} vertices @param {number} x @param {number} y */
function lamNear({ spec }, { xaxis, yaxis }, vertices, x, y) {
  let best = 1,
    least = Infinity;
  for (const point of pointsAlong(vertices, LAMS)) {
    const [across, up] = PLACES[spec.follow](point),
      far = Math.hypot(xaxis.at(across) - x, yaxis.at(up) - y);
    if (far < least) [best, least] = [point.lam, far];
  }
  return best;
}
