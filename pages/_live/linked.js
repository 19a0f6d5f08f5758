// Samples in several panes: those under the pointer, or in a selection, are ringed in all of them.
// A sample is known by its row, the customdata of its points; a pane's `link` names the samples that its rows are of.

function wireRings(S, p) {
  if (!p.spec.link) return;
  const rows = (event) => (event?.points ?? []).map((point) => point.customdata).filter((row) => row !== undefined);
  p.plot.on("plotly_hover", (event) => { S.under = rows(event)[0]; drawAllRings(S); });
  p.plot.on("plotly_unhover", () => { S.under = undefined; drawAllRings(S); });
  p.plot.on("plotly_selected", (event) => markRows(S, event ? rows(event) : []));
  p.plot.on("plotly_deselect", () => markRows(S, []));
}

function markRows(S, rows) {
  S.ringed = new Set(rows);
  drawAllRings(S);
  S.status.textContent = told(S);
  S.spoken.textContent = S.status.textContent;
}

// Other samples than those that were chosen.
function forgetRings(S) {
  S.ringed = new Set();
  S.under = undefined;
  if (!S.controls.length) S.status.textContent = S.spoken.textContent = "";
}

// How many are marked, by what their legend says.
function told(S) {
  const p = S.panes.find((pane) => pane.spec.link && pane.plot._fullData), counts = new Map();
  for (const { name, row } of p ? samplesOf(p) : []) if (S.ringed.has(row)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const parts = [...counts].map(([name, count]) => `${count} ${name}`);
  return S.ringed.size ? `Marked: ${S.ringed.size} samples (${parts.join(", ")})` : "";
}

function* samplesOf(p) {
  for (const trace of p.plot._fullData) {
    if (trace.visible !== true || !trace.customdata) continue;
    for (let i = 0; i < trace.x.length; i++) yield { name: trace.name, row: trace.customdata[i], x: trace.x[i], y: trace.y[i], trace };
  }
}

function drawAllRings(S) {
  for (const p of S.panes) drawRings(S, p);
}

function drawRings(S, p) {
  const full = p.plot._fullLayout;
  if (!p.spec.link || !full?.xaxis) return;
  if (!p.ringed) {
    p.ringed = shape("svg", { class: "lam-marks rings" });
    p.plot.append(p.ringed);
  }
  const { xaxis, yaxis } = full, under = S.under;
  for (const [name, value] of Object.entries({ width: xaxis._length, height: yaxis._length })) p.ringed.setAttribute(name, value);
  Object.assign(p.ringed.style, { left: `${xaxis._offset}px`, top: `${yaxis._offset}px` });
  const ring = ({ row, x, y }) => shape("circle", {
    cx: xaxis.c2p(x), cy: yaxis.c2p(y), r: row === under ? 9 : 5.5, fill: "none", stroke: "currentColor",
    "stroke-width": row === under ? 3 : 1.5, "data-row": row });
  const found = [];
  if (under !== undefined || S.ringed?.size) {
    for (const sample of samplesOf(p)) if (sample.row === under || S.ringed?.has(sample.row)) found.push(ring(sample));
  }
  p.ringed.replaceChildren(...found);
}
