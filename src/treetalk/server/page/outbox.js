// @ts-check
/**
 * What is said is never lost: it is stored before it is sent, and removed once the server has acknowledged it.
 *
 * An entry is meant for one project: where another one is served by now, it stays stored until its own is there again.
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
   * @param {import("./storage.js").SafeStorage} storage
   * @param {string} key where in the storage
   * @param {object} handlers
   * @param {(trouble: {error: import("./api.js").ApiError, attempts: number} | null) => void} handlers.onTrouble called
   *   when an entry could not be sent, and with null when one was
   * @param {() => Promise<boolean>} handlers.isElsewhere finds out whether another project is served by now
   */
  constructor(api, storage, key, { onTrouble, isElsewhere }) {
    this.api = api;
    this.storage = storage;
    this.key = key;
    this.onTrouble = onTrouble;
    this.isElsewhere = isElsewhere;
    /** @type {Entry[]} */
    this.entries = storage.readList(key).filter((entry) => entry?.kind && entry?.body?.gesture);
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
    this.#finish(entry)?.reject(new Error("The answer was discarded."));
    this.#wake();
  }

  async #run() {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let attempts = 0; this.entries.length > 0; ) {
      const entry = this.entries[0];
      try {
        const response = await this.api[entry.kind](entry.body);
        const caller = this.#finish(entry);
        attempts = 0;
        this.onTrouble(null);
        caller?.resolve(response);
      } catch (error) {
        const refusal = /** @type {import("./api.js").ApiError} */ (error);
        if (refusal.mayPass && this.entries.includes(entry)) {
          attempts += 1;
          this.onTrouble({ error: refusal, attempts });
          await this.#pause(PAUSES[Math.min(attempts, PAUSES.length) - 1]);
        } else if (refusal.code === "mistaken" && (await this.isElsewhere())) {
          // Nothing more is sent from this page: it is about to be left.
          return;
        } else {
          const caller = this.#finish(entry);
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

  /**
   * Forget an entry, and return who waits for what becomes of it.
   *
   * @param {Entry} entry
   */
  #finish(entry) {
    this.entries = this.entries.filter((other) => other !== entry);
    this.#store();
    const caller = this.#callers.get(entry.body.gesture);
    this.#callers.delete(entry.body.gesture);
    return caller;
  }

  #store() {
    if (this.isEmpty) this.storage.removeItem(this.key);
    else this.storage.write(this.key, this.entries);
  }
}
