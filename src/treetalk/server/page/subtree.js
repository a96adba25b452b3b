// @ts-check
/**
 * A piece of the hierarchy that can be corrected: by dragging, by picking items, or with the keyboard.
 *
 * All three change one `Correction`; the panel around it shows what it says, and sends it.
 */

import { Correction } from "./correction.js";
import { fill, float, focusedAround, h } from "./dom.js";
import { Drawing } from "./drawing.js";
import { Drag } from "./gesture.js";
import { Peek } from "./peek.js";
import { picture } from "./row.js";

/** @typedef {import("./correction.js").Question} Question */
/** @typedef {import("./gesture.js").Point} Point */

/**
 * @typedef {object} Surroundings
 * @property {() => void} changed called when there is something else to show beside the piece
 * @property {() => {top: number, bottom: number}} edges between which the piece is seen, on the screen
 * @property {(target: EventTarget | null) => boolean} owns whether something is one of the buttons below the piece
 */

/** How far from a line or dot it can be grabbed, and how far from one things can be dropped, in pixels. */
const [GRAB, DROP] = [14, 48];

const NOT_MOVED = "It was not moved.";

/** How many sentences are read aloud before the others are counted. */
const NUM_SPOKEN = 3;

const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];

/** The view of a question about a subtree. */
export class SubtreeView {
  /** What is picked up, where it would go, and whether the keyboard moves it. */
  #carry = /** @type {{node: number, onto: number | null, hasKeys: boolean} | null} */ (null);

  /** The node that the tab key leads to. */
  #current = -1;

  /**
   * @param {Question} question
   * @param {import("./app.js").App} app
   * @param {Surroundings} panel
   */
  constructor(question, app, panel) {
    this.app = app;
    this.panel = panel;
    this.correction = new Correction(question, app.api);
    this.drawing = new Drawing(this.correction.piece, question.words);
    this.peek = new Peek();
    this.ghost = h("div", { class: "question-ghost", "aria-hidden": "true", hidden: true });
    this.element = h("div", { class: "question-subtree" }, this.drawing.element, this.peek.element, this.ghost);
    /** Something to tell in the place of the hint. @type {string | null} */
    this.note = null;
    this.drag = new Drag(this.drawing.element, {
      grab: (point) => this.#grab(point),
      start: (node, point, isTouch) => this.#lift(node, point, isTouch),
      move: (point) => this.#hover(point),
      drop: () => this.#release(),
      cancel: () => this.#putDown(),
      edges: panel.edges,
    });
    this.#listen(this.drawing.element);
    this.#rove(this.piece.rows[0]);
  }

  /** What is shown now. */
  get piece() {
    return this.correction.piece;
  }

  /** What the person is told while nothing is said. */
  get hint() {
    const drag = matchMedia("(pointer: coarse)").matches ? "hold what is wrong and drag it" : "drag what is wrong";
    return `If not, ${drag} to where it belongs. Or pick two that belong together, then the one that does not.`;
  }

  /** What is being moved with the keyboard, and where to, in words; else null. @returns {string | null} */
  get moving() {
    const carry = this.#carry;
    if (!carry?.hasKeys) return null;
    const where = carry.onto === null ? "arrow keys choose the place" : this.piece.consequence(carry.node, carry.onto);
    return `Moving ${this.piece.phrase(carry.node)}: ${where}`;
  }

  /** Whether something is picked up, by mouse, finger or keyboard. */
  get isCarrying() {
    return this.#carry !== null;
  }

  /** Whether the focus is on the piece. */
  get hasFocus() {
    return this.drawing.element.contains(focusedAround(this.drawing.element));
  }

