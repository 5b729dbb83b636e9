import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Capture } from "../../src/process/output-capture.ts";
import type { CapturePlan } from "../../src/process/output-capture.ts";

const TEXT = "aé😀z\u{FFFD}ü" + "😀".repeat(3) + "end\n";

function fill(plan: CapturePlan, bytes: Uint8Array, chunkBytes: number): Capture {
  const capture = new Capture(plan);
  for (let at = 0; at < bytes.length; at += chunkBytes) capture.push(bytes.subarray(at, at + chunkBytes));
  capture.finish();
  return capture;
}

test("text is the same however it was cut into chunks", () => {
  const bytes = Buffer.from(TEXT);
  for (let size = 1; size <= bytes.length; size++) {
    const { text, totalChars, cut } = fill({ cap: { max: 100, unit: "chars" } }, bytes, size).captured();
    expect({ text, totalChars, cut }).toEqual({ text: TEXT, totalChars: [...TEXT].length, cut: false });
  }
});

test("random bytes count like the whole decoded at once, in any chunks", () => {
  let seed = 7;
  const next = (): number => (seed = (seed * 1103515245 + 12345) & 0x7fffffff) >> 8;
  for (let round = 0; round < 300; round++) {
    const bytes = Uint8Array.from({ length: next() % 60 }, () => (next() % 3 === 0 ? next() % 128 : next() % 256));
    const expected = [...new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)];
    const capture = fill({ cap: { max: 1000, unit: "chars" } }, bytes, 1 + (next() % 7));
    expect(capture.captured().totalChars).toBe(expected.length);
    expect(capture.captured().text).toBe(expected.join("").replaceAll("\0", "\u{FFFD}"));
  }
});

describe("cuts", () => {
  test.each([0, 1, 2, 3, 4, 5, 9, 12])("after %d characters, never inside one", (max) => {
    const { text, cut, totalChars } = fill({ cap: { max, unit: "chars" } }, Buffer.from(TEXT), 3).captured();
    expect(text).toBe([...TEXT].slice(0, max).join(""));
    expect({ cut, totalChars }).toEqual({ cut: max < [...TEXT].length, totalChars: [...TEXT].length });
  });

  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("after %d bytes, on a character boundary", (max) => {
    const { text, cut } = fill({ cap: { max, unit: "bytes" } }, Buffer.from("aé😀z"), 2).captured();
    const fits = ["", "a", "a", "aé", "aé", "aé", "aé", "aé😀", "aé😀z"][max];
    expect({ text, cut }).toEqual({ text: fits ?? "", cut: max < 8 });
  });

  test("a byte-order mark is output like any other", () => {
    expect(fill({ cap: { max: 9, unit: "chars" } }, Buffer.from("\u{FEFF}a"), 1).captured().text).toBe("\u{FEFF}a");
  });
});

describe("the newest output", () => {
  test("is there while the head stays", () => {
    const capture = new Capture({ cap: { max: 10, unit: "chars" }, tailBytes: 64 });
    for (let i = 0; i < 1000; i++) capture.push(Buffer.from(`line ${i} é\n`));
    expect(capture.captured().text).toBe("line 0 é\nl");
    expect(capture.lastChars(11)).toBe("line 999 é\n");
    expect(capture.lastChars(5)).toBe("99 é\n");
  });

  test("of a short stream is all of it", () => {
    expect(fill({ cap: { max: 10, unit: "chars" } }, Buffer.from("ab"), 1).lastChars(100)).toBe("ab");
  });
});

describe("reading from an offset", () => {
  const text = Array.from({ length: 400 }, (_, i) => `é${i}😀`).join("");
  const bytes = Buffer.from(text);

  function readAll(capture: Capture, step: number): { text: string; skipped: number } {
    let [all, skipped, offset] = ["", 0, 0];
    for (let round = 0; round < 100_000; round++) {
      const piece = capture.read(offset, step);
      all += piece.text;
      skipped += piece.skipped;
      offset = piece.next;
      if (piece.last) return { text: all, skipped };
    }
    throw new Error(`no progress at ${offset}`);
  }

  test.each([4, 5, 7, 100, 10_000])("in steps of %d bytes gives everything back from a spool", (step) => {
    const folder = mkdtempSync(path.join(tmpdir(), "spool-"));
    const capture = fill(
      { cap: { max: 20, unit: "chars" }, tailBytes: 50, spool: { folder, maxBytes: 1e6 } },
      bytes,
      17,
    );
    expect(readAll(capture, step)).toEqual({ text, skipped: 0 });
    capture.discard();
    rmSync(folder, { recursive: true });
  });

  test("says what is lost when nothing was spooled", () => {
    const capture = fill({ cap: { max: 20, unit: "bytes" }, tailBytes: 50 }, bytes, 17);
    const { text: got, skipped } = readAll(capture, 30);
    expect(text.startsWith(got.slice(0, 5))).toBe(true);
    expect(text.endsWith(got.slice(-9))).toBe(true);
    expect(skipped).toBeGreaterThan(0);
    expect(Buffer.byteLength(got) + skipped).toBe(bytes.length);
    expect(got).not.toContain("\u{FFFD}");
  });

  test("a spool stops at its limit and the tail goes on", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "spool-"));
    const capture = fill(
      { cap: { max: 5, unit: "chars" }, tailBytes: 40, spool: { folder, maxBytes: 200 } },
      bytes,
      64,
    );
    const { text: got, skipped } = readAll(capture, 1000);
    expect(Buffer.byteLength(got) + skipped).toBe(bytes.length);
    expect(Buffer.byteLength(got)).toBeLessThanOrEqual(240);
    capture.discard();
    rmSync(folder, { recursive: true });
  });

  test("holds an unfinished character back until it is finished", () => {
    const capture = new Capture({ cap: { max: 100, unit: "chars" } });
    capture.push(Uint8Array.of(0x61, 0xf0, 0x9f));
    expect(capture.read(0, 100)).toMatchObject({ text: "a", next: 1, last: false });
    capture.push(Uint8Array.of(0x98, 0x80));
    capture.finish();
    expect(capture.read(1, 100)).toMatchObject({ text: "😀", next: 5, last: true });
  });

  test("past the end gives nothing", () => {
    expect(fill({ cap: { max: 100, unit: "chars" } }, Buffer.from("ab"), 1).read(50, 10)).toMatchObject({
      text: "",
      next: 2,
      last: true,
    });
  });
});
