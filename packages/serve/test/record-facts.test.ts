// What the record and the log know of a call: what a command used, which limit ended it, and the code of what was refused.
import { expect } from "bun:test";
import path from "node:path";
import { readAuditFolder } from "@bosun/policy";
import { announceRows, row } from "./harness/contract.ts";
import { TestServer } from "./harness/server.ts";

announceRows();

async function recordOf(server: TestServer): Promise<Record<string, unknown>[]> {
  await server.close();
  return [...readAuditFolder(path.join(server.base, "state/bosun/audit"), {})].filter(({ kind }) => kind === "outcome");
}

row("server", "usage and the limit that was hit are in results and on record, on every surface", async () => {
  await using server = await TestServer.start({
    args: ["--sandbox", "off", "--tools", "coding,shell,workspace", "--max-written-size", "1MB"],
  });
  const command = "head -c 3000000 /dev/zero > big";
  const coding = await server.call("bash", { command });
  expect(coding._meta?.["bosun/run"]).toMatchObject({ limitHit: "file size", cpuMs: expect.any(Number) });
  const shell = await server.call("shell", { command });
  expect(shell.content[0]?.text).toEndWith("\nThe command hit its file size limit.");
  expect(shell.structuredContent).toMatchObject({ limit_hit: "file size", cpu_ms: expect.any(Number) });
  const script = "require('fs').writeFileSync('big', Buffer.alloc(3e6))";
  const ran = await server.text("run_command", { command: "node", args: ["-e", script] });
  expect(JSON.parse(ran)).toMatchObject({ data: { limitHit: "file size", cpuMs: expect.any(Number) } });
  const started = await server.bash(command, { run_in_background: true });
  const task_id = /task_id: (\w+)/.exec(started)?.[1] ?? "";
  expect(await server.text("task_output", { task_id, wait: 20_000 })).toContain("The command hit its file size limit.");
  const lines = (await recordOf(server)).filter((line) => line["limitHit"] === "file size");
  expect(lines.map(({ tool }) => String(tool).split(".")[1])).toEqual(["bash", "shell", "run_command", "task_output"]);
  for (const line of lines) expect(typeof line["cpuMs"]).toBe("number");
});

row("server", "a path outside is recorded as refused, with its code, and denied", async () => {
  await using server = await TestServer.start({
    args: ["--sandbox", "off", "--tools", "coding,shell,workspace", "--deny-dir", "secret", "--log-format", "json"],
    files: { "secret/x": "content that is nobody's business" },
  });
  await server.call("view", { path: "/etc/passwd" });
  await server.call("view", { path: "secret/x" });
  await server.call("create_file", { path: "../x", content: "" });
  await server.call("read_file", { file: "../x" });
  await server.call("read_file", { file: "/etc/passwd" });
  await server.call("shell", { command: "true", working_directory: "/etc" });
  await server.call("view", { path: "none" });
  const lines = await recordOf(server);
  const shown = lines.map((line) => [line["tool"], line["outcome"], line["verdict"], line["code"]].map(String));
  expect(shown.map((words) => words.join(" ").replace(/^\w+\./, ""))).toEqual([
    "view refused deny ACCESS_DENIED",
    "view refused deny ACCESS_DENIED",
    "create_file refused deny ACCESS_DENIED",
    "read_file refused deny INVALID_PATH",
    "read_file refused deny INVALID_PATH",
    "shell refused deny outside_scope",
    "view error allow PATH_NOT_FOUND",
  ]);
  const logged = server.stderr.split("\n").flatMap((line) => (line.includes('"msg":"call"') ? [JSON.parse(line)] : []));
  expect(logged).toHaveLength(7);
  expect(logged[0]).toMatchObject({ level: "info", tool: "view", status: "refused", code: "ACCESS_DENIED" });
  expect(logged[6]).toMatchObject({ tool: "view", status: "error", code: "PATH_NOT_FOUND" });
  expect(JSON.stringify(logged)).not.toMatch(/passwd|secret|business/);
});
