// Foreign text in notifications of the editor, which turn `[words](command:…)` into a link that acts.

import { plain } from "../../../crates/aside/web/text.js";

/** Removes links, and escapes invisible characters. */
export function notice(text: string): string {
  return plain(text).replaceAll("](", "] (");
}
