// Messages to and from the extension, which alone talks to the daemon.

export interface Brief {
  taskId: string;
  threadId: string;
  state: string;
  seq: number;
  since: number;
  at: number;
  text: string;
  source: string;
  workspace: string;
}

export interface TaskMessage {
  op: string;
  taskId?: string;
  [field: string]: unknown;
}

export interface Told {
  tasks: Brief[];
  offer?: unknown;
  lines?: string[];
}

/** Which model answers in the folder, and what can be asked there. */
export interface Welcome {
  model: string;
  examples: string[];
}

export interface Item {
  part: string;
  label: string;
  title: string;
}

export type Heard =
  | { kind: "link"; link: string; why: string; version: string; by: string; isTrusted: boolean }
  | { kind: "tasks"; tasks: Brief[] }
  | { kind: "event"; event: { taskId: string; seq: number } }
  | { kind: "unread"; id: string; error: string }
  | { kind: "again" }
  | { kind: "context"; items: Item[]; notes: string[]; name: string; cwd: string; folders: { cwd: string; name: string }[]; isPrivate: boolean }
  | { kind: "welcome"; welcome: Welcome }
  | { kind: "focus"; threadId?: string; draft?: string; fresh?: boolean }
  | { kind: "answer"; id: number; told?: Told; error?: string; isCancelled?: boolean };

/** What survives while the view is hidden. */
export interface Kept {
  threadId?: string;
  draft?: string;
}

declare function acquireVsCodeApi(): {
  postMessage(message: unknown): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
};

const api = acquireVsCodeApi();

export class Cancelled extends Error {}

export class Host {
  private number = 0;
  private readonly pending = new Map<number, { resolve(told: Told): void; reject(error: Error): void }>();

  constructor(hear: (heard: Heard) => void) {
    // Any frame of the window could send messages; those of the extension carry the key that it wrote into the page.
    const { key } = document.body.dataset;
    window.addEventListener("message", ({ data }: MessageEvent<Heard & { key?: string }>) => {
      if (data.key !== key) return;
      if (data.kind === "answer") this.answered(data);
      else hear(data);
    });
  }

  get kept(): Kept {
    return api.getState() ?? {};
  }

  keep(more: Kept): void {
    api.setState({ ...this.kept, ...more });
  }

  tell(message: Record<string, unknown>): void {
    api.postMessage(message);
  }

  /** Rejects with `Cancelled` where the user closed a dialog. */
  call(message: Record<string, unknown>): Promise<Told> {
    this.number += 1;
    const id = this.number;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      api.postMessage({ ...message, id });
    });
  }

  private answered({ id, told, error, isCancelled }: Extract<Heard, { kind: "answer" }>): void {
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    if (isCancelled) waiting?.reject(new Cancelled("not approved; it still waits"));
    else if (told) waiting?.resolve(told);
    else waiting?.reject(new Error(error ?? "it failed"));
  }
}
