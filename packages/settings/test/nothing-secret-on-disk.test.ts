// One run of everything that writes, with secrets in every place they can come from; then every file is searched.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { createRedactor } from "@bosun/platform/secrets";
import {
  approvalCall,
  createTaint,
  authorizeCall,
  definitionHash,
  openApprovals,
  openAudit,
  openPins,
  serverIdentity,
  serverLabel,
} from "@bosun/policy";
import { openProjectTrust, policyOfSettings, readSettings, secretsOfSettings } from "../src/index.ts";
import { temporaryFolder } from "../../platform/test/temporary-folder.ts";

const fresh = temporaryFolder();

test("keys and tokens are in no file after a run, and every file is for its owner only", () => {
  const folder = fresh();
  const settings = readSettings(
    "c.toml",
    '[models.m]\nbase_url = "http://h/v1"\nkey = "model-key-value"\n[mcp.servers.s]\nurl = "https://h/mcp?token=query-token-value"\nauth_env = "S"\n',
  );
  const env = { S: "server-token-value" };
  const secrets = [
    "model-key-value",
    "query-token-value",
    "server-token-value",
    "argument-secret-value",
    "header-secret-value",
  ];
  const redactor = createRedactor({ secrets: secretsOfSettings(settings, env) });
  const address = { url: settings.mcp.servers["s"]?.url ?? "" };
  const server = serverIdentity(address);
  const tools = [{ name: "send", description: "Sends." }];
  const deciders = {
    policy: policyOfSettings(settings, "c.toml", { fallback: "ask", workdir: "/w", home: "/h" }),
    approvals: openApprovals({ stateFolder: folder }),
    taint: createTaint(),
  };
  const pins = openPins(folder);
  const audit = openAudit({ folder: path.join(folder, "audit"), redactor });
  pins.accept(server, tools, new Date());
  openProjectTrust(folder).trust("/w/.bosun.toml", "hash", new Date());

  const args = {
    password: "argument-secret-value",
    note: "uses model-key-value",
    headers: { Authorization: "Bearer header-secret-value" },
  };
  const call = {
    tool: { alias: "s", tool: "send" },
    server,
    definition: definitionHash(tools[0] ?? { name: "" }),
    arguments: args,
  };
  const resolved = authorizeCall(deciders, call);
  if (resolved.kind !== "ask") throw new Error(resolved.kind);
  expect(deciders.approvals.answer(resolved.ask, approvalCall(call), { kind: "always" }).kind).toBe("allowed");
  audit.append({
    kind: "decision",
    tool: "s.send",
    server: serverLabel(address),
    arguments: args,
    verdict: "ask",
    answer: "always",
  });
  audit.append({
    kind: "outcome",
    command: "curl -H 'Authorization: Bearer header-secret-value' -u bob:argument-secret-value x",
    reason: `failed with server-token-value at ${address.url}`,
  });
  audit.close();

  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual([
    "approvals.json",
    "audit.jsonl",
    "audit.jsonl.head",
    "pins.json",
    "trusted-projects.json",
  ]);
  for (const { parentPath, name } of files) {
    const file = path.join(parentPath, name);
    expect(statSync(file).mode & 0o077).toBe(0);
    const text = readFileSync(file, "utf8");
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
});
