// bosun serve --tools bcp: the three tools of bcp-mcp-server beside those of the tool server, within its scope and under
// its rules. Programs do not import each other; this one has both.
import path from "node:path";
import { bcpTools, explainBcp } from "@bosun/bcp-mcp-server";
import { resolveInScope } from "@bosun/engine";
import type { Acts, ServedTool, ToolCall } from "@bosun/tool-server";

const READER = { allowDirs: [], cliPath: undefined, cliTimeoutMs: 30_000, renderMode: "xml" } as const;
const PATHS = { path: "read", manifest_path: "read", output_path: "write" } as const;

/** For one server: its scope is known with the first call. */
export async function bcpSurface(): Promise<readonly ServedTool[]> {
  let scope: ToolCall["bench"]["scope"] | undefined;
  const tools = await bcpTools(READER, (real, access) => {
    if (scope === undefined) throw new Error("a path was asked for outside of any call");
    resolveInScope(scope, real, { writing: access === "write" })[Symbol.dispose]();
  });
  return tools.map((tool) => ({
    ...tool,
    surface: "bcp" as const,
    readOnly: tool.readOnly === true,
    acts: (input: unknown): Acts => ({
      paths: pathsOf(input).map(({ key, asked }) => ({ requested: asked, access: PATHS[key] })),
    }),
    async run(input: unknown, { bench, context }: ToolCall) {
      scope = bench.scope;
      try {
        return await tool.run(fromWorkdir(input, bench.config.workdir), context);
      } catch (error) {
        const explained = explainBcp(error, tool);
        if (explained) return explained;
        throw error;
      }
    },
  }));
}

/** Relative paths start where those of the other tools do. */
function fromWorkdir(input: unknown, workdir: string): unknown {
  const paths = pathsOf(input).map(({ key, asked }) => [key, path.resolve(workdir, asked)] as const);
  return { ...(typeof input === "object" ? input : {}), ...Object.fromEntries(paths) };
}

function pathsOf(input: unknown): { key: keyof typeof PATHS; asked: string }[] {
  if (typeof input !== "object" || input === null) return [];
  const given = new Map<string, unknown>(Object.entries(input));
  return (["path", "manifest_path", "output_path"] as const).flatMap((key) => {
    const asked = given.get(key);
    return typeof asked === "string" ? [{ key, asked }] : [];
  });
}
