// @ts-check
/**
 * The page: finds the places of the panels, makes the app, and joins them. The only module that knows the document
 * and the address.
 */

import { Api, makeId } from "./api.js";
import { App } from "./app.js";
import { Banner } from "./banner.js";
import { ConflictsDialog, showConflicts } from "./conflicts.js";
import { icon } from "./dom.js";
import { ExportMenu } from "./exports.js";
import { HierarchyPanel } from "./hierarchy.js";
import { Hint, NoQuestion } from "./hint.js";
import { HistoryPanel } from "./history.js";
import { HelpDialog } from "./keyhelp.js";
import { ProgressPanel } from "./progress.js";
import { QuestionPanel } from "./question.js";
import { Search } from "./search.js";
import { StatementPanel } from "./statement.js";
import { SafeStorage } from "./storage.js";
import { Toasts } from "./toasts.js";

/** The most characters that the server takes as who answers. */
const LONGEST_NAME = 200;

/** Where it is noted which project was left, to be told on the page of the next one. */
const LEFT = "treetalk.left";

const NARROW = window.matchMedia("(max-width: 899px)");

/**
 * @param {string} id
 * @returns {any} the element
 */
function place(id) {
  return document.getElementById(id);
}

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
 * The views: both columns with a drawer where there is room, else one at a time.
 *
 * @param {HistoryPanel} history
 * @param {App} app
 */
function makeViews(history, app) {
  const drawer = place("history");
  const button = place("menu-history");
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".frame-tab")]);

  const show = (/** @type {string} */ tab) => {
    document.body.dataset.tab = tab;
    for (const one of tabs) one.setAttribute("aria-current", String(one.dataset.tab === tab));
    if (NARROW.matches) openDrawer(tab === "history");
  };
  const openDrawer = (/** @type {boolean} */ isOpen) => {
    drawer.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) history.refresh();
  };
  const toggleHistory = () => {
    if (NARROW.matches) return show(document.body.dataset.tab === "history" ? "question" : "history");
    const isOpen = drawer.hidden;
    openDrawer(isOpen);
    (isOpen ? drawer : button).focus();
  };
  const closeHistory = () => {
    if (!drawer.hidden) toggleHistory();
  };
  for (const tab of tabs) tab.addEventListener("click", () => show(tab.dataset.tab ?? "question"));
  button.addEventListener("click", toggleHistory);
  drawer.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    closeHistory();
  });
  NARROW.addEventListener("change", () => {
    openDrawer(false);
    show("question");
  });
  app.keys.add("h", "Show or hide the history", toggleHistory);
  app.keys.add("Escape", "", closeHistory, { when: () => !drawer.hidden });
  show("question");
  return { show, toggleHistory, closeHistory };
}

/**
 * The header: names, undo, dialogs.
 *
 * @param {App} app
 */
function makeHeader(app) {
  const undo = place("undo");
  const showUndo = () => {
    undo.disabled = app.gestures.length === 0 || app.isBusy;
  };
  undo.addEventListener("click", () => app.undo());
  undo.title = "Take the last answer of this window back (U)";
  app.on("gestures", showUndo);
  app.on("busy", showUndo);
  app.keys.add("u mod+z", "Undo: take the last answer back", () => app.undo());

  const conflicts = new ConflictsDialog(place("conflicts-dialog"), app);
  showConflicts(place("menu-conflicts"), place("num-conflicts"), app, () => conflicts.open());
  const help = new HelpDialog(place("help-dialog"), app, "/help");
  place("menu-help").addEventListener("click", () => help.open());
  app.keys.add("?", "Show this help", () => help.open());
  new ExportMenu(place("exports"), app);

  app.on("project", (project) => {
    place("name").textContent = project.name.replace(/\.treetalk$/, "");
    place("name").title = project.name;
    document.title = `${project.name} · treetalk`;
    const who = place("who");
    who.textContent = [app.who, project.is_read_only && "read only"].filter(Boolean).join(", ");
    who.title = app.who ? `Answers are recorded as said by ${app.who}` : "";
    who.hidden = who.textContent === "";
  });
}

/**
 * @param {App} app
 * @returns {(items?: any) => void} open the dialog that says how sure something is
 */
function makeStatement(app) {
  const dialog = place("statement-dialog");
  new StatementPanel(place("statement"), app);
  const open = () => {
    if (!dialog.open) dialog.showModal();
  };
  place("menu-statement").addEventListener("click", open);
  app.on("statement", open);
  return open;
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

/** Tell the toasts where the columns begin: where there is little room they stand below all that is above. */
function placeToasts() {
  const [columns] = document.getElementsByTagName("main");
  const measure = () => {
    place("toasts").style.setProperty("--columns-top", `${Math.round(columns.getBoundingClientRect().top)}px`);
  };
  const above = new ResizeObserver(measure);
  for (const name of ["banner", "progress"]) above.observe(place(name));
}

async function main() {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-icon]"))) {
    element.prepend(icon(element.dataset.icon ?? "", element.classList.contains("frame-tab") ? 20 : 18));
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      if (target === dialog || target.closest("[data-close]")) dialog.close();
    });
  }
  const storage = new SafeStorage(() => window.sessionStorage);
  const who = new URLSearchParams(window.location.search).get("user")?.trim().slice(0, LONGEST_NAME) || null;
  const app = new App(new Api(), { window: await windowId(storage), who, storage });
  app.keys.listen(document);

  new Toasts(place("toasts"), app);
  placeToasts();
  new Banner(place("banner"), app);
  new Hint(place("hint"), app, new SafeStorage(() => window.localStorage));
  const panel = place("question-panel");
  new NoQuestion(place("question-empty"), panel, app);
  app.on("busy", (isBusy) => panel.setAttribute("aria-busy", String(isBusy)));
  new QuestionPanel(panel, app);
  new ProgressPanel(place("progress"), app);
  const hierarchy = new HierarchyPanel(place("hierarchy"), app);
  const history = new HistoryPanel(place("history"), app, { onClose: () => views.closeHistory() });
  const views = makeViews(history, app);
  makeHeader(app);
  makeStatement(app);

  new Search(place("search"), app, {
    onItem: (/** @type {any} */ item) => {
      views.show("hierarchy");
      hierarchy.reveal(item);
    },
    onBranch: (/** @type {any} */ branch) => {
      views.show("hierarchy");
      hierarchy.revealBranch(branch);
    },
  });
  app.on("asked", () => {
    views.show("question");
    place("question").focus();
  });
  window.addEventListener("online", () => app.reconnect());
  document.addEventListener("visibilitychange", () => app.setSeen(!document.hidden));
  app.setSeen(!document.hidden);
  leaveOtherProjects(app);
  // What is refused for good, and not only for now, has to be said.
  await app.start().catch((error) => app.say(error.message, { tone: "bad" }));
}

main();
