// Applies a unified diff, as the daemon settled it, to the text of a file, for the diff editor. Writes nothing: the daemon does.

export interface FilePatch {
  /** Without `a/` and `b/`; empty for a file that is created or deleted. */
  old: string;
  new: string;
  hunks: Hunk[];
}

interface Hunk {
  /** From 1; 0 in an empty file. */
  start: number;
  rows: string[];
}

/** The files of a diff; undefined when a line of it does not parse. */
export function parsePatch(text: string): FilePatch[] | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const files: FilePatch[] = [];
  let file: FilePatch | undefined;
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.startsWith("diff --git ")) {
      file = undefined;
      at += 1;
    } else if (line.startsWith("rename from ") || line.startsWith("rename to ")) {
      file ??= begin(files);
      if (line.startsWith("rename from ")) file.old = unquoted(line.slice(12));
      else file.new = unquoted(line.slice(10));
      at += 1;
    } else if (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
      if (!file || file.hunks.length) file = begin(files);
      file.old = named(line);
      file.new = named(lines[at + 1] ?? "");
      at += 2;
    } else if (line.startsWith("@@ ")) {
      const range = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
      if (!file || !range) return undefined;
      const hunk = { start: Number(range[1]), rows: [] as string[] };
      at = readHunk(lines, at + 1, Number(range[2] ?? 1), Number(range[3] ?? 1), hunk.rows);
      if (at < 0) return undefined;
      file.hunks.push(hunk);
    } else if (/^(index|(old|new|deleted file|new file) mode|similarity|dissimilarity) /.test(line)) at += 1;
    else return undefined;
  }
  return files.length ? files : undefined;
}

function begin(files: FilePatch[]): FilePatch {
  const file = { old: "", new: "", hunks: [] };
  files.push(file);
  return file;
}

function readHunk(lines: string[], start: number, olds: number, news: number, rows: string[]): number {
  let at = start;
  let [left, right] = [olds, news];
  while (left > 0 || right > 0 || lines[at]?.startsWith("\\")) {
    const line = lines[at];
    if (line === undefined) return -1;
    const mark = line[0] ?? " ";
    if (!" +-\\".includes(mark)) return -1;
    if (mark === " " || mark === "-") left -= 1;
    if (mark === " " || mark === "+") right -= 1;
    if (left < 0 || right < 0) return -1;
    rows.push(line);
    at += 1;
  }
  return at;
}

function named(line: string): string {
  const name = unquoted(line.slice(4).replace(/\t[^\t]*$/, ""));
  return name === "/dev/null" ? "" : name.replace(/^[ab]\//, "");
}

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** A quoted name, as git writes those with special characters. */
function unquoted(name: string): string {
  if (!name.startsWith('"') || !name.endsWith('"') || name.length < 2) return name;
  const bytes: number[] = [];
  const body = name.slice(1, -1);
  for (let at = 0; at < body.length; at += 1) {
    if (body[at] !== "\\") {
      const letter = String.fromCodePoint(body.codePointAt(at) ?? 0);
      bytes.push(...Buffer.from(letter));
      at += letter.length - 1;
      continue;
    }
    const octal = /^[0-7]{3}/.exec(body.slice(at + 1));
    if (octal) bytes.push(Number.parseInt(octal[0], 8) & 255);
    else bytes.push(ESCAPES[body[at + 1] ?? ""] ?? 63);
    at += octal ? 3 : 1;
  }
  return Buffer.from(bytes).toString("utf8");
}

/** The changed text; undefined when the patch does not apply. */
export function applyPatch(before: string, patch: FilePatch): string | undefined {
  const lines = before.split("\n");
  // The part behind the last newline is no line.
  const endsWithNewline = lines.at(-1) === "";
  if (endsWithNewline) lines.pop();
  const out: string[] = [];
  // One by one: a long file has more lines than a call may have arguments.
  const keep = (until: number) => {
    for (; at < until && at < lines.length; at += 1) out.push(lines[at] ?? "");
  };
  let at = 0;
  let newline = endsWithNewline || before === "";
  for (const { start, rows } of patch.hunks) {
    const olds = rows.filter((row) => " -".includes(row[0] ?? " ")).length;
    const first = olds === 0 ? start : start - 1;
    if (first < at) return undefined;
    if (first > lines.length) return undefined;
    keep(first);
    let last = "";
    for (const row of rows) {
      const text = row.slice(1);
      if (row.startsWith("\\")) {
        if (last !== "-") newline = false;
        else if (at >= lines.length) newline = true;
        continue;
      }
      last = row[0] ?? " ";
      if (last !== "+") {
        if (lines[at] !== text) return undefined;
        at += 1;
      }
      if (last !== "-") out.push(text);
    }
  }
  keep(lines.length);
  if (!out.length) return "";
  return out.join("\n") + (newline ? "\n" : "");
}
