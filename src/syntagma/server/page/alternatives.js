/**
 * The best orders, best first, with their scores. The one that is chosen is shown large.
 */

import { byId, element } from "./elements.js";

/**
 * @param {readonly {text: string, score: number}[]} results
 * @param {number} chosen
 * @param {(place: number) => void} onChoose
 */
export function showAlternatives(results, chosen, onChoose) {
  const list = byId("orders");
  const place = [...list.querySelectorAll("button")].indexOf(
    /** @type {HTMLButtonElement} */ (document.activeElement),
  );
  list.replaceChildren(
    ...results.map((result, index) =>
      element(
        "li",
        {},
        element(
          "button",
          {
            type: "button",
            class: "order",
            "aria-pressed": String(index === chosen),
            onclick: () => onChoose(index),
          },
          element("span", { class: "order-text", dir: "auto" }, result.text),
          element(
            "span",
            { class: "order-score" },
            element("span", { class: "unseen" }, "score "),
            result.score.toFixed(2).replace("-", "−"),
          ),
        ),
      ),
    ),
  );
  if (place >= 0) list.querySelectorAll("button")[Math.min(place, results.length - 1)]?.focus();
}
