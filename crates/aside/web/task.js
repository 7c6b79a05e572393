// One request in the conversation: what was asked, how far it is, what is proposed, what came of it. Made from the events of its log, in
// their order; what waits for a person is asked for anew, since an answer has to carry what the daemon offers now.

import { Card, command } from "./card.js";
import { Diff } from "./diff.js";
import { Markdown } from "./markdown.js";
import { Output } from "./output.js";
import { clear, clock, count, exact, h, lasted, plain, prose, quoted, short } from "./text.js";
import { dot, sign } from "./threads.js";
import { hasEnded } from "./watch.js";

/** Names of files in the line of progress. */
const NAMED = 3;
/** What ended so long ago, in milliseconds, is news. */
const RECENT = 10_000;
/** Search results that are shown. */
const FOUND = 300;

export class TaskView {
  /** `hooks`: send, show, soon, appeared, announce, drafts, here; and `card`, a class, where what waits is shown in another way. */
  constructor(brief, hooks) {
    this.id = brief.taskId;
    this.brief = brief;
    this.hooks = hooks;
    this.from = 0;
    this.asked = h("div", { class: "asked" });
    this.trail = h("ol", { class: "trail", "aria-label": "Progress" });
    this.before = h("div", { class: "attempts" });
    this.said = h("div", { class: "said" });
    this.proposal = h("div", { class: "proposal" });
    this.printed = h("div", { class: "printed" });
    this.end = h("p", { class: "end", hidden: true });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.actions = h("div", { class: "actions task-actions" });
    this.element = h("article", { class: "task", tabindex: "-1", id: `task-${this.id}`, "aria-label": `Request: ${short(brief.text, 100)}` },
      this.asked, this.before, this.trail, this.said, this.proposal, this.printed, this.end, this.trouble, this.actions);
    this.renew(1);
    this.drawRequest();
    this.update(brief);
  }

  /** What begins anew with each attempt. */
  renew(attempt) {
    this.attempt = attempt;
    this.state = "RECEIVED";
    this.steps = [];
    this.began = undefined;
    this.intent = undefined;
    this.answer = undefined;
    this.details = undefined;
    this.output = undefined;
    this.offered = undefined;
    this.approver = undefined;
    this.failure = undefined;
    this.outcome = undefined;
    this.undone = undefined;
    this.finished = undefined;
    this.waiting = undefined;
    clear(this.said);
    clear(this.printed);
    this.drop();
  }

  update(brief) {
    this.brief = brief;
    this.hooks.soon(this);
  }

  apply(event) {
    this.from = event.seq;
    if (event.attempt > this.attempt) {
      const sentence = this.failure ?? (this.state === "REJECTED" ? "rejected" : this.outcome?.summary ?? "ended");
      this.before.append(h("p", { class: "note" }, `Attempt ${this.attempt}: ${short(sentence, 200)}`));
      this.renew(event.attempt);
    }
    this.began ??= event.at;
    switch (event.type) {
      case "task_start":
        this.intent = event.intent;
        this.scope = event.scope;
        break;
      case "task_state":
        this.moved(event);
        break;
      case "task_stream_chunk":
        if (event.channel === "output") this.prints(event.chunk);
        else this.says(event.chunk);
        break;
      case "task_proposal":
        this.offered = event;
        break;
      case "task_end":
        this.finished ??= event.at;
        // Who does not see it is told when it happens, not when it is read again later.
        if (!this.undone && Date.now() - event.at < RECENT) this.hooks.announce(`${{ ok: "Done", error: "Failed", rejected: "Rejected" }[event.status] ?? "Ended"}: ${short(this.brief.text)}`);
        break;
      default:
        break;
    }
    this.hooks.soon(this);
  }

