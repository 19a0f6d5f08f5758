// One live figure: sliders, linked Plotly panes, and a table. Panes keep their zoom and their hidden legend entries
// when the data change. Streamlit calls the default export on mount, and again for every new payload or theme, with
// the same parentElement and without calling the earlier clean-up; therefore all state is stored by that element.

import { isGrouped } from "./confusion_groups.js";
import { Controls } from "./controls.js";
import { Timers, painted } from "./dom.js";
import { takeExplorer } from "./explorer.js";
import { choose, controlChanged, slideLam, tellOthers, wire } from "./gestures.js";
import { isTail, movesLam } from "./lam_marks.js";
import { drawFirst } from "./first.js";
import { draw, drawOver, schedule, showNumbers } from "./paint.js";
import { Pane, findPlotly, inTheme, placePane, themeOf } from "./pane.js";
import { whileHere } from "./leaving.js";
import { ask, askLater, hangUp, hideOther, isLate, noLine, pageDrawn, wireStop } from "./line.js";
import { NO_FILM, makeFilm } from "./play.js";
import { takePins } from "./pins.js";
import { makeLegend, makeTable, noCells } from "./readout.js";
import { makeRows, noRows } from "./rows.js";
import { noRings, takeRings } from "./rings.js";
import { markSheet } from "./sheet.js";
import { leaveStandout, takeStandout } from "./standout.js";
import { store, withVertices } from "./store.js";
import { answerTo } from "./stream.js";
import { noTask, takeTask } from "./task.js";
import { look } from "./view.js";

/** @import { Explorer } from "./explorer.js" */
/** @import { Plotly } from "./pane.js" */
/** @import { Cells } from "./readout.js" */
/** @import { Line } from "./line.js" */
/** @import { Rings } from "./rings.js" */
/** @import { Rows } from "./rows.js" */
/** @import { StandoutGroup } from "./group.js" */
/** @import { Payload } from "./view.js" */

/**
 * What the figure needs from its host: Streamlit's page, or a notebook.
 * @typedef {object} Host
 * @property {(question: Record<string, unknown>, token: string, signal: AbortSignal) => AsyncIterable<string>} answerTo the messages of Python's answer, each as JSON
 * @property {() => Promise<Plotly>} findPlotly
 *
 * The state of one live figure. Each field belongs to the module that defines its type.
 * @typedef {object} LiveFigure
 * @property {HTMLElement} parent
 * @property {Host} host
 * @property {HTMLElement} root
 * @property {Record<Part, HTMLElement>} parts elements of live.html
 * @property {Payload} payload
 * @property {(values: Record<string, unknown>) => void} send sets the component's state in Python
 * @property {(pane: Pane, plotly: Plotly) => void} wire connects a pane to the pointer, once it is drawn
 * @property {(lam: number | null, held: boolean) => void} slide moves lam while the user drags along a curve
 * @property {(id: string) => void} choose selects the curve that the panels below show
 * @property {() => void} redraw draws what has changed
 * @property {() => void} leave called when the figure leaves the page
 * @property {Plotly | null} plotly null until it has loaded
 * @property {string} size width of the root and heights of fitted panes, in pixels, for which the panes are drawn
 * @property {number} frame id of the requested animation frame, or 0
 * @property {boolean} behind true if something has changed since the drawing of the other panes began (all but the main pane)
 * @property {number} drawn when Plotly was last asked to draw, in milliseconds
 * @property {Timers} timers
 * @property {Controls} controls
 * @property {Pane[]} panes
 * @property {Line} line the main figure's line to Python
 * @property {(payload: Payload, late: boolean) => void} take shows a payload from the line; late: true if a newer question has been sent since
 * @property {(name: string, value: unknown) => void} tell sends a value to the page, which Streamlit then draws again
 * @property {Record<string, string>} theme colours and font that the panes are drawn with, by CSS variable
 * @property {Explorer | null} explorer
 * @property {Rings} rings
 * @property {StandoutGroup | null} standout
 * @property {() => void} follow called when the highlighted item of the linked views changes
 * @property {Cells} table
 * @property {Rows} rows
 * @property {import("./play.js").Playing} film the film that is shown in place of the curves at the settings
 * @property {import("./pins.js").Pins} pins
 * @property {import("./task.js").Task} task
 *
 * @typedef {typeof PARTS[number]} Part
 */

