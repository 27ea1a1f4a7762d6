/**
 * The constraints as chips. A chip is removed by its button; a message of the service about a
 * constraint stands beside its chip.
 *
 * @typedef {import("./constraints.js").Constraint} Constraint
 */

import { byId, element } from "./elements.js";

/**
 * @param {readonly Constraint[]} constraints
 * @param {{onRemove: (constraint: Constraint, place: number) => void, onClear: () => void}} listeners
 * @param {{key: string, message: string} | null} fault  the constraint that cannot hold, and why
 */
export function showChips(constraints, listeners, fault) {
  const list = byId("chips");
  const focused = list.contains(document.activeElement) ? document.activeElement : null;
  list.replaceChildren(
    ...constraints.map((constraint, place) => {
      const { key, parts } = constraint;
      const [subject, relation, object] = parts;
      const wrong = fault?.key === key;
      const said = parts.filter(Boolean).join(" ");
      return element(
        "li",
        { class: `chip${wrong ? " wrong" : ""}`, "data-key": key },
        element(
          "span",
          { class: "chip-text" },
          element("b", {}, subject),
          ` ${relation}`,
          object ? element("b", {}, ` ${object}`) : null,
        ),
        element(
          "button",
          {
            type: "button",
            class: "chip-remove",
            "aria-label": `Remove: ${said}`,
            "aria-describedby": wrong ? "fault" : null,
            onclick: () => listeners.onRemove(constraint, place),
          },
          "×",
        ),
      );
    }),
    ...(constraints.length > 1
      ? [
          element(
            "li",
            {},
            element(
              "button",
              { type: "button", class: "quiet", onclick: listeners.onClear },
              "Clear all",
            ),
          ),
        ]
      : []),
  );
  const again = [...list.querySelectorAll("button")].find(
    (button) => focused && name(button) === name(focused),
  );
  byId("constraints").hidden = constraints.length === 0;
  const message = byId("fault");
  message.hidden = fault === null;
  message.textContent = fault?.message ?? "";
  again?.focus();
}

/** @param {Element} button */
function name(button) {
  return button.getAttribute("aria-label") ?? button.textContent;
}

/** Put the focus where the next chip is, after one was removed. */
export function focusChip(/** @type {number} */ place) {
  const buttons = byId("chips").querySelectorAll(".chip-remove");
  const next = buttons[Math.min(place, buttons.length - 1)];
  (next ?? byId("text")).focus();
}
