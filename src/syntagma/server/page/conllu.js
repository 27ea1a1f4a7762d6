/**
 * CoNLL-U in and out: ten columns, a line for each word. Files in other formats, and the choice
 * between them, are in files.js.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Word} Word
 * @typedef {{form: string, tag: string | null, head: number, deprel: string | null, source: number,
 *   upos?: string, lemma?: string | null, features?: string | null, space_after?: boolean}} Token
 * @typedef {{text: string, score: number, words: Token[],
 *   left_out?: number[], narrowed?: boolean, projective?: boolean,
 *   contractions?: {first: number, last: number, text: string}[]}} Result
 */

import { without } from "./state.js";

/**
 * The sentences of a file, as words of which the tags, features and heads given in it are known.
 * Multiword tokens, empty nodes and comments are left out: they refer to an order that is to be
 * found.
 *
 * @param {string} text
 * @param {{lemmas: boolean, tagColumn: string}} options
 * @returns {Word[][]}
 */
export function parseConllu(text, { lemmas, tagColumn }) {
  const blocks = text.replaceAll("\r\n", "\n").split(/\n[ \t]*\n/);
  let line = 0;
  const sentences = [];
  for (const block of blocks) {
    /** @type {Word[]} */
    const words = [];
    for (const row of block.split("\n")) {
      line++;
      if (!row.trim() || row.startsWith("#")) continue;
      const columns = row.split("\t");
      if (columns.length !== 10)
        throw new Error(
          `Line ${line}: expected 10 columns separated by tabs, found ${columns.length}.`,
        );
      if (/^\d+[-.]\d+$/.test(columns[0])) continue;
      if (Number(columns[0]) !== words.length + 1)
        throw new Error(`Line ${line}: expected ID ${words.length + 1}, found ${columns[0]}.`);
      words.push(wordOfColumns(columns, lemmas, tagColumn, line));
    }
    line++;
    const wrong = words.find((word) => (word.head ?? 0) > words.length);
    if (wrong)
      throw new Error(
        `Line ${line}: the head of “${wrong.text}”, ${wrong.head}, is not a word of the sentence.`,
      );
    // `_` of all words means that features are not given, else that a word has none.
    const featured = words.some((word) => word.features);
    if (words.length)
      sentences.push(featured ? words : words.map((word) => without(word, "features")));
  }
  return sentences;
}

/** @returns {Word} */
function wordOfColumns(
  /** @type {string[]} */ columns,
  /** @type {boolean} */ lemmas,
  /** @type {string} */ tagColumn,
  /** @type {number} */ line,
) {
  const [id, form, lemma, upos, xpos, features, head, deprel] = columns.map((column) =>
    column === "_" || column === "" ? undefined : column,
  );
  if (head !== undefined && !/^\d{1,9}$/.test(head))
    throw new Error(`Line ${line}: HEAD is not a number: ${head}.`);
  if (!lemmas && form === undefined && lemma !== undefined)
    throw new Error(`Line ${line}: “${lemma}” has a lemma but no form; choose Lemmas first.`);
  /** @type {Word} */
  const word = { id: Number(id), text: (lemmas ? (lemma ?? form) : form) ?? "_" };
  const tag = tagColumn === "UPOS" ? upos : xpos;
  if (tag !== undefined) word.tag = tag;
  if (tagColumn !== "UPOS" && upos !== undefined && !/\s/.test(upos)) word.upos = upos;
  if (head !== undefined) word.head = Number(head);
  if (head !== undefined && deprel !== undefined) word.deprel = deprel;
  word.features = readable(features ?? "");
  return word;
}

/** The features in a column that may hold anything: those like Name=Value, each name once. */
function readable(/** @type {string} */ column) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const part of column.split("|")) {
    const [, name] = /^([^\s=]+)=\S+$/.exec(part) ?? [];
    if (name && !found.has(name)) found.set(name, part);
  }
  return [...found.values()].join("|");
}

/**
 * A result as a sentence of CoNLL-U, as the command line writes it.
 *
 * @param {Result} result
 * @param {string} tagColumn
 * @param {readonly Word[]} words  what the result is an order of
 */
export function writeConllu(result, tagColumn, words) {
  const lines = [`# text = ${result.text}`, `# score = ${result.score.toFixed(4)}`];
  if (result.left_out) lines.push(`# unfinished = ${result.left_out.length} words left out`);
  if (result.narrowed) lines.push("# narrowed = yes");
  if (result.projective === false) lines.push("# projective = no");
  /** @param {number} place */
  const misc = (place) =>
    result.words[place - 1].space_after === false && place < result.words.length
      ? "SpaceAfter=No"
      : "_";
  result.words.forEach((token, index) => {
    const place = index + 1;
    const { contractions = [] } = result;
    const range = contractions.find(({ first, last }) => first <= place && place <= last);
    if (range?.first === place) {
      const empty = Array(7).fill("_");
      lines.push([`${place}-${range.last}`, range.text, ...empty, misc(range.last)].join("\t"));
    }
    const { upos, features } = words[token.source - 1];
    const columns = [
      place,
      token.form,
      token.lemma ?? "_",
      upos ?? (tagColumn === "UPOS" ? token.tag : null) ?? "_",
      tagColumn === "UPOS" ? "_" : (token.tag ?? "_"),
      (token.features ?? features) || "_",
      token.head,
      token.deprel ?? "_",
      "_",
      range ? "_" : misc(place), // a multiword token has one space after it, not its words
    ];
    lines.push(columns.join("\t"));
  });
  return lines.join("\n") + "\n\n";
}
