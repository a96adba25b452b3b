// @ts-check
/**
 * The whole hierarchy as a dendrogram of which only the visible rows are in the page: it follows the tree as it
 * changes, and keeps its place.
 */

import { BranchMenu } from "./branchmenu.js";
import { focusedAround, h } from "./dom.js";
import { count } from "./format.js";
import { heldTop, movedTop } from "./treeanchor.js";
import { TreeBar } from "./treebar.js";
import { TreeData } from "./treedata.js";
import { TreeDrawing } from "./treedrawing.js";
import { TreeFocus } from "./treefocus.js";
import { TreeNews } from "./treenews.js";
import { TreeReveal } from "./treereveal.js";
import { listenForZoom, ROW, usualRow } from "./treezoom.js";

/** @typedef {import("./treedata.js").TreeNode} TreeNode */
/** @typedef {import("./treeanchor.js").Anchor} Anchor */

/** How many rows are drawn above and below the visible ones, and by how many the drawing follows the scrolling. */
const MARGIN = 8;
const STEP = 4;

/** How long rows that moved or were sought are highlighted, in milliseconds. */
const GLOW = 2500;

/** The hierarchy. */
export class HierarchyPanel {
  #needsReload = false;
  #isRunning = false;
  /** Whether the next response may be shown from its first row. */
  #isFromTop = false;
  /** @type {Anchor | null} */
  #anchor = null;
  /** What is done once the visible rows are known. @type {(() => Promise<void> | void)[]} */
  #then = [];
  #frame = 0;
  /** Of the visible part, and where it begins. They are noted: to ask the page for them after drawing is slow. */
  #size = { width: 0, height: 0 };
  #top = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #glow;

  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.app = app;
    this.data = new TreeData(app.api);
    root.classList.add("tree-panel");
    this.row = usualRow(root);
    this.canvas = h("div", { class: "tree-canvas", role: "none" });
    const aria = { role: "tree", "aria-label": "The whole hierarchy", "aria-busy": "true" };
    this.scroller = h("div", { class: "tree-scroll", "data-testid": "tree", ...aria }, this.canvas);
    this.scroller.addEventListener("scroll", () => this.#drawSoon(), { passive: true });
    this.drawing = new TreeDrawing(this.canvas, (node) => this.data.level(node));
    this.bar = new TreeBar({
      onFocus: (branch) => this.zoomInto(branch),
      onDetail: (detail) => this.setDetail(detail),
      onFit: () => this.fit(),
      onSeek: () => this.revealing.marks(),
    });
    this.menu = new BranchMenu(root, app, this);
    this.focus = new TreeFocus(this);
    this.revealing = new TreeReveal(this);
    root.append(this.bar.element, this.scroller, this.bar.foot);
    listenForZoom(this.scroller, () => this.row, (row, pixel) => this.setRow(row, pixel));
    this.news = new TreeNews(this);
    this.#subscribe();
    new ResizeObserver(() => this.#resize()).observe(this.scroller);
  }

  /** Where things are drawn. @returns {import("./treedrawing.js").Geometry} */
  get geometry() {
    const { width } = this.#size;
    const room = width < 520 ? Math.max(112, 0.36 * width) : Math.min(620, Math.max(140, 0.45 * width));
    return { row: this.row, width, room: Math.round(room) };
  }

  /**
   * Open the way to an item, scroll there and let it light up.
   *
   * @param {number} number
   */
  reveal(number) {
    return this.revealing.item(number);
  }

  /**
   * Open the way to a branch, scroll there and let it light up.
   *
   * @param {string} branch
   */
  revealBranch(branch) {
    return this.revealing.branch(branch);
  }

  /** Open a shut branch, or shut an open one. @param {TreeNode} node */
  toggle(node) {
    if (node.state === "item") return;
    if (node.state === "shut") this.data.openBranch(node.branch);
    else this.data.shutBranch(node.branch);
    this.#anchor = { branch: node.branch, pixel: this.pixel(node), edge: node.state === "shut" ? "first" : "middle" };
    this.reload();
  }

  /** Open everything in a branch. @param {TreeNode} node */
  async openBelow(node) {
    const below = await this.tried(this.data.below(node));
    if (!below) return;
    for (const branch of [node.branch, ...below.keys]) this.data.openBranch(branch);
    const pixel = node.state === "shut" ? this.pixel(node) : (node.first + 0.5) * this.row - this.scroller.scrollTop;
    this.#anchor = { branch: node.branch, pixel, edge: "first" };
    this.reload();
    if (below.isWhole) return;
    this.app.say(`This group has ${count(node.size, "item")}: only the larger groups in it were opened.`);
  }

  /** Show a branch alone; null for the whole. @param {string | null} branch */
  zoomInto(branch) {
    this.data.focus = branch;
    if (branch !== null) this.data.shut.delete(branch);
    this.reload({ isFromTop: true });
  }

  /** Let about so many rows be opened by themselves. @param {number} detail */
  setDetail(detail) {
    this.data.detail = detail;
    this.reload();
  }

  /** Show as much as fits, with nothing opened or shut by hand. */
  fit() {
    const height = this.scroller.clientHeight;
    this.data.forget();
    this.data.detail = Math.max(4, Math.floor(height / usualRow(this.scroller)));
    this.reload({ isFromTop: true });
    this.#then.push(() => this.setRow(Math.floor((10 * height) / this.data.numRows) / 10, 0));
  }

  /**
   * Change the height of the rows.
   *
   * @param {number} row in pixels
   * @param {number} pixel what stands there, from the top of the visible part, stays there
   */
  setRow(row, pixel) {
    const at = (this.scroller.scrollTop + pixel) / this.row;
    this.row = Math.min(ROW.most, Math.max(ROW.least, row));
    this.#setHeight();
    this.scroller.scrollTop = at * this.row - pixel;
    this.draw();
  }

  /**
   * Ask for the visible rows anew.
   *
   * @param {{isFromTop?: boolean}} [options] whether the first row is to be shown, and not the same as before
   */
  reload({ isFromTop = false } = {}) {
    this.#needsReload = true;
    this.#isFromTop ||= isFromTop;
    this.#run();
  }

  /** Draw what is visible, and get what is missing. */
  draw() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (this.#size.height === 0) return;
    this.#top = this.scroller.scrollTop;
    const first = Math.max(0, STEP * Math.floor((this.#top / this.row - MARGIN) / STEP));
    const numVisible = STEP * Math.ceil(this.#size.height / this.row / STEP) + STEP;
    const last = Math.min(this.data.numRows, first + numVisible + 2 * MARGIN);
    const nodes = this.focus.pinned(this.data.between(first, last));
    this.drawing.draw(nodes, this.geometry, first * this.row, last * this.row);
    this.bar.showSeek(this.revealing.isMarkAway(nodes.filter((node) => this.isVisible(node))));
    this.menu.follow();
    this.#run();
  }

  /**
   * Bring a node into the visible part.
   *
   * @param {TreeNode} node
   * @param {{isCentred?: boolean}} [options]
   */
  scrollTo(node, { isCentred = false } = {}) {
    const pixel = this.pixel(node);
    const { clientHeight } = this.scroller;
    if (isCentred) this.scroller.scrollTop += pixel - clientHeight * 0.4;
    else if (pixel < this.row) this.scroller.scrollTop += pixel - 1.5 * this.row;
    else if (pixel > clientHeight - this.row) this.scroller.scrollTop += pixel - clientHeight + 1.5 * this.row;
    this.draw();
  }

  /** Do something once the visible rows are known. @param {() => Promise<void> | void} run */
  afterwards(run) {
    this.#then.push(run);
    this.#run();
  }

  /** How far below the top of the visible part a node stands. @param {TreeNode} node */
  pixel(node) {
    return (node.y + 0.5) * this.row - this.scroller.scrollTop;
  }

  /** Whether the middle of a node was in the visible part when it was last drawn. @param {TreeNode} node */
  isVisible(node) {
    const pixel = (node.y + 0.5) * this.row - this.#top;
    return pixel > 0 && pixel < this.#size.height;
  }

  #subscribe() {
    const { app } = this;
    app.on("project", () => this.#start());
    app.on("connection", (connection) => connection === "on" && this.#run());
    app.on("marks", (marks) => {
      const isSame = String(marks) === String(this.data.marks);
      this.data.marks = marks;
      if (!isSame) this.reload();
    });
    if (app.project) this.#start();
  }

  #start() {
    this.data.marks = this.app.question?.leaves ?? [];
    try {
      this.data.restore(JSON.parse(this.app.storage.getItem(this.#place) ?? "null"));
    } catch {
      // A view that cannot be read is the usual one.
    }
    this.reload();
  }

  /** Where the view is stored, so that a reload of the page shows the same. */
  get #place() {
    return `treetalk.view.${this.app.project?.id}`;
  }

  /** Get what is wanted, one request after the other, until all visible rows are known. */
  async #run() {
    if (this.#isRunning || this.#size.height === 0 || !this.app.project) return;
    this.#isRunning = true;
    try {
      // Several things happen at once when a question is answered; they are asked for together.
      await null;
      while (await this.#step());
    } catch (error) {
      this.#needsReload = true;
      const { status, message } = /** @type {import("./api.js").ApiError} */ (error);
      if (status === undefined) throw error;
      if (status >= 400 && status < 500 && status !== 401) this.#complain(message);
    } finally {
      this.#isRunning = false;
    }
  }

  /** Do one thing that is to be done. @returns {Promise<boolean>} whether there was any */
  async #step() {
    const wanted = this.#wanted();
    if (this.#needsReload) await this.#reloadNow();
    else if (this.#then.length > 0) await this.#then.shift()?.();
    else if (this.data.covers(...wanted)) return false;
    else if (await this.data.extend(...wanted)) this.#drawSoon();
    else this.#needsReload = true;
    return true;
  }

  async #reloadNow() {
    this.#needsReload = false;
    const isFirst = this.data.revision === null;
    const { renamed, numMoved } = await this.data.reload(...this.#wanted());
    const news = this.news.shown(isFirst ? 0 : numMoved);
    const before = this.scroller.scrollTop;
    const anchors = this.#anchor ? [this.#anchor] : this.#anchors();
    this.#anchor = null;
    this.focus.rename(renamed);
    this.menu.rename(renamed);
    this.#setHeight();
    const moved = [...this.data.nodes.values()].filter((node) => node.moved);
    const held = heldTop(anchors, this.data.nodes, renamed, this.row) ?? before;
    // One wants to see what one's own answer did.
    const top = news.isOwn ? movedTop(moved, held, this.#size.height, this.row) : held;
    this.scroller.scrollTop = this.#isFromTop ? 0 : top;
    this.#isFromTop = false;
    const isStill = isFirst || matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!isStill) this.drawing.slide(this.scroller.scrollTop - before);
    this.bar.show(this.data, news);
    this.scroller.setAttribute("aria-busy", "false");
    this.#save();
    const look = news.isOwn ? "tree-moved" : "tree-drifted";
    if (news.words) this.light(moved.map((node) => node.branch), look);
    this.draw();
  }

  #save() {
    try {
      this.app.storage.setItem(this.#place, JSON.stringify(this.data.saved()));
    } catch {
      // Where the browser has no room left, a reload of the page shows the usual view.
    }
  }

  /** The visible rows, which may keep their place; the one that has the focus comes alone. @returns {Anchor[]} */
  #anchors() {
    const height = this.scroller.clientHeight;
    const rows = this.drawing.nodes.filter((node) => node.state !== "open");
    const anchors = rows
      .map((node) => ({ branch: node.branch, pixel: this.pixel(node), edge: /** @type {const} */ ("first") }))
      .filter(({ pixel }) => pixel > 0 && pixel < height);
    const focused = this.scroller.contains(focusedAround(this.scroller)) ? this.focus.branch : null;
    const held = anchors.filter(({ branch }) => branch === focused);
    return held.length > 0 ? held : anchors;
  }

  /** The rows that are to be known: the visible ones and a screen above and below. @returns {[number, number]} */
  #wanted() {
    const count = Math.ceil(this.#size.height / this.row) + 2;
    const first = Math.floor(this.#top / this.row);
    const from = Math.max(0, first - count);
    const to = this.data.revision === null ? first + 2 * count : Math.min(this.data.numRows, first + 2 * count);
    return [Math.min(from, to - 1), Math.max(1, to - from)];
  }

  /** Let nodes light up for a moment. @param {string[]} branches @param {string} look the class for it */
  light(branches, look) {
    clearTimeout(this.#glow);
    this.drawing.flashes = new Map(branches.map((branch) => [branch, look]));
    this.drawing.restyle();
    this.#glow = setTimeout(() => {
      this.drawing.flashes.clear();
      this.drawing.restyle();
    }, GLOW);
  }

  #setHeight() {
    this.canvas.style.setProperty("height", `${this.data.numRows * this.row}px`);
    this.canvas.style.setProperty("--row", `${this.row}px`);
    this.canvas.style.setProperty("--tree-room", `${this.geometry.room}px`);
    this.canvas.classList.toggle("tree-dense", this.row < 20);
    this.canvas.style.setProperty("--tree-type", `${Math.min(14, Math.max(9.5, 0.62 * this.row))}px`);
  }

  /** Note the size; a panel that was hidden may have become visible. */
  #resize() {
    this.#size = { width: this.scroller.clientWidth, height: this.scroller.clientHeight };
    this.#setHeight();
    this.draw();
  }

  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => this.draw());
  }

  /** Say what the server refused; a view that it does not understand is given up. @param {string} message */
  #complain(message) {
    this.app.say(message, { tone: "bad" });
    if (this.data.focus === null && this.data.open.size + this.data.shut.size === 0) return;
    this.data.focus = null;
    this.data.forget();
    setTimeout(() => this.#run(), 0);
  }

  /**
   * Wait for what was asked for.
   *
   * @template T
   * @param {Promise<T>} request
   * @returns {Promise<T | null>} null if it was refused, which is told
   */
  async tried(request) {
    try {
      return await request;
    } catch (error) {
      this.app.say(/** @type {Error} */ (error).message, { tone: "bad" });
      return null;
    }
  }
}
