// @ts-check
/**
 * The progress strip: how much was said, how sure the hierarchy is, how much of it is still wrong, and whether the
 * sampling runs.
 */

import { fill, h, s } from "./dom.js";
import { count, grouped, percent, percentRange } from "./format.js";

/** The width and height of the picture of the interval, in pixels. */
const WIDTH = 112;
const HEIGHT = 14;
const EDGE = 5;

const SAMPLING = { starting: "Starting", sampling: "Sampling", resting: "Resting", failed: "Stopped" };

/** In so small a project nothing is said of random checks. */
export const FEWEST_CHECKED = 5;

/** The strip between the header and the columns. */
export class ProgressPanel {
  /**
   * @param {HTMLElement} root
   * @param {import("./app.js").App} app
   */
  constructor(root, app) {
    this.app = app;
    this.answered = makeFigure("answered");
    this.settled = makeFigure("settled", "The share of all statements about three items that your answers settle");
    this.sure = makeFigure("sure", "How much the sampled hierarchies agree with the one that is shown");
    this.picture = h("span", { class: "progress-picture" });
    this.wrong = h("span", { class: "progress-words" });
    this.estimate = h("p", { class: "progress-wrong", "data-testid": "wrong", hidden: true }, this.picture, this.wrong);
    this.sampling = h("span", { class: "progress-sampling-words" });
    this.people = h("span", { class: "progress-people" });
    this.light = h("span", { class: "progress-light", "aria-hidden": "true" });
    const props = { class: "progress-sampling", "data-testid": "sampling" };
    this.status = h("p", props, this.people, this.light, this.sampling);
    this.said = "";
    root.append(
      h(
        "div",
        { class: "progress" },
        h("dl", { class: "progress-figures" }, this.answered.box, this.settled.box, this.sure.box),
        this.estimate,
        this.status,
      ),
    );
    app.on("state", (state) => this.#draw(state));
    app.on("connection", (connection) => {
      root.classList.toggle("progress-off", connection === "off");
      if (connection === "off") write(this.sampling, "Not connected");
      else if (app.state) this.#draw(app.state);
    });
    if (app.state) this.#draw(app.state);
  }

  /** @param {any} state */
  #draw(state) {
    this.answered.set(grouped(state.answered), breakdown(state));
    this.settled.set(percent(state.settled));
    this.sure.set(percent(state.sure));
    this.#drawWrong(state);
    this.#drawSampling(state.sampling);
    write(this.people, state.people > 1 ? `${count(state.people, "window")} open` : "");
  }

  /** @param {any} state */
  #drawWrong({ wrong, checks_needed, settled }) {
    // Where everything is settled, or nearly nothing is to be checked, there is nothing to estimate.
    this.estimate.hidden = settled >= 1 || (this.app.project?.num_items ?? 0) < FEWEST_CHECKED;
    const said = JSON.stringify([wrong, checks_needed]);
    if (said === this.said) return;
    this.said = said;
    if (wrong) {
      fill(this.picture, drawInterval(wrong));
      const checks = count(wrong.num_checks, "random check");
      fill(
        this.wrong,
        h("span", { class: "progress-estimate", text: `about ${percent(wrong.estimate)} of statements still wrong` }),
        ` (${percentRange(wrong.low, wrong.high)}, from ${checks})`,
      );
    } else {
      fill(this.picture, drawInterval(null));
      const checks = count(checks_needed, "more random check");
      const that = ` that ${checks_needed === 1 ? "has" : "have"} an odd one`;
      const known = ["known after ", checks, h("span", { class: "progress-aside", text: that })];
      fill(this.wrong, "How much is still wrong is ", checks_needed > 0 ? known : "not known yet");
    }
  }

  /** @param {any} sampling */
  #drawSampling(sampling) {
    const name = SAMPLING[/** @type {keyof typeof SAMPLING} */ (sampling.state)] ?? sampling.state;
    const isFast = sampling.state === "sampling" && sampling.moves_per_second > 0;
    const speed = isFast ? `, ${grouped(rounded(sampling.moves_per_second))} moves/s` : "";
    write(this.sampling, sampling.state === "failed" ? sampling.words : name + speed);
    this.status.dataset.state = sampling.state;
    if (this.status.title !== sampling.words) this.status.title = sampling.words;
  }
}

/**
 * Draw an interval of shares on a line from 0 to 100 %: a thin line with a thick part and a dot.
 *
 * @param {{estimate: number, low: number, high: number} | null} interval
 * @returns {SVGElement} it is not read aloud: the words beside it say the same
 */
export function drawInterval(interval) {
  const x = (/** @type {number} */ share) => EDGE + share * (WIDTH - 2 * EDGE);
  const y = HEIGHT / 2;
  const tick = (/** @type {number} */ share) => ({ x1: x(share), x2: x(share), y1: y - 3, y2: y + 3 });
  const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT };
  return s(
    "svg",
    { class: "progress-interval", "aria-hidden": "true", ...size },
    s("line", { class: "progress-axis", x1: x(0), x2: x(1), y1: y, y2: y }),
    ...[0, 0.5, 1].map((share) => s("line", { class: "progress-axis", ...tick(share) })),
    interval && s("line", { class: "progress-span", x1: x(interval.low), x2: x(interval.high), y1: y, y2: y }),
    interval && s("circle", { class: "progress-dot", cx: x(interval.estimate), cy: y, r: 4.5 }),
  );
}

/**
 * A number with its word.
 *
 * @param {string} word
 * @param {string} [title]
 */
function makeFigure(word, title = "") {
  const value = h("dd", { class: "progress-value", text: "–" });
  const props = { class: "progress-figure", title: title || null, "data-testid": `progress-${word}` };
  const box = h("div", props, value, h("dt", { text: word }));
  /**
   * @param {string} text
   * @param {string} [more]
   */
  const set = (text, more = title) => {
    write(value, text);
    if (box.title !== more) box.title = more;
  };
  return { box, set };
}

/** @param {any} state */
function breakdown({ corrections, accepted, skipped, alike, set_aside }) {
  const parts = [
    count(corrections, "correction"),
    `${grouped(accepted)} accepted`,
    `${grouped(alike)} all alike`,
    `${grouped(skipped)} skipped`,
  ];
  return parts.join(", ") + (set_aside > 0 ? `; ${count(set_aside, "statement")} set aside` : "");
}

/**
 * Two digits are enough for a speed, and flicker less.
 *
 * @param {number} speed
 */
function rounded(speed) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(speed, 1))) - 1);
  return Math.round(speed / unit) * unit;
}

/**
 * Write a text where it is not written yet: states come four times a second.
 *
 * @param {HTMLElement} element
 * @param {string} text
 */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
