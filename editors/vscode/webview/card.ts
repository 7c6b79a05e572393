// The page's card and requests, with the editor's own diff and dialogs in place of theirs: a button here asks the extension, and the
// dialog decides.

import { Card } from "../../../crates/aside/web/card.js";
import { TaskView } from "../../../crates/aside/web/task.js";
import { h } from "../../../crates/aside/web/text.js";
import { Cancelled } from "./host";

type View = (taskId: string) => void;

/** `view` opens the diff editor. */
export function editorCard(view: View): typeof Card {
  return class extends Card {
    constructor(offer: never, ways: never) {
      super(offer, ways);
      if (!this.isCommand) this.approve.before(h("button", { type: "button", class: "view-diff", onclick: () => view(this.offer.taskId) }, this.say("View Diff")));
      this.approve.textContent = `${this.does}…`;
    }

    /** A click leads to a dialog that shows the files or the command, so it needs no delay. */
    override get isArmed(): boolean {
      return !this.isBusy && !this.blocked && !this.editor;
    }

    override clicks(): Promise<boolean | undefined> {
      return this.approves();
    }

    override arm(): void {
      super.arm();
      if (!this.isBusy && !this.blocked && this.hint) this.hint.textContent = "";
    }

    override async approves(): Promise<boolean | undefined> {
      if (!this.isArmed) return undefined;
      this.isBusy = true;
      this.trouble.hidden = true;
      this.arm();
      this.hint.textContent = "see the dialog";
      const { taskId, step, digest } = this.offer;
      const error = await this.send({ op: "approve", taskId, step, digest });
      if (!error) return true;
      this.isBusy = false;
      this.arm();
      if (error instanceof Cancelled) this.approve.focus();
      else {
        this.trouble.textContent = error.message;
        this.trouble.hidden = false;
        this.again();
      }
      return false;
    }
  } as unknown as typeof Card;
}

export class EditorTask extends TaskView {
  /** One button: the dialog asks. */
  override undo(): HTMLElement {
    const button = h("button", { type: "button", class: "quiet", "data-op": "undo", onclick: () => this.act("undo", button) }, this.say("Undo…"));
    return button;
  }

  override tellTrouble(error: Error): void {
    if (!(error instanceof Cancelled)) super.tellTrouble(error);
  }
}
