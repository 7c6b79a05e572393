// The acceptance criteria in a real workbench: code-server with the packaged extension, driven in headless Chromium, with a real daemon and
// a scripted model. With ASIDE_PICTURES=DIR it takes pictures.

/// <reference lib="dom" />

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
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
};

// The little of playwright-core that is used; it is installed apart from the extension.
interface Locator {
  click(options?: object): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
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
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
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

async function starts(settings: object, folder = home.project): Promise<Page> {
  await home.write("code/User/settings.json", JSON.stringify({ ...SETTINGS, ...settings }));
  const opened = await browser.newPage({ viewport: { width: 1180, height: 760 } });
  opened.setDefaultTimeout(120_000);
  await opened.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
  await opened.locator('.activitybar [aria-label*="Aside"]').first().waitFor({ timeout: 180_000 });
  return opened;
}

/** The webview is some frames down. */
async function chat(of = page): Promise<Frame> {
  return await until(async () => {
    for (const frame of of.frames()) if ((await frame.locator("form#ask").count().catch(() => 0)) > 0) return frame;
    return undefined;
  }, "the chat view", 180_000);
}

async function command(name: string, of = page): Promise<void> {
  await of.keyboard.press("F1");
  await of.locator(".quick-input-widget input").first().waitFor();
  await of.keyboard.type(name);
  const row = of.locator(".quick-input-list .monaco-list-row", { hasText: name }).first();
  await row.waitFor();
  await row.click();
}

async function opens(name: string): Promise<void> {
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input").first();
  await input.waitFor();
  await input.fill(name);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().click();
  await page.locator(".tab", { hasText: name }).first().waitFor();
}

async function newThread(): Promise<void> {
  // The view may show an empty thread already: only another one tells that the command has come through.
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

/** The newest request, in a state. */
async function reaches(frame: Frame, state: string): Promise<Locator> {
  const task = frame.locator(`.task[data-state="${state}"]`).last();
  await task.waitFor({ timeout: 120_000 });
  return task;
}

async function picture(name: string): Promise<void> {
  if (!PICTURES) return;
  // Behind the animations.
  await new Promise((done) => setTimeout(done, 600));
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

const dialog = () => page.locator(".monaco-dialog-box");
const button = (of: Locator | Frame, words: string) => of.locator("button, a.monaco-button", { hasText: words }).first();

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
  execFileSync(code, [...shared, "--install-extension", join(TOOLS, "aside.vsix")], { env, stdio: "ignore" });
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
  await button(dialog(), "Run").click();
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
  await button(dialog(), "Apply 2 Files").click();
  await reaches(frame, "COMPLETED");
  assert.match(await home.read("project/src/user.py"), /self\.name/);
  assert.equal(await home.read("project/src/store.py"), "USERS = []\n");
  await picture("5-applied");
  await button(frame.locator(".task").last(), "Undo…").click();
  await button(frame.locator(".undo").last(), "Undo").click();
  await button(dialog(), "Undo").click();
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
  // A window that brings it back would ask whether the workspace is trusted.
  await command("Terminal: Kill All Terminals");
});

test("it is activated", { timeout: 480_000 }, async () => {
  await command("Developer: Show Running Extensions");
  await page.locator(".runtime-extensions-editor .monaco-list-row").first().click();
  const row = page.locator(".runtime-extensions-editor .monaco-list-row", { hasText: "Aside" }).first();
  const text = await until(async () => {
    await page.keyboard.press("ArrowDown");
    return (await row.count()) ? await row.innerText() : undefined;
  }, "the row of the extension");
  const took = Number(/(\d+) ?ms/.exec(text)?.[1]);
  // eslint-disable-next-line no-console
  console.log(`activation: ${took} ms`);
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
