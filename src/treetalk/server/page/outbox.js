// @ts-check
/**
 * What is said is never lost: it is stored before it is sent, and removed once the server has acknowledged it.
 *
 * Every entry carries the gesture's identifier, so an entry that was recorded although its acknowledgement got lost is
 * recorded once when it is sent again.
 */

/** How long to wait before the next attempt, in milliseconds. */
const PAUSES = [400, 1000, 2000, 4000, 8000];

/**
 * @typedef {object} Entry
 * @property {"answer" | "retract"} kind the method of the API that takes it
 * @property {any} body
 */

/** A queue of what is on its way to the server. */
export class Outbox {
  /** @type {Map<string, {resolve: (response: any) => void, reject: (error: Error) => void}>} */
  #callers = new Map();
  #isSending = false;
  /** @type {() => void} */
  #wake = () => {};

  /**
   * @param {import("./api.js").Api} api
   * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} key where in the storage
   * @param {(trouble: {error: import("./api.js").ApiError, attempts: number} | null) => void} onTrouble called when an
   *   entry could not be sent, and with null when one was
   */
  constructor(api, storage, key, onTrouble) {
    this.api = api;
    this.storage = storage;
    this.key = key;
    this.onTrouble = onTrouble;
    /** @type {Entry[]} */
    this.entries = stored(storage, key);
  }

  /** Whether something is on its way. */
  get isEmpty() {
    return this.entries.length === 0;
  }

  /**
   * Store an entry, and send it as soon as that is possible.
   *
   * @param {Entry["kind"]} kind
   * @param {any} body
   * @returns {Promise<any>} what the server says; rejects if it refuses the entry for good
   */
  send(kind, body) {
    this.entries.push({ kind, body });
    this.#store();
    return new Promise((resolve, reject) => {
      this.#callers.set(body.gesture, { resolve, reject });
      this.#run();
    });
  }

  /**
   * Send what an earlier page in this window left behind.
   *
   * @returns {Promise<{entry: Entry, said: any, error: any}[]>} each entry with what the server says to it, or why it
   *   refuses it
   */
  async resume() {
    const entries = [...this.entries];
    const responses = entries.map(
      ({ body }) => new Promise((resolve, reject) => this.#callers.set(body.gesture, { resolve, reject })),
    );
    this.#run();
    const settled = await Promise.allSettled(responses);
    return settled.map((one, i) =>
      one.status === "fulfilled"
        ? { entry: entries[i], said: one.value, error: null }
        : { entry: entries[i], said: null, error: one.reason },
    );
  }

  /** Try again at once. */
  retry() {
    this.#wake();
  }

  /** Give the first entry up: the person does not want to wait for it. */
  discard() {
    const entry = this.entries[0];
    if (!entry) return;
    this.#finish(entry);
    this.#callers.get(entry.body.gesture)?.reject(new Error("The answer was discarded."));
    this.#wake();
  }

  async #run() {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let attempts = 0; this.entries.length > 0; ) {
      const entry = this.entries[0];
      const caller = this.#callers.get(entry.body.gesture);
      try {
        const response = await this.api[entry.kind](entry.body);
        this.#finish(entry);
        attempts = 0;
        this.onTrouble(null);
        caller?.resolve(response);
      } catch (error) {
        const refusal = /** @type {import("./api.js").ApiError} */ (error);
        if (refusal.mayPass && this.entries.includes(entry)) {
          attempts += 1;
          this.onTrouble({ error: refusal, attempts });
          await this.#pause(PAUSES[Math.min(attempts, PAUSES.length) - 1]);
        } else {
          this.#finish(entry);
          attempts = 0;
          this.onTrouble(null);
          caller?.reject(refusal);
        }
      }
    }
    this.#isSending = false;
    this.onTrouble(null);
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve(undefined);
      };
    });
  }

  /** @param {Entry} entry */
  #finish(entry) {
    this.entries = this.entries.filter((other) => other !== entry);
    this.#store();
  }

  #store() {
    if (this.isEmpty) this.storage.removeItem(this.key);
    else this.storage.setItem(this.key, JSON.stringify(this.entries));
  }
}

/**
 * Return the entries that an earlier page stored; what cannot be read is nothing.
 *
 * @param {Pick<Storage, "getItem">} storage
 * @param {string} key
 * @returns {Entry[]}
 */
function stored(storage, key) {
  try {
    const entries = JSON.parse(storage.getItem(key) ?? "[]");
    return Array.isArray(entries) ? entries.filter((entry) => entry?.kind && entry?.body?.gesture) : [];
  } catch {
    return [];
  }
}

/** Keeps things as `sessionStorage` does, where there is none. */
export class Shelf {
  #things = new Map();

  /** @param {string} key */
  getItem(key) {
    return this.#things.get(key) ?? null;
  }

  /**
   * @param {string} key
   * @param {string} value
   */
  setItem(key, value) {
    this.#things.set(key, value);
  }

  /** @param {string} key */
  removeItem(key) {
    this.#things.delete(key);
  }
}
