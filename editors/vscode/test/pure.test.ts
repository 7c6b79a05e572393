// Tests without editor and daemon: the deny list, budgets, diffs, the text of the dialog, where the program is searched.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import entries from "deny-list";
import { MAX_DIAGNOSTICS_BYTES, MAX_OPEN, MAX_SELECTION_BYTES, PARTS, type Seen, collect, cut, wanted } from "../src/context";
import { denied } from "../src/deny";
import { findExecutable, ownEnvironment } from "../src/executable";
import { lastCommandText, withoutEscapes } from "../src/last";
import { notice } from "../src/notice";
import { question } from "../src/offer";
import { inside, isBelow, real } from "../src/paths";
import { type FilePatch, applyPatch, parsePatch } from "../src/patch";
import type { Offer } from "../src/wire";

test("the deny list is the daemon's, with its examples", () => {
  assert.ok(entries.length > 5);
  for (const { what, hits, misses } of entries) {
    for (const path of hits) assert.ok(denied(path), `${path} (${what})`);
    for (const path of misses) assert.equal(denied(path), undefined, path);
  }
});

const SEEN: Seen = { file: "src/a.ts", behind: "src/a.ts", line: 7, isDirty: false, selection: "let x", problems: [{ line: 7, severity: "error", source: "ts", message: "no\nsuch thing" }], open: ["src/a.ts", "src/b.ts", ".env"] };

test("what goes along is what the user is told, without denied files", () => {
  const { context, items, notes } = collect(SEEN, PARTS);
  assert.deepEqual(context, { active: "src/a.ts", activeLine: 7, selection: "let x", diagnostics: "src/a.ts:7: error (ts): no such thing", open: ["src/b.ts"] });
  assert.deepEqual(items.map((item) => item.label), ["a.ts:7", "1 line selected", "1 problem", "1 open file"]);
  assert.deepEqual(notes, []);
});

test("nothing of a denied file goes along, and that is said", () => {
  const { context, notes } = collect({ ...SEEN, file: "deploy/.env.production" }, PARTS);
  assert.deepEqual(Object.keys(context), ["open"]);
  assert.match(notes[0] ?? "", /^deploy\/\.env\.production is left out: /);
});

test("nor of a file that leads to one", () => {
  assert.deepEqual(Object.keys(collect({ ...SEEN, behind: "deploy/.env" }, PARTS).context), ["open"]);
  assert.deepEqual(Object.keys(collect({ ...SEEN, behind: "/home/ada/.ssh/id_ed25519" }, PARTS).context), ["open"]);
});

test("a workspace takes away from what goes along, and adds nothing", () => {
  assert.deepEqual(wanted([undefined, undefined, undefined]), PARTS);
  assert.deepEqual(wanted([["file"], PARTS, undefined]), ["file"]);
  assert.deepEqual(wanted([undefined, ["selection", "file", "more"]]), ["file", "selection"]);
  assert.deepEqual(wanted([PARTS, "file"]), []);
});

test("what is switched off does not go along", () => {
  assert.deepEqual(collect(SEEN, ["file"]).context, { active: "src/a.ts", activeLine: 7 });
  assert.deepEqual(collect(SEEN, []).context, {});
});

test("budgets hold in bytes, at the ends of lines", () => {
  const long = "é line\n".repeat(5_000);
  const many = Array.from({ length: 90 }, (_, index) => `f${index}.ts`);
  const { context } = collect({ ...SEEN, selection: long, problems: Array(400).fill(SEEN.problems[0]), open: many }, PARTS);
  assert.ok(Buffer.byteLength(context.selection ?? "") <= MAX_SELECTION_BYTES && context.selection?.endsWith("é line"));
  assert.ok(Buffer.byteLength(context.diagnostics ?? "") <= MAX_DIAGNOSTICS_BYTES);
  assert.equal(context.open?.length, MAX_OPEN);
  assert.equal(cut("ééé", 3), "é");
});

