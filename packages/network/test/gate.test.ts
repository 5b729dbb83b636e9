// What commands and people see of hosts, with real commands behind a real gate.
import { describe, expect, test } from "bun:test";
import { TestNetwork, missing, upstream } from "./harness.ts";
import type { HostAnswer, HostQuestion } from "@bosun/network";

const HELLO = "curl -sS --max-time 20 http://";

describe.skipIf(missing !== undefined)(`behind the gate ${missing ?? ""}`, () => {
  test.each([
    ["curl", "curl -sS http://a.test/"],
    ["wget", "wget -qO- http://a.test/"],
    ["python", `python3 -c 'import urllib.request as r; print(r.urlopen("http://a.test/").read().decode())'`],
    ["node fetch", `node -e 'fetch("http://a.test/").then(r => r.text()).then(console.log)'`],
  ])("an alias leads %s to a service of this machine", async (_, text) => {
    using a = upstream("hello");
    await using net = new TestNetwork({ allow: [`a.test:80=127.0.0.1:${a.port}`] });
    const ran = await net.run(text);
    expect({ out: ran.out.trim(), lines: ran.lines }).toEqual({ out: "hello", lines: [] });
    expect(await net.seen(({ kind }) => kind === "contact-end")).toMatchObject({ contact: 1, why: "ended" });
    expect(net.events[0]).toMatchObject({ kind: "contact", decision: "allowed", host: "a.test", calls: ["call-1"] });
  });

  test("an unknown host does not resolve, and program, result and record name it", async () => {
    await using net = new TestNetwork({ unknownHosts: "deny", allow: ["b.test"] });
    const ran = await net.run("curl -sS http://evil.test/");
    expect(ran.err).toContain("Could not resolve host: evil.test");
    expect(ran.lines).toEqual([
      "[network] refused: evil.test (no rule allows it; the person can start with --allow-net evil.test)",
    ]);
    expect(net.events).toMatchObject([{ kind: "contact", decision: "refused", host: "evil.test" }]);
  });

  test("a client that cannot be asked is refused, and told how to allow", async () => {
    await using net = new TestNetwork({ unknownHosts: "ask" });
    expect((await net.run("curl -sS http://evil.test/")).lines[0]).toContain("--allow-net evil.test");
  });

  test.each<[HostAnswer, number]>([
    ["once", 2],
    ["session", 1],
    ["always", 1],
  ])("the answer %p is asked for %p times in two calls", async (answer, times) => {
    using a = upstream("hello");
    const asked: HostQuestion[] = [];
    const kept: string[] = [];
    await using net = new TestNetwork({
      ask: async (question) => (asked.push(question), answer),
      approvals: { has: () => false, remember: (host, port) => kept.push(`${host}:${port}`) },
      allow: [`real.test:80=127.0.0.1:${a.port}`],
      resolve: async () => ["127.0.0.1"],
    });
    // Allowed by the answer, then stopped by where the name leads: nothing else on this machine is public.
    const ran = [await net.run(`${HELLO}ask.test/`), await net.run(`${HELLO}ask.test/`)];
    expect(asked).toHaveLength(times);
    expect(asked[0]).toEqual({ session: "session", host: "ask.test", port: 80, calls: ["call-1"] });
    expect(ran[1]?.lines).toEqual(["[network] refused: ask.test:80 (it resolves to 127.0.0.1, a private address)"]);
    expect(kept).toEqual(answer === "always" ? ["ask.test:80"] : []);
  });

  test("always holds for the next session; a full disk makes it one for this session", async () => {
    const kept = new Set<string>();
    const options = { resolve: async () => ["127.0.0.1"] };
    {
      await using net = new TestNetwork({
        ...options,
        ask: async () => "always",
        approvals: { has: () => false, remember: (host, port) => void kept.add(`${host}:${port}`) },
      });
      await net.run(`${HELLO}ask.test/`);
    }
    const approvals = { has: (host: string, port: number) => kept.has(`${host}:${port}`), remember: () => undefined };
    await using net = new TestNetwork({ ...options, ask: async () => "refuse", approvals });
    expect((await net.run(`${HELLO}ask.test/`)).lines[0]).toContain("private address");
    await using full = new TestNetwork({
      ...options,
      ask: async () => "always",
      approvals: {
        has: () => false,
        remember: () => {
          throw new Error("ENOSPC");
        },
      },
    });
    expect((await full.run(`${HELLO}ask.test/`)).lines[0]).toContain("private address");
    expect(full.logged[0]).toContain("for this session only: ENOSPC");
  });

  test.each<[HostAnswer, string]>([
    ["refuse", "the person said no"],
    ["unanswered", "nobody answered"],
  ])("after %p the name does not resolve any more", async (answer, reason) => {
    let asked = 0;
    await using net = new TestNetwork({ ask: async () => (asked++, answer) });
    expect((await net.run(`${HELLO}no.test/`)).lines).toEqual([`[network] refused: no.test:80 (${reason})`]);
    const again = await net.run(`${HELLO}no.test/`);
    expect(again.err).toContain("Could not resolve host");
    expect(again.lines).toEqual([`[network] refused: no.test (${reason})`]);
    expect(asked).toBe(1);
  });

  test("connections to one host at once are one question, and time stands still for their call", async () => {
    let asked = 0;
    const held: string[] = [];
    await using net = new TestNetwork({ resolve: async () => ["127.0.0.1"] });
    const answer = Promise.withResolvers<HostAnswer>();
    const session = net.network.session({
      id: "two",
      ask: () => (asked++, answer.promise),
      holdTime: (calls) => {
        held.push(`hold ${calls.join()}`);
        if (held.length === 2) answer.resolve("refuse");
        return () => held.push("go on");
      },
    });
    const ran = await net.runIn(session, `${HELLO}x.test/ & ${HELLO}x.test/; wait`);
    expect(asked).toBe(1);
    expect(held).toEqual(["hold call-1", "hold call-1", "go on", "go on"]);
    expect(ran.lines).toHaveLength(1);
    session.close();
  });

  test("a ninth open question is refused", async () => {
    const answer = Promise.withResolvers<HostAnswer>();
    let asked = 0;
    await using net = new TestNetwork({
      ask: () => (asked++, answer.promise),
      record: (event) => {
        if (event.kind === "contact" && event.reason === "too many open questions") answer.resolve("refuse");
      },
    });
    const ran = await net.run(`for n in 1 2 3 4 5 6 7 8 9; do ${HELLO}h$n.test/ & done; wait`);
    expect(asked).toBe(8);
    expect(ran.lines.filter((line) => line.includes("too many open questions"))).toHaveLength(1);
  });

  test("where a call cannot ask, the connection is refused at once, and the next call asks first", async () => {
    await using net = new TestNetwork({ ask: async () => "later", resolve: async () => ["127.0.0.1"] });
    const first = await net.run(`${HELLO}later.test/`);
    expect(first.lines).toEqual(["[network] refused: later.test:80 (not allowed yet; asked at the next command)"]);
    expect(net.session.pending).toMatchObject([{ host: "later.test", port: 80 }]);
    net.session.answer("later.test", 80, "session");
    expect(net.session.pending).toEqual([]);
    expect((await net.run(`${HELLO}later.test/`)).lines[0]).toContain("private address");
  });

  test("a late answer counts: the result says to run it again, and the next call goes through", async () => {
    using a = upstream("hello");
    const answer = Promise.withResolvers<HostAnswer>();
    await using net = new TestNetwork({ ask: () => answer.promise, resolve: async () => ["127.0.0.1"] });
    const first = await net.run("curl -sS --max-time 1 http://slow.test/");
    expect(first.lines).toEqual([
      "[network] not answered yet: slow.test:80 (the question is still open: run the command again when it is answered)",
    ]);
    answer.resolve("session");
    expect((await net.run(`${HELLO}slow.test/`)).lines[0]).toContain("private address");
    expect(a.seen).toEqual([]);
  });

  test("a port that no rule names is refused by name", async () => {
    using a = upstream("hello");
    await using net = new TestNetwork({
      allow: [`a.test:443=127.0.0.1:${a.port}`, "b.test:443"],
      unknownHosts: "deny",
    });
    const ran = await net.run("curl -sS http://a.test/; curl -sS http://b.test/");
    expect(ran.lines).toEqual([
      `[network] refused: a.test:80 (the rule a.test:443=127.0.0.1:${a.port} opens one port only)`,
      "[network] refused: b.test:80 (no rule allows it; the person can start with --allow-net b.test)",
    ]);
    expect(a.seen).toEqual([]);
  });

  test("a port of a rule is taken at the names that have it, and stays free for commands elsewhere", async () => {
    using a = upstream("hello");
    await using net = new TestNetwork({ allow: [`db:5432=127.0.0.1:${a.port}`] });
    const ran = await net.run(`
      python3 -c 'import socket as s; x = s.socket(); x.bind(("127.0.0.1", 5432)); x.listen(); print("free")'
      curl -sS http://db:5432/`);
    expect(ran.out).toBe("free\nhello");
  });

  test("a server of the session is reached by its next command, and by no other session", async () => {
    await using net = new TestNetwork();
    net.session.begin("task", "task");
    const task = await net.spawn(net.session, `cd /usr && exec python3 -u -m http.server 8000 --bind 127.0.0.1 2>&1`);
    const reader = task.stdout.getReader();
    await reader.read(); // "Serving HTTP on …"
    expect((await net.run("curl -sS -o /dev/null -w '%{http_code}' http://localhost:8000/")).out).toBe("200");
    const other = net.open("other");
    expect((await net.runIn(other, "curl -sS http://localhost:8000/")).code).toBe(7);
    task.kill();
    await task.exited;
    net.session.end("task");
  });

  test("when nothing can be put on record, nothing is reached", async () => {
    using a = upstream("hello");
    await using net = new TestNetwork({
      allow: [`a.test:80=127.0.0.1:${a.port}`],
      record: () => {
        throw new Error("disk full");
      },
    });
    expect((await net.run(`${HELLO}a.test/`)).lines).toEqual([
      "[network] refused: a.test:80 (it cannot be put on record)",
    ]);
    expect(a.seen).toEqual([]);
  });

  test("the sockets of this machine's services are named, to be hidden", async () => {
    await using net = new TestNetwork();
    const { hidden, files } = await net.session.commandNetwork();
    expect(hidden.every((place) => /^(\/var)?\/run\/./.test(place))).toBe(true);
    expect(files.map(({ file }) => file.split("/").at(-1))).toEqual(["resolv.conf", "hosts"]);
  });

  test("the same refusal again is counted, not written", async () => {
    await using net = new TestNetwork({ unknownHosts: "deny", ask: async () => "refuse" });
    await net.run("for n in 1 2 3 4 5; do curl -sS http://evil.test/; done");
    expect(net.events).toHaveLength(1);
  });
});