const PARTS = /** @type {const} */ ([
  "controls",
  "coarse",
  "status",
  "spoken",
  "key",
  "panes",
  "explorer",
  "rows",
  "verdict",
  "next",
  "task",
  "readout",
  "progress",
  "picture",
  "stage",
  "film",
  "compare",
]);
// after a change of the figure's size: milliseconds without a further change before all panes are drawn again
const RESIZE_MS = 80;
// Milliseconds between two drawings of a figure while the user holds a slider of another one, the main figure: a
// figure of thousands of samples takes longer to draw than one step of the slider.
const BEHIND_MS = 1000;

/** Streamlit's page as the host.
 * @type {Host} */
const PAGE = { answerTo, findPlotly };

/** @type {WeakMap<HTMLElement, LiveFigure>} */
const INSTANCES = new WeakMap();

/** @param {HTMLElement} parent */
function create(parent) {
  const root = /** @type {HTMLElement} */ (parent.querySelector(".live"));
  const parts = /** @type {Record<Part, HTMLElement>} */ (
    Object.fromEntries(PARTS.map((name) => [name, root.querySelector(`.${name}`)]))
  );
  const timers = new Timers();
  const controls = new Controls(parts.controls, {
    changed: (control, rest) => controlChanged(live, control, rest),
    released: () => askLater(live),
  });
  /** @type {LiveFigure} */
  const live = {
    parent,
    host: PAGE,
    root,
    parts,
    timers,
    controls,
    payload: /** @type {any} */ ({}),
    send: () => {},
    tell: () => {},
    take: (payload, late) => show(live, payload, late),
    redraw: () => {
      draw(live);
      if (live.pins) takePins(live); // Compare may show a pinned state whose curves have just come
    },
    follow: () => {
      live.panes.forEach((pane) => drawOver(live, pane));
      if (live.payload.rows) showNumbers(live, look(live));
    },
    wire: (pane, plotly) => wire(live, pane, plotly),
    slide: (lam, held) => slideLam(live, lam, held),
    choose: (id) => choose(live, id),
    leave,
    plotly: null,
    size: "",
    frame: 0,
    behind: false,
    drawn: 0,
    panes: [],
    line: noLine(),
    theme: {},
    explorer: null,
    rings: noRings(),
    standout: null,
    table: noCells(),
    rows: noRows(),
    film: NO_FILM,
    pins: null,
    task: noTask(),
  };
  const resized = () =>
    timers.start("resize", RESIZE_MS, () => {
      if (live.plotly && takeSize(live)) draw(live);
    });
  const observer = new ResizeObserver(resized);
  const marks = new MutationObserver(() => markRoot(live));
  // A figure without sliders is redrawn when the sliders of another figure have moved, or when frames have come.
  const listener = (curves = true) => {
    if (
      !controls.list.length &&
      (live.payload.table ||
        live.panes.some((pane) =>
          curves
            ? pane.spec.follow || pane.spec.canvas
            : isGrouped(pane) || isTail(pane) || movesLam(pane) || pane.spec.canvas,
        ))
    )
      schedule(live, curves);
  };
  const escape = (/** @type {KeyboardEvent} */ { key }) => {
    if (key === "Escape") closeHelps(root);
  };
  const clicked = (/** @type {Event} */ { target }) => {
    if (target instanceof Element) closeHelps(root, target);
    // after a click on another toy, hide the old toy's curves at once; Streamlit itself sends the click to Python
    const toy = target instanceof Element && target.closest(".st-key-problem [role=radiogroup] label");
    if (
      live.payload.rows &&
      toy &&
      toy.textContent !== document.querySelector(".st-key-part-toy p")?.textContent
    )
      hideOther(live, true);
  };
  function leave() {
    live.film.leave();
    observer.disconnect();
    marks.disconnect();
    window.removeEventListener("resize", resized);
    controls.leave();
    root.append(parts.rows); // put the rows back into this element, as Streamlit may mount the element again
    store.listeners.delete(listener);
    window.removeEventListener("keydown", escape);
    window.removeEventListener("click", clicked, true);
    leaveStandout(live);
    if (live.payload.rows) {
      store.ask = store.figure = null;
      delete document.documentElement.dataset.prvizShows;
    }
    hangUp(live);
    timers.stopAll();
    cancelAnimationFrame(live.frame);
    live.panes.forEach((pane) => purge(live, pane));
    INSTANCES.delete(parent);
  }
  observer.observe(root);
  for (const part of [root, ...SHOWS.map((name) => parts[name])])
    marks.observe(part, { attributes: true, attributeFilter: ["hidden", "data-other"] });
  window.addEventListener("resize", resized);
  store.listeners.add(listener);
  window.addEventListener("keydown", escape);
  window.addEventListener("click", clicked, true);
  wireStop(live);
  INSTANCES.set(parent, live);
  return live;
}

