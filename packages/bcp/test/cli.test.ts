import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createMemoryStore, decode, encode, encodePlain, outputFailure, runBcp } from "../src/index.ts";
import { runCollected } from "./run.ts";
import { hex } from "./vectors/hex.ts";
import { TOUR, TOUR_MINIMAL } from "./vectors/tour.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const MANIFEST = '{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}';
const EXTENDED = '{"blocks":[{"type":"tool_result","tool_name":"ls","content":"a","summary":"s"}]}';
const HI = "42435000010000000200080100020201026869ff010000";

let cwd = "";
const at = (name: string): string => path.join(cwd, name);
const run = (
  argv: readonly string[],
  setting: { stdin?: Uint8Array | string; interactive?: boolean; fixedOptions?: boolean } = {},
) => runCollected(argv, { cwd, ...setting });

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "bcp-cli-"));
  await mkdir(at("sub"));
  const document = { type: "document", title: "T", content: utf8("twice"), formatHint: "plain" } as const;
  await Promise.all([
    writeFile(at("tour.bcp"), TOUR),
    writeFile(at("cut.bcp"), TOUR.subarray(0, 60)),
    writeFile(at("trailing.bcp"), Buffer.concat([TOUR, Uint8Array.of(1, 2)])),
    writeFile(at("dedup.bcp"), encodePlain([document, document], { dedup: true, store: createMemoryStore() })),
    writeFile(at("addressed.bcp"), encodePlain([{ ...document, address: true }], { store: createMemoryStore() })),
    writeFile(
      at("packed.bcp"),
      await encode([{ ...document, content: utf8("x".repeat(500)) }], { compressPayload: true }),
    ),
    writeFile(at("hi.json"), MANIFEST),
    writeFile(at("extended.json"), EXTENDED),
    writeFile(at("latin1.json"), Uint8Array.of(0x7b, 0xe9, 0x7d)),
  ]);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe("standard streams", () => {
  test("a payload from standard input", async () => {
    const decoded = await run(["decode", "-", "--mode", "minimal", "--include", "code,conversation"], { stdin: TOUR });
    expect(decoded).toMatchObject({ exit: 0, stdout: "--- a.py [python] ---\na + b\n\n[tool] ok\n", stderr: "" });
    expect((await run(["validate", "-"], { stdin: TOUR })).exit).toBe(0);
    expect((await run(["inspect", "-"], { stdin: TOUR })).stdout).toEndWith(
      `END sentinel at offset ${TOUR.length - 4}\n`,
    );
    expect((await run(["stats", "-"], { stdin: TOUR })).stdout).toStartWith(`File:    -  (${TOUR.length} bytes)\n`);
  });

  test("a manifest from standard input, a payload to standard output, the report out of its way", async () => {
    const encoded = await run(["encode", "-", "-o", "-"], { stdin: MANIFEST });
    expect([encoded.exit, hex(encoded.bytes), encoded.stderr]).toEqual([0, HI, "Wrote 23 bytes to -\n"]);
  });

  test("when nobody reads on, nothing more is rendered", async () => {
    const block = { type: "conversation", role: "user", content: new Uint8Array(100_000).fill(0x61) } as const;
    const payload = encodePlain(Array.from({ length: 50 }, () => block));
    let chunks = 0;
    const stdout = (): void => {
      chunks++;
      throw outputFailure(Object.assign(new Error("nobody"), { code: "EPIPE" }));
    };
    async function* stdin(): AsyncGenerator<Uint8Array, void> {
      yield payload;
    }
    const exit = await runBcp(["decode", "-"], { cwd, stdin: stdin(), stdout, stderr: () => {} });
    expect([exit, chunks]).toEqual([0, 1]);
  });

  test("input that does not begin like a payload is not read to its end", async () => {
    let chunks = 0;
    async function* endless(): AsyncGenerator<Uint8Array, void> {
      for (; chunks < 1000; chunks++) yield new Uint8Array(4096);
    }
    const exit = await runBcp(["validate", "-"], { cwd, stdin: endless(), stdout: () => {}, stderr: () => {} });
    expect([exit, chunks]).toEqual([1, 0]);
  });
});