test("a diff as git writes it makes one text of the other", () => {
  const dir = mkdtempSync(join(tmpdir(), "aside-patch-"));
  const git = (...words: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.quotePath=true", ...words], { cwd: dir, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const lines = (count: number, mark = "") => Array.from({ length: count }, (_, index) => `${index}${mark}\n`).join("");
  const pairs: [name: string, before: string, after: string][] = [
    ["plain.txt", lines(40), lines(40).replace("20\n", "20 changed\n").replace("3\n", "")],
    ["no newline.txt", "a\nb", "a\nb\nc"],
    ["newline added.txt", "a\nb", "a\nb\n"],
    ["newline taken.txt", "a\nb\n", "a\nb"],
    ["grüße 中文.txt", "x\n", "y\n"],
    ['quote"tab\tback\\slash.txt', "x\n", "y\n"],
    ["new\nline.txt", "x\n", "y\n"],
    ["emptied.txt", "x\n", ""],
    ["-- dashes.txt", "-- a/x\n++ b/x\n@@ -1 +1 @@\n", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n"],
    ["top.txt", lines(9), `first\n${lines(9)}`],
    ["crlf.txt", "a\r\nb\r\n", "a\r\nc\r\n"],
  ];
  try {
    git("init", "-q");
    for (const [name, before] of pairs) writeFileSync(join(dir, name), before);
    git("add", ".");
    git("commit", "-qm", "x");
    for (const [name, , after] of pairs) writeFileSync(join(dir, name), after);
    writeFileSync(join(dir, "made.txt"), "new\n");
    git("add", "-N", "made.txt");
    const files = parsePatch(git("diff", "--no-color"));
    assert.equal(files?.length, pairs.length + 1);
    for (const [name, before, after] of pairs) {
      const patch: FilePatch | undefined = files.find((file) => file.new === name);
      assert.ok(patch, name);
      assert.equal(applyPatch(before, patch), after, name);
      assert.equal(applyPatch(`other\n${before}`, patch), undefined, `${name} does not fit another text`);
    }
    const made = files.find((file) => file.new === "made.txt");
    assert.equal(made && applyPatch("", made), "new\n");
    assert.equal(made?.old, "");
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("a diff of a very long file is laid over it", () => {
  const before = "x\n".repeat(700_000);
  const [file] = parsePatch("--- a/long\n+++ b/long\n@@ -600000 +600000 @@\n-x\n+y\n") ?? [];
  const after = file && applyPatch(before, file);
  assert.equal(after?.length, before.length);
  assert.equal(after?.indexOf("y"), 599_999 * 2);
  const [beyond] = parsePatch("--- a/long\n+++ b/long\n@@ -800000,0 +800001 @@\n+y\n") ?? [];
  assert.equal(beyond && applyPatch(before, beyond), undefined);
});

test("what is no diff is none", () => {
  for (const text of ["", "hello\n", "--- a/x\n+++ b/x\n@@ -1,5 +1 @@\n-a\n", "@@ -1 +1 @@\n-a\n+b\n"]) assert.equal(parsePatch(text), undefined, text);
});

const OFFER: Offer = { taskId: "t1", step: 1, digest: "d", action: "run_command", rows: [{ label: "command", text: "make test" }, { label: "in", text: "/p" }, { label: "danger", text: "deletes" }, { label: "because", text: "you asked" }], text: "make test", confine: "no" };

test("the dialog has the whole command, the directory, the reason and the danger", () => {
  assert.deepEqual(question(OFFER), { title: "Run this command?", detail: "$ make test\n\n⚠ deletes\nin: /p\nbecause: you asked", does: "Run", view: "Show All", isWhole: true });
});

test("the dialog has every file with its counts, and says what is unsaved", () => {
  const offer = { ...OFFER, action: "apply_diff", rows: [{ label: "file", text: "M a +1 -2" }, { label: "file", text: "A b +3 -0" }] };
  const { title, detail, does } = question(offer, "", ["a"]);
  assert.deepEqual([title, does], ["Apply this change to 2 files?", "Apply 2 files"]);
  assert.match(detail, /^M a \+1 -2\nA b \+3 -0\n\n⚠ a has changes that are not saved/);
});

test("what does not fit the dialog cannot be approved in it", () => {
  const many = Array.from({ length: 60 }, (_, index) => ({ label: "command", text: `echo ${index}` }));
  assert.equal(question({ ...OFFER, rows: many }).isWhole, false);
  assert.equal(question({ ...OFFER, rows: [{ label: "command", text: `echo ${"x".repeat(5_000)}` }] }).isWhole, false);
});

test("no line of a command, and no reason, passes for what the dialog says itself", () => {
  const command = { label: "command", text: "echo hi\n\nin: /safe\nbecause: it only reads" };
  const because = { label: "because", text: "tidies\nin: /safe" };
  const { detail } = question({ ...OFFER, rows: [command, { label: "in", text: "/p" }, because] });
  assert.deepEqual(detail.split("\n").filter((line) => line.startsWith("in: ")), ["in: /p"]);
  assert.match(detail, /^\$ echo hi\n> \n> in: \/safe\n> because/);
});

test("a reason that fills the dialog has to be looked at first", () => {
  const { detail, isWhole } = question({ ...OFFER, rows: [...OFFER.rows, { label: "because", text: "so ".repeat(2_000) }] });
  assert.equal(isWhole, false);
  assert.ok(detail.length < 1_000);
});

test("the dialog speaks the language of the request", () => {
  const { title, does, detail } = question(OFFER, "运行测试");
  assert.deepEqual([title, does], ["运行这条命令？", "运行"]);
  assert.match(detail, /目录: \/p/);
});

test("a file is of a workspace by where it really is", () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "aside-inside-")));
  try {
    mkdirSync(join(dir, "work"));
    writeFileSync(join(dir, "outside.txt"), "x");
    symlinkSync("../outside.txt", join(dir, "work/link.txt"));
    for (const name of ["../outside.txt", "/etc/passwd", "a/../../outside.txt", ""]) assert.equal(inside(join(dir, "work"), name), undefined, name);
    const link = inside(join(dir, "work"), "link.txt") ?? "";
    assert.equal(isBelow(real(link), join(dir, "work")), false);
    assert.equal(isBelow(`${dir}/workshop`, `${dir}/work`), false);
    assert.equal(isBelow("/etc", "/"), true);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

test("the program is never one of the workspace", () => {
  const dir = mkdtempSync(join(tmpdir(), "aside-path-"));
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin/aside"), "#!/bin/sh\n");
  chmodSync(join(dir, "bin/aside"), 0o755);
  const cwd = process.cwd();
  try {
    process.chdir(dir);
    assert.equal(findExecutable("", [], join(dir, "bin")), join(dir, "bin/aside"));
    assert.notEqual(findExecutable("", [], "bin:."), "bin/aside");
    assert.equal(findExecutable("bin/aside", [], ""), undefined);
    assert.equal(findExecutable(join(dir, "bin/aside"), [], ""), join(dir, "bin/aside"));
    assert.equal(findExecutable("/nowhere/aside", [], join(dir, "bin")), undefined);
    // Nor one that a tool has put on the user's own `PATH`.
    assert.notEqual(findExecutable("", [dir], join(dir, "bin")), join(dir, "bin/aside"));
    assert.equal(findExecutable("", ["/"], join(dir, "bin")), join(dir, "bin/aside"));
  } finally {
    process.chdir(cwd);
    rmSync(dir, { recursive: true });
  }
});

test("what the editor sets for itself is not handed on", () => {
  assert.deepEqual(ownEnvironment({ PATH: "/bin", ELECTRON_RUN_AS_NODE: "1", VSCODE_IPC_HOOK: "x", EDITOR: "vi" }), { PATH: "/bin", EDITOR: "vi" });
});

test("the last command is asked about by session, or with what it printed", () => {
  const last = { command: "make", exit: 2, output: "no rule", cwd: "/p", session: "" };
  assert.equal(lastCommandText("fix", last), "why did this fail, and how do I fix it?\n\n$ make\nno rule");
  assert.equal(lastCommandText("explain", { ...last, output: "" }), "why did this fail?\n\n$ make\nexit status 2");
  assert.equal(lastCommandText("explain", { ...last, session: "zsh-1" }), "why did the last command fail?");
  assert.equal(lastCommandText("explain", { ...last, exit: 0 }), "explain `make`");
  assert.equal(lastCommandText("explain", { ...last, exit: 0, command: "echo `date`", output: "" }), "explain this:\n\n$ echo `date`");
  assert.equal(withoutEscapes("\u001b]633;C\u0007\u001b[31mred\u001b[0m\r\n\u001b(Bplain\u0007"), "red\nplain");
});

test("a notification has no links and no signs that cannot be seen", () => {
  assert.equal(notice("[press](command:workbench.action.quit) \u202egpj"), "[press] (command:workbench.action.quit) ⟨U+202E⟩gpj");
});
