// Code actions: "Ask Aside" on a selection and on a problem. Only compose the text of a request for the chat.

import * as vscode from "vscode";
import { problemLine } from "./context";
import { editorContext, leftOut, place, problem, within } from "./editor";

/** Cap on the letters of a problem in a menu. */
const MAX_TITLE = 60;

export class AskActions implements vscode.CodeActionProvider {
  static readonly kinds = [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.RefactorRewrite];

  provideCodeActions(document: vscode.TextDocument, range: vscode.Range, { diagnostics }: vscode.CodeActionContext): vscode.CodeAction[] {
    if (leftOut(document)) return [];
    const ofProblems = diagnostics.flatMap((diagnostic) => [
      action("explain", `: ${short(diagnostic.message)}`, vscode.CodeActionKind.QuickFix, document, diagnostic),
      action("fix", `: ${short(diagnostic.message)}`, vscode.CodeActionKind.QuickFix, document, diagnostic),
    ]);
    if (range.isEmpty) return ofProblems;
    const kind = vscode.CodeActionKind.RefactorRewrite;
    return [...ofProblems, action("explain", " the selection", kind, document), action("fix", " the selection", kind, document)];
  }
}

function action(verb: "explain" | "fix", what: string, kind: vscode.CodeActionKind, document: vscode.TextDocument, diagnostic?: vscode.Diagnostic): vscode.CodeAction {
  const made = new vscode.CodeAction(`Ask Aside: ${verb}${what}`, kind);
  made.command = { command: `aside.${verb}`, title: made.title, arguments: [document.uri, diagnostic] };
  if (diagnostic) made.diagnostics = [diagnostic];
  return made;
}

/** The text of a request about the selection or a problem. */
export function requestText(verb: "explain" | "fix", diagnostic?: vscode.Diagnostic): string {
  const editor = vscode.window.activeTextEditor;
  const { cwd } = place();
  const file = within(cwd, editor?.document.uri) ?? "";
  if (diagnostic) return `${verb === "explain" ? "explain this error" : "fix this error"}: ${problemLine(file || "line", problem(diagnostic))}`;
  const { context } = editorContext(cwd);
  const where = file ? ` in ${file}` : "";
  if (context.selection) return `${verb} the selected code${where}`;
  return `${verb} ${file || "this file"}`;
}

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line;
}
