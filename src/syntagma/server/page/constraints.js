/**
 * What can be said of the words, one function each, from state to state; and the list of what has
 * been said, which the page shows as chips. The newest wish wins over one that it contradicts
 * directly; anything subtler is for the service to refuse.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Word} Word
 *
 * @typedef {object} Constraint
 * @property {string} key       tells it from all others
 * @property {string} field     where the service's messages find it in the request
 * @property {number} word      id of the word it is about
 * @property {[string, string, string]} parts  before, middle and after, as in "dog · before · cat"
 * @property {(state: State) => State} remove
 */

import { nextId, without, withWords, wordOf } from "./state.js";

/** Pin a word to the first place, or release it. @returns {State} */
export function setFirst(/** @type {State} */ state, /** @type {number | null} */ id) {
  const before = id === null ? state.before : state.before.filter(([, b]) => b !== id);
  return { ...state, first: id, last: state.last === id ? null : state.last, before, chosen: 0 };
}

/** Pin a word to the last place, or release it. @returns {State} */
export function setLast(/** @type {State} */ state, /** @type {number | null} */ id) {
  const before = id === null ? state.before : state.before.filter(([a]) => a !== id);
  return { ...state, last: id, first: state.first === id ? null : state.first, before, chosen: 0 };
}

/** Say that word `a` stands somewhere before word `b`. @returns {State} */
export function putBefore(
  /** @type {State} */ state,
  /** @type {number} */ a,
  /** @type {number} */ b,
) {
  if (a === b) return state;
  const others = state.before.filter(([x, y]) => !(x === a && y === b) && !(x === b && y === a));
  return {
    ...state,
    before: [...others, [a, b]],
    first: state.first === b ? null : state.first,
    last: state.last === a ? null : state.last,
    chosen: 0,
  };
}

/** @returns {State} */
export function removeBefore(
  /** @type {State} */ state,
  /** @type {number} */ a,
  /** @type {number} */ b,
) {
  return { ...state, before: state.before.filter(([x, y]) => x !== a || y !== b), chosen: 0 };
}

/** Set what is known of a word; `undefined` leaves it open. @returns {State} */
export function setProperty(
  /** @type {State} */ state,
  /** @type {number} */ id,
  /** @type {"tag" | "upos" | "features"} */ key,
  /** @type {string | undefined} */ value,
) {
  return changed(state, id, (word) =>
    value === undefined ? without(word, key) : { ...word, [key]: value },
  );
}

/**
 * Draw an arc from a head, 0 for the root, to a dependent; `undefined` takes it away. A sentence
 * has one root, so that a new one takes the place of the old.
 *
 * @param {State} state
 * @param {number} id
 * @param {number | undefined} head
 * @param {string} [deprel]
 * @returns {State}
 */
export function setHead(state, id, head, deprel) {
  if (head === id) return state;
  if (head === undefined) return changed(state, id, (word) => without(word, "head", "deprel"));
  const next = changed(state, id, (word) => {
    const bare = without(word, "head", "deprel");
    return deprel ? { ...bare, head, deprel } : { ...bare, head };
  });
  return next.words
    .filter(
      (word) =>
        word.id !== id && (head === 0 ? word.head === 0 : word.id === head && word.head === id),
    )
    .reduce((result, word) => setHead(result, word.id, undefined), next);
}

/** Keep two words together, the first right before the second: they become one phrase. @returns {State} */
export function keepTogether(
  /** @type {State} */ state,
  /** @type {number} */ a,
  /** @type {number} */ b,
) {
  const [left, right] = [wordOf(state, a), wordOf(state, b)];
  if (!left || !right || a === b) return state;
  const phrase = { id: nextId(state), text: `${left.text} ${right.text}` };
  /** @param {number} id */
  const renamed = (id) => (id === a || id === b ? phrase.id : id);
  /** @param {number | null} id */
  const pinned = (id) => (id === null ? null : renamed(id));
  const words = state.words
    .filter((word) => word.id !== b)
    .map((word) =>
      word.id === a
        ? phrase
        : word.head === undefined
          ? word
          : { ...word, head: renamed(word.head) },
    );
  const before = state.before
    .map(([x, y]) => /** @type {const} */ ([renamed(x), renamed(y)]))
    .filter(
      ([x, y], index, pairs) =>
        x !== y && pairs.findIndex(([p, q]) => p === x && q === y) === index,
    );
  const first = pinned(state.first);
  const last = pinned(state.last);
  return withWords({ ...state, before, first, last: last === first ? null : last }, words);
}

