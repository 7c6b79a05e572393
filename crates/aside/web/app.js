// The page: which thread is shown, and what is known of all. It decides nothing about tasks; it shows what the daemon says and sends the
// user's answers.

import { Ask, kept } from "./ask.js";
import { empty, over, showKeys } from "./help.js";
import { drawColours, narrow, press, turnColours } from "./keys.js";
import { TaskView } from "./task.js";
import { clear, count, exact, h, plain, short } from "./text.js";
import { group, Threads } from "./threads.js";
import { Watcher } from "./watch.js";
import { Resume } from "./resume.js";
import { pause, seat, Wire } from "./wire.js";

/** Requests of a thread that are shown at first, and how many more at a time. */
const SHOWN = 20;
/** Tasks that are listed once, and those that are followed live. */
const LISTED = 500;
const FOLLOWED = 100;
/** Poll interval for the list in a hidden window, and in one without a seat. */
const POLL_HIDDEN = 20_000;
const POLL = 2_000;
const NEAR = 24;
/** Requests at the end of a thread that are always laid out. */
const NEAREST = 6;
/** Preferences, by the names under which they are stored. */
const LIKES = ["theme", "diff"];

const $ = (id) => document.getElementById(id);

class App {
  constructor(secret) {
    this.wire = new Wire(secret, () => this.makeRoom(), () => this.lost());
    this.briefs = new Map();
    this.views = new Map();
    this.here = { cwd: "", by: "" };
    /** Which model answers, and example requests, for a directory. */
    this.welcome = undefined;
    this.thread = "";
    this.limit = SHOWN;
    this.dirty = new Set();
    this.stick = true;
    this.list = new Threads($("threads"));
    this.drafts = kept("edit.");
    this.ask = new Ask(this);
    this.watcher = new Watcher(this.wire, (id, event) => this.views.get(id)?.apply(event), (id, error) => this.unread(id, error));
    this.resume = new Resume(this.wire);
    this.listen();
    this.follow();
    this.learn();
    this.route();
    setInterval(() => this.tick(), 1000);
  }

  async learn() {
    while (!this.isOver) {
      try {
        this.here = await this.wire.here();
        this.resume.keep();
        this.draw();
        this.greet();
        const { tasks } = await this.wire.task({ op: "list", limit: LISTED });
        return this.take(tasks);
      } catch (error) {
        if (error.isOver) this.finish();
        await pause(1000);
      }
    }
  }

  /** Fetches example requests for the directory of a new thread. */
  async greet() {
    const cwd = this.ask.place ?? this.here.cwd;
    try {
      const { welcome } = await this.wire.task({ op: "welcome", ...(cwd ? { cwd } : {}) });
      this.welcome = welcome;
      $("talk").querySelector(".empty:not(.over)")?.remove();
      this.draw();
    } catch {
      // Optional: the page shows general examples without it.
    }
  }

  /** Follows the list of all tasks. Polls it instead while the window is hidden, or when too many windows are open. */
  async follow() {
    let wait = 250;
    while (!this.isOver) {
      this.stop = new AbortController();
      if (this.wire.isClosed && !(await this.meet())) {
        await pause(wait, this.stop.signal);
        wait = Math.min(wait * 2, 5000);
        continue;
      }
      const leave = document.hidden ? undefined : await seat();
      this.watcher.live(leave !== undefined);
      try {
        if (!leave) {
          const { tasks } = await this.wire.task({ op: "list", limit: FOLLOWED });
          wait = 250;
          this.isUp();
          this.take(tasks);
          await pause(document.hidden ? POLL_HIDDEN : POLL, this.stop.signal);
          continue;
        }
        await this.wire.stream(`/api/follow?limit=${FOLLOWED}`, this.stop.signal, (_kind, _number, value) => {
          wait = 250;
          this.isUp();
          this.take(value.tasks ?? []);
        });
        if (!this.stop.signal.aborted) throw new Error("the stream has ended");
      } catch (error) {
        if (error.isOver) {
          this.finish();
          continue;
        }
        if (this.stop.signal.aborted) continue;
        this.isDown();
        await pause(wait, this.stop.signal);
        wait = Math.min(wait * 2, 5000);
      } finally {
        leave?.();
      }
    }
  }

  /** A request may be waiting for a connection that our streams hold: closes them for a while. */
  async makeRoom() {
    this.watcher.rest(true);
    this.stop?.abort();
    await pause(1500);
    this.watcher.rest(document.hidden);
  }

