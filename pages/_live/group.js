// Linked views of the same items, such as checkpoints. One item is highlighted in all views: the one under the
// pointer, else the chosen one. A drag in a view may pick several items, and the others fade.

import { store } from "./store.js";

/**
 * @typedef {object} StandoutGroup
 * @property {string} name
 * @property {Set<() => void>} followers called when another item is highlighted or picked
 * @property {string | null} under the item under the pointer
 * @property {string | null} chosen
 * @property {string[] | null} picked the items that a drag has picked; null if there was no drag, which means all items
 * @property {(() => void) | null} tell sends the chosen item to Python; set by one of the views
 */

/** Join the group with this name: `follow` is called at each change of its highlighted or picked items.
 * @param {string} name @param {() => void} follow @returns {StandoutGroup} */
export function joinGroup(name, follow) {
  const group = store.standouts.get(name) ?? {
    name,
    followers: new Set(),
    under: null,
    chosen: null,
    picked: null,
    tell: null,
  };
  store.standouts.set(name, group);
  group.followers.add(follow);
  return group;
}

/** @param {StandoutGroup} group @param {() => void} follow */
export function leaveGroup(group, follow) {
  group.followers.delete(follow);
  group.under = null;
  if (group.followers.size) showGroup(group);
  else store.standouts.delete(group.name);
}

/** @param {StandoutGroup} group */
export const showGroup = (group) => group.followers.forEach((follow) => follow());

/** @param {StandoutGroup} group */
export const standing = (group) => group.under ?? group.chosen;

/** True if an item fades, because another item is highlighted or others are picked.
 * @param {StandoutGroup} group @param {string | null} item */
export const isFaded = ({ under, picked }, item) =>
  (under !== null && item !== under) || Boolean(picked && item !== under && !picked.includes(item ?? ""));

/** @param {StandoutGroup} group @param {string | null} item */
export function pointTo(group, item) {
  if (group.under === item) return;
  group.under = item;
  showGroup(group);
}

/** Choose an item; choosing it again clears the choice.
 * @param {StandoutGroup} group @param {string | null} item */
export function choose(group, item) {
  group.chosen = group.chosen === item ? null : item;
  showGroup(group);
  group.tell?.();
}

/** @param {StandoutGroup} group @param {string[] | null} items */
export function pick(group, items) {
  group.picked = items;
  showGroup(group);
}
