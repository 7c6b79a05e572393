// Markdown as models write it, as elements. A subset: headings, lists, quotes, code, tables, emphasis, links. HTML is text. Made for
// streaming text: completed blocks are never touched again, so nothing flickers and a selection stays.

import { highlight } from "./highlight.js";
import { copies, exact, h, prose } from "./text.js";

/** Cap on the text shown: the browser would be slow, and users do not read more here. */
const LONGEST = 400_000;
const DEEPEST = 6;
/** Cap on the input of a pattern with lookahead. A longer text is no ordinary paragraph. */
const LONGEST_LINE = 6_000;

export class Markdown {
  constructor() {
    this.element = h("div", { class: "markdown" });
    this.text = "";
    /** Where the first block begins that may still change, and how many elements come before it. */
    this.open = 0;
    this.settled = 0;
    this.drawn = 0;
  }

  append(chunk) {
    if (this.text.length < LONGEST) this.text += chunk;
    else this.isCut = true;
  }

  /** Replaces the text, which often begins with what was streamed. */
  set(text) {
    const shown = text.slice(0, LONGEST);
    if (shown === this.text) return;
    if (!shown.startsWith(this.text.slice(0, this.open))) {
      this.element.replaceChildren();
      this.open = 0;
      this.settled = 0;
    }
    this.text = shown;
    this.isCut = text.length > LONGEST;
    this.drawn = -1;
  }

  draw() {
    if (this.drawn === this.text.length) return;
    this.drawn = this.text.length;
    const blocks = split(this.text, this.open);
    const { element } = this;
    const old = [...element.children].slice(this.settled);
    blocks.forEach((block, index) => {
      const there = old[index];
      const code = there?.querySelector(":scope > pre > code");
      // Streaming code only grows: replacing it would lose the selection. It is coloured when it is complete.
      if (block.kind === "code" && !block.isClosed && there?.className === "copyable" && block.begin === Number(there.dataset.begin) && code) {
        const shown = code.textContent;
        if (block.text.startsWith(shown) && !there.querySelector(".unseen, .mixed")) {
          exact(code, block.text.slice(shown.length));
          code.normalize();
          return;
        }
      }
      const drawn = draw(block, 0);
      if (block.kind === "code") drawn.dataset.begin = String(block.begin);
      if (there) there.replaceWith(drawn);
      else element.append(drawn);
    });
    for (const left of old.slice(blocks.length)) left.remove();
    // The first line of a block may still make it part of the one before.
    const begun = blocks.length > 1 && !this.text.includes("\n", blocks.at(-1).begin) ? 2 : 1;
    const first = blocks.at(-begun);
    if (first) {
      this.open = first.begin;
      this.settled += blocks.length - begun;
    }
    if (this.isCut && !this.note) {
      this.note = h("p", { class: "note" }, "What follows is not shown here; the log of the task has it.");
      element.after(this.note);
    }
  }
}

