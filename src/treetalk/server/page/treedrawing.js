// @ts-check
/**
 * Draws the visible part of the hierarchy: the branches in SVG, and on top of them one element for every node that can
 * be focused (a row with a label for an item or a shut branch, a dot for an open branch).
 */

import { focusedAround, h, s } from "./dom.js";
import { placeNames, spines } from "./treelines.js";
import { fillRow, picturesOf, styleRow, wordsFor } from "./treerow.js";

/** @typedef {import("./treedata.js").TreeNode} TreeNode */

/**
 * @typedef {object} Geometry
 * @property {number} row the height of a row
 * @property {number} width of the panel
 * @property {number} room for the branches
 */

/**
 * @typedef {object} Drawn
 * @property {TreeNode} node as it was last drawn
 * @property {HTMLElement} row
 * @property {SVGPathElement} stem
 * @property {SVGPathElement} touch a broad invisible line over the stem
 * @property {SVGPathElement} wedge
 * @property {SVGTextElement} number
 * @property {string} placed where it stands; nothing is written to the page if that has not changed
 */

/** How long nodes slide to a new place, in milliseconds. */
const SLIDE = 300;

/** Left of the root, in pixels. */
const MARGIN = 16;

/** The SVG begins at a multiple of this many pixels: near enough for exact lines, and what stays is not redrawn. */
const SPAN = 16_384;

/**
 * The width of a branch, in pixels; narrower where rows are.
 *
 * @param {TreeNode} node
 * @param {number} row the height of a row
 */
function strokeWidth(node, row) {
  if (node.state === "item" || node.support === null) return 1;
  return 1 + 4 * node.support * Math.min(1, row / 22);
}

/** Whether a row has other pictures than before. @param {TreeNode} before @param {TreeNode} now */
function isOther(before, now) {
  return picturesOf(before).join("\n") !== picturesOf(now).join("\n");
}

/** A share as a number; only all are 100, only none are 0. @param {number} share */
function outOfHundred(share) {
  if (share === 0 || share === 1) return 100 * share;
  return Math.min(99, Math.max(1, Math.round(100 * share)));
}

/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/** How wide a text is, in pixels. @param {string} text @param {string} font */
function textWidth(text, font) {
  pen ??= h("canvas").getContext("2d");
  if (!pen) return 8 * text.length;
  pen.font = font;
  return pen.measureText(text).width;
}

/** The drawing of the visible nodes. */
export class TreeDrawing {
  /** @type {Map<string, Drawn>} */
  #drawn = new Map();
  /** Where nodes were drawn last. @type {Map<string, {x: number, y: number}>} */
  #places = new Map();
  /** Where nodes come from while they slide. @type {Map<string, {x: number, y: number}>} */
  #origins = new Map();
  #slideStart = -Infinity;
  #frame = 0;
  #base = 0;
  /** The row of the open branch that is pointed at. @type {HTMLElement | null} */
  #pointed = null;
  /** Where the names of open branches stand. @type {Map<string, import("./treelines.js").NamePlace>} */
  #names = new Map();
  /** @type {{nodes: TreeNode[], geometry: Geometry, top: number, bottom: number} | null} */
  #last = null;

  /**
   * @param {HTMLElement} canvas as tall as all rows
   * @param {(node: TreeNode) => number} level how deep a node stands
   */
  constructor(canvas, level) {
    this.canvas = canvas;
    this.level = level;
    this.spines = s("path", { class: "tree-spines", fill: "none" });
    this.stems = s("g", { class: "tree-stems", fill: "none" });
    this.wedges = s("g", { class: "tree-wedges" });
    this.numbers = s("g", { class: "tree-numbers", "text-anchor": "end" });
    this.touches = s("g", { class: "tree-touches", fill: "none" });
    const layers = [this.spines, this.stems, this.wedges, this.numbers, this.touches];
    this.svg = s("svg", { class: "tree-svg", width: 1, height: 1, "aria-hidden": "true" }, ...layers);
    this.band = h("div", { class: "tree-band", hidden: true });
    this.rows = h("div", { class: "tree-rows", role: "none" });
    canvas.append(this.band, this.svg, this.rows);
    /** Nodes that are highlighted for a moment, with the class for it. @type {Map<string, string>} */
    this.flashes = new Map();
    /** The node that Tab comes to. @type {string | null} */
    this.current = null;
  }

  /** The nodes that are drawn, a branch before what is in it. */
  get nodes() {
    return this.#last?.nodes ?? [];
  }

  /** The element of a node, if it is drawn. @param {string} branch */
  element(branch) {
    return this.#drawn.get(branch)?.row ?? null;
  }

