// @ts-check
/**
 * What stands beside the question: how to answer, for those who are here for the first time, and what is said where
 * there is no question.
 */

import { clear, fill, h, icon } from "./dom.js";

const SEEN = "treetalk.hint";
const CORRECT = "If not, drag what is wrong to where it belongs, or pick two that belong together, then the odd one.";
const NOTED = ". That is noted, not binding.";

/** Three lines on how to answer, until they are dismissed or the first answer is given; they make room for what is said. */
export class Hint {
  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   * @param {Pick<Storage, "getItem" | "setItem">} storage where it is remembered that the hint was dismissed
   */
  constructor(root, app, storage) {
    this.root = root;
    this.app = app;
    this.storage = storage;
    const show = () => {
      root.hidden = app.question === null || app.isCorrecting;
    };
    app.on("question", (question) => {
      show();
      if (question && !storage.getItem(SEEN)) this.#draw();
    });
    app.on("correcting", show);
    app.on("gestures", (number) => {
      if (number > 0) this.#dismiss();
    });
  }

  #dismiss() {
    this.storage.setItem(SEEN, "seen");
    if (!this.root.firstChild) return;
    clear(this.root);
    this.app.emit("hint", false);
  }

  #draw() {
    if (this.root.firstChild) return;
    this.app.emit("hint", true);
    const enter = h("kbd", { text: "Enter" });
    this.root.append(
      h(
        "div",
        { class: "hint small", role: "note", "aria-label": "How to answer", "data-testid": "hint" },
        h(
          "ol",
          null,
          h("li", null, "Is it right? Say yes", h("span", { class: "hint-key" }, ", or press ", enter), NOTED),
          h("li", { text: CORRECT }),
          h("li", null, "You cannot say? Skip it. Every answer can be taken back."),
        ),
        h(
          "button",
          {
            class: "button button-quiet button-icon",
            type: "button",
            "aria-label": "Dismiss the hint",
            "data-testid": "hint-dismiss",
            on: { click: () => this.#dismiss() },
          },
          icon("close", 16),
        ),
      ),
    );
  }
}

/** What is shown where there is no question, and why there is none. */
export class NoQuestion {
  /**
   * @param {HTMLElement} root
   * @param {HTMLElement} panel of the question, hidden while there is none
   * @param {import("./app.js").App} app
   */
  constructor(root, panel, app) {
    this.root = root;
    this.panel = panel;
    this.app = app;
    this.sampling = "";
    app.on("question", () => this.#draw());
    app.on("connection", () => this.#draw());
    app.on("trouble", () => this.#draw());
    app.on("records", () => this.#lookAgain());
    app.on("state", (state) => {
      // While the sampler starts there may be nothing to ask yet.
      if (state.sampling.state !== this.sampling && this.sampling !== "") this.#lookAgain();
      this.sampling = state.sampling.state;
    });
  }

  #lookAgain() {
    if (this.app.project && !this.app.question && this.app.words !== null && !this.app.isBusy) this.app.refresh();
  }

  #draw() {
    const { question, project, words, connection } = this.app;
    this.panel.hidden = question === null;
    const isGone = connection.status === "off" || connection.trouble !== null;
    if (question) clear(this.root);
    else if (words !== null && project) {
      const on = { click: () => this.app.refresh() };
      const again = h("button", { class: "button", type: "button", text: "Look again", on });
      this.#show("check", "Nothing to ask now", words, again);
    } else if (isGone) {
      const other = this.app.api.hasAddresses ? "server" : "kernel";
      this.#show("alert", `The ${other} is not there`, "The question appears here as soon as it is back.");
    }
  }

  /**
   * @param {string} name of the icon
   * @param {string} heading
   * @param {string} words
   * @param {HTMLElement} [action]
   */
  #show(name, heading, words, action) {
    fill(
      this.root,
      h(
        "div",
        { class: "empty", "data-testid": "no-question" },
        icon(name),
        h("h2", { text: heading }),
        h("p", { text: words }),
        action && h("div", { class: "empty-actions" }, action),
      ),
    );
  }
}
