// Random blocks of every type from a seed: the same seed, the same blocks.

import {
  ANNOTATION_KINDS,
  DATA_FORMATS,
  FORMAT_HINTS,
  KNOWN_TYPES,
  LANGS,
  MEDIA_TYPES,
  ROLES,
  STATUSES,
} from "../src/index.ts";
import type { Block, DiffHunk, FileEntry } from "../src/index.ts";

export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = (seed * 2 + 1) % 2_147_483_647;
  }

  below(limit: number): number {
    this.state = (this.state * 48_271) % 2_147_483_647;
    return this.state % limit;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }
}

const PIECES = [
  "a",
  "b/c.ts",
  " ",
  "\n",
  "\t",
  "é",
  "漢",
  "😀",
  '"',
  "<&>",
  "\0",
  "\ufeff",
  "```",
  "</context>",
  "x".repeat(130),
];
export const TYPES = [...KNOWN_TYPES, "unknown"] as const;
const UNKNOWN_IDS = [0, 11, 0x42, 127, 128, 200, 253] as const;

/** One to eight blocks, with every type as likely as any other. */
export function randomBlocks(random: Random): Block[] {
  return Array.from({ length: 1 + random.below(8) }, () => randomBlock(random, random.pick(TYPES)));
}

export function randomBlock(random: Random, type: (typeof TYPES)[number]): Block {
  const summary = random.chance(3) ? { summary: text(random) } : {};
  // What decoding puts there: the summary bit, and none of those that say how a body is stored.
  const frame = { flags: "summary" in summary ? 1 : 0, ...summary };
  switch (type) {
    case "code": {
      const lang = random.chance(3) ? random.pick([0, 18, 66, 254, "unknown"] as const) : random.pick(LANGS);
      const range = random.chance(2) ? { lineStart: u32(random), lineEnd: u32(random) } : {};
      return { type, ...frame, lang, path: text(random), content: bytes(random), ...range };
    }
    case "conversation": {
      const id = random.chance(3) ? { toolCallId: text(random) } : {};
      return { type, ...frame, role: random.pick(ROLES), content: bytes(random), ...id };
    }
    case "file_tree":
      return { type, ...frame, rootPath: text(random), entries: entries(random, 4) };
    case "tool_result": {
      const hint = random.chance(3) ? { schemaHint: text(random) } : {};
      return { type, ...frame, toolName: text(random), status: random.pick(STATUSES), content: bytes(random), ...hint };
    }
    case "document":
      return { type, ...frame, title: text(random), content: bytes(random), formatHint: random.pick(FORMAT_HINTS) };
    case "structured_data": {
      const schema = random.chance(3) ? { schema: text(random) } : {};
      return { type, ...frame, format: random.pick(DATA_FORMATS), ...schema, content: bytes(random) };
    }
    case "diff":
      return { type, ...frame, path: text(random), hunks: hunks(random) };
    case "annotation": {
      const kind = random.pick(ANNOTATION_KINDS);
      return {
        type,
        ...frame,
        targetBlockId: random.chance(2) ? random.below(8) : u32(random),
        kind,
        value: bytes(random),
      };
    }
    case "embedding_ref":
      return { type, ...frame, vectorId: bytes(random), sourceHash: bytes(random), model: text(random) };
    case "image":
      return { type, ...frame, mediaType: random.pick(MEDIA_TYPES), altText: text(random), data: bytes(random) };
    case "extension":
      return { type, ...frame, namespace: text(random), typeName: text(random), content: bytes(random) };
    case "unknown":
      return { type, ...frame, typeId: random.pick(UNKNOWN_IDS), body: bytes(random) };
  }
}

function entries(random: Random, levels: number): FileEntry[] {
  return Array.from({ length: random.below(4) }, () => {
    const children = levels > 0 ? entries(random, levels - 1) : [];
    const sizes = [
      {},
      ...[0, 1, 127, 128, 2 ** 32, Number.MAX_SAFE_INTEGER, 2n ** 53n, 2n ** 64n - 1n].map((size) => ({ size })),
    ];
    const kind = random.pick(["file", "directory"] as const);
    return { name: text(random), kind, ...random.pick(sizes), ...(children.length > 0 ? { children } : {}) };
  });
}

function hunks(random: Random): DiffHunk[] {
  return Array.from({ length: random.below(4) }, () => ({
    oldStart: u32(random),
    newStart: u32(random),
    lines: bytes(random),
  }));
}

function text(random: Random): string {
  return Array.from({ length: random.below(5) }, () => random.pick(PIECES)).join("");
}

// Mostly text; sometimes no UTF-8 at all, sometimes enough to be compressed.
function bytes(random: Random): Uint8Array {
  if (random.chance(8)) return Uint8Array.from({ length: random.below(40) }, () => random.below(256));
  return new TextEncoder().encode(random.chance(12) ? text(random).repeat(40) : text(random));
}

function u32(random: Random): number {
  return random.pick([0, 1, 127, 128, 65_536, 0x7fff_ffff, 0xffff_ffff]);
}
