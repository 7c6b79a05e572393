// One request in the conversation: its text, its progress, its proposals, its result. Built from the events of its log, in order; fetches a
// pending proposal anew, since an answer has to carry what the daemon offers now.

import { around } from "./around.js";
import { Card, command } from "./card.js";
import { Diff, letterOf, parse } from "./diff.js";
import { speaks, tongueOf } from "./labels.js";
import { Markdown } from "./markdown.js";
import { isSteady, steadies } from "./meant.js";
import { Output } from "./output.js";
import { clear, clock, copies, exact, h, lasted, plain, prose, quoted, short } from "./text.js";
import { dot, sign } from "./threads.js";
import { hasEnded, isFromAfar } from "./watch.js";

/** File names in the progress line. */
const NAMED = 3;
/** A task that ended within so many milliseconds is announced. */
const RECENT = 10_000;
/** Cap on search results. */
const FOUND = 300;
/** After so many milliseconds without output a model may be stuck. */
const STALLED = 20_000;

export class TaskView {
  /**
   * `hooks`: send, show, ask, soon, appeared, announce, drafts, here; `link(place)`, an element that leads to a file; and `card`, a class,
   * where a pending proposal has another presentation.
   */
  constructor(brief, hooks) {
    this.id = brief.taskId;
    this.brief = brief;
    this.hooks = hooks;
    this.tongue = tongueOf(brief.text);
    this.say = speaks(this.tongue);
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

  /** State that is reset with each attempt. */
  renew(attempt) {
    this.attempt = attempt;
    this.state = "RECEIVED";
    this.steps = [];
    this.began = undefined;
    this.intent = undefined;
    this.answer = undefined;
    /** The whole answer, including the changes in it. */
    this.raw = "";
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
      this.before.append(h("p", { class: "note" }, this.say("Attempt {}: {}", this.attempt, short(sentence, 200))));
      this.renew(event.attempt);
    }
    this.began ??= event.at;
    this.heard = event.at;
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
        // Announces the result to screen readers when it happens, not when the log is read again later.
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
    const { say } = this;
    switch (event.state) {
      case "ROUTED":
        return this.intent ? say(this.scope === "plan" ? "understood: {}, a plan only" : "understood: {}", say(this.intent.kind)) : say("understood");
      case "CONTEXT_COLLECTED": {
        const files = event.context?.files ?? [];
        if (!files.length) return undefined;
        const named = files.slice(0, NAMED).map((file) => short(file, 40)).join(", ");
        return say("read {}", files.length > NAMED ? say("{} and {} more", named, files.length - NAMED) : named);
      }
      case "PROPOSING":
        return say("proposing");
      case "WAITING_APPROVAL":
        // An edited proposal waits like the one before.
        return this.steps.at(-1) === say("waiting for you") ? undefined : say("waiting for you");
      case "EXECUTING":
        return this.isOwn(this.approver) ? say(`${acts === "apply_diff" ? "writing" : "running"}, approved by you`) : say(`${acts === "apply_diff" ? "writing" : "running"}, approved {}`, this.whence(this.approver));
      default:
        return undefined;
    }
  }

  isOwn(by) {
    return by !== undefined && by === this.hooks.here().by;
  }

  /** Where an answer came from: the log has `pts/3`, `page 2`, or the name of an editor. */
  whence(by = "") {
    if (this.isOwn(by)) return this.say("by you");
    if (/^page \d+$/.test(by)) return this.say("in another window");
    return /^(pts\/|tty)/.test(by) ? this.say("at the terminal {}", short(by, 40)) : this.say("in {}", short(by || "Aside", 60));
  }

  says(chunk) {
    if (!this.answer) {
      this.answer = new Markdown();
      this.said.append(this.answer.element);
    }
    this.raw += chunk;
    if (!this.hidesChanges) this.answer.append(chunk);
  }

  /** A change is shown once, as what it does, and not while a model writes it. */
  get hidesChanges() {
    return this.intent?.kind === "change" || this.intent?.kind === "diagnose";
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
    if (this.hidesChanges && this.answer && this.offered?.result.proposal.text === undefined) {
      const { words, isWriting } = around(this.raw, hasEnded(this.state) || this.offered !== undefined);
      this.isWriting = isWriting;
      this.answer.set(words);
    }
    this.drawTrail();
    this.drawProposal();
    this.answer?.draw();
    this.details?.draw();
    this.output?.draw();
    this.drawEnd();
    this.drawActions();
    this.follow();
  }

  drawRequest() {
    const { brief, request } = this;
    const text = request?.text ?? brief.text;
    const isRemote = isFromAfar(request?.source ?? brief.source);
    const who = request?.fromUser || brief.fromUser;
    const place = request?.meta?.workspace || brief.workspace;
    const facts = h("p", { class: "facts-line" },
      isRemote ? h("span", { class: "afar" }, who ? this.say("from afar: {}", short(who, 40)) : this.say("from afar")) : undefined,
      place ? exact(h("span", { class: "place", title: plain(place) }), place) : undefined,
      request?.meta?.private ? h("span", { class: "mark" }, this.say("nothing remote")) : undefined,
      h("a", { class: "permalink", href: `#task=${this.id}`, title: new Date(brief.since).toLocaleString() }, h("time", { datetime: new Date(brief.since).toISOString() }, clock(brief.since)), " ", this.id));
    clear(this.asked).append(prose(h("h2", { class: "words" }), text), facts);
    this.element.classList.toggle("remote", isRemote);
  }

