/**
 * The ordered sentence, large, each word a button: arrow keys walk along it, Enter opens the panel
 * of a word, Shift with an arrow key puts a word before or after its neighbour, and so does
 * dragging. Words glide to their new places when the order changes.
 *
 * @typedef {object} Shown
 * @property {number} id
 * @property {string} form
 * @property {boolean} fixed   whether anything is said of the word
 * @property {boolean} tight   whether no space stands before it
 * @property {boolean} [within]  whether the contraction before it, such as “du”, stands for it, too
 *
 * @typedef {object} Listeners
 * @property {(id: number, anchor: HTMLElement) => void} onWord
 * @property {(a: number, b: number) => void} onBefore
 */

import { arrange, element } from "./elements.js";
import { isRightToLeft } from "./tree.js";

const WORD_JOINER = "\u2060"; // no line break here
const DRAG_DISTANCE = 6;
const GLIDE = { duration: 320, easing: "cubic-bezier(.2, .7, .2, 1)" };

export class Sentence {
  /** @type {readonly Shown[]} */
  #words = [];
  #current = 0;
  #dragged = false; // the end of a drag is not a click

  /** @param {HTMLElement} line @param {Listeners} listeners */
  constructor(line, listeners) {
    this.line = line;
    this.listeners = listeners;
    line.addEventListener("keydown", (event) => this.#key(event));
    line.addEventListener("pointerdown", (event) => this.#press(event));
    line.addEventListener("click", (event) => {
      const button = /** @type {HTMLElement | null} */ (
        /** @type {Element} */ (event.target).closest("button")
      );
      if (button && !this.#dragged) listeners.onWord(Number(button.dataset.id), button);
      this.#dragged = false;
    });
    line.addEventListener("focusin", (event) => {
      const place = this.#buttons().indexOf(/** @type {HTMLButtonElement} */ (event.target));
      if (place >= 0) this.#rove(place);
    });
  }

  /** Show these words. A word keeps its button, and its focus, while it is there. */
  show(/** @type {readonly Shown[]} */ words) {
    const old = new Map(this.#buttons().map((button) => [Number(button.dataset.id), button]));
    const places = new Map([...old].map(([id, button]) => [id, button.getBoundingClientRect()]));
    const focused = Number(
      /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.id ?? 0,
    );
    const hadFocus = this.line.contains(document.activeElement);
    this.#words = words;
    this.line.dir = isRightToLeft(words.map((word) => word.form)) ? "rtl" : "ltr";
    this.line.dataset.length = words.length > 24 ? "long" : words.length > 12 ? "medium" : "short";
    const buttons = words.map((word) => {
      const button =
        old.get(word.id) ?? element("button", { type: "button", "aria-haspopup": "dialog" });
      button.dataset.id = String(word.id);
      button.className = `word${word.fixed ? " fixed" : ""}${word.tight ? " tight" : ""}${word.within ? " within" : ""}`;
      button.textContent = word.form;
      return button;
    });
    arrange(this.line, buttons);
    for (const node of [...this.line.childNodes]) if (node instanceof Text) node.remove();
    buttons.forEach(
      (button, place) => place && button.before(words[place].tight ? WORD_JOINER : " "),
    );
    const again = words.findIndex((word) => word.id === focused);
    this.#rove(again >= 0 ? again : Math.min(this.#current, Math.max(0, words.length - 1)));
    if (hadFocus && !this.line.contains(document.activeElement)) buttons[this.#current]?.focus();
    glide(buttons, places);
  }

  /** The button of a word, if it is shown. @returns {HTMLElement | undefined} */
  buttonOf(/** @type {number} */ id) {
    return this.#buttons().find((button) => Number(button.dataset.id) === id);
  }

  /** @returns {HTMLButtonElement[]} */
  #buttons() {
    return [...this.line.querySelectorAll("button")];
  }

  /** One word at a time is in the tab order. */
  #rove(/** @type {number} */ place) {
    this.#current = place;
    this.#buttons().forEach((button, index) => (button.tabIndex = index === place ? 0 : -1));
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const last = this.#words.length - 1;
    const ahead = this.line.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = this.line.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
    const step = event.key === ahead ? 1 : event.key === back ? -1 : 0;
    const place = step
      ? this.#current + step
      : event.key === "Home"
        ? 0
        : event.key === "End"
          ? last
          : null;
    if (place === null || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (place < 0 || place > last) return;
    if (!event.shiftKey || !step) return this.#buttons()[place].focus();
    const [moved, other] = [this.#words[this.#current].id, this.#words[place].id];
    if (step < 0) this.listeners.onBefore(moved, other);
    else this.listeners.onBefore(other, moved);
  }

  #press(/** @type {PointerEvent} */ event) {
    const button = /** @type {HTMLElement | null} */ (
      /** @type {Element} */ (event.target).closest("button")
    );
    if (!button || event.button !== 0) return;
    const id = Number(button.dataset.id);
    const start = { x: event.clientX, y: event.clientY };
    this.#dragged = false;
    /** @type {{id: number, after: boolean} | null} */
    let drop = null;
    /** @param {PointerEvent} move */
    const onMove = (move) => {
      const [dx, dy] = [move.clientX - start.x, move.clientY - start.y];
      if (!this.#dragged && Math.hypot(dx, dy) < DRAG_DISTANCE) return;
      if (!this.#dragged) {
        this.#dragged = true;
        button.classList.add("dragged");
        button.setPointerCapture(event.pointerId);
      }
      button.style.translate = `${dx}px ${dy}px`;
      drop = this.#dropAt(move, id);
      this.#markDrop(drop);
    };
    /** @param {PointerEvent} up */
    const onEnd = (up) => {
      removeEventListener("pointermove", onMove);
      removeEventListener("pointerup", onEnd);
      removeEventListener("pointercancel", onEnd);
      button.style.translate = "";
      button.classList.remove("dragged");
      this.#markDrop(null);
      if (up.type === "pointercancel") return;
      if (drop?.after) this.listeners.onBefore(drop.id, id);
      else if (drop) this.listeners.onBefore(id, drop.id);
    };
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", onEnd);
    addEventListener("pointercancel", onEnd);
  }

  /** The word under the pointer and on which side of it a drop would be. */
  #dropAt(/** @type {PointerEvent} */ move, /** @type {number} */ moved) {
    for (const button of this.#buttons()) {
      const box = button.getBoundingClientRect();
      if (Number(button.dataset.id) === moved) continue;
      if (
        move.clientX < box.left - 6 ||
        move.clientX > box.right + 6 ||
        move.clientY < box.top ||
        move.clientY > box.bottom
      )
        continue;
      const right = move.clientX > (box.left + box.right) / 2;
      return { id: Number(button.dataset.id), after: this.line.dir === "rtl" ? !right : right };
    }
    return null;
  }

  #markDrop(/** @type {{id: number, after: boolean} | null} */ drop) {
    for (const button of this.#buttons()) {
      const here = drop?.id === Number(button.dataset.id);
      button.classList.toggle("drop-before", here && !drop?.after);
      button.classList.toggle("drop-after", here && Boolean(drop?.after));
    }
  }
}

/** Let elements move from where they were to where they are. */
export function glide(
  /** @type {HTMLElement[]} */ items,
  /** @type {Map<number, DOMRect>} */ places,
) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const item of items) {
    const old = places.get(Number(item.dataset.id));
    if (!old) {
      item.animate([{ opacity: 0 }, { opacity: 1 }], GLIDE);
      continue;
    }
    const box = item.getBoundingClientRect();
    const [dx, dy] = [old.left - box.left, old.top - box.top];
    if (Math.abs(dx) + Math.abs(dy) > 1)
      item.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], GLIDE);
  }
}
