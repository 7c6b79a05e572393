// The status bar item, and notifications about remote requests.

import * as vscode from "vscode";
import { plain } from "../../../crates/aside/web/text.js";
import { ofWindow } from "./chat";
import type { Link } from "./daemon";
import { notice } from "./notice";
import type { Brief } from "./wire";

const MAX_TOLD = 120;

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("aside.state", vscode.StatusBarAlignment.Right, 90);
  private waiting: Brief[] = [];
  private working = 0;
  private link: Link = "off";
  private why = "";
  private version = "";

  constructor() {
    this.item.name = "Aside";
    this.draw();
    this.item.show();
  }

  linked(link: Link, why: string, version: string): void {
    [this.link, this.why, this.version] = [link, why, version];
    this.draw();
  }

  followed(tasks: Brief[]): void {
    const here = tasks.filter(ofWindow());
    this.waiting = here.filter((task) => task.state === "WAITING_APPROVAL");
    this.working = here.filter((task) => !["WAITING_APPROVAL", "COMPLETED", "FAILED", "REJECTED"].includes(task.state)).length;
    this.draw();
  }

  dispose(): void {
    this.item.dispose();
  }

  private draw(): void {
    const { item } = this;
    item.command = "aside.showWaiting";
    item.backgroundColor = undefined;
    if (this.link === "missing") {
      item.text = "$(warning) Aside";
      item.tooltip = "aside is not installed. Click to see how.";
      item.command = "aside.install";
    } else if (this.link !== "on") {
      item.text = this.link === "failed" ? "$(debug-disconnect) Aside" : "$(comment-discussion) Aside";
      item.tooltip = this.link === "failed" ? `No daemon: ${this.why}. Click to connect.` : "Aside";
      if (this.link === "failed") item.command = "aside.reconnect";
    } else if (this.waiting.length) {
      item.text = `$(bell-dot) Aside: ${this.waiting.length}`;
      item.tooltip = `${this.waiting.map((task) => plain(task.summary || task.text)).slice(0, 5).join("\n")}\n\nwaits for you`;
      item.backgroundColor = new vscode.ThemeColor("statusBarItem.warningBackground");
    } else {
      item.text = this.working ? "$(sync~spin) Aside" : "$(comment-discussion) Aside";
      item.tooltip = `Aside ${this.version}${this.working ? ": at work" : ""}`;
    }
  }
}

/** Most requests wait for approval soon after they arrive: a debounce, so that one notification says both. */
const SETTLE = 1_500;

export class RemoteNotices implements vscode.Disposable {
  private readonly told = new Map<string, string>();
  private latest: Brief[] = [];
  private timer: NodeJS.Timeout | undefined;

  followed(tasks: Brief[], show: (brief: Brief) => void): void {
    this.latest = tasks;
    if (!tasks.some(isFromAfar)) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.notify(this.latest, show);
    }, SETTLE);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  /** Notifies once that a remote request has arrived, and once for each attempt that waits. Only offers to show it. */
  private notify(tasks: Brief[], show: (brief: Brief) => void): void {
    if (!vscode.workspace.getConfiguration("aside").get("notifyRemote", true)) return;
    const isHere = ofWindow();
    for (const brief of tasks) {
      const isWaiting = brief.state === "WAITING_APPROVAL";
      const isLive = isWaiting || !["COMPLETED", "FAILED", "REJECTED"].includes(brief.state);
      if (!isFromAfar(brief) || !isLive || !(isHere(brief) || vscode.window.state.focused)) continue;
      const state = `${brief.attempt} ${isWaiting ? "waits" : "asks"}`;
      if (this.told.get(brief.taskId) === state) continue;
      this.told.set(brief.taskId, state);
      const who = (brief.fromUser || "someone").slice(0, 40);
      const what = brief.text.replace(/\s+/g, " ").slice(0, MAX_TOLD);
      const sentence = isWaiting ? `Waits for your approval, from ${who}: ${what}` : `From ${who}: ${what}`;
      void vscode.window.showInformationMessage(notice(sentence), "Show").then((said) => {
        if (said) show(brief);
      });
    }
  }
}

function isFromAfar(brief: Brief): boolean {
  return brief.source !== "local_ui";
}