describe("help", () => {
  test.each([[["--help"]], [["-h"]], [["help"]], [["help", "help"]], [["-v", "--help"]]])("%p", async (argv) => {
    const { exit, stdout } = await run(argv);
    expect(exit).toBe(0);
    expect(stdout).toContain("bcp encode context.json -o context.bcp");
  });

  test.each(["encode", "decode", "inspect", "validate", "stats"])("of %s names all its options", async (command) => {
    const asked = await run([command, "--help"]);
    expect(asked).toMatchObject({ exit: 0, stderr: "" });
    expect(asked.stdout).toContain(`Usage: bcp ${command}`);
    expect(asked.stdout).toContain("--json");
    expect(asked.stdout).toContain("Examples:");
    expect(await run(["help", command])).toEqual(asked);
  });
});

describe("wrong usage ends in 2", () => {
  test.each([
    [[], "a command is missing"],
    [["frobnicate"], "unknown command"],
    [["help", "frobnicate"], "no help for"],
    [["decode"], "a file is missing"],
    [["decode", "a", "b"], "one file at a time"],
    [["decode", "tour.bcp", "--bogus"], "unknown option --bogus"],
    [["decode", "tour.bcp", "-x"], "unknown option -x"],
    [["decode", "tour.bcp", "--budget"], "--budget needs a value"],
    [["decode", "tour.bcp", "--budget", "-1"], "--budget needs a value"],
    [["decode", "tour.bcp", "--budget", "1.5"], "--budget must be a whole number"],
    [["decode", "tour.bcp", "--budget=4294967296"], "--budget must be a whole number"],
    [["decode", "tour.bcp", "--mode", "xml", "--mode=md"], "--mode cannot be used twice"],
    [["decode", "tour.bcp", "--json=1"], "--json takes no value"],
    [["decode", "tour.bcp", "--summaries", "some"], "--summaries must be code or all"],
    [["inspect", "tour.bcp", "--block", "x"], "--block must be a whole number"],
    [["inspect", "tour.bcp", "--block", "18446744073709551616"], "--block must be a whole number"],
    [["encode", "hi.json"], "-o is missing"],
    [["-o", "x"], "unknown option -o"],
  ])("%p", async (argv, problem) => {
    const { exit, stdout, stderr } = await run(argv);
    expect([exit, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(problem);
    expect(stderr).toContain("bcp --help");
  });

  test.each([
    [["decode", "--mode=minimal", "--", "tour.bcp"]],
    [["-v", "--no-color", "decode", "tour.bcp", "--mode", "MINIMAL"]],
    [["decode", "tour.bcp", "-v", "--mode", "minimal", "--budget", "+4294967295", "--verbosity", "FULL"]],
  ])("but this is right: %p", async (argv) => {
    expect(await run(argv)).toMatchObject({ exit: 0, stdout: `${TOUR_MINIMAL}\n` });
  });
});

describe("errors", () => {
  test.each([
    [["decode", "absent.bcp"], "error: cannot read absent.bcp: No such file or directory (os error 2)\n"],
    [["decode", "."], "error: cannot read .: Is a directory (os error 21)\n"],
    [["decode", ""], "error: cannot read : No such file or directory (os error 2)\n"],
    [["encode", "hi.json", "-o", ""], "error: cannot write : No such file or directory (os error 2)\n"],
    [["encode", "latin1.json", "-o", "x"], "error: cannot read latin1.json: stream did not contain valid UTF-8\n"],
    [
      ["encode", "hi.json", "-o", "no/such/place"],
      "error: cannot write no/such/place: No such file or directory (os error 2)\n",
    ],
    [["decode", "tour.bcp", "-o", "sub"], "error: cannot write sub: Is a directory (os error 21)\n"],
    [["inspect", "cut.bcp"], "error: failed to decode cut.bcp: unexpected end of input at offset 6\n"],
  ])("%p is one line", async (argv, stderr) => {
    expect(await run(argv)).toMatchObject({ exit: 1, stdout: "", stderr });
  });

  test("say where and what to do when asked to, or when somebody is looking", async () => {
    const quiet = await run(["stats", "trailing.bcp"]);
    expect(quiet.stderr).toBe("error: failed to decode trailing.bcp: unexpected data after END sentinel (2 bytes)\n");
    const note = `note: at byte ${TOUR.length} (0x${TOUR.length.toString(16)}) of the file; something was appended to the file, or END came too early; --lenient reads it anyway\n`;
    expect((await run(["stats", "trailing.bcp", "-v"])).stderr).toBe(quiet.stderr + note);
    expect((await run(["stats", "trailing.bcp"], { interactive: true })).stderr).toBe(quiet.stderr + note);
  });

  test("name the way out", async () => {
    expect((await run(["-v", "encode", "extended.json", "-o", "x"])).stderr).toContain(
      "note: --extended reads this manifest",
    );
    expect((await run(["validate", "addressed.bcp", "-v"])).stderr).toContain("--store can supply the body");
  });

  test("are JSON for programs", async () => {
    const { exit, stdout, stderr } = await run(["inspect", "cut.bcp", "--json"]);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        message: "failed to decode cut.bcp: unexpected end of input at offset 6",
        code: "UnexpectedEof",
        offset: 54,
        block: 2,
      },
    });
    expect(stderr).toStartWith("error: ");
    expect(JSON.parse((await run(["validate", "cut.bcp", "--json"])).stdout)).toMatchObject({
      valid: false,
      error: { offset: 54 },
    });
  });
});

