// Samples in four groups at the hand's lam (prviz/diagnostics/confusion_groups.py has the derivation, prviz/figures/confusion_groups.py the look).
// payload.explorer: which classifier is optimal where ("breaks", decreasing), how many real samples each misses and how
// many generated ones it accepts, and for each sample the last classifier that calls it real.

const GROUP_NAMES = ["kept", "missed", "accepted", "rejected"];
const grouped = (p) => p.spec.follow === "groups";

// Python rounds lam to six digits; a tie at a breakpoint must not go two ways.
const roundLam = (lam) => Number(lam.toPrecision(6));
const lamHere = (S) => roundLam(lamOf(S));

// OptimalClassifiers.index_at: how many breakpoints are at or above lam.
export function classifierIndex(breaks, lam) {
  let low = 0, high = breaks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (breaks[middle] >= lam) low = middle + 1;
    else high = middle;
  }
  return low;
}

const classifierAt = (S) => classifierIndex(S.payload.explorer.breaks, lamHere(S));

// The numbers of samples of each group.
export function groupCounts({ sizes: [real, generated], missed, accepted }, index) {
  return [real - missed[index], missed[index], accepted[index], generated - accepted[index]];
}

// OptimalClassifiers.part: what some samples, as [{real, last}], are of the whole.
export function partOf({ sizes: [real, generated] }, samples, index, lam) {
  const count = (kind) => samples.filter(kind).length;
  const nReal = count((s) => s.real), missed = count((s) => s.real && s.last < index);
  const accepted = count((s) => !s.real && s.last >= index), fpr = missed / real, fnr = accepted / generated;
  const alpha = (fpr > 0 ? lam * fpr : 0) + fnr, beta = fpr + (fnr > 0 ? fnr / lam : 0);
  return { nReal, nGenerated: samples.length - nReal, missed, accepted, alpha, beta,
           shareReal: nReal / real, shareGenerated: (samples.length - nReal) / generated };
}

const groupOf = ({ real, last }, index) => (real ? 0 : 2) + (last >= index ? 0 : 1);
const sampleOf = (S, id) => {
  const place = S.placeOf.get(id), { last, sizes } = S.payload.explorer;
  return { id, last: last[place], real: place < sizes[0] };
};

// All drawn samples of the figure, whichever group Python drew them in.
function poolOf(S, p) {
  if (p.pool?.spec === p.spec) return p.pool.samples;
  const samples = p.spec.figure.data.slice(0, 4).flatMap(({ x, y, text, hovertext, customdata }) =>
    customdata.map(([id], i) => ({ x: x[i], y: y[i], text: text[i], hovertext: hovertext[i], ...sampleOf(S, id) })));
  p.pool = { spec: p.spec, samples };
  return samples;
}

const flat = (p) => p.spec.figure.data[0].yaxis === "y2"; // one dimension: a line of the rug per group
const groupName = (explorer, group, count) => `${explorer.labels[GROUP_NAMES[group]]}: ${count.toLocaleString("en")}`;

// What Plotly is to draw: each trace with the samples of its group.
function dealt(S, p) {
  const index = classifierAt(S), counts = groupCounts(S.payload.explorer, index);
  const traces = Object.fromEntries(counts.map((count, group) =>
    [group, { x: [], y: [], text: [], hovertext: [], customdata: [], name: groupName(S.payload.explorer, group, count) }]));
  for (const sample of poolOf(S, p)) {
    const group = groupOf(sample, index), to = traces[group];
    to.x.push(sample.x);
    to.y.push(flat(p) ? group : sample.y);
    to.text.push(sample.text);
    to.hovertext.push(sample.hovertext);
    to.customdata.push([sample.id]);
  }
  // Plotly would drop a trace without any point, and its legend entry.
  for (const trace of Object.values(traces)) if (!trace.x.length) trace.x = trace.y = [null];
  return { traces };
}

