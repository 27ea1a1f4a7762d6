/**
 * A line of words that can be put in order by dragging or by keyboard: arrow keys walk, Space picks a
 * word up and puts it down, arrow keys then move it, Escape puts it back.
 */

import { arrange, element } from "./elements.js";
import { glide } from "./sentence.js";

export class Sortable {
  /** @type {number[]} indices of the words, as they stand */
  #order = [];
  /** @type {string[]} */
  #words = [];
  #current = 0;
  /** @type {number[] | null} the order before a word was picked up */
  #before = null;

  /** @param {HTMLElement} list @param {{onChange: () => void, say: (text: string) => void}} listeners */
  constructor(list, listeners) {
    this.list = list;
    this.listeners = listeners;
    list.addEventListener("keydown", (event) => this.#key(event));
    list.addEventListener("pointerdown", (event) => this.#press(event));
    list.addEventListener("focusout", (event) => {
      if (this.#before && !list.contains(/** @type {Node | null} */ (event.relatedTarget)))
        this.#putDown();
    });
  }

  /** Begin with these words in this order. */
  start(/** @type {readonly string[]} */ words) {
    this.#words = [...words];
    this.#order = words.map((_, index) => index);
    this.#current = 0;
    this.#before = null;
    this.list.replaceChildren();
    this.#draw();
  }

  /** Indices of the words, as they stand now. */
  get order() {
    return [...this.#order];
  }

  /** Put words in this order. */
  arrange(/** @type {readonly number[]} */ order) {
    this.#order = [...order];
    this.#draw();
  }

  /** Mark words by their places; `marks` maps a place to a class. */
  mark(/** @type {Map<number, string>} */ marks) {
    [...this.list.children].forEach((tile, place) => {
      tile.classList.remove("settled", "suspect", "right");
      const mark = marks.get(place);
      if (mark) tile.classList.add(mark);
    });
  }

  focus() {
    /** @type {HTMLElement | undefined} */ (this.list.children[this.#current])?.focus();
  }

  #draw() {
    /** @type {Map<number, HTMLElement>} */
    const old = new Map(
      [.../** @type {HTMLCollectionOf<HTMLElement>} */ (this.list.children)].map((tile) => [
        Number(tile.dataset.id),
        tile,
      ]),
    );
    const places = new Map([...old].map(([id, tile]) => [id, tile.getBoundingClientRect()]));
    const tiles = this.#order.map((index, place) => {
      const tile =
        old.get(index) ??
        element(
          "li",
          {
            class: "tile",
            role: "option",
            "data-id": index,
            "aria-roledescription": "movable word",
          },
          this.#words[index],
        );
      tile.tabIndex = place === this.#current ? 0 : -1;
      tile.setAttribute("aria-selected", String(this.#before !== null && place === this.#current));
      tile.setAttribute("aria-posinset", String(place + 1));
      tile.setAttribute("aria-setsize", String(this.#order.length));
      tile.classList.remove("settled", "suspect", "right");
      return tile;
    });
    arrange(this.list, tiles);
    glide(tiles, places);
  }

  #key(/** @type {KeyboardEvent} */ event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const rightToLeft = getComputedStyle(this.list).direction === "rtl";
    const ahead = rightToLeft ? ["ArrowLeft", "ArrowDown"] : ["ArrowRight", "ArrowDown"];
    const back = rightToLeft ? ["ArrowRight", "ArrowUp"] : ["ArrowLeft", "ArrowUp"];
    const last = this.#order.length - 1;
    const place = ahead.includes(event.key)
      ? Math.min(last, this.#current + 1)
      : back.includes(event.key)
        ? Math.max(0, this.#current - 1)
        : event.key === "Home"
          ? 0
          : event.key === "End"
            ? last
            : null;
    if (place !== null) {
      event.preventDefault();
      if (this.#before === null) this.#walk(place);
      else this.#move(this.#current, place);
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      if (this.#before === null) this.#pickUp();
      else this.#putDown();
    } else if (event.key === "Escape" && this.#before !== null) {
      const word = this.#order[this.#current];
      this.#order = this.#before;
      this.#before = null;
      this.#current = this.#order.indexOf(word);
      this.#draw();
      this.listeners.say(`${this.#words[word]} is back at place ${this.#current + 1}.`);
    }
  }

  #walk(/** @type {number} */ place) {
    this.#current = place;
    [.../** @type {HTMLCollectionOf<HTMLElement>} */ (this.list.children)].forEach(
      (tile, index) => (tile.tabIndex = index === place ? 0 : -1),
    );
    this.focus();
  }

  #pickUp() {
    this.#before = [...this.#order];
    this.list.children[this.#current].setAttribute("aria-selected", "true");
    this.listeners.say(
      `${this.#words[this.#order[this.#current]]} picked up. Arrow keys move it, Space puts it down.`,
    );
  }

  #putDown() {
    this.#before = null;
    this.list.children[this.#current].setAttribute("aria-selected", "false");
    this.listeners.say(
      `${this.#words[this.#order[this.#current]]} put down at place ${this.#current + 1} of ${this.#order.length}.`,
    );
  }

  #move(/** @type {number} */ from, /** @type {number} */ to) {
    if (from === to) return;
    const [word] = this.#order.splice(from, 1);
    this.#order.splice(to, 0, word);
    this.#current = to;
    this.#draw();
    this.listeners.onChange();
    this.listeners.say(`${this.#words[word]}: place ${to + 1} of ${this.#order.length}.`);
  }

  #press(/** @type {PointerEvent} */ event) {
    const tile = /** @type {HTMLElement | null} */ (
      /** @type {Element} */ (event.target).closest(".tile")
    );
    if (!tile || event.button !== 0) return;
    const index = Number(tile.dataset.id);
    this.#before = null;
    this.#walk(this.#order.indexOf(index));
    const start = { x: event.clientX, y: event.clientY };
    tile.setPointerCapture(event.pointerId);
    tile.classList.add("held");
    /** @param {PointerEvent} move */
    const onMove = (move) => {
      tile.style.translate = `${move.clientX - start.x}px ${move.clientY - start.y}px`;
      const place = this.#placeAt(move, index);
      if (place === null || place === this.#order.indexOf(index)) return;
      const box = tile.getBoundingClientRect();
      this.#move(this.#order.indexOf(index), place);
      // The tile stands elsewhere now: the hand keeps holding it at the same point.
      tile.getAnimations().forEach((animation) => animation.cancel());
      const moved = tile.getBoundingClientRect();
      start.x += moved.left - box.left;
      start.y += moved.top - box.top;
      tile.style.translate = `${move.clientX - start.x}px ${move.clientY - start.y}px`;
    };
    const onEnd = () => {
      removeEventListener("pointermove", onMove);
      removeEventListener("pointerup", onEnd);
      removeEventListener("pointercancel", onEnd);
      tile.style.translate = "";
      tile.classList.remove("held");
    };
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", onEnd);
    addEventListener("pointercancel", onEnd);
  }

  /** The place among the others where the pointer is. */
  #placeAt(/** @type {PointerEvent} */ move, /** @type {number} */ moved) {
    for (const [place, tile] of [
      .../** @type {HTMLCollectionOf<HTMLElement>} */ (this.list.children),
    ].entries()) {
      if (Number(tile.dataset.id) === moved) continue;
      const box = tile.getBoundingClientRect();
      if (
        move.clientX >= box.left &&
        move.clientX <= box.right &&
        move.clientY >= box.top &&
        move.clientY <= box.bottom
      )
        return place;
    }
    return null;
  }
}
