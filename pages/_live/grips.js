// A finger on a curve of the main figure moves lam along it. Over each curve lies a path as wide as a finger, which keeps
// the page from scrolling; where there is a mouse, there is none.

import { LAMS, PLACES, pathOf, pointsAlong } from "./curve.js";
import { setAttributes, shape } from "./dom.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Axes, Pane } from "./pane.js" */

const FINGER = 28; // pixels
const MOVED = 4; // pixels from which a touch is no tap

/** @param {LiveFigure} live @param {Pane} pane @param {CurveAtStop[]} curves that are drawn */
export function drawGrips(live, pane, curves) {
  const { follow, fit } = pane.spec,
    place = PLACES[follow];
  if (!fit || !place || !matchMedia("(pointer: coarse)").matches) return;
  const axes = pane.axes(),
    svg = pane.overlay("curve-grips", axes);
  const before = new Map([...svg.children].map((node) => [node.getAttribute("data-curve"), node]));
  // The same elements again: one of them may be held.
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
function hold(live, pane, grip, { id, vertices }) {
  const follow = (/** @type {PointerEvent} */ { clientX, clientY }) => {
    const axes = pane.axes(),
      edge = pane.plot.getBoundingClientRect();
    live.slide(
      lamNear(
        pane,
        axes,
        vertices,
        clientX - edge.left - axes.xaxis.start,
        clientY - edge.top - axes.yaxis.start,
      ),
      true,
    );
  };
  grip.onpointerdown = (down) => {
    grip.setPointerCapture(down.pointerId);
    let moved = false;
    grip.onpointermove = (event) => {
      moved ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > MOVED;
      if (moved) follow(event);
    };
    grip.onpointerup = grip.onpointercancel = (event) => {
      grip.onpointermove = grip.onpointerup = grip.onpointercancel = null;
      if (!moved && event.type === "pointerup") follow(event); // a tap takes the curve for the panels too
      live.slide(null, false);
      if (!moved && event.type === "pointerup") live.choose(id);
    };
  };
}

/** lam of the point of a curve that is nearest to a place in the plot.
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
