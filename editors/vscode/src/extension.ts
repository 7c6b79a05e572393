// The extension's entry point: activation, commands, and events. Opens nothing and reads no file until it is asked.

import * as vscode from "vscode";
import { AskActions, requestText } from "./actions";
import { Approver } from "./approve";
import { ChatView, messageOf, ofWindow } from "./chat";
import { Daemon, type Hooks, type Link } from "./daemon";
import { OfferDocuments } from "./diffs";
import { folders, leftOut } from "./editor";
import { findExecutable, ownEnvironment } from "./executable";
import { lastCommandText } from "./last";
import { notice } from "./notice";
import { changeSetting } from "./settings";
import { RemoteNotices, StatusItem } from "./status";
import { Terminals } from "./terminal";
import type { Brief } from "./wire";

export function activate(context: vscode.ExtensionContext): void {
  const hooks: Omit<Hooks, "linked"> = { executable: program, environment: () => ownEnvironment() };
  const status = new StatusItem();
  const notices = new RemoteNotices();
  const documents = new OfferDocuments();
  let tasks: Brief[] = [];
  const followed = (now: Brief[]) => {
    tasks = now;
    chat.followed(now);
    status.followed(now);
    notices.followed(now, (brief) => void chat.show({ threadId: brief.threadId }));
  };
  const linked = (link: Link, why: string) => {
    status.linked(link, why, daemon.version);
    chat.linked(link, why);
    void vscode.commands.executeCommand("setContext", "aside.connected", link === "on");
    if (link === "on") daemon.follow((told) => followed(told.tasks)).catch((error: unknown) => status.linked("failed", messageOf(error), ""));
  };
  const daemon = new Daemon({ ...hooks, linked });
  const chat = new ChatView(context.extensionUri, daemon, hooks, new Approver(daemon, documents));
  const terminals = new Terminals(daemon);

  const asks = (verb: "explain" | "fix") => async (_?: vscode.Uri, diagnostic?: vscode.Diagnostic) => {
    const document = vscode.window.activeTextEditor?.document;
    const why = document ? leftOut(document) : "";
    if (why) void vscode.window.showWarningMessage(notice(`Aside: ${why}`));
    else await chat.ask(requestText(verb, diagnostic), diagnostic ? { only: [diagnostic] } : {});
  };
  const asksLast = (verb: "explain" | "fix") => async () => {
    const last = await terminals.lastCommand();
    if (last) await chat.ask(lastCommandText(verb, last), { session: last.session, directory: last.cwd });
    else void vscode.window.showInformationMessage("No command is known of this terminal. Aside's plugin or the editor's shell integration has to be on there.");
  };
  const commands: Record<string, (...given: never[]) => unknown> = {
    "aside.ask": () => chat.show(),
    "aside.explain": asks("explain"),
    "aside.fix": asks("fix"),
    "aside.explainLast": asksLast("explain"),
    "aside.fixLast": asksLast("fix"),
    "aside.newThread": () => chat.show({ fresh: true }),
    "aside.showWaiting": () => {
      const waiting = tasks.filter(ofWindow()).find((task) => task.state === "WAITING_APPROVAL");
      return chat.show(waiting ? { threadId: waiting.threadId } : {});
    },
    "aside.settings": async (prefix?: unknown) => {
      const found = program();
      if (!found) await showInstall(context);
      else if (await changeSetting(found, typeof prefix === "string" ? prefix : "")) chat.settingsChanged();
    },
    "aside.reconnect": () => daemon.connect(),
    "aside.install": () => showInstall(context),
  };

  const changed = () => chat.contextChanged();
  context.subscriptions.push(
    status,
    notices,
    terminals,
    chat,
    documents.register(),
    { dispose: () => daemon.close() },
    ...Object.entries(commands).map(([name, act]) => vscode.commands.registerCommand(name, act)),
    vscode.window.registerWebviewViewProvider("aside.chat", chat),
    vscode.languages.registerCodeActionsProvider({ scheme: "file" }, new AskActions(), { providedCodeActionKinds: AskActions.kinds }),
    vscode.window.onDidChangeActiveTextEditor(changed),
    vscode.window.onDidChangeTextEditorSelection(changed),
    vscode.window.tabGroups.onDidChangeTabs(changed),
    vscode.languages.onDidChangeDiagnostics(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(() => followed(tasks)),
    // The user may have installed it meanwhile.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && daemon.link === "missing") daemon.connect();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => chat.linked(daemon.link, "")),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("aside")) changed();
      if (change.affectsConfiguration("aside.executable")) {
        daemon.close();
        daemon.connect();
      }
    }),
  );
  // After activation: starting a process takes longer than all of it.
  setImmediate(() => daemon.connect());
}

export function deactivate(): void {
  // Everything registered with the context is disposed with it.
}

function program(): string | undefined {
  return findExecutable(vscode.workspace.getConfiguration("aside").get("executable", ""), folders().map(({ cwd }) => cwd));
}

async function showInstall(context: vscode.ExtensionContext): Promise<void> {
  await vscode.commands.executeCommand("markdown.showPreview", vscode.Uri.joinPath(context.extensionUri, "walkthrough", "install.md"));
}