// Plotly's own symbols, relative to a point.
const SHAPES = {
  circle: (r) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`,
  diamond: (r) => `m${1.3 * r},0l${-1.3 * r},${1.3 * r}l${-1.3 * r},${-1.3 * r}l${1.3 * r},${-1.3 * r}z`,
  "triangle-up": (r) => `m${(-2 * r) / Math.sqrt(3)},${r / 2}h${(4 * r) / Math.sqrt(3)}l${(-2 * r) / Math.sqrt(3)},${-1.5 * r}z`,
  "line-ns-open": (r) => `m0,${-1.4 * r}v${2.8 * r}`,
  x: (r) => {
    const a = (r * 0.8) / Math.SQRT2, [ne, se, sw, nw] = [`l${a},${a}`, `l${a},${-a}`, `l${-a},${-a}`, `l${-a},${a}`];
    return `m0,${a}${ne}${se}${sw}${se}${sw}${nw}${sw}${nw}${ne}${nw}${ne}z`;
  },
};
const rounded = (shape) => shape.replace(/\d+\.\d+/g, (digits) => (+digits).toFixed(2));
const RING = rounded(SHAPES.circle(7.5)), SMALL_RING = rounded(SHAPES.circle(5)), MANY = 40;

// The samples' places in the plot, in pixels, by what is drawn: the groups' pool, or the traces that Plotly holds.
function placesOf(S, p) {
  if (p.places) return p.places;
  const full = p.plot._fullData, { x: xaxis, y: yaxis } = axesOf(p, p.spec.figure.data[0]);
  const found = grouped(p) ? poolOf(S, p) : full.filter((trace) => trace.customdata).flatMap((trace) =>
    Array.from(trace.customdata, (custom, i) => ({ ...sampleOf(S, Number(custom[0])), x: trace.x[i], y: trace.y[i] })));
  const lines = flat(p) && grouped(p) ? [0, 1, 2, 3].map((group) => yaxis.c2p(group).toFixed(1)) : null;
  p.places = {
    xaxis, yaxis, lines,
    all: found.map((sample) => ({ sample, x: xaxis.c2p(sample.x).toFixed(1), y: lines ? "" : yaxis.c2p(sample.y).toFixed(1) })),
  };
  p.places.byId = new Map(p.places.all.map((each) => [each.sample.id, each]));
  return p.places;
}

// An SVG of its own between Plotly's points and its labels: the groups while Plotly is behind, and the selection.
function overlayOf(p) {
  if (p.overlay?.isConnected) return p.overlay;
  p.overlay = shape("svg", { class: "sample-marks" });
  const [first] = p.plot.querySelectorAll(".main-svg");
  first.after(p.overlay);
  p.groupPaths = GROUP_NAMES.map((name) => shape("path", { class: `group-${name}` }));
  p.rings = shape("path", { class: "rings", d: "" });
  p.overlay.append(...p.groupPaths, p.rings);
  return p.overlay;
}

function paintSamples(S, p) {
  const overlay = overlayOf(p), places = placesOf(S, p), { xaxis, yaxis } = places;
  for (const [name, value] of Object.entries({ width: xaxis._length, height: yaxis._length })) overlay.setAttribute(name, value);
  Object.assign(overlay.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px` });
  const index = classifierAt(S);
  if (grouped(p)) paintGroups(S, p, places, index);
  const yOf = (each) => (places.lines ? places.lines[groupOf(each.sample, index)] : each.y);
  const rings = [...S.picks].map((id) => places.byId.get(id)).filter(Boolean);
  const ring = rings.length > MANY ? SMALL_RING : RING; // many large ones would hide what they are around
  p.rings.classList.toggle("many", ring === SMALL_RING);
  p.rings.setAttribute("d", rings.map((each) => `M${each.x},${yOf(each)}${ring}`).join(""));
}

// One path per group instead of a node per sample: a step of a drag rewrites four attributes.
function paintGroups(S, p, places, index) {
  const behind = p.name !== nameOf(S, p), nodes = nodesOf(p), counts = groupCounts(S.payload.explorer, index);
  const traces = p.plot._fullData.slice(0, 4), paths = ["", "", "", ""];
  const shapes = traces.map(({ marker }) => rounded(SHAPES[marker.symbol](marker.size / 2)));
  traces.forEach((trace, group) => {
    const { points } = nodes.traces[group] || {};
    if (points) points.style.display = behind ? "none" : "";
    setText(nodes.legend[group], groupName(S.payload.explorer, group, counts[group]));
  });
  for (const { sample, x, y } of behind ? places.all : []) {
    const group = groupOf(sample, index);
    paths[group] += `M${x},${places.lines ? places.lines[group] : y}${shapes[group]}`;
  }
  traces.forEach(({ marker, visible }, group) => {
    const path = p.groupPaths[group], paint = places.lines ? { fill: "none", stroke: marker.color } : { fill: marker.color };
    for (const [name, value] of Object.entries({ ...paint, opacity: marker.opacity })) path.setAttribute(name, value);
    path.setAttribute("d", visible === true ? paths[group] : "");
  });
}

// Whether the classifiers here are those of where k and the bandwidth stand: else the view waits for Python.
function outdated(S) {
  const { shown, frames, explorer } = S.payload, { hand } = store;
  if (!explorer.tunes || !hand?.at || !shown || hand.id !== frames) return false;
  const byBandwidth = explorer.tunes === "bandwidth";
  if (byBandwidth && hand.at.bandwidth !== shown.bandwidth) return true;
  return !(byBandwidth && shown.bandwidth !== null) && hand.at.k !== shown.k;
}
