// One live figure: sliders and linked Plotly panes that keep zoom and hidden legend entries across data changes.
// Streamlit calls the default export on mount and again on every new payload or theme, with the same parentElement
// and without the previous clean-up, so all state hangs on that element.

const INSTANCES = new WeakMap();

async function findPlotly() {
  // Streamlit's own chart chunk sets window.Plotly once any chart of its own is on the page (pages/_live.py sees to it).
  for (let i = 0; i < 400 && !window.Plotly; i++) await new Promise((r) => setTimeout(r, 25));
  if (!window.Plotly) throw new Error("The drawing library did not load. Reload the page to try again.");
  return window.Plotly;
}

// ---- the curve's own arithmetic (prviz/curves.py has the derivations) ----

export function pointAt(vertices, lam) {
  let best = lam === Infinity ? { alpha: vertices[0][1], fpr: vertices[0][0], fnr: vertices[0][1] } : null;
  for (const [f, n] of best ? [] : vertices) {
    const alpha = lam * f + n;
    if (!best || alpha < best.alpha) best = { alpha, fpr: f, fnr: n };
  }
  best.beta = lam === 0 ? vertices[vertices.length - 1][0] : lam === Infinity ? 0 : best.alpha / lam;
  return best;
}

const angleToLam = (theta) => (theta <= 0 ? 0 : theta >= 90 ? Infinity : Math.tan((theta * Math.PI) / 180));
const lamToAngle = (lam) => (lam === Infinity ? 90 : (Math.atan(lam) * 180) / Math.PI);
const shortNumber = (x) => (x === Infinity ? "∞" : x === 0 ? "0" : Number(x.toPrecision(3)).toString());

// ---- controls ----

function control(S, spec) {
  // spec: {id, label, values, marks: [{value, label}], number: {min, max} | null, local, format, help}
  const box = document.createElement("div");
  box.className = "control";
  box.innerHTML = '<span class="name"></span><span class="value"></span><input type="range" step="1"><span class="marks"></span>';
  const [name, holder, range, marks] = box.children;
  const c = { spec, box, name, range, marks };
  c.readout = document.createElement(spec.number ? "input" : "output");
  holder.append(c.readout);
  range.oninput = () => { c.value = c.spec.values[+range.value]; changed(S, c, false); };
  range.onchange = () => changed(S, c, true);
  if (spec.number) {
    c.readout.type = "number";
    c.readout.onchange = () => {
      const { min, max, step } = c.spec.number;
      const typed = Math.round(+c.readout.value / step) * step;
      if (c.readout.value === "") c.value = c.spec.empty ? null : c.value; // cleared: back to automatic, where there is one
      else if (Number.isFinite(typed)) c.value = +Math.min(max, Math.max(min, typed)).toFixed(6);
      changed(S, c, true);
    };
  }
  return c;
}

function refresh(c, spec) {
  Object.assign(c, { spec });
  c.name.textContent = spec.label;
  c.range.min = 0;
  c.range.max = spec.values.length - 1;
  c.range.setAttribute("aria-label", spec.label);
  c.readout.setAttribute("aria-label", `${spec.label}, exact value`);
  c.box.title = spec.help || "";
  if (spec.number) Object.assign(c.readout, { ...spec.number, placeholder: spec.empty });
  const labels = JSON.stringify(spec.marks);
  if (c.drawnMarks === labels) return;
  c.drawnMarks = labels;
  c.marks.replaceChildren(...spec.marks.map((mark) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = mark.label;
    button.dataset.value = String(mark.value);
    button.onclick = () => { c.value = mark.value; changed(c.owner, c, true); };
    return button;
  }));
}

