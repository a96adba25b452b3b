// @ts-check
/**
 * An optional comment that is sent with an answer: a link that opens a field.
 */

import { h, icon } from "./dom.js";

/** The longest comment, in characters. */
const MAX_LENGTH = 2000;

let numFields = 0;

/** The field of a comment, and the link that opens it. */
export class CommentField {
  constructor() {
    const id = `question-comment-${(numFields += 1)}`;
    this.field = h("textarea", {
      class: "field question-comment-field",
      id,
      rows: 2,
      maxlength: MAX_LENGTH,
      "data-testid": "comment",
      on: { keydown: (/** @type {KeyboardEvent} */ event) => this.#press(event) },
    });
    this.element = h(
      "div",
      { class: "question-comment", hidden: true },
      h("label", { class: "label", for: id, text: "Comment, sent with your answer" }),
      this.field,
    );
    this.link = h(
      "button",
      {
        class: "button button-quiet question-comment-link",
        type: "button",
        "aria-expanded": "false",
        "data-testid": "add-comment",
        on: { click: () => this.#open(this.element.hidden) },
      },
      icon("comment"),
      h("span", { text: "Add a comment" }),
    );
  }

  /** What was written, or null. @returns {string | null} */
  get value() {
    return this.element.hidden ? null : this.field.value.trim() || null;
  }

  /** Empty it and close it. */
  reset() {
    this.field.value = "";
    this.#open(false, false);
  }

  /**
   * @param {boolean} isOpen
   * @param {boolean} [hasFocus] whether the focus goes along
   */
  #open(isOpen, hasFocus = true) {
    this.element.hidden = !isOpen;
    this.link.setAttribute("aria-expanded", String(isOpen));
    if (hasFocus) (isOpen ? this.field : this.link).focus();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.#open(false);
  }
}
