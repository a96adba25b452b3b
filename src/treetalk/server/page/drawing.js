// @ts-check
/**
 * A piece drawn: branches as SVG on the left, a row per item on the right.
 *
 * Rows are as high as what they hold; the branches follow them. For assistive technology it is one flat tree of
 * treeitems with levels, in the order from the root down; the SVG is for the eye alone.
 */

import { focusedAround, h, s } from "./dom.js";
import { Row } from "./row.js";

/** @typedef {import("./piece.js").Piece} Piece */
/** @typedef {{x: number, y: number}} Point */

/** Room for the dots beside the outermost branches, in pixels; the stem of the root is drawn in it. */
const MARGIN = 14;

/** How round the elbows are, in pixels. */
const ROUND = 9;

/** How much of the width the branches take, and at least and at most how many pixels. */
const SHARE = 0.34;
const [NARROWEST, WIDEST] = [76, 250];

/** A dot is this much easier to hit than a line, in pixels. */
const DOT_REACH = 9;

/** How long things take to get to their new places, in milliseconds. */
const DURATION = 380;

/** A piece on the page. */
export class Drawing {
  /** @type {Map<string, Point>} where each node (by its items) is drawn at the moment */
  #drawn = new Map();

  /** @type {Map<number, Point>} where each node belongs */
  #places = new Map();

  /** @type {Map<number, Row>} by item */
  #rows = new Map();

  /** @type {Map<number, HTMLElement>} by node */
  #branches = new Map();

  /** @type {Map<number, {line: SVGElement, dot: SVGElement}>} by node */
  #shapes = new Map();

  #width = 0;
  #frame = 0;
  #isGliding = false;

  /** @type {string[]} */
  #keys = [];

