/**
 * Copying to the clipboard.
 */

import { byId, element } from "./elements.js";

/** Copy a text and confirm it on the button. */
export async function copy(/** @type {string} */ text, /** @type {HTMLElement} */ button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Only pages from this machine or with TLS may use the clipboard; others copy a selection.
    const area = element("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  const label = button.textContent;
  button.textContent = "Copied";
  byId("live").textContent = "Copied";
  setTimeout(() => (button.textContent = label), 1500);
}
