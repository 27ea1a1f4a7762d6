/**
 * Files in and out: CoNLL-U (conllu.js), JSON as on the command line, and plain text.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Word} Word
 */

import { parseConllu } from "./conllu.js";
import { EMPTY, splitText } from "./state.js";

/**
 * The problems of a file. The format follows from the name and, where that says nothing, from the
 * first character.
 *
 * @param {string} name
 * @param {string} text
 * @param {{mode: "words" | "lemmas", tagColumn: string}} options
 * @returns {State[]}
 */
export function readProblems(name, text, { mode, tagColumn }) {
  const content = text.replace(/^\ufeff/, "");
  const format = formatOf(name, content);
  const states = statesOf(format, content, mode === "lemmas", tagColumn).filter(
    (state) => state.words.length,
  );
  if (!states.length) throw new Error(`${name} holds no words.`);
  return states.map((state) => ({ ...state, mode }));
}

/** Offer a text as a file to save. */
export function save(
  /** @type {string} */ name,
  /** @type {string} */ text,
  /** @type {string} */ type,
) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @returns {State[]} */
function statesOf(
  /** @type {"conllu" | "json" | "text"} */ format,
  /** @type {string} */ content,
  /** @type {boolean} */ lemmas,
  /** @type {string} */ tagColumn,
) {
  if (format === "conllu")
    return parseConllu(content, { lemmas, tagColumn }).map((words) => ({ ...EMPTY, words }));
  if (format === "json")
    return readJson(content).map((value, index) => problemOf(value, `Problem ${index + 1}`));
  return content.split("\n").map(wordsOfLine);
}

/** @returns {"conllu" | "json" | "text"} */
function formatOf(/** @type {string} */ name, /** @type {string} */ content) {
  if (/\.conllu?$/i.test(name)) return "conllu";
  if (/\.jsonl?$/i.test(name)) return "json";
  if (/^\s*[[{]/.test(content)) return "json";
  return /^(?:#.*\n)*1\t/.test(content) ? "conllu" : "text";
}

/** @returns {State} */
function wordsOfLine(/** @type {string} */ line) {
  const texts = line.includes("\t")
    ? line
        .split("\t")
        .map((word) => word.trim())
        .filter(Boolean)
    : splitText(line);
  return { ...EMPTY, words: texts.map((text, index) => ({ id: index + 1, text })) };
}

/** One value, or one a line. @returns {unknown[]} */
function readJson(/** @type {string} */ content) {
  try {
    return [JSON.parse(content)];
  } catch (whole) {
    const lines = content.split("\n");
    if (lines.filter((line) => line.trim()).length < 2)
      throw new Error(`Not JSON: ${/** @type {Error} */ (whole).message}`);
    return lines.flatMap((line, index) => {
      try {
        return line.trim() ? [JSON.parse(line)] : [];
      } catch (error) {
        throw new Error(`Line ${index + 1} is not JSON: ${/** @type {Error} */ (error).message}`);
      }
    });
  }
}

/** The state of a problem in JSON, or of the best result. @returns {State} */
function problemOf(/** @type {any} */ value, /** @type {string} */ where) {
  const problem = Array.isArray(value) ? { words: value } : value;
  if (!Array.isArray(problem?.words))
    throw new Error(`${where}: expected a list of words, or an object with the key “words”.`);
  const count = problem.words.length;
  /** @param {any} index @param {string} what */
  const place = (index, what) => {
    if (index === undefined || index === null) return null;
    if (Number.isInteger(index) && index >= 1 && index <= count) return index;
    throw new Error(`${where}: ${what} is not the number of a word: ${JSON.stringify(index)}.`);
  };
  const pairs = problem.before ?? [];
  if (!Array.isArray(pairs)) throw new Error(`${where}: before is not a list of pairs of words.`);
  const before = pairs.map(
    (/** @type {any} */ pair, /** @type {number} */ index) => {
      const [a, b] = Array.isArray(pair) ? pair.map((each) => place(each, `before[${index}]`)) : [];
      if (!a || !b)
        throw new Error(`${where}: before[${index}] is not a pair of words such as [1, 2].`);
      return [a, b];
    },
  );
  const words = problem.words.map((/** @type {any} */ word, /** @type {number} */ index) =>
    wordOfJson(word, index, where, place),
  );
  return {
    ...EMPTY,
    words,
    before,
    first: place(problem.first, "first"),
    last: place(problem.last, "last"),
  };
}

/**
 * @param {any} value
 * @param {number} index
 * @param {string} where
 * @param {(index: any, what: string) => number | null} place
 * @returns {Word}
 */
function wordOfJson(value, index, where, place) {
  const id = index + 1;
  if (typeof value === "string" && value) return { id, text: value };
  const text = value?.form ?? value?.lemma;
  if (typeof text !== "string" || !text)
    throw new Error(`${where}: words[${index}] has neither a form nor a lemma.`);
  /** @type {Word} */
  const word = { id, text };
  if (typeof value.tag === "string") word.tag = value.tag;
  if (typeof value.upos === "string") word.upos = value.upos;
  const head = value.head === 0 ? 0 : place(value.head, `words[${index}].head`);
  if (head !== null) word.head = head;
  if (head !== null && typeof value.deprel === "string") word.deprel = value.deprel;
  const { features } = value;
  if (typeof features === "string") word.features = features;
  else if (features)
    word.features = Object.entries(features)
      .map((pair) => pair.join("="))
      .join("|");
  return word;
}
