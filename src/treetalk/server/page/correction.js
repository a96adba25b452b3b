// @ts-check
/**
 * What a person is about to say instead of "yes": items picked one by one, or a piece rearranged by drops.
 *
 * Both end in triplets and in the same kind of sentence; only one of them is under way at a time.
 */

import { inSentence, Piece } from "./piece.js";

/** @typedef {import("./piece.js").Item} Item */
/** @typedef {import("./piece.js").PieceData} PieceData */
/** @typedef {{kind: string, strategy: string, words: string, leaves: number[], items: Item[], piece: PieceData}} Question */

/** A correction of a question, until it is sent or cancelled. */
export class Correction {
  /** @type {number[][]} */
  #triplets = [];

  /** @type {string[]} */
  #words = [];

  /** @type {AbortController | null} */
  #dropping = null;

  /**
   * @param {Question} question
   * @param {import("./api.js").Api} api
   */
  constructor(question, api) {
    this.question = question;
    this.api = api;
    this.original = new Piece(question.piece, question.items);
    /** What is shown now. */
    this.piece = this.original;
    /** The items of the drops so far. @type {number[]} */
    this.moved = [];
    /** The items picked as belonging together, at most two. @type {number[]} */
    this.together = [];
    /** The item picked as standing apart. @type {number | null} */
    this.apart = null;
  }

  /** Whether it is being worked out what a drop says. */
  get isDropping() {
    return this.#dropping !== null;
  }

  /** Whether the piece is not as it was shown. */
  get isRearranged() {
    return this.piece !== this.original;
  }

  /** Whether an item is picked. */
  get isPicking() {
    return this.together.length > 0 || this.apart !== null;
  }

  /** Whether there is nothing to send or to cancel. */
  get isEmpty() {
    return !this.isRearranged && !this.isPicking;
  }

  /** What would be sent; empty while it is incomplete. @returns {number[][]} */
  get triplets() {
    if (this.isRearranged) return this.#triplets;
    const [one, other] = this.together;
    return other !== undefined && this.apart !== null ? [[one, other, this.apart]] : [];
  }

  /** What it says so far, a sentence for each triplet. @returns {string[]} */
  get words() {
    if (this.isRearranged) return this.#words;
    if (!this.isPicking) return [];
    const name = (/** @type {number | null | undefined} */ item) =>
      item === null || item === undefined ? "…" : inSentence(this.piece.items.get(item));
    const [one, other] = this.together;
    const isHalf = other === undefined && this.apart === null;
    return [`${name(one)} and ${name(other)} together${isHalf ? "" : `, apart from ${name(this.apart)}`}`];
  }

  /** What is missing, or null. @returns {string | null} */
  get missing() {
    if (this.triplets.length > 0 || this.isEmpty) return null;
    if (this.isRearranged) return "This says nothing that was not shown already.";
    if (this.together.length === 2) return "Now pick the one that stands apart.";
    return this.together.length === 1 ? "Now pick the one that belongs with it." : "Now pick the two that belong together.";
  }

  /**
   * Pick an item, or unpick it: the first two belong together, the next one stands apart.
   *
   * @param {number} item
   */
  pick(item) {
    if (this.isRearranged) return;
    if (this.together.includes(item)) this.together = this.together.filter((other) => other !== item);
    else if (this.apart === item) this.apart = null;
    else if (this.together.length < 2) this.together = [...this.together, item];
    else this.apart = item;
  }

  /**
   * Drop a node onto another: what is picked is forgotten.
   *
   * @param {number} node
   * @param {number} onto
   * @returns {Promise<boolean>} whether anything is different now
   */
  async drop(node, onto) {
    if (this.#dropping) return false;
    this.#dropping = new AbortController();
    const carried = this.piece.itemsUnder(node);
    const body = {
      leaves: this.question.leaves,
      original: this.original.parents,
      current: this.piece.parents,
      moved: this.moved,
      node,
      onto,
    };
    try {
      const said = await this.api.rearrange(body, { signal: this.#dropping.signal });
      this.together = [];
      this.apart = null;
      const before = this.#shape(this.piece);
      const piece = new Piece(said.piece, this.question.items);
      const isAsShown = said.triplets.length === 0 && this.#shape(piece) === this.#shape(this.original);
      this.piece = isAsShown ? this.original : piece;
      this.moved = isAsShown ? [] : (said.moved ?? [...new Set([...this.moved, ...carried])]);
      this.#triplets = said.triplets;
      this.#words = said.words;
      return this.#shape(piece) !== before;
    } finally {
      this.#dropping = null;
    }
  }

  /** Wait no longer for what a drop says: it did not happen. */
  abandon() {
    this.#dropping?.abort();
  }

  /** Go back to what was shown. */
  clear() {
    this.piece = this.original;
    this.moved = [];
    this.together = [];
    this.apart = null;
    this.#triplets = [];
    this.#words = [];
  }

  /** The same for the same tree, however its nodes are numbered. @param {Piece} piece */
  #shape(piece) {
    return piece.preorder.map((number) => piece.key(number)).sort().join(";");
  }
}
