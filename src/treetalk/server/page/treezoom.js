// @ts-check
/**
 * The height of the rows: what is usual, and how two fingers, or the wheel with Ctrl, change it.
 */

/** The heights that a row may have, in pixels. */
export const ROW = { least: 12, most: 40 };

/** How much the wheel changes the height. */
const SPEED = 0.004;

/**
 * The usual height of a row: as the page's design says, and more where rows are touched by a finger.
 *
 * @param {HTMLElement} element
 */
export function usualRow(element) {
  if (matchMedia("(pointer: coarse)").matches) return ROW.most;
  return parseFloat(getComputedStyle(element).getPropertyValue("--row")) || 26;
}

/**
 * Let pinching, and the wheel with Ctrl, change the height of the rows.
 *
 * @param {HTMLElement} scroller
 * @param {() => number} row the present height
 * @param {(row: number, pixel: number) => void} setRow called with the new height, and with what is to keep its place
 */
export function listenForZoom(scroller, row, setRow) {
  const inside = (/** @type {number} */ clientY) => clientY - scroller.getBoundingClientRect().top;
  scroller.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      // A notch of a mouse wheel is a hundred, a trackpad sends many small ones.
      const delta = Math.max(-60, Math.min(60, event.deltaY));
      setRow(row() * Math.exp(-delta * SPEED), inside(event.clientY));
    },
    { passive: false },
  );

  let start = { distance: 0, row: 0 };
  const distance = (/** @type {TouchList} */ touches) =>
    Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  scroller.addEventListener(
    "touchstart",
    (event) => {
      if (event.touches.length === 2) start = { distance: distance(event.touches), row: row() };
    },
    { passive: true },
  );
  scroller.addEventListener(
    "touchmove",
    (event) => {
      if (event.touches.length !== 2 || start.distance === 0) return;
      event.preventDefault();
      const middle = (event.touches[0].clientY + event.touches[1].clientY) / 2;
      setRow((start.row * distance(event.touches)) / start.distance, inside(middle));
    },
    { passive: false },
  );
}
