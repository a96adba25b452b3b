// @ts-check
/**
 * The help in a dialog: how to answer, in a few lines, and the keys that the panels have registered.
 */

import { closeButton, fill, h } from "./dom.js";
import { caps } from "./keys.js";

const WORDS =
  "Each question shows a few items as a small tree. Accept it if it is right; otherwise move what is wrong, and read " +
  "what that means before it is sent. Every answer can be taken back.";
const LINK = "How it works, and what the numbers mean";

/** The dialog that "?" opens. */
export class HelpDialog {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {import("./app.js").App} app
   * @param {string | null} page the address of the whole help, where there is one
   */
  constructor(dialog, app, page) {
    this.dialog = dialog;
    this.app = app;
    this.tables = h("div", null);
    dialog.append(
      h(
        "div",
        { class: "dialog-head" },
        h("h2", { id: dialog.getAttribute("aria-labelledby"), tabindex: "-1", text: "Help" }),
        closeButton(dialog),
      ),
      h(
        "div",
        { class: "dialog-body" },
        h("p", { text: WORDS }),
        this.tables,
        page && h("p", null, h("a", { href: page, target: "_blank", rel: "noopener", text: LINK })),
      ),
    );
  }

  /** Show the help, with the keys that are registered now. */
  open() {
    fill(
      this.tables,
      [...this.app.keys.groups()].map(([group, shortcuts]) =>
        h(
          "table",
          { class: "keyhelp" },
          h("caption", { text: group }),
          h(
            "tbody",
            null,
            shortcuts.map(({ key, description }) =>
              h("tr", null, h("th", { scope: "row" }, key.split(" ").map(drawKey)), h("td", { text: description })),
            ),
          ),
        ),
      ),
    );
    if (!this.dialog.open) this.dialog.showModal();
    this.dialog.querySelector("h2")?.focus();
  }
}

/**
 * @param {string} key
 * @param {number} i
 * @param {string[]} all
 */
function drawKey(key, i, all) {
  const parts = caps(key).flatMap((cap, j) => [j > 0 && "\u2009+\u2009", h("kbd", { text: cap })]);
  // Of two keys one or the other does it; more than two are a row of keys.
  const between = all.length > 2 ? " " : h("span", { class: "keyhelp-or", text: "or" });
  return [i > 0 && between, key === "…" ? key : parts];
}
