// @ts-check
/**
 * Making elements: HTML, SVG, and the icons. Text only ever becomes text nodes, so nothing that an item
 * or a person says can become markup.
 */

const SVG = "http://www.w3.org/2000/svg";

/** Set as properties: their attributes are only initial values. */
const PROPERTIES = new Set(["value", "checked", "selected", "disabled", "hidden", "open", "indeterminate", "htmlFor"]);

/**
 * The paths of the icons, drawn in a box of 20 by 20 with a line of 1.5.
 * @type {Record<string, string[]>}
 */
const ICONS = {
  alert: ["M10 3.2 17.6 16.5H2.4Z", "M10 8v4", "M10 14.4v.1"],
  ask: ["M3.5 4.5h13v9.5H9L5.5 17v-3h-2Z", "M8.3 7.8a1.8 1.8 0 1 1 2.3 1.9c-.4.2-.6.4-.6.9", "M10 12.2v.1"],
  back: ["M12.5 4.5 7 10l5.5 5.5"],
  check: ["M4 10.5 8.2 14.7 16 6"],
  chevron: ["M7.5 5 12.5 10l-5 5"],
  close: ["M5 5l10 10", "M15 5 5 15"],
  comment: ["M3.5 4.5h13v9.5H9L5.5 17v-3h-2Z"],
  down: ["M5 7.5l5 5 5-5"],
  download: ["M10 3v9.5", "M6.2 9 10 12.8 13.8 9", "M3.5 16.5h13"],
  fit: ["M3.5 7.5v-4h4", "M12.5 3.5h4v4", "M16.5 12.5v4h-4", "M7.5 16.5h-4v-4"],
  help: [
    "M10 2.8a7.2 7.2 0 1 1 0 14.4a7.2 7.2 0 1 1 0-14.4Z",
    "M7.9 8a2.1 2.1 0 1 1 2.9 2c-.6.3-.8.6-.8 1.3",
    "M10 13.7v.1",
  ],
  history: ["M3.6 8.2A6.8 6.8 0 1 1 3.4 12", "M3.2 4.4v4h4", "M10 6.5V10l2.6 1.8"],
  info: ["M10 2.8a7.2 7.2 0 1 1 0 14.4a7.2 7.2 0 1 1 0-14.4Z", "M10 9.2v4.3", "M10 6.5v.1"],
  link: ["M8.5 11.5l3-3", "M9.5 6.2 11 4.7a3 3 0 0 1 4.3 4.3L13.8 10.5", "M10.5 13.8 9 15.3A3 3 0 0 1 4.7 11L6.2 9.5"],
  locate: ["M10 5.2a4.8 4.8 0 1 1 0 9.6a4.8 4.8 0 1 1 0-9.6Z", "M10 2.5v2.7M10 14.8v2.7M2.5 10h2.7M14.8 10h2.7"],
  minus: ["M4.5 10h11"],
  more: ["M4.5 10v.1", "M10 10v.1", "M15.5 10v.1"],
  name: ["M4 16.2l.8-3.4L13.3 4.3a1.5 1.5 0 0 1 2.1 0l.5.5a1.5 1.5 0 0 1 0 2.1L7.4 15.4Z", "M12 5.6l2.6 2.6"],
  person: ["M10 3.5a3 3 0 1 1 0 6a3 3 0 1 1 0-6Z", "M4 16.5c.6-3 3-4.5 6-4.5s5.4 1.5 6 4.5"],
  plus: ["M4.5 10h11", "M10 4.5v11"],
  scales: ["M10 3.5v13", "M6.5 16.5h7", "M4 6.2h12", "M4 6.2 2 11.5h4Z", "M16 6.2l-2 5.3h4Z"],
  search: ["M8.8 3.6a5.2 5.2 0 1 1 0 10.4a5.2 5.2 0 1 1 0-10.4Z", "M12.6 12.6 16.5 16.5"],
  skip: ["M4.5 5l6 5-6 5Z", "M11 5l5 5-5 5"],
  tree: ["M2.5 10H7", "M7 5v10", "M7 5h10", "M7 15h4", "M11 12v6", "M11 12h6", "M11 18h6"],
  undo: ["M7.5 4.5 4 8l3.5 3.5", "M4 8h7.5a4.3 4.3 0 0 1 0 8.6H8"],
  up: ["M5 12.5l5-5 5 5"],
};

/**
 * @typedef {Node | string | number | null | undefined | false | Child[]} Child what can stand in an element; nothing
 *   is made of null, undefined and false
 */

