// The live figure in a notebook. Its modules and plotly.js come over the kernel's line, once for all widgets of a page;
// questions and answers go over that line too, as they go over the route of the app (pages/_live/stream.js).

/**
 * What anywidget gives a view of the model.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(content: object) => void} send
 * @property {(event: string, call: (...given: any[]) => void) => void} on
 * @property {(event: string, call: (...given: any[]) => void) => void} off
 *
 * @typedef {{ parts: Map<string, Promise<any>> }} Shared
 */

const CUSTOM = "msg:custom";
const PATIENCE_MS = 3000; // until a part that another widget has asked for is asked for again: its kernel may have gone
const PING_MS = 1000; // after the line was cut
const GONE = "The kernel has gone. The curves stay; run the cell again to go on.";

const page = /** @type {Window & { __prvizWidgets?: Shared }} */ (window);
const { parts } = (page.__prvizWidgets ??= { parts: new Map() });

/** @param {DataView} buffer */
const textOf = (buffer) => new TextDecoder().decode(buffer);

/** A module that the kernel sends, compressed.
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

/** The same for every widget of the page.
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

/** Questions of one view to the kernel.
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

/** @param {{ model: Model, el: HTMLElement }} given */
async function render({ model, el }) {
  const view = Math.random().toString(36).slice(2);
  const tell = (/** @type {object} */ content) => {
    try {
      model.send({ ...content, view });
    } catch {
      notice.textContent = GONE; // a line that is closed
    }
  };
  const still = document.createElement("div"),
    notice = document.createElement("p"),
    box = document.createElement("div");
  still.innerHTML = model.get("_still"); // until the figure comes: without a kernel it stays
  notice.setAttribute("role", "status");
  box.className = "prviz-widget";
  // JupyterLab's own keys: an arrow moves a slider, and folds no heading.
  box.dataset.lmSuppressShortcuts = "true";
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") event.stopPropagation();
  });
  // The picture below, which stays in the document, is hidden while the figure stands here.
  const alive = document.createElement("style");
  alive.textContent = `.prviz-${model.get("_still_id")} { display: none; }`;
  el.append(still, notice);
  /** @type {{ default: (component: object) => () => void, markup: string, style: string } | undefined} */
  let figure;
  /** @type {(() => void) | undefined} */
  let leave;
  const host = {
    answerTo: lineOf(model, view),
    findPlotly: () => partOf(model, "plotly").then((module) => module.default),
  };
  /** @param {{ kind: string }} content @param {DataView[]} buffers */
  const hear = (content, buffers) => {
    notice.textContent = "";
    if (content.kind !== "draw" || !figure) return;
    if (!box.isConnected) {
      box.innerHTML = `<style>${figure.style}</style>${figure.markup}`;
      box.querySelector(".controls")?.classList.add("live-place"); // as narrow as beside the app's figure
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
    notice.textContent = GONE; // until something is heard of it
    setTimeout(() => tell({ kind: "ping" }), PING_MS);
  };
  const open = () => tell({ kind: "open" });
  const themes = new MutationObserver(open); // the colours come with the next drawing
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
    alive.remove();
    tell({ kind: "leave" });
  };
}

export default { render };
