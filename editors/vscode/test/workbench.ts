// The acceptance criteria in a real workbench: code-server with the packaged extension, driven in headless Chromium, with a real daemon and
// a scripted model. With ASIDE_PICTURES=DIR it takes screenshots.

/// <reference lib="dom" />

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Daemon } from "../src/daemon";
import { FIX, Home, STORE, until } from "./home";

const TOOLS = process.env.ASIDE_WORKBENCH ?? join(process.cwd(), "../../target/vscode");
const PICTURES = process.env.ASIDE_PICTURES;
const SETTINGS = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "chat.disableAIFeatures": true,
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "terminal.integrated.defaultProfile.linux": "bash",
  "terminal.integrated.gpuAcceleration": "off",
  "remote.autoForwardPorts": false,
};

// The part of playwright-core's API that is used; it is installed apart from the extension.
interface Locator {
  click(options?: object): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
  focus(): Promise<void>;
  selectOption(option: object): Promise<unknown>;
  textContent(): Promise<string | null>;
  innerText(): Promise<string>;
  count(): Promise<number>;
  first(): Locator;
  last(): Locator;
  waitFor(options?: object): Promise<void>;
  locator(selector: string, options?: object): Locator;
  evaluate<T>(act: (element: Element) => T): Promise<T>;
}
interface Frame {
  locator(selector: string, options?: object): Locator;
  evaluate<T>(act: () => T): Promise<T>;
}
interface Page extends Frame {
  goto(url: string): Promise<void>;
  setDefaultTimeout(milliseconds: number): void;
  frames(): Frame[];
  screenshot(options: object): Promise<void>;
  close(): Promise<void>;
  mouse: { move(x: number, y: number): Promise<void> };
  keyboard: { press(key: string): Promise<void>; down(key: string): Promise<void>; up(key: string): Promise<void>; type(text: string): Promise<void> };
}
interface Browser {
  newPage(options: object): Promise<Page>;
  close(): Promise<void>;
}

let home: Home;
let server: ChildProcess;
let browser: Browser;
let page: Page;
let port = 0;

