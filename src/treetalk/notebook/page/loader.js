// @ts-check
/**
 * Loads the page of the web application into a cell. The only module that the notebook itself loads: it asks the kernel
 * for the others, and makes addresses for them that hold in this window alone.
 */

/** How long to wait for the kernel before it is said that it does not answer, in milliseconds. */
const PATIENCE = 5000;

const SILENT =
  "This is how the hierarchy was when the notebook was saved, or the kernel is busy. Run the cell to talk about it.";

/**
 * @typedef {object} Parts
 * @property {[string, string][]} modules names and sources, each after those that it imports
 * @property {string} style
 * @property {string} body
 */

/**
 * Ask the kernel for the parts of the page.
 *
 * @param {any} model
 * @param {AbortSignal} signal
 * @returns {Promise<Parts>}
 */
function askFor(model, signal) {
  return new Promise((resolve) => {
    const hear = (/** @type {any} */ message) => {
      if (message.kind !== "page") return;
      model.off("msg:custom", hear);
      resolve(message);
    };
    model.on("msg:custom", hear);
    signal.addEventListener("abort", () => model.off("msg:custom", hear));
    model.send({ kind: "page" });
  });
}

/**
 * Make addresses for modules, and return that of the last one.
 *
 * @param {[string, string][]} modules
 * @returns {Record<string, string>}
 */
function addressesOf(modules) {
  /** @type {Record<string, string>} */
  const addresses = {};
  for (const [name, source] of modules) {
    const text = source.replace(/"page:([\w.-]+)"/g, (_, other) => JSON.stringify(addresses[other]));
    const named = `${text}\n//# sourceURL=treetalk/${name}\n`;
    addresses[name] = URL.createObjectURL(new Blob([named], { type: "text/javascript" }));
  }
  return addresses;
}

/**
 * Show what was saved, until the kernel answers.
 *
 * @param {any} model
 * @param {HTMLElement} el
 */
function showStill(model, el) {
  const words = document.createElement("p");
  words.textContent = SILENT;
  const still = document.createElement("div");
  // A drawing that the kernel made, in which all text is escaped.
  still.innerHTML = model.get("still");
  el.replaceChildren(words, still);
}

/** @param {{model: any, el: HTMLElement}} view */
async function render({ model, el }) {
  const left = new AbortController();
  /** @type {() => void} */
  let unmount = () => {};
  const timer = setTimeout(() => showStill(model, el), PATIENCE);
  askFor(model, left.signal).then(async ({ modules, style, body }) => {
    clearTimeout(timer);
    const addresses = addressesOf(modules);
    const { mount } = await import(addresses["cell.js"]);
    for (const address of Object.values(addresses)) URL.revokeObjectURL(address);
    if (left.signal.aborted) return;
    el.replaceChildren();
    unmount = mount({ model, el, style, body });
  });
  return () => {
    clearTimeout(timer);
    left.abort();
    unmount();
  };
}

export default { render };
