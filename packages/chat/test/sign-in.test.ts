// Signing in at a server's authorization page, from the terminal: the address is shown, the answer comes back to us.
import { afterEach, beforeEach, expect, test } from "bun:test";
import type { JsonObject } from "@bosun/mcp";
import { makeHome, modelSettings } from "./home.ts";
import type { Home } from "./home.ts";
import { CTRL_D, render, startPty } from "./pty.ts";
import type { Pty } from "./pty.ts";
import { startModel } from "./scripted-model.ts";
import type { ScriptedModel } from "./scripted-model.ts";

let home: Home;
let model: ScriptedModel;
beforeEach(() => {
  home = makeHome();
  model = startModel();
});
afterEach(async () => {
  await model.stop();
  home.remove();
});

/** An MCP server and its authorization server in one: approves whoever opens the page. */
function guarded() {
  const token = "token-from-the-authorization-server";
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request): Promise<Response> {
      const url = new URL(request.url);
      const { origin } = url;
      if (url.pathname.startsWith("/.well-known/oauth-protected-resource")) {
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
      }
      if (url.pathname.startsWith("/.well-known/oauth-authorization-server")) {
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          token_endpoint_auth_methods_supported: ["none"],
          authorization_response_iss_parameter_supported: true,
        });
      }
      if (url.pathname === "/register") {
        const asked = (await request.json()) as JsonObject;
        return Response.json({ ...asked, client_id: "aish-1", token_endpoint_auth_method: "none" }, { status: 201 });
      }
      if (url.pathname === "/authorize") {
        const back = new URL(url.searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("code", "the-code");
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        back.searchParams.set("iss", origin);
        return Response.redirect(back.href, 302);
      }
      if (url.pathname === "/token") {
        return Response.json({ access_token: token, token_type: "Bearer", expires_in: 3600 });
      }
      if (request.headers.get("authorization") !== `Bearer ${token}`) {
        const where = `${origin}/.well-known/oauth-protected-resource/mcp`;
        return new Response("no", {
          status: 401,
          headers: { "www-authenticate": `Bearer resource_metadata="${where}"` },
        });
      }
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = (await request.json()) as { id?: number; method: string };
      if (message.id === undefined) return new Response(null, { status: 202 });
      const reply = (result: object): Response => Response.json({ jsonrpc: "2.0", id: message.id, result });
      if (message.method === "initialize") {
        return reply({
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "g", version: "1" },
        });
      }
      if (message.method === "tools/list")
        return reply({ tools: [{ name: "secret", inputSchema: { type: "object" } }] });
      return Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "no such method" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, token, stop: () => server.stop(true) };
}

/** Types the command, opens the page it shows, and waits until the server is there. */
async function signIn(screen: Pty, command: string): Promise<void> {
  const mark = screen.mark();
  screen.type(`${command}\r`);
  await screen.until(/http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/, mark);
  const shown = render(screen.bytes().slice(mark));
  const [address = ""] = /http:\/\/127\.0\.0\.1:\d+\/authorize\?\S+/.exec(shown) ?? [];
  const page = await fetch(address);
  expect(await page.text()).toContain("go back to the terminal");
  await screen.until("mcp: web ready (1 tool", mark);
}

test("refused, signed in, ready; and the token is on no disk", async () => {
  const server = guarded();
  home.settings(modelSettings(model.url, `[mcp.servers.web]\nurl = "${server.url}"\n`));
  const screen = startPty(home, [], { columns: 300 });
  await screen.until("web failed: HTTP 401 (it wants a sign-in: :mcp login web");
  await signIn(screen, ":mcp login web");
  await screen.stop();
  for (const { text } of home.files()) expect(text).not.toContain(server.token);
  await server.stop();
});

test("kept on request, for our eyes only: the next start is signed in, and signing out deletes it", async () => {
  const server = guarded();
  home.settings(modelSettings(model.url, `[mcp.servers.web]\nurl = "${server.url}"\n`));
  const first = startPty(home, [], { columns: 300 });
  await first.until("web failed: HTTP 401");
  await signIn(first, ":mcp login web --keep");
  first.type(CTRL_D);
  await first.exited;
  const [kept, ...others] = home.files().filter(({ text }) => text.includes(server.token));
  expect(others).toEqual([]);
  expect(kept?.file).toEndWith("sign-ins.json");
  expect((kept?.mode ?? 0) & 0o077).toBe(0);
  const second = startPty(home, [], { columns: 300 });
  await second.until("mcp: web ready (1 tool");
  second.type(":mcp logout web\r");
  await second.until("signed out of web; what was kept is deleted");
  second.type(":mcp reconnect web\r");
  await second.until("web failed: HTTP 401");
  await second.stop();
  for (const { text } of home.files()) expect(text).not.toContain(server.token);
  await server.stop();
});
