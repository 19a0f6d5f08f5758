// What goes with the groups: their numbers, the table of their most extreme samples, and the selection that the figure
// and the table share. Python says of each row what the browser does not know: its neighbours, and what it looks like.

const PICK_MS = 200;
const MOST_LISTED = 20, MOST_PICKED = 100;
const percent = (share) => `${general(100 * share)} %`;

function takeExplorer(S) {
  const { explorer } = S.payload;
  S.picks ??= new Set();
  if (!explorer) return;
  S.placeOf = new Map(explorer.ids.map((id, place) => [id, place]));
  if (explorer.of !== S.of) {
    S.of = explorer.of;
    S.picks = new Set(explorer.selected); // of other samples than before: what the hand has selected is gone
    S.group = "rejected";
  }
  S.rows = new Map([...Object.values(explorer.lists).flat(), ...explorer.picked].map((row) => [row.id, row]));
  if (!S.explorer) buildExplorer(S);
}

function buildExplorer(S) {
  const box = S.root.querySelector(".explorer");
  box.hidden = false;
  S.explorer = {
    chips: element("div", "", { class: "chips", role: "group", "aria-label": "Samples to list" }),
    summary: element("p", "", { role: "status" }),
    clear: Object.assign(element("button", "Clear selection", { type: "button" }), { onclick: () => pick(S, []) }),
    list: element("div", "", { class: "listed", tabindex: "0", role: "region", "aria-label": "Samples" }),
  };
  const { chips, summary, clear, list } = S.explorer, line = element("div", "", { class: "selection" });
  line.append(summary, clear);
  chips.append(...[...GROUP_NAMES, "picked"].map((name) => {
    const chip = element("button", "", { type: "button", "data-group": name });
    chip.onclick = () => { S.group = name; showExplorer(S); };
    return chip;
  }));
  box.replaceChildren(line, chips, list);
}

// ---- the selection ----

function wireSelection(S, p) {
  let adds = false, clearing = false;
  p.plot.addEventListener("pointerdown", (event) => { adds = event.shiftKey; }, true);
  p.plot.on("plotly_selected", (event) => {
    if (!event?.points || clearing) return;
    const ids = event.points.filter((point) => point.customdata?.length).map((point) => Number(point.customdata[0]));
    // The rings say what is selected; Plotly's outline would stay behind when the table changes that.
    setTimeout(async () => {
      clearing = true; // Plotly tells of an empty selection
      await onPlot(p, () => S.Plotly.relayout(p.plot, { selections: [] }));
      clearing = false;
    });
    pick(S, adds ? [...S.picks, ...ids] : ids, "picked");
  });
}

// Python hears of it when the hand rests.
function pick(S, ids, group = S.group) {
  S.picks = new Set(ids);
  S.group = group;
  S.panes.forEach((p) => { if (p.spec.select && p.wired) paintSamples(S, p); });
  showExplorer(S);
  clearTimeout(S.picking);
  S.picking = setTimeout(() => S.set("values", { of: S.of, picked: [...S.picks] }), PICK_MS);
}

// In Python's order, so that the rows listed are those that it describes.
const known = (S) => [...S.picks].filter((id) => S.placeOf.has(id)).sort((a, b) => a - b).map((id) => sampleOf(S, id));

function selectionText(S, index) {
  const { explorer } = S.payload, samples = known(S), lam = lamHere(S);
  if (!samples.length) return "Nothing is selected.";
  const part = partOf(explorer, samples, index, lam), counts = groupCounts(explorer, index);
  const [fpr, fnr] = [counts[1] / explorer.sizes[0], counts[2] / explorer.sizes[1]];
  const alpha = (fpr > 0 ? lam * fpr : 0) + fnr, beta = fpr + (fnr > 0 ? fnr / lam : 0);
  const all = S.panes.some((p) => (p.places?.all.length ?? Infinity) < S.placeOf.size) ? " (a box or lasso takes drawn samples only)" : "";
  return `Selected: ${part.nReal.toLocaleString("en")} real (${percent(part.shareReal)} of all), `
    + `${part.nGenerated.toLocaleString("en")} generated (${percent(part.shareGenerated)})${all}. `
    + `Those missed (${part.missed}) or accepted (${part.accepted}) make up ${general(part.alpha)} of precision α = ${general(alpha)} `
    + `and ${general(part.beta)} of recall β = ${general(beta)} at λ = ${shortNumber(lam)}.`;
}

// ---- what is shown ----

function showExplorer(S) {
  if (!S.payload.explorer || !S.explorer) return;
  const index = classifierAt(S), counts = groupCounts(S.payload.explorer, index);
  S.root.dataset.busy = String(Boolean(S.payload.stale) || outdated(S));
  S.root.dataset.groups = counts.join("|");
  showChips(S, counts);
  setText(S.explorer.summary, selectionText(S, index));
  S.explorer.clear.hidden = !S.picks.size;
  showRows(S, index);
}

