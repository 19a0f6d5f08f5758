// The ranking of Triage: a table with one row for each checkpoint, with its score, the score's interval beside the
// ceiling, its score by each family, and its fault. The user can tick checkpoints (to compare them), star, annotate,
// hide, filter and group them. A checkpoint that is chosen here is chosen in all linked views. If there is no room
// for all rows, only the best, the compared and the starred ones are drawn; a click shows the others.

import { button, element, setText, tableOf } from "../_live/dom.js";
import { choose, isFaded, joinGroup, leaveGroup, pick, pointTo, standing } from "../_live/group.js";
import { whileHere } from "../_live/leaving.js";

/** @import { StandoutGroup } from "../_live/group.js" */

/**
 * The data that Python sends (pages/_triage/table.py).
 * @typedef {object} Row
 * @property {string} id the checkpoint's name
 * @property {string} run
 * @property {string} color the checkpoint's colour if it is compared, else ""
 * @property {number} score
 * @property {number} place position of the dot: the score by the drawn family, from 0 to 1
 * @property {number | null} low lower end of the score's interval
 * @property {number | null} high upper end of the score's interval
 * @property {number | null} most upper bound of the true score
 * @property {string} told text of the tooltip: score, interval and rank
 * @property {boolean} ties true if the checkpoint may be best
 * @property {(number | null)[]} families scores by the other families
 * @property {string} fault
 * @property {string} level severity of the fault
 * @property {string} sentence sentence that explains the fault
 * @property {string[]} warnings warnings on the checkpoint's samples
 *
 * @typedef {{ selected: string | null, ticked: string[], starred: string[], hidden: string[], notes: Record<string, string> }} Choice
 * @typedef {{ title: string, color: string, leads: boolean }} Family
 * @typedef {{ heard: Choice | null, group: string, spread: string, ceiling: number | null, families: Family[], rows: Row[], choice: Choice }} Spec
 *
 * @typedef {object} Table
 * @property {HTMLElement} root
 * @property {Spec} spec
 * @property {Choice} choice the user's choice; Python may not have received it yet
 * @property {string} said the choice last sent to Python, as JSON
 * @property {string} filter
 * @property {boolean} grouped
 * @property {boolean} showsHidden
 * @property {boolean} showsAll
 * @property {string | null} noting checkpoint whose note is being typed
 * @property {StandoutGroup | null} group
 * @property {(values: Record<string, unknown>) => void} send
 * @property {() => void} follow
 * @property {() => void} leave
 */

/** @type {WeakMap<HTMLElement, Table>} */
const TABLES = new WeakMap();
// ROW: height of a row in pixels. FEWEST: fewest rows to draw; on narrow screens, where the table has no fixed
// height, the number of rows to draw.
const ROW = 25,
  FEWEST = 8;
// If a part opens within this many milliseconds after a click, it is scrolled into view.
const BRING_MS = 4000;

/** @param {number | null} value */
const percent = (value) => `${(100 * (value ?? 0)).toFixed(2)}%`;
/** @param {number | null} value @param {number} digits */
const decimals = (value, digits) => (value === null ? "" : value.toFixed(digits));

/** @param {string[]} list @param {string} id */
const toggled = (list, id) => (list.includes(id) ? list.filter((other) => other !== id) : [...list, id]);

/** @param {Table} table @param {Partial<Choice>} chosen */
function change(table, chosen) {
  Object.assign(table.choice, chosen);
  fill(table);
  table.said = JSON.stringify(table.choice);
  table.send({ ...table.choice });
}

// ---- one row ----

/** Table cell with the score's interval (95 % of the draws) as a bar and the score as a dot, on a scale from 0 to 1.
 * @param {Row} row */
function interval({ low, place, high }) {
  const range =
    low === null || high === null
      ? []
      : [element("i", { style: `left:${percent(low)};width:${percent(high - low)}` })];
  return element("td.interval", element("div", ...range, element("b", { style: `left:${percent(place)}` })));
}

