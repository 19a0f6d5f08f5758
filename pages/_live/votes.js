// The lesson on samples: who votes on one point, in which balls, and what the best classifier at lam calls real.
// constants: {id: the curve, points: {x, y, real: [1 or 0], own: [place among the fit samples, or -1]}, fit: [[xs, ys], [xs, ys]],
//   axis: coordinates of the grid, cross: half the size of a cross, around: "evaluation" | "fit", say: a sentence with {k}, {x}, {y},
//   at: one per stop of k: {k, vertices, row, cuts, levels, plane, votes: [[real, generated] per point], radii: [real, generated]}}
// A level says how many of the classifiers, from fpr = 0 on, call a point real; in the plane -1 - level where nobody votes.

const STEPS = 60;
const ROLE_NAMES = ["real", "generated"];

// Strokes with gaps between them.
function strokes(parts) {
  const x = [], y = [];
  for (const part of parts) {
    if (x.length) { x.push(null); y.push(null); }
    for (const [a, b] of part) { x.push(a); y.push(b); }
  }
  return x.length ? { x, y } : { x: [null], y: [null] };
}

const circle = (cx, cy, r) => Array.from({ length: STEPS + 1 }, (_, i) => [cx + r * Math.cos((2 * Math.PI * i) / STEPS), cy + r * Math.sin((2 * Math.PI * i) / STEPS)]);

function planeDots({ axis }, { plane }, place) {
  const dots = [[], [], []];
  plane.forEach((level, i) => dots[level < 0 ? 2 : level > place ? 0 : 1].push(i));
  return dots.map((cells) => (cells.length ? { x: cells.map((i) => axis[i % axis.length]), y: cells.map((i) => axis[Math.floor(i / axis.length)]) } : strokes([])));
}

// Balls around the point itself, or around the fit samples that vote for it.
function ballsOf({ around, points, fit }, at, chosen) {
  return fit.map(([xs, ys], role) => {
    if (around === "fit") return strokes(at.votes[chosen][role].map((i) => circle(xs[i], ys[i], at.radii[role][i])));
    return strokes([circle(points.x[chosen], points.y[chosen], at.radii[role][chosen])]);
  });
}

function saidOf({ points, say, id }, at, chosen, place) {
  const votes = at.votes[chosen], real = points.real[chosen] === 1, called = at.levels[chosen] > place;
  const own = points.own[chosen], itself = own >= 0 && votes[real ? 0 : 1].includes(own);
  const [x, y] = votes.map((each) => each.length), cut = at.cuts[place];
  const filled = say.replaceAll("{k}", at.k).replace("{x}", x).replace("{y}", y);
  const ratio = x ? general(y / x) : y ? "∞" : "1 (nobody votes: even)";
  const rule = cut === null ? "calls everything real" : cut < 0 ? "calls everything generated" : `says real up to ${general(cut)}`;
  return `Point ${chosen + 1} is ${ROLE_NAMES[real ? 0 : 1]}. ${filled}${itself ? " One vote is its own." : ""} So c_Y / c_X = ${ratio}. ` +
    `The best classifier at this λ ${rule}: it calls the point ${ROLE_NAMES[called ? 0 : 1]}, ${called === real ? "rightly" : "wrongly"}.`;
}

export function votesModel(constants, atK, chosen, lam) {
  const { id, points, fit, cross } = constants, at = constants.at[atK], vertices = vertexPairs(at.vertices);
  const best = pointAt(vertices, lam), place = vertices.findIndex(([f, n]) => f === best.fpr && n === best.fnr);
  const [x, y] = [points.x[chosen], points.y[chosen]];
  const spokes = fit.map(([xs, ys], role) => strokes(at.votes[chosen][role].map((i) => [[x, y], [xs[i], ys[i]]])));
  const wrong = [...points.x.keys()].filter((i) => (at.levels[i] > place) !== (points.real[i] === 1));
  const crosses = strokes(wrong.flatMap((i) => [1, -1].map((s) => [[points.x[i] - cross, points.y[i] - s * cross], [points.x[i] + cross, points.y[i] + s * cross]])));
  const drawn = [...planeDots(constants, at, place), ...ballsOf(constants, at, chosen), ...spokes, { x: [x], y: [y] }];
  const traces = { ...drawn, [constants.crosses]: crosses };
  return { curves: { [id]: vertices }, rows: { [id]: at.row }, panes: { plane: { traces } }, words: saidOf(constants, at, chosen, place) };
}

MODELS.votes = (S, constants) => {
  const stop = (id) => { const c = controlOf(S, id); return Math.max(c.spec.values.indexOf(numeric(c)), 0); };
  return votesModel(constants, stop("k"), stop("point"), S.lam);
};
