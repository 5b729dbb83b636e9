// What a person may type, and what is said when it is wrong.
import { afterAll, expect, test } from "bun:test";
import { parseProxyConfig } from "../src/proxy/proxy-config.ts";
import { bun, cleanUp, faulty, record, run } from "./proxied.ts";

afterAll(cleanUp);

test("a value may follow its option after a blank or an equals sign", () => {
  const parsed = parseProxyConfig(["--budget=100", "--emit", "bcp", "--render-mode=minimal", "--", "x", "--a=b"], {});
  expect(parsed).toMatchObject({ budget: 100, emitBcp: "minimal", server: { command: "x", args: ["--a=b"] } });
});

test("--downstream-args: commas part them, and nothing is none", () => {
  const argsOf = (words: string): unknown =>
    parseProxyConfig(["--downstream-command", "x", "--downstream-args", words], {}).server;
  expect(argsOf("-y,pkg,/tmp")).toMatchObject({ args: ["-y", "pkg", "/tmp"] });
  expect(argsOf("")).toMatchObject({ args: [] });
});

test.each([
  [["--stats=yes", "--", "x"], /unknown option --stats=yes/],
  [["--budget", "1.5", "--", "x"], /--budget must be a whole number/],
  [["--listen=1.5", "--", "x"], /--listen must be a whole number/],
  [["--downstream-command", "x", "--", "y"], /not several/],
])("%p is refused", (words, why) => {
  expect(() => parseProxyConfig(words, {})).toThrow(why);
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
