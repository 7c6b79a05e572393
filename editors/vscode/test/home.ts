// A home directory for a test: a real daemon, a workspace, and a stub model with scripted answers. Loopback only.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const BINARY = process.env.ASIDE_BIN ?? join(process.cwd(), "../../target/debug/aside");

export class Home {
  private constructor(
    readonly path: string,
    readonly model: Model,
  ) {}

  static async make(): Promise<Home> {
    const path = await mkdtemp(join(tmpdir(), "aside-vscode-"));
    const home = new Home(path, await Model.start());
    await mkdir(join(path, "run"), { mode: 0o700 });
    await mkdir(join(path, ".local/bin"), { recursive: true });
    await symlink(BINARY, home.program);
    await home.write(".config/aside/config.toml", `[llm]\nprovider = "openai"\nbase_url = "${home.model.url}"\nmodel = "scripted"\ntimeout_connect_ms = 10000\n`);
    await home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    await home.write("project/Makefile", "test:\n\t@echo 3 passed > ran.txt; cat ran.txt\n");
    await home.write("project/src/user.py", "class User:\n    def name(self):\n        return self.nmae\n");
    await home.write("project/.env", "COLOUR=otterfield\n");
    return home;
  }

  get project(): string {
    return join(this.path, "project");
  }

  get program(): string {
    return join(this.path, ".local/bin/aside");
  }

  get environment(): NodeJS.ProcessEnv {
    const { PATH = "", LANG = "C.UTF-8" } = process.env;
    return { HOME: this.path, PATH, LANG, SHELL: "/bin/bash", ASIDE_SOCKET: join(this.path, "run/aside.sock"), TERM: "xterm-256color" };
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, name)), { recursive: true });
    await writeFile(join(this.path, name), text);
  }

  async read(name: string): Promise<string> {
    return await readFile(join(this.path, name), "utf8").catch(() => "");
  }

  async aside(...words: string[]): Promise<string> {
    return (await run(this.program, words, { cwd: this.project, env: this.environment })).stdout;
  }

  async close(): Promise<void> {
    await this.aside("daemon", "stop").catch(() => "");
    this.model.close();
    await rm(this.path, { recursive: true, force: true });
  }
}

/** A stub of an OpenAI-compatible server with scripted answers. */
export class Model {
  /** Pieces of the answer, by the words that a request contains. */
  readonly answers: [words: string, pieces: string[]][] = [];
  /** Bodies of all requests. */
  readonly asked: string[] = [];
  pace = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Model> {
    const server = createServer();
    const model = new Model(server);
    server.on("request", (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString("utf8")));
      request.on("end", () => {
        model.asked.push(body);
        const said = JSON.parse(body || "{}") as { messages?: { role: string; content: string }[] };
        const asked = said.messages?.filter((message) => message.role === "user").map((message) => message.content).join("\n") ?? "";
        const pieces = model.answers.find(([words]) => asked.includes(words))?.[1] ?? ["I do not know."];
        response.writeHead(200, { "content-type": "text/event-stream" });
        void (async () => {
          for (const content of pieces) {
            response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
            if (model.pace) await new Promise((done) => setTimeout(done, model.pace));
          }
          response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`);
        })();
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

export const FIX = "src/user.py\n<<<<<<< SEARCH\n        return self.nmae\n=======\n        return self.name\n>>>>>>> REPLACE\n";
export const STORE = "\nsrc/store.py\n<<<<<<< SEARCH\n=======\nUSERS = []\n>>>>>>> REPLACE\n";

/** Waits until a condition holds; fails after the deadline. */
export async function until<T>(look: () => Promise<T | undefined> | T | undefined, what: string, limit = 120_000): Promise<T> {
  const deadline = Date.now() + limit;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`not within ${limit} ms: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
