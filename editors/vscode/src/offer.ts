// What waits for approval, in the words of the editor's own dialog. All text comes from the rows of the daemon, which spell out signs that
// cannot be seen.

import { count } from "./context";
import type { Offer } from "./wire";

/** A dialog with more is not read, and may not fit the screen: the rest is to be looked at in an editor first. */
const MAX_LINES = 24;
const MAX_LETTERS = 1_600;

export interface Question {
  title: string;
  detail: string;
  /** The button that approves. */
  does: string;
  /** Everything is in the dialog. */
  isWhole: boolean;
}

export function isCommand(offer: Offer): boolean {
  return offer.action === "run_command";
}

export function question(offer: Offer, unsaved: string[] = []): Question {
  const of = (label: string) => offer.rows.filter((row) => row.label === label).map((row) => row.text);
  const dangers = of("danger").map((danger) => `⚠ ${danger}`);
  const facts = offer.rows.filter((row) => !["command", "file", "danger"].includes(row.label)).map((row) => `${row.label}: ${row.text}`);
  const dirty = unsaved.map((file) => `⚠ ${file} has changes that are not saved; the file on the disk is changed`);
  if (isCommand(offer)) {
    const command = bounded(of("command"));
    return {
      title: "Run this command?",
      detail: [...command.lines, "", ...dangers, ...facts].join("\n"),
      does: "Run",
      isWhole: command.isWhole,
    };
  }
  const files = of("file");
  const shown = bounded(files);
  return {
    title: `Apply this change to ${count(files.length, "file")}?`,
    detail: [...shown.lines, "", ...dangers, ...dirty, ...facts].join("\n"),
    does: `Apply ${count(files.length, "File")}`,
    isWhole: shown.isWhole,
  };
}

function bounded(rows: string[]): { lines: string[]; isWhole: boolean } {
  const lines = rows.flatMap((row) => row.split("\n"));
  let letters = 0;
  const shown = lines.slice(0, MAX_LINES).filter((line) => (letters += line.length) <= MAX_LETTERS);
  if (shown.length === lines.length) return { lines, isWhole: true };
  return { lines: [...shown, `… and ${count(lines.length - shown.length, "more line")}, to be looked at first`], isWhole: false };
}

/** All of it as one text, for an editor. */
export function whole(offer: Offer): string {
  const rows = offer.rows.map((row) => (row.label === "command" ? row.text : `# ${row.label}: ${row.text}`));
  return `${rows.join("\n")}\n`;
}