  /** Put the focus on the piece. */
  focus() {
    this.drawing.elementOf(this.#current).focus();
  }

  /** Let go of everything. */
  close() {
    this.drag.cancel();
    this.peek.hide();
    this.drawing.close();
    this.element.remove();
  }

  /** Pick the item in a row. @param {number} row from 0 */
  pickRow(row) {
    const node = this.piece.rows[row];
    if (node === undefined) return;
    this.#rove(node);
    if (this.hasFocus) this.focus();
    this.#pick(node);
  }

  /** Pick up what has the focus, or drop what was picked up. */
  pickUp() {
    if (this.#carry?.hasKeys) return this.#release();
    if (this.drag.isDragging || this.correction.isDropping) return;
    if (!this.hasFocus) return this.focus();
    if (this.#current === this.piece.root) return this.#tell("All items together cannot be moved.");
    this.peek.hide();
    this.note = null;
    this.#carry = { node: this.#current, onto: null, hasKeys: true };
    this.#light();
    this.app.announce(`${this.moving}. Enter drops it, Escape cancels.`);
  }

  /**
   * Go a step back: put down what is carried, or forget the correction.
   *
   * @returns {boolean} whether there was anything to cancel
   */
  cancel() {
    if (this.drag.isDragging) this.drag.cancel();
    else if (this.correction.isDropping) this.correction.abandon();
    else if (this.#carry) this.#putDown();
    else if (this.correction.isEmpty) return false;
    else {
      this.correction.clear();
      this.note = null;
      this.#show();
      this.app.announce("Cancelled. It is as it was shown.");
    }
    return true;
  }

  /** @param {HTMLElement} element */
  #listen(element) {
    element.addEventListener("keydown", (event) => this.press(event));
    element.addEventListener("click", (event) => {
      if (this.drag.hasJustDragged || this.#carry) return;
      const node = this.drawing.nodeOf(event.target) ?? this.drawing.nodeAt({ x: event.clientX, y: event.clientY }, GRAB);
      if (node !== null) this.#pick(node);
    });
    element.addEventListener("focusin", (event) => {
      const node = this.drawing.nodeOf(event.target);
      if (node !== null) this.#rove(node);
      if (event.target instanceof Element && event.target.matches(":focus-visible")) this.#offer(node);
    });
    element.addEventListener("focusout", (event) => {
      this.peek.hide();
      // The buttons that drop it or put it back may take the focus.
      if (this.#carry?.hasKeys && !this.correction.isDropping && !this.panel.owns(event.relatedTarget)) this.#putDown();
    });
    element.addEventListener("pointermove", (event) => {
      // Rows also move below a mouse that rests; that is no wish to look closer.
      const hasMoved = event.movementX !== 0 || event.movementY !== 0;
      if (event.pointerType === "mouse" && hasMoved && !event.buttons) this.#offer(this.drawing.nodeOf(event.target));
    });
    element.addEventListener("pointerleave", () => this.peek.hide());
  }

  /** Move through the piece, pick, or choose a place. @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === " " && this.hasFocus) {
      if (!this.#carry && !event.repeat) this.#pick(this.#current);
    } else if (!ARROWS.includes(event.key)) return;
    else if (this.#carry?.hasKeys) this.#aim(event.key);
    else {
      // From above the piece the arrow keys lead to its ends.
      const ends = ["ArrowUp", "End"].includes(event.key) ? "End" : "Home";
      this.#rove(this.piece.step(this.#current, this.hasFocus ? event.key : ends));
      this.focus();
    }
    event.preventDefault();
  }

  /** @param {number} node */
  #pick(node) {
    if (this.app.isBusy || this.correction.isDropping) return;
    const item = this.piece.at(node).leaf;
    if (item === null) return this.#tell("Items are picked one by one; a group can be dragged, or moved with M.");
    if (this.correction.isRearranged) return this.#tell("Send or cancel the move before you pick items.");
    this.correction.pick(item);
    this.note = null;
    this.#light();
    this.app.announce([...this.correction.words, this.correction.missing ?? "Enter sends it."].join(". "));
  }

  /** @param {string} text */
  #tell(text) {
    this.note = text;
    this.app.announce(text);
    this.panel.changed();
  }

  /** @param {number | null} node */
  #offer(node) {
    const item = node === null ? null : this.piece.at(node).leaf;
    if (item === null || this.#carry) this.peek.hide();
    else this.peek.offer(this.drawing.row(item));
  }

  /** Let the tab key lead to a node. @param {number} node */
  #rove(node) {
    this.#current = node;
    for (const element of this.drawing.element.querySelectorAll("[tabindex='0']")) element.setAttribute("tabindex", "-1");
    this.drawing.elementOf(node).setAttribute("tabindex", "0");
  }

  /** What can be dragged at a point. @param {Point} point */
  #grab(point) {
    if (this.app.isBusy || this.#carry || this.correction.isDropping) return null;
    const node = this.drawing.nodeAt(point, GRAB);
    return node === this.piece.root ? null : node;
  }

  /**
   * @param {number} node
   * @param {Point} point
   * @param {boolean} isTouch
   */
  #lift(node, point, isTouch) {
    this.peek.hide();
    this.note = null;
    this.#carry = { node, onto: null, hasKeys: false };
    const item = this.piece.item(node);
    fill(
      this.ghost,
      item?.picture ? picture(item.picture, "question-ghost-picture") : null,
      h("strong", { class: "question-ghost-name", text: this.piece.names(node) }),
      h("span", { class: "question-ghost-place" }),
    );
    this.ghost.classList.toggle("is-touch", isTouch);
    float(this.ghost, true);
    this.element.classList.add("is-dragging");
    if (isTouch) navigator.vibrate?.(12);
    this.#hover(point);
  }

  /** @param {Point} point */
  #hover(point) {
    const carry = this.#carry;
    if (!carry) return;
    const { bottom } = this.panel.edges();
    const onto = point.y > bottom ? null : this.drawing.nodeAt(point, DROP);
    const before = carry.onto;
    carry.onto = onto !== null && this.piece.canDrop(carry.node, onto) ? onto : null;
    const width = this.ghost.offsetWidth;
    const x = Math.max(8, Math.min(point.x + 14, document.documentElement.clientWidth - width - 8));
    this.ghost.style.setProperty("transform", `translate(${Math.round(x)}px, ${Math.round(point.y)}px)`);
    if (carry.onto !== before || !this.ghost.lastChild?.textContent) {
      const { node, onto: head } = carry;
      const place = head === null ? "drop it onto an item or a branch" : this.piece.consequence(node, head);
      if (this.ghost.lastChild) this.ghost.lastChild.textContent = place;
      this.#light();
    }
  }

