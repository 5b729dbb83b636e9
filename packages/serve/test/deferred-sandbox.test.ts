// What a server says of its sandbox before it has built one: remembered or probed, proved before the first command, and
// never a reason to run one unconfined.
import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { chooseSandbox } from "@bosun/engine";
import type { Mechanism } from "@bosun/engine";
import { searchSandbox } from "../src/sandbox-start/deferred-sandbox.ts";
import { scratch, TestServer } from "./harness/server.ts";

type Memory = { machine: string; anywhere?: string; places?: Record<string, string> };

const { base, root } = scratch();
const boundary = { writable: [root], readOnly: [], denied: [], network: false, home: base, path: "/usr/bin:/bin" };
afterAll(() => rmSync(base, { recursive: true, force: true }));
const working: Mechanism[] = [];
for (const mechanism of ["bubblewrap", "namespaces", "landlock"] as const) {
  const tried = await chooseSandbox(boundary, { mode: "auto", mechanisms: [mechanism] });
  if (tried.mechanism === mechanism) working.push(mechanism);
}
const [best = "none"] = working;
const withSandbox = (name: string, run: () => Promise<void>): void =>
  test.skipIf(best === "none")(best === "none" ? `${name} (no sandbox works here)` : name, run);

/** A folder with a secret beside the workspace, as an earlier start on this machine left it. */
async function machine(change: (memory: Memory) => Memory = (memory) => memory): Promise<Machine> {
  const made = scratch({ "sub/file": "" });
  writeFileSync(path.join(made.base, "secret.txt"), "canary");
  const first = await TestServer.start({ root: made.root });
  await first.close();
  const file = path.join(made.base, "state/bosun/sandbox.json");
  const read = (): Memory => JSON.parse(readFileSync(file, "utf8")) as Memory;
  const write = (memory: Memory): void => writeFileSync(file, JSON.stringify(memory));
  write(change(read()));
  return { ...made, read, write, [Symbol.dispose]: () => rmSync(made.base, { recursive: true, force: true }) };
}
type Machine = Disposable & { base: string; root: string; read(): Memory; write(memory: Memory): void };

async function start(root: string, ...args: string[]): Promise<{ server: TestServer; said: string }> {
  const server = await TestServer.start({ root, args, initialize: false });
  const { result } = await server.initialize();
  return { server, said: String(result?.["instructions"]) };
}

const reach = "cat ../secret.txt; touch ../made sub/ran; echo done";

function expectConfined({ base, root }: Machine, output: string): void {
  expect(output).toContain("done");
  expect(output).not.toContain("canary");
  expect(existsSync(path.join(root, "sub/ran"))).toBe(true);
  expect(existsSync(path.join(base, "made"))).toBe(false);
}

for (const mechanism of ["bubblewrap", "namespaces", "landlock"] as const) {
  const works = working.includes(mechanism);
  const name = `remembered ${mechanism} is announced at once, and commands are in it`;
  test.skipIf(!works)(works ? name : `${name} (it does not work here)`, async () => {
    using here = await machine(({ machine }) => ({ machine, anywhere: mechanism }));
    for (const mode of ["auto", "require"]) {
      const { server, said } = await start(here.root, "--sandbox", mode);
      expect(said).toContain(`Commands run in a sandbox (${mechanism})`);
      expect(server.stderr).toContain(`commands run in a sandbox mechanism="${mechanism}"`);
      expectConfined(here, await server.bash(reach));
      expect(await server.bash("exit 3")).toContain("exit_code: 3");
      expect(await server.bash("kill -TERM $$")).toContain("exit_code: -1");
      await server.close();
    }
    expect(here.read()).toEqual({ machine: here.read().machine, anywhere: mechanism });
  });
}

withSandbox("a first start announces what a later one remembers, and commands are in it", async () => {
  using here = await machine();
  rmSync(path.join(here.base, "state"), { recursive: true });
  const first = await start(here.root);
  expect(first.said).toContain(`Commands run in a sandbox (${best})`);
  expect(here.read()).toMatchObject({ anywhere: best });
  const later = await start(here.root);
  expect(later.said).toBe(first.said);
  for (const { server } of [first, later]) {
    expectConfined(here, await server.bash(reach));
    await server.close();
  }
});

