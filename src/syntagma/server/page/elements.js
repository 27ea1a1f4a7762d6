/**
 * Building DOM nodes without markup in strings: text stays text, whatever a user types.
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an HTML element. Keys that begin with `on` are listeners; `null`, `undefined` and `false`
 * leave an attribute out; `true` is the empty attribute.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {any}
 */
export function element(name, attributes = {}, ...children) {
  return furnish(document.createElement(name), attributes, children);
}

/**
 * Make an SVG element.
 *
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {any}
 */
export function svg(name, attributes = {}, ...children) {
  return furnish(document.createElementNS(SVG, name), attributes, children);
}

/**
 * Make `items`, in this order, the children of an element. The one with the focus is not taken out
 * of the document on the way, so that it keeps the focus.
 *
 * @param {HTMLElement} parent
 * @param {readonly HTMLElement[]} items
 */
export function arrange(parent, items) {
  for (const child of [...parent.children])
    if (!items.includes(/** @type {any} */ (child))) child.remove();
  const place = items.findIndex((item) => item.contains(document.activeElement));
  for (const item of items.slice(0, Math.max(place, 0))) parent.insertBefore(item, items[place]);
  parent.append(...items.slice(place + 1));
}

/** The element with this id, which index.html is known to have. @returns {any} */
export function byId(/** @type {string} */ id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}

/** @param {Element} node @param {Record<string, any>} attributes @param {(Node | string | null)[]} children */
function furnish(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}
