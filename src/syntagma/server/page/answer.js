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
  return result.words.map((token, place) => {
    const { id } = state.words[token.source - 1];
    const before = result.words[place - 1];
    const tight =
      before?.space_after === undefined ? place > 0 && isAttached(token.form) : !before.space_after;
    return { id, form: token.form, fixed: said.has(id), tight };
  });
}

/** A result as a line of text with the usual spacing. */
export function lineOf(/** @type {State} */ state, /** @type {Result} */ result) {
  return shownOf(state, result)
    .map((word, place) => (place === 0 || word.tight ? word.form : ` ${word.form}`))
    .join("");
}

/** Whether a word is written without a space before it. */
function isAttached(/** @type {string} */ form) {
  return /^(?:[.,;:!?…%)\]}»”’]+|n['’]t|['’]\p{Ll}{1,2})$/iu.test(form);
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
      ? `${token.form}, ${token.tag}: the root`
      : `${token.form}, ${token.tag}: ${describeLabel(token.deprel ?? "")} of ${words[token.head - 1].form}`,
  );
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