/** Close the open help texts, except one that was clicked into.
 * @param {HTMLElement} root @param {Element | null} [clicked] */
function closeHelps(root, clicked = null) {
  for (const help of /** @type {NodeListOf<HTMLDetailsElement>} */ (root.querySelectorAll(".help[open]")))
    help.open = help.contains(clicked);
}

/** Text with the figure's width and the heights of those panes whose height depends on the room or the window.
 * @param {LiveFigure} live */
function sizeOf({ root, panes }) {
  const heights = panes.map(({ spec, plot }) => (spec.fit || spec.compact ? plot.clientHeight : 0));
  return [root.clientWidth, ...heights].join();
}

/** If the figure's size has changed, mark all panes so that Plotly draws them again.
 * @param {LiveFigure} live */
function takeSize(live) {
  const size = sizeOf(live),
    changed = size !== live.size;
  live.size = size;
  if (changed) for (const pane of live.panes) pane.must = true;
  return changed;
}

/** @param {LiveFigure} live @param {Pane} pane */
function purge(live, pane) {
  pane.gone = true;
  live.plotly?.purge(pane.plot);
}

/** @param {LiveFigure} live @param {Payload} payload @param {boolean} late */
function update(live, payload, late) {
  const same = payload.revision === live.payload.revision,
    css = themeOf(live),
    theme = Object.fromEntries(THEME.map((name) => [name, css(name)])),
    rethemed = JSON.stringify(theme) !== JSON.stringify(live.theme);
  live.theme = theme;
  live.payload = payload;
  live.root.classList.toggle("screen", payload.rows);
  // Python's message above the figure stays hidden until the figure that it describes is shown, so that both move at
  // once.
  if (payload.above) document.querySelector(`.st-key-${payload.above}`)?.setAttribute("data-shown", "");
  if (!late) live.controls.take(payload.controls);
  if (payload.rows) {
    store.figure = live;
    store.isHeld = () => Boolean(live.controls.held);
    store.ask = () => ask(live);
  }
  tellOthers(live, false);
  takeExplorer(live);
  takePanes(live);
  takeRings(live);
  if (rethemed || !same) for (const pane of live.panes) pane.must = true;
  takeStandout(live);
  makeLegend(live);
  makeRows(live);
  if (payload.rows && live.film === NO_FILM) live.film = makeFilm(live);
  live.film.take();
  takePins(live);
  takeTask(live);
  markPlaces(live);
  markRoot(live);
  makeTable(live);
}

