// Buttons that save a drawing as SVG (unchanged) or as PNG (painted by the browser). Python sends the SVG text.

import { button, element } from "../_live/dom.js";

/** PNG pixels for each pixel of the drawing: the PNG of a square drawing has 1800 x 1800. */
const SCALE = 2;

/** @param {Blob} blob @param {string} file */
function save(blob, file) {
  const href = URL.createObjectURL(blob);
  element("a", { href, download: file }).click();
  // free the file's memory later: the browser may still be reading it
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** @param {Blob} svg @returns {Promise<Blob>} */
async function png(svg) {
  const url = URL.createObjectURL(svg),
    image = element("img", { src: url });
  await image.decode();
  const canvas = element("canvas", {
    width: SCALE * image.naturalWidth,
    height: SCALE * image.naturalHeight,
  });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no PNG")))),
  );
}

/** @param {{ data: Uint8Array, parentElement: HTMLElement }} component */
export default function showButtons({ data, parentElement }) {
  /** @type {{ name: string, drawings: Record<string, string> }} */
  const { name, drawings } = JSON.parse(new TextDecoder().decode(data));
  const buttons = Object.entries(drawings).flatMap(([shape, text]) =>
    ["PNG", "SVG"].map((kind) => {
      const svg = new Blob([text], { type: "image/svg+xml" }),
        file = `${name}-${shape.replace(":", "x")}.${kind.toLowerCase()}`;
      return button(async () => save(kind === "SVG" ? svg : await png(svg), file), `${kind} ${shape}`);
    }),
  );
  parentElement.querySelector(".pictures")?.replaceChildren(...buttons);
}
