/**
 * The dependency tree as arcs over the words. `layOut` decides where everything goes and knows no
 * DOM; `Tree` draws it and lets the user draw an arc by dragging from a head to a dependent. For the
 * keyboard there is the panel of each word (panel.js).
 *
 * @typedef {object} Node
 * @property {string} form
 * @property {string} tag
 * @property {string} [upos]    the universal part of speech, if the user has set it
 * @property {number} head      place of the head, from 1; 0 is the root
 * @property {string} label
 * @property {number} id        of the word in the state
 * @property {boolean} given    whether the user has set the arc
 * @property {boolean} tagged   whether the user has set the tag
 *
 * @typedef {object} Arc
 * @property {number} dependent  place, from 0
 * @property {number} head       place, from 0; -1 is the root
 * @property {number} level      height above the words, from 1
 * @property {number} from       x where it leaves the head
 * @property {number} to         x where it reaches the dependent
 * @property {number} label      x of the middle of its label
 *
 * @typedef {(text: string, style: "word" | "tag" | "label") => number} Measure
 */

import { svg } from "./elements.js";

const GAP = 22; // least distance between two words
const MARGIN = 14;
const LEVEL = 30; // height of a level
const LABEL_ROOM = 16; // around the label of the shortest arc
const SPREAD = 7; // between two arcs that meet at a word
const CORNER = 14;
const WORDS_HEIGHT = 56;
const UPOS_HEIGHT = 16;
const STRETCH = 1.8; // how much wider than needed a tree may be, to use the room it has

/**
 * Places of words and arcs. Words move apart where the label of an arc between neighbours needs it,
 * and further if there is room.
 *
 * @param {readonly Node[]} nodes
 * @param {Measure} measure
 * @param {boolean} rightToLeft
 * @param {number} room  width to fill
 * @returns {{width: number, height: number, base: number, xs: number[], arcs: Arc[]}}
 */
export function layOut(nodes, measure, rightToLeft, room) {
  const widths = nodes.map((node) =>
    Math.max(
      measure(node.form, "word"),
      measure(node.tag, "tag"),
      measure(node.upos ?? "", "tag"),
    ),
  );
  const levels = levelsOf(nodes);
  const steps = nodes.slice(1).map((_, index) => {
    const arc = neighbours(nodes, index, index + 1);
    const label = arc === null ? 0 : measure(nodes[arc].label, "label") + LABEL_ROOM + 2 * SPREAD;
    return Math.max(widths[index] / 2 + GAP + widths[index + 1] / 2, label);
  });
  const ends = ((widths[0] ?? 0) + (widths[widths.length - 1] ?? 0)) / 2 + 2 * MARGIN;
  const needed = steps.reduce((sum, step) => sum + step, 0);
  const stretch = needed ? Math.max(1, Math.min(STRETCH, (room - ends) / needed)) : 1;
  const width = ends + needed * stretch;
  let x = MARGIN + (widths[0] ?? 0) / 2;
  const centres = nodes.map((_, index) => (index ? (x += steps[index - 1] * stretch) : x));
  const xs = rightToLeft ? centres.map((centre) => width - centre) : centres;
  const base = (Math.max(0, ...levels) + 2) * LEVEL;
  const height = base + WORDS_HEIGHT + (nodes.some((node) => node.upos) ? UPOS_HEIGHT : 0);
  return { width, height, base, xs, arcs: attach(nodes, levels, xs) };
}

/** The place of the dependent if there is an arc between two neighbours, else null. */
function neighbours(
  /** @type {readonly Node[]} */ nodes,
  /** @type {number} */ left,
  /** @type {number} */ right,
) {
  if (nodes[left].head === right + 1) return left;
  return nodes[right].head === left + 1 ? right : null;
}