/** Blocks from `begin` on, which must be a block's start. The last one may be incomplete. */
function split(text, begin) {
  const blocks = [];
  let at = begin;
  while (at < text.length) {
    const [line, after] = lineAt(text, at);
    if (!line.trim()) {
      at = after;
      continue;
    }
    const start = at;
    const fence = /^( {0,3})(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/.exec(line);
    if (fence) {
      const body = [];
      at = after;
      let closed = false;
      while (at < text.length && !closed) {
        const [inner, next] = lineAt(text, at);
        at = next;
        const end = inner.trim();
        closed = end.startsWith(fence[2]) && !end.replaceAll(fence[2][0], "");
        if (!closed) body.push(inner.startsWith(fence[1]) ? inner.slice(fence[1].length) : inner.trimStart());
      }
      blocks.push({ kind: "code", language: fence[3], text: body.join("\n"), begin: start, isClosed: closed });
      continue;
    }
    const heading = /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (heading) {
      blocks.push({ kind: "heading", level: heading[1].length, text: heading[2], begin: start });
      at = after;
      continue;
    }
    if (/^ {0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) {
      blocks.push({ kind: "rule", begin: start });
      at = after;
      continue;
    }
    const kind = /^ {0,3}>/.test(line) ? "quote" : item(line) ? "list" : isTable(text, at) ? "table" : "paragraph";
    const lines = [];
    while (at < text.length) {
      const [next, behind] = lineAt(text, at);
      if (!goesOn(kind, next, text, behind, lines)) break;
      lines.push(next);
      at = behind;
    }
    blocks.push({ kind, lines, begin: start });
  }
  return blocks;
}

function goesOn(kind, line, text, behind, lines) {
  const blank = !line.trim();
  if (!lines.length) return true;
  switch (kind) {
    case "list": {
      // An empty line within a list is part of it if what follows is.
      if (blank) return /^(\s{2,}\S|\s{0,3}([-*+]|\d{1,9}[.)])\s)/.test(lineAt(text, behind)[0]);
      return /^\s{2,}/.test(line) || item(line) !== null || (lines.at(-1).trim() !== "" && !opens(line));
    }
    case "quote":
      return !blank && (/^ {0,3}>/.test(line) || !opens(line));
    case "table":
      return !blank && line.includes("|");
    default:
      return !blank && !opens(line);
  }
}

function opens(line) {
  return /^ {0,3}(#{1,6}\s|>|```|~~~|([-*_])(\s*\2){2,}\s*$)/.test(line) || item(line) !== null;
}

function item(line) {
  return /^(\s*)([-*+]|\d{1,9}[.)])(\s+)(.*)$/.exec(line);
}

function isTable(text, at) {
  const [head, after] = lineAt(text, at);
  return head.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lineAt(text, after)[0]);
}

function lineAt(text, at) {
  const end = text.indexOf("\n", at);
  return end < 0 ? [text.slice(at), text.length] : [text.slice(at, end), end + 1];
}

function draw(block, depth) {
  switch (block.kind) {
    case "code":
      return codeBlock(block);
    case "heading":
      // The page and the request use the first heading levels.
      return inline(h(`h${Math.min(block.level + 2, 6)}`), block.text);
    case "rule":
      return h("hr");
    case "quote":
      return nested(h("blockquote"), block.lines.map((line) => line.replace(/^ {0,3}> ?/, "")), depth);
    case "list":
      return list(block.lines, depth);
    case "table":
      return table(block.lines);
    default:
      return inline(h("p"), block.lines.join("\n"));
  }
}

function codeBlock({ language, text, isClosed }) {
  const code = h("code");
  if (isClosed) highlight(code, text, language);
  else exact(code, text);
  const pre = h("pre", { class: "code", tabindex: "0", "aria-label": `code ${language}`.trim() }, code);
  return h("div", { class: "copyable" }, pre, copies(() => code.textContent));
}

function nested(element, lines, depth) {
  const text = lines.join("\n");
  if (depth >= DEEPEST) return prose(element, text);
  for (const block of split(text, 0)) element.append(draw(block, depth + 1));
  return element;
}

function list(lines, depth) {
  const first = item(lines[0]);
  const ordered = /\d/.test(first[2]);
  const element = h(ordered ? "ol" : "ul", ordered && Number.parseInt(first[2], 10) !== 1 ? { start: Number.parseInt(first[2], 10) } : {});
  let current;
  const close = () => {
    if (!current) return;
    const one = h("li");
    const text = current.lines.join("\n").trimEnd();
    // An item of one line is no paragraph.
    if (!text.includes("\n")) inline(one, text);
    else nested(one, text.split("\n"), depth);
    const lead = one.firstElementChild;
    if (lead?.tagName === "P" && one.firstChild === lead) lead.classList.add("tight");
    element.append(one);
  };
  const base = first[1].length;
  for (const line of lines) {
    const here = item(line);
    if (here && here[1].length <= base + 1) {
      close();
      const box = /^\[([ xX])\]\s+(.*)$/.exec(here[4]);
      const text = box ? `${box[1] === " " ? "☐" : "☑"} ${box[2]}` : here[4];
      current = { indent: here[1].length + here[2].length + Math.min(here[3].length, 4), lines: [text] };
    } else {
      const blanks = /^\s*/.exec(line)[0].length;
      current.lines.push(line.slice(Math.min(blanks, current.indent)));
    }
  }
  close();
  return element;
}

