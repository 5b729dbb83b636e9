// One kind of work through two real servers, one with a sandbox and one without: the same output or not.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { scratch, TestServer } from "../harness/server.ts";
import { SUDO } from "./work.ts";
import type { Work } from "./work.ts";

const HUSKY = path.resolve(import.meta.dir, "../../../../node_modules/husky");

export type Comparison = {
  readonly name: string;
  readonly inside: string;
  readonly outside: string;
  readonly ok: boolean;
};

export class TwoServers implements AsyncDisposable {
  readonly #inside: TestServer;
  readonly #outside: TestServer;
  #count = 0;

  static async start(): Promise<TwoServers> {
    const [inside, outside] = await Promise.all([start("require"), start("off")]);
    return new TwoServers(inside, outside);
  }

  private constructor(inside: TestServer, outside: TestServer) {
    this.#inside = inside;
    this.#outside = outside;
  }

  async compare(work: Work): Promise<Comparison> {
    if (work.before !== undefined) return compareAlone(work, work.before);
    this.#count += 1;
    const command = `mkdir -p w${this.#count}; cd w${this.#count}\n${work.command}`;
    // One after the other: both use the same port, and the one outside is this machine's.
    const inside = await outputOf(this.#inside, command);
    const outside = await outputOf(this.#outside, command);
    return { name: work.name, inside, outside, ok: inside === outside && inside.includes(work.says) };
  }

  async compareSudo(): Promise<Comparison> {
    const inside = await outputOf(this.#inside, SUDO);
    const outside = await outputOf(this.#outside, SUDO);
    return { name: "sudo fails cleanly", inside, outside, ok: /status [1-9]/.test(inside) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#inside[Symbol.asyncDispose](), this.#outside[Symbol.asyncDispose]()]);
  }
}

/** In a folder of its own, at its top, with folders of it on PATH as npx and an activated environment have them. */
async function compareAlone(work: Work, before: string): Promise<Comparison> {
  const said: string[] = [];
  for (const mode of ["require", "off"]) {
    const { base, root } = scratch();
    const prepared = Bun.spawnSync(["bash", "-c", before], { cwd: root, env: { ...process.env, HUSKY } });
    if (!prepared.success) throw new Error(`${work.name}: ${prepared.stderr.toString()}`);
    const onPath = [".venv/bin", "node_modules/.bin"].map((name) => path.join(root, name));
    const env = { PATH: [...onPath, process.env["PATH"] ?? "/usr/bin:/bin"].join(":") };
    const server = await TestServer.start({ root, args: ["--sandbox", mode], env });
    said.push(await outputOf(server, work.command));
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }
  const [inside = "", outside = ""] = said;
  const isAsItShould = work.inside === undefined ? inside === outside : work.inside.test(inside);
  return { name: work.name, inside, outside, ok: isAsItShould && inside.includes(work.says) };
}

export function missingFor({ needs }: Work): string[] {
  return needs.filter((program) => Bun.which(program) === null);
}

/** work × inside × outside, as lines of text. */
export function workTable(rows: readonly Comparison[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const short = (text: string): string => {
    const line = text
      .replace(/^exit_code: /, "")
      .replaceAll(/\s+/g, " ")
      .trim();
    return (line.length > 48 ? `${line.slice(0, 47)}…` : line).replaceAll("\u001b", "␛").padEnd(48);
  };
  const lines = rows.map(({ name, inside, outside, ok }) => {
    const verdict = ok ? (inside === outside ? "same" : "as it should") : "DIFFERENT";
    return `${name.padEnd(width)}  ${short(inside)}  ${short(outside)}  ${verdict}`;
  });
  const head = `${"work".padEnd(width)}  ${"inside the sandbox".padEnd(48)}  ${"outside".padEnd(48)}  result`;
  return [head, ...lines, "", `${rows.filter(({ ok }) => ok).length} of ${rows.length} as outside`].join("\n");
}

async function start(mode: string): Promise<TestServer> {
  const { base, root } = scratch();
  const tools = path.join(base, "home/.local/bin");
  mkdirSync(tools, { recursive: true });
  writeFileSync(path.join(tools, "home-tool"), "#!/bin/sh\necho tool of the home\n", { mode: 0o755 });
  const env = { PATH: `${tools}:${process.env["PATH"] ?? "/usr/bin:/bin"}` };
  return TestServer.start({ root, args: ["--sandbox", mode], env });
}

async function outputOf(server: TestServer, command: string): Promise<string> {
  const said = await server.bash(command, { timeout: 60_000 });
  // A version that is kept aside is kept under the time, and two servers do not work in the same second.
  return said.replaceAll(server.base, "BASE").replaceAll(/aside\/\d{8}-\d{6}-/g, "aside/TIME-");
}
