// Servers that we start: what they inherit, what they may do to us, and how they end.
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startServer } from "../src/wire/child-transport.ts";
import type { ChildTransport } from "../src/wire/child-transport.ts";
import type { Incoming } from "../src/wire/message.ts";
import { until } from "./fixtures/kitchen-sink.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bosun-child-"));
afterAll(() => rmSync(folder, { recursive: true }));

const sh = (script: string, more: Partial<Parameters<typeof startServer>[0]> = {}): ChildTransport =>
  startServer({ command: "/bin/sh", args: ["-c", script], graceMs: 300, ...more });

async function messagesOf(child: ChildTransport): Promise<Incoming[]> {
  const found: Incoming[] = [];
  for await (const message of child.incoming) found.push(message);
  return found;
}

describe("what a server inherits", () => {
  test("is a short list, and what was configured; no secrets of ours", async () => {
    process.env["BOSUN_TEST_SECRET"] = "secret";
    const child = sh(`env > "$OUT"`, { env: { OUT: path.join(folder, "env"), CONFIGURED: "yes" } });
    expect(await child.ended).toBe("exit 0");
    delete process.env["BOSUN_TEST_SECRET"];
    const names = readFileSync(path.join(folder, "env"), "utf8")
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names).toContain("PATH");
    expect(names).toContain("CONFIGURED");
    expect(names).not.toContain("BOSUN_TEST_SECRET");
    expect(names).not.toContain("BUN_OPTIONS");
    await child.close();
  });

  test("its arguments are not read by a shell", async () => {
    const child = startServer({ command: "/bin/echo", args: ["$HOME; `id`"] });
    const [said] = await messagesOf(child);
    expect(said).toMatchObject({ kind: "malformed" }); // the text itself, which is not JSON
    await child.close();
  });

  test("its folder is the one that was configured", async () => {
    const child = sh(`pwd > here`, { cwd: folder });
    await child.ended;
    expect(readFileSync(path.join(folder, "here"), "utf8").trim()).toBe(folder);
    await child.close();
  });
});

describe("how a server ends", () => {
  test.each<[string, string, RegExp]>([
    ["by itself when its input ends", "cat > /dev/null", /^exit 0$/],
    ["when it is asked to", "exec 0</dev/null; sleep 60", /^(SIGTERM|exit 143)$/],
    ["when it is made to", `trap "" TERM; exec 0</dev/null; while :; do sleep 1; done`, /^SIGKILL$/],
  ])("%s", async (_, script, ending) => {
    const child = sh(script);
    await child.close();
    expect(await child.ended).toMatch(ending);
  });

  test.each<[string, string]>([
    ["together with the children it started", "sleep 300 & echo $! > $FILE; cat > /dev/null"],
    [
      "also with those that have left its group, when it does not end by itself",
      `setsid sh -c 'echo $$ > $FILE; exec sleep 300' & exec 0</dev/null; sleep 60`,
    ],
  ])("%s", async (name, script) => {
    const file = path.join(folder, `grandchild-${name.length}`);
    const child = sh(script, { env: { FILE: file } });
    await until(() => existsSync(file) && readFileSync(file, "utf8").includes("\n"));
    const pid = readFileSync(file, "utf8").trim();
    await child.close();
    const state = (): string =>
      existsSync(`/proc/${pid}/stat`) ? (readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[2] ?? "") : "gone";
    await until(() => ["gone", "Z"].includes(state()), "the end of the grandchild");
  });

  test("closing twice is closing once", async () => {
    const child = sh("cat > /dev/null");
    await Promise.all([child.close(), child.close()]);
    await child.close();
  });

  test("sending to one that has ended fails or is dropped, and does not throw out of order", async () => {
    const child = sh("exit 0");
    await child.ended;
    await child.send("{}").catch(() => {});
    expect(await messagesOf(child)).toEqual([]);
    await child.close();
  });
});

describe("what a server says on stderr", () => {
  test("is passed on, and is no failure", async () => {
    let said = "";
    const child = sh(`echo "ü warning" >&2; echo '{"jsonrpc":"2.0","method":"m"}'`, {
      onStderr: (text) => void (said += text),
    });
    expect(await messagesOf(child)).toMatchObject([{ kind: "notification" }]);
    await until(() => said.includes("ü warning"));
    await child.close();
  });

  test("does not stop it, when nobody listens and when the listener throws", async () => {
    const noise = `head -c 3000000 /dev/zero >&2; echo '{"jsonrpc":"2.0","method":"done"}'`;
    const deaf = sh(noise);
    expect(await messagesOf(deaf)).toMatchObject([{ method: "done" }]);
    const { error } = console;
    console.error = () => {};
    const throwing = sh(noise, {
      onStderr() {
        throw new Error("of the test's own making");
      },
    });
    expect(await messagesOf(throwing)).toMatchObject([{ method: "done" }]);
    console.error = error;
    await Promise.all([deaf.close(), throwing.close()]);
  });
});