async function freePort(): Promise<number> {
  return await new Promise((done) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function starts(settings: object, where = `folder=${encodeURIComponent(home.project)}`): Promise<Page> {
  await home.write("code/User/settings.json", JSON.stringify({ ...SETTINGS, ...settings }));
  // Machine settings are read from there when the files are on a server.
  await home.write("code/Machine/settings.json", JSON.stringify(settings));
  const opened = await browser.newPage({ viewport: { width: 1180, height: 760 } });
  opened.setDefaultTimeout(120_000);
  await opened.goto(`http://127.0.0.1:${port}/?${where}`);
  // Present when the window is ready: before that it finds no files, and takes the focus from the palette.
  await opened.locator('.statusbar-item[id$="aside.state"]').first().waitFor({ timeout: 180_000 });
  return opened;
}

/** The webview is some frames down. */
async function chat(of = page): Promise<Frame> {
  return await until(async () => {
    for (const frame of of.frames()) if ((await frame.locator("form#ask").count().catch(() => 0)) > 0) return frame;
    return undefined;
  }, "the chat view", 180_000);
}

/** Types into the palette and picks the row with these words. */
async function picks(typed: string, words: string, of = page): Promise<void> {
  const input = of.locator(".quick-input-widget input").first();
  const row = of.locator(".quick-input-list .monaco-list-row", { hasText: words }).first();
  await of.keyboard.press("F1");
  await input.waitFor();
  await input.fill(typed);
  await row.click();
}

async function command(name: string, of = page): Promise<void> {
  await picks(`>${name}`, name, of);
}

async function opens(name: string): Promise<void> {
  await picks(name, name);
  await page.locator(".tab", { hasText: name }).first().waitFor();
}

async function newThread(): Promise<void> {
  // The view may show an empty thread already: only another one shows that the command has worked.
  for (const frame of page.frames()) await frame.evaluate(() => document.querySelector(".welcome")?.classList.add("before")).catch(() => undefined);
  await command("Aside: New Thread");
  await (await chat()).locator(".welcome:not(.before)").waitFor();
}

async function asks(text: string): Promise<Frame> {
  const frame = await chat();
  await frame.locator("#input").fill(text);
  await frame.locator("#input").press("Enter");
  return frame;
}

/** The newest request, once it is in this state. */
async function reaches(frame: Frame, state: string): Promise<Locator> {
  const task = frame.locator(`.task[data-state="${state}"]`).last();
  await task.waitFor({ timeout: 120_000 });
  return task;
}

async function picture(name: string): Promise<void> {
  if (!PICTURES) return;
  // After the animations, and with nothing under the pointer.
  await page.mouse.move(0, 0);
  await new Promise((done) => setTimeout(done, 600));
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

/** Another extension, which tries all of our commands when it is told to. */
const OTHER = `
const fs = require("node:fs");
const vscode = require("vscode");
const home = process.env.HOME;
exports.activate = () => {
  const watch = setInterval(async () => {
    if (!fs.existsSync(home + "/other-go")) return;
    clearInterval(watch);
    const { taskId, step, digest } = JSON.parse(fs.readFileSync(home + "/other-go", "utf8"));
    // Once: in the windows of later scenes it would press their commands too.
    fs.rmSync(home + "/other-go");
    const names = (await vscode.commands.getCommands(true)).filter((name) => name.startsWith("aside"));
    const approve = { op: "approve", kind: "call", taskId, step, digest, message: { op: "approve", taskId, step, digest } };
    // Those of the view only move it about.
    for (const name of [...names.filter((name) => !name.startsWith("aside.chat.")), "aside.approve", "aside.chat.approve", "aside.run"]) {
      await Promise.race([
        vscode.commands.executeCommand(name, approve, taskId, step, digest).then(undefined, () => undefined),
        new Promise((done) => setTimeout(done, 1500)),
      ]);
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    }
    const api = vscode.extensions.getExtension("aside.aside")?.exports;
    fs.writeFileSync(home + "/other-done", JSON.stringify({ names, api: api === undefined ? "none" : Object.keys(api ?? {}) }));
  }, 200);
};
exports.deactivate = () => {};
`;

/** Packs it like any extension. */
async function otherExtension(): Promise<string> {
  const manifest = { name: "other", publisher: "other", version: "0.0.1", engines: { vscode: "^1.94.0" }, main: "./extension.js", activationEvents: ["onStartupFinished"], contributes: {} };
  await home.write("other-source/package.json", JSON.stringify(manifest));
  await home.write("other-source/extension.js", OTHER);
  const packed = join(home.path, "other.vsix");
  execFileSync(process.execPath, [join(process.cwd(), "node_modules/@vscode/vsce/vsce"), "package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "--out", packed], { cwd: join(home.path, "other-source"), stdio: "ignore" });
  return packed;
}

/** Milliseconds of CPU time that the extension host has used. */
function hostTime(): number {
  const hosts = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid)).flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      if (!command.includes("--type=extensionHost") || !environment.includes(`HOME=${home.path}\0`)) return [];
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return [Number(fields[11]) + Number(fields[12])];
    } catch {
      return [];
    }
  });
  assert.ok(hosts.length > 0, "no extension host is there");
  return hosts.reduce((sum, ticks) => sum + ticks, 0) * 10;
}

const dialog = () => page.locator(".monaco-dialog-box");
const button = (of: Locator | Frame, words: string) => of.locator("button, a.monaco-button", { hasText: words }).first();

/** Waits: a dialog that is answered before it can be read asks again. */
async function confirms(words: string): Promise<void> {
  await button(dialog(), words).waitFor();
  await new Promise((done) => setTimeout(done, 900));
  await button(dialog(), words).click();
}

async function waitsFor(of: Locator, words: RegExp): Promise<string> {
  return await until(async () => {
    const text = await of.innerText().catch(() => "");
    return words.test(text) ? text : undefined;
  }, String(words));
}

