// A pending offer, as text for the editor's own dialog, in the language of the request. All text comes from the daemon's rows, which escape
// invisible characters.

import { speaks, tongueOf } from "../../../crates/aside/web/labels.js";
import type { Offer } from "./wire";

/** A longer dialog is not read, and may not fit the screen: the rest has to be viewed in an editor first. */
const MAX_LINES = 24;
const MAX_LETTERS = 1_600;
/** Cap on each reason, rule and the like. */
const MAX_FACT = 400;

export interface Question {
  title: string;
  detail: string;
  /** The button that approves. */
  does: string;
  /** The button that shows all of it in an editor. */
  view: string;
  /** Everything is in the dialog. */
  isWhole: boolean;
}

export function isCommand(offer: Offer): boolean {
  return offer.action === "run_command";
}

/** `request`: the text of the request. */
export function question(offer: Offer, request = "", unsaved: string[] = []): Question {
  const say = speaks(tongueOf(request));
  const of = (label: string) => offer.rows.filter((row) => row.label === label).map((row) => row.text);
  const files = of("file");
  const what = bounded(isCommand(offer) ? of("command").flatMap(marked) : files.flatMap((file) => file.split("\n")), say);
  const facts = offer.rows.filter((row) => !["command", "file", "danger"].includes(row.label)).map((row) => fact(say(row.label), row.text));
  const dangers = of("danger").map((danger) => `⚠ ${danger}`);
  const dirty = unsaved.map((file) => `⚠ ${say("{} has changes that are not saved; the file on the disk is changed", file)}`);
  const number = say(files.length === 1 ? "{} file" : "{} files", files.length);
  return {
    title: isCommand(offer) ? say("Run this command?") : say("Apply this change to {}?", number),
    detail: [...what.lines, "", ...dangers, ...dirty, ...facts.map(({ line }) => line)].join("\n"),
    does: isCommand(offer) ? say("Run") : say("Apply {}", number),
    view: say(isCommand(offer) ? "Show All" : "View Diff"),
    isWhole: what.isWhole && facts.every(({ isWhole }) => isWhole),
  };
}

/** Marks each line of a command, so that none can pass for a line of ours. */
function marked(command: string): string[] {
  return command.split("\n").map((line, index) => `${index ? ">" : "$"} ${line}`);
}

function fact(label: string, text: string): { line: string; isWhole: boolean } {
  const isWhole = text.length <= MAX_FACT;
  const line = `${label}: ${isWhole ? text : `${text.slice(0, MAX_FACT)}…`}`;
  return { line: line.replaceAll("\n", "\n    "), isWhole };
}

function bounded(lines: string[], say: ReturnType<typeof speaks>): { lines: string[]; isWhole: boolean } {
  let letters = 0;
  const shown = lines.slice(0, MAX_LINES).filter((line) => (letters += line.length) <= MAX_LETTERS);
  const left = lines.length - shown.length;
  if (!left) return { lines, isWhole: true };
  return { lines: [...shown, say(left === 1 ? "… and {} more line, to be looked at first" : "… and {} more lines, to be looked at first", left)], isWhole: false };
}

/** All of it as one text, for an editor. */
export function whole(offer: Offer): string {
  const rows = offer.rows.map((row) => (row.label === "command" ? row.text : `# ${row.label}: ${row.text.replaceAll("\n", "\n#   ")}`));
  return `${rows.join("\n")}\n`;
}