/** @param {LiveFigure} live */
function takePanes(live) {
  const specs = live.payload.panes,
    before = new Map(live.panes.map((pane) => [pane.spec.id, pane]));
  const others = specs.map(({ id }) => id).join() !== [...before.keys()].join();
  if (others) {
    live.panes = specs.map((spec) => before.get(spec.id) ?? new Pane(spec));
    for (const pane of before.values()) if (!live.panes.includes(pane)) purge(live, pane);
    live.parts.panes.replaceChildren(...live.panes.map(({ box }) => box));
  }
  live.panes.forEach((pane, i) => {
    const { compact } = pane.spec;
    pane.take(specs[i]);
    // the pane must be placed anew if it was enlarged over the page or put back beside the curve
    if (others || compact !== specs[i].compact) placePane(pane);
  });
}

const THEME = [
  "text-color",
  "primary-color",
  "border-color",
  "border-color-light",
  "background-color",
  "secondary-background-color",
  "font",
].map((name) => `st-${name}`);

/** Copy the figure's theme to the elements of the page that hold its rows and controls; mark Streamlit's own parts of
 * the page with `data-prviz`.
 * @param {LiveFigure} live */
function markPlaces(live) {
  if (!live.payload.rows) return;
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".live-place"))) {
    for (const [name, value] of Object.entries(live.theme)) place.style.setProperty(`--${name}`, value);
  }
  markSheet();
  for (const name of ["data", "families", "pr-figure", "diagnostics"])
    document.querySelector(`.st-key-part-${name}`)?.setAttribute("data-prviz", name);
}

const SHOWS = /** @type {const} */ (["compare", "film", "task"]);

/** Write to an attribute of the page's root what the main figure shows; style rules read it there. A `:has` selector
 * for that would make the browser restyle half of the page at every step of a slider.
 * @param {LiveFigure} live */
function markRoot({ payload, parts, root }) {
  if (!payload.rows) return;
  const shown = SHOWS.filter((name) => !parts[name].hidden).map(String);
  if (root.hasAttribute("data-other")) shown.push("other");
  document.documentElement.dataset.prvizShows = shown.join(" ");
}

/** @param {LiveFigure} live @param {Payload} payload @param {boolean} [late] */
function show(live, payload, late = false) {
  update(live, payload, late);
  live.parts.coarse.textContent = payload.coarse
    ? `coarse: ${payload.coarse.toLocaleString("en")} samples per set`
    : "";
  if (payload.rows) hideOther(live, Boolean(payload.other));
  // the message above the figure may have appeared or gone, which changes the figure's size
  if (payload.rows) takeSize(live);
  if (live.plotly) return draw(live, store.isHeld?.() && !payload.rows ? BEHIND_MS : 0);
  drawFirst(live);
  showNumbers(live, look(live));
}

/**
 * @param {{ data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: unknown) => void, setTriggerValue: (name: string, value: unknown) => void, host?: Host }} component
 */
export default function mount({ data, parentElement, setStateValue, setTriggerValue, host = PAGE }) {
  const live = INSTANCES.get(parentElement) ?? create(parentElement);
  live.host = host;
  const tell = whileHere(parentElement);
  live.send = (values) => tell(() => setStateValue("values", values));
  live.tell = (name, value) => tell(() => setTriggerValue(name, value));
  /** @type {Payload} */
  const payload = JSON.parse(inTheme(live, new TextDecoder().decode(data)));
  withVertices(payload);
  if (!payload.rows || !isLate(live, payload)) show(live, payload);
  pageDrawn(live, payload);
  if (!live.plotly) {
    // wait until the first curves are painted: Plotly, if the browser has cached it, would run before
    painted()
      .then(host.findPlotly)
      .then((plotly) => {
        if (INSTANCES.get(parentElement) !== live) return undefined;
        Object.assign(live, { plotly, size: sizeOf(live) });
        return draw(live);
      })
      .catch((error) => {
        live.parts.status.textContent = error.message;
      });
  }
  return live.leave;
}