/** Table cell with the upper bound of the true score. It is rounded up, so that the digits shown are an upper bound
 * too.
 * @param {Row} row */
function bound({ most }) {
  const text = most === null ? "" : (Math.ceil(1000 * most - 1e-6) / 1000).toFixed(3);
  return element("td.most", text);
}

/** A warning sign, if the checkpoint has warnings: something about its samples that changes what the score means.
 * @param {Row} row */
function warningsOf({ warnings }) {
  if (!warnings.length) return [];
  const text = warnings.join("\n");
  return [element("i.warns", "!", { role: "img", "aria-label": `Warning: ${text}`, title: text })];
}

/** @param {string} name @param {string} sign @param {string} label @param {string} id @param {boolean} pressed @param {() => void} act */
const tool = (name, sign, label, id, pressed, act) =>
  button(
    (event) => {
      event.stopPropagation();
      act();
    },
    {
      class: name,
      "data-sign": sign,
      title: label,
      "aria-label": `${label}: ${id}`,
      "aria-pressed": String(pressed),
      "data-focus": `${name} ${id}`,
    },
  );

/** @param {Table} table @param {string} id */
function noteField(table, id) {
  const field = element("input", {
    type: "text",
    maxlength: 200,
    "aria-label": `Note on ${id}`,
    "data-focus": `note ${id}`,
  });
  field.value = table.choice.notes[id] ?? "";
  field.onclick = (event) => event.stopPropagation();
  const done = () => {
    if (table.noting !== id) return;
    table.noting = null;
    const notes = { ...table.choice.notes, [id]: field.value.trim() };
    if (!notes[id]) delete notes[id];
    change(table, { notes });
  };
  field.onblur = done;
  field.onkeydown = (event) => {
    event.stopPropagation();
    if (event.key === "Enter") done();
    else if (event.key === "Escape") {
      table.noting = null;
      fill(table);
    }
  };
  return field;
}

/** @param {Table} table @param {Row} row @param {boolean[]} best by family, true if this row has the best score of all rows */
function rowOf(table, row, best) {
  const { choice, spec } = table,
    { id } = row;
  const tick = element("input", {
    type: "checkbox",
    "aria-label": `compare ${id}`,
    "data-focus": `tick ${id}`,
  });
  // the selected checkpoint is always compared: its tick can't be removed
  tick.disabled = Boolean(row.color) && !choice.ticked.includes(id);
  tick.checked = tick.disabled || choice.ticked.includes(id);
  const around = element("label", tick);
  around.onclick = (event) => event.stopPropagation();
  tick.onchange = () => change(table, { ticked: toggled(choice.ticked, id) });
  // a long name is cut at its beginning, as checkpoints' names mostly differ at the end
  const name = element("button.name", element("bdi", id, { dir: "ltr" }), {
    type: "button",
    title: row.told,
    "data-focus": `name ${id}`,
  });
  const note =
    table.noting === id
      ? [noteField(table, id)]
      : choice.notes[id]
        ? [element("small", choice.notes[id], { title: choice.notes[id] })]
        : [];
  const starred = choice.starred.includes(id),
    hidden = choice.hidden.includes(id);
  const tools = element(
    "td.tools",
    tool("star", starred ? "★" : "☆", "Star", id, starred, () =>
      change(table, { starred: toggled(choice.starred, id) }),
    ),
    tool("write", "✎", "Note", id, id in choice.notes, () => {
      table.noting = id;
      fill(table);
      /** @type {HTMLElement | null} */ (table.root.querySelector(".ranking td input[type=text]"))?.focus();
    }),
    tool("hide", hidden ? "+" : "−", hidden ? "Show again" : "Hide", id, hidden, () =>
      change(table, { hidden: toggled(choice.hidden, id) }),
    ),
  );
  const families = row.families.map((value, i) =>
    element("td", decimals(value, 2), {
      class: `family${spec.families[i].leads ? " leads" : ""}${best[i] ? " best" : ""}`,
    }),
  );
  const fault = element(
    "td.fault",
    ...(row.fault ? [element("span", row.fault, { class: `chip ${row.level}`, title: row.sentence })] : []),
  );
  const node = element(
    "tr",
    {
      "data-item": id,
      style: row.color ? `--swatch:${row.color}` : "",
      class: `${row.color ? "compared" : ""}${row.ties ? " ties" : ""}`,
    },
    element("td.tick", around),
    element("th", { scope: "row" }, name, ...warningsOf(row), ...note),
    element("td.score", decimals(row.score, 3)),
    interval(row),
    ...families,
    bound(row),
    fault,
    tools,
  );
  node.onclick = () => {
    if (table.group) choose(table.group, id);
  };
  node.onpointerenter = () => {
    if (table.group) pointTo(table.group, id);
  };
  node.onpointerleave = () => {
    if (table.group) pointTo(table.group, null);
  };
  return node;
}

