// @ts-check
/**
 * An optional comment that is sent with an answer: a link that opens a field.
 */

import { h, icon } from "./dom.js";

/** The longest comment, in characters. */
const MAX_LENGTH = 2000;

const OFFER = "Add a comment";

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
    this.label = h("span", { class: "question-comment-words", text: OFFER });
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
        title: OFFER,
        "aria-expanded": "false",
        "data-testid": "add-comment",
        on: { click: () => this.#open(this.element.hidden) },
      },
      icon("comment"),
      this.label,
    );
  }

  /** What was written, also if it was closed since; or null. @returns {string | null} */
  get value() {
    return this.field.value.trim() || null;
  }

  /** Close it, with what was written before. @param {string} [draft] */
  reset(draft = "") {
    this.field.value = draft;
    this.#open(false, false);
  }

  /**
   * @param {boolean} isOpen
   * @param {boolean} [hasFocus] whether the focus goes along
   */
  #open(isOpen, hasFocus = true) {
    this.element.hidden = !isOpen;
    this.link.setAttribute("aria-expanded", String(isOpen));
    // What is not seen is sent all the same, so it is shown that there is something.
    const draft = isOpen ? null : this.value;
    this.label.textContent = draft ? `Comment: ${draft}` : OFFER;
    this.link.classList.toggle("has-draft", draft !== null);
    if (hasFocus) (isOpen ? this.field : this.link).focus();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    // It is put away and not thrown away.
    this.#open(false);
  }
}
