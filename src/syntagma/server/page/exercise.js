/**
 * Exercises: scrambled sentences that a learner puts in order. A link carries the words, shuffled,
 * and of the teacher's order only a checksum, so that the solution cannot be read off the address.
 * teacher.js makes exercises, learner.js runs them.
 *
 * @typedef {object} Item
 * @property {readonly string[]} words  to be put in order; with spaces, a phrase
 * @property {string} end               the mark that ends the sentence, or ""
 * @property {string} key               checksum of the teacher's order
 *
 * @typedef {object} Exercise
 * @property {string} title
 * @property {string | null} model
 * @property {readonly Item[]} items
 */

import { shuffled, splitText } from "./state.js";

const END = /^[.?!…。！？؟]+$/u;
const ATTACHED = /^(?:n['’]t|['’]\p{L}+)$/iu;

/** The words of a sentence as a learner meets them, still in the teacher's order. @returns {Item} */
export function itemOf(/** @type {readonly string[]} */ tokens) {
  const words = withContractions(tokens);
  const ends = words.length > 1 && END.test(words[words.length - 1]);
  const movable = ends ? words.slice(0, -1) : words;
  return { words: movable, end: ends ? words[words.length - 1] : "", key: checksum(movable) };
}

/** The same exercise without the capital of its first word, which would give its place away. @returns {Item} */
export function withoutCapital(/** @type {Item} */ item) {
  const [first, ...rest] = item.words;
  return /^\p{Lu}[\p{Ll} '’]*$/u.test(first) && !/^I\b/.test(first)
    ? { ...item, words: [first.toLowerCase(), ...rest] }
    : item;
}

/** The same exercise with its words in another order. @returns {Item} */
export function scrambled(
  /** @type {Item} */ item,
  /** @type {() => number} */ random = Math.random,
) {
  return { ...item, words: shuffled(item.words, random) };
}

/** Whether this order is the teacher's. */
export function isTeachers(/** @type {Item} */ item, /** @type {readonly string[]} */ words) {
  return checksum(words) === item.key;
}

/** What the service is asked about an order: indices of `item.words`. */
export function judgement(
  /** @type {Item} */ item,
  /** @type {readonly number[]} */ order,
  /** @type {string | null} */ model,
) {
  const words = item.end ? [...item.words, item.end] : [...item.words];
  const places = order.map((index) => index + 1);
  return {
    words,
    ...(item.end ? { last: words.length } : {}),
    order: item.end ? [...places, words.length] : places,
    ...(model === null ? {} : { options: { model } }),
  };
}

/** A word as it is written: “did n't” is didn't. */
export function written(/** @type {string} */ word) {
  return word.replace(/ (?=n['’]t(?: |$)|['’]\p{L}+(?: |$))/giu, "");
}

/** The fragment of an address that opens an exercise, without its `#`. */
export function toExerciseLink(/** @type {Exercise} */ exercise) {
  const query = new URLSearchParams();
  query.set("exercise", exercise.title);
  if (exercise.model !== null) query.set("model", exercise.model);
  for (const item of exercise.items) {
    const words = [...item.words, ...(item.end ? [item.end] : [])].map((word) =>
      word.replaceAll(" ", "\u00a0"),
    );
    query.append("item", `${item.key} ${words.join(" ")}`);
  }
  return String(query);
}

/** The exercise of a fragment; null if it holds none. @returns {Exercise | null} */
export function fromExerciseLink(/** @type {string} */ fragment) {
  const query = new URLSearchParams(fragment.replace(/^#/, ""));
  const items = query.getAll("item").flatMap((text) => {
    const [key, ...words] = splitText(text);
    if (words.length < 2) return [];
    const ends = END.test(words[words.length - 1]);
    return [
      { key, words: ends ? words.slice(0, -1) : words, end: ends ? words[words.length - 1] : "" },
    ];
  });
  return items.length
    ? { title: query.get("exercise") ?? "", model: query.get("model") || null, items }
    : null;
}

/** Contractions are one word to a learner. @returns {string[]} */
function withContractions(/** @type {readonly string[]} */ tokens) {
  /** @type {string[]} */
  const words = [];
  for (const token of tokens) {
    if (ATTACHED.test(token) && words.length) words.push(`${words.pop()} ${token}`);
    else words.push(token);
  }
  return words;
}

/** FNV-1a of the words, regardless of case, in base 36. It hides the order from a glance, no more. */
function checksum(/** @type {readonly string[]} */ words) {
  let hash = 0x811c9dc5;
  for (const unit of new TextEncoder().encode(words.join(" ").toLowerCase()))
    hash = Math.imul(hash ^ unit, 0x01000193);
  return (hash >>> 0).toString(36);
}
