// The connection to the daemon: JSON lines over its socket, opened by this process itself, so that the daemon sees who asks. `aside` says
// where the socket is, starts the daemon when there is none, and refuses a listener that is not the user's daemon. Reconnects with backoff;
// caches nothing.

import { execFile } from "node:child_process";
import { lstat } from "node:fs/promises";
import { type Socket, createConnection } from "node:net";
import { homedir } from "node:os";
import { promisify } from "node:util";
import type { Answer, TaskEvent, TaskMessage, Told } from "./wire";

/** Cap on a line that the daemon accepts. */
const MAX_SENT = 1_000_000;
/** Cap on a line from the daemon: the longest proposal, fully escaped. */
const MAX_LINE = 48 * 1024 * 1024;
/** Timeout for an acknowledgement, in milliseconds. Slow work reports by events. */
const TIMEOUT = 15_000;
/** Timeout for `aside` to start the daemon. */
const START_TIMEOUT = 20_000;
const FIRST_RETRY = 500;
const LAST_RETRY = 30_000;

const NOT_FOUND = "aside is not installed, or not found";

const run = promisify(execFile);

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
  /** The program, or undefined when there is none. */
  executable(): string | undefined;
  environment(): NodeJS.ProcessEnv;
  /** Called when the state of the connection changes. */
  linked(link: Link, why: string): void;
}

/** From the decision to connect until the connection has ended. */
interface Attempt {
  socket?: Socket;
  /** Requests from before there was a connection. */
  outbox: string[];
}

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export class Daemon {
  link: Link = "off";
  version = "";
  private attempt: Attempt | undefined;
  private part: Buffer[] = [];
  private partLength = 0;
  private number = 0;
  private pending = new Map<number, Pending>();
  private streams = new Map<number, (answer: Answer) => void>();
  private retry = FIRST_RETRY;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly hooks: Hooks) {}

  /** Connects, unless it is connected; at once, even while a retry is scheduled. */
  connect(): void {
    clearTimeout(this.timer);
    if (this.attempt) return;
    const program = this.hooks.executable();
    if (!program) {
      this.tell("missing", NOT_FOUND);
      return;
    }
    const attempt: Attempt = { outbox: [] };
    this.attempt = attempt;
    this.tell("connecting", "");
    this.open(attempt, program).catch((error: unknown) => this.lost(attempt, complaint(error)));
    void this.greet(attempt);
  }

  /** Ends the connection, for good or until `connect`. */
  close(): void {
    clearTimeout(this.timer);
    this.drop("closed");
    this.tell("off", "");
  }

  async task(message: TaskMessage): Promise<Told> {
    return await this.ask("task", { ...message });
  }

  async ask(type: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    const number = this.next();
    return await this.answered(number, type, fields);
  }

  /** The events of a task after `from`, and then each as it comes, until `stop`. */
  async watch(taskId: string, from: number, hear: (event: TaskEvent) => void): Promise<void> {
    const number = this.next();
    this.streams.set(number, (answer) => {
      if (answer.event) hear(answer.event);
    });
    await this.stream(number, { op: "watch", taskId, from });
  }

  /** All tasks, and again whenever one changes. */
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
      const { attempt } = this;
      if (!attempt) {
        reject(new DaemonError(this.link === "missing" ? NOT_FOUND : "the daemon is not connected", "away"));
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
      if (attempt.socket) attempt.socket.write(line);
      else attempt.outbox.push(line);
    });
  }

  private async open(attempt: Attempt, program: string): Promise<void> {
    // Not in the workspace: its files must not influence how the client starts.
    const options = { cwd: homedir(), env: this.hooks.environment(), timeout: START_TIMEOUT };
    await run(program, ["daemon", "start"], options);
    const { stdout } = await run(program, ["daemon", "status", "--json"], options);
    const { socket: path } = JSON.parse(stdout) as { socket: string };
    if ((await lstat(path)).uid !== process.getuid?.()) throw new Error("another user listens on the socket");
    if (this.attempt !== attempt) return;
    const socket = createConnection(path);
    attempt.socket = socket;
    socket.on("data", (chunk: Buffer) => this.read(attempt, chunk));
    socket.on("error", (error) => this.lost(attempt, error.message));
    socket.on("close", () => this.lost(attempt, ""));
    for (const line of attempt.outbox.splice(0)) socket.write(line);
  }

  /** Also lets the daemon check whether its program was replaced by a newer one. */
  private async greet(attempt: Attempt): Promise<void> {
    try {
      const hello = await this.ask("hello", { protocol: 1, shell: "vscode" });
      if (this.attempt !== attempt) return;
      this.version = String((hello as unknown as { version?: unknown }).version ?? "");
      this.retry = FIRST_RETRY;
      this.tell("on", "");
    } catch (error) {
      this.lost(attempt, complaint(error));
    }
  }

  private read(attempt: Attempt, chunk: Buffer): void {
    if (this.attempt !== attempt) return;
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
    if (this.partLength > MAX_LINE) this.lost(attempt, "a message of the daemon is too long");
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

  private lost(attempt: Attempt, why: string): void {
    if (this.attempt !== attempt) return;
    const reason = why || "the daemon has ended";
    this.drop(reason);
    this.timer = setTimeout(() => this.connect(), this.retry);
    this.timer.unref();
    this.retry = Math.min(this.retry * 2, LAST_RETRY);
    this.tell("failed", reason);
  }

  private drop(reason: string): void {
    this.attempt?.socket?.destroy();
    this.attempt = undefined;
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

/** The last line that `aside` printed, or the error. */
function complaint(error: unknown): string {
  const { stderr = "", message = "" } = error as { stderr?: string; message?: string };
  return stderr.trim().split("\n").at(-1) || message;
}
