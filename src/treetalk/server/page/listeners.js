// @ts-check
/**
 * How the panels hear of each other: they know the events of the app, and nothing else.
 *
 * | event | detail | when |
 * | --- | --- | --- |
 * | project | Project | the project is known |
 * | elsewhere | id | another project is served here now: the page has to be loaded anew |
 * | question | Question or null | this question is to be shown now (null: none; `words` says why) |
 * | marks | item numbers | the items of the present question changed |
 * | correcting | boolean | something is about to be sent (`isCorrecting`) |
 * | busy | boolean | an answer is on its way: take no second one |
 * | state | State | the server said how things stand |
 * | revision | revision | the tree changed |
 * | records | number of records | answers changed |
 * | comments | number of comments | somebody remarked on an answer |
 * | conflicts | Conflict[] | the last answer clashes with earlier ones |
 * | connection | "on" or "off" | the server can be reached, or cannot |
 * | life | "free", "busy", "silent" or "restarted" | how the kernel of a notebook is |
 * | locked | boolean | the server asks for its token |
 * | trouble | {error, attempts} or null | an answer could not be sent yet |
 * | gestures | number | how many gestures of this window can be undone |
 * | asked | Question | a person wanted to be asked about something |
 * | statement | item numbers, or nothing | a person wants to know how sure something is |
 * | hint | boolean | how to answer is explained on the page, or is no more |
 * | say, announce | {text, tone, action}, text | something to tell, to all or to those who listen to the page |
 */

/** Those who subscribed to events. */
export class Listeners {
  /** @type {Map<string, Set<(detail: any) => void>>} */
  #listeners = new Map();

  /**
   * Subscribe to an event.
   *
   * @param {string} event
   * @param {(detail: any) => void} listener
   * @returns {() => void} unsubscribe
   */
  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /**
   * Tell those who subscribed. A panel that fails must not keep the others from hearing it.
   *
   * @param {string} event
   * @param {any} [detail]
   */
  emit(event, detail) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        listener(detail);
      } catch (error) {
        console.error(error);
      }
    }
  }

  /**
   * Tell the person something, in a toast that is also read aloud.
   *
   * @param {string} text
   * @param {{tone?: "info" | "good" | "bad", action?: import("./toasts.js").Action | null}} [options]
   */
  say(text, { tone = "info", action = null } = {}) {
    this.emit("say", { text, tone, action });
  }

  /**
   * Tell those who listen to the page something that the others see.
   *
   * @param {string} text
   */
  announce(text) {
    this.emit("announce", text);
  }
}
