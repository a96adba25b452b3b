// @ts-check
/**
 * Puts the panels into the frame and joins them. The frame is the body of a page, or stands in a page of others.
 */

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
import { Toasts } from "./toasts.js";

/** @typedef {import("./app.js").App} App */

/**
 * @typedef {object} Surroundings
 * @property {{matches: boolean, addEventListener: (kind: "change", run: () => void) => void}} narrow whether there is
 *   room for one thing at a time only
 * @property {string | null} help the address of the whole help, where there is one
 * @property {Pick<Storage, "getItem" | "setItem">} memory of what the person has seen already
 */

/**
 * Put the panels into a frame.
 *
 * @param {HTMLElement} frame with the places of the panels in it
 * @param {App} app
 * @param {Surroundings} surroundings
 */
export function assemble(frame, app, { narrow, help, memory }) {
  const place = (/** @type {string} */ id) => /** @type {any} */ (frame.querySelector(`#${id}`));
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (frame.querySelectorAll("[data-icon]"))) {
    element.prepend(icon(element.dataset.icon ?? "", element.classList.contains("frame-tab") ? 20 : 18));
  }
  for (const dialog of frame.querySelectorAll("dialog")) {
    dialog.addEventListener("click", (event) => {
      const target = /** @type {Element} */ (event.target);
      if (target === dialog || target.closest("[data-close]")) dialog.close();
    });
  }
  new Toasts(place("toasts"), app);
  placeToasts(frame, place);
  new Banner(place("banner"), app);
  new Hint(place("hint"), app, memory);
  const panel = place("question-panel");
  new NoQuestion(place("question-empty"), panel, app);
  app.on("busy", (isBusy) => panel.setAttribute("aria-busy", String(isBusy)));
  new QuestionPanel(panel, app);
  new ProgressPanel(place("progress"), app);
  const hierarchy = new HierarchyPanel(place("hierarchy"), app);
  const history = new HistoryPanel(place("history"), app, { onClose: () => views.closeHistory() });
  const views = makeViews(frame, place, history, app, narrow);
  makeHeader(place, app, help);
  makeStatement(place, app);

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
}

/**
 * The views: both columns with a drawer where there is room, else one at a time.
 *
 * @param {HTMLElement} frame
 * @param {(id: string) => any} place
 * @param {HistoryPanel} history
 * @param {App} app
 * @param {Surroundings["narrow"]} narrow
 */
function makeViews(frame, place, history, app, narrow) {
  const drawer = place("history");
  const button = place("menu-history");
  const tabs = /** @type {HTMLElement[]} */ ([...frame.querySelectorAll(".frame-tab")]);

  const show = (/** @type {string} */ tab) => {
    frame.dataset.tab = tab;
    for (const one of tabs) one.setAttribute("aria-current", String(one.dataset.tab === tab));
    if (narrow.matches) openDrawer(tab === "history");
  };
  const openDrawer = (/** @type {boolean} */ isOpen) => {
    drawer.hidden = !isOpen;
    button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) history.refresh();
  };
  const toggleHistory = () => {
    if (narrow.matches) return show(frame.dataset.tab === "history" ? "question" : "history");
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
  narrow.addEventListener("change", () => {
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
 * @param {(id: string) => any} place
 * @param {App} app
 * @param {string | null} page the address of the whole help
 */
function makeHeader(place, app, page) {
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
  const help = new HelpDialog(place("help-dialog"), app, page);
  place("menu-help").addEventListener("click", () => help.open());
  app.keys.add("?", "Show this help", () => help.open());
  new ExportMenu(place("exports"), app);

  app.on("project", (project) => {
    place("name").textContent = project.name.replace(/\.treetalk$/, "");
    place("name").title = project.name;
    const who = place("who");
    who.textContent = [app.who, project.is_read_only && "read only"].filter(Boolean).join(", ");
    who.title = app.who ? `Answers are recorded as said by ${app.who}` : "";
    who.hidden = who.textContent === "";
  });
}

/**
 * The dialog that says how sure something is.
 *
 * @param {(id: string) => any} place
 * @param {App} app
 */
function makeStatement(place, app) {
  const dialog = place("statement-dialog");
  new StatementPanel(place("statement"), app);
  const open = () => {
    if (!dialog.open) dialog.showModal();
  };
  place("menu-statement").addEventListener("click", open);
  app.on("statement", open);
}

/**
 * Tell the toasts where the columns begin: where there is little room they stand below all that is above.
 *
 * @param {HTMLElement} frame
 * @param {(id: string) => any} place
 */
function placeToasts(frame, place) {
  const columns = /** @type {HTMLElement} */ (frame.querySelector(".frame-columns"));
  const measure = () => {
    place("toasts").style.setProperty("--columns-top", `${Math.round(columns.getBoundingClientRect().top)}px`);
  };
  const above = new ResizeObserver(measure);
  for (const name of ["banner", "progress"]) above.observe(place(name));
}
