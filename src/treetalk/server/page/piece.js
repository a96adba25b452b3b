// @ts-check
/**
 * A piece of the hierarchy as data: who stands where, how to walk through it, and what a drop would mean in words.
 * Nothing is drawn here.
 */

/** @typedef {{number: number, label: string, text: string | null, picture: string | null}} Item */
/**
 * @typedef {{node: number, parent: number | null, x: number, y: number, first: number, last: number, size: number,
 *   leaf: number | null}} PieceNode
 */
/** @typedef {{parents: number[], num_rows: number, nodes: PieceNode[]}} PieceData */

/** Labels longer than this are cut in sentences (rows show them whole). */
const MAX_LABEL = 48;

/** How many items of a group are named before the others are counted. */
const NUM_NAMED = 3;

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/**
 * The label of an item for use in a sentence: cut where it is very long, and isolated where it is written from right to
 * left, so that it does not turn the sentence around.
 * @param {Item | undefined} item
 */
export function inSentence(item) {
  const label = (item?.label ?? "").trim() || (item?.text ?? "").trim() || `item ${item?.number}`;
  const letters = Array.from(label);
  const short = letters.length > MAX_LABEL ? `${letters.slice(0, MAX_LABEL - 1).join("").trimEnd()}…` : label;
  return RIGHT_TO_LEFT.test(short) ? `\u2068${short}\u2069` : short;
}

/**
 * "lion", "lion and lynx", "lion, lynx and leopard", "lion, lynx and 8 others".
 * @param {string[]} words
 */
function listed(words) {
  if (words.length <= 1) return words[0] ?? "";
  const many = words.length > NUM_NAMED;
  const named = many ? words.slice(0, NUM_NAMED - 1) : words.slice(0, -1);
  const last = many ? `${words.length - named.length} others` : words[words.length - 1];
  return `${named.join(", ")} and ${last}`;
}

/** A tree of a few items, as the server laid it out. */
export class Piece {
  /** @type {Map<number, number[]>} */
  #children;

  /** @type {Map<number, number>} */
  #levels = new Map();

  /**
   * @param {PieceData} data
   * @param {Item[]} items
   */
  constructor(data, items) {
    this.parents = data.parents;
    this.numRows = data.num_rows;
    /** @type {Map<number, Item>} */
    this.items = new Map(items.map((item) => [item.number, item]));
    /** @type {Map<number, PieceNode>} */
    this.nodes = new Map(data.nodes.map((node) => [node.node, node]));
    this.#children = new Map(data.nodes.map((node) => [node.node, []]));
    this.root = -1;
    for (const node of [...data.nodes].sort((one, other) => one.y - other.y)) {
      if (node.parent === null || node.parent < 0) this.root = node.node;
      else this.#children.get(node.parent)?.push(node.node);
    }
    /** Node numbers from the root down, a branch before what it holds, from the first row to the last. */
    this.preorder = this.#walk(this.root);
    /** Node numbers of the items, by row. */
    this.rows = this.preorder.filter((number) => this.isItem(number));
    for (const number of this.preorder) {
      const parent = this.at(number).parent;
      this.#levels.set(number, number === this.root ? 1 : this.level(/** @type {number} */ (parent)) + 1);
    }
  }

  /** @param {number} number @returns {PieceNode} */
  at(number) {
    return /** @type {PieceNode} */ (this.nodes.get(number));
  }

  /** @param {number} number */
  isItem(number) {
    return this.at(number).leaf !== null;
  }

  /** The children of a node, the first row first. @param {number} number @returns {number[]} */
  children(number) {
    return this.#children.get(number) ?? [];
  }

  /** 1 for the root. @param {number} number */
  level(number) {
    return this.#levels.get(number) ?? 1;
  }

  /** The item at a leaf. @param {number} number @returns {Item | undefined} */
  item(number) {
    const leaf = this.at(number).leaf;
    return leaf === null ? undefined : this.items.get(leaf);
  }

  /** The leaf where an item stands. @param {number} item */
  nodeOf(item) {
    return this.rows.find((number) => this.at(number).leaf === item) ?? -1;
  }

  /** The numbers of the items under a node, by row. @param {number} number @returns {number[]} */
  itemsUnder(number) {
    return this.#walk(number).flatMap((below) => this.at(below).leaf ?? []);
  }

  /** A node and all below it. @param {number} number @returns {Set<number>} */
  under(number) {
    return new Set(this.#walk(number));
  }

  /** What stays the same about a node when the piece is rearranged: its items. @param {number} number */
  key(number) {
    return this.itemsUnder(number).sort((one, other) => one - other).join(",");
  }

  /** Whether a node may be dropped onto another at all. @param {number} node @param {number} onto */
  canDrop(node, onto) {
    return node !== this.root && !this.under(node).has(onto);
  }

  /** Whether a drop would leave all as it is. @param {number} node @param {number} onto */
  isSamePlace(node, onto) {
    const parent = this.at(node).parent;
    if (parent === null) return true;
    const sisters = this.children(parent).filter((child) => child !== node);
    return sisters.length === 1 && (onto === parent || onto === sisters[0]);
  }

  /**
   * "leopard", or "the group of lion and lynx".
   * @param {number} number
   * @param {Set<number>} [without] items that are not named
   */
  phrase(number, without = new Set()) {
    const items = this.itemsUnder(number).filter((item) => !without.has(item));
    return items.length > 1 ? `the group of ${this.#listed(items)}` : this.#listed(items);
  }

  /** "leopard", or "lion and lynx". @param {number} number */
  names(number) {
    return this.#listed(this.itemsUnder(number));
  }

  /**
   * What a drop would do: "next to leopard", "apart from all others".
   * @param {number} node
   * @param {number} onto
   */
  consequence(node, onto) {
    if (this.isSamePlace(node, onto)) return "where it is now";
    if (onto === this.root) return "apart from all others";
    return `next to ${this.phrase(onto, new Set(this.itemsUnder(node)))}`;
  }

  /**
   * Where an arrow key leads: up and down through the rows, left to the branch above, right into it.
   * @param {number} number
   * @param {string} key
   * @returns {number} the same node where there is nothing that way
   */
  step(number, key) {
    const here = this.at(number);
    const row = this.rows.indexOf(number);
    if (key === "ArrowLeft") return here.parent ?? number;
    if (key === "ArrowRight") return this.children(number)[0] ?? number;
    if (key === "Home") return this.rows[0];
    if (key === "End") return this.rows[this.rows.length - 1];
    if (key === "ArrowDown") return this.rows[row >= 0 ? row + 1 : Math.floor(here.y) + 1] ?? number;
    if (key === "ArrowUp") return this.rows[row >= 0 ? row - 1 : Math.ceil(here.y) - 1] ?? number;
    return number;
  }

  /** @param {number[]} items */
  #listed(items) {
    return listed(items.map((item) => inSentence(this.items.get(item))));
  }

  /** @param {number} top @returns {number[]} */
  #walk(top) {
    const seen = [];
    const open = [top];
    while (open.length) {
      const number = /** @type {number} */ (open.pop());
      seen.push(number);
      open.push(...[...this.children(number)].reverse());
    }
    return seen;
  }
}
