// The table of verdicts: real table, one button per cell. It is filled anew with every payload; the focus stays.

const CHOSEN = new WeakMap(); // the cell chosen last, by the component's element: Python hears of it later

const made = (kind, text = "", attributes = {}) => {
  const node = Object.assign(document.createElement(kind), { textContent: text });
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
};

// Said in signs and letters too, never by colour alone.
const SIGNS = { T: "✓", F: "✕", L: "▼", H: "▲", "": "…" };

function button(cell, chosen, choose) {
  const node = made("button", "", { type: "button", class: `cell ${cell.kind}`, "aria-pressed": String(cell.id === chosen), "aria-label": cell.label, title: cell.label });
  node.dataset.id = cell.id;
  const main = made("span", "", { class: "verdict" });
  main.append(made("span", SIGNS[cell.verdict] ?? "…", { class: "sign" }), made("b", cell.verdict));
  node.append(main, made("small", `truth ${SIGNS[cell.oracle] ?? "–"} ${cell.oracle}`));
  if (cell.published) node.append(made("small", `paper ${SIGNS[cell.published]} ${cell.published}`));
  node.onclick = () => choose(cell.id);
  return node;
}

function head(columns) {
  const top = made("tr"), below = made("tr");
  top.append(made("th", "Check", { scope: "col", rowspan: "2", class: "check" }));
  for (const column of columns) {
    const title = made("th", column.label, { scope: "colgroup", colspan: String(column.sides.length), title: column.help });
    top.append(title);
    below.append(...column.sides.map((side) => made("th", side.label, { scope: "col", title: side.help })));
  }
  const found = made("thead");
  found.append(top, below);
  return found;
}

function body(rows, chosen, choose) {
  const found = made("tbody");
  for (const row of rows) {
    const line = made("tr", "", { class: row.first ? "first" : "" }), name = made("th", "", { scope: "row", class: "check" });
    if (row.first) name.append(made("span", row.check));
    else name.append(made("span", row.check, { class: "spoken" }));
    name.append(made("small", row.tag, { title: row.help }));
    line.append(name);
    for (const cell of row.cells) {
      const place = made("td");
      if (cell) place.append(button(cell, chosen, choose));
      else place.append(made("span", "–", { title: "not asked of this number" }));
      line.append(place);
    }
    found.append(line);
  }
  return found;
}

function foot(totals) {
  const found = made("tfoot");
  for (const total of totals) {
    const line = made("tr");
    line.append(made("th", total.label, { scope: "row", class: "check", title: total.help }), ...total.values.map((value) => made("td", value)));
    found.append(line);
  }
  return found;
}

function key(kinds) {
  const found = made("ul", "", { class: "key", "aria-label": "Signs" });
  for (const { kind, sign, text } of kinds) {
    const line = made("li");
    line.append(made("b", sign, { class: `cell ${kind}` }), made("span", text));
    found.append(line);
  }
  return found;
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".battery");
  const given = JSON.parse(new TextDecoder().decode(data));
  const choose = (id) => {
    CHOSEN.set(parentElement, id);
    root.querySelectorAll("button.cell").forEach((node) => node.setAttribute("aria-pressed", String(node.dataset.id === id)));
    setStateValue("cell", id);
    document.querySelector(".st-key-battery-told")?.scrollIntoView({ block: "nearest" }); // where the answer comes
  };
  const chosen = CHOSEN.get(parentElement) ?? given.chosen;
  const focused = root.contains(document.activeElement) ? document.activeElement.dataset.id : null;
  const places = [root.scrollLeft, root.scrollTop], table = made("table");
  table.append(head(given.columns), body(given.rows, chosen, choose), foot(given.totals));
  root.replaceChildren(table);
  parentElement.querySelector(".battery-key").replaceChildren(key(given.key), made("p", given.caption));
  [root.scrollLeft, root.scrollTop] = places;
  if (focused) [...root.querySelectorAll("button.cell")].find((node) => node.dataset.id === focused)?.focus({ preventScroll: true });
  root.dataset.rows = String(given.measured);
  return () => CHOSEN.delete(parentElement);
}
