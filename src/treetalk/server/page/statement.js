// @ts-check
/**
 * How sure is it that a and b belong together, apart from c? Three items are chosen, the answer is given in words and
 * for the three alternatives, and a person can say that it is so.
 */

import { Combobox, findOptions } from "./combobox.js";
import { clear, fill, h } from "./dom.js";
import { percent } from "./format.js";

/** @typedef {"a" | "b" | "c"} Place */

/** @type {Place[]} */
const PLACES = ["a", "b", "c"];

const SAY = "Say that it is so";
const WARNING = "This contradicts your answers; it would be set aside.";

/** Asks about a statement. */
export class StatementPanel {
  /** The items that were chosen. @type {Record<Place, number | null>} */
  #chosen = { a: null, b: null, c: null };
  #asked = 0;

  /**
   * @param {HTMLElement} root in a dialog, which is opened
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.root = root;
    this.app = app;
    this.boxes = {
      a: this.#box("a", "The first item", "an item"),
      b: this.#box("b", "The second item, which belongs to the first", "an item like it"),
      c: this.#box("c", "The item that stands apart", "one unlike both"),
    };
    this.result = h("div", { class: "statement-result", "aria-live": "polite", "data-testid": "statement-result" });
    fill(
      root,
      h("div", { class: "statement-words" },
        "How sure is treetalk that ", this.boxes.a.element, " and ", this.boxes.b.element,
        " belong together, apart from ", this.boxes.c.element, "?"),
      this.result,
    );
    root.classList.add("statement-panel");
    this.boxes.a.input.setAttribute("autofocus", "");
    this.#ask();
    app.on("statement", (/** @type {number[] | undefined} */ items) => {
      const [a, b, c] = items ?? [];
      this.open({ a, b, c });
    });
    app.on("revision", () => this.root.isConnected && this.root.offsetParent !== null && this.#ask());
  }

  /**
   * Open the dialog around it.
   *
   * @param {{a?: number | null, b?: number | null, c?: number | null}} [items] numbers of items that are chosen already
   */
  async open(items = {}) {
    const dialog = this.root.closest("dialog");
    if (dialog && !dialog.open) dialog.showModal();
    await Promise.all(PLACES.map((place) => this.#set(place, items[place] ?? null)));
    const empty = PLACES.find((place) => this.#chosen[place] === null);
    this.boxes[empty ?? "a"].input.focus();
    await this.#ask();
  }

  /** @param {Place} place @param {string} label @param {string} placeholder */
  #box(place, label, placeholder) {
    const box = new Combobox({
      label,
      placeholder,
      testid: `statement-${place}`,
      find: (text, signal) => findOptions(this.app.api, text, signal, { withBranches: false }),
      onChoose: (option) => {
        this.#chosen[place] = option.item ?? null;
        const next = PLACES.find((other) => this.#chosen[other] === null);
        if (next) this.boxes[next].input.focus();
        this.#ask();
      },
    });
    box.element.classList.add("statement-box");
    // What is typed is no item until it is chosen.
    box.input.addEventListener("input", () => {
      this.#chosen[place] = null;
      this.#ask();
    });
    return box;
  }

  /** @param {Place} place @param {number | null} number */
  async #set(place, number) {
    this.#chosen[place] = number;
    const item = number === null ? null : await this.app.api.item(number).catch(() => null);
    if (!item) this.#chosen[place] = null;
    this.boxes[place].input.value = item?.label ?? "";
  }

  async #ask() {
    const asked = (this.#asked += 1);
    const { a, b, c } = this.#chosen;
    if (a === null || b === null || c === null) return this.#hint("Choose three items.");
    if (new Set([a, b, c]).size < 3) return this.#hint("Choose three different items.");
    try {
      const said = await this.app.api.statement(a, b, c);
      if (asked === this.#asked) this.#show(said, [a, b, c]);
    } catch (error) {
      const refused = h("p", { class: "statement-refused" }, /** @type {Error} */ (error).message);
      if (asked === this.#asked) fill(this.result, refused);
    }
  }

  /** @param {string} words */
  #hint(words) {
    fill(this.result, h("p", { class: "muted" }, words));
  }

  /** @param {any} said @param {number[]} triplet */
  #show(said, triplet) {
    const click = () => this.#say(triplet);
    const look = ["button", said.possible && "button-primary"];
    const say = h("button", { class: look, type: "button", "data-testid": "statement-say", on: { click } }, SAY);
    const warning = said.possible ? null : h("p", { class: "statement-warning", text: WARNING });
    // What follows from the answers needs no saying.
    const action = said.certain ? null : h("div", { class: "statement-actions" }, warning, say);
    const asked = { triplet, support: said.support };
    const others = said.alternatives.filter((/** @type {any} */ other) => other.triplet[2] !== triplet[2]);
    const rows = [asked, ...others].map((one) => this.#bar(one, one === asked));
    const bars = h("ul", { class: "statement-alternatives" }, ...rows);
    fill(this.result, h("p", { class: "statement-answer" }, said.words), bars, action);
  }

  /** @param {{support: number | null, triplet: number[]}} alternative @param {boolean} isAsked */
  #bar({ support, triplet }, isAsked) {
    const placeOf = (/** @type {number} */ number) => PLACES.find((place) => this.#chosen[place] === number) ?? "a";
    const [x, y, z] = triplet.map((number) => this.boxes[placeOf(number)].input.value);
    return h(
      "li",
      { class: ["statement-alternative", isAsked && "statement-asked"] },
      h("span", { class: "statement-alternative-words" }, `${x} and ${y} together, apart from ${z}`),
      h("span", { class: "statement-share" }, support === null ? "unknown" : percent(support)),
      h("span", { class: "statement-bar", css: { "--share": support ?? 0 } }),
    );
  }

  /** @param {number[]} triplet */
  async #say(triplet) {
    if (this.app.isBusy) return this.app.say("The last answer is still on its way.");
    const said = await this.app.answer({ kind: "triplets", triplets: [triplet] }, { asked: null });
    if (!said) return;
    this.app.tellRecorded(said, `Recorded: ${said.answers[0].words}.`);
    this.root.closest("dialog")?.close();
    clear(this.result);
  }
}