  /** The node that an element of the drawing belongs to. @param {Element | null} element */
  nodeOf(element) {
    const branch = element?.closest("[data-branch]")?.getAttribute("data-branch");
    return (branch && this.#drawn.get(branch)?.node) || null;
  }

  /**
   * Let all nodes slide from where they are now to where they are drawn next.
   *
   * @param {number} shift by how much the page was scrolled at the same time, in pixels
   */
  slide(shift) {
    this.#origins = new Map();
    for (const [branch, { x, y }] of this.#places) this.#origins.set(branch, { x, y: y + shift });
    this.#slideStart = performance.now();
  }

  /**
   * Draw nodes, and remove all others.
   *
   * @param {TreeNode[]} nodes those that meet the window, a branch before what is in it
   * @param {Geometry} geometry
   * @param {number} top of the window, in pixels
   * @param {number} bottom
   */
  draw(nodes, geometry, top, bottom) {
    this.#last = { nodes, geometry, top, bottom };
    const wanted = new Set(nodes.map((node) => node.branch));
    for (const [branch, drawn] of this.#drawn) if (!wanted.has(branch)) this.#remove(branch, drawn);
    for (const node of nodes) this.#update(node);
    this.#order(nodes);
    this.#names = this.#findNames(nodes, geometry, top, bottom);
    this.#place();
  }

  /** Show the contents of all drawn nodes anew: highlights or the current node have changed. */
  restyle() {
    for (const drawn of this.#drawn.values()) this.#style(drawn);
  }

  /** Shade the rows of a branch, or none. @param {TreeNode | null} node */
  shade(node) {
    const isShaded = node !== null && this.#last !== null && node.state === "open";
    this.#pointed?.classList.remove("tree-pointed");
    this.#pointed = isShaded ? this.element(node.branch) : null;
    this.#pointed?.classList.add("tree-pointed");
    this.band.hidden = !isShaded;
    if (!isShaded || !this.#last) return;
    const { row, room } = this.#last.geometry;
    const left = this.#x(node.x, room);
    this.band.style.setProperty("transform", `translate(${left}px, ${node.first * row}px)`);
    this.band.style.setProperty("height", `${(node.last - node.first + 1) * row}px`);
    this.band.style.setProperty("width", `${this.#last.geometry.width - left}px`);
  }

  /** Where a node is or will be drawn, in pixels of the canvas. @param {TreeNode} node @param {Geometry} geometry */
  target(node, { row, room }) {
    const x = node.state === "item" ? room : this.#x(node.x, room);
    return { x, y: (node.y + 0.5) * row };
  }

  /** @param {number} x @param {number} room */
  #x(x, room) {
    return MARGIN + x * (room - MARGIN);
  }

  /** @param {string} branch @param {Drawn} drawn */
  #remove(branch, drawn) {
    for (const element of [drawn.row, drawn.stem, drawn.touch, drawn.wedge, drawn.number]) element.remove();
    this.#drawn.delete(branch);
    this.#places.delete(branch);
  }

  /** @param {TreeNode} node */
  #update(node) {
    const before = this.#drawn.get(node.branch);
    if (before?.node === node) return;
    const drawn = before ?? this.#make(node);
    const wasOther = !before || before.node.state !== node.state || isOther(before.node, node);
    drawn.node = node;
    if (wasOther) fillRow(drawn.row, node);
    this.#style(drawn);
  }

  /** @param {TreeNode} node @returns {Drawn} */
  #make(node) {
    const branch = { "data-branch": node.branch };
    const drawn = {
      node,
      row: h("div", { role: "treeitem", tabindex: "-1", ...branch, "data-testid": `tree-row-${node.branch}` }),
      stem: s("path", { class: "tree-stem" }),
      touch: s("path", { class: "tree-touch", ...branch }, s("title")),
      wedge: s("path", { class: "tree-wedge", ...branch }, s("title")),
      number: s("text", { class: "tree-number" }),
      placed: "",
    };
    this.stems.append(drawn.stem);
    this.touches.append(drawn.touch);
    this.wedges.append(drawn.wedge);
    this.numbers.append(drawn.number);
    this.rows.append(drawn.row);
    this.#drawn.set(node.branch, drawn);
    return drawn;
  }

  /** @param {Drawn} drawn */
  #style({ node, row, stem, touch, wedge, number }) {
    const flash = this.flashes.get(node.branch);
    styleRow(row, node, { flash, level: this.level(node), isCurrent: this.current === node.branch });
    const isWeak = node.state !== "item" && node.support !== null && node.support < 0.5;
    stem.setAttribute("class", ["tree-stem", isWeak && "tree-weak", flash].filter(Boolean).join(" "));
    wedge.setAttribute("class", ["tree-wedge", node.marked > 0 && "tree-marked", flash].filter(Boolean).join(" "));
    const click = node.state === "item" ? "" : "\nClick: ask me about this, name it, and more";
    /** @type {Element} */ (touch.firstChild).textContent = wordsFor(node) + click;
    /** @type {Element} */ (wedge.firstChild).textContent = `${wordsFor(node)}\nClick to open it`;
    number.textContent = node.support !== null && node.state !== "item" ? String(outOfHundred(node.support)) : "";
  }

