// @ts-check
/**
 * The row of an item: its picture, label and text, the key that picks it, and what it was picked as.
 */

import { h } from "./dom.js";

/** @typedef {import("./piece.js").Item} Item */

/** The keys that pick the first rows. */
export const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];

/**
 * The picture of an item, as large as the style sheet says. One that cannot be shown leaves no broken frame.
 *
 * @param {string} address
 * @param {string} name of its class
 * @returns {HTMLElement}
 */
export function picture(address, name) {
  const image = h("img", { class: name, src: address, alt: "", draggable: "false", loading: "lazy", decoding: "async" });
  image.addEventListener("error", () => image.classList.add("is-missing"));
  return image;
}

/**
 * The label and the text of an item, each in its own direction. What only repeats the other is left out, and an item
 * without either is called by its number.
 *
 * @param {Item} item
 * @returns {HTMLElement[]}
 */
export function words(item) {
  const label = (item.label ?? "").trim();
  const text = (item.text ?? "").trim();
  const parts = [];
  // Where items have no names, the label is how their text begins.
  const isBeginning = label.endsWith("…") && text.replace(/\s+/g, " ").startsWith(label.slice(0, -1));
  if (isBeginning) return [h("bdi", { class: "question-label", dir: "auto", text })];
  if (label || !text) {
    const name = ["question-label", !label && "is-nameless"];
    parts.push(h("bdi", { class: name, dir: "auto", text: label || `item ${item.number}` }));
  }
  if (text && text !== label) parts.push(h("bdi", { class: "question-text", dir: "auto", text }));
  return parts;
}

/** One item in a piece. */
export class Row {
  /**
   * @param {Item} item
   * @param {boolean} hasPictures whether other rows have pictures, so that this one leaves room for its own
   */
  constructor(item, hasPictures) {
    this.item = item;
    this.number = h("span", { class: "question-number", "aria-hidden": "true" });
    this.role = h("span", { class: "question-role" });
    this.content = h("span", { class: "question-content" }, words(item));
    const room = hasPictures ? h("span", { class: "question-thumbnail is-missing" }) : null;
    this.element = h(
      "div",
      {
        class: ["question-row", hasPictures && "has-picture", item.text && "has-text"],
        role: "treeitem",
        tabindex: -1,
        "aria-selected": "false",
        "data-testid": `item-${item.number}`,
      },
      item.picture ? picture(item.picture, "question-thumbnail") : room,
      this.content,
      this.role,
      this.number,
    );
  }

  /** Whether some of its words do not fit. */
  get isCut() {
    return Array.from(this.content.children).some(
      (/** @type {any} */ part) => part.scrollHeight > part.clientHeight + 1 || part.scrollWidth > part.clientWidth + 1,
    );
  }

  /** Tell the row which one it is. @param {number} place from 0 */
  count(place) {
    const digit = DIGITS[place] ?? "";
    this.number.textContent = digit;
    if (digit) this.element.setAttribute("aria-keyshortcuts", digit);
    else this.element.removeAttribute("aria-keyshortcuts");
  }

  /** Show as what it was picked. @param {string} role "together", "apart" or "" */
  say(role) {
    this.role.textContent = role;
    this.element.setAttribute("aria-selected", String(role !== ""));
  }

  /** Draw it so far below its place. @param {number} pixels */
  shift(pixels) {
    if (pixels) this.element.style.setProperty("transform", `translateY(${pixels}px)`);
    else this.element.style.removeProperty("transform");
  }
}
