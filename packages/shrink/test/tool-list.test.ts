import { expect, test } from "bun:test";

import type { ToolDefinition } from "../src/index.ts";
import { countToolTokens, lazyTools, withoutOutputSchema } from "../src/index.ts";
import { hasCorpus, readDefinitions } from "./corpus.ts";

const SEARCH: ToolDefinition = {
  name: "search_issues",
  title: "Search issues",
  description:
    "Search issues using natural-language matching. Returns at most a hundred. Use filters to narrow the search down, e.g. by label or milestone. Never call it twice with the same words.",
  inputSchema: {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, description: "What to look for. May hold quotes and operators." },
      order: { type: "string", enum: ["asc", "desc"], description: "Sort order" },
      state: { enum: ["open", "closed"], description: "Which." },
      page: { type: "number", default: 1, minimum: 1 },
      labels: { type: "array", items: { type: "string", description: "One." }, description: "All of them." },
      edits: {
        type: "array",
        items: {
          type: "object",
          properties: { old: { type: "string", description: "Old" }, mode: { type: "string", enum: ["a", "b"] } },
          required: ["old"],
        },
      },
      kind: { type: "string", enum: ["issue", "pull"], description: "Which kind." },
      either: { anyOf: [{ type: "string", description: "Words." }, { type: "null" }] },
    },
    required: ["query", "edits", "kind"],
    additionalProperties: false,
  },
  outputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};
const LIST = Array.from({ length: 20 }, (_, i) => ({ ...SEARCH, name: `search_${i}` }));

test("every name and every parameter with its type stays; what a first call needs stays whole", () => {
  expect(lazyTools(LIST)[3] as unknown).toEqual({
    name: "search_3",
    description: "Search issues using natural-language matching.",
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string" },
        order: { type: "string" },
        state: { type: "string" },
        page: { type: "number" },
        labels: { type: "array", items: { type: "string" } },
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: { old: { type: "string" }, mode: { type: "string" } },
            required: ["old"],
          },
        },
        kind: { type: "string", enum: ["issue", "pull"] },
        either: { anyOf: [{ type: "string" }, { type: "null" }] },
      },
      required: ["query", "edits", "kind"],
    },
    annotations: { readOnlyHint: true },
  });
});

test("a list that would save too little stays the very same list", () => {
  const few = [SEARCH];
  expect(lazyTools(few)).toBe(few);
  const short = Array.from({ length: 100 }, (_, i) => ({
    name: `ping_${i}`,
    inputSchema: { type: "object", properties: {} },
  }));
  expect(lazyTools(short)).toBe(short);
});

test.each<[string, object]>([
  [
    "references",
    { type: "object", properties: { place: { $ref: "#/$defs/place" } }, $defs: { place: { type: "object" } } },
  ],
  ["a choice at the top", { anyOf: [{ type: "object", properties: { a: {} } }, { type: "object" }] }],
])("a schema with %s stays whole", (_, inputSchema) => {
  const tool = { name: "odd", description: "Odd. ".repeat(100), inputSchema };
  expect(lazyTools([...LIST, tool]).at(-1)).toBe(tool as never);
});

test("the same list gives the same bytes", () => {
  expect(JSON.stringify(lazyTools(LIST))).toBe(JSON.stringify(lazyTools(structuredClone(LIST))));
});

test("an output schema is taken back", () => {
  expect(withoutOutputSchema({ name: "a", outputSchema: {} })).toEqual({ name: "a" });
});

// What OpenAI refuses a whole list for: "array schema missing items".
function arraysWithoutItems(schema: unknown): unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "type" in schema && schema.type === "array" && !("items" in schema) ? [schema] : [];
  return [...own, ...Object.values(schema).flatMap(arraysWithoutItems)];
}

test.skipIf(!hasCorpus)("the filesystem server's list is half as long (needs the corpus)", () => {
  const tools = readDefinitions();
  const lazy = lazyTools(tools);
  expect(countToolTokens(lazy)).toBeLessThan(countToolTokens(tools) * 0.5);
  expect(lazy.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  expect(arraysWithoutItems(lazy)).toEqual([]);
});
