// The chat: threads, the conversation, what goes along, and the input. Draws requests with the page's own views, so that both say the same.

import { clear, exact, h, plain } from "../../../crates/aside/web/text.js";
import { Threads, group } from "../../../crates/aside/web/threads.js";
import { hasEnded } from "../../../crates/aside/web/watch.js";
import { EditorTask, editorCard } from "./card";
import { type Brief, Cancelled, type Heard, Host, type Item, type TaskMessage, type Told, type Welcome } from "./host";

/** Requests of a thread that are drawn. */
const SHOWN = 20;
const NEAR = 60;
/** Threads in the list. */
const LISTED = 60;

interface Thread {
  id: string;
  title: string;
  kind: string;
  tasks: Brief[];
}

class Chat {
  private readonly host = new Host((heard) => this.hear(heard));
  private readonly views = new Map<string, EditorTask>();
  private readonly drafts = new Map<string, string>();
  private readonly dirty = new Set<EditorTask>();
  private readonly without = new Set<string>();
  private tasks: Brief[] = [];
  private threads: Thread[] = [];
  private threadId = "";
  private watched = new Set<string>();
  private frame = 0;
  private stick = true;
  private isSending = false;
  /** Why nothing can be approved; empty when it can. */
  private blocked = "";
  private link = { link: "off", by: "" };
  private welcome: Welcome | undefined;

  private readonly title = h("button", { type: "button", class: "title", "aria-expanded": "false", title: "Threads", onclick: () => this.toggleThreads() }, "New thread");
  private readonly banner = h("p", { class: "banner", role: "status", hidden: true });
  private readonly list = h("ul", { id: "threads" });
  private readonly drawer = h("nav", { class: "drawer", "aria-label": "Threads", hidden: true }, this.list);
  private readonly talk = h("div", { id: "talk", role: "log", "aria-label": "Conversation" });
  private readonly scroller = h("div", { id: "scroller", tabindex: "-1", onscroll: () => this.scrolled() }, this.talk);
  private readonly newest = h("button", { id: "newest", type: "button", hidden: true, onclick: () => this.toEnd() }, "↓ newest");
  private readonly chips = h("div", { class: "chips", role: "group", "aria-label": "What goes along" });
  private readonly where = h("select", { class: "where", "aria-label": "The folder that it is about", hidden: true, onchange: () => this.host.tell({ kind: "place", cwd: this.where.value }) }) as HTMLSelectElement;
  private readonly trouble = h("p", { class: "trouble", role: "alert", hidden: true });
  private readonly input = h("textarea", { id: "input", rows: "2", placeholder: "Ask, or say what is to change", "aria-label": "What is to be done", maxlength: "60000", onkeydown: (event: KeyboardEvent) => this.key(event), oninput: () => this.typed() }) as HTMLTextAreaElement;
  private readonly send = h("button", { type: "submit", class: "send" }, "Ask") as HTMLButtonElement;
  private readonly live = h("p", { class: "unseen-label", role: "status", "aria-live": "polite" });
  private readonly rows = new Threads(this.list);

  start(): void {
    const form = h("form", { id: "ask", onsubmit: (event: Event) => this.submit(event) }, this.trouble, this.chips, this.input,
      h("div", { class: "ask-foot" }, this.where, h("span", { class: "hint" }, "Enter asks · Shift+Enter new line"), this.send));
    document.body.append(h("header", { id: "head" }, this.title), this.banner, this.drawer, this.scroller, this.newest, form, this.live);
    this.list.addEventListener("click", (event: Event) => this.picked(event));
    this.talk.addEventListener("click", (event: Event) => {
      if ((event.target as Element).closest(".permalink")) event.preventDefault();
    });
    const { threadId, draft } = this.host.kept;
    this.threadId = threadId ?? "";
    this.input.value = draft ?? "";
    setInterval(() => this.tick(), 1000);
    this.drawThread();
    this.host.tell({ kind: "ready" });
  }

  private hear(heard: Heard): void {
    switch (heard.kind) {
      case "link":
        this.link = heard;
        this.drawLink(heard);
        break;
      case "tasks":
        this.take(heard.tasks);
        break;
      case "event":
        this.apply(heard.event);
        break;
      case "unread":
        this.views.get(heard.id)?.tellTrouble(new Error(heard.error));
        break;
      case "again":
        this.watched.clear();
        this.watch();
        for (const view of this.views.values()) if (view.card) void view.look();
        break;
      case "context":
        this.drawContext(heard);
        break;
      case "welcome":
        this.welcome = heard.welcome;
        this.talk.querySelector(".welcome")?.replaceWith(this.greeting());
        break;
      case "focus":
        if (heard.fresh) this.go("");
        else if (heard.threadId) this.go(heard.threadId);
        this.input.focus();
        break;
      default:
        break;
    }
  }

