// @ts-check
/**
 * Numbers and times as people read them.
 */

const NUMBERS = new Intl.NumberFormat("en");

/**
 * A share in percent. Rounding never claims certainty: 100 % is exactly all, 0 % exactly nothing.
 *
 * @param {number} share from 0 to 1
 * @returns {string}
 */
export function percent(share) {
  return `${bare(share)}\u00a0%`;
}

/**
 * An interval of shares in percent.
 *
 * @param {number} low
 * @param {number} high
 * @returns {string}
 */
export function percentRange(low, high) {
  return bare(low) === bare(high) ? percent(high) : `${bare(low)} to ${percent(high)}`;
}

/**
 * A number with its word.
 *
 * @param {number} number
 * @param {string} one the word for one
 * @param {string} [many] the word for any other number
 * @returns {string}
 */
export function count(number, one, many = `${one}s`) {
  return `${NUMBERS.format(number)}\u00a0${number === 1 ? one : many}`;
}

/**
 * A number with its thousands apart.
 *
 * @param {number} number
 * @returns {string}
 */
export function grouped(number) {
  return NUMBERS.format(number);
}

/**
 * How long ago something was.
 *
 * @param {string} time in ISO 8601
 * @param {number} [now] in milliseconds
 * @returns {string}
 */
export function ago(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "";
  if (seconds < 45) return "just now";
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${count(minutes, "minute")} ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return `${count(hours, "hour")} ago`;
  const days = Math.round(hours / 24);
  if (days < 14) return days === 1 ? "yesterday" : `${count(days, "day")} ago`;
  return new Date(time).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
}

/**
 * A time in full.
 *
 * @param {string} time in ISO 8601
 * @returns {string}
 */
export function clock(time) {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleString(undefined, { dateStyle: "full", timeStyle: "medium" });
}

/**
 * How long something took.
 *
 * @param {number} seconds
 * @returns {string}
 */
export function duration(seconds) {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))}\u00a0s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)}\u00a0min`;
  return `${Math.round(seconds / 3600)}\u00a0h`;
}

/** @param {number} share */
function bare(share) {
  if (share <= 0) return "0";
  if (share >= 1) return "100";
  const rounded = Math.round(share * 100);
  if (rounded === 0) return "<1";
  return rounded === 100 ? ">99" : String(rounded);
}
