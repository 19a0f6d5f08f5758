// What a figure tells the page has a part of it run again. Between the click on another page and that one's first answer
// such a run would be the old page's, and keep the visitor there: it is put off until the new page, or no page, has come.

const LOOK_MS = 50,
  LONGEST_MS = 3000;
let from = "",
  since = -Infinity;

document.addEventListener(
  "click",
  ({ target }) => {
    if (!(target instanceof Element) || !target.closest(".st-key-prviz-bar a")) return;
    from = document.documentElement.className;
    since = performance.now();
  },
  true,
);

const leaving = () => document.documentElement.className === from && performance.now() < since + LONGEST_MS;

/** What calls soon, or once the visitor has stayed; not at all where the element or its page has left: the elements of
 * the old page stay until the new one is drawn to its end. Soon, and not at once: Streamlit sends what it is told after
 * what a click in the same moment asks for.
 * @param {Node} node of the page on screen @returns {(call: () => void) => void} */
export function whileHere(node) {
  const page = document.documentElement.className;
  const tell = (/** @type {() => void} */ call, wait = 0) => {
    setTimeout(() => {
      if (document.documentElement.className !== page || !node.isConnected) return;
      if (leaving()) tell(call, LOOK_MS);
      else call();
    }, wait);
  };
  return tell;
}
