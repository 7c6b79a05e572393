// The list of threads: their first request, their state, those that wait for the user on top.

import { ago, h, plain, short } from "./text.js";
import { hasEnded, isFromAfar } from "./watch.js";

const SIGNS = {
  waiting: ["?", "waits for you"],
  working: ["…", "at work"],
  done: ["✓", "done"],
  failed: ["✗", "failed"],
  rejected: ["–", "rejected"],
};

export function sign(state) {
  if (state === "WAITING_APPROVAL") return "waiting";
  if (!hasEnded(state)) return "working";
  return { COMPLETED: "done", FAILED: "failed", REJECTED: "rejected" }[state];
}

/** The dot, which is a letter too, for users who cannot tell the colours apart. */
export function dot(kind) {
  const [letter, words] = SIGNS[kind];
  return h("span", { class: `dot ${kind}`, title: words, role: "img", "aria-label": words }, letter);
}

/** Groups tasks by conversation, oldest first. */
export function group(briefs) {
  const threads = new Map();
  for (const brief of briefs) {
    const thread = threads.get(brief.threadId) ?? { id: brief.threadId, tasks: [] };
    threads.set(brief.threadId, thread);
    thread.tasks.push(brief);
  }
  for (const thread of threads.values()) {
    thread.tasks.sort((one, other) => one.since - other.since || (one.taskId < other.taskId ? -1 : 1));
    thread.at = Math.max(...thread.tasks.map((task) => task.at));
    const kinds = thread.tasks.map((task) => sign(task.state));
    thread.kind = kinds.includes("waiting") ? "waiting" : kinds.includes("working") ? "working" : kinds.at(-1);
    thread.title = short(thread.tasks[0].text, 120) || thread.id;
    thread.isRemote = thread.tasks.some((task) => isFromAfar(task.source));
  }
  const order = (thread) => (thread.kind === "waiting" ? 0 : 1);
  return [...threads.values()].sort((one, other) => order(one) - order(other) || other.at - one.at);
}

export class Threads {
  constructor(list) {
    this.list = list;
    this.items = new Map();
  }

  draw(threads, current, snippets) {
    const kept = new Set();
    let place = this.list.firstElementChild;
    for (const thread of threads) {
      kept.add(thread.id);
      const facts = JSON.stringify([thread.title, thread.kind, ago(thread.at), thread.isRemote, thread.id === current, snippets?.get(thread.id)]);
      let item = this.items.get(thread.id);
      if (!item) {
        const link = h("a", { href: `#thread=${encodeURIComponent(thread.id)}` });
        item = { element: h("li", {}, link), link, facts: "" };
        this.items.set(thread.id, item);
      }
      if (item.facts !== facts) {
        item.facts = facts;
        this.fill(item.link, thread, thread.id === current, snippets?.get(thread.id));
        const found = snippets?.get(thread.id);
        item.link.href = found ? `#task=${encodeURIComponent(found.id)}` : `#thread=${encodeURIComponent(thread.id)}`;
      }
      // Leaves an element that is already in place: moving it would lose the focus.
      if (item.element === place) place = place.nextElementSibling;
      else this.list.insertBefore(item.element, place);
    }
    for (const [id, item] of this.items) {
      if (kept.has(id)) continue;
      item.element.remove();
      this.items.delete(id);
    }
  }

  fill(link, thread, isCurrent, snippet) {
    link.replaceChildren(
      dot(thread.kind),
      h("span", { class: "thread-title" }, thread.title),
      thread.isRemote ? h("span", { class: "afar", title: "from afar" }, "afar") : "",
      h("span", { class: "when" }, ago(thread.at)));
    // Shows the match where the title does not contain it.
    if (snippet && short(snippet.text, 120) !== thread.title) link.append(h("span", { class: "snippet" }, short(snippet.text, 100)));
    link.title = plain(thread.title);
    if (isCurrent) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}