  isUp() {
    if (this.up === true) return;
    const back = this.up === false;
    this.up = true;
    $("link").textContent = "";
    $("link").className = "";
    this.block();
    if (!back) return;
    this.announce("The daemon is back.");
    // Another daemon has other digests for what waits.
    for (const view of this.views.values()) if (view.waiting) view.look();
    this.wire.here().then((here) => { this.here = here; }, () => {});
  }

  /** A request failed to arrive. Finds out who has the port before anything else is sent, even if a stream still seems to live. */
  lost() {
    this.isDown();
    if (this.wire.isClosed) this.stop?.abort();
  }

  isDown(words = "The daemon is away; this page goes on when it is back") {
    this.up = false;
    this.block();
    if (this.resume?.isPossible) this.wire.isClosed = true;
    $("link").className = "down";
    if ($("link").textContent !== words) $("link").textContent = words;
  }

  /** The session is not known any more; perhaps another daemon runs, which knows this tab. */
  finish(reason) {
    if (this.isOver) return;
    this.isRefused = true;
    if (reason || !this.resume.isPossible) return this.over(reason);
    this.wire.isClosed = true;
    this.stop?.abort();
  }

  over(reason = "This page's session is over") {
    if (this.isOver) return;
    this.isOver = true;
    this.stop?.abort();
    this.watcher.forget();
    $("link").textContent = "";
    $("talk").prepend(over(reason));
    $("scroller").scrollTop = 0;
    $("send").disabled = true;
  }

  /** Asks who has the port now; nothing is sent before that is known. Returns whether it is the same daemon. */
  async meet() {
    try {
      const link = await this.resume.meet(pack);
      if (!link) {
        if (this.isRefused) this.over();
        this.wire.isClosed = false;
        return true;
      }
      this.isOver = true;
      location.replace(link);
    } catch (error) {
      if (error.isOver || error.status === 404) this.over();
      else this.isDown(error.code === "stranger" ? "Another program has this page's port; waiting for the daemon" : undefined);
    }
    return false;
  }

  /** Signs out this browser, or all. */
  async signOut(all) {
    try {
      await this.wire.post("/api/out", { all });
    } catch (error) {
      if (!error.isOver) return this.ask.tell(error.message);
    }
    this.resume.forget();
    localStorage.removeItem("aside");
    this.finish(all ? "You signed out everywhere" : "You signed out");
  }

  take(tasks) {
    this.isKnown = true;
    for (const brief of tasks) {
      const known = this.briefs.get(brief.taskId);
      if (!known || known.seq <= brief.seq || known.attempt < brief.attempt) this.briefs.set(brief.taskId, brief);
    }
    this.draw();
  }

  /** Redraws everything that depends on the list: the side, the title, the requests of this thread. */
  draw() {
    const threads = group(this.briefs.values());
    const found = this.found;
    const shown = found ? threads.filter((thread) => found.has(thread.id)) : threads;
    this.order = shown.map((thread) => thread.id);
    this.list.draw(shown, this.thread, found);
    $("none").hidden = found !== undefined || threads.length > 0 || !this.isKnown;
    const current = threads.find((thread) => thread.id === this.thread);
    const title = current?.title ?? "New thread";
    $("title").textContent = plain(title);
    const waiting = threads.filter((thread) => thread.kind === "waiting").length;
    this.drawDismiss([...this.briefs.values()].filter((brief) => brief.state === "WAITING_APPROVAL").length);
    document.title = `${waiting ? `(${waiting}) ` : ""}${plain(title)} · Aside`;
    const places = [...new Set([...this.briefs.values()].map((brief) => brief.workspace).filter(Boolean))].slice(0, 30);
    if (String(places) !== this.places) {
      this.places = String(places);
      clear($("places")).append(...places.map((place) => h("option", { value: place })));
    }
    this.drawTalk(current);
  }

