// The buttons on a plot: they choose what a drag does, reset the axes, and save the figure as a file.

import { button, element, shape } from "./dom.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane, Plotly } from "./pane.js" */

/** Title and icon of each drag mode, by Plotly's name for it.
 * @type {Record<string, [string, string]>} */
const DRAGS = {
  select: ["Box Select", "selectbox"],
  lasso: ["Lasso Select", "lasso"],
  zoom: ["Zoom", "zoombox"],
  pan: ["Pan", "pan"],
};

/** @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly */
export function makeTools({ redraw }, pane, plotly) {
  const { spec, plot } = pane;
  const tool = (
    /** @type {string} */ title,
    /** @type {string} */ icon,
    /** @type {(button: HTMLElement) => void} */ click,
  ) => {
    const { width, height, path, transform = "" } = plotly.Icons[icon];
    const drawn = shape(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, width: 16, height: 16, "aria-hidden": "true" },
      shape("path", { d: path, transform, fill: "currentColor" }),
    );
    const made = button(() => click(made), { title, "aria-label": title }, drawn);
    return made;
  };
  const again = () => {
    pane.must = true;
    redraw();
  };
  const drags = Object.entries(DRAGS)
    .filter(([name]) => spec.select || spec.link || !(name === "select" || name === "lasso"))
    .map(([name, [title, icon]]) =>
      tool(title, icon, (pressed) => {
        const before = pane.dragmode === name;
        pane.dragmode = before ? undefined : name;
        for (const each of drags) each.setAttribute("aria-pressed", String(each === pressed && !before));
        again();
      }),
    );
  const reset = tool("Reset axes", "home", () => {
    pane.resets++;
    again();
  });
  const save = (/** @type {"png" | "svg"} */ format, /** @type {string} */ icon) =>
    tool(`Save this figure as ${format.toUpperCase()}`, icon, () => {
      plotly.downloadImage(plot, {
        format,
        filename: `prviz-${spec.id}`,
        width: plot.clientWidth,
        height: plot.clientHeight,
        scale: format === "png" ? 3 : 1,
      });
    });
  plot.append(
    element(
      "div.tools",
      { role: "group", "aria-label": "Figure" },
      ...drags,
      reset,
      save("png", "camera"),
      save("svg", "disk"),
    ),
  );
}
