import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { callDigest, openApprovals, type ApprovalCall, type Ask } from "../../src/approvals/approvals.ts";
import { approvalCall, authorizeCall, type CallToAuthorize } from "../../src/approvals/authorize-call.ts";
import { openProjectTrust } from "@bosun/settings";
import type { Decision } from "../../src/rules/decision.ts";
import { serverIdentity, serverLabel } from "../../src/pins/server-identity.ts";
import { createTaint } from "../../src/approvals/taint.ts";
import { at, policy, rule } from "../rules/policies.ts";
import { temporaryFolder } from "../../../platform/test/temporary-folder.ts";

const fresh = temporaryFolder();
const asking: Decision = { verdict: "ask", rule: { name: "default", file: "built in" }, reason: "", grantable: true };

function call(changes: Partial<ApprovalCall> = {}): ApprovalCall {
  return {
    tool: { alias: "lab", tool: "restart" },
    server: "id-of-lab",
    definition: "d1",
    arguments: { service: "web" },
    ...changes,
  };
}

function asked(approvals: ReturnType<typeof openApprovals>, about = call(), decision = asking): Ask {
  const considered = approvals.consider(about, decision);
  if (considered.kind !== "ask") throw new Error(`expected a question, got ${considered.kind}`);
  return considered.ask;
}

describe("an answer is for the call that was shown", () => {
  test.each<[string, Partial<ApprovalCall>]>([
    ["other arguments", { arguments: { service: "db" } }],
    ["one more argument", { arguments: { service: "web", force: true } }],
    ["another tool", { tool: { alias: "lab", tool: "stop" } }],
    ["the same tool of another server", { server: "other" }],
    ["another definition", { definition: "d2" }],
    ["another directory", { context: { cwd: "/" } }],
  ])("%s after the question: no", (_, changes) => {
    const approvals = openApprovals({ stateFolder: fresh() });
    expect(approvals.answer(asked(approvals), call(changes), { kind: "once" })).toEqual({
      kind: "denied",
      reason: "the call changed after it was shown",
    });
  });

  test("the order of members does not matter, a difference in text does", () => {
    expect(callDigest(call({ arguments: { a: 1, b: 2 } }))).toBe(callDigest(call({ arguments: { b: 2, a: 1 } })));
    expect(callDigest(call({ arguments: { a: "1" } }))).not.toBe(callDigest(call({ arguments: { a: 1 } })));
    expect(callDigest(call({ arguments: { a: "é" } }))).not.toBe(callDigest(call({ arguments: { a: "e\u0301" } })));
  });

  test("a question is answered once", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    const ask = asked(approvals);
    expect(approvals.answer(ask, call(), { kind: "once" }).kind).toBe("allowed");
    expect(approvals.answer(ask, call(), { kind: "once" })).toEqual({
      kind: "denied",
      reason: "this question was answered already",
    });
    expect(approvals.consider(call(), asking).kind).toBe("ask");
  });

  test("no is no, with the person's reason", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    expect(approvals.answer(asked(approvals), call(), { kind: "deny", reason: "not today" })).toEqual({
      kind: "denied",
      reason: "not today",
    });
  });

  test("what cannot be digested is not asked about", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    expect(() => approvals.consider(call({ arguments: { f: () => 1 } }), asking)).toThrow();
  });
});

