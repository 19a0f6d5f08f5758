// Helpers: create elements of the page, and delay calls.

const SVG = "http://www.w3.org/2000/svg";

/** @param {Element} node @param {Record<string, string | number>} attributes */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
}

/** The text with a non-breaking space between a number and its % sign, and in "row 3" and "column 3", so that no line
 * ends between them.
 * @param {string} text */
export const unbroken = (text) => text.replace(/(\d(?= %)|\b(?:row|column)s?(?= \d)) /g, "$1\u00a0");

/** Part of a new element: its attributes (an object), or a piece of its content.
 * @typedef {Record<string, string | number> | Element | string} Part */

/** @template {Element} Kind @param {Kind} node @param {string[]} classes @param {Part[]} parts */
function filled(node, classes, parts) {
  node.classList.add(...classes);
  for (const part of parts) {
    if (typeof part === "string") node.append(unbroken(part));
    else if (part instanceof Element) node.append(part);
    else setAttributes(node, part);
  }
  return node;
}

/** Create an HTML element; kind: its name with its classes, as in "p.name".
 * @template {keyof HTMLElementTagNameMap} Kind @param {Kind | `${Kind}.${string}`} kind @param {Part[]} parts
 * @returns {HTMLElementTagNameMap[Kind]} */
export function element(kind, ...parts) {
  const [name, ...classes] = kind.split(".");
  return filled(document.createElement(/** @type {Kind} */ (name)), classes, parts);
}

/** Create an SVG element; kind as in `element`.
 * @template {keyof SVGElementTagNameMap} Kind @param {Kind | `${Kind}.${string}`} kind @param {Part[]} parts
 * @returns {SVGElementTagNameMap[Kind]} */
export function shape(kind, ...parts) {
  const [name, ...classes] = kind.split(".");
  return filled(document.createElementNS(SVG, /** @type {Kind} */ (name)), classes, parts);
}

/** @param {(event: MouseEvent) => void} onclick @param {Part[]} parts */
export const button = (onclick, ...parts) =>
  Object.assign(element("button", { type: "button" }, ...parts), { onclick });

/** @param {string} caption @param {Element[]} head cells of the table's one heading row @param {Element[]} bodies */
export const tableOf = (caption, head, ...bodies) =>
  element("table", element("caption", caption), element("thead", element("tr", ...head)), ...bodies);

/** Set a node's text only if it differs: a screen reader would announce the new text, and the browser lay
 * out the page again.
 * @param {Node | null | undefined} node @param {string} text */
export function setText(node, text) {
  const whole = unbroken(text);
  if (node && node.textContent !== whole) node.textContent = whole;
}

/** Append an element to the page's element with this `data-prviz-place`; to `home` if the page has no such element.
 * @param {Element} node @param {string} name @param {Element} home */
export function dock(node, name, home) {
  const place = document.querySelector(`[data-prviz-place="${name}"]`) ?? home;
  if (node.parentElement !== place) place.append(node);
}

// Milliseconds after which `painted` resolves even without a paint: a hidden or busy page may never paint.
const PAINT_MS = 500;

/** Resolves once the browser has painted what is on the page now.
 * @returns {Promise<void>} */
export const painted = () =>
  new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, PAINT_MS);
  });

// Delayed calls by name, at most one for each name.
export class Timers {
  /** @type {Map<string, number>} */
  #waiting = new Map();

  /** Run `call` after this many milliseconds. It replaces a waiting call of the same name.
   * @param {string} name @param {number} milliseconds @param {() => void} call */
  start(name, milliseconds, call) {
    this.stop(name);
    this.#waiting.set(
      name,
      setTimeout(() => {
        this.#waiting.delete(name);
        call();
      }, milliseconds),
    );
  }

  /** @param {string} name */
  stop(name) {
    clearTimeout(this.#waiting.get(name));
    this.#waiting.delete(name);
  }

  /** @param {string} name */
  waits(name) {
    return this.#waiting.has(name);
  }

  stopAll() {
    for (const name of [...this.#waiting.keys()]) this.stop(name);
  }
}
