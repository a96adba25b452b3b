// @ts-check
/**
 * What can be done with a branch or an item of the hierarchy, in a small window beside it.
 */

import { clear, fill, focusedAround, h, icon } from "./dom.js";
import { count, percent } from "./format.js";
import { bareLabel } from "./treerow.js";

/** @typedef {import("./treedata.js").TreeNode} TreeNode */

/** Room left to the edges of the window, in pixels. */
const GAP = 12;

/**
 * The further columns of an item that do not only repeat its label or its text.
 *
 * @param {import("./treedata.js").Item} item
 * @param {Record<string, unknown>} more
 * @returns {{rows: [string, string][], saysAll: boolean}} them, and whether they say all that the text says
 */
function furtherRows(item, more) {
  const all = Object.entries(more).map(([column, value]) => /** @type {[string, string]} */ ([column, String(value)]));
  const shown = [item.label, item.text ?? ""].map((words) => words.trim());
  const rows = all.filter(([, value]) => !shown.includes(value.trim()));
  // Where no column is a text, a few of the columns stand for it.
  const said = new Set(rows.map(([column, value]) => `${column} ${value}`));
  const parts = (item.text ?? "").split(" · ");
  return { rows, saysAll: rows.length > 0 && parts.every((part) => said.has(part)) };
}

