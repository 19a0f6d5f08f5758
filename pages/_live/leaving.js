// Delays messages to Python while the visitor changes to another page. A value that a figure sends makes Streamlit
// rerun a part of the page. If it arrives between a click on a link to another page and that page's first answer,
// Streamlit reruns the old page and stays on it. So the value is held back until the new page has come, or until
// LONGEST_MS after the click.

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

/** Returns a function that delays calls: a call runs soon, or, after a click on a link to another page, once it is
 * clear that the visitor stays. A call is dropped if the page has changed or the element is gone; the element alone
 * would not tell, as old elements stay until the new page is complete. The short delay lets Streamlit receive a
 * click at the same moment first.
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
