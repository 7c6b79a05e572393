// How an open tab finds the next daemon. The port may have been somebody else's in between, so nothing secret is sent before whoever answers
// has shown that it is ours, and then only a signature that is good for this one answer. The key of it is in the memory of this tab and
// nowhere else: a page that somebody else served here in the meantime could not have read it. What goes on is a fresh page under a fresh name.

import { Refused } from "./wire.js";

/** How often a tab says that it is still open, so that it is not forgotten. */
const HEARD = 3600_000;
const CURVE = { name: "ECDSA", namedCurve: "P-256" };

export class Resume {
  #key;
  #public;
  #ticket;

  /** `wire` is the session that there is now. */
  constructor(wire) {
    this.wire = wire;
    setInterval(() => this.keep(), HEARD);
  }

  /** Makes this tab known to the daemon of now, for the one that comes after. */
  async keep() {
    // Not every browser takes this address for a safe one; then a new link is needed.
    if (!globalThis.crypto?.subtle) return;
    try {
      if (!this.#key) {
        const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, false, ["sign", "verify"]);
        this.#key = privateKey;
        this.#public = spelled(await crypto.subtle.exportKey("raw", publicKey));
      }
      this.#ticket = await this.wire.post("/api/keep", { key: this.#public, ...(this.#ticket ? { tab: this.#ticket.id } : {}) });
    } catch {
      // It is tried again in an hour; until then a new daemon asks for a new link.
    }
  }

  /** Nobody comes back who has signed out. */
  forget() {
    this.#key = undefined;
    this.#ticket = undefined;
  }

  get isPossible() {
    // A worker of somebody else's would read what goes over the wire. We have none.
    return Boolean(this.#key && this.#ticket) && !navigator.serviceWorker?.controller;
  }

  /** Whether whoever answers is ours: where this tab goes on, with what `pack` gives it, or nothing when it is the daemon that it had.
      Throws what is wrong: nobody answers, somebody else does, or this tab is forgotten. */
  async meet(pack) {
    const tab = this.#ticket.id;
    const nonce = spelled(crypto.getRandomValues(new Uint8Array(32)));
    const asked = await plainly(`/api/again?tab=${tab}&nonce=${nonce}`, {});
    const isOurs = asked && typeof asked.nonce === "string" && typeof asked.seal === "string" && (await this.#believes(nonce, asked));
    if (!isOurs) throw new Refused(0, "stranger", "another program answers here");
    if (!this.isPossible) throw new Refused(401, "unauthorized", "this tab cannot come back");
    if (asked.same) return undefined;
    const message = new TextEncoder().encode(await digest("page", tab, asked.nonce));
    const signature = spelled(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, this.#key, message));
    const { link } = await plainly("/api/again", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ tab, nonce: asked.nonce, signature, parcel: pack() }),
    });
    if (!/^http:\/\/aside-[a-z]{24}\.localhost:\d+\/\?key=[A-Za-z0-9_-]{43}$/.test(link)) throw new Refused(0, "stranger", "another program answers here");
    this.forget();
    return link;
  }

  async #believes(nonce, { nonce: theirs, seal, same }) {
    const check = new TextEncoder().encode(this.#ticket.check);
    const key = await crypto.subtle.importKey("raw", check, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const message = new TextEncoder().encode(await digest(same ? "daemon still" : "daemon", nonce, theirs));
    return spelled(await crypto.subtle.sign("HMAC", key, message)) === seal;
  }
}

/** Without the cookie, and without the proof. */
async function plainly(path, options) {
  let response;
  try {
    response = await fetch(path, { ...options, credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer" });
  } catch {
    throw new Refused(0, "away", "the daemon does not answer");
  }
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Refused(0, "stranger", "another program answers here");
  }
  if (!response.ok) throw new Refused(response.status, body.error?.code ?? "", body.error?.message ?? "refused");
  return body;
}

async function digest(who, one, other) {
  const text = `aside ${who}\n${location.host}\n${one}\n${other}`;
  return spelled(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** Base64 for addresses, unpadded. */
function spelled(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