/** The level of each word's arc: one above all arcs that it spans. @returns {number[]} */
export function levelsOf(/** @type {readonly {head: number}[]} */ nodes) {
  const spans = nodes.map((node, place) => {
    const head = node.head === 0 ? place : node.head - 1;
    return { place, left: Math.min(place, head), right: Math.max(place, head) };
  });
  const levels = nodes.map(() => 0);
  const arcs = spans
    .filter(({ left, right }) => left < right)
    .sort((a, b) => a.right - a.left - (b.right - b.left));
  arcs.forEach((arc, index) => {
    const below = arcs
      .slice(0, index)
      .filter((other) => other.left < arc.right && other.right > arc.left);
    levels[arc.place] = 1 + Math.max(0, ...below.map((other) => levels[other.place]));
  });
  return levels;
}

/** Where arcs touch the words: spread out, so that no two meet in a point. @returns {Arc[]} */
function attach(
  /** @type {readonly Node[]} */ nodes,
  /** @type {number[]} */ levels,
  /** @type {number[]} */ xs,
) {
  /** @type {{place: number, end: "from" | "to", toward: number, level: number}[][]} */
  const ends = nodes.map(() => []);
  const arcs = nodes.map((node, dependent) => {
    const head = node.head - 1;
    if (head < 0)
      ends[dependent].push({ place: dependent, end: "to", toward: xs[dependent], level: 0 });
    else {
      ends[head].push({
        place: dependent,
        end: "from",
        toward: xs[dependent],
        level: levels[dependent],
      });
      ends[dependent].push({
        place: dependent,
        end: "to",
        toward: xs[head],
        level: levels[dependent],
      });
    }
    return {
      dependent,
      head,
      level: levels[dependent],
      from: head >= 0 ? xs[head] : xs[dependent],
      to: xs[dependent],
      label: xs[dependent],
    };
  });
  ends.forEach((list, place) => {
    // Arcs to the left, the arrow of the root, arcs to the right; the higher, the nearer to the middle.
    const left = list.filter((end) => end.toward < xs[place]).sort((a, b) => a.level - b.level);
    const right = list.filter((end) => end.toward > xs[place]).sort((a, b) => b.level - a.level);
    const ordered = [...left, ...list.filter((end) => end.toward === xs[place]), ...right];
    ordered.forEach((end, index) => {
      arcs[end.place][end.end] = xs[place] + (index - (ordered.length - 1) / 2) * SPREAD;
    });
  });
  const placed = arcs.map((arc) => (arc.head < 0 ? { ...arc, from: arc.to } : arc));
  return placed.map((arc) => ({ ...arc, label: labelPlace(arc, placed) }));
}

/** The middle of an arc; if others run through it, the middle of its longest piece between them. */
function labelPlace(/** @type {Arc} */ arc, /** @type {readonly Arc[]} */ arcs) {
  const [left, right] = [Math.min(arc.from, arc.to), Math.max(arc.from, arc.to)];
  const through = arcs
    .filter((other) => heightOf(other) > heightOf(arc))
    .flatMap((other) => [other.from, other.to])
    .filter((x) => left < x && x < right);
  const points = [left, ...through, right].sort((a, b) => a - b);
  const pieces = points.slice(1).map((end, index) => ({ start: points[index], end }));
  const longest = pieces.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
  return (longest.start + longest.end) / 2;
}

/** How high an arc goes; the arrow of a root comes from the top. */
function heightOf(/** @type {Arc} */ arc) {
  return arc.head < 0 ? Number.MAX_VALUE : arc.level;
}

/** Whether most words are written from right to left. */
export function isRightToLeft(/** @type {readonly string[]} */ words) {
  const scripts = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
  const written = words.filter((word) => /\p{L}/u.test(word));
  return written.filter((word) => scripts.test(word)).length > written.length / 2;
}

/** The drawing in the page. */
export class Tree {
  /** @type {SVGSVGElement} */
  #svg = svg("svg", { class: "tree-drawing", "aria-hidden": "true" });
  /** @type {readonly Node[]} */
  #nodes = [];
  /** @type {ReturnType<typeof layOut>} */
  #layout = { width: 0, height: 0, base: 0, xs: [], arcs: [] };
  #measure = measurer();
  #drawn = false; // the end of a drag is not a click

