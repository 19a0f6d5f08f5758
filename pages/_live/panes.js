// Plotly panes: how each looks, and what each kind of figure is at another stop.

async function findPlotly() {
  // Streamlit's own chart chunk sets window.Plotly once any chart of its own is on the page (pages/_live/figure.py sees to it).
  for (let i = 0; i < 400 && !window.Plotly; i++) await new Promise((r) => setTimeout(r, 25));
  if (!window.Plotly) throw new Error("The drawing library did not load. Reload the page to try again.");
  return window.Plotly;
}

function pane(S, spec) {
  const box = document.createElement("section");
  box.className = "pane";
  box.innerHTML = "<h3></h3><p></p><div class='plot' role='img'></div>";
  return { spec, box, plot: box.querySelector(".plot"), must: true };
}

function describe(p) {
  const { id, title, caption, alt, item } = p.spec, [head, text] = p.box.children;
  if (item) p.box.dataset.item = item;
  else delete p.box.dataset.item;
  head.textContent = title;
  text.textContent = caption;
  p.plot.setAttribute("aria-label", [title || id, caption || alt].filter(Boolean).join(". "));
}

// Room around a square plot: axis titles and, below, the legend.
const SQUARE = { l: 62, r: 14, t: 30, b: 100 };
const squareHeight = (width) => width - SQUARE.l - SQUARE.r + SQUARE.t + SQUARE.b;

function themed(S, p, figure) {
  const style = getComputedStyle(S.parent.host || S.parent);
  const css = (name) => style.getPropertyValue(name).trim();
  const layout = structuredClone(figure.layout);
  const grid = css("--st-border-color-light") || "#8884";
  const width = Math.min(p.box.clientWidth || 320, p.spec.square ? 620 : Infinity);
  const font = { color: css("--st-text-color"), family: css("--st-font") };
  const margin = { ...layout.margin, ...(p.spec.square ? SQUARE : {}) };
  if (!p.spec.small) margin.t = Math.max(margin.t ?? 0, 34); // the row of buttons
  Object.assign(layout, {
    // A finger that scrolls the page must not zoom the figure it crosses.
    dragmode: p.spec.small || matchMedia("(pointer: coarse)").matches ? false : p.spec.link ? "lasso" : "zoom",
    width, margin, uirevision: "keep", paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    height: p.spec.square ? squareHeight(width) : p.spec.height, font: { ...layout.font, ...font },
    hoverlabel: { ...layout.hoverlabel, bgcolor: css("--st-secondary-background-color"), bordercolor: grid, font },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: "#8a8a8a", activecolor: css("--st-primary-color") },
  });
  if (p.spec.square) layout.legend = { ...layout.legend, yref: "container", y: 0, yanchor: "bottom" };
  for (const key of Object.keys(layout)) {
    if (/^[xy]axis\d*$/.test(key)) layout[key] = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, ...layout[key] };
  }
  return layout;
}

function config(S, p) {
  const save = (format) => ({
    name: `download ${format}`, title: `Save this figure as ${format.toUpperCase()}`,
    icon: format === "png" ? S.Plotly.Icons.camera : S.Plotly.Icons.disk,
    click: (plot) => S.Plotly.downloadImage(plot, {
      format, filename: `prviz-${p.spec.id}`, width: plot.clientWidth, height: plot.clientHeight, scale: format === "png" ? 3 : 1 }),
  });
  return { displaylogo: false, responsive: false, displayModeBar: !p.spec.small,
           modeBarButtons: [[...(p.spec.select || p.spec.link ? ["select2d", "lasso2d"] : []), "zoom2d", "pan2d", "resetScale2d", save("png"), save("svg")]] };
}

// ---- the figures at another stop: the same as prviz/figures draws there (a test compares them) ----
// Each gives {traces: {index: what changes}, annotations: {index: text}, layout: {axis: what changes}}.
// `full` adds what only Plotly needs: hover texts and customdata.

const indexOf = (p, id) => p.spec.figure.data.findIndex((trace) => trace.legendgroup === id && !trace.fill);

