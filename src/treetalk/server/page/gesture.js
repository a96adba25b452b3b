// @ts-check
/**
 * Dragging with a mouse, a pen or a finger, as a gesture of its own: it knows points and times, not trees.
 *
 * A finger that moves over a row scrolls the page; held still for a moment it picks the row up. On a handle (an element
 * with the class "is-handle") it drags at once. A press that becomes no drag is left to the browser as a click.
 */

/** @typedef {{x: number, y: number}} Point */
/**
 * @typedef {object} Handlers
 * @property {(point: Point) => number | null} grab the node at a point that can be dragged, or null
 * @property {(node: number, point: Point, isTouch: boolean) => void} start
 * @property {(point: Point) => void} move also called when the page scrolls below a pointer that rests
 * @property {(point: Point) => void} drop
 * @property {() => void} cancel
 * @property {() => {top: number, bottom: number}} edges between which things are dragged, on the screen
 */

/**
 * @typedef {object} Press
 * @property {number} id of the pointer
 * @property {number} node
 * @property {Point} start
 * @property {Point} point where it is now
 * @property {boolean} isTouch
 * @property {boolean} canMove whether it drags as soon as it moves, without being held
 * @property {boolean} isDragging
 */

/** How far a pointer moves before it drags, in pixels. */
const THRESHOLD = 5;

/** How long a finger rests before it drags, in milliseconds, and how far it may tremble meanwhile, in pixels. */
const HOLD = 350;
const TREMOR = 10;

/** How long after a drag a click still belongs to it, in milliseconds. */
const AFTERMATH = 50;

/** How near to an edge the page scrolls, in pixels, and how fast at most, in pixels per frame. */
const EDGE = 56;
const SPEED = 14;

/** Listens to an element for drags. */
export class Drag {
  /** @type {Press | null} */
  #press = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #holding;
  #frame = 0;
  #hasDragged = false;

  /**
   * @param {HTMLElement} element
   * @param {Handlers} handlers
   */
  constructor(element, handlers) {
    this.element = element;
    this.handlers = handlers;
    element.addEventListener("pointerdown", (event) => this.#down(event));
    element.addEventListener("pointermove", (event) => this.#move(event));
    element.addEventListener("pointerup", (event) => this.#up(event));
    element.addEventListener("pointercancel", () => this.cancel());
    // What a finger first touched loses it too, and that bubbles; it is not the end of the drag.
    element.addEventListener("lostpointercapture", (event) => event.target === element && this.cancel());
    element.addEventListener("dragstart", (event) => event.preventDefault());
    element.addEventListener("contextmenu", (event) => {
      if (this.#press?.isTouch) event.preventDefault();
    });
    // The browser would scroll with the finger that drags; only a listener that is not passive can tell it not to.
    element.addEventListener("touchmove", (event) => this.isDragging && event.preventDefault(), { passive: false });
  }

  /** Whether something is being dragged. */
  get isDragging() {
    return this.#press?.isDragging ?? false;
  }

  /** Whether a click is only the end of a drag. */
  get hasJustDragged() {
    return this.#hasDragged;
  }

  /** Put down whatever is dragged where it was. */
  cancel() {
    const press = this.#end();
    if (press?.isDragging) this.handlers.cancel();
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (this.#press || !event.isPrimary || event.button !== 0) return;
    const point = { x: event.clientX, y: event.clientY };
    const node = this.handlers.grab(point);
    if (node === null) return;
    const isTouch = event.pointerType === "touch";
    const isHandle = event.target instanceof Element && event.target.closest(".is-handle") !== null;
    const canMove = !isTouch || isHandle;
    this.#press = { id: event.pointerId, node, start: point, point, isTouch, canMove, isDragging: false };
    if (!canMove) {
      this.#holding = setTimeout(() => this.#press && this.#start(this.#press), HOLD);
    }
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const press = this.#press;
    if (!press || event.pointerId !== press.id) return;
    press.point = { x: event.clientX, y: event.clientY };
    const distance = Math.hypot(press.point.x - press.start.x, press.point.y - press.start.y);
    if (press.isDragging) this.handlers.move(press.point);
    else if (press.canMove && distance > THRESHOLD) this.#start(press);
    else if (!press.canMove && distance > TREMOR) this.#end();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (event.pointerId !== this.#press?.id) return;
    const press = this.#end();
    if (!press?.isDragging) return;
    this.handlers.drop({ x: event.clientX, y: event.clientY });
  }

  /** @param {Press} press */
  #start(press) {
    press.isDragging = true;
    this.#hasDragged = true;
    // Also where the drag was cancelled before: the click comes when the button is let go, wherever that is.
    const forget = () => setTimeout(() => (this.#hasDragged = false), AFTERMATH);
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, forget, { capture: true, once: true });
    this.element.setPointerCapture(press.id);
    this.handlers.start(press.node, press.start, press.isTouch);
    this.handlers.move(press.point);
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  /** Forget the press, and return what it was. */
  #end() {
    const press = this.#press;
    this.#press = null;
    clearTimeout(this.#holding);
    cancelAnimationFrame(this.#frame);
    if (press && this.element.hasPointerCapture(press.id)) this.element.releasePointerCapture(press.id);
    return press;
  }

  /** Scroll while the pointer is near an edge, the faster the nearer. */
  #scroll() {
    if (!this.#press?.isDragging) return;
    const scroller = scrollerOf(this.element);
    const { top, bottom } = this.handlers.edges();
    const { y } = this.#press.point;
    const past = y < top + EDGE ? y - top - EDGE : Math.max(0, y - bottom + EDGE);
    const before = scroller.scrollTop;
    if (past) scroller.scrollTop += Math.sign(past) * Math.ceil(SPEED * Math.min(1, Math.abs(past) / EDGE) ** 2);
    if (scroller.scrollTop !== before) this.handlers.move(this.#press.point);
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }
}

/**
 * The element that scrolls another one.
 *
 * @param {HTMLElement} element
 * @returns {Element}
 */
export function scrollerOf(element) {
  for (let above = element.parentElement; above; above = above.parentElement) {
    const { overflowY } = getComputedStyle(above);
    if (/auto|scroll/.test(overflowY) && above.scrollHeight > above.clientHeight) return above;
  }
  return document.scrollingElement ?? document.documentElement;
}
