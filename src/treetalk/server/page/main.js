// @ts-check
/**
 * The page: makes the app, and has it assembled in the document's body. The only module that knows the document and
 * the address.
 */

import { Api, makeId } from "./api.js";
import { App } from "./app.js";
import { assemble } from "./assembly.js";
import { SafeStorage } from "./storage.js";

/** The most characters that the server takes as who answers. */
const LONGEST_NAME = 200;

/** Where it is noted which project was left, to be told on the page of the next one. */
const LEFT = "treetalk.left";

/**
 * Return the identifier of this window: kept over a reload, but not shared with a window that was made by duplicating
 * this one, which would be asked the same questions. A lock tells them apart.
 *
 * @param {Pick<Storage, "getItem" | "setItem">} storage
 * @returns {Promise<string>}
 */
async function windowId(storage) {
  const kept = storage.getItem("treetalk.window");
  const id = kept && /^[\w-]{8,64}$/.test(kept) ? kept : makeId();
  for (const pause of [0, 250]) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (await isMine(id)) {
      storage.setItem("treetalk.window", id);
      return id;
    }
  }
  const other = makeId();
  storage.setItem("treetalk.window", other);
  await isMine(other);
  return other;
}

/**
 * Take the lock of a window for as long as the page lives; false if another page has it.
 *
 * @param {string} id
 * @returns {Promise<boolean>}
 */
function isMine(id) {
  return new Promise((resolve) => {
    if (!navigator.locks) return resolve(true);
    navigator.locks
      .request(`treetalk.window.${id}`, { ifAvailable: true }, (lock) => {
        resolve(lock !== null);
        return lock && new Promise(() => {});
      })
      .catch(() => resolve(true));
  });
}

/**
 * Load the page anew when another project is served, and say there what became of what was said about the one before.
 *
 * @param {App} app
 */
function leaveOtherProjects(app) {
  app.on("elsewhere", () => {
    const isWaiting = app.outbox !== null && !app.outbox.isEmpty;
    app.storage.write(LEFT, { name: app.project.name, isWaiting });
    window.location.reload();
  });
  app.on("project", (project) => {
    const left = app.storage.read(LEFT);
    app.storage.removeItem(LEFT);
    if (!left) return;
    const here = `Another project is served here now: ${project.name}.`;
    const kept = `Your last answer to ${left.name} is kept, and is sent when that is served here again.`;
    if (left.isWaiting) app.say(`${here} ${kept}`, { tone: "bad" });
    else app.say(here);
  });
}

async function main() {
  const storage = new SafeStorage(() => window.sessionStorage);
  const who = new URLSearchParams(window.location.search).get("user")?.trim().slice(0, LONGEST_NAME) || null;
  const app = new App(new Api(), { window: await windowId(storage), who, storage });
  app.keys.listen(document);
  assemble(document.body, app, {
    narrow: window.matchMedia("(max-width: 899px)"),
    help: "/help",
    memory: new SafeStorage(() => window.localStorage),
  });
  app.on("project", (project) => {
    document.title = `${project.name} · treetalk`;
  });
  window.addEventListener("online", () => app.reconnect());
  document.addEventListener("visibilitychange", () => app.setSeen(!document.hidden));
  app.setSeen(!document.hidden);
  leaveOtherProjects(app);
  // What is refused for good, and not only for now, has to be said.
  await app.start().catch((error) => app.say(error.message, { tone: "bad" }));
}

main();
