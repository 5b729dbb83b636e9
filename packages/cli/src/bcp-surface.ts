// bosun serve --tools bcp: the three tools of bcp-mcp-server beside those of the tool server, within its scope and under
// its rules. Programs do not import each other; this one has both.
import { AsyncLocalStorage } from "node:async_hooks";
import { bcpTools, explainBcp } from "@bosun/bcp-mcp-server";
import type { ScopedPath } from "@bosun/engine";
import type { Acts, ToolDefinition, ToolCall } from "@bosun/serve";

const READER = { allowDirs: [], cliPath: undefined, cliTimeoutMs: 30_000, renderMode: "xml" } as const;
const PATHS = { path: "read", manifest_path: "read", output_path: "write" } as const;

type Judged = { readonly key: keyof typeof PATHS; readonly place: ScopedPath };
type Running = { readonly call: ToolCall; readonly judged: readonly Judged[] };

/** For one server. Its tools open their files themselves and say what they have opened: that must be what was judged. */
export async function bcpSurface(): Promise<readonly ToolDefinition[]> {
  const running = new AsyncLocalStorage<Running>();
  const tools = await bcpTools(READER, (real, access) => {
    const now = running.getStore();
    if (now === undefined) throw new Error("a path was asked for outside of any call");
    if (!now.judged.some((one) => covers(one, real, access))) now.call.admit(real, access);
  });
  return tools.map((tool) => ({
    ...tool,
    surface: "bcp" as const,
    readOnly: tool.readOnly === true,
    acts: (input: unknown): Acts => ({
      paths: pathsOf(input).map(({ key, asked }) => ({ requested: asked, access: PATHS[key] })),
    }),
    async run(input: unknown, call: ToolCall) {
      const judged = pathsOf(input).map(({ key }, index) => ({ key, place: call.place(index) }));
      try {
        return await running.run({ call, judged }, () => tool.run(atPlaces(input, judged), call.context));
      } catch (error) {
        // What is wrong with a .bcp file is for the model; all else goes on to the one place for errors.
        const explained = explainBcp(error, tool);
        if (explained) return explained;
        throw error;
      }
    },
  }));
}

/** What is written may be read again for its statistics, and its folder looked at before it is there. */
function covers({ key, place }: Judged, real: string, access: "read" | "write"): boolean {
  if (place.path === real) return access === "read" || PATHS[key] === "write";
  return access === "read" && place.entry === undefined && place.parent.path === real;
}

/** By their real paths: a link in the text has been followed, once. */
function atPlaces(input: unknown, judged: readonly Judged[]): unknown {
  const paths = judged.map(({ key, place }) => [key, place.path] as const);
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
