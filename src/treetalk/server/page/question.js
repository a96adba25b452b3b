// @ts-check
/**
 * The question: what is asked, what the person is about to say, and the buttons.
 *
 * How a question is shown is left to its view (`SubtreeView`, `TripleView`); the panel sends the answer, once.
 */

import { CommentField } from "./comment.js";
import { fill, focusedAround, h } from "./dom.js";
import { FEWEST_CHECKED } from "./progress.js";
import { DIGITS } from "./row.js";
import { SubtreeView } from "./subtree.js";
import { TripleView } from "./triple.js";

/** @typedef {import("./correction.js").Question} Question */

/** The second click of a double click must not answer the question that the first one brought, in milliseconds. */
const DOUBLE_CLICK = 400;

/** Nobody reads and answers faster than this, in milliseconds: a key that comes sooner is a slip. */
const GLANCE = 350;

/** After so many answers of a window it is not said any more how to answer. */
const PRACTICE = 5;

const WAITING = "Working out what that says …";
const CHECK_WORDS = "A random check: these tell how much is still wrong.";
const ACCEPT_WORDS = "Noted, and not asked again; it does not bind the hierarchy.";

/** How many sentences are shown before the others are counted. */
const NUM_SENTENCES = 3;

/** Where the focus is elsewhere on purpose, so that Enter does not mean the question. */
const OVERLAYS = "[role=menu], [role=listbox], [role=dialog], dialog";
const ELSEWHERE = `[role=tree], [role=treegrid], [role=grid], ${OVERLAYS}`;

/**
 * The buttons; which of them are shown depends on what is being said.
 *
 * @type {{name: "accept" | "drop" | "send" | "alike" | "cancel" | "skip", label: string, key: string, isMain: boolean}[]}
 */
const ACTIONS = [
  { name: "accept", label: "Yes, this is right", key: "Enter", isMain: true },
  { name: "drop", label: "Drop it here", key: "Enter", isMain: true },
  { name: "send", label: "Send", key: "Enter", isMain: true },
  { name: "alike", label: "All alike to me", key: "A", isMain: false },
  { name: "cancel", label: "Cancel", key: "Esc", isMain: false },
  { name: "skip", label: "Skip", key: "S", isMain: false },
];

