// The marks at lam: the ray of slope lam on the curves, the tangent of slope -lam in error space.
// They are an SVG of their own above the plot: Plotly would take its hover label away at every change of a trace.

const SVG = "http://www.w3.org/2000/svg";

function shape(kind, attributes) {
  const node = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

const picked = (p) => p.spec.follow in PLACES; // a hovered point moves lam
const tailed = (p) => p.spec.follow === "tail" || p.spec.follow === "tail-recall";
const marked = (p) => picked(p) || tailed(p);
// A figure without the slider is marked where the one that has it stands.
const lamOf = (S) => (S.controls.length ? S.lam : store.hand?.lam ?? S.lam);

function drawMarks(S, p, curves) {
  const full = p.plot._fullLayout;
  if (!marked(p) || !full?.xaxis || (S.payload.model && !lamControl(S))) return;
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
  const lam = lamOf(S);
  const shown = curves.filter((curve) => !hidden.has(curve.id)).map((curve) => ({ ...curve, at: pointAt(curve.vertices, lam) }));
  if (tailed(p)) {
    // A lam beyond the log axis is marked at its end.
    const [low, high] = xaxis.range, at = Math.min(Math.max(Math.log10(lam), low), high);
    const side = p.spec.follow === "tail" ? "alpha" : "beta", [bottom, top] = yaxis.range;
    p.marks.dataset.lam = String(lam);
    p.marks.replaceChildren(line([at, bottom], [at, top], "#7f7f7f"), ...shown.map((c) => dot(c.id, at, c.at[side], c.color)));
    return;
  }
  const place = PLACES[p.spec.follow];
  const dots = shown.map((c) => dot(c.id, ...place(c.at), c.color));
  const lines = p.spec.follow === "pr" ? [line([0, 0], lam > 1 ? [1 / lam, 1] : [1, lam], "#7f7f7f")]
    : shown.map((c) => line(...tangent(c.at, lam).map(([fpr, fnr]) => place({ fpr, fnr })), c.color));
  p.marks.replaceChildren(...lines, ...dots);
}

// lam fpr + fnr = alpha, from the vertical axis, which it meets at alpha, to the horizontal one, which it meets at beta.
function tangent(at, lam) {
  if (lam === Infinity) return [[0, 0], [0, 1]];
  return lam === 0 ? [[0, 0], [1, 0]] : [[0, at.alpha], [at.beta, 0]];
}

function tell(S, { curves, words = "" }) {
  if (!S.controls.length || !(curves.length || words)) return;
  const text = curves.map((curve) => {
    const at = pointAt(curve.vertices, S.lam);
    return `${curve.name} ${at.alpha.toFixed(2)} / ${at.beta.toFixed(2)}`;
  });
  const points = curves.length && lamControl(S) ? `At λ = ${shortNumber(S.lam)}, precision / recall: ${text.join(" · ")}` : "";
  setText(S.status, [words, points].filter(Boolean).join(" "));
  // A screen reader hears it when the hand rests, not at every step of a drag.
  clearTimeout(S.telling);
  S.telling = setTimeout(() => {
    const said = (S.at ? `k = ${S.at.k}. ` : "") + S.status.textContent;
    if (S.spoken.textContent !== said) S.spoken.textContent = said;
  }, 700);
}

// ---- from the pointer to lam, and pictures of samples ----

function wire(S, p) {
  p.wired = true;
  // Before Plotly answers to a hand on the figure itself, it must hold what is on screen.
  const catchUp = () => { if (p.dirty && !S.controls.some((c) => c.held)) react(S, p); };
  for (const kind of ["pointermove", "pointerdown", "focusin"]) p.plot.addEventListener(kind, catchUp, true);
  p.plot.on("plotly_hover", (event) => {
    const custom = event.points[0].customdata; // a number, a list or a typed row, as Plotly decoded it
    if (picked(p) && custom?.length) linkTo(S, p, custom);
    if (p.spec.pictures && custom !== undefined) showPicture(S, p, custom, event.event);
  });
  // A click takes the curve for the tabs below, and lam with it. So does a legend entry, unless that hides the curve.
  p.plot.on("plotly_click", ({ points: [{ customdata, data }] }) => {
    if (p.spec.picks) return pickSample(S, p, Number(customdata));
    if (!picked(p)) return;
    if (customdata?.length) linkTo(S, p, customdata);
    if (S.at) choose(S, data.legendgroup);
  });
  for (const [kind, hides] of [["plotly_legendclick", true], ["plotly_legenddoubleclick", false]]) {
    p.plot.on(kind, ({ fullData, curveNumber }) => {
      const { legendgroup, visible } = fullData[curveNumber];
      if (S.at && picked(p) && (!hides || visible === "legendonly")) choose(S, legendgroup);
    });
  }
  if (p.spec.select) wireSelection(S, p);
  p.plot.on("plotly_unhover", () => { S.picture.hidden = true; });
  wireRings(S, p);
  wireStandout(S, p);
  // Zoom, pan, a hidden legend entry: Plotly has drawn what it was given last, which the hand may have left behind.
  p.plot.on("plotly_afterplot", () => {
    p.nodes = p.places = null;
    if (p.drawing) return;
    p.painted = p.name;
    paintPane(S, p, look(S));
  });
}

// A click on a sample moves the control that stands for it.
function pickSample(S, p, value) {
  const c = controlOf(S, p.spec.picks);
  if (c?.spec.values.includes(value)) { c.value = value; changed(S, c); }
}

function linkTo(S, p, custom) {
  const number = (value) => (value === null ? Infinity : Number(value)); // JSON has no infinity
  if (p.spec.follow === "pr") S.lam = number(custom[0]);
  else {
    const [lo, hi] = [number(custom[0]), number(custom[1])];
    S.lam = angleToLam((lamToAngle(lo) + lamToAngle(hi)) / 2); // the middle of the vertex's own interval
  }
  const lam = lamControl(S);
  if (lam) { lam.value = lamToAngle(S.lam); show(lam); } // the slider follows the pointer
  schedule(S, false);
  tellOthers(S, false);
}

// The curve that the tabs below are to look at.
function choose(S, id) {
  S.chosen = id;
  clearTimeout(S.release);
  ask(S);
}

function showPicture(S, p, custom, event) {
  const source = p.spec.pictures[custom?.length ? custom[0] : custom];
  if (!source) { S.picture.hidden = true; return; }
  const image = S.picture.firstElementChild || S.picture.appendChild(document.createElement("img"));
  // A few pixels are shown as such, a photo smoothly.
  image.onload = () => { image.style.imageRendering = image.naturalWidth > 32 ? "auto" : ""; };
  image.src = source;
  image.alt = "picture of the sample under the pointer";
  // Plotly's label stands to the right of the point where there is room: the picture goes to the other side.
  S.picture.style.left = `${event.clientX > 130 ? event.clientX - 122 : event.clientX + 16}px`;
  S.picture.style.top = `${Math.max(event.clientY - 116, 4)}px`;
  S.picture.hidden = false;
}
