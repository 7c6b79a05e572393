// Keys outside of input fields. Approving takes two: one focuses what waits, the next one approves, and only there.

const $ = (id) => document.getElementById(id);

/** Whether the last input was a key. `:focus-visible` differs between browsers. */
let byKey = false;
addEventListener("keydown", () => { byKey = true; }, true);
addEventListener("pointerdown", () => { byKey = false; }, true);

export function isByKey() {
  return byKey;
}

/** Whether the list of threads is a drawer. */
export const narrow = matchMedia("(max-width: 759px)");

/** A key that no element nearer has handled. */
export function press(app, event) {
  const { target } = event;
  if (event.isComposing || $("help").open) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k" && !event.altKey && !event.shiftKey) {
    event.preventDefault();
    return toSearch(app);
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return escape(app, target);
  if (target.closest("input:not([type=checkbox]), textarea, select")) return;
  const keys = {
    "/": () => toSearch(app),
    n: () => app.begin(),
    i: () => $("input").focus(),
    j: () => step(1),
    k: () => step(-1),
    "[": () => turnThread(app, -1),
    "]": () => turnThread(app, 1),
    a: () => toWaiting(app),
    x: () => stop(app),
    t: () => turnColours(),
    "?": () => app.help(),
  };
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function escape(app, target) {
  if (document.body.classList.contains("drawer")) return app.closeDrawer();
  // From the search field, and from its results.
  if ($("search").value && target.matches("#search, article, body")) {
    $("search").value = "";
    return app.search();
  }
  target.closest("article")?.focus({ preventScroll: true });
  if (!target.closest("article")) target.blur();
}

function toSearch(app) {
  if (narrow.matches && !document.body.classList.contains("drawer")) app.toggleDrawer();
  $("search").focus();
  $("search").select();
}

function step(by) {
  const tasks = [...document.querySelectorAll("article.task")];
  const at = tasks.indexOf(document.activeElement?.closest("article.task"));
  const next = tasks[at < 0 ? (by > 0 ? 0 : tasks.length - 1) : Math.min(tasks.length - 1, Math.max(0, at + by))];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}

function turnThread(app, by) {
  const at = app.order?.indexOf(app.thread) ?? -1;
  const next = app.order?.[at < 0 ? 0 : at + by];
  if (next) location.hash = `thread=${encodeURIComponent(next)}`;
}

/** The first of the two steps. */
function toWaiting(app) {
  const near = document.activeElement?.closest("article.task")?.querySelector(".card");
  const card = near ?? document.querySelector(".card");
  if (card) {
    card.focus({ preventScroll: true });
    card.scrollIntoView({ block: "nearest" });
    return;
  }
  const waiting = [...app.briefs.values()].find((brief) => brief.state === "WAITING_APPROVAL");
  if (waiting) location.hash = `task=${encodeURIComponent(waiting.taskId)}`;
  else app.announce("Nothing waits for you.");
}

/** Stops the request that has the focus, or the newest running one. */
function stop(app) {
  const near = document.activeElement?.closest("article.task")?.querySelector("[data-op=cancel]");
  const button = near ?? [...document.querySelectorAll("[data-op=cancel]")].at(-1);
  if (button) button.click();
  else app.announce("Nothing is at work.");
}

/** Cycles through the system's theme, light, dark. */
export function turnColours() {
  const ways = ["auto", "light", "dark"];
  const next = ways[(ways.indexOf(localStorage.getItem("theme") ?? "auto") + 1) % ways.length];
  if (next === "auto") {
    localStorage.removeItem("theme");
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem("theme", next);
    document.documentElement.dataset.theme = next;
  }
  drawColours();
}

export function drawColours() {
  const way = document.documentElement.dataset.theme ?? "auto";
  $("theme").textContent = way;
  $("theme").setAttribute("aria-label", `Colours: ${way}`);
}