  private take(tasks: Brief[]): void {
    this.tasks = tasks;
    this.threads = group(tasks) as Thread[];
    this.rows.draw(this.threads.slice(0, LISTED), this.threadId, undefined);
    this.drawThread();
  }

  /** What came back for one task, before the list tells it too. */
  private takeMore(tasks: Brief[]): void {
    const fresh = new Map(tasks.map((task) => [task.taskId, task]));
    const rest = this.tasks.filter((task) => !fresh.has(task.taskId));
    this.take([...tasks, ...rest]);
  }

  private apply(event: { taskId: string; seq: number }): void {
    const view = this.views.get(event.taskId);
    // A number that was heard before comes from a connection that broke.
    if (view && event.seq > view.from) view.apply(event);
  }

  private go(threadId: string): void {
    this.drawer.hidden = true;
    this.title.setAttribute("aria-expanded", "false");
    if (threadId && threadId === this.threadId) return;
    this.threadId = threadId;
    this.host.keep({ threadId });
    for (const view of this.views.values()) view.close();
    this.views.clear();
    this.watched.clear();
    clear(this.talk);
    this.stick = true;
    this.drawThread();
    this.rows.draw(this.threads.slice(0, LISTED), this.threadId, undefined);
  }

  private drawThread(): void {
    const thread = this.threads.find((one) => one.id === this.threadId);
    const waiting = this.threads.filter((one) => one.kind === "waiting" && one.id !== this.threadId).length;
    clear(this.title).append(thread ? thread.title : "New thread");
    if (waiting) this.title.append(h("span", { class: "elsewhere", title: "Threads that wait for you" }, ` ${waiting} waiting`));
    if (!thread) {
      if (!this.talk.firstChild) this.talk.append(this.greeting());
      return;
    }
    this.talk.querySelector(".welcome")?.remove();
    const shown = thread.tasks.slice(-SHOWN);
    let last: Element | undefined;
    for (const brief of shown) {
      let view = this.views.get(brief.taskId);
      if (!view) {
        view = new EditorTask(brief, this.hooks());
        this.views.set(brief.taskId, view);
        view.block(this.blocked);
        if (last) last.after(view.element);
        else this.talk.prepend(view.element);
      } else if (view.brief !== brief) view.update(brief);
      last = view.element;
    }
    this.watch();
  }

  private watch(): void {
    const tasks = [...this.views.values()].filter((view) => !this.watched.has(view.id)).map((view) => ({ id: view.id, from: view.from }));
    if (!tasks.length) return;
    // The first of a thread ends what is heard of another one.
    this.host.tell({ kind: "watch", fresh: this.watched.size === 0, tasks });
    for (const { id } of tasks) this.watched.add(id);
  }

  private hooks(): object {
    return {
      card: editorCard((taskId) => this.host.tell({ kind: "view", taskId })),
      soon: (view: EditorTask) => this.soon(view),
      show: (taskId: string) => this.host.call({ kind: "call", message: { op: "show", taskId } }),
      send: (message: TaskMessage, heard?: (lines: string[] | undefined) => void) => this.sends(message, heard),
      appeared: () => {
        if (this.stick) this.toEnd();
      },
      announce: (text: string) => {
        this.live.textContent = plain(text);
      },
      ask: (words: string, brief: Brief) => this.goOn(words, brief),
      link: (place: string, workspace: string, look = "goto") => exact(h("button", { type: "button", class: `link ${look}`, title: "Open the file", onclick: () => this.host.tell({ kind: "open", place, workspace }) }), look === "path" ? place : "Open"),
      drafts: this.drafts,
      here: () => this.link,
    };
  }

