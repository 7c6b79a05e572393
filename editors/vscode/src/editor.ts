// What the user sees in the editor, read from its API, and the directory of a request.

import { homedir } from "node:os";
import { dirname, relative } from "node:path";
import * as vscode from "vscode";
import { type Collected, type Part, type Problem, type Seen, collect, wanted } from "./context";
import { denied } from "./deny";
import { isBelow, real } from "./paths";

const SEVERITIES = ["error", "warning", "information", "hint"];

export interface Place {
  cwd: string;
  name: string;
}

/** The folders of the window, by name. */
export function folders(): Place[] {
  const open = vscode.workspace.workspaceFolders ?? [];
  return open.filter((folder) => folder.uri.scheme === "file").map((folder) => ({ cwd: folder.uri.fsPath, name: folder.name }));
}

/** The folder that `path` is, is in or is around; else the active file's; else the first; without folders the directory of the file. */
export function place(path = ""): Place {
  const all = folders();
  const named = path ? all.find((folder) => folder.cwd === path) ?? near(all, real(path)) : undefined;
  if (named) return named;
  const active = vscode.window.activeTextEditor?.document.uri;
  const around = active?.scheme === "file" ? vscode.workspace.getWorkspaceFolder(active) : undefined;
  if (around) return { cwd: around.uri.fsPath, name: around.name };
  const cwd = all[0]?.cwd ?? (active?.scheme === "file" ? dirname(active.fsPath) : homedir());
  return all[0] ?? { cwd, name: cwd };
}

function near(all: Place[], path: string): Place | undefined {
  return all.find(({ cwd }) => isBelow(path, real(cwd))) ?? all.find(({ cwd }) => isBelow(real(cwd), path));
}

/** The values of a setting: the user's, and those of the workspace, which come from others. */
function values(name: string): unknown[] {
  const set = vscode.workspace.getConfiguration("aside").inspect(name);
  return [set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue];
}

/** Whether no remote model may be asked. A workspace may turn that on, but not off. */
export function isPrivate(): boolean {
  return values("private").includes(true);
}

/** The context of a request in `cwd`. `only` are the problems that it is about, if any. */
export function editorContext(cwd: string, without: readonly Part[] = [], only?: readonly vscode.Diagnostic[]): Collected {
  return collect(seen(cwd, only), wanted(values("context")).filter((part) => !without.includes(part)));
}

/** Why a document is not sent along; empty when it may be. */
export function leftOut({ uri }: vscode.TextDocument): string {
  const { cwd } = place(uri.scheme === "file" ? uri.fsPath : "");
  const file = within(cwd, uri) ?? uri.fsPath;
  const what = uri.scheme === "file" ? denied(file) ?? denied(behind(cwd, uri.fsPath)) : undefined;
  return what ? `${file} is left out: ${what}` : "";
}

function seen(cwd: string, only?: readonly vscode.Diagnostic[]): Seen {
  const open = vscode.window.tabGroups.all.flatMap((group) => group.tabs).flatMap((tab) => within(cwd, uriOf(tab)) ?? []);
  const editor = vscode.window.activeTextEditor;
  const nothing = { file: "", behind: "", line: 0, isDirty: false, selection: "", problems: [], open: [...new Set(open)] };
  if (!editor) return nothing;
  const { document, selection } = editor;
  const file = within(cwd, document.uri);
  // A document that was never saved is the user's own; skips any other outside of the folder.
  if (!file && document.uri.scheme !== "untitled") return nothing;
  const diagnostics = only ?? vscode.languages.getDiagnostics(document.uri);
  const serious = [...diagnostics].filter((diagnostic) => only ?? diagnostic.severity <= vscode.DiagnosticSeverity.Warning);
  const around = selection.isEmpty ? serious : serious.filter((diagnostic) => only ?? selection.intersection(diagnostic.range));
  return {
    ...nothing,
    file: file ?? "",
    behind: file ? behind(cwd, document.uri.fsPath) : "",
    line: selection.active.line + 1,
    isDirty: document.isDirty,
    selection: document.getText(selection),
    problems: around.map(problem),
  };
}

export function problem(diagnostic: vscode.Diagnostic): Problem {
  return {
    line: diagnostic.range.start.line + 1,
    severity: SEVERITIES[diagnostic.severity] ?? "problem",
    source: diagnostic.source ?? "",
    message: diagnostic.message,
  };
}

/** The path relative to `cwd` of a file below it. */
export function within(cwd: string, uri: vscode.Uri | undefined): string | undefined {
  if (uri?.scheme !== "file") return undefined;
  const path = relative(cwd, uri.fsPath);
  return path && !path.startsWith("..") && !path.startsWith("/") ? path : undefined;
}

function behind(cwd: string, path: string): string {
  const [root, target] = [real(cwd), real(path)];
  return isBelow(target, root) ? relative(root, target) : target;
}

function uriOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}

/** The shell whose language a proposed command is in. */
export function shell(): string {
  const name = vscode.env.shell.split("/").at(-1) ?? "";
  return ["zsh", "bash", "fish"].includes(name) ? name : "";
}
