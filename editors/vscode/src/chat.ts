// The chat view: carries messages between its webview and the daemon. The webview only draws and has no rights: this file lists what it may
// ask for, and what writes or runs goes through a dialog of the editor.

import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { type Approver, BY } from "./approve";
import type { Part } from "./context";
import { Daemon, DaemonError, type Hooks, type Link } from "./daemon";
import { editorContext, folders, isPrivate, place, shell } from "./editor";
import { notice } from "./notice";
import { inside, isBelow, real } from "./paths";
import type { Brief, TaskMessage, Told } from "./wire";

/** Debounce after the last move of a cursor, in milliseconds. */
const DEBOUNCE = 150;
const MAX_TEXT = 60_000;

/** Messages of the webview. Checked before they are trusted. */
type Said =
  | { kind: "ready" }
  | { kind: "watch"; fresh: boolean; tasks: { id: string; from: number }[] }
  | { kind: "ask"; id: number; text: string; threadId: string; cwd: string; without: Part[] }
  | { kind: "call"; id: number; message: TaskMessage }
  | { kind: "view"; taskId: string }
  | { kind: "open"; place: string; workspace: string }
  | { kind: "place"; cwd: string }
  | { kind: "do"; command: string };

export interface AskMore {
  only?: readonly vscode.Diagnostic[];
  session?: string;
  /** The folder, as the user chose it. */
  cwd?: string;
  /** The directory of a terminal, which may be in no folder. */
  directory?: string;
}

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  /** Messages for the webview, until it is ready. */
  private later: unknown[] = [];
  private isReady = false;
  /** A connection for the events of the tasks on the screen; closed with the webview, so that nothing has to be kept. */
  private events: Daemon | undefined;
  private tasks: Brief[] = [];
  /** Threads of other directories that were opened here. */
  private readonly guests = new Set<string>();
  private link: { link: Link; why: string } = { link: "off", why: "" };
  private timer: NodeJS.Timeout | undefined;
  private cwd = "";
  /** Distinguishes messages of the extension from those of other frames. */
  private readonly key = randomBytes(18).toString("base64");

  constructor(
    private readonly root: vscode.Uri,
    private readonly daemon: Daemon,
    private readonly hooks: Omit<Hooks, "linked">,
    private readonly approver: Approver,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    const { webview } = view;
    webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.root, "dist")] };
    // Ignores malformed messages.
    webview.onDidReceiveMessage((said: Said) => void this.hear(said).catch(() => undefined));
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.rest();
    });
    view.onDidDispose(() => {
      this.view = undefined;
      this.rest();
    });
    webview.html = this.page(webview);
  }

  /** Shows the view, a thread in it, or a draft for a request. */
  async show(more: { threadId?: string; draft?: string; fresh?: boolean } = {}): Promise<void> {
    if (more.threadId) this.guests.add(more.threadId);
    await vscode.commands.executeCommand("aside.chat.focus");
    this.tellTasks();
    this.tell({ kind: "focus", ...more });
    if (more.fresh) void this.tellWelcome();
  }

  /** Sends a request from elsewhere in the editor, in a thread of its own. */
  async ask(text: string, more: AskMore = {}): Promise<void> {
    try {
      const told = await this.asks(text, "", more);
      await this.show({ threadId: told.tasks[0]?.threadId ?? "" });
    } catch (error) {
      void vscode.window.showErrorMessage(notice(`Aside: ${messageOf(error)}`));
    }
  }

  linked(link: Link, why: string): void {
    this.link = { link, why };
    this.tellLink();
    if (link !== "on") return;
    this.tell({ kind: "again" });
    void this.tellWelcome();
  }

  followed(tasks: Brief[]): void {
    this.tasks = tasks;
    this.tellTasks();
  }

  /** Another model may answer now. */
  settingsChanged(): void {
    void this.tellWelcome();
  }

  /** The editor's state has changed, and with it perhaps the context of a request. */
  contextChanged(): void {
    clearTimeout(this.timer);
    if (this.view?.visible) this.timer = setTimeout(() => this.tellContext(), DEBOUNCE);
  }

  dispose(): void {
    this.rest();
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.isReady = false;
    this.events?.close();
    this.events = undefined;
  }

  private async hear(said: Said): Promise<void> {
    switch (said.kind) {
      case "ready":
        this.isReady = true;
        this.tellLink();
        this.tellTasks();
        this.tellContext();
        void this.tellWelcome();
        for (const message of this.later.splice(0)) this.tell(message);
        break;
      case "watch":
        await this.watch(said.fresh, said.tasks);
        break;
      case "ask":
        await this.answer(said.id, () => this.asks(String(said.text), String(said.threadId), { cwd: String(said.cwd) }, said.without));
        break;
      case "call":
        await this.answer(said.id, () => this.call(said.message));
        break;
      case "view":
        await this.approver.view(String(said.taskId)).catch((error: unknown) => vscode.window.showErrorMessage(notice(`Aside: ${messageOf(error)}`)));
        break;
      case "open":
        await this.openPlace(String(said.place), String(said.workspace)).catch((error: unknown) => vscode.window.showErrorMessage(notice(`Aside: ${messageOf(error)}`)));
        break;
      case "place":
        this.cwd = String(said.cwd);
        this.tellContext();
        void this.tellWelcome();
        break;
      case "do":
        if (["aside.install", "aside.reconnect"].includes(said.command)) await vscode.commands.executeCommand(said.command);
        else if (said.command === "aside.settings") await vscode.commands.executeCommand(said.command, "llm.");
        break;
      default:
        break;
    }
  }

  /** Opens a place in the workspace of a task, `src/a.rs:12`, and nothing else. */
  private async openPlace(named: string, workspace: string): Promise<void> {
    const [, name = "", line = "1"] = /^(.*?)(?::(\d+))?$/s.exec(named) ?? [];
    const path = this.tasks.some((task) => task.workspace === workspace) ? inside(workspace, name) : undefined;
    if (!path || !isBelow(real(path), real(workspace))) throw new DaemonError(`${name} is not in the workspace of a task`, "refused");
    const isFile = await stat(path).then((facts) => facts.isFile(), () => undefined);
    if (!isFile) throw new DaemonError(`${name} is ${isFile === undefined ? "not there" : "no file"}`, "refused");
    const at = new vscode.Position(Math.max(0, Number(line) - 1), 0);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true, selection: new vscode.Range(at, at) });
  }

  private async asks(text: string, threadId: string, more: AskMore, without: Part[] = []): Promise<Told> {
    const cwd = more.directory || place(more.cwd).cwd;
    const { context } = editorContext(cwd, without, more.only);
    const told = await this.daemon.task({
      op: "ask",
      text: text.slice(0, MAX_TEXT),
      cwd,
      ...(threadId ? { threadId } : {}),
      ...(more.session ? { session_id: more.session } : { shell: shell() }),
      ...(isPrivate() ? { private: true } : {}),
      ...(vscode.workspace.isTrusted ? {} : { untrusted: true }),
      ...context,
    });
    for (const task of told.tasks) this.guests.add(task.threadId);
    return told;
  }

  /** What the webview may ask for, field by field. */
  private async call({ op, taskId = "", step = 0, digest = "", text = "", confine = "" }: TaskMessage): Promise<Told | undefined> {
    switch (op) {
      case "show":
      case "cancel":
        return await this.daemon.task({ op, taskId });
      case "retry":
        return await this.daemon.task({ op, taskId, ...(isPrivate() ? { private: true } : {}) });
      case "reject":
        return await this.daemon.task({ op, taskId, step, digest, text, by: BY });
      case "edit":
        return await this.daemon.task({ op, taskId, step, digest, text, confine, by: BY });
      case "approve":
        return await this.approver.approve(taskId, step, digest);
      case "undo":
        return await this.approver.undo(taskId);
      default:
        throw new DaemonError(`nothing is called ${op}`, "bad_request");
    }
  }

  private async answer(id: number, act: () => Promise<Told | undefined>): Promise<void> {
    try {
      const told = await act();
      this.tell({ kind: "answer", id, told: told ?? { tasks: [] }, isCancelled: told === undefined });
    } catch (error) {
      this.tell({ kind: "answer", id, error: messageOf(error) });
    }
  }

  /** Uses a connection of its own: a watch ends only with its connection. */
  private async watch(fresh: boolean, tasks: { id: string; from: number }[]): Promise<void> {
    if (fresh) {
      this.events?.close();
      this.events = undefined;
    }
    if (!this.events) {
      const events = new Daemon({ ...this.hooks, linked: (link) => this.eventsLinked(events, link) });
      this.events = events;
      events.connect();
    }
    const { events } = this;
    for (const { id, from } of tasks) {
      await events.watch(id, from, (event) => {
        if (this.events === events) this.tell({ kind: "event", event });
      }).catch((error: unknown) => {
        if (!(error instanceof DaemonError) || error.code !== "away") this.tell({ kind: "unread", id, error: messageOf(error) });
      });
    }
  }

  private eventsLinked(events: Daemon, link: Link): void {
    if (this.events !== events || link !== "failed") return;
    // The webview asks again, from where it is, when the daemon is back.
    this.events = undefined;
    events.close();
    if (this.daemon.link === "on") this.tell({ kind: "again" });
  }

  private tellLink(): void {
    this.tell({ kind: "link", ...this.link, version: this.daemon.version, by: BY, isTrusted: vscode.workspace.isTrusted });
  }

  private tellTasks(): void {
    const isHere = ofWindow();
    this.tell({ kind: "tasks", tasks: this.tasks.filter((task) => isHere(task) || this.guests.has(task.threadId)) });
  }

  private tellContext(): void {
    const { cwd, name } = place(this.cwd);
    const { items, notes } = editorContext(cwd);
    this.tell({ kind: "context", items, notes, name, cwd: this.cwd, folders: folders(), isPrivate: isPrivate() });
  }

  private async tellWelcome(): Promise<void> {
    if (!this.isReady || this.daemon.link !== "on") return;
    const told = await this.daemon.task({ op: "welcome", cwd: place(this.cwd).cwd }).catch(() => undefined);
    if (told?.welcome) this.tell({ kind: "welcome", welcome: told.welcome });
  }

  private tell(message: unknown): void {
    if (this.isReady) void this.view?.webview.postMessage({ ...(message as object), key: this.key });
    else if ((message as { kind: string }).kind === "focus") this.later.push(message);
  }

  private page(webview: vscode.Webview): string {
    const nonce = randomBytes(18).toString("base64");
    const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.root, "dist", name)).toString();
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`;
    return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <link rel="stylesheet" href="${asset("main.css")}">
    <title>Aside</title>
  </head>
  <body data-key="${this.key}">
    <script nonce="${nonce}" src="${asset("main.js")}"></script>
  </body>
</html>`;
  }
}

/** Whether a task belongs to a folder of this window, around one or below one; without folders all do. */
export function ofWindow(): (brief: Brief) => boolean {
  const roots = folders().map(({ cwd }) => real(cwd));
  return ({ workspace }) => !roots.length || roots.some((root) => isBelow(workspace, root) || isBelow(root, workspace));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
