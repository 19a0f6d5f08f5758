// Drawing in two speeds. Plotly takes about 50 ms for the three panes, so while the hand moves the paths that Plotly
// has drawn are rewritten in place, once per animation frame. Plotly itself catches up before it is needed, when the
// pointer or the focus comes to a pane, and else when the hand has rested for long, one pane at a time: the next key
// press does not wait for it.
// A pane is `dirty` where Plotly is behind, and `must` be drawn where its paths cannot be rewritten; `painted` names what
// its paths show.

const REST_MS = 1500;

// The elements of each trace, by its index, as Plotly's last drawing left them; a hidden trace has none.
function nodesOf(p) {
  if (p.nodes) return p.nodes;
  p.nodes = { traces: {}, legend: {} };
  for (const group of p.plot.querySelectorAll(".scatterlayer .trace")) {
    const { trace } = group.__data__[0];
    const points = trace.marker ? group.querySelector(".points") : null;
    const fill = trace.fill === "tozeroy" ? group.querySelector(".js-fill") : null;
    // Strokes with gaps between them are as many paths; where there are none yet, one is made when they come.
    const [line, ...rest] = group.querySelectorAll(".js-line");
    const [made, dots] = [".live-line", ".live-dots"].map((own) => group.querySelector(own));
    if (line) made?.remove();
    p.nodes.traces[trace.index] = { group, trace, points, dots, fill, line: line || made, rest, strokes: /lines/.test(trace.mode) };
  }
  for (const group of p.plot.querySelectorAll(".barlayer .trace")) {
    const bars = [...group.querySelectorAll(".point path")];
    p.nodes.traces[group.__data__[0].trace.index] = { group, trace: group.__data__[0].trace, bars };
  }
  for (const item of p.plot.querySelectorAll(".legend .traces")) {
    p.nodes.legend[item.__data__[0].trace.index] = item.querySelector(".legendtext");
  }
  const moved = Object.values(p.nodes.traces).map((node) => node.fill);
  p.nodes.fills = [...p.plot.querySelectorAll(".js-fill")].filter((fill) => !moved.includes(fill)); // bands
  p.nodes.notes = [...p.plot.querySelectorAll(".infolayer .annotation-text")];
  return p.nodes;
}

const axesOf = (p, trace) => {
  const full = p.plot._fullLayout, name = (ref, letter) => `${letter}axis${(ref || letter).slice(1)}`;
  return { x: full[name(trace.xaxis, "x")], y: full[name(trace.yaxis, "y")] };
};

function paintLine(p, node, { x, y = node.trace.y }) {
  const axes = axesOf(p, node.trace);
  let path = "", dots = "", gap = true;
  for (let i = 0; i < x.length; i++) {
    if (x[i] === null) { gap = true; continue; }
    const place = `${axes.x.c2p(x[i]).toFixed(2)},${axes.y.c2p(y[i]).toFixed(2)}`;
    path += (gap ? "M" : "L") + place;
    gap = false;
    if (node.points) dots += `M${place}h0`;
  }
  if (!node.line && node.strokes) {
    const { color, width } = node.trace.line;
    node.group.append(node.line = shape("path", { class: "live-line", stroke: color, "stroke-width": width, fill: "none" }));
  }
  node.line?.setAttribute("d", path || "M0,0");
  for (const other of node.rest) other.setAttribute("d", "M0,0");
  if (node.fill) node.fill.setAttribute("d", path ? `${path}V${axes.y.c2p(0).toFixed(2)}H${axes.x.c2p(x[0]).toFixed(2)}Z` : "M0,0Z");
  if (!node.points) return;
  // Points with a colour each are moved as they are: there are as many as there were.
  if (typeof node.trace.marker.color !== "string") {
    node.points.querySelectorAll(".point").forEach((point, i) => point.setAttribute("transform", `translate(${axes.x.c2p(x[i])},${axes.y.c2p(y[i])})`));
    return;
  }
  // As many dots as there are vertices, in one path: round caps of lines without length.
  node.points.style.display = "none";
  if (!node.dots?.isConnected) {
    const { color, size } = node.trace.marker;
    node.dots = shape("path", { class: "live-dots", stroke: color, "stroke-width": size, "stroke-linecap": "round", fill: "none" });
    node.group.append(node.dots);
  }
  if (node.dots.getAttribute("d") !== dots) node.dots.setAttribute("d", dots);
}

function paintBars(p, node, { x }) {
  const axes = axesOf(p, node.trace), zero = axes.x.c2p(0);
  node.bars.forEach((bar, i) => {
    const { p0, p1 } = bar.parentNode.__data__, [y0, y1] = [axes.y.c2p(p0, true), axes.y.c2p(p1, true)];
    bar.setAttribute("d", `M${zero},${y0}V${y1}H${axes.x.c2p(x[i])}V${y0}Z`);
  });
}

