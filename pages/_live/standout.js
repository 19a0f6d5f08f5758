// Items of which one at a time stands out in all figures of a group: the one under the pointer, else the one that was
// chosen by a click. The others fade. A trace is of the item that its `meta` names, a point of the one that its
// customdata names, a whole pane of its `item`; what is of none stays as it is.
// They fade by classes on what Plotly has drawn: Plotly's own changes would take its hover label away.

import { element, setText } from "./dom.js";
import { sendTurn } from "./requests.js";
import { store } from "./store.js";

/** @import { LiveFigure } from "./main.js" */
/** @import { Pane } from "./pane.js" */

/**
 * The items as Python describes them (pages/_live/standout.py); only one figure of a group, which leads it, has some.
 * @typedef {{ group: string, items: { id: string, label: string, color: string, sentence: string }[], label: string, hint: string }} StandoutSpec
 *
 * The figures of a group, the item under the pointer and the chosen one.
 * @typedef {{ name: string, members: Set<LiveFigure>, under: string | null, chosen: string | null }} StandoutGroup
 */

/** What the figure that leads a group lists; null in another figure.
 * @param {LiveFigure} live */
const listOf = ({ payload: { standout } }) => (standout?.items.length ? standout : null);
/** @param {StandoutGroup} group */
const standing = (group) => group.under ?? group.chosen;

/** @param {LiveFigure} live */
export function takeStandout(live) {
  const { standout, turn, selected } = live.payload, list = listOf(live);
  if (live.standout && live.standout.name !== standout?.group) leaveStandout(live);
  live.parts.standout.hidden = !list;
  if (!standout) return;
  const group = store.standouts.get(standout.group) ?? { name: standout.group, members: new Set(), under: null, chosen: null };
  store.standouts.set(group.name, group);
  live.standout = group;
  group.members.add(live);
  if (list) {
    // What the user has chosen counts until Python has heard of it.
    if ((turn ?? 0) >= live.requests.turn) group.chosen = selected ?? null;
    live.root.dataset.selected = selected ?? ""; // as Python has it, for tests
    makeItems(live, list);
  }
  showStandout(group);
}

/** @param {LiveFigure} live */
export function leaveStandout(live) {
  const group = live.standout;
  if (!group) return;
  live.standout = null;
  group.members.delete(live);
  group.under = null;
  if (group.members.size) showStandout(group);
  else store.standouts.delete(group.name);
}

// ---- what the user does ----

/** @param {any} event of Plotly @returns {string | null} */
function itemAt(event) {
  const point = event?.points?.[0], item = point?.data.meta ?? point?.customdata;
  return typeof item === "string" ? item : null;
}

/** @param {LiveFigure} live @param {Pane} pane */
export function wireStandout(live, pane) {
  const { plot, box } = pane;
  // A pane that is all about one item hears of the pointer anywhere in it, another one of the points under the pointer.
  const inPlot = (/** @type {(event: any) => void} */ call) => (/** @type {any} */ event) => { if (live.standout && !pane.spec.item) call(event); };
  const inBox = (/** @type {(item: string) => void} */ call) => () => { if (live.standout && pane.spec.item) call(pane.spec.item); };
  plot.on("plotly_hover", inPlot((event) => pointTo(live, itemAt(event))));
  plot.on("plotly_unhover", inPlot(() => pointTo(live, null)));
  plot.on("plotly_click", inPlot((event) => choose(live, itemAt(event))));
  box.addEventListener("pointerenter", inBox((item) => pointTo(live, item)));
  box.addEventListener("pointerleave", inBox(() => pointTo(live, null)));
  box.addEventListener("click", inBox((item) => choose(live, item)));
}

/** @param {LiveFigure} live @param {string | null} item */
function pointTo({ standout: group }, item) {
  if (!group || group.under === item) return;
  group.under = item;
  showStandout(group);
}

/** The same one again: none is chosen any more.
 * @param {LiveFigure} live @param {string | null} item */