describe("results for programs", () => {
  test("inspect", async () => {
    const report = JSON.parse((await run(["inspect", "tour.bcp", "--json", "--block", "0"])).stdout);
    expect(report).toEqual({
      file: "tour.bcp",
      bytes: TOUR.length,
      version: "1.0",
      flags: 0,
      block_count: 12,
      blocks: [
        {
          index: 0,
          type: "code",
          flags: 1,
          size: 5,
          summary: "Adds.",
          lang: "python",
          path: "a.py",
          line_start: 7,
          line_end: 8,
        },
      ],
    });
    const all = JSON.parse((await run(["inspect", "tour.bcp", "--json"])).stdout);
    expect(all.blocks.map(({ type }: { type: string }) => type)).toEqual(decode(TOUR).blocks.map(({ type }) => type));
  });

  test("validate, stats, decode, encode", async () => {
    expect(JSON.parse((await run(["validate", "tour.bcp", "--json"])).stdout)).toEqual({
      file: "tour.bcp",
      valid: true,
      version: "1.0",
      block_count: 12,
    });
    const stats = JSON.parse((await run(["stats", "packed.bcp", "--json"])).stdout);
    expect(stats).toMatchObject({ compressed: true, content_bytes: 500, tokens: { minimal: 127 } });
    const decoded = JSON.parse((await run(["decode", "tour.bcp", "--mode", "minimal", "--json"])).stdout);
    expect(decoded.text).toBe(TOUR_MINIMAL);
    expect(decoded.blocks[0]).toEqual({ index: 0, type: "code", decision: "full" });
    expect(JSON.parse((await run(["encode", "hi.json", "-o", "j.bcp", "--json"])).stdout)).toEqual({
      output: "j.bcp",
      bytes: 23,
    });
  });
});

test("no option is recommended to somebody who cannot choose one", async () => {
  await writeFile(
    at("binary.bcp"),
    encodePlain([{ type: "image", mediaType: "png", altText: "", data: Uint8Array.of(255) }]),
  );
  for (const [argv, note] of [
    [["validate", "trailing.bcp"], "note: at byte "],
    [["decode", "trailing.bcp"], "note: at byte "],
    [["decode", "addressed.bcp"], "note: at byte "],
    [["decode", "binary.bcp"], ""],
    [["decode", "tour.bcp", "--include", "annotation"], "note: the file has no block"],
  ] as const) {
    const told = (await run(argv, { interactive: true, fixedOptions: true })).stderr;
    expect(told).toContain(note);
    expect(told.replaceAll(/[^ ]*\.bcp/g, "")).not.toMatch(/ --?[a-z]/);
    if (argv.length === 2) expect((await run(argv, { interactive: true })).stderr).toContain(" --");
  }
});

