// A proposed change in the editor's own diff editor: both sides are read-only documents, made for one digest.

import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import { plain } from "../../../crates/aside/web/text.js";
import { isCommand, whole } from "./offer";
import { inside } from "./paths";
import { type FilePatch, applyPatch, parsePatch } from "./patch";
import type { Offer } from "./wire";

const SCHEME = "aside-offer";
/** A larger file is shown as a diff only. */
const MAX_FILE = 8 * 1024 * 1024;
/** Cap on documents; the editors of older ones stay as they are. */
const KEPT = 400;

interface Side {
  name: string;
  old: vscode.Uri | undefined;
  new: vscode.Uri | undefined;
}

export class OfferDocuments implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();

  register(): vscode.Disposable {
    return vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This proposal is not shown any more.";
  }

  /** Opens all of an offer: a change in the diff editor, a command as text. */
  async open(offer: Offer, workspace: string): Promise<void> {
    if (isCommand(offer)) {
      await this.openText(offer, "command.sh", whole(offer), "shellscript");
      return;
    }
    const sides = await this.sides(offer, workspace);
    const [first] = sides ?? [];
    const title = `Aside: ${sides?.length === 1 ? `${first?.name} (proposed)` : "proposed change"}`;
    if (!sides || !first) await this.openText(offer, "change.diff", offer.text, "diff");
    else if (sides.length === 1 && first.old && first.new) await vscode.commands.executeCommand("vscode.diff", first.old, first.new, title, { preview: true });
    else await vscode.commands.executeCommand("vscode.changes", title, sides.map((side) => [side.new ?? side.old, side.old, side.new]));
  }

  /** Both sides of each file; a new or deleted one has one. Undefined when the change does not apply to the current files. */
  private async sides(offer: Offer, workspace: string): Promise<Side[] | undefined> {
    const files = parsePatch(offer.text);
    if (!files) return undefined;
    const sides: Side[] = [];
    for (const file of files) {
      const before = await textBefore(file, workspace);
      const after = before === undefined ? undefined : applyPatch(before, file);
      if (before === undefined || after === undefined) return undefined;
      const name = plain(file.new || file.old);
      sides.push({
        name,
        old: file.old ? this.keep(offer, plain(file.old), "old", before) : undefined,
        new: file.new ? this.keep(offer, name, "new", after) : undefined,
      });
    }
    return sides;
  }

  private async openText(offer: Offer, name: string, text: string, language: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.keep(offer, name, "all", text));
    await vscode.languages.setTextDocumentLanguage(document, language);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  private keep(offer: Offer, name: string, side: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: `${side}.${offer.taskId}.${offer.step}.${offer.digest}` });
    this.texts.delete(uri.toString());
    this.texts.set(uri.toString(), text);
    const [oldest] = this.texts.keys();
    if (this.texts.size > KEPT && oldest !== undefined) this.texts.delete(oldest);
    return uri;
  }
}

async function textBefore(file: FilePatch, workspace: string): Promise<string | undefined> {
  if (!file.old) return "";
  const path = inside(workspace, file.old);
  try {
    const facts = path ? await stat(path) : undefined;
    if (!path || !facts?.isFile() || facts.size > MAX_FILE) return undefined;
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
