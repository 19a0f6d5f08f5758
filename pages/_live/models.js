// What a figure's curves are at any stop of its own controls, where no frames are needed: a lesson's two densities, a
// painting, or one of a few drawings that Python has made beforehand. A model is
// (S, constants) => {curves: {id: vertices}, panes: {id: what changes}, rows: {id: numbers}, words, without: [ids of curves
// that are not known there]}, all but curves optional.

const valueOf = (S, id) => { const c = controlOf(S, id); return typeof c.value === "number" ? c.value : c.spec.resolved; };

// The curve of two lists of masses on the same cells, each scaled to sum 1: alpha(lam) = sum of min(lam p, q).
// Cells sorted by q / p give the best classifiers, which lie on a hull as they are (prviz.curves.ground_truth.finite_masses).
export function massCurve(p, q) {
  const sum = (masses) => masses.reduce((total, mass) => total + mass, 0);
  const allP = sum(p), allQ = sum(q);
  const cells = [...p.keys()].filter((i) => p[i] > 0 || q[i] > 0).sort((i, j) => q[i] * p[j] - q[j] * p[i]);
  // From "all is generated" to "all is real"; cells of the same ratio make one edge.
  const points = [];
  let fpr = 1, fnr = 0, last = null;
  for (const i of cells) {
    const [a, b] = last === null ? [1, 0] : [q[i] * p[last], q[last] * p[i]];
    const same = Math.abs(a - b) <= 1e-9 * (a + b);
    if (same) points.pop();
    else if (last === null) points.push([1, 0]);
    fpr -= p[i] / allP;
    fnr += q[i] / allQ;
    points.push([Math.max(fpr, 0), Math.min(fnr, 1)]);
    last = i;
  }
  const first = points.findLastIndex(([, n]) => n <= 1e-12), end = points.findIndex(([f]) => f <= 1e-12);
  const kept = points.slice(first, end + 1);
  kept[0][1] = 0;
  kept[kept.length - 1][0] = 0;
  return kept.reverse();
}

const normal = (x, mean, sigma) => Math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * Math.sqrt(2 * Math.PI));

// Densities p and q on evenly spaced xs as the panes of a lesson show them at lam, and the curve that they have.
function densities(S, xs, p, q) {
  const lam = S.lam, called = xs.map((_, i) => q[i] <= lam * p[i]); // real, by the best classifier
  const line = (y) => ({ x: xs, y });
  const high = (y) => y.map((value) => (Number.isFinite(value) ? Math.min(value, 9) : 9)); // lam may be infinite
  const scaledP = high(p.map((value) => (value ? lam * value : 0))), scaledQ = high(q.map((value) => (value ? value / lam : 0)));
  return {
    curves: { truth: massCurve(p, q) },
    panes: {
      precision: { traces: { 0: line(p.map((_, i) => Math.min(scaledP[i], q[i]))), 1: line(scaledP), 2: line(q) } },
      recall: { traces: { 0: line(p.map((_, i) => Math.min(p[i], scaledQ[i]))), 1: line(p), 2: line(scaledQ) } },
      errors: { traces: { 0: line(p.map((y, i) => (called[i] ? 0 : y))), 1: line(q.map((y, i) => (called[i] ? y : 0))), 2: line(p), 3: line(q) } },
      pair: { traces: { 0: line(p), 1: line(q) } },
    },
  };
}

// The density of masses on cells of [0, 1], as the stairs that a line goes up and down.
function stairs(masses) {
  const count = masses.length, all = masses.reduce((sum, mass) => sum + mass, 0);
  return { x: masses.flatMap((_, i) => [i / count, (i + 1) / count]), y: masses.flatMap((mass) => [(count * mass) / all, (count * mass) / all]) };
}

export const MODELS = {
  // P = N(0, 1) and Q = N(shift, scale^2) on a line.
  gaussians(S, { xs }) {
    const shift = valueOf(S, "shift"), scale = valueOf(S, "scale");
    return densities(S, xs, xs.map((x) => normal(x, 0, 1)), xs.map((x) => normal(x, shift, scale)));
  },
  // Two mixtures of the same modes, `spread` wide: their curve, and that of the modes' weights alone.
  modes(S, { xs, centres, coarse }) {
    const spread = valueOf(S, "spread"), p = controlOf(S, "p").value, q = controlOf(S, "q").value;
    const density = (weights) => xs.map((x) => centres.reduce((sum, c, i) => sum + weights[i] * normal(x, c, spread), 0));
    const made = densities(S, xs, density(p), density(q));
    return { ...made, curves: { ...made.curves, [coarse]: massCurve(p, q) } };
  },
  // Masses that a hand has painted, on cells whose two densities are even. What Python has measured holds for the values
  // in `measured` alone: at any others the curves `estimates` are gone, and every pane is as `away` says. `lines`, on a
  // line of cells: the pane and its two traces that show the densities, which follow.
  cells(S, { measured, estimates, away, lines, words }) {
    const p = controlOf(S, "p").value, q = controlOf(S, "q").value, curves = { truth: massCurve(p, q) };
    const same = (id) => JSON.stringify(controlOf(S, id).value) === JSON.stringify(measured[id]);
    if (Object.keys(measured).every(same)) return { curves };
    const panes = { ...away };
    if (lines) {
      const drawn = [p, q].map(stairs), own = away[lines.pane];
      const traces = { ...own?.traces, ...Object.fromEntries(lines.traces.map((index, side) => [index, drawn[side]])) };
      panes[lines.pane] = { ...own, traces, layout: { yaxis: { range: [0, 1.08 * Math.max(...drawn.flatMap(({ y }) => y))] } } };
    }
    return { curves, panes, words, without: estimates };
  },
  // Drawings that Python has made, by the places of some controls among their stops.
  stops(S, { parts }) {
    const found = { curves: {}, panes: {}, rows: {}, words: "" };
    for (const { controls, frames } of parts) {
      const place = (id) => { const c = controlOf(S, id); return c.spec.values.indexOf(c.value); };
      const { curves, panes, rows, words } = frames[controls.map(place).join()];
      for (const [id, flat] of Object.entries(curves || {})) found.curves[id] = vertexPairs(flat);
      for (const [id, change] of Object.entries(panes || {})) {
        const known = found.panes[id] || {};
        found.panes[id] = { ...known, ...change, traces: { ...known.traces, ...change.traces } };
      }
      Object.assign(found.rows, rows);
      found.words = [found.words, words].filter(Boolean).join(" ");
    }
    return found;
  },
};

// The figure as its model has it at the controls' values; `at` names them.
function modelled(S) {
  const { model, curves, frames } = S.payload, at = JSON.stringify([S.lam === Infinity ? "∞" : S.lam, S.controls.map((c) => c.value)]);
  if (S.made?.at !== at || S.made.frames !== frames) {
    const made = MODELS[model.name](S, model.constants);
    const linked = curves.filter((c) => !made.without?.includes(c.id)).map((c) => ({ ...c, vertices: made.curves[c.id] || c.vertices, row: made.rows?.[c.id] ?? S.payload.table?.rows[c.id], still: !made.curves[c.id] }));
    S.made = { at, frames, local: true, curves: linked, panes: made.panes || {}, words: made.words || "" };
  }
  return S.made;
}
