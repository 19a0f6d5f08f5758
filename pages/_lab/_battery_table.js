// The table of verdicts: real table, one button per cell. It is filled anew with every payload; the focus stays.

/**
 * What Python sends (pages/_lab/battery_table.py).
 * @typedef {{ id: string, kind: string, label: string, verdict: string, oracle: string, published: string }} Cell
 * @typedef {{ label: string, help: string, sides: { label: string, help: string }[] }} Column
 * @typedef {{ check: string, tag: string, help: string, first: boolean, cells: (Cell | null)[] }} Row
 * @typedef {{ label: string, help: string, values: string[] }} Total
 * @typedef {{ kind: string, sign: string, text: string }} Kind
 *
 * @typedef {(id: string) => void} Choose
 */

/** @type {WeakMap<HTMLElement, string>} the cell chosen last, by the component's element: Python hears of it later */
const CHOSEN = new WeakMap();

/** @template {keyof HTMLElementTagNameMap} Kind @param {Kind} kind @param {string} text @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children */
function element(kind, text = "", attributes = {}, ...children) {
  const node = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  node.append(...children);
  return node;
}

/** A verdict is shown by a sign and a letter too, never by colour alone.
 * @type {Record<string, string>} */
const SIGNS = { T: "✓", F: "✕", L: "▼", H: "▲", "": "…" };

/** @param {Cell} cell @param {string | undefined} chosen @param {Choose} choose */
function button(cell, chosen, choose) {
  const verdict = element("span", "", { class: "verdict" }, element("span", SIGNS[cell.verdict] ?? "…", { class: "sign" }), element("b", cell.verdict));
  const paper = cell.published ? [element("small", `paper ${SIGNS[cell.published]} ${cell.published}`)] : [];
  const node = element("button", "", {
    type: "button", class: `cell ${cell.kind}`, "data-id": cell.id, "aria-pressed": String(cell.id === chosen), "aria-label": cell.label, title: cell.label,
  }, verdict, element("small", `truth ${SIGNS[cell.oracle] ?? "–"} ${cell.oracle}`), ...paper);
  node.onclick = () => choose(cell.id);
  return node;
}

/** @param {Column[]} columns */
function head(columns) {
  const top = columns.map(({ label, help, sides }) => element("th", label, { scope: "colgroup", colspan: String(sides.length), title: help }));
  const below = columns.flatMap(({ sides }) => sides.map(({ label, help }) => element("th", label, { scope: "col", title: help })));
  const first = element("th", "Check", { scope: "col", rowspan: "2", class: "check" });
  return element("thead", "", {}, element("tr", "", {}, first, ...top), element("tr", "", {}, ...below));
}

/** @param {Row[]} rows @param {string | undefined} chosen @param {Choose} choose */
function body(rows, chosen, choose) {
  return element("tbody", "", {}, ...rows.map(({ check, tag, help, first, cells }) => {
    const title = element("span", check, first ? {} : { class: "spoken" }), name = element("th", "", { scope: "row", class: "check" }, title, element("small", tag, { title: help }));
    const places = cells.map((cell) => element("td", "", {}, cell ? button(cell, chosen, choose) : element("span", "–", { title: "not asked of this number" })));
    return element("tr", "", { class: first ? "first" : "" }, name, ...places);
  }));
}

/** @param {Total[]} totals */
function foot(totals) {
  return element("tfoot", "", {}, ...totals.map(({ label, help, values }) => element("tr", "", {},
    element("th", label, { scope: "row", class: "check", title: help }), ...values.map((value) => element("td", value)))));
}

/** @param {Kind[]} kinds */
function key(kinds) {
  return element("ul", "", { class: "key", "aria-label": "Signs" }, ...kinds.map(({ kind, sign, text }) =>
    element("li", "", {}, element("b", sign, { class: `cell ${kind}` }), element("span", text))));
}

/** @param {{ data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: string) => void }} component */
export default function showTable({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".battery"));
  const given = JSON.parse(new TextDecoder().decode(data));
  const buttons = () => [.../** @type {NodeListOf<HTMLButtonElement>} */ (root.querySelectorAll("button.cell"))];
  const choose = (/** @type {string} */ id) => {
    CHOSEN.set(parentElement, id);
    buttons().forEach((node) => node.setAttribute("aria-pressed", String(node.dataset.id === id)));
    setStateValue("cell", id);
    document.querySelector(".st-key-battery-told")?.scrollIntoView({ block: "nearest" }); // where the answer comes
  };
  const chosen = CHOSEN.get(parentElement) ?? given.chosen;
  const focused = buttons().find((node) => node === document.activeElement)?.dataset.id, places = [root.scrollLeft, root.scrollTop];
  root.replaceChildren(element("table", "", {}, head(given.columns), body(given.rows, chosen, choose), foot(given.totals)));
  parentElement.querySelector(".battery-key")?.replaceChildren(key(given.key), element("p", given.caption));
  [root.scrollLeft, root.scrollTop] = places;
  buttons().find((node) => focused && node.dataset.id === focused)?.focus({ preventScroll: true });
  root.dataset.rows = String(given.measured);
  return () => CHOSEN.delete(parentElement);
}