  drawTrail() {
    const ended = hasEnded(this.state);
    const steps = this.steps.length ? [...this.steps] : [this.say("received")];
    if (!ended && this.isWriting) steps.push(this.say("writing the change"));
    const key = JSON.stringify([steps, ended, this.state]);
    if (key === this.trailKey) return;
    this.trailKey = key;
    clear(this.trail).append(...steps.map((step, index) => h("li", !ended && index === steps.length - 1 ? { "aria-current": "step" } : {}, step)));
    // The outcome is shown at the end.
    if (!ended) this.trail.prepend(h("li", { class: "sign" }, dot(sign(this.state))));
    this.clock = !ended && this.state !== "WAITING_APPROVAL" ? h("li", { class: "clock", "aria-hidden": "true" }) : undefined;
    if (this.clock) this.trail.append(this.clock);
    this.element.dataset.state = this.state;
    this.tick();
  }

  /** Runs once a second. */
  tick() {
    if (!this.clock || !this.moment) return;
    const passed = Date.now() - this.moment;
    const quiet = Date.now() - this.heard;
    const isStalled = this.state === "PROPOSING" && quiet >= STALLED;
    this.clock.classList.toggle("stalled", isStalled);
    if (isStalled) this.clock.textContent = this.say("nothing from the model for {}; Cancel gives up", lasted(quiet));
    else this.clock.textContent = passed > 2000 ? lasted(passed) : "";
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
        if (proposal.type === "plan") this.proposal.append(h("p", { class: "note" }, this.say("A plan only: nothing is carried out.")));
      } else if (this.answer) this.fold(details);
      // The files of a change are listed below, with their changes.
      const rest = besides(proposal, details);
      if (rest && rest !== proposal.text && !this.details) {
        this.details = new Markdown();
        this.details.set(rest);
        this.said.append(this.details.element);
      }
      if (proposal.type === "search_results") this.proposal.append(this.results(proposal.items), this.details?.element ?? "");
      this.isRecord = false;
    }
    const acts = proposal.type === "diff" || proposal.type === "command";
    if (!acts) return;
    if (this.state === "WAITING_APPROVAL") {
      if (this.card?.offer.step !== this.waiting && this.from >= this.brief.seq) this.look();
    } else if (!this.isRecord) {
      this.drop();
      this.isRecord = true;
      this.proposal.append(this.record(proposal));
    }
  }

  /** Folds away what a model wrote on the way to a proposal. */
  fold(details = "") {
    if (details.includes(this.answer.text.trim())) {
      this.answer.element.remove();
      return;
    }
    const whole = h("details", { class: "thoughts" }, h("summary", {}, this.say("What was written on the way")));
    this.answer.element.replaceWith(whole);
    whole.append(this.answer.element);
  }

  /** Why nothing can be approved now; empty when it can. */
  block(reason) {
    this.blocked = reason;
    this.card?.block(reason);
  }

  /** Fetches what waits. Another step, or the same from another daemon, is a new card, which has to be looked at anew. */
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
        send: async (message) => {
          const error = await this.hooks.send(message);
          // Keeps its result in view.
          if (!error && message.op === "approve") this.isFollowed = true;
          return error;
        },
        again: () => this.look(),
        drafts: this.hooks.drafts,
        workspace: this.request?.meta?.workspace || this.brief.workspace,
        tongue: this.tongue,
        link: (place) => this.fileLink(place),
      });
      this.card.block(this.blocked ?? "");
      this.proposal.append(this.card.element);
      this.hooks.appeared(this.card.element);
      this.hooks.announce(this.say("Waits for you: {}", this.brief.summary || short(this.brief.text)));
    } catch (error) {
      this.tellTrouble(error);
    } finally {
      this.looking = undefined;
    }
  }

  /** Removes the card or the record. If it had the focus, moves the focus to the request, not to whatever comes next. */
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
    // Exit status 0 is shown beside it.
    const { say } = this;
    const summary = this.outcome?.summary === `exit status ${exit}` ? say("Done") : this.outcome?.summary;
    const failed = this.failure ?? this.brief.summary;
    const sentence = {
      done: () => (summary || say("Done")) + (this.undone ? say("; undone {}", this.whence(this.undone)) : ""),
      failed: () => say("Failed: {}", failed),
      rejected: () => {
        const where = this.rejecter && !this.isOwn(this.rejecter) ? this.whence(this.rejecter) : "";
        const form = `Rejected${where ? " {}" : ""}${this.why ? ": {}" : ""}`;
        return say(form, ...[where, this.why].filter(Boolean));
      },
    }[kind]();
    const key = JSON.stringify([sentence, exit, took]);
    if (this.endKey === key && this.end.className === `end ${kind}`) return;
    this.endKey = key;
    this.end.className = `end ${kind}`;
    clear(this.end).append(dot(kind), quoted(h("span", { class: "sentence" }), sentence, prose));
    if (exit !== undefined && exit !== null) this.end.append(h("span", { class: exit ? "exit bad" : "exit" }, say("exit {}", exit)));
    if (took) this.end.append(h("span", { class: "took" }, took));
  }

  /** After an approval from here, keeps the result and the undo button in view. */
  follow() {
    if (!this.isFollowed || !this.end.isConnected) return;
    (hasEnded(this.state) ? this.actions : this.printed).scrollIntoView({ block: "nearest" });
    if (hasEnded(this.state)) this.isFollowed = false;
  }

  drawActions() {
    const { state, brief } = this;
    const { say } = this;
    const key = JSON.stringify([state, brief.undo, this.attempt]);
    if (this.actionsKey === key) return;
    this.actionsKey = key;
    const hadFocus = this.actions.contains(document.activeElement);
    clear(this.actions);
    if (hasEnded(state)) {
      if (brief.undo) this.actions.append(this.undo());
      if (state === "FAILED" && this.outcome?.exit) {
        this.asks(say("Why?"), say("why did it fail?"), "why");
        this.asks(say("Fix"), say("fix it"), "fix");
      }
      this.button(say(state === "COMPLETED" ? "Ask again" : "Retry"), "retry", state === "COMPLETED" ? "quiet" : "");
    } else if (state !== "WAITING_APPROVAL") this.button(say(state === "EXECUTING" ? "Stop" : "Cancel"), "cancel");
    if (hadFocus) this.element.focus({ preventScroll: true });
  }

  button(label, op, look = "quiet") {
    const button = h("button", { type: "button", class: look, "data-op": op, onclick: () => this.act(op, button) }, label);
    this.actions.append(button);
  }

  /** Sends a request about the last failure of the thread. */
  asks(label, words, op) {
    const button = h("button", { type: "button", "data-op": op, onclick: async () => {
      button.disabled = true;
      const error = await this.hooks.ask?.(words, this.brief);
      button.disabled = false;
      if (error) this.tellTrouble(error);
    } }, label);
    this.actions.append(button);
  }

  /** Asks for confirmation, since it writes files. */
  undo() {
    const box = h("span", { class: "undo" });
    const ask = () => {
      const yes = steadies(h("button", { type: "button", "data-op": "undo-yes", onclick: () => { if (isSteady(yes)) this.act("undo", yes).then(first); } }, this.say("Undo")));
      const no = h("button", { type: "button", onclick: () => first() }, this.say("Keep"));
      clear(box).append(h("span", {}, this.say("Put the files back as they were? ")), yes, no);
      no.focus();
    };
    const first = () => clear(box).append(h("button", { type: "button", class: "quiet", "data-op": "undo", onclick: ask }, this.say("Undo…")));
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

  /** An element that leads to a place in a file, `src/a.rs:12`; or copies it, where no editor can be opened. */
  fileLink(place) {
    return this.hooks.link?.(place, this.request?.meta?.workspace || this.brief.workspace) ?? copies(() => place, this.say);
  }

  /** A proposal that was decided. */
  record(proposal) {
    if (proposal.type === "command") {
      return h("div", { class: "record" }, h("div", { class: "copyable" }, command(proposal.cmd.split("\n").map(plain)), copies(() => proposal.cmd, this.say)), proposal.cwd ? exact(h("p", { class: "note" }), `in ${proposal.cwd}`) : undefined);
    }
    const letters = parse(proposal.unifiedDiff)?.map(letterOf) ?? [];
    const rows = proposal.files.map((file, index) => `${letters[index] ?? "M"} ${file.path} +${file.additions} -${file.deletions}`);
    return h("div", { class: "record" }, new Diff(proposal.unifiedDiff, rows, undefined, { folded: true, link: (place) => this.fileLink(place) }).element);
  }

  results(items) {
    if (!items.length) return h("p", { class: "note" }, this.say("Nothing was found."));
    const row = (item) => {
      const preview = item.preview ? exact(h("span", { class: "preview" }), item.preview.trim().slice(0, 400)) : undefined;
      const link = this.hooks.link?.(item.path, this.request?.meta?.workspace || this.brief.workspace, "path");
      return h("li", {}, link ?? exact(h("code", { class: "path" }), item.path), preview);
    };
    return h("div", { class: "results", role: "region", "aria-label": "What was found", tabindex: "0" },
      h("ul", {}, items.slice(0, FOUND).map(row)),
      items.length > FOUND ? h("p", { class: "note" }, this.say("and {} more places", items.length - FOUND)) : undefined);
  }
}

/** What the details add to a proposal: the files of a change, and search results, stand in the proposal itself. */
function besides(proposal, details = "") {
  if (proposal.type === "diff") return details.replace(/^- [AMDR] .* \+\d+ -\d+.*$/gmu, "").trim();
  if (proposal.type !== "search_results") return details;
  const isListed = (part) => part.split("\n").every((line) => line.startsWith("- `") || line.startsWith("  - ") || !line.trim());
  return details.split("\n\n").filter((part) => !isListed(part)).join("\n\n");
}