/** Let the words of a phrase go their own ways. @returns {State} */
export function splitPhrase(/** @type {State} */ state, /** @type {number} */ id) {
  let unused = nextId(state);
  const words = state.words.flatMap((word) =>
    word.id === id ? word.text.split(" ").map((text) => ({ id: unused++, text })) : [word],
  );
  return withWords(state, words);
}

/** Take a word out of the bag. @returns {State} */
export function removeWord(/** @type {State} */ state, /** @type {number} */ id) {
  return withWords(
    state,
    state.words.filter((word) => word.id !== id),
  );
}

/** Forget all constraints and keep the words, phrases too. @returns {State} */
export function clearConstraints(/** @type {State} */ state) {
  const words = state.words.map(({ id, text }) => ({ id, text }));
  return { ...state, words, before: [], first: null, last: null, chosen: 0 };
}

/** All that has been said, in the order of the words. @returns {Constraint[]} */
export function constraintsOf(/** @type {State} */ state) {
  /** @param {number} id */
  const text = (id) => wordOf(state, id)?.text ?? "";
  const { first, last } = state;
  /** @type {Constraint[]} */
  const found = [];
  if (first !== null)
    found.push({
      key: "first",
      field: "first",
      word: first,
      parts: [text(first), "first", ""],
      remove: (s) => setFirst(s, null),
    });
  if (last !== null)
    found.push({
      key: "last",
      field: "last",
      word: last,
      parts: [text(last), "last", ""],
      remove: (s) => setLast(s, null),
    });
  state.before.forEach(([a, b], index) =>
    found.push({
      key: `before ${a} ${b}`,
      field: `before[${index}]`,
      word: a,
      parts: [text(a), "before", text(b)],
      remove: (s) => removeBefore(s, a, b),
    }),
  );
  state.words.forEach((word, index) =>
    found.push(...constraintsOfWord(word, `words[${index}]`, text)),
  );
  return found;
}

/**
 * @param {Word} word
 * @param {string} field
 * @param {(id: number) => string} text
 * @returns {Constraint[]}
 */
function constraintsOfWord(word, field, text) {
  const { id, tag, upos, head, deprel, features } = word;
  /** @type {Constraint[]} */
  const found = [];
  if (word.text.includes(" "))
    found.push({
      key: `together ${id}`,
      field: `${field}.form`,
      word: id,
      parts: [word.text, "together", ""],
      remove: (s) => splitPhrase(s, id),
    });
  if (tag !== undefined)
    found.push({
      key: `tag ${id}`,
      field: `${field}.tag`,
      word: id,
      parts: [word.text, "is", tag],
      remove: (s) => setProperty(s, id, "tag", undefined),
    });
  if (upos !== undefined)
    found.push({
      key: `upos ${id}`,
      field: `${field}.upos`,
      word: id,
      parts: [word.text, "is", upos],
      remove: (s) => setProperty(s, id, "upos", undefined),
    });
  if (head !== undefined)
    found.push({
      key: `head ${id}`,
      field: `${field}.head`,
      word: id,
      parts: [
        word.text,
        head === 0
          ? "is the root"
          : `${deprel ?? "depends"} of`.replace("depends of", "depends on"),
        head === 0 ? "" : text(head),
      ],
      remove: (s) => setHead(s, id, undefined),
    });
  if (features !== undefined)
    found.push({
      key: `features ${id}`,
      field: `${field}.features`,
      word: id,
      parts: [word.text, "has", features.replaceAll("|", ", ") || "no features"],
      remove: (s) => setProperty(s, id, "features", undefined),
    });
  return found;
}

/** @param {State} state @param {number} id @param {(word: Word) => Word} change @returns {State} */
function changed(state, id, change) {
  return {
    ...state,
    words: state.words.map((word) => (word.id === id ? change(word) : word)),
    chosen: 0,
  };
}
