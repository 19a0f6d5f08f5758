// What a figure tells the page has a part of it run again. Between the click on another page and that one's first answer
// such a run would be the old page's, and keep the visitor there: it is put off until the new page, or no page, has come.

const LOOK_MS = 50, LONGEST_MS = 3000;
let from = "", since = -Infinity;

document.addEventListener("click", ({ target }) => {
  if (!(target instanceof Element) || !target.closest(".st-key-prviz-bar a")) return;
  from = document.documentElement.className;
  since = performance.now();
}, true);

const leaving = () => document.documentElement.className === from && performance.now() < since + LONGEST_MS;

/** Call this at once, or once the visitor has stayed; not at all where the element has left the page.
 * @param {Element} node @param {() => void} call */
export function whenHere(node, call) {
  if (!leaving()) call();
  else setTimeout(() => { if (node.isConnected) whenHere(node, call); }, LOOK_MS);
}