/** The menu of a node. */
export class BranchMenu {
  /** @type {TreeNode | null} */
  #node = null;
  /** @type {HTMLElement | null} */
  #opener = null;
  #place = { x: 0, y: 0 };
  /** How far below its row it was opened. */
  #below = 0;
  #isSaving = false;

  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   * @param {import("./hierarchy.js").HierarchyPanel} panel
   */
  constructor(root, app, panel) {
    this.app = app;
    this.panel = panel;
    this.head = h("div", { class: "tree-menu-head" });
    this.list = h("div", { role: "menu", on: { keydown: (/** @type {KeyboardEvent} */ event) => this.#press(event) } });
    const submit = (/** @type {Event} */ event) => this.#submit(event);
    this.form = h("form", { class: "tree-menu-form", hidden: true, on: { submit } });
    const props = { class: "menu tree-menu", popover: "manual", role: "dialog", "data-testid": "tree-menu" };
    this.element = h("div", props, this.head, this.list, this.form);
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Tab" && this.form.hidden) this.#tab(event);
      if (this.head.contains(/** @type {Node} */ (event.target))) event.stopPropagation();
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      this.close();
    });
    root.append(this.element);
  }

  /**
   * Open beside a node.
   *
   * @param {TreeNode} node
   * @param {{x: number, y: number}} place in the window
   */
  open(node, place) {
    this.#node = node;
    this.#opener = this.panel.drawing.element(node.branch);
    this.#place = place;
    this.#below = place.y - this.panel.pixel(node);
    this.form.hidden = true;
    this.list.hidden = false;
    this.element.setAttribute("aria-label", node.label);
    this.list.setAttribute("aria-label", `What to do with ${node.label}`);
    fill(this.head, ...(node.state === "item" ? this.#itemHead(node) : this.#branchHead(node)));
    fill(this.list, ...(node.state === "item" ? this.#itemActions(node) : this.#branchActions(node)));
    if (!this.isOpen) {
      this.element.showPopover();
      // Not the browser's own dismissal: it closes what a right click opens as soon as the button is released.
      this.element.ownerDocument.addEventListener("pointerdown", this.#dismiss, true);
    }
    this.#settle();
    this.#buttons()[0]?.focus();
  }

  /** Whether it is open. */
  get isOpen() {
    return this.element.matches(":popover-open");
  }

  /** Close, and return the focus. */
  close() {
    if (!this.isOpen) return;
    const hadFocus = this.element.contains(focusedAround(this.element));
    this.element.ownerDocument.removeEventListener("pointerdown", this.#dismiss, true);
    this.element.hidePopover();
    if (hadFocus && this.#opener?.isConnected) this.#opener.focus({ preventScroll: true });
    clear(this.head);
    clear(this.list);
    clear(this.form);
    this.#node = null;
    // What had to wait for it may be shown.
    this.panel.news.release();
  }

  /** Take over the new keys of branches. @param {Record<string, string>} renamed */
  rename(renamed) {
    const branch = this.#node && renamed[this.#node.branch];
    if (this.#node && branch) this.#node = { ...this.#node, branch };
  }

  /** Move along with the row, or close if it is not visible any more; but a name that is being given stays. */
  follow() {
    if (!this.#node || !this.isOpen) return;
    const node = this.panel.data.nodes.get(this.#node.branch);
    const isGone = !node || (node.state !== "open" && !this.panel.isVisible(node));
    if (isGone && this.form.hidden) return this.close();
    if (!node) return;
    const y = this.panel.pixel(node) + this.#below;
    if (y === this.#place.y) return;
    this.#place = { ...this.#place, y };
    this.#settle();
  }

  #dismiss = (/** @type {Event} */ event) => {
    // A name that is on its way stays in sight until it has arrived.
    if (!event.composedPath().includes(this.element) && !this.#isSaving) this.close();
  };

  /** @param {TreeNode} node */
  #branchHead(node) {
    const sure = node.support === null ? null : `in ${percent(node.support)} of the sampled hierarchies`;
    return [
      h("p", { class: ["tree-menu-title", !node.name && "muted"] }, bareLabel(node)),
      h("p", { class: "small muted" }, [count(node.size, "item"), sure].filter(Boolean).join(", ")),
    ];
  }

  /** @param {TreeNode} node */
  #branchActions(node) {
    const { panel } = this;
    const isRoot = node.parent === null;
    const rename = node.name ? "Rename this group…" : "Name this group…";
    const actions = [
      this.#action("ask", "Ask me about this", () => this.app.askAbout({ branch: node.branch }), "tree-ask"),
      this.#action("name", rename, () => this.#askName(node), "tree-name", false),
    ];
    if (!isRoot) actions.push(this.#action("locate", "Zoom in here", () => panel.zoomInto(node.branch), "tree-zoom"));
    if (node.state === "shut") actions.push(this.#action("plus", "Open", () => panel.toggle(node), "tree-open"));
    actions.push(this.#action("tree", "Open all below", () => panel.openBelow(node), "tree-open-all"));
    if (node.state === "open" && !isRoot) {
      actions.push(this.#action("minus", "Shut", () => panel.toggle(node), "tree-shut"));
    }
    return actions;
  }

  /** @param {TreeNode} node */
  #itemHead(node) {
    const item = /** @type {import("./treedata.js").Item} */ (node.item);
    const more = h("dl");
    const part = (/** @type {string} */ look, /** @type {string} */ label, /** @type {Element | string} */ inside) =>
      h("div", { class: `${look} tree-menu-part small`, role: "group", "aria-label": label }, inside);
    const text = item.text && part("tree-menu-text", "Text", item.text);
    // The picture and the further columns come after the menu is open.
    this.app.api.item(item.number).then(
      (whole) => {
        if (this.#node?.item?.number !== item.number) return;
        const { rows, saysAll } = furtherRows(item, whole.more ?? {});
        for (const [column, value] of rows) {
          more.append(h("div", null, h("dt", { class: "muted" }, column), h("dd", null, value)));
        }
        if (saysAll && text) text.remove();
        this.#settle();
      },
      () => null,
    );
    const load = () => this.#settle();
    const picture = item.picture && h("img", { class: "tree-menu-picture", src: item.picture, alt: "", on: { load } });
    const title = h("p", { class: "tree-menu-title" }, item.label);
    return [picture, title, text, part("tree-menu-more", "Further columns", more)];
  }

  /** @param {TreeNode} node */
  #itemActions(node) {
    const item = /** @type {import("./treedata.js").Item} */ (node.item);
    const nodes = [...this.panel.data.nodes.values()];
    const sister = nodes.find((other) => other.item && other !== node && other.parent === node.parent);
    const numbers = [item.number, ...(sister?.item ? [sister.item.number] : [])];
    const branch = node.parent;
    const ask = () => branch !== null && this.app.askAbout({ branch });
    return [
      branch !== null && this.#action("ask", "Ask me about the items around it", ask, "tree-ask"),
      this.#action("scales", "How sure…?", () => this.app.emit("statement", numbers), "tree-statement"),
    ].filter((action) => action !== false);
  }

  /**
   * @param {string} name of the icon
   * @param {string} words
   * @param {() => void} run
   * @param {string} testid
   * @param {boolean} [closes] whether the menu is done with
   */
  #action(name, words, run, testid, closes = true) {
    const click = () => {
      if (closes) this.close();
      run();
    };
    const props = { class: "menu-item", type: "button", role: "menuitem", tabindex: "-1", "data-testid": testid };
    return h("button", { ...props, on: { click } }, icon(name), words);
  }

  /** @param {TreeNode} node */
  #askName(node) {
    const field = h("input", {
      class: "field",
      "data-testid": "tree-name-field",
      value: node.name ?? "",
      maxlength: "200",
      autocomplete: "off",
      placeholder: bareLabel(node),
    });
    const label = h("label", null, h("span", { class: "label" }, "Name of this group"), field);
    const hint = node.name ? h("p", { class: "small muted" }, "Left empty, the name is taken away.") : null;
    const click = () => this.close();
    const cancel = h("button", { class: "button button-quiet", type: "button", on: { click } }, "Cancel");
    const submit = { class: "button button-primary", type: "submit", "data-testid": "tree-name-save" };
    const save = h("button", submit, "Save");
    fill(this.form, label, hint, h("div", { class: "tree-menu-buttons" }, cancel, save));
    this.list.hidden = true;
    this.form.hidden = false;
    this.#settle();
    field.focus();
    field.select();
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    const node = this.#node;
    const field = this.form.querySelector("input");
    if (!node || !field) return;
    const name = field.value.trim() || null;
    if (name === node.name) return this.close();
    const save = /** @type {HTMLButtonElement} */ (this.form.querySelector("[type=submit]"));
    if (this.#isSaving) return;
    this.#isSaving = save.disabled = true;
    const isNamed = await this.app.nameBranch(node.branch, name);
    this.#isSaving = save.disabled = false;
    const isOpen = field.isConnected && !this.form.hidden;
    if (!isNamed) {
      // What was typed stays, to be tried again.
      const words = "The name was not saved.";
      if (!isOpen) return this.app.say(words, { tone: "bad" });
      this.form.querySelector(".tree-menu-wrong")?.remove();
      this.form.append(h("p", { class: "tree-menu-wrong small", role: "status", "data-testid": "tree-name-wrong" }, words));
      return this.#settle();
    }
    if (isOpen) this.close();
    this.panel.reload();
    this.app.announce(name ? `The group is named ${name}.` : "The name was taken away.");
  }

  /** Put the window where it was wanted, or as near as it fits. */
  #settle() {
    const { offsetWidth: width, offsetHeight: height } = this.element;
    const { clientWidth, clientHeight } = this.element.ownerDocument.documentElement;
    const left = Math.max(GAP, Math.min(this.#place.x, clientWidth - width - GAP));
    const top = Math.max(GAP, Math.min(this.#place.y, clientHeight - height - GAP));
    this.element.style.setProperty("left", `${Math.round(left)}px`);
    this.element.style.setProperty("top", `${Math.round(top)}px`);
    // What has more than is visible can be scrolled by the keyboard.
    for (const part of this.head.querySelectorAll(".tree-menu-part")) {
      if (part.scrollHeight > part.clientHeight + 1) part.setAttribute("tabindex", "0");
    }
  }

  /** @returns {HTMLElement[]} */
  #buttons() {
    return [...this.list.querySelectorAll('[role="menuitem"]')];
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const buttons = this.#buttons();
    const at = buttons.indexOf(/** @type {HTMLElement} */ (focusedAround(this.element)));
    /** @type {Record<string, number>} */
    const targets = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    if (event.key in targets) {
      event.preventDefault();
      buttons.at(targets[event.key] % buttons.length)?.focus();
    }
    // The keys of the page are not meant while the menu is open.
    if (event.key !== "Escape" && event.key !== "Tab") event.stopPropagation();
  }

  /** Go from part to part, if there is one to be scrolled; else the menu is left. @param {KeyboardEvent} event */
  #tab(event) {
    event.preventDefault();
    event.stopPropagation();
    const stops = /** @type {HTMLElement[]} */ ([...this.head.querySelectorAll('[tabindex="0"]'), this.#buttons()[0]]);
    if (stops.length < 2) return this.close();
    // Any of the buttons stands for all of them.
    const active = /** @type {HTMLElement} */ (focusedAround(this.element));
    const at = this.list.contains(active) ? stops.length - 1 : stops.indexOf(active);
    stops.at((at + (event.shiftKey ? -1 : 1)) % stops.length)?.focus();
  }
}
