// @ts-check
/**
 * A field with a list of what fits to it: items, and groups with a name.
 */

import { clear, fill, h, icon } from "./dom.js";
import { grouped } from "./format.js";

/**
 * @typedef {object} Option
 * @property {"item" | "branch"} kind
 * @property {string} label
 * @property {string} detail said beside it
 * @property {string | null} picture
 * @property {number} [item] its number
 * @property {string} [branch] its key
 */

/** How long to wait after a key before looking, in milliseconds. */
const PAUSE = 120;

let numBoxes = 0;

/**
 * What fits to a text, as options.
 *
 * @param {import("./api.js").Api} api
 * @param {string} text
 * @param {AbortSignal} signal
 * @param {{withBranches: boolean}} options
 * @returns {Promise<{options: Option[], words: string}>}
 */
export async function findOptions(api, text, signal, { withBranches }) {
  const { items, clusters, num_found: numFound } = await api.search(text, { limit: 20, signal });
  /** @type {Option[]} */
  const branches = (withBranches ? clusters : []).map((/** @type {any} */ one) => ({
    kind: "branch", label: one.name, detail: `group of ${grouped(one.size)}`, picture: null, branch: one.branch,
  }));
  /** @type {Option[]} */
  const found = items.map((/** @type {any} */ one) => ({
    kind: "item", label: one.label, detail: one.text ?? "", picture: one.picture, item: one.number,
  }));
  const options = [...branches, ...found];
  const numMore = numFound - options.length;
  const more = numMore > 0 ? `and ${grouped(numMore)} more` : "";
  const words = options.length === 0 ? `Nothing has “${text}” in its name or text.` : more;
  return { options, words };
}

/** A combobox with a list, as the ARIA practices describe it. */
export class Combobox {
  /** @type {Option[]} */
  #options = [];
  #active = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #asked = new AbortController();

  /**
   * @param {object} options
   * @param {string} options.label read aloud; shown as well if there is no placeholder
   * @param {string} [options.placeholder]
   * @param {string} [options.testid]
   * @param {string | null} [options.icon]
   * @param {(text: string, signal: AbortSignal) => Promise<{options: Option[], words: string}>} options.find
   * @param {(option: Option) => void} options.onChoose
   * @param {boolean} [options.isEmptied] whether the field is empty again once something was chosen, or by Escape
   */
  constructor({ label, placeholder = "", testid, icon: iconName = null, find, onChoose, isEmptied = false }) {
    this.find = find;
    this.onChoose = onChoose;
    this.isEmptied = isEmptied;
    this.id = `search-list-${(numBoxes += 1)}`;
    this.input = h("input", {
      class: "field search-field",
      type: "text",
      role: "combobox",
      placeholder,
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": label,
      "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.id, "data-testid": testid,
    });
    this.list = h("div", { class: "search-options", role: "listbox", id: this.id, "aria-label": label });
    this.words = h("p", { class: "search-words small muted", role: "status" });
    this.popup = h("div", { class: "menu search-popup", hidden: true }, this.list, this.words);
    const classes = ["search-box", iconName && "search-with-icon"];
    this.element = h("div", { class: classes }, iconName ? icon(iconName) : null, this.input, this.popup);
    this.input.addEventListener("input", () => this.#look());
    this.input.addEventListener("focus", () => this.input.value.trim() && this.#look());
    this.input.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => this.#press(event));
    this.element.addEventListener("focusout", (/** @type {FocusEvent} */ event) => {
      if (!this.element.contains(/** @type {Node | null} */ (event.relatedTarget))) this.close();
    });
    // The field keeps the focus while an option is clicked.
    this.popup.addEventListener("pointerdown", (/** @type {Event} */ event) => event.preventDefault());
    this.popup.addEventListener("mousedown", (/** @type {Event} */ event) => event.preventDefault());
  }

  /** Show nothing but the field. */
  close() {
    clearTimeout(this.#timer);
    this.#asked.abort();
    this.popup.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
    this.#options = [];
    this.#active = -1;
    clear(this.list);
    this.words.textContent = "";
  }

  #look() {
    clearTimeout(this.#timer);
    this.#asked.abort();
    const text = this.input.value.trim();
    if (!text) return this.close();
    this.#timer = setTimeout(async () => {
      const asked = (this.#asked = new AbortController());
      try {
        const { options, words } = await this.find(text, asked.signal);
        if (!asked.signal.aborted) this.#show(options, words, text);
      } catch {
        if (!asked.signal.aborted) this.#show([], "The server did not answer.", text);
      }
    }, PAUSE);
  }

  /** @param {Option[]} options @param {string} words @param {string} text */
  #show(options, words, text) {
    this.#options = options;
    fill(this.list, ...options.map((option, index) => this.#row(option, index, text)));
    this.words.textContent = words;
    this.list.hidden = options.length === 0;
    this.popup.hidden = false;
    this.input.setAttribute("aria-expanded", String(options.length > 0));
    this.#setActive(options.length > 0 ? 0 : -1);
  }

  /** @param {Option} option @param {number} index @param {string} text */
  #row(option, index, text) {
    const at = option.label.toLowerCase().indexOf(text.toLowerCase());
    const end = at + text.length;
    const found = [option.label.slice(0, at), h("b", null, option.label.slice(at, end)), option.label.slice(end)];
    const { picture, kind, label, detail } = option;
    const sign = picture ? h("img", { class: "search-thumb", src: picture, alt: "", loading: "lazy" }) : null;
    const on = { click: () => this.#choose(option) };
    const aria = { role: "option", id: `${this.id}-${index}`, "aria-selected": "false" };
    return h(
      "div",
      { class: "search-option", "data-kind": kind, ...aria, on },
      kind === "branch" ? icon("tree", 16) : sign,
      h("span", { class: "search-label" }, ...(at < 0 ? [label] : found)),
      h("span", { class: "search-detail small muted" }, detail),
    );
  }

  /** @param {number} index */
  #setActive(index) {
    this.list.children[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const row = this.list.children[index];
    if (!row) return this.input.removeAttribute("aria-activedescendant");
    row.setAttribute("aria-selected", "true");
    row.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", row.id);
  }

  /** @param {Option} option */
  #choose(option) {
    this.input.value = this.isEmptied ? "" : option.label;
    this.close();
    this.onChoose(option);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.isComposing) return;
    const { length } = this.#options;
    const isOpen = !this.popup.hidden;
    if (event.key === "ArrowDown" && !isOpen) this.#look();
    else if (event.key === "ArrowDown" && length) this.#setActive((this.#active + 1) % length);
    else if (event.key === "ArrowUp" && length) this.#setActive((this.#active - 1 + length) % length);
    else if (event.key === "Enter" && isOpen) {
      const option = this.#options[this.#active];
      if (option) this.#choose(option);
    } else if (event.key === "Escape" && isOpen) {
      this.close();
      if (this.isEmptied) this.input.value = "";
      // A dialog around it stays open.
      event.stopPropagation();
    } else if (event.key === "Escape" && this.input.value) {
      this.input.value = "";
      // What was chosen is not chosen any more.
      this.input.dispatchEvent(new Event("input"));
      event.stopPropagation();
    } else return;
    event.preventDefault();
  }
}
