// @ts-check
/**
 * What the panels share: the present question, the state of the project, and what a person can do.
 *
 * Panels subscribe to its events (`Listeners` lists them) and act with its methods; they know nothing of each other.
 */

import { makeId } from "./api.js";
import { Connection } from "./connection.js";
import { Keys } from "./keys.js";
import { Listeners } from "./listeners.js";
import { Outbox } from "./outbox.js";
import { SafeStorage } from "./storage.js";

/** How many gestures of a window are remembered for undoing. */
const MEMORY = 500;

const STILL_SENDING = "The last answer is still on its way; it can be taken back once it has arrived.";

/** The page's state and actions. */
export class App extends Listeners {
  /** @type {Promise<any> | null} */
  #sending = null;
  #shownAt = 0;
  #isAsking = false;

  /**
   * @param {import("./api.js").Api} api
   * @param {object} [options]
   * @param {string} [options.window] identifies this window
   * @param {string | null} [options.who] answers
   * @param {SafeStorage} [options.storage] keeps what must outlive a reload
   */
  constructor(api, { window = makeId(), who = null, storage = new SafeStorage() } = {}) {
    super();
    this.api = api;
    this.window = window;
    /** Who answers. @type {string | null} */
    this.who = who;
    this.storage = storage;
    this.keys = new Keys();
    /** @type {any} */
    this.project = null;
    /** The latest State. @type {any} */
    this.state = null;
    /** The present Question. @type {any} */
    this.question = null;
    /** Why there is no question. @type {string | null} */
    this.words = null;
    /** Whether something is about to be sent: then Enter means that. Set by who shows the question. */
    this.isCorrecting = false;
    this.connection = new Connection(api, (event, detail) => this.#hear(event, detail));
    /** @type {Outbox | null} */
    this.outbox = null;
    /** The gestures of this window that can be undone, the last one last. @type {string[]} */
    this.gestures = [];
  }

  /** Whether the page has the focus while nothing in it has. In a page of others, who puts it there tells. */
  hasFocus() {
    return true;
  }

  /** Whether what is shown belongs to a kernel that is no more. */
  get isGone() {
    return this.connection.life === "restarted";
  }

  /** Whether something is on its way to the server, so that nothing can be answered now. */
  get isBusy() {
    return this.isGone || this.#sending !== null || this.#isAsking || (this.outbox !== null && !this.outbox.isEmpty);
  }

  /** Reach the server, send what an earlier page left behind, and show the present question; does not give up. */
  async start() {
    this.project = await this.connection.insist(() => this.api.project());
    this.who ??= this.project.who;
    this.gestures = this.storage.readList(this.place("gestures"));
    this.outbox = new Outbox(this.api, this.storage, this.place("outbox"), {
      onTrouble: (trouble) => this.connection.setTrouble(trouble),
      isElsewhere: async () => !this.#setState(await this.connection.insist(() => this.api.state())),
    });
    this.emit("project", this.project);
    this.emit("gestures", this.gestures.length);
    this.connection.follow((state) => this.#setState(state));
    await this.#resume();
    if (!this.question) await this.refresh();
  }

  /**
   * Where something of this project is stored. Another project may be served at the same address later.
   *
   * @param {string} what
   * @returns {string}
   */
  place(what) {
    return `treetalk.${what}.${this.project?.id}`;
  }

  /** Show the question that the server has for this window. */
  async refresh() {
    const { question, words } = await this.connection.insist(() => this.api.question(this.window));
    this.#setQuestion(question, words);
  }

  /**
   * Answer the present question. The answer survives a lost connection and a reload; the next question is shown as
   * soon as the server has it. While an answer is on its way a second one is not taken.
   *
   * @param {{kind: "accept" | "same" | "skip"} | {kind: "triplets", triplets: number[][]}} response
   * @param {{comment?: string | null, asked?: null}} [options] `asked: null` if this does not answer the question
   * @returns {Promise<any>} what the server says, or null if it refused the answer
   */
  answer(response, { comment = null, asked } = {}) {
    if (!this.outbox || this.isBusy) return this.#sending ?? Promise.resolve(null);
    if (asked === undefined && !this.question) return Promise.resolve(null);
    const question = asked === undefined ? this.question : null;
    const body = {
      ...this.#circumstances(comment),
      seconds: question ? Math.round((performance.now() - this.#shownAt) / 100) / 10 : null,
      asked: question && {
        kind: question.kind,
        strategy: question.strategy,
        leaves: question.leaves,
        parents: question.piece.parents,
      },
      response,
    };
    return this.#send("answer", body, (said) => {
      this.#remember([...this.gestures, body.gesture]);
      this.#taken(said);
    });
  }

  /** Take this window's last gesture back, and show its question again. */
  undo() {
    if (this.isBusy) {
      this.say(STILL_SENDING);
      return Promise.resolve(null);
    }
    const gesture = this.gestures.at(-1);
    if (gesture) return this.takeBack(gesture);
    this.say("There is nothing to undo in this window. The history lists all answers.");
    return Promise.resolve(null);
  }

  /**
   * Tell that something was recorded, with the offer to take just that back. What contradicts other answers is
   * explained elsewhere, and is no success.
   *
   * @param {any} said by the server
   * @param {string} words
   */
  tellRecorded(said, words) {
    if (said.conflicts?.length > 0) return;
    const { gesture } = said.answers[0];
    const more = said.taken_back?.length > 0 ? " What was said before is taken back." : "";
    this.say(words + more, { tone: "good", action: { label: "Undo", run: () => this.takeBack(gesture), gesture } });
  }

  /**
   * Take a gesture or single answers back.
   *
   * @param {string | {answers: number[]}} what
   * @param {{comment?: string | null}} [options]
   * @returns {Promise<any>} what the server says, or null if it refused
   */
  takeBack(what, { comment = null } = {}) {
    if (!this.outbox || this.isBusy) {
      this.say(STILL_SENDING);
      return Promise.resolve(null);
    }
    const target = typeof what === "string" ? { takes_back: what } : { answers: what.answers };
    const body = { ...this.#circumstances(comment), ...target };
    const forget = () => this.#remember(this.gestures.filter((gesture) => gesture !== what));
    return this.#send("retract", body, (said) => {
      forget();
      this.#taken(said);
      const again = said.back_in_force?.length ?? 0;
      const back = again ? ` ${again === 1 ? "One answer is" : `${again} answers are`} in force again.` : "";
      const more = said.stay_taken_back?.length > 0 ? `${back} What was said before it stays taken back.` : back;
      if (!said.conflicts?.length) this.say(`Taken back.${more}`, { tone: "good" });
    }).then((said) => {
      // A gesture that cannot be taken back (someone else did) must not block those before it.
      if (said === null) forget();
      return said;
    });
  }

  /**
   * Ask to be asked.
   *
   * @param {{leaves: number[]} | {branch: string}} about
   * @returns {Promise<any>} the question, or null if there is none
   */
  async askAbout(about) {
    if (this.isBusy) return null;
    this.#isAsking = true;
    this.emit("busy", true);
    try {
      const { question } = await this.api.askAbout({ window: this.window, ...about });
      this.#isAsking = false;
      this.#setQuestion(question, null);
      this.emit("asked", question);
      return question;
    } catch (error) {
      this.#complain(error);
      return null;
    } finally {
      this.#isAsking = false;
      this.emit("busy", this.isBusy);
    }
  }

  /**
   * Give a cluster a name, or take it away with null.
   *
   * @param {string} branch
   * @param {string | null} name
   * @returns {Promise<boolean>} whether it was done
   */
  async nameBranch(branch, name) {
    try {
      const { revision } = await this.api.name({ branch, name, project: this.project.id, who: this.who });
      if (this.state) this.state.revision = revision;
      this.emit("revision", revision);
      return true;
    } catch (error) {
      this.#complain(error);
      return false;
    }
  }

  /**
   * Comment on an answer.
   *
   * @param {number} answer
   * @param {string} text
   * @returns {Promise<any>} the comment, or null if it was refused
   */
  async comment(answer, text) {
    try {
      const { comment } = await this.api.comment({ answer, text, project: this.project.id, who: this.who });
      return comment;
    } catch (error) {
      this.#complain(error);
      return null;
    }
  }

  /**
   * Sign in with a token, and go on where the page was.
   *
   * @param {string} token
   * @returns {Promise<boolean>} whether the server takes it
   */
  async unlock(token) {
    try {
      if (this.#setState(await this.api.signIn(token))) this.reconnect();
      return true;
    } catch {
      return false;
    }
  }

  /**
   * The page is looked at, or is not.
   *
   * @param {boolean} isSeen
   */
  setSeen(isSeen) {
    this.connection.setSeen(isSeen);
    if (!isSeen || !this.project) return;
    this.reconnect();
    this.api.state().then(
      (state) => this.#setState(state),
      () => null,
    );
  }

  /** Try at once whatever waits for the connection. */
  reconnect() {
    this.connection.wake();
    this.outbox?.retry();
  }

  /** Give up the answer that cannot be sent. */
  discard() {
    this.outbox?.discard();
  }

  /** @param {string | null} comment what all that is recorded says of how it came about */
  #circumstances(comment) {
    return { gesture: makeId(), window: this.window, project: this.project.id, who: this.who, comment };
  }

  /** Send what an earlier page in this window left behind. */
  async #resume() {
    const outbox = /** @type {Outbox} */ (this.outbox);
    if (outbox.isEmpty) return;
    this.emit("busy", true);
    for (const { entry, said, error } of await outbox.resume()) {
      if (error) {
        this.#complain(error);
        continue;
      }
      const others = this.gestures.filter((gesture) => gesture !== entry.body.takes_back);
      this.#remember(entry.kind === "answer" ? [...others, entry.body.gesture] : others);
      this.#taken(said);
      this.say("The answer from before was sent.", { tone: "good" });
    }
    this.emit("busy", false);
  }

