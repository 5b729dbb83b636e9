// Nothing outlives the proxy, however it ends; and while it runs its memory has bounds.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { bun, cleanUp, proxyCommand, faulty, record, stateIn, until } from "./proxy-process.ts";

afterAll(cleanUp);

const HELLO = [
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
  '{"jsonrpc":"2.0","method":"notifications/initialized"}',
];
const call = (id: number, name: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"}}`;

type Raw = {
  pid: number;
  say(...lines: string[]): void;
  heard(what: string): Promise<string>;
  /** What comes from now on, in pieces, for what is too much to be held. */
  more(): Promise<string>;
  child: ReturnType<typeof spawn>;
};

function spawn(words: string[]) {
  return Bun.spawn(words, {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    lazy: true,
    env: { ...process.env, ...stateIn() },
  });
}

/** The proxy over pipes of our own, so that we can be a bad client. */
function raw(mode = "legacy", options: string[] = []): Raw {
  const child = spawn([...proxyCommand, ...options, "--", ...bun, faulty, record(), mode]);
  const reader = child.stdout.getReader();
  let out = "";
  return {
    child,
    pid: child.pid,
    more: async () => new TextDecoder().decode((await reader.read()).value),
    say(...lines) {
      child.stdin.write(`${lines.join("\n")}\n`);
      void child.stdin.flush();
    },
    async heard(what) {
      while (!out.includes(what)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`it ended before it said ${what}: ${out.slice(-500)}`);
        out += new TextDecoder().decode(value);
      }
      return out;
    },
  };
}

async function withChildren(mode?: string): Promise<{ proxy: Raw; pids: number[] }> {
  const proxy = raw(mode);
  proxy.say(...HELLO, call(2, "children"));
  const line = (await proxy.heard('"id":2')).split("\n").find((one) => one.includes('"id":2')) ?? "";
  const { result } = JSON.parse(line) as { result: { content: { text: string }[] } };
  const pids = JSON.parse(result.content[0]?.text ?? "[]") as number[];
  expect(pids).toHaveLength(3);
  expect(pids.every(isAlive)).toBe(true);
  return { proxy, pids };
}

describe("the servers and their children end", () => {
  test.concurrent.each<[string, string | undefined, (proxy: Raw) => void]>([
    ["when the client closes its end", undefined, ({ child }) => void child.stdin.end()],
    ["when the client closes its end and the server does not care", "stubborn", ({ child }) => void child.stdin.end()],
    [
      "when the client goes while the server writes without end",
      undefined,
      (proxy) => {
        proxy.say(call(3, "no_end"));
        void proxy.child.stdin.end();
      },
    ],
    ["at SIGTERM", undefined, ({ pid }) => void process.kill(pid, "SIGTERM")],
    ["at SIGINT", undefined, ({ pid }) => void process.kill(pid, "SIGINT")],
    ["at SIGHUP, also a stubborn one", "stubborn", ({ pid }) => void process.kill(pid, "SIGHUP")],
  ])(
    "%s",
    async (_, mode, end) => {
      const { proxy, pids } = await withChildren(mode);
      end(proxy);
      await proxy.child.exited;
      await gone([proxy.pid, ...pids]);
    },
    60_000,
  );

  test.concurrent(
    "when the client is killed",
    async () => {
      // A client of its own process: the proxy is its child, and it is killed without a word.
      const script = `
      const child = Bun.spawn(${JSON.stringify([...proxyCommand, "--", ...bun, faulty, record()])}, { stdin: "pipe", stdout: "inherit", stderr: "ignore" });
      child.stdin.write(${JSON.stringify(`${[...HELLO, call(2, "children")].join("\n")}\n`)});
      await child.stdin.flush();
      console.log("proxy " + child.pid);
      await new Promise(() => {});`;
      const client = spawn([...bun, "-e", script]);
      const reader = client.stdout.getReader();
      let out = "";
      while (!(out.includes('"id":2') && out.includes("proxy ")))
        out += new TextDecoder().decode((await reader.read()).value);
      const proxy = Number(/proxy (\d+)/.exec(out)?.[1]);
      const pids = (/\[(\d+,\d+,\d+)\]/.exec(out)?.[1] ?? "").split(",").map(Number);
      expect(pids).toHaveLength(3);
      process.kill(client.pid, "SIGKILL");
      await gone([proxy, ...pids]);
    },
    60_000,
  );
});

