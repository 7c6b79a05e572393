// A command's output: its end, without escape sequences. Overwritten lines are shown in their final state. Does not emulate a screen:
// full-screen programs need a terminal.

import { copies, count, h, prose } from "./text.js";

/** Cap on rows kept on the page; the log has all. */
const ROWS = 1500;
const LONGEST_ROW = 4000;

export class Output {
  constructor() {
    this.rows = h("div", { class: "rows" });
    this.above = h("p", { class: "note", hidden: true });
    this.box = h("div", { class: "output", role: "region", "aria-label": "What the command printed", tabindex: "0" }, this.above, this.rows);
    this.element = h("div", { class: "copyable" }, this.box, copies(() => [...this.rows.children].map((row) => row.textContent.trimEnd()).join("\n")));
    this.lines = [];
    this.line = "";
    this.column = 0;
    this.gone = 0;
    this.state = "text";
    this.last = undefined;
  }

  append(chunk) {
    for (const letter of chunk) this.take(letter);
  }

  take(letter) {
    const code = letter.codePointAt(0);
    switch (this.state) {
      case "text":
        break;
      case "escape":
        if (letter === "[") this.state = "sequence";
        else if ("]PX^_".includes(letter)) this.state = "string";
        else if ("()*+-./#% ".includes(letter)) this.state = "skip";
        else this.state = "text";
        return;
      case "sequence":
        // A sequence ends with a letter; numbers come before it. Only erasing a line has a visible effect here.
        this.number = code >= 0x30 && code <= 0x3f ? `${this.number ?? ""}${letter}` : this.number;
        if (code >= 0x40 && code <= 0x7e) {
          if (letter === "K") this.erase(this.number ?? "0");
          this.number = undefined;
          this.state = "text";
        }
        return;
      case "string":
        if (code === 0x07 || code === 0x9c) this.state = "text";
        else if (code === 0x1b) this.state = "escape";
        return;
      default:
        this.state = "text";
        return;
    }
    if (code === 0x1b) this.state = "escape";
    else if (code === 0x9b) this.state = "sequence";
    else if (letter === "\n") this.end();
    else if (letter === "\r") this.column = 0;
    else if (letter === "\b") this.column = Math.max(0, this.column - 1);
    else if (code === 0x07 || code === 0) return;
    else this.write(letter);
  }

  write(letter) {
    if (this.column === this.line.length) {
      if (this.line.length < LONGEST_ROW) this.line += letter;
      else this.over = (this.over ?? 0) + 1;
    } else {
      this.line = this.line.slice(0, this.column) + letter + this.line.slice(this.column + letter.length);
    }
    this.column = Math.min(this.column + letter.length, this.line.length);
  }

  erase(which) {
    if (which === "2") [this.line, this.column] = ["", 0];
    else if (which === "0") this.line = this.line.slice(0, this.column);
  }

  end() {
    this.lines.push(this.over ? `${this.line}… ${count(this.over, "more letter")}` : this.line);
    this.over = 0;
    this.line = "";
    this.column = 0;
    // Not one by one: removing from the front of a long list costs its length.
    if (this.lines.length > ROWS * 2) {
      this.gone += this.lines.length - ROWS;
      this.lines = this.lines.slice(-ROWS);
    }
  }

  /** Whether there is anything to show. */
  get isEmpty() {
    return !this.lines.length && !this.line && !this.rows.firstChild;
  }

  draw() {
    const wasDown = this.box.scrollTop + this.box.clientHeight >= this.box.scrollHeight - 8;
    this.last?.remove();
    this.last = undefined;
    const fragment = document.createDocumentFragment();
    if (this.lines.length > ROWS) {
      this.gone += this.lines.length - ROWS;
      this.lines = this.lines.slice(-ROWS);
    }
    for (const line of this.lines) fragment.append(row(line));
    this.lines = [];
    if (this.line) {
      this.last = row(this.line);
      fragment.append(this.last);
    }
    this.rows.append(fragment);
    while (this.rows.childElementCount > ROWS) {
      this.rows.firstElementChild.remove();
      this.gone += 1;
    }
    this.above.hidden = this.gone === 0;
    if (this.gone) this.above.textContent = `${count(this.gone, "line")} above ${this.gone === 1 ? "is" : "are"} not shown here`;
    if (wasDown) this.box.scrollTop = this.box.scrollHeight;
  }
}

function row(line) {
  const element = document.createElement("div");
  return prose(element, line || " ");
}
