// @ts-check
/**
 * Whether the server can be reached, and lets this page in: pieced together from the stream of events and from how
 * every request ended.
 */

import { ApiError } from "./api.js";

/** How long the stream of events may be away before that is said, in milliseconds: it reconnects at every restart. */
const GRACE = 1200;

/** How long to wait between attempts, in milliseconds. */
const PAUSES = [500, 1000, 2000, 4000];

/** @typedef {{error: ApiError, attempts: number}} Trouble why something was not sent, and how often it was tried */

/** @typedef {"free" | "busy" | "silent" | "restarted"} Life after a restart nothing that was there before comes back */

/** The connection to the server. */
export class Connection {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #grace;
  /** @type {(() => void)[]} */
  #waiting = [];
  #isSeen = true;
  /** @type {((state: any) => void) | null} */
  #onState = null;
  /** @type {(() => void) | null} */
  #stop = null;

  /**
   * @param {import("./api.js").Api} api
   * @param {(event: "connection" | "locked" | "trouble" | "life", detail: any) => void} emit
   */
  constructor(api, emit) {
    this.api = api;
    this.emit = emit;
    /** @type {"on" | "off"} */
    this.status = "on";
    /** How the kernel is, where there is one behind the page in place of a server. @type {Life} */
    this.life = "free";
    /** Whether the server asks for its token. */
    this.isLocked = false;
    /** @type {Trouble | null} */
    this.trouble = null;
    api.onStatus = (status) => this.#heard(status);
  }

  /**
   * Listen to the stream of events from now on.
   *
   * @param {(state: any) => void} onState called with every State
   */
  follow(onState) {
    this.#onState = onState;
    this.#listen();
  }

  /**
   * Listen only while the page is seen. A browser has six connections for all its pages of a server, and a stream takes
   * one: with seven tabs open nothing else would get through.
   *
   * @param {boolean} isSeen
   */
  setSeen(isSeen) {
    this.#isSeen = isSeen;
    if (isSeen) return this.#listen();
    this.#stop?.();
    this.#stop = null;
    this.#forgive();
  }

  /** The stream is there, or is not missed. */
  #forgive() {
    clearTimeout(this.#grace);
    this.#grace = undefined;
  }

  #listen() {
    if (!this.#isSeen || !this.#onState || this.#stop) return;
    this.#stop = this.api.events({ state: this.#onState, connection: (status) => this.setStream(status) });
  }

  /** @param {"on" | "off"} status of the stream of events */
  setStream(status) {
    if (status === "on") this.#setStatus("on");
    // The browser tries again and again meanwhile; it counts from the first time on.
    else this.#grace ??= setTimeout(() => this.#setStatus("off"), GRACE);
  }

  /** @param {Trouble | null} trouble */
  setTrouble(trouble) {
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    this.emit("trouble", trouble);
  }

  /** @param {Life} life */
  setLife(life) {
    if (life === this.life) return;
    const wasAway = this.life === "silent" || this.life === "restarted";
    this.life = life;
    this.emit("life", life);
    const isAway = life === "silent" || life === "restarted";
    if (isAway || wasAway) this.#setStatus(isAway ? "off" : "on");
  }

  /** Try at once whatever waits. */
  wake() {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /**
   * Try until the server answers; only what it refuses for good is thrown.
   *
   * @template T
   * @param {() => Promise<T>} request
   * @returns {Promise<T>}
   */
  async insist(request) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await request();
        this.setTrouble(null);
        return response;
      } catch (error) {
        if (!(error instanceof ApiError) || !error.mayPass) throw error;
        this.setTrouble({ error, attempts: attempt + 1 });
        await this.#pause(PAUSES[Math.min(attempt, PAUSES.length - 1)]);
      }
    }
  }

  /** @param {number} milliseconds */
  #pause(milliseconds) {
    return new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
      this.#waiting.push(() => resolve(undefined));
    });
  }

  /** @param {number} code the status of a response, 0 if there was none */
  #heard(code) {
    const isLocked = code === 401;
    if (code !== 0 && isLocked !== this.isLocked) {
      this.isLocked = isLocked;
      this.emit("locked", isLocked);
      if (!isLocked) this.wake();
    }
    this.#setStatus(code === 0 ? "off" : "on");
  }

  /** @param {"on" | "off"} status */
  #setStatus(status) {
    this.#forgive();
    if (status === this.status) return;
    this.status = status;
    this.emit("connection", status);
    if (status === "on") this.wake();
  }
}
