// Parses and paints a unified diff: inline or side by side, file by file. Shows every byte of it: lines wrap, since the user does not see
// what is off the edge of a window, and an unparsable diff is shown as it is.

import { languageOf, paint, tokens } from "./highlight.js";
import { count, exact, h, spelled } from "./text.js";

/** Rows painted in one go before the browser may paint. */
const AT_ONCE = 200;
/** Estimated row height in pixels, for rows that are not laid out yet. */
const ROW = 19;
/** Among several files, one with more rows begins closed; all do when there are more in total. */
const SHORT = 60;
const SHORT_IN_ALL = 240;
/** The similarity of two lines from which the difference is marked. */
const ALIKE = 0.35;
/** Cap on the pairs of lines compared. */
const LOOKED_AT = 2500;

/** The files of a diff, or undefined when a line of it does not parse. */
export function parse(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const files = [];
  let file;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    const next = lines[at + 1] ?? "";
    if (line.startsWith("diff --git ")) {
      file = begin(files, line);
      at += 1;
    } else if (line.startsWith("--- ") && next.startsWith("+++ ")) {
      if (!file || file.hunks.length || file.old) file = begin(files, "");
      file.old = named(line);
      file.new = named(next);
      at += 2;
    } else if (line.startsWith("@@ ")) {
      const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (!file || !range) return undefined;
      const [old, olds, fresh, news] = [range[1], range[2] ?? 1, range[3], range[4] ?? 1].map(Number);
      const hunk = { line, rows: [] };
      at = read(lines, at + 1, old, olds, fresh, news, hunk);
      if (at < 0) return undefined;
      file.hunks.push(hunk);
    } else if (file && !file.hunks.length && /^(index|(old|new|deleted file|new file) mode|similarity|dissimilarity|rename) /.test(line)) {
      file.notes.push(line);
      at += 1;
    } else return undefined;
  }
  return files.length ? files : undefined;
}

function begin(files, line) {
  const file = { line, notes: [], old: "", new: "", hunks: [] };
  files.push(file);
  return file;
}

function named(line) {
  return line.slice(4).replace(/\t.*$/, "");
}

/** As in git: `A`, `D`, `R` or `M`. */
export function letterOf(file) {
  if (file.old === "/dev/null") return "A";
  if (file.new === "/dev/null") return "D";
  return file.notes.some((note) => note.startsWith("rename ")) ? "R" : "M";
}

/** The rows of one hunk, by the counts in its header: a removed line may look like a file header. */
function read(lines, start, old, olds, fresh, news, hunk) {
  let at = start;
  let [left, right] = [olds, news];
  while (left > 0 || right > 0 || lines[at]?.startsWith("\\")) {
    const line = lines[at];
    if (line === undefined) return -1;
    const mark = line[0] ?? " ";
    const row = { mark, text: line.slice(1), old: 0, new: 0, bare: false };
    if (mark === "\\") {
      if (!hunk.rows.length) return -1;
      hunk.rows.at(-1).bare = true;
      at += 1;
      continue;
    }
    if (mark !== " " && mark !== "+" && mark !== "-") return -1;
    if (mark !== "+") {
      row.old = old++;
      left -= 1;
    }
    if (mark !== "-") {
      row.new = fresh++;
      right -= 1;
    }
    if (left < 0 || right < 0) return -1;
    hunk.rows.push(row);
    at += 1;
  }
  return at;
}

/** The preferred layout, stored. */
export const look = {
  get split() {
    return localStorage.getItem("diff") === "split";
  },
  set split(wanted) {
    localStorage.setItem("diff", wanted ? "split" : "unified");
  },
  /** Two columns of code need room. */
  get fits() {
    return matchMedia("(min-width: 760px)").matches;
  },
};

/** Repaints when the window becomes wide or narrow enough for the other layout. */
const DIFFS = new WeakMap();
matchMedia("(min-width: 760px)").addEventListener("change", () => {
  for (const element of document.querySelectorAll(".diff")) DIFFS.get(element)?.repaint();
});