  drawTalk(current) {
    const talk = $("talk");
    if (!current) {
      this.ask.drawWhere("");
      if (!talk.querySelector(".empty:not(.over)")) talk.append(empty(this.welcome, (words) => this.ask.suggest(words)));
      return;
    }
    talk.querySelector(".empty:not(.over)")?.remove();
    const tasks = current.tasks.slice(-this.limit);
    const hidden = current.tasks.length - tasks.length;
    this.earlier ??= h("button", { type: "button", class: "quiet earlier", onclick: () => this.showEarlier() });
    this.earlier.textContent = `Show ${Math.min(hidden, SHOWN)} of ${count(hidden, "earlier request")}`;
    if (hidden) talk.prepend(this.earlier);
    else this.earlier.remove();
    let last;
    for (const brief of tasks) {
      let view = this.views.get(brief.taskId);
      if (!view) {
        view = new TaskView(brief, this.hooks());
        this.views.set(brief.taskId, view);
        if (last) last.after(view.element);
        else if (this.earlier.isConnected) this.earlier.after(view.element);
        else talk.prepend(view.element);
      } else if (view.brief !== brief) view.update(brief);
      last = view.element;
    }
    // The end stays laid out: it is what the user sees, and what grows.
    tasks.forEach(({ taskId }, index) => this.views.get(taskId).element.classList.toggle("far", index < tasks.length - NEAREST));
    this.block();
    this.ask.drawWhere(tasks.at(-1).workspace);
    this.watch();
    this.reach();
  }

  /** Nothing can be approved here while a command runs, in any thread, nor while there is no daemon. */
  block() {
    if (this.up === false) {
      for (const view of this.views.values()) view.block(view.say("the daemon is away"));
      return;
    }
    const running = [...this.briefs.values()].find((brief) => brief.state === "EXECUTING");
    const reason = running ? `waits until “${short(running.text, 40)}” has ended; a terminal can approve now` : "";
    for (const view of this.views.values()) view.block(reason);
  }

  watch() {
    this.watcher.want([...this.views.values()].map(({ id, from, brief }) => ({ id, from, seq: brief.seq, at: brief.at, state: brief.state })));
  }

  hooks() {
    return {
      soon: (view) => this.soon(view),
      show: (taskId) => this.wire.task({ op: "show", taskId }),
      send: (message, heard) => this.send(message, heard),
      appeared: (element) => this.appeared(element),
      announce: (text) => this.announce(text),
      ask: (words, brief) => this.goOn(words, brief),
      link: (place, workspace, look) => this.fileLink(place, workspace, look),
      drafts: this.drafts,
      here: () => this.here,
    };
  }

  /** Sends a message and takes the reply. Returns the error, if any. */
  async send(message, heard) {
    try {
      const { tasks = [], lines } = await this.wire.task(message);
      heard?.(lines, tasks);
      this.take(tasks);
      return undefined;
    } catch (error) {
      if (error.isOver) this.finish();
      return error;
    }
  }

  /** Sends a further request in the thread of another. */
  async goOn(words, brief) {
    const known = new Set(this.briefs.keys());
    return await this.send({ op: "ask", text: words, threadId: brief.threadId, cwd: brief.workspace }, (_lines, tasks) => this.asked(brief.threadId, tasks, known));
  }