// On Linux there is no seatbelt: a memory that is wrong.
for (const mode of ["auto", "require"]) {
  test.skipIf(process.platform !== "linux")(
    `a wrong memory makes commands fail, then starts right (${mode})`,
    async () => {
      using here = await machine(({ machine }) => ({ machine, anywhere: "seatbelt" }));
      const wrong = await start(here.root, "--sandbox", mode);
      for (let i = 0; i < 2; i += 1) {
        const output = await wrong.server.bash(reach);
        expect(output).toContain("the sandbox (seatbelt) does not work; restart the server to look for another");
        expect(existsSync(path.join(here.root, "sub/ran"))).toBe(false);
      }
      await wrong.server.close();
      expect(here.read()).toMatchObject({ anywhere: "seatbelt", places: { [here.root]: "unsure" } });
      if (best === "none") return;
      const right = await start(here.root, "--sandbox", mode);
      expect(right.said).toContain(`Commands run in a sandbox (${best})`);
      expectConfined(here, await right.server.bash(reach));
      await right.server.close();
      expect(here.read().places).toEqual({ [here.root]: best });
    },
  );
}

withSandbox("what is remembered of one place does not count for another", async () => {
  using here = await machine();
  const other = path.join(here.base, "other");
  mkdirSync(other);
  here.write({ machine: here.read().machine, anywhere: best, places: { [other]: "landlock" } });
  const [one, two] = [await start(here.root), await start(other)];
  expect(one.said).toContain(`Commands run in a sandbox (${best})`);
  expect(two.said).toContain("Commands run in a sandbox (landlock)");
  await Promise.all([one.server.close(), two.server.close()]);
});

const stricter = working.filter((mechanism) => mechanism !== "landlock");
test.skipIf(stricter.length === 0)(
  `what is stricter takes the place of what was announced${stricter.length === 0 ? " (nothing stricter works here)" : ""}`,
  async () => {
    const remembered: unknown[] = [];
    const said: string[] = [];
    const search = searchSandbox({
      place: "here",
      network: false,
      memory: { recall: () => "landlock", remember: (...what) => void remembered.push(what) },
      log: (_, message) => void said.push(message),
    });
    const { announced, confinement } = search.open(boundary, { mode: "auto", helper: ["/bin/false"] });
    expect((await announced).mechanism).toBe("landlock");
    await confinement.prepare?.();
    expect(confinement.namespaced).toBe(true);
    expect(remembered).toEqual([[stricter[0], "here"]]);
    expect(said).toEqual(["commands run in another sandbox than the start announced"]);
  },
);

withSandbox("that none worked is never enough: commands are confined where one works after all", async () => {
  using here = await machine(({ machine }) => ({ machine, anywhere: "none" }));
  const { server, said } = await start(here.root);
  expect(said).toContain("Commands run without a sandbox");
  expect(server.stderr).toContain("commands run WITHOUT a sandbox (none works here)");
  expectConfined(here, await server.bash(reach));
  expect(server.stderr).toContain("commands run in another sandbox than the start announced");
  await server.close();
  const next = await start(here.root);
  expect(next.said).toContain(`Commands run in a sandbox (${best})`);
  await next.server.close();
});

withSandbox("that none worked does not keep a server from starting that requires one", async () => {
  using here = await machine(({ machine }) => ({ machine, anywhere: "none" }));
  const { server, said } = await start(here.root, "--sandbox", "require");
  expect(said).toContain(`Commands run in a sandbox (${best})`);
  expectConfined(here, await server.bash(reach));
  await server.close();
});

withSandbox("the memory of another boot, user or kernel counts for nothing", async () => {
  using here = await machine(({ machine }) => ({ machine: `${machine} `, anywhere: "none" }));
  const { server, said } = await start(here.root);
  expect(said).toContain(`Commands run in a sandbox (${best})`);
  await server.close();
});

withSandbox("a denied file made between the start and the first command is hidden from it", async () => {
  using here = await machine();
  const { server } = await start(here.root, "--deny-dir", "**/.env");
  writeFileSync(path.join(here.root, ".env"), "canary");
  const output = await server.bash("cat .env; echo done");
  expect(output).toContain("done");
  expect(output).not.toContain("canary");
  await server.close();
});
