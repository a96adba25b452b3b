// @ts-check
/**
 * The export menu: one link for every format that the project can be written in.
 */

import { fill, h, icon } from "./dom.js";

/** A button with a list of links below. */
export class ExportMenu {
  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.root = root;
    this.app = app;
    this.button = h(
      "button",
      {
        class: "button button-quiet",
        type: "button",
        "aria-expanded": "false",
        "data-testid": "menu-export",
        on: { click: () => this.toggle(this.list.hidden) },
      },
      icon("download"),
      h("span", { class: "frame-label", text: "Export" }),
    );
    this.list = h("ul", { class: "menu", "aria-label": "Export", hidden: true });
    root.append(this.button, this.list);
    app.on("project", (project) => this.#draw(project.exports ?? []));
    root.addEventListener("keydown", (event) => this.#press(event));
    root.addEventListener("focusout", (event) => {
      if (!root.contains(/** @type {Node | null} */ (event.relatedTarget))) this.toggle(false);
    });
  }

  /** @param {boolean} isOpen */
  toggle(isOpen) {
    this.list.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    // Safari does not focus a button that is clicked, and the menu closes when the focus leaves it.
    if (isOpen) this.button.focus();
  }

  /** @param {{format: string, words: string, filename: string}[]} exports */
  #draw(exports) {
    fill(
      this.list,
      exports.map(({ format, words, filename }) => {
        const href = this.app.api.exportUrl(format);
        const link = h(
          "a",
          {
            class: "menu-item",
            href,
            download: filename,
            "data-testid": `menu-export-${format}`,
            on: { click: (event) => this.#follow(event, link) },
          },
          words,
          h("small", { text: filename }),
        );
        return h("li", null, link, format === "labels" && this.#groups(link));
      }),
    );
    this.root.hidden = exports.length === 0;
  }

  /**
   * Let the browser load the file; where it cannot reach the server by itself, do so for it.
   *
   * @param {Event} event
   * @param {HTMLAnchorElement} link
   */
  async #follow(event, link) {
    this.toggle(false);
    const { api } = this.app;
    if (api.hasAddresses) return;
    event.preventDefault();
    const response = await api.fetch(link.getAttribute("href") ?? "").catch(() => null);
    if (!response?.ok) return this.app.say("The export failed.", { tone: "bad" });
    const href = URL.createObjectURL(await response.blob());
    h("a", { href, download: link.download }).click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000);
  }

  /** The field for how many groups the labels tell apart. @param {HTMLAnchorElement} link */
  #groups(link) {
    const most = this.app.project?.num_items ?? 1;
    const input = (/** @type {Event} */ event) => {
      const field = /** @type {HTMLInputElement} */ (event.target);
      const clusters = field.value === "" || !field.validity.valid ? null : field.valueAsNumber;
      link.href = this.app.api.exportUrl("labels", { clusters });
    };
    const press = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") link.click();
      // The arrow keys change the number.
      if (event.key.startsWith("Arrow")) event.stopPropagation();
    };
    const field = h("input", {
      class: "field export-groups-field",
      type: "number",
      min: 1,
      max: most,
      step: 1,
      placeholder: "any",
      "data-testid": "export-groups",
      on: { input, keydown: press },
    });
    return h("label", { class: "export-groups" }, "How many groups", field);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const links = /** @type {HTMLElement[]} */ ([...this.list.querySelectorAll("a")]);
    const place = links.indexOf(/** @type {HTMLElement} */ (event.target));
    if (event.key === "Escape" && !this.list.hidden) {
      this.toggle(false);
      this.button.focus();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (this.list.hidden) this.toggle(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      const next = place < 0 && step < 0 ? links.length - 1 : place + step;
      links[(next + links.length) % links.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
