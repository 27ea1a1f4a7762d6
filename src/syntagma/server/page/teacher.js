/**
 * The teacher's side of exercise mode: sentences in, a link for the learners out. What learners see
 * is in learner.js.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {import("./exercise.js").Item} Item
 * @typedef {{item: Item, note: string}} Prepared
 */

import { byId, element } from "./elements.js";
import {
  itemOf,
  judgement,
  scrambled,
  toExerciseLink,
  withoutCapital,
  written as asWritten,
} from "./exercise.js";
import { latest, ServiceError } from "./service.js";

export class Teacher {
  /** @type {Map<string, Promise<Prepared>>} by line, so that a sentence keeps its shuffle */
  #prepared = new Map();

  /**
   * @param {{
   *   service: import("./service.js").Service,
   *   tokenize: (text: string, signal: AbortSignal) => Promise<string[]>,
   *   change: (edit: Partial<State>) => void,
   *   copy: (text: string, button: HTMLElement) => void,
   * }} page
   */
  constructor(page) {
    this.page = page;
    this.prepare = latest((/** @type {State} */ state, signal) => this.#prepare(state, signal));
    byId("title").addEventListener("input", (/** @type {any} */ event) =>
      page.change({ title: event.target.value }),
    );
    byId("sentences").addEventListener("input", (/** @type {any} */ event) =>
      page.change({ sentences: event.target.value }),
    );
    byId("shuffle").addEventListener("click", () => {
      this.#prepared.clear();
      page.change({});
    });
    byId("copy-exercise").addEventListener("click", (/** @type {any} */ event) =>
      page.copy(byId("exercise-link").value, event.target),
    );
  }

  /** Show a state. */
  show(/** @type {State} */ state) {
    for (const key of /** @type {const} */ (["title", "sentences"]))
      if (byId(key).value !== state[key]) byId(key).value = state[key];
    this.prepare(state, 250);
  }

  async #prepare(/** @type {State} */ state, /** @type {AbortSignal} */ signal) {
    const lines = state.sentences
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    const outcomes = await Promise.allSettled(
      lines.map((line) => this.#prepareLine(line, state.model, signal)),
    );
    signal.throwIfAborted();
    /** @type {Item[]} */
    const items = [];
    byId("items").replaceChildren(
      ...outcomes.map((outcome, index) => {
        const ready = outcome.status === "fulfilled" ? outcome.value : null;
        if (ready) items.push(ready.item);
        else this.#prepared.delete(lines[index]);
        const note = ready
          ? ready.note
          : outcome.status === "rejected"
            ? outcome.reason.message
            : "";
        return element(
          "li",
          { class: ready ? "item" : "item wrong" },
          element(
            "span",
            { class: "item-words", dir: "auto" },
            ready ? ready.item.words.map(asWritten).join(" · ") + ready.item.end : lines[index],
          ),
          element("span", { class: "item-note" }, note),
        );
      }),
    );
    byId("share").hidden = items.length === 0;
    const address = `${location.origin}${location.pathname}#${toExerciseLink({ title: state.title, model: state.model, items })}`;
    byId("exercise-link").value = address;
    byId("try-exercise").href = address;
  }

  /** @returns {Promise<Prepared>} */
  #prepareLine(
    /** @type {string} */ line,
    /** @type {string | null} */ model,
    /** @type {AbortSignal} */ signal,
  ) {
    const known = this.#prepared.get(line);
    if (known) return known;
    const prepared = this.#judge(line, model, signal);
    this.#prepared.set(line, prepared);
    prepared.catch(() => this.#prepared.delete(line));
    return prepared;
  }

  /** @returns {Promise<Prepared>} */
  async #judge(
    /** @type {string} */ line,
    /** @type {string | null} */ model,
    /** @type {AbortSignal} */ signal,
  ) {
    const written = itemOf(await this.page.tokenize(line, signal));
    if (written.words.length < 2)
      throw new ServiceError(0, { message: "An exercise needs at least two words." });
    const inOrder = written.words.map((_, index) => index);
    /** @param {Item} item */
    const judge = (item) =>
      this.page.service.post("v1/accept", judgement(item, inOrder, model), signal);
    const answer = await judge(written);
    const beginsWithName = /^(?:NNPS?|PROPN)$/.test(answer.given?.words[0].tag ?? "");
    const item = beginsWithName ? written : withoutCapital(written);
    return { item: scrambled(item), note: noteOn(item === written ? answer : await judge(item)) };
  }
}

/** What the model thinks of the teacher's order, which counts as right in any case. */
function noteOn(/** @type {{verdict: string, best: {text: string}}} */ answer) {
  if (answer.verdict === "same") return "The model orders it the same way.";
  const other = `“${asWritten(answer.best.text).replace(/ (?=[.?!…]+$)/, "")}”`;
  return answer.verdict === "as good"
    ? `As good as the model’s choice: ${other}`
    : `Your order is right, too. The model prefers ${other}`;
}