// ---- all rows ----

/** @param {Table} table */
function visible({ spec, choice, filter, showsHidden, group }) {
  const text = filter.toLowerCase();
  return spec.rows.filter(
    ({ id, run }) =>
      (showsHidden || !choice.hidden.includes(id)) &&
      (!group?.picked || group.picked.includes(id)) &&
      `${id} ${run} ${choice.notes[id] ?? ""}`.toLowerCase().includes(text),
  );
}

/** The rows for which there is room: first those that are compared, starred or chosen, then the best others.
 * @param {Table} table @param {Row[]} rows */
function fitting({ root, choice, showsAll, filter, group }, rows) {
  const box = /** @type {HTMLElement} */ (root.querySelector(".scrolled"));
  const room = matchMedia("(max-width: 1023px)").matches
    ? FEWEST
    : Math.max(FEWEST, Math.floor(box.clientHeight / ROW) - 2);
  if (showsAll || filter || group?.picked || rows.length <= room + 1) return rows;
  const wanted = new Set([...choice.ticked, ...choice.starred, choice.selected]);
  const stays = (/** @type {Row} */ { id, color }) => Boolean(color) || wanted.has(id);
  let free = room - rows.filter(stays).length;
  return rows.filter((row) => stays(row) || free-- > 0);
}

/** A last row with a button that shows the rows that are left out, or hides them again.
 * @param {Table} table @param {Row[]} left */
function more(table, left) {
  const best = Math.max(...left.map(({ score }) => score));
  const unfold = button(
    () => {
      table.showsAll = !table.showsAll;
      fill(table);
    },
    table.showsAll ? "show fewer" : `${left.length} more, none above ${decimals(best, 3)} ▸`,
    { class: "more", "data-focus": "more" },
  );
  return element(
    "tbody",
    element("tr", element("td.tick"), element("td", { colspan: 6 + table.spec.families.length }, unfold)),
  );
}

/** @param {Table} table @param {Row[]} rows */
function bodies(table, rows) {
  const { spec } = table;
  const top = spec.families.map((_, i) => Math.max(...spec.rows.map(({ families }) => families[i] ?? -1)));
  const line = (/** @type {Row} */ row) =>
    rowOf(
      table,
      row,
      row.families.map((value, i) => value !== null && value === top[i]),
    );
  if (!table.grouped) return [element("tbody", ...rows.map(line))];
  return [...new Set(rows.map(({ run }) => run))].map((run) => {
    const own = rows.filter((row) => row.run === run),
      head = element(
        "th.run",
        { colspan: 7 + spec.families.length },
        element("b", run || "other"),
        ` · ${own.length}`,
      );
    return element("tbody", element("tr", head), ...own.map(line));
  });
}

