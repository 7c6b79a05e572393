// Syntax colours: comments, strings, numbers, keywords, and called names. Reads one text at a time, from left to right, and never fails:
// unknown text is plain. Reads each line of a diff alone, so a string over several lines is not recognized there.

import { exact, h } from "./text.js";

const C = { line: ["//"], block: [["/*", "*/"]], strings: ['"', "'"] };
const HASH = { line: ["#"], block: [], strings: ['"', "'"] };
const words = (text) => new Set(text.split(" "));
const JAVASCRIPT = words("abstract as async await break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let new null of override private protected public readonly return satisfies set static super switch this throw true try type typeof undefined var void while with yield");
const SHELL = words("alias break case cd continue do done elif else esac eval exec exit export false fi for function if in local readonly return select set shift source test then time trap true unset until while");

const LANGUAGES = {
  rust: { ...C, strings: ['"'], words: words("as async await box break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type union unsafe use where while") },
  python: { ...HASH, block: [['"""', '"""'], ["'''", "'''"]], words: words("and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield") },
  script: { ...C, strings: ['"', "'", "`"], words: JAVASCRIPT },
  go: { ...C, strings: ['"', "'", "`"], words: words("break case chan const continue default defer else fallthrough false for func go goto if import interface iota map nil package range return select struct switch true type var") },
  c: { ...C, words: words("alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long namespace new noexcept nullptr operator override private protected public register return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while") },
  java: { ...C, words: words("abstract assert boolean break byte case catch char class const continue data default do double else enum extends false final finally float for fun if implements import instanceof int interface internal is long native new null object open override package private protected public record return sealed short static super suspend switch synchronized this throw throws transient true try val var void volatile when while") },
  csharp: { ...C, words: words("abstract as async await base bool break byte case catch char class const continue decimal default delegate do double else enum event explicit extern false finally fixed float for foreach get if implicit in int interface internal is lock long namespace new null object operator out override params private protected public readonly record ref return sealed set short static string struct switch this throw true try typeof using var virtual void volatile while yield") },
  swift: { ...C, words: words("actor as associatedtype async await break case catch class continue default defer deinit do else enum extension false fileprivate for func guard if import in init inout internal is let mutating nil open operator private protocol public repeat rethrows return self Self static struct subscript super switch throw throws true try typealias var where while") },
  ruby: { ...HASH, words: words("alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo require rescue retry return self super then true undef unless until when while yield") },
  php: { ...C, line: ["//", "#"], words: words("abstract and array as break case catch class const continue declare default do echo else elseif empty enum extends false final finally fn for foreach function global if implements include instanceof interface isset match namespace new null or private protected public readonly require return static switch this throw trait true try use var while yield") },
  shell: { ...HASH, words: SHELL },
  sql: { line: ["--"], block: [["/*", "*/"]], strings: ["'", '"'], words: words("add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full group having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning right rollback select set table then transaction true union unique update using values view when where with"), isLoose: true },
  toml: { ...HASH, words: words("true false") },
  yaml: { ...HASH, words: words("true false null yes no on off") },
  json: { line: [], block: [], strings: ['"'], words: words("true false null") },
  css: { line: [], block: [["/*", "*/"]], strings: ['"', "'"], words: words("important inherit initial none auto") },
  lua: { line: ["--"], block: [["--[[", "]]"]], strings: ['"', "'"], words: words("and break do else elseif end false for function goto if in local nil not or repeat return then true until while") },
  haskell: { line: ["--"], block: [["{-", "-}"]], strings: ['"'], words: words("case class data deriving do else forall if import in infix infixl infixr instance let module newtype of qualified then type where") },
  html: { line: [], block: [["<!--", "-->"]], strings: ['"', "'"], words: words("") },
  make: { ...HASH, words: words("define else endef endif export ifdef ifeq ifndef ifneq include override") },
};
const NAMES = {
  rs: "rust", "javascript": "script", py: "python", pyi: "python", python3: "python", js: "script", jsx: "script", ts: "script", tsx: "script", mjs: "script", cjs: "script", mts: "script", typescript: "script",
  golang: "go", h: "c", cc: "c", cpp: "c", "c++": "c", cxx: "c", hpp: "c", hh: "c", kt: "java", kts: "java", kotlin: "java", scala: "java", groovy: "java", gradle: "java", dart: "java", cs: "csharp", "c#": "csharp", rb: "ruby", gemfile: "ruby", rakefile: "ruby",
  sh: "shell", bash: "shell", zsh: "shell", fish: "shell", console: "shell", dockerfile: "shell", containerfile: "shell", ini: "toml", cfg: "toml", conf: "toml", yml: "yaml", jsonc: "json", json5: "script", jsonl: "json", scss: "css", less: "css", hs: "haskell", elm: "haskell",
  xml: "html", svg: "html", htm: "html", vue: "html", svelte: "html", makefile: "make", gnumakefile: "make", mk: "make", just: "make", justfile: "make",
};
/** Cap on a text; the rest is plain. */
const LONGEST = 40_000;

