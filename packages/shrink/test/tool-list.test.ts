import { expect, test } from "bun:test";

import type { ToolDefinition } from "../src/index.ts";
import { compressTools, countToolTokens, withoutOutputSchema } from "../src/index.ts";
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
      query: {
        type: "string",
        description:
          "What to look for. May hold quotes and operators, which are explained at great length in the manual of the service.",
      },
      order: { type: "string", enum: ["asc", "desc"], description: "Sort order" },
      page: { type: "number", default: 1, minimum: 1 },
    },
    required: ["query"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
};
const LIST = Array.from({ length: 20 }, (_, i) => ({ ...SEARCH, name: `search_${i}` }));

test("light shortens words and keeps everything a call needs", () => {
  expect(compressTools([SEARCH], "light")).toEqual([
    {
      ...SEARCH,
      description: "Search issues using natural-language matching. Returns at most a hundred.",
      inputSchema: {
        type: "object",
        properties: {
          query: { type: "string", description: "What to look for." },
          order: { type: "string", enum: ["asc", "desc"], description: "Sort order" },
          page: { type: "number", minimum: 1 },
        },
        required: ["query"],
      },
    },
  ]);
});

test("full comes to a quarter or to the shape of arguments, with real names and parameters", () => {
  const full = compressTools(LIST, "full");
  expect(full.map(({ name }) => name)).toEqual(LIST.map(({ name }) => name));
  for (const { inputSchema } of full) {
    expect(Object.keys((inputSchema as { properties: object }).properties)).toEqual(["query", "order", "page"]);
  }
  expect(countToolTokens(full)).toBeLessThanOrEqual(Math.max(countToolTokens(LIST) / 4, LIST.length * 45));
});

// What OpenAI refuses a whole list for: "array schema missing items".
function arraysWithoutItems(schema: unknown): unknown[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "type" in schema && schema.type === "array" && !("items" in schema) ? [schema] : [];
  return [...own, ...Object.values(schema).flatMap(arraysWithoutItems)];
}

test("full keeps the shape of arguments: items, what is required, choices, objects in lists", () => {
  const edits = {
    type: "array",
    items: { type: "object", properties: { old: { type: "string", description: "Old" } } },
  };
  const inputSchema = {
    type: "object",
    title: "Arguments",
    properties: {
      paths: { type: "array", items: { type: "string", minLength: 1 }, minItems: 1, description: "Where to look." },
      edits: { ...edits, items: { ...edits.items, required: ["old"], additionalProperties: false } },
      sortBy: { type: "string", enum: ["name", "size"], default: "name" },
      kind: { anyOf: [{ type: "string" }, { type: "null" }] },
      place: { $ref: "#/$defs/place" },
      env: { type: "object", additionalProperties: { type: "string" }, description: "Variables of the command." },
    },
    required: ["paths"],
    additionalProperties: false,
    $defs: { place: { type: "object", properties: { x: { type: "number", description: "How far." } } } },
  };
  const list = Array.from({ length: 20 }, (_, i) => ({
    name: `edit_${i}`,
    description: "Edits. ".repeat(200),
    inputSchema,
  }));
  for (const tool of compressTools(list, "full")) {
    expect(tool.inputSchema).toMatchObject({
      type: "object",
      properties: {
        paths: { type: "array", items: { type: "string" } },
        edits: { type: "array", items: { type: "object", properties: { old: {} }, required: ["old"] } },
        sortBy: { enum: ["name", "size"] },
        kind: { anyOf: [{ type: "string" }, { type: "null" }] },
        place: { $ref: "#/$defs/place" },
        env: { type: "object", additionalProperties: {} },
      },
      required: ["paths"],
      $defs: { place: { type: "object", properties: { x: {} } } },
    });
    expect(JSON.stringify(tool)).not.toMatch(/Where to look|How far|minLength|title|default/);
  }
});

test("off changes nothing, and a tool that is short already stays as it is", () => {
  expect(compressTools([SEARCH], "off")[0]).toBe(SEARCH);
  const short = { name: "ping", inputSchema: { type: "object" } };
  for (const level of ["light", "full"] as const) expect(compressTools([short], level)[0]).toBe(short);
});

test("an output schema is taken back", () => {
  expect(withoutOutputSchema({ name: "a", outputSchema: {} })).toEqual({ name: "a" });
});

test.skipIf(!hasCorpus)("the filesystem server's list gets smaller at each level (needs the corpus)", () => {
  const tools = readDefinitions();
  const [off, light, full] = (["off", "light", "full"] as const).map((level) =>
    countToolTokens(compressTools(tools, level)),
  );
  expect(light).toBeLessThan((off ?? 0) * 0.7);
  expect(full).toBeLessThan((off ?? 0) * 0.35);
  const required = (tool: object) => "inputSchema" in tool && (tool.inputSchema as { required?: string[] }).required;
  const shorter = compressTools(tools, "full");
  expect(arraysWithoutItems(shorter)).toEqual([]);
  expect(shorter.map(required)).toEqual(tools.map(required));
});