describe("what the reference's tool cannot do", () => {
  test("read a deduplicated file", async () => {
    expect((await run(["decode", "dedup.bcp", "--mode", "minimal"])).stdout).toBe(
      "--- T ---\ntwice\n\n--- T ---\ntwice\n",
    );
    expect((await run(["validate", "dedup.bcp"])).exit).toBe(0);
    const strict = await run(["validate", "dedup.bcp", "--strict-references"]);
    expect(strict.stdout).toBe("✗ Error: content-addressed reference block found but no content store available\n");
  });

  test("take bodies from a store, after checking them", async () => {
    const store = createMemoryStore();
    const [block] = decode(await readFile(at("dedup.bcp"))).blocks;
    const plain = block ? encodePlain([block]).slice(11, -4) : utf8("");
    await writeFile(at("store.json"), JSON.stringify({ [hex(store.put(plain))]: hex(plain) }));
    expect((await run(["decode", "addressed.bcp", "--mode", "minimal", "--store", "store.json"])).stdout).toBe(
      "--- T ---\ntwice\n",
    );
    await writeFile(at("lying.json"), JSON.stringify({ ["00".repeat(32)]: hex(plain) }));
    expect((await run(["decode", "addressed.bcp", "--store", "lying.json"])).stderr).toContain("has another hash");
    const other = await run(["validate", "addressed.bcp", "--store", "empty.json"]);
    expect(other.stderr).toStartWith("error: cannot read empty.json");
    await writeFile(at("empty.json"), "{}");
    const unresolved = await run(["validate", "addressed.bcp", "--store", "empty.json"]);
    expect(unresolved.stdout).toBe(`✗ Error: unresolved BLAKE3 reference ${hex(store.put(plain)).slice(0, 16)}…\n`);
    await writeFile(at("bad.json"), '{\n "ab": 1}');
    expect((await run(["validate", "addressed.bcp", "--store", "bad.json"])).stderr).toBe(
      "error: bad store bad.json: expected a body in hex at line 2 column 8\n",
    );
  });

  test("read past END, with a warning", async () => {
    const lenient = await run(["inspect", "trailing.bcp", "--lenient"]);
    expect([lenient.exit, lenient.stderr]).toEqual([0, "warning: 2 bytes after END ignored\n"]);
  });

  test("encode the extended manifest", async () => {
    expect((await run(["encode", "extended.json", "-o", "e.bcp"])).exit).toBe(1);
    expect((await run(["encode", "extended.json", "-o", "e.bcp", "--extended"])).exit).toBe(0);
    expect(decode(await readFile(at("e.bcp"))).blocks).toMatchObject([{ toolName: "ls", summary: "s" }]);
  });
});

describe("inspect", () => {
  test.each(["12", "9007199254740993", "18446744073709551615"])(
    "a block that is not there, %s, is no error",
    async (n) => {
      const { exit, stdout } = await run(["inspect", "tour.bcp", "--block", n]);
      expect([exit, stdout]).toEqual([0, expect.not.stringContaining("Block ")]);
    },
  );

  test("shows a body as it is, but nothing that a terminal would obey", async () => {
    const content = utf8("one\r\n\ttwo\rthree\u001b]0;title\u0007\u009b2J \u202egnp.exe\u0000 \\ é😀\u200d");
    await writeFile(
      at("obeyed.bcp"),
      encodePlain([{ type: "tool_result", toolName: "ls\u001b[2K\r", status: "ok", content }]),
    );
    const { stdout } = await run(["inspect", "obeyed.bcp", "--show-body"]);
    expect(stdout).toContain("TOOL_RESULT [ls\\u{1b}[2K\\r] status=ok");
    expect(stdout).toContain(
      "         Body:    one\\r\n\ttwo\\rthree\\u{1b}]0;title\\u{7}\\u{9b}2J \\u{202e}gnp.exe\\0 \\ é😀\u200d\n",
    );
  });

  test("quotes what cannot be seen, cuts long bodies, dumps bytes", async () => {
    const content = utf8("漢".repeat(81));
    await writeFile(
      at("odd.bcp"),
      encodePlain([
        { type: "code", lang: 66, path: "a\"\\\n\u001b\u00a0e\u0301😀'", content },
        { type: "code", lang: "unknown", path: "", content: utf8("\u0000 ~") },
      ]),
    );
    const { stdout } = await run(["inspect", "odd.bcp", "--show-body"]);
    expect(stdout).toContain(`Block 0: CODE [other(66)] path="a\\"\\\\\\n\\u{1b}\\u{a0}e\\u{301}😀'" (243 bytes)\n`);
    expect(stdout).toContain(`         Body:    ${"漢".repeat(80)}…\n`);
    const dump = await run(["inspect", "odd.bcp", "--show-hex", "--block=1"]);
    expect(dump.stdout).toContain(
      `Block 1: CODE [unknown] path="" (3 bytes)\n         Hex dump:\n           0000  00 20 7e${" ".repeat(42)}..~\n`,
    );
  });
});