  /**
   * @param {HTMLElement} frame
   * @param {{onArc: (head: number, dependent: number, anchor: Element) => void, onWord: (id: number, anchor: Element) => void}} listeners
   */
  constructor(frame, listeners) {
    this.frame = frame;
    this.listeners = listeners;
    frame.append(this.#svg);
    this.#svg.addEventListener("pointerdown", (event) => this.#press(event));
    frame.addEventListener("scroll", () => this.#showMore());
    addEventListener("resize", () => this.#nodes.length && this.draw(this.#nodes));
    this.#svg.addEventListener("click", (event) => {
      const place = placeOf(event.target);
      if (place !== null && !this.#drawn)
        listeners.onWord(this.#nodes[place].id, /** @type {Element} */ (event.target));
    });
  }

  /** Draw a tree. */
  draw(/** @type {readonly Node[]} */ nodes) {
    this.#nodes = nodes;
    const rightToLeft = isRightToLeft(nodes.map((node) => node.form));
    const { width, height, base, xs, arcs } = (this.#layout = layOut(
      nodes,
      this.#measure,
      rightToLeft,
      this.frame.clientWidth,
    ));
    this.frame.dir = rightToLeft ? "rtl" : "ltr";
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("width", String(width));
    this.#svg.setAttribute("height", String(height));
    // Where arcs cross, the higher one runs through the lower one: the label of that lies on top.
    const highestFirst = [...arcs].sort((a, b) => heightOf(b) - heightOf(a));
    this.#svg.replaceChildren(
      ...highestFirst.map((arc) => this.#drawArc(arc)),
      ...nodes.map((node, place) => drawWord(node, place, xs[place], base, height - base)),
    );
    this.#showMore();
  }

  /** Whether a part of the drawing is out of sight at its end. */
  #showMore() {
    const { scrollWidth, clientWidth, scrollLeft } = this.frame;
    this.frame.classList.toggle("more", scrollWidth - clientWidth - Math.abs(scrollLeft) > 8);
  }

  /** @param {Arc} arc */
  #drawArc({ dependent, head, level, from, to, label }) {
    const { base } = this.#layout;
    const node = this.#nodes[dependent];
    const foot = base - 4;
    const top = base - level * LEVEL - 6;
    const isRoot = head < 0;
    const path = isRoot ? `M${to} ${LEVEL * 0.75}V${foot}` : bracket(from, to, foot, top);
    return svg(
      "g",
      {
        class: `arc${node.given ? " given" : ""}${isRoot ? " root" : ""}`,
        "data-place": dependent,
      },
      svg("path", { class: "arc-line", d: path }),
      svg("path", { class: "arc-tip", d: `M${to} ${foot + 1}l-3.2 -6.4h6.4z` }),
      svg("text", { class: "arc-label", x: label, y: isRoot ? LEVEL * 0.5 : top + 4 }, node.label),
    );
  }