/** @param {Table} table */
function headOf({ spec }) {
  const families = spec.families.map(({ title, color, leads }) =>
    element("th", title, {
      scope: "col",
      class: `family${leads ? " leads" : ""}`,
      style: `--swatch:${color}`,
      title: leads ? "The verdict rests on it" : "",
    }),
  );
  return [
    element("th.tick"),
    element("th", "checkpoint", { scope: "col" }),
    element("th.score", "score", { scope: "col" }),
    element("th.interval", spec.spread, {
      scope: "col",
      title: `Scores when the same samples are drawn again${spec.ceiling === null ? "" : "; dashed: real against real"}`,
    }),
    ...families,
    element("th.most", "truth at most", {
      scope: "col",
      title: "With 95 % confidence the true score is at most that",
    }),
    element("th.fault", "fault", { scope: "col" }),
    element("th"),
  ];
}

/** @param {Table} table */
function fill(table) {
  const { root, spec, choice } = table,
    box = /** @type {HTMLElement} */ (root.querySelector(".scrolled"));
  const focused = root.contains(document.activeElement)
    ? document.activeElement?.getAttribute("data-focus")
    : null;
  const rows = visible(table),
    shown = fitting(table, rows),
    left = rows.filter((row) => !shown.includes(row)),
    top = box.scrollTop;
  box.style.setProperty("--ceiling", percent(spec.ceiling));
  const drawn = tableOf(
    "Ranking, best first",
    headOf(table),
    ...bodies(table, shown),
    ...(left.length || table.showsAll ? [more(table, left)] : []),
  );
  drawn.classList.toggle("bounded", spec.ceiling !== null);
  box.replaceChildren(drawn);
  box.scrollTop = top;
  if (focused)
    /** @type {HTMLElement | undefined} */ (
      [...box.querySelectorAll("[data-focus]")].find((node) => node.getAttribute("data-focus") === focused)
    )?.focus({ preventScroll: true });
  const parts = {
    "show-hidden": choice.hidden.length
      ? `${table.showsHidden ? "leave out" : "show"} ${choice.hidden.length} hidden`
      : "",
    "clear-pick": table.group?.picked ? `${rows.length} of ${spec.rows.length} picked: show all` : "",
  };
  for (const [name, text] of Object.entries(parts)) {
    const offer = /** @type {HTMLElement} */ (root.querySelector(`.${name}`));
    offer.hidden = !text;
    setText(offer, text);
  }
  const group = /** @type {HTMLElement} */ (root.querySelector(".by-run"));
  group.hidden = new Set(spec.rows.map(({ run }) => run)).size < 2;
  group.setAttribute("aria-pressed", String(table.grouped));
  mark(table);
}

/** Mark the row of the item that is highlighted in all linked views, and fade the rows that the group fades.
 * @param {Table} table */
function mark({ root, group, spec, choice }) {
  if (!group) return;
  root.dataset.selected = choice.selected ?? ""; // only tests read this
  root.dataset.standing = standing(group) ?? "";
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("tbody tr[data-item]"))) {
    const id = row.dataset.item ?? "";
    row.classList.toggle("stands", id === standing(group));
    row.classList.toggle("faded", isFaded(group, id) && group.under === null);
    row.querySelector(".name")?.setAttribute("aria-pressed", String(id === group.chosen));
  }
  setText(root.querySelector(".spoken"), spec.rows.find(({ id }) => id === group.chosen)?.told ?? "");
}