  moved(event) {
    this.state = event.state;
    this.moment = event.at;
    if (event.request) {
      this.request = event.request;
      this.drawRequest();
    }
    if (event.cause === "undone") {
      this.undone = event.by;
      return;
    }
    if (event.by) this.approver = event.by;
    if (event.outcome) this.outcome = event.outcome;
    if (event.state === "FAILED") this.failure = event.message ?? "it failed";
    else if (event.state === "REJECTED") [this.why, this.rejecter] = [event.message, event.by];
    this.waiting = event.state === "WAITING_APPROVAL" ? event.step : undefined;
    const words = this.words(event);
    if (words) this.steps.push(words);
    if (event.message && !hasEnded(event.state)) this.steps.push(short(event.message, 160));
  }

  words(event) {
    const acts = this.offered?.result.requires?.action;
    switch (event.state) {
      case "ROUTED":
        return this.intent ? `understood: ${this.intent.kind}${this.scope === "plan" ? ", a plan only" : ""}` : "understood";
      case "CONTEXT_COLLECTED": {
        const files = event.context?.files ?? [];
        if (!files.length) return undefined;
        const named = files.slice(0, NAMED).map((file) => short(file, 40)).join(", ");
        return `read ${named}${files.length > NAMED ? ` and ${files.length - NAMED} more` : ""}`;
      }
      case "PROPOSING":
        return "proposing";
      case "WAITING_APPROVAL":
        // An edited proposal waits as the one before did.
        return this.steps.at(-1) === "waiting for you" ? undefined : "waiting for you";
      case "EXECUTING":
        return `${acts === "apply_diff" ? "writing" : "running"}, approved by ${this.who()}`;
      default:
        return undefined;
    }
  }

  who(said = this.approver) {
    if (!said) return "nobody";
    return said === this.hooks.here().by ? `you (${short(said, 40)})` : short(said, 60);
  }

  says(chunk) {
    if (!this.answer) {
      this.answer = new Markdown();
      this.said.append(this.answer.element);
    }
    this.answer.append(chunk);
  }

  prints(chunk) {
    if (!this.output) {
      this.output = new Output();
      this.printed.append(this.output.element);
    }
    this.output.append(chunk);
  }

  /** Paints what has changed since the last time. */
  draw() {
    this.drawTrail();
    this.drawProposal();
    this.answer?.draw();
    this.details?.draw();
    this.output?.draw();
    this.drawEnd();
    this.drawActions();
  }

  drawRequest() {
    const { brief, request } = this;
    const text = request?.text ?? brief.text;
    const isRemote = (request?.source ?? brief.source) === "wecom";
    const who = request?.fromUser || brief.fromUser;
    const place = request?.meta?.workspace || brief.workspace;
    const facts = h("p", { class: "facts-line" },
      isRemote ? h("span", { class: "afar" }, who ? `from afar: ${short(who, 40)}` : "from afar") : undefined,
      place ? exact(h("span", { class: "place", title: plain(place) }), place) : undefined,
      request?.meta?.private ? h("span", { class: "mark" }, "nothing remote") : undefined,
      h("a", { class: "permalink", href: `#task=${this.id}`, title: new Date(brief.since).toLocaleString() }, h("time", { datetime: new Date(brief.since).toISOString() }, clock(brief.since)), " ", this.id));
    clear(this.asked).append(prose(h("h2", { class: "words" }), text), facts);
    this.element.classList.toggle("remote", isRemote);
  }

  drawTrail() {
    const ended = hasEnded(this.state);
    const steps = this.steps.length ? [...this.steps] : ["received"];
    const key = JSON.stringify([steps, ended, this.state]);
    if (key === this.trailKey) return;
    this.trailKey = key;
    clear(this.trail).append(...steps.map((step, index) => h("li", !ended && index === steps.length - 1 ? { "aria-current": "step" } : {}, step)));
    // How it ended is said at the end.
    if (!ended) this.trail.prepend(h("li", { class: "sign" }, dot(sign(this.state))));
    this.clock = !ended && this.state !== "WAITING_APPROVAL" ? h("li", { class: "clock", "aria-hidden": "true" }) : undefined;
    if (this.clock) this.trail.append(this.clock);
    this.element.dataset.state = this.state;
    this.tick();
  }

