// @ts-check
/**
 * The history: every gesture, newest first, with who made it and how it stands; to take back, and to comment on.
 */

import { fill, h, icon } from "./dom.js";
import { HistoryEntry } from "./historyentry.js";
import { count } from "./format.js";

/** How long to wait for more changes before the list is read again, in milliseconds. */
const PAUSE = 150;

/** How often "3 minutes ago" is brought up to date, in milliseconds. */
const TICK = 30_000;

/** How many gestures are read at once. */
const PAGE = 50;

/** What can be looked at: all, or those with one of the standings or kinds. */
const FILTERS = [
  { name: "all", label: "All", isIn: () => true },
  { name: "corrections", label: "Corrections", isIn: (/** @type {any} */ { kind }) => kind === "triplet" },
  { name: "aside", label: "Set aside", isIn: (/** @type {any} */ { standing }) => standing.includes("set aside") },
];

/** The list of what was said. */
export class HistoryPanel {
  /** @type {Map<string, HistoryEntry>} */
  #entries = new Map();
  /** @type {number | null} */
  #next = null;
  #filter = FILTERS[0];
  #isStale = true;
  #isReading = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {HTMLElement} root read when it is visible: its `hidden` decides
   * @param {import("./app.js").App} app
   * @param {{onClose?: () => void}} [options]
   */
  constructor(root, app, { onClose } = {}) {
    this.root = root;
    this.app = app;
    this.count = h("span", { class: "muted small" });
    this.list = h("ol", { class: "history-list" });
    this.nothing = h("div", null);
    const chips = FILTERS.map((filter) => this.#chip(filter));
    this.filters = h("div", { class: "history-filters", role: "group", "aria-label": "Show", hidden: true }, chips);
    this.none = h("p", { class: "history-none muted", "data-testid": "history-none", hidden: true });
    this.more = h("button", {
      class: "button history-more",
      type: "button",
      text: "Show earlier ones",
      hidden: true,
      "data-testid": "history-more",
      on: { click: () => this.#readMore() },
    });
    const close = h(
      "button",
      {
        class: "button button-quiet button-icon history-close",
        type: "button",
        "aria-label": "Close the history",
        on: { click: () => onClose?.() },
      },
      icon("close"),
    );
    root.append(
      h("div", { class: "history-head" }, h("h2", { class: "history-heading" }, "History ", this.count), close),
      this.filters,
      this.nothing,
      this.list,
      this.none,
      this.more,
    );
    app.on("records", () => this.#age());
    app.on("comments", () => this.#age());
    app.on("busy", (isBusy) => this.root.classList.toggle("history-busy", isBusy));
    app.on("connection", (connection) => connection === "on" && this.#age());
    setInterval(() => this.#entries.forEach((entry) => entry.tick()), TICK);
  }

  /** Read the list if it changed since it was read last: to be called when the panel becomes visible. */
  refresh() {
    if (this.#isStale) this.#read();
  }

  /** @param {typeof FILTERS[number]} filter */
  #chip(filter) {
    const click = () => {
      this.#filter = filter;
      this.#showSome();
    };
    const props = { class: "button button-small history-filter", type: "button", text: filter.label, on: { click } };
    return h("button", { ...props, "data-testid": `history-filter-${filter.name}` });
  }

  /** Hide what is not wanted: entries keep their elements, as a comment may be begun in one. */
  #showSome() {
    const { name, isIn } = this.#filter;
    FILTERS.forEach((one, i) => this.filters.children[i].setAttribute("aria-pressed", String(one.name === name)));
    let number = 0;
    for (const entry of this.#entries.values()) {
      entry.element.hidden = !isIn(entry.gesture);
      if (!entry.element.hidden) number += 1;
    }
    this.filters.hidden = this.#entries.size === 0;
    this.none.hidden = number > 0 || this.#entries.size === 0;
    this.none.textContent = this.#next === null ? "None." : `None among the last ${this.#entries.size}.`;
  }

  #age() {
    this.#isStale = true;
    clearTimeout(this.#timer);
    if (!this.root.hidden) this.#timer = setTimeout(() => this.refresh(), PAUSE);
  }

  /** Read as many gestures again as are shown: an answer may change how earlier ones stand. */
  async #read() {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#isStale = false;
    const wanted = Math.max(this.#entries.size, 1);
    try {
      const gestures = [];
      let page;
      let before = null;
      do {
        page = await this.app.api.history(before, PAGE);
        gestures.push(...page.gestures);
        before = page.next;
      } while (gestures.length < wanted && before !== null);
      this.#next = before;
      this.#show(gestures);
    } catch (error) {
      this.#isStale = true;
      this.#complain(error);
    } finally {
      this.#isReading = false;
    }
    // Something changed while it was read.
    if (this.#isStale && this.app.connection.status === "on" && !this.app.connection.isLocked) this.#age();
  }

  async #readMore() {
    if (this.#next === null || this.#isReading) return;
    this.#isReading = true;
    try {
      const { gestures, next } = await this.app.api.history(this.#next, PAGE);
      this.#next = next;
      for (const gesture of gestures) this.#entry(gesture, null);
      this.more.hidden = next === null;
      this.#showSome();
      this.list.lastElementChild?.scrollIntoView({ block: "nearest" });
      this.app.announce(`${count(gestures.length, "earlier entry", "earlier entries")}.`);
    } catch (error) {
      this.#complain(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** @param {any[]} gestures newest first */
  #show(gestures) {
    const present = new Set(gestures.map(({ gesture }) => gesture));
    for (const [gesture, entry] of this.#entries) {
      if (present.has(gesture)) continue;
      entry.element.remove();
      this.#entries.delete(gesture);
    }
    // Entries keep their elements, so that the focus and a half-written comment stay where they are.
    let before = this.list.firstElementChild;
    for (const gesture of gestures) {
      const { element } = this.#entry(gesture, before);
      before = element.nextElementSibling;
    }
    this.more.hidden = this.#next === null;
    this.#showSome();
    const number = this.#next === null ? String(gestures.length) : `last ${gestures.length}`;
    this.count.textContent = gestures.length > 0 ? number : "";
    this.#showNothing(gestures.length === 0);
  }

  /**
   * Return the entry of a gesture, up to date and in its place.
   *
   * @param {any} gesture
   * @param {Element | null} before which element it stands; null: at the end
   */
  #entry(gesture, before) {
    const entry = this.#entries.get(gesture.gesture) ?? new HistoryEntry(this.app);
    this.#entries.set(gesture.gesture, entry);
    entry.update(gesture);
    if (!entry.element.isConnected || entry.element !== before) this.list.insertBefore(entry.element, before);
    return entry;
  }

  /** @param {boolean} isEmpty */
  #showNothing(isEmpty) {
    fill(
      this.nothing,
      isEmpty &&
        h(
          "div",
          { class: "empty", "data-testid": "no-history" },
          icon("history"),
          h("h3", { text: "Nothing said yet" }),
          h("p", { text: "Every answer appears here, and can be taken back at any time." }),
        ),
    );
  }

  /** @param {any} error */
  #complain(error) {
    if (error.status !== 0 && error.status !== 401) this.app.say(error.message, { tone: "bad" });
  }
}
