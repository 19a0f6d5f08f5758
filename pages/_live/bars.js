// A control of several amounts at once: bars that a hand pulls up and down, or the cells of a grid that it paints.
// spec: {id, kind: "bars", label, names, value: [amounts in 0..1], total, columns, color, help, group, epoch}
// total: the amounts always sum to one, so that pulling one bar changes the others; columns: cells in rows of so many.

const KEYS = { ArrowUp: 0.05, PageUp: 0.2, "+": 0.05, ArrowDown: -0.05, PageDown: -0.2, "-": -0.05 };

function barsControl(S, spec) {
  const box = element("div", "", { class: "control bars" });
  const c = { owner: S, spec, box, name: element("span", "", { class: "name" }), area: element("div", "", { class: "area", role: "group" }), held: false };
  box.append(c.name, c.area);
  c.area.onpointerdown = (event) => {
    c.held = true;
    c.area.setPointerCapture(event.pointerId);
    c.level = event.shiftKey || event.button === 2 ? 0 : null;
    pull(c, event);
  };
  c.area.onpointermove = (event) => { if (c.held) pull(c, event); };
  for (const kind of ["onpointerup", "onpointercancel"]) c.area[kind] = () => { c.held = false; c.last = null; later(S); };
  c.area.oncontextmenu = (event) => event.preventDefault();
  c.area.onkeydown = (event) => keyed(c, event);
  return c;
}

function refreshBars(c, spec) {
  c.name.textContent = spec.label;
  c.box.title = spec.help || "";
  c.area.setAttribute("aria-label", spec.label);
  c.area.classList.toggle("grid", spec.columns > 0);
  c.area.style.setProperty("--columns", spec.columns || spec.names.length);
  c.area.style.setProperty("--bar", spec.color);
  if (c.cells?.length === spec.names.length) return;
  c.cells = spec.names.map((name, i) => element("div", "", { role: "slider", tabindex: i ? -1 : 0, "aria-label": `${spec.label}, ${name}`,
    "aria-valuemin": 0, "aria-valuemax": 100, "data-index": i, "aria-orientation": "vertical" }));
  c.area.replaceChildren(...c.cells);
}

function showBars(c) {
  c.cells.forEach((cell, i) => {
    const percent = Math.round(100 * c.value[i]);
    cell.style.setProperty("--share", c.value[i]);
    cell.setAttribute("aria-valuenow", percent);
    cell.setAttribute("aria-valuetext", `${percent} %`);
    if (c.spec.total) cell.dataset.text = `${percent} %`;
  });
}

// Amounts of which one is new; where they sum to one, the others keep their proportions.
export function withAmount(amounts, index, amount, total) {
  const value = Math.min(1, Math.max(0, amount)), rest = amounts.reduce((sum, each, i) => sum + (i === index ? 0 : each), 0);
  const others = (each) => (!total ? each : rest > 0 ? (each * (1 - value)) / rest : (1 - value) / (amounts.length - 1));
  const found = amounts.map((each, i) => (i === index ? value : others(each))).map((each) => +each.toFixed(4));
  return found.some((each) => each > 0) ? found : amounts; // nothing at all is no distribution
}

function setAmount(c, index, amount) {
  c.value = withAmount(c.value, index, amount, c.spec.total);
}

// From the pointer: the height in a bar, or the brush on a cell. A quick hand skips bars: those between are filled in.
function pull(c, event) {
  const { left, top, width, height } = c.area.getBoundingClientRect(), count = c.cells.length, columns = c.spec.columns || count;
  const part = (x, all) => Math.min(0.9999, Math.max(0, x / all));
  const x = part(event.clientX - left, width), y = part(event.clientY - top, height);
  const column = Math.floor(x * columns);
  if (c.spec.columns) {
    const index = Math.floor(y * Math.ceil(count / columns)) * columns + column;
    if (index === c.last) return;
    c.level ??= c.value[index] > 0.75 ? 0 : c.value[index] > 0.25 ? 1 : 0.5; // each click: a little, much, nothing
    setAmount(c, index, c.level);
    c.last = index;
  } else {
    const amount = c.level ?? Math.round(100 * (1 - y) / 0.94) / 100, from = c.last ?? column;
    for (let i = Math.min(from, column); i <= Math.max(from, column); i++) if (i !== from || i === column) setAmount(c, i, amount);
    c.last = c.spec.total ? null : column;
  }
  changed(c.owner, c);
}

function keyed(c, event) {
  const index = c.cells.indexOf(document.activeElement), columns = c.spec.columns;
  if (index < 0) return;
  const steps = { ArrowLeft: -1, ArrowRight: 1, ...(columns ? { ArrowUp: -columns, ArrowDown: columns } : {}) };
  if (event.key in steps) {
    const next = c.cells[index + steps[event.key]];
    if (next) { c.cells[index].tabIndex = -1; next.tabIndex = 0; next.focus(); }
  } else if (columns && (event.key === " " || event.key === "Enter")) setAmount(c, index, c.value[index] > 0.75 ? 0 : c.value[index] > 0.25 ? 1 : 0.5);
  else if (event.key in KEYS) setAmount(c, index, c.value[index] + KEYS[event.key]);
  else if (event.key === "Home" || event.key === "End") setAmount(c, index, event.key === "End" ? 1 : 0);
  else return;
  event.preventDefault();
  if (!(event.key in steps)) changed(c.owner, c);
}
