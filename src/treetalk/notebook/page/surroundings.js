// @ts-check
/**
 * What a frame in a cell has to find out about the notebook around it: whether it is dark, and how much room there is.
 */

/** How long a notebook takes to change its look, in milliseconds. */
const CHANGE = 250;

/** Below that width there is room for one thing at a time only, as the style sheets have it. */
const NARROW = 779;

/**
 * Keep an element marked as light or dark, as what is around it.
 *
 * @param {HTMLElement} host
 * @returns {() => void} stop
 */
export function followTheme(host) {
  const system = matchMedia("(prefers-color-scheme: dark)");
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const look = () => {
    const lightness = lightnessAround(host);
    const isDark = lightness === null ? system.matches : lightness < 0.5;
    const theme = isDark ? "dark" : "light";
    if (host.dataset.theme !== theme) host.dataset.theme = theme;
  };
  const lookSoon = () => {
    look();
    clearTimeout(timer);
    timer = setTimeout(look, CHANGE);
  };
  // A notebook says that it is dark by some class or attribute, or by another style sheet.
  const observer = new MutationObserver(lookSoon);
  for (const element of [document.documentElement, document.body]) observer.observe(element, { attributes: true });
  observer.observe(document.head, { childList: true });
  system.addEventListener("change", lookSoon);
  lookSoon();
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    system.removeEventListener("change", lookSoon);
  };
}

/**
 * How light the background behind an element is, from 0 to 1; null if nothing has one.
 *
 * @param {HTMLElement} element
 * @returns {number | null}
 */
function lightnessAround(element) {
  for (let above = element.parentElement; above; above = above.parentElement) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(above).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
    if (blue !== undefined && alpha > 0.5) return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
  }
  return null;
}

/** Whether an element is so narrow that there is room for one thing at a time only; as a media query, but of a cell. */
export class Narrow extends EventTarget {
  /** @param {HTMLElement} element */
  constructor(element) {
    super();
    this.matches = element.clientWidth <= NARROW;
    this.observer = new ResizeObserver(() => {
      const isNarrow = element.clientWidth <= NARROW;
      if (element.clientWidth === 0 || isNarrow === this.matches) return;
      this.matches = isNarrow;
      this.dispatchEvent(new Event("change"));
    });
    this.observer.observe(element);
  }

  /** Look no longer. */
  close() {
    this.observer.disconnect();
  }
}
