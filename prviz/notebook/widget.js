// The live figure in a notebook. The kernel sends the figure's modules and plotly.js once for all widgets of a page.
// Requests to the kernel and its answers use the widget's channel; in the app they use a route of the server
// (pages/_live/stream.js).

/**
 * The interface to the widget's traits and messages that anywidget passes to each view.
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
// A module that another widget has requested is requested again after this time: the other kernel may have ended.
const PATIENCE_MS = 3000;
const PING_MS = 1000; // from the loss of the connection to the next attempt to reach the kernel
const GONE = "The kernel has gone. The curves stay; run the cell again to go on.";

const page = /** @type {Window & { __prvizWidgets?: Shared }} */ (window);
const { parts } = (page.__prvizWidgets ??= { parts: new Map() });

/** @param {DataView} buffer */
const textOf = (buffer) => new TextDecoder().decode(buffer);

/** Fetches an ES module from the kernel and imports it; it is sent compressed.
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

/** Returns a module that all widgets of the page share; fetches it if no widget has fetched it yet.
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

/** Returns a function that sends a request of one view to the kernel and yields the lines of the kernel's answer.
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
 * The imported module of the live figure: its default export draws the figure and returns a function that ends it.
 * @typedef {{ default: (component: object) => () => void, markup: string, style: string }} Figure
 */

const PANELS = { space: "Space", extremes: "Extremes", numbers: "Numbers" };

/** Makes the panels that can be opened below the main figure. Each has figures of its own, which follow the sliders.
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
      notice.textContent = GONE; // sending failed: the channel is closed
    }
  };
  const still = document.createElement("div"),
    notice = document.createElement("p"),
    box = document.createElement("div");
  still.innerHTML = model.get("_still"); // a picture until the figure arrives; it stays if there is no kernel
  notice.setAttribute("role", "status");
  box.className = "prviz-widget";
  // JupyterLab must not handle keys pressed in the figure: an arrow moves a slider and must not fold a heading.
  box.dataset.lmSuppressShortcuts = "true";
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") event.stopPropagation();
  });
  // Hides the picture below the widget while the live figure is shown. The picture is for the saved document.
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
      box.querySelector(".controls")?.classList.add("live-place"); // the narrow layout of controls beside a figure, as in the app
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
    notice.textContent = GONE; // `hear` removes the notice with the kernel's next message
    setTimeout(() => tell({ kind: "ping" }), PING_MS);
  };
  const open = () => tell({ kind: "open" });
  const themes = new MutationObserver(open); // with a new theme the figure is drawn again in its colours
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
