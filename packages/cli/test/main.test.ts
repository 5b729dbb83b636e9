// The command line as a whole: what is there, what was meant, and what it costs to be wrong.
import { expect, test } from "bun:test";
import { Place } from "./harness/bosun.ts";
import { COMMANDS } from "../src/commands.ts";

test.concurrent.each<[string, string[], string]>([
  ["a command", ["srve"], "did you mean serve?"],
  ["a command with a swap", ["dcotor"], "did you mean doctor?"],
  ["an option of serve", ["serve", "--prot", "1"], "did you mean --port?"],
  ["an option of doctor", ["doctor", "--jsn"], "did you mean --json?"],
  ["an option of audit", ["audit", "--verdit", "deny"], "did you mean --verdict?"],
  ["a choice of audit", ["audit", "--verdict", "dney"], "did you mean deny?"],
  ["a word of audit", ["audit", "verfy"], "did you mean verify?"],
  ["a client of init", ["init", "cursr"], "did you mean cursor?"],
  ["an option of init", ["init", "cursor", "--prxy"], "did you mean --proxy?"],
  ["a shell", ["completions", "bsh"], "did you mean bash?"],
  ["a topic", ["help", "secrity"], "did you mean security?"],
  ["an option of the proxy", ["proxy", "--budgt", "5", "--", "true"], "did you mean --budget?"],
  ["a command of bcp", ["bcp", "inspct", "x.bcp"], "did you mean inspect?"],
  ["an option of bcp-mcp-server", ["bcp-mcp-server", "--alow-dir", "."], "did you mean --allow-dir?"],
])("a mistyped name suggests the nearest: %s", async (_, words, said) => {
  using place = new Place();
  const { code, err, out } = await place.run(words);
  expect(err).toContain(said);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

test.concurrent.each<[string, string[], string]>([
  ["an address that is not ours", ["serve", "--host", "8.8.8.8", "--token", "t"], "this machine has no such address"],
  [
    "a name that nobody knows",
    ["serve", "--host", "nobody.invalid", "--token", "t"],
    "no machine of that name is known",
  ],
  ["a folder of records that is not there", ["audit", "--folder", "none"], "--folder: none does not exist"],
  [
    "a servers file that is not there",
    ["proxy", "--servers", "none.json"],
    "--servers none.json: there is no such file",
  ],
])("what cannot be used is said in plain words: %s", async (_, words, said) => {
  using place = new Place();
  const { code, err, out } = await place.run(words);
  expect(err).toContain(said);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

test.concurrent.each(Object.keys(COMMANDS))("bosun %s --help teaches with an example", async (name) => {
  using place = new Place();
  const { code, out, err } = await place.run([name, "--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Usage: /m);
  expect(out).toMatch(/Examples?:|Start here:|configuration:/);
  expect((await place.run(["help", name])).out).toBe(out);
});

test.each(["security", "protocol", "settings", "files", "environment"])("bosun help %s is a page", async (topic) => {
  using place = new Place();
  const { code, out } = await place.run(["help", topic]);
  expect(code).toBe(0);
  expect(out.split("\n").length).toBeGreaterThan(5);
});

test("without words it says what there is", async () => {
  using place = new Place();
  const { code, out } = await place.run([]);
  expect(code).toBe(0);
  for (const name of Object.keys(COMMANDS)) expect(out).toContain(`  ${name} `);
});

test("a server that was told to stop ends, though its input is still open", async () => {
  using place = new Place();
  const { FROM_SOURCES } = await import("./harness/bosun.ts");
  const child = Bun.spawn([...FROM_SOURCES, "serve", "--transport", "stdio"], {
    cwd: place.work,
    env: place.env,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"ping"}\n`);
  await child.stdin.flush();
  await child.stdout.getReader().read();
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