const FIGURES = {
  pr(p, curves, full, at, S) {
    // A model's curves are many and smooth: fewer rays while the hand moves, all of them when Plotly draws.
    const traces = {}, rays = S.payload.model && !full ? 100 : 200;
    const stay = new Set(curves.filter((c) => c.still).map((c) => c.id));
    // Bands are Python's: those of curves that have moved are of another stop.
    p.spec.figure.data.forEach((trace, i) => { if (trace.fill && !stay.has(trace.legendgroup)) traces[i] = { x: [], y: [] }; });
    for (const c of curves) {
      if (c.still) continue;
      const points = sample(c.vertices, rays), change = { x: points.map((at) => at.beta), y: points.map((at) => at.alpha) };
      change.name = [c.name, p.compared && `IoU ${c.row[0].toFixed(2)}`, p.spec.note].filter(Boolean).join(", ");
      if (full) change.text = points.map((at) => general(at.lam));
      if (full) change.customdata = points.map((at) => [at.lam, at.fpr, at.fnr]);
      traces[indexOf(p, c.id)] = change;
    }
    return { traces };
  },
  error(p, curves, full) {
    const traces = {};
    for (const { id, vertices, still } of curves) {
      if (still) continue;
      const change = { x: vertices.map((v) => v[0]), y: vertices.map((v) => v[1]) };
      if (full) {
        const ends = [Infinity, ...breakpoints(vertices), 0];
        change.customdata = vertices.map((v, j) => [ends[j + 1], ends[j], ...v]);
        change.text = change.customdata.map(([low, high]) => `${general(low)} to ${general(high)}`);
      }
      traces[indexOf(p, id)] = change;
    }
    return { traces };
  },
  bars(p, curves, full) {
    const values = curves.filter((c) => c.id !== "truth").map((c) => c.row.slice(0, 3)); // iou, excess, deficit
    const traces = { 0: { x: values.map((v) => -v[2]) }, 1: { x: values.map((v) => v[1]) } };
    if (full) traces[0].customdata = traces[1].customdata = values;
    const longest = Math.max(...values.flatMap((v) => [v[1], v[2]]));
    const reach = [0.05, 0.1, 0.2, 0.5].find((step) => step >= longest) ?? 1;
    const ticks = [-reach, -reach / 2, 0, reach / 2, reach];
    const xaxis = { range: [-1.02 * reach, 1.02 * reach], tickvals: ticks, ticktext: ticks.map((x) => general(Math.abs(x), 6)) };
    return { traces, layout: { xaxis }, annotations: values.map((v) => `IoU ${v[0].toFixed(3)}`) };
  },
  bias(p, curves, full) {
    const traces = {}, truth = curves.find((c) => c.id === "truth");
    const lams = Array.from({ length: 361 }, (_, i) => angleToLam(i / 4));
    if (p.truth !== truth.vertices) [p.truth, p.exact] = [truth.vertices, pointsAlong(truth.vertices, lams).map((at) => at.alpha)];
    const exact = p.exact;
    let longest = 0;
    for (const { id, vertices } of curves) {
      if (id === "truth") continue;
      const alphas = pointsAlong(vertices, lams).map((at) => at.alpha);
      const change = { x: lams.map((_, i) => i / 4), y: alphas.map((alpha, i) => alpha - exact[i]) };
      longest = Math.max(longest, ...change.y.map(Math.abs));
      if (full) change.text = lams.map((lam) => general(lam));
      if (full) change.customdata = lams.map((lam, i) => [lam, alphas[i], exact[i]]);
      traces[indexOf(p, id)] = change;
    }
    const reach = [0.05, 0.1, 0.2, 0.5].find((step) => step >= longest) ?? 1;
    return { traces, layout: { yaxis: { range: [-1.05 * reach, 1.05 * reach] } } };
  },
  roc: (p, curves) => hulls(p, curves, PLACES.roc),
  collapse: (p, curves) => hulls(p, curves, PLACES.collapse),
  groups: (p, curves, full, at, S) => dealt(S, p),
  tail: (p, curves, full) => tail(p, curves, full, (at) => at.alpha, (c, truth) => firstDifference(c, truth)),
  "tail-recall": (p, curves, full) => tail(p, curves, full, (at) => at.beta, (c, truth) => {
    const found = firstDifference(mirrored(c), mirrored(truth));
    return found === null ? null : 1 / found;
  }),
  k: (p, curves, full, at) => nowAt(p, at.k),
  bandwidth: (p, curves, full, at) => nowAt(p, at.bandwidth),
};

