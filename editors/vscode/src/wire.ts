// The daemon's messages about tasks: docs/protocol.md of the repository.

export interface Brief {
  taskId: string;
  threadId: string;
  state: string;
  attempt: number;
  seq: number;
  since: number;
  at: number;
  text: string;
  source: string;
  fromUser: string;
  workspace: string;
  kind: string;
  summary: string;
  action: string;
  undo: boolean;
}

export interface Row {
  label: string;
  text: string;
}

export interface Offer {
  taskId: string;
  step: number;
  digest: string;
  action: string;
  rows: Row[];
  text: string;
  confine: string;
}

export interface Told {
  tasks: Brief[];
  welcome?: { model: string; editor: string; examples: string[] };
  offer?: Offer;
  lines?: string[];
}

export interface TaskEvent {
  type: string;
  taskId: string;
  seq: number;
  state?: string;
}

/** The context of a request. Paths are relative to its directory. */
export interface Context {
  active?: string;
  activeLine?: number;
  open?: string[];
  selection?: string;
  diagnostics?: string;
}

/** One message about tasks; `op` says which fields count. */
export interface TaskMessage extends Context {
  op: string;
  taskId?: string;
  threadId?: string;
  text?: string;
  by?: string;
  step?: number;
  digest?: string;
  confine?: string;
  from?: number;
  limit?: number;
  cwd?: string;
  session_id?: string;
  private?: boolean;
  /** The workspace is not trusted: nothing of it runs without approval. */
  untrusted?: boolean;
  environment?: string[];
}

export interface Answer extends Told {
  request_id: number;
  type: string;
  error?: { code: string; message: string };
  event?: TaskEvent;
}
