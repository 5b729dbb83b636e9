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

/** The result for an error that the program knows; undefined for one it does not: that is a bug. */
export type Explain = (error: unknown, tool: Tool) => ToolResult | undefined;

export async function callTool(tool: Tool, args: unknown, context: Context, explain: Explain): Promise<ToolResult> {
  try {
    const parsed = tool.input.parse(args, "arguments");
    if (!parsed.ok) throw new InvalidArguments(parsed.problem);
    return checkedOutput(tool, await tool.run(parsed.value, context));
  } catch (error) {
    // Questions to the client and protocol errors are not results: the dispatcher sends them.
    if (error instanceof InputRequired || error instanceof RpcError) throw error;
    if (context.signal.aborted) throw error; // nobody is listening any more
    const known = explain(error, tool) ?? explainPlainly(error, tool);
    if (known) return known;
    console.error(error); // a bug: the stack is for us, on stderr; the model gets no internals
    return failure(`${tool.name} failed unexpectedly`);
  }
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