/** All files of a diff. `rows` are the daemon's summary for each, or an event's; `onSeen` is called when a file was opened. */
export class Diff {
  constructor(text, rows, onSeen, { folded = false, link = undefined } = {}) {
    this.onSeen = onSeen;
    this.link = link;
    this.isRecord = folded;
    const files = parse(text);
    this.files = files && files.length === rows.length ? files.map((file, index) => new File(file, rows[index], this)) : [new Raw(text, rows, this)];
    this.list = h("div", { class: "files" }, this.files.map((file) => file.element));
    this.all = h("button", { type: "button", class: "quiet", onclick: () => this.openAll() }, "Show all");
    this.way = h("button", { type: "button", class: "quiet way", onclick: () => { look.split = !look.split; this.repaint(); } });
    this.left = h("span", { class: "left" });
    this.element = h("div", { class: "diff" }, h("div", { class: "diff-bar" }, this.left, this.all, this.way), this.list);
    const size = this.files.reduce((sum, file) => sum + file.size, 0);
    const small = size <= SHORT_IN_ALL;
    DIFFS.set(this.element, this);
    // A single file may be longer and still begins open.
    const short = this.files.length === 1 ? SHORT_IN_ALL : SHORT;
    for (const file of this.files) if (!folded && small && file.size <= short) file.open();
    this.repaint();
  }

  get unseen() {
    return this.files.filter((file) => !file.seen).length;
  }

  openAll() {
    for (const file of this.files) file.open();
  }

  changed() {
    const { unseen } = this;
    this.all.hidden = this.files.every((file) => file.isOpen);
    this.left.textContent = unseen && !this.isRecord ? `${unseen} of ${count(this.files.length, "file")} not opened yet` : count(this.files.length, "file");
    this.onSeen?.();
  }

  repaint() {
    const { split } = look;
    this.way.textContent = split ? "Unified" : "Side by side";
    this.way.title = "How changes are shown (s)";
    for (const file of this.files) file.repaint();
    this.changed();
  }
}