before(async () => {
  if (PICTURES) mkdirSync(PICTURES, { recursive: true });
  home = await Home.make();
  home.model.answers.push(
    ["misspelled", ["The field is ", "misspelled; ", "this corrects it, ", `and adds a store.\n\n${FIX}${STORE}`]],
    ["hostile", ["# A title\n\n<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>\n\n", "[click](javascript:alert(1)) [data](data:text/html,x) [cmd](command:workbench.action.quit) ![i](https://example.invalid/x.png)\n\n", "| a | b |\n|---|---|\n| `1` | **2** |\n\nDone \u202egnihtemos.\n"]],
    ["odd file", ["Adds it.\n\n```diff\n--- /dev/null\n+++ b/<img src=x onerror=alert(1)>.md\n@@ -0,0 +1 @@\n+hello\n```\n"]],
    ["selected", ["It returns a field that is **never set**: `nmae` should be `name`.\n"]],
    ["nowhere.txt", ["There is no file `nowhere.txt` in this directory.\n"]],
    ["explain", ["It is a class with one method.\n"]],
  );
  port = await freePort();
  const code = join(TOOLS, "workbench/node_modules/.bin/code-server");
  await home.write("code/server.yaml", `bind-addr: 127.0.0.1:${port}\nauth: none\ncert: false\n`);
  const shared = ["--config", join(home.path, "code/server.yaml"), "--user-data-dir", join(home.path, "code"), "--extensions-dir", join(home.path, "extensions")];
  const env = { ...home.environment, PATH: `${join(TOOLS, "bin")}:${home.environment.PATH}`, EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:9","itemUrl":"","resourceUrlTemplate":""}' };
  for (const packed of [join(TOOLS, "aside.vsix"), await otherExtension()]) execFileSync(code, [...shared, "--install-extension", packed], { env, stdio: "ignore" });
  server = spawn(code, [...shared, "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"], { env, stdio: "ignore" });
  await until(async () => await fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok || undefined).catch(() => undefined), "code-server");
  const { chromium } = createRequire(join(TOOLS, "workbench/package.json"))("playwright-core") as { chromium: { launch(options: object): Promise<Browser> } };
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"] });
  page = await starts({});
});

after(async () => {
  await browser?.close();
  server?.kill();
  await home.close();
});

test("a request becomes a proposal, and a command runs when the dialog is confirmed", { timeout: 480_000 }, async () => {
  await command("Aside: Ask…");
  const frame = await asks("run the tests");
  const task = await reaches(frame, "WAITING_APPROVAL");
  assert.match(await task.innerText(), /make test/);
  await picture("1-proposal");
  await button(task, "Run…").click();
  const said = await waitsFor(dialog(), /Run this command\?/);
  assert.match(said, /make test[\s\S]*in: [\s\S]*because: /);
  await picture("2-dialog");
  assert.equal(await home.read("project/ran.txt"), "");
  await button(dialog(), "Cancel").click();
  await until(async () => (await dialog().count()) === 0 || undefined, "the dialog is closed");
  assert.equal(await home.read("project/ran.txt"), "");
  await button(task, "Run…").click();
  await confirms("Run");
  await waitsFor(await reaches(frame, "COMPLETED"), /3 passed/);
  assert.equal(await home.read("project/ran.txt"), "3 passed\n");
});

test("a change is looked at in the diff editor, and written when the dialog is confirmed", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await asks("fix the misspelled field in src/user.py and add a store");
  const task = await reaches(frame, "WAITING_APPROVAL");
  await button(task, "View Diff").click();
  await page.locator(".multiDiffEntry, .multi-diff-editor, .monaco-diff-editor").first().waitFor();
  await waitsFor(page.locator(".editor-instance, .editor-container").first(), /self\.name/);
  await picture("3-diff");
  await button(task, "Apply 2 files…").click();
  const said = await waitsFor(dialog(), /Apply this change to 2 files\?/);
  assert.match(said, /src\/store\.py[\s\S]*src\/user\.py/);
  await picture("4-apply");
  assert.match(await home.read("project/src/user.py"), /nmae/);
  await confirms("Apply 2 files");
  await reaches(frame, "COMPLETED");
  assert.match(await home.read("project/src/user.py"), /self\.name/);
  assert.equal(await home.read("project/src/store.py"), "USERS = []\n");
  await picture("5-applied");
  await button(frame.locator(".task").last(), "Undo…").click();
  assert.match(await waitsFor(dialog(), /Put the files back/), /asked: fix the misspelled[\s\S]*in: .*project[\s\S]*corrects it/);
  await confirms("Undo");
  await until(async () => (await home.read("project/src/user.py")).includes("nmae") || undefined, "the file as it was");
});