/** The panel with the present question. */
export class QuestionPanel {
  /** @type {SubtreeView | TripleView | null} */
  #view = null;
  #shown = "";
  #items = "";
  #shownAt = -Infinity;
  #isAnswered = false;
  #areAllShown = false;
  #isHinted = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #glance;
  /** Comments that were begun on questions that are not answered yet, by their items. @type {Map<string, string>} */
  #drafts = new Map();

  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.root = root;
    this.app = app;
    this.heading = h("h2", { class: "question-heading", tabindex: -1, "data-testid": "question-words" });
    this.check = h("p", { class: "question-check", "data-testid": "check", text: CHECK_WORDS, hidden: true });
    this.body = h("div", { class: "question-body" });
    this.status = h("div", { class: "question-status" });
    this.comment = new CommentField();
    this.buttons = new Map(ACTIONS.map((action) => [action.name, this.#button(action)]));
    this.actions = h("div", { class: "question-actions" }, this.comment.link);
    this.bar = h("div", { class: "question-bar" }, this.status, this.comment.element, this.actions);
    const parts = [this.heading, this.check, this.body, this.bar];
    this.element = h("div", { class: "question", "data-testid": "question" }, parts);
    root.append(this.element);
    // Rows that are scrolled to must not end up behind the bar, and the bar must leave room for them.
    const column = root.parentElement ?? root;
    const measured = new ResizeObserver(() => {
      this.element.style.setProperty("--bar", `${this.bar.offsetHeight}px`);
      this.element.style.setProperty("--column", `${column.clientHeight}px`);
      this.#letScroll();
    });
    measured.observe(this.bar);
    measured.observe(column);
    root.addEventListener("keydown", (event) => this.#press(event));
    this.#addKeys();
    app.on("question", (question) => this.show(question));
    app.on("busy", () => this.#update());
    app.on("hint", (isHinted) => {
      this.#isHinted = isHinted;
      this.#update();
    });
    this.heading.textContent = "Looking for a question …";
    this.bar.hidden = true;
    if (app.question) this.show(app.question);
  }

  /**
   * Show a question, or why there is none.
   *
   * @param {Question | null} question
   */
  show(question) {
    const shown = question ? JSON.stringify([question.kind, question.leaves, question.piece.parents]) : "";
    // A correction under way survives when the server only repeats its question.
    if (question && shown === this.#shown && !this.#isAnswered) return;
    const active = focusedAround(this.root);
    // Nothing is taken from whoever is busy elsewhere on the page.
    const hadFocus = active ? active.contains(this.root) || this.root.contains(active) : this.app.hasFocus();
    if (this.comment.value && !this.#isAnswered) this.#drafts.set(this.#items, this.comment.value);
    this.#shown = shown;
    this.#items = String([...(question?.leaves ?? [])].sort());
    this.#look();
    this.#isAnswered = false;
    this.#areAllShown = false;
    this.#view?.close();
    this.#view = question ? this.#makeView(question) : null;
    this.comment.reset(this.#drafts.get(this.#items));
    this.#drafts.delete(this.#items);
    const { num_items } = this.app.project ?? { num_items: 0 };
    this.check.hidden = question?.strategy !== "check" || num_items < FEWEST_CHECKED;
    this.element.classList.toggle("is-triple", question?.kind === "triple");
    this.heading.textContent = question ? question.words : "No question now";
    fill(this.body, this.#view?.element ?? h("p", { class: "question-none muted", text: this.app.words ?? "" }));
    this.#update();
    if (hadFocus) this.heading.focus();
    else this.app.announce(question ? question.words : `${this.heading.textContent}. ${this.app.words ?? ""}`);
  }

  /** Give the person a moment to see what is asked now. */
  #look() {
    this.#shownAt = performance.now();
    this.element.dataset.fresh = "";
    clearTimeout(this.#glance);
    this.#glance = setTimeout(() => delete this.element.dataset.fresh, GLANCE);
  }

  /** @param {Question} question */
  #makeView(question) {
    if (question.kind === "triple") {
      return new TripleView(question, (triplets, event) => this.#answer({ kind: "triplets", triplets }, event));
    }
    return new SubtreeView(question, this.app, {
      changed: () => this.#update(),
      edges: () => this.#edges(),
      owns: (target) => target instanceof Node && this.actions.contains(target),
    });
  }

  /** Between what is fixed above and the bar below, on the screen. */
  #edges() {
    const top = Math.max(0, this.root.getBoundingClientRect().top);
    const bottom = Math.min(this.bar.getBoundingClientRect().top, document.documentElement.clientHeight);
    return { top, bottom };
  }

  #addKeys() {
    const { keys } = this.app;
    const group = "The question";
    const isOpen = () => this.#view !== null;
    const isSubtree = () => this.#view instanceof SubtreeView;
    keys.add("Enter", "Accept: yes, this is right. Or send what you are about to say", (event) => this.#enter(event), {
      when: () => isSubtree() && this.#isMeant(),
      group,
    });
    // What is about to be sent goes before what Enter does elsewhere, as in the hierarchy.
    const isSending = () => this.app.isCorrecting && this.root.offsetParent !== null && this.#isMeant();
    keys.add("Enter", "", (event) => this.#enter(event), { when: isSending, isFirst: true });
    keys.add("s", "Skip the question", (event) => this.#answer({ kind: "skip" }, event), { when: isOpen, group });
    keys.add("a", "Of three: all alike to me", (event) => this.#answer({ kind: "same" }, event), {
      when: () => this.#view instanceof TripleView,
      group,
    });
    DIGITS.forEach((digit, place) => {
      const run = (/** @type {KeyboardEvent} */ event) => this.#digit(place, event);
      keys.add(digit, "", run, { when: isOpen, group });
    });
    keys.add("1 2 3", "Of three: the odd one", null, { group });
    keys.add("1 2 … 0", "Pick the item in that row, or unpick it", null, { group });
    const arrows = "ArrowUp ArrowDown ArrowLeft ArrowRight";
    keys.add(arrows, "Move through the rows, to the branch above, and into it", null, { group });
    keys.add("Space", "Pick the item that has the focus: two together, then the odd one", null, { group });
    keys.add("m", "Pick up what has the focus; arrow keys choose the place, Enter drops it", () => this.#subtree?.pickUp(), {
      when: isSubtree,
      group,
    });
    keys.add("Escape", "Cancel what you are about to say", () => this.#cancel(), {
      when: () => this.#subtree !== null && (!this.#subtree.correction.isEmpty || this.#subtree.isCarrying),
      group,
    });
  }

  get #subtree() {
    return this.#view instanceof SubtreeView ? this.#view : null;
  }

  /** Whether Enter means the question: something is to be sent, or the focus is not elsewhere on purpose. */
  #isMeant() {
    const active = focusedAround(this.root);
    if (!active || this.root.contains(active)) return true;
    return !active.closest(this.app.isCorrecting ? OVERLAYS : ELSEWHERE);
  }

  /** The arrow keys lead from the heading into the piece. @param {KeyboardEvent} event */
  #press(event) {
    if (event.target === this.heading) this.#subtree?.press(event);
  }

  /** @param {Event} event */
  #enter(event) {
    const view = this.#subtree;
    if (view?.isCarrying) view.pickUp();
    else if (view?.correction.isEmpty) this.#answer({ kind: "accept" }, event);
    else this.#send(event);
  }