  /**
   * @param {"answer" | "retract"} kind
   * @param {any} body
   * @param {(said: any) => void} done
   */
  #send(kind, body, done) {
    const outbox = /** @type {Outbox} */ (this.outbox);
    this.#sending = outbox
      .send(kind, body)
      .then((said) => {
        this.#sending = null;
        done(said);
        return said;
      })
      .catch((error) => {
        this.#sending = null;
        this.#complain(error);
        return null;
      })
      .finally(() => this.emit("busy", this.isBusy));
    this.emit("busy", true);
    return this.#sending;
  }

  /**
   * Take in what the server says to an answer or a retraction.
   *
   * @param {any} said
   */
  #taken(said) {
    if (said.question || "words" in said) this.#setQuestion(said.question, said.words ?? null);
    if (said.state) this.#setState(said.state);
    if (said.conflicts?.length > 0) this.emit("conflicts", said.conflicts);
  }

  /** @param {string[]} gestures */
  #remember(gestures) {
    this.gestures = gestures.slice(-MEMORY);
    this.storage.write(this.place("gestures"), this.gestures);
    this.emit("gestures", this.gestures.length);
  }

  /**
   * @param {any} question
   * @param {string | null} words
   */
  #setQuestion(question, words) {
    this.question = question ?? null;
    this.words = question ? null : (words ?? "");
    this.#shownAt = performance.now();
    this.emit("question", this.question);
    this.emit("marks", this.question?.leaves ?? []);
  }

  /**
   * Take in how things stand.
   *
   * @param {any} state
   * @returns {boolean} false if it is that of another project, with which this page has nothing to do
   */
  #setState(state) {
    if (this.project && state.project !== this.project.id) {
      // What was said about this one stays stored, and is not sent to the other.
      this.emit("elsewhere", state.project);
      return false;
    }
    const before = this.state;
    this.state = state;
    this.emit("state", state);
    const isAnew = before?.start !== state.start;
    if (isAnew || before.revision !== state.revision) this.emit("revision", state.revision);
    if (isAnew || before.num_records !== state.num_records) this.emit("records", state.num_records);
    if (isAnew || before.num_comments !== state.num_comments) this.emit("comments", state.num_comments);
    return true;
  }

  /**
   * @param {string} event of the connection
   * @param {any} detail
   */
  #hear(event, detail) {
    this.emit(event, detail);
    if (event === "life") this.emit("busy", this.isBusy);
    if (detail === "on" || (event === "locked" && !detail)) this.outbox?.retry();
  }

  /** @param {any} error */
  #complain(error) {
    if (error.code !== "aborted") this.say(error.message, { tone: "bad" });
  }
}
