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
