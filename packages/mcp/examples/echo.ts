// The smallest useful server: one tool that says what it is given.
import { createServer, defineTool, object, string, text } from "@bosun/mcp/server";

export const echo = createServer({
  name: "echo",
  version: "0.1.0",
  tools: [
    defineTool({
      name: "echo",
      description: "Says it again.",
      readOnly: true,
      input: object({ text: string("what to say") }),
      run: ({ text: said }) => text(said),
    }),
  ],
});
