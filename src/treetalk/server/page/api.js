// @ts-check
/**
 * The transport: every endpoint of the HTTP API as a method, and the stream of events.
 */

/** How long to wait for a response, in milliseconds: longer than anything the server does for a page. */
const PATIENCE = 30_000;

/** How long to wait before the stream of events is opened again, in milliseconds. */
const PAUSES = [500, 1000, 2000, 4000, 8000];

/** What the server refused, or that it could not be reached (status 0). */
export class ApiError extends Error {
  /**
   * @param {string} code a word for programs
   * @param {string} message a sentence for people
   * @param {number} status of HTTP; 0 if there was no connection
   */
  constructor(code, message, status) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.status = status;
  }

  /** Whether the same request may succeed later: no connection, not signed in, or the server is in trouble. */
  get mayPass() {
    return this.status === 0 || [401, 403, 408, 429].includes(this.status) || this.status >= 500;
  }
}

/**
 * Make an identifier that no one else makes. `crypto.randomUUID` is missing in pages that come from another machine
 * without encryption, so the same is made by hand there.
 *
 * @returns {string}
 */
export function makeId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The HTTP API of a treetalk server, version 1. */
export class Api {
  /**
   * @param {string} [base] where the API is
   * @param {object} [transport] how requests get there, by default over the network
   * @param {typeof globalThis.fetch} [transport.fetch]
   * @param {any} [transport.EventSource]
   * @param {boolean} [transport.hasAddresses] whether the browser itself can follow a link to it
   * @param {number} [transport.patience] how long to wait for a response, in milliseconds
   */
  constructor(
    base = "/api/v1",
    { fetch = globalThis.fetch, EventSource = globalThis.EventSource, hasAddresses = true, patience = PATIENCE } = {},
  ) {
    this.base = base;
    this.fetch = fetch.bind(globalThis);
    this.EventSource = EventSource;
    this.hasAddresses = hasAddresses;
    this.patience = patience;
    /** Called with the status of every response, and with 0 where there was none. @type {(status: number) => void} */
    this.onStatus = () => {};
  }

  /** The project: its name, the number of items, who answers, the exports. */
  project() {
    return this.#get("/project");
  }

  /** @param {number} number of an item */
  item(number) {
    return this.#get(`/items/${number}`);
  }

  /**
   * Items and clusters whose label or text contains what is sought.
   *
   * @param {string} text
   * @param {{limit?: number, signal?: AbortSignal}} [options]
   */
  search(text, { limit = 20, signal } = {}) {
    return this.#get(`/search?${new URLSearchParams({ q: text, limit: String(limit) })}`, signal);
  }

  /** @param {string} window this window's present question is returned */
  question(window) {
    return this.#get(`/question?${new URLSearchParams({ window })}`);
  }

  /** @param {{window: string, leaves?: number[], branch?: string}} body what to be asked about */
  askAbout(body) {
    return this.#post("/question", body);
  }

  /**
   * What a drop means, in triplets and in words.
   *
   * @param {{leaves: number[], original: number[], current: number[], moved: number[], node: number,
   *   onto: number}} body
   * @param {{signal?: AbortSignal}} [options]
   */
  rearrange(body, { signal } = {}) {
    return this.#post("/rearrangements", body, signal);
  }

  /** @param {object} body a gesture, what was asked, and the response */
  answer(body) {
    return this.#post("/answers", body);
  }

  /** @param {object} body a gesture, and which gesture or answers it takes back */
  retract(body) {
    return this.#post("/retractions", body);
  }

  /** @param {{answer: number, text: string, project: string, who: string | null}} body */
  comment(body) {
    return this.#post("/comments", body);
  }

  /**
   * Gestures, newest first.
   *
   * @param {number | null} [before] only those before this answer
   * @param {number} [limit]
   */
  history(before = null, limit = 50) {
    const query = new URLSearchParams({ limit: String(limit) });
    if (before !== null) query.set("before", String(before));
    return this.#get(`/history?${query}`);
  }

  /** The answers that are set aside, each with those that it contradicts. */
  conflicts() {
    return this.#get("/conflicts");
  }

  /**
   * The part of the hierarchy that is in view.
   *
   * @param {object} view
   * @param {{signal?: AbortSignal}} [options]
   */
  tree(view, { signal } = {}) {
    return this.#post("/tree", view, signal);
  }

