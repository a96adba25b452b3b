// @ts-check
/**
 * The keyboard shortcuts: a registry that the panels add to, that the window's key presses are looked up in, and that
 * the help shows.
 */

/** Where keys are text. */
const FIELDS = "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]";

/** Where Enter and the space bar already do something. */
const CONTROLS = "button, a[href], summary, input, [role=button], [role=tab], [role=option], [role=menuitem]";

/**
 * @typedef {object} Shortcut
 * @property {string} key as `KeyboardEvent.key`, after "mod+" where Ctrl (or Cmd) must be held
 * @property {string} description what it does, as the help says it
 * @property {((event: KeyboardEvent) => void) | null} run null where the panel listens itself
 * @property {() => boolean} when
 * @property {string} group the heading in the help
 * @property {boolean} isFirst whether it comes before what the element that has the focus would do
 */

/** The registry of keyboard shortcuts. */
export class Keys {
  constructor() {
    /** @type {Shortcut[]} */
    this.shortcuts = [];
  }

  /**
   * Add a shortcut.
   *
   * @param {string} key as `KeyboardEvent.key` ("Enter", "u", "?"), after "mod+" where Ctrl or Cmd must be held;
   *   several for the same thing are separated by spaces ("mod+z u")
   * @param {string} description what it does; empty keeps it out of the help
   * @param {((event: KeyboardEvent) => void) | null} run null if the panel itself listens, so that only the help is
   *   told
   * @param {{when?: () => boolean, group?: string, isFirst?: boolean}} [options] `when`: whether it applies now
   * @returns {() => void} remove it
   */
  add(key, description, run, { when = () => true, group = "Everywhere", isFirst = false } = {}) {
    const shortcut = { key, description, run, when, group, isFirst };
    this.shortcuts.push(shortcut);
    return () => {
      this.shortcuts = this.shortcuts.filter((other) => other !== shortcut);
    };
  }

  /**
   * Look key presses up that nothing inside the element took, but for those shortcuts that come first.
   *
   * @param {Document | HTMLElement} element
   */
  listen(element) {
    for (const isFirst of [true, false]) {
      const press = (/** @type {any} */ event) => this.#press(event, isFirst);
      element.addEventListener("keydown", press, { capture: isFirst });
    }
  }

  /** The shortcuts that the help shows, by their headings. @returns {Map<string, Shortcut[]>} */
  groups() {
    const groups = new Map();
    for (const shortcut of this.shortcuts) {
      if (!shortcut.description) continue;
      if (!groups.has(shortcut.group)) groups.set(shortcut.group, []);
      groups.get(shortcut.group).push(shortcut);
    }
    return groups;
  }

  /**
   * @param {KeyboardEvent} event
   * @param {boolean} isFirst whether the element that has the focus has not seen it yet
   */
  #press(event, isFirst) {
    // A key that is held down must not answer one question after the other.
    if (event.defaultPrevented || event.repeat || event.isComposing || event.altKey) return;
    const target = event.target instanceof Element ? event.target : null;
    if (target?.closest(FIELDS) || hasDialog(target)) return;
    if ((event.key === "Enter" || event.key === " ") && target?.closest(CONTROLS)) return;
    for (const { key, run, when, ...shortcut } of [...this.shortcuts].reverse()) {
      if (!run || shortcut.isFirst !== isFirst || !key.split(" ").some((one) => fits(one, event)) || !when()) continue;
      event.preventDefault();
      if (isFirst) event.stopPropagation();
      run(event);
      return;
    }
  }
}

/**
 * Whether a dialog is open in the page, or in the part of a page of others that an element stands in.
 *
 * @param {Element | null} element
 */
function hasDialog(element) {
  const root = /** @type {Document | ShadowRoot | undefined} */ (element?.getRootNode());
  return Boolean(root?.querySelector("dialog[open]"));
}

/**
 * How a key is written in the help.
 *
 * @param {string} key as it was added, a single one
 * @returns {string[]} the caps
 */
export function caps(key) {
  const isMac = /mac|iphone|ipad/i.test(navigator.platform);
  const names = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc" };
  const [, mod, last] = key.match(/^(mod\+)?(.+)$/) ?? [null, "", key];
  const cap = names[/** @type {keyof typeof names} */ (last)] ?? (last.length === 1 ? last.toUpperCase() : last);
  return mod ? [isMac ? "Cmd" : "Ctrl", cap] : [cap];
}

/**
 * @param {string} key
 * @param {KeyboardEvent} event
 */
function fits(key, event) {
  const hasMod = event.ctrlKey || event.metaKey;
  const wanted = key.startsWith("mod+") ? key.slice(4) : key;
  if (hasMod !== key.startsWith("mod+")) return false;
  if (hasMod && event.shiftKey) return false;
  const name = wanted === "Space" ? " " : wanted;
  return event.key === name || event.key.toLowerCase() === name.toLowerCase();
}
