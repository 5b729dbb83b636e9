import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  decode,
  DecodeError,
  encode,
  estimateHeuristic,
  MAX_PAYLOAD_BYTES,
  render,
  renderDetailed,
} from "../src/index.ts";
import type { BcpIo, NewBlock } from "../src/index.ts";
import { runCollected } from "./run.ts";
import { hex } from "./vectors/hex.ts";
import { TOUR } from "./vectors/tour.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const HI = "42435000010000000200080100020201026869ff010000";

let cwd = "";
const at = (name: string): string => path.join(cwd, name);
const run = (argv: readonly string[]) => runCollected(argv, { cwd });

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "bcp-files-"));
  await mkdir(at("sub"));
  const document = { type: "document", title: "T", content: utf8("x".repeat(500)), formatHint: "plain" } as const;
  await Promise.all([
    writeFile(at("tour.bcp"), TOUR),
    writeFile(at("packed.bcp"), await encode([document], { compressPayload: true })),
    writeFile(at("hi.json"), '{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}'),
    writeFile(at("sub/file.json"), '{"blocks":[{"type":"document","title":"T","content_file":"c.txt"}]}'),
    writeFile(at("sub/c.txt"), "beside the manifest"),
  ]);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

describe("files", () => {
  test("what becomes a link after a host has judged its name is replaced, not followed", async () => {
    await writeFile(at("elsewhere"), "untouched");
    const resolvePath = async (name: string, access: "read" | "write"): Promise<string> => {
      if (access === "write") await symlink(at("elsewhere"), at("swapped.bcp"));
      return at(name);
    };
    const { exit } = await runCollected(["encode", "hi.json", "-o", "swapped.bcp"], { cwd, resolvePath });
    expect([exit, await readFile(at("elsewhere"), "utf8")]).toEqual([0, "untouched"]);
    expect(hex(await readFile(at("swapped.bcp")))).toBe(HI);
  });

  test("content_file starts at the manifest", async () => {
    expect((await run(["encode", "sub/file.json", "-o", "f.bcp"])).exit).toBe(0);
    expect((await run(["decode", "f.bcp", "--mode", "minimal"])).stdout).toBe("--- T ---\nbeside the manifest\n");
  });

  test("a file is replaced whole, keeps its mode, and leaves nothing behind", async () => {
    await writeFile(at("old.bcp"), "old");
    await chmod(at("old.bcp"), 0o666);
    expect((await run(["encode", "hi.json", "-o", "old.bcp"])).stdout).toBe("Wrote 23 bytes to old.bcp\n");
    expect(hex(await readFile(at("old.bcp")))).toBe(HI);
    expect((await stat(at("old.bcp"))).mode & 0o777).toBe(0o666);
    expect((await readdir(cwd)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("a name may be as long as a name can be", async () => {
    for (const name of [`${"漢".repeat(83)}.bcp`, `${"a".repeat(251)}.bcp`]) {
      expect(await run(["encode", "hi.json", "-o", name])).toMatchObject({ exit: 0, stderr: "" });
      expect(hex(await readFile(at(name)))).toBe(HI);
    }
  });

  test("a failed encode leaves the old file", async () => {
    await writeFile(at("keep.bcp"), "old");
    await writeFile(at("none.json"), '{"blocks":[]}');
    expect((await run(["encode", "none.json", "-o", "keep.bcp"])).exit).toBe(1);
    expect(await readFile(at("keep.bcp"), "utf8")).toBe("old");
  });

  test("a link is written through", async () => {
    await writeFile(at("target.bcp"), "old");
    await symlink("target.bcp", at("link.bcp"));
    await symlink("fresh.bcp", at("dangling.bcp"));
    await run(["encode", "hi.json", "-o", "link.bcp"]);
    await run(["encode", "hi.json", "-o", "dangling.bcp"]);
    for (const link of ["link.bcp", "dangling.bcp"]) expect((await lstat(at(link))).isSymbolicLink()).toBe(true);
    for (const file of ["target.bcp", "fresh.bcp"]) expect(hex(await readFile(at(file)))).toBe(HI);
  });

  test("a host can redirect and refuse every path", async () => {
    const seen: string[] = [];
    const resolvePath = (wanted: string, access: string): string => {
      seen.push(`${access} ${wanted}`);
      if (wanted.endsWith("c.txt")) throw new Error(`${wanted} is outside the allowed folders`);
      return at(wanted);
    };
    const refused = await runCollected(["encode", "sub/file.json", "-o", "g.bcp"], { cwd: "/", resolvePath });
    expect(refused.stderr).toBe(
      "error: block 0: failed to apply: cannot read content_file sub/c.txt: sub/c.txt is outside the allowed folders\n",
    );
    expect((await runCollected(["encode", "hi.json", "-o", "g.bcp"], { cwd: "/", resolvePath })).exit).toBe(0);
    expect(seen).toEqual(["read sub/file.json", "read sub/c.txt", "read hi.json", "write g.bcp"]);
  });
});

describe("what a run may cost", () => {
  describe("what encode wrote can be read, however well it packs", () => {
    // Two blocks that take 8 MB each, and are one byte-order mark and a snowman away from plain ASCII.
    const line = (n: number): string => `INFO request ${n} handled path=/items id=${n % 1000} took=${n % 97}ms\n`;
    const content = utf8(`\ufeff${Array.from({ length: 120_000 }, (_, n) => line(n)).join("")}☃`);
    const document = { type: "document", title: "log", content, formatHint: "plain", summary: "a log" } as const;
    const blocks: NewBlock[] = [
      document,
      { type: "code", lang: "rust", path: "a.rs", content: utf8("fn a() {}") },
      document,
    ];
    const limits = { payloadBytes: MAX_PAYLOAD_BYTES, unpackedBytes: MAX_PAYLOAD_BYTES };

    for (const packing of ["compressPayload", "compressBlocks"] as const) {
      test(packing, async () => {
        const payload = await encode(blocks, { [packing]: true });
        expect(() => decode(payload)).toThrow(DecodeError);
        const whole = decode(payload, { limits }).blocks;
        await writeFile(at("logs.bcp"), payload);
        expect(await run(["validate", "logs.bcp"])).toMatchObject({ exit: 0, stderr: "" });
        for (const [words, options] of [
          [[], {}],
          [["--mode", "minimal"], { mode: "minimal" }],
          [["--budget", "100", "--summaries", "all"], { budget: 100, summaries: "all" }],
        ] as const) {
          const { text, blocks: shown } = renderDetailed(whole, options);
          expect(await run(["decode", "logs.bcp", ...words, "-o", "logs.txt"])).toMatchObject({ exit: 0, stderr: "" });
          expect(Buffer.compare(await readFile(at("logs.txt")), Buffer.from(text))).toBe(0);
          const json = await run(["decode", "logs.bcp", ...words, "--json"]);
          expect(json.stdout === `${JSON.stringify({ file: "logs.bcp", text, blocks: shown }, undefined, 2)}\n`).toBe(
            true,
          );
        }
        const { stdout } = await run(["stats", "logs.bcp", "--json"]);
        expect(JSON.parse(stdout)).toMatchObject({
          block_count: 3,
          content_bytes: 2 * content.length + 9,
          tokens: { xml: estimateHeuristic(render(whole, { verbosity: "full" })) },
        });
        const inspected = await run(["inspect", "logs.bcp", "--block", "1"]);
        expect(inspected.stdout).toContain("Block 1: CODE");
        expect(inspected.stdout).not.toContain("Block 0");
      });

      test(`${packing}, broken at its end: nothing is written`, async () => {
        const payload = await encode(
          [...blocks, { type: "image", mediaType: "png", altText: "", data: Uint8Array.of(255) }],
          {
            [packing]: true,
          },
        );
        await writeFile(at("picture.bcp"), payload);
        expect(await run(["decode", "picture.bcp"])).toMatchObject({
          exit: 1,
          stdout: "",
          stderr: "error: driver render failed: invalid UTF-8 in block content at index 3\n",
        });
        await writeFile(at("cut.bcp"), payload.subarray(0, -6));
        expect(await run(["decode", "cut.bcp"])).toMatchObject({ exit: 1, stdout: "" });
      });
    }

    test("bytes after END are an error here too, or a warning", async () => {
      const payload = await encode(blocks, { compressBlocks: true });
      await writeFile(at("tail.bcp"), Buffer.concat([payload, Uint8Array.of(1, 2)]));
      const strict = await run(["validate", "tail.bcp", "--json"]);
      expect(JSON.parse(strict.stdout).error).toMatchObject({ code: "TrailingData", offset: payload.length });
      const lenient = await run(["validate", "tail.bcp", "--lenient"]);
      expect(lenient).toMatchObject({ exit: 0, stderr: "warning: 2 bytes after END ignored\n" });
    });
  });

  test("the files of a manifest count together", async () => {
    const blocks = Array.from({ length: 100 }, () => ({ type: "document", title: "T", content_file: "tour.bcp" }));
    await writeFile(at("many.json"), JSON.stringify({ blocks }));
    const limits = { inputBytes: Math.max(10 * TOUR.length, (await stat(at("many.json"))).size) };
    const { exit, stderr } = await runCollected(["encode", "many.json", "-o", "many.bcp"], { cwd, limits });
    expect([exit, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^error: block \d+: .*tour\.bcp: input is larger than \d+ bytes, with what was read before it\n$/,
      ),
    ]);
  });

  test("a host sets lower limits", async () => {
    const refused = async (limits: NonNullable<BcpIo["limits"]>, file: string): Promise<string> =>
      (await runCollected(["decode", file], { cwd, limits })).stderr;
    expect(await refused({ inputBytes: 100 }, "tour.bcp")).toBe(
      "error: cannot read tour.bcp: input is larger than 100 bytes\n",
    );
    expect(await refused({ payloadBytes: 100 }, "packed.bcp")).toBe(
      "error: failed to decode packed.bcp: decompressed size 101 exceeds limit 100\n",
    );
    expect((await runCollected(["decode", "-"], { cwd, stdin: TOUR, limits: { inputBytes: 100 } })).stderr).toContain(
      "cannot read -: input is larger than 100 bytes",
    );
  });
});

test("a run that nobody wants any more ends, whether it reads, walks or renders, and writes nothing", async () => {
  const content = utf8("a line of text, again and again\n".repeat(1000));
  const block = { type: "document", title: "T", content, formatHint: "plain" } as const;
  await writeFile(
    at("slow.bcp"),
    await encode(
      Array.from({ length: 1500 }, () => block),
      { compressBlocks: true },
    ),
  );
  for (const turns of [0, 1, 2, 4, 8]) {
    const controller = new AbortController();
    let left = turns;
    const next = (): void => void (left-- > 0 ? setImmediate(next) : controller.abort(new Error("enough")));
    next();
    const run = runCollected(["decode", "slow.bcp", "-o", "slow.txt"], { cwd, signal: controller.signal });
    // While it reads the file that is why it cannot.
    expect(await run.then(({ stderr }) => stderr, String)).toMatch(/enough/);
    expect((await readdir(cwd)).filter((name) => /slow\.txt|\.tmp$/.test(name))).toEqual([]);
  }
});
