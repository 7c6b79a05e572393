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
  if (!hasFailed && kind === "explain") return `explain the command: ${last.command}`;
  const ended = hasFailed ? `failed with exit status ${last.exit}` : "did not do what I want";
  const output = last.output.trim();
  return `${kind === "explain" ? "why did this fail" : "fix this error"}: the command \`${last.command}\` ${ended}${output ? ` and printed:\n\n${output}` : ""}`;
}
