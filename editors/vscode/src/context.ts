// The editor context of a request, within the daemon's budgets, and its description for the user. Reads no editor itself.

import { denied } from "./deny";
import type { Context } from "./wire";

/** The same as in the daemon's `task::run::context`, which cuts once more. */
export const MAX_SELECTION_BYTES = 8_000;
export const MAX_DIAGNOSTICS_BYTES = 4_000;
export const MAX_OPEN = 20;

export type Part = "file" | "selection" | "open" | "diagnostics";
export const PARTS: Part[] = ["file", "selection", "open", "diagnostics"];

export interface Problem {
  /** From 1. */
  line: number;
  severity: string;
  source: string;
  message: string;
}

/** What the user sees in the editor. Paths are relative to the directory of the request. */
export interface Seen {
  /** Empty for a document without a file. */
  file: string;
  /** The file's path with links resolved. */
  behind: string;
  line: number;
  isDirty: boolean;
  selection: string;
  problems: Problem[];
  open: string[];
}

export interface Item {
  part: Part;
  label: string;
  title: string;
}

export interface Collected {
  context: Context;
  items: Item[];
  /** What was left out, and why. */
  notes: string[];
}

export function collect(seen: Seen, wanted: readonly Part[]): Collected {
  const wants = (part: Part) => wanted.includes(part);
  const context: Context = {};
  const items: Item[] = [];
  const notes: string[] = [];
  const what = seen.file && (denied(seen.file) ?? denied(seen.behind));
  if (what) notes.push(`${seen.file} is left out: ${what}`);
  if (seen.file && !what && wants("file")) {
    context.active = seen.file;
    context.activeLine = seen.line;
    const saved = seen.isDirty ? ", as it was saved" : "";
    items.push({ part: "file", label: `${baseName(seen.file)}:${seen.line}`, title: `${seen.file}${saved}: at most 12 000 bytes around line ${seen.line}` });
  }
  if (!what && seen.selection.trim() && wants("selection")) {
    context.selection = cut(seen.selection, MAX_SELECTION_BYTES);
    const lines = context.selection.trimEnd().split("\n").length;
    const isCut = context.selection.length < seen.selection.length;
    items.push({ part: "selection", label: `${count(lines, "line")} selected${isCut ? ", cut" : ""}`, title: context.selection.slice(0, 600) });
  }
  if (!what && seen.problems.length && wants("diagnostics")) {
    context.diagnostics = cut(seen.problems.map((problem) => problemLine(seen.file, problem)).join("\n"), MAX_DIAGNOSTICS_BYTES);
    items.push({ part: "diagnostics", label: count(seen.problems.length, "problem"), title: context.diagnostics.slice(0, 600) });
  }
  const open = seen.open.filter((file) => file !== seen.file && !denied(file)).slice(0, MAX_OPEN);
  if (open.length && wants("open")) {
    context.open = open;
    items.push({ part: "open", label: `${count(open.length, "open file")}`, title: open.join("\n") });
  }
  return { context, items, notes };
}

/** What all of the lists contain: a workspace's settings, which come from others, can only remove parts. */
export function wanted(lists: readonly unknown[]): Part[] {
  const named = lists.filter((list) => list !== undefined);
  return PARTS.filter((part) => named.every((list) => Array.isArray(list) && list.includes(part)));
}

export function problemLine(file: string, { line, severity, source, message }: Problem): string {
  return `${file}:${line}: ${severity}${source ? ` (${source})` : ""}: ${message.replace(/\s+/g, " ")}`;
}

/** The beginning, in whole lines; cuts within a single long line. */
export function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const head = new TextDecoder().decode(Buffer.from(text).subarray(0, bytes)).replace(/\ufffd+$/, "");
  const end = head.lastIndexOf("\n");
  return end > 0 ? head.slice(0, end) : head;
}

export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
