// @ts-check
/**
 * A simple question: three cards, one of which is the odd one. A click or a number key answers at once.
 */

import { h } from "./dom.js";
import { inSentence } from "./piece.js";
import { picture, words } from "./row.js";

/** @typedef {import("./piece.js").Item} Item */
/** @typedef {import("./correction.js").Question} Question */

/** Texts longer than this are read more easily below each other than side by side, in characters. */
const LONG = 160;

/** Three items to choose from. */
export class TripleView {
  /**
   * @param {Question} question
   * @param {(triplets: number[][], event: Event) => void} answer
   */
  constructor(question, answer) {
    this.question = question;
    this.answer = answer;
    const isLong = question.items.some((item) => (item.text ?? "").length > LONG);
    this.element = h(
      "div",
      { class: ["question-triple", isLong && "is-long"], role: "group", "aria-label": "The three items" },
      question.items.map((item, place) => this.#card(item, place)),
    );
  }

  /** What the person is told. */
  get hint() {
    return "Choose the one that belongs least with the other two.";
  }

  /** The triplet that says that an item is the odd one: it comes last. @param {number} place from 0 @returns {number[]} */
  triplet(place) {
    const { leaves } = this.question;
    return [...leaves.filter((_, other) => other !== place), leaves[place]];
  }

  /**
   * What an answer says, in words; null for what says nothing.
   *
   * @param {{kind: string, triplets?: number[][]}} response
   * @returns {string | null}
   */
  words(response) {
    if (response.kind === "same") return "All three alike";
    const [triplet] = response.triplets ?? [];
    if (!triplet) return null;
    const items = new Map(this.question.items.map((item) => [item.number, item]));
    const [one, other, odd] = triplet.map((number) => inSentence(items.get(number)));
    return `${one} and ${other} together, apart from ${odd}`;
  }

  /** Answer by a number key. @param {number} place from 0 @param {Event} event */
  choose(place, event) {
    const card = this.element.children[place];
    if (!card) return;
    for (const other of this.element.children) other.classList.toggle("is-chosen", other === card);
    this.answer([this.triplet(place)], event);
  }

  /** The cards can be chosen again: the answer was not taken. */
  reset() {
    for (const card of this.element.children) card.classList.remove("is-chosen");
  }

  /** Nothing has to be let go of. */
  close() {
    this.element.remove();
  }

  /**
   * @param {Item} item
   * @param {number} place from 0
   */
  #card(item, place) {
    const others = this.question.items.filter((_, other) => other !== place).map(inSentence);
    return h(
      "button",
      {
        class: "question-card",
        type: "button",
        "aria-keyshortcuts": place + 1,
        "aria-description": `The odd one: ${others.join(" and ")} belong together`,
        "data-testid": `odd-${place + 1}`,
        on: { click: (/** @type {Event} */ event) => this.choose(place, event) },
      },
      h("kbd", { class: "question-card-key", "aria-hidden": "true", text: place + 1 }),
      item.picture ? picture(item.picture, "question-card-picture") : null,
      h("span", { class: "question-card-words" }, words(item)),
    );
  }
}
