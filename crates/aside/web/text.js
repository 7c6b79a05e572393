// Foreign text as elements. Everything is inserted as text: no code of this page parses HTML. Escapes what is invisible, or changes the
// direction of what follows.

// For prose: keeps what emoji and Chinese, French and Persian text need to look right.
const UNSEEN_IN_PROSE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\ue000-\uf8ff]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e01ef}]|(?<![\p{Extended_Pictographic}\ufe0f\p{Emoji_Modifier}])\u200d|\p{Surrogate}/u;
// For machine-readable text: also special blanks, and characters that only change the look of the one before.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\ue000-\uf8ff]|[\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e01ef}]|\p{Surrogate}/u;
// A word of Latin letters with a lookalike from another script among them.
const MIXED = /[A-Za-z][\u0370-\u03ff\u0400-\u052f\uff21-\uff3a\uff41-\uff5a]|[\u0370-\u03ff\u0400-\u052f\uff21-\uff3a\uff41-\uff5a][A-Za-z]/;

const NAMES = new Map([["\r", "return"], ["\u001b", "escape"], ["\n", "newline"], ["\t", "tab"]]);

/** An element: `h("p", { class: "note" }, "text", node)`. Attributes named `on…` are listeners; a string is always text. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === undefined || child === null || child === false) continue;
    if (child instanceof Node) element.append(child);
    else prose(element, String(child));
  }
  return element;
}

export function clear(element) {
  element.replaceChildren();
  return element;
}

export function prose(parent, text) {
  return put(parent, text, UNSEEN_IN_PROSE);
}

/** For commands, code and names. */
export function exact(parent, text) {
  if (!MIXED.test(text)) return put(parent, text, UNSEEN);
  for (const word of text.split(/([\p{L}\p{N}_]+)/u)) {
    if (!MIXED.test(word)) put(parent, word, UNSEEN);
    else {
      const span = h("span", { class: "mixed", title: "letters of several scripts in one word" });
      parent.append(put(span, word, UNSEEN));
    }
  }
  return parent;
}

/** For text that the daemon has escaped already: paints its brackets like ours. */
export function spelled(parent, text) {
  for (const part of text.split(/(⟨[^⟨⟩]{1,24}⟩)/u)) {
    if (part.startsWith("⟨") && part.endsWith("⟩")) parent.append(h("span", { class: "unseen" }, part));
    else if (part) put(parent, part, UNSEEN);
  }
  return parent;
}

/** Prose with code between backquotes. Keeps the quotes: a command may contain some of its own. */
export function quoted(parent, text, paint) {
  for (const part of text.split(/(`[^`]+`)/u)) {
    if (!part.startsWith("`") || part.length < 3) {
      if (part) paint(parent, part);
      continue;
    }
    const tick = () => h("span", { class: "tick" }, "`");
    parent.append(h("code", {}, tick(), paint(h("span"), part.slice(1, -1)), tick()));
  }
  return parent;
}

/** The same as plain text, for element names and the title. */
export function plain(text) {
  let rest = text;
  let out = "";
  for (let match = UNSEEN_IN_PROSE.exec(rest); match; match = UNSEEN_IN_PROSE.exec(rest)) {
    out += rest.slice(0, match.index) + name(match[0]);
    rest = rest.slice(match.index + match[0].length);
  }
  return out + rest;
}

/** On one line, no longer than a title. */
export function short(text, most = 80) {
  const letters = [...plain(text.slice(0, most * 8)).replace(/\s+/gu, " ").trim()];
  return letters.length > most ? `${letters.slice(0, most).join("")}…` : letters.join("");
}

function put(parent, text, unseen) {
  let rest = text;
  for (let match = unseen.exec(rest); match; match = unseen.exec(rest)) {
    if (match.index) parent.append(rest.slice(0, match.index));
    const span = document.createElement("span");
    span.className = "unseen";
    span.textContent = name(match[0]);
    parent.append(span);
    rest = rest.slice(match.index + match[0].length);
  }
  if (rest) parent.append(rest);
  return parent;
}

function name(letter) {
  const code = letter.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return `⟨${NAMES.get(letter) ?? `U+${code}`}⟩`;
}

/** A button that copies the current value of `text()`. */
export function copies(text, say = (words) => words) {
  const button = h("button", { type: "button", class: "copy quiet", title: say("Copy"), onclick: async () => {
    await toClipboard(text());
    button.textContent = say("Copied");
    setTimeout(() => { button.textContent = say("Copy"); }, 1500);
  } }, say("Copy"));
  return button;
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Fallback without clipboard access: the browser copies a selection.
    const area = h("textarea", { class: "unseen-label" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/** `3 files`, `1 file`. */
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** How long ago, as short as possible. */
export function ago(at, now = Date.now()) {
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h`;
  if (seconds < 86400 * 14) return `${Math.floor(seconds / 86400)} d`;
  return new Date(at).toISOString().slice(0, 10);
}

/** The time; with the date before today. */
export function clock(at, now = Date.now()) {
  const [then, today] = [new Date(at), new Date(now)];
  const two = (number) => String(number).padStart(2, "0");
  const time = `${two(then.getHours())}:${two(then.getMinutes())}`;
  if (then.toDateString() === today.toDateString()) return time;
  return `${then.getFullYear()}-${two(then.getMonth() + 1)}-${two(then.getDate())} ${time}`;
}

export function lasted(milliseconds) {
  if (milliseconds < 1000) return "under a second";
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
