// Approving, in a dialog of the editor: fetches the offer anew, compares it with what the card showed, and sends the approval with its
// digest. No command of the extension approves anything, so no other extension can call one.

import * as vscode from "vscode";
import { speaks, tongueOf } from "../../../crates/aside/web/labels.js";
import { plain, short } from "../../../crates/aside/web/text.js";
import { type Daemon, DaemonError } from "./daemon";
import type { OfferDocuments } from "./diffs";
import { ownEnvironment } from "./executable";
import { isCommand, question } from "./offer";
import { parsePatch } from "./patch";
import { inside } from "./paths";
import type { Offer, Told } from "./wire";

export const BY = "VS Code";
/** Milliseconds within which a user cannot have read a dialog. */
const MOMENT = 700;

export class Approver {
  /** Offers that were too long for a dialog and have been opened in an editor. */
  private readonly opened = new Set<string>();

  constructor(
    private readonly daemon: Daemon,
    private readonly documents: OfferDocuments,
  ) {}

  /** Opens the pending offer. */
  async view(taskId: string): Promise<void> {
    const { offer, workspace } = await this.offer(taskId);
    await this.open(offer, workspace);
  }

  /** Returns the reply if it was approved. */
  async approve(taskId: string, step: number, digest: string): Promise<Told | undefined> {
    if (!vscode.workspace.isTrusted) {
      void this.explainTrust();
      throw new DaemonError("this workspace is not trusted: nothing is approved here", "refused");
    }
    const { offer, workspace, request } = await this.offer(taskId);
    if (offer.step !== step || offer.digest !== digest) {
      throw new DaemonError("it has changed since it was shown; look at it again", "refused");
    }
    const { title, detail, does, view, isWhole } = question(offer, request, unsaved(offer, workspace));
    const mayApprove = isWhole || this.opened.has(digest);
    const said = await confirm(title, detail, mayApprove ? does : "", isWhole && isCommand(offer) ? "" : view);
    if (said === view) await this.open(offer, workspace);
    if (said !== does || !mayApprove) return undefined;
    const environment = isCommand(offer) ? variables() : [];
    return await this.daemon.task({ op: "approve", taskId, step, digest, by: BY, environment });
  }

  /** Returns the reply if the task was undone. */
  async undo(taskId: string): Promise<Told | undefined> {
    if (!vscode.workspace.isTrusted) throw new DaemonError("this workspace is not trusted: nothing is written here", "refused");
    const { tasks } = await this.daemon.task({ op: "show", taskId });
    const [brief] = tasks;
    if (!brief) throw new DaemonError("that task is not there any more", "refused");
    const say = speaks(tongueOf(brief.text));
    const detail = [`${say("asked")}: ${short(brief.text, 200)}`, `${say("in")}: ${plain(brief.workspace)}`, short(brief.summary, 200)].join("\n");
    const said = await confirm(say("Put the files back as they were?"), detail, say("Undo"));
    return said === say("Undo") ? await this.daemon.task({ op: "undo", taskId: brief.taskId, by: BY }) : undefined;
  }

  private async offer(taskId: string): Promise<{ offer: Offer; workspace: string; request: string }> {
    const { tasks, offer } = await this.daemon.task({ op: "show", taskId });
    if (!offer) throw new DaemonError("nothing waits for you there any more", "refused");
    return { offer, workspace: tasks[0]?.workspace ?? "", request: tasks[0]?.text ?? "" };
  }

  private async open(offer: Offer, workspace: string): Promise<void> {
    await this.documents.open(offer, workspace);
    this.opened.add(offer.digest);
  }

  private async explainTrust(): Promise<void> {
    const manage = "Manage Trust";
    const said = await vscode.window.showWarningMessage("Aside approves nothing in a workspace that is not trusted.", manage);
    if (said === manage) await vscode.commands.executeCommand("workbench.trust.manage");
  }
}

/** The button that was pressed. `does` has the focus, so a held key, or a double press, would hit it: then it asks again. */
async function confirm(title: string, detail: string, does: string, view = ""): Promise<string | undefined> {
  for (;;) {
    const shown = Date.now();
    const said = await vscode.window.showWarningMessage(title, { modal: true, detail }, ...[does, view].filter(Boolean));
    if (said && said === does && Date.now() - shown < MOMENT) continue;
    // Returns the focus to the chat, unless an editor is opened.
    if (!said || said !== view) await vscode.commands.executeCommand("aside.chat.focus");
    return said;
  }
}

/** Files of the change that have unsaved changes in an editor. */
function unsaved(offer: Offer, workspace: string): string[] {
  if (isCommand(offer)) return [];
  const names = parsePatch(offer.text)?.map((file) => file.old || file.new) ?? [];
  const dirty = new Set(vscode.workspace.textDocuments.filter((document) => document.isDirty).map((document) => document.uri.fsPath));
  return names.filter((name) => dirty.has(inside(workspace, name) ?? "")).map(plain);
}

/** The environment for a command, as in a terminal of the editor. */
function variables(): string[] {
  return Object.entries(ownEnvironment()).map(([name, value]) => `${name}=${value ?? ""}`);
}
