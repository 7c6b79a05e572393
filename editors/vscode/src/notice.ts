// Texts of others in notifications of the editor, which turn `[words](command:…)` into a link that acts.

import { plain } from "../../../crates/aside/web/text.js";

/** Without links, and with signs that cannot be seen spelled out. */
export function notice(text: string): string {
  return plain(text).replaceAll("](", "] (");
}
