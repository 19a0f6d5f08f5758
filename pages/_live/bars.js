// A control of several amounts at once: bars that a hand pulls up and down, or the cells of a grid that it paints.
// spec: {id, kind: "bars", label, names, value: [amounts in 0..1], total, columns, axis, color, help, group, epoch}
// total: the amounts always sum to one, so that pulling one bar changes the others; columns: cells in rows of so many;
// axis: words below the bars, from left to right.

const KEYS = { ArrowUp: 0.05, PageUp: 0.2, "+": 0.05, ArrowDown: -0.05, PageDown: -0.2, "-": -0.05 };
const BRUSHES = [["Erase", 0], ["Light", 0.3], ["Full", 1]];
// How to paint: with any pointer, and what a mouse and a keyboard can do besides.
const HOW = {
  total: ["Drag a bar up or down, the others share the rest.", "Keys: ← → choose a bar, ↑ ↓ change it."],
  bars: ["Drag across the bars to paint; along the bottom a stroke erases.", "So does one with Shift or the right button. Keys: ← → choose a bar, ↑ ↓ change it, Delete empties it."],
  grid: ["Choose a brush and drag across the cells.", "With Shift or the right button a stroke erases. Keys: arrows choose a cell, Space paints it, + and − change it, Delete empties it."],
};
const FULL_HEIGHT = 0.94; // of the box, by a bar of amount 1 (live.css)

function barsControl(S, spec) {
  const box = element("div", "", { class: "control bars" });
  const c = { owner: S, spec, box, held: false, brush: 1, name: element("span", "", { class: "name" }), told: element("output", "", { "aria-hidden": "true" }),
    tools: element("div", "", { class: "marks tools" }), area: element("div", "", { class: "area", role: "group" }),
    axis: element("div", "", { class: "axis", "aria-hidden": "true" }), how: element("p", "", { class: "how" }) };
  box.append(c.name, c.told, c.tools, c.area, c.axis, c.how);
  c.area.onpointerdown = (event) => {
    if (c.held || event.button === 1) return; // a second finger
    Object.assign(c, { held: true, pointer: event.pointerId, last: null, erases: event.shiftKey || event.button === 2 });
    c.area.setPointerCapture(event.pointerId);
    stroke(c, event);
  };
  c.area.onpointermove = (event) => {
    if (!c.held) telling(c, under(c, event).index);
    else if (event.pointerId === c.pointer) stroke(c, event);
  };
  for (const kind of ["onpointerup", "onpointercancel"]) {
    c.area[kind] = (event) => { if (event.pointerId === c.pointer) { c.held = false; c.last = null; later(S); } };
  }
  c.area.onpointerleave = () => { if (!c.held) telling(c, c.cells.indexOf(document.activeElement)); };
  c.area.oncontextmenu = (event) => event.preventDefault();
  c.area.onkeydown = (event) => keyed(c, event);
  c.area.addEventListener("focusin", (event) => {
    c.cells.forEach((cell) => { cell.tabIndex = cell === event.target ? 0 : -1; }); // one stop of the Tab key
    telling(c, c.cells.indexOf(event.target));
  });
  c.area.addEventListener("focusout", () => telling(c, -1));
  return c;
}

function refreshBars(c, spec) {
  c.name.textContent = spec.label;
  c.box.title = spec.help || "";
  c.area.setAttribute("aria-label", spec.label);
  c.area.classList.toggle("grid", spec.columns > 0);
  c.area.style.setProperty("--columns", spec.columns || spec.names.length);
  c.area.style.setProperty("--bar", spec.color);
  c.axis.replaceChildren(...(spec.axis || []).map((text) => element("span", text)));
  const [short, more] = HOW[spec.total ? "total" : spec.columns ? "grid" : "bars"];
  c.how.replaceChildren(`${short} `, element("span", more));
  const shape = JSON.stringify([spec.names, spec.columns, spec.total]);
  if (c.shape === shape) return;
  Object.assign(c, { shape, drawn: [] });
  c.cells = spec.names.map((name, i) => element("div", "", { role: "slider", tabindex: i ? -1 : 0, "aria-label": `${spec.label}, ${name}`,
    "aria-valuemin": 0, "aria-valuemax": 100, "data-index": i, "aria-orientation": "vertical" }));
  c.area.replaceChildren(...c.cells);
  c.tools.replaceChildren(...(spec.total ? [] : tools(c)));
}

