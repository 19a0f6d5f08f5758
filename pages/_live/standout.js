// A figure's part in a group of linked views (group.js). A trace is of the item that its `meta` names, a point of the
// one that its customdata names, a whole pane of its `item`; what is of none stays as it is.
// What gives way fades by classes on what Plotly has drawn: Plotly's own changes would take its hover label away.

import { choose, isFaded, joinGroup, leaveGroup, pick, pointTo, standing } from "./group.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

/** @param {LiveFigure} live */
export function takeStandout(live) {
  const { standout } = live.payload;
  if (live.standout && live.standout.name !== standout) leaveStandout(live);
  if (!standout) return;
  live.standout = joinGroup(standout, live.follow);
  live.follow();
}

/** @param {LiveFigure} live */
export function leaveStandout(live) {
  const group = live.standout;
  live.standout = null;
  if (group) leaveGroup(group, live.follow);
}

/** @param {any} event of Plotly @returns {string | null} */
function itemAt(event) {
  const point = event?.points?.[0], item = point?.data.meta ?? point?.customdata;
  return typeof item === "string" ? item : null;
}

/** @param {LiveFigure} live @param {Pane} pane */
export function wireStandout(live, pane) {
  const { plot, box } = pane;
  // A pane that is all about one item hears of the pointer anywhere in it, another one of the points under the pointer.
  const inPlot = (/** @type {(event: any) => void} */ call) => (/** @type {any} */ event) => { if (live.standout && !pane.spec.item) call(event); };
  const inBox = (/** @type {(item: string) => void} */ call) => () => { if (live.standout && pane.spec.item) call(pane.spec.item); };
  const point = (/** @type {string | null} */ item) => { if (live.standout) pointTo(live.standout, item); };
  const take = (/** @type {string | null} */ item) => { if (live.standout && item !== null) choose(live.standout, item); };
  plot.on("plotly_hover", inPlot((event) => point(itemAt(event))));
  plot.on("plotly_unhover", inPlot(() => point(null)));
  plot.on("plotly_click", inPlot((event) => take(itemAt(event))));
  box.addEventListener("pointerenter", inBox(point));
  box.addEventListener("pointerleave", inBox(() => point(null)));
  box.addEventListener("click", inBox(take));
  if (!pane.spec.brush) return;
  plot.on("plotly_selected", (event) => {
    if (!live.standout || pane.drawing) return;
    const items = event?.points?.map((/** @type {any} */ each) => each.customdata).filter((/** @type {any} */ each) => typeof each === "string");
    pick(live.standout, items?.length ? items : null);
  });
  plot.on("plotly_deselect", () => { if (live.standout) pick(live.standout, null); });
}

/** Once more after every drawing: Plotly makes its elements anew.
 * @param {LiveFigure} live @param {Pane} pane */
export function fadePane(live, pane) {
  const group = live.standout;
  if (!group || !pane.plot._fullLayout || pane.drawing) return;
  const mark = (/** @type {Element} */ node, /** @type {string | null} */ item) => {
    node.classList.toggle("faded", isFaded(group, item));
    node.classList.toggle("stands", item !== null && item === standing(group));
  };
  if (pane.spec.item) return mark(pane.box, pane.spec.item);
  for (const { group: node, trace: { meta, customdata } } of Object.values(pane.nodes.traces)) {
    if (typeof meta === "string") mark(node, meta);
    else if (customdata) {
      for (const each of node.querySelectorAll(".point, .errorbar, .textpoint")) mark(each, customdata[/** @type {any} */ (each).__data__.i]);
    }
  }
}
