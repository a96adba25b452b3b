// @ts-check
/**
 * Pointer and keyboard in the hierarchy: which node has the focus, where the arrow keys lead, and what a click does.
 */

import { focusedAround } from "./dom.js";

/** @typedef {import("./treedata.js").TreeNode} TreeNode */

/** The shortcuts, as the help lists them. */
const SHORTCUTS = [
  ["ArrowUp ArrowDown", "To the row above or below; at an open group, to the group beside it"],
  ["ArrowLeft ArrowRight", "Outwards to the group around it, inwards; opens a shut group"],
  ["Enter Space", "Open or shut the group; look at the item"],
  ["m", "What can be done with the item or group"],
  ["+ -", "More or less detail"],
];

/** Exactly one node of the drawing can be reached by Tab; the arrow keys lead from it to all others. */
export class TreeFocus {
  /** @param {import("./hierarchy.js").HierarchyPanel} panel */
  constructor(panel) {
    this.panel = panel;
    /** The node that has the focus, or had it last. @type {string | null} */
    this.branch = null;
    const { scroller } = panel;
    scroller.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#press(event));
    scroller.addEventListener("click", (/** @type {MouseEvent} */ event) => this.#click(event));
    scroller.addEventListener("contextmenu", (/** @type {MouseEvent} */ event) => this.#openMenu(event));
    scroller.addEventListener("focusin", (/** @type {FocusEvent} */ event) => {
      const node = this.#nodeAt(event);
      if (node) this.#mark(node);
      panel.drawing.shade(node);
    });
    scroller.addEventListener("focusout", () => panel.drawing.shade(null));
    scroller.addEventListener("pointerover", (/** @type {PointerEvent} */ event) => {
      panel.drawing.shade(this.#nodeAt(event));
    });
    scroller.addEventListener("pointerleave", () => panel.drawing.shade(null));
    const when = () => scroller.contains(focusedAround(scroller));
    const options = { when, group: "In the hierarchy" };
    for (const [key, description] of SHORTCUTS) panel.app.keys.add(key, description, null, options);
  }

  /**
   * Add the node that has the focus to those that are drawn, wherever it stands, and see to it that Tab comes to one.
   *
   * @param {TreeNode[]} nodes
   */
  pinned(nodes) {
    const { drawing, data, scroller } = this.panel;
    const hasFocus = scroller.contains(focusedAround(scroller));
    const node = this.branch === null ? undefined : data.nodes.get(this.branch);
    if (node && nodes.includes(node)) drawing.current = node.branch;
    else if (node && hasFocus) {
      drawing.current = node.branch;
      return [...nodes, node];
    } else drawing.current = nodes.find(({ state }) => state !== "open")?.branch ?? null;
    return nodes;
  }

  /** Take over the new keys of branches. @param {Record<string, string>} renamed */
  rename(renamed) {
    if (this.branch !== null) this.branch = renamed[this.branch] ?? this.branch;
  }

  /** Let Tab come to a node, without giving it the focus. @param {TreeNode} node */
  setCurrent(node) {
    this.branch = node.branch;
    this.panel.drawing.current = node.branch;
    this.panel.drawing.restyle();
  }

  /** Give a node the focus, and bring it into the visible part. @param {TreeNode | null | undefined} node */
  focus(node) {
    if (!node) return;
    this.branch = node.branch;
    this.panel.scrollTo(node);
    this.panel.drawing.element(node.branch)?.focus({ preventScroll: true });
  }

  /** @param {TreeNode} node */
  #mark(node) {
    if (this.branch !== node.branch || this.panel.drawing.current !== node.branch) this.setCurrent(node);
  }

  /** @param {Event} event */
  #nodeAt(event) {
    return this.panel.drawing.nodeOf(event.target instanceof Element ? event.target : null);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const node = this.#nodeAt(event);
    if (!node) return;
    this.panel.drawing.element(node.branch)?.focus({ preventScroll: true });
    const target = /** @type {Element} */ (event.target);
    const isKnob = target.closest('[data-part="knob"], .tree-wedge') !== null;
    const isName = target.closest('[data-part="label"], [data-part="more"], .tree-touch') !== null;
    if (node.state !== "item" && (isKnob || (node.state === "open" && !isName))) this.panel.toggle(node);
    else this.#openMenu(event);
  }

  /** @param {MouseEvent} event */
  #openMenu(event) {
    const node = this.#nodeAt(event);
    if (!node) return;
    event.preventDefault();
    const row = this.panel.drawing.element(node.branch);
    const label = row?.querySelector(".tree-label")?.getBoundingClientRect();
    // The menu key comes without a place of the pointer.
    const isPointed = event.clientX > 0 || event.clientY > 0;
    const pointed = { x: event.clientX, y: event.clientY + 8 };
    const place = isPointed || !label ? pointed : { x: label.left, y: label.bottom + 4 };
    this.panel.menu.open(node, place);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const node = this.#nodeAt(event);
    if (!node || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(this.panel.scroller.clientHeight / this.panel.row) - 2);
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowDown: () => (node.state === "open" ? this.focus(this.#beside(node, 1)) : this.#toRow(node.first + 1)),
      ArrowUp: () => (node.state === "open" ? this.focus(this.#beside(node, -1)) : this.#toRow(node.first - 1)),
      ArrowLeft: () => this.focus(this.panel.data.parent(node)),
      ArrowRight: () => (node.state === "shut" ? this.panel.toggle(node) : this.focus(this.#inside(node))),
      Home: () => this.#toRow(0),
      End: () => this.#toRow(this.panel.data.numRows - 1),
      PageDown: () => this.#toRow(Math.min(this.panel.data.numRows - 1, Math.round(node.y) + page)),
      PageUp: () => this.#toRow(Math.max(0, Math.round(node.y) - page)),
      Enter: () => (node.state === "item" ? this.#menuFor(node) : this.panel.toggle(node)),
      " ": () => (node.state === "item" ? this.#menuFor(node) : this.panel.toggle(node)),
      m: () => this.#menuFor(node),
      ContextMenu: () => this.#menuFor(node),
      "+": () => this.panel.bar.step(1),
      "-": () => this.panel.bar.step(-1),
    };
    const action = event.key === "F10" && event.shiftKey ? actions.m : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** @param {TreeNode} node */
  #menuFor(node) {
    this.panel.scrollTo(node);
    const row = this.panel.drawing.element(node.branch);
    const box = (node.state === "open" ? row : row?.querySelector(".tree-label"))?.getBoundingClientRect();
    if (box) this.panel.menu.open(node, { x: box.left, y: box.bottom + 4 });
  }

  /** Go to the item or shut branch in a row, also if it is not known yet. @param {number} row */
  async #toRow(row) {
    const { data } = this.panel;
    if (row < 0 || row >= data.numRows) return;
    if (!data.covers(row, 1) && !(await data.extend(row, 1).catch(() => false))) return;
    this.focus(data.inRow(row));
  }

  /** The branch or row that follows an open branch, or is before it. @param {TreeNode} node @param {1 | -1} way */
  #beside(node, way) {
    const { data } = this.panel;
    const all = data.between(way > 0 ? node.last + 1 : node.first - 1, way > 0 ? node.last + 1 : node.first - 1);
    const parents = new Set();
    for (let up = data.parent(node); up; up = data.parent(up)) parents.add(up.branch);
    const isApart = (/** @type {TreeNode} */ other) => other.first > node.last || other.last < node.first;
    const outside = all.filter((other) => !parents.has(other.branch) && isApart(other));
    const sisters = outside.filter(({ parent }) => parent !== null && parents.has(parent));
    const sister = sisters[0];
    // Upwards from a first child there is the branch itself.
    if (way < 0 && sister?.parent !== node.parent) return data.parent(node);
    return sister ?? outside[0];
  }

  /** The first node inside an open branch that is visible. @param {TreeNode} node */
  #inside(node) {
    return this.panel.drawing.nodes.find(({ parent }) => parent === node.branch);
  }
}
