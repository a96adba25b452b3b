// @ts-check
/**
 * The search: finds items and the groups that have a name.
 */

import { Combobox, findOptions } from "./combobox.js";

/** A field that finds items and named groups. */
export class Search {
  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   * @param {object} actions
   * @param {(number: number) => void} actions.onItem called with the number of the item that was chosen
   * @param {(branch: string) => void} [actions.onBranch] called with the key of the group that was chosen; without it
   *   only items are found
   */
  constructor(root, app, { onItem, onBranch }) {
    this.box = new Combobox({
      label: onBranch ? "Search for items and named groups" : "Search for items",
      placeholder: "Search",
      testid: "search",
      icon: "search",
      isEmptied: true,
      find: (text, signal) => findOptions(app.api, text, signal, { withBranches: onBranch !== undefined }),
      onChoose: (option) => {
        if (option.item !== undefined) onItem(option.item);
        else if (option.branch !== undefined) onBranch?.(option.branch);
      },
    });
    root.append(this.box.element);
    app.keys.add("/", "Search", () => this.focus());
  }

  /** Go to the field. */
  focus() {
    this.box.input.focus();
    this.box.input.select();
  }
}