/** @param {HTMLElement} parent @returns {Table} */
function create(parent) {
  const root = /** @type {HTMLElement} */ (parent.querySelector(".ranking"));
  const filter = element("input", {
    type: "search",
    placeholder: "filter by name",
    "aria-label": "Filter checkpoints by name",
  });
  const group = button(
    () => {
      table.grouped = !table.grouped;
      fill(table);
    },
    "group by run",
    { class: "by-run" },
  );
  const hidden = button(
    () => {
      table.showsHidden = !table.showsHidden;
      fill(table);
    },
    { class: "show-hidden" },
  );
  const clear = button(
    () => {
      if (table.group) pick(table.group, null);
    },
    { class: "clear-pick" },
  );
  root.replaceChildren(
    element(
      "div.head",
      element("h3", "Ranking"),
      element("span.hint", "tick to compare"),
      clear,
      hidden,
      filter,
      group,
    ),
    element("div.scrolled", { tabindex: 0, role: "region", "aria-label": "Ranking" }),
    element("p.spoken", { role: "status" }),
  );
  /** @type {Table} */
  const table = {
    root,
    spec: /** @type {any} */ ({}),
    choice: { selected: null, ticked: [], starred: [], hidden: [], notes: {} },
    said: "",
    filter: "",
    grouped: false,
    showsHidden: false,
    showsAll: false,
    noting: null,
    group: null,
    send: () => {},
    follow: () => {},
    leave: () => {},
  };
  let picked = /** @type {string[] | null} */ (null);
  table.follow = () => {
    if (!table.group || picked === table.group.picked) return mark(table);
    picked = table.group.picked;
    return fill(table);
  };
  filter.oninput = () => {
    table.filter = filter.value;
    fill(table);
  };
  TABLES.set(parent, table);
  return table;
}

/** Clear the choice of a checkpoint when Escape is pressed, unless the key is meant for a field or a dialog.
 * @param {Table} table @param {KeyboardEvent} event */
function letGo({ group }, event) {
  if (event.key !== "Escape" || event.defaultPrevented || !group || group.chosen === null) return;
  if (
    event.target instanceof Element &&
    event.target.closest("input, textarea, select, [role=dialog], [role=combobox], [role=listbox]")
  )
    return;
  group.under = null;
  choose(group, group.chosen);
}

/** Called on a click. If it opens a part below the visible page, scroll that part into view once it has grown, unless
 * the user scrolls or acts first. */
function bringUp(/** @type {MouseEvent} */ { target }) {
  const bar = target instanceof Element ? target.closest(".st-key-triage-part") : null;
  const page = bar?.closest(":has(> .block-container)"),
    content = page?.firstElementChild;
  if (!page || !content) return;
  const before = page.scrollHeight,
    ends = new AbortController(),
    { signal } = ends;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const sizes = new ResizeObserver(() => {
    if (page.scrollHeight < before + 100) return;
    page
      .querySelector(".st-key-triage-part")
      ?.scrollIntoView({ block: "start", behavior: still ? "auto" : "smooth" });
  });
  signal.addEventListener("abort", () => sizes.disconnect());
  for (const type of ["wheel", "touchmove", "keydown", "click"])
    window.addEventListener(type, () => ends.abort(), { signal });
  setTimeout(() => ends.abort(), BRING_MS);
  sizes.observe(content);
}

/** @param {{ data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: unknown) => void }} component */
export default function mount({ data, parentElement, setStateValue }) {
  const known = TABLES.get(parentElement),
    table = known ?? create(parentElement);
  const spec = /** @type {Spec} */ (JSON.parse(new TextDecoder().decode(data)));
  const tell = whileHere(parentElement);
  table.send = (values) => tell(() => setStateValue("values", values));
  table.spec = spec;
  // Keep the user's choice until Python has received it; from then on Python's choice counts.
  if (!table.said || table.said === JSON.stringify(spec.heard)) table.choice = structuredClone(spec.choice);
  const group = (table.group = joinGroup(spec.group, table.follow));
  group.chosen = table.choice.selected;
  group.tell = () => change(table, { selected: group.chosen });
  if (table.noting === null) fill(table);
  group.followers.forEach((follow) => follow());
  if (known) return table.leave;
  const escape = (/** @type {KeyboardEvent} */ event) => letGo(table, event);
  window.addEventListener("keydown", escape);
  window.addEventListener("click", bringUp, { capture: true });
  table.leave = () => {
    window.removeEventListener("keydown", escape);
    window.removeEventListener("click", bringUp, { capture: true });
    group.tell = null;
    leaveGroup(group, table.follow);
    TABLES.delete(parentElement);
  };
  return table.leave;
}
