// One sentence on how the curves on screen differ from a pinned state.

/**
 * The settings of a state, by the id of their control. A setting has a name, its value as a number (null if it is
 * none) and its value as text.
 * @typedef {Record<string, [name: string, number: number | null, text: string]>} Words
 *
 * The numbers of one state, by family: the overlap (IoU) with the truth if `compared`, else the area. noise: largest
 * difference that chance alone explains.
 * @typedef {{ numbers: Map<string, number>, names: Map<string, string>, compared: boolean, noise: number, words: Words }} State
 */

const MOST = 3; // the sentence names at most this many settings

/** Text that names the settings in which two states differ; "" if they differ in none.
 * @param {Words} now @param {Words} then */
export function changes(now, then) {
  if (now.data[2] !== then.data[2]) return "the data are others";
  const parts = [];
  for (const [id, [name, number, text]] of Object.entries(now)) {
    const [, before = null, read = ""] = then[id] ?? [];
    if (!(id in then) || text === read) continue;
    if (number === null || before === null)
      parts.push(text.length + read.length > 24 ? `${name} changed` : `${name} is ${text}, not ${read}`);
    else parts.push(`${name} ${number < before ? "fell" : "rose"} from ${read} to ${text}`);
  }
  const more = parts.length - MOST;
  return parts.length > MOST
    ? `${parts.slice(0, MOST).join(", ")} and ${more} more changed`
    : parts.join(" and ");
}

/** The sentence on the curve that differs most; "" if the two states have the same settings.
 * @param {State} now @param {State} then */
export function differenceText(now, then) {
  const shared = [...now.numbers.keys()].filter((id) => then.numbers.has(id));
  const why = changes(now.words, then.words);
  if (!shared.length) return "None of the pinned curves is drawn now.";
  if (!why) return "";
  const gap = (/** @type {string} */ id) => Number(now.numbers.get(id)) - Number(then.numbers.get(id));
  const most = shared.reduce((best, id) => (Math.abs(gap(id)) > Math.abs(gap(best)) ? id : best));
  const two = (/** @type {State} */ { numbers }) => Number(numbers.get(most)).toFixed(2);
  const said = `${now.names.get(most)}: ${now.compared ? "overlap" : "area"} ${two(now)}, pinned ${two(then)}`;
  // The noise of both states counts, since each may have its own draw of samples.
  const chance = Math.hypot(now.noise, then.noise);
  if (two(now) === two(then) || Math.abs(gap(most)) <= chance)
    return `${said}; no more than chance, though ${why}.`;
  return `${said}; ${gap(most) < 0 ? "lower" : "higher"} since ${why}.`;
}
