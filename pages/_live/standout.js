// A figure's part in a group of linked views (group.js). The item of a trace is named by its `meta`, that of a point
// by its customdata, that of a pane by its `item`; traces and points without an item never fade. In the main figure,
// a row under the pointer highlights its curve as pointing at the curve does.

import { choose, isFaded, joinGroup, leaveGroup, pick, pointTo, standing } from "./group.js";
import { isBehind } from "./rows.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { StandoutGroup } from "./group.js" */
/** @import { Pane, Trace } from "./pane.js" */

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

/** The item under the pointer, from one of Plotly's events; null for none.
 * @param {any} event @returns {string | null} */
function itemAt(event) {
  const point = event?.points?.[0],
    item = point?.data.meta ?? point?.customdata;
  return typeof item === "string" ? item : null;
}

/** @param {LiveFigure} live @param {Pane} pane */
export function wireStandout(live, pane) {
  const { plot, box } = pane;
  // A pane about one item reacts to the pointer anywhere in the pane; other panes react at the points of their plot.
  const inPlot = (/** @type {(event: any) => void} */ call) => (/** @type {any} */ event) => {
    if (live.standout && !pane.spec.item) call(event);
  };
  const inBox = (/** @type {(item: string) => void} */ call) => () => {
    if (live.standout && pane.spec.item) call(pane.spec.item);
  };
  const point = (/** @type {string | null} */ item) => {
    if (live.standout) pointTo(live.standout, item);
  };
  const take = (/** @type {string | null} */ item) => {
    if (live.standout && item !== null) choose(live.standout, item);
  };
  plot.on(
    "plotly_hover",
    inPlot((event) => point(itemAt(event))),
  );
  plot.on(
    "plotly_unhover",
    inPlot(() => point(null)),
  );
  plot.on(
    "plotly_click",
    inPlot((event) => take(itemAt(event))),
  );
  box.addEventListener("pointerenter", inBox(point));
  box.addEventListener(
    "pointerleave",
    inBox(() => point(null)),
  );
  box.addEventListener("click", inBox(take));
  if (!pane.spec.brush) return;
  plot.on("plotly_selected", (event) => {
    if (!live.standout || pane.drawing) return;
    const items = event?.points
      ?.map((/** @type {any} */ each) => each.customdata)
      .filter((/** @type {any} */ each) => typeof each === "string");
    pick(live.standout, items?.length ? items : null);
  });
  plot.on("plotly_deselect", () => {
    if (live.standout) pick(live.standout, null);
  });
}

const FADED = 0.13;

/** Fade all but the highlighted items. Only the style of the traces is changed, so that Plotly keeps its hover
 * label.
 * @param {LiveFigure} live @param {Pane} pane */
export function emphasize(live, pane) {
  const { spec, plot, box, wired } = pane,
    group = live.standout,
    { under } = live.rows;
  if (!wired) return;
  if (group && spec.item) {
    box.classList.toggle("faded", isFaded(group, spec.item));
    box.classList.toggle("stands", spec.item === standing(group));
    return;
  }
  const name = group
    ? [group.under, group.chosen, group.picked].join("|").replace(/^\|*$/, "")
    : (under ?? "");
  if (pane.emphasis === name) return;
  pane.emphasis = name;
  const traces = plot.data ?? [],
    given = spec.figure.data;
  const fades = (/** @type {Trace} */ { legendgroup, meta }) =>
    group ? typeof meta === "string" && isFaded(group, meta) : isBehind(live, legendgroup ?? "");
  const stands = (/** @type {Trace} */ { meta }) =>
    Boolean(group) && typeof meta === "string" && meta === standing(/** @type {StandoutGroup} */ (group));
  void live.plotly?.restyle(
    plot,
    {
      opacity: traces.map((trace, i) => (given[i].opacity ?? 1) * (fades(trace) ? FADED : 1)),
      "line.width": traces.map((trace, i) => (stands(trace) ? 4 : given[i].line?.width)),
    },
    traces.map((_, i) => i),
  );
  if (!group) return;
  traces.forEach(({ meta, customdata }, i) => {
    if (typeof meta === "string" || !Array.isArray(customdata) || typeof customdata[0] !== "string") return;
    const each = (/** @type {(item: string, i: number) => unknown} */ of) => [customdata.map(of)];
    const { marker = {} } = given[i],
      sizes = marker.opacity ?? 1;
    void live.plotly?.restyle(
      plot,
      {
        "marker.opacity": each((item, at) =>
          isFaded(group, item) ? FADED : Array.isArray(sizes) ? sizes[at] : sizes,
        ),
        "marker.line.width": each((item) => (item === standing(group) ? 2.5 : (marker.line?.width ?? 0))),
        "marker.line.color": plot.layout.font.color,
      },
      [i],
    );
  });
}