test("what is rejected does nothing and can be retried; what is edited is shown again", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await asks("run the tests");
  let task = await reaches(frame, "WAITING_APPROVAL");
  await home.write("project/ran.txt", "");
  await button(task, "Edit").click();
  await task.locator("textarea.editor").fill("make test V=1");
  await button(task, "Propose this").click();
  await waitsFor(task, /make test V=1[\s\S]*/);
  await button(task, "Reject").click();
  task = await reaches(frame, "REJECTED");
  assert.equal(await home.read("project/ran.txt"), "");
  await button(task, "Retry").click();
  await reaches(frame, "WAITING_APPROVAL");
});

test("a key that is held down approves nothing, and the focus comes back", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await asks("run the tests");
  const task = await reaches(frame, "WAITING_APPROVAL");
  await home.write("project/ran.txt", "");
  await task.locator("button.approve:not([disabled])").focus();
  for (let time = 0; time < 20; time += 1) {
    await page.keyboard.down("Enter");
    await new Promise((done) => setTimeout(done, 40));
  }
  await page.keyboard.up("Enter");
  await waitsFor(dialog(), /Run this command\?/);
  assert.equal(await home.read("project/ran.txt"), "");
  await page.keyboard.press("Escape");
  await until(async () => (await frame.evaluate(() => document.hasFocus() && document.activeElement?.classList.contains("approve"))) || undefined, "the focus on the button");
  await button(task, "Reject").click();
  await reaches(frame, "REJECTED");
  assert.equal(await home.read("project/ran.txt"), "");
});

test("what is changed behind an open dialog is not approved by it", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await asks("run the tests");
  const task = await reaches(frame, "WAITING_APPROVAL");
  await home.write("project/ran.txt", "");
  await button(task, "Run…").click();
  await waitsFor(dialog(), /\$ make test/);
  const other = new Daemon({ executable: () => home.program, environment: () => home.environment, linked: () => undefined });
  other.connect();
  const { tasks } = await other.task({ op: "list" });
  const { offer } = await other.task({ op: "show", taskId: tasks[0]?.taskId ?? "" });
  await other.task({ ...offer, op: "edit", text: "touch swapped.txt", by: "test" });
  other.close();
  await confirms("Run");
  await waitsFor(task, /touch swapped\.txt/);
  assert.deepEqual([await home.read("project/ran.txt"), existsSync(join(home.project, "swapped.txt"))], ["", false]);
  await button(task, "Reject").click();
  await reaches(frame, "REJECTED");
});

test("hostile Markdown is text", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await asks("explain the hostile text");
  const task = await reaches(frame, "COMPLETED");
  await waitsFor(task, /Done/);
  const found = await task.evaluate((element) => ({
    made: element.querySelectorAll("img, script, iframe, object, form, style, svg").length,
    links: Array.from(element.querySelectorAll(".markdown a")).map((link) => link.getAttribute("href")),
    text: element.textContent,
  }));
  assert.equal(found.made, 0);
  assert.ok(found.links.every((link) => link?.startsWith("https://")), String(found.links));
  assert.match(found.text ?? "", /<img src=x/);
  assert.ok(!found.text?.includes("\u202e"), "a letter that turns the direction is there");
  assert.notEqual(await frame.evaluate(() => document.title), "owned");
  await picture("6-markdown");
});

