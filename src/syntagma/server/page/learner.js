/**
 * The learner's side of exercise mode: words to put in order, a check by `accept`, a hint.
 *
 * @typedef {import("./exercise.js").Exercise} Exercise
 * @typedef {{verdict: string, accepted: boolean, share: number, broken?: string[],
 *   where?: {position: number, after: string | null, word: string}, continuation?: string[]}} Acceptance
 */

import { byId } from "./elements.js";
import { isTeachers, judgement, written } from "./exercise.js";
import { latest } from "./service.js";
import { Sortable } from "./sortable.js";
import { isRightToLeft } from "./tree.js";

export class Learner {
  /** @type {Exercise} */
  #exercise = { title: "", model: null, items: [] };
  #place = 0;
  #sortable;
  #ask;

  /** @param {{service: import("./service.js").Service, say: (text: string) => void}} page */
  constructor(page) {
    this.page = page;
    this.#sortable = new Sortable(byId("tiles"), { onChange: () => this.#tell(""), say: page.say });
    this.#ask = latest((/** @type {"check" | "hint"} */ purpose, signal) =>
      this.#judge(purpose, signal),
    );
    byId("check").addEventListener("click", () => this.#check());
    byId("hint").addEventListener("click", () => this.#ask("hint"));
    byId("next").addEventListener("click", () => this.#show(this.#place + 1));
    byId("again").addEventListener("click", () => this.#show(this.#place));
  }

  /** Begin an exercise. */
  start(/** @type {Exercise} */ exercise) {
    this.#exercise = exercise;
    byId("learner-title").textContent = exercise.title || "Put the words in order";
    this.#show(0);
  }

  #show(/** @type {number} */ place) {
    this.#place = place % this.#exercise.items.length;
    const { words, end } = this.#item;
    byId("progress").textContent =
      this.#exercise.items.length > 1
        ? `Sentence ${this.#place + 1} of ${this.#exercise.items.length}`
        : "Exercise";
    byId("answer").dir = isRightToLeft(words) ? "rtl" : "ltr";
    byId("end").textContent = end;
    this.#sortable.start(words.map(written));
    this.#tell("");
    this.#solved(false);
    this.#sortable.focus();
  }

  get #item() {
    return this.#exercise.items[this.#place];
  }

  #check() {
    const words = this.#sortable.order.map((index) => this.#item.words[index]);
    if (isTeachers(this.#item, words)) this.#praise("Right.");
    else this.#ask("check");
  }

  async #judge(/** @type {"check" | "hint"} */ purpose, /** @type {AbortSignal} */ signal) {
    const order = this.#sortable.order;
    const answer = await this.page.service
      .post("v1/accept", judgement(this.#item, order, this.#exercise.model), signal)
      .catch((error) => this.#fail(error, signal));
    if (!answer) return;
    if (purpose === "hint") this.#hint(answer);
    else if (answer.verdict === "same") this.#praise("Right.");
    else if (answer.accepted)
      this.#praise("Right. There is another way to say it, as good as yours.");
    else this.#correct(answer);
  }

  #fail(/** @type {Error} */ error, /** @type {AbortSignal} */ signal) {
    if (signal.aborted) throw error;
    this.#tell(`This could not be checked: ${error.message}`, "wrong");
    return null;
  }

  #praise(/** @type {string} */ text) {
    this.#sortable.mark(new Map(this.#item.words.map((_, place) => [place, "right"])));
    this.#tell(text, "right");
    this.#solved(true);
  }

  #correct(/** @type {Acceptance} */ { where, share }) {
    const neighbours = `${Math.round(share * (this.#item.words.length + 1))} of ${this.#item.words.length + 1} neighbours fit.`;
    if (!where) return this.#tell(`Not yet. ${neighbours}`, "wrong");
    const place = where.position - 1;
    this.#sortable.mark(new Map([[place, "suspect"]]));
    const after = where.after === null ? "at the beginning" : `after “${written(where.after)}”`;
    this.#tell(`Not yet: look at “${written(where.word)}” ${after}. ${neighbours}`, "wrong");
  }

  #hint(/** @type {Acceptance} */ { accepted, where, continuation }) {
    if (accepted || !where || !continuation?.length) {
      this.#tell(accepted ? "This order is right already." : "There is no hint for this order.");
      return;
    }
    const settled = where.position - 1;
    const order = this.#sortable.order;
    const next = order.findIndex(
      (index, place) => place >= settled && this.#item.words[index] === continuation[0],
    );
    this.#sortable.mark(
      new Map(
        [...order.keys()].flatMap((place) =>
          place < settled ? [[place, "settled"]] : place === next ? [[place, "suspect"]] : [],
        ),
      ),
    );
    const word = `“${written(continuation[0])}”`;
    this.#tell(
      where.after === null
        ? `Begin with ${word}.`
        : `Good up to “${written(where.after)}”. Next comes ${word}.`,
    );
  }

  #solved(/** @type {boolean} */ solved) {
    const more = this.#place + 1 < this.#exercise.items.length;
    byId("check").hidden = solved;
    byId("hint").hidden = solved;
    byId("next").hidden = !(solved && more);
    byId("again").hidden = !(solved && !more);
    if (solved) byId(more ? "next" : "again").focus();
  }

  /** @param {string} text @param {"" | "right" | "wrong"} [kind] */
  #tell(text, kind = "") {
    const feedback = byId("feedback");
    feedback.className = kind;
    feedback.textContent = text;
  }
}