describe("an answer is remembered", () => {
  test("for the session: this tool with any arguments, not another one", () => {
    const folder = fresh();
    const approvals = openApprovals({ stateFolder: folder });
    expect(approvals.answer(asked(approvals), call(), { kind: "session", scope: "tool" })).toEqual({
      kind: "allowed",
      scope: "lab.restart with any arguments, for this session",
    });
    expect(approvals.consider(call({ arguments: { service: "db" } }), asking).kind).toBe("granted");
    expect(approvals.consider(call({ tool: { alias: "lab", tool: "stop" } }), asking).kind).toBe("ask");
    expect(approvals.consider(call({ server: "other" }), asking).kind).toBe("ask");
    expect(openApprovals({ stateFolder: folder }).consider(call(), asking).kind).toBe("ask");
  });

  test("for a server, this session only, and not for a tool that changed meanwhile", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    const stop = call({ tool: { alias: "lab", tool: "stop" } });
    approvals.consider(stop, asking);
    approvals.answer(asked(approvals), call(), { kind: "session", scope: "server" });
    expect(approvals.consider(stop, asking).kind).toBe("granted");
    expect(approvals.consider({ ...stop, definition: "d2" }, asking).kind).toBe("ask");
  });

  test("for good: in a file of mode 0600, without arguments, until the definition changes", () => {
    const folder = fresh();
    const approvals = openApprovals({ stateFolder: folder, now: () => new Date("2026-05-02T00:00:00Z") });
    approvals.answer(
      asked(approvals, call({ arguments: { password: "hunter2" } })),
      call({ arguments: { password: "hunter2" } }),
      { kind: "always" },
    );
    const file = path.join(folder, "approvals.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).not.toContain("hunter2");
    const later = openApprovals({ stateFolder: folder });
    expect(later.consider(call(), asking).kind).toBe("granted");
    const changed = later.consider(call({ definition: "d2" }), asking);
    expect(changed).toMatchObject({ kind: "ask", ask: { changedSince: "2026-05-02T00:00:00.000Z" } });
    expect(later.list()).toHaveLength(1);
    expect(later.forget("lab.restart")).toBe(1);
    expect(openApprovals({ stateFolder: folder }).consider(call(), asking).kind).toBe("ask");
  });

  test("a no for the session beats a yes for good", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    approvals.answer(asked(approvals), call(), { kind: "always" });
    const stop = approvals.consider(call({ definition: "d2" }), asking);
    if (stop.kind === "ask") approvals.answer(stop.ask, call({ definition: "d2" }), { kind: "deny-session" });
    expect(approvals.consider(call(), asking).kind).toBe("refused");
  });

  test.each<[string, Decision, boolean, "once" | "session" | "always", string[]]>([
    ["everything for an ordinary tool", asking, false, "always", ["once", "session tool", "session server", "always"]],
    ["less for a destructive one", asking, true, "always", ["once", "session tool"]],
    ["only once when a rule asks about this very call", { ...asking, grantable: false }, false, "always", ["once"]],
    ["as the settings limit it", asking, false, "session", ["once", "session tool", "session server"]],
    ["nothing lasting when they forbid it", asking, false, "once", ["once"]],
  ])("what is offered: %s", (_, decision, isDestructive, remember, offered) => {
    const approvals = openApprovals({ stateFolder: fresh(), remember });
    const considered = approvals.consider(call(), decision, isDestructive);
    if (considered.kind !== "ask") throw new Error(considered.kind);
    const names = considered.ask.offers.map(({ answer }) =>
      answer.kind === "session" ? `session ${answer.scope}` : answer.kind,
    );
    expect(names).toEqual(offered);
    // What was not offered is not taken.
    if (!offered.includes("always"))
      expect(approvals.answer(considered.ask, call(), { kind: "always" }).kind).toBe("denied");
  });

  test("a yes for a whole server does not answer a line about exactly this tool; a yes for the tool does", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    approvals.answer(asked(approvals), call(), { kind: "session", scope: "server" });
    const exact = { ...asking, needsToolGrant: true };
    expect(approvals.consider(call(), asking).kind).toBe("granted");
    approvals.answer(asked(approvals, call(), exact), call(), { kind: "session", scope: "tool" });
    expect(approvals.consider(call(), exact).kind).toBe("granted");
  });

  test("a remembered yes does not answer a rule about this very call", () => {
    const approvals = openApprovals({ stateFolder: fresh() });
    approvals.answer(asked(approvals), call(), { kind: "always" });
    expect(approvals.consider(call(), { ...asking, grantable: false }).kind).toBe("ask");
  });

  test("the file is read once: what is written into it later changes nothing", () => {
    const folder = fresh();
    const approvals = openApprovals({ stateFolder: folder });
    const forged = {
      verdict: "allow",
      name: "lab.restart",
      server: "id-of-lab",
      tool: "restart",
      definition: "d1",
      since: "now",
    };
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, "approvals.json"), JSON.stringify([forged]), { mode: 0o600 });
    expect(approvals.consider(call(), asking).kind).toBe("ask");
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ["a link", (file) => symlinkSync("/etc/hostname", file), /symbolic link/],
    ["a dangling link", (file) => symlinkSync("/nowhere/at/all", file), /symbolic link/],
    ["one that others can write", (file) => writeFileSync(file, "[]", { mode: 0o666 }), /other users/],
    ["a damaged one", (file) => writeFileSync(file, "[{]", { mode: 0o600 }), /damaged/],
    [
      "one with a grant for a whole server",
      (file) => writeFileSync(file, '[{"verdict":"allow","name":"lab.*","server":"x","since":"y"}]', { mode: 0o600 }),
      /damaged/,
    ],
  ])("the store is refused when it is %s", (_, make, message) => {
    const folder = fresh();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const previous = process.umask(0);
    make(path.join(folder, "approvals.json"));
    process.umask(previous);
    expect(() => openApprovals({ stateFolder: folder })).toThrow(message);
  });

  test("a link planted later is neither followed nor written through", () => {
    const folder = fresh();
    const approvals = openApprovals({ stateFolder: folder });
    const ask = asked(approvals);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const target = path.join(folder, "target");
    symlinkSync(target, path.join(folder, "approvals.json"));
    expect(() => approvals.answer(ask, call(), { kind: "always" })).toThrow("symbolic link");
    expect(existsSync(target)).toBe(false);
  });

  test("two programs do not forget each other's answers, and do not believe them either", () => {
    const folder = fresh();
    const left = openApprovals({ stateFolder: folder });
    const right = openApprovals({ stateFolder: folder });
    const stop = call({ tool: { alias: "lab", tool: "stop" } });
    left.answer(asked(left), call(), { kind: "always" });
    right.answer(asked(right, stop), stop, { kind: "always" });
    expect(left.consider(stop, asking).kind).toBe("ask");
    expect(
      openApprovals({ stateFolder: folder })
        .list()
        .map(({ name }) => name),
    ).toEqual(["lab.restart", "lab.stop"]);
  });
});

