// The connection to the daemon: JSON lines over `aside pipe`, which finds the socket, checks who listens, and starts the daemon when there
// is none. Reconnects with backoff; keeps nothing of what it is told.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { homedir } from "node:os";
import type { Answer, TaskEvent, TaskMessage, Told } from "./wire";

/** One line that the daemon takes. */
const MAX_SENT = 1_000_000;
/** One line of the daemon: the longest proposal, with everything in it escaped. */
const MAX_LINE = 48 * 1024 * 1024;
/** To be told that something was taken. What takes time comes as events. */
const TIMEOUT = 15_000;
const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;
/** Of what `aside pipe` says when it fails. */
const MAX_COMPLAINT = 2_000;

export type Link = "off" | "connecting" | "on" | "missing" | "failed";

export class DaemonError extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

export interface Hooks {
  /** The program, or nothing when there is none. */
  executable(): string | undefined;
  environment(): NodeJS.ProcessEnv;
  /** The state of the connection has changed. */
  linked(link: Link, why: string): void;
}

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export class Daemon {
  link: Link = "off";
  version = "";
  private child: ChildProcessWithoutNullStreams | undefined;
  private part: Buffer[] = [];
  private partLength = 0;
  private complaint = "";
  private number = 0;
  private pending = new Map<number, Pending>();
  private streams = new Map<number, (answer: Answer) => void>();
  private retry = FIRST_RETRY;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly hooks: Hooks) {}

  /** Connects, unless it is connected; at once also while a retry is due later. */
  connect(): void {
    clearTimeout(this.timer);
    if (this.child) return;
    const program = this.hooks.executable();
    if (!program) {
      this.tell("missing", "aside is not installed, or not found");
      return;
    }
    this.tell("connecting", "");
    this.complaint = "";
    // Not in the workspace: nothing there has a say in how the client starts.
    const child = spawn(program, ["pipe"], { cwd: homedir(), env: this.hooks.environment(), stdio: "pipe" });
    this.child = child;
    child.stdout.on("data", (chunk: Buffer) => this.read(child, chunk));
    child.stderr.on("data", (chunk: Buffer) => {
      if (this.complaint.length < MAX_COMPLAINT) this.complaint += chunk.toString("utf8");
    });
    child.stdin.on("error", () => this.lost(child, ""));
    child.on("error", (error) => this.lost(child, error.message));
    child.on("close", () => this.lost(child, ""));
    void this.greet(child);
  }

  /** Ends the connection, for good or until `connect`. */
  close(): void {
    clearTimeout(this.timer);
    const { child } = this;
    this.drop("closed");
    child?.stdin.end();
    child?.kill();
    this.tell("off", "");
  }

  async task(message: TaskMessage): Promise<Told> {
    return await this.ask("task", { ...message });
  }

  async ask(type: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    const number = this.next();
    return await this.answered(number, type, fields);
  }

  /** The events of a task behind `from`, and then each as it comes, until `stop`. */
  async watch(taskId: string, from: number, hear: (event: TaskEvent) => void): Promise<void> {
    const number = this.next();
    this.streams.set(number, (answer) => {
      if (answer.event) hear(answer.event);
    });
    await this.stream(number, { op: "watch", taskId, from });
  }

  /** All tasks, and again whenever one has moved. */
  async follow(hear: (told: Told) => void): Promise<void> {
    const number = this.next();
    this.streams.set(number, (answer) => {
      if (answer.type === "task") hear(answer);
    });
    hear(await this.stream(number, { op: "follow", limit: 200 }));
  }

  private async stream(number: number, message: TaskMessage): Promise<Answer> {
    try {
      return await this.answered(number, "task", { ...message });
    } catch (error) {
      this.streams.delete(number);
      throw error;
    }
  }

  private next(): number {
    this.number += 1;
    return this.number;
  }

  private answered(number: number, type: string, fields: Record<string, unknown>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { child } = this;
      if (!child) {
        reject(new DaemonError("the daemon is not connected", "away"));
        return;
      }
      const line = `${JSON.stringify({ request_id: number, type, ...fields })}\n`;
      if (Buffer.byteLength(line) > MAX_SENT) {
        reject(new DaemonError("that is too long to be sent", "bad_request"));
        return;
      }
      const timer = setTimeout(() => {
        this.pending.delete(number);
        reject(new DaemonError("the daemon does not answer", "away"));
      }, TIMEOUT);
      this.pending.set(number, { resolve, reject, timer });
      child.stdin.write(line);
    });
  }

  /** Also lets the daemon see whether its program was replaced by a newer one. */
  private async greet(child: ChildProcessWithoutNullStreams): Promise<void> {
    try {
      const hello = await this.ask("hello", { protocol: 1, shell: "vscode" });
      if (this.child !== child) return;
      this.version = String((hello as unknown as { version?: unknown }).version ?? "");
      this.retry = FIRST_RETRY;
      this.tell("on", "");
    } catch (error) {
      if (this.child !== child) return;
      child.kill();
      this.lost(child, error instanceof Error ? error.message : "");
    }
  }

  private read(child: ChildProcessWithoutNullStreams, chunk: Buffer): void {
    if (this.child !== child) return;
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.part, rest.subarray(0, end)]).toString("utf8");
      this.part = [];
      this.partLength = 0;
      rest = rest.subarray(end + 1);
      this.hear(line);
    }
    this.part.push(rest);
    this.partLength += rest.length;
    if (this.partLength > MAX_LINE) this.lost(child, "a message of the daemon is too long");
  }

  private hear(line: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(line) as Answer;
    } catch {
      return;
    }
    const waiting = this.pending.get(answer.request_id);
    if (waiting && answer.type !== "task_event") {
      this.pending.delete(answer.request_id);
      clearTimeout(waiting.timer);
      if (answer.error) waiting.reject(new DaemonError(answer.error.message, answer.error.code));
      else waiting.resolve(answer);
      return;
    }
    this.streams.get(answer.request_id)?.(answer);
  }

  private lost(child: ChildProcessWithoutNullStreams, why: string): void {
    if (this.child !== child) return;
    const reason = why || this.complaint.trim().split("\n").at(-1) || "the daemon has ended";
    this.drop(reason);
    child.kill();
    this.timer = setTimeout(() => this.connect(), this.retry);
    this.timer.unref();
    this.retry = Math.min(this.retry * 2, LAST_RETRY);
    this.tell("failed", reason);
  }

  private drop(reason: string): void {
    this.child = undefined;
    this.part = [];
    this.partLength = 0;
    this.streams.clear();
    const { pending } = this;
    this.pending = new Map();
    for (const { reject, timer } of pending.values()) {
      clearTimeout(timer);
      reject(new DaemonError(reason, "away"));
    }
  }

  private tell(link: Link, why: string): void {
    if (this.link === link && link !== "failed") return;
    this.link = link;
    this.hooks.linked(link, why);
  }
}
