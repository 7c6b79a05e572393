// Bundles the extension and its webview; with --test, the tests too. Nothing but esbuild is needed.

import { readFileSync } from "node:fs";
import { copyFile, readdir, rm } from "node:fs/promises";
import * as esbuild from "esbuild";

const isTest = process.argv.includes("--test");
const DENY = new URL("../../crates/aside-task/data/task/deny.toml", import.meta.url);

/** The deny list of the daemon, compiled in: one list for both. Only what its entries use of TOML is read. */
const denyList = {
  name: "deny-list",
  setup(build) {
    build.onResolve({ filter: /^deny-list$/ }, () => ({ path: "deny-list", namespace: "deny-list" }));
    build.onLoad({ filter: /.*/, namespace: "deny-list" }, () => {
      const entries = readFileSync(DENY, "utf8").split(/^\[\[deny\]\]$/m).slice(1);
      const field = (entry, name) => JSON.parse(new RegExp(`^${name} = (.*)$`, "m").exec(entry)?.[1] ?? "[]");
      const read = (entry) => Object.fromEntries(["what", "patterns", "except", ...(isTest ? ["hits", "misses"] : [])].map((name) => [name, field(entry, name)]));
      return { contents: JSON.stringify(entries.map(read)), loader: "json", watchFiles: [DENY.pathname] };
    });
  },
};

const shared = { bundle: true, minify: !isTest, target: "es2022", logLevel: "warning", legalComments: "none", plugins: [denyList] };
const node = { ...shared, platform: "node", format: "cjs" };

await rm("dist", { recursive: true, force: true });
await esbuild.build({ ...node, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", external: ["vscode"] });
await esbuild.build({ ...shared, entryPoints: ["webview/main.ts", "webview/main.css"], outdir: "dist", format: "iife" });
// The pictures of the documentation, for the walkthrough.
for (const picture of ["proposal.png", "dialog.png"]) await copyFile(`../../docs/vscode/${picture}`, `dist/${picture}`);
if (isTest) {
  const tests = (await readdir("test")).filter((name) => name.endsWith(".ts")).map((name) => `test/${name}`);
  await esbuild.build({ ...node, entryPoints: tests, outdir: "dist/test" });
}