describe("after untrusted output", () => {
  const allow: Decision = {
    verdict: "allow",
    rule: { name: "default", file: "built in" },
    reason: "",
    grantable: false,
  };
  test.each<[string, (taint: ReturnType<typeof createTaint>) => void, { alias: string; sends: boolean }, string]>([
    ["nothing was heard: allowed", () => {}, { alias: "mail", sends: true }, "allow"],
    [
      "another server spoke: a call that sends asks",
      (taint) => taint.heard("web", false),
      { alias: "mail", sends: true },
      "ask",
    ],
    ["it sends nothing: allowed", (taint) => taint.heard("web", false), { alias: "notes", sends: false }, "allow"],
    [
      "only the same server spoke: allowed",
      (taint) => taint.heard("mail", false),
      { alias: "mail", sends: true },
      "allow",
    ],
    ["a trusted server spoke: allowed", (taint) => taint.heard("web", true), { alias: "mail", sends: true }, "allow"],
    [
      "both spoke: asks",
      (taint) => (taint.heard("mail", false), taint.heard("web", false)),
      { alias: "mail", sends: true },
      "ask",
    ],
    [
      "a new conversation: allowed",
      (taint) => (taint.heard("web", false), taint.clear()),
      { alias: "mail", sends: true },
      "allow",
    ],
  ])("%s", (_, before, about, verdict) => {
    const taint = createTaint();
    before(taint);
    expect(taint.apply(allow, about)).toMatchObject({ verdict });
  });

  test("an allow that a person wrote holds: no question", () => {
    const taint = createTaint();
    taint.heard("web", false);
    const written: Decision = { ...allow, rule: { name: 'mcp.auto_approve "mail.*"', file: "config.toml", line: 3 } };
    expect(taint.apply(written, { alias: "mail", sends: true })).toEqual(written);
  });

  test("the question can be remembered, and says how to switch it off", () => {
    const taint = createTaint();
    taint.heard("web", false);
    const asked = taint.apply(allow, { alias: "mail", sends: true });
    expect(asked.grantable).toBe(true);
    expect(asked.reason).toContain("approvals.taint = false");
  });

  test("a denial stays one", () => {
    const taint = createTaint();
    taint.heard("web", false);
    expect(taint.apply({ ...allow, verdict: "deny" }, { alias: "mail", sends: true }).verdict).toBe("deny");
  });
});

