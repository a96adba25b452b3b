// @ts-check
/**
 * The bar above the hierarchy: where one is in it, how much detail is shown, and what has just moved.
 */

import { fill, h, icon } from "./dom.js";
import { count, grouped } from "./format.js";
import { bareLabel } from "./treerow.js";

/** How many rows are opened by themselves. */
const DETAILS = [20, 40, 80, 160, 400, 1000];

/** How many branches of the trail are shown between the root and the last one; the others are left out. */
const TRAIL = 1;

/** How long it says that items have moved, in milliseconds. */
const NOTE = 6000;

/** The trail, the buttons for the detail, and a note. */
export class TreeBar {
  #detail = 40;
  #size = Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {object} actions
   * @param {(branch: string | null) => void} actions.onFocus
   * @param {(detail: number) => void} actions.onDetail
   * @param {() => void} actions.onFit
   */
  constructor({ onFocus, onDetail, onFit }) {
    this.onFocus = onFocus;
    this.onDetail = onDetail;
    this.trail = h("ol", { class: "tree-trail" });
    this.note = h("span", { class: "tree-note", role: "status", "data-testid": "tree-note" });
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ click) =>
      h(
        "button",
        {
          class: "button button-quiet button-icon tree-button",
          type: "button",
          title: label,
          "aria-label": label,
          "data-testid": `tree-${name}`,
          on: { click },
        },
        icon(name),
      );
    this.less = button("minus", "Less detail", () => this.step(-1));
    this.more = button("plus", "More detail", () => this.step(1));
    this.amount = h("span", { class: "tree-amount", "data-testid": "tree-detail" });
    const fit = button("fit", "Fit into the window", onFit);
    const detail = { class: "tree-tools", role: "group", "aria-label": "Detail" };
    const tools = h("div", detail, this.less, this.amount, this.more, fit);
    const trail = h("nav", { class: "tree-where", "aria-label": "Where in the hierarchy" }, this.trail);
    this.element = h("div", { class: "tree-bar" }, trail, this.note, tools);
    const legend = "The number says in how many of 100 sampled hierarchies it stands.";
    this.legend = h("p", { class: "tree-legend" }, "The thicker a branch, the surer its group. ", legend);
  }

  /**
   * Show where one is.
   *
   * @param {import("./treedata.js").TreeData} data
   * @param {number} numMoved
   */
  show(data, numMoved) {
    this.#detail = data.detail;
    this.#size = data.trail.at(-1)?.size ?? Infinity;
    this.#showTrail(data.trail);
    this.amount.textContent = count(data.numRows, "row");
    // A disabled button would lose the focus while it is being clicked through.
    this.less.setAttribute("aria-disabled", String(this.#next(-1) === null));
    this.more.setAttribute("aria-disabled", String(this.#next(1) === null));
    if (numMoved > 0) this.#showNote(`${count(numMoved, "item")} moved`);
  }

  /** Show more or less detail. @param {1 | -1} way */
  step(way) {
    const detail = this.#next(way);
    if (detail !== null) this.onDetail(detail);
  }

  /** The next detail; null if everything is shown, or nothing could be left out. @param {1 | -1} way */
  #next(way) {
    if (way > 0) return this.#detail >= this.#size ? null : (DETAILS.find((detail) => detail > this.#detail) ?? null);
    // What is larger than the whole is all the same: the first step down is the first that leaves something out.
    return DETAILS.filter((detail) => detail < Math.min(this.#detail, this.#size)).at(-1) ?? null;
  }

  /** @param {{branch: string, label: string, size: number}[]} trail */
  #showTrail(trail) {
    const steps = trail.map((step, index) => {
      const words = index === 0 ? `All ${count(step.size, "item")}` : bareLabel(step);
      const size = index === 0 ? null : h("span", { class: "tree-count" }, grouped(step.size));
      if (index === trail.length - 1) {
        const last = { class: "tree-step", "aria-current": "true", title: words };
        return h("li", last, h("span", { class: "tree-step-words" }, words), size);
      }
      const click = () => this.onFocus(index === 0 ? null : step.branch);
      const props = { class: "tree-step-button", type: "button", title: words, on: { click } };
      return h("li", { class: "tree-step" }, h("button", props, words), icon("chevron", 14));
    });
    const numHidden = steps.length - TRAIL - 2;
    const gap = h("li", { class: "tree-step", title: `${numHidden} more` }, "…", icon("chevron", 14));
    if (numHidden > 0) steps.splice(1, numHidden, gap);
    fill(this.trail, ...steps);
  }

  /** @param {string} words */
  #showNote(words) {
    clearTimeout(this.#timer);
    this.note.textContent = words;
    this.#timer = setTimeout(() => (this.note.textContent = ""), NOTE);
  }
}
