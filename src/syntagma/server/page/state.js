/**
 * What the user has said: the words and what is known of them. A state is never changed, every edit
 * makes a new one. Constraints are set in constraints.js; link.js writes a state as an address.
 *
 * @typedef {object} Word
 * @property {number} id         stable while the page is open; constraints refer to it
 * @property {string} text       the form or, in lemma mode, the lemma; with spaces, a phrase
 * @property {string} [tag]      of the tag set of the model
 * @property {string} [upos]     universal part of speech
 * @property {number} [head]     id of the head; 0 is the root
 * @property {string} [deprel]   label of the arc to the head
 * @property {string} [features] morphological features, `Number=Plur|Person=3`; "" of a word that has none
 *
 * @typedef {"words" | "lemmas" | "exercise"} Mode
 *
 * @typedef {object} State
 * @property {Mode} mode
 * @property {readonly Word[]} words
 * @property {readonly (readonly [number, number])[]} before  pairs of ids
 * @property {number | null} first
 * @property {number | null} last
 * @property {string | null} model    null is the server's default
 * @property {number} count           how many orders to show
 * @property {boolean} diverse        whether to prefer those that differ in meaning
 * @property {boolean} projective     whether given subtrees must stay together
 * @property {boolean} judge           whether the judge of the server chooses among the orders
 * @property {number} chosen          which of them is shown large, from 0
 * @property {string} title           of an exercise
 * @property {string} sentences       of an exercise, one a line
 */

/** A word with spaces in it is a phrase; in the text box its words are joined by this. */
const NO_BREAK_SPACE = "\u00a0";

/** Punctuation that is written next to a word, before and after it, as parts of a regular expression. */
const OPENING = '"“‘(\\[「『（《〈【«¿¡';
const CLOSING = '.,;:!?…)\\]"”’。，、；：！？」』）》〉】»،؛؟।';

/** How many orders can be asked for. */
export const COUNTS = [1, 3, 5, 10, 20];

/** What can be switched on, by the names in a state, a link and the page. */
export const SWITCHES = /** @type {const} */ (["diverse", "projective", "judge"]);

/** @type {State} */
export const EMPTY = Object.freeze({
  mode: "words",
  words: [],
  before: [],
  first: null,
  last: null,
  model: null,
  count: 5,
  diverse: false,
  projective: false,
  judge: false,
  chosen: 0,
  title: "",
  sentences: "",
});

/** A state that holds these words and nothing else. @returns {State} */
export function stateOf(
  /** @type {readonly string[]} */ texts,
  /** @type {Partial<State>} */ rest = {},
) {
  return { ...EMPTY, words: texts.map((text, index) => ({ id: index + 1, text })), ...rest };
}

/** The words of a line of the text box, separated by white space. @returns {string[]} */
export function splitText(/** @type {string} */ text) {
  return text
    .split(/[ \t\r\n]+/)
    .map((word) =>
      word
        .split(/\u00a0+/)
        .filter(Boolean)
        .join(" "),
    )
    .filter(Boolean);
}

/** The words as a line for the text box. @returns {string} */
export function joinText(/** @type {readonly Word[]} */ words) {
  return words.map((word) => word.text.replaceAll(" ", NO_BREAK_SPACE)).join(" ");
}

/**
 * Whether a text is a sentence as people write it, with punctuation attached to words, and not a
 * list of words. Phrases, which have no-break spaces, are lists.
 */
export function isProse(/** @type {string} */ text) {
  if (text.includes(NO_BREAK_SPACE)) return false;
  const attached = new RegExp(
    `[\\p{L}\\p{N}][${CLOSING}]+(?=\\s|$)|(?:^|\\s)[${OPENING}]+[\\p{L}\\p{N}]`,
    "u",
  );
  const contracted = /\p{L}(?:n['’]t|['’](?:s|re|ve|ll|d|m))(?!\p{L})/iu;
  return attached.test(text) || contracted.test(text);
}

/**
 * Split a sentence where no tokenizer is at hand: punctuation at the edges of words comes off, and so
 * do elided words (French l', qu').
 */
export function splitProse(/** @type {string} */ text) {
  const elided = "(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu)['’](?=\\p{L})";
  const part = new RegExp(
    `^[${OPENING}]+|[${CLOSING}]+$|(?<!\\p{L})${elided}|(?:(?![${CLOSING}]+$).)+`,
    "giu",
  );
  return splitText(text).flatMap((word) => word.match(part)?.filter((each) => each.trim()) ?? []);
}

