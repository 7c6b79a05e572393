// The last command of a terminal, and the text of a request about it.

/** Cap on the output, from its end. */
export const MAX_OUTPUT = 6_000;

export interface LastCommand {
  command: string;
  exit: number | undefined;
  output: string;
  cwd: string;
  /** The shell's session at the daemon, which then knows all of this itself. */
  session: string;
}

/** Removes escape sequences, including the marks of shell integration. */
export function withoutEscapes(text: string): string {
  return text.replace(/\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\[[0-9;?<=>]*[@-~]|[PX^_][^\u001b]*\u001b\\|[()#][A-Za-z0-9]|[=>A-Za-z0-9])|[\u0000-\u0008\u000b-\u001f\u007f]/g, "");
}

export function lastCommandText(kind: "explain" | "fix", last: LastCommand): string {
  const hasFailed = last.exit !== undefined && last.exit !== 0;
  if (last.session && hasFailed) return kind === "explain" ? "why did the last command fail?" : "fix the last command";
  if (!hasFailed && kind === "explain" && !/[`\n]/.test(last.command)) return `explain \`${last.command}\``;
  const asked = hasFailed ? `why did this fail${kind === "fix" ? ", and how do I fix it" : ""}?` : kind === "fix" ? "this did not do what I want, how do I fix it?" : "explain this:";
  // As in a terminal; the daemon recognizes this form as pasted from one.
  const output = last.output.trim() || (hasFailed ? `exit status ${last.exit}` : "");
  return `${asked}\n\n$ ${last.command}\n${output}`.trimEnd();
}
