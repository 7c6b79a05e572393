// A pending proposal: shown whole, and answered by a button or by two keys. An answer carries the step and the digest of exactly what is
// shown here. Approving is not possible until the card was visible for a moment, and for a change until each file was opened: a click that
// was meant for something else must not approve.

import { Diff } from "./diff.js";
import { isByKey } from "./keys.js";
import { speaks } from "./labels.js";
import { alone, isSteady, steadies } from "./meant.js";
import { copies, exact, h, quoted, spelled } from "./text.js";

/** Milliseconds of visibility before approving: longer than it takes to press a button that was there before. */
const MOMENT = 700;

/** Milliseconds between focusing the card and a key that answers: `n` needs no more. */
const PAUSE = 500;
/** Rows with a presentation of their own; every other row is shown with its label, even an unknown one. */
const OWN = new Set(["command", "file", "danger"]);

export class Card {
  /** `send(op, more)` sends an answer and returns whether it was accepted; `again()` asks what waits now. */
  constructor(offer, { send, again, drafts, workspace, tongue = "en", link = undefined }) {
    this.offer = offer;
    const say = speaks(tongue);
    this.say = say;
    this.workspace = workspace;
    this.send = send;
    this.again = again;
    this.drafts = drafts;
    this.isSeen = false;
    this.isBusy = false;
    const of = (label) => offer.rows.filter((row) => row.label === label).map((row) => row.text);
    this.isCommand = offer.action === "run_command";
    const files = of("file");
    this.files = files.length;
    this.does = this.isCommand ? say("Run") : say("Apply {}", say(files.length === 1 ? "{} file" : "{} files", files.length));
    this.what = h("div", { class: "what" });
    if (this.isCommand) this.what.append(h("div", { class: "copyable" }, command(of("command")), copies(() => offer.text, say)));
    else {
      this.diff = new Diff(offer.text, files, () => this.arm(), { link });
      this.what.append(this.diff.element);
    }
    const facts = offer.rows.filter((row) => !OWN.has(row.label));
    const dangers = of("danger");
    this.approve = h("button", { type: "button", class: dangers.length ? "approve destroys" : "approve", disabled: true, onclick: () => this.clicks() }, this.does);
    steadies(this.approve);
    this.reason = h("input", { type: "text", class: "why", placeholder: say("why not (optional)"), "aria-label": say("why not (optional)"), maxlength: "500", onkeydown: (event) => { if (event.key === "Enter" && !event.isComposing) { event.preventDefault(); this.rejects(); } } });
    this.reject = h("button", { type: "button", onclick: () => this.rejects() }, say("Reject"));
    this.edit = h("button", { type: "button", onclick: () => this.edits() }, say("Edit"));
    this.hint = h("span", { class: "hint", role: "status" });
    this.trouble = h("p", { class: "trouble", role: "alert", hidden: true });
    this.actions = h("div", { class: "actions" }, this.approve, this.reject, this.reason, this.edit, this.hint);
    this.element = h("section", { class: "card", role: "group", tabindex: "0", "aria-label": `Waits for you, step ${offer.step}: ${this.isCommand ? "run a command" : this.does}`, onkeydown: (event) => this.key(event), onfocus: () => this.listens(), onblur: () => this.deafens() },
      h("h3", {}, say(this.isCommand ? "Run this command?" : "Write these changes?"), h("span", { class: "step" }, offer.step > 1 ? say("step {}", offer.step) : "")),
      this.what,
      dangers.length ? h("ul", { class: "dangers" }, dangers.map((danger) => h("li", {}, h("strong", {}, say("Danger: ")), spelled(h("span"), danger)))) : undefined,
      h("dl", { class: "facts" }, facts.flatMap((row) => [h("dt", {}, say(row.label)), row.label === "in" || row.label === "with" ? spelled(h("dd", { class: "code" }), row.text) : quoted(h("dd"), row.text, spelled)])),
      this.isCommand ? this.confine() : undefined,
      this.trouble,
      this.actions,
      h("p", { class: "card-keys" }, say(this.isCommand ? "Esc, a, then  y run · n reject · e edit" : "Esc, a, then  y apply · n reject · e edit · v show all · s side by side")));
    this.watch();
    this.arm();
  }

  confine() {
    const box = h("input", { type: "checkbox", onchange: () => this.confines(box.checked) });
    box.checked = this.offer.confine === "workspace";
    this.box = box;
    const where = this.workspace ? [": ", exact(h("code"), this.workspace)] : [];
    return h("label", { class: "confine" }, box, h("span", {}, this.say("it may write in the workspace only"), ...where));
  }

