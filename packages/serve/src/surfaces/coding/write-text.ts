// Making or overwriting a file, for create_file and the combined editor alike.
import { EngineError, encodeContent, writeFile } from "@bosun/engine";
import { text } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { ToolCall } from "../../calls/tool-definition.ts";

export async function writeText(content: string, call: ToolCall): Promise<ToolResult> {
  const { config } = call.state;
  const { viewed } = call.session;
  const { signal } = call.context;
  // Before anything else is looked at, the path included.
  const bytes = encodeContent(content, config.maxFileBytes);
  const place = call.place();
  const guard = async (...seen: Parameters<typeof viewed.require>): Promise<void> => {
    try {
      await viewed.require(...seen);
    } catch (error) {
      throw error instanceof EngineError
        ? new EngineError(error.code, error.message, { ...error.details, operation: "overwrite" })
        : error;
    }
  };
  const written = await writeFile(
    place,
    bytes,
    config.requireView ? { guard: (fresh, file) => guard(fresh, file, signal) } : {},
  );
  viewed.note(place.path, written.fingerprint);
  return text(`Created ${place.path} (${written.bytes} bytes)`);
}