test("messages of other frames are not heard by the chat", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await chat();
  await page.evaluate(() => {
    const forge = (frames: Window) => {
      for (let index = 0; index < frames.length; index += 1) {
        const inner = frames[index];
        inner?.postMessage({ kind: "link", link: "failed", why: "forged", version: "", by: "", isTrusted: true }, "*");
        if (inner) forge(inner);
      }
    };
    forge(window);
  });
  await asks("where is nmae?");
  await reaches(frame, "COMPLETED");
  assert.doesNotMatch(await frame.locator("body").innerText(), /forged/);
});

test("a hostile file name is text in the chat, the dialog and the diff", { timeout: 480_000 }, async () => {
  await newThread();
  const frame = await asks("add the odd file beside src/user.py");
  const task = await reaches(frame, "WAITING_APPROVAL");
  await button(task, "View Diff").click();
  await page.locator(".tab", { hasText: "<img src=x onerror=alert(1)>.md" }).first().waitFor();
  await button(task, "Apply 1 file…").click();
  await waitsFor(dialog(), /A <img src=x onerror=alert\(1\)>\.md \+1/);
  await picture("12-name");
  await button(dialog(), "Cancel").click();
  await button(task, "Reject").click();
  assert.equal(await (await reaches(frame, "REJECTED")).locator("img").count(), 0);
});

test("the selection goes along, is shown before, and a denied file stays out", { timeout: 480_000 }, async () => {
  await newThread();
  await opens("user.py");
  await page.locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+A");
  const frame = await chat();
  await waitsFor(frame.locator(".chips"), /user\.py:\d[\s\S]*3 lines selected/);
  await picture("7-context");
  await page.keyboard.press("Control+.");
  await waitsFor(page.locator(".action-widget").first(), /Ask Aside: explain the selection[\s\S]*Ask Aside: fix the selection/);
  await page.keyboard.press("Escape");
  home.model.asked.length = 0;
  await command("Aside: Explain the Selection");
  await waitsFor(await reaches(frame, "COMPLETED"), /never set/);
  assert.ok(home.model.asked.some((body) => body.includes("SELECTED BY")), "the selection was not sent");
  await opens(".env");
  await waitsFor(frame.locator(".chips"), /\.env is left out: an environment file/);
  home.model.asked.length = 0;
  await command("Aside: Fix the Selection");
  await page.locator(".notification-toast", { hasText: ".env is left out" }).first().waitFor();
  assert.deepEqual(home.model.asked, []);
  await command("Notifications: Clear All Notifications");
});

test("a request from afar is a notification that only shows", { timeout: 480_000 }, async () => {
  const bridge = new Daemon({ executable: () => home.program, environment: () => home.environment, linked: () => undefined });
  bridge.connect();
  await bridge.ask("task", { op: "ask", source: "wecom", fromUser: "ming", text: "@dev run the tests [press](command:workbench.action.quit)", cwd: home.project });
  const toast = page.locator(".notification-toast", { hasText: "Waits for your approval, from ming" }).first();
  await toast.waitFor({ timeout: 120_000 });
  await picture("8-afar");
  assert.equal(await button(toast, "Run").count(), 0);
  assert.equal(await toast.locator(".notification-list-item-message a").count(), 0);
  await button(toast, "Show").click();
  const frame = await chat();
  await waitsFor(frame.locator(".task.remote").last(), /from afar: ming/);
  bridge.close();
});

test("it comes back after the daemon has ended", { timeout: 480_000 }, async () => {
  await home.aside("daemon", "stop");
  await newThread();
  const frame = await chat();
  await until(async () => (await frame.locator("button.send:not([disabled])").count()) > 0 || undefined, "a connection");
  await asks("where is nmae?");
  await waitsFor(await reaches(frame, "COMPLETED"), /src\/user\.py/);
});

