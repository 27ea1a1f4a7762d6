/**
 * CoNLL-U in and out: ten columns, a line for each word. Files in other formats, and the choice
 * between them, are in files.js.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Word} Word
 * @typedef {{form: string, tag: string | null, head: number, deprel: string | null, source: number,
 *   upos?: string, lemma?: string | null, features?: string | null, space_after?: boolean}} Token
 * @typedef {{text: string, score: number, words: Token[],
 *   contractions?: {first: number, last: number, text: string}[]}} Result
 */

/**
 * The sentences of a file, as words of which the tags and heads given in it are known. Multiword
 * tokens, empty nodes and comments are left out: they refer to an order that is to be found.
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
    if (words.length) sentences.push(words);
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
    column === "_" ? undefined : column,
  );
  if (head !== undefined && !/^\d{1,9}$/.test(head))
    throw new Error(`Line ${line}: HEAD is not a number: ${head}.`);
  /** @type {Word} */
  const word = { id: Number(id), text: (lemmas ? (lemma ?? form) : form) ?? "_" };
  const tag = tagColumn === "UPOS" ? upos : xpos;
  if (tag !== undefined) word.tag = tag;
  if (head !== undefined) word.head = Number(head);
  if (head !== undefined && deprel !== undefined) word.deprel = deprel;
  if (lemmas && features !== undefined) word.features = features;
  return word;
}

/** A result as a sentence of CoNLL-U. */
export function writeConllu(/** @type {Result} */ result, /** @type {string} */ tagColumn) {
  const lines = [`# text = ${result.text}`, `# score = ${result.score}`];
  result.words.forEach((word, index) => {
    const range = result.contractions?.find((contraction) => contraction.first === index + 1);
    if (range) lines.push([`${range.first}-${range.last}`, range.text, ..."________"].join("\t"));
    const columns = [
      index + 1,
      word.form,
      word.lemma ?? "_",
      (tagColumn === "UPOS" ? word.tag : word.upos) ?? "_",
      tagColumn === "UPOS" ? "_" : (word.tag ?? "_"),
      word.features || "_",
      word.head,
      word.deprel ?? "_",
      "_",
      word.space_after === false && index + 1 < result.words.length ? "SpaceAfter=No" : "_",
    ];
    lines.push(columns.join("\t"));
  });
  return lines.join("\n") + "\n\n";
}
