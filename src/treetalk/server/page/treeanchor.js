// @ts-check
/**
 * Keeping the place: where to scroll, when rows have come and gone, so that what was visible stands where it stood.
 */

/** @typedef {import("./treedata.js").TreeNode} TreeNode */

/**
 * What is to stay at the same pixel.
 *
 * @typedef {object} Anchor
 * @property {string} branch
 * @property {number} pixel from the top of the visible part to the middle of its row
 * @property {"first" | "middle"} edge which row of the branch
 */

/**
 * Where to scroll so that as many anchors as possible stay where they are.
 *
 * @param {Anchor[]} anchors
 * @param {Map<string, TreeNode>} nodes as they stand now
 * @param {Record<string, string>} renamed the new keys of branches
 * @param {number} row the height of a row
 * @returns {number | null} in pixels; null if none of the anchors is there any more
 */
export function heldTop(anchors, nodes, renamed, row) {
  /** @type {Map<number, number>} */
  const votes = new Map();
  for (const { branch, pixel, edge } of anchors) {
    const node = nodes.get(renamed[branch] ?? branch);
    if (!node) continue;
    const middle = ((edge === "first" ? node.first : node.y) + 0.5) * row;
    const top = Math.max(0, Math.round(middle - pixel));
    // What has moved itself counts only if there is nothing else.
    votes.set(top, (votes.get(top) ?? 0) + (node.moved ? 0.01 : 1));
  }
  let best = null;
  for (const [top, number] of votes) if (best === null || number > (votes.get(best) ?? 0)) best = top;
  return best;
}

/**
 * Where to scroll so that something of what moved is seen: nowhere if it is already, else to where the most of it is.
 *
 * @param {TreeNode[]} moved
 * @param {number} top where one is, in pixels
 * @param {number} height of the visible part
 * @param {number} row the height of a row
 * @returns {number} in pixels
 */
export function movedTop(moved, top, height, row) {
  const middles = moved.map((node) => (node.y + 0.5) * row).sort((a, b) => a - b);
  if (middles.length === 0 || middles.some((middle) => middle > top && middle < top + height)) return top;
  const room = height - 3 * row;
  let best = { number: 0, middle: top };
  for (const [index, first] of middles.entries()) {
    const inside = middles.slice(index).filter((middle) => middle - first <= room);
    const middle = (first + (inside.at(-1) ?? first)) / 2 - height / 2;
    const isNearer = Math.abs(middle - top) < Math.abs(best.middle - top);
    if (inside.length > best.number || (inside.length === best.number && isNearer)) {
      best = { number: inside.length, middle };
    }
  }
  return Math.max(0, Math.round(best.middle));
}
