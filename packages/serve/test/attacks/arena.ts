// Where attacks are tried: a real server in one mode, secrets around its folder, and what must hold after each attempt.
// Knows no attack, and no test runner: the table is also printed by a script.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HttpServer } from "../harness/http.ts";
import { scratch, TestServer, type Options } from "../harness/server.ts";

export type Mode = "on" | "off";

/** One row of the threat table, or a part of one. */
export type Attack = {
  readonly row: `S${number}`;
  readonly title: string;
  readonly variants: readonly Variant[];
  /** Nothing is claimed without a sandbox, for this reason. */
  readonly offReason?: string;
  /** Each variant has a server of its own, so that several can be tried at a time. */
  readonly independent?: boolean;
};

export type Variant = { readonly name: string; attempt(arena: Arena): Promise<void> };

/** An attack that got through. */
export class Breach extends Error {
  override readonly name = "Breach";
}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Breach(what);
}

export const CANARY = "canary-7f3a9";
export const TOKEN = "stdio-ignores-it-7a6b5c";

export class Arena implements AsyncDisposable {
  readonly mode: Mode;
  readonly server: TestServer;

  static async open(mode: Mode): Promise<Arena> {
    const { base, root } = scratch({
      "inside.txt": "inside\n",
      "dir/x.txt": "x\n",
      "list/a.txt": "a\n",
      "dir/early.pem": CANARY,
    });
    furnish(base, root);
    const server = await TestServer.start({
      root,
      args: `--sandbox ${flagOf(mode)} --tools coding,workspace,shell --deny-dir **/*.pem --token ${TOKEN}`.split(" "),
      env: { AWS_SECRET_ACCESS_KEY: CANARY, SSH_AUTH_SOCK: "/run/agent", BOSUN_TOKEN: CANARY },
    });
    return new Arena(mode, server);
  }

  private constructor(mode: Mode, server: TestServer) {
    this.mode = mode;
    this.server = server;
  }

  get outside(): string {
    return path.join(this.server.base, "outside");
  }

  /** Nothing outside was shown, changed or made. */
  unharmed(said: string): void {
    must(!said.includes(CANARY), `a secret was shown: ${said.slice(0, 300)}`);
    must(readFileSync(path.join(this.outside, "secret.txt"), "utf8") === CANARY, "a file outside was changed");
    must(list(this.outside) === "deep,secret.txt", `outside there is ${list(this.outside)}`);
    must(list(`${this.server.root}_evil`) === "secret.txt", `beside it there is ${list(`${this.server.root}_evil`)}`);
  }

  /** Runs a command through both shells. Returns all that was said. */
  async commands(command: string, tools: readonly string[] = ["bash", "shell"]): Promise<string> {
    const said: string[] = [];
    for (const tool of tools) said.push(JSON.stringify(await this.server.call(tool, { command })));
    return said.join("\n");
  }

  /** Another server in the same mode, for attacks that end it or need other settings. */
  own(options: Omit<Options, "files"> = {}): Promise<TestServer> {
    return TestServer.start({ ...options, args: ["--sandbox", flagOf(this.mode), ...(options.args ?? [])] });
  }

  ownHttp(args: readonly string[] = [], root?: string): Promise<HttpServer> {
    const all = ["--sandbox", flagOf(this.mode), ...args];
    return HttpServer.start(root === undefined ? { args: all } : { args: all, root });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

function flagOf(mode: Mode): string {
  return mode === "on" ? "require" : "off";
}

function furnish(base: string, root: string): void {
  const out = path.join(base, "outside");
  mkdirSync(`${root}_evil`);
  mkdirSync(path.join(out, "deep"), { recursive: true });
  for (const file of [`${root}_evil/secret.txt`, path.join(out, "secret.txt"), path.join(base, "home/.netrc")])
    writeFileSync(file, CANARY);
  const links: readonly [name: string, to: string][] = [
    ["to-file", path.join(out, "secret.txt")],
    ["to-dir", out],
    ["relative", "../outside"],
    ["chain-a", "chain-b"],
    ["chain-b", out],
    ["loop", "loop"],
    ["dangling", path.join(out, "made-by-link")],
    ["dangling-deep", path.join(out, "none/made")],
    ["to-root", "/"],
    ["to-proc", "/proc/self/root"],
    ["to-cwd", "/proc/self/cwd"],
  ];
  for (const [name, to] of links) symlinkSync(to, path.join(root, name));
}

function list(folder: string): string {
  return readdirSync(folder).toSorted().join();
}
