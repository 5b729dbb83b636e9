// npm run conformance: the official MCP conformance suite against our server, our client, and our server through our
// proxy, alone and beside another server, both requirement sets.
//   --verbose   the suite's own output as well
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const REVISIONS = ["2025-11-25", "2026-07-28"];
const root = path.resolve(import.meta.dir, "..");
const suite = path.join(root, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const hardened = [process.execPath, "--no-env-file", "--config=/dev/null"];
// The suite leaves its results in the current folder.
const scratch = mkdtempSync(path.join(tmpdir(), "bosun-conformance-"));

type Scenario = { name: string; passed: number; failed: number; scored: boolean };

const fixtures = path.join(root, "conformance/server.ts");
const proxyEntry = path.join(root, "packages/bcp-mcp-server/src/index.ts");
const server = Bun.spawn([...hardened, fixtures], { stdout: "pipe", stderr: "inherit", env: process.env });
// Behind the proxy the same fixtures are reached over stdio: what no scenario of the suite tries by itself.
const proxy = startProxy("alone", ["--", ...hardened, fixtures, "--stdio"]);
const several = startProxy("several", ["--servers", serversFile()]);
let failed = 0;
let passed = 0;
try {
  const url = addressIn(await firstLine(server.stdout));
  const proxyUrl = addressIn(await firstLine(proxy.stderr));
  const severalUrl = addressIn(await firstLine(several.stderr));
  const client = [...hardened, path.join(root, "conformance/client.ts")].map(quoted).join(" ");
  const rows: string[][] = [];
  for (const revision of REVISIONS) {
    for (const [leg, ...args] of [
      ["server", "--url", url],
      ["client", "--command", client],
      ["server through the proxy", "--url", proxyUrl],
      ["server through the proxy, beside another", "--url", severalUrl],
    ] as const) {
      const scenarios = await run([leg.split(" ")[0] ?? leg, ...args, "--requirements", revision]);
      const scored = scenarios.filter((scenario) => scenario.scored);
      const bad = scenarios.filter((scenario) => scenario.failed > 0);
      passed += scenarios.length - bad.length;
      failed += bad.length;
      for (const { name } of bad) console.log(`FAILED  ${revision} ${leg} ${name}`);
      rows.push([
        `${revision} ${leg}`,
        `${scored.filter((scenario) => scenario.failed === 0).length}/${scored.length}`,
        `${scenarios.filter((scenario) => !scenario.scored && scenario.failed === 0).length}/${scenarios.length - scored.length}`,
        String(scenarios.reduce((sum, scenario) => sum + scenario.passed, 0)),
        String(scenarios.reduce((sum, scenario) => sum + scenario.failed, 0)),
      ]);
    }
  }
  table(["requirement set, leg", "scored scenarios", "unscored", "checks passed", "checks failed"], rows);
} finally {
  server.kill();
  proxy.kill();
  several.kill();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function startProxy(name: string, behind: string[]): Bun.Subprocess<"ignore", "inherit", "pipe"> {
  return Bun.spawn([...hardened, proxyEntry, "--mode", "proxy", "--listen", "0", ...behind], {
    stdout: "inherit",
    stderr: "pipe",
    // Pins of fixtures that change with us do not belong into anybody's real state folder.
    env: { ...process.env, XDG_STATE_HOME: path.join(scratch, name) },
  });
}

/** The fixtures, and beside them a server that has nothing to do with what the suite asks for. */
function serversFile(): string {
  const [command, ...flags] = hardened;
  const file = path.join(scratch, "servers.json");
  const servers = {
    fixtures: { command, args: [...flags, fixtures, "--stdio"] },
    reader: { command, args: [...flags, proxyEntry, "--mode", "reader"] },
  };
  writeFileSync(file, JSON.stringify({ mcpServers: servers }));
  return file;
}

async function run(args: string[]): Promise<Scenario[]> {
  const child = Bun.spawn([...hardened, suite, ...args], {
    cwd: scratch,
    stdout: "pipe",
    stderr: "pipe",
    env: process.env,
  });
  const [out, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if (process.argv.includes("--verbose")) console.log(out, problems);
  const scenarios = parseSummary(out);
  if (scenarios.length === 0)
    throw new Error(`the suite reported no scenario:\n${out.slice(-2000)}\n${problems.slice(-2000)}`);
  return scenarios;
}

/** Lines like "✓ tools-list: 3 passed, 0 failed", then "  ✓ json-schema (pending)" for those that do not count. */
function parseSummary(out: string): Scenario[] {
  const summary = out.slice(out.lastIndexOf("SUMMARY ==="));
  const unscored = new Set([...summary.matchAll(/^ {2}\S+ (\S+) \([a-z-]+\)$/gm)].map((match) => match[1]));
  return [...summary.matchAll(/^\S+ (\S+): (\d+) passed, (\d+) failed/gm)].flatMap(([, name = "", ok, bad]) =>
    name === "" ? [] : [{ name, passed: Number(ok), failed: Number(bad), scored: !unscored.has(name) }],
  );
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the fixture server ended before it listened");
    text += new TextDecoder().decode(value);
  }
  return text.slice(0, text.indexOf("\n"));
}

function addressIn(line: string): string {
  const address = /http:\/\/\S+/.exec(line)?.[0];
  if (address === undefined) throw new Error(`no address in: ${line}`);
  return address;
}

function table(head: string[], rows: string[][]): void {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows])
    console.log(row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  "));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
