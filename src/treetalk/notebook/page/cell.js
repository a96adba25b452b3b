// @ts-check
/**
 * The page in a cell of a notebook: in a root of its own, so that the styles of neither side reach the other, and with
 * keys that act only while the focus is in it.
 */

import { Api, makeId } from "./api.js";
import { App } from "./app.js";
import { assemble } from "./assembly.js";
import { h } from "./dom.js";
import { Kernel } from "./kernel.js";
import { SafeStorage } from "./storage.js";
import { Narrow, followTheme } from "./surroundings.js";

/** How long to wait for a response, in milliseconds: a cell may run for long, and then its kernel answers. */
const PATIENCE = 900_000;

/**
 * Put the page into an element.
 *
 * @param {{model: any, el: HTMLElement, style: string, body: string}} parts
 * @returns {() => void} take it away
 */
export function mount({ model, el, style, body }) {
  const host = h("div", { class: "treetalk-cell" });
  el.append(host);
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  const frame = h("div", { class: "frame", tabindex: "-1", role: "group", "aria-label": "treetalk" });
  frame.innerHTML = body;
  root.append(frame);
  const setHeight = () => frame.style.setProperty("--cell-height", `${model.get("height")}px`);
  setHeight();
  model.on("change:height", setHeight);

  const kernel = new Kernel(model);
  const { fetch, EventSource } = kernel;
  const api = new Api("/api/v1", { fetch, EventSource, hasAddresses: false, patience: PATIENCE });
  const app = new App(api, { window: makeId(), who: model.get("who") || null, storage: new SafeStorage() });
  kernel.onLife = (life) => app.connection.setLife(life);
  const narrow = new Narrow(host);
  const leaveTheme = followTheme(host);
  const leaveFocus = keepFocus(host, root, frame, app);
  app.keys.listen(frame);
  assemble(frame, app, { narrow, help: null, memory: new SafeStorage(() => window.localStorage) });
  const look = () => app.setSeen(!document.hidden);
  document.addEventListener("visibilitychange", look);
  look();
  app.start().catch((error) => app.say(error.message, { tone: "bad" }));

  return () => {
    document.removeEventListener("visibilitychange", look);
    model.off("change:height", setHeight);
    leaveTheme();
    leaveFocus();
    narrow.close();
    app.connection.setSeen(false);
    kernel.close();
    host.remove();
  };
}

/**
 * Have keys stay in here, and the focus too when what had it goes away, unless the person went elsewhere.
 *
 * @param {HTMLElement} host
 * @param {ShadowRoot} root
 * @param {HTMLElement} frame
 * @param {App} app
 * @returns {() => void} stop
 */
function keepFocus(host, root, frame, app) {
  let isHere = false;
  const look = (/** @type {Event} */ event) => {
    isHere = event.composedPath().includes(host);
  };
  // JupyterLab has keys of its own, and looks before anybody else does; this asks it to leave those alone that are
  // pressed in here, but for the one that saves the notebook.
  const claim = (/** @type {KeyboardEvent} */ event) => {
    host.toggleAttribute("data-lm-suppress-shortcuts", !isSaving(event));
  };
  window.addEventListener("keydown", claim, true);
  const kinds = ["pointerdown", "focusin"];
  for (const kind of kinds) document.addEventListener(kind, look, true);
  app.hasFocus = () => isHere;
  const comeBack = () => {
    if (isHere && !root.activeElement && host.isConnected) frame.focus({ preventScroll: true });
  };
  for (const event of ["question", "busy", "records"]) app.on(event, () => setTimeout(comeBack));
  for (const kind of ["keydown", "keyup", "keypress"]) {
    host.addEventListener(kind, (event) => isSaving(event) || event.stopPropagation());
  }
  // The right button opens a menu in here, or else that of the notebook.
  host.addEventListener("contextmenu", (event) => event.defaultPrevented && event.stopPropagation());
  return () => {
    window.removeEventListener("keydown", claim, true);
    for (const kind of kinds) document.removeEventListener(kind, look, true);
  };
}

/** Whether somebody saves the notebook. @param {any} event */
function isSaving(event) {
  return (event.ctrlKey || event.metaKey) && event.key?.toLowerCase() === "s";
}
