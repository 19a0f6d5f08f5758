// Run by .ci/run, after npm ci: npm run check
import js from "@eslint/js";

// The browser's names that are used; all others, such as `name` or `event`, are more likely a local one forgotten.
const browser = [
  ...["window", "document", "matchMedia", "getComputedStyle", "structuredClone", "performance", "URL", "Blob", "TextDecoder", "TextDecoderStream", "AbortController"],
  ...["Element", "HTMLElement", "ResizeObserver", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "requestAnimationFrame", "cancelAnimationFrame"],
  ...["navigator", "location", "history", "fetch", "URLSearchParams", "AbortController", "atob", "Response", "DecompressionStream", "MutationObserver"],
  ...["CSSMediaRule", "CSSGroupingRule", "CSSStyleRule"],
];

export default [
  { ignores: ["**/*.min.js"] },
  js.configs.recommended,
  {
    languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
    rules: { "prefer-const": "error", "no-shadow": "error" },
  },
];
