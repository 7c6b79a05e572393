// The connection, against a real daemon: asking, watching, answering with a digest, and reconnecting after the daemon has ended.

import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { after, before, test } from "node:test";
import { Daemon, DaemonError, type Link } from "../src/daemon";
import type { TaskEvent } from "../src/wire";
import { FIX, Home, STORE, until } from "./home";

let home: Home;
let daemon: Daemon;
const links: Link[] = [];

before(async () => {
  home = await Home.make();
  daemon = new Daemon({ executable: () => home.program, environment: () => home.environment, linked: (link) => links.push(link) });
  daemon.connect();
  await until(() => daemon.link === "on" || undefined, "a connection");
});

after(async () => {
  daemon.close();
  await home.close();
});

async function asks(text: string, more: object = {}): Promise<string> {
  const { tasks } = await daemon.task({ op: "ask", text, cwd: home.project, ...more });
  return tasks[0]?.taskId ?? "";
}

async function state(taskId: string, wanted: string): Promise<void> {
  await until(async () => (await daemon.task({ op: "show", taskId })).tasks[0]?.state === wanted || undefined, `${wanted} of ${taskId}`);
}

test("it says who the daemon is", () => {
  assert.match(daemon.version, /^\d+\.\d+/);
  assert.deepEqual(links.slice(0, 2), ["connecting", "on"]);
});

test("a command runs when the digest of what was shown is approved, and not before", async () => {
  const events: TaskEvent[] = [];
  const taskId = await asks("run the tests");
  await daemon.watch(taskId, 0, (event) => events.push(event));
  await state(taskId, "WAITING_APPROVAL");
  const { offer } = await daemon.task({ op: "show", taskId });
  assert.equal(offer?.text, "make test");
  assert.equal(await home.read("project/ran.txt"), "");
  const wrong = { op: "approve", taskId, step: offer.step, digest: "0".repeat(64), by: "test" };
  await assert.rejects(daemon.task(wrong), (error: DaemonError) => error.code === "refused");
  assert.equal(await home.read("project/ran.txt"), "");
  await daemon.task({ ...wrong, digest: offer.digest, environment: [`PATH=${process.env.PATH ?? ""}`] });
  await state(taskId, "COMPLETED");
  assert.equal(await home.read("project/ran.txt"), "3 passed\n");
  await until(() => events.at(-1)?.type === "task_end" || undefined, "the last event");
  assert.deepEqual(events.map((event) => event.seq), events.map((_, index) => index + 1));
});

test("a change of two files is written when it is approved, and taken back", async () => {
  home.model.answers.push(["misspelled", [`Fixes the field and adds a store.\n\n${FIX}${STORE}`]]);
  const taskId = await asks("fix the misspelled field in src/user.py and add a store", { active: "src/user.py", activeLine: 3, selection: "return self.nmae" });
  await state(taskId, "WAITING_APPROVAL");
  const { offer } = await daemon.task({ op: "show", taskId });
  assert.equal(offer?.rows.filter((row) => row.label === "file").length, 2);
  await daemon.task({ op: "approve", taskId, step: offer.step, digest: offer.digest, by: "test" });
  await state(taskId, "COMPLETED");
  assert.match(await home.read("project/src/user.py"), /self\.name/);
  await daemon.task({ op: "undo", taskId });
  await until(async () => (await home.read("project/src/user.py")).includes("nmae") || undefined, "the file as it was");
});

test("what is selected in a file that no task reads is not sent", async () => {
  const taskId = await asks("explain how this is used", { active: ".env", selection: "COLOUR=otterfield", open: [".env"] });
  await state(taskId, "COMPLETED");
  assert.ok(!home.model.asked.some((body) => body.includes("otterfield")), "a denied file was sent");
});

test("nor is that of a file that leads to one", async () => {
  await symlink(".env", `${home.project}/plain.txt`);
  const taskId = await asks("explain what this does", { active: "plain.txt", selection: "COLOUR=otterfield", open: ["plain.txt"] });
  await state(taskId, "COMPLETED");
  assert.ok(!home.model.asked.some((body) => body.includes("otterfield")), "a denied file was sent");
});

test("what rules allow runs unasked, but not where the workspace is not trusted", async () => {
  const rule = 'program = "ls"\nwhy = "it only lists"\nhits = ["ls"]\nmisses = ["rm x"]\n';
  await home.write(".config/aside/rules.toml", `[[allow]]\n${rule}`);
  await state(await asks("run ls", { untrusted: true }), "WAITING_APPROVAL");
  await state(await asks("run ls"), "COMPLETED");
});

test("an open file goes along by its path from the folder", async () => {
  home.model.asked.length = 0;
  await home.write("project/deep/er/plan.txt", "the plan says otter\n");
  const { tasks } = await daemon.task({ op: "ask", text: "explain how this works", cwd: `${home.project}/deep`, open: ["er/plan.txt"] });
  await state(tasks[0]?.taskId ?? "", "COMPLETED");
  assert.ok(home.model.asked.some((body) => body.includes("otter")), "the open file was not sent");
});

test("all tasks are told again when one moves", async () => {
  const seen: string[][] = [];
  await daemon.follow((told) => seen.push(told.tasks.map((task) => task.taskId)));
  const taskId = await asks("@dev status");
  await until(() => seen.some((ids) => ids.includes(taskId)) || undefined, "the new task in the list");
});

test("too long a message is refused here", async () => {
  await assert.rejects(daemon.task({ op: "ask", text: "x".repeat(2_000_000), cwd: home.project }), /too long/);
});

test("it comes back after the daemon has ended, and requests meanwhile fail", async () => {
  links.length = 0;
  await home.aside("daemon", "stop");
  await until(() => links.includes("failed") || undefined, "the end of the connection");
  await assert.rejects(daemon.task({ op: "list" }), (error: DaemonError) => error.code === "away");
  await until(() => daemon.link === "on" || undefined, "another connection");
  assert.ok((await daemon.task({ op: "list" })).tasks.length > 0);
});

test("without the program it says so and starts nothing", () => {
  const told: Link[] = [];
  const none = new Daemon({ executable: () => undefined, environment: () => ({}), linked: (link) => told.push(link) });
  none.connect();
  assert.deepEqual(told, ["missing"]);
});

test("a program that only complains is told in its words", async () => {
  await home.write("bin/broken", "#!/bin/sh\necho 'no such luck' >&2; exit 1\n");
  await import("node:fs/promises").then((fs) => fs.chmod(`${home.path}/bin/broken`, 0o755));
  const told: string[] = [];
  const broken = new Daemon({ executable: () => `${home.path}/bin/broken`, environment: () => home.environment, linked: (_, why) => told.push(why) });
  broken.connect();
  await until(() => told.includes("no such luck") || undefined, "the complaint");
  broken.close();
});
