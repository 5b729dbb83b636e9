// Which tools a configuration gives, what their schemas are, what they cost, and that the documentation says the same.
import { beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { toolTables } from "../scripts/tool-tables.ts";
import { UsageError } from "@bosun/platform/flags";
import { catalogueFor } from "../src/index.ts";
import { announceRows, row, rows } from "./harness/contract.ts";
import type { Tool } from "./harness/server.ts";
import { TestServer } from "./harness/server.ts";

announceRows();

const NOTHING = { surfaces: [], anthropicCompat: false, readOnly: false, disabledTools: [] };
const names = (choice: Partial<Parameters<typeof catalogueFor>[0]>): string[] =>
  catalogueFor({ ...NOTHING, surfaces: ["coding"], ...choice }).map(({ name }) => name);

rows(
  "server",
  [
    ["coding", {}, ["bash", "task_output", "view", "str_replace", "create_file", "grep", "glob"]],
    ["compat", { anthropicCompat: true }, ["bash", "task_output", "str_replace_editor", "grep", "glob"]],
    [
      "workspace",
      { surfaces: ["workspace"] },
      ["list_dir", "read_file", "edit_file", "write_file", "delete_file", "move_file", "mkdir", "run_command"],
    ],
    ["shell", { surfaces: ["shell"] }, ["shell"]],
    [
      "disabling bash removes both",
      { disabledTools: ["bash"] },
      ["view", "str_replace", "create_file", "grep", "glob"],
    ],
    [
      "disabling task_output removes both",
      { disabledTools: ["task_output"] },
      ["view", "str_replace", "create_file", "grep", "glob"],
    ],
    [
      "disabling a part removes the combined editor",
      { anthropicCompat: true, disabledTools: ["create_file"] },
      ["bash", "task_output", "grep", "glob"],
    ],
    ["read-only", { readOnly: true }, ["view", "grep", "glob"]],
    ["read-only compat keeps a way to look", { readOnly: true, anthropicCompat: true }, ["view", "grep", "glob"]],
    [
      "read-only everything",
      { readOnly: true, surfaces: ["coding", "workspace", "shell"] },
      ["view", "grep", "glob", "list_dir", "read_file"],
    ],
  ] satisfies [string, Partial<Parameters<typeof catalogueFor>[0]>, string[]][],
  (_, choice, expected) => expect(names(choice)).toEqual(expected),
);

row("server", "an unknown name lists the valid ones", () => {
  expect(() => names({ disabledTools: ["Bash"] })).toThrow(UsageError);
  expect(() => names({ disabledTools: ["Bash"] })).toThrow(/valid names: bash, create_file, delete_file/);
});

row("server", "no name is on two surfaces", () => {
  const all = names({ surfaces: ["coding", "workspace", "shell"] });
  expect(new Set(all).size).toBe(all.length);
});

let all: Tool[];
let compat: Tool[];
beforeAll(async () => {
  const args = ["--sandbox", "off", "--tools", "coding,workspace,shell"];
  await using server = await TestServer.start({ args });
  all = await server.tools();
  await using other = await TestServer.start({ args: [...args, "--anthropic-compat"] });
  compat = await other.tools();
});

test("every published schema is as it was", () => {
  const published = [
    ...all,
    ...compat.filter(({ name }) => !all.some((tool) => tool.name === name) || name === "grep" || name === "glob"),
  ];
  expect(published).toMatchSnapshot();
});

row("server", "every schema is a closed object without stray words", () => {
  for (const { name, description, inputSchema } of [...all, ...compat]) {
    expect([name, inputSchema["type"], inputSchema["additionalProperties"]]).toEqual([name, "object", false]);
    expect(JSON.stringify(inputSchema)).not.toContain(",required");
    expect(description.length).toBeGreaterThan(10);
  }
});

row("server", "the workspace schemas are those of their specification", () => {
  const schema = (name: string): Record<string, unknown> => all.find((tool) => tool.name === name)?.inputSchema ?? {};
  expect(schema("list_dir")).toEqual({
    type: "object",
    additionalProperties: false,
    properties: {
      dir: { type: "string", default: "." },
      recursive: { type: "boolean", default: false },
      maxEntries: { type: "integer", minimum: 1, maximum: 2000, default: 500 },
    },
  });
  expect(schema("run_command")).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["command"],
    properties: {
      command: { type: "string", minLength: 1 },
      args: { type: "array", items: { type: "string", maxLength: 400 }, maxItems: 64, default: [] },
      cwd: { type: "string", default: "." },
      timeoutMs: { type: "integer", minimum: 100, maximum: 60_000, default: 15_000 },
      maxOutputBytes: { type: "integer", minimum: 1024, maximum: 262_144, default: 65_536 },
    },
  });
});

row("server", "the coding tools cost at most 900 tokens as an OpenAI tools array", () => {
  const overHttp = catalogueFor({ ...NOTHING, surfaces: ["coding"], transport: "http" });
  const lists = [
    all.slice(0, 7).map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema })),
    overHttp.map(({ name, description, input }) => ({ name, description, parameters: input.json })),
  ];
  for (const list of lists) {
    const coding = list.map((tool) => ({ type: "function", function: tool }));
    const tokens = encode(JSON.stringify(coding)).length;
    console.error(`coding tool list: ${tokens} tokens`);
    expect(tokens).toBeLessThanOrEqual(900);
  }
});

test("docs/tools.md is what the schemas say", () => {
  const file = path.resolve(import.meta.dir, "../../../docs/tools.md");
  expect(existsSync(file)).toBe(true);
  expect(
    readFileSync(file, "utf8") === toolTables()
      ? "fresh"
      : "stale: node scripts/bun.mjs packages/serve/scripts/tool-tables.ts > docs/tools.md",
  ).toBe("fresh");
});
