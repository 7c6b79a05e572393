// Finds the `aside` program, and the environment for it and for approved commands.

import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

import { isBelow, real } from "./paths";

/** Searched after `PATH`, which a desktop session may not have set up. */
const USUAL = [join(homedir(), ".local/bin"), join(homedir(), ".cargo/bin"), "/usr/local/bin", "/opt/homebrew/bin"];
/** Variables that the editor sets for its own processes. */
const OF_THE_EDITOR = /^(ELECTRON_|VSCODE_|CODE_SERVER_|CHROME_|GOOGLE_|NODE_EXEC_|ORIGINAL_XDG_)/;

/** `folders` are those of the window, whose files come from others: none of their programs is found by name. */
export function findExecutable(setting: string, folders: string[] = [], path = process.env.PATH ?? ""): string | undefined {
  const named = setting.trim().replace(/^~(?=\/)/, homedir());
  if (named) return isAbsolute(named) && isProgram(named) ? named : undefined;
  // A relative entry of `PATH` would let a workspace bring its own `aside`.
  const roots = folders.map(real).filter((root) => !isBelow(real(homedir()), root));
  const isOfFolder = (directory: string) => roots.some((root) => isBelow(real(directory), root));
  const directories = [...path.split(":").filter((directory) => isAbsolute(directory) && !isOfFolder(directory)), ...USUAL];
  return directories.map((directory) => join(directory, "aside")).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The environment without the editor's own variables. */
export function ownEnvironment(environment = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !OF_THE_EDITOR.test(name)));
}
