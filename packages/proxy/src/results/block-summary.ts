// What a large block is, in a line: shown in its place where a budget has no room for all of it.
import type { FileEntry, NewBlock } from "@bosun/bcp";

const LARGE_CHARS = 500;
const decoder = new TextDecoder();

/** The same blocks, each that is longer than 500 characters with a summary. */
export function withSummaries(blocks: readonly NewBlock[]): NewBlock[] {
  return blocks.map((block) => {
    const summary = summaryOf(block);
    return summary === undefined ? block : { ...block, summary };
  });
}

function summaryOf(block: NewBlock): string | undefined {
  switch (block.type) {
    case "code":
      return ofText(block.content, [
        typeof block.lang === "number" || block.lang === "unknown" ? "code" : block.lang,
        block.path,
      ]);
    case "structured_data":
      return ofText(block.content, [block.format]);
    case "tool_result":
      return ofText(block.content, [`result of ${block.toolName}`]);
    case "diff": {
      const hunks = [...block.hunks];
      const length = hunks.reduce((sum, { lines }) => sum + lines.length, 0);
      return length > LARGE_CHARS ? `diff of ${block.path}: ${counted(hunks.length, "hunk")}` : undefined;
    }
    case "file_tree": {
      const names = namesIn(block.entries);
      const length = names.reduce((sum, name) => sum + name.length, 0);
      return length > LARGE_CHARS ? `tree of ${counted(names.length, "entry", "entries")}` : undefined;
    }
    default:
      return undefined;
  }
}

function ofText(content: Uint8Array, labels: readonly string[]): string | undefined {
  const text = decoder.decode(content);
  if (text.length <= LARGE_CHARS) return undefined;
  const lines = text.replace(/\n$/, "").split("\n").length;
  return `${labels.filter((label) => label !== "").join(" ")}: ${counted(lines, "line")}, ${text.length} characters`;
}

function namesIn(entries: Iterable<FileEntry>): string[] {
  return [...entries].flatMap(({ name, children }) => [name, ...namesIn(children ?? [])]);
}

function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
