// What is below the figure of the confusion groups: counts of the groups, and a table of the most extreme samples of
// a group. Figure and table share one selection of samples. Python sends for each row what the browser does not have:
// its nearest neighbours, and its picture or text.

import {
  GROUP_NAMES,
  classifierAt,
  drawsFewer,
  groupCounts,
  groupOf,
  isGrouped,
  isOutdated,
  paintSamples,
  partOf,
  poolOf,
  roundedLam,
  sampleOf,
  symbolPath,
} from "./confusion_groups.js";
import { general, pointOf, shortNumber } from "./curve.js";
import { button, element, setText, shape, tableOf } from "./dom.js";
import { onPlot } from "./pane.js";

/** @import { Row, Samples } from "./confusion_groups.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { Pane, Plotly } from "./pane.js" */

/**
 * @typedef {Samples & {
 *   group: string,
 *   rows: Map<number, Row>,
 *   listed: string,
 *   chips: HTMLElement,
 *   summary: HTMLElement,
 *   clear: HTMLElement,
 *   list: HTMLElement,
 * }} Explorer group: the group that the user has chosen for the table, "picked" for the selected samples, or ""; rows: the rows that Python has sent, by id; listed: what the table shows, as JSON
 */

const PICK_MS = 200; // milliseconds without a change after which the selection is sent to Python
const MOST_LISTED = 20, // most rows of a group in the table
  MOST_PICKED = 100; // most rows of selected samples in the table

/** @param {number} share */
const percent = (share) => `${general(100 * share)} %`;

/** @param {LiveFigure} live */
export function takeExplorer(live) {
  const spec = live.payload.explorer;
  if (!spec) return;
  const rows = new Map([...Object.values(spec.lists).flat(), ...spec.picked].map((row) => [row.id, row]));
  const ids = spec.ids ?? Array.from({ length: spec.sizes[0] + spec.sizes[1] }, (_, place) => place);
  const placeOf = new Map(ids.map((id, place) => [id, place]));
  // Drop the old selection if the payload is about other samples than before.
  const kept =
    live.explorer?.spec.of === spec.of
      ? live.explorer
      : { picks: new Set(spec.selected), group: spec.selected.length ? "picked" : "" };
  live.explorer = { ...(live.explorer ?? buildExplorer(live)), ...kept, spec, rows, placeOf };
}

/** @param {LiveFigure} live */
function buildExplorer(live) {
  const chips = element("div.chips", { role: "group", "aria-label": "Samples to list" }),
    summary = element("p", { role: "status" });
  const clear = button(() => pick(live, []), "Clear selection");
  const list = element("div.listed", { tabindex: "0", role: "region", "aria-label": "Samples" });
  chips.append(
    ...[...GROUP_NAMES, "picked"].map((name) =>
      button(
        () => {
          if (live.explorer) live.explorer.group = live.explorer.group === name ? "" : name;
          paintPicks(live);
        },
        { "data-group": name },
      ),
    ),
  );
  live.parts.explorer.hidden = false;
  live.parts.explorer.replaceChildren(element("div.selection", summary, clear), chips, list);
  return { chips, summary, clear, list, listed: "" };
}

// ---- the selection ----

/** @param {LiveFigure} live */
function paintPicks(live) {
  for (const pane of live.panes) if (pane.spec.select && pane.wired) paintSamples(live, pane);
  showExplorer(live);
}

/** @param {LiveFigure} live @param {Pane} pane @param {Plotly} plotly */
export function wireSelection(live, pane, plotly) {
  let adds = false,
    clearing = false;
  pane.plot.addEventListener(
    "pointerdown",
    (event) => {
      adds = event.shiftKey;
    },
    true,
  );
  pane.plot.on("plotly_selected", (event) => {
    // Plotly also fires this event when it draws anew, with an empty selection
    if (!event?.points || clearing || pane.drawing) return;
    const ids = event.points
      .filter((/** @type {any} */ point) => point.customdata?.length)
      .map((/** @type {any} */ point) => Number(point.customdata[0]));
    // The rings mark the selected samples; Plotly's outline would become wrong when the table changes the
    // selection.
    setTimeout(async () => {
      clearing = true; // removing the outline fires this event with an empty selection
      await onPlot(pane, () => plotly.relayout(pane.plot, { selections: [] }));
      clearing = false;
    });
    pick(live, adds ? [...(live.explorer?.picks ?? []), ...ids] : ids, "picked");
  });
}

