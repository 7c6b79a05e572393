// Prints the completion specs of an installed spec package as JSON: scripts/fig-specs.mjs DIRECTORY COMMAND…
// Names, values and nesting only; for scripts/specs.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [directory, ...commands] = process.argv.slice(2);
const list = (value) => (value === undefined || value === null ? [] : Array.isArray(value) ? value : [value]);
const MAX_DEPTH = 4;

async function load(name) {
  let file = [join(directory, `${name}.js`), join(directory, name, "index.js")].find(existsSync);
  if (!file) return null;
  // Some commands have a file for each version; the newest sorts last.
  if (file.endsWith("index.js")) {
    const versions = readdirSync(join(directory, name)).filter((entry) => /^\d.*\.js$/.test(entry)).sort();
    if (versions.length) file = join(directory, name, versions.at(-1));
  }
  const spec = (await import(pathToFileURL(file))).default;
  return typeof spec === "function" ? await spec() : spec;
}

const argument = (arg) => ({
  name: arg.name ?? "",
  about: arg.description ?? "",
  optional: Boolean(arg.isOptional),
  more: Boolean(arg.isVariadic),
  template: list(arg.template),
  values: list(arg.suggestions).map((value) => list(value.name ?? value)[0]).filter((value) => typeof value === "string"),
});

async function plain(spec, depth) {
  if (typeof spec.loadSpec === "string" && depth < MAX_DEPTH) {
    const loaded = await load(spec.loadSpec).catch(() => null);
    if (loaded) spec = { ...loaded, name: spec.name };
  }
  const node = {
    names: list(spec.name),
    about: typeof spec.description === "string" ? spec.description : "",
    args: list(spec.args).map(argument),
    flags: list(spec.options).map((option) => ({
      names: list(option.name),
      about: typeof option.description === "string" ? option.description : "",
      args: list(option.args).map(argument),
      repeats: Boolean(option.isRepeatable),
    })),
    subs: [],
  };
  if (depth < MAX_DEPTH) for (const sub of list(spec.subcommands)) node.subs.push(await plain(sub, depth + 1));
  return node;
}

const found = {};
for (const command of commands) {
  const spec = await load(command).catch(() => null);
  if (spec) found[command] = await plain(spec, 0);
}
process.stdout.write(JSON.stringify(found));
