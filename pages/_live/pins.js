// Pinned states: pale curves under those on screen, the difference in one sentence, and all of them side by side.

import { PLACES, pathOf, sampled, vertexPairs } from "./curve.js";
import { differenceText } from "./difference.js";
import { button, element, setAttributes, shape } from "./dom.js";
import { nameAt, placeLabels } from "./label_places.js";
import { tellPage } from "./line.js";
import { store } from "./store.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */
/** @import { Snapshot } from "./store.js" */
/** @import { View } from "./view.js" */

/** The buttons, made once. @typedef {{ pin: HTMLButtonElement, compare: HTMLButtonElement } | null} Pins */

const MOST = 4;
// Pixels of one small figure; WORDS: of what stands over and under it.
const SIDES = [90, 300],
  LEFT = 30,
  FOOT = 24,
  EDGE = 8,
  SIZE = 12,
  WORDS = 84;

/** The pinned states that have come, the newest last.
 * @param {LiveFigure} live @returns {Snapshot[]} */
const pinned = ({ payload: { pins = [] } }) => pins.flatMap((id) => store.snapshots.get(id) ?? []);

/** The newest pinned state other than the one on screen. @param {LiveFigure} live */
const before = (live) =>
  pinned(live)
    .filter(({ id }) => id !== live.payload.now)
    .at(-1);

/** @param {LiveFigure} live */
export function takePins(live) {
  const {
    payload: { rows, pins = [], now = "" },
    parts,
  } = live;
  if (!rows) return;
  if (!live.pins) {
    const made = {
      pin: button(() => tellPage(live, "pin", ""), "Pin"),
      compare: button(() => open(live), "Compare"),
    };
    live.pins = made;
    parts.stage.append(made.pin, made.compare);
    parts.compare.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") shut(live);
    });
  }
  const { pin, compare } = live.pins,
    is = pins.includes(now);
  pin.setAttribute("aria-pressed", String(is));
  pin.disabled = !is && pins.length >= MOST;
  pin.title = pin.disabled
    ? "Four states are pinned. Take one away under Compare."
    : is
      ? "Take this state away again."
      : "Keep these curves pale under what you change.";
  compare.hidden = !pins.length;
  compare.replaceChildren("Compare", element("span", ` ${pins.length}`));
  setAttributes(compare, { "aria-label": `Compare ${pins.length}` });
  if (!parts.compare.hidden) {
    if (pins.length) fill(live);
    else shut(live);
  }
}

/** The sentence on the difference from the pinned state before; "" without one, and while it is measured.
 * @param {LiveFigure} live @param {View} view */
export function pinnedText(live, view) {
  const {
      payload: { words, noise = 0, table },
      rows: { hidden },
      film,
    } = live,
    then = before(live);
  if (!then || !words || !table || film.open) return "";
  const compared = table.columns[0].key === "iou" && then.compared,
    shown = view.curves.filter(({ id }) => id !== "truth" && !hidden.has(id));
  const auc = table.columns.findIndex(({ key }) => key === "auc"),
    place = compared ? 0 : auc;
  // Overlap comes first in each row; where one state has none, the areas are compared.
  const thenPlace = compared ? 0 : then.compared && table.columns[0].key !== "iou" ? AREA_AFTER_OVERLAP : auc;
  const at = view.local ? view.at : null,
    moved = { ...words };
  if (at && moved.k) moved.k = [moved.k[0], at.k, at.k.toLocaleString("en")];
  if (at && moved.bandwidth)
    moved.bandwidth = [
      moved.bandwidth[0],
      at.bandwidth,
      at.bandwidth === null ? "auto" : String(at.bandwidth),
    ];
  return differenceText(
    {
      numbers: new Map(shown.map(({ id, row }) => [id, row?.[place] ?? NaN])),
      names: new Map(shown.map(({ id, name }) => [id, name])),
      compared,
      noise,
      words: moved,
    },
    {
      numbers: new Map(then.curves.map(({ id }) => [id, then.rows[id][thenPlace]])),
      names: new Map(),
      compared,
      noise: then.noise,
      words: then.words,
    },
  );
}

const AREA_AFTER_OVERLAP = 3; // place of the area in a row that begins with overlap, excess and deficit

/** Pale curves: of the draws before in a film over seeds, else of a pinned state.
 * @param {LiveFigure} live */
export function ghostsOf(live) {
  const {
    film,
    rows: { hidden },
  } = live;
  if (film.open) return film.cloud();
  return before(live)?.curves.filter(({ id }) => !hidden.has(id)) ?? [];
}

/** @param {LiveFigure} live @param {Pane} pane @param {View} view */
export function drawGhosts(live, pane, view) {
  const { follow, fit } = pane.spec,
    place = PLACES[follow];
  if (!fit || !place) return;
  const axes = pane.axes(),
    color = new Map(view.curves.map((curve) => [curve.id, curve.color]));
  pane
    .overlay("ghosts", axes, true)
    .replaceChildren(
      ...ghostsOf(live).map(({ id, color: own, vertices }) =>
        shape("path", { d: pathOf(vertices, axes, place), stroke: color.get(id) ?? own }),
      ),
    );
}

