// The last command of a terminal, and the words of a request about it.

/** Of what a command printed, its end. */
export const MAX_OUTPUT = 6_000;

export interface LastCommand {
  command: string;
  exit: number | undefined;
  output: string;
  cwd: string;
  /** The shell's name at the daemon, which then knows all of this itself. */
  session: string;
}

/** Sequences of a terminal, the marks of shell integration among them, without what they paint. */
export function withoutEscapes(text: string): string {
  return text.replace(/\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\[[0-9;?<=>]*[@-~]|[PX^_][^\u001b]*\u001b\\|[()#][A-Za-z0-9]|[=>A-Za-z0-9])|[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}

export function lastCommandText(kind: "explain" | "fix", last: LastCommand): string {
  const hasFailed = last.exit !== undefined && last.exit !== 0;
  if (last.session && hasFailed) return kind === "explain" ? "why did the last command fail?" : "fix the last command";
  if (!hasFailed && kind === "explain" && !/[`\n]/.test(last.command)) return `explain \`${last.command}\``;
  const asked = hasFailed ? `why did this fail${kind === "fix" ? ", and how do I fix it" : ""}?` : kind === "fix" ? "this did not do what I want, how do I fix it?" : "explain this:";
  // As it stands in a terminal, which the daemon reads as what was pasted from one.
  const output = last.output.trim() || (hasFailed ? `exit status ${last.exit}` : "");
  return `${asked}\n\n$ ${last.command}\n${output}`.trimEnd();
}
