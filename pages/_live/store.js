// Puts the frames of a profile where every live figure of the page finds them; several profiles, the oldest goes first.
const KEPT = 4;

export default function ({ data }) {
  const frames = JSON.parse(new TextDecoder().decode(data));
  if (!frames.id) return;
  const store = (window.__prviz ??= { frames: new Map(), listeners: new Set(), hand: null });
  store.frames.delete(frames.id);
  store.frames.set(frames.id, frames);
  for (const id of [...store.frames.keys()].slice(0, -KEPT)) store.frames.delete(id);
  store.listeners.forEach((listener) => listener());
}
