// Files that are never sent along with a request: the daemon's own list, compiled in. The daemon checks again.

import entries from "deny-list";

/** What kind of file it is that must not be sent: `a private key`. Takes a path with `/`. */
export function denied(path: string): string | undefined {
  const parts = path.split("/").map(plain).filter(Boolean);
  return entries.find((entry) => entry.patterns.some((pattern) => fits(parts, pattern.split("/").map(plain), entry.except)))?.what;
}

function fits(parts: string[], pattern: string[], except: string[]): boolean {
  return parts.some((_, at) => {
    const window = parts.slice(at, at + pattern.length);
    if (window.length < pattern.length || except.includes(window.at(-1) ?? "")) return false;
    return window.every((part, index) => isLike(part, pattern[index] ?? ""));
  });
}

function isLike(text: string, pattern: string): boolean {
  const literal = (part: string) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(`^${pattern.split("*").map(literal).join(".*")}$`, "s").test(text);
}

/** Normalizes for file systems that ignore case, or dots and blanks at the end. */
function plain(part: string): string {
  return part.replace(/[. ]+$/, "").toLowerCase();
}
