// What a person may type, and what is said when it is wrong.
import { afterAll, expect, test } from "bun:test";
import { parseProxyConfig } from "../src/proxy-config.ts";
import { bun, cleanUp, faulty, reasonOf, record, run, start } from "./proxy-process.ts";

afterAll(cleanUp);

test("a value may follow its option after a blank or an equals sign", () => {
  const parsed = parseProxyConfig(["--budget=100", "--emit", "bcp", "--render-mode=minimal", "--", "x", "--a=b"], {});
  expect(parsed).toMatchObject({ budget: 100, renderMode: "minimal", server: { command: "x", args: ["--a=b"] } });
});

test.each<[string[], Record<string, string>, string | undefined]>([
  [[], {}, undefined],
  [["--render-mode", "markdown"], {}, "markdown"],
  [[], { BCP_RENDER_MODE: "minimal" }, "minimal"],
  [["--render-mode", "xml"], { BCP_RENDER_MODE: "minimal" }, "xml"],
  [["--emit", "bcp"], {}, "xml"],
  [["--emit", "text", "--render-mode", "xml"], {}, undefined],
  [["--emit", "text"], { BCP_RENDER_MODE: "minimal" }, undefined],
])("%p with %p renders as %p", (words, env, renderMode) => {
  expect(parseProxyConfig([...words, "--", "x"], env).renderMode as string | undefined).toBe(renderMode);
});

test("--downstream-args: commas part them, and nothing is none", () => {
  const argsOf = (words: string): unknown =>
    parseProxyConfig(["--downstream-command", "x", "--downstream-args", words], {}).server;
  expect(argsOf("-y,pkg,/tmp")).toMatchObject({ args: ["-y", "pkg", "/tmp"] });
  expect(argsOf("")).toMatchObject({ args: [] });
});

test.each([
  [["--stats=yes", "--", "x"], /--stats takes no value/],
  [["--budget", "60.5", "--", "x"], /--budget must be a whole number/],
  [["--budget", "30", "--", "x"], /--budget must be a whole number from 50/],
  [["--listen=1.5", "--", "x"], /--listen must be a whole number/],
  [["--downstream-command", "x", "--", "y"], /not several/],
  [["--header", "A: b", "--", "x"], /--header goes with --url/],
  [["--downstream-args", "a", "--", "x"], /--downstream-args goes with --downstream-command/],
  [["--allow-dir", "/tmp", "--", "x"], /--allow-dir goes with --bcp-tools on/],
  [["--url", "http://127.0.0.1:1/", "--header", "no colon"], /of the form 'Name: value'/],
  [["--url", "http://127.0.0.1:1/", "--header", "A b: c"], /"A b": that cannot stand in a header/],
  [["--url", "http://127.0.0.1:1/", "--header", "A: ${ABSENT}"], /the variable ABSENT is not set/],
])("%p is refused", (words, why) => {
  expect(() => parseProxyConfig(words, {})).toThrow(why);
});

test.each([
  [{ BCP_DETECT_THRESHOLD: "sure" }, /^BCP_DETECT_THRESHOLD must be a number from 0 to 1/],
  [{ BCP_RENDER_MODE: "html" }, /^BCP_RENDER_MODE must be xml, markdown or minimal/],
  [{ BCP_LOG_LEVEL: "loud" }, /^BCP_LOG_LEVEL must be debug, info, warn or error/],
])("%p is refused by its name", (env, why) => {
  expect(() => parseProxyConfig(["--", "x"], env)).toThrow(why);
});

test("--allow-dir may be said more than once", () => {
  const words = ["--bcp-tools", "on", "--allow-dir", "a", "--allow-dir=b", "--", "x"];
  expect(parseProxyConfig(words, {}).allowDirs).toEqual(["a", "b"]);
});

test.concurrent("--header reaches the server with every request, and variables are read here", async () => {
  const seen: (string | null)[][] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ headers }) {
      seen.push([headers.get("authorization"), headers.get("x-team")]);
      return new Response(null, { status: 404 });
    },
  });
  const headers = ["--header", "Authorization: Bearer ${TEST_TOKEN}", "--header", "X-Team: deck: one"];
  const proxied = start({
    behind: ["--url", `http://127.0.0.1:${server.port}/mcp`, ...headers],
    env: { TEST_TOKEN: "s3cret" },
  });
  await reasonOf(proxied.then((connected) => connected[Symbol.asyncDispose]()));
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.every(([token, team]) => token === "Bearer s3cret" && team === "deck: one")).toBe(true);
});

test.concurrent("a port that is taken is said in one line", async () => {
  const other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = other;
  const { code, err } = await run(["--listen", String(port), "--", ...bun, faulty, record()]);
  await other.stop(true);
  expect({ code, err }).toEqual({
    code: 2,
    err: `bosun proxy: --listen ${port}: the port is in use\nTry: bosun proxy --help\n`,
  });
});
