// The sanity battery's table of verdicts: an HTML table with a button for each verdict. New data rebuild the table,
// and the focused button keeps the focus.

/**
 * The data that Python sends (pages/_lab/battery_table.py).
 * @typedef {{ id: string, kind: string, label: string, verdict: string, oracle: string, published: string }} Cell
 * @typedef {{ label: string, help: string }} Side
 * @typedef {{ kind: string, label: string }} Truth
 * @typedef {{ label: string, help: string, sides: Side[] }} Column
 * @typedef {{ check: string, tag: string, help: string, first: boolean, truth: (Truth | null)[], cells: (Cell | null)[] }} Row
 * @typedef {{ label: string, help: string, values: string[] }} Total
 * @typedef {{ kind: string, text: string }} Kind
 *
 * @typedef {(id: string) => void} Choose
 */

/** @type {WeakMap<HTMLElement, string>} id of the cell that the user has clicked last, by the component's element: Python receives the click later */
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

/** By kind of verdict, the sign that marks it. Sign and colour tell the same, for those who see no colours.
 * @type {Record<string, string>} */
const SIGNS = { right: "●", wrong: "✕", asks: "○", lucky: "◆", wait: "·" };

/** @param {Cell} cell @param {string | undefined} chosen @param {Choose} choose */
function button(cell, chosen, choose) {
  const node = element("button", SIGNS[cell.kind], {
    type: "button",
    class: `cell ${cell.kind}`,
    "data-id": cell.id,
    "aria-pressed": String(cell.id === chosen),
    "aria-label": cell.label,
    title: cell.label,
  });
  node.onclick = () => choose(cell.id);
  return node;
}

/** @param {Truth | null} truth */
function mark(truth) {
  return truth
    ? element("span", SIGNS[truth.kind], {
        class: `cell ${truth.kind}`,
        title: truth.label,
        role: "img",
        "aria-label": truth.label,
      })
    : "–";
}

/** @param {Column[]} columns @param {Side[]} truths */
function head(columns, truths) {
  const top = columns.map(({ label, help, sides }) =>
    element("th", label, { scope: "colgroup", colspan: String(sides.length), title: help }),
  );
  const below = columns
    .flatMap(({ sides }) => sides)
    .map(({ label, help }) => element("th", label, { scope: "col", title: help }));
  const first = element("th", "Check", { scope: "col", rowspan: "2", class: "check" });
  const truth = truths.map(({ label, help }) =>
    element("th", label, { scope: "col", rowspan: "2", title: help, class: "truth" }),
  );
  return element(
    "thead",
    "",
    {},
    element("tr", "", {}, first, ...truth, ...top),
    element("tr", "", {}, ...below),
  );
}

/** The table's body: one row for each check. A cell has one mark for each tag (kind of criterion) of the check.
 * @param {Row[]} rows @param {string | undefined} chosen @param {Choose} choose */
function body(rows, chosen, choose) {
  /** @type {Row[][]} */
  const checks = [];
  for (const row of rows) row.first ? checks.push([row]) : checks[checks.length - 1].push(row);
  return element(
    "tbody",
    "",
    {},
    ...checks.map((tags) => {
      const names = tags.map(({ tag, help }) => element("small", tag, { title: help }));
      const name = element(
        "th",
        "",
        { scope: "row", class: "check" },
        element("span", tags[0].check),
        ...names,
      );
      const truth = tags[0].truth.map((_, place) =>
        element("td", "", { class: "truth" }, ...tags.map((row) => mark(row.truth[place]))),
      );
      const cells = tags[0].cells.map((_, place) =>
        element(
          "td",
          "",
          {},
          ...tags.map((row) => {
            const cell = row.cells[place];
            return cell
              ? button(cell, chosen, choose)
              : element("span", "–", { title: "not asked of this number" });
          }),
        ),
      );
      return element("tr", "", {}, name, ...truth, ...cells);
    }),
  );
}

/** @param {Total[]} totals @param {number} truths */
function foot(totals, truths) {
  return element(
    "tfoot",
    "",
    {},
    ...totals.map(({ label, help, values }) =>
      element(
        "tr",
        "",
        {},
        element("th", label, { scope: "row", class: "check", title: help }),
        ...Array.from({ length: truths }, () => element("td")),
        ...values.map((value) => element("td", value)),
      ),
    ),
  );
}

/** @param {Kind[]} kinds */
function key(kinds) {
  return element(
    "ul",
    "",
    { class: "key", "aria-label": "Signs" },
    ...kinds.map(({ kind, text }) =>
      element(
        "li",
        "",
        {},
        ...(kind ? [element("b", SIGNS[kind], { class: `cell ${kind}` })] : []),
        element("span", text),
      ),
    ),
  );
}

/** Scroll to the detail of the clicked cell, below the table, once the page has drawn it.
 * @param {number} tries */
function seek(tries) {
  const told = document.querySelector(".st-key-battery-told");
  if (told) told.scrollIntoView({ block: "nearest" });
  else if (tries) setTimeout(() => seek(tries - 1), 100);
}

/** @param {{ data: Uint8Array, parentElement: HTMLElement, setStateValue: (name: string, value: string) => void }} component */
export default function showTable({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".battery"));
  const given = JSON.parse(new TextDecoder().decode(data));
  const buttons = () => [
    .../** @type {NodeListOf<HTMLButtonElement>} */ (root.querySelectorAll("button.cell")),
  ];
  const choose = (/** @type {string} */ id) => {
    CHOSEN.set(parentElement, id);
    buttons().forEach((node) => node.setAttribute("aria-pressed", String(node.dataset.id === id)));
    setStateValue("cell", id);
    seek(30);
  };
  const chosen = CHOSEN.get(parentElement) ?? given.chosen;
  const focused = buttons().find((node) => node === document.activeElement)?.dataset.id,
    places = [root.scrollLeft, root.scrollTop];
  root.replaceChildren(
    element(
      "table",
      "",
      {},
      head(given.columns, given.truths),
      body(given.rows, chosen, choose),
      foot(given.totals, given.truths.length),
    ),
  );
  parentElement
    .querySelector(".battery-key")
    ?.replaceChildren(key([...given.key, { kind: "", text: given.caption }]));
  [root.scrollLeft, root.scrollTop] = places;
  buttons()
    .find((node) => focused && node.dataset.id === focused)
    ?.focus({ preventScroll: true });
  root.dataset.rows = String(given.measured);
  return () => CHOSEN.delete(parentElement);
}
