// @ts-check
/**
 * Contradictions, explained: which answers clash, and one button at each of them to take it back.
 */

import { clear, closeButton, fill, h } from "./dom.js";
import { ago, clock, count } from "./format.js";

const LEAD =
  "What is set aside is kept, but not used, as it contradicts other answers. It comes into force by itself when " +
  "those are taken back.";
const NEW_ONES = "These answers cannot all hold. The ones that are named first are";

/** The dialog about answers that cannot all hold. */
export class ConflictsDialog {
  /** The answers that the dialog was opened for; null for all that are set aside. @type {Set<number> | null} */
  #subjects = null;

  /**
   * @param {HTMLDialogElement} dialog
   * @param {import("./app.js").App} app
   */
  constructor(dialog, app) {
    this.dialog = dialog;
    this.app = app;
    this.heading = h("h2", { id: dialog.getAttribute("aria-labelledby"), tabindex: "-1" });
    this.body = h("div", { class: "dialog-body" });
    dialog.append(
      h(
        "div",
        { class: "dialog-head" },
        this.heading,
        closeButton(dialog),
      ),
      this.body,
    );
    app.on("conflicts", (conflicts) => {
      this.#subjects = new Set(conflicts.map((/** @type {any} */ conflict) => conflict.answer.id));
      this.#show(conflicts, conflicts.length);
      this.#open();
    });
    app.on("records", () => dialog.open && this.#read());
  }

  /** Show all answers that are set aside. */
  async open() {
    this.#subjects = null;
    if (await this.#read()) this.#open();
    else this.app.say("No answer is set aside.");
  }

  #open() {
    if (!this.dialog.open) this.dialog.showModal();
    this.heading.focus();
  }

  /** @returns {Promise<boolean>} whether there is something to show */
  async #read() {
    try {
      const { conflicts, num_conflicts } = await this.app.api.conflicts();
      const subjects = this.#subjects;
      const shown = subjects ? conflicts.filter((/** @type {any} */ { answer }) => subjects.has(answer.id)) : conflicts;
      if (shown.length > 0) this.#show(shown, subjects ? shown.length : num_conflicts);
      else this.dialog.close();
      return shown.length > 0;
    } catch (error) {
      this.app.say(/** @type {Error} */ (error).message, { tone: "bad" });
      return false;
    }
  }

  /**
   * @param {any[]} conflicts
   * @param {number} number of all conflicts
   */
  #show(conflicts, number) {
    const isNew = this.#subjects !== null;
    const one = conflicts.length === 1;
    this.heading.textContent = isNew ? "This contradicts what was said before" : `${count(number, "answer")} set aside`;
    const subject = one ? "These answers cannot all hold. The one that is named first is" : NEW_ONES;
    const advice = "set aside: kept, but not used. Take back whichever is wrong, or leave it at that.";
    const lead = isNew ? `${subject} ${advice}` : LEAD;
    const left = number - conflicts.length;
    fill(
      this.body,
      h("p", { class: "conflict-lead", text: lead }),
      conflicts.map((conflict) => this.#conflict(conflict)),
      left > 0 && h("p", { class: "muted small", text: `… and ${count(left, "more answer")}.` }),
      h(
        "div",
        { class: "conflict-foot" },
        h("button", {
          class: "button button-primary",
          type: "button",
          text: isNew ? (one ? "Leave it set aside" : "Leave them set aside") : "Done",
          "data-testid": "conflict-leave",
          on: { click: () => this.dialog.close() },
        }),
      ),
    );
  }

  /** @param {{answer: any, clashes_with: any[]}} conflict */
  #conflict({ answer, clashes_with }) {
    const they = clashes_with.length > 1 ? "these, taken together, say" : "this says";
    return h(
      "section",
      { class: "conflict" },
      h("p", { class: "conflict-kind", text: "Set aside" }),
      this.#answer(answer),
      h("p", { class: "conflict-kind", text: `because ${they} otherwise` }),
      clashes_with.map((other) => this.#answer(other)),
    );
  }

  /** @param {any} answer */
  #answer({ id, words, who, time }) {
    const takeBack = async (/** @type {Event} */ event) => {
      const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
      button.setAttribute("aria-disabled", "true");
      const said = await this.app.takeBack({ answers: [id] });
      button.removeAttribute("aria-disabled");
      if (said && this.dialog.open) {
        await this.#read();
        if (this.dialog.open) this.heading.focus();
      }
    };
    const when = h("time", { datetime: time, title: clock(time), text: ago(time) });
    return h(
      "div",
      { class: "conflict-answer", "data-testid": "conflict-answer" },
      h(
        "div",
        null,
        h("p", { class: "conflict-words", text: words }),
        h("p", { class: "muted small" }, who, who && ", ", when),
      ),
      h("button", {
        class: "button button-small",
        type: "button",
        text: "Take this one back",
        "aria-label": `Take this one back: ${words}`,
        "data-testid": "conflict-withdraw",
        on: { click: takeBack },
      }),
    );
  }
}

/**
 * Show in the header how many answers are set aside.
 *
 * @param {HTMLButtonElement} button
 * @param {HTMLElement} number inside the button
 * @param {import("./app.js").App} app
 * @param {() => void} open
 */
export function showConflicts(button, number, app, open) {
  button.addEventListener("click", open);
  app.on("state", ({ set_aside }) => {
    button.hidden = set_aside === 0;
    button.title = `${count(set_aside, "answer")} set aside, as they contradict others`;
    if (number.textContent !== String(set_aside)) clear(number).append(String(set_aside));
  });
}
