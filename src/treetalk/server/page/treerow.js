// @ts-check
/**
 * What is seen and heard of one node of the hierarchy: a row with a label for an item or a shut branch, a dot and
 * perhaps a name for an open branch.
 */

import { h, icon } from "./dom.js";
import { count, grouped, percent } from "./format.js";

/** @typedef {import("./treedata.js").TreeNode} TreeNode */

/** How many pictures a shut branch shows. */
const PICTURES = 3;

/**
 * What is read aloud for a node.
 *
 * @param {TreeNode} node
 */
export function wordsFor(node) {
  const words = [bareLabel(node)];
  if (node.state !== "item") words.push(`group of ${count(node.size, "item")}`);
  const { support } = node;
  if (node.state !== "item" && support !== null) words.push(`in ${percent(support)} of the sampled hierarchies`);
  if (node.marked > 0) words.push(node.state === "item" ? "in the question" : `${node.marked} of the question`);
  if (node.moved) words.push("moved");
  return words.join(", ");
}

/**
 * The label of a branch without its size, which is shown beside it.
 *
 * @param {{label: string, size: number, name?: string | null}} node
 */
export function bareLabel(node) {
  const end = ` (${grouped(node.size)})`;
  if (node.name || node.size === 1) return node.label;
  return node.label.endsWith(end) ? node.label.slice(0, -end.length) : node.label;
}

/**
 * The pictures that are shown in the row of a node.
 *
 * @param {TreeNode} node
 * @returns {string[]} their addresses
 */
export function picturesOf(node) {
  if (node.state === "item") return node.item?.picture ? [node.item.picture] : [];
  return node.state === "shut" ? (node.pictures ?? []).slice(0, PICTURES) : [];
}

/**
 * Put the parts into the row of a node.
 *
 * @param {HTMLElement} row
 * @param {TreeNode} node
 */
export function fillRow(row, node) {
  const hidden = { class: "tree-more", "data-part": "more", title: "What can be done with it", "aria-hidden": "true" };
  const more = h("span", hidden, icon("more", 16));
  const label = h("span", { class: "tree-label", "data-part": "label" });
  const lazy = { alt: "", loading: "lazy", decoding: "async" };
  const thumbs = picturesOf(node).map((src) => h("img", { class: "tree-thumb", src, ...lazy }));
  const knob = (/** @type {string} */ look, /** @type {string} */ title) =>
    h("span", { class: look, "data-part": "knob", title });
  if (node.state === "open") {
    row.replaceChildren(knob("tree-knob", ""), h("span", { class: "tree-tag" }, label, more));
  } else if (node.state === "shut") {
    const badge = h("span", { class: "tree-badge" });
    row.replaceChildren(...thumbs, label, knob("tree-count", "Open this group"), badge, more);
  } else row.replaceChildren(h("span", { class: "tree-dot" }), ...thumbs, label, more);
}

/**
 * Show in the row of a node how it stands.
 *
 * @param {HTMLElement} row
 * @param {TreeNode} node
 * @param {{flash: string | undefined, level: number, isCurrent: boolean}} looks the class of a highlight, how deep the
 *   node stands, and whether Tab comes to it
 */
export function styleRow(row, node, { flash, level, isCurrent }) {
  const looks = [node.name && "tree-named", node.marked > 0 && "tree-marked", flash];
  const classes = ["tree-node", `tree-${node.state}`, ...looks];
  row.setAttribute("class", classes.filter(Boolean).join(" "));
  row.setAttribute("aria-label", wordsFor(node));
  row.setAttribute("aria-level", String(level));
  row.setAttribute("tabindex", isCurrent ? "0" : "-1");
  if (node.state === "item") row.removeAttribute("aria-expanded");
  else row.setAttribute("aria-expanded", String(node.state === "open"));
  const label = /** @type {HTMLElement} */ (row.querySelector(".tree-label"));
  label.textContent = node.state === "open" ? (node.name ?? "") : bareLabel(node);
  const hint = `${wordsFor(node)}\nClick: ask me about this, name it, and more`;
  label.title = node.state === "item" ? [node.label, node.item?.text].filter(Boolean).join("\n") : hint;
  const size = row.querySelector(".tree-count");
  if (size) size.textContent = grouped(node.size);
  const knob = row.querySelector(".tree-knob");
  if (knob) knob.setAttribute("title", `${wordsFor(node)}\nClick to shut it`);
  const badge = row.querySelector(".tree-badge");
  if (badge) badge.textContent = node.marked > 0 ? String(node.marked) : "";
}
