// The help texts. They are meant to teach: each ends in lines that can be pasted.

import type { Flag, Program } from "@bosun/platform/flags";

export const VERSION = "bcp 0.1.0";

export type CommandName = "encode" | "decode" | "inspect" | "validate" | "stats";

const GLOBAL_FLAGS: readonly Flag[] = [
  {
    name: "verbose",
    short: "v",
    help: "explain errors: file offset, block, what to try (on by default at a terminal)",
  },
  { name: "no-color", help: "accepted for compatibility; there are no colours" },
];

/** Of all commands that read a payload. */
const READ_OPTIONS: readonly Flag[] = [
  { name: "lenient", help: "ignore bytes after END, with a warning" },
  {
    name: "store",
    value: "FILE",
    help: "JSON object of hash to body, both hex, for references the file cannot resolve",
  },
  { name: "strict-references", help: "do not resolve references to earlier blocks of the same file" },
  { name: "json", help: "print the result as JSON" },
];

// As the reference has it: nothing twice, and a value that starts with a dash is one forgotten.
const COMMON = { once: true, attachedDashes: true, operands: true } as const;

/** The commands of the program `bcp`, by whatever name it is typed. */
export const commandsOf = (bcp: string): Readonly<Record<CommandName, Program>> => ({
  encode: {
    ...COMMON,
    name: `${bcp} encode`,
    usage: [`${bcp} encode <MANIFEST> -o <OUTPUT> [options]`],
    summary: "Write a .bcp file from a JSON manifest.",
    flags: [
      { name: "output", short: "o", value: "FILE", help: "where to write; - is standard output (required)" },
      { name: "compress-blocks", help: "zstd for each block of 256 bytes or more that gets smaller" },
      { name: "compress-payload", help: "zstd for everything after the header, if that is smaller" },
      { name: "dedup", help: "write a repeated block as the hash of its first occurrence" },
      { name: "extended", help: "accept every block type and key listed below" },
      { name: "json", help: "print the result as JSON" },
      ...GLOBAL_FLAGS,
    ],
    examples: [],
    notes: `A manifest is {"blocks": [...]}. Each block has a "type", its own keys, and "content" (text) or "content_file"
(a path relative to the manifest):

  code             lang, path               [summary, priority]
  conversation     role                     [summary, priority]
  tool_result      name                     [status: ok|error|timeout]
  document         title                    [format: markdown|plain|html] [summary, priority]
  structured_data  format: json|yaml|toml|csv

  priority is critical, high, normal, low or background.

With --extended also:

  file_tree        root, entries: [{name, kind: file|directory, size, children}]
  diff             path, hunks: [{old_start, new_start, lines}]
  annotation       target_block_id, kind: priority|summary|tag, value
  embedding_ref    vector_id, source_hash (hex), model
  image            media_type: png|jpeg|gif|svg|webp, alt_text, data (base64 or a URI) or content_file
  extension        namespace, type_name
  any block        summary, priority, compress: true
  more keys        tool_name for name, schema_hint; schema; format_hint for format; line_start + line_end; tool_call_id
  top level        compress_payload: true, auto_dedup: true

Examples:
  ${bcp} encode context.json -o context.bcp --compress-blocks
  echo '{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}' | ${bcp} encode - -o - | ${bcp} decode -`,
  },
  decode: {
    ...COMMON,
    name: `${bcp} decode`,
    usage: [`${bcp} decode <FILE> [options]`],
    summary: "Print a .bcp file as text for a model.",
    flags: [
      { name: "mode", value: "MODE", help: "xml (default), markdown (md) or minimal" },
      { name: "verbosity", value: "HOW", help: "full, summary or adaptive (default: full unless there is a budget)" },
      { name: "budget", value: "TOKENS", help: "about how many tokens of content to keep; see below" },
      { name: "include", value: "TYPES", help: "only these block types, separated by commas: code,diff,file_tree" },
      { name: "output", short: "o", value: "FILE", help: "write the text to a file instead of standard output" },
      {
        name: "summaries",
        value: "WHICH",
        help: "code (default): only code is shown by its summary; all: every block",
      },
      { name: "binary-images", value: "HOW", help: "error (default) or placeholder" },
      ...READ_OPTIONS,
      ...GLOBAL_FLAGS,
    ],
    examples: [],
    notes: `A budget is spent by priority, critical first. What does not fit is shown by its summary if it has one, else by a
one-line placeholder; background blocks never appear in full. The budget counts content, not headings.

Examples:
  ${bcp} decode context.bcp --mode markdown
  ${bcp} decode context.bcp --budget 2000 --mode minimal
  curl -s https://example.com/context.bcp | ${bcp} decode - --include code,diff`,
  },
  inspect: {
    ...COMMON,
    name: `${bcp} inspect`,
    usage: [`${bcp} inspect <FILE> [options]`],
    summary: "List the blocks of a .bcp file.",
    flags: [
      { name: "show-body", help: "the first 80 characters of each block" },
      { name: "show-hex", help: "a hex dump of each block" },
      { name: "block", value: "N", help: "only block N, counted from 0" },
      ...READ_OPTIONS,
      ...GLOBAL_FLAGS,
    ],
    examples: [],
    notes: `Examples:
  ${bcp} inspect context.bcp
  ${bcp} inspect context.bcp --block 3 --show-hex
  ${bcp} inspect context.bcp --json | jq '.blocks[] | select(.type == "code") | .path'`,
  },
  validate: {
    ...COMMON,
    name: `${bcp} validate`,
    usage: [`${bcp} validate <FILE> [options]`],
    summary: "Check that a .bcp file is whole. Exit code 0 if it is, 1 if not.",
    flags: [...READ_OPTIONS, ...GLOBAL_FLAGS],
    examples: [],
    notes: `Examples:
  ${bcp} validate context.bcp
  ${bcp} validate broken.bcp -v          # where exactly
  ${bcp} validate broken.bcp --json      # the same for programs`,
  },
  stats: {
    ...COMMON,
    name: `${bcp} stats`,
    usage: [`${bcp} stats <FILE> [options]`],
    summary: "Count blocks, bytes and about how many tokens each mode would take.",
    flags: [...READ_OPTIONS, ...GLOBAL_FLAGS],
    examples: [],
    notes: `Tokens are bytes / 4. They are 0 when the file cannot be rendered as text, for which one binary image is enough.

Examples:
  ${bcp} stats context.bcp
  ${bcp} stats context.bcp --json | jq .tokens.minimal`,
  },
});

/** What may stand before the command. */
export const programOf = (bcp: string): Program => ({
  ...COMMON,
  name: bcp,
  summary:
    "Bit Context Protocol: pack files, turns, tool results and trees for a model, and print them within a budget.",
  usage: [`${bcp} [options] <command> ...`],
  words: {
    ...Object.fromEntries(Object.entries(commandsOf(bcp)).map(([name, { summary }]) => [name, summary])),
    help: `Print help for a command: ${bcp} help decode`,
  },
  flags: [...GLOBAL_FLAGS, { name: "version", short: "V", help: "print the version" }],
  examples: [],
  notes: `- stands for standard input or output. Exit codes: 0 done, 1 failed, 2 wrong usage.

Start here:
  ${bcp} help encode                                  # what a manifest looks like
  ${bcp} encode context.json -o context.bcp
  ${bcp} inspect context.bcp
  ${bcp} decode context.bcp --mode minimal --budget 2000`,
});
