// The last command of a terminal. The daemon knows it where its plugin runs in that shell; elsewhere the editor's shell integration does.

import * as vscode from "vscode";
import type { Daemon } from "./daemon";
import { type LastCommand, MAX_OUTPUT, withoutEscapes } from "./last";

/** Timeout for the rest of a command's output; of one that still runs, takes what there is. */
const LATE = 500;

interface Watched {
  isRead: Promise<void>;
  command: string;
  exit: number | undefined;
  output: string;
  cwd: string;
}

export class Terminals implements vscode.Disposable {
  private readonly last = new WeakMap<vscode.Terminal, Watched>();
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly daemon: Daemon) {
    this.listeners = [
      vscode.window.onDidStartTerminalShellExecution((event) => this.read(event)),
      vscode.window.onDidEndTerminalShellExecution(({ terminal, exitCode }) => {
        const watched = this.last.get(terminal);
        if (watched) watched.exit = exitCode;
      }),
    ];
  }

  async lastCommand(): Promise<LastCommand | undefined> {
    const terminal = vscode.window.activeTerminal;
    if (!terminal) return undefined;
    const known = await this.recalled(terminal);
    if (known) return known;
    const watched = this.last.get(terminal);
    if (!watched) return undefined;
    // Its output may arrive after its end.
    await Promise.race([watched.isRead, new Promise((done) => setTimeout(done, LATE))]);
    const { command, exit, output, cwd } = watched;
    return { command, exit, output, cwd, session: "" };
  }

  dispose(): void {
    for (const listener of this.listeners) listener.dispose();
  }

  private async recalled(terminal: vscode.Terminal): Promise<LastCommand | undefined> {
    const pid = await terminal.processId;
    if (!pid) return undefined;
    try {
      const status = (await this.daemon.ask("status")) as unknown as { sessions?: { session_id: string; pid: number }[] };
      const session = status.sessions?.find((one) => one.pid === pid)?.session_id;
      if (!session) return undefined;
      const recall = (await this.daemon.ask("recall", { session_id: session, limit: 1 })) as unknown as Recall;
      const ran = recall.commands?.[0];
      if (!ran) return undefined;
      return { command: ran.command, exit: ran.exit_status, output: ran.output ?? "", cwd: ran.cwd ?? "", session };
    } catch {
      return undefined;
    }
  }

  /** Keeps the end of the output of the newest command of each terminal, in memory. */
  private read({ terminal, execution }: vscode.TerminalShellExecutionStartEvent): void {
    const watched: Watched = { command: execution.commandLine.value, exit: undefined, output: "", cwd: execution.cwd?.fsPath ?? "", isRead: Promise.resolve() };
    const reads = async () => {
      for await (const data of execution.read()) watched.output = (watched.output + withoutEscapes(data)).slice(-MAX_OUTPUT);
    };
    watched.isRead = reads();
    this.last.set(terminal, watched);
  }
}

interface Recall {
  commands?: { command: string; exit_status: number; cwd?: string; output?: string }[];
}
