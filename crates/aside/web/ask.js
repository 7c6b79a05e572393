// The input: its text, its directory, and its drafts, which are kept until the daemon has accepted them.

import { plain } from "./text.js";

const $ = (id) => document.getElementById(id);

export class Ask {
  constructor(app) {
    this.app = app;
    this.words = kept("draft.");
    /** A directory that the user chose for this thread. */
    this.place = undefined;
    const input = $("input");
    $("ask").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    input.addEventListener("input", () => {
      if (input.value) this.words.set(app.thread, input.value);
      else this.words.delete(app.thread);
      this.grow();
    });
    input.addEventListener("keydown", (event) => {
      // Enter that ends an IME composition sends nothing.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      if (!event.repeat) this.send();
    });
    $("where").addEventListener("change", () => { this.place = $("where").value.trim() || undefined; });
    $("where").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      input.focus();
    });
  }

  /** Switches to another thread's draft and directory. */
  turn(thread) {
    this.place = undefined;
    $("input").value = this.words.get(thread) ?? "";
    this.grow();
    this.tell("");
  }

  /** The directory of the thread, or else the one in which the page was opened. */
  drawWhere(workspace) {
    const where = $("where");
    if (document.activeElement === where) return;
    where.value = this.place ?? (workspace || this.app.here.cwd);
    where.title = where.value;
  }

  suggest(words) {
    $("input").value = words;
    this.words.set(this.app.thread, words);
    this.grow();
    $("input").focus();
  }

  grow() {
    const input = $("input");
    input.rows = Math.min(10, Math.max(1, input.value.split("\n").length, Math.ceil(input.value.length / 90)));
  }

  tell(message) {
    $("trouble").textContent = plain(message);
    $("trouble").hidden = !message;
  }

  async send() {
    const { app } = this;
    const text = $("input").value.trim();
    if (!text || this.isBusy || app.isOver) return;
    this.isBusy = true;
    $("send").disabled = true;
    this.tell("");
    const { thread } = app;
    const cwd = $("where").value.trim();
    const more = { ...(thread ? { threadId: thread } : {}), ...(cwd ? { cwd } : {}), ...($("private").checked ? { private: true } : {}) };
    // The list may have the new task before the reply arrives.
    const known = new Set(app.briefs.keys());
    try {
      const { tasks = [], lines } = await app.wire.task({ op: "ask", text, ...more });
      // The draft is deleted only once the request was accepted.
      this.words.delete(thread);
      if (app.thread === thread) {
        $("input").value = "";
        this.grow();
      }
      if (lines?.length) this.tell(lines.join(" "));
      app.asked(thread, tasks, known);
    } catch (error) {
      if (error.isOver) app.finish();
      else this.tell(error.isAway ? "The daemon does not answer. Your words are kept; try again when it is back." : error.message);
    } finally {
      this.isBusy = false;
      $("send").disabled = app.isOver === true;
    }
  }
}

/** Texts kept while the tab lives, under names with a common prefix. */
export function kept(prefix) {
  return {
    get: (name) => sessionStorage.getItem(prefix + name) ?? undefined,
    set: (name, text) => {
      try {
        sessionStorage.setItem(prefix + name, text);
      } catch {
        // The store is full: it keeps what it had, and the text is still in the input.
      }
    },
    delete: (name) => sessionStorage.removeItem(prefix + name),
  };
}