/**
 * Make an HTML element.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [props] `class` (a string, or a list of which the falsy are left out), `text`,
 *   `on` (listeners by event), `css` (custom properties and styles, set one by one as the page's policy wants it),
 *   `ref` (called with the element); whatever else is an attribute: true stands without a value, null, undefined and
 *   false not at all (but `aria-…` and `data-…` are written out)
 * @param {...Child} children strings become text
 * @returns {any} the element
 */
export function h(tag, props = null, ...children) {
  return filled(document.createElement(tag), props, children);
}

/**
 * Make an SVG element; its arguments are those of `h`.
 *
 * @param {string} tag
 * @param {Record<string, any> | null} [attributes]
 * @param {...Child} children
 * @returns {any} the element
 */
export function s(tag, attributes = null, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Remove all children of an element, and return it.
 *
 * @template {Element} T
 * @param {T} element
 * @returns {T}
 */
export function clear(element) {
  element.replaceChildren();
  return element;
}

/**
 * Put children into an element in the place of those that it has, and return it.
 *
 * @template {Element} T
 * @param {T} element
 * @param {...Child} children
 * @returns {T}
 */
export function fill(element, ...children) {
  clear(element);
  append(element, children);
  return element;
}

/**
 * Make a small icon, in the colour of the text and not read aloud: what it stands for is said beside it, or in the
 * label of its button.
 *
 * @param {string} name one of the names in ICONS
 * @param {number} [size] in pixels
 * @returns {SVGElement}
 */
export function icon(name, size = 18) {
  const paths = ICONS[name];
  if (!paths) throw new Error(`There is no icon "${name}"; there are: ${Object.keys(ICONS).join(", ")}.`);
  return s(
    "svg",
    {
      class: `icon icon-${name}`,
      viewBox: "0 0 20 20",
      width: size,
      height: size,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": name === "more" ? 2.5 : 1.5,
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
      "aria-hidden": "true",
      focusable: "false",
    },
    ...paths.map((path) => s("path", { d: path })),
  );
}

/**
 * Make the button in the corner of a dialog.
 *
 * @param {HTMLDialogElement} dialog
 * @returns {HTMLButtonElement}
 */
export function closeButton(dialog) {
  const on = { click: () => dialog.close() };
  const props = { class: "button button-quiet button-icon", type: "button", "aria-label": "Close", on };
  return h("button", props, icon("close"));
}

/**
 * Give an element its props and children.
 *
 * @param {any} element
 * @param {Record<string, any> | null} props
 * @param {Child[]} children
 */
function filled(element, props, children) {
  const isSvg = element.namespaceURI === SVG;
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "on") for (const [event, run] of Object.entries(value)) element.addEventListener(event, run);
    else if (name === "css") for (const [key, to] of Object.entries(value)) element.style.setProperty(key, String(to));
    else if (name === "text") element.textContent = value ?? "";
    else if (name === "class") element.setAttribute("class", [value].flat().filter(Boolean).join(" "));
    else if (name === "style") throw new Error("The page's policy forbids style attributes: use `css` or a class.");
    else if (name === "ref") continue;
    else if (PROPERTIES.has(name) && !isSvg) element[name] = value ?? (name === "value" ? "" : false);
    else if (value === null || value === undefined) continue;
    else if (/^(aria|data)-/.test(name)) element.setAttribute(name, String(value));
    else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  append(element, children);
  props?.ref?.(element);
  return element;
}

/**
 * What has the focus in the page, or in the part of a page of others that an element stands in; null where nothing has.
 *
 * @param {Element} element
 * @returns {Element | null}
 */
export function focusedAround(element) {
  const root = /** @type {Document | ShadowRoot} */ (element.getRootNode());
  return root.activeElement ?? null;
}

/**
 * Show or hide what floats above everything. In the top layer its place is counted from the window's corner, whatever
 * the page around it does with its own parts.
 *
 * @param {HTMLElement} element
 * @param {boolean} isShown
 */
export function float(element, isShown) {
  element.hidden = !isShown;
  if (!element.showPopover || !element.isConnected) return;
  element.popover = "manual";
  const isOpen = element.matches(":popover-open");
  if (isShown && !isOpen) element.showPopover();
  if (!isShown && isOpen) element.hidePopover();
}

/**
 * @param {Element} element
 * @param {Child[]} children
 */
function append(element, children) {
  for (const child of /** @type {any[]} */ (children).flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}
