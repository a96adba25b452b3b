// @ts-check
/**
 * The transport to a kernel: requests and events as messages of a widget, in place of a network.
 */

import { makeId } from "./api.js";

/** How often the kernel is told that somebody still listens, in milliseconds. */
const REMINDER = 45_000;

/** How often to look how the kernel is, and after what time it is busy, in milliseconds. */
const [LOOK, SLOW] = [1000, 2000];

/** It gives a sign of life every ten seconds, also while it runs a cell; without any for so long it is gone. */
const SILENCE = 25_000;

/** Where pictures are, as the server tells it. */
const PICTURE = /\/api\/v1\/items\/\d+\/picture\?of=\w+/g;

/** What a widget hears when its kernel is gone. */
const LOST = ["comm_live_update", "comm:close"];

/** A picture that cannot be shown. */
const NO_PICTURE = "data:,";

/** A kernel, through the widget of a cell. */
export class Kernel {
  /** @type {Map<string, (message: any, buffers: DataView[]) => void>} */
  #waiting = new Map();
  /** What was asked and not answered: since when, and how to give it up. @type {Map<string, {since: number, giveUp: () => void}>} */
  #asked = new Map();
  #numListening = 0;
  #heardAt = performance.now();
  #lookedAt = performance.now();
  #isRestarted = false;
  /** The addresses of pictures that are here, by those that the server gave them. @type {Map<string, string>} */
  #pictures = new Map();
  #hear = (/** @type {any} */ message, /** @type {DataView[]} */ buffers) => {
    this.#heardAt = performance.now();
    this.#isRestarted = false;
    this.#waiting.get(message.id)?.(message, buffers ?? []);
    this.#look();
  };
  /** JupyterLab says so when it lets go of all widgets of a kernel that is started anew. */
  #lose = () => {
    this.#isRestarted = true;
    this.#look();
  };

  /** @param {any} model of the widget */
  constructor(model) {
    this.model = model;
    /** Called with how the kernel is, again and again. @type {(life: import("./connection.js").Life) => void} */
    this.onLife = () => {};
    model.on("msg:custom", this.#hear);
    for (const event of LOST) model.on(event, this.#lose);
    this.timer = setInterval(() => this.#look(), LOOK);
    const kernel = this;
    /** Events from the kernel, as `EventSource` has them. */
    this.EventSource = class extends EventTarget {
      static CLOSED = 2;
      readyState = 0;

      /** @param {string} address */
      constructor(address) {
        super();
        this.id = makeId();
        kernel.#waiting.set(this.id, (message) => this.#take(message));
        const listen = () => kernel.#send({ kind: "listen", id: this.id, address });
        this.reminder = setInterval(listen, REMINDER);
        kernel.#numListening += 1;
        kernel.#heardAt = performance.now();
        listen();
      }

      close() {
        if (this.readyState === 2) return;
        this.#end();
        kernel.#send({ kind: "unlisten", id: this.id });
      }

      /** @param {any} message */
      #take({ kind, text }) {
        if (kind === "ended") {
          this.#end();
          this.dispatchEvent(new Event("error"));
          return;
        }
        if (this.readyState === 0) {
          this.readyState = 1;
          this.dispatchEvent(new Event("open"));
        }
        const [, name, data] = text.match(/^event: (.*)\ndata: (.*)\n/) ?? [];
        if (name) this.dispatchEvent(new MessageEvent(name, { data }));
      }

      #end() {
        kernel.#numListening -= 1;
        this.readyState = 2;
        clearInterval(this.reminder);
        kernel.#waiting.delete(this.id);
      }
    };
  }

  /**
   * Send a request, as `fetch` does.
   *
   * @param {string} address
   * @param {RequestInit} [options]
   * @returns {Promise<Response>}
   */
  fetch = async (address, { method = "GET", body = null, signal } = {}) => {
    const request = { kind: "request", method, address, body };
    const [{ status, type }, [bytes]] = await this.#ask(request, signal);
    const headers = { "Content-Type": type };
    if (!type.startsWith("application/json")) return new Response(bytes, { status, headers });
    return new Response(await this.#withPictures(new TextDecoder().decode(bytes), signal), { status, headers });
  };

  /** Hear nothing any more. */
  close() {
    clearInterval(this.timer);
    this.model.off("msg:custom", this.#hear);
    for (const event of LOST) this.model.off(event, this.#lose);
    for (const address of this.#pictures.values()) URL.revokeObjectURL(address);
  }

  /**
   * Return a text with addresses of pictures that this window can show.
   *
   * @param {string} text
   * @param {AbortSignal | null} [signal]
   */
  async #withPictures(text, signal) {
    const wanted = new Set(text.match(PICTURE) ?? []);
    const addresses = [...wanted].filter((address) => !this.#pictures.has(address));
    if (addresses.length > 0) {
      const [{ types }, buffers] = await this.#ask({ kind: "pictures", addresses }, signal);
      addresses.forEach((address, i) => {
        const blob = types[i] && new Blob([/** @type {any} */ (buffers[i])], { type: types[i] });
        this.#pictures.set(address, blob ? URL.createObjectURL(blob) : NO_PICTURE);
      });
    }
    return wanted.size > 0 ? text.replace(PICTURE, (address) => this.#pictures.get(address) ?? NO_PICTURE) : text;
  }

  /**
   * Send a message that is answered.
   *
   * @param {object} message
   * @param {AbortSignal | null} [signal]
   * @returns {Promise<[any, DataView[]]>}
   */
  #ask(message, signal) {
    const id = makeId();
    return new Promise((resolve, reject) => {
      const done = () => {
        this.#waiting.delete(id);
        this.#asked.delete(id);
      };
      const giveUp = () => {
        done();
        reject(new DOMException("The request was given up.", "AbortError"));
      };
      if (this.#isRestarted) return giveUp();
      signal?.addEventListener("abort", giveUp);
      this.#asked.set(id, { since: performance.now(), giveUp });
      this.#waiting.set(id, (answer, buffers) => {
        done();
        resolve([answer, buffers]);
      });
      this.#send({ ...message, id });
    });
  }

  /** Find out how the kernel is, and give up what it will not answer. */
  #look() {
    const now = performance.now();
    // The machine was asleep: nothing could be heard.
    if (now - this.#lookedAt > 5 * LOOK) this.#heardAt = now;
    this.#lookedAt = now;
    const asked = [...this.#asked.values()];
    const isExpecting = this.#numListening > 0 || asked.length > 0;
    const isSilent = isExpecting && now - this.#heardAt > SILENCE;
    for (const { since, giveUp } of asked) {
      if (this.#isRestarted || (isSilent && now - since > SILENCE)) giveUp();
    }
    const isSlow = asked.some(({ since }) => now - since > SLOW);
    if (this.#isRestarted) this.onLife("restarted");
    else if (isSilent) this.onLife("silent");
    else this.onLife(isSlow ? "busy" : "free");
  }

  /** @param {object} message */
  #send(message) {
    // Nobody would hear it, and the notebook complains.
    if (!this.#isRestarted) this.model.send(message);
  }
}
