// A task for a class of students, which a link to the page contains: predict which curve is the answer before the
// truth is shown, or reach a goal. An answer gives a short code; pasting the codes of a whole class shows how often
// each curve was chosen. Nothing is stored.

import { button, element, setText } from "./dom.js";

/** @import { CurveAtStop } from "./frames.js" */
/** @import { LiveFigure } from "./main.js" */
/** @import { View } from "./view.js" */

/**
 * A task as Python describes it (prviz/live/tasks.py).
 * @typedef {{ name: string, text: string, column: string, family: string, least: number, most: number }} TaskSpec
 *
 * The task on screen. shape: text that identifies the task that its elements were made for; answer: id of the chosen
 * curve; secret: the truth is still hidden.
 * @typedef {{ shape: string, answer: string, revealed: boolean, secret: boolean, counts: HTMLElement, codes: HTMLTextAreaElement, said: HTMLElement }} Task
 */

const CODE = /^([a-z-]+)\.([0-9a-f]{4})\.(\S+)$/;
const DIGITS = 4; // a code contains this many digits of the id of the settings

/** @returns {Task} */
export const noTask = () => ({
  shape: "",
  answer: "",
  revealed: false,
  secret: false,
  counts: element("ul"),
  codes: element("textarea", { rows: 4, "aria-label": "Codes of a class, one a line" }),
  said: element("p", { role: "status" }),
});

/** The curves from which the user chooses the answer.
 * @param {LiveFigure} live */
const families = ({ payload: { curves } }) => curves.filter(({ id }) => id !== "truth");

/** @param {LiveFigure} live */
export function takeTask(live) {
  const { payload, task, parts, root } = live,
    spec = payload.task ?? null;
  if (!payload.rows) return;
  const shape = JSON.stringify([spec, families(live).map(({ id }) => id)]);
  if (shape !== task.shape) {
    Object.assign(task, { shape, answer: "", revealed: false });
    task.codes.oninput = () => count(live);
    parts.task.hidden = !spec;
    parts.task.replaceChildren(...(spec ? elementsOf(live, spec) : []));
    count(live);
  }
  const secret = Boolean(spec?.column) && !task.revealed;
  if (secret !== task.secret) for (const pane of live.panes) pane.must = true;
  task.secret = secret;
  root.ownerDocument.documentElement.toggleAttribute("data-prviz-asked", secret);
}

/** @param {LiveFigure} live @param {TaskSpec} spec */
function elementsOf(live, spec) {
  const { task, parts } = live;
  if (!spec.column) return [element("b", spec.text), task.said];
  const reveal = button(
    () => {
      task.revealed = true;
      takeTask(live);
      live.redraw();
    },
    "Reveal",
    { class: "reveal", disabled: "" },
  );
  const choices = families(live).map(({ id, name, color }) =>
    button(
      () => {
        if (task.revealed) return;
        task.answer = id;
        for (const each of choices) each.setAttribute("aria-pressed", String(each.dataset.answer === id));
        reveal.disabled = false;
      },
      name,
      { "data-answer": id, "aria-pressed": "false", style: `--swatch: ${color}` },
    ),
  );
  const paste = element(
    "details",
    element("summary", "Codes of a class"),
    element("div", element("p", "Paste them, one a line."), task.codes, task.counts),
  );
  parts.task.dataset.asks = spec.name;
  return [element("div.choices", ...choices, reveal), task.said, paste];
}

/** The correct answers of a task: the curve with the largest number, and all curves whose number is below that by no
 * more than chance.
 * @param {LiveFigure} live @param {TaskSpec} spec @param {CurveAtStop[]} curves */
function right({ payload: { table, noise = 0 } }, spec, curves) {
  const place = table?.columns.findIndex(({ key }) => key === spec.column) ?? -1,
    valued = curves.filter(({ id, row }) => id !== "truth" && row);
  const value = (/** @type {CurveAtStop} */ { row }) => row?.[place] ?? 0,
    most = Math.max(...valued.map(value));
  return valued.filter((curve) => most - value(curve) <= noise);
}

/** Show the state of the task, beside its buttons.
 * @param {LiveFigure} live @param {View} view */
export function showTask(live, { curves }) {
  const { payload, task, parts } = live,
    spec = payload.task;
  if (!spec || !payload.table) return;
  const nameOf = new Map(curves.map(({ id, name }) => [id, name]));
  if (spec.column && task.revealed) {
    const answers = right(live, spec, curves),
      is = answers.some(({ id }) => id === task.answer);
    const code = `${spec.name}.${(payload.now ?? "").slice(0, DIGITS)}.${task.answer}`;
    task.said.dataset.code ??= code;
    parts.task.dataset.right = answers.map(({ id }) => id).join();
    setText(
      task.said,
      `${nameOf.get(task.answer)}: ${is ? "right" : `no, ${answers.map(({ name }) => name).join(" or ")}`}. Your code: ${task.said.dataset.code}`,
    );
  } else if (!spec.column) {
    const place = payload.table.columns.findIndex(({ key }) => key === "auc"),
      area = (/** @type {string} */ id) => curves.find((curve) => curve.id === id)?.row?.[place];
    const [family, truth] = [area(spec.family), area("truth")],
      known = family !== undefined && truth !== undefined && !payload.coarse && !payload.stale;
    const reached = known && family >= spec.least && truth <= spec.most;
    parts.task.dataset.reached = String(reached);
    setText(
      task.said,
      known
        ? `${reached ? "Reached" : "Now"}: ${nameOf.get(spec.family)} ${family.toFixed(2)}, truth ${truth.toFixed(2)}.`
        : "",
    );
  } else {
    delete task.said.dataset.code;
    delete parts.task.dataset.right;
    setText(task.said, "");
  }
}

/** Count how many of the pasted codes chose each curve.
 * @param {LiveFigure} live */
function count(live) {
  const { task, payload } = live,
    spec = payload.task,
    lines = task.codes.value.split(/\s+/).filter(Boolean);
  if (!spec) return;
  const own = (payload.now ?? "").slice(0, DIGITS),
    parsed = lines.map((line) => CODE.exec(line)),
    here = parsed.filter((each) => each?.[1] === spec.name && each[2] === own);
  const bars = families(live).map(({ id, name, color }) => {
    const chosen = here.filter((each) => each?.[3] === id).length;
    return element(
      "li",
      { "data-answer": id, "data-count": chosen },
      element("span", name),
      element("i", { style: `--swatch: ${color}; --share: ${here.length ? chosen / here.length : 0}` }),
      element("b", String(chosen)),
    );
  });
  const others = lines.length - here.length;
  task.counts.replaceChildren(
    ...bars,
    ...(others ? [element("li.others", `${others} of other settings or no code`)] : []),
  );
}