/** Select samples, and send the selection to Python a little later.
 * @param {LiveFigure} live @param {number[]} ids @param {string} [group] the group that the table shows from now on */
function pick(live, ids, group) {
  const { explorer } = live;
  if (!explorer) return;
  explorer.picks = new Set(ids);
  explorer.group = group ?? explorer.group;
  paintPicks(live);
  live.timers.start("picking", PICK_MS, () => {
    if (live.explorer) live.send({ of: live.explorer.spec.of, picked: [...live.explorer.picks] });
  });
}

/** Name of what the table lists. If the figure has groups: the chosen group; else "picked" for the selected samples,
 * or "" if none are selected.
 * @param {LiveFigure} live @param {Explorer} explorer */
function listedOf(live, { group, picks, spec }) {
  if (!live.panes.some(isGrouped)) return picks.size ? "picked" : "";
  return (group === "picked" && !picks.size ? "" : group) || spec.listed;
}

/** The selected samples, ordered by id. Python uses the same order, so that it describes those rows that the table
 * lists.
 * @param {LiveFigure} live @param {Explorer} explorer */
const selected = (live, { picks, placeOf }) =>
  [...picks]
    .filter((id) => placeOf.has(id))
    .sort((a, b) => a - b)
    .map((id) => sampleOf(live, id));

/** @param {LiveFigure} live @param {Explorer} explorer @param {number} index */
function selectionText(live, explorer, index) {
  const { spec } = explorer,
    samples = selected(live, explorer),
    lam = roundedLam(live);
  if (!samples.length) return "";
  const part = partOf(spec, samples, index, lam),
    counts = groupCounts(spec, index);
  const { alpha, beta } = pointOf(counts[1] / spec.sizes[0], counts[2] / spec.sizes[1], lam);
  const fewer = live.panes.some((pane) => pane.spec.select && drawsFewer(live, pane))
    ? " (a box or lasso takes drawn samples only)"
    : "";
  const numbers =
    `Selected: ${part.nReal.toLocaleString("en")} real (${percent(part.shareReal)} of those shown), ` +
    `${part.nGenerated.toLocaleString("en")} generated (${percent(part.shareGenerated)})${fewer}.`;
  return spec.key === ""
    ? numbers
    : `${numbers} Those missed (${part.missed}) or accepted (${part.accepted}) account for ${general(part.alpha)} of precision α = ${general(alpha)} ` +
        `and ${general(part.beta)} of recall β = ${general(beta)} at λ = ${shortNumber(lam)}.`;
}

// ---- drawing the counts, the table and the selection ----

/** @param {LiveFigure} live */
export function showExplorer(live) {
  const { explorer, payload, root } = live;
  if (!explorer || !payload.explorer) return;
  const index = classifierAt(live),
    counts = groupCounts(explorer.spec, index);
  root.dataset.busy = String(Boolean(payload.stale) || isOutdated(live));
  root.dataset.groups = counts.join("|");
  showChips(live, explorer, counts);
  setText(explorer.summary, selectionText(live, explorer, index));
  explorer.clear.hidden = !explorer.picks.size;
  explorer.chips.hidden = !live.panes.some(isGrouped);
  showRows(live, explorer, index);
}

/** @param {LiveFigure} live @param {Explorer} explorer @param {number[]} counts */
function showChips(live, explorer, counts) {
  const { labels, sizes, looks } = explorer.spec,
    listed = listedOf(live, explorer);
  explorer.chips.querySelectorAll("button").forEach((chip, i) => {
    const name = GROUP_NAMES[i],
      count = name ? counts[i] : selected(live, explorer).length;
    if (!chip.firstChild)
      chip.append(...(name ? [symbol(looks[name])] : []), element("span"), element("small"));
    setText(chip.querySelector("span"), `${name ? labels[name] : "selected"}: ${count.toLocaleString("en")}`);
    setText(chip.lastChild, name ? `(${percent(count / sizes[i >> 1])})` : "");
    chip.hidden = !name && !explorer.picks.size;
    chip.setAttribute("aria-pressed", String(listed === (name ?? "picked")));
  });
}