  /** A link to a file in the editor that the settings name; undefined where they name none. */
  fileLink(place, workspace, look = "goto") {
    const editor = this.welcome?.editor;
    const [, path, line = "1"] = /^(.*?)(?::(\d+))?$/.exec(place) ?? [];
    if (!/^[a-z][a-z\d+.-]*:\/\//.test(editor ?? "") || !path || !workspace) return undefined;
    const whole = path.startsWith("/") ? path : `${workspace}/${path}`;
    const href = editor.replaceAll("{path}", whole.split("/").map(encodeURIComponent).join("/")).replaceAll("{line}", line);
    const anchor = h("a", { class: look, href, title: "Open in the editor" });
    return look === "path" ? exact(anchor, place) : (anchor.append("Open"), anchor);
  }

  /** Rejects everything that waits, in every thread. */
  async dismiss() {
    const waiting = [...this.briefs.values()].filter((brief) => brief.state === "WAITING_APPROVAL");
    for (const { taskId } of waiting) {
      const error = await this.send({ op: "cancel", taskId });
      if (error?.isAway) return this.ask.tell(error.message);
    }
    this.announce(`${count(waiting.length, "proposal")} dismissed`);
  }

  /** Asks for confirmation before dismissing, in the same place. */
  drawDismiss(waiting) {
    const box = $("dismiss");
    box.hidden = waiting < 2;
    if (box.hidden || box.dataset.count === String(waiting)) return;
    box.dataset.count = String(waiting);
    const first = () => clear(box).append(h("button", { type: "button", class: "quiet", "data-op": "dismiss", onclick: sure }, `Dismiss all ${waiting} that wait`));
    const sure = () => {
      const no = h("button", { type: "button", onclick: () => first() }, "Keep");
      clear(box).append(h("span", {}, `Reject ${count(waiting, "proposal")}? `), h("button", { type: "button", "data-op": "dismiss-yes", onclick: () => this.dismiss().then(first) }, "Dismiss"), no);
      no.focus();
    };
    first();
  }

  unread(id, error) {
    if (error.isOver) return this.finish();
    this.views.get(id)?.tellTrouble(error);
  }

  /** Paints once a frame, and stays scrolled to the end if it was there. */
  soon(view) {
    this.dirty.add(view);
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = undefined;
      const { dirty, stick } = this;
      this.dirty = new Set();
      for (const one of dirty) one.draw();
      if (stick) this.toEnd();
      else $("newest").hidden = this.isAtEnd();
    });
  }

  isAtEnd() {
    const scroller = $("scroller");
    return scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - NEAR;
  }

  toEnd() {
    const scroller = $("scroller");
    scroller.scrollTop = scroller.scrollHeight;
    this.stick = true;
    $("newest").hidden = true;
  }

  /** Scrolls to the top of what waits, when it is taller than the window. */
  appeared(element) {
    if (!this.stick) {
      $("newest").hidden = this.isAtEnd();
      return;
    }
    if (element.offsetHeight < $("scroller").clientHeight) return this.toEnd();
    this.stick = false;
    element.scrollIntoView({ block: "start" });
  }

  announce(text) {
    $("live").textContent = plain(text);
  }

  tick() {
    for (const view of this.views.values()) view.tick();
    if (Date.now() % 30_000 < 1000) this.draw();
  }

  /** `#thread=ID`, `#task=ID`, or nothing: a new thread. */
  async route() {
    // A new link in a tab that is open already.
    if (location.hash.startsWith("#k=")) return location.reload();
    const [, kind, id] = /^#(thread|task)=(.+)$/.exec(location.hash) ?? [];
    this.target = undefined;
    let thread = kind === "thread" ? decode(id) : "";
    if (kind === "task") {
      let brief = this.briefs.get(decode(id));
      // An abbreviated id will do, as in a terminal; only the daemon can resolve it.
      const error = brief ? undefined : await this.send({ op: "show", taskId: decode(id) }, (_lines, tasks) => { [brief] = tasks; });
      if (error) {
        this.open("");
        return this.ask.tell(error.message);
      }
      thread = brief?.threadId ?? "";
      this.target = brief?.taskId;
    }
    this.open(thread);
  }

  open(thread) {
    this.closeDrawer();
    if (thread !== this.thread || !thread) {
      this.thread = thread;
      this.limit = SHOWN;
      for (const view of this.views.values()) view.close();
      this.views.clear();
      this.watcher.forget();
      const ended = $("talk").querySelector(".over");
      clear($("talk"));
      if (ended) $("talk").append(ended);
      this.stick = true;
      this.ask.turn(thread);
    }
    this.draw();
  }

  /** Scrolls to the request that the address names, once it is there. */
  reach() {
    if (!this.target) return;
    const view = this.views.get(this.target);
    if (!view) {
      if (this.limit < LISTED) {
        this.limit = LISTED;
        this.draw();
      }
      return;
    }
    this.target = undefined;
    this.stick = false;
    view.element.focus({ preventScroll: true });
    view.element.scrollIntoView({ block: "start" });
  }

  showEarlier() {
    const scroller = $("scroller");
    const below = scroller.scrollHeight - scroller.scrollTop;
    this.limit += SHOWN;
    this.draw();
    scroller.scrollTop = scroller.scrollHeight - below;
  }

  /** A request was sent in a thread, with this reply; `known` are the tasks that existed before. */
  asked(thread, tasks, known) {
    const [brief] = tasks;
    // `@dev apply ID` makes no task: it leads to the one that waits.
    const isOld = known.has(brief?.taskId);
    this.stick = true;
    this.take(tasks);
    if (this.thread !== thread || !brief) return;
    if (isOld) location.hash = `task=${encodeURIComponent(brief.taskId)}`;
    else if (brief.threadId !== thread) location.hash = `thread=${encodeURIComponent(brief.threadId)}`;
    else this.toEnd();
  }

  async search() {
    const text = $("search").value.trim();
    clearTimeout(this.searching);
    const line = $("found");
    if (!text) {
      this.found = undefined;
      line.hidden = true;
      return this.draw();
    }
    this.searching = setTimeout(async () => {
      try {
        const { tasks } = await this.wire.task({ op: "list", text, limit: LISTED });
        if ($("search").value.trim() !== text) return;
        const snippets = new Map();
        for (const task of tasks) snippets.set(task.threadId, { id: task.taskId, text: task.text });
        this.found = snippets;
        line.textContent = snippets.size ? `${count(snippets.size, "thread")}` : "nothing found";
        line.hidden = false;
        this.take(tasks);
      } catch (error) {
        if (error.isOver) return this.finish();
        line.textContent = plain(error.message);
        line.hidden = false;
      }
    }, 120);
  }

  closeDrawer() {
    document.body.classList.remove("drawer");
    $("shade").hidden = true;
    $("drawer").setAttribute("aria-expanded", "false");
    $("side").inert = narrow.matches;
  }

  toggleDrawer() {
    if (document.body.classList.contains("drawer")) return this.closeDrawer();
    document.body.classList.add("drawer");
    $("shade").hidden = false;
    $("side").inert = false;
    $("drawer").setAttribute("aria-expanded", "true");
  }

  listen() {
    $("search").addEventListener("input", () => this.search());
    $("search").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !this.order?.length) return;
      const found = this.found?.get(this.order[0]);
      location.hash = found ? `task=${encodeURIComponent(found.id)}` : `thread=${encodeURIComponent(this.order[0])}`;
    });
    $("new").addEventListener("click", () => this.begin());
    $("skip").addEventListener("click", (event) => { event.preventDefault(); $("input").focus(); });
    $("newest").addEventListener("click", () => this.toEnd());
    $("keys").addEventListener("click", () => this.help());
    $("theme").addEventListener("click", () => turnColours());
    $("drawer").addEventListener("click", () => this.toggleDrawer());
    $("shade").addEventListener("click", () => this.closeDrawer());
    $("threads").addEventListener("click", () => this.closeDrawer());
    $("scroller").addEventListener("scroll", () => {
      this.stick = this.isAtEnd();
      if (this.stick) $("newest").hidden = true;
    }, { passive: true });
    narrow.addEventListener("change", () => this.closeDrawer());
    addEventListener("hashchange", () => this.route());
    document.addEventListener("visibilitychange", () => {
      this.watcher.rest(document.hidden);
      this.stop?.abort();
    });
    document.addEventListener("keydown", (event) => press(this, event));
    drawColours();
    this.closeDrawer();
  }

  help() {
    showKeys($("help"), (all) => this.signOut(all));
  }

  begin() {
    if (location.hash) history.pushState(null, "", location.pathname);
    this.target = undefined;
    this.open("");
    $("input").focus();
  }
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Takes the key from the fragment of the link, which no server and no other port sees. */
function key() {
  const match = /^#k=([A-Za-z0-9_-]{43})(?:\.(\d+))?$/.exec(location.hash);
  if (match) {
    localStorage.setItem("aside", match[1]);
    history.replaceState(null, "", "/");
  }
  return [localStorage.getItem("aside"), match?.[2]];
}

