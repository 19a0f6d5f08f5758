// The frames: every curve and every number of the table at every stop of k and of the bandwidth (pages/_explore/frames.py).
// One store per page, filled by store.js; `hand` is where the sliders stand:
// {id of the frames, at: {k, bandwidth}, lam}.

const store = (window.__prviz ??= { frames: new Map(), listeners: new Set(), hand: null });

// Which control moves this curve: KDE's has a bandwidth of its own, if one is given.
const drivenBy = (frames, id, at) => (at.bandwidth !== null && frames.bandwidth.curves[id] ? "bandwidth" : "k");
// None does: the truth, and families that know neither k nor a bandwidth. What Python drew of them holds at every stop.
const still = (frames, id) => id === "truth" || !(frames.k.curves[id] || frames.bandwidth.curves[id]);

// Made once: what else is known of a curve hangs on its vertices.
const PAIRS = new WeakMap();

function vertexPairs(flat) {
  const known = PAIRS.get(flat);
  if (known) return known;
  const pairs = new Array(flat.length / 2);
  for (let i = 0; i < pairs.length; i++) pairs[i] = [flat[2 * i], flat[2 * i + 1]];
  PAIRS.set(flat, pairs);
  return pairs;
}

// The payload's curves as they are at other settings; null where that is not known here.
export function curvesAt(payload, at) {
  const { shown, curves, table } = payload, frames = store.frames.get(payload.frames);
  if (!frames || !shown) return null;
  const found = [];
  for (const curve of curves) {
    const control = drivenBy(frames, curve.id, at);
    if (still(frames, curve.id)) {
      found.push({ ...curve, row: table?.rows[curve.id], still: true });
      continue;
    }
    if (control === drivenBy(frames, curve.id, shown) && at[control] === shown[control]) {
      found.push({ ...curve, row: table?.rows[curve.id] });
      continue;
    }
    const { stops, curves: vertices, rows } = frames[control];
    const index = vertices[curve.id] ? stops.indexOf(at[control]) : -1;
    if (index < 0) return null;
    found.push({ ...curve, vertices: vertexPairs(vertices[curve.id][index]), row: rows[curve.id][index] });
  }
  return found;
}

const sameStop = (a, b) => a.k === b.k && a.bandwidth === b.bandwidth;

// What is on screen, or is to be: Python's own curves, or those of the stop that the hand has moved to.
function look(S) {
  const { payload } = S, { shown } = payload;
  if (payload.model) return modelled(S);
  const own = { at: shown, local: false, curves: payload.curves.map((c) => ({ ...c, row: payload.table?.rows[c.id], still: c.id === "truth" })) };
  const at = S.controls.length ? S.at : store.hand?.id === payload.frames && store.hand.at;
  if (!at || !shown || sameStop(at, shown)) return own;
  const curves = curvesAt(payload, at);
  return curves ? { at, local: true, curves } : own;
}