  /** Once a second. */
  tick() {
    if (!this.clock || !this.moment) return;
    const passed = Date.now() - this.moment;
    this.clock.textContent = passed > 2000 ? lasted(passed) : "";
  }

  drawProposal() {
    const { offered } = this;
    if (!offered) return;
    const { proposal, details } = offered.result;
    if (this.drawnStep !== offered.step) {
      this.drawnStep = offered.step;
      this.drop();
      const isText = proposal.type === "answer" || proposal.type === "plan";
      if (isText) {
        if (!this.answer) this.says("");
        this.answer.set(proposal.text);
        if (proposal.type === "plan") this.proposal.append(h("p", { class: "note" }, "A plan only: nothing is carried out."));
      } else if (this.answer) this.fold();
      // The files of a change are named below, with what changes in them.
      const rest = proposal.type === "diff" ? details?.replace(/^- [AMDR] .* \+\d+ -\d+.*$/gmu, "").trim() : details;
      if (rest && rest !== proposal.text && !this.details) {
        this.details = new Markdown();
        this.details.set(rest);
        this.said.append(this.details.element);
      }
      if (proposal.type === "search_results") this.proposal.append(results(proposal.items));
      this.isRecord = false;
    }
    const acts = proposal.type === "diff" || proposal.type === "command";
    if (!acts) return;
    if (this.state === "WAITING_APPROVAL") {
      if (this.card?.offer.step !== this.waiting && this.from >= this.brief.seq) this.look();
    } else if (!this.isRecord) {
      this.drop();
      this.isRecord = true;
      this.proposal.append(record(proposal));
    }
  }

  /** What a model wrote on the way to a proposal is there for those who want it. */
  fold() {
    const whole = h("details", { class: "thoughts" }, h("summary", {}, "What was written on the way"));
    this.answer.element.replaceWith(whole);
    whole.append(this.answer.element);
  }

  /** Why nothing can be approved now; empty when it can. */
  block(reason) {
    this.blocked = reason;
    this.card?.block(reason);
  }

  /** Asks what waits. Another step, or the same from another daemon, is another card, which has to be looked at anew. */
  async look() {
    const wanted = this.waiting;
    if (this.looking === wanted) return;
    this.looking = wanted;
    try {
      const { offer } = await this.hooks.show(this.id);
      if (!offer || this.state !== "WAITING_APPROVAL" || offer.step !== this.waiting) return;
      if (this.card?.offer.digest === offer.digest && this.card.offer.step === offer.step) return;
      this.drop();
      this.card = new (this.hooks.card ?? Card)(offer, {
        send: (message) => this.hooks.send(message),
        again: () => this.look(),
        drafts: this.hooks.drafts,
        workspace: this.request?.meta?.workspace || this.brief.workspace,
      });
      this.card.block(this.blocked ?? "");
      this.proposal.append(this.card.element);
      this.hooks.appeared(this.card.element);
      this.hooks.announce(`Waits for you: ${this.brief.summary || short(this.brief.text)}`);
    } catch (error) {
      this.tellTrouble(error);
    } finally {
      this.looking = undefined;
    }
  }

  /** The card, or the record, goes. Whoever had the focus there is back at the request, not at whatever comes next. */
  drop() {
    const hadFocus = this.proposal?.contains(document.activeElement);
    this.card?.close();
    this.card = undefined;
    this.isRecord = false;
    clear(this.proposal);
    if (hadFocus) this.element.focus({ preventScroll: true });
  }

