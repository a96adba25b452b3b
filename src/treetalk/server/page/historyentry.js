// @ts-check
/**
 * One gesture in the history.
 */

import { clear, fill, focusedAround, h, icon } from "./dom.js";
import { ago, clock, count, duration } from "./format.js";
import { caps } from "./keys.js";

const ICONS = { triplet: "link", accept: "check", same: "minus", skip: "skip", retract: "undo" };

/** The most characters of a comment that is written here. */
const LONGEST_COMMENT = 2000;

/** What is said about all the items of a question at once, and does not name them. */
const ABOUT_ALL = new Set(["accept", "same", "skip"]);

/** So many items are named by the server. */
const MOST_NAMED = 12;

/** What can be taken back. */
const STANDING = new Set(["in force", "set aside", "partly set aside", "noted"]);

/** The element of a gesture; it is brought up to date without losing what is being written in it. */
export class HistoryEntry {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.said = "";
    /** @type {any} */
    this.gesture = null;
    this.time = h("time", null);
    this.picture = h("span", { class: "history-icon" });
    this.words = h("p", { class: "history-words" });
    this.meta = h("p", { class: "history-meta" });
    this.summary = h("summary", null);
    this.names = h("p", { class: "history-names" });
    this.items = h("details", { class: "history-items", "data-testid": "history-items" }, this.summary, this.names);
    this.comments = h("ul", { class: "history-comments" });
    this.actions = h("div", { class: "history-actions" });
    this.form = h("div", { class: "history-form" });
    this.element = h(
      "li",
      { class: "history-entry", "data-testid": "history-entry" },
      this.picture,
      h("div", { class: "history-body" }, this.words, this.meta, this.items, this.comments, this.form),
      this.actions,
    );
  }

  /** @param {any} gesture as the server tells it */
  update(gesture) {
    const said = JSON.stringify(gesture);
    if (said === this.said) return;
    const hadFocus = this.actions.contains(focusedAround(this.actions));
    this.said = said;
    this.gesture = gesture;
    this.element.dataset.standing = gesture.standing;
    this.element.dataset.kind = gesture.kind;
    fill(this.picture, icon(ICONS[/** @type {keyof typeof ICONS} */ (gesture.kind)] ?? "comment", 16));
    this.words.textContent = gesture.words;
    this.time.dateTime = gesture.time;
    this.time.title = clock(gesture.time);
    this.tick();
    const parts = [gesture.who, this.time, gesture.seconds ? duration(gesture.seconds) : null].filter(Boolean);
    fill(
      this.meta,
      parts.flatMap((part, i) => (i > 0 ? [" · ", part] : [part])),
      gesture.standing !== "in force" && gesture.standing !== "noted" && [" ", this.#standing(gesture)],
    );
    this.#showItems(gesture);
    fill(this.comments, (gesture.comments ?? []).map((/** @type {any} */ comment) => this.#comment(comment)));
    fill(this.actions, this.#buttons());
    if (hadFocus) this.actions.querySelector("button")?.focus();
  }

  /** Bring "3 minutes ago" up to date. */
  tick() {
    this.time.textContent = ago(this.gesture.time);
  }

  /** The items that it is about, to unfold. @param {any} gesture */
  #showItems({ kind, items = [], leaves = null }) {
    this.items.hidden = items.length === 0 || !ABOUT_ALL.has(kind);
    const number = leaves?.length ?? items.length;
    const left = number - items.length;
    // Only the first ones are named, and it may not be told how many there are.
    const isPart = !leaves && items.length >= MOST_NAMED;
    this.summary.textContent = isPart ? "The first items" : count(number, "item");
    this.names.textContent = items.join(", ") + (left > 0 ? `, and ${left} more` : isPart ? ", …" : "");
  }

  /** @param {any} gesture */
  #standing({ standing }) {
    return h("span", { class: ["tag", standing.includes("set aside") && "tag-warn"], text: standing });
  }

  /** @param {{who: string | null, time: string, text: string}} comment */
  #comment({ who, time, text }) {
    const when = h("time", { datetime: time, title: clock(time), text: ago(time) });
    return h("li", null, h("p", { text }), h("p", { class: "history-meta" }, who, who && " · ", when));
  }

  #buttons() {
    const { gesture, standing, kind, words, triplets = [], num_triplets } = this.gesture;
    // Of very long ones not all is told, and what is said again must be the same.
    const canRepeat = standing === "taken back" && kind === "triplet" && triplets.length === num_triplets;
    const isStanding = STANDING.has(standing) && kind !== "retract";
    const takeBack = () => this.app.takeBack(gesture);
    return [
      h(
        "button",
        {
          class: "button button-quiet button-icon button-small",
          type: "button",
          title: "Comment",
          "aria-label": `Comment on: ${words}`,
          "data-testid": "history-comment",
          on: { click: () => this.#write() },
        },
        icon("comment", 16),
      ),
      isStanding &&
        h("button", {
          class: "button button-quiet button-small history-take-back",
          type: "button",
          text: "Take back",
          "aria-label": `Take back: ${words}`,
          "data-testid": "take-back",
          on: { click: takeBack },
        }),
      canRepeat &&
        h("button", {
          class: "button button-quiet button-small history-say-again",
          type: "button",
          text: "Say it again",
          "aria-label": `Say it again: ${words}`,
          "data-testid": "say-again",
          on: { click: () => this.#sayAgain(triplets) },
        }),
    ];
  }

  /** @param {number[][]} triplets */
  async #sayAgain(triplets) {
    const { words } = this.gesture;
    if (this.app.isBusy) return this.app.say("The last answer is still on its way.");
    const said = await this.app.answer({ kind: "triplets", triplets }, { asked: null });
    if (said) this.app.tellRecorded(said, `Said again: ${words}`);
  }

  /** Open the field for a comment. */
  #write() {
    if (this.form.firstChild) return this.form.querySelector("textarea")?.focus();
    const close = () => {
      clear(this.form);
      this.actions.querySelector("button")?.focus();
    };
    const field = h("textarea", {
      class: "field",
      rows: 2,
      maxlength: LONGEST_COMMENT,
      "aria-label": "Comment",
      placeholder: `${caps("mod+Enter").join(" + ")} keeps it`,
      "data-testid": "history-comment-text",
    });
    const send = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (!text) return field.focus();
      const comment = await this.app.comment(this.gesture.ids.at(-1), text);
      // What was refused stays in the field.
      if (!comment) return;
      close();
      this.update({ ...this.gesture, comments: [...(this.gesture.comments ?? []), comment] });
      this.app.announce("The comment is kept.");
    };
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        event.stopPropagation();
        // What is written stays; the next Escape closes the history.
        if (!field.value.trim()) close();
        else this.actions.querySelector("button")?.focus();
      } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send(event);
    };
    this.form.append(
      h(
        "form",
        { on: { submit: send, keydown: press } },
        field,
        h(
          "div",
          { class: "history-form-buttons" },
          h("button", {
            class: "button button-quiet button-small",
            type: "button",
            text: "Cancel",
            on: { click: close },
          }),
          h("button", { class: "button button-primary button-small", type: "submit", text: "Keep the comment" }),
        ),
      ),
    );
    field.focus();
  }
}