function choose({ standout: group }, item) {
  if (!group || item === null) return;
  group.chosen = group.chosen === item ? null : item;
  showStandout(group);
  const leader = [...group.members].find(listOf);
  if (!leader) return;
  const found = listOf(leader)?.items.find(({ id }) => id === group.chosen);
  leader.parts.spoken.textContent = found ? `${found.label} is selected. ${found.sentence}` : "No checkpoint is selected.";
  sendTurn(leader, { selected: group.chosen });
}

/** Escape: no item stands out any more, unless the key is meant for something else on the page.
 * @param {LiveFigure} live @param {KeyboardEvent} event */
export function escapeStandout(live, event) {
  const group = live.standout;
  if (event.key !== "Escape" || event.defaultPrevented || !listOf(live) || !group || group.chosen === null) return;
  if (event.target instanceof Element && event.target.closest("input, textarea, select, [role=dialog], [role=combobox], [role=listbox]")) return;
  group.under = null;
  choose(live, group.chosen);
}

// ---- the list ----

/** Buttons stay where they are while items come: the focus must not get lost.
 * @param {LiveFigure} live @param {StandoutSpec} list */
function makeItems(live, { items, label }) {
  const box = live.parts.standout;
  if (!box.firstChild) box.append(element("div", "", { class: "chips", role: "group" }), element("p", "", { class: "told" }));
  const chips = box.children[0], before = chipsOf(live), kept = new Map(before.map((chip) => [chip.dataset.item, chip]));
  chips.setAttribute("aria-label", label);
  const wanted = items.map((item) => kept.get(item.id) ?? itemButton(live, item.id));
  wanted.forEach((chip, i) => {
    setText(chip.firstChild, items[i].label);
    chip.style.setProperty("--swatch", items[i].color);
  });
  if (wanted.length !== before.length || wanted.some((chip, i) => chip !== before[i])) {
    const focused = wanted.find((chip) => chip === document.activeElement);
    chips.replaceChildren(...wanted);
    focused?.focus({ preventScroll: true });
  }
}

/** @param {LiveFigure} live */
const chipsOf = (live) => [...live.parts.standout.querySelectorAll("button")];

/** @param {LiveFigure} live @param {string} id */
function itemButton(live, id) {
  const chip = element("button", "", { type: "button", "data-item": id, "aria-pressed": "false" }, element("span", "", { class: "swatch" }));
  chip.onclick = () => choose(live, id);
  chip.onpointerenter = () => pointTo(live, id);
  chip.onpointerleave = () => pointTo(live, null);
  chip.onfocus = () => { if (chip.matches(":focus-visible")) pointTo(live, id); };
  chip.onblur = () => { if (live.standout?.under === id) pointTo(live, null); };
  return chip;
}

// ---- what is shown ----

/** @param {StandoutGroup} group */
function showStandout(group) {
  const active = standing(group);
  for (const live of group.members) {
    live.root.dataset.standing = active ?? "";
    for (const pane of live.panes) fadePane(live, pane);
    const list = listOf(live);
    if (!list) continue;
    for (const chip of chipsOf(live)) {
      chip.setAttribute("aria-pressed", String(chip.dataset.item === group.chosen));
      chip.classList.toggle("stands", chip.dataset.item === active);
    }
    setText(live.parts.standout.children[1], list.items.find(({ id }) => id === active)?.sentence ?? list.hint);
  }
}

/** Once more after every drawing: Plotly makes its elements anew.
 * @param {LiveFigure} live @param {Pane} pane */
export function fadePane(live, pane) {
  if (!live.standout || !pane.plot._fullLayout || pane.drawing) return;
  const active = standing(live.standout);
  const mark = (/** @type {Element} */ node, /** @type {string | null} */ item) => {
    node.classList.toggle("faded", active !== null && item !== active);
    node.classList.toggle("stands", item === active);
  };
  mark(pane.box, pane.spec.item || active);
  if (pane.spec.item) return;
  for (const { group, trace: { meta, customdata } } of Object.values(pane.nodes.traces)) {
    if (typeof meta === "string") mark(group, meta);
    else if (customdata) {
      for (const node of group.querySelectorAll(".point, .errorbar, .textpoint")) mark(node, customdata[/** @type {any} */ (node).__data__.i]);
    }
  }
}