// ---- side by side ----

/** @param {LiveFigure} live */
function open(live) {
  live.film.close();
  live.parts.compare.hidden = false;
  fill(live);
  live.parts.compare.querySelector("button")?.focus();
}

/** @param {LiveFigure} live */
function shut(live) {
  live.parts.compare.hidden = true;
  live.pins?.compare.focus();
}

/** What a state has that not all of these have.
 * @param {Snapshot} state @param {import("./difference.js").Words[]} all */
function ownWords({ words }, all) {
  const parts = Object.entries(words)
    .filter(([id, [, , text]]) => all.some((other) => other[id]?.[2] !== text))
    .map(([id, [name, , text]]) => {
      if (id === "data" || id === "methods") return text;
      return `${name.replace(/^the /, "")} ${text}`;
    });
  return parts.slice(0, MOST).join(" · ") || "as on screen";
}

/** @param {LiveFigure} live */
function fill(live) {
  const states = pinned(live),
    { compare } = live.parts,
    columns = Math.min(states.length, 2),
    rows = Math.ceil(states.length / 2);
  const side = Math.min(
    Math.max(
      Math.min(
        compare.clientWidth / columns - LEFT - 3 * EDGE,
        (compare.clientHeight - 44) / rows - FOOT - EDGE - WORDS,
      ),
      SIDES[0],
    ),
    SIDES[1],
  );
  // One alone is told apart from what is on screen.
  const told = states.map(({ words }) => words);
  if (states.length < 2) told.push(live.payload.words ?? {});
  const boxes = states.map((state) => {
    const own = ownWords(state, told);
    const away = button(() => tellPage(live, "pin", state.id), "×", {
      class: "shut",
      "aria-label": `Take away ${own}`,
    });
    const numbers = state.curves.map(({ id, name }) => `${name} ${state.rows[id][0].toFixed(2)}`).join(", ");
    return element(
      "section",
      element("h3", own),
      away,
      small(state, side),
      element("p", `${state.compared ? "overlap" : "area"}: ${numbers}`),
    );
  });
  const { pins = [], now = "" } = live.payload;
  if (states.length < pins.length) boxes.push(element("section", element("p", "measuring …")));
  const add =
    pins.includes(now) || pins.length >= MOST
      ? []
      : [button(() => tellPage(live, "pin", ""), "Add what is on screen now")];
  compare.replaceChildren(
    element(
      "header",
      element("h2", states.length > 1 ? "Pinned, on the same axes" : "Pinned"),
      ...add,
      button(() => shut(live), "Close"),
    ),
    element("div.states", ...boxes),
  );
}

/** One state as a figure of its own. @param {Snapshot} state @param {number} side */
function small({ curves, truth }, side) {
  const axes = {
    xaxis: { at: (/** @type {number} */ x) => (x / 1.02) * side },
    yaxis: { at: (/** @type {number} */ y) => side - (y / 1.02) * side },
  };
  const known = truth
    ? [{ id: "truth", name: "truth", color: "currentColor", vertices: vertexPairs(truth) }]
    : [];
  const lines = [...known, ...curves].map(({ id, name, color, vertices }) => ({
    id,
    color,
    text: name,
    vertices,
    points: sampled(vertices).map(
      ({ alpha, beta }) => /** @type {[number, number]} */ ([axes.xaxis.at(beta), axes.yaxis.at(alpha)]),
    ),
  }));
  const places = placeLabels(lines, [side, side], SIZE);
  const ticks = [0, 0.5, 1].flatMap((tick) => [
    shape("path.grid", { d: `M${axes.xaxis.at(tick)},0V${side}M0,${axes.yaxis.at(tick)}H${side}` }),
    shape("text", String(tick), { x: axes.xaxis.at(tick), y: side + 16, "text-anchor": "middle" }),
    shape("text", String(tick), { x: -6, y: axes.yaxis.at(tick) + 4, "text-anchor": "end" }),
  ]);
  const drawn = lines.map(({ id, color, vertices }) =>
    shape("path.line", {
      d: pathOf(vertices, axes),
      stroke: color,
      "stroke-dasharray": id === "truth" ? "5 4" : "",
    }),
  );
  const names = lines.flatMap((line) => {
    const place = places.get(line.id);
    return place ? [nameAt(line, place)] : [];
  });
  return shape(
    "svg",
    {
      viewBox: `${-LEFT} ${-EDGE} ${side + LEFT + EDGE} ${side + FOOT + EDGE}`,
      width: side + LEFT + EDGE,
      role: "img",
      "aria-label": "precision against recall",
    },
    ...ticks,
    ...drawn,
    ...names,
  );
}
