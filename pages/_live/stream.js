// Sends one question to Python on the visitor's line, and reads the lines of its answer (pages/_live/route.py).

const ADDRESS = "../../live/ask"; // the server's route, relative to the address of this script
export const GONE = 410; // HTTP status of an answer if Python no longer knows the visitor
export const RETRY_MS = 1000; // milliseconds to wait before asking again a server that did not answer

export class LostError extends Error {
  /** @param {number} status the HTTP status of the answer */
  constructor(status) {
    super(`the answer has status ${status}`);
    this.status = status;
  }
}

/** @param {Record<string, unknown>} question @param {string} token identifies the visitor @param {AbortSignal} [signal] */
export async function* answerTo(question, token, signal) {
  const headers = { "content-type": "application/json", "x-prviz-token": token };
  const response = await fetch(new URL(ADDRESS, import.meta.url), {
    method: "POST",
    headers,
    body: JSON.stringify(question),
    signal,
  });
  if (!response.ok || !response.body) throw new LostError(response.status);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** @param {number} seconds */
const durationText = (seconds) =>
  seconds < 90 ? `${Math.max(Math.round(seconds), 1)} s` : `${Math.round(seconds / 60)} min`;

/** Text on what is being measured and how long that will still take.
 * @param {{ note: string, left: number }} work */
export const progressText = ({ note, left }) =>
  [note, left > 1 && `about ${durationText(left)} left`].filter(Boolean).join(": ");