// The brushes of a grid, and two ways to begin anew; where amounts sum to one there is nothing to choose.
function tools(c) {
  const button = (text, title, onclick) => Object.assign(element("button", text, { type: "button", title }), { onclick });
  const brushes = (c.spec.columns ? BRUSHES : []).map(([text, amount]) => button(text, `Brush: ${Math.round(100 * amount)} % in every cell that it crosses`, () => { c.brush = amount; press(); }));
  const press = () => brushes.forEach((each, i) => each.setAttribute("aria-pressed", String(BRUSHES[i][1] === c.brush)));
  press();
  const all = (amountOf) => () => { c.value = c.spec.names.map((_, i) => amountOf(i)); changed(c.owner, c); };
  const middle = Math.floor(c.spec.names.length / 2) + (c.spec.columns ? Math.floor(c.spec.columns / 2) : 0);
  const gap = brushes.length ? [element("span", "", { class: "gap" })] : [];
  return [...brushes, ...gap, button("Even", "The same amount everywhere", all(() => 0.5)),
    button("Clear", "Nothing but one cell in the middle: a distribution must be somewhere", all((i) => (i === middle ? 1 : 0)))];
}

function showBars(c) {
  c.cells.forEach((cell, i) => {
    if (c.drawn[i] === c.value[i]) return;
    c.drawn[i] = c.value[i];
    const percent = Math.round(100 * c.value[i]);
    cell.style.setProperty("--share", c.value[i]);
    cell.setAttribute("aria-valuenow", percent);
    cell.setAttribute("aria-valuetext", `${percent} %`);
    if (c.spec.total) cell.dataset.text = `${percent} %`;
  });
  if (c.at >= 0) telling(c, c.at);
}

// Beside the label: which cell is under the pointer or has the focus, and what is in it.
function telling(c, index) {
  c.at = index;
  setText(c.told, index < 0 || !c.cells[index] || c.spec.total ? "" : `${c.spec.names[index]}: ${Math.round(100 * c.value[index])} %`);
}

// Amounts of which one is new; where they sum to one, the others keep their proportions.
export function withAmount(amounts, index, amount, total) {
  const value = Math.min(1, Math.max(0, amount)), rest = amounts.reduce((sum, each, i) => sum + (i === index ? 0 : each), 0);
  const others = (each) => (!total ? each : rest > 0 ? (each * (1 - value)) / rest : (1 - value) / (amounts.length - 1));
  const found = amounts.map((each, i) => (i === index ? value : others(each))).map((each) => +each.toFixed(4));
  return found.some((each) => each > 0) ? found : amounts; // nothing at all is no distribution
}

// Free amounts in steps of 1/20: finer than a hand, and short in a link.
function setAmount(c, index, amount) {
  c.value = withAmount(c.value, index, c.spec.total ? amount : Math.round(20 * amount) / 20, c.spec.total);
}

// Where the pointer is: column, row and index of the cell, and the amount that its height in a bar stands for.
function under(c, event) {
  const { left, top, width, height } = c.area.getBoundingClientRect(), count = c.cells.length, columns = c.spec.columns || count;
  const part = (x, all) => Math.min(0.9999, Math.max(0, x / all)), y = part(event.clientY - top, height);
  const column = Math.floor(part(event.clientX - left, width) * columns), row = Math.floor(y * Math.ceil(count / columns));
  return { column, row, index: row * columns + column, amount: Math.round((100 * (1 - y)) / FULL_HEIGHT) / 100 };
}

// From where the pointer was to where it is: a quick hand skips cells, and those between are filled in.
function stroke(c, event) {
  const now = under(c, event), grid = c.spec.columns > 0, from = (!c.spec.total && c.last) || now;
  const steps = Math.max(Math.abs(now.column - from.column), Math.abs(now.row - from.row));
  if (grid && c.last && !steps) return;
  for (let step = steps ? 1 : 0; step <= steps; step++) {
    const way = (part) => from[part] + ((now[part] - from[part]) * step) / (steps || 1);
    const index = Math.round(way("row")) * (c.spec.columns || 0) + Math.round(way("column"));
    if (index < c.cells.length) setAmount(c, index, c.erases ? 0 : grid ? c.brush : steps ? way("amount") : now.amount);
  }
  c.last = now;
  c.at = now.index;
  changed(c.owner, c);
}

function keyed(c, event) {
  const index = c.cells.indexOf(document.activeElement), columns = c.spec.columns;
  if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const steps = { ArrowLeft: -1, ArrowRight: 1, ...(columns ? { ArrowUp: -columns, ArrowDown: columns } : {}) };
  if (event.key in steps) {
    event.preventDefault();
    return c.cells[index + steps[event.key]]?.focus();
  }
  const amounts = { Home: 0, Delete: 0, Backspace: 0, End: 1, ...(columns ? { " ": c.brush, Enter: c.brush } : {}) };
  if (event.key in amounts) setAmount(c, index, amounts[event.key]);
  else if (event.key in KEYS) setAmount(c, index, c.value[index] + KEYS[event.key]);
  else return;
  event.preventDefault();
  changed(c.owner, c);
}