  /** Gives back what went wrong. */
  private async sends(message: TaskMessage, heard?: (lines: string[] | undefined) => void): Promise<Error | undefined> {
    try {
      const { tasks, lines } = await this.host.call({ kind: "call", message });
      heard?.(lines);
      if (tasks.length) this.takeMore(tasks);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  /** Asks for more in the thread of a request. */
  private async goOn(text: string, brief: Brief): Promise<Error | undefined> {
    try {
      const told: Told = await this.host.call({ kind: "ask", text, threadId: brief.threadId, cwd: brief.workspace, without: [] });
      this.stick = true;
      this.takeMore(told.tasks);
      return undefined;
    } catch (error) {
      return error as Error;
    }
  }

  private async submit(event: Event): Promise<void> {
    event.preventDefault();
    const text = this.input.value.trim();
    if (!text || this.isSending) return;
    this.isSending = true;
    this.send.disabled = true;
    this.trouble.hidden = true;
    try {
      const told: Told = await this.host.call({ kind: "ask", text, threadId: this.threadId, cwd: this.where.value, without: [...this.without] });
      this.input.value = "";
      this.typed();
      this.without.clear();
      this.stick = true;
      this.takeMore(told.tasks);
      this.go(told.tasks[0]?.threadId ?? this.threadId);
    } catch (error) {
      if (!(error instanceof Cancelled)) this.tellTrouble((error as Error).message);
    } finally {
      this.isSending = false;
      this.send.disabled = this.link.link !== "on";
      this.input.focus();
    }
  }

  private tellTrouble(message: string): void {
    this.trouble.textContent = plain(message);
    this.trouble.hidden = false;
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void this.submit(event);
  }

  private typed(): void {
    this.host.keep({ draft: this.input.value });
    this.input.rows = Math.min(10, Math.max(2, this.input.value.split("\n").length));
  }

  private drawLink({ link, why, isTrusted }: Extract<Heard, { kind: "link" }>): void {
    this.send.disabled = link !== "on" || this.isSending;
    if (link === "on") this.trouble.hidden = true;
    const does = (command: string, words: string) => h("button", { type: "button", onclick: () => this.host.tell({ kind: "do", command }) }, words);
    clear(this.banner);
    if (link === "missing") this.banner.append("aside is not installed here. ", does("aside.install", "How to install"), " ", does("aside.reconnect", "Look again"));
    else if (link === "failed") this.banner.append(`No daemon: ${why}. `, does("aside.reconnect", "Connect"));
    else if (!isTrusted) this.banner.append("This workspace is not trusted: ask and read; nothing is approved here.");
    this.banner.hidden = !this.banner.firstChild;
    this.blocked = !isTrusted ? "this workspace is not trusted" : link === "on" ? "" : "the daemon is away";
    for (const view of this.views.values()) view.block(this.blocked);
  }

  private drawContext({ items, notes, name, cwd, folders, isPrivate }: Extract<Heard, { kind: "context" }>): void {
    const chip = ({ part, label, title }: Item) => {
      const isOut = this.without.has(part);
      const toggle = () => {
        if (!this.without.delete(part)) this.without.add(part);
        button.setAttribute("aria-pressed", String(!this.without.has(part)));
      };
      const button = h("button", { type: "button", class: "chip", "aria-pressed": String(!isOut), "data-part": part, title: plain(`${title}\n\nClick to leave it out, or to take it along`), onclick: toggle }, label);
      return button;
    };
    const always = h("span", { class: "chip fixed", title: "Read by the daemon where a model is asked: names of files, branch and changes" }, "names, git");
    clear(this.chips).append(...items.map(chip), always, isPrivate ? h("span", { class: "chip fixed private" }, "nothing remote") : "", ...notes.map((note) => h("span", { class: "left-out" }, note)));
    this.where.hidden = folders.length < 2;
    clear(this.where).append(...[{ cwd: "", name: `${name} (active file)` }, ...folders].map((folder) => h("option", { value: folder.cwd, selected: folder.cwd === cwd }, folder.name)));
  }

  private toggleThreads(): void {
    this.drawer.hidden = !this.drawer.hidden;
    this.title.setAttribute("aria-expanded", String(!this.drawer.hidden));
  }

  private picked(event: Event): void {
    const link = (event.target as Element).closest("a");
    const id = /^#thread=(.*)$/.exec(link?.getAttribute("href") ?? "")?.[1];
    if (id === undefined) return;
    event.preventDefault();
    this.go(decodeURIComponent(id));
  }

  private soon(view: EditorTask): void {
    this.dirty.add(view);
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      const dirty = [...this.dirty];
      this.dirty.clear();
      for (const one of dirty) one.draw();
      if (this.stick) this.toEnd();
      else this.newest.hidden = this.isAtEnd;
    });
  }

  private get isAtEnd(): boolean {
    const { scrollTop, clientHeight, scrollHeight } = this.scroller;
    return scrollTop + clientHeight >= scrollHeight - NEAR;
  }

  private scrolled(): void {
    this.stick = this.isAtEnd;
    if (this.stick) this.newest.hidden = true;
  }

  private toEnd(): void {
    this.scroller.scrollTop = this.scroller.scrollHeight;
    this.stick = true;
    this.newest.hidden = true;
  }

  private greeting(): HTMLElement {
    const { model = "", examples = [] } = this.welcome ?? {};
    const take = (words: string) => {
      this.input.value = words;
      this.typed();
      this.input.focus();
    };
    const who = model ? ["Model: ", h("code", {}, model)] : ["No model is set: commands, searches, reviews and exact changes work without one. ", h("button", { type: "button", class: "link", onclick: () => this.host.tell({ kind: "do", command: "aside.settings" }) }, "Name one")];
    return h("div", { class: "welcome" },
      h("p", {}, "Ask in plain words. A change or a command is shown first, and happens only when you approve it."),
      this.welcome ? h("p", { class: "note model" }, ...who) : "",
      h("ul", {}, (examples.length ? examples : ["help", "status"]).map((words) => h("li", {}, h("button", { type: "button", class: "link example", onclick: () => take(words) }, words)))));
  }

  private tick(): void {
    for (const view of this.views.values()) if (!hasEnded(view.state)) view.tick();
  }
}

new Chat().start();
