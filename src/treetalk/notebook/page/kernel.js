// @ts-check
/**
 * The transport to a kernel: requests and events as messages of a widget, in place of a network.
 */

import { makeId } from "./api.js";

/** How often the kernel is told that somebody still listens, in milliseconds. */
const REMINDER = 45_000;

/** Where pictures are, as the server tells it. */
const PICTURE = /\/api\/v1\/items\/\d+\/picture\?of=\w+/g;

/** A picture that cannot be shown. */
const NO_PICTURE = "data:,";

/** A kernel, through the widget of a cell. */
export class Kernel {
  /** @type {Map<string, (message: any, buffers: DataView[]) => void>} */
  #waiting = new Map();
  /** The addresses of pictures that are here, by those that the server gave them. @type {Map<string, string>} */
  #pictures = new Map();
  #hear = (/** @type {any} */ message, /** @type {DataView[]} */ buffers) => {
    this.#waiting.get(message.id)?.(message, buffers ?? []);
  };

  /** @param {any} model of the widget */
  constructor(model) {
    this.model = model;
    model.on("msg:custom", this.#hear);
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
    this.model.off("msg:custom", this.#hear);
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
      const done = () => this.#waiting.delete(id);
      signal?.addEventListener("abort", () => {
        done();
        reject(new DOMException("The request was given up.", "AbortError"));
      });
      this.#waiting.set(id, (answer, buffers) => {
        done();
        resolve([answer, buffers]);
      });
      this.#send({ ...message, id });
    });
  }

  /** @param {object} message */
  #send(message) {
    this.model.send(message);
  }
}
