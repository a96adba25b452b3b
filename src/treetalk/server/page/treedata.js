// @ts-check
/**
 * What the page knows of the hierarchy: how it is looked at (what is opened, shut, zoomed into), and the rows around
 * the visible ones that the server has sent for that view.
 */

/**
 * @typedef {object} Item
 * @property {number} number
 * @property {string} label
 * @property {string | null} text
 * @property {string | null} picture
 */

/**
 * @typedef {object} TreeNode
 * @property {string} branch its key
 * @property {string | null} parent
 * @property {number} x 0 at the root, 1 at the items
 * @property {number} y in rows
 * @property {number} first
 * @property {number} last
 * @property {"item" | "open" | "shut"} state
 * @property {Item | null} item
 * @property {string} label
 * @property {string | null} name given by a person
 * @property {number} size
 * @property {number | null} support
 * @property {number} marked how many items of the question are in it
 * @property {boolean} moved
 * @property {string[]} [pictures] addresses of a few pictures in a shut branch
 */

/** How many rows are asked for at once, and at most. */
const LIMIT = 300;
const MOST = 1000;

/** How many nodes are kept; beyond it only the last response is. */
const MEMORY = 12_000;

/** How many rows "open all below" opens at most: their keys travel with every request. */
const OPENED = 3000;

/** How many keys the server takes. */
const KEYS = 5000;

/** How many requests looking for a row may take. */
const PATIENCE = 120;

/** A view of the hierarchy, and the rows of it that are known. */
export class TreeData {
  /** @param {import("./api.js").Api} api */
  constructor(api) {
    this.api = api;
    /** The branch that is zoomed into; null is the root. @type {string | null} */
    this.focus = null;
    this.detail = 40;
    /** @type {Set<string>} */
    this.open = new Set();
    /** @type {Set<string>} */
    this.shut = new Set();
    /** The items of the question. @type {number[]} */
    this.marks = [];
    /** @type {number | null} */
    this.revision = null;
    this.numRows = 0;
    /** @type {{branch: string, label: string, size: number}[]} */
    this.trail = [];
    /** The nodes that are known, by key. @type {Map<string, TreeNode>} */
    this.nodes = new Map();
    /** The rows from `from` up to (not with) `to` are known. */
    this.from = 0;
    this.to = 0;
  }

  /** Open a branch. @param {string} branch */
  openBranch(branch) {
    this.shut.delete(branch);
    this.open.add(branch);
  }

  /** Shut a branch. @param {string} branch */
  shutBranch(branch) {
    this.open.delete(branch);
    this.shut.add(branch);
  }

  /** Look at the whole again, with nothing opened or shut by hand. */
  forget() {
    this.open.clear();
    this.shut.clear();
  }

  /** What of the view outlives a reload of the page. */
  saved() {
    const some = (/** @type {Set<string>} */ keys) => [...keys].slice(-500);
    return { focus: this.focus, detail: this.detail, open: some(this.open), shut: some(this.shut) };
  }

  /** Take a saved view over. @param {any} view */
  restore(view) {
    this.focus = typeof view?.focus === "string" ? view.focus : null;
    if (Number.isInteger(view?.detail) && view.detail > 0) this.detail = view.detail;
    this.open = new Set(Array.isArray(view?.open) ? view.open : []);
    this.shut = new Set(Array.isArray(view?.shut) ? view.shut : []);
  }

  /**
   * Ask for the rows around a window anew, and forget all others.
   *
   * @param {number} first row of the window
   * @param {number} count of its rows
   * @returns {Promise<{renamed: Record<string, string>, numMoved: number}>}
   */
  async reload(first, count) {
    const limit = Math.min(MOST, Math.max(LIMIT, count));
    const offset = Math.max(0, Math.floor(first - (limit - count) / 2));
    const response = await this.#fetch(offset, limit, this.revision);
    this.#rename(response.renamed ?? {});
    this.revision = response.revision;
    this.#take(response, limit, true);
    return { renamed: response.renamed ?? {}, numMoved: response.num_moved ?? 0 };
  }

  /**
   * Get those rows of a window that are missing.
   *
   * @param {number} first
   * @param {number} count
   * @returns {Promise<boolean>} false if the tree has changed meanwhile, so that all must be asked for anew
   */
  async extend(first, count) {
    const isNear = first <= this.to && first + count >= this.from;
    let offset = Math.max(0, Math.floor(first - (LIMIT - count) / 2));
    let limit = Math.min(MOST, Math.max(LIMIT, count));
    if (isNear && first >= this.from) offset = this.to;
    else if (isNear) {
      offset = Math.max(0, this.from - LIMIT);
      limit = this.from - offset;
    }
    const response = await this.#fetch(offset, limit, null);
    if (response.revision !== this.revision || response.num_rows !== this.numRows) return false;
    this.#take(response, limit, !isNear || this.nodes.size > MEMORY);
    return true;
  }

  /**
   * Whether the rows of a window are known.
   *
   * @param {number} first
   * @param {number} count
   */
  covers(first, count) {
    return Math.max(0, first) >= this.from && Math.min(this.numRows, first + count) <= this.to;
  }

