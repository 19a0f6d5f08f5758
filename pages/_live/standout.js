// Items of which one at a time stands out in all figures of a group: the one under the pointer, else the one that was
// chosen by a click. The others fade. A trace is of the item that its `meta` names, a point of the one that its
// customdata names, a whole pane of its `item`; what is of none stays as it is.
// They fade by classes on what Plotly has drawn: Plotly's own changes would take its hover label away.

const standoutGroups = () => (store.standouts ??= new Map());

function standoutGroup(name) {
  const groups = standoutGroups();
  if (!groups.has(name)) groups.set(name, { name, members: new Set(), under: null, chosen: null });
  return groups.get(name);
}

// One figure of the group leads it: it has the list of the items, and tells Python what is chosen.
const leads = (S) => Boolean(S.payload.standout?.items.length);
const standing = (group) => group.under ?? group.chosen;

function takeStandout(S) {
  const { standout } = S.payload;
  if (S.standout && S.standout.name !== standout?.group) leaveStandout(S);
  S.root.querySelector(".standout").hidden = !leads(S);
  if (!standout) return;
  S.standout ??= standoutGroup(standout.group);
  S.standout.members.add(S);
  if (leads(S)) {
    // What the hand has chosen counts until Python has heard of it.
    if ((S.payload.turn ?? 0) >= S.turn) S.standout.chosen = S.payload.selected ?? null;
    S.root.dataset.selected = S.payload.selected ?? ""; // by Python's word, for tests
    makeItems(S);
  }
  showStandout(S.standout);
}

function leaveStandout(S) {
  const group = S.standout;
  if (!group) return;
  S.standout = null;
  group.members.delete(S);
  group.under = null;
  if (group.members.size) showStandout(group);
  else standoutGroups().delete(group.name);
}

// ---- what the hand does ----

const itemAt = (event) => {
  const point = event?.points?.[0], item = point?.data.meta ?? point?.customdata;
  return typeof item === "string" ? item : null;
};

function wireStandout(S, p) {
  const here = () => S.standout && S.payload.standout;
  p.plot.on("plotly_hover", (event) => { if (here() && !p.spec.item) pointTo(S.standout, itemAt(event)); });
  p.plot.on("plotly_unhover", () => { if (here() && !p.spec.item) pointTo(S.standout, null); });
  p.plot.on("plotly_click", (event) => { if (here() && !p.spec.item && itemAt(event) !== null) chooseItem(S.standout, itemAt(event)); });
  p.box.addEventListener("pointerenter", () => { if (here() && p.spec.item) pointTo(S.standout, p.spec.item); });
  p.box.addEventListener("pointerleave", () => { if (here() && p.spec.item) pointTo(S.standout, null); });
  p.box.addEventListener("click", () => { if (here() && p.spec.item) chooseItem(S.standout, p.spec.item); });
}

function pointTo(group, item) {
  if (group.under === item) return;
  group.under = item;
  showStandout(group);
}

// The same one again: it is free.
function chooseItem(group, item) {
  group.chosen = group.chosen === item ? null : item;
  showStandout(group);
  const S = [...group.members].find(leads);
  if (!S) return;
  const words = S.payload.standout.items.find(({ id }) => id === group.chosen);
  S.spoken.textContent = words ? `${words.label} is selected. ${words.told}` : "No checkpoint is selected.";
  S.turn = Math.max(S.turn, S.payload.turn || 0) + 1;
  S.set("values", { selected: group.chosen, turn: S.turn });
}

// Escape frees it, unless it is meant for something else on the page.
function escapeStandout(S, event) {
  if (event.key !== "Escape" || event.defaultPrevented || !leads(S) || S.standout?.chosen == null) return;
  if (event.target.closest?.("input, textarea, select, [role=dialog], [role=combobox], [role=listbox]")) return;
  S.standout.under = null;
  chooseItem(S.standout, S.standout.chosen);
}

// ---- the list ----

// Buttons stay where they are while items come: the focus must not get lost.
function makeItems(S) {
  const box = S.root.querySelector(".standout"), { items, label } = S.payload.standout;
  if (!box.firstChild) box.append(element("div", "", { class: "chips", role: "group" }), element("p", "", { class: "told" }));
  const [chips] = box.children, kept = new Map([...chips.children].map((chip) => [chip.dataset.item, chip]));
  chips.setAttribute("aria-label", label);
  const wanted = items.map((item) => kept.get(item.id) ?? itemButton(S, item.id));
  wanted.forEach((chip, i) => {
    setText(chip.firstChild, items[i].label);
    chip.style.setProperty("--swatch", items[i].color);
  });
  if (wanted.length !== chips.children.length || wanted.some((chip, i) => chip !== chips.children[i])) {
    const focused = chips.contains(document.activeElement) ? document.activeElement : null;
    chips.replaceChildren(...wanted);
    if (focused?.isConnected) focused.focus({ preventScroll: true });
  }
}

function itemButton(S, id) {
  const chip = element("button", "", { type: "button", "data-item": id, "aria-pressed": "false" });
  chip.append(element("span", "", { class: "swatch" }));
  chip.onclick = () => chooseItem(S.standout, id);
  chip.onpointerenter = () => pointTo(S.standout, id);
  chip.onpointerleave = () => pointTo(S.standout, null);
  chip.onfocus = () => { if (chip.matches(":focus-visible")) pointTo(S.standout, id); };
  chip.onblur = () => { if (S.standout?.under === id) pointTo(S.standout, null); };
  return chip;
}

// ---- what is shown ----

function showStandout(group) {
  for (const S of group.members) {
    S.root.dataset.standing = standing(group) ?? "";
    for (const p of S.panes) fadePane(S, p);
    if (leads(S)) showItems(S, group);
  }
}

function showItems(S, group) {
  const [chips, told] = S.root.querySelector(".standout").children, active = standing(group);
  for (const chip of chips.children) {
    chip.setAttribute("aria-pressed", String(chip.dataset.item === group.chosen));
    chip.classList.toggle("stands", chip.dataset.item === active);
  }
  setText(told, S.payload.standout.items.find(({ id }) => id === active)?.told ?? S.payload.standout.hint);
}

// Once more after every drawing: Plotly makes its elements anew.
function fadePane(S, p) {
  if (!S.standout || !p.plot._fullLayout || p.drawing) return;
  const active = standing(S.standout);
  const mark = (node, item) => {
    node.classList.toggle("faded", active !== null && item !== active);
    node.classList.toggle("stands", item === active);
  };
  mark(p.box, p.spec.item || active);
  if (p.spec.item) return;
  for (const { group, trace } of Object.values(nodesOf(p).traces)) {
    if (typeof trace.meta === "string") mark(group, trace.meta);
    else if (trace.customdata) {
      for (const node of group.querySelectorAll(".point, .errorbar, .textpoint")) mark(node, trace.customdata[node.__data__.i]);
    }
  }
}