describe("the whole way of a call", () => {
  const rules = policy({
    rules: [rule({ decide: "deny", tools: ["lab.wipe"] }), rule({ decide: "ask", tools: ["lab.reboot"] })],
    approvals: [{ pattern: at("web.*"), verdict: "allow" }],
  });
  function about(name: string, changes: Partial<CallToAuthorize> = {}): CallToAuthorize {
    const [alias = "", tool = ""] = name.split(".");
    return { tool: { alias, tool }, server: `id-of-${alias}`, definition: "d1", arguments: {}, ...changes };
  }

  test("rules, session, taint, memory, question, in this order", () => {
    const deciders = { policy: rules, approvals: openApprovals({ stateFolder: fresh() }), taint: createTaint() };
    expect(authorizeCall(deciders, about("lab.wipe")).kind).toBe("deny");
    expect(authorizeCall(deciders, about("web.get")).kind).toBe("allow");
    const first = authorizeCall(deciders, about("lab.restart"));
    expect(first.kind).toBe("ask");
    if (first.kind === "ask") {
      const same = approvalCall(about("lab.restart"));
      expect(deciders.approvals.answer(first.ask, same, { kind: "session", scope: "tool" }).kind).toBe("allowed");
    }
    expect(authorizeCall(deciders, about("lab.restart"))).toMatchObject({
      kind: "allow",
      decision: { rule: { name: "approved" } },
    });
    const reboot = authorizeCall(deciders, about("lab.reboot"));
    if (reboot.kind !== "ask") throw new Error(reboot.kind);
    expect(reboot.ask.offers.map(({ meaning }) => meaning)).toEqual([
      "lab.reboot, this call only",
      "lab.reboot with any arguments, for this session",
      "lab.reboot with any arguments, from now on",
    ]);
    deciders.taint.heard("lab", false);
    expect(authorizeCall(deciders, about("web.get", { sends: true })).kind).toBe("allow"); // a person wrote it
    const open = { ...deciders, policy: { ...rules, fallback: "allow" } as const };
    const tainted = authorizeCall(open, about("mail.send", { sends: true }));
    if (tainted.kind !== "ask") throw new Error(tainted.kind);
    expect(tainted.decision.rule.name).toBe("approvals.taint");
    const same = approvalCall(about("mail.send"));
    expect(deciders.approvals.answer(tainted.ask, same, { kind: "session", scope: "tool" }).kind).toBe("allowed");
    expect(authorizeCall(open, about("mail.send", { sends: true })).kind).toBe("allow");
  });

  test.each<[string, NonNullable<CallToAuthorize["paths"]>]>([
    ["another real path", [{ path: "/w/b/y", access: "write", seen: "1:7" }]],
    ["another file at that path", [{ path: "/w/a/x", access: "write", seen: "1:8" }]],
    ["another access", [{ path: "/w/a/x", access: "read", seen: "1:7" }]],
    [
      "a second path",
      [
        { path: "/w/a/x", access: "write", seen: "1:7" },
        { path: "/w/b", access: "read" },
      ],
    ],
  ])("an answer holds for where the paths of a call lead, not for what they say: %s", (_, paths) => {
    const approvals = openApprovals({ stateFolder: fresh() });
    const shown = about("lab.restart", { paths: [{ path: "/w/a/x", access: "write", seen: "1:7" }] });
    const asked = authorizeCall({ policy: rules, approvals }, shown);
    if (asked.kind !== "ask") throw new Error("nothing was asked");
    expect(callDigest(approvalCall({ ...shown, paths }))).not.toBe(asked.ask.digest);
    expect(approvals.answer(asked.ask, approvalCall({ ...shown, paths }), { kind: "once" }).kind).toBe("denied");
  });

  test("an approved server whose tool changes is asked about again", () => {
    const deciders = { policy: rules, approvals: openApprovals({ stateFolder: fresh() }) };
    const first = authorizeCall(deciders, about("lab.restart"));
    if (first.kind === "ask") {
      deciders.approvals.answer(first.ask, approvalCall(about("lab.restart")), { kind: "always" });
    }
    expect(authorizeCall(deciders, about("lab.restart")).kind).toBe("allow");
    expect(authorizeCall(deciders, about("lab.restart", { definition: "d2" })).kind).toBe("ask");
    expect(authorizeCall(deciders, about("lab.restart", { server: "elsewhere" })).kind).toBe("ask");
  });
});

test("a server is known by where it is, and its secrets stay out", () => {
  const left = serverIdentity({ url: "https://h/mcp?token=abc" });
  expect(serverIdentity({ url: "https://h/mcp?token=xyz" })).toBe(left);
  expect(serverIdentity({ url: "https://h2/mcp" })).not.toBe(left);
  expect(serverIdentity({ url: "https://h/other" })).not.toBe(left);
  expect(serverIdentity({ command: "a", args: ["b c"] })).not.toBe(serverIdentity({ command: "a", args: ["b", "c"] }));
  expect(serverLabel({ url: "https://h/mcp?token=abc" })).toBe("https://h/mcp");
  expect(serverLabel({ command: "srv", args: ["--token", "hunter2"] })).toBe("srv --token [redacted secret]");
});

test("trust in a project file is kept by path and content", () => {
  const folder = fresh();
  const trust = openProjectTrust(folder);
  expect(trust.isTrusted("/w/.bosun.toml", "h1")).toBe("no");
  trust.trust("/w/.bosun.toml", "h1", new Date());
  const later = openProjectTrust(folder);
  expect(later.isTrusted("/w/.bosun.toml", "h1")).toBe("yes");
  expect(later.isTrusted("/w/.bosun.toml", "h2")).toBe("another version");
  expect(later.isTrusted("/x/.bosun.toml", "h1")).toBe("no");
  expect(later.isTrusted("__proto__", "h1")).toBe("no");
  later.forget("/w/.bosun.toml");
  expect(openProjectTrust(folder).isTrusted("/w/.bosun.toml", "h1")).toBe("no");
});
