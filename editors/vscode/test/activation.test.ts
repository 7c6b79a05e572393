// Measures activation, as CPU time of its thread, so that other work on the machine does not count: the packed extension beside an empty
// one, each in a fresh process with a stub editor.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const ROUNDS = 5;
/** Milliseconds of CPU time that the extension's own work may take. */
const MOST = 50;

// A stub of the editor's API: every name is a function that can be called, constructed and asked for more names.
const STAGE = `
const Module = require("node:module");
const any = new Proxy(function () {}, {
  get: (_, name) => (name === "then" ? undefined : name === Symbol.iterator ? function* () {} : name === Symbol.toPrimitive ? () => "" : any),
  set: () => true,
  apply: () => any,
  construct: () => any,
});
const names = require("node:fs").readFileSync(process.argv[2], "utf8").match(/vscode\\d*\\.\\w+/g) ?? [];
const editor = Object.fromEntries(names.map((name) => [name.split(".")[1], any]));
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? editor : load(name, ...rest));
const spent = () => {
  const { user, system } = process.threadCpuUsage ? process.threadCpuUsage() : process.cpuUsage();
  return (user + system) / 1000;
};
const before = spent();
require(process.argv[2]).activate({ subscriptions: [], extensionUri: any });
console.log(spent() - before);
process.exit(0);
`;

function milliseconds(stage: string, extension: string): number {
  const runs = Array.from({ length: ROUNDS }, () => Number(execFileSync(process.execPath, [stage, extension], { encoding: "utf8" })));
  return Math.min(...runs);
}

test("activation is little work", () => {
  const dir = mkdtempSync(join(tmpdir(), "aside-activation-"));
  try {
    writeFileSync(join(dir, "stage.js"), STAGE);
    writeFileSync(join(dir, "empty.js"), "exports.activate = () => {};\n");
    const empty = milliseconds(join(dir, "stage.js"), join(dir, "empty.js"));
    const ours = milliseconds(join(dir, "stage.js"), join(process.cwd(), "dist/extension.js"));
    // eslint-disable-next-line no-console
    console.log(`activation: ${ours.toFixed(1)} ms of processor time, ${empty.toFixed(1)} ms for an empty extension`);
    assert.ok(ours - empty <= MOST, `${ours} ms, of which ${empty} for an empty one`);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
