// @ts-check
/**
 * When the hierarchy follows a new revision, and whose doing it was: an own answer shows at once, what sampling changes
 * waits while a person is in the middle of something.
 */

import { count } from "./format.js";

/** How long after an answer its effect may come, in milliseconds. */
const PATIENCE = 6000;

/** How long what an answer moved is shown before sampling may move more, in milliseconds. */
const CALM = 3000;

/** With fewer sampled hierarchies than this, what they say is shown faintly. */
const FEW = 20;

/** What is new, and what comes of it. */
export class TreeNews {
  /** When something was last said in this window. */
  #saidAt = -Infinity;
  #isTakenBack = false;
  #numGestures = 0;
  /** How many statements were in force before it. @type {number | null} */
  #inForce = null;
  #isHeld = false;
  #calmUntil = -Infinity;

  /** @param {import("./hierarchy.js").HierarchyPanel} panel */
  constructor(panel) {
    this.panel = panel;
    const { app } = panel;
    app.on("busy", (isBusy) => isBusy && this.#say(app.state?.in_force ?? null));
    app.on("gestures", (number) => {
      this.#isTakenBack = number < this.#numGestures;
      this.#numGestures = number;
      if (this.#inForce !== null) this.#saidAt = performance.now();
    });
    app.on("revision", (revision) => {
      this.#isHeld = revision !== panel.data.revision;
      this.release();
    });
    app.on("correcting", () => this.release());
    app.on("state", (state) => this.#showSampling(state));
    if (app.state) this.#showSampling(app.state);
  }

  /** Whether what is new now comes from an answer that was given, or taken back, in this window. */
  get isOwn() {
    const isRecent = performance.now() - this.#saidAt < PATIENCE;
    return isRecent && this.panel.app.state?.in_force !== this.#inForce;
  }

  /** Show the newest that was held back, unless it still has to wait. */
  release() {
    const isCalm = performance.now() < this.#calmUntil;
    const isAmidst = isCalm || this.panel.app.isCorrecting === true || this.panel.menu.isOpen;
    if (!this.#isHeld || (isAmidst && !this.isOwn)) return;
    this.#isHeld = false;
    this.panel.reload();
  }

  /**
   * Take note of a revision that is being shown.
   *
   * @param {number} numMoved how many items stand elsewhere than before
   * @returns {{isOwn: boolean, words: string}} whether an answer of this window moved them, and what to say
   */
  shown(numMoved) {
    this.#isHeld = false;
    const { isOwn } = this;
    if (numMoved === 0) return { isOwn, words: "" };
    if (isOwn) {
      // Whatever moves after that is not the answer's doing any more.
      this.#saidAt = -Infinity;
      this.#calmUntil = performance.now() + CALM;
      setTimeout(() => this.release(), CALM + 10);
    }
    const own = this.#isTakenBack ? "as the answer was taken back" : "by your answer";
    return { isOwn, words: `${count(numMoved, "item")} moved ${isOwn ? own : "as sampling went on"}` };
  }

  /** @param {number | null} inForce */
  #say(inForce) {
    this.#saidAt = performance.now();
    this.#inForce = inForce;
  }

  /** @param {any} state */
  #showSampling(state) {
    const isFew = state.sampling?.num_draws < FEW;
    this.panel.canvas.classList.toggle("tree-few", isFew);
    this.panel.bar.showFew(isFew);
  }
}
