// A payload like an agent's context: source files, turns, tool output, documents, JSON, diffs and trees.

import type { NewBlock } from "../src/index.ts";

const SOURCE_LINE = "  const result = await transport.send({ id, method: 'tools/call', params }); // see §4.2\n";
const PROSE = "The server answers every request exactly once, in any order; cancelled ones may stay silent. ";
const LOG_LINE = "2026-03-04T05:06:07.089Z INFO  [worker-3] flushed 128 events in 14 ms, queue is empty — ok\n";

/** Blocks of about `bytes` in total, from 0.3 KB to `largest` each, mostly ASCII with some wider characters. */
export function mixedBlocks(bytes: number, largest = 20_000): NewBlock[] {
  const encoder = new TextEncoder();
  const text = (piece: string, length: number): Uint8Array =>
    encoder.encode(piece.repeat(Math.ceil(length / piece.length)));
  const blocks: NewBlock[] = [];
  let total = 0;
  for (let i = 0; total < bytes; i++) {
    const length = 300 + ((i * 7919) % (largest - 300));
    const block = oneBlock(i, length, text);
    blocks.push(i % 5 === 0 ? { ...block, summary: `block ${i} in one line` } : block);
    total += length + 40;
  }
  return blocks;
}

function oneBlock(i: number, length: number, text: (piece: string, length: number) => Uint8Array): NewBlock {
  switch (i % 7) {
    case 0:
      return {
        type: "code",
        lang: "typescript",
        path: `packages/mcp/src/file-${i}.ts`,
        content: text(SOURCE_LINE, length),
      };
    case 1:
      return { type: "conversation", role: i % 2 ? "user" : "assistant", content: text(PROSE, length) };
    case 2:
      return { type: "tool_result", toolName: "grep", status: "ok", content: text(LOG_LINE, length) };
    case 3:
      return { type: "document", title: `Notes ${i}`, formatHint: "markdown", content: text(PROSE, length) };
    case 4:
      return { type: "structured_data", format: "json", content: text('{"id":7,"name":"größe","ok":true},\n', length) };
    case 5: {
      const lines = text(`-${SOURCE_LINE}+${SOURCE_LINE}`, length / 2);
      return {
        type: "diff",
        path: `src/${i}.ts`,
        hunks: [
          { oldStart: 1, newStart: 1, lines },
          { oldStart: 90, newStart: 91, lines },
        ],
      };
    }
    default: {
      const files = Array.from({ length: Math.ceil(length / 32) }, (_, n) => ({
        name: `file-${n}.test.ts`,
        kind: "file" as const,
        size: n * 37,
      }));
      return {
        type: "file_tree",
        rootPath: "packages/",
        entries: [{ name: "src", kind: "directory", children: files }],
      };
    }
  }
}