  /** Choose another place with the keyboard, past those where it cannot go. @param {string} key */
  #aim(key) {
    const carry = this.#carry;
    if (!carry) return;
    let from = carry.onto ?? carry.node;
    let onto = this.piece.step(from, key);
    while (onto !== from && !this.piece.canDrop(carry.node, onto)) {
      from = onto;
      onto = this.piece.step(from, key);
    }
    if (!this.piece.canDrop(carry.node, onto)) return;
    carry.onto = onto;
    this.drawing.elementOf(onto).scrollIntoView({ block: "nearest" });
    this.#light();
    this.app.announce(this.piece.consequence(carry.node, onto));
  }

  /** Drop what is carried. */
  async #release() {
    const carry = this.#carry;
    if (!carry || this.correction.isDropping) return;
    const { node, onto } = carry;
    if (onto === null || this.piece.isSamePlace(node, onto)) return this.#putDown();
    const key = this.piece.key(node);
    float(this.ghost, false);
    this.element.classList.remove("is-dragging");
    const dropping = this.correction.drop(node, onto);
    this.panel.changed();
    try {
      await dropping;
    } catch (error) {
      const { code, message } = /** @type {import("./api.js").ApiError} */ (error);
      // It stays in sight until something else is done: a message that goes away could be missed.
      this.note = code === "aborted" ? NOT_MOVED : `${NOT_MOVED} ${message}`;
      if (code !== "aborted") this.app.say(message, { tone: "bad" });
    }
    this.#carry = null;
    this.#show(key);
    this.drawing.elementOf(this.#current).scrollIntoView({ block: "nearest" });
    if (!this.correction.isEmpty) {
      const { words, missing } = this.correction;
      const more = words.length > NUM_SPOKEN ? [`and ${words.length - NUM_SPOKEN} more`] : [];
      const spoken = [...words.slice(0, NUM_SPOKEN), ...more].join("; ");
      this.app.announce(missing ?? `That says: ${spoken}. Enter sends it.`);
    }
  }

  /** Put down what is carried where it was. */
  #putDown() {
    const hadKeys = this.#carry?.hasKeys;
    this.#carry = null;
    float(this.ghost, false);
    this.element.classList.remove("is-dragging");
    this.#light();
    if (hadKeys) this.app.announce("Put down where it was.");
  }

  /** Show the piece as it is now. @param {string} [key] the items of the node that the tab key should lead to */
  #show(key = this.drawing.piece.key(this.#current)) {
    const hadFocus = this.hasFocus;
    if (this.drawing.piece !== this.piece) this.drawing.show(this.piece);
    const node = this.piece.preorder.find((number) => this.piece.key(number) === key);
    this.#rove(node ?? this.piece.rows[0]);
    if (hadFocus) this.drawing.elementOf(this.#current).focus({ preventScroll: true });
    this.#light();
  }

  /** Light up what is carried, moved or picked, and tell the panel. */
  #light() {
    const { together, apart, moved } = this.correction;
    const carry = this.#carry;
    const head = carry?.onto ?? null;
    const isSamePlace = carry !== null && (head === null || this.piece.isSamePlace(carry.node, head));
    this.element.classList.toggle("is-same-place", isSamePlace);
    this.drawing.light({
      carried: carry ? this.piece.under(carry.node) : new Set(),
      onto: head !== null ? this.piece.under(head) : new Set(),
      head,
      moved: new Set(moved),
      together: new Set(together),
      apart,
    });
    this.panel.changed();
  }
}