test("a signal ends it by that signal, for whoever waits for it", async () => {
  const proxy = raw();
  proxy.say(...HELLO);
  await proxy.heard('"id":1');
  process.kill(proxy.pid, "SIGTERM");
  await proxy.child.exited;
  expect(proxy.child.signalCode).toBe("SIGTERM");
});

test("a client that has said all it had to say gets its answers, also late ones", async () => {
  const proxy = raw();
  proxy.say(...HELLO, call(2, "flood"), call(3, "late"));
  proxy.child.stdin.end();
  await proxy.heard('"id":3');
  expect(await proxy.heard('"id":2')).toContain("flooded");
  await proxy.child.exited;
});

/** What a client that does not read costs: 32 MiB that wait for it, one message more, and what reading them took. */
const FLOOD_MIB = 400;

test.each([
  ["of notifications and results, 420 MB", 60, 12],
  ["of notifications and results, 4 GB", 600, 120],
  ["of results", 0, 120],
])(
  "a server that floods in front of a client that does not read costs bounded memory: %s",
  async (_, floods, huges) => {
    const proxy = raw();
    proxy.say(...HELLO);
    await proxy.heard('"id":1');
    proxy.say(call(2, "ok"));
    await proxy.heard('"id":2');
    const before = residentMib(proxy.pid);
    // Never read again: 5 MB of notifications at a time and results of 10 MB.
    for (let n = 0; n < floods; n++) proxy.say(call(1000 + n, "flood"));
    for (let n = 0; n < huges; n++) proxy.say(call(2000 + n, "huge"));
    let most = 0;
    // Nothing tells that it has taken all it will take: it is looked at for a while.
    for (let round = 0; round < 60; round++) {
      await Bun.sleep(100);
      most = Math.max(most, residentMib(proxy.pid));
    }
    expect(most - before).toBeLessThan(FLOOD_MIB);
    expect(isAlive(proxy.pid)).toBe(true);
    process.kill(proxy.pid, "SIGKILL");
    await proxy.child.exited;
  },
  60_000,
);

test("what a server had to keep while its client did not read comes when it reads again, all of it", async () => {
  const proxy = raw();
  proxy.say(...HELLO);
  await proxy.heard('"id":1');
  const calls = Array.from({ length: 8 }, (_, n) => 1000 + n);
  for (const id of calls) proxy.say(call(id, "huge"));
  // Nothing tells that it does not read its server any more; the answers are long by then, or not.
  await Bun.sleep(3000);
  proxy.say(call(2, "ok"));
  const answered = new Set<number>();
  for (let tail = ""; answered.size <= calls.length; tail = tail.slice(-50)) {
    tail += await proxy.more();
    expect(tail).not.toContain('"isError"');
    for (const [, id] of tail.matchAll(/"id":(\d+),"result"/g)) answered.add(Number(id));
  }
  expect(answered).toEqual(new Set([...calls, 2]));
  proxy.child.stdin.end();
  await proxy.child.exited;
}, 60_000);

test("the vocabulary is read once a client has the list of tools, and not before", async () => {
  const vocabularyBytes = 4_000_000;
  const bytesRead = (): number => Number(/rchar: (\d+)/.exec(read(`/proc/${proxy.pid}/io`))?.[1]);
  const proxy = raw();
  // Started when it reads no more by itself.
  let before = -1;
  for (let now = bytesRead(); now !== before; now = bytesRead()) {
    before = now;
    await Bun.sleep(300);
  }
  proxy.say(...HELLO, '{"jsonrpc":"2.0","id":2,"method":"tools/list"}');
  await until(() => bytesRead() - before > vocabularyBytes);
  expect(bytesRead() - before).toBeGreaterThan(vocabularyBytes);
  proxy.child.stdin.end();
  await proxy.child.exited;
});

test("what servers say on stderr comes through, bounded and without secrets", async () => {
  const proxy = raw();
  const stderr = new Response(proxy.child.stderr).text();
  proxy.say(...HELLO, call(2, "stderr_flood"));
  await proxy.heard('"id":2');
  proxy.child.stdin.end();
  await proxy.child.exited;
  const said = await stderr;
  expect(said).toContain("line 0 ");
  expect(said).not.toContain("hunter2");
  expect(said.length).toBeLessThan(200_000);
});

function isAlive(pid: number): boolean {
  // A zombie has ended; whoever adopted it may take its time.
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/State:\s+Z/.test(read(status));
}

function residentMib(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

async function gone(pids: number[]): Promise<void> {
  for (let round = 0; round < 400 && pids.some(isAlive); round++) await Bun.sleep(50);
  expect(pids.filter(isAlive)).toEqual([]);
}