/**
 * Replace the words after an edit of the text. A word that is still there keeps its id, and so all
 * that was said of it; constraints on words that are gone go with them.
 *
 * @param {State} state
 * @param {readonly string[]} texts
 * @returns {State}
 */
export function withTexts(state, texts) {
  const left = [...state.words];
  /** @param {(word: Word, index: number) => boolean} fits */
  const take = (fits) => {
    const index = left.findIndex(fits);
    return index < 0 ? null : left.splice(index, 1)[0];
  };
  const same = texts.length === state.words.length;
  let unused = nextId(state);
  const kept = texts.map((text) => take((word) => word.text === text));
  // One word is being typed: it stays the same word while its letters change.
  const changed = kept.flatMap((word, index) => (word ? [] : [index]));
  if (same && changed.length === 1 && left.length === 1)
    kept[changed[0]] = { ...left[0], text: texts[changed[0]] };
  const words = texts.map((text, index) => kept[index] ?? { id: unused++, text });
  return withWords(state, words);
}

/** Replace the words and drop what refers to words that are gone. @returns {State} */
export function withWords(/** @type {State} */ state, /** @type {readonly Word[]} */ words) {
  const ids = new Set(words.map((word) => word.id));
  /** @param {number | null} id */
  const known = (id) => (id !== null && ids.has(id) ? id : null);
  return {
    ...state,
    words: words.map((word) =>
      word.head === undefined || word.head === 0 || ids.has(word.head)
        ? word
        : without(word, "head", "deprel"),
    ),
    before: state.before.filter(([a, b]) => ids.has(a) && ids.has(b)),
    first: known(state.first),
    last: known(state.last),
    chosen: 0,
  };
}

/** An id that no word has. */
export function nextId(/** @type {State} */ state) {
  return 1 + Math.max(0, ...state.words.map((word) => word.id));
}

/** A word without some of its properties. @returns {Word} */
export function without(/** @type {Word} */ word, /** @type {(keyof Word)[]} */ ...keys) {
  return /** @type {Word} */ (
    Object.fromEntries(
      Object.entries(word).filter(([key]) => !keys.includes(/** @type {keyof Word} */ (key))),
    )
  );
}

/** Features as CoNLL-U and people write them: `_` are those of a word that has none. */
export function writeFeatures(/** @type {string} */ features) {
  return features || "_";
}

/** The inverse of `writeFeatures`; `undefined` if nothing is written. @returns {string | undefined} */
export function readFeatures(/** @type {string} */ text) {
  const features = text.trim();
  return features === "_" ? "" : features || undefined;
}

/** The word with this id. @returns {Word | undefined} */
export function wordOf(/** @type {State} */ state, /** @type {number} */ id) {
  return state.words.find((word) => word.id === id);
}

/** The words in random order; never the order they had, where another exists. @template T @returns {T[]} */
export function shuffled(
  /** @type {readonly T[]} */ items,
  /** @type {() => number} */ random = Math.random,
) {
  const result = [...items];
  for (let end = result.length - 1; end > 0; end--) {
    const other = Math.floor(random() * (end + 1));
    [result[end], result[other]] = [result[other], result[end]];
  }
  const unchanged = result.every((item, index) => item === items[index]);
  return unchanged && result.length > 1 ? [...result.slice(1), result[0]] : result;
}

/**
 * The state as a problem: the body that the service takes, in the JSON of the command line.
 *
 * @param {State} state
 * @returns {{path: string, body: Record<string, any>}}
 */
export function requestOf(state) {
  const position = new Map(state.words.map((word, index) => [word.id, index + 1]));
  const key = state.mode === "lemmas" ? "lemma" : "form";
  /** @type {Record<string, any>} */
  const body = {
    words: state.words.map((word) => {
      const { tag, deprel, features, upos } = word;
      const head = word.head === undefined ? undefined : (position.get(word.head) ?? 0);
      const known = Object.entries({ tag, head, deprel, features, upos }).filter(
        ([, value]) => value !== undefined,
      );
      return known.length ? { [key]: word.text, ...Object.fromEntries(known) } : word.text;
    }),
  };
  if (state.before.length)
    body.before = state.before.map((pair) => pair.map((id) => position.get(id)));
  if (state.first !== null) body.first = position.get(state.first);
  if (state.last !== null) body.last = position.get(state.last);
  body.options = {
    ...(state.model === null ? {} : { model: state.model }),
    n_best: state.count,
    ...(state.diverse ? { diverse: true } : {}),
    ...(state.projective ? { projective: true } : {}),
    ...(state.judge ? { judge: true } : {}),
  };
  return { path: state.mode === "lemmas" ? "v1/realize" : "v1/order", body };
}