  /**
   * The nodes whose rows meet a window, a branch before what is in it.
   *
   * @param {number} first
   * @param {number} last
   * @returns {TreeNode[]}
   */
  between(first, last) {
    const found = [];
    for (const node of this.nodes.values()) if (node.first <= last && node.last >= first) found.push(node);
    // Of two that begin in the same row the outer one ends later; a branch with a single row stands left of it.
    return found.sort((a, b) => a.first - b.first || b.last - a.last || a.x - b.x || b.size - a.size);
  }

  /** The branch around a node, if it is known. @param {TreeNode} node */
  parent(node) {
    return node.parent === null ? null : (this.nodes.get(node.parent) ?? null);
  }

  /** How deep a node stands; the branch zoomed into is 1. @param {TreeNode} node */
  level(node) {
    let level = 1;
    for (let up = this.parent(node); up; up = this.parent(up)) level += 1;
    return level;
  }

  /**
   * The item or shut branch that stands in a row.
   *
   * @param {number} row
   * @returns {TreeNode | null}
   */
  inRow(row) {
    for (const node of this.nodes.values()) if (node.state !== "open" && node.first === row) return node;
    return null;
  }

  /**
   * Look for a node that may stand in rows that are not known. The server sends whole branches' spans, so the way
   * leads from branch to branch towards the sought one.
   *
   * @param {string[]} path keys of the branches around it, the root first
   * @param {(node: TreeNode) => boolean} isSought
   * @returns {Promise<TreeNode | null>} it, or the deepest of the path that is in the view
   */
  async locate(path, isSought) {
    let deepest = null;
    for (let step = 0; step < PATIENCE; step += 1) {
      for (const node of this.nodes.values()) if (isSought(node)) return node;
      const known = path.map((branch) => this.nodes.get(branch)).filter((node) => node !== undefined);
      deepest = known.at(-1) ?? null;
      if (!deepest || deepest.state !== "open") return deepest;
      const start = this.#gap(deepest);
      if (start === null) return deepest;
      const response = await this.#fetch(start, LIMIT, null);
      if (response.revision !== this.revision || response.num_rows !== this.numRows) return deepest;
      this.#take(response, LIMIT, true);
    }
    return deepest;
  }

  /**
   * The keys of the branches inside one, for opening all of them.
   *
   * @param {TreeNode} branch
   * @returns {Promise<{keys: string[], isWhole: boolean}>}
   */
  async below(branch) {
    const keys = [];
    const wanted = Math.min(branch.size, OPENED);
    for (let offset = 0, numRows = 1; offset < numRows; offset += LIMIT) {
      const view = { focus: branch.branch, detail: wanted, open: [], shut: [], mark: [], since: null };
      const response = await this.api.tree({ ...view, offset, limit: LIMIT });
      numRows = response.num_rows;
      for (const node of response.nodes) if (node.state === "open") keys.push(node.branch);
    }
    return { keys: [...new Set(keys)], isWhole: branch.size <= OPENED };
  }

  /** Where to look for a child of an open branch that is not known. @param {TreeNode} branch */
  #gap(branch) {
    let above = branch.last + 1;
    let below = branch.first - 1;
    for (const node of this.nodes.values()) {
      if (node.parent !== branch.branch) continue;
      above = Math.min(above, node.first);
      below = Math.max(below, node.last);
    }
    if (below < branch.first) return branch.first;
    if (below < branch.last) return below + 1;
    // Those above are met from below: the nearest ends in the row before.
    return above > branch.first ? Math.max(0, above - LIMIT) : null;
  }

  /**
   * @param {number} offset
   * @param {number} limit
   * @param {number | null} since
   */
  #fetch(offset, limit, since) {
    // Of too many, those opened long ago are given up.
    const some = (/** @type {Set<string>} */ keys) => [...keys].slice(-KEYS);
    const view = { focus: this.focus, detail: this.detail, open: some(this.open), shut: some(this.shut) };
    return this.api.tree({ ...view, offset, limit, mark: this.marks, since });
  }

  /**
   * @param {any} response
   * @param {number} limit how many rows were asked for
   * @param {boolean} isAlone whether all others are forgotten
   */
  #take(response, limit, isAlone) {
    if (isAlone) this.nodes = new Map();
    for (const node of response.nodes) this.nodes.set(node.branch, node);
    const to = Math.min(response.num_rows, response.offset + limit);
    this.from = isAlone ? response.offset : Math.min(this.from, response.offset);
    this.to = isAlone ? to : Math.max(this.to, to);
    this.numRows = response.num_rows;
    this.trail = response.trail;
  }

  /** @param {Record<string, string>} renamed */
  #rename(renamed) {
    const now = (/** @type {string} */ branch) => renamed[branch] ?? branch;
    this.open = new Set([...this.open].map(now));
    this.shut = new Set([...this.shut].map(now));
    if (this.focus !== null) this.focus = now(this.focus);
  }
}