  /**
   * @param {Piece} piece
   * @param {string} name what it is called for assistive technology
   */
  constructor(piece, name) {
    this.piece = piece;
    this.lines = s("g");
    this.dots = s("g");
    this.svg = s("svg", { class: "question-branches", "aria-hidden": "true", focusable: "false" }, this.lines, this.dots);
    const props = { class: "question-piece", role: "tree", "aria-label": name, "aria-multiselectable": "true" };
    this.element = h("div", props, this.svg);
    const items = [...piece.items.values()];
    const hasPictures = items.some((item) => item.picture);
    for (const item of items) this.#rows.set(item.number, new Row(item, hasPictures));
    this.#build();
    // What glides goes on to where it belongs then.
    this.observer = new ResizeObserver(() => (this.#isGliding ? this.#measure() : this.#settle()));
    this.observer.observe(this.element);
  }

  /** Let go of it. */
  close() {
    cancelAnimationFrame(this.#frame);
    this.observer.disconnect();
    this.element.remove();
  }

  /**
   * Show the same items arranged otherwise; things glide to their places.
   *
   * @param {Piece} piece
   */
  show(piece) {
    const before = new Map(this.#drawn);
    const tops = new Map([...this.#rows].map(([item, row]) => [item, row.element.offsetTop]));
    this.piece = piece;
    this.#build();
    this.#measure();
    const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (isCalm || before.size === 0) this.#settle();
    else this.#glide(before, tops);
  }

  /** The element that stands for a node. @param {number} number @returns {HTMLElement} */
  elementOf(number) {
    const leaf = this.piece.at(number).leaf;
    const row = leaf === null ? undefined : this.#rows.get(leaf);
    return row?.element ?? /** @type {HTMLElement} */ (this.#branches.get(number));
  }

  /** The node that an element stands for, or null. @param {EventTarget | null} target @returns {number | null} */
  nodeOf(target) {
    const element = target instanceof Element ? target.closest("[data-node]") : null;
    return element && this.element.contains(element) ? Number(element.getAttribute("data-node")) : null;
  }

  /** @param {number} item @returns {Row} */
  row(item) {
    return /** @type {Row} */ (this.#rows.get(item));
  }

  /**
   * The node at a point of the screen: a row, or the dot or line nearest to it.
   *
   * @param {Point} point
   * @param {number} reach how far away a line or a dot may be, in pixels
   * @returns {number | null}
   */
  nodeAt(point, reach) {
    const box = this.element.getBoundingClientRect();
    const [x, y] = [point.x - box.left, point.y - box.top];
    if (x < -reach || x > box.width + reach || y < -reach || y > box.height + reach) return null;
    if (x >= this.#width) {
      for (const number of this.piece.rows) {
        const { offsetTop, offsetHeight } = this.elementOf(number);
        if (y >= offsetTop && y <= offsetTop + offsetHeight) return number;
      }
      return null;
    }
    let [nearest, least] = [/** @type {number | null} */ (null), reach];
    for (const number of this.piece.preorder) {
      const here = this.#place(number);
      const parent = this.piece.at(number).parent;
      const corner = parent === null ? { x: 0, y: here.y } : this.#place(parent);
      const distance = Math.min(
        Math.hypot(here.x - x, here.y - y) - DOT_REACH,
        toSegment(y, corner.y, here.y, x - corner.x),
        toSegment(x, corner.x, here.x, y - here.y),
      );
      if (distance < least) [nearest, least] = [number, distance];
    }
    return nearest;
  }

  /**
   * Light things up: what is carried, what it would be dropped onto, what was moved, and the picks.
   *
   * @param {{carried?: Set<number>, onto?: Set<number>, head?: number | null, moved?: Set<number>,
   *   together?: Set<number>, apart?: number | null}} lights `carried`, `onto` and `head` (the one that is dropped
   *   onto) are nodes, the others items
   */
  light({ carried = new Set(), onto = new Set(), head = null, moved = new Set(), together = new Set(), apart = null }) {
    this.svg.classList.toggle("is-picking", together.size > 0 || apart !== null);
    for (const number of this.piece.preorder) {
      const items = this.piece.itemsUnder(number);
      const leaf = this.piece.at(number).leaf;
      const states = {
        "is-carried": carried.has(number),
        "is-onto": onto.has(number) && !carried.has(number),
        "is-head": number === head,
        "is-moved": items.every((item) => moved.has(item)),
        "is-together": leaf !== null && together.has(leaf),
        "is-apart": leaf !== null && leaf === apart,
      };
      const { line, dot } = /** @type {{line: SVGElement, dot: SVGElement}} */ (this.#shapes.get(number));
      for (const [state, holds] of Object.entries(states)) {
        for (const part of [line, dot, this.elementOf(number)]) part.classList.toggle(state, holds);
      }
      if (leaf !== null) this.row(leaf).say(states["is-together"] ? "together" : states["is-apart"] ? "apart" : "");
    }
    // What is lit lies above what is not, where lines meet.
    for (const line of this.lines.querySelectorAll(".is-moved, .is-onto")) this.lines.append(line);
  }

  /** Make the elements for the branches anew, and put all in order. */
  #build() {
    const { piece } = this;
    const active = focusedAround(this.element);
    const focused = this.element.contains(active) ? active : null;
    for (const branch of this.#branches.values()) branch.remove();
    this.#branches.clear();
    this.lines.replaceChildren();
    this.dots.replaceChildren();
    this.#shapes.clear();
    this.#keys = [];
    for (const number of piece.preorder) {
      const { leaf, parent } = piece.at(number);
      this.#keys[number] = piece.key(number);
      const shape = {
        line: s("path", { class: "question-line", fill: "none" }),
        dot: s("circle", { class: ["question-dot", leaf === null ? "is-branch" : "is-item"] }),
      };
      this.#shapes.set(number, shape);
      this.lines.append(shape.line);
      this.dots.append(shape.dot);
      if (leaf === null) this.#branches.set(number, branchElement(piece, number));
      const element = this.elementOf(number);
      const sisters = parent === null ? [number] : piece.children(parent);
      element.setAttribute("data-node", String(number));
      element.setAttribute("aria-level", String(piece.level(number)));
      element.setAttribute("aria-posinset", String(sisters.indexOf(number) + 1));
      element.setAttribute("aria-setsize", String(sisters.length));
      this.element.append(element);
    }
    piece.rows.forEach((number, place) => this.row(/** @type {number} */ (piece.at(number).leaf)).count(place));
    // Elements lose the focus when they are moved in the document.
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  /** Find out where everything belongs. */
  #measure() {
    const total = this.element.clientWidth;
    this.#width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, total * SHARE)));
    this.element.style.setProperty("--branches", `${this.#width}px`);
    const middles = this.piece.rows.map((number) => {
      const { offsetTop, offsetHeight } = this.elementOf(number);
      return offsetTop + offsetHeight / 2;
    });
    for (const { node, x, y } of this.piece.nodes.values()) {
      const row = Math.min(Math.floor(y), middles.length - 1);
      const next = Math.min(row + 1, middles.length - 1);
      this.#places.set(node, {
        x: MARGIN + x * (this.#width - 2 * MARGIN),
        y: middles[row] + (middles[next] - middles[row]) * (y - row),
      });
    }
    const height = this.element.clientHeight;
    this.svg.setAttribute("width", String(this.#width));
    this.svg.setAttribute("height", String(height));
    this.svg.setAttribute("viewBox", `0 0 ${this.#width} ${height}`);
  }

  /** Draw everything where it belongs, now. */
  #settle() {
    cancelAnimationFrame(this.#frame);
    this.#isGliding = false;
    this.#measure();
    for (const row of this.#rows.values()) row.shift(0);
    this.#draw((number) => this.#place(number));
  }

  /**
   * @param {Map<string, Point>} before where nodes were drawn, by their items
   * @param {Map<number, number>} tops where rows were, by item
   */
  #glide(before, tops) {
    cancelAnimationFrame(this.#frame);
    const shifts = new Map([...this.#rows].map(([item, row]) => [item, (tops.get(item) ?? 0) - row.element.offsetTop]));
    const start = performance.now();
    const step = () => {
      const done = Math.min(1, (performance.now() - start) / DURATION);
      const eased = 1 - (1 - done) ** 3;
      for (const [item, row] of this.#rows) row.shift((shifts.get(item) ?? 0) * (1 - eased));
      this.#draw((number) => {
        const to = this.#place(number);
        const from = before.get(this.#keys[number]) ?? to;
        return { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased };
      });
      if (done < 1) this.#frame = requestAnimationFrame(step);
      else this.#isGliding = false;
    };
    this.#isGliding = true;
    step();
  }

  /** @param {(number: number) => Point} where */
  #draw(where) {
    this.#drawn.clear();
    for (const number of this.piece.preorder) {
      const here = where(number);
      const parent = this.piece.at(number).parent;
      this.#drawn.set(this.#keys[number], here);
      const { line, dot } = /** @type {{line: SVGElement, dot: SVGElement}} */ (this.#shapes.get(number));
      line.setAttribute("d", parent === null ? `M2 ${here.y}H${here.x}` : elbow(where(parent), here));
      dot.setAttribute("cx", String(here.x));
      dot.setAttribute("cy", String(here.y));
      const branch = this.#branches.get(number);
      branch?.style.setProperty("left", `${here.x}px`);
      branch?.style.setProperty("top", `${here.y}px`);
    }
  }

  /** @param {number} number @returns {Point} */
  #place(number) {
    return this.#places.get(number) ?? { x: 0, y: 0 };
  }
}

/**
 * @param {Piece} piece
 * @param {number} number
 * @returns {HTMLElement}
 */
function branchElement(piece, number) {
  const isRoot = number === piece.root;
  const phrase = piece.phrase(number);
  return h("div", {
    class: ["question-branch", isRoot ? "is-root" : "is-handle"],
    role: "treeitem",
    tabindex: -1,
    "aria-expanded": "true",
    "aria-selected": "false",
    "aria-label": isRoot ? `All ${piece.numRows} items` : phrase[0].toUpperCase() + phrase.slice(1),
    "data-testid": `node-${number}`,
  });
}

/**
 * The path from a branch to what it holds: along, then across, with a rounded corner.
 *
 * @param {Point} from
 * @param {Point} to
 */
function elbow(from, to) {
  const drop = to.y - from.y;
  const round = Math.max(0, Math.min(ROUND, Math.abs(drop), to.x - from.x));
  const before = to.y - Math.sign(drop) * round;
  return `M${from.x} ${from.y}V${before}Q${from.x} ${to.y} ${from.x + round} ${to.y}H${to.x}`;
}

/**
 * The distance to a segment that is parallel to an axis.
 *
 * @param {number} along where the point is along it
 * @param {number} one end of the segment
 * @param {number} other end of the segment
 * @param {number} across how far the point is from its line
 */
function toSegment(along, one, other, across) {
  const past = Math.max(Math.min(one, other) - along, along - Math.max(one, other), 0);
  return Math.hypot(past, across);
}
