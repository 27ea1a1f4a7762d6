/**
 * Light and dark: as the system has it, until the switch says otherwise.
 */

import { byId } from "./elements.js";

const KEY = "theme";

/** Set up the switch. */
export function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const button = byId("theme");
  const current = () => localStorage.getItem(KEY) ?? (dark.matches ? "dark" : "light");
  const apply = () => {
    document.documentElement.dataset.theme = current();
    const other = current() === "dark" ? "light" : "dark";
    button.setAttribute("aria-label", `Switch to ${other} colours`);
    button.title = `Switch to ${other} colours`;
  };
  button.addEventListener("click", () => {
    localStorage.setItem(KEY, current() === "dark" ? "light" : "dark");
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}
