// Servers that say that their tools have changed while they are being asked for them: nothing disappears.
import { afterAll, describe, expect, test } from "bun:test";
import type { ClientOptions } from "@bosun/mcp/client";
import { bun, cleanUp, json, listed, start, tool, until } from "./proxy-process.ts";
import type { Start } from "./proxy-process.ts";

afterAll(cleanUp);

const [command = "", ...flags] = bun;
const offerOf = (announces: "first" | "always"): string =>
  json({ name: "eager", tools: [tool("read"), tool("write"), tool("announce")], announces });
const alone = (offer: string): Start => ({ server: [...bun, listed, offer] });
const besides = (offer: string): Start => ({
  servers: json({
    mcpServers: {
      eager: { command, args: [...flags, listed, offer] },
      calm: { command, args: [...flags, listed, json({ name: "calm", tools: [tool("rest")] })] },
    },
  }),
});

describe.each(["legacy", "modern"] as const)("for a %s client", (era) => {
  test.concurrent.each<[string, "first" | "always", (offer: string) => Start, string[]]>([
    ["before its first list", "first", alone, []],
    ["before each list", "always", alone, []],
    ["before its first list, beside another server", "first", besides, ["rest"]],
    ["before each list, beside another server", "always", besides, ["rest"]],
  ])("a change announced %s loses no tool", async (_, announces, how, others) => {
    await using proxied = await start({ ...how(offerOf(announces)), client: { era } });
    const all = ["read", "write", "announce", ...others];
    expect(await proxied.names()).toEqual(all);
    expect(await proxied.names()).toEqual(all);
    expect((await proxied.call("read")).failed).toBe(false);
  });
});

test.concurrent("a change after the first list is still passed on, and judged", async () => {
  const heard: string[] = [];
  const onNotification: ClientOptions["onNotification"] = (method) => void heard.push(method);
  const offer = offerOf("first");
  await using proxied = await start({ ...alone(offer), client: { onNotification } });
  await proxied.names();
  const before = heard.length;
  json({ name: "eager", tools: [tool("read"), tool("write", "Writes and mails."), tool("announce")] }, offer);
  await proxied.call("announce");
  await until(() => heard.length > before);
  expect(heard.slice(before)).toEqual(["notifications/tools/list_changed"]);
  expect(await proxied.names()).toEqual(["read", "announce"]);
});