test("a failed command of a terminal is explained", { timeout: 480_000 }, async () => {
  await command("Terminal: Create New Terminal");
  await page.locator(".terminal-wrapper.active .xterm-rows").first().waitFor();
  await waitsFor(page.locator(".terminal-wrapper.active .xterm-rows").first(), /[$#]/);
  await page.keyboard.type("cat nowhere.txt\n");
  await waitsFor(page.locator(".terminal-wrapper.active .xterm-rows").first(), /No such file/);
  await command("Aside: Explain the Last Command of the Terminal");
  const frame = await chat();
  await waitsFor(frame.locator(".task").last(), /nowhere\.txt/);
  await reaches(frame, "COMPLETED");
  await picture("9-terminal");
  // A window that restores them would ask whether the workspace is trusted.
  await command("Terminal: Kill All Terminals");
});

test("another extension of the window finds no way to approve", { timeout: 480_000 }, async () => {
  await newThread();
  await home.write("project/ran.txt", "");
  await reaches(await asks("run the tests"), "WAITING_APPROVAL");
  const newest = async () => (JSON.parse(await home.aside("task", "list", "--json")) as { taskId: string; state: string }[])[0];
  const shown = await newest();
  const watcher = new Daemon({ executable: () => home.program, environment: () => home.environment, linked: () => undefined });
  watcher.connect();
  const { offer } = await watcher.task({ op: "show", taskId: shown?.taskId ?? "" });
  watcher.close();
  assert.equal(offer?.text, "make test");
  await home.write("other-go", JSON.stringify(offer));
  const told = await until(async () => (await home.read("other-done")) || undefined, "the end of its attempts");
  const { names, api } = JSON.parse(told) as { names: string[]; api: unknown };
  assert.ok(names.includes("aside.ask") && !names.some((name) => /approve|apply|run$|undo/i.test(name)), String(names));
  assert.equal(api, "none");
  assert.equal(await home.read("project/ran.txt"), "");
  assert.deepEqual((await newest())?.state, "WAITING_APPROVAL");
  await page.keyboard.press("Escape");
});

test("an idle window does no work", { timeout: 480_000 }, async () => {
  await newThread();
  await new Promise((done) => setTimeout(done, 5_000));
  const before = hostTime();
  await new Promise((done) => setTimeout(done, 30_000));
  const spent = hostTime() - before;
  // eslint-disable-next-line no-console
  console.log(`idle: ${spent} ms of processor time in 30 s, of the whole extension host with all its extensions`);
  assert.ok(spent < 3_000, `${spent} ms in 30 s`);
});

test("it goes on with a daemon of another version", { timeout: 480_000 }, async () => {
  const pid = async () => (JSON.parse(await home.aside("daemon", "status", "--json").catch(() => "{}")) as { pid?: number }).pid;
  // Like a package manager: another file replaces the program.
  const built = realpathSync(home.program);
  const replaced = () => {
    copyFileSync(built, `${home.program}.new`);
    renameSync(`${home.program}.new`, home.program);
  };
  replaced();
  await home.aside("daemon", "stop");
  await until(pid, "a daemon of the copy");
  replaced();
  // A daemon checks whether its program was replaced when a client says hello.
  const client = new Daemon({ executable: () => home.program, environment: () => home.environment, linked: () => undefined });
  client.connect();
  // It execs the new program: the process is the same, and its file another.
  const file = statSync(home.program).ino;
  await until(async () => statSync(`/proc/${await pid()}/exe`, { throwIfNoEntry: false })?.ino === file || undefined, "the daemon of the new program");
  client.close();
  await newThread();
  const frame = await chat();
  await until(async () => (await frame.locator("button.send:not([disabled])").count()) > 0 || undefined, "a connection");
  await asks("where is nmae?");
  await waitsFor(await reaches(frame, "COMPLETED"), /src\/user\.py/);
});

test("the walkthrough leads through the first steps", { timeout: 480_000 }, async () => {
  await command("Welcome: Open Walkthrough...");
  const row = page.locator(".quick-input-list .monaco-list-row", { hasText: "Begin with Aside" }).first();
  await row.waitFor();
  await row.click();
  const shown = page.locator(".gettingStartedContainer").first();
  await waitsFor(shown, /Install aside[\s\S]*Ask for something[\s\S]*Approve, or not[\s\S]*Name a model/);
  await picture("13-walkthrough");
  await page.locator(".gettingStartedContainer .step-title", { hasText: "Ask for something" }).first().click();
  await page.locator(".gettingStartedContainer .monaco-button", { hasText: /^Ask$/ }).first().click();
  await chat();
  await page.locator('.gettingStartedContainer [aria-checked="true"]').first().waitFor();
});

test("of several folders a request is about the one of the active file, or the one that is chosen", { timeout: 480_000 }, async () => {
  await page.close();
  await home.write("second/Makefile", "test:\n\t@echo 7 passed > ran.txt; cat ran.txt\n");
  await home.write("second/notes.py", "x = 1\n");
  await home.write("second/.git/HEAD", "ref: refs/heads/main\n");
  await home.write("both.code-workspace", JSON.stringify({ folders: [{ path: "project" }, { path: "second" }] }));
  page = await starts({}, `workspace=${encodeURIComponent(join(home.path, "both.code-workspace"))}`);
  await opens("notes.py");
  await newThread();
  await home.write("project/ran.txt", "");
  let frame = await asks("run the tests");
  await button(await reaches(frame, "WAITING_APPROVAL"), "Run…").click();
  await waitsFor(dialog(), /in: .*\/second/);
  await confirms("Run");
  await waitsFor(await reaches(frame, "COMPLETED"), /7 passed/);
  assert.equal(await home.read("project/ran.txt"), "");
  await newThread();
  frame = await chat();
  await frame.locator("select.where").selectOption({ label: "project" });
  await asks("run the tests");
  await button(await reaches(frame, "WAITING_APPROVAL"), "Run…").click();
  await waitsFor(dialog(), /in: .*\/project/);
  await button(dialog(), "Cancel").click();
});

test("the settings of a workspace name no program and loosen nothing", { timeout: 480_000 }, async () => {
  await page.close();
  await home.write("taken", "#!/bin/sh\ntouch ~/was-run\n");
  chmodSync(join(home.path, "taken"), 0o755);
  await home.write("project/.vscode/settings.json", JSON.stringify({ "aside.executable": join(home.path, "taken"), "aside.private": false, "aside.context": ["file", "selection"] }));
  page = await starts({ "aside.private": true, "aside.context": ["selection", "open"] });
  await opens("user.py");
  await page.locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+A");
  await command("Aside: Ask…");
  const frame = await chat();
  const chips = await waitsFor(frame.locator(".chips"), /3 lines selected/);
  assert.match(chips, /nothing remote/);
  assert.doesNotMatch(chips, /user\.py|open file/);
  await until(async () => (await frame.locator("button.send:not([disabled])").count()) > 0 || undefined, "a connection");
  assert.equal(existsSync(join(home.path, "was-run")), false);
  rmSync(join(home.project, ".vscode"), { recursive: true });
});

test("nothing is approved in a workspace that is not trusted", { timeout: 480_000 }, async () => {
  await page.close();
  page = await starts({ "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never", "security.workspace.trust.banner": "never" });
  await command("Aside: Show What Waits for You");
  const frame = await chat();
  await waitsFor(frame.locator(".banner"), /not trusted/);
  await newThread();
  await home.write("project/ran.txt", "");
  await asks("run the tests");
  const task = await reaches(frame, "WAITING_APPROVAL");
  await task.locator("button.approve").waitFor();
  assert.equal(await task.locator("button.approve[disabled]").count(), 1);
  await picture("10-untrusted");
});

test("without aside, one click shows how to install it", { timeout: 480_000 }, async () => {
  await page.close();
  page = await starts({ "aside.executable": "/nowhere/aside" });
  await command("Aside: Ask…");
  const frame = await chat();
  await waitsFor(frame.locator(".banner"), /not installed/);
  await picture("11-missing");
  await button(frame.locator(".banner"), "How to install").click();
  await page.locator(".tab", { hasText: "install.md" }).first().waitFor();
});