  /** @param {Event} event */
  #send(event) {
    const correction = this.#subtree?.correction;
    if (!correction || correction.isDropping) return;
    if (correction.triplets.length > 0) this.#answer({ kind: "triplets", triplets: correction.triplets }, event);
    else if (correction.missing) this.app.announce(correction.missing);
  }

  /**
   * @param {number} place from 0
   * @param {Event} event
   */
  #digit(place, event) {
    if (this.#view instanceof TripleView) this.#view.choose(place, event);
    else if (!this.app.isBusy) this.#subtree?.pickRow(place);
  }

  #cancel() {
    this.#subtree?.cancel();
    if (this.actions.contains(focusedAround(this.actions))) this.heading.focus();
  }

  /**
   * Send an answer, unless one is on its way or the question has only just appeared under a key or button held down.
   *
   * @param {Parameters<import("./app.js").App["answer"]>[0]} response
   * @param {Event} event
   */
  async #answer(response, event) {
    if (this.app.isBusy || this.#isAnswered || !this.#view || this.#isSlip(event)) return;
    if (this.#subtree?.correction.isDropping) return;
    this.#isAnswered = true;
    const shown = this.#shown;
    const words = this.#view instanceof TripleView ? this.#view.words(response) : null;
    const said = await this.app.answer(response, { comment: this.comment.value });
    if (said !== null && words) {
      // It was answered at once, without a sentence to read first.
      this.app.tellRecorded(said, words);
    } else if (said === null && shown === this.#shown) {
      // What the server did not take can be said again.
      this.#isAnswered = false;
      if (this.#view instanceof TripleView) this.#view.reset();
      this.#update();
    }
  }

  /** @param {Event} event */
  #isSlip(event) {
    const age = performance.now() - this.#shownAt;
    if (event instanceof KeyboardEvent) return event.repeat || age < GLANCE;
    if (!(event instanceof MouseEvent)) return false;
    // A button that is pressed with a key is clicked no times.
    return event.detail === 0 ? age < GLANCE : event.detail > 1 && age < DOUBLE_CLICK;
  }

  /** Show what is being said, and the buttons for it. */
  #update() {
    const view = this.#view;
    const correction = this.#subtree?.correction;
    const isSaying = correction !== undefined && !correction.isEmpty;
    this.bar.hidden = view === null;
    if (isSaying !== this.app.isCorrecting) {
      this.app.isCorrecting = isSaying;
      this.app.emit("correcting", isSaying);
    }
    if (!view) return;
    const isDropping = correction?.isDropping === true;
    const isBusy = this.app.isBusy || isDropping;
    this.body.setAttribute("aria-busy", String(isBusy));
    fill(this.status, this.#said());
    this.#letScroll();
    if (view instanceof TripleView) this.#offer(["alike", "skip"]);
    else if (view.moving && !isDropping) this.#offer(["drop", "cancel"]);
    else this.#offer(isSaying || isDropping ? ["send", "cancel"] : ["accept", "skip"]);
    const isReady = !isBusy && (!isSaying || correction.triplets.length > 0);
    for (const [name, button] of this.buttons) {
      button.setAttribute("aria-disabled", String(!isReady && name !== "cancel" && name !== "drop"));
    }
  }

  /** What does not fit into its place can be scrolled, by the keyboard too. */
  #letScroll() {
    const { scrollHeight, clientHeight } = this.status;
    if (scrollHeight > clientHeight + 1) this.status.setAttribute("tabindex", "0");
    else this.status.removeAttribute("tabindex");
  }

  /** What the person is about to say, or may do. */
  #said() {
    const subtree = this.#subtree;
    if (subtree?.correction.isDropping) return h("p", { class: "question-hint question-waiting", text: WAITING });
    if (subtree?.moving) {
      return [
        h("p", { class: "question-said", text: `${subtree.moving}.` }),
        h("p", { class: "question-hint", text: "Arrow keys choose the place, Enter drops it, Escape puts it back." }),
      ];
    }
    const note = subtree?.note ? h("p", { class: "question-hint", text: subtree.note }) : null;
    if (!subtree || subtree.correction.isEmpty) {
      return note ?? this.#instruction();
    }
    const { words, missing } = subtree.correction;
    if (words.length === 0) return [note, h("p", { class: "question-said", "data-testid": "said", text: missing ?? "" })];
    return [this.#sentences(words), note ?? (missing && h("p", { class: "question-hint", text: missing }))];
  }

  /** How to answer, for those who have not done it often and are not told beside it. */
  #instruction() {
    if (this.app.gestures.length >= PRACTICE || (this.#isHinted && this.#subtree)) return null;
    return h("p", { class: "question-hint", "data-testid": "instruction", text: this.#view?.hint ?? "" });
  }

  /** @param {string[]} words */
  #sentences(words) {
    const props = { class: "question-said", "data-testid": "said" };
    if (words.length === 1) {
      return h("p", props, "That says: ", h("b", { text: words[0] }), words[0].endsWith("…") ? "" : ".");
    }
    const shown = this.#areAllShown || words.length <= NUM_SENTENCES + 1 ? words : words.slice(0, NUM_SENTENCES);
    const more = h("button", {
      class: "question-link",
      type: "button",
      text: `and ${words.length - shown.length} more`,
      on: { click: () => this.#showAll() },
    });
    return h(
      "div",
      props,
      h("p", { text: "That says:" }),
      h(
        "ul",
        { class: "question-sentences" },
        shown.map((sentence) => h("li", { text: sentence })),
      ),
      shown.length < words.length ? more : null,
    );
  }

  #showAll() {
    this.#areAllShown = true;
    this.#update();
    if (this.status.hasAttribute("tabindex")) this.status.focus();
    else this.heading.focus();
  }

  /**
   * Show these buttons and no others; those that stay are not touched, so that a click on one is not lost.
   *
   * @param {string[]} names
   */
  #offer(names) {
    for (const [name, button] of this.buttons) {
      const hadFocus = button === focusedAround(button);
      if (!names.includes(name)) button.remove();
      else if (!button.isConnected) this.actions.insertBefore(button, this.#after(name));
      if (hadFocus && !button.isConnected) this.heading.focus();
    }
  }

  /** The first element that stands after a button. @param {string} name */
  #after(name) {
    const places = [...this.buttons.keys()];
    const later = places.slice(places.indexOf(name) + 1).map((other) => this.buttons.get(other));
    return later.find((button) => button.parentElement === this.actions) ?? this.comment.link;
  }

  /** @param {typeof ACTIONS[number]} action */
  #button({ name, label, key, isMain }) {
    const run = (/** @type {Event} */ event) => {
      if (name === "cancel") this.#cancel();
      else if (name === "drop") this.#subtree?.pickUp();
      else if (name === "send") this.#send(event);
      else this.#answer({ kind: name === "alike" ? "same" : name }, event);
    };
    return h(
      "button",
      {
        class: ["button", isMain && "button-primary"],
        type: "button",
        title: name === "accept" ? ACCEPT_WORDS : null,
        "data-testid": name,
        on: { click: run },
      },
      label,
      h("kbd", { "aria-hidden": "true", text: key }),
    );
  }
}
