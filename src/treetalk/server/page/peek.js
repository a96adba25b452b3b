// @ts-check
/**
 * A closer look at an item: its picture larger and its text whole, beside the row that the mouse rests on or that has
 * the focus. It says nothing that the row does not say to assistive technology, so it is hidden from it.
 */

import { fill, float, h } from "./dom.js";
import { picture, words } from "./row.js";

/** @typedef {import("./row.js").Row} Row */

/** How long to rest on a row before it opens, in milliseconds. */
const REST = 320;

/** Room left to the row and to the edges of the window, in pixels. */
const GAP = 10;

/** Opens beside rows. */
export class Peek {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {Row | null} */
  #row = null;

  constructor() {
    this.element = h("div", { class: "question-peek", "aria-hidden": "true", hidden: true });
  }

  /** Open beside a row soon, if there is more to see than the row shows. @param {Row} row */
  offer(row) {
    if (row === this.#row) return;
    this.hide();
    if (!row.item.picture && !row.isCut) return;
    this.#row = row;
    this.#timer = setTimeout(() => this.#show(row), REST);
  }

  /** Close. */
  hide() {
    clearTimeout(this.#timer);
    this.#row = null;
    float(this.element, false);
  }

  /** @param {Row} row */
  #show(row) {
    const { item } = row;
    const image = item.picture ? picture(item.picture, "question-peek-picture") : null;
    // The picture's size is known once it has loaded.
    image?.addEventListener("load", () => this.#row === row && this.#place(row));
    fill(this.element, image, row.isCut ? h("div", { class: "question-peek-words" }, words(item)) : null);
    float(this.element, true);
    this.#place(row);
  }

  /** @param {Row} row */
  #place(row) {
    const box = row.element.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const { clientWidth, clientHeight } = document.documentElement;
    const isBeside = box.right + GAP + width + GAP <= clientWidth;
    const isBelow = box.bottom + GAP + height + GAP <= clientHeight;
    const x = isBeside ? box.right + GAP : Math.max(GAP, Math.min(box.left, clientWidth - width - GAP));
    const beside = Math.min(Math.max(GAP, box.top + box.height / 2 - height / 2), clientHeight - height - GAP);
    const y = isBeside ? beside : isBelow ? box.bottom + GAP : Math.max(GAP, box.top - height - GAP);
    this.element.style.setProperty("left", `${Math.round(x)}px`);
    this.element.style.setProperty("top", `${Math.round(y)}px`);
  }
}
