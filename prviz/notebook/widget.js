// The live figure in a notebook. The kernel sends its modules and plotly.js once for all widgets of a page. Questions to
// the kernel and its answers use the same channel; in the app they use a route of the server (pages/_live/stream.js).

/**
 * What anywidget gives a view of the model.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(content: object) => void} send
 * @property {(event: string, call: (...given: any[]) => void) => void} on
 * @property {(event: string, call: (...given: any[]) => void) => void} off
 *
 * @typedef {{ parts: Map<string, Promise<any>> }} Shared
 */

const CUSTOM = "msg:custom";
// Time after which a module that another widget requested is requested again: that widget's kernel may have gone.
const PATIENCE_MS = 3000;
const PING_MS = 1000; // from the loss of the connection to the next attempt
const GONE = "The kernel has gone. The curves stay; run the cell again to go on.";

const page = /** @type {Window & { __prvizWidgets?: Shared }} */ (window);
const { parts } = (page.__prvizWidgets ??= { parts: new Map() });

/** @param {DataView} buffer */
const textOf = (buffer) => new TextDecoder().decode(buffer);

/** Fetches an ES module from the kernel, which sends it compressed.
 * @param {Model} model @param {string} name @returns {Promise<any>} */
function fetchPart(model, name) {
  return new Promise((done, failed) => {
    /** @param {{ kind: string, name: string }} content @param {DataView[]} buffers */
    const hear = (content, buffers) => {
      if (content.kind !== "part" || content.name !== name) return;
      model.off(CUSTOM, hear);
      const packed = new Blob([/** @type {any} */ (buffers[0])]).stream();
      new Response(packed.pipeThrough(new DecompressionStream("gzip")))
        .text()
        .then((text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" }))))
        .then(done, failed);
    };
    model.on(CUSTOM, hear);
    model.send({ kind: "part", name });
  });
}

/** Returns a module that all widgets of the page share; fetches it if none has done so.
 * @param {Model} model @param {"figure" | "plotly"} name @returns {Promise<any>} */
function partOf(model, name) {
  const digest = model.get("_parts")[name],
    asked = parts.get(digest);
  const late = new Promise((again) => {
    setTimeout(again, PATIENCE_MS);
  });
  const found = asked
    ? Promise.race([asked, late.then(() => fetchPart(model, name))])
    : fetchPart(model, name);
  parts.set(digest, found);
  return found;
}

/** Returns a function that sends a question of one view to the kernel and yields the lines of the answer.
 * @param {Model} model @param {string} view */
const lineOf = (model, view) =>
  /** @param {{ q: number }} question @param {string} _ @param {AbortSignal} signal */
  async function* answerTo(question, _, signal) {
    /** @type {(string | null)[]} */
    const lines = [];
    let wake = () => {};
    /** @param {{ kind: string, view: string, q: number }} content @param {DataView[]} buffers */
    const hear = (content, buffers) => {
      if (content.kind !== "line" || content.view !== view || content.q !== question.q) return;
      lines.push(buffers.length ? textOf(buffers[0]) : null);
      wake();
    };
    model.on(CUSTOM, hear);
    signal.addEventListener("abort", () => hear({ kind: "line", view, q: question.q }, []));
    model.send({ kind: "ask", view, question });
    try {
      for (;;) {
        const line = lines.shift();
        if (line === null) return;
        if (line !== undefined) yield line;
        else
          await new Promise((heard) => {
            wake = () => heard(undefined);
          });
      }
    } finally {
      model.off(CUSTOM, hear);
    }
  };

/**
 * The module of the live figure.
 * @typedef {{ default: (component: object) => () => void, markup: string, style: string }} Figure
 */

const PANELS = { space: "Space", extremes: "Extremes", numbers: "Numbers" };

/** The panels that can be opened below the figure; they show figures of their own, which follow its sliders.
 * @param {Model} model @param {(content: object) => void} tell @param {object} host */
function makePanels(model, tell, host) {
  const row = document.createElement("div"),
    /** @type {Map<string, HTMLDetailsElement>} */
    boxes = new Map(),
    /** @type {Map<string, () => void>} */
    leaving = new Map();
  row.className = "panels";
  const open = () => [...boxes].filter(([, box]) => box.open).map(([name]) => name);
  const show = () => {
    for (const [name, box] of boxes) box.open = model.get("panels").includes(name);
  };
  for (const [name, title] of Object.entries(PANELS)) {
    const box = document.createElement("details");
    box.dataset.panel = name;
    box.innerHTML = `<summary>${title}</summary><div class="choices"></div><div></div>`;
    box.addEventListener("toggle", () => {
      if (open().join() === [...model.get("panels")].join()) return;
      model.set("panels", open());
      model.save_changes();
    });
    boxes.set(name, box);
    row.append(box);
  }
  show();
  model.on("change:panels", show);
  return {
    row,
    /** @param {Figure} figure @param {{ name: string, choices?: Record<string, [[string, string][], string]> }} content @param {DataView} data */
    draw(figure, { name, choices = {} }, data) {
      const box = boxes.get(name);
      if (!box) return;
      const [, offered, body] = /** @type {HTMLCollectionOf<HTMLElement>} */ (box.children);
      offered.replaceChildren(
        ...Object.entries(choices).map(([kind, given]) => choice(tell, kind, ...given)),
      );
      if (!body.firstChild) body.innerHTML = figure.markup;
      leaving.set(
        name,
        figure.default({
          data,
          parentElement: body,
          setStateValue: (/** @type {string} */ _, /** @type {object} */ values) =>
            tell({ kind: "panel", values }),
          setTriggerValue: () => {},
          host,
        }),
      );
    },
    leave() {
      model.off("change:panels", show);
      for (const end of leaving.values()) end();
    },
  };
}

/** @param {(content: object) => void} tell @param {string} kind @param {[name: string, title: string][]} options @param {string} now */
function choice(tell, kind, options, now) {
  const list = document.createElement("select");
  list.setAttribute("aria-label", kind === "colour" ? "Colour" : "Family");
  list.append(
    ...options.map(([name, title]) =>
      Object.assign(document.createElement("option"), { value: name, text: title, selected: name === now }),
    ),
  );
  list.onchange = () => tell({ kind: "panel", values: { [kind]: list.value } });
  return list;
}

/** @param {{ model: Model, el: HTMLElement }} given */
async function render({ model, el }) {
  const view = Math.random().toString(36).slice(2);
  const tell = (/** @type {object} */ content) => {
    try {
      model.send({ ...content, view });
    } catch {
      notice.textContent = GONE; // the channel is closed
    }
  };
  const still = document.createElement("div"),
    notice = document.createElement("p"),
    box = document.createElement("div");
  still.innerHTML = model.get("_still"); // until the figure arrives; stays if there is no kernel
  notice.setAttribute("role", "status");
  box.className = "prviz-widget";
  // JupyterLab must not handle keys pressed in the figure: an arrow moves a slider and must not fold a heading.
  box.dataset.lmSuppressShortcuts = "true";
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") event.stopPropagation();
  });
  // Hides the picture below, which belongs to the saved document, while the figure is shown.
  const alive = document.createElement("style");
  alive.textContent = `.prviz-${model.get("_still_id")} { display: none; }`;
  el.append(still, notice);
  /** @type {Figure | undefined} */
  let figure;
  /** @type {(() => void) | undefined} */
  let leave;
  const host = {
    answerTo: lineOf(model, view),
    findPlotly: () => partOf(model, "plotly").then((module) => module.default),
  };
  const panels = makePanels(model, tell, host);
  /** @param {{ kind: string, name: string }} content @param {DataView[]} buffers */
  const hear = (content, buffers) => {
    notice.textContent = "";
    if (content.kind === "panel" && figure) panels.draw(figure, content, buffers[0]);
    if (content.kind !== "draw" || !figure) return;
    if (!box.isConnected) {
      box.innerHTML = `<style>${figure.style}</style>${figure.markup}`;
      box.querySelector(".controls")?.classList.add("live-place"); // the narrow layout that the app uses beside its figure
      box.append(panels.row);
      still.replaceWith(box);
      document.head.append(alive);
    }
    leave = figure.default({
      data: buffers[0],
      parentElement: box,
      setStateValue: () => {},
      setTriggerValue: (/** @type {string} */ kind, /** @type {unknown} */ value) => tell({ kind, value }),
      host,
    });
  };
  const lost = () => {
    notice.textContent = GONE; // until the kernel sends a message
    setTimeout(() => tell({ kind: "ping" }), PING_MS);
  };
  const open = () => tell({ kind: "open" });
  const themes = new MutationObserver(open); // a new theme's colours need a new drawing
  model.on(CUSTOM, hear);
  model.on("comm_live_update", lost);
  partOf(model, "figure").then((module) => {
    figure = module;
    themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-name", "class"] });
    open();
  });
  return () => {
    themes.disconnect();
    model.off(CUSTOM, hear);
    model.off("comm_live_update", lost);
    leave?.();
    panels.leave();
    alive.remove();
    tell({ kind: "leave" });
  };
}

export default { render };