  /** Arms the card once it was visible, in a visible window, for a moment without interruption. */
  watch() {
    this.observer = new IntersectionObserver((entries) => {
      clearTimeout(this.timer);
      if (!entries.at(-1).isIntersecting || document.hidden) return;
      this.timer = setTimeout(() => {
        if (document.hidden || !this.element.isConnected) return;
        this.isSeen = true;
        this.observer.disconnect();
        this.arm();
      }, MOMENT);
    });
    this.observer.observe(this.what);
    document.addEventListener("visibilitychange", this.visible = () => {
      if (this.isSeen || !this.element.isConnected) return;
      this.observer.disconnect();
      this.observer.observe(this.what);
    });
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.pausing);
    this.observer.disconnect();
    document.removeEventListener("visibilitychange", this.visible);
  }

  get isArmed() {
    return this.isSeen && !this.isBusy && !this.blocked && !this.editor && (this.diff?.unseen ?? 0) === 0;
  }

  /** While a command runs, the daemon accepts no approval from a page. Says so before the button is pressed; an empty reason ends it. */
  block(reason) {
    if (reason === (this.blocked ?? "")) return;
    this.blocked = reason;
    this.trouble.hidden = true;
    this.arm();
  }

  arm() {
    // The diff reports opened files while it is being built.
    if (!this.approve) return;
    this.approve.disabled = !this.isArmed;
    for (const button of [this.reject, this.edit, this.reason, this.box]) if (button) button.disabled = this.isBusy;
    const unseen = this.diff?.unseen ?? 0;
    const { say } = this;
    const left = () => say("{} to open first", say(unseen === 1 ? "{} file" : "{} files", unseen));
    this.hint.textContent = this.isBusy ? say("sending…") : this.blocked ? this.blocked : unseen ? left() : this.isSeen ? "" : say("a moment…");
    this.element.classList.toggle("armed", this.isArmed);
  }

  async answer(op, more = {}) {
    if (this.isBusy) return;
    this.isBusy = true;
    this.trouble.hidden = true;
    this.arm();
    const { taskId, step, digest } = this.offer;
    const error = await this.send({ op, taskId, step, digest, ...more });
    if (!error) return true;
    this.isBusy = false;
    this.trouble.textContent = error.message;
    this.trouble.hidden = false;
    this.arm();
    // The task may have moved on: fetches what waits now, and replaces this card if that is another.
    this.again();
    return false;
  }

  clicks() {
    if (isSteady(this.approve)) return this.approves();
    this.nudge(this.say("it has just moved: press it again"));
  }

  approves() {
    if (this.isArmed) return this.answer("approve");
  }

  rejects() {
    const text = this.reason.value.trim();
    return this.answer("reject", text ? { text } : {});
  }

  confines(wanted) {
    return this.answer("edit", { text: this.offer.text, confine: wanted ? "workspace" : "no" }).then((taken) => {
      if (taken === false) this.box.checked = !wanted;
    });
  }

  edits() {
    if (this.editor || this.isBusy) return;
    const kept = this.drafts.get(this.offer.taskId);
    const text = h("textarea", { class: "editor", spellcheck: "false", rows: String(Math.min(24, Math.max(2, this.offer.text.split("\n").length + 1))), "aria-label": this.isCommand ? "The command as it is to be" : "The diff as it is to be" });
    text.value = kept ?? this.offer.text;
    text.addEventListener("input", () => this.drafts.set(this.offer.taskId, text.value));
    text.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") this.leaves(event);
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        this.saves(text.value);
      }
    });
    const reset = h("button", { type: "button", hidden: kept === undefined || kept === this.offer.text, onclick: () => { this.drafts.delete(this.offer.taskId); text.value = this.offer.text; reset.hidden = true; text.focus(); } }, this.say("Begin again"));
    this.editor = h("div", { class: "editing" }, text,
      h("div", { class: "actions" },
        h("button", { type: "button", onclick: () => this.saves(text.value) }, this.say("Propose this")),
        h("button", { type: "button", onclick: (event) => this.leaves(event) }, this.say("Back")),
        reset,
        h("span", { class: "hint" }, this.say("It is shown again before anything happens. Ctrl+Enter, Esc"))));
    this.actions.hidden = true;
    this.actions.before(this.editor);
    this.arm();
    text.focus();
    this.editor.scrollIntoView({ block: "nearest" });
  }

  leaves(event) {
    event.preventDefault();
    event.stopPropagation();
    this.editor.remove();
    this.editor = undefined;
    this.actions.hidden = false;
    this.arm();
    this.element.focus();
  }

  async saves(text) {
    const taken = await this.answer("edit", { text, ...(this.isCommand ? { confine: this.offer.confine } : {}) });
    if (taken) this.drafts.delete(this.offer.taskId);
  }

  /** Keys count from a moment after the card was focused by a key. Focusing it by a click does not count. */
  listens() {
    this.deafens();
    if (!isByKey()) return;
    this.pausing = setTimeout(() => this.element.classList.add("listening"), PAUSE);
  }

  deafens() {
    clearTimeout(this.pausing);
    this.element.classList.remove("listening");
  }

  /** Only while the card itself has the focus: that is the first of the two steps. */
  key(event) {
    if (event.target !== this.element || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const stray = (key) => () => this.nudge(this.say("press {} alone", key));
    const keys = {
      y: () => alone(() => (this.isArmed && this.element.isConnected ? this.approves() : this.nudge()), stray("y")),
      n: () => this.rejects(),
      e: () => alone(() => this.edits(), stray("e")),
      v: () => this.diff?.openAll(),
      s: () => this.diff?.way.click(),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    // Ignores a held key, and a key in a quick row with others, which was meant for something else.
    if (event.repeat) return;
    if (this.element.classList.contains("listening")) act();
    else this.listens();
  }

  nudge(words = this.hint.textContent) {
    this.hint.textContent = words;
    this.hint.classList.remove("nudged");
    requestAnimationFrame(() => this.hint.classList.add("nudged"));
  }
}

/** The lines of a command, as the daemon escaped them. */
export function command(lines) {
  return h("pre", { class: "command", "aria-label": "The command" }, lines.map((line, index) => h("span", { class: "line" }, h("span", { class: "prompt", "aria-hidden": "true" }, index ? "  " : "$ "), spelled(h("span"), line), "\n")));
}
