// How an open tab finds the next daemon. Another program may have had the port in between, so the tab sends nothing secret before the
// server has proved to be ours, and then only a signature that is valid for this one nonce. The private key is in the memory of this tab
// and nowhere else: a page that another program served here in the meantime could not have read it. The tab goes on as a fresh page under a
// fresh name.

import { Refused } from "./wire.js";

/** How often a tab reports that it is still open, so that it is not forgotten. */
const HEARD = 3600_000;
const CURVE = { name: "ECDSA", namedCurve: "P-256" };

export class Resume {
  #key;
  #public;
  #ticket;

  /** `wire` is the current session. */
  constructor(wire) {
    this.wire = wire;
    setInterval(() => this.keep(), HEARD);
  }

  /** Registers this tab with the current daemon, for the next one. */
  async keep() {
    // Not every browser treats this address as a secure context; then a new link is needed.
    if (!globalThis.crypto?.subtle) return;
    try {
      if (!this.#key) {
        const { privateKey, publicKey } = await crypto.subtle.generateKey(CURVE, false, ["sign", "verify"]);
        this.#key = privateKey;
        this.#public = spelled(await crypto.subtle.exportKey("raw", publicKey));
      }
      this.#ticket = await this.wire.post("/api/keep", { key: this.#public, ...(this.#ticket ? { tab: this.#ticket.id } : {}) });
    } catch {
      // Retries in an hour; until then a new daemon needs a new link.
    }
  }

  /** After a sign-out, no tab returns. */
  forget() {
    this.#key = undefined;
    this.#ticket = undefined;
  }

  get isPossible() {
    // A foreign service worker could read the requests. We have none.
    return Boolean(this.#key && this.#ticket) && !navigator.serviceWorker?.controller;
  }

  /** Checks that the server is ours. Returns the link where this tab goes on, with what `pack` gives it, or undefined when it is the same
      daemon. Throws an error when no server replies, another program does, or the daemon has forgotten this tab. */
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

/** Unpadded base64url. */
function spelled(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