function table(lines) {
  const cells = (line) => {
    const inner = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
    return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
  };
  const head = cells(lines[0]);
  const sides = cells(lines[1] ?? "").map((mark) => (mark.endsWith(":") ? (mark.startsWith(":") ? "centre" : "right") : ""));
  const row = (tag, texts) =>
    h("tr", {}, head.map((_, index) => inline(h(tag, sides[index] ? { class: sides[index] } : {}), texts[index] ?? "")));
  const body = lines.slice(2).map((line) => row("td", cells(line)));
  return h("div", { class: "table", tabindex: "0" }, h("table", {}, h("thead", {}, row("th", head)), h("tbody", {}, body)));
}

const INLINE =
  /(`+)(?!`)([\s\S]*?[^`])\1(?!`)|\\([\\`*_{}[\]()#+\-.!|<>~])|!?\[([^\]\n]*)\]\(\s*<?([^\s<>()]*(?:\([^\s<>()]*\)[^\s<>()]*)*)>?(?:\s+"[^"]*")?\s*\)|(https?:\/\/[^\s<>"'`]+)|(\*\*|__)(?=\S)([\s\S]*?\S)\7(?!\w)|(?<![\w*])(\*)(?=[^\s*])([\s\S]*?[^\s*])\*(?![\w*])|(?<![\w_])(_)(?=[^\s_])([\s\S]*?[^\s_])_(?![\w_])|(~~)(?=\S)([\s\S]*?\S)~~/;

/** Emphasis, code and links of one block. */
export function inline(element, text, depth = 0) {
  if (text.length > LONGEST_LINE || depth > DEEPEST) return prose(element, text);
  let rest = text;
  for (let match = INLINE.exec(rest); match; match = INLINE.exec(rest)) {
    if (match.index) prose(element, rest.slice(0, match.index));
    rest = rest.slice(match.index + match[0].length);
    if (match[1]) element.append(exact(h("code"), match[2].replace(/^ (.*[^ ].*) $/s, "$1")));
    else if (match[3]) prose(element, match[3]);
    else if (match[5] !== undefined) link(element, match[4], match[5], depth);
    else if (match[6]) {
      // Punctuation at the end is not part of the address.
      const address = match[6].replace(/[.,;:!?)\]]+$/, "");
      rest = match[6].slice(address.length) + rest;
      link(element, address, address, DEEPEST);
    } else if (match[7]) element.append(inline(h("strong"), match[8], depth + 1));
    else if (match[9]) element.append(inline(h("em"), match[10], depth + 1));
    else if (match[11]) element.append(inline(h("em"), match[12], depth + 1));
    else element.append(inline(h("del"), match[14], depth + 1));
  }
  return prose(element, rest);
}

/** Shows where a link goes, against phishing: its text may name another address. */
function link(element, label, address, depth) {
  let url;
  try {
    url = new URL(address);
  } catch {
    url = undefined;
  }
  const isWeb = (url?.protocol === "https:" || url?.protocol === "http:") && !url.username && !url.password;
  if (!isWeb) {
    // `src/main.rs:3` in brackets is a file; shows it, and whatever else it may be, without a link.
    inline(element, label, depth + 1);
    if (address && address !== label) element.append(h("span", { class: "address" }, " (", exact(h("code"), address), ")"));
    return;
  }
  const anchor = h("a", { href: url.href, rel: "noopener noreferrer nofollow", target: "_blank" });
  if (label === address || !label) prose(anchor, address);
  else inline(anchor, label, DEEPEST);
  element.append(anchor);
  if (label && label !== address) element.append(h("span", { class: "address" }, ` (${url.host})`));
}
