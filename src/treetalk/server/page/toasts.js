// @ts-check
/**
 * What the page tells the person: toasts that go away by themselves, and words for those who listen to the page.
 */

import { h, icon } from "./dom.js";

/** How many toasts are shown at once. */
const ROOM = 3;

const ICONS = { info: "info", good: "check", bad: "alert" };

/**
 * @typedef {object} Action
 * @property {string} label
 * @property {() => void} run
 * @property {string} [gesture] that it takes back; the offer goes away with the next one
 */

/** The toasts, and the live region behind them. */
export class Toasts {
  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.root = root;
    this.live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    // The toasts themselves are not live: their buttons would be read with them.
    root.before(this.live);
    app.on("say", (message) => this.show(message));
    app.on("announce", (text) => this.announce(text));
    app.on("gestures", () => this.#expire(app.gestures.at(-1)));
  }

  /**
   * @param {{text: string, tone: "info" | "good" | "bad", action: Action | null}} message
   */
  show({ text, tone, action }) {
    const close = () => toast.remove();
    const toast = h(
      "div",
      { class: ["toast", `toast-${tone}`], "data-testid": "toast", "data-gesture": action?.gesture ?? "" },
      icon(ICONS[tone]),
      h("p", { class: "toast-words", text }),
      action &&
        h("button", {
          class: "button button-quiet",
          type: "button",
          text: action.label,
          "data-testid": "toast-action",
          on: {
            click: () => {
              close();
              action.run();
            },
          },
        }),
      h(
        "button",
        { class: "button button-quiet button-icon", type: "button", "aria-label": "Dismiss", on: { click: close } },
        icon("close", 16),
      ),
    );
    // A sentence of ten words takes four seconds to read; complaints and offers may need thought.
    const patience = 3000 + 60 * text.length + (tone === "bad" || action ? 5000 : 0);
    let timer = setTimeout(close, patience);
    const hold = () => clearTimeout(timer);
    const release = () => {
      timer = setTimeout(close, patience);
    };
    toast.addEventListener("pointerenter", hold);
    toast.addEventListener("pointerleave", release);
    toast.addEventListener("focusin", hold);
    toast.addEventListener("focusout", release);
    for (const twin of this.root.querySelectorAll(".toast")) {
      if (twin.querySelector(".toast-words")?.textContent === text) twin.remove();
    }
    this.root.append(toast);
    this.#raise();
    while (this.root.children.length > ROOM) this.root.firstElementChild?.remove();
    this.announce(text);
  }

  /** Take offers away that are about another gesture than the last one. @param {string | undefined} last */
  #expire(last) {
    for (const toast of /** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll(".toast"))) {
      if (toast.dataset.gesture && toast.dataset.gesture !== last) toast.remove();
    }
  }

  /** Put the toasts above whatever dialog was opened since they were shown last. */
  #raise() {
    if (!this.root.showPopover) return;
    const page = /** @type {Document | ShadowRoot} */ (this.root.getRootNode());
    this.root.popover = "manual";
    if (this.root.matches(":popover-open")) this.root.hidePopover();
    if (page.querySelector("dialog[open]")) this.root.showPopover();
  }

  /** @param {string} text */
  announce(text) {
    // Each text is an element of its own, so that what is said twice is read twice, and nothing overtakes it.
    const words = h("p", { text });
    this.live.append(words);
    setTimeout(() => words.remove(), 4000);
  }
}
