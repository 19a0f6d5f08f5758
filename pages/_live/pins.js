// Pinned states: the curves of the newest one are drawn pale below those on screen, a sentence describes the
// difference, and Compare shows all pinned states side by side.

import { PLACES, pathOf, sampled, vertexPairs } from "./curve.js";
import { differenceText } from "./difference.js";
import { button, element, setAttributes, shape } from "./dom.js";
import { nameAt, placeLabels } from "./label_places.js";
import { tellPage } from "./line.js";
import { store } from "./store.js";
import { look } from "./view.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */
/** @import { Snapshot } from "./store.js" */
/** @import { Vertex } from "./curve.js" */
/** @import { Words } from "./difference.js" */
/** @import { View } from "./view.js" */

/** A pinned state, or the state on screen (id ""), with its curves; row: the curve's numbers in the table.
 * @typedef {{ id: string, words: Words, truth: Vertex[] | null, compared: boolean, curves: { id: string, name: string, color: string, vertices: Vertex[], row?: number[] }[] }} State */

/** The two buttons Pin and Compare, created once.
 * @typedef {{ pin: HTMLButtonElement, compare: HTMLButtonElement } | null} Pins */

const MOST = 4;
const COLUMNS = 2; // of Compare; beside a single state stands what comes next
// Sizes in a small figure of Compare, in pixels. SIDES: smallest and largest side; LEFT, FOOT, EDGE: margins; SIZE:
// font size; WORDS: total height of the texts above and below the figure.
const SIDES = [90, 300],
  LEFT = 30,
  FOOT = 24,
  EDGE = 8,
  SIZE = 12,
  WORDS = 84;

/** The pinned states whose curves the browser has received, the newest last.
 * @param {LiveFigure} live @returns {Snapshot[]} */
const pinned = ({ payload: { pins = [] } }) => pins.flatMap((id) => store.snapshots.get(id) ?? []);

/** The newest pinned state that is not on screen now.
 * @param {LiveFigure} live */
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

/** The sentence on how the state on screen differs from the newest other pinned state; "" if there is no other, or
 * until Python has measured the curves.
 * @param {LiveFigure} live @param {View} view */
export function pinnedText(live, view) {
  const {
      payload: { words, noise = 0, table },
      film,
    } = live,
    then = before(live);
  if (!then || !words || !table || film.open) return "";
  const compared = table.columns[0].key === "iou" && then.compared,
    shown = shownIn(live, view);
  const auc = table.columns.findIndex(({ key }) => key === "auc"),
    place = compared ? 0 : auc;
  // Overlap is the first number of each row. If one of the two states has no overlap, the areas are compared.
  const thenPlace = compared ? 0 : then.compared && table.columns[0].key !== "iou" ? AREA_AFTER_OVERLAP : auc;
  return differenceText(
    {
      numbers: new Map(shown.map(({ id, row }) => [id, row?.[place] ?? NaN])),
      names: new Map(shown.map(({ id, name }) => [id, name])),
      compared,
      noise,
      words: wordsAt(words, view),
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

/** The curves on screen, except the true curve.
 * @param {LiveFigure} live @param {View} view */
const shownIn = ({ rows: { hidden } }, { curves }) =>
  curves.filter(({ id }) => id !== "truth" && !hidden.has(id));

/** The settings, with their k and bandwidth replaced by those of the stop on screen.
 * @param {Words} words @param {View} view @returns {Words} */
function wordsAt(words, { local, at }) {
  if (!local || !at) return words;
  const moved = { ...words };
  if (moved.k) moved.k = [moved.k[0], at.k, at.k.toLocaleString("en")];
  if (moved.bandwidth)
    moved.bandwidth = [
      moved.bandwidth[0],
      at.bandwidth,
      at.bandwidth === null ? "auto" : String(at.bandwidth),
    ];
  return moved;
}

const AREA_AFTER_OVERLAP = 3; // index of the area in a row that begins with overlap, excess and deficit

/** Curves to draw pale: in a film over seeds, the curves of the earlier draws; else those of the newest other pinned
 * state.
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

// ---- Compare: the pinned states side by side ----

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

/** Text with the settings of a state in which it differs from at least one other state.
 * @param {Words} words @param {Words[]} all */
function ownWords(words, all) {
  const parts = Object.entries(words)
    .filter(([id, [, , text]]) => all.some((other) => other[id]?.[2] !== text))
    .map(([id, [name, , text]]) => {
      if (id === "data" || id === "methods") return text;
      return `${name.replace(/^the /, "")} ${text}`;
    });
  return parts.slice(0, MOST).join(" · ");
}

/** The pinned states, and the state on screen unless it is pinned or there are MOST pinned states already.
 * @param {LiveFigure} live @returns {State[]} */
function statesOf(live) {
  const {
      payload: { pins = [], now = "", words = {}, table },
    } = live,
    states = pinned(live).map(({ truth, curves, rows, ...state }) => ({
      ...state,
      truth: truth && vertexPairs(truth),
      curves: curves.map((curve) => ({ ...curve, row: rows[curve.id] })),
    }));
  if (pins.includes(now) || pins.length >= MOST || !table) return states;
  const view = look(live);
  const onScreen = {
    id: "",
    words: wordsAt(words, view),
    curves: shownIn(live, view),
    truth: view.curves.find(({ id }) => id === "truth")?.vertices ?? null,
    compared: table.columns[0].key === "iou",
  };
  return [...states, onScreen];
}

/** @param {LiveFigure} live */
function fill(live) {
  const states = statesOf(live),
    { compare } = live.parts,
    awaited = (live.payload.pins ?? []).length - pinned(live).length,
    rows = Math.ceil((states.length + awaited) / COLUMNS);
  const side = Math.min(
    Math.max(
      Math.min(
        compare.clientWidth / COLUMNS - LEFT - 3 * EDGE,
        (compare.clientHeight - 44) / rows - FOOT - EDGE - WORDS,
      ),
      SIDES[0],
    ),
    SIDES[1],
  );
  const told = states.map(({ words }) => words);
  const boxes = states.map((state) => {
    const own = ownWords(state.words, told),
      same = state.id === live.payload.now ? "as on screen" : "pinned",
      name = state.id ? own || same : ["on screen", own].filter(Boolean).join(": ");
    const change = () => tellPage(live, "pin", state.id);
    const numbers = state.curves.map((curve) => `${curve.name} ${curve.row?.[0].toFixed(2)}`).join(", ");
    return element(
      "section",
      element("h3", name),
      state.id
        ? button(change, "×", { class: "shut", "aria-label": `Take away ${name}` })
        : button(change, "Pin"),
      small(state, side),
      element("p", `${state.compared ? "overlap" : "area"}: ${numbers}`),
    );
  });
  if (awaited) boxes.push(element("section", element("p", "measuring …")));
  if (boxes.length < 2) boxes.push(element("section", element("p", "Change a setting: it is drawn here.")));
  compare.replaceChildren(
    element(
      "header",
      element("h2", "Pinned, on the same axes"),
      button(() => shut(live), "Close"),
    ),
    element("div.states", ...boxes),
  );
}

/** A small figure of one state.
 * @param {State} state @param {number} side */
function small({ curves, truth }, side) {
  const axes = {
    xaxis: { at: (/** @type {number} */ x) => (x / 1.02) * side },
    yaxis: { at: (/** @type {number} */ y) => side - (y / 1.02) * side },
  };
  const known = truth ? [{ id: "truth", name: "truth", color: "currentColor", vertices: truth }] : [];
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
