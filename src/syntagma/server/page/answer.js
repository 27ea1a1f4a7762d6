/**
 * From an answer of the service to what the page shows of it.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./conllu.js").Result} Result
 * @typedef {import("./constraints.js").Constraint} Constraint
 * @typedef {{place: "text" | "orders", message: string} | {place: "chip", key: string, message: string}} Fault
 */

import { constraintsOf } from "./constraints.js";
import { describeLabel } from "./names.js";

/** The results of an answer, best first. @returns {Result[]} */
export function resultsOf(/** @type {any} */ answer) {
  return answer.n_best ?? [answer];
}

/** The words of a result for the tree. @returns {import("./tree.js").Node[]} */
export function nodesOf(/** @type {State} */ state, /** @type {Result} */ result) {
  return result.words.map((token) => {
    const word = state.words[token.source - 1];
    return {
      id: word.id,
      form: token.form,
      tag: token.tag ?? "",
      upos: word.upos ?? "",
      head: token.head,
      label: token.deprel ?? "",
      given: word.head !== undefined,
      tagged: word.tag !== undefined,
    };
  });
}

/** The words of a result for the large sentence. @returns {import("./sentence.js").Shown[]} */
export function shownOf(/** @type {State} */ state, /** @type {Result} */ result) {
  const said = new Set(constraintsOf(state).map((constraint) => constraint.word));
  const { contractions = [] } = result;
  return result.words.map((token, index) => {
    const { id } = state.words[token.source - 1];
    const before = result.words[index - 1];
    const tight =
      before?.space_after === undefined
        ? index > 0 && isAttached(before.form, token.form)
        : !before.space_after;
    const shown = { id, form: token.form, fixed: said.has(id), tight };
    const range = contractions.find(({ first, last }) => first <= index + 1 && index < last);
    if (!range) return shown;
    return range.first === index + 1 ? { ...shown, form: range.text } : { ...shown, within: true };
  });
}

/** A result as a line of text with the usual spacing. */
export function lineOf(/** @type {State} */ state, /** @type {Result} */ result) {
  return shownOf(state, result)
    .filter((word) => !word.within)
    .map((word, place) => (place === 0 || word.tight ? word.form : ` ${word.form}`))
    .join("");
}

/** Whether a word is written without a space between it and the word before. */
function isAttached(/** @type {string} */ before, /** @type {string} */ form) {
  const unspaced =
    /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}！-､]/u;
  if (/^(?:[.,;:!?…%)\]}»”’،؛؟।]+|n['’]t|['’]\p{Ll}{1,2})$/iu.test(form)) return true;
  if (/^(?:[([{“‘¿¡]+|\p{L}*[^\P{L}sS]['’])$/u.test(before)) return true; // brackets, elisions: l', qu'
  return unspaced.test([...before].pop() ?? "") && unspaced.test([...form][0] ?? "");
}

/** What the model found out about a word. @returns {import("./panel.js").Found | null} */
export function foundOf(
  /** @type {State} */ state,
  /** @type {Result} */ result,
  /** @type {number} */ id,
) {
  const token = result.words.find((each) => state.words[each.source - 1]?.id === id);
  if (!token) return null;
  const head = token.head === 0 ? 0 : state.words[result.words[token.head - 1].source - 1].id;
  return { tag: token.tag ?? "", head, label: token.deprel ?? "" };
}

/** The arcs in words, for those who do not see them. @returns {string[]} */
export function arcsInWords(/** @type {Result} */ { words }) {
  return words.map((token) =>
    token.head === 0
      ? `${token.form}, ${tagsOf(token)}: the root`
      : `${token.form}, ${tagsOf(token)}: ${describeLabel(token.deprel ?? "")} of ${words[token.head - 1].form}`,
  );
}

/** @param {import("./conllu.js").Token} token */
function tagsOf({ tag, upos }) {
  return upos ? `${tag}, ${upos}` : tag;
}

/**
 * Where to show an error of the service: at the constraint that caused it, at the options, or at the
 * text. Of constraints that contradict each other, the one that was added last is to blame.
 *
 * @param {State} state
 * @param {{field: string | null, message: string}} error
 * @param {ReadonlySet<string>} held  keys of the constraints of the last request that succeeded
 * @returns {Fault}
 */
export function faultOf(state, { field, message }, held) {
  if (field?.startsWith("options")) return { place: "orders", message };
  const constraints = constraintsOf(state);
  const named = constraints.find(
    (each) => field !== null && (each.field === field || each.field.startsWith(`${field}.`)),
  );
  const added = constraints.filter((each) => !held.has(each.key));
  const aboutConstraints = field === null || /^(?:before|first|last|words\[)/.test(field);
  const cause =
    named && added.includes(named)
      ? named
      : aboutConstraints
        ? (added.pop() ?? named ?? constraints.pop())
        : undefined;
  return cause ? { place: "chip", key: cause.key, message } : { place: "text", message };
}