function showChips(S, counts) {
  const { labels, sizes, looks } = S.payload.explorer, role = ["real", "real", "generated", "generated"];
  [...S.explorer.chips.children].forEach((chip, i) => {
    const name = chip.dataset.group, share = i < 4 ? counts[i] / sizes[i >> 1] : 0;
    if (!chip.firstChild) chip.append(...(i < 4 ? [symbol(looks[name])] : []), element("span"));
    setText(chip.lastChild, i < 4 ? `${labels[name]}: ${counts[i].toLocaleString("en")} (${percent(share)} of ${role[i]})` : `selected: ${known(S).length.toLocaleString("en")}`);
    chip.setAttribute("aria-pressed", String(S.group === name));
  });
}

function symbol(look) {
  const box = shape("svg", { viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": "true" });
  box.append(shape("path", { d: `M0,0${rounded(SHAPES[look.symbol](look.size / 2))}`, fill: look.color }));
  return box;
}

// The rows to list, most extreme first: a group's list is in that order at every lam.
function rowsOf(S, index) {
  const { lists } = S.payload.explorer, group = GROUP_NAMES.indexOf(S.group);
  if (group >= 0) return lists[S.group].filter((row) => groupOf(row, index) === group).slice(0, MOST_LISTED);
  const pool = new Map(S.panes.filter(grouped).flatMap((p) => poolOf(S, p)).map((sample) => [sample.id, sample]));
  return known(S).slice(0, MOST_PICKED).map((sample) => {
    const drawn = pool.get(sample.id);
    return S.rows.get(sample.id) ?? { ...sample, row: drawn?.hovertext.match(/\d+/)?.[0] ?? "", labels: "", key: drawn?.text ?? "", near: null };
  });
}

// Written anew only where something in it has changed, which few steps of a drag do.
function showRows(S, index) {
  const rows = rowsOf(S, index), { explorer } = S.payload;
  const shown = JSON.stringify([S.group, explorer.id, rows.map((row) => [row, S.picks.has(row.id), groupOf(row, index)])]);
  if (shown === S.explorer.shown) return;
  S.explorer.shown = shown;
  const focused = S.explorer.list.contains(document.activeElement) ? document.activeElement.dataset?.id : undefined;
  if (!rows.length) { S.explorer.list.replaceChildren(element("p", S.group === "picked" ? "Nothing is selected." : "No sample is in this group at this λ.")); return; }
  const table = element("table"), head = element("tr"), body = element("tbody"), top = element("thead");
  const labels = rows.some((row) => row.labels), looks = rows.some((row) => row.picture || row.text || row.problem);
  const titles = ["", "group", "row", ...(labels ? ["labels"] : []), explorer.key, "nearest in the other set: row (distance)", ...(looks ? ["what it is"] : [])];
  head.append(...titles.map((title) => element(title ? "th" : "td", title, title ? { scope: "col" } : {})));
  top.append(head);
  body.append(...rows.map((row) => rowOf(S, row, index, labels, looks)));
  table.append(element("caption", captionOf(S, rows.length)), top, body);
  S.explorer.list.replaceChildren(table);
  if (focused !== undefined) S.explorer.list.querySelector(`[data-id="${focused}"]`)?.focus();
}

function captionOf(S, count) {
  if (S.group === "picked") return S.picks.size > count ? `The first ${count} of the selected samples` : "The selected samples";
  return `The ${count} most extreme of the ${S.payload.explorer.labels[S.group]}, by ${S.payload.explorer.title}: farthest beyond the cut first`;
}

function rowOf(S, row, index, labels, looks) {
  const { explorer } = S.payload, line = element("tr"), group = GROUP_NAMES[groupOf(row, index)];
  const tick = element("input", "", { type: "checkbox", "data-id": row.id, "aria-label": `select ${explorer.labels[group]}, row ${row.row}` });
  tick.checked = S.picks.has(row.id);
  tick.onchange = () => pick(S, tick.checked ? [...S.picks, row.id] : [...S.picks].filter((id) => id !== row.id));
  const cells = [element("td"), element("td"), element("td", row.row), ...(labels ? [element("td", row.labels)] : []),
                 element("td", row.key), element("td", row.near ? row.near.join(", ") : "…"), ...(looks ? [lookOf(row)] : [])];
  cells[0].append(tick);
  cells[1].append(symbol(explorer.looks[group]), element("span", ` ${explorer.labels[group]}`));
  line.append(...cells);
  return line;
}

function lookOf(row) {
  const cell = element("td", [row.text, row.problem].filter(Boolean).join(" · "), { class: "look" });
  if (row.picture) cell.prepend(element("img", "", { src: row.picture, alt: `picture of row ${row.row}` }));
  return cell;
}