/** The language of a fence or a file, by its name. */
export function languageOf(name) {
  const last = (name ?? "").toLowerCase().split("/").at(-1);
  const key = last.includes(".") ? last.split(".").at(-1) : last;
  return LANGUAGES[NAMES[key] ?? key];
}

/** Tokens of a text, each with its range and kind. */
export function tokens(text, language) {
  const found = [];
  if (!language) return found;
  const end = Math.min(text.length, LONGEST);
  let at = 0;
  const put = (to, kind) => {
    found.push({ from: at, to, kind });
    at = to;
  };
  while (at < end) {
    const rest = text.slice(at, at + 4);
    const block = language.block.find(([open]) => rest.startsWith(open));
    const line = language.line.find((mark) => rest.startsWith(mark));
    const quote = language.strings.find((mark) => rest.startsWith(mark));
    if (block) {
      const close = text.indexOf(block[1], at + block[0].length);
      put(close < 0 ? end : close + block[1].length, block[0].startsWith('"') || block[0].startsWith("'") ? "string" : "comment");
    } else if (line && (line !== "#" || at === 0 || /\s/.test(text[at - 1]))) {
      const close = text.indexOf("\n", at);
      put(close < 0 ? end : close, "comment");
    } else if (quote) put(stringEnd(text, at, quote, end), "string");
    else if (/[A-Za-z_$\u00aa-\uffff]/.test(text[at])) {
      const word = /[\w$\u00aa-\uffff]+/y;
      word.lastIndex = at;
      const [name] = word.exec(text) ?? [text[at]];
      const known = language.words.has(language.isLoose ? name.toLowerCase() : name);
      const called = !known && text[at + name.length] === "(";
      if (known || called) put(at + name.length, known ? "keyword" : "call");
      else at += name.length;
    } else if (/\d/.test(text[at])) {
      const number = /[\d][\w.]*/y;
      number.lastIndex = at;
      put(at + number.exec(text)[0].length, "number");
    } else at += 1;
  }
  return found;
}

function stringEnd(text, from, quote, end) {
  for (let at = from + 1; at < end; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) return at + 1;
    // An unclosed quote on its line is an apostrophe, or continues further down.
    else if (text[at] === "\n" && quote !== "`") return at;
  }
  return end;
}

/** Appends a part of a text to an element, with colours. */
export function paint(parent, text, found, from = 0, to = text.length) {
  let at = from;
  for (const { from: begin, to: behind, kind } of found) {
    if (behind <= at || begin >= to) continue;
    if (begin > at) exact(parent, text.slice(at, begin));
    const start = Math.max(begin, at);
    at = Math.min(behind, to);
    parent.append(exact(h("span", { class: `hl-${kind}` }), text.slice(start, at)));
  }
  if (at < to) exact(parent, text.slice(at, to));
  return parent;
}

/** Appends a whole text. */
export function highlight(parent, text, name) {
  return paint(parent, text, tokens(text, languageOf(name)));
}