// The same hulls with other axes.
function hulls(p, curves, place) {
  const moved = curves.filter((c) => !c.still).map(({ id, vertices }) => {
    const points = vertices.map(([fpr, fnr]) => place({ fpr, fnr }));
    return [indexOf(p, id), { x: points.map(([x]) => x), y: points.map(([, y]) => y) }];
  });
  return { traces: Object.fromEntries(moved) };
}

// Over lam on a log axis (prviz/figures/tail.py), and a dot where an estimate leaves the truth.
const TAIL_LAMS = Array.from({ length: 241 }, (_, i) => 10 ** (-3 + i / 40));

function tail(p, curves, full, value, difference) {
  const traces = {}, { data } = p.spec.figure, truth = curves.find((c) => c.id === "truth")?.vertices;
  const stay = new Set(curves.filter((c) => c.still).map((c) => c.id));
  data.forEach((trace, i) => { if (trace.fill && !stay.has(trace.legendgroup)) traces[i] = { x: [], y: [] }; });
  for (const { id, vertices } of curves) {
    if (id === "truth") continue;
    traces[indexOf(p, id)] = { x: TAIL_LAMS, y: pointsAlong(vertices, TAIL_LAMS).map(value) };
    const mark = data.findIndex((trace) => trace.meta === "first" && trace.legendgroup === id);
    if (mark < 0 || !truth) continue;
    const lam = difference(vertices, truth);
    traces[mark] = { x: [lam], y: [lam === null ? null : value(pointAt(vertices, lam))] };
    if (full) traces[mark].text = [lam === null ? "" : general(lam)];
  }
  return { traces };
}

// The vertical line at the current value; none where the bandwidth is the automatic one.
function nowAt(p, value) {
  const index = p.spec.figure.data.findIndex((trace) => trace.legendgroup === "now");
  const change = { x: value === null ? [null, null] : [value, value], name: value === null ? "" : `now: ${general(value, 4)}` };
  return { traces: index < 0 ? {} : { [index]: change } };
}

// A pane over every stop at once, where only the mark of the current one moves.
const sweeps = (p) => p.spec.follow === "k" || p.spec.follow === "bandwidth";

function changes(S, p, view, full) {
  const figure = FIGURES[p.spec.follow];
  if (view.panes) {
    const own = view.panes[p.spec.id], followed = figure?.(p, view.curves, full, view.at, S);
    return { ...followed, ...own, traces: { ...followed?.traces, ...own?.traces } };
  }
  return figure && view.at && (view.local || nameOf(S, p, view.at)) ? figure(p, view.curves, full, view.at, S) : null;
}

// What a drawing is of: two with the same name are equal. Python's bands are in no frame, "" is equal to nothing.
function nameOf(S, p, at) {
  if (grouped(p)) return `${S.payload.explorer.id} ${classifierAt(S)}`;
  const { frames, shown } = S.payload;
  if (S.payload.model) return `${frames} ${at}`;
  if (!frames || !shown || !FIGURES[p.spec.follow] || p.spec.figure.data.some((trace) => trace.fill)) return "";
  return sweeps(p) ? frames : `${frames} ${at.k} ${at.bandwidth}`;
}

// The figure that Plotly is to draw: Python's, with what differs at the stop on screen.
function figureFor(S, p, view) {
  const change = changes(S, p, view, true), { data, layout } = p.spec.figure;
  if (!change) return p.spec.figure;
  const merged = structuredClone(layout);
  for (const [axis, values] of Object.entries(change.layout || {})) merged[axis] = Array.isArray(values) ? values : { ...merged[axis], ...values };
  (change.annotations || []).forEach((text, i) => { merged.annotations[i].text = text; });
  return { data: data.map((trace, i) => (change.traces[i] ? { ...trace, ...change.traces[i] } : trace)), layout: merged };
}