function show(c) {
  const { values } = c.spec;
  const numeric = c.value === null || c.value === "sqrt" ? c.spec.resolved : c.value;
  let nearest = 0;
  values.forEach((v, i) => { if (Math.abs(v - numeric) < Math.abs(values[nearest] - numeric)) nearest = i; });
  c.range.value = nearest;
  const text = c.spec.angle ? `λ = ${shortNumber(angleToLam(c.value))}` : c.value === null ? c.spec.empty : shortNumber(numeric);
  if (c.spec.number) c.readout.value = c.value === null ? "" : numeric;
  else c.readout.textContent = text;
  c.range.setAttribute("aria-valuetext", text);
  for (const button of c.marks.children) button.setAttribute("aria-pressed", String(button.dataset.value === String(c.value)));
}

function changed(S, c, released) {
  show(c);
  if (c.spec.angle) { S.lam = angleToLam(c.value); scheduleLink(S); }
  if (!c.spec.angle || released) ask(S);
}

// One request in flight; the newest value wins. Python echoes the values it served, so that a reply always differs.
function ask(S) {
  if (S.busy) return;
  const news = S.controls.filter((c) => c.value !== c.asked);
  if (!news.length) return;
  for (const c of news) c.asked = c.value;
  S.set("values", Object.fromEntries(S.controls.map((c) => [c.spec.id, c.value])));
  // Lam is drawn here, Python only takes note of it; and a value that Python has already brings no answer.
  if (news.some((c) => !c.spec.angle && c.value !== S.payload.asked[c.spec.id])) setBusy(S, true);
}

function setBusy(S, busy) {
  S.busy = busy;
  clearTimeout(S.watchdog);
  clearTimeout(S.dimmer);
  if (busy) {
    S.dimmer = setTimeout(() => { S.root.dataset.busy = "true"; }, 350);
    S.watchdog = setTimeout(() => { setBusy(S, false); ask(S); }, 60000); // a reply was lost
  } else S.root.dataset.busy = "false";
}

// ---- panes ----

function pane(S, spec) {
  const box = document.createElement("section");
  box.className = "pane";
  box.innerHTML = "<h3></h3><p></p><div class='plot'></div>";
  const p = { spec, box, plot: box.querySelector(".plot") };
  box.querySelector("h3").textContent = spec.title || "";
  box.querySelector("p").textContent = spec.caption || "";
  p.plot.setAttribute("role", "img");
  p.plot.setAttribute("aria-label", [spec.title || spec.id, spec.caption].filter(Boolean).join(". "));
  if (!spec.title) box.querySelector("h3").remove();
  if (!spec.caption) box.querySelector("p").remove();
  return p;
}

// Room around a square plot: axis titles and, below, the legend.
const SQUARE = { l: 62, r: 14, t: 30, b: 100 };
const squareHeight = (width) => width - SQUARE.l - SQUARE.r + SQUARE.t + SQUARE.b;