/** What only this tab has: drafts, preferences, its position. */
function pack() {
  const kept = (store, of) => Object.fromEntries(Object.keys(store).filter(of).map((name) => [name, store.getItem(name)]));
  const tab = kept(sessionStorage, (name) => /^(draft|edit)\./.test(name));
  return JSON.stringify({ tab, likes: kept(localStorage, (name) => LIKES.includes(name)), hash: location.hash, isWriting: document.activeElement === $("input") });
}

/** The reverse, in a tab that has returned. Returns whether the user was typing. */
async function unpack(secret, number) {
  try {
    const { parcel } = await new Wire(secret, () => {}).parcel(number);
    if (!parcel) return false;
    const { tab, likes, hash, isWriting } = JSON.parse(parcel);
    for (const [name, text] of Object.entries(tab)) if (/^(draft|edit)\./.test(name)) sessionStorage.setItem(name, text);
    for (const name of LIKES) if (likes[name]) localStorage.setItem(name, likes[name]);
    if (/^#(thread|task)=/.test(hash)) history.replaceState(null, "", hash);
    if (likes.theme) document.documentElement.dataset.theme = likes.theme;
    return isWriting === true;
  } catch {
    // The page works without it.
  }
  return false;
}

const [secret, parcel] = key();
const wasWriting = secret && parcel ? await unpack(secret, parcel) : false;
const app = new App(secret ?? "");
if (!secret) app.finish("This page was not opened by a link of its own");
// Focuses the input on a new page, but not on a phone, which would open its keyboard.
else if (wasWriting || (!location.hash && !narrow.matches)) {
  $("input").focus();
  $("input").selectionStart = $("input").value.length;
}