  #press(/** @type {PointerEvent} */ event) {
    const place = placeOf(event.target);
    if (place === null || event.button !== 0) return;
    this.#drawn = false;
    if (/** @type {Element} */ (event.target).closest(".tree-word") === null) return;
    const start = { x: event.clientX, y: event.clientY };
    /** @type {SVGPathElement | null} */
    let line = null;
    /** @param {PointerEvent} move */
    const target = (move) =>
      placeOf(document.elementFromPoint(move.clientX, move.clientY)?.closest(".tree-word") ?? null);
    /** @param {PointerEvent} move */
    const onMove = (move) => {
      if (!line && Math.hypot(move.clientX - start.x, move.clientY - start.y) < 6) return;
      if (!line) {
        this.#drawn = true;
        line = svg("path", { class: "arc-line drawing" });
        this.#svg.append(/** @type {SVGPathElement} */ (line));
        this.frame.classList.add("drawing");
      }
      const over = target(move);
      this.#mark(over === place ? null : over);
      const point = this.#toDrawing(move);
      const x = over !== null && over !== place ? this.#layout.xs[over] : point.x;
      const y =
        over !== null && over !== place
          ? this.#layout.base - 4
          : Math.min(point.y, this.#layout.base - 4);
      const from = this.#layout.xs[place];
      const rise = Math.min(this.#layout.base - 10, 26 + Math.abs(x - from) / 4);
      line?.setAttribute(
        "d",
        `M${from} ${this.#layout.base - 4}C${from} ${this.#layout.base - 4 - rise} ${x} ${y - rise} ${x} ${y}`,
      );
    };
    /** @param {PointerEvent} up */
    const onEnd = (up) => {
      removeEventListener("pointermove", onMove);
      removeEventListener("pointerup", onEnd);
      removeEventListener("pointercancel", onEnd);
      this.frame.classList.remove("drawing");
      this.#mark(null);
      line?.remove();
      if (up.type === "pointercancel") return;
      const over = target(up);
      if (!line || over === null || over === place) return;
      const anchor = this.#svg.querySelectorAll(".tree-word")[over];
      // After this event: the browser closes panels when a pointer goes up outside of them.
      setTimeout(() => this.listeners.onArc(this.#nodes[place].id, this.#nodes[over].id, anchor));
    };
    addEventListener("pointermove", onMove);
    addEventListener("pointerup", onEnd);
    addEventListener("pointercancel", onEnd);
  }

  /** Show which word an arc would reach. */
  #mark(/** @type {number | null} */ place) {
    this.#svg
      .querySelectorAll(".tree-word")
      .forEach((word, index) => word.classList.toggle("target", index === place));
  }

  #toDrawing(/** @type {PointerEvent} */ event) {
    const box = this.#svg.getBoundingClientRect();
    const scale = this.#layout.width / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  }
}

/** @param {Node} node @param {number} place @param {number} x @param {number} base @param {number} height */
function drawWord(node, place, x, base, height) {
  return svg(
    "g",
    { class: "tree-word", "data-place": place },
    svg("rect", { class: "tree-hold", x: x - 24, y: base, width: 48, height, rx: 6 }),
    svg("text", { class: "tree-form", x, y: base + 22 }, node.form),
    svg("text", { class: `tree-tag${node.tagged ? " given" : ""}`, x, y: base + 42 }, node.tag),
    node.upos
      ? svg("text", { class: "tree-tag given", x, y: base + 42 + UPOS_HEIGHT }, node.upos)
      : null,
  );
}

/** A bracket with round corners, from the head up, across, and down to the dependent. */
function bracket(
  /** @type {number} */ from,
  /** @type {number} */ to,
  /** @type {number} */ foot,
  /** @type {number} */ top,
) {
  const corner = Math.min(CORNER, Math.abs(to - from) / 2);
  const side = Math.sign(to - from);
  return `M${from} ${foot}V${top + corner}Q${from} ${top} ${from + side * corner} ${top}H${to - side * corner}Q${to} ${top} ${to} ${top + corner}V${foot}`;
}

/** @param {EventTarget | Element | null} target */
function placeOf(target) {
  const holder = target instanceof Element ? target.closest("[data-place]") : null;
  return holder === null ? null : Number(holder.getAttribute("data-place"));
}

/** Measures text in the fonts of the page. @returns {Measure} */
function measurer() {
  const context = document.createElement("canvas").getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const fonts = {
    word: `18px ${style.getPropertyValue("--serif")}`,
    tag: `12px ${style.getPropertyValue("--sans")}`,
    label: `12.5px ${style.getPropertyValue("--sans")}`,
  };
  return (text, kind) => {
    if (!context) return 8 * text.length;
    context.font = fonts[kind];
    return context.measureText(text).width;
  };
}
