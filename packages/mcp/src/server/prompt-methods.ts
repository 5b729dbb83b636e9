// prompts/* and completion/complete.
import type { Call } from "./call.ts";
import { promptFor } from "./downgrade.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import type { Methods } from "./method-table.ts";
import { pageOf, withCursor } from "./pagination.ts";
import { describedAs } from "./resource.ts";
import type { Complete, Prompt } from "./resource.ts";
import type { InContext, ResourceSet } from "./resource-methods.ts";
import { atLeast } from "../wire/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../wire/rpc-error.ts";

/** The protocol's own limit on suggestions. */
const MAX_COMPLETIONS = 100;

export function promptMethods(current: () => readonly Prompt[], inContext: InContext, pageSize: number): Methods {
  return {
    "prompts/list": {
      era: "both",
      cacheable: true,
      run(call) {
        const page = pageOf("prompts", current(), ({ name }) => name, call.params["cursor"], pageSize);
        return withCursor({ prompts: page.items.map((prompt) => listed(prompt, call)) }, page);
      },
    },
    "prompts/get": {
      era: "both",
      async run(call) {
        const prompt = current().find(({ name }) => name === call.params["name"]);
        if (!prompt) throw new RpcError(INVALID_PARAMS, `unknown prompt: ${JSON.stringify(call.params["name"])}`);
        const args = stringsOf(call.params["arguments"], "arguments");
        const missing = prompt.arguments?.find(({ name, required }) => required && args[name] === undefined);
        if (missing) throw new RpcError(INVALID_PARAMS, `the prompt needs the argument ${missing.name}`);
        const got = await inContext(call, (context) => prompt.get(args, context));
        return promptFor(got, call.revision);
      },
    },
  };
}

export function completionMethods(
  prompts: () => readonly Prompt[],
  resources: () => ResourceSet,
  inContext: InContext,
): Methods {
  return {
    "completion/complete": {
      era: "both",
      async run(call) {
        const { ref, argument, context } = call.params;
        if (!isObject(ref) || !isObject(argument)) throw new RpcError(INVALID_PARAMS, "ref and argument are required");
        const { name, value } = argument;
        if (typeof name !== "string" || typeof value !== "string") {
          throw new RpcError(INVALID_PARAMS, "argument needs a name and a value, both strings");
        }
        const given = stringsOf(isObject(context) ? context["arguments"] : undefined, "context.arguments");
        const complete = completerOf(ref, name, prompts(), resources());
        const all = complete ? await inContext(call, (context) => complete(value, given, context)) : [];
        const values = all.slice(0, MAX_COMPLETIONS);
        return { completion: { values, total: all.length, hasMore: all.length > values.length } };
      },
    },
  };
}

function completerOf(
  ref: JsonObject,
  argument: string,
  prompts: readonly Prompt[],
  { templates }: ResourceSet,
): Complete | undefined {
  if (ref["type"] === "ref/prompt") {
    const prompt = prompts.find(({ name }) => name === ref["name"]);
    if (!prompt) throw new RpcError(INVALID_PARAMS, `unknown prompt: ${JSON.stringify(ref["name"])}`);
    return prompt.arguments?.find(({ name }) => name === argument)?.complete;
  }
  if (ref["type"] === "ref/resource") {
    const template = templates.find(({ uriTemplate }) => uriTemplate === ref["uri"]);
    const { complete = {} } = template ?? {};
    return Object.hasOwn(complete, argument) ? complete[argument] : undefined;
  }
  throw new RpcError(INVALID_PARAMS, "ref.type must be ref/prompt or ref/resource");
}

function listed(prompt: Prompt, call: Call): JsonObject {
  const titled = atLeast(call.revision, "2025-06-18");
  const wire = describedAs(prompt, titled, atLeast(call.revision, "2025-11-25"));
  if (prompt.arguments) {
    wire["arguments"] = prompt.arguments.map(({ name, title, description, required }) => ({
      name,
      ...(title === undefined || !titled ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(required === undefined ? {} : { required }),
    }));
  }
  return wire;
}

function stringsOf(value: Json | undefined, what: string): Record<string, string> {
  const strings = Object.create(null) as Record<string, string>; // an argument may be called "constructor"
  if (value === undefined) return strings;
  if (!isObject(value)) throw new RpcError(INVALID_PARAMS, `${what} must be an object of strings`);
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== "string") throw new RpcError(INVALID_PARAMS, `${what}.${name} must be a string`);
    strings[name] = member;
  }
  return strings;
}