class File {
  constructor(file, row, diff) {
    this.file = file;
    this.diff = diff;
    this.isOpen = false;
    this.seen = false;
    this.size = file.hunks.reduce((sum, hunk) => sum + hunk.rows.length + 1, 0);
    this.body = h("div", { class: "body", hidden: true });
    this.head = h("button", { type: "button", class: "file-head", "aria-expanded": "false", onclick: () => this.toggle() }, title(row));
    const rows = this.size > SHORT ? h("span", { class: "size" }, count(this.size, "line")) : undefined;
    if (rows) this.head.append(rows);
    this.name = (file.new === "/dev/null" ? file.old : file.new).replace(/^[ab]\//, "");
    const line = /\+(\d+)/.exec(file.hunks[0]?.line ?? "")?.[1];
    // Links to the current path: a proposed change has not created or renamed anything yet.
    const there = (diff.isRecord ? file.new : file.old).replace(/^[ab]\//, "");
    const leads = there && there !== "/dev/null" && !there.startsWith('"');
    const link = leads ? diff.link?.(line ? `${there}:${line}` : there) : undefined;
    this.element = h("section", { class: "file" }, h("div", { class: "file-line" }, this.head, link), this.body);
  }

  open() {
    if (!this.isOpen) this.toggle();
  }

  toggle() {
    this.isOpen = !this.isOpen;
    this.element.classList.toggle("open", this.isOpen);
    this.head.setAttribute("aria-expanded", String(this.isOpen));
    this.body.hidden = !this.isOpen;
    this.repaint();
    this.diff.changed();
  }

  repaint() {
    const split = look.split && look.fits;
    if (!this.isOpen || this.painted === split) return;
    this.painted = split;
    this.body.replaceChildren(...this.file.notes.filter((note) => !note.startsWith("index ")).map((note) => exact(h("p", { class: "note" }), note)));
    const parts = this.file.hunks.flatMap((hunk) => [{ head: hunk.line }, ...(split ? pairs(hunk.rows) : marked(hunk.rows))]);
    fill(this.body, parts, { split, language: languageOf(this.name) }, () => this.painted === split, () => {
      this.seen = true;
      this.diff.changed();
    });
  }
}

/** An unparsable diff, shown as it is. */
class Raw {
  constructor(text, rows, diff) {
    this.diff = diff;
    this.size = text.split("\n").length;
    this.isOpen = false;
    this.seen = false;
    this.body = h("div", { class: "body", hidden: true }, exact(h("pre", { class: "raw" }), text));
    this.head = h("button", { type: "button", class: "file-head", "aria-expanded": "false", onclick: () => this.toggle() },
      rows.length ? rows.map((row) => h("span", { class: "line" }, title(row))) : "The diff");
    this.element = h("section", { class: "file" }, this.head, this.body);
  }

  open() {
    if (!this.isOpen) this.toggle();
  }

  toggle() {
    this.isOpen = !this.isOpen;
    this.seen = true;
    this.head.setAttribute("aria-expanded", String(this.isOpen));
    this.body.hidden = !this.isOpen;
    this.diff.changed();
  }

  repaint() {}
}

/** `M src/x.rs +3 -1`, split into its parts. */
function title(row) {
  const parts = /^([AMDR]) (.*) \+(\d+) -(\d+)(.*)$/s.exec(row);
  if (!parts) return spelled(h("span", { class: "name" }), row);
  const [, letter, name, added, removed, more] = parts;
  const words = { A: "new", M: "changed", D: "deleted", R: "renamed" };
  return h("span", { class: "file-title" },
    h("span", { class: `letter ${letter}`, title: words[letter] }, letter),
    spelled(h("span", { class: "name" }), name),
    h("span", { class: "added" }, `+${added}`),
    h("span", { class: "removed" }, `−${removed}`),
    more ? spelled(h("span", { class: "more" }), more.trim()) : undefined);
}

function columns(split) {
  const names = split ? ["number", "half", "number", "half"] : ["number", "number", "mark", "whole"];
  return h("colgroup", {}, names.map((name) => h("col", { class: name })));
}

/** Splits a long file into many tables, so that the browser lays out only those that are near. `isWanted` says whether to go on. */
function fill(box, parts, { split, language }, isWanted, done) {
  let at = 0;
  const more = () => {
    if (!isWanted()) return;
    const chunk = parts.slice(at, at + AT_ONCE);
    at += AT_ONCE;
    const rows = chunk.map((part) => (part.head ? head(part.head) : split ? two(part, language) : one(part, language)));
    const table = h("table", { class: split ? "split" : "unified" }, columns(split), h("tbody", {}, rows));
    const place = h("div", { class: "chunk" }, table);
    if (parts.length > AT_ONCE) {
      place.classList.add("far");
      place.style.containIntrinsicBlockSize = `auto ${rows.length * ROW}px`;
    }
    if (rows.length) box.append(place);
    if (at < parts.length) requestAnimationFrame(more);
    else done();
  };
  more();
}

function head(line) {
  return h("tr", { class: "hunk" }, exact(h("td", { colspan: "4" }), line));
}

function one({ row, from, to }, language) {
  const kind = row.mark === "+" ? "plus" : row.mark === "-" ? "minus" : "same";
  return h("tr", { class: kind },
    h("td", { class: "number" }, row.old ? String(row.old) : ""),
    h("td", { class: "number" }, row.new ? String(row.new) : ""),
    h("td", { class: "mark" }, row.mark),
    code(row, from, to, language));
}

function two({ left, right }, language) {
  const cells = (side, which) => {
    if (!side) return [h("td", { class: "number" }), h("td", { class: "nothing" })];
    const cell = code(side.row, side.from, side.to, language);
    if (side.row.mark !== " ") cell.classList.add(side.row.mark === "+" ? "plus" : "minus");
    return [h("td", { class: "number" }, String(side.row[which])), cell];
  };
  return h("tr", {}, ...cells(left, "old"), ...cells(right, "new"));
}

function code({ mark, text, bare }, from, to, language) {
  const cell = h("td", { class: "text" });
  // Copied text has no marks; a screen reader has to read them.
  if (mark !== " ") cell.append(h("span", { class: "unseen-label" }, mark === "+" ? "added: " : "removed: "));
  const returned = text.endsWith("\r");
  const line = returned ? text.slice(0, -1) : text;
  const blanks = mark === "+" ? /[ \t]+$/.exec(line)?.index ?? line.length : line.length;
  const found = tokens(line, language);
  if (from < to) {
    const end = Math.min(to, blanks);
    paint(cell, line, found, 0, from);
    cell.append(paint(h("span", { class: "word" }), line, found, from, end));
    paint(cell, line, found, end, blanks);
  } else paint(cell, line, found, 0, blanks);
  if (blanks < line.length) cell.append(exact(h("span", { class: "blanks", title: "blanks at the end of the line" }), line.slice(blanks)));
  if (returned) cell.append(h("span", { class: "eol", title: "the line ends with a carriage return" }, "␍"));
  if (bare) cell.append(h("span", { class: "eol", title: "no newline at the end of the file" }, "⟨no newline⟩"));
  return cell;
}

/** Rows in order, with the differences between a removed line and its replacement. */
function marked(rows) {
  return beside(rows, "under");
}

/** Removed lines beside their replacements. */
function pairs(rows) {
  return beside(rows, "beside");
}

function beside(rows, way) {
  const parts = rows.map((row) => ({ row, from: 0, to: 0 }));
  const out = [];
  for (let at = 0; at < parts.length; ) {
    if (parts[at].row.mark === " ") {
      out.push(way === "under" ? parts[at] : { left: parts[at], right: parts[at] });
      at += 1;
      continue;
    }
    const [minus, plus] = run(parts, at);
    const paired = align(minus, plus);
    for (const { left, right } of paired) if (left && right) differ(left, right);
    out.push(...(way === "under" ? [...minus, ...plus] : paired));
    at += minus.length + plus.length;
  }
  return out;
}

/** The removed lines from here, and the added ones right behind. */
function run(parts, at) {
  let end = at;
  while (parts[end]?.row.mark === "-") end += 1;
  const minus = parts.slice(at, end);
  const begin = end;
  while (parts[end]?.row.mark === "+") end += 1;
  return [minus, parts.slice(begin, end)];
}

/** Aligns each removed line with the most similar added one, in order; lines without a match stand alone or fill up. */
function align(minus, plus) {
  const out = [];
  let [left, right] = [0, 0];
  const upTo = (i, j) => {
    while (left < i || right < j) out.push({ left: left < i ? minus[left++] : undefined, right: right < j ? plus[right++] : undefined });
  };
  if (minus.length * plus.length <= LOOKED_AT) {
    minus.forEach((one, i) => {
      let [best, place] = [ALIKE, -1];
      for (let j = right; j < plus.length; j += 1) {
        const like = alike(one.row.text, plus[j].row.text);
        if (like > best) [best, place] = [like, j];
      }
      if (place < 0) return;
      upTo(i, place);
      out.push({ left: minus[left++], right: plus[right++] });
    });
  }
  upTo(minus.length, plus.length);
  return out;
}

/** How much of two lines is the same at their ends, from 0 to 1. Ignores indentation. */
function alike(old, fresh) {
  const [one, other] = [old.trim(), fresh.trim()];
  const [start, end] = ends(one, other);
  return (start + end) / Math.max(1, one.length, other.length);
}

/** How many code units two texts share at their beginning and end, not splitting a character. */
function ends(old, fresh) {
  const most = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < most && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const isTail = (text, at) => /[\udc00-\udfff]/.test(text[at] ?? "");
  while (start > 0 && (isTail(old, start) || isTail(fresh, start))) start -= 1;
  while (end > 0 && (isTail(old, old.length - end) || isTail(fresh, fresh.length - end))) end -= 1;
  return [start, end];
}

function differ(minus, plus) {
  const [old, fresh] = [minus.row.text, plus.row.text];
  if (alike(old, fresh) < ALIKE) return;
  let [start, end] = ends(old, fresh);
  // Extends to whole words: half of a name says less than the name.
  const isWord = (text, at) => /\w/.test(text[at] ?? "");
  while (start > 0 && isWord(old, start - 1) && (isWord(old, start) || isWord(fresh, start))) start -= 1;
  const isCut = (text) => isWord(text, text.length - end) && isWord(text, text.length - end - 1);
  while (end > 0 && (isCut(old) || isCut(fresh))) end -= 1;
  [minus.from, minus.to] = [start, old.length - end];
  [plus.from, plus.to] = [start, fresh.length - end];
}
