// Which paths belong to a workspace, with links resolved.

import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** The daemon has refused names that lead out of the workspace; follows none here either. */
export function inside(workspace: string, name: string): string | undefined {
  const leadsOut = isAbsolute(name) || name.split("/").includes("..");
  return workspace && name && !leadsOut ? join(workspace, name) : undefined;
}

export function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

/** The path with links resolved; unchanged if it does not exist. */
export function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
