// @ts-check
/**
 * Keeping things over a reload, without ever failing: a browser may have no storage for the page, or no room in it, and
 * that must not keep anybody from answering.
 */

/** A storage of the browser; what it does not take is kept as long as the page lives. */
export class SafeStorage {
  /** @type {Map<string, string>} */
  #here = new Map();
  /** @type {Pick<Storage, "getItem" | "setItem" | "removeItem"> | null} */
  #storage;

  /** @param {() => Pick<Storage, "getItem" | "setItem" | "removeItem"> | null} [find] it; that may fail too */
  constructor(find = () => null) {
    this.#storage = attempt(find);
  }

  /** @param {string} key @returns {string | null} */
  getItem(key) {
    return this.#here.get(key) ?? attempt(() => this.#storage?.getItem(key) ?? null);
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    const isTaken = attempt(() => {
      this.#storage?.setItem(key, value);
      return this.#storage !== null;
    });
    if (isTaken) this.#here.delete(key);
    else this.#here.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.#here.delete(key);
    attempt(() => this.#storage?.removeItem(key));
  }

  /**
   * What was written, or null where there is nothing, or nothing that can be read.
   *
   * @param {string} key
   * @returns {any}
   */
  read(key) {
    return attempt(() => JSON.parse(this.getItem(key) ?? "null"));
  }

  /**
   * What was written, as a list; an empty one where there is none.
   *
   * @param {string} key
   * @returns {any[]}
   */
  readList(key) {
    const things = this.read(key);
    return Array.isArray(things) ? things : [];
  }

  /**
   * @param {string} key
   * @param {any} thing
   */
  write(key, thing) {
    this.setItem(key, JSON.stringify(thing));
  }
}

/**
 * @template T
 * @param {() => T} run
 * @returns {T | null} null where it fails
 */
function attempt(run) {
  try {
    return run();
  } catch {
    return null;
  }
}
