// What the editor has before the user, read from its API, and the directory that a request is about.

import { homedir } from "node:os";
import { dirname, relative } from "node:path";
import * as vscode from "vscode";
import { type Collected, type Part, type Problem, type Seen, collect } from "./context";

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

/** The folder of the active file; without one the first folder; without that the directory of the file. */
export function place(wanted = ""): Place {
  const all = folders();
  const named = all.find((folder) => folder.cwd === wanted);
  if (named) return named;
  const active = vscode.window.activeTextEditor?.document.uri;
  const around = active?.scheme === "file" ? vscode.workspace.getWorkspaceFolder(active) : undefined;
  if (around) return { cwd: around.uri.fsPath, name: around.name };
  const cwd = all[0]?.cwd ?? (active?.scheme === "file" ? dirname(active.fsPath) : homedir());
  return all[0] ?? { cwd, name: cwd };
}

/** What goes along with a request in `cwd`. `only` are the problems that it is about, if it is about some. */
export function editorContext(cwd: string, without: readonly Part[] = [], only?: readonly vscode.Diagnostic[]): Collected {
  const wanted = vscode.workspace.getConfiguration("aside").get<Part[]>("context", []);
  return collect(seen(cwd, only), wanted.filter((part) => !without.includes(part)));
}

function seen(cwd: string, only?: readonly vscode.Diagnostic[]): Seen {
  const open = vscode.window.tabGroups.all.flatMap((group) => group.tabs).flatMap((tab) => within(cwd, uriOf(tab)) ?? []);
  const editor = vscode.window.activeTextEditor;
  const nothing = { file: "", line: 0, isDirty: false, selection: "", problems: [], open: [...new Set(open)] };
  if (!editor) return nothing;
  const { document, selection } = editor;
  const file = within(cwd, document.uri);
  // A document that was never saved is the user's own; any other that is not of the folder is left alone.
  if (!file && document.uri.scheme !== "untitled") return nothing;
  const diagnostics = only ?? vscode.languages.getDiagnostics(document.uri);
  const serious = [...diagnostics].filter((diagnostic) => only ?? diagnostic.severity <= vscode.DiagnosticSeverity.Warning);
  const around = selection.isEmpty ? serious : serious.filter((diagnostic) => only ?? selection.intersection(diagnostic.range));
  return {
    ...nothing,
    file: file ?? "",
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

/** The path from `cwd` of a file that is below it. */
export function within(cwd: string, uri: vscode.Uri | undefined): string | undefined {
  if (uri?.scheme !== "file") return undefined;
  const path = relative(cwd, uri.fsPath);
  return path && !path.startsWith("..") && !path.startsWith("/") ? path : undefined;
}

function uriOf(tab: vscode.Tab): vscode.Uri | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri : undefined;
}

/** The language in which a proposed command is written. */
export function shell(): string {
  const name = vscode.env.shell.split("/").at(-1) ?? "";
  return ["zsh", "bash", "fish"].includes(name) ? name : "";
}
