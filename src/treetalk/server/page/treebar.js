// @ts-check
/**
 * The bar above the hierarchy (where one is in it, how much detail is shown) and the line below it (what
 * the marks mean, what has just moved).
 */

import { fill, h, icon } from "./dom.js";
import { count, grouped } from "./format.js";
import { bareLabel } from "./treerow.js";

/** How many rows are opened by themselves. */
const DETAILS = [20, 40, 80, 160, 400, 1000];

/** How many branches of the trail are shown between the root and the last one; the others are left out. */
const TRAIL = 1;

/** How long it says that items have moved, by an answer or by sampling, in milliseconds. */
const NOTE = 6000;
const ASIDE = 2500;

/** The trail, the buttons for the detail, the legend, and a note. */
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
   * @param {() => void} actions.onSeek
   */
  constructor({ onFocus, onDetail, onFit, onSeek }) {
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
    const seek = { class: "button button-quiet tree-seek", type: "button", "data-testid": "tree-seek", hidden: true };
    const words = "Show the question’s items";
    this.seek = h(
      "button",
      { ...seek, title: words, on: { click: onSeek } },
      icon("locate", 16),
      h("span", { class: "tree-seek-words" }, words),
    );
    this.element = h("div", { class: "tree-bar" }, trail, h("div", { class: "tree-seek-place" }, this.seek), tools);
    this.foot = h("div", { class: "tree-foot" }, this.#makeLegend(), this.note);
  }

  /**
   * Show where one is.
   *
   * @param {import("./treedata.js").TreeData} data
   * @param {{isOwn: boolean, words: string}} news what moved; the last news stay if there are none
   */
  show(data, news) {
    this.#detail = data.detail;
    this.#size = data.trail.at(-1)?.size ?? Infinity;
    this.#showTrail(data.trail);
    this.amount.textContent = count(data.numRows, "row");
    // A disabled button would lose the focus while it is being clicked through.
    this.less.setAttribute("aria-disabled", String(this.#next(-1) === null));
    this.more.setAttribute("aria-disabled", String(this.#next(1) === null));
    if (news.words) this.#showNote(news);
  }

  /** Offer to show the items of the question, or not. @param {boolean} isOffered */
  showSeek(isOffered) {
    if (this.seek.hidden === isOffered) this.seek.hidden = !isOffered;
  }

  /** Say that there are few samples yet, or not. @param {boolean} isFew */
  showFew(isFew) {
    if (this.few.hidden === isFew) this.few.hidden = !isFew;
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

  #makeLegend() {
    const few = { class: "tree-key tree-key-few", "data-testid": "tree-few", hidden: true };
    this.few = h("span", few, "few samples yet");
    const hidden = { "aria-hidden": "true" };
    const marks = [h("span", { class: "tree-key-dot", ...hidden }), h("span", { class: "tree-badge", ...hidden }, "2")];
    return h(
      "p",
      { class: "tree-legend", "data-testid": "tree-legend" },
      h("span", { class: "tree-key tree-key-marks" }, ...marks, "in the question"),
      h(
        "span",
        { class: "tree-key tree-key-words", title: "In how many per cent of the sampled hierarchies a group stands" },
        h("span", { class: "tree-long" }, "Thickness and number: "),
        h("span", { class: "tree-short" }, "number: "),
        "per cent of the sampled hierarchies",
      ),
      this.few,
    );
  }

  /** @param {{isOwn: boolean, words: string}} news */
  #showNote({ isOwn, words }) {
    clearTimeout(this.#timer);
    // What sampling moves is not read aloud: it goes on and on.
    this.note.setAttribute("aria-live", isOwn ? "polite" : "off");
    this.note.classList.toggle("tree-note-own", isOwn);
    this.note.textContent = words;
    this.#timer = setTimeout(() => (this.note.textContent = ""), isOwn ? NOTE : ASIDE);
  }
}
