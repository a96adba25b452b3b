// @ts-check
/**
 * Lines and names of open branches: the upright lines from their first to their last child, and where a name can stand
 * without touching any line, row or other name.
 */

/** @typedef {import("./treedata.js").TreeNode} TreeNode */
/** @typedef {{x: number, y: number}} Place in pixels of the canvas */
/** @typedef {{left: number, right: number, top: number, bottom: number, of?: string}} Box a number is of a branch */

/**
 * Where the name of an open branch stands: above its stem, left of the dot, or right of the dot, then so many pixels
 * below it; whether there is room for all of it.
 *
 * @typedef {{side: "left" | "right", width: number, drop: number, isWhole: boolean}} NamePlace
 */

/** Room for the sign that a name has a menu, and between a name and what stands beside it, in pixels. */
const SIGN = 22;
const GAP = 5;

/** A name is not shown in less than this, nor does it take more, in pixels. */
const LEAST = 40;
const MOST = 260;

/** How far the number of a branch reaches above its line, and how wide it is, in pixels. */
const NUMBER = { height: 14, width: 32 };

/**
 * The upright lines of the open branches, from their first to their last child.
 *
 * @param {TreeNode[]} nodes
 * @param {Map<string, Place>} places
 * @param {{base: number, top: number, bottom: number}} window where the SVG begins, and the part that is drawn
 */
export function spines(nodes, places, { base, top, bottom }) {
  const spans = spansOf(nodes, places, top, bottom);
  let lines = "";
  for (const [branch, { from, to }] of spans) {
    const clipped = [Math.max(from, top - 10) - base, Math.min(to, bottom + 10) - base];
    const x = places.get(branch)?.x ?? 0;
    if (clipped[0] <= clipped[1]) lines += `M${x.toFixed(1)} ${clipped[0].toFixed(1)}V${clipped[1].toFixed(1)}`;
  }
  return lines;
}

/**
 * From where to where the upright lines go.
 *
 * @param {TreeNode[]} nodes
 * @param {Map<string, Place>} places
 * @param {number} top of the part that is drawn
 * @param {number} bottom
 * @returns {Map<string, {from: number, to: number}>}
 */
function spansOf(nodes, places, top, bottom) {
  /** @type {Map<string, {from: number, to: number, first: number, last: number}>} */
  const spans = new Map();
  for (const { branch, parent, first, last } of nodes) {
    const y = places.get(branch)?.y ?? 0;
    if (parent === null) continue;
    const span = spans.get(parent);
    if (!span) spans.set(parent, { from: y, to: y, first, last });
    else {
      span.from = Math.min(span.from, y);
      span.to = Math.max(span.to, y);
      span.first = Math.min(span.first, first);
      span.last = Math.max(span.last, last);
    }
  }
  const found = new Map();
  for (const { branch, first, last } of nodes) {
    const span = spans.get(branch);
    const place = places.get(branch);
    if (!span || !place) continue;
    // Children that are not drawn stand beyond the window: the line runs to its edge.
    const from = span.first > first ? top - 10 : Math.min(span.from, place.y);
    const to = span.last < last ? bottom + 10 : Math.max(span.to, place.y);
    found.set(branch, { from, to });
  }
  return found;
}

/**
 * Find places for the names of the open branches. A name that would touch something has none, and is shown only when
 * the branch is pointed at.
 *
 * @param {TreeNode[]} nodes a branch before what is in it
 * @param {Map<string, Place>} places where they stand in the end
 * @param {object} sizes
 * @param {number} sizes.row the height of a row
 * @param {number} sizes.room the width of the branches
 * @param {number} sizes.top of the part that is drawn
 * @param {number} sizes.bottom
 * @param {number} sizes.height of a name
 * @param {(name: string) => number} sizes.measure the width of a name
 * @returns {Map<string, NamePlace>}
 */
