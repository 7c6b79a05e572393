// The daemon's own settings, read and changed with `aside config`: the editor keeps no copy.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { ownEnvironment } from "./executable";
import { plain } from "../../../crates/aside/web/text.js";
import { notice } from "./notice";

const run = promisify(execFile);

interface Setting {
  key: string;
  value: unknown;
  default: unknown;
  from: string;
  why: string;
}

/** Milliseconds for which a change is confirmed in the status bar. */
const TOLD = 6_000;
/** Settings that concern tasks. */
const CONCERNS = /^(task\.|llm\.(provider|base_url|model|api_key_\w+|task\.\w+)$)/;

/** Whether one was changed. `prefix`: only those whose names begin so. */
export async function changeSetting(program: string, prefix = ""): Promise<boolean> {
  const aside = async (...words: string[]) => (await run(program, ["config", ...words], { cwd: homedir(), env: ownEnvironment() })).stdout;
  const all = (JSON.parse(await aside("list", "--json")) as Setting[]).filter((setting) => CONCERNS.test(setting.key) && setting.key.startsWith(prefix));
  const items = all.map((setting) => ({ label: setting.key, description: JSON.stringify(setting.value), detail: setting.why, setting }));
  const file = { label: "$(go-to-file) Open the file", description: "", detail: "All settings, with their comments", setting: undefined };
  const picked = await vscode.window.showQuickPick([...items, file], { title: "Settings of the Aside daemon", matchOnDetail: true, placeHolder: "They count for shells, the page and every editor alike" });
  if (!picked) return false;
  if (!picked.setting) {
    const path = (await aside("path")).trim();
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: true }).then(undefined, () => {
      void vscode.window.showInformationMessage(notice(`${path} is not there yet: every setting has its default.`));
    });
    return false;
  }
  const { key, value, why } = picked.setting;
  const wanted = typeof value === "boolean"
    ? await vscode.window.showQuickPick(["true", "false"], { title: key, placeHolder: why })
    : await vscode.window.showInputBox({ title: key, prompt: why, value: typeof value === "string" ? value : JSON.stringify(value) });
  if (wanted === undefined) return false;
  try {
    await aside("set", key, wanted);
    vscode.window.setStatusBarMessage(`Aside: ${key} is ${plain(wanted) || "empty"} now`, TOLD);
    return true;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    void vscode.window.showErrorMessage(notice(stderr?.trim() || String(error)));
    return false;
  }
}
