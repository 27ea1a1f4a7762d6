/**
 * The panel of a word: everything that can be said of it, in plain form controls. It is the keyboard's
 * way to what dragging does.
 *
 * @typedef {import("./state.js").State} State
 * @typedef {{tags: string[], labels: string[], upos: string[], features: string[]}} Vocabulary
 * @typedef {{tag: string, head: number, label: string}} Found  what the model found; head is an id, 0 the root
 */

import {
  keepTogether,
  putBefore,
  removeWord,
  setFirst,
  setHead,
  setLast,
  setProperty,
  splitPhrase,
} from "./constraints.js";
import { byId, element } from "./elements.js";
import { describeLabel, describeTag } from "./names.js";
import { readFeatures, wordOf, writeFeatures } from "./state.js";

export class Panel {
  #panel = byId("panel");
  /** @type {number | null} */
  #word = null;
  /** @type {HTMLElement | null} */
  #opener = null;

  /**
   * @param {{
   *   state: () => State,
   *   found: (id: number) => Found | null,
   *   vocabulary: () => Vocabulary,
   *   change: (state: State, focus?: number) => void,
   *   anchorOf: (id: number) => Element | undefined,
   * }} page
   */
  constructor(page) {
    this.page = page;
    this.#panel.addEventListener("toggle", (/** @type {ToggleEvent} */ event) => {
      if (event.newState === "open") return;
      this.#opener?.setAttribute("aria-expanded", "false");
      if (document.activeElement === document.body) this.#opener?.focus();
      this.#word = null;
    });
    addEventListener("resize", () => this.close());
  }

  /** Open the panel of a word below an element; `focus` names the control to begin with. */
  open(
    /** @type {number} */ id,
    /** @type {Element} */ anchor,
    /** @type {string} */ focus = "panel-first",
  ) {
    this.close();
    this.#word = id;
    this.#opener = /** @type {HTMLElement} */ (this.page.anchorOf(id) ?? anchor);
    if (!this.#fill()) return;
    this.#panel.showPopover();
    this.#opener?.setAttribute("aria-expanded", "true");
    place(this.#panel, anchor);
    byId(focus).focus({ preventScroll: true });
    if (getComputedStyle(this.#panel).position === "fixed")
      anchor.scrollIntoView({ block: "start" });
  }

  close() {
    if (this.#panel.matches(":popover-open")) this.#panel.hidePopover();
  }

  /** Show what has changed, or close if the word is gone. */
  refresh() {
    if (this.#word === null) return;
    const focused = /** @type {HTMLInputElement} */ (document.activeElement);
    if (!this.#fill()) return this.close();
    const again = focused.id && this.#panel.querySelector(`#${focused.id}`);
    if (!again) return;
    if (focused.matches(".chooser select, input")) {
      again.value = focused.value; // not yet added
      again.dispatchEvent(new Event("input"));
    }
    again.focus();
  }

  /** @returns {boolean} whether there is such a word */
  #fill() {
    const state = this.page.state();
    const id = this.#word ?? 0;
    const word = wordOf(state, id);
    if (!word) return false;
    const found = this.page.found(id);
    const { tags, labels, upos, features } = this.page.vocabulary();
    const others = state.words.filter((other) => other.id !== id);
    const headText =
      found && (found.head === 0 ? "the root" : (wordOf(state, found.head)?.text ?? ""));
    /** @param {string | null | undefined} what */
    const open = (what) => (what ? `found: ${what}` : "to be found");
    /** @param {(state: State) => State} step @param {number} [focus] */
    const change = (step, focus) => this.page.change(step(this.page.state()), focus);

    this.#panel.setAttribute("aria-label", `The word ${word.text}`);
    this.#panel.replaceChildren(
      element(
        "div",
        { class: "panel-head" },
        element("strong", { class: "panel-word" }, word.text),
        toggle("panel-first", "First", state.first === id, (on) =>
          change((s) => setFirst(s, on ? id : null)),
        ),
        toggle("panel-last", "Last", state.last === id, (on) =>
          change((s) => setLast(s, on ? id : null)),
        ),
        element(
          "button",
          {
            type: "button",
            class: "quiet close",
            "aria-label": "Close",
            onclick: () => this.close(),
          },
          "×",
        ),
      ),
      element(
        "div",
        { class: "panel-rows" },
        row(
          "Tag",
          select(
            "panel-tag",
            [["", open(found?.tag)], ...listed(tags, word.tag, describeTag)],
            word.tag ?? "",
            (tag) => change((s) => setProperty(s, id, "tag", tag || undefined)),
          ),
        ),
        upos.length || word.upos !== undefined
          ? row(
              "UPOS",
              select(
                "panel-upos",
                [["", "not given"], ...listed(upos, word.upos, describeTag)],
                word.upos ?? "",
                (tag) => change((s) => setProperty(s, id, "upos", tag || undefined)),
              ),
            )
          : null,
        row(
          "Head",
          select(
            "panel-head",
            [
              ["", open(headText)],
              ["0", "the root of the sentence"],
              ...others.map((other) => [String(other.id), other.text]),
            ],
            word.head === undefined ? "" : String(word.head),
            (head) =>
              change((s) =>
                setHead(
                  s,
                  id,
                  head === "" ? undefined : Number(head),
                  head === "" || head === "0" ? undefined : word.deprel,
                ),
              ),
          ),
        ),
        row(
          "Label",
          select(
            "panel-label",
            [
              ["", word.head === undefined ? open(found?.label) : "to be found"],
              ...listed(labels, word.deprel, describeLabel),
            ],
            word.deprel ?? "",
            (label) => change((s) => setHead(s, id, word.head ?? found?.head ?? 0, label)),
          ),
        ),
        row(
          "Before",
          chooser(
            "panel-before",
            [["", "choose a word"], ...others.map((other) => [String(other.id), other.text])],
            (other) => change((s) => putBefore(s, id, other)),
          ),
        ),
        row(
          "Together with",
          chooser(
            "panel-together",
            [
              ["", "choose the next word"],
              ...others.map((other) => [String(other.id), `${word.text} ${other.text}`]),
            ],
            (other) => {
              const next = keepTogether(this.page.state(), id, other);
              this.close();
              this.page.change(next, Math.max(...next.words.map((each) => each.id)));
            },
          ),
        ),
        state.mode === "lemmas" || features.length || word.features !== undefined
          ? row(
              "Features",
              element("input", {
                id: "panel-features",
                type: "text",
                value: word.features === undefined ? "" : writeFeatures(word.features),
                placeholder: "Number=Plur|Tense=Past",
                autocomplete: "off",
                spellcheck: "false",
                onchange: (/** @type {any} */ event) =>
                  change((s) =>
                    setProperty(s, id, "features", readFeatures(event.target.value)),
                  ),
              }),
            )
          : null,
      ),
      element(
        "div",
        { class: "panel-foot" },
        word.text.includes(" ")
          ? element(
              "button",
              { type: "button", class: "quiet", onclick: () => change((s) => splitPhrase(s, id)) },
              "Split the phrase",
            )
          : null,
        element(
          "button",
          { type: "button", class: "quiet", onclick: () => change((s) => removeWord(s, id)) },
          "Remove the word",
        ),
      ),
    );
    return true;
  }
}

/** Values of a vocabulary with what they mean; one that the model does not know is offered if set. */
function listed(
  /** @type {string[]} */ values,
  /** @type {string | undefined} */ current,
  /** @type {(value: string) => string} */ describe,
) {
  const all = current && !values.includes(current) ? [current, ...values] : values;
  return all.map((value) => [value, describe(value)]);
}

/** @param {string} label @param {HTMLElement} control */
function row(label, control) {
  const labelled = control.querySelector("select") ?? control;
  return element("div", { class: "row" }, element("label", { for: labelled.id }, label), control);
}

/** @param {string} id @param {string[][]} options @param {string} value @param {(value: string) => void} onChange */
function select(id, options, value, onChange) {
  const control = element(
    "select",
    { id, onchange: () => onChange(control.value) },
    ...options.map(([key, text]) => element("option", { value: key }, text)),
  );
  control.value = value;
  control.classList.toggle("given", value !== "");
  return control;
}

/**
 * A choice that takes effect only on a button: with the keyboard one walks through the words first.
 *
 * @param {string} id
 * @param {string[][]} options
 * @param {(word: number) => void} onAdd
 */
function chooser(id, options, onAdd) {
  const control = select(id, options, "", () => {});
  control.addEventListener("input", () => (button.disabled = control.value === ""));
  const button = element(
    "button",
    {
      id: `${id}-add`,
      type: "button",
      disabled: true,
      onclick: () => onAdd(Number(control.value)),
    },
    "Add",
  );
  return element("div", { class: "chooser" }, control, button);
}

/** @param {string} id @param {string} label @param {boolean} on @param {(on: boolean) => void} onChange */
function toggle(id, label, on, onChange) {
  return element(
    "button",
    {
      id,
      type: "button",
      class: "toggle",
      "aria-pressed": String(on),
      onclick: () => onChange(!on),
    },
    label,
  );
}

/** Put the panel below an element, within the window; on a phone the style sheet docks it. */
function place(/** @type {HTMLElement} */ panel, /** @type {Element} */ anchor) {
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const left = Math.max(12, Math.min(box.left - 12, innerWidth - width - 12));
  const below = box.bottom + 10;
  const top =
    below + height > innerHeight - 12 && box.top - height - 10 > 0 ? box.top - height - 10 : below;
  panel.style.setProperty("--left", `${left + scrollX}px`);
  panel.style.setProperty("--top", `${top + scrollY}px`);
}