export function placeNames(nodes, places, { row, room, top, bottom, height, measure }) {
  /** @type {Map<string, NamePlace>} */
  const found = new Map();
  const named = nodes.filter((node) => node.state === "open" && node.name);
  if (named.length === 0) return found;
  const all = obstacles(nodes, places, { room, top, bottom });
  for (const node of named) {
    // Its own number makes way.
    const boxes = all.filter((box) => box.of !== node.branch);
    const { x, y } = /** @type {Place} */ (places.get(node.branch));
    const wanted = Math.min(MOST, Math.ceil(measure(node.name ?? "")) + SIGN);
    const around = node.parent === null ? undefined : places.get(node.parent);
    const above = { left: (around?.x ?? x) + GAP, right: x - 8, top: y - 4 - height, bottom: y - 4 };
    /** @type {{side: "left" | "right", drop: number, box: Box}[]} */
    const tries = [{ side: "left", drop: 0, box: freeBefore(above, boxes) }];
    for (const part of [0, -0.6, 0.6, -1.1, 1.1]) {
      const drop = Math.round(part * height);
      const middle = y + drop;
      // Beside its own line, which does not reach beyond its rows.
      if (middle < (node.first + 0.5) * row || middle > (node.last + 0.5) * row) continue;
      const beside = { left: x + 9, right: room - GAP, top: middle - height / 2, bottom: middle + height / 2 };
      tries.push({ side: "right", drop, box: freeAfter(beside, boxes) });
    }
    const width = (/** @type {Box} */ box) => box.right - box.left;
    const widest = tries.reduce((best, one) => (width(one.box) > width(best.box) ? one : best));
    const { side, drop, box } = tries.find((one) => width(one.box) >= wanted) ?? widest;
    if (width(box) < Math.min(LEAST, wanted)) continue;
    const taken = Math.min(wanted, width(box));
    found.set(node.branch, { side, drop, width: taken, isWhole: taken === wanted });
    all.push(side === "left" ? { ...box, left: box.right - taken } : { ...box, right: box.left + taken });
  }
  return found;
}

/**
 * What a name must not touch: stems, upright lines, dots and numbers.
 *
 * @param {TreeNode[]} nodes
 * @param {Map<string, Place>} places
 * @param {{room: number, top: number, bottom: number}} sizes
 * @returns {Box[]}
 */
function obstacles(nodes, places, { room, top, bottom }) {
  const boxes = [];
  for (const node of nodes) {
    const { x, y } = /** @type {Place} */ (places.get(node.branch));
    const left = (node.parent !== null && places.get(node.parent)?.x) || 0;
    boxes.push({ left, right: node.state === "open" ? x : room, top: y - 3, bottom: y + 3 });
    if (node.state === "open") boxes.push({ left: x - 6, right: x + 6, top: y - 6, bottom: y + 6 });
    if (node.state === "shut") boxes.push({ left: room - 36, right: room, top: y - 10, bottom: y + 10 });
    if (node.state === "item" || node.support === null) continue;
    const end = node.state === "shut" ? Math.min(x, room - 12) : x;
    const number = { left: Math.max(left, end - NUMBER.width), right: end, top: y - NUMBER.height, bottom: y };
    boxes.push({ ...number, of: node.branch });
    // Under a name above the line the number stands below it.
    const below = { ...number, top: y, bottom: y + NUMBER.height + 3 };
    if (node.state === "open" && node.name) boxes.push({ ...below, of: node.branch });
  }
  for (const [branch, { from, to }] of spansOf(nodes, places, top, bottom)) {
    const { x } = /** @type {Place} */ (places.get(branch));
    boxes.push({ left: x - 1, right: x + 1, top: from, bottom: to });
  }
  return boxes;
}

/** The part of a box that is free, from its left. @param {Box} box @param {Box[]} boxes */
function freeAfter(box, boxes) {
  let { right } = box;
  for (const other of boxes) if (meets(box, other)) right = Math.min(right, other.left - GAP);
  return { ...box, right };
}

/** The part of a box that is free, from its right. @param {Box} box @param {Box[]} boxes */
function freeBefore(box, boxes) {
  let { left } = box;
  for (const other of boxes) if (meets(box, other)) left = Math.max(left, other.right + GAP);
  return { ...box, left };
}

/** Whether two boxes have a part in common. @param {Box} a @param {Box} b */
function meets(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