function themed(S, p) {
  const style = getComputedStyle(S.parent.host || S.parent);
  const css = (name) => style.getPropertyValue(name).trim();
  const layout = structuredClone(p.spec.figure.layout);
  const grid = css("--st-border-color-light") || "#8884";
  const width = Math.min(p.box.clientWidth || 320, p.spec.square ? 620 : Infinity);
  const font = { color: css("--st-text-color"), family: css("--st-font") };
  const margin = { ...layout.margin, ...(p.spec.square ? SQUARE : {}) };
  margin.t = Math.max(margin.t ?? 0, 34); // the row of buttons
  Object.assign(layout, {
    // A finger that scrolls the page must not zoom the figure it crosses.
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
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
  return { displaylogo: false, responsive: false, displayModeBar: true,
           modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", save("png"), save("svg")]] };
}

async function draw(S) {
  for (const p of S.panes) {
    p.config ??= config(S, p); // a new object would make Plotly start afresh and forget zoom and handlers
    await S.Plotly.react(p.plot, p.spec.figure.data, themed(S, p), p.config);
    if (!p.wired) wire(S, p);
    drawMarks(S, p);
  }
  tell(S);
  S.root.dataset.revision = S.payload.revision;
}

// ---- the marks at lam: the ray of slope lam on the curves, the tangent of slope -lam in error space ----
// They are an SVG of their own above the plot: Plotly would take its hover label away at every change of a trace.

const SVG = "http://www.w3.org/2000/svg";

function shape(kind, attributes) {
  const node = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function drawMarks(S, p) {
  const full = p.plot._fullLayout;
  if (!p.spec.link || !full?.xaxis) return;
  if (!p.marks) {
    p.marks = shape("svg", { class: "lam-marks" });
    p.plot.append(p.marks);
  }
  const { xaxis, yaxis } = full;
  for (const [name, value] of Object.entries({ width: xaxis._length, height: yaxis._length })) p.marks.setAttribute(name, value);
  Object.assign(p.marks.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px` });
  const hidden = new Set(p.plot._fullData.filter((trace) => trace.visible === "legendonly").map((trace) => trace.legendgroup));
  const line = ([x0, y0], [x1, y1], color) => shape("line", {
    x1: xaxis.l2p(x0), y1: yaxis.l2p(y0), x2: xaxis.l2p(x1), y2: yaxis.l2p(y1), stroke: color, "stroke-dasharray": "2 3" });
  const dot = (id, x, y, color) => shape("circle", {
    cx: xaxis.l2p(x), cy: yaxis.l2p(y), r: 5.5, fill: color, stroke: "#fff", "stroke-width": 2, "data-curve": id, "data-x": x, "data-y": y });
  const shown = S.payload.curves.filter((curve) => !hidden.has(curve.id)).map((curve) => ({ ...curve, at: pointAt(curve.vertices, S.lam) }));
  const drawn = p.spec.link === "pr"
    ? [line([0, 0], S.lam > 1 ? [1 / S.lam, 1] : [1, S.lam], "#7f7f7f"), ...shown.map((c) => dot(c.id, c.at.beta, c.at.alpha, c.color))]
    : [...shown.map((c) => line(...tangent(c.at, S.lam), c.color)), ...shown.map((c) => dot(c.id, c.at.fpr, c.at.fnr, c.color))];
  p.marks.replaceChildren(...drawn);
}

// lam fpr + fnr = alpha, from the vertical axis, which it meets at alpha, to the horizontal one, which it meets at beta.
function tangent(at, lam) {
  if (lam === Infinity) return [[0, 0], [0, 1]];
  return lam === 0 ? [[0, 0], [1, 0]] : [[0, at.alpha], [at.beta, 0]];
}

function tell(S) {
  if (!S.payload.curves.length) return;
  const text = S.payload.curves.map((curve) => {
    const at = pointAt(curve.vertices, S.lam);
    return `${curve.name} ${at.alpha.toFixed(2)} / ${at.beta.toFixed(2)}`;
  });
  S.status.textContent = `At λ = ${shortNumber(S.lam)}, precision / recall: ${text.join(" · ")}`;
}

function scheduleLink(S) {
  if (S.linkFrame || !S.Plotly) return;
  S.linkFrame = requestAnimationFrame(() => {
    S.linkFrame = 0;
    for (const p of S.panes) drawMarks(S, p);
    tell(S);
    S.root.dataset.lam = String(S.lam);
  });
}

function wire(S, p) {
  p.wired = true;
  p.plot.on("plotly_hover", (event) => {
    const custom = event.points[0].customdata; // a number, a list or a typed row, as Plotly decoded it
    if (p.spec.link && custom?.length) linkTo(S, p, custom);
    if (p.spec.pictures && custom !== undefined) showPicture(S, p, custom, event.event);
  });
  p.plot.on("plotly_unhover", () => { S.picture.hidden = true; });
  p.plot.on("plotly_afterplot", () => drawMarks(S, p)); // zoom, pan, a hidden legend entry
}

const lamControl = (S) => S.controls.find((c) => c.spec.angle);

function linkTo(S, p, custom) {
  const number = (value) => (value === null ? Infinity : Number(value)); // JSON has no infinity
  if (p.spec.link === "pr") S.lam = number(custom[0]);
  else {
    const [lo, hi] = [number(custom[0]), number(custom[1])];
    S.lam = angleToLam((lamToAngle(lo) + lamToAngle(hi)) / 2); // the middle of the vertex's own interval
  }
  const lam = lamControl(S);
  if (lam) { lam.value = lamToAngle(S.lam); show(lam); } // the slider follows the pointer
  scheduleLink(S);
}

function showPicture(S, p, custom, event) {
  const source = p.spec.pictures[custom?.length ? custom[0] : custom];
  if (!source) { S.picture.hidden = true; return; }
  const image = S.picture.firstElementChild || S.picture.appendChild(document.createElement("img"));
  image.src = source;
  image.alt = "picture of the sample under the pointer";
  // Plotly's label stands to the right of the point where there is room: the picture goes to the other side.
  S.picture.style.left = `${event.clientX > 130 ? event.clientX - 122 : event.clientX + 16}px`;
  S.picture.style.top = `${Math.max(event.clientY - 116, 4)}px`;
  S.picture.hidden = false;
}

// ---- life cycle ----

function create(parent) {
  const root = parent.querySelector(".live");
  const S = { parent, root, controls: [], panes: [], status: root.querySelector(".status"), picture: root.querySelector(".picture") };
  S.observer = new ResizeObserver(() => {
    clearTimeout(S.resize);
    S.resize = setTimeout(() => { if (S.Plotly && S.width !== root.clientWidth) { S.width = root.clientWidth; draw(S); } }, 80);
  });
  S.observer.observe(root);
  INSTANCES.set(parent, S);
  return S;
}

function update(S, payload) {
  S.payload = payload;
  const names = payload.controls.map((c) => c.id).join();
  if (names !== S.names) {
    S.names = names;
    S.controls = payload.controls.map((spec) => control(S, spec));
    S.root.querySelector(".controls").replaceChildren(...S.controls.map((c) => c.box));
  }
  payload.controls.forEach((spec, i) => {
    const c = S.controls[i];
    c.owner = S;
    refresh(c, spec);
    // A value that the hand has moved since it was asked for stays; every other one follows what Python served.
    if (c.value === c.asked && !(spec.angle && c.asked !== undefined)) c.value = c.asked = spec.value;
    if (document.activeElement !== c.readout) show(c);
  });
  S.lam = angleToLam(lamControl(S)?.value ?? 45);
  syncPanes(S, payload.panes);
}

function syncPanes(S, specs) {
  const ids = specs.map((p) => p.id).join();
  if (ids !== S.paneIds) {
    S.paneIds = ids;
    S.panes.forEach((p) => S.Plotly?.purge(p.plot));
    S.panes = specs.map((spec) => pane(S, spec));
    S.root.querySelector(".panes").replaceChildren(...S.panes.map((p) => p.box));
    S.panes.forEach((p) => {
      if (p.spec.wide) p.box.style.flexBasis = "100%";
      p.plot.style.minHeight = `${p.spec.square ? squareHeight(Math.min(p.box.clientWidth || 320, 620)) : p.spec.height}px`; // room taken before the first paint: no jump
    });
  }
  specs.forEach((spec, i) => { S.panes[i].spec = spec; });
}

export default function ({ data, parentElement, setStateValue }) {
  const S = INSTANCES.get(parentElement) || create(parentElement);
  S.set = setStateValue;
  const text = new TextDecoder().decode(data); // 12 characters of revision, then JSON
  update(S, { ...JSON.parse(text.slice(12)), revision: text.slice(0, 12) });
  setBusy(S, false);
  const paint = () => draw(S).then(() => ask(S));
  if (S.Plotly) paint();
  else findPlotly().then((P) => { S.Plotly = P; S.width = S.root.clientWidth; return paint(); }).catch((e) => { S.status.textContent = e.message; });
  return () => {
    S.observer.disconnect();
    [S.watchdog, S.dimmer, S.resize].forEach(clearTimeout);
    cancelAnimationFrame(S.linkFrame);
    S.panes.forEach((p) => S.Plotly?.purge(p.plot));
    INSTANCES.delete(parentElement);
  };
}
