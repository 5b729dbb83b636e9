// The README's examples, as they stand there, and the example programs.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { connectChild, connectHttp } from "../src/client/connect.ts";
import { BUN } from "./fixtures/stdio-child.ts";

const PACKAGE = path.resolve(import.meta.dirname, "..");
// Inside the package, so that `@bosun/mcp` is found the way a user's program finds it.
const folder = mkdtempSync(path.join(PACKAGE, "test", "readme-"));
afterAll(() => rmSync(folder, { recursive: true }));

const README = readFileSync(path.join(PACKAGE, "README.md"), "utf8");
const example = (name: string): string => new RegExp(`\`\`\`ts ${name}\n([\\s\\S]*?)\`\`\``).exec(README)?.[1] ?? "";

describe("the README", () => {
  test("has a server of 15 lines and a client of 10, and they work together", async () => {
    const [server, client] = [example("server"), example("client")];
    const lines = (text: string): number => text.split("\n").filter((line) => line.trim() !== "").length;
    expect(lines(server)).toBeGreaterThan(5);
    expect(lines(server)).toBeLessThanOrEqual(15);
    expect(lines(client)).toBeGreaterThan(3);
    expect(lines(client)).toBeLessThanOrEqual(10);
    writeFileSync(path.join(folder, "server.ts"), server);
    writeFileSync(path.join(folder, "client.ts"), client.replace(`"bun"`, JSON.stringify(BUN[0])));
    const child = Bun.spawn([...BUN, "client.ts"], {
      cwd: folder,
      stdout: "pipe",
      stderr: "pipe",
      env: { PATH: process.env["PATH"] ?? "" },
    });
    const [out, problems] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ out, problems }).toEqual({ out: "greet: Greets somebody.\nHello, Ada!\n", problems: "" });
    expect(await child.exited).toBe(0);
  });
});

describe("the examples", () => {
  const [command = "", ...flags] = BUN;
  test("echo over stdio", async () => {
    const client = await connectChild(
      { command, args: [...flags, path.join(PACKAGE, "examples/echo-stdio.ts")] },
      { name: "c", version: "0" },
    );
    expect((await client.callTool("echo", { text: "ü" })).content).toEqual([{ type: "text", text: "ü" }]);
    await client.close();
  });

  test("echo over HTTP prints its address and a configuration that names it", async () => {
    const child = Bun.spawn([...BUN, path.join(PACKAGE, "examples/echo-http.ts")], {
      stdout: "pipe",
      stderr: "inherit",
      lazy: true,
      env: {},
    });
    const said = new TextDecoder().decode((await child.stdout.getReader().read()).value);
    const configuration = JSON.parse(/^\s*(\{.*\})$/m.exec(said)?.[1] ?? "{}") as {
      mcpServers: { echo: { url: string } };
    };
    const client = await connectHttp(configuration.mcpServers.echo.url, { name: "c", version: "0" });
    expect((await client.callTool("echo", { text: "ü" })).content).toEqual([{ type: "text", text: "ü" }]);
    await client.close();
    child.kill();
  });
});
