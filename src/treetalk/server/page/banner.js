// @ts-check
/**
 * The banner that says what is wrong with the connection, and that nothing is lost.
 */

import { clear, fill, h, icon } from "./dom.js";

/** How often an answer is tried before the person may give it up. */
const ENOUGH = 3;

/**
 * Return the token in what a person pasted: an address with a token, or the token alone.
 *
 * @param {string} pasted
 * @returns {string}
 */
export function tokenIn(pasted) {
  const text = pasted.trim();
  const token = text.match(/[?&#]token=([^&#\s]+)/)?.[1] ?? text;
  try {
    return decodeURIComponent(token);
  } catch {
    return token; // a percent sign that stands for itself
  }
}

/** The banner below the header. */
export class Banner {
  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.app = app;
    this.words = h("p", { class: "banner-words", role: "status" });
    this.action = h("div", { class: "banner-action" });
    this.form = this.#makeForm();
    const props = { class: "banner", "data-testid": "connection", hidden: true };
    this.box = h("div", props, icon("alert"), this.words, this.action, this.form);
    root.append(this.box);
    for (const event of ["connection", "life", "locked", "trouble", "busy", "project"]) app.on(event, () => this.#draw());
  }

  #draw() {
    const { connection, outbox, project } = this.app;
    const { trouble } = connection;
    const isWaiting = outbox !== null && !outbox.isEmpty;
    const kept = isWaiting ? " Your answer is kept." : "";
    clear(this.action);
    let words = "";
    if (connection.isLocked) {
      words = "The server was started anew and has a new token. Paste the address that it printed; nothing is lost.";
      words += kept;
    } else if (connection.life === "restarted") {
      words = `The kernel was restarted: run the cell again.${isWaiting ? " Your last answer may not be recorded." : ""}`;
    } else if (connection.life === "busy") {
      words = `The kernel is busy.${kept} This goes on as soon as it is free.`;
    } else if (connection.status === "off" && !this.app.api.hasAddresses) {
      words = `The kernel does not answer: it was stopped, or the connection is lost.${kept}`;
      words += " If it was restarted, run the cell again.";
    } else if (connection.status === "off" && isWaiting) {
      words = "No connection: your answer is kept, and is sent as soon as the server is back.";
    } else if (connection.status === "off") {
      words = project
        ? "No connection: the page goes on as soon as the server is back. Is “treetalk serve” still running?"
        : "No connection to the server. Is “treetalk serve” still running? The page tries again by itself.";
    } else if (trouble && trouble.error.status !== 0) {
      words = `The server is in trouble: ${trouble.error.message}${kept} The page tries again by itself.`;
      if (isWaiting && trouble.attempts >= ENOUGH) {
        const on = { click: () => this.app.discard() };
        fill(this.action, h("button", { class: "button", type: "button", text: "Discard the answer", on }));
      }
    }
    this.form.hidden = !connection.isLocked;
    this.box.hidden = words === "";
    this.box.classList.toggle("banner-bad", Boolean(words) && connection.status === "on" && !connection.isLocked);
    if (this.words.textContent !== words) this.words.textContent = words;
  }

  #makeForm() {
    const wrong = h("p", { class: "banner-wrong", role: "status", hidden: true });
    const field = h("input", {
      class: "field",
      type: "text",
      name: "token",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "New address or token",
      placeholder: "http://127.0.0.1:…/?token=…",
    });
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (!field.value.trim()) return field.focus();
      const isTaken = await this.app.unlock(tokenIn(field.value));
      wrong.hidden = isTaken;
      wrong.textContent = isTaken ? "" : "This is not the token. It is in the line that “treetalk serve” printed.";
      if (isTaken) field.value = "";
      else field.select();
    };
    const button = h("button", { class: "button button-primary", type: "submit", text: "Continue" });
    return h("form", { class: "banner-form", hidden: true, on: { submit } }, field, button, wrong);
  }
}
