// The readout: one row per curve, its colour as in the legends, and one column per number; and a legend for panes
// that have none of their own.

const element = (kind, text = "", attributes = {}) => {
  const node = Object.assign(document.createElement(kind), { textContent: text });
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
};

function makeLegend(S) {
  const box = S.root.querySelector(".key");
  box.hidden = !S.payload.legend;
  box.replaceChildren(...S.payload.curves.map((c) => element("span", c.name, { class: "swatch", style: `--swatch: ${c.color}` })));
}

function makeTable(S) {
  const { table, curves } = S.payload, box = S.root.querySelector(".readout");
  const shape = table && JSON.stringify([table.caption, table.columns, curves.map((c) => [c.id, c.name, c.color])]);
  if (shape === S.tableShape) return;
  S.tableShape = shape;
  S.cells = new Map();
  box.hidden = !table;
  if (!table) return;
  const head = element("tr");
  head.append(element("td"), ...table.columns.map((c) => element("th", c.label, { scope: "col", title: c.explanation })));
  const rows = curves.map((curve) => {
    const row = element("tr"), name = element("th", curve.name, { scope: "row", class: "swatch", style: `--swatch: ${curve.color}` });
    S.cells.set(curve.id, table.columns.map(() => element("td")));
    row.append(name, ...S.cells.get(curve.id));
    return row;
  });
  const top = element("thead"), body = element("tbody"), made = element("table");
  top.append(head);
  body.append(...rows);
  made.append(element("caption", table.caption), top, body);
  box.replaceChildren(made);
}

function fillTable(S, curves) {
  if (!S.cells?.size) return;
  for (const curve of curves) {
    S.cells.get(curve.id)?.forEach((cell, i) => setText(cell, Number.isFinite(curve.row?.[i]) ? curve.row[i].toFixed(3) : "–"));
  }
}
