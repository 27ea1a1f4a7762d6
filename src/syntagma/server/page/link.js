/**
 * A state as the fragment of an address, and back:
 *
 *     #words=barked+the+dog&first=2&before=2-3&tag=3:NN&head=3:1:nsubj
 *
 * Numbers are places among the words, from 1; `_` are the features of a word that has none. The fragment never leaves the browser, so that the
 * server does not see, let alone log, what is in it. What cannot be read is left out.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Word} Word
 */

import {
  COUNTS,
  EMPTY,
  joinText,
  readFeatures,
  splitText,
  SWITCHES,
  writeFeatures,
} from "./state.js";

const MODES = ["words", "lemmas", "exercise"];

/** The fragment of a state, without its `#`. */
export function toLink(/** @type {State} */ state) {
  const position = new Map(state.words.map((word, index) => [word.id, index + 1]));
  const query = new URLSearchParams();
  if (state.mode === "exercise") {
    query.set("mode", "exercise");
    if (state.title) query.set("title", state.title);
    if (state.sentences) query.set("sentences", state.sentences);
  } else query.set(state.mode, joinText(state.words));
  if (state.model !== null) query.set("model", state.model);
  if (state.mode === "exercise") return String(query);

  if (state.first !== null) query.set("first", String(position.get(state.first)));
  if (state.last !== null) query.set("last", String(position.get(state.last)));
  for (const [a, b] of state.before)
    query.append("before", `${position.get(a)}-${position.get(b)}`);
  state.words.forEach((word, index) => {
    const place = index + 1;
    if (word.tag !== undefined) query.append("tag", `${place}:${word.tag}`);
    if (word.upos !== undefined) query.append("upos", `${place}:${word.upos}`);
    if (word.head !== undefined) {
      const label = word.deprel === undefined ? "" : `:${word.deprel}`;
      query.append("head", `${place}:${position.get(word.head) ?? 0}${label}`);
    }
    if (word.features !== undefined)
      query.append("features", `${place}:${writeFeatures(word.features)}`);
  });
  if (state.count !== EMPTY.count) query.set("orders", String(state.count));
  for (const name of SWITCHES) if (state[name]) query.set(name, "yes");
  if (state.chosen) query.set("order", String(state.chosen + 1));
  return readable(query);
}

/** The state of a fragment, with or without its `#`; null if it holds none. @returns {State | null} */
export function fromLink(/** @type {string} */ fragment) {
  const query = new URLSearchParams(fragment.replace(/^#/, ""));
  const mode = MODES.find((each) => query.has(each)) ?? query.get("mode");
  if (!mode || !MODES.includes(mode)) return null;
  const model = query.get("model") || null;
  if (mode === "exercise")
    return {
      ...EMPTY,
      mode,
      model,
      title: query.get("title") ?? "",
      sentences: query.get("sentences") ?? "",
    };

  /** @type {Word[]} */
  const words = splitText(query.get(mode) ?? "").map((text, index) => ({ id: index + 1, text }));
  /** @param {string | null | undefined} text */
  const place = (text) => {
    const number = /^\d{1,6}$/.test(text ?? "") ? Number(text) : 0;
    return number >= 1 && number <= words.length ? number : null;
  };
  for (const [word, tag] of pairs(query, "tag", words)) word.tag = tag;
  for (const [word, upos] of pairs(query, "upos", words)) word.upos = upos;
  for (const [word, text] of pairs(query, "features", words)) word.features = readFeatures(text);
  for (const [word, value] of pairs(query, "head", words)) {
    const [, head, label] = /^(\d+)(?::(.+))?$/.exec(value) ?? [];
    if (head !== "0" && (place(head) === null || place(head) === word.id)) continue;
    word.head = Number(head);
    if (label) word.deprel = label;
  }
  const before = query.getAll("before").flatMap((text) => {
    const [a, b] = text.split("-").map(place);
    return a && b && a !== b ? [/** @type {const} */ ([a, b])] : [];
  });
  const count = Number(query.get("orders"));
  const order = Number(query.get("order"));
  return {
    ...EMPTY,
    mode: /** @type {"words" | "lemmas"} */ (mode),
    words,
    before,
    first: place(query.get("first")),
    last: place(query.get("last")),
    model,
    count: COUNTS.includes(count) ? count : EMPTY.count,
    diverse: query.get("diverse") === "yes",
    projective: query.get("projective") === "yes",
    judge: query.get("judge") === "yes",
    chosen: Number.isInteger(order) && order > 1 ? order - 1 : 0,
  };
}

/** The values `place:value` of a key, with the words they are about. @returns {[Word, string][]} */
function pairs(
  /** @type {URLSearchParams} */ query,
  /** @type {string} */ key,
  /** @type {Word[]} */ words,
) {
  return query.getAll(key).flatMap((text) => {
    const [, place, value] = /^(\d{1,6}):(.+)$/s.exec(text) ?? [];
    const word = words[Number(place) - 1];
    return word ? [/** @type {[Word, string]} */ ([word, value])] : [];
  });
}

/** A query with the characters left readable that are allowed in a fragment. */
function readable(/** @type {URLSearchParams} */ query) {
  return String(query)
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%3F", "?")
    .replaceAll("%21", "!")
    .replaceAll("%27", "'");
}
