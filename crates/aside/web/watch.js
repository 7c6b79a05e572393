// Which task's events are read now. A browser has six connections for one host over all tabs, so this uses one: first the task that is
// behind, then the newest running one, if there is room for a lasting stream. The list of all tasks tells which have changed.

import { pause } from "./wire.js";

/** A task that is read live keeps its turn for at least so long while another waits. */
const TURN = 600;
const ENDS = new Set(["COMPLETED", "FAILED", "REJECTED"]);

/** Whether a task was requested in a chat. */
export function isFromAfar(source) {
  return Boolean(source) && source !== "local_ui";
}

export function hasEnded(state) {
  return ENDS.has(state);
}

export class Watcher {
  /** Calls `tell(task, event)` for each event, in order; `trouble(task, error)` when a task cannot be read. */
  constructor(wire, tell, trouble) {
    this.wire = wire;
    this.tell = tell;
    this.trouble = trouble;
    this.wanted = new Map();
    this.resting = false;
    this.isLive = true;
    this.current = undefined;
    this.wake = undefined;
    this.run();
  }

  /** The tasks on the screen: `{ id, from, seq, at, state }`, where `from` is the last event that is known and `seq` the last that exists.
   * */
  want(tasks) {
    const before = this.wanted;
    this.wanted = new Map();
    for (const task of tasks) {
      const known = before.get(task.id);
      const from = Math.max(known?.from ?? 0, task.from);
      const refused = known?.refused === task.seq ? task.seq : undefined;
      this.wanted.set(task.id, { ...task, from, refused });
    }
    this.look();
  }

  forget() {
    this.wanted = new Map();
    this.current?.stop.abort();
  }

  /** Pauses while the tab is hidden, or others need the connection. */
  rest(resting) {
    this.resting = resting;
    if (resting) this.current?.stop.abort();
    else this.look();
  }

  /** Whether a stream may stay open for future events. If not, reads the existing ones and closes the connection. */
  live(isLive) {
    this.isLive = isLive;
    this.look();
  }

  /** Another task may be more urgent than the one that is read now. */
  look() {
    this.wake?.();
    const { current } = this;
    if (!current) return;
    const task = this.wanted.get(current.id);
    if (!task) return current.stop.abort();
    if (task.from < task.seq) return;
    if (hasEnded(task.state) || !this.isLive) return current.stop.abort();
    const other = this.next();
    if (!other || other.id === current.id || other.from >= other.seq) return;
    const left = TURN - (performance.now() - current.since);
    if (left <= 0) current.stop.abort();
    else setTimeout(() => { if (this.current === current) this.look(); }, left);
  }

  next() {
    const open = [...this.wanted.values()].filter((task) => task.refused !== task.seq);
    const newest = (one, other) => other.at - one.at;
    const behind = open.filter((task) => task.from < task.seq).sort(newest);
    const living = open.filter((task) => this.isLive && !hasEnded(task.state)).sort(newest);
    return behind.find((task) => task.id !== this.last) ?? behind[0] ?? living[0];
  }

  async run() {
    let wait = 250;
    for (;;) {
      const task = this.resting ? undefined : this.next();
      if (!task) {
        await new Promise((wake) => { this.wake = wake; });
        this.wake = undefined;
        continue;
      }
      const stop = new AbortController();
      this.current = { id: task.id, stop, since: performance.now() };
      try {
        const path = `/api/watch?task=${encodeURIComponent(task.id)}&from=${task.from}`;
        await this.wire.stream(path, stop.signal, (kind, number, value) => {
          wait = 250;
          if (kind === "message" && !stop.signal.aborted) this.hear(task.id, number || value.seq, value);
        });
      } catch (error) {
        if (!stop.signal.aborted) {
          if (error.isAway) {
            await pause(wait);
            wait = Math.min(wait * 2, 8000);
          } else {
            const refused = this.wanted.get(task.id);
            if (refused) refused.refused = refused.seq;
            this.trouble(task.id, error);
          }
        }
      }
      this.last = task.id;
      this.current = undefined;
    }
  }

  hear(id, number, event) {
    const task = this.wanted.get(id);
    // After a broken connection, events are sent again.
    if (!task || number <= task.from) return;
    task.from = number;
    task.seq = Math.max(task.seq, number);
    if (event.type === "task_state") task.state = event.state;
    this.tell(id, event);
    if (task.from >= task.seq) this.look();
  }
}
