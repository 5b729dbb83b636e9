// Parse → run → result, and the only place where an error becomes a tool result.
import { InputRequired } from "./ask.ts";
import { failure } from "../wire/content.ts";
import type { ToolResult } from "../wire/content.ts";
import type { Context } from "./context.ts";
import { RpcError } from "../wire/rpc-error.ts";
import type { Tool } from "./tool.ts";

/** The arguments do not fit the tool's schema: the model can read why and try again. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

/** A program's own words for an error it knows; undefined for one it does not: that is a bug. */
export type Explain = (error: unknown, tool: Tool) => ToolResult | undefined;

/** A tool that answers at once is answered at once: a promise can cost more than a short call's work. */
export function callTool(
  tool: Tool,
  args: unknown,
  context: Context,
  explain: Explain,
): Promise<ToolResult> | ToolResult {
  const failed = (error: unknown): ToolResult => explained(error, tool, context, explain);
  try {
    const parsed = tool.input.parse(args, "arguments");
    if (!parsed.ok) throw new InvalidArguments(parsed.problem);
    const result = tool.run(parsed.value, context);
    if (!(result instanceof Promise)) return checkedOutput(tool, result);
    return result.then((late) => checkedOutput(tool, late)).catch(failed);
  } catch (error) {
    return failed(error);
  }
}

function explained(error: unknown, tool: Tool, context: Context, explain: Explain): ToolResult {
  // Questions to the client and protocol errors are the dispatcher's to send.
  if (error instanceof InputRequired || error instanceof RpcError) throw error;
  if (context.signal.aborted) throw error; // nobody is listening any more
  const known = explain(error, tool) ?? explainPlainly(error, tool);
  if (known) return known;
  // A bug: the stack is for us, on stderr; the model gets no internals.
  console.error(error);
  return failure(`${tool.name} failed unexpectedly`);
}

function explainPlainly(error: unknown, tool: Tool): ToolResult | undefined {
  return error instanceof InvalidArguments ? failure(`${tool.name}: ${error.message}`) : undefined;
}

function checkedOutput(tool: Tool, result: ToolResult): ToolResult {
  if (!tool.output || result.isError) return result;
  const parsed = tool.output.parse(result.structuredContent, "structuredContent");
  if (!parsed.ok) throw new Error(`${tool.name} broke its own output schema: ${parsed.problem}`);
  return result;
}