/** @param {{ color: string, symbol: string, size: number }} look */
function symbol(look) {
  return shape(
    "svg",
    { viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": "true" },
    shape("path", { d: `M0,0${symbolPath(look)}`, fill: look.color }),
  );
}

/** The rows to list, most extreme first. The order does not depend on lam; rows that are not in the listed group at
 * this lam are left out.
 * @param {LiveFigure} live @param {Explorer} explorer @param {number} index @returns {Row[]} */
function rowsOf(live, explorer, index) {
  const listed = listedOf(live, explorer),
    group = GROUP_NAMES.indexOf(listed);
  if (!listed) return [];
  if (group >= 0)
    return explorer.spec.lists[listed]
      .filter((row) => groupOf(explorer.spec, row, index) === group)
      .slice(0, MOST_LISTED);
  const pool = new Map(
    live.panes
      .filter(isGrouped)
      .flatMap((pane) => poolOf(live, pane))
      .map((sample) => [sample.id, sample]),
  );
  return selected(live, explorer)
    .slice(0, MOST_PICKED)
    .map((sample) => {
      const drawn = pool.get(sample.id);
      return (
        explorer.rows.get(sample.id) ?? {
          ...sample,
          row: drawn?.hovertext.match(/\d+/)?.[0] ?? "",
          labels: "",
          key: drawn?.text ?? "",
          near: null,
        }
      );
    });
}

/** Redraw the table only if its content has changed: few steps of a drag change it.
 * @param {LiveFigure} live @param {Explorer} explorer @param {number} index */
function showRows(live, explorer, index) {
  const { spec, picks, list } = explorer,
    group = listedOf(live, explorer),
    rows = rowsOf(live, explorer, index);
  const listed = JSON.stringify([
    group,
    spec.id,
    rows.map((row) => [row, picks.has(row.id), groupOf(spec, row, index)]),
  ]);
  if (listed === explorer.listed) return;
  explorer.listed = listed;
  list.hidden = !group;
  if (!rows.length)
    return list.replaceChildren(...(group ? [element("p", "No sample is in this group at this λ.")] : []));
  const { activeElement } = document,
    focused =
      activeElement instanceof HTMLElement && list.contains(activeElement)
        ? activeElement.dataset.id
        : undefined;
  const labels = rows.some((row) => row.labels),
    looks = rows.some((row) => row.picture || row.text || row.problem);
  const titles = [
    "",
    spec.key ? "group" : "set",
    "row",
    ...(labels ? ["labels"] : []),
    ...(spec.key ? [spec.key] : []),
    "nearest in the other set: row (distance)",
    ...(looks ? ["what it is"] : []),
  ];
  const head = titles.map((title) => (title ? element("th", title, { scope: "col" }) : element("td")));
  const body = element("tbody", ...rows.map((row) => tableRow(live, explorer, row, index, labels, looks)));
  list.replaceChildren(tableOf(captionText(explorer, group, rows.length), head, body));
  if (focused !== undefined)
    /** @type {HTMLElement | null} */ (list.querySelector(`[data-id="${focused}"]`))?.focus();
}

/** @param {Explorer} explorer @param {string} group @param {number} count */
function captionText({ picks, spec }, group, count) {
  if (group === "picked")
    return picks.size > count ? `The first ${count} of the selected samples` : "The selected samples";
  return `The ${count} most extreme of the ${spec.labels[group]}, by ${spec.title}: farthest from the threshold first`;
}

/** @param {LiveFigure} live @param {Explorer} explorer @param {Row} row @param {number} index @param {boolean} labels @param {boolean} looks */
function tableRow(live, explorer, row, index, labels, looks) {
  const name = GROUP_NAMES[groupOf(explorer.spec, row, index)],
    label = explorer.spec.labels[name];
  const tick = element("input", {
    type: "checkbox",
    "data-id": row.id,
    "aria-label": `select ${label}, row ${row.row}`,
  });
  tick.checked = explorer.picks.has(row.id);
  tick.onchange = () => {
    const picks = [...(live.explorer?.picks ?? [])];
    pick(live, tick.checked ? [...picks, row.id] : picks.filter((id) => id !== row.id));
  };
  return element(
    "tr",
    element("td", tick),
    element("td", symbol(explorer.spec.looks[name]), element("span", ` ${label}`)),
    element("td", String(row.row)),
    ...(labels ? [element("td", row.labels)] : []),
    ...(explorer.spec.key ? [element("td", row.key)] : []),
    element("td", row.near ? row.near.join(", ") : "…"),
    ...(looks ? [lookCell(row)] : []),
  );
}

/** @param {Row} row */
function lookCell({ row, text, problem, picture }) {
  const cell = element("td.look", [text, problem].filter(Boolean).join(" · "));
  if (picture) cell.prepend(element("img", { src: picture, alt: `picture of row ${row}` }));
  return cell;
}