  /**
   * How sure it is that a and b belong together, apart from c.
   *
   * @param {number} a
   * @param {number} b
   * @param {number} c
   */
  statement(a, b, c) {
    return this.#get(`/statement?${new URLSearchParams({ a: String(a), b: String(b), c: String(c) })}`);
  }

  /** @param {{branch: string, name: string | null, project: string, who: string | null}} body */
  name(body) {
    return this.#post("/names", body);
  }

  /** How far the answers and the sampling are. */
  state() {
    return this.#get("/state");
  }

  /**
   * The address of an export.
   *
   * @param {string} format
   * @param {{clusters?: number | null}} [options] of labels: how many groups
   */
  exportUrl(format, { clusters = null } = {}) {
    const query = clusters === null ? "" : `?${new URLSearchParams({ clusters: String(clusters) })}`;
    return `${this.base}/export/${encodeURIComponent(format)}${query}`;
  }

  /**
   * Sign in with the token that the server printed when it was started; it answers with the cookie.
   *
   * @param {string} token
   */
  async signIn(token) {
    const address = `/?${new URLSearchParams({ token })}`;
    await this.fetch(address, { credentials: "same-origin", cache: "no-store" }).catch(() => null);
    return this.state();
  }

  /**
   * Listen to the server. The browser reconnects by itself, but gives up when it is refused: then it is opened anew
   * after a pause.
   *
   * @param {{state: (state: any) => void, connection: (connection: "on" | "off") => void}} listener
   * @returns {() => void} stop listening
   */
  events(listener) {
    let isStopped = false;
    let attempt = 0;
    /** @type {EventSource} */
    let source;
    /** @type {ReturnType<typeof setTimeout>} */
    let timer;
    const open = () => {
      source = new this.EventSource(`${this.base}/events`);
      source.addEventListener("open", () => {
        attempt = 0;
        listener.connection("on");
      });
      source.addEventListener("state", (event) => listener.state(JSON.parse(event.data)));
      source.addEventListener("error", () => {
        listener.connection("off");
        if (source.readyState !== this.EventSource.CLOSED || isStopped) return;
        // An EventSource does not tell why it was refused; an ordinary request does.
        this.state().catch(() => null);
        timer = setTimeout(open, PAUSES[Math.min(attempt++, PAUSES.length - 1)]);
      });
    };
    open();
    return () => {
      isStopped = true;
      clearTimeout(timer);
      source.close();
    };
  }

  /**
   * @param {string} path
   * @param {AbortSignal} [signal]
   */
  #get(path, signal) {
    return this.#request(path, { headers: { Accept: "application/json" } }, signal);
  }

  /**
   * @param {string} path
   * @param {object} body
   * @param {AbortSignal} [signal]
   */
  #post(path, body, signal) {
    const headers = { Accept: "application/json", "Content-Type": "application/json" };
    return this.#request(path, { method: "POST", headers, body: JSON.stringify(body) }, signal);
  }

  /**
   * @param {string} path
   * @param {RequestInit} options
   * @param {AbortSignal} [signal] of the caller, who no longer wants the response
   * @returns {Promise<any>}
   */
  async #request(path, options, signal) {
    const patience = new AbortController();
    const timer = setTimeout(() => patience.abort(), this.patience);
    signal?.addEventListener("abort", () => patience.abort());
    if (signal?.aborted) patience.abort();
    try {
      const response = await this.fetch(this.base + path, {
        credentials: "same-origin",
        cache: "no-store",
        signal: patience.signal,
        ...options,
      });
      const body = await response.text();
      this.onStatus(response.status);
      return parsed(response, body);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal?.aborted) throw new ApiError("aborted", "The request was given up.", 0);
      this.onStatus(0);
      const other = this.hasAddresses ? "server" : "kernel";
      throw new ApiError("no_connection", `There is no connection to the ${other}.`, 0);
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Return what a response says, or throw what it refuses.
 *
 * @param {Response} response
 * @param {string} body
 */
function parsed(response, body) {
  let said;
  try {
    said = JSON.parse(body);
  } catch {
    said = null;
  }
  if (response.ok && said !== null) return said;
  const error = said?.error;
  const message = error?.message ?? `The server answered with status ${response.status} and no explanation.`;
  throw new ApiError(error?.code ?? "unknown", message, response.ok ? 502 : response.status);
}
