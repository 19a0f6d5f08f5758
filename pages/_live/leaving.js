// A value that a figure sends to the page makes Streamlit run a part of it again. Between a click on the link to
// another page and that page's first answer, the run would still be the old page's and keep the visitor there: such a
// value is held back until the new page has come, or no page has for LONGEST_MS.

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

/** A function that calls another one soon, or, after a click on a link to another page, once it is clear that the
 * visitor stays. It does not call where the element or its page is gone; the elements of the old page stay until
 * the new one is drawn completely. Not at once but soon: Streamlit then receives the value after the event of a
 * click at the same moment.
 * @param {Node} node an element of the page on screen @returns {(call: () => void) => void} */
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