  /** Put the rows into the order in which they are read. @param {TreeNode[]} nodes */
  #order(nodes) {
    const active = focusedAround(this.rows);
    let next = this.rows.firstElementChild;
    let hasMoved = false;
    for (const { branch } of nodes) {
      const row = this.element(branch);
      if (row === next) next = next?.nextElementSibling ?? null;
      else if (row) {
        this.rows.insertBefore(row, next);
        hasMoved ||= row === active;
      }
    }
    if (hasMoved) /** @type {HTMLElement} */ (active).focus({ preventScroll: true });
  }

  /**
   * @param {TreeNode[]} nodes
   * @param {Geometry} geometry
   * @param {number} top
   * @param {number} bottom
   */
  #findNames(nodes, geometry, top, bottom) {
    const places = new Map(nodes.map((node) => [node.branch, this.target(node, geometry)]));
    const size = Math.min(13, Math.max(9.5, 0.62 * geometry.row));
    const measure = (/** @type {string} */ name) => textWidth(name, `650 ${size}px ${this.#font()}`);
    return placeNames(nodes, places, { ...geometry, top, bottom, height: 1.35 * size, measure });
  }

  #font() {
    return getComputedStyle(this.canvas).fontFamily || "sans-serif";
  }

  #place() {
    if (!this.#last) return;
    cancelAnimationFrame(this.#frame);
    const { nodes, geometry, top, bottom } = this.#last;
    const passed = Math.min(1, (performance.now() - this.#slideStart) / SLIDE);
    const eased = 1 - (1 - passed) ** 3;
    /** @type {Map<string, {x: number, y: number}>} */
    const places = new Map();
    for (const node of nodes) {
      const to = this.target(node, geometry);
      const from = passed < 1 ? (this.#origins.get(node.branch) ?? this.#origins.get(node.parent ?? "")) : undefined;
      if (from && passed < 1) {
        // What was not there grows out of its branch, and its own branches out of it.
        this.#origins.set(node.branch, from);
        places.set(node.branch, { x: from.x + (to.x - from.x) * eased, y: from.y + (to.y - from.y) * eased });
      } else places.set(node.branch, to);
    }
    this.#places = places;
    const base = Math.floor(top / SPAN) * SPAN;
    if (base !== this.#base) this.svg.style.setProperty("transform", `translateY(${base}px)`);
    this.#base = base;
    for (const node of nodes) this.#placeNode(node, places, geometry, base);
    this.spines.setAttribute("d", spines(nodes, places, { base, top, bottom }));
    if (passed < 1) this.#frame = requestAnimationFrame(() => this.#place());
    else this.#origins.clear();
  }

  /**
   * @param {TreeNode} node
   * @param {Map<string, {x: number, y: number}>} places
   * @param {Geometry} geometry
   * @param {number} base where the SVG begins
   */
  #placeNode(node, places, { row: height, room }, base) {
    const drawn = /** @type {Drawn} */ (this.#drawn.get(node.branch));
    const { row, stem, touch, wedge, number } = drawn;
    const { x, y } = /** @type {{x: number, y: number}} */ (places.get(node.branch));
    const left = (node.parent !== null && places.get(node.parent)?.x) || Math.max(0, x - MARGIN + 4);
    const level = Math.round((y - base) * 2) / 2;
    const name = node.state === "open" && node.name ? this.#names.get(node.branch) : undefined;
    const shown = name ? `${name.side} ${name.drop} ${name.width}` : "";
    const placed = [node.state, x, left, level, height, room, node.size, shown, node.support].join();
    if (drawn.placed === placed) return;
    drawn.placed = placed;
    // The wedge of a shut branch grows with its size, but does not reach its branch.
    const length = 12 + 7 * Math.log10(node.size);
    const tip = node.state === "shut" ? Math.max(Math.min(x, room - length), Math.min(left + 6, room - 9)) : x;
    const line = `M${left.toFixed(1)} ${level}H${tip.toFixed(1)}`;
    stem.setAttribute("d", line);
    stem.setAttribute("stroke-width", strokeWidth(node, height).toFixed(2));
    touch.setAttribute("d", line);
    const half = Math.min(0.36, 0.22 + 0.04 * Math.log10(node.size)) * Math.min(height, 30);
    const wings = `M${tip.toFixed(1)} ${level}L${room} ${level - half}V${level + half}Z`;
    wedge.setAttribute("d", node.state === "shut" ? wings : "");
    const end = node.state === "open" ? tip - 8 : tip - 4;
    const isRoomy = end - left > 7 * (number.textContent?.length ?? 0) + 1 && height >= 15;
    number.setAttribute("visibility", isRoomy ? "visible" : "hidden");
    number.setAttribute("x", end.toFixed(1));
    const offset = strokeWidth(node, height) / 2 + 3;
    number.setAttribute("y", (name?.side === "left" ? level + offset + 8 : level - offset).toFixed(1));
    const isBranch = node.state === "open";
    const shift = `translate(${(isBranch ? x : room).toFixed(1)}px, ${(base + level).toFixed(1)}px)`;
    row.style.setProperty("transform", shift);
    if (!isBranch) return;
    row.setAttribute("data-side", name?.side ?? "none");
    row.toggleAttribute("data-clipped", name?.isWhole === false);
    row.style.setProperty("--tree-name", `${name?.width ?? 0}px`);
    row.style.setProperty("--tree-drop", `${name?.drop ?? 0}px`);
  }
}