  drawEnd() {
    const ended = hasEnded(this.state);
    this.end.hidden = !ended;
    if (!ended) return;
    const kind = sign(this.state);
    const took = this.finished && this.began ? lasted(this.finished - this.began) : "";
    const exit = this.outcome?.exit;
    // That it ended with 0 is said beside it.
    const summary = this.outcome?.summary === `exit status ${exit}` ? "Done" : this.outcome?.summary;
    const failed = this.failure ?? this.brief.summary;
    const sentence = {
      done: () => (summary ?? "Done") + (this.undone ? `; taken back (${short(this.undone, 60)})` : ""),
      failed: () => `Failed: ${failed}`,
      rejected: () => `Rejected${this.rejecter ? ` by ${this.who(this.rejecter)}` : ""}${this.why ? `: ${this.why}` : ""}`,
    }[kind]();
    const key = JSON.stringify([sentence, exit, took]);
    if (this.endKey === key && this.end.className === `end ${kind}`) return;
    this.endKey = key;
    this.end.className = `end ${kind}`;
    clear(this.end).append(dot(kind), quoted(h("span", { class: "sentence" }), sentence, prose));
    if (exit !== undefined && exit !== null) this.end.append(h("span", { class: exit ? "exit bad" : "exit" }, `exit ${exit}`));
    if (took) this.end.append(h("span", { class: "took" }, took));
  }

  drawActions() {
    const { state, brief } = this;
    const key = JSON.stringify([state, brief.undo, this.attempt]);
    if (this.actionsKey === key) return;
    this.actionsKey = key;
    const hadFocus = this.actions.contains(document.activeElement);
    clear(this.actions);
    if (hasEnded(state)) {
      this.button(state === "COMPLETED" ? "Ask again" : "Retry", "retry", state === "COMPLETED" ? "quiet" : "");
      if (brief.undo) this.actions.append(this.undo());
    } else if (state !== "WAITING_APPROVAL") this.button(state === "EXECUTING" ? "Stop" : "Cancel", "cancel");
    if (hadFocus) this.element.focus({ preventScroll: true });
  }

  button(label, op, look = "quiet") {
    const button = h("button", { type: "button", class: look, "data-op": op, onclick: () => this.act(op, button) }, label);
    this.actions.append(button);
  }

  /** Writes files, so it is said twice. */
  undo() {
    const box = h("span", { class: "undo" });
    const ask = () => {
      const no = h("button", { type: "button", onclick: () => first() }, "Keep");
      clear(box).append(h("span", {}, "Put the files back as they were? "), h("button", { type: "button", "data-op": "undo-yes", onclick: (event) => this.act("undo", event.currentTarget).then(first) }, "Undo"), no);
      no.focus();
    };
    const first = () => clear(box).append(h("button", { type: "button", class: "quiet", "data-op": "undo", onclick: ask }, "Undo…"));
    first();
    return box;
  }

  async act(op, button) {
    this.trouble.hidden = true;
    button.disabled = true;
    const error = await this.hooks.send({ op, taskId: this.id }, (lines) => {
      if (lines?.length && op === "undo") this.note(lines.join(" "));
    });
    button.disabled = false;
    if (error) this.tellTrouble(error);
  }

  note(text) {
    this.trouble.className = "note";
    this.trouble.textContent = plain(text);
    this.trouble.hidden = false;
  }

  tellTrouble(error) {
    this.trouble.className = "trouble";
    this.trouble.textContent = plain(error.message);
    this.trouble.hidden = false;
  }

  close() {
    this.card?.close();
  }
}

/** What was proposed and is decided. */
function record(proposal) {
  if (proposal.type === "command") {
    return h("div", { class: "record" }, command(proposal.cmd.split("\n").map(plain)), proposal.cwd ? exact(h("p", { class: "note" }), `in ${proposal.cwd}`) : undefined);
  }
  const rows = proposal.files.map((file) => `M ${file.path} +${file.additions} -${file.deletions}`);
  return h("div", { class: "record" }, new Diff(proposal.unifiedDiff, rows, undefined, { folded: true }).element);
}

function results(items) {
  if (!items.length) return h("p", { class: "note" }, "Nothing was found.");
  const shown = items.slice(0, FOUND);
  return h("div", { class: "results", role: "region", "aria-label": "What was found", tabindex: "0" },
    h("ul", {}, shown.map((item) => h("li", {}, exact(h("code", { class: "path" }), item.path), item.preview ? exact(h("span", { class: "preview" }), item.preview.slice(0, 400)) : undefined))),
    items.length > FOUND ? h("p", { class: "note" }, `and ${count(items.length - FOUND, "more place")}`) : undefined);
}
