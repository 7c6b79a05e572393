// The page's client of the daemon: requests, and streams that are read with fetch, since an EventSource cannot carry the header with this
// page's proof.

/** A stream sends a keep-alive every 15 seconds; after this timeout it is dead, whatever the socket says. */
const SILENCE = 40_000;
/** A browser has six connections for one host over all tabs. A request that takes longer than this may be waiting for one of them. */
const CROWDED = 2_500;
/** Cap on one message of a stream: more than the longest event. */
const LONGEST = 48 * 1024 * 1024;

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
  /** The session has ended; only a new link helps. */
  get isOver() {
    return this.status === 401;
  }
  /** No server replied, as opposed to a refusal. */
  get isAway() {
    return this.status === 0 || this.status === 502 || this.status === 503;
  }
}

export class Wire {
  /** `onCrowded` is called when a request may be waiting for a connection that our own streams hold, `onAway` when no server took it. */
  constructor(secret, onCrowded, onAway = () => {}) {
    this.secret = secret;
    this.onCrowded = onCrowded;
    this.onAway = onAway;
    /** Blocks all requests: another program may have the port now. */
    this.isClosed = false;
  }

  /** One request about tasks: `{ op: "ask", text }`. */
  task(message) {
    return this.post("/api/task", message);
  }

  async post(path, message) {
    const crowded = setTimeout(this.onCrowded, CROWDED);
    const body = JSON.stringify(message);
    const send = (headers) =>
      this.fetch(path, { method: "POST", headers: { "Content-Type": "application/json", ...headers }, body, priority: "high" });
    try {
      let response = await send({});
      // What only the user may do is sent twice, so that a request that a program has left in a connection does not count.
      if (response.status === 428) response = await send({ "X-Aside-Again": (await response.json()).again });
      return await answer(response);
    } finally {
      clearTimeout(crowded);
    }
  }

  async here() {
    return answer(await this.fetch("/api/here", {}));
  }

  async parcel(number) {
    return answer(await this.fetch(`/api/parcel?number=${number}`, {}));
  }

  /** Reads a stream to its end. `tell` gets the kind of each message, its number and its content. */
  async stream(path, signal, tell) {
    const own = new AbortController();
    const stop = () => own.abort();
    signal.addEventListener("abort", stop);
    let silence = setTimeout(stop, SILENCE);
    try {
      const response = await this.fetch(path, { headers: { Accept: "text/event-stream" }, signal: own.signal });
      if (!response.ok) await answer(response);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let left = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(silence);
        silence = setTimeout(stop, SILENCE);
        left += value;
        if (left.length > LONGEST) throw new Refused(0, "garbled", "a message of the daemon does not end");
        const whole = left.lastIndexOf("\n\n");
        if (whole < 0) continue;
        const messages = left.slice(0, whole).split("\n\n");
        left = left.slice(whole + 2);
        for (const message of messages) hear(message, tell);
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      throw new Refused(0, "away", "the daemon does not answer");
    } finally {
      clearTimeout(silence);
      signal.removeEventListener("abort", stop);
      own.abort();
    }
  }

  async fetch(path, options) {
    if (this.isClosed) throw new Refused(0, "away", "the daemon does not answer");
    try {
      return await fetch(path, {
        ...options,
        headers: { ...options.headers, "X-Aside": this.secret },
        cache: "no-store",
        redirect: "error",
        referrerPolicy: "no-referrer",
      });
    } catch {
      if (!options.signal?.aborted) this.onAway();
      throw new Refused(0, "away", "the daemon does not answer");
    }
  }
}

async function answer(response) {
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Refused(response.status, "garbled", `the daemon answered with status ${response.status}`);
  }
  if (response.ok && body.type !== "error") return body;
  const { code = "", message = `status ${response.status}` } = body.error ?? {};
  throw new Refused(response.status, code, message);
}

function hear(message, tell) {
  let kind = "message";
  let number = 0;
  const data = [];
  for (const line of message.split("\n")) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line.startsWith("id:")) number = Number(line.slice(3)) || 0;
    else if (line.startsWith("event:")) kind = line.slice(6).trim();
  }
  if (!data.length) return;
  let value;
  try {
    value = JSON.parse(data.join("\n"));
  } catch {
    throw new Refused(0, "garbled", "what the daemon says cannot be read");
  }
  if (kind === "error") throw new Refused(400, value.error?.code ?? "", value.error?.message ?? "the stream has ended");
  tell(kind, number, value);
}

/** Windows that may hold streams at once, two each. The rest of the six connections is for requests, and for loading windows. */
const SEATS = ["seat 1", "seat 2"];

/** Acquires the right to hold streams: a function that releases it, or undefined when other windows have all. A window that closes releases
 * it too. */
export async function seat() {
  if (!navigator.locks) return () => {};
  for (const name of SEATS) {
    let leave;
    const sitting = new Promise((done) => { leave = done; });
    const isMine = await new Promise((told) => {
      navigator.locks.request(name, { ifAvailable: true }, (lock) => {
        told(lock !== null);
        return lock ? sitting : undefined;
      });
    });
    if (isMine) return leave;
  }
  return undefined;
}

/** Waits, until the signal at most. */
export function pause(milliseconds, signal) {
  return new Promise((done) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", () => { clearTimeout(timer); done(); }, { once: true });
  });
}