function setText(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

// What differs in a pane from what its paths show, null where nothing does.
function repainting(S, p, view) {
  const name = nameOf(S, p, view.at);
  return grouped(p) || (name && name === p.painted && !sweeps(p)) ? null : changes(S, p, view, false);
}

// One pane at the stop on screen, without Plotly: paths, legend and labels, and the marks at lam.
function paintPane(S, p, view, change = repainting(S, p, view)) {
  if (!p.plot._fullLayout) return;
  if (p.spec.select) paintSamples(S, p);
  if (grouped(p)) return;
  if (change) {
    p.painted = nameOf(S, p, view.at);
    const nodes = nodesOf(p);
    for (const [index, each] of Object.entries(change.traces)) {
      const node = nodes.traces[index];
      if (node?.bars) paintBars(p, node, each);
      else if (node?.line || node?.strokes || node?.points) paintLine(p, node, each);
      if (each.name) setText(nodes.legend[index], each.name);
    }
    for (const fill of nodes.fills) fill.setAttribute("d", "M0,0Z");
    (change.annotations || []).forEach((text, i) => setText(nodes.notes[i], text));
  }
  drawMarks(S, p, view.curves);
  drawRings(S, p);
  fadePane(S, p);
}

// Whether an axis must grow for this, or lines would leave the plot. It shrinks when Plotly catches up: an axis that
// changes all the time hides what moves.
function outgrown(p, change) {
  return Object.entries(change?.layout || {}).some(([axis, { range }]) => range?.[1] > p.ranges[axis] + 1e-9);
}

function paintOrLeave(S, p, view) {
  if (p.must) return;
  const change = repainting(S, p, view);
  if (outgrown(p, change)) p.must = true;
  else paintPane(S, p, view, change);
}

// Of the figure that the hand moves, the curve.
const mainPane = (S) => (S.controls.length ? S.panes.find((p) => p.spec.follow === "pr") ?? S.panes[0] : null);

// The eye is on the main curve and on the numbers: a frame that draws everything comes late. The other panes, and other
// figures, are in the frame after it.
function paint(S) {
  if (S.controls.length) {
    const view = look(S), main = mainPane(S);
    if (main?.wired) paintOrLeave(S, main, view);
    showNumbers(S, view);
  }
  S.trailing ||= setTimeout(() => { S.trailing = 0; paintOthers(S); });
}

function paintOthers(S) {
  const view = look(S), main = mainPane(S);
  for (const p of S.panes) if (p.wired && p !== main) paintOrLeave(S, p, view);
  if (!S.controls.length) showNumbers(S, view);
  if (S.panes.some((p) => p.must)) draw(S);
}

function showNumbers(S, view) {
  showExplorer(S);
  fillTable(S, view.curves);
  tell(S, view);
  note(S, view);
}

// At most one drawing per animation frame, of the newest values. `curves`: more than the marks at lam has changed.
function schedule(S, curves = true) {
  for (const p of S.panes) {
    if (grouped(p)) p.dirty = nameOf(S, p) !== p.name;
    else if (curves) p.dirty ||= !sweeps(p);
  }
  if (curves || S.panes.some((p) => grouped(p) && p.dirty)) {
    clearTimeout(S.rest);
    S.rest = setTimeout(() => { S.rest = 0; if (S.Plotly) draw(S, true); }, REST_MS);
  }
  S.frame ||= requestAnimationFrame(() => { S.frame = 0; if (S.Plotly) paint(S); });
}

// Plotly at work on a pane. One that has left the page meanwhile is purged, of which Plotly knows nothing: it fails.
async function onPlot(p, work) {
  if (p.gone) return;
  try { await work(); } catch (error) { if (!p.gone) throw error; }
}

function leave(S, p) {
  p.gone = true;
  S.Plotly?.purge(p.plot);
}

async function react(S, p) {
  p.config ??= config(S, p); // a new object would make Plotly start afresh and forget zoom and handlers
  const view = look(S), figure = figureFor(S, p, view);
  p.name = nameOf(S, p, view.at);
  p.frames = S.payload.frames;
  p.dirty = p.must = false;
  p.drawing = true;
  p.plot.querySelectorAll(".live-dots, .live-line").forEach((own) => own.remove());
  p.plot.querySelectorAll(".points").forEach((points) => { points.style.display = ""; });
  await onPlot(p, () => S.Plotly.react(p.plot, figure.data, themed(S, p, figure), p.config));
  if (p.gone) return;
  p.drawing = false;
  p.nodes = p.places = null;
  p.painted = p.name;
  p.ranges = Object.fromEntries(["xaxis", "yaxis"].map((axis) => [axis, figure.layout[axis]?.range?.[1]]));
  if (!p.wired) wire(S, p);
  paintPane(S, p, look(S));
}

const nextTask = () => new Promise((done) => setTimeout(done));

// Let Plotly draw the panes that must be drawn, or `all` that it is behind with; a hand that moves again comes first.
async function draw(S, all = false) {
  for (const p of S.panes) {
    if (!p.must && !(all && p.dirty)) continue;
    if (all && S.rest) return;
    await react(S, p);
    await nextTask();
  }
  showNumbers(S, look(S));
  S.root.dataset.revision = S.payload.revision;
}

// What is on screen, for tests and for whoever looks at the page's elements.
function note(S, view) {
  S.root.dataset.lam = String(S.lam);
  if (!view.at) return;
  S.root.dataset.stop = S.payload.model ? view.at : `${view.at.k}|${view.at.bandwidth ?? "auto"}`;
  if (!S.panes.some((p) => p.dirty || p.must)) S.root.dataset.settled = S.root.dataset.stop;
}
